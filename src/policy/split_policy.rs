//! When a region is split: HBase's seven policies. Must not know keys, nor how sizes came about.

use crate::settings::{FromSource, Source, given, integer, number, text, time, word};
use crate::time::SimDuration;

/// Regions of one server from which on none is split (HBase default, `hbase.regionserver.regionSplitLimit`; `CompactSplit`).
const REGION_SPLIT_LIMIT: u32 = 1_000;

/// Share of the largest file size within which its jitter lies, half to each side (HBase default,
/// `hbase.hregion.max.filesize.jitter`; `ConstantSizeRegionSplitPolicy`).
pub const MAX_FILE_SIZE_JITTER: f64 = 0.25;

/// Regions of the table on the server above which the increasing policy stops growing
/// (`IncreasingToUpperBoundRegionSplitPolicy.getSizeToCheck`).
const INCREASING_REGIONS: u64 = 100;

/// When a region is split, in HBase's words (`hbase.regionserver.region.split.policy`).
#[derive(Debug, Clone, PartialEq)]
pub enum SplitPolicy {
    /// `SteppingSplitPolicy`, the default: at twice the flush size while the server has one region of the table, then at the
    /// largest file size.
    Stepping,
    /// `ConstantSizeRegionSplitPolicy`: at the largest file size.
    ConstantSize,
    /// `IncreasingToUpperBoundRegionSplitPolicy`: at twice the flush size times the cube of the table's regions on the server, at
    /// most the largest file size.
    Increasing,
    /// `KeyPrefixRegionSplitPolicy`: as increasing; rows that share a prefix stay together.
    KeyPrefix {
        /// Bytes of the prefix, > 0 (table value `KeyPrefixRegionSplitPolicy.prefix_length`).
        prefix_length: usize,
    },
    /// `DelimitedKeyPrefixRegionSplitPolicy`: as increasing; rows that are equal before the first delimiter stay together.
    DelimitedKeyPrefix {
        /// Not empty (table value `DelimitedKeyPrefixRegionSplitPolicy.delimiter`).
        delimiter: Vec<u8>,
    },
    /// `BusyRegionSplitPolicy`: as increasing, or when the region refuses many writes.
    BusyRegion(BusyRules),
    /// `DisabledRegionSplitPolicy`: never.
    Disabled,
}

crate::settings! {
    /// When a region counts as busy.
    #[derive(Copy)]
    pub struct BusyRules: BUSY("", "") in "table" {
        /// Of `busy-region`: share of blocked requests from which it splits.
        ///
        /// Refused batches per written row (`hbase.busy.policy.blockedRequests`).
        busy_blocked_requests: f32 = number("greater than 0, and at most 1", 0.0, 1.0, (false, true)).of("split_policy", &["busy-region"]),
        /// Of `busy-region`: younger regions are not busy.
        ///
        /// Time since the region's opening (`hbase.busy.policy.minAge`).
        busy_min_age: SimDuration = time().of("split_policy", &["busy-region"]),
        /// Of `busy-region`: the time over which requests are counted.
        ///
        /// Window of the rate (`hbase.busy.policy.aggWindow`), see [`super::BlockedRate`].
        busy_window: SimDuration = time().of("split_policy", &["busy-region"])
            .within("", "", "`table.busy_window` is zero", "must be longer than zero").zero(false),
    }
}

crate::settings! {
    /// When the regions of a table are split.
    pub static SPLITTING("", "") {
        /// HBase's policies. stepping: at twice the flush size while a server has one region, then at `max_file_size`.
        split_policy = word(&[
            "stepping", "constant-size", "increasing", "key-prefix", "delimited-key-prefix", "busy-region", "disabled",
        ]),
        /// Of `key-prefix`: bytes that are kept together.
        ///
        /// HBase takes rows of at most 32,767 bytes.
        prefix_length = integer(1, 32_767).of("split_policy", &["key-prefix"]).needs("4"),
        /// Of `delimited-key-prefix`: ends the prefix that is kept together.
        delimiter = text(r#""minLength": 1"#).of("split_policy", &["delimited-key-prefix"]).needs(r#""|""#),
    }
}

impl SplitPolicy {
    /// What tables are created with for it, by the names of HBase's shell: nothing for the default. The limits of `busy-region` are settings of the servers.
    pub fn attributes(&self) -> Vec<(&'static str, String)> {
        let (class, value) = match self {
            Self::Stepping => return Vec::new(),
            Self::ConstantSize => ("ConstantSizeRegionSplitPolicy", None),
            Self::Increasing => ("IncreasingToUpperBoundRegionSplitPolicy", None),
            Self::KeyPrefix { prefix_length } => (
                "KeyPrefixRegionSplitPolicy",
                Some((
                    "KeyPrefixRegionSplitPolicy.prefix_length",
                    prefix_length.to_string(),
                )),
            ),
            Self::DelimitedKeyPrefix { delimiter } => (
                "DelimitedKeyPrefixRegionSplitPolicy",
                Some((
                    "DelimitedKeyPrefixRegionSplitPolicy.delimiter",
                    String::from_utf8_lossy(delimiter).into_owned(),
                )),
            ),
            Self::BusyRegion(_) => ("BusyRegionSplitPolicy", None),
            Self::Disabled => ("DisabledRegionSplitPolicy", None),
        };
        let class = format!("org.apache.hadoop.hbase.regionserver.{class}");
        [("SPLIT_POLICY", class)].into_iter().chain(value).collect()
    }
}

impl FromSource for SplitPolicy {
    fn read_all(table: &dyn Source) -> Self {
        match table.choose("split_policy") {
            Some("constant-size") => Self::ConstantSize,
            Some("increasing") => Self::Increasing,
            Some("key-prefix") => Self::KeyPrefix {
                prefix_length: given(table, "prefix_length").unwrap_or(1),
            },
            Some("delimited-key-prefix") => {
                let delimiter: Option<String> = given(table, "delimiter");
                if delimiter.as_deref() == Some("") {
                    let label = "expected the text that ends a prefix";
                    table.complain_of("delimiter", "an empty delimiter".to_owned(), label);
                }
                let delimiter = delimiter.unwrap_or_else(|| "|".to_owned()).into_bytes();
                Self::DelimitedKeyPrefix { delimiter }
            }
            Some("busy-region") => Self::BusyRegion(BusyRules::read_all(table)),
            Some("disabled") => Self::Disabled,
            _ => Self::Stepping,
        }
    }
}

/// The table's sizes that thresholds follow from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitSizes {
    /// `hbase.hregion.max.filesize` or the table's `MAX_FILESIZE`; HBase default 10 GB.
    pub max_file_bytes: u64,
    /// `hbase.hregion.memstore.flush.size`; HBase default 128 MB. Its double is the first threshold
    /// (`hbase.increasing.policy.initial.size` unset).
    pub flush_bytes: u64,
}

/// What a region shows its policy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SplitCandidate {
    /// Bytes in the files of its largest store; the memstore doesn't count.
    pub store_bytes: u64,
    /// Most store files in one of its stores.
    pub store_files: u32,
    /// Some store still refers to files of the region that it was split from.
    pub has_references: bool,
    /// Regions of this table on its server, itself included.
    pub table_regions: u32,
    /// Regions of all tables on its server.
    pub server_regions: u32,
    /// Refused batches per written row, see [`super::BlockedRate`].
    pub blocked_rate: f32,
    /// Since it was opened.
    pub age: SimDuration,
    /// Its part of the jitter, drawn once at its opening from [-0.5, 0.5).
    pub jitter: f64,
}

/// Whether a region is to be split, and from how many bytes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitVerdict {
    /// A store must be larger than this; `None` when no size leads to a split.
    pub above_bytes: Option<u64>,
    /// Why (not).
    pub reason: SplitReason,
}

impl SplitVerdict {
    /// Whether the region is to be split.
    pub fn splits(&self) -> bool {
        matches!(self.reason, SplitReason::Size | SplitReason::Busy)
    }
}

/// Why a region is split, or is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitReason {
    /// Yes: a store is larger than the threshold.
    Size,
    /// Yes: it refuses too many writes.
    Busy,
    /// No: neither.
    Small,
    /// No: the policy is `disabled`.
    Disabled,
    /// No: references must be compacted first (`HStore.canSplit`).
    References,
    /// No: so many store files that compaction goes first (`CompactSplit.requestSplit`: compaction priority below 1).
    StoreFiles,
    /// No: its server has `REGION_SPLIT_LIMIT` regions.
    RegionLimit,
}

impl SplitPolicy {
    /// The store size above which a region is split; `None` for `disabled`. `jitter` as in [`SplitCandidate`], 0 for none.
    pub fn threshold(&self, sizes: SplitSizes, table_regions: u32, jitter: f64) -> Option<u64> {
        // Java's cast to long cuts towards zero, as `as` does.
        let jitter = (sizes.max_file_bytes as f64 * (jitter * MAX_FILE_SIZE_JITTER)) as i64;
        let max = sizes.max_file_bytes.saturating_add_signed(jitter);
        let first = sizes.flush_bytes.saturating_mul(2);
        let regions = u64::from(table_regions);
        match self {
            Self::Disabled => None,
            Self::ConstantSize => Some(max),
            Self::Stepping if regions == 1 => Some(first),
            Self::Stepping => Some(max),
            _ if regions == 0 || regions > INCREASING_REGIONS => Some(max),
            _ => Some(max.min(first.saturating_mul(regions.pow(3)))),
        }
    }

    /// Whether the region is to be split now: asked after each flush and each compaction, and when too many files hold a flush.
    /// `blocking_files` is `hbase.hstore.blockingStoreFiles`.
    pub fn verdict(
        &self,
        sizes: SplitSizes,
        region: &SplitCandidate,
        blocking_files: u32,
    ) -> SplitVerdict {
        let above_bytes = self.threshold(sizes, region.table_regions, region.jitter);
        let small = |bytes| region.store_bytes <= bytes;
        let reason = match above_bytes {
            None => SplitReason::Disabled,
            Some(bytes) if small(bytes) && !self.is_busy(region) => SplitReason::Small,
            Some(_) if region.has_references => SplitReason::References,
            Some(_) if region.store_files >= blocking_files => SplitReason::StoreFiles,
            Some(_) if region.server_regions >= REGION_SPLIT_LIMIT => SplitReason::RegionLimit,
            Some(bytes) if small(bytes) => SplitReason::Busy,
            Some(_) => SplitReason::Size,
        };
        SplitVerdict {
            above_bytes,
            reason,
        }
    }

    fn is_busy(&self, region: &SplitCandidate) -> bool {
        matches!(self, Self::BusyRegion(rules)
            if region.age >= rules.busy_min_age
                && region.blocked_rate >= rules.busy_blocked_requests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use SplitReason::*;

    const SIZES: SplitSizes = SplitSizes {
        max_file_bytes: 10 << 30,
        flush_bytes: 128 << 20,
    };

    fn region(store_bytes: u64) -> SplitCandidate {
        SplitCandidate {
            store_bytes,
            store_files: 3,
            has_references: false,
            table_regions: 1,
            server_regions: 7,
            blocked_rate: 0.0,
            age: SimDuration::ZERO,
            jitter: 0.0,
        }
    }

    #[test]
    fn a_store_must_be_larger_than_the_threshold() {
        let reason = |bytes| {
            let verdict = SplitPolicy::Stepping.verdict(SIZES, &region(bytes), 16);
            assert_eq!(verdict.above_bytes, Some(256 << 20));
            assert_eq!(verdict.splits(), verdict.reason == Size);
            verdict.reason
        };
        assert_eq!(reason(256 << 20), Small);
        assert_eq!(reason((256 << 20) + 1), Size);
    }

    #[test]
    fn jitter_moves_the_largest_file_size_by_an_eighth_and_not_the_first_threshold() {
        let at = |policy: SplitPolicy, regions, jitter| policy.threshold(SIZES, regions, jitter);
        let eighth = (10u64 << 30) / 8;
        let constant = |jitter| at(SplitPolicy::ConstantSize, 5, jitter);
        assert_eq!(constant(-0.5), Some((10 << 30) - eighth));
        assert_eq!(constant(0.5), Some((10 << 30) + eighth));
        assert_eq!(at(SplitPolicy::Stepping, 1, 0.5), Some(256 << 20));
        // 7.25 GB at three regions is below both, 10 GB + 12.5 % caps four regions.
        assert_eq!(at(SplitPolicy::Increasing, 3, 0.5), Some(27 * (256 << 20)));
        assert_eq!(
            at(SplitPolicy::Increasing, 4, 0.5),
            Some((10 << 30) + eighth)
        );
    }

    #[test]
    fn prefix_and_busy_policies_grow_as_the_increasing_one() {
        let increasing = |regions| SplitPolicy::Increasing.threshold(SIZES, regions, 0.25);
        for policy in [
            SplitPolicy::KeyPrefix { prefix_length: 4 },
            SplitPolicy::DelimitedKeyPrefix {
                delimiter: b":".to_vec(),
            },
            SplitPolicy::BusyRegion(BusyRules::default()),
        ] {
            for regions in [0, 1, 2, 3, 4, 100, 101] {
                assert_eq!(
                    policy.threshold(SIZES, regions, 0.25),
                    increasing(regions),
                    "{policy:?} {regions}"
                );
            }
        }
    }

    #[test]
    fn the_increasing_threshold_grows_with_the_cube_of_up_to_a_hundred_regions() {
        // Flushes so small that the cube is below the largest file size all along: 2 x 1,000 bytes for one region.
        let sizes = SplitSizes {
            flush_bytes: 1_000,
            ..SIZES
        };
        for (regions, expected) in [
            (0, 10 << 30),
            (1, 2_000),
            (3, 54_000),
            (100, 2_000_000_000),
            (101, 10 << 30),
            (102, 10 << 30),
        ] {
            let found = SplitPolicy::Increasing.threshold(sizes, regions, 0.0);
            assert_eq!(found, Some(expected), "{regions}");
        }
    }

    #[test]
    fn a_busy_region_is_split_small_but_not_young() {
        let policy = SplitPolicy::BusyRegion(BusyRules::default());
        let reason = |blocked_rate, millis| {
            let region = SplitCandidate {
                blocked_rate,
                age: SimDuration::from_millis(millis),
                ..region(1)
            };
            policy.verdict(SIZES, &region, 16).reason
        };
        assert_eq!(reason(0.2, 600_000), Busy);
        assert_eq!(reason(0.2, 599_999), Small);
        assert_eq!(reason(0.19, 600_000), Small);
    }

    #[test]
    fn references_store_files_and_the_limit_stop_a_split_that_is_due() {
        let reason = |change: &dyn Fn(&mut SplitCandidate)| {
            let mut region = region(1 << 40);
            change(&mut region);
            SplitPolicy::Stepping.verdict(SIZES, &region, 16).reason
        };
        assert_eq!(reason(&|region| region.has_references = true), References);
        assert_eq!(reason(&|region| region.store_files = 16), StoreFiles);
        assert_eq!(reason(&|region| region.store_files = 15), Size);
        assert_eq!(reason(&|region| region.server_regions = 1_000), RegionLimit);
        assert_eq!(reason(&|region| region.server_regions = 999), Size);
        let disabled = SplitPolicy::Disabled.verdict(SIZES, &region(1 << 40), 16);
        assert_eq!((disabled.above_bytes, disabled.reason), (None, Disabled));
    }
}
