//! The charts on the page, with the tables behind them, and for the script where on a picture each row of a table lies. Must not know what they show.

use super::html::{Html, text};
use crate::report::chart::{Cells, Chart, ChartData, Places, Theme, base64};
use crate::text::is_hidden;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};
use std::io::Write;

/// Charts as figures with their numbers; beside each picture the one of the same name for phones.
pub fn figures<'a>(html: &mut Html, charts: impl IntoIterator<Item = &'a Chart>, narrow: &[Chart]) {
    for chart in charts {
        let (name, title) = (text(&chart.name), text(&chart.picture.title));
        let method = text(&chart.picture.description);
        let narrow = narrow.iter().find(|it| it.name == chart.name);
        writeln!(
            html,
            "<figure id=\"{name}\">\n<p class=\"finding\"><b>{title}</b> <span class=\"aside\">{method}</span></p>"
        );
        let pictures = [("wide", chart)].into_iter();
        for (view, chart) in pictures.chain(narrow.map(|it| ("narrow", it))) {
            let svg = chart.picture.svg(Theme::Light);
            writeln!(html, "<div class=\"picture in-{view}\">{svg}</div>");
        }
        writeln!(
            html,
            "<figcaption><output aria-live=\"polite\"></output></figcaption>"
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

/// What the script needs beside the tables, as JSON in a block that no browser runs. Numbers lie at the same parts of the frame in both pictures.
pub fn data(html: &mut Html, charts: &[Chart], narrow: &[Chart]) {
    let figure = |chart: &Chart| {
        let plots: Vec<Value> = chart.data.iter().map(plot).collect();
        let own = |charts: &[Chart]| {
            let chart = charts.iter().find(|it| it.name == chart.name)?;
            Some(chart.data.iter().map(frame).collect::<Vec<_>>())
        };
        json!({ "id": chart.name, "frames": [own(charts), own(narrow)], "plots": plots })
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

/// Left, top, width and height of a plot in the picture's pixels, to a tenth: a pointer is no finer.
fn frame(data: &ChartData) -> [f64; 4] {
    let area = data.area;
    [area.left, area.top, area.width, area.height].map(|px| (px * 10.0).round() / 10.0)
}

/// One plot: places are parts of its frame.
fn plot(data: &ChartData) -> Value {
    let (title, area) = (&data.title, &data.area);
    // A hundred thousandth of a frame is less than a hundredth of a pixel.
    let part = |px: f64, from: f64, whole: f64| ((px - from) / whole * 1e5).round() / 1e5;
    let down = |px: f64| part(px, area.top, area.height);
    match &data.places {
        Places::Rows(places) => {
            let across = |px: f64| part(px, area.left, area.width);
            let places = places.iter().map(|(x, y)| (across(*x), y.map(down)));
            let places: Vec<(f64, Option<f64>)> = places.collect();
            json!({ "title": title, "along": places })
        }
        Places::Cells(cells) => {
            let counts = packed(cells);
            let edges: Vec<f64> = cells.edges.iter().map(|px| down(*px)).collect();
            let cells = json!({ "keys": cells.keys, "times": cells.times, "counts": counts, "edges": edges });
            json!({ "title": title, "cells": cells })
        }
    }
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
    let deflated = encoder.write_all(&bytes).and_then(|()| encoder.finish());
    let deflated = deflated.expect("memory takes any bytes");
    base64(&deflated)
}
