//! Refused calls that are sent again. Must not know why a server refused.
//!
//! All that happens to a refused call until it is back at its server is known when it is refused: the way of the refusal, the
//! pause, the way of the next attempt. So it takes one event; and as an overload makes millions of calls pause, they are
//! kept in the queue of those events, where the next ones lie side by side.

use super::calls::{Call, NONE};
use super::simulation::{Simulation, Travel};
use crate::time::SimTime;
use crate::workload::{OperationId, WriteKind};

/// What has to be known of a call of one row while it is under way to its client and back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pausing {
    pub operation: OperationId,
    pub intended: SimTime,
    row: u64,
    bytes: u32,
    server: u32,
    client: u32,
    /// Attempts that failed so far.
    failures: u32,
}

impl Simulation<'_> {
    /// A server refuses a call now. Its client will try again after a pause, unless its retries or its time are used up.
    pub(super) fn refused(&mut self, id: u32) {
        let call = *self.calls.get(id);
        if self.closed.buffers_of(call.client) {
            return self.travel(Travel::Refusal(id));
        }
        let Some(learnt) = self.arrival() else {
            return;
        };
        let again = self.pause_ends(&call, learnt);
        if let Some(again) =
            again.filter(|&again| again <= call.intended + self.config.client.deadline)
        {
            if let Some(moment) = self.moment(again + self.network) {
                self.calls.remove(id);
                self.pausing.push(
                    moment,
                    Pausing {
                        operation: call.operation,
                        intended: call.intended,
                        row: call.row,
                        bytes: call.bytes as u32,
                        server: call.server,
                        client: call.client,
                        failures: call.failures + 1,
                    },
                );
            }
        } else if call.client == NONE {
            self.recorder
                .failed(call.operation.write(), call.intended, learnt);
            self.open_call_ends(id, learnt);
        } else {
            self.travel(Travel::Refusal(id));
        }
    }

    /// When the pause of a client ends that learns of one more failure at `learnt`; `None` without retries left.
    pub(super) fn pause_ends(&self, call: &Call, learnt: SimTime) -> Option<SimTime> {
        // The draws of the attempt that failed.
        let draws = self.back_off_draws.at(call.operation, call.failures);
        (call.failures < self.config.client.retries)
            .then(|| learnt + self.back_off.pause(call.failures + 1, draws))
    }

    /// The next attempt of a refused call reaches its server.
    pub(super) fn arrives_again(&mut self) {
        let Some((_, pausing)) = self.pausing.pop() else {
            return;
        };
        let write = pausing.operation.write();
        let id = self.calls.insert(Call {
            operation: pausing.operation,
            intended: pausing.intended,
            taken: SimTime::MAX,
            row: pausing.row,
            bytes: u64::from(pausing.bytes),
            rows: 1,
            server: pausing.server,
            handler: 0,
            client: pausing.client,
            failures: pausing.failures,
            exclusive: self.kinds[usize::from(write.0)] == WriteKind::Increment,
        });
        self.call_arrives(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_pauses_takes_at_most_40_bytes() {
        assert!(size_of::<Pausing>() <= 40);
    }
}
