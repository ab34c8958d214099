//! What a number token means: the grammar takes in what is glued to a digit and up to two words behind it, here it is
//! told apart and judged.

use pest::iterators::Pair;

use super::ast::{Expr, ExprKind, Literal, Range};
use super::grammar::Rule;
use super::problems;
use super::read::Reader;
use crate::base::span::Span;

/// The words for powers of ten.
const SCALES: [&str; 4] = ["thousand", "million", "billion", "trillion"];

/// Words that join values: never units, however they are glued.
const JOINING: [&str; 6] = ["and", "or", "in", "if", "not", "for"];

/// A date, a ratio, a range or a quantity.
pub(super) fn number(reader: &mut Reader<'_>, pair: &Pair<'_, Rule>) -> Expr {
    let token = Token { span: reader.span_from(pair, 1), text: reader.text(reader.span_from(pair, 1)) };
    let kind = token.kind().unwrap_or_else(|| {
        reader.unread = true;
        reader.report(problems::number_form(token.span, token.text));
        ExprKind::Null
    });
    Expr { span: token.span, kind }
}

/// A number as written.
#[derive(Clone, Copy)]
struct Token<'t> {
    span: Span,
    text: &'t str,
}

impl<'t> Token<'t> {
    /// From one byte to another.
    fn part(&self, from: usize, to: usize) -> Token<'t> {
        let span = match self.span.source() {
            Some(source) => Span::new(source, self.span.start() + from, self.span.start() + to),
            None => self.span,
        };
        Token { span, text: self.text.get(from..to).unwrap_or("") }
    }

    fn from(&self, from: usize) -> Token<'t> {
        self.part(from, self.text.len())
    }

    /// What the token means; nothing when it means nothing.
    fn kind(&self) -> Option<ExprKind> {
        let low = self.part(0, digits_len(self.text)?);
        let rest = self.from(low.text.len());
        match rest.text.as_bytes() {
            [b'-', ..] => is_date(self.text).then_some(ExprKind::Date),
            [b':', ..] => {
                let high = rest.from(1);
                (digits_len(high.text)? == high.text.len()).then_some(ExprKind::Ratio(low.span, high.span))
            }
            [b'.', b'.', ..] => {
                let high = rest.from(2).literal()?;
                Some(ExprKind::Range(Box::new(Range { low: low.span, high })))
            }
            _ => Some(ExprKind::Number(self.literal()?)),
        }
    }

    /// Number, scale and unit.
    fn literal(&self) -> Option<Literal> {
        let number = self.part(0, digits_len(self.text)?);
        let mut rest = self.from(number.text.len()).trimmed();
        let scale = rest.scale();
        if let Some(scale) = scale {
            rest = rest.from(scale.text.len()).trimmed();
        }
        let unit = (!rest.text.is_empty()).then_some(rest);
        let legal = unit.is_none_or(|unit| is_unit(unit.text));
        legal.then(|| Literal {
            number: number.span,
            scale: scale.map(|scale| scale.span),
            unit: unit.map(|unit| unit.span),
        })
    }

    fn scale(&self) -> Option<Token<'t>> {
        let word = self.text.bytes().take_while(u8::is_ascii_alphabetic).count();
        SCALES.contains(&self.text.get(..word)?).then(|| self.part(0, word))
    }

    fn trimmed(&self) -> Token<'t> {
        self.from(self.text.len() - self.text.trim_start_matches([' ', '\t']).len())
    }
}

/// How many bytes of digits, with a point, a text begins with; nothing when it begins with none, or a `_` stands
/// between no digits.
fn digits_len(text: &str) -> Option<usize> {
    let whole = group_len(text)?;
    match text.as_bytes().get(whole..) {
        Some([b'.', next, ..]) if next.is_ascii_digit() => Some(whole + 1 + group_len(&text[whole + 1..])?),
        _ => Some(whole),
    }
}

/// Digits set apart with single `_`.
fn group_len(text: &str) -> Option<usize> {
    let length = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'_').count();
    let group = &text[..length];
    let legal = group.starts_with(|c: char| c.is_ascii_digit()) && !group.ends_with('_') && !group.contains("__");
    legal.then_some(length)
}

/// `2027-03-31`, by its shape.
fn is_date(text: &str) -> bool {
    let shape = |(at, byte): (usize, u8)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    text.len() == 10 && text.bytes().enumerate().all(shape)
}

/// `%`, `GiB`, `EUR/kWh`, `/month`.
fn is_unit(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || matches!(c, 'µ' | 'μ');
    let word = |text: &str| !text.is_empty() && text.chars().all(letter) && !JOINING.contains(&text);
    match text.split_once('/') {
        Some((of, per)) => (of.is_empty() || of == "%" || word(of)) && word(per),
        None => text == "%" || word(text),
    }
}

#[cfg(test)]
mod tests {
    use super::{digits_len, is_date, is_unit};

    #[test]
    fn units_are_words_with_at_most_one_slash() {
        for unit in ["GiB", "%", "EUR/kWh", "/month", "%/year", "µs"] {
            assert!(is_unit(unit), "{unit}");
        }
        for other in ["", "/", "GB/", "GB/s/s", "m2", "%%", "in", "or/h", "a-b", "7"] {
            assert!(!is_unit(other), "{other}");
        }
    }

    #[test]
    fn digits_are_set_apart_by_single_underscores() {
        assert_eq!(digits_len("31_500 EUR"), Some(6));
        assert_eq!(digits_len("4.2million"), Some(3));
        assert_eq!(digits_len("1..2"), Some(1));
        assert_eq!(digits_len("1__0"), None);
        assert_eq!(digits_len("1_"), None);
    }

    #[test]
    fn dates_are_told_by_their_shape() {
        assert!(is_date("2027-03-31"));
        assert!(!is_date("2027-3-31"));
        assert!(!is_date("2027-03-31T"));
    }
}
