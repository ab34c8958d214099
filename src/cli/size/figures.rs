//! Every figure by its address.

use crate::cli::table::Table;
use crate::plan::Plan;
use crate::plan::figure::Estimate;

use super::section::Section;

/// The figures of a plan, sorted by address.
pub fn section(plan: &Plan<'_>) -> Section {
    let mut rows: Vec<[String; 4]> = plan
        .figures
        .iter()
        .map(|(block, attribute, estimate)| {
            let address = format!("{}.{attribute}", plan.model.address(block));
            match estimate {
                Estimate::Known(figure) => {
                    let bar = figure.bar().unwrap_or_default();
                    [address, figure.show(), bar, figure.basis.word().to_string()]
                }
                // The reason stands last: it is long, and would push the other columns out of sight.
                Estimate::Unknown(why) => [address, String::from("unknown"), String::new(), why.to_string()],
            }
        })
        .collect();
    rows.sort();
    let mut table = Table::new(&["figure", "value", "low to high", "basis"]);
    rows.into_iter().for_each(|row| table.row(row));
    Section::new("figures", "Figures", table)
}
