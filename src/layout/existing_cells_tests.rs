//! Rows that are written again, counted by hand and one by one: split points come from rows, not from writes.

use super::key_sample::{KeySample, KeyedTable};
use super::{Layout, Replicate};
use crate::scenario::{Scenario, Strategy};
use crate::workload::Choice;
use std::collections::BTreeMap;

/// So many posts, popular by Zipf's law in their own order, that people have voted for.
fn votes(posts: u32, existing: &str, table: &str) -> Scenario {
    let text = format!(
        "[time]\nduration = \"2s\"\nwarmup = \"1s\"\n[cluster]\nservers = 4\n\
         [field]\npost = {{ type = \"int\", count = {posts}, distribution = {{ zipf = 1.1, ranked = true }} }}\n\
         ts = {{ type = \"timestamp\" }}\n[write.vote]\nrate = \"1k/s\"\n[existing.vote]\n{existing}\n\
         [table]\n{table}\n[strategy.plain]\nkey = \"be4(post)\""
    );
    Scenario::parse(&text, "votes").unwrap_or_else(|error| panic!("{error}"))
}

fn first(scenario: &Scenario) -> (&Strategy, Replicate) {
    let strategy = &scenario.strategies[0];
    let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
    (strategy, replicate)
}

/// The posts at which the table is split.
fn cuts(scenario: &Scenario) -> Vec<u32> {
    let (strategy, replicate) = first(scenario);
    let points = Layout::of(strategy, &replicate).run.split_points;
    let post = |point: &[u8]| u32::from_be_bytes(point.try_into().unwrap());
    points.iter().map(|point| post(point.as_bytes())).collect()
}

/// 50,000 votes: the last of 200 posts has 200^-1.1 / 4.7 = 0.06 % of them, 31. One without a vote comes once in 10^11 tables.
const VOTES: &str = "records = 50_000\nlast = \"10h\"";
const EACH: &str = "each = [\"post\"]";

#[test]
fn a_presplit_at_quantiles_has_as_many_rows_in_each_region_however_often_they_were_written() {
    let eighths: Vec<u32> = (1..8).map(|eighth| 25 * eighth).collect();
    for existing in [VOTES, EACH] {
        let presplit = "presplit = { algorithm = \"sampled\", regions = 8 }";
        assert_eq!(cuts(&votes(200, existing, presplit)), eighths, "{existing}");
    }
}

#[test]
fn existing_rows_have_split_a_table_in_the_middle_of_its_rows() {
    // 20 MB in regions of up to 2: halved four times.
    let mut halves = vec![0, 200];
    for _ in 0..4 {
        let middles = halves
            .windows(2)
            .map(|ends| ends[0] + (ends[1] - ends[0]) / 2);
        let mut all: Vec<u32> = middles.collect();
        all.extend(&halves);
        all.sort_unstable();
        halves = all;
    }
    let table = "value = \"100KB\"\nmax_file_size = \"2MB\"\nmemstore_flush_size = \"1MB\"\nsplit_policy = \"constant-size\"";
    for existing in [VOTES, EACH] {
        let found = cuts(&votes(200, existing, table));
        assert_eq!(found, halves[1..16], "{existing}");
    }
}

#[test]
fn a_sample_of_many_writes_tells_how_the_rows_lie() {
    // 360 writes for each that is sampled. A row of which m are expected among those is met with 1 - e^-m, and stands then for as many rows as this is one's part:
    // the variance of what it counts for is e^-m / (1 - e^-m).
    const ROWS: usize = 10_000;
    let shares: Vec<f64> = (1..=ROWS).map(|rank| (rank as f64).powf(-1.1)).collect();
    let all: f64 = shares.iter().sum();
    let below = shares.iter().scan(0.0, |sum, share| {
        let missed = (-share / all * Layout::SAMPLE as f64).exp();
        *sum += missed / (1.0 - missed);
        Some(*sum)
    });
    let below: Vec<f64> = below.collect();
    let presplit = "presplit = { algorithm = \"sampled\", regions = 16 }";
    let found = cuts(&votes(
        ROWS as u32,
        "records = 36_000_000\nlast = \"10h\"",
        presplit,
    ));
    assert_eq!(found.len(), 15);
    for (cut, found) in (1..).zip(found) {
        let (rows, part) = (ROWS * cut / 16, cut as f64 / 16.0);
        let (own, others) = (below[rows - 1], below[ROWS - 1] - below[rows - 1]);
        let sd = ((1.0 - part).powi(2) * own + part * part * others).sqrt();
        // Four standard errors of 15 are passed once in 1,000 tables.
        let off = f64::from(found) - rows as f64;
        assert!(off.abs() <= 4.0 * sd + 1.0, "{cut}: {off} of {sd}");
    }
}

/// 200,000 writes by 300 users and 200 items of unlike popularity.
fn written(table: &str, strategy: &str) -> Scenario {
    let text = format!(
        "[time]\nduration = \"2s\"\nwarmup = \"1s\"\n\
         [field]\nuser = {{ type = \"int\", count = 300, distribution = {{ zipf = 1.0, ranked = true }} }}\n\
         item = {{ type = \"int\", count = 200, distribution = {{ zipf = 0.8, ranked = true }} }}\n\
         ts = {{ type = \"timestamp\" }}\n[write.w]\nrate = \"1k/s\"\n\
         [existing.w]\nrecords = 200_000\nlast = \"10h\"\n{table}\n[strategy.s]\n{strategy}"
    );
    Scenario::parse(&text, "written").unwrap_or_else(|error| panic!("{error}"))
}

const WRITTEN: usize = 200_000;

/// Keys whose rows are written again, by what they tell of fields.
const STRATEGIES: [&str; 6] = [
    "key = \"be4(user) || be4(item)\"",
    "key = \"be1(random(4)) || be4(user)\"",
    "key = \"be4(user) || be4(ts / 3600000)\"",
    "key = \"be4(user / 10) || be1(item % 4)\"",
    "key = \"be4(user)\"\nqualifier = \"be4(item)\"",
    "key = \"be4(user) || left(md5_bytes(item), 1)\"",
];

#[test]
fn of_all_writes_each_cell_is_left_with_the_versions_that_are_kept() {
    for strategy in STRATEGIES {
        for versions in [1, 3] {
            let scenario = written(&format!("[family.d]\nversions = {versions}"), strategy);
            let (strategy, replicate) = first(&scenario);
            let table = KeyedTable::of(strategy, &replicate);
            let cells = KeyedTable {
                key: table.cell_key,
                ..table
            };
            let cells = cells.existing(WRITTEN, Choice::Spread);
            let rows = table.existing(WRITTEN, Choice::Spread);
            // Of each cell how often it was written, and its row.
            let mut counts: BTreeMap<&[u8], (usize, &[u8])> = BTreeMap::new();
            for at in 0..WRITTEN {
                let row = rows.keys.get(at);
                counts.entry(cells.keys.get(at)).or_insert((0, row)).0 += 1;
            }
            let kept = counts.into_values();
            let kept = kept.flat_map(|(writes, row)| vec![row; writes.min(versions)]);
            let mut kept: Vec<&[u8]> = kept.collect();
            kept.sort_unstable();
            assert_eq!(table.existing_cells(WRITTEN).sorted(), kept);
        }
    }
}

#[test]
fn a_tenth_of_the_writes_tells_where_the_cells_lie() {
    for text in STRATEGIES {
        for versions in [1.0, 3.0] {
            let scenario = written(&format!("[family.d]\nversions = {versions}"), text);
            let (strategy, replicate) = first(&scenario);
            let table = KeyedTable::of(strategy, &replicate);
            let [all, part] = [WRITTEN, WRITTEN / 10].map(|writes| table.existing_cells(writes));
            let all = all.sorted();
            let share = |keys: &[&[u8]], end: &[u8]| {
                keys.partition_point(|key| *key < end) as f64 / keys.len() as f64
            };
            // Cells stand for 1 to 10 of each of their versions. Weights that differ by up to R times make as many as n (1 + R)^2 / 4 R of equal ones, at most, of one
            // (Kish 1965); four standard errors of a share of p. Of versions up to a fifth besides, above and below a cut.
            let met = part.alike().count() as f64;
            let differ = 10.0 * versions;
            let of_one = (1.0 + differ) * (1.0 + differ) / (4.0 * differ) / met;
            for eighth in 1..8 {
                let end = all[all.len() * eighth / 8];
                let expected = share(&all, end);
                let spread = expected * (1.0 - expected);
                let model = if versions > 1.0 { 0.2 * spread } else { 0.0 };
                let most = 4.0 * (spread * of_one).sqrt() + model;
                let found = share(&part.sorted(), end);
                let place = format!("{text}, {versions}: {found} for {expected}, {most}");
                assert!((found - expected).abs() < most, "{place}");
            }
        }
    }
}

#[test]
fn rows_that_are_written_once_are_sampled_as_they_were() {
    let scenario = written(
        "",
        "key = \"be4(user) || be4(item) || be8(ts) || be4(random(1000000))\"",
    );
    let (strategy, replicate) = first(&scenario);
    let table = KeyedTable::of(strategy, &replicate);
    for writes in [10_000, WRITTEN] {
        let [cells, rows] = [
            table.existing_cells(writes),
            table.existing(writes, Choice::Spread),
        ];
        let keys = |sample: &KeySample| sample.sorted().concat();
        assert!(keys(&cells) == keys(&rows));
    }
}

#[test]
fn a_table_of_few_rows_says_so() {
    let presplit = "presplit = { algorithm = \"sampled\", regions = 16 }";
    let scenario = votes(5, VOTES, presplit);
    let (strategy, replicate) = first(&scenario);
    let lints = Layout::of(strategy, &replicate).lints;
    let expected = "the existing rows give 5 regions, not 16: too few distinct keys";
    assert!(lints.iter().any(|lint| lint.message.contains(expected)));
}
