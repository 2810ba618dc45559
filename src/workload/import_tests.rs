//! Imports, existing rows and closed loops.

use super::fixture::*;
use super::*;
use crate::time::{SimDuration, SimTime};
use std::collections::BTreeSet;

pub(super) fn drawn(records: u64, millis: u64) -> ImportRows {
    ImportRows::Drawn {
        records,
        last: SimDuration::from_millis(millis),
    }
}

/// 69 combinations every 100 ms.
fn beats(millis: u64) -> ImportRows {
    let every = Some(SimDuration::from_millis(100));
    ImportRows::Each {
        each: vec![SENSOR, METRIC],
        every,
        last: SimDuration::from_millis(millis),
    }
}

fn once() -> ImportRows {
    ImportRows::Each {
        each: vec![METRIC, SENSOR],
        every: None,
        last: SimDuration::ZERO,
    }
}

/// The records that an open-loop import writes, in its order; times that are the operation's own are left out.
fn imported(rows: &ImportRows, order: ImportOrder) -> Vec<Vec<i64>> {
    let own_times = matches!(rows, ImportRows::Drawn { last, .. } if *last > SimDuration::ZERO)
        || matches!(rows, ImportRows::Each { every: Some(_), .. });
    let batch = all(&workload(
        1_000,
        vec![write("import", open_import(rows.clone(), order))],
    ));
    assert!(
        batch
            .indices
            .iter()
            .copied()
            .eq(0..batch.operations.len() as u64)
    );
    let mut records = records(&batch);
    if !own_times {
        records
            .iter_mut()
            .for_each(|record| record[TS.0 as usize] = 0);
    }
    records
}

#[test]
fn an_import_writes_every_record_exactly_once_in_every_order() {
    // 6.5 periods, exactly 4 periods, less than one.
    for rows in [
        drawn(2_000, 900),
        drawn(300, 0),
        beats(650),
        beats(400),
        beats(70),
        once(),
    ] {
        let in_time = imported(&rows, ImportOrder::Time);
        assert_eq!(in_time.len() as u64, rows.len(&schema()));
        let distinct: BTreeSet<&Vec<i64>> = in_time.iter().collect();
        assert_eq!(distinct.len(), in_time.len());
        assert_ne!(imported(&rows, ImportOrder::Shuffled), in_time);
        for order in [
            ImportOrder::Shuffled,
            ImportOrder::By(SITE),
            ImportOrder::By(SENSOR),
            ImportOrder::By(METRIC),
            ImportOrder::By(LOAD),
        ] {
            let other = imported(&rows, order);
            assert_eq!(other.iter().collect::<BTreeSet<_>>(), distinct, "{order:?}");
            assert_eq!(other.len(), in_time.len());
        }
    }
}

#[test]
fn an_import_in_order_of_time_ascends_and_ends_before_the_run() {
    for rows in [drawn(2_000, 900), beats(650), beats(400)] {
        let times: Vec<i64> = imported(&rows, ImportOrder::Time)
            .iter()
            .map(|record| record[3])
            .collect();
        assert!(times.is_sorted());
        assert!(times[times.len() - 1] < START.0);
        let (ImportRows::Drawn { last, .. } | ImportRows::Each { last, .. }) = rows;
        assert!(times[0] >= START.0 - last.as_nanos() as i64 - 1);
    }
}

#[test]
fn an_import_by_a_field_is_sorted_by_its_value_then_by_time() {
    let schema = schema();
    for rows in [
        drawn(2_000, 900),
        drawn(300, 0),
        beats(650),
        beats(400),
        beats(70),
        once(),
    ] {
        for field in [SITE, SENSOR, METRIC, LOAD] {
            let value = |record: &Vec<i64>| {
                let slot = record[usize::from(field.0)];
                let mut text = Vec::new();
                if field == SITE {
                    schema.write_text(field, slot, &mut text);
                }
                (text, slot)
            };
            // A stable sort of the records in their own order.
            let mut expected = imported(&rows, ImportOrder::Time);
            expected.sort_by_key(value);
            assert_eq!(
                imported(&rows, ImportOrder::By(field)),
                expected,
                "{rows:?} by {field:?}"
            );
        }
    }
}

#[test]
fn sequences_continue_after_the_existing_rows_of_their_write() {
    let mut workload = workload(
        50,
        vec![
            write("a", open(1e4, Arrivals::Constant)),
            write("b", open(1e4, Arrivals::Constant)),
        ],
    );
    let existing = |name: &str, write, rows| Existing {
        name: name.into(),
        write,
        rows,
        with: Vec::new(),
    };
    workload.existing = vec![
        existing("b", Some(WriteId(1)), drawn(40, 10)),
        existing("c", None, once()),
    ];
    assert_eq!(workload.existing_rows(&schema()), 40 + 69);
    let batch = all(&workload);
    for ((record, index), write) in records(&batch)
        .iter()
        .zip(&batch.indices)
        .zip(&batch.writes)
    {
        let before = if *write == WriteId(1) { 40 } else { 0 };
        assert_eq!(record[NUMBER.0 as usize], 500 + before + *index as i64);
    }
}

pub(super) fn closed(clients: u32, think: Think, import: Option<Import>) -> Workload {
    workload(
        1_000,
        vec![write(
            "c",
            LoadModel::Closed {
                clients,
                think,
                buffer: None,
                import,
            },
        )],
    )
}

fn source(workload: &Workload) -> ClosedSource {
    ClosedSource::new(workload, WriteId(0), generator()).expect("a closed loop")
}

#[test]
fn a_clients_operation_has_its_own_number_and_fields_whenever_it_is_issued() {
    let workload = closed(7, Think::Constant(SimDuration::from_millis(3)), None);
    let (mut early, mut late) = (source(&workload), source(&workload));
    let (mut a, mut b) = ([0; WIDTH], [0; WIDTH]);
    for k in 0..50 {
        for client in 0..7 {
            let id = early
                .issue(client, k, SimTime::from_nanos(5), &mut a)
                .expect("endless");
            assert_eq!(id, OperationId::new(WriteId(0), k * 7 + u64::from(client)));
            assert_eq!(early.think(client, k), SimDuration::from_millis(3));
            // In another order, at another time.
            assert_eq!(
                late.issue(client, k, SimTime::from_nanos(77_000), &mut b),
                Some(id)
            );
            assert_eq!((a[3], b[3]), (START.0 + 5, START.0 + 77_000));
            assert_eq!(a[NUMBER.0 as usize], 500 + id.index() as i64);
            b[3] = a[3];
            assert_eq!(a, b);
        }
    }
}

#[test]
fn exponential_think_times_belong_to_the_client_and_its_count() {
    let workload = closed(40, Think::Exponential(SimDuration::from_millis(8)), None);
    let source = source(&workload);
    let times: Vec<f64> = (0..500)
        .flat_map(|k| (0..40).map(move |client| (client, k)))
        .map(|(client, k)| source.think(client, k).as_millis_f64())
        .collect();
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    // An exponential's standard deviation is its mean: 8 / sqrt(20,000) = 0.057; four of them.
    assert!((mean - 8.0).abs() < 4.0 * 0.057, "{mean}");
    assert_eq!(source.think(3, 9), source.think(3, 9));
}

#[test]
fn whoever_is_ready_takes_the_next_record_of_an_import() {
    let import = Import {
        rows: beats(650),
        order: ImportOrder::Time,
        times: None,
    };
    let mut source = source(&closed(3, Think::Constant(SimDuration::ZERO), Some(import)));
    let mut record = [0; WIDTH];
    // A fast client, one that is slow, and one that never comes.
    let ready = [(0, 0), (0, 1), (0, 2), (2, 0), (0, 3)];
    let taken = ready.map(|(client, k)| source.issue(client, k, SimTime::ZERO, &mut record));
    let indices = taken.map(|id| id.expect("hundreds of records").index());
    assert_eq!(indices, [0, 1, 2, 3, 4]);
}

#[test]
fn the_clients_of_a_closed_import_share_its_records_and_stop() {
    for order in [
        ImportOrder::Time,
        ImportOrder::Shuffled,
        ImportOrder::By(SITE),
    ] {
        let import = Import {
            rows: beats(650),
            order,
            times: None,
        };
        let workload = closed(11, Think::Constant(SimDuration::ZERO), Some(import));
        let mut source = source(&workload);
        let total = beats(650).len(&schema());
        assert!(!source.is_done());
        let mut record = [0; WIDTH];
        let mut issued: Vec<(u64, Vec<i64>)> = Vec::new();
        for client in 0..11 {
            let mut k = 0;
            while let Some(id) = source.issue(client, k, SimTime::ZERO, &mut record) {
                issued.push((id.index(), record.to_vec()));
                k += 1;
            }
            assert_eq!(
                source.issue(client, k + 1, SimTime::ZERO, &mut record),
                None
            );
        }
        assert!(source.is_done());
        issued.sort();
        assert!(issued.iter().map(|(index, _)| *index).eq(0..total));
        // What an open loop of that name writes: the name is another, so other draws, but the same combinations.
        let combination = |record: &Vec<i64>| (record[0], record[1]);
        let mut closed: Vec<_> = issued
            .iter()
            .map(|(_, record)| combination(record))
            .collect();
        let mut open: Vec<_> = imported(&beats(600), order)
            .iter()
            .map(combination)
            .collect();
        closed.sort_unstable();
        closed.dedup();
        open.sort_unstable();
        open.dedup();
        assert_eq!(closed, open);
    }
}

#[test]
fn a_sample_of_existing_rows_is_spread_evenly_over_all_of_them() {
    let mut workload = workload(1_000, vec![write("b", periodic(100, Phase::Spread, 0))]);
    let existing = |name: &str, write, rows, with| Existing {
        name: name.into(),
        write,
        rows,
        with,
    };
    workload.existing = vec![
        existing("b", Some(WriteId(0)), beats(60_000), vec![(LOAD, 77)]),
        existing("old", None, drawn(13_800, 5_000), vec![]),
    ];
    let generator = generator();
    let mut batch = OperationBatch::default();
    ExistingSample::take(&workload, &generator, (2_070, Choice::Spread), &mut batch);
    assert_eq!(batch.operations.len(), 2_070);
    // Three quarters are the beat's, to one row: strata of 26.7 rows may straddle the border.
    let of_beat = records(&batch)
        .iter()
        .filter(|record| record[LOAD.0 as usize] == 77)
        .count();
    assert!(of_beat.abs_diff(1_552) <= 1, "{of_beat}");
    assert!(
        records(&batch)
            .iter()
            .all(|record| record[TS.0 as usize] < START.0)
    );
    // All of them, once, when there are no more.
    batch.clear();
    ExistingSample::take(
        &workload,
        &generator,
        (1_000_000, Choice::Spread),
        &mut batch,
    );
    assert_eq!(
        batch.operations.len() as u64,
        workload.existing_rows(&schema())
    );
    let distinct: BTreeSet<_> = batch.operations.iter().zip(records(&batch)).collect();
    assert_eq!(distinct.len(), batch.operations.len());
}

#[test]
fn existing_beats_have_the_phases_of_the_beat_that_they_precede() {
    let mut workload = workload(100, vec![write("b", periodic(100, Phase::Spread, 0))]);
    workload.existing = vec![Existing {
        name: "b".into(),
        write: Some(WriteId(0)),
        rows: beats(300),
        with: Vec::new(),
    }];
    let mut before = OperationBatch::default();
    ExistingSample::take(
        &workload,
        &generator(),
        (1_000, Choice::Spread),
        &mut before,
    );
    let phases = |batch: &OperationBatch| -> BTreeSet<(i64, i64, i64)> {
        records(batch)
            .iter()
            .map(|record| {
                (
                    record[0],
                    record[1],
                    (record[3] - START.0).rem_euclid(100_000_000),
                )
            })
            .collect()
    };
    assert_eq!(before.operations.len(), 207);
    assert_eq!(phases(&before), phases(&all(&workload)));
}

/// 414 of 41,400 turns of beats and 138 of 13,800 drawn rows, of the middle of each.
#[test]
fn rows_written_together_are_the_middle_ones_of_each_table() {
    let mut workload = workload(200, vec![write("b", periodic(100, Phase::Spread, 0))]);
    let existing = |name: &str, write, rows| Existing {
        name: name.into(),
        write,
        rows,
        with: Vec::new(),
    };
    workload.existing = vec![
        existing("b", Some(WriteId(0)), beats(60_000)),
        existing("old", None, drawn(13_800, 5_000)),
    ];
    let mut batch = OperationBatch::default();
    let wanted = (552, Choice::Together);
    ExistingSample::take(&workload, &generator(), wanted, &mut batch);
    let numbers: Vec<u64> = (20_493..20_907).chain(6_831..6_969).collect();
    assert_eq!(batch.indices, numbers);
}
