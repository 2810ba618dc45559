//! One sentence a strategy: what class of hotspot it has, why, what that costs, what holds the run back besides, which bound no cure beats,
//! what the cluster did about it, and what reads pay.
//!
//! Must not compute evidence, nor say more than the evidence does.

use super::cluster_history::ClusterHistory;
use super::hotspots::{Hotspots, Turns};
use super::measures::Measure;
use super::read_price::{ReadPrice, p99_words};
use crate::metrics::{
    BUSY, CLUSTER_BUSY, Counts, Hotspot, MetricId, NO_HOTSPOT_BELOW, PASSING, Part, Side,
};
use crate::text::{compact, counted, length, millis, percent, percent_to, times};
use crate::units::ByteSize;
use std::collections::BTreeMap;
use std::fmt;

/// A measured peak is what arithmetic gives when it lies within this factor of it (estimate: what chance adds to an even spread).
const AS_COUNTED: f64 = 1.1;
/// Fractions of operations below this are not worth a word.
const NOTABLE: f64 = 0.001;
/// Unfinished operations are worth one from here on: every run leaves a few in flight.
const NOTABLE_UNFINISHED: f64 = 0.01;
/// Dealings differ when the worse ones are this much above the better ones (estimate: what is worth a word).
const DIFFER: f64 = 1.25;
/// A relief by less than this factor is none that anybody would notice (estimate).
const WORTH_A_WORD: f64 = 1.1;
/// A run is held back when it does less than this part of what its servers could do, or of what was offered.
const HELD_BELOW: f64 = 0.9;
/// A slow server holds the others back when it is busy this many times as much as they are (estimate).
const BUSIER: f64 = 1.5;
/// A log that is written at this part of its bandwidth is full.
const LOG_FULL: f64 = 0.9;
/// Refused rows or calls that are worth a word.
const REFUSED: f64 = 0.01;

/// What a verdict is made from.
#[derive(Debug, Clone)]
pub(super) struct Verdict {
    /// Metrics of the run that are defined: means over its replicates.
    pub(super) means: BTreeMap<MetricId, f64>,
    pub(super) hotspots: Hotspots,
    /// What rates, response times and fractions are of.
    pub(super) load: Side,
    /// The load waits for its replies.
    pub(super) closed: bool,
    /// Everything that is written is an import.
    pub(super) imported: bool,
    /// Some import has rows left at the end.
    pub(super) import_unfinished: bool,
    /// The log of the busiest server has so many times what the mean of them has, where that is a hotspot of bytes and none of rows.
    pub(super) uneven_log: Option<f64>,
    /// Those that had joined by the middle of the window.
    pub(super) servers: u32,
    /// Of these, those that joined after the start.
    pub(super) joined: u32,
    /// The peak-to-mean of an even load: more than 1 where servers have died.
    pub(super) least_peak: f64,
    /// With whether it is a lower bound.
    pub(super) p99_ms: Option<(f64, bool)>,
    /// Rows that one operation writes: one of each table.
    pub(super) rows_per_write: f64,
    /// The table whose regions are the hottest: 0 the strategy's own, c its copy c - 1. What follows is this table's.
    pub(super) copy: usize,
    pub(super) leads_with_time: bool,
    /// As in results: the step of time that all split points of the strategy's own table lie in.
    pub(super) outlasting_step: Option<String>,
    pub(super) regions: usize,
    pub(super) reachable_regions: usize,
    /// Leading buckets of the key with a region each.
    pub(super) buckets: Option<usize>,
    /// The value that makes the hottest region hot, and its share of all writes.
    pub(super) entity: Option<(String, f64)>,
    /// The range of keys that stays hot: what its first keys and its last ones say.
    pub(super) hot_range: Option<String>,
    /// The read that makes most of the read demand and scans the whole table, with the fields that its reader knows, listed; empty without any.
    pub(super) scanned: Option<(String, String)>,
    /// What reads take in vain.
    pub(super) over_read: Option<OverRead>,
    /// Of the writes, or of the Gets.
    pub(super) hottest_row_share: f64,
    /// `key_floor`, or `read_key_floor`; while a hotspot passes.
    pub(super) key_floor: f64,
    /// What the lock of a row lets through a second, where that of the hottest one is always held.
    pub(super) row_lock: Option<f64>,
    /// Writes a second that row locks let through, where rows are incremented or appended to.
    pub(super) row_capacity: Option<f64>,
    /// How often a second that row is asked for at its most.
    pub(super) row_rate: f64,
    pub(super) duration_s: f64,
    pub(super) sample_s: f64,
    /// Servers that were slow for most of the window, with how many times.
    pub(super) slow: Vec<(u32, f64)>,
    /// Names of the neighbours, listed; empty without any.
    pub(super) neighbours: String,
    /// Clients of closed loops that write, to the end where others do.
    pub(super) clients: u32,
    /// What is seen in the course of replicate 0.
    pub(super) course: ClusterHistory,
    /// In file order.
    pub(super) reads: Vec<ReadPrice>,
}

/// Reads that ask for more than they get, where servers could do the load if they did not.
#[derive(Debug, Clone)]
pub(super) struct OverRead {
    /// The read that takes most in vain.
    pub(super) read: ReadPrice,
    /// The fields that it asks by, listed.
    pub(super) fields: String,
    /// Handlers that all reads take, and those that there are.
    pub(super) handlers: [f64; 2],
}

impl OverRead {
    /// The key that serves it.
    pub(super) fn needed_key(&self) -> String {
        let (read, fields) = (&self.read.name, &self.fields);
        format!(
            "`{read}` needs a key that lays what it asks for side by side, by {fields}: of the table, or of a copy in that order (`copies`)."
        )
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(hotspot), Some(_)) = (self.hotspot(), self.skew(MetricId::ServerMaxShare)) else {
            return match self.import_time() {
                Some(makespan) => write!(
                    f,
                    "The import was done after {}, too soon for a statement about skew: shorten `time.warmup` or import more.",
                    millis(makespan)
                ),
                None => f.write_str(
                    "Too few operations an interval for a statement about skew: sample longer or offer more.",
                ),
            };
        };
        let mut clauses = vec![match hotspot {
            _ if self.servers == 1 => "One server takes everything".to_owned(),
            _ => self.spread(hotspot) + &self.by_placement(hotspot),
        }];
        clauses.extend(self.also_hot());
        clauses.push(self.damage(hotspot));
        clauses.extend(self.held_back());
        let later = |step| format!("when `{step}` next changes, all writes go to one region");
        clauses.extend(self.outlasting_step.as_ref().map(later));
        clauses.extend(self.bound(hotspot));
        clauses.extend(self.changes());
        clauses.extend(self.unchanged());
        clauses.extend(ReadPrice::clauses(&self.reads));
        write!(f, "{}.", clauses.join("; "))
    }
}

/// What sentences call a class.
fn class(hotspot: Hotspot) -> &'static str {
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
    fn mean(&self, id: MetricId) -> Option<f64> {
        self.means.get(&id).copied()
    }

    /// Of a metric that is undefined where nothing was counted.
    fn count(&self, id: MetricId) -> f64 {
        self.mean(id).unwrap_or(0.0)
    }

    /// Of the operations whose hotspot the verdict begins with.
    pub(super) fn skew(&self, id: MetricId) -> Option<f64> {
        self.mean(id.of(self.skew_of()))
    }

    /// Of the operations that make the load.
    fn rate(&self, id: MetricId) -> Option<f64> {
        self.mean(id.of(self.load))
    }

    /// Whose hotspot the verdict begins with.
    pub(super) fn skew_of(&self) -> Side {
        self.hotspots.main()
    }

    /// That hotspot.
    pub(super) fn hotspot(&self) -> Option<Hotspot> {
        self.hotspots.of_side(self.skew_of())
    }

    /// What an open loop offers a second.
    pub(super) fn offered(&self) -> Option<f64> {
        self.rate(MetricId::WriteOffered).filter(|_| !self.closed)
    }

    /// An open loop offers more than is done. In a closed one every client has one operation in flight.
    pub(super) fn is_overloaded(&self) -> bool {
        let piles_up = self.mean(MetricId::Saturated) > Some(0.5) && self.offered().is_some();
        piles_up || self.is_full_by_neighbours()
    }

    /// Most of the time a server is full though the load is even: neighbours fill it, even where few of all operations pile up.
    fn is_full_by_neighbours(&self) -> bool {
        !self.neighbours.is_empty()
            && !self.hotspots.is_hot()
            && self.count(MetricId::HotTimeFraction) > 0.5
            && self.count(MetricId::UtilisationMean) < CLUSTER_BUSY
    }

    /// The copy that the hotspot is of; a bad placement is nobody's.
    pub(super) fn hot_copy(&self) -> Option<u32> {
        let of_table = !matches!(self.hotspot()?, Hotspot::None | Hotspot::Placement);
        (of_table && self.copy > 0).then_some(self.copy as u32)
    }

    /// It is one for less than half of the time.
    pub(super) fn passes(&self) -> bool {
        self.hotspots.passing[self.skew_of() as usize]
    }

    /// Servers take turns within an interval, and that is the hotspot.
    fn turns(&self, hotspot: Hotspot) -> Option<Turns> {
        let of_writes = hotspot == Hotspot::Moving && self.skew_of() == Side::Write;
        self.hotspots.turns.filter(|_| of_writes)
    }

    /// What sentences call a class, and the copy that it is of.
    pub(super) fn class(&self, hotspot: Hotspot) -> String {
        let copy = self.hot_copy().map(|copy| format!(" of copy {copy}"));
        class(hotspot).to_owned() + &copy.unwrap_or_default()
    }

    /// The share of the hottest server, and of a load that is not spread why it is that. Of one that is, whether that is as even as can be.
    fn spread(&self, hotspot: Hotspot) -> String {
        let (servers, of) = (self.servers, self.skew_of().plural());
        let share = percent(self.skew(MetricId::ServerMaxShare).unwrap_or(0.0));
        let even = percent(self.least_peak / f64::from(servers));
        if hotspot != Hotspot::None {
            let (class, cause) = (self.class(hotspot), self.cause(hotspot));
            // A moving hotspot's server changes: its share is that of each moment.
            let at_a_time = match hotspot {
                Hotspot::Moving => " at a time",
                _ => "",
            };
            if let Some(turns) = self.turns(hotspot) {
                let within = length(self.sample_s);
                let share = match self.rows_per_write {
                    1.0 => "all".to_owned(),
                    _ => percent(turns.peak / f64::from(servers)),
                };
                return format!(
                    "{class}: {cause} and servers take turns within an interval of {within}, so one of {servers} servers takes {share} of the {of}{at_a_time}"
                );
            }
            if self.hotspots.by_time {
                let peak = self.mean(MetricId::DemandPeakToMean).unwrap_or(1.0);
                let share = percent(peak / f64::from(servers));
                return format!(
                    "{class}: {cause}, so one of {servers} servers is asked for {share} of the handler time"
                );
            }
            if self.passes() {
                let (time, peak) = (MetricId::HotspotTimeFraction, MetricId::HotspotPeakToMean);
                let time = percent(self.skew(time).unwrap_or(0.0));
                let peak = self.skew(peak).unwrap_or(1.0);
                let most = percent(peak / f64::from(servers));
                // What else is the cause is known of the whole run alone.
                let cause = match hotspot {
                    Hotspot::Row => cause + ", and ",
                    _ => String::new(),
                };
                let usual = self.course.usual[self.skew_of() as usize];
                let usual = percent(usual.unwrap_or(1.0) / f64::from(servers));
                return format!(
                    "{class} that passes: {cause}for {time} of the time one of {servers} servers is full, asked for {most} of the {of}, {} the mean (mostly {usual})",
                    times(peak)
                );
            }
            let even = match self.after_deaths() {
                after if after.is_empty() => after,
                after => format!(" (even: {even}{after})"),
            };
            return format!(
                "{class}: {cause}, so one of {servers} servers takes {share} of the {of}{at_a_time}{even}"
            );
        }
        let uneven = self.uneven_count().filter(|it| it.0 > servers as usize);
        let uneven = uneven.map_or(String::new(), |(count, what)| {
            let most = count.div_ceil(servers as usize);
            let less = most - 1;
            format!(", as {count} {what} put {most} on some servers and {less} on others")
        });
        format!(
            "No hotspot: the busiest of {servers} servers takes {share} of the {of} (even: {even}{}){uneven}",
            self.after_deaths()
        )
    }

    /// How many servers died, in words.
    fn died(&self) -> Option<String> {
        match self.course.lost {
            0 => None,
            1 => Some("a server died".to_owned()),
            lost => Some(format!("{lost} servers died")),
        }
    }

    /// Servers have joined and are left without regions.
    pub(super) fn gives_joined_none(&self) -> bool {
        self.joined > 0 && self.course.lost == 0 && self.count(MetricId::Moves) == 0.0
    }

    /// Why an even share is more than one of all servers, where it is.
    fn after_deaths(&self) -> String {
        let died = self.died().filter(|_| self.least_peak > 1.0);
        died.map_or(String::new(), |died| format!(", as {died}"))
    }

    /// What other dealings of the same regions give, where that differs or is the cause.
    fn by_placement(&self, hotspot: Hotspot) -> String {
        let known = || {
            let mean = times(self.skew(MetricId::PlacementPeakMean)?);
            let low = self.skew(MetricId::PlacementPeakLow)?;
            let high = self.skew(MetricId::PlacementPeakHigh)?;
            let range = format!("[{}, {}]", times(low), times(high));
            let best = times(self.skew(MetricId::PlacementPeakBest)?);
            // That of the share before it, so that the two agree.
            let peak = times(self.skew(MetricId::ServerPeakToMean)?);
            Some(match hotspot {
                _ if self.passes() || self.hotspots.turns.is_some() => return None,
                _ if self.hotspots.by_time => return None,
                Hotspot::Placement => format!(
                    ", {peak} the mean: other dealings of the same regions give {mean} {range}, the best {best}"
                ),
                _ if high < DIFFER * low => return None,
                _ if self.skew(MetricId::ServerPeakToMean)? > DIFFER * high => {
                    format!(", {peak} the mean (other dealings of the same regions give {range})")
                }
                _ => format!(", {peak} the mean ({range} by how regions happen to lie)"),
            })
        };
        known().unwrap_or_default()
    }

    /// The hotspot of the reads where the verdict begins with that of the writes, or the other way round.
    pub(super) fn also_hot(&self) -> Option<String> {
        let of = match self.skew_of() {
            Side::Read => Side::Write,
            _ => Side::Read,
        };
        let hotspot = self.hotspots.of_side(of)?;
        let share = self.mean(MetricId::ServerMaxShare.of(of)).map(percent);
        let share = share.map_or(String::new(), |it| {
            format!(", one server takes {it} of them")
        });
        let (of, class) = (of.plural(), class(hotspot).to_lowercase());
        (hotspot != Hotspot::None).then(|| format!("the {of} have a {class} as well{share}"))
    }

    /// The buckets, or regions with about the same load, when their number is why the load is not even: they don't divide evenly among the servers,
    /// and the best dealing (where dealings are unknown, the run) has the peak that this makes.
    pub(super) fn uneven_count(&self) -> Option<(usize, &'static str)> {
        let (regions, servers) = (self.reachable_regions, self.servers as usize);
        // Of the few rows of an interval chance gives one region more than the others.
        let greatest = self.skew(MetricId::RegionMaxShareOverall).unwrap_or(1.0);
        let alike = regions >= servers && greatest * regions as f64 <= AS_COUNTED;
        let (count, what) = match self.buckets {
            Some(buckets) => (buckets, "buckets"),
            None => alike.then_some((regions, "regions"))?,
        };
        let best = most_even(count, servers)?;
        let dealt = self.skew(MetricId::PlacementPeakBest);
        let peak = dealt.or(self.skew(MetricId::ServerPeakToMean))?;
        let as_counted = peak <= AS_COUNTED * best && best <= AS_COUNTED * peak;
        (count % servers != 0 && as_counted).then_some((count, what))
    }

    /// Scans of the whole table are what makes its first servers hot: as long as they get on, they ask all.
    pub(super) fn piled_up_scan(&self, hotspot: Hotspot) -> Option<&(String, String)> {
        let by_keys = matches!(
            hotspot,
            Hotspot::Static | Hotspot::Moving | Hotspot::Lookback
        );
        let scanned = self.scanned.as_ref();
        scanned.filter(|_| by_keys && self.skew_of() == Side::Read)
    }

    /// Why one server is hot, as a clause.
    fn cause(&self, hotspot: Hotspot) -> String {
        let (servers, regions, reached) = (self.servers, self.regions, self.reachable_regions);
        let of_writes = self.skew_of() == Side::Write;
        let table = match self.copy {
            0 => "the table".to_owned(),
            copy => format!("copy {copy}"),
        };
        let too_few =
            |buckets: usize| format!("{} can't use {servers} servers", counted(buckets, "bucket"));
        let hot_row = || {
            let lock = self.row_lock.filter(|_| of_writes).map(compact);
            let lock = lock.map_or(String::new(), |lock| {
                format!(", and its lock lets {lock} a second through")
            });
            let share = percent(self.hottest_row_share);
            format!("a single row takes {share}{lock}")
        };
        let region = self.skew(MetricId::RegionMaxShare).map(percent);
        if let Some((read, _)) = self.piled_up_scan(hotspot) {
            return format!(
                "each `{read}` scans the whole table, and they pile up where it begins"
            );
        }
        match hotspot {
            _ if self.hotspots.by_time => {
                "reads that take long lie in one range of keys".to_owned()
            }
            Hotspot::Row => hot_row(),
            _ if regions == 1 && !self.leads_with_time => {
                format!("{table} has a single region")
            }
            Hotspot::PresplitMismatch => match self.buckets {
                Some(buckets) => too_few(buckets),
                None if reached == regions => {
                    format!("{table} has only {}", counted(regions, "region"))
                }
                None => format!("the keys reach only {reached} of {regions} regions"),
            },
            Hotspot::Placement if self.gives_joined_none() => {
                let joined = match self.joined {
                    1 => "server".to_owned(),
                    joined => format!("{joined} servers"),
                };
                format!("no region has moved to the {joined} that joined")
            }
            Hotspot::Placement => match self.skew(MetricId::PlacementPeakHigh) {
                high if high >= self.skew(MetricId::ServerPeakToMean) => {
                    "the regions lie as unevenly as chance deals them".to_owned()
                }
                _ => "the regions happen to lie badly".to_owned(),
            },
            Hotspot::Lookback => "the newest rows are read, and they are neighbours".to_owned(),
            Hotspot::Moving if self.leads_with_time && of_writes => {
                "the key follows time".to_owned()
            }
            Hotspot::Moving => {
                let come = if of_writes { "written" } else { "read" };
                format!("neighbouring keys are {come} one after another")
            }
            // Which range stays hot, and what it holds.
            Hotspot::None | Hotspot::Static => {
                match (self.uneven_count(), &self.entity, region, &self.hot_range) {
                    (Some((buckets, _)), ..) if buckets < servers as usize => too_few(buckets),
                    (Some((count, what)), ..) => {
                        format!("{count} {what} don't divide evenly among {servers} servers")
                    }
                    _ if self.key_floor >= NO_HOTSPOT_BELOW => hot_row(),
                    (_, Some((entity, share)), ..) if of_writes => {
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
        }
    }

    /// What it costs: throughput against the offered load or the capacity, the slowest percent, failures.
    fn damage(&self, hotspot: Hotspot) -> String {
        let mut parts = vec![self.throughput()];
        if hotspot == Hotspot::None && self.held_back().is_none() && self.is_overloaded() {
            parts.push("more asked for than the cluster can do".to_owned());
        }
        if self.import_unfinished {
            let duration = length(self.duration_s);
            parts.push(format!("the import not done after {duration}"));
        }
        parts.extend(self.p99_ms.map(p99_words));
        let failed = self.rate(MetricId::WriteFailedFraction);
        let failed = failed.filter(|failed| *failed >= NOTABLE);
        parts.extend(failed.map(|failed| format!("{} failed", percent(failed))));
        let refused = self.refused_calls();
        parts.extend(refused.map(|refused| format!("{} of the calls refused", percent(refused))));
        parts.extend(
            self.left()
                .map(|left| format!("{} unfinished at the end", percent(left))),
        );
        parts.join(", ")
    }

    /// The part of the calls that even servers refuse, as more come at a moment than their queues hold: operations are left, while handlers are idle for
    /// most of the time.
    pub(super) fn refused_at_a_moment(&self) -> Option<f64> {
        self.refused_calls().filter(|_| self.left().is_some())
    }

    /// The same, whether or not operations are left in the end: those that are tried again come late.
    fn refused_calls(&self) -> Option<f64> {
        let idle = self.count(MetricId::UtilisationMean) < CLUSTER_BUSY;
        let refused = self.mean(MetricId::RefusedCallsFraction);
        let refused = refused.filter(|refused| *refused >= REFUSED);
        refused.filter(|_| idle && !self.hotspots.is_hot())
    }

    /// The part of an open loop's operations that is unfinished at the end, when it is more than a few.
    fn left(&self) -> Option<f64> {
        let left = self.rate(MetricId::WriteUnfinishedFraction);
        left.filter(|left| *left >= NOTABLE_UNFINISHED && self.offered().is_some())
    }

    fn throughput(&self) -> String {
        let Some(throughput) = self.rate(MetricId::WriteThroughput) else {
            return format!("nothing was measured in {}", length(self.duration_s));
        };
        let (of, done) = (self.load.plural(), compact(throughput));
        // A whole import has nothing else to be measured against than its time.
        if let Some(makespan) = self.import_time() {
            return format!("done after {} at {done} {of}/s", millis(makespan));
        }
        match (self.offered(), self.capacity()) {
            (Some(offered), _) => {
                let done = match throughput >= NEARLY_ALL * offered && self.left().is_none() {
                    true => "all".to_owned(),
                    false => format!("{done} of"),
                };
                format!("{done} {} {of}/s completed", compact(offered))
            }
            (None, Some(capacity)) => {
                let part = percent((throughput / capacity).min(1.0));
                let cluster = self.cluster("servers");
                format!("{done} {of}/s, {part} of what {cluster} could do")
            }
            (None, None) => format!("{done} {of}/s"),
        }
    }

    /// What the servers could write a second, and the locks of rows let them.
    fn capacity(&self) -> Option<f64> {
        let of_one = self.mean(MetricId::ServerCapacity);
        let of_one = of_one.filter(|capacity| *capacity > 0.0);
        let of_servers = of_one? * f64::from(self.servers) / self.rows_per_write;
        Some(of_servers.min(self.row_capacity.unwrap_or(f64::INFINITY)))
    }

    /// `one server`, or so many of them.
    pub(super) fn cluster(&self, several: &str) -> String {
        match self.servers {
            1 => "one server".to_owned(),
            servers => format!("{servers} {several}"),
        }
    }

    /// What holds the run back, as a clause: the first that holds; `None` when nothing does, or nothing shows what.
    pub(super) fn held_back(&self) -> Option<String> {
        let refused = self.count(MetricId::RegionTooBusyFraction);
        if refused >= REFUSED {
            let refused = percent(refused);
            return Some(format!(
                "regions refuse {refused} of the rows (RegionTooBusy): memstores fill faster than they are flushed"
            ));
        }
        let could = match self.closed {
            true => self.capacity(),
            false => self.rate(MetricId::WriteOffered),
        };
        let could = could.filter(|could| *could > 0.0)?;
        let overloaded = self.is_overloaded();
        if self.rate(MetricId::WriteThroughput)? / could >= HELD_BELOW && !overloaded {
            return None;
        }
        let slowest = self.slow.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((server, slower)) = slowest.filter(|(server, _)| self.is_full(*server)) {
            // A server that clients wait for holds back all others.
            let so = match self.clients > 0 {
                true => "holds the clients",
                false => "can't keep up",
            };
            return Some(format!("server {server}, {} slower, {so}", times(*slower)));
        }
        if let Some(died) = self.died() {
            let all = self.course.utilisation.len();
            let left = all.saturating_sub(self.course.lost as usize);
            return Some(format!("{died}, {left} are left"));
        }
        let log = self.mean(MetricId::LogUtilisationMax);
        if let Some(share) = log.filter(|share| *share >= LOG_FULL) {
            let share = percent_to(share, 0);
            let uneven = self.uneven_log.filter(|_| !self.hotspots.is_hot());
            let uneven = uneven.map_or(String::new(), |peak| {
                format!(
                    ", {} the mean, as rows or values are of unlike size",
                    times(peak)
                )
            });
            return Some(format!(
                "the log of the busiest server is written at {share} of its bandwidth{uneven}"
            ));
        }
        let (busy, busiest) = (MetricId::UtilisationMean, MetricId::UtilisationMax);
        let (busy, busiest) = (self.count(busy), self.count(busiest));
        let hot = self.count(MetricId::HotTimeFraction);
        if self.hotspots.is_hot() {
            None
        } else if overloaded && busiest > 0.0 && busiest <= BUSY && hot < PASSING {
            // Clients have as many operations in flight as they may, or give up.
            let busiest = percent(busiest);
            let failed = self.rate(MetricId::WriteFailedFraction);
            let failed = failed.filter(|failed| *failed >= NOTABLE).map(percent);
            let so = failed.map_or("operations pile up".to_owned(), |failed| {
                format!("clients give up {failed} of the {}", self.load.plural())
            });
            Some(format!(
                "{so}, while at most {busiest} of a server's handlers are busy"
            ))
        } else if overloaded && busy > 0.0 && busy < CLUSTER_BUSY {
            // The load itself is spread: it is something else that fills a server.
            let with = match &self.neighbours[..] {
                "" => String::new(),
                names => format!("with what neighbours ask for ({names}), "),
            };
            let busy = percent(busy);
            Some(format!(
                "{with}a server is full, while {busy} of all handlers are busy"
            ))
        } else if self.clients == 0 {
            None
        } else if busy > BUSY {
            let busy = percent(busy);
            Some(format!("all servers are busy, {busy} of their handlers"))
        } else if busiest < BUSY {
            let clients = match self.clients {
                1 => "the only client waits for its own calls".to_owned(),
                clients => {
                    let clients = compact(f64::from(clients));
                    format!("{clients} clients wait for their own calls")
                }
            };
            let busiest = percent(busiest);
            Some(format!(
                "{clients}, and at most {busiest} of a server's handlers are busy: more clients would do more"
            ))
        } else {
            None
        }
    }

    /// How long the imports took, if they came to their end.
    fn import_time(&self) -> Option<f64> {
        let makespan = self.mean(MetricId::Makespan);
        makespan.filter(|_| self.imported && !self.import_unfinished)
    }

    /// A slow server is full while the others are not.
    fn is_full(&self, server: u32) -> bool {
        let busy = self.course.utilisation.get(server as usize);
        let busy = busy.copied().unwrap_or(0.0);
        let others = self.count(MetricId::UtilisationMean) * f64::from(self.servers) - busy;
        busy > BUSY && busy >= BUSIER * others / f64::from(self.servers.max(2) - 1)
    }

    /// The strongest bound that matters: rows before regions.
    fn bound(&self, hotspot: Hotspot) -> Option<String> {
        let peak = self.skew(MetricId::ServerPeakToMean)?;
        if hotspot == Hotspot::None || self.servers == 1 {
            return None;
        }
        let [by_row, by_region] = self.floors();
        // That of placement is of all of the window, and a median: it is shown only when it leaves most of the peak.
        let (cure, floor) = match by_row >= NO_HOTSPOT_BELOW {
            true => ("split", by_row),
            false if self.passes() || by_region < NO_HOTSPOT_BELOW.max(0.5 * peak) => return None,
            false => ("placement of whole regions", by_region),
        };
        let floor = times(floor);
        Some(format!(
            "no {cure} gets the hottest server below {floor} the mean"
        ))
    }

    /// What no split, and no placement of whole regions, can beat.
    pub(super) fn floors(&self) -> [f64; 2] {
        let placement = self.skew(MetricId::PlacementFloor).unwrap_or(1.0);
        // Where servers take turns within an interval, one has all at each moment however regions lie.
        let turns = self.hotspot().and_then(|hotspot| self.turns(hotspot));
        [self.key_floor, turns.map_or(placement, |turns| turns.peak)]
    }

    /// Splits and moves, and what became of the hotspot.
    fn changes(&self) -> Option<String> {
        let count = |id: MetricId, what: &str| {
            let number = self.count(id).round();
            let s = if number == 1.0 { "" } else { "s" };
            (number > 0.0).then(|| format!("{} {what}{s}", compact(number)))
        };
        let counts = [
            count(MetricId::Splits, "split"),
            count(MetricId::Moves, "move"),
        ];
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        let changes = (!counts.is_empty()).then(|| counts.join(" and "))?;
        // One that is hot to the end is not relieved because chance is kind to its last intervals.
        let ends_hot = |(_, last): (f64, f64)| last >= NO_HOTSPOT_BELOW;
        let stays = self.hotspots.is_hot() && self.course.peaks.is_some_and(ends_hot);
        let relief = self.mean(MetricId::TimeToRelief).filter(|_| !stays);
        let effect = match (relief, self.course.peaks) {
            _ if self.passes() => String::new(),
            (None, _) if !self.hotspots.is_hot() => String::new(),
            (None, None) => " left a server hot".to_owned(),
            (None, Some((first, last))) => {
                let (from, to) = (times(first), times(last));
                match last <= first / WORTH_A_WORD {
                    true => format!(" brought the hottest server from {from} to {to} the mean"),
                    false => format!(" left the hottest server at {to} the mean"),
                }
            }
            (Some(relief), _) if relief > 0.0 => {
                format!(" left no server hot from {} on", millis(relief))
            }
            (Some(_), _) => String::new(),
        };
        let rewritten = match self.count(MetricId::BytesRewritten) {
            bytes if bytes > 0.0 => format!(", {} rewritten", ByteSize::approximate(bytes)),
            _ => String::new(),
        };
        Some(format!("{changes}{effect}{rewritten}"))
    }

    /// Why the cluster leaves a hotspot as it is.
    fn unchanged(&self) -> Vec<String> {
        let mut clauses = Vec::new();
        if !self.hotspots.is_hot() {
            return clauses;
        }
        let starts = self.count(MetricId::BalancerStarts) > 0.0;
        // What moves did is said before.
        let is_told = starts && self.count(MetricId::Moves).round() > 0.0;
        let ran = self.count(MetricId::BalancerRuns) > 0.0;
        let finding = self.course.finding.as_ref();
        if let Some(finding) = finding.filter(|_| ran && !is_told) {
            // The stochastic balancer looks for moves by a random walk.
            let tries = match self.mean(MetricId::BalancerCost) {
                Some(_) => ", tries its steps",
                None => "",
            };
            clauses.push(match starts {
                false => format!("the balancer does not start: {finding}"),
                true => format!(
                    "the balancer starts ({finding}){tries} and leaves the hotspot as it was"
                ),
            });
        }
        let reason = self.course.no_split_row.iter();
        clauses.extend(reason.map(|it| format!("a region that is due to be split can't be: {it}")));
        clauses
    }
}

/// The peak-to-mean of `count` equal loads on `servers` servers, as evenly as they go: n x ceil(k / n) / k. `None` without any.
pub(super) fn most_even(count: usize, servers: usize) -> Option<f64> {
    (count > 0 && servers > 0)
        .then(|| servers as f64 * count.div_ceil(servers) as f64 / count as f64)
}

/// Throughput of at least this part of the offered load counts as all of it: a run ends with a few reads in flight.
pub(super) const NEARLY_ALL: f64 = 0.99;
/// Reads of a replicate that may be in flight at its end without having piled up.
pub(super) const A_FEW: u64 = 10;

/// More than so many times as many in flight as are at any time (Little's law) are a backlog (estimate: chance adds a sixth to 36 of each of one replicate).
const BACKLOG: f64 = 1.25;

/// The run's own evidence that nothing piles up: in no replicate do more and more operations get in flight, and no server is full. What is left over at the end is
/// merely under way, however long that takes.
pub(super) fn nothing_piles_up(mean: impl Fn(MetricId) -> Option<f64>) -> bool {
    mean(MetricId::Saturated) == Some(0.0)
        && mean(MetricId::UtilisationMax).is_some_and(|busiest| busiest <= BUSY)
        && mean(MetricId::HotTimeFraction).is_none_or(|hot| hot < PASSING)
}

/// How long an operation takes, in milliseconds: its mean, which many that are under way leave open, or make too short. Where nothing piles up, the longest percent, which
/// is known as soon as those have ended that began early.
pub(super) fn known_length<'a>(
    part: impl Fn(Part) -> Option<&'a Measure>,
    is_steady: bool,
) -> Option<f64> {
    let known = |of: Part| part(of).filter(|it| !it.censored)?.mean;
    let longest = known(Part::P99).filter(|_| is_steady);
    longest.or_else(|| known(Part::Mean))
}

/// Less is completed than offered a second, and more than a few are left over: more than those that are in flight at any time where each takes as long as
/// `length` (see [`known_length`]), unless that is open.
pub(super) fn is_piling_up(
    [done, offered]: [f64; 2],
    counts: &Counts,
    replicates: u32,
    length: Option<f64>,
) -> bool {
    let left = counts.failed + counts.in_flight;
    let known = length.filter(|_| counts.failed == 0);
    let in_flight = known.map_or(0.0, |ms| ms / 1e3 * offered);
    done < NEARLY_ALL * offered
        && left >= A_FEW * u64::from(replicates)
        && left as f64 > BACKLOG * in_flight * f64::from(replicates)
}
