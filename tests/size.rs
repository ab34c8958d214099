//! `aipc size`: what its sections say of the examples.

#[allow(dead_code, reason = "the transcripts of other tests need more of it")]
mod support;

use support::{Ran, Test};

/// The example's folder, from the root of the project.
fn example(name: &str) -> String {
    format!("{}/examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Runs `aipc size` on an example.
fn size(name: &str, more: &[&str]) -> Ran {
    let path = example(name);
    let mut args = vec!["size", path.as_str()];
    args.extend(more);
    Test::new().run(&args).status(0)
}

/// A section of the human answer, from its title to the next.
#[track_caller]
fn section<'a>(text: &'a str, title: &str, next: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("{title}\n\n")).expect("the section's title");
    rest.split_once(&format!("\n{next}\n\n")).map_or(rest, |(section, _)| section)
}

#[test]
fn the_bottleneck_of_every_pool_is_named() {
    let text = size("aurora", &[]).stdout;
    assert_eq!(
        section(&text, "Bottlenecks", "Reference classes"),
        "\
nothing runs on `pool.control`
the bottleneck of `pool.cpu` is cores: 93 of 128, 72.7%; next memory, 72.7%; cores decide on 1 node
the bottleneck of `pool.serve` is GPUs: 24 of 24, 100%; next GPU time (`inference.assistant`), 50%
nothing runs on `pool.system`
the bottleneck of `pool.train` is GPUs: 64 of 64, 100%; next GPU time (`training.pretrain`), 79.5%

POOL        RESOURCE       NEEDED      PRESENT     SHARE    ABOUT
pool.cpu    cores          93          128         72.7%
pool.cpu    memory         372 GiB     512 GiB     72.7%
pool.cpu    network        0.463 Gbps  400 Gbps    0.1%
pool.cpu    storage read                           unknown  storage.lake: how fast it is is not known
pool.cpu    storage write                          unknown  storage.lake: how fast it is is not known
pool.serve  GPUs           24          24          100%
pool.serve  GPU time       3 replicas  6 replicas  50%      inference.assistant
pool.serve  GPU memory     24.6 GiB    71.2 GiB    34.6%    inference.assistant
pool.serve  memory         1898 GiB    6144 GiB    30.9%
pool.serve  cores          84          288         29.2%
pool.serve  GPU time       89.0 ms     900 ms      9.9%     inference.assistant
pool.train  GPUs           64          64          100%
pool.train  GPU time       119 days    150 days    79.5%    training.pretrain
pool.train  GPU memory     80.3 GiB    140 GiB     57.5%    training.pretrain
pool.train  memory         8947 GiB    16.0 TiB    54.6%
pool.train  GPU memory     39.4 GiB    140 GiB     28.2%    finetune.adapters
pool.train  cores          224         896         25%
pool.train  GPU time       14.5%       100%        14.5%    finetune.adapters
pool.train  network        19.76 Gbps  800 Gbps    2.5%
pool.train  storage read                           unknown  storage.scratch: it is to be bought as fast as its loads ask
pool.train  storage write                          unknown  storage.scratch: it is to be bought as fast as its loads ask
"
    );
}

#[test]
fn a_pool_is_held_against_its_class() {
    let text = size("aurora", &["--format", "markdown"]).stdout;
    assert!(
        text.contains("## Reference classes\n\n- `pool.serve` is of the class production inference: outside in memory")
    );
    let document = size("aurora", &["--format", "json"]).json();
    let rows = document["classes"].as_array().expect("rows");
    let of = |attribute: &str| {
        let row = rows.iter().find(|row| row["pool"] == "pool.serve" && row["attribute"] == attribute).expect("a row");
        (row["has"].clone(), row["usual"].clone(), row["lies"].clone(), row["its own loads"].clone())
    };
    assert_eq!(
        of("GPUs"),
        (
            "8".into(),
            "2 to 4".into(),
            "above".into(),
            "not needed: a copy of `inference.assistant` needs 4 GPUs".into()
        )
    );
    assert_eq!(of("cores").2, "within");
    assert_eq!(of("CPU sockets").3, "the cloud does not say it");
    assert!(rows.iter().all(|row| row["pool"] != "pool.cpu"), "no class is for pools without GPUs");
    assert!(document["figures"].as_array().is_some_and(|rows| !rows.is_empty()));
    assert!(document["bottlenecks"].as_array().is_some_and(|rows| !rows.is_empty()));
}

/// A pool whose nodes have less memory than is usual, and than its load asks for.
const LITTLE_MEMORY: &str = include_str!("../examples/clinic-chat/main.aip");

#[test]
fn one_port_and_all_ports_of_a_node_have_two_names() {
    let source = "platform p { stage = poc, currency = EUR }\n\
        model m { base = catalog.model.llama-3-1-8b, precision = fp8 }\n\
        site s { provider = on-prem, country = DE }\n\
        pool serve { site = site.s, server = catalog.server.gpu-4x-l40s, nodes = 1 }\n\
        inference i { model = model.m, runs_on = pool.serve, context = 8_192 tok, replicas = 1 }\n";
    let test = Test::new().file("main.aip", source);
    let text = test.run(&["size", "main.aip"]).status(0).stdout;
    let row = |start: &str, word: &str| {
        let mut rows = text.lines().filter(|line| line.starts_with(start) && line.contains(word));
        rows.next().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).unwrap_or_default()
    };
    // Two ports of 200 Gbps.
    assert_eq!(row("pool.serve.network ", ""), "pool.serve.network 400 Gbps formula");
    let of_class = row("pool.serve ", "port speed");
    assert!(of_class.contains("port speed 200 Gbps 25 to 100 Gbps above"), "{of_class}");
}

#[test]
fn less_than_the_class_is_a_note_where_the_load_needs_it() {
    let little = LITTLE_MEMORY.replace("memory    = 512 GiB", "memory    = 128 GiB");
    let test = Test::new().file("main.aip", little);
    let said = test.run(&["check", "--format", "short"]).stderr;
    let note = said.lines().find(|line| line.contains("AIP3060")).expect("the note");
    assert!(
        note.ends_with(
            "note[AIP3060]: nodes of `pool.box` have less than is usual for production inference: memory 128 GiB, \
             usual are 512 to 1024 GiB"
        ),
        "{note}"
    );
    let enough = LITTLE_MEMORY.replace("memory    = 512 GiB", "memory    = 256 GiB");
    let test = Test::new().file("main.aip", enough);
    assert!(!test.run(&["check"]).stderr.contains("AIP3060"));
    assert!(test.run(&["size"]).stdout.contains("enough: its loads need 100 GiB to 189 GiB a node"));
}

/// The rows of a comparison.
fn rows(ran: Ran) -> Vec<serde_json::Value> {
    ran.json()["what_if"].as_array().expect("rows").clone()
}

#[test]
fn machines_are_compared_for_a_pool() {
    let text = size("aurora", &["--what-if", "pool.train"]).stdout;
    assert!(text.starts_with("What if\n\nmachines for `pool.train`: "), "{text}");
    let lead = "\
set to `auto` for the comparison: `pool.train.nodes` (was 9), `training.pretrain.gpus` (was 56)
deadlines, service levels and demand are as written, so are counts that nothing else decides: `finetune.adapters.gpus` (8)
";
    assert!(text.contains(lead), "{text}");
    let rows = rows(size("aurora", &["--what-if", "train", "--format", "json"]));
    let of = |machine: &str| rows.iter().find(|row| row["machine"] == machine).expect("a machine of the catalogue");
    let now = of("catalog.server.dgx-h200 (now)");
    assert_eq!((&now["nodes"], &now["GPUs"], &now["power"]), (&"9".into(), &"72".into(), &"91.8 kW".into()));
    assert_eq!(now["price"], "2_862_000 EUR");
    assert_eq!(of("catalog.server.dgx-b200")["price"], "no price");
    assert_eq!(of("catalog.server.dgx-a100-640gb")["why not"], "site `dc1` draws 332 kW at peak, its limit is 240 kW");
    let wet = of("catalog.server.dell-xe9680l-h200")["why not"].as_str().unwrap_or_default();
    assert!(wet.contains("is cooled by liquid"), "{wet}");
    // Those that do come first, and among them the fewest GPUs.
    let key = |row: &serde_json::Value| {
        let gpus: u64 = row["GPUs"].as_str().and_then(|text| text.replace('_', "").parse().ok()).unwrap_or(u64::MAX);
        (row["does"] == "no", gpus)
    };
    assert!(rows.is_sorted_by_key(key));
}

#[test]
fn a_cloud_pool_is_compared_with_instances_of_its_provider() {
    let rows = rows(size("aurora", &["--what-if", "pool.serve", "--format", "json"]));
    let machines: Vec<&str> = rows.iter().filter_map(|row| row["machine"].as_str()).collect();
    assert!(machines.contains(&"catalog.instance.p5-48xlarge (now)"));
    assert!(machines.iter().all(|machine| !machine.contains("a3-") && !machine.contains("server")), "{machines:?}");
    let of = |machine: &str| rows.iter().find(|row| row["machine"] == machine).expect("an instance of the catalogue");
    assert_eq!(of("catalog.instance.p5-48xlarge (now)")["price"], "832_200 EUR a year");
    let small = of("catalog.instance.p5-4xlarge");
    assert_eq!(
        small["why not"],
        "`inference.assistant`: the weights leave no room for a cache: 3.5 GiB are missing on each GPU"
    );
    let slow = of("catalog.instance.g7e-48xlarge")["why not"].as_str().unwrap_or_default();
    assert!(slow.contains("more than promised"), "{slow}");
}

#[test]
fn settings_of_the_command_line_and_the_environment_stay_beside_the_comparison() {
    let more = ["--env", "pilot", "--set", "pool.train.nodes = 3", "--what-if", "pool.train", "--format", "markdown"];
    let text = size("aurora", &more).stdout;
    assert!(text.contains("`pool.train.nodes` (was 3), `training.pretrain.gpus` (was 16)"), "{text}");
    assert!(text.contains("\n| catalog.server.dgx-h200 (now) | yes | 8 | 2 | 16 |"), "{text}");
}

#[test]
fn only_pools_with_gpu_loads_are_compared() {
    let path = example("aurora");
    let ran = Test::new().run(&["size", &path, "--what-if", "pool.cpu"]).status(2);
    assert!(ran.stderr.contains("no training, fine-tuning or inference runs on `pool.cpu`"));
    let ran = Test::new().run(&["size", &path, "--what-if", "pool.trian"]).status(2);
    assert!(ran.stderr.contains("perhaps `pool.train`"));
}

#[test]
fn a_comparison_takes_the_machines_of_a_loop() {
    let looped =
        LITTLE_MEMORY.replace("pool box {\n", "pool box for n in [\"a\"] {\n").replace("pool.box", "pool.box-a");
    let test = Test::new().file("main.aip", looped);
    let rows = rows(test.run(&["size", "--what-if", "pool.box-a", "--format", "json"]).status(0));
    assert!(rows.iter().any(|row| row["machine"] == "server.box (now)" && row["does"] == "yes"), "{rows:?}");
}
