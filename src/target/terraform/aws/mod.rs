//! A site at AWS: one layer with its network, keys, clusters and buckets.

mod buckets;
mod clusters;

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::decode::Endpoint;
use crate::model::ids::BlockId;
use crate::model::kinds::{Flow, Kind, Network, Platform, Pool, Site};
use crate::model::value::Value;
use crate::model::words::Egress;
use crate::plan::Plan;
use crate::target::problems;

use super::tags::{Tag, tag};
use super::{Writer, hcl};
use buckets::{Bucket, FoundKey, NamedKey};
use clusters::{ClusterRow, PoolRow};

/// The files of every layer.
const FILES: &[&str] = &[
    "versions.tf",
    "providers.tf",
    "variables.tf",
    "terraform.tfvars.example",
    "locals.tf",
    "network.tf",
    "kms.tf",
    "outputs.tf",
];
/// Services that a private network reaches without the internet.
const ENDPOINTS: &[&str] = &["kms", "logs", "sts"];
/// Those that the nodes of a cluster need besides.
const CLUSTER_ENDPOINTS: &[&str] =
    &["autoscaling", "ec2", "ecr.api", "ecr.dkr", "eks", "eks-auth", "elasticloadbalancing", "kms", "logs", "sts"];
/// Days that CloudWatch can keep logs for, from a year on.
const LOG_DAYS: &[u64] = &[365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653];
/// What the VPC gets when the source names no network.
const USUAL_RANGE: &str = "10.64.0.0/16";
/// Zones that a VPC's range is cut for.
const MOST_ZONES: u64 = 14;

#[derive(Serialize)]
struct View {
    address: String,
    name: String,
    region: String,
    tags: Vec<Tag>,
    vpc_cidr: Option<String>,
    vpc_cidr_why: String,
    zones: Vec<Zone>,
    zones_why: String,
    egress: bool,
    egress_why: String,
    endpoints: &'static [&'static str],
    log_days: u64,
    log_days_why: String,
    flows_role: String,
    infrastructure_alias: String,
    access_log: String,
    clusters: Vec<ClusterRow>,
    pools: Vec<PoolRow>,
    efa: bool,
    local_disks: bool,
    reserved: bool,
    keys: Vec<NamedKey>,
    found_keys: Vec<FoundKey>,
    buckets: Vec<Bucket>,
    locks: bool,
}

#[derive(Serialize)]
struct Zone {
    name: String,
    number: u64,
    nodes: bool,
}

/// Writes the layer of a site.
pub(super) fn write(plan: &Plan<'_>, site: &Site, writer: &mut Writer) {
    let model = &*plan.model;
    let address = model.address(site.id.block());
    let Some(region) = &site.region else {
        writer.problem(problems::no_region(&address).at(model.place(site.id), ""));
        return;
    };
    let Some(platform) = model.platform() else { return };
    let platform_name = model.name(platform.id);
    let name = hcl::label(&format!("{platform_name}-{}", model.name(site.id)), 40);
    let (clusters, pools) = clusters::of(plan, site, platform_name, writer);
    let store = buckets::of(plan, site, platform_name, writer);
    let (vpc_cidr, vpc_cidr_why) = range(model, site, writer);
    let (egress, egress_why) = egress(model, site);
    let (log_days, log_days_why) = log_days(model);
    let view = View {
        region: region.0.to_string(),
        tags: default_tags(model, platform, writer),
        vpc_cidr,
        vpc_cidr_why,
        zones: zones(site, &region.0, !clusters.is_empty()),
        zones_why: zones_why(site),
        egress,
        egress_why,
        endpoints: if clusters.is_empty() { ENDPOINTS } else { CLUSTER_ENDPOINTS },
        log_days,
        log_days_why,
        flows_role: hcl::label(&format!("{name}-flow-log"), 64),
        infrastructure_alias: format!("alias/{name}-infrastructure"),
        access_log: hcl::label(&format!("{name}-access-log"), 50),
        efa: pools.iter().any(|pool| pool.efa > 0),
        local_disks: pools.iter().any(|pool| pool.local_disks),
        reserved: pools.iter().any(|pool| pool.reserved),
        locks: store.buckets.iter().any(|bucket| bucket.lock_days > 0),
        clusters,
        pools,
        keys: store.keys,
        found_keys: store.found,
        buckets: store.buckets,
        address,
        name,
    };
    let layer = format!("aws-{}", model.name(site.id));
    let of_clusters = ["eks.tf", "node-groups.tf"].iter().filter(|_| !view.clusters.is_empty());
    let of_buckets = ["storage.tf"].iter().filter(|_| !view.buckets.is_empty());
    for file in FILES.iter().chain(of_clusters).chain(of_buckets) {
        writer.file(&layer, "aws", file, &view);
    }
}

/// Tags of everything that the provider makes.
fn default_tags(model: &Model<'_>, platform: &Platform, writer: &mut Writer) -> Vec<Tag> {
    let address = model.address(platform.id.block());
    let mut tags = vec![
        Tag { key: "managed-by", value: String::from("terraform") },
        Tag { key: "platform", value: model.name(platform.id).to_string() },
        Tag { key: "stage", value: platform.stage.word().to_string() },
    ];
    let tenants = &model.tables.tenants;
    let shared = tenants.first().and_then(|first| first.cost_center.as_ref());
    let shared = shared.filter(|center| tenants.iter().all(|tenant| tenant.cost_center.as_ref() == Some(*center)));
    let texts = [("cost-center", shared), ("owner", platform.owner.as_ref())];
    for (key, text) in texts {
        let Some(text) = text else { continue };
        let (tag, note) = tag(key, text, &address);
        tags.push(tag);
        note.into_iter().for_each(|note: Diagnostic| writer.problem(note.at(model.place(platform.id), "")));
    }
    tags.sort_by_key(|tag| tag.key);
    tags
}

/// The range of the VPC, and why it is that.
fn range(model: &Model<'_>, site: &Site, writer: &mut Writer) -> (Option<String>, String) {
    let here: Vec<&Network> = model.tables.networks.iter().filter(|network| network.site == site.id).collect();
    let address = model.address(site.id.block());
    let problem =
        |what: &str, help: &str| problems::terraform_default(&address, what, help).at(model.place(site.id), "");
    match here.as_slice() {
        [] if model.tables.networks.is_empty() && sites_like(model, site) == 1 => {
            let what = format!("no network is given; the VPC's range is a variable whose default is {USUAL_RANGE}");
            let help = "add a `network` of this site with the range that the company's address plan has for it";
            writer.problem(problem(&what, help));
            let why = "The VPC's range. The source names no network for this site, so aipc chose one.";
            (Some(String::from(USUAL_RANGE)), String::from(why))
        }
        [] => {
            let what = "no network is given, and one that aipc chose could overlap with another; the VPC's range is a \
                        variable without a default";
            let help = "add a `network` of this site with the range that the company's address plan has for it";
            writer.problem(problem(what, help));
            (None, String::from("The VPC's range. The source names no network for this site."))
        }
        [one] if fits(&one.cidr.0) => {
            (Some(one.cidr.0.to_string()), format!("The VPC's range, that of {}.", model.address(one.id.block())))
        }
        [one] => {
            let network = model.address(one.id.block());
            let what =
                format!("`{network}` is {}; a VPC with room for pods takes IPv4 between /16 and /20", one.cidr.0);
            writer.problem(problem(&what, "widen or narrow the network, or set the variable `vpc_cidr` of the layer"));
            (None, format!("The VPC's range. That of {network} does not do."))
        }
        [_, _, ..] => {
            let what = "there are several networks; the VPC's range is a variable without a default";
            writer
                .problem(problem(what, "keep one network at an AWS site, or set the variable `vpc_cidr` of the layer"));
            (None, String::from("The VPC's range. The source names several networks for this site."))
        }
    }
}

/// Sites at AWS that name no network.
fn sites_like(model: &Model<'_>, site: &Site) -> usize {
    let bare = |other: &&Site| {
        other.provider == site.provider && model.tables.networks.iter().all(|network| network.site != other.id)
    };
    model.tables.sites.iter().filter(bare).count()
}

/// IPv4 between /16 and /20.
fn fits(cidr: &str) -> bool {
    let bits = cidr.split_once('/').and_then(|(_, bits)| bits.parse::<u32>().ok());
    !cidr.contains(':') && bits.is_some_and(|bits| (16..=20).contains(&bits))
}

/// Zones by the first letters of the alphabet; a control plane wants two even where nodes keep to one.
fn zones(site: &Site, region: &str, cluster: bool) -> Vec<Zone> {
    let with_nodes = site.zones.clamp(1, MOST_ZONES);
    let all = if cluster { with_nodes.max(2) } else { with_nodes };
    let zone =
        |(number, letter): (u64, char)| Zone { name: format!("{region}{letter}"), number, nodes: number < with_nodes };
    (0..all).zip('a'..='z').map(zone).collect()
}

fn zones_why(site: &Site) -> String {
    format!(
        "Availability zones: the number cuts the zone's subnet out of the VPC's range and stays with it; nodes says \
         whether machines stand there. The source asks for {}; which ones, aipc chose by letter: see that the instance \
         types are offered there.",
        site.zones
    )
}

/// Whether something leads out, and why.
fn egress(model: &Model<'_>, site: &Site) -> (bool, String) {
    let said = |egress: Egress| {
        let securities = model.tables.securities.iter().filter(move |security| security.egress == Some(egress));
        securities.map(|security| model.address(security.id.block())).min()
    };
    let leaves = |flow: &&Flow| match flow.from {
        Endpoint::Block(block) => flow.to == Endpoint::Internet && site_of(model, block) == Some(site.id.block()),
        Endpoint::Internet => false,
    };
    let flow = model.tables.flows.iter().filter(leaves).map(|flow| model.address(flow.id.block())).min();
    match (said(Egress::Allow), flow, said(Egress::Deny)) {
        (Some(security), ..) => (true, format!("{security} allows it")),
        (None, Some(flow), _) => (true, format!("{flow} needs it; network policies in the cluster keep it to that")),
        (None, None, Some(security)) => (false, format!("{security} denies it")),
        (None, None, None) => (false, String::from("nothing in the source allows it")),
    }
}

/// The site that a block is at, by itself or by its pool.
fn site_of(model: &Model<'_>, block: BlockId) -> Option<BlockId> {
    if model.block(block).kind == Kind::Site {
        return Some(block);
    }
    match (model.value(block, "site"), model.value(block, "runs_on")) {
        (Value::Block(site), _) => Some(site),
        (_, Value::Block(pool)) => model.typed::<Pool>(pool).map(|pool| pool.site.block()),
        _ => None,
    }
}

/// Days that logs are kept: as long as the audit trail, and a year at least.
fn log_days(model: &Model<'_>) -> (u64, String) {
    let asked = model
        .tables
        .audits
        .iter()
        .filter_map(|audit| audit.retention.map(|time| (days(time.seconds()), model.address(audit.id.block()))));
    let Some((days, address)) = asked.max() else {
        return (365, String::from("Days that logs are kept. aipc chose a year."));
    };
    let kept = LOG_DAYS.iter().copied().find(|kept| *kept >= days).or(LOG_DAYS.last().copied()).unwrap_or(days);
    (
        kept,
        format!(
            "Days that logs are kept: a year at least, and the {days} days of {address} as near as CloudWatch can."
        ),
    )
}

/// Whole days, rounded up.
fn days(seconds: f64) -> u64 {
    (seconds / 86_400.0).ceil() as u64
}
