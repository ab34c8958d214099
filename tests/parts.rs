//! Parts of GPUs: MIG slices and turns, from the size of a pool to the manifests.

#[allow(dead_code, reason = "the transcripts of other tests need more of it")]
mod support;

use support::{Ran, Test};

/// Three small models on one pool, whose GPUs are divided as `WAY` says.
const PLATFORM: &str = r#"platform p {
  owner    = "a@b.example"
  stage    = poc
  currency = EUR
}

model small {
  base      = catalog.model.qwen3-1-7b
  precision = fp8
}

inference a {
  model    = model.small
  runs_on  = pool.box
  context  = 4_096 tok
  replicas = 3
}

inference b {
  model    = model.small
  runs_on  = pool.box
  context  = 4_096 tok
  replicas = 5
}

inference c {
  model    = model.small
  runs_on  = pool.box
  context  = 4_096 tok
  replicas = 4

  demand {
    requests = 5 req/s
    prompt   = 500 tok
    answer   = 100 tok
  }
}

site s {
  provider = on-prem
  country  = DE
}

pool box {
  site   = site.s
  server = catalog.server.dgx-h100
  nodes  = auto
  WAY
}

pool control {
  site   = site.s
  server = catalog.server.management-1s
  nodes  = 1
}

cluster k {
  scheduler = kubernetes
  version   = "1.35"
  pools     = [pool.box, pool.control]
  control   = pool.control
}
"#;

fn with(way: &str) -> Test {
    Test::new().file("main.aip", PLATFORM.replace("WAY", way))
}

#[track_caller]
fn figure(ran: &Ran, address: &str) -> String {
    let document = ran.json();
    let rows = document["figures"].as_array().expect("figures");
    let row = rows.iter().find(|row| row["figure"] == address).expect("the figure");
    row["value"].as_str().expect("a text").to_string()
}

#[test]
fn small_models_share_gpus_so_that_fewer_are_needed() {
    // Twelve copies: a GPU each, seven on one, four on one, two on one.
    for (way, gpus) in [
        ("spare = 0", "12"),
        ("mig = \"1g.10gb\"", "2"),
        ("gpu_shares = 4", "3"),
        ("mig = \"3g.40gb\"", "6"),
        ("gpu_shares = 1", "12"),
    ] {
        let ran = with(way).run(&["size", "--format", "json"]).status(0);
        assert_eq!(figure(&ran, "pool.box.used_gpus"), gpus, "{way}");
    }
}

#[test]
fn a_part_has_its_share_of_memory_and_speed() {
    let of = |way: &str, name: &str| figure(&with(way).run(&["size", "--format", "json"]).status(0), name);
    let throughput = |way: &str| -> f64 {
        let text = of(way, "inference.c.throughput").replace('_', "");
        text.split(' ').next().and_then(|number| number.parse().ok()).expect("a number")
    };
    let (whole, half, slice) = (throughput("spare = 0"), throughput("gpu_shares = 2"), throughput("mig = \"1g.10gb\""));
    assert!(slice < half && half < whole, "{slice} {half} {whole}");
    // 10 GB × 0.93 × 90 % without weights and the engine's own memory.
    assert_eq!(of("mig = \"1g.10gb\"", "inference.a.kv_per_gpu"), "4.154 GiB");
}

#[test]
fn a_copy_on_a_part_carries_its_part_of_the_pool() {
    let busy = |way: &str| figure(&with(way).run(&["size", "--format", "json"]).status(0), "pool.box.busy");
    // Twelve copies: of two nodes with 16 GPUs, of one with 8 × 4 parts.
    assert_eq!((busy("spare = 0").as_str(), busy("gpu_shares = 4").as_str()), ("75%", "37.5%"));
}

#[test]
fn manifests_ask_for_parts_by_the_names_of_the_device_plugin() {
    for (way, resource, share, note) in [
        ("mig = \"1g.10gb\"", "nvidia.com/mig-1g.10gb", "0.9", "nvidia.com/mig.config=all-1g.10gb"),
        ("gpu_shares = 4", "nvidia.com/gpu.shared", "0.225", "`replicas: 4` of `nvidia.com/gpu`"),
        ("spare = 0", "nvidia.com/gpu", "0.9", ""),
    ] {
        let test = with(way);
        let ran = test.run(&["build", "--out", "out"]).status(0);
        assert!(ran.stderr.contains(note), "{way}: {}", ran.stderr);
        assert_eq!(ran.stderr.contains("must divide the GPUs of `pool.box`"), !note.is_empty(), "{way}");
        let manifests = test.read("out/kubernetes/k/platform/inferences.yaml");
        let asked = manifests.lines().filter(|line| line.trim() == format!("{resource}: \"1\"")).count();
        assert_eq!(asked, 6, "{way}: requests and limits of three workloads");
        assert!(manifests.contains(&format!("--gpu-memory-utilization={share}\"")), "{way}");
        let namespace = test.read("out/kubernetes/k/platform/namespace.yaml");
        assert!(namespace.contains(&format!("requests.{resource}: \"")), "{way}: {namespace}");
    }
}

#[test]
fn slurm_counts_parts_as_gres() {
    for (way, gres) in [("gpu_shares = 4", "Gres=gpu:h100:8,shard:32 "), ("mig = \"1g.10gb\"", "Gres=gpu:1g.10gb:56 ")]
    {
        let text = PLATFORM
            .replace("WAY", way)
            .replace("scheduler = kubernetes", "scheduler = slurm")
            .replace("\"1.35\"", "\"25.11\"");
        let test = Test::new().file("main.aip", text);
        let ran = test.run(&["build", "--out", "out"]).status(0);
        let conf = test.read("out/slurm/k/slurm.conf");
        assert!(conf.contains(gres), "{way}: {} {conf}", ran.stderr);
    }
}

#[test]
fn a_profile_of_another_gpu_sizes_nothing() {
    let test = with("mig = \"1g.18gb\"");
    let ran = test.run(&["check", "--format", "short"]).status(1);
    assert!(ran.stderr.contains("error[AIP3061]: `1g.18gb` is no MIG profile of `catalog.gpu.h100-sxm`, which has"));
    let ran = test.run(&["size", "--format", "json"]);
    assert_eq!(figure(&ran, "pool.box.used_gpus"), "unknown");
    assert_eq!(figure(&ran, "pool.box.nodes"), "unknown");
}
