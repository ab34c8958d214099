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
pub mod trace;

use crate::base::diagnostic::Diagnostic;
use crate::base::judged::Judged;
use crate::plan::Plan;

use files::Files;
use template::Templates;
use trace::Trace;

/// Something that is written.
pub struct Target {
    /// Its name on the command line, and its folder in the output and in `targets/`.
    pub name: &'static str,
    /// True when `check` tries it too: its problems are about the source, and it costs little.
    pub tried_early: bool,
    /// Writes it. What it cannot express is a problem, never an omission.
    pub emit: fn(&Plan<'_>, Judged<'_>, &Templates) -> Emitted,
    /// Says what the keys on its lines came from, where it knows.
    pub traced: fn(&Plan<'_>) -> Vec<Trace>,
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
    Target { name: "terraform", emit: |plan, _, templates| terraform::emit(plan, templates), ..UNTRACED },
    Target { name: "kubernetes", emit: |plan, _, templates| kubernetes::emit(plan, templates), ..UNTRACED },
    Target {
        name: "slurm",
        tried_early: true,
        emit: |plan, _, templates| slurm::emit(plan, templates),
        traced: slurm::traced,
    },
    Target { name: "bom", emit: |plan, _, templates| bom::emit(plan, templates), ..UNTRACED },
    Target { name: "report", emit: report::emit, ..UNTRACED },
];

/// A target whose lines say only which block they come from, and that is tried by `build` alone.
const UNTRACED: Target =
    Target { name: "", tried_early: false, emit: |_, _, _| Emitted::default(), traced: |_| Vec::new() };
