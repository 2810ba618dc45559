//! Layouts of small strategies whose regions can be told by hand.

use super::{Explanation, Layout, Replicate, load_lints};
use crate::client::ClientSpec;
use crate::cluster::{ClusterSpec, TableSpec};
use crate::key::{Environment, KeyPlan};
use crate::keyspace::RowKey;
use crate::policy::{SplitAlgorithm, bucket_points};
use crate::random::Seed;
use crate::record::{Distribution, DistributionShape, Field, FieldKind, Schema, TimeUnit};
use crate::scenario::{Changes, Presplit, Scenario, Setup, Strategy, TimeSpec};
use crate::time::{EpochNanos, SimDuration};
use crate::units::PerSecond;
use crate::workload::{Arrivals, Existing, ExistingRows, LoadModel, Workload, Write, WriteKind};
use std::collections::BTreeMap;
use std::sync::Arc;

const START: EpochNanos = EpochNanos(1_767_225_600_000_000_000);
pub(super) const SEED: Seed = Seed(7);
const OPERATIONS: usize = 20_000;

fn schema(sensor: DistributionShape) -> Schema {
    let field = |name: &str, kind, shape| Field {
        law: Distribution {
            shape,
            top: Vec::new(),
            ranked: true,
        },
        ..Field::new(name, kind)
    };
    Schema {
        fields: vec![
            field(
                "sensor",
                FieldKind::Int {
                    first: 0,
                    count: 5_000,
                },
                sensor,
            ),
            field(
                "ts",
                FieldKind::Timestamp {
                    unit: TimeUnit::Millis,
                    late: None,
                },
                DistributionShape::Uniform,
            ),
        ],
        time_range: (
            EpochNanos(START.0 - 3_600_000_000_000),
            EpochNanos(START.0 + 60_000_000_000),
        ),
        sequence_span: 0,
    }
}

/// 2,000 writes a second for 60 s; `existing` rows in the hour before.
pub(super) fn strategy(
    key: &str,
    presplit: Presplit,
    sensor: DistributionShape,
    existing: u64,
) -> Strategy {
    let schema = schema(sensor);
    let environment = Environment {
        schema: &schema,
        derived: &[],
        parameters: &BTreeMap::new(),
    };
    let plan = KeyPlan::compile(key, &environment).unwrap();
    let rows = ExistingRows::Drawn {
        records: existing,
        last: SimDuration::from_secs(3_600),
    };
    let workload = Workload {
        start: START,
        duration: SimDuration::from_secs(60),
        writes: vec![Write {
            name: "ingest".into(),
            kind: WriteKind::Put,
            load: LoadModel::Open {
                rate: PerSecond(2_000.0),
                arrivals: Arrivals::Poisson,
                profile: Vec::new(),
                import: None,
            },
            with: Vec::new(),
            most_per_sec: f64::INFINITY,
        }],
        existing: if existing == 0 {
            Vec::new()
        } else {
            vec![Existing {
                name: "ingest".into(),
                write: None,
                rows,
                with: Vec::new(),
            }]
        },
        reads: Vec::new(),
        closed_loops: crate::workload::ClosedLoopLimits::default(),
        kept_for: None,
    };
    let table = TableSpec::default();
    let setup = Setup {
        schema,
        derived: Vec::new(),
        written: workload.writes.iter().map(|_| table.cells_of(0)).collect(),
        workload,
        cluster: ClusterSpec::default(),
        table,
        client: ClientSpec::default(),
        changes: Changes::default(),
        knee: None,
        generators: Default::default(),
    };
    let plan = Arc::new(plan);
    Strategy {
        name: "tried".into(),
        title: "tried".into(),
        key_span: 100..102 + key.len(),
        qualifier: None,
        cell_key: Arc::clone(&plan),
        key: plan,
        copies: Vec::new(),
        presplit,
        setup: Arc::new(setup),
    }
}

pub(super) fn fixed(algorithm: Option<SplitAlgorithm>, points: Vec<RowKey>) -> Presplit {
    Presplit::Fixed {
        algorithm,
        points: Arc::new(points),
    }
}

fn hex_string(regions: i64) -> Presplit {
    fixed(
        Some(SplitAlgorithm::HexString),
        SplitAlgorithm::HexString
            .split_points(regions, None, None)
            .unwrap(),
    )
}

fn replicate(strategy: &Strategy) -> Replicate {
    Replicate::new(&strategy.setup, SEED, 0)
}

fn lay_out(strategy: &Strategy) -> Layout {
    let layout = Layout::with_sample(strategy, &replicate(strategy), (OPERATIONS, Layout::GETS));
    let sum: f64 = layout.regions.iter().map(|region| region.write_share).sum();
    assert!((sum - 1.0).abs() < 1e-9);
    assert_eq!(layout.regions.len(), layout.run.split_points.len() + 1);
    assert!(layout.run.split_points.is_sorted_by(|a, b| a < b));
    assert!(
        layout.key_buckets.is_sorted_by(|a, b| a.start < b.start)
            && layout.key_buckets.len() <= 512
    );
    assert!(
        layout
            .regions
            .iter()
            .all(|region| !region.unreachable || region.write_share == 0.0)
    );
    layout
}

fn has(layout: &Layout, part: &str) -> bool {
    layout.lints.iter().any(|lint| lint.message.contains(part))
}

#[track_caller]
fn assert_lint(layout: &Layout, part: &str) {
    assert!(
        has(layout, part),
        "no lint says `{part}`: {:#?}",
        layout.lints
    );
}

#[test]
fn time_led_keys_go_to_the_last_region_that_existing_rows_were_cut_into() {
    let strategy = strategy(
        "be8(ts) || be4(sensor)",
        Presplit::Sampled { regions: 9 },
        DistributionShape::Uniform,
        50_000,
    );
    let layout = lay_out(&strategy);
    assert_eq!(layout.regions.len(), 9);
    assert_eq!(layout.regions[8].write_share, 1.0);
    assert_eq!(layout.existing_rows, 50_000);
    assert_eq!(layout.key_bytes, 12.0);
    assert_lint(&layout, "leads with a time or a sequence");
    assert!(!has(&layout, "nobody knows beforehand"));
    // The run has no key in eight regions: one bucket each, of which nothing can be said. The last one has 240 equal parts, labelled with the time.
    let (old, new) = layout.key_buckets.split_at(8);
    assert!(old.iter().all(|bucket| bucket.labels.is_empty()));
    assert_eq!(new.len(), 240);
    for bucket in new {
        let label = &bucket.labels[0];
        assert!(label.starts_with("ts 2026-01-01T00:00:"), "{bucket:?}");
    }
}

#[test]
fn each_region_has_buckets_of_its_own_by_its_part_of_the_keys() {
    let key = "be1(random(4)) || be8(ts) || be4(sensor)";
    let points = |bytes: &[u8]| fixed(None, bytes.iter().map(|byte| RowKey(vec![*byte])).collect());
    let laid_out = |presplit| lay_out(&strategy(key, presplit, DistributionShape::Uniform, 0));
    let buckets_of = |presplit| {
        let layout = laid_out(presplit);
        let starts = (0..layout.regions.len()).map(|region| layout.region_start(0, region));
        let starts_at = |start: &[u8]| {
            let mut buckets = layout.key_buckets.iter();
            buckets.position(|it| it.start.as_bytes() == start)
        };
        let at: Option<Vec<usize>> = starts.map(starts_at).collect();
        let labels = layout
            .key_buckets
            .iter()
            .map(|it| it.labels.first().cloned());
        (
            at.expect("a bucket begins with each region"),
            labels.collect::<Vec<_>>(),
        )
    };
    // Three of the four buckets are a region together, and 180 of 240: within 4 (one standard error of 20,000 keys is 0.7).
    let (at, labels) = buckets_of(points(&[3]));
    assert!((176..=184).contains(&at[1]), "{at:?}");
    assert_eq!(labels[0].as_deref(), Some("bucket 0 of 4"));
    assert_eq!(labels[at[1]].as_deref(), Some("bucket 3 of 4"));
    // Beyond the last key lies a region without any.
    let (at, labels) = buckets_of(points(&[1, 2, 3, 4]));
    assert_eq!((at.len(), labels.len()), (5, at[4] + 1));
    assert_eq!(labels[at[4]], None);

    let [one, two] = ["bucket 1 of 4", "bucket 2 of 4"].map(Some);
    let layout = laid_out(points(&[1, 2]));
    let said = (0..3).map(|region| layout.region_labels(0, region));
    let zero = Some("bucket 0 of 4");
    assert_eq!(said.collect::<Vec<_>>(), [[zero; 2], [one; 2], [two, None]]);
    let layout = laid_out(points(&[2]));
    assert_eq!(layout.region_labels(0, 0), [None, two]);
    // The second of 198 regions has most of the rows. Nothing can be said of one without any between others.
    let many: Vec<u8> = [1].into_iter().chain(4..=200).collect();
    let layout = laid_out(points(&many));
    assert_eq!(layout.region_labels(0, 1), [one, None]);
    assert_eq!(layout.region_labels(0, 6), [None; 2]);
}

#[test]
fn a_salt_spreads_over_its_bucket_regions() {
    let plan = strategy(
        "be1(random(12)) || be8(ts) || be4(sensor)",
        hex_string(2),
        DistributionShape::Uniform,
        0,
    )
    .key;
    let points = bucket_points(&plan.leading_buckets().unwrap());
    let presplit = fixed(Some(SplitAlgorithm::Buckets), points);
    let layout = lay_out(&strategy(
        "be1(random(12)) || be8(ts) || be4(sensor)",
        presplit,
        DistributionShape::Uniform,
        0,
    ));
    assert_eq!(layout.regions.len(), 12);
    // 20,000 draws: a share of 1/12 has a standard error of 0.002; 5 of them.
    assert!(
        layout
            .regions
            .iter()
            .all(|region| (region.write_share - 1.0 / 12.0).abs() < 0.01)
    );
    assert_eq!(layout.lints, []);
    assert!(layout.hottest_row.share < 0.001);
}

#[test]
fn upper_case_hex_on_lower_case_split_points_is_proved_to_miss_regions() {
    let upper = lay_out(&strategy(
        "upper(md5(be8(ts) || be4(sensor)))",
        hex_string(16),
        DistributionShape::Uniform,
        0,
    ));
    // `A` to `F` sort below `a`: all into the region that starts with 9.
    assert_eq!(
        upper
            .regions
            .iter()
            .filter(|region| region.unreachable)
            .count(),
        6
    );
    assert!((upper.regions[9].write_share - 7.0 / 16.0).abs() < 0.02);
    assert_lint(&upper, "6 of 16 regions can never receive a key");
    let lower = lay_out(&strategy(
        "md5(be8(ts) || be4(sensor))",
        hex_string(16),
        DistributionShape::Uniform,
        0,
    ));
    assert_eq!(lower.lints, []);
}

#[test]
fn hex_text_in_the_books_byte_split_leaves_the_middle_empty() {
    let points = SplitAlgorithm::Bytes
        .split_points(10, Some("0000000000000000"), Some("ffffffffffffffff"))
        .unwrap();
    let presplit = fixed(Some(SplitAlgorithm::Bytes), points);
    let layout = lay_out(&strategy(
        "left(md5(text(sensor)), 16)",
        presplit,
        DistributionShape::Uniform,
        0,
    ));
    let unreachable: Vec<usize> = (0..10)
        .filter(|&region| layout.regions[region].unreachable)
        .collect();
    // Leads 48, 54, 61, 68, 75, 82, 88, 95, 102: nothing below `0` (48), and from 61 to 94 no byte is a hex digit.
    assert_eq!(unreachable, [0, 3, 4, 5, 6, 7]);
    assert_lint(&layout, "6 of 10 regions can never receive a key");
    assert_lint(&layout, "so at least 4 of 8 servers stay idle");
}

#[test]
fn buckets_and_regions_that_do_not_match_are_told() {
    let key = "be1(random(32)) || be8(ts)";
    let few = lay_out(&strategy(
        key,
        fixed(Some(SplitAlgorithm::None), vec![]),
        DistributionShape::Uniform,
        0,
    ));
    assert_lint(&few, "32 buckets share a single region");
    let digits = "substr(md5(sensor), 0, 4) || be8(ts)";
    let even = lay_out(&strategy(
        digits,
        hex_string(16),
        DistributionShape::Uniform,
        0,
    ));
    assert_eq!(even.lints, []);
    let uneven = lay_out(&strategy(
        digits,
        hex_string(11),
        DistributionShape::Uniform,
        0,
    ));
    assert_eq!(uneven.lints, []);
    let bytes = "left(md5_bytes(be4(sensor)), 2) || be8(ts)";
    let sampled = Presplit::Sampled { regions: 32 };
    let sampled = lay_out(&strategy(bytes, sampled, DistributionShape::Uniform, 0));
    assert!(
        !sampled
            .lints
            .iter()
            .any(|lint| lint.message.contains("buckets"))
    );
    let uniform = SplitAlgorithm::Uniform
        .split_points(64, None, None)
        .unwrap();
    let uniform = lay_out(&strategy(
        key,
        fixed(Some(SplitAlgorithm::Uniform), uniform),
        DistributionShape::Uniform,
        0,
    ));
    // 64 regions of 4 leading bytes each: 8 of them hold 4 buckets each.
    assert_lint(&uniform, "32 of 32 buckets begin in a region with another");
    assert_lint(&uniform, "56 of 64 regions can never receive a key");
}

#[test]
fn the_hot_value_of_a_skewed_field_is_named_with_its_share() {
    let law = DistributionShape::Weights(vec![6.0, 1.0, 1.0, 1.0, 1.0]);
    let strategy = strategy("be4(sensor)", Presplit::Sampled { regions: 5 }, law, 0);
    let layout = lay_out(&strategy);
    assert_eq!(
        (
            layout.entities[0].field.as_str(),
            layout.entities[0].value.as_str()
        ),
        ("sensor", "0")
    );
    // 20,000 draws: a standard error of 0.0035; 5 of them.
    assert!(
        (layout.entities[0].share - 0.6).abs() < 0.018,
        "{:?}",
        layout.entities
    );
    // The key is the sensor alone, so the row is as hot: there are five keys, but one has three fifths of the writes.
    assert_eq!(layout.hottest_row.share, layout.entities[0].share);
    assert_lint(&layout, "nobody knows beforehand");
    assert_lint(
        &layout,
        "regions, not 5: one key has more of them than a region is to have",
    );
}

#[test]
fn an_explanation_says_what_makes_a_region_hot() {
    let law = DistributionShape::Weights(vec![1.0, 6.0, 3.0]);
    let points = vec![RowKey(vec![0, 0, 0, 1]), RowKey(vec![0, 0, 0, 9])];
    let strategy = strategy("be4(sensor) || be8(ts)", fixed(None, points), law, 0);
    let explanation = Explanation::of(&strategy, &replicate(&strategy), 3, Some(1));
    assert_eq!(explanation.samples.len(), 3);
    let sample = &explanation.samples[0];
    assert_eq!(
        (
            sample.write.as_str(),
            sample.segments.len(),
            sample.key.0.len()
        ),
        ("ingest", 2, 12)
    );
    assert_eq!(sample.record[0].0, "sensor");
    let causes = explanation.region.unwrap();
    assert_eq!(causes.range.start, RowKey(vec![0, 0, 0, 1]));
    assert!((causes.write_share - 0.9).abs() < 0.01);
    // Two thirds of the region's writes are sensor 1's, one third sensor 2's; the prefix is the first segment.
    assert_eq!(causes.entities.len(), 2);
    assert_eq!(causes.entities[0].value, "1");
    assert!((causes.entities[0].share - 2.0 / 3.0).abs() < 0.01);
    assert_eq!(causes.prefixes[0].prefix, RowKey(vec![0, 0, 0, 1]));
    assert_eq!(causes.prefixes[0].meaning, ["sensor 1"]);
    assert!((causes.prefixes[1].share - 1.0 / 3.0).abs() < 0.02);
    assert_eq!(
        Explanation::of(&strategy, &replicate(&strategy), 0, Some(3)).region,
        None
    );
}

#[test]
fn the_same_seed_lays_out_the_same_and_all_strategies_see_the_same_existing_rows() {
    let by_sensor = |key| {
        strategy(
            key,
            Presplit::Sampled { regions: 4 },
            DistributionShape::Zipf { exponent: 0.9 },
            9_000,
        )
    };
    let (a, b) = (
        lay_out(&by_sensor("be4(sensor)")),
        lay_out(&by_sensor("be4(sensor)")),
    );
    assert_eq!(
        (a.run.split_points, a.regions),
        (b.run.split_points.clone(), b.regions)
    );
    // The same rows under a key of the same order: the same cuts.
    let text = lay_out(&by_sensor("lpad(sensor, 5, '0')"));
    let numbers = |points: &[RowKey], radix: u32| -> Vec<u32> {
        let number = |point: &RowKey| match radix {
            10 => String::from_utf8_lossy(&point.0).parse().unwrap(),
            _ => point
                .0
                .iter()
                .fold(0, |number, &byte| number << 8 | u32::from(byte)),
        };
        points.iter().map(number).collect()
    };
    assert_eq!(
        numbers(&text.run.split_points, 10),
        numbers(&b.run.split_points, 256)
    );
}

#[test]
fn loads_that_cannot_be_meant_are_told() {
    let lints = |rate: f64, sample: SimDuration| {
        let mut tried = strategy("be4(sensor)", hex_string(8), DistributionShape::Uniform, 0);
        let mut setup = (*tried.setup).clone();
        if let LoadModel::Open { rate: offered, .. } = &mut setup.workload.writes[0].load {
            *offered = PerSecond(rate);
        }
        tried.setup = Arc::new(setup);
        let time = TimeSpec {
            start: START,
            duration: SimDuration::from_secs(60),
            warmup: SimDuration::ZERO,
            sample,
        };
        load_lints(&tried, &time)
            .into_iter()
            .map(|lint| lint.message)
            .collect::<Vec<_>>()
    };
    let second = SimDuration::from_secs(1);
    assert_eq!(lints(60_000.0, second), Vec::<String>::new());
    assert!(lints(60_000_000.0, second)[0].contains("over 100 times"));
    // 79 operations a second on 8 servers: one short of 10 each, and 0.05 % of some 170,000.
    let few = lints(79.0, second);
    assert!(
        few[0].contains("fewer than 80") && few[1].contains("under 0.1 %"),
        "{few:?}"
    );
    assert!(lints(1.0, second)[0].contains("about 60 operations in the measurement window"));
}

#[test]
fn a_key_that_leads_with_a_hash_or_a_cycle_of_time_is_told_to_gather_the_rows_of_a_moment() {
    let moment = "at any moment all writes go to one region";
    let lints = |key: &str, presplit: Presplit, existing: u64| {
        has(
            &lay_out(&strategy(
                key,
                presplit,
                DistributionShape::Uniform,
                existing,
            )),
            moment,
        )
    };
    let cut = |before: &[u8]| {
        let points = (1..16u8).map(|part| RowKey([before, &[part]].concat()));
        Presplit::Fixed {
            algorithm: None,
            points: Arc::new(points.collect()),
        }
    };
    for lead in [
        "be1(bucket(16, trunc(ts, '1m')))",
        "left(md5_bytes(to_char(ts, 'yyyyMMddHH')), 1)",
        "to_char(ts, 'HH')",
        "be1(ts / 1000 % 60)",
        // From noon to noon: all times of the table are in one.
        "be4((ts + 43200000) / 86400000)",
        // A tenth of a second, or a quarter, in a region.
        "be1(ts / 100 % 60)",
        "be2(ts % 1000)",
        "be2(999 - ts % 1000)",
    ] {
        let key = format!("{lead} || be4(sensor) || be8(ts)");
        assert!(lints(&key, cut(b""), 0), "{key}");
    }
    for lead in [
        "be1(bucket(16, ts))",
        "be1(bucket(16, sensor))",
        // A millisecond.
        "be1(ts % 16)",
    ] {
        let key = format!("{lead} || be4(sensor) || be8(ts)");
        assert!(!lints(&key, cut(b""), 0), "{key}");
    }
    // A day that its rows have split gathers them no more: the next one will. One that lies in one region does.
    let day = "to_char(ts, 'yyyyMMdd') || be4(sensor) || be8(ts)";
    let points = |days: &[&[u8]]| {
        let points = days.iter().map(|day| RowKey(day.to_vec()));
        fixed(None, points.collect())
    };
    let days = points(&[b"20251231", b"20260101\0\0\x08"]);
    let law = DistributionShape::Uniform;
    let laid = lay_out(&strategy(day, days, law, 0));
    assert!(!has(&laid, moment));
    assert_lint(
        &laid,
        "when the next one begins, all writes go to one region",
    );
    assert!(lints(day, points(&[b"20251231", b"20260102"]), 0));
    // Neither do regions of what a bucket of minutes held before: a moment's rows lie behind them.
    let minutes = "be1(bucket(16, trunc(ts, '1m'))) || be8(ts) || be4(sensor)";
    let buckets: Vec<[u8; 6]> = (0..32u8)
        .map(|part| [part / 2, 0, 0, 0, 0, part % 2])
        .collect();
    let buckets: Vec<&[u8]> = buckets.iter().map(|it| &it[..]).collect();
    assert!(lints(minutes, points(&buckets), 0));
    // An hour of the day whose rows lie in many regions, by sensor, gathers nothing.
    let key = "to_char(ts, 'HH') || be4(sensor) || be8(ts)";
    assert!(!lints(key, cut(b"00\0\0"), 0));
    assert!(lints(key, cut(b"01\0\0"), 0));
}

/// Of ten days of writes, half of them up to 30 days late, the last of 16 regions holds the rows of the last 1.23 days: 0.05 a + 0.5 a^2 / 600 = 1 / 16. Those that are late by less go there too: 0.5 + 0.5 a / 30 =
/// 52 %. Where all are late it is the last 6.1 days, a^2 / 600 = 1 / 16, which 20 % of the writes fall on. Of months of late writes each region gets a sixteenth.
#[test]
fn a_key_of_late_times_gathers_the_writes_that_are_not_late() {
    let told = |late: f64, last: &str| {
        let text = format!(
            "[time]\nduration = \"10s\"\n[field]\nacct = {{ type = \"int\", count = 2000 }}\n\
             ts = {{ type = \"timestamp\", unit = \"s\", late = {{ fraction = {late}, up_to = \"30d\" }} }}\n[write.w]\nrate = \"4k/s\"\n\
             [existing.w]\nlast = \"{last}\"\n[table]\nsplit_policy = \"disabled\"\npresplit = {{ algorithm = \"sampled\", regions = 16 }}\n\
             [strategy.time]\nkey = \"be4(ts) || be4(acct)\"\n"
        );
        let scenario = Scenario::parse(&text, "late").unwrap_or_else(|error| panic!("{error}"));
        let strategy = &scenario.strategies[0];
        let layout = lay_out(strategy);
        let lint = layout
            .lints
            .iter()
            .find(|lint| lint.message.contains("at any moment"));
        lint.map(|lint| lint.message.clone())
    };
    let all = told(0.0, "10d");
    assert!(all.is_some_and(|it| it.contains("at any moment all writes go to one region")));
    for (late, expected) in [(0.5, 52.0), (1.0, 20.4)] {
        let part = told(late, "10d").expect("a part lies together");
        let percent = part
            .split("at any moment ")
            .nth(1)
            .and_then(|it| it.split(" %").next());
        let percent: f64 = percent
            .and_then(|it| it.parse().ok())
            .expect("it says how many");
        // Four standard errors of a share of 1,024 writes.
        assert!((percent - expected).abs() <= 6.3, "{part}");
        assert!(part.ends_with("of the writes go to one region"), "{part}");
    }
    assert_eq!(told(1.0, "2h"), None);
}
