//! Row keys that somebody listed, one a line, each alone or with a weight. Must not know what they are read for.

use crate::data::{DataError, DataWarning, Lines, Warnings};
use crate::keyspace::RowKey;
use crate::random::hash_name;
use crate::text::{unhex, visible};
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, Engine, GeneralPurpose, GeneralPurposeConfig};
use std::collections::{BTreeSet, VecDeque};
use std::path::Path;

crate::text::words! {
    /// How a file writes its keys.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum KeyNotation {
        /// HBase's `\xHH` notation
        Escaped = "escaped",
        /// Bytes as they stand
        Text = "text",
        /// Hex digits
        Hex = "hex",
        /// Base64, padded or not
        Base64 = "base64",
        /// What `hbase hfile -p -f FILE` prints, each row once a cell
        Hfile = "hfile",
        /// The bytes behind their number, which has four, big-endian
        Binary = "binary",
    }
}

/// Lines that decide what a file holds.
const HEAD: usize = 1_000;

/// Weighted keys that are watched for repetitions.
const WATCHED: usize = 1_000_000;

/// How the last line begins that `hfile` prints.
const HFILE_END: &str = "Scanned kv count";

const EMPTY: &str = "an empty key, which no row has";
const NO_CELL: &str = "no cell: expected `K: ROW/FAMILY:QUALIFIER/TIME/TYPE/vlen=...`";

const PADDED_OR_NOT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, PADDED_OR_NOT);

/// The keys of a file, one at a time.
pub struct KeyFile {
    lines: Lines,
    warnings: Warnings,
    head: VecDeque<Result<(u64, String), DataError>>,
    notation: KeyNotation,
    /// Columns of key and weight, from 0.
    columns: Option<[usize; 2]>,
    key: Vec<u8>,
    seen: BTreeSet<u64>,
    repeated: Option<(u64, u64)>,
    /// The weights of all keys so far.
    pub total: u64,
    hint: Option<&'static str>,
}

impl KeyFile {
    /// Opens a file of lines, plain or packed by gzip or zstd; `-` is standard input. TABs separate columns, and blanks as well where a key can hold none
    /// (hex and base64). `weight` is the column of weights, from 1, and 0 when each line counts once; where it is not given, the second column has
    /// them if more than half of the first lines have one. Without `notation` the name tells (`.hex`, `.b64`) or the first line: of what
    /// `hfile` prints, else `\xHH`.
    ///
    /// # Errors
    /// The file can't be read, or holds no key.
    pub fn open(
        path: &Path,
        notation: Option<KeyNotation>,
        weight: Option<usize>,
    ) -> Result<Self, DataError> {
        let mut warnings = Warnings::default();
        let mut lines = Lines::open(path, &path.display().to_string(), &mut warnings)?;
        let mut head = VecDeque::new();
        // What is wrong with a line is told in its turn.
        let is_text = notation != Some(KeyNotation::Binary);
        while is_text && head.len() < HEAD && head.back().is_none_or(Result::is_ok) {
            match lines.next_filled() {
                Ok(false) => break,
                Ok(true) => head.push_back(Ok((lines.number, lines.line.clone()))),
                Err(error) => head.push_back(Err(error)),
            }
        }
        let texts = || head.iter().flatten().map(|(_, line)| &line[..]);
        if is_text && head.is_empty() {
            let found = "it is empty\nlist row keys, one a line";
            return Err(DataError::of_file(&lines.file, found));
        }
        let name = lines.file.trim_end_matches(".gz").trim_end_matches(".zst");
        let is_guess = notation.is_none();
        let notation = notation.unwrap_or(match name.rsplit('.').next() {
            Some("hex") => KeyNotation::Hex,
            Some("b64" | "base64") => KeyNotation::Base64,
            _ if texts().all(|it| it.starts_with("K: ") || it.starts_with(HFILE_END)) => {
                KeyNotation::Hfile
            }
            _ => KeyNotation::Escaped,
        });
        let has_weight = |line: &&str| columns(notation, line).nth(1).is_some();
        let columns = match weight {
            _ if !is_text || notation == KeyNotation::Hfile => None,
            None if texts().filter(has_weight).count() * 2 <= head.len() => None,
            None => Some([0, 1]),
            Some(0) => Some([0, 0]),
            Some(1) => Some([1, 0]),
            Some(column) => Some([0, column - 1]),
        };
        let mut file = Self {
            lines,
            warnings,
            head,
            notation,
            columns,
            key: Vec::new(),
            seen: BTreeSet::new(),
            repeated: None,
            total: 0,
            hint: None,
        };
        if is_guess && notation == KeyNotation::Escaped {
            file.hint = file.odd_notation();
        }
        Ok(file)
    }

    /// What the first keys look like instead of text.
    fn odd_notation(&self) -> Option<&'static str> {
        let lines = || self.head.iter().flatten();
        let keys = || lines().filter_map(|(_, line)| Some(self.cut(line).ok()?.0));
        // Numbers are digits as well.
        let is_hex = keys().all(|key| unhex(key).is_some())
            && keys().any(|key| key.contains(|c: char| c.is_ascii_alphabetic()));
        let is_number = |(_, number): &(&str, &str)| number.parse::<u64>().is_ok();
        let counted = keys()
            .filter_map(|key| key.rsplit_once(','))
            .filter(is_number);
        let is_csv = counted.count() * 2 > self.head.len();
        match (is_hex, is_csv) {
            (true, _) => Some(
                "the keys are read as text, though they look like hex: `--keys-as hex` reads them so, `--keys-as escaped` says that they are text",
            ),
            (_, true) => Some(
                "commas and numbers are read as parts of the keys: TABs separate weights; `--keys-as escaped` says that they are parts",
            ),
            _ => None,
        }
    }

    /// The next key and its weight, 1 where the file has none; `None` at its end.
    ///
    /// # Errors
    /// With the line: what is no key, no weight or not there.
    pub fn next_key(&mut self) -> Result<Option<(&[u8], u64)>, DataError> {
        if self.notation == KeyNotation::Binary {
            let is_key = self.lines.next_block(&mut self.key, RowKey::MAX_LEN)?;
            if is_key && self.key.is_empty() {
                let found = format!("block {}: {EMPTY}", self.lines.number);
                return Err(DataError::of_file(&self.lines.file, found));
            }
            self.total += u64::from(is_key);
            return Ok(is_key.then_some((&self.key, 1)));
        }
        let (number, line) = loop {
            let (number, line) = match self.head.pop_front() {
                Some(line) => line?,
                None if self.lines.next_filled()? => {
                    (self.lines.number, std::mem::take(&mut self.lines.line))
                }
                None => return Ok(None),
            };
            if self.notation != KeyNotation::Hfile || !line.starts_with(HFILE_END) {
                break (number, line);
            }
        };
        let wrong = |found: String| DataError::at(&self.lines.file, number, found);
        let (key, weight) = self.cut(&line).map_err(wrong)?;
        self.key = self.notation.read(key).map_err(wrong)?;
        let total = self.total.checked_add(weight);
        self.total = total.ok_or_else(|| wrong("the weights add up to 2^64 or more".to_owned()))?;
        if self.has_weights() && self.seen.len() < WATCHED && !self.seen.insert(hash_name(key)) {
            let (_, times) = self.repeated.get_or_insert((number, 0));
            *times += 1;
        }
        Ok(Some((&self.key, weight)))
    }

    /// Key and weight of a line, as they stand there.
    fn cut<'a>(&self, line: &'a str) -> Result<(&'a str, u64), String> {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        if self.notation == KeyNotation::Hfile {
            let row = hfile_row(line).ok_or(NO_CELL)?;
            return Ok((row, 1));
        }
        let Some([key, weight]) = self.columns else {
            return Ok((line, 1));
        };
        let column = |at: usize| {
            let found = columns(self.notation, line).nth(at);
            found.ok_or_else(|| format!("there is no column {}: TABs separate columns, of hex and base64 blanks as well", at + 1))
        };
        let key_text = column(key)?;
        if key == weight {
            return Ok((key_text, 1));
        }
        let text = column(weight)?;
        let number = text.trim().parse().map_err(|_| {
            format!(
                "`{}` in column {} is no weight: expected a whole number of at most {}",
                visible(text),
                weight + 1,
                u64::MAX
            )
        })?;
        Ok((key_text, number))
    }

    /// Whether each key has a weight of its own.
    pub fn has_weights(&self) -> bool {
        self.columns.is_some_and(|[key, weight]| key != weight)
    }

    /// The part of the file that was read, in 0 ..= 1; `None` of what has no known length.
    pub fn part_read(&self) -> Option<f64> {
        self.lines.part_read()
    }

    /// What is odd about the file so far.
    pub fn warnings(&self) -> Vec<String> {
        let odd = self.warnings.list.iter();
        let mut all: Vec<String> = odd.map(DataWarning::to_string).collect();
        let file = &self.lines.file;
        if let Some((line, times)) = self.repeated {
            let more = match times {
                1 => String::new(),
                _ => format!(", the first of {times} repetitions"),
            };
            all.push(format!("`{file}`, line {line}: the key stands above already{more}: weights of a key are added"));
        }
        all.extend(self.hint.map(|hint| format!("`{file}`: {hint}")));
        all
    }
}

/// The columns of a line.
fn columns(notation: KeyNotation, line: &str) -> impl Iterator<Item = &str> {
    let has_blanks = matches!(notation, KeyNotation::Hex | KeyNotation::Base64);
    let line = line.trim_end_matches(['\n', '\r']);
    let columns = line.split(move |c| c == '\t' || has_blanks && c == ' ');
    columns.filter(move |column| !has_blanks || !column.is_empty())
}

/// The row in `K: ROW/FAMILY:QUALIFIER/TIME/TYPE/vlen=4/seqid=7 V: VALUE` (`KeyValue.toString` behind `HFilePrettyPrinter`). A row may hold slashes: what
/// follows it is cut off from the right.
fn hfile_row(line: &str) -> Option<&str> {
    let (cell, _) = line.strip_prefix("K: ")?.split_once("/vlen=")?;
    let (cell, _type) = cell.rsplit_once('/')?;
    let (mut row, _time) = cell.rsplit_once('/')?;
    loop {
        let (rest, column) = row.rsplit_once('/')?;
        row = rest;
        // A qualifier may hold slashes as well.
        if column.contains(':') {
            return Some(row);
        }
    }
}

impl KeyNotation {
    pub(super) fn read(self, text: &str) -> Result<Vec<u8>, String> {
        let not = |what: &str| format!("`{}` is no {what}", visible(text));
        let key = match self {
            Self::Text | Self::Binary => text.as_bytes().to_vec(),
            Self::Hex => {
                unhex(text).ok_or_else(|| not("row key in hex: expected pairs of digits"))?
            }
            Self::Base64 => BASE64
                .decode(text)
                .map_err(|error| format!("{}: {error}", not("row key in base64")))?,
            Self::Escaped | Self::Hfile => {
                if let Some(at) = text.find(|c: char| c.is_ascii_control()) {
                    return Err(format!(
                        "byte {} of the key is a control character: write `\\xHH`",
                        at + 1
                    ));
                }
                // Quicker than to look for escapes that aren't there.
                if text.is_ascii() && !text.contains('\\') {
                    text.as_bytes().to_vec()
                } else {
                    let help = "`--keys-as text` takes bytes as they stand";
                    RowKey::parse(text)
                        .map_err(|error| format!("{error}\n{help}"))?
                        .0
                }
            }
        };
        match key.len() {
            0 => Err(EMPTY.to_owned()),
            length if length > RowKey::MAX_LEN => Err(format!(
                "the key has {length} bytes, a row key at most {}",
                RowKey::MAX_LEN
            )),
            _ => Ok(key),
        }
    }
}
