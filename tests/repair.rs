//! Repairs that are named: with one the finding is gone and nothing else breaks; with the next smaller change it stays.

use aipc::base::diagnostic::{Diagnostic, Repair, Severity};
use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::repair;

const FRAME: &str = "
platform p { stage = pilot, currency = EUR }
site dc { provider = on-prem, country = DE }
model small { base = catalog.model.llama-3-1-8b, precision = bf16 }
model large { base = catalog.model.llama-3-1-70b, precision = bf16 }
";

/// A platform with an unmet promise: its code, and what each repair that must be named sets first.
struct Case {
    name: &'static str,
    code: &'static str,
    source: &'static str,
    repairs: &'static [(&'static str, &'static str)],
}

const CASES: &[Case] = &[
    Case {
        name: "training over its deadline, pool of fixed size",
        code: "AIP3003",
        source: "
pool train { site = site.dc, server = catalog.server.dgx-h100, nodes = 3, spare = 1 }
training run {
  model = model.small, runs_on = pool.train, gpus = 16, tokens = 200 billion tok, deadline = 12 days
  sequence = 8_192 tok, batch = 4_194_304 tok
}",
        repairs: &[("more nodes", "training.run.gpus"), ("a later deadline", "training.run.deadline")],
    },
    Case {
        name: "training over its deadline, pool that grows by itself",
        code: "AIP3003",
        source: "
pool train { site = site.dc, server = catalog.server.dgx-h100, nodes = auto }
training run {
  model = model.large, runs_on = pool.train, gpus = 64, tokens = 100 billion tok, deadline = 20 days
  sequence = 8_192 tok, batch = 4_194_304 tok, states = megatron
}",
        repairs: &[
            ("more nodes", "training.run.gpus"),
            ("fewer bits, where the model trains as well with them", "training.run.precision"),
            ("a later deadline", "training.run.deadline"),
        ],
    },
    Case {
        name: "training with fewer bits",
        code: "AIP3003",
        source: "
pool train { site = site.dc, server = catalog.server.dgx-h100, nodes = 2 }
training run {
  model = model.small, runs_on = pool.train, gpus = 16, tokens = 10 billion tok, deadline = 25 h
  sequence = 8_192 tok, batch = 4_194_304 tok
}",
        repairs: &[
            ("more nodes", "training.run.gpus"),
            ("fewer bits, where the model trains as well with them", "training.run.precision"),
            ("a later deadline", "training.run.deadline"),
        ],
    },
    Case {
        name: "training over memory",
        code: "AIP3001",
        source: "
pool train { site = site.dc, server = catalog.server.dgx-h100, nodes = 1..2 }
training run {
  model = model.large, runs_on = pool.train, gpus = 16, tokens = 1 billion tok
  sequence = 8_192 tok, batch = 4_194_304 tok
}",
        repairs: &[("more nodes", "training.run.gpus")],
    },
    Case {
        name: "fine-tuning over its deadline",
        code: "AIP3003",
        source: "
pool tune { site = site.dc, server = catalog.server.dgx-h100, nodes = 1 }
finetune run {
  model = model.small, method = lora, rank = 16, runs_on = pool.tune, gpus = 2, tokens = 300 million tok
  sequence = 4_096 tok, deadline = 4 h
}",
        repairs: &[("more GPUs", "finetune.run.gpus"), ("a later deadline", "finetune.run.deadline")],
    },
    Case {
        name: "replicas below the demand",
        code: "AIP3014",
        source: "
pool serve { site = site.dc, server = catalog.server.gpu-4x-l40s, nodes = 1 }
inference chat {
  model = model.small, runs_on = pool.serve, context = 8_192 tok, gpus_per_replica = 1, replicas = 1..2
  demand { requests = 20 req/s, prompt = 1_000 tok, answer = 500 tok }
}",
        repairs: &[("more replicas", "inference.chat.replicas")],
    },
    Case {
        name: "tokens later than promised",
        code: "AIP3015",
        source: "
pool serve { site = site.dc, server = catalog.server.dgx-h100, nodes = 1 }
inference chat {
  model = model.large, runs_on = pool.serve, context = 8_192 tok, gpus_per_replica = 2, replicas = 2
  slo { per_token_p95 = 18 ms }
  demand { requests = 0.1 req/s, prompt = 500 tok, answer = 200 tok }
}",
        repairs: &[
            ("more GPUs a replica", "inference.chat.gpus_per_replica"),
            ("fewer bits a weight, where answers stay good enough", "inference.chat.precision"),
            ("less promised", "inference.chat.slo.per_token_p95"),
        ],
    },
    Case {
        name: "first token later than promised",
        code: "AIP3015",
        source: "
pool serve { site = site.dc, server = catalog.server.gpu-4x-l40s, nodes = 1 }
inference chat {
  model = model.small, runs_on = pool.serve, context = 16_384 tok, gpus_per_replica = 1, replicas = 2
  slo { first_token_p95 = 500 ms }
  demand { requests = 0.1 req/s, prompt = 6_000 tok, answer = 200 tok }
}",
        repairs: &[
            ("more GPUs a replica", "inference.chat.gpus_per_replica"),
            ("fewer bits a weight, where answers stay good enough", "inference.chat.precision"),
            ("less promised", "inference.chat.slo.first_token_p95"),
        ],
    },
    Case {
        name: "a copy that does not fit into a node, copies and demand left to the compiler",
        code: "AIP3001",
        source: "
pool serve { site = site.dc, server = catalog.server.dgx-h100, nodes = 1 }
model deep { base = catalog.model.deepseek-v3, precision = fp8 }
inference chat {
  model = model.deep, runs_on = pool.serve, context = 32_768 tok
  demand { requests = 1 req/s, prompt = 2_000 tok, answer = 600 tok }
}",
        repairs: &[
            ("more nodes a replica", "inference.chat.gpus_per_replica"),
            ("fewer bits a weight, where answers stay good enough", "inference.chat.precision"),
        ],
    },
    Case {
        name: "a copy over memory",
        code: "AIP3001",
        source: "
pool serve { site = site.dc, server = catalog.server.dgx-h100, nodes = 1 }
inference chat {
  model = model.large, runs_on = pool.serve, context = 131_072 tok, gpus_per_replica = 2, replicas = 2
  demand { requests = 0.01 req/s, prompt = 500 tok, answer = 200 tok }
}",
        repairs: &[
            ("more GPUs a replica", "inference.chat.gpus_per_replica"),
            ("a shorter context", "inference.chat.context"),
            ("fewer bits a weight, where answers stay good enough", "inference.chat.precision"),
        ],
    },
    Case {
        name: "a context over memory",
        code: "AIP3001",
        source: "
pool serve { site = site.dc, server = catalog.server.gpu-4x-l40s, nodes = 1 }
inference chat {
  model = model.small, runs_on = pool.serve, context = 240_000 tok, gpus_per_replica = 1, replicas = 2
  demand { requests = 0.01 req/s, prompt = 500 tok, answer = 200 tok }
}",
        repairs: &[
            ("more GPUs a replica", "inference.chat.gpus_per_replica"),
            ("a shorter context", "inference.chat.context"),
            ("fewer bits a weight, where answers stay good enough", "inference.chat.precision"),
        ],
    },
];

fn found(source: &str, settings: &[String]) -> Vec<Diagnostic> {
    let text = format!("{FRAME}{source}");
    let package = compile::parse(vec![(String::from("main.aip"), text)], settings);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let mut compiled = compile::check(&package, &options, &catalogue);
    repair::suggest(&package, &options, &catalogue, &mut compiled);
    assert!(compiled.plan.is_some(), "{:?}", compiled.problems.iter().map(|one| &one.message).collect::<Vec<_>>());
    compiled.problems.into_iter().collect()
}

/// Errors that stay or come when a case is compiled with settings: its own one, and those it did not have before.
fn errors(case: &Case, settings: &[String]) -> Vec<String> {
    let codes = |settings: &[String]| -> Vec<String> {
        let problems = found(case.source, settings);
        let errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
        errors.map(|problem| problem.code.to_string()).collect()
    };
    let before = codes(&[]);
    codes(settings).into_iter().filter(|code| code == case.code || !before.contains(code)).collect()
}

fn repairs(case: &Case) -> Vec<Repair> {
    let problems = found(case.source, &[]);
    let of_code = problems.iter().filter(|problem| problem.code.to_string() == case.code);
    of_code.flat_map(|problem| problem.repairs.clone()).collect()
}

/// The settings with the next smaller change; nothing where a change has one size only.
fn smaller(case: &Case, repair: &Repair) -> Option<Vec<String>> {
    let (path, value) = repair.settings.first()?.split_once(" = ")?;
    let (number, unit) = value.split_once(' ').unwrap_or((value, ""));
    let step: i64 = match (repair.title, path.rsplit('.').next()?) {
        ("more nodes", _) => -8,
        ("more GPUs" | "more replicas" | "more GPUs a replica" | "a later deadline" | "less promised", _) => -1,
        ("a shorter context", _) => i64::try_from((context(case) / 32 / 1024 + 1) * 1024).ok()?,
        _ => return None,
    };
    let (low, number) = number.rsplit_once("..").map_or(("", number), |(low, high)| (low, high));
    let less = number.parse::<i64>().ok()? + step;
    let range = if low.is_empty() { String::new() } else { format!("{low}..") };
    let first = format!("{path} = {range}{less} {unit}").trim_end().to_string();
    Some(std::iter::once(first).chain(repair.settings.iter().skip(1).cloned()).collect())
}

fn context(case: &Case) -> u64 {
    let text = case.source.split("context = ").nth(1).expect("a context");
    let digits: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == '_').filter(|c| *c != '_').collect();
    digits.parse().expect("a number")
}

#[test]
fn every_promise_that_is_missed_names_its_repairs() {
    for case in CASES {
        let named = repairs(case);
        let named: Vec<(&str, &str)> = named
            .iter()
            .map(|repair| (repair.title, repair.settings[0].split_once(" = ").map_or("", |(path, _)| path)))
            .collect();
        assert_eq!(named, case.repairs, "{}", case.name);
    }
}

#[test]
fn a_repair_repairs_and_nothing_else_breaks() {
    for case in CASES {
        for repair in repairs(case) {
            let left = errors(case, &repair.settings);
            assert!(left.is_empty(), "{}: {:?} leaves {left:?}", case.name, repair.settings);
        }
    }
}

#[test]
fn the_next_smaller_change_does_not_repair() {
    let mut tried = 0;
    for case in CASES {
        for repair in repairs(case) {
            let Some(settings) = smaller(case, &repair) else { continue };
            let left = errors(case, &settings);
            assert!(!left.is_empty(), "{}: {settings:?} is enough, {:?} is named", case.name, repair.settings);
            tried += 1;
        }
    }
    assert!(tried >= CASES.len(), "{tried} smaller changes");
}

#[test]
fn a_promise_that_is_kept_needs_no_repair() {
    let kept = CASES[0].source.replace("12 days", "90 days");
    assert!(found(&kept, &[]).iter().all(|problem| problem.repairs.is_empty()));
}
