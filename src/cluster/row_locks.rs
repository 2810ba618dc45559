//! Rows that increments of one server hold exclusively. Must not know row keys: a row is a number.

use std::collections::VecDeque;

/// Exclusive row locks with a first-come queue each. At most one lock a handler is held, so scanning them beats hashing.
#[derive(Debug, Clone, Default)]
pub struct RowLocks {
    held: Vec<u64>,
    waiting: VecDeque<(u64, u32)>,
}

impl RowLocks {
    /// `call` wants `row`: true when it holds it from now on, false when it waits.
    pub fn acquire(&mut self, row: u64, call: u32) -> bool {
        if self.held.contains(&row) {
            self.waiting.push_back((row, call));
            return false;
        }
        self.held.push(row);
        true
    }

    /// The holder of `row` lets it go. The call that waited longest for it holds it from now on and is returned.
    pub fn release(&mut self, row: u64) -> Option<u32> {
        if let Some(at) = self.waiting.iter().position(|&(wanted, _)| wanted == row) {
            return self.waiting.remove(at).map(|(_, call)| call);
        }
        if let Some(at) = self.held.iter().position(|&held| held == row) {
            self.held.swap_remove(at);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_goes_to_the_call_that_waited_longest() {
        let mut locks = RowLocks::default();
        assert!(locks.acquire(5, 1));
        assert!(locks.acquire(6, 2));
        assert!(!locks.acquire(5, 3));
        assert!(!locks.acquire(6, 4));
        assert!(!locks.acquire(5, 5));
        assert_eq!(locks.release(5), Some(3));
        assert_eq!(locks.release(5), Some(5));
        assert_eq!(locks.release(5), None);
        assert!(locks.acquire(5, 9), "free again");
        assert_eq!(locks.release(6), Some(4));
    }
}
