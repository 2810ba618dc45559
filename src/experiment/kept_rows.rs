//! How many rows the tables of comparable strategies keep of the same writes: a key that tells fewer of them apart overwrites the others, one with a random salt
//! leaves old versions behind. Must not judge.

use crate::layout::{Replicate, rows_made};
use crate::random::Seed;
use crate::scenario::Strategy;
use crate::workload::Write;

/// A key that keeps so many times fewer rows than another loses rows, and is no other way of keeping them: what falls on one row by chance, as some pairs of a
/// thousand under a hash of four bytes, is less.
const FEWER: f64 = 1.01;

/// What a table has of all writes when the run ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct KeptRows {
    /// Rows, or cells where a qualifier tells them apart, each with the versions that are kept.
    pub(super) rows: f64,
    /// Copies of each under random salts, of which one is current; 1 where what is written adds to what is there.
    pub(super) copies: f64,
    /// Another key of the group keeps more.
    pub(super) is_fewer: bool,
}

impl KeptRows {
    /// Of each strategy of a group, which is not empty.
    pub(super) fn of(group: &[&Strategy], seed: Seed) -> Vec<Self> {
        let replicate = Replicate::new(&group[0].setup, seed, 0);
        // It is no fault of a key that its table is to keep fewer versions than another's.
        let families = group.iter().flat_map(|it| &it.setup.table.families);
        let versions = families.map(|it| it.spec.versions).max().unwrap_or(1);
        let of_one = |strategy: &&Strategy| {
            let setup = &strategy.setup;
            let [writes, rows, all] = rows_made(&strategy.cell_key, setup, &replicate);
            let adds = |write: &Write| write.kind.reads_first();
            Self {
                rows: writes.min(rows * f64::from(versions)),
                copies: match setup.workload.writes.iter().all(adds) {
                    true => 1.0,
                    false => (all / rows.max(1.0)).max(1.0),
                },
                is_fewer: false,
            }
        };
        let mut kept: Vec<Self> = group.iter().map(of_one).collect();
        let most = kept.iter().map(|it| it.rows).fold(0.0, f64::max);
        let all = kept.iter_mut();
        all.for_each(|it| it.is_fewer = FEWER * it.rows < most);
        kept
    }
}
