//! Tests of the tables and files of a report.

use super::{Block, Column, Document, Format, Report, Style, Table, sample_fixture as sample};
use crate::experiment::Metric;
use std::collections::BTreeMap;
use std::path::Path;

fn table(style: Style) -> String {
    let results = sample::five_keys();
    Report::new(&results)
        .render(Format::Table, style)
        .replace('\u{a0}', " ")
}

#[test]
fn the_table_of_a_wide_terminal_has_every_column() {
    let style = Style {
        width: 160,
        ..Style::default()
    };
    let text = table(style);
    snapbox::assert_data_eq!(text, snapbox::file!["report_tests/wide.txt"].raw());
}

#[test]
fn the_table_fits_eighty_columns_of_ascii() {
    let text = table(Style {
        width: 80,
        ascii: true,
        colour: false,
    });
    assert!(text.is_ascii(), "{text}");
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    snapbox::assert_data_eq!(text, snapbox::file!["report_tests/narrow.txt"].raw());
}

#[test]
fn no_line_is_longer_than_the_terminal_is_wide() {
    for width in [80, 100, 120, 160] {
        for line in table(Style {
            width,
            ..Style::default()
        })
        .lines()
        {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn colour_changes_nothing_but_colour() {
    let plain = table(Style::default());
    let mut coloured = table(Style {
        colour: true,
        ..Style::default()
    });
    assert!(
        coloured.contains("\u{1b}[31mmoving\u{1b}[0m")
            && coloured.contains("\u{1b}[32mnone\u{1b}[0m"),
        "{coloured}"
    );
    for code in [
        "\u{1b}[0m",
        "\u{1b}[1m",
        "\u{1b}[2m",
        "\u{1b}[31m",
        "\u{1b}[32m",
    ] {
        coloured = coloured.replace(code, "");
    }
    assert_eq!(coloured, plain);
}

#[test]
fn markdown_is_a_page_for_a_design_review() {
    let results = sample::five_keys();
    let text = Report::new(&results)
        .render(Format::Markdown, Style::default())
        .replace('\u{a0}', " ");
    snapbox::assert_data_eq!(text, snapbox::file!["report_tests/summary.md"].raw());
}

#[test]
fn csv_is_long_and_keeps_merged_percentiles_and_lower_bounds_apart() {
    let results = sample::five_keys();
    let text = Report::new(&results).render(Format::Csv, Style::default());
    assert_eq!(text.lines().next(), Some("strategy,metric,mean,low,high,n"));
    for row in [
        "monotonic,server_max_share,1,0.99,1.01,5",
        "monotonic,write_response_ms.p99.merged,18240,,,5",
        "monotonic,write_response_ms.p99.censored,1,,,5",
    ] {
        assert!(text.lines().any(|line| line == row), "{row}\n{text}");
    }
    assert!(!text.contains("hashed,write_response_ms.p99.censored"));
    assert!(text.lines().all(|line| line.split(',').count() == 6));
}

#[test]
fn undefined_and_missing_numbers_are_dashes_in_tables_and_empty_in_csv() {
    let mut strategy = sample::strategy("empty", 4, &[&[0u64, 0, 0, 0]]);
    strategy
        .metrics
        .insert("hot_time_fraction".to_owned(), sample::undefined());
    strategy
        .metrics
        .insert("server_max_share".to_owned(), sample::undefined());
    let results = sample::results(vec![strategy]);
    let report = Report::new(&results);
    let row = report.render(
        Format::Table,
        Style {
            width: 160,
            ..Style::default()
        },
    );
    let row = row
        .lines()
        .find(|line| line.starts_with("empty"))
        .unwrap()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert_eq!(row, "empty – – – – – – – – – – – – –");
    assert!(
        report
            .render(Format::Csv, Style::default())
            .contains("empty,hot_time_fraction,,,,0\n")
    );
}

/// Every file under `folder`, by relative path.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path
                    .strip_prefix(folder)
                    .unwrap()
                    .to_string_lossy()
                    .replace('\\', "/");
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn a_report_writes_the_same_files_twice() {
    let results = sample::five_keys();
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for folder in [&first, &second] {
        Report::new(&results).write(folder.path()).unwrap();
    }
    let written = files(first.path());
    assert!(
        written == files(second.path()),
        "the same results give the same bytes"
    );
    let names: Vec<&str> = written
        .keys()
        .map(String::as_str)
        .filter(|name| !name.ends_with(".png"))
        .collect();
    assert_eq!(
        names,
        [
            "charts/concentration.svg",
            "charts/key-map-hashed.svg",
            "charts/key-map-monotonic.svg",
            "charts/key-map-opentsdb.svg",
            "charts/key-map-reversed.svg",
            "charts/key-map-salted.svg",
            "charts/response-time.svg",
            "charts/server-load.svg",
            "report.html",
            "results.json",
            "series/key-map-hashed.csv",
            "series/key-map-monotonic.csv",
            "series/key-map-opentsdb.csv",
            "series/key-map-reversed.csv",
            "series/key-map-salted.csv",
            "series/regions.csv",
            "series/servers.csv",
            "summary.csv",
            "summary.md"
        ]
    );
    let is_own = |name: &String| Report::is_own_file(Path::new(name));
    assert!(written.keys().all(is_own), "{:?}", written.keys());
    for other in [
        "notes.md",
        "charts/mine.png",
        "charts/key-map-hashed.txt",
        "mine/summary.md",
    ] {
        assert!(!Report::is_own_file(Path::new(other)), "{other}");
    }
    let summary = String::from_utf8(written["summary.md"].clone()).unwrap();
    for link in summary
        .split("](")
        .skip(1)
        .map(|rest| rest.split(')').next().unwrap())
    {
        assert!(written.contains_key(link), "{link}");
    }
}

#[test]
fn a_report_without_charts_has_none() {
    let results = sample::five_keys();
    let folder = tempfile::tempdir().unwrap();
    let report = Report {
        charts: false,
        ..Report::new(&results)
    };
    report.write(folder.path()).unwrap();
    assert!(!folder.path().join("charts").exists());
    assert!(
        !std::fs::read_to_string(folder.path().join("summary.md"))
            .unwrap()
            .contains("charts/")
    );
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let results = sample::results(Vec::new());
    let error = Report::new(&results).write(file.path()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("`{}` could not be written", file.path().display())
    );
}

#[test]
fn one_document_is_written_for_a_terminal_and_as_markdown() {
    let columns = [
        Column::words(["", "key"], 0),
        Column::numbers(["", "bytes"], 0),
    ];
    let rows = [["a_b", "12"], ["c|d", "3"]].map(|row| row.map(str::to_owned).to_vec());
    let sentences = ["Two keys.", "No more."].map(str::to_owned).to_vec();
    let document = Document(vec![
        vec![
            Block::Heading("Keys".to_owned()),
            Block::Table(Table::new(columns, rows)),
        ],
        vec![],
        vec![Block::Text(sentences), Block::Note("measured".to_owned())],
    ]);
    assert_eq!(
        document.terminal(Style::default()),
        "Keys\nkey  bytes\n──────────\na_b     12\nc|d      3\n\nTwo keys.\n  No more.\nmeasured\n"
    );
    assert_eq!(
        document.markdown(),
        "## Keys\n\n| key | bytes |\n|:---|---:|\n| a_b | 12 |\n| c\\|d | 3 |\n\nTwo keys. No more.\n\n<sub>measured</sub>\n"
    );
}

#[test]
fn formats_are_words() {
    assert_eq!("markdown".parse(), Ok(Format::Markdown));
    let error = "yaml".parse::<Format>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`yaml` is no format; expected `table`, `markdown`, `csv` or `json`"
    );
}

#[test]
fn what_reads_pay_is_a_second_table() {
    let results = super::sample_reads_fixture::five_keys();
    let text = Report::new(&results)
        .render(Format::Table, Style::default())
        .replace('\u{a0}', " ");
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
    let table: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.contains("path"))
        .take_while(|line| !line.is_empty())
        .collect();
    let mut table = table.join("\n");
    table.push('\n');
    snapbox::assert_data_eq!(table, snapbox::file!["report_tests/reads.txt"].raw());
}

#[test]
fn markdown_and_csv_say_what_reads_pay() {
    let results = super::sample_reads_fixture::five_keys();
    let report = Report::new(&results);
    let markdown = report
        .render(Format::Markdown, Style::default())
        .replace('\u{a0}', " ");
    for line in [
        "| read | strategy | path | calls | regions | rows read | read ÷ returned | of offered | p99 | unfinished |",
        "| newest | salted | fan-out-scan | 4 | 4 | 40 | 4.0× | 100 % | 8.93 ms | 0 % |",
        "| newest | monotonic | table-scan | 412 | 32 | 2.40M | 240k× | 31 % | > 9.41 s | 69 % |",
        "| report | hashed | table-scan | 412 | 32 | 2.40M | 300× | – | – | – |",
        "- **by-id** of salted: 4 Gets, 3 of them in vain",
    ] {
        assert!(
            markdown.lines().any(|found| found == line),
            "{line}\n{markdown}"
        );
    }
    let csv = report.render(Format::Csv, Style::default());
    for row in [
        "salted,read.newest.calls,4,4,4,5",
        "salted,read.newest.rows_planned,40,40,40,5",
        "salted,read.newest.response_ms.p99.merged,8.93,,,5",
        "monotonic,read.newest.response_ms.p99.censored,1,,,5",
        "hashed,read.report.rows_read,2400000,,,1",
        "hashed,read.report.failed_fraction,,,,0",
    ] {
        assert!(csv.lines().any(|line| line == row), "{row}\n{csv}");
    }
    assert!(csv.lines().all(|line| line.split(',').count() == 6));
}

#[test]
fn of_reads_alone_the_scorecard_shows_the_reads() {
    let results = super::sample_reads_fixture::reads_only();
    let text = Report::new(&results).render(Format::Table, Style::default());
    assert!(
        text.contains("reads/s") && !text.contains("writes/s"),
        "{text}"
    );
    let row = text
        .lines()
        .find(|line| line.starts_with("hashed"))
        .unwrap();
    assert!(row.contains("1.37×") && row.contains("449"), "{row}");
}

#[test]
fn a_hotspot_of_reads_stands_in_the_scorecard_under_their_name() {
    let mut results = sample::five_keys();
    let hashed = &mut results.strategies[3];
    assert!(!hashed.is_hot(), "{:?}", hashed.hotspot());
    let word = Metric::Word("static".to_owned());
    hashed.metrics.insert("read_hotspot".to_owned(), word);
    assert!(hashed.is_hot());
    let text = Report::new(&results).render(Format::Table, Style::default());
    let scorecard = text.lines().filter(|line| line.starts_with("hashed"));
    assert!(
        scorecard.clone().any(|row| row.ends_with("static (reads)")),
        "{text}"
    );
    // A hotspot of the writes comes first, unless the reads make the one of both together.
    let moving = &mut results.strategies[0];
    let word = |word: &str| Metric::Word(word.to_owned());
    moving
        .metrics
        .insert("read_hotspot".to_owned(), word("static"));
    assert_eq!(moving.hotspot_text().as_deref(), Some("moving"));
    moving
        .metrics
        .insert("demand_hotspot".to_owned(), word("static"));
    assert_eq!(moving.hotspot_text().as_deref(), Some("static (reads)"));
}
