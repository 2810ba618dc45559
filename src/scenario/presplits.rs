//! `presplit`: listed points, or an algorithm.

use super::prelude::*;
use crate::key::KeyPlan;
use crate::keyspace::RowKey;
use crate::policy::{SplitAlgorithm, bucket_points, check_memory, check_split_points};
use crate::settings::{integer, json, text, word};
use std::sync::Arc;

/// A pre-split as the file asks for it.
#[derive(Debug, Clone)]
pub(super) enum Request {
    /// Known without a key.
    Ready(Presplit),
    /// `buckets`: needs the strategy's key.
    Buckets(SourcePlace),
}

crate::settings! {
    pub(super) static PRESPLITTING("", "") {
        /// The regions that the table starts with: split points, or how HBase or a designer computes them.
        presplit = json("@presplit").with(&[&COMPUTED]).or(r#"{ "algorithm": "none" }"#),
    }

    /// An algorithm of split points, and what it takes.
    pub(super) static COMPUTED("computed-presplit", "") {
        /// hex-string, decimal-string, uniform: HBase's RegionSplitter; bytes: Admin.createTable; buckets: a region for each value of the leading
        /// bucket; sampled: equal quantiles of the existing rows.
        algorithm = word(SplitAlgorithm::WORDS).needs("\"sampled\""),
        /// So many; `none` and `buckets` say it themselves.
        regions = integer(1, i64::MAX),
        /// The first row.
        first = text(""),
        /// The last row.
        last = text(""),
    }
}

/// Bytes of a sampled split point (estimate).
const SAMPLED_BYTES: u64 = 32;

/// Bytes of a computed one: HBase's default ranges are 8 bytes wide.
const COMPUTED_BYTES: u64 = 8;

fn fixed(algorithm: Option<SplitAlgorithm>, points: Vec<RowKey>) -> Presplit {
    let points = Arc::new(points);
    Presplit::Fixed { algorithm, points }
}

fn unsplit() -> Presplit {
    fixed(Some(SplitAlgorithm::None), Vec::new())
}

/// Reads `presplit` of `[table]`, or of a copy.
pub(super) fn read_presplit(table: &Reader<'_>) -> Request {
    let read = match table.entry("presplit") {
        None => {
            table.note_default("presplit", "{ algorithm = \"none\" }");
            None
        }
        Some(entry) => match &entry.node.value {
            Value::Array(items) => read_list(table.sink, items),
            Value::Table(_) => {
                let computed = table.table_at(entry, &COMPUTED);
                computed.read_with(|computed| read_algorithm(computed, entry))
            }
            other => {
                let diagnostic = Diagnostic::error(format!("`presplit` is {}", other.kind()))
                    .label("expected a list of split points, or an algorithm")
                    .help("`presplit = ['b', 'c']`, or `presplit = { algorithm = \"hex-string\", regions = 16 }`");
                table.complain("presplit", diagnostic);
                None
            }
        },
    };
    read.unwrap_or_else(|| Request::Ready(unsplit()))
}

fn read_list(sink: &Diagnostics, items: &[Node]) -> Option<Request> {
    let points: Vec<Option<RowKey>> = items.iter().map(|item| row_key(sink, item)).collect();
    let points = points.into_iter().collect::<Option<Vec<RowKey>>>()?;
    let errors = check_split_points(&points);
    for error in &errors {
        let place = &items[error.index].place;
        let label = "points are sorted, distinct and not empty";
        sink.error(place, error.to_string(), label);
    }
    let ready = Request::Ready(fixed(None, points));
    errors.is_empty().then_some(ready)
}

/// A row key in HBase's notation.
pub(super) fn row_key(sink: &Diagnostics, node: &Node) -> Option<RowKey> {
    let Value::Text(notation) = &node.value else {
        let message = format!("a row key is a text, found {}", node.value.kind());
        sink.error(&node.place, message, "expected a text such as `'\\x00a'`");
        return None;
    };
    let error = match RowKey::parse(notation) {
        Ok(key) => return Some(key),
        Err(error) => error,
    };
    let at = error.position();
    let rest = &notation[at.min(notation.len())..];
    let end = at + rest.chars().next().map_or(0, char::len_utf8);
    let diagnostic = Diagnostic::error(error.to_string())
        .label("not in HBase's notation")
        .help("printable ASCII stands for itself, any other byte is `\\xHH` in capitals, in single quotes");
    sink.add(&sink.place_in(node, &(at..end)), diagnostic);
    None
}

fn read_algorithm(reader: &Reader<'_>, entry: &Entry) -> Option<Request> {
    let algorithm: SplitAlgorithm = reader.given("algorithm")?;
    let by_count = !matches!(algorithm, SplitAlgorithm::None | SplitAlgorithm::Buckets);
    let by_range = by_count && algorithm != SplitAlgorithm::Sampled;
    for (key, taken) in [
        ("regions", by_count),
        ("first", by_range),
        ("last", by_range),
    ] {
        if !taken {
            reader.meaningless(key, &format!("`{}` takes no `{key}`", algorithm.name()));
        }
    }
    match algorithm {
        SplitAlgorithm::None => return Some(Request::Ready(unsplit())),
        SplitAlgorithm::Buckets => return Some(Request::Buckets(entry.node.place.clone())),
        _ => {}
    }
    reader.missing("regions", "32");
    let regions: Option<i64> = reader.given("regions");
    let bound = |key| if by_range { reader.text(key) } else { None };
    let (first, last) = (bound("first"), bound("last"));
    let regions = regions?;
    let usual = match by_range {
        true => COMPUTED_BYTES,
        false => SAMPLED_BYTES,
    };
    let key_bytes = last.map_or(usual, |last| last.len() as u64);
    if let Err(error) = check_memory(regions as u64, key_bytes) {
        reader.refuse("regions", error.to_string(), "too many regions")?;
    }
    if algorithm == SplitAlgorithm::Sampled {
        let regions = regions as u32;
        return Some(Request::Ready(Presplit::Sampled { regions }));
    }
    match algorithm.split_points(regions, first, last) {
        Ok(points) => Some(Request::Ready(fixed(Some(algorithm), points))),
        Err(error) => {
            let name = algorithm.name();
            let label = match error.java_class() {
                Some(class) => format!("HBase refuses `{name}` with {class}"),
                None => format!("`{name}` can't split so"),
            };
            let place = &entry.node.place;
            reader.sink.error(place, error.to_string(), label);
            None
        }
    }
}

/// The pre-split of a table with this key, which it must fit.
pub(super) fn resolve(sink: &Diagnostics, request: &Request, key: &KeyPlan) -> Presplit {
    match request {
        Request::Ready(presplit) => presplit.clone(),
        Request::Buckets(place) => {
            if key.leading_buckets().is_none() {
                let diagnostic = Diagnostic::error(format!("`{}` does not lead with a bucket", key.text()))
                    .label("`buckets` cuts between the values of a leading bucket")
                    .help("lead with `be1(random(16))`, `salt(16, ...)` or the like, or take another algorithm");
                sink.add(place, diagnostic);
            }
            by_buckets(key)
        }
    }
}

/// The pre-split of a copy that has none of its own: what the strategy's algorithm gives for the copy's key. Points that are listed are
/// those of the strategy's key, and a key that leads with no bucket has none to cut at: the copy begins as one region.
pub(super) fn resolve_for_copy(request: &Request, key: &KeyPlan) -> Presplit {
    match request {
        Request::Ready(Presplit::Fixed {
            algorithm: None, ..
        }) => unsplit(),
        Request::Ready(presplit) => presplit.clone(),
        Request::Buckets(_) => by_buckets(key),
    }
}

/// One region for each value of the leading bucket; a single one without any.
fn by_buckets(key: &KeyPlan) -> Presplit {
    let buckets = key.leading_buckets().unwrap_or_default();
    fixed(Some(SplitAlgorithm::Buckets), bucket_points(&buckets))
}
