//! What reads get of cells that are written again, counted by hand: versions, newest writes, and turns.

use super::{Layout, ReadForecast, Replicate, change_lints};
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

#[test]
fn turns_that_go_on_in_the_run_meet_those_before_it_in_no_period() {
    // A driver beats every 4 s: of the last 4 s, in whole seconds, 3.5 s have passed on average, in which 875 of 1,000 drivers have had their turn.
    let found = reads(
        "[field]\ndriver = { type = \"int\", count = 1_000 }\nall = { type = \"int\", count = 1 }\nts = { type = \"timestamp\", unit = \"s\" }\n\
         [write.w]\neach = [\"driver\"]\nevery = \"4s\"\n[existing.w]\nlast = \"30m\"\n\
         [read.all]\nequal = [\"all\"]\nrange = { field = \"ts\", last = \"4s\" }\nrate = \"100/s\"\n[strategy.last]\nkey = \"be1(all) || be4(driver)\"\n",
    );
    // Some hundred instants of reads: 3 s and a part that is drawn evenly, 0.29 s / 4 s / 10 of 1,000.
    let returned = found[0].rows_returned;
    assert!((returned - 875.0).abs() < 15.0, "{returned}");
}

#[test]
fn the_newest_of_what_comes_in_turn_lies_half_a_period_back() {
    // A hundred devices beat once a second, each at an instant of its own: (100 + 1) / 2 rows from its last beat on, and 200 more to the third last one.
    let found = reads(
        "[field]\ndevice = { type = \"int\", count = 100 }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
         [write.w]\neach = [\"device\"]\nevery = \"1s\"\n[existing.w]\nlast = \"1h\"\n\
         [read.one]\nequal = [\"device\"]\nnewest = { field = \"ts\", rows = 1 }\n[read.three]\nequal = [\"device\"]\nnewest = { field = \"ts\", rows = 3 }\n\
         [strategy.time]\nkey = \"be8(ts) || be4(device)\"\n",
    );
    for (read, right) in found.iter().zip([50.5, 250.5]) {
        assert!(
            (read.rows_read / right - 1.0).abs() < 0.01,
            "{}",
            read.rows_read
        );
    }
}

#[test]
fn a_page_behind_the_last_one_is_warned_of() {
    // 5,000 rows are 250 pages of 20.
    let told = |number: u32| {
        let scenario = scenario(&format!(
            "[field]\nid = {{ type = \"int\", count = 5_000 }}\nall = {{ type = \"int\", count = 1 }}\n[existing.w]\neach = [\"id\"]\n\
             [read.jump]\nequal = [\"all\"]\npage = {{ field = \"id\", size = 20, number = {number} }}\n[strategy.rows]\nkey = \"be1(all) || be4(id)\"\n"
        ));
        let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
        let layout = Layout::of(&scenario.strategies[0], &firsts[0]);
        let lints = change_lints(&scenario.strategies[0], &layout, &scenario.time);
        let mut lints = lints.into_iter().map(|lint| lint.message);
        lints.find(|message| message.contains("page"))
    };
    assert_eq!(told(250), None);
    assert_eq!(
        told(300).as_deref(),
        Some(
            "read `jump` asks for page 300, and gets no rows: there are 250 pages of 20 rows, on average"
        )
    );
}

/// Of 20,000 documents that 210 seconds of 1,000 writes fall on 10.25 times each on average, halfway through the run, a reader of the newest three gets three, but of the few that have fewer. A number that
/// grows with every write, whoever uses it, changes nothing, and puts the same versions first.
#[test]
fn a_number_that_no_key_uses_hides_no_versions() {
    let cells = |field: &str, newest: &str| {
        let text = format!(
            "[time]\nduration = \"10s\"\n[family.d]\nversions = 5\n[field]\ndoc = {{ type = \"int\", count = 20000 }}\n{field}\
             ts = {{ type = \"timestamp\", unit = \"ms\" }}\n[write.save]\nrate = \"1k/s\"\n[existing.save]\nlast = \"200s\"\n\
             [read.three]\nequal = [\"doc\"]\nnewest = {{ field = \"{newest}\", rows = 3 }}\n[strategy.cells]\nkey = \"be4(doc)\"\n"
        );
        let scenario = Scenario::parse(&text, "versions").unwrap_or_else(|error| panic!("{error}"));
        let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
        let layout = Layout::of(&scenario.strategies[0], &firsts[0]);
        layout.reads[0].planned.plan.expected.cells_returned
    };
    // The mean of the lesser of three and a Poisson number of 10.25 others beside the write that is asked for.
    let others = 10.25_f64;
    let [none, one] = [libm::exp(-others), others * libm::exp(-others)];
    let right = 3.0 - 2.0 * none - one;
    let rev = "rev = { type = \"sequence\" }\n";
    for (field, newest) in [("", "ts"), (rev, "ts"), (rev, "rev")] {
        let found = cells(field, newest);
        assert!(
            (found - right).abs() < 0.01,
            "{field}{newest}: {found}, for {right}"
        );
    }
}

#[test]
fn scans_that_filter_a_kind_read_the_cells_of_all_kinds() {
    let cells: Vec<String> = (0..10)
        .map(|at| format!("c{at} = {{ size = \"8B\" }}"))
        .collect();
    let text = format!(
        "[field]\ndev = {{ type = \"int\", count = 100 }}\nkind = {{ type = \"int\", count = 2 }}\n\
         ts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
         [write.small]\nrate = \"1/s\"\nwith = {{ kind = 0 }}\ncells = {{ v = {{ size = \"8B\" }} }}\n\
         [write.large]\nrate = \"1/s\"\nwith = {{ kind = 1 }}\ncells = {{ {} }}\n\
         [existing.small]\nrecords = 100_000\nlast = \"1d\"\n[existing.large]\nrecords = 100_000\nlast = \"1d\"\n\
         [read.small]\nequal = [\"dev\", \"kind\"]\nwith = {{ kind = 0 }}\n[read.large]\nequal = [\"dev\", \"kind\"]\nwith = {{ kind = 1 }}\n\
         [strategy.told]\nkey = \"be1(kind) || be4(dev) || be8(ts)\"\n[strategy.mixed]\nkey = \"be4(dev) || be8(ts) || be1(kind)\"\n",
        cells.join(", ")
    );
    let scenario = scenario(&text);
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let cells = |strategy: usize| {
        let reads = Layout::of(&scenario.strategies[strategy], &firsts[strategy]).reads;
        [0, 1].map(|read: usize| [reads[read].cells_read, reads[read].cells_returned])
    };
    // A device has 1,000 rows of a cell and 1,000 of ten, the target besides: whoever scans both reads 11,000 cells, whichever are wanted.
    let expected = [
        [[1_000.0; 2], [10_000.0; 2]],
        [[11_000.0, 1_000.0], [11_000.0, 10_000.0]],
    ];
    for (strategy, expected) in expected.into_iter().enumerate() {
        for (found, expected) in cells(strategy)
            .into_iter()
            .flatten()
            .zip(expected.into_iter().flatten())
        {
            assert!(
                (found / expected - 1.0).abs() < 0.002,
                "{found} for {expected}"
            );
        }
    }
}

#[test]
fn a_row_is_wanted_if_the_newest_write_of_one_of_its_cells_has_the_value() {
    // A million writes on four cells of each of 5,000 users, by any of so many apps: a part 1 / apps of the cells has one of them now. Of one setting a user has one
    // cell, of all settings 1 - (1 - 1 / apps)^4 of the users have some. A row that is known to be there is one more at most. Of an own cell, one write is the app's,
    // which is the newest of 50 with 1 / 50, and otherwise any other app's: 1 / 50 + 49 / 50 / 50 = 0.0396.
    let found = |apps: u32| {
        reads(&format!(
            "[field]\nuser = {{ type = \"int\", count = 5_000 }}\nsetting = {{ type = \"int\", count = 4 }}\n\
             app = {{ type = \"int\", count = {apps} }}\n[write.set]\nrate = \"1/s\"\n[existing.set]\nrecords = 1_000_000\n\
             [read.of-setting]\nequal = [\"setting\", \"app\"]\n[read.any]\nequal = [\"app\"]\n\
             [read.page]\nequal = [\"setting\", \"app\"]\npage = {{ field = \"user\", size = 10 }}\n\
             [read.own]\nequal = [\"user\", \"setting\", \"app\"]\n\
             [strategy.s]\nkey = \"be4(user)\"\nqualifier = \"be1(setting)\"\n"
        ))
    };
    for apps in [50, 2] {
        let part = 1.0 / f64::from(apps);
        let missed = (1.0 - part) * (1.0 - part);
        let rows = [5_000.0 * part, 5_000.0 * (1.0 - missed * missed), 10.0];
        let reads = found(apps);
        for (read, expected) in reads.iter().zip(rows) {
            let (rows, cells) = (read.rows_returned, read.cells_returned);
            assert!(
                (rows / expected - 1.0).abs() < 0.015,
                "{rows} for {expected}"
            );
            assert!(rows < cells * 1.001, "{rows} rows hold {cells} cells");
        }
    }
    let own = found(50)[3].rows_returned;
    assert!((own - 0.0396).abs() < 1e-3, "{own}");
}
