//! Operations that take several calls, and their parts: reads, writes to copies, and what neighbours do. Must not know what happens to them.

use super::calls::NONE;
use super::scan_cursor::ScanCursor;
use crate::metrics::ReadWork;
use crate::random::mix;
use crate::time::SimTime;
use crate::workload::{OperationId, ReadId};
use slab::Slab;

/// Marks the number of a part where calls of other operations have numbers as well: at a server.
pub(super) const PART: u32 = 1 << 31;

/// What an operation of several calls is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Purpose {
    /// A read, and what it has asked for so far.
    Read { read: ReadId, work: ReadWork },
    /// A write to all copies; the server of its row in the table itself.
    Write { server: u32 },
    /// A put or a Get of a neighbour: its number x 2, plus 1 for a Get.
    Neighbour { which: u32 },
}

/// One operation. It is over when all of its parts are, and given up with the first that is given up.
#[derive(Debug, Clone, Copy)]
pub(super) struct FanOut {
    pub operation: OperationId,
    /// Its intended start.
    pub intended: SimTime,
    /// The closed-loop reader or client that waits for it; [`NONE`] in an open loop.
    pub client: u32,
    /// Parts that have started and are not over.
    pub active: u32,
    /// The first part that waits for another to be over; [`NONE`] without any.
    pub waiting: u32,
    /// Given up: nobody waits for it any more.
    pub failed: bool,
    pub purpose: Purpose,
}

/// What a part does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Task {
    /// Gets on one server. Their regions are a list that begins at `regions`, until they are first sent.
    Gets {
        count: u32,
        /// Share of them that find a row.
        found: f64,
        regions: u32,
    },
    /// A scan, region by region.
    Scan(ScanCursor),
    /// One row of a write.
    Put {
        row: u64,
        bytes: u32,
        exclusive: bool,
    },
}

/// One part: it has at most one call under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Its operation; [`NONE`] when its server died while it worked on its call: another part stands for it.
    pub fan_out: u32,
    /// Its number within it.
    pub number: u32,
    /// The next part that waits; [`NONE`] after the last.
    pub next: u32,
    pub server: u32,
    /// The handler that took its call.
    pub handler: u32,
    /// When that was; [`SimTime::MAX`] while none holds it.
    pub taken: SimTime,
    /// When its call was first sent.
    pub sent: SimTime,
    /// Calls that have had a reply.
    pub replies: u32,
    /// Attempts of its call that failed so far.
    pub failures: u32,
    pub task: Task,
}

/// A Get that has not been sent: its region, and the next of its part.
#[derive(Debug, Clone, Copy)]
struct GetRegion {
    region: u32,
    next: u32,
}

/// All of them, in slabs: nothing is allocated below the greatest number that has been in flight.
#[derive(Debug, Default)]
pub(super) struct FanOuts {
    pub operations: Slab<FanOut>,
    pub parts: Slab<Part>,
    gets: Slab<GetRegion>,
}

impl Task {
    /// The row that an increment holds.
    pub fn exclusive_row(&self) -> Option<u64> {
        match self {
            Self::Put {
                row,
                exclusive: true,
                ..
            } => Some(*row),
            _ => None,
        }
    }
}

impl Part {
    /// A part that has not been sent.
    pub fn new(fan_out: u32, number: u32, server: u32, task: Task) -> Self {
        Self {
            fan_out,
            number,
            next: NONE,
            server,
            handler: 0,
            taken: SimTime::MAX,
            sent: SimTime::MAX,
            replies: 0,
            failures: 0,
            task,
        }
    }

    /// Sets the draws of its calls apart from those of the operation's other calls. Zero for the first call of the first part: the
    /// row of a write in the table itself meets the same service time with copies and without.
    pub fn salt(&self) -> u64 {
        mix(u64::from(self.number) << 32 | u64::from(self.replies))
    }
}

impl FanOuts {
    /// Adds an operation without parts.
    pub fn insert(&mut self, fan_out: FanOut) -> u32 {
        self.operations.insert(fan_out) as u32
    }

    /// Adds a part.
    pub fn insert_part(&mut self, part: Part) -> u32 {
        self.parts.insert(part) as u32
    }

    /// Adds a Get to a part of Gets.
    pub fn push_get(&mut self, part: u32, region: u32) {
        if let Task::Gets { count, regions, .. } = &mut self.parts[part as usize].task {
            *count += 1;
            let next = std::mem::replace(regions, self.gets.vacant_key() as u32);
            self.gets.insert(GetRegion { region, next });
        }
    }

    /// Forgets the list of the regions of a part's Gets, having told `each` of them.
    pub fn take_get_regions(&mut self, part: u32, mut each: impl FnMut(u32)) {
        if let Task::Gets { regions, .. } = &mut self.parts[part as usize].task {
            let mut at = std::mem::replace(regions, NONE);
            while at != NONE {
                let get = self.gets.remove(at as usize);
                each(get.region);
                at = get.next;
            }
        }
    }

    /// The last event that named a part whose server died has come: true when it was such a part.
    pub fn let_go(&mut self, part: u32) -> bool {
        let dead = self.parts[part as usize].fan_out == NONE;
        if dead {
            self.parts.remove(part as usize);
        }
        dead
    }

    /// The parts whose calls handlers of a server hold. O(parts).
    pub fn held_by(&self, server: u32) -> Vec<u32> {
        let held = self
            .parts
            .iter()
            .filter(|(_, part)| part.server == server && part.taken != SimTime::MAX);
        held.map(|(id, _)| id as u32).collect()
    }

    /// The operation of a part.
    pub fn operation_of(&mut self, part: u32) -> &mut FanOut {
        &mut self.operations[self.parts[part as usize].fan_out as usize]
    }

    /// Forgets the parts of an operation that have not started.
    pub fn drop_waiting(&mut self, fan_out: u32) {
        let mut at = std::mem::replace(&mut self.operations[fan_out as usize].waiting, NONE);
        while at != NONE {
            self.take_get_regions(at, |_| ());
            at = self.parts.remove(at as usize).next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_takes_at_most_two_cache_lines() {
        assert!(size_of::<Part>() <= 128, "{}", size_of::<Part>());
    }

    #[test]
    fn parts_that_never_start_leave_nothing_behind() {
        let mut all = FanOuts::default();
        let fan_out = all.insert(FanOut {
            operation: OperationId(0),
            intended: SimTime::ZERO,
            client: NONE,
            active: 0,
            waiting: NONE,
            failed: false,
            purpose: Purpose::Write { server: 0 },
        });
        for number in 0..3 {
            let task = Task::Gets {
                count: 0,
                found: 1.0,
                regions: NONE,
            };
            let id = all.insert_part(Part::new(fan_out, number, 0, task));
            all.push_get(id, 5);
            all.push_get(id, 7 + number);
            all.parts[id as usize].next = all.operations[fan_out as usize].waiting;
            all.operations[fan_out as usize].waiting = id;
        }
        let mut seen = Vec::new();
        all.take_get_regions(1, |region| seen.push(region));
        assert_eq!(seen, [8, 5]);
        all.drop_waiting(fan_out);
        assert_eq!((all.parts.len(), all.gets.len()), (0, 0));
    }
}
