//! The class of hotspot, in the words of CockroachDB's glossary. Must not know where its evidence comes from.

use crate::statistics::ExpectedPeak;
use crate::text::words;

/// Below this peak-to-mean there is no hotspot: the cluster still delivers two thirds of its capacity.
pub const NO_HOTSPOT_BELOW: f64 = 1.5;
/// Nor is there one within so many standard deviations of what chance makes of a perfect spread.
pub const CHANCE_SDS: f64 = 3.0;
/// A row hotspot: the hottest row alone explains this much of the peak.
pub const ROW_SHARE_OF_PEAK: f64 = 0.7;
/// A placement hotspot: another dealing of the same regions has a peak below [`NO_HOTSPOT_BELOW`], and leaves less than this part of what the peak
/// has above an even load: most of it then lies with the dealing.
pub const LEFT_BY_DEALING: f64 = 0.5;
/// A moving hotspot: an interval's hottest key range takes this many times the share that the whole window's hottest one does.
pub const MOVING_RATIO: f64 = 2.0;
/// A range of keys makes a server hot when it takes at least this part of what the hottest server does (estimate).
pub const RANGE_SHARE_OF_SERVER: f64 = 0.5;
/// A row that is incremented or appended to is full when it is asked for this part of what its lock lets through (estimate).
pub const FULL_ROW: f64 = 0.95;
/// A hotspot that passes: the hottest server is full for this part of the time (estimate) with the demand of a hotspot, which the median is not.
pub const PASSING: f64 = 0.05;
/// Reads make a server hot when they take more than this share of the handler time that it is asked for.
pub const OF_READS: f64 = 0.5;

words! {
    /// Why one server is hot.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Hotspot {
        /// The load is spread.
        None = "none",
        /// One row is hot: no split helps.
        Row = "row",
        /// The keys reach fewer regions than there are servers.
        PresplitMismatch = "presplit-mismatch",
        /// Another dealing of the same regions would be even.
        Placement = "placement",
        /// The hot range of keys changes as time-ordered keys advance.
        Moving = "moving",
        /// The newest rows are read, and they are neighbours.
        Lookback = "lookback",
        /// One range of keys stays hot.
        Static = "static",
    }
}

/// How far the hottest server is above the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    /// Peak-to-mean.
    pub value: f64,
    /// What chance makes of a perfect spread, with its standard deviation.
    pub even: Option<ExpectedPeak>,
}

impl Peak {
    /// That of an even load: more than 1 where servers have died that the mean counts.
    fn least(&self) -> f64 {
        self.even.map_or(1.0, |even| even.least)
    }

    /// A dealing with this peak is no hotspot, and has lost most of what this one has above an even load.
    fn is_cured_at(&self, dealing: f64) -> bool {
        let least = self.least();
        dealing < NO_HOTSPOT_BELOW * least
            && dealing - least < LEFT_BY_DEALING * (self.value - least)
    }

    /// What the placement makes of it: chance comes on top, and what is independent adds up by its squares.
    pub fn without_chance(&self) -> f64 {
        let least = self.least();
        let above = |peak: f64| peak / least - 1.0;
        let chance = self.even.map_or(0.0, |even| above(even.mean));
        let squares = above(self.value) * above(self.value) - chance * chance;
        least * (1.0 + squares.max(0.0).sqrt())
    }

    /// Higher than a spread load has it, by more than chance.
    pub fn is_hot(&self) -> bool {
        let by_chance = |even: ExpectedPeak| self.value <= even.mean + CHANCE_SDS * even.sd;
        self.value >= NO_HOTSPOT_BELOW * self.least() && !self.even.is_some_and(by_chance)
    }
}

/// Which operations ask for the demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demanded {
    /// Writes: under a key that leads with time, they are of the newest rows.
    ByWrites,
    /// Reads.
    ByReads {
        /// Most of them ask for the newest rows.
        newest: bool,
    },
}

/// What the class of the writes, or of the reads, is judged by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HotspotEvidence {
    /// Whose class it is.
    pub demanded: Demanded,
    /// `server_peak_to_mean`; `None` when there is too little demand.
    pub peak: Option<Peak>,
    /// `server_max_share`.
    pub server_share: Option<f64>,
    /// `key_floor`.
    pub key_floor: f64,
    /// The hottest row is asked for more than its lock lets through, [`FULL_ROW`], wherever it lies.
    pub row_is_full: bool,
    /// Regions that the key can reach at all.
    pub reachable_regions: u64,
    /// Servers.
    pub servers: u32,
    /// The key leads with time: its newest rows are neighbours.
    pub leads_with_time: bool,
    /// Servers take turns within an interval, whose demand is even: each gets all of it for a moment.
    pub takes_turns: bool,
    /// `placement_peak_best`; `None` when unknown.
    pub best_dealing: Option<f64>,
    /// `key_range_max_share`, the median over intervals, and `key_range_max_share_overall`.
    pub range_share: Option<(f64, f64)>,
}

impl Hotspot {
    /// The first class whose condition holds, in the order of the variants; `None` when there is too little demand to tell.
    ///
    /// Writes under a key that leads with time are a moving hotspot even while all of the window falls into one region (the place within it
    /// moves, and so would the hot region if it were split), and never a presplit mismatch: no split points would spread them. The same holds
    /// of reads only if they ask for the newest rows, and is called lookback there; other reads of such a key stay where the old rows are.
    pub fn classify(evidence: &HotspotEvidence) -> Option<Self> {
        let peak = evidence.peak?;
        let of_newest = evidence.demanded != Demanded::ByReads { newest: false };
        let follows_time = evidence.leads_with_time && of_newest;
        let has_few_regions = evidence.reachable_regions < u64::from(evidence.servers);
        Some(if evidence.row_is_full {
            Self::Row
        } else if !peak.is_hot() {
            match evidence.takes_turns {
                true => Self::Moving,
                false => Self::None,
            }
        } else if evidence.key_floor >= NO_HOTSPOT_BELOW
            && evidence.key_floor >= ROW_SHARE_OF_PEAK * peak.value
        {
            Self::Row
        } else if has_few_regions && !follows_time {
            Self::PresplitMismatch
        } else if evidence
            .best_dealing
            .is_some_and(|best| peak.is_cured_at(best))
        {
            Self::Placement
        } else if follows_time || evidence.range_moves() {
            match evidence.demanded {
                Demanded::ByReads { newest: true } => Self::Lookback,
                _ => Self::Moving,
            }
        } else {
            Self::Static
        })
    }

    /// The class of what servers are asked for in all: that of the writes or of the reads, of whichever makes the hottest server hot.
    /// `together` is the peak of the handler time, `read_share` the reads' part of what the hottest server is asked for; servers may take turns at
    /// writes.
    pub fn of_all(
        together: Peak,
        read_share: f64,
        writes: Option<Self>,
        reads: Option<Self>,
        takes_turns: bool,
    ) -> Self {
        if !(together.is_hot() || takes_turns && read_share <= OF_READS) {
            return Self::None;
        }
        let (first, second) = match read_share > OF_READS {
            true => (reads, writes),
            false => (writes, reads),
        };
        let hot = |class: &Self| *class != Self::None;
        let class = first.filter(hot).or(second.filter(hot));
        class.unwrap_or(Self::None)
    }
}

impl HotspotEvidence {
    /// The hot range of keys is another in each interval, and it is what makes a server hot: where many ranges take little each, chance
    /// decides which is the greatest.
    fn range_moves(&self) -> bool {
        let server = self.server_share.unwrap_or(0.0);
        self.range_share.is_some_and(|(share, overall)| {
            share >= MOVING_RATIO * overall && share >= RANGE_SHARE_OF_SERVER * server
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Demanded::{ByReads, ByWrites};

    const EVEN: ExpectedPeak = ExpectedPeak {
        mean: 1.04,
        sd: 0.02,
        least: 1.0,
    };
    const STATIC: HotspotEvidence = HotspotEvidence {
        demanded: ByWrites,
        peak: Some(Peak {
            value: 3.1,
            even: Some(EVEN),
        }),
        server_share: Some(0.39),
        key_floor: 1.2,
        row_is_full: false,
        reachable_regions: 32,
        servers: 8,
        leads_with_time: false,
        takes_turns: false,
        best_dealing: Some(2.8),
        range_share: Some((0.35, 0.33)),
    };
    const NEWEST: Demanded = ByReads { newest: true };
    const OTHERS: Demanded = ByReads { newest: false };

    fn peak(value: f64, even: ExpectedPeak) -> Option<Peak> {
        let even = Some(even);
        Some(Peak { value, even })
    }

    type Change = fn(&mut HotspotEvidence);

    #[test]
    fn the_first_class_that_holds_is_named() {
        const CHANCE: ExpectedPeak = ExpectedPeak {
            mean: 2.0,
            sd: 0.4,
            least: 1.0,
        };
        // Four of eight are dead.
        const HALF: ExpectedPeak = ExpectedPeak {
            mean: 2.08,
            sd: 0.04,
            least: 2.0,
        };
        let cases: [(&str, Change); 34] = [
            ("moving", |e| {
                (e.takes_turns, e.peak) = (true, peak(1.02, EVEN))
            }),
            ("moving", |e| {
                (e.takes_turns, e.peak) = (true, peak(3.1, CHANCE))
            }),
            ("static", |e| e.takes_turns = true),
            ("none", |e| e.peak = peak(2.1, HALF)),
            ("none", |e| e.peak = peak(2.99, HALF)),
            ("static", |e| {
                (e.peak, e.best_dealing) = (peak(3.1, HALF), Some(2.56))
            }),
            ("placement", |e| {
                (e.peak, e.best_dealing) = (peak(3.1, HALF), Some(2.54))
            }),
            ("static", |_| {}),
            ("none", |e| e.peak = peak(1.49, EVEN)),
            ("none", |e| e.peak = peak(3.1, CHANCE)),
            ("row", |e| (e.row_is_full, e.peak) = (true, peak(1.1, EVEN))),
            // 0.7 of 3.1 is 2.17.
            ("row", |e| e.key_floor = 2.2),
            ("static", |e| e.key_floor = 2.1),
            ("static", |e| {
                (e.key_floor, e.peak) = (1.49, peak(1.6, EVEN))
            }),
            ("row", |e| (e.key_floor, e.reachable_regions) = (2.4, 7)),
            ("presplit-mismatch", |e| e.reachable_regions = 7),
            ("static", |e| e.reachable_regions = 8),
            ("moving", |e| {
                (e.leads_with_time, e.reachable_regions) = (true, 1)
            }),
            ("presplit-mismatch", |e| {
                (e.reachable_regions, e.best_dealing) = (7, Some(1.0))
            }),
            ("placement", |e| e.best_dealing = Some(1.49)),
            ("static", |e| e.best_dealing = Some(1.5)),
            // Half of what 1.6 has above 1 is 0.3.
            ("static", |e| {
                (e.peak, e.best_dealing) = (peak(1.6, EVEN), Some(1.31))
            }),
            ("placement", |e| {
                (e.peak, e.best_dealing) = (peak(1.6, EVEN), Some(1.29))
            }),
            ("static", |e| e.best_dealing = None),
            ("placement", |e| {
                (e.leads_with_time, e.best_dealing) = (true, Some(1.2))
            }),
            ("moving", |e| e.range_share = Some((0.35, 0.175))),
            ("static", |e| e.range_share = Some((0.35, 0.176))),
            // A range of a twentieth, whichever it is, does not make a server hot that takes 39 %.
            ("static", |e| e.range_share = Some((0.05, 0.005))),
            // Reads: of the newest rows, of random ones, of ranges one after the other.
            ("lookback", |e| {
                (e.demanded, e.leads_with_time) = (NEWEST, true)
            }),
            ("lookback", |e| {
                (e.demanded, e.range_share) = (NEWEST, Some((0.35, 0.1)))
            }),
            ("static", |e| e.demanded = NEWEST),
            ("static", |e| {
                (e.demanded, e.leads_with_time) = (OTHERS, true)
            }),
            ("moving", |e| {
                (e.demanded, e.range_share) = (OTHERS, Some((0.35, 0.1)))
            }),
            ("presplit-mismatch", |e| {
                (e.demanded, e.leads_with_time, e.reachable_regions) = (OTHERS, true, 1);
            }),
        ];
        for (at, (expected, change)) in cases.into_iter().enumerate() {
            let mut evidence = STATIC;
            change(&mut evidence);
            let found = Hotspot::classify(&evidence).map(Hotspot::name);
            assert_eq!(found, Some(expected), "case {at}: {evidence:?}");
        }
        let nothing = HotspotEvidence {
            peak: None,
            ..STATIC
        };
        assert_eq!(Hotspot::classify(&nothing), None);
    }

    #[test]
    fn chance_is_taken_off_a_peak_by_its_squares() {
        let peak = |value, mean, least| {
            let even = Some(ExpectedPeak {
                mean,
                sd: 0.1,
                least,
            });
            Peak { value, even }.without_chance()
        };
        // An even load has what chance makes of it, or less. Of 3, 4 and 5 the squares of two add up to that of the third.
        assert_eq!([1.3, 1.2].map(|value| peak(value, 1.3, 1.0)), [1.0; 2]);
        assert!((peak(1.5, 1.3, 1.0) - 1.4).abs() < 1e-12);
        assert!((peak(3.0, 2.6, 2.0) - 2.8).abs() < 1e-12);
        let (value, even) = (1.5, None);
        assert_eq!(Peak { value, even }.without_chance(), 1.5);
    }

    #[test]
    fn what_servers_are_asked_for_in_all_has_the_class_of_what_makes_it_hot() {
        let hot = Peak {
            value: 2.0,
            even: Some(EVEN),
        };
        let of_all = |peak, read_share, writes, reads| {
            Hotspot::of_all(peak, read_share, Some(writes), Some(reads), false)
        };
        let (moving, row) = (Hotspot::Moving, Hotspot::Row);
        assert_eq!(of_all(hot, 0.51, moving, row), row);
        assert_eq!(of_all(hot, 0.5, moving, row), moving);
        // Even reads, however many, are only the ground that hot writes stand on.
        assert_eq!(of_all(hot, 0.9, moving, Hotspot::None), moving);
        assert_eq!(of_all(hot, 0.1, Hotspot::None, row), row);
        let cold = Peak { value: 1.4, ..hot };
        assert_eq!(of_all(cold, 0.9, moving, row), Hotspot::None);
        assert_eq!(Hotspot::of_all(hot, 1.0, None, Some(row), false), row);
        // Servers that take turns at writes are hot in turn, unless most of their work is reads.
        let turns = |read_share| Hotspot::of_all(cold, read_share, Some(moving), None, true);
        assert_eq!([0.5, 0.6].map(turns), [moving, Hotspot::None]);
    }

    #[test]
    fn every_class_has_its_word() {
        use Hotspot::{Lookback, Moving, None, Placement, PresplitMismatch, Row, Static};
        let classes = [
            None,
            Row,
            PresplitMismatch,
            Placement,
            Moving,
            Lookback,
            Static,
        ];
        assert_eq!(classes.map(Hotspot::name), Hotspot::WORDS);
    }
}
