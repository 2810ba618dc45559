//! Where a region is split: in the middle of its largest store file. Must not know when.

use super::SplitPolicy;
use crate::keyspace::RowKey;

/// A store file as its split row is found: a sorted sample of its keys, with repetitions, and its ends.
///
/// HBase takes the middle entry of the file's block index, so the middle of its bytes
/// (`StoreUtils.getFileSplitPoint`, `HFileBlockIndex.midkey`). The middle key of n of its N keys, drawn without repetition, has a
/// rank that is off by the standard error of a sample's median, about 1 / (2 sqrt(n)) of the file. The row is a whole key of the
/// file; HBase's index holds a shorter one ([`crate::storage::separator`]) of the same rank where two blocks meet between rows.
#[derive(Debug, Clone, Copy)]
pub struct SampledFile<'a> {
    /// Sorted; equal keys as often as they were drawn.
    pub sample: &'a [&'a [u8]],
    /// Least row of the file.
    pub first: &'a [u8],
    /// Greatest row of the file.
    pub last: &'a [u8],
}

/// Why a region has no split row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoSplitRow {
    /// `HStore.getSplitPoint`: no file has data.
    #[error("it has no store file")]
    NoFile,
    /// `HStore.canSplit`.
    #[error(
        "it still refers to files of the region that it was split from; compaction rewrites them first"
    )]
    References,
    /// `StoreUtils.getFileSplitPoint`: the middle row is the file's first or last row. A region of one row can never be split.
    #[error("the middle of its largest store file lies in the file's {end} row `{row}`")]
    OneRow {
        /// `first` or `last`.
        end: &'static str,
        /// That row.
        row: RowKey,
    },
    /// `SplitTableRegionProcedure`: nothing would lie below it. Policies by prefix meet it when a region holds one prefix.
    #[error("the split row `{0}` is the region's start key")]
    StartKey(RowKey),
    /// `SplitTableRegionProcedure`: a row given by an operator, or a prefix that sorts before the start key.
    #[error("the split row `{0}` lies outside the region")]
    Outside(RowKey),
}

/// The split row of the region `[start, end)` (an empty end is the end of the key space), cut as `policy` wants it.
///
/// # Errors
/// [`NoSplitRow`], in HBase's order. A region that gives one is asked again at its next flush or compaction.
pub fn split_row(
    policy: &SplitPolicy,
    start: &[u8],
    end: &[u8],
    has_references: bool,
    largest_file: Option<SampledFile<'_>>,
) -> Result<RowKey, NoSplitRow> {
    if has_references {
        return Err(NoSplitRow::References);
    }
    let file = largest_file.ok_or(NoSplitRow::NoFile)?;
    // The index entry of N blocks is number N / 2, from 0.
    let middle = file.sample.get(file.sample.len() / 2);
    let middle = *middle.ok_or(NoSplitRow::NoFile)?;
    for (end, row) in [("first", file.first), ("last", file.last)] {
        if middle == row {
            let row = RowKey::from(row);
            return Err(NoSplitRow::OneRow { end, row });
        }
    }
    check_split_row(start, end, policy.cut(middle)).map(RowKey::from)
}

/// `row`, when it lies strictly inside `[start, end)`: what HBase checks of every split row, an operator's as well.
///
/// # Errors
/// [`NoSplitRow::StartKey`] and [`NoSplitRow::Outside`].
pub fn check_split_row<'a>(
    start: &[u8],
    end: &[u8],
    row: &'a [u8],
) -> Result<&'a [u8], NoSplitRow> {
    if row == start {
        Err(NoSplitRow::StartKey(RowKey::from(row)))
    } else if row < start || (!end.is_empty() && row >= end) {
        Err(NoSplitRow::Outside(RowKey::from(row)))
    } else {
        Ok(row)
    }
}

impl SplitPolicy {
    /// A row without what the policy keeps together: its first `prefix_length` bytes, or what stands before the first delimiter (the
    /// whole row when it has none); for the other policies the row itself.
    pub fn cut<'a>(&self, row: &'a [u8]) -> &'a [u8] {
        match self {
            Self::KeyPrefix { prefix_length } => &row[..row.len().min(*prefix_length)],
            Self::DelimitedKeyPrefix { delimiter } => {
                let at = match delimiter.len() {
                    0 => None,
                    width => row.windows(width).position(|bytes| bytes == delimiter),
                };
                &row[..at.unwrap_or(row.len())]
            }
            _ => row,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{DrawKey, Seed, Stream};
    use crate::statistics::sample_median_error;

    fn found(
        policy: &SplitPolicy,
        start: &str,
        end: &str,
        keys: &[&str],
    ) -> Result<String, NoSplitRow> {
        let sample: Vec<&[u8]> = keys.iter().map(|key| key.as_bytes()).collect();
        let file = SampledFile {
            first: sample[0],
            last: sample[sample.len() - 1],
            sample: &sample,
        };
        split_row(policy, start.as_bytes(), end.as_bytes(), false, Some(file))
            .map(|row| row.to_string())
    }

    #[test]
    fn the_middle_of_the_data_is_the_row_wherever_the_region_ends() {
        let keys = ["b", "c1", "c2", "c3", "c4", "x"];
        assert_eq!(
            found(&SplitPolicy::Stepping, "a", "", &keys),
            Ok("c3".into())
        );
        assert_eq!(
            found(&SplitPolicy::Stepping, "", "y", &keys[..5]),
            Ok("c2".into())
        );
    }

    #[test]
    fn a_file_whose_middle_is_its_first_or_last_row_is_not_split() {
        let refusal = |keys: &[&str]| {
            found(&SplitPolicy::Stepping, "", "", keys)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            refusal(&["k", "k", "k"]),
            "the middle of its largest store file lies in the file's first row `k`"
        );
        assert_eq!(refusal(&["k", "k", "k", "m"]), refusal(&["k"]));
        assert!(refusal(&["a", "k", "k", "k"]).contains("last row `k`"));
        // A hot row that is neither begins the upper daughter.
        assert_eq!(
            found(&SplitPolicy::Stepping, "", "", &["a", "k", "k", "k", "z"]),
            Ok("k".into())
        );
    }

    #[test]
    fn prefixes_are_cut_and_one_prefix_can_not_be() {
        let prefix = SplitPolicy::KeyPrefix { prefix_length: 3 };
        let delimited = |delimiter: &[u8]| SplitPolicy::DelimitedKeyPrefix {
            delimiter: delimiter.to_vec(),
        };
        let keys = ["aaa:1", "aab:7", "aab:8", "aab:9", "ab"];
        assert_eq!(found(&prefix, "aaa", "", &keys), Ok("aab".into()));
        assert_eq!(found(&delimited(b":"), "", "", &keys), Ok("aab".into()));
        assert_eq!(found(&delimited(b"b:"), "", "", &keys), Ok("aa".into()));
        assert_eq!(found(&delimited(b"#"), "", "", &keys), Ok("aab:8".into()));
        assert_eq!(
            found(&prefix, "aab", "", &keys[1..]),
            Err(NoSplitRow::StartKey(RowKey::from(&b"aab"[..])))
        );
        assert_eq!(
            found(&prefix, "aab:5", "", &keys[1..])
                .unwrap_err()
                .to_string(),
            "the split row `aab` lies outside the region"
        );
    }

    #[test]
    fn references_and_missing_files_come_first() {
        let row = |references| split_row(&SplitPolicy::Stepping, b"", b"", references, None);
        assert_eq!(row(true), Err(NoSplitRow::References));
        assert_eq!(row(false), Err(NoSplitRow::NoFile));
        assert_eq!(check_split_row(b"b", b"d", b"c"), Ok(&b"c"[..]));
        assert!(check_split_row(b"b", b"d", b"d").is_err());
    }

    #[test]
    fn a_split_leaves_half_of_the_file_behind_within_the_error_of_its_sample() {
        // 64 of 5,000 keys, 400 times.
        let (sampled, total, rounds) = (64usize, 5_000usize, 400u64);
        let keys: Vec<[u8; 4]> = (0..total as u32).map(u32::to_be_bytes).collect();
        let error = sample_median_error(sampled as u64, total as u64).unwrap();
        let draws = DrawKey::new(Seed(11), 0, Stream::Sample, 0);
        let (mut sum, mut square) = (0.0, 0.0);
        for round in 0..rounds {
            let mut draw = draws.at(round);
            let mut ranks: Vec<usize> = (0..total).collect();
            for i in 0..sampled {
                ranks.swap(i, i + draw.below((total - i) as u64) as usize);
            }
            ranks.truncate(sampled);
            ranks.sort_unstable();
            let sample: Vec<&[u8]> = ranks.iter().map(|&rank| &keys[rank][..]).collect();
            let file = SampledFile {
                sample: &sample,
                first: &keys[0],
                last: &keys[total - 1],
            };
            let row = split_row(&SplitPolicy::Stepping, b"", b"", false, Some(file)).unwrap();
            let below = keys.partition_point(|key| key[..] < *row.as_bytes()) as f64 / total as f64;
            sum += below - error.mean;
            square += (below - error.mean).powi(2);
        }
        // Four standard errors of the mean, and of the variance of a nearly normal number (2 sd^4 / rounds).
        let rounds = rounds as f64;
        assert!((sum / rounds).abs() < 4.0 * error.sd / rounds.sqrt());
        let variance = error.sd * error.sd;
        assert!((square / rounds - variance).abs() < 4.0 * variance * (2.0 / rounds).sqrt());
    }
}
