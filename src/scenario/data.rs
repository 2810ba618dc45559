//! `[data.x]`: rows that exist, in files of people's own. Must not know what is written of them.

use super::diagnostic::Diagnostic;
use crate::data::{DataError, Oddity, Record, Rows, Value, ValueKind, ValueParser};
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{ByteShape, FieldColumn, FieldKind, TextValues, TimeUnit};
use crate::settings::{integer, number, text};
use crate::text::{grouped, nearest, percent};
use smallvec::SmallVec;
use std::path::PathBuf;
use std::sync::Arc;

crate::settings! {
    /// Rows that exist. Fields are drawn `from` them together: of one row, as it is.
    pub(super) static DATA("data", "") {
        /// A file beside the scenario: CSV, TSV or JSON lines, plain or packed by gzip or zstd, or Parquet in a build that reads it.
        file = text(r#""minLength": 1"#).needs("\"orders.csv\""),
        /// Most rows that are kept; of more, so many, each as likely.
        rows = integer(1, 1 << 25).or("1000000"),
        /// Share of the rows that may lack a value, hold one of another type or repeat a `unique` one. The first two are left out.
        malformed = number("in 0 ..= 1", 0.0, 1.0, (true, true)).or("0.0"),
    }
}

/// What a scenario asks for of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    /// The file as the scenario names it, and where it is.
    pub(super) file: String,
    pub(super) path: PathBuf,
    pub(super) most: usize,
    pub(super) malformed: f64,
    pub(super) columns: Vec<Wanted>,
    /// The column whose times the rows are written by.
    pub(super) clock: Option<String>,
}

/// A column that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wanted {
    pub(super) column: String,
    pub(super) kind: ValueKind,
    /// Of times.
    pub(super) unit: TimeUnit,
    pub(super) unique: bool,
}

/// What was found: the columns in the order in which they are asked for, and what is odd.
#[derive(Debug, Clone)]
pub(super) struct Loaded {
    pub(super) rows: u64,
    pub(super) columns: Vec<(FieldKind, Arc<FieldColumn>)>,
    pub(super) warnings: Vec<Diagnostic>,
}

/// The values of a column in the rows that are kept so far.
enum Cells {
    Slots(Vec<i64>),
    Bytes(Vec<Box<[u8]>>),
}

/// Rows that can't be used, and what was wrong with the first of them.
#[derive(Default)]
struct Unusable {
    rows: u64,
    first: Vec<String>,
}

/// Complaints of one kind that are shown.
const SHOWN: usize = 3;

impl Unusable {
    fn add(&mut self, error: impl FnOnce() -> DataError) {
        self.rows += 1;
        if self.first.len() < SHOWN {
            self.first.push(error().to_string());
        }
    }
}

impl Request {
    /// Reads the file, in the memory of the rows that are kept.
    ///
    /// # Errors
    /// It can't be read, lacks a column, or more of its rows than are allowed can't be used.
    pub(super) fn load(&self) -> Result<Loaded, Diagnostic> {
        let refuse = |error: DataError| Diagnostic::error(error.to_string());
        let mut rows = Rows::open_as(&self.path, &self.file).map_err(refuse)?;
        let mut parsers = Vec::new();
        for Wanted { column, kind, .. } in &self.columns {
            let Some(at) = rows.columns().iter().position(|name| name == column) else {
                let message = format!("`{}` has no column `{column}`", self.file);
                let names = rows.columns().iter().map(String::as_str);
                let help = match nearest(column, names) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("its columns are `{}`", rows.columns().join("`, `")),
                };
                return Err(Diagnostic::error(message).help(help));
            };
            parsers.push((at, ValueParser::new(*kind)));
        }
        let mut cells: Vec<Cells> = self.columns.iter().map(Cells::of).collect();
        // The lines of the rows that are kept, and how many could be.
        let (mut lines, mut usable): (Vec<u64>, u64) = (Vec::new(), 0);
        let mut unusable = Unusable::default();
        // The same rows whatever the scenario's seed is: strategies, replicates and runs share them.
        let draws = DrawKey::new(Seed(0), 0, Stream::Sample, 0);
        let mut record = Record::default();
        loop {
            match rows.next(&mut record) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) if error.is_of_row => {
                    unusable.add(|| error);
                    continue;
                }
                Err(error) => return Err(refuse(error)),
            }
            let values = match parse(&mut rows, &record, &mut parsers) {
                Ok(values) => values,
                Err(error) => {
                    unusable.add(|| error);
                    continue;
                }
            };
            // A reservoir (Vitter 1985, algorithm R): the n-th row replaces one of those kept with a probability of most / n.
            usable += 1;
            let at = match lines.len() < self.most {
                true => lines.len(),
                false => draws.at(usable).below(usable) as usize,
            };
            if at < self.most {
                put(&mut lines, at, record.line);
                for ((cells, value), wanted) in cells.iter_mut().zip(values).zip(&self.columns) {
                    cells.put(at, value, wanted.unit);
                }
            }
        }
        let mut warnings: Vec<Diagnostic> = rows
            .warnings()
            .iter()
            .map(|warning| Diagnostic::warning(warning.to_string()))
            .collect();
        let seen = usable + unusable.rows;
        warnings.extend(self.judge(unusable, seen, "can't be used")?);
        if usable == 0 {
            let message = format!("`{}` has no row that can be used", self.file);
            return Err(Diagnostic::error(message));
        }
        if usable > lines.len() as u64 {
            let [all, kept] = [usable, lines.len() as u64].map(|rows| grouped(rows.into()));
            let clock = self.clock.as_ref();
            let replay = clock.map_or("", |_| "; a replay has no others");
            let message = format!("{kept} of {all} rows are kept, each as likely{replay}");
            let warning = Diagnostic::warning(message);
            warnings.push(warning.label("set `rows` to keep more; each takes 20 bytes a column"));
        }
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_unstable_by_key(|&at| lines[at]);
        lines.sort_unstable();
        let mut columns = Vec::new();
        for (cells, wanted) in cells.into_iter().zip(&self.columns) {
            let (kind, mut column) = cells.finish(&order, wanted);
            let grows = || column.distinct > 1 && column.slots.is_sorted();
            let clock = self.clock.as_ref();
            column.follows_time = clock.is_some_and(|it| *it == wanted.column || grows());
            if wanted.unique {
                let repeated = self.repeated(&column, &lines, wanted);
                warnings.extend(self.judge(repeated, lines.len() as u64, "repeat a value")?);
            }
            columns.push((kind, Arc::new(column)));
        }
        Ok(Loaded {
            rows: lines.len() as u64,
            columns,
            warnings,
        })
    }

    /// A warning of rows that are not as they should be, if there are any; an error of more than are allowed.
    fn judge(
        &self,
        found: Unusable,
        rows: u64,
        what: &str,
    ) -> Result<Option<Diagnostic>, Diagnostic> {
        let share = found.rows as f64 / rows.max(1) as f64;
        let [some, all] = [found.rows, rows].map(|rows| grouped(rows.into()));
        let message = format!("{some} of {all} rows {what}");
        let first = found.first.join("\n");
        if share > self.malformed {
            let label = format!("`malformed` allows {}", percent(self.malformed));
            let help = format!("{first}\nmend the file, or set `malformed` to allow more");
            return Err(Diagnostic::error(message).label(label).help(help));
        }
        Ok((found.rows > 0).then(|| Diagnostic::warning(message).help(first)))
    }

    /// The rows whose value of a column stands in an earlier row.
    fn repeated(&self, column: &FieldColumn, lines: &[u64], wanted: &Wanted) -> Unusable {
        let places = column.rows(i64::MIN, i64::MAX).windows(2);
        let pairs = places.map(|pair| (pair[1] as usize, pair[0] as usize));
        let alike = |&(a, b): &(usize, usize)| column.slots[a] == column.slots[b];
        let mut pairs: Vec<(usize, usize)> = pairs.filter(alike).collect();
        pairs.sort_unstable();
        let mut repeated = Unusable::default();
        for (later, before) in pairs {
            repeated.add(|| DataError {
                file: self.file.clone(),
                line: Some(lines[later]),
                column: Some(wanted.column.clone()),
                found: format!("the value stands in line {}, too", lines[before]),
                is_of_row: true,
            });
        }
        repeated
    }
}

/// The values of a row that are asked for.
fn parse<'a>(
    rows: &mut Rows,
    record: &'a Record,
    parsers: &mut [(usize, ValueParser)],
) -> Result<SmallVec<[Value<'a>; 8]>, DataError> {
    let mut values = SmallVec::new();
    for (at, parser) in parsers {
        let text = record.get(*at);
        let text = text.ok_or_else(|| rows.error(record, *at, "the value is missing"))?;
        let value = parser.parse(text);
        let value = value.map_err(|found| rows.error(record, *at, found))?;
        if matches!(value, Value::Time(_, false)) {
            rows.warn(Oddity::NoTimeZone, record, *at);
        }
        values.push(value);
    }
    Ok(values)
}

fn put<T>(list: &mut Vec<T>, at: usize, value: T) {
    match list.get_mut(at) {
        Some(place) => *place = value,
        None => list.push(value),
    }
}

impl Cells {
    fn of(wanted: &Wanted) -> Self {
        match wanted.kind {
            ValueKind::Text | ValueKind::Uuid => Self::Bytes(Vec::new()),
            _ => Self::Slots(Vec::new()),
        }
    }

    fn put(&mut self, at: usize, value: Value<'_>, unit: TimeUnit) {
        match (self, value) {
            (Self::Bytes(list), Value::Text(text)) => put(list, at, text.as_bytes().into()),
            (Self::Bytes(list), Value::Uuid(bytes)) => put(list, at, bytes.into()),
            (Self::Slots(list), Value::Int(number)) => put(list, at, number),
            // Adding zero turns -0.0, whose bits are a literal's, into 0.0.
            (Self::Slots(list), Value::Decimal(x)) => put(list, at, (x + 0.0).to_bits() as i64),
            (Self::Slots(list), Value::Time(time, _)) => put(list, at, unit.floor(time)),
            _ => unreachable!("a column's cells are of the kind that is asked for"),
        }
    }

    /// The column of a field, its rows in this order.
    fn finish(self, order: &[usize], wanted: &Wanted) -> (FieldKind, FieldColumn) {
        let bytes = match self {
            Self::Bytes(bytes) => bytes,
            Self::Slots(slots) => {
                let mut column = FieldColumn::new(order.iter().map(|&at| slots[at]).collect());
                let (first, last) = (column.sorted[0], column.sorted[order.len() - 1]);
                let kind = if wanted.kind == ValueKind::Decimal {
                    let numbers = slots.iter().map(|slot| f64::from_bits(*slot as u64));
                    let max = numbers.clone().fold(f64::NEG_INFINITY, f64::max).next_up();
                    let min = numbers.fold(f64::INFINITY, f64::min);
                    FieldKind::Double { min, max }
                } else {
                    let count = last.abs_diff(first).saturating_add(1);
                    FieldKind::Int { first, count }
                };
                column.time_unit = (wanted.kind == ValueKind::Time).then_some(wanted.unit);
                return (kind, column);
            }
        };
        let mut distinct: Vec<&[u8]> = bytes.iter().map(|value| &**value).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let slot = |&at: &usize| distinct.partition_point(|value| *value < &*bytes[at]) as i64;
        let mut column = FieldColumn::new(order.iter().map(slot).collect());
        let shapes = distinct.iter().map(|value| ByteShape::literal(value));
        column.shape = shapes.reduce(|all, shape| all.or(&shape));
        let kind = if wanted.kind == ValueKind::Uuid {
            let uuid = |value: &&[u8]| (*value).try_into().expect("a uuid has 16 bytes");
            FieldKind::ListedUuid(distinct.iter().map(uuid).collect())
        } else {
            let text = |value: &&[u8]| String::from_utf8_lossy(value).into_owned();
            FieldKind::Text(TextValues::Listed(distinct.iter().map(text).collect()))
        };
        (kind, column)
    }
}
