//! Lines of spares: a share of what is in use, for each sort of part, rounded up.
//!
//! Cables, transceivers and fibres always have some: without a `spare` block an assumed share, which the line says.
//! Disks and power supplies have none until a `spare` block asks for them, because support often brings them.

use std::collections::BTreeMap;

use crate::base::number::Number;
use crate::base::quantity::Share;
use crate::model::Model;
use crate::model::ids::BlockId;
use crate::model::words::SparePart;

use super::line::{Category, Line, Paid, line};
use super::price::{Market, Offer, Term};

/// What is assumed where nobody says: a rule of thumb for parts that are plugged.
const ASSUMED: &[SparePart] = &[SparePart::Cable, SparePart::Optic, SparePart::Fibre];

/// The assumed share, in hundredths.
const ASSUMED_PERCENT: i64 = 2;

/// A rule: which parts, what share, at least how many of each sort, and who says so.
struct Stock {
    of: BlockId,
    part: SparePart,
    share: Number,
    least: u64,
    assumed: bool,
}

/// What is in use: a product, or a description where there is none, with its number.
struct InUse<'l> {
    line: &'l Line,
    product: Option<BlockId>,
    description: &'l str,
    count: u64,
}

/// The spares of every line so far.
pub(super) fn all(model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    let Some(platform) = model.platform() else { return };
    let mut spares = Vec::new();
    for stock in stocks(model, platform.id.block()) {
        for used in in_use(lines, stock.part) {
            spares.extend(spare(model, market, &stock, &used));
        }
    }
    lines.append(&mut spares);
}

fn stocks(model: &Model<'_>, platform: BlockId) -> Vec<Stock> {
    let told = model.tables.spares.iter().map(|spare| Stock {
        of: spare.id.block(),
        part: spare.of,
        share: spare.share.exact(),
        least: spare.least,
        assumed: false,
    });
    let mut stocks: Vec<Stock> = told.collect();
    for &part in ASSUMED.iter().filter(|part| model.tables.spares.iter().all(|spare| spare.of != **part)) {
        let share = Share::new(Number::new(ASSUMED_PERCENT, 2)).exact();
        stocks.push(Stock { of: platform, part, share, least: 1, assumed: true });
    }
    stocks
}

/// Parts of a sort over all lines, those that are the same together.
fn in_use<'l>(lines: &'l [Line], part: SparePart) -> Vec<InUse<'l>> {
    let category = category(part);
    let mut sorts: BTreeMap<(Option<BlockId>, &str, &str), InUse<'l>> = BTreeMap::new();
    let mut add = |line: &'l Line, product, description, count: u64| {
        let sort =
            sorts.entry((product, &line.sort, description)).or_insert(InUse { line, product, description, count: 0 });
        sort.count = sort.count.saturating_add(count);
    };
    for line in lines {
        // Spares of what is not known yet would be a guess on a guess.
        if line.category == category && line.product.is_some() {
            add(line, line.product, &line.description, line.quantity.1);
        }
        if line.category == Category::Server {
            for part in line.parts.iter().filter(|part| part.category == category) {
                add(line, part.product, &part.description, part.count.saturating_mul(line.quantity.1));
            }
        }
    }
    sorts.into_values().filter(|sort| sort.count > 0).collect()
}

fn category(part: SparePart) -> Category {
    match part {
        SparePart::Cable => Category::Cable,
        SparePart::Optic => Category::Optic,
        SparePart::Fibre => Category::Fibre,
        SparePart::Disk => Category::Disk,
        SparePart::Psu => Category::Psu,
    }
}

fn spare(model: &Model<'_>, market: &Market<'_>, stock: &Stock, used: &InUse<'_>) -> Option<Line> {
    let share = Number::whole(used.count).times(stock.share)?.ceil().to_u64()?;
    let count = share.max(stock.least);
    if count == 0 {
        return None;
    }
    let percent = stock.share.times(Number::whole(100))?;
    let least = if share < stock.least { format!(", at least {}", stock.least) } else { String::new() };
    let assumed = if stock.assumed { "assumed: " } else { "" };
    let offer = used.product.map_or_else(Offer::none, |product| market.offer(product, Term::Purchase));
    let basis = line(model, stock.of, Category::Spare, used.product, (count, count), offer);
    let source = if used.product.is_some() { basis.source } else { used.line.source.clone() };
    Some(Line {
        sort: format!("{} {}", stock.part, used.line.sort),
        description: format!("Spare: {}", used.description),
        derivation: format!("{assumed}{percent}% of {} in use, rounded up{least}", used.count),
        paid: Paid::Once,
        source,
        ..basis
    })
}
