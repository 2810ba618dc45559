//! Hand-made traces with numbers that no two metrics share.

use super::fixture::{W, config, metric, ms};
use super::{MetricId, Recorded, Recorder, RecorderConfig, Side};
use crate::workload::WriteId;

fn offer(recorder: &mut Recorder, at: u64, region: u32, count: u32) {
    for _ in 0..count {
        recorder.offered(ms(at), W, region, region % 2);
        recorder.mapped(ms(at), region.min(2));
    }
}

fn assert_close(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-12,
        "found {found}, expected {expected}"
    );
}

#[test]
fn skew_is_measured_in_each_interval_and_over_all() {
    let mut recorder = Recorder::new(config(4_000));
    offer(&mut recorder, 500, 1, 1_000);
    offer(&mut recorder, 1_100, 0, 30);
    offer(&mut recorder, 1_200, 1, 10);
    offer(&mut recorder, 2_100, 3, 36);
    offer(&mut recorder, 2_200, 2, 4);
    offer(&mut recorder, 3_500, 0, 24);
    offer(&mut recorder, 3_999, 3, 16);
    let result = recorder.finish(ms(4_000));
    // Peak-to-mean by interval: 1.5, 1.8, 1.2; the totals are 58 and 62.
    assert_close(metric(&result, MetricId::ServerPeakToMean), 1.5);
    assert_close(metric(&result, MetricId::ServerMaxShare), 0.75);
    assert_close(metric(&result, MetricId::ServerPeakToMeanP95), 1.77);
    assert_close(
        metric(&result, MetricId::ServerPeakToMeanOverall),
        2.0 * 62.0 / 120.0,
    );
    assert_close(
        metric(&result, MetricId::ServerMaxShareOverall),
        62.0 / 120.0,
    );
    assert_close(
        metric(&result, MetricId::EffectiveServers),
        1.0 / (0.75 * 0.75 + 0.25 * 0.25),
    );
    assert_close(
        metric(&result, MetricId::EffectiveServersOverall),
        120.0 * 120.0 / (58.0 * 58.0 + 62.0 * 62.0),
    );
    assert_close(metric(&result, MetricId::RegionMaxShare), 0.75);
    assert_close(metric(&result, MetricId::PlacementFloor), 1.5);
    // Regions in total: 54, 10, 4, 52.
    assert_close(
        metric(&result, MetricId::RegionMaxShareOverall),
        54.0 / 120.0,
    );
    assert_close(
        metric(&result, MetricId::RegionGiniOverall),
        (2.0 * (4.0 + 2.0 * 10.0 + 3.0 * 52.0 + 4.0 * 54.0) - 5.0 * 120.0) / (3.0 * 120.0),
    );
    assert_close(metric(&result, MetricId::EmptyRegionFraction), 0.0);
    assert_close(metric(&result, MetricId::IntervalsMeasured), 3.0);
    assert!(metric(&result, MetricId::ServerPeakToMeanEven) > 1.0);
}

#[test]
fn an_interval_counts_by_what_it_carries() {
    let mut recorder = Recorder::new(config(6_000));
    for quiet in [1_000, 2_000, 3_000] {
        offer(&mut recorder, quiet, 0, 20);
    }
    for busy in [4_000, 5_000] {
        offer(&mut recorder, busy, 0, 450);
        offer(&mut recorder, busy, 1, 550);
    }
    let result = recorder.finish(ms(6_000));
    // Three of five intervals have a peak of 2, with 60 of 2,060 operations.
    assert_close(metric(&result, MetricId::IntervalsMeasured), 5.0);
    assert_close(metric(&result, MetricId::ServerPeakToMean), 1.1);
    assert_close(metric(&result, MetricId::RegionMaxShare), 0.55);
}

#[test]
fn a_moving_hotspot_is_high_in_each_interval_and_low_over_all() {
    let mut recorder = Recorder::new(config(5_000));
    for interval in 0..5 {
        offer(
            &mut recorder,
            interval * 1_000 + 7,
            (interval % 4) as u32,
            100,
        );
    }
    let result = recorder.finish(ms(5_000));
    assert_close(metric(&result, MetricId::ServerPeakToMean), 2.0);
    assert_close(metric(&result, MetricId::ServerPeakToMeanOverall), 1.0);
    assert_close(metric(&result, MetricId::RegionMaxShare), 1.0);
    assert_close(metric(&result, MetricId::RegionMaxShareOverall), 0.25);
    assert_close(metric(&result, MetricId::RegionGini), 1.0);
    assert_close(metric(&result, MetricId::RegionGiniOverall), 0.0);
}

#[test]
fn intervals_with_too_few_operations_are_skipped_and_counted() {
    let mut recorder = Recorder::new(config(3_500));
    offer(&mut recorder, 1_000, 0, 19);
    offer(&mut recorder, 2_000, 0, 18);
    offer(&mut recorder, 2_000, 1, 2);
    // The last half interval never counts for itself, only over all.
    offer(&mut recorder, 3_200, 1, 61);
    let result = recorder.finish(ms(3_500));
    assert_close(metric(&result, MetricId::IntervalsMeasured), 1.0);
    assert_close(metric(&result, MetricId::IntervalsSkipped), 1.0);
    assert_close(metric(&result, MetricId::ServerPeakToMean), 1.8);
    assert_close(metric(&result, MetricId::ServerMaxShareOverall), 0.63);
    let nothing = Recorder::new(config(3_500)).finish(ms(3_500));
    assert_eq!(nothing.metrics[MetricId::ServerPeakToMean], None);
    assert_eq!(nothing.metrics[MetricId::RegionGini], None);
    assert_eq!(nothing.metrics[MetricId::WriteGoodputFraction], None);
    assert_eq!(nothing.metrics[MetricId::RefusedCallsFraction], None);
    assert_eq!(nothing.metrics[MetricId::Makespan], None);
    assert!(
        nothing
            .metrics
            .ids()
            .filter_map(|id| nothing.metrics[id])
            .all(|value| value.is_finite())
    );
}

#[test]
fn throughput_counts_completions_and_fractions_count_the_cohort() {
    let mut recorder = Recorder::new(config(3_000));
    // In the warm-up: 1 completes in it, 3 in the window (1 of them too late), 1 fails in the window, 2 never end.
    offer(&mut recorder, 500, 0, 7);
    recorder.completed(W, 0, ms(500), ms(700), true);
    recorder.completed(W, 0, ms(500), ms(1_700), true);
    recorder.completed(W, 0, ms(500), ms(1_800), true);
    recorder.completed(W, 0, ms(500), ms(2_900), false);
    recorder.failed(W, ms(500), ms(2_000));
    recorder.unfinished(W, ms(500), ms(3_000));
    recorder.unfinished(W, ms(500), ms(3_000));
    // In the window: 10 offered, 4 in time, 2 late (one at the very end), 1 failed, 3 unfinished.
    offer(&mut recorder, 1_500, 1, 10);
    for _ in 0..4 {
        recorder.completed(W, 1, ms(1_500), ms(1_540), true);
    }
    recorder.completed(W, 1, ms(1_500), ms(2_500), false);
    recorder.completed(W, 1, ms(1_500), ms(3_000), false);
    recorder.failed(W, ms(1_500), ms(2_600));
    for _ in 0..3 {
        recorder.unfinished(W, ms(1_500), ms(3_000));
    }
    recorder.offered(ms(2_999), WriteId(1), 3, 1);
    recorder.completed(WriteId(1), 1, ms(2_999), ms(3_000), true);
    let result = recorder.finish(ms(3_000));
    let write = &result.writes.each[0].metrics;
    assert_eq!(write[MetricId::WriteOffered], Some(5.0));
    assert_eq!(write[MetricId::WriteThroughput], Some(9.0 / 2.0));
    assert_eq!(write[MetricId::WriteGoodput], Some(6.0 / 2.0));
    assert_eq!(write[MetricId::WriteGoodputFraction], Some(0.4));
    assert_eq!(write[MetricId::WriteFailedFraction], Some(0.1));
    assert_eq!(write[MetricId::WriteUnfinishedFraction], Some(0.3));
    // With the other write: one more operation, in time.
    for (name, expected) in [
        (MetricId::WriteThroughput, 10.0 / 2.0),
        (MetricId::WriteGoodput, 7.0 / 2.0),
        (MetricId::WriteGoodputFraction, 5.0 / 11.0),
        (MetricId::WriteFailedFraction, 1.0 / 11.0),
        (MetricId::WriteUnfinishedFraction, 3.0 / 11.0),
        (MetricId::Makespan, 3_000.0),
    ] {
        assert_close(metric(&result, name), expected);
    }
    let of_each = result.writes.each.iter().map(|write| &write.counts);
    for counts in of_each.chain([&result.writes.counts]) {
        assert_eq!(
            counts.offered,
            counts.completed + counts.failed + counts.in_flight
        );
    }
    assert_eq!(result.writes.counts.offered, 18);
    assert_eq!(result.writes.each[0].response.completed.len(), 6);
    assert_eq!(result.writes.each[0].response.unfinished.len(), 3);
    assert_eq!(result.writes.each[0].response.failed.len(), 1);
    // 4 x 40 ms + 1000 + 1500 + 3 x 1500 ms, and at least the 1100 ms after which one was given up, over 10 operations.
    let mean = result.writes.each[0].response.combined().mean().unwrap();
    assert!((mean.value - 8_260e6 / 10.0).abs() < 1e-3 && mean.censored);
    let series = result.series.unwrap();
    let completed: u64 = series.server_completed.iter().flatten().sum();
    assert_eq!(completed, result.writes.counts.completed);
    assert_eq!(series.server_completed.len(), 3);
    // 200 ms; 1200 + 1300 + 4 x 40 ms of six; 2400 + 1000 + 1500 + 1 ms of four.
    let expected = [200.0, 2_660.0 / 6.0, 4_901.0 / 4.0];
    let means = series.write_response_ms.iter().zip(expected);
    means.for_each(|(mean, expected)| assert!((mean.unwrap() - expected).abs() < 1e-6));
    assert_eq!(series.write_response_ms.len(), 3);
}

#[test]
fn busy_handlers_are_cut_at_interval_borders_and_at_the_end() {
    let mut recorder = Recorder::new(config(4_000));
    offer(&mut recorder, 1_500, 0, 40);
    // Server 0: all 4 handlers throughout the second and third interval; one of server 1 from 1.5 s far beyond the end.
    for _ in 0..4 {
        recorder.busy(0, ms(1_000), ms(3_000));
    }
    recorder.busy(1, ms(1_500), ms(60_000));
    recorder.busy(1, ms(200), ms(300));
    let result = recorder.finish(ms(4_000));
    assert_close(metric(&result, MetricId::UtilisationMax), 2.0 / 3.0);
    assert_close(
        metric(&result, MetricId::UtilisationMean),
        (2.0 / 3.0 + 2.5 / 12.0) / 2.0,
    );
    // Server 0 is full in two of three intervals, and server 1 nearly idle.
    assert_close(metric(&result, MetricId::HotTimeFraction), 2.0 / 3.0);
    let series = result.series.unwrap();
    assert_eq!(
        series.server_utilisation,
        [[0.0, 0.025], [1.0, 0.125], [1.0, 0.25], [0.0, 0.25]]
    );
}

#[test]
fn a_cluster_that_is_busy_everywhere_is_saturated_but_not_hot() {
    let mut recorder = Recorder::new(config(3_000));
    for server in 0..2 {
        (0..4).for_each(|_| recorder.busy(server, ms(1_000), ms(2_990)));
    }
    recorder.call_arrived(1, ms(2_500), true);
    recorder.call_arrived(1, ms(2_500), false);
    recorder.call_arrived(0, ms(2_500), false);
    recorder.call_arrived(0, ms(500), true);
    let result = recorder.finish(ms(3_000));
    assert_close(metric(&result, MetricId::HotTimeFraction), 1.0);
    assert_close(metric(&result, MetricId::SkewedTimeFraction), 0.0);
    assert_close(metric(&result, MetricId::RefusedCallsFraction), 1.0 / 3.0);
}

#[test]
fn an_open_loop_is_saturated_when_operations_pile_up() {
    let saturated = |done: u32| {
        let mut recorder = Recorder::new(config(5_000));
        for second in 0..5 {
            offer(&mut recorder, second * 1_000 + 1, 0, 1_000);
            (0..done).for_each(|_| {
                recorder.completed(W, 0, ms(second * 1_000 + 1), ms(second * 1_000 + 5), true)
            });
        }
        metric(&recorder.finish(ms(5_000)), MetricId::Saturated)
    };
    // The second half of the window holds 2,000 operations: growth of 40 against 20.
    assert_eq!(saturated(980), 1.0);
    assert_eq!(saturated(995), 0.0);
}

#[test]
fn growth_within_four_standard_deviations_of_what_is_in_flight_is_chance() {
    let saturated = |more: u32| {
        let mut recorder = Recorder::new(config(5_000));
        offer(&mut recorder, 500, 0, 100);
        offer(&mut recorder, 3_500, 1, more);
        metric(&recorder.finish(ms(5_000)), MetricId::Saturated)
    };
    // Four times the root of 100.
    assert_eq!((saturated(40), saturated(41)), (0.0, 1.0));
}

#[test]
fn growth_counts_from_the_middle_of_the_window_and_above_a_hundredth_of_what_is_offered() {
    let saturated = |at: u64, offered: u32, ended: u32| {
        let mut recorder = Recorder::new(RecorderConfig {
            warmup: ms(3_000),
            ..config(11_000)
        });
        offer(&mut recorder, 500, 0, 100);
        offer(&mut recorder, at, 1, offered);
        (0..ended).for_each(|_| recorder.completed(W, 1, ms(at), ms(at), true));
        metric(&recorder.finish(ms(11_000)), MetricId::Saturated)
    };
    assert_eq!(
        (saturated(6_999, 41, 0), saturated(7_000, 41, 0)),
        (0.0, 1.0)
    );
    // By 100 and by 101 of 10,000.
    assert_eq!(
        (
            saturated(9_000, 10_000, 9_900),
            saturated(9_000, 10_000, 9_899)
        ),
        (0.0, 1.0)
    );
}

#[test]
fn a_closed_loop_is_saturated_when_a_server_is_busy() {
    let saturated = |until: u64| {
        let mut recorder = Recorder::new(RecorderConfig {
            open_loop: false,
            ..config(2_000)
        });
        (0..4).for_each(|_| recorder.busy(1, ms(1_000), ms(until)));
        metric(&recorder.finish(ms(2_000)), MetricId::Saturated)
    };
    // Exactly 19 of 20 is not above it.
    assert_eq!((saturated(1_951), saturated(1_950)), (1.0, 0.0));
}

#[test]
fn long_runs_keep_at_most_600_intervals_of_series() {
    let config = RecorderConfig {
        warmup: ms(10_500),
        duration: ms(2_000_000),
        ..config(0)
    };
    let mut recorder = Recorder::new(config);
    offer(&mut recorder, 10_499, 0, 3);
    offer(&mut recorder, 10_500, 1, 4);
    offer(&mut recorder, 1_999_999, 2, 5);
    let result = recorder.finish(ms(2_000_000));
    let series = result.series.unwrap();
    assert!(series.server_demand.len() <= 600 && series.server_demand.len() > 300);
    assert_eq!(series.server_demand.len(), series.key_demand.len());
    // 2,000 s in groups of 4 s; the window's first starts at 10.5 s.
    assert_eq!(
        (series.interval_ms, series.window_start, series.origin_ms),
        (4_000.0, 3, -1_500.0)
    );
    assert_eq!(
        (&series.server_demand[2][..], &series.server_demand[3][..]),
        (&[3, 0][..], &[0, 4][..])
    );
    assert_eq!(series.key_demand[3], [0, 4, 0]);
    assert_eq!(series.key_demand.last().unwrap()[..], [0, 0, 5]);
    assert_eq!(series.region_demand, [0, 4, 5, 0]);
}

#[test]
fn a_run_that_ends_in_its_warm_up_has_no_window() {
    let mut recorder = Recorder::new(config(4_000));
    offer(&mut recorder, 100, 0, 50);
    (0..50).for_each(|_| recorder.completed(W, 0, ms(100), ms(300), true));
    recorder.busy(0, ms(100), ms(300));
    let result = recorder.finish(ms(300));
    assert_eq!(result.writes.counts.completed, 50);
    assert_eq!(result.metrics[MetricId::WriteThroughput], None);
    assert_eq!(result.metrics[MetricId::UtilisationMax], None);
    assert_eq!(result.metrics[MetricId::Saturated], None);
    assert_eq!(result.metrics[MetricId::HotTimeFraction], None);
    assert_close(metric(&result, MetricId::Makespan), 300.0);
    assert!(
        result
            .metrics
            .ids()
            .filter_map(|id| result.metrics[id])
            .all(|value| value.is_finite())
    );
}

#[test]
fn neighbours_are_counted_apart_and_their_regions_not_at_all() {
    let mut recorder = Recorder::new(RecorderConfig {
        neighbours: 2,
        region_server: vec![0, 1, 0, 1, 1, 0, 1],
        ..config(3_000)
    });
    offer(&mut recorder, 1_500, 0, 40);
    offer(&mut recorder, 1_600, 1, 60);
    let users = Recorded(Side::Neighbour, 1);
    for at in [900, 1_100, 1_200, 1_300] {
        recorder.intended(ms(at), users);
    }
    recorder.all_answered(users, ms(900), ms(1_050), true);
    recorder.all_answered(users, ms(1_100), ms(1_107), false);
    recorder.failed(users, ms(1_200), ms(1_250));
    recorder.unfinished(users, ms(1_300), ms(3_000));
    let result = recorder.finish(ms(3_000));
    assert_eq!(metric(&result, MetricId::RegionMaxShareOverall), 0.6);
    assert_eq!(metric(&result, MetricId::RegionsStart), 4.0);
    let [orders, users] = &result.neighbours.each[..] else {
        panic!("two neighbours");
    };
    assert_eq!(orders.counts.offered, 0);
    let counts = users.counts;
    assert_eq!(
        [
            counts.offered,
            counts.completed,
            counts.failed,
            counts.in_flight
        ],
        [4, 2, 1, 1]
    );
    // Two completions in the window of two seconds, one within its deadline, of three operations of the cohort.
    let of_users = |id: MetricId| users.metrics[id].unwrap();
    assert_eq!(of_users(MetricId::NeighbourThroughput), 1.0);
    assert_eq!(of_users(MetricId::NeighbourGoodput), 0.5);
    assert_eq!(of_users(MetricId::NeighbourFailedFraction), 1.0 / 3.0);
    assert_eq!(metric(&result, MetricId::NeighbourOffered), 1.5);
    assert_eq!(
        (users.response.count(), result.neighbours.response.count()),
        (3, 3)
    );
}

#[test]
fn relief_is_where_every_busy_interval_from_there_on_is_even() {
    let relief = |last: [u32; 2]| {
        let mut recorder = Recorder::new(config(5_000));
        // Rows of the two servers: 15 of 20, the fewest that say something, are 1.5 times the mean, which is not below it; ten say
        // nothing.
        let rows = [[12, 11], [15, 5], [15, 10], [0, 10], last];
        for (second, [first, other]) in (0..).zip(rows) {
            offer(&mut recorder, 1_000 * second + 100, 0, first);
            offer(&mut recorder, 1_000 * second + 200, 1, other);
        }
        recorder.finish(ms(5_000)).metrics[MetricId::TimeToRelief]
    };
    assert_eq!(relief([14, 15]), Some(2_000.0));
    assert_eq!(relief([9, 31]), None);
}

#[test]
fn an_interval_whose_regions_all_counted_later_has_no_share_of_theirs() {
    let mut recorder = Recorder::new(config(80_000));
    offer(&mut recorder, 70_500, 2, 20);
    // Interval 1 is closed: no more than eleven are open. Its servers are counted in it, its region in a later interval.
    offer(&mut recorder, 1_500, 1, 20);
    let result = recorder.finish(ms(80_000));
    assert_close(metric(&result, MetricId::IntervalsMeasured), 2.0);
    assert_close(metric(&result, MetricId::RegionMaxShare), 1.0);
    assert_close(metric(&result, MetricId::RegionMaxShareOverall), 0.5);
}

#[test]
fn the_hottest_server_can_be_asked_for_while_the_run_lasts() {
    let mut recorder = Recorder::new(config(5_000));
    offer(&mut recorder, 100, 2, 4);
    offer(&mut recorder, 200, 3, 7);
    offer(&mut recorder, 2_100, 0, 5);
    offer(&mut recorder, 2_100, 1, 5);
    // Before the first interval there is none, in the second there was nothing, and of equal servers the first is named.
    let times = [900, 1_900, 2_900, 3_900];
    let hottest = times.map(|at| recorder.hottest_server(ms(at)));
    assert_eq!(hottest, [None, Some(1), None, Some(0)]);
}

#[test]
fn a_run_without_series_measures_the_same() {
    let run = |key_buckets| {
        let mut recorder = Recorder::new(RecorderConfig {
            key_buckets,
            ..config(3_000)
        });
        offer(&mut recorder, 1_100, 0, 31);
        offer(&mut recorder, 2_100, 1, 23);
        recorder.completed(W, 0, ms(1_100), ms(1_130), true);
        recorder.completed(W, 1, ms(2_100), ms(2_110), false);
        recorder.failed(W, ms(2_100), ms(2_400));
        assert_eq!(recorder.writes_ended(), 3);
        recorder.finish(ms(3_000))
    };
    let (with, without) = (run(3), run(0));
    assert!(with.series.is_some() && without.series.is_none());
    assert_eq!(with.metrics, without.metrics);
}
