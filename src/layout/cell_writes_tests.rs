//! What reads get of cells that are written again, counted by hand.

use super::{Layout, ReadForecast, Replicate};
use crate::scenario::Scenario;

fn scenario(text: &str) -> Scenario {
    let time = "[time]\nduration = \"6s\"\nwarmup = \"1s\"\n";
    Scenario::parse(&format!("{time}{text}"), "cells").unwrap_or_else(|error| panic!("{error}"))
}

/// The reads of the first strategy.
fn reads(text: &str) -> Vec<ReadForecast> {
    let scenario = scenario(text);
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    Layout::of(&scenario.strategies[0], &firsts[0]).reads
}

#[test]
fn a_read_gets_as_many_versions_as_its_own_cells_have() {
    // Three writes of each of 100,000 users, as chance has it. One that a reader asks for has been written by itself, and k times besides with e^-3 3^k / k!: of
    // three newest ones it gets 3 - 2 e^-3 - 3 e^-3 = 2.7511. Of a team's users those count that were written: (3 - 3 e^-3 - 2 x 3 e^-3 - 4.5 e^-3) / (1 - e^-3) = 2.4498.
    let found = reads(
        "[field]\nuser = { type = \"int\", count = 100_000 }\nteam = { type = \"int\", count = 10, of = \"user\" }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
         [existing.w]\nrecords = 300_000\nlast = \"60m\"\n[write.w]\nrate = \"1/s\"\n[family.d]\nversions = 4\n\
         [read.user]\nequal = [\"user\"]\nnewest = { field = \"ts\", rows = 3 }\n[read.team]\nequal = [\"team\"]\nnewest = { field = \"ts\", rows = 3 }\n\
         [strategy.user]\nkey = \"be1(team) || be4(user)\"\n",
    );
    for (read, right) in found.iter().zip([2.7511, 2.4498]) {
        let versions = read.cells_returned / read.rows_returned;
        // A second of writes beside an hour of them, and classes of values.
        assert!((versions / right - 1.0).abs() < 0.003, "{versions} {right}");
    }
}
