//! Codes of outputs (6xxx).

use crate::base::code::codes;
use crate::base::diagnostic::Diagnostic;

codes! {
    /// # A template does not render
    ///
    /// A template that is shipped always renders; one from `--templates` has an error at the place shown.
    TEMPLATE = 6001;
    /// # A text that the output cannot carry
    ///
    /// Slurm's tokens cannot contain blanks, commas, quotes, `#` or other characters than ASCII. Titles and descriptions
    /// go where they fit; a name or address that must be a token has to be one.
    NOT_A_TOKEN = 6002;
    /// # The outputs disagree
    ///
    /// The nodes of a pool in the bill, in Slurm and in Terraform, and its GPUs in Slurm's Gres, are counted again in what
    /// was written and held against the plan. A difference is a bug of the compiler or of a template from
    /// `--templates`; nothing is written.
    DISAGREEMENT = 6003;
    /// # A release of Slurm whose keys are not known
    ///
    /// Keys come and go with releases, and a key that a release does not know stops its daemons. The version of a
    /// cluster with `scheduler = slurm` begins with the year and month of a known release: `25.11`, `25.11.2`.
    SLURM_VERSION = 6041;
    /// # A Slurm cluster without controllers
    ///
    /// `slurm.conf` names the hosts that control the cluster. `control = pool.x` gives them: the first one or two nodes
    /// of that pool. A service of a cloud that hides its controllers writes its own configuration.
    SLURM_CONTROL = 6042;
    /// # A fact that Slurm needs is not known
    ///
    /// Slurm drains a node that has fewer sockets, cores, threads or memory than its line says. Where the catalogue
    /// does not know them, they are written in a `server` block; they are never guessed.
    SLURM_UNKNOWN_FACT = 6044;
    /// # A name that means something else to Slurm
    ///
    /// A partition called `default` would set the defaults of all partitions, and an account called `root` is there
    /// from the start.
    SLURM_RESERVED = 6045;
    /// # Nodes that no partition holds
    ///
    /// Jobs run in partitions; nodes outside of them are idle for ever, and `sinfo` does not show them.
    SLURM_NO_PARTITION = 6046;
    /// # Suspended jobs keep their GPUs
    ///
    /// Slurm stops a suspended job but gives neither its GPUs nor its memory to another. On nodes with GPUs, `requeue`
    /// and `cancel` make room; `suspend` does not.
    SLURM_SUSPEND = 6047;
    /// # A partition with nodes of another cluster
    ///
    /// A partition holds nodes of its own cluster; with others the controller does not start.
    SLURM_FOREIGN_POOL = 6048;
    /// # A job that does not divide over its nodes
    ///
    /// Each node of a job gives as many GPUs as the others. A number of GPUs that does not divide by the number of nodes
    /// takes all GPUs of its nodes.
    SLURM_UNEVEN_JOB = 6049;
    /// # More nodes than Slurm counts
    ///
    /// A range of hosts has at most 65,536 of them.
    SLURM_TOO_MANY = 6050;
    /// # A key that cannot be patched
    ///
    /// `patch slurm` passes keys on that the release of the cluster reads on that line of that file, spelt as Slurm
    /// spells them. A key of another file or line, of another release, or one that nobody knows would stop a daemon.
    SLURM_PATCH_KEY = 6061;
    /// # A key that is said elsewhere
    ///
    /// Some keys follow from the source: hosts from pools, sockets from servers, controllers from `control`. A patch
    /// of one would make Slurm disagree with the bill and the other outputs.
    SLURM_PATCH_OWNED = 6062;
    /// # A patch whose text cannot be passed on
    ///
    /// A value in Slurm's files is printable ASCII without `#`, `"` and backslashes, on one line. Where the key takes
    /// a number, a time, a port, hosts, yes or no, it is one; a plugin is one of the release; what is said of nodes is
    /// true of them. A value takes the place of the generated one, and a list must keep what other files need of it:
    /// one that begins with `+` is added to what is there, items taking the place of those with the same name
    /// (`SchedulerParameters = "+bf_max_job_test=5000,defer"`). Keys on which slurmctld and slurmdbd agree, such as
    /// `AuthType`, follow each other; patched both, they say the same. A patch gives its reason.
    SLURM_PATCH_VALUE = 6063;
    /// # A patch that nothing reads
    ///
    /// `patch slurm` stands in a cluster with `scheduler = slurm`, in a partition of it or in one of its pools. Keys of
    /// `cgroup.conf` and `slurmdbd.conf` belong into the cluster, resources into a pool.
    SLURM_PATCH_PLACE = 6064;
    /// # A key that cannot be left out
    ///
    /// `remove = ["MpiDefault"]` in a patch takes keys out that are written otherwise. Some of them the other files or
    /// lines need: who is trusted, where accounts are kept, what partitions weigh, how rented nodes come and go.
    SLURM_PATCH_NEEDED = 6065;
    /// # A key that is not there
    ///
    /// `remove` in a patch names a key that the release knows, and nothing writes it there.
    SLURM_PATCH_NOTHING = 6066;
    /// # A topology that is no tree
    ///
    /// `topology NAME { … }` in the patch of a cluster is a switch: `Nodes` are below it, or `Switches`. Every node is one
    /// of the cluster and below one switch, every switch is below one other, and one of them is above all.
    SLURM_PATCH_TREE = 6067;
    /// # A default that no node has
    ///
    /// `DefCpuPerGPU`, `DefMemPerGPU` or `DefMemPerCPU` is patched to so much that a job with all GPUs or CPUs of a node
    /// does not fit on it: Slurm refuses the job, or it waits for ever.
    SLURM_PATCH_BEYOND = 6068;
    /// # A Slurm file that cannot be read
    ///
    /// `aipc import slurm` reads what Slurm reads: lines of `Key=value`, comments, lines joined by a backslash, included
    /// files, lists of hosts such as `n[001-064]`. Slurm would not start on this either.
    SLURM_IMPORT_UNREADABLE = 6071;
    /// # More than an import reads
    ///
    /// Lines, lists of hosts and files that include each other are read up to a size that no cluster has.
    SLURM_IMPORT_LIMIT = 6072;
    /// # A placement that this Slurm does not know
    ///
    /// Releases before 24.05 cannot keep a switch or block for one job; a newer `version` can.
    SLURM_EXCLUSIVE = 6051;
    /// # Controllers of two Slurm clusters
    ///
    /// Each cluster's controllers have the same ports, folders and file names: two clusters on the same hosts overwrite
    /// each other's state.
    SLURM_SHARED_CONTROL = 6052;
    /// # A job that its queue refuses
    ///
    /// A partition takes jobs up to its `max_nodes`, and where all its nodes are for one tenant, those of that tenant.
    /// A workload that asks for more cannot be submitted there.
    SLURM_REFUSED_JOB = 6053;
    /// # Nodes of a tenant in a partition for others
    ///
    /// Slurm's partitions decide who may use a node. A partition of nodes that are for one tenant alone takes its
    /// account only; with other nodes beside them it has to take everybody.
    SLURM_OPEN_NODES = 6054;
    /// # A number beyond what Slurm counts
    ///
    /// Times of partitions are a minute to a thousand years; a partition without `max_time` has no limit. Tiers end at
    /// 65,533, CPUs of a node at 65,535, nodes of a job and seconds of grace at 4,294,967,294.
    SLURM_RANGE = 6055;
    /// # Several ways to give way
    ///
    /// Where tenants make room for each other (`preempt_by = tenant`), one way holds for the whole cluster: partitions
    /// cannot differ in `preempt`.
    SLURM_MIXED_PREEMPTION = 6056;
    /// # A topology plugin without its file
    ///
    /// `TopologyPlugin` is patched to one that reads switches or blocks from a file, and nothing says which there are:
    /// slurmctld does not start. Switches come from a `fabric` that connects the pools, or from `topology` blocks in the
    /// patch; blocks come from servers whose NVLink domains are larger than a node.
    SLURM_NO_TOPOLOGY = 6069;
    /// # A Slurm cluster without nodes
    ///
    /// slurmctld starts with one node or more, and jobs reach nodes through partitions. A pool may have none as long as
    /// another of the cluster, in one of its partitions, has some.
    SLURM_NO_NODES = 6057;
    /// # Not in Terraform
    ///
    /// The Terraform target makes networks, EKS clusters, keys and buckets at AWS sites, and the NetBox inventory of rooms
    /// of our own. Whatever else the source asks for is named here, so that somebody makes it another way.
    NOT_IN_TERRAFORM = 6020;
    /// # A tag that is not the text
    ///
    /// AWS takes letters, digits, blanks and `+ - = . _ : / @` in tags, at most 256 of them. Any other text becomes a slug
    /// with a piece of its digest.
    TAG_SLUG = 6021;
    /// # A site of a cloud without its region
    ///
    /// Everything at a cloud site is made in one region, so the site must name it: `region = "eu-north-1"`.
    NO_REGION = 6022;
    /// # A default that Terraform needs
    ///
    /// Something that Terraform cannot do without is not in the source. The layer has a variable for it, with a default
    /// that can be replaced, or without one where no default would be safe.
    TERRAFORM_DEFAULT = 6023;
    /// # A text is too long for a cell
    ///
    /// A cell of a workbook holds 32,767 characters. The text is cut there in `bom.xlsx`, and the cell says so;
    /// `bom.csv` and `bom.json` have all of it.
    TEXT_CUT = 6401;
    /// # The workbook cannot be written
    ///
    /// A sheet holds 1,048,576 rows. A bill with more lines than that is no bill that somebody sends out; `plan.json`
    /// has its figures.
    WORKBOOK = 6402;
    /// # A generated file was edited
    ///
    /// `build` owns the files that its manifest lists. One of them is no longer what was written, and building would
    /// lose the edit. Move the change into the package (or a `patch` block), or give `--force` to lose it.
    EDITED = 6090;
    /// # A foreign file is in the way
    ///
    /// Something stands where `build` has to write, and it was not written by it. Move it, choose another `--out`, or
    /// give `--force` to replace a file. Folders and what lies behind links are never replaced.
    IN_THE_WAY = 6091;
    /// # The manifest cannot be read
    ///
    /// `OUT/.aipc/manifest.json` says which files `build` owns. Without it nothing can be said of them. Restore it, or
    /// remove the output folder and build again.
    MANIFEST = 6092;
}

/// A template that does not render.
pub fn template(name: &str, why: &str) -> Diagnostic {
    Diagnostic::error(TEMPLATE, format!("the template `{name}` does not render: {why}"))
}

/// A count in a file that is not the plan's.
pub fn disagreement(path: &str, address: &str, what: &str, written: u64, planned: u64) -> Diagnostic {
    let message = format!("`{path}` has {written} {what} for `{address}`, the plan has {planned}");
    Diagnostic::error(DISAGREEMENT, message)
        .help("check the templates given with `--templates`; without them this is a bug of the compiler")
        .about(address)
}

/// A text that must be a token of Slurm and cannot be.
pub fn not_a_token(address: &str, text: &str, why: &str) -> Diagnostic {
    let shown = crate::base::phrase::excerpt(text, 60);
    Diagnostic::error(NOT_A_TOKEN, format!("`{shown}` of `{address}` cannot stand in a Slurm file: {why}"))
        .about(address)
}

/// Something that the Terraform target does not write.
pub fn not_in_terraform(address: &str, why: &str) -> Diagnostic {
    Diagnostic::warning(NOT_IN_TERRAFORM, format!("`{address}` is not in Terraform: {why}"))
        .help("make it by hand or in a layer of its own beside the generated ones")
        .about(address)
}

/// A text that AWS does not take as a tag.
pub fn tag_slug(address: &str, text: &str, slug: &str) -> Diagnostic {
    let shown = crate::base::phrase::excerpt(text, 60);
    Diagnostic::note(TAG_SLUG, format!("AWS takes no tag `{shown}`; on what `{address}` makes it is `{slug}`"))
        .about(address)
}

/// A cloud site that does not say its region.
pub fn no_region(address: &str) -> Diagnostic {
    Diagnostic::error(NO_REGION, format!("`{address}` has no region, so nothing can be made there"))
        .help("add the region that the provider names it by: `region = \"eu-north-1\"`")
        .about(address)
}

/// A value that Terraform needs and the source does not have.
pub fn terraform_default(address: &str, what: &str, help: &str) -> Diagnostic {
    Diagnostic::note(TERRAFORM_DEFAULT, format!("`{address}`: {what}")).help(help).about(address)
}

/// A text that is longer than a cell of a workbook.
pub fn text_cut(cell: &str, limit: usize) -> Diagnostic {
    let limit = crate::base::quantity::group(&limit.to_string());
    Diagnostic::warning(TEXT_CUT, format!("the text of `{cell}` in `bom.xlsx` is cut, a cell holds {limit} characters"))
        .help("`bom.json` has all of it; shorten the text to have it in the workbook")
}

/// A workbook that the library refuses.
pub fn workbook(why: &str) -> Diagnostic {
    Diagnostic::error(WORKBOOK, format!("`bom.xlsx` cannot be written: {why}"))
        .help("leave the target out with `--target`, or split the platform")
}

/// A listed file that is not what was written.
pub fn edited(path: &str) -> Diagnostic {
    Diagnostic::error(EDITED, format!("`{path}` was edited after it was generated"))
        .help("move the change into the package, or give `--force` to lose it")
}

/// A foreign file where one has to be written.
pub fn in_the_way(path: &str) -> Diagnostic {
    Diagnostic::error(IN_THE_WAY, format!("`{path}` is in the way: it was not written by a build"))
        .help("move it, choose another `--out`, or give `--force` to replace it")
}

/// A folder or link where a file has to be written, or a link or file where a folder has to be.
pub fn blocked(path: &str, what: &str) -> Diagnostic {
    Diagnostic::error(IN_THE_WAY, format!("`{path}` is in the way: it is {what}"))
        .help("move it, or choose another `--out`; `--force` does not replace it")
}

/// A manifest that does not parse.
pub fn manifest(path: &str, why: &str) -> Diagnostic {
    Diagnostic::error(MANIFEST, format!("`{path}` cannot be read: {why}"))
        .help("restore it, or remove the output folder and build again")
}
