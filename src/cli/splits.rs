//! `keyheat splits`: split points exactly as HBase computes them. Must not know how.

use super::args::{SplitsArguments, SplitsFormat};
use super::console::Console;
use crate::keyspace::RowKey;
use crate::policy::{SplitError, create_command};
use crate::text::hex;
use anyhow::{Result, anyhow};
use serde::Serialize;

/// `--format json`.
#[derive(Serialize)]
struct SplitsJson<'a> {
    algorithm: &'a str,
    regions: i64,
    splits_hex: Vec<String>,
}

pub fn run(arguments: &SplitsArguments, console: &Console) -> Result<()> {
    let algorithm = arguments.algorithm;
    let points = algorithm
        .split_points(
            arguments.regions,
            arguments.first.as_deref(),
            arguments.last.as_deref(),
        )
        .map_err(|error| explain(error, arguments.regions))?;
    let lines = |write: fn(&RowKey) -> String| {
        let mut text = String::new();
        points
            .iter()
            .for_each(|point| text.extend([&write(point), "\n"]));
        text
    };
    let text = match arguments.format {
        SplitsFormat::Escaped => lines(RowKey::to_string),
        SplitsFormat::Hex => lines(|key| hex(key.as_bytes())),
        SplitsFormat::HbaseShell => create_command("t", "d", &points),
        SplitsFormat::Json => serde_json::to_string(&SplitsJson {
            algorithm: algorithm.name(),
            regions: arguments.regions,
            splits_hex: points.iter().map(|key| hex(key.as_bytes())).collect(),
        })?,
    };
    console.data(&text)
}

/// Says who refuses: HBase itself, with its exception, or keyheat.
fn explain(error: SplitError, regions: i64) -> anyhow::Error {
    let help = match regions {
        ..=1 => "\none region has no split points: ask for 2 regions or more",
        _ => "",
    };
    match error.java_class() {
        Some(class) => anyhow!("HBase refuses: {class}: {error}{help}"),
        None => anyhow!("{error}{help}"),
    }
}
