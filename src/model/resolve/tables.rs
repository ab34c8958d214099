//! Checked values to typed tables.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::base::diagnostic::Diagnostics;
use crate::base::secret;
use crate::model::block::Origin;
use crate::model::eval::See;
use crate::model::ids::BlockId;
use crate::model::kinds::{Fields, Kind, Tables};
use crate::model::problems;
use crate::model::schema::Mode;
use crate::model::value::Value;
use crate::model::{Model, OpenPoint};

use super::{Resolver, address};

impl<'a> Resolver<'a> {
    pub(super) fn finish(mut self) -> (Model<'a>, Diagnostics) {
        let mut tables = Tables::default();
        let mut open_points = Vec::new();
        self.stock_optics();
        // Catalogue entries may refer to further entries, which are added while the list is walked.
        let live: Vec<BlockId> = self.live().collect();
        for &id in &live {
            self.require(id);
            self.refuse_secret(id);
            self.note_open(id, &mut open_points);
            let row = {
                let block = &self.blocks[id.index()];
                let values = |position: u16| match block.slot(position).map(|slot| &slot.value) {
                    Some(Some(value)) => value.clone(),
                    Some(None) => Value::Null,
                    None => self.default(id, position),
                };
                let children = |kind: Kind| {
                    block.children.iter().copied().filter(|child| self.blocks[child.index()].kind == kind).collect()
                };
                block.kind.store(&mut tables, &Fields { block: id, values: &values, children: &children })
            };
            self.blocks[id.index()].row = row;
        }
        self.check_platform();
        let mut by_kind: HashMap<Kind, Vec<BlockId>> = HashMap::new();
        for &id in &live {
            let block = &self.blocks[id.index()];
            if block.parent.is_none() && block.origin == Origin::Package {
                by_kind.entry(block.kind).or_default().push(id);
            }
        }
        let environments = self.environments.iter().map(|(name, _)| Arc::clone(name)).collect();
        let lets =
            self.lets.iter().filter_map(|(name, cell)| Some(((*name).to_string(), cell.value.clone()?))).collect();
        let model = Model {
            sources: self.sources,
            catalogue: self.catalogue,
            blocks: self.blocks,
            tables,
            names: self.names,
            families: self.families,
            by_kind,
            dropped: self.dropped,
            lets,
            environments,
            doc: self.doc,
            open_points,
            wants_figures: self.wants_figures,
        };
        (model, self.problems)
    }

    /// Cables are chosen from everything the catalogue has; a package without a fabric needs none.
    fn stock_optics(&mut self) {
        if self.by_kind.get(&Kind::Fabric).is_none_or(BTreeSet::is_empty) {
            return;
        }
        for id in self.catalogue.ids(Kind::Optic.schema().word) {
            self.entry(Kind::Optic.schema().word, id);
        }
    }

    fn require(&mut self, id: BlockId) {
        let block = &self.blocks[id.index()];
        if block.kind == Kind::Let {
            return;
        }
        for (position, row) in (0u16..).zip(block.kind.schema().attributes) {
            if row.mode == Mode::Required && block.slot(position).is_none() {
                let address = address(&self.blocks, id);
                self.problems.push(problems::missing_attribute(&address, row.name, &row.ty.name(), block.place));
            }
        }
    }

    fn refuse_secret(&mut self, id: BlockId) {
        let block = &self.blocks[id.index()];
        if block.kind == Kind::PatchKey && secret::is_secret(&block.name) {
            let address = address(&self.blocks, id);
            self.problems.push(problems::secret_written(&block.name, &address, block.place));
        }
    }

    fn note_open(&self, id: BlockId, open: &mut Vec<OpenPoint>) {
        let block = &self.blocks[id.index()];
        for slot in &block.slots {
            if let (Kind::Param, "placeholder", Some(Value::Text(why))) =
                (block.kind, block.attribute(slot.attribute).name, &slot.value)
            {
                open.push(OpenPoint { block: id, attribute: "default", why: Arc::clone(why), place: slot.place });
            }
            if let Some(Value::Tbd(why)) = &slot.value {
                let attribute = block.attribute(slot.attribute).name;
                open.push(OpenPoint { block: id, attribute, why: Arc::clone(why), place: slot.place });
            }
        }
    }

    fn check_platform(&mut self) {
        match self.all(Kind::Platform).as_slice() {
            [] => self.problems.push(problems::no_platform()),
            [_] => {}
            [first, second, ..] => {
                let (first, second) = (self.blocks[first.index()].place, self.blocks[second.index()].place);
                self.problems.push(problems::two_platforms(second, first));
            }
        }
    }
}
