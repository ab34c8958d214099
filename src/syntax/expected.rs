//! Friendly words for a piece that does not fit the grammar: what was read, and what can stand here.
//!
//! pest gives the farthest place it came to and the rules it tried there. Most mistakes are habits from another
//! language and can be told by the characters at that place: [`HABITS`] lists them, the first that fits speaks. What is
//! left gets a plain sentence from the names of the rules.

use pest::error::{Error, ErrorVariant, InputLocation};

use super::grammar::Rule;
use super::problems::{self, short};
use super::scan::is_word;
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::span::{SourceId, Span};

/// Where pest gave up, and what it tried there.
pub(super) struct Failure {
    at: usize,
    rules: Vec<Rule>,
}

impl Failure {
    /// At a place where an item should begin.
    pub(super) fn at(at: usize) -> Failure {
        Failure { at, rules: vec![Rule::item] }
    }

    /// From pest's error about a slice that begins at `base`.
    pub(super) fn new(base: usize, error: &Error<Rule>) -> Failure {
        let at = match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => base + at,
        };
        let rules = match &error.variant {
            ErrorVariant::ParsingError { positives, .. } => positives.clone(),
            ErrorVariant::CustomError { .. } => Vec::new(),
        };
        Failure { at, rules }
    }
}

/// A piece with the place where reading stopped.
struct Found<'t> {
    source: SourceId,
    text: &'t str,
    /// Where pest stopped, blanks not yet skipped.
    stopped: usize,
    /// The next byte that is neither blank nor comment, or the end.
    at: usize,
    /// The bounds of the piece.
    start: usize,
    end: usize,
    rules: &'t [Rule],
}

/// A guess at what was meant.
type Habit = fn(&Found<'_>) -> Option<Diagnostic>;

/// Habits of other languages and slips of the pen, the most telling first.
const HABITS: &[Habit] = &[
    foreign_comment,
    single_quotes,
    curly_quotes,
    heredoc,
    quoted_name,
    brace_on_next_line,
    double_equals,
    colon_for_equals,
    assignment_operator,
    grouped_digits,
    missing_equals,
    second_quantity,
    range_form,
    foreign_operator,
    after_call,
    spaced_not_in,
    ratio_in_condition,
    second_item_on_line,
    missing_comma,
    arrow,
    semicolon,
    half_condition,
    header_form,
    unfinished,
];

/// The diagnostic for a piece (`bounds` in bytes) that could not be read.
pub(super) fn explain(source: SourceId, text: &str, bounds: (usize, usize), failure: &Failure) -> Diagnostic {
    let (start, end) = bounds;
    let stopped = failure.at.clamp(start, end);
    let at = skip_blanks(text, stopped, end);
    let found = Found { source, text, stopped, at, start, end, rules: &failure.rules };
    HABITS.iter().find_map(|habit| habit(&found)).unwrap_or_else(|| plain(&found))
}

fn skip_blanks(text: &str, from: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < end {
        match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'#' => at += bytes[at..end].iter().take_while(|byte| **byte != b'\n').count(),
            _ => break,
        }
    }
    at
}

impl<'t> Found<'t> {
    /// What stands where reading stopped.
    fn rest(&self) -> &'t str {
        self.text.get(self.at..self.end).unwrap_or("")
    }

    /// What was read of the piece.
    fn before(&self) -> &'t str {
        self.text.get(self.start..self.stopped).unwrap_or("")
    }

    /// The place of some bytes from where reading stopped.
    fn place(&self, length: usize) -> Span {
        Span::new(self.source, self.at, (self.at + length).min(self.end.max(self.at)))
    }

    /// A place right behind what was read.
    fn behind(&self) -> Span {
        let read = self.before().trim_end().len();
        Span::new(self.source, self.start + read, self.start + read)
    }

    /// Whether a `=` can stand where reading stopped.
    fn wants_equals(&self) -> bool {
        self.expects(Rule::eq) || self.expects(Rule::open)
    }

    fn expects(&self, rule: Rule) -> bool {
        self.rules.contains(&rule)
    }

    /// The word where reading stopped.
    fn word(&self) -> &'t str {
        leading_word(self.rest())
    }

    /// The last word that was read.
    fn last_word(&self) -> &'t str {
        let before = self.before().trim_end();
        let length = before.bytes().rev().take_while(|byte| is_word(*byte) || *byte == b'.').count();
        before.get(before.len() - length..).unwrap_or("")
    }

    /// Whether a value can begin where reading stopped.
    fn wants_value(&self) -> bool {
        self.rules.iter().any(|rule| rule_name(*rule) == Some("a value"))
    }

    fn problem(&self, code: Code, message: impl Into<String>, length: usize) -> Diagnostic {
        Diagnostic::error(code, message).at(self.place(length), "")
    }

    /// The innermost bracket that is open in what was read; strings are stepped over.
    fn bracket(&self) -> Option<u8> {
        let mut open = Vec::new();
        let mut bytes = self.before().bytes();
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' => skip_text(&mut bytes),
                b'{' | b'[' | b'(' => open.push(byte),
                b'}' | b']' | b')' => drop(open.pop()),
                _ => {}
            }
        }
        open.pop()
    }
}

/// Goes behind the end of a simple string.
fn skip_text(bytes: &mut impl Iterator<Item = u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' => return,
            _ => {}
        }
    }
}

fn leading_word(text: &str) -> &str {
    let length = text.bytes().take_while(|byte| is_word(*byte)).count();
    &text[..length]
}

fn line_of(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}

// ---- text and comments

fn foreign_comment(found: &Found<'_>) -> Option<Diagnostic> {
    let rest = found.rest();
    if rest.starts_with("//") {
        let problem = found.problem(problems::COMMENT_FORM, "`//` begins no comment", 2);
        return Some(problem.help("comments begin with `#`").fix("write `#`", found.place(2), "#"));
    }
    let end = rest.strip_prefix("/*")?.find("*/").map_or(2, |end| end + 4);
    let problem = found.problem(problems::COMMENT_FORM, "`/*` begins no comment", 2.min(end));
    Some(problem.help("comments begin with `#` and end with the line"))
}

fn single_quotes(found: &Found<'_>) -> Option<Diagnostic> {
    let inner = line_of(found.rest()).strip_prefix('\'')?;
    let problem = |length| {
        found
            .problem(problems::QUOTES, "text in single quotes", length)
            .help("text stands between double quotes: `\"…\"`")
    };
    match inner.find('\'') {
        Some(end) => {
            let fixed = format!("\"{}\"", inner[..end].replace('"', "\\\""));
            Some(problem(end + 2).fix("use double quotes", found.place(end + 2), fixed))
        }
        None => Some(problem(1)),
    }
}

fn curly_quotes(found: &Found<'_>) -> Option<Diagnostic> {
    let quote = found.rest().chars().next().filter(|c| matches!(c, '“' | '”' | '„' | '«' | '»' | '‘' | '’' | '`'))?;
    let problem = found.problem(problems::QUOTES, format!("`{quote}` is no quote here"), quote.len_utf8());
    Some(problem.help("text stands between straight double quotes: `\"…\"`"))
}

fn heredoc(found: &Found<'_>) -> Option<Diagnostic> {
    let rest = found.rest().strip_prefix("<<")?;
    let length = 2 + line_of(rest).len();
    let problem = found.problem(problems::HEREDOC, "heredocs do not exist here", length);
    Some(problem.help("put text of several lines between `\"\"\"` and `\"\"\"`"))
}

// ---- headers and signs

fn quoted_name(found: &Found<'_>) -> Option<Diagnostic> {
    let inner = found.rest().strip_prefix('"')?;
    let end = inner.find('"')?;
    let after = inner[end + 1..].trim_start();
    let heads = after.starts_with('{') || after.starts_with('"') || after.starts_with("for ");
    if !found.expects(Rule::open) || !heads {
        return None;
    }
    let name = &inner[..end];
    let problem = found.problem(problems::QUOTED_NAME, format!("the name `{}` is in quotes", short(name)), end + 2);
    let problem = problem.help("names are written without quotes");
    let word = !name.is_empty() && name.bytes().all(is_word);
    Some(if word { problem.fix("remove the quotes", found.place(end + 2), name) } else { problem })
}

fn brace_on_next_line(found: &Found<'_>) -> Option<Diagnostic> {
    let between = found.text.get(found.stopped..found.at)?;
    if !found.rest().starts_with('{') || !between.contains('\n') {
        return None;
    }
    let problem = found.problem(problems::BRACE_LINE, "`{` on a line of its own", 1);
    let problem = problem.help("the `{` of a block stands on the line of its header");
    let gap = Span::new(found.source, found.stopped, found.at);
    Some(if between.contains('#') { problem } else { problem.fix("put it on the line of the header", gap, " ") })
}

fn double_equals(found: &Found<'_>) -> Option<Diagnostic> {
    let before = found.before();
    if !before.ends_with('=') || before.ends_with(['<', '>', '!']) || !found.rest().starts_with('=') {
        return None;
    }
    let place = Span::new(found.source, found.at - 1, found.at + 1);
    let problem = Diagnostic::error(problems::EQUALS, "`==` compares, it does not set").at(place, "");
    Some(problem.help("an attribute has one `=`").fix("write `=`", place, "="))
}

fn colon_for_equals(found: &Found<'_>) -> Option<Diagnostic> {
    if !found.wants_equals() || !found.rest().starts_with(':') {
        return None;
    }
    let length = if found.rest().starts_with(":=") { 2 } else { 1 };
    let sign = &found.rest()[..length];
    let problem = found.problem(problems::EQUALS, format!("`{sign}` after `{}`", short(found.last_word())), length);
    let glued = found.stopped == found.at;
    let fixed = if glued { " =" } else { "=" };
    Some(problem.help("an attribute has a `=` before its value").fix("write `=`", found.place(length), fixed))
}

fn assignment_operator(found: &Found<'_>) -> Option<Diagnostic> {
    let sign = found.rest().get(..2).filter(|sign| matches!(*sign, "+=" | "-=" | "*=" | "/=" | "?=" | "|="))?;
    let problem = found.problem(problems::EQUALS, format!("`{sign}` does not exist here"), 2);
    Some(problem.help("an attribute is written once, with `=`; lists are replaced whole"))
}

fn missing_equals(found: &Found<'_>) -> Option<Diagnostic> {
    let begins = found.rest().starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '"' | '[' | '-'));
    let same_line = !found.text.get(found.stopped..found.at)?.contains('\n');
    if !found.wants_equals() || !begins || !same_line || found.expects(Rule::each) && found.last_word().contains('.') {
        return None;
    }
    if is_header_line(line_of(found.rest())) {
        return None;
    }
    let length = first_len(found.rest());
    let message = format!("no `=` between `{}` and its value", short(found.last_word()));
    let problem = found.problem(problems::EQUALS, message, length);
    Some(problem.fix("put a `=`", found.behind(), " ="))
}

/// Whether the rest of a line ends a header.
fn is_header_line(line: &str) -> bool {
    line.trim_end().ends_with('{')
}

fn header_form(found: &Found<'_>) -> Option<Diagnostic> {
    if !found.expects(Rule::open) || !is_header_line(line_of(found.rest())) {
        return None;
    }
    let length = first_len(found.rest());
    let what = short(&found.rest()[..length]);
    let problem = found.problem(problems::HEADER, format!("`{what}` cannot stand in the header of a block"), length);
    Some(problem.help("a header is a kind, at most one name, and perhaps `for x in list`, before its `{`"))
}

// ---- numbers

/// `31,500`: the comma ended the item before.
fn grouped_digits(found: &Found<'_>) -> Option<Diagnostic> {
    let digits = found.rest().bytes().take_while(u8::is_ascii_digit).count();
    let before = found.text.get(..found.at)?.strip_suffix(',')?;
    if digits != 3 || !before.ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let comma = Span::new(found.source, before.len(), before.len() + 1);
    let problem = found.problem(problems::NUMBER, "a comma cannot set digits apart", digits);
    Some(problem.help("digits are set apart with `_`: `31_500`").fix("write `_`", comma, "_"))
}

fn second_quantity(found: &Found<'_>) -> Option<Diagnostic> {
    let begins = found.rest().starts_with(|c: char| c.is_ascii_digit());
    let unit = found.last_word();
    let number = found.before().trim_end().strip_suffix(unit)?.trim_end();
    let one = number.ends_with(|c: char| c.is_ascii_digit()) && unit.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !begins || unit.is_empty() || !one || !found.expects(Rule::op) {
        return None;
    }
    let length = line_of(found.rest()).find([',', ']', ')', '}', '#']).unwrap_or(line_of(found.rest()).len());
    let second = found.rest()[..length].trim_end();
    let message = format!("a second quantity: `{}`", short(second));
    let problem = found.problem(problems::TWO_QUANTITIES, message, second.len());
    Some(problem.help("one number and one unit: `90 min`, not `1 h 30 min`; items of a list need a comma"))
}

fn range_form(found: &Found<'_>) -> Option<Diagnostic> {
    if !found.rest().starts_with("..") {
        return None;
    }
    let problem = found.problem(problems::RANGE, "a range without two numbers", 2);
    Some(problem.help("the ends are numbers without blanks, the unit stands after the second: `1..2 TB`"))
}

fn ratio_in_condition(found: &Found<'_>) -> Option<Diagnostic> {
    let before = found.before();
    let asked = before.rfind(" ? ")?;
    let ratio = before[asked + 3..].trim();
    let (low, high) = ratio.split_once(':')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(low) || !digits(high) {
        return None;
    }
    let start = found.start + asked + 3;
    let place = Span::new(found.source, start, start + ratio.len());
    let problem = Diagnostic::error(problems::BLANKS, format!("`{}` is a ratio", short(ratio))).at(place, "");
    let problem = problem.help("the `:` of a condition has blanks on both sides");
    Some(problem.fix("put blanks", place, format!("{low} : {high}")))
}

// ---- operators and separators

fn foreign_operator(found: &Found<'_>) -> Option<Diagnostic> {
    let rest = found.rest();
    let signs = [("&&", "and"), ("||", "or"), ("**", "*"), ("<>", "!="), ("===", "=="), ("!==", "!="), ("=~", "in")];
    let sign = signs.into_iter().find(|(sign, _)| rest.starts_with(sign));
    let (sign, word) = match sign {
        Some(sign) => sign,
        None if rest.starts_with('!') && !rest.starts_with("!=") => ("!", "not"),
        None => return None,
    };
    let problem = found.problem(problems::OPERATOR, format!("`{sign}` is no operator here"), sign.len());
    match word {
        "not" => Some(problem.help("write `not`").fix("write `not`", found.place(1), "not ")),
        "and" | "or" | "!=" => {
            Some(problem.help(format!("write `{word}`")).fix("write the word", found.place(sign.len()), word))
        }
        _ => Some(problem),
    }
}

/// `f(x).y`.
fn after_call(found: &Found<'_>) -> Option<Diagnostic> {
    let after = found.before().ends_with(')') && found.rest().starts_with(['.', '[', '(']) && found.expects(Rule::op);
    after.then(|| found.problem(problems::CALL, "nothing can follow a call or a parenthesis", 1))
}

/// `not  in`.
fn spaced_not_in(found: &Found<'_>) -> Option<Diagnostic> {
    let after = found.rest().strip_prefix("not")?;
    let blanks = after.len() - after.trim_start().len();
    if blanks == 0 || leading_word(&after[blanks..]) != "in" || !found.expects(Rule::op) {
        return None;
    }
    let length = "not".len() + blanks + "in".len();
    let problem = found.problem(problems::OPERATOR, "`not in` is one operator, with one blank", length);
    Some(problem.fix("write `not in`", found.place(length), "not in"))
}

/// `a = 1 b = 2`.
fn second_item_on_line(found: &Found<'_>) -> Option<Diagnostic> {
    let word = found.word();
    let after = found.rest()[word.len()..].trim_start_matches([' ', '\t']);
    let sets = |text: &str| super::scan::is_attribute_sign(text.as_bytes());
    if !word.is_empty() && sets(after) && found.expects(Rule::op) {
        return Some(second_item(found, found.place(word.len()), word));
    }
    // The name of the second item was read as the unit of the first value.
    let unit = found.last_word();
    if unit.is_empty() || !sets(found.rest()) || found.wants_equals() {
        return None;
    }
    let end = found.start + found.before().trim_end().len();
    Some(second_item(found, Span::new(found.source, end - unit.len(), end), unit))
}

fn second_item(found: &Found<'_>, place: Span, word: &str) -> Diagnostic {
    let before = found.text.get(found.start..place.start()).unwrap_or("").trim_end().len();
    let gap = Span::new(found.source, found.start + before, found.start + before);
    let message = format!("a comma or the end of the line is missing before `{}`", short(word));
    Diagnostic::error(problems::MISSING_SEPARATOR, message).at(place, "").fix("put a comma", gap, ",")
}

fn missing_comma(found: &Found<'_>) -> Option<Diagnostic> {
    let begins = found.rest().starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '"' | '[' | '{' | '('));
    if !begins || !found.expects(Rule::op) || !matches!(found.bracket(), Some(b'[' | b'(')) {
        return None;
    }
    let length = first_len(found.rest());
    let what = short(&found.rest()[..length]);
    let problem = found.problem(problems::MISSING_COMMA, format!("a comma is missing before `{what}`"), length);
    Some(problem.fix("put a comma", found.behind(), ","))
}

fn arrow(found: &Found<'_>) -> Option<Diagnostic> {
    let sign = found.rest().get(..2).filter(|sign| matches!(*sign, "=>" | "->"))?;
    let problem = found.problem(problems::UNEXPECTED, format!("`{sign}` does not exist here"), 2);
    Some(problem.help("entries of a map are `key = value`; a list comprehension is `[for x in list : value]`"))
}

fn semicolon(found: &Found<'_>) -> Option<Diagnostic> {
    found.rest().strip_prefix(';')?;
    let problem = found.problem(problems::MISSING_SEPARATOR, "`;` ends nothing here", 1);
    Some(problem.help("items end at a comma or the end of the line").fix("put a comma", found.place(1), ","))
}

fn half_condition(found: &Found<'_>) -> Option<Diagnostic> {
    let asks = found.before().contains('?') && found.expects(Rule::op);
    if !asks || !found.rest().is_empty() && !found.rest().starts_with([',', ']', ')', '}']) {
        return None;
    }
    let place = Span::new(found.source, found.behind().start(), found.behind().start());
    let problem = Diagnostic::error(problems::MISSING_VALUE, "a condition without its `:`").at(place, "");
    Some(problem.help("a condition is `test ? this : that`"))
}

// ---- what is left

/// The piece ended too early.
fn unfinished(found: &Found<'_>) -> Option<Diagnostic> {
    if !found.rest().is_empty() && !found.rest().starts_with([',', ']', ')', '}']) || !found.wants_value() {
        return None;
    }
    let before = found.before().trim_end();
    let sign = last_sign(before);
    let message = if sign == "=" {
        let name = leading_word(before.trim_end_matches('=').trim_end().rsplit(['\n', ',', '{']).next()?.trim_start());
        format!("`{}` has no value", short(if name.is_empty() { before } else { name }))
    } else if sign == "," || sign.is_empty() {
        String::from("a value is missing")
    } else {
        format!("nothing stands after `{}`", short(sign))
    };
    let end = found.start + before.len();
    let place = Span::new(found.source, end.saturating_sub(sign.len()), end);
    let problem = Diagnostic::error(problems::MISSING_VALUE, message).at(place, "");
    let helps = sign == "=";
    Some(if helps { problem.help("`auto` leaves it to the compiler, `tbd(\"why\")` to a person") } else { problem })
}

/// The operator or word a text ends with.
fn last_sign(text: &str) -> &str {
    let word = text.bytes().rev().take_while(|byte| is_word(*byte)).count();
    let sign = text.bytes().rev().take_while(|byte| byte.is_ascii_punctuation() && !is_word(*byte)).count();
    &text[text.len() - word.max(sign).min(text.len())..]
}

/// How long the first word, string or sign of a text is.
fn first_len(text: &str) -> usize {
    let word = text.bytes().take_while(|byte| is_word(*byte) || matches!(byte, b'.')).count();
    match text.chars().next() {
        Some('"') => {
            let mut bytes = text.bytes();
            bytes.next();
            skip_text(&mut bytes);
            text.len() - bytes.len()
        }
        Some(first) => word.max(first.len_utf8()),
        None => 0,
    }
}

/// A plain sentence: what was found, and what can stand here.
fn plain(found: &Found<'_>) -> Diagnostic {
    let length = first_len(line_of(found.rest()));
    let names = rule_names(found);
    let can = if names.is_empty() { String::new() } else { format!(", {} can stand here", join(&names)) };
    if length == 0 {
        let problem = Diagnostic::error(problems::UNEXPECTED, format!("this ends too early{can}"));
        let last = found.before().trim_end().chars().next_back().map_or(0, char::len_utf8);
        let end = found.behind().end();
        return problem.at(Span::new(found.source, end - last, end), "");
    }
    let what = short(&found.rest()[..length]);
    found.problem(problems::UNEXPECTED, format!("`{what}` cannot stand here{can}"), length)
}

fn join(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// What the rules that were tried are called, each name once, at most four.
fn rule_names(found: &Found<'_>) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for rule in found.rules {
        match rule_name(*rule) {
            Some(name) if !names.contains(&name) => names.push(name),
            _ => {}
        }
    }
    names.truncate(4);
    names
}

fn rule_name(rule: Rule) -> Option<&'static str> {
    match rule {
        Rule::op => Some("an operator"),
        Rule::signs
        | Rule::sign
        | Rule::path
        | Rule::number
        | Rule::plain_text
        | Rule::short_text
        | Rule::long_text
        | Rule::expr => Some("a value"),
        Rule::list | Rule::map | Rule::paren | Rule::comprehension => Some("a value"),
        Rule::item | Rule::noted | Rule::word | Rule::entry | Rule::key => Some("a name"),
        Rule::eq => Some("`=`"),
        Rule::open => Some("`=` or `{`"),
        Rule::address | Rule::indexes | Rule::index | Rule::splat => Some("a reference"),
        Rule::each => Some("`for x in list`"),
        Rule::annotation | Rule::argument => Some("an annotation"),
        Rule::call => Some("arguments"),
        Rule::EOI => Some("the end of the line"),
        Rule::only_item
        | Rule::only_items
        | Rule::only_head
        | Rule::only_value
        | Rule::only_setting
        | Rule::any_item
        | Rule::head
        | Rule::for_word
        | Rule::operand
        | Rule::primary
        | Rule::short_piece
        | Rule::long_piece
        | Rule::hole
        | Rule::value_start
        | Rule::letter
        | Rule::word_char
        | Rule::glued
        | Rule::unit_start
        | Rule::stop
        | Rule::gap
        | Rule::space
        | Rule::path_char
        | Rule::blank => None,
    }
}
