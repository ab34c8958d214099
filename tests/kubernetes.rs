//! Manifests say what the source says, and nothing in a source changes their structure.

use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::model::decode::Span;
use aipc::plan::{InferencePlan, Plan};
use aipc::target::files::Files;
use aipc::target::kubernetes;
use aipc::target::template::Templates;
use yaml_rust2::{Yaml, YamlLoader};

const PLATFORM: &str = r#"
platform acme { owner = "OWNER", stage = poc, currency = EUR }
model small { base = catalog.model.llama-3-1-8b, precision = bf16 }
inference chat {
  model            = model.small
  runs_on          = pool.gpu
  context          = 8_192 tok
  replicas         = REPLICAS
  gpus_per_replica = 1
}
site hall { provider = aws, country = SE, region = "eu-north-1" }
pool gpu { site = site.hall, instance = catalog.instance.p5-48xlarge, nodes = 1 }
cluster k { scheduler = kubernetes, version = "1.35", pools = [pool.gpu], control = managed }
network office { site = site.hall, cidr = "10.20.0.0/22" }
"#;

/// The sizes that the test wants, whatever sizing says.
fn resize(plan: &mut Plan<'_>, replicas: Span<u64>) {
    let ids: Vec<_> = plan.model.tables.inferences.iter().map(|inference| inference.id).collect();
    for id in ids {
        let sized = InferencePlan {
            id,
            gpus_per_replica: 1,
            replicas,
            needed: None,
            memory: None,
            cache_per_gpu: None,
            concurrency: Some(16),
            batch: Some(16),
            first_token: None,
            per_token: None,
            throughput: None,
            missed: None,
            baseline: None,
        };
        plan.inferences.insert(id, sized);
    }
}

fn emit(source: &str, replicas: Span<u64>) -> Files {
    let package = compile::parse(vec![(String::from("main.aip"), source.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let mut compiled = compile::check(&package, &options, &catalogue);
    let plan = compiled.plan.as_mut().unwrap_or_else(|| panic!("{:?}", compiled.problems));
    resize(plan, replicas);
    kubernetes::emit(plan, &Templates::shipped()).files
}

fn documents(files: &Files, path: &str) -> Vec<Yaml> {
    let file = files.get(path).unwrap_or_else(|| panic!("{path} is written"));
    let text = String::from_utf8(file.bytes.clone()).expect("a text");
    YamlLoader::load_from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}\n{text}"))
}

fn find<'y>(documents: &'y [Yaml], kind: &str) -> Option<&'y Yaml> {
    documents.iter().find(|document| document["kind"].as_str() == Some(kind))
}

const INFERENCES: &str = "kubernetes/k/platform/inferences.yaml";

#[test]
fn hostile_text_stays_in_its_place() {
    let owner = "no: {x} # - *a &b !c % @ ` | > ' \\ é 😀";
    let source = PLATFORM.replace("OWNER", &owner.replace('\\', "\\\\")).replace("REPLICAS", "1");
    let files = emit(&source, Span { low: 1, high: 1 });
    for (path, _) in files.iter().filter(|(path, _)| !path.ends_with("kustomization.yaml")) {
        for document in documents(&files, path) {
            let annotations = &document["metadata"]["annotations"];
            if !annotations.is_badvalue() {
                assert_eq!(annotations["aipc.dev/owner"].as_str(), Some(owner), "{path}");
            }
        }
    }
}

#[test]
fn nothing_comes_in_without_a_flow() {
    let source = PLATFORM.replace("OWNER", "a").replace("REPLICAS", "1");
    let closed = documents(&emit(&source, Span { low: 1, high: 1 }), INFERENCES);
    assert!(find(&closed, "NetworkPolicy").expect("a policy")["spec"]["ingress"].is_badvalue());

    let flow = "flow office { from = network.office, to = inference.chat, ports = [tcp(80)] }\n";
    let open = documents(&emit(&format!("{source}{flow}"), Span { low: 1, high: 1 }), INFERENCES);
    let ingress = &find(&open, "NetworkPolicy").expect("a policy")["spec"]["ingress"];
    assert_eq!(ingress[0]["from"][0]["ipBlock"]["cidr"].as_str(), Some("10.20.0.0/22"));
    assert_eq!(ingress[0]["ports"][0]["port"].as_i64(), Some(8000));
    assert!(ingress[1].is_badvalue());
}

#[test]
fn a_range_scales_and_a_number_does_not() {
    let monitoring = "monitoring m { metrics = prometheus }\n";
    let source = format!("{}{monitoring}", PLATFORM.replace("OWNER", "a").replace("REPLICAS", "2..4"));
    let scaled = documents(&emit(&source, Span { low: 2, high: 4 }), INFERENCES);
    let scaler = &find(&scaled, "HorizontalPodAutoscaler").expect("an autoscaler")["spec"];
    assert_eq!((scaler["minReplicas"].as_i64(), scaler["maxReplicas"].as_i64()), (Some(2), Some(4)));
    assert!(find(&scaled, "Deployment").expect("a deployment")["spec"]["replicas"].is_badvalue());
    assert!(find(&scaled, "PodDisruptionBudget").is_some());

    let fixed = documents(&emit(&source, Span { low: 1, high: 1 }), INFERENCES);
    assert!(find(&fixed, "HorizontalPodAutoscaler").is_none());
    assert!(find(&fixed, "PodDisruptionBudget").is_none(), "one copy cannot both be drained and stay");
    assert_eq!(find(&fixed, "Deployment").expect("a deployment")["spec"]["replicas"].as_i64(), Some(1));
}

#[test]
fn lines_lead_to_addresses() {
    let source = PLATFORM.replace("OWNER", "a").replace("REPLICAS", "1");
    let files = emit(&source, Span { low: 1, high: 1 });
    let file = files.get(INFERENCES).expect("it is written");
    assert!(file.lines.iter().all(|(_, address)| address == "inference.chat") && file.lines.len() >= 4);
}
