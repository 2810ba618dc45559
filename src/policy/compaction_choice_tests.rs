//! The compaction choice against worked cases, against brute force, and over many flushes.

use super::*;
use proptest::prelude::*;

const MB: u64 = 1 << 20;

fn files(megabytes: &[u64]) -> Vec<CompactionFile> {
    let file = |&size| CompactionFile {
        bytes: size * MB,
        is_reference: false,
    };
    megabytes.iter().map(file).collect()
}

/// The rules of the worked cases of HBase's own tests: 3 to 5 files, sets below 10 MB free of the ratio of 1.
fn small_rules() -> CompactionRules {
    CompactionRules {
        max_files: 5,
        min_bytes: 10 * MB,
        ratio: 1.0,
        ..CompactionRules::default()
    }
}

fn chosen(rules: &CompactionRules, megabytes: &[u64]) -> Option<Vec<u64>> {
    rules
        .choose(&files(megabytes), 0..0)
        .map(|range| megabytes[range].to_vec())
}

#[test]
fn the_worked_cases_come_out() {
    let rules = small_rules();
    let of = |sizes: &[u64]| chosen(&rules, sizes);
    // An old file out of ratio is left alone.
    assert_eq!(of(&[999, 50, 23, 12, 12]), Some(vec![23, 12, 12]));
    // Nothing is in ratio.
    assert_eq!(of(&[100, 50, 25, 12, 6]), None);
    // Too few.
    assert_eq!(of(&[12, 12]), None);
    // A small set needs no ratio.
    assert_eq!(of(&[8, 1, 0]), Some(vec![8, 1, 0]));
    // Most files, of which the fewest bytes.
    assert_eq!(of(&[7, 6, 5, 4, 3, 2, 1]), Some(vec![5, 4, 3, 2, 1]));
    // Of equal ones the oldest.
    assert_eq!(
        rules.choose(&files(&[20, 20, 20, 20, 20, 20]), 0..0),
        Some(0..5)
    );
}

#[test]
fn a_stuck_store_takes_the_smallest_set_rather_than_none() {
    let mut rules = small_rules();
    let steep: Vec<u64> = (0..8).map(|i| 20 << (8 - i)).collect();
    assert_eq!(chosen(&rules, &steep), None);
    rules.blocking_files = 8;
    assert_eq!(chosen(&rules, &steep), Some(steep[5..].to_vec()));
    // With a choice, most files per byte: five files of 500 MB rather than five of 5,000, and 5 % is not enough to change.
    let flat = [1_000, 1_000, 1_000, 1_000, 1_000, 100, 100, 100];
    assert_eq!(chosen(&rules, &flat), Some(vec![100, 100, 100]));
    let near = [100, 100, 100, 96, 96, 96, 96, 96];
    assert_eq!(chosen(&rules, &near), Some(vec![100, 100, 100]));
    // Exactly 5 % neither: 3 files of 63 MB, then 3 of 60.
    let edge = [21, 21, 21, 20, 20, 20, 20, 20];
    assert_eq!(chosen(&rules, &edge), Some(vec![21, 21, 21]));
}

#[test]
fn a_stuck_store_takes_the_oldest_of_equally_small_runs_and_most_files_where_some_are_empty() {
    // 102 MB each, of which 100 are more than the other 2.
    let rules = CompactionRules {
        max_files: 3,
        min_bytes: 0,
        blocking_files: 4,
        ..small_rules()
    };
    assert_eq!(rules.choose(&files(&[100, 1, 1, 100]), 0..0), Some(0..3));
    // Files per byte say nothing of an empty set, whichever of the two it is: more files are better.
    let rules = CompactionRules {
        blocking_files: 4,
        ..small_rules()
    };
    assert_eq!(rules.choose(&files(&[0, 0, 0, 5]), 0..0), Some(0..4));
    assert_eq!(rules.choose(&files(&[5, 0, 0, 0]), 0..0), Some(0..4));
}

#[test]
fn references_are_rewritten_first_and_running_files_left_alone() {
    let rules = CompactionRules::default();
    let mut store = files(&[5_000]);
    store[0].is_reference = true;
    assert_eq!(rules.choose(&store, 0..0), Some(0..1));
    store.extend(files(&[9; 12]));
    assert_eq!(rules.choose(&store, 0..0), Some(0..10));
    // While they are compacted, newer files are chosen from as usual.
    assert_eq!(rules.choose(&store, 0..10), Some(10..13));
    assert_eq!(rules.choose(&store, 0..11), None);
    assert!(rules.needs_compaction(13, 10) && !rules.needs_compaction(13, 11));
}

#[test]
fn the_file_that_a_running_compaction_will_leave_counts_towards_a_stuck_store() {
    // Each file is three times the next, so that nothing is in ratio: only a stuck store takes any.
    let store = files(&[729, 243, 81, 27, 9, 3]);
    let rules = |blocking_files| CompactionRules {
        min_bytes: 0,
        blocking_files,
        ..CompactionRules::default()
    };
    // Six files of which two become one are five.
    assert_eq!(rules(5).choose(&store, 0..2), Some(3..6));
    assert_eq!(rules(6).choose(&store, 0..2), None);
    assert_eq!(rules(6).choose(&store, 0..0), Some(3..6));
    assert_eq!(rules(7).choose(&store, 0..0), None);
}

#[test]
fn a_file_is_in_ratio_up_to_six_fifths_of_the_others_and_the_oldest_of_equal_runs_is_taken() {
    let rules = CompactionRules {
        min_bytes: 0,
        max_files: 3,
        ..CompactionRules::default()
    };
    assert_eq!(rules.choose(&files(&[120, 50, 50]), 0..0), Some(0..3));
    assert_eq!(rules.choose(&files(&[121, 50, 50]), 0..0), None);
    assert_eq!(rules.choose(&files(&[7, 7, 7, 7, 7]), 0..0), Some(0..3));
}

#[test]
fn pressure_and_speed_rise_from_three_files_to_sixteen() {
    let rules = CompactionRules::default();
    assert_eq!(compaction_pressure(&rules, 3), 0.0);
    assert_eq!(compaction_pressure(&rules, 16), 1.0);
    let half = compaction_pressure(&rules, 9);
    assert!((half - 6.0 / 13.0).abs() < 1e-15);
    let low = CompactionRules {
        blocking_files: 2,
        ..rules
    };
    assert_eq!(compaction_pressure(&low, 4), f64::INFINITY);
    let limit = |pressure| {
        compaction_limit(pressure, Bandwidth(50.0), Bandwidth(100.0)).map(|limit| limit.0)
    };
    assert_eq!(
        (limit(0.0), limit(1.0), limit(1.01)),
        (Some(50.0), Some(100.0), None)
    );
    assert_eq!(limit(0.5), Some(75.0));
}

#[test]
fn equal_flushes_are_rewritten_a_logarithmic_number_of_times() {
    let rules = CompactionRules::default();
    let flush = 100 * MB;
    let mut store: Vec<CompactionFile> = Vec::new();
    let (mut rewritten, flushes) = (0, 300u64);
    for _ in 0..flushes {
        store.push(CompactionFile {
            bytes: flush,
            is_reference: false,
        });
        while let Some(range) = rules.choose(&store, 0..0) {
            let bytes: u64 = store[range.clone()].iter().map(|file| file.bytes).sum();
            rewritten += bytes;
            let merged = CompactionFile {
                bytes,
                is_reference: false,
            };
            store.splice(range, [merged]);
        }
        assert!(store.len() < rules.blocking_files);
    }
    // In ratio, the largest file is at most 1.2 / 2.2 of its set, so what a byte lies in grows by at least 2.2 / 1.2 each time it is
    // rewritten, but for the sets below 128 MB, of which a flush of 100 MB makes none.
    let times = rewritten as f64 / (flushes * flush) as f64;
    let most = (flushes as f64).ln() / (2.2f64 / 1.2).ln();
    assert!(times > 1.0 && times <= most, "{times} of {most}");
}

proptest! {
    #[test]
    fn the_choice_is_in_ratio_and_no_allowed_run_has_more_files_or_fewer_bytes(
        sizes in proptest::collection::vec(0u64..400, 0..15),
    ) {
        let rules = CompactionRules::default();
        let store = files(&sizes);
        let allowed = |range: &Range<usize>| {
            let set = &sizes[range.clone()];
            let sum: u64 = set.iter().sum();
            (3..=10).contains(&set.len())
                && (sum < 128 || set.iter().all(|&size| size as f64 <= (sum - size) as f64 * 1.2))
        };
        let found = rules.choose(&store, 0..0);
        if let Some(range) = &found {
            prop_assert!(allowed(range));
        }
        for start in 0..sizes.len() {
            for end in start..=sizes.len() {
                let other = start..end;
                if allowed(&other) {
                    let found = found.clone().unwrap();
                    let bytes = |range: &Range<usize>| sizes[range.clone()].iter().sum::<u64>();
                    prop_assert!(
                        (other.len(), bytes(&found)) <= (found.len(), bytes(&other))
                    );
                }
            }
        }
    }
}

#[test]
fn stores_were_compacted_whole_three_point_eight_days_ago_on_average() {
    // Of periods that follow each other, drawn evenly from 3.5 to 10.5 days, an instant meets one of E[P²] / E[P] = (49 + 49 / 12) / 7 = 7.583 days on average,
    // and is in its middle on average. The midpoint rule of 10,000 steps is exact to a millionth.
    let all = (0..10_000).map(|i| (f64::from(i) + 0.5) / 1e4);
    let days = |period: SimDuration| period.as_secs_f64() / 86_400.0;
    let met = all.clone().map(|u| days(met_major_period(u))).sum::<f64>() / 1e4;
    let (sum, squares) = all.fold((0.0, 0.0), |(sum, squares), u| {
        let period = days(major_compaction_period(u));
        (sum + period, squares + period * period)
    });
    assert!((met - squares / sum).abs() < 1e-4, "{met}");
    assert!((met - 7.583_33).abs() < 1e-4, "{met}");
    assert_eq!(met_major_period(1.0), LONGEST_MAJOR_PERIOD);
    assert_eq!(days(met_major_period(0.0)), 3.5);
}
