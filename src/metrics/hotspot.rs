//! The class of hotspot, in the words of CockroachDB's glossary. Must not know where its evidence comes from.

use crate::statistics::ExpectedPeak;

/// Below this peak-to-mean there is no hotspot: the cluster still delivers two thirds of its capacity.
pub const NO_HOTSPOT_BELOW: f64 = 1.5;
/// Nor is there one within so many standard deviations of what chance makes of a perfect spread.
pub const CHANCE_SDS: f64 = 3.0;
/// A row hotspot: the hottest row alone explains this much of the peak.
pub const ROW_SHARE_OF_PEAK: f64 = 0.8;
/// A moving hotspot: an interval's hottest region takes this many times the share that the whole window's hottest one does.
pub const MOVING_RATIO: f64 = 2.0;

/// Why one server is hot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hotspot {
    /// The load is spread.
    None,
    /// One row is hot: no split helps.
    Row,
    /// The keys reach fewer regions than there are servers.
    PresplitMismatch,
    /// The hot place changes as time-ordered keys advance.
    Moving,
    /// One range of keys stays hot.
    Static,
}

/// What the class is judged by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HotspotEvidence {
    /// `server_peak_to_mean`.
    pub peak: f64,
    /// What chance makes of a perfect spread, with its standard deviation.
    pub even: Option<ExpectedPeak>,
    /// `key_floor`.
    pub key_floor: f64,
    /// Regions that the key can reach at all.
    pub reachable_regions: u64,
    /// Servers.
    pub servers: u32,
    /// The key leads with time: its newest rows are neighbours.
    pub leads_with_time: bool,
    /// `region_max_share`, the median over intervals.
    pub region_share: f64,
    /// `region_max_share_overall`.
    pub region_share_overall: f64,
}

impl Hotspot {
    /// The first class whose condition holds, in the order of the variants.
    ///
    /// A key that leads with time is a moving hotspot even while all of the window falls into one region (the place within it moves, and
    /// so would the hot region if it were split), and never a presplit mismatch: no split points would spread it.
    pub fn classify(evidence: &HotspotEvidence) -> Self {
        let by_chance = evidence
            .even
            .is_some_and(|even| evidence.peak <= even.mean + CHANCE_SDS * even.sd);
        if evidence.peak < NO_HOTSPOT_BELOW || by_chance {
            Self::None
        } else if evidence.key_floor >= ROW_SHARE_OF_PEAK * evidence.peak {
            Self::Row
        } else if evidence.reachable_regions < u64::from(evidence.servers)
            && !evidence.leads_with_time
        {
            Self::PresplitMismatch
        } else if evidence.leads_with_time
            || evidence.region_share >= MOVING_RATIO * evidence.region_share_overall
        {
            Self::Moving
        } else {
            Self::Static
        }
    }

    /// The word that results use.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Row => "row",
            Self::PresplitMismatch => "presplit-mismatch",
            Self::Moving => "moving",
            Self::Static => "static",
        }
    }

    /// All words.
    pub const WORDS: [&'static str; 5] = ["none", "row", "presplit-mismatch", "moving", "static"];
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATIC: HotspotEvidence = HotspotEvidence {
        peak: 3.1,
        even: Some(ExpectedPeak {
            mean: 1.04,
            sd: 0.02,
        }),
        key_floor: 1.2,
        reachable_regions: 32,
        servers: 8,
        leads_with_time: false,
        region_share: 0.35,
        region_share_overall: 0.33,
    };

    #[test]
    fn the_first_class_that_holds_is_named() {
        let name = |change: fn(&mut HotspotEvidence)| {
            let mut evidence = STATIC;
            change(&mut evidence);
            Hotspot::classify(&evidence).name()
        };
        assert_eq!(name(|_| {}), "static");
        assert_eq!(name(|e| e.peak = 1.49), "none");
        assert_eq!(
            name(|e| e.even = Some(ExpectedPeak { mean: 2.0, sd: 0.4 })),
            "none"
        );
        assert_eq!(name(|e| e.key_floor = 2.5), "row");
        assert_eq!(
            name(|e| (e.key_floor, e.reachable_regions) = (2.4, 7)),
            "presplit-mismatch"
        );
        assert_eq!(name(|e| e.region_share_overall = 0.17), "moving");
        assert_eq!(
            name(|e| (e.leads_with_time, e.reachable_regions) = (true, 1)),
            "moving"
        );
    }
}
