//! The class of hotspot, in the words of CockroachDB's glossary. Must not know where its evidence comes from.

use super::HottestServer;
use crate::statistics::ExpectedPeak;

/// Below this peak-to-mean there is no hotspot: the cluster still delivers two thirds of its capacity.
pub const NO_HOTSPOT_BELOW: f64 = 1.5;
/// Nor is there one within so many standard deviations of what chance makes of a perfect spread.
pub const CHANCE_SDS: f64 = 3.0;
/// A row hotspot: the hottest row alone explains this much of the peak.
pub const ROW_SHARE_OF_PEAK: f64 = 0.8;
/// A moving hotspot: an interval's hottest region takes this many times the share that the whole window's hottest one does.
pub const MOVING_RATIO: f64 = 2.0;

/// A lookback hotspot: reads take more than this share of the hottest server's demand.
pub const LOOKBACK_READ_SHARE: f64 = 0.5;

/// Why one server is hot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hotspot {
    /// The load is spread.
    None,
    /// One row is hot: no split helps.
    Row,
    /// The keys reach fewer regions than there are servers.
    PresplitMismatch,
    /// Reads make the hot server hot, and they are not spread.
    Lookback,
    /// The hot place changes as time-ordered keys advance.
    Moving,
    /// One range of keys stays hot.
    Static,
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
    fn is_hot(&self) -> bool {
        let by_chance = |even: ExpectedPeak| self.value <= even.mean + CHANCE_SDS * even.sd;
        self.value >= NO_HOTSPOT_BELOW && !self.even.is_some_and(by_chance)
    }
}

/// What the class is judged by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HotspotEvidence {
    /// `server_peak_to_mean`, of writes; `None` when there are too few.
    pub writes: Option<Peak>,
    /// `read_server_peak_to_mean`; `None` when there are too few reads.
    pub read_peak: Option<f64>,
    /// Writes and reads together; `None` without reads.
    pub hottest: Option<HottestServer>,
    /// `key_floor`.
    pub key_floor: f64,
    /// Regions that the key can reach at all.
    pub reachable_regions: u64,
    /// Servers.
    pub servers: u32,
    /// The key leads with time: its newest rows are neighbours.
    pub leads_with_time: bool,
    /// `region_max_share`, the median over intervals, and `region_max_share_overall`; of reads when nothing is written.
    pub region_share: Option<(f64, f64)>,
}

impl Hotspot {
    /// The first class whose condition holds, in the order of the variants; `None` when there is too little demand to tell.
    ///
    /// There is a hotspot when the demand of writes has a peak, or that of writes and reads together: neither may hide in the other.
    /// A key that leads with time is a moving hotspot even while all of the window falls into one region (the place within it moves, and
    /// so would the hot region if it were split), and never a presplit mismatch: no split points would spread it.
    pub fn classify(evidence: &HotspotEvidence) -> Option<Self> {
        let together = evidence.hottest.map(|hottest| Peak {
            value: hottest.peak,
            even: hottest.even,
        });
        let peak = |peak: Option<Peak>| peak.map_or(0.0, |peak| peak.value);
        let is_hot = |peak: Option<Peak>| peak.is_some_and(|peak| peak.is_hot());
        if evidence.writes.is_none() && together.is_none() {
            return None;
        }
        Some(if !is_hot(evidence.writes) && !is_hot(together) {
            Self::None
        } else if evidence.key_floor
            >= ROW_SHARE_OF_PEAK * peak(evidence.writes).max(NO_HOTSPOT_BELOW)
        {
            Self::Row
        } else if evidence.reachable_regions < u64::from(evidence.servers)
            && !evidence.leads_with_time
        {
            Self::PresplitMismatch
        } else if is_hot(together) && evidence.is_of_reads() {
            Self::Lookback
        } else if evidence.leads_with_time
            || evidence
                .region_share
                .is_some_and(|(share, overall)| share >= MOVING_RATIO * overall)
        {
            Self::Moving
        } else {
            Self::Static
        })
    }

    /// The word that results use.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Row => "row",
            Self::PresplitMismatch => "presplit-mismatch",
            Self::Lookback => "lookback",
            Self::Moving => "moving",
            Self::Static => "static",
        }
    }

    /// All words.
    pub const WORDS: [&'static str; 6] = [
        "none",
        "row",
        "presplit-mismatch",
        "lookback",
        "moving",
        "static",
    ];
}

impl HotspotEvidence {
    /// Reads take most of the hot server's demand, and are themselves uneven: spread ones are only the ground that a hot write stands on.
    fn is_of_reads(&self) -> bool {
        self.hottest
            .is_some_and(|hottest| hottest.read_share > LOOKBACK_READ_SHARE)
            && self.read_peak.is_some_and(|peak| peak >= NO_HOTSPOT_BELOW)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVEN: ExpectedPeak = ExpectedPeak {
        mean: 1.04,
        sd: 0.02,
    };
    const STATIC: HotspotEvidence = HotspotEvidence {
        writes: Some(Peak {
            value: 3.1,
            even: Some(EVEN),
        }),
        read_peak: None,
        hottest: None,
        key_floor: 1.2,
        reachable_regions: 32,
        servers: 8,
        leads_with_time: false,
        region_share: Some((0.35, 0.33)),
    };

    fn name(change: impl FnOnce(&mut HotspotEvidence)) -> &'static str {
        let mut evidence = STATIC;
        change(&mut evidence);
        Hotspot::classify(&evidence).unwrap().name()
    }

    fn peak(value: f64, even: ExpectedPeak) -> Option<Peak> {
        let even = Some(even);
        Some(Peak { value, even })
    }

    #[test]
    fn the_first_class_that_holds_is_named() {
        assert_eq!(name(|_| {}), "static");
        assert_eq!(name(|e| e.writes = peak(1.49, EVEN)), "none");
        let chance = ExpectedPeak { mean: 2.0, sd: 0.4 };
        assert_eq!(name(|e| e.writes = peak(3.1, chance)), "none");
        assert_eq!(name(|e| e.key_floor = 2.5), "row");
        assert_eq!(
            name(|e| (e.key_floor, e.reachable_regions) = (2.4, 7)),
            "presplit-mismatch"
        );
        assert_eq!(name(|e| e.reachable_regions = 8), "static");
        assert_eq!(name(|e| e.region_share = Some((0.35, 0.17))), "moving");
        assert_eq!(
            name(|e| (e.leads_with_time, e.reachable_regions) = (true, 1)),
            "moving"
        );
    }

    fn with_reads(e: &mut HotspotEvidence, read_peak: f64, together: f64, read_share: f64) {
        e.read_peak = Some(read_peak);
        e.hottest = Some(HottestServer {
            peak: together,
            even: Some(EVEN),
            read_share,
        });
    }

    #[test]
    fn reads_make_a_lookback_hotspot_when_the_hot_server_serves_mostly_uneven_reads() {
        assert_eq!(name(|e| with_reads(e, 4.0, 3.5, 0.51)), "lookback");
        assert_eq!(name(|e| with_reads(e, 4.0, 3.5, 0.5)), "static");
        // Whatever moves: reads come first.
        assert_eq!(
            name(|e| {
                e.leads_with_time = true;
                with_reads(e, 8.0, 8.0, 0.9);
            }),
            "lookback"
        );
        // Even reads, however many, don't excuse a write hotspot nor become one.
        assert_eq!(name(|e| with_reads(e, 1.1, 1.3, 0.9)), "static");
        assert_eq!(name(|e| with_reads(e, 1.1, 1.6, 0.6)), "static");
        // Uneven reads over even writes.
        assert_eq!(
            name(|e| {
                e.writes = peak(1.1, EVEN);
                with_reads(e, 4.0, 1.8, 0.7);
            }),
            "lookback"
        );
        assert_eq!(
            name(|e| {
                e.writes = peak(1.1, EVEN);
                with_reads(e, 4.0, 1.2, 0.3);
            }),
            "none"
        );
    }

    #[test]
    fn reads_alone_are_judged_by_themselves_and_nothing_by_nothing() {
        let reads_only = |e: &mut HotspotEvidence, peak| {
            (e.writes, e.key_floor) = (None, 1.0);
            with_reads(e, peak, peak, 1.0);
        };
        assert_eq!(name(|e| reads_only(e, 3.0)), "lookback");
        assert_eq!(name(|e| reads_only(e, 1.3)), "none");
        let nothing = HotspotEvidence {
            writes: None,
            ..STATIC
        };
        assert_eq!(Hotspot::classify(&nothing), None);
    }
}
