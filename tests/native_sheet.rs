//! The bill of materials before its own judges: LibreOffice computes the workbook, sums meet the plan's.

#![allow(clippy::print_stdout, reason = "a skipped test says so")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use aipc::base::number::Number;
use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::target::template::Templates;

/// What the target wrote, and the sums of the plan: to buy, to run at least and at most.
struct Bill {
    files: BTreeMap<String, Vec<u8>>,
    lines: Vec<(usize, String)>,
    capex: Option<Number>,
    opex: Option<(Number, Number)>,
}

fn compile(text: &str) -> Bill {
    let package = compile::parse(vec![(String::from("main.aip"), text.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let errors: Vec<_> = compiled.problems.iter().filter(|problem| problem.severity.word() == "error").collect();
    assert!(compiled.plan.is_some(), "{errors:#?}");
    let plan = compiled.plan.as_ref().expect("it has one");
    let (files, problems) = compile::emit(plan, compiled.judged(), &[String::from("bom")], &Templates::shipped());
    assert!(!problems.has_errors(), "{problems:?}");
    Bill {
        lines: files.get("bom/bom.csv").expect("a CSV file").lines.clone(),
        files: files.iter().map(|(path, file)| (path.to_string(), file.bytes.clone())).collect(),
        capex: plan.bill.capex.map(|money| money.amount),
        opex: plan.bill.opex.map(|year| (year.least.amount, year.most.amount)),
    }
}

fn example(name: &str) -> String {
    fs::read_to_string(format!("examples/{name}/main.aip")).expect("an example")
}

/// Lines with a price, one without, one in other money, and texts that want to be something else.
const HOSTILE: &str = r#"
## =HYPERLINK("http://evil.example";"click")
platform hostile {
  owner    = "<r><t>bold</t></r>"
  title    = "=1+1"
  currency = EUR
}
tenant team { owner = "@acme/ai, \"quoted\"", cost_center = "00123", title = "_x0041_ & <b>" }
site room { provider = on-prem, country = DE, power_price = 0.19 EUR/kWh, pue = 1.3 }
## -2+3+cmd|' /C calc'!A0
pool train { site = site.room, server = catalog.server.dgx-h100, nodes = 3, tenant = tenant.team }
pool cpu { site = site.room, server = catalog.server.cpu-2s-128c, nodes = 2 }
pool control { site = site.room, server = catalog.server.management-1s, nodes = 2 }
quote seller {
  vendor    = "+Seller"
  reference = "'=x"
  price catalog.server.dgx-h100 { each = 301_234.56 EUR, discount = 3%, support = 9%, lead_time = 14 weeks }
  price catalog.server.cpu-2s-128c { each = 20_000 USD }
  price catalog.server.management-1s { each = tbd("=later") }
}
"#;

/// Cells of a CSV file, guards taken off.
fn cells(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => cell.extend(characters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            other => cell.push(other),
        }
    }
    assert!(!quoted && cell.is_empty() && row.is_empty(), "the file ends with a whole line");
    for cell in rows.iter_mut().flatten() {
        if let Some(text) = cell.strip_prefix('\'') {
            *cell = text.to_string();
        }
    }
    rows
}

fn csv(bill: &Bill) -> Vec<BTreeMap<String, String>> {
    let text = String::from_utf8(bill.files["bom/bom.csv"].clone()).expect("UTF-8");
    let mut rows = cells(&text).into_iter();
    let head = rows.next().expect("a line of titles");
    rows.map(|row| {
        assert_eq!(row.len(), head.len(), "{row:?}");
        head.iter().cloned().zip(row).collect()
    })
    .collect()
}

fn sum(rows: &[BTreeMap<String, String>], paid: &str, column: &str) -> Number {
    let mine = rows.iter().filter(|row| row["paid"] == paid && !row[column].is_empty());
    let amounts = mine.map(|row| Number::parse(&row[column]).expect("a number"));
    amounts.fold(Number::ZERO, |sum, amount| sum.plus(amount).expect("a sum"))
}

#[test]
fn the_lines_add_up_to_the_sums_of_the_plan() {
    for text in [example("aurora"), String::from(HOSTILE)] {
        let bill = compile(&text);
        let rows = csv(&bill);
        assert_eq!(Some(sum(&rows, "once", "extended")), bill.capex);
        let opex = (sum(&rows, "yearly", "extended_least"), sum(&rows, "yearly", "extended"));
        assert_eq!(Some(opex), bill.opex);
    }
}

#[test]
fn nothing_unknown_is_a_zero() {
    let rows = csv(&compile(HOSTILE));
    let of = |address: &str| rows.iter().find(|row| row["address"] == address).expect("a line");
    let (cpu, control) = (of("pool.cpu"), of("pool.control"));
    assert_eq!((&*control["unit_price"], &*control["extended"]), ("", ""));
    assert_eq!(control["open"], "to be decided: =later");
    assert_eq!((&*cpu["list_price"], &*cpu["list_currency"]), ("20000", "USD"));
    assert_eq!((&*cpu["unit_price"], &*cpu["extended"]), ("", ""));
    assert!(cpu["open"].contains("not in the sums"), "{}", cpu["open"]);
}

#[test]
fn texts_are_in_both_files_as_the_source_said_them() {
    let bill = compile(HOSTILE);
    let rows = csv(&bill);
    let json: serde_json::Value = serde_json::from_slice(&bill.files["bom/bom.json"]).expect("JSON");
    assert_eq!(json["platform"]["title"], "=1+1");
    for (row, line) in rows.iter().zip(json["lines"].as_array().expect("lines")) {
        for (key, text) in row {
            match &line[key] {
                serde_json::Value::Null => assert_eq!(text, ""),
                serde_json::Value::String(other) => assert_eq!(text, other),
                number => assert_eq!(text.parse().ok(), number.as_f64(), "{key}"),
            }
        }
    }
    let train = &rows[rows.iter().position(|row| row["address"] == "pool.train").expect("a line")];
    assert_eq!((&*train["quote_vendor"], &*train["quote_reference"]), ("+Seller", "'=x"));
    assert_eq!((&*train["tenant_owner"], &*train["cost_center"]), ("@acme/ai, \"quoted\"", "00123"));
    assert_eq!(train["notes"], "-2+3+cmd|' /C calc'!A0");
}

#[test]
fn support_stands_below_what_it_supports() {
    let rows = csv(&compile(HOSTILE));
    let numbers: Vec<&str> =
        rows.iter().filter(|row| row["address"] == "pool.train").map(|row| &*row["line"]).collect();
    assert_eq!(numbers[..3], ["1030", "1030.1", "1030.2"]);
    let of = |number: &str| rows.iter().find(|row| row["line"] == number).expect("a line");
    let (server, support, gpu) = (of("1030"), of("1030.1"), of("1030.2"));
    assert_eq!((&*support["parent"], &*support["paid"], &*support["quantity"]), ("1030", "yearly", "3"));
    assert_eq!((&*gpu["category"], &*gpu["per_parent"], &*gpu["quantity"]), ("gpu", "8", "24"));
    assert_eq!((&*gpu["paid"], &*gpu["extended"], &*gpu["price_source"]), ("included", "0", "in the price of 1030"));
    // 301,234.56 less 3 %, and 9 % of that a year.
    assert_eq!((&*server["discount"], &*server["unit_price"]), ("0.03", "292197.5232"));
    assert_eq!(support["unit_price"], "26297.777088");
}

#[test]
fn lines_of_the_file_lead_to_addresses() {
    let bill = compile(HOSTILE);
    let text = String::from_utf8(bill.files["bom/bom.csv"].clone()).expect("UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(bill.lines.len(), csv(&bill).len());
    for (number, address) in &bill.lines {
        assert!(lines[number - 1].contains(&format!("\"{address}\"")), "{number} {address}");
    }
}

#[test]
fn two_runs_write_the_same_bytes() {
    for text in [example("aurora"), String::from(HOSTILE)] {
        let (first, second) = (compile(&text).files, compile(&text).files);
        assert_eq!(
            first.keys().collect::<Vec<_>>(),
            ["bom/bom.cdx.json", "bom/bom.csv", "bom/bom.json", "bom/bom.xlsx"]
        );
        for (path, bytes) in &first {
            assert!(bytes == &second[path], "{path} differs");
        }
    }
}

#[test]
fn libreoffice_computes_what_the_workbook_says() {
    let rows = csv(&compile(HOSTILE));
    let in_column = |pool: &str, key: &str, text: &str| {
        let address = format!("pool.{pool}");
        let row = rows.iter().position(|row| row["address"] == address).expect("a line") + 2;
        format!("BOM!{}{row}={text}", letters(position(key)))
    };
    let wishes = [
        "Summary!B2=hostile",
        "Summary!B3==1+1",
        "Summary!B4=<r><t>bold</t></r>",
        &in_column("train", "quote_vendor", "+Seller"),
        &in_column("train", "quote_reference", "'=x"),
        &in_column("train", "tenant_owner", "@acme/ai, \"quoted\""),
        &in_column("train", "notes", "-2+3+cmd|' /C calc'!A0"),
        "Notes!B4=_x0041_ & <b>",
        // 3 × 301,234.56 EUR less 3 %, and 9 % of that a year and 3 servers' energy.
        "Summary!B8=876592.5696",
    ];
    judge("hostile", HOSTILE, &wishes);
    for name in ["aurora", "clinic-chat", "superpod"] {
        judge(name, &example(name), &[]);
    }
}

/// The position of a column of the bill.
fn position(key: &str) -> usize {
    let text = String::from_utf8(compile(HOSTILE).files["bom/bom.csv"].clone()).expect("UTF-8");
    cells(&text).first().expect("titles").iter().position(|title| title == key).expect("a column")
}

/// The letters of a column.
fn letters(position: usize) -> String {
    let letter = |index: usize| char::from(b'A' + u8::try_from(index).expect("one letter"));
    match position.checked_sub(26) {
        None => letter(position).to_string(),
        Some(rest) => [letter(rest / 26), letter(rest % 26)].iter().collect(),
    }
}

/// Gives the workbook to `sheet_check.py`; a missing tool is a failure where tools are required.
fn judge(name: &str, text: &str, wishes: &[&str]) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("sheet-{name}"));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("bom.xlsx");
    fs::write(&path, &compile(text).files["bom/bom.xlsx"]).expect("a file");
    let python = env::var("AIPC_PYTHON").unwrap_or_else(|_| String::from("python3"));
    let expected = wishes.iter().flat_map(|wish| ["--expect", wish]);
    let script = "tests/conformance/sheet_check.py";
    let run = Command::new(python).arg(script).arg(&path).args(expected).output();
    let required = env::var("AIPC_REQUIRE_TOOLS").is_ok_and(|value| value == "1");
    match run {
        Ok(done) if done.status.code() == Some(77) || done.status.code().is_none() => {
            let said = String::from_utf8_lossy(&done.stdout).to_string();
            assert!(!required, "{name}: {said}");
            println!("{name}: {said}");
        }
        Ok(done) => {
            let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
            assert!(done.status.success(), "{name}: {out}{err}");
        }
        Err(error) => {
            assert!(!required, "{name}: skipped: no Python: {error}");
            println!("{name}: skipped: no Python: {error}");
        }
    }
}

#[test]
fn a_text_of_ten_kilobytes_is_whole_and_a_longer_one_is_cut_with_a_warning() {
    let with = |length: usize| HOSTILE.replace("=1+1", &"x".repeat(length));
    let emitted = |text: &str| {
        let package = compile::parse(vec![(String::from("main.aip"), text.to_string())], &[]);
        let (options, catalogue) = (Options::default(), Catalogue::new());
        let compiled = compile::check(&package, &options, &catalogue);
        let plan = compiled.plan.as_ref().expect("a plan");
        let (files, problems) = compile::emit(plan, compiled.judged(), &[String::from("bom")], &Templates::shipped());
        let json = files.get("bom/bom.json").expect("a JSON file").bytes.clone();
        let codes: Vec<String> = problems.iter().map(|problem| problem.code.to_string()).collect();
        (String::from_utf8(json).expect("UTF-8"), codes)
    };
    assert_eq!(emitted(&with(10_000)).1, Vec::<String>::new());
    let (json, codes) = emitted(&with(40_000));
    // Once in the summary, once among the notes.
    assert_eq!(codes, ["AIP6401", "AIP6401"]);
    assert!(json.contains(&"x".repeat(40_000)));
}
