//! Keys and values of older releases in the words of today.
//!
//! Parsers still know them, and refuse to start where one is set; what took their place is in the release notes and in
//! the parser's own messages.

use super::conf::Conf;
use super::entry::Pair;

/// A pair that says nothing any more, and what does.
pub type Obsolete = (Pair, String);

/// What becomes of a pair.
enum Fate {
    /// It is one of today.
    Stays,
    /// The same key with another value.
    Value(String),
    /// An item of the list that another key has.
    Item(&'static str, String),
    /// Another key, unless that one is there already.
    Key(&'static str, String),
    /// The same list without some of its items.
    Less(String, &'static str),
    /// Nothing says it any more.
    Gone(&'static str),
}

/// Takes the pairs of `slurm.conf` that no release reads any more out, and says what they said.
pub fn translate(conf: &mut Conf) {
    let mut kept: Vec<Pair> = Vec::new();
    let mut items: Vec<Pair> = Vec::new();
    let mut others: Vec<Pair> = Vec::new();
    for pair in std::mem::take(&mut conf.globals) {
        let (list, new) = match fate(&pair) {
            Fate::Stays => (&mut kept, pair),
            Fate::Value(value) => (&mut kept, Pair { value, ..pair }),
            Fate::Item(key, value) => (&mut items, instead(conf, pair, key, value)),
            Fate::Key(key, value) => (&mut others, instead(conf, pair, key, value)),
            Fate::Less(items, why) => {
                let left = without(&pair.value, &items);
                conf.obsolete.push((Pair { value: items, ..pair.clone() }, why.to_string()));
                (&mut kept, Pair { value: left, ..pair })
            }
            Fate::Gone(why) => {
                conf.obsolete.push((pair, why.to_string()));
                continue;
            }
        };
        list.push(new);
    }
    for other in others {
        if !kept.iter().any(|pair| pair.is(&other.key)) {
            kept.push(other);
        }
    }
    items.into_iter().for_each(|item| join(&mut kept, item));
    conf.globals = kept;
}

fn instead(conf: &mut Conf, old: Pair, key: &str, value: String) -> Pair {
    let new = Pair { key: key.to_string(), value, at: old.at };
    conf.obsolete.push((old, format!("`{key}={}` says it today", new.value)));
    new
}

/// A list without the items of another.
fn without(list: &str, items: &str) -> String {
    let stays = |one: &&str| !items.split(',').any(|item| item == *one);
    list.split(',').map(str::trim).filter(stays).collect::<Vec<_>>().join(",")
}

/// Adds an item to the list of a key.
fn join(kept: &mut Vec<Pair>, item: Pair) {
    match kept.iter_mut().rev().find(|pair| pair.is(&item.key)) {
        Some(pair) if pair.value.split(',').any(|one| one.eq_ignore_ascii_case(&item.value)) => {}
        Some(pair) => pair.value = format!("{},{}", pair.value, item.value),
        None => kept.push(item),
    }
}

fn fate(pair: &Pair) -> Fate {
    let value = pair.value.as_str();
    match pair.key.to_ascii_lowercase().as_str() {
        "fastschedule" if value == "2" => Fate::Item("SlurmdParameters", String::from("config_overrides")),
        "fastschedule" if value == "0" => Fate::Gone("the lines of nodes count now, not what the nodes report"),
        "fastschedule" => Fate::Gone("Slurm always does it that way now"),
        "accountingstorejobcomment" if value.eq_ignore_ascii_case("NO") => Fate::Gone("it is not stored unless told"),
        "accountingstorejobcomment" => Fate::Item("AccountingStoreFlags", String::from("job_comment")),
        "accountingstorageloc" => Fate::Gone("the name of the database is `StorageLoc` of slurmdbd.conf"),
        "sallocdefaultcommand" => Fate::Gone("`LaunchParameters=use_interactive_step` took its place"),
        "keepalivetime" => Fate::Item("CommunicationParameters", format!("keepalivetime={value}")),
        "cryptotype" => Fate::Key("CredType", value.replace("crypto/", "cred/")),
        "taskpluginparam" => task_parameters(value),
        "preemptmode" if value.eq_ignore_ascii_case("CHECKPOINT") => Fate::Gone("Slurm has no checkpoints any more"),
        "schedulerparameters" => changed(value, value.replace("max_job_bf=", "bf_max_job_test=")),
        "taskplugin" => changed(value, task_plugins(value)),
        "jobsubmitplugins" => changed(value, value.replace("job_submit/", "")),
        _ => Fate::Stays,
    }
}

fn changed(old: &str, new: String) -> Fate {
    if old == new { Fate::Stays } else { Fate::Value(new) }
}

/// Words of `TaskPluginParam` that every known release refuses.
fn task_parameters(list: &str) -> Fate {
    let gone = |one: &&str| ["Sched", "Cpusets", "Boards"].iter().any(|word| one.eq_ignore_ascii_case(word));
    let items: Vec<&str> = list.split(',').map(str::trim).collect();
    let gone: Vec<&str> = items.iter().copied().filter(gone).collect();
    let why = "no release that is known has it";
    match gone.len() {
        0 => Fate::Stays,
        all if all == items.len() => Fate::Gone(why),
        _ => Fate::Less(gone.join(","), why),
    }
}

/// Slurm takes `affinity` for `task/affinity`.
fn task_plugins(list: &str) -> String {
    let whole = |one: &str| if one.contains('/') { one.to_string() } else { format!("task/{one}") };
    list.split(',').map(str::trim).filter(|one| !one.is_empty()).map(whole).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::translate;
    use crate::base::span::Span;
    use crate::import::slurm::conf::Conf;
    use crate::import::slurm::entry::Pair;

    fn of(pairs: &[(&str, &str)]) -> (Vec<String>, usize) {
        let pair =
            |(key, value): &(&str, &str)| Pair { key: (*key).into(), value: (*value).into(), at: Span::DETACHED };
        let mut conf = Conf { globals: pairs.iter().map(pair).collect(), ..Conf::default() };
        translate(&mut conf);
        let shown = conf.globals.iter().map(|pair| format!("{}={}", pair.key, pair.value)).collect();
        (shown, conf.obsolete.len())
    }

    #[test]
    fn older_words_become_those_of_today() {
        for (old, new, gone) in [
            (&[("FastSchedule", "1")][..], &[][..], 1),
            (&[("fastschedule", "2")], &["SlurmdParameters=config_overrides"], 1),
            (
                &[("FastSchedule", "2"), ("SlurmdParameters", "l3cache_as_socket")],
                &["SlurmdParameters=l3cache_as_socket,config_overrides"],
                1,
            ),
            (&[("AccountingStoreJobComment", "YES")], &["AccountingStoreFlags=job_comment"], 1),
            (
                &[("AccountingStoreFlags", "job_comment"), ("AccountingStoreJobComment", "YES")],
                &["AccountingStoreFlags=job_comment"],
                1,
            ),
            (&[("CryptoType", "crypto/munge")], &["CredType=cred/munge"], 1),
            (&[("CredType", "cred/none"), ("CryptoType", "crypto/munge")], &["CredType=cred/none"], 1),
            (&[("TaskPlugin", "affinity,cgroup")], &["TaskPlugin=task/affinity,task/cgroup"], 0),
            (&[("TaskPluginParam", "Sched")], &[], 1),
            (&[("TaskPluginParam", "Sched,None")], &["TaskPluginParam=None"], 1),
            (&[("TaskPluginParam", "Cores")], &["TaskPluginParam=Cores"], 0),
            (
                &[("SchedulerParameters", "bf_window=9,max_job_bf=50")],
                &["SchedulerParameters=bf_window=9,bf_max_job_test=50"],
                0,
            ),
            (&[("KillWait", "30")], &["KillWait=30"], 0),
        ] {
            let wanted: Vec<String> = new.iter().map(|pair| (*pair).to_string()).collect();
            assert_eq!(of(old), (wanted, gone), "{old:?}");
        }
    }
}
