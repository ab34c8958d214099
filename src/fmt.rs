//! `aipc fmt`: one style, no options.
//!
//! The text is parsed, printed, and parsed again; only a text with the same tree, the same documentation and the same
//! comments leaves this floor.

use std::borrow::Cow;

use crate::base::diagnostic::Diagnostics;
use crate::base::span::{SourceId, Span};
use crate::syntax::{parse, print, problems, shape};

/// The canonical text of a source, or why it cannot be formatted: its syntax errors, or a bug of ours.
pub fn format(source: SourceId, text: &str) -> Result<String, Diagnostics> {
    let (_, found) = parse(source, text);
    if found.has_errors() {
        return Err(found);
    }
    let text = with_plain_line_ends(text);
    let (file, _) = parse(source, &text);
    let printed = print::print(&text, &file);
    let (again, found) = parse(source, &printed);
    let what = if found.has_errors() {
        "the result has syntax errors"
    } else if shape::shape(&text, &file) != shape::shape(&printed, &again) {
        "the result means something else"
    } else {
        return Ok(printed);
    };
    let mut bug = Diagnostics::new();
    bug.push(problems::formatter_bug(Span::new(source, 0, 0), what));
    Err(bug)
}

/// The text without a byte order mark, its lines ended by a newline alone.
fn with_plain_line_ends(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::format;
    use crate::base::span::SourceId;

    /// A source formats to a text, and that text to itself.
    fn check(source: &str, expected: &str) {
        let format = |text: &str| format(SourceId(0), text).unwrap_or_else(|found| panic!("{found:#?}\n{text}"));
        assert_eq!(format(source), expected);
        assert_eq!(format(expected), expected);
    }

    #[test]
    fn the_equals_signs_of_a_run_are_aligned() {
        check(
            "pool a {\nx=1\nlonger =  2\n\nb = 3\n# c\nlong_one = 4\n}",
            "pool a {\n  x      = 1\n  longer = 2\n\n  b = 3\n  # c\n  long_one = 4\n}\n",
        );
    }

    #[test]
    fn blank_lines_are_few() {
        check(
            "\n\n\npool a {\n\n\n  x = 1\n\n\n\n  y = 2\n\n}\n\n\n\npool b {}\n\n\n",
            "pool a {\n  x = 1\n\n  y = 2\n}\n\npool b {}\n",
        );
    }

    #[test]
    fn a_block_on_one_line_stays_while_it_fits() {
        check("pool a {x=1,y=[1,2,],}", "pool a { x = 1, y = [1, 2] }\n");
        let long = format!("pool a {{ x = \"{}\", yy = 2 }}\n", "-".repeat(110));
        check(&long, &format!("pool a {{\n  x  = \"{}\"\n  yy = 2\n}}\n", "-".repeat(110)));
    }

    #[test]
    fn a_long_list_has_an_item_a_line() {
        let names: Vec<String> = (10..40).map(|at| format!("pool.p{at}")).collect();
        let lines: String = names.iter().map(|name| format!("    {name},\n")).collect();
        check(
            &format!("cluster a {{\n  x = 1\n  pools = [{}]\n  y = 2\n}}\n", names.join(", ")),
            &format!("cluster a {{\n  x = 1\n  pools = [\n{lines}  ]\n  y = 2\n}}\n"),
        );
    }

    #[test]
    fn comments_stay_where_they_are() {
        check(
            "# top\npool a { # open\n# one\nx = 1 # behind\n## doc\ny = [ # list\n1, # first\n# own\n2 # last\n# end\n]\n# close\n} # after\n# bottom",
            "# top\npool a {  # open\n  # one\n  x = 1  # behind\n  ## doc\n  y = [  # list\n    1,  # first\n    # own\n    \
             2,  # last\n    # end\n  ]\n  # close\n}  # after\n# bottom\n",
        );
    }

    #[test]
    fn a_comment_in_an_expression_leaves_it_as_written() {
        check("pool a {\n  x = 1 + # why\n      2\n}\n", "pool a {\n  x = 1 + # why\n      2\n}\n");
    }

    #[test]
    fn numbers_and_signs_have_their_blanks() {
        check(
            "pool a { a=80GiB, b = 99.9 %, c=4.2million   EUR/h, d=20/month, e = 1..2TB, f=2:1, g = - 3, h=not(a and b)or c }",
            "pool a {\n  a = 80 GiB\n  b = 99.9%\n  c = 4.2 million EUR/h\n  d = 20/month\n  e = 1..2 TB\n  f = 2:1\n  g = -3\n  \
             h = not (a and b) or c\n}\n",
        );
    }

    #[test]
    fn annotations_have_lines_of_their_own() {
        check(
            "@was( \"old\" ) pool a { @locked x = 1, y = 2 }",
            "@was(\"old\")\npool a {\n  @locked\n  x = 1\n  y = 2\n}\n",
        );
    }

    #[test]
    fn windows_line_ends_and_the_mark_go() {
        check("\u{FEFF}pool a {\r\n  x = 1\r\n}\r\n", "pool a {\n  x = 1\n}\n");
    }

    #[test]
    fn a_long_condition_breaks_before_its_operators() {
        let (a, b) = ("let.a".repeat(12).replace("alet", "a-let"), "let.b".repeat(12).replace("blet", "b-let"));
        check(
            &format!("check a {{\n  assert = {a} == 1 and {b} == 2 and not {a} == 3\n}}\n"),
            &format!("check a {{\n  assert = {a} == 1\n    and {b} == 2\n    and not {a} == 3\n}}\n"),
        );
    }
}
