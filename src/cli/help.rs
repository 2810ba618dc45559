//! `keyheat help`: a command's own help, or a part of the reference by its topic. Must not say what the tables and texts that it prints do not.

use super::args::{Arguments, EXIT_CODES, functions};
use super::console::Console;
use crate::metrics;
use crate::report::{Block, Document, aligned};
use crate::scenario::json_schema;
use crate::text::nearest;
use anyhow::{Result, bail};
use clap::{CommandFactory, Parser};
use serde_json::Value;

/// A part of the reference.
struct Topic {
    name: &'static str,
    about: &'static str,
    text: fn() -> String,
}

const TOPICS: [Topic; 7] = [
    Topic {
        name: "keys",
        about: "The functions of the key language",
        text: functions,
    },
    Topic {
        name: "settings",
        about: "The settings of scenario files, with their defaults",
        text: settings,
    },
    Topic {
        name: "scenario",
        about: "The same: `help cluster.handlers` tells of one setting, `help server_max_share` of one metric",
        text: settings,
    },
    Topic {
        name: "metrics",
        about: "What results hold, and expectations and limits may name",
        text: metrics::reference,
    },
    Topic {
        name: "measured",
        about: "What the script of `export --to hbase-shell` writes, and `calibrate` reads",
        text: || include_str!("export/replay_format.md").to_owned(),
    },
    Topic {
        name: "model",
        about: "What is assumed of the cluster, and what is left out",
        text: || include_str!("../model.md").to_owned(),
    },
    Topic {
        name: "exit-codes",
        about: "How commands end, and where they write",
        text: || EXIT_CODES.to_owned(),
    },
];

pub fn run(topic: Option<&str>, console: &Console) -> Result<()> {
    let Some(name) = topic else {
        of_command(&["keyheat", "--help"]);
        let row = |topic: &Topic| vec![topic.name.to_owned(), topic.about.to_owned()];
        let heading = "\nTopics, for `keyheat help TOPIC`:".to_owned();
        let topics = aligned(&TOPICS.iter().map(row).collect::<Vec<_>>(), 2, &[]);
        return console.document(&Document(vec![vec![Block::Lines(vec![heading]), topics]]));
    };
    let command = Arguments::command();
    let commands: Vec<&str> = command.get_subcommands().map(|it| it.get_name()).collect();
    if commands.contains(&name) {
        of_command(&["keyheat", name, "--help"]);
        return Ok(());
    }
    if let Some(topic) = TOPICS.iter().find(|topic| topic.name == name) {
        return console.data(&(topic.text)());
    }
    if let Some(text) = one(name) {
        return console.data(&text);
    }
    let topics = TOPICS.map(|topic| topic.name);
    let known = topics.into_iter().chain(commands.iter().copied());
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

/// What the tables say of one setting by its path, or of one metric by its name.
fn one(name: &str) -> Option<String> {
    let (table, key) = name.rsplit_once('.').unwrap_or(("scenario", name));
    let heading = format!("[{table}]");
    let settings = settings();
    let mut lines = settings
        .lines()
        .skip_while(|line| !line.starts_with(&heading))
        .skip(1);
    let is_it = |line: &&str| line.split_whitespace().next() == Some(key);
    let setting = lines
        .by_ref()
        .take_while(|line| line.starts_with(' '))
        .find(is_it);
    if let Some(setting) = setting {
        return Some(format!("{heading}\n{setting}\n"));
    }
    let metrics = metrics::reference();
    let quoted = [format!("`{name}`"), format!("`{name}.p99`")];
    let is_it = |line: &&str| {
        quoted.iter().any(|it| {
            line.split(" | ")
                .next()
                .is_some_and(|names| names.contains(it))
        })
    };
    let row = metrics.lines().find(is_it)?;
    let cells: Vec<&str> = row.trim_matches(['|', ' ']).split(" | ").collect();
    Some(format!("{}\n  {}\n", cells[0], cells[1..].join(" · ")))
}

/// All settings by the tables of the JSON Schema, those apart that mirror others.
fn settings() -> String {
    let schema: Value = serde_json::from_str(&json_schema()).expect("a schema is JSON");
    let mut text = described("scenario", &schema);
    for (name, table) in schema["definitions"].as_object().into_iter().flatten() {
        if !name.starts_with("part-of-") && !name.starts_with("lists-of-") {
            text += &described(name, table);
        }
    }
    text
}

/// A table's settings, and those of the tables that stand in it; nothing of what is no table.
fn described(path: &str, table: &Value) -> String {
    let Some(settings) = table["properties"].as_object() else {
        return String::new();
    };
    let about = table["description"].as_str().unwrap_or_default();
    let mut text = format!("[{path}] {about}\n");
    let mut inner = String::new();
    for (key, setting) in settings {
        let about = setting["description"].as_str().unwrap_or_default();
        let default = match &setting["default"] {
            Value::Null => String::new(),
            default => format!(" = {default}"),
        };
        text += format!("  {key}{default}  {about}").trim_end();
        text += "\n";
        inner += &described(&format!("{path}.{key}"), setting);
    }
    format!("{text}\n{inner}")
}
