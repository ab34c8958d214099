//! Energy, costs and own-or-rent of small packages, held against sums made by hand.

use aipc::catalog::Catalogue;
use aipc::compile::{Options, check, parse};
use aipc::model::ids::BlockId;
use aipc::model::kinds::Kind;
use aipc::plan::Plan;
use aipc::plan::bill::{Category, Priced};
use aipc::plan::figure::{Basis, Estimate, Figure, Reason};
use aipc::plan::tenure::{Advice, Tenure};

const YEAR: f64 = 31_536_000.0;
const KWH: f64 = 3.6e6;

/// A pool of two bought nodes of eight GPUs with all its prices, and a site that says what its energy is.
const FRAME: &str = r#"
platform p { currency = EUR, lifetime = 5 years, stage = pilot }
site s {
  provider         = on-prem
  country          = DE
  power_price      = 0.20 EUR/kWh
  pue              = 1.25
  carbon_intensity = 400 g/kWh
}
pool gpu { site = site.s, server = catalog.server.dgx-h100, nodes = 2 }
quote q {
  vendor = "A"
  price catalog.server.dgx-h100 { each = 300_000 EUR, support = 10%, lead_time = 10 weeks }
}
model big { base = catalog.model.llama-3-1-70b, precision = bf16 }
"#;

const RATE: &str = "rate usd { from = USD, to = EUR, value = 0.90 }";

fn planned(text: &str, look: impl FnOnce(&Plan<'_>)) {
    let package = parse(vec![(String::from("main.aip"), text.to_string())], &[]);
    let catalogue = Catalogue::new();
    let options = Options::default();
    let compiled = check(&package, &options, &catalogue);
    match &compiled.plan {
        Some(plan) => look(plan),
        None => panic!("{:#?}", compiled.problems.iter().collect::<Vec<_>>()),
    }
}

fn with(blocks: &str, look: impl FnOnce(&Plan<'_>)) {
    planned(&format!("{FRAME}\n{blocks}\n"), look);
}

fn block(plan: &Plan<'_>, kind: Kind, name: &str) -> BlockId {
    plan.model.find(kind, name).expect("a block of the test")
}

fn known(plan: &Plan<'_>, kind: Kind, name: &str, attribute: &str) -> Figure {
    match plan.figures.get(block(plan, kind, name), attribute) {
        Some(Estimate::Known(figure)) => {
            assert!(figure.low <= figure.value && figure.value <= figure.high, "{name}.{attribute}: {figure:?}");
            assert!(!figure.formula.is_empty() && !figure.because.is_empty(), "{name}.{attribute}: {figure:?}");
            figure.clone()
        }
        other => panic!("{name}.{attribute}: {other:?}"),
    }
}

fn unknown(plan: &Plan<'_>, kind: Kind, name: &str, attribute: &str) -> String {
    match plan.figures.get(block(plan, kind, name), attribute) {
        Some(Estimate::Unknown(why)) => why.to_string(),
        other => panic!("{name}.{attribute}: {other:?}"),
    }
}

fn notes(figure: &Figure) -> impl Iterator<Item = &str> {
    figure.because.iter().filter_map(|reason| match reason {
        Reason::Note(text) => Some(&**text),
        Reason::Of(..) | Reason::Block(_) | Reason::Constant(_) => None,
    })
}

fn near(actual: f64, wanted: f64) {
    assert!((actual - wanted).abs() <= wanted.abs() * 1e-9 + 1e-12, "{actual}, not {wanted}");
}

fn training(more: &str) -> String {
    format!(
        "training t {{ model = model.big, runs_on = pool.gpu, gpus = 16, tokens = 20 billion tok, sequence = 8_192 tok,
           batch = 1_048_576 tok, {more} }}
         baseline b {{ of = training.t, gpu = catalog.gpu.h100-sxm, gpus = 16, throughput = 10_000 tok/s }}"
    )
}

#[test]
fn energy_is_that_of_the_mean_load() {
    with(&training("runs = 2/year"), |plan| {
        let busy = known(plan, Kind::Pool, "gpu", "busy");
        // 20 billion tokens at 10,000 a second are 23.1 days; two runs of all GPUs are 12.7 % of a year.
        near(busy.value, 2.0 * 2e6 / YEAR);
        let energy = known(plan, Kind::Pool, "gpu", "energy");
        let load = 0.25 + (0.76 - 0.25) * busy.value;
        near(energy.value / KWH, 2.0 * 10.2 * load * 1.25 * 8760.0);
        let most = 2.0 * 10.2 * 1.25 * 8760.0;
        assert!(energy.high / KWH < most, "no vendor maximum the whole year");
        let site = known(plan, Kind::Site, "s", "energy");
        near(site.value, energy.value);
        near(known(plan, Kind::Site, "s", "power_load").value, load);
        // 400 g a kWh.
        near(known(plan, Kind::Site, "s", "co2").value, site.value / KWH * 0.4);
        // The vendor's heat figure is more than the electrical maximum: 38,557 BTU/h a node.
        let heat = known(plan, Kind::Site, "s", "heat");
        assert!(heat.value > 2.0 * 10_200.0);
        assert_eq!(known(plan, Kind::Site, "s", "heat_btu").show(), "77_114 BTU/h");
    });
}

#[test]
fn runs_that_nobody_counts_are_assumed() {
    with(&training(""), |plan| {
        let busy = known(plan, Kind::Pool, "gpu", "busy");
        assert_eq!(busy.basis, Basis::Assumed);
        near(busy.value, 2e6 / YEAR);
        near(busy.high, 1.0);
        assert!(busy.low <= 2e6 / YEAR / 5.0);
        assert_eq!(known(plan, Kind::Pool, "gpu", "idle_cost").basis, Basis::Assumed);
    });
    with(&training("runs = 1/year"), |plan| {
        assert_eq!(known(plan, Kind::Pool, "gpu", "busy").basis, Basis::Formula);
    });
}

#[test]
fn the_bill_has_the_energy_of_the_site() {
    with(&training("runs = 2/year"), |plan| {
        let energy = known(plan, Kind::Site, "s", "energy");
        let line = plan.bill.lines.iter().find(|line| line.unit == "kWh").expect("a line for energy");
        let whole = |joules: f64| (joules / KWH).ceil() as u64;
        assert_eq!(line.quantity, (whole(energy.low), whole(energy.high)));
        assert!(line.expected.abs_diff(whole(energy.value)) <= 1, "{}", line.expected);
    });
}

#[test]
fn a_year_costs_what_is_expected_between_its_ends() {
    with(&training("runs = 2/year"), |plan| {
        let opex = known(plan, Kind::Platform, "p", "opex");
        let energy = plan.bill.lines.iter().find(|line| line.unit == "kWh").expect("a line for energy");
        // Support of two servers is a tenth of 300,000 EUR each.
        let year = |kwh: u64| 60_000.0 + 0.20 * kwh as f64;
        near(opex.value * YEAR, year(energy.expected));
        near(opex.low * YEAR, year(energy.quantity.0));
        near(opex.high * YEAR, year(energy.quantity.1));
        let notes: Vec<&str> = notes(&opex).collect();
        assert!(notes.contains(&"Support of NVIDIA DGX H100, a year: 2 × 30_000 EUR = 60_000 EUR"), "{notes:?}");
        let site = block(plan, Kind::Site, "s");
        for attribute in ["energy", "power_price"] {
            assert!(opex.because.contains(&Reason::Of(site, attribute)), "{opex:?}");
        }
        let of_energy = notes.iter().find(|note| note.starts_with("Energy of s, ")).expect("the line of energy");
        assert!(of_energy.contains(" kWh × 0.2 EUR = "), "{of_energy}");
        // What is bought is made of other lines.
        let capex = known(plan, Kind::Platform, "p", "capex");
        let notes: Vec<&str> = self::notes(&capex).collect();
        assert_eq!(notes, ["NVIDIA DGX H100: 2 × 300_000 EUR = 600_000 EUR"]);
    });
}

#[test]
fn energy_is_unknown_where_a_part_of_it_is() {
    let text = FRAME.replace("carbon_intensity = 400 g/kWh", "");
    planned(&text, |plan| {
        assert!(unknown(plan, Kind::Site, "s", "co2").contains("carbon_intensity"));
    });
    let blind = "server blind { gpus = 8 * catalog.gpu.h100-sxm, height = 8 U }
        pool more { site = site.s, server = server.blind, nodes = 1 }";
    with(blind, |plan| {
        let why = unknown(plan, Kind::Site, "s", "energy");
        assert!(why.starts_with("at least ") && why.contains("`server.blind`"), "{why}");
        assert!(unknown(plan, Kind::Pool, "more", "energy").contains("power"));
    });
    planned(&FRAME.replace("pue              = 1.25", "pue = tbd(\"the building is not chosen\")"), |plan| {
        assert!(unknown(plan, Kind::Site, "s", "energy").contains("the building is not chosen"));
        assert!(unknown(plan, Kind::Pool, "gpu", "cost").contains("power"), "no cost without its energy");
    });
}

#[test]
fn an_owned_hour_has_purchase_support_and_energy() {
    with(&training("runs = 2/year"), |plan| {
        let energy = known(plan, Kind::Pool, "gpu", "energy").value / KWH * 0.20;
        let year = 2.0 * 300_000.0 / 5.0 + 2.0 * 30_000.0 + energy;
        near(known(plan, Kind::Pool, "gpu", "cost").value * YEAR, year);
        let hour = known(plan, Kind::Pool, "gpu", "owned_gpu_hour");
        assert_eq!(hour.unit, "EUR/h");
        near(hour.value * 3600.0, year / (16.0 * 8760.0));
        let busy = known(plan, Kind::Pool, "gpu", "busy").value;
        near(known(plan, Kind::Pool, "gpu", "delivered_gpu_hour").value, hour.value / busy);
        // 16 of 16 GPUs for 2 million seconds.
        near(known(plan, Kind::Training, "t", "cost").value, year * 2e6 / YEAR);
    });
}

#[test]
fn networks_and_storage_are_shared_by_those_that_use_them() {
    let more = r#"
        pool other { site = site.s, server = catalog.server.dgx-h100, nodes = 6 }
        fabric f {
          technology = infiniband
          topology   = leaf-spine
          speed      = 400 Gbps
          switch     = catalog.switch.qm9700
          fill       = exact
          connects   = [pool.gpu, pool.other]
        }
        quote n { vendor = "B", price catalog.switch.qm9700 { each = 20_000 EUR }, price storage.fast { each = 100_000 EUR } }
        storage fast { tier = hot, site = site.s, kind = lustre, capacity = 100 TB }
    "#;
    let more = more.replace("EUR }, price", "EUR }\n price");
    let block = format!("{more}\n{}", training("runs = 2/year, checkpoint { to = storage.fast }"));
    let block = block.replace("vendor = \"B\", price", "vendor = \"B\"\n price");
    with(&block, |plan| {
        let switches = known(plan, Kind::Fabric, "f", "switches").value;
        let energy = known(plan, Kind::Pool, "gpu", "energy").value / KWH * 0.20;
        let own = 2.0 * 300_000.0 / 5.0 + 2.0 * 30_000.0 + energy;
        // Two of eight nodes have a quarter of the ports; the storage is used from this pool alone.
        let year = own + switches * 20_000.0 / 5.0 / 4.0 + 100_000.0 / 5.0;
        near(known(plan, Kind::Pool, "gpu", "cost").value * YEAR, year);
    });
    let unpriced = block.replace("price storage.fast { each = 100_000 EUR }", "");
    with(&unpriced, |plan| {
        for (kind, name, attribute) in [
            (Kind::Pool, "gpu", "cost"),
            (Kind::Pool, "gpu", "owned_gpu_hour"),
            (Kind::Pool, "gpu", "idle_cost"),
            (Kind::Training, "t", "cost"),
        ] {
            let why = unknown(plan, kind, name, attribute);
            assert!(why.starts_with("at least ") && why.ends_with("no price for `storage.fast`"), "{why}");
        }
    });
}

#[test]
fn without_a_price_of_the_servers_nothing_is_said() {
    planned(&FRAME.replace("catalog.server.dgx-h100 { each", "catalog.server.dgx-h200 { each"), |plan| {
        assert_eq!(unknown(plan, Kind::Pool, "gpu", "cost"), "no price for `pool.gpu`");
        assert_eq!(unknown(plan, Kind::Pool, "gpu", "owned_gpu_hour"), "no price for `pool.gpu`");
    });
    planned(&FRAME.replace("each = 300_000 EUR", "each = 300_000 USD"), |plan| {
        let why = unknown(plan, Kind::Pool, "gpu", "cost");
        assert_eq!(why, "no price for `pool.gpu`, in USD without a rate");
    });
    planned(&format!("{}{RATE}", FRAME.replace("each = 300_000 EUR", "each = 300_000 USD")), |plan| {
        let energy = known(plan, Kind::Pool, "gpu", "energy").value / KWH * 0.20;
        near(known(plan, Kind::Pool, "gpu", "cost").value * YEAR, 0.9 * 180_000.0 + energy);
    });
}

/// A cloud pool at 2 USD a GPU-hour.
fn rented(nodes: &str, inference: &str) -> String {
    format!(
        r#"
        platform p {{ currency = USD, stage = pilot }}
        site s {{ provider = aws, country = US, region = "us-east-1" }}
        pool serve {{ site = site.s, instance = catalog.instance.p5-48xlarge, nodes = {nodes}, purchase = on-demand }}
        quote q {{
          vendor = "A"
          price catalog.instance.p5-48xlarge {{ each = 16 USD/h }}
        }}
        model big {{ base = catalog.model.llama-3-1-70b, precision = fp8 }}
        inference i {{
          model = model.big, runs_on = pool.serve, context = 8_192 tok, gpus_per_replica = 8, {inference}
          demand {{ requests = 2 req/s, prompt = 1_000 tok, answer = 500 tok }}
        }}
        baseline b {{ of = inference.i, gpu = catalog.gpu.h100-sxm, gpus = 8, throughput = 2_000 tok/s }}
        "#
    )
}

#[test]
fn rented_hours_cost_their_price() {
    // DeepSeek's published day: 226.75 nodes of eight at 2 USD are 87,072 USD, so a year of 227 is 365 of these and
    // a quarter of a node.
    planned(&rented("227", "replicas = 227"), |plan| {
        let cost = known(plan, Kind::Pool, "serve", "cost");
        near(cost.value * YEAR, (87_072.0 + 0.25 * 8.0 * 2.0 * 24.0) * 365.0);
        near(known(plan, Kind::Pool, "serve", "rented_gpu_hour").value * 3600.0, 2.0);
        near(known(plan, Kind::Inference, "i", "cost").value, cost.value);
        near(known(plan, Kind::Pool, "serve", "idle_cost").value, 0.0);
    });
}

#[test]
fn an_answer_costs_what_the_copies_at_the_peak_do() {
    planned(&rented("1..4", "replicas = 1..4"), |plan| {
        // 1,000 tokens a second at 75 % of 2,000 are one copy of 16 USD an hour.
        near(known(plan, Kind::Inference, "i", "replicas_needed").value, 1.0);
        near(known(plan, Kind::Inference, "i", "cost_per_million_tokens").value, 16.0 / 3.6);
        near(known(plan, Kind::Inference, "i", "cost_per_request").value, 16.0 / 7_200.0);
        let cost = known(plan, Kind::Inference, "i", "cost");
        near(cost.low * YEAR, 16.0 * 8760.0);
        near(cost.high * YEAR, 4.0 * 16.0 * 8760.0);
        near(known(plan, Kind::Pool, "serve", "idle_cost").high, 0.0);
    });
    planned(&rented("1", "replicas = 1").replace("2 req/s", "9 req/s"), |plan| {
        assert!(unknown(plan, Kind::Inference, "i", "cost_per_request").contains("copies"));
    });
}

/// Shares of the workloads and idle capacity, against the pool.
fn adds_up(plan: &Plan<'_>) {
    for (pool, cost) in plan.ledger.pools.iter().filter(|(_, cost)| cost.full.is_whole()) {
        let row = plan.pool(*pool);
        let loads: f64 = row
            .loads
            .iter()
            .map(|load| plan.ledger.loads[load].as_ref().expect("every load of the test is known").known.value)
            .sum();
        let idle = cost.idle.as_ref().expect("so is what is idle");
        near(loads + idle.known.value, cost.full.known.value);
        assert!(idle.known.low >= 0.0 && idle.known.low <= idle.known.value && idle.known.value <= idle.known.high);
        let figure = known(plan, Kind::Pool, plan.model.name(*pool), "cost");
        near(figure.value * YEAR, cost.full.known.value);
    }
}

#[test]
fn shares_add_up_to_the_pool() {
    for runs in ["runs = 1/year", "runs = 7/year", "runs = 100/year", ""] {
        for gpus in [1, 8] {
            let more = format!(
                "finetune f {{ model = catalog.model.llama-3-1-8b, method = lora, rank = 16, runs_on = pool.gpu,
                   gpus = {gpus}, tokens = 100 million tok, sequence = 4_096 tok, runs = 30/month,
                   takes_turns_with = [training.t] }}
                 retrieval r {{ vectors = 20 million, dimensions = 1_024, engine = qdrant, runs_on = pool.gpu }}
                 dataprep d {{ runs_on = pool.gpu, input = 1 TB, rate = 1 MB/s, within = 10 h, every = 1 day }}"
            );
            with(&format!("{}\n{more}", training(runs)), adds_up);
        }
    }
    for (nodes, inference) in [("2", "replicas = 1"), ("2..4", "replicas = 1..4"), ("3", "replicas = 3")] {
        planned(&rented(nodes, inference), adds_up);
    }
}

#[test]
fn a_tenant_costs_what_its_workloads_do() {
    let more = "tenant a { budget = 50_000 EUR/year }\ntenant idle { owner = \"x@y.example\" }";
    with(&format!("{more}\n{}", training("runs = 2/year, tenant = tenant.a")), |plan| {
        let run = known(plan, Kind::Training, "t", "cost").value;
        near(known(plan, Kind::Tenant, "a", "cost").value * YEAR, 2.0 * run);
        match plan.figures.get(block(plan, Kind::Tenant, "idle"), "cost") {
            Some(Estimate::Known(figure)) => near(figure.value, 0.0),
            other => panic!("{other:?}"),
        }
    });
    // A pool of its own is the tenant's whole.
    let text =
        format!("{FRAME}\n{}", training("runs = 2/year")).replace("nodes = 2 }", "nodes = 2, tenant = tenant.a }");
    planned(&format!("{text}\ntenant a {{ }}"), |plan| {
        let pool = known(plan, Kind::Pool, "gpu", "cost").value;
        near(known(plan, Kind::Tenant, "a", "cost").value, pool);
    });
    let open = training("tenant = tenant.a").replace("tokens = 20 billion tok", "tokens = tbd(\"not chosen\")");
    with(&format!("tenant a {{ }}\n{open}"), |plan| {
        assert!(unknown(plan, Kind::Tenant, "a", "cost").contains("not chosen"));
        assert!(unknown(plan, Kind::Pool, "gpu", "idle_cost").contains("not chosen"));
    });
}

fn tenure(plan: &Plan<'_>) -> Tenure {
    plan.tenures.first().expect("a pool with GPUs").clone()
}

#[test]
fn break_even_decides_where_nothing_else_does() {
    // 16 GPUs at 2 EUR an hour, the price of an instance of our own.
    let offer =
        "instance big { provider = gcp, type = \"a3\", gpus = 8 * catalog.gpu.h100-sxm, vcpus = 208, memory = 1 TB }
        quote cloud {\n vendor = \"C\"\n price instance.big { each = 16 EUR/h }\n }";
    with(&format!("{offer}\n{}", training("runs = 1/year")), |plan| {
        let owned = known(plan, Kind::Pool, "gpu", "owned_gpu_hour").value * 3600.0;
        near(known(plan, Kind::Pool, "gpu", "break_even_utilisation").value, owned / 2.0);
        let one = tenure(plan);
        assert_eq!(one.advice, Advice::Rent, "{one:?}");
        assert!(one.because[0].contains("owning pays from"), "{one:?}");
    });
    with(&format!("{offer}\n{}", training("runs = 15/year")), |plan| {
        let one = tenure(plan);
        assert_eq!(one.advice, Advice::Own, "{one:?}");
        assert!(one.because[0].contains("`quote.cloud`"), "{one:?}");
    });
}

#[test]
fn a_list_price_has_region_and_date() {
    with(&format!("{RATE}\n{}", training("runs = 2/year")), |plan| {
        let rented = known(plan, Kind::Pool, "gpu", "rented_gpu_hour");
        let text = format!("{:?}", rented.because);
        assert!(text.contains("p5.48xlarge of aws, list price in us-east-1, 2026-"), "{text}");
        near(rented.value * 3600.0, 0.9 * 55.04 / 8.0);
    });
    with(&training("runs = 2/year"), |plan| {
        let why = unknown(plan, Kind::Pool, "gpu", "rented_gpu_hour");
        assert!(why.contains("is in USD, and no `rate` converts it"), "{why}");
        assert!(unknown(plan, Kind::Pool, "gpu", "break_even_utilisation").contains("USD"));
    });
}

#[test]
fn data_and_stage_come_before_money() {
    let poc = FRAME.replace("stage = pilot", "stage = poc");
    planned(&format!("{poc}\n{}", training("runs = 15/year")), |plan| {
        let one = tenure(plan);
        assert_eq!(one.advice, Advice::Rent);
        assert!(one.because[0].contains("under test") && !one.against.is_empty(), "{one:?}");
    });
    let data = "dataset d { size = 1 TB, class = restricted, personal_data = false }";
    planned(&format!("{poc}\n{data}\n{}", training("runs = 1/year, reads = [dataset.d]")), |plan| {
        let one = tenure(plan);
        assert_eq!(one.advice, Advice::Own);
        assert!(one.because[0].contains("`dataset.d` is restricted"), "{one:?}");
        assert!(one.against.iter().any(|why| why.contains("under test")), "{one:?}");
    });
    with(&training("runs = 1/year, deadline = 30 days"), |plan| {
        let one = tenure(plan);
        assert_eq!(one.advice, Advice::Rent, "{one:?}");
        assert!(one.because.iter().any(|why| why.contains("servers come after 10 weeks")), "{one:?}");
        assert!(one.because.iter().any(|why| why.contains("training is rare")), "{one:?}");
    });
    planned(&rented("1..4", "replicas = 1..4"), |plan| {
        let one = tenure(plan);
        assert_eq!(one.advice, Advice::Rent, "{one:?}");
        assert!(one.because[0].contains("unstable: `inference.i` runs 1 to 4 copies"), "{one:?}");
    });
}

#[test]
fn power_that_nobody_knows_is_no_zero() {
    let site = "platform p { currency = EUR, stage = poc }
        site s { provider = on-prem, country = DE, pue = 1.25, power_limit = 10 kW }
        server blind { height = 2 U, max_power = tbd(\"ask the vendor\"), gpus = 2 * catalog.gpu.l40s }
        pool dark { site = site.s, server = server.blind, nodes = 2 }\n";
    let lacks = "the power of `server.blind` is not known";
    planned(site, |plan| {
        for attribute in ["it_power", "power", "heat", "heat_btu", "energy", "power_load"] {
            assert_eq!(unknown(plan, Kind::Site, "s", attribute), lacks, "{attribute}");
        }
        assert_eq!(unknown(plan, Kind::Platform, "p", "power"), lacks);
    });
    // What is known is the least, in racks, sites and the platform; rules go on holding it against limits.
    let known_part = "rack r { site = site.s, power_limit = 15 kW }
        pool light { site = site.s, server = catalog.server.dgx-h100, nodes = 1, rack = rack.r }\n";
    let text = format!("{}{known_part}", site.replace("nodes = 2 }", "nodes = 2, rack = rack.r }"));
    planned(&text, |plan| {
        assert_eq!(unknown(plan, Kind::Site, "s", "it_power"), format!("at least 10.2 kW: {lacks}"));
        assert_eq!(unknown(plan, Kind::Site, "s", "power"), format!("at least 12.75 kW: {lacks}"));
        assert_eq!(unknown(plan, Kind::Platform, "p", "power"), format!("at least 12.75 kW: {lacks}"));
        for attribute in ["power", "heat", "heat_btu", "feed_load", "airflow_cfm", "count"] {
            let why = unknown(plan, Kind::Rack, "r", attribute);
            assert!(why.starts_with("at least ") && why.ends_with(lacks), "{attribute}: {why}");
        }
        assert_eq!(known(plan, Kind::Rack, "r", "used").show(), "12 U");
        let sums = plan.sites.values().next().expect("a site");
        assert_eq!((sums.it_power, sums.power), (10_200.0, 12_750.0));
        // What the known part came from can still be asked.
        let part = plan.figures.part_of(block(plan, Kind::Platform, "p"), "power").expect("a part");
        assert_eq!(part.because, [Reason::Of(block(plan, Kind::Site, "s"), "power")]);
    });
    let problems = |text: &str| {
        let package = parse(vec![(String::from("main.aip"), text.to_string())], &[]);
        let (options, catalogue) = (Options::default(), Catalogue::new());
        let compiled = check(&package, &options, &catalogue);
        compiled.problems.iter().map(|problem| problem.message.to_string()).collect::<Vec<_>>()
    };
    let found = problems(&text);
    assert!(found.iter().any(|said| said == "site `s` draws 12.8 kW at peak, its limit is 10 kW"), "{found:#?}");
}

#[test]
fn what_has_no_known_number_is_no_zero() {
    let text = "platform p { currency = EUR, stage = poc }
        site s { provider = on-prem, country = DE, pue = tbd(\"the building is not chosen\") }
        pool open { site = site.s, server = catalog.server.dgx-h100, nodes = tbd(\"asked\") }
        pool one { site = site.s, server = catalog.server.dgx-h100, nodes = 1 }
        cluster c { scheduler = slurm, version = \"25.11\", pools = [pool.open, pool.one], control = pool.one }\n";
    planned(text, |plan| {
        let number = "the number of nodes of `pool.open` is not known";
        for attribute in ["gpus", "usable_gpus", "power", "energy"] {
            assert_eq!(unknown(plan, Kind::Pool, "open", attribute), number, "{attribute}");
        }
        for (kind, name) in [(Kind::Cluster, "c"), (Kind::Platform, "p")] {
            assert_eq!(unknown(plan, kind, name, "gpus"), format!("at least 8: {number}"));
        }
        assert_eq!(unknown(plan, Kind::Site, "s", "racks"), "at least 1: the size of `pool.open` is not known");
        let power = "the power of `pool.open` is not known";
        assert_eq!(unknown(plan, Kind::Site, "s", "it_power"), format!("at least 10.2 kW: {power}"));
        let building = unknown(plan, Kind::Platform, "p", "power");
        assert_eq!(building, format!("at least 10.2 kW: {power}; `site.s.pue` is open: the building is not chosen"));
    });
    let cloud = "platform p { currency = EUR, stage = poc }
        site c { provider = aws, country = DE, region = \"eu-central-1\" }\n";
    planned(cloud, |plan| assert_eq!(unknown(plan, Kind::Platform, "p", "power"), "the cloud carries it"));
}

#[test]
fn energy_says_what_is_not_in_it() {
    let site = |plan: &Plan<'_>| plan.sites.values().next().expect("a site").clone();
    let energy = |plan: &Plan<'_>| {
        let mut lines = plan.bill.lines.iter().filter(|line| line.category == Category::Energy);
        lines.next().expect("a line of energy").clone()
    };
    // A storage of which nobody chose the product draws power all the same; disks in the nodes are part of the nodes.
    with("storage a { tier = hot, site = site.s, kind = lustre, capacity = 1 PB }", |plan| {
        assert_eq!(site(plan).power_unknown, [block(plan, Kind::Storage, "a")]);
        assert_eq!(
            energy(plan).description,
            "Energy of s of machines whose power is known, a year at mean load with cooling"
        );
        for (attribute, unit) in [("energy", " MWh"), ("co2", " t"), ("it_power", " kW"), ("heat_btu", " BTU/h")] {
            let why = unknown(plan, Kind::Site, "s", attribute);
            assert!(why.starts_with("at least "), "{why}");
            assert!(why.ends_with(&format!("{unit}: the power of `storage.a` is not known")), "{why}");
        }
        assert_eq!(unknown(plan, Kind::Site, "s", "power_load"), "the power of `storage.a` is not known");
    });
    with("storage a { tier = hot, site = site.s, kind = local-nvme }", |plan| {
        assert!(site(plan).power_unknown.is_empty());
        assert_eq!(energy(plan).description, "Energy of s, a year at mean load with cooling");
    });
    // Of nothing that is known there is no sum: not 0 a year.
    let unknown = FRAME.replace("catalog.server.dgx-h100, nodes", "server.box, nodes");
    planned(&format!("{unknown}\nserver box {{ height = 2 U }}\n"), |plan| {
        assert_eq!((energy(plan).quantity, energy(plan).each), ((0, 0), Priced::Unknown));
        assert_eq!(plan.bill.opex, None);
    });
}
