//! What the cluster did about a hotspot during the run: a clause of the verdict. Must not judge the hotspot.

use crate::metrics::{EventKind, OPERATIONS_PER_SERVER, Series};
use crate::statistics::median;
use crate::text::{compact, millis, times};
use crate::units::ByteSize;

/// A relief by less than this factor is none that anybody would notice (estimate).
const WORTH_A_WORD: f64 = 1.1;

/// In the words of a balancer that looks for moves, as a decision is told.
const STARTS: &str = ": starts for ";

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
    /// Peak-to-mean in the first and in the last fifth of the run; `None` where there is too little demand.
    pub(super) peaks: Option<(f64, f64)>,
    /// Since the start of the run; `None`: never.
    pub(super) relief_ms: Option<f64>,
    /// The stochastic balancer is on and ran: it looks for moves by a random walk.
    pub(super) walks: bool,
    /// What the balancer judged by when it started last, or ran last if it never started, in words.
    pub(super) finding: Option<String>,
    /// Why a region that is due to be split has no split row.
    pub(super) no_split_row: Option<String>,
}

impl Course {
    /// Takes findings from the events of a run.
    pub(super) fn with_findings(mut self, series: Option<&Series>) -> Self {
        self.peaks = series.and_then(|series| first_and_last(&series.server_demand));
        let events = series.map_or(&[][..], |series| &series.events);
        let of = |kind| events.iter().rev().filter(move |event| event.event == kind);
        // The last run has seen most of the load.
        let mut findings = of(EventKind::Balancer).filter_map(|event| event.detail.as_deref());
        let last = findings.next();
        let starts = |finding: &&str| finding.contains(STARTS);
        let started = last.filter(starts).or_else(|| findings.find(starts));
        let judged = |finding: &str| finding.split(": ").next().unwrap_or_default().to_owned();
        self.finding = started.or(last).map(judged);
        let no_split_row = of(EventKind::NoSplitRow).next();
        self.no_split_row = no_split_row.and_then(|event| event.detail.clone());
        self
    }

    /// Clauses, if there is anything to say.
    pub(super) fn clauses(&self) -> Vec<String> {
        let mut clauses: Vec<String> = self.changes().into_iter().collect();
        // What moves did is said before.
        let told = self.balancer_starts > 0.0 && self.moves.round() > 0.0;
        if let Some(finding) = self.finding.as_ref().filter(|_| self.hot)
            && self.balancer_runs > 0.0
            && !told
        {
            let tries = if self.walks { ", tries its steps" } else { "" };
            clauses.push(match self.balancer_starts > 0.0 {
                false => format!("the balancer does not start: {finding}"),
                true => format!(
                    "the balancer starts ({finding}){tries} and leaves the hotspot as it was"
                ),
            });
        }
        if let Some(reason) = self.no_split_row.as_ref().filter(|_| self.hot) {
            clauses.push(format!(
                "a region that is due to be split can't be: {reason}"
            ));
        }
        clauses
    }

    /// Splits and moves, and what became of the hotspot.
    fn changes(&self) -> Option<String> {
        let count = |number: f64, what: &str| {
            let (number, s) = (number.round(), if number.round() == 1.0 { "" } else { "s" });
            (number > 0.0).then(|| format!("{} {what}{s}", compact(number)))
        };
        let counts = [count(self.splits, "split"), count(self.moves, "move")];
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        let changes = (!counts.is_empty()).then(|| counts.join(" and "))?;
        let effect = match (self.relief_ms, self.peaks) {
            (None, _) if !self.hot => String::new(),
            (None, None) => " did not make it even".to_owned(),
            (None, Some((first, last))) => {
                let (from, to) = (times(first), times(last));
                match last <= first / WORTH_A_WORD {
                    true => format!(" brought the hottest server from {from} to {to} the mean"),
                    false => format!(" left the hottest server at {to} the mean"),
                }
            }
            (Some(relief), _) if relief > 0.0 => {
                format!(" made it even from {} on", millis(relief))
            }
            (Some(_), _) => String::new(),
        };
        let rewritten = match self.bytes_rewritten > 0.0 {
            true => format!(
                ", {} rewritten",
                ByteSize::approximate(self.bytes_rewritten)
            ),
            false => String::new(),
        };
        Some(format!("{changes}{effect}{rewritten}"))
    }
}

/// Medians of the peak-to-mean over the intervals of the first and of the last fifth of the run that have enough demand.
fn first_and_last(demand: &[Vec<u64>]) -> Option<(f64, f64)> {
    let fifth = demand.len().div_ceil(5);
    let peak = |intervals: &[Vec<u64>]| {
        let peaks = intervals.iter().filter_map(|loads| {
            let (all, most) = (loads.iter().sum::<u64>(), *loads.iter().max()?);
            let servers = loads.len() as u64;
            (all >= OPERATIONS_PER_SERVER * servers).then(|| (most * servers) as f64 / all as f64)
        });
        median(&peaks.collect::<Vec<_>>())
    };
    Some((
        peak(&demand[..fifth])?,
        peak(&demand[demand.len() - fifth..])?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relief_is_the_peak_of_the_first_fifth_against_that_of_the_last() {
        // Ten intervals of four servers: 3.4, 2.2 and at last 1.9 times the mean.
        let demand: Vec<Vec<u64>> = (0..10)
            .map(|at| match at {
                0..2 => vec![85, 5, 5, 5],
                2..8 => vec![55, 15, 15, 15],
                _ => vec![48, 26, 13, 13],
            })
            .collect();
        let (first, last) = first_and_last(&demand).unwrap();
        assert!((first - 3.4).abs() < 1e-12 && (last - 1.92).abs() < 1e-12);
        assert_eq!(first_and_last(&[vec![5, 4, 3, 2]]), None);
        assert_eq!(first_and_last(&[]), None);
    }

    fn course(change: impl FnOnce(&mut Course)) -> String {
        let mut course = Course {
            hot: true,
            ..Course::default()
        };
        change(&mut course);
        let clauses = course.clauses().into_iter();
        clauses.map(|clause| format!("; {clause}")).collect()
    }

    #[test]
    fn only_what_happened_is_said() {
        assert_eq!(course(|_| {}), "");
        assert_eq!(
            course(|course| {
                course.splits = 7.2;
                course.moves = 1.0;
            }),
            "; 7 splits and 1 move did not make it even"
        );
        let relief = |last: f64| {
            course(|course| {
                course.splits = 16.0;
                course.moves = 4.0;
                course.peaks = Some((2.83, last));
            })
        };
        assert_eq!(
            relief(1.74),
            "; 16 splits and 4 moves brought the hottest server from 2.8× to 1.74× the mean"
        );
        assert_eq!(
            relief(2.8),
            "; 16 splits and 4 moves left the hottest server at 2.8× the mean"
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
            "; the balancer does not start: 15/602 = 0.0249 < 0.025"
        );
        let started = |walks| {
            course(|course| {
                course.balancer_runs = 2.0;
                course.balancer_starts = 0.5;
                course.walks = walks;
                course.finding = Some("20/602 = 0.0332 >= 0.025".to_owned());
            })
        };
        assert_eq!(
            started(true),
            "; the balancer starts (20/602 = 0.0332 >= 0.025), tries its steps and leaves the hotspot as it was"
        );
        assert_eq!(
            started(false),
            "; the balancer starts (20/602 = 0.0332 >= 0.025) and leaves the hotspot as it was"
        );
    }
}
