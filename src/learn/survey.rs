//! All columns of a file in one pass, and which of them follow from another. Must not know what is made of them.

use super::column::{Cell, Column, Misfit, YEARS};
use super::frequencies::kept as shortened;
use super::from_time::{self, Made};
use crate::data::{DataError, Oddity, Record, Rows, ValueKind};
use crate::statistics::EvenSample;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Rows from the first on in which dependences are looked for.
const KEPT_ROWS: usize = 10_000;

/// Columns between which they are: a wide file would take minutes.
const MOST_RELATED: usize = 24;

/// Rows of a value that came before that say whether another column follows from it (estimate).
const LEAST_WITNESSES: usize = 30;

/// A column's law may rest on one value of the column that it follows from by one part in so many (estimate).
const MOST_OF_ONE: usize = 100;

/// How far rows are in an order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    None,
    Nearly,
    Sorted,
}

/// What a file holds.
#[derive(Debug)]
pub struct Survey {
    /// In the file's order.
    pub columns: Vec<Column>,
    /// Rows in all.
    pub rows: u64,
    /// Columns that are a function of another one: `(of, column)`.
    pub dependent: Vec<(usize, usize)>,
    /// Numbers of the first columns in the first rows: hashes of what is none.
    kept: Vec<i64>,
    /// Rows of all of the file, in its first columns.
    sample: EvenSample<Vec<Cell>>,
    /// The column that has the time of the rows.
    time: Option<usize>,
    /// The order of the rows says how they were written: it does but where it is not that of their times.
    pub is_history: bool,
    /// What was odd about single values, once a column.
    pub warnings: Vec<String>,
}

impl Survey {
    /// Reads all rows; `progress` is told the number read, every thousand.
    ///
    /// # Errors
    /// A row can't be read, or a time in it.
    pub fn read(rows: &mut Rows, mut progress: impl FnMut(&Rows)) -> Result<Self, DataError> {
        let names = rows.columns();
        let new = |name: &String| Column::new(name, names.len());
        let mut columns: Vec<Column> = names.iter().map(new).collect();
        let (mut count, mut warnings, mut kept) = (0_u64, Vec::new(), Vec::new());
        let (mut sample, mut numbers) = (EvenSample::default(), Vec::new());
        let mut far_off = BTreeSet::new();
        let mut record = Record::default();
        while rows.next(&mut record)? {
            numbers.clear();
            for (at, column) in columns.iter_mut().enumerate() {
                let value = record.get(at);
                if value.is_none() && column.missing == 0 {
                    let found = "the value is missing, here first";
                    warnings.push(rows.error(&record, at, found).to_string());
                }
                let (number, read) = column.add(value);
                if at < MOST_RELATED {
                    numbers.push(number);
                }
                match read {
                    Ok(()) => {}
                    Err(Misfit::NoZone) => rows.warn(Oddity::NoTimeZone, &record, at),
                    Err(Misfit::IsText(found)) => {
                        let found = format!("{found}: the column is text from here on");
                        warnings.push(rows.error(&record, at, found).to_string());
                    }
                    Err(Misfit::FarOff) => {
                        if far_off.insert(at) {
                            let found = format!(
                                "`{}` lies outside the years {} to {}, which scenarios have: it is taken as missing, here first",
                                value.unwrap_or_default(),
                                YEARS.start(),
                                YEARS.end()
                            );
                            warnings.push(rows.error(&record, at, found).to_string());
                        }
                    }
                    Err(Misfit::Unreadable(found)) => {
                        return Err(rows.error(&record, at, found));
                    }
                }
            }
            if count < KEPT_ROWS as u64 {
                kept.extend(&numbers);
            }
            sample.see(|| {
                let cell = |(at, number): (usize, &i64)| {
                    (*number, shortened(record.get(at).unwrap_or_default()))
                };
                numbers.iter().enumerate().map(cell).collect()
            });
            count += 1;
            if count.is_multiple_of(1_000) {
                progress(rows);
            }
        }
        let mut survey = Self {
            dependent: Vec::new(),
            kept,
            sample,
            time: None,
            is_history: true,
            columns,
            rows: count,
            warnings,
        };
        survey.settle();
        survey.find_dependent();
        Ok(survey)
    }

    fn settle(&mut self) {
        self.find_order(None);
        let known = self.find_row_time().map(|at| &self.columns[at].times);
        let known = known.map(|times| (times.first, times.last));
        for column in &mut self.columns {
            column.settle(known);
        }
        self.time = self.find_row_time();
        self.is_history = self.time.is_none_or(|at| self.order(at) > Order::None);
        // What rises with the times then does so as rows are written.
        if !self.is_history {
            self.find_order(self.time);
        }
    }

    fn find_order(&mut self, by: Option<usize>) {
        let by = by.filter(|by| *by < self.width());
        for at in 0..self.width() {
            self.columns[at].find_order(&self.sample, at, by);
        }
    }

    /// The column that has the time of the rows.
    pub fn row_time(&self) -> Option<usize> {
        self.time
    }

    /// It is one in whose order the rows are, or nearly are; of these the finest, and the first of equals.
    fn find_row_time(&self) -> Option<usize> {
        let is_time = |at: &usize| self.columns[*at].kind() == ValueKind::Time;
        let times = || (0..self.columns.len()).filter(is_time);
        let best = times().map(|at| self.order(at)).max()?;
        let distinct = |at: usize| self.columns[at].frequencies.distinct().value;
        let mut times = times().filter(|at| self.order(*at) == best);
        let most = times.clone().map(distinct).fold(0.0, f64::max);
        // Half as many values: two times of each row are equally fine, whatever chance did.
        times.find(|at| distinct(*at) > 0.5 * most)
    }

    /// How far the rows are in the order of a column of times.
    fn order(&self, at: usize) -> Order {
        let column = &self.columns[at];
        match (column.times.is_sorted(), column.is_ordered()) {
            (true, _) => Order::Sorted,
            (false, true) => Order::Nearly,
            _ => Order::None,
        }
    }

    /// The expression of the time of the rows, in a unit of so many nanoseconds, that makes the values of another column.
    pub fn made_of_time(
        &self,
        (name, unit): (&str, i64),
        time: usize,
        column: usize,
    ) -> Option<Made> {
        let (of, made) = (&self.columns[time], &self.columns[column]);
        let width = self.width();
        let is_whole = of.missing + made.missing == 0 && time.max(column) < width;
        let varies = made.frequencies.distinct().value >= 2.0;
        if !is_whole || !varies || self.rows < LEAST_WITNESSES as u64 {
            return None;
        }
        let rows = self.kept.chunks_exact(width);
        let mut rows: Vec<(i64, i64)> = rows.map(|row| (row[time], row[column])).collect();
        // What holds at both ends of the file, and in its first rows, holds between.
        match made.kind() {
            ValueKind::Int => {
                let (least, greatest) = made.integers.ends()?;
                let hours = (0..24).contains(least) && (0..24).contains(greatest);
                if !hours {
                    rows.extend([(of.times.first, *least), (of.times.last, *greatest)]);
                }
                from_time::number(name, unit, &rows)
            }
            ValueKind::Time if time != column => {
                rows.extend([
                    (of.times.first, made.times.first),
                    (of.times.last, made.times.last),
                ]);
                from_time::coarser(name, &made.times, &rows)
            }
            _ => None,
        }
    }

    /// Of the first rows those that have the same values in all of these columns as another one.
    pub fn repeated(&self, columns: &[usize]) -> usize {
        let rows = self.kept.chunks_exact(self.width());
        let values = |row: &[i64]| columns.iter().map(|at| row[*at]).collect();
        let mut rows: Vec<Vec<i64>> = rows.map(values).collect();
        let all = rows.len();
        rows.sort_unstable();
        rows.dedup();
        all - rows.len()
    }

    /// The column within each of whose values this one's whole numbers count, in whatever order the rows are: most are one more than another of the same value.
    /// Where nearly all values of the one stand beside all of the other, it is a grid, and neither counts.
    pub fn counts_within(&self, column: usize) -> Option<usize> {
        const PART: f64 = 0.9;
        let (kept, width) = (&self.kept, self.width());
        let is_number = |at: usize| self.columns[at].kind() == ValueKind::Int;
        let counts = |of: &usize| {
            let rows = kept.chunks_exact(width);
            let mut pairs: Vec<(i64, i64)> = rows.map(|row| (row[*of], row[column])).collect();
            pairs.sort_unstable();
            let mut numbers: Vec<i64> = pairs.iter().map(|it| it.1).collect();
            numbers.sort_unstable();
            numbers.dedup();
            let within = || pairs.windows(2).filter(|pair| pair[0].0 == pair[1].0);
            let rises = |pair: &&[(i64, i64)]| pair[0].1.checked_add(1) == Some(pair[1].1);
            let steps = within().count();
            let values = pairs.len() - steps;
            steps >= LEAST_WITNESSES
                && within().filter(rises).count() as f64 >= PART * steps as f64
                && (pairs.len() as f64) < PART * values as f64 * numbers.len() as f64
        };
        let is_candidate = column < width && is_number(column) && self.columns[column].missing == 0;
        let others = (0..width).filter(|of| *of != column && is_candidate);
        // Of what has the same time, or comes in turn, nobody asks.
        let is_history = self.is_history;
        let is_asked_for = |of: &usize| {
            let column = &self.columns[*of];
            let is_turn = is_history && column.is_successive();
            !is_turn
                && column.kind() != ValueKind::Time
                && column.frequencies.distinct().value >= 2.0
        };
        let decides = |of: &usize| follows(kept, width, column, *of);
        let mut others = others.filter(is_asked_for).filter(counts);
        others.find(|of| !decides(of))
    }

    /// Columns whose values are known of each of the first rows.
    pub fn width(&self) -> usize {
        self.columns.len().min(MOST_RELATED)
    }

    fn find_dependent(&mut self) {
        let (width, kept) = (self.width(), &self.kept);
        let is_category = |at: &usize| {
            let column = &self.columns[*at];
            !column.is_unique() && column.frequencies.distinct().value >= 2.0
        };
        let candidates: Vec<usize> = (0..width).filter(is_category).collect();
        // What comes in turn tells all that its rows have in common; nothing is drawn for it.
        let is_drawn = |at: &&usize| {
            let column = &self.columns[**at];
            !(column.drifts() || self.is_history && column.is_successive())
        };
        for &column in &candidates {
            // Of two that tell each other the first is the parent.
            let rank = |at: usize| {
                let distinct = self.columns[at].frequencies.distinct().value;
                (distinct, Reverse(at))
            };
            let mut parents = candidates.iter().filter(is_drawn);
            let parent = parents
                .find(|&&of| rank(of) > rank(column) && follows(kept, width, of, column))
                .copied();
            self.dependent.extend(parent.map(|of| (of, column)));
        }
        for &(of, column) in &self.dependent {
            self.columns[column].without_lumps(lumps(&self.kept, width, of, column));
        }
    }
}

/// Values of `column`, by their numbers, of which a part of the rows counts, and which part: where values of `of` have more than a hundredth of all rows, what is
/// above it says nothing of the law by which each value of `of` draws its own. All values of `of` count alike where they are fewer.
fn lumps(kept: &[i64], width: usize, of: usize, column: usize) -> Vec<(i64, f64)> {
    let rows = kept.chunks_exact(width);
    let (mut rows_of, mut parents) = (BTreeMap::new(), BTreeMap::new());
    for row in rows {
        *rows_of.entry(row[column]).or_insert(0.0) += 1.0;
        *parents.entry((row[of], row[column])).or_insert(0_usize) += 1;
    }
    let part = parents.len().clamp(1, MOST_OF_ONE);
    let mut most = parents.values().copied().max().unwrap_or(0);
    // The greatest number that is such a part of all once no value of `of` has more.
    loop {
        let all: usize = parents.values().map(|rows| most.min(*rows)).sum();
        if all / part >= most {
            break;
        }
        most = all / part;
    }
    let mut counted = BTreeMap::new();
    for ((_, value), rows) in parents {
        *counted.entry(value).or_insert(0.0) += rows.min(most) as f64;
    }
    let parts = counted
        .into_iter()
        .map(|(value, counted)| (value, counted / rows_of[&value]));
    parts.filter(|(_, part)| *part < 1.0).collect()
}

/// Whether rows with the same value of `of` have the same one of `column`, and there are enough of them.
fn follows(kept: &[i64], width: usize, of: usize, column: usize) -> bool {
    let rows = kept.chunks_exact(width);
    let mut pairs: Vec<(i64, i64)> = rows.map(|row| (row[of], row[column])).collect();
    pairs.sort_unstable();
    let mut witnesses = 0;
    pairs
        .windows(2)
        .filter(|pair| pair[0].0 == pair[1].0)
        .all(|pair| {
            witnesses += 1;
            pair[0].1 == pair[1].1
        })
        && witnesses >= LEAST_WITNESSES
}
