//! What may be wrong with a planned platform. One file a rule, one entry in [`RULES`].
//!
//! A rule's file opens with the text that `aipc explain CODE` prints. It looks at the plan and says what it found; how
//! bad that is depends on the stage of the platform, on `aipc.toml`, and on the waivers in the package, none of which
//! a rule knows.

pub mod amount;
pub mod context;
pub mod finding;
pub mod gate;
pub mod levels;
pub mod user;
mod waivers;

use crate::base::code::{Code, CodeDoc};
use crate::base::diagnostic::Diagnostic;
use crate::base::judged::Waived;

use context::Context;
use finding::Finding;
use levels::{Configured, Levels};

pub use waivers::CODES as WAIVER_CODES;

/// One rule.
pub struct Rule {
    /// Its code.
    pub code: Code,
    /// How bad a finding is, by stage; from which stage on it is looked for at all.
    pub levels: Levels,
    /// The text of its file, whose `//!` lines are its documentation.
    pub text: &'static str,
    /// True when it needs `--as-of` or `platform.as_of`.
    pub dated: bool,
    /// Looks.
    pub check: fn(&Context<'_>) -> Vec<Finding>,
}

/// Declares the list of rules: each is a module with a constant `RULE`.
macro_rules! rules {
    ($($family:ident { $($name:ident),+ $(,)? })+) => {
        $( #[doc = concat!("Rules on ", stringify!($family), ".")] pub mod $family { $( pub mod $name; )+ } )+
        /// The rules of each family.
        pub const FAMILIES: &[(&str, &[&Rule])] = &[ $( (stringify!($family), &[ $( &$family::$name::RULE, )+ ]), )+ ];

        /// Every rule, by family.
        pub const RULES: &[&Rule] = &[ $( $( &$family::$name::RULE, )+ )+ ];
    };
}

rules! {
    sizing {
        memory_too_small,
        pool_over_capacity,
        deadline_missed,
        parallelism_uneven,
        batch_too_small,
        layer_over_nodes,
        no_baseline,
        baseline_of_other_gpu,
        baseline_disagrees,
        mfu_above_ceiling,
        little_kept_work,
        no_room_for_queues,
        finetune_overloaded,
        cores_over_capacity,
        context_too_long,
        heads_not_divisible,
        pipeline_bubble,
        replicas_too_few,
        slo_missed,
        one_replica,
        pool_without_gpus,
        pool_without_machine,
        machine_of_other_place,
        index_over_memory,
        pool_not_sized,
        storage_too_small,
        reads_too_slow,
        writes_too_slow,
        iops_too_low,
        checkpoint_stall,
        below_class,
        gpu_not_divisible,
        load_over_parts,
        load_not_checked,
        setting_without_sense,
        shared_between_tenants,
        quota_too_small,
    }
    fabric {
        no_rdma,
        rails,
        refused,
        slow_port,
        switch_technology,
        over_sites,
        no_path_to_data,
        oversubscribed,
        storage_off_fabric,
        network_too_slow,
        few_spines,
        cables_unknown,
    }
    facility {
        site_power,
        rack_power,
        rack_misfit,
        rack_weight,
        power_unknown,
        rack_feeds,
        feed_overloaded,
        airflow_against,
        air_cooling,
        liquid_in_air,
        rack_of_other_site,
    }
    security {
        no_security,
        stored_in_clear,
        sensitive_in_clear,
        link_in_clear,
        flow_in_clear,
        no_key,
        key_never_changed,
        outside_residency,
        public_without_guard,
        public_store,
        secret_in_source,
        no_audit,
        no_retention,
        open_egress,
        audit_can_be_changed,
        no_identity,
        personal_data_unsaid,
        no_approval,
        gap_bridged,
    }
    money {
        over_capex,
        over_opex,
        over_tenant,
        unpriced,
        expired_quote,
        future_quote,
        foreign_money,
        no_budget,
        stale_rate,
        late_delivery,
    }
    style {
        unused_block,
        hardware_without_load,
        fabric_without_ends,
        turns_elsewhere,
        open_point,
    }
    operations {
        one_zone,
        no_monitoring,
        no_backup,
        backup_untested,
        control_alone,
        cluster_without_pools,
        pool_in_two_clusters,
        node_names,
        two_defaults,
        only_spares,
        gives_way_to_nobody,
        run_over_limit,
        partition_of_other_pool,
        queue_of_other_pool,
        no_stack,
        stale_baseline,
        shares_over_whole,
        no_rollout,
        backup_beside,
        no_redundancy,
        no_spare,
        pool_without_cluster,
        no_checkpoint,
        one_node_serves,
    }
}

/// What the rules found.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Findings that stand.
    pub findings: Vec<Diagnostic>,
    /// Findings that a waiver takes away, for the report and the bill.
    pub waived: Vec<Waived>,
}

/// Runs every rule and the package's own checks.
pub fn run(context: &Context<'_>, configured: &Configured) -> Verdict {
    let mut raw = Vec::new();
    let mut undated = 0;
    for rule in RULES {
        let Some(severity) = rule.levels.at(context.stage) else { continue };
        if rule.dated && context.as_of.is_none() {
            undated += 1;
            continue;
        }
        raw.extend((rule.check)(context).into_iter().map(|finding| finding.graded(rule.code, severity)));
    }
    raw.extend(user::check(context));
    let mut verdict = waivers::apply(context, raw);
    verdict.findings = configured.apply(verdict.findings);
    if undated > 0 {
        verdict.findings.push(waivers::undated(undated));
    }
    verdict
}

/// The documentation of every code on this floor.
pub fn docs() -> Vec<CodeDoc> {
    let own = RULES.iter().map(|rule| CodeDoc { code: rule.code, doc: doc(rule.text) });
    let more = [user::CODES, WAIVER_CODES, gate::CODES];
    own.chain(more.into_iter().flatten().copied()).collect()
}

/// The `//!` lines at the top of a file, without their marks.
fn doc(text: &'static str) -> &'static str {
    let end = text.lines().take_while(|line| line.starts_with("//!")).map(|line| line.len() + 1).sum::<usize>();
    &text[..end.min(text.len())]
}
