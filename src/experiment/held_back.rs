//! What holds a run below what its servers could do, from what was measured. Must not tell hotspots: the verdict begins with them.

use crate::metrics::BUSY;
use crate::text::{compact, percent, times};
use std::fmt;

/// A run is held back when it does less than this part of what its servers could do, or of what was offered.
pub(super) const HELD_BELOW: f64 = 0.9;
/// A slow server holds the others back when it is busy this many times as much as they are (estimate).
const BUSIER: f64 = 1.5;
/// A log that is written at this part of its bandwidth is full.
const LOG_FULL: f64 = 0.9;
/// Refused rows that are worth a word.
const REFUSED: f64 = 0.01;

/// What holds the run back: the first that the counters show.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum HeldBack {
    /// A server that an event slows, and that is full while the others are not.
    SlowServer {
        server: u32,
        times: f64,
        /// Clients wait for their writes, so that it holds back all others.
        clients: bool,
    },
    /// Servers that died, and how many are left.
    LostServers { lost: u32, left: u32 },
    /// Regions refuse rows (RegionTooBusy), this share of them.
    FullMemstores { refused: f64 },
    /// The busiest server's log is written at this part of its bandwidth.
    Log { share: f64 },
    /// Clients wait for their own calls, and no server is full: this share of the handlers of the busiest server is busy.
    FewClients { clients: u32, busy: f64 },
    /// Clients keep all servers busy: these can do no more of this load.
    AllBusy { busy: f64 },
}

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

impl HeldBack {
    /// The first that holds; `None` when nothing holds the run back, or the counters don't show what does.
    pub(super) fn of(counters: &Counters) -> Option<Self> {
        let held = counters.done.is_some_and(|done| done < HELD_BELOW);
        if counters.region_too_busy >= REFUSED {
            return Some(Self::FullMemstores {
                refused: counters.region_too_busy,
            });
        }
        if !held {
            return None;
        }
        let busy_of = |server: u32| counters.utilisation.get(server as usize).copied();
        let slowest = counters
            .slow
            .iter()
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .filter(|(server, _)| {
                let others = counters.busy * f64::from(counters.servers);
                busy_of(*server).is_some_and(|busy| {
                    let mean = (others - busy) / f64::from(counters.servers.max(2) - 1);
                    busy > BUSY && busy >= BUSIER * mean
                })
            });
        if let Some(&(server, times)) = slowest {
            let clients = counters.clients > 0;
            return Some(Self::SlowServer {
                server,
                times,
                clients,
            });
        }
        if counters.lost > 0 {
            let left = counters.servers.saturating_sub(counters.lost);
            return Some(Self::LostServers {
                lost: counters.lost,
                left,
            });
        }
        if let Some(share) = counters.log.filter(|share| *share >= LOG_FULL) {
            return Some(Self::Log { share });
        }
        if counters.hot || counters.clients == 0 {
            return None;
        }
        if counters.busy > BUSY {
            return Some(Self::AllBusy {
                busy: counters.busy,
            });
        }
        (counters.busiest < BUSY).then_some(Self::FewClients {
            clients: counters.clients,
            busy: counters.busiest,
        })
    }
}

impl fmt::Display for HeldBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SlowServer {
                server,
                times: slower,
                clients,
            } => {
                write!(f, "server {server}, {} slower, ", times(*slower))?;
                match clients {
                    true => write!(f, "holds the clients"),
                    false => write!(f, "can't keep up"),
                }
            }
            Self::LostServers { lost: 1, left } => write!(f, "a server died, {left} are left"),
            Self::LostServers { lost, left } => {
                write!(f, "{lost} servers died, {left} are left")
            }
            Self::FullMemstores { refused } => write!(
                f,
                "regions refuse {} of the rows (RegionTooBusy): memstores fill faster than they are flushed",
                percent(*refused)
            ),
            Self::Log { share } => write!(
                f,
                "the log of the busiest server is written at {} of its bandwidth",
                percent(*share)
            ),
            Self::FewClients { clients, busy } => {
                match clients {
                    1 => write!(f, "the only client waits for its own calls and keeps")?,
                    _ => {
                        let clients = compact(f64::from(*clients));
                        write!(f, "{clients} clients wait for their own calls and keep")?;
                    }
                }
                let busy = percent(*busy);
                write!(
                    f,
                    " at most {busy} of a server's handlers busy: more clients would do more"
                )
            }
            Self::AllBusy { busy } => {
                write!(
                    f,
                    "all servers are busy, {} of their handlers",
                    percent(*busy)
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
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
        HeldBack::of(&counters).map_or(String::new(), |held| held.to_string())
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
