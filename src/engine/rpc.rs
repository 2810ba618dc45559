//! Operations in flight and their remote procedure calls, in slabs.
//!
//! A row that is written by itself is a single RPC without anything beside it: 64 bytes, and nothing is allocated for it. Every other
//! [`Operation`] (a read, a flush of a write buffer, a write to several copies, what a neighbour does) owns its RPCs: each has a [`Piece`] that
//! says what it carries.

use super::numbers::NONE;
use super::table::rows::Keys;
use super::table::scans::ScanCursor;
use crate::metrics::{ReadWork, Recorded, RefusalReason};
use crate::random::{DrawKey, Draws, Stream, mix};
use crate::record::RecordGenerator;
use crate::time::SimTime;
use crate::workload::{OperationId, ReadId};
use slab::Slab;

/// Random draws of one purpose that belong to an attempt of an operation, whenever it happens.
#[derive(Debug, Clone, Copy)]
pub struct AttemptDraws(DrawKey);

impl AttemptDraws {
    pub fn new(generator: &RecordGenerator, purpose: Stream) -> Self {
        Self(generator.draws(purpose, 0))
    }

    /// The draws of an attempt after `failures` failed ones. Multiples of 2^64 / golden ratio keep the attempts of 2^56 operations
    /// apart: the first hundred multiples differ by more than 2^56.
    pub fn at(self, operation: OperationId, failures: u32) -> Draws {
        let attempt = u64::from(failures).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0.at(operation.0.wrapping_add(attempt))
    }
}

/// One remote procedure call, attempt by attempt. It lies in a single cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct Rpc {
    /// What its draws belong to: its operation, of a flush the operation of its first row.
    pub operation: OperationId,
    /// When that operation was to start.
    pub intended: SimTime,
    /// When a handler took it; [`SimTime::MAX`] while none holds it.
    pub taken: SimTime,
    /// Of an increment: the number of its row. Of any other row that is written by itself: the service time of its first attempt in nanoseconds,
    /// which is drawn with those of a whole batch, as one alone waits for each step of its draw.
    pub detail: u64,
    /// The server that it is sent to; [`NONE`] until its key is written.
    pub server: u32,
    /// The region of its row.
    pub region: u32,
    /// Its row's key in [`Keys`]; [`NONE`] once that is forgotten.
    pub key: u32,
    /// The closed-loop client or reader that waits for it; [`NONE`] in an open loop.
    pub client: u32,
    /// The handler that took it.
    pub handler: u32,
    /// Its own number, under which its piece lies; [`NONE`] for a row that is written by itself.
    pub piece: u32,
    /// Attempts that failed so far.
    pub failures: u16,
    /// Bytes of its row's key, under which its weight stands.
    pub key_length: u16,
    /// It is an increment, which holds its row while it is served.
    pub exclusive: bool,
    /// False in free slots, and once its server died and only the event of its service still names it.
    pub live: bool,
}

impl Rpc {
    /// An RPC that has not been placed yet.
    #[inline(always)]
    pub fn new(operation: OperationId, intended: SimTime, client: u32) -> Self {
        Self {
            operation,
            intended,
            taken: SimTime::MAX,
            detail: 0,
            server: NONE,
            region: NONE,
            key: NONE,
            client,
            handler: 0,
            piece: NONE,
            failures: 0,
            key_length: 0,
            exclusive: false,
            live: true,
        }
    }

    /// A handler holds it.
    pub fn is_held(&self) -> bool {
        self.taken != SimTime::MAX
    }
}

/// What an operation of several RPCs is.
#[derive(Debug, Clone, Copy)]
pub enum OperationKind {
    /// A read, and what it has asked for so far.
    Read { read: ReadId, work: ReadWork },
    /// A write to all copies; the server of its row in the table itself.
    Write { server: u32 },
    /// A flush of the write buffer of its client, whose rows end one by one.
    Flush,
    /// What a neighbour does; where it came from is a number of its sources.
    Neighbour { neighbour: u32, source: u32 },
}

/// One operation. It is over when all of its RPCs are, and given up with the first that is given up.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    pub id: OperationId,
    /// Its intended start.
    pub intended: SimTime,
    /// The closed-loop reader or client that waits for it; [`NONE`] in an open loop.
    pub client: u32,
    /// RPCs that have started and are not over.
    pub active: u32,
    /// The first RPC that waits for another to be over; [`NONE`] without any.
    pub waiting: u32,
    /// The last RPC that was put behind those that wait.
    last: u32,
    /// RPCs so far: the number of the next one.
    pub rpcs: u32,
    /// Given up: nobody waits for it any more.
    pub failed: bool,
    pub kind: OperationKind,
}

impl Operation {
    /// What it is recorded as: what is written, or the read or neighbour.
    pub fn recorded(&self) -> Recorded {
        match self.kind {
            OperationKind::Read { read, .. } => read.into(),
            OperationKind::Neighbour { neighbour, .. } => Recorded::neighbour(neighbour),
            OperationKind::Write { .. } | OperationKind::Flush => self.id.write().into(),
        }
    }
}

/// What an RPC carries.
#[derive(Debug, Clone, Copy)]
pub enum RpcBody {
    /// The row that stands in the RPC itself: one of a write to all copies, or of a neighbour.
    Row,
    /// Rows of the client's write buffer: so many from `first` on.
    Rows { first: u32, count: u32, bytes: u32 },
    /// Gets on one server: their list, and the share of them that find a row.
    Gets { list: u32, found: f64 },
    /// A scan, region by region: where it stands ([`Rpcs::scan`]).
    Scan(u32),
}

/// What an RPC is to its operation.
#[derive(Debug, Clone, Copy)]
pub struct Piece {
    /// Its operation, among the operations.
    pub operation: u32,
    /// Its number within it.
    pub number: u32,
    /// The next RPC of the operation that waits; [`NONE`] after the last.
    pub next: u32,
    /// Calls that have had a reply.
    pub replies: u32,
    /// When its call was first sent.
    pub sent: SimTime,
    /// Why its last attempt failed.
    pub reason: RefusalReason,
    pub body: RpcBody,
}

impl Piece {
    /// Sets the draws of its calls apart from those of the operation's other calls. Zero for the first call of the first RPC: the row of a write
    /// in the table itself meets the same service time with copies and without. The calls of a flush are told apart by their rows.
    fn salt(&self) -> u64 {
        match self.body {
            RpcBody::Rows { .. } => 0,
            _ => mix(u64::from(self.number) << 32 | u64::from(self.replies)),
        }
    }
}

/// A Get of an RPC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Get {
    /// The region that it is sent to.
    pub region: u32,
    /// In [`Keys`]; [`NONE`] when its region stays as it is.
    pub key: u32,
}

/// All that is in flight. Nothing is allocated below the greatest number that has been.
#[derive(Debug, Default)]
pub struct Rpcs {
    slots: Vec<Rpc>,
    /// The free slots. A list through themselves would have to be read, which waits for memory; they are only written.
    free: Vec<u32>,
    /// Of each slot, as far as one had any: an RPC and its piece are asked of memory at once.
    pieces: Vec<Piece>,
    scans: Slab<ScanCursor>,
    operations: Slab<Operation>,
    /// The Gets of RPCs; those that are free are empty, and keep their memory.
    lists: Vec<Vec<Get>>,
    free_lists: Vec<u32>,
}

impl Rpcs {
    /// Stores an RPC. O(1).
    #[inline]
    pub fn insert(&mut self, rpc: &Rpc) -> u32 {
        if let Some(id) = self.free.pop() {
            self.slots[id as usize] = *rpc;
            id
        } else {
            self.slots.push(*rpc);
            (self.slots.len() - 1) as u32
        }
    }

    /// Forgets an RPC of a row that is written by itself; its key is for the caller to forget.
    pub fn remove(&mut self, id: u32) {
        self.slots[id as usize].live = false;
        self.free.push(id);
    }

    /// Leaves an RPC, whose server died, to the event that will still name it, and goes on with its like; returns that.
    pub fn replace(&mut self, id: u32) -> u32 {
        let (rpc, piece) = (self.slots[id as usize], self.piece(id).copied());
        self.slots[id as usize].live = false;
        let like = self.insert(&rpc);
        if let Some(piece) = piece {
            self.set_piece(like, piece);
        }
        like
    }

    fn set_piece(&mut self, id: u32, piece: Piece) {
        let pieces = self.pieces.len().max(id as usize + 1);
        self.pieces.resize(pieces, piece);
        self.pieces[id as usize] = piece;
        self.slots[id as usize].piece = id;
    }

    /// The last event that named an RPC has come: true when nothing but the event was left of it.
    pub fn let_go(&mut self, id: u32) -> bool {
        let dead = !self.slots[id as usize].live;
        if dead {
            self.free.push(id);
        }
        dead
    }

    pub fn get(&self, id: u32) -> &Rpc {
        &self.slots[id as usize]
    }

    pub fn get_mut(&mut self, id: u32) -> &mut Rpc {
        &mut self.slots[id as usize]
    }

    /// All RPCs in flight, and those that wait for others of their operation.
    pub fn iter(&self) -> impl Iterator<Item = &Rpc> {
        self.slots.iter().filter(|rpc| rpc.live)
    }

    /// Rows that are written by themselves.
    pub fn alone(&self) -> impl Iterator<Item = &Rpc> {
        self.iter().filter(|rpc| rpc.piece == NONE)
    }

    /// The RPCs that handlers of a server hold. O(slots).
    pub fn held_by(&self, server: u32) -> Vec<u32> {
        let holds = |rpc: &Rpc| rpc.live && rpc.server == server && rpc.is_held();
        let held = (0..).zip(&self.slots).filter(|(_, rpc)| holds(rpc));
        held.map(|(id, _)| id).collect()
    }

    /// The draws of the next attempt of an RPC.
    #[inline]
    pub fn draws(&self, draws: AttemptDraws, id: u32) -> Draws {
        let rpc = self.get(id);
        let draws = draws.at(rpc.operation, u32::from(rpc.failures));
        match self.piece(id) {
            None => draws,
            Some(piece) => draws.salted(piece.salt()),
        }
    }

    /// What an RPC is to its operation; `None` for a row that is written by itself.
    pub fn piece(&self, id: u32) -> Option<&Piece> {
        let is_alone = self.get(id).piece == NONE;
        self.pieces.get(id as usize).filter(|_| !is_alone)
    }

    pub fn piece_mut(&mut self, id: u32) -> Option<&mut Piece> {
        let is_alone = self.get(id).piece == NONE;
        self.pieces.get_mut(id as usize).filter(|_| !is_alone)
    }

    /// What an RPC carries; `None` for a row that is written by itself.
    pub fn body(&self, id: u32) -> Option<RpcBody> {
        self.piece(id).map(|piece| piece.body)
    }

    /// It carries rows that are written.
    pub fn writes(&self, id: u32) -> bool {
        let body = self.piece(id).map(|piece| &piece.body);
        matches!(body, None | Some(RpcBody::Row | RpcBody::Rows { .. }))
    }

    /// Rows or Gets that an RPC carries; a scan counts as one.
    pub fn count(&self, id: u32) -> u32 {
        match self.body(id) {
            Some(RpcBody::Rows { count, .. }) => count,
            Some(RpcBody::Gets { list, .. }) => self.lists[list as usize].len() as u32,
            _ => 1,
        }
    }

    /// Changes what an RPC carries.
    pub fn set_body(&mut self, id: u32, body: RpcBody) {
        if let Some(piece) = self.piece_mut(id) {
            piece.body = body;
        }
    }

    /// Adds an operation without RPCs.
    pub fn begin(
        &mut self,
        id: OperationId,
        intended: SimTime,
        client: u32,
        kind: OperationKind,
    ) -> u32 {
        self.operations.insert(Operation {
            id,
            intended,
            client,
            active: 0,
            waiting: NONE,
            last: NONE,
            rpcs: 0,
            failed: false,
            kind,
        }) as u32
    }

    /// Forgets an operation whose RPCs are all over.
    pub fn end(&mut self, operation: u32) -> Operation {
        self.operations.remove(operation as usize)
    }

    /// Adds a further RPC of an operation: `active`, or one that waits.
    pub fn add(&mut self, operation: u32, server: u32, body: RpcBody, active: bool) -> u32 {
        let owner = &mut self.operations[operation as usize];
        owner.active += u32::from(active);
        owner.rpcs += 1;
        let rpc = Rpc {
            server,
            ..Rpc::new(owner.id, owner.intended, owner.client)
        };
        let piece = Piece {
            operation,
            number: owner.rpcs - 1,
            next: NONE,
            replies: 0,
            sent: SimTime::MAX,
            reason: RefusalReason::CallQueueTooBig,
            body,
        };
        let id = self.insert(&rpc);
        self.set_piece(id, piece);
        id
    }

    /// Adds a further RPC of an operation behind those of it that wait.
    pub fn append(&mut self, operation: u32, server: u32, body: RpcBody) -> u32 {
        let id = self.add(operation, server, body, false);
        let owner = &mut self.operations[operation as usize];
        match std::mem::replace(&mut owner.last, id) {
            NONE => owner.waiting = id,
            last => self.pieces[last as usize].next = id,
        }
        id
    }

    /// The next RPC of an operation that waits starts, unless `most` of it are under way.
    pub fn start_next(&mut self, operation: u32, most: u32) -> Option<u32> {
        let owner = &mut self.operations[operation as usize];
        let id = owner.waiting;
        if id == NONE || owner.active >= most {
            return None;
        }
        owner.active += 1;
        owner.waiting = self.pieces[id as usize].next;
        Some(id)
    }

    /// Adds a further RPC of the same operation, under way like `id` and after as many failures, which carries the same until told otherwise.
    pub fn add_sibling(&mut self, id: u32) -> u32 {
        let (like, piece) = (*self.get(id), self.pieces[id as usize]);
        let sibling = self.add(piece.operation, like.server, piece.body, true);
        let rpc = &mut self.slots[sibling as usize];
        (rpc.failures, rpc.operation) = (like.failures, like.operation);
        let new = &mut self.pieces[sibling as usize];
        (new.replies, new.sent, new.reason) = (piece.replies, piece.sent, piece.reason);
        sibling
    }

    pub fn operation(&self, operation: u32) -> &Operation {
        &self.operations[operation as usize]
    }

    pub fn operation_mut(&mut self, operation: u32) -> &mut Operation {
        &mut self.operations[operation as usize]
    }

    /// The operation of an RPC that has a piece.
    pub fn operation_of(&self, id: u32) -> &Operation {
        self.operation(self.pieces[id as usize].operation)
    }

    /// The operation of an RPC, to be changed; `None` for a row that is written by itself.
    pub fn owner_mut(&mut self, id: u32) -> Option<&mut Operation> {
        let operation = self.piece(id)?.operation;
        self.operations.get_mut(operation as usize)
    }

    /// All operations that own RPCs.
    pub fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.operations.iter().map(|(_, operation)| operation)
    }

    /// Forgets an RPC that has a piece and the keys that it kept; returns the piece.
    pub fn take(&mut self, id: u32, keys: &mut Keys) -> Piece {
        self.remove(id);
        keys.remove(self.get(id).key);
        let piece = self.pieces[id as usize];
        match piece.body {
            RpcBody::Scan(scan) => {
                let scan = self.scans.remove(scan as usize);
                scan.keys().iter().for_each(|&key| keys.remove(key));
            }
            RpcBody::Gets { list, .. } => {
                let gets = &mut self.lists[list as usize];
                gets.iter().for_each(|get| keys.remove(get.key));
                gets.clear();
                self.free_lists.push(list);
            }
            RpcBody::Row | RpcBody::Rows { .. } => {}
        }
        piece
    }

    /// Forgets the RPCs of an operation that have not started.
    pub fn drop_waiting(&mut self, operation: u32, keys: &mut Keys) {
        let mut at = std::mem::replace(&mut self.operation_mut(operation).waiting, NONE);
        while at != NONE {
            at = self.take(at, keys).next;
        }
    }

    /// A scan for a new RPC.
    pub fn new_scan(&mut self, cursor: ScanCursor) -> RpcBody {
        RpcBody::Scan(self.scans.insert(cursor) as u32)
    }

    /// Where a scan stands.
    pub fn scan(&self, scan: u32) -> &ScanCursor {
        &self.scans[scan as usize]
    }

    pub fn scan_mut(&mut self, scan: u32) -> &mut ScanCursor {
        &mut self.scans[scan as usize]
    }

    /// A list of Gets, of which a share of `found` find a row, for a new RPC.
    pub fn new_gets(&mut self, found: f64) -> RpcBody {
        let list = self.free_lists.pop().unwrap_or_else(|| {
            self.lists.push(Vec::new());
            (self.lists.len() - 1) as u32
        });
        RpcBody::Gets { list, found }
    }

    /// The same of a single Get.
    pub fn new_get(&mut self, found: f64, get: Get) -> RpcBody {
        let body = self.new_gets(found);
        if let RpcBody::Gets { list, .. } = body {
            self.lists[list as usize].push(get);
        }
        body
    }

    /// Adds a Get to an RPC of Gets.
    pub fn push_get(&mut self, id: u32, get: Get) {
        if let Some(RpcBody::Gets { list, .. }) = self.body(id) {
            self.lists[list as usize].push(get);
        }
    }

    /// The Gets of one list.
    pub fn list(&self, list: u32) -> &[Get] {
        &self.lists[list as usize]
    }

    /// The Gets of an RPC.
    pub fn gets(&self, id: u32) -> &[Get] {
        match self.body(id) {
            Some(RpcBody::Gets { list, .. }) => self.list(list),
            _ => &[],
        }
    }

    /// The Gets of an RPC, to be changed.
    pub fn gets_mut(&mut self, id: u32) -> &mut [Get] {
        match self.body(id) {
            Some(RpcBody::Gets { list, .. }) => &mut self.lists[list as usize],
            _ => &mut [],
        }
    }

    /// The Gets of an RPC that `moves` chooses are left to a sibling of it. All stay in order.
    pub fn move_gets(&mut self, id: u32, mut moves: impl FnMut(&Get) -> bool) -> Option<u32> {
        let Some(RpcBody::Gets { list, found }) = self.body(id) else {
            return None;
        };
        let (sibling, body) = (self.add_sibling(id), self.new_gets(found));
        self.set_body(sibling, body);
        let mut gets = std::mem::take(&mut self.lists[list as usize]);
        let moved = gets.extract_if(.., |get| moves(get));
        moved.for_each(|get| self.push_get(sibling, get));
        self.lists[list as usize] = gets;
        Some(sibling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::WriteId;

    fn rpc(index: u64) -> Rpc {
        Rpc::new(OperationId::new(WriteId(0), index), SimTime::ZERO, 3)
    }

    fn read(rpcs: &mut Rpcs) -> u32 {
        let work = ReadWork::default();
        let kind = OperationKind::Read {
            read: ReadId(0),
            work,
        };
        rpcs.begin(OperationId(0), SimTime::ZERO, NONE, kind)
    }

    fn regions(rpcs: &Rpcs, id: u32) -> Vec<u32> {
        rpcs.gets(id).iter().map(|get| get.region).collect()
    }

    #[test]
    fn an_rpc_takes_at_most_64_bytes_and_so_does_its_piece() {
        assert!(size_of::<Rpc>() <= 64);
        assert!(size_of::<Piece>() <= 64, "{}", size_of::<Piece>());
    }

    #[test]
    fn the_slot_of_a_replaced_rpc_is_used_again_when_its_last_event_has_come() {
        let mut rpcs = Rpcs::default();
        let id = rpcs.insert(&rpc(1));
        assert!(!rpcs.let_go(id));
        let other = rpcs.replace(id);
        assert_eq!(rpcs.iter().count(), 1);
        assert_eq!(rpcs.get(other).operation, rpc(1).operation);
        assert_ne!(rpcs.insert(&rpc(2)), id);
        assert!(rpcs.let_go(id));
        assert_eq!(rpcs.insert(&rpc(3)), id);
    }

    #[test]
    fn slots_are_used_again_and_only_rpcs_in_flight_are_listed() {
        let mut rpcs = Rpcs::default();
        let ids: Vec<_> = (0..4).map(|index| rpcs.insert(&rpc(index))).collect();
        rpcs.remove(ids[1]);
        rpcs.remove(ids[2]);
        assert_eq!(rpcs.insert(&rpc(9)), ids[2]);
        assert_eq!(rpcs.insert(&rpc(10)), ids[1]);
        assert_eq!(rpcs.insert(&rpc(11)), 4);
        rpcs.remove(ids[0]);
        let listed: Vec<_> = rpcs.iter().map(|rpc| rpc.operation.index()).collect();
        assert_eq!(listed, [10, 9, 3, 11]);
    }

    #[test]
    fn rpcs_that_never_start_leave_nothing_behind() {
        let mut rpcs = Rpcs::default();
        let mut keys = Keys::of(4);
        let operation = read(&mut rpcs);
        for number in 0..3 {
            let body = rpcs.new_gets(1.0);
            let id = rpcs.append(operation, 0, body);
            for (region, key) in [(5, b"a"), (7 + number, b"b")] {
                let key = keys.insert(key);
                rpcs.push_get(id, Get { region, key });
            }
        }
        assert_eq!(regions(&rpcs, 1), [5, 8]);
        rpcs.drop_waiting(operation, &mut keys);
        assert_eq!(rpcs.iter().count(), 0);
        assert_eq!(rpcs.free_lists.len(), 3);
        // The six slots of keys are free.
        assert!((0..6).all(|_| keys.insert(b"c") < 6));
    }

    #[test]
    fn gets_move_to_a_sibling_that_is_an_rpc_of_its_own() {
        let mut rpcs = Rpcs::default();
        let operation = read(&mut rpcs);
        rpcs.operation_mut(operation).rpcs = 3;
        let body = rpcs.new_gets(1.0);
        let id = rpcs.add(operation, 0, body, false);
        let key = NONE;
        (10..15).for_each(|region| rpcs.push_get(id, Get { region, key }));
        rpcs.get_mut(id).failures = 2;
        let sibling = rpcs.move_gets(id, |get| get.region % 2 == 0);
        let sibling = sibling.expect("three Gets move");
        assert_eq!(regions(&rpcs, id), [11, 13]);
        assert_eq!(regions(&rpcs, sibling), [10, 12, 14]);
        let number = rpcs.piece(sibling).map(|piece| piece.number);
        assert_eq!((number, rpcs.get(sibling).failures), (Some(4), 2));
        assert_eq!([id, sibling].map(|id| rpcs.count(id)), [2, 3]);
        let operation = rpcs.operation(operation);
        assert_eq!((operation.active, operation.rpcs), (1, 5));
    }
}
