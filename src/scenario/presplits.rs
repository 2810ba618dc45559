//! `presplit`: listed points, or an algorithm.

use super::diagnostic::Diagnostic;
use super::diagnostics::Diagnostics;
use super::document::{Entry, Node, SourcePlace, Value};
use super::model::{Presplit, PresplitAlgorithm};
use super::reader::Reader;
use super::string_map::locate;
use crate::key::KeyPlan;
use crate::keyspace::RowKey;
use crate::policy::{SplitAlgorithm, SplitError, bucket_points, check_memory, check_split_points};
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
}

crate::settings! {
    pub(super) static COMPUTED("computed-presplit", "") {
        /// hex-string, decimal-string, uniform: HBase's RegionSplitter; bytes: Admin.createTable; buckets: a region for each value of the leading
        /// bucket; sampled: equal quantiles of the existing rows.
        algorithm = word(SplitAlgorithm::WORDS).needs("\"sampled\""),
        regions = integer(1, i64::MAX),
        /// First row.
        first = text(""),
        /// Last row.
        last = text(""),
    }
}

/// Bytes of a sampled split point (estimate).
const SAMPLED_BYTES: u64 = 32;

/// Bytes of a computed one: HBase's default ranges are 8 bytes wide.
const COMPUTED_BYTES: u64 = 8;

fn unsplit() -> Presplit {
    Presplit::Fixed {
        algorithm: PresplitAlgorithm::None,
        points: Arc::default(),
    }
}

fn none() -> Request {
    Request::Ready(unsplit())
}

/// Reads `presplit` of `[table]`, or of a copy. `text` is the scenario's text.
pub(super) fn read_presplit(table: &Reader<'_>, text: &str) -> Request {
    let Some(entry) = table.entry("presplit") else {
        table.note_default("presplit", "{ algorithm = \"none\" }");
        return none();
    };
    match &entry.node.value {
        Value::Array(items) => read_list(table.sink, items, text).unwrap_or_else(none),
        Value::Table(_) => read_algorithm(table, entry).unwrap_or_else(none),
        other => {
            let diagnostic = Diagnostic::error(format!("`presplit` is {}", other.kind()))
                .label("expected a list of split points, or an algorithm")
                .help("`presplit = ['b', 'c']`, or `presplit = { algorithm = \"hex-string\", regions = 16 }`");
            table.sink.add(&entry.node.place, diagnostic);
            none()
        }
    }
}

fn read_list(sink: &Diagnostics, items: &[Node], text: &str) -> Option<Request> {
    let points: Vec<Option<RowKey>> = items.iter().map(|item| row_key(sink, item, text)).collect();
    let points = points.into_iter().collect::<Option<Vec<RowKey>>>()?;
    let errors = check_split_points(&points);
    for error in &errors {
        sink.error(
            &items[error.index()].place,
            error.to_string(),
            "points are sorted, distinct and not empty",
        );
    }
    let algorithm = PresplitAlgorithm::Listed;
    errors.is_empty().then(|| {
        Request::Ready(Presplit::Fixed {
            algorithm,
            points: Arc::new(points),
        })
    })
}

/// A row key in HBase's notation.
pub(super) fn row_key(sink: &Diagnostics, node: &Node, text: &str) -> Option<RowKey> {
    let Value::Text(notation) = &node.value else {
        sink.error(
            &node.place,
            format!("a row key is a text, found {}", node.value.kind()),
            "expected a text such as `'\\x00a'`",
        );
        return None;
    };
    match RowKey::parse(notation) {
        Ok(key) => Some(key),
        Err(error) => {
            let place = match &node.place {
                SourcePlace::File(raw) => {
                    let at = error.position();
                    let end = notation[at.min(notation.len())..]
                        .chars()
                        .next()
                        .map_or(at, |c| at + c.len_utf8());
                    SourcePlace::File(locate(text, raw, notation, &(at..end)))
                }
                place => place.clone(),
            };
            let diagnostic = Diagnostic::error(error.to_string())
                .label("not in HBase's notation")
                .help("printable ASCII stands for itself, any other byte is `\\xHH` in capitals, in single quotes");
            sink.add(&place, diagnostic);
            None
        }
    }
}

fn read_algorithm<'a>(table: &Reader<'a>, entry: &'a Entry) -> Option<Request> {
    let reader = table.table_of(
        "presplit",
        &entry.node,
        &entry.place,
        table.path_of("presplit"),
        &COMPUTED,
    );
    let Some(algorithm) = reader.given::<SplitAlgorithm>("algorithm") else {
        for key in ["regions", "first", "last"] {
            reader.entry(key);
        }
        reader.finish();
        return None;
    };
    let by_count = !matches!(algorithm, SplitAlgorithm::None | SplitAlgorithm::Buckets);
    let by_range = by_count && algorithm != SplitAlgorithm::Sampled;
    for (key, known) in [
        ("regions", by_count),
        ("first", by_range),
        ("last", by_range),
    ] {
        if !known {
            reader.meaningless(key, &format!("`{}` takes no `{key}`", algorithm.name()));
        }
    }
    if by_count && !reader.has("regions") {
        reader.missing("regions", "32");
    }
    let regions = if by_count {
        reader.given::<i64>("regions")
    } else {
        Some(1)
    };
    let (first, last) = if by_range {
        (reader.text("first"), reader.text("last"))
    } else {
        (None, None)
    };
    let place = reader.place_of_value(if by_count { "regions" } else { "algorithm" });
    let whole = entry.node.place.clone();
    let sink = reader.sink;
    reader.finish();
    let regions = regions?;
    let usual = if algorithm == SplitAlgorithm::Sampled {
        SAMPLED_BYTES
    } else {
        COMPUTED_BYTES
    };
    let key_bytes = last.map_or(usual, |last| last.len() as u64);
    if let Err(error) = check_memory(regions as u64, key_bytes) {
        sink.error(&place, error.to_string(), "too many regions");
        return None;
    }
    let fixed = match algorithm {
        SplitAlgorithm::Sampled => {
            return Some(Request::Ready(Presplit::Sampled {
                regions: regions as u32,
            }));
        }
        SplitAlgorithm::Buckets => return Some(Request::Buckets(whole)),
        SplitAlgorithm::None => return Some(none()),
        SplitAlgorithm::HexString => PresplitAlgorithm::HexString,
        SplitAlgorithm::DecimalString => PresplitAlgorithm::DecimalString,
        SplitAlgorithm::Uniform => PresplitAlgorithm::Uniform,
        SplitAlgorithm::Bytes => PresplitAlgorithm::Bytes,
    };
    match algorithm.split_points(regions, first, last) {
        Ok(points) => Some(Request::Ready(Presplit::Fixed {
            algorithm: fixed,
            points: Arc::new(points),
        })),
        Err(error) => {
            refused(sink, &whole, algorithm, &error);
            None
        }
    }
}

fn refused(sink: &Diagnostics, place: &SourcePlace, algorithm: SplitAlgorithm, error: &SplitError) {
    let label = match error.java_class() {
        Some(class) => format!("HBase refuses `{}` with {class}", algorithm.name()),
        None => format!("`{}` can't split so", algorithm.name()),
    };
    sink.error(place, error.to_string(), label);
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
            algorithm: PresplitAlgorithm::Listed,
            ..
        }) => unsplit(),
        Request::Ready(presplit) => presplit.clone(),
        Request::Buckets(_) => by_buckets(key),
    }
}

/// One region for each value of the leading bucket; a single one without any.
fn by_buckets(key: &KeyPlan) -> Presplit {
    let buckets = key.leading_buckets().unwrap_or_default();
    Presplit::Fixed {
        algorithm: PresplitAlgorithm::Buckets,
        points: Arc::new(bucket_points(&buckets)),
    }
}
