//! The calls in flight, in one slab. Must not know what happens to them.

use crate::time::SimTime;
use crate::workload::OperationId;

/// Stands for "no client", "no server".
pub(super) const NONE: u32 = u32::MAX;

/// One call: an operation, or the rows of a flush that go to one server. It lies in a single cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Call {
    /// Its (first) operation: what its draws belong to.
    pub operation: OperationId,
    /// Intended start of that operation.
    pub intended: SimTime,
    /// When a handler took it; [`SimTime::MAX`] while none holds it.
    pub taken: SimTime,
    /// Of an increment: the number of its row. Of a flush: its first row in the client's buffer. Of any other call: the service time of its
    /// first attempt in nanoseconds, which is drawn with those of a whole batch, as one alone waits for each step of its draw.
    pub detail: u64,
    /// Bytes of its rows in the write-ahead log.
    pub bytes: u32,
    /// Number of rows, >= 1.
    pub rows: u32,
    /// The server that it is sent to; [`NONE`] until its key is written.
    pub server: u32,
    /// The region that it is sent to; of a flush: that of its first row.
    pub region: u32,
    /// Its row's key in [`super::keys::Keys`]; of a flush, each row has its own.
    pub key: u32,
    /// The closed-loop client that waits for it; [`NONE`] in an open loop.
    pub client: u32,
    /// The handler that took it.
    pub handler: u32,
    /// Attempts that failed so far.
    pub failures: u16,
    /// Bytes of its row's key; of a flush, each row has its own.
    pub key_length: u16,
}

impl Call {
    /// A handler holds it.
    pub fn is_held(&self) -> bool {
        self.taken != SimTime::MAX
    }

    /// A closed-loop client's call of one row that has not been placed yet.
    #[inline]
    pub fn of_client(operation: OperationId, intended: SimTime, client: u32) -> Self {
        Self {
            operation,
            intended,
            taken: SimTime::MAX,
            detail: 0,
            bytes: 0,
            rows: 1,
            server: NONE,
            region: NONE,
            key: 0,
            client,
            handler: 0,
            failures: 0,
            key_length: 0,
        }
    }
}

/// Free slots, and those of retired calls, are marked by `rows == 0`.
#[derive(Debug, Default)]
pub(super) struct Calls {
    slots: Vec<Call>,
    /// The free slots. A list through themselves would have to be read, which waits for memory; they are only written.
    free: Vec<u32>,
}

impl Calls {
    /// Stores a call. O(1), no allocation below the greatest number that has been in flight.
    #[inline]
    pub fn insert(&mut self, call: Call) -> u32 {
        debug_assert!(call.rows > 0);
        if let Some(id) = self.free.pop() {
            self.slots[id as usize] = call;
            id
        } else {
            self.slots.push(call);
            (self.slots.len() - 1) as u32
        }
    }

    /// Forgets a call.
    #[inline]
    pub fn remove(&mut self, id: u32) {
        self.slots[id as usize].rows = 0;
        self.free.push(id);
    }

    /// Forgets a call whose number some event will still name; [`Calls::let_go`] then.
    pub fn retire(&mut self, id: u32) {
        self.slots[id as usize].rows = 0;
    }

    /// The last event that named a call has come: true when the call was retired.
    #[inline]
    pub fn let_go(&mut self, id: u32) -> bool {
        let retired = self.slots[id as usize].rows == 0;
        if retired {
            self.free.push(id);
        }
        retired
    }

    /// The call itself.
    #[inline]
    pub fn get(&self, id: u32) -> &Call {
        &self.slots[id as usize]
    }

    /// The call itself.
    #[inline]
    pub fn get_mut(&mut self, id: u32) -> &mut Call {
        &mut self.slots[id as usize]
    }

    /// All calls in flight.
    pub fn iter(&self) -> impl Iterator<Item = &Call> {
        self.slots.iter().filter(|call| call.rows > 0)
    }

    /// The calls that handlers of a server hold. O(slots).
    pub fn held_by(&self, server: u32) -> Vec<u32> {
        let holds = |call: &Call| call.rows > 0 && call.server == server && call.is_held();
        (0..)
            .zip(&self.slots)
            .filter_map(|(id, call)| holds(call).then_some(id))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::WriteId;

    fn call(index: u64) -> Call {
        Call::of_client(OperationId::new(WriteId(0), index), SimTime::ZERO, 3)
    }

    #[test]
    fn a_call_in_flight_takes_at_most_64_bytes() {
        assert!(size_of::<Call>() <= 64);
    }

    #[test]
    fn the_slot_of_a_retired_call_is_used_again_when_its_last_event_has_come() {
        let mut calls = Calls::default();
        let id = calls.insert(call(1));
        assert!(!calls.let_go(id));
        calls.retire(id);
        assert_eq!(calls.iter().count(), 0);
        assert_ne!(calls.insert(call(2)), id);
        assert!(calls.let_go(id));
        assert_eq!(calls.insert(call(3)), id);
    }

    #[test]
    fn slots_are_used_again_and_only_calls_in_flight_are_listed() {
        let mut calls = Calls::default();
        let ids: Vec<_> = (0..4).map(|index| calls.insert(call(index))).collect();
        calls.remove(ids[1]);
        calls.remove(ids[2]);
        assert_eq!(calls.insert(call(9)), ids[2]);
        assert_eq!(calls.insert(call(10)), ids[1]);
        assert_eq!(calls.insert(call(11)), 4);
        calls.remove(ids[0]);
        let listed: Vec<_> = calls.iter().map(|call| call.operation.index()).collect();
        assert_eq!(listed, [10, 9, 3, 11]);
    }
}
