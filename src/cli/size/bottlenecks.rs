//! What limits each pool, and how far off the next limits are.

use crate::cli::table::Table;
use crate::model::ids::BlockId;
use crate::plan::Plan;
use crate::plan::bottleneck::percent;

use super::section::Section;

/// A sentence for each pool, and what its loads use of everything they ask for, the tightest first.
pub fn section(plan: &Plan<'_>) -> Section {
    let mut table = Table::new(&["pool", "resource", "needed", "present", "share", "about"]);
    let address = |block: Option<BlockId>| block.map(|block| plan.model.address(block)).unwrap_or_default();
    for (id, found) in &plan.bottlenecks {
        let pool = plan.model.address(id.block());
        for used in &found.uses {
            table.row([
                pool.clone(),
                used.resource.word().to_string(),
                used.needed.clone(),
                used.present.clone(),
                percent(used.share),
                address(used.about),
            ]);
        }
        for open in &found.open {
            let about = address(open.about);
            let about = if about.is_empty() { open.why.to_string() } else { format!("{about}: {}", open.why) };
            let resource = open.resource.word().to_string();
            table.row([pool.clone(), resource, String::new(), String::new(), String::from("unknown"), about]);
        }
    }
    let lead = plan.bottlenecks.keys().map(|id| plan.bottleneck_sentence(*id)).collect();
    Section::new("bottlenecks", "Bottlenecks", table).lead(lead)
}
