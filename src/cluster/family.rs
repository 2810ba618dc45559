//! Column families, and the cells that writes put into them. Must not know rows, nor where store files lie.

use crate::key::KeyPlan;
use crate::settings::{FromSource, Source, given, integer, json, size, time, word};
use crate::storage::{BlockEncoding, Bloom, Compression, FileFormat, Retention};
use crate::time::SimDuration;
use crate::units::ByteSize;
use std::sync::Arc;

crate::settings! {
    /// A column family: what its cells hold, how long they stay, and how its store files are written.
    ///
    /// A store of its own in each region.
    pub struct FamilySpec: FAMILY("family", "") in "family" {
        /// Of each cell that a write says nothing else of: a size, which compression needs an entropy for, or an expression.
        value: ValueSpec [unread] = json(r#""anyOf": ["@size", "@cell-value"]"#).or("100B").with(&[&VALUE]),
        /// `VERSIONS`: values of a cell that are kept, the newest.
        versions: u32 = integer(1, i32::MAX as i64).or("1").help("leave `versions` out: the newest value of each cell is kept"),
        /// `TTL`: cells that are older are gone. Default: they stay.
        ttl: Option<SimDuration> [read_ttl] = time(),
        /// `BLOCKSIZE` of data blocks, before they are encoded and compressed.
        ///
        /// What the largest blocks of a table are longer than 64 KB takes a read from disk `disk_bandwidth`'s time.
        block_size: ByteSize = size().or("64KB").within(
            "1KB", "16MB", "blocks of {}", "must be in 1KB ..= 16MB (`TableDescriptorChecker`)",
        ).help("leave `block_size` out: blocks are of 64KB, HBase's default"),
        /// `DATA_BLOCK_ENCODING` of data blocks.
        block_encoding: BlockEncoding = word(BlockEncoding::WORDS).or("none"),
        /// `COMPRESSION` of blocks.
        compression: Compression = word(Compression::WORDS).or("none").help(
            "HBase's other codecs are not modelled: leave `compression` out, or take the one of these that is nearest to yours",
        ),
        /// `BLOOMFILTER`: whether a store file knows its rows, or its rows with their qualifiers.
        ///
        /// Without, a Get of a row that is not there reads a block, too. `rowcol` knows columns, and helps Gets that name theirs, as the strategy's `qualifier` tells it: others read
        /// as without.
        bloom: Bloom = word(Bloom::WORDS).or("row"),
    }
}

crate::settings! {
    /// What a cell holds: exactly one of `size` and `expr`.
    pub static VALUE("cell-value", r#""anyOf": [{ "required": ["size"] }, { "required": ["expr"] }]"#) {
        /// So many bytes, 10MB at most.
        size = size(),
        /// Random bits of each of their bits: 1 can't be compressed, 0 is nothing but zeros.
        entropy = crate::settings::number("in [0, 1]", 0.0, 1.0, (true, true))
            .help("say which part of the bits is chance: 1.0 can't be compressed, 0.0 is all zeros"),
        /// An expression of the record's fields, as keys are.
        expr = crate::settings::text(r#""minLength": 1"#),
    }
}

/// What a cell holds.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueSpec {
    /// So many bytes; of each bit `entropy`, in 0 ..= 1, is news, as [`crate::storage::Value::Stated`] has it. `None` where nobody asks.
    Size {
        /// Its length.
        bytes: u64,
        /// News of each of its bits.
        entropy: Option<f64>,
    },
    /// The bytes that an expression makes of the record.
    Expr(Arc<KeyPlan>),
}

impl ValueSpec {
    /// Becomes a counter, a long (`Increment`), whatever else was said of it but its entropy.
    pub fn count(&mut self) {
        let entropy = match *self {
            Self::Size { entropy, .. } => entropy,
            Self::Expr(_) => Some(1.0),
        };
        *self = Self::Size { bytes: 8, entropy };
    }

    /// Its length in bytes: of an expression the middle between the shortest and the longest that it can be, which is exact where all are as long.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Size { bytes, .. } => *bytes,
            Self::Expr(plan) => {
                let (shortest, longest) = plan.len_range();
                (shortest + longest).div_ceil(2) as u64
            }
        }
    }
}

/// A column family of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    /// Its name, 1 to 127 bytes.
    pub name: String,
    /// What is set for it.
    pub spec: FamilySpec,
}

impl Family {
    /// How its store files are written.
    pub fn format(&self) -> FileFormat<'_> {
        FileFormat {
            family: &self.name,
            encoding: self.spec.block_encoding,
            compression: self.spec.compression,
            bloom: self.spec.bloom,
            block_size: self.spec.block_size.0,
        }
    }

    /// What is set for it otherwise than HBase sets it, by the names and in the words of HBase's shell (`ColumnFamilyDescriptorBuilder`).
    pub fn attributes(&self) -> Vec<(&'static str, String)> {
        let (spec, usual) = (&self.spec, FamilySpec::default());
        let word = |word: &str| word.replace('-', "_").to_uppercase();
        let all = |spec: &FamilySpec| {
            // Whole seconds.
            let ttl = spec.ttl.map(|ttl| ttl.as_nanos().div_ceil(1_000_000_000));
            [
                ("VERSIONS", spec.versions.to_string()),
                ("TTL", ttl.map_or(String::new(), |ttl| ttl.to_string())),
                ("BLOCKSIZE", spec.block_size.0.to_string()),
                ("DATA_BLOCK_ENCODING", word(spec.block_encoding.name())),
                ("COMPRESSION", word(spec.compression.name())),
                ("BLOOMFILTER", word(spec.bloom.name())),
            ]
        };
        let own = all(spec).into_iter().zip(all(&usual));
        own.filter(|(own, usual)| own != usual)
            .map(|(own, _)| own)
            .collect()
    }

    /// What it keeps.
    pub fn retention(&self) -> Retention {
        Retention {
            versions: self.spec.versions,
            ttl: self.spec.ttl.map(|ttl| ttl.as_nanos() / 1_000_000),
        }
    }
}

/// The cells that one operation of a write puts into its row.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenCells {
    /// The family, by its place in [`super::TableSpec::families`].
    pub family: usize,
    /// At least one, with different qualifiers. Of a delete that marks the whole family, and under a strategy with a `qualifier`, whose
    /// expression then names the cell, it is one without a name. The marker of a delete has an empty value.
    pub cells: Vec<CellSpec>,
}

/// A cell that a write puts into its row.
#[derive(Debug, Clone, PartialEq)]
pub struct CellSpec {
    /// Its qualifier; empty where the strategy's expression says it.
    pub qualifier: String,
    /// Its value.
    pub value: ValueSpec,
}

/// Whoever knows the fields of the expressions reads it.
fn unread(_: &dyn Source) -> ValueSpec {
    ValueSpec::Size {
        bytes: 100,
        entropy: None,
    }
}

fn read_ttl(source: &dyn Source) -> Option<SimDuration> {
    given(source, "ttl")
}

/// The only family of a table that declares none: as `table.family`, `table.value` and `table.block_encoding` say.
pub(super) fn of_table(source: &dyn Source) -> Vec<Family> {
    let ByteSize(bytes) = ByteSize::read(source, "value");
    let spec = FamilySpec {
        value: ValueSpec::Size {
            bytes,
            entropy: None,
        },
        block_encoding: BlockEncoding::read(source, "block_encoding"),
        ..FamilySpec::default()
    };
    let name = String::read(source, "family");
    vec![Family { name, spec }]
}
