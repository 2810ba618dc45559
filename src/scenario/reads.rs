//! `[read.x]`: what readers know and want.
//!
//! Whether derived fields have the order that reads ask of them, only their compiled expressions can tell.

use super::fields::{Fields, Order, ZIPF, find, find_known, read_distribution_entry};
use super::prelude::*;
use super::writes::{read_read_drive, read_with};
use crate::key::{KeyPlan, Randomness, Role, Segment};
use crate::random::Seed;
use crate::record::{Field, FieldId, FieldKind, KnownField, Schema, ValueShares};
use crate::settings::{integer, json, names, rate, table, time, word};
use crate::text::grouped;
use crate::workload::{
    INDEXED_MAX, LIST_MAX, Newest, Page, PageVia, PickDistribution, RangeExtent, Read, ReadRange,
    Within, WithinValues,
};

/// Most writes and reads of a scenario: operations carry the number of theirs in 8 bits.
const MOST_OPERATIONS: usize = 256;

crate::settings! {
    /// Without `rate` or `clients` a read is planned and costed, not issued.
    pub(super) static READ("read", "") with super::writes::LOOPS {
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
        /// Fields whose values are fixed.
        with = json("@values"),
        /// Open loop: so many a second.
        rate = rate(),
        /// Closed loop: so many clients, each waiting for its answer.
        clients = integer(1, i64::MAX),
    }
}

/// Reads all `[read.x]` of a scenario with so many writes.
pub(super) fn read_reads(
    scenario: &Reader<'_>,
    fields: &mut Fields,
    time: &TimeSpec,
    writes: usize,
) -> Vec<Read> {
    let entries = scenario.table("read").entries();
    let most = MOST_OPERATIONS.saturating_sub(writes);
    if let Some(beyond) = entries.get(most) {
        let message = format!("{} writes and reads", writes + entries.len());
        let label = format!("at most {MOST_OPERATIONS} together");
        scenario.sink.error(&beyond.place, message, label);
    }
    let readers = scenario.named("read", "read", usize::MAX, &READ);
    let read = |(name, reader): (&str, Reader<'_>)| {
        let read = read_one(&reader, name, fields, time);
        reader.finish();
        read
    };
    readers.into_iter().take(most).map(read).collect()
}

fn read_one(reader: &Reader<'_>, name: &str, fields: &mut Fields, time: &TimeSpec) -> Read {
    let with = read_with(reader, fields);
    let equal = read_equal(reader, fields);
    let is_known = equal.is_some();
    let read = Read {
        name: name.to_owned(),
        equal: equal.unwrap_or_default(),
        within: read_in(reader, fields),
        range: read_range(reader, fields),
        newest: read_newest(reader, fields),
        page: read_page(reader, fields),
        with,
        pick: read_pick(reader, fields),
        load: read_read_drive(reader, time),
    };
    if is_known {
        check_all(reader, &read);
        check_lengths(reader, fields, &read);
    }
    check_known_once(reader, fields, &read);
    check_fixed(reader, fields, &read);
    if read.newest.is_some() && read.page.is_some() {
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
    read
}

/// `None` when some of it could not be read.
fn read_equal(reader: &Reader<'_>, fields: &mut Fields) -> Option<Vec<KnownField>> {
    let mut equal = Vec::new();
    if !reader.has("equal") {
        return Some(equal);
    }
    let mut sound = true;
    for (name, place) in reader.texts("equal", true)? {
        let Some(field) = find_known(reader.sink, fields, name, &place, true) else {
            sound = false;
            continue;
        };
        if equal.contains(&field) {
            let message = format!("`{name}` stands twice in `equal`");
            reader.sink.error(&place, message, "once is enough");
            continue;
        }
        if let KnownField::Derived(id) = field {
            fields.uses.push((id, place, Order::Known));
        }
        equal.push(field);
    }
    sound.then_some(equal)
}

/// `"all"` goes with something.
fn check_all(reader: &Reader<'_>, read: &Read) {
    let stored = |field: &KnownField| matches!(field, KnownField::Stored(_));
    let all = |within: &Within| within.values == WithinValues::All;
    if read.within.iter().any(all) && read.with.is_empty() && !read.equal.iter().any(stored) {
        let message = format!("{} asks for `\"all\"` values, of what?", reader.name());
        let diagnostic = Diagnostic::error(message)
            .label("all that go with the `equal` fields, and there are none with a `type`")
            .help("add `equal = [...]`, or give a number of values");
        reader.complain_of_key("in", diagnostic);
    }
}

/// `"all"` is no more than a list can hold.
fn check_lengths(reader: &Reader<'_>, fields: &Fields, read: &Read) {
    let schema = &fields.schema;
    let is_known = |id: &FieldId| {
        let mut fixed = read.with.iter();
        read.equal.contains(&KnownField::Stored(*id)) || fixed.any(|(fixed, _)| fixed == id)
    };
    for Within { field, values } in &read.within {
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
fn check_known_once(reader: &Reader<'_>, fields: &Fields, read: &Read) {
    let stored = |field: KnownField| match field {
        KnownField::Stored(id) => Some(id),
        KnownField::Derived(_) => None,
    };
    let equal = read.equal.iter();
    let equal = equal.filter_map(|field| Some((stored(*field)?, "equal")));
    let within = read.within.iter().map(|within| (within.field, "in"));
    let range = read.range.as_ref();
    let range = range.and_then(|range| Some((stored(range.field)?, "range")));
    let known: Vec<(FieldId, &str)> = equal.chain(within).chain(range).collect();
    for (at, (id, key)) in known.iter().enumerate() {
        if let Some((_, first)) = known[..at].iter().find(|(earlier, _)| earlier == id) {
            let (table, name) = (reader.name(), &fields.schema.field(*id).name);
            let message = format!("{table} knows `{name}` twice: by `{first}` and by `{key}`");
            reader.refuse_key(key, message, "keep one of them");
        }
    }
}

/// What is fixed is neither listed nor drawn.
fn check_fixed(reader: &Reader<'_>, fields: &Fields, read: &Read) {
    for (id, _) in &read.with {
        let listed = read.within.iter().any(|within| within.field == *id);
        let picked = read.pick.iter().any(|(picked, _)| picked == id);
        for (key, _) in [("in", listed), ("pick", picked)].iter().filter(|it| it.1) {
            let name = &fields.schema.field(*id).name;
            let message = format!("`{name}` is fixed by `with`, and stands in `{key}`, too");
            reader.refuse_key(key, message, "keep one of them");
        }
    }
}

/// Most values of one list (estimate: a client that asks for more does something else).
const MOST_LISTED: i64 = 100_000;

/// What is said of each field that a table names.
fn of_fields<'a, T>(
    table: &Reader<'a>,
    fields: &Fields,
    read: impl Fn(&'a Entry, &Field) -> Option<T>,
) -> Vec<(FieldId, T)> {
    let read = |entry: &'a Entry| {
        let field = find(table.sink, fields, &entry.key, &entry.place)?;
        Some((field, read(entry, fields.schema.field(field))?))
    };
    table.entries().iter().filter_map(read).collect()
}

/// Reads `in = { item = 30, campaign = "all" }`.
fn read_in(read: &Reader<'_>, fields: &Fields) -> Vec<Within> {
    let table = read.table("in");
    let values = |entry, field: &Field| read_listed(&table, entry, field);
    let within = |(field, values)| Within { field, values };
    let found = of_fields(&table, fields, values).into_iter();
    found.map(within).collect()
}

fn read_listed(table: &Reader<'_>, entry: &Entry, field: &Field) -> Option<WithinValues> {
    let (name, kind) = (&entry.key, &field.kind);
    let endless = |values: &str| {
        let message = format!("there is no list of {values} of `{name}`");
        table.refuse(name, message, format!("it is {}", field.describe()));
        None
    };
    match &entry.node.value {
        // Between the numbers of a file lie others.
        Value::Text(_) if field.column.is_some() && kind.is_number() => endless("all values"),
        Value::Text(text) if text == "all" => match kind.count() {
            Some(_) => Some(WithinValues::All),
            None => endless("all values"),
        },
        Value::Integer(_) => {
            let count = table.integer_node(name, &entry.node, 1, MOST_LISTED)?;
            // Fresh values stand in one row each; instants and measured numbers are asked for by ranges.
            if kind.count().is_none() && !matches!(kind, FieldKind::Sequence { .. }) {
                return endless("values");
            }
            if let Some(most) = kind.count().filter(|&most| most < count as u64) {
                let message = format!("{} different values of `{name}`", grouped(count.into()));
                let label = format!("it has only {}", grouped(most.into()));
                table.refuse(name, message, label)?;
            }
            Some(WithinValues::Count(count as u32))
        }
        _ => {
            let expected = "a number of values, or `\"all\"` that go with the `equal` fields";
            table.wrong_type(name, &entry.node, expected)
        }
    }
}

crate::settings! {
    /// Which values a reader asks for, by their age.
    pub(super) static PICK_BY_TIME("pick-by-time", r#""minProperties": 1, "maxProperties": 1"#) {
        /// Of a sequence or timestamp: the newest most often, by a Zipf law of this exponent.
        latest = ZIPF,
        /// Of a timestamp: within so long a time.
        last = time(),
    }
}

/// Reads `pick = { item = { zipf = 0.99 }, id = { latest = 1.1 }, ts = { last = "1d" } }`.
fn read_pick(read: &Reader<'_>, fields: &Fields) -> Vec<(FieldId, PickDistribution)> {
    let table = read.table("pick");
    of_fields(&table, fields, |entry, field| {
        if field.column.is_some() {
            let message = format!("`{}` can't be picked by a law", entry.key);
            let label = "its values come as often as in the file's rows: leave it out";
            table.refuse(&entry.key, message, label)?;
        }
        read_pick_law(&table, entry, &field.kind)
    })
}

fn read_pick_law<'a>(
    table: &Reader<'a>,
    entry: &'a Entry,
    kind: &FieldKind,
) -> Option<PickDistribution> {
    let key = &entry.key;
    if let Value::Table(inner) = &entry.node.value
        && PICK_BY_TIME.all().any(|law| inner.get(law.key).is_some())
    {
        let law = table.table_of(key, &entry.node, &entry.node.place, &PICK_BY_TIME);
        return read_law_of_time(&law, key, kind);
    }
    let own = match kind {
        FieldKind::Timestamp { .. } => {
            "`{ last = \"1d\" }` or `{ latest = 1.1 }`, as it follows time"
        }
        FieldKind::Sequence { .. } => "`{ latest = 1.1 }`, as it follows time",
        FieldKind::Uuid { count: None } | FieldKind::Bytes { count: None, .. } => {
            "another field: its values are fresh"
        }
        _ => {
            let law = read_distribution_entry(table, entry, kind);
            return Some(PickDistribution::Distribution(law));
        }
    };
    let message = format!("`{key}` can't be picked so");
    table.refuse(key, message, format!("expected {own}"));
    None
}

fn read_law_of_time(law: &Reader<'_>, field: &str, kind: &FieldKind) -> Option<PickDistribution> {
    let is_time = matches!(kind, FieldKind::Timestamp { .. });
    let latest = law.has("latest");
    let refused = match latest {
        _ if is_time => None,
        true if matches!(kind, FieldKind::Sequence { .. }) => None,
        true => Some(("latest", "needs a sequence or a timestamp")),
        false => Some((
            "last",
            "needs a timestamp; of a sequence, pick the `latest`",
        )),
    };
    if let Some((key, label)) = refused {
        law.refuse_key(key, format!("`{field}` has no `{key}` values"), label)?;
    }
    let exponent = law.given("latest");
    let last = law.positive_duration("last");
    if latest && law.has("last") {
        let message = format!("{} has two laws", law.name());
        law.refuse_key("last", message, "expected one of `latest` and `last`");
    }
    law.finish();
    match latest {
        true => exponent.map(|exponent| PickDistribution::Latest { exponent }),
        false => last.map(PickDistribution::Last),
    }
}

crate::settings! {
    /// A range of a field: `last` (and `ago`) of a timestamp, or `span` values of a number.
    pub(super) static RANGE("", r#""anyOf": [{ "required": ["last"] }, { "required": ["span"] }]"#) {
        field = json("@identifier").needs("\"ts\""),
        /// How long a time is read.
        last = time(),
        /// How long ago that time ended.
        ago = time().or("0s"),
        /// So many consecutive values.
        span = integer(1, i64::MAX),
    }

    /// The newest rows of what the reader knows.
    pub(super) static NEWEST("", "") {
        /// A timestamp, a sequence, or what is derived from one.
        field = json("@identifier").needs("\"ts\""),
        /// How many of the newest are wanted.
        rows = integer(1, MOST_ROWS).or("1"),
    }

    /// A page of what the reader knows, in the order of a field.
    pub(super) static PAGE("", "") {
        field = json("@identifier").needs("\"cost\""),
        /// How many rows a page has.
        size = integer(1, MOST_ROWS).or("20"),
        /// Which page is asked for, from 1.
        number = integer(1, MOST_ROWS).or("1"),
        /// A cursor begins behind the last row of the page before, an offset reads all pages before, an index names the keys.
        via = word(PageVia::WORDS).or("cursor"),
    }
}

/// Most rows that a reader asks for in order (estimate).
const MOST_ROWS: i64 = 1_000_000_000;

/// Reads `range = { field = "ts", last = "5m", ago = "1h" }` or `{ field = "id", span = 100 }`.
fn read_range(read: &Reader<'_>, fields: &mut Fields) -> Option<ReadRange> {
    read.inside("range", |range| {
        let field = read_field(range, fields);
        let extent = read_extent(range);
        let (known, extent) = field.zip(extent)?;
        let field = known.0;
        check_range(range, fields, known, extent)?;
        Some(ReadRange { field, extent })
    })
}

fn read_extent(range: &Reader<'_>) -> Option<RangeExtent> {
    const EXPECTED: &str =
        "expected `last = \"5m\"` of a timestamp, or `span = 100` values of a number";
    match (range.has("last"), range.has("span")) {
        (true, false) => {
            let last = range.positive_duration("last");
            let ago = range.value("ago");
            last.map(|last| RangeExtent::Last { last, ago })
        }
        (false, true) => {
            range.meaningless("ago", "needs `last`");
            range.given("span").map(RangeExtent::Span)
        }
        (true, true) => {
            let message = format!("{} has two lengths: `last` and `span`", range.name());
            range.refuse_key("span", message, EXPECTED);
            None
        }
        (false, false) => {
            let message = format!("{} does not say how far it goes", range.name());
            range.refuse_table(message, EXPECTED);
            None
        }
    }
}

/// Complains about a field that has no such range; `None` then.
fn check_range(
    range: &Reader<'_>,
    fields: &mut Fields,
    (field, name, place): (KnownField, &str, SourcePlace),
    extent: RangeExtent,
) -> Option<()> {
    let by_time = matches!(extent, RangeExtent::Last { .. });
    let (message, label) = match field {
        KnownField::Derived(id) if by_time => {
            fields.uses.push((id, place, Order::Time));
            return Some(());
        }
        KnownField::Derived(_) => {
            let label = "expected a number with a `type`, or `last` of a derived time";
            let message = format!("`{name}` is derived: it has no `span`");
            (message, label.to_owned())
        }
        KnownField::Stored(id) => {
            let field = fields.schema.field(id);
            let is_time = matches!(field.kind, FieldKind::Timestamp { .. });
            let kind = field.describe();
            match by_time {
                true if is_time => return Some(()),
                false if is_ordered(field) => return Some(()),
                true => {
                    let label = format!("`last` needs a timestamp; this is {kind}");
                    (format!("`{name}` is no time"), label)
                }
                false => {
                    let label = format!("`span` needs a whole number; this is {kind}");
                    (format!("no range of `{name}`"), label)
                }
            }
        }
    };
    range.sink.error(&place, message, label);
    None
}

/// Whole numbers, padded or not: their order is that of their slots.
fn is_ordered(field: &Field) -> bool {
    field.kind.is_number() || matches!(field.kind, FieldKind::Digits { .. })
}

/// Reads `newest = { field = "ts", rows = 10 }`.
fn read_newest(read: &Reader<'_>, fields: &mut Fields) -> Option<Newest> {
    let (field, rows) = read.inside("newest", |newest| {
        Some((read_field(newest, fields), newest.value("rows")))
    })?;
    let (field, name, place) = field?;
    match field {
        KnownField::Derived(id) => fields.uses.push((id, place, Order::FollowsTime)),
        KnownField::Stored(id) => {
            let field = fields.schema.field(id);
            if !matches!(
                field.kind,
                FieldKind::Timestamp { .. } | FieldKind::Sequence { .. }
            ) {
                let message = format!("`{name}` does not follow time: nothing is its newest");
                let kind = field.describe();
                let label = format!("expected a timestamp or a sequence; this is {kind}");
                let diagnostic = Diagnostic::error(message).label(label);
                let page = format!(
                    "the greatest values are a page: `page = {{ field = \"{name}\", size = {rows}, number = 1 }}`"
                );
                let diagnostic = match is_ordered(field) {
                    true => diagnostic.help(page),
                    false => diagnostic,
                };
                read.sink.add(&place, diagnostic)?;
            }
        }
    }
    Some(Newest { field, rows })
}

/// Reads `page = { field = "cost", size = 20, number = 50, via = "cursor" }`.
fn read_page(read: &Reader<'_>, fields: &Fields) -> Option<Page> {
    read.inside("page", |page| {
        let field = read_field(page, fields);
        let (size, number): (u32, u32) = (page.value("size"), page.value("number"));
        let via = page.value("via");
        if f64::from(size) * f64::from(number) > MOST_ROWS as f64 {
            let label = "`size` times `number` must be at most 1,000,000,000";
            page.refuse("number", "the page lies behind a billion rows", label);
        }
        let (field, name, place) = field?;
        if let KnownField::Stored(id) = field
            && !is_ordered(fields.schema.field(id))
        {
            let message = format!("pages can't be sorted by `{name}`");
            let kind = fields.schema.field(id).kind.describe();
            let label = format!("expected a whole number; this is {kind}");
            read.sink.error(&place, message, label)?;
        }
        Some(Page {
            field,
            size,
            number,
            via,
        })
    })
}

/// The `field` of one of these tables, with its name and place.
fn read_field<'a>(
    reader: &Reader<'a>,
    fields: &Fields,
) -> Option<(KnownField, &'a str, SourcePlace)> {
    let name = reader.required_text("field")?;
    let place = reader.place_of_value("field");
    let field = find_known(reader.sink, fields, name, &place, true)?;
    Some((field, name, place))
}

const NAME_IT: &str = "name the timestamp itself";

/// Complains about uses of derived fields that don't fit. `schema` has its bounds.
pub(super) fn check_uses(sink: &Diagnostics, fields: &Fields, schema: &Schema) {
    for (field, place, order) in &fields.uses {
        let (name, expression) = &fields.derived[usize::from(field.0)];
        // What can't be compiled has its own complaint.
        let Some(plan) = compile(name, fields, schema) else {
            continue;
        };
        let of: Vec<_> = plan.fields().into_iter().collect();
        let drawn = |segment: &Segment| segment.randomness() == Randomness::Random;
        let fits = match of[..] {
            _ if *order == Order::Known => !plan.segments().iter().any(drawn),
            [id] if plan.leads_with_time() => match schema.field(id).kind {
                FieldKind::Timestamp { .. } => true,
                FieldKind::Sequence { .. } => *order == Order::FollowsTime,
                _ => false,
            },
            _ => false,
        };
        if fits {
            continue;
        }
        let (message, expected, help) = match order {
            Order::Time => ("is no time", "one timestamp, in its order", NAME_IT),
            Order::FollowsTime => (
                "does not follow time: nothing is its newest",
                "one timestamp or sequence, in its order",
                NAME_IT,
            ),
            Order::Known => (
                "is drawn anew for each write: no reader knows it",
                "nothing that is drawn",
                "let a field have what is drawn: `{ type = \"uuid\" }`, or `n = { type = \"int\", count = 1_000_000_000_000 }` and `be6(ts) || be8(n)`",
            ),
        };
        let diagnostic = Diagnostic::error(format!("`{name}` {message}"))
            .label(format!("it is `{expression}`; expected {expected}"))
            .help(help);
        sink.add(place, diagnostic);
    }
}

/// The derived field as a key of its own.
fn compile(name: &str, fields: &Fields, schema: &Schema) -> Option<KeyPlan> {
    let environment = fields.environment(schema);
    // Numbers are no keys: their 8 bytes are.
    let compile = |key: &str| {
        KeyPlan::compile_despite(Role::RowKey, key, &environment, &fields.unreadable).ok()
    };
    compile(name).or_else(|| compile(&format!("be8({name})")))
}
