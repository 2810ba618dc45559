//! The write-ahead log of one server: which calls a sync covers, and when it is acknowledged. Must not schedule.

use super::{LogSyncs, WalSpec};
use crate::event_queue::Moment;
use crate::prefetch::prefetch;
use crate::time::{SimDuration, SimTime};
use std::collections::VecDeque;

/// The edits of a call: they are appended when its service ends.
#[derive(Debug, Clone, Copy)]
pub struct Edits {
    /// When that is.
    pub served: Moment,
    /// Their size in the log.
    pub bytes: u32,
    /// The call.
    pub call: u32,
}

/// How fast a log is.
#[derive(Debug, Clone, Copy)]
pub struct LogPace {
    sync: SimDuration,
    nanos_per_byte: f64,
    syncs: LogSyncs,
    measured: SimTime,
}

impl LogPace {
    /// As fast as `spec` says; how long it writes is measured from an instant on.
    pub fn new(spec: &WalSpec, measured: SimTime) -> Self {
        Self {
            sync: spec.sync,
            nanos_per_byte: 1e9 / spec.bandwidth.0,
            syncs: spec.syncs,
            measured,
        }
    }

    /// Syncs and bytes take `times` as long.
    pub fn slowed(self, times: f64) -> Self {
        Self {
            sync: self.sync.mul_f64(times),
            nanos_per_byte: self.nanos_per_byte * times,
            ..self
        }
    }
}

/// Group commit. A sync is sent as soon as edits wait and the log is free. It covers what was appended by then, and is acknowledged
/// max(sync, bytes / bandwidth) later, never before one that was sent earlier. The log is free again when the bytes are written
/// ([`LogSyncs::Pipelined`], as HBase's `AsyncFSWAL.consume`), or when the sync is acknowledged ([`LogSyncs::Single`]).
///
/// Edits are announced when their service starts: what has been sent up to a moment follows from what was announced before it. It is worked
/// out only when a sync may be acknowledged, so that a server costs an event a sync, and none an append.
#[derive(Debug, Clone)]
pub struct GroupCommit {
    /// Edits that no sync covers yet; those that are appended first come last. A server works on few calls at a time, most of them wait for
    /// their syncs: edits are put in their place among these few.
    announced: Vec<Edits>,
    /// Calls that syncs under way cover, each with the time of its acknowledgement, in the order of both.
    covered: VecDeque<(SimTime, u32)>,
    /// When the next sync can be sent at the earliest.
    free: SimTime,
    /// When [`GroupCommit::acknowledge`] is asked next; no sync is acknowledged before. [`SimTime::MAX`]: not until edits are announced.
    asked: SimTime,
}

impl Default for GroupCommit {
    /// An idle log.
    fn default() -> Self {
        Self {
            announced: Vec::new(),
            covered: VecDeque::new(),
            free: SimTime::ZERO,
            asked: SimTime::MAX,
        }
    }
}

impl GroupCommit {
    /// The service of a call starts. Returns when [`GroupCommit::acknowledge`] has to be asked besides the moments returned so far.
    /// O(calls that the server works on).
    #[inline]
    pub fn announce(&mut self, edits: Edits, pace: &LogPace) -> Option<SimTime> {
        let earliest = self.free.max(edits.served.at) + pace.sync;
        let mut place = self.announced.len();
        self.announced.push(edits);
        let announced = &mut self.announced[..];
        while place > 0 && announced[place - 1].served < edits.served {
            announced[place] = announced[place - 1];
            place -= 1;
        }
        announced[place] = edits;
        self.ask_by(earliest)
    }

    /// Adds the calls whose syncs are acknowledged by `now` to `released`, in the order in which they were appended, and to `busy` how long
    /// bytes are written of syncs that are measured. Returns when it has to be asked again, besides the moments returned so far. O(released) on average.
    #[inline]
    pub fn acknowledge(
        &mut self,
        now: SimTime,
        pace: &LogPace,
        released: &mut Vec<u32>,
        busy: &mut SimDuration,
    ) -> Option<SimTime> {
        // Otherwise an earlier moment was returned after this one.
        if now != self.asked {
            return None;
        }
        self.asked = SimTime::MAX;
        self.send(now, pace, busy);
        while let Some(&(acknowledged, call)) = self.covered.front()
            && acknowledged <= now
        {
            self.covered.pop_front();
            released.push(call);
        }
        self.ask_next(pace)
    }

    /// From `now` on the log is as fast as `new`; syncs that were sent before are acknowledged as `old` told. Returns when
    /// [`GroupCommit::acknowledge`] has to be asked besides the moments returned so far.
    pub fn change_pace(
        &mut self,
        now: SimTime,
        (old, new): (&LogPace, &LogPace),
        busy: &mut SimDuration,
    ) -> Option<SimTime> {
        self.send(now, old, busy);
        self.ask_next(new)
    }

    /// The call that is acknowledged next, if no other is announced that is served sooner.
    pub fn next_call(&self) -> Option<u32> {
        let covered = self.covered.front().map(|(_, call)| *call);
        covered.or_else(|| Some(self.announced.last()?.call))
    }

    /// Asks for what is looked at when a call is announced or acknowledged.
    pub fn prefetch(&self) {
        self.announced.last().into_iter().for_each(prefetch);
        self.covered.front().into_iter().for_each(prefetch);
    }

    fn ask_next(&mut self, pace: &LogPace) -> Option<SimTime> {
        let first = self.announced.last();
        let next = match self.covered.front() {
            Some(&(acknowledged, _)) => acknowledged,
            None => self.free.max(first?.served.at) + pace.sync,
        };
        self.ask_by(next)
    }

    fn ask_by(&mut self, at: SimTime) -> Option<SimTime> {
        let sooner = at < self.asked;
        self.asked = self.asked.min(at);
        sooner.then_some(at)
    }

    /// Sends what is sent up to `now`.
    fn send(&mut self, now: SimTime, pace: &LogPace, busy: &mut SimDuration) {
        while let Some(first) = self.announced.last() {
            let sent = self.free.max(first.served.at);
            if sent > now {
                return;
            }
            let mut announced = self.announced.iter();
            let later = announced.rposition(|edits| edits.served.at > sent);
            let covers = &self.announced[later.map_or(0, |place| place + 1)..];
            let bytes: i64 = covers.iter().map(|edits| i64::from(edits.bytes)).sum();
            // By way of i64, for which processors have an instruction.
            let writing = (bytes as f64 * pace.nanos_per_byte + 0.5) as i64 as u64;
            let writing = SimDuration::from_nanos(writing);
            if sent >= pace.measured {
                *busy = *busy + writing;
            }
            // A log that has become faster still answers in order.
            let last = self.covered.back().map_or(sent, |covered| covered.0);
            let acknowledged = last.max(sent + pace.sync.max(writing));
            for edits in covers.iter().rev() {
                self.covered.push_back((acknowledged, edits.call));
            }
            let waiting = self.announced.len() - covers.len();
            self.announced.truncate(waiting);
            self.free = match pace.syncs {
                LogSyncs::Pipelined => sent + writing,
                LogSyncs::Single => acknowledged,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bandwidth;
    use proptest::prelude::*;

    fn time(nanos: u64) -> SimTime {
        SimTime::from_nanos(nanos)
    }

    fn edits(call: u32, at: u64, bytes: u32) -> Edits {
        let served = Moment {
            at: time(at),
            sequence: u64::from(call),
        };
        Edits {
            served,
            bytes,
            call,
        }
    }

    /// A sync of 700 ns, a byte a nanosecond.
    fn pace(syncs: LogSyncs) -> LogPace {
        let spec = WalSpec {
            sync: SimDuration::from_nanos(700),
            bandwidth: Bandwidth(1e9),
            syncs,
        };
        LogPace::new(&spec, time(1_000))
    }

    /// When the sync of each call is acknowledged, given all edits. They are announced so many nanoseconds before they are appended.
    fn acknowledged(pace: &LogPace, all: &[(u32, u64, u32)], before: &[u64]) -> Vec<(u64, u32)> {
        let mut wal = GroupCommit::default();
        let mut found = Vec::new();
        let mut coming: Vec<_> = (0..)
            .zip(all)
            .map(|(place, &(call, at, bytes))| {
                let early = before.get(place).copied().unwrap_or(at);
                (at - early.min(at), edits(call, at, bytes))
            })
            .collect();
        coming.sort_by_key(|&(start, _)| start);
        let mut asked: Vec<SimTime> = Vec::new();
        let mut coming = coming.into_iter().peekable();
        loop {
            let next = asked.iter().min().copied();
            let announced =
                coming.next_if(|&(start, _)| next.is_none_or(|next| time(start) <= next));
            let (again, now) = match (announced, next) {
                (Some((_, edits)), _) => (wal.announce(edits, pace), SimTime::ZERO),
                (None, Some(now)) => {
                    asked.retain(|&other| other != now);
                    let (mut released, mut busy) = (Vec::new(), SimDuration::ZERO);
                    let again = wal.acknowledge(now, pace, &mut released, &mut busy);
                    found.extend(released.into_iter().map(|call| (now.as_nanos(), call)));
                    (again, now)
                }
                (None, None) => return found,
            };
            assert!(again.is_none_or(|again| again >= now));
            asked.extend(again);
        }
    }

    #[test]
    fn pipelined_syncs_are_sent_while_earlier_ones_are_on_their_way() {
        // The second waits for 100 bytes to be written, not for the first to be acknowledged; the third and fourth for 900.
        let all = [(1, 50, 100), (2, 120, 900), (3, 600, 40), (4, 1_000, 1)];
        let expected = [(750, 1), (1_050, 2), (1_750, 3), (1_750, 4)];
        assert_eq!(
            acknowledged(&pace(LogSyncs::Pipelined), &all, &[]),
            expected
        );
    }

    #[test]
    fn a_single_sync_waits_until_the_one_before_is_acknowledged() {
        // The second is sent at 750 and covers 950 bytes, the third when these are written.
        let all = [(1, 50, 100), (3, 600, 900), (2, 500, 50), (4, 751, 1)];
        let expected = [(750, 1), (1_700, 2), (1_700, 3), (2_400, 4)];
        assert_eq!(acknowledged(&pace(LogSyncs::Single), &all, &[]), expected);
    }

    #[test]
    fn a_sync_that_was_sent_before_a_log_changed_its_pace_is_acknowledged_as_told() {
        let fast = pace(LogSyncs::Pipelined);
        let slow = fast.slowed(10.0);
        let mut wal = GroupCommit::default();
        let (mut released, mut busy) = (Vec::new(), SimDuration::ZERO);
        assert_eq!(wal.announce(edits(1, 0, 100), &slow), Some(time(7_000)));
        assert_eq!(wal.announce(edits(2, 2_000, 100), &slow), None);
        // At 1,500 the first is on its way, until 7,000; the second is sent by the fast log and could be acknowledged at 2,700, were it not
        // for the order.
        let paces = (&slow, &fast);
        assert_eq!(wal.change_pace(time(1_500), paces, &mut busy), None);
        assert_eq!(
            wal.acknowledge(time(7_000), &fast, &mut released, &mut busy),
            None
        );
        assert_eq!(released, [1, 2]);
        // Without an earlier one on its way it is asked for sooner than a slow log would have had to be.
        assert_eq!(
            wal.announce(edits(3, 9_000, 100), &slow),
            Some(time(16_000))
        );
        assert_eq!(
            wal.change_pace(time(8_000), paces, &mut busy),
            Some(time(9_700))
        );
        assert_eq!(
            wal.acknowledge(time(9_700), &fast, &mut released, &mut busy),
            None
        );
        // 100 bytes of each, the first of them written before it is measured.
        assert_eq!(busy, SimDuration::from_nanos(2 * 100));
        assert_eq!(
            wal.acknowledge(time(16_000), &fast, &mut released, &mut busy),
            None
        );
        assert_eq!(released, [1, 2, 3]);
    }

    proptest! {
        /// Beside a log that is asked at every append and every time it gets free.
        #[test]
        fn whenever_edits_are_announced_syncs_are_sent_and_acknowledged_as_by_one_step_after_another(
            all in prop::collection::vec((0u64..9_000, 1u32..400, 0u64..5_000), 1..60),
            single: bool,
        ) {
            let syncs = if single { LogSyncs::Single } else { LogSyncs::Pipelined };
            let calls: Vec<_> = (0..).zip(&all).map(|(call, &(at, bytes, _))| (call, at, bytes)).collect();
            let before: Vec<u64> = all.iter().map(|&(_, _, before)| before).collect();
            let mut waiting = calls.clone();
            waiting.sort_by_key(|&(call, at, _)| (at, call));
            let (mut free, mut expected) = (0, Vec::new());
            while let Some(&(_, first, _)) = waiting.first() {
                let sent = first.max(free);
                let covers = waiting.partition_point(|&(_, at, _)| at <= sent);
                let bytes: u64 = waiting[..covers].iter().map(|&(_, _, bytes)| u64::from(bytes)).sum();
                let acknowledged = sent + bytes.max(700);
                free = if single { acknowledged } else { sent + bytes };
                expected.extend(waiting.drain(..covers).map(|(call, _, _)| (acknowledged, call)));
            }
            prop_assert_eq!(acknowledged(&pace(syncs), &calls, &before), expected);
        }
    }
}
