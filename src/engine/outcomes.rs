//! What the clients of closed loops learn: replies, refusals, failures. Must not know why a server refused.

use super::events::Event;
use super::simulation::Simulation;

impl Simulation<'_> {
    /// The reply to a call reaches its client.
    #[inline]
    pub(super) fn reply_arrives(&mut self, id: u32) {
        let call = self.calls.get(id);
        let client = call.client;
        self.last_outcome = self.last_outcome.max(self.now);
        if self.closed.buffers_of(client) {
            let call = *call;
            self.flushed_rows_complete(&call);
        } else {
            let within_deadline = self.now <= call.intended + self.config.client.deadline;
            self.recorder.completed(
                call.operation.write(),
                call.server,
                call.intended,
                self.now,
                within_deadline,
            );
        }
        self.call_ends(id, client);
    }

    /// A client learns that a call was refused: the rows of a flush are sent again after a pause, as long as they have retries and
    /// time left (after a look-up, when a region was not served); other calls would pause already if they had.
    pub(super) fn refusal_arrives(&mut self, id: u32, looks_up: bool) {
        let call = *self.calls.get(id);
        let again = if self.closed.buffers_of(call.client) {
            self.goes_again(&call, self.now, looks_up)
        } else {
            None
        };
        let Some(again) = again else {
            return self.call_fails(id);
        };
        self.calls.get_mut(id).failures += 1;
        if self.drop_late_rows(id, Some(again)) {
            let event = if looks_up {
                Event::LookedUp(id)
            } else {
                Event::Retried(id)
            };
            self.schedule(again, event);
        } else {
            self.client_fails(call.client);
            self.call_ends(id, call.client);
        }
    }

    /// All operations of a call are given up.
    fn call_fails(&mut self, id: u32) {
        let call = *self.calls.get(id);
        self.client_fails(call.client);
        if self.closed.buffers_of(call.client) {
            self.drop_late_rows(id, None);
        } else {
            self.recorder
                .failed(call.operation.write(), call.intended, self.now);
            self.keys.remove(call.key);
        }
        self.last_outcome = self.last_outcome.max(self.now);
        self.call_ends(id, call.client);
    }

    /// The call is over, one way or the other.
    #[inline]
    fn call_ends(&mut self, id: u32, client: u32) {
        self.calls.remove(id);
        self.client_call_ends(client);
    }
}
