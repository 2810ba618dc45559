//! Samples of the run's own operations, held against the operations themselves.

use super::fixture::*;
use super::import_tests::{closed, drawn};
use super::*;
use crate::time::SimDuration;
use crate::units::PerSecond;
use std::sync::Arc;

#[test]
fn a_sample_of_the_run_holds_its_own_operations_by_volume() {
    let rows = drawn(3_000, 0);
    let writes = vec![
        write("a", open(6_000.0, Arrivals::Poisson)),
        write("b", periodic(100, Phase::Spread, 40)),
        write("c", open_import(rows, ImportOrder::Shuffled)),
    ];
    let workload = workload(1_000, writes);
    let run = all(&workload);
    let mut sample = OperationBatch::default();
    RunSample::take(&workload, &generator(), (969, Choice::Spread), &mut sample);
    // 6,000 (by expectation), 690 and 3,000 of 9,690: a tenth of each.
    let count = |write| {
        sample
            .writes
            .iter()
            .filter(|id| **id == WriteId(write))
            .count()
    };
    assert_eq!((count(0), count(2)), (600, 300));
    // Jitter takes some beats behind the end of the run.
    assert!((66..=69).contains(&count(1)), "{}", count(1));
    for at in 0..sample.operations.len() {
        let Some(there) = run
            .operations
            .iter()
            .position(|operation| *operation == sample.operations[at])
        else {
            // The Poisson stream fell short of its expectation.
            assert_eq!(sample.writes[at], WriteId(0));
            continue;
        };
        let (time, real) = (sample.intended[at], run.intended[there]);
        let (time, real) = (time.as_secs_f64(), real.as_secs_f64());
        if sample.writes[at] == WriteId(1) {
            assert_eq!(sample.intended[at], run.intended[there]);
        } else {
            // Five standard deviations of the time of the 6,000th operation at 6,000/s: 5 * sqrt(6,000) / 6,000 s.
            assert!((time - real).abs() < 0.065, "{time} {real}");
        }
        let fields = |batch: &OperationBatch, at| {
            let mut record = batch.record(at, WIDTH).to_vec();
            record.remove(usize::from(TS.0));
            record
        };
        assert_eq!(fields(&sample, at), fields(&run, there));
    }
    for tenth in 0..10 {
        let of_open = |at: &usize| {
            sample.writes[*at] == WriteId(0)
                && sample.intended[*at].as_nanos() / 100_000_000 == tenth
        };
        let here = (0..sample.operations.len()).filter(of_open).count();
        // One in each of 60 stretches; the borders may take or give one each.
        assert!((57..=63).contains(&here), "{here}");
    }
}

#[test]
fn a_sample_of_an_ordered_import_follows_its_order() {
    // At 1,000/s the run comes to a third of the rows: those of the first sites.
    let import = Import {
        rows: drawn(3_000, 0),
        order: ImportOrder::By(SITE),
        times: None,
    };
    let load = LoadModel::Open {
        rate: PerSecond(1_000.0),
        arrivals: Arrivals::Constant,
        profile: Vec::new(),
        import: Some(import),
    };
    let workload = workload(1_000, vec![write("import", load)]);
    let run = all(&workload);
    let mut sample = OperationBatch::default();
    RunSample::take(&workload, &generator(), (300, Choice::Spread), &mut sample);
    assert_eq!(sample.operations.len(), 300);
    assert!(sample.intended.is_sorted());
    let sites = |batch: &OperationBatch| -> Vec<i64> {
        records(batch)
            .iter()
            .map(|record| record[usize::from(SITE.0)])
            .collect()
    };
    let (sampled, written) = (sites(&sample), sites(&run));
    let first = sampled[0];
    assert!(sampled.iter().all(|site| written.contains(site)));
    let share = |sites: &[i64]| {
        sites.iter().filter(|site| **site == first).count() as f64 / sites.len() as f64
    };
    // 900 of the 3,000 rows are sorted: the first site's part p of all is known to sqrt(p (1 - p) / 900 * 0.7), at most 0.013 where p is at
    // most the third that is written, and three times that of the third; five of them.
    assert!((share(&sampled) - share(&written)).abs() < 0.2);
}

#[test]
fn a_sample_takes_no_longer_for_ten_thousand_million_operations() {
    let rows = drawn(10_000_000_000, 0);
    let writes = vec![
        write("a", open(1e9, Arrivals::Poisson)),
        write("b", open_import(rows.clone(), ImportOrder::By(SITE))),
        write("c", open_import(rows, ImportOrder::Shuffled)),
    ];
    let mut sample = OperationBatch::default();
    let workload = workload(1_000_000, writes);
    // A test that passed over them all would not end.
    RunSample::take(
        &workload,
        &generator(),
        (1_000, Choice::Spread),
        &mut sample,
    );
    assert!(
        (999..=1_001).contains(&sample.operations.len()),
        "{}",
        sample.operations.len()
    );
}

#[test]
fn a_sample_of_a_closed_loop_spreads_its_times_over_the_run() {
    let workload = closed(6, Think::Constant(SimDuration::from_millis(1)), None);
    let generator = generator();
    let mut sample = OperationBatch::default();
    RunSample::take(&workload, &generator, (200, Choice::Spread), &mut sample);
    assert_eq!(sample.operations.len(), 200);
    assert!(sample.intended.is_sorted());
    let late = sample
        .intended
        .iter()
        .filter(|time| time.as_secs_f64() >= 0.5)
        .count();
    assert!(late.abs_diff(100) <= 1, "{late}");
    let mut source =
        ClosedSource::new(&workload, WriteId(0), Arc::clone(&generator)).expect("a closed loop");
    let (mut record, mut issued) = ([0; WIDTH], 0);
    for at in 0..sample.operations.len() {
        // Clients that write one after another: all before it have counted the sequence up.
        for index in issued..=sample.indices[at] {
            let (client, k) = ((index % 6) as u32, index / 6);
            source.issue(client, k, sample.intended[at], &mut record);
        }
        issued = sample.indices[at] + 1;
        assert_eq!(sample.record(at, WIDTH), record);
    }
}

#[test]
fn a_sample_of_an_import_by_clients_spreads_its_times_over_what_it_takes() {
    // Six clients that think 1 ms and wait 2 ms put 2,000 rows a second: 650 in 0.325 s of a run of a second. One in a hundredth of that each is sampled.
    let import = Import {
        rows: drawn(650, 0),
        order: ImportOrder::Time,
        times: None,
    };
    let workload = closed(
        6,
        Think::Constant(SimDuration::from_millis(1)),
        Some(import),
    );
    let mut sample = OperationBatch::default();
    RunSample::take(&workload, &generator(), (100, Choice::Spread), &mut sample);
    let last = sample.intended.last().expect("a hundred").as_secs_f64();
    assert!((0.325 * 0.98..=0.325).contains(&last), "{last}");
}

#[test]
fn times_of_a_sample_have_any_last_digits_unless_arrivals_are_constant() {
    // At 1,000/s an operation is due every millisecond, but comes at any microsecond of it: each tenth of a millisecond is as likely as another. Binomial with a mean of 100 and a standard deviation
    // of sqrt(1000 x 0.1 x 0.9) = 9.5: five of them.
    let digits = |batch: &OperationBatch| {
        let mut counts = [0; 10];
        for at in 0..batch.operations.len() {
            let nanos = batch.record(at, WIDTH)[usize::from(TS.0)];
            counts[(nanos / 100_000).rem_euclid(10) as usize] += 1;
        }
        counts
    };
    let is_even = |counts: [i32; 10]| counts.iter().all(|it| (52..=148).contains(it));
    let sample = |writes: Vec<Write>| {
        let workload = workload(1_000, writes);
        let mut batch = OperationBatch::default();
        RunSample::take(&workload, &generator(), (1_000, Choice::Spread), &mut batch);
        (workload, batch)
    };
    let load = |arrivals| vec![write("w", open(1_000.0, arrivals))];
    let of_run = sample(load(Arrivals::Poisson)).1;
    assert!(is_even(digits(&of_run)), "{:?}", digits(&of_run));
    let (constant, sampled) = sample(load(Arrivals::Constant));
    assert_eq!(sampled.intended, all(&constant).intended);
    let mut workload = constant;
    workload.existing = vec![super::read_tests::existing("w", drawn(1_000, 1_000))];
    let mut before = OperationBatch::default();
    ExistingSample::take(
        &workload,
        &generator(),
        (1_000, Choice::Spread),
        &mut before,
    );
    assert!(is_even(digits(&before)), "{:?}", digits(&before));
}
