//! The regions that a table with rows has had time to split into before a run starts. Must not know how the rows were written.

use super::{SampledFile, SplitCandidate, SplitPolicy, SplitSizes, split_row};
use crate::keyspace::RowKey;
use crate::time::SimDuration;
use std::ops::Range;

/// A table with rows: what decides where it has been split.
#[derive(Debug, Clone, Copy)]
pub struct GrownTable<'a> {
    /// Sorted keys of a sample of its rows, each standing for as many bytes: a row that has as many as several is there as often.
    pub sample: &'a [&'a [u8]],
    /// Of its store files, with all that has expired since.
    pub bytes: u64,
    /// When it is split.
    pub policy: &'a SplitPolicy,
    /// What the policy measures regions by.
    pub sizes: SplitSizes,
    /// Regions are dealt to so many.
    pub servers: u32,
    /// Of a table that forgets rows.
    pub expiry: Option<Expiry<'a>>,
}

/// How long the rows of a table stay.
#[derive(Debug, Clone, Copy)]
pub struct Expiry<'a> {
    /// When the rows of the sample were written, in milliseconds.
    pub written_ms: &'a [u64],
    /// How long each stays.
    pub kept_ms: u64,
}

/// Where a table has been split, and when.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Growth {
    /// All split points, sorted: those of the pre-split, too.
    pub points: Vec<RowKey>,
    /// The regions that were split off, by their places in key order, in the order in which that happened.
    pub split_off: Vec<u32>,
}

/// A split that has been found.
struct Split {
    row: RowKey,
    /// Rows of the sample from its region's first to the first one that the upper daughter gets, and to its region's end.
    rows: Range<usize>,
    middle: usize,
    /// Store size above which the region was split.
    threshold: u64,
}

impl GrownTable<'_> {
    /// The split points that a run starts with: those of `points` (sorted), and those at which the table has been split since.
    ///
    /// Round by round, every region over its threshold is split at its data's middle until none is; regions are dealt round robin to the
    /// servers anew in each round, so that region i of n has as many of its table on its server as there are regions i, i + servers,
    /// i + 2 servers... There is no jitter, and references are compacted. A region that can't be split, for one that holds one row, stays whole.
    /// A region of rows that expire is as large as those that were there at one time, at most.
    ///
    /// O(rounds x (regions + log sample)), with at most as many rounds as regions, and log2(bytes / threshold) of them when keys are many; where rows
    /// expire, O(sample x log sample) a round.
    pub fn starting_points(&self, points: &[RowKey]) -> Vec<RowKey> {
        self.grow(points, |_| ())
    }

    /// The same with the order of the splits. `written` says of each row of the sample at which place it was written.
    ///
    /// A region was split when each of its daughters held half of the size at which it is split: so a table of hashed keys doubles again and
    /// again, and one whose keys rise is split at its end. O(rounds x sample) besides.
    pub fn growth(&self, points: &[RowKey], written: &[u32]) -> Growth {
        debug_assert_eq!(written.len(), self.sample.len());
        let mut times = Vec::new();
        let mut scratch = Vec::new();
        let mut written_before = |rows: &[u32], half: usize| {
            scratch.clear();
            scratch.extend_from_slice(rows);
            let last = rows.len().checked_sub(1)?;
            Some(*scratch.select_nth_unstable(half.min(last)).1)
        };
        let points = self.grow(points, |split| {
            let half = u128::from(split.threshold / 2) * written.len() as u128;
            let half = (half / u128::from(self.bytes.max(1))) as usize;
            let lower = written_before(&written[split.rows.start..split.middle], half);
            let upper = written_before(&written[split.middle..split.rows.end], half);
            times.push((lower.max(upper), split.row.clone()));
        });
        times.sort_unstable();
        // The region above the point at place p is that of place p + 1.
        let region = |row: &RowKey| points.partition_point(|point| point <= row) as u32;
        Growth {
            split_off: times.iter().map(|(_, row)| region(row)).collect(),
            points,
        }
    }

    fn grow(&self, points: &[RowKey], mut each: impl FnMut(&Split)) -> Vec<RowKey> {
        debug_assert!(points.is_sorted() && self.sample.is_sorted());
        let mut points = points.to_vec();
        loop {
            let found = self.due_splits(&points);
            if found.is_empty() {
                return points;
            }
            found.iter().for_each(&mut each);
            points.extend(found.into_iter().map(|split| split.row));
            points.sort_unstable();
        }
    }

    /// How many of these rows of the sample were there at one time, at most.
    fn most_at_once(&self, rows: Range<usize>) -> usize {
        let Some(Expiry {
            written_ms,
            kept_ms,
        }) = self.expiry
        else {
            return rows.len();
        };
        let mut times = written_ms[rows].to_vec();
        times.sort_unstable();
        let mut first = 0;
        let there = times.iter().enumerate().map(|(at, time)| {
            while times[first] + kept_ms < *time {
                first += 1;
            }
            at + 1 - first
        });
        there.max().unwrap_or(0)
    }

    /// The regions that are over their thresholds.
    fn due_splits(&self, points: &[RowKey]) -> Vec<Split> {
        let sample = self.sample;
        let servers = u64::from(self.servers.max(1));
        let regions = points.len() as u64 + 1;
        let mut found = Vec::new();
        let mut from = 0;
        let bounds = || points.iter().map(RowKey::as_bytes);
        let starts = std::iter::once(&[][..]).chain(bounds());
        let ends = bounds().chain([&[][..]]);
        for (region, (start, end)) in (0..).zip(starts.zip(ends)) {
            let rows = match end {
                [] => &sample[from..],
                _ => &sample[from..][..sample[from..].partition_point(|row| *row < end)],
            };
            let range = from..from + rows.len();
            from = range.end;
            let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else {
                continue;
            };
            let on_server = regions / servers + u64::from(region % servers < regions % servers);
            let on_server = u32::try_from(on_server).unwrap_or(u32::MAX);
            let bytes =
                |rows: usize| (u128::from(self.bytes) * rows as u128 / sample.len() as u128) as u64;
            let mut candidate = SplitCandidate {
                store_bytes: bytes(rows.len()),
                store_files: 1,
                has_references: false,
                table_regions: on_server,
                server_regions: on_server,
                blocked_rate: 0.0,
                age: SimDuration::ZERO,
                jitter: 0.0,
            };
            let verdict = |it: &SplitCandidate| self.policy.verdict(self.sizes, it, u32::MAX);
            if !verdict(&candidate).splits() {
                continue;
            }
            candidate.store_bytes = bytes(self.most_at_once(range.clone()));
            let verdict = verdict(&candidate);
            if !verdict.splits() {
                continue;
            }
            let file = SampledFile {
                sample: rows,
                first,
                last,
            };
            let Ok(row) = split_row(self.policy, start, end, false, Some(file)) else {
                continue;
            };
            found.push(Split {
                middle: range.start + rows.partition_point(|at| *at < row.as_bytes()),
                rows: range,
                threshold: verdict.above_bytes.unwrap_or(candidate.store_bytes),
                row,
            });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MB: u64 = 1 << 20;
    const SIZES: SplitSizes = SplitSizes {
        max_file_bytes: 10_240 * MB,
        flush_bytes: 128 * MB,
    };

    fn even(rows: u32) -> Vec<[u8; 4]> {
        (0..rows).map(u32::to_be_bytes).collect()
    }

    fn slices(rows: &[[u8; 4]]) -> Vec<&[u8]> {
        rows.iter().map(|row| &row[..]).collect()
    }

    fn stepping(points: &[RowKey], rows: &[&[u8]], bytes: u64, servers: u32) -> Vec<RowKey> {
        let table = GrownTable {
            sample: rows,
            bytes,
            policy: &SplitPolicy::Stepping,
            sizes: SIZES,
            servers,
            expiry: None,
        };
        table.starting_points(points)
    }

    #[test]
    fn stepping_splits_small_while_servers_have_one_region_and_large_then() {
        let rows = even(4_096);
        let rows = slices(&rows);
        let regions = |bytes, servers| stepping(&[], &rows, bytes, servers).len() + 1;
        assert_eq!(regions(256 * MB, 4), 1);
        assert_eq!(regions(257 * MB, 4), 2);
        // 2 of 400 MB on servers of their own, 4 of 200 MB.
        assert_eq!(regions(800 * MB, 4), 4);
        // 4 of 275 MB, then two a server, below 10 GB.
        assert_eq!(regions(1_100 * MB, 4), 8);
        // On one server the second region ends it until 10 GB.
        assert_eq!(regions(1_100 * MB, 1), 2);
        assert_eq!(regions(3 * 10_240 * MB, 1), 4);
    }

    #[test]
    fn points_are_the_middles_of_the_data_and_those_given_stay() {
        let rows = even(1_000);
        let rows = slices(&rows);
        let given = [RowKey((600u32).to_be_bytes().to_vec())];
        // 360 MB below the point and 240 MB above it, on servers of their own.
        let points = stepping(&given, &rows, 600 * MB, 8);
        let expected = [300u32, 600].map(|row| RowKey(row.to_be_bytes().to_vec()));
        assert_eq!(points, expected);
    }

    #[test]
    fn a_table_of_hashed_keys_doubles_and_one_of_rising_keys_is_split_at_its_end() {
        let rows = even(4_096);
        let rows = slices(&rows);
        let table = GrownTable {
            sample: &rows,
            bytes: 7 * 10_240 * MB,
            policy: &SplitPolicy::ConstantSize,
            sizes: SIZES,
            servers: 4,
            expiry: None,
        };
        // 70 GB are halved three times: eight regions of 8.75 GB.
        let rising: Vec<u32> = (0..4_096).collect();
        let growth = table.growth(&[], &rising);
        assert_eq!(growth.points, table.starting_points(&[]));
        assert_eq!(growth.split_off, [1, 2, 3, 4, 5, 6, 7]);
        // An odd multiplier is a bijection of twelve bits: rows are written all over the table.
        let hashed: Vec<u32> = (0..4_096u32).map(|row| row * 2_531 % 4_096).collect();
        let growth = table.growth(&[], &hashed);
        let sorted = |splits: &[u32]| {
            let mut splits = splits.to_vec();
            splits.sort_unstable();
            splits
        };
        assert_eq!(growth.split_off[0], 4);
        assert_eq!(sorted(&growth.split_off[1..3]), [2, 6]);
        assert_eq!(sorted(&growth.split_off[3..]), [1, 3, 5, 7]);
        // What was given is no daughter.
        let given = [growth.points[3].clone()];
        assert_eq!(
            sorted(&table.growth(&given, &rising).split_off),
            [1, 2, 3, 5, 6, 7]
        );
    }

    /// 96 days of 1 MB each, of which 32 stay: behind time, and behind one of two buckets, as many regions as if nothing had been forgotten; behind a
    /// hash the 32 MB that are there at a time.
    #[test]
    fn a_table_that_forgets_rows_has_grown_by_what_was_there_at_a_time() {
        const DAY: u64 = 86_400_000;
        let rows = even(9_600);
        let rows = slices(&rows);
        let regions = |day: fn(u64) -> u64| {
            let written_ms: Vec<u64> = (0..9_600).map(|row| day(row) * DAY / 100).collect();
            let table = GrownTable {
                sample: &rows,
                bytes: 96 * MB,
                policy: &SplitPolicy::ConstantSize,
                sizes: SplitSizes {
                    max_file_bytes: 10 * MB,
                    flush_bytes: MB,
                },
                servers: 4,
                expiry: Some(Expiry {
                    written_ms: &written_ms,
                    kept_ms: 32 * DAY,
                }),
            };
            table.starting_points(&[]).len() + 1
        };
        // 96 MB in time's order are halved to 6 MB; of a bucket's 48 MB 16 are there at a time, 16 of each half, 12 of each quarter.
        assert_eq!(regions(|row| row), 16);
        assert_eq!(regions(|row| row % 4_800 * 2), 16);
        // An odd multiplier is a bijection: any quarter holds 8 of the 32 MB.
        assert_eq!(regions(|row| row * 7_919 % 9_600), 4);
    }

    #[test]
    fn one_row_and_one_prefix_stay_whole() {
        let rows = [[7, 7, 7, 7]; 50];
        assert_eq!(stepping(&[], &slices(&rows), 1 << 40, 3), []);
        // Nothing lies below the first prefix, yet its row lies above the region's start, so that HBase splits there; then 300 rows of two
        // prefixes have their middle in the first one.
        let rows = even(300);
        let policy = SplitPolicy::KeyPrefix { prefix_length: 3 };
        let sample = slices(&rows);
        let points = |policy| {
            let table = GrownTable {
                sample: &sample,
                bytes: 1 << 40,
                policy,
                sizes: SIZES,
                servers: 3,
                expiry: None,
            };
            table.starting_points(&[])
        };
        assert_eq!(points(&policy), [RowKey(vec![0, 0, 0])]);
        assert_eq!(points(&SplitPolicy::Disabled), []);
        assert_eq!(stepping(&[], &[], 1 << 40, 3), []);
    }

    proptest! {
        #[test]
        fn no_region_is_left_over_its_threshold(
            gb in 1u64..300, servers in 1u32..12, given in proptest::collection::btree_set(1u32..5_000, 0..5),
        ) {
            let rows = even(5_000);
            let rows = slices(&rows);
            let given: Vec<RowKey> = given.into_iter().map(|row| RowKey(row.to_be_bytes().to_vec())).collect();
            let points = stepping(&given, &rows, gb << 30, servers);
            prop_assert!(points.is_sorted_by(|a, b| a < b));
            prop_assert!(given.iter().all(|point| points.contains(point)));
            let bounds: Vec<usize> = std::iter::once(0)
                .chain(points.iter().map(|point| rows.partition_point(|row| *row < point.as_bytes())))
                .chain([rows.len()])
                .collect();
            let regions = bounds.len() - 1;
            for region in 0..regions {
                let here = (region % servers as usize..regions).step_by(servers as usize).count() as u32;
                let bytes = (gb << 30) * (bounds[region + 1] - bounds[region]) as u64 / 5_000;
                prop_assert!(bytes <= SplitPolicy::Stepping.threshold(SIZES, here, 0.0).unwrap());
            }
        }
    }
}
