//! What the sizes of several strategies say, in sentences. Must not know how sizes are found.

use super::{FamilySize, StrategySize, TableSize};
use crate::storage::{BlockEncoding, Compression};
use crate::text::percent_to;

/// A difference below this share of a table is not worth a sentence.
const NOTABLE: f64 = 0.01;

/// Most sentences.
const MOST: usize = 5;

/// Findings: what long names, hexadecimal text and the greatest table cost, what encodings take back, and memstores that can't fill. Names and text are compared
/// between tables that are encoded and compressed alike.
pub fn size_findings(sizes: &[StrategySize]) -> Vec<String> {
    let mut findings = Vec::new();
    for (at, first) in sizes.iter().enumerate() {
        for second in &sizes[at + 1..] {
            findings.extend(long_names(first, second).or_else(|| long_names(second, first)));
            findings.extend(hexadecimal(first, second).or_else(|| hexadecimal(second, first)));
        }
    }
    // The same names may be long in several strategies.
    findings.truncate(MOST - 3);
    findings.extend(extremes(sizes));
    findings.extend(sizes.iter().find_map(overwritten));
    findings.extend(sizes.iter().find_map(crowded_memstores));
    findings
}

fn plain(size: &StrategySize) -> f64 {
    under(size, BlockEncoding::None)
}

fn under(size: &StrategySize, encoding: BlockEncoding) -> f64 {
    let tables = size.tables.iter();
    tables.map(|table| table.under(encoding).table_bytes).sum()
}

/// The same key with longer names.
fn long_names(short: &StrategySize, long: &StrategySize) -> Option<String> {
    let (a, b) = (only(short)?, only(long)?);
    let like = |it: &TableSize| (it.cells_per_row, it.value_bytes);
    let same = a.key == b.key && like(a) == like(b) && formats(a) == formats(b);
    let names = (b.name_part() - a.name_part()) / a.cells_per_row;
    let cost = plain(long) / plain(short) - 1.0;
    if !same || names < 0.5 || cost < NOTABLE || b.encoding != BlockEncoding::None {
        return None;
    }
    let encoding = best(b);
    let left = under(long, encoding) - under(short, encoding);
    let back = 1.0 - left / (plain(long) - plain(short));
    Some(format!(
        "`{}`: names of {names:.0} B more in every cell make the table {} larger than `{}`; {} takes back {} of that",
        long.strategy,
        percent_to(cost, 0),
        short.strategy,
        encoding.name(),
        percent_to(back.clamp(0.0, 1.0), 0),
    ))
}

/// The same key with an MD5 as text instead of bytes.
fn hexadecimal(raw: &StrategySize, hex: &StrategySize) -> Option<String> {
    let (a, b) = (only(raw)?, only(hex)?);
    let is_hex = a.key != b.key && a.key.replace("md5_bytes(", "md5(") == b.key;
    (is_hex && formats(a) == formats(b)).then(|| {
        format!(
            "`{}`: as hex text the MD5 costs {:.0} B a cell more than the raw bytes of `{}`, which makes its table {} larger",
            hex.strategy,
            b.key_bytes.mean - a.key_bytes.mean,
            raw.strategy,
            percent_to(hex.table_bytes() / raw.table_bytes() - 1.0, 0),
        )
    })
}

/// The smallest and the greatest table.
fn extremes(sizes: &[StrategySize]) -> Option<String> {
    let by_size =
        |a: &&StrategySize, b: &&StrategySize| a.table_bytes().total_cmp(&b.table_bytes());
    // Of equal ones the first.
    let great = sizes.iter().rev().max_by(by_size)?;
    let small = sizes.iter().min_by(by_size)?;
    let ratio = great.table_bytes() / small.table_bytes();
    if ratio < 1.0 + NOTABLE {
        let table = great.tables.first()?;
        let encoding = best(table);
        let coordinates = 1.0 - table.value_bytes / table.row_bytes;
        return Some(format!(
            "coordinates (key, names, lengths, timestamps) are {} of every row of `{}`; {} would make its table {} of the unencoded size",
            percent_to(coordinates, 0),
            great.strategy,
            encoding.name(),
            percent_to(under(great, encoding) / plain(great), 0),
        ));
    }
    Some(format!(
        "`{}` has the largest table, {ratio:.2} times that of `{}`",
        great.strategy, small.strategy,
    ))
}

/// Most writes replace a cell that is there.
fn overwritten(size: &StrategySize) -> Option<String> {
    const WRITES_A_CELL: f64 = 2.0;
    let versions =
        |it: &FamilySize| it.cells() * it.writes_per_cell / (it.writes * it.cells_per_write);
    let families = &size.tables.first()?.families;
    let lose = families.iter().filter(|it| {
        it.writes_per_cell >= WRITES_A_CELL && versions(it) <= it.writes_per_cell - 1.0
    });
    let most = lose.max_by(|a, b| a.writes_per_cell.total_cmp(&b.writes_per_cell))?;
    let of_family = match &families[..] {
        [_] => String::new(),
        _ => format!(" of family `{}`", most.family),
    };
    let kept = match versions(most) {
        ..1.5 => "newest is".to_owned(),
        kept => format!("newest {kept:.0} are"),
    };
    Some(format!(
        "`{}`: {:.0} writes fall on each cell{of_family}, and only the {kept} kept; to keep more, tell them apart in the key, or by a `qualifier` as OpenTSDB's offset in the hour",
        size.strategy, most.writes_per_cell,
    ))
}

fn crowded_memstores(size: &StrategySize) -> Option<String> {
    let memory = &size.memstore;
    (memory.written_regions > memory.full_memstores).then(|| {
        format!(
            "`{}`: {:.0} written regions a server share a memory for {:.0} full memstores: the server-wide limit forces small flushes",
            size.strategy, memory.written_regions, memory.full_memstores,
        )
    })
}

/// Its only table.
fn only(size: &StrategySize) -> Option<&TableSize> {
    match size.tables.as_slice() {
        [table] => Some(table),
        _ => None,
    }
}

/// How the files of its families are encoded and compressed.
fn formats(table: &TableSize) -> Vec<(BlockEncoding, Compression)> {
    let families = table.families.iter().filter(|it| it.cells() > 0.0);
    families.map(|it| (it.encoding, it.compression)).collect()
}

/// The encoding that makes the table smallest.
fn best(table: &TableSize) -> BlockEncoding {
    let sizes = table.encoded.iter();
    let smallest = sizes.min_by(|a, b| a.table_bytes.total_cmp(&b.table_bytes));
    smallest.map_or(BlockEncoding::None, |size| size.encoding)
}
