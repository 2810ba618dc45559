//! What each read pays under one strategy: forecast and runs together. Must not know the other strategies.

use super::runs::Runs;
use super::{Measure, ReadResult};
use crate::layout::ReadForecast;
use crate::metrics::{Counts, MetricId, Part, READ_COSTS, Side};
use crate::query::AccessPath;
use crate::statistics::Estimate;
use crate::text::{article, compact, millis, percent};
use std::fmt;

/// Calls, regions or rows within this factor of a whole number are told as that number.
const WHOLE: f64 = 0.02;
/// Rows read for each row returned that are worth a word.
const NOTABLE_OVER_READ: f64 = 1.5;
/// Throughput of at least this part of the offered load counts as all of it: a run ends with a few reads in flight.
pub(super) const NEARLY_ALL: f64 = 0.99;

/// Reads of a replicate that may be in flight at its end without having piled up.
pub(super) const A_FEW: u64 = 10;

/// One read: its forecast, and the runs if it was issued.
pub(super) struct ReadSummary<'a> {
    pub(super) name: &'a str,
    pub(super) issued: bool,
    pub(super) forecast: Option<&'a ReadForecast>,
    pub(super) runs: &'a Runs,
}

impl Runs {
    /// Costs of a read that is only planned are those of the forecast, as replicate 0's; their interval is that over the sample of targets.
    pub(super) fn set_costs(&mut self, forecast: &ReadForecast) {
        let of = |estimate: Estimate| Measure::from(estimate.clamped(0.0, f64::INFINITY));
        let (calls, rows) = (of(forecast.calls_planned), of(forecast.rows_planned));
        let costs = [
            calls.mean,
            Some(forecast.regions),
            rows.mean,
            Some(forecast.rows_returned),
            calls.mean,
            rows.mean,
        ];
        for (id, cost) in READ_COSTS.into_iter().zip(costs) {
            self.set_first(id, cost);
        }
        self.set_interval(MetricId::CallsPlanned, calls);
        self.set_interval(MetricId::RowsPlanned, rows);
    }
}

impl ReadSummary<'_> {
    /// What `results.json` says of it.
    pub(super) fn result(&self) -> ReadResult {
        let [
            calls_planned,
            regions,
            rows_planned,
            rows_returned,
            calls,
            rows_read,
        ] = READ_COSTS.map(|id| self.runs.measure(id));
        ReadResult {
            name: self.name.to_owned(),
            path: self.path().map(|path| path.name().to_owned()),
            words: self
                .forecast
                .map(|forecast| forecast.words.clone())
                .unwrap_or_default(),
            copy: self
                .forecast
                .and_then(|forecast| u32::try_from(forecast.planned.table).ok())
                .filter(|copy| *copy > 0),
            calls_planned,
            regions,
            rows_planned,
            rows_returned,
            calls,
            rows_read,
            counts: self.runs.counts,
            metrics: self.runs.rates(Side::Read),
            response_ms: self.issued.then(|| self.runs.response()),
        }
    }

    /// How the key serves it.
    pub(super) fn path(&self) -> Option<AccessPath> {
        Some(self.forecast?.planned.plan.path())
    }

    /// Milliseconds, and whether they are a lower bound.
    fn p99_ms(&self) -> Option<(f64, bool)> {
        if !self.issued {
            return None;
        }
        let p99 = *self.runs.response().get(Part::P99.name())?;
        Some((p99.merged.or(p99.mean)?, p99.censored))
    }

    fn cost(&self, id: MetricId) -> Option<f64> {
        self.runs.mean(id)
    }

    /// What it costs in a sentence; `None` when nothing is known.
    pub(super) fn price(&self) -> Option<ReadPrice> {
        let offered = self.cost(MetricId::ReadOffered).unwrap_or(0.0);
        let (counts, replicates) = (self.runs.counts, self.runs.replicates());
        Some(ReadPrice {
            name: self.name.to_owned(),
            path: self.path()?,
            calls: self.cost(MetricId::CallsPlanned)?,
            rows_read: self.cost(MetricId::RowsPlanned).unwrap_or(0.0),
            rows_returned: self.cost(MetricId::RowsReturned).unwrap_or(0.0),
            p99_ms: self.p99_ms(),
            failed_fraction: self.cost(MetricId::ReadFailedFraction).unwrap_or(0.0),
            // Of a closed loop, the offered load is what was started. Some are always in flight at the end.
            behind: self
                .cost(MetricId::ReadThroughput)
                .filter(|done| is_piling_up(*done, offered, &counts, replicates))
                .map(|done| (done, offered)),
        })
    }
}

/// Less is completed than offered a second, and more than a few are left over.
pub(super) fn is_piling_up(done: f64, offered: f64, counts: &Counts, replicates: u32) -> bool {
    let left = counts.failed + counts.in_flight;
    done < NEARLY_ALL * offered && left >= A_FEW * u64::from(replicates)
}

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
    pub(super) rows_read: f64,
    pub(super) rows_returned: f64,
    /// With whether it is a lower bound; `None` when the read is only planned.
    pub(super) p99_ms: Option<(f64, bool)>,
    pub(super) failed_fraction: f64,
    /// Completed and offered a second, when that is not nearly the same.
    pub(super) behind: Option<(f64, f64)>,
}

impl ReadPrice {
    /// The read that pays most: the slowest, among planned ones that with the most calls, then rows.
    pub(super) fn dearest(prices: &[Self]) -> Option<&Self> {
        let rank = |price: &Self| {
            // A lower bound may be anything.
            let slow = price
                .p99_ms
                .map_or(0.0, |(ms, open)| if open { f64::INFINITY } else { ms });
            [slow, price.calls, price.rows_read]
        };
        // The first of equals, as in the file.
        prices.iter().rev().max_by(|a, b| {
            let pairs = rank(a).into_iter().zip(rank(b));
            pairs
                .map(|(a, b)| a.total_cmp(&b))
                .find(|order| order.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
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
        match self.path {
            AccessPath::Get if one => write!(f, "one Get")?,
            AccessPath::Get => write!(f, "{calls} Gets")?,
            AccessPath::MultiGet if one => write!(f, "one multi-Get call")?,
            AccessPath::MultiGet => write!(f, "{calls} multi-Get calls")?,
            AccessPath::Scan | AccessPath::FanOutScan if one => write!(f, "one scan call")?,
            AccessPath::Scan | AccessPath::FanOutScan => write!(f, "{calls} scan calls")?,
            AccessPath::BucketScan => write!(f, "a scan of a whole bucket")?,
            AccessPath::TableScan => write!(f, "a scan of the whole table")?,
        }
        if self.rows_read >= NOTABLE_OVER_READ * self.rows_returned.max(1.0) {
            write!(
                f,
                " that {} {} rows for {}",
                if one { "reads" } else { "read" },
                compact(self.rows_read.round()),
                compact(self.rows_returned)
            )?;
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
        if self.failed_fraction >= 0.001 {
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
            rows_read: 160.0,
            rows_returned: 10.0,
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
        (prices[2].p99_ms, prices[2].calls) = (None, 900.0);
        assert_eq!(ReadPrice::dearest(&prices), Some(&prices[1]));
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
