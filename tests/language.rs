//! The language, ruling by ruling: small packages that assert in the language itself, and the codes of what is refused.

use aipc::base::date::Date;
use aipc::base::diagnostic::Diagnostic;
use aipc::base::span::SourceId;
use aipc::catalog::Catalogue;
use aipc::compile::{Options, Package, check, parse};
use aipc::fmt::format;
use aipc::model::kinds::Kind;
use aipc::model::value::Value;
use aipc::syntax::shape::shape;

/// A package that needs nothing else: one pool of eight nodes, an empty one, a storage and a quote.
const FRAME: &str = r#"
platform p {
  owner    = "ops@acme.example"
  stage    = poc
  currency = EUR
  as_of    = 2026-12-01
}

site dc {
  provider    = on-prem
  country     = DE
  cooling     = air
  power_limit = 500 kW
  power_price = 0.19 EUR/kWh
  pue         = 1.4
}

pool train {
  site   = site.dc
  server = catalog.server.dgx-h200
  nodes  = 8
}

pool cpu {
  site   = site.dc
  server = catalog.server.dgx-h200
  nodes  = 2..6
}

storage fast {
  tier     = hot
  kind     = lustre
  site     = site.dc
  capacity = 1 PB
}

quote vendor-a {
  vendor = "Vendor A"
  date = 2026-11-02
  price catalog.server.dgx-h200 {
    each = 310_000 EUR
  }
  price catalog.switch.qm9700 {
    each = tbd("no answer yet")
  }
}

cluster hpc {
  scheduler = slurm
  version   = "25.11"
  pools     = [pool.train, pool.cpu]

  partition debug {
    pools    = [pool.train]
    max_time = 30 min
  }
}
"#;

/// What a run is asked besides the package.
#[derive(Clone, Copy, Default)]
struct Run<'a> {
    environment: Option<&'a str>,
    set: &'a [&'a str],
    as_of: Option<&'a str>,
}

/// The package as written.
const BASE: Run<'static> = Run { environment: None, set: &[], as_of: None };

/// The environment `x`.
const IN_X: Run<'static> = Run { environment: Some("x"), set: &[], as_of: None };

impl Run<'_> {
    /// What is found in a package, with the package.
    fn of(&self, texts: Vec<(String, String)>) -> (Package, Vec<Diagnostic>) {
        let set: Vec<String> = self.set.iter().map(|one| (*one).to_string()).collect();
        let package = parse(texts, &set);
        let as_of = self.as_of.and_then(Date::parse);
        let options = Options { environment: self.environment.map(str::to_string), as_of, ..Options::default() };
        let catalogue = Catalogue::new();
        let found = check(&package, &options, &catalogue).problems.into_iter().collect();
        (package, found)
    }

    /// What is said of the frame with a text behind it: mistakes of the language, the user's own checks and waivers, no
    /// rules about platforms.
    fn said(&self, text: &str) -> Vec<String> {
        check_format(text);
        let (package, found) = self.of(vec![(String::from("main.aip"), format!("{FRAME}{text}"))]);
        found.iter().filter(|problem| is_of_the_language(problem)).map(|problem| line(&package, problem)).collect()
    }

    /// The text is fine and all it asserts holds.
    fn holds(&self, text: &str) {
        let said = self.said(text);
        assert!(said.is_empty(), "{text}\n{said:#?}");
    }

    /// Exactly these codes are found, each once.
    fn finds(&self, text: &str, codes: &str) {
        let said = self.said(text);
        let found: Vec<&str> = said.iter().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(found.join(" "), codes, "{text}\n{said:#?}");
    }
}

fn is_of_the_language(problem: &Diagnostic) -> bool {
    let code = problem.code.0;
    code < 3000 || (7080..=7090).contains(&code)
}

fn line(package: &Package, problem: &Diagnostic) -> String {
    format!("{} {} {}", problem.code, package.sources.place(problem.primary()), problem.message)
}

/// Formatting what can be parsed changes no meaning, and a second time nothing at all.
fn check_format(text: &str) {
    let Ok(once) = format(SourceId(0), text) else { return };
    let twice = format(SourceId(0), &once).unwrap_or_default();
    assert_eq!(once, twice, "formatting twice");
    let shape_of = |text: &str| shape(text, &aipc::syntax::parse(SourceId(0), text).0);
    assert_eq!(shape_of(text), shape_of(&once), "formatting changes a meaning");
}

/// Each of these is true.
fn assert_all(assertions: &[&str]) {
    for assertion in assertions {
        BASE.holds(&format!("check a {{ assert = {assertion}, message = \"\" }}\n"));
    }
}

/// Each of these, as an assertion, gives this code and no other.
fn refuse_all(assertions: &[(&str, &str)]) {
    for (assertion, code) in assertions {
        BASE.finds(&format!("check a {{ assert = {assertion}, message = \"\" }}\n"), code);
    }
}

const NODE: &str = "site = site.dc, server = catalog.server.dgx-h200";

#[test]
fn ruling_01_words_hyphens_and_reserved_names() {
    assert_all(&["5 - 3 == 2", "10 - 2 - 3 == 5", "1\n  - 1 == 0", "quote.vendor-a.name == \"vendor-a\""]);
    refuse_all(&[("5 -3 == 2", "AIP0011"), ("5- 3 == 2", "AIP0011")]);
    for name in ["and", "or", "not", "in", "for", "if", "true", "false", "null", "auto", "tbd"] {
        let said = BASE.said(&format!("pool {name} {{ {NODE}, nodes = 1 }}\n"));
        assert_eq!(said.len(), 1, "{name}: {said:#?}");
    }
    for name in ["in", "tbd", "auto", "null"] {
        BASE.finds(&format!("let {{ {name} = 3 }}\n"), "AIP0017");
    }
    for name in ["b--c", "bc-", "B", "b_c"] {
        BASE.finds(&format!("pool {name} {{ {NODE}, nodes = 1 }}\n"), "AIP0016");
    }
    BASE.finds("let { b--c = 3 }\n", "AIP0016");
}

#[test]
fn ruling_02_references_and_bare_words() {
    assert_all(&[
        "platform.p.stage == poc",
        "poc == platform.p.stage",
        "platform.p.stage != production",
        "platform.p.stage in [poc, pilot]",
        "platform.p.stage not in [hardening, production]",
        "platform.p.stage == (1 == 1 ? poc : pilot)",
        "site.dc.country == DE and platform.p.currency == EUR",
        "[for x in [1, 2] : x + 1] == [2, 3]",
    ]);
    refuse_all(&[
        ("platform.p.stage == pocc", "AIP1010"),
        ("platform.p.stage in [poc, pilott]", "AIP1010"),
        ("platform.p.stage not in [pilott]", "AIP1010"),
        ("platform.p.stage == (1 == 1 ? pocc : pilot)", "AIP1010"),
        ("site.dc.country == XX", "AIP1010"),
        ("site.dc.country == de", "AIP1010"),
        ("\"${foo}\" == \"foo\"", "AIP1003"),
        ("len([foo]) == 1", "AIP1010"),
        ("pool.nope.nodes == 1", "AIP1003"),
        ("pool.train.nodez == 1", "AIP1002"),
        ("sum([for pool in [1, 2] : pool]) == 3", "AIP1019"),
        ("sum([for hot in [1, 2] : hot]) == 3", "AIP1019"),
        ("sum([for catalog in [1, 2] : catalog]) == 3", "AIP1019"),
    ]);
    BASE.finds("rule a for pool in all.pool { assert = true, message = \"\" }\n", "AIP1019");
    BASE.finds("rule a for hot in all.pool { assert = true, message = \"\" }\n", "AIP1019");
    BASE.finds(&format!("pool r for hot in [\"a\"] {{ {NODE}, nodes = 1 }}\n"), "AIP1019");
    BASE.finds("let { tier = hto }\n", "AIP1010");
    BASE.holds("let { t = hot }\ncheck a { assert = storage.fast.tier == let.t, message = \"\" }\n");
    BASE.finds("site e { provider = on-prem, country = de }\n", "AIP1010");
    BASE.finds("storage s { tier = hott, kind = lustre, site = site.dc, capacity = 1 TB }\n", "AIP1010");
}

#[test]
fn ruling_03_tagged_words() {
    BASE.holds(
        "storage s { tier = hot, kind = lustre, site = site.dc, capacity = 1 TB, redundancy = erasure(8, 2) }\n",
    );
    BASE.holds("flow f { from = internet, to = pool.train, ports = [tcp(443)] }\n");
    BASE.finds("flow f { from = internett, to = pool.train, ports = [tcp(443)] }\n", "AIP1010");
    refuse_all(&[("foo(3) == 3", "AIP1012"), ("summ([1]) == 1", "AIP1012")]);
    BASE.finds("let { x = foo(3) }\n", "AIP1012");
}

#[test]
fn ruling_04_layout() {
    assert_all(&["sum([\n  1,\n  2,\n]) == 3\n  and 1 == 1", "(1 +\n  2) == 3", "min(\n  1,\n  2,\n) == 1"]);
    BASE.holds("let { a = 3, b = 4, }\nlet {\n  c = [1, 2,]\n  d = { x = 1, y = 2, }\n}\n");
    BASE.holds("check a {\n  assert =\n    1 == 1\n  message = \"\"\n}\n");
    BASE.finds("platform q { currency = EUR }\n", "AIP1022");
    let text = format!("{FRAME}check a {{ assert = 1 == 1, message = \"\" }}\n");
    let windows = format!("\u{FEFF}{}", text.replace('\n', "\r\n"));
    let (_, found) = BASE.of(vec![(String::from("main.aip"), windows)]);
    assert!(!found.iter().any(is_of_the_language), "{found:#?}");
}

#[test]
fn ruling_04_documents() {
    let package = parse(
        vec![(String::from("main.aip"), format!("## The whole.\n\n{FRAME}## A part.\npool d {{ {NODE} }}\n"))],
        &[],
    );
    let (catalogue, options) = (Catalogue::new(), Options::default());
    let compiled = check(&package, &options, &catalogue);
    let pool = compiled.model.find(Kind::Pool, "d").map(|id| compiled.model.block(id).doc.to_string());
    assert_eq!((compiled.model.doc.as_str(), pool.as_deref()), ("The whole.", Some("A part.")));
}

#[test]
fn a_folder_is_one_package_in_any_order() {
    let blocks: Vec<&str> = FRAME.split("\n\n").filter(|block| !block.trim().is_empty()).collect();
    // A sub-block stands behind a blank line in the frame, so halves are cut at a block of the top level.
    let at = blocks.iter().position(|block| block.starts_with("storage")).expect("the frame has a storage");
    let halves = [blocks[..at].join("\n\n"), blocks[at..].join("\n\n")];
    for order in [[0, 1], [1, 0]] {
        let texts = order.map(|half| (format!("{half}.aip"), format!("{}\n", halves[half]))).to_vec();
        let (package, found) = BASE.of(texts);
        let said: Vec<String> =
            found.iter().filter(|one| is_of_the_language(one)).map(|one| line(&package, one)).collect();
        assert!(said.is_empty(), "{said:#?}");
    }
}

#[test]
fn ruling_05_quantities() {
    assert_all(&[
        "4.2 million EUR == 4_200_000 EUR and 4.2million EUR == 4.2 million EUR",
        "70 billion == 70_000_000_000 and 2 trillion tok == 2_000 billion tok",
        "10 GB == 10_000_000_000 B and 1 GiB == 1_073_741_824 B and 8 Gbps == 1 GB/s",
        "1 year == 365 d and 1 year == 8_760 h and 12 months == 1 year",
        "99.9% == 0.999 and 50% * 4 == 2",
        "20/month * 1 year == 240 and 20/month == 240/year",
        "ceil(20/month * 1 year) == 240 and floor(20/month * 1 year) == 240",
        "0.19 EUR/kWh * 10 kW * 2 h == 3.8 EUR",
        "120 EUR / 1 year == 10 EUR/month",
        "1_300 tok/s * 10 s == 13_000 tok and 8 TB/month * 12 months == 96 TB",
        "8 TB / 2 == 4 TB and 8 TB / 2 TB == 4 and pool.train.nodes / 2 == 4",
        "1 day - 1 h == 23 h and 2027-03-31 > 2026-12-31",
        "2:1 == 4:2 and 2:1 < 3:1 and 3:2 != 1:1",
        "3 in 2..6 and 1 TB in 1..2 TB and 7 not in 2..6",
        "\"${100 GB / 10 s} ${12 EUR / 1 month} ${3 tok/s * 10 s} ${10 kW * 2 h}\" == \"10 GB/s 12 EUR/month 30 tok 20 kWh\"",
        "\"${0.19 EUR/kWh * 10 kWh} ${31_500 EUR} ${99.9%} ${20/month}\" == \"1.9 EUR 31_500 EUR 99.9% 20/month\"",
    ]);
    refuse_all(&[
        ("8 TB/2 == 4 TB", "AIP0012"),
        ("10/2 == 5", "AIP0012"),
        ("1 h 30 min == 90 min", "AIP0010"),
        ("1e6 == 1", "AIP0009"),
        ("6..2 == 3", "AIP2015"),
        ("3 kW == 3 h", "AIP2005"),
        ("3 kW + 3 h > 1 h", "AIP2005"),
        ("3 EUR > 2 USD", "AIP2004"),
        ("10 EUR / 5 USD == 2", "AIP2004"),
        ("3 Gb == 3 GB", "AIP2002"),
        ("2027-02-31 > 2026-12-31", "AIP2017"),
        ("1 / 0 == 1", "AIP2007"),
        ("\"${10 kW * 10 kW}\" == \"\"", "AIP2005"),
        ("true ?1:2 == 3", "AIP0003"),
    ]);
    // One mistake, one diagnostic.
    BASE.finds("storage s { tier = hot, kind = lustre, site = site.dc, capacity = 3 Gb }\n", "AIP2002");
    BASE.finds("storage s { tier = hot, kind = lustre, site = site.dc, capacity = 3 kW }\n", "AIP2003");
    BASE.finds("platform q { currency = }\n", "AIP0003");
}

#[test]
fn ruling_06_counted_parts() {
    let server = "server own { gpus = 2 * catalog.gpu.l40s, disks = [2 * catalog.disk.nvme-3840gb], height = 4 U }\n";
    BASE.holds(&format!(
        "{server}check a {{ assert = \"${{server.own.gpus}}\" == \"2 * catalog.gpu.l40s\", message = \"\" }}\n"
    ));
    BASE.holds("server own { gpus = catalog.gpu.l40s, height = 4 U }\ncheck a { assert = \"${server.own.gpus}\" == \"1 * catalog.gpu.l40s\", message = \"\" }\n");
    // What only an assertion names of the catalogue is there too.
    assert_all(&["2 * catalog.gpu.l40s == 2 * catalog.gpu.l40s", "catalog.gpu.l40s.memory >= 40 GB"]);
    refuse_all(&[("catalog.gpu.l40z.memory >= 40 GB", "AIP1011")]);
}

#[test]
fn ruling_07_addresses_of_blocks_inside() {
    let set = "environment x {
  set quote.vendor-a.price(catalog.server.dgx-h200).each = 5 EUR
  set cluster.hpc.partition.debug.max_time = 1 h
}\n";
    let asserts = "check a { assert = cluster.hpc.partition.debug.max_time == 1 h, message = \"\" }
check b { assert = quote.vendor-a.price[0].each == 5 EUR, message = \"\" }\n";
    IN_X.holds(&format!("{set}{asserts}"));
    BASE.finds(&format!("{set}{asserts}"), "AIP7080 AIP7080");
    refuse_all(&[("quote.vendor-a.price(catalog.server.dgx-h200).each == 5 EUR", "AIP0029")]);
    IN_X.finds("environment x { set quote.vendor-a.price(catalog.server.dgx-h100).each = 5 EUR }\n", "AIP1024");
    IN_X.finds("environment x { set cluster.hpc.partition.nope.max_time = 1 h }\n", "AIP1024");
}

#[test]
fn ruling_08_loops() {
    BASE.holds(&format!(
        "pool r for i in 1..3 {{ {NODE}, nodes = i }}
check a {{ assert = sum(pool.r[*].nodes) == 6 and pool.r-2.nodes == 2 and len(pool.r[*]) == 3, message = \"\" }}\n"
    ));
    BASE.holds(&format!(
        "pool r for i in 1..1 {{ {NODE}, nodes = i }}\ncheck a {{ assert = pool.r-1.nodes == 1, message = \"\" }}\n"
    ));
    let family = format!("pool r for n in [\"a\", \"b\"] {{ {NODE}, nodes = 1 }}\n");
    BASE.finds(&format!("{family}check a {{ assert = pool.r.nodes == 2, message = \"\" }}\n"), "AIP1003");
    IN_X.holds(&format!(
        "{family}environment x {{ set pool.r-a.nodes = 3 }}
check a {{ assert = pool.r-a.nodes == 3 and pool.r-b.nodes == 1 and sum(pool.r[*].nodes) == 4, message = \"\" }}\n"
    ));
    IN_X.holds(&format!(
        "{family}environment x {{ drop pool.r-a }}\ncheck a {{ assert = len(pool.r[*]) == 1, message = \"\" }}\n"
    ));
    BASE.holds(&format!("{family}environment x {{ set pool.r-a.nodes = 3 }}\n"));
    IN_X.finds(&format!("{family}environment x {{ set pool.r-c.nodes = 3 }}\n"), "AIP1003");
    let inside = "cluster k {
  scheduler = slurm
  version   = \"25.11\"
  pools     = [pool.train]
  partition q for n in [\"a\", \"b\"] {
    pools    = [pool.train]
    max_time = 1 h
  }
}\n";
    IN_X.holds(&format!(
        "{inside}environment x {{ set cluster.k.partition.q-b.max_time = 2 h }}
check a {{ assert = cluster.k.partition.q-a.max_time == 1 h, message = \"\" }}
check b {{ assert = cluster.k.partition.q-b.max_time == 2 h, message = \"\" }}\n"
    ));
    BASE.finds("environment y for n in [\"a\"] { set pool.train.nodes = 3 }\n", "AIP1006");
    BASE.holds(
        "rule big for p in all.pool { assert = p.nodes.max >= 6 and p.address != \"\", message = \"${p.name}\" }\n",
    );
    BASE.finds("rule big for p in all.pool { assert = p.nodes.max >= 7, message = \"${p.address}\" }\n", "AIP7080");
}

#[test]
fn ruling_09_ranges() {
    BASE.holds("let { x = 3..3 }\ncheck a { assert = let.x == 3 and let.x + 1 == 4 and 4..4 > 3, message = \"\" }\n");
    BASE.holds("param n { type = int, default = 3, allowed = 3..3 }\n");
    assert_all(&["pool.cpu.nodes.min == 2 and pool.cpu.nodes.max == 6", "pool.train.nodes.max == 8"]);
    refuse_all(&[
        ("pool.cpu.nodes > 3", "AIP2012"),
        ("pool.cpu.nodes == 3", "AIP2012"),
        ("pool.cpu.nodes == 2..6", "AIP2012"),
        ("pool.cpu.nodes + 1 == 3", "AIP2012"),
    ]);
}

#[test]
fn ruling_10_null_and_tbd() {
    assert_all(&[
        "pool.train.rack == null",
        "null == pool.train.rack",
        "storage.fast.tier == hot and pool.train.rack == null",
        "tbd(\"x\") == 1 or true",
        "not (false and tbd(\"x\"))",
        "true or tbd(\"x\")",
    ]);
    refuse_all(&[
        ("3 != null", "AIP2013"),
        ("null == null", "AIP2013"),
        ("pool.train.site != null", "AIP2013"),
        ("len([null]) == 1", "AIP2013"),
        ("pool.train.rack > null", "AIP2013"),
        ("\"${pool.train.rack}\" == \"\"", "AIP2013"),
        ("pool.train.rack.count == 1", "AIP2013"),
        ("(null)", "AIP2013"),
        ("tbd(\"x\") > 1", "AIP7081"),
        ("1 in [tbd(\"x\"), 2]", "AIP7081"),
        ("[1, tbd(\"x\")] == [1, 2]", "AIP7081"),
        ("sum([for x in [1] : x if tbd(\"why\")]) > 0", "AIP7081"),
        ("quote.vendor-a.price[1].each > 3 EUR", "AIP7081"),
        ("true and tbd(\"x\")", "AIP7081"),
        ("tbd == 1", "AIP0028"),
    ]);
    BASE.finds("let { x = null }\n", "AIP2013");
    BASE.finds(&format!("pool n {{ {NODE}, nodes = 1, rack = null }}\n"), "AIP2013");
}

#[test]
fn ruling_11_settings() {
    let asserts = |nodes: u32| format!("check a {{ assert = pool.train.nodes == {nodes}, message = \"\" }}\n");
    let environments = "environment y { set pool.train.nodes = 3 }
environment x { extends = environment.y }
environment z {
  extends = environment.x
  set pool.train.nodes = 4
}\n";
    BASE.holds(&format!("{environments}{}", asserts(8)));
    IN_X.holds(&format!("{environments}{}", asserts(3)));
    Run { environment: Some("z"), ..BASE }.holds(&format!("{environments}{}", asserts(4)));
    let last = Run { set: &["pool.train.nodes = 5"], ..IN_X };
    last.holds(&format!("{environments}{}", asserts(5)));
    IN_X.holds(&format!(
        "environment y {{ set pool.train.nodes = 3 }}\nenvironment x {{ extends = (environment.y) }}\n{}",
        asserts(3)
    ));
    IN_X.holds(&format!("environment x {{ extends = environment.base }}\n{}", asserts(8)));
    Run { environment: Some("base"), ..BASE }.holds(&asserts(8));
    IN_X.holds("environment x { set cluster.hpc.pools = [pool.train] }\ncheck a { assert = cluster.hpc.pools == [pool.train], message = \"\" }\n");
    // What an unused environment says is checked too.
    for run in [BASE, IN_X] {
        for (change, code) in [
            ("set pool.train.nodez = 3", "AIP1002"),
            ("set pool.nope.nodes = 3", "AIP1003"),
            ("set pol.train.nodes = 3", "AIP1001"),
            ("set pool.train = 3", "AIP1024"),
            ("set pool.train.gpus = 3", "AIP1018"),
            ("set pool.train.nodes = 3 kW", "AIP2003"),
            ("set platform.p.stage = pilott", "AIP1010"),
            ("drop pool.nope", "AIP1003"),
            ("drop cluster.hpc.partition.debug", "AIP1024"),
            ("set pool.train.nodes = 3, set pool.train.nodes = 4", "AIP1015"),
            ("extends = environment.nope", "AIP1003"),
            ("extends = environment.x", "AIP1008"),
        ] {
            run.finds(&format!("environment x {{ {change} }}\n"), code);
        }
        run.finds("environment x { extends = environment.y }\nenvironment y { extends = environment.x }\n", "AIP1008");
    }
    BASE.finds("environment base { set pool.train.nodes = 3 }\n", "AIP1009");
    Run { environment: Some("nope"), ..BASE }.finds("", "AIP1014");
}

#[test]
fn ruling_11_command_line() {
    let said = |set: &str, text: &str| Run { set: &[set], ..BASE }.said(text);
    for (set, start) in [
        ("pool.train.nodes = 3 kW", "AIP2003 --set:1:20"),
        ("pool.train.nodez = 3", "AIP1002 --set:1:12"),
        ("pool.nope.nodes = 3", "AIP1003 --set:1:6"),
        ("pool.train.nodes = ", "AIP0003 --set:1:18"),
        ("pool.train.gpus = 3", "AIP1018 --set:1:1"),
    ] {
        let said = said(set, "");
        assert!(said.len() == 1 && said[0].starts_with(start), "{set}: {said:#?}");
    }
    let locked = format!("pool l {{\n  {NODE}\n  @locked\n  nodes = 1\n}}\n");
    let found = said("pool.l.nodes = 3", &locked);
    assert!(found.len() == 1 && found[0].starts_with("AIP1016 --set:1:1"), "{found:#?}");
    BASE.finds(&format!("{locked}environment x {{ set pool.l.nodes = 3 }}\n"), "AIP1016");
}

#[test]
fn ruling_11_dropping() {
    let drop = "environment x {\n  drop pool.cpu\n  set cluster.hpc.pools = [pool.train]\n}\n";
    IN_X.holds(&format!("{drop}check a {{ assert = len(all.pool) == 1, message = \"\" }}\n"));
    IN_X.finds("environment x { drop pool.cpu }\n", "AIP1017");
    IN_X.finds(&format!("{drop}let {{ x = pool.cpu.nodes, y = [pool.cpu] }}\n"), "AIP1017 AIP1017");
    IN_X.finds(&format!("{drop}check a {{ assert = len([pool.cpu]) == 1, message = \"\" }}\n"), "AIP1017");
    IN_X.finds(&format!("{drop}check a {{ assert = true, message = \"${{pool.cpu.name}}\" }}\n"), "AIP1017");
    IN_X.finds(
        "environment x {\n  drop pool.cpu\n  set cluster.hpc.pools = [pool.train]\n  set pool.cpu.nodes = 3\n}\n",
        "AIP1017",
    );
    BASE.holds(drop);
}

#[test]
fn ruling_12_derived_values_and_defaults() {
    assert_all(&[
        "pool.train.gpus == 64 and platform.p.lifetime == 5 years",
        "pool.train.spare == 0",
        "\"${pool.train.gpus}\" == \"64\"",
    ]);
    BASE.finds("rule a for p in all.pool { assert = p.gpus > 60, message = \"${p.gpus}\" }\n", "AIP7080");
    BASE.finds(&format!("pool g {{ {NODE}, nodes = 1, gpus = 3 }}\n"), "AIP1018");
    let package = parse(vec![(String::from("main.aip"), FRAME.to_string())], &[]);
    let (catalogue, options) = (Catalogue::new(), Options::default());
    let compiled = check(&package, &options, &catalogue);
    let spare = compiled.model.find(Kind::Pool, "train").map(|id| compiled.model.value(id, "spare"));
    assert_eq!(spare, Some(Value::int(0)));
    let broken = BASE
        .said("check a { assert = pool.train.gpus == 1, message = \"${pool.train.gpus} of ${platform.p.owner}\" }\n");
    assert!(broken.len() == 1 && broken[0].ends_with("64 of ops@acme.example"), "{broken:#?}");
    BASE.finds("check a { assert = true, message = \"${pool.nope.nodes}\" }\n", "AIP1003");
    BASE.finds("check a { assert = true, message = 3 }\n", "AIP2001");
    BASE.finds("check a { assert = 3, message = \"\" }\n", "AIP2018");
}

#[test]
fn ruling_20_formats() {
    BASE.finds("network n { site = site.dc, cidr = \"10.0.0.1/8\" }\n", "AIP2008");
    BASE.finds("cluster k { scheduler = slurm, version = \"latest\", pools = [] }\n", "AIP2008");
}

#[test]
fn ruling_23_strings_and_expressions() {
    assert_all(&[
        r#""\\ \" \t \u{e9} $${x} ${"in ${1}"}" == "\\ \" \t é $${x} in 1""#,
        "\"\"\"\n    a\n      b ${1 + 1}\n    c\n    \"\"\" == \"a\\n  b 2\\nc\"",
        "[for x in [1, 2, 3] : x * 2 if x > 1] == [4, 6]",
        "-3 + 5 == 2 and not false and - (2) < 0",
        "1 + 2 * 3 == 7 and (1 + 2) * 3 == 9",
        "true or false and false",
        "not 1 == 2 and not (1 in [2])",
        "(false ? 1 : true ? 2 : 3) == 2",
        "min(1, 3..3, 4) == 1 and round(2.345, 2) == 2.35 and join([\"a\", \"b\"], \"-\") == \"a-b\"",
        "format(\"{} {}\", 1, 2) == \"1 2\" and len(\"abc\") == 3 and ceil(1.2) == 2 and floor(1.8) == 1",
    ]);
    BASE.holds(
        "let { xs = [5, 6, 7] }\ncheck a { assert = sum([for i in [0, 2] : let.xs[i]]) == 12, message = \"\" }\n",
    );
    refuse_all(&[
        ("1 < 2 < 3", "AIP0019"),
        ("\"\\q\" == \"\"", "AIP0018"),
        ("a && b", "AIP0006"),
        ("a || b", "AIP0006"),
        ("!true", "AIP0006"),
        ("4 // 2 == 2", "AIP0001"),
    ]);
    let nested = |levels: usize| format!("{}1{} == 1", "(".repeat(levels), ")".repeat(levels));
    assert_all(&[&nested(63)]);
    refuse_all(&[(&nested(65), "AIP0023")]);
    BASE.finds("let { m = { \"a ${1 + 1}\" = 3 } }\n", "AIP0001");
    BASE.holds("let { m = { \"a $${b}\" = 3 } }\n");
}

#[test]
fn parameters_and_constants() {
    let param = "param n { type = int, default = 3, allowed = 1..5 }\nenvironment x { set param.n = 4 }\n";
    BASE.holds(&format!("{param}check a {{ assert = param.n == 3, message = \"\" }}\n"));
    IN_X.holds(&format!("{param}check a {{ assert = param.n == 4, message = \"\" }}\n"));
    Run { set: &["param.n = 5"], ..IN_X }
        .holds(&format!("{param}check a {{ assert = param.n == 5, message = \"\" }}\n"));
    Run { set: &["param.n = 9"], ..BASE }.finds(param, "AIP2016");
    BASE.finds("param n { type = int, default = \"x\" }\n", "AIP2001");
    let words = "param mode { type = word, default = fast, allowed = [fast, slow] }\n";
    BASE.holds(&format!("{words}check a {{ assert = param.mode == fast and param.mode != slow, message = \"\" }}\n"));
    Run { set: &["param.mode = medium"], ..BASE }.finds(words, "AIP2016");
    BASE.holds(&format!("let {{ x = 3 }}\npool c {{ {NODE}, nodes = let.x }}\ncheck a {{ assert = pool.c.nodes == 3, message = \"\" }}\n"));
    BASE.finds("let { a = let.b, b = let.a }\n", "AIP1008");
}

#[test]
fn waivers() {
    let broken = "check a { assert = false, message = \"m\" }\n";
    BASE.holds(&format!("@allow(AIP7080, reason = \"known\", until = 2027-01-01)\n{broken}"));
    BASE.finds(&format!("@allow(AIP7080, reason = \"known\", until = 2026-01-01)\n{broken}"), "AIP7080");
    let early = Run { as_of: Some("2025-12-31"), ..BASE };
    early.holds(&format!("@allow(AIP7080, reason = \"known\", until = 2026-01-01)\n{broken}"));
    BASE.finds(&format!("@allow(AIP7080)\n{broken}"), "AIP1021");
    BASE.finds(&format!("@allow(AIP7080, reason = \" \")\n{broken}"), "AIP1021");
    BASE.finds("@allow(AIP7080, reason = \"known\")\ncheck a { assert = true, message = \"m\" }\n", "AIP7090");
    BASE.holds("check a {\n  @allow(AIP7080, reason = \"known\")\n  assert  = false\n  message = \"m\"\n}\n");
    BASE.holds(&format!("@was(\"old-name\")\npool d {{ {NODE}, nodes = 1 }}\n"));
    BASE.finds(&format!("@was\npool d {{ {NODE}, nodes = 1 }}\n"), "AIP1027");
    BASE.finds(&format!("@wass(\"old-name\")\npool d {{ {NODE}, nodes = 1 }}\n"), "AIP1020");
}
