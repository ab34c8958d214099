//! What became of a platform: two plans side by side.
//!
//! Blocks are matched by kind and name (or by `@was`), so moving them between files or reordering them is no change.
//! Each difference has both sides, what lies between them, why it is there, and how much it hurts what runs already.
//! Absent on purpose: how it is printed, and where the two plans come from.

mod bill;
pub mod class;
mod consequence;
mod delta;
mod figures;
mod model;
mod pairs;
mod reach;
mod reason;
mod value;

use crate::plan::Plan;

pub use bill::LineChange;
pub use class::Class;
pub use delta::{Amount, Side, between as delta_of, text as delta_text};
pub use figures::{FigureChange, Group};
pub use model::{Change, What};
pub use reason::Cause;

use pairs::Pairs;
use reason::Reasons;

/// Everything that differs.
#[derive(Debug, Clone, Default)]
pub struct Diff {
    /// What was written differently, and what that changes in what is already there: the worst first.
    pub changes: Vec<Change>,
    /// Figures, the most important first.
    pub figures: Vec<FigureChange>,
    /// Lines of the bill, in its order.
    pub lines: Vec<LineChange>,
    /// Lines without a price: on the old side and on the new one.
    pub unpriced: (usize, usize),
}

impl Diff {
    /// True when nothing differs.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.figures.is_empty() && self.lines.is_empty()
    }

    /// How many changes there are of a class.
    pub fn count(&self, class: Class) -> usize {
        self.changes.iter().filter(|change| change.class == class).count()
    }
}

/// Two plans, side by side.
pub fn diff(old: &Plan<'_>, new: &Plan<'_>) -> Diff {
    let both = Both { old, new, pairs: Pairs::of(&old.model, &new.model) };
    let mut changes = model::changes(&both);
    let reasons = Reasons::new(&both, &changes);
    let lines = bill::changes(&both, &reasons);
    let mut figures = figures::changes(&both, &reasons, &lines);
    changes.extend(consequence::changes(&both, &reasons));
    changes.sort_by(|a, b| a.rank().cmp(&b.rank()));
    // What is among the changes is said there.
    figures.retain(|figure| changes.iter().all(|change| change.address != figure.address));
    Diff { changes, figures, lines, unpriced: (bill::unpriced(old), bill::unpriced(new)) }
}

/// Two plans, and which block of one is which of the other.
struct Both<'p> {
    old: &'p Plan<'p>,
    new: &'p Plan<'p>,
    pairs: Pairs,
}
