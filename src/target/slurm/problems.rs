//! What Slurm cannot express, in words.

use crate::base::diagnostic::Diagnostic;
use crate::base::phrase;
use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Cluster, Partition, Patch, PatchKey, Pool, Tenant};
use crate::target::problems::{
    SLURM_CONTROL, SLURM_EXCLUSIVE, SLURM_FOREIGN_POOL, SLURM_MIXED_PREEMPTION, SLURM_NO_NODES, SLURM_NO_PARTITION,
    SLURM_NO_TOPOLOGY, SLURM_OPEN_NODES, SLURM_PATCH_BEYOND, SLURM_PATCH_KEY, SLURM_PATCH_NEEDED, SLURM_PATCH_NOTHING,
    SLURM_PATCH_OWNED, SLURM_PATCH_PLACE, SLURM_PATCH_TREE, SLURM_PATCH_VALUE, SLURM_RANGE, SLURM_REFUSED_JOB,
    SLURM_RESERVED, SLURM_SHARED_CONTROL, SLURM_SUSPEND, SLURM_TOO_MANY, SLURM_UNEVEN_JOB, SLURM_UNKNOWN_FACT,
    SLURM_VERSION,
};

use super::hosts::LARGEST_RANGE;
use super::keys::{self, Standing};
use super::version::{KNOWN, Release};

/// The cluster's version is of no known release.
pub fn version(model: &Model<'_>, cluster: Id<Cluster>, version: &str) -> Diagnostic {
    let message = format!("`{}` is no release of Slurm whose keys are known", phrase::excerpt(version, 40));
    Diagnostic::error(SLURM_VERSION, message)
        .at(model.place_of(cluster, "version"), "")
        .help(format!("write one of {}", phrase::any_of(KNOWN)))
        .about(format!("{}.version", model.address(cluster.block())))
}

/// The cluster has no pool of controllers.
pub fn control(model: &Model<'_>, cluster: Id<Cluster>, managed: bool) -> Diagnostic {
    let address = model.address(cluster.block());
    let message = match managed {
        true => format!("`{address}` is managed by a cloud, and Slurm's files name their controllers"),
        false => format!("`{address}` has no controllers"),
    };
    Diagnostic::error(SLURM_CONTROL, message)
        .at(model.place_of(cluster, "control"), "")
        .help("set `control` to a pool with one node or more: `control = pool.x`")
        .about(format!("{address}.control"))
}

/// No pool of the cluster has a node.
pub fn no_nodes(model: &Model<'_>, cluster: Id<Cluster>) -> Diagnostic {
    let address = model.address(cluster.block());
    Diagnostic::error(SLURM_NO_NODES, format!("`{address}` has no nodes"))
        .at(model.place_of(cluster, "pools"), "")
        .help("give one of its pools `nodes`")
        .about(format!("{address}.pools"))
}

/// No partition of the cluster has a node.
pub fn empty_partitions(model: &Model<'_>, cluster: Id<Cluster>) -> Diagnostic {
    let address = model.address(cluster.block());
    Diagnostic::error(SLURM_NO_NODES, format!("no partition of `{address}` has nodes"))
        .at(model.place_of(cluster, "pools"), "")
        .help("name a pool with nodes in a partition's `pools`, or leave the partitions out: one of all nodes is made then")
        .about(format!("{address}.pools"))
}

/// The pool of controllers is that of another Slurm cluster as well.
pub fn shared_control(model: &Model<'_>, cluster: Id<Cluster>, pool: Id<Pool>, other: Id<Cluster>) -> Diagnostic {
    let (address, pool) = (model.address(cluster.block()), model.address(pool.block()));
    let message = format!("`{pool}` controls `{}` already", model.address(other.block()));
    Diagnostic::error(SLURM_SHARED_CONTROL, message)
        .at(model.place_of(cluster, "control"), "")
        .at(model.place_of(other, "control"), "the other cluster")
        .help(format!(
            "give `{address}` a pool of controllers of its own, or make both one cluster with two partitions"
        ))
        .about(format!("{address}.control"))
}

/// A job that the partition it is written for does not take.
pub fn refused_job(model: &Model<'_>, block: BlockId, queue: Id<Partition>, why: &str, help: &str) -> Diagnostic {
    let message = format!("`{}` is refused by `{}`, {why}", model.address(block), model.address(queue.block()));
    Diagnostic::warning(SLURM_REFUSED_JOB, message)
        .at(model.block(block).place_of("queue"), "")
        .help(help)
        .about(model.address(block))
}

/// Nodes of one tenant that a partition, or a cluster without any, gives to others.
pub fn open_nodes(model: &Model<'_>, by: BlockId, pool: Id<Pool>, tenant: Id<Tenant>) -> Diagnostic {
    let (address, pool) = (model.address(by), model.address(pool.block()));
    let tenant = model.address(tenant.block());
    Diagnostic::warning(
        SLURM_OPEN_NODES,
        format!("`{address}` gives the nodes of `{pool}`, for `{tenant}` alone, to all"),
    )
    .at(model.block(by).place_of("pools"), "")
    .help(format!("give `{pool}` a partition of its own, which takes jobs of `{tenant}` only"))
    .about(address)
}

/// Something that a node's line needs is not known.
pub fn unknown_fact(model: &Model<'_>, block: BlockId, what: &str, help: &str) -> Diagnostic {
    let address = model.address(block);
    Diagnostic::error(SLURM_UNKNOWN_FACT, format!("{what} of `{address}` cannot be written for Slurm"))
        .at(model.block(block).place, "")
        .help(help)
        .about(address)
}

/// A number that Slurm would read as another, or as none.
pub fn beyond(model: &Model<'_>, block: BlockId, attribute: &'static str, why: &str) -> Diagnostic {
    let address = format!("{}.{attribute}", model.address(block));
    Diagnostic::error(SLURM_RANGE, format!("`{address}` {why}"))
        .at(model.block(block).place_of(attribute), "")
        .help("write a number within that, or leave it out for no limit")
        .about(address)
}

/// Partitions whose jobs give way in different ways, where tenants decide who does.
pub fn mixed_preemption(model: &Model<'_>, first: Id<Partition>, other: Id<Partition>) -> Diagnostic {
    let [one, two] = [first, other].map(|partition| model.address(partition.block()));
    Diagnostic::error(SLURM_MIXED_PREEMPTION, format!("jobs of `{one}` and `{two}` give way in different ways"))
        .at(model.place_of(other, "preempt"), "")
        .at(model.place_of(first, "preempt"), "the other way")
        .help("write the same `preempt` for both, or let partitions decide: `preempt_by = partition`")
        .about(model.address(other.block()))
}

/// A name that Slurm reads as something else.
pub fn reserved(model: &Model<'_>, block: BlockId, what: &str) -> Diagnostic {
    let found = model.block(block);
    Diagnostic::error(SLURM_RESERVED, format!("`{}` is not free as the name of {what}", found.name))
        .at(found.place, "")
        .help("rename it; jobs and reports use the name as it is written")
        .about(model.address(block))
}

/// A pool that no partition holds.
pub fn no_partition(model: &Model<'_>, cluster: Id<Cluster>, pool: Id<Pool>) -> Diagnostic {
    let (pool_address, address) = (model.address(pool.block()), model.address(cluster.block()));
    Diagnostic::warning(SLURM_NO_PARTITION, format!("no partition of `{address}` holds the nodes of `{pool_address}`"))
        .at(model.place_of(cluster, "pools"), "")
        .help(format!("add `{pool_address}` to the `pools` of a partition, or take it out of the cluster"))
        .about(pool_address)
}

/// A partition on GPUs whose jobs are suspended.
pub fn suspend(model: &Model<'_>, partition: Id<Partition>) -> Diagnostic {
    let address = model.address(partition.block());
    Diagnostic::warning(SLURM_SUSPEND, format!("suspended jobs of `{address}` keep their GPUs"))
        .at(model.place_of(partition, "preempt"), "")
        .help("use `preempt = requeue` or `preempt = cancel`, which free the GPUs")
        .about(format!("{address}.preempt"))
}

/// A partition with a pool that its cluster does not have.
pub fn foreign_pool(model: &Model<'_>, partition: Id<Partition>, pool: Id<Pool>) -> Diagnostic {
    let (pool_address, address) = (model.address(pool.block()), model.address(partition.block()));
    Diagnostic::error(
        SLURM_FOREIGN_POOL,
        format!("`{address}` holds `{pool_address}`, which its cluster does not have"),
    )
    .at(model.place_of(partition, "pools"), "")
    .help(format!("add `{pool_address}` to the `pools` of the cluster"))
    .about(format!("{address}.pools"))
}

/// GPUs that do not divide over nodes.
pub fn uneven_job(model: &Model<'_>, block: BlockId, gpus: u64, nodes: u64) -> Diagnostic {
    let address = model.address(block);
    let message = format!(
        "{} of `{address}` do not divide over {}; its job takes the nodes whole",
        phrase::count(gpus, "GPU"),
        phrase::count(nodes, "node")
    );
    Diagnostic::warning(SLURM_UNEVEN_JOB, message)
        .at(model.block(block).place_of("gpus"), "")
        .help("choose a number of GPUs that is a multiple of the number of nodes")
        .about(format!("{address}.gpus"))
}

/// A pool with more nodes than a range holds.
pub fn too_many(model: &Model<'_>, pool: Id<Pool>, nodes: u64) -> Diagnostic {
    let address = model.address(pool.block());
    Diagnostic::error(
        SLURM_TOO_MANY,
        format!("`{address}` has {nodes} nodes, and Slurm takes {LARGEST_RANGE} in a range"),
    )
    .at(model.place_of(pool, "nodes"), "")
    .help("use several pools")
    .about(format!("{address}.nodes"))
}

/// A partition whose jobs have a switch for themselves, in a release that cannot give them one.
pub fn exclusive(model: &Model<'_>, partition: Id<Partition>) -> Diagnostic {
    let address = model.address(partition.block());
    Diagnostic::error(SLURM_EXCLUSIVE, format!("`{address}` keeps a switch or block for one job, from Slurm 24.05 on"))
        .at(model.place_of(partition, "exclusive"), "")
        .help("use `exclusive = node`, or a newer `version`")
        .about(format!("{address}.exclusive"))
}

/// A patched key that the release does not read there.
pub fn patch_key(model: &Model<'_>, key: Id<PatchKey>, why: &str, help: Option<String>) -> Diagnostic {
    let address = model.address(key.block());
    let message = format!("`{}` cannot be patched: {why}", phrase::excerpt(model.name(key), 60));
    let problem = Diagnostic::error(SLURM_PATCH_KEY, message).at(model.place(key), "").about(address);
    match help {
        Some(help) => problem.help(help),
        None => problem,
    }
}

/// A patched key that the source says in another way.
pub fn patch_owned(model: &Model<'_>, block: BlockId, key: &str, by: &str) -> Diagnostic {
    Diagnostic::error(SLURM_PATCH_OWNED, format!("`{key}` cannot be patched: {by} says it"))
        .at(model.block(block).place, "")
        .help(format!("change {by}"))
        .about(model.address(block))
}

/// A key that a patch leaves out and the release does not read there, or that is patched as well.
pub fn removed_key(model: &Model<'_>, block: BlockId, key: &str, why: &str, help: Option<String>) -> Diagnostic {
    let message = format!("`{}` cannot be left out: {why}", phrase::excerpt(key, 60));
    removal(model, block, Diagnostic::error(SLURM_PATCH_KEY, message))
        .help(help.unwrap_or_else(|| String::from("take it out of `remove`")))
}

/// A key that a patch leaves out and the source says in another way.
pub fn removed_owned(model: &Model<'_>, block: BlockId, key: &str, by: &str) -> Diagnostic {
    let message = format!("`{key}` cannot be left out: {by} says it");
    removal(model, block, Diagnostic::error(SLURM_PATCH_OWNED, message)).help(format!("change {by}"))
}

/// A key that a patch leaves out and something else needs.
pub fn removed_needed(model: &Model<'_>, block: BlockId, key: &str, why: &str) -> Diagnostic {
    removal(model, block, Diagnostic::error(SLURM_PATCH_NEEDED, format!("`{key}` cannot be left out: {why}")))
        .help(format!("take `{key}` out of `remove`; to change it, patch its value"))
}

/// A key that a patch leaves out and nothing writes.
pub fn removed_nothing(model: &Model<'_>, block: BlockId, key: &str) -> Diagnostic {
    let address = model.address(block);
    let message = format!("`{key}` in `{address}.remove` removes nothing: it is not written there");
    removal(model, block, Diagnostic::warning(SLURM_PATCH_NOTHING, message))
        .help(format!("take `{key}` out of `remove`"))
}

fn removal(model: &Model<'_>, block: BlockId, problem: Diagnostic) -> Diagnostic {
    problem.at(model.block(block).place_of("remove"), "").about(format!("{}.remove", model.address(block)))
}

/// A switch that is in no tree.
pub fn patch_tree(model: &Model<'_>, block: BlockId, why: &str) -> Diagnostic {
    let address = model.address(block);
    Diagnostic::error(SLURM_PATCH_TREE, format!("`{address}` cannot stand in a topology: {why}"))
        .at(model.block(block).place, "")
        .help("put every node below one switch, and all switches below one")
        .about(address)
}

/// A topology plugin that finds no topology.
pub fn no_topology(model: &Model<'_>, key: Id<PatchKey>, value: &str) -> Diagnostic {
    let message = format!("`{value}` needs a topology of its kind, and nothing of the cluster says one");
    Diagnostic::error(SLURM_NO_TOPOLOGY, message)
        .at(model.place_of(key, "value"), "")
        .help("leave the key out, connect the pools by a `fabric`, or add `topology NAME { … }` blocks to the patch")
        .about(model.address(key.block()))
}

/// A default that is more than a node has.
pub fn patch_beyond(model: &Model<'_>, key: Id<PatchKey>, why: &str) -> Diagnostic {
    let message = format!("`{}` is more than a job with all of a node can have: {why}", model.name(key));
    Diagnostic::warning(SLURM_PATCH_BEYOND, message)
        .at(model.place_of(key, "value"), "")
        .help("lower it until all of a node fits, or name the key in `remove` for what Slurm gives by itself")
        .about(model.address(key.block()))
}

/// A value that cannot stand in the file.
pub fn patch_value(model: &Model<'_>, key: Id<PatchKey>, why: &str) -> Diagnostic {
    // The value is not repeated: it may be a secret.
    let address = model.address(key.block());
    let message = format!("the value of `{}` cannot stand in a Slurm file: {why}", model.name(key));
    Diagnostic::error(SLURM_PATCH_VALUE, message).at(model.place_of(key, "value"), "").about(address)
}

/// A plugin that the release does not have.
pub fn patch_plugin(
    model: &Model<'_>,
    key: Id<PatchKey>,
    plugin: &str,
    standing: Standing,
    release: Release,
) -> Diagnostic {
    let (address, plugin) = (model.address(key.block()), phrase::excerpt(plugin, 60));
    let there: Vec<&str> = keys::plugins_of(release, model.name(key)).collect();
    let among = format!("Slurm {release} has {}", phrase::all_of(&there));
    let (message, help) = match standing {
        Standing::Later { from } => {
            (format!("Slurm has `{plugin}` from {from} on, and the cluster has {release}"), among)
        }
        Standing::Gone { until, now: Some(now) } => {
            let message = format!("Slurm had `{plugin}` until {until}, and the cluster has {release}");
            (message, format!("`{now}` took its place"))
        }
        Standing::Gone { until, now: None } => {
            (format!("Slurm had `{plugin}` until {until}, and the cluster has {release}"), among)
        }
        Standing::Unknown | Standing::Read => (format!("Slurm {release} has no `{plugin}`"), among),
    };
    Diagnostic::error(SLURM_PATCH_VALUE, message).at(model.place_of(key, "value"), "").help(help).about(address)
}

/// A list that lacks what the rest of the files needs.
pub fn patch_list(model: &Model<'_>, key: Id<PatchKey>, lost: &str, why: &str) -> Diagnostic {
    let address = model.address(key.block());
    let message = format!("the value of `{}` leaves `{lost}` out, which {why}", model.name(key));
    Diagnostic::error(SLURM_PATCH_VALUE, message)
        .at(model.place_of(key, "value"), "")
        .help("begin the value with `+` to add to what is there")
        .about(address)
}

/// Two files that must say the same and do not.
pub fn patch_apart(model: &Model<'_>, key: Id<PatchKey>, one: &str, other: &str) -> Diagnostic {
    let address = model.address(key.block());
    let message = format!(
        "`{}` of slurmdbd.conf is `{}` and slurm.conf says `{}`, and their daemons must agree",
        model.name(key),
        phrase::excerpt(other, 40),
        phrase::excerpt(one, 40)
    );
    Diagnostic::error(SLURM_PATCH_VALUE, message)
        .at(model.place_of(key, "value"), "")
        .help("patch one of them; the other follows")
        .about(address)
}

/// A patch without a reason.
pub fn patch_reason(model: &Model<'_>, patch: Id<Patch>) -> Diagnostic {
    let address = model.address(patch.block());
    Diagnostic::error(SLURM_PATCH_VALUE, format!("`{address}` gives no reason"))
        .at(model.place_of(patch, "reason"), "")
        .help("say why what is generated is not enough")
        .about(format!("{address}.reason"))
}

/// A generic resource without its number.
pub fn patch_count(model: &Model<'_>, block: BlockId) -> Diagnostic {
    let address = model.address(block);
    Diagnostic::error(SLURM_PATCH_KEY, format!("`{address}` has no `Count`"))
        .at(model.block(block).place, "")
        .help("say how many a node has: `Count = \"2\"`")
        .about(address)
}

/// A part of a patch that its block has no use for.
pub fn patch_place(model: &Model<'_>, block: BlockId, home: &str) -> Diagnostic {
    let address = model.address(block);
    Diagnostic::error(SLURM_PATCH_PLACE, format!("nothing reads `{address}`: it belongs {home}"))
        .at(model.block(block).place, "")
        .help("move it there")
        .about(address)
}

/// A patch that no target reads.
pub fn patch_of_nothing(model: &Model<'_>, patch: Id<Patch>, foreign: Option<&str>) -> Diagnostic {
    let address = model.address(patch.block());
    let problem = match foreign {
        Some(name) => Diagnostic::error(SLURM_PATCH_PLACE, format!("`{name}` is no target that takes patches"))
            .help("the only one is `slurm`"),
        None => Diagnostic::error(SLURM_PATCH_PLACE, format!("nothing reads `{address}`: it is in no Slurm cluster"))
            .help("move it into a cluster with `scheduler = slurm`, or into a pool or partition of one"),
    };
    problem.at(model.place(patch), "").about(address)
}
