//! Ranges of number fields that a reader knows: given as such, or because a derived field is known. Must not know keys' bytes.

use crate::key::{FieldSteps, StepCache};
use crate::record::{DerivedId, FieldId, Schema, TimeUnit};
use crate::time::{EpochNanos, SimDuration};
use crate::workload::ReadTarget;
use std::ops::Range;

/// How one range comes about.
#[derive(Debug, Clone)]
pub(super) struct BandRule {
    /// Its number field.
    pub field: FieldId,
    /// How far it goes.
    pub extent: Extent,
    /// The steps of the derived field that is meant, if one is: the range covers whole steps.
    pub grain: Option<FieldSteps>,
    /// That derived field.
    pub derived: Option<DerivedId>,
}

/// How far a range goes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Extent {
    /// The target's own value (with a grain: its step).
    Own,
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

    /// Sets the range of a field, which need not have one.
    pub fn set(&mut self, field: FieldId, range: Range<i64>) {
        match self.0.iter_mut().find(|(known, ..)| *known == field) {
            Some((_, low, high)) => (*low, *high) = (range.start, range.end),
            None => self.0.push((field, range.start, range.end)),
        }
    }

    /// Forgets the range of a field.
    pub fn remove(&mut self, field: FieldId) {
        self.0.retain(|(known, ..)| *known != field);
    }

    /// Cuts the range of a field down, or adds it; never to nothing.
    fn cut(&mut self, field: FieldId, range: Range<i64>) {
        match self.0.iter_mut().find(|(known, ..)| *known == field) {
            Some((_, low, high)) => {
                let (start, end) = ((*low).max(range.start), (*high).min(range.end));
                if start < end {
                    (*low, *high) = (start, end);
                }
            }
            None => self.0.push((field, range.start, range.end)),
        }
    }
}

/// Least value and the one after the greatest that a number field can have.
pub(super) fn domain(schema: &Schema, field: FieldId) -> Range<i64> {
    let kind = &schema.field(field).kind;
    if kind.is_number() {
        let (low, high) = schema.domain(field).int_range;
        return low..high.saturating_add(1);
    }
    let first = kind.first_slot();
    first..first.saturating_add_unsigned(kind.count().unwrap_or(u64::MAX))
}

impl BandRule {
    /// Works out the range at one read, for a record of the target; changes nothing in it in the end.
    pub fn resolve(
        &self,
        target: &ReadTarget<'_>,
        start: EpochNanos,
        domain: Range<i64>,
        record: &mut [i64],
        buffers: &mut StepCache,
        bands: &mut Bands,
    ) {
        let slot = usize::from(self.field.0);
        let own = record[slot];
        let wanted = match self.extent {
            Extent::Own => own..own.saturating_add(1),
            Extent::Last { unit, last, ago } => {
                let now = start.at(target.at);
                let value = |length: SimDuration| unit.floor(now.before(length));
                // The earliest instant is left out, the latest is not.
                let (low, high) = (value(ago + last), value(ago));
                low.saturating_add(1)..high.saturating_add(1)
            }
            Extent::Span(values) if self.grain.is_none() => {
                own..own.saturating_add_unsigned(values.max(1))
            }
            Extent::Span(_) => own..own.saturating_add(1),
        };
        // At least one value of the field, the nearest.
        let low = wanted.start.clamp(domain.start, domain.end - 1);
        let high = wanted
            .end
            .clamp(low.saturating_add(1), domain.end.max(low + 1));
        let mut range = low..high;
        if let Some(grain) = &self.grain {
            record[slot] = range.end - 1;
            let mut last = grain.window(record, domain.clone(), buffers);
            if let Extent::Span(steps) = self.extent {
                for _ in 1..steps {
                    if last.end >= domain.end {
                        break;
                    }
                    record[slot] = last.end;
                    last = grain.window(record, domain.clone(), buffers);
                }
            }
            record[slot] = range.start;
            range = grain.window(record, domain, buffers).start..last.end;
            record[slot] = own;
        }
        bands.cut(self.field, range);
    }
}
