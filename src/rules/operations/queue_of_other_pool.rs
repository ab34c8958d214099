//! # A workload queues where its pool is not
//!
//! The partition it names has other nodes than the pool it runs on: its jobs start on the wrong ones or never.
//!
//! ```aip
//! training t { runs_on = pool.train, queue = cluster.hpc.partition.prep }  # wrong: `prep` has `pool.cpu`
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8009),
    levels: Levels::always(Severity::Error),
    text: include_str!("queue_of_other_pool.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.loads.iter().filter_map(|load| {
        let queue = load.queue?;
        let cluster = model.tables.clusters.iter().find(|cluster| cluster.partition.contains(&queue))?;
        if context.held(cluster, queue).contains(&load.pool) {
            return None;
        }
        let message = format!(
            "`{}` runs on `{}` and queues in `{}`, which has other nodes",
            model.address(load.block),
            model.address(load.pool.block()),
            model.address(queue.block())
        );
        let finding = Finding::on(model, load.block, "queue", message);
        let finding = finding.see(model.place_of(queue, "pools"), "pools of the queue");
        Some(finding.help("name a queue with that pool, or the pool of that queue"))
    });
    judged.collect()
}
