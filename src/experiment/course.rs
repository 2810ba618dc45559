//! What the cluster did about a hotspot during the run: a clause of the verdict. Must not judge the hotspot.

use super::wording::{compact, millis};
use crate::metrics::Series;
use crate::units::ByteSize;
use std::fmt;

/// What happened to the regions of one strategy: means over its replicates, findings of replicate 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Course {
    /// The load is uneven at the end.
    pub(super) hot: bool,
    pub(super) splits: f64,
    pub(super) moves: f64,
    pub(super) balancer_runs: f64,
    pub(super) balancer_starts: f64,
    pub(super) bytes_rewritten: f64,
    /// Since the start of the run; `None`: never.
    pub(super) relief_ms: Option<f64>,
    /// What the balancer found when it ran last, in words.
    pub(super) finding: Option<String>,
    /// Why a region that is due to be split has no split row.
    pub(super) no_split_row: Option<String>,
}

impl Course {
    /// Takes findings from the events of a run.
    pub(super) fn with_findings(mut self, series: Option<&Series>) -> Self {
        let events = series.map_or(&[][..], |series| &series.events);
        let detail = |kind: &str| {
            let found = events.iter().rfind(|event| event.event == kind);
            found.and_then(|event| event.detail.clone())
        };
        // The last run has seen most of the load.
        self.finding = detail("balancer")
            .map(|finding| finding.trim_end_matches(": does not start").to_owned());
        self.no_split_row = detail("no-split-row");
        self
    }

    fn changes(&self) -> Option<String> {
        let count = |number: f64, one: &str, many: &str| match number.round() {
            0.0 => None,
            1.0 => Some(format!("1 {one}")),
            _ => Some(format!("{} {many}", compact(number.round()))),
        };
        let parts: Vec<String> = [
            count(self.splits, "split", "splits"),
            count(self.moves, "move", "moves"),
        ]
        .into_iter()
        .flatten()
        .collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
    }
}

impl fmt::Display for Course {
    /// Clauses led by `; `, or nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.changes(), self.relief_ms) {
            (Some(changes), None) if self.hot => write!(f, "; {changes} cured nothing")?,
            (Some(changes), Some(relief)) if relief > 0.0 => {
                write!(f, "; {changes} made it even from {} on", millis(relief))?;
            }
            (Some(changes), _) => write!(f, "; {changes}")?,
            (None, _) => {}
        }
        if self.changes().is_some() && self.bytes_rewritten > 0.0 {
            write!(
                f,
                ", {} rewritten",
                ByteSize::approximate(self.bytes_rewritten)
            )?;
        }
        if let (true, Some(finding)) = (
            self.hot && self.balancer_runs > 0.0 && self.balancer_starts == 0.0,
            &self.finding,
        ) {
            write!(f, "; the balancer never starts: {finding}")?;
        }
        if let (true, Some(reason)) = (self.hot, &self.no_split_row) {
            write!(f, "; a region that is due to be split can't be: {reason}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(change: impl FnOnce(&mut Course)) -> String {
        let mut course = Course {
            hot: true,
            ..Course::default()
        };
        change(&mut course);
        course.to_string()
    }

    #[test]
    fn only_what_happened_is_said() {
        assert_eq!(course(|_| {}), "");
        assert_eq!(
            course(|course| {
                course.splits = 7.2;
                course.moves = 1.0;
            }),
            "; 7 splits and 1 move cured nothing"
        );
        assert_eq!(
            course(|course| {
                course.hot = false;
                course.splits = 31.0;
                course.relief_ms = Some(41_000.0);
                course.bytes_rewritten = 3.0 * 1_073_741_824.0;
            }),
            "; 31 splits made it even from 41.0 s on, 3 GiB rewritten"
        );
        assert_eq!(
            course(|course| {
                course.balancer_runs = 2.0;
                course.finding = Some("15/602 = 0.0249 < 0.025".to_owned());
            }),
            "; the balancer never starts: 15/602 = 0.0249 < 0.025"
        );
    }
}
