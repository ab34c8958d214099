//! The shipped catalogue: facts on hardware, instances and models, each with its source.
//!
//! One JSON file a kind. A file is read when the first entry of its kind is asked for, and an entry is decoded only
//! when something refers to it, so that a small platform pays for what it uses. What the attributes mean is the
//! model's business; here they are names with a value and a source.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::value::RawValue;

const FILES: &[(&str, &str)] = &[
    ("appliance", include_str!("appliance.json")),
    ("cpu", include_str!("cpu.json")),
    ("disk", include_str!("disk.json")),
    ("gpu", include_str!("gpu.json")),
    ("instance", include_str!("instance.json")),
    ("model", include_str!("model.json")),
    ("nic", include_str!("nic.json")),
    ("optic", include_str!("optic.json")),
    ("server", include_str!("server.json")),
    ("switch", include_str!("switch.json")),
];

/// Where a fact was read.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Source {
    /// What was read, with its version or date.
    pub title: String,
    /// How sure it is.
    pub confidence: Confidence,
}

/// How sure a fact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// It was read in the source.
    Read,
    /// It was written from memory and is to be verified before money depends on it.
    Memory,
}

/// One fact of an entry.
#[derive(Debug, Clone)]
pub struct Fact {
    /// The attribute, as the kind's schema names it.
    pub attribute: String,
    /// Its value: text in the notation of the language, a number, a truth value or a list of these.
    pub value: serde_json::Value,
    /// The id of its source.
    pub source: String,
}

/// The facts of one kind.
#[derive(Deserialize)]
struct Shelf {
    sources: BTreeMap<String, Source>,
    #[serde(borrow)]
    entries: BTreeMap<&'static str, &'static RawValue>,
}

/// The catalogue, filled as it is used.
#[derive(Default)]
pub struct Catalogue {
    shelves: [OnceLock<Option<Shelf>>; FILES.len()],
}

impl Catalogue {
    /// Nothing read yet.
    pub fn new() -> Catalogue {
        Catalogue::default()
    }

    /// The kinds that the catalogue has.
    pub fn kinds() -> impl Iterator<Item = &'static str> {
        FILES.iter().map(|(kind, _)| *kind)
    }

    /// The ids of a kind, sorted.
    pub fn ids(&self, kind: &str) -> impl Iterator<Item = &'static str> + Clone {
        let ids: Vec<&'static str> =
            self.shelf(kind).map(|shelf| shelf.entries.keys().copied().collect()).unwrap_or_default();
        ids.into_iter()
    }

    /// The facts of an entry, in the order of the file.
    pub fn entry(&self, kind: &str, id: &str) -> Option<Vec<Fact>> {
        let raw = self.shelf(kind)?.entries.get(id)?;
        let facts: BTreeMap<String, (serde_json::Value, String)> = serde_json::from_str(raw.get()).ok()?;
        Some(facts.into_iter().map(|(attribute, (value, source))| Fact { attribute, value, source }).collect())
    }

    /// The source of a kind's facts by its id.
    pub fn source(&self, kind: &str, id: &str) -> Option<&Source> {
        self.shelf(kind)?.sources.get(id)
    }

    fn shelf(&self, kind: &str) -> Option<&Shelf> {
        let position = FILES.iter().position(|(name, _)| *name == kind)?;
        // A shelf that does not parse is our own bug; a test reads them all.
        self.shelves[position].get_or_init(|| serde_json::from_str(FILES[position].1).ok()).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::Catalogue;

    #[test]
    fn every_shelf_parses_and_names_its_sources() {
        let catalogue = Catalogue::new();
        for kind in Catalogue::kinds() {
            assert!(catalogue.ids(kind).count() > 5, "{kind} is empty or does not parse");
            for id in catalogue.ids(kind) {
                for fact in catalogue.entry(kind, id).expect("an entry that is listed") {
                    assert!(
                        catalogue.source(kind, &fact.source).is_some(),
                        "{kind}.{id}.{} has no source",
                        fact.attribute
                    );
                }
            }
        }
    }
}
