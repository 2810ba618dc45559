//! How near the timestamps of neighbouring rows are, where a key goes on with time behind a prefix. Must not know tables.
//!
//! Two neighbours of a sample are farther apart in time than those of the table, where all rows of a prefix stand in order of time: with
//! k rows that cover a time T they are T / k apart.

use crate::key::{KeyPlan, Segment};
use crate::storage::BlockEncoding;

/// Rows that stand together by a prefix and then follow time.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeNeighbours {
    /// Length of the prefix.
    pub(super) prefix: usize,
    /// Time that the rows of one prefix cover.
    cover_ms: f64,
    /// Bytes of a timestamp between other rows, by encoding.
    others: [f64; 4],
    /// Bytes of a timestamp of the sample, by encoding.
    sampled: [f64; 4],
    /// Some timestamp of the table.
    at_ms: u64,
}

impl TimeNeighbours {
    /// Of a key whose last segment that follows time stands at a fixed place; `None` for other keys.
    pub(super) fn of(key: &KeyPlan, rows: &[(&[u8], u64)]) -> Option<Self> {
        let at = key.segments().iter().rposition(Segment::follows_time)?;
        let before = &key.segments()[..at];
        let varies = |segment: &Segment| segment.len_range().0 < segment.len_range().1;
        if before.iter().any(varies) || rows.len() < 2 {
            return None;
        }
        let prefix: usize = before.iter().map(|segment| segment.len_range().0).sum();
        let (mut cover, mut groups) = (0.0, 0.0);
        for group in rows.chunk_by(|a, b| a.0[..prefix] == b.0[..prefix]) {
            if group.len() > 1 {
                // The span of n draws is (n - 1) / (n + 1) of what they are drawn from.
                let (n, (first, last)) = (group.len() as f64, ends(group));
                cover += (last - first) as f64 * (n + 1.0) / (n - 1.0);
                groups += 1.0;
            }
        }
        let (first, last) = ends(rows);
        let all_ms = (last - first) as f64;
        let cover_ms = match groups < 8.0 && cover == 0.0 {
            true => all_ms,
            false => (cover / f64::max(groups, 1.0)).min(all_ms),
        };
        let mut others = [0.0; 4];
        let mut sampled = [0.0; 4];
        let mut apart = 0.0;
        for pair in rows.windows(2) {
            let together = pair[0].0[..prefix] == pair[1].0[..prefix];
            apart += f64::from(u8::from(!together));
            for encoding in BlockEncoding::ALL {
                let bytes = timestamp_bytes(encoding, pair[0].1, pair[1].1);
                sampled[encoding as usize] += bytes / (rows.len() - 1) as f64;
                if !together {
                    others[encoding as usize] += bytes;
                }
            }
        }
        Some(Self {
            prefix,
            cover_ms,
            others: others.map(|bytes| bytes / f64::max(apart, 1.0)),
            sampled,
            at_ms: last,
        })
    }

    /// Bytes of a row's timestamp that the table of `rows` rows saves against the sample; `together` is the share of its rows that stand
    /// behind one of the same prefix.
    pub(super) fn saved_bytes(&self, encoding: BlockEncoding, rows: f64, together: f64) -> f64 {
        let prefixes = rows * (1.0 - together);
        let gap = self.cover_ms * prefixes.max(1.0) / rows;
        let near = timestamp_bytes_at(encoding, self.at_ms, gap);
        let mean = together * near + (1.0 - together) * self.others[encoding as usize];
        (self.sampled[encoding as usize] - mean).max(0.0)
    }
}

/// The first and the last timestamp of some rows.
fn ends(rows: &[(&[u8], u64)]) -> (u64, u64) {
    let ends = |(first, last): (u64, u64), (_, time): &_| (first.min(*time), last.max(*time));
    rows.iter().fold((u64::MAX, 0), ends)
}

/// Bytes of a cell's timestamp behind one with another.
fn timestamp_bytes(encoding: BlockEncoding, before: u64, time: u64) -> f64 {
    let needed = |bits: u64| f64::from((64 - bits.leading_zeros()).div_ceil(8).max(1));
    match encoding {
        BlockEncoding::None | BlockEncoding::Prefix => 8.0,
        BlockEncoding::Diff => needed(before.abs_diff(time)).min(needed(time)),
        BlockEncoding::FastDiff => needed(before ^ time),
    }
}

/// Its mean for timestamps around `at` whose distances are exponential with mean `gap`, in milliseconds.
fn timestamp_bytes_at(encoding: BlockEncoding, at: u64, gap: f64) -> f64 {
    const QUANTILES: u32 = 64;
    let bytes = (0..QUANTILES).map(|i| {
        let u = (f64::from(i) + 0.5) / f64::from(QUANTILES);
        let distance = (-libm::log1p(-u) * gap) as u64;
        // Spread over the values of the low bytes: a carry costs FAST_DIFF a byte.
        let before = at.saturating_sub((u64::from(i) * 0x9E37_79B9) & 0xFFFF_FFFF);
        timestamp_bytes(encoding, before, before.saturating_add(distance))
    });
    bytes.sum::<f64>() / f64::from(QUANTILES)
}
