//! What is patched on the line of nodes, held against the nodes.

use crate::base::{hosts, phrase};

use super::super::machine::Machine;
use super::Setting;
use super::form::digits;

/// Why a value cannot be true of the nodes, if it cannot.
pub fn refusal(machine: &Machine, one: &Setting, all: &[&Setting]) -> Option<String> {
    let memory = |key: &str, ours: u64| {
        all.iter().find(|other| other.key == key).map_or(Some(ours), |other| digits(&other.value))
    };
    match one.key {
        "NodeHostname" | "NodeAddr" | "BcastAddr" => named(machine.names.len(), &one.value),
        "Port" => ports(machine.names.len(), &one.value),
        "CoreSpecCount" => {
            let none_left = digits(&one.value).is_some_and(|count| count >= machine.cores());
            none_left.then(|| format!("a node has {}, and jobs need one", phrase::count(machine.cores(), "core")))
        }
        "CPUs" | "Procs" => {
            let fits = digits(&one.value).is_none_or(|count| [machine.cores(), machine.cpus()].contains(&count));
            (!fits).then(|| {
                let cores = phrase::count(machine.cores(), "core");
                format!("a node has {cores} and {}", phrase::count(machine.cpus(), "thread"))
            })
        }
        "RealMemory" | "MemSpecLimit" => {
            let whole = memory("RealMemory", machine.real_memory)?;
            let system = memory("MemSpecLimit", machine.system_memory)?;
            (system > 0 && whole <= system)
                .then(|| format!("of {whole} MiB the system keeps {system} MiB, and jobs need some"))
        }
        _ => None,
    }
}

/// One port for all nodes, or one for each.
fn ports(nodes: usize, list: &str) -> Option<String> {
    let list = if list.contains('[') { list.to_string() } else { format!("[{list}]") };
    match hosts::unfold(&list) {
        Ok(ports) if ports.len() == 1 || ports.len() == nodes => None,
        Ok(ports) => {
            let ports = phrase::count(ports.len() as u64, "port");
            Some(format!("it is {ports}, and the pool has {}", phrase::count(nodes as u64, "node")))
        }
        Err(_) => Some(String::from("it is neither a port nor a range of ports")),
    }
}

fn named(nodes: usize, list: &str) -> Option<String> {
    let named = hosts::unfold(list).ok()?.len();
    (named != nodes).then(|| {
        let named = phrase::count(named as u64, "host");
        format!("it names {named}, and the pool has {}", phrase::count(nodes as u64, "node"))
    })
}
