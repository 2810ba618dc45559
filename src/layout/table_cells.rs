//! The cells of a sampled table: whole rows, each with all its cells. Must not know what they weigh.
//!
//! A sample of writes has one cell a row where the table may have thousands. So rows are sampled, and the cells of each are made: from records of other
//! writes of the sample with what the row key tells of this one, their timestamps spread evenly over the time that one row key covers. A table that
//! is sampled whole has the cells of its own writes.

use super::key_sample::{KeySample, KeyedTable, Parts, millis, phase, unit, written_at};
use super::row_columns::{CellFill, RowColumn};
use crate::cluster::{CellSpec, ValueSpec};
use crate::key::{KeyPlan, Row, StepCache};
use crate::query::RowIdentity;
use crate::random::mix;
use crate::record::{FieldId, FieldKind};
use crate::scenario::Setup;
use crate::storage::{Cell, Value};
use crate::time::EpochNanos;
use crate::workload::{Write, WriteKind};
use smallvec::SmallVec;
use std::ops::Range;

/// A sampled write: its row key, when its cells were written in milliseconds, which of the samples it is of, and its position there.
pub(super) type SampledWrite<'a> = (&'a [u8], u64, usize, usize);

/// How many cells are made of each row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fill {
    /// With different qualifiers, of all that a row has; a row that is longer than its share of the sample is made in part.
    pub cells: (f64, f64),
    /// Each of them, where all columns are filled alike.
    pub each: CellFill,
}

/// Cells with the bytes that they are made of.
#[derive(Debug, Default)]
pub(super) struct TableCells {
    bytes: Vec<u8>,
    cells: Vec<CellAt>,
}

#[derive(Debug)]
struct CellAt {
    row: Range<u32>,
    qualifier: Range<u32>,
    timestamp: u64,
    value: ValueAt,
    /// Which one it is of all that were written.
    number: u64,
}

#[derive(Debug)]
enum ValueAt {
    Bytes(Range<u32>),
    Stated { bytes: u64, entropy: f64 },
}

impl TableCells {
    /// The cells of these writes, which come in the order of their rows, alone; or, with `fill`, of whole rows, of which each write stands for one. Sorted, and what
    /// a major compaction leaves of them; that some have expired is not looked at.
    pub fn of(
        table: &KeyedTable<'_>,
        parts: &Parts,
        writes: &[SampledWrite<'_>],
        (fill, columns): (Option<Fill>, &[(&RowColumn, CellFill)]),
        versions: u32,
    ) -> Self {
        let (setup, qualifier) = (table.setup(), table.strategy.qualifier.as_deref());
        let of_table = setup.table.cells_of(0);
        let mut out = Self {
            bytes: Vec::new(),
            cells: Vec::with_capacity(writes.len()),
        };
        let mut mates = Mates::of(table);
        let source_of = |part: usize, at: usize| {
            let write = usize::from(parts[part].batch.writes[at].0);
            Some(write).filter(|write| *write < setup.written.len())
        };
        let sources = || writes.iter().map(|(.., part, at)| source_of(*part, *at));
        // Of the rows so far, how many more have a column beside than were made with it.
        let mut beside: Vec<(f64, f64)> = (0..)
            .zip(columns)
            .map(|(nth, (column, _))| (column.more_often(sources()), unit(mix(nth))))
            .collect();
        for (number, &(row, written, part, at)) in (0..).zip(writes) {
            let sample = &parts[part];
            let row = out.write(|bytes| bytes.extend_from_slice(row));
            let own: Made = (SmallVec::from_slice(sample.record(at)), written, at);
            let write = usize::from(sample.batch.writes[at].0);
            // Rows that exist were put, whatever the first write of the file does.
            let is_delete = |it: &Write| it.kind == WriteKind::Delete;
            let is_delete = setup.workload.writes.get(write).is_some_and(is_delete);
            let written = setup.written.get(write).filter(|_| !is_delete);
            let specs = &written.unwrap_or(&of_table).cells;
            let Some(fill) = fill else {
                let name = qualifier.map(|plan| out.plan(plan, sample, &own));
                out.add((&row, name), specs.iter(), sample, &[own]);
                continue;
            };
            let draw = |cell: u64, again: u64| mix(mix(mix(number) ^ cell) ^ again);
            // What other writes have put there.
            let source = source_of(part, at);
            let others = columns.iter().zip(&mut beside);
            let others = others.filter_map(|((of, fill), (more_often, due))| {
                *due += (of.beside_of(source) * *more_often).min(1.0);
                let is_due = *due >= 1.0;
                *due -= f64::from(u8::from(is_due));
                is_due.then_some((&of.cell, *fill))
            });
            let own_specs = specs.iter().map(|spec| {
                let mut of = columns.iter().filter(|(column, _)| column.is_of(spec));
                (spec, of.next().map_or(fill.each, |(_, fill)| *fill))
            });
            let specs: SmallVec<[(&CellSpec, CellFill); 4]> = own_specs.chain(others).collect();
            let slots = mates.slots(&own.0);
            let steps = slots
                .as_ref()
                .map_or(1, |(_, slots)| slots.end - slots.start);
            let places = Places {
                phase: phase(sample, at, setup, part == 1),
                cells: (whole(fill.cells.0, draw(0, 1)), fill.cells.1),
                steps: steps as f64,
            };
            for (cell, place) in (0..).zip(places.drawn_by(|cell| unit(draw(cell, 2)))) {
                let mate = |again| mates.mate((parts, part, at), &slots, place, draw(cell, again));
                let first = match fill.cells.1 > 1.0 {
                    true => mate(3),
                    false => own.clone(),
                };
                let name = qualifier.map(|plan| out.plan(plan, sample, &first));
                let first_ms = first.1;
                for specs in specs.chunk_by(|a, b| a.1 == b.1) {
                    let fill = specs[0].1;
                    let times = fill.values;
                    let later = (1..whole(times, draw(cell, 4)).max(1)).map(|again| {
                        let before = again as f64 * mates.all_ms as f64 / times;
                        let (record, _, at) = mate(4 + again);
                        (record, first_ms.saturating_sub(before as u64), at)
                    });
                    let own = std::iter::once(first.clone());
                    let made: SmallVec<[Made; 1]> = own.chain(later).collect();
                    let together = if fill.grows { made.len() } else { 1 };
                    for made in made.chunks(together) {
                        let specs = specs.iter().map(|(spec, _)| *spec);
                        out.add((&row, name.clone()), specs, sample, made);
                    }
                }
            }
        }
        let Self { bytes, cells } = &mut out;
        let row = |at: &CellAt| &bytes[at.row.start as usize..at.row.end as usize];
        let rows = cells.chunk_by_mut(|a, b| a.row == b.row || row(a) == row(b));
        let name = |at: &CellAt| &bytes[at.qualifier.start as usize..at.qualifier.end as usize];
        // As a store has puts of one row: the newest first.
        let order = |a: &CellAt, b: &CellAt| {
            let names = name(a).cmp(name(b));
            names.then(b.timestamp.cmp(&a.timestamp))
        };
        rows.for_each(|row| row.sort_by(order));
        (0..)
            .zip(&mut *cells)
            .for_each(|(number, it)| it.number = number);
        let is_of = |a: &CellAt, b: &CellAt| row(a) == row(b) && name(a) == name(b);
        if !cells.windows(2).any(|pair| is_of(&pair[0], &pair[1])) {
            return out;
        }
        // Of those with one timestamp the first is kept, and of a column as many of these as there are versions.
        cells.dedup_by(|next, kept| is_of(next, kept) && next.timestamp == kept.timestamp);
        let columns = cells.chunk_by(is_of);
        let places: Vec<u32> = columns.flat_map(|of| 0..of.len() as u32).collect();
        let mut places = places.into_iter();
        cells.retain(|_| places.next().is_some_and(|place| place < versions));
        out
    }

    /// What these writes leave of one column, or of those that a write says.
    fn add<'s>(
        &mut self,
        (row, name): (&Range<u32>, Option<Range<u32>>),
        specs: impl Iterator<Item = &'s CellSpec>,
        sample: &KeySample,
        made: &[Made],
    ) {
        for spec in specs {
            let own = spec.qualifier.as_bytes();
            let cell = CellAt {
                row: row.clone(),
                qualifier: match &name {
                    Some(name) => name.clone(),
                    None => self.write(|bytes| bytes.extend_from_slice(own)),
                },
                timestamp: made[0].1,
                value: self.value(&spec.value, sample, made),
                number: 0,
            };
            self.cells.push(cell);
        }
    }

    fn write(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Range<u32> {
        let start = self.bytes.len() as u32;
        write(&mut self.bytes);
        start..self.bytes.len() as u32
    }

    fn plan(&mut self, plan: &KeyPlan, sample: &KeySample, (record, _, at): &Made) -> Range<u32> {
        let row = Row {
            record,
            ..sample.row(*at)
        };
        self.write(|bytes| plan.write(&row, bytes))
    }

    /// What these writes leave in one cell.
    fn value(&mut self, spec: &ValueSpec, sample: &KeySample, made: &[Made]) -> ValueAt {
        match spec {
            ValueSpec::Size { bytes, entropy } => ValueAt::Stated {
                bytes: bytes * made.len() as u64,
                entropy: entropy.unwrap_or(1.0),
            },
            ValueSpec::Expr(plan) => {
                let start = self.bytes.len() as u32;
                let end = made.iter().map(|made| self.plan(plan, sample, made).end);
                let end = end.max();
                ValueAt::Bytes(start..end.unwrap_or(start))
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = Cell<'_>> {
        self.cells.iter().map(|at| cell(&self.bytes, at))
    }
}

fn cell<'a>(bytes: &'a [u8], at: &CellAt) -> Cell<'a> {
    let part = |range: &Range<u32>| &bytes[range.start as usize..range.end as usize];
    let value = match &at.value {
        ValueAt::Bytes(range) => Value::Bytes(part(range)),
        ValueAt::Stated { bytes, entropy } => Value::Stated {
            bytes: *bytes,
            entropy: *entropy,
            number: at.number,
        },
    };
    Cell::put(part(&at.row), part(&at.qualifier), at.timestamp, value)
}

/// A record of a write, the time of its cells in milliseconds, and the position in its sample of the one that it was made from.
type Made = (SmallVec<[i64; 8]>, u64, usize);

/// The slots of a timestamp that one row key covers.
type Slots = Option<(usize, Range<i64>)>;

/// What other writes of a row may be like.
struct Mates<'a> {
    setup: &'a Setup,
    /// What the row key tells, which they share.
    told: Vec<FieldId>,
    identity: RowIdentity,
    cache: StepCache,
    /// A timestamp that the key says nothing of.
    time: Slots,
    /// All times of the table.
    all_ms: u64,
}

impl<'a> Mates<'a> {
    fn of(table: &KeyedTable<'a>) -> Self {
        let (key, setup) = (table.key, table.setup());
        let told = key.told_fields(0..key.segments().len());
        let (first, last) = setup.schema.time_range;
        let time = setup
            .schema
            .fields
            .iter()
            .enumerate()
            .find_map(|(at, field)| {
                let FieldKind::Timestamp { unit, .. } = field.kind else {
                    return None;
                };
                let slot = |time: EpochNanos| time.0.div_euclid(unit.nanos());
                Some((at, slot(first)..slot(last) + 1))
            });
        Self {
            setup,
            time: time.filter(|(at, _)| !told.contains(&FieldId(*at as u16))),
            told,
            identity: RowIdentity::of(key, &setup.schema),
            cache: StepCache::default(),
            all_ms: last.0.abs_diff(first.0) / 1_000_000,
        }
    }

    fn slots(&mut self, record: &[i64]) -> Slots {
        let step = self.identity.step(&mut record.to_vec(), &mut self.cache);
        let step = step
            .window()
            .map(|(field, slots)| (usize::from(field.0), slots));
        step.or_else(|| self.time.clone())
    }

    /// Another write of a row, `place` of the way through the time that its key covers.
    fn mate(
        &self,
        (parts, part, at): (&Parts, usize, usize),
        slots: &Slots,
        place: f64,
        draw: u64,
    ) -> Made {
        let sample = &parts[part];
        let other = (draw % sample.len() as u64) as usize;
        let mut record = SmallVec::from_slice(sample.record(other));
        for field in &self.told {
            record[usize::from(field.0)] = sample.slot(*field, at);
        }
        let Some((field, slots)) = slots else {
            let time = written_at(sample, other, self.setup, part == 1);
            return (record, time, other);
        };
        record[*field] = slots.start + (place * (slots.end - slots.start) as f64) as i64;
        let [start, end] =
            [slots.start, slots.end].map(|slot| millis(&self.setup.schema, *field, slot));
        let time = start + (place * (end - start) as f64) as u64;
        (record, time, other)
    }
}

/// Where the cells of one row lie in the time that its key covers.
struct Places {
    /// They come in turns, this part of a turn after its beginning; else each may come in any step of time.
    phase: Option<f64>,
    /// So many are made, of all that the row has.
    cells: (u64, f64),
    /// Steps of time that cells can be told apart by.
    steps: f64,
}

impl Places {
    /// As parts of that time. Drawn ones: from any of its steps on each of the others has one with the same probability, so that gaps are geometric.
    fn drawn_by(self, draw: impl Fn(u64) -> f64) -> impl Iterator<Item = f64> {
        let Self {
            phase,
            cells: (made, all),
            steps,
        } = self;
        // More cells than steps are told apart by something else.
        let is_drawn = phase.is_none() && all < steps;
        let others = libm::log1p(-(all - 1.0) / (steps - 1.0));
        // Where all are made, they are as many as come.
        let most = match is_drawn && made as f64 + 1.0 > all {
            true => u64::MAX,
            false => made,
        };
        // Turns at the beginning of a step are not rounded to the one before.
        let phase = phase.unwrap_or_else(|| draw(0)).max(1e-6);
        let mut walked = 0.0;
        let places = (0..most).map(move |cell| {
            if !is_drawn {
                return (cell as f64 + phase) / all.max(made as f64);
            }
            if cell > 0 {
                walked += 1.0 + (libm::log1p(-draw(cell)) / others).max(0.0).trunc();
            }
            if walked >= steps {
                return 1.0;
            }
            let slot = (walked + (draw(u64::MAX) * steps).trunc()) % steps;
            (slot + draw(u64::MAX - 1 - cell)) / steps
        });
        places.take_while(|place| *place < 1.0)
    }
}

/// A whole number whose mean is `number`.
fn whole(number: f64, hash: u64) -> u64 {
    number as u64 + u64::from(unit(hash) < number.fract())
}
