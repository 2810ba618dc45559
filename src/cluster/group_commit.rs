//! The write-ahead log of one server: which calls a sync covers, and how long it takes. Must not know the time.

use super::WalSpec;
use crate::time::SimDuration;

/// Group commit: one sync at a time, starting at once when idle, covering what was appended before its start, lasting
/// max(sync, bytes / bandwidth).
#[derive(Debug, Clone)]
pub struct GroupCommit {
    sync_nanos: u64,
    nanos_per_byte: f64,
    busy: bool,
    gathered: Vec<u32>,
    gathered_bytes: u64,
    covered: Vec<u32>,
}

impl GroupCommit {
    /// An idle log.
    pub fn new(spec: &WalSpec) -> Self {
        Self {
            sync_nanos: spec.sync.as_nanos(),
            nanos_per_byte: 1e9 / spec.bandwidth.0,
            busy: false,
            gathered: Vec::new(),
            gathered_bytes: 0,
            covered: Vec::new(),
        }
    }

    /// Appends a call's edits. Returns the length of the sync that starts now to cover it; `None` when one is under way, whose end
    /// starts the next.
    #[inline]
    pub fn append(&mut self, call: u32, bytes: u64) -> Option<SimDuration> {
        self.gathered.push(call);
        self.gathered_bytes += bytes;
        if self.busy { None } else { Some(self.start()) }
    }

    /// The sync that is under way ends: appends the calls that it covered to `released`, in the order in which they were appended. Returns
    /// the length of the next sync, which starts now when anything was appended meanwhile.
    #[inline]
    pub fn synced(&mut self, released: &mut Vec<u32>) -> Option<SimDuration> {
        released.append(&mut self.covered);
        self.busy = false;
        if self.gathered.is_empty() {
            None
        } else {
            Some(self.start())
        }
    }

    fn start(&mut self) -> SimDuration {
        self.busy = true;
        std::mem::swap(&mut self.gathered, &mut self.covered);
        let writing = (self.gathered_bytes as f64 * self.nanos_per_byte + 0.5) as u64;
        self.gathered_bytes = 0;
        SimDuration::from_nanos(self.sync_nanos.max(writing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bandwidth;

    #[test]
    fn a_sync_covers_what_was_appended_before_its_start_and_lasts_as_long_as_its_bytes() {
        let spec = WalSpec {
            sync: SimDuration::from_nanos(700),
            bandwidth: Bandwidth(1e9),
        };
        let mut wal = GroupCommit::new(&spec);
        let mut released = Vec::new();
        assert_eq!(
            wal.append(1, 100),
            Some(SimDuration::from_nanos(700)),
            "idle: at once"
        );
        assert_eq!((wal.append(2, 900), wal.append(3, 50)), (None, None));
        assert_eq!(
            wal.synced(&mut released),
            Some(SimDuration::from_nanos(950)),
            "950 bytes at a byte a nanosecond"
        );
        assert_eq!(released, [1]);
        assert_eq!(wal.append(4, 1), None);
        released.clear();
        assert_eq!(
            wal.synced(&mut released),
            Some(SimDuration::from_nanos(700))
        );
        assert_eq!(released, [2, 3]);
        released.clear();
        assert_eq!(wal.synced(&mut released), None);
        assert_eq!(released, [4]);
        assert_eq!(
            wal.append(5, 1),
            Some(SimDuration::from_nanos(700)),
            "idle again"
        );
    }
}
