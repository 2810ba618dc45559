//! One sentence a strategy: what class of hotspot it has, why, what that costs, and which bound no cure beats.
//!
//! Must not compute evidence, nor say more than the evidence does.

use super::course::Course;
use super::read_summary::ReadPrice;
use super::wording::{compact, length, millis, percent, times};
use crate::metrics::{Hotspot, NO_HOTSPOT_BELOW};
use std::fmt;

/// An entity explains a hotspot when its share is at least this part of the hottest region's.
pub(super) const EXPLAINS: f64 = 0.5;
/// Fractions of operations below this are not worth a word.
const NOTABLE: f64 = 0.001;
/// Unfinished operations are worth one from here on: every run leaves a few in flight.
const NOTABLE_UNFINISHED: f64 = 0.01;
/// Throughput of at least this part of the offered load counts as all of it: a run ends with a few operations in flight.
const NEARLY_ALL: f64 = 0.99;

/// What a verdict is made from; `None` is undefined.
#[derive(Debug, Clone)]
pub(super) struct Verdict {
    pub(super) hotspot: Option<Hotspot>,
    /// `writes`, or `reads`: what the shares of servers and regions are of.
    pub(super) skew_of: &'static str,
    /// The same of rates, response times and fractions.
    pub(super) rates_of: &'static str,
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
    /// The hottest value of a skewed field, and its share.
    pub(super) entity: Option<(String, f64)>,
    pub(super) hottest_row_share: f64,
    /// Share of reads in the demand of the server that has most of it; `None` without reads.
    pub(super) hot_read_share: Option<f64>,
    pub(super) region_max_share: Option<f64>,
    pub(super) key_floor: f64,
    pub(super) placement_floor: f64,
    pub(super) duration_s: f64,
    /// What the cluster did about it.
    pub(super) course: Course,
    /// In file order.
    pub(super) reads: Vec<ReadPrice>,
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
                self.skew_of
            )?;
            // A moving hotspot's server changes: its share is that of each moment.
            if hotspot == Hotspot::Moving {
                write!(f, " at a time")?;
            }
        }
        write!(f, "; {}", self.damage())?;
        if let Some(bound) = self.bound(hotspot) {
            write!(f, "; {bound}")?;
        }
        write!(f, "{}", self.course)?;
        self.price(f)?;
        write!(f, ".")
    }
}

fn class(hotspot: Hotspot) -> &'static str {
    match hotspot {
        Hotspot::None => "No hotspot",
        Hotspot::Row => "Row hotspot",
        Hotspot::PresplitMismatch => "Presplit mismatch",
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
            self.skew_of,
            percent(1.0 / f64::from(servers))
        )?;
        match self.buckets {
            Some(buckets) if buckets % servers as usize != 0 => {
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

    /// Why one server is hot, as a clause.
    fn cause(&self, hotspot: Hotspot) -> String {
        let servers = self.servers;
        let entity = self
            .entity
            .as_ref()
            .filter(|(_, share)| *share >= EXPLAINS * self.region_max_share.unwrap_or(1.0));
        match hotspot {
            Hotspot::Lookback => match (self.hot_read_share, self.region_max_share) {
                (Some(reads), _) if reads < 1.0 => {
                    let reads = percent(reads);
                    format!("{reads} of what the hot server is asked for are reads")
                }
                (_, Some(region)) => format!("one region takes {}", percent(region)),
                _ => "neighbouring rows are read".to_owned(),
            },
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
            _ if self.leads_with_time => "the key follows time".to_owned(),
            Hotspot::Moving => "neighbouring keys are written one after another".to_owned(),
            _ if self.key_floor >= NO_HOTSPOT_BELOW => {
                format!("a single row takes {}", percent(self.hottest_row_share))
            }
            _ => match (entity, self.buckets) {
                (Some((entity, share)), _) => {
                    format!(
                        "`{entity}` takes {} and its keys are neighbours",
                        percent(*share)
                    )
                }
                (None, Some(buckets)) if buckets % servers as usize != 0 => {
                    format!("{buckets} buckets don't divide evenly among {servers} servers")
                }
                _ => match self.region_max_share {
                    Some(region) => format!("one region takes {}", percent(region)),
                    None => "one range of keys stays hot".to_owned(),
                },
            },
        }
    }

    /// What it costs: throughput against the offered load or the capacity, the slowest percent, failures.
    fn damage(&self) -> String {
        let mut parts = vec![self.throughput()];
        if self.saturated && self.hotspot == Some(Hotspot::None) && self.offered_per_sec.is_some() {
            parts.push("more than the cluster can do".to_owned());
        }
        if self.import_unfinished {
            parts.push(format!(
                "the import not done after {}",
                length(self.duration_s * 1e3)
            ));
        }
        match self.p99_ms {
            Some((p99, true)) => parts.push(format!("p99 over {}", millis(p99))),
            Some((p99, false)) => parts.push(format!("p99 {}", millis(p99))),
            None => {}
        }
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
        let of = self.rates_of;
        let Some(throughput) = self.throughput_per_sec else {
            return format!("nothing was measured in {}", length(self.duration_s * 1e3));
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
