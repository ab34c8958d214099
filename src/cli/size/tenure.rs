//! Own or rent, for each pool with GPUs.

use crate::cli::table::Table;
use crate::plan::Plan;
use crate::plan::figure::Estimate;
use crate::plan::tenure::Tenure;

use super::section::Section;

/// The advice for each pool with the figures that decide.
pub fn section(plan: &Plan<'_>) -> Section {
    let columns = &["pool", "advice", "owned GPU-hour", "rented GPU-hour", "break-even", "busy", "because", "against"];
    let mut table = Table::new(columns);
    for tenure in &plan.tenures {
        table.row(row(plan, tenure));
    }
    Section::new("own_or_rent", "Own or rent", table)
}

fn row(plan: &Plan<'_>, tenure: &Tenure) -> [String; 8] {
    let block = tenure.pool.block();
    let shown = |attribute: &str| match plan.figures.get(block, attribute) {
        Some(Estimate::Known(figure)) => figure.show(),
        Some(Estimate::Unknown(why)) => part(why),
        None => String::from("unknown"),
    };
    [
        plan.model.address(block),
        tenure.advice.word().to_string(),
        shown("owned_gpu_hour"),
        shown("rented_gpu_hour"),
        shown("break_even_utilisation"),
        shown("busy"),
        tenure.because.join("; "),
        tenure.against.join("; "),
    ]
}

/// What is known of a figure that is not: `at least 1.2 EUR/h`.
fn part(why: &str) -> String {
    let least = why.split_once(": ").map_or("", |(least, _)| least);
    if least.starts_with("at least ") { least.to_string() } else { String::from("unknown") }
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn what_is_known_of_an_unknown() {
        assert_eq!(part("at least 1.2 EUR/h: no price for `fabric.data`"), "at least 1.2 EUR/h");
        assert_eq!(
            (part("no price for `pool.a`"), part("at home")),
            (String::from("unknown"), String::from("unknown"))
        );
    }
}
