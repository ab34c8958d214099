//! Why a figure changed: from the figure through what it came from, down to what was written differently.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::model::Model;
use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::plan::Plan;
use crate::plan::figure::{Estimate, Reason};

use super::model::{Change, What};
use super::pairs::Subject;
use super::{Both, reach};

/// Something written differently that a figure came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Cause {
    /// `training.pretrain.gpus`.
    pub address: String,
    /// As it was.
    pub old: Option<String>,
    /// As it is.
    pub new: Option<String>,
    /// Where it is written: on the new side, or on the old one when it is gone.
    pub at: Option<String>,
    /// What kind of change it is.
    pub what: What,
}

impl Cause {
    fn of(change: &Change) -> Cause {
        let (old, new) = (change.old.clone(), change.new.clone());
        let at = change.new_at.clone().or_else(|| change.old_at.clone());
        Cause { address: change.address.clone(), old, new, at, what: change.what }
    }

    /// `` `training.pretrain.gpus` 16 → 56 ``.
    pub fn text(&self) -> String {
        match self.what {
            What::Added | What::Removed => format!("`{}` {}", self.address, self.what.word()),
            What::Renamed | What::Changed | What::Follows => {
                let side = |side: &Option<String>| side.clone().unwrap_or_else(|| String::from("none"));
                format!("`{}` {} → {}", self.address, side(&self.old), side(&self.new))
            }
        }
    }
}

/// What was written differently, ready to be found from a figure.
pub struct Reasons<'c, 'p> {
    both: &'c Both<'p>,
    changes: Vec<Change>,
    old: Index,
    new: Index,
}

/// Changes by where one side has them.
#[derive(Default)]
struct Index {
    attributes: BTreeMap<(BlockId, &'static str), usize>,
    blocks: BTreeMap<BlockId, usize>,
    /// Blocks that only this side refers to through a changed attribute: another machine, another model.
    pointed: BTreeMap<BlockId, BTreeSet<usize>>,
}

/// Where a walk is: a block, what of it, how far from the figure.
type Step = (BlockId, &'static str, usize);

impl<'c, 'p> Reasons<'c, 'p> {
    /// Ready to be asked.
    pub fn new(both: &'c Both<'p>, changes: &[Change]) -> Reasons<'c, 'p> {
        let (mut old, mut new) = (Index::default(), Index::default());
        for (position, change) in changes.iter().enumerate() {
            let Subject { old: one, new: other } = change.subject;
            match (change.attribute, change.what) {
                (Some(name), _) => {
                    old.attributes.extend(one.map(|id| ((id, name), position)));
                    new.attributes.extend(other.map(|id| ((id, name), position)));
                    if let (Some(one), Some(other)) = (one, other) {
                        point(both, (one, other), name, position, &mut old, &mut new);
                    }
                }
                // Another name changes no figure.
                (None, What::Renamed) => {}
                (None, What::Added | What::Removed | What::Changed | What::Follows) => {
                    old.blocks.extend(one.map(|id| (id, position)));
                    new.blocks.extend(other.map(|id| (id, position)));
                }
            }
        }
        Reasons { both, changes: changes.to_vec(), old, new }
    }

    /// What a figure of a block came from that was written differently, on either side, the nearest first.
    pub fn of(&self, subject: Subject, name: &'static str) -> Vec<Cause> {
        let mut found: BTreeMap<usize, usize> = BTreeMap::new();
        if let Some(id) = subject.old {
            self.walk(self.both.old, &self.old, id, name, &mut found);
        }
        if let Some(id) = subject.new {
            self.walk(self.both.new, &self.new, id, name, &mut found);
        }
        self.causes(found)
    }

    /// The same for several figures or attributes of one block, for what is counted from them.
    pub fn of_any(&self, subject: Subject, names: impl IntoIterator<Item = &'static str>) -> Vec<Cause> {
        let mut causes: Vec<Cause> = Vec::new();
        for cause in names.into_iter().flat_map(|name| self.of(subject, name)) {
            if !causes.contains(&cause) {
                causes.push(cause);
            }
        }
        causes
    }

    fn causes(&self, found: BTreeMap<usize, usize>) -> Vec<Cause> {
        let mut near: Vec<(usize, usize)> = found.into_iter().map(|(position, depth)| (depth, position)).collect();
        near.sort_by_key(|(depth, position)| (*depth, &self.changes[*position].address));
        near.into_iter().map(|(_, position)| Cause::of(&self.changes[position])).collect()
    }

    /// Breadth first, so that the nearest is found first.
    fn walk(
        &self,
        plan: &Plan<'_>,
        index: &Index,
        id: BlockId,
        name: &'static str,
        found: &mut BTreeMap<usize, usize>,
    ) {
        let mut seen: BTreeSet<(BlockId, &'static str)> = BTreeSet::new();
        let mut owners: BTreeSet<BlockId> = BTreeSet::new();
        let mut met: Vec<(BlockId, usize)> = Vec::new();
        let mut queue: VecDeque<Step> = VecDeque::from([(id, name, 0)]);
        let mut note = |position: usize, depth: usize| {
            found.entry(position).and_modify(|known| *known = depth.min(*known)).or_insert(depth);
        };
        while let Some((id, name, depth)) = queue.pop_front() {
            if !seen.insert((id, name)) {
                continue;
            }
            let says = plan.model.says(id, name);
            owners.extend([id, says]);
            met.push((says, depth));
            if let Some(position) = index.attributes.get(&(says, name)) {
                note(*position, depth);
            }
            for block in around(plan, id) {
                if let Some(position) = index.blocks.get(&block) {
                    note(*position, depth);
                }
            }
            let figure = match plan.figures.get(id, name) {
                Some(Estimate::Known(figure)) => figure,
                Some(Estimate::Unknown(_)) => {
                    let kind = plan.model.block(id).kind;
                    queue.extend(reach::of_unknown(kind, name).iter().map(|name| (id, *name, depth + 1)));
                    // A tenant pays for its loads.
                    if (kind, name) == (Kind::Tenant, "cost") {
                        queue.extend(plan.uses.through(id, "tenant").map(|load| (load, "cost", depth + 1)));
                    }
                    match plan.figures.part_of(id, name) {
                        Some(part) => part,
                        None => continue,
                    }
                }
                None => continue,
            };
            for reason in &figure.because {
                match reason {
                    Reason::Of(block, attribute) => queue.push_back((*block, attribute, depth + 1)),
                    Reason::Block(block) => queue.extend(self.of_block(plan, (id, name), *block, depth + 1)),
                    Reason::Constant(_) | Reason::Note(_) => {}
                }
            }
        }
        // Facts of a machine or model that only this side refers to: the reference is what changed, when it is one of
        // a block that the figure came from.
        for (block, depth) in met {
            for position in index.pointed.get(&block).into_iter().flatten() {
                let Subject { old, new } = self.changes[*position].subject;
                if [old, new].into_iter().flatten().any(|id| owners.contains(&id)) {
                    note(*position, depth);
                }
            }
        }
    }

    /// What a figure takes of a whole block.
    fn of_block(&self, plan: &Plan<'_>, (owner, figure): (BlockId, &str), block: BlockId, depth: usize) -> Vec<Step> {
        let model = &plan.model;
        let kind = model.block(block).kind;
        if matches!(kind, Kind::Quote | Kind::Baseline) {
            let lines = model.block(block).children.iter().copied().chain([block]);
            let all =
                |id: BlockId| model.block(id).kind.schema().attributes.iter().map(move |row| (id, row.name, depth));
            return lines.flat_map(all).collect();
        }
        // The name itself is asked for, too: it leads to the block when that came or went.
        let whole = (block, "", depth);
        let step = |name: &'static str| match name.split_once('.') {
            None => vec![(block, name, depth)],
            Some((word, name)) => {
                let inside = model.block(block).children.iter().copied();
                let named = inside.filter(|child| model.block(*child).kind.schema().word == word);
                named.map(|child| (child, name, depth)).collect()
            }
        };
        let of = reach::of(model.block(owner).kind, figure, kind);
        std::iter::once(whole).chain(of.flat_map(step)).collect()
    }
}

/// A block and those that it stands in.
fn around(plan: &Plan<'_>, id: BlockId) -> impl Iterator<Item = BlockId> {
    std::iter::successors(Some(id), |id| plan.model.block(*id).parent)
}

/// Kinds whose facts go into figures of who refers to them.
const FACTS: &[Kind] = &[
    Kind::Model,
    Kind::Site,
    Kind::Pool,
    Kind::Server,
    Kind::Gpu,
    Kind::Cpu,
    Kind::Disk,
    Kind::Nic,
    Kind::Switch,
    Kind::Optic,
    Kind::Appliance,
    Kind::Instance,
];

/// Blocks with facts that a changed attribute refers to on one side only.
fn point(
    both: &Both<'_>,
    (one, other): (BlockId, BlockId),
    name: &'static str,
    position: usize,
    old: &mut Index,
    new: &mut Index,
) {
    let facts = |model: &Model<'_>, id: BlockId| {
        let mut blocks = model.value(id, name).blocks();
        blocks.retain(|id| FACTS.contains(&model.block(*id).kind));
        blocks
    };
    let before = facts(&both.old.model, one);
    let after = facts(&both.new.model, other);
    let kept = |id: &BlockId| both.pairs.new_of(*id).is_some_and(|new| after.contains(&new));
    before.iter().filter(|id| !kept(id)).for_each(|id| {
        old.pointed.entry(*id).or_default().insert(position);
    });
    let there = |id: &BlockId| both.pairs.old_of(*id).is_some_and(|old| before.contains(&old));
    after.iter().filter(|id| !there(id)).for_each(|id| {
        new.pointed.entry(*id).or_default().insert(position);
    });
}
