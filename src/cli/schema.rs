//! `aipc schema`: the forms that people and scripts can rely on.

use std::fmt::Write;

use clap::ValueEnum;
use serde_json::{Value, json};

use crate::base::phrase;
use crate::explain;
use crate::model::kinds::Kind;
use crate::model::schema::{Attribute, Group, KindSchema, Mode, SubShape};
use crate::plan::json as plan;

use super::args::TableFormat;
use super::console::Console;
use super::failure::{Exit, Failure};
use super::json::pretty;
use super::table::Table;

/// Show the schema of the plan, the kinds of the language with their attributes, or the codes of problems
#[derive(clap::Args)]
pub struct Args {
    /// What to describe
    #[arg(value_enum)]
    what: What,
    /// Of the kinds, this one alone: `partition`
    #[arg(value_name = "KIND")]
    kind: Option<String>,
    /// How the kinds are printed; the schema of the plan is always JSON
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = SchemaFormat::Human)]
    format: SchemaFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// The JSON schema of `aipc plan --format json`
    Plan,
    /// Every kind of block
    Kinds,
    /// Every code, with its title
    Codes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SchemaFormat {
    /// Text
    Human,
    /// One JSON document
    Json,
}

/// Prints a schema.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    let kinds = kinds(args)?;
    let text = match (args.what, args.format) {
        (What::Plan, SchemaFormat::Human | SchemaFormat::Json) => plan::schema(),
        (What::Kinds, SchemaFormat::Human) => kinds.into_iter().map(words).collect(),
        (What::Kinds, SchemaFormat::Json) => pretty(&kinds.into_iter().map(document).collect::<Vec<_>>()),
        (What::Codes, SchemaFormat::Human) => codes().print(TableFormat::Human),
        (What::Codes, SchemaFormat::Json) => codes().print(TableFormat::Json),
    };
    console.answer(&text)?;
    Ok(Exit::Fine)
}

/// The kinds that are asked for: all of them, or those of a word (one word may be a kind in several places).
fn kinds(args: &Args) -> Result<Vec<&'static KindSchema>, Failure> {
    let all = || Kind::ALL.iter().map(|kind| kind.schema());
    let Some(word) = args.kind.as_deref() else { return Ok(all().collect()) };
    if args.what != What::Kinds {
        return Err(Failure::new("only the kinds can be shown one at a time").help("`aipc schema kinds KIND`"));
    }
    let found: Vec<&KindSchema> = all().filter(|kind| kind.word == word).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let failure = Failure::new(format!("there is no kind `{}`", phrase::excerpt(word, 40)));
    Err(match phrase::nearest(word, all().map(|kind| kind.word)) {
        Some(near) => failure.help(format!("perhaps `{near}`")),
        None => failure.help("`aipc schema kinds` lists them"),
    })
}

fn codes() -> Table {
    let mut table = Table::new(&["code", "title"]);
    for doc in explain::codes() {
        table.row([doc.code.to_string(), doc.title().to_string()]);
    }
    table
}

/// A kind in words: what it is for, its attributes, blocks and figures.
pub fn words(kind: &KindSchema) -> String {
    let mut text = format!("{} ({})\n  {}\n", kind.word, chapter(kind.group), kind.doc.trim());
    for row in kind.attributes {
        let _ = writeln!(text, "  {}: {}; {}. {}", row.name, row.ty.name(), presence(row), row.doc.trim());
    }
    for block in kind.blocks {
        let shape = match block.shape {
            SubShape::Single => "{ … }",
            SubShape::Named => "NAME { … }",
            SubShape::Addressed => "ADDRESS { … }",
            SubShape::Keyed => "",
        };
        let _ = match block.shape {
            SubShape::Keyed => writeln!(text, "  KEY = \"value\"  {}", block.doc.trim()),
            SubShape::Single | SubShape::Named | SubShape::Addressed => {
                writeln!(text, "  {} {shape}  {}", block.word, block.doc.trim())
            }
        };
    }
    for row in kind.derived {
        let _ = writeln!(text, "  {}: derived, {}. {}", row.name, row.ty.name(), row.doc.trim());
    }
    text.push('\n');
    text
}

fn document(kind: &KindSchema) -> Value {
    let attribute = |row: &Attribute| {
        json!({
            "name": row.name,
            "type": row.ty.name(),
            "words": row.ty.words(),
            "required": row.mode == Mode::Required,
            "default": row.default,
            "doc": row.doc,
        })
    };
    let blocks = kind.blocks.iter().map(|block| {
        let shape = match block.shape {
            SubShape::Single => "single",
            SubShape::Named => "named",
            SubShape::Addressed => "addressed",
            SubShape::Keyed => "keyed",
        };
        json!({ "word": block.word, "shape": shape, "kind": block.kind.schema().word, "doc": block.doc })
    });
    let derived = kind.derived.iter().map(|row| json!({ "name": row.name, "type": row.ty.name(), "doc": row.doc }));
    json!({
        "kind": kind.word,
        "group": chapter(kind.group),
        "doc": kind.doc,
        "attributes": kind.attributes.iter().map(attribute).collect::<Vec<_>>(),
        "blocks": blocks.collect::<Vec<_>>(),
        "derived": derived.collect::<Vec<_>>(),
    })
}

fn presence(row: &Attribute) -> String {
    match (row.mode, row.default) {
        (Mode::Required, _) => String::from("required"),
        (Mode::Optional | Mode::Setting | Mode::Default, Some(default)) => format!("default `{default}`"),
        (Mode::Optional | Mode::Setting | Mode::Default, None) => String::from("optional"),
    }
}

fn chapter(group: Group) -> &'static str {
    match group {
        Group::Frame => "frame",
        Group::Load => "load",
        Group::Machines => "machines",
        Group::Paths => "paths",
        Group::Trust => "trust",
        Group::Running => "running",
        Group::Policy => "policy",
        Group::Sub => "inside another block",
    }
}
