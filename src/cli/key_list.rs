//! From a file of row keys to what is kept of it in bounded memory. Must not know what it is kept for.

use super::args::KeyFileArguments;
use super::console::Console;
use crate::observed::{FileOrder, KeyFile};
use crate::statistics::QuantileSketch;
use anyhow::{Result, bail};
use std::path::Path;

/// Bytes that keys may take: a million and a half of 16 bytes, with which the ranks of 20 million are known to some hundred-thousandths.
const MEMORY: usize = 96 << 20;

/// Lines between two looks of the progress bar.
const SHOWN_EVERY: u64 = 1 << 16;

/// The keys of a file.
pub struct KeyList {
    pub sketch: QuantileSketch,
    pub order: FileOrder,
    /// Lines that hold one.
    pub keys: u64,
    /// The weights of all, more than 0.
    pub weight: u64,
    /// The sum of their squares.
    pub squares: f64,
    /// Whether the file has them.
    pub has_weights: bool,
}

pub fn read(path: &Path, arguments: &KeyFileArguments, console: &Console) -> Result<KeyList> {
    let mut file = KeyFile::open(path, arguments.keys_as, arguments.weight)?;
    let has_end = file.part_read().is_some();
    let bar = console.reading(&path.display().to_string(), has_end);
    let mut list = KeyList {
        sketch: QuantileSketch::new(MEMORY),
        order: FileOrder::default(),
        keys: 0,
        weight: 0,
        squares: 0.0,
        has_weights: file.has_weights(),
    };
    while let Some((key, weight)) = file.next_key()? {
        list.sketch.add(key, weight);
        list.order.see(key);
        list.keys += 1;
        list.squares += (weight as f64) * (weight as f64);
        if list.keys.is_multiple_of(SHOWN_EVERY) {
            let part = file.part_read().map(|part| (part * 1e3) as u64);
            bar.set_position(part.unwrap_or(list.keys / 1_000));
        }
    }
    bar.finish_and_clear();
    for warning in file.warnings() {
        console.warn(&warning);
    }
    list.weight = file.total;
    if list.weight == 0 {
        bail!(
            "`{}`: it has no key with a weight above 0\n`--weight` says which column has the weights",
            path.display()
        );
    }
    Ok(list)
}
