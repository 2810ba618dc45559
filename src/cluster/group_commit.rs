//! The write-ahead log of one server: which calls a sync covers, and how long it takes. Must not schedule.

use super::WalSpec;
use crate::event_queue::Moment;
use crate::time::SimDuration;

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

/// What a log does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextSync {
    /// A sync starts now and takes so long.
    Starts(SimDuration),
    /// The log idles until these edits are appended, unless earlier ones come.
    Waits(Moment),
    /// The log idles.
    Idles,
}

/// So many edits are put in order without sorting.
const FEW: usize = 32;
/// Edits are told apart by their ages, in nanoseconds, up to this one: two seconds.
const OLDEST: u64 = i32::MAX as u64 - 1;

/// Group commit: one sync at a time, starting at once when idle, covering what was appended before its start, lasting
/// max(sync, bytes / bandwidth).
///
/// Edits are announced when their service starts. What is appended while a sync is under way waits for its end anyhow, so that only an
/// idle log has to be told when edits are appended: a busy server costs an event a sync, not one a call.
#[derive(Debug, Clone)]
pub struct GroupCommit {
    sync_nanos: u64,
    nanos_per_byte: f64,
    busy: bool,
    /// Edits that no sync covers yet, in no order.
    announced: Vec<Edits>,
    /// Calls that the sync under way covers, in the order in which their edits were appended.
    covered: Vec<u32>,
}

impl GroupCommit {
    /// An idle log.
    pub fn new(spec: &WalSpec) -> Self {
        Self {
            sync_nanos: spec.sync.as_nanos(),
            nanos_per_byte: 1e9 / spec.bandwidth.0,
            busy: false,
            announced: Vec::new(),
            covered: Vec::new(),
        }
    }

    /// Syncs that start from now on take `times` as long as the log's own.
    pub fn slow_down(&mut self, spec: &WalSpec, times: f64) {
        self.sync_nanos = (spec.sync.as_nanos() as f64 * times) as u64;
        self.nanos_per_byte = 1e9 / spec.bandwidth.0 * times;
    }

    /// The service of a call starts. Returns when [`GroupCommit::start`] has to be asked, if that is before all moments returned so far
    /// which have not come yet.
    #[inline]
    pub fn announce(&mut self, edits: Edits) -> Option<Moment> {
        let first = !self.busy
            && self
                .announced
                .iter()
                .all(|other| edits.served < other.served);
        self.announced.push(edits);
        first.then_some(edits.served)
    }

    /// The call whose edits were announced last and are not covered yet, or any number.
    #[inline]
    pub fn last_announced(&self) -> u32 {
        self.announced.last().map_or(0, |edits| edits.call)
    }

    /// Edits may have been appended at `now`. Returns the length of the sync that starts to cover them; `None` when one is under way, or
    /// there are none.
    #[inline]
    pub fn start(&mut self, now: Moment) -> Option<SimDuration> {
        if self.busy { None } else { self.cover(now) }
    }

    /// The sync that is under way ends: adds the calls that it covered to `released`, in the order in which they were appended. All that
    /// was appended meanwhile is covered by the next one.
    #[inline]
    pub fn synced(&mut self, now: Moment, released: &mut Vec<u32>) -> NextSync {
        released.extend_from_slice(&self.covered);
        match self.cover(now) {
            Some(length) => NextSync::Starts(length),
            None => match self.announced.iter().map(|edits| edits.served).min() {
                Some(first) => NextSync::Waits(first),
                None => NextSync::Idles,
            },
        }
    }

    /// The next sync covers what was appended before `now`; `None` when that is nothing. O(handlers x [`FEW`]).
    #[inline]
    fn cover(&mut self, now: Moment) -> Option<SimDuration> {
        let bytes = if self.announced.len() <= FEW {
            self.cover_few(now)
        } else {
            self.cover_many(now)
        };
        self.busy = !self.covered.is_empty();
        let writing = (bytes as f64 * self.nanos_per_byte + 0.5) as u64;
        self.busy
            .then(|| SimDuration::from_nanos(self.sync_nanos.max(writing)))
    }

    /// Moves the calls that were appended before `now` to the covered ones, in order; their bytes. Of many announced edits.
    #[cold]
    fn cover_many(&mut self, now: Moment) -> u64 {
        self.announced.sort_unstable_by_key(|edits| edits.served);
        let appended = self.announced.partition_point(|edits| edits.served <= now);
        self.covered.clear();
        let appended = self.announced.drain(..appended);
        let cover = |edits: Edits| {
            self.covered.push(edits.call);
            u64::from(edits.bytes)
        };
        appended.map(cover).sum()
    }

    /// The same of at most [`FEW`] announced edits: each goes to the place that counting those before it gives, as a processor guesses the
    /// branches of a sort wrong, and counting has none.
    #[inline]
    fn cover_few(&mut self, now: Moment) -> u64 {
        // Younger than all, where there are no edits.
        let (mut ages, mut calls) = ([-1i32; FEW + 1], [0; FEW + 1]);
        let (mut count, mut bytes) = (0, 0);
        for edits in &self.announced {
            // Ages of 32 bits are compared in a few wide steps. That of edits which are not appended yet means nothing: what comes next takes
            // its place.
            let age = now.at.as_nanos().wrapping_sub(edits.served.at.as_nanos());
            ages[count] = age.min(OLDEST) as i32;
            calls[count] = edits.call;
            let is_appended = edits.served <= now;
            count += usize::from(is_appended);
            bytes += u64::from(edits.bytes) * u64::from(is_appended);
        }
        ages[count] = -1;
        self.covered.clear();
        self.covered.resize(count, 0);
        let mut places = 0;
        for (age, &call) in ages[..count].iter().zip(&calls) {
            // The sign of a difference tells which is older.
            let older = ages[..FEW].iter().map(|other| (age - other) as u32 >> 31);
            let place = older.sum::<u32>() as usize;
            self.covered[place] = call;
            places += place;
        }
        // Two that are as old have the same place.
        if places != count * count.saturating_sub(1) / 2 {
            return self.cover_many(now);
        }
        let mut waiting = 0;
        for at in 0..self.announced.len() {
            let edits = self.announced[at];
            self.announced[waiting] = edits;
            waiting += usize::from(now < edits.served);
        }
        self.announced.truncate(waiting);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::SimTime;
    use crate::units::Bandwidth;
    use proptest::prelude::*;

    fn moment(at: u64, sequence: u64) -> Moment {
        Moment {
            at: SimTime::from_nanos(at),
            sequence,
        }
    }

    fn edits(call: u32, at: u64, bytes: u32) -> Edits {
        Edits {
            served: moment(at, u64::from(call)),
            bytes,
            call,
        }
    }

    #[test]
    fn a_sync_covers_what_was_appended_before_its_start_and_lasts_as_long_as_its_bytes() {
        let spec = WalSpec {
            sync: SimDuration::from_nanos(700),
            bandwidth: Bandwidth(1e9),
        };
        let sync = |nanos| SimDuration::from_nanos(nanos);
        let mut wal = GroupCommit::new(&spec);
        let mut released = Vec::new();
        assert_eq!(wal.announce(edits(1, 50, 100)), Some(moment(50, 1)));
        assert_eq!(wal.start(moment(50, 1)), Some(sync(700)), "idle: at once");
        // The second is served before the first, the third not before the sync ends.
        for later in [edits(3, 600, 900), edits(2, 500, 50), edits(4, 751, 1)] {
            assert_eq!(wal.announce(later), None, "a sync is under way");
        }
        assert_eq!(wal.start(moment(600, 3)), None);
        assert_eq!(
            wal.synced(moment(750, 9), &mut released),
            NextSync::Starts(sync(950)),
            "950 bytes at a byte a nanosecond"
        );
        assert_eq!(released, [1]);
        released.clear();
        assert_eq!(
            wal.synced(moment(1700, 10), &mut released),
            NextSync::Starts(sync(700))
        );
        assert_eq!(released, [2, 3], "in the order in which they were appended");
        released.clear();
        assert_eq!(wal.announce(edits(12, 3000, 7)), None);
        assert_eq!(
            wal.synced(moment(2400, 11), &mut released),
            NextSync::Waits(moment(3000, 12))
        );
        assert_eq!(released, [4]);
        assert_eq!(wal.announce(edits(13, 3001, 7)), None, "not the first");
        assert_eq!(
            wal.announce(edits(14, 2900, 800)),
            Some(moment(2900, 14)),
            "idle again"
        );
        assert_eq!(wal.start(moment(2900, 14)), Some(sync(800)));
        assert_eq!(wal.start(moment(3000, 12)), None, "it waits for the sync");
        assert_eq!(
            wal.synced(moment(3700, 15), &mut released),
            NextSync::Starts(sync(700))
        );
        assert_eq!(wal.synced(moment(4400, 16), &mut released), NextSync::Idles);
        assert_eq!(released, [4, 14, 12, 13]);
    }

    #[test]
    fn at_equal_times_the_order_of_insertion_tells_what_a_sync_covers() {
        let spec = WalSpec {
            sync: SimDuration::from_nanos(700),
            bandwidth: Bandwidth(1e9),
        };
        let mut wal = GroupCommit::new(&spec);
        wal.announce(edits(0, 100, 1));
        wal.start(moment(100, 0));
        wal.announce(edits(5, 800, 1));
        wal.announce(edits(3, 800, 1));
        let mut released = Vec::new();
        wal.synced(moment(800, 4), &mut released);
        wal.synced(moment(1500, 6), &mut released);
        assert_eq!(
            released,
            [0, 3],
            "the fifth came after the end of the first sync"
        );
    }

    #[test]
    fn as_many_as_are_counted_and_one_more_are_covered_in_order() {
        for count in [FEW - 1, FEW, FEW + 1] {
            let mut wal = GroupCommit::new(&WalSpec {
                sync: SimDuration::from_nanos(1),
                bandwidth: Bandwidth(1e9),
            });
            for call in 0..count as u32 {
                wal.announce(edits(call, 900 - 7 * u64::from(call), 5));
            }
            let sync = SimDuration::from_nanos(5 * count as u64);
            assert_eq!(wal.start(moment(901, 0)), Some(sync));
            assert!(wal.covered.iter().rev().copied().eq(0..count as u32));
        }
    }

    proptest! {
        /// However many wait, however old they are, and with ties: beside sorting them.
        #[test]
        fn calls_are_covered_in_the_order_in_which_their_edits_are_appended(
            times in prop::collection::vec(prop_oneof![0u64..9, 0u64..1_000, 0u64..9_000_000_000], 1..50),
            now in prop_oneof![0u64..9, 0u64..1_200, 0u64..9_500_000_000],
            sequence in 0u64..60,
        ) {
            let spec = WalSpec {
                sync: SimDuration::from_nanos(1),
                bandwidth: Bandwidth(1e9),
            };
            let mut wal = GroupCommit::new(&spec);
            let edits = (0..).zip(&times).map(|(call, &at)| edits(call, at, 3 + call));
            let (mut appended, waiting): (Vec<_>, Vec<_>) =
                edits.clone().partition(|edits| edits.served <= moment(now, sequence));
            edits.for_each(|edits| {
                wal.announce(edits);
            });
            appended.sort_by_key(|edits| edits.served);
            let bytes: u32 = appended.iter().map(|edits| edits.bytes).sum();
            let sync = (bytes > 0).then(|| SimDuration::from_nanos(u64::from(bytes)));
            prop_assert_eq!(wal.start(moment(now, sequence)), sync);
            let calls = |edits: &[Edits]| edits.iter().map(|edits| edits.call).collect::<Vec<_>>();
            prop_assert_eq!(&wal.covered, &calls(&appended));
            wal.announced.sort_by_key(|edits| edits.call);
            prop_assert_eq!(calls(&wal.announced), calls(&waiting));
        }
    }
}
