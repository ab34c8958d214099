//! Sums by category and by how they are paid, of what has a price.

use crate::base::number::Number;
use crate::plan::bill::{Category, Paid};

use super::rows::Row;

/// What the lines of a category that are paid alike come to.
#[derive(Debug, Clone, PartialEq)]
pub struct CategorySum {
    /// What they are.
    pub category: Category,
    /// How they are paid.
    pub paid: Paid,
    /// How many lines there are.
    pub lines: usize,
    /// How many of them have no price.
    pub unpriced: usize,
    /// The sum of those that have one, at least; nothing when it is too large to be counted.
    pub least: Option<Number>,
    /// The same at most.
    pub most: Option<Number>,
}

/// Every category that has lines, in the order of the bill.
pub fn of(rows: &[Row<'_>]) -> Vec<CategorySum> {
    let mut sums: Vec<CategorySum> = Vec::new();
    for category in Category::OF_LINES {
        for paid in [Paid::Once, Paid::Yearly, Paid::IfDrawn] {
            let mine =
                rows.iter().filter(|row| row.own().is_some_and(|line| line.category == *category && line.paid == paid));
            sums.extend(sum(*category, paid, mine));
        }
    }
    sums
}

fn sum<'r>(category: Category, paid: Paid, rows: impl Iterator<Item = &'r Row<'r>>) -> Option<CategorySum> {
    let zero = Some(Number::ZERO);
    let mut sum = CategorySum { category, paid, lines: 0, unpriced: 0, least: zero, most: zero };
    for row in rows {
        sum.lines += 1;
        if row.each().is_none() {
            sum.unpriced += 1;
            continue;
        }
        let add = |sum: Option<Number>, count| sum.zip(row.extended(count)).and_then(|(sum, more)| sum.plus(more));
        (sum.least, sum.most) = (add(sum.least, row.quantity.0), add(sum.most, row.quantity.1));
    }
    (sum.lines > 0).then_some(sum)
}
