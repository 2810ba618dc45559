//! The time series of one run, for charts. Must not judge them.

use super::Series;
use super::demand::ClosedDemand;
use super::recorder::Recorder;
use super::table::Table;

/// Series of a finished run whose tables are settled: `group` sample intervals make one.
pub(super) fn of(
    run: &Recorder,
    end: u64,
    window_start: usize,
    written: &ClosedDemand,
    read: &ClosedDemand,
) -> Series {
    let rows = run.intervals.count(end);
    let group = run.group as usize;
    let summed = |table: &Table<u32>| -> Vec<Vec<u64>> {
        (0..rows)
            .step_by(group)
            .map(|first| {
                sum_rows(
                    table,
                    first..(first + group).min(rows),
                    run.config.servers as usize,
                )
            })
            .collect()
    };
    let utilisation = (0..rows).step_by(group).map(|first| {
        let members = first..(first + group).min(rows);
        let length: u64 = members
            .clone()
            .map(|row| run.intervals.length(row, end))
            .sum();
        let capacity = length as f64 * f64::from(run.config.handlers);
        let busy = |server: usize| {
            members
                .clone()
                .map(|row| run.server_busy.row(row)[server])
                .sum::<u64>() as f64
        };
        (0..run.config.servers as usize)
            .map(|server| shown(busy(server) / capacity))
            .collect()
    });
    let mut key_demand = run.key_demand.clone();
    key_demand.settle(rows.div_ceil(group));
    Series {
        interval_ms: run.config.sample.as_millis_f64() * group as f64,
        origin_ms: run.intervals.origin_ms(),
        window_start: window_start / group,
        server_demand: summed(&written.servers),
        server_completed: summed(&run.server_completed),
        server_refused: summed(&run.server_refused),
        server_utilisation: utilisation.collect(),
        key_demand: (0..rows.div_ceil(group))
            .map(|row| {
                key_demand
                    .row(row)
                    .iter()
                    .map(|&rows| u64::from(rows))
                    .collect()
            })
            .collect(),
        region_demand: written.regions.window.clone(),
        server_read_demand: match read.regions.window.is_empty() {
            true => Vec::new(),
            false => summed(&read.servers),
        },
        top_regions: match run.writes.is_empty() {
            true => read.regions.tops.clone(),
            false => written.regions.tops.clone(),
        },
        read_region_demand: read.regions.window.clone(),
        region_server: run.config.region_server.clone(),
        events: Vec::new(),
    }
}

/// A fraction to six places: what a chart can show, and no more bytes.
fn shown(fraction: f64) -> f64 {
    (fraction.min(1.0) * 1e6).round() / 1e6
}

fn sum_rows(table: &Table<u32>, rows: std::ops::Range<usize>, columns: usize) -> Vec<u64> {
    let mut sums = vec![0; columns];
    for row in rows {
        sums.iter_mut()
            .zip(table.row(row))
            .for_each(|(sum, &count)| *sum += u64::from(count));
    }
    sums
}
