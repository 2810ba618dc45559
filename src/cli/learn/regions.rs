//! What a cluster says of the regions of a table: where their load lies, and a scenario that starts from them. Must not know formats.

use super::todays_scenario;
use crate::cli::args::LearnArguments;
use crate::cli::console::Console;
use crate::cli::new::write_new;
use crate::experiment::LoadToday;
use crate::key::fixed_segments;
use crate::observed::{ObservedFile, TableLoads, recognise};
use crate::report::{LoadReport, Report};
use crate::scenario::{Options, Scenario};
use crate::text::shell_path;
use anyhow::{Context, Result, anyhow, bail};
use std::fs::{self, File};
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

const STANDARD_INPUT: &str = "-";

/// Whether a file lists regions; what can't be read does not. Of standard input what has come is looked at, and left there.
pub fn is_list(file: &Path) -> bool {
    let mut head = Vec::new();
    let read = match file.as_os_str() == STANDARD_INPUT {
        true => io::stdin()
            .lock()
            .fill_buf()
            .map(|come| head.extend_from_slice(come)),
        false if file.is_file() => {
            let read = |file: File| file.take(1 << 16).read_to_end(&mut head).map(drop);
            File::open(file).and_then(read)
        }
        false => return false,
    };
    read.is_ok() && recognise(&ObservedFile::head(&head)).is_some()
}

/// What a cluster said, file by file; `-` is standard input.
pub fn read_all(paths: &[PathBuf]) -> Result<Vec<ObservedFile>> {
    let read = |path: &PathBuf| {
        let name = path.display().to_string();
        let bytes = match name == STANDARD_INPUT {
            true => {
                let mut bytes = Vec::new();
                io::stdin().read_to_end(&mut bytes).map(|_| bytes)
            }
            false => fs::read(path),
        };
        let bytes =
            bytes.map_err(|why| anyhow!("can't read `{name}`: {why}\nis the path right?"))?;
        Ok(ObservedFile::new(&name, &bytes)?)
    };
    paths.iter().map(read).collect()
}

pub fn run(arguments: &LearnArguments, console: &Console) -> Result<()> {
    let mut named = arguments.files.iter();
    if arguments.out.is_some() && named.any(|file| file.as_os_str() == STANDARD_INPUT) {
        bail!(
            "a scenario reads the list of regions again, and standard input is gone by then\nwrite it to a file, and name that"
        );
    }
    let files = read_all(&arguments.files)?;
    let segments = match &arguments.key {
        Some(key) => fixed_segments(key).map_err(|why| anyhow!("`--key {key}`: {why}\nkeys are parsed back where every segment has a fixed width, such as `be3(metric) || be4(ts)`"))?,
        None => Vec::new(),
    };
    let seconds = arguments.over.map(|over| over.as_secs_f64());
    let table = TableLoads::read(&files, arguments.table.as_deref(), seconds)?;
    for warning in table.warnings.iter().chain(&table.faults) {
        console.warn(warning);
    }
    let load = LoadToday::of(&table);
    let report = LoadReport {
        table: &table,
        load: &load,
        segments: &segments,
    };
    let results = match &arguments.charts {
        Some(_) => Some(report.results().context("a key map needs all regions with their keys, servers and loads, and the time that loads are of\nadd what `list_regions` writes, and `--over 60s`")?),
        None => None,
    };
    if let Some(out) = &arguments.out {
        let text = todays_scenario::text(&table, &files, out)?;
        let folder = out.parent().unwrap_or(Path::new(""));
        let read = Scenario::parse_in(&text, "today", "today", folder, &Options::default());
        read.context("what was learnt is no scenario: please report it")?;
        write_new(out, &text)?;
        let (out, shown) = (out.display(), shell_path(out));
        console.say(&format!(
            "{out} starts from these regions, servers and loads\nnext: keyheat advise {shown}\n      keyheat run {shown}"
        ));
    }
    if let (Some(folder), Some(results)) = (&arguments.charts, &results) {
        Report::new(results).write_load_pictures(folder)?;
        console.say(&format!("key map and concentration: {}", folder.display()));
    }
    console.document(&report.document())
}
