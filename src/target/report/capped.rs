//! The first rows of something long, and how many are left to the plan.

use serde::Serialize;

/// Rows that are shown.
#[derive(Debug, Clone, Serialize)]
pub struct Capped<T> {
    /// Those that are shown.
    pub rows: Vec<T>,
    /// How many more there are.
    pub more: usize,
}

impl<T> Capped<T> {
    /// At most so many of `all`, each made by `show`.
    pub fn of<S>(all: impl IntoIterator<Item = S>, limit: usize, mut show: impl FnMut(S) -> T) -> Capped<T> {
        let mut all = all.into_iter();
        let rows: Vec<T> = all.by_ref().take(limit).map(&mut show).collect();
        Capped { rows, more: all.count() }
    }
}

#[cfg(test)]
mod tests {
    use super::Capped;

    #[test]
    fn what_is_left_out_is_counted() {
        let capped = Capped::of(1..=5, 3, |number| number * 10);
        assert_eq!((capped.rows, capped.more), (vec![10, 20, 30], 2));
    }
}
