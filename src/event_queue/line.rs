//! A queue of events that are inserted in the order in which they happen: what a constant delay makes. Must not know why
//! the delay is constant.

use super::Moment;
use std::collections::VecDeque;

/// First in, first out; O(1), no allocation once it has been as long as it gets.
#[derive(Debug, Clone)]
pub struct Line<T> {
    /// When the first event happens, kept apart since it is asked for at every event of the run.
    next: Moment,
    events: VecDeque<(Moment, T)>,
}

impl<T: Copy> Line<T> {
    /// Inserts an event that happens after all others of the line.
    pub fn push(&mut self, moment: Moment, event: T) {
        debug_assert!(
            self.events.back().is_none_or(|last| last.0 < moment),
            "a line is first in, first out"
        );
        self.next = self.next.min(moment);
        self.events.push_back((moment, event));
    }

    /// When the next event happens; [`Moment::NEVER`] when there is none.
    pub fn next(&self) -> Moment {
        self.next
    }

    /// Takes the next event.
    pub fn pop(&mut self) -> Option<T> {
        let (_, event) = self.events.pop_front()?;
        self.next = self.events.front().map_or(Moment::NEVER, |first| first.0);
        Some(event)
    }
}

impl<T> Default for Line<T> {
    fn default() -> Self {
        Self {
            next: Moment::NEVER,
            events: VecDeque::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::SimTime;

    #[test]
    fn a_line_keeps_its_order_and_says_what_is_next() {
        let mut line = Line::default();
        assert_eq!(line.next(), Moment::NEVER);
        let moment = |at, sequence| Moment {
            at: SimTime::from_nanos(at),
            sequence,
        };
        line.push(moment(5, 0), 'a');
        line.push(moment(5, 1), 'b');
        line.push(moment(9, 2), 'c');
        assert_eq!(line.next(), moment(5, 0));
        assert_eq!(
            (line.pop(), line.pop(), line.next()),
            (Some('a'), Some('b'), moment(9, 2))
        );
        assert_eq!((line.pop(), line.pop()), (Some('c'), None));
    }
}
