//! The end of a run: when it is, and what has not ended by then. Must not let anything happen.

use super::fan_out::Purpose;
use super::simulation::Simulation;
use crate::metrics::RunResult;
use crate::time::SimTime;
use crate::workload::{Drive, Write};

impl Simulation<'_> {
    /// Accounts for what has not ended.
    pub fn finish(mut self) -> RunResult {
        self.place_issued();
        let workload = &self.config.workload;
        let finite = workload.writes.iter().all(is_finite)
            && workload.reads.iter().all(|read| read.drive.is_none());
        let end = if finite && !self.cut_off {
            // A run of no length has no rates.
            self.last_outcome.max(SimTime::from_nanos(1))
        } else {
            self.config.duration
        };
        for call in self.calls.iter() {
            if call.is_held() {
                self.recorder.busy(call.server, call.taken, end);
            }
            if !self.closed.buffers_of(call.client) {
                self.recorder
                    .unfinished(call.operation.write(), call.intended, end);
            }
        }
        for call in self.pausing.iter() {
            self.recorder
                .unfinished(call.operation.write(), call.intended, end);
        }
        for (_, part) in &self.fans.parts {
            if part.taken != SimTime::MAX {
                self.recorder.busy(part.server, part.taken, end);
            }
        }
        for (_, fan_out) in self.fans.operations.iter().filter(|(_, one)| !one.failed) {
            match fan_out.purpose {
                Purpose::Read { read, .. } => {
                    self.recorder.read_unfinished(read, fan_out.intended, end);
                }
                Purpose::Neighbour { which } => {
                    self.recorder
                        .neighbour_unfinished(which / 2, fan_out.intended, end);
                }
                Purpose::Write { .. } => {
                    let write = fan_out.operation.write();
                    self.recorder.unfinished(write, fan_out.intended, end);
                }
            }
        }
        for row in self.closed.unfinished_rows() {
            self.recorder
                .unfinished(row.operation.write(), row.put, end);
        }
        RunResult {
            events: self.events(),
            ..self.recorder.finish(end)
        }
    }
}

/// Ends by itself.
fn is_finite(write: &Write) -> bool {
    match &write.drive {
        Drive::Open { import, .. } | Drive::Closed { import, .. } => import.is_some(),
        Drive::Beat(_) => false,
    }
}
