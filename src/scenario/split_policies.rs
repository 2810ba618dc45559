//! `split_policy` of `[table]` with its settings. Must not know when a policy splits.

use super::clock::value_place;
use super::reader::Reader;
use crate::policy::{BusyRules, SplitPolicy};
use crate::units::Nanos;

/// HBase's default policy.
pub(super) const DEFAULT: &str = "stepping";

/// What only some policies take.
pub(super) const SETTINGS: [&str; 5] = [
    "prefix_length",
    "delimiter",
    "busy_blocked_requests",
    "busy_min_age",
    "busy_window",
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Word {
    Stepping,
    ConstantSize,
    Increasing,
    KeyPrefix,
    DelimitedKeyPrefix,
    BusyRegion,
    Disabled,
}

/// Reads `split_policy` and what belongs to it.
pub(super) fn read_split_policy(table: &Reader<'_>) -> SplitPolicy {
    let words = [
        ("stepping", Word::Stepping),
        ("constant-size", Word::ConstantSize),
        ("increasing", Word::Increasing),
        ("key-prefix", Word::KeyPrefix),
        ("delimited-key-prefix", Word::DelimitedKeyPrefix),
        ("busy-region", Word::BusyRegion),
        ("disabled", Word::Disabled),
    ];
    let errors = table.sink.errors();
    let word = table.word_or("split_policy", &words, DEFAULT);
    if table.sink.errors() > errors {
        // Of a policy that nobody knows, nor are the settings.
        for key in SETTINGS {
            table.entry(key);
        }
        return SplitPolicy::Stepping;
    }
    for (key, owner, name) in [
        ("prefix_length", Word::KeyPrefix, "key-prefix"),
        (
            "delimiter",
            Word::DelimitedKeyPrefix,
            "delimited-key-prefix",
        ),
        ("busy_blocked_requests", Word::BusyRegion, "busy-region"),
        ("busy_min_age", Word::BusyRegion, "busy-region"),
        ("busy_window", Word::BusyRegion, "busy-region"),
    ] {
        if word != owner {
            table.meaningless(key, &format!("needs `split_policy = \"{name}\"`"));
        }
    }
    match word {
        Word::Stepping => SplitPolicy::Stepping,
        Word::ConstantSize => SplitPolicy::ConstantSize,
        Word::Increasing => SplitPolicy::Increasing,
        Word::KeyPrefix => {
            if !table.has("prefix_length") {
                table.missing("prefix_length", "4");
            }
            // HBase takes rows of at most 32,767 bytes.
            let length = table.integer("prefix_length", 1, 32_767).unwrap_or(1);
            SplitPolicy::KeyPrefix {
                prefix_length: length as usize,
            }
        }
        Word::DelimitedKeyPrefix => SplitPolicy::DelimitedKeyPrefix {
            delimiter: read_delimiter(table),
        },
        Word::BusyRegion => SplitPolicy::BusyRegion(read_busy(table)),
        Word::Disabled => SplitPolicy::Disabled,
    }
}

fn read_delimiter(table: &Reader<'_>) -> Vec<u8> {
    if !table.has("delimiter") {
        table.missing("delimiter", "\"|\"");
    }
    let delimiter = table.text("delimiter");
    if delimiter == Some("") {
        table.sink.error(
            &value_place(table, "delimiter"),
            "an empty delimiter",
            "expected the text that ends a prefix",
        );
    }
    delimiter.unwrap_or("|").as_bytes().to_vec()
}

fn read_busy(table: &Reader<'_>) -> BusyRules {
    let defaults = BusyRules::default();
    let blocked_rate = table.number_or(
        "busy_blocked_requests",
        "greater than 0, and at most 1",
        |rate| rate > 0.0 && rate <= 1.0,
        "0.2",
    );
    let min_age = Nanos(defaults.min_age.as_nanos()).to_string();
    let window = Nanos(defaults.window.as_nanos()).to_string();
    let rules = BusyRules {
        blocked_rate: blocked_rate as f32,
        min_age: table.duration_or("busy_min_age", &min_age),
        window: table.duration_or("busy_window", &window),
    };
    if rules.window.as_nanos() == 0 {
        table.sink.error(
            &value_place(table, "busy_window"),
            "`table.busy_window` is zero",
            "must be longer than zero",
        );
    }
    rules
}
