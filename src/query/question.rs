//! What a read knows and wants, worked out for one key. Must not know how the key serves it.

use super::band::{BandRule, Bands, Extent, domain};
use crate::key::{KeyPlan, Knowledge, StepCache};
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{DerivedId, FieldId, KnownField, Schema};
use crate::time::EpochNanos;
use crate::workload::{PageVia, RangeExtent, Read, ReadTarget, WithinValues};
use std::ops::Range;

/// A read.
#[derive(Debug, Clone)]
pub(super) struct Question {
    /// Fields of which one value is known.
    pub known: Knowledge,
    /// Fields of which several values are known, in the read's order; `None` in place of one that is known besides.
    pub lists: Vec<FieldId>,
    /// How many values each list is expected to have.
    pub list_lens: Vec<f64>,
    /// Ranges that are known.
    pub bands: Vec<BandRule>,
    /// Known derived fields that bound no number field.
    pub derived: Vec<DerivedId>,
    /// The share of all rows that have one value of each of those.
    pub shares: f64,
    /// Only some of the rows are wanted, by order.
    pub order: Option<Order>,
    /// An index outside names so many rows.
    pub by_index: Option<u32>,
    /// Domains of the number fields, by field.
    pub domains: Vec<Range<i64>>,
    /// The run's start.
    pub start: EpochNanos,
    /// For what is drawn in a key, where it is of no account.
    pub draws: DrawKey,
}

/// Rows wanted by the order of a field, greatest values first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Order {
    /// The number field.
    pub field: FieldId,
    /// The derived field that is meant, if one is.
    pub derived: Option<DerivedId>,
    /// Rows that are skipped: passed by a cursor or read and dropped.
    pub skipped: u64,
    /// The reader starts behind the skipped rows.
    pub by_cursor: bool,
    /// Rows that are returned.
    pub rows: u64,
    /// The derived field falls where its field rises.
    pub falling: bool,
}

/// Expected number of values where a list holds all that go with the known fields: nothing better is known before.
const ALL_OF_A_LIST: f64 = 16.0;

impl Question {
    pub fn new(key: &KeyPlan, read: &Read, schema: &Schema, start: EpochNanos) -> Self {
        let mut known = Knowledge::default();
        for field in &read.equal {
            known.learn(*field);
        }
        for (field, _) in &read.with {
            known.learn(KnownField::Stored(*field));
        }
        let mut bands = Vec::new();
        let (mut others, mut shares) = (Vec::new(), 1.0);
        if let Some(range) = &read.range
            && let Some(band) = range_rule(key, range.field, range.extent, schema)
            && !known.knows(band.field)
        {
            bands.push(band);
        }
        for &derived in known.derived() {
            let Some(derivation) = key.derivation(derived) else {
                continue;
            };
            if derivation.fields().iter().all(|field| known.knows(*field)) {
                continue;
            }
            match derivation.follows() {
                Some((grain, _)) => bands.push(BandRule {
                    field: grain.field(),
                    extent: Extent::Own,
                    grain: Some(grain.clone()),
                    derived: Some(derived),
                }),
                None => {
                    others.push(derived);
                    shares /= derivation.cardinality().unwrap_or(1).max(1) as f64;
                }
            }
        }
        let list_lens = read.within.iter().map(|list| match list.values {
            WithinValues::Count(count) => f64::from(count),
            WithinValues::All => ALL_OF_A_LIST,
        });
        let fields = 0..schema.fields.len();
        Self {
            lists: read.within.iter().map(|list| list.field).collect(),
            list_lens: list_lens.collect(),
            bands,
            derived: others,
            shares,
            order: order(key, read),
            by_index: read
                .page
                .as_ref()
                .and_then(|page| (page.via == PageVia::Index).then_some(page.size)),
            domains: fields
                .map(|at| domain(schema, FieldId(at as u16)))
                .collect(),
            known,
            start,
            draws: DrawKey::new(Seed(0), 0, Stream::Keys, 0),
        }
    }

    /// The domain of a number field.
    pub fn domain(&self, field: FieldId) -> Range<i64> {
        self.domains[usize::from(field.0)].clone()
    }

    /// Is a range of the field known?
    pub fn has_band(&self, field: FieldId) -> bool {
        self.bands.iter().any(|band| band.field == field)
    }

    /// The ranges of one read.
    pub fn resolve(
        &self,
        target: &ReadTarget<'_>,
        record: &mut [i64],
        buffers: &mut StepCache,
        bands: &mut Bands,
    ) {
        bands.0.clear();
        for rule in &self.bands {
            let domain = self.domain(rule.field);
            rule.resolve(target, self.start, domain, record, buffers, bands);
        }
    }
}

fn range_rule(
    key: &KeyPlan,
    field: KnownField,
    extent: RangeExtent,
    schema: &Schema,
) -> Option<BandRule> {
    let (field, grain, derived) = match field {
        KnownField::Stored(field) => (field, None, None),
        KnownField::Derived(derived) => {
            let (grain, _) = key.derivation(derived)?.follows()?;
            (grain.field(), Some(grain.clone()), Some(derived))
        }
    };
    let extent = match extent {
        RangeExtent::Last { last, ago } => Extent::Last {
            unit: schema.domain(field).time_unit?,
            last,
            ago,
        },
        RangeExtent::Span(values) => Extent::Span(values),
    };
    Some(BandRule {
        field,
        extent,
        grain,
        derived,
    })
}

fn order(key: &KeyPlan, read: &Read) -> Option<Order> {
    let (field, skipped, by_cursor, rows) = match (&read.newest, &read.page) {
        (Some(newest), _) => (newest.field, 0, false, u64::from(newest.rows)),
        (None, Some(page)) => {
            let skipped = u64::from(page.size) * u64::from(page.number.max(1) - 1);
            let by_cursor = page.via == PageVia::Cursor;
            (page.field, skipped, by_cursor, u64::from(page.size))
        }
        (None, None) => return None,
    };
    let (field, derived, falling) = match field {
        KnownField::Stored(field) => (field, None, false),
        KnownField::Derived(derived) => {
            let (grain, rising) = key.derivation(derived)?.follows()?;
            (grain.field(), Some(derived), !rising)
        }
    };
    Some(Order {
        field,
        derived,
        skipped,
        by_cursor,
        rows,
        falling,
    })
}
