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
    /// # A generated file was edited
    ///
    /// `build` owns the files that its manifest lists. One of them is no longer what was written, and building would
    /// lose the edit. Move the change into the package (or a `patch` block), or give `--force` to lose it.
    EDITED = 6090;
    /// # A foreign file is in the way
    ///
    /// Something stands where `build` has to write, and it was not written by it. Move it, choose another `--out`, or
    /// give `--force` to replace a file. Folders and what lies behind links are never replaced.
    IN_THE_WAY = 6091;
    /// # The manifest cannot be read
    ///
    /// `OUT/.aipc/manifest.json` says which files `build` owns. Without it nothing can be said of them. Restore it, or
    /// remove the output folder and build again.
    MANIFEST = 6092;
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

/// A listed file that is not what was written.
pub fn edited(path: &str) -> Diagnostic {
    Diagnostic::error(EDITED, format!("`{path}` was edited after it was generated"))
        .help("move the change into the package, or give `--force` to lose it")
}

/// A foreign file where one has to be written.
pub fn in_the_way(path: &str) -> Diagnostic {
    Diagnostic::error(IN_THE_WAY, format!("`{path}` is in the way: it was not written by a build"))
        .help("move it, choose another `--out`, or give `--force` to replace it")
}

/// A folder or link where a file has to be written, or a link or file where a folder has to be.
pub fn blocked(path: &str, what: &str) -> Diagnostic {
    Diagnostic::error(IN_THE_WAY, format!("`{path}` is in the way: it is {what}"))
        .help("move it, or choose another `--out`; `--force` does not replace it")
}

/// A manifest that does not parse.
pub fn manifest(path: &str, why: &str) -> Diagnostic {
    Diagnostic::error(MANIFEST, format!("`{path}` cannot be read: {why}"))
        .help("restore it, or remove the output folder and build again")
}
