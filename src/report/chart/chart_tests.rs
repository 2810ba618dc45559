//! Tests of whole charts: what any viewer relies on, and the results that are unlike others.

use super::{Chart, ChartData, HeatColours, Places, Theme, Viewport, charts};
use crate::experiment::{KeyMapBucket, Metric, Results, StrategyResult};
use crate::metrics::{EventKind, SeriesEvent};
use crate::report::{sample_fixture as sample, sample_reads_fixture as sample_reads};

/// Results unlike the usual: each has broken a chart of somebody.
fn unusual() -> Vec<(&'static str, Results)> {
    let one_interval = sample::strategy("one-interval", 8, &[&[100u64, 0, 0, 0, 0, 0, 0, 0]]);
    let one_server = sample::strategy("one-server", 1, &[&[100u64], &[120]]);
    let idle = sample::strategy("idle", 4, &[&[0u64, 0, 0, 0], &[0, 0, 0, 0]]);
    let mut nothing = sample::strategy("nothing", 4, &[&[0u64; 4]]);
    nothing.series = None;
    let row: Vec<u64> = (0..1_000)
        .map(|server| if server == 700 { 90_000 } else { 20 })
        .collect();
    let mut wide = sample::strategy("wide", 1_000, &[&row, &row, &row]);
    wide.region_starts = (0..1_000)
        .map(|i| {
            if i == 0 {
                String::new()
            } else {
                format!("{i:04}")
            }
        })
        .collect();
    if let Some(series) = wide.series.as_mut() {
        series.region_server = (0..1_000).collect();
        series.window_start = 1;
    }
    let mut long = sample::five_keys();
    for strategy in &mut long.strategies {
        strategy.title = format!(
            "{} & <a title> that goes on and on, past every margin of every chart",
            strategy.name
        );
    }
    let mut behind = sample::five_keys();
    for strategy in &mut behind.strategies {
        strategy.name += " with a longer name";
        let series = strategy.series.as_mut().expect("the sample has a series");
        let done = series.server_completed.iter_mut().flatten();
        done.for_each(|rows| *rows /= 2);
        let means = (0..series.server_completed.len()).map(|at| (at % 3 > 0).then_some(at as f64));
        series.write_response_ms = means.collect();
    }
    let mut many = sample::five_keys();
    let extra: Vec<StrategyResult> = (0..7)
        .map(|index| StrategyResult {
            name: format!("variant-{index}"),
            ..many.strategies[index % 5].clone()
        })
        .collect();
    many.strategies.extend(extra);
    let mut single = sample::five_keys();
    single.strategies.truncate(1);
    let mut moved = sample::strategy("moved", 2, &[&[100u64, 100], &[200, 0], &[200, 0]]);
    moved.region_starts = ["", "b"].map(str::to_owned).to_vec();
    if let Some(series) = moved.series.as_mut() {
        series.region_server = vec![0, 1];
        series.events = vec![SeriesEvent {
            region: Some(1),
            server: Some(0),
            ..SeriesEvent::new(1_000.0, EventKind::Open)
        }];
    }
    vec![
        ("moved", sample::results(vec![moved])),
        ("one-interval", sample::results(vec![one_interval])),
        ("one-server", sample::results(vec![one_server])),
        ("idle", sample::results(vec![idle])),
        ("nothing", sample::results(vec![nothing])),
        ("wide", sample::results(vec![wide])),
        ("long", long),
        ("behind", behind),
        ("many", many),
        ("single", single),
        ("five-keys", sample::five_keys()),
        ("reads", sample_reads::five_keys()),
        ("reads-only", sample_reads::reads_only()),
        ("reads-many", sample_reads::many()),
    ]
}

#[test]
fn every_chart_of_every_kind_of_results_is_self_contained_and_accessible() {
    for (case, results) in unusual() {
        for chart in charts(&results, HeatColours::default(), Viewport::Wide) {
            let svg = &chart.picture.svg(Theme::Light);
            let name = format!("{case}/{}", chart.name);
            assert!(
                svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"")
                    && svg.ends_with("</svg>\n"),
                "{name}"
            );
            assert_eq!(
                svg.matches("http").count(),
                1,
                "{name}: only the namespace is an address"
            );
            assert!(
                svg.contains("role=\"img\"") && svg.contains("<title>") && svg.contains("<desc>"),
                "{name}"
            );
            assert!(
                !svg.contains("NaN") && !svg.contains("inf\""),
                "{name}: {svg}"
            );
            // Paper is dark in the dark theme, and what lies below a text in its colour is not.
            let mut inks = svg
                .split("<text ")
                .skip(1)
                .filter_map(|it| it.split('>').next());
            assert!(!inks.any(|it| it.contains("#ffffff")), "{name}");
            for size in svg.split("font-size=\"").skip(1) {
                let size: f64 = size
                    .split('"')
                    .next()
                    .and_then(|text| text.parse().ok())
                    .expect("a number");
                assert!(size >= 10.0, "{name}: text of {size} px");
            }
            assert!(svg.len() < 1_000_000, "{name}: {} bytes", svg.len());
        }
    }
}

#[test]
fn no_title_is_cut() {
    for (case, results) in unusual() {
        for chart in charts(&results, HeatColours::default(), Viewport::Wide) {
            let room = Viewport::Wide.room();
            let lines = super::picture::wrapped(&chart.title, room, 15.0, true, 2);
            assert_eq!(lines.join(" "), chart.title, "{case}/{}", chart.name);
        }
    }
}

#[test]
fn strategies_go_by_their_names_and_what_is_alike_is_not_told_apart() {
    let mut results = sample::five_keys();
    results.strategies.truncate(3);
    let title = |results: &Results, name: &str| {
        let charts = charts(results, HeatColours::default(), Viewport::Wide);
        let chart = charts.into_iter().find(|chart| chart.name == name).unwrap();
        chart.title.replace('\u{a0}', " ")
    };
    // Everywhere by its name: a title is an addition.
    results.strategies[0].title = "Time, then host".to_owned();
    assert_eq!(
        title(&results, "response-time"),
        "p99 of the writes: 412 ms with salted, more than 18.2 s with monotonic"
    );
    let first = results.strategies[2].clone();
    let mut second = first.clone();
    second.name = "other".to_owned();
    let Some(Metric::Family(members)) = second.metrics.get_mut("write_response_ms") else {
        panic!("a family");
    };
    let median = members.get_mut("p50").unwrap();
    (median.mean, median.merged) = (Some(7.0), Some(7.0));
    (median.low, median.high) = (Some(6.9), Some(7.1));
    results.strategies = vec![first, second];
    assert_eq!(
        super::headline(&results),
        "Every strategy uses 4.0 of 8 servers"
    );
    assert_eq!(
        title(&results, "response-time"),
        "p50 of the writes: 7.00 ms with other, 65.9 ms with salted; p99 of all: 412 ms"
    );
}

#[test]
fn the_same_results_give_the_same_bytes() {
    assert_eq!(
        charts(&sample::five_keys(), HeatColours::default(), Viewport::Wide),
        charts(&sample::five_keys(), HeatColours::default(), Viewport::Wide)
    );
}

#[test]
fn each_strategy_has_a_key_map_and_the_experiment_its_charts() {
    let names = |results: &Results| -> Vec<String> {
        let charts = charts(results, HeatColours::default(), Viewport::Wide);
        charts.into_iter().map(|chart| chart.name).collect()
    };
    let mut expected = vec![
        "key-map-monotonic",
        "key-map-opentsdb",
        "key-map-salted",
        "key-map-hashed",
        "key-map-reversed",
        "server-load",
        "response-time",
        "concentration",
    ];
    assert_eq!(names(&sample::five_keys()), expected);
    expected.push("trade-off");
    assert_eq!(names(&sample_reads::five_keys()), expected);
    // Against what would one strategy trade, or reads without writes?
    let mut single = sample_reads::five_keys();
    single.strategies.truncate(1);
    for results in [single, sample_reads::reads_only()] {
        assert!(!names(&results).iter().any(|name| name == "trade-off"));
    }
}

#[test]
fn titles_state_the_finding() {
    let charts = charts(
        &sample_reads::five_keys(),
        HeatColours::default(),
        Viewport::Wide,
    );
    let title = |name: &str| {
        let chart = charts.iter().find(|chart| chart.name == name).unwrap();
        let svg = chart.picture.svg(Theme::Light);
        svg.split("<title>")
            .nth(1)
            .unwrap()
            .split("</title>")
            .next()
            .unwrap()
            .replace('\u{a0}', " ")
    };
    assert_eq!(
        title("key-map-monotonic"),
        "monotonic: one server takes 100 % of the writes in every interval"
    );
    assert_eq!(
        title("key-map-salted"),
        "salted: the writes reach 4 of 8 servers, the hottest takes 25 %"
    );
    assert_eq!(
        super::headline(&sample::five_keys()),
        "hashed uses 8.0 of 8 servers, monotonic 1.0 of 8"
    );
    assert_eq!(
        title("response-time"),
        "p99 of the writes: 2.31 ms with hashed, more than 18.2 s with monotonic"
    );
    assert_eq!(
        title("concentration"),
        "Half of the writes go to 1 of 32 regions at a time with monotonic, to 16 of 32 regions with hashed"
    );
    assert_eq!(
        title("trade-off"),
        "“report” costs 2.40M rows with even writes (hashed), 8.00k rows with salted"
    );
}

/// A strategy on five servers with these metrics.
fn on_five(rows: [u64; 5], numbers: &[(&str, f64)], hotspot: &str) -> StrategyResult {
    let mut result = sample::strategy("it", 5, &[rows; 4]);
    let numbers = numbers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), sample::number(*value)));
    result.metrics = numbers.collect();
    let word = Metric::Word(hotspot.to_owned());
    result.metrics.insert("hotspot".to_owned(), word);
    result
}

fn chart_of(results: &Results, name: &str) -> Chart {
    let charts = charts(results, HeatColours::default(), Viewport::Wide);
    let mut chart = charts.into_iter().find(|it| it.name == name).unwrap();
    chart.title = chart.title.replace('\u{a0}', " ");
    chart
}

#[test]
fn titles_say_what_their_pictures_show() {
    let title = |it: &StrategyResult, chart: &str| {
        chart_of(&sample::results(vec![it.clone()]), chart).title
    };
    // Four regions on five servers.
    let even = [
        ("server_max_share", 0.25),
        ("server_peak_to_mean", 1.25),
        ("hot_time_fraction", 0.0),
        ("server_capacity_per_sec", 20_000.0),
    ];
    let four = on_five([2_500, 2_500, 2_500, 2_500, 0], &even, "none");
    assert_eq!(
        title(&four, "key-map-it"),
        "it: the writes spread over 4 of 5 servers, the hottest takes 1.25× its fair share"
    );
    let five = on_five([2_000; 5], &even, "none");
    assert!(title(&five, "key-map-it").contains("over all 5 servers"));
    // A server of one region could do 1,000: it has more, and half of its handlers did all that was asked.
    let held_up = [
        ("hot_time_fraction", 0.0),
        ("server_capacity_per_sec", 1_000.0),
    ];
    let calm = chart_of(
        &sample::results(vec![on_five([2_000; 5], &held_up, "none")]),
        "server-load",
    );
    assert_eq!(calm.title, "No server is asked for more than it can do");
    let shares = calm.data[0].table.rows.iter().flat_map(|row| &row[1..]);
    assert!(shares.clone().count() > 0 && shares.clone().all(|it| it == "50\u{a0}%"));
    // A server that is down refuses, however little it is asked for.
    let down = [
        ("hot_time_fraction", 0.36),
        ("server_capacity_per_sec", 20_000.0),
    ];
    let down = on_five([2_000; 5], &down, "none");
    assert_eq!(
        title(&down, "server-load"),
        "it: a server is full or refuses, 36 % of the time"
    );
    let over = [
        ("hot_time_fraction", 1.0),
        ("server_capacity_per_sec", 1_000.0),
    ];
    let over = on_five([2_000; 5], &over, "none");
    assert_eq!(
        title(&over, "server-load"),
        "it: a server is asked for more than it can do, 100 % of the time"
    );
}

#[test]
fn one_replicate_tells_what_it_has_and_says_that_it_is_alone() {
    let mut results = sample::five_keys();
    let all = results.strategies.iter_mut();
    let measures = all.flat_map(|it| it.metrics.values_mut());
    for metric in measures {
        let alone = |it: &mut crate::experiment::Measure| {
            (it.n, it.low, it.high) = (1, None, None);
        };
        match metric {
            Metric::Number(measure) => alone(measure),
            Metric::Family(members) => members.values_mut().for_each(alone),
            Metric::Word(_) => {}
        }
    }
    results.replicates = 1;
    let chart = chart_of(&results, "response-time");
    assert_eq!(
        chart.title,
        "p99 of the writes: 2.31 ms with hashed, more than 18.2 s with monotonic"
    );
    assert!(chart.picture.svg(Theme::Light).contains("one replicate"));
}

#[test]
fn labels_stand_at_the_keys_that_they_tell() {
    // All that is written lies in the first of four regions; each of the others has a bucket without a key.
    let mut hot = sample::strategy("hot", 4, &[[8_000u64, 0, 0, 0]; 4]);
    let label = |at: usize| format!("group {}", at / 4);
    let written = (0..8).map(|at| KeyMapBucket {
        labels: vec![label(at)],
        ..sample::bucket(&format!("a{at}"))
    });
    let empty = ["b", "c", "d"].map(|start| KeyMapBucket {
        labels: Vec::new(),
        ..sample::bucket(start)
    });
    hot.key_map = written.chain(empty).collect();
    hot.region_starts = ["", "b", "c", "d"].map(str::to_owned).to_vec();
    if let Some(series) = hot.series.as_mut() {
        series.key_demand = vec![[vec![1_000; 8], vec![0; 3]].concat(); 4];
        series.region_server = vec![0, 1, 2, 3];
    }
    let chart = chart_of(&sample::results(vec![hot]), "key-map-hot");
    let svg = chart.picture.svg(Theme::Light);
    let last = texts(&svg).into_iter().find(|(_, text)| text == "group 1");
    let ([_, top, _, bottom], _) = last.expect("a label");
    // The map is 400 pixels high, its first region the lowest quarter, the second half of which is group 1.
    let from_bottom = 1.0 - ((top + bottom) / 2.0 - 80.0) / 400.0;
    assert!((0.1..0.25).contains(&from_bottom), "{from_bottom}");
}

#[cfg(feature = "png")]
#[test]
fn png_draws_text_without_the_fonts_of_the_machine() {
    use tiny_skia::Pixmap;
    let charts = charts(&sample::five_keys(), HeatColours::default(), Viewport::Wide);
    let chart = charts
        .iter()
        .find(|chart| chart.name == "response-time")
        .unwrap();
    let pixels = Pixmap::decode_png(&chart.picture.png(Theme::Light).unwrap()).unwrap();
    assert_eq!(pixels.width(), 1960);
    // The title stands in the first 40 pixels, and nothing else does: ink there is text.
    let dark = (0..80)
        .flat_map(|y| (0..1960).map(move |x| (x, y)))
        .filter(|(x, y)| pixels.pixel(*x, *y).is_some_and(|pixel| pixel.red() < 100));
    assert!(dark.count() > 2_000);
}

/// What each text of a picture that is not turned covers: left, top, right and bottom.
fn texts(svg: &str) -> Vec<([f64; 4], String)> {
    let texts = svg.split("<text ").skip(1);
    let texts = texts.filter(|text| !text.contains("rotate"));
    let text = |text: &str| {
        let value = |name: &str| -> Option<f64> {
            let rest = text.split_once(&format!("{name}=\""))?.1;
            rest.split_once('"')?.0.parse().ok()
        };
        let words = text.split_once('>').unwrap().1.split_once('<').unwrap().0;
        let words = words.replace("&quot;", "\"").replace("&lt;", "<");
        let words = words.replace("&gt;", ">").replace("&amp;", "&");
        let (x, y) = (value("x").unwrap(), value("y").unwrap());
        let size = value("font-size").unwrap();
        let width = super::picture::width(&words, size, text.contains("font-weight"));
        let left = match () {
            () if text.contains("text-anchor=\"end\"") => x - width,
            () if text.contains("text-anchor=\"middle\"") => x - width / 2.0,
            () => x,
        };
        ([left, y - 0.73 * size, left + width, y], words)
    };
    texts.map(text).collect()
}

#[test]
fn no_text_leaves_its_picture_in_a_window_or_on_a_phone() {
    for (case, results) in unusual() {
        for viewport in [Viewport::Wide, Viewport::Narrow] {
            for chart in charts(&results, HeatColours::default(), viewport) {
                let (width, height) = (chart.picture.width, chart.picture.height);
                for ([left, top, right, bottom], words) in texts(&chart.picture.svg(Theme::Light)) {
                    let is_inside = left >= 0.0
                        && top >= 0.0
                        && right <= f64::from(width)
                        && bottom <= f64::from(height);
                    assert!(is_inside, "{case}/{} {viewport:?}: {words}", chart.name);
                }
            }
        }
    }
}

#[test]
fn numbers_lie_at_the_same_parts_of_plots_in_a_window_and_on_a_phone() {
    for (case, results) in unusual() {
        let of = |viewport| charts(&results, HeatColours::default(), viewport);
        for (wide, narrow) in of(Viewport::Wide).iter().zip(of(Viewport::Narrow)) {
            let places = |chart: &Chart| -> Vec<f64> {
                let of_plot = |data: &ChartData| -> Vec<f64> {
                    let area = data.area;
                    let down = |y: f64| (y - area.top) / area.height;
                    match &data.places {
                        Places::Cells(cells) => cells.edges.iter().copied().map(down).collect(),
                        Places::Rows(rows) => {
                            let parts = rows.iter().flat_map(|(x, y)| {
                                [Some((x - area.left) / area.width), y.map(down)]
                            });
                            parts.flatten().collect()
                        }
                    }
                };
                chart.data.iter().flat_map(of_plot).collect()
            };
            let (wide_at, narrow_at) = (places(wide), places(&narrow));
            assert_eq!(wide_at.len(), narrow_at.len(), "{case}/{}", wide.name);
            // plotters places points to a sixteenth of a pixel; the least plot is 150 pixels wide: 1/16/150, of each of the two.
            let near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-3;
            let mut pairs = wide_at.iter().zip(&narrow_at);
            assert!(pairs.all(near), "{case}/{}", wide.name);
        }
    }
}

#[test]
fn no_two_labels_of_the_trade_off_cover_each_other() {
    for results in [sample_reads::five_keys(), sample_reads::many()] {
        for viewport in [Viewport::Wide, Viewport::Narrow] {
            let charts = charts(&results, HeatColours::default(), viewport);
            let chart = charts.iter().find(|chart| chart.name == "trade-off");
            let boxes = texts(&chart.unwrap().picture.svg(Theme::Light));
            for (at, (new, words)) in boxes.iter().enumerate() {
                for (old, other) in &boxes[..at] {
                    let apart = new[2] <= old[0]
                        || old[2] <= new[0]
                        || new[3] <= old[1]
                        || old[3] <= new[1];
                    assert!(apart, "{viewport:?}: {other} and {words}");
                }
            }
            assert!(boxes.len() > 30, "{}", boxes.len());
        }
    }
}

#[test]
fn a_picture_file_brings_its_fonts_once() {
    for chart in charts(&sample::five_keys(), HeatColours::default(), Viewport::Wide) {
        let (file, svg) = (
            chart.picture.svg_file(Theme::Light),
            chart.picture.svg(Theme::Light),
        );
        assert_eq!(file.matches("@font-face").count(), 2, "{}", chart.name);
        assert!(!svg.contains("@font-face") && file.starts_with("<svg "));
        let rules = format!("<style>{}</style>", super::font_faces());
        assert_eq!(file.replacen(&rules, "", 1), svg);
    }
}
