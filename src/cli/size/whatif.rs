//! `aipc size --what-if pool.X`: the machines that a pool could be made of, side by side.

use crate::base::phrase;
use crate::catalog::Catalogue;
use crate::cli::args::{PackageArgs, TableFormat};
use crate::cli::console::Console;
use crate::cli::failure::{Exit, Failure};
use crate::cli::package::{self, Loaded};
use crate::cli::sized;
use crate::cli::table::Table;
use crate::compile;
use crate::plan::Fit;
use crate::plan::bottleneck::percent;
use crate::plan::figure::show;
use crate::whatif::{self, Comparison, Outcome, Price, Refusal, Written};

use super::section::{self, Section};

/// Compares and prints.
pub fn run(args: &PackageArgs, pool: &str, format: TableFormat, console: &mut Console) -> Result<Exit, Failure> {
    let Loaded { package, options } = package::load(args)?;
    let catalogue = Catalogue::new();
    let compiled = compile::check(&package, &options, &catalogue);
    let Some(plan) = &compiled.plan else {
        return sized::errors(compiled.problems, &package.sources, console);
    };
    let compared = whatif::compare(&package, &options, &catalogue, plan, &compiled.problems, pool);
    let compared = compared.map_err(|refusal| refused(&refusal, pool))?;
    console.answer(&section::print(&[table(&compared)], format))?;
    Ok(Exit::Fine)
}

fn refused(refusal: &Refusal, pool: &str) -> Failure {
    match refusal {
        Refusal::NoPool(pools) => {
            let failure = Failure::new(format!("there is no `{pool}`"));
            match phrase::nearest(pool, pools.iter().map(String::as_str)) {
                Some(near) => failure.help(format!("perhaps `{near}`")),
                None => failure.help(format!("the pools are {}", phrase::all_of(pools))),
            }
        }
        Refusal::NoGpuLoad => Failure::new(format!("no training, fine-tuning or inference runs on `{pool}`"))
            .help("name a pool whose loads need GPUs"),
        Refusal::NoMachine => {
            Failure::new(format!("neither catalogue nor package has a machine with GPUs for `{pool}`"))
                .help("describe one as `server` or `instance`")
        }
        Refusal::TooLarge { machines, blocks } => {
            Failure::new(format!("{machines} machines in a platform of {blocks} blocks are too much to compile"))
                .help(format!("copy `{pool}` with its loads into a package of its own and compare there"))
        }
    }
}

fn table(compared: &Comparison) -> Section {
    let mut table = Table::new(&[
        "machine",
        "does",
        "GPUs a node",
        "nodes",
        "GPUs",
        "memory",
        "time or service level",
        "power",
        "price",
        "why not",
    ]);
    for outcome in &compared.outcomes {
        table.row(row(outcome));
    }
    let does = compared.outcomes.iter().filter(|outcome| outcome.does()).count();
    let list = |written: &[Written], was: &str| {
        let one = |written: &Written| format!("`{}` ({was}{})", written.path, written.value);
        written.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let freed = match list(&compared.counts.freed, "was ") {
        none if none.is_empty() => String::from("nothing, all of it is `auto`"),
        freed => freed,
    };
    let kept = match list(&compared.counts.kept, "") {
        none if none.is_empty() => none,
        kept => format!(", so are counts that nothing else decides: {kept}"),
    };
    let lead = vec![
        format!("machines for `{}`: {does} of {} do", compared.pool, compared.outcomes.len()),
        format!("set to `auto` for the comparison: {freed}"),
        format!("deadlines, service levels and demand are as written{kept}"),
    ];
    Section::new("what_if", "What if", table).lead(lead)
}

fn row(outcome: &Outcome) -> [String; 10] {
    let count = |count: Option<u64>| count.map_or_else(|| String::from("unknown"), |count| show(count as f64, ""));
    let now = if outcome.machine.current { " (now)" } else { "" };
    let memory = outcome.memory.map(percent).unwrap_or_default();
    let fit = match outcome.fit {
        Some(Fit::Yes) => format!("fits, {memory}"),
        Some(Fit::Tight) => format!("fits barely, {memory}"),
        Some(Fit::No) => format!("too small, {memory}"),
        Some(Fit::Unknown) | None => String::from("unknown"),
    };
    let price = match &outcome.price {
        Price::Once(money) => money.to_string(),
        Price::Yearly(money) => format!("{money} a year"),
        Price::None => String::from("no price"),
    };
    let power = match outcome.power {
        Some(watts) => show(watts, "kW"),
        None => String::from(if outcome.rented { "the cloud's" } else { "unknown" }),
    };
    [
        format!("{}{now}", outcome.machine.address),
        String::from(if outcome.does() { "yes" } else { "no" }),
        count(outcome.gpus_per_node),
        count(outcome.nodes),
        count(outcome.gpus),
        fit,
        outcome.loads.join("; "),
        power,
        price,
        outcome.reasons.join("; "),
    ]
}
