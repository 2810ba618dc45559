//! CSV: `summary.csv` (long: strategy, metric, mean, low, high, n) and the series. Numbers are written in full, undefined is
//! an empty field. Must not know folders.

use crate::experiment::{Measure, Metric, Results, StrategyResult};
use crate::metrics::Series;
use std::collections::BTreeMap;
use std::io::Write;

type Written = Result<(), csv::Error>;

/// Every number of every strategy, one a row, by metric path. A percentile has its merged value as `<path>.merged`, and
/// where that is a lower bound only, `<path>.censored` is 1.
pub fn summary(results: &Results, to: impl Write) -> Written {
    let mut writer = csv::Writer::from_writer(to);
    writer.write_record(["strategy", "metric", "mean", "low", "high", "n"])?;
    for strategy in &results.strategies {
        metrics(&mut writer, &strategy.name, "", &strategy.metrics)?;
        for write in &strategy.writes {
            metrics(
                &mut writer,
                &strategy.name,
                &format!("write.{}.", write.name),
                &write.metrics,
            )?;
        }
        for read in &strategy.reads {
            let prefix = format!("read.{}.", read.name);
            for (name, number) in [
                ("calls", &read.calls),
                ("regions", &read.regions),
                ("rows_read", &read.rows_read),
                ("rows_returned", &read.rows_returned),
            ] {
                measure(
                    &mut writer,
                    &strategy.name,
                    &format!("{prefix}{name}"),
                    number,
                )?;
            }
            metrics(&mut writer, &strategy.name, &prefix, &read.metrics)?;
            for (member, number) in read.response_ms.iter().flatten() {
                let path = format!("{prefix}response_ms.{member}");
                measure(&mut writer, &strategy.name, &path, number)?;
            }
        }
        for neighbour in &strategy.neighbours {
            metrics(
                &mut writer,
                &strategy.name,
                &format!("neighbour.{}.", neighbour.name),
                &neighbour.metrics,
            )?;
        }
    }
    writer.flush()?;
    Ok(())
}

fn metrics(
    writer: &mut csv::Writer<impl Write>,
    strategy: &str,
    prefix: &str,
    metrics: &BTreeMap<String, Metric>,
) -> Written {
    for (name, metric) in metrics {
        let path = format!("{prefix}{name}");
        match metric {
            Metric::Number(number) => measure(writer, strategy, &path, number)?,
            Metric::Family(members) => {
                for (member, number) in members {
                    measure(writer, strategy, &format!("{path}.{member}"), number)?;
                }
            }
            // A word would make the whole column text for whoever reads the file.
            Metric::Word(_) => {}
        }
    }
    Ok(())
}

fn measure(
    writer: &mut csv::Writer<impl Write>,
    strategy: &str,
    path: &str,
    measure: &Measure,
) -> Written {
    let text = |value: Option<f64>| {
        value
            .filter(|value| value.is_finite())
            .map_or(String::new(), |value| value.to_string())
    };
    let n = measure.n.to_string();
    writer.write_record([
        strategy,
        path,
        &text(measure.mean),
        &text(measure.low),
        &text(measure.high),
        &n,
    ])?;
    if measure.merged.is_some() {
        writer.write_record([
            strategy,
            &format!("{path}.merged"),
            &text(measure.merged),
            "",
            "",
            &n,
        ])?;
    }
    if measure.censored {
        writer.write_record([strategy, &format!("{path}.censored"), "1", "", "", &n])?;
    }
    Ok(())
}

/// Start of an interval in seconds; the first may begin before the run.
fn start_s(series: &Series, interval: usize) -> String {
    ((series.origin_ms + series.interval_ms * interval as f64).max(0.0) / 1e3).to_string()
}

/// What each server was asked for and did, by interval, of replicate 0.
pub fn servers(results: &Results, to: impl Write) -> Written {
    let mut writer = csv::Writer::from_writer(to);
    writer.write_record([
        "strategy",
        "start_s",
        "window",
        "server",
        "demand_rows",
        "completed_rows",
        "refused_calls",
        "utilisation",
    ])?;
    for (strategy, series) in with_series(results) {
        for (interval, demand) in series.server_demand.iter().enumerate() {
            let start = start_s(series, interval);
            let window = if interval >= series.window_start {
                "1"
            } else {
                "0"
            };
            for (server, rows) in demand.iter().enumerate() {
                let count = |table: &[Vec<u64>]| {
                    table
                        .get(interval)
                        .and_then(|row| row.get(server))
                        .map_or(String::new(), u64::to_string)
                };
                let busy = series
                    .server_utilisation
                    .get(interval)
                    .and_then(|row| row.get(server));
                writer.write_record([
                    &strategy.name,
                    &start,
                    window,
                    &server.to_string(),
                    &rows.to_string(),
                    &count(&series.server_completed),
                    &count(&series.server_refused),
                    &busy.map_or(String::new(), f64::to_string),
                ])?;
            }
        }
    }
    writer.flush()?;
    Ok(())
}

/// Rows of the whole window by region, of replicate 0.
pub fn regions(results: &Results, to: impl Write) -> Written {
    let mut writer = csv::Writer::from_writer(to);
    writer.write_record(["strategy", "region", "start", "server", "demand_rows"])?;
    for (strategy, series) in with_series(results) {
        let starts = region_starts(strategy, series);
        for (region, rows) in series.region_demand.iter().enumerate() {
            let start = starts.get(&(region as u32)).map_or("", String::as_str);
            let server = series
                .region_server
                .get(region)
                .map_or(String::new(), u32::to_string);
            writer.write_record([
                &strategy.name,
                &region.to_string(),
                start,
                &server,
                &rows.to_string(),
            ])?;
        }
    }
    writer.flush()?;
    Ok(())
}

/// The start of each region of the table, those that came to be during the run included.
fn region_starts(strategy: &StrategyResult, series: &Series) -> BTreeMap<u32, String> {
    let mut starts: BTreeMap<u32, String> = (0..).zip(strategy.region_starts.clone()).collect();
    for event in &series.events {
        let Some(start) = event.region.and_then(|region| starts.get(&region)).cloned() else {
            continue;
        };
        if let Some(&lower) = event.heirs.first() {
            starts.insert(lower, start);
        }
        if let (Some(&upper), Some(row)) = (event.heirs.get(1), &event.row) {
            starts.insert(upper, row.clone());
        }
    }
    starts
}

/// What happened to regions and servers, of replicate 0: one row each, by strategy and time.
pub fn events(results: &Results, to: impl Write) -> Written {
    let mut writer = csv::Writer::from_writer(to);
    writer.write_record([
        "strategy", "at_s", "event", "region", "upper", "heirs", "server", "to", "row", "bytes",
        "detail",
    ])?;
    for (strategy, series) in with_series(results) {
        for event in &series.events {
            let number =
                |value: Option<u32>| value.map_or(String::new(), |value| value.to_string());
            let heirs: Vec<String> = event.heirs.iter().map(u32::to_string).collect();
            writer.write_record([
                strategy.name.clone(),
                (event.at_ms / 1e3).to_string(),
                event.event.clone(),
                number(event.region),
                number(event.upper),
                heirs.join(" "),
                number(event.server),
                number(event.to),
                event.row.clone().unwrap_or_default(),
                event.bytes.map_or(String::new(), |bytes| bytes.to_string()),
                event.detail.clone().unwrap_or_default(),
            ])?;
        }
    }
    writer.flush()?;
    Ok(())
}

/// Rows of one strategy by key bucket (down) and start of the interval in seconds (across), of replicate 0: long form would
/// take ten times the space.
pub fn key_map(strategy: &StrategyResult, series: &Series, to: impl Write) -> Written {
    let mut writer = csv::Writer::from_writer(to);
    let times = (0..series.key_demand.len()).map(|interval| start_s(series, interval));
    writer.write_record(
        ["start".to_owned(), "hex".to_owned()]
            .into_iter()
            .chain(times),
    )?;
    for (index, bucket) in strategy.key_map.iter().enumerate() {
        let rows = series
            .key_demand
            .iter()
            .map(|interval| interval.get(index).map_or(String::new(), u64::to_string));
        writer.write_record(
            [bucket.start.clone(), bucket.hex.clone()]
                .into_iter()
                .chain(rows),
        )?;
    }
    writer.flush()?;
    Ok(())
}

/// Strategies that kept their series.
pub fn with_series(results: &Results) -> impl Iterator<Item = (&StrategyResult, &Series)> {
    results
        .strategies
        .iter()
        .filter_map(|strategy| Some((strategy, strategy.series.as_ref()?)))
}
