//! The charts on the page, with the tables behind them, and for the script where on a picture each row of a table lies. Must not know what they show.

use super::html::{Html, text};
use crate::report::chart::{Cells, Chart, ChartData, Theme, Values, base64};
use crate::report::document::{Column, Look, Table};
use crate::report::number::{self, NumberFormat};
use crate::text::is_hidden;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::Serialize;
use std::io::Write;

/// Rows of the table behind a key map.
const HOTTEST: usize = 20;

/// Every chart as a figure with its numbers.
pub fn figures(html: &mut Html, charts: &[Chart]) {
    if charts.is_empty() {
        return;
    }
    writeln!(html, "<h2>Charts</h2>");
    for chart in charts {
        writeln!(
            html,
            "<figure id=\"{}\">\n<div class=\"picture\">{}</div>\n<figcaption><output aria-live=\"polite\"></output></figcaption>",
            text(&chart.name),
            chart.picture.svg(Theme::Light)
        );
        if !chart.data.is_empty() {
            html.details("The numbers behind it", |html| {
                chart.data.iter().for_each(|data| table(html, data));
            });
        }
        writeln!(html, "</figure>");
    }
}

fn table(html: &mut Html, data: &ChartData) {
    if !data.title.is_empty() {
        writeln!(html, "<h3>{}</h3>", text(&data.title));
    }
    match &data.values {
        Values::Along(series) => {
            let names = series.names.iter();
            let mut columns = vec![Column::words(["", &series.along], 0)];
            columns.extend(names.map(|name| Column::numbers(["", name], 0)));
            let rows = series.points.iter();
            let rows = rows.map(|it| {
                std::iter::once(&it.label)
                    .chain(&it.values)
                    .cloned()
                    .collect()
            });
            html.data(&Table::new(&columns, rows));
        }
        Values::Cells(cells) => hottest(html, cells),
    }
}

/// Of thousands of cells, the buckets that matter.
fn hottest(html: &mut Html, cells: &Cells) {
    let total = |bucket: usize| -> u64 {
        let column = cells.counts.iter().filter_map(|row| row.get(bucket));
        column.sum()
    };
    let mut buckets: Vec<(&String, u64)> = cells.keys.iter().zip((0..).map(total)).collect();
    let all: u64 = buckets.iter().map(|(_, rows)| rows).sum();
    // Stable: equals stay in key order.
    buckets.sort_by_key(|(_, rows)| std::cmp::Reverse(*rows));
    let rows = buckets.iter().take(HOTTEST).filter(|(_, rows)| *rows > 0);
    let rows = rows.map(|(key, rows)| {
        let share = NumberFormat::Percent.text(*rows as f64 / all as f64);
        vec![(*key).clone(), number::grouped(*rows), share]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let first = format!(
        "the {} hottest of {} key buckets, by their first key",
        rows.len(),
        number::grouped(cells.keys.len() as u64)
    );
    let columns = [
        Column::words(["", &first], 0),
        Column::numbers(["", "writes in the run"], 0),
        Column::numbers(["", "share"], 0),
    ];
    let look = Look::Literal;
    html.data(&Table {
        look,
        ..Table::new(&columns, rows)
    });
}

/// A chart for the script.
#[derive(Serialize)]
struct FigureData<'a> {
    id: &'a str,
    plots: Vec<PlotData<'a>>,
}

/// One plot of it.
#[derive(Serialize)]
struct PlotData<'a> {
    title: &'a str,
    /// Left, top, width, height in the picture's pixels.
    frame: [f64; 4],
    #[serde(flatten)]
    values: ValueData<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum ValueData<'a> {
    /// Of each row of the plot's table: x, and y or null.
    Along(Vec<(f64, Option<f64>)>),
    Cells {
        keys: &'a [String],
        times: &'a [String],
        /// Base64 of the deflated counts, bucket by bucket, seven bits a byte, least first, the eighth bit "more".
        counts: String,
    },
}

/// What the script needs beside the tables, as JSON in a block that no browser runs.
pub fn data(html: &mut Html, charts: &[Chart]) {
    let figures = charts.iter().map(|chart| FigureData {
        id: &chart.name,
        plots: chart.data.iter().map(plot).collect(),
    });
    let figures: Vec<FigureData<'_>> = figures.collect();
    let json = serde_json::to_string(&figures).expect("texts and finite numbers are JSON");
    // The block ends at the first `</script`, wherever it stands.
    let json = json.replace('<', "\\u003c").replace(is_hidden, "·");
    writeln!(
        html,
        "<script type=\"application/json\" id=\"readouts\">{json}</script>"
    );
}

fn plot(data: &ChartData) -> PlotData<'_> {
    let area = &data.area;
    let values = match &data.values {
        Values::Along(series) => {
            let places = series.points.iter();
            ValueData::Along(places.map(|it| (tenth(it.x), it.y.map(tenth))).collect())
        }
        Values::Cells(cells) => ValueData::Cells {
            keys: &cells.keys,
            times: &cells.times,
            counts: packed(cells),
        },
    };
    PlotData {
        title: &data.title,
        frame: [area.left, area.top, area.width, area.height].map(tenth),
        values,
    }
}

/// A tenth of a pixel is finer than a pointer.
fn tenth(px: f64) -> f64 {
    (px * 10.0).round() / 10.0
}

fn packed(cells: &Cells) -> String {
    let mut bytes = Vec::new();
    for bucket in 0..cells.keys.len() {
        for interval in &cells.counts {
            let mut count = interval.get(bucket).copied().unwrap_or(0);
            while count > 0x7f {
                bytes.push((count & 0x7f) as u8 | 0x80);
                count >>= 7;
            }
            bytes.push(count as u8);
        }
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let deflated = encoder
        .write_all(&bytes)
        .and_then(|()| encoder.finish())
        .expect("memory takes any bytes");
    base64(&deflated)
}
