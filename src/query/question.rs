//! What a read knows and wants, worked out for one key, and the ranges of number fields that it knows: given as such, or because a
//! derived field is known. Must not know how the key serves it.

use super::row_identity::RowIdentity;
use crate::key::{Coincidences, FieldSteps, KeyPlan, Knowledge, Randomness, StepCache};
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{DerivedId, FieldId, FieldKind, KnownField, Schema, TimeUnit};
use crate::time::{EpochNanos, SimDuration, SimTime};
use crate::workload::{PageVia, RangeExtent, Read, ReadTarget};
use std::ops::Range;
use std::sync::Arc;

/// The keys of a table, and how many cells it keeps under them.
#[derive(Debug, Clone)]
pub struct TableKeys {
    /// Its row key.
    pub key: Arc<KeyPlan>,
    /// The row key with the qualifier behind it, which tells one cell of a row from another; the row key itself without one.
    pub cell_key: Arc<KeyPlan>,
    /// Cells of one write, > 0.
    pub cells_of_a_write: f64,
    /// The same of the table's writes of all kinds.
    pub cells_of_any: f64,
    /// Versions of a cell that are kept, > 0.
    pub versions: u32,
}

impl From<&Arc<KeyPlan>> for TableKeys {
    /// One cell a row, in one version.
    fn from(key: &Arc<KeyPlan>) -> Self {
        Self {
            key: key.clone(),
            cell_key: key.clone(),
            cells_of_a_write: 1.0,
            cells_of_any: 1.0,
            versions: 1,
        }
    }
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    Rows,
    Cells,
}

/// A read of a table with one key.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub key: Arc<KeyPlan>,
    /// The key is cut where the reader's knowledge of the beginnings of texts ends.
    pub is_cut: bool,
    /// Which rows are the same under the key.
    pub identity: RowIdentity,
    /// Key and qualifier, and which cells are the same under it; `None` without a qualifier, where a row has the cells of one write.
    pub cell_key: Option<Arc<KeyPlan>>,
    pub cell_identity: Option<RowIdentity>,
    /// Cells of one write.
    pub cells_of_a_write: f64,
    /// The same of the table's writes of all kinds.
    pub cells_of_any: f64,
    /// Versions of a cell that are kept, and of them those that are asked for.
    pub kept: u32,
    pub versions: u32,
    /// Its order is one of times.
    pub by_time: bool,
    /// The timestamp of which a range is known that may end before the read, where cells may have been written again since.
    pub written_since: Option<FieldId>,
    /// Names of all fields, for words.
    pub names: Vec<String>,
    /// Fields of which one value is known.
    pub known: Knowledge,
    /// Fields of which several values are known, in the read's order; `None` in place of one that is known besides.
    pub lists: Vec<FieldId>,
    /// Of these, those whose values rows have that are there.
    pub lists_of_rows: Vec<FieldId>,
    /// Fields whose values a law gives, and those whose value the reader always asks for, whatever rows have of them.
    pub picked: Vec<FieldId>,
    pub fixed: Vec<FieldId>,
    /// Ranges that are known.
    pub bands: Vec<BandRule>,
    /// Known derived fields that bound no number field.
    pub derived: Vec<DerivedId>,
    /// What they are made of: fields that are not known otherwise, and number fields in steps.
    pub made_of: (Vec<FieldId>, Vec<FieldSteps>),
    /// How often rows that differ in these have the same values of those derived fields.
    pub coincidences: Coincidences,
    /// Only some of the rows are wanted, by order.
    pub order: Option<Order>,
    /// An index outside names so many rows.
    pub by_index: Option<u32>,
    /// Fields that what is known of stored ones decides.
    pub decided: Vec<FieldId>,
    /// Of these, what the key tells of rows that may have other values of the known ones later: rows of other values are none of those.
    pub told_besides: Vec<FieldId>,
    /// Fields of which one value is drawn for each combination of others, with these others; each behind those.
    pub dependents: Vec<(FieldId, Vec<FieldId>)>,
    /// Domains of the number fields, by field, with the units of those that carry the instants of writes.
    domains: Vec<(Range<i64>, Option<TimeUnit>)>,
    /// The run's start.
    start: EpochNanos,
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

/// How one range comes about.
#[derive(Debug, Clone)]
pub(super) struct BandRule {
    /// Its number field.
    pub field: FieldId,
    extent: Extent,
    /// The steps of the derived field that is meant, if one is: the range covers whole steps.
    grain: Option<FieldSteps>,
    /// That derived field.
    pub derived: Option<DerivedId>,
}

/// How far a range goes.
#[derive(Debug, Clone, Copy)]
enum Extent {
    /// Up to so long before the read.
    Last {
        unit: TimeUnit,
        last: SimDuration,
        ago: SimDuration,
    },
    /// So many values (with a grain: steps) from the target's own on.
    Span(u64),
}

/// Ranges at one instant, at most one a field.
#[derive(Debug, Clone, Default)]
pub(super) struct Bands(pub Vec<(FieldId, i64, i64)>);

impl Bands {
    /// The range of a field.
    pub fn of(&self, field: FieldId) -> Option<Range<i64>> {
        let band = self.0.iter().find(|(known, ..)| *known == field);
        band.map(|&(_, low, high)| low..high)
    }

    /// Sets the range of a field, which need not have one, or forgets it.
    pub fn set(&mut self, field: FieldId, range: Option<Range<i64>>) {
        let place = self.0.iter().position(|(known, ..)| *known == field);
        match (place, range) {
            (Some(at), Some(range)) => self.0[at] = (field, range.start, range.end),
            (None, Some(range)) => self.0.push((field, range.start, range.end)),
            (Some(at), None) => {
                self.0.remove(at);
            }
            (None, None) => {}
        }
    }

    /// What a range has in common with that of the field, if it has one.
    pub fn within(&self, field: FieldId, range: Range<i64>) -> Range<i64> {
        let own = self.of(field).unwrap_or_else(|| range.clone());
        own.start.max(range.start)..own.end.min(range.end)
    }
}

impl Question {
    /// All writes `follow` the law of a field whose values others decide.
    pub fn new(
        stored: &TableKeys,
        read: &Read,
        schema: &Schema,
        start: EpochNanos,
        follow: impl Fn(FieldId) -> bool,
    ) -> Self {
        let key = &stored.key;
        let mut known = Knowledge::default();
        for field in &read.equal {
            known.learn(*field);
        }
        for (field, _) in &read.with {
            known.learn(KnownField::Stored(*field));
        }
        key.learn_told(&mut known);
        let mut bands = Vec::new();
        let (mut others, mut made_of) = (Vec::new(), (Vec::new(), Vec::new()));
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
            if derivation.fields().iter().all(|field| known.knows(*field))
                || key.is_shorter(derived, &known)
            {
                continue;
            }
            match derivation.follows() {
                Some((grain, _)) => bands.push(BandRule {
                    field: grain.field,
                    extent: Extent::Span(1),
                    grain: Some(grain.clone()),
                    derived: Some(derived),
                }),
                None => {
                    let (whole, coarse): &mut (Vec<FieldId>, Vec<FieldSteps>) = &mut made_of;
                    coarse.extend_from_slice(&derivation.coarse);
                    let in_steps = |field: &FieldId| coarse.iter().any(|it| it.field == *field);
                    let fields = derivation.fields().iter().copied();
                    whole.extend(fields.filter(|it| !(known.knows(*it) || in_steps(it))));
                    others.push(derived);
                }
            }
        }
        made_of.0.sort_unstable();
        made_of.0.dedup();
        let stepped: Vec<FieldId> = made_of.1.iter().map(|it| it.field).collect();
        let given: Vec<DerivedId> = bands.iter().filter_map(|band| band.derived).collect();
        let by_index = read.page.as_ref().filter(|page| page.via == PageVia::Index);
        let fields = (0..schema.fields.len()).map(|at| FieldId(at as u16));
        let order = order(key, read);
        // The newest versions by time are there for the asking, by numbers that grow with it too, and those of a range of it.
        let is_time =
            |field: FieldId| matches!(schema.field(field).kind, FieldKind::Timestamp { .. });
        let grows = |field: FieldId| schema.field(field).kind.moves();
        let mut ranges = bands.iter().filter(|band| is_time(band.field));
        let newest = order.filter(|order| grows(order.field));
        let asked = match newest.map(|order| order.rows + order.skipped) {
            Some(newest) => u32::try_from(newest).unwrap_or(u32::MAX),
            None if ranges.clone().next().is_some() => u32::MAX,
            None => 1,
        };
        let cell_key = Some(&stored.cell_key).filter(|cells| !Arc::ptr_eq(cells, key));
        let identity = RowIdentity::of(key, schema);
        let cell_identity = cell_key.map(|key| RowIdentity::of(key, schema));
        let tells = |field| {
            cell_identity
                .as_ref()
                .unwrap_or(&identity)
                .tells_all_of(field)
        };
        let lists_of_rows = read.within.iter();
        let lists_of_rows = lists_of_rows.filter(|list| list.is_of_rows(read, schema));
        let dependents = schema.dependency_order().into_iter().filter_map(|id| {
            let field = schema.field(id);
            (!field.of.is_empty() && follow(id)).then(|| (id, field.of.clone()))
        });
        let dependents: Vec<_> = dependents.collect();
        let decided = decided_by(known.stored(), &dependents);
        let may_change = known.stored().iter().any(|it| identity.may_change(*it));
        let told = decided.iter().copied();
        let told = told.filter(|it| may_change && identity.tells_some_of(*it));
        let told = told.filter(|it| !known.knows(*it));
        let told_besides = told.collect();
        let written_since = ranges.find(|band| band.may_be_past() && !tells(band.field));
        Self {
            key: key.clone(),
            is_cut: false,
            written_since: written_since.map(|band| band.field),
            identity,
            cell_key: cell_key.cloned(),
            cell_identity,
            cells_of_a_write: stored.cells_of_a_write,
            cells_of_any: stored.cells_of_any,
            kept: stored.versions,
            versions: stored.versions.min(asked),
            by_time: order.is_some_and(|order| is_time(order.field)),
            names: schema
                .fields
                .iter()
                .map(|field| field.name.clone())
                .collect(),
            lists: read.within.iter().map(|list| list.field).collect(),
            lists_of_rows: lists_of_rows.map(|list| list.field).collect(),
            picked: read.picked_by_law().collect(),
            fixed: read.with.iter().map(|(field, _)| *field).collect(),
            bands,
            coincidences: key.coincidences_of_derived(
                (&others, &given),
                (&stepped, known.stored()),
                schema,
                |field| !known.knows(*field),
            ),
            derived: others,
            made_of,
            order,
            by_index: by_index.map(|page| page.size),
            decided,
            told_besides,
            dependents,
            domains: fields
                .map(
                    |id| match (&schema.field(id).kind, &schema.field(id).column) {
                        (FieldKind::Timestamp { unit, .. }, None) => {
                            (schema.slots(id), Some(*unit))
                        }
                        _ => (schema.slots(id), None),
                    },
                )
                .collect(),
            known,
            start,
            draws: DrawKey::new(Seed(0), 0, Stream::Keys, 0),
        }
    }

    /// The same of the keys cut where the knowledge of the beginnings of texts ends; `None` where that cuts nothing.
    pub fn cut(&self) -> Option<Self> {
        let cut = |key: &Arc<KeyPlan>| key.cut_where_known(&self.known).map(Arc::new);
        let (key, cell_key) = (cut(&self.key), self.cell_key.as_ref().and_then(cut));
        (key.is_some() || cell_key.is_some()).then(|| Self {
            key: key.unwrap_or(self.key.clone()),
            is_cut: true,
            cell_key: cell_key.or(self.cell_key.clone()),
            ..self.clone()
        })
    }

    /// Fields that the reader need not know, but that those which it knows decide, make all of a segment.
    pub fn is_decided(&self, segment: usize) -> bool {
        let segment = &self.key.segments()[segment];
        let (fields, is_plain) = (segment.fields(), segment.randomness() != Randomness::Random);
        is_plain && !fields.is_empty() && fields.iter().all(|field| self.decided.contains(field))
    }

    /// Whatever has the known values is one row.
    pub fn is_one_row(&self) -> bool {
        let others = self.lists.is_empty() && self.bands.is_empty() && self.derived.is_empty();
        let counted = self.order.is_some() || self.by_index.is_some();
        let is_told = |of: &RowIdentity| of.is_told_by(self.known.stored());
        let is_one_cell = self.cell_identity.as_ref().is_none_or(is_told);
        others && !counted && is_told(&self.identity) && is_one_cell
    }

    /// All rows with the values of the known fields are wanted, in one version, and there are no copies of them.
    pub fn wants_what_it_knows(&self) -> bool {
        let others = self.lists.is_empty() && self.bands.is_empty() && self.derived.is_empty();
        let all = self.order.is_none() && self.by_index.is_none() && self.versions <= 1;
        others && all && !self.identity.leaves_copies()
    }

    /// What tells rows or cells apart.
    pub fn identity_of(&self, of: Counted) -> &RowIdentity {
        let cells = self.cell_identity.as_ref().filter(|_| of == Counted::Cells);
        cells.unwrap_or(&self.identity)
    }

    /// The domain of a number field.
    pub fn domain(&self, field: FieldId) -> Range<i64> {
        self.domains[usize::from(field.0)].0.clone()
    }

    /// Values of a number field that rows may have at an instant: no time is later.
    pub fn domain_at(&self, field: FieldId, at: SimTime) -> Range<i64> {
        let (domain, unit) = &self.domains[usize::from(field.0)];
        let now = unit.map(|unit| unit.floor(self.start.at(at)));
        let end = now.map_or(domain.end, |now| domain.end.min(now.saturating_add(1)));
        domain.start..end.max(domain.start.saturating_add(1))
    }

    /// Does the reader know a range of the field?
    pub fn has_band(&self, field: FieldId) -> bool {
        self.bands.iter().any(|band| band.field == field)
    }

    pub fn name(&self, field: FieldId) -> String {
        self.names[usize::from(field.0)].clone()
    }

    /// The ranges of one read, for a record of the target, in which nothing is changed in the end.
    pub fn resolve(
        &self,
        target: &ReadTarget<'_>,
        record: &mut [i64],
        cache: &mut StepCache,
        bands: &mut Bands,
    ) {
        bands.0.clear();
        for rule in &self.bands {
            let domain = self.domain(rule.field);
            let now = self.start.at(target.at);
            let range = bands.within(rule.field, rule.range(now, domain, record, cache));
            if !range.is_empty() {
                bands.set(rule.field, Some(range));
            }
        }
    }
}

impl BandRule {
    /// It may end before the read.
    fn may_be_past(&self) -> bool {
        let ends_now = |ago: SimDuration| ago == SimDuration::ZERO && self.grain.is_none();
        !matches!(self.extent, Extent::Last { ago, .. } if ends_now(ago))
    }

    /// The range of one read.
    fn range(
        &self,
        now: EpochNanos,
        domain: Range<i64>,
        record: &mut [i64],
        cache: &mut StepCache,
    ) -> Range<i64> {
        let own = record[usize::from(self.field.0)];
        let wanted = match self.extent {
            Extent::Last { unit, last, ago } => {
                let value = |length: SimDuration| unit.floor(now.before(length));
                // The earliest instant is left out, the latest is not.
                let (low, high) = (value(ago + last), value(ago));
                low.saturating_add(1)..high.saturating_add(1)
            }
            Extent::Span(values) => {
                let values = match self.grain.is_none() {
                    true => values.max(1),
                    false => 1,
                };
                own..own.saturating_add_unsigned(values)
            }
        };
        // At least one value of the field, the nearest.
        let low = wanted.start.clamp(domain.start, domain.end - 1);
        let (least, most) = (low.saturating_add(1), domain.end.max(low + 1));
        let range = low..wanted.end.clamp(least, most);
        let Some(grain) = &self.grain else {
            return range;
        };
        let mut steps = grain.covering(range, record, domain.clone(), cache);
        if let Extent::Span(count) = self.extent {
            for _ in 1..count {
                if steps.end >= domain.end {
                    break;
                }
                let next = grain.window_of(steps.end, record, domain.clone(), cache);
                steps.end = next.end;
            }
        }
        steps
    }
}

/// The number field that is meant by a field, and if that is a derived one, which, its steps, and whether it rises.
struct Followed<'a> {
    field: FieldId,
    derived: Option<DerivedId>,
    grain: Option<&'a FieldSteps>,
    rising: bool,
}

/// Fields that these decide, directly or through others.
pub(super) fn decided_by(
    known: &[FieldId],
    dependents: &[(FieldId, Vec<FieldId>)],
) -> Vec<FieldId> {
    let mut decided: Vec<FieldId> = Vec::new();
    for (id, of) in dependents {
        if of
            .iter()
            .all(|it| known.contains(it) || decided.contains(it))
        {
            decided.push(*id);
        }
    }
    decided
}

/// `None` for a derived field that does not follow its only field.
fn followed(key: &KeyPlan, field: KnownField) -> Option<Followed<'_>> {
    let derived = match field {
        KnownField::Stored(field) => {
            return Some(Followed {
                field,
                derived: None,
                grain: None,
                rising: true,
            });
        }
        KnownField::Derived(derived) => derived,
    };
    let (grain, rising) = key.derivation(derived)?.follows()?;
    Some(Followed {
        field: grain.field,
        derived: Some(derived),
        grain: Some(grain),
        rising,
    })
}

fn range_rule(
    key: &KeyPlan,
    field: KnownField,
    extent: RangeExtent,
    schema: &Schema,
) -> Option<BandRule> {
    let followed = followed(key, field)?;
    let field = followed.field;
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
        grain: followed.grain.cloned(),
        derived: followed.derived,
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
    let followed = followed(key, field)?;
    Some(Order {
        field: followed.field,
        derived: followed.derived,
        skipped,
        by_cursor,
        rows,
        falling: !followed.rising,
    })
}
