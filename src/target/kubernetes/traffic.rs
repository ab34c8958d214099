//! From flows to network policies: what no flow says is refused.

use std::collections::HashMap;

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::decode::Endpoint;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Flow, Kind, Network, Pool, Retrieval, Site, Storage, Tenant};
use crate::model::words::{Auth, Tls, VectorEngine};

use super::labels::Pair;
use super::load::{self, Load};
use super::problems;

/// The port that engines answer on.
pub const SERVING_PORT: u16 = 8000;

/// Addresses that are nobody's on the internet.
const PRIVATE: &[&str] = &["10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"];

/// Who may be spoken to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Peer {
    /// Addresses.
    pub cidr: Option<String>,
    /// Addresses among these that are not meant.
    pub except: Vec<&'static str>,
    /// A namespace.
    pub namespace: Option<String>,
    /// Labels of pods in it; all of them without any.
    pub pods: Vec<Pair>,
}

/// A port of a policy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PolicyPort {
    /// `TCP` or `UDP`.
    pub protocol: &'static str,
    /// Its number on the pod.
    pub port: u16,
}

/// Some peers on some ports; any port without one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rule {
    /// Who.
    pub peers: Vec<Peer>,
    /// On which ports.
    pub ports: Vec<PolicyPort>,
}

/// What may reach a workload, and what it may reach.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Policy {
    /// Who may come in.
    pub ingress: Vec<Rule>,
    /// Where it may go, names and addresses aside.
    pub egress: Vec<Rule>,
    /// Ports that callers inside the network use beside the workload's own.
    pub extra_ports: Vec<u16>,
}

/// A flow that a gateway ends: it holds the certificate and asks who is calling.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GatewayFlow {
    /// The flow's address.
    pub address: String,
    /// Its name.
    pub name: String,
    /// Who calls, on which ports of the gateway.
    pub ingress: Rule,
    /// What is behind.
    pub egress: Rule,
}

/// Every flow of the model, by its ends.
pub struct Traffic<'p> {
    model: &'p Model<'p>,
    gateway: String,
    prometheus: bool,
    to: HashMap<BlockId, Vec<&'p Flow>>,
    from: HashMap<BlockId, Vec<&'p Flow>>,
    users: HashMap<BlockId, Vec<BlockId>>,
    loads: HashMap<BlockId, &'p Load>,
}

impl<'p> Traffic<'p> {
    /// Indexes the flows.
    pub fn new(model: &'p Model<'p>, platform: &str, prometheus: bool, loads: &'p [Load]) -> Traffic<'p> {
        let (mut to, mut from): (HashMap<_, Vec<&Flow>>, HashMap<_, Vec<&Flow>>) = Default::default();
        let mut users: HashMap<BlockId, Vec<BlockId>> = HashMap::new();
        for flow in &model.tables.flows {
            if let Endpoint::Block(block) = flow.to {
                to.entry(block).or_default().push(flow);
            }
            if let Endpoint::Block(block) = flow.from {
                from.entry(block).or_default().push(flow);
            }
        }
        for inference in &model.tables.inferences {
            for used in &inference.uses {
                users.entry(used.block).or_default().push(inference.id.block());
            }
        }
        let loads = loads.iter().map(|load| (load.id, load)).collect();
        Traffic { model, gateway: load::gateway(platform), prometheus, to, from, users, loads }
    }

    /// What the policy of a workload says.
    pub fn policy(&self, load: &Load, problems: &mut Vec<Diagnostic>) -> Policy {
        let own = policy_ports(&ports_of(self.model, load.id));
        let mut policy = Policy::default();
        let flows = self.to.get(&load.id).map_or(&[][..], Vec::as_slice);
        if flows.iter().any(|flow| self.ends_at_gateway(flow)) {
            policy.ingress.push(Rule { peers: vec![namespace(&self.gateway)], ports: own.clone() });
        }
        for flow in flows.iter().filter(|flow| !self.ends_at_gateway(flow)) {
            let peers = self.peers(flow, flow.from, problems);
            if !peers.is_empty() {
                let ports = if own.is_empty() { flow_ports(flow) } else { own.clone() };
                policy.ingress.push(Rule { peers, ports });
            }
            policy.extra_ports.extend(flow.ports.iter().filter(|port| port.tcp).map(|port| port.number));
        }
        let known: Vec<u16> = own.iter().map(|port| port.port).collect();
        policy.extra_ports.retain(|port| !known.contains(port));
        policy.extra_ports.sort_unstable();
        policy.extra_ports.dedup();
        for user in self.users.get(&load.id).into_iter().flatten().filter_map(|user| self.loads.get(user)) {
            policy.ingress.push(Rule { peers: vec![pods(user)], ports: own.clone() });
        }
        if self.prometheus && !load.ends() {
            let metrics = own.iter().take(1).cloned().collect();
            policy.ingress.push(Rule { peers: vec![namespace(load::MONITORING)], ports: metrics });
        }
        policy.egress = self.ways_out(load, problems);
        policy
    }

    fn ways_out(&self, load: &Load, problems: &mut Vec<Diagnostic>) -> Vec<Rule> {
        let mut rules = Vec::new();
        for flow in self.from.get(&load.id).into_iter().flatten() {
            let ports = match flow.to {
                Endpoint::Block(to) if self.loads.contains_key(&to) => policy_ports(&ports_of(self.model, to)),
                Endpoint::Block(_) | Endpoint::Internet => flow_ports(flow),
            };
            let peers = self.peers(flow, flow.to, problems);
            if !peers.is_empty() {
                rules.push(Rule { peers, ports });
            }
        }
        if let Some(inference) = self.model.typed::<crate::model::kinds::Inference>(load.id) {
            for used in &inference.uses {
                let ports = policy_ports(&ports_of(self.model, used.block));
                match self.loads.get(&used.block) {
                    Some(used) => rules.push(Rule { peers: vec![pods(used)], ports }),
                    None => problems.push(self.unreachable(load, used.block)),
                }
            }
        }
        rules
    }

    fn unreachable(&self, load: &Load, used: BlockId) -> Diagnostic {
        let what = format!("the way to `{}`, which is in no pool of this cluster,", self.model.address(used));
        let help = "write a `flow` to it, or run both in one cluster";
        problems::not_written(self.model, load.id, "uses", &what, help)
    }

    /// True for traffic from outside whose caller must prove who it is, or that must be wrapped: no engine does that.
    fn ends_at_gateway(&self, flow: &Flow) -> bool {
        let inside = matches!(flow.from, Endpoint::Block(block) if self.loads.contains_key(&block));
        let proves = matches!(flow.auth, Some(Auth::Oidc | Auth::Mtls | Auth::ApiKey));
        !inside && (proves || flow.tls == Some(Tls::Required))
    }

    /// The flows that end at the gateway and lead to a workload of the cluster, by name.
    pub fn at_gateway(&self, problems: &mut Vec<Diagnostic>) -> Vec<GatewayFlow> {
        let mut flows: Vec<GatewayFlow> = Vec::new();
        for flow in self.model.tables.flows.iter().filter(|flow| self.ends_at_gateway(flow)) {
            let Endpoint::Block(to) = flow.to else { continue };
            let Some(load) = self.loads.get(&to) else { continue };
            // A balancer before the gateway may have an address of our own, so nothing is taken out of the internet.
            let from = match flow.from {
                Endpoint::Internet => vec![Peer { cidr: Some(String::from("0.0.0.0/0")), ..Peer::default() }],
                Endpoint::Block(_) => self.peers(flow, flow.from, problems),
            };
            if from.is_empty() {
                continue;
            }
            flows.push(GatewayFlow {
                address: self.model.address(flow.id.block()),
                name: self.model.name(flow.id).to_string(),
                ingress: Rule { peers: from, ports: flow_ports(flow) },
                egress: Rule { peers: vec![pods(load)], ports: policy_ports(&ports_of(self.model, to)) },
            });
        }
        flows.sort_by(|a, b| a.name.cmp(&b.name));
        flows
    }

    /// Who an end of a flow is; a problem when nobody knows its addresses.
    fn peers(&self, flow: &Flow, end: Endpoint, problems: &mut Vec<Diagnostic>) -> Vec<Peer> {
        let peers = match end {
            Endpoint::Internet => vec![internet()],
            Endpoint::Block(block) => self.block_peers(block),
        };
        if let (true, Endpoint::Block(block)) = (peers.is_empty(), end) {
            let what = format!("the address of `{}`", self.model.address(block));
            let help = "declare a `network` with a `cidr` at its site, or name the network itself";
            problems.push(problems::not_written(self.model, flow.id.block(), "from", &what, help));
        }
        peers
    }

    fn block_peers(&self, block: BlockId) -> Vec<Peer> {
        let model = self.model;
        if let Some(load) = self.loads.get(&block) {
            return vec![pods(load)];
        }
        match model.block(block).kind {
            Kind::Network => model.typed::<Network>(block).map(addresses).into_iter().collect(),
            Kind::Tenant => {
                let of_tenant = |load: &&&Load| load.tenant == model.as_id::<Tenant>(block);
                let found = self.loads.values().find(of_tenant);
                found.map(|load| namespace(&load.namespace)).into_iter().collect()
            }
            Kind::Site => model.as_id::<Site>(block).map_or(Vec::new(), |site| self.site_peers(site)),
            Kind::Pool => model.typed::<Pool>(block).map_or(Vec::new(), |pool| self.site_peers(pool.site)),
            Kind::Storage => model.typed::<Storage>(block).map_or(Vec::new(), |storage| self.site_peers(storage.site)),
            _ => Vec::new(),
        }
    }

    fn site_peers(&self, site: Id<Site>) -> Vec<Peer> {
        self.model.tables.networks.iter().filter(|network| network.site == site).map(addresses).collect()
    }
}

fn addresses(network: &Network) -> Peer {
    Peer { cidr: Some(network.cidr.0.to_string()), ..Peer::default() }
}

fn internet() -> Peer {
    Peer { cidr: Some(String::from("0.0.0.0/0")), except: PRIVATE.to_vec(), ..Peer::default() }
}

fn namespace(name: &str) -> Peer {
    Peer { namespace: Some(name.to_string()), ..Peer::default() }
}

fn pods(load: &Load) -> Peer {
    Peer { namespace: Some(load.namespace.clone()), pods: load.selector(), ..Peer::default() }
}

/// The ports that a workload answers on.
pub fn ports_of(model: &Model<'_>, id: BlockId) -> Vec<u16> {
    match model.block(id).kind {
        Kind::Inference => vec![SERVING_PORT],
        Kind::Retrieval => match model.typed::<Retrieval>(id).map(|retrieval| retrieval.engine) {
            Some(VectorEngine::Qdrant) => vec![6333, 6334],
            Some(VectorEngine::Milvus) => vec![19530],
            Some(VectorEngine::Pgvector) => vec![5432],
            Some(VectorEngine::Opensearch) => vec![9200],
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn policy_ports(ports: &[u16]) -> Vec<PolicyPort> {
    ports.iter().map(|&port| PolicyPort { protocol: "TCP", port }).collect()
}

fn flow_ports(flow: &Flow) -> Vec<PolicyPort> {
    let protocol = |tcp| if tcp { "TCP" } else { "UDP" };
    flow.ports.iter().map(|port| PolicyPort { protocol: protocol(port.tcp), port: port.number }).collect()
}
