//! Codes of the command line: the output folder, and the gate before production.

use crate::base::code::codes;
use crate::base::diagnostic::Diagnostic;

codes! {
    /// # A line without a price
    ///
    /// `check --gate production` lists every line of the bill that has no price in the platform's currency. Add a `quote`
    /// block, or a `rate` block for a price in another currency.
    UNPRICED = 5090;
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
    /// # Something is still open
    ///
    /// `check --gate production` lists every `tbd`. Decide it, and write the value.
    OPEN = 8091;
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
