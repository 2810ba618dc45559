//! Response times on their way to a histogram, counted by its cells. Must not know whose they are.

use super::Response;

/// Counts by the cells that HdrHistogram has for three significant digits: 2,048 of width 1, then 1,024 for each further power of two
/// (`Histogram::index_for`). Counting here costs a quarter of recording there, of which a run does one an operation; the cells come out the same.
#[derive(Debug, Clone)]
pub(super) struct ResponseCells {
    counts: Vec<u64>,
}

impl ResponseCells {
    /// Nothing yet, with room for values up to `longest`.
    pub(super) fn new(longest: u64) -> Self {
        Self {
            counts: vec![0; cell_of(longest) + 1],
        }
    }

    /// Counts a value; false when it is too long.
    #[inline(always)]
    pub(super) fn count(&mut self, nanos: u64) -> bool {
        let count = self.counts.get_mut(cell_of(nanos));
        count.map(|count| *count += 1).is_some()
    }

    /// Moves what was counted to the histogram of completed operations.
    pub(super) fn settle(&mut self, response: &mut Response) {
        for (cell, count) in self.counts.iter_mut().enumerate() {
            let count = std::mem::take(count);
            if count > 0 {
                response
                    .completed
                    .record_n(least_of(cell), count)
                    .expect("a resizing histogram takes every value");
            }
        }
    }
}

#[inline(always)]
fn cell_of(value: u64) -> usize {
    let octave = (value | 0x7FF).ilog2() - 10;
    ((octave as usize) << 10) + (value >> octave) as usize
}

/// The least value of a cell.
fn least_of(cell: usize) -> u64 {
    let octave = (cell >> 10).saturating_sub(1);
    ((cell - (octave << 10)) as u64) << octave
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_goes_through_cells_is_as_if_recorded_at_once(
            longest in 2u64..1 << 40,
            values in prop::collection::vec((0u32..64, any::<u64>()), 0..300),
        ) {
            let mut cells = ResponseCells::new(longest);
            let (mut through, mut at_once) = (Response::new(longest), Response::new(longest));
            for (shift, bits) in values {
                let value = (bits >> shift) % longest;
                prop_assert!(cells.count(value));
                at_once.record(value);
            }
            cells.settle(&mut through);
            cells.settle(&mut through);
            let (through, at_once) = (&through.completed, &at_once.completed);
            let bars = |of: &hdrhistogram::Histogram<u64>| -> Vec<_> {
                of.iter_recorded().map(|bar| (bar.value_iterated_to(), bar.count_at_value())).collect()
            };
            prop_assert_eq!(bars(through), bars(at_once));
            prop_assert_eq!((through.max(), through.min(), through.len()), (at_once.max(), at_once.min(), at_once.len()));
            for q in [0.0, 0.01, 0.5, 0.99, 1.0] {
                prop_assert_eq!(through.value_at_quantile(q), at_once.value_at_quantile(q));
            }
        }
    }

    #[test]
    fn cells_follow_each_other_without_gaps_and_longer_values_are_left_to_the_histogram() {
        for cell in 0..40_000 {
            let least = least_of(cell);
            assert_eq!(cell_of(least), cell);
            assert_eq!(cell_of(least_of(cell + 1) - 1), cell);
        }
        let mut cells = ResponseCells::new(5_001);
        assert!(cells.count(5_003), "5,000 to 5,003 are one cell");
        assert!(!cells.count(5_004));
    }
}
