//! Manifests say what the source says, and nothing in a source changes their structure.

use std::path::Path;
use std::process::Command;

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
            replicas: Some(replicas),
            needed: None,
            memory: None,
            cache_per_gpu: None,
            concurrency: Some(16),
            sequences: Some(256),
            batch: Some(16),
            first_token: None,
            first_token_at_peak: None,
            per_token: None,
            throughput: None,
            missed: None,
            baseline: None,
            disagreement: None,
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

/// A workload of every kind: a run over several nodes, a copy larger than a node, a store of several copies, a secret,
/// a role, traffic to, from and between.
const EVERYTHING: &str = r##"
platform acme {
  owner    = "on: {x} #1"
  stage    = poc
  currency = EUR
  as_of    = 2026-12-01
}
model big {
  base      = catalog.model.llama-3-1-405b
  precision = bf16
}
model small {
  base      = catalog.model.llama-3-1-8b
  precision = bf16
}
training frontier {
  model    = model.small
  runs_on  = pool.gpu
  gpus     = 16
  tokens   = 1 billion tok
  sequence = 8_192 tok
  batch    = 1_048_576 tok
  tenant   = tenant.research
  checkpoint { to = storage.fast, keep = 2 }
}
finetune tune {
  model    = model.small
  method   = lora
  rank     = 16
  runs_on  = pool.gpu
  gpus     = 4
  tokens   = 10 million tok
  sequence = 4_096 tok
  runs     = 2/month
  tenant   = tenant.research
  takes_turns_with = [training.frontier]
}
inference frontier {
  model    = model.big
  runs_on  = pool.gpu
  context  = 8_192 tok
  replicas = 2
  gpus_per_replica = 16
  tenant   = tenant.research
  uses     = [retrieval.notes]
}
inference direct {
  model    = model.small
  runs_on  = pool.gpu
  context  = 8_192 tok
  replicas = 1
  gpus_per_replica = 1
  kv_precision = fp8
}
retrieval notes {
  vectors    = 2 million
  dimensions = 1_024
  engine     = qdrant
  replicas   = 3
  runs_on    = pool.cpu
  tenant     = tenant.research
}
dataprep clean {
  engine  = ray
  runs_on = pool.cpu
  input   = 1 TB
  rate    = 5 MB/s
  within  = 10 h
  tenant  = tenant.research
}
tenant research { owner = "no", cost_center = "0123", priority = low }
role people { group = "yes: #", tenant = tenant.research, may = ["view", "run", "fly"] }
secret hub { from = vault("kv/hub token"), used_by = [inference.frontier, training.frontier] }
site hall {
  provider    = aws
  country     = SE
  region      = "eu-north-1"
}
pool gpu {
  site   = site.hall
  instance = catalog.instance.p5-48xlarge
  nodes  = 8
  tenant = tenant.research
}
pool cpu {
  site   = site.hall
  instance = catalog.instance.m7i-2xlarge
  nodes  = 40
}
cluster k {
  scheduler = kubernetes
  version   = "1.35"
  pools     = [pool.gpu, pool.cpu]
  control   = managed
}
storage fast {
  tier = hot
  site = site.hall
  kind = lustre
  capacity = 100 TB
}
network office { site = site.hall, cidr = "10.20.0.0/22" }
flow office-direct { from = network.office, to = inference.direct, ports = [tcp(80)] }
flow direct-frontier { from = inference.direct, to = inference.frontier, ports = [tcp(443)] }
flow out { from = inference.direct, to = internet, ports = [tcp(443), udp(53)] }
"##;

#[test]
fn real_schemas_take_every_kind_of_object() {
    let package = compile::parse(vec![(String::from("main.aip"), EVERYTHING.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let plan = compiled.plan.as_ref().unwrap_or_else(|| panic!("{:?}", compiled.problems));
    let files = kubernetes::emit(plan, &Templates::shipped()).files;
    for (path, kind) in [
        ("trainings", "JobSet"),
        ("finetunes", "JobSet"),
        ("inferences", "LeaderWorkerSet"),
        ("retrievals", "StatefulSet"),
        ("datapreps", "Job"),
        ("secrets", "ExternalSecret"),
        ("namespace", "RoleBinding"),
    ] {
        let all = documents(&files, &format!("kubernetes/k/tenants/research/{path}.yaml"));
        assert!(find(&all, kind).is_some(), "{kind} in {path}");
    }
    judge(&files);
}

/// Lets the conformance check judge the files.
fn judge(files: &Files) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kubernetes-everything");
    for (path, file) in files.iter() {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a file stands in a folder")).expect("a folder");
        std::fs::write(path, &file.bytes).expect("a file");
    }
    let python = std::env::var("AIPC_PYTHON").unwrap_or_else(|_| String::from("python3"));
    let script = ["tests/conformance/kubernetes_check.py", "--version", "1.35"];
    match Command::new(python).args(script).arg(&folder).output() {
        Ok(done) if done.status.code() == Some(77) => skip(&String::from_utf8_lossy(&done.stdout)),
        Ok(done) => assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout)),
        Err(why) => skip(&format!("no python: {why}")),
    }
}

#[expect(clippy::print_stdout, reason = "a skipped check is said aloud")]
fn skip(why: &str) {
    assert!(std::env::var_os("AIPC_REQUIRE_TOOLS").is_none(), "a tool is missing: {why}");
    println!("skipped: {why}");
}
