//! Operations that take several calls, and their parts: reads, writes to copies, and what neighbours do. Must not know what happens to them.

use super::calls::NONE;
use super::keys::Keys;
use super::scan_cursor::ScanCursor;
use crate::metrics::{ReadWork, RefusalReason};
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
    /// Parts so far: the number of the next one.
    pub parts: u32,
    /// Given up: nobody waits for it any more.
    pub failed: bool,
    pub purpose: Purpose,
}

/// What a part does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Task {
    /// Gets on one server: a list that begins at `first`.
    Gets {
        count: u32,
        /// Share of them that find a row.
        found: f64,
        first: u32,
    },
    /// A scan, region by region.
    Scan(ScanCursor),
    /// One row of a write.
    Put {
        row: u64,
        region: u32,
        /// In [`Keys`], until the row is in its memstore; [`NONE`] from then on, and for rows whose regions stay as they are.
        key: u32,
        bytes: u32,
        key_length: u16,
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
    /// Why the last one failed.
    pub reason: RefusalReason,
    pub task: Task,
}

/// A Get of a part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Get {
    /// The region that it is sent to.
    pub region: u32,
    /// In [`Keys`]; [`NONE`] when its region stays as it is.
    pub key: u32,
    /// The next of its part; [`NONE`] after the last.
    pub next: u32,
}

/// All of them, in slabs: nothing is allocated below the greatest number that has been in flight.
#[derive(Debug, Default)]
pub(super) struct FanOuts {
    pub operations: Slab<FanOut>,
    pub parts: Slab<Part>,
    gets: Slab<Get>,
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
            reason: RefusalReason::CallQueueTooBig,
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

    /// The number of the next part of an operation.
    pub fn next_number(&mut self, fan_out: u32) -> u32 {
        let parts = &mut self.operations[fan_out as usize].parts;
        *parts += 1;
        *parts - 1
    }

    /// Adds a part.
    pub fn insert_part(&mut self, part: Part) -> u32 {
        self.parts.insert(part) as u32
    }

    /// Adds a Get to a part of Gets.
    pub fn push_get(&mut self, part: u32, region: u32, key: u32) {
        if let Task::Gets { count, first, .. } = &mut self.parts[part as usize].task {
            *count += 1;
            let next = std::mem::replace(first, self.gets.vacant_key() as u32);
            self.gets.insert(Get { region, key, next });
        }
    }

    /// The Gets of a part.
    pub fn gets(&self, part: u32) -> impl Iterator<Item = Get> + '_ {
        let mut at = match self.parts[part as usize].task {
            Task::Gets { first, .. } => first,
            _ => NONE,
        };
        std::iter::from_fn(move || {
            let get = *self.gets.get(at as usize)?;
            at = get.next;
            Some(get)
        })
    }

    /// `chosen` Gets of a part, which it may change, go before those of another part. All stay in order.
    pub fn move_gets(&mut self, from: u32, to: u32, mut chosen: impl FnMut(&mut Get) -> bool) {
        let Task::Gets { first: mut at, .. } = self.parts[from as usize].task else {
            return;
        };
        // Of those that stay, then of those that go: how many, the first and the last one.
        let mut lists = [(0, NONE, NONE); 2];
        while at != NONE {
            let get = &mut self.gets[at as usize];
            let next = std::mem::replace(&mut get.next, NONE);
            let (count, first, last) = &mut lists[usize::from(chosen(get))];
            *count += 1;
            match *last {
                NONE => *first = at,
                last => self.gets[last as usize].next = at,
            }
            *last = at;
            at = next;
        }
        let [stay, go] = lists;
        if let Task::Gets { count, first, .. } = &mut self.parts[from as usize].task {
            (*count, *first) = (stay.0, stay.1);
        }
        if go.0 > 0
            && let Task::Gets { count, first, .. } = &mut self.parts[to as usize].task
        {
            *count += go.0;
            self.gets[go.2 as usize].next = std::mem::replace(first, go.1);
        }
    }

    /// A further part of the same operation, under way like `part` and after as many failures, with Gets that are still to be moved there.
    pub fn insert_sibling(&mut self, part: u32) -> u32 {
        let mut sibling = self.parts[part as usize];
        sibling.number = self.next_number(sibling.fan_out);
        self.operations[sibling.fan_out as usize].active += 1;
        sibling.next = NONE;
        sibling.taken = SimTime::MAX;
        if let Task::Gets { count, first, .. } = &mut sibling.task {
            (*count, *first) = (0, NONE);
        }
        self.insert_part(sibling)
    }

    /// Forgets a part and what it kept.
    pub fn remove_part(&mut self, part: u32, keys: &mut Keys) -> Part {
        let removed = self.parts.remove(part as usize);
        let mut forget = |key: u32| {
            if key != NONE {
                keys.remove(key);
            }
        };
        match removed.task {
            Task::Put { key, .. } => forget(key),
            Task::Scan(cursor) => {
                forget(cursor.keys().start);
                forget(cursor.keys().stop);
            }
            Task::Gets { mut first, .. } => {
                while first != NONE {
                    let get = self.gets.remove(first as usize);
                    forget(get.key);
                    first = get.next;
                }
            }
        }
        removed
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
    pub fn drop_waiting(&mut self, fan_out: u32, keys: &mut Keys) {
        let mut at = std::mem::replace(&mut self.operations[fan_out as usize].waiting, NONE);
        while at != NONE {
            at = self.remove_part(at, keys).next;
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

    fn operation() -> FanOut {
        FanOut {
            operation: OperationId(0),
            intended: SimTime::ZERO,
            client: NONE,
            active: 0,
            waiting: NONE,
            parts: 3,
            failed: false,
            purpose: Purpose::Write { server: 0 },
        }
    }

    fn gets(fan_out: u32, number: u32) -> Part {
        let task = Task::Gets {
            count: 0,
            found: 1.0,
            first: NONE,
        };
        Part::new(fan_out, number, 0, task)
    }

    fn regions(all: &FanOuts, part: u32) -> Vec<u32> {
        all.gets(part).map(|get| get.region).collect()
    }

    #[test]
    fn parts_that_never_start_leave_nothing_behind() {
        let mut all = FanOuts::default();
        let mut keys = Keys::of(4);
        let fan_out = all.insert(operation());
        for number in 0..3 {
            let id = all.insert_part(gets(fan_out, number));
            all.push_get(id, 5, keys.insert(b"a"));
            all.push_get(id, 7 + number, keys.insert(b"b"));
            all.parts[id as usize].next = all.operations[fan_out as usize].waiting;
            all.operations[fan_out as usize].waiting = id;
        }
        assert_eq!(regions(&all, 1), [8, 5]);
        all.drop_waiting(fan_out, &mut keys);
        assert_eq!((all.parts.len(), all.gets.len()), (0, 0));
        // The six slots of keys are free.
        assert!((0..6).all(|_| keys.insert(b"c") < 6));
    }

    #[test]
    fn gets_move_to_a_sibling_that_is_a_part_of_its_own() {
        let mut all = FanOuts::default();
        let fan_out = all.insert(operation());
        let part = all.insert_part(gets(fan_out, 1));
        (10..15).for_each(|region| all.push_get(part, region, NONE));
        all.parts[part as usize].failures = 2;
        let sibling = all.insert_sibling(part);
        all.move_gets(part, sibling, |get| {
            get.region += 100;
            get.region % 2 == 0
        });
        assert_eq!(regions(&all, part), [113, 111]);
        assert_eq!(regions(&all, sibling), [114, 112, 110]);
        let found = &all.parts[sibling as usize];
        assert_eq!((found.number, found.failures), (3, 2));
        let counts = [part, sibling].map(|id| match all.parts[id as usize].task {
            Task::Gets { count, .. } => count,
            _ => 0,
        });
        assert_eq!(counts, [2, 3]);
        let operation = &all.operations[fan_out as usize];
        assert_eq!((operation.active, operation.parts), (1, 4));
    }
}
