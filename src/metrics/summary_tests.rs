//! Metrics of hand-made runs at their bounds, with servers that join, and of what is refused.

use super::fixture::{self, W, metric, ms};
use super::{MetricId, Recorder, RecorderConfig, RefusalReason, RunResult, SeriesEvent};
use crate::keyspace::RowKey;
use crate::time::SimDuration;
use crate::workload::ReadId;

const NANO: SimDuration = SimDuration::from_nanos(1);

/// The small run with region i on server i of `servers`, the fourth on server 0; those behind the first two may join.
fn config(servers: u32, duration_ms: u64) -> RecorderConfig {
    RecorderConfig {
        servers,
        region_server: vec![0, 1, 2 % servers, 0],
        imports: vec![false],
        key_buckets: 1,
        ..fixture::config(duration_ms)
    }
}

/// Rows of each server at a time, into its first region.
fn offer(recorder: &mut Recorder, at: u64, rows: &[u32]) {
    for (server, &count) in (0..).zip(rows) {
        for _ in 0..count {
            recorder.offered(ms(at), W, server, server);
        }
    }
}

fn split(parent: u32, daughters: [u32; 2]) -> SeriesEvent {
    SeriesEvent::split(parent, daughters, &RowKey(vec![9]), 1)
}

fn assert_metrics(result: &RunResult, expected: &[(MetricId, f64)]) {
    for &(id, expected) in expected {
        let found = metric(result, id);
        let message = format!("{id:?}: found {found}, expected {expected}");
        assert!((found - expected).abs() < 1e-12, "{message}");
    }
}

#[test]
fn refused_rows_are_a_fraction_of_those_refused_or_written_in_the_window() {
    let mut recorder = Recorder::new(config(2, 4_000));
    let mut refuse = |at, reason, rows| recorder.rows_refused(1, ms(at), reason, rows);
    refuse(900, RefusalReason::RegionTooBusy, 400);
    refuse(1_100, RefusalReason::RegionTooBusy, 5);
    refuse(3_900, RefusalReason::RegionTooBusy, 7);
    refuse(1_200, RefusalReason::NotServingRegion, 3);
    refuse(1_300, RefusalReason::CallQueueTooBig, 100);
    for finished in [800, 1_900, 3_000, 3_100, 3_200, 3_999] {
        recorder.completed(W, 0, ms(500), ms(finished), true);
    }
    let result = recorder.finish(ms(4_000));
    // 12 and 3 rows refused, 5 written.
    assert_metrics(
        &result,
        &[
            (MetricId::RegionTooBusyFraction, 12.0 / 20.0),
            (MetricId::NotServingFraction, 3.0 / 20.0),
            // Servers refuse in the first and last of three intervals, and none is busy.
            (MetricId::HotTimeFraction, 2.0 / 3.0),
            (MetricId::SkewedTimeFraction, 2.0 / 3.0),
        ],
    );
    let nothing = Recorder::new(config(2, 4_000)).finish(ms(4_000));
    assert_eq!(nothing.metrics[MetricId::RegionTooBusyFraction], None);
    assert_eq!(nothing.metrics[MetricId::NotServingFraction], None);
}

#[test]
fn a_window_shorter_than_an_interval_keeps_its_only_one() {
    let mut recorder = Recorder::new(config(2, 1_500));
    offer(&mut recorder, 1_200, &[18, 6]);
    let result = recorder.finish(ms(1_500));
    assert_metrics(
        &result,
        &[
            (MetricId::IntervalsMeasured, 1.0),
            (MetricId::IntervalsSkipped, 0.0),
            (MetricId::ServerPeakToMean, 1.5),
            (MetricId::WriteOffered, 48.0),
        ],
    );
}

#[test]
fn a_server_is_hot_above_19_of_20_and_the_cluster_busy_from_17_of_20() {
    let fractions = |busy: [u64; 2]| {
        let mut recorder = Recorder::new(config(2, 2_000));
        for (server, busy) in (0..).zip(busy) {
            (0..4).for_each(|_| recorder.busy(server, ms(1_000), ms(1_000 + busy)));
        }
        let result = recorder.finish(ms(2_000));
        [MetricId::HotTimeFraction, MetricId::SkewedTimeFraction].map(|name| metric(&result, name))
    };
    assert_eq!(fractions([950, 0]), [0.0, 0.0]);
    assert_eq!(fractions([951, 0]), [1.0, 1.0]);
    assert_eq!(fractions([1_000, 699]), [1.0, 1.0]);
    assert_eq!(fractions([1_000, 700]), [1.0, 0.0]);
}

#[test]
fn means_are_taken_over_the_servers_that_had_joined() {
    let mut recorder = Recorder::new(config(3, 4_000));
    // In the second of three intervals, before its middle.
    recorder.servers_added(ms(2_400), 2, 1);
    offer(&mut recorder, 1_500, &[25, 15]);
    offer(&mut recorder, 2_500, &[8, 20, 12]);
    offer(&mut recorder, 3_500, &[10, 26, 4]);
    // Too few for three servers, though not for two.
    offer(&mut recorder, 500, &[11, 12]);
    recorder.busy(0, ms(1_000), ms(3_000));
    recorder.busy(2, ms(3_000), ms(4_000));
    let result = recorder.finish(ms(4_000));
    assert_metrics(
        &result,
        &[
            // Peaks of 25 x 2 / 40, 20 x 3 / 40 and 26 x 3 / 40.
            (MetricId::ServerPeakToMean, 1.5),
            (MetricId::ServerMaxShare, 0.625),
            (MetricId::ServerPeakToMeanP95, 1.95 - 0.1 * 0.45),
            // 43, 61 and 16 of 120, of the three midway.
            (MetricId::ServerPeakToMeanOverall, 3.0 * 61.0 / 120.0),
            // Busy for 2 and 1 of 3 s with a quarter of the handlers, of (2 + 3 + 3) / 3 servers.
            (
                MetricId::UtilisationMean,
                (0.5 / 3.0 + 0.25 / 3.0) / (8.0 / 3.0),
            ),
            (MetricId::UtilisationMax, 0.5 / 3.0),
        ],
    );
    let series = result.series.expect("a series is kept");
    assert_eq!(series.server_demand[3], [10, 26, 4]);
    assert_eq!(series.events.len(), 1);
}

#[test]
fn regions_that_no_row_fell_into_are_a_fraction_of_those_at_the_end() {
    let mut recorder = Recorder::new(config(3, 3_000));
    offer(&mut recorder, 200, &[1, 0, 0]);
    recorder.happened(ms(1_500), split(0, [4, 5]));
    recorder.happened(ms(1_600), SeriesEvent::merged([1, 2], 6));
    let result = recorder.finish(ms(3_000));
    // Of 3, 4, 5 and 6 the daughters have their parent's row.
    assert_metrics(
        &result,
        &[
            (MetricId::EmptyRegionFraction, 0.5),
            (MetricId::RegionsStart, 4.0),
            (MetricId::RegionsEnd, 4.0),
        ],
    );
}

/// A run of 5 s with an operation every 10 ms, slow to answer up to some time; whether it was answered at all.
fn unsettled(reads_slow_until: u64, writes_slow_until: u64, change: Change) -> Option<f64> {
    let mut recorder = Recorder::new(RecorderConfig {
        reads: 1,
        ..config(2, 5_000)
    });
    let read = ReadId(0);
    for finished in (100..5_000).step_by(10) {
        let response = |slow_until: u64| if finished < slow_until { 100 } else { 5 };
        let written = ms(finished - response(writes_slow_until));
        recorder.offered(written, W, 0, 0);
        if change != Change::PilesUp {
            recorder.completed(W, 0, written, ms(finished), true);
        }
        let asked = ms(finished - response(reads_slow_until));
        recorder.intended(asked, read);
        recorder.read_completed(read, asked, ms(finished), true, Default::default());
    }
    let end = if change == Change::EndsEarly {
        4_990
    } else {
        5_000
    };
    recorder.finish(ms(end)).metrics[MetricId::Unsettled]
}

#[derive(Clone, Copy, PartialEq)]
enum Change {
    Nothing,
    PilesUp,
    EndsEarly,
}

#[test]
fn the_later_of_writes_and_reads_says_when_a_run_had_settled() {
    assert_eq!(unsettled(2_000, 1_500, Change::Nothing), Some(1_000.0));
    assert_eq!(unsettled(1_500, 2_000, Change::Nothing), Some(1_000.0));
    assert_eq!(unsettled(0, 1_500, Change::Nothing), Some(500.0));
    assert_eq!(unsettled(900, 900, Change::Nothing), Some(0.0));
    // Neither what piles up nor what ended early has settled anywhere.
    assert_eq!(unsettled(2_000, 1_500, Change::PilesUp), None);
    assert_eq!(unsettled(2_000, 1_500, Change::EndsEarly), None);
}

#[test]
fn clients_that_start_slowly_are_unsettled_only_if_they_wait_for_answers() {
    let unsettled = |open_loop| {
        let mut recorder = Recorder::new(RecorderConfig {
            open_loop,
            ..config(2, 5_000)
        });
        // Twice as many from 2 s on.
        for finished in (10..2_000).step_by(20).chain((2_000..5_000).step_by(10)) {
            let intended = ms(finished - 5);
            recorder.offered(intended, W, 0, 0);
            recorder.completed(W, 0, intended, ms(finished), true);
        }
        recorder.finish(ms(5_000)).metrics[MetricId::Unsettled]
    };
    assert_eq!(unsettled(false), Some(1_000.0));
    assert_eq!(unsettled(true), Some(0.0));
}

#[test]
fn reads_of_daughters_are_counted_and_no_reads_leave_no_series() {
    let run = |reads| {
        let mut recorder = Recorder::new(RecorderConfig {
            reads,
            ..config(2, 3_000)
        });
        recorder.happened(ms(1_200), split(0, [4, 5]));
        if reads > 0 {
            (0..3).for_each(|_| recorder.read_demand(ms(1_500), 5, 1, NANO));
            (0..2).for_each(|_| recorder.read_demand(ms(2_500), 1, 0, NANO));
        }
        let series = recorder.finish(ms(3_000)).series.unwrap();
        (series.read_region_demand, series.server_read_demand)
    };
    assert_eq!(
        run(1),
        (
            vec![0, 2, 0, 0, 0, 3],
            vec![vec![0, 0], vec![0, 3], vec![2, 0]]
        )
    );
    assert_eq!(run(0), (vec![], vec![]));
}

#[test]
fn regions_of_neighbours_and_those_that_are_gone_are_not_idle_ones() {
    // Four regions of the table and two of a neighbour; the second one splits before the window.
    let mut recorder = Recorder::new(RecorderConfig {
        region_server: vec![0, 1, 0, 1, 0, 1],
        ..config(2, 3_000)
    });
    recorder.happened(ms(500), split(1, [6, 7]));
    for region in [0, 2, 3, 6] {
        (0..7).for_each(|_| recorder.offered(ms(1_500), W, region, 0));
        (0..7).for_each(|_| recorder.offered(ms(2_500), W, region, 0));
    }
    let result = recorder.finish(ms(3_000));
    // Of five regions four hold the same: 1/5, times 5/4 for so few.
    assert_metrics(
        &result,
        &[
            (MetricId::RegionGini, 0.25),
            (MetricId::RegionGiniOverall, 0.25),
        ],
    );
}

#[test]
fn rates_of_an_import_are_of_the_time_that_it_takes_wherever_the_window_begins() {
    // Ten rows in 0.9 s, all but the last before the warm-up is over in half a second and one of them too late; in a run of 4 s.
    let of = |imports: Vec<bool>, last: Option<u64>| {
        let mut recorder = Recorder::new(RecorderConfig {
            imports,
            warmup: ms(500),
            ..fixture::config(4_000)
        });
        offer(&mut recorder, 10, &[10]);
        for at in 1..10 {
            recorder.completed(W, 0, ms(10), ms(at * 50), at > 1);
        }
        match last {
            Some(last) => recorder.completed(W, 0, ms(10), ms(last), true),
            None => recorder.unfinished(W, ms(10), ms(4_000)),
        }
        let result = recorder.finish(ms(4_000));
        let ids = [
            MetricId::WriteOffered,
            MetricId::WriteThroughput,
            MetricId::WriteGoodput,
        ];
        let each = &result.writes.each[0].metrics;
        (ids.map(|id| result.metrics[id]), ids.map(|id| each[id]))
    };
    let done = [10.0, 10.0, 9.0].map(|count| Some(count / 0.9));
    let in_window = |count: f64| [Some(0.0), Some(count / 3.5), Some(count / 3.5)];
    assert_eq!(of(vec![true], Some(900)), (done, done));
    assert_eq!(of(vec![false], Some(900)), (in_window(1.0), in_window(1.0)));
    // Beside other writes, of which there are none here, it counts with its own rate.
    assert_eq!(of(vec![true, false], Some(900)), (done, done));
    // What does not end has none but those of the window.
    assert_eq!(of(vec![true], None), (in_window(0.0), in_window(0.0)));
}
