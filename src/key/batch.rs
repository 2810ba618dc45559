//! Many keys at once, the same bytes as one by one: keys of fixed width go by columns, of others the segments that have one do.

use super::plan::KeyPlan;
use super::run::{ROWS, Rows};
use super::segment::Segment;
use crate::keyspace::KeyBatch;
use crate::random::{DrawKey, Seed, Stream};

/// The widest key that goes by columns: beyond it, rows no longer stay near the processor.
const WIDEST: usize = 256;

impl KeyPlan {
    /// Appends one key an operation to `keys`: `records` holds `indices.len()` records one after another; the draws of
    /// operation `operations[i]` come from `draws.at(operations[i])`, `indices[i]` is its index within its write. The same keys as
    /// [`KeyPlan::write`], faster.
    pub fn write_batch(
        &self,
        records: &[i64],
        operations: &[u64],
        indices: &[u64],
        draws: DrawKey,
        keys: &mut KeyBatch,
    ) {
        let segments = self.segments();
        write_segments(segments, records, (operations, indices), draws, keys);
    }

    /// Appends the first `segments` segments of the keys of rows, in which nothing is drawn, to `keys`.
    pub fn write_beginnings(
        &self,
        segments: usize,
        records: &[i64],
        rows: &[u64],
        keys: &mut KeyBatch,
    ) {
        let draws = DrawKey::new(Seed(0), 0, Stream::Keys, 0);
        let segments = &self.segments()[..segments];
        write_segments(segments, records, (rows, rows), draws, keys);
    }

    /// Its keys have one width: many at once go by columns.
    pub fn goes_by_columns(&self) -> bool {
        one_width(self.segments()).is_some()
    }
}

/// The width of what such segments write, if it is one that columns can have.
fn one_width(segments: &[Segment]) -> Option<usize> {
    let widths = segments.iter().map(|segment| segment.code.width);
    let width = widths.sum::<Option<usize>>();
    width.filter(|width| (1..=WIDEST).contains(width))
}

fn write_segments(
    segments: &[Segment],
    records: &[i64],
    (operations, indices): (&[u64], &[u64]),
    draws: DrawKey,
    keys: &mut KeyBatch,
) {
    let slots = records.len().checked_div(indices.len()).unwrap_or(0);
    let width = one_width(segments);
    // Of keys without one width, segments that have one are made beforehand.
    let others = segments.iter().filter(|_| width.is_none());
    let prepared = others.map(|segment| (segment.code.width.unwrap_or(0), Vec::new()));
    let mut prepared: Vec<(usize, Vec<u8>)> = prepared.collect();
    for first in (0..indices.len()).step_by(ROWS) {
        let last = (first + ROWS).min(indices.len());
        let (records, indices) = (&records[first * slots..last * slots], &indices[first..last]);
        let rows = Rows::new(records, indices, draws, &operations[first..last]);
        if let Some(width) = width {
            keys.push_fixed(rows.len(), width, |out| {
                let mut at = 0;
                for segment in segments {
                    segment.code.write_column(&rows, out, width, at);
                    at += segment.code.width.unwrap_or(0);
                }
            });
            continue;
        }
        for (segment, (width, column)) in segments.iter().zip(&mut prepared) {
            if *width > 0 {
                column.resize(rows.len() * *width, 0);
                segment.code.write_column(&rows, column, *width, 0);
            }
        }
        for at in 0..rows.len() {
            let row = rows.row(at);
            keys.push_with(|out| {
                for (segment, (width, column)) in segments.iter().zip(&prepared) {
                    match width {
                        0 => segment.code.write(&row, out),
                        _ => out.extend_from_slice(&column[at * width..][..*width]),
                    }
                }
            });
        }
    }
}
