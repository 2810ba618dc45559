//! What a balancer decided, and why. Must not know how.

use super::Imbalance;
use crate::text::counted;
use std::fmt;

/// One region to be moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegionMove {
    /// Index of the region in what the balancer was given.
    pub region: u32,
    /// Its server.
    pub from: u32,
    /// Its next server, another one.
    pub to: u32,
}

/// Why a balancer started, or did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BalanceReason {
    /// Not: there is no balancer.
    Off,
    /// Not: fewer than two servers.
    FewServers,
    /// Not: even enough by its own measure.
    Balanced,
    /// A server has no region while another has several.
    IdleServer,
    /// A region count lies off the mean by more than the slop.
    RegionCounts,
    /// The weighted mean of the costs reached the threshold.
    Cost,
    /// The busiest server's demand could be lowered.
    Peak,
}

impl BalanceReason {
    /// Whether the balancer looked for moves.
    pub fn starts(self) -> bool {
        !matches!(self, Self::Off | Self::FewServers | Self::Balanced)
    }
}

/// The number that a balancer judged by.
#[derive(Debug, Clone, PartialEq)]
pub enum BalanceFinding {
    /// None.
    Nothing,
    /// The stochastic balancer's cost of the placement found, and of the one decided.
    Cost {
        /// Found.
        before: Box<Imbalance>,
        /// With the moves; the same without any.
        after: Box<Imbalance>,
    },
    /// Fewest and most regions of a server.
    Counts {
        /// Found.
        before: (u32, u32),
        /// With the moves.
        after: (u32, u32),
    },
    /// The busiest server's demand over the mean demand; 1 when there is none.
    Peak {
        /// Found.
        before: f64,
        /// With the moves.
        after: f64,
    },
}

/// The moves that a balancer wants.
#[derive(Debug, Clone, PartialEq)]
pub struct BalanceDecision {
    /// Each region at most once; empty when it did not start or found nothing better.
    pub moves: Vec<RegionMove>,
    /// Why it started, or did not.
    pub reason: BalanceReason,
    /// What it judged by.
    pub finding: BalanceFinding,
}

impl RegionMove {
    /// The moves that lead from one placement of the regions to another.
    pub(super) fn between(
        before: impl Iterator<Item = u32>,
        after: impl Iterator<Item = u32>,
    ) -> Vec<Self> {
        let moves = (0..).zip(before.zip(after));
        let moves = moves.map(|(region, (from, to))| Self { region, from, to });
        moves.filter(|of| of.from != of.to).collect()
    }
}

impl BalanceDecision {
    /// Nothing to be done.
    pub(super) fn none(reason: BalanceReason, finding: BalanceFinding) -> Self {
        Self {
            moves: Vec::new(),
            reason,
            finding,
        }
    }
}

impl fmt::Display for BalanceDecision {
    /// One phrase, such as `15/602 = 0.0249 < 0.025: does not start`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.finding {
            BalanceFinding::Nothing => {}
            BalanceFinding::Cost { before, .. } => write!(formatter, "{before}: ")?,
            BalanceFinding::Counts {
                before: (least, most),
                ..
            } => write!(
                formatter,
                "{least} to {most} regions a server, system tables included: "
            )?,
            BalanceFinding::Peak { before, after } => {
                write!(formatter, "peak to mean {before:.2}, at best {after:.2}: ")?;
            }
        }
        let cause = match self.reason {
            BalanceReason::Off => return formatter.write_str("no balancer"),
            BalanceReason::FewServers => {
                return formatter.write_str("does not start with fewer than two servers");
            }
            BalanceReason::Balanced => return formatter.write_str("does not start"),
            BalanceReason::IdleServer => "starts for a server without regions",
            BalanceReason::RegionCounts => "starts for uneven region counts",
            BalanceReason::Cost => "starts for its cost",
            BalanceReason::Peak => "starts for the busiest server",
        };
        match self.moves.len() {
            0 => write!(formatter, "{cause} and finds nothing better"),
            moves => write!(formatter, "{cause} and moves {}", counted(moves, "region")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BalanceReason::*;

    #[test]
    fn a_balancer_starts_for_all_reasons_but_three() {
        for reason in [IdleServer, RegionCounts, Cost, Peak] {
            assert!(reason.starts(), "{reason:?}");
        }
        for reason in [Off, FewServers, Balanced] {
            assert!(!reason.starts(), "{reason:?}");
        }
    }
}
