//! The charts on the page, with the tables behind them, and for the script where on a picture each row of a table lies. Must not know what they show.

use super::html::{Html, text};
use crate::report::chart::{Cells, Chart, ChartData, Places, Theme, base64};
use crate::text::is_hidden;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};
use std::io::Write;

/// Charts as figures with their numbers.
pub fn figures<'a>(html: &mut Html, charts: impl IntoIterator<Item = &'a Chart>) {
    for chart in charts {
        writeln!(
            html,
            "<figure id=\"{}\">\n<p class=\"finding\">{}</p>\n<div class=\"picture\">{}</div>\n<figcaption><output aria-live=\"polite\"></output></figcaption>",
            text(&chart.name),
            text(&chart.title),
            chart.picture.svg(Theme::Light)
        );
        if !chart.data.is_empty() {
            html.details("The numbers behind it", |html| {
                for data in &chart.data {
                    if !data.title.is_empty() {
                        writeln!(html, "<h3>{}</h3>", text(&data.title));
                    }
                    html.table(&data.table);
                }
            });
        }
        writeln!(html, "</figure>");
    }
}

/// What the script needs beside the tables, as JSON in a block that no browser runs.
pub fn data(html: &mut Html, charts: &[Chart]) {
    let figure = |chart: &Chart| {
        let plots: Vec<Value> = chart.data.iter().map(plot).collect();
        json!({ "id": chart.name, "plots": plots })
    };
    let figures: Vec<Value> = charts.iter().map(figure).collect();
    // The block ends at the first `</script`, wherever it stands.
    let json = json!(figures).to_string().replace('<', "\\u003c");
    let json = json.replace(is_hidden, "·");
    writeln!(
        html,
        "<script type=\"application/json\" id=\"readouts\">{json}</script>"
    );
}

/// One plot: its frame is left, top, width and height in the picture's pixels.
fn plot(data: &ChartData) -> Value {
    let (title, area) = (&data.title, &data.area);
    let frame = [area.left, area.top, area.width, area.height].map(tenth);
    match &data.places {
        Places::Rows(places) => {
            let places = places.iter().map(|(x, y)| (tenth(*x), y.map(tenth)));
            let places: Vec<(f64, Option<f64>)> = places.collect();
            json!({ "title": title, "frame": frame, "along": places })
        }
        Places::Cells(cells) => {
            let counts = packed(cells);
            let edges: Vec<f64> = cells.edges.iter().map(|px| tenth(*px)).collect();
            let cells = json!({ "keys": cells.keys, "times": cells.times, "counts": counts, "edges": edges });
            json!({ "title": title, "frame": frame, "cells": cells })
        }
    }
}

/// A tenth of a pixel is finer than a pointer.
fn tenth(px: f64) -> f64 {
    (px * 10.0).round() / 10.0
}

/// Base64 of the deflated counts, bucket by bucket, seven bits a byte, least first, the eighth bit "more".
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
