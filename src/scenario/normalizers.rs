//! `normalization` of `[table]` with its settings. Must not know what the normalizer does.

use super::clock::value_place;
use super::reader::Reader;
use crate::policy::{NormalizerRules, NormalizerSpec};
use crate::time::SimDuration;
use crate::units::{ByteSize, Nanos};

/// Reads `normalization` (HBase's `NORMALIZATION_ENABLED`) and what belongs to it; `None` when it is off.
pub(super) fn read_normalizer(table: &Reader<'_>) -> Option<NormalizerSpec> {
    let on = table.boolean_or("normalization", "false");
    if !on {
        for key in [
            "normalizer_period",
            "normalizer_min_age",
            "normalizer_target_size",
            "normalizer_target_count",
        ] {
            table.meaningless(key, "needs `normalization = true`");
        }
        return None;
    }
    let defaults = NormalizerRules::default();
    // HBase default, `hbase.normalizer.period`.
    let period = table.duration_or("normalizer_period", "5m");
    if period < SimDuration::from_secs(1) {
        table.sink.error(
            &value_place(table, "normalizer_period"),
            format!("a `normalizer_period` of {}", Nanos(period.as_nanos())),
            "must be at least 1s",
        );
    }
    let min_age = Nanos(defaults.merge_min_age.as_nanos()).to_string();
    let merge_min_age = table.duration_or("normalizer_min_age", &min_age);
    let target_mb = table.unit::<ByteSize>("normalizer_target_size");
    if target_mb.is_some_and(|size| size.0 < 1 << 20) {
        table.sink.error(
            &value_place(table, "normalizer_target_size"),
            "a `normalizer_target_size` of less than 1MB",
            "HBase counts whole MB",
        );
    }
    let target_count = table.integer("normalizer_target_count", 1, 1_000_000);
    if target_mb.is_some() {
        table.meaningless(
            "normalizer_target_count",
            "`normalizer_target_size` is used instead",
        );
    }
    let rules = NormalizerRules {
        target_mb: target_mb.map(|size| size.0 >> 20),
        target_count: target_count.map(|count| count as u64),
        merge_min_age,
        ..defaults
    };
    Some(NormalizerSpec { rules, period })
}
