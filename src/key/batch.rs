//! Many keys at once. The same bytes as one by one; MD5s go through lanes.

use super::columns::{Chunk, ROWS};
use super::plan::KeyPlan;
use crate::keyspace::KeyBatch;
use crate::random::DrawKey;

/// The widest key that goes by columns: beyond it, rows no longer stay near the processor.
const WIDEST: usize = 256;

/// See [`KeyPlan::write_batch`].
pub(super) fn write(
    plan: &KeyPlan,
    records: &[i64],
    operations: &[u64],
    indices: &[u64],
    draws: DrawKey,
    keys: &mut KeyBatch,
) {
    let slots = records.len().checked_div(indices.len()).unwrap_or(0);
    let widths: Option<Vec<usize>> = plan
        .segments()
        .iter()
        .map(|segment| segment.code.width())
        .collect();
    let columns = widths
        .map(|widths| (widths.iter().sum::<usize>(), widths))
        .filter(|(total, _)| (1..=WIDEST).contains(total));
    let mut digests = Vec::new();
    for first in (0..indices.len()).step_by(ROWS) {
        let last = (first + ROWS).min(indices.len());
        let chunk = Chunk {
            records: &records[first * slots..last * slots],
            width: slots,
            operations: &operations[first..last],
            indices: &indices[first..last],
            draws,
        };
        let Some((total, widths)) = &columns else {
            by_row(plan, &chunk, &mut digests, keys);
            continue;
        };
        keys.push_fixed(chunk.len(), *total, |rows| {
            let mut at = 0;
            for (segment, width) in plan.segments().iter().zip(widths) {
                segment.code.write_column(&chunk, *width, rows, *total, at);
                at += width;
            }
        });
    }
}

/// Keys of varying width: MD5s first, in lanes, then row by row.
fn by_row(plan: &KeyPlan, chunk: &Chunk<'_>, digests: &mut Vec<[u8; 16]>, keys: &mut KeyBatch) {
    let sites = plan.md5_operands();
    digests.clear();
    digests.resize(sites.len() * ROWS, [0; 16]);
    for (site, of) in sites.iter().enumerate() {
        of.digests_by_row(chunk, sites.len(), site, digests);
    }
    for at in 0..chunk.len() {
        let row = chunk.row(at);
        let digests = &digests[at * sites.len()..][..sites.len()];
        keys.push_with(|out| plan.write_with(&row, digests, out));
    }
}
