//! CSV: `summary.csv` (long: strategy, metric, mean, low, high, n, behind a column for each swept setting) and the series. Numbers are written in full, undefined is
//! an empty field; a text that begins as a formula has an apostrophe in front. Must not know folders.

use super::sweep_views;
use crate::experiment::{Measure, Results, ResultsComparison, StrategyResult, value_text};
use crate::metrics::Series;
use std::collections::BTreeMap;
use std::io::Write;

type Written = Result<(), csv::Error>;

/// Writes a row. A text that a spreadsheet would take for a formula gets an apostrophe in front (OWASP, CSV injection); numbers stay as they are.
fn record<W: Write, T: AsRef<str>>(
    writer: &mut csv::Writer<W>,
    cells: impl IntoIterator<Item = T>,
) -> Written {
    for cell in cells {
        let text = cell.as_ref();
        match text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err() {
            true => writer.write_field(format!("'{text}"))?,
            false => writer.write_field(text)?,
        }
    }
    writer.write_record(None::<&[u8]>)
}

/// Every number of every strategy, one a row, by metric path. A percentile has its merged value as `<path>.merged`, and
/// where that is a lower bound only, `<path>.censored` is 1. Each swept setting has a column in front, by its path.
pub fn summary(results: &Results, to: impl Write) -> Written {
    let mut writer = csv::Writer::from_writer(to);
    let swept = results.sweep.iter().map(|list| list.path.as_str());
    let names = ["strategy", "metric", "mean", "low", "high", "n"];
    record(&mut writer, swept.chain(names))?;
    for strategy in &results.strategies {
        let mut whose = sweep_views::cells(results, &strategy.sweep);
        whose.push(strategy.name.clone());
        for (path, number) in strategy.measures() {
            measure(&mut writer, &whose, &path, number)?;
        }
    }
    writer.flush()?;
    Ok(())
}

fn measure(
    writer: &mut csv::Writer<impl Write>,
    whose: &[String],
    path: &str,
    measure: &Measure,
) -> Written {
    let text = |value: Option<f64>| {
        value
            .filter(|value| value.is_finite())
            .map_or(String::new(), |value| value.to_string())
    };
    let n = measure.n.to_string();
    let mut row = |cells: [&str; 5]| {
        let whose = whose.iter().map(String::as_str);
        record(writer, whose.chain(cells))
    };
    row([
        path,
        &text(measure.mean),
        &text(measure.low),
        &text(measure.high),
        &n,
    ])?;
    if measure.merged.is_some() {
        let merged = text(measure.merged);
        row([&format!("{path}.merged"), &merged, "", "", &n])?;
    }
    if measure.censored {
        row([&format!("{path}.censored"), "1", "", "", &n])?;
    }
    Ok(())
}

/// Every metric of every pair of strategies, one a row; of sweeps with a column for each swept setting in front.
pub fn comparison(comparison: &ResultsComparison, to: impl Write) -> Written {
    let mut writer = csv::Writer::from_writer(to);
    // Pairs are those of the same point, and every point has the same settings.
    let first = comparison.strategies.first();
    let swept: Vec<&String> = first.map_or_else(Vec::new, |first| first.sweep.keys().collect());
    let names = [
        "strategy_before",
        "strategy_after",
        "metric",
        "before",
        "after",
        "ratio",
        "ratio_low",
        "ratio_high",
        "difference",
        "difference_low",
        "difference_high",
        "n",
        "verdict",
    ];
    record(
        &mut writer,
        swept.iter().map(|path| path.as_str()).chain(names),
    )?;
    let text = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for strategy in &comparison.strategies {
        for change in &strategy.metrics {
            let (ratio, difference) = (&change.ratio, &change.difference);
            let values = strategy.sweep.values().map(value_text);
            let cells = [
                &strategy.before,
                &strategy.after,
                &change.metric,
                &text(change.before.mean),
                &text(change.after.mean),
                &text(ratio.mean),
                &text(ratio.low),
                &text(ratio.high),
                &text(difference.mean),
                &text(difference.low),
                &text(difference.high),
                &difference.n.to_string(),
                change.verdict.words(),
            ];
            record(&mut writer, values.chain(cells.map(str::to_owned)))?;
        }
    }
    writer.flush()?;
    Ok(())
}

/// Start of an interval in seconds; the first may begin before the run.
fn start_s(series: &Series, interval: usize) -> String {
    ((series.origin_ms + series.interval_ms * interval as f64).max(0.0) / 1e3).to_string()
}

/// What each server was asked for and did, by interval, of replicate 0.
pub fn servers(results: &Results, to: impl Write) -> Written {
    let mut writer = csv::Writer::from_writer(to);
    record(
        &mut writer,
        [
            "strategy",
            "start_s",
            "window",
            "server",
            "demand_rows",
            "completed_rows",
            "refused_calls",
            "utilisation",
        ],
    )?;
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
                record(
                    &mut writer,
                    [
                        &strategy.name,
                        &start,
                        window,
                        &server.to_string(),
                        &rows.to_string(),
                        &count(&series.server_completed),
                        &count(&series.server_refused),
                        &busy.map_or(String::new(), f64::to_string),
                    ],
                )?;
            }
        }
    }
    writer.flush()?;
    Ok(())
}

/// Rows of the whole window by region, of replicate 0.
pub fn regions(results: &Results, to: impl Write) -> Written {
    let mut writer = csv::Writer::from_writer(to);
    record(
        &mut writer,
        ["strategy", "region", "start", "server", "demand_rows"],
    )?;
    for (strategy, series) in with_series(results) {
        let starts = region_starts(strategy, series);
        for (region, rows) in series.region_demand.iter().enumerate() {
            let start = starts.get(&(region as u32)).map_or("", String::as_str);
            let server = series
                .region_server
                .get(region)
                .map_or(String::new(), u32::to_string);
            record(
                &mut writer,
                [
                    &strategy.name,
                    &region.to_string(),
                    start,
                    &server,
                    &rows.to_string(),
                ],
            )?;
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
    record(
        &mut writer,
        [
            "strategy", "at_s", "event", "region", "upper", "heirs", "server", "to", "row",
            "bytes", "detail",
        ],
    )?;
    for (strategy, series) in with_series(results) {
        for event in &series.events {
            let number =
                |value: Option<u32>| value.map_or(String::new(), |value| value.to_string());
            let heirs: Vec<String> = event.heirs.iter().map(u32::to_string).collect();
            record(
                &mut writer,
                [
                    strategy.name.clone(),
                    (event.at_ms / 1e3).to_string(),
                    event.event.name().to_owned(),
                    number(event.region),
                    number(event.upper),
                    heirs.join(" "),
                    number(event.server),
                    number(event.to),
                    event.row.clone().unwrap_or_default(),
                    event.bytes.map_or(String::new(), |bytes| bytes.to_string()),
                    event.detail.clone().unwrap_or_default(),
                ],
            )?;
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
    record(
        &mut writer,
        ["start".to_owned(), "hex".to_owned()]
            .into_iter()
            .chain(times),
    )?;
    for (index, bucket) in strategy.key_map.iter().enumerate() {
        let rows = series
            .key_demand
            .iter()
            .map(|interval| interval.get(index).map_or(String::new(), u64::to_string));
        record(
            &mut writer,
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

#[cfg(test)]
mod tests {
    use super::record;

    #[test]
    fn a_text_that_begins_as_a_formula_is_none_and_numbers_stay_numbers() {
        let mut bytes = Vec::new();
        let mut writer = csv::Writer::from_writer(&mut bytes);
        let cells = [
            "=1+1", "+1+1", "-2+3", "@SUM(A1)", "\tx", "-0.5", "1e-3", "+7", "a=b", "", r"\x00",
        ];
        record(&mut writer, cells).unwrap();
        drop(writer);
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(
            text,
            "'=1+1,'+1+1,'-2+3,'@SUM(A1),'\tx,-0.5,1e-3,+7,a=b,,\\x00\n"
        );
    }
}
