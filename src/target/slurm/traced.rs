//! What the keys of nodes, partitions and jobs came from: the rules of this target in words, with their sums.

use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Cluster, Pool};
use crate::model::words::Scheduler;
use crate::plan::Plan;
use crate::plan::readable;
use crate::target::trace::Trace;

use super::View;
use super::jobs::Job;
use super::machine::{LARGE_SOCKET, Machine, STEP, SYSTEM_LEAST};
use super::nodes::Nodes;
use super::partitions::{self, Partition};

/// Every traced key of every cluster that is written.
pub fn of(plan: &Plan<'_>) -> Vec<Trace> {
    let clusters = plan.model.tables.clusters.iter().filter(|cluster| cluster.scheduler == Scheduler::Slurm);
    clusters.flat_map(|cluster| one(plan, cluster.id)).collect()
}

fn one(plan: &Plan<'_>, id: Id<Cluster>) -> Vec<Trace> {
    // What cannot be written is said by a build.
    let mut found = Vec::new();
    let Some(view) = View::of(plan, id, &mut found) else { return Vec::new() };
    let machines = super::machines(plan, id, &mut found);
    let facts = Facts { plan, id, machines: &machines };
    let mut all = facts.cluster(&view);
    for nodes in &view.nodes {
        let machine = machines.iter().find(|machine| facts.address(machine.pool.block()) == nodes.address);
        all.extend(machine.into_iter().flat_map(|machine| facts.nodes(nodes, machine)));
    }
    all.extend(view.partitions.iter().flat_map(|partition| facts.partition(partition)));
    all.extend(view.jobs.iter().flat_map(|job| facts.job(job)));
    all
}

/// Traces of one block.
struct Lines {
    address: String,
    all: Vec<Trace>,
}

impl Lines {
    fn new(address: &str) -> Lines {
        Lines { address: address.to_string(), all: Vec::new() }
    }

    /// Adds a key, where it has a value.
    fn add(&mut self, key: &str, value: Option<impl ToString>, how: impl Into<String>, of: &[String]) {
        let Some(value) = value.map(|value| value.to_string()) else { return };
        let (address, key) = (self.address.clone(), key.to_string());
        self.all.push(Trace { address, key, value, how: how.into(), of: of.to_vec() });
    }

    /// An attribute of the block itself.
    fn own(&self, attribute: &str) -> String {
        format!("{}.{attribute}", self.address)
    }
}

/// What the traces of a cluster are read from.
struct Facts<'p, 'm> {
    plan: &'p Plan<'m>,
    id: Id<Cluster>,
    machines: &'p [Machine],
}

impl Facts<'_, '_> {
    fn model(&self) -> &Model<'_> {
        &self.plan.model
    }

    fn address(&self, block: BlockId) -> String {
        self.model().address(block)
    }

    /// An attribute of what the nodes of a pool are.
    fn product(&self, pool: Id<Pool>, attribute: &str) -> Option<String> {
        let product = self.plan.pool(pool).node.product?;
        self.model().block(product).kind.schema().attribute(attribute)?;
        Some(format!("{}.{attribute}", self.address(product)))
    }

    fn products(&self, pool: Id<Pool>, attributes: &[&str]) -> Vec<String> {
        attributes.iter().filter_map(|attribute| self.product(pool, attribute)).collect()
    }

    /// The first of these that is said: the rest is not looked at then.
    fn said(&self, pool: Id<Pool>, attributes: &[&'static str]) -> Vec<String> {
        let Some(product) = self.plan.pool(pool).node.product else { return Vec::new() };
        let written = |name: &&&str| {
            self.model()
                .block(product)
                .kind
                .schema()
                .attribute(name)
                .is_some_and(|(at, _)| self.model().block(product).slot(at).is_some())
        };
        attributes.iter().find(written).and_then(|name| self.product(pool, name)).into_iter().collect()
    }

    fn cluster(&self, view: &View) -> Vec<Trace> {
        let mut lines = Lines::new(&view.address);
        let limits: Vec<String> = view.partitions.iter().map(|line| format!("{}.max_time", line.address)).collect();
        let how = "the longest `max_time` of its partitions in minutes, from one day to 30; 7 days where one has none";
        lines.add("bf_window=", Some(view.window), how, if limits == [lines.own("max_time")] { &[] } else { &limits });
        let idle = view.power.as_ref().map(|power| power.idle);
        lines.add("SuspendTime=", idle, "seconds, from a minute to a year", &[lines.own("suspend_after")]);
        let mut control = Lines::new(&view.control.address);
        let nodes = [control.own("nodes"), control.own("node_names")];
        for host in &view.control.hosts {
            let how = "the first node of the control pool is the controller, the second takes over";
            control.add("SlurmctldHost=", Some(host), how, &nodes);
        }
        let how = "the third node of the control pool, the last where there are fewer";
        control.add("AccountingStorageHost=", Some(&view.control.database), how, &nodes);
        lines.all.into_iter().chain(control.all).collect()
    }

    fn nodes(&self, nodes: &Nodes, machine: &Machine) -> Vec<Trace> {
        let mut lines = Lines::new(&nodes.address);
        let pool = machine.pool;
        let names = [lines.own("nodes"), lines.own("node_names")];
        for hosts in nodes.groups.iter().map(|group| &group.hosts).chain([&nodes.hosts]) {
            lines.add("NodeName=", Some(hosts), "the pool's name and a number, or the names it gives", &names);
        }
        self.processors(&mut lines, nodes, pool);
        self.memory(&mut lines, nodes, machine);
        let cut = [lines.own("mig"), lines.own("gpu_shares")];
        let gpus = self.products(pool, &["gpus"]);
        let gres: Vec<String> = if nodes.sliced || machine.gpus.as_ref().is_some_and(|gpus| gpus.turns().is_some()) {
            gpus.iter().cloned().chain(cut).collect()
        } else {
            gpus.clone()
        };
        let how = "GPUs of a node by the `slurm_type` of the GPU; slices or turns where they are cut or shared";
        lines.add("Gres=", nodes.gres.as_deref(), how, &gres);
        lines.add(
            "Feature=",
            Some(&nodes.features),
            "the pool, the type of its GPUs, the technology of its fabric",
            &[],
        );
        let how = "100 with GPUs, 10 without, 1000 more where rented: the lower weight is used first";
        lines.add("Weight=", Some(nodes.weight), how, &self.products(pool, &["gpus"]));
        let how = "GPUs of a node, as its driver counts them";
        lines.add("wanted=", Some(nodes.units).filter(|&units| units > 0), how, &gpus);
        let how = "ports of a node on all InfiniBand fabrics that connect it";
        lines.add("ports=", Some(nodes.ports).filter(|&ports| ports > 0), how, &[]);
        for device in &nodes.devices {
            let how = if device.cores.is_some() {
                "the device files of the GPUs near one socket or NUMA domain"
            } else {
                "the device files of all GPUs of a node"
            };
            let near = self.products(pool, &["gpus", "gpu_numa"]);
            lines.add("File=", device.files.as_ref(), how, &near);
            let how = "the cores of that domain, counted without their threads";
            lines.add("Cores=", device.cores.as_ref(), how, &self.products(pool, &["gpu_numa"]));
            let how = "the variables that tell a job its GPUs, those of this maker alone";
            lines.add("Flags=", device.flags, how, &[]);
            lines.add("Count=", device.count, "GPUs of a node × turns on each", &[lines.own("gpu_shares")]);
        }
        lines.all
    }

    fn processors(&self, lines: &mut Lines, nodes: &Nodes, pool: Id<Pool>) {
        let Nodes { sockets, cores, threads, cpus, .. } = nodes;
        let of_sockets = self.said(pool, &["sockets", "cpus", "vcpus"]);
        let of_cores = self.said(pool, &["cores_per_socket", "cpus", "vcpus"]);
        let of_threads = self.said(pool, &["threads_per_core", "cpus", "vcpus"]);
        let (of_sockets, of_cores) = match (nodes.numa, nodes.rented) {
            (true, _) => (self.products(pool, &["numa_nodes"]), self.products(pool, &["numa_nodes", "cpus"])),
            (false, true) => (Vec::new(), of_cores),
            (false, false) => (of_sockets, of_cores),
        };
        let how = match (nodes.numa, nodes.rented) {
            (true, _) => "the firmware cuts sockets into NUMA domains, which are its sockets to Slurm",
            (false, true) => "how many sockets an instance has is not known: one is written",
            (false, false) => "sockets of a node",
        };
        let all = format!("{sockets} sockets × {cores} cores × {threads} threads = {cpus}");
        lines.add("CPUs=", Some(cpus), all, &[]);
        lines.add("SocketsPerBoard=", Some(sockets), how, &of_sockets);
        lines.add("CoresPerSocket=", Some(cores), "cores of each of these", &of_cores);
        lines.add("ThreadsPerCore=", Some(threads), "threads of a core", &of_threads);
        let how = format!("one core of each of {sockets} sockets, because a socket has {LARGE_SOCKET} cores or more");
        lines.add("CoreSpecCount=", Some(nodes.system_cores).filter(|&cores| cores > 0), how, &[]);
    }

    fn memory(&self, lines: &mut Lines, nodes: &Nodes, machine: &Machine) {
        let Nodes { memory, system_memory, job_memory, .. } = nodes;
        let how = match nodes.measured {
            true => "what was measured",
            false => "95 % of what is installed, at least 1 GiB less",
        };
        let how = format!("{how}, in MiB, rounded down to a multiple of {STEP}");
        lines.add("RealMemory=", Some(memory), how, &self.visible(machine));
        let reserve = Some(system_memory).filter(|&&memory| memory > 0);
        let how = format!(
            "2 % of RealMemory, at least {SYSTEM_LEAST} MiB, rounded up to whole GiB; {memory} − {system_memory} = \
            {job_memory} MiB are left for jobs"
        );
        lines.add("MemSpecLimit=", reserve, how, &[]);
    }

    /// What says how much memory a node shows.
    fn visible(&self, machine: &Machine) -> Vec<String> {
        self.products(machine.pool, &[if machine.measured { "real_memory" } else { "memory" }])
    }

    fn partition(&self, partition: &Partition) -> Vec<Trace> {
        let mut lines = Lines::new(&partition.address);
        // A cluster without partitions has one line for all nodes, and no attributes for it.
        let own = partition.address != self.address(self.id.block());
        let of = |attribute: &str| if own { vec![format!("{}.{attribute}", partition.address)] } else { Vec::new() };
        lines.add(
            "Nodes=",
            Some(&partition.nodes),
            "the nodes of its pools; of all pools where it names none",
            &of("pools"),
        );
        lines.add(
            "Default=",
            Some(if partition.default { "YES" } else { "NO" }),
            "where jobs go that name none",
            &of("default"),
        );
        let longest = partition.max_time.as_deref().unwrap_or("UNLIMITED");
        lines.add(
            "MaxTime=",
            Some(longest),
            "days-hours:minutes:seconds; no limit where none is said",
            &of("max_time"),
        );
        let how = "an hour where none is said, and never more than `max_time`";
        lines.add("DefaultTime=", partition.default_time.as_ref(), how, &of("default_time"));
        lines.add("MaxNodes=", partition.max_nodes, "the most nodes of a job", &of("max_nodes"));
        lines.add("PriorityTier=", Some(partition.tier), "1 where none is said", &of("priority"));
        lines.add("PriorityJobFactor=", Some(partition.tier), "the same as PriorityTier", &of("priority"));
        lines.add("PreemptMode=", partition.preempt, "OFF where none is said", &of("preempt"));
        lines.add("GraceTime=", partition.grace, "seconds", &of("grace"));
        let how = "all its nodes are for this tenant alone";
        lines.add("AllowAccounts=", partition.account.as_ref(), how, &of("pools"));
        let members: Vec<&Machine> = partitions::members(self.model(), self.id, &partition.name, self.machines);
        self.defaults(&mut lines, partition, &members);
        self.weights(&mut lines, partition, &members);
        lines.all
    }

    /// What a job gets for each GPU or CPU: what the node has the least of decides.
    fn defaults(&self, lines: &mut Lines, partition: &Partition, members: &[&Machine]) {
        let least = |of: &dyn Fn(&Machine) -> Option<u64>, wanted: Option<u64>| {
            members.iter().copied().find(|machine| wanted.is_some() && of(machine) == wanted)
        };
        if let Some(machine) = least(&Machine::cpus_per_gpu, partition.cpus_per_gpu) {
            let how = format!(
                "({} cores − {} for the system) ÷ {}, in whole cores × {} threads{}",
                machine.cores(),
                machine.system_cores(),
                gpus(machine),
                machine.threads_per_core,
                self.of_pool(machine, members)
            );
            lines.add("DefCpuPerGPU=", partition.cpus_per_gpu, how, &self.products(machine.pool, &["gpus"]));
        }
        if let Some(machine) = least(&Machine::memory_per_gpu, partition.memory_per_gpu) {
            let how = format!("{} ÷ {}{}", for_jobs(machine), gpus(machine), self.of_pool(machine, members));
            let of = [self.visible(machine), self.products(machine.pool, &["gpus"])].concat();
            lines.add("DefMemPerGPU=", partition.memory_per_gpu, how, &of);
        }
        if let Some(machine) = least(&Machine::memory_per_cpu, partition.memory_per_cpu) {
            let cpus = machine.job_cpus();
            let how = format!("{} ÷ {cpus} CPUs for jobs{}", for_jobs(machine), self.of_pool(machine, members));
            lines.add("DefMemPerCPU=", partition.memory_per_cpu, how, &self.visible(machine));
        }
    }

    /// What a GiB or a GPU weighs in CPUs: the node where it weighs most decides.
    fn weights(&self, lines: &mut Lines, partition: &Partition, members: &[&Machine]) {
        let most = |of: &dyn Fn(&Machine) -> Option<u64>| {
            let largest = members.iter().filter_map(|machine| of(machine)).max()?;
            members.iter().copied().find(|machine| of(machine) == Some(largest))
        };
        let cpus = |machine: &Machine| format!("{} CPUs for jobs ÷", machine.job_cpus());
        if let Some(machine) = most(&|machine| Some(partitions::memory_weight(machine))) {
            let how =
                format!("{} {}, for each GiB{}", cpus(machine), for_jobs(machine), self.of_pool(machine, members));
            let weight = partition.memory_weight.as_ref().map(|weight| format!("{weight}G"));
            lines.add("Mem=", weight, how, &self.visible(machine));
        }
        if let Some(machine) = most(&partitions::gpu_weight) {
            let how = format!("{} {}{}", cpus(machine), gpus(machine), self.of_pool(machine, members));
            lines.add("GRES/gpu=", partition.gpu_weight.as_ref(), how, &self.products(machine.pool, &["gpus"]));
        }
        if let Some(machine) = most(&partitions::shard_weight) {
            let how = format!("{} turns on its GPUs{}", cpus(machine), self.of_pool(machine, members));
            let shares = format!("{}.gpu_shares", self.address(machine.pool.block()));
            lines.add("GRES/shard=", partition.shard_weight.as_ref(), how, &[shares]);
        }
    }

    /// Which pool decided, where there are several.
    fn of_pool(&self, machine: &Machine, members: &[&Machine]) -> String {
        let one = members.len() < 2;
        if one { String::new() } else { format!(", by the nodes of {}", self.address(machine.pool.block())) }
    }

    fn job(&self, job: &Job) -> Vec<Trace> {
        let mut lines = Lines::new(&job.address);
        let queue = job.partition.as_ref().map(|name| format!("{}.partition.{name}", self.address(self.id.block())));
        let limit: Vec<String> = queue.into_iter().map(|queue| format!("{queue}.max_time")).collect();
        let how = "its `queue`; else a partition that has its nodes, the default one before others";
        lines.add("--partition=", job.partition.as_ref(), how, &[lines.own("queue")]);
        let how = "the pool that it was sized for, because the partition has other nodes too";
        lines.add("--constraint=", job.constraint.as_ref(), how, &[lines.own("runs_on")]);
        lines.add("--account=", job.account.as_ref(), "the account of its tenant", &[lines.own("tenant")]);
        let how =
            if job.engine.is_some() { "as many as are done in time" } else { "GPUs ÷ GPUs of a node, rounded up" };
        let of = lines.own(if job.engine.is_some() { "cores_needed" } else { "gpus" });
        lines.add("--nodes=", job.nodes, how, &[of]);
        lines.add("--gpus-per-node=", job.gpus.as_ref(), "its GPUs ÷ its nodes", &[lines.own("gpus")]);
        let whole = job.memory.is_none();
        let how = if whole { "all CPUs of a node that are for jobs" } else { "DefCpuPerGPU × its GPUs of a node" };
        lines.add("--cpus-per-task=", Some(job.cpus), how, &[lines.own("runs_on")]);
        let memory = job.memory.map_or(String::from("0"), |memory| format!("{memory}M"));
        let how = if whole { "all memory of a node that is for jobs" } else { "DefMemPerGPU × its GPUs of a node" };
        lines.add("--mem=", Some(memory), how, &[lines.own("runs_on")]);
        self.time(&mut lines, job, &limit);
        let how = "seconds before its end that the job is told so";
        lines.add("--signal=", job.end.lead.map(|lead| format!("B:USR1@{lead}")), how, &limit);
        lines.all
    }

    /// What the work needs at most, and what the queue allows.
    fn time(&self, lines: &mut Lines, job: &Job, limit: &[String]) {
        let allowed = job.end.allowed.map(readable::time_text);
        let needed = job.end.needed.map(readable::time_text);
        let how = match (needed, allowed) {
            (Some(needed), Some(allowed)) => {
                format!("{needed} at most, rounded up to whole hours, and not more than the {allowed} of its partition")
            }
            (Some(needed), None) => format!("{needed} at most, rounded up to whole hours"),
            (None, _) => String::from("how long it needs is not known: what its partition allows"),
        };
        let need = job.end.needed.map(|_| lines.own("time"));
        let of: Vec<String> = need.into_iter().chain(limit.iter().cloned()).collect();
        lines.add("--time=", job.end.time.as_ref(), how, &of);
    }
}

/// `8 GPUs`, in what Slurm counts.
fn gpus(machine: &Machine) -> String {
    format!("{} GPUs", machine.gpu_count())
}

/// `(2063000 − 41984) MiB for jobs`.
fn for_jobs(machine: &Machine) -> String {
    format!("({} − {}) MiB for jobs", machine.real_memory, machine.system_memory)
}
