//! Labels and annotations.

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::Tenant;

use super::problems;

/// The label of a node that says which pool it is of. The name is stable, whatever driver or sharing a node has.
pub const POOL: &str = "aipc.dev/pool";
/// The label of what belongs to a tenant, and the taint of nodes that are a tenant's alone.
pub const TENANT: &str = "aipc.dev/tenant";
const OWNER: &str = "aipc.dev/owner";
const COST_CENTER: &str = "aipc.dev/cost-center";
const TITLE: &str = "aipc.dev/title";

/// The most bytes of a label's value.
const LIMIT: usize = 63;

/// Key and value.
pub type Pair = (String, String);

/// What the objects of one namespace have in common.
#[derive(Debug, Clone, Default)]
pub struct Common {
    /// Labels.
    pub labels: Vec<Pair>,
    /// Annotations.
    pub annotations: Vec<Pair>,
}

/// Who answers for what a tenant runs, and who pays; without a tenant the platform's owner.
pub fn common(model: &Model<'_>, tenant: Option<Id<Tenant>>, problems: &mut Vec<Diagnostic>) -> Common {
    let mut common = Common::default();
    match tenant {
        Some(id) => {
            let tenant = &model[id];
            common.labels.push((TENANT.to_string(), model.name(id).to_string()));
            common.text(model, id.block(), ("cost_center", COST_CENTER), tenant.cost_center.as_deref(), problems);
            common.text(model, id.block(), ("owner", OWNER), tenant.owner.as_deref(), problems);
            common.annotate(TITLE, tenant.title.as_deref());
        }
        None => {
            if let Some(platform) = model.platform() {
                common.text(model, platform.id.block(), ("owner", OWNER), platform.owner.as_deref(), problems);
                common.annotate(TITLE, platform.title.as_deref());
            }
        }
    }
    common
}

impl Common {
    /// A free text goes whole into an annotation; into a label when it is legal there, else as a slug, with a note.
    fn text(
        &mut self,
        model: &Model<'_>,
        block: BlockId,
        (attribute, key): (&str, &str),
        text: Option<&str>,
        problems: &mut Vec<Diagnostic>,
    ) {
        let Some(text) = text else { return };
        self.annotate(key, Some(text));
        let Some(slug) = slug(text) else { return };
        if slug != text {
            problems.push(problems::slug(model, block, attribute, &slug));
        }
        self.labels.push((key.to_string(), slug));
    }

    fn annotate(&mut self, key: &str, text: Option<&str>) {
        self.annotations.extend(text.map(|text| (key.to_string(), text.to_string())));
    }
}

/// True when a label can hold the text.
#[cfg(test)]
fn is_legal(text: &str) -> bool {
    let edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    bytes.len() <= LIMIT
        && edge(bytes.first())
        && edge(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

/// The nearest text that a label can hold; nothing when no character is left.
fn slug(text: &str) -> Option<String> {
    let mut slug = String::new();
    for c in text.chars() {
        let legal = c.is_ascii_alphanumeric() || "_.".contains(c);
        if legal {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() == LIMIT {
            break;
        }
    }
    let slug = slug.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    (!slug.is_empty()).then(|| slug.to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::{is_legal, slug};

    #[test]
    fn legal_texts_stay() {
        assert_eq!(slug("4711").as_deref(), Some("4711"));
        assert_eq!(slug("it@clinic.example").as_deref(), Some("it-clinic.example"));
        assert_eq!(slug("«»"), None);
    }

    proptest! {
        #[test]
        fn a_slug_is_a_legal_label(text in any::<String>()) {
            if let Some(slug) = slug(&text) {
                assert!(is_legal(&slug), "{slug:?}");
            }
        }
    }
}
