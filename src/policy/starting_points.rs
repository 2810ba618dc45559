//! The regions that a table with rows has had time to split into before a run starts. Must not know how the rows were written.

use super::{SampledFile, SplitCandidate, SplitPolicy, SplitSizes, split_row};
use crate::keyspace::RowKey;
use crate::time::SimDuration;

/// A table with rows: what decides where it has been split.
#[derive(Debug, Clone, Copy)]
pub struct GrownTable<'a> {
    /// Sorted keys of a sample of its rows, repetitions included, each standing for as many bytes.
    pub sample: &'a [&'a [u8]],
    /// Of its store files.
    pub bytes: u64,
    /// When it is split.
    pub policy: &'a SplitPolicy,
    /// What the policy measures regions by.
    pub sizes: SplitSizes,
    /// Regions are dealt to so many.
    pub servers: u32,
}

impl GrownTable<'_> {
    /// The split points that a run starts with: those of `points` (sorted), and those at which the table has been split since.
    ///
    /// Round by round, every region over its threshold is split at its data's middle until none is; regions are dealt round robin to the
    /// servers anew in each round, so that region i of n has as many of its table on its server as there are regions i, i + servers,
    /// i + 2 servers... There is no jitter, and references are compacted. A region that can't be split, for one that holds one row, stays whole.
    /// O(rounds x (regions + log sample)), with at most as many rounds as regions, and log2(bytes / threshold) of them when keys are many.
    pub fn starting_points(&self, points: &[RowKey]) -> Vec<RowKey> {
        debug_assert!(points.is_sorted() && self.sample.is_sorted());
        let mut points = points.to_vec();
        loop {
            let found = self.due_points(&points);
            if found.is_empty() {
                return points;
            }
            points.extend(found);
            points.sort_unstable();
        }
    }

    /// Split rows of the regions that are over their thresholds.
    fn due_points(&self, points: &[RowKey]) -> Vec<RowKey> {
        let sample = self.sample;
        let servers = u64::from(self.servers.max(1));
        let regions = points.len() as u64 + 1;
        let mut found = Vec::new();
        let mut from = 0;
        for region in 0..regions {
            let start = match region {
                0 => &[][..],
                _ => points[region as usize - 1].as_bytes(),
            };
            let end = points
                .get(region as usize)
                .map_or(&[][..], RowKey::as_bytes);
            let rows = match end {
                [] => &sample[from..],
                _ => &sample[from..from + sample[from..].partition_point(|row| *row < end)],
            };
            from += rows.len();
            let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else {
                continue;
            };
            let on_server = regions / servers + u64::from(region % servers < regions % servers);
            let on_server = u32::try_from(on_server).unwrap_or(u32::MAX);
            let share = u128::from(self.bytes) * rows.len() as u128;
            let candidate = SplitCandidate {
                store_bytes: (share / sample.len() as u128) as u64,
                store_files: 1,
                has_references: false,
                table_regions: on_server,
                server_regions: on_server,
                blocked_rate: 0.0,
                age: SimDuration::ZERO,
                jitter: 0.0,
            };
            let verdict = self.policy.verdict(self.sizes, &candidate, u32::MAX);
            if !verdict.splits() {
                continue;
            }
            let file = SampledFile {
                sample: rows,
                first,
                last,
            };
            found.extend(split_row(self.policy, start, end, false, Some(file)));
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
