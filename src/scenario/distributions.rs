//! `distribution`: how often each value of a field comes.

use super::document::{Entry, Value};
use super::reader::Reader;
use crate::record::{FieldKind, Law, LawShape};
use crate::settings::{Kind, any_number, boolean, json, number, table};

/// Reads a field's `distribution`.
pub(super) fn read_law(field: &Reader<'_>, kind: &FieldKind) -> Law {
    let Some(entry) = field.entry("distribution") else {
        return Law::default();
    };
    if kind.count().is_none() && !matches!(kind, FieldKind::Double { .. }) {
        let message = format!("{} can't have a distribution", field.name());
        let label = "only fields with a `count` (and doubles) have a distribution";
        field.refuse_key("distribution", message, label);
        return Law::default();
    }
    read_law_entry(field, entry, kind)
}

/// Reads a law of a field of this kind, which has one.
pub(super) fn read_law_entry<'a>(reader: &Reader<'a>, entry: &'a Entry, kind: &FieldKind) -> Law {
    let Entry { key, node, .. } = entry;
    let law = match &node.value {
        Value::Text(text) if text == "uniform" => None,
        Value::Table(_) => {
            let law = reader.table_of(key, node, &node.place, &LAW);
            law.read_with(|law| read_table(law, kind))
        }
        _ => {
            let label = "expected `\"uniform\"`, `{ zipf = 0.99 }`, `{ hotspot = { keys = 0.2, load = 0.8 } }`, \
                         `{ weights = [3, 1] }` or `{ normal = { mean = 50, sd = 9 } }`";
            reader.refuse(key, "this is no distribution", label);
            None
        }
    };
    law.unwrap_or_default()
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

fn read_table(reader: &Reader<'_>, kind: &FieldKind) -> Option<Law> {
    let given: Vec<&str> = SHAPES
        .into_iter()
        .filter(|shape| reader.has(shape))
        .collect();
    if let [first, second, ..] = given[..] {
        let label = format!("`{first}` is given, too: a field has one law");
        reader.refuse_key(second, format!("{} has two laws", reader.name()), label);
    }
    // Of several laws the last one is as good as any: the first complaint stands.
    let zipf = reader
        .given("zipf")
        .map(|exponent| LawShape::Zipf { exponent });
    let hotspot = reader.inside("hotspot", |hotspot| {
        let (keys, load) = hotspot.given("keys").zip(hotspot.given("load"))?;
        Some(LawShape::Hotspot { keys, load })
    });
    let weights = read_weights(reader, kind).map(LawShape::Weights);
    let normal = reader.inside("normal", |normal| read_normal(normal, kind));
    let top = read_top(reader, kind).unwrap_or_default();
    let ranked = reader.given("ranked").unwrap_or(false);
    let shape = normal.or(weights).or(hotspot).or(zipf);
    let shape = shape.unwrap_or(LawShape::Uniform);
    let has_ranks = kind.count().is_some();
    let on_ranks = !matches!(shape, LawShape::Normal { .. }) && has_ranks;
    for key in ["top", "ranked"] {
        if !on_ranks {
            reader.meaningless(key, "a law over values has no ranks");
        }
    }
    if !has_ranks && !matches!(shape, LawShape::Normal { .. } | LawShape::Uniform) {
        let label = "expected `normal` or `\"uniform\"`";
        reader.refuse_table("a double has no ranks", label);
        return None;
    }
    Some(Law { shape, top, ranked })
}

/// A list of numbers of a domain.
fn numbers(
    reader: &Reader<'_>,
    key: &'static str,
    domain: &str,
    accepts: fn(f64) -> bool,
) -> Option<Vec<f64>> {
    let items = reader.list(key)?.iter();
    let number = |item| reader.number_node(key, item, domain, accepts);
    items.map(number).collect()
}

fn read_weights(reader: &Reader<'_>, kind: &FieldKind) -> Option<Vec<f64>> {
    let accepts = |weight| (0.0..=1e12).contains(&weight);
    let weights = numbers(reader, "weights", "at least 0", accepts)?;
    let beyond = kind.count().filter(|&count| weights.len() as u64 > count);
    let (message, label) = match beyond {
        _ if weights.iter().all(|&weight| weight == 0.0) => {
            let label = "expected a weight for each rank, not all zero";
            ("all weights are zero".to_owned(), label)
        }
        Some(count) => {
            let message = format!("{} weights for {count} values", weights.len());
            (message, "at most one for each value")
        }
        None => return Some(weights),
    };
    reader.refuse_key("weights", message, label);
    None
}

fn read_top(reader: &Reader<'_>, kind: &FieldKind) -> Option<Vec<f64>> {
    let accepts = |share| share > 0.0 && share < 1.0;
    let top = numbers(reader, "top", "in (0, 1)", accepts)?;
    let sum: f64 = top.iter().sum();
    if sum >= 1.0 {
        let label = "must leave a share for the other ranks";
        reader.refuse_key("top", format!("the shares of `top` sum to {sum}"), label);
        return None;
    }
    if kind.count().is_some_and(|count| top.len() as u64 >= count) {
        let label = "expected fewer shares than values";
        reader.refuse_key("top", "`top` leaves no rank for the rest", label);
        return None;
    }
    Some(top)
}

fn read_normal(normal: &Reader<'_>, kind: &FieldKind) -> Option<LawShape> {
    let (mean, sd): (f64, f64) = normal.given("mean").zip(normal.given("sd"))?;
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
