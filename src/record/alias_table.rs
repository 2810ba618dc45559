//! Draws from a tabulated law in constant time. Must not know what its entries stand for.

use crate::prefetch::prefetch;
use std::sync::Arc;

/// Walker's alias table (Walker 1977, built as by Vose 1991): eight bytes an entry, one 64-bit draw a sample. A share is
/// exact to 2^-32 of an entry's mean share. Copies share the entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AliasTable {
    entries: Arc<[Entry]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    threshold: u32,
    alias: u32,
}

impl AliasTable {
    /// A table of `weights`: finite, >= 0, at most 2^32 of them. All zero (or nothing positive) counts as all alike. O(n).
    pub(super) fn new(weights: &[f64]) -> Self {
        let n = weights.len();
        let sum: f64 = weights.iter().sum();
        let height = |weight: &f64| match sum > 0.0 {
            true => weight * n as f64 / sum,
            false => 1.0,
        };
        let mut heights: Vec<f64> = weights.iter().map(height).collect();
        let entry = |alias| Entry {
            threshold: u32::MAX,
            alias,
        };
        let mut entries: Vec<Entry> = (0..n as u32).map(entry).collect();
        let (mut low, mut high): (Vec<u32>, Vec<u32>) =
            (0..n as u32).partition(|i| heights[*i as usize] < 1.0);
        while let (Some(&short), Some(&tall)) = (low.last(), high.last()) {
            low.pop();
            entries[short as usize] = Entry {
                threshold: (heights[short as usize] * 4_294_967_296.0) as u32,
                alias: tall,
            };
            heights[tall as usize] -= 1.0 - heights[short as usize];
            if heights[tall as usize] < 1.0 {
                high.pop();
                low.push(tall);
            }
        }
        Self {
            entries: entries.into(),
        }
    }

    /// The entry that 64 random bits choose.
    pub(super) fn sample(&self, bits: u64) -> u64 {
        let column = self.column(bits);
        column.choose(self.entries[column.index])
    }

    /// Asks for the entry that 64 random bits choose.
    pub(super) fn prefetch(&self, bits: u64) {
        prefetch(&self.entries[self.column(bits).index]);
    }

    /// The entries that each of these numbers chooses take their place: the columns first, so that all entries are waited for together.
    pub(super) fn sample_all(&self, values: &mut [u64]) {
        let mut columns = [Column::default(); 64];
        for values in values.chunks_mut(columns.len()) {
            for (column, bits) in columns.iter_mut().zip(&*values) {
                *column = self.column(*bits);
            }
            for (value, column) in values.iter_mut().zip(&columns) {
                *value = column.choose(self.entries[column.index]);
            }
        }
    }

    /// The product's upper half picks a column, its lower half decides in it.
    fn column(&self, bits: u64) -> Column {
        let product = u128::from(bits) * self.entries.len() as u128;
        Column {
            index: (product >> 64) as usize,
            fraction: (product as u64 >> 32) as u32,
        }
    }
}

/// Where a number falls in the table.
#[derive(Debug, Clone, Copy, Default)]
struct Column {
    index: usize,
    fraction: u32,
}

impl Column {
    fn choose(self, entry: Entry) -> u64 {
        // Both are at hand and neither is likelier: a choice without a branch.
        let keeps = u64::from(self.fraction < entry.threshold).wrapping_neg();
        (self.index as u64 & keeps) | (u64::from(entry.alias) & !keeps)
    }
}
