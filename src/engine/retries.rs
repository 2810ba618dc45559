//! Refused calls that are sent again. Must not know why a server refused.
//!
//! All that happens to a refused call until it is back at its server is known when it is refused: the way of the refusal, the
//! pause, the way of the next attempt. So it takes one event; and as an overload makes millions of calls pause, they are
//! kept in the queue of those events, where the next ones lie side by side.

use super::calls::{Call, NONE};
use super::events::Travel;
use super::simulation::Simulation;
use crate::metrics::RefusalReason;
use crate::time::{SimDuration, SimTime};
use crate::workload::OperationId;

/// Most retries that are told apart.
const MOST_RETRIES: u32 = 30_000;

/// What has to be known of a call of one row while it is under way to its client and back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pausing {
    pub operation: OperationId,
    pub intended: SimTime,
    detail: u64,
    region: u32,
    key: u32,
    client: u32,
    key_length: u16,
    /// Attempts that failed so far, times two; plus one when the client looks its region up before the next.
    failures: u16,
}

impl Simulation<'_> {
    /// A server refuses a call now. Its client will try again after a pause (and a look-up, when the region is not there), unless its
    /// retries or its time are used up.
    pub(super) fn refused(&mut self, id: u32, reason: RefusalReason) {
        let call = *self.calls.get(id);
        let looks_up = reason == RefusalReason::NotServingRegion;
        if self.closed.buffers_of(call.client) {
            return self.travel(if looks_up {
                Travel::NotServing(id)
            } else {
                Travel::Refusal(id)
            });
        }
        if looks_up {
            let process = self.process_of(call.operation, call.client);
            self.looks_up(call.region, process);
        }
        let Some(learnt) = self.arrival() else {
            return;
        };
        let again = self.goes_again(&call, learnt, looks_up);
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
                        detail: call.detail,
                        region: call.region,
                        key: call.key,
                        client: call.client,
                        key_length: call.key_length,
                        failures: 2 * (call.failures + 1) + u16::from(looks_up),
                    },
                );
            }
        } else if call.client == NONE {
            self.recorder
                .failed(call.operation.write(), call.intended, learnt);
            self.keys.remove(call.key);
            self.open_call_ends(id, learnt);
        } else {
            self.travel(Travel::Refusal(id));
        }
    }

    /// When a client that learns of one more failure at `learnt` sends the call again, after a pause and perhaps a look-up; `None` without
    /// retries left.
    pub(super) fn goes_again(
        &self,
        call: &Call,
        learnt: SimTime,
        looks_up: bool,
    ) -> Option<SimTime> {
        let failures = u32::from(call.failures);
        // The draws of the attempt that failed.
        let draws = self.back_off_draws.at(call.operation, failures);
        let look_up = if looks_up {
            self.look_up_time()
        } else {
            SimDuration::ZERO
        };
        (failures < self.config.client.retries.min(MOST_RETRIES))
            .then(|| learnt + self.back_off.pause(failures + 1, draws) + look_up)
    }

    /// The next attempt of a refused call reaches its server.
    pub(super) fn arrives_again(&mut self) {
        let Some((_, pausing)) = self.pausing.pop() else {
            return;
        };
        let region = self.region_now(pausing.region, pausing.key);
        let process = self.process_of(pausing.operation, pausing.client);
        if pausing.failures % 2 == 1 {
            self.looks_up(region, process);
        }
        let id = self.calls.insert(Call {
            operation: pausing.operation,
            intended: pausing.intended,
            taken: SimTime::MAX,
            detail: pausing.detail,
            bytes: self.weights.of(pausing.key_length).bytes,
            rows: 1,
            server: self.server_for(region, process),
            region,
            key: pausing.key,
            client: pausing.client,
            handler: 0,
            failures: pausing.failures / 2,
            key_length: pausing.key_length,
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
