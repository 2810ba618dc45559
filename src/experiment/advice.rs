//! What to do about a strategy's hotspot: its class, which segment of the key causes it, a cure to paste in, and the bounds that no
//! balancer beats. Must not compute evidence, nor say what it costs (the verdict does).

use super::verdict::Verdict;
use super::wording::{percent, times};
use crate::metrics::Hotspot;
use std::fmt;

/// The advice of one strategy.
pub(super) struct Advice<'a> {
    pub(super) verdict: &'a Verdict,
    /// The first segment of the key that is no constant, as written.
    pub(super) lead: String,
    /// The first segment that does not follow time, as written: what a salt can be computed from.
    pub(super) entity: Option<String>,
}

impl fmt::Display for Advice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = self.verdict;
        let Some(hotspot) = verdict.hotspot else {
            return write!(f, "No advice without a statement about skew.");
        };
        if hotspot == Hotspot::None || verdict.servers == 1 {
            return write!(f, "Nothing to cure.");
        }
        write!(f, "{} {}", self.cause(hotspot), self.cure(hotspot))?;
        write!(
            f,
            " No balancer gets the hottest server below {} the mean (`placement_floor`), no split below {} (`key_floor`).",
            times(verdict.placement_floor),
            times(verdict.key_floor)
        )
    }
}

impl Advice<'_> {
    fn cause(&self, hotspot: Hotspot) -> String {
        let (verdict, lead) = (self.verdict, &self.lead);
        match hotspot {
            Hotspot::None => String::new(),
            Hotspot::Row => format!(
                "Row hotspot: one row takes {} of the writes, and a row is never split.",
                percent(verdict.hottest_row_share)
            ),
            Hotspot::Lookback => {
                "Lookback hotspot: readers ask for rows that lie side by side.".to_owned()
            }
            Hotspot::PresplitMismatch => format!(
                "Presplit mismatch: the keys reach {} of {} regions, on {} servers.",
                verdict.reachable_regions, verdict.regions, verdict.servers
            ),
            Hotspot::Moving if verdict.leads_with_time => format!(
                "Moving hotspot: the first segment, `{lead}`, follows time, so that all rows of a moment lie side by side."
            ),
            Hotspot::Moving => "Moving hotspot: rows arrive in the order of their keys.".to_owned(),
            Hotspot::Static => match (&verdict.entity, verdict.region_max_share) {
                (Some((entity, share)), _) => format!(
                    "Static hotspot: `{entity}` has {} of the writes, and `{lead}` comes first.",
                    percent(*share)
                ),
                (None, Some(share)) => format!(
                    "Static hotspot: one range of `{lead}` has {} of the writes.",
                    percent(share)
                ),
                (None, None) => format!("Static hotspot: one range of `{lead}` stays hot."),
            },
        }
    }

    fn cure(&self, hotspot: Hotspot) -> String {
        let servers = self.verdict.servers;
        // Two buckets a server: one more or less hardly matters, and a multiple deals out evenly. A salt has at most 256 values.
        let buckets = match servers {
            0..=128 => 2 * servers,
            _ => servers.min(256),
        };
        let salted = |what: &str| {
            format!(
                "Put `salt({buckets}, {what})` in front, with `presplit = {{ algorithm = \"buckets\" }}`"
            )
        };
        match hotspot {
            Hotspot::None => String::new(),
            Hotspot::Row => {
                let share = self.verdict.hottest_row_share;
                let rows = libm::ceil(share * f64::from(servers)).max(2.0);
                format!(
                    "No key over the same fields helps: count in {rows:.0} rows, with `be1(random({rows:.0}))` in the key, and let readers add them up."
                )
            }
            Hotspot::PresplitMismatch if self.verdict.leads_with_time => match &self.entity {
                Some(entity) => format!("{}: split points alone can't spread a key that follows time.", salted(entity)),
                None => "Split points alone can't spread a key that follows time: it needs a field besides time to spread by.".to_owned(),
            },
            Hotspot::PresplitMismatch => format!(
                "Take split points at the quantiles of the keys: `presplit = {{ algorithm = \"sampled\", regions = {} }}`.",
                4 * servers
            ),
            Hotspot::Moving if !self.verdict.leads_with_time => {
                "Write them in another order (`order = \"shuffled\"` of an import), or hash what comes first.".to_owned()
            }
            _ => match &self.entity {
                Some(entity) if hotspot == Hotspot::Moving => {
                    format!("{}, or lead with `{entity}`.", salted(entity))
                }
                Some(_) => "Hash or salt the whole identity of a row, so that the rows of one value lie apart; who reads all of them pays for it.".to_owned(),
                None => "It needs a field besides time to spread by.".to_owned(),
            },
        }
    }
}
