//! `[read.x]`: what readers know and want.

use super::derived_uses::DerivedUse;
use super::diagnostic::Diagnostic;
use super::fields::{Fields, find_known};
use super::load_models::read_read_drive;
use super::model::TimeSpec;
use super::popularity::{PICK_BY_TIME, read_in, read_pick};
use super::read_orders::{NEWEST, PAGE, RANGE, read_newest, read_page, read_range};
use super::reader::Reader;
use super::writes::read_with;
use crate::random::Seed;
use crate::record::{Field, FieldId, KnownField, ValueShares};
use crate::settings::{integer, json, names, rate, table};
use crate::text::grouped;
use crate::workload::{INDEXED_MAX, LIST_MAX, PickLaw, Read, ReadRange, Within, WithinValues};

/// Most writes and reads of a scenario: operations carry the number of theirs in 8 bits.
const MOST: usize = 256;

crate::settings! {
    /// Without `rate` or `clients` a read is planned and costed, not issued.
    pub(super) static READ("read", "") with super::load_models::LOOPS {
        /// Fields of which the reader knows the value.
        equal = json("@oneOrMoreFields"),
        /// Fields of which the reader knows a list of values: their number, or `"all"` that go with the `equal` fields.
        in = names("@identifier", r#"{ "anyOf": [{ "type": "integer", "minimum": 1, "maximum": 100000 }, { "enum": ["all"] }] }"#, ""),
        /// A range of a field: `last` (and `ago`) of a timestamp, or `span` values of a number.
        range = table(&RANGE),
        /// The newest rows of what the reader knows.
        newest = table(&NEWEST),
        /// A page of what the reader knows, in the order of a field.
        page = table(&PAGE),
        /// Replaces the law by which a field of the wanted record is chosen.
        pick = names("@identifier", r#"{ "anyOf": ["@distribution", "@pick-by-time"] }"#, "").with(&[&PICK_BY_TIME]),
        /// Fixed fields.
        with = json("@values"),
        /// Open loop: so many a second.
        rate = rate(),
        /// Closed loop: so many clients, each waiting for its answer.
        clients = integer(1, i64::MAX),
    }
}

/// Reads all `[read.x]` of a scenario with so many writes; and the uses of derived fields that only compiled expressions can check.
pub(super) fn read_reads(
    scenario: &Reader<'_>,
    fields: &mut Fields,
    time: &TimeSpec,
    writes: usize,
) -> (Vec<Read>, Vec<DerivedUse>) {
    let entries = scenario.table("read").entries();
    let most = MOST.saturating_sub(writes);
    if let Some(beyond) = entries.get(most) {
        let message = format!("{} writes and reads", writes + entries.len());
        let label = format!("at most {MOST} together");
        scenario.sink.error(&beyond.place, message, label);
    }
    let mut uses = Vec::new();
    let readers = scenario.named("read", "read", usize::MAX, &READ);
    let read = |(name, reader): (&str, Reader<'_>)| {
        let read = read_one(&reader, name, fields, time, &mut uses);
        reader.finish();
        read
    };
    let reads = readers.into_iter().take(most).map(read).collect();
    (reads, uses)
}

fn read_one(
    reader: &Reader<'_>,
    name: &str,
    fields: &mut Fields,
    time: &TimeSpec,
    uses: &mut Vec<DerivedUse>,
) -> Read {
    let with = read_with(reader, fields);
    let equal = read_equal(reader, fields);
    let within = read_in(reader, fields);
    let range = read_range(reader, fields, uses);
    let newest = read_newest(reader, fields, uses);
    let page = read_page(reader, fields);
    let pick = read_pick(reader, fields);
    let drive = read_read_drive(reader, time);
    if let Some(equal) = &equal {
        check_all(reader, &within, equal, &with);
        check_lengths(reader, fields, &within, equal, &with);
    }
    let equal = equal.unwrap_or_default();
    check_known_once(reader, fields, &equal, &within, range.as_ref());
    check_fixed(reader, fields, &with, &within, &pick);
    if newest.is_some() && page.is_some() {
        let message = format!("{} has two orders: `newest` and `page`", reader.name());
        reader.refuse_key("page", message, "expected one of them");
    }
    let clues = ["equal", "in", "range", "newest", "page", "with"];
    if !clues.iter().any(|key| reader.has(key)) {
        let diagnostic = Diagnostic::warning(format!("{} knows nothing", reader.name()))
            .label("reads the whole table under every key")
            .help("say what the reader knows: `equal = [\"sensor\"]`, `range = { field = \"ts\", last = \"5m\" }`");
        reader.complain_of_table(diagnostic);
    }
    Read {
        name: name.to_owned(),
        equal,
        within,
        range,
        newest,
        page,
        with,
        pick,
        drive,
    }
}

/// `None` when some of it could not be read.
fn read_equal(reader: &Reader<'_>, fields: &Fields) -> Option<Vec<KnownField>> {
    let mut equal = Vec::new();
    if !reader.has("equal") {
        return Some(equal);
    }
    let mut sound = true;
    for (name, place) in reader.texts("equal", true)? {
        let Some(field) = find_known(reader.sink, fields, name, &place) else {
            sound = false;
            continue;
        };
        if equal.contains(&field) {
            let message = format!("`{name}` stands twice in `equal`");
            reader.sink.error(&place, message, "once is enough");
            continue;
        }
        equal.push(field);
    }
    sound.then_some(equal)
}

/// `"all"` goes with something.
fn check_all(
    reader: &Reader<'_>,
    within: &[Within],
    equal: &[KnownField],
    with: &[(FieldId, i64)],
) {
    let stored = |field: &KnownField| matches!(field, KnownField::Stored(_));
    let all = |within: &Within| within.values == WithinValues::All;
    if within.iter().any(all) && with.is_empty() && !equal.iter().any(stored) {
        let message = format!("{} asks for `\"all\"` values, of what?", reader.name());
        let diagnostic = Diagnostic::error(message)
            .label("all that go with the `equal` fields, and there are none with a `type`")
            .help("add `equal = [...]`, or give a number of values");
        reader.complain_of_key("in", diagnostic);
    }
}

/// `"all"` is no more than a list can hold.
fn check_lengths(
    reader: &Reader<'_>,
    fields: &Fields,
    within: &[Within],
    equal: &[KnownField],
    with: &[(FieldId, i64)],
) {
    let schema = &fields.schema;
    let is_known = |id: &FieldId| {
        equal.contains(&KnownField::Stored(*id)) || with.iter().any(|(fixed, _)| fixed == id)
    };
    for Within { field, values } in within {
        let Field { name, of, kind, .. } = schema.field(*field);
        let Some(count) = kind.count().filter(|_| *values == WithinValues::All) else {
            continue;
        };
        if count <= LIST_MAX as u64 || (!of.is_empty() && of.iter().all(is_known)) {
            continue;
        }
        let ids = (0..schema.fields.len()).map(|at| FieldId(at as u16));
        let mut followers = ids.filter(|id| is_known(id) && schema.field(*id).of == [*field]);
        // Of the values that go with one value of a field that follows from them, the most that are expected.
        let (most, about, whose) = match followers.next() {
            Some(id) if count <= INDEXED_MAX => {
                let follower = schema.field(id);
                let shares = ValueShares::new(schema, id, &follower.law, Seed(0), 0);
                let classes = shares.map_or_else(Vec::new, |shares| shares.classes());
                let top = classes.iter().map(|class| class.share).fold(0.0, f64::max);
                let whose = format!(" of the greatest `{}`", follower.name);
                ((count as f64 * top) as u64, "about", whose)
            }
            _ => (count, "all", String::new()),
        };
        if most > LIST_MAX as u64 {
            let values = format!("{} values of `{name}`{whose}", grouped(most.into()));
            let diagnostic = Diagnostic::error(format!("{} lists {about} {values}", reader.name()))
                .label(format!("a list holds at most {}", grouped(LIST_MAX as i128)))
                .help(format!(
                    "give a number of values, `in = {{ {name} = 1000 }}`, or leave the list out: rows are then found by the other fields"
                ));
            reader.complain_of_key("in", diagnostic);
        }
    }
}

/// A field is known as a value, as a list, or as a range.
fn check_known_once(
    reader: &Reader<'_>,
    fields: &Fields,
    equal: &[KnownField],
    within: &[Within],
    range: Option<&ReadRange>,
) {
    let twice = |id: FieldId, key: &str, ways: &str| {
        let name = &fields.schema.field(id).name;
        let message = format!("{} knows `{name}` twice: {ways}", reader.name());
        reader.refuse_key(key, message, "keep one of them");
    };
    for Within { field, .. } in within {
        if equal.contains(&KnownField::Stored(*field)) {
            twice(*field, "in", "by `equal` and by `in`");
        }
    }
    let Some(KnownField::Stored(id)) = range.map(|range| range.field) else {
        return;
    };
    if equal.contains(&KnownField::Stored(id)) {
        twice(id, "range", "by `equal` and by `range`");
    } else if within.iter().any(|within| within.field == id) {
        twice(id, "range", "by `in` and by `range`");
    }
}

/// What is fixed is neither listed nor drawn.
fn check_fixed(
    reader: &Reader<'_>,
    fields: &Fields,
    with: &[(FieldId, i64)],
    within: &[Within],
    pick: &[(FieldId, PickLaw)],
) {
    for (id, _) in with {
        let ways = [
            ("in", within.iter().any(|within| within.field == *id)),
            ("pick", pick.iter().any(|(picked, _)| picked == id)),
        ];
        for (key, _) in ways.iter().filter(|(_, both)| *both) {
            let name = &fields.schema.field(*id).name;
            let message = format!("`{name}` is fixed by `with`, and stands in `{key}`, too");
            reader.refuse_key(key, message, "keep one of them");
        }
    }
}
