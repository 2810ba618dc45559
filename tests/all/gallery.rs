//! The pictures of the README are what the shipped scenarios give.
//!
//! `SNAPSHOTS=overwrite cargo test --release --test all gallery` draws them anew.

use crate::ran::shipped;
use keyheat::experiment::{Results, StrategyResult};
use keyheat::report::chart::{self, Chart, Picture, Viewport};
use keyheat::report::{HeatColours, Theme};
use std::fs;
use std::path::Path;

/// A scenario, and its charts in the gallery.
const PICTURES: [(&str, &[&str]); 6] = [
    ("bucket-sweep", &["sweep"]),
    ("first-region", &["key-map-one-region", "key-map-pre-split"]),
    (
        "five-keys",
        &[
            "key-map-hashed",
            "key-map-monotonic",
            "key-map-opentsdb",
            "key-map-salted",
            "server-load",
        ],
    ),
    ("hashed-entity", &["key-map-by-record", "key-map-by-user"]),
    ("random-salts", &["trade-off"]),
    ("time-split-table", &["key-map-rising"]),
];

/// Width, height and the bytes of all pixels.
fn pixels(png: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png))
        .read_info()
        .unwrap();
    let mut bytes = vec![0; reader.output_buffer_size()];
    let frame = reader.next_frame(&mut bytes).unwrap();
    bytes.truncate(frame.buffer_size());
    (frame.width, frame.height, bytes)
}

/// Vector units of other machines may round a blend of two colours the other way.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let (one, other) = (pixels(one), pixels(other));
    (one.0, one.1, one.2.len()) == (other.0, other.1, other.2.len())
        && one.2.iter().zip(&other.2).all(|(a, b)| a.abs_diff(*b) <= 1)
}

/// The first image of a picture file, which of a key map is the map: its width, and the luminance of each cell from the top, as on a grey print.
fn luminances(svg: &str) -> (usize, Vec<f64>) {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let image = svg.split("<image").nth(1).unwrap();
    let base64 = image.split("base64,").nth(1).unwrap();
    let base64 = base64.split('"').next().unwrap().trim_end_matches('=');
    let (mut bits, mut count, mut bytes) = (0u32, 0, Vec::new());
    for letter in base64.bytes() {
        let value = LETTERS.iter().position(|it| *it == letter).unwrap();
        (bits, count) = (bits << 6 | value as u32, count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    pixels.truncate(frame.buffer_size());
    let channels = pixels.len() / (frame.width * frame.height) as usize;
    let linear = |value: u8| match f64::from(value) / 255.0 {
        value if value <= 0.04045 => value / 12.92,
        value => ((value + 0.055) / 1.055).powf(2.4),
    };
    let cells = pixels
        .chunks(channels)
        .map(|cell| 0.2126 * linear(cell[0]) + 0.7152 * linear(cell[1]) + 0.0722 * linear(cell[2]));
    (frame.width as usize, cells.collect())
}

/// Contrast of the region with most writes against the median one on a grey print, over the window, and its writes over the mean.
fn contrast(strategy: &StrategyResult, svg: &str) -> (f64, f64) {
    let series = strategy.series.as_ref().unwrap();
    let (wide, cells) = luminances(svg);
    let regions = strategy.region_starts.len();
    let rows_each = cells.len() / wide / regions;
    let luminance = |region: usize| {
        let top = (regions - 1 - region) * rows_each;
        let of_rows =
            (top..top + rows_each).flat_map(|row| &cells[row * wide..][series.window_start..wide]);
        let of_rows: Vec<&f64> = of_rows.collect();
        of_rows.iter().copied().sum::<f64>() / of_rows.len() as f64
    };
    let mut by_writes: Vec<usize> = (0..regions).collect();
    by_writes.sort_by_key(|region| series.region_demand[*region]);
    let (median, hottest) = (by_writes[regions / 2], by_writes[regions - 1]);
    let all: u64 = series.region_demand[..regions].iter().sum();
    let over_mean = series.region_demand[hottest] as f64 * regions as f64 / all as f64;
    let contrast = (luminance(hottest) + 0.05) / (luminance(median) + 0.05);
    (contrast, over_mean)
}

/// A chart of a shipped scenario, as the report draws it.
fn picture<'a>(charts: &'a [Chart], name: &str) -> &'a Picture {
    let mut charts = charts.iter();
    &charts.find(|it| it.name == name).expect("a chart").picture
}

fn charts(results: &Results) -> Vec<Chart> {
    chart::charts(results, HeatColours::default(), Viewport::Wide)
}

#[test]
fn of_two_key_maps_one_sees_at_once_which_is_hot_in_grey_as_well() {
    for (name, hot, even) in [
        ("five-keys", "opentsdb", "hashed"),
        ("five-keys", "monotonic", "salted"),
        ("hashed-entity", "by-user", "by-record"),
        ("first-region", "one-region", "pre-split"),
    ] {
        let results = &shipped(name).results;
        let charts = charts(results);
        let svg = |strategy: &str| {
            picture(&charts, &format!("key-map-{strategy}")).svg_file(Theme::default())
        };
        let of = |strategy: &str| {
            results
                .strategies
                .iter()
                .find(|it| it.name == strategy)
                .unwrap()
        };
        let (flat, over_mean) = contrast(of(even), &svg(even));
        assert!(
            over_mean < 1.25 && flat < 1.5,
            "{name} {even}: {over_mean} {flat}"
        );
        if hot == "one-region" {
            // One region has no median: it is as bright as it takes a server's part many times over.
            let first = |strategy: &str| {
                let (wide, cells) = luminances(&svg(strategy));
                cells[..].iter().step_by(wide).sum::<f64>() * wide as f64 / cells.len() as f64
            };
            let times = (first(hot) + 0.05) / (first(even) + 0.05);
            assert!(times >= 3.0, "{name}: {times}");
            continue;
        }
        let (steep, over_mean) = contrast(of(hot), &svg(hot));
        assert!(
            over_mean >= 2.0 && steep >= 3.0,
            "{name} {hot}: {over_mean} {steep}"
        );
    }
}

#[test]
fn the_gallery_is_what_the_scenarios_give() {
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("output/gallery");
    let overwrite = std::env::var("SNAPSHOTS").is_ok_and(|value| value == "overwrite");
    let mut old = Vec::new();
    let mut known = 0;
    for (name, wanted) in PICTURES {
        let charts = charts(&shipped(name).results);
        for chart in wanted {
            known += 1;
            let fresh = picture(&charts, chart).png(Theme::default()).unwrap();
            let kept = gallery.join(format!("{chart}.png"));
            if overwrite {
                fs::write(&kept, fresh).unwrap();
            } else if !is_same(&fresh, &fs::read(&kept).unwrap()) {
                old.push(*chart);
            }
        }
    }
    assert!(
        old.is_empty(),
        "{old:?}: `SNAPSHOTS=overwrite cargo test --release --test all gallery` draws them anew"
    );
    let kept = fs::read_dir(gallery).unwrap().count();
    assert_eq!(
        kept, known,
        "a picture in the gallery that no scenario gives"
    );
}
