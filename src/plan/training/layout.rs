//! How a training run is spread over GPUs: what is written is checked, what is `auto` is chosen.

use std::sync::Arc;

use crate::model::Model;
use crate::model::decode::Setting;
use crate::model::words::States;

use crate::plan::formula::round::{ceil_units, div_ceil, exceeds, product, ratio};
use crate::plan::formula::states::Parallel;
use crate::plan::load::{self, Bar, Known, NO_NUMBER};
use crate::plan::pace::{Filled, Pace};
use crate::plan::{formula, readable};

use super::job::Job;
use super::memory;

/// The largest group of GPUs behind one switch of their own links.
const LARGEST_GROUP: u64 = 72;
/// GPUs that share the experts, as far as they are tried.
const MOST_EXPERTS: u64 = 1024;
/// Stages that are tried.
const MOST_STAGES: u64 = 64;
/// Tokens of a piece of a sequence, at least. Assumption: below it, exchanging keys and values costs more than it saves.
const SHORTEST_PIECE: u64 = 4096;
/// Numbers of nodes that are tried.
const NODES_TRIED: u64 = 1024;
/// No run has more nodes.
const MOST_NODES: u64 = 1_000_000;

/// How a training is spread over GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parallelism {
    /// GPUs that share a layer.
    pub tensor: u64,
    /// Stages that a batch runs through.
    pub pipeline: u64,
    /// GPUs that share a sequence.
    pub context: u64,
    /// GPUs that share the experts.
    pub expert: u64,
    /// Copies side by side.
    pub data: u64,
}

/// A way to spread a run.
#[derive(Debug, Clone)]
pub struct Layout {
    /// GPUs.
    pub gpus: u64,
    /// How they are divided.
    pub parallelism: Parallelism,
    /// Sequences of a step.
    pub sequences: Option<u64>,
    /// Micro-batches of a copy in a step.
    pub micro_batches: Option<u64>,
    /// What does not divide.
    pub uneven: Vec<String>,
    /// Memory on the fullest GPU.
    pub memory: Known<Bar>,
}

/// What is written of the spread.
struct Written {
    tensor: Option<u64>,
    pipeline: Option<u64>,
    context: Option<u64>,
    expert: Option<u64>,
}

/// A way to divide a copy of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Division {
    tensor: u64,
    pipeline: u64,
    context: u64,
    expert: u64,
}

impl Division {
    /// GPUs of a copy.
    fn group(&self) -> u64 {
        product([self.tensor, self.pipeline, self.context])
    }
}

/// How well a layout suits, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Suits {
    /// It fits and divides.
    Well,
    /// It fits, but something does not divide.
    Unevenly,
    /// It does not fit.
    Not,
}

/// A layout with the reason that is true of the choice, or why the number of GPUs is not known. The parallelism of a
/// layout may be unknown on its own account.
pub struct Chosen {
    /// The layout.
    pub layout: Layout,
    /// Why the division is not known; the layout then has one copy on every GPU.
    pub undivided: Option<Arc<str>>,
    /// Why so many GPUs, when the compiler chose them.
    pub gpus_because: Option<String>,
}

/// Chooses.
pub fn choose(model: &Model<'_>, job: &Job<'_>) -> Known<Chosen> {
    let written = Written::of(model, job);
    match (&job.training.gpus, written) {
        (Setting::Given(gpus), Ok(written)) => Ok(on(job, *gpus, &written)),
        (Setting::Given(gpus), Err(why)) => Ok(undivided(job, *gpus, why)),
        (Setting::Auto, Ok(written)) => fewest(model, job, &written),
        (Setting::Auto, Err(why)) => Err(why),
        (Setting::Tbd(_) | Setting::Absent, _) => {
            Err(load::setting(model, job.id, "gpus", &job.training.gpus).err().unwrap_or_else(|| Arc::from("")))
        }
    }
}

impl Written {
    fn of(model: &Model<'_>, job: &Job<'_>) -> Known<Written> {
        let training = job.training;
        let or_any = |attribute, setting: &Setting<u64>| match setting {
            Setting::Auto => Ok(None),
            Setting::Given(_) | Setting::Tbd(_) | Setting::Absent => {
                load::setting(model, job.id, attribute, setting).map(Some)
            }
        };
        Ok(Written {
            tensor: or_any("tensor_parallel", &training.tensor_parallel)?,
            pipeline: or_any("pipeline_parallel", &training.pipeline_parallel)?,
            context: or_any("context_parallel", &training.context_parallel)?,
            expert: or_any("expert_parallel", &training.expert_parallel)?,
        })
    }

    /// The division, when all of it is written.
    fn decided(&self) -> Option<Division> {
        Some(Division { tensor: self.tensor?, pipeline: self.pipeline?, context: self.context?, expert: self.expert? })
    }

    /// What is written, and 1 for the rest.
    fn or_one(&self) -> Division {
        let [tensor, pipeline, context, expert] =
            [self.tensor, self.pipeline, self.context, self.expert].map(|size| size.unwrap_or(1));
        Division { tensor, pipeline, context, expert }
    }
}

/// The division of a given number of GPUs.
fn on(job: &Job<'_>, gpus: u64, written: &Written) -> Chosen {
    let layout = match (written.decided(), &job.shape) {
        (Some(division), _) => spread(job, gpus, division),
        (None, Err(why)) => return undivided(job, gpus, Arc::clone(why)),
        (None, Ok(_)) => best(job, gpus, &candidates(job, written), written).1,
    };
    Chosen { layout, undivided: None, gpus_because: None }
}

/// GPUs whose division is not known.
fn undivided(job: &Job<'_>, gpus: u64, why: Arc<str>) -> Chosen {
    let mut layout = spread(job, gpus, Division { tensor: 1, pipeline: 1, context: 1, expert: 1 });
    layout.uneven.clear();
    layout.micro_batches = None;
    layout.memory = Err(Arc::clone(&why));
    Chosen { layout, undivided: Some(why), gpus_because: None }
}

/// The fewest whole nodes that the run fits on and is done in time on.
fn fewest(model: &Model<'_>, job: &Job<'_>, written: &Written) -> Known<Chosen> {
    job.shape.as_ref().map_err(Arc::clone)?;
    let limit = Limit::of(model, job)?;
    let of_node = job.seat.node.gpus;
    let (candidates, start) = (candidates(job, written), limit.start(of_node));
    let mut uneven: Option<Layout> = None;
    let mut missing = f64::INFINITY;
    for nodes in start..start.saturating_add(NODES_TRIED) {
        let gpus = product([nodes, of_node]);
        let (suits, layout) = best(job, gpus, &candidates, written);
        if suits == Suits::Not {
            let high = layout.memory.as_ref().map_or(f64::INFINITY, |bar| bar.high);
            missing = missing.min(high - job.seat.card.memory());
            continue;
        }
        if !limit.holds(model, job, &layout) {
            continue;
        }
        if suits == Suits::Well {
            return Ok(limit.chosen(layout));
        }
        uneven.get_or_insert(layout);
    }
    match uneven {
        Some(layout) => Ok(limit.chosen(layout)),
        None => {
            let last = start.saturating_add(NODES_TRIED - 1);
            // What divides on no number of nodes has no memory to speak of.
            let missing = (missing > 0.0 && missing.is_finite()).then(|| {
                format!(": {} of memory are missing on each GPU at the least", readable::memory_text(missing))
            });
            Err(Arc::from(format!(
                "{NO_NUMBER} nodes from {start} to {last} holds it in time{}",
                missing.unwrap_or_default()
            )))
        }
    }
}

/// The time that there is.
enum Limit {
    /// No deadline.
    None,
    /// A deadline, the tokens, and tokens a second of one GPU at best.
    Deadline { seconds: f64, tokens: f64, each: f64 },
}

impl Limit {
    fn of(model: &Model<'_>, job: &Job<'_>) -> Known<Limit> {
        match &job.training.deadline {
            Setting::Absent | Setting::Auto => Ok(Limit::None),
            Setting::Tbd(_) | Setting::Given(_) => {
                let deadline = load::setting(model, job.id, "deadline", &job.training.deadline)?;
                let each = job.pace(model, 1)?.rate(1, Filled::ALWAYS).high;
                let limit = Limit::Deadline { seconds: deadline.seconds(), tokens: job.tokens.clone()?, each };
                let start = limit.start(job.seat.node.gpus);
                if start > MOST_NODES {
                    return Err(Arc::from(format!("{NO_NUMBER} nodes meets the deadline")));
                }
                Ok(limit)
            }
        }
    }

    /// Nodes below which there is no hope.
    fn start(&self, gpus_of_node: u64) -> u64 {
        match self {
            Limit::None => 1,
            Limit::Deadline { seconds, tokens, each } => {
                ceil_units(ratio(*tokens, seconds * each * gpus_of_node as f64)).max(1)
            }
        }
    }

    /// Whether the deadline holds at the upper end of the bar.
    fn holds(&self, model: &Model<'_>, job: &Job<'_>, layout: &Layout) -> bool {
        match self {
            Limit::None => true,
            Limit::Deadline { seconds, .. } => {
                super::time::of(model, job, layout).is_ok_and(|time| !exceeds(time.high, *seconds))
            }
        }
    }

    fn chosen(&self, layout: Layout) -> Chosen {
        let because = match self {
            Limit::None => String::from("the fewest whole nodes whose memory it fits"),
            Limit::Deadline { .. } => String::from("the fewest whole nodes whose memory it fits, done by the deadline"),
        };
        Chosen { layout, undivided: None, gpus_because: Some(because) }
    }
}

/// Divisions worth trying, the one with the fewest GPUs a copy first.
fn candidates(job: &Job<'_>, written: &Written) -> Vec<Division> {
    let Ok((shape, _)) = &job.shape else { return Vec::new() };
    let node = job.seat.node.gpus;
    let group = if job.seat.card.is_linked() { node.min(LARGEST_GROUP) } else { 1 };
    let divides = |whole: u64, part: &u64| whole.is_multiple_of(*part);
    let or = |written: Option<u64>, sizes: Vec<u64>| written.map_or(sizes, |size| vec![size]);
    let tensors = or(
        written.tensor,
        (1..=group).filter(|t| divides(shape.heads, t) && divides(node, t) && divides(shape.vocab, t)).collect(),
    );
    let stages =
        or(written.pipeline, (1..=shape.layers.clamp(1, MOST_STAGES)).filter(|p| divides(shape.layers, p)).collect());
    let contexts = or(written.context, pieces(job.sequence));
    let experts = shape.experts.map_or(1, |experts| experts.count);
    let experts = or(written.expert, (1..=experts.clamp(1, MOST_EXPERTS)).filter(|e| divides(experts, e)).collect());
    let mut divisions = Vec::with_capacity(tensors.len() * stages.len() * contexts.len() * experts.len());
    for &tensor in &tensors {
        for &pipeline in &stages {
            for &context in &contexts {
                divisions.extend(experts.iter().map(|&expert| Division { tensor, pipeline, context, expert }));
            }
        }
    }
    // Fully sharded states are whole on no GPU, so stages would only add bubbles. Sequences are cut after layers are.
    let sharded = matches!(job.training.states, States::Fsdp | States::Zero3);
    divisions.sort_by_key(|one| (sharded && one.pipeline > 1, one.group(), one.context, one.pipeline, one.expert));
    divisions
}

/// Pieces that a sequence may be cut into: powers of two that leave it long enough to be worth it.
fn pieces(sequence: u64) -> Vec<u64> {
    let longer = std::iter::successors(Some(2u64), |pieces| pieces.checked_mul(2));
    let worth = longer.take_while(|pieces| sequence.is_multiple_of(*pieces) && sequence / pieces >= SHORTEST_PIECE);
    std::iter::once(1).chain(worth).collect()
}

/// The first division that fits and divides; else the first that fits, be it that some GPUs stay idle; else the one that
/// needs the least memory.
fn best(job: &Job<'_>, gpus: u64, candidates: &[Division], written: &Written) -> (Suits, Layout) {
    let available = job.seat.card.memory();
    let mut found: Option<(Suits, f64, Layout)> = None;
    for &division in candidates {
        let group = division.group();
        if group == 0 || group > gpus {
            continue;
        }
        let layout = spread(job, gpus, division);
        let high = layout.memory.as_ref().map_or(f64::INFINITY, |bar| bar.high);
        let suits = match (exceeds(high, available), layout.uneven.is_empty()) {
            (false, true) => return (Suits::Well, layout),
            (false, false) => Suits::Unevenly,
            (true, _) => Suits::Not,
        };
        let better = found.as_ref().is_none_or(|(other, least, old)| {
            let divides = |layout: &Layout| layout.uneven.is_empty();
            suits < *other
                || (suits == Suits::Not && *other == Suits::Not && (divides(&layout), -high) > (divides(old), -*least))
        });
        if better {
            found = Some((suits, high, layout));
        }
    }
    match found {
        Some((suits, _, layout)) => (suits, layout),
        None => (Suits::Not, spread(job, gpus, written.or_one())),
    }
}

/// A run on GPUs divided so, with everything that does not come out even.
fn spread(job: &Job<'_>, gpus: u64, division: Division) -> Layout {
    let Division { tensor, pipeline, context, expert } = division;
    let [tensor, pipeline, context, expert] = [tensor, pipeline, context, expert].map(|size| size.max(1));
    let data = (gpus / product([tensor, pipeline, context])).max(1);
    let parallelism = Parallelism { tensor, pipeline, context, expert, data };
    let sequences = job.batch.as_ref().ok().map(|&batch| div_ceil(batch, job.sequence));
    let micro_batches = sequences.map(|sequences| div_ceil(sequences, product([data, job.micro_batch])));
    let parallel = parallel(&parallelism);
    let memory =
        job.shape.as_ref().map_err(Arc::clone).map(|(shape, parameters)| {
            memory::per_gpu(&memory::need(job, (shape, parameters), parallel, micro_batches))
        });
    let mut uneven = zeros(job, gpus, division);
    uneven.extend(divisions(job, gpus, &parallelism, sequences));
    Layout { gpus, parallelism, sequences, micro_batches, uneven, memory }
}

/// The same for the formulas.
pub fn parallel(parallelism: &Parallelism) -> Parallel {
    Parallel {
        tensor: parallelism.tensor,
        pipeline: parallelism.pipeline,
        data: parallelism.data,
        context: parallelism.context,
        expert: parallelism.expert,
        expert_tensor: 1,
    }
}

/// Sizes that are 0 and count as 1.
fn zeros(job: &Job<'_>, gpus: u64, division: Division) -> Vec<String> {
    let sizes = [
        ("gpus", gpus),
        ("tensor_parallel", division.tensor),
        ("pipeline_parallel", division.pipeline),
        ("context_parallel", division.context),
        ("expert_parallel", division.expert),
        ("micro_batch", job.training.micro_batch),
    ];
    sizes.iter().filter(|(_, size)| *size == 0).map(|(name, _)| format!("`{name}` is 0")).collect()
}

fn divisions(job: &Job<'_>, gpus: u64, by: &Parallelism, sequences: Option<u64>) -> Vec<String> {
    let mut uneven = Vec::new();
    let mut divides = |what: &str, amount: u64, by: &str, parts: u64| {
        if !amount.is_multiple_of(parts.max(1)) {
            uneven.push(format!("{what} = {amount} is not a multiple of {by} = {parts}"));
        }
    };
    let group = product([by.tensor, by.pipeline, by.context]);
    divides("`gpus`", gpus, "tensor × pipeline × context parallel", group);
    divides("copies × context × tensor", product([by.data, by.context, by.tensor]), "`expert_parallel`", by.expert);
    divides("`sequence`", job.sequence, "`context_parallel`", by.context);
    if let Ok((shape, _)) = &job.shape {
        divides("`heads`", shape.heads, "`tensor_parallel`", by.tensor);
        divides("`vocab`", shape.vocab, "`tensor_parallel`", by.tensor);
        divides("`layers`", shape.layers, "`pipeline_parallel`", by.pipeline);
        if let Some(experts) = shape.experts {
            divides("`experts`", experts.count, "`expert_parallel`", by.expert);
        }
    }
    if let Ok(batch) = &job.batch {
        divides("`batch`", *batch, "`sequence`", job.sequence);
    }
    if let Some(sequences) = sequences {
        let together = product([by.data, job.micro_batch]);
        divides("sequences of a batch", sequences, "copies × `micro_batch`", together);
    }
    uneven
}

/// How full the pipeline is here and in the sample that the pace stands on.
pub fn filled(job: &Job<'_>, layout: &Layout, pace: &Pace) -> Filled {
    let stages = layout.parallelism.pipeline;
    let full = |micro_batches: u64| formula::compute::pipeline_efficiency(micro_batches, stages, 1);
    let (1.., Some(micro_batches)) = (stages, layout.micro_batches) else { return Filled::ALWAYS };
    let here = full(micro_batches);
    let group = product([layout.parallelism.tensor, stages, layout.parallelism.context]);
    let copies = pace.sample_gpus().filter(|&gpus| gpus.is_multiple_of(group)).map(|gpus| gpus / group);
    let sample = match (copies, layout.sequences) {
        (Some(copies), Some(sequences)) if copies > 0 => full(div_ceil(sequences, product([copies, job.micro_batch]))),
        _ => here,
    };
    Filled { here, sample }
}
