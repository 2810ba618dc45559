//! What pictures say is what the tables say and what the runs show: both are read, for designs of readers and writers.

use crate::folder_files::files_below;
use keyheat::experiment::{Experiment, Results, StrategyResult};
use keyheat::report::{ImageKind, Report};
use keyheat::scenario::{Options, Scenario};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

/// Each design of `data/designs` with what makes it small.
const DESIGNS: [(&str, &[&str]); 4] = [
    ("chat", &["write.send.rate=2k/s", "read.newest50.rate=1k/s"]),
    ("iot2m", &["field.device.count=60_000"]),
    (
        "click",
        &[
            "write.clicks.rate=2k/s",
            "read.session.rate=300/s",
            "write.clicks.profile=[{at=\"0s\",times=1.0},{at=\"1s\",times=1.0},{at=\"1s\",times=10.0},{at=\"1.2s\",times=10.0},{at=\"1.2s\",times=1.0}]",
        ],
    ),
    (
        "tenants",
        &["write.orders.rate=4k/s", "existing.orders.records=50_000"],
    ),
];

/// What a run of a design shows, and the text files of its report by their paths.
struct Told {
    results: Results,
    files: BTreeMap<String, String>,
}

type Row = BTreeMap<String, String>;

impl Told {
    fn of(design: &str, options: Options) -> Self {
        let root = env!("CARGO_MANIFEST_DIR");
        let file = format!("{root}/tests/data/designs/{design}.toml");
        let scenario = Scenario::load_with(Path::new(&file), &options)
            .unwrap_or_else(|error| panic!("{error}"));
        let results = Experiment::new(&scenario).run(|_| {});
        let folder = tempfile::tempdir().unwrap();
        let report = Report {
            images: &[ImageKind::Svg],
            ..Report::new(&results)
        };
        report.write(folder.path()).unwrap();
        // Blanks before units don't break.
        let plain = |bytes| Some(String::from_utf8(bytes).ok()?.replace('\u{a0}', " "));
        let files = files_below(folder.path()).into_iter();
        let files = files.filter_map(|(path, bytes)| Some((path, plain(bytes)?)));
        let files = files.collect();
        Self { results, files }
    }

    fn small(design: &str, changes: &[&str]) -> Self {
        let sets = ["time.duration=2s", "time.warmup=500ms"]
            .iter()
            .chain(changes);
        Self::of(
            design,
            Options {
                sets: sets.map(|it| (*it).to_owned()).collect(),
                replicates: Some(2),
                ..Options::default()
            },
        )
    }

    /// Rows of the Markdown table whose first heading is `first`; each cell by its heading.
    fn table(&self, first: &str) -> Vec<Row> {
        let cells = |line: &str| -> Vec<String> {
            let cells = line.trim_matches('|').split(" | ");
            cells.map(|cell| cell.trim().to_owned()).collect()
        };
        let is_heading = |line: &&str| line.starts_with(&format!("| {first} |"));
        let mut lines = self.files["summary.md"].lines();
        let headings = cells(lines.find(is_heading).unwrap());
        let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
        let row = |line| headings.iter().cloned().zip(cells(line)).collect();
        rows.map(row).collect()
    }

    /// The texts of a picture, its title first.
    fn texts(&self, chart: &str) -> Vec<String> {
        let svg = &self.files[&format!("charts/{chart}.svg")];
        let text = |it: &str| {
            let text = it.split_once('>').unwrap().1;
            text.split_once("</text>").unwrap().0.replace("&gt;", ">")
        };
        let title = svg.split("<title>").nth(1).unwrap();
        let title = title.split("</title>").next().unwrap().replace("&gt;", ">");
        let texts = svg.split("<text ").skip(1).map(text);
        [title].into_iter().chain(texts).collect()
    }

    fn charts(&self) -> impl Iterator<Item = &str> {
        let names = self.files.keys();
        names.filter_map(|it| it.strip_prefix("charts/")?.strip_suffix(".svg"))
    }

    /// What the hottest server is asked for over what it can do, in each interval of the window, as the page tells it beside the picture.
    fn asked(&self, strategy: &StrategyResult) -> Vec<f64> {
        let page = &self.files["report.html"];
        let after = |text: &'static str| move |it: &&str| !it.contains(text);
        let figure = page.split("<figure id=\"server-load\"").nth(1).unwrap();
        let heading = format!("<h3>{}</h3>", strategy.name);
        let own = figure.split(&heading).nth(1).unwrap();
        let table = own.split("</table>").next().unwrap();
        let rows = table.split("<tr>").skip_while(after("<td>"));
        let asked = rows.map(|row| {
            let cell = row.split("<td>").nth(1).unwrap();
            let cell = cell.split("</td>").next().unwrap();
            let number = cell.trim_end_matches(" %").replace("&lt; ", "");
            number.parse::<f64>().unwrap() / 100.0
        });
        let start = strategy.series.as_ref().unwrap().window_start;
        asked.skip(start).collect()
    }
}

/// Of all designs.
static TOLD: LazyLock<Vec<(&str, Told)>> = LazyLock::new(|| {
    let told = |(design, changes)| (design, Told::small(design, changes));
    DESIGNS.into_iter().map(told).collect()
});

#[test]
fn pictures_tell_the_numbers_of_the_tables() {
    for (design, told) in &*TOLD {
        let page = &told.files["report.html"];
        let load = told.texts("server-load");
        let response = told.texts("response-time");
        let late = told.charts().any(|it| it == "backlog");
        let late = late.then(|| told.texts("backlog")[0].clone());
        for (row, strategy) in told.table("strategy").iter().zip(&told.results.strategies) {
            let name = &row["strategy"];
            assert_eq!(*name, strategy.name);
            // The name of a panel is followed by its hot time, and that by the greatest excess.
            let hot = format!("hot {}", row["hot time"]);
            let is_told = |it: &String| *it == hot || it.starts_with(&format!("{hot},"));
            assert!(load.iter().any(is_told), "{design} {name}: {hot}: {load:?}");
            let percentiles = format!(
                "p50 {} · p99 {} · p99.9 {}",
                row["p50"], row["p99"], row["p99.9"]
            );
            let is_told = |it: &String| percentiles.starts_with(it.trim_end_matches('…'));
            assert!(
                response[1..].iter().any(is_told),
                "{design} {name}: {percentiles}: {response:?}"
            );
            // A lower bound is told as such, and what did not complete is no number of the title.
            let bound = row["p99"].replace("> ", "more than ");
            if response[0].contains(&format!(" with {name}")) {
                let told = response[0].contains(&format!("{bound} with {name}"));
                assert!(told, "{design} {name}: {bound}: {}", response[0]);
            }
            let map = &told.texts(&format!("key-map-{name}"))[0];
            let skew = &row["hottest ÷ mean"];
            assert!(
                !map.contains('×') || map.contains(skew.as_str()),
                "{design}: {skew}: {map}"
            );
            // What is all completed in time has caught up.
            let lost = format!("{name} falls");
            let is_behind = late.as_ref().is_some_and(|it| {
                it.split("; ")
                    .any(|it| it.starts_with(&lost) && it.ends_with("not catch up"))
            });
            assert!(
                !is_behind || row["of offered"] != "100 %",
                "{design}: {late:?}"
            );
            // The dashes are what the table calls hot: servers that are busy for 19 of 20 parts of the time, or refuse.
            let asked = told.asked(strategy);
            let over = asked.iter().filter(|it| **it > 0.95).count() as f64 / asked.len() as f64;
            match row["hot time"].as_str() {
                // A scan asks for a handler while it is on the network or waits for a disk as well: in these designs a fifth of its time.
                "0 %" => {
                    let most = asked.iter().copied().fold(0.0, f64::max);
                    assert!(most < 1.25, "{design} {name}: {asked:?}");
                }
                "100 %" => assert!(over > 0.5, "{design} {name}: {asked:?}"),
                _ => {}
            }
            let with_digits = |it: &&String| it.contains(|c: char| c.is_ascii_digit());
            for cell in row.values().filter(with_digits) {
                assert!(
                    page.contains(&cell.replace('>', "&gt;")),
                    "{design}: {cell}"
                );
            }
        }
        let trade_off = told.texts("trade-off");
        for row in told.table("read") {
            let calls = match row["calls"].as_str() {
                "1" => "1 call".to_owned(),
                calls => format!("{calls} calls"),
            };
            let path = row["path"].split(',').next().unwrap();
            let (read, p99) = (&row["read"], &row["p99"]);
            let is_told = |it: &String| {
                it.contains(&calls)
                    && it.ends_with(path)
                    && (!p99.starts_with('>')
                        || it.contains(p99)
                        || it.contains("nothing completed"))
            };
            assert!(
                trade_off.iter().any(is_told),
                "{design} {read}: {calls}, {p99}: {trade_off:?}"
            );
        }
    }
}

/// Metrics that a chart's title speaks of.
fn metrics_of(chart: &str, results: &Results) -> Vec<String> {
    let reads = results.strategies[0].reads.iter();
    let all: &[&str] = match chart {
        "server-load" => &["hot_time_fraction", "server_peak_to_mean"],
        "response-time" => &["write_response_ms.p50", "write_response_ms.p99"],
        "concentration" => &["region_max_share", "region_peak_to_mean"],
        "trade-off" => {
            let p99 = |name: &String| format!("read.{name}.response_ms.p99");
            return reads
                .map(|it| p99(&it.name))
                .chain(["server_peak_to_mean".to_owned()])
                .collect();
        }
        "backlog" => &["write_response_ms.p99"],
        _ => &[],
    };
    all.iter().map(|it| (*it).to_owned()).collect()
}

/// Whether the values of two strategies, replicate by replicate, differ by more than chance: the 95 % t-interval of their differences leaves 0 out.
fn differ(one: &[Option<f64>], other: &[Option<f64>]) -> bool {
    // Student's t at 0.975, of 1 to 4 degrees of freedom.
    const T: [f64; 4] = [12.706, 4.303, 3.182, 2.776];
    let pairs = one.iter().zip(other);
    let differences: Option<Vec<f64>> = pairs.map(|(a, b)| Some((*a)? - (*b)?)).collect();
    let Some(differences) = differences.filter(|it| it.len() > 1) else {
        // Known of one alone.
        return one.iter().flatten().count() != other.iter().flatten().count();
    };
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let squares = differences
        .iter()
        .map(|it| (it - mean).powi(2))
        .sum::<f64>();
    mean.abs() > T[differences.len() - 2] * (squares / (n - 1.0) / n).sqrt()
}

#[test]
fn no_title_names_a_difference_that_replicates_do_not_show() {
    let mut named = 0;
    for (design, told) in &*TOLD {
        for chart in told.charts().filter(|it| !it.starts_with("key-map")) {
            let title = &told.texts(chart)[0];
            // The longest names first: one may be a part of another.
            let mut names: Vec<&StrategyResult> = told.results.strategies.iter().collect();
            names.sort_by_key(|it| std::cmp::Reverse(it.name.len()));
            let mut rest = title.clone();
            names.retain(|it| {
                let is_named = rest.contains(&it.name);
                rest = rest.replace(&it.name, "");
                is_named
            });
            for (at, one) in names.iter().enumerate() {
                for other in &names[..at] {
                    named += 1;
                    let metrics = metrics_of(chart, &told.results);
                    let values = |it: &StrategyResult, metric: &str| {
                        let path = keyheat::metrics::lookup(metric, &it.names()).unwrap();
                        it.replicates(path).cloned().unwrap_or_default()
                    };
                    let shown = metrics
                        .iter()
                        .any(|metric| differ(&values(one, metric), &values(other, metric)));
                    assert!(shown, "{design} {chart}: {title}");
                }
            }
        }
    }
    assert!(named > 4, "{named}");
}

#[test]
fn no_title_tells_twins_apart() {
    // In calm, at the edge of what the servers can do, and beyond.
    for rate in ["4k/s", "8k/s", "12k/s"] {
        for seed in 1..=2 {
            let sets = vec![format!("write.events.rate={rate}")];
            let told = Told::of(
                "twins",
                Options {
                    sets,
                    seed: Some(seed),
                    ..Options::default()
                },
            );
            for chart in told.charts().filter(|it| !it.starts_with("key-map")) {
                let title = &told.texts(chart)[0];
                let named = ["castor", "pollux"]
                    .into_iter()
                    .filter(|it| title.contains(it));
                assert_eq!(named.count(), 0, "{rate}, seed {seed}: {title}");
            }
        }
    }
}
