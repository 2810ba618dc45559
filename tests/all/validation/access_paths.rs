//! The read planner against brute force (`brute_force`), as many cases as `planner_soundness.rs` and `planner_pages.rs` draw, always the same ones.

use crate::brute_force::{Compared, compare_all, pages, rows};
use std::sync::LazyLock;

/// One kind of case, all of which agreed.
pub struct AccessPaths {
    pub what: &'static str,
    pub cases: u32,
    pub compared: Compared,
}

pub static ACCESS_PATHS: LazyLock<Vec<AccessPaths>> = LazyLock::new(|| {
    let mut all = Vec::new();
    let mut add = |what, cases, compared| {
        all.push(AccessPaths {
            what,
            cases,
            compared,
        });
    };
    let cases = 1_500;
    add(
        "a key of one to six segments and a read: each row that is wanted is asked for once, each other one never unless the path says so, \
         in the order that is wanted, as many as expected",
        cases,
        compare_all(cases, &rows::cases(), rows::compare),
    );
    let cases = 200;
    add(
        "values without a delimiter: a scan for `x` reads the rows of `x1`, and says how many",
        cases,
        compare_all(cases, &rows::longer_values(), rows::compare_longer_values),
    );
    add(
        "a range of time behind times in coarser steps: bounded by all of them, as many rows as expected",
        cases,
        compare_all(cases, &rows::ranges_of_time(), rows::compare),
    );
    let cases = 600;
    add(
        "a page by cursor: what lies behind it is asked for, what it has passed is not",
        cases,
        compare_all(cases, &pages::cursors(), pages::compare_cursor),
    );
    add(
        "a cursor that is not known: it begins where as many rows are expected",
        cases,
        compare_all(
            cases,
            &pages::expected_cursors(),
            pages::compare_expected_cursor,
        ),
    );
    add(
        "a page by index: the keys of its rows",
        cases,
        compare_all(cases, &pages::indexes(), pages::compare_index),
    );
    all
});

#[test]
fn access_paths_ask_for_the_rows_that_brute_force_finds() {
    let all = ACCESS_PATHS
        .iter()
        .fold(Compared::default(), |mut all, paths| {
            all += paths.compared;
            all
        });
    // Most rows of a table are wanted by no read, and most reads have no order: enough must be left to compare.
    assert!(all.rows > 700_000 && all.wanted > 10_000, "{all:?}");
    assert!(all.orders > 50 && all.counts > 100, "{all:?}");
}
