//! One sentence a strategy: what class of hotspot it has, why, what that costs, and which bound no cure beats.
//!
//! Must not compute evidence, nor say more than the evidence does.

use super::course::Course;
use super::read_price::{NEARLY_ALL, ReadPrice, p99_words};
use super::runs::Runs;
use crate::metrics::{Hotspot, MetricId, NO_HOTSPOT_BELOW, Side};
use crate::text::{compact, length, millis, percent, times};
use std::fmt;

/// A measured peak is what arithmetic gives when it lies within this factor of it (estimate: what chance adds to an even spread).
const AS_COUNTED: f64 = 1.1;
/// Fractions of operations below this are not worth a word.
const NOTABLE: f64 = 0.001;
/// Unfinished operations are worth one from here on: every run leaves a few in flight.
const NOTABLE_UNFINISHED: f64 = 0.01;

/// What a verdict is made from; `None` is undefined.
#[derive(Debug, Clone)]
pub(super) struct Verdict {
    /// Of the writes or of the reads: see `skew_of`.
    pub(super) hotspot: Option<Hotspot>,
    /// The reads have a hotspot as well, where the verdict is of the writes, or the other way round.
    pub(super) also: Option<AlsoHot>,
    /// How other dealings of the same regions would spread the load.
    pub(super) dealings: Option<Dealings>,
    /// What holds the run below what its servers could do, besides the hotspot.
    pub(super) held_back: Option<String>,
    /// What the shares of servers and regions are of.
    pub(super) skew_of: Side,
    /// The same of rates, response times and fractions.
    pub(super) rates_of: Side,
    pub(super) servers: u32,
    pub(super) server_max_share: Option<f64>,
    pub(super) peak_to_mean: Option<f64>,
    /// Open loops only.
    pub(super) offered_per_sec: Option<f64>,
    pub(super) throughput_per_sec: Option<f64>,
    /// Of one server.
    pub(super) capacity_per_sec: Option<f64>,
    /// When everything is an import.
    pub(super) makespan_ms: Option<f64>,
    /// Some import has rows left at the end.
    pub(super) import_unfinished: bool,
    /// With whether it is a lower bound.
    pub(super) p99_ms: Option<(f64, bool)>,
    pub(super) failed_fraction: f64,
    pub(super) unfinished_fraction: f64,
    pub(super) saturated: bool,
    pub(super) leads_with_time: bool,
    pub(super) regions: usize,
    pub(super) reachable_regions: usize,
    /// Leading buckets of the key with a region each.
    pub(super) buckets: Option<usize>,
    /// The value that makes the hottest region hot, and its share of all writes.
    pub(super) entity: Option<(String, f64)>,
    /// The range of keys that stays hot: what its first keys and its last ones say.
    pub(super) hot_range: Option<String>,
    /// Of the writes, or of the Gets.
    pub(super) hottest_row_share: f64,
    pub(super) region_max_share: Option<f64>,
    pub(super) key_floor: f64,
    pub(super) placement_floor: f64,
    pub(super) duration_s: f64,
    /// What the cluster did about it.
    pub(super) course: Course,
    /// In file order.
    pub(super) reads: Vec<ReadPrice>,
}

/// A hotspot beside the one that a verdict begins with.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AlsoHot {
    pub(super) hotspot: Hotspot,
    pub(super) of: Side,
    /// `None` when unknown.
    pub(super) server_max_share: Option<f64>,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(hotspot), Some(share)) = (self.hotspot, self.server_max_share) else {
            return f.write_str(
                "Too few operations an interval for a statement about skew: sample longer or offer more.",
            );
        };
        let mut clauses = vec![match hotspot {
            _ if self.servers == 1 => "One server takes everything".to_owned(),
            Hotspot::None => self.spread(share) + &self.by_placement(hotspot),
            _ => self.skew(hotspot, share) + &self.by_placement(hotspot),
        }];
        clauses.extend(self.also.as_ref().map(AlsoHot::to_string));
        clauses.push(self.damage());
        clauses.extend(self.held_back.clone());
        clauses.extend(self.bound(hotspot));
        clauses.extend(self.course.clauses());
        clauses.extend(self.prices());
        write!(f, "{}.", clauses.join("; "))
    }
}

impl fmt::Display for AlsoHot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = class(self.hotspot).to_lowercase();
        write!(f, "the {} have a {class} as well", self.of.plural())?;
        match self.server_max_share.map(percent) {
            Some(share) => write!(f, ", one server takes {share} of them"),
            None => Ok(()),
        }
    }
}

/// What sentences call a class.
pub(super) fn class(hotspot: Hotspot) -> &'static str {
    match hotspot {
        Hotspot::None => "No hotspot",
        Hotspot::Row => "Row hotspot",
        Hotspot::PresplitMismatch => "Presplit mismatch",
        Hotspot::Placement => "Placement hotspot",
        Hotspot::Lookback => "Lookback hotspot",
        Hotspot::Moving => "Moving hotspot",
        Hotspot::Static => "Static hotspot",
    }
}

impl Verdict {
    /// One server is hot; why.
    fn skew(&self, hotspot: Hotspot, share: f64) -> String {
        let (class, cause, share) = (class(hotspot), self.cause(hotspot), percent(share));
        let (servers, of) = (self.servers, self.skew_of.plural());
        // A moving hotspot's server changes: its share is that of each moment.
        let at_a_time = if hotspot == Hotspot::Moving {
            " at a time"
        } else {
            ""
        };
        format!(
            "{class}: {cause}, so one of {servers} servers takes {share} of the {of}{at_a_time}"
        )
    }

    /// The load is spread; whether that is as even as can be, and why not.
    fn spread(&self, share: f64) -> String {
        let (servers, of, share) = (self.servers, self.skew_of.plural(), percent(share));
        let even = percent(1.0 / f64::from(servers));
        let spread = format!(
            "No hotspot: the busiest of {servers} servers takes {share} of the {of} (even: {even})"
        );
        match self.uneven_count() {
            Some(buckets) if buckets > servers as usize => {
                let most = buckets.div_ceil(servers as usize);
                let less = most - 1;
                format!(
                    "{spread}, as {buckets} buckets put {most} on some servers and {less} on others"
                )
            }
            _ => spread,
        }
    }

    /// What other dealings of the same regions give, where that differs or is the cause.
    fn by_placement(&self, hotspot: Hotspot) -> String {
        match &self.dealings {
            Some(dealings) if hotspot == Hotspot::Placement => {
                let peak = self.peak_to_mean.map_or(String::new(), times);
                let best = times(dealings.best);
                format!(
                    ", {peak} the mean: other dealings of the same regions give {dealings}, the best {best}"
                )
            }
            Some(dealings) if dealings.differ() => {
                format!(", {dealings} by how regions happen to lie")
            }
            _ => String::new(),
        }
    }

    /// The buckets, when their number is why the load is not even: they don't divide evenly among the servers, and the best dealing (where
    /// dealings are unknown, the run) has the peak that this makes.
    pub(super) fn uneven_count(&self) -> Option<usize> {
        let (buckets, servers) = (self.buckets?, self.servers as usize);
        let best = most_even(buckets, servers)?;
        let peak = self.dealings.map(|it| it.best).or(self.peak_to_mean)?;
        let as_counted = peak <= AS_COUNTED * best && best <= AS_COUNTED * peak;
        (buckets % servers != 0 && as_counted).then_some(buckets)
    }

    /// Why one server is hot, as a clause.
    fn cause(&self, hotspot: Hotspot) -> String {
        let (servers, regions, reached) = (self.servers, self.regions, self.reachable_regions);
        let of_writes = self.skew_of == Side::Write;
        match hotspot {
            Hotspot::Row => self.hot_row(),
            _ if regions == 1 && !self.leads_with_time => {
                "the table has a single region".to_owned()
            }
            Hotspot::PresplitMismatch => match self.buckets {
                Some(buckets) => format!("{buckets} buckets can't use {servers} servers"),
                None if reached == regions => format!("the table has only {regions} regions"),
                None => format!("the keys reach only {reached} of {regions} regions"),
            },
            Hotspot::Placement => "the regions happen to lie badly".to_owned(),
            Hotspot::Lookback => "the newest rows are read, and they are neighbours".to_owned(),
            Hotspot::Moving if self.leads_with_time && of_writes => {
                "the key follows time".to_owned()
            }
            Hotspot::Moving => {
                let come = if of_writes { "written" } else { "read" };
                format!("neighbouring keys are {come} one after another")
            }
            Hotspot::None | Hotspot::Static => self.static_cause(),
        }
    }

    fn hot_row(&self) -> String {
        format!("a single row takes {}", percent(self.hottest_row_share))
    }

    /// Which range stays hot, and what it holds.
    fn static_cause(&self) -> String {
        let servers = self.servers;
        let region = self.region_max_share.map(percent);
        match (self.uneven_count(), &self.entity, region, &self.hot_range) {
            (Some(buckets), ..) if buckets < servers as usize => {
                format!("{buckets} buckets can't use {servers} servers")
            }
            (Some(buckets), ..) => {
                format!("{buckets} buckets don't divide evenly among {servers} servers")
            }
            _ if self.key_floor >= NO_HOTSPOT_BELOW => self.hot_row(),
            (_, Some((entity, share)), ..) if self.skew_of == Side::Write => {
                let share = percent(*share);
                format!("`{entity}` takes {share} and its keys are neighbours")
            }
            (_, _, Some(region), Some(range)) => {
                format!("one range of keys takes {region}, {range}")
            }
            (_, _, Some(region), None) => format!("one region takes {region}"),
            _ => "one range of keys stays hot".to_owned(),
        }
    }

    /// What it costs: throughput against the offered load or the capacity, the slowest percent, failures.
    fn damage(&self) -> String {
        let mut parts = vec![self.throughput()];
        let alone = self.hotspot == Some(Hotspot::None) && self.held_back.is_none();
        // In a closed loop every client has one operation in flight.
        let open = self.offered_per_sec.is_some();
        if self.saturated && alone && open {
            parts.push("more than the cluster can do".to_owned());
        }
        if self.import_unfinished {
            parts.push(format!(
                "the import not done after {}",
                length(self.duration_s)
            ));
        }
        parts.extend(self.p99_ms.map(p99_words));
        if self.failed_fraction >= NOTABLE {
            parts.push(format!("{} failed", percent(self.failed_fraction)));
        }
        if self.unfinished_fraction >= NOTABLE_UNFINISHED && open {
            parts.push(format!(
                "{} unfinished at the end",
                percent(self.unfinished_fraction)
            ));
        }
        parts.join(", ")
    }

    fn throughput(&self) -> String {
        let Some(throughput) = self.throughput_per_sec else {
            return format!("nothing was measured in {}", length(self.duration_s));
        };
        let (of, done) = (self.rates_of.plural(), compact(throughput));
        if let Some(makespan) = self.makespan_ms {
            return format!("done after {} at {done} {of}/s", millis(makespan));
        }
        match (self.offered_per_sec, self.capacity_per_sec) {
            (Some(offered), _) => {
                let all = throughput >= NEARLY_ALL * offered;
                let offered = compact(offered);
                let done = if all {
                    "all".to_owned()
                } else {
                    format!("{done} of")
                };
                format!("{done} {offered} {of}/s completed")
            }
            (None, Some(capacity)) if capacity > 0.0 => {
                let part = (throughput / (capacity * f64::from(self.servers))).min(1.0);
                let cluster = self.cluster("servers");
                format!(
                    "{done} {of}/s, {} of what {cluster} could do",
                    percent(part)
                )
            }
            (None, _) => format!("{done} {of}/s"),
        }
    }

    /// `one server`, or so many of them.
    pub(super) fn cluster(&self, several: &str) -> String {
        match self.servers {
            1 => "one server".to_owned(),
            servers => format!("{servers} {several}"),
        }
    }

    /// What reads pay: one or two of them, of more the dearest.
    fn prices(&self) -> Vec<String> {
        match &self.reads[..] {
            few @ ([] | [_] | [_, _]) => few.iter().map(ReadPrice::to_string).collect(),
            more => {
                let dearest = ReadPrice::dearest(more).into_iter();
                let told = |price| format!("dearest of {} reads: {price}", more.len());
                dearest.map(told).collect()
            }
        }
    }

    /// The strongest bound that matters: rows before regions.
    fn bound(&self, hotspot: Hotspot) -> Option<String> {
        let peak = self.peak_to_mean?;
        if hotspot == Hotspot::None || self.servers == 1 {
            return None;
        }
        let by_row = self.key_floor >= NO_HOTSPOT_BELOW;
        let (cure, floor) = match by_row {
            true => ("split", self.key_floor),
            false => ("placement of whole regions", self.placement_floor),
        };
        // Floors are medians too: that of placement is shown only when it leaves most of the peak.
        let matters = by_row || floor >= NO_HOTSPOT_BELOW.max(0.5 * peak);
        let floor = times(floor);
        matters.then(|| format!("no {cure} gets the hottest server below {floor} the mean"))
    }
}

/// Dealings differ when the worse ones are this much above the better ones (estimate: what is worth a word).
const DIFFER: f64 = 1.25;

/// The peak-to-mean over dealings of the same regions to the servers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dealings {
    pub(super) mean: f64,
    /// 5 % of the dealings are better.
    pub(super) low: f64,
    /// 5 % are worse.
    pub(super) high: f64,
    /// Of the best that was found.
    pub(super) best: f64,
}

impl Dealings {
    /// Those of the writes or of the reads; `None` when they are unknown.
    pub(super) fn of(runs: &Runs, side: Side) -> Option<Self> {
        let mean = |id: MetricId| runs.mean(id.of(side));
        Some(Self {
            mean: mean(MetricId::PlacementPeakMean)?,
            low: mean(MetricId::PlacementPeakLow)?,
            high: mean(MetricId::PlacementPeakHigh)?,
            best: mean(MetricId::PlacementPeakBest)?,
        })
    }

    /// Whether it matters how regions happen to lie.
    pub(super) fn differ(&self) -> bool {
        self.high >= DIFFER * self.low
    }
}

impl fmt::Display for Dealings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} [{}, {}]",
            times(self.mean),
            times(self.low),
            times(self.high)
        )
    }
}

/// The peak-to-mean of `count` equal loads on `servers` servers, as evenly as they go: n x ceil(k / n) / k. `None` without any.
pub(super) fn most_even(count: usize, servers: usize) -> Option<f64> {
    (count > 0 && servers > 0)
        .then(|| servers as f64 * count.div_ceil(servers) as f64 / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_loads_are_as_even_as_their_number_lets_them() {
        let of_8 = [1, 4, 8, 12, 16, 20].map(|count| most_even(count, 8).unwrap());
        assert_eq!(of_8, [8.0, 2.0, 1.0, 8.0 * 2.0 / 12.0, 1.0, 1.2]);
        assert_eq!((most_even(0, 8), most_even(8, 0)), (None, None));
    }

    #[test]
    fn a_range_of_dealings_is_told_as_an_interval() {
        let dealings = Dealings {
            mean: 2.08,
            low: 1.5,
            high: 3.0,
            best: 1.0,
        };
        assert_eq!(dealings.to_string(), "2.1× [1.50×, 3.0×]");
        assert!(dealings.differ());
        let alike = Dealings {
            low: 1.2,
            high: 1.4,
            ..dealings
        };
        assert!(!alike.differ());
    }
}
