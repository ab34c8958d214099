//! A supplier's quote against the bill: what is missing, what is extra, what differs.
//!
//! A row is ours by our id, else by our line number, else by its part number, else by its description. Rows of one part
//! number are taken together, as are our lines of it: a supplier need not know that two pools use the same server.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::base::number::Number;
use crate::base::phrase;
use crate::base::quantity::{Currency, Money};
use crate::model::ids::BlockId;
use crate::model::value::Value;
use crate::plan::Plan;
use crate::plan::bill::{Bill, Category, price};
use crate::target::bom::rows::{self, Row};

use super::super::args::TableFormat;
use super::super::failure::{Exit, Failure};
use super::super::json::pretty;
use super::super::table::Table;
use super::reading::{self, Given, Quoted, Supplied};

/// Prices that differ by less are the same: half a cent, or less for prices of a few cents.
const HALF_A_CENT: Number = Number::new(5, 3);

/// The part of a price below which a difference is one of rounding.
const ROUNDING: Number = Number::new(1, 4);

/// A line that a supplier was asked to price and did not.
const UNPRICED: &str = "no price";

/// Where the bill and the quote differ.
struct Difference {
    /// `missing`, `extra`, `quantity`, …
    what: &'static str,
    line: String,
    description: String,
    ours: String,
    theirs: String,
    place: String,
}

/// Compares a file with a bill; with a quote only what it prices must be in the file.
pub fn of(
    plan: &Plan<'_>,
    bill: &Bill,
    path: &Path,
    quote: Option<BlockId>,
    format: TableFormat,
) -> Result<(String, Exit), Failure> {
    let quoted = reading::read(path)?;
    let rows = rows::of(plan, bill);
    let matched = Matched::of(&rows, &quoted.lines);
    let mut differences = Vec::new();
    for (ours, theirs) in &matched.groups {
        let (ours, theirs) = (pick(&rows, ours), pick(&quoted.lines, theirs));
        differences.extend(Group { plan, ours, theirs }.differences());
    }
    differences.extend(supports(&rows, &quoted.lines, &matched));
    differences.extend(matched.extra.iter().filter_map(|index| quoted.lines.get(*index)).map(extra));
    // Rent is asked of a cloud, so it is missing only in a quote of one.
    let wanted = |row: &&Row<'_>| match quote {
        Some(quote) => row.line.quote == Some(quote) && (row.is_asked() || is_rent(row)),
        None => row.is_asked(),
    };
    let absent = rows.iter().enumerate().filter(|(index, row)| !matched.rows.contains(index) && wanted(row));
    differences.extend(absent.map(|(_, row)| missing(row)));
    let mut notes = notes(&quoted, matched.rows.len());
    notes.extend(unpriced(&differences));
    let exit = Exit::unless(!differences.is_empty());
    Ok((print(&differences, &notes, format), exit))
}

fn is_rent(row: &Row<'_>) -> bool {
    row.own().is_some_and(|line| line.category == Category::Instance)
}

fn pick<'a, T>(all: &'a [T], some: &BTreeSet<usize>) -> Vec<&'a T> {
    some.iter().filter_map(|index| all.get(*index)).collect()
}

/// What people should know of how the file was read.
fn notes(quoted: &Quoted, matched: usize) -> Vec<String> {
    let mut notes = vec![format!(
        "{} of the quote, {} of the bill found in it",
        phrase::count(quoted.lines.len() as u64, "line"),
        phrase::count(matched as u64, "line")
    )];
    if quoted.skipped > 0 {
        let rows = phrase::count(quoted.skipped as u64, "row");
        notes.push(format!("{rows} without part number, line and quantity passed over"));
    }
    if quoted.unnamed_money {
        notes.push(String::from("no price names its money: taken for that of the bill"));
    }
    notes
}

/// How many lines have no price in the quote: it may be a request that nobody filled in.
fn unpriced(differences: &[Difference]) -> Option<String> {
    let silent = |one: &&Difference| one.what == UNPRICED || (one.what == "price" && one.theirs == "no price");
    let count = differences.iter().filter(silent).count() as u64;
    let verb = if count == 1 { "has" } else { "have" };
    (count > 0).then(|| format!("{} of the quote {verb} no price", phrase::count(count, "line")))
}

/// Which of our rows belong to which of theirs.
struct Matched {
    /// Ours and theirs that are one thing.
    groups: Vec<(BTreeSet<usize>, BTreeSet<usize>)>,
    /// Ours that are in a group.
    rows: BTreeSet<usize>,
    /// Theirs that are in none.
    extra: Vec<usize>,
}

impl Matched {
    fn of(rows: &[Row<'_>], lines: &[Supplied]) -> Matched {
        let index = Index::of(rows);
        let mut groups: BTreeMap<BTreeSet<usize>, BTreeSet<usize>> = BTreeMap::new();
        let (mut taken, mut extra) = (BTreeSet::new(), Vec::new());
        for (position, line) in lines.iter().enumerate() {
            match index.find(rows, line) {
                Some(ours) => {
                    taken.extend(ours.iter().copied());
                    groups.entry(ours).or_default().insert(position);
                }
                None => extra.push(position),
            }
        }
        Matched { groups: groups.into_iter().collect(), rows: taken, extra }
    }
}

/// Our rows by what a supplier may know of them.
struct Index<'r> {
    ids: BTreeMap<&'r str, usize>,
    numbers: BTreeMap<&'r str, usize>,
    part_numbers: BTreeMap<String, BTreeSet<usize>>,
    descriptions: BTreeMap<String, BTreeSet<usize>>,
}

impl<'r> Index<'r> {
    fn of(rows: &'r [Row<'_>]) -> Index<'r> {
        let mut index = Index {
            ids: BTreeMap::new(),
            numbers: BTreeMap::new(),
            part_numbers: BTreeMap::new(),
            descriptions: BTreeMap::new(),
        };
        for (position, row) in rows.iter().enumerate() {
            index.ids.insert(&row.id, position);
            index.numbers.insert(&row.number, position);
            // Parts of a line are no offer of their own, and an option or a spare is none of what is in use.
            let plain = row.own().is_some_and(|line| !matches!(line.category, Category::Spare | Category::Option));
            if plain {
                let part_number = row.part_number().map(folded).filter(|part| !part.is_empty());
                part_number.into_iter().for_each(|part| {
                    index.part_numbers.entry(part).or_default().insert(position);
                });
            }
            if row.part.is_none() {
                index.descriptions.entry(folded(row.description())).or_default().insert(position);
            }
        }
        index
    }

    fn find(&self, rows: &[Row<'_>], line: &Supplied) -> Option<BTreeSet<usize>> {
        let one = |position: &usize| BTreeSet::from([*position]);
        let by_part = line.part_number.as_deref().and_then(|part| self.part_numbers.get(&folded(part)));
        if let Some(found) = line.id.as_deref().and_then(|id| self.ids.get(id)) {
            return Some(one(found));
        }
        let by_description = || line.description.as_deref().and_then(|text| self.descriptions.get(&described(text)));
        if let Some(found) = line.line.as_deref().and_then(|number| self.numbers.get(number)) {
            // A supplier's own numbers may look like ours, and ours move when the plan grows between question and answer:
            // then the part number says which line it is, or the words of another line.
            let other = |ours: &&BTreeSet<usize>| !ours.contains(found);
            let ours = rows.get(*found).and_then(Row::part_number);
            let by_part = by_part.filter(other).filter(|_| ours.is_some());
            return Some(by_part.or_else(|| by_description().filter(other)).cloned().unwrap_or_else(|| one(found)));
        }
        by_part.or_else(by_description).cloned()
    }
}

/// A text without what people write in several ways: `MQM9700-NS2F` and `mqm9700 ns2f`.
fn folded(text: &str) -> String {
    text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
}

/// A description without the words that a request adds to it.
fn described(text: &str) -> String {
    folded(text.strip_suffix(", or equivalent").unwrap_or(text))
}

/// Our lines and their rows of one thing.
struct Group<'p, 'r> {
    plan: &'p Plan<'p>,
    ours: Vec<&'r Row<'r>>,
    theirs: Vec<&'r Supplied>,
}

impl Group<'_, '_> {
    fn differences(&self) -> Vec<Difference> {
        let mut found = Vec::new();
        found.extend(self.quantity());
        for theirs in &self.theirs {
            found.extend(self.part_number(theirs));
            found.extend(self.price(theirs));
        }
        found.extend(self.unpriced());
        found
    }

    /// Lines that nobody prices: not the bill, and no row of the quote, where a supplier was asked to.
    fn unpriced(&self) -> Option<Difference> {
        let asked = self.ours.first().is_some_and(|row| row.is_asked() && net(row).is_none());
        let silent = self.theirs.iter().all(|line| line.price == Given::Absent);
        let none = || String::from("no price");
        (asked && silent).then(|| self.difference(UNPRICED, none(), none(), &self.places()))
    }

    fn difference(&self, what: &'static str, ours: String, theirs: String, place: &str) -> Difference {
        let numbers: Vec<&str> = self.ours.iter().map(|row| &*row.number).collect();
        let description = self.ours.first().map(|row| row.description().to_string()).unwrap_or_default();
        Difference { what, line: numbers.join(", "), description, ours, theirs, place: place.to_string() }
    }

    fn places(&self) -> String {
        let places: Vec<&str> = self.theirs.iter().map(|line| &*line.place).collect();
        places.join("; ")
    }

    fn quantity(&self) -> Option<Difference> {
        let ours = self.ours.iter().map(|row| row.quantity.1).fold(0, u64::saturating_add);
        let mut sum = Number::ZERO;
        for line in &self.theirs {
            match &line.quantity {
                Given::Known(number) => sum = sum.plus(*number)?,
                Given::Absent => {
                    return Some(self.difference("quantity", ours.to_string(), String::from("none"), &line.place));
                }
                Given::Unclear(text) => {
                    let theirs = format!("unclear: {text}");
                    return Some(self.difference("quantity", ours.to_string(), theirs, &line.place));
                }
            }
        }
        let same = sum == Number::whole(ours);
        (!same).then(|| self.difference("quantity", ours.to_string(), sum.to_string(), &self.places()))
    }

    fn part_number(&self, theirs: &Supplied) -> Option<Difference> {
        let row = self.ours.first()?;
        let (ours, other) = (row.part_number()?, theirs.part_number.as_deref()?);
        if folded(ours) == folded(other) || row.line.sku.as_deref().is_some_and(|sku| folded(sku) == folded(other)) {
            return None;
        }
        let text = |product: &BlockId| match self.plan.model.value(*product, "part_number") {
            Value::Text(text) => Some(text),
            _ => None,
        };
        let approved = row.line.alternates.iter().filter_map(text).any(|part| folded(&part) == folded(other));
        let theirs_shown = if approved { format!("{other}, which may be instead") } else { other.to_string() };
        Some(self.difference("part number", ours.to_string(), theirs_shown, &theirs.place))
    }

    fn price(&self, theirs: &Supplied) -> Option<Difference> {
        let row = self.ours.first()?;
        if row.part.is_some() && theirs.price == Given::Absent {
            return None;
        }
        let own = net(row);
        let shown = own.map_or_else(|| String::from("no price"), |money| money.to_string());
        let money = |amount: Number, currency: Currency| Money { amount, currency };
        match (&theirs.price, own) {
            (Given::Absent, None) => None,
            (Given::Absent, Some(_)) => Some(self.difference("price", shown, String::from("no price"), &theirs.place)),
            (Given::Unclear(text), _) => {
                Some(self.difference("price", shown, format!("unclear: {text}"), &theirs.place))
            }
            (Given::Known(amount), None) => {
                let currency = theirs.currency.map_or(String::new(), |currency| format!(" {currency}"));
                Some(self.difference("price", shown, format!("{amount}{currency}"), &theirs.place))
            }
            (Given::Known(amount), Some(own)) => {
                let currency = theirs.currency.unwrap_or(own.currency);
                let offered = money(*amount, currency);
                // Their money may be ours while the price that counts was asked in another.
                let comparable = if currency == own.currency {
                    Some(own)
                } else {
                    row.each().map(|each| money(each, row.currency)).filter(|each| each.currency == currency)
                };
                match comparable {
                    Some(ours) if same(ours.amount, *amount) => None,
                    Some(ours) => Some(self.difference("price", ours.to_string(), offered.to_string(), &theirs.place)),
                    None => {
                        let converted = price::converted(&self.plan.model, own.currency, offered).map_or_else(
                            || String::from("no rate converts it"),
                            |money| format!("which is {}", rounded(money)),
                        );
                        let theirs_shown = format!("{offered}, {converted}");
                        Some(self.difference("currency", shown, theirs_shown, &theirs.place))
                    }
                }
            }
        }
    }
}

fn rounded(money: Money) -> Money {
    Money { amount: money.amount.round(2), ..money }
}

/// The price of one as it was asked, discount taken off.
fn net(row: &Row<'_>) -> Option<Money> {
    let list = row.list()?;
    let share = row.own().and_then(|line| line.discount).map_or(Some(Number::ONE), |off| Number::ONE.minus(off))?;
    Some(Money { amount: list.amount.times(share)?, ..list })
}

fn same(ours: Number, theirs: Number) -> bool {
    let distance = |a: Number, b: Number| if a > b { a.minus(b) } else { b.minus(a) };
    let (Some(apart), Some(part)) = (distance(ours, theirs), ours.times(ROUNDING)) else { return false };
    apart <= part.min(HALF_A_CENT)
}

/// Support that is a line of ours and may be a column of theirs.
fn supports(rows: &[Row<'_>], lines: &[Supplied], matched: &Matched) -> Vec<Difference> {
    let mut found = Vec::new();
    let unmatched = rows.iter().enumerate().filter(|(index, _)| !matched.rows.contains(index));
    for (_, row) in unmatched.filter(|(_, row)| row.own().is_some_and(|line| line.category == Category::Support)) {
        let Some(parent) = rows.iter().position(|other| Some(&other.number) == row.parent.as_ref()) else { continue };
        let theirs =
            matched.groups.iter().find(|(ours, _)| ours.contains(&parent)).map(|(_, theirs)| pick(lines, theirs));
        let Some(theirs) = theirs else { continue };
        let ours = row.line.share.and_then(|share| share.times(Number::whole(100)));
        let shown = ours.map_or_else(|| String::from("unknown"), |percent| format!("{percent}% a year"));
        for line in theirs {
            let other = match &line.support {
                Given::Known(share) if Some(*share) == row.line.share => continue,
                // 9 in a column of shares is 9 %.
                Given::Known(share) if Some(*share) == ours => continue,
                Given::Known(share) => share.to_string(),
                Given::Absent => String::from("none"),
                Given::Unclear(text) => format!("unclear: {text}"),
            };
            found.push(Difference {
                what: "support",
                line: row.number.clone(),
                description: row.description().to_string(),
                ours: shown.clone(),
                theirs: other,
                place: line.place.clone(),
            });
        }
    }
    found
}

fn missing(row: &Row<'_>) -> Difference {
    Difference {
        what: "missing",
        line: row.number.clone(),
        description: row.description().to_string(),
        ours: format!("{} {}", row.quantity.1, row.unit()),
        theirs: String::from("none"),
        place: String::new(),
    }
}

fn extra(line: &Supplied) -> Difference {
    let part = line.part_number.as_deref();
    let known = [part, line.description.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let quantity = match &line.quantity {
        Given::Known(number) => number.to_string(),
        Given::Absent => String::from("no quantity"),
        Given::Unclear(text) => format!("unclear: {text}"),
    };
    Difference {
        what: "extra",
        line: String::new(),
        description: if known.is_empty() { line.line.clone().unwrap_or_default() } else { known },
        ours: String::from("none"),
        theirs: quantity,
        place: line.place.clone(),
    }
}

fn print(differences: &[Difference], notes: &[String], format: TableFormat) -> String {
    let mut table = Table::new(&["difference", "line", "description", "bill", "quote", "where"]);
    let short = |text: &str| if format == TableFormat::Human { phrase::excerpt(text, 60) } else { text.to_string() };
    for one in differences {
        let what = one.what.to_string();
        let texts = [&one.description, &one.ours, &one.theirs].map(|text| short(text));
        let [description, ours, theirs] = texts;
        table.row([what, one.line.clone(), description, ours, theirs, one.place.clone()]);
    }
    let summary = match differences.len() {
        0 => String::from("the quote is what the bill says"),
        count => phrase::count(count as u64, "difference"),
    };
    match format {
        TableFormat::Json => pretty(&serde_json::json!({ "differences": table.to_json(), "notes": notes })),
        TableFormat::Csv => table.print(format),
        TableFormat::Human | TableFormat::Markdown => {
            let said: String = notes.iter().map(|note| format!("{note}\n")).collect();
            let list = if table.is_empty() { String::new() } else { format!("{}\n", table.print(format)) };
            let gap = if format == TableFormat::Markdown { "\n" } else { "" };
            format!("{list}{summary}\n{gap}{said}")
        }
    }
}
