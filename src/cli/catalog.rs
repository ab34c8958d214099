//! `aipc catalog`: what is known of hardware, instances and models, and who says so.

use crate::base::phrase;
use crate::catalog::{Catalogue, Confidence, Fact};

use super::args::TableFormat;
use super::console::Console;
use super::failure::{Exit, Failure};
use super::table::Table;

/// Show the catalogue: its kinds, the entries of a kind, or the facts of an entry with their sources
#[derive(clap::Args)]
pub struct Args {
    /// A kind: `gpu`, `server`, `model` …
    kind: Option<String>,
    /// An entry of it
    id: Option<String>,
    /// How the table is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = TableFormat::Human)]
    format: TableFormat,
}

/// Lists kinds, entries or facts.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    let catalogue = Catalogue::new();
    let table = match (&args.kind, &args.id) {
        (None, _) => kinds(&catalogue),
        (Some(kind), None) => entries(&catalogue, known(kind)?),
        (Some(kind), Some(id)) => facts(&catalogue, known(kind)?, id)?,
    };
    console.answer(&table.print(args.format))?;
    Ok(Exit::Fine)
}

fn kinds(catalogue: &Catalogue) -> Table {
    let mut table = Table::new(&["kind", "entries"]);
    Catalogue::kinds().for_each(|kind| table.row([kind.to_string(), catalogue.ids(kind).count().to_string()]));
    table
}

fn entries(catalogue: &Catalogue, kind: &str) -> Table {
    let mut table = Table::new(&["entry", "title"]);
    for id in catalogue.ids(kind) {
        let facts = catalogue.entry(kind, id).unwrap_or_default();
        table.row([format!("catalog.{kind}.{id}"), title(&facts)]);
    }
    table
}

/// What people call an entry: its title, its product after the vendor, or what stands for these in its kind.
fn title(facts: &[Fact]) -> String {
    let fact = |name: &str| facts.iter().find(|fact| fact.attribute == name).map(|fact| shown(&fact.value));
    let named = |product: String| match fact("vendor") {
        Some(vendor) if vendor != "generic" && !product.starts_with(&vendor) => format!("{vendor} {product}"),
        _ => product,
    };
    fact("title")
        .or_else(|| fact("product").map(named))
        .or_else(|| fact("type"))
        .or_else(|| fact("family"))
        .unwrap_or_default()
}

fn facts(catalogue: &Catalogue, kind: &str, id: &str) -> Result<Table, Failure> {
    let facts = catalogue.entry(kind, id).ok_or_else(|| {
        let failure = Failure::new(format!("the catalogue has no {kind} `{}`", phrase::excerpt(id, 60)));
        let having = phrase::containing(id, catalogue.ids(kind));
        match phrase::nearest(id, catalogue.ids(kind)) {
            Some(near) => failure.help(format!("perhaps `{near}`")),
            None if !having.is_empty() => failure.help(format!("there is {}", phrase::some_of(&having, 8))),
            None => failure.help(format!("`aipc catalog {kind}` lists them")),
        }
    })?;
    let mut table = Table::new(&["fact", "value", "source", "confidence"]);
    for fact in facts {
        let source = catalogue.source(kind, &fact.source);
        let confidence = match source.map(|source| source.confidence) {
            Some(Confidence::Read) => "read",
            Some(Confidence::Memory) => "from memory",
            None => "",
        };
        let title = source.map_or_else(String::new, |source| source.title.clone());
        table.row([fact.attribute.clone(), shown(&fact.value), title, confidence.to_string()]);
    }
    Ok(table)
}

fn known(kind: &str) -> Result<&str, Failure> {
    if Catalogue::kinds().any(|known| known == kind) {
        return Ok(kind);
    }
    let failure = Failure::new(format!("the catalogue has no kind `{}`", phrase::excerpt(kind, 60)));
    Err(failure.help(format!("it has {}", phrase::all_of(Catalogue::kinds()))))
}

fn shown(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}
