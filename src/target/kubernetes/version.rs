//! Which Kubernetes the manifests are for.

/// Minor versions whose API the templates were checked against.
const KNOWN: std::ops::RangeInclusive<u32> = 34..=37;

/// The same for people.
pub const KNOWN_TEXT: &str = "1.34 to 1.37";

/// `1.35` or `1.35.2` as a minor version, when it is a known one.
pub fn minor(version: &str) -> Option<u32> {
    let mut parts = version.trim_start_matches('v').split('.');
    let major = parts.next()?;
    let minor: u32 = parts.next()?.parse().ok()?;
    (major == "1" && KNOWN.contains(&minor)).then_some(minor)
}

/// What Pod Security is pinned to: the minor of the cluster, or the newest known one.
pub fn pinned(version: &str) -> String {
    format!("v1.{}", minor(version).unwrap_or(*KNOWN.end()))
}

#[cfg(test)]
mod tests {
    use super::{minor, pinned};

    #[test]
    fn only_checked_minors_are_known() {
        assert_eq!(minor("1.35"), Some(35));
        assert_eq!(minor("1.36.4"), Some(36));
        for unknown in ["1.20", "1.99", "2.35", "35", "", "1.x"] {
            assert_eq!(minor(unknown), None, "{unknown}");
        }
        assert_eq!(pinned("1.35.1"), "v1.35");
        assert_eq!(pinned("1.99"), "v1.37");
    }
}
