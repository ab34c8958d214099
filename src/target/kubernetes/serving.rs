//! What answers requests: one Deployment, or a group of pods when a copy is larger than a node.

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::kinds::Inference;
use crate::model::words::{Engine, Precision, Strategy};
use crate::plan::cut::{Cut, How};
use crate::plan::{InferencePlan, Plan, PoolPlan, shape};

use super::head::{Around, Head};
use super::labels::Common;
use super::load::Load;
use super::placement::{self, Resources};
use super::problems;

/// The image of the engine, without a tag: the kustomization pins it.
pub const VLLM: &str = "docker.io/vllm/vllm-openai";
/// Bytes a second that weights are read with when no storage says: a plain network disk.
const SLOW_READ: f64 = 200e6;
/// Seconds that an engine needs beside reading its weights: compiling, capturing graphs.
const WARM_UP: f64 = 600.0;
/// Seconds between two looks at a pod that starts.
const STARTUP_PERIOD: f64 = 10.0;
/// Seconds a pod waits before it stops, so that nobody is still sent to it.
const PRE_STOP: f64 = 15.0;

/// Everything that the template of an inference shows.
#[derive(Debug, Clone, Serialize)]
pub struct Serving {
    /// Names, labels, place, network.
    #[serde(flatten)]
    pub head: Head,
    /// The image.
    pub image: String,
    /// Arguments of the engine.
    pub arguments: Vec<String>,
    /// What one pod asks for.
    pub resources: Resources,
    /// The claim that holds the weights.
    pub claim: String,
    /// Pods, when no autoscaler owns the number.
    pub replicas: Option<u64>,
    /// Pods of one copy; more than one is a group with a leader.
    pub group: u64,
    /// Copies above the number during a rollout.
    pub surge: u64,
    /// Copies below the number during a rollout.
    pub unavailable: u64,
    /// Looks at a starting pod before it counts as failed.
    pub startup_looks: u64,
    /// Seconds a rollout may take for one pod.
    pub progress_deadline: u64,
    /// Seconds a pod has to finish what it generates.
    pub grace: u64,
    /// True when a drained node must leave copies running.
    pub disruption_budget: bool,
    /// The autoscaler.
    pub autoscaler: Option<Autoscaler>,
    /// Ports of the Service beside the engine's own.
    pub extra_ports: Vec<u16>,
    /// True when its nodes are in several zones.
    pub zones: bool,
    /// Rules for the monitoring.
    pub alerts: Vec<Alert>,
}

/// How many copies there may be, and when there are more.
#[derive(Debug, Clone, Serialize)]
pub struct Autoscaler {
    /// The least.
    pub low: u64,
    /// The most.
    pub high: u64,
    /// Requests that one copy has at once on average.
    pub requests: String,
}

/// A service level that somebody watches.
#[derive(Debug, Clone, Serialize)]
pub struct Alert {
    /// Its name.
    pub name: &'static str,
    /// What must not hold.
    pub expression: String,
    /// What people read.
    pub summary: String,
}

/// The view of an inference; nothing when it cannot be written, which is reported.
pub fn view(
    around: &Around<'_>,
    plan: &Plan<'_>,
    load: &Load,
    common: &Common,
    prometheus: bool,
    problems: &mut Vec<Diagnostic>,
) -> Option<Serving> {
    let model = around.model;
    let inference = model.typed::<Inference>(load.id)?;
    if inference.engine != Engine::Vllm {
        let what = format!("the engine `{}`", inference.engine);
        problems.push(problems::not_written(model, load.id, "engine", &what, "use `vllm`, or deploy it by hand"));
        return None;
    }
    let sized = plan.inferences.get(&inference.id).ok_or("its number of copies");
    let pool = plan.pools.get(&load.pool).ok_or("the size of its pool");
    let parts = sized.and_then(|sized| {
        let (pool, copies) = (pool?, sized.replicas.ok_or("its number of copies")?);
        Ok((sized, pool, copies, copy_of(model, sized, pool)?))
    });
    let (sized, pool, copies, (resources, group)) = match parts {
        Ok(parts) => parts,
        Err(missing) => {
            problems.push(problems::unsized_load(model, load.id, missing));
            return None;
        }
    };
    note_rollout(model, inference, problems);
    let (head, policy) = around.head(load, common, true, problems);
    let startup = startup_seconds(plan, inference, sized);
    let spare = pool.usable_gpus.saturating_sub(pool.used_gpus) >= sized.gpus_per_replica && group == 1;
    let autoscaler = autoscaler(model, inference, sized, prometheus, problems);
    Some(Serving {
        head,
        image: format!("{VLLM}:unpinned"),
        arguments: arguments(model, inference, sized, resources.gpus, group),
        claim: claim(model, inference),
        replicas: autoscaler.is_none().then_some(copies.low),
        group,
        surge: u64::from(spare),
        unavailable: u64::from(!spare),
        startup_looks: (startup / STARTUP_PERIOD).ceil() as u64,
        progress_deadline: (startup + 300.0).ceil() as u64,
        grace: grace_seconds(model, inference, sized),
        disruption_budget: copies.low >= 2,
        autoscaler,
        extra_ports: policy.extra_ports,
        zones: model[model[load.pool].site].zones > 1,
        alerts: if prometheus { alerts(model, inference, load) } else { Vec::new() },
        resources,
    })
}

/// What one pod of a copy asks for, and how many pods a copy has.
fn copy_of(model: &Model<'_>, sized: &InferencePlan, pool: &PoolPlan) -> Result<(Resources, u64), &'static str> {
    let (gpus, node) = (sized.gpus_per_replica, pool.node.gpus);
    let cut = Cut::of(model, pool.id).map_err(|_| "the parts of its GPUs")?;
    if node == 0 {
        return Err("the number of GPUs of its nodes");
    }
    if gpus <= node {
        return Ok((placement::with_gpus(model, &pool.node, &cut, gpus)?, 1));
    }
    if gpus % node != 0 {
        return Err("a split of a copy over whole nodes (its GPUs are no multiple of those of a node), which");
    }
    let mut resources = placement::with_gpus(model, &pool.node, &Cut::WHOLE, node)?;
    resources.efa = placement::efa(model, pool.id, &pool.node, node);
    Ok((resources, gpus / node))
}

/// The claim that holds the weights of a model in a namespace.
pub fn claim(model: &Model<'_>, inference: &Inference) -> String {
    format!("model-{}", model.name(inference.model))
}

/// Bytes of the weights of all GPUs of a copy together.
pub fn weight_bytes(plan: &Plan<'_>, inference: &Inference) -> Option<f64> {
    let gpus = plan.inferences.get(&inference.id)?.gpus_per_replica as f64;
    plan.figures.value(inference.id.block(), "weights_per_gpu").map(|weights| weights * gpus)
}

fn arguments(model: &Model<'_>, inference: &Inference, sized: &InferencePlan, gpus: u64, group: u64) -> Vec<String> {
    let precision = inference.precision.unwrap_or_else(|| shape::precision(model, inference.model));
    let cache = inference.kv_precision.or_else(|| shape::kv_precision(model, inference.model));
    let mut all = vec![
        format!("/models/{}", model.name(inference.model)),
        format!("--served-model-name={}", model.name(inference.id)),
        String::from("--host=0.0.0.0"),
        format!("--port={}", super::traffic::SERVING_PORT),
        format!("--tensor-parallel-size={gpus}"),
    ];
    if group > 1 {
        all.push(format!("--pipeline-parallel-size={group}"));
        all.extend(
            [
                "--distributed-executor-backend=mp",
                "--nnodes=$(LWS_GROUP_SIZE)",
                "--node-rank=$(LWS_WORKER_INDEX)",
                "--master-addr=$(LWS_LEADER_ADDRESS)",
            ]
            .map(String::from),
        );
    }
    all.push(format!("--max-model-len={}", inference.context.exact().ceil().to_u64().unwrap_or(u64::MAX)));
    all.push(format!("--gpu-memory-utilization={}", memory_share(model, inference)));
    all.extend(data_type(precision).map(String::from));
    all.extend((cache == Some(Precision::Fp8)).then(|| String::from("--kv-cache-dtype=fp8")));
    all.extend(sized.batch.or(sized.sequences).map(|requests| format!("--max-num-seqs={}", requests.max(1))));
    all
}

/// Share of the memory that the engine sees. Copies that take turns see all of the GPU's, of which each has its part.
fn memory_share(model: &Model<'_>, inference: &Inference) -> String {
    match Cut::of(model, inference.runs_on) {
        Ok(Cut { how: How::Shares, parts, .. }) if parts > 1 => {
            // Downwards, so that the shares of all copies are never more than the whole.
            let thousandths = (inference.memory_share.fraction() / parts as f64 * 1000.0).floor();
            format!("{:.3}", thousandths / 1000.0)
        }
        Ok(_) | Err(_) => inference.memory_share.exact().to_string(),
    }
}

/// How the engine is told the format of the weights. Formats below 8 bit and integers are a property of the
/// checkpoint, which the engine reads from it.
fn data_type(precision: Precision) -> Option<&'static str> {
    match precision {
        Precision::Fp32 => Some("--dtype=float32"),
        Precision::Bf16 => Some("--dtype=bfloat16"),
        Precision::Fp16 => Some("--dtype=float16"),
        Precision::Fp8 => Some("--quantization=fp8"),
        Precision::Int8 | Precision::Mxfp4 | Precision::Nvfp4 | Precision::Int4 => None,
    }
}

/// Reading the weights at the rate of a slow disk, twice for safety, and warming up.
fn startup_seconds(plan: &Plan<'_>, inference: &Inference, sized: &InferencePlan) -> f64 {
    let known = weight_bytes(plan, inference);
    // Without the weights, what memory they were sized into bounds them.
    let bytes = known.or(sized.memory.as_ref().map(|memory| memory.available * sized.gpus_per_replica as f64));
    WARM_UP + bytes.map_or(3600.0, |bytes| 2.0 * bytes / SLOW_READ)
}

/// The longest answer at the slowest speed that is promised or computed.
fn grace_seconds(model: &Model<'_>, inference: &Inference, sized: &InferencePlan) -> u64 {
    let answer = inference.demand.first().map(|demand| model[*demand].answer.tokens());
    let promised = inference.slo.first().and_then(|slo| model[*slo].per_token_p95).map(|time| time.seconds());
    let per_token = promised.or(sized.per_token.map(|(_, _, high)| high));
    let answering = answer.zip(per_token).map_or(105.0, |(answer, per_token)| 2.0 * answer * per_token);
    (answering + PRE_STOP).ceil().clamp(60.0, 3600.0) as u64
}

/// An autoscaler for a range of copies. It goes by requests that run at once, as processors say nothing about a GPU.
fn autoscaler(
    model: &Model<'_>,
    inference: &Inference,
    sized: &InferencePlan,
    prometheus: bool,
    problems: &mut Vec<Diagnostic>,
) -> Option<Autoscaler> {
    let (low, high) = sized.replicas.map(|copies| (copies.low, copies.high))?;
    if low >= high {
        return None;
    }
    let block = inference.id.block();
    let mut refuse = |help: &str| {
        let what = format!("scaling between {low} and {high} copies");
        problems.push(problems::not_written(model, block, "replicas", &what, help));
        None
    };
    if !prometheus {
        return refuse("declare `monitoring` with `metrics = prometheus`, or give one number");
    }
    let Some(batch) = sized.batch.or(sized.concurrency).filter(|batch| *batch > 0) else {
        return refuse("declare `demand` and `slo`, so that the requests of one copy can be computed");
    };
    let share = inference.demand.first().map_or(0.75, |demand| model[*demand].utilisation.fraction());
    let requests = ((batch as f64 * share).floor() as u64).max(1);
    Some(Autoscaler { low: low.max(1), high, requests: requests.to_string() })
}

fn note_rollout(model: &Model<'_>, inference: &Inference, problems: &mut Vec<Diagnostic>) {
    let strategy = inference.rollout.first().map(|rollout| model[*rollout].strategy);
    if let Some(strategy) = strategy.filter(|strategy| *strategy != Strategy::Rolling) {
        let what = format!("the `{strategy}` rollout");
        let help = "pods are replaced one after the other; shares of the traffic are set at the gateway";
        problems.push(problems::not_written(model, inference.id.block(), "rollout", &what, help));
    }
}

fn alerts(model: &Model<'_>, inference: &Inference, load: &Load) -> Vec<Alert> {
    let Some(slo) = inference.slo.first().map(|slo| &model[*slo]) else { return Vec::new() };
    let of = format!("namespace=\"{}\",model_name=\"{}\"", load.namespace, load.name);
    let first_token = slo.first_token_p95.map(|time| Alert {
        name: "FirstTokenTooLate",
        expression: format!(
            "histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{{{of}}}[5m]))) > {}",
            time.exact()
        ),
        summary: format!("{} misses {} s to the first token for 5 of 100 requests", load.address, time.exact()),
    });
    first_token.into_iter().collect()
}
