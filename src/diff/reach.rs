//! What a figure takes of a block that it names as a whole.
//!
//! A sum says "because of `pool.train`"; it takes its nodes and not its `rack`. Only what stands here is followed, so
//! that a reason is never named that has nothing to do with the figure: no row means no reason, not a guess.

use crate::model::kinds::Kind;

/// Of whose figure, which of its figures (none: any), of what block, which attributes and figures.
type Row = (Kind, &'static [&'static str], Kind, &'static [&'static str]);

const TABLE: &[Row] = &[
    (Kind::Platform, &["gpus"], Kind::Pool, &["gpus"]),
    (Kind::Platform, &["power"], Kind::Site, &["power"]),
    (Kind::Platform, &[], Kind::Pool, &["nodes", "server", "instance", "purchase"]),
    (Kind::Platform, &[], Kind::Fabric, &["switches", "switch"]),
    (Kind::Platform, &[], Kind::Storage, &["appliances", "product", "capacity", "read", "write"]),
    (Kind::Platform, &[], Kind::Rack, &["count"]),
    (Kind::Platform, &["opex", "unpriced"], Kind::Site, &["energy", "power_price"]),
    (Kind::Platform, &["capex"], Kind::Site, &["racks"]),
    (Kind::Site, &[], Kind::Pool, &["power", "nodes", "server"]),
    (Kind::Site, &[], Kind::Fabric, &["switches", "switch"]),
    (Kind::Site, &[], Kind::Storage, &["appliances", "product"]),
    (Kind::Site, &[], Kind::Rack, &["count"]),
    (Kind::Rack, &[], Kind::Pool, &["nodes", "server", "rack"]),
    (Kind::Rack, &[], Kind::Fabric, &["switches", "switch", "rack"]),
    (Kind::Rack, &[], Kind::Storage, &["appliances", "product", "rack"]),
    (Kind::Pool, &["nodes"], Kind::Training, &["gpus", "runs_on", "takes_turns_with", "spare_nodes"]),
    (Kind::Pool, &["nodes"], Kind::Finetune, &["gpus", "runs_on", "takes_turns_with"]),
    (Kind::Pool, &["nodes"], Kind::Inference, &["replicas", "gpus_per_replica", "runs_on", "takes_turns_with"]),
    (Kind::Pool, &["nodes"], Kind::Dataprep, &["cores", "memory", "runs_on"]),
    (Kind::Pool, &["nodes"], Kind::Retrieval, &["cores", "memory", "runs_on"]),
    (Kind::Pool, &["busy", "energy"], Kind::Training, &["time", "gpus", "runs"]),
    (Kind::Pool, &["busy", "energy"], Kind::Finetune, &["busy", "gpus", "runs"]),
    (Kind::Pool, &["busy", "energy"], Kind::Inference, &["replicas", "gpus_per_replica"]),
    (Kind::Pool, &["busy", "energy"], Kind::Dataprep, &["cores", "within", "every"]),
    (Kind::Storage, &["needed", "capacity"], Kind::Training, &["checkpoint_size", "checkpoint.keep", "checkpoint.to"]),
    (
        Kind::Storage,
        &["needed", "capacity"],
        Kind::Dataset,
        &["size", "growth", "retention", "lives_on", "prefetch_to"],
    ),
    (Kind::Storage, &["needed", "capacity"], Kind::Backup, &["of", "every", "keep"]),
    (Kind::Storage, &["needed", "capacity"], Kind::Retrieval, &["index_memory", "disk", "on"]),
    (Kind::Storage, &["needed", "capacity"], Kind::Finetune, &["method", "rank", "to"]),
    (
        Kind::Storage,
        &["read_needed", "read"],
        Kind::Training,
        &["read_rate", "checkpoint_size", "checkpoint.to", "takes_turns_with"],
    ),
    (Kind::Storage, &["read_needed", "read"], Kind::Dataprep, &["read_rate"]),
    (Kind::Storage, &["read_needed", "read"], Kind::Dataset, &["growth", "prefetch_to", "lives_on"]),
    (
        Kind::Storage,
        &["write_needed", "write"],
        Kind::Training,
        &["checkpoint_size", "checkpoint_stall", "checkpoint.stall_below", "checkpoint.to"],
    ),
    (Kind::Storage, &["write_needed", "write"], Kind::Dataset, &["growth", "prefetch_to", "lives_on"]),
    (Kind::Storage, &["write_needed", "write"], Kind::Backup, &["of", "every", "to"]),
    (Kind::Storage, &["iops_needed", "iops"], Kind::Retrieval, &["iops"]),
];

/// What a figure takes of a block; `checkpoint.keep` is of the block inside.
pub fn of(owner: Kind, figure: &str, block: Kind) -> impl Iterator<Item = &'static str> {
    let fits = move |row: &&Row| row.0 == owner && (row.1.is_empty() || row.1.contains(&figure)) && row.2 == block;
    // The first row that fits decides.
    TABLE.iter().find(fits).into_iter().flat_map(|row| row.3.iter().copied())
}

/// What a figure that is not known would stand on: of which kind, which, what of the same block. What is not known has
/// no reasons of its own, but the least that is known of it has changed for one.
const UNKNOWN: &[(Kind, &str, &[&str])] = &[
    (Kind::Pool, "cost", &["nodes", "server", "instance", "purchase"]),
    (Kind::Training, "cost", &["gpus", "time"]),
    (Kind::Finetune, "cost", &["gpus", "time"]),
    (Kind::Inference, "cost", &["replicas", "gpus_per_replica"]),
    (Kind::Dataprep, "cost", &["cores"]),
    (Kind::Retrieval, "cost", &["memory", "cores"]),
];

/// What of the same block a figure that is not known would stand on.
pub fn of_unknown(kind: Kind, figure: &str) -> &'static [&'static str] {
    UNKNOWN.iter().find(|row| row.0 == kind && row.1 == figure).map_or(&[], |row| row.2)
}

#[cfg(test)]
mod tests {
    use super::{TABLE, UNKNOWN, of};
    use crate::model::kinds::Kind;

    fn known(kind: Kind, name: &str) -> bool {
        let schema = kind.schema();
        match name.split_once('.') {
            Some((word, name)) => schema.block(word).is_some_and(|sub| known(sub.kind, name)),
            None => schema.attribute(name).is_some() || schema.derived(name).is_some(),
        }
    }

    #[test]
    fn every_row_names_what_there_is() {
        for (kind, figure, names) in UNKNOWN {
            std::iter::once(figure).chain(*names).for_each(|name| assert!(known(*kind, name), "{kind:?}.{name}"));
        }
        for (owner, figures, block, names) in TABLE {
            figures.iter().for_each(|name| assert!(known(*owner, name), "{owner:?}.{name}"));
            names.iter().for_each(|name| assert!(known(*block, name), "{block:?}.{name}"));
        }
    }

    #[test]
    fn the_first_row_that_fits_decides() {
        assert_eq!(of(Kind::Platform, "gpus", Kind::Pool).collect::<Vec<_>>(), ["gpus"]);
        assert!(of(Kind::Platform, "capex", Kind::Pool).any(|name| name == "nodes"));
        assert_eq!(of(Kind::Tenant, "cost", Kind::Pool).count(), 0);
    }
}
