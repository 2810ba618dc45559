//! What to do about a strategy's hotspot: its class, which segment of the key causes it, a cure to paste in, and the bounds that no
//! balancer beats. Must not compute evidence, nor say what it costs (the verdict does).

use super::dealings::most_even;
use super::key_parts::KeyParts;
use super::verdict::{Verdict, class};
use crate::metrics::{Hotspot, Side};
use crate::text::{percent, times};
use std::fmt;

/// A salt has at most so many values.
const MOST_BUCKETS: u32 = 256;
/// Regions of a server when split points are taken at the quantiles of the keys: what the balancer can deal out evenly.
const REGIONS_A_SERVER: u32 = 4;

/// The advice of one strategy.
pub(super) struct Advice<'a> {
    pub(super) verdict: &'a Verdict,
    pub(super) parts: &'a KeyParts,
}

impl fmt::Display for Advice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = self.verdict;
        let Some(hotspot) = verdict.hotspot else {
            return write!(f, "No advice without a statement about skew.");
        };
        if hotspot == Hotspot::None || verdict.servers == 1 {
            return match verdict.saturated && verdict.offered_per_sec.is_some() {
                true => write!(
                    f,
                    "No key cures this: the load is more than {} can do.",
                    match verdict.servers {
                        1 => "one server".to_owned(),
                        servers => format!("{servers} evenly loaded servers"),
                    }
                ),
                false => write!(f, "Nothing to cure."),
            };
        }
        let (cause, cure) = (self.cause(hotspot), self.cure(hotspot));
        write!(f, "{}: {cause} {cure} {}", class(hotspot), self.floors())
    }
}

impl Advice<'_> {
    /// Why, behind the class.
    fn cause(&self, hotspot: Hotspot) -> String {
        let (verdict, lead) = (self.verdict, &self.parts.lead);
        match hotspot {
            Hotspot::None => String::new(),
            Hotspot::Row => format!(
                "one row takes {} of the {}, and a row is never split.",
                percent(verdict.hottest_row_share),
                verdict.skew_of.plural()
            ),
            Hotspot::Placement => {
                let best = verdict.dealings.map_or(1.0, |dealings| dealings.best);
                format!(
                    "it is not the key; the same regions can lie so that the hottest server has {} the mean.",
                    times(best)
                )
            }
            Hotspot::Lookback if verdict.leads_with_time => {
                format!("readers ask for rows of one time, and `{lead}` lays them side by side.")
            }
            Hotspot::Lookback => "readers ask for rows that lie side by side.".to_owned(),
            Hotspot::PresplitMismatch if verdict.regions == 1 => {
                format!("a single region can't use {} servers.", verdict.servers)
            }
            Hotspot::PresplitMismatch => format!(
                "the keys reach {} of {} regions, on {} servers.",
                verdict.reachable_regions, verdict.regions, verdict.servers
            ),
            Hotspot::Moving if verdict.leads_with_time && verdict.skew_of == Side::Write => {
                format!(
                    "the first segment, `{lead}`, follows time, so that all rows of a moment lie side by side."
                )
            }
            Hotspot::Moving => {
                let come = match verdict.skew_of {
                    Side::Read => "are read",
                    _ => "arrive",
                };
                format!("rows {come} in the order of their keys, by `{lead}`.")
            }
            Hotspot::Static => match (self.skewed(), verdict.region_max_share) {
                (Some((segment, value, share)), _) => format!(
                    "`{value}` has {} of the {}, and `{segment}` lays its rows side by side.",
                    percent(share),
                    verdict.skew_of.plural()
                ),
                (None, Some(share)) => format!(
                    "one range of `{lead}` has {} of the {}.",
                    percent(share),
                    verdict.skew_of.plural()
                ),
                (None, None) => format!("one range of `{lead}` stays hot."),
            },
        }
    }

    fn cure(&self, hotspot: Hotspot) -> String {
        match hotspot {
            Hotspot::None => String::new(),
            Hotspot::Row if self.verdict.skew_of == Side::Read => self.read_elsewhere(),
            Hotspot::Row => self.several_rows(),
            Hotspot::Placement => self.placed_anew(),
            Hotspot::Static if self.verdict.skew_of == Side::Read => self.read_apart(),
            Hotspot::PresplitMismatch => self.regions_for_all(),
            Hotspot::Lookback => match &self.parts.identity {
                Some(identity) => format!(
                    "Spread what is read together: {}. If it is the newest data, keep it in memory: a read from memory costs the same server less.",
                    self.salted(identity)
                ),
                None => "If it is the newest data, keep it in memory: a read from memory costs the same server less.".to_owned(),
            },
            Hotspot::Moving => self.away_from_time(),
            Hotspot::Static => self.apart(),
        }
    }

    /// A hot row is read in several places.
    fn read_elsewhere(&self) -> String {
        let copies = self.rows_for_one();
        format!(
            "No salt, hash or split changes that: a Get of one row asks one server. Keep the row where its readers are (a cache), or write it \
             {copies} times, `be1(copy)` in front of the key, and let each reader choose a copy."
        )
    }

    /// What is read is laid apart.
    fn read_apart(&self) -> String {
        let what = self.parts.identity.as_ref().unwrap_or(&self.parts.whole);
        format!(
            "{}: a Get by all of that stays one Get, a scan of neighbouring keys asks all {} buckets.",
            capital(&self.salted(what)),
            self.buckets()
        )
    }

    /// The same regions are dealt otherwise, or there are so many that chance evens out.
    fn placed_anew(&self) -> String {
        format!(
            "Let a balancer place them that looks at their load (`balancer.policy = \"load\"`), or move the hot ones by hand; of {} regions that \
             are asked at a time, or more, chance makes less.",
            REGIONS_A_SERVER * self.verdict.servers
        )
    }

    /// Rows that share the load of a hot one so that each is below the mean of a server.
    fn rows_for_one(&self) -> f64 {
        let share = self.verdict.hottest_row_share;
        libm::ceil(share * f64::from(self.verdict.servers)).max(2.0)
    }

    /// A hot row is written as several.
    fn several_rows(&self) -> String {
        let rows = self.rows_for_one();
        let bytes = if rows > 256.0 { 2 } else { 1 };
        let further = match &self.parts.unused[..] {
            [] => "No key over the same fields helps".to_owned(),
            [only] => format!("Add `{only}` to the key if its rows are to be told apart"),
            several => format!(
                "Add one of `{}` to the key if its rows are to be told apart",
                several.join("`, `")
            ),
        };
        format!(
            "{further}; a counter is kept in {rows:.0} rows, with `be{bytes}(random({rows:.0}))` in the key, and readers add them up."
        )
    }

    /// The keys get as many regions as servers need.
    fn regions_for_all(&self) -> String {
        let verdict = self.verdict;
        let servers = verdict.servers as usize;
        let buckets = self.parts.leading_buckets;
        if let Some(few) = buckets.filter(|buckets| *buckets < servers) {
            return format!(
                "`{}` has {few} values for {servers} servers: give it {}, a multiple of the servers, and each a region, `presplit = {{ algorithm = \"buckets\" }}`.",
                self.parts.lead,
                self.buckets()
            );
        }
        match buckets {
            Some(buckets) if buckets <= MOST_BUCKETS as usize => format!(
                "Give each of the {buckets} values of `{}` its region: `presplit = {{ algorithm = \"buckets\" }}`.",
                self.parts.lead
            ),
            _ => self.at_quantiles(),
        }
    }

    fn at_quantiles(&self) -> String {
        format!(
            "Take split points at the quantiles of the keys: `presplit = {{ algorithm = \"sampled\", regions = {} }}`.",
            REGIONS_A_SERVER * self.verdict.servers
        )
    }

    fn away_from_time(&self) -> String {
        let order = if self.parts.imported && !self.verdict.leads_with_time {
            "Import the rows in another order (`order = \"shuffled\"`), or: "
        } else {
            ""
        };
        match (&self.parts.identity, &self.parts.first) {
            (Some(identity), Some(first)) if self.verdict.leads_with_time => {
                format!(
                    "{}, or lead with `{first}` if it has many values.",
                    capital(&self.salted(identity))
                )
            }
            (Some(identity), _) => format!("{order}{}.", capital(&self.salted(identity))),
            (None, _) => format!(
                "{order}It has no field besides time to spread by: {}, and a range of time is read from all {} buckets.",
                self.salted(&self.parts.whole),
                self.buckets()
            ),
        }
    }

    /// The rows of a hot value are laid apart.
    fn apart(&self) -> String {
        let servers = self.verdict.servers;
        let Some((segment, ..)) = self.skewed() else {
            let better = self.buckets() as usize;
            let peak = |buckets| most_even(buckets, servers as usize).unwrap_or(1.0);
            return match self.verdict.uneven_count() {
                Some(buckets) if peak(better) < peak(buckets) => format!(
                    "{buckets} buckets don't divide evenly among {servers} servers: take {better}."
                ),
                _ => self.at_quantiles(),
            };
        };
        let buckets = self.buckets();
        let what = match &self.parts.identity {
            Some(identity) if identity != segment => identity,
            // A salt over the hot value alone would move it as a whole.
            _ if self.parts.whole != *segment => &self.parts.whole,
            _ => {
                return format!(
                    "The key knows nothing that tells its rows apart: put `be1(random({buckets}))` in front, and let readers ask all {buckets} buckets."
                );
            }
        };
        format!(
            "{}; who reads all rows of one value asks all {buckets} buckets.",
            capital(&self.salted(what))
        )
    }

    /// A clause that puts a salt in front.
    fn salted(&self, what: &str) -> String {
        format!(
            "put `salt({}, {what})` in front, with `presplit = {{ algorithm = \"buckets\" }}`",
            self.buckets()
        )
    }

    /// Two a server: a multiple deals out evenly, and a second one lets the balancer even out what chance leaves.
    fn buckets(&self) -> u32 {
        match self.verdict.servers {
            servers if servers <= MOST_BUCKETS / 2 => 2 * servers,
            servers => servers.min(MOST_BUCKETS),
        }
    }

    /// The segment, value and share of the value that explains the hottest region.
    fn skewed(&self) -> Option<(&String, &String, f64)> {
        let (segment, value, share) = self.parts.skewed.as_ref()?;
        (self.verdict.skew_of == Side::Write).then_some((segment, value, *share))
    }

    fn floors(&self) -> String {
        let verdict = self.verdict;
        let placement = times(verdict.placement_floor);
        if verdict.skew_of == Side::Read {
            return format!(
                "No balancer gets the reads of the hottest server below {placement} the mean (`read_placement_floor`), no split below {} \
                 (`read_key_floor`).",
                times(verdict.key_floor)
            );
        }
        format!(
            "No balancer gets the hottest server below {placement} the mean (`placement_floor`), no split below {} (`key_floor`).",
            times(verdict.key_floor)
        )
    }
}

fn capital(clause: &str) -> String {
    let mut chars = clause.chars();
    chars.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(chars).collect()
    })
}
