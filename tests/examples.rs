//! The examples: what they must come to, and that every byte of their output is the same from run to run and under any
//! order of files and blocks.

use std::collections::BTreeMap;
use std::fs;

use aipc::base::span::Span;
use aipc::catalog::Catalogue;
use aipc::compile::{self, Options, Package};
use aipc::target::template::Templates;

const EXAMPLES: &[&str] = &["aurora", "clinic-chat", "superpod"];

fn text(example: &str) -> String {
    fs::read_to_string(format!("examples/{example}/main.aip")).expect("an example")
}

/// Compiles texts and gives every file of every target; fails on an error.
fn outputs(texts: Vec<(String, String)>, environment: Option<&str>, set: &[String]) -> BTreeMap<String, Vec<u8>> {
    let package = compile::parse(texts, set);
    let options = Options { environment: environment.map(str::to_string), ..Options::default() };
    let catalogue = Catalogue::new();
    let compiled = compile::check(&package, &options, &catalogue);
    assert!(!compiled.problems.has_errors(), "{:#?}", compiled.problems.iter().collect::<Vec<_>>());
    let plan = compiled.plan.as_ref().expect("a package without errors has a plan");
    let (files, problems) = compile::emit(plan, compiled.judged(), &[], &Templates::shipped());
    assert!(!problems.has_errors(), "{:#?}", problems.iter().collect::<Vec<_>>());
    let mut all: BTreeMap<String, Vec<u8>> =
        files.iter().map(|(path, file)| (path.to_string(), file.bytes.clone())).collect();
    all.insert(String::from("plan.json"), aipc::plan::json::to_string(plan).into_bytes());
    all
}

fn whole(example: &str) -> Vec<(String, String)> {
    vec![(String::from("main.aip"), text(example))]
}

fn same(example: &str, a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>) {
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>(), "{example}: other files");
    for (path, bytes) in a {
        assert!(bytes == &b[path], "{example}: {path} differs");
    }
}

/// The text before the first block, and each block with the comments above it.
fn pieces(package: &Package) -> (String, Vec<String>) {
    let source = package.sources.iter().next().expect("one source").1;
    let blocks = &package.files[0].blocks;
    let first: Span = blocks[0].doc.first().copied().unwrap_or(blocks[0].span);
    let mut from = first.start();
    let head = source.text[..from].to_string();
    let mut pieces = Vec::new();
    for block in blocks {
        pieces.push(source.text[from..block.span.end()].to_string());
        from = block.span.end();
    }
    (head, pieces)
}

#[test]
fn every_example_writes_its_targets() {
    for example in EXAMPLES {
        let files = outputs(whole(example), None, &[]);
        let has = |folder: &str| files.keys().any(|path| path.starts_with(folder));
        assert!(has("terraform/") && has("bom/"), "{example}: {:?}", files.keys());
        assert_eq!(has("slurm/"), *example != "clinic-chat", "{example}");
        assert_eq!(has("kubernetes/"), *example != "superpod", "{example}");
    }
}

#[test]
fn the_pilot_of_aurora_compiles() {
    assert!(!outputs(whole("aurora"), Some("pilot"), &[]).is_empty());
}

#[test]
fn two_runs_write_the_same_bytes() {
    for example in EXAMPLES {
        same(example, &outputs(whole(example), None, &[]), &outputs(whole(example), None, &[]));
    }
}

#[test]
fn the_order_of_blocks_changes_nothing() {
    for example in EXAMPLES {
        let (head, mut blocks) = pieces(&compile::parse(whole(example), &[]));
        let straight = outputs(whole(example), None, &[]);
        blocks.reverse();
        let reversed = vec![(String::from("main.aip"), format!("{head}{}", blocks.join("\n\n")))];
        same(example, &straight, &outputs(reversed, None, &[]));
        let third = blocks.len() / 3;
        blocks.rotate_left(third);
        let rotated = vec![(String::from("main.aip"), format!("{head}{}", blocks.join("\n\n")))];
        same(example, &straight, &outputs(rotated, None, &[]));
    }
}

#[test]
fn splitting_the_file_changes_nothing() {
    for example in EXAMPLES {
        let (head, blocks) = pieces(&compile::parse(whole(example), &[]));
        let third = blocks.len().div_ceil(3);
        let mut files: Vec<(String, String)> = blocks
            .chunks(third)
            .enumerate()
            .map(|(index, chunk)| (format!("part-{index}.aip"), chunk.join("\n\n")))
            .collect();
        files[0].1 = format!("{head}{}", files[0].1);
        assert_eq!(files.len(), 3);
        same(example, &outputs(whole(example), None, &[]), &outputs(files, None, &[]));
    }
}

#[test]
fn the_published_fabric_comes_out() {
    let package = compile::parse(whole("superpod"), &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let plan = compiled.plan.as_ref().expect("superpod has a plan");
    let fabric = plan.model.tables.fabrics.iter().find(|fabric| plan.model.name(fabric.id) == "compute");
    let count = plan.fabrics[&fabric.expect("the compute fabric").id].count.expect("it can be built");
    assert_eq!((count.leaves, count.spines), (32, 16));
    // The check of the package says the same, and would be a finding if it did not hold.
    assert!(compiled.problems.iter().all(|problem| problem.code.0 != 7080), "published-fabric must hold");
}

#[test]
fn the_plan_matches_its_published_schema() {
    let schema: serde_json::Value = serde_json::from_str(&aipc::plan::json::schema()).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    for example in EXAMPLES {
        let files = outputs(whole(example), None, &[]);
        let plan: serde_json::Value = serde_json::from_slice(&files["plan.json"]).expect("the plan is JSON");
        let wrong: Vec<String> = validator.iter_errors(&plan).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{example}: {wrong:#?}");
    }
}

#[test]
fn every_device_of_a_room_has_its_place() {
    for example in EXAMPLES {
        let package = compile::parse(whole(example), &[]);
        let (options, catalogue) = (Options::default(), Catalogue::new());
        let compiled = compile::check(&package, &options, &catalogue);
        let plan = compiled.plan.as_ref().expect("an example has a plan");
        let placed = plan.racks.iter().flat_map(|row| &row.racks).map(|rack| rack.devices.len() as u64).sum::<u64>();
        let bought = plan.pools.values().filter(|row| !row.node.rented).map(|row| row.nodes.high).sum::<u64>();
        let switches: u64 =
            plan.fabrics.values().filter_map(|row| row.count.as_ref()).map(|count| count.switches()).sum();
        let appliances: u64 = plan.storages.values().filter_map(|row| row.appliances).sum();
        assert_eq!(placed, bought + switches + appliances, "{example}");
        assert!(plan.racks.iter().all(|row| row.misfits.is_empty()), "{example}");
    }
}
