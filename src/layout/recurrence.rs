//! After how long what a key tells of time comes again, so that new rows overwrite old ones. Must not know regions.

use crate::key::{KeyPlan, Randomness, Segment};
use crate::record::{FieldId, FieldKind};
use crate::scenario::Setup;
use crate::time::SimDuration;

/// Most buckets that a salt has: one byte, as `salt(n, x)` gives.
pub(super) const MOST_SALTS: usize = 256;

/// The time of which a key, with its qualifier, tells parts alone that come again, such as the minutes of a day, and after how long they all do. `None` where it tells
/// the whole time or none, or a number of each write; of what adds up; and of a table that keeps rows no longer, as a ring does.
pub fn recurrence(key: &KeyPlan, setup: &Setup) -> Option<(FieldId, SimDuration)> {
    let (schema, workload) = (&setup.schema, &setup.workload);
    let told = key.told_fields(0..key.segments().len());
    let mut writes = workload.writes.iter();
    let is_one_of_its_own = |field: &FieldId| schema.field(*field).count().is_none();
    if told.iter().any(is_one_of_its_own) || writes.all(|write| write.kind.reads_first()) {
        return None;
    }
    let time = key.fields().into_iter().find_map(|field| {
        let FieldKind::Timestamp { unit, .. } = schema.field(field).kind else {
            return None;
        };
        Some((field, unit))
    });
    let (field, unit) = time?;
    let is_salt =
        |it: &Segment| it.randomness() != Randomness::Plain && it.space() <= MOST_SALTS as f64;
    let mut longest = 0;
    for segment in key.segments().iter().filter(|it| !is_salt(it)) {
        if !segment.fields().contains(&field) {
            continue;
        }
        let digits = segment.digit().into_iter();
        let digits = digits.chain(segment.digits().iter().copied());
        let periods = digits.filter(|it| it.field == field).map(|it| it.period());
        longest = periods
            .max_by_key(|it| it.unwrap_or(i64::MAX))??
            .max(longest);
    }
    let length = u64::try_from(longest.checked_mul(unit.nanos())?).ok()?;
    let length = SimDuration::from_nanos(length);
    let mut families = setup.table.families.iter();
    let is_ring = families.all(|it| it.spec.ttl.is_some_and(|ttl| ttl <= length));
    (longest > 0 && !is_ring).then_some((field, length))
}
