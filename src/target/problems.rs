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
    /// # Not in Terraform
    ///
    /// The Terraform target makes networks, EKS clusters, keys and buckets at AWS sites, and the NetBox inventory of rooms
    /// of our own. Whatever else the source asks for is named here, so that somebody makes it another way.
    NOT_IN_TERRAFORM = 6020;
    /// # A tag that is not the text
    ///
    /// AWS takes letters, digits, blanks and `+ - = . _ : / @` in tags, at most 256 of them. Any other text becomes a slug
    /// with a piece of its digest.
    TAG_SLUG = 6021;
    /// # A site of a cloud without its region
    ///
    /// Everything at a cloud site is made in one region, so the site must name it: `region = "eu-north-1"`.
    NO_REGION = 6022;
    /// # A default that Terraform needs
    ///
    /// Something that Terraform cannot do without is not in the source. The layer has a variable for it, with a default
    /// that can be replaced, or without one where no default would be safe.
    TERRAFORM_DEFAULT = 6023;
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

/// Something that the Terraform target does not write.
pub fn not_in_terraform(address: &str, why: &str) -> Diagnostic {
    Diagnostic::warning(NOT_IN_TERRAFORM, format!("`{address}` is not in Terraform: {why}"))
        .help("make it by hand or in a layer of its own beside the generated ones")
        .about(address)
}

/// A text that AWS does not take as a tag.
pub fn tag_slug(address: &str, text: &str, slug: &str) -> Diagnostic {
    let shown = crate::base::phrase::excerpt(text, 60);
    Diagnostic::note(TAG_SLUG, format!("AWS takes no tag `{shown}`; on what `{address}` makes it is `{slug}`"))
        .about(address)
}

/// A cloud site that does not say its region.
pub fn no_region(address: &str) -> Diagnostic {
    Diagnostic::error(NO_REGION, format!("`{address}` has no region, so nothing can be made there"))
        .help("add the region that the provider names it by: `region = \"eu-north-1\"`")
        .about(address)
}

/// A value that Terraform needs and the source does not have.
pub fn terraform_default(address: &str, what: &str, help: &str) -> Diagnostic {
    Diagnostic::note(TERRAFORM_DEFAULT, format!("`{address}`: {what}")).help(help).about(address)
}
