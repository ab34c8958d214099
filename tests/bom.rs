//! The bill: its quantities are those of the plan and its cabling, sums are equal everywhere, suppliers' quotes are read
//! back whatever they look like.

#[allow(dead_code, reason = "the transcripts of other tests need more of it")]
mod support;

use std::collections::BTreeMap;

use aipc::base::number::Number;
use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::plan::Plan;
use aipc::plan::bill::{Category, Paid, Yearly};
use aipc::target::bom::rows::{self, Row};
use aipc::target::bom::totals;
use proptest::prelude::{Strategy, prop_assert, prop_assert_eq, proptest};
use proptest::test_runner::{Config, TestCaseError};
use support::Test;

/// A platform with everything that a bill can have.
const PLATFORM: &str = r#"
platform p { currency = EUR, stage = poc, as_of = 2026-12-01, needed_by = 2027-06-30, title = "Small, \"quoted\"" }
site s { provider = on-prem, country = DE, power_price = 0.2 EUR/kWh, pue = 1.3 }
rack r { site = site.s, count = auto, height = 48 U, power_limit = 45 kW, feeds = 2 }
pool train { site = site.s, server = catalog.server.dgx-h100, nodes = 4, rack = rack.r, needed_by = 2027-03-31 }
pool cpu { site = site.s, server = catalog.server.cpu-2s-128c, nodes = 2, rack = rack.r }
fabric compute {
  technology = infiniband, topology = rail-optimized, speed = 400 Gbps, switch = catalog.switch.qm9700, fill = exact,
  rack = rack.r, connects = [pool.train]
}
license suite { vendor = "V", product = "Suite", part_number = "S-1", per = gpu, on = [pool.train] }
service install { product = "Installation", per = node }
spare disks { of = disk, share = 5%, least = 2 }
option more { of = catalog.server.dgx-h100, count = 2, until = 2027-12-31, title = "second year" }
quote a {
  vendor = "A", reference = "1", date = 2026-11-01, valid_until = 2027-01-31
  price catalog.server.dgx-h100 { each = 300_000 EUR, discount = 5%, support = 9%, lead_time = 14 weeks, warranty = 3 years, sku = "A-77" }
  price catalog.switch.qm9700 { each = 24_000 USD, lead_time = 10 weeks }
  price license.suite { each = 4_500 EUR/year }
  price service.install { each = 800 EUR }
}
quote b {
  vendor = "B", date = 2026-11-02, valid_until = 2026-11-30
  price catalog.server.dgx-h100 { each = 310_000 EUR, lead_time = 6 weeks, alternates = [catalog.server.dgx-h200] }
}
rate usd { from = USD, to = EUR, value = 0.92, date = 2026-11-30 }
"#;

/// The language wants a line for each attribute where a block has several lines.
fn source(text: &str) -> String {
    let lines = text.lines().map(|line| match line.strip_prefix("  ") {
        Some(rest) if !rest.starts_with("price") => {
            rest.split(", ").map(|part| format!("  {}\n", part.trim_end_matches(','))).collect()
        }
        _ => format!("{line}\n"),
    });
    lines.collect()
}

fn planned<T>(text: &str, look: impl FnOnce(&Plan<'_>) -> T) -> T {
    let package = compile::parse(vec![(String::from("main.aip"), text.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let problems: Vec<_> = compiled.problems.iter().map(|problem| &problem.message).collect();
    look(compiled.plan.as_ref().unwrap_or_else(|| panic!("{problems:#?}\n{text}")))
}

fn line<'r>(rows: &'r [Row<'r>], address: &str, category: Category) -> &'r Row<'r> {
    let mut found = rows.iter().filter(|row| row.address == address && row.category() == category);
    found.next().unwrap_or_else(|| panic!("no {} of {address}", category.word()))
}

#[test]
fn every_sort_of_line_is_there() {
    planned(&source(PLATFORM), |plan| {
        let rows = rows::of(plan, &plan.bill);
        let of = |address: &str, category| line(&rows, address, category);
        let amount = |text: &str| Number::parse(text);
        let train = of("pool.train", Category::Server);
        assert_eq!((train.quantity, train.each()), ((4, 4), amount("285000")));
        assert_eq!(train.order_by.map(|date| date.to_string()).as_deref(), Some("2026-12-23"));
        assert_eq!(of("pool.train", Category::Support).each(), amount("25650"));
        let gpu = of("pool.train", Category::Gpu);
        assert_eq!(
            (gpu.per_parent, gpu.quantity, gpu.each(), gpu.paid()),
            (Some(8), (32, 32), amount("0"), "included")
        );
        assert_eq!(of("fabric.compute", Category::Switch).each(), amount("22080"));
        let suite = of("license.suite", Category::License);
        assert_eq!((suite.quantity.1, suite.paid(), suite.unit()), (32, "yearly", "year"));
        assert_eq!(suite.each(), amount("4500"));
        let install = of("service.install", Category::Service);
        assert_eq!((install.quantity.1, install.paid()), (6, "once"));
        // 5 % of 8 × 4 + 2 × 2 large disks are 2, as is the least of the two sorts of boot disk.
        let disks: Vec<u64> =
            rows.iter().filter(|row| row.address == "spare.disks").map(|row| row.quantity.1).collect();
        assert_eq!(disks, [2, 2, 2]);
        let option = of("option.more", Category::Option);
        assert_eq!((option.paid(), option.each()), ("if drawn", amount("285000")));
        assert_eq!(of("rack.r", Category::Pdu).per_parent, Some(2));
        let bought = [4 * 285_000, 6 * 800].iter().sum::<u64>();
        let switches = of("fabric.compute", Category::Switch).quantity.1 * 22_080;
        let capex = plan.bill.capex.map(|money| money.amount);
        assert_eq!(capex, Some(Number::whole(bought + switches)), "options and spares without a price are not in it");
    });
}

#[test]
fn a_server_is_described_by_the_parts_it_says() {
    let described = |server: &str| {
        let text = format!(
            "platform p {{ currency = EUR }}\nsite s {{ provider = on-prem, country = DE }}\n\
             pool n {{ site = site.s, server = server.big-node, nodes = 1 }}\nserver big-node {{ {server} }}\n"
        );
        planned(&text, |plan| line(&rows::of(plan, &plan.bill), "pool.n", Category::Server).description().to_string())
    };
    assert_eq!(described("height = 2 U"), "Server big-node");
    assert_eq!(described("height = 2 U, memory = 512 GiB"), "Server big-node: 512 GiB memory");
    let gpus = "height = 2 U, gpus = 2 * catalog.gpu.l40s";
    assert_eq!(described(gpus), "Server big-node: 2 × NVIDIA L40S");
}

#[test]
fn a_rack_says_what_fills_it() {
    let filled = |rack: &str| {
        let text = format!(
            "platform p {{ currency = EUR }}\nsite s {{ provider = on-prem, country = DE }}\n\
             rack r {{ {rack} }}\n\
             pool a {{ site = site.s, server = catalog.server.dgx-h100, nodes = 1, rack = rack.r }}\n\
             pool b {{ site = site.s, server = catalog.server.dgx-h100, nodes = 1 }}\n"
        );
        planned(&text, |plan| {
            let derivation = |name: &str| {
                let mut lines = plan.bill.lines.iter().filter(|line| line.category == Category::Rack);
                lines.find(|line| line.description.contains(name)).expect("a rack").derivation.clone()
            };
            (derivation("Rack r,"), derivation("Rack s-rack,"))
        })
    };
    let alone = String::from("racks filled by height alone");
    assert_eq!(filled("site = site.s"), (alone.clone(), alone.clone()));
    let limits = "site = site.s, power_limit = 40 kW, weight_limit = 1_000 kg";
    assert_eq!(filled(limits), (String::from("racks filled by height, power and weight"), alone.clone()));
    let number = "site = site.s, power_limit = 40 kW, nodes_per_rack = 2";
    assert_eq!(filled(number), (String::from("racks filled by height and number of nodes"), alone));
}

#[test]
fn numbers_and_ids_stay_when_something_else_changes() {
    // Another length of a cable is another line.
    let is_kept = |row: &&Row<'_>| !matches!(row.category(), Category::Cable | Category::Fibre | Category::Spare);
    let ids = |text: &str| {
        planned(text, |plan| {
            let rows = rows::of(plan, &plan.bill);
            rows.iter().filter(is_kept).map(|row| (row.id.clone(), row.number.clone())).collect::<BTreeMap<_, _>>()
        })
    };
    let before = ids(&source(PLATFORM));
    let after = ids(&source(&PLATFORM.replace("nodes = 2, rack", "nodes = 3, rack").replace("Suite", "Other")));
    assert_eq!(before, after);
}

#[test]
fn another_quote_prices_the_same_design() {
    planned(&source(PLATFORM), |plan| {
        let quote = plan.model.find(aipc::model::kinds::Kind::Quote, "b").expect("the quote");
        let bill = aipc::plan::bill::with_quote(plan, quote);
        let (before, after) = (rows::of(plan, &plan.bill), rows::of(plan, &bill));
        let server = |rows: &[Row<'_>]| line(rows, "pool.train", Category::Server).each();
        assert_eq!((server(&before), server(&after)), (Number::parse("285000"), Number::parse("310000")));
        let switch = |rows: &[Row<'_>]| line(rows, "fabric.compute", Category::Switch).each();
        assert_eq!(switch(&before), switch(&after), "what the quote does not price stays");
    });
}

/// Sums of lines, of categories and of the plan; quantities of the cabling and of the fabrics.
fn agrees(text: &str) -> Result<(), TestCaseError> {
    planned(text, |plan| {
        let rows = rows::of(plan, &plan.bill);
        let sum = |paid: Paid| {
            let mine = totals::of(&rows).into_iter().filter(|sum| sum.paid == paid);
            mine.filter_map(|sum| sum.most).fold(Number::ZERO, |sum, more| sum.plus(more).unwrap_or(sum))
        };
        if let Some(capex) = plan.bill.capex {
            prop_assert_eq!(sum(Paid::Once), capex.amount);
        }
        if let Some(Yearly { most, .. }) = plan.bill.opex {
            prop_assert_eq!(sum(Paid::Yearly), most.amount);
        }
        for fabric in plan.fabrics.values() {
            let address = plan.model.address(fabric.id.block());
            let count = |categories: &[Category]| -> u64 {
                let mine = rows.iter().filter(|row| row.address == address && categories.contains(&row.category()));
                mine.map(|row| row.quantity.1).sum()
            };
            let cables = plan.cabling.cables.iter().filter(|cable| cable.fabric == fabric.id);
            let (mut number, mut links) = (0, 0);
            cables.for_each(|cable| (number, links) = (number + 1, links + cable.links()));
            prop_assert_eq!(count(&[Category::Cable, Category::Fibre]), number);
            prop_assert_eq!(links, fabric.wiring.links.len() as u64, "every link has its cable");
            let modules = plan.cabling.modules.iter().filter(|module| module.fabric == fabric.id).count();
            prop_assert_eq!(count(&[Category::Optic]), modules as u64);
            let switches = fabric.count.as_ref().map_or(0, |count| count.switches());
            prop_assert_eq!(count(&[Category::Switch]), switches);
        }
        for pool in plan.pools.values() {
            let address = plan.model.address(pool.id.block());
            let of = |category| {
                let mine = rows.iter().filter(|row| row.address == address && row.category() == category);
                mine.map(|row| row.quantity.1).sum::<u64>()
            };
            prop_assert_eq!((of(Category::Server), of(Category::Gpu)), (pool.nodes.high, pool.gpus));
        }
        let ids: std::collections::BTreeSet<&str> = rows.iter().map(|row| &*row.id).collect();
        prop_assert_eq!(ids.len(), rows.len(), "an id stands twice");
        prop_assert!(rows.iter().all(|row| row.extended(row.quantity.1).is_some() || !row.open.is_empty()));
        Ok(())
    })
}

fn platforms() -> impl Strategy<Value = String> {
    let fabric = proptest::sample::select(vec!["rail-optimized", "leaf-spine"]);
    (1u64..40, 0u64..9, fabric, proptest::bool::ANY, 1u64..20, 0u64..100).prop_map(
        |(nodes, others, topology, exact, spare, discount)| {
            let fill = if exact { "exact" } else { "scalable-unit" };
            let text = PLATFORM
                .replace("nodes = 4", &format!("nodes = {nodes}"))
                .replace("nodes = 2", &format!("nodes = {others}"))
                .replace("topology = rail-optimized", &format!("topology = {topology}"))
                .replace("fill = exact", &format!("fill = {fill}"))
                .replace("share = 5%", &format!("share = {spare}%"))
                .replace("discount = 5%", &format!("discount = {discount}%"));
            source(&text)
        },
    )
}

proptest! {
    #![proptest_config(Config { cases: 12, failure_persistence: None, ..Config::default() })]

    #[test]
    fn the_bill_is_the_plan_in_lines(text in platforms()) {
        agrees(&text)?;
    }
}

#[test]
fn the_bill_is_printed_as_it_is_built() {
    let test = Test::new().file("main.aip", source(PLATFORM));
    let printed = test.run(&["bom", "--format", "csv"]).status(0).stdout;
    test.run(&["build", "--out", "out"]).status(0);
    assert_eq!(printed, test.read("out/bom/bom.csv"));
}

#[test]
fn a_request_has_no_price_and_comes_back() {
    let test = Test::new().file("main.aip", source(PLATFORM));
    let asked = test.run(&["bom", "--rfq", "--format", "csv"]).status(0).stdout;
    assert!(asked.contains("NVIDIA DGX H100, or equivalent") && asked.contains("2027-03-31"), "{asked}");
    for price in ["300000", "285000", "24000", "4500"] {
        assert!(!asked.contains(price), "{price} is in the request");
    }
    let shown = test.run(&["bom", "--rfq", "--format", "markdown"]).status(0).stdout;
    assert!(shown.starts_with("| lot | line |"), "{shown}");
    test.run(&["bom", "--rfq", "--format", "xlsx", "--out", "rfq.xlsx"]).status(0);
    test.write("rfq.csv", &asked);
    for file in ["rfq.csv", "rfq.xlsx"] {
        let back = test.run(&["bom", "--compare", file, "--format", "json"]).status(1).json();
        let found = back["differences"].as_array().expect("a list");
        assert!(found.iter().all(|one| one["difference"] == "price" || one["difference"] == "support"), "{found:#?}");
        assert_eq!(found.iter().filter(|one| one["difference"] == "support").count(), 1);
    }
}

#[test]
fn our_own_bill_is_no_different() {
    let test = Test::new().file("main.aip", source(PLATFORM));
    test.run(&["build", "--out", "out"]).status(0);
    for file in ["out/bom/bom.csv", "out/bom/bom.xlsx"] {
        let back = test.run(&["bom", "--compare", file]).status(0).stdout;
        assert!(back.starts_with("the quote is what the bill says"), "{back}");
    }
}

#[test]
fn a_quote_in_any_order_is_read() {
    let test = Test::new().file("main.aip", source(PLATFORM));
    let found = |text: &str, more: &[&str]| {
        test.write("quote.csv", text);
        let ran = test.run(&[&["bom", "--compare", "quote.csv", "--format", "json"], more].concat());
        let list = ran.json()["differences"].as_array().expect("a list").clone();
        let word = |one: &serde_json::Value, key: &str| one[key].as_str().unwrap_or_default().to_string();
        let all = list.iter().map(|one| (word(one, "difference"), word(one, "description"), word(one, "quote")));
        all.filter(|(what, ..)| what != "missing").collect::<Vec<_>>()
    };
    let switches = planned(&source(PLATFORM), |plan| {
        line(&rows::of(plan, &plan.bill), "fabric.compute", Category::Switch).quantity.1
    });
    let same = "ACME Ltd;;;\nQuote 77;;;\n\nEinzelpreis;Währung;Menge;Support;Bezeichnung;Part Number\n\
                24.000,00;USD;SWITCHES;;switch;mqm9700 ns2f\n285.000,00;EUR;4;9%;NVIDIA DGX H100;\n;;;;Sum;\n";
    let same = same.replace("SWITCHES", &switches.to_string());
    assert_eq!(found(&same, &[]), []);
    let other = same.replace(";4;", ";5;").replace("24.000,00;USD", "22.080,10;EUR").replace("Sum;", "A rack;X-9");
    let wrong = found(&other, &[]);
    let of = |what: &str| wrong.iter().find(|(found, ..)| found == what).unwrap_or_else(|| panic!("{wrong:?}"));
    assert_eq!(of("quantity").2, "5");
    assert_eq!(of("price").2, "22_080.1 EUR");
    assert_eq!(of("extra").1, "X-9, A rack");
    let unclear = found("qty,description,price,support\n4,NVIDIA DGX H100,\"285,000\",9\n", &[]);
    assert_eq!(unclear, [("price".into(), "NVIDIA DGX H100".into(), "unclear: `285,000`".into())]);
    let foreign = found("qty\tdescription\tprice\tsupport\n4\tNVIDIA DGX H100\tGBP 1\t9%\n", &[]);
    assert!(foreign[0].0 == "currency" && foreign[0].2.contains("no rate"), "{foreign:?}");
}

#[test]
fn a_line_is_known_by_its_words_when_the_numbers_have_moved() {
    let test = Test::new().file("main.aip", source(PLATFORM));
    // The number is that of the other pool by now; nobody kept our ids.
    let number = planned(&source(PLATFORM), |plan| {
        line(&rows::of(plan, &plan.bill), "pool.cpu", Category::Server).number.clone()
    });
    test.write("quote.csv", format!("line,description,quantity,unit price,currency,support\n{number},\"NVIDIA DGX H100, or equivalent\",4,285000,EUR,9%\n"));
    let back = test.run(&["bom", "--compare", "quote.csv", "--format", "json"]).status(1).json();
    let found = back["differences"].as_array().expect("a list");
    assert!(found.iter().all(|one| one["difference"] == "missing"), "{found:#?}");
}

#[test]
fn a_file_that_is_no_quote_is_refused_with_help() {
    let test = Test::new().file("main.aip", source(PLATFORM));
    let zip = b"PK\x03\x04 and nothing that follows";
    let files: [(&str, &[u8]); 9] = [
        ("empty", b""),
        ("binary", &[0, 159, 146, 150, 0, 1]),
        ("zip", zip),
        ("old", &[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]),
        ("latin", b"qty;price;description\n1;2;K\xFChlung\n"),
        ("wide", b"\xFF\xFEq\0t\0y\0"),
        ("prose", b"We are happy to offer what you need.\n"),
        ("open", b"\"qty,description\n1,2\n"),
        ("other", b"a,b,c\n=1+1,@x,-2\n"),
    ];
    for (name, bytes) in files {
        test.write(name, bytes);
        let ran = test.run(&["bom", "--compare", name]).status(2);
        assert!(
            ran.stderr.starts_with("error: cannot read") && ran.stderr.contains("help: "),
            "{name}: {}",
            ran.stderr
        );
    }
    test.run(&["bom", "--compare", "absent.csv"]).status(2);
    test.write("formulas", b"part number,quantity,unit price\nMQM9700-NS2F,=6,=HYPERLINK(\"x\")\n");
    let ran = test.run(&["bom", "--compare", "formulas"]).status(1);
    assert!(ran.stdout.contains("unclear: `=6`"), "{}", ran.stdout);
}

#[test]
fn quotes_stand_side_by_side() {
    let test = Test::new().file("main.aip", source(PLATFORM));
    let shown = test.run(&["bom", "--quotes"]).status(0).stdout;
    assert!(shown.contains("2026-11-30, which is over") && shown.contains("lowest known price counts"), "{shown}");
    let shown = test.run(&["bom", "--quote", "b"]).status(0).stdout;
    assert!(shown.contains("310_000 EUR") && shown.contains("priced by `quote.b`"), "{shown}");
    let refused = test.run(&["bom", "--quote", "nobody"]).status(2).stderr;
    assert!(refused.contains("the package has `a` and `b`"), "{refused}");
}

#[test]
fn an_amount_that_nobody_knows_is_no_number() {
    let text = source(PLATFORM).replace(", pue = 1.3", ", pue = tbd(\"the operator is asked\")");
    planned(&text, |plan| {
        let rows = rows::of(plan, &plan.bill);
        let energy = line(&rows, "site.s", Category::Energy);
        assert!(!energy.is_counted() && energy.each().is_none());
    });
}
