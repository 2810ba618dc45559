//! Closed-loop readers: who waits for a read, thinks, and goes on. Must not know how a read is served.

use super::SimConfig;
use super::closed_loop::{LEAST_CYCLE, is_nothing, staggered};
use super::events::Event;
use super::simulation::Simulation;
use crate::time::SimTime;
use crate::workload::{ReadBatch, ReadDrive, ReadId};

/// One reader.
#[derive(Debug, Clone, Copy)]
struct Reader {
    read: ReadId,
    /// Its number within its read.
    number: u32,
    /// Number of its next operation.
    next: u64,
    /// Its next read starts no sooner.
    earliest: SimTime,
}

/// All readers.
#[derive(Debug)]
pub(super) struct Readers {
    readers: Vec<Reader>,
    /// The read that is issued; kept for its memory.
    issued: ReadBatch,
}

impl Readers {
    pub fn new(config: &SimConfig) -> Self {
        let mut readers = Vec::new();
        for (at, read) in config.workload.reads.iter().enumerate() {
            if let Some(ReadDrive::Closed { clients, .. }) = read.drive {
                readers.extend((0..clients).map(|number| Reader {
                    read: ReadId(at as u8),
                    number,
                    next: 0,
                    earliest: SimTime::ZERO,
                }));
            }
        }
        Self {
            readers,
            issued: ReadBatch::default(),
        }
    }
}

impl Simulation<'_> {
    /// All readers start: after their first think time, or staggered when they don't think.
    pub(super) fn start_readers(&mut self) {
        let Some(source) = &self.reads.source else {
            return;
        };
        let starts: Vec<SimTime> = self
            .readers
            .readers
            .iter()
            .map(
                |reader| match self.config.workload.reads[usize::from(reader.read.0)].drive {
                    Some(ReadDrive::Closed { clients, think }) if is_nothing(think) => {
                        staggered(reader.number, clients)
                    }
                    _ => SimTime::ZERO + source.think(reader.read, reader.number, 0),
                },
            )
            .collect();
        for (reader, start) in (0..).zip(starts) {
            self.schedule(start, Event::ReaderThought(reader));
        }
    }

    /// A reader's next read is due now.
    pub(super) fn reader_is_ready(&mut self, at: u32) {
        let Some(source) = &mut self.reads.source else {
            return;
        };
        let mut issued = std::mem::take(&mut self.readers.issued);
        issued.clear();
        let reader = &mut self.readers.readers[at as usize];
        source.issue(
            reader.read,
            reader.number,
            reader.next,
            self.now,
            &mut issued,
        );
        reader.next += 1;
        reader.earliest = self.now + LEAST_CYCLE;
        self.start_read_of(&issued, 0, at);
        self.readers.issued = issued;
    }

    /// A reader learns now that its read has failed: its next one starts no sooner than a further attempt could.
    pub(super) fn reader_fails(&mut self, at: u32) {
        let reader = &mut self.readers.readers[at as usize];
        reader.earliest = reader.earliest.max(self.now + self.back_off.least());
    }

    /// A reader goes on after its think time.
    pub(super) fn reader_thinks(&mut self, at: u32) {
        let Some(source) = &self.reads.source else {
            return;
        };
        let reader = &self.readers.readers[at as usize];
        let think = source.think(reader.read, reader.number, reader.next);
        let ready = (self.now + think).max(reader.earliest);
        self.schedule(ready, Event::ReaderThought(at));
    }
}
