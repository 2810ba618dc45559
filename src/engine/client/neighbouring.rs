//! What neighbours do: each of their operations is a single RPC that competes, is refused and is sent again like all others.

use crate::engine::clock::Event;
use crate::engine::numbers::NONE;
use crate::engine::rpc::{OperationKind, RpcBody};
use crate::engine::simulation::Simulation;

impl Simulation<'_> {
    /// The first operation of each source of the neighbours is awaited.
    pub fn start_neighbours(&mut self) {
        for source in 0..self.clients.neighbours.sources.len() as u32 {
            self.await_neighbour(source);
        }
    }

    /// The next operation of a source will start at its intended time.
    fn await_neighbour(&mut self, source: u32) {
        let gap = self.clients.neighbours.sources[source as usize].next_gap();
        if let Some(gap) = gap {
            let due = self.clock.now + gap;
            self.clock.schedule(due, Event::NeighbourDue(source));
        }
    }

    /// The intended time of a neighbour's next operation.
    pub fn neighbour_is_due(&mut self, source: u32) {
        let (now, neighbours) = (self.clock.now, &mut self.clients.neighbours);
        if neighbours.are_done(self.recorder.writes_ended()) {
            return;
        }
        let region = neighbours.next_region(source);
        let (id, begins) = neighbours.begin(source, self.config.client.max_in_flight);
        let neighbour = neighbours.sources[source as usize].neighbour;
        self.recorder.neighbour_offered(now, neighbour);
        if begins {
            let body = match neighbours.sources[source as usize].gets {
                false => RpcBody::Row(neighbours.row),
                true => self.rpcs.new_gets(1.0),
            };
            let kind = OperationKind::Neighbour { neighbour, source };
            let operation = self.rpcs.begin(id, now, NONE, kind);
            let process = self.tables.process_of(id, NONE);
            let server = self.tables.server_for(region, process);
            let rpc = self.rpcs.add(operation, server, body, true);
            self.rpcs.get_mut(rpc).region = region;
            self.rpcs.push_get(rpc, region, NONE);
            self.send(rpc, true);
        } else {
            self.recorder.neighbour_failed(neighbour, now, now);
        }
        self.await_neighbour(source);
    }
}
