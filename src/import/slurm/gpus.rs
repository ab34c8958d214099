//! Which GPU of the catalogue a type of Gres means.

use crate::catalog::Catalogue;

/// What the catalogue has for a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// One entry, which Slurm calls the same.
    Same(String),
    /// One entry, which Slurm calls something else.
    Like(String),
    /// None, or several: the type does not say which.
    Open(Vec<String>),
}

/// Who makes the GPU of a type, where its name has a brand.
pub fn maker(kind: &str) -> Option<&'static str> {
    let lower = kind.to_ascii_lowercase();
    let begins =
        |brands: &[&str]| lower.split(['_', '-', ' ']).any(|word| brands.iter().any(|one| word.starts_with(one)));
    if begins(&["nvidia", "tesla", "geforce", "quadro", "gtx", "rtx"]) {
        return Some("NVIDIA");
    }
    begins(&["amd", "instinct", "radeon"]).then_some("AMD")
}

/// True for the type of a slice, `1g.10gb`: of which GPU, and of how many, is not in it.
pub fn is_slice(kind: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let profile = kind.rsplit(['_', '-']).next().unwrap_or(kind);
    let halves = profile.strip_suffix("gb").and_then(|rest| rest.split_once("g."));
    halves.is_some_and(|(compute, memory)| number(compute) && number(memory))
}

/// A GPU of the catalogue.
struct Row {
    id: String,
    slurm: Option<String>,
    kubernetes: Option<String>,
    memory: Option<String>,
}

/// Looks a type up.
pub fn find(catalogue: &Catalogue, kind: &str) -> Known {
    let rows: Vec<Row> = catalogue.ids("gpu").map(|id| row(catalogue, id)).collect();
    let wanted = words(kind);
    let labelled: Vec<&Row> =
        rows.iter().filter(|row| row.kubernetes.as_deref().is_some_and(|label| words(label) == wanted)).collect();
    let mut fitting: Vec<&Row> =
        if labelled.is_empty() { rows.iter().filter(|row| fits(row, &wanted)).collect() } else { labelled };
    for narrower in [memory_of(&wanted), form_of(&wanted)].into_iter().flatten() {
        let narrowed: Vec<&Row> = fitting
            .iter()
            .copied()
            .filter(|row| row.id.contains(&narrower) || row.memory.as_deref() == Some(narrower.as_str()))
            .collect();
        if !narrowed.is_empty() {
            fitting = narrowed;
        }
    }
    match fitting[..] {
        [one] if one.slurm.as_deref() == Some(kind) => Known::Same(one.id.clone()),
        [one] => Known::Like(one.id.clone()),
        _ => Known::Open(fitting.iter().map(|row| row.id.clone()).collect()),
    }
}

fn row(catalogue: &Catalogue, id: &str) -> Row {
    let facts = catalogue.entry("gpu", id).unwrap_or_default();
    let text = |name: &str| {
        let fact = facts.iter().find(|fact| fact.attribute == name)?;
        fact.value.as_str().map(str::to_string)
    };
    Row {
        id: id.to_string(),
        slurm: text("slurm_type"),
        kubernetes: text("k8s_product"),
        memory: text("memory").map(|memory| memory.replace(' ', "").to_ascii_lowercase()),
    }
}

/// The words of a name without its maker.
fn words(name: &str) -> Vec<String> {
    let lower = name.to_ascii_lowercase();
    let words = lower
        .split(['_', '-', ' '])
        .filter(|word| !["nvidia", "amd", "instinct", "tesla", "geforce", ""].contains(word));
    words.map(str::to_string).collect()
}

/// True when the words begin with those of Slurm's type for the entry.
fn fits(row: &Row, wanted: &[String]) -> bool {
    let own = row.slurm.as_deref().map(words).unwrap_or_default();
    !own.is_empty() && wanted.starts_with(&own)
}

/// `80gb`.
fn memory_of(words: &[String]) -> Option<String> {
    words.iter().find(|word| word.strip_suffix("gb").is_some_and(|size| size.parse::<u64>().is_ok())).cloned()
}

/// `sxm`, `pcie`, `nvl`.
fn form_of(words: &[String]) -> Option<String> {
    let forms = ["sxm", "pcie", "nvl"];
    forms.iter().find(|form| words.iter().any(|word| word.starts_with(**form))).map(|form| (*form).to_string())
}

#[cfg(test)]
mod tests {
    use super::{Known, find, is_slice, maker};
    use crate::catalog::Catalogue;

    #[test]
    fn a_type_means_an_entry_only_when_it_says_which() {
        let catalogue = Catalogue::new();
        for (kind, id) in [("a40", "a40"), ("l40s", "l40s")] {
            assert_eq!(find(&catalogue, kind), Known::Same(id.to_string()), "{kind}");
        }
        for (kind, id) in
            [("nvidia_a100-sxm4-80gb", "a100-sxm-80gb"), ("nvidia_h100_80gb_hbm3", "h100-sxm"), ("A40", "a40")]
        {
            assert_eq!(find(&catalogue, kind), Known::Like(id.to_string()), "{kind}");
        }
        for (kind, several) in [("a100", true), ("h100", true), ("v100", false), ("h800", false), ("", false)] {
            match find(&catalogue, kind) {
                Known::Open(ids) => assert_eq!(ids.len() > 1, several, "{kind}"),
                other => panic!("{kind}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_brand_names_its_maker() {
        for (kind, name) in [
            ("tesla_p100-pcie-16gb", Some("NVIDIA")),
            ("gtx1060", Some("NVIDIA")),
            ("instinct_mi210", Some("AMD")),
            ("iris", None),
            ("k80", None),
            ("", None),
        ] {
            assert_eq!(maker(kind), name, "{kind}");
        }
    }

    #[test]
    fn slices_are_told_from_gpus() {
        assert!(["1g.10gb", "a100_3g.20gb"].iter().all(|kind| is_slice(kind)));
        assert!(!["a100", "nvidia_h100_80gb_hbm3", "1g", ""].iter().any(|kind| is_slice(kind)));
    }
}
