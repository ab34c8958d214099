//! Why something is as it is: a code, or a figure of a platform with the chain that leads to it.

mod address;

use crate::base::code::{Code, CodeDoc};
use crate::base::phrase;
use crate::{graph, model, rules, syntax, target};

pub use address::{Explanation, explain};

/// Every code of the compiler by number, with those of the floor that asks.
pub fn codes(own: &[CodeDoc]) -> Vec<CodeDoc> {
    let lower = [syntax::problems::CODES, model::problems::CODES, graph::CODES, target::problems::CODES, own];
    let mut all: Vec<CodeDoc> = lower.into_iter().flatten().copied().chain(rules::docs()).collect();
    all.sort_by_key(|doc| doc.code);
    all
}

/// The text of a code, as Markdown; the nearest code where there is no such one.
pub fn code(all: &[CodeDoc], wanted: Code) -> Result<String, Option<String>> {
    match all.iter().find(|doc| doc.code == wanted) {
        Some(doc) => Ok(text(doc)),
        None => {
            let names: Vec<String> = all.iter().map(|doc| doc.code.to_string()).collect();
            Err(phrase::nearest(&wanted.to_string(), names.iter().map(String::as_str)).map(str::to_string))
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
    fn a_code_belongs_to_one_problem_and_has_a_text() {
        let all = codes(crate::cli::problems::CODES);
        for pair in all.windows(2) {
            assert!(pair[0].code < pair[1].code, "{} is used twice", pair[0].code);
        }
        assert!(all.iter().all(|doc| code(&all, doc.code).is_ok_and(|text| text.lines().count() > 2)));
    }

    #[test]
    fn the_nearest_code_is_named() {
        assert_eq!(code(&codes(&[]), Code(1099)).expect_err("there is none").is_some(), true);
    }
}
