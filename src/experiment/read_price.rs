//! What one read pays, in words: calls, rows, time. Must not know hotspots.

use crate::query::AccessPath;
use crate::text::{article, compact, millis, percent};
use std::cmp::Ordering;
use std::fmt;

/// Calls, regions or rows within this factor of a whole number are told as that number.
const WHOLE: f64 = 0.02;
/// Rows read for each row returned that are worth a word.
const NOTABLE_OVER_READ: f64 = 1.5;
/// Reads that fail and are worth a word.
const FAILED: f64 = 0.001;

/// `p99 4.1 ms`, `p99 over 4.1 s` of a lower bound.
pub(super) fn p99_words((ms, is_bound): (f64, bool)) -> String {
    let over = if is_bound { "over " } else { "" };
    format!("p99 {over}{}", millis(ms))
}

/// One read's price, displayed as `a \`newest\` costs 16 scan calls, p99 4.1 ms`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReadPrice {
    pub(super) name: String,
    pub(super) path: AccessPath,
    /// By its plan, as the rows.
    pub(super) calls: f64,
    /// Gets and scans, which go out at once; the calls of a scan follow one another.
    pub(super) requests: f64,
    pub(super) rows_read: f64,
    pub(super) rows_returned: f64,
    /// `None` where each row has one cell.
    pub(super) cells_read: Option<f64>,
    /// With whether it is a lower bound; `None` when the read is only planned.
    pub(super) p99_ms: Option<(f64, bool)>,
    pub(super) failed_fraction: f64,
    /// Completed and offered a second, when that is not nearly the same.
    pub(super) behind: Option<(f64, f64)>,
}

impl ReadPrice {
    /// What reads pay: one or two of them, of more the dearest.
    pub(super) fn clauses(prices: &[Self]) -> Vec<String> {
        if prices.len() <= 2 {
            return prices.iter().map(Self::to_string).collect();
        }
        let dearest = Self::dearest(prices).into_iter();
        let told = |price| format!("dearest of {} reads: {price}", prices.len());
        dearest.map(told).collect()
    }

    /// The read that pays most: those that pile up or fail, then the slowest, one that is open at its bound; among planned ones that with the most calls, then cells, then rows.
    fn dearest(prices: &[Self]) -> Option<&Self> {
        let rank = |it: &Self| {
            let is_lost = it.behind.is_some() || it.failed_fraction >= FAILED;
            let slow = |(ms, is_open): (f64, bool)| match is_open && is_lost {
                true => f64::INFINITY,
                false => ms,
            };
            let cells = it.cells_read.unwrap_or(0.0);
            [it.p99_ms.map_or(0.0, slow), it.calls, cells, it.rows_read]
        };
        // The first of equals, as in the file.
        prices.iter().rev().max_by(|a, b| {
            let pairs = rank(a).into_iter().zip(rank(b));
            let mut orders = pairs.map(|(a, b)| a.total_cmp(&b));
            let unequal = orders.find(|order| order.is_ne());
            unequal.unwrap_or(Ordering::Equal)
        })
    }
}

impl fmt::Display for ReadPrice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.calls.round();
        let near = (self.calls - whole).abs() <= WHOLE * whole;
        let calls = compact(if near { whole } else { self.calls });
        let one = calls == "1";
        write!(f, "{} costs ", article(&self.name))?;
        let (count, s) = if one { ("one", "") } else { (&calls[..], "s") };
        match self.path {
            AccessPath::Get => write!(f, "{count} Get{s}")?,
            AccessPath::MultiGet => write!(f, "{count} multi-Get call{s}")?,
            AccessPath::Scan | AccessPath::FanOutScan => write!(f, "{count} scan call{s}")?,
            AccessPath::BucketScan => write!(f, "a scan of a whole bucket")?,
            AccessPath::TableScan => write!(f, "a scan of the whole table")?,
        }
        if self.rows_read >= NOTABLE_OVER_READ * self.rows_returned.max(1.0) {
            let read = if one { "reads" } else { "read" };
            let (rows, returned) = (compact(self.rows_read.round()), compact(self.rows_returned));
            write!(f, " that {read} {rows} rows for {returned}")?;
        }
        let is_wide = |cells: &f64| *cells >= NOTABLE_OVER_READ * self.rows_read.max(1.0);
        if let Some(cells) = self.cells_read.filter(is_wide) {
            write!(f, " of {} cells", compact(cells))?;
        }
        if let Some(p99) = self.p99_ms {
            write!(f, ", {}", p99_words(p99))?;
        }
        if let Some((done, offered)) = self.behind {
            write!(
                f,
                ", {} of {} reads/s completed",
                compact(done),
                compact(offered)
            )?;
        }
        if self.failed_fraction >= FAILED {
            write!(f, ", {} failed", percent(self.failed_fraction))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newest() -> ReadPrice {
        ReadPrice {
            name: "newest".to_owned(),
            path: AccessPath::FanOutScan,
            calls: 16.1,
            requests: 16.0,
            rows_read: 160.0,
            rows_returned: 10.0,
            cells_read: None,
            p99_ms: Some((4.112, false)),
            failed_fraction: 0.0,
            behind: None,
        }
    }

    fn told(change: impl FnOnce(&mut ReadPrice)) -> String {
        let mut price = newest();
        change(&mut price);
        price.to_string()
    }

    #[test]
    fn a_price_is_told_in_calls_rows_and_time() {
        assert_eq!(
            told(|_| {}),
            "a `newest` costs 16 scan calls that read 160 rows for 10, p99 4.11 ms"
        );
        let get = |price: &mut ReadPrice| {
            (price.path, price.calls) = (AccessPath::Get, 1.0);
            (price.rows_read, price.rows_returned) = (1.0, 0.98);
        };
        assert_eq!(told(get), "a `newest` costs one Get, p99 4.11 ms");
        assert_eq!(
            told(|price| {
                get(price);
                price.p99_ms = None;
                (price.path, price.calls) = (AccessPath::MultiGet, 7.4);
            }),
            "a `newest` costs 7.40 multi-Get calls"
        );
        assert_eq!(
            told(|price| {
                price.path = AccessPath::TableScan;
                (price.calls, price.rows_read) = (3_204.0, 1.2e7);
                price.p99_ms = Some((12_300.0, true));
                price.behind = Some((31.7, 50.2));
                price.failed_fraction = 0.03;
            }),
            "a `newest` costs a scan of the whole table that read 12.0M rows for 10, p99 over 12.3 s, 31.7 of 50.2 reads/s completed, 3 % failed"
        );
    }

    #[test]
    fn the_dearest_read_is_the_slowest_then_that_with_most_calls() {
        let mut prices = vec![newest(), newest(), newest(), newest()];
        prices[1].p99_ms = Some((7.0, false));
        // One that is on its way at the end leaves the slowest hundredth open, from 6 ms on.
        prices[0].p99_ms = Some((6.0, true));
        (prices[2].p99_ms, prices[2].calls) = (None, 900.0);
        assert_eq!(ReadPrice::dearest(&prices), Some(&prices[1]));
        prices[0].behind = Some((90.0, 100.0));
        assert_eq!(ReadPrice::dearest(&prices), Some(&prices[0]));
        prices.iter_mut().for_each(|price| price.p99_ms = None);
        assert_eq!(ReadPrice::dearest(&prices), Some(&prices[2]));
        prices[2].calls = 16.1;
        prices[3].name = "last".to_owned();
        assert_eq!(
            ReadPrice::dearest(&prices).map(|price| price.name.as_str()),
            Some("newest")
        );
        assert_eq!(ReadPrice::dearest(&[]), None);
    }
}
