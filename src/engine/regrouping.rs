//! Rows of a flush whose regions change: a server refuses some of a call's rows, and rows that go again find their servers anew. Must not
//! know why a region changed.

use super::calls::Call;
use super::flushing::call_of_rows;
use super::simulation::Simulation;
use crate::client::BufferedRow;
use crate::metrics::RefusalReason;

impl Simulation<'_> {
    /// Sends the rows that regions of a call refuse back, in a call of their own; false when those are all. HBase's client would learn of them
    /// with the reply to the others, some milliseconds later.
    pub(super) fn accepts_rows(&mut self, id: u32) -> bool {
        let call = *self.calls.get(id);
        let buffer = self.closed.clients[call.client as usize].buffer;
        let range = call.detail as usize..call.detail as usize + call.rows as usize;
        let process = self.process_of(call.operation, call.client);
        let mut refused: Vec<(BufferedRow, RefusalReason)> = Vec::new();
        let mut accepted = 0;
        for at in range.clone() {
            let row = self.closed.flushing.rows(buffer)[at];
            match self.refusal_of_write(call.server, row.region, process) {
                Some(reason) => refused.push((row, reason)),
                None => {
                    self.closed.flushing.rows(buffer)[range.start + accepted] = row;
                    accepted += 1;
                }
            }
        }
        if refused.is_empty() {
            return true;
        }
        let rows = self.closed.flushing.rows(buffer)[range][accepted..].iter_mut();
        rows.zip(&refused)
            .for_each(|(place, &(row, _))| *place = row);
        let looks_up = self.rows_are_refused(call.server, process, &refused);
        let reason = if looks_up {
            RefusalReason::NotServingRegion
        } else {
            RefusalReason::RegionTooBusy
        };
        if accepted == 0 {
            self.refused(id, reason);
            return false;
        }
        let rows = &self.closed.flushing.rows(buffer)[call.detail as usize..];
        let first = call.detail + accepted as u64;
        let rows = &rows[accepted..call.rows as usize];
        let back = self.calls.insert(Call {
            failures: call.failures,
            server: call.server,
            ..call_of_rows(rows, first, call.client, &self.weights)
        });
        self.closed.flushing.call_begins(buffer);
        self.narrow(id, 0..accepted);
        self.refused(back, reason);
        true
    }

    /// Counts refused rows of a call; true when the client looks up where some of them belong.
    fn rows_are_refused(
        &mut self,
        server: u32,
        process: u32,
        refused: &[(BufferedRow, RefusalReason)],
    ) -> bool {
        for reason in [
            RefusalReason::NotServingRegion,
            RefusalReason::RegionTooBusy,
        ] {
            let rows = refused.iter().filter(|row| row.1 == reason).count();
            if rows > 0 {
                self.recorder
                    .rows_refused(server, self.now, reason, rows as u32);
            }
        }
        let mut batches: Vec<(u32, RefusalReason)> = refused
            .iter()
            .map(|&(row, reason)| (row.region, reason))
            .collect();
        batches.sort_unstable_by_key(|&(region, _)| region);
        batches.dedup();
        for (region, reason) in batches {
            self.batch_refused(region, reason);
        }
        let elsewhere =
            |row: &&(BufferedRow, RefusalReason)| row.1 == RefusalReason::NotServingRegion;
        for (row, _) in refused.iter().filter(elsewhere) {
            self.looks_up(row.region, process);
        }
        refused.iter().any(|row| elsewhere(&row))
    }

    /// Finds the regions and servers of rows anew, as a client knows them.
    pub(super) fn find_rows(&self, rows: &mut [BufferedRow], client: u32) {
        for row in rows {
            let process = self.process_of(row.operation, client);
            row.region = self.region_now(row.region, row.key);
            row.server = self.server_for(row.region, process);
        }
    }

    /// The rows of a call of a flush are sent again, those of each server in a call; `looked_up`: the client has read in META where they are.
    pub(super) fn rows_go_again(&mut self, id: u32, looked_up: bool) {
        let call = *self.calls.get(id);
        let buffer = self.closed.clients[call.client as usize].buffer;
        let range = call.detail as usize..call.detail as usize + call.rows as usize;
        if self.regions.changed() {
            let process = self.process_of(call.operation, call.client);
            for at in range.clone() {
                let row = self.closed.flushing.rows(buffer)[at];
                let region = self.region_now(row.region, row.key);
                if looked_up {
                    self.looks_up(region, process);
                }
                let server = self.server_for(region, process);
                let row = &mut self.closed.flushing.rows(buffer)[at];
                (row.region, row.server) = (region, server);
            }
            BufferedRow::group_by_server(&mut self.closed.flushing.rows(buffer)[range.clone()]);
        }
        self.calls.remove(id);
        self.send_rows(call.client, range, call.failures);
        self.closed.flushing.call_ends(buffer);
    }
}
