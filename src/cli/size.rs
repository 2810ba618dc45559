//! `keyheat size`: what each strategy's table weighs, as text or data. Must not compute it.

use super::args::SizeArguments;
use super::console::Console;
use super::loading;
use crate::layout::{
    FamilySize, Layout, Replicate, StrategySample, StrategySize, TableSize, size_findings,
};
use crate::report::number::{self, NumberFormat};
use crate::report::{Block, Column, Document, Format, Table, aligned, json_text};
use crate::scenario::Scenario;
use crate::storage::{BlockEncoding, Compression};
use NumberFormat::{Bytes, Compact, Percent, Plain};
use anyhow::Result;
use serde::Serialize;
use std::fmt::Write;

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

pub fn run(arguments: &SizeArguments, console: &Console) -> Result<()> {
    let scenario = loading::load(&arguments.input, console)?;
    loading::tell_first_point(&scenario, console);
    let sizes = measure(&scenario);
    let text = match arguments.format {
        Format::Table => document(&scenario, &sizes).terminal(console.table_style()),
        Format::Markdown => Document(vec![
            vec![Block::Table(table(&sizes))],
            findings(&sizes, Block::Hint),
        ])
        .markdown(),
        Format::Csv => csv(&sizes),
        Format::Json => json_text(&SizeJson {
            scenario: &scenario.name,
            strategies: &sizes,
            findings: size_findings(&sizes),
        }),
    };
    console.data(&text)
}

fn measure(scenario: &Scenario) -> Vec<StrategySize> {
    Replicate::firsts(&scenario.strategies, scenario.seed, |strategy, first| {
        let regions = || Layout::regions_of(strategy, first, LAYOUT_OPERATIONS);
        StrategySample::of(strategy, regions, first).planned_size()
    })
}

/// One line of the table: its name there, its path in CSV, how it is written, and its number for a strategy.
type Measure = (
    &'static str,
    &'static str,
    NumberFormat,
    fn(&StrategySize) -> f64,
);

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
const MEASURES: [Measure; 20] = [
    ("key", "key_bytes", Bytes, |size| first(size, |table| table.key_bytes.mean)),
    ("cell", "cell_bytes", Bytes, |size| first(size, |table| table.cell_bytes)),
    ("row", "row_bytes", Bytes, StrategySize::row_bytes),
    ("  row keys in it", "row_key_part", Percent, |size| all(size, TableSize::key_part) / size.row_bytes()),
    ("  family, qualifiers", "row_name_part", Percent, |size| all(size, TableSize::name_part) / size.row_bytes()),
    ("  lengths, times", "row_structure_part", Percent, |size| all(size, TableSize::structure_part) / size.row_bytes()),
    ("  values", "row_value_part", Percent, |size| all(size, |table| table.value_bytes) / size.row_bytes()),
    ("rows", "rows", Compact, |size| first(size, TableSize::rows)),
    ("cells a row", "cells_per_row", Plain, |size| first(size, |table| table.cells_per_row)),
    ("cells", "cells", Compact, |size| first(size, TableSize::cells)),
    ("table, encoding none", "table_bytes_none", Bytes, |size| under(size, BlockEncoding::None)),
    ("  prefix", "table_bytes_prefix", Bytes, |size| under(size, BlockEncoding::Prefix)),
    ("  diff", "table_bytes_diff", Bytes, |size| under(size, BlockEncoding::Diff)),
    ("  fast-diff", "table_bytes_fast_diff", Bytes, |size| under(size, BlockEncoding::FastDiff)),
    ("regions, at least", "regions", Compact, |size| all(size, |table| table.chosen.regions)),
    ("block index", "block_index_bytes", Bytes, StrategySize::block_index_bytes),
    ("Bloom filter", "bloom_bytes", Bytes, |size| all(size, |table| table.chosen.bloom_bytes)),
    ("row in a memstore", "memstore_row_bytes", Bytes, |size| first(size, |table| table.memstore_row_bytes)),
    ("writes a flush", "writes_per_flush", Compact, |size| size.memstore.writes_per_flush),
    ("written regions a server", "written_regions_per_server", Plain, |size| size.memstore.written_regions),
];

fn cell((_, path, format, of): &Measure, size: &StrategySize) -> String {
    let text = format.text(of(size));
    let chosen = size.tables.first().map(|table| table.encoding.name());
    // The table's own encoding, where there is one.
    let encoding = path.strip_prefix("table_bytes_");
    let encoding = encoding.filter(|it| *it != BlockEncoding::None.name());
    match encoding.is_some_and(|it| chosen == Some(&it.replace('_', "-"))) {
        true => format!("*{text}"),
        false => text,
    }
}

/// One row a measure, or one a strategy when there are many of them.
fn table(sizes: &[StrategySize]) -> Table {
    let names = MEASURES.iter().map(|(name, ..)| *name);
    let strategies = sizes.iter().map(|size| size.strategy.clone());
    let first = [Column::named("", false)];
    if sizes.len() > MOST_COLUMNS {
        let row = |size: &StrategySize| {
            let cells = MEASURES.iter().map(|measure| cell(measure, size));
            [size.strategy.clone()].into_iter().chain(cells).collect()
        };
        let columns = first
            .into_iter()
            .chain(names.map(|it| Column::named(it.trim(), true)));
        return Table::new(columns, sizes.iter().map(row));
    }
    let row = |measure: &Measure| {
        let cells = sizes.iter().map(|size| cell(measure, size));
        [measure.0.to_owned()].into_iter().chain(cells).collect()
    };
    let strategies = strategies.map(|name| Column::named(name, true));
    let columns = first.into_iter().chain(strategies);
    Table::new(columns, MEASURES.iter().map(row))
}

fn document(scenario: &Scenario, sizes: &[StrategySize]) -> Document {
    let question = &scenario.question;
    let title = (!question.is_empty()).then(|| Block::Title(question.clone()));
    let table = table(sizes);
    let mut cells = table.rows.iter().flatten();
    let marked = cells
        .any(|cell| cell.starts_with('*'))
        .then_some("; *: as the table is encoded");
    let marked = marked.unwrap_or_default();
    let families = families(sizes);
    let memory = sizes.iter().zip(&scenario.strategies).take(1);
    let memory = memory.map(|(size, strategy)| {
        let full = size.memstore.full_memstores;
        let flush = strategy.setup.table.memstore_flush_size;
        let memory = format!("a server's memory holds {full:.0} full memstores of {flush}");
        let packed = match families.is_empty() {
            true => "uncompressed, one replica",
            false => "compressed as the families are, one replica",
        };
        Block::text(format!("{packed}{marked}; {memory}"))
    });
    let keys = sizes.iter().flat_map(|size| {
        size.tables.iter().enumerate().map(|(at, table)| {
            let name = match at {
                0 => size.strategy.as_str(),
                _ => "  copy",
            };
            vec![name.to_owned(), segments(table)]
        })
    });
    Document(vec![
        title.into_iter().collect(),
        vec![Block::Table(table)],
        memory.collect(),
        families,
        vec![Block::text("keys in bytes, by segment"), aligned(keys, 2)],
        findings(sizes, Block::text),
    ])
}

/// The families of each strategy's own table; nothing where each has one and compresses nothing.
fn families(sizes: &[StrategySize]) -> Vec<Block> {
    let tables = || {
        sizes
            .iter()
            .filter_map(|size| Some((size, size.tables.first()?)))
    };
    let plain = |it: &FamilySize| it.compression == Compression::None;
    if tables().all(|(_, table)| table.families.len() == 1 && table.families.iter().all(plain)) {
        return Vec::new();
    }
    let row = |size: &StrategySize, it: &FamilySize| {
        let (file, bytes) = (it.chosen(), |value| Bytes.text(value));
        let words = format!("{} {}", it.encoding.name(), it.compression.name());
        let keyvalues = it.cells() * it.cell_bytes;
        vec![
            format!("{} {}", size.strategy, it.family),
            format!("{} cells", Compact.text(it.cells())),
            format!("{} as KeyValues", bytes(keyvalues)),
            format!("{words}: {} data", bytes(file.data_bytes)),
            format!("{} index", bytes(file.block_index_bytes)),
            format!("{} Bloom", bytes(file.bloom_bytes)),
        ]
    };
    let rows = tables().flat_map(|(size, table)| {
        let held = table.families.iter().filter(|it| it.cells() > 0.0);
        held.map(move |it| row(size, it))
    });
    let mut blocks = vec![Block::text("store files by family"), aligned(rows, 2)];
    let is_rough = |it: &FamilySize| it.extrapolated > ROUGH_SHARE;
    if tables().any(|(_, table)| table.families.iter().any(is_rough)) {
        blocks.push(Block::text(ROUGH));
    }
    blocks
}

/// Compressed sizes of which a larger share is extrapolated are said to be rough: the error of those that are measured.
const ROUGH_SHARE: f64 = 0.03;

const ROUGH: &str = "Some compressed sizes are rough: rows of the table are more alike than those that were compressed, and what that saves is estimated.";

/// What stands out; `sentence` is how the view shows a sentence with literal names.
fn findings(sizes: &[StrategySize], sentence: fn(String) -> Block) -> Vec<Block> {
    let said = |finding: String| sentence(format!("{finding}."));
    size_findings(sizes).into_iter().map(said).collect()
}

/// `be4(user) 4 + be4(ts) 4 = 8`.
fn segments(table: &TableSize) -> String {
    let parts = table.segments.iter().map(|segment| {
        let (expression, bytes) = (&segment.expression, number::trimmed(segment.bytes, 1));
        format!("{expression} {bytes}")
    });
    let key = &table.key_bytes;
    let range = if key.min < key.max {
        format!(" ({} to {})", key.min, key.max)
    } else {
        String::new()
    };
    let parts: Vec<String> = parts.collect();
    let (parts, mean) = (parts.join(" + "), number::trimmed(key.mean, 1));
    format!("{parts} = {mean}{range}")
}

/// Long: one number a line, as `summary.csv` has it.
fn csv(sizes: &[StrategySize]) -> String {
    let mut text = "strategy,measure,value\n".to_owned();
    for size in sizes {
        for (_, path, _, of) in &MEASURES {
            let _ = writeln!(text, "{},{path},{}", size.strategy, of(size));
        }
    }
    text
}
