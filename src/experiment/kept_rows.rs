//! How many rows the tables of comparable strategies keep of the same writes: a key that tells fewer of them apart overwrites the others, unless they add up, one with
//! a random salt leaves old versions behind. Must not judge.

use crate::layout::{
    Replicate, recurrence, rows_made, rows_without_collisions, versions_of_current,
};
use crate::random::Seed;
use crate::scenario::{Setup, Strategy};
use crate::time::SimDuration;
use crate::workload::{Workload, Write, WriteId};

/// A key that keeps so many times fewer rows than another loses rows, and is no other way of keeping them: what falls on one row by chance, as some pairs of a
/// thousand under a hash of four bytes, is less.
pub(super) const FEWER: f64 = 1.01;

/// What a table has of all writes when the run ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct KeptRows {
    /// Rows, or cells where a qualifier tells them apart, each with the versions that are kept.
    pub(super) rows: f64,
    /// Copies of each under random salts, of which one is current; 1 where all that is written adds to what is there.
    pub(super) copies: f64,
    /// Another key of the group keeps more.
    pub(super) is_fewer: bool,
    /// After how long what the key tells of time comes again, so that new rows overwrite old ones, where that is sooner than under another key of the group.
    pub(super) recurrence: Option<SimDuration>,
}

impl KeptRows {
    /// It overwrites what another key of the group keeps, in the run or once the table is older.
    pub(super) fn loses(&self) -> bool {
        self.is_fewer || self.recurrence.is_some()
    }

    /// Of each strategy of a group, which is not empty.
    pub(super) fn of(group: &[&Strategy], seed: Seed) -> Vec<Self> {
        let (setup, all_add) = compared(&group[0].setup);
        let setup = &setup;
        let replicate = Replicate::new(setup, seed, 0);
        // It is no fault of a key that its table is to keep fewer versions than another's.
        let families = group.iter().flat_map(|it| &it.setup.table.families);
        let versions = families.map(|it| it.spec.versions).max().unwrap_or(1);
        let of_one = |strategy: &&Strategy| {
            let key = &strategy.cell_key;
            let [writes, rows, all] = rows_made(key, setup, &replicate);
            let kept = match versions {
                1 => 1.0,
                most => versions_of_current(most, key, setup, &replicate),
            };
            Self {
                rows: writes.min(rows * kept),
                copies: match all_add {
                    true => 1.0,
                    false => (all / rows.max(1.0)).max(1.0),
                },
                is_fewer: false,
                recurrence: recurrence(key, &strategy.setup).map(|it| it.1),
            }
        };
        let mut kept: Vec<Self> = group.iter().map(of_one).collect();
        let most = kept.iter().map(|it| it.rows).fold(0.0, f64::max);
        let lasts = |it: &Self| it.recurrence.map_or(f64::INFINITY, |it| it.as_secs_f64());
        let longest = kept.iter().map(lasts).fold(0.0, f64::max);
        for it in &mut kept {
            it.is_fewer = !all_add && FEWER * it.rows < most;
            it.recurrence = it.recurrence.filter(|it| it.as_secs_f64() < longest);
        }
        kept
    }
}

/// What a strategy's table loses as hashes of different things meet: the names of these, how many rows are left, and how many a key would make that tells them.
pub(super) fn met_by_hashes(strategy: &Strategy, seed: Seed) -> Option<(Vec<String>, [f64; 2])> {
    let (setup, all_add) = compared(&strategy.setup);
    if all_add {
        return None;
    }
    let replicate = Replicate::new(&setup, seed, 0);
    let (fields, all) = rows_without_collisions(&strategy.cell_key, &setup, &replicate)?;
    let [_, left, _] = rows_made(&strategy.cell_key, &setup, &replicate);
    let names = fields.iter().map(|it| setup.schema.field(*it).name.clone());
    (FEWER * left < all).then(|| (names.collect(), [left, all]))
}

/// It adds to the row that it falls on, and is not lost there: a counter a minute has fewer rows than one a second on purpose.
pub(super) fn adds(write: &Write) -> bool {
    write.kind.reads_first()
}

/// The setup by whose writes rows are counted, and whether all that is written adds up. A key that holds clients up keeps no fewer of the same rows.
fn compared(setup: &Setup) -> (Setup, bool) {
    let mut setup = lasting(setup).unwrap_or_else(|| setup.clone());
    setup.workload = setup.workload.at_any_pace();
    let writes = &setup.workload.writes;
    let all_add = !writes.is_empty() && writes.iter().all(adds);
    (setup, all_add)
}

/// A setup with the writes that may be lost, without those that add; `None` where there are none of the former, or of the latter.
fn lasting(setup: &Setup) -> Option<Setup> {
    let workload = &setup.workload;
    let stays = |at: &usize| !adds(&workload.writes[*at]);
    let stay: Vec<usize> = (0..workload.writes.len()).filter(stays).collect();
    if stay.is_empty() || stay.len() == workload.writes.len() {
        return None;
    }
    let mut setup = setup.clone();
    let Workload {
        writes, existing, ..
    } = &mut setup.workload;
    writes.retain(|write| !adds(write));
    existing.retain_mut(|rows| match rows.write {
        None => true,
        Some(WriteId(write)) => {
            let place = stay.binary_search(&usize::from(write)).ok();
            rows.write = place.map(|place| WriteId(place as u8));
            place.is_some()
        }
    });
    Some(setup)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    /// Three writes of each of 100,000 users, as chance has it: two are kept of 2 - 2 e^-3 - 3 e^-3 = 1.751 of each, none or one where there are no more.
    #[test]
    fn a_row_that_is_written_less_often_keeps_fewer_versions() {
        let text = "[time]\nduration = \"2s\"\nwarmup = \"1s\"\n[field]\nuser = { type = \"int\", count = 100_000 }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
                    [existing.w]\nrecords = 300_000\nlast = \"1h\"\n[write.w]\nrate = \"1/s\"\n[family.d]\nversions = 2\n[strategy.user]\nkey = \"be4(user)\"\n";
        let scenario = Scenario::parse(text, "kept").unwrap_or_else(|error| panic!("{error}"));
        let kept = KeptRows::of(&[&scenario.strategies[0]], scenario.seed);
        assert!(
            (kept[0].rows / 175_106.0 - 1.0).abs() < 0.003,
            "{}",
            kept[0].rows
        );
    }

    /// A table of a minute has the same rows under all of these keys, one for each device and second that it wrote in; of two days only the date keeps all of them.
    #[test]
    fn a_key_loses_whose_part_of_time_comes_again_sooner_than_another_ones() {
        let lengths = |keys: &[&str]| {
            let keys = keys.iter().enumerate();
            let keys =
                keys.map(|(at, key)| format!("[strategy.s{at}]\nkey = \"be4(dev) || {key}\"\n"));
            let text = format!(
                "[time]\nduration = \"2s\"\nstart = 2026-01-05T08:00:00Z\n[field]\ndev = {{ type = \"int\", count = 50 }}\nts = {{ type = \"timestamp\", unit = \"s\" }}\n\
                 [existing.w]\nlast = \"60s\"\n[write.w]\nrate = \"5/s\"\n{}",
                keys.collect::<String>()
            );
            let scenario = Scenario::parse(&text, "kept").unwrap_or_else(|error| panic!("{error}"));
            let group: Vec<_> = scenario.strategies.iter().collect();
            let kept = KeptRows::of(&group, scenario.seed);
            assert!(kept.iter().all(|it| !it.is_fewer), "{kept:?}");
            let lengths = kept
                .iter()
                .map(|it| it.recurrence.map(|it| it.as_secs_f64()));
            lengths.collect::<Vec<_>>()
        };
        let [date, clock, hour] =
            ["yyyyMMddHHmmss", "HHmmss", "mmss"].map(|it| format!("to_char(ts, '{it}')"));
        assert_eq!(
            lengths(&[&date, &clock, &hour]),
            [None, Some(86_400.0), Some(3_600.0)]
        );
        // The best that there is.
        assert_eq!(lengths(&[&clock, &hour]), [None, Some(3_600.0)]);
        assert_eq!(lengths(&[&clock, "be4(ts % 86400)"]), [None, None]);
    }
}
