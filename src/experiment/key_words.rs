//! A row key in words: what its segments hold, in order. Must not know bytes.

use crate::key::{KeyPlan, Randomness, Segment};
use crate::record::Schema;
use crate::scenario::Strategy;
use crate::text::{all, joined};

/// Values of a leading segment that are called buckets: more are a hash.
const MOST_BUCKETS: usize = 256;

/// One of 16 buckets by `user`, then `ts`, newest first: what rows are sorted by.
pub(super) fn key_in_words(key: &KeyPlan, schema: &Schema) -> String {
    let varying = key.segments().iter().filter(|it| it.constant().is_none());
    let words = varying.enumerate().map(|(at, segment)| {
        let names = segment.fields().iter();
        let of = all(names.map(|&id| &schema.field(id).name));
        let buckets = key.leading_buckets().filter(|_| at == 0);
        let buckets = buckets
            .map(|all| all.len())
            .filter(|count| *count <= MOST_BUCKETS);
        match (buckets, segment.randomness()) {
            (Some(buckets), _) if of.is_empty() => format!("one of {buckets} buckets at random"),
            (Some(buckets), _) => format!("one of {buckets} buckets by {of}"),
            (None, Randomness::Hashed) => format!("a hash of {of}"),
            (None, _) if of.is_empty() => "a random number".to_owned(),
            (None, _) => plain(segment, of),
        }
    });
    joined(words, ", then ")
}

/// A sentence on what tells the cells of a row apart, and one on each copy.
pub(super) fn further_keys(strategy: &Strategy) -> Vec<String> {
    let cells = strategy.qualifier.iter();
    let cells =
        cells.map(|it| format!("Cells of a row are told apart by `{}`.", it.expanded.trim()));
    let copies = (1..).zip(&strategy.copies).map(|(number, copy)| {
        let words = key_in_words(&copy.key, &strategy.setup.schema);
        let key = copy.key.expanded.trim();
        format!("Copy {number} has the same rows by `{key}`: {words}.")
    });
    cells.chain(copies).collect()
}

/// Fields as they are, or the other way round.
fn plain(segment: &Segment, of: String) -> String {
    match () {
        () if segment.is_newest_first() => of + " (newest first)",
        () if segment.expression.starts_with("reverse(") => of + " reversed",
        () => of,
    }
}
