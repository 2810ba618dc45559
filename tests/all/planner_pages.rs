//! Pages of a table held in memory: what lies behind a cursor is asked for, what it has passed is not, and an index names rows that exist.

use crate::brute_force::pages;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn a_page_by_cursor_asks_for_what_lies_behind_it_and_for_nothing_before(case in pages::cursors()) {
        pages::compare_cursor(&case)?;
    }

    #[test]
    fn a_cursor_that_is_not_known_begins_where_as_many_rows_are_expected(case in pages::expected_cursors()) {
        pages::compare_expected_cursor(&case)?;
    }

    #[test]
    fn an_index_names_the_keys_of_rows(case in pages::indexes()) {
        pages::compare_index(&case)?;
    }
}
