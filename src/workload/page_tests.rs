//! The rows of pages against a table that is held in memory.

use super::materialised_table_fixture::{
    CAMPAIGN, COMPANY, COST, SEED, at, beating_table, drawn_table, materialised, schema,
};
use super::*;
use crate::record::{FieldId, KnownField, RecordGenerator};
use crate::time::SimDuration;
use std::cmp::Reverse;
use std::sync::Arc;

fn page(via: PageVia, size: u32, number: u32) -> Read {
    Read {
        page: Some(Page {
            field: KnownField::Stored(COST),
            size,
            number,
            via,
        }),
        load: Some(ReadLoadModel::Closed {
            clients: 1,
            think: Think::Constant(SimDuration::ZERO),
        }),
        ..super::read_tests::read("pages", &[COMPANY])
    }
}

/// The first reads of each of these kinds at one instant.
fn asked(mut workload: Workload, reads: Vec<Read>, millis: u64, count: u64) -> Vec<ReadBatch> {
    let kinds = reads.len() as u8;
    workload.reads = reads;
    let generator = Arc::new(RecordGenerator::new(&schema(None), SEED, 1));
    let mut source = ReadSource::new(&workload, generator);
    let mut kind = |kind: u8| {
        let mut batch = ReadBatch::default();
        for k in 0..count {
            source.issue(ReadId(kind), 0, k, at(millis), &mut batch);
        }
        batch
    };
    (0..kinds).map(&mut kind).collect()
}

fn slot(record: &[i64], field: FieldId) -> i64 {
    record[usize::from(field.0)]
}

#[test]
fn pages_of_a_small_table_are_the_very_rows_of_the_table() {
    let workload = beating_table(Phase::Spread);
    let table = materialised(&workload, &schema(None), at(13_001));
    let width = table.rows[0].len();
    let reads = vec![
        page(PageVia::Cursor, 9, 4),
        page(PageVia::Index, 9, 4),
        page(PageVia::Offset, 9, 4),
    ];
    let batches = asked(workload, reads, 13_001, 60);
    let mut beyond = 0;
    for nth in 0..60 {
        let [cursor, index, offset] = [0, 1, 2].map(|kind: usize| batches[kind].target(nth, width));
        assert!(offset.page.writes.is_empty());
        for (target, skipped, named) in [(cursor, 26, 1), (index, 27, 9)] {
            let company = slot(target.record, COMPANY);
            let rows = table
                .rows
                .iter()
                .filter(|row| slot(row, COMPANY) == company);
            let mut group: Vec<&Vec<i64>> = rows.collect();
            group.sort_by_key(|row| Reverse(slot(row, COST)));
            assert!(target.page.exact);
            if group.len() <= skipped {
                beyond += 1;
                let left = if named == 1 {
                    &group[group.len() - 1..]
                } else {
                    &[]
                };
                assert_eq!(target.page.writes.len(), left.len());
                continue;
            }
            let costs = group
                .iter()
                .skip(skipped)
                .take(named)
                .map(|row| slot(row, COST));
            let found = (0..target.page.writes.len()).map(|at| target.page.record(at));
            assert_eq!(
                found.clone().map(|row| slot(row, COST)).collect::<Vec<_>>(),
                costs.collect::<Vec<_>>()
            );
            for row in found {
                assert!(group.iter().any(|held| *held == row), "no row is {row:?}");
            }
        }
    }
    assert!(beyond < 60, "{beyond} pages of 120 lie behind the last row");
}

#[test]
fn an_index_of_a_great_table_names_rows_that_agree_with_the_target() {
    let mut workload = drawn_table();
    let more = SimDuration::from_secs(40);
    workload.existing[0].rows = ImportRows::Drawn {
        records: 10_000_000_000,
        last: more,
    };
    let reads = vec![page(PageVia::Cursor, 9, 4), page(PageVia::Index, 9, 4)];
    let batches = asked(workload, reads, 13_001, 40);
    let generator = RecordGenerator::new(&schema(None), SEED, 1);
    for nth in 0..40 {
        let cursor = batches[0].target(nth, generator.width());
        assert!(!cursor.page.exact && cursor.page.writes.is_empty());
        let named = batches[1].target(nth, generator.width());
        assert!(!named.page.exact);
        assert_eq!(named.page.writes.len(), 9);
        for at in 0..9 {
            let record = named.page.record(at);
            assert_eq!(slot(record, COMPANY), slot(named.record, COMPANY));
            for field in [COMPANY, COST] {
                let of = generator.dependent_value(field, |_| slot(record, CAMPAIGN));
                assert_eq!(of, Some(slot(record, field)));
            }
        }
    }
}
