//! Why something is as it is: a code, or a figure of a platform with the chain that leads to it.

mod address;
mod line;

use crate::base::code::{Code, CodeDoc};
use crate::{graph, model, rules, syntax, target};

pub use address::{Explanation, explain};
pub use line::line;

/// Every code of the compiler, by number.
pub fn codes() -> Vec<CodeDoc> {
    let lower = [syntax::problems::CODES, model::problems::CODES, graph::CODES];
    let targets = [target::problems::CODES, target::kubernetes::problems::CODES];
    let mut all: Vec<CodeDoc> = lower.into_iter().chain(targets).flatten().copied().chain(rules::docs()).collect();
    all.sort_by_key(|doc| doc.code);
    all
}

/// The text of a code, as Markdown; the nearest code of the same family where there is no such one.
pub fn code(wanted: Code) -> Result<String, Option<Code>> {
    let all = codes();
    match all.iter().find(|doc| doc.code == wanted) {
        Some(doc) => Ok(text(doc)),
        None => {
            let family = all.iter().map(|doc| doc.code).filter(|code| code.0 / 1000 == wanted.0 / 1000);
            Err(family.min_by_key(|code| code.0.abs_diff(wanted.0)))
        }
    }
}

/// The documentation without the marks of a comment, its title after the code.
fn text(doc: &CodeDoc) -> String {
    let line = |line: &'static str| {
        let line = line.strip_prefix("//!").unwrap_or(line);
        line.strip_prefix(' ').unwrap_or(line).trim_end()
    };
    let lines: Vec<&str> = doc.doc.lines().map(line).collect();
    let body = lines.join("\n");
    let body = body.trim();
    match body.strip_prefix("# ") {
        Some(titled) => format!("# {}: {titled}\n", doc.code),
        None => format!("# {}\n\n{body}\n", doc.code),
    }
}

#[cfg(test)]
mod tests {
    use super::{code, codes};
    use crate::base::code::Code;

    #[test]
    fn every_code_has_a_text() {
        for doc in codes() {
            let text = code(doc.code).expect("a code that is listed");
            assert!(text.starts_with(&format!("# {}", doc.code)) && text.lines().count() > 2, "{text}");
            assert!(!text.contains("//!"), "{text}");
        }
    }

    #[test]
    fn the_nearest_code_of_the_family_is_named() {
        assert_eq!(code(Code(6004)), Err(Some(Code(6003))));
        assert_eq!(code(Code(9999)), Err(None));
    }
}
