//! What became of a platform with another machine in a pool.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::base::code::Code;
use crate::base::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::base::number::Number;
use crate::base::phrase;
use crate::base::quantity::Money;
use crate::compile::Compiled;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Finetune, Inference, Kind, Pool, Training};
use crate::plan::bill::{Category, Priced};
use crate::plan::figure::Estimate;
use crate::plan::formula::round::exceeds;
use crate::plan::{Fit, Memory, Plan, load, readable};

use super::candidate::Machine;

/// What a machine comes to.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Which.
    pub machine: Machine,
    /// GPUs of a node.
    pub gpus_per_node: Option<u64>,
    /// Nodes of the pool; nothing when they are not known.
    pub nodes: Option<u64>,
    /// GPUs of the pool.
    pub gpus: Option<u64>,
    /// Whether the loads fit into the GPUs' memory, the worst of them.
    pub fit: Option<Fit>,
    /// The largest share of a GPU's memory that a load needs.
    pub memory: Option<f64>,
    /// What each load comes to: its time, or its copies and what they promise.
    pub loads: Vec<String>,
    /// True for a machine of a cloud, whose power is the cloud's.
    pub rented: bool,
    /// Watts at most; nothing when they are not known or the cloud carries them.
    pub power: Option<f64>,
    /// What the pool costs.
    pub price: Price,
    /// Why it does not do; empty when it does.
    pub reasons: Vec<String>,
}

/// The price of a pool's nodes.
#[derive(Debug, Clone, PartialEq)]
pub enum Price {
    /// To buy them, by a quote.
    Once(Money),
    /// To rent them for a year, the most of a range.
    Yearly(Money),
    /// Nobody gave one, or none that can be added up.
    None,
}

impl Outcome {
    /// True when it does.
    pub fn does(&self) -> bool {
        self.reasons.is_empty()
    }

    /// The order of a comparison: what does first, then the fewest GPUs, the least power, the name.
    pub fn order(&self, other: &Outcome) -> Ordering {
        let last = |count: Option<u64>| count.filter(|&count| count > 0).unwrap_or(u64::MAX);
        let power = |watts: Option<f64>| watts.unwrap_or(f64::INFINITY);
        let (own, theirs) = (&self.machine.address, &other.machine.address);
        (!self.does())
            .cmp(&!other.does())
            .then_with(|| last(self.gpus).cmp(&last(other.gpus)))
            .then_with(|| power(self.power).total_cmp(&power(other.power)))
            .then_with(|| own.cmp(theirs))
    }
}

/// Errors by code and place, to tell new ones from those that a platform has anyway.
pub type Errors = BTreeSet<(Code, Option<String>)>;

/// The errors among problems.
pub fn errors(problems: &Diagnostics) -> Errors {
    problems.iter().filter(|problem| problem.severity == Severity::Error).map(key).collect()
}

fn key(problem: &Diagnostic) -> (Code, Option<String>) {
    (problem.code, problem.address.clone())
}

/// Reads what became of the pool.
pub fn of(compiled: &Compiled<'_>, pool: &str, machine: Machine, before: &Errors) -> Outcome {
    let mut outcome = Outcome {
        rented: machine.attribute == "instance",
        machine,
        gpus_per_node: None,
        nodes: None,
        gpus: None,
        fit: None,
        memory: None,
        loads: Vec::new(),
        power: None,
        price: Price::None,
        reasons: Vec::new(),
    };
    let name = pool.strip_prefix("pool.").unwrap_or(pool);
    let found = compiled.plan.as_ref().and_then(|plan| {
        let id = plan.model.find(Kind::Pool, name).and_then(|block| plan.model.as_id::<Pool>(block))?;
        Some((plan, id))
    });
    let Some((plan, id)) = found else {
        let errors = compiled.problems.iter().filter(|problem| problem.severity == Severity::Error);
        outcome.reasons.extend(errors.map(|problem| problem.message.clone()));
        if outcome.reasons.is_empty() {
            outcome.reasons.push(String::from("it cannot be sized"));
        }
        return outcome;
    };
    let mut judged = Vec::new();
    for &load in &plan.pool(id).loads {
        let said = Judge { plan, load }.judge(&mut outcome);
        if !said.is_empty() {
            judged.push(plan.model.address(load));
        }
        outcome.reasons.extend(said);
    }
    pool_of(plan, id, &mut outcome);
    outcome.reasons.extend(refusals(compiled, &judged, pool, before));
    outcome
}

/// Nodes, GPUs, power and price.
fn pool_of(plan: &Plan<'_>, id: Id<Pool>, outcome: &mut Outcome) {
    let row = plan.pool(id);
    outcome.gpus_per_node = Some(row.node.gpus).filter(|&gpus| gpus > 0);
    match load::reason(&plan.figures, id.block(), "nodes") {
        // A load that is not sized has said why.
        Some(why) if outcome.reasons.is_empty() => outcome.reasons.push(why.to_string()),
        Some(_) => {}
        None => {
            outcome.nodes = Some(row.nodes.high);
            outcome.gpus = Some(row.gpus);
            outcome.power = row.power;
            outcome.price = price(plan, id.block());
        }
    }
}

fn price(plan: &Plan<'_>, pool: BlockId) -> Price {
    let line = plan
        .bill
        .lines
        .iter()
        .find(|line| line.of == pool && matches!(line.category, Category::Server | Category::Instance));
    let Some((line, Priced::Known(each))) = line.map(|line| (line, &line.each)) else { return Price::None };
    let Some(amount) = each.amount.times(Number::whole(line.quantity.1)) else { return Price::None };
    let money = Money { amount, currency: each.currency };
    if line.category == Category::Server { Price::Once(money) } else { Price::Yearly(money) }
}

/// Errors of rules that the machine causes: those about the pool and its loads, and those elsewhere that were not there
/// before. What a load has said itself is not said twice.
fn refusals(compiled: &Compiled<'_>, judged: &[String], pool: &str, before: &Errors) -> Vec<String> {
    let about = |problem: &Diagnostic, block: &str| {
        let address = problem.address.as_deref().unwrap_or_default();
        address.strip_prefix(block).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let errors = compiled.problems.iter().filter(|problem| problem.severity == Severity::Error);
    let said = errors
        .filter(|problem| !judged.iter().any(|load| about(problem, load)))
        .filter(|problem| about(problem, pool) || !before.contains(&key(problem)))
        .map(|problem| problem.message.clone());
    let mut unique: Vec<String> = Vec::new();
    said.for_each(|message| {
        if !unique.contains(&message) {
            unique.push(message);
        }
    });
    unique
}

/// Looks at one load.
struct Judge<'p, 'a> {
    plan: &'p Plan<'a>,
    load: BlockId,
}

impl Judge<'_, '_> {
    /// What the load comes to, and why it does not do.
    fn judge(&self, outcome: &mut Outcome) -> Vec<String> {
        match self.plan.model.block(self.load).kind {
            Kind::Training => self.training(outcome),
            Kind::Finetune => self.finetune(outcome),
            Kind::Inference => self.inference(outcome),
            _ => Vec::new(),
        }
    }

    fn address(&self) -> String {
        self.plan.model.address(self.load)
    }

    fn training(&self, outcome: &mut Outcome) -> Vec<String> {
        let id: Option<Id<Training>> = self.plan.model.as_id(self.load);
        let Some((id, row)) = id.and_then(|id| Some((id, self.plan.trainings.get(&id)?))) else {
            return vec![self.unsized_because(&["gpus", "memory_per_gpu"])];
        };
        outcome.loads.push(format!("{} {}", self.address(), self.figure("time")));
        let mut reasons = self.memory(&row.memory, outcome);
        let deadline = self.plan.model[id].deadline.given().map(|time| time.seconds());
        reasons.extend(self.deadline(deadline, row.time));
        reasons.extend(row.uneven.iter().map(|uneven| format!("`{}`: {uneven}", self.address())));
        reasons
    }

    fn finetune(&self, outcome: &mut Outcome) -> Vec<String> {
        let id: Option<Id<Finetune>> = self.plan.model.as_id(self.load);
        let Some((id, row)) = id.and_then(|id| Some((id, self.plan.finetunes.get(&id)?))) else {
            return vec![self.unsized_because(&["gpus", "memory_per_gpu"])];
        };
        outcome.loads.push(format!("{} {}", self.address(), self.figure("time")));
        let mut reasons = self.memory(&row.memory, outcome);
        let deadline = self.plan.model[id].deadline.given().map(|time| time.seconds());
        reasons.extend(self.deadline(deadline, row.time));
        if row.busy.is_some_and(|busy| exceeds(busy, 1.0)) {
            reasons.push(format!("the runs of `{}` take {} of the time there is", self.address(), self.figure("busy")));
        }
        reasons
    }

    fn inference(&self, outcome: &mut Outcome) -> Vec<String> {
        let id: Option<Id<Inference>> = self.plan.model.as_id(self.load);
        let Some((id, row)) = id.and_then(|id| Some((id, self.plan.inferences.get(&id)?))) else {
            return vec![self.unsized_because(&["gpus_per_replica"])];
        };
        let Some(replicas) = row.replicas else {
            self.memory(&row.memory, outcome);
            // Copies are mostly not known because there is no room for a cache, which says by how much.
            return vec![self.unsized_because(&["kv_per_gpu", "replicas_needed", "replicas"])];
        };
        let copies = match (replicas.low, replicas.high) {
            (low, high) if low == high => phrase::count(high, "replica"),
            (low, high) => format!("{low} to {}", phrase::count(high, "replica")),
        };
        let mut text = format!("{} {copies} of {}", self.address(), phrase::count(row.gpus_per_replica, "GPU"));
        if row.first_token.is_some() {
            text.push_str(&format!(", first token {}", self.figure("first_token")));
        }
        if row.per_token.is_some() {
            text.push_str(&format!(", token {}", self.figure("per_token")));
        }
        outcome.loads.push(text);
        let mut reasons = self.memory(&row.memory, outcome);
        if let Some(missed) = &row.missed {
            reasons.push(format!("`{}`: {missed}", self.address()));
        }
        let inference = &self.plan.model[id];
        if !inference.demand.is_empty() {
            match row.needed {
                Some(needed) if needed > replicas.high => {
                    reasons.push(format!("`{}` needs {needed} replicas and has {}", self.address(), replicas.high))
                }
                Some(_) => {}
                None => reasons.push(self.unsized_because(&["replicas_needed"])),
            }
        }
        let promised = inference.slo.first().and_then(|&slo| self.plan.model[slo].first_token_p95);
        if let (Some(promised), Some((first, ..)), None) = (promised, row.first_token, &row.missed)
            && exceeds(first, promised.seconds())
        {
            reasons.push(format!(
                "`{}`: the first token comes {} later than promised",
                self.address(),
                readable::time_text(first - promised.seconds())
            ));
        }
        reasons
    }

    /// Whether it fits, and by how much it does not.
    fn memory(&self, memory: &Option<Memory>, outcome: &mut Outcome) -> Vec<String> {
        let Some(memory) = memory else {
            outcome.fit = Some(Fit::Unknown);
            return vec![self.unsized_because(&["memory_per_gpu", "weights_per_gpu"])];
        };
        let share = if memory.available > 0.0 { memory.need / memory.available } else { f64::INFINITY };
        outcome.memory = Some(outcome.memory.map_or(share, |other| other.max(share)));
        outcome.fit = Some(worst(outcome.fit, memory.fit));
        match memory.fit {
            Fit::No => vec![format!(
                "`{}` needs {} of memory on each GPU, {} more than there is",
                self.address(),
                readable::memory_text(memory.need),
                readable::memory_text(memory.need - memory.available)
            )],
            Fit::Yes | Fit::Tight | Fit::Unknown => Vec::new(),
        }
    }

    fn deadline(&self, deadline: Option<f64>, time: Option<(f64, f64, f64)>) -> Option<String> {
        let deadline = deadline?;
        match time {
            Some((time, ..)) if exceeds(time, deadline) => Some(format!(
                "`{}` is done {} after its deadline",
                self.address(),
                readable::time_text(time - deadline)
            )),
            Some(_) => None,
            None => Some(self.unsized_because(&["time"])),
        }
    }

    /// A figure with its bar: `119 days (113 to 126 days)`.
    fn figure(&self, attribute: &str) -> String {
        match self.plan.figures.get(self.load, attribute) {
            Some(Estimate::Known(figure)) => match figure.bar() {
                Some(bar) => format!("{} ({bar})", figure.show()),
                None => figure.show(),
            },
            Some(Estimate::Unknown(_)) | None => String::from("unknown"),
        }
    }

    /// Why a figure is not known: the first of them that says.
    fn unsized_because(&self, attributes: &[&str]) -> String {
        let why = attributes.iter().find_map(|name| load::reason(&self.plan.figures, self.load, name));
        match why {
            Some(why) => format!("`{}`: {why}", self.address()),
            None => format!("`{}` cannot be sized", self.address()),
        }
    }
}

fn worst(one: Option<Fit>, other: Fit) -> Fit {
    let rank = |fit: Fit| match fit {
        Fit::Yes => 0,
        Fit::Tight => 1,
        Fit::Unknown => 2,
        Fit::No => 3,
    };
    one.filter(|one| rank(*one) > rank(other)).unwrap_or(other)
}
