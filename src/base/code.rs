//! Codes: `AIP` and four digits, for ever.
//!
//! A family is the first digit: 0 syntax, 1 names, 2 types and units, 3 sizing, 4 security and compliance, 5 money,
//! 6 targets, 7 style, 8 operations. A number that has been used is never given to another problem.

use std::fmt;

/// The number of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(pub u16);

impl Code {
    /// Reads `AIP3001`.
    pub fn parse(text: &str) -> Option<Code> {
        let digits = text.strip_prefix("AIP")?;
        (digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok().map(Code))?
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AIP{:04}", self.0)
    }
}

/// What `aipc explain CODE` prints.
#[derive(Debug, Clone, Copy)]
pub struct CodeDoc {
    /// The code.
    pub code: Code,
    /// The explanation, in Markdown.
    pub doc: &'static str,
}

impl CodeDoc {
    /// The first line of the explanation, without the marks of a comment and a heading.
    pub fn title(&self) -> &'static str {
        let line = self.doc.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        line.strip_prefix("//!").unwrap_or(line).trim().trim_start_matches("# ")
    }
}

/// Declares the codes of a floor: a constant for each, and the list `CODES` with their documentation.
///
/// ```text
/// codes! {
///     /// The doc comment is what `aipc explain` prints.
///     UNKNOWN_KIND = 1001;
/// }
/// ```
macro_rules! codes {
    ($( $(#[doc = $doc:literal])+ $name:ident = $number:literal; )+) => {
        $( $(#[doc = $doc])+ pub const $name: $crate::base::code::Code = $crate::base::code::Code($number); )+
        /// Every code of this floor with its explanation.
        pub const CODES: &[$crate::base::code::CodeDoc] = &[
            $( $crate::base::code::CodeDoc { code: $name, doc: concat!($($doc, "\n"),+) } ),+
        ];
    };
}
pub(crate) use codes;
