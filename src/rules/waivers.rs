//! Waivers: findings that somebody has taken responsibility for.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::code::{Code, codes};
use crate::base::diagnostic::Diagnostic;
use crate::base::judged::Waived;
use crate::base::phrase;
use crate::model::block::Waiver;
use crate::model::ids::BlockId;

use super::Verdict;
use super::context::Context;
use super::finding::Finding;

codes! {
    /// # A waiver that waives nothing
    ///
    /// The finding it names does not occur where it stands. Remove it, so that it does not hide the next one.
    UNUSED_WAIVER = 7090;
    /// # Dated checks were not run
    ///
    /// Quotes, waivers and support dates are held against a day. The language has no today: give one with
    /// `--as-of DATE` or `platform.as_of`.
    NO_DATE = 8090;
}

/// Takes away what is waived; an expired waiver takes nothing away, an unused one is a finding itself.
pub(super) fn apply(context: &Context<'_>, raw: Vec<(Finding, Diagnostic)>) -> Verdict {
    let model = context.model();
    let waivers: Vec<(BlockId, &Waiver)> =
        model.package_blocks().flat_map(|(id, block)| block.waivers.iter().map(move |waiver| (id, waiver))).collect();
    let mut of_place: HashMap<(Code, BlockId), Vec<usize>> = HashMap::new();
    for (index, (block, waiver)) in waivers.iter().enumerate() {
        of_place.entry((waiver.code, *block)).or_default().push(index);
    }
    let mut used = vec![false; waivers.len()];
    let mut verdict = Verdict::default();
    for (finding, diagnostic) in raw {
        let around = outwards(context, finding.block).filter_map(|block| of_place.get(&(diagnostic.code, block)));
        let found = around.flatten().copied().find(|index| covers(context, waivers[*index].1, &finding, &diagnostic));
        match found {
            Some(index) => {
                used[index] = true;
                let waiver = waivers[index].1;
                if expired(context, waiver) {
                    let until = waiver.until.map_or(String::new(), |date| format!("waived until {date}"));
                    verdict.findings.push(diagnostic.at(waiver.place, until));
                } else {
                    let (reason, until) = (Arc::clone(&waiver.reason), waiver.until);
                    verdict.waived.push(Waived { finding: diagnostic, reason, until });
                }
            }
            None => verdict.findings.push(diagnostic),
        }
    }
    for ((_, waiver), _) in waivers.iter().zip(used).filter(|(_, used)| !used) {
        let message = format!("this waiver of {} waives nothing", waiver.code);
        verdict.findings.push(Diagnostic::warning(UNUSED_WAIVER, message).at(waiver.place, "").help("remove it"));
    }
    verdict
}

/// True when a waiver that stands on the finding's block, or around it, takes it away.
fn covers(context: &Context<'_>, waiver: &Waiver, finding: &Finding, diagnostic: &Diagnostic) -> bool {
    !context.configured.is_forbidden(diagnostic.code)
        && waiver.attribute.is_none_or(|attribute| finding.attribute == Some(attribute))
}

/// The block itself and everything it stands in, innermost first.
fn outwards<'c>(context: &'c Context<'_>, block: BlockId) -> impl Iterator<Item = BlockId> + 'c {
    std::iter::successors(Some(block), |inner| context.model().block(*inner).parent)
}

fn expired(context: &Context<'_>, waiver: &Waiver) -> bool {
    matches!((context.as_of, waiver.until), (Some(today), Some(until)) if today > until)
}

/// Says how many rules wanted a day.
pub(super) fn undated(count: u64) -> Diagnostic {
    Diagnostic::note(
        NO_DATE,
        format!("{} not run: there is no day to hold dates against", phrase::count(count, "dated check")),
    )
    .help("give one with `--as-of DATE` or `platform.as_of`")
}
