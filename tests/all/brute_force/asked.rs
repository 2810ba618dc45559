//! Random reads in pieces that shrink well, and which rows satisfy them, by arithmetic of their own.

use crate::brute_force::table::{A, B, C, D, DAY, DAYS, HOUR, TS, derived_value};
use crate::schema_parts::{START, read};
use keyheat::record::{DerivedId, FieldId, KnownField};
use keyheat::time::SimDuration;
use keyheat::workload::{
    Newest, Page, PageVia, RangeExtent, Read, ReadRange, ReadTarget, Within, WithinValues,
};
use proptest::prelude::*;

/// A read in pieces that shrink well.
#[derive(Debug, Clone)]
pub struct Asked {
    equal: Vec<u8>,
    list: Option<(u8, u32)>,
    range: Option<(u8, u64)>,
    order: Option<(u8, u32, u8)>,
}

impl Asked {
    /// It has a list of values.
    pub fn is_list(&self) -> bool {
        self.list.is_some()
    }

    /// Those fields, and nothing more.
    pub fn equal(fields: &[&str]) -> Self {
        let names = ["a", "b", "c", "d", "ts", "day", "hour", "quad"];
        let which = |field: &&str| names.iter().position(|name| name == field);
        let equal = fields.iter().flat_map(which).map(|which| which as u8);
        Self {
            equal: equal.collect(),
            list: None,
            range: None,
            order: None,
        }
    }
}

impl Asked {
    /// It knows what rows of other values have as well, as chance has it.
    pub fn is_by_chance(&self) -> bool {
        self.equal.iter().any(|which| *which >= 8)
    }
}

fn known(which: u8) -> KnownField {
    match which {
        0 => KnownField::Stored(A),
        1 => KnownField::Stored(B),
        2 => KnownField::Stored(C),
        3 => KnownField::Stored(D),
        4 => KnownField::Stored(TS),
        other => KnownField::Derived(DerivedId(u16::from(other) - 5)),
    }
}

pub fn asked() -> impl Strategy<Value = Asked> {
    (
        prop::collection::vec(0u8..8, 0..4),
        prop::option::of((0u8..3, 1u32..6)),
        prop::option::of((0u8..7, 1u64..9)),
        prop::option::of((0u8..4, 1u32..12, 0u8..3)),
    )
        .prop_map(|(equal, list, range, order)| Asked {
            equal,
            list,
            range,
            order,
        })
}

/// The beginning of `b`, the end of `c` or both, and perhaps `a`.
pub fn beginnings() -> impl Strategy<Value = Asked> {
    (
        prop::sample::subsequence(vec![8u8, 9, 0], 1..=3),
        prop::option::of((0u8..3, 1u32..6)),
        prop::option::of((Just(0u8), 1u32..12, 0u8..3)),
    )
        .prop_map(|(equal, list, order)| Asked {
            equal,
            list,
            range: None,
            order,
        })
}

/// The newest rows of one `a`, perhaps of a range of time.
pub fn newest() -> impl Strategy<Value = Asked> {
    let range = prop::option::of((2u8..6, 1u64..9));
    (range, (Just(0u8), 1u32..12, 0u8..3)).prop_map(|(range, order)| Asked {
        equal: vec![0],
        list: None,
        range,
        order: Some(order),
    })
}

/// A range of the time of one `a`, perhaps in an order.
pub fn ranges() -> impl Strategy<Value = Asked> {
    let order = prop::option::of((prop::sample::select(vec![0u8, 2]), 1u32..12, 0u8..3));
    ((2u8..6, 1u64..9), order).prop_map(|(range, order)| Asked {
        equal: vec![0],
        list: None,
        range: Some(range),
        order,
    })
}

pub fn to_read(asked: &Asked) -> Read {
    let mut to = read();
    to.equal = asked.equal.iter().map(|which| known(*which)).collect();
    to.equal.sort();
    to.equal.dedup();
    let is_known = |field: FieldId| to.equal.contains(&KnownField::Stored(field));
    if let Some((which, count)) = asked.list {
        let field = [A, B, C][usize::from(which)];
        if !is_known(field) {
            to.within.push(Within {
                field,
                values: WithinValues::Count(count),
            });
        }
    }
    if let Some((which, length)) = asked.range {
        let span = RangeExtent::Span(length);
        let last = RangeExtent::Last {
            last: SimDuration::from_secs(length * 1_800),
            ago: SimDuration::from_secs(7_200),
        };
        let (field, extent) = match which {
            0 => (KnownField::Stored(A), span),
            1 => (KnownField::Stored(C), span),
            2 => (KnownField::Stored(TS), RangeExtent::Span(length * 600_000)),
            3 => (KnownField::Stored(TS), last),
            4 => (KnownField::Derived(DerivedId(0)), RangeExtent::Span(2)),
            6 => (KnownField::Stored(D), span),
            _ => (KnownField::Derived(DerivedId(1)), last),
        };
        let base = match field {
            KnownField::Stored(field) => field,
            KnownField::Derived(_) => TS,
        };
        let listed = to.within.iter().any(|list| list.field == base);
        // One range a field: a derived field of it is another.
        let derived_too = to.equal.iter().any(|field| {
            matches!(field, KnownField::Derived(DerivedId(derived)) if (base == TS) == (*derived < 2))
        });
        if !is_known(base) && !listed && !derived_too {
            to.range = Some(ReadRange { field, extent });
        }
    }
    if let Some((which, rows, how)) = asked.order {
        let field = [
            KnownField::Stored(TS),
            KnownField::Stored(C),
            KnownField::Derived(DerivedId(0)),
            KnownField::Stored(D),
        ][usize::from(which)];
        if how == 0 {
            to.newest = Some(Newest { field, rows });
        } else {
            to.page = Some(Page {
                field,
                size: rows,
                number: u32::from(how),
                via: PageVia::Offset,
            });
        }
    }
    to
}

/// Does a row satisfy the read? By arithmetic of our own.
pub fn satisfies(read: &Read, target: &ReadTarget<'_>, record: &[i64]) -> bool {
    let value = |field: KnownField, record: &[i64]| match field {
        KnownField::Stored(field) => record[usize::from(field.0)],
        KnownField::Derived(derived) => derived_value(usize::from(derived.0), record),
    };
    let equal = read
        .equal
        .iter()
        .all(|field| value(*field, record) == value(*field, target.record));
    let listed = read
        .within
        .iter()
        .all(|list| target.within.contains(&record[usize::from(list.field.0)]));
    let in_range = read.range.as_ref().is_none_or(|range| match range.extent {
        RangeExtent::Span(length) => {
            let own = value(range.field, target.record);
            (own..own + length as i64).contains(&value(range.field, record))
        }
        RangeExtent::Last { last, ago } => {
            let now = START.0 / 1_000_000 + DAYS * DAY;
            let end = now - (ago.as_secs_f64() * 1e3) as i64;
            let start = end - (last.as_secs_f64() * 1e3) as i64;
            match range.field {
                KnownField::Stored(_) => (start + 1..=end).contains(&record[4]),
                // Whole hours.
                KnownField::Derived(_) => ((start + 1).div_euclid(HOUR)..=end.div_euclid(HOUR))
                    .contains(&record[4].div_euclid(HOUR)),
            }
        }
    });
    equal && listed && in_range
}
