//! Closed-loop readers: who waits for a read, thinks, and goes on. Must not know how a read is served.

use super::SimConfig;
use super::closed_loop::{LEAST_CYCLE, is_nothing, staggered};
use super::simulation::{Event, Simulation};
use crate::random::{DrawKey, Stream, lane_of};
use crate::time::{SimDuration, SimTime};
use crate::workload::{ReadBatch, ReadDrive, ReadId, Think};

/// One reader.
#[derive(Debug, Clone, Copy)]
struct Reader {
    read: ReadId,
    /// Its number within its read.
    number: u32,
    /// Number of its next operation.
    next: u64,
    /// When its last read started.
    started: SimTime,
}

/// How the readers of one read think.
#[derive(Debug, Clone, Copy)]
struct Thinking {
    readers: u32,
    think: Think,
    draws: DrawKey,
}

/// All readers.
#[derive(Debug)]
pub(super) struct Readers {
    readers: Vec<Reader>,
    /// Of each read; `None` when it is open loop, or not issued.
    thinking: Vec<Option<Thinking>>,
    /// The read that is issued; kept for its memory.
    issued: ReadBatch,
}

impl Readers {
    pub fn new(config: &SimConfig) -> Self {
        let mut readers = Vec::new();
        let mut thinking = Vec::new();
        for (at, read) in config.workload.reads.iter().enumerate() {
            thinking.push(match read.drive {
                Some(ReadDrive::Closed { clients, think }) => {
                    readers.extend((0..clients).map(|number| Reader {
                        read: ReadId(at as u8),
                        number,
                        next: 0,
                        started: SimTime::ZERO,
                    }));
                    // A write may have the same name.
                    let lane = lane_of(&format!("read.{}", read.name));
                    let draws = DrawKey::new(config.seed, config.replicate, Stream::Think, lane);
                    Some(Thinking {
                        readers: clients,
                        think,
                        draws,
                    })
                }
                Some(ReadDrive::Open { .. }) | None => None,
            });
        }
        Self {
            readers,
            thinking,
            issued: ReadBatch::default(),
        }
    }

    fn thinking(&self, reader: &Reader) -> Option<&Thinking> {
        self.thinking[usize::from(reader.read.0)].as_ref()
    }

    /// Time that a reader thinks before its next read.
    fn think(&self, reader: &Reader) -> SimDuration {
        self.thinking(reader)
            .map_or(SimDuration::ZERO, |thinking| match thinking.think {
                Think::Constant(length) => length,
                Think::Exponential(mean) => {
                    let index =
                        reader.next * u64::from(thinking.readers) + u64::from(reader.number);
                    mean.mul_f64(thinking.draws.at(index).exponential())
                }
            })
    }
}

impl Simulation<'_> {
    /// All readers start: after their first think time, or staggered when they don't think.
    pub(super) fn start_readers(&mut self) {
        for at in 0..self.readers.readers.len() {
            let reader = self.readers.readers[at];
            let Some(thinking) = self.readers.thinking(&reader) else {
                continue;
            };
            let start = if is_nothing(thinking.think) {
                staggered(reader.number, thinking.readers)
            } else {
                SimTime::ZERO + self.readers.think(&reader)
            };
            self.schedule(start, Event::ReaderThought(at as u32));
        }
    }

    /// A reader's next read is due now.
    pub(super) fn reader_is_ready(&mut self, at: u32) {
        let now = self.now;
        let mut issued = std::mem::take(&mut self.readers.issued);
        issued.clear();
        let reader = &mut self.readers.readers[at as usize];
        let (read, number, next) = (reader.read, reader.number, reader.next);
        reader.next += 1;
        reader.started = now;
        self.reads
            .source
            .issue(read, number, next, now, &mut issued);
        if !issued.is_empty() {
            self.start_read_of(&issued, 0, at);
        }
        self.readers.issued = issued;
    }

    /// A reader goes on after its think time.
    pub(super) fn reader_thinks(&mut self, at: u32) {
        let reader = self.readers.readers[at as usize];
        let earliest = reader.started + LEAST_CYCLE;
        let ready = (self.now + self.readers.think(&reader)).max(earliest);
        self.schedule(ready, Event::ReaderThought(at));
    }
}
