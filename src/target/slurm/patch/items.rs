//! Lists between commas, and what is added to them.

/// A list without the quotation marks around it.
fn bare(list: &str) -> &str {
    list.strip_prefix('"').and_then(|list| list.strip_suffix('"')).unwrap_or(list)
}

/// What an item is about: the part before `=`.
fn name(item: &str) -> &str {
    item.split('=').next().unwrap_or(item).trim()
}

fn items(list: &str) -> impl Iterator<Item = &str> {
    bare(list).split(',').map(str::trim).filter(|item| !item.is_empty())
}

/// True when a list has an item.
pub fn has(list: &str, wanted: &str) -> bool {
    items(list).any(|item| item.eq_ignore_ascii_case(wanted))
}

/// Our list with what is added: an item takes the place of ours of the same name, others come after. True beside it
/// when one of ours was replaced.
pub fn merged(ours: &str, added: &str) -> (String, bool) {
    let mut all: Vec<&str> = items(ours).collect();
    let mut replaced = false;
    for item in items(added) {
        match all.iter_mut().find(|own| name(own).eq_ignore_ascii_case(name(item))) {
            Some(own) => {
                replaced |= *own != item;
                *own = item;
            }
            None => all.push(item),
        }
    }
    let list = all.join(",");
    let quoted = list.contains(' ') || ours.starts_with('"');
    (if quoted { format!("\"{list}\"") } else { list }, replaced)
}

#[cfg(test)]
mod tests {
    use super::{has, merged};

    #[test]
    fn items_take_the_place_of_those_of_their_name() {
        for (ours, added, list, replaced) in [
            ("a=1,b", "c,a=2", "a=2,b,c", true),
            ("a=1,b", "B", "a=1,B", true),
            ("a=1,b", "b", "a=1,b", false),
            ("\"CPU=1,GRES/gpu=2\"", "GRES/gpu=3", "\"CPU=1,GRES/gpu=3\"", true),
            ("lua", "\"x y\"", "\"lua,x y\"", false),
            ("", "a", "a", false),
        ] {
            assert_eq!(merged(ours, added), (list.to_string(), replaced), "{ours} and {added}");
        }
        assert!(has("\"cpu, gres/gpu\"", "gres/gpu") && !has("gres/gpu:h100", "gres/gpu"));
    }
}
