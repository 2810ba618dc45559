//! `distribution`: how often each value of a field comes.

use super::document::{Entry, Node, Value};
use super::reader::Reader;
use crate::record::{FieldKind, Law, LawShape};
use crate::settings::{Kind, any_number, boolean, json, number, table};

/// Reads a field's `distribution`.
pub(super) fn read_law(field: &Reader<'_>, kind: &FieldKind) -> Law {
    let Some(entry) = field.entry("distribution") else {
        return Law::default();
    };
    let counted = kind.count().is_some();
    if !counted && !matches!(kind, FieldKind::Double { .. }) {
        let label = "only fields with a `count` (and doubles) have a distribution";
        field.sink.error(
            &entry.place,
            format!("{} can't have a distribution", field.name()),
            label,
        );
        return Law::default();
    }
    read_law_entry(field, entry, field.path_of("distribution"), kind)
}

/// Reads a law of a field of this kind, which has one; `path` names it in messages.
pub(super) fn read_law_entry<'a>(
    reader: &Reader<'a>,
    entry: &'a Entry,
    path: String,
    kind: &FieldKind,
) -> Law {
    match &entry.node.value {
        Value::Text(text) if text == "uniform" => Law::default(),
        Value::Table(_) => {
            let reader = reader.table_of(&entry.key, &entry.node, &entry.node.place, path, &LAW);
            let law = read_table(&reader, kind);
            reader.finish();
            law
        }
        _ => {
            let label = "expected `\"uniform\"`, `{ zipf = 0.99 }`, `{ hotspot = { keys = 0.2, load = 0.8 } }`, \
                         `{ weights = [3, 1] }` or `{ normal = { mean = 50, sd = 9 } }`";
            reader
                .sink
                .error(&entry.node.place, "this is no distribution", label);
            Law::default()
        }
    }
}

crate::settings! {
    pub(super) static LAW("law", "") {
        /// The share of rank r is proportional to r^-s.
        ///
        /// The upper end keeps r^-s a normal number for every rank.
        zipf = ZIPF,
        /// A share of the keys takes a share of the load.
        hotspot = table(&HOTSPOT),
        /// One weight for each rank.
        weights = json(r#""type": "array", "minItems": 1, "items": { "type": "number", "minimum": 0 }"#),
        /// A bell over the values.
        normal = table(&NORMAL),
        /// The shares of the first ranks; the law deals the rest.
        top = json(r#""type": "array", "items": { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 }"#),
        /// Rank 1 is the first value, and so on, instead of being dealt by chance.
        ranked = boolean(),
    }
}

pub(super) const ZIPF: Kind = number("greater than 0, and at most 10", 0.0, 10.0, (false, true));
const SHARE: Kind = number("in (0, 1)", 0.0, 1.0, (false, false));

crate::settings! {
    /// A share of the keys takes a share of the load.
    static HOTSPOT("", "") {
        keys = SHARE.needs("0.2"),
        load = SHARE.needs("0.2"),
    }
}

crate::settings! {
    /// A bell over the values.
    static NORMAL("", "") {
        mean = any_number().needs("50.0"),
        sd = number("greater than 0", 0.0, f64::INFINITY, (false, false)).needs("50.0"),
    }
}

const SHAPES: [&str; 4] = ["zipf", "hotspot", "weights", "normal"];

fn read_table(reader: &Reader<'_>, kind: &FieldKind) -> Law {
    let given: Vec<&str> = SHAPES
        .into_iter()
        .filter(|shape| reader.has(shape))
        .collect();
    if let [first, second, ..] = given[..] {
        let label = format!("`{first}` is given, too: a field has one law");
        reader.refuse_key(second, format!("{} has two laws", reader.name()), label);
    }
    let mut shape = LawShape::Uniform;
    if let Some(exponent) = reader.given("zipf") {
        shape = LawShape::Zipf { exponent };
    }
    let hotspot = reader.table("hotspot");
    if hotspot.table.is_some() {
        let (keys, load) = (hotspot.given("keys"), hotspot.given("load"));
        if let Some((keys, load)) = keys.zip(load) {
            shape = LawShape::Hotspot { keys, load };
        }
        hotspot.finish();
    }
    if let Some(weights) = read_weights(reader, kind) {
        shape = LawShape::Weights(weights);
    }
    let normal = reader.table("normal");
    if normal.table.is_some() {
        if let Some(law) = read_normal(&normal, kind) {
            shape = law;
        }
        normal.finish();
    }
    let top = read_top(reader, kind);
    let ranked = reader.given("ranked").unwrap_or(false);
    let on_ranks = !matches!(shape, LawShape::Normal { .. }) && kind.count().is_some();
    for key in ["top", "ranked"] {
        if !on_ranks && reader.has(key) {
            let label = "a law over values has no ranks";
            reader.refuse_key(key, format!("`{key}` has no meaning here"), label);
        }
    }
    let ranked_law = matches!(
        shape,
        LawShape::Zipf { .. } | LawShape::Hotspot { .. } | LawShape::Weights(_)
    );
    if ranked_law && kind.count().is_none() {
        let label = "expected `normal` or `\"uniform\"`";
        reader.refuse_table("a double has no ranks", label);
        return Law::default();
    }
    Law { shape, top, ranked }
}

fn shares(
    reader: &Reader<'_>,
    key: &'static str,
    items: &[Node],
    accepts: fn(f64) -> bool,
    domain: &str,
) -> Option<Vec<f64>> {
    items
        .iter()
        .map(|item| reader.number_node(key, item, domain, accepts))
        .collect()
}

fn read_weights(reader: &Reader<'_>, kind: &FieldKind) -> Option<Vec<f64>> {
    let items = reader.list("weights")?;
    let place = reader.place_of("weights");
    let weights = shares(
        reader,
        "weights",
        items,
        |weight| (0.0..=1e12).contains(&weight),
        "at least 0",
    )?;
    if weights.iter().all(|&weight| weight == 0.0) {
        reader.sink.error(
            &place,
            "all weights are zero",
            "expected a weight for each rank, not all zero",
        );
        return None;
    }
    if kind
        .count()
        .is_some_and(|count| weights.len() as u64 > count)
    {
        let message = format!(
            "{} weights for {} values",
            weights.len(),
            kind.count().unwrap_or(0)
        );
        reader
            .sink
            .error(&place, message, "at most one for each value");
        return None;
    }
    Some(weights)
}

fn read_top(reader: &Reader<'_>, kind: &FieldKind) -> Vec<f64> {
    let Some(items) = reader.list("top") else {
        return Vec::new();
    };
    let place = reader.place_of("top");
    let Some(top) = shares(
        reader,
        "top",
        items,
        |share| share > 0.0 && share < 1.0,
        "in (0, 1)",
    ) else {
        return Vec::new();
    };
    let sum: f64 = top.iter().sum();
    if sum >= 1.0 {
        reader.sink.error(
            &place,
            format!("the shares of `top` sum to {sum}"),
            "must leave a share for the other ranks",
        );
        return Vec::new();
    }
    if kind.count().is_some_and(|count| top.len() as u64 >= count) {
        reader.sink.error(
            &place,
            "`top` leaves no rank for the rest",
            "expected fewer shares than values",
        );
        return Vec::new();
    }
    top
}

fn read_normal(normal: &Reader<'_>, kind: &FieldKind) -> Option<LawShape> {
    let (mean, sd): (Option<f64>, Option<f64>) = (normal.given("mean"), normal.given("sd"));
    let (mean, sd) = mean.zip(sd)?;
    let (least, greatest) = match kind {
        FieldKind::Double { min, max } => (*min, *max),
        _ => {
            let first = kind.first_slot() as f64;
            (first, first + kind.count().unwrap_or(1) as f64)
        }
    };
    // Values outside the domain are drawn again: a mean far outside would draw for ever.
    if mean < least - sd || mean > greatest + sd {
        let label =
            format!("values are {least} to {greatest}; expected a mean within one `sd` of them");
        normal.refuse_key("mean", format!("`mean` is {mean}"), label);
        return None;
    }
    Some(LawShape::Normal { mean, sd })
}
