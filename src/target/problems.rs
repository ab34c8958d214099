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
