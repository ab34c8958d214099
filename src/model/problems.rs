//! Codes and wording of names (1xxx) and of types and units (2xxx).

use crate::base::code::codes;
use crate::base::diagnostic::Diagnostic;
use crate::base::phrase::{any_of, containing, excerpt, nearest, some_of};
use crate::base::quantity::BadQuantity;
use crate::base::span::Span;

codes! {
    /// # No such kind of block
    ///
    /// The word before a block's name is not one of the language's kinds.
    ///
    /// Wrong: `pol train { … }`. Right: `pool train { … }`. `aipc schema kinds` lists them all.
    UNKNOWN_KIND = 1001;
    /// # No such attribute
    ///
    /// The kind has no attribute of this name. Nothing that is not understood is ever passed over.
    ///
    /// Wrong: `storage fast { capasity = 5 PB }`. Right: `storage fast { capacity = 5 PB }`.
    UNKNOWN_ATTRIBUTE = 1002;
    /// # A reference leads nowhere
    ///
    /// A reference names its kind and its name: `pool.train`. No block of that kind has that name, or the block has
    /// been dropped by the environment.
    UNKNOWN_REFERENCE = 1003;
    /// # A name is used twice
    ///
    /// Two blocks of one kind have one name. A name is the same in every output, so it must be the name of one thing.
    DUPLICATE_NAME = 1004;
    /// # An attribute is written twice
    ///
    /// The second value would silently win over the first.
    DUPLICATE_ATTRIBUTE = 1005;
    /// # A block's label is not what its kind takes
    ///
    /// Most kinds take a name (`pool train`), `let` takes none, `price` takes an address (`price catalog.server.x`).
    BAD_LABEL = 1006;
    /// # A required attribute is missing
    ///
    /// The kind cannot be understood without it, and no default could be right for everyone.
    MISSING_ATTRIBUTE = 1007;
    /// # Values depend on each other in a circle
    ///
    /// The shortest circle is shown, a step a line. Write one of its values as a literal.
    CYCLE = 1008;
    /// # A name that some output could not carry
    ///
    /// Names are lower-case letters, digits and single hyphens, start with a letter and have at most 40 characters,
    /// so that they are legal in Kubernetes, Terraform, Slurm, DNS and file names and are never changed.
    ILLEGAL_NAME = 1009;
    /// # A word that the attribute does not take
    ///
    /// Bare words are values of a closed list, which the attribute's type gives.
    UNKNOWN_WORD = 1010;
    /// # Not in the catalogue
    ///
    /// The shipped catalogue has no such entry. `aipc catalog KIND` lists what there is; a block of the same kind in
    /// the package describes hardware of one's own: `server box { … }`, then `server.box`.
    UNKNOWN_CATALOGUE_ENTRY = 1011;
    /// # No such function
    ///
    /// The language has a closed set of functions: `min max sum len ceil floor round join format`.
    UNKNOWN_FUNCTION = 1012;
    /// # A chain of references is too long
    ///
    /// Values may lead to values 500 steps deep, expressions counted.
    TOO_DEEP = 1013;
    /// # No such environment
    ///
    /// `--env` names an `environment` block of the package; without it the package is compiled as written (`base`).
    UNKNOWN_ENVIRONMENT = 1014;
    /// # One setting, two values
    ///
    /// An environment sets the same path twice.
    SET_TWICE = 1015;
    /// # The attribute is locked
    ///
    /// `@locked` on an attribute says that no environment and no `--set` may change it.
    LOCKED = 1016;
    /// # The block was dropped
    ///
    /// The environment drops a block that something else still refers to. Drop or change that as well.
    DROPPED = 1017;
    /// # A computed value is written
    ///
    /// The compiler computes it; `check`, `rule` and strings may read it, nothing may write it.
    WRITES_DERIVED = 1018;
    /// # A loop variable hides a word of the language
    ///
    /// A loop variable may not be a kind or an enum word, so that `pool` always means the kind and `hot` the tier.
    SHADOWING = 1019;
    /// # No such annotation
    ///
    /// `@allow(CODE, reason = "…", until = DATE)`, `@locked` and `@was("old-name")` are all there are.
    UNKNOWN_ANNOTATION = 1020;
    /// # A waiver without a reason
    ///
    /// `@allow` needs a code and a reason, because somebody will ask.
    BAD_WAIVER = 1021;
    /// # Not exactly one platform
    ///
    /// A package describes one platform: it has one `platform` block.
    ONE_PLATFORM = 1022;
    /// # A block where it cannot stand
    ///
    /// Some blocks stand only inside others, some only at top level.
    MISPLACED_BLOCK = 1023;
    /// # A setting that leads nowhere
    ///
    /// `set PATH = VALUE` changes an attribute of a block that exists, in the same types as where it was written.
    BAD_PATH = 1024;
    /// # Too much to evaluate
    ///
    /// What a package may have evaluated grows with its size. Only loops in loops, or strings and lists that are built
    /// from each other, come to more than that.
    TOO_MUCH = 1026;
    /// # A rename that says nothing
    ///
    /// `@was("old-name")` stands above a block that has a name, and gives the one it had before. `aipc diff` then knows
    /// both as one block.
    ///
    /// Wrong: `@was(train)`. Right: `@was("train")`, above `pool gpu { … }`.
    BAD_RENAME = 1027;

    /// # A value of the wrong form
    ///
    /// The attribute takes something else. The message names both.
    WRONG_TYPE = 2001;
    /// # No such unit
    ///
    /// Units are words of a closed list; case matters: `GB` is 10^9 bytes, `GiB` 2^30, `Gbps` gigabits a second, `min`
    /// minutes and `m` metres.
    UNKNOWN_UNIT = 2002;
    /// # The wrong dimension
    ///
    /// Data, rates, time, power, money and the rest never stand for each other: `400 Gbps` is no amount of data.
    WRONG_DIMENSION = 2003;
    /// # Two currencies in one sum
    ///
    /// Money converts only where a `rate` block says how; sums in the source keep to one currency.
    MIXED_CURRENCY = 2004;
    /// # An operation that its operands do not have
    ///
    /// For example the sum of a time and a power, or the comparison of a word with a number.
    BAD_OPERANDS = 2005;
    /// # A number beyond 28 digits
    ///
    /// Numbers are exact decimals of up to 28 digits, and so are the results of arithmetic.
    TOO_BIG = 2006;
    /// # Division by zero
    ///
    /// The divisor comes to 0.
    DIVISION_BY_ZERO = 2007;
    /// # A string without the format it must have
    ///
    /// Networks, versions, regions and web addresses are strings of a format.
    BAD_FORMAT = 2008;
    /// # A character that no text may have
    ///
    /// Control characters and marks that turn the direction of text are refused; line breaks are refused where a text
    /// has one line.
    FORBIDDEN_CHARACTER = 2009;
    /// # Something that must be known is left open
    ///
    /// `tbd` is for amounts, times, money and text; what a block *is* (its site, its kind, its scheduler) must be known.
    TBD_NOT_ALLOWED = 2010;
    /// # The compiler cannot decide this
    ///
    /// `auto` is for attributes that the sizing can solve.
    AUTO_NOT_ALLOWED = 2011;
    /// # A range is compared
    ///
    /// A range of more than one value is neither more nor less than a number: say `.min` or `.max`.
    RANGE_COMPARED = 2012;
    /// # `null` where a value must be
    ///
    /// `null` is only compared with `==` and `!=` against an attribute that may be left out.
    NULL_MISUSED = 2013;
    /// # A value that is known only after sizing
    ///
    /// `auto` and computed values may be read in `check`, `rule`, `test` and their messages, not where the sizing
    /// starts from.
    NOT_YET_KNOWN = 2014;
    /// # A range that is none
    ///
    /// The lower end is above the upper one, or they measure different things.
    BAD_RANGE = 2015;
    /// # A parameter outside of what it allows
    ///
    /// `allowed` of the `param` block is a range or a list.
    NOT_ALLOWED = 2016;
    /// # No such day
    ///
    /// A date is `year-month-day`, and the calendar has it.
    BAD_DATE = 2017;
    /// # A condition that is neither true nor false
    ///
    /// `assert`, `if` and the part before `?` must come to `true` or `false`.
    NOT_A_CONDITION = 2018;
    /// # A place in a list that is not there
    ///
    /// Indices count from 0.
    BAD_INDEX = 2019;
    /// # A secret in a package
    ///
    /// A package is read by many and its outputs by more: it has no passwords. A daemon that needs one reads it on its
    /// host, from a script such as `StoragePassScript` or through a socket that trusts the user.
    SECRET_WRITTEN = 2020;
}

/// Entries of the catalogue that a message names at most.
const ENTRIES: usize = 8;

/// A quoted piece of the source, short and on one line.
fn tick(text: &str) -> String {
    format!("`{}`", excerpt(text, 60))
}

/// Adds "did you mean", with the repair, when a legal name is near.
fn suggest<'a>(
    problem: Diagnostic,
    wrong: &str,
    at: Span,
    legal: impl IntoIterator<Item = &'a str> + Clone,
) -> Diagnostic {
    match nearest(wrong, legal.clone()) {
        Some(near) => problem.help(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), at, near),
        None => {
            let all: Vec<&str> = legal.into_iter().collect();
            if all.is_empty() || all.len() > 12 { problem } else { problem.help(format!("there is {}", any_of(all))) }
        }
    }
}

pub(super) fn unknown_kind<'a>(word: &str, at: Span, legal: impl IntoIterator<Item = &'a str> + Clone) -> Diagnostic {
    let problem = Diagnostic::error(UNKNOWN_KIND, format!("there is no kind of block called {}", tick(word)));
    suggest(problem.at(at, "not a kind"), word, at, legal)
}

pub(super) fn unknown_attribute<'a>(
    kind: &str,
    word: &str,
    at: Span,
    legal: impl IntoIterator<Item = &'a str> + Clone,
) -> Diagnostic {
    let problem = Diagnostic::error(UNKNOWN_ATTRIBUTE, format!("a `{kind}` has no attribute {}", tick(word)));
    suggest(problem.at(at, "not an attribute of it"), word, at, legal)
}

pub(super) fn unknown_reference<'a>(
    path: &str,
    at: Span,
    part: Span,
    wrong: &str,
    legal: impl IntoIterator<Item = &'a str> + Clone,
) -> Diagnostic {
    let problem = Diagnostic::error(UNKNOWN_REFERENCE, format!("nothing is called {}", tick(path)));
    suggest(problem.at(at, "leads nowhere"), wrong, part, legal)
}

/// A path that begins with the word of a block inside another, or with a name instead of a kind: `meant` are the
/// addresses of the blocks that have that word or name.
pub(super) fn meant(problem: Diagnostic, meant: &[String]) -> Diagnostic {
    // A name that is near comes first.
    if meant.is_empty() || !problem.fixes.is_empty() {
        problem
    } else {
        problem.help(format!("did you mean {}?", any_of(meant.iter().take(ENTRIES))))
    }
}

/// A text without its quotes, as it stands in the source.
pub(super) fn unquoted(problem: Diagnostic, source: &str) -> Diagnostic {
    problem.help(format!("write it in double quotes: `\"{}\"`", excerpt(source, 60)))
}

pub(super) fn bare_reference(word: &str, at: Span, full: &str) -> Diagnostic {
    Diagnostic::error(UNKNOWN_REFERENCE, format!("{} is a word, a reference names its kind too", tick(word)))
        .at(at, "a reference is wanted here")
        .help(format!("write `{full}`"))
        .fix(format!("write `{full}`"), at, full)
}

pub(super) fn dropped(path: &str, at: Span, by: Span) -> Diagnostic {
    Diagnostic::error(DROPPED, format!("{} was dropped by the environment", tick(path)))
        .at(at, "still refers to it")
        .at(by, "dropped here")
        .help("drop or set what refers to it as well")
}

pub(super) fn duplicate_name(kind: &str, name: &str, at: Span, first: Span) -> Diagnostic {
    Diagnostic::error(DUPLICATE_NAME, format!("there are two `{kind}` blocks called `{name}`"))
        .at(at, "the second")
        .at(first, "the first")
        .help("give one of them another name")
}

pub(super) fn duplicate_attribute(name: &str, at: Span, first: Span) -> Diagnostic {
    Diagnostic::error(DUPLICATE_ATTRIBUTE, format!("`{name}` is written twice"))
        .at(at, "the second")
        .at(first, "the first")
        .help("remove one of them")
}

pub(super) fn bad_label(kind: &str, at: Span, wanted: &str) -> Diagnostic {
    Diagnostic::error(BAD_LABEL, format!("`{kind}` takes {wanted}")).at(at, "")
}

pub(super) fn missing_attribute(address: &str, name: &str, takes: &str, at: Span) -> Diagnostic {
    Diagnostic::error(MISSING_ATTRIBUTE, format!("`{address}` has no `{name}`"))
        .at(at, format!("`{name}` is missing"))
        .help(format!("add `{name} = …`; it takes {takes}"))
        .about(address)
}

pub(super) fn secret_written(key: &str, address: &str, at: Span) -> Diagnostic {
    // The value is not repeated, and neither is its place.
    Diagnostic::error(SECRET_WRITTEN, format!("the value of {} is a secret, which no package has", tick(key)))
        .at(at, "")
        .help("take it out, put it on the host, and take it for known to all who could read this file")
        .about(address)
}

pub(super) fn cycle(steps: &[(String, String, Span)]) -> Diagnostic {
    let (address, ..) = &steps[0];
    let mut problem = Diagnostic::error(CYCLE, format!("the value of `{address}` depends on itself"));
    for (from, to, span) in steps {
        problem = problem.at(*span, format!("`{from}` needs `{to}`"));
    }
    problem.help("write one of these values as a literal")
}

pub(super) fn illegal_name(name: &str, at: Span, why: &str) -> Diagnostic {
    Diagnostic::error(ILLEGAL_NAME, format!("{} is not a legal name: {why}", tick(name)))
        .at(at, "")
        .help("names are lower-case letters, digits and single hyphens, at most 40, first a letter: `gpu-train`")
}

pub(super) fn unknown_word(word: &str, at: Span, what: &str, legal: &[&str]) -> Diagnostic {
    let problem = Diagnostic::error(UNKNOWN_WORD, format!("{what} does not take {}", tick(word)));
    suggest(problem.at(at, "not one of its words"), word, at, legal.iter().copied())
}

pub(super) fn no_word(word: &str, at: Span) -> Diagnostic {
    Diagnostic::error(UNKNOWN_WORD, format!("{} is neither a loop variable nor a word of the language", tick(word)))
        .at(at, "")
        .help("a reference names its kind too, text stands in quotes")
}

pub(super) fn base_environment(at: Span) -> Diagnostic {
    Diagnostic::error(ILLEGAL_NAME, "`base` is the package as written, no environment of its own")
        .at(at, "")
        .help("write its values in the blocks, or give the environment another name")
}

pub(super) fn no_loop(word: &str, at: Span) -> Diagnostic {
    Diagnostic::error(BAD_LABEL, format!("`{word}` takes no `for`")).at(at, "").help("write one block for each item")
}

pub(super) fn unknown_code_word(word: &str, at: Span, what: &str) -> Diagnostic {
    Diagnostic::error(UNKNOWN_WORD, format!("{} is not {what}", tick(word))).at(at, "")
}

pub(super) fn unknown_entry<'a>(
    kind: &str,
    id: &str,
    at: Span,
    part: Span,
    legal: impl IntoIterator<Item = &'a str> + Clone,
) -> Diagnostic {
    let message = format!("the catalogue has no {kind} {}", tick(id));
    let problem = Diagnostic::error(UNKNOWN_CATALOGUE_ENTRY, message).at(at, "not in the catalogue");
    let problem = problem.fact(format!("`aipc catalog {kind}` lists what there is"));
    let having = containing(id, legal.clone());
    match nearest(id, legal.clone()) {
        None if !having.is_empty() => problem.help(format!("there is {}", some_of(&having, ENTRIES))),
        Some(_) | None => suggest(problem, id, part, legal),
    }
}

pub(super) fn unknown_function(name: &str, at: Span, functions: &[&str], tags: Vec<&'static str>) -> Diagnostic {
    let problem = Diagnostic::error(UNKNOWN_FUNCTION, format!("there is no function {}", tick(name))).at(at, "");
    match nearest(name, tags) {
        Some(near) if nearest(name, functions.iter().copied()).is_none() => {
            problem.help(format!("did you mean `{near}`?"))
        }
        _ => suggest(problem, name, at, functions.iter().copied()),
    }
}

pub(super) fn family(kind: &str, name: &str, at: Span) -> Diagnostic {
    let path = format!("{kind}.{name}");
    Diagnostic::error(UNKNOWN_REFERENCE, format!("nothing is called `{path}`: its loop makes several blocks"))
        .at(at, "leads to no single block")
        .help(format!("`{path}[*]` is the list of them, each has a name of its own"))
}

pub(super) fn bad_arguments(name: &str, at: Span, wanted: &str) -> Diagnostic {
    Diagnostic::error(WRONG_TYPE, format!("`{name}` takes {wanted}")).at(at, "")
}

pub(super) fn too_deep(at: Span) -> Diagnostic {
    Diagnostic::error(TOO_DEEP, "this value is more than 500 steps away from a literal")
        .at(at, "the last step")
        .help("write a value on the way as a literal")
}

pub(super) fn too_much(steps: u64, at: Span) -> Diagnostic {
    let steps = crate::base::quantity::group(&steps.to_string());
    Diagnostic::error(TOO_MUCH, format!("evaluating the package takes more than {steps} steps"))
        .at(at, "where they ran out")
        .help("loops in loops multiply, and so do strings and lists that repeat each other; write shorter ones")
}

pub(super) fn unknown_environment<'a>(
    name: &str,
    at: Span,
    legal: impl IntoIterator<Item = &'a str> + Clone,
) -> Diagnostic {
    let problem = Diagnostic::error(UNKNOWN_ENVIRONMENT, format!("there is no environment {}", tick(name)));
    suggest(problem.at(at, ""), name, at, legal)
}

pub(super) fn set_twice(path: &str, at: Span, first: Span) -> Diagnostic {
    Diagnostic::error(SET_TWICE, format!("{} is set twice", tick(path))).at(at, "the second").at(first, "the first")
}

pub(super) fn locked(path: &str, at: Span, by: Span) -> Diagnostic {
    Diagnostic::error(LOCKED, format!("{} is locked", tick(path))).at(at, "sets it").at(by, "locked here")
}

pub(super) fn writes_derived(address: &str, at: Span) -> Diagnostic {
    Diagnostic::error(WRITES_DERIVED, format!("`{address}` is computed, it cannot be written"))
        .at(at, "")
        .help("remove it; a `check` can hold it against a value")
}

pub(super) fn shadowing(word: &str, at: Span) -> Diagnostic {
    Diagnostic::error(SHADOWING, format!("the loop variable `{word}` is a word of the language"))
        .at(at, "")
        .help("use another name, such as `x`")
}

pub(super) fn unknown_annotation(word: &str, at: Span) -> Diagnostic {
    let problem = Diagnostic::error(UNKNOWN_ANNOTATION, format!("there is no annotation {}", tick(word)));
    suggest(problem.at(at, ""), word, at, ["allow", "locked", "was"])
}

pub(super) fn bad_waiver(at: Span, missing: &str) -> Diagnostic {
    Diagnostic::error(BAD_WAIVER, format!("this waiver has no {missing}"))
        .at(at, "")
        .help("write `@allow(AIP3001, reason = \"why it is all right\", until = 2027-03-31)`")
}

pub(super) fn bad_rename(at: Span, why: &str) -> Diagnostic {
    Diagnostic::error(BAD_RENAME, format!("this rename says nothing: {why}"))
        .at(at, "")
        .help("write `@was(\"old-name\")` above the block")
}

pub(super) fn no_platform() -> Diagnostic {
    Diagnostic::error(ONE_PLATFORM, "the package has no `platform` block")
        .help("start with `platform NAME { owner = \"…\", stage = poc, currency = EUR }`")
}

pub(super) fn two_platforms(at: Span, first: Span) -> Diagnostic {
    Diagnostic::error(ONE_PLATFORM, "a package describes one platform").at(at, "the second").at(first, "the first")
}

pub(super) fn misplaced_block(word: &str, at: Span, inside: Option<&str>, legal: Vec<&str>) -> Diagnostic {
    let message = match inside {
        Some(kind) => format!("a `{kind}` has no block {} inside", tick(word)),
        None => format!("{} stands only inside another block", tick(word)),
    };
    suggest(Diagnostic::error(MISPLACED_BLOCK, message).at(at, ""), word, at, legal)
}

pub(super) fn misplaced_item(what: &str, at: Span) -> Diagnostic {
    Diagnostic::error(MISPLACED_BLOCK, format!("`{what}` stands only in an `environment`")).at(at, "")
}

pub(super) fn two_blocks(word: &str, at: Span, first: Span) -> Diagnostic {
    Diagnostic::error(DUPLICATE_NAME, format!("there can be only one `{word}` here"))
        .at(at, "the second")
        .at(first, "the first")
}

pub(super) fn bad_path(path: &str, at: Span, why: &str) -> Diagnostic {
    Diagnostic::error(BAD_PATH, format!("{} cannot be set: {why}", tick(path))).at(at, "")
}

/// A value of one form where another is wanted.
pub fn wrong_type(what: &str, takes: &str, form: &str, at: Span) -> Diagnostic {
    Diagnostic::error(WRONG_TYPE, format!("{what} takes {takes}, this is {form}")).at(at, form.to_string())
}

pub(super) fn wrong_dimension(what: &str, takes: &str, form: &str, at: Span) -> Diagnostic {
    Diagnostic::error(WRONG_DIMENSION, format!("{what} takes {takes}; this is {form}")).at(at, "")
}

pub(super) fn bad_quantity(bad: &BadQuantity, at: Span, unit_at: Span) -> Diagnostic {
    match bad {
        BadQuantity::TooManyDigits => too_big(at),
        BadQuantity::Scale(word) => {
            let problem = Diagnostic::error(UNKNOWN_UNIT, format!("{} is not a scale", tick(word)));
            suggest(problem.at(unit_at, ""), word, unit_at, ["thousand", "million", "billion", "trillion"])
        }
        BadQuantity::Unit(unknown) => {
            let message = format!("there is no unit {}", tick(&unknown.word));
            let problem = Diagnostic::error(UNKNOWN_UNIT, message).at(unit_at, "");
            match &unknown.meant {
                Some(meant) => problem.help(meant.clone()),
                None => problem,
            }
        }
    }
}

pub(super) fn mixed_currency(left: &str, right: &str, at: Span) -> Diagnostic {
    Diagnostic::error(MIXED_CURRENCY, format!("`{left}` and `{right}` are two currencies"))
        .at(at, "")
        .help("write both in one currency; a `rate` block converts only in the bill")
}

pub(super) fn bad_operands(symbol: &str, left: &str, right: &str, at: Span) -> Diagnostic {
    Diagnostic::error(BAD_OPERANDS, format!("`{symbol}` does not go with {left} and {right}")).at(at, "")
}

pub(super) fn bad_operand(symbol: &str, operand: &str, at: Span) -> Diagnostic {
    Diagnostic::error(BAD_OPERANDS, format!("`{symbol}` does not go with {operand}")).at(at, "")
}

pub(super) fn too_big(at: Span) -> Diagnostic {
    Diagnostic::error(TOO_BIG, "this number has more than 28 digits").at(at, "")
}

pub(super) fn division_by_zero(at: Span) -> Diagnostic {
    Diagnostic::error(DIVISION_BY_ZERO, "this divides by 0").at(at, "")
}

pub(super) fn bad_format(what: &str, takes: &str, text: &str, at: Span) -> Diagnostic {
    Diagnostic::error(BAD_FORMAT, format!("{what} takes {takes}, not {}", tick(text))).at(at, "")
}

pub(super) fn forbidden_character(character: char, at: Span) -> Diagnostic {
    let code = u32::from(character);
    let what = match character {
        '\n' | '\r' => String::from("a line break"),
        '\0' => String::from("NUL"),
        c if c.is_control() => format!("the control character U+{code:04X}"),
        _ => format!("U+{code:04X}, which changes the direction of text"),
    };
    Diagnostic::error(FORBIDDEN_CHARACTER, format!("this text must not contain {what}"))
        .at(at, "")
        .help("remove the character")
}

pub(super) fn tbd_not_allowed(what: &str, at: Span) -> Diagnostic {
    Diagnostic::error(TBD_NOT_ALLOWED, format!("{what} must be known")).at(at, "left open here")
}

pub(super) fn auto_not_allowed(what: &str, at: Span) -> Diagnostic {
    Diagnostic::error(AUTO_NOT_ALLOWED, format!("{what} is not something the sizing can decide"))
        .at(at, "")
        .help("write a value, or `tbd(\"why\")` when a person still has to decide")
}

pub(super) fn range_compared(at: Span) -> Diagnostic {
    Diagnostic::error(RANGE_COMPARED, "a range is neither more nor less than a value")
        .at(at, "a range")
        .help("say which end is meant: `.min` or `.max`")
}

pub(super) fn null_misused(at: Span) -> Diagnostic {
    Diagnostic::error(NULL_MISUSED, "there is no value here")
        .at(at, "not written, and it has no default")
        .help("ask first: `x != null and …`; `null` itself is only for `==` and `!=`")
}

pub(super) fn null_alone(at: Span) -> Diagnostic {
    Diagnostic::error(NULL_MISUSED, "`null` is no value")
        .at(at, "")
        .help("leave the attribute out; `null` is only for `==` and `!=`, beside an attribute that may be left out")
}

pub(super) fn never_null(at: Span) -> Diagnostic {
    Diagnostic::error(NULL_MISUSED, "this always has a value")
        .at(at, "never `null`")
        .help("remove the comparison; `null` is only held against an attribute that may be left out")
}

pub(super) fn no_unit(at: Span) -> Diagnostic {
    Diagnostic::error(BAD_OPERANDS, "there is no unit to show this quantity in")
        .at(at, "a compound quantity")
        .help("divide it by a quantity of the language first")
}

pub(super) fn not_yet_known(address: &str, at: Span) -> Diagnostic {
    Diagnostic::error(NOT_YET_KNOWN, format!("`{address}` is known only after sizing"))
        .at(at, "")
        .help("read it in a `check`, a `rule` or their messages, or write it as a literal")
}

pub(super) fn bad_range(at: Span, why: &str) -> Diagnostic {
    Diagnostic::error(BAD_RANGE, format!("this is not a range: {why}")).at(at, "")
}

pub(super) fn not_allowed(address: &str, value: &str, allowed: &str, at: Span, by: Span) -> Diagnostic {
    Diagnostic::error(NOT_ALLOWED, format!("`{address}` is {value}, allowed is {allowed}"))
        .at(at, "")
        .at(by, "allowed here")
}

pub(super) fn bad_date(text: &str, at: Span) -> Diagnostic {
    Diagnostic::error(BAD_DATE, format!("the calendar has no {}", tick(text))).at(at, "")
}

pub(super) fn not_a_condition(form: &str, at: Span) -> Diagnostic {
    Diagnostic::error(NOT_A_CONDITION, format!("a condition is true or false, this is {form}")).at(at, "")
}

pub(super) fn bad_index(index: &str, length: usize, at: Span) -> Diagnostic {
    Diagnostic::error(BAD_INDEX, format!("there is no item {index} in a list of {length}")).at(at, "")
}
