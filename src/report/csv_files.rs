//! CSV: `summary.csv` (long: strategy, metric, mean, low, high, n, behind a column for each swept setting) and the series. Numbers are written in full, undefined is
//! an empty field; a text that begins as a formula has an apostrophe in front. Must not know folders.

use super::sweep_views;
use crate::experiment::{Results, ResultsComparison, StrategyResult, value_text};
use crate::metrics::Series;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::Write;

type Written = Result<(), csv::Error>;

/// Writes a table. A text that a spreadsheet would take for a formula gets an apostrophe in front (OWASP, CSV injection); numbers stay as they
/// are.
fn write<'a>(
    to: impl Write,
    headings: impl IntoIterator<Item = &'a str>,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Written {
    let mut writer = csv::Writer::from_writer(to);
    let headings = headings.into_iter().map(str::to_owned).collect();
    for row in std::iter::once(headings).chain(rows) {
        for text in row {
            let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
            match is_formula && text.parse::<f64>().is_err() {
                true => writer.write_field(format!("'{text}"))?,
                false => writer.write_field(text)?,
            }
        }
        writer.write_record(None::<&[u8]>)?;
    }
    Ok(writer.flush()?)
}

/// What `fill` writes, as text.
pub fn to_text(fill: impl FnOnce(&mut Vec<u8>) -> Written) -> String {
    let mut bytes = Vec::new();
    fill(&mut bytes).expect("memory takes any CSV");
    String::from_utf8(bytes).expect("numbers, names and escaped keys are text")
}

/// A number in full; what is not there is an empty field.
fn text<T: Display>(value: Option<T>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// Every number of every strategy, one a row, by metric path. A percentile has its merged value as `<path>.merged`, and
/// where that is a lower bound only, `<path>.censored` is 1. Each swept setting has a column in front, by its path.
pub fn summary(results: &Results, to: impl Write) -> Written {
    let swept = results.sweep.iter().map(|list| list.path.as_str());
    let names = "strategy,metric,mean,low,high,n";
    let rows = results.strategies.iter().flat_map(|strategy| {
        let mut whose = sweep_views::cells(results, &strategy.sweep);
        whose.push(strategy.name.clone());
        let measures = strategy.measures().into_iter();
        measures.flat_map(move |(path, it)| {
            let row = |end: &str, numbers: [Option<f64>; 3]| {
                let numbers = numbers.map(|it| text(it.filter(|it| it.is_finite())));
                let path = format!("{path}{end}");
                [&whose[..], &[path], &numbers, &[it.n.to_string()]].concat()
            };
            let all = row("", [it.mean, it.low, it.high]);
            let merged = it.merged.map(|it| row(".merged", [Some(it), None, None]));
            let censored = it
                .censored
                .then(|| row(".censored", [Some(1.0), None, None]));
            [Some(all), merged, censored].into_iter().flatten()
        })
    });
    write(to, swept.chain(names.split(',')), rows)
}

/// Every metric of every pair of strategies, one a row; of sweeps with a column for each swept setting in front.
pub fn comparison(comparison: &ResultsComparison, to: impl Write) -> Written {
    // Pairs are those of the same point, and every point has the same settings.
    let first = comparison.strategies.first();
    let swept = first.into_iter().flat_map(|first| first.sweep.keys());
    let names = "strategy_before,strategy_after,metric,before,after,ratio,ratio_low,ratio_high,\
                 difference,difference_low,difference_high,n,verdict";
    let rows = comparison.strategies.iter().flat_map(|strategy| {
        strategy.metrics.iter().map(move |change| {
            let (ratio, difference) = (&change.ratio, &change.difference);
            let mut row: Vec<String> = strategy.sweep.values().map(value_text).collect();
            row.extend([&strategy.before, &strategy.after, &change.metric].map(String::clone));
            row.extend([change.before.mean, change.after.mean].map(text));
            row.extend([ratio.mean, ratio.low, ratio.high].map(text));
            row.extend([difference.mean, difference.low, difference.high].map(text));
            row.extend([difference.n.to_string(), change.verdict.name().to_owned()]);
            row
        })
    });
    write(to, swept.map(String::as_str).chain(names.split(',')), rows)
}

/// Start of an interval in seconds; the first may begin before the run.
fn start_s(series: &Series, interval: usize) -> String {
    ((series.origin_ms + series.interval_ms * interval as f64).max(0.0) / 1e3).to_string()
}

/// What each server was asked for and did, by interval, of replicate 0.
pub fn servers(results: &Results, to: impl Write) -> Written {
    let headings =
        "strategy,start_s,window,server,demand_rows,completed_rows,refused_calls,utilisation";
    let rows = with_series(results).flat_map(|(strategy, series)| {
        let intervals = series.server_demand.iter().enumerate();
        intervals.flat_map(move |(interval, demand)| {
            let start = start_s(series, interval);
            let window = u8::from(interval >= series.window_start);
            demand.iter().enumerate().map(move |(server, rows)| {
                vec![
                    strategy.name.clone(),
                    start.clone(),
                    window.to_string(),
                    server.to_string(),
                    rows.to_string(),
                    at(&series.server_completed, interval, server),
                    at(&series.server_refused, interval, server),
                    at(&series.server_utilisation, interval, server),
                ]
            })
        })
    });
    write(to, headings.split(','), rows)
}

/// A number of a table; a shorter one has none.
fn at<T: Display>(table: &[Vec<T>], row: usize, column: usize) -> String {
    text(table.get(row).and_then(|row| row.get(column)))
}

/// Rows of the whole window by region, of replicate 0.
pub fn regions(results: &Results, to: impl Write) -> Written {
    let headings = "strategy,region,start,server,demand_rows";
    let rows = with_series(results).flat_map(|(strategy, series)| {
        let starts = region_starts(strategy, series);
        let regions = series.region_demand.iter().enumerate();
        regions.map(move |(region, rows)| {
            vec![
                strategy.name.clone(),
                region.to_string(),
                text(starts.get(&(region as u32))),
                text(series.region_server.get(region)),
                rows.to_string(),
            ]
        })
    });
    write(to, headings.split(','), rows)
}

/// The start of each region of the table, and of the copy that the key map is of, those that came to be during the run included.
fn region_starts(strategy: &StrategyResult, series: &Series) -> BTreeMap<u32, String> {
    let own = (0..).zip(&strategy.region_starts);
    let (first, mapped) = strategy.mapped_regions();
    let all = own.chain((first..).zip(mapped));
    let mut starts: BTreeMap<u32, String> = all.map(|(at, start)| (at, start.clone())).collect();
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
    let headings = "strategy,at_s,event,region,upper,heirs,server,to,row,bytes,detail";
    let rows = with_series(results).flat_map(|(strategy, series)| {
        series.events.iter().map(move |event| {
            let heirs: Vec<String> = event.heirs.iter().map(u32::to_string).collect();
            vec![
                strategy.name.clone(),
                (event.at_ms / 1e3).to_string(),
                event.event.name().to_owned(),
                text(event.region),
                text(event.upper),
                heirs.join(" "),
                text(event.server),
                text(event.to),
                text(event.row.as_ref()),
                text(event.bytes),
                text(event.detail.as_ref()),
            ]
        })
    });
    write(to, headings.split(','), rows)
}

/// Rows of one strategy by key bucket (down) and start of the interval in seconds (across), of replicate 0: long form would
/// take ten times the space.
pub fn key_map(strategy: &StrategyResult, series: &Series, to: impl Write) -> Written {
    let intervals = 0..series.key_demand.len();
    let times = intervals.clone().map(|interval| start_s(series, interval));
    let times: Vec<String> = times.collect();
    let rows = strategy.key_map.iter().enumerate().map(|(index, bucket)| {
        let demand = |interval: usize| at(&series.key_demand, interval, index);
        let key = [bucket.start.clone(), bucket.hex.clone()];
        key.into_iter()
            .chain(intervals.clone().map(demand))
            .collect()
    });
    let headings = ["start", "hex"].into_iter();
    write(to, headings.chain(times.iter().map(String::as_str)), rows)
}

/// Strategies that kept their series.
pub fn with_series(results: &Results) -> impl Iterator<Item = (&StrategyResult, &Series)> {
    let strategies = results.strategies.iter();
    strategies.filter_map(|strategy| Some((strategy, strategy.series.as_ref()?)))
}

#[cfg(test)]
mod tests {
    use super::write;

    #[test]
    fn a_text_that_begins_as_a_formula_is_none_and_numbers_stay_numbers() {
        let mut bytes = Vec::new();
        let cells = [
            "=1+1", "+1+1", "-2+3", "@SUM(A1)", "\tx", "-0.5", "1e-3", "+7", "a=b", "", r"\x00",
        ];
        write(&mut bytes, cells, []).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(
            text,
            "'=1+1,'+1+1,'-2+3,'@SUM(A1),'\tx,-0.5,1e-3,+7,a=b,,\\x00\n"
        );
    }
}
