//! Codes of the Kubernetes target (61xx).

use std::collections::HashMap;

use crate::base::code::codes;
use crate::base::diagnostic::Diagnostic;
use crate::base::phrase;
use crate::model::Model;
use crate::model::ids::BlockId;

codes! {
    /// # A workload without sizes cannot be written
    ///
    /// A pod asks for GPUs, processors and memory. Where one of these depends on something that is not known, the
    /// manifests would ask for the wrong thing, so nothing is written. The message says what is missing.
    UNSIZED = 6101;
    /// # A Kubernetes version that this compiler does not know
    ///
    /// The manifests are written for the API of the versions named in the message. They may still be right for
    /// another one, but nobody has checked that.
    VERSION = 6102;
    /// # A namespace that belongs to somebody else
    ///
    /// A tenant's workloads run in a namespace of its name, workloads without a tenant in one named after the
    /// platform. A tenant can therefore not be called like the platform, like its gateway, or like a namespace that
    /// Kubernetes itself or the monitoring uses.
    RESERVED_NAMESPACE = 6103;
    /// # Two workloads need one object
    ///
    /// A name is the same in every artefact, so two workloads of one tenant that become objects of one kind must not
    /// have the same name: two that answer requests (each has a Service), or two that run to their end as a JobSet.
    NAME_TAKEN = 6104;
    /// # Something that the manifests do not say
    ///
    /// The source asks for something that is not written for Kubernetes. The message names it and what to do.
    NOT_WRITTEN = 6105;
    /// # A label that had to be changed
    ///
    /// A label holds at most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends. The whole text
    /// is in the annotation of the same name.
    SLUG = 6106;
    /// # What the cluster must bring along
    ///
    /// The manifests refer to something that they do not make: a pinned image, a storage class, a gateway, weights on
    /// a volume. Nothing starts before it is there.
    TO_PROVIDE = 6107;
}

/// A workload that lacks a size.
pub fn unsized_load(model: &Model<'_>, id: BlockId, missing: &str) -> Diagnostic {
    let address = model.address(id);
    Diagnostic::error(UNSIZED, format!("`{address}` cannot be written for Kubernetes: {missing} is not known"))
        .at(model.block(id).place, "")
        .about(address)
}

/// A version outside of what is known.
pub fn version(model: &Model<'_>, id: BlockId, version: &str, known: &str) -> Diagnostic {
    let shown = phrase::excerpt(version, 20);
    Diagnostic::warning(VERSION, format!("Kubernetes `{shown}` is not known, the manifests are for {known}"))
        .at(model.block(id).place_of("version"), "")
        .about(model.address(id))
}

/// A tenant with a name that is taken.
pub fn reserved(model: &Model<'_>, id: BlockId, by: &str) -> Diagnostic {
    let name = &model.block(id).name;
    Diagnostic::error(RESERVED_NAMESPACE, format!("the namespace `{name}` of this tenant is already that of {by}"))
        .at(model.block(id).place, "")
        .help("rename the tenant, with `@was` for the old name")
        .about(model.address(id))
}

/// Two workloads of one name whose objects are of one kind.
pub fn name_taken(model: &Model<'_>, id: BlockId, other: BlockId, object: &str) -> Diagnostic {
    let (address, other_address) = (model.address(id), model.address(other));
    let message = format!("`{address}` and `{other_address}` both become the {object} `{}`", model.block(id).name);
    Diagnostic::error(NAME_TAKEN, message)
        .at(model.block(id).place, "")
        .at(model.block(other).place, "the other one")
        .help("rename one of them, or give them different tenants")
        .about(address)
}

/// Something that is asked for and not written.
pub fn not_written(model: &Model<'_>, id: BlockId, attribute: &str, what: &str, help: &str) -> Diagnostic {
    Diagnostic::warning(NOT_WRITTEN, format!("{what} of `{}` is not written for Kubernetes", model.address(id)))
        .at(model.block(id).place_of(attribute), "")
        .help(help)
        .about(model.address(id))
}

/// A text that a label cannot hold.
pub fn slug(model: &Model<'_>, id: BlockId, attribute: &str, slug: &str) -> Diagnostic {
    let message = format!("`{attribute}` of `{}` is no label as it stands, it becomes `{slug}`", model.address(id));
    Diagnostic::note(SLUG, message).at(model.block(id).place_of(attribute), "").about(model.address(id))
}

/// Something that the cluster must have.
pub fn to_provide(model: &Model<'_>, id: BlockId, message: String, help: &str) -> Diagnostic {
    Diagnostic::note(TO_PROVIDE, message).at(model.block(id).place, "").help(help).about(model.address(id))
}

/// How many blocks are named beside the first of a kind of limit.
const NAMED: usize = 3;

/// One problem for each kind of limit: what holds for many workloads is said at the first, with the names of others.
pub fn gathered(problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut first: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<Diagnostic> = Vec::new();
    let mut others: Vec<Vec<String>> = Vec::new();
    for problem in problems {
        let what = problem.message.replace(problem.address.as_deref().unwrap_or_default(), "");
        match first.get(&what).filter(|_| problem.code == NOT_WRITTEN) {
            Some(&position) => others[position].extend(problem.address),
            None => {
                first.insert(what, kept.len());
                kept.push(problem);
                others.push(Vec::new());
            }
        }
    }
    kept.into_iter().zip(others).map(|(problem, others)| with_others(problem, &others)).collect()
}

fn with_others(problem: Diagnostic, others: &[String]) -> Diagnostic {
    if others.is_empty() {
        return problem;
    }
    let named = phrase::all_of(others.iter().take(NAMED));
    let rest = others.len().saturating_sub(NAMED) as u64;
    let more = if rest == 0 { String::new() } else { format!(", and for {}", phrase::count(rest, "other")) };
    problem.fact(format!("the same holds for {named}{more}"))
}
