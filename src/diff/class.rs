//! How much a change hurts what runs already: one table, from kind and attribute to a class with its reason.
//!
//! The first row that fits decides, so of one attribute the worse rows stand first. A pair without a row gets the
//! careful answer of [`UNLISTED`]. To teach it something, add a row.

use crate::model::kinds::Kind;

use super::value::Trend;

/// What a change asks of whoever applies it, the mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// It can be applied while everything runs.
    Safe,
    /// What runs there has to end or move first.
    NeedsDrain,
    /// Something is taken away and made anew.
    Replace,
    /// Data are gone afterwards, or could be.
    LosesData,
}

impl Class {
    /// The worst first.
    pub const WORST_FIRST: [Class; 4] = [Self::LosesData, Self::Replace, Self::NeedsDrain, Self::Safe];

    /// The words people read.
    pub fn words(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::NeedsDrain => "needs drain",
            Self::Replace => "replace",
            Self::LosesData => "loses data",
        }
    }

    /// What it asks of whoever applies it.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Safe => "it can be applied while everything runs; daemons may read or start again, no job ends by it",
            Self::NeedsDrain => "what runs there has to end or move first; take the time for it before",
            Self::Replace => {
                "something is taken away and made anew: it needs a window, and what it held does not come along"
            }
            Self::LosesData => "data are gone afterwards, or could be: copy them first",
        }
    }
}

/// When a row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Whatever the values.
    Always,
    /// It becomes more, or is said for the first time.
    Grows,
    /// It becomes more than it is known to have been.
    Rises,
    /// It becomes less, is said no longer, or nobody can tell.
    Shrinks,
    /// A time to keep something becomes shorter, is said for the first time (before it was for ever), or nobody can
    /// tell.
    Shortens,
    /// Like `Rises`, on machines that are rented.
    RisesRented,
    /// The new capacity is below what is kept on the old side, or nobody can tell.
    BelowNeed,
}

/// What is known of a change beyond its attribute.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// Which way the value went.
    pub trend: Trend,
    /// The machines of the block are rented.
    pub rented: bool,
    /// The capacity no longer holds what is kept; nothing where that is not known.
    pub below_need: Option<bool>,
}

impl When {
    fn holds(self, facts: Facts) -> bool {
        let Facts { trend, rented, below_need } = facts;
        match self {
            Self::Always => true,
            Self::Grows => matches!(trend, Trend::Grows | Trend::Begins),
            Self::Rises => matches!(trend, Trend::Grows),
            Self::Shrinks => matches!(trend, Trend::Shrinks | Trend::Ends | Trend::Other),
            Self::Shortens => matches!(trend, Trend::Shrinks | Trend::Begins | Trend::Other),
            Self::RisesRented => rented && matches!(trend, Trend::Grows),
            Self::BelowNeed => !matches!(trend, Trend::Grows | Trend::Begins) && below_need.unwrap_or(true),
        }
    }
}

/// A block that is new.
pub const ADDED: &str = "+";
/// A block that is gone.
pub const REMOVED: &str = "-";
/// A block that has another name.
pub const RENAMED: &str = "@was";
/// The `##` lines above a block or attribute.
pub const DOC: &str = "##";
/// A waiver.
pub const WAIVER: &str = "@allow";
/// Whatever else changes of a kind, the marks above left out.
const REST: &str = "*";
/// Whatever changes of a kind, the marks above included.
const ANYTHING: &str = "**";

/// A row: of which kind (none: of every kind), which attributes or marks, when, how bad, why.
pub struct Row {
    kind: Option<Kind>,
    attributes: &'static [&'static str],
    when: When,
    class: Class,
    /// Why, in words.
    why: &'static str,
}

const fn row(kind: Kind, attributes: &'static [&'static str], when: When, class: Class, why: &'static str) -> Row {
    Row { kind: Some(kind), attributes, when, class, why }
}

const fn of_all(attributes: &'static [&'static str], class: Class, why: &'static str) -> Row {
    Row { kind: None, attributes, when: Always, class, why }
}

/// What a pair without a row gets. The careful answer is that something has to stop: a change that nobody has thought
/// about must not be called safe, and nothing that is known to make anew or to lose is left out of the table.
pub const UNLISTED: (Class, &str) = (NeedsDrain, "no row of the table knows it, so it is taken not to be safe");

const JOB: &str = "a job that runs keeps what it started with: it ends, or starts again from its last checkpoint";
const COPIES: &str = "every copy starts again";
const JUDGED: &str = "findings and figures are held against it, nothing that runs reads it";
const PEOPLE: &str = "people read it, machines do not";
const BESIDE: &str = "it comes beside what runs";
const FACTS: &str = "a fact of the hardware: node lines and cabling follow it, and somebody opens the machine";
const WIRES: &str = "links are pulled and plugged: what uses them ends first";
const AWAY: &str = "what uses it has to end or move first";
const NOT_IN_PLACE: &str = "it cannot be changed in place: the storage is made anew and starts empty";
const EXPIRES: &str = "what is older than the new time is deleted";
const NAMED: &str = "it acts through what names it, which is listed";
const NAMES: &str = "schedulers and fabrics know every node by name and port";
/// slurm.conf(5): new nodes need a restart of all daemons; scontrol(1): jobs that run continue.
const JOIN: &str = "schedulers read the list of nodes anew: Slurm's daemons start again, jobs that run go on";
const LEAVE: &str = "nodes leave: their jobs end first";
/// scontrol(1): when it is read again, jobs that run continue.
const REREAD: &str = "the controller reads it again without ending a job";
const LIMIT: &str = "jobs that run keep their limit; those that wait and ask for more do not start";
const FEEDS: &str = "its power is laid anew: what stands in it is switched off";
const CARRIED: &str = "machines are carried to another rack or place";
const FOREIGN: &str =
    "what a passed-on key changes is not known here: slurm.conf(5) says if daemons start again for it";
const PRICES: &str = "only money depends on it";

use Class::{LosesData, NeedsDrain, Replace, Safe};
use When::{Always, BelowNeed, Grows, Rises, RisesRented, Shortens, Shrinks};

/// The table.
pub const TABLE: &[Row] = &[
    of_all(&["title", "owner", DOC], Safe, PEOPLE),
    of_all(&[WAIVER], Safe, "a finding is shown or not, nothing that runs changes"),
    // Frame.
    row(Kind::Platform, &[RENAMED, ADDED, REMOVED], Always, Replace, "every output carries the name of the platform"),
    row(Kind::Platform, &["currency", "lifetime", "as_of", "needed_by"], Always, Safe, JUDGED),
    row(Kind::Let, &[ANYTHING], Always, Safe, NAMED),
    row(Kind::Platform, &["stage"], Always, Safe, "findings get stricter or milder; outputs carry it as a tag"),
    row(Kind::Param, &[ANYTHING], Always, Safe, "it acts through the attributes that name it, which are listed"),
    row(Kind::Environment, &[ANYTHING], Always, Safe, "it acts through what it sets, which is listed"),
    // Load.
    row(Kind::Model, &["license", "family"], Always, Safe, PEOPLE),
    row(Kind::Model, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Model, &[REST, REMOVED, RENAMED], Always, NeedsDrain, "whatever trains or serves it starts again"),
    row(Kind::Dataset, &[REMOVED], Always, LosesData, "nobody keeps it any longer"),
    row(Kind::Dataset, &["retention"], Shortens, LosesData, EXPIRES),
    row(Kind::Dataset, &["lives_on"], Always, LosesData, "the place that kept it keeps it no longer: copy it first"),
    row(Kind::Dataset, &[RENAMED], Always, Replace, "its path carries its name"),
    row(Kind::Dataset, &["prefetch_to"], Always, NeedsDrain, JOB),
    row(Kind::Dataset, &["class", "personal_data"], Always, Safe, JUDGED),
    row(Kind::Dataset, &["format"], Always, NeedsDrain, "its files are written anew, and what reads them starts again"),
    row(Kind::Dataset, &["size", "growth", "retention", "made_by", ADDED], Always, Safe, "no data are moved by it"),
    row(Kind::Training, &["deadline", "runs", "mfu", "takes_turns_with"], Always, Safe, JUDGED),
    row(Kind::Training, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Training, &[REST, REMOVED, RENAMED], Always, NeedsDrain, JOB),
    row(Kind::Checkpoint, &["keep"], Shrinks, LosesData, "the oldest checkpoints are deleted"),
    row(Kind::Checkpoint, &[REMOVED], Always, LosesData, "the next failure costs the whole run"),
    row(Kind::Checkpoint, &["keep", "stall_below", ADDED], Always, Safe, "the next checkpoint follows it"),
    row(Kind::Checkpoint, &[REST, RENAMED], Always, NeedsDrain, JOB),
    row(Kind::Baseline, &[ANYTHING], Always, Safe, "a measurement: only figures stand on it"),
    row(Kind::Assumption, &[ANYTHING], Always, Safe, "an assumption: only figures stand on it"),
    row(Kind::Finetune, &["deadline", "runs", "mfu", "takes_turns_with"], Always, Safe, JUDGED),
    row(Kind::Finetune, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Finetune, &[REST, REMOVED, RENAMED], Always, NeedsDrain, JOB),
    row(Kind::Inference, &["replicas"], Grows, Safe, "copies are added beside those that run"),
    row(Kind::Inference, &["replicas"], Always, NeedsDrain, "copies that answer requests are ended"),
    row(Kind::Inference, &["takes_turns_with"], Always, Safe, JUDGED),
    row(Kind::Inference, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Inference, &[RENAMED], Always, Replace, "its service and its address carry its name"),
    row(Kind::Inference, &[REST], Always, NeedsDrain, COPIES),
    row(Kind::Inference, &[REMOVED], Always, NeedsDrain, "requests on their way are lost unless they end first"),
    row(Kind::Demand, &[ANYTHING], Always, Safe, "it is what is expected; copies that follow from it are listed"),
    row(Kind::Slo, &[ANYTHING], Always, Safe, "it is what is promised; copies that follow from it are listed"),
    row(Kind::Rollout, &[ANYTHING], Always, Safe, "the next roll-out follows it"),
    row(Kind::Dataprep, &["input", "rate", "every", "within", "takes_turns_with"], Always, Safe, JUDGED),
    row(Kind::Dataprep, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Dataprep, &[REST, REMOVED, RENAMED], Always, NeedsDrain, "a run that is under way ends first"),
    row(
        Kind::Retrieval,
        &[
            "dimensions",
            "index",
            "engine",
            "bytes_per_number",
            "code_bits",
            "links",
            "embedder",
            "reads",
            "on",
            REMOVED,
            RENAMED,
        ],
        Always,
        Replace,
        "the index has to be built again from its datasets",
    ),
    row(Kind::Retrieval, &["replicas"], Grows, Safe, "copies are added beside those that run"),
    row(Kind::Retrieval, &["replicas"], Always, NeedsDrain, "copies that answer requests are ended"),
    row(Kind::Retrieval, &["rescore", "runs_on", "tenant"], Always, NeedsDrain, COPIES),
    row(Kind::Retrieval, &["vectors", "queries", ADDED], Always, Safe, "it is what is expected"),
    row(Kind::Tenant, &[REMOVED, RENAMED], Always, LosesData, "its namespace is deleted with the volumes in it"),
    row(Kind::Tenant, &["gpu_quota"], Shortens, Safe, "what runs goes on, nothing more starts beyond the quota"),
    row(Kind::Tenant, &[REST, ADDED], Always, Safe, "schedulers follow it from the next job on"),
    // Machines.
    row(
        Kind::Site,
        &["provider", "region", "country", REMOVED],
        Always,
        LosesData,
        "everything there, storage included, is made anew elsewhere",
    ),
    row(Kind::Site, &["zones", RENAMED], Always, Replace, "its networks and what stands in them are made anew"),
    row(Kind::Site, &["cooling", "power_limit", "power_price", "pue", "carbon_intensity"], Always, Safe, JUDGED),
    row(Kind::Site, &["air_limit"], Always, Safe, JUDGED),
    row(
        Kind::Site,
        &["racks_in_row", "row_pitch", "tray", "cable_slack"],
        Always,
        Safe,
        "a plan of the room: cables that get another length by it are in the bill",
    ),
    row(Kind::Site, &[ADDED], Always, Safe, BESIDE),
    row(
        Kind::Rack,
        &["count", "height", "power_limit", "weight_limit", "nodes_per_rack", "cooling", ADDED],
        Always,
        Safe,
        "machines that get another place by it are listed",
    ),
    row(Kind::Rack, &["feeds", "voltage", "current", "phases"], Always, NeedsDrain, FEEDS),
    row(Kind::Rack, &["site", "width", "depth", "airflow", REMOVED], Always, NeedsDrain, CARRIED),
    row(Kind::Rack, &[RENAMED], Always, Safe, PEOPLE),
    row(Kind::Server, &["product", "vendor", "part_number", REMOVED, RENAMED], Always, Replace, "another machine"),
    row(Kind::Server, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Server, &[REST], Always, NeedsDrain, FACTS),
    row(Kind::Gpu, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Gpu, &[REMOVED, RENAMED], Always, Safe, NAMED),
    row(Kind::Gpu, &[REST], Always, NeedsDrain, FACTS),
    row(Kind::Cpu, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Cpu, &[REMOVED, RENAMED], Always, Safe, NAMED),
    row(Kind::Cpu, &[REST], Always, NeedsDrain, FACTS),
    row(Kind::Disk, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Disk, &[REMOVED, RENAMED], Always, Safe, NAMED),
    row(Kind::Disk, &["product", "media", "capacity"], Always, LosesData, "disks are exchanged with what is on them"),
    row(Kind::Disk, &[REST], Always, NeedsDrain, FACTS),
    row(Kind::Nic, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Nic, &[REMOVED, RENAMED], Always, Safe, NAMED),
    row(Kind::Nic, &[REST], Always, NeedsDrain, FACTS),
    row(Kind::Switch, &["product", "technology", REMOVED, RENAMED], Always, Replace, "another switch"),
    row(Kind::Switch, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Switch, &[REST], Always, NeedsDrain, WIRES),
    row(Kind::Optic, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Optic, &[REMOVED, RENAMED], Always, Safe, NAMED),
    row(Kind::Optic, &[REST], Always, NeedsDrain, WIRES),
    row(
        Kind::Appliance,
        &["product", "capacity_kind", "protocols", REMOVED, RENAMED],
        Always,
        LosesData,
        "another storage system starts empty",
    ),
    row(Kind::Appliance, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Appliance, &[REST], Always, NeedsDrain, FACTS),
    row(Kind::Instance, &["price", "price_region", "price_date"], Always, Safe, PRICES),
    row(Kind::Instance, &["provider", "type", REMOVED, RENAMED], Always, Replace, "other instances take over"),
    row(Kind::Instance, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Instance, &[REST], Always, NeedsDrain, FACTS),
    row(
        Kind::Pool,
        &["site", "server", "instance"],
        Always,
        Replace,
        "other machines take over; what is on the disks of the old ones goes with them",
    ),
    row(Kind::Pool, &["purchase"], Always, Replace, "instances are bought one way or the other: they are made anew"),
    row(Kind::Pool, &[RENAMED], Always, Replace, "nodes are named after their pool"),
    row(Kind::Pool, &["node_names"], Always, NeedsDrain, NAMES),
    row(Kind::Pool, &["nodes"], RisesRented, Safe, "instances are added beside those that run"),
    row(Kind::Pool, &["nodes"], Rises, Safe, JOIN),
    row(Kind::Pool, &["nodes"], Always, NeedsDrain, LEAVE),
    row(Kind::Pool, &["needed_by"], Always, Safe, JUDGED),
    row(Kind::Pool, &["tenant"], Always, NeedsDrain, "jobs of those who may no longer run there end first"),
    row(Kind::Pool, &["spare"], Always, NeedsDrain, "nodes go in or out of capacity: their jobs end first"),
    row(
        Kind::Pool,
        &["mig", "gpu_shares"],
        Always,
        NeedsDrain,
        "GPUs are cut or shared anew while nothing runs on them",
    ),
    row(Kind::Pool, &["rack"], Always, NeedsDrain, CARRIED),
    row(Kind::Pool, &[REMOVED], Always, Replace, "its nodes leave with what is on their disks"),
    row(Kind::Pool, &[ADDED], Always, Safe, JOIN),
    row(
        Kind::Cluster,
        &["scheduler", "control", REMOVED, RENAMED],
        Always,
        Replace,
        "the cluster with its queue and state is made anew",
    ),
    row(Kind::Cluster, &["version"], Always, NeedsDrain, "daemons on every node are exchanged"),
    row(Kind::Cluster, &["pools"], Rises, Safe, JOIN),
    row(Kind::Cluster, &["pools"], Always, NeedsDrain, LEAVE),
    row(Kind::Cluster, &["preempt_by"], Always, Safe, "jobs that run go on, and give way by the new rule from then on"),
    row(Kind::Cluster, &["configless"], Always, Safe, "daemons start again with the files or without, jobs go on"),
    row(Kind::Cluster, &["suspend_after"], Always, Safe, REREAD),
    row(Kind::Cluster, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Partition, &["pools"], Rises, Safe, REREAD),
    row(Kind::Partition, &["pools"], Always, NeedsDrain, LEAVE),
    row(Kind::Partition, &["max_time", "max_nodes"], Shortens, Safe, LIMIT),
    row(
        Kind::Partition,
        &["preempt", "grace"],
        Always,
        Safe,
        "jobs that run go on; when a higher one needs the nodes, they give way in the new manner",
    ),
    row(
        Kind::Partition,
        &["exclusive", "default_time"],
        Always,
        Safe,
        "jobs that run keep what they have, later ones follow it",
    ),
    row(Kind::Partition, &["max_time", "max_nodes", "priority", "default", ADDED], Always, Safe, REREAD),
    // slurm.conf(5), on partitions that are deleted while they are in use.
    row(Kind::Partition, &[REMOVED, RENAMED], Always, NeedsDrain, "the controller cancels jobs that run or wait there"),
    row(Kind::Patch, &["reason", RENAMED], Always, Safe, PEOPLE),
    row(Kind::Patch, &[ADDED, REMOVED], Always, Safe, "its keys are listed"),
    row(Kind::PatchSet, &[ANYTHING], Always, NeedsDrain, FOREIGN),
    row(Kind::PatchCgroup, &[ANYTHING], Always, NeedsDrain, FOREIGN),
    row(Kind::PatchSlurmdbd, &[ANYTHING], Always, NeedsDrain, FOREIGN),
    row(Kind::PatchGres, &[ANYTHING], Always, NeedsDrain, FOREIGN),
    row(Kind::PatchTopology, &[ANYTHING], Always, NeedsDrain, FOREIGN),
    row(Kind::PatchKey, &[ANYTHING], Always, NeedsDrain, FOREIGN),
    row(Kind::Patch, &["remove"], Always, NeedsDrain, FOREIGN),
    row(Kind::Stack, &["window"], Always, Safe, JUDGED),
    row(Kind::Stack, &["tracking"], Always, Replace, "another tracking server starts empty"),
    row(Kind::Stack, &["driver", "cuda"], Always, NeedsDrain, "drivers are exchanged on idle nodes"),
    row(Kind::Stack, &["registry"], Always, NeedsDrain, "images come from another place, and what runs starts again"),
    row(Kind::Stack, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Stack, &[REMOVED, RENAMED], Always, Replace, "its services are taken away with what they keep"),
    // Paths.
    row(Kind::Fabric, &["technology", "switch"], Always, Replace, "other switches take over"),
    row(Kind::Fabric, &[RENAMED], Always, Replace, "switches are named after their fabric"),
    row(Kind::Fabric, &[REST, ADDED], Always, NeedsDrain, WIRES),
    row(Kind::Fabric, &[REMOVED], Always, NeedsDrain, AWAY),
    row(Kind::Link, &["latency"], Always, Safe, JUDGED),
    row(Kind::Link, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Link, &[RENAMED], Always, Safe, PEOPLE),
    row(Kind::Link, &[REST, REMOVED], Always, NeedsDrain, "what uses it is cut off while it changes"),
    row(Kind::Network, &["site", "cidr", REMOVED, RENAMED], Always, Replace, "every address in it changes"),
    row(Kind::Network, &[ADDED], Always, Safe, BESIDE),
    row(Kind::Flow, &["reason", ADDED], Always, Safe, "it closes nothing"),
    row(Kind::Flow, &[REST, REMOVED], Always, NeedsDrain, "connections that stand may be refused"),
    row(Kind::Flow, &[RENAMED], Always, Safe, PEOPLE),
    row(Kind::Storage, &[REMOVED], Always, LosesData, "what is on it goes with it"),
    row(
        Kind::Storage,
        &["tier", "site", "kind", "product", "pool", "redundancy", "encryption", RENAMED],
        Always,
        LosesData,
        NOT_IN_PLACE,
    ),
    row(Kind::Storage, &["key"], Always, LosesData, "what the old key encrypted cannot be read with another"),
    row(Kind::Storage, &["capacity"], BelowNeed, LosesData, "less than what is kept on it"),
    row(Kind::Storage, &["capacity"], Grows, Safe, "room is added to what is kept"),
    row(Kind::Storage, &["capacity"], Always, NeedsDrain, "data are moved together before room is taken away"),
    row(Kind::Storage, &["versioning"], Shrinks, LosesData, "what is overwritten or deleted is gone from then on"),
    row(Kind::Storage, &["immutable"], Shrinks, LosesData, "what could not be deleted can be"),
    row(Kind::Storage, &["versioning", "immutable"], Always, Safe, "more is kept than before"),
    row(Kind::Storage, &["read", "write", "iops"], Always, NeedsDrain, "other rates are another layout of its servers"),
    row(Kind::Storage, &["rack"], Always, NeedsDrain, CARRIED),
    row(Kind::Storage, &["fill_target"], Always, Safe, JUDGED),
    row(Kind::Storage, &[ADDED], Always, Safe, BESIDE),
    // Trust.
    row(
        Kind::Key,
        &["from", REMOVED, RENAMED],
        Always,
        LosesData,
        "what the old key encrypted cannot be read without it",
    ),
    row(Kind::Key, &["rotate", ADDED], Always, Safe, "old versions of a key still decrypt"),
    row(Kind::Secret, &["rotate", ADDED], Always, Safe, BESIDE),
    row(Kind::Secret, &[REST, REMOVED, RENAMED], Always, NeedsDrain, "what reads it starts again"),
    row(Kind::Security, &["frameworks", "residency"], Always, Safe, JUDGED),
    row(Kind::Security, &["identity"], Always, NeedsDrain, "people who are logged in lose their session"),
    row(
        Kind::Security,
        &["egress", "air_gap", ADDED, REMOVED, RENAMED],
        Always,
        NeedsDrain,
        "connections that stand may be refused",
    ),
    row(Kind::Audit, &["retention"], Shortens, LosesData, EXPIRES),
    row(Kind::Audit, &[REMOVED], Always, LosesData, "nothing is recorded any longer"),
    row(Kind::Audit, &["to"], Always, Replace, "the trail begins anew at another place"),
    row(Kind::Audit, &["retention", ADDED, RENAMED], Always, Safe, "more is kept than before"),
    row(Kind::Role, &[ANYTHING], Always, Safe, "it decides who may start something, not what runs"),
    // Running.
    row(Kind::Monitoring, &["retention"], Shortens, LosesData, EXPIRES),
    row(Kind::Monitoring, &["metrics", "logs", "traces"], Always, Replace, "another store starts empty"),
    row(Kind::Monitoring, &[REMOVED, RENAMED], Always, LosesData, "what was recorded goes with it"),
    row(Kind::Monitoring, &["retention", ADDED], Always, Safe, "more is kept than before"),
    row(Kind::Backup, &["keep"], Shortens, LosesData, EXPIRES),
    row(Kind::Backup, &["of"], Shrinks, LosesData, "something has no copy any longer"),
    row(Kind::Backup, &[REMOVED], Always, LosesData, "something has no copy any longer"),
    row(Kind::Backup, &["to"], Always, Replace, "copies begin anew at another place"),
    row(Kind::Backup, &[REST, ADDED, RENAMED], Always, Safe, "the next copy follows it"),
    row(Kind::Budget, &[ANYTHING], Always, Safe, JUDGED),
    row(Kind::License, &[REMOVED], Always, NeedsDrain, "what needs it may not run without it"),
    row(Kind::License, &[ANYTHING], Always, Safe, PRICES),
    row(Kind::Service, &[ANYTHING], Always, Safe, PRICES),
    row(Kind::Spare, &[ANYTHING], Always, Safe, "parts on a shelf: only the bill depends on them"),
    row(Kind::GrowthOption, &[ANYTHING], Always, Safe, "what may be bought later: only the bill depends on it"),
    row(Kind::Quote, &[ANYTHING], Always, Safe, PRICES),
    row(Kind::PriceLine, &[ANYTHING], Always, Safe, PRICES),
    row(Kind::ExchangeRate, &[ANYTHING], Always, Safe, PRICES),
    // Policy.
    row(Kind::Check, &[ANYTHING], Always, Safe, JUDGED),
    row(Kind::Rule, &[ANYTHING], Always, Safe, JUDGED),
];

/// Changes that follow from others and touch what stands: they are no attributes, so they have a table of their own.
pub mod follows {
    use super::Class;

    /// Switches or links of a fabric.
    pub const CABLING: (Class, &str) = (Class::NeedsDrain, super::WIRES);
    /// Machines that stand on both sides, in another place.
    pub const MOVED: (Class, &str) = (Class::NeedsDrain, "machines are switched off and carried to another place");
    /// Names of nodes with more digits or fewer.
    pub const NODE_NAMES: (Class, &str) = (Class::Replace, "every node of the pool gets another name");
}

/// The class of a change and why.
pub fn class(kind: Kind, attribute: &str, facts: Facts) -> (Class, &'static str) {
    let mark = [ADDED, REMOVED, RENAMED, DOC, WAIVER].contains(&attribute);
    let fits = |row: &&Row| {
        let named = |name: &str| *name == *attribute || *name == *ANYTHING || (!mark && *name == *REST);
        row.kind.is_none_or(|known| known == kind)
            && row.attributes.iter().any(|name| named(name))
            && row.when.holds(facts)
    };
    TABLE.iter().find(fits).map_or(UNLISTED, |row| (row.class, row.why))
}

#[cfg(test)]
mod tests {
    use super::{ADDED, ANYTHING, Class, DOC, Facts, REMOVED, RENAMED, REST, TABLE, UNLISTED, WAIVER, class};
    use crate::diff::value::Trend;
    use crate::model::kinds::Kind;

    fn of(kind: Kind, attribute: &str, trend: Trend) -> Class {
        class(kind, attribute, Facts { trend, rented: false, below_need: None }).0
    }

    #[test]
    fn every_row_names_attributes_that_there_are() {
        for row in TABLE {
            for name in row.attributes {
                let mark = [ADDED, REMOVED, RENAMED, DOC, WAIVER, REST, ANYTHING].contains(name);
                let known = |kind: &Kind| kind.schema().attribute(name).is_some();
                let there = row.kind.map_or_else(|| Kind::ALL.iter().any(known), |kind| known(&kind));
                assert!(mark || there, "{:?} has no `{name}`", row.kind);
            }
        }
    }

    #[test]
    fn every_row_decides_something() {
        for (position, row) in TABLE.iter().enumerate() {
            let hidden = |name: &&str| {
                TABLE[..position].iter().any(|earlier| {
                    earlier.kind == row.kind
                        && (earlier.when == super::When::Always || earlier.when == row.when)
                        && earlier.attributes.contains(name)
                })
            };
            for name in row.attributes {
                assert!(!hidden(name), "{:?}.{name} is decided twice", row.kind);
            }
        }
    }

    #[test]
    fn what_no_row_knows_is_not_safe() {
        assert_eq!(UNLISTED.0, Class::NeedsDrain);
        assert_eq!(of(Kind::Link, "no_such", Trend::Grows), Class::NeedsDrain);
        assert_eq!(of(Kind::Pool, "no_such", Trend::Grows), Class::NeedsDrain);
    }

    #[test]
    fn every_attribute_of_the_language_has_a_row() {
        let trends = [Trend::Grows, Trend::Shrinks, Trend::Begins, Trend::Ends, Trend::Other];
        let mut unlisted = Vec::new();
        for kind in Kind::ALL.iter().copied() {
            let marks = [ADDED, REMOVED, RENAMED];
            let names = kind.schema().attributes.iter().map(|row| row.name).chain(marks);
            for name in names {
                let known = |trend: &Trend| {
                    let facts = Facts { trend: *trend, rented: false, below_need: Some(false) };
                    class(kind, name, facts) != UNLISTED
                };
                if !trends.iter().all(known) {
                    unlisted.push(format!("{kind:?} {name}"));
                }
            }
        }
        assert!(unlisted.is_empty(), "{}", unlisted.join("\n"));
    }

    #[test]
    fn keeping_less_loses_data() {
        for (kind, attribute) in [
            (Kind::Dataset, "retention"),
            (Kind::Audit, "retention"),
            (Kind::Monitoring, "retention"),
            (Kind::Backup, "keep"),
        ] {
            assert_eq!(of(kind, attribute, Trend::Shrinks), Class::LosesData);
            assert_eq!(of(kind, attribute, Trend::Begins), Class::LosesData, "before it was for ever");
            assert_eq!(of(kind, attribute, Trend::Other), Class::LosesData, "nobody can tell");
            assert_eq!(of(kind, attribute, Trend::Grows), Class::Safe);
            assert_eq!(of(kind, attribute, Trend::Ends), Class::Safe);
        }
        for (kind, attribute) in
            [(Kind::Checkpoint, "keep"), (Kind::Storage, "versioning"), (Kind::Storage, "immutable")]
        {
            assert_eq!(of(kind, attribute, Trend::Shrinks), Class::LosesData);
            assert_eq!(of(kind, attribute, Trend::Ends), Class::LosesData);
            assert_eq!(of(kind, attribute, Trend::Grows), Class::Safe);
        }
    }

    #[test]
    fn storage_and_keys_that_are_not_the_same_lose_data() {
        for kind in [Kind::Storage, Kind::Dataset, Kind::Key, Kind::Backup, Kind::Audit] {
            assert_eq!(of(kind, REMOVED, Trend::Other), Class::LosesData);
            assert_eq!(of(kind, ADDED, Trend::Other), Class::Safe);
        }
        for attribute in ["product", "kind", "site", "key", RENAMED] {
            assert_eq!(of(Kind::Storage, attribute, Trend::Other), Class::LosesData);
        }
    }

    #[test]
    fn capacity_is_held_against_what_is_kept() {
        let capacity =
            |trend, below_need| class(Kind::Storage, "capacity", Facts { trend, rented: false, below_need }).0;
        assert_eq!(capacity(Trend::Shrinks, Some(true)), Class::LosesData);
        assert_eq!(capacity(Trend::Shrinks, None), Class::LosesData);
        assert_eq!(capacity(Trend::Shrinks, Some(false)), Class::NeedsDrain);
        assert_eq!(capacity(Trend::Grows, Some(true)), Class::Safe);
    }

    #[test]
    fn jobs_that_run_keep_what_they_have() {
        for attribute in ["max_time", "max_nodes", "preempt", "default_time", "grace", "priority"] {
            for trend in [Trend::Grows, Trend::Shrinks, Trend::Begins, Trend::Ends, Trend::Other] {
                assert_eq!(of(Kind::Partition, attribute, trend), Class::Safe, "{attribute}");
            }
        }
        assert_eq!(of(Kind::Partition, "pools", Trend::Grows), Class::Safe);
        assert_eq!(of(Kind::Partition, "pools", Trend::Shrinks), Class::NeedsDrain);
        assert_eq!(of(Kind::Partition, REMOVED, Trend::Other), Class::NeedsDrain);
    }

    #[test]
    fn nodes_come_and_go() {
        let nodes = |trend, rented| class(Kind::Pool, "nodes", Facts { trend, rented, below_need: None }).0;
        assert_eq!(nodes(Trend::Grows, true), Class::Safe);
        assert_eq!(nodes(Trend::Shrinks, true), Class::NeedsDrain);
        assert_eq!(nodes(Trend::Grows, false), Class::Safe);
        assert_eq!(nodes(Trend::Shrinks, false), Class::NeedsDrain);
        assert_eq!(nodes(Trend::Begins, false), Class::NeedsDrain, "nobody knows from how many");
        assert_eq!(of(Kind::Pool, "server", Trend::Other), Class::Replace);
        assert_eq!(of(Kind::Server, "memory", Trend::Grows), Class::NeedsDrain);
    }
}
