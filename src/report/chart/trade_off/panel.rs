//! The marks of one read: what each strategy's writes and this read cost.

use crate::experiment::ReadResult;
use crate::report::chart::prelude::*;
use crate::report::tables;

/// One strategy in one panel.
pub struct Mark<'a> {
    /// Whose.
    pub entry: Entry<'a>,
    /// What its read pays.
    pub read: &'a ReadResult,
    /// Peak-to-mean of the writes.
    pub skew: f64,
    /// p99 in milliseconds, or rows read.
    pub price: f64,
    /// The price is a lower bound.
    pub censored: bool,
    /// No other strategy is as good in both and better in one.
    pub on_front: bool,
}

impl<'a> Mark<'a> {
    /// `None` without a price or a skew.
    fn of(entry: Entry<'a>, name: &str, timed: bool) -> Option<Self> {
        let strategy = entry.strategy;
        let read = strategy.reads.iter().find(|read| read.name == name)?;
        let measure = match timed {
            true => read.response_ms.as_ref()?.get("p99")?,
            false => &read.rows_planned,
        };
        let skew = metric::value(strategy, MetricId::ServerPeakToMean);
        Some(Self {
            entry,
            read,
            skew: skew.filter(|_| !metric::is_of_reads(strategy))?,
            price: measure.merged.or(measure.mean)?,
            censored: measure.censored,
            on_front: false,
        })
    }

    /// Whether it is as good as another one in both and better in one; a lower bound is shown to be as cheap as nothing.
    fn beats(&self, other: &Self) -> bool {
        let (mine, its) = ((self.skew, self.price), (other.skew, other.price));
        !self.censored && mine.0 <= its.0 && mine.1 <= its.1 && mine != its
    }
}

/// One read's panel.
pub struct Panel<'a> {
    /// Its read.
    pub name: &'a str,
    /// The read was issued: the price is its p99; else the rows that it reads.
    pub timed: bool,
    /// In file order.
    pub marks: Vec<Mark<'a>>,
    /// Strategies without a price or a skew.
    pub missing: Vec<Entry<'a>>,
}

impl<'a> Panel<'a> {
    /// The panel of the read called `name`.
    pub fn of(results: &'a Results, name: &'a str) -> Self {
        let timed = tables::priced(results, name).any(|(_, read)| read.response_ms.is_some());
        let (mut marks, mut missing) = (Vec::new(), Vec::new());
        for entry in Entry::all(results) {
            match Mark::of(entry, name, timed) {
                Some(mark) => marks.push(mark),
                None => missing.push(entry),
            }
        }
        for index in 0..marks.len() {
            let beaten = marks.iter().any(|mark| mark.beats(&marks[index]));
            marks[index].on_front = !beaten;
        }
        Self {
            name,
            timed,
            marks,
            missing,
        }
    }

    /// The price of a mark in words.
    pub fn price(&self, mark: &Mark<'_>) -> String {
        let text = match self.timed {
            true => NumberFormat::Millis.text(mark.price),
            false => format!("{}\u{a0}rows", NumberFormat::Compact.text(mark.price)),
        };
        match mark.censored {
            true => format!("more than {text}"),
            false => text,
        }
    }

    /// The mark with the least `value`; of equals, the first in the file.
    pub fn least(&self, value: impl Fn(&Mark<'a>) -> (f64, f64)) -> Option<&Mark<'a>> {
        let lesser = |best: &'_ Mark<'a>, mark: &'_ Mark<'a>| value(mark) < value(best);
        self.marks
            .iter()
            .reduce(|best, mark| match lesser(best, mark) {
                true => mark,
                false => best,
            })
    }
}
