//! Sizing as a whole: what must hold of every platform, and the chain of reasons of one.

use aipc::base::unit;
use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::explain::{Explanation, explain};
use aipc::model::kinds::Kind;
use aipc::model::schema::Type;
use aipc::plan::figure::Estimate;
use aipc::plan::formula::engine::WHOLE_PROMPTS;
use aipc::plan::{Fit, Plan};

use proptest::prelude::{Just, ProptestConfig, Strategy, prop_oneof, proptest};
use proptest::{prop_assert, prop_assume};

/// What compiling a text comes to.
fn with<T>(text: &str, look: impl FnOnce(&Plan<'_>, &[String]) -> T) -> T {
    let package = compile::parse(vec![(String::from("main.aip"), text.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let found: Vec<String> = compiled.problems.iter().map(|one| format!("{}: {}", one.code, one.message)).collect();
    let plan = compiled.plan.as_ref().unwrap_or_else(|| panic!("no plan: {found:?}\n{text}"));
    look(plan, &found)
}

#[derive(Debug, Clone)]
struct Run {
    model: &'static str,
    gpu: &'static str,
    sequence: u64,
    batch: u64,
    micro_batch: u64,
    states: &'static str,
    recompute: &'static str,
}

impl Run {
    fn on(&self, nodes: u64) -> String {
        let Run { model, gpu, sequence, batch, micro_batch, states, recompute } = self;
        let gpus = nodes * if *gpu == "gpu-4x-l40s" { 4 } else { 8 };
        format!(
            "platform p {{ stage = poc, currency = EUR }}
site dc {{ provider = on-prem, country = DE }}
model m {{ base = catalog.model.{model}, precision = bf16 }}
pool train {{ site = site.dc, server = catalog.server.{gpu}, nodes = {nodes} }}
training run {{
  model = model.m, runs_on = pool.train, gpus = {gpus}, tokens = 10 billion tok
  sequence = {sequence} tok, batch = {} tok, micro_batch = {micro_batch}
  states = {states}, recompute = {recompute}
}}",
            batch * sequence
        )
    }

    fn fits(&self, nodes: u64) -> Option<Fit> {
        with(&self.on(nodes), |plan, _| plan.trainings.values().next().and_then(|run| Some(run.memory.as_ref()?.fit)))
    }
}

fn runs() -> impl Strategy<Value = Run> {
    let models = prop_oneof![
        Just("llama-3-1-8b"),
        Just("llama-3-1-70b"),
        Just("llama-3-1-405b"),
        Just("mixtral-8x7b"),
        Just("deepseek-v3")
    ];
    let gpus = prop_oneof![Just("dgx-h100"), Just("dgx-h200"), Just("dgx-b200"), Just("gpu-4x-l40s")];
    let states =
        prop_oneof![Just("fsdp"), Just("zero-1"), Just("zero-2"), Just("zero-3"), Just("megatron"), Just("replicated")];
    let recompute = prop_oneof![Just("none"), Just("selective"), Just("full")];
    let sequences = prop_oneof![Just(2048u64), Just(8192), Just(32_768), Just(131_072)];
    (models, gpus, sequences, 1u64..600, 1u64..4, states, recompute).prop_map(
        |(model, gpu, sequence, batch, micro_batch, states, recompute)| Run {
            model,
            gpu,
            sequence,
            batch,
            micro_batch,
            states,
            recompute,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn more_nodes_never_take_a_fit_away(run in runs(), nodes in 1u64..40, more in 1u64..40) {
        let rank = |fit| match fit {
            Some(Fit::Yes) => 2,
            Some(Fit::Tight) => 1,
            Some(Fit::No | Fit::Unknown) | None => 0,
        };
        let (few, many) = (run.fits(nodes), run.fits(nodes + more));
        prop_assert!(rank(many) >= rank(few), "{few:?} on {nodes} nodes, {many:?} on {} of {run:?}", nodes + more);
    }

    #[test]
    fn bars_hold_their_values(run in runs(), nodes in 1u64..20) {
        with(&run.on(nodes), |plan, _| {
            for (block, name, estimate) in plan.figures.iter() {
                let Estimate::Known(figure) = estimate else { continue };
                let what = format!("{}.{name} = {} ({} to {})", plan.model.address(block), figure.value, figure.low, figure.high);
                prop_assert!(figure.low <= figure.value && figure.value <= figure.high, "{what}");
            }
            Ok(())
        })?;
    }

    #[test]
    fn a_longer_context_never_needs_less_cache(
        model in prop_oneof![Just("llama-3-1-8b"), Just("deepseek-v3"), Just("mixtral-8x7b"), Just("qwen3-235b-a22b")],
        gpus in prop_oneof![Just(1u64), Just(2), Just(4), Just(8)],
        context in 16u64..60_000,
        more in 1u64..60_000,
    ) {
        let need = |context: u64| {
            let text = format!("platform p {{ stage = poc, currency = EUR }}
site dc {{ provider = on-prem, country = DE }}
model m {{ base = catalog.model.{model} }}
pool serve {{ site = site.dc, server = catalog.server.dgx-b200, nodes = 1 }}
inference chat {{ model = model.m, runs_on = pool.serve, context = {context} tok, gpus_per_replica = {gpus}, replicas = 1 }}");
            with(&text, |plan, _| {
                let chat = plan.inferences.values().next().expect("one inference");
                (chat.memory.as_ref().map(|memory| memory.need), chat.concurrency)
            })
        };
        // Beyond 32k an engine takes prompts in pieces and keeps less for a pass, whatever the cache needs.
        prop_assume!((context > WHOLE_PROMPTS) == (context + more > WHOLE_PROMPTS));
        let (short, long) = (need(context), need(context + more));
        prop_assert!(long.0 >= short.0, "{short:?} then {long:?}");
        prop_assert!(long.1 <= short.1, "{short:?} then {long:?}");
    }
}

/// Every figure is in a unit of the dimension that the schema gives its attribute, so that no sum mixes units.
#[test]
fn units_never_mix() {
    for example in ["aurora", "clinic-chat", "superpod"] {
        let text = std::fs::read_to_string(format!("examples/{example}/main.aip")).expect("an example");
        with(&text, |plan, _| {
            let mut held = 0;
            for (block, name, estimate) in plan.figures.iter() {
                let Estimate::Known(figure) = estimate else { continue };
                let Some(expected) = dimension(plan.model.block(block).kind, name) else { continue };
                let address = plan.model.address(block);
                let own = (!figure.unit.is_empty()).then(|| unit::parse(figure.unit).map(|unit| unit.dimension));
                match own {
                    Some(Ok(own)) => assert_eq!(own.name(), expected.name(), "{address}.{name} in {}", figure.unit),
                    Some(Err(_)) => continue,
                    None => panic!("{address}.{name} has no unit"),
                }
                held += 1;
            }
            assert!(held > 10, "{held} figures of {example}");
        });
    }
}

/// The dimension of an attribute or derived figure; nothing for plain numbers and money.
fn dimension(kind: Kind, name: &str) -> Option<unit::Dimension> {
    let schema = kind.schema();
    match schema.derived(name).map(|row| &row.ty).or_else(|| schema.attribute(name).map(|(_, row)| &row.ty))? {
        Type::Quantity(dimension) => Some(*dimension),
        _ => None,
    }
}

#[test]
fn time_stands_on_the_baseline_or_says_that_it_does_not() {
    let text = std::fs::read_to_string("examples/aurora/main.aip").expect("an example");
    let (start, end) = {
        let start = text.find("baseline pretrain-sample").expect("the sample run");
        (start, start + text[start..].find("}\n").expect("its end") + 2)
    };
    let line = text[..start].lines().count() + 5;
    let chain = |text: &str| {
        with(text, |plan, found| {
            let Explanation::Found(chain) = explain(plan, "training.pretrain.time") else { panic!("not explained") };
            let run = plan.trainings.values().next().and_then(|run| run.time).expect("a time");
            (chain, (run.2 - run.1) / run.0, found.to_vec())
        })
    };
    let (measured, narrow, found) = chain(&text);
    assert!(measured.contains("), measured\n"), "{measured}");
    assert!(
        measured.contains(&format!("baseline.pretrain-sample.throughput = 14_800 tok/s  main.aip:{line}")),
        "{measured}"
    );
    assert!(!measured.contains("model FLOP utilisation ="), "{measured}");
    assert!(!found.iter().any(|one| one.contains("training.pretrain` has been measured")), "{found:?}");
    let (assumed, wide, found) = chain(&format!("{}{}", &text[..start], &text[end..]));
    assert!(assumed.contains("), published\n"), "{assumed}");
    assert!(assumed.contains("model FLOP utilisation = 0.4 (0.36 to 0.46)"), "{assumed}");
    assert!(wide > 1.2 * narrow, "{wide} against {narrow}");
    assert!(
        found.iter().any(|one| one == "AIP3007: no sample run of `training.pretrain` has been measured"),
        "{found:?}"
    );
}

/// What a package assumes stands in place of published constants, with its line, for what it is about and for nothing else.
#[test]
fn assumptions_of_the_package_come_first() {
    let frame = "platform p { stage = poc, currency = EUR }
site dc { provider = on-prem, country = DE }
model m { base = catalog.model.llama-3-1-8b, precision = bf16 }
pool train { site = site.dc, server = catalog.server.dgx-h100, nodes = 1 }
training run { model = model.m, runs_on = pool.train, gpus = 8, tokens = 10 billion tok, sequence = 8_192 tok, batch = 1_048_576 tok }
pool serve { site = site.dc, server = catalog.server.dgx-h200, nodes = 1 }
inference chat {
  model = model.m, runs_on = pool.serve, context = 8_192 tok, gpus_per_replica = 1, replicas = 1
  demand { requests = 1 req/s, prompt = 1_000 tok, answer = 200 tok }
}
";
    let figures = |more: &str| {
        with(&format!("{frame}{more}"), |plan, found| {
            assert!(!found.iter().any(|one| one.starts_with("AIP7001")), "{found:?}");
            let known = |address: &str| {
                let all = plan.figures.iter();
                let mut named =
                    all.map(|(block, name, figure)| (format!("{}.{name}", plan.model.address(block)), figure));
                match named.find(|(own, _)| own == address) {
                    Some((_, Estimate::Known(figure))) => figure.clone(),
                    other => panic!("{address}: {other:?}"),
                }
            };
            let Explanation::Found(chain) = explain(plan, "training.run.time") else { panic!("not explained") };
            (known("training.run.utilisation"), known("inference.chat.throughput"), chain)
        })
    };
    let (published, served, _) = figures("");
    assert_eq!((published.value, published.basis.word()), (0.40, "published"));
    let (own, same, chain) = figures("assumption lab { gpu = catalog.gpu.h100-sxm, training_mfu = 45%, spread = 10% }");
    assert_eq!(own.basis.word(), "given");
    for (value, expected) in [(own.value, 0.45), (own.low, 0.405), (own.high, 0.495)] {
        assert!((value - expected).abs() < 1e-9, "{own:?}");
    }
    assert!(chain.contains("assumption.lab.training_mfu = 45%  main.aip:11"), "{chain}");
    assert_eq!(same.value, served.value);
    let (general, faster, _) = figures(
        "assumption all { training_mfu = 30% }
assumption engine { engine = vllm, decode_bandwidth = 95%, decode_compute = 90%, prefill_compute = 80% }
assumption lab { gpu = catalog.gpu.h200-sxm, training_mfu = 45% }",
    );
    assert_eq!(general.value, 0.30);
    assert!(faster.value > served.value, "{faster:?} against {served:?}");
    assert!((faster.high - faster.low) / faster.value < (served.high - served.low) / served.value);
}
