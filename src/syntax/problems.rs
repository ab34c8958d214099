//! The problems of syntax: their codes, and the words for each.

use super::scan::{MAX_DEPTH, Refusal, Why};
use crate::base::code::{Code, codes};
use crate::base::diagnostic::Diagnostic;
use crate::base::phrase::{count, excerpt};
use crate::base::span::{SourceId, Span};

codes! {
    /// # Something stands where it cannot stand
    ///
    /// Something stands where it cannot stand, and nothing more precise is known about it.
    ///
    /// Wrong: `gpus = 8 pool`. Right: `gpus = 8`.
    UNEXPECTED = 1;
    /// # An attribute without one `=`
    ///
    /// An attribute has one `=` between its name and its value; `:`, `==` and a blank do not do.
    ///
    /// Wrong: `gpus: 8`. Right: `gpus = 8`.
    EQUALS = 2;
    /// # A value is missing
    ///
    /// A value, an operand or a whole attribute is not finished.
    ///
    /// Wrong: `gpus =`. Right: `gpus = 8`, or `gpus = auto` to leave it to the compiler.
    MISSING_VALUE = 3;
    /// # Text without straight double quotes
    ///
    /// Text stands between straight double quotes.
    ///
    /// Wrong: `owner = 'ops'`. Right: `owner = "ops"`.
    QUOTES = 4;
    /// # A comment of another language
    ///
    /// Comments begin with `#` and end with the line. There is no `//` and no `/* */`.
    ///
    /// Wrong: `// measured`. Right: `# measured`.
    COMMENT_FORM = 5;
    /// # An operator of another language
    ///
    /// Operators between truths are words: `and`, `or`, `not`. Other languages' signs are not operators here.
    ///
    /// Wrong: `a && !b`. Right: `a and not b`.
    OPERATOR = 6;
    /// # A heredoc
    ///
    /// Text over several lines stands between `"""`; there are no heredocs.
    ///
    /// Wrong: `inline = <<EOF`. Right: `inline = """`, the lines, and `"""` again.
    HEREDOC = 7;
    /// # A brace on a line of its own
    ///
    /// The `{` of a block stands on the line of its header.
    ///
    /// Wrong: `pool train`, a new line, `{`. Right: `pool train {`.
    BRACE_LINE = 8;
    /// # Not a number
    ///
    /// A number is digits, set apart with `_`, with at most one point.
    ///
    /// Wrong: `1e6`, `1__000`, `1.2.3`. Right: `1_000_000` or `1 million`; a version is text: `"1.2.3"`.
    NUMBER = 9;
    /// # Two quantities in one value
    ///
    /// A quantity has one number and one unit.
    ///
    /// Wrong: `1 h 30 min`. Right: `90 min`.
    TWO_QUANTITIES = 10;
    /// # An operator without its blanks
    ///
    /// `-` between two values, `/` after a number, and `?` and `:` of a condition have blanks on both sides. Without them a hyphen belongs
    /// to the name, a `/` to the unit, and `2:1` is a ratio.
    ///
    /// Wrong: `let.a -1`. Right: `let.a - 1`.
    BLANKS = 11;
    /// # A rate without its unit
    ///
    /// A `/` glued to a number or a unit is followed by one unit: a rate. With blanks it divides.
    ///
    /// Wrong: `8 TB/2`. Right: `8 TB / 2`, or `8 TB/month`.
    GLUED_SLASH = 12;
    /// # Not a range
    ///
    /// The ends of a range are numbers without blanks; the unit stands after the second.
    ///
    /// Wrong: `1 TB .. 2 TB`. Right: `1..2 TB`.
    RANGE = 13;
    /// # A comma is missing in a list
    ///
    /// The items of a list end at a comma.
    ///
    /// Wrong: `[pool.a pool.b]`. Right: `[pool.a, pool.b]`.
    MISSING_COMMA = 14;
    /// # Two items on one line
    ///
    /// Two items of a block stand on one line without a comma between them.
    ///
    /// Wrong: `{ count = 1 keep = 3 }`. Right: `{ count = 1, keep = 3 }`.
    MISSING_SEPARATOR = 15;
    /// # Not a name
    ///
    /// A name is lower-case letters, digits and single hyphens, begins with a letter and has at most 40 characters: so
    /// it is legal in every artefact and nothing is renamed.
    ///
    /// Wrong: `pool Train_A`. Right: `pool train-a`.
    NAME = 16;
    /// # A reserved word as a name
    ///
    /// `and or not in for if true false null auto tbd` have a meaning of their own and cannot be names.
    ///
    /// Wrong: `pool auto`. Right: `pool automatic`.
    RESERVED = 17;
    /// # An unknown escape
    ///
    /// The escapes in text are `\\`, `\"`, `\n`, `\t` and `\u{…}`.
    ///
    /// Wrong: `"C:\data"`. Right: `"C:\\data"`.
    ESCAPE = 18;
    /// # A chain of comparisons
    ///
    /// Comparisons do not chain.
    ///
    /// Wrong: `1 < a < 3`. Right: `1 < a and a < 3`.
    CHAIN = 19;
    /// # A string without an end
    ///
    /// A string has no second quote on its line, or no second `"""`.
    ///
    /// Wrong: `owner = "ops`. Right: `owner = "ops"`.
    OPEN_TEXT = 20;
    /// # A bracket without an end
    ///
    /// A bracket has no partner.
    ///
    /// Wrong: `reads = [dataset.a`. Right: `reads = [dataset.a]`.
    OPEN_BRACKET = 21;
    /// # A bracket without a beginning
    ///
    /// A closing bracket closes nothing.
    ///
    /// Wrong: `gpus = 8 }}`. Right: `gpus = 8 }`.
    STRAY_BRACKET = 22;
    /// # Too deep
    ///
    /// Brackets, `${` and conditions nest at most 64 deep, and an expression may not have more than about 200 operators.
    ///
    /// Right: give a part a name in a `let` block.
    TOO_DEEP = 23;
    /// # Too large
    ///
    /// A source may have 64 MiB, one attribute 8 MiB.
    ///
    /// Right: spread the package over several files; all files of a folder belong together.
    TOO_LARGE = 24;
    /// # A character that cannot be seen
    ///
    /// A control character or an invisible mark stands outside of strings and comments.
    ///
    /// Right: remove it; in text write it as `\u{…}`.
    CHARACTER = 25;
    /// # Something outside of blocks
    ///
    /// At the top of a file there are only blocks.
    ///
    /// Wrong: `gpus = 8` outside of any block. Right: put it in the block it belongs to.
    OUTSIDE = 26;
    /// # A word without a value
    ///
    /// A word stands alone: no value, no block.
    ///
    /// Wrong: `checkpoint`. Right: `checkpoint { every = auto }`.
    NO_VALUE = 27;
    /// # `tbd` without a reason
    ///
    /// What is not known yet says why.
    ///
    /// Wrong: `each = tbd`. Right: `each = tbd("second vendor still to answer")`.
    TBD_REASON = 28;
    /// # Something that cannot be called
    ///
    /// Only a single word can be called, and nothing can follow a call.
    ///
    /// Wrong: `quote.a.price(catalog.server.x).each` in an expression. Such addresses are for `set` and `drop`.
    CALL = 29;
    /// # A name in quotes
    ///
    /// Names are written without quotes.
    ///
    /// Wrong: `pool "train" {`. Right: `pool train {`.
    QUOTED_NAME = 30;
    /// # Not the header of a block
    ///
    /// The header of a block is a kind, at most one name, and perhaps `for x in list`.
    ///
    /// Wrong: `server box large {`. Right: `server box-large {`.
    HEADER = 31;
    /// # Further syntax errors
    ///
    /// More syntax errors follow that are not shown.
    ///
    /// Right: mend those shown first.
    MORE = 98;
    /// # The formatter would change the meaning
    ///
    /// The formatter would have changed what the file means. This is a bug of `aipc`, and the file is left as it is.
    ///
    /// Right: report it with the file.
    FORMATTER = 99;
}

/// Words that cannot be names.
const RESERVED_WORDS: [&str; 11] = ["and", "or", "not", "in", "for", "if", "true", "false", "null", "auto", "tbd"];

/// The longest name.
const MAX_NAME: usize = 40;

/// How much of a user's text a message shows.
const SHOWN: usize = 40;

/// Whether a word cannot be a name.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED_WORDS.contains(&word)
}

/// The user's text, short.
pub(super) fn short(text: &str) -> String {
    excerpt(text, SHOWN)
}

// ---- what the scanner refuses

/// The words for what the scanner refused.
pub(super) fn refused(source: SourceId, refusal: &Refusal) -> Diagnostic {
    let place = Span::new(source, refusal.start, refusal.end);
    match refusal.why {
        Why::OpenText => Diagnostic::error(OPEN_TEXT, "text without its closing quote")
            .at(place, "begins here")
            .help("put a `\"` at its end, or `\"\"\"` around text of several lines"),
        Why::OpenLongText => Diagnostic::error(OPEN_TEXT, "text without its closing `\"\"\"`").at(place, "begins here"),
        Why::OpenBracket(bracket) => open_bracket(place, bracket),
        Why::StrayBracket(bracket) => {
            Diagnostic::error(STRAY_BRACKET, format!("`{}` closes nothing", char::from(bracket))).at(place, "")
        }
        Why::TooDeep => Diagnostic::error(TOO_DEEP, format!("more than {MAX_DEPTH} levels of brackets or conditions"))
            .at(place, "one too many")
            .help("give a part a name in a `let` block"),
        Why::Character(character) => strange(place, character),
    }
}

fn open_bracket(place: Span, bracket: u8) -> Diagnostic {
    let (open, close) = match bracket {
        b'{' => ('{', '}'),
        b'[' => ('[', ']'),
        _ => ('(', ')'),
    };
    Diagnostic::error(OPEN_BRACKET, format!("`{open}` without its `{close}`")).at(place, "opened here")
}

fn strange(place: Span, character: char) -> Diagnostic {
    let number = u32::from(character);
    let what = if character.is_control() { "control character" } else { "invisible mark" };
    Diagnostic::error(CHARACTER, format!("{what} U+{number:04X} outside of text"))
        .at(place, "")
        .help(format!("remove it; in text write `\\u{{{number:x}}}`"))
        .fix("remove it", place, "")
}

// ---- sizes and counts

/// A source over the limit.
pub(super) fn source_too_large(source: SourceId, length: usize, limit: usize) -> Diagnostic {
    let mebibytes = |bytes: usize| bytes.div_ceil(1 << 20);
    let message = format!("source of {} MiB, the limit is {} MiB", mebibytes(length), mebibytes(limit));
    Diagnostic::error(TOO_LARGE, message)
        .at(Span::new(source, 0, 0), "")
        .help("spread the package over several files of the folder")
}

/// One attribute over the limit.
pub(super) fn item_too_large(place: Span) -> Diagnostic {
    Diagnostic::error(TOO_LARGE, "attribute of more than 8 MiB").at(place, "begins here")
}

/// A tree of operators that is too high.
pub(super) fn too_many_operators(place: Span) -> Diagnostic {
    Diagnostic::error(TOO_DEEP, "expression with too many operators")
        .at(place, "")
        .help("give a part a name in a `let` block, or use `sum([…])`")
}

/// More errors than are shown.
pub(super) fn more(place: Span, shown: usize) -> Diagnostic {
    let shown = count(u64::try_from(shown).unwrap_or(u64::MAX), "syntax error");
    Diagnostic::error(MORE, format!("{shown} of this file are shown, further errors are not shown"))
        .at(place, "the next one")
        .help("mend those shown first")
}

// ---- words and names

/// A word that ends in a hyphen or underscore, or has two hyphens in a row.
pub(super) fn word_form(place: Span, word: &str) -> Diagnostic {
    let what = if word.contains("--") { "has two hyphens in a row" } else { "must end in a letter or a digit" };
    let problem = Diagnostic::error(NAME, format!("`{}` {what}", short(word))).at(place, "");
    if word.ends_with('-') { problem.help("a minus has blanks on both sides") } else { problem }
}

/// What is wrong with the name of a block.
pub(super) fn name_form(place: Span, name: &str) -> Option<Diagnostic> {
    if is_reserved(name) {
        return Some(reserved_name(place, name));
    }
    let legal = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let form = name.bytes().all(legal) && !name.ends_with('-') && !name.contains("--");
    if !form {
        return Some(bad_name(place, name));
    }
    (name.len() > MAX_NAME).then(|| {
        let message = format!("name of {} characters, at most {MAX_NAME} are legal everywhere", name.len());
        Diagnostic::error(NAME, message).at(place, "").help("shorten it")
    })
}

fn bad_name(place: Span, name: &str) -> Diagnostic {
    let why = if name.contains("--") {
        "two hyphens in a row"
    } else if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        "an upper-case letter"
    } else if name.ends_with(['-', '_']) {
        "no letter or digit at its end"
    } else {
        "an underscore"
    };
    let repaired = repaired_name(name);
    Diagnostic::error(NAME, format!("`{}` is no name: it has {why}", short(name)))
        .at(place, "")
        .help(format!("names are lower-case letters, digits and single hyphens: `{}`", short(&repaired)))
        .fix("make it a legal name", place, repaired)
}

/// The nearest legal name.
fn repaired_name(name: &str) -> String {
    let mut repaired = String::with_capacity(name.len());
    for c in name.chars() {
        match c.to_ascii_lowercase() {
            '_' | '-' if repaired.ends_with('-') => {}
            '_' => repaired.push('-'),
            c => repaired.push(c),
        }
    }
    repaired.trim_end_matches('-').to_owned()
}

/// A word with a meaning of its own, as a name.
pub(super) fn reserved_name(place: Span, word: &str) -> Diagnostic {
    Diagnostic::error(RESERVED, format!("`{word}` cannot be a name")).at(place, "it has a meaning of its own")
}

/// `and`, `or`, `in`, `for`, `if` where a value stands.
pub(super) fn reserved_as_value(place: Span, word: &str) -> Diagnostic {
    Diagnostic::error(RESERVED, format!("`{word}` cannot be a value")).at(place, "it has a meaning of its own")
}

/// A word alone.
pub(super) fn no_value(place: Span, text: &str) -> Diagnostic {
    let words = short(text);
    let problem = Diagnostic::error(NO_VALUE, format!("`{words}` has neither a value nor a block")).at(place, "");
    match text {
        "drop" | "set" => problem.help(format!("name what to {text}: `{text} pool.train`")),
        _ => problem.help(format!("write `{words} = …` or `{words} {{ … }}`")),
    }
}

/// `word path = value` with a word other than `set`.
pub(super) fn two_words_before_equals(word: Span, path: Span, text: &str) -> Diagnostic {
    Diagnostic::error(UNEXPECTED, format!("two words before `=`: `{}` and what follows it", short(text)))
        .at(path, "a second word")
        .at(word, "the first word")
        .help("an attribute has one word before its `=`; `set path = value` is the only exception")
}

// ---- values

/// `tbd` without a reason.
pub(super) fn tbd_without_reason(place: Span) -> Diagnostic {
    Diagnostic::error(TBD_REASON, "`tbd` without a reason")
        .at(place, "")
        .help("say what is still to be decided: `tbd(\"second vendor still to answer\")`")
}

/// Parentheses after a reference.
pub(super) fn call_of_reference(place: Span) -> Diagnostic {
    Diagnostic::error(CALL, "a reference cannot be called")
        .at(place, "")
        .help("addresses with parentheses are for `set`, `drop` and the command line")
}

/// A chain of comparisons.
pub(super) fn comparison_chain(place: Span, whole: Span) -> Diagnostic {
    Diagnostic::error(CHAIN, "comparisons do not chain")
        .at(place, "a second comparison")
        .at(whole, "of this")
        .help("compare twice and join with `and`: `1 < a and a < 3`")
}

/// An operator that needs blanks around it.
pub(super) fn blanks_around(place: Span, sign: &str) -> Diagnostic {
    let why = match sign {
        "-" => "without them a hyphen belongs to the name",
        "/" => "a `/` glued to a number or unit makes a rate",
        _ => "without them `2:1` is a ratio",
    };
    Diagnostic::error(BLANKS, format!("`{sign}` needs a blank on both sides")).at(place, "").help(why).fix(
        "put blanks around it",
        place,
        format!(" {sign} "),
    )
}

/// A number of no legal form.
pub(super) fn number_form(place: Span, text: &str) -> Diagnostic {
    let digits = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'_').count();
    let rest = &text[digits..];
    let (message, help) = number_words(text, rest);
    Diagnostic::error(number_code(text, rest), message).at(place, "").help(help)
}

fn number_code(text: &str, rest: &str) -> Code {
    if rest.starts_with("..") {
        RANGE
    } else if text.contains('/') {
        GLUED_SLASH
    } else {
        NUMBER
    }
}

fn number_words(text: &str, rest: &str) -> (String, &'static str) {
    let shown = short(text);
    if is_power(rest) {
        return (
            format!("`{shown}` has an exponent"),
            "write the digits, set apart with `_`, or `1 million`, `1 billion`",
        );
    }
    if text.bytes().filter(|byte| *byte == b'-').count() == 2 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
        return (format!("`{shown}` is no date"), "dates are written `2027-03-31`");
    }
    if rest.contains("..") {
        return (
            format!("`{shown}` is no range"),
            "the ends are numbers without blanks, the unit stands last: `1..2 TB`",
        );
    }
    if text.bytes().filter(|byte| *byte == b'.').count() > 1 {
        return (format!("`{shown}` is no number"), "a version is text: `\"1.2.3\"`");
    }
    if text.contains('/') {
        let help = "a `/` glued to a number or unit is followed by one unit (`8 TB/month`); with blanks it divides";
        return (format!("`{shown}` is neither a rate nor a division"), help);
    }
    if rest.starts_with('-') {
        return (format!("`{shown}` is no number"), "`-` needs a blank on both sides");
    }
    if rest.starts_with('.') {
        return (format!("`{shown}` ends with its point"), "write the digits after the point, or no point");
    }
    if text.contains("__") || text[..text.len() - rest.len()].ends_with('_') {
        return (
            format!("`{shown}` has a `_` that stands between no digits"),
            "write the digits, set apart with single `_`",
        );
    }
    if text.split([' ', '\t']).filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic())).count() > 1 {
        return (format!("`{shown}` has two units"), "a quantity has one number and one unit");
    }
    if rest.starts_with(':') {
        return (format!("`{shown}` is no ratio"), "a ratio is two numbers without blanks: `2:1`");
    }
    (
        format!("`{shown}` is no number"),
        "a name begins with a letter; a unit is letters only; other text stands in quotes",
    )
}

/// `e6`, `.5E-3`.
fn is_power(rest: &str) -> bool {
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let digits = after.strip_prefix(['e', 'E']).map(|digits| digits.trim_start_matches(['+', '-']));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A path with a part that is no word.
pub(super) fn path_form(place: Span, text: &str) -> Diagnostic {
    let problem = Diagnostic::error(NAME, format!("`{}` is no reference", short(text))).at(place, "");
    if text.contains("..") {
        problem.help("the ends of a range are numbers; a reference is words with single dots between them")
    } else {
        problem.help("a reference is words with single dots between them, each begins with a letter")
    }
}

/// An annotation where none can stand.
pub(super) fn misplaced_annotation(place: Span) -> Diagnostic {
    Diagnostic::error(UNEXPECTED, "`set` and `drop` have no annotations").at(place, "")
}

/// `"${…}" = value`.
pub(super) fn value_in_key(place: Span) -> Diagnostic {
    Diagnostic::error(UNEXPECTED, "a key has no `${…}`")
        .at(place, "")
        .help("write the key out; a literal `${` is `$${`")
}

/// An escape that does not exist.
pub(super) fn unknown_escape(place: Span, text: &str) -> Diagnostic {
    let problem = Diagnostic::error(ESCAPE, format!("`{}` is no escape", short(text)))
        .at(place, "")
        .help("the escapes are `\\\\`, `\\\"`, `\\n`, `\\t` and `\\u{…}`");
    if text.starts_with("\\u") { problem } else { problem.fix("write a backslash", place, format!("\\{text}")) }
}

/// Two items without anything between them.
pub(super) fn missing_separator(place: Span, end: Span) -> Diagnostic {
    Diagnostic::error(MISSING_SEPARATOR, "a comma or the end of the line is missing before this").at(place, "").fix(
        "put a comma",
        end,
        ",",
    )
}

// ---- the top of a file

/// Lines outside of any block.
pub(super) fn outside(place: Span, text: &str, closed_early: Option<Span>) -> Diagnostic {
    let problem = Diagnostic::error(OUTSIDE, format!("`{}` stands outside of any block", short(text))).at(place, "");
    match closed_early {
        Some(brace) => problem.at(brace, "the block before ends here").help("remove the `}` that comes too early"),
        None => problem.help("put it in the block it belongs to; constants go in `let { … }`"),
    }
}

/// A `}` that closes no block.
pub(super) fn stray_brace(place: Span) -> Diagnostic {
    Diagnostic::error(STRAY_BRACKET, "`}` closes nothing").at(place, "").fix("remove it", place, "")
}

/// The formatter's own mistake.
pub(crate) fn formatter_bug(place: Span, what: &str) -> Diagnostic {
    Diagnostic::error(FORMATTER, format!("formatting would change the file: {what}"))
        .at(place, "")
        .help("this is a bug of `aipc`: please report it with the file")
}
