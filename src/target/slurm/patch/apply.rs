//! Patches in the finished text of a file.

use std::collections::BTreeSet;

use crate::base::phrase;
use crate::target::files::{ADDRESS_END, ADDRESS_START};

use super::super::keys::Line;
use super::remove::Removal;
use super::{Patches, Resource, Setting, items};

/// Keys of which only one may stand on a line or in the file: a patched one takes the place of the others.
const EXCLUSIVE: &[&[&str]] = &[
    &["DefMemPerCPU", "DefMemPerGPU", "DefMemPerNode"],
    &["MaxMemPerCPU", "MaxMemPerNode"],
    // The number of cores for the system, and which ones.
    &["CoreSpecCount", "CPUSpecList"],
    // Two names of one key.
    &["CredType", "CryptoType"],
    &["Feature", "Features"],
    &["CPUs", "Procs"],
    &["OverSubscribe", "Shared"],
    &["PriorityTier", "Priority"],
];

/// Parameters of a plugin: ours go with our plugin when it is another one that is patched in.
const PARAMETERS: &[(&str, &str)] = &[("SelectType", "SelectTypeParameters")];

/// The longest reason in a comment; the source has all of it.
const LONGEST_REASON: usize = 400;

/// The text with everything that is patched in the file.
pub fn all(patches: &Patches, file: &str, text: String) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let settings = || patches.settings.iter().filter(|setting| setting.file == file);
    let removals = || patches.removals.iter().filter(|removal| removal.file == file);
    let untouched = settings().next().is_none() && removals().next().is_none();
    if untouched && (patches.resources.is_empty() || !matches!(file, "slurm.conf" | "gres.conf")) {
        return text;
    }
    let mut added = Vec::new();
    for removal in removals().filter(|removal| removal.line == Line::Global) {
        leave_out(&mut lines, removal);
    }
    for setting in settings().filter(|setting| setting.line == Line::Global) {
        without_parameters(&mut lines, setting);
        global(&mut lines, setting, &mut added);
    }
    for (line, start) in [(Line::Node, "NodeName="), (Line::Partition, "PartitionName=")] {
        let set = settings().filter(|one| one.line == line).map(|one| one.of.as_str());
        let removed = removals().filter(|one| one.line == line).map(|one| one.of.as_str());
        for of in set.chain(removed).collect::<BTreeSet<&str>>() {
            let own: Vec<&Setting> = settings().filter(|one| one.line == line && one.of == of).collect();
            let gone: Vec<&Removal> = removals().filter(|one| one.line == line && one.of == of).collect();
            inside(&mut lines, of, start, &own, &gone);
        }
    }
    for resource in &patches.resources {
        match file {
            "slurm.conf" => on_nodes(&mut lines, resource),
            "gres.conf" => added.extend(devices(patches, resource)),
            _ => {}
        }
    }
    if file == "slurm.conf" && !patches.resources.is_empty() {
        types(&mut lines, &patches.resources);
    }
    let changed = |of: &str, key: &str| {
        settings().any(|one| one.of == of && one.key == key) || removals().any(|one| one.of == of && one.key == key)
    };
    without_false_words(&mut lines, file, &changed);
    if !added.is_empty() {
        lines.extend([String::new(), String::from("# Patches")]);
        lines.append(&mut added);
    }
    lines.join("\n") + "\n"
}

/// Heads that say more than the name of their section, and the key without whose value of ours that is not true.
const HEADS: &[(&str, &str, &str)] = &[
    ("slurm.conf", "HealthCheckProgram", "# Health"),
    ("slurm.conf", "MessageTimeout", "# Times"),
    ("slurm.conf", "SlurmdTimeout", "# Times"),
    ("slurmdbd.conf", "StorageHost", "# The database"),
];

/// How the sum of the memory of nodes begins.
const MEMORY: &str = "# RealMemory is ";

/// Takes out what we say of values that are changed or gone. `changed` knows a key of a pool, or of the cluster.
fn without_false_words(lines: &mut Vec<String>, file: &str, changed: &dyn Fn(&str, &str) -> bool) {
    let clusters: BTreeSet<String> = lines.iter().filter_map(|line| address(line)).map(str::to_string).collect();
    for (_, key, head) in HEADS.iter().filter(|(own, ..)| *own == file) {
        if clusters.iter().any(|of| of.starts_with("cluster.") && changed(of, key)) {
            let line = lines.iter_mut().find(|line| plain(line).starts_with(head));
            if let Some(line) = line {
                *line = address(line).map_or_else(|| (*head).to_string(), |of| marked(of, head));
            }
        }
    }
    let mut of = String::new();
    lines.retain(|line| {
        if let Some(own) = address(line) {
            of = own.to_string();
        }
        !(plain(line).starts_with(MEMORY) && ["RealMemory", "MemSpecLimit"].iter().any(|key| changed(&of, key)))
    });
}

/// A line of a finished file.
pub struct Written<'t> {
    /// The address that it begins with.
    pub address: Option<&'t str>,
    /// Its keys and values, without quotation marks.
    pub words: Vec<(String, String)>,
}

/// The lines of a finished file that say something.
pub fn lines(text: &str) -> impl Iterator<Item = Written<'_>> {
    let of = |word: String| {
        let (key, value) = word.split_once('=')?;
        Some((key.to_string(), value.trim_matches('"').to_string()))
    };
    text.lines().filter(|line| !plain(line).starts_with('#')).map(move |line| Written {
        address: address(line),
        words: words(plain(line)).into_iter().filter_map(of).collect(),
    })
}

/// The line without its marks.
fn plain(line: &str) -> &str {
    line.rsplit(ADDRESS_END).next().unwrap_or(line)
}

/// The address that a line begins with.
fn address(line: &str) -> Option<&str> {
    line.strip_prefix(ADDRESS_START)?.split_once(ADDRESS_END).map(|(address, _)| address)
}

fn marked(address: &str, text: &str) -> String {
    format!("{ADDRESS_START}{address}{ADDRESS_END}{text}")
}

/// True for keys that cannot stand beside each other, and for a key and itself.
pub fn excludes(patched: &str, other: &str) -> bool {
    patched.eq_ignore_ascii_case(other)
        || EXCLUSIVE
            .iter()
            .any(|group| group.contains(&patched) && group.iter().any(|one| one.eq_ignore_ascii_case(other)))
}

/// Takes out what we say for our plugin, which another may refuse to start with. Patched parameters come later.
fn without_parameters(lines: &mut Vec<String>, setting: &Setting) {
    let Some((plugin, parameters)) = PARAMETERS.iter().find(|(plugin, _)| *plugin == setting.key) else { return };
    let ours = |line: &String, key: &str| {
        plain(line).split_once('=').filter(|(own, _)| *own == key).map(|(_, value)| value.to_string())
    };
    if !lines.iter().any(|line| ours(line, plugin).is_some_and(|value| value == setting.value)) {
        lines.retain(|line| ours(line, parameters).is_none());
    }
}

/// A line of its own that is not written: a comment says what it was.
fn leave_out(lines: &mut Vec<String>, removal: &Removal) {
    let ours = |line: &String| plain(line).split_once('=').is_some_and(|(key, _)| key == removal.key);
    let Some(at) = lines.iter().position(ours) else { return };
    give_back(lines, at);
    let before = phrase::excerpt(plain(&lines[at]), LONGEST_REASON);
    let comment = format!("{} Left out: {}", said(&removal.reason), before.trim_end_matches(['\\', ' ']));
    // What we say of a key is not true where it is gone.
    let from = at - sentences_above(lines, at);
    lines.splice(from..=at, [marked(&removal.address, &comment)]);
}

/// A line of its own: in the place of ours, or at the end.
fn global(lines: &mut Vec<String>, setting: &Setting, added: &mut Vec<String>) {
    let written = |value: &str| marked(&setting.address, &format!("{}={value}", setting.key));
    let ours = |line: &String| plain(line).split_once('=').is_some_and(|(key, _)| excludes(setting.key, key));
    let mut places: Vec<usize> = (0..lines.len()).filter(|&at| ours(&lines[at])).collect();
    let Some(first) = (!places.is_empty()).then(|| places.remove(0)) else {
        // Keys with one reason stand together under it.
        let reason = said(&setting.reason);
        let under = added.iter().rev().find(|line| line.starts_with('#'));
        if under != Some(&reason) {
            added.push(reason);
        }
        added.push(written(&setting.value));
        return;
    };
    // From the end, so that the places stay true.
    for place in places.into_iter().rev() {
        lines.remove(place);
    }
    give_back(lines, first);
    let before = plain(&lines[first]).to_string();
    let change = Change::of(setting, before.split_once('=').map_or("", |(_, value)| value));
    let comment = said(&setting.reason) + &change.instead(&before);
    // What we say of our value is not true of another.
    let from = if change.replaces { first - sentences_above(lines, first) } else { first };
    lines.splice(from..=first, [comment, written(&change.value)]);
}

/// Lines after a patched one lead to where they led before it.
fn give_back(lines: &mut [String], at: usize) {
    let own = lines[..=at].iter().rev().find_map(|line| address(line)).map(str::to_string);
    if let (Some(own), Some(next)) = (own, lines.get_mut(at + 1))
        && address(next).is_none()
    {
        *next = marked(&own, next);
    }
}

/// What becomes of a value of ours.
struct Change {
    value: String,
    /// True when something of ours is gone.
    replaces: bool,
}

impl Change {
    fn of(setting: &Setting, ours: &str) -> Change {
        match setting.adds {
            true => {
                let (value, replaces) = items::merged(ours, &setting.value);
                Change { value, replaces }
            }
            false => Change { value: setting.value.clone(), replaces: true },
        }
    }

    /// What stood there, after the reason.
    fn instead(&self, before: &str) -> String {
        let word = if self.replaces { "Instead of" } else { "Added to" };
        format!(" {word} {}", phrase::excerpt(before, LONGEST_REASON).trim_end_matches(['\\', ' ']))
    }
}

/// Sentences of ours that stay true, whatever the key below them is set to.
const STAY: &[&str] = &["# Both controllers", "# Login nodes", "# innodb_", "# Patched: "];

/// How many comments right above a line are about it: neither the head of the file nor that of a section.
fn sentences_above(lines: &[String], at: usize) -> usize {
    let above = lines[..at].iter().rev().take_while(|line| plain(line).starts_with('#')).count();
    let start = at - above;
    let heads = start == 0 || plain(&lines[start - 1]).is_empty();
    let own = if heads && start > 0 { above.saturating_sub(1) } else { above * usize::from(start > 0) };
    let about = |line: &&String| line.ends_with('.') && !STAY.iter().any(|stays| plain(line).starts_with(stays));
    lines[at - own..at].iter().rev().take_while(about).count()
}

/// The reason as a comment. Old releases read lines in pieces, and the piece after a long comment is no comment.
fn said(reason: &str) -> String {
    let harmless = |c: char| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c };
    let reason: String = reason.chars().map(harmless).collect();
    let reason = phrase::excerpt(&reason, LONGEST_REASON);
    // A backslash at the end of a line would join it to the next, also in a comment.
    format!("# Patched: {}.", reason.trim_end_matches(['\\', '.', ' ']))
}

/// Keys of the line of a pool or partition.
fn inside(lines: &mut Vec<String>, of: &str, start: &str, settings: &[&Setting], removals: &[&Removal]) {
    for at in (0..lines.len()).rev() {
        if address(&lines[at]) != Some(of) || !plain(&lines[at]).starts_with(start) {
            continue;
        }
        let (mut words, mut said_before) = (words(plain(&lines[at])), Vec::new());
        for reason in removals.iter().map(|removal| said(&removal.reason)).collect::<BTreeSet<String>>() {
            let of_it = |key: &str| removals.iter().any(|gone| gone.key == key && said(&gone.reason) == reason);
            let gone = |word: &String| word.split_once('=').is_some_and(|(key, _)| of_it(key));
            let left_out: Vec<String> = words.extract_if(.., |word| gone(word)).collect();
            if !left_out.is_empty() {
                said_before.push(format!("{reason} Left out: {}", left_out.join(" ")));
            }
        }
        for setting in settings {
            let taken: Vec<String> = words
                .iter()
                .filter(|word| word.split_once('=').is_some_and(|(key, _)| excludes(setting.key, key)))
                .cloned()
                .collect();
            words.retain(|word| !taken.contains(word));
            let ours = taken.first().and_then(|word| word.split_once('=')).map_or("", |(_, value)| value);
            let change = Change::of(setting, ours);
            words.push(format!("{}={}", setting.key, change.value));
            let instead = if taken.is_empty() { String::new() } else { change.instead(&taken.join(" ")) };
            let said = said(&setting.reason);
            said_before.push(format!("{said} {}.{instead}", setting.key));
        }
        said_before.push(marked(of, &words.join(" ")));
        lines.splice(at..=at, said_before);
    }
}

/// The words of a line; blanks between quotation marks do not part them.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        quoted ^= c == '"';
        if c == ' ' && !quoted {
            words.push(std::mem::take(&mut word));
        } else {
            word.push(c);
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// A resource on the lines of its pool.
fn on_nodes(lines: &mut Vec<String>, resource: &Resource) {
    let kind = resource.kind.as_ref().map_or(String::new(), |kind| format!(":{kind}"));
    let item = format!("{}{kind}:{}", resource.name, resource.count);
    for at in (0..lines.len()).rev() {
        if address(&lines[at]) != Some(resource.of.as_str()) || !plain(&lines[at]).starts_with("NodeName=") {
            continue;
        }
        let mut words = words(plain(&lines[at]));
        match words.iter_mut().find(|word| word.starts_with("Gres=")) {
            Some(word) => *word = format!("{word},{item}"),
            None => words.push(format!("Gres={item}")),
        }
        let comment = format!("{} {item}", said(&resource.reason));
        lines.splice(at..=at, [comment, marked(&resource.of, &words.join(" "))]);
    }
}

/// The names of resources among the types.
fn types(lines: &mut Vec<String>, resources: &[Resource]) {
    let names: BTreeSet<&str> = resources.iter().map(|resource| resource.name.as_str()).collect();
    let mut missing: Vec<&str> = names.into_iter().collect();
    match lines.iter_mut().find(|line| plain(line).starts_with("GresTypes=")) {
        Some(line) => {
            let there = plain(line).trim_start_matches("GresTypes=").to_string();
            missing.retain(|name| !there.split(',').any(|known| known == *name));
            missing.iter().for_each(|name| line.push_str(&format!(",{name}")));
        }
        None => {
            let first = lines.iter().position(|line| plain(line).starts_with("NodeName=")).unwrap_or(lines.len());
            lines.insert(first, format!("GresTypes={}", missing.join(",")));
        }
    }
}

/// The line of a resource in `gres.conf`.
fn devices(patches: &Patches, resource: &Resource) -> Vec<String> {
    let Some(hosts) = patches.hosts.get(&resource.of) else { return Vec::new() };
    let mut line = format!("NodeName={hosts} Name={}", resource.name);
    if let Some(kind) = &resource.kind {
        line.push_str(&format!(" Type={kind}"));
    }
    line.push_str(&format!(" Count={}", resource.count));
    resource.keys.iter().for_each(|(key, value)| line.push_str(&format!(" {key}={value}")));
    vec![said(&resource.reason), marked(&resource.address, &line)]
}
