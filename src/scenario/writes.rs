//! `[write.x]` and `[existing.x]`: what is written, when, and what was written before the run.

use super::diagnostics::MEMORY;
use super::fields::{Fields, find, given};
use super::prelude::*;
use crate::record::{FieldId, FieldKind};
use crate::settings::{integer, json, number, rate, size, text, time, word};
use crate::text::grouped;
use crate::time::{SimDuration, SimTime};
use crate::units::{ByteSize, PerSecond};
use crate::workload::{
    Arrivals, Existing, ExistingRows, Import, ImportOrder, ImportRows, LoadModel, Periodic, Phase,
    ProfilePoint, ReadLoadModel, Think, Write, WriteId, WriteKind,
};
use std::sync::Arc;

crate::settings! {
    /// Exactly one of `rate` (open loop), `clients` (closed loop), `each` with `every` (a beat), and `replay`. With `last`, `records` or `each` alone it
    /// is a finite import.
    pub(super) static WRITE("write", r#""anyOf": [{ "required": ["rate"] }, { "required": ["clients"] }, { "required": ["each", "every"] }, { "required": ["replay", "time"] }]"#)
        with LOOPS {
        /// An increment or an append reads the row first, and holds it over the WAL sync; a delete writes a marker.
        kind = word(WriteKind::WORDS).or("put").help(
            "a write of a row that is there is a `put`, too; what reads a value and changes it is an `increment`, and what adds to its end an `append`",
        ),
        /// The column family of its cells. Default: the first.
        family = text(r#""minLength": 1"#),
        /// The cells of a row, by qualifier, with what each holds. Default: one for each of `table.qualifiers`, or the one that the strategy's `qualifier` says.
        cells = json(r#""type": "object", "minProperties": 1, "additionalProperties": { "anyOf": ["@size", "@cell-value"] }"#),
        /// Fixed fields: another kind of row, or a hot tenant's own stream.
        with = json("@values"),
        /// Open loop: so many a second, whether or not the table keeps up.
        rate = rate(),
        /// Closed loop: so many clients, each waiting for its write.
        clients = integer(1, i64::MAX),
        /// The client's write buffer: a client waits for its whole flush.
        buffer = size(),
        /// Each combination of these fields.
        each = json("@oneOrMoreFields"),
        /// How often each combination comes.
        every = time(),
        /// When the operations of a beat come: spread over `every`, or all at once.
        phase = word(Phase::WORDS).or("spread"),
        /// How late an operation of a beat may come, at most `every`.
        jitter = time().or("0s"),
        /// An import of the records of so long a time.
        last = time(),
        /// An import of so many records.
        records = integer(1, MOST_RECORDS),
        /// The order in which an import writes its records: whichever of its clients is ready takes the next one.
        order = json(r#""anyOf": [{ "enum": ["time", "shuffled"] }, "@sorted"]"#).with(&[&SORTED]).or("time"),
        /// The rows of this `[data.x]`, once each, in their order and spacing, as long as the run lasts.
        replay = text(r#""minLength": 1"#),
        /// The file's column with the time of each row; one earlier than a row before it comes with that.
        time = text(r#""minLength": 1"#),
        /// How many times as fast as they came.
        speed = number("greater than 0", 0.0, 1e12, (false, true)).or("1.0"),
    }
}

/// Most writes of a scenario.
const MOST_WRITES: usize = 256;

/// Reads all `[write.x]`; each with its place.
pub(super) fn read_writes(
    scenario: &Reader<'_>,
    fields: &mut Fields,
    time: &TimeSpec,
) -> Vec<Write> {
    let misspelt = || ["write", "read"].iter().any(|key| scenario.misspelt(key));
    let writes = scenario.table("write");
    if writes.entries().is_empty() && !scenario.has("read") && !misspelt() {
        let diagnostic = Diagnostic::error("the scenario has neither `[write.x]` nor `[read.x]`")
            .label("nothing would happen")
            .help("add, for example, `[write.ingest]` with `rate = \"10k/s\"`");
        writes.complain_of_table(diagnostic);
    }
    let mut writes = Vec::new();
    for (name, reader) in scenario.named("write", "write", MOST_WRITES, &WRITE) {
        let kind = reader.value("kind");
        let with = read_with(&reader, fields);
        let load = read_drive(&reader, fields, time, kind);
        if let Some(load) = &load {
            let combined = combinations(load).map(|(each, _)| each);
            check_fixed(&reader, fields, &combined.unwrap_or_default(), &with);
            check_order(&reader, fields, load.import(), &with);
        }
        reader.finish();
        let load = load.unwrap_or(LoadModel::Open {
            rate: PerSecond(0.0),
            arrivals: Arrivals::Poisson,
            profile: Vec::new(),
            import: None,
        });
        let name = name.to_owned();
        writes.push(Write {
            name,
            kind,
            load,
            with,
            most_per_sec: f64::INFINITY,
        });
    }
    writes
}

/// Reads `with`.
pub(super) fn read_with(reader: &Reader<'_>, fields: &mut Fields) -> Vec<(FieldId, i64)> {
    let with = reader.table("with");
    let fixed = with.entries().iter().filter_map(|entry| {
        let id = find(with.sink, fields, &entry.key, &entry.place)?;
        Some((id, given(with.sink, &mut fields.schema, id, &entry.node)?))
    });
    fixed.collect()
}

fn check_order(
    reader: &Reader<'_>,
    fields: &Fields,
    import: Option<&Import>,
    with: &[(FieldId, i64)],
) {
    let Some(import) = import else { return };
    let bytes = import.order_bytes(&fields.schema, with) as f64;
    if bytes > MEMORY {
        let rows = grouped(import.rows.len(&fields.schema).into());
        let [need, most] = [bytes, MEMORY].map(ByteSize::approximate);
        let message = format!("sorting {rows} rows by a field needs about {need} of memory");
        let diagnostic = Diagnostic::error(message)
            .label(format!("keyheat takes up to {most}"))
            .help("`order = \"time\"` and `order = \"shuffled\"` need none");
        reader.complain("order", diagnostic);
    }
}

fn check_fixed(reader: &Reader<'_>, fields: &Fields, each: &[FieldId], with: &[(FieldId, i64)]) {
    for (id, _) in with.iter().filter(|(id, _)| each.contains(id)) {
        let name = &fields.schema.field(*id).name;
        let message = format!("`{name}` is both fixed by `with` and combined by `each`");
        reader.refuse_key("with", message, "keep one of them");
    }
}

crate::settings! {
    /// What writes and reads have in common that come of themselves.
    pub(super) static LOOPS("", "") {
        /// How an open loop's operations follow each other.
        arrivals = word(Arrivals::WORDS).or("poisson"),
        /// Times the rate, linear between points; the same time twice is a step.
        profile = json(r#""type": "array", "minItems": 1, "items": "@profile-point""#).with(&[&PROFILE_POINT]),
        /// A client's pause between two operations.
        think = json(r#""anyOf": ["@duration", "@think-time"]"#).with(&[&THINK_TIME]).or("0s"),
    }

    /// A moment, and how many times the rate it is then.
    pub(super) static PROFILE_POINT("profile-point", "") {
        /// From the start of the run.
        at = time().needs("\"60s\""),
        /// So many times the rate.
        times = number("in 0 ..= 1,000,000", 0.0, 1e6, (true, true)).needs("3.0"),
    }

    /// A pause that is always as long, or drawn from an exponential law.
    pub(super) static THINK_TIME("think-time", r#""minProperties": 1, "maxProperties": 1"#) {
        /// Each pause takes so long.
        constant = time(),
        /// Pauses take so long on average, by an exponential law.
        exponential = time(),
    }
}

/// Bytes of a closed-loop client and its pending operation (estimate).
const CLIENT_BYTES: f64 = 256.0;

pub(super) fn read_drive(
    reader: &Reader<'_>,
    fields: &Fields,
    time: &TimeSpec,
    kind: WriteKind,
) -> Option<LoadModel> {
    let finite = reader.has("last") || reader.has("records");
    let periodic = reader.has("each") && reader.has("every") && !finite;
    let import = finite || (reader.has("each") && !periodic);
    check_loops(reader, periodic)?;
    let (rate, clients) = (reader.has("rate"), reader.has("clients"));
    let replay = reader.has("replay");
    let needs = [
        ("arrivals", "rate", rate),
        ("profile", "rate", rate),
        ("think", "clients", clients),
        ("buffer", "clients", clients),
        ("phase", "each` and `every", periodic),
        ("jitter", "each` and `every", periodic),
        ("order", "records` or `last", import),
        ("every", "each", reader.has("each")),
        ("time", "replay", replay),
        ("speed", "replay", replay),
    ];
    if !refuse_settings_of_other_loops(reader, &needs) {
        return None;
    }
    if replay {
        for key in ["each", "last", "records", "order"] {
            reader.meaningless(key, "the file says which rows there are");
        }
        return read_replay(reader, fields, time.duration);
    }
    if periodic {
        return read_beat(reader, fields).map(LoadModel::Periodic);
    }
    let found = import.then(|| read_import(reader, fields));
    let unread = matches!(found, Some(None));
    let import = found.flatten();
    let load = match rate {
        true => {
            let open = read_open(reader, time, "writes");
            open.map(|(rate, arrivals, profile)| LoadModel::Open {
                rate,
                arrivals,
                profile,
                import,
            })
        }
        false => {
            let closed = read_clients(reader);
            let buffer = read_buffer(reader, kind, closed.map(|(clients, _)| clients));
            let both = closed.zip(buffer);
            both.map(|((clients, think), buffer)| LoadModel::Closed {
                clients,
                think,
                buffer,
                import,
            })
        }
    };
    load.filter(|_| !unread)
}

/// What makes a read happen; `None`: nothing, it is only planned.
pub(super) fn read_read_drive(reader: &Reader<'_>, time: &TimeSpec) -> Option<ReadLoadModel> {
    let (rate, clients) = (reader.has("rate"), reader.has("clients"));
    if rate && clients {
        let message = format!("{} has two loops: `rate` and `clients`", reader.name());
        let label = "expected `rate`, `clients`, or neither: then the read is planned, not issued";
        reader.refuse_key("clients", message, label)?;
    }
    let needs = [
        ("arrivals", "rate", rate),
        ("profile", "rate", rate),
        ("think", "clients", clients),
    ];
    refuse_settings_of_other_loops(reader, &needs);
    if clients {
        let (clients, think) = read_clients(reader)?;
        return Some(ReadLoadModel::Closed { clients, think });
    }
    if !rate {
        return None;
    }
    let (rate, arrivals, profile) = read_open(reader, time, "reads")?;
    Some(ReadLoadModel::Open {
        rate,
        arrivals,
        profile,
    })
}

/// Complains about settings of another loop: (setting, what it needs, whether that is there). Whether there is none.
fn refuse_settings_of_other_loops<'a>(
    reader: &Reader<'a>,
    needs: &[(&'a str, &str, bool)],
) -> bool {
    let mut sound = true;
    for (key, needed, _) in needs.iter().filter(|(.., there)| !there) {
        if reader.has(key) {
            reader.meaningless(key, &format!("needs `{needed}` in {}", reader.name()));
            sound = false;
        }
    }
    sound
}

/// Equal parts of the run in each of which a replay is taken to have one rate, where numbers of rows are predicted.
const REPLAY_PARTS: usize = 200;

/// Reads `replay`, `time` and `speed`: each row of a file once, when its time says.
fn read_replay(reader: &Reader<'_>, fields: &Fields, duration: SimDuration) -> Option<LoadModel> {
    let name = reader.text("replay")?;
    reader.missing("time", "\"created_at\"");
    let column = reader.text("time");
    let speed: f64 = reader.value("speed");
    let Some(file) = fields.files.iter().find(|file| file.name == name) else {
        let names = fields.files.iter().map(|file| file.name.as_str());
        let diagnostic = Diagnostic::error(format!("unknown data `{name}`"));
        let diagnostic = diagnostic.label("no such `[data.x]`");
        reader.complain("replay", diagnostic.hint(suggest(name, names)))?;
        return None;
    };
    // What could not be read has been complained about.
    let (_, clock) = file
        .clocks
        .iter()
        .find(|(name, _)| Some(name.as_str()) == column)?;
    let (first, mut latest) = (clock.slots[0], SimTime::ZERO);
    let time = |at: &i64| {
        let since = (i128::from(*at) - i128::from(first)).max(0) as f64 / speed;
        latest = latest.max(SimTime::from_nanos(since as u64));
        latest
    };
    let times: Arc<[SimTime]> = clock.slots.iter().map(time).collect();
    let before = |end: SimDuration| times.partition_point(|at| *at < SimTime::ZERO + end);
    let (written, rows) = (before(duration), times.len());
    if written < rows {
        let [written, rows] = [written, rows].map(|rows| grouped(rows as i128));
        let message = format!("the run ends after {written} of {rows} rows");
        let secs = times[times.len() - 1].as_nanos().div_ceil(1_000_000_000);
        let length = SimDuration::from_nanos(secs.saturating_mul(1_000_000_000));
        let label = format!("at this speed the file lasts {length}");
        reader.complain("replay", Diagnostic::warning(message).label(label));
    }
    let mean = written as f64 / duration.as_secs_f64();
    let mut profile = Vec::new();
    for part in 0..REPLAY_PARTS {
        let [from, to] =
            [part, part + 1].map(|at| duration.mul_f64(at as f64 / REPLAY_PARTS as f64));
        let rows = (before(to) - before(from)) as f64;
        let times = rows / written as f64 * REPLAY_PARTS as f64;
        profile.extend([from, to].map(|at| ProfilePoint { at, times }));
    }
    Some(LoadModel::Open {
        rate: PerSecond(mean),
        arrivals: Arrivals::Constant,
        profile,
        import: Some(Import {
            rows: ImportRows::Each {
                each: vec![file.row],
                every: None,
                last: SimDuration::ZERO,
            },
            order: ImportOrder::Time,
            times: Some(times),
        }),
    })
}

/// Exactly one of `rate`, `clients`, `replay`, and `each` with `every`.
fn check_loops(reader: &Reader<'_>, periodic: bool) -> Option<()> {
    let loops = ["rate", "clients", "replay", "every"];
    let there = |key: &&str| reader.has(key) && (*key != "every" || periodic);
    let given: Vec<&str> = loops.into_iter().filter(there).collect();
    match given[..] {
        [_] => return Some(()),
        [] if loops.iter().any(|key| reader.misspelt(key)) => {}
        [] => {
            let message = format!("{} says nowhere when to write", reader.name());
            let diagnostic = Diagnostic::error(message).label("expected `rate`, `clients`, `replay`, or `each` with `every`").help(
                "`rate = \"10k/s\"` is an open loop, `clients = 100` a closed one, `each = [\"sensor\"]` with `every = \"10s\"` a beat",
            );
            reader.complain_of_table(diagnostic);
        }
        [_, second, ..] => {
            let (name, given) = (reader.name(), given.join("` and `"));
            let message = format!("{name} has two loops: `{given}`");
            let label = "expected exactly one of `rate`, `clients`, `replay`, `each` with `every`";
            reader.refuse_key(second, message, label);
        }
    }
    None
}

/// `rate`, `arrivals` and `profile`. `does` is the verb of what happens.
fn read_open(
    reader: &Reader<'_>,
    time: &TimeSpec,
    does: &str,
) -> Option<(PerSecond, Arrivals, Vec<ProfilePoint>)> {
    let rate = reader.given::<PerSecond>("rate");
    if rate == Some(PerSecond(0.0)) {
        let message = format!("a rate of zero {does} nothing");
        reader.refuse("rate", message, "must be greater than 0");
    }
    let arrivals = reader.value("arrivals");
    let profile = read_profile(reader, time, does);
    Some((rate?, arrivals, profile?))
}

fn read_profile(reader: &Reader<'_>, time: &TimeSpec, does: &str) -> Option<Vec<ProfilePoint>> {
    let Some(items) = reader.list("profile") else {
        return (!reader.has("profile")).then(Vec::new);
    };
    let mut points: Vec<ProfilePoint> = Vec::new();
    let mut sound = true;
    for (number, item) in items.iter().enumerate() {
        let point = reader.item("profile", number, item, &PROFILE_POINT);
        let found = point.read_with(|point| point.given("at").zip(point.given("times")));
        let Some((at, times)) = found else {
            sound = false;
            continue;
        };
        // In order: those of one time stand together.
        let latest = points.iter().rev().take(2);
        let together = latest.filter(|point| point.at == at).count();
        let (message, label) = match points.last() {
            Some(last) if last.at > at => {
                let label = format!("earlier than the point before it, {}", last.at);
                ("the points of a profile are not in order", label)
            }
            _ if together == 2 => {
                let label = "two make a step, a third says nothing";
                ("three points at the same time", label.to_owned())
            }
            _ => {
                points.push(ProfilePoint { at, times });
                if at > time.duration {
                    warn_of_late_point(&point, at, time.duration);
                }
                continue;
            }
        };
        point.refuse("at", message, label)?;
    }
    if !sound {
        return None;
    }
    if points.iter().all(|point| point.times == 0.0) {
        let label =
            "expected points such as `{ at = \"60s\", times = 3.0 }`, not all of them 0 times";
        reader.refuse("profile", format!("the profile never {does}"), label)?;
    }
    Some(points)
}

fn warn_of_late_point(point: &Reader<'_>, at: SimDuration, end: SimDuration) {
    let message = format!("the profile's point at {at} lies behind the end of the run");
    let diagnostic = Diagnostic::warning(message).label(format!("the run takes {end}"));
    point.complain("at", diagnostic);
}

/// `clients` and `think`.
fn read_clients(reader: &Reader<'_>) -> Option<(u32, Think)> {
    let clients = reader.given::<i64>("clients");
    if let Some(clients) = clients {
        let what = format!("{} clients", grouped(clients.into()));
        if reader.refuse_memory("clients", &what, clients as f64 * CLIENT_BYTES) {
            return None;
        }
    }
    let think = read_think(reader);
    Some((clients? as u32, think?))
}

/// `buffer` of each of so many clients; the inner `None`: none.
fn read_buffer(
    reader: &Reader<'_>,
    kind: WriteKind,
    clients: Option<u32>,
) -> Option<Option<ByteSize>> {
    if !reader.has("buffer") {
        return Some(None);
    }
    let buffer: ByteSize = reader.given("buffer")?;
    if buffer == ByteSize(0) {
        let label = "leave it out to write row by row";
        reader.refuse("buffer", "a buffer of zero bytes", label)?;
    }
    if kind.reads_first() {
        let label = "HBase sends each as its own call";
        let message = format!("{}s are not buffered", kind.name());
        reader.refuse_key("buffer", message, label);
    }
    // A row takes about as much here as in the client's own buffer.
    let bytes = f64::from(clients.unwrap_or(0)) * buffer.0 as f64;
    if bytes > MEMORY {
        let [need, limit] = [bytes, MEMORY].map(ByteSize::approximate);
        let clients = grouped(clients.unwrap_or(0).into());
        let message = format!("{clients} clients buffer up to {need}");
        let label = format!("keyheat takes up to {limit}; HBase's own default is 2 MiB a client");
        reader.refuse("buffer", message, label);
    }
    Some(Some(buffer))
}

/// `think = "10ms"`, or `{ exponential = "10ms" }`, or `{ constant = "10ms" }`.
fn read_think(reader: &Reader<'_>) -> Option<Think> {
    let Some(entry) = reader.entry("think") else {
        reader.note_default("think", "\"0s\"");
        return Some(Think::Constant(SimDuration::ZERO));
    };
    if !matches!(entry.node.value, Value::Table(_)) {
        return reader.unit_node("think", &entry.node).map(Think::Constant);
    }
    reader.table_at(entry, &THINK_TIME).read_with(|think| {
        let exponential: Option<SimDuration> = think.given("exponential");
        let constant: Option<SimDuration> = think.given("constant");
        if think.has("exponential") == think.has("constant") {
            let label = "expected `{ exponential = \"10ms\" }` or `{ constant = \"10ms\" }`";
            think.refuse_table("a think time has one law", label)?;
        }
        let exponential = exponential.map(Think::Exponential);
        exponential.or(constant.map(Think::Constant))
    })
}

fn read_beat(reader: &Reader<'_>, fields: &Fields) -> Option<Periodic> {
    let each = read_each(reader, fields);
    let every = reader.positive_duration("every");
    let phase = reader.value("phase");
    let jitter: SimDuration = reader.value("jitter");
    let (each, every) = each.zip(every)?;
    if jitter > every {
        let message = format!("`jitter` is {jitter}");
        reader.refuse("jitter", message, format!("at most `every`, {every}"));
    }
    Some(Periodic {
        each,
        every,
        phase,
        jitter,
    })
}

/// Bytes of a combination of a beat: its values and its phase (estimate).
const COMBINATION_BYTES: f64 = 16.0;

/// Operations are numbered with 56 bits.
pub(super) const MOST_RECORDS: i64 = (1 << 56) - 1;

crate::settings! {
    /// The order in which an import writes its records.
    pub(super) static SORTED("sorted", "") {
        /// Sorted by this field.
        by = json("@identifier").needs("\"domain\""),
    }
}

/// Reads `each`: known, counted, distinct fields, none of which follows from the others.
pub(super) fn read_each(reader: &Reader<'_>, fields: &Fields) -> Option<Vec<FieldId>> {
    let names = reader.texts("each", true)?;
    if names.is_empty() {
        reader.refuse("each", "`each` is empty", "expected at least one field")?;
    }
    let mut each = Vec::new();
    let mut combinations = 1.0;
    for (name, place) in &names {
        // All unknown names at once.
        let Some(id) = find(reader.sink, fields, name, place) else {
            continue;
        };
        let field = fields.schema.field(id);
        let kind = &field.kind;
        let (message, label) = match kind.count() {
            _ if field.column.is_some() => {
                let label = "`replay` writes each row of the file once";
                (
                    format!("`{name}` goes with its row of the file"),
                    label.to_owned(),
                )
            }
            None => {
                let label = format!("it is {}", kind.describe());
                (format!("`{name}` has no finite number of values"), label)
            }
            Some(_) if each.contains(&id) => {
                (format!("`{name}` stands twice in `each`"), String::new())
            }
            Some(count) => {
                combinations *= count as f64;
                each.push(id);
                continue;
            }
        };
        reader.sink.error(place, message, label)?;
    }
    if each.len() < names.len() {
        return None;
    }
    for (id, (name, place)) in each.iter().zip(&names) {
        let of = &fields.schema.field(*id).of;
        if !of.is_empty() && of.iter().all(|parent| each.contains(parent)) {
            let label = "drawn once for each of the others: leave it out";
            let message = format!("`{name}` follows from the other fields of `each`");
            reader.sink.error(place, message, label);
        }
    }
    let what = format!("{} combinations", grouped(combinations as i128));
    let bytes = combinations * COMBINATION_BYTES;
    (!reader.refuse_memory("each", &what, bytes)).then_some(each)
}

pub(super) fn read_import(reader: &Reader<'_>, fields: &Fields) -> Option<Import> {
    let rows = read_rows(reader, fields, None)?;
    Some(Import {
        rows,
        order: read_order(reader, fields)?,
        times: None,
    })
}

/// The combinations of a beat or an import, and how often each comes.
pub(super) type Combinations = (Vec<FieldId>, Option<SimDuration>);

/// The finite rows of an import or of `[existing.x]`; `inherited` stands in for `each` and `every`.
pub(super) fn read_rows(
    reader: &Reader<'_>,
    fields: &Fields,
    inherited: Option<Combinations>,
) -> Option<ImportRows> {
    let each = match reader.has("each") {
        true => Some(read_each(reader, fields)?),
        false => None,
    };
    let records = reader.given::<u64>("records");
    let last = reader.positive_duration("last");
    let every = reader.positive_duration("every");
    if (reader.has("last") && last.is_none()) || (reader.has("every") && every.is_none()) {
        return None;
    }
    if reader.has("records") {
        if each.is_some() {
            let label = "each combination is one row: leave out one of them";
            reader.refuse_key("records", "`records` and `each` exclude each other", label)?;
        }
        if every.is_some() {
            reader.meaningless("every", "needs `each` instead of `records`")?;
        }
        return Some(ImportRows::Drawn {
            records: records?,
            last: last.unwrap_or(SimDuration::ZERO),
        });
    }
    let Some((each, usual)) = each.map(|each| (each, None)).or(inherited) else {
        let message = format!("{} does not say how many rows there are", reader.name());
        reader.refuse_table(message, "expected `records = N`, or `each` with `every`");
        return None;
    };
    let every = every.or(usual.filter(|_| last.is_some()));
    match (every, last) {
        (Some(_), None) => {
            reader.missing("last", "\"30d\"")?;
        }
        (Some(every), Some(last)) if every > last => {
            let message = format!("`every` {every} is longer than `last` {last}");
            let key = if reader.has("every") { "every" } else { "last" };
            reader.refuse(key, message, "no row would exist")?;
        }
        _ => {}
    }
    let last = last.unwrap_or(SimDuration::ZERO);
    Some(ImportRows::Each { each, every, last })
}

fn read_order(reader: &Reader<'_>, fields: &Fields) -> Option<ImportOrder> {
    let Some(entry) = reader.entry("order") else {
        reader.note_default("order", "\"time\"");
        return Some(ImportOrder::Time);
    };
    if !matches!(entry.node.value, Value::Table(_)) {
        let word = reader.word_node("order", &entry.node, &["time", "shuffled"])?;
        return Some([ImportOrder::Time, ImportOrder::Shuffled][word]);
    }
    let order = reader.table_at(entry, &SORTED);
    let by = order.required_text("by");
    order.finish();
    let id = find(reader.sink, fields, by?, &order.place_of_value("by"))?;
    let kind = &fields.schema.field(id).kind;
    if matches!(
        kind,
        FieldKind::Uuid { count: None } | FieldKind::Bytes { count: None, .. }
    ) {
        let label = "expected a field with a `count`";
        order.refuse("by", "fresh values have no order", label)?;
    }
    Some(ImportOrder::By(id))
}

crate::settings! {
    /// Records written before the run: of a time, a number of them, or each combination of fields.
    pub(super) static EXISTING("existing", "") {
        /// The records of so long a time before the run.
        last = time(),
        /// How many records there are.
        records = integer(1, MOST_RECORDS),
        /// Each combination of these fields.
        each = json("@oneOrMoreFields"),
        /// How often each combination came.
        every = time(),
        /// Fixed fields; those of the write of the same name unless said.
        with = json("@values"),
    }
}

/// Reads all `[existing.x]`; what one does not say comes from the write of its name.
pub(super) fn read_existing(
    scenario: &Reader<'_>,
    fields: &mut Fields,
    writes: &[Write],
) -> Vec<Existing> {
    let all = scenario.named("existing", "table of existing rows", usize::MAX, &EXISTING);
    let read = |(name, reader): (&str, Reader<'_>)| {
        let at = writes.iter().position(|write| write.name == name);
        let write = at.map(|at| &writes[at]);
        let own = read_with(&reader, fields);
        let inherited = write.filter(|_| !reader.has("with"));
        let with = inherited.map_or(own, |write| write.with.clone());
        let rows = read_existing_rows(&reader, fields, name, write, writes);
        reader.finish();
        Some(Existing {
            name: name.to_owned(),
            write: at.map(|at| WriteId(at as u8)),
            rows: rows?,
            with,
        })
    };
    all.into_iter().filter_map(read).collect()
}

fn read_existing_rows(
    reader: &Reader<'_>,
    fields: &Fields,
    name: &str,
    write: Option<&Write>,
    writes: &[Write],
) -> Option<ExistingRows> {
    let load = write.map(|write| &write.load);
    // The rate of an open loop without an end.
    let rate = match load {
        // Of a write that could not be read nothing is known.
        Some(LoadModel::Open { rate, .. }) if rate.0 == 0.0 => return None,
        Some(LoadModel::Open { rate, import, .. }) if import.is_none() => Some(rate.0),
        _ => None,
    };
    if reader.has("records") || reader.has("each") {
        let mut rows = read_rows(reader, fields, None)?;
        if let ImportRows::Drawn { records, last } = &mut rows
            && let Some(rate) = rate.filter(|_| *last == SimDuration::ZERO)
        {
            // As long as the write needed for so many. Times stay within a century.
            let nanos = *records as f64 / rate * 1e9;
            let most = SimDuration::LONGEST_WRITTEN.as_nanos();
            *last = SimDuration::from_nanos((nanos as u64).clamp(1, most));
        }
        return Some(rows);
    }
    if let Some(rate) = rate {
        reader.meaningless("every", "needs `each`");
        reader.missing("last", "\"7d\"");
        let last = reader.positive_duration("last")?;
        let records = (rate * last.as_secs_f64()).round();
        if records < 1.0 {
            let message = format!("a rate of {rate}/s leaves no row");
            reader.refuse("last", message, "expected a longer time")?;
        }
        // Rates and times are bounded so that this is below 2^63; operations are numbered with 56 bits.
        let records = (records as u64).min(MOST_RECORDS as u64);
        return Some(ImportRows::Drawn { records, last });
    }
    if let Some(load) = load {
        return read_rows(reader, fields, combinations(load));
    }
    let message = format!("there is no write `{name}` to take the rows from");
    let names = writes.iter().map(|write| write.name.as_str());
    let diagnostic = Diagnostic::error(message).label("expected `records = N`, or `each`");
    reader.complain_of_table(diagnostic.hint(slip(name, names)));
    None
}

/// The combinations that a write goes through, and how often.
fn combinations(load: &LoadModel) -> Option<Combinations> {
    match (load, load.import().map(|import| &import.rows)) {
        (LoadModel::Periodic(periodic), _) => Some((periodic.each.clone(), Some(periodic.every))),
        (_, Some(ImportRows::Each { each, every, .. })) => Some((each.clone(), *every)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::Scenario;
    use crate::time::SimDuration;
    use crate::workload::ImportRows;

    fn rows(existing: &str) -> ImportRows {
        let text = format!(
            "[field]\nid = {{ type = \"int\", count = 9 }}\n[write.w]\nrate = \"4k/s\"\n\
             [existing.w]\n{existing}\n[strategy.a]\nkey = \"be4(id)\"\n"
        );
        let scenario = Scenario::parse(&text, "existing").unwrap_or_else(|error| panic!("{error}"));
        scenario.strategies[0].setup.workload.existing[0]
            .rows
            .clone()
    }

    #[test]
    fn what_existing_rows_do_not_say_follows_from_the_rate_of_their_write() {
        let expected = ImportRows::Drawn {
            records: 6_000,
            last: SimDuration::from_millis(1_500),
        };
        assert_eq!(rows("records = 6_000"), expected);
        assert_eq!(rows("last = \"1.5s\""), expected);
        let both = ImportRows::Drawn {
            records: 6_000,
            last: SimDuration::from_secs(86_400),
        };
        assert_eq!(rows("records = 6_000\nlast = \"1d\""), both);
    }
}
