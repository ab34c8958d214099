//! Codes of outputs (6xxx).

use crate::base::code::codes;
use crate::base::diagnostic::Diagnostic;

codes! {
    /// # A template does not render
    ///
    /// A template that is shipped always renders; one from `--templates` has an error at the place shown.
    TEMPLATE = 6001;
    /// # A text that the output cannot carry
    ///
    /// Slurm's tokens cannot contain blanks, commas, quotes, `#` or other characters than ASCII. Titles and descriptions
    /// go where they fit; a name or address that must be a token has to be one.
    NOT_A_TOKEN = 6002;
    /// # The outputs disagree
    ///
    /// GPUs in the bill, in Slurm's Gres, in Kubernetes and in Terraform must be the same number. This is a bug of the
    /// compiler or of a template from `--templates`; nothing is written.
    DISAGREEMENT = 6003;
    /// # A text is too long for a cell
    ///
    /// A cell of a workbook holds 32,767 characters. The text is cut there in `bom.xlsx`, and the cell says so;
    /// `bom.csv` and `bom.json` have all of it.
    TEXT_CUT = 6401;
    /// # The workbook cannot be written
    ///
    /// A sheet holds 1,048,576 rows. A bill with more lines than that is no bill that somebody sends out; `plan.json`
    /// has its figures.
    WORKBOOK = 6402;
}

/// A template that does not render.
pub fn template(name: &str, why: &str) -> Diagnostic {
    Diagnostic::error(TEMPLATE, format!("the template `{name}` does not render: {why}"))
}

/// A text that must be a token of Slurm and cannot be.
pub fn not_a_token(address: &str, text: &str, why: &str) -> Diagnostic {
    let shown = crate::base::phrase::excerpt(text, 60);
    Diagnostic::error(NOT_A_TOKEN, format!("`{shown}` of `{address}` cannot stand in a Slurm file: {why}"))
        .about(address)
}

/// A text that is longer than a cell of a workbook.
pub fn text_cut(cell: &str, limit: usize) -> Diagnostic {
    let limit = crate::base::quantity::group(&limit.to_string());
    Diagnostic::warning(TEXT_CUT, format!("the text of `{cell}` in `bom.xlsx` is cut, a cell holds {limit} characters"))
        .help("`bom.json` has all of it; shorten the text to have it in the workbook")
}

/// A workbook that the library refuses.
pub fn workbook(why: &str) -> Diagnostic {
    Diagnostic::error(WORKBOOK, format!("`bom.xlsx` cannot be written: {why}"))
        .help("leave the target out with `--target`, or split the platform")
}
