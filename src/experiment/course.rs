//! What the cluster did during a run, and what holds the run below what its servers could do: clauses of the verdict. Must not judge the hotspot, which
//! the verdict begins with.

use crate::metrics::{BUSY, EventKind, OPERATIONS_PER_SERVER, Series};
use crate::statistics::median;
use crate::text::{compact, millis, percent, times};
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

/// A run is held back when it does less than this part of what its servers could do, or of what was offered.
pub(super) const HELD_BELOW: f64 = 0.9;
/// A slow server holds the others back when it is busy this many times as much as they are (estimate).
const BUSIER: f64 = 1.5;
/// A log that is written at this part of its bandwidth is full.
const LOG_FULL: f64 = 0.9;
/// Refused rows that are worth a word.
const REFUSED: f64 = 0.01;

/// The counters.
#[derive(Debug, Clone, Default)]
pub(super) struct Counters {
    /// Of what the servers could do, or of what was offered; `None` when unknown.
    pub(super) done: Option<f64>,
    /// Of each server in the window, in replicate 0.
    pub(super) utilisation: Vec<f64>,
    /// `utilisation_max` and `utilisation_mean`.
    pub(super) busiest: f64,
    pub(super) busy: f64,
    /// Servers that were slow for most of the window, with how many times.
    pub(super) slow: Vec<(u32, f64)>,
    /// Servers that died.
    pub(super) lost: u32,
    pub(super) servers: u32,
    pub(super) region_too_busy: f64,
    /// Bytes a second in the log of the busiest server over its bandwidth.
    pub(super) log: Option<f64>,
    /// Of closed loops; 0 when some load is an open one.
    pub(super) clients: u32,
    /// The busiest server has a hotspot, which the verdict begins with.
    pub(super) hot: bool,
}

impl Counters {
    /// What holds the run back, as a clause: the first that holds; `None` when nothing does, or the counters don't show what.
    pub(super) fn held_back(&self) -> Option<String> {
        if self.region_too_busy >= REFUSED {
            let refused = percent(self.region_too_busy);
            return Some(format!(
                "regions refuse {refused} of the rows (RegionTooBusy): memstores fill faster than they are flushed"
            ));
        }
        self.done.filter(|done| *done < HELD_BELOW)?;
        let slowest = self.slow.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((server, slower)) = slowest.filter(|(server, _)| self.is_full(*server)) {
            // A server that clients wait for holds back all others.
            let so = match self.clients > 0 {
                true => "holds the clients",
                false => "can't keep up",
            };
            return Some(format!("server {server}, {} slower, {so}", times(*slower)));
        }
        if self.lost > 0 {
            let left = self.servers.saturating_sub(self.lost);
            let lost = match self.lost {
                1 => "a server".to_owned(),
                lost => format!("{lost} servers"),
            };
            return Some(format!("{lost} died, {left} are left"));
        }
        if let Some(share) = self.log.filter(|share| *share >= LOG_FULL) {
            let share = percent(share);
            return Some(format!(
                "the log of the busiest server is written at {share} of its bandwidth"
            ));
        }
        let clients = match self.clients {
            _ if self.hot => return None,
            0 => return None,
            1 => "the only client waits for its own calls and keeps".to_owned(),
            clients => {
                let clients = compact(f64::from(clients));
                format!("{clients} clients wait for their own calls and keep")
            }
        };
        if self.busy > BUSY {
            return Some(format!(
                "all servers are busy, {} of their handlers",
                percent(self.busy)
            ));
        }
        let busy = percent(self.busiest);
        (self.busiest < BUSY).then(|| {
            format!(
                "{clients} at most {busy} of a server's handlers busy: more clients would do more"
            )
        })
    }

    /// A slow server is full while the others are not.
    fn is_full(&self, server: u32) -> bool {
        let busy = self
            .utilisation
            .get(server as usize)
            .copied()
            .unwrap_or(0.0);
        let others = self.busy * f64::from(self.servers) - busy;
        busy > BUSY && busy >= BUSIER * others / f64::from(self.servers.max(2) - 1)
    }
}

#[cfg(test)]
mod course_tests {
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

#[cfg(test)]
mod held_back_tests {
    use super::*;

    /// Eight servers of which clients keep a fifth busy.
    fn counters() -> Counters {
        Counters {
            done: Some(0.253),
            utilisation: vec![0.2; 8],
            busiest: 0.2,
            busy: 0.2,
            servers: 8,
            clients: 240,
            ..Counters::default()
        }
    }

    fn told(change: impl FnOnce(&mut Counters)) -> String {
        let mut counters = counters();
        change(&mut counters);
        counters.held_back().unwrap_or_default()
    }

    #[test]
    fn the_first_cause_that_the_counters_show_is_named() {
        // One server full, the others at 0.06: (0.998 + 7 x 0.06) / 8 = 0.177 on average.
        let slow = |c: &mut Counters| {
            c.slow = vec![(0, 4.0)];
            c.utilisation = vec![0.06; 8];
            c.utilisation[0] = 0.998;
            (c.busiest, c.busy) = (0.998, 0.177);
        };
        assert_eq!(told(slow), "server 0, 4.0× slower, holds the clients");
        assert_eq!(
            told(|c| {
                slow(c);
                c.clients = 0;
            }),
            "server 0, 4.0× slower, can't keep up"
        );
        // A slow server that has nothing to do holds nobody.
        assert!(told(|c| c.slow = vec![(0, 4.0)]).contains("240 clients wait"));
        // Nor does one that is busier than the others and still has handlers free.
        let not_full = |c: &mut Counters| {
            slow(c);
            c.utilisation[0] = 0.4;
            (c.busiest, c.busy) = (0.4, 0.1);
        };
        assert!(told(not_full).contains("240 clients wait"));
        assert!(told(|c| c.lost = 1).contains("a server died"));
        assert!(told(|c| c.log = Some(0.97)).contains("97 % of its bandwidth"));
        assert!(told(|c| c.region_too_busy = 0.12).contains("refuse 12 % of the rows"));
        assert_eq!(
            told(|_| {}),
            "240 clients wait for their own calls and keep at most 20 % of a server's handlers busy: more clients would do more"
        );
        assert_eq!(
            told(|c| (c.busiest, c.busy) = (0.99, 0.97)),
            "all servers are busy, 97 % of their handlers"
        );
    }

    #[test]
    fn nothing_is_named_where_nothing_holds_or_nothing_shows_it() {
        assert_eq!(told(|c| c.done = Some(0.95)), "");
        assert_eq!(told(|c| c.done = None), "");
        // The hotspot is told already.
        assert_eq!(told(|c| c.hot = true), "");
        // An open loop that is behind, without a cause that was counted.
        assert_eq!(told(|c| c.clients = 0), "");
    }
}
