//! Batch scripts: one for each workload that runs in a cluster.
//!
//! A script asks for what the plan says and starts the program that it is given; it knows nothing of the program. What
//! the plan cannot know either, where data and checkpoints are mounted, must be given when the job is submitted.

mod end;

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::base::phrase;
use crate::base::quantity::Tokens;
use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{self, Cluster, Dataset, Partition, Pool, Storage, Tenant};
use crate::model::words::{PrepEngine, Technology};
use crate::plan::formula::round::div_ceil;
use crate::plan::{Memory, Plan};

use super::machine::Machine;
use super::topology::main_fabric;
use super::{partitions, problems};
use end::{End, Queued};

/// A batch script.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Job {
    /// The workload.
    pub address: String,
    /// Its name, that of the job.
    pub name: String,
    /// The name of the file: the kind before it where workloads of two kinds have one name.
    pub file: String,
    /// What it is, in words.
    pub said: Vec<String>,
    /// The queue.
    pub partition: Option<String>,
    /// The feature of its nodes, where the queue has others too.
    pub constraint: Option<String>,
    /// The tenant's account.
    pub account: Option<String>,
    /// Nodes; absent when not known.
    pub nodes: Option<u64>,
    /// `h200:8`.
    pub gpus: Option<String>,
    /// Nodes that must be in one NVLink domain together: those whose GPUs share a layer or its experts.
    pub segment: Option<u64>,
    /// GPUs of a node.
    pub gpus_per_node: u64,
    /// CPUs of a node.
    pub cpus: u64,
    /// Cores for each GPU, or of a node without GPUs.
    pub threads: u64,
    /// MiB of a node; all of it when absent.
    pub memory: Option<u64>,
    /// When it ends, and what comes before that.
    #[serde(flatten)]
    pub end: End,
    /// Whether traffic between nodes goes over RDMA.
    pub rdma: bool,
    /// Places that must be given.
    pub places: Vec<Named>,
    /// What the program may read from its environment.
    pub exports: Vec<Named>,
    /// The engine of data preparation.
    pub engine: Option<&'static str>,
}

/// A variable of the script.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Named {
    /// Its name.
    pub name: &'static str,
    /// What it is or where it is, in words, or its value.
    pub value: String,
}

/// What the scripts of a cluster share.
struct Context<'p, 'm> {
    plan: &'p Plan<'m>,
    cluster: Id<Cluster>,
    machines: &'p [Machine],
    /// True where jobs can ask for nodes of one NVLink domain.
    blocks: bool,
}

/// What every workload says of where it runs.
struct Place {
    block: BlockId,
    pool: Id<Pool>,
    queue: Option<Id<Partition>>,
    tenant: Option<Id<Tenant>>,
}

/// The scripts of a cluster, in source order: training, fine-tuning, data preparation.
pub fn of(
    plan: &Plan<'_>,
    cluster: Id<Cluster>,
    machines: &[Machine],
    blocks: bool,
    found: &mut Vec<Diagnostic>,
) -> Vec<Job> {
    let context = Context { plan, cluster, machines, blocks };
    let tables = &plan.model.tables;
    let mut jobs = Vec::new();
    jobs.extend(tables.trainings.iter().filter_map(|training| context.training(training, found)));
    jobs.extend(tables.finetunes.iter().filter_map(|finetune| context.finetune(finetune, found)));
    jobs.extend(tables.datapreps.iter().filter_map(|dataprep| context.dataprep(dataprep, found)));
    tell_apart(&mut jobs);
    jobs
}

/// Names are unique in their kind only; files need more.
fn tell_apart(jobs: &mut [Job]) {
    let names: Vec<String> = jobs.iter().map(|job| job.name.clone()).collect();
    for job in jobs {
        if names.iter().filter(|name| **name == job.name).count() > 1 {
            job.file = job.address.replace('.', "-");
        }
    }
}

impl Context<'_, '_> {
    fn model(&self) -> &Model<'_> {
        &self.plan.model
    }

    fn training(&self, training: &kinds::Training, found: &mut Vec<Diagnostic>) -> Option<Job> {
        let place = Place {
            block: training.id.block(),
            pool: training.runs_on,
            queue: training.queue,
            tenant: training.tenant,
        };
        let machine = self.machine(&place)?;
        let sized = self.plan.trainings.get(&training.id)?;
        let mut job = self.job(&place, machine);
        self.spread(&mut job, machine, (sized.gpus, sized.nodes), place.block, found);
        job.end = self.end(&place, sized.time.map(|(_, _, high)| high));
        found.extend(self.refused(&job, &place));
        let model = self.model();
        job.said.push(format!(
            "Training of {}: {} on {}.",
            model.address(training.model.block()),
            phrase::count(sized.gpus, "GPU"),
            phrase::count(sized.nodes, "node")
        ));
        job.said.extend(memory_said(sized.memory.as_ref()));
        let checkpoint = training.checkpoint.first().map(|&id| &model[id]);
        job.places.extend(checkpoint.map(|checkpoint| self.at_storage("CHECKPOINT_DIR", checkpoint.to, "checkpoints")));
        job.places.extend(self.read("DATA_DIR", &training.reads));
        let spread = &sized.parallelism;
        job.segment = self.segment(&job, machine, spread.tensor.max(spread.expert));
        job.exports = vec![
            number("TENSOR_PARALLEL", spread.tensor),
            number("PIPELINE_PARALLEL", spread.pipeline),
            number("CONTEXT_PARALLEL", spread.context),
            number("EXPERT_PARALLEL", spread.expert),
            number("DATA_PARALLEL", spread.data),
            Named { name: "STATES", value: training.states.word().to_string() },
            Named { name: "RECOMPUTE", value: training.recompute.word().to_string() },
            number("MICRO_BATCH", training.micro_batch),
        ];
        job.exports.extend(tokens("SEQUENCE_LENGTH", training.sequence));
        job.exports.extend(sized.sequences.map(|sequences| number("GLOBAL_BATCH", sequences)));
        job.exports.extend(training.tokens.given().and_then(|&all| tokens("TRAIN_TOKENS", all)));
        let every = sized.checkpoint_every.map(|every| number("CHECKPOINT_SECONDS", every as u64));
        job.exports.extend(every.filter(|_| checkpoint.is_some()));
        job.exports.extend(checkpoint.map(|checkpoint| number("CHECKPOINT_KEEP", checkpoint.keep)));
        job.end.tell_through(checkpoint.map(|_| "CHECKPOINT_DIR"));
        Some(job)
    }

    fn finetune(&self, finetune: &kinds::Finetune, found: &mut Vec<Diagnostic>) -> Option<Job> {
        let place = Place {
            block: finetune.id.block(),
            pool: finetune.runs_on,
            queue: finetune.queue,
            tenant: finetune.tenant,
        };
        let machine = self.machine(&place)?;
        let sized = self.plan.finetunes.get(&finetune.id)?;
        let mut job = self.job(&place, machine);
        self.spread(&mut job, machine, (sized.gpus, sized.nodes), place.block, found);
        job.end = self.end(&place, sized.time.map(|(_, _, high)| high));
        found.extend(self.refused(&job, &place));
        job.said.push(format!(
            "Fine-tuning of {} ({}): one run on {}.",
            self.model().address(finetune.model.block()),
            finetune.method.word(),
            phrase::count(sized.gpus, "GPU")
        ));
        job.said.extend(memory_said(sized.memory.as_ref()));
        job.places.extend(finetune.to.map(|to| self.at_storage("OUTPUT_DIR", to, "what it makes")));
        job.places.extend(self.read("DATA_DIR", &finetune.reads));
        job.exports = vec![
            Named { name: "METHOD", value: finetune.method.word().to_string() },
            number("MICRO_BATCH", finetune.micro_batch),
        ];
        job.exports.extend(finetune.rank.map(|rank| number("ADAPTER_RANK", rank)));
        job.exports.extend(tokens("SEQUENCE_LENGTH", finetune.sequence));
        job.exports.extend(finetune.tokens.given().and_then(|&all| tokens("TRAIN_TOKENS", all)));
        job.end.tell_through(finetune.to.map(|_| "OUTPUT_DIR"));
        Some(job)
    }

    fn dataprep(&self, dataprep: &kinds::Dataprep, found: &mut Vec<Diagnostic>) -> Option<Job> {
        let place = Place {
            block: dataprep.id.block(),
            pool: dataprep.runs_on,
            queue: dataprep.queue,
            tenant: dataprep.tenant,
        };
        let machine = self.machine(&place)?;
        let sized = self.plan.datapreps.get(&dataprep.id)?;
        let mut job = self.job(&place, machine);
        job.nodes = sized.nodes;
        job.said.push(match (sized.cores, sized.nodes) {
            (Some(cores), Some(nodes)) => {
                format!("Data preparation: {}, so {}.", phrase::count(cores, "core"), phrase::count(nodes, "node"))
            }
            _ => {
                String::from("Data preparation. How many nodes it needs is not known: give them with sbatch --nodes=N.")
            }
        });
        job.end = self.end(&place, None);
        found.extend(self.refused(&job, &place));
        job.places.extend(self.read("INPUT_DIR", &dataprep.reads));
        job.places.extend(self.written("OUTPUT_DIR", &dataprep.writes));
        job.engine = Some(match dataprep.engine {
            PrepEngine::Ray => "ray",
            PrepEngine::Spark => "spark",
            PrepEngine::Dask => "dask",
        });
        Some(job)
    }

    /// The machine of a workload's pool, when that is in this cluster.
    fn machine(&self, place: &Place) -> Option<&Machine> {
        self.machines.iter().find(|machine| machine.pool == place.pool)
    }

    /// The partition of a workload: its own queue, else one that has the nodes: that for jobs that name none before
    /// others.
    fn queue(&self, place: &Place) -> Option<Id<Partition>> {
        let model = self.model();
        let partitions = &model[self.cluster].partition;
        let holds = |&id: &Id<Partition>| model[id].pools.is_empty() || model[id].pools.contains(&place.pool);
        let own = place.queue.filter(|queue| partitions.contains(queue));
        let some = || partitions.iter().copied().filter(holds);
        own.or_else(|| some().find(|&id| model[id].default)).or_else(|| some().next())
    }

    /// The pool, where the queue has nodes of others too: what was sized for a pool runs on its nodes alone.
    fn constraint(&self, place: &Place, queue: Option<Id<Partition>>) -> Option<String> {
        let model = self.model();
        let pools = queue.map(|queue| &model[queue].pools).filter(|pools| !pools.is_empty());
        let other = |machine: &Machine| machine.pool != place.pool && !machine.names.is_empty();
        let mixed =
            self.machines.iter().any(|machine| other(machine) && pools.is_none_or(|all| all.contains(&machine.pool)));
        mixed.then(|| model.name(place.pool).to_string())
    }

    /// A job that takes whole nodes.
    fn job(&self, place: &Place, machine: &Machine) -> Job {
        let model = self.model();
        let rdma = main_fabric(self.plan, place.pool).is_some_and(|fabric| match model[fabric.id].technology {
            Technology::Infiniband => true,
            // An Ethernet fabric may or may not be set up for RDMA, and the language does not say.
            Technology::Ethernet => false,
        });
        let queue = self.queue(place);
        Job {
            address: model.address(place.block),
            name: model.block(place.block).name.to_string(),
            file: model.block(place.block).name.to_string(),
            said: Vec::new(),
            partition: queue.map(|queue| model.name(queue).to_string()),
            constraint: self.constraint(place, queue),
            account: place.tenant.map(|tenant| model.name(tenant).to_string()),
            nodes: None,
            gpus: None,
            segment: None,
            gpus_per_node: 0,
            cpus: machine.job_cpus(),
            threads: machine.cores() - machine.system_cores(),
            memory: None,
            end: End::default(),
            rdma,
            places: Vec::new(),
            exports: Vec::new(),
            engine: None,
        }
    }

    /// Why its queue does not take a job.
    fn refused(&self, job: &Job, place: &Place) -> Option<Diagnostic> {
        let (model, queue) = (self.model(), self.queue(place)?);
        let say = |why: String, help: &str| Some(problems::refused_job(model, place.block, queue, &why, help));
        if let Some((most, nodes)) = model[queue].max_nodes.zip(job.nodes).filter(|(most, nodes)| nodes > most) {
            let why = format!("whose jobs have at most {}: it takes {nodes}", phrase::count(most, "node"));
            return say(why, "raise `max_nodes` of the partition, or name another `queue`");
        }
        let held = self.machines.iter().map(|machine| machine.pool);
        let pools = held.filter(|pool| model[queue].pools.is_empty() || model[queue].pools.contains(pool));
        let only = partitions::tenant(model, pools).filter(|only| place.tenant.is_some_and(|own| own != *only))?;
        let why = format!("which is for `{}` alone", model.address(only.block()));
        say(why, "change its `tenant` or `runs_on`")
    }

    /// Spreads GPUs evenly over nodes, with their share of CPUs and memory.
    fn spread(
        &self,
        job: &mut Job,
        machine: &Machine,
        (gpus, nodes): (u64, u64),
        block: BlockId,
        found: &mut Vec<Diagnostic>,
    ) {
        let nodes = nodes.max(1);
        let all = machine.gpu_count();
        let even = gpus % nodes == 0 && gpus / nodes <= all;
        if !even {
            found.push(problems::uneven_job(self.model(), block, gpus, nodes));
        }
        let each = if even { gpus / nodes } else { all };
        job.nodes = Some(nodes);
        job.gpus_per_node = each;
        job.gpus = machine.gpus.as_ref().filter(|_| each > 0).map(|gpus| match &gpus.kind {
            Some(kind) => format!("{kind}:{each}"),
            None => each.to_string(),
        });
        let per_gpu = machine.cpus_per_gpu().unwrap_or(0);
        job.threads = (per_gpu / machine.threads_per_core.max(1)).max(1);
        if each < all {
            job.cpus = (per_gpu * each).max(1);
            job.memory = machine.memory_per_gpu().map(|memory| memory * each);
        }
    }

    /// Nodes that so many GPUs with traffic of their own take, where a node has fewer and an NVLink domain has enough.
    fn segment(&self, job: &Job, machine: &Machine, together: u64) -> Option<u64> {
        let nodes = div_ceil(together, job.gpus_per_node);
        let fits = nodes > 1 && job.nodes.is_some_and(|all| all.is_multiple_of(nodes));
        (self.blocks && fits && machine.domain.is_some_and(|domain| nodes <= domain)).then_some(nodes)
    }

    fn end(&self, place: &Place, needed: Option<f64>) -> End {
        let queued = Queued { cluster: self.cluster, partition: self.queue(place), tenant: place.tenant };
        End::of(self.model(), queued, needed)
    }

    fn at_storage(&self, name: &'static str, storage: Id<Storage>, what: &str) -> Named {
        Named { name, value: format!("{what} on {}", self.model().address(storage.block())) }
    }

    /// Where data sets are read: where they are copied to before, or where they are kept.
    fn read(&self, name: &'static str, sets: &[Id<Dataset>]) -> Option<Named> {
        let model = self.model();
        self.places(name, sets, |set| model[set].prefetch_to.or(model[set].lives_on))
    }

    /// Where data sets are written: where they are kept.
    fn written(&self, name: &'static str, sets: &[Id<Dataset>]) -> Option<Named> {
        let model = self.model();
        self.places(name, sets, |set| model[set].lives_on)
    }

    fn places(
        &self,
        name: &'static str,
        sets: &[Id<Dataset>],
        at: impl Fn(Id<Dataset>) -> Option<Id<Storage>>,
    ) -> Option<Named> {
        let model = self.model();
        let address = |set: Id<Dataset>| match at(set) {
            Some(storage) => format!("{} on {}", model.address(set.block()), model.address(storage.block())),
            None => model.address(set.block()),
        };
        let words: Vec<String> = sets.iter().map(|&set| address(set)).collect();
        (!words.is_empty()).then(|| Named { name, value: words.join(", ") })
    }
}

fn number(name: &'static str, value: u64) -> Named {
    Named { name, value: value.to_string() }
}

/// A number of tokens that is a whole one.
fn tokens(name: &'static str, count: Tokens) -> Option<Named> {
    count.exact().to_u64().map(|count| number(name, count))
}

fn memory_said(memory: Option<&Memory>) -> Option<String> {
    let memory = memory?;
    let gib = |bytes: f64| bytes / f64::from(1u32 << 30);
    Some(format!("Memory of a GPU: {:.1} GiB needed, {:.1} GiB there.", gib(memory.need), gib(memory.available)))
}
