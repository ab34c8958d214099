//! Sizing of `dataprep`: cores, memory and reads to be done in time.

use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::Id;
use crate::model::kinds::Dataprep;

use super::figure::Figure;
use super::formula::dataprep::workers;
use super::formula::round::{ceil_units, div_ceil, ratio};
use super::load::{self, Known, NO_NUMBER, put_known};
use super::node::Node;
use super::{Plan, readable};

/// Data preparation, sized.
#[derive(Debug, Clone, PartialEq)]
pub struct DataprepPlan {
    /// Which.
    pub id: Id<Dataprep>,
    /// Cores it needs to be done in time.
    pub cores: Option<u64>,
    /// Nodes of its pool that have so many cores.
    pub nodes: Option<u64>,
    /// Bytes of memory over all nodes.
    pub memory: Option<f64>,
    /// Bytes a second it reads.
    pub read_rate: Option<f64>,
}

/// Sizes one.
pub fn size(plan: &mut Plan<'_>, id: Id<Dataprep>) {
    let model = Arc::clone(&plan.model);
    let (block, dataprep) = (id.block(), &model[id]);
    let (cores, read_rate) = (cores(&model, id), read_rate(&model, id));
    let memory = cores.clone().map(|cores| cores as f64 * dataprep.memory_per_core.bytes());
    let figures = &mut plan.figures;
    put_known(
        figures,
        block,
        "cores",
        cores.clone().map(|cores| {
            Figure::exact(cores as f64, "", "data of a run ÷ (data a second of a core × time), rounded up")
                .of(block, "input")
                .of(block, "rate")
                .of(block, "within")
                .note("cores are taken to work independently of each other")
        }),
    );
    put_known(
        figures,
        block,
        "memory",
        memory.clone().map(|bytes| {
            let formula = "cores × memory of a core";
            Figure::exact(bytes, readable::memory(bytes), formula).of(block, "cores").of(block, "memory_per_core")
        }),
    );
    put_known(
        figures,
        block,
        "read_rate",
        read_rate.clone().map(|rate| {
            Figure::exact(rate, readable::rate(rate), "data of a run ÷ time").of(block, "input").of(block, "within")
        }),
    );
    let share = dataprep.shuffle.fraction();
    let exchanged = |figure: Figure| figure.of(block, "shuffle").note("each shuffled byte crosses the network once");
    put_known(
        figures,
        block,
        "shuffle_rate",
        read_rate.clone().map(|rate| {
            let formula = "data of a run × share that is shuffled ÷ time";
            exchanged(Figure::exact(rate * share, readable::rate(rate * share), formula).of(block, "read_rate"))
        }),
    );
    let input = load::setting(&model, id, "input", &dataprep.input).map(|input| input.bytes() * share);
    put_known(
        figures,
        block,
        "spill",
        input.map(|bytes| {
            let formula = "data of a run × share that is shuffled";
            Figure::exact(bytes, readable::data(bytes), formula).of(block, "input").of(block, "shuffle")
        }),
    );
    load::finish(plan, block, None);
    let node = Node::of(&model, &model[dataprep.runs_on]);
    let nodes = cores.clone().ok().and_then(|cores| nodes(&node, cores, memory.clone().ok()));
    plan.datapreps
        .insert(id, DataprepPlan { id, cores: cores.ok(), nodes, memory: memory.ok(), read_rate: read_rate.ok() });
}

fn cores(model: &Model<'_>, id: Id<Dataprep>) -> Known<u64> {
    let dataprep = &model[id];
    let input = load::setting(model, id, "input", &dataprep.input)?.bytes();
    let rate = load::setting(model, id, "rate", &dataprep.rate)?.bytes_per_second();
    let within = load::setting(model, id, "within", &dataprep.within)?.seconds();
    match workers(input, rate, within) {
        u64::MAX => Err(Arc::from(format!("{NO_NUMBER} cores is done in time"))),
        cores => Ok(cores),
    }
}

fn read_rate(model: &Model<'_>, id: Id<Dataprep>) -> Known<f64> {
    let dataprep = &model[id];
    let input = load::setting(model, id, "input", &dataprep.input)?.bytes();
    let within = load::setting(model, id, "within", &dataprep.within)?.seconds();
    let rate = ratio(input, within);
    if rate.is_finite() { Ok(rate) } else { Err(Arc::from("a run has no time to read in")) }
}

/// Nodes that have the cores, and the memory where that is known.
fn nodes(node: &Node, cores: u64, memory: Option<f64>) -> Option<u64> {
    let by_cores = div_ceil(cores, node.cores.filter(|&cores| cores > 0)?);
    let by_memory = memory.zip(node.memory.filter(|&memory| memory > 0.0)).map(|(need, has)| ceil_units(need / has));
    Some(by_cores.max(by_memory.unwrap_or(0)))
}
