//! The machines that a pool could be made of.

use crate::model::Model;
use crate::model::ids::Id;
use crate::model::kinds::{Instance, Kind, Pool, Server};
use crate::model::words::Provider;

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// `catalog.server.dgx-h200`, `server.box`.
    pub address: String,
    /// The attribute of the pool that names it.
    pub attribute: &'static str,
    /// True when the pool is made of it now.
    pub current: bool,
}

/// Servers with GPUs for a room of our own, instances with GPUs of the same provider for a cloud; those of the package
/// first, then those of the catalogue.
pub fn all(model: &Model<'_>, id: Id<Pool>) -> Vec<Machine> {
    let pool = &model[id];
    let provider = model[pool.site].provider;
    let (kind, attribute) = match provider {
        Provider::OnPrem => (Kind::Server, "server"),
        Provider::Aws | Provider::Gcp | Provider::Azure => (Kind::Instance, "instance"),
    };
    let now = pool.server.map(|id| id.block()).or(pool.instance.map(|id| id.block())).map(|id| model.address(id));
    let own = model.blocks_of(kind).iter().filter(|block| match kind {
        Kind::Server => model.typed::<Server>(**block).is_some_and(|server| !server.gpus.is_empty()),
        _ => model
            .typed::<Instance>(**block)
            .is_some_and(|instance| instance.provider == provider && !instance.gpus.is_empty()),
    });
    let own = own.map(|block| model.address(*block));
    let word = kind.schema().word;
    let shipped = model.catalogue.ids(word).filter(|entry| suits(model, word, entry, provider));
    own.chain(shipped.map(|entry| format!("catalog.{word}.{entry}")))
        .map(|address| Machine { current: now.as_ref() == Some(&address), address, attribute })
        .collect()
}

/// True for an entry of the catalogue with GPUs, of the provider where it has one.
fn suits(model: &Model<'_>, word: &str, entry: &str, provider: Provider) -> bool {
    let facts = model.catalogue.entry(word, entry).unwrap_or_default();
    let fact = |name: &str| facts.iter().find(|fact| fact.attribute == name).map(|fact| &fact.value);
    let gpus = fact("gpus").and_then(|gpus| gpus.as_array()).is_some_and(|gpus| !gpus.is_empty());
    let theirs = fact("provider").and_then(|provider| provider.as_str());
    gpus && theirs.is_none_or(|theirs| theirs == provider.word())
}
