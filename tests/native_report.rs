//! The report before a browser: nothing leaves its place, on a screen and on paper.
//!
//! Where there is no browser the test says `skipped: …`; under `AIPC_REQUIRE_TOOLS` that is a failure.

#![allow(clippy::print_stdout, reason = "a skipped test says so")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::target::template::Templates;

/// Browsers by the names that they are installed under.
const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Width of an A4 page between its margins, in the pixels of a style sheet.
const PAPER: u32 = 688;

/// Looks at every element and says which does not fit; what a table scrolls on a small screen is left to it.
const LOOK: &str = r#"<script>
addEventListener("load", () => {
  const wrong = [];
  const small = innerWidth < 600;
  const name = (e) => `${e.tagName}.${e.getAttribute("class") || ""}: ${e.textContent.trim().slice(0, 60)}`;
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth + 1) wrong.push("the page");
  for (const e of document.body.querySelectorAll("*")) {
    if (e.closest("svg")) continue;
    if (small && e.closest(".table")) continue;
    if (e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1) wrong.push(name(e));
    const box = e.getBoundingClientRect();
    if (box.width > 0 && (box.right > document.documentElement.clientWidth + 1 || box.left < -1)) wrong.push("outside: " + name(e));
  }
  for (const text of document.querySelectorAll("svg g > text")) {
    const box = text.parentNode.querySelector("rect.box").getBBox(), own = text.getBBox();
    if (own.x < box.x - 1 || own.x + own.width > box.x + box.width + 1) wrong.push("label: " + name(text));
  }
  for (const svg of document.querySelectorAll("svg[role=img]")) {
    const [x, y, width, height] = svg.getAttribute("viewBox").split(" ").map(Number), own = svg.getBBox();
    if (own.x < x - 1 || own.y < y - 1 || own.x + own.width > x + width + 1 || own.y + own.height > y + height + 1)
      wrong.push("picture: " + svg.querySelector("title").textContent);
  }
  document.body.innerHTML = "";
  document.body.textContent = "LOOKED " + innerWidth + ": " + (wrong.join(" | ") || "all fits");
});
</script>"#;

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn report(source: &str) -> String {
    let package = compile::parse(vec![(String::from("main.aip"), source.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let plan = compiled.plan.as_ref().expect("it has a plan");
    let (files, problems) = compile::emit(plan, compiled.judged(), &[String::from("report")], &Templates::shipped());
    assert!(!problems.has_errors(), "{problems:?}");
    String::from_utf8(files.get("report.html").expect("a report").bytes.clone()).expect("UTF-8")
}

fn browser() -> Option<String> {
    let named = std::env::var("AIPC_BROWSER").ok();
    let all = named.into_iter().chain(BROWSERS.iter().map(|name| (*name).to_string()));
    all.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok_and(|done| done.status.success()))
}

fn skip(why: &str) {
    let required = std::env::var("AIPC_REQUIRE_TOOLS").is_ok_and(|value| value == "1");
    assert!(!required, "{why}");
    println!("skipped: {why}");
}

/// The page as a printer gets it, on a screen.
fn on_paper(page: &str) -> String {
    page.replace("@media print {", "@media all {").replace("@media screen", "@media not all")
}

/// What the browser says when it has looked at a page of a width.
fn looked(browser: &str, folder: &Path, name: &str, page: &str, width: u32) -> String {
    let path = folder.join(format!("{name}-{width}.html"));
    fs::write(&path, page.replace("</body>", &format!("{LOOK}</body>"))).expect("a file");
    let result = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom", "--virtual-time-budget=5000"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("--window-size={width},1400"))
        .arg(format!("file://{}", path.display()))
        .output()
        .expect("the browser starts");
    let said = String::from_utf8_lossy(&result.stdout);
    let from = said.find("LOOKED ").unwrap_or_else(|| panic!("{name}: {}", String::from_utf8_lossy(&result.stderr)));
    said[from..].split("</body>").next().unwrap_or_default().trim().to_string()
}

#[test]
fn nothing_leaves_its_place_on_a_screen_or_on_paper() {
    let Some(browser) = browser() else { return skip("no browser: chromium is not installed") };
    let folder = Folder(std::env::temp_dir().join(format!("aipc-native-report-{}", std::process::id())));
    fs::create_dir_all(&folder.0).expect("a folder");
    let mut wrong = Vec::new();
    for example in ["aurora", "clinic-chat", "superpod"] {
        let source = fs::read_to_string(format!("examples/{example}/main.aip")).expect("an example");
        let long = source.replacen("owner", &format!("title = \"{}\"\n  owner", "x".repeat(400)), 1);
        for (name, source) in [(example.to_string(), source.clone()), (format!("{example}-long"), long)] {
            let page = report(&source);
            for (form, page, width) in
                [("screen", page.clone(), 1_280), ("small", page.clone(), 520), ("paper", on_paper(&page), PAPER)]
            {
                let said = looked(&browser, &folder.0, &format!("{name}-{form}"), &page, width);
                if !said.ends_with("all fits") {
                    wrong.push(format!("{name}, {form}: {said}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
