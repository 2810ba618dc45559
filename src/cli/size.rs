//! `keyheat size`: what each strategy's table weighs, as text or data. Must not compute it.

use super::args::{ResultFormat, SizeArguments};
use super::console::Console;
use super::{Outcome, loading};
use crate::layout::{Layout, Replicate, StrategySample, StrategySize, TableSize, size_findings};
use crate::report::number::{self, NumberFormat};
use crate::scenario::{Scenario, Strategy};
use crate::storage::BlockEncoding;
use anyhow::Result;
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;

/// More strategies stand below each other.
const MOST_COLUMNS: usize = 6;

/// Operations that tell which regions get writes: one that misses them all has less than a ten-thousandth of the load.
const LAYOUT_OPERATIONS: usize = 20_000;

/// `--format json`.
#[derive(Serialize)]
struct SizeJson<'a> {
    scenario: &'a str,
    strategies: &'a [StrategySize],
    findings: Vec<String>,
}

pub fn run(arguments: &SizeArguments, console: &Console) -> Result<Outcome> {
    let Some(scenario) = loading::load(&arguments.scenario, &arguments.changes, console)? else {
        return Ok(Outcome::Refused);
    };
    loading::tell_first_point(&scenario, console);
    let sizes = measure(&scenario);
    let style = console.table_style();
    let text = match arguments.format {
        ResultFormat::Table => {
            let text = table(&scenario, &sizes);
            if style.ascii {
                number::ascii(&text)
            } else {
                text
            }
        }
        ResultFormat::Markdown => markdown(&sizes),
        ResultFormat::Csv => csv(&sizes),
        ResultFormat::Json => serde_json::to_string_pretty(&SizeJson {
            scenario: &scenario.name,
            strategies: &sizes,
            findings: size_findings(&sizes),
        })?,
    };
    match arguments.format {
        ResultFormat::Table | ResultFormat::Markdown => console.text(&text)?,
        ResultFormat::Csv | ResultFormat::Json => console.data(&text)?,
    }
    Ok(Outcome::Fine)
}

fn measure(scenario: &Scenario) -> Vec<StrategySize> {
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let strategies = scenario.strategies.iter().zip(&firsts);
    let size = |(strategy, first): (&Strategy, &Arc<Replicate>)| {
        let regions = Layout::regions_of(strategy, first, LAYOUT_OPERATIONS);
        StrategySample::of(strategy, &regions, first).planned_size()
    };
    strategies.map(size).collect()
}

/// One line of the table: a name and its number for a strategy.
struct Measure {
    /// In the table.
    name: &'static str,
    /// In CSV.
    path: &'static str,
    kind: NumberFormat,
    of: fn(&StrategySize) -> f64,
}

fn first(size: &StrategySize, of: impl Fn(&TableSize) -> f64) -> f64 {
    size.tables.first().map_or(f64::NAN, of)
}

fn all(size: &StrategySize, of: impl Fn(&TableSize) -> f64) -> f64 {
    size.tables.iter().map(of).sum()
}

fn under(size: &StrategySize, encoding: BlockEncoding) -> f64 {
    all(size, |table| table.under(encoding).table_bytes)
}

#[rustfmt::skip]
const MEASURES: [Measure; 18] = [
    Measure { name: "key", path: "key_bytes", kind: NumberFormat::Bytes, of: |size| first(size, |table| table.key_bytes.mean) },
    Measure { name: "cell", path: "cell_bytes", kind: NumberFormat::Bytes, of: |size| first(size, |table| table.cell_bytes) },
    Measure { name: "row", path: "row_bytes", kind: NumberFormat::Bytes, of: StrategySize::row_bytes },
    Measure { name: "  row keys in it", path: "row_key_part", kind: NumberFormat::Percent, of: |size| all(size, TableSize::key_part) / size.row_bytes() },
    Measure { name: "  family, qualifiers", path: "row_name_part", kind: NumberFormat::Percent, of: |size| all(size, TableSize::name_part) / size.row_bytes() },
    Measure { name: "  lengths, times", path: "row_structure_part", kind: NumberFormat::Percent, of: |size| all(size, TableSize::structure_part) / size.row_bytes() },
    Measure { name: "  values", path: "row_value_part", kind: NumberFormat::Percent, of: |size| all(size, |table| table.value_bytes) / size.row_bytes() },
    Measure { name: "rows", path: "rows", kind: NumberFormat::Compact, of: |size| first(size, TableSize::rows) },
    Measure { name: "table, encoding none", path: "table_bytes_none", kind: NumberFormat::Bytes, of: |size| under(size, BlockEncoding::None) },
    Measure { name: "  prefix", path: "table_bytes_prefix", kind: NumberFormat::Bytes, of: |size| under(size, BlockEncoding::Prefix) },
    Measure { name: "  diff", path: "table_bytes_diff", kind: NumberFormat::Bytes, of: |size| under(size, BlockEncoding::Diff) },
    Measure { name: "  fast-diff", path: "table_bytes_fast_diff", kind: NumberFormat::Bytes, of: |size| under(size, BlockEncoding::FastDiff) },
    Measure { name: "regions, at least", path: "regions", kind: NumberFormat::Compact, of: |size| all(size, |table| table.chosen().regions) },
    Measure { name: "block index", path: "block_index_bytes", kind: NumberFormat::Bytes, of: StrategySize::block_index_bytes },
    Measure { name: "Bloom filter", path: "bloom_bytes", kind: NumberFormat::Bytes, of: |size| all(size, |table| table.chosen().bloom_bytes) },
    Measure { name: "row in a memstore", path: "memstore_row_bytes", kind: NumberFormat::Bytes, of: |size| first(size, |table| table.memstore_row_bytes) },
    Measure { name: "rows a flush", path: "rows_per_flush", kind: NumberFormat::Compact, of: |size| size.memstore.rows_per_flush },
    Measure { name: "written regions a server", path: "written_regions_per_server", kind: NumberFormat::Plain, of: |size| size.memstore.written_regions },
];

fn cell(measure: &Measure, size: &StrategySize) -> String {
    let text = measure.kind.text((measure.of)(size));
    let chosen = size.tables.first().map(|table| table.encoding.name());
    // The table's own encoding, where there is one.
    let own = match measure.path {
        "table_bytes_prefix" => Some("prefix"),
        "table_bytes_diff" => Some("diff"),
        "table_bytes_fast_diff" => Some("fast-diff"),
        _ => None,
    };
    if own.is_some() && own == chosen {
        return format!("*{text}");
    }
    text
}

/// Header and rows: one row a measure, or one a strategy when there are many of them.
fn cells(sizes: &[StrategySize]) -> Vec<Vec<String>> {
    let mut columns = vec![
        std::iter::once(String::new())
            .chain(MEASURES.iter().map(|measure| measure.name.to_owned()))
            .collect::<Vec<_>>(),
    ];
    columns.extend(sizes.iter().map(|size| {
        let numbers = MEASURES.iter().map(|measure| cell(measure, size));
        std::iter::once(size.strategy.clone())
            .chain(numbers)
            .collect()
    }));
    if sizes.len() > MOST_COLUMNS {
        for name in &mut columns[0] {
            *name = name.trim().to_owned();
        }
        return columns;
    }
    (0..columns[0].len())
        .map(|row| columns.iter().map(|column| column[row].clone()).collect())
        .collect()
}

fn table(scenario: &Scenario, sizes: &[StrategySize]) -> String {
    let mut text = String::new();
    if !scenario.question.is_empty() {
        let _ = writeln!(text, "{}\n", scenario.question);
    }
    let rows = cells(sizes);
    let widths: Vec<usize> = (0..rows[0].len())
        .map(|at| {
            rows.iter()
                .map(|row| row[at].chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    for (at, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 => write!(line, "{cell:<width$}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        let _ = writeln!(text, "{}", line.trim_end());
        if at == 0 {
            let whole = widths.iter().sum::<usize>() + 2 * (widths.len() - 1);
            let _ = writeln!(text, "{}", "─".repeat(whole));
        }
    }
    if let Some(size) = sizes.first() {
        let marked = if text.contains('*') {
            "; *: as the table is encoded"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "\nuncompressed, one replica{marked}; a server's memory holds {:.0} full memstores of {}",
            size.memstore.full_memstores, scenario.strategies[0].setup.table.memstore_flush_size,
        );
    }
    let _ = writeln!(text, "\nkeys in bytes, by segment");
    let longest = sizes
        .iter()
        .map(|size| size.strategy.len())
        .max()
        .unwrap_or(0);
    for size in sizes {
        for (at, table) in size.tables.iter().enumerate() {
            let name = if at == 0 {
                size.strategy.as_str()
            } else {
                "  copy"
            };
            let _ = writeln!(text, "  {name:<longest$}  {}", segments(table));
        }
    }
    let _ = writeln!(text);
    for finding in size_findings(sizes) {
        let _ = writeln!(text, "{finding}.");
    }
    text
}

/// `be4(user) 4 + be4(ts) 4 = 8`.
fn segments(table: &TableSize) -> String {
    let parts: Vec<String> = table
        .segments
        .iter()
        .map(|segment| {
            format!(
                "{} {}",
                segment.expression,
                number::trimmed(segment.bytes, 1)
            )
        })
        .collect();
    let key = &table.key_bytes;
    let range = if key.min < key.max {
        format!(" ({} to {})", key.min, key.max)
    } else {
        String::new()
    };
    format!(
        "{} = {}{range}",
        parts.join(" + "),
        number::trimmed(key.mean, 1)
    )
}

fn markdown(sizes: &[StrategySize]) -> String {
    let mut text = String::new();
    for (at, row) in cells(sizes).iter().enumerate() {
        let row: Vec<String> = row
            .iter()
            .map(|cell| cell.trim().replace('*', "\\*"))
            .collect();
        let _ = writeln!(text, "| {} |", row.join(" | "));
        if at == 0 {
            let _ = writeln!(text, "|:---|{}", "---:|".repeat(row.len() - 1));
        }
    }
    for finding in size_findings(sizes) {
        let _ = writeln!(text, "\n{finding}.");
    }
    text
}

/// Long: one number a line, as `summary.csv` has it.
fn csv(sizes: &[StrategySize]) -> String {
    let mut text = "strategy,measure,value\n".to_owned();
    for size in sizes {
        for measure in &MEASURES {
            let value = (measure.of)(size);
            let _ = writeln!(text, "{},{},{value}", size.strategy, measure.path);
        }
    }
    text
}
