//! The report: it says what the bill says, it can be read without a network, a script or eyes, and it stays small.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::target::template::Templates;

#[path = "support/xml.rs"]
#[allow(dead_code, reason = "each test uses its part of the reader")]
mod xml;

use xml::Node;

const EXAMPLES: &[&str] = &["aurora", "clinic-chat", "superpod"];

fn example(name: &str) -> String {
    fs::read_to_string(format!("examples/{name}/main.aip")).expect("an example")
}

/// The texts of the report and of `bom.json`.
fn written(source: &str) -> BTreeMap<String, String> {
    let package = compile::parse(vec![(String::from("main.aip"), source.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let plan = compiled.plan.as_ref().unwrap_or_else(|| panic!("{:#?}", compiled.problems));
    let targets = [String::from("bom"), String::from("report")];
    let (files, problems) = compile::emit(plan, compiled.judged(), &targets, &Templates::shipped());
    assert!(!problems.has_errors(), "{problems:?}");
    let text = |(path, file): (&str, &aipc::target::files::File)| {
        String::from_utf8(file.bytes.clone()).ok().map(|text| (path.to_string(), text))
    };
    files.iter().filter_map(text).collect()
}

fn page(files: &BTreeMap<String, String>) -> Node {
    xml::read(&files["report.html"]).expect("the report is well-formed")
}

#[test]
fn every_total_is_that_of_the_bill() {
    for example_name in EXAMPLES {
        let files = written(&example(example_name));
        let bill: serde_json::Value = serde_json::from_str(&files["bom/bom.json"]).expect("JSON");
        let root = page(&files);
        let shown = |id: &str| {
            let found = root.elements().into_iter().find(|node| node.attribute("id") == Some(id));
            found.and_then(|node| node.attribute("value")).map(str::to_string)
        };
        let said = |value: &serde_json::Value| value.as_str().map(str::to_string);
        assert_eq!(shown("capex"), said(&bill["capex"]), "{example_name}");
        assert_eq!(shown("opex-least"), said(&bill["opex"]["least"]), "{example_name}");
        assert_eq!(shown("opex-most"), said(&bill["opex"]["most"]), "{example_name}");
        assert_eq!(shown("unpriced"), Some(bill["unpriced"].to_string()), "{example_name}");
        let values: Vec<&str> = root.elements().iter().filter_map(|node| node.attribute("value")).collect();
        for total in bill["totals"].as_array().expect("totals") {
            let most = total["most"].as_str();
            assert!(most.is_none_or(|most| values.contains(&most)), "{example_name}: {total}");
        }
    }
}

#[test]
fn it_needs_no_network_and_no_script() {
    for example_name in EXAMPLES {
        for (path, text) in written(&example(example_name)).iter().filter(|(path, _)| path.starts_with("report")) {
            let root = xml::read(text).unwrap_or_else(|error| panic!("{path}: {error}"));
            for node in root.elements() {
                assert!(
                    !["script", "link", "img", "iframe", "object"].contains(&node.name()),
                    "{path}: {}",
                    node.name()
                );
                for name in ["href", "src", "xlink:href", "onload", "onclick"] {
                    let leads = node.attribute(name);
                    assert!(leads.is_none_or(|to| name == "href" && to.starts_with('#')), "{path}: {leads:?}");
                }
            }
            assert!(!text.contains("url(") && !text.contains("@import"), "{path}");
        }
    }
}

#[test]
fn it_can_be_read_without_seeing_it() {
    for example_name in EXAMPLES {
        let root = page(&written(&example(example_name)));
        let elements = root.elements();
        let mut before = 0;
        for heading in elements.iter().filter(|node| matches!(node.name(), "h1" | "h2" | "h3" | "h4")) {
            let level = heading.name()[1..].parse::<u32>().expect("a level");
            assert!(level <= before + 1 && (level > 1 || before == 0), "{example_name}: {}", heading.text());
            assert!(!heading.text().trim().is_empty());
            before = level;
        }
        for head in elements.iter().filter(|node| node.name() == "th") {
            assert!(head.attribute("scope").is_some(), "{example_name}: {}", head.text());
        }
        for svg in elements.iter().filter(|node| node.name() == "svg" && node.attribute("aria-hidden").is_none()) {
            let says = |name: &str| svg.elements().iter().any(|node| node.name() == name && !node.text().is_empty());
            assert!(svg.attribute("role") == Some("img") && says("title") && says("desc"), "{example_name}");
        }
        let ids: Vec<&str> = elements.iter().filter_map(|node| node.attribute("id")).collect();
        for to in elements.iter().filter_map(|node| node.attribute("href")) {
            assert!(ids.contains(&&to[1..]), "{example_name}: {to} leads nowhere");
        }
    }
}

#[test]
fn colours_can_be_told_apart() {
    let style = fs::read_to_string("targets/report/style.css.j2").expect("the style");
    let schemes: Vec<&str> = style.split(":root {").skip(1).collect();
    assert_eq!(schemes.len(), 2, "light and dark");
    for scheme in schemes {
        let colour = |name: &str| {
            let after = scheme.split(&format!("--{name}: #")).nth(1).unwrap_or_else(|| panic!("no {name}"));
            let part = |at: usize| f64::from(u8::from_str_radix(&after[at..at + 2], 16).expect("hexadecimal")) / 255.0;
            let linear = |part: f64| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) };
            0.2126 * linear(part(0)) + 0.7152 * linear(part(2)) + 0.0722 * linear(part(4))
        };
        let contrast = |a: &str, b: &str| {
            let (a, b) = (colour(a), colour(b));
            (a.max(b) + 0.05) / (a.min(b) + 0.05)
        };
        for text in ["ink", "soft", "accent", "error", "warning"] {
            assert!(contrast(text, "paper") >= 4.5, "{text} on paper: {}", contrast(text, "paper"));
        }
        for box_of in ["server", "switch", "store", "site", "tint"] {
            for text in ["ink", "soft"] {
                assert!(contrast(text, box_of) >= 4.5, "{text} on {box_of}: {}", contrast(text, box_of));
            }
        }
    }
}

#[test]
fn findings_and_waivers_are_on_it() {
    let source = example("clinic-chat");
    let files = written(&source);
    let text = page(&files).text();
    assert!(text.contains("AIP7080") && text.contains("Nothing is waived."), "{text}");
}

#[test]
fn what_is_not_sized_is_no_zero() {
    let source = "platform p { stage = poc, currency = EUR }\n\
         model m { base = catalog.model.llama-3-1-8b, precision = fp8 }\n\
         site s { provider = on-prem, country = DE }\n\
         pool g { site = site.s, server = catalog.server.dgx-h100, nodes = auto }\n\
         inference w {\n  model = model.m\n  runs_on = pool.g\n  context = 8_192 tok\n\
         \x20 demand { requests = tbd(\"no case\"), prompt = 500 tok, answer = 100 tok }\n}\n";
    let text = page(&written(source)).text();
    assert!(text.contains("the nodes of 1 pool are not known") && text.contains("unknown GPUs"), "{text}");
}

#[test]
fn power_that_nobody_knows_is_no_zero() {
    let source = "platform p { stage = poc, currency = EUR }\n\
         site s { provider = on-prem, country = DE }\n\
         server blind { height = 2 U, max_power = tbd(\"asked\"), gpus = 2 * catalog.gpu.l40s }\n\
         pool g { site = site.s, server = server.blind, nodes = 2 }\n";
    let text = page(&written(source)).text();
    assert!(!text.contains(" 0 kW"), "{text}");
    let some = format!("{source}pool k {{ site = site.s, server = catalog.server.dgx-h100, nodes = 1 }}\n");
    let text = page(&written(&some)).text();
    assert!(text.contains("at least 13.26 kW") && text.contains("heat of the machines at least 11.3 kW"), "{text}");
}

#[test]
fn a_large_platform_has_a_short_report() {
    let mut source = String::from(
        "platform bench { stage = poc, currency = EUR }\n\
         model small { base = catalog.model.llama-3-1-8b, precision = fp8 }\n\
         site hall { provider = on-prem, country = DE, cooling = air }\n\
         pool gpu { site = site.hall, server = catalog.server.dgx-h100, nodes = 3_000 }\n\
         fabric data { technology = ethernet, topology = leaf-spine, speed = 400 Gbps, \
         switch = catalog.switch.sn5600, connects = [pool.gpu] }\n",
    );
    for number in 0..400 {
        let _ = writeln!(
            source,
            "inference w-{number:04} {{ model = model.small, runs_on = pool.gpu, context = 8_192 tok, replicas = 1..2, \
             gpus_per_replica = 1 }}"
        );
    }
    let files = written(&source);
    assert!(files["report.html"].len() < 2_000_000, "{}", files["report.html"].len());
    let text = page(&files).text();
    assert!(text.contains("and 360 more loads, see plan.json"), "{}", &text[..4_000]);
    assert!(text.contains("more racks hall-rack, see plan.json"));
}

#[test]
fn superpod_is_below_two_megabytes() {
    assert!(written(&example("superpod"))["report.html"].len() < 2_000_000);
}
