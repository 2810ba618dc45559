//! Counters by interval and column in one flat array. Must not know what a column is.

/// One row of counters an interval, grown on demand.
#[derive(Debug, Clone)]
pub(super) struct Table<T> {
    columns: usize,
    cells: Vec<T>,
}

impl<T: Copy + Default> Table<T> {
    /// No rows yet.
    pub(super) fn new(columns: usize) -> Self {
        Self {
            columns,
            cells: Vec::new(),
        }
    }

    /// Makes sure that row `index` exists.
    pub(super) fn reach(&mut self, index: usize) {
        let needed = (index + 1) * self.columns;
        if needed > self.cells.len() {
            self.cells.resize(needed, T::default());
        }
    }

    /// A counter of a row that exists.
    #[inline]
    pub(super) fn cell(&mut self, row: usize, column: usize) -> &mut T {
        &mut self.cells[row * self.columns + column]
    }

    /// The table of one part of each cell.
    pub(super) fn part<U>(&self, part: impl FnMut(&T) -> U) -> Table<U> {
        Table {
            columns: self.columns,
            cells: self.cells.iter().map(part).collect(),
        }
    }

    /// A row; empty when it was never reached.
    pub(super) fn row(&self, index: usize) -> &[T] {
        self.cells
            .get(index * self.columns..(index + 1) * self.columns)
            .unwrap_or(&[])
    }
}

impl<T: Copy + Default + std::ops::AddAssign> Table<T> {
    /// Adds to one counter of a row that exists.
    #[inline]
    pub(super) fn add(&mut self, row: usize, column: usize, amount: T) {
        self.cells[row * self.columns + column] += amount;
    }

    /// Leaves exactly `rows` rows: further ones are added to the last (what happens at the very end belongs to the interval that ends
    /// there), missing ones are empty.
    pub(super) fn settle(&mut self, rows: usize) {
        let kept = rows * self.columns;
        for at in kept..self.cells.len() {
            let amount = self.cells[at];
            if let Some(last) = kept.checked_sub(self.columns) {
                self.cells[last + at % self.columns] += amount;
            }
        }
        self.cells.resize(kept, T::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_at_the_very_end_belongs_to_the_last_interval() {
        let mut table = Table::new(2);
        table.reach(2);
        table.add(1, 0, 5u32);
        table.add(2, 1, 3);
        table.settle(2);
        assert_eq!(table.row(1), [5, 3]);
        assert!(table.row(2).is_empty());
        table.settle(3);
        assert_eq!(table.row(2), [0, 0]);
    }
}
