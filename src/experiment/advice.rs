//! What to do about a strategy's hotspot: its class, which segment of the key causes it, a cure to paste in, and the bounds that no
//! balancer beats. Must not compute evidence, nor say what it costs (the verdict does).

use super::verdict::{Verdict, most_even};
use crate::key::{Randomness, Segment};
use crate::layout::EntityShare;
use crate::metrics::{Hotspot, MetricId, Side};
use crate::policy::SplitAlgorithm;
use crate::record::{FieldId, FieldKind};
use crate::scenario::{Presplit, Strategy};
use crate::text::{capital, compact, counted, percent, times};
use std::fmt;

/// A salt has at most so many values.
const MOST_BUCKETS: u32 = 256;
/// Regions of a server when split points are taken at the quantiles of the keys: what the balancer can deal out evenly.
const REGIONS_A_SERVER: u32 = 4;

/// Of rows of which more are late a moment has those of many times.
const HALF: f64 = 0.5;

/// A region for each bucket.
const BY_BUCKETS: &str = "presplit = { algorithm = \"buckets\" }";

/// The advice of one strategy.
pub(super) struct Advice<'a> {
    pub(super) verdict: &'a Verdict,
    pub(super) parts: &'a KeyParts,
    /// Whether a lead of the key (`salt(16, user)`) spreads its rows.
    pub(super) spreads: &'a dyn Fn(&str) -> bool,
}

impl fmt::Display for Advice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = self.verdict;
        match verdict.hotspot() {
            None => f.write_str("No advice without a statement about skew."),
            Some(hotspot) if hotspot != Hotspot::None && verdict.servers > 1 => {
                let (cause, cure) = (self.cause(hotspot), self.cure(hotspot));
                let class = verdict.class(hotspot);
                let text = format!("{class}: {cause} {cure} {}", self.floors());
                f.write_str(text.trim_end())
            }
            Some(_)
                if verdict.is_overloaded()
                    && let Some(over_read) = &verdict.over_read =>
            {
                let ([taken, all], read) = (over_read.handlers.map(compact), &over_read.read);
                let needed = over_read.needed_key();
                write!(
                    f,
                    "Another key may cure this: {read}, and reads take {taken} of {all} handlers. {needed}"
                )
            }
            Some(_)
                if verdict.is_overloaded()
                    && let Some(held) = verdict.held_back() =>
            {
                if verdict.uneven_log.is_some() {
                    let what = self.spreading(self.parts.salts());
                    let salted = capital(&self.salted(what.or(Some(&self.parts.whole))));
                    return write!(f, "Another key may cure this: {held}. {salted}.");
                }
                write!(f, "No key cures this: {held}.")
            }
            Some(_) if verdict.refused_at_a_moment().is_some() => f.write_str(
                "No key cures this: more calls come at a moment than the queues of the servers hold, and those that are refused wait. Spread the writes in time \
                 (`jitter`), or lengthen the queues (`cluster.call_queue_length`).",
            ),
            Some(_) if verdict.is_overloaded() => {
                let cluster = verdict.cluster("evenly loaded servers");
                write!(
                    f,
                    "No key cures this: the load is more than {cluster} can do."
                )
            }
            Some(_) => f.write_str("Nothing to cure."),
        }
    }
}

impl Advice<'_> {
    fn is_of_reads(&self) -> bool {
        self.verdict.skew_of() == Side::Read
    }

    /// Why, behind the class.
    fn cause(&self, hotspot: Hotspot) -> String {
        let (verdict, lead) = (self.verdict, &self.parts.lead);
        let (servers, of) = (verdict.servers, verdict.skew_of().plural());
        if let Some((read, _)) = verdict.piled_up_scan(hotspot) {
            return format!(
                "every `{read}` scans the whole table from its first region on, and few get any further."
            );
        }
        match hotspot {
            Hotspot::None => String::new(),
            Hotspot::Row => {
                let share = percent(verdict.hottest_row_share);
                let lock = verdict.row_lock.filter(|_| !self.is_of_reads());
                let lock = lock.map(compact);
                let lock = lock.map_or(String::new(), |lock| {
                    format!(", one at a time, {lock} a second at most")
                });
                let then = if verdict.passes() { " then" } else { "" };
                format!("one row takes {share} of the {of}{then}{lock}, and a row is never split.")
            }
            Hotspot::Placement => {
                let best = times(verdict.skew(MetricId::PlacementPeakBest).unwrap_or(1.0));
                let not = match verdict.also_hot() {
                    None => "it is not the key".to_owned(),
                    Some(_) => format!("of the {of} it is not the key"),
                };
                format!(
                    "{not}; the same regions can lie so that the hottest server has {best} the mean."
                )
            }
            Hotspot::Lookback if verdict.leads_with_time => {
                format!("readers ask for rows of one time, and `{lead}` lays them side by side.")
            }
            Hotspot::Lookback => "readers ask for rows that lie side by side.".to_owned(),
            Hotspot::PresplitMismatch if verdict.regions == 1 => {
                format!("a single region can't use {servers} servers.")
            }
            Hotspot::PresplitMismatch => {
                let (reached, regions) = (verdict.reachable_regions, verdict.regions);
                format!("the keys reach {reached} of {regions} regions, on {servers} servers.")
            }
            Hotspot::Moving if verdict.leads_with_time && !self.is_of_reads() => {
                format!(
                    "the first segment, `{lead}`, follows time, so that all rows of a moment lie side by side."
                )
            }
            Hotspot::Moving if self.is_of_reads() => {
                format!("rows are read in the order of their keys, by `{lead}`.")
            }
            Hotspot::Moving => format!("rows arrive in the order of their keys, by `{lead}`."),
            Hotspot::Static if verdict.hotspots.by_time => {
                format!("one range of `{lead}` has most of the reads that take long.")
            }
            Hotspot::Static => {
                let region = verdict.skew(MetricId::RegionMaxShare).map(percent);
                match (self.skewed(), region) {
                    _ if let Some((count, what)) = verdict.uneven_count() => {
                        format!("each of the {count} {what} has about as many of the {of}.")
                    }
                    (Some((segment, value, share)), _) => {
                        let share = percent(*share);
                        format!(
                            "`{value}` has {share} of the {of}, and `{segment}` lays its rows side by side."
                        )
                    }
                    (None, Some(share)) => {
                        format!("one range of `{lead}` has {share} of the {of}.")
                    }
                    (None, None) => format!("one range of `{lead}` stays hot."),
                }
            }
        }
    }

    fn cure(&self, hotspot: Hotspot) -> String {
        let (parts, servers, buckets) = (self.parts, self.verdict.servers, self.buckets());
        // Rows that share the load of a hot one so that each is below the mean of a server, and takes half of what its lock lets through.
        let hottest = self.verdict.hottest_row_share;
        let lock = self.verdict.row_lock.filter(|_| !self.is_of_reads());
        let locks = lock.map_or(0.0, |lock| 2.0 * self.verdict.row_rate / lock);
        let rows = libm::ceil(locks.max(hottest * f64::from(servers))).max(2.0);
        if let Some((read, known)) = self.verdict.piled_up_scan(hotspot) {
            let key = match known.as_str() {
                "" => "one in the order that it asks for".to_owned(),
                known => format!("one that begins with {known}"),
            };
            return format!(
                "No salt and no split changes that. `{read}` needs another key, {key}: of the table, or of a copy in that order (`copies`)."
            );
        }
        let is_of_range = matches!(
            hotspot,
            Hotspot::Static | Hotspot::Moving | Hotspot::Lookback
        );
        if let Some(over_read) = &self.verdict.over_read
            && self.is_of_reads()
            && is_of_range
        {
            return format!(
                "A salt spreads what is read in vain, and does not lessen it. {}",
                over_read.needed_key()
            );
        }
        match hotspot {
            Hotspot::None => String::new(),
            // A hot row is read in several places.
            Hotspot::Row if self.is_of_reads() => format!(
                "No salt, hash or split changes that: a Get of one row asks one server. Keep the row where its readers are (a cache), or write it \
                 {rows} times, `be1(copy)` in front of the key, and let each reader choose a copy."
            ),
            // A hot row is written as several.
            Hotspot::Row => {
                let bytes = if rows > 256.0 { 2 } else { 1 };
                let unused = parts.unused.join("`, `");
                let further = match parts.unused.len() {
                    0 => "No key over the same fields helps".to_owned(),
                    1 => format!("Add `{unused}` to the key if its rows are to be told apart"),
                    _ => {
                        format!("Add one of `{unused}` to the key if its rows are to be told apart")
                    }
                };
                format!(
                    "{further}; a counter is kept in {rows:.0} rows, with `be{bytes}(random({rows:.0}))` in the key, and readers add them up."
                )
            }
            // The same regions are dealt otherwise, or there are so many that chance evens out.
            Hotspot::Placement => {
                let regions = REGIONS_A_SERVER * servers;
                format!(
                    "Let a balancer place them that looks at their load (`balancer.policy = \"load\"`), or move the hot ones by hand; of {regions} regions that \
                     are asked at a time, or more, chance makes less."
                )
            }
            // What is read is laid apart.
            Hotspot::Static if self.is_of_reads() => {
                let what = self.spreading(parts.salts()).or(Some(&parts.whole));
                let salted = capital(&self.salted(what));
                format!(
                    "{salted}: a Get by all of that stays one Get, a scan of neighbouring keys asks all {buckets} buckets."
                )
            }
            // The keys get as many regions as servers need.
            Hotspot::PresplitMismatch => match (parts.leading_buckets, &parts.lead) {
                (Some(few), lead) if few < servers as usize => format!(
                    "`{lead}` has {} for {servers} servers: give it {buckets}, a multiple of the servers, and each a region, `{BY_BUCKETS}`.",
                    counted(few, "value")
                ),
                // With a region each, values that never come are why too few are reached.
                (Some(buckets), lead)
                    if buckets <= MOST_BUCKETS as usize && !parts.has_bucket_regions =>
                {
                    format!(
                        "Give each of the {buckets} values of `{lead}` its region: `{BY_BUCKETS}`."
                    )
                }
                // A value that is cut by time has one hot region at each moment.
                _ if parts.time_is_second && self.skewed().is_some() => self.apart(),
                _ => self.at_quantiles().unwrap_or_else(|| self.apart()),
            },
            Hotspot::Lookback => {
                let keep = "If it is the newest data, keep it in memory: a read from memory costs the same server less.";
                let what = self.spreading(parts.salts());
                what.map_or(keep.to_owned(), |_| {
                    let salted = self.salted(what);
                    format!("Spread what is read together: {salted}. {keep}")
                })
            }
            Hotspot::Moving => self.away_from_time(),
            Hotspot::Static => self.apart(),
        }
    }

    /// As many regions as keys reach now, or more; `None` where they are cut so, and there are enough of them, and where the rows of a moment go to fewer regions
    /// than there are servers however the key is cut.
    fn at_quantiles(&self) -> Option<String> {
        let (servers, reached) = (self.verdict.servers, self.verdict.reachable_regions as u32);
        let least = REGIONS_A_SERVER * servers;
        let regions = least.max(reached.next_multiple_of(servers));
        let is_cut = self.parts.is_sampled && reached >= least;
        let spreads = self
            .parts
            .regions_of_moment
            .is_none_or(|it| it >= u64::from(servers));
        (!is_cut && spreads).then(|| format!(
            "Take split points at the quantiles of the keys: `presplit = {{ algorithm = \"sampled\", regions = {regions} }}`."
        ))
    }

    fn away_from_time(&self) -> String {
        let by_time = self.verdict.leads_with_time;
        let order = match self.parts.imported && !by_time {
            true => "Import the rows in another order (`order = \"shuffled\"`), or: ",
            false => "",
        };
        let identity = self.spreading(&self.parts.identity);
        if identity.is_none() {
            let salted = self.salted(self.spreading([&self.parts.whole]));
            let buckets = self.buckets();
            return format!(
                "{order}It has nothing besides time that spreads its rows: {salted}, and a range of time is read from all {buckets} buckets."
            );
        }
        let salted = capital(&self.salted(identity));
        match self.spreading(self.parts.first.as_ref().filter(|_| by_time)) {
            Some(first) => format!("{salted}, or lead with `{first}`."),
            None => format!("{order}{salted}."),
        }
    }

    /// The rows of a hot value are laid apart.
    fn apart(&self) -> String {
        let (servers, better) = (self.verdict.servers, self.buckets());
        let peak = |buckets| most_even(buckets, servers as usize).unwrap_or(1.0);
        let uneven = self.verdict.uneven_count();
        if let Some((count, what)) = uneven.filter(|it| peak(better as usize) < peak(it.0)) {
            return format!(
                "{count} {what} don't divide evenly among {servers} servers: take {better}."
            );
        }
        if self.skewed().is_none()
            && let Some(quantiles) = self.at_quantiles()
        {
            return quantiles;
        }
        let what = self.spreading(self.parts.salts());
        let salted = match what {
            Some(_) => capital(&self.salted(what)),
            None => {
                "The key knows nothing that tells its rows apart: ".to_owned() + &self.salted(None)
            }
        };
        format!("{salted}; who reads all rows of one value asks all {better} buckets.")
    }

    /// The first of these whose buckets spread the rows.
    fn spreading<'s>(&self, of: impl IntoIterator<Item = &'s String>) -> Option<&'s String> {
        let spreads = |what: &&String| (self.spreads)(&self.buckets_of(Some(what)));
        of.into_iter().find(spreads)
    }

    /// Buckets that are computed, or random ones.
    fn buckets_of(&self, what: Option<&String>) -> String {
        let buckets = self.buckets();
        match what {
            Some(what) => format!("salt({buckets}, {what})"),
            None => format!("be1(random({buckets}))"),
        }
    }

    /// A clause that puts buckets in front.
    fn salted(&self, what: Option<&String>) -> String {
        let front = self.buckets_of(what);
        format!("put `{front}` in front, with `{BY_BUCKETS}`")
    }

    /// Two a server: a multiple deals out evenly, and a second one lets the balancer even out what chance leaves.
    fn buckets(&self) -> u32 {
        match self.verdict.servers {
            servers if servers <= MOST_BUCKETS / 2 => 2 * servers,
            servers => servers.min(MOST_BUCKETS),
        }
    }

    /// The segment, value and share of the value that explains the hottest region.
    fn skewed(&self) -> Option<&(String, String, f64)> {
        let skewed = self.parts.skewed.as_ref();
        skewed.filter(|_| !self.is_of_reads())
    }

    fn floors(&self) -> String {
        // These are of how many reads there are.
        if self.verdict.hotspots.by_time {
            return String::new();
        }
        let [key, placement] = self.verdict.floors().map(times);
        let (of, prefix) = match self.is_of_reads() {
            true => ("reads of the hottest server", "read_"),
            false => ("hottest server", ""),
        };
        format!(
            "No balancer gets the {of} below {placement} the mean (`{prefix}placement_floor`), no split below {key} (`{prefix}key_floor`)."
        )
    }
}

/// Fields that are named at most, of those that a key leaves out.
const FEW: usize = 3;

/// The parts, each as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct KeyParts {
    /// The first segment that is no constant.
    pub(super) lead: String,
    /// The first segment that has nothing to do with time.
    pub(super) first: Option<String>,
    /// All segments that have nothing to do with time, joined: what a salt is computed from so that readers know it.
    pub(super) identity: Option<String>,
    /// The same with the segments of time.
    pub(super) whole: String,
    /// The segment that holds the value which makes a range hot, the value (`sensor 17`) and its share of the operations.
    pub(super) skewed: Option<(String, String, f64)>,
    /// Time follows the leading segment.
    pub(super) time_is_second: bool,
    /// Regions that the rows of a moment go to at most: one where time leads, one for each value that it follows; `None` where nothing is known.
    pub(super) regions_of_moment: Option<u64>,
    /// Stored fields that the key leaves out, if they are few.
    pub(super) unused: Vec<String>,
    /// Values of the leading bucket.
    pub(super) leading_buckets: Option<usize>,
    /// The table is pre-split at each of them.
    pub(super) has_bucket_regions: bool,
    /// It is pre-split at quantiles.
    pub(super) is_sampled: bool,
    /// Some write is an import.
    pub(super) imported: bool,
}

impl KeyParts {
    /// What a salt may be computed from: what readers know, or else all of the key.
    fn salts(&self) -> impl Iterator<Item = &String> {
        self.identity.iter().chain([&self.whole])
    }

    /// The parts of the key of a strategy's own table (0) or of a copy; `entities` are values that make a range hot, hottest first.
    pub(super) fn of(strategy: &Strategy, table: usize, entities: &[EntityShare]) -> Self {
        let (key, schema) = (strategy.key_of(table), &strategy.setup.schema);
        let segments = key.segments().iter();
        let varying: Vec<&Segment> = segments.filter(|it| it.constant().is_none()).collect();
        let times = varying.iter().filter(|segment| segment.follows_time());
        let times: Vec<FieldId> = times.flat_map(|it| it.fields()).copied().collect();
        // What later segments say as well (a salt, a hash in front) is left out.
        let said_later = |at: usize| {
            let later = varying[at + 1..].iter().flat_map(|later| later.fields());
            let later: Vec<&FieldId> = later.collect();
            varying[at].fields().iter().all(|it| later.contains(&it))
        };
        let is_plain = |&at: &usize| !varying[at].fields().is_empty() && !said_later(at);
        let plain = (0..varying.len()).filter(is_plain);
        let plain: Vec<&Segment> = plain.map(|at| varying[at]).collect();
        // A cycle of the time (`ts / 300 % 16`) tells nothing else, a hash of it spreads.
        let is_timeless = |it: &&Segment| {
            let mut fields = it.fields().iter();
            let is_cycle = it.randomness() == Randomness::Plain
                && fields
                    .clone()
                    .all(|field| schema.domain(*field).follows_time);
            !is_cycle && !fields.any(|field| times.contains(field))
        };
        let timeless: Vec<&Segment> = plain.iter().copied().filter(is_timeless).collect();
        let presplit = strategy.presplit_of(table);
        let used = key.fields();
        let fields = (0..).map(FieldId).zip(&schema.fields);
        let unused = fields.filter(|(id, field)| !used.contains(id) && field.has_name());
        let unused: Vec<String> = unused.map(|(_, field)| field.name.clone()).collect();
        let text = |segment: &&Segment| segment.expression.clone();
        let writes = &strategy.setup.workload.writes;
        let is_moment = |field: &FieldId| match schema.field(*field).kind {
            FieldKind::Timestamp { late, .. } => late.is_none_or(|it| it.fraction <= HALF),
            FieldKind::Sequence { .. } => true,
            _ => false,
        };
        let of_moment = |segment: &&&Segment| {
            let fields = segment.fields();
            !fields.is_empty() && fields.iter().all(is_moment)
        };
        let regions_of_moment = match &varying[..] {
            [lead, ..] if of_moment(&lead) && lead.randomness() == Randomness::Plain => Some(1),
            [lead, next, ..] if next.follows_time() && of_moment(&next) => lead.cardinality(),
            _ => None,
        };
        Self {
            lead: varying.first().map_or(String::new(), text),
            first: timeless.first().map(text),
            identity: (!timeless.is_empty()).then(|| joined(&timeless)),
            whole: joined(&plain),
            skewed: entities.iter().find_map(|entity| {
                let field = schema.find(&entity.field)?;
                let holds = |segment: &&&Segment| segment.fields().contains(&field);
                let segment = plain.iter().find(holds)?;
                let value = format!("{} {}", entity.field, entity.value);
                Some((segment.expression.clone(), value, entity.share))
            }),
            regions_of_moment,
            time_is_second: varying.get(1).is_some_and(|it| it.follows_time()),
            unused: Some(unused)
                .filter(|unused| unused.len() <= FEW)
                .unwrap_or_default(),
            leading_buckets: key.leading_buckets().map(|buckets| buckets.len()),
            has_bucket_regions: matches!(presplit, Presplit::Fixed { algorithm, .. } if *algorithm == Some(SplitAlgorithm::Buckets)),
            is_sampled: matches!(presplit, Presplit::Sampled { .. }),
            imported: writes.iter().any(|write| write.load.import().is_some()),
        }
    }
}

/// One expression of several segments.
fn joined(segments: &[&Segment]) -> String {
    let texts: Vec<&str> = segments.iter().map(|s| s.expression.as_str()).collect();
    let all_text = segments.iter().all(|segment| segment.is_text());
    texts.join(if all_text { " + " } else { " || " })
}
