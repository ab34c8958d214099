//! The Kubernetes target: a tree for kustomize for each cluster with `scheduler = kubernetes`.
//!
//! ```text
//! kubernetes/<cluster>/kustomization.yaml   lists everything, pins the images
//! kubernetes/<cluster>/platform/            what is the cluster's, and workloads without a tenant
//! kubernetes/<cluster>/tenants/<tenant>/    a namespace, its bundle and its workloads
//! ```
//!
//! A workload is rendered by itself and put into the file of its kind; a file holds at most a hundred of them, so that
//! twenty thousand workloads become some hundreds of files.
//!
//! Absent on purpose: operators and queues. The manifests say which they need.

mod head;
mod jobs;
mod labels;
mod load;
mod namespace;
mod placement;
pub mod problems;
mod quote;
mod retrieval;
mod serving;
mod storage;
mod traffic;
mod version;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::model::Model;
use crate::model::decode::KeySource;
use crate::model::kinds::{Cluster, Kind};
use crate::model::words::{Metrics, Scheduler};
use crate::plan::Plan;
use crate::plan::cut::{Cut, How};

use super::Emitted;
use super::template::{Renderer, Templates, generated};

use head::Around;
use load::{Home, Load};
use namespace::Usage;
use traffic::Traffic;

/// Workloads in one file.
const CHUNK: usize = 100;

/// Writes every Kubernetes cluster.
pub fn emit(plan: &Plan<'_>, templates: &Templates) -> Emitted {
    let mut emitted = Emitted::default();
    let renderer = Renderer::new("kubernetes", quote::quote, plan, templates);
    for cluster in plan.model.tables.clusters.iter().filter(|cluster| cluster.scheduler == Scheduler::Kubernetes) {
        let tree = Tree::new(plan, &renderer, cluster, &mut emitted);
        tree.write(plan, cluster);
    }
    emitted.problems = problems::gathered(emitted.problems);
    emitted
}

/// The files of one cluster while they are written.
struct Tree<'t> {
    renderer: &'t Renderer,
    header: String,
    folder: String,
    resources: Vec<String>,
    images: BTreeSet<String>,
    needs: BTreeSet<Need>,
    emitted: &'t mut Emitted,
}

impl<'t> Tree<'t> {
    fn new(plan: &Plan<'_>, renderer: &'t Renderer, cluster: &Cluster, emitted: &'t mut Emitted) -> Tree<'t> {
        Tree {
            renderer,
            header: format!("# {}\n", generated(plan)),
            folder: format!("kubernetes/{}", plan.model.name(cluster.id)),
            resources: Vec::new(),
            images: BTreeSet::new(),
            needs: BTreeSet::new(),
            emitted,
        }
    }

    /// The passes, in order.
    fn write(mut self, plan: &Plan<'_>, cluster: &Cluster) {
        let model = &*plan.model;
        let Some(platform) = model.platform().map(|platform| model.name(platform.id)) else { return };
        self.check_version(model, cluster);
        let loads = load::loads(model, cluster, platform);
        self.emitted.problems.extend(load::collisions(model, &loads));
        let homes = load::homes(model, cluster, platform, &loads, &mut self.emitted.problems);
        let prometheus = model.tables.monitorings.iter().any(|one| one.metrics == Some(Metrics::Prometheus));
        let traffic = Traffic::new(model, platform, prometheus, &loads);
        let around = Around { model, cluster, platform, traffic };

        self.platform(&around, &loads, prometheus);
        for home in homes.values() {
            let own: Vec<&Load> = loads.iter().filter(|load| load.namespace == home.name).collect();
            self.home(plan, &around, home, &own, prometheus);
        }
        self.kustomization(&around, &loads);
    }

    fn check_version(&mut self, model: &Model<'_>, cluster: &Cluster) {
        if version::minor(&cluster.version.0).is_none() {
            let known = version::KNOWN_TEXT;
            self.emitted.problems.push(problems::version(model, cluster.id.block(), &cluster.version.0, known));
        }
    }

    /// What belongs to the whole cluster.
    fn platform(&mut self, around: &Around<'_>, loads: &[Load], prometheus: bool) {
        let model = around.model;
        let classes: BTreeSet<String> = loads.iter().map(|load| load::priority_class(model, load)).collect();
        let priorities: Vec<Priority> =
            PRIORITIES.iter().filter(|class| classes.contains(class.name)).cloned().collect();
        let view = Shared {
            address: model.address(around.cluster.id.block()),
            platform: around.platform,
            gateway: load::gateway(around.platform),
            pinned: version::pinned(&around.cluster.version.0),
            labels: head::own_labels(around.platform, "platform", around.platform, &labels::Common::default()),
            priorities,
            classes: storage::local_classes(model, around.cluster),
            flows: around.traffic.at_gateway(&mut self.emitted.problems),
            serving: loads.iter().any(|load| load.kind == Kind::Inference),
            retrieval: loads.iter().any(|load| load.kind == Kind::Retrieval),
        };
        if !view.priorities.is_empty() {
            self.render("platform/priorities.yaml", "priorities.yaml.j2", &view);
        }
        if !view.classes.is_empty() {
            self.render("platform/storage-classes.yaml", "storage-classes.yaml.j2", &view);
        }
        if !view.flows.is_empty() {
            self.needs.insert(Need::Gateway);
            self.render("platform/gateway.yaml", "gateway.yaml.j2", &view);
        }
        if prometheus {
            self.needs.insert(Need::Prometheus);
            self.render("platform/monitoring.yaml", "monitoring.yaml.j2", &view);
        }
    }

    /// A namespace with everything in it.
    fn home(&mut self, plan: &Plan<'_>, around: &Around<'_>, home: &Home, loads: &[&Load], prometheus: bool) {
        let mut usage = Usage::default();
        let mut texts: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for load in loads {
            let text = self.load(plan, around, home, load, prometheus, &mut usage);
            texts.entry(load.component).or_default().extend(text);
        }
        let pinned = version::pinned(&around.cluster.version.0);
        let problems = &mut self.emitted.problems;
        let view = namespace::view(around.model, home, around.platform, &pinned, &usage, problems);
        let claims = storage::claims(plan, loads, &mut self.emitted.problems);
        let contents = Contents { claims, secrets: self.secrets(around, loads), namespace: view };
        self.render(&format!("{}/namespace.yaml", home.folder), "namespace.yaml.j2", &contents.namespace);
        if !contents.claims.is_empty() {
            self.render(&format!("{}/claims.yaml", home.folder), "claims.yaml.j2", &contents);
        }
        if !contents.secrets.is_empty() {
            self.needs.insert(Need::Secrets);
            self.render(&format!("{}/secrets.yaml", home.folder), "secrets.yaml.j2", &contents);
        }
        for (component, texts) in texts {
            for (number, chunk) in (1..).zip(texts.chunks(CHUNK)) {
                let end = if number == 1 { String::new() } else { format!("-{number:03}") };
                self.add(format!("{}/{component}s{end}.yaml", home.folder), &chunk.concat());
            }
        }
    }

    /// The objects of one workload.
    fn load(
        &mut self,
        plan: &Plan<'_>,
        around: &Around<'_>,
        home: &Home,
        load: &Load,
        prometheus: bool,
        usage: &mut Usage,
    ) -> Option<String> {
        let problems = &mut self.emitted.problems;
        match load.kind {
            Kind::Inference => {
                let view = serving::view(around, plan, load, &home.common, prometheus, problems)?;
                let copies = view.autoscaler.as_ref().map_or(view.replicas.unwrap_or(1), |scaler| scaler.high);
                usage.add((copies + view.surge).saturating_mul(view.group), &view.resources);
                self.images.insert(view.image.clone());
                self.needs.extend((view.group > 1).then_some(Need::Groups));
                self.needs.extend(view.autoscaler.is_some().then_some(Need::Adapter));
                self.text(if view.group > 1 { "group.yaml.j2" } else { "inference.yaml.j2" }, &view)
            }
            Kind::Retrieval => {
                let view = retrieval::view(around, plan, load, &home.common, problems)?;
                usage.add(view.replicas, &view.resources);
                self.images.insert(view.image.clone());
                self.text("retrieval.yaml.j2", &view)
            }
            Kind::Training | Kind::Finetune => {
                let view = jobs::gang(around, plan, load, &home.common, problems)?;
                usage.add(view.node_count, &view.resources);
                self.images.insert(view.image.clone());
                self.needs.insert(Need::JobSet);
                self.text("jobset.yaml.j2", &view)
            }
            _ => {
                let view = jobs::preparation(around, plan, load, &home.common, problems)?;
                usage.add(view.node_count, &view.resources);
                self.images.insert(view.image.clone());
                self.text("job.yaml.j2", &view)
            }
        }
    }

    /// References to the secrets that a namespace's workloads read; their values stay where they are.
    fn secrets(&mut self, around: &Around<'_>, loads: &[&Load]) -> Vec<SecretView> {
        let model = around.model;
        let mut found = BTreeMap::new();
        for secret in loads.iter().flat_map(|load| around.secrets(load)) {
            let id = secret.id.block();
            let KeySource::Vault(path) = &secret.from else {
                let what = "a secret that is not in a vault";
                let help = "make a Secret of this name in the namespace, or move it to a vault";
                self.emitted.problems.push(problems::not_written(model, id, "from", what, help));
                continue;
            };
            let name = model.name(secret.id).to_string();
            let view = SecretView { address: model.address(id), name: name.clone(), path: path.to_string() };
            found.insert(name, view);
        }
        found.into_values().collect()
    }

    /// The list of everything, and the images to pin.
    fn kustomization(&mut self, around: &Around<'_>, loads: &[Load]) {
        let model = around.model;
        let mut resources = std::mem::take(&mut self.resources);
        resources.sort();
        let registry = model.tables.stacks.iter().find_map(|stack| stack.registry.clone());
        let images: Vec<Image> = self.images.iter().filter_map(|image| Image::of(image, registry.as_deref())).collect();
        let cluster = around.cluster.id.block();
        if !images.is_empty() {
            let names: Vec<&str> = images.iter().map(|image| image.name.as_str()).collect();
            let shown = crate::base::phrase::all_of(names.iter().take(5));
            let message = format!("images of `{}` have no tag or digest yet: {shown}", model.address(cluster));
            let help = "pin each with a digest in an overlay over this kustomization; until then no pod starts";
            self.emitted.problems.push(problems::to_provide(model, cluster, message, help));
        }
        for need in &self.needs {
            let (what, help) = need.words();
            let message = format!("`{}` must bring along {what}", model.address(cluster));
            self.emitted.problems.push(problems::to_provide(model, cluster, message, help));
        }
        for pool in around.cluster.pools.iter().filter(|pool| loads.iter().any(|load| load.pool == **pool)) {
            let Ok(cut) = Cut::of(model, *pool) else { continue };
            let address = model.address(pool.block());
            let message = format!("`{}` must divide the GPUs of `{address}`", model.address(cluster));
            let help = match &cut.how {
                How::Whole => continue,
                How::Mig(profile) => format!(
                    "run the GPU operator with the MIG strategy `mixed` and label the pool's nodes \
                     `nvidia.com/mig.config=all-{profile}`"
                ),
                How::Shares => format!(
                    "run the device plugin on the pool's nodes with `sharing.timeSlicing`: `replicas: {}` of \
                     `nvidia.com/gpu`, `renameByDefault: true`, `failRequestsGreaterThanOne: true`",
                    cut.parts
                ),
            };
            self.emitted.problems.push(problems::to_provide(model, pool.block(), message, &help));
        }
        let pools: BTreeSet<&str> = loads.iter().map(|load| model.name(load.pool)).collect();
        let view = Kustomization {
            address: model.address(cluster),
            resources: &resources,
            images: &images,
            pools: pools.into_iter().collect(),
        };
        let path = format!("{}/kustomization.yaml", self.folder);
        if let Some(text) = self.text("kustomization.yaml.j2", &view) {
            self.emitted.files.add_text(path, &format!("{}{text}", self.header));
        }
    }

    fn render(&mut self, path: &str, template: &str, view: &impl Serialize) {
        if let Some(text) = self.text(template, view) {
            self.add(path.to_string(), &text);
        }
    }

    fn text(&mut self, template: &str, view: &impl Serialize) -> Option<String> {
        self.renderer.render(template, view).map_err(|problem| self.emitted.problems.push(*problem)).ok()
    }

    fn add(&mut self, path: String, text: &str) {
        self.emitted.files.add_text(format!("{}/{path}", self.folder), &format!("{}{text}", self.header));
        self.resources.push(path);
    }
}

/// What manifests refer to and do not make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    Gateway,
    Prometheus,
    Adapter,
    Secrets,
    JobSet,
    Groups,
}

impl Need {
    /// What it is, and what to do.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Need::Gateway => (
                "a gateway that ends TLS and asks who is calling",
                "run it in the gateway namespace, on the ports of the flows, and keep the callers' addresses",
            ),
            Need::Prometheus => (
                "the Prometheus operator, and the GPU exporter",
                "run them in the namespace `monitoring`, and let Prometheus select monitors of all namespaces",
            ),
            Need::Adapter => (
                "an adapter for custom metrics",
                "let it serve `vllm:num_requests_running` of pods as `vllm_num_requests_running`",
            ),
            Need::Secrets => (
                "the External Secrets operator",
                "give it a ClusterSecretStore `vault` that reads the paths of the secrets",
            ),
            Need::JobSet => ("the JobSet controller", "install it before the manifests are applied"),
            Need::Groups => ("the LeaderWorkerSet controller", "install it before the manifests are applied"),
        }
    }
}

/// A class of priority.
#[derive(Debug, Clone, Serialize)]
struct Priority {
    name: &'static str,
    value: u32,
    preempts: bool,
    description: &'static str,
}

/// What answers goes before what can wait; within each, tenants by their priority.
const PRIORITIES: &[Priority] = &[
    Priority { name: "batch-high", value: 10_000, preempts: true, description: "runs of tenants that go first" },
    Priority { name: "batch-low", value: 100, preempts: false, description: "runs of tenants that can wait" },
    Priority { name: "batch-normal", value: 1_000, preempts: false, description: "runs as a rule" },
    Priority { name: "serving-high", value: 120_000, preempts: true, description: "services of tenants that go first" },
    Priority { name: "serving-low", value: 80_000, preempts: true, description: "services of tenants that can wait" },
    Priority { name: "serving-normal", value: 100_000, preempts: true, description: "services as a rule" },
];

/// What the templates of `platform/` show.
#[derive(Serialize)]
struct Shared<'p> {
    address: String,
    platform: &'p str,
    gateway: String,
    pinned: String,
    labels: Vec<labels::Pair>,
    priorities: Vec<Priority>,
    classes: Vec<labels::Pair>,
    flows: Vec<traffic::GatewayFlow>,
    serving: bool,
    retrieval: bool,
}

/// What the templates of a namespace's shared objects show.
#[derive(Serialize)]
struct Contents {
    namespace: namespace::Namespace,
    claims: Vec<storage::Claim>,
    secrets: Vec<SecretView>,
}

/// Where a secret is.
#[derive(Serialize)]
struct SecretView {
    address: String,
    name: String,
    path: String,
}

/// An image and where it comes from.
#[derive(Serialize)]
struct Image {
    name: String,
    new_name: String,
    tag: String,
}

impl Image {
    /// An image that comes from the registry inside, where there is one.
    fn of(image: &str, registry: Option<&str>) -> Option<Image> {
        let (name, tag) = image.rsplit_once(':')?;
        let short = name.strip_prefix("docker.io/").unwrap_or(name);
        let new_name = registry.map_or_else(|| name.to_string(), |registry| format!("{registry}/{short}"));
        Some(Image { name: name.to_string(), new_name, tag: tag.to_string() })
    }
}

/// What the template of the kustomization shows.
#[derive(Serialize)]
struct Kustomization<'t> {
    address: String,
    resources: &'t [String],
    images: &'t [Image],
    pools: Vec<&'t str>,
}
