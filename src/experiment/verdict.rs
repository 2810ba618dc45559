//! One sentence a strategy: what class of hotspot it has, why, what that costs, and which bound no cure beats.
//!
//! Must not compute evidence, nor say more than the evidence does.

use super::course::Course;
use super::dealings::{Dealings, most_even};
use super::held_back::HeldBack;
use super::read_price::{NEARLY_ALL, ReadPrice, p99_words};
use crate::metrics::{Hotspot, NO_HOTSPOT_BELOW, Side};
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
    pub(super) held_back: Option<HeldBack>,
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
            return write!(
                f,
                "Too few operations an interval for a statement about skew: sample longer or offer more."
            );
        };
        let servers = self.servers;
        let share = percent(share);
        if servers == 1 {
            write!(f, "One server takes everything")?;
        } else if hotspot == Hotspot::None {
            self.spread(f, &share)?;
        } else {
            write!(
                f,
                "{}: {}, so one of {servers} servers takes {share} of the {}",
                class(hotspot),
                self.cause(hotspot),
                self.skew_of.plural()
            )?;
            // A moving hotspot's server changes: its share is that of each moment.
            if hotspot == Hotspot::Moving {
                write!(f, " at a time")?;
            }
        }
        if servers > 1 {
            self.by_placement(f, hotspot)?;
        }
        if let Some(also) = &self.also {
            let share = also.server_max_share.map_or(String::new(), |share| {
                format!(", one server takes {} of them", percent(share))
            });
            let class = class(also.hotspot).to_lowercase();
            write!(
                f,
                "; the {} have a {class} as well{share}",
                also.of.plural()
            )?;
        }
        write!(f, "; {}", self.damage())?;
        if let Some(held_back) = &self.held_back {
            write!(f, "; {held_back}")?;
        }
        if let Some(bound) = self.bound(hotspot) {
            write!(f, "; {bound}")?;
        }
        write!(f, "{}", self.course)?;
        self.price(f)?;
        write!(f, ".")
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
    /// The load is spread; whether that is as even as can be, and why not.
    fn spread(&self, f: &mut fmt::Formatter<'_>, share: &str) -> fmt::Result {
        let servers = self.servers;
        write!(
            f,
            "No hotspot: the busiest of {servers} servers takes {share} of the {} (even: {})",
            self.skew_of.plural(),
            percent(1.0 / f64::from(servers))
        )?;
        match self.uneven_count() {
            Some(buckets) if buckets > servers as usize => {
                let most = buckets.div_ceil(servers as usize);
                write!(
                    f,
                    ", as {buckets} buckets put {most} on some servers and {} on others",
                    most - 1
                )
            }
            _ => Ok(()),
        }
    }

    /// What other dealings of the same regions give, where that differs or is the cause.
    fn by_placement(&self, f: &mut fmt::Formatter<'_>, hotspot: Hotspot) -> fmt::Result {
        let Some(dealings) = &self.dealings else {
            return Ok(());
        };
        if hotspot == Hotspot::Placement {
            let peak = self.peak_to_mean.map_or(String::new(), times);
            return write!(
                f,
                ", {peak} the mean: other dealings of the same regions give {dealings}, the best {}",
                times(dealings.best)
            );
        }
        match dealings.differ() {
            true => write!(f, ", {dealings} by how regions happen to lie"),
            false => Ok(()),
        }
    }

    /// The buckets, when their number is why the load is not even: they don't divide evenly among the servers, and the best dealing (where
    /// dealings are unknown, the run) has the peak that this makes.
    pub(super) fn uneven_count(&self) -> Option<usize> {
        let (buckets, servers) = (self.buckets?, self.servers as usize);
        let best = most_even(buckets, servers)?;
        let peak = match &self.dealings {
            Some(dealings) => dealings.best,
            None => self.peak_to_mean?,
        };
        let as_counted = peak <= AS_COUNTED * best && best <= AS_COUNTED * peak;
        (buckets % servers != 0 && as_counted).then_some(buckets)
    }

    /// Why one server is hot, as a clause.
    fn cause(&self, hotspot: Hotspot) -> String {
        let servers = self.servers;
        match hotspot {
            Hotspot::Row => format!("a single row takes {}", percent(self.hottest_row_share)),
            _ if self.regions == 1 && !self.leads_with_time => {
                "the table has a single region".to_owned()
            }
            Hotspot::PresplitMismatch => match self.buckets {
                Some(buckets) => format!("{buckets} buckets can't use {servers} servers"),
                None if self.reachable_regions == self.regions => {
                    format!("the table has only {} regions", self.regions)
                }
                None => format!(
                    "the keys reach only {} of {} regions",
                    self.reachable_regions, self.regions
                ),
            },
            Hotspot::Placement => "the regions happen to lie badly".to_owned(),
            Hotspot::Lookback => "the newest rows are read, and they are neighbours".to_owned(),
            Hotspot::Moving if self.leads_with_time && self.skew_of == Side::Write => {
                "the key follows time".to_owned()
            }
            Hotspot::Moving => format!(
                "neighbouring keys are {} one after another",
                match self.skew_of {
                    Side::Read => "read",
                    _ => "written",
                }
            ),
            Hotspot::None | Hotspot::Static => self.static_cause(),
        }
    }

    /// Which range stays hot, and what it holds.
    fn static_cause(&self) -> String {
        if let Some(buckets) = self.uneven_count() {
            let servers = self.servers;
            return match buckets < servers as usize {
                true => format!("{buckets} buckets can't use {servers} servers"),
                false => format!("{buckets} buckets don't divide evenly among {servers} servers"),
            };
        }
        if self.key_floor >= NO_HOTSPOT_BELOW {
            return format!("a single row takes {}", percent(self.hottest_row_share));
        }
        if let (Some((entity, share)), Side::Write) = (&self.entity, self.skew_of) {
            let share = percent(*share);
            return format!("`{entity}` takes {share} and its keys are neighbours");
        }
        match (self.region_max_share, &self.hot_range) {
            (Some(region), Some(range)) => {
                format!("one range of keys takes {}, {range}", percent(region))
            }
            (Some(region), None) => format!("one region takes {}", percent(region)),
            (None, _) => "one range of keys stays hot".to_owned(),
        }
    }

    /// What it costs: throughput against the offered load or the capacity, the slowest percent, failures.
    fn damage(&self) -> String {
        let mut parts = vec![self.throughput()];
        let alone = self.hotspot == Some(Hotspot::None) && self.held_back.is_none();
        if self.saturated && alone && self.offered_per_sec.is_some() {
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
        // In a closed loop every client has one in flight.
        if self.unfinished_fraction >= NOTABLE_UNFINISHED && self.offered_per_sec.is_some() {
            parts.push(format!(
                "{} unfinished at the end",
                percent(self.unfinished_fraction)
            ));
        }
        parts.join(", ")
    }

    fn throughput(&self) -> String {
        let of = self.rates_of.plural();
        let Some(throughput) = self.throughput_per_sec else {
            return format!("nothing was measured in {}", length(self.duration_s));
        };
        if let Some(makespan) = self.makespan_ms {
            return format!(
                "done after {} at {} {of}/s",
                millis(makespan),
                compact(throughput)
            );
        }
        match (self.offered_per_sec, self.capacity_per_sec) {
            (Some(offered), _) if throughput >= NEARLY_ALL * offered => {
                format!("all {} {of}/s completed", compact(offered))
            }
            (Some(offered), _) => format!(
                "{} of {} {of}/s completed",
                compact(throughput),
                compact(offered)
            ),
            (None, Some(capacity)) if capacity > 0.0 => {
                let part = (throughput / (capacity * f64::from(self.servers))).min(1.0);
                format!(
                    "{} {of}/s, {} of what {} could do",
                    compact(throughput),
                    percent(part),
                    self.cluster()
                )
            }
            (None, _) => format!("{} {of}/s", compact(throughput)),
        }
    }

    fn cluster(&self) -> String {
        match self.servers {
            1 => "one server".to_owned(),
            servers => format!("{servers} servers"),
        }
    }

    /// What reads pay: one or two of them, of more the dearest.
    fn price(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reads[..] {
            [] => Ok(()),
            [only] => write!(f, "; {only}"),
            [first, second] => write!(f, "; {first}; {second}"),
            more => match ReadPrice::dearest(more) {
                Some(dearest) => write!(f, "; dearest of {} reads: {dearest}", more.len()),
                None => Ok(()),
            },
        }
    }

    /// The strongest bound that matters: rows before regions.
    fn bound(&self, hotspot: Hotspot) -> Option<String> {
        let peak = self.peak_to_mean?;
        if hotspot == Hotspot::None || self.servers == 1 {
            return None;
        }
        if self.key_floor >= NO_HOTSPOT_BELOW {
            return Some(format!(
                "no split gets the hottest server below {} the mean",
                times(self.key_floor)
            ));
        }
        // Floors are medians too: shown only when they leave most of the peak.
        (self.placement_floor >= NO_HOTSPOT_BELOW && self.placement_floor >= 0.5 * peak).then(
            || {
                format!(
                    "no placement of whole regions gets the hottest server below {} the mean",
                    times(self.placement_floor)
                )
            },
        )
    }
}
