//! The shape of the language: types, and what a kind consists of. The table itself is in `kinds.rs`.

use crate::base::phrase;
use crate::base::quantity::Currency;
use crate::base::unit::Dimension;

use super::decode::Country;
use super::kinds::Kind;

/// What an attribute takes.
#[derive(Debug, Clone, Copy)]
pub enum Type {
    /// `true` or `false`.
    Bool,
    /// A whole number from 0 up.
    Int,
    /// A plain number: a factor, a share, a percentage.
    Number,
    /// A string of a format.
    Text(Format),
    /// A calendar date.
    Date,
    /// `2:1`.
    Ratio,
    /// A number with a unit.
    Quantity(Dimension),
    /// One of these words.
    Word(&'static [&'static str]),
    /// An ISO 3166 code.
    Country,
    /// An ISO 4217 code.
    Currency,
    /// A reference to a block of one of these kinds; any kind when empty.
    Ref(&'static [&'static str]),
    /// Counted parts of these kinds.
    Part(&'static [&'static str]),
    /// One value or a range of them.
    Range(&'static Type),
    /// A list.
    List(&'static Type),
    /// `{ key = value }` with strings.
    Map,
    /// A word with arguments.
    Tagged(&'static str, &'static [Type]),
    /// The first of these that fits.
    Either(&'static [Type]),
    /// Kept as written and evaluated after sizing.
    Expression,
    /// Whatever the expression gives.
    Any,
}

/// The format of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One line of free text.
    Line,
    /// Free text with line breaks.
    Prose,
    /// `10.20.0.0/22`.
    Cidr,
    /// `25.11`, `580.95.05`.
    Version,
    /// `eu-north-1`.
    Region,
    /// `https://…`.
    Url,
}

impl Type {
    /// What people call it, to stand after "takes".
    pub fn name(&self) -> String {
        match self {
            Type::Bool => String::from("`true` or `false`"),
            Type::Int => String::from("a whole number"),
            Type::Number => String::from("a plain number or a percentage"),
            Type::Text(Format::Line) => String::from("a string"),
            Type::Text(Format::Prose) => String::from("a string, also over several lines"),
            Type::Text(Format::Cidr) => String::from("a network such as \"10.20.0.0/22\""),
            Type::Text(Format::Version) => String::from("a version such as \"1.35\""),
            Type::Text(Format::Region) => String::from("a region such as \"eu-north-1\""),
            Type::Text(Format::Url) => String::from("an address such as \"https://login.example.org\""),
            Type::Date => String::from("a date such as `2027-03-31`"),
            Type::Ratio => String::from("a ratio such as `2:1`"),
            Type::Quantity(dimension) => dimension.name().to_string(),
            Type::Word(words) => format!("one of {}", phrase::any_of(*words)),
            Type::Country => String::from("a country code such as `DE`"),
            Type::Currency => String::from("a currency code such as `EUR`"),
            Type::Ref([]) => String::from("a reference to a block"),
            Type::Ref(kinds) => format!("a reference to a {}", phrase::any_of(*kinds)),
            Type::Part(kinds) => format!("parts such as `2 * catalog.{}.…`", kinds.first().unwrap_or(&"gpu")),
            Type::Range(inner) => format!("{} or a range `lo..hi` of it", inner.name()),
            Type::List(inner) => format!("a list; an item is {}", inner.name()),
            Type::Map => String::from("a map of strings"),
            Type::Tagged(tag, arguments) => format!("`{tag}({})`", vec!["…"; arguments.len()].join(", ")),
            Type::Either(types) => {
                let names: Vec<String> = types.iter().map(Type::name).collect();
                names.join(" or ")
            }
            Type::Expression => String::from("an expression"),
            Type::Any => String::from("any value"),
        }
    }

    /// The bare words that this type takes, for completion and nearest names.
    pub fn words(&self) -> Vec<&'static str> {
        match self {
            Type::Word(words) => words.to_vec(),
            Type::Tagged(tag, _) => vec![tag],
            Type::Either(types) => types.iter().flat_map(Type::words).collect(),
            Type::List(inner) | Type::Range(inner) => inner.words(),
            Type::Bool
            | Type::Int
            | Type::Number
            | Type::Text(_)
            | Type::Date
            | Type::Ratio
            | Type::Quantity(_)
            | Type::Country
            | Type::Currency
            | Type::Ref(_)
            | Type::Part(_)
            | Type::Map
            | Type::Expression
            | Type::Any => Vec::new(),
        }
    }
}

/// Whether an attribute must be written, and what stands in when it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Must be written, must be known.
    Required,
    /// May be left out.
    Optional,
    /// May be left out, `auto` or `tbd`; a default may be given.
    Setting,
    /// Has a default.
    Default,
}

/// One attribute of a kind.
#[derive(Debug, Clone, Copy)]
pub struct Attribute {
    /// Its name, `snake_case`.
    pub name: &'static str,
    /// One line.
    pub doc: &'static str,
    /// What it takes.
    pub ty: Type,
    /// Whether it must be written.
    pub mode: Mode,
    /// What stands in, as the language writes it.
    pub default: Option<&'static str>,
}

/// A value that the compiler computes and `check`, `rule`, `test` and strings may read.
#[derive(Debug, Clone, Copy)]
pub struct Derived {
    /// Its name.
    pub name: &'static str,
    /// One line.
    pub doc: &'static str,
    /// What it is.
    pub ty: Type,
}

/// How a sub-block is told from its siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubShape {
    /// At most one, no name.
    Single,
    /// Any number, each with a name.
    Named,
    /// Any number, each with the address of another block.
    Addressed,
    /// Any number, each written as an attribute whose name another program knows: `KEY = "value"`.
    Keyed,
}

/// A block that may stand inside another.
#[derive(Debug, Clone, Copy)]
pub struct SubBlock {
    /// The word before its brace.
    pub word: &'static str,
    /// One line.
    pub doc: &'static str,
    /// How it is told from its siblings.
    pub shape: SubShape,
    /// What it consists of.
    pub kind: Kind,
}

/// What a kind consists of.
#[derive(Debug, Clone, Copy)]
pub struct KindSchema {
    /// The kind.
    pub kind: Kind,
    /// The word in the source.
    pub word: &'static str,
    /// What the reference manual says of it.
    pub doc: &'static str,
    /// Its chapter in the reference manual; sub-blocks have `Sub`.
    pub group: Group,
    /// What may be written.
    pub attributes: &'static [Attribute],
    /// What may stand inside.
    pub blocks: &'static [SubBlock],
    /// What the compiler computes.
    pub derived: &'static [Derived],
}

/// Chapters of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// The platform itself, parameters, environments.
    Frame,
    /// What runs.
    Load,
    /// What it runs on.
    Machines,
    /// How data get there.
    Paths,
    /// Who may.
    Trust,
    /// Keeping it alive, and paying.
    Running,
    /// Assertions of the user's own.
    Policy,
    /// Stands inside another block.
    Sub,
}

impl KindSchema {
    /// Position and row of an attribute.
    pub fn attribute(&self, name: &str) -> Option<(u16, &'static Attribute)> {
        (0u16..).zip(self.attributes).find(|(_, attribute)| attribute.name == name)
    }

    /// The row of a derived value.
    pub fn derived(&self, name: &str) -> Option<&'static Derived> {
        self.derived.iter().find(|derived| derived.name == name)
    }

    /// The row of a sub-block.
    pub fn block(&self, word: &str) -> Option<&'static SubBlock> {
        self.blocks.iter().find(|block| block.word == word && block.shape != SubShape::Keyed)
    }

    /// The row of what is written as `KEY = "value"`, in kinds that take keys of another program.
    pub fn keyed(&self) -> Option<&'static SubBlock> {
        self.blocks.iter().find(|block| block.shape == SubShape::Keyed)
    }
}

/// The kind a top-level word names.
pub fn top_level(word: &str) -> Option<Kind> {
    Kind::ALL.iter().copied().find(|kind| kind.schema().word == word && kind.schema().group != Group::Sub)
}

/// Every word that can start a block at top level.
pub fn top_level_words() -> impl Iterator<Item = &'static str> {
    Kind::ALL.iter().map(|kind| kind.schema()).filter(|schema| schema.group != Group::Sub).map(|schema| schema.word)
}

/// The words that begin a reference and are no kinds.
const ROOTS: [&str; 2] = ["all", "catalog"];

/// True for a bare word that some attribute takes.
pub fn is_word(word: &str) -> bool {
    let takes = |schema: &KindSchema| schema.attributes.iter().any(|attribute| attribute.ty.words().contains(&word));
    Kind::ALL.iter().any(|kind| takes(kind.schema()))
        || Country::parse(word).is_some()
        || Currency::parse(word).is_some()
}

/// The words that take arguments.
pub fn tags() -> Vec<&'static str> {
    fn of(ty: &Type) -> Vec<&'static str> {
        match ty {
            Type::Tagged(tag, _) => vec![tag],
            Type::Either(types) => types.iter().flat_map(of).collect(),
            Type::List(inner) | Type::Range(inner) => of(inner),
            _ => Vec::new(),
        }
    }
    let attributes = Kind::ALL.iter().flat_map(|kind| kind.schema().attributes);
    let mut tags: Vec<&'static str> = attributes.flat_map(|attribute| of(&attribute.ty)).collect();
    tags.sort_unstable();
    tags.dedup();
    tags
}

/// True for a word that has a meaning of its own, so that no loop variable may be called so.
pub fn has_meaning(word: &str) -> bool {
    top_level(word).is_some() || ROOTS.contains(&word) || is_word(word)
}
