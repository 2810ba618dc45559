//! All columns of a file in one pass, and which of them follow from another. Must not know what is made of them.

use super::column::{Column, Misfit};
use crate::data::{DataError, Oddity, Record, Rows};

/// Rows from the first on in which dependences are looked for.
const KEPT_ROWS: usize = 10_000;

/// Columns between which they are: a wide file would take minutes.
const MOST_RELATED: usize = 24;

/// Rows of a value that came before that say whether another column follows from it (estimate).
const LEAST_WITNESSES: usize = 30;

/// What a file holds.
#[derive(Debug)]
pub struct Survey {
    /// In the file's order.
    pub columns: Vec<Column>,
    /// Rows in all.
    pub rows: u64,
    /// Columns that are a function of another one: `(of, column)`.
    pub dependent: Vec<(usize, usize)>,
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
        let mut record = Record::default();
        while rows.next(&mut record)? {
            for (at, column) in columns.iter_mut().enumerate() {
                let value = record.get(at);
                if value.is_none() && column.missing == 0 {
                    let found = "the value is missing, here first";
                    warnings.push(rows.error(&record, at, found).to_string());
                }
                let (hash, read) = column.add(value);
                if count < KEPT_ROWS as u64 && at < MOST_RELATED {
                    kept.push(hash);
                }
                match read {
                    Ok(()) => {}
                    Err(Misfit::NoZone) => rows.warn(Oddity::NoTimeZone, &record, at),
                    Err(Misfit::IsText(found)) => {
                        let found = format!("{found}: the column is text from here on");
                        warnings.push(rows.error(&record, at, found).to_string());
                    }
                    Err(Misfit::Unreadable(found)) => {
                        return Err(rows.error(&record, at, found));
                    }
                }
            }
            count += 1;
            if count.is_multiple_of(1_000) {
                progress(rows);
            }
        }
        let mut survey = Self {
            dependent: Vec::new(),
            columns,
            rows: count,
            warnings,
        };
        survey.find_dependent(&kept);
        Ok(survey)
    }

    fn find_dependent(&mut self, kept: &[u64]) {
        let width = self.columns.len().min(MOST_RELATED);
        let is_category = |at: &usize| {
            let column = &self.columns[*at];
            !column.is_unique() && column.frequencies.distinct().value >= 2.0
        };
        let candidates: Vec<usize> = (0..width).filter(is_category).collect();
        for &column in &candidates {
            let distinct = |at: usize| self.columns[at].frequencies.distinct().value;
            let parents = candidates
                .iter()
                .filter(|&&of| distinct(of) > distinct(column));
            let parent = parents
                .copied()
                .find(|&of| follows(kept, width, of, column));
            self.dependent.extend(parent.map(|of| (of, column)));
        }
    }
}

/// Whether rows with the same value of `of` have the same one of `column`, and there are enough of them.
fn follows(kept: &[u64], width: usize, of: usize, column: usize) -> bool {
    let mut pairs: Vec<(u64, u64)> = kept
        .chunks_exact(width)
        .map(|row| (row[of], row[column]))
        .collect();
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
