//! The handlers and call queues of one server. Must not know what a call does, how long it takes, or what time it is.

use super::ClusterSpec;
use crate::prefetch::prefetch;
use std::collections::VecDeque;

/// What becomes of a call that reaches a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// An idle handler takes it at once.
    Taken {
        /// Which one.
        handler: u32,
    },
    /// It waits in a call queue.
    Queued,
    /// `CallQueueTooBig`.
    Refused,
}

/// Handlers and call queues as in HBase's `FastPathBalancedQueueRpcExecutor`: an idle handler of any queue takes a call
/// at once (the one that idled last first); only when all are busy does the call join a queue, and a full one refuses it
/// even if others have room. Handler `h` serves queue `h mod queues`.
#[derive(Debug, Clone)]
pub struct Handlers {
    idle: Vec<u32>,
    queues: Vec<VecDeque<u32>>,
    queue_length: u32,
    /// Calls in all queues: where none waits, the queues are left alone.
    waiting: u32,
}

impl Handlers {
    /// All handlers idle, all queues empty.
    pub fn new(spec: &ClusterSpec) -> Self {
        Self {
            idle: (0..spec.handlers.max(1)).rev().collect(),
            queues: vec![VecDeque::new(); spec.call_queues.max(1) as usize],
            queue_length: spec.call_queue_length,
            waiting: 0,
        }
    }

    /// A call arrives. `draw` names a queue in `0..queues`, given their number; it is asked only when all handlers are busy. O(1).
    #[inline(always)]
    pub fn arrive(&mut self, call: u32, draw: impl FnOnce(u64) -> u64) -> Admission {
        match self.idle.pop() {
            Some(handler) => Admission::Taken { handler },
            None => self.join_queue(call, draw),
        }
    }

    #[inline(never)]
    fn join_queue(&mut self, call: u32, draw: impl FnOnce(u64) -> u64) -> Admission {
        let count = self.queues.len() as u64;
        let queue = &mut self.queues[if count == 1 { 0 } else { draw(count) as usize }];
        if queue.len() >= self.queue_length as usize && self.queue_length != u32::MAX {
            return Admission::Refused;
        }
        queue.push_back(call);
        self.waiting += 1;
        Admission::Queued
    }

    /// A handler gets free: it takes the head of its own queue, which is returned, or idles. O(1).
    pub fn free(&mut self, handler: u32) -> Option<u32> {
        if self.waiting > 0 {
            let queue = handler as usize % self.queues.len();
            if let Some(next) = self.queues[queue].pop_front() {
                self.waiting -= 1;
                return Some(next);
            }
        }
        self.idle.push(handler);
        None
    }

    /// The server dies: it takes no call any more, and refuses all. Returns those that wait.
    pub fn shut(&mut self) -> Vec<u32> {
        self.idle.clear();
        self.queue_length = 0;
        self.waiting = 0;
        let queues = self.queues.iter_mut();
        queues.flat_map(|queue| queue.drain(..)).collect()
    }

    /// Asks for the handler that takes the next call.
    pub fn prefetch(&self) {
        self.idle.last().into_iter().for_each(prefetch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handlers(handlers: u32, call_queues: u32, call_queue_length: u32) -> Handlers {
        Handlers::new(&ClusterSpec {
            handlers,
            call_queues,
            call_queue_length,
            ..ClusterSpec::default()
        })
    }

    #[test]
    fn an_idle_handler_of_any_queue_takes_a_call_without_drawing_a_queue() {
        let mut server = handlers(3, 3, 1);
        for handler in 0..3 {
            assert_eq!(
                server.arrive(7, |_| panic!("no queue is drawn")),
                Admission::Taken { handler }
            );
        }
        assert_eq!(server.idle.len(), 0);
    }

    #[test]
    fn a_full_queue_refuses_even_if_others_have_room() {
        let mut server = handlers(2, 2, 1);
        server.arrive(0, |_| 0);
        server.arrive(1, |_| 0);
        assert_eq!(server.arrive(2, |queues| queues - 1), Admission::Queued);
        assert_eq!(server.arrive(3, |queues| queues - 1), Admission::Refused);
        assert_eq!(server.arrive(4, |_| 0), Admission::Queued);
        assert_eq!(server.waiting, 2);
    }

    #[test]
    fn a_handler_that_gets_free_serves_its_own_queue_and_idles_beside_a_full_one() {
        let mut server = handlers(2, 2, 9);
        server.arrive(0, |_| 0);
        server.arrive(1, |_| 0);
        server.arrive(10, |_| 1);
        server.arrive(11, |_| 1);
        assert_eq!(server.free(0), None, "queue 0 is empty");
        assert_eq!(
            server.arrive(12, |_| 1),
            Admission::Taken { handler: 0 },
            "a newer call overtakes by the fast path"
        );
        assert_eq!(
            (server.free(1), server.free(1), server.free(1)),
            (Some(10), Some(11), None)
        );
    }

    #[test]
    fn an_unlimited_queue_never_refuses() {
        let mut server = handlers(1, 1, u32::MAX);
        server.arrive(0, |_| 0);
        assert!((1..5000).all(|call| server.arrive(call, |_| 0) == Admission::Queued));
        assert_eq!(server.free(0), Some(1));
    }

    #[test]
    fn a_server_that_dies_gives_up_what_waits_and_refuses_all() {
        let mut server = handlers(2, 2, u32::MAX);
        server.arrive(0, |_| 0);
        for (call, queue) in [(1, 0), (5, 1), (6, 0), (7, 1)] {
            server.arrive(call, |_| queue);
        }
        assert_eq!(server.shut(), [6, 5, 7]);
        assert_eq!((server.waiting, server.idle.len()), (0, 0));
        assert_eq!(server.arrive(8, |_| 0), Admission::Refused);
    }

    #[test]
    fn a_queue_of_length_zero_refuses_whatever_no_handler_takes() {
        let mut server = handlers(1, 1, 0);
        assert_eq!(server.arrive(0, |_| 0), Admission::Taken { handler: 0 });
        assert_eq!(server.arrive(1, |_| 0), Admission::Refused);
    }
}
