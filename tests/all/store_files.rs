//! Store files and mutations that HBase itself wrote: `data/hfiles.json` says how each was made.

use keyheat::storage::{Mutation, RowSize};
use serde_json::Value;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../data/hfiles.json")).unwrap()
}

fn number(case: &Value, name: &str) -> u64 {
    case[name]
        .as_u64()
        .unwrap_or_else(|| panic!("{name} of {case}"))
}

#[test]
fn mutations_take_the_heap_that_hbase_says() {
    let vectors = vectors();
    let cases = vectors["mutation_heap"].as_array().unwrap();
    assert_eq!(cases.len(), 60);
    for case in cases {
        let qualifier = "q".repeat(number(case, "qualifier_bytes") as usize);
        let cells = vec![qualifier.as_str(); number(case, "cells") as usize];
        let size = RowSize::new(1, cells, number(case, "value_bytes"));
        for (mutation, name) in [
            (Mutation::Put, "put_heap"),
            (Mutation::Increment, "increment_heap"),
            (Mutation::Append, "append_heap"),
            (Mutation::Delete, "delete_heap"),
        ] {
            let found = size.mutation_heap(mutation, number(case, "row_bytes"));
            assert_eq!(found, number(case, name), "{mutation:?} of {case}");
        }
    }
}
