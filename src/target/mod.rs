//! From a plan to files. A target is data plus a view: one folder of templates, one view struct for each family of
//! files, one entry in [`TARGETS`].

pub mod agreement;
pub mod bom;
pub mod files;
pub mod kubernetes;
pub mod problems;
pub mod report;
pub mod slurm;
pub mod template;
pub mod terraform;

use crate::base::diagnostic::Diagnostic;
use crate::base::judged::Judged;
use crate::plan::Plan;

use files::Files;
use template::Templates;

/// Something that is written.
pub struct Target {
    /// Its name on the command line, and its folder in the output and in `targets/`.
    pub name: &'static str,
    /// True when `check` tries it too: its problems are about the source, and it costs little.
    pub tried_early: bool,
    /// Writes it. What it cannot express is a problem, never an omission.
    pub emit: fn(&Plan<'_>, Judged<'_>, &Templates) -> Emitted,
}

/// What a target wrote.
#[derive(Debug, Default)]
pub struct Emitted {
    /// The files, by path below the output folder: `slurm/hpc/slurm.conf`.
    pub files: Files,
    /// What could not be written as it was said.
    pub problems: Vec<Diagnostic>,
}

/// Every target, in the order they are written.
pub const TARGETS: &[Target] = &[
    Target { name: "terraform", tried_early: false, emit: |plan, _, templates| terraform::emit(plan, templates) },
    Target { name: "kubernetes", tried_early: false, emit: |plan, _, templates| kubernetes::emit(plan, templates) },
    Target { name: "slurm", tried_early: true, emit: |plan, _, templates| slurm::emit(plan, templates) },
    Target { name: "bom", tried_early: false, emit: |plan, _, templates| bom::emit(plan, templates) },
    Target { name: "report", tried_early: false, emit: report::emit },
];
