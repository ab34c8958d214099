//! Own or rent, for each pool with GPUs.

use crate::cli::table::Table;
use crate::plan::Plan;
use crate::plan::figure::Estimate;
use crate::plan::tenure::Tenure;

use super::section::Section;

/// The advice for each pool with the figures that decide.
pub fn section(plan: &Plan<'_>) -> Section {
    let columns = &["pool", "advice", "owned GPU-hour", "rented GPU-hour", "break-even", "busy"];
    let mut table = Table::new(columns);
    for tenure in &plan.tenures {
        table.row(row(plan, tenure));
    }
    Section::new("own_or_rent", "Own or rent", table).lead(plan.tenures.iter().map(|one| advice(plan, one)).collect())
}

/// `rent \`pool.serve\`: the load is unstable; against it: it is busy all day`.
fn advice(plan: &Plan<'_>, tenure: &Tenure) -> String {
    let pool = plan.model.address(tenure.pool.block());
    let mut text = format!("{} `{pool}`: {}", tenure.advice.word(), tenure.because.join("; "));
    if !tenure.against.is_empty() {
        text.push_str(&format!("; against it: {}", tenure.against.join("; ")));
    }
    text
}

fn row(plan: &Plan<'_>, tenure: &Tenure) -> [String; 6] {
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
