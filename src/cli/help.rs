//! `keyheat help`: a command's own help, or a part of the reference by its topic. Must not say what the tables and texts that it prints do not.

use super::args::{Arguments, EXIT_CODES, functions};
use super::console::Console;
use super::settings_reference::{paths, setting, settings};
use crate::metrics::{self, MetricId};
use crate::report::{Block, Document, aligned};
use crate::text::nearest;
use anyhow::{Result, bail};
use clap::{CommandFactory, Parser};

/// A part of the reference: its name, what it is about, and its text.
type Topic = (&'static str, &'static str, fn() -> String);

#[rustfmt::skip]
const TOPICS: [Topic; 8] = [
    ("keys", "The functions of the key language", functions),
    ("settings", "The settings of scenario files, with their defaults", settings),
    ("scenario", "The same: `help cluster.handlers` tells of one setting, `help server_max_share` of one metric", settings),
    ("metrics", "What results hold, and expectations and limits may name", metrics::reference),
    ("json", "What `--format json` prints, and `results.json` holds", || include_str!("json_forms.md").to_owned()),
    ("measured", "What the script of `export --to hbase-shell` writes, and `calibrate` reads", || include_str!("export/replay_format.md").to_owned()),
    ("model", "What is assumed of the cluster, and what is left out", || include_str!("../model.md").to_owned()),
    ("exit-codes", "How commands end, and where they write", || EXIT_CODES.to_owned()),
];

pub fn run(topic: Option<&str>, console: &Console) -> Result<()> {
    let Some(name) = topic else {
        of_command(&["keyheat", "--help"]);
        let row = |(name, about, _): &Topic| vec![(*name).to_owned(), (*about).to_owned()];
        let heading = "\nTopics, for `keyheat help TOPIC`:".to_owned();
        let topics = aligned(TOPICS.iter().map(row), 2);
        return console.document(&Document(vec![vec![Block::Lines(vec![heading]), topics]]));
    };
    let command = Arguments::command();
    let commands: Vec<&str> = command.get_subcommands().map(|it| it.get_name()).collect();
    if commands.contains(&name) {
        of_command(&["keyheat", name, "--help"]);
        return Ok(());
    }
    if let Some((.., text)) = TOPICS.iter().find(|topic| topic.0 == name) {
        return console.data(&text());
    }
    if let Some(text) = setting(name).or_else(|| metric(name)) {
        return console.data(&text);
    }
    let topics = TOPICS.map(|topic| topic.0);
    let paths = paths();
    let others = MetricId::ALL.iter().map(|it| it.name());
    let known = topics.into_iter().chain(commands.iter().copied());
    let known = known.chain(others).chain(paths.iter().map(String::as_str));
    let meant =
        nearest(name, known).map_or_else(String::new, |it| format!("did you mean `{it}`? "));
    bail!(
        "no topic and no command is called `{name}`\n{meant}the topics are {}; the commands are {}",
        topics.join(", "),
        commands.join(", ")
    );
}

/// Has clap print its help.
fn of_command(arguments: &[&str]) {
    if let Err(help) = Arguments::try_parse_from(arguments) {
        // `keyheat help | head` closes the stream: no error.
        let _ = help.print();
    }
}

/// The row of a metric, behind that which its sentence refers to.
fn metric(name: &str) -> Option<String> {
    let metrics = metrics::reference();
    let rows = metrics.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows: Vec<Vec<&str>> = rows
        .map(|row| row.trim_end_matches(" |").split(" | ").collect())
        .collect();
    let own = MetricId::of_path(name)?.name();
    let has_name = |row: &Vec<&str>| {
        let mut names = row[0].split(['`', ',', ' ']);
        names.any(|it| it.trim_start_matches("read.x.").trim_end_matches(".p99") == own)
    };
    let at = rows.iter().position(has_name)?;
    let is_whole = |row: &Vec<&str>| !row.concat().contains("The same");
    let first = rows[..=at].iter().rposition(is_whole).unwrap_or(at);
    let row = |row: &Vec<&str>| format!("`{}\n  {}\n", row[0], row[1..].join(" · "));
    let mut shown = vec![&rows[first], &rows[at]];
    shown.dedup();
    Some(shown.into_iter().map(row).collect())
}
