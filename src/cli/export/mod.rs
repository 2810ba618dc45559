//! `keyheat export`: the operations of a strategy, to replay them on a real store. Must not know what they are.

mod shell;
mod sql;

use super::args::{ExportArguments, ExportFormat};
use super::console::Console;
use super::loading;
use crate::cluster::ValueSpec;
use crate::keyspace::RowKey;
use crate::layout::{Asks, ExistingRow, Layout, Replay, Replayed, Replicate, ScanRange};
use crate::scenario::{Scenario, Strategy};
use crate::storage::RowSize;
use crate::text::{counted, hex};
use crate::time::{SimDuration, SimTime};
use crate::workload::{LoadModel, ReadLoadModel, Write, WriteId, WriteKind};
use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::{Value, json};

/// Of the lines of `--to jsonl`.
const SCHEMA_VERSION: u32 = 1;

/// Bytes that are written at a time.
const CHUNK: usize = 1 << 16;

/// How long the HBase shell replays, unless it is told otherwise.
const SHELL_LIMIT: SimDuration = SimDuration::from_secs(300);

/// Of a short replay at most this part is warm-up.
const WARM_UP: f64 = 0.25;

pub fn run(arguments: &ExportArguments, console: &Console) -> Result<()> {
    let is_shell = arguments.to == ExportFormat::HbaseShell;
    if is_shell && arguments.operations == 0 {
        bail!("`--operations 0` leaves nothing to replay\nsay how many, or leave it out");
    }
    let scenario = loading::load(&arguments.input, console)?;
    loading::tell_first_point(&scenario, console);
    let strategy = loading::strategy(&scenario, arguments.strategy.as_deref())?;
    if let (ExportFormat::Sql, Some(qualifier)) = (arguments.to, &strategy.qualifier) {
        bail!(
            "`{}` writes the cells of a row one by one, by its qualifier `{}`, and a row of SQL has one value\n\
             export another strategy, or take `--to hbase-shell`",
            strategy.name,
            qualifier.text().trim()
        );
    }
    let table = shell::table_name(arguments.table.as_deref(), &scenario.name, &strategy.name)?;
    let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
    let layout = Layout::of(strategy, &replicate);
    let export = Export {
        strategy,
        format: arguments.to,
        table: &table,
    };
    let head = || head(&scenario, strategy, &replicate);
    let mut text = match arguments.to {
        ExportFormat::Jsonl => head().to_string() + "\n",
        ExportFormat::Csv => "at_s,operation,name,client,table,key,stop,bytes\n".to_owned(),
        ExportFormat::HbaseShell => shell::PROGRAM.to_owned(),
        ExportFormat::Sql => sql::tables(&head(), &table, arguments.dialect),
    };
    let limit = arguments.limit.or(is_shell.then_some(SHELL_LIMIT));
    // Nobody knows the times of a closed loop beforehand: the program ends it itself.
    let is_early = |operation: &Replayed| {
        let by_program = is_shell && operation.client.is_some();
        by_program || limit.is_none_or(|limit| operation.at < SimTime::ZERO + limit)
    };
    let existing = Replay::existing(strategy, &replicate, arguments.existing);
    let existing = existing.iter().map(|row| export.existing(row));
    let replay =
        Replay::new(strategy, &replicate, &layout, arguments.operations).take_while(is_early);
    let (mut count, mut last) = (0, SimTime::ZERO);
    for line in existing.chain(replay.take(arguments.operations).map(|operation| {
        count += 1;
        last = operation.at;
        export.operation(&operation)
    })) {
        text.push_str(&line);
        if text.len() >= CHUNK {
            console.data(&text)?;
            text.clear();
            if !console.data_has_reader() {
                return Ok(());
            }
        }
    }
    if is_shell {
        // Of open loops no operation may be missing before the end; of a closed one nobody knows when they are.
        let end = match count == arguments.operations && !has_clients(strategy) {
            true => last.since(SimTime::ZERO),
            false => limit.map_or(scenario.time.duration, |it| it.min(scenario.time.duration)),
        };
        let warm_up = scenario.time.warmup.min(end.mul_f64(WARM_UP));
        text += &shell::settings(head(), strategy, &table, (warm_up, end)).to_string();
        text.push('\n');
    }
    console.data(&text)?;
    let name = &strategy.name;
    console.say(&format!(
        "{} of `{name}`; nothing was simulated",
        counted(count, "operation")
    ));
    if is_shell {
        console.say(&format!(
            "next: hbase shell -n FILE > measured.txt     (creates the table `{table}`, and drops it again)\n      \
             keyheat calibrate SCENARIO --measured measured.txt"
        ));
    }
    Ok(())
}

/// Whether any of its operations follow upon others.
fn has_clients(strategy: &Strategy) -> bool {
    let workload = &strategy.setup.workload;
    let closed = |load: &Option<ReadLoadModel>| matches!(load, Some(ReadLoadModel::Closed { .. }));
    let mut writes = workload.writes.iter();
    writes.any(|write| matches!(write.load, LoadModel::Closed { .. }))
        || workload.reads.iter().any(|read| closed(&read.load))
}

/// The first line: what has to be there before the operations, and all that was set.
fn head(scenario: &Scenario, strategy: &Strategy, replicate: &Replicate) -> Value {
    let tables = strategy
        .keys()
        .zip(Layout::presplit_points(strategy, replicate));
    let tables = tables.map(|(key, points)| json!({ "key": key.text(), "splits_hex": *points }));
    json!({
        "schema_version": SCHEMA_VERSION,
        "tool": concat!("keyheat ", env!("CARGO_PKG_VERSION")),
        "scenario": { "name": scenario.name, "sha256": scenario.sha256, "overrides": scenario.overrides },
        "strategy": strategy.name,
        "seed": scenario.seed.0,
        "tables": tables.collect::<Vec<Value>>(),
        "settings": scenario.settings_of(&strategy.name),
    })
}

/// A line of `--to jsonl`.
#[derive(Serialize)]
#[serde(untagged)]
enum Line<'a> {
    Existing {
        written_ms: u64,
        #[serde(flatten)]
        row: Row<'a>,
    },
    Write {
        at_s: f64,
        write: &'a str,
        /// But for puts.
        #[serde(skip_serializing_if = "Option::is_none")]
        kind: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        client: Option<u32>,
        #[serde(flatten)]
        row: Row<'a>,
    },
    Read {
        at_s: f64,
        read: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        client: Option<u32>,
        table: usize,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        gets: &'a [RowKey],
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        scans: &'a [ScanRange],
    },
}

#[derive(Serialize)]
struct Row<'a> {
    key: &'a RowKey,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    copies: &'a [RowKey],
    bytes: u64,
}

/// How lines are written, and what operations are called.
struct Export<'a> {
    strategy: &'a Strategy,
    format: ExportFormat,
    /// The table's name, where it is needed.
    table: &'a str,
}

impl Export<'_> {
    /// A row that exists before the run.
    fn existing(&self, row: &ExistingRow) -> String {
        let cells = self.cells(row.write, &row.parts);
        match self.format {
            ExportFormat::Jsonl => self.json(&Line::Existing {
                written_ms: row.written_ms,
                row: self.row(&row.keys, &cells),
            }),
            ExportFormat::Csv => self.written(("", "existing", "", ""), &row.keys, &cells),
            ExportFormat::HbaseShell => shell::existing(row),
            ExportFormat::Sql => sql::insert(self.table, &row.keys, cells.value_bytes(), "exists"),
        }
    }

    fn operation(&self, operation: &Replayed) -> String {
        let (at_s, client) = (operation.at.as_secs_f64(), operation.client);
        let workload = &self.strategy.setup.workload;
        let when = at_s.to_string();
        let who = client.map_or_else(String::new, |it| it.to_string());
        let key = |key: &RowKey| hex(key.as_bytes());
        match (self.format, &operation.asks) {
            (ExportFormat::HbaseShell, _) => shell::operation(operation),
            (format, Asks::Write { write, keys, parts }) => {
                let Write { name, kind, .. } = &workload.writes[usize::from(write.0)];
                let cells = self.cells(*write, parts);
                let at = format!("at {when} s");
                match format {
                    ExportFormat::Csv => {
                        self.written((&when, kind.name(), name, &who), keys, &cells)
                    }
                    ExportFormat::Sql if *kind == WriteKind::Delete => {
                        sql::delete(self.table, keys, &at)
                    }
                    ExportFormat::Sql => sql::insert(self.table, keys, cells.value_bytes(), &at),
                    _ => self.json(&Line::Write {
                        at_s,
                        write: name,
                        kind: Some(kind.name()).filter(|_| *kind != WriteKind::Put),
                        client,
                        row: self.row(keys, &cells),
                    }),
                }
            }
            (ExportFormat::Sql, Asks::Read { .. }) => String::new(),
            (
                format,
                Asks::Read {
                    read,
                    table,
                    gets,
                    scans,
                },
            ) => {
                let name = &workload.reads[usize::from(read.0)].name;
                if format == ExportFormat::Jsonl {
                    return self.json(&Line::Read {
                        at_s,
                        read: name,
                        client,
                        table: *table,
                        gets,
                        scans,
                    });
                }
                let get = |get| format!("{when},get,{name},{who},{table},{},,\n", key(get));
                let scan = |scan: &ScanRange| {
                    let kind = if scan.reversed { "scan-back" } else { "scan" };
                    let (start, stop) = (key(&scan.start), key(&scan.stop));
                    format!("{when},{kind},{name},{who},{table},{start},{stop},\n")
                };
                gets.iter().map(get).chain(scans.iter().map(scan)).collect()
            }
        }
    }

    /// What a write puts beside its key, with its own qualifier and values, as [`Asks::Write`] has them.
    fn cells(&self, write: WriteId, parts: &[Vec<u8>]) -> RowSize {
        let table = &self.strategy.setup.table;
        let written = &self.strategy.setup.written;
        let written = written.get(usize::from(write.0)).cloned();
        let written = written.unwrap_or_else(|| table.cells_of(0));
        let mut parts = parts.iter().map(|part| part.len() as u64);
        let own = self.strategy.qualifier.as_ref().and_then(|_| parts.next());
        let cells = written.cells.iter().map(|cell| {
            let value = match &cell.value {
                ValueSpec::Size { bytes, .. } => *bytes,
                ValueSpec::Expr(_) => parts.next().unwrap_or_default(),
            };
            (own.unwrap_or(cell.qualifier.len() as u64), value)
        });
        let family = &table.families[written.family].name;
        RowSize::of_cells(family.len() as u64, cells)
    }

    fn row<'k>(&self, keys: &'k [RowKey], cells: &RowSize) -> Row<'k> {
        Row {
            key: &keys[0],
            copies: &keys[1..],
            bytes: cells.cells(keys[0].as_bytes().len() as u64),
        }
    }

    fn json(&self, line: &Line<'_>) -> String {
        serde_json::to_string(line).expect("numbers and texts can be written") + "\n"
    }

    fn written(
        &self,
        (at, kind, name, client): (&str, &str, &str, &str),
        keys: &[RowKey],
        cells: &RowSize,
    ) -> String {
        let line = |(table, key): (usize, &RowKey)| {
            let bytes = cells.cells(key.as_bytes().len() as u64);
            let key = hex(key.as_bytes());
            format!("{at},{kind},{name},{client},{table},{key},,{bytes}\n")
        };
        keys.iter().enumerate().map(line).collect()
    }
}
