//! Kubernetes clusters at a site, and their pools as node groups.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::base::phrase;
use crate::model::Model;
use crate::model::decode::Control;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Cluster, Instance, Kind, Pool, Site, Tenant};
use crate::model::value::Value;
use crate::model::words::{Purchase, Scheduler};
use crate::plan::{Plan, PoolPlan};
use crate::target::problems;
use crate::target::terraform::tags::{Tag, tag};
use crate::target::terraform::{Writer, hcl};

/// A cluster, in the words of EKS.
#[derive(Serialize)]
pub(super) struct ClusterRow {
    key: String,
    address: String,
    name: String,
    version: String,
    control_role: String,
    node_role: String,
    addon_role: String,
    gpu_pools_only: bool,
}

/// A pool, in the words of a node group.
#[derive(Serialize)]
pub(super) struct PoolRow {
    key: String,
    address: String,
    about: String,
    cluster: String,
    name: String,
    group: String,
    instance_type: String,
    ami_type: &'static str,
    capacity_type: &'static str,
    /// True when it takes capacity that was reserved for the account.
    pub(super) reserved: bool,
    min: u64,
    max: u64,
    one_zone: bool,
    placement_group: bool,
    /// EFA interfaces of a node; 0 where nothing uses them.
    pub(super) efa: u64,
    /// True when the instance has disks of its own.
    pub(super) local_disks: bool,
    gpu: bool,
    /// The label by which the GPU operator cuts the GPUs of a node.
    mig_config: Option<String>,
    tags: Vec<Tag>,
}

/// Clusters and pools of a site, by name; what cannot be written becomes a problem.
pub(super) fn of(plan: &Plan<'_>, site: &Site, platform: &str, writer: &mut Writer) -> (Vec<ClusterRow>, Vec<PoolRow>) {
    let model = &*plan.model;
    let (mut clusters, mut pools, mut written) = (Vec::new(), Vec::new(), BTreeSet::new());
    for cluster in &model.tables.clusters {
        let (here, elsewhere): (Vec<Id<Pool>>, Vec<Id<Pool>>) =
            cluster.pools.iter().partition(|id| model[**id].site == site.id);
        if here.is_empty() || cluster.scheduler != Scheduler::Kubernetes {
            continue;
        }
        if matches!(cluster.control, Some(Control::Pool(_))) {
            let why = "it controls itself, and only clusters that AWS controls are written: `control = managed`";
            let address = model.address(cluster.id.block());
            writer.problem(problems::not_in_terraform(&address, why).at(model.place_of(cluster.id, "control"), ""));
            written.extend(here);
            continue;
        }
        for pool in elsewhere {
            let why = format!(
                "it is not at the site of `{}`, and EKS takes no nodes from elsewhere",
                model.address(cluster.id.block())
            );
            let address = model.address(pool.block());
            writer.problem(problems::not_in_terraform(&address, &why).at(model.place_of(pool, "site"), ""));
        }
        let rows: Vec<PoolRow> = here.iter().filter_map(|id| pool_row(plan, *id, cluster, platform, writer)).collect();
        written.extend(here);
        if !rows.is_empty() {
            clusters.push(cluster_row(model, cluster, platform, rows.iter().all(|pool| pool.gpu)));
            pools.extend(rows);
        }
    }
    for pool in model.tables.pools.iter().filter(|pool| pool.site == site.id && !written.contains(&pool.id)) {
        let why = "no Kubernetes cluster has it, and only nodes of those are written";
        let address = model.address(pool.id.block());
        writer.problem(problems::not_in_terraform(&address, why).at(model.place(pool.id), ""));
    }
    clusters.sort_by(|a, b| a.key.cmp(&b.key));
    pools.sort_by(|a, b| a.key.cmp(&b.key));
    (clusters, pools)
}

fn cluster_row(model: &Model<'_>, cluster: &Cluster, platform: &str, gpu_pools_only: bool) -> ClusterRow {
    let key = model.name(cluster.id).to_string();
    let name = format!("{platform}-{key}");
    ClusterRow {
        address: model.address(cluster.id.block()),
        version: cluster.version.0.to_string(),
        control_role: hcl::label(&format!("{name}-control-plane"), 64),
        node_role: hcl::label(&format!("{name}-node"), 64),
        // The name of an add-on follows it.
        addon_role: hcl::label(&format!("{name}-addon"), 45),
        name: hcl::label(&name, 60),
        gpu_pools_only,
        key,
    }
}

fn pool_row(plan: &Plan<'_>, id: Id<Pool>, cluster: &Cluster, platform: &str, writer: &mut Writer) -> Option<PoolRow> {
    let model = &*plan.model;
    let (pool, address) = (&model[id], model.address(id.block()));
    let Some(instance) = pool.instance.map(|instance| &model[instance]) else {
        let why = "it names no instance, and a site at AWS has nothing else";
        writer.problem(problems::not_in_terraform(&address, why).at(model.place(id), ""));
        return None;
    };
    let sized = plan.pools.get(&id)?;
    let purchase = pool.purchase.unwrap_or(Purchase::OnDemand);
    let efa = if talks_between_nodes(plan, sized) { efa(instance, &address, model, id, writer) } else { 0 };
    let key = model.name(id).to_string();
    Some(PoolRow {
        about: about(sized, instance, purchase),
        cluster: model.name(cluster.id).to_string(),
        name: hcl::label(&format!("{platform}-{key}"), 60),
        group: if key.len() <= 63 { key.clone() } else { hcl::label(&key, 63) },
        instance_type: instance.r#type.to_string(),
        ami_type: ami_type(&instance.r#type, sized.node.gpus > 0),
        capacity_type: match purchase {
            Purchase::Spot => "SPOT",
            Purchase::OnDemand | Purchase::Reserved => "ON_DEMAND",
        },
        reserved: purchase == Purchase::Reserved,
        min: sized.nodes.low,
        max: sized.nodes.high,
        one_zone: efa > 0,
        // A reservation has a place already; asking for another one finds no capacity.
        placement_group: efa > 0 && purchase != Purchase::Reserved,
        efa,
        local_disks: instance.local_disk.is_some_and(|disk| disk.bytes() > 0.0),
        gpu: sized.node.gpus > 0,
        mig_config: pool.mig.as_ref().map(|profile| format!("all-{profile}")),
        tags: pool_tags(model, pool, sized, &address, writer),
        key,
        address,
    })
}

/// What a reader wants to know at once.
fn about(sized: &PoolPlan, instance: &Instance, purchase: Purchase) -> String {
    let nodes = match sized.nodes {
        span if span.low == span.high => phrase::count(span.high, "node"),
        span => format!("{} to {} nodes", span.low, span.high),
    };
    let gpus = if sized.node.gpus > 0 {
        format!(" with {} each", phrase::count(sized.node.gpus, "GPU"))
    } else {
        String::new()
    };
    format!("{nodes} of {}{gpus}, {purchase}", instance.r#type)
}

/// True when a workload spans nodes and gains from EFA.
fn talks_between_nodes(plan: &Plan<'_>, sized: &PoolPlan) -> bool {
    let model = &*plan.model;
    let spans = |block: &BlockId| match model.block(*block).kind {
        Kind::Training | Kind::Finetune => true,
        Kind::Inference => model
            .as_id(*block)
            .and_then(|id| plan.inferences.get(&id))
            .is_some_and(|row| row.gpus_per_replica > sized.node.gpus),
        _ => false,
    };
    sized.nodes.high > 1 && sized.loads.iter().any(spans)
}

/// EFA interfaces that a launch template can ask for.
fn efa(instance: &Instance, address: &str, model: &Model<'_>, id: Id<Pool>, writer: &mut Writer) -> u64 {
    let interfaces = instance.efa.unwrap_or_default();
    if interfaces > 0 && instance.r#type.starts_with("p6-b300.") {
        let why =
            "EFA of p6-b300 is laid out in its own way and not written yet; its nodes come with one usual interface";
        writer.problem(problems::not_in_terraform(address, why).at(model.place_of(id, "instance"), ""));
        return 0;
    }
    interfaces
}

/// The image: with the GPU driver where there are GPUs, for the processor that the instance's family has.
fn ami_type(instance_type: &str, gpus: bool) -> &'static str {
    let family = instance_type.split('.').next().unwrap_or_default();
    let traits = family.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let traits = traits.trim_start_matches(|c: char| c.is_ascii_digit());
    let first = traits.split('-').next().unwrap_or_default();
    // Graviton has a `g` after the generation; Grace Blackwell is named in full.
    match (first.contains('g') || traits.contains("-gb"), gpus) {
        (true, true) => "AL2023_ARM_64_NVIDIA",
        (true, false) => "AL2023_ARM_64_STANDARD",
        (false, true) => "AL2023_x86_64_NVIDIA",
        (false, false) => "AL2023_x86_64_STANDARD",
    }
}

/// Where the pool comes from, and who pays when that is one.
fn pool_tags(model: &Model<'_>, pool: &Pool, sized: &PoolPlan, address: &str, writer: &mut Writer) -> Vec<Tag> {
    let mut tags = vec![Tag { key: "aipc:address", value: address.to_string() }];
    let tenants = sized.loads.iter().map(|load| match model.value(*load, "tenant") {
        Value::Block(tenant) => model.as_id(tenant),
        _ => None,
    });
    let all: BTreeSet<Option<Id<Tenant>>> = tenants.collect();
    let only = if all.len() == 1 { all.first().copied().flatten() } else { None };
    let center = pool.tenant.or(only).and_then(|tenant| model[tenant].cost_center.clone());
    if let Some(center) = center {
        let (tag, note) = tag("cost-center", &center, address);
        tags.push(tag);
        note.into_iter().for_each(|note| writer.problem(note.at(model.place(pool.id), "")));
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::ami_type;

    #[test]
    fn the_image_fits_processor_and_gpus() {
        for (instance_type, gpus, wanted) in [
            ("p5.48xlarge", true, "AL2023_x86_64_NVIDIA"),
            ("p6-b200.48xlarge", true, "AL2023_x86_64_NVIDIA"),
            ("p6e-gb200.36xlarge", true, "AL2023_ARM_64_NVIDIA"),
            ("g6e.48xlarge", true, "AL2023_x86_64_NVIDIA"),
            ("g5g.xlarge", true, "AL2023_ARM_64_NVIDIA"),
            ("m7i.2xlarge", false, "AL2023_x86_64_STANDARD"),
            ("c8gn.4xlarge", false, "AL2023_ARM_64_STANDARD"),
        ] {
            assert_eq!(ami_type(instance_type, gpus), wanted, "{instance_type}");
        }
    }
}
