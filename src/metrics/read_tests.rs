//! The recorder's measures of reads, against the same numbers worked out from the plain list of what happened.

use super::{Counts, MetricId, PlannedWork, ReadWork, Recorder, RecorderConfig, RunResult, Side};
use crate::random::{DrawKey, Seed, Stream};
use crate::statistics::weighted_median;
use crate::time::{SimDuration, SimTime};
use crate::workload::{ReadId, WriteId};

const SECOND: u64 = 1_000_000_000;
const SERVERS: usize = 3;
const REGIONS: usize = 7;
const WARMUP: u64 = 2 * SECOND;
const END: u64 = 6 * SECOND;

fn time(nanos: u64) -> SimTime {
    SimTime::from_nanos(nanos)
}

fn config(writes: usize, reads: usize) -> RecorderConfig {
    RecorderConfig {
        servers: SERVERS as u32,
        servers_at_start: SERVERS as u32,
        own_regions: vec![REGIONS as u32],
        handlers: 4,
        write_work: SimDuration::from_nanos(1),
        region_server: (0..REGIONS as u32).map(server).collect(),
        imports: vec![false; writes],
        reads,
        neighbours: 0,
        open_loop: true,
        warmup: time(WARMUP),
        duration: time(END),
        sample: SimDuration::from_secs(1),
        lag: SimDuration::from_secs(9),
        key_buckets: 2,
    }
}

fn server(region: u32) -> u32 {
    (region * 2 + 1) % SERVERS as u32
}

#[derive(Clone, Copy)]
enum End {
    Completed { at: u64, good: bool, work: ReadWork },
    Failed(u64),
    Unfinished,
}

/// One read: which, when, where its parts went, how it ended.
struct Trace {
    read: usize,
    at: u64,
    asked: Vec<(u64, u32)>,
    plan: PlannedWork,
    end: End,
}

/// Two reads of different habits.
fn traces() -> Vec<Trace> {
    let key = DrawKey::new(Seed(11), 0, Stream::Sample, 5);
    (0..4_000)
        .map(|index| {
            let mut draws = key.at(index);
            let read = usize::from(draws.below(3) == 0);
            let at = draws.below(END);
            let parts = if read == 1 { 1 + draws.below(4) } else { 1 };
            let mut asked = Vec::new();
            for _ in 0..parts {
                // Skewed: low regions more often.
                let region = draws.below(REGIONS as u64).min(draws.below(REGIONS as u64)) as u32;
                let sent = (at + draws.below(SECOND / 5)).min(END - 1);
                asked.push((sent, region));
            }
            let took = 1_000_000 * (1 + draws.below(300 * (1 + read as u64)));
            let end = match draws.below(20) {
                0 => End::Failed((at + took).min(END)),
                _ if at + took > END => End::Unfinished,
                _ => End::Completed {
                    at: at + took,
                    good: took < SECOND / 4,
                    work: ReadWork {
                        calls: parts as u32,
                        rows_read: draws.below(50) as f64 + 0.5,
                        row_cells: draws.below(7) as f64,
                        row_cells_passed: 0.0,
                        row_bytes: draws.below(900) as f64,
                    },
                },
            };
            Trace {
                read,
                at,
                asked,
                plan: PlannedWork {
                    calls: parts as f64,
                    regions: parts as u32 + 1,
                    pieces: parts as u32 + 1,
                    rows_read: draws.below(50) as f64 + 0.5,
                    rows_returned: draws.below(9) as f64,
                    cells_read: draws.below(900) as f64,
                    cells_returned: draws.below(90) as f64,
                },
                end,
            }
        })
        .collect()
}

fn record(recorder: &mut Recorder, traces: &[Trace]) {
    for trace in traces {
        let read = ReadId(trace.read as u8);
        let at = time(trace.at);
        recorder.intended(at, read);
        recorder.read_sent(read, at, trace.plan);
        for &(sent, region) in &trace.asked {
            recorder.read_demand(
                time(sent),
                region,
                server(region),
                SimDuration::from_nanos(1),
            );
        }
        match trace.end {
            End::Completed {
                at: end,
                good,
                work,
            } => recorder.read_completed(read, at, time(end), good, work),
            End::Failed(end) => recorder.failed(read, at, time(end)),
            End::Unfinished => recorder.unfinished(read, at, time(END)),
        }
    }
}

fn close(found: Option<f64>, expected: f64, what: &str) {
    let found = found.unwrap_or_else(|| panic!("{what} is undefined"));
    assert!(
        (found - expected).abs() <= 1e-9 * expected.abs().max(1.0),
        "{what}: found {found}, expected {expected}"
    );
}

#[test]
fn each_read_has_the_counts_rates_and_costs_of_its_own_reads() {
    let traces = traces();
    let mut recorder = Recorder::new(config(1, 2));
    record(&mut recorder, &traces);
    let result = recorder.finish(time(END));
    for (read, run) in result.reads.each.iter().enumerate() {
        let mine = || traces.iter().filter(|trace| trace.read == read);
        let mut counts = Counts::default();
        let (mut cohort, mut good, mut failed, mut unfinished) = (0, 0, 0, 0);
        let (mut throughput, mut goodput) = (0, 0);
        let (mut works, mut plans) = (Vec::new(), Vec::new());
        let mut waited = 0.0;
        for trace in mine() {
            let in_cohort = u64::from(trace.at >= WARMUP);
            counts.offered += 1;
            cohort += in_cohort;
            if in_cohort == 1 {
                plans.push(trace.plan);
            }
            match trace.end {
                End::Completed { at, good: ok, work } => {
                    counts.completed += 1;
                    throughput += u64::from(at >= WARMUP);
                    goodput += u64::from(at >= WARMUP && ok);
                    good += in_cohort * u64::from(ok);
                    if in_cohort == 1 {
                        works.push(work);
                        waited += (at - trace.at) as f64;
                    }
                }
                End::Failed(at) => {
                    counts.failed += 1;
                    failed += in_cohort;
                    waited += in_cohort as f64 * (at - trace.at) as f64;
                }
                End::Unfinished => {
                    counts.in_flight += 1;
                    unfinished += in_cohort;
                    waited += in_cohort as f64 * (END - trace.at) as f64;
                }
            }
        }
        assert_eq!(run.counts, counts);
        let metric = |id: MetricId| run.metrics[id];
        let mean =
            |part: fn(&ReadWork) -> f64| works.iter().map(part).sum::<f64>() / works.len() as f64;
        // Of plans all that were sent count, whatever became of them.
        let planned = |part: fn(&PlannedWork) -> f64| {
            plans.iter().map(part).sum::<f64>() / plans.len() as f64
        };
        let of_cohort = |count: u64| count as f64 / cohort as f64;
        for (id, expected) in [
            (MetricId::ReadOffered, cohort as f64 / 4.0),
            (MetricId::ReadThroughput, throughput as f64 / 4.0),
            (MetricId::ReadGoodput, goodput as f64 / 4.0),
            (MetricId::ReadGoodputFraction, of_cohort(good)),
            (MetricId::ReadFailedFraction, of_cohort(failed)),
            (MetricId::ReadUnfinishedFraction, of_cohort(unfinished)),
            (MetricId::Calls, mean(|work| f64::from(work.calls))),
            (MetricId::RowsRead, mean(|work| work.rows_read)),
            (
                MetricId::CellsRead,
                mean(|work| work.rows_read * work.row_cells),
            ),
            (
                MetricId::BytesRead,
                mean(|work| work.rows_read * work.row_bytes),
            ),
            (MetricId::CallsPlanned, planned(|plan| plan.calls)),
            (MetricId::Regions, planned(|plan| f64::from(plan.regions))),
            (MetricId::RowsPlanned, planned(|plan| plan.rows_read)),
            (MetricId::RowsReturned, planned(|plan| plan.rows_returned)),
            (MetricId::CellsPlanned, planned(|plan| plan.cells_read)),
            (MetricId::CellsReturned, planned(|plan| plan.cells_returned)),
        ] {
            close(metric(id), expected, id.name());
        }
        let response = run.response.combined();
        // The whole cohort: what failed takes for ever, at least as long as until it was given up.
        assert_eq!(response.count(), cohort);
        assert!(failed > 0 && response.mean().is_some_and(|mean| mean.censored));
        close(
            response.mean().map(|nanos| nanos.value),
            waited / cohort as f64,
            "mean",
        );
    }
    let all = |id: MetricId| result.metrics[id];
    let sum = |id: MetricId| -> f64 {
        result
            .reads
            .each
            .iter()
            .filter_map(|read| read.metrics[id])
            .sum()
    };
    for id in [
        MetricId::ReadOffered,
        MetricId::ReadThroughput,
        MetricId::ReadGoodput,
    ] {
        close(all(id), sum(id), id.name());
    }
    assert_eq!(result.reads.counts.offered, traces.len() as u64);
    assert_eq!(
        result.reads.response.count(),
        result
            .reads
            .each
            .iter()
            .map(|read| read.response.count())
            .sum::<u64>()
    );
}

/// Read demand in an interval of one second, by region.
fn demand(traces: &[Trace], second: u64) -> [f64; REGIONS] {
    let mut loads = [0.0; REGIONS];
    for &(sent, region) in traces.iter().flat_map(|trace| &trace.asked) {
        if sent / SECOND == second {
            loads[region as usize] += 1.0;
        }
    }
    loads
}

fn by_server(regions: &[f64; REGIONS]) -> [f64; SERVERS] {
    let mut loads = [0.0; SERVERS];
    for (region, load) in regions.iter().enumerate() {
        loads[server(region as u32) as usize] += load;
    }
    loads
}

fn greatest(loads: &[f64]) -> f64 {
    loads.iter().copied().fold(0.0, f64::max)
}

#[test]
fn read_demand_is_measured_by_the_formulas_of_write_demand() {
    let traces = traces();
    let mut recorder = Recorder::new(config(1, 2));
    record(&mut recorder, &traces);
    // The same demand as writes, all of it.
    let mut writes = Recorder::new(config(1, 0));
    for &(sent, region) in traces.iter().flat_map(|trace| &trace.asked) {
        writes.offered(time(sent), WriteId(0), region, server(region));
    }
    let (reads, writes) = (recorder.finish(time(END)), writes.finish(time(END)));
    let mut compared = 0;
    for id in writes.metrics.ids().filter(|id| !id.is_of_each()) {
        let of_reads = id.of(Side::Read);
        if of_reads != id && reads.metrics.ids().any(|it| it == of_reads) {
            assert_eq!(reads.metrics[of_reads], writes.metrics[id], "{id:?}");
            compared += 1;
        }
    }
    assert_eq!(compared, 25);
    let mut of_writes = writes.metrics.ids();
    assert!(!of_writes.any(|id| id.side() == Some(Side::Read)));

    let seconds: Vec<[f64; REGIONS]> = (2..6).map(|second| demand(&traces, second)).collect();
    let share = |loads: &[f64]| greatest(loads) / loads.iter().sum::<f64>();
    let weight = |loads: &[f64; REGIONS]| loads.iter().sum::<f64>();
    let servers: Vec<_> = seconds
        .iter()
        .map(|loads| (share(&by_server(loads)), weight(loads)))
        .collect();
    close(
        reads.metrics[MetricId::ReadServerMaxShare],
        weighted_median(&servers).unwrap(),
        "server share",
    );
    let regions = seconds.iter().map(|loads| (share(loads), weight(loads)));
    let regions: Vec<_> = regions.collect();
    close(
        reads.metrics[MetricId::ReadRegionMaxShare],
        weighted_median(&regions).unwrap(),
        "region share",
    );
    let series = reads.series.unwrap();
    let shown: Vec<f64> = series.server_read_demand[3]
        .iter()
        .map(|&load| load as f64)
        .collect();
    assert_eq!(shown, by_server(&seconds[1]));
    let total = seconds.iter().flatten().sum::<f64>();
    assert_eq!(series.read_region_demand.iter().sum::<u64>() as f64, total);
    assert!(series.region_demand.iter().all(|&load| load == 0));
}

/// A write takes a nanosecond of a handler, a read so many.
fn two_kinds(
    writes_a_second: [u32; SERVERS],
    reads_a_second: [u32; SERVERS],
    nanos: u64,
) -> RunResult {
    let mut recorder = Recorder::new(config(1, 1));
    for second in 0..6 {
        let at = time(second * SECOND + 3);
        for region in 0..SERVERS as u32 {
            let server = server(region);
            for _ in 0..writes_a_second[server as usize] {
                recorder.offered(at, WriteId(0), region, server);
            }
            for _ in 0..reads_a_second[server as usize] {
                recorder.intended(at, ReadId(0));
                recorder.read_demand(at, region, server, SimDuration::from_nanos(nanos));
            }
        }
    }
    recorder.finish(time(END))
}

#[test]
fn the_hottest_server_is_that_of_writes_and_reads_together() {
    let hottest = two_kinds([60, 30, 30], [5, 5, 80], 1).hottest.unwrap();
    close(Some(hottest.peak), 3.0 * 110.0 / 210.0, "peak");
    close(Some(hottest.read_share), 80.0 / 110.0, "read share");
    assert!(
        hottest
            .even
            .is_some_and(|even| even.mean > 1.0 && even.mean < 1.3)
    );
    // Fewer than ten a server.
    assert_eq!(two_kinds([5, 5, 5], [4, 4, 4], 9).hottest, None);
    assert_eq!(Recorder::new(config(1, 0)).finish(time(END)).hottest, None);
}

#[test]
fn what_servers_are_asked_for_in_all_is_handler_time() {
    // 60 + 5 x 9, 30 + 5 x 9 and 30 + 80 x 9 nanoseconds a second.
    let run = two_kinds([60, 30, 30], [5, 5, 80], 9);
    let hottest = run.hottest.unwrap();
    close(Some(hottest.peak), 3.0 * 750.0 / 930.0, "peak");
    close(Some(hottest.read_share), 720.0 / 750.0, "read share");
    close(
        run.metrics[MetricId::DemandPeakToMean],
        hottest.peak,
        "metric",
    );
    // 930 nanoseconds in 120 lots of one and 90 of nine vary as 930^2 / (120 + 90 x 81) = 116.7 equal lots do, not as 210.
    let even = crate::statistics::expected_peak(930.0 * 930.0 / 7_410.0, 3, 3);
    close(hottest.even.map(|it| it.sd), even.unwrap().sd, "chance");
}

#[test]
fn without_writes_their_metrics_are_undefined_and_without_reads_there_are_none() {
    let mut recorder = Recorder::new(config(0, 2));
    record(&mut recorder, &traces());
    let result = recorder.finish(time(END));
    for id in result.metrics.ids() {
        let value = result.metrics[id];
        let name = id.name();
        if name.starts_with("write_") || name.contains("server_peak") && !name.starts_with("read_")
        {
            assert_eq!(value, None, "{name}");
        }
    }
    assert_eq!(result.metrics[MetricId::EmptyRegionFraction], None);
    assert_eq!(result.metrics[MetricId::RegionsStart], Some(REGIONS as f64));
    assert!(result.metrics[MetricId::ReadServerPeakToMean].is_some());
    assert_eq!(result.writes.counts, Counts::default());
    let mut failed_only = Recorder::new(config(0, 1));
    failed_only.intended(time(WARMUP), ReadId(0));
    failed_only.failed(ReadId(0), time(WARMUP), time(END));
    let run = &failed_only.finish(time(END)).reads.each[0];
    assert_eq!(run.metrics[MetricId::Calls], None);
    assert_eq!(run.metrics[MetricId::ReadFailedFraction], Some(1.0));
}

#[test]
fn reads_that_pile_up_saturate_however_many_writes_do_not() {
    let saturated = |answered: u32| {
        let mut recorder = Recorder::new(config(1, 1));
        for second in 0..6 {
            let at = time(second * SECOND + 5);
            for _ in 0..20_000 {
                recorder.offered(at, WriteId(0), 0, 0);
                recorder.completed(WriteId(0), 0, at, at, true);
            }
            for read in 0..200 {
                recorder.intended(at, ReadId(0));
                if read < answered {
                    recorder.read_completed(ReadId(0), at, at, true, ReadWork::default());
                }
            }
        }
        recorder.finish(time(END)).metrics[MetricId::Saturated]
    };
    // The second half of the window offers 400 reads; those in flight grow by 120, more than 4 sqrt(240) = 62, or by 2 of 4.
    assert_eq!((saturated(140), saturated(199)), (Some(1.0), Some(0.0)));
}

#[test]
fn rows_of_copies_are_demand_but_no_operations() {
    let mut recorder = Recorder::new(config(1, 0));
    for second in 0..6 {
        for _ in 0..40 {
            recorder.offered(time(second * SECOND), WriteId(0), 1, 0);
            recorder.copied(time(second * SECOND), 6, 1);
        }
    }
    let result = recorder.finish(time(END));
    assert_eq!(result.writes.counts.offered, 240);
    close(
        result.metrics[MetricId::ServerMaxShare],
        0.5,
        "server share",
    );
    close(result.metrics[MetricId::WriteOffered], 40.0, "offered");
}
