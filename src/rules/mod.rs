//! What may be wrong with a planned platform. One file a rule, one entry in [`RULES`].
//!
//! A rule's file opens with the text that `aipc explain CODE` prints. It looks at the plan and says what it found; how
//! bad that is depends on the stage of the platform, on `aipc.toml`, and on the waivers in the package, none of which
//! a rule knows.

pub mod context;
pub mod finding;
pub mod gate;
pub mod levels;
pub mod user;
mod waivers;

use crate::base::code::{Code, CodeDoc};
use crate::base::diagnostic::{Diagnostic, Severity};

use context::Context;
use finding::Finding;
use levels::{Configured, Levels};

pub use waivers::{CODES as WAIVER_CODES, Waived};

/// One rule.
pub struct Rule {
    /// Its code.
    pub code: Code,
    /// How bad a finding is, by stage.
    pub levels: Levels,
    /// The text of its file, whose `//!` lines are its documentation.
    pub text: &'static str,
    /// True when it needs `--as-of` or `platform.as_of`.
    pub dated: bool,
    /// Looks.
    pub check: fn(&Context<'_>) -> Vec<Finding>,
}

/// Declares the list of rules: each is a module with a constant `RULE`.
macro_rules! rules {
    ($($family:ident { $($name:ident),+ $(,)? })+) => {
        $( #[doc = concat!("Rules on ", stringify!($family), ".")] pub mod $family { $( pub mod $name; )+ } )+
        /// Every rule, by family.
        pub const RULES: &[&Rule] = &[ $( $( &$family::$name::RULE, )+ )+ ];
    };
}

rules! {
    sizing {
        unused_block,
    }
}

/// What the rules found.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Findings that stand.
    pub findings: Vec<Diagnostic>,
    /// Findings that a waiver takes away, for the report and the bill.
    pub waived: Vec<Waived>,
}

/// Runs every rule and the package's own checks.
pub fn run(context: &Context<'_>, configured: &Configured) -> Verdict {
    let mut raw = Vec::new();
    let mut undated = 0;
    for rule in RULES {
        if rule.dated && context.as_of.is_none() {
            undated += 1;
            continue;
        }
        let severity = rule.levels.at(context.stage);
        raw.extend((rule.check)(context).into_iter().map(|finding| finding.graded(rule.code, severity)));
    }
    raw.extend(user::check(context));
    let mut verdict = waivers::apply(context, raw);
    verdict.findings = configured.apply(verdict.findings);
    if undated > 0 {
        verdict.findings.push(waivers::undated(undated));
    }
    verdict
}

/// The documentation of every code on this floor.
pub fn docs() -> Vec<CodeDoc> {
    let own = RULES.iter().map(|rule| CodeDoc { code: rule.code, doc: doc(rule.text) });
    let more = [user::CODES, WAIVER_CODES, gate::CODES];
    own.chain(more.into_iter().flatten().copied()).collect()
}

/// The `//!` lines at the top of a file, without their marks.
fn doc(text: &'static str) -> &'static str {
    let end = text.lines().take_while(|line| line.starts_with("//!")).map(|line| line.len() + 1).sum::<usize>();
    &text[..end.min(text.len())]
}

/// A severity that a rule's findings never exceed or fall below at any stage.
pub const fn always(severity: Severity) -> Levels {
    Levels::always(severity)
}
