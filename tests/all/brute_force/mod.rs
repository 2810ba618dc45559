//! The read planner against tables held in memory, every row looked at: random cases, and what of them was compared.

#![allow(
    dead_code,
    reason = "each test that takes these cases uses its part of them"
)]

pub mod asked;
pub mod pages;
pub mod requested;
pub mod rows;
pub mod store;
pub mod table;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::ops::AddAssign;

/// What was compared, and was as it should be.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// Rows of the table: asked for, or not.
    pub rows: u64,
    /// Those of them that the read wants.
    pub wanted: u64,
    /// Reads whose rows have an order.
    pub orders: u64,
    /// Numbers of rows.
    pub counts: u64,
}

impl AddAssign for Compared {
    fn add_assign(&mut self, other: Self) {
        self.rows += other.rows;
        self.wanted += other.wanted;
        self.orders += other.orders;
        self.counts += other.counts;
    }
}

/// The same cases in every run; fails with the first that differs.
pub fn compare_all<S: Strategy>(
    cases: u32,
    strategy: &S,
    compare: impl Fn(&S::Value) -> Result<Compared, TestCaseError>,
) -> Compared {
    let mut runner = TestRunner::deterministic();
    let mut all = Compared::default();
    for _ in 0..cases {
        let case = strategy.new_tree(&mut runner).expect("no case is filtered");
        let case = case.current();
        all += compare(&case).unwrap_or_else(|error| panic!("{case:?}: {error}"));
    }
    all
}
