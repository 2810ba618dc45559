//! HBase's region normalizer: splits and merges by size alone (`SimpleRegionNormalizer`). Must not know load, nor keys.

use crate::settings::{FromSource, Source, boolean, given, integer, size, time};
use crate::time::SimDuration;
use crate::units::ByteSize;
use std::ops::Range;

/// Settings of the normalizer; sizes are whole MB of store files, as servers report them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalizerRules {
    /// `NORMALIZER_TARGET_REGION_SIZE_MB` of the table; before `target_count`.
    pub target_mb: Option<u64>,
    /// `NORMALIZER_TARGET_REGION_COUNT` of the table.
    pub target_count: Option<u64>,
    /// Fewest regions of a table of which any are merged (`hbase.normalizer.merge.min.region.count`).
    pub merge_min_regions: usize,
    /// Youngest age of a region that is merged (`hbase.normalizer.merge.min_region_age.days`).
    pub merge_min_age: SimDuration,
    /// Smallest size of one (`hbase.normalizer.merge.min_region_size.mb`), so that pre-split regions outlive their emptiness.
    pub merge_min_mb: u64,
    /// Most regions that become one (`hbase.normalizer.merge.merge_request_max_number_of_regions`).
    pub merge_max_regions: usize,
}

impl Default for NormalizerRules {
    /// HBase's (`hbase-default.xml` before the code where they differ).
    fn default() -> Self {
        Self {
            target_mb: None,
            target_count: None,
            merge_min_regions: 3,
            merge_min_age: SimDuration::from_secs(3 * 86_400),
            merge_min_mb: 1,
            merge_max_regions: 100,
        }
    }
}

/// The normalizer of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct NormalizerSpec {
    /// What it splits and merges.
    pub rules: NormalizerRules,
    /// How often it runs, first after one period (`hbase.normalizer.period`).
    pub period: SimDuration,
}

crate::settings! {
    /// Whether and how regions of one size are made.
    pub static NORMALIZING("", "") {
        /// HBase's region normalizer.
        ///
        /// `NORMALIZATION_ENABLED`.
        normalization = boolean(),
        /// How often the normalizer runs.
        ///
        /// `hbase.normalizer.period`.
        normalizer_period = time().of("normalization", &["true"])
            .within("1s", "", "a `normalizer_period` of {}", "must be at least 1s"),
        /// Younger regions are not merged.
        normalizer_min_age = time().of("normalization", &["true"]),
        /// The size that regions should have, at least 1MB.
        normalizer_target_size = size().of("normalization", &["true"])
            .within("1MB", "", "a `normalizer_target_size` of less than 1MB", "HBase counts whole MB"),
        /// How many regions the table should have.
        normalizer_target_count = integer(1, 1_000_000).of("normalization", &["true"]),
    }
}

impl FromSource for Option<NormalizerSpec> {
    fn read_all(table: &dyn Source) -> Self {
        if table.choose("normalization") != Some("true") {
            return None;
        }
        let period = SimDuration::read(table, "normalizer_period");
        let merge_min_age = SimDuration::read(table, "normalizer_min_age");
        let target_size: Option<ByteSize> = given(table, "normalizer_target_size");
        let target_count = given(table, "normalizer_target_count");
        if target_size.is_some() && table.says("normalizer_target_count") {
            let message = "`normalizer_target_count` has no meaning here".to_owned();
            let label = "`normalizer_target_size` is used instead";
            table.complain_of_key("normalizer_target_count", message, label);
        }
        let rules = NormalizerRules {
            target_mb: target_size.map(|size| size.0 >> 20),
            target_count,
            merge_min_age,
            ..NormalizerRules::default()
        };
        Some(NormalizerSpec { rules, period })
    }
}

/// A region as the normalizer sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NormalizedRegion {
    /// Size of its store files in whole MB.
    pub store_mb: u64,
    /// Neither offline nor moving.
    pub open: bool,
    /// Since it was created.
    pub age: SimDuration,
}

/// One step towards regions of one size; regions are numbered in key order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NormalizerPlan {
    /// Split this region at the middle of its data.
    Split(usize),
    /// Make one region of these, on the server of the first.
    Merge(Range<usize>),
}

impl NormalizerRules {
    /// The plans for a table whose `regions` come in key order: splits first, then merges. A region twice as large as the mean is split;
    /// neighbours that together are at most the mean are merged; so that none stays empty, an empty one is merged with whatever follows it.
    /// So a merge can name a region that a split names: HBase does the split, and the merge fails. O(regions).
    pub fn plans(&self, regions: &[NormalizedRegion]) -> Vec<NormalizerPlan> {
        if regions.is_empty() {
            return Vec::new();
        }
        let mean = self.mean_mb(regions);
        let large = |at: &usize| {
            let NormalizedRegion { open, store_mb, .. } = regions[*at];
            open && store_mb as f64 > 2.0 * mean
        };
        let splits = (0..regions.len()).filter(large);
        let mut plans: Vec<_> = splits.map(NormalizerPlan::Split).collect();
        // HBase cuts the mean to whole MB for merges only.
        let mean = mean as u64;
        if regions.len() >= self.merge_min_regions && mean >= self.merge_min_mb {
            self.merges(regions, mean, &mut plans);
        }
        plans
    }

    fn mean_mb(&self, regions: &[NormalizedRegion]) -> f64 {
        let total: u64 = regions.iter().map(|region| region.store_mb).sum();
        match (self.target_mb, self.target_count) {
            (Some(target), _) => target as f64,
            (None, Some(count)) => total as f64 / count as f64,
            (None, None) => total as f64 / regions.len() as f64,
        }
    }

    fn merges(&self, regions: &[NormalizedRegion], mean: u64, plans: &mut Vec<NormalizerPlan>) {
        let (mut range, mut sum) = (0..0, 0);
        for (at, region) in regions.iter().enumerate() {
            let may_merge = self.may_merge(region);
            let room = range.len() < self.merge_max_regions;
            let fits = (range.len() == 1 && sum == 0)
                || (room && (region.store_mb == 0 || region.store_mb + sum <= mean));
            if !may_merge || range.is_empty() || !fits {
                plans.extend((range.len() >= 2).then_some(NormalizerPlan::Merge(range)));
                (range, sum) = (at..at, 0);
            }
            if may_merge {
                range.end = at + 1;
                sum += region.store_mb;
            }
        }
        plans.extend((range.len() >= 2).then_some(NormalizerPlan::Merge(range)));
    }

    fn may_merge(&self, region: &NormalizedRegion) -> bool {
        region.open && region.age > self.merge_min_age && region.store_mb >= self.merge_min_mb
    }
}

#[cfg(test)]
mod tests {
    use super::NormalizerPlan::*;
    use super::*;
    use proptest::prelude::*;

    fn old(store_mb: u64) -> NormalizedRegion {
        NormalizedRegion {
            store_mb,
            open: true,
            age: SimDuration::from_secs(4 * 86_400),
        }
    }

    fn plans(rules: &NormalizerRules, sizes: &[u64]) -> Vec<NormalizerPlan> {
        let regions: Vec<_> = sizes.iter().map(|&size| old(size)).collect();
        rules.plans(&regions)
    }

    #[test]
    fn large_regions_are_split_and_small_neighbours_merged_up_to_the_mean() {
        let rules = NormalizerRules::default();
        // Mean 15.17, 15 for merges: 10 + 5 fit, 5 + 1 + 9 fit, 61 is over twice the mean.
        let found = plans(&rules, &[10, 5, 61, 5, 1, 9]);
        assert_eq!(found, [Split(2), Merge(0..2), Merge(3..6)]);
        // Twice the mean exactly is not larger.
        assert_eq!(plans(&rules, &[30, 7, 8, 0, 30]), [Merge(1..3)]);
    }

    #[test]
    fn targets_replace_the_mean() {
        let size = NormalizerRules {
            target_mb: Some(4),
            target_count: Some(1),
            ..NormalizerRules::default()
        };
        assert_eq!(plans(&size, &[2, 2, 9]), [Split(2), Merge(0..2)]);
        let count = NormalizerRules {
            target_count: Some(1),
            ..NormalizerRules::default()
        };
        assert_eq!(plans(&count, &[2, 2, 9]), [Merge(0..3)]);
        // 91 MB in 7 regions would be 13 each: 10 + 5 is more, 5 + 1 is not.
        let seven = NormalizerRules {
            target_count: Some(7),
            ..count
        };
        assert_eq!(
            plans(&seven, &[10, 5, 61, 5, 1, 9]),
            [Split(2), Merge(3..5)]
        );
    }

    #[test]
    fn few_young_empty_and_closed_regions_are_not_merged() {
        let rules = NormalizerRules::default();
        // Two of 4 MB would fit into one of 8.
        let large = NormalizerRules {
            target_mb: Some(8),
            ..rules
        };
        assert_eq!(plans(&large, &[4, 4]), []);
        assert_eq!(plans(&large, &[4, 4, 9]), [Merge(0..2)]);
        let mut regions = [1, 1, 1, 1, 1, 20].map(old);
        assert_eq!(rules.plans(&regions), [Split(5), Merge(0..4)]);
        regions[1].age = rules.merge_min_age;
        regions[3].open = false;
        assert_eq!(rules.plans(&regions), [Split(5)]);
        assert_eq!(plans(&rules, &[0, 0, 9, 0, 0, 0]), [Split(2)]);
        let code = NormalizerRules {
            merge_min_mb: 0,
            ..rules
        };
        assert_eq!(
            plans(&code, &[0, 0, 9, 0, 0, 0]),
            [Split(2), Merge(0..2), Merge(2..6)]
        );
        let few = NormalizerRules {
            merge_max_regions: 2,
            ..code
        };
        assert_eq!(
            plans(&few, &[0, 0, 0, 0, 0, 99]),
            [Split(5), Merge(0..2), Merge(2..4), Merge(4..6)]
        );
    }

    proptest! {
        #[test]
        fn merges_are_disjoint_neighbours_of_at_most_the_mean(
            sizes in proptest::collection::vec(1u64..60, 3..40),
        ) {
            let mean = sizes.iter().sum::<u64>() / sizes.len() as u64;
            let mut last = 0;
            for plan in plans(&NormalizerRules::default(), &sizes) {
                if let Merge(range) = plan {
                    prop_assert!(range.start >= last && range.len() >= 2);
                    prop_assert!(sizes[range.clone()].iter().sum::<u64>() <= mean);
                    last = range.end;
                }
            }
        }
    }
}
