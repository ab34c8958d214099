//! Numbers as people write them in a spreadsheet: `1,234.56`, `1.234,56 EUR`, `€ 12`, `5 %`.
//!
//! `1,234` and `1.234` mean one thing in one country and another in the next. Other numbers of the file decide; where
//! they do not, the number is unclear, and nothing is guessed.

use crate::base::number::Number;
use crate::base::quantity::Currency;

/// The mark before the fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// `1,234.56`.
    Point,
    /// `1.234,56`.
    Comma,
}

/// A number as read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// Its value; a percentage as a share of 1.
    pub value: Number,
    /// The money that stands beside it.
    pub currency: Option<Currency>,
}

/// What a text says about the mark of its file.
pub fn evidence(text: &str) -> Option<Mark> {
    match Shape::of(&strip(text)?.digits)? {
        Shape::Marked(mark) => Some(mark),
        Shape::Plain | Shape::Either => None,
    }
}

/// A number, or nothing when the text is none or can be read in two ways.
pub fn read(text: &str, mark: Option<Mark>) -> Option<Amount> {
    let stripped = strip(text)?;
    let fraction = match (Shape::of(&stripped.digits)?, mark) {
        (Shape::Plain, _) => None,
        (Shape::Marked(mark), _) | (Shape::Either, Some(mark)) => Some(mark),
        (Shape::Either, None) => return None,
    };
    let (group, point) = match fraction {
        Some(Mark::Point) | None => (',', '.'),
        Some(Mark::Comma) => ('.', ','),
    };
    let digits: String = stripped.digits.chars().filter(|c| *c != group).collect();
    let value = Number::parse(&digits.replace(point, "."))?;
    let value = if stripped.percent { value.over(Number::whole(100))? } else { value };
    Some(Amount { value: if stripped.negative { value.negated() } else { value }, currency: stripped.currency })
}

/// A text without what stands around its digits.
struct Stripped {
    digits: String,
    negative: bool,
    percent: bool,
    currency: Option<Currency>,
}

/// Longer texts are no numbers.
const LONGEST: usize = 64;

fn strip(text: &str) -> Option<Stripped> {
    if text.len() > LONGEST {
        return None;
    }
    let (mut digits, mut word, mut words) = (String::new(), String::new(), Vec::new());
    let (mut negative, mut percent, mut done) = (false, false, false);
    for c in text.trim().chars() {
        match c {
            '0'..='9' | '.' | ',' if !done => digits.push(c),
            // Digits after other text would be a second number.
            '0'..='9' => return None,
            '-' | '\u{2212}' if digits.is_empty() && !negative => negative = true,
            '+' if digits.is_empty() => {}
            '%' if !percent => percent = true,
            '\'' | '\u{2019}' | BLANK if !digits.is_empty() && !done => digits.push(BLANK),
            c if c.is_whitespace() && !digits.is_empty() && !done => digits.push(BLANK),
            c if c.is_whitespace() => {}
            c if c.is_alphabetic() || "€£$¥".contains(c) => {
                done |= !digits.is_empty();
                word.push(c);
                continue;
            }
            _ => return None,
        }
        if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    let digits = without_blanks(digits.trim_end_matches(BLANK))?;
    if !digits.contains(|c: char| c.is_ascii_digit()) || words.len() > 1 {
        return None;
    }
    let currency = words.first().map(|word| currency(word));
    match currency {
        Some(None) => None,
        found => Some(Stripped { digits, negative, percent, currency: found.flatten().flatten() }),
    }
}

/// What stands for a blank or an apostrophe between digits.
const BLANK: char = '_';

/// Digits without blanks, which only groups of three may have between them.
fn without_blanks(digits: &str) -> Option<String> {
    if !digits.contains(BLANK) {
        return Some(digits.to_string());
    }
    let whole = digits.split(['.', ',']).next().unwrap_or_default();
    let rest = digits.get(whole.len()..).unwrap_or_default();
    (grouped(whole, BLANK) && !rest.contains(BLANK)).then(|| digits.replace(BLANK, ""))
}

/// The money of a word; nothing inside for what people write beside a number that is no money, nothing at all for a
/// word that means something else. `$` is the money of many countries.
fn currency(word: &str) -> Option<Option<Currency>> {
    let upper = word.to_uppercase();
    match upper.as_str() {
        "€" => Some(Currency::parse("EUR")),
        "£" => Some(Currency::parse("GBP")),
        "US$" => Some(Currency::parse("USD")),
        "$" | "¥" | "EA" | "PC" | "PCS" | "ST" | "STK" | "UNITS" | "WEEKS" | "W" | "M" => Some(None),
        code => Currency::parse(code).map(Some),
    }
}

/// What separators say.
enum Shape {
    /// Digits alone.
    Plain,
    /// The fraction begins at this mark.
    Marked(Mark),
    /// One separator with three digits after it.
    Either,
}

impl Shape {
    fn of(digits: &str) -> Option<Shape> {
        let (points, commas) = (digits.matches('.').count(), digits.matches(',').count());
        match (points, commas) {
            (0, 0) => Some(Shape::Plain),
            (1, 0) => Shape::single(digits, '.', Mark::Point),
            (0, 1) => Shape::single(digits, ',', Mark::Comma),
            (_, 0) => grouped(digits, '.').then_some(Shape::Marked(Mark::Comma)),
            (0, _) => grouped(digits, ',').then_some(Shape::Marked(Mark::Point)),
            (_, 1) if digits.rfind(',') > digits.rfind('.') => marked(digits, ',', '.', Mark::Comma),
            (1, _) if digits.rfind('.') > digits.rfind(',') => marked(digits, '.', ',', Mark::Point),
            _ => None,
        }
    }

    fn single(digits: &str, separator: char, mark: Mark) -> Option<Shape> {
        let (whole, rest) = digits.split_once(separator)?;
        if rest.len() != 3 || whole.len() > 3 || whole.is_empty() || whole.starts_with('0') {
            return digits.bytes().any(|byte| byte.is_ascii_digit()).then_some(Shape::Marked(mark));
        }
        Some(Shape::Either)
    }
}

fn marked(digits: &str, point: char, group: char, mark: Mark) -> Option<Shape> {
    let (whole, fraction) = digits.rsplit_once(point)?;
    (grouped(whole, group) && !fraction.contains(group)).then_some(Shape::Marked(mark))
}

/// Groups of three, the first of one to three.
fn grouped(digits: &str, separator: char) -> bool {
    let mut groups = digits.split(separator);
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::{Mark, evidence, read};
    use crate::base::number::Number;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    fn value(text: &str, mark: Option<Mark>) -> Option<String> {
        read(text, mark).map(|amount| amount.value.to_string())
    }

    #[test]
    fn numbers_of_several_countries() {
        for (text, number) in [
            ("1,234.56", "1234.56"),
            ("1.234,56", "1234.56"),
            ("1'234.5", "1234.5"),
            ("1 234 567", "1234567"),
            ("318_000 EUR", "318000"),
            ("1,234,567", "1234567"),
            ("318000", "318000"),
            ("0,5", "0.5"),
            ("0.125", "0.125"),
            ("EUR 12.50", "12.5"),
            ("12.50 €", "12.5"),
            ("9 %", "0.09"),
            ("-3", "-3"),
            ("12 pcs", "12"),
        ] {
            assert_eq!(value(text, None).as_deref(), Some(number), "{text}");
        }
        assert_eq!(
            read("US$ 5", None).and_then(|amount| amount.currency).map(|c| c.to_string()).as_deref(),
            Some("USD")
        );
        assert_eq!(read("$ 5", None).map(|amount| amount.currency), Some(None));
    }

    #[test]
    fn what_can_be_read_twice_is_not_read() {
        assert_eq!(value("1,234", None), None);
        assert_eq!(value("1,234", Some(Mark::Point)).as_deref(), Some("1234"));
        assert_eq!(value("1,234", Some(Mark::Comma)).as_deref(), Some("1.234"));
        assert_eq!(evidence("1,234"), None);
        assert_eq!((evidence("1,5"), evidence("1.5")), (Some(Mark::Comma), Some(Mark::Point)));
        for text in
            ["", "=1+1", "1e5", "12 13", "1.2.3", "1,23,456", "call us", "3 apples", "1-2", "1_2", "∞", ".", "12..5"]
        {
            assert_eq!(value(text, None), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_number_or_none(text in any::<String>(), dots in "[0-9.,' €%-]{0,12}") {
            let _ = (read(&text, None), read(&dots, Some(Mark::Comma)), evidence(&dots));
        }

        #[test]
        fn plain_numbers_come_back(whole in 0u64..1_000_000_000, cents in 0u64..100) {
            let text = format!("{whole}.{cents:02}");
            prop_assert_eq!(read(&text, None).map(|amount| amount.value), Number::parse(&text));
        }
    }
}
