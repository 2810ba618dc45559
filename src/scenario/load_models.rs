//! What makes a write happen: `rate`, `clients`, or `each` with `every`; and a read: `rate` or `clients`.

use super::diagnostic::Diagnostic;
use super::document::Value;
use super::fields::Fields;
use super::imports::{read_each, read_import};
use super::model::TimeSpec;
use super::reader::Reader;
use crate::settings::{json, number, time, word};
use crate::text::grouped;
use crate::time::SimDuration;
use crate::units::{ByteSize, Nanos, PerSecond};
use crate::workload::{Arrivals, Beat, Drive, ProfilePoint, ReadDrive, Think, WriteKind};

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
}

crate::settings! {
    pub(super) static PROFILE_POINT("profile-point", "") {
        at = time().needs("\"60s\""),
        times = number("in 0 ..= 1,000,000", 0.0, 1e6, (true, true)).needs("3.0"),
    }
}

crate::settings! {
    pub(super) static THINK_TIME("think-time", r#""minProperties": 1, "maxProperties": 1"#) {
        constant = time(),
        exponential = time(),
    }
}

/// Memory that the clients of one write may take.
const MEMORY: f64 = (4u64 << 30) as f64;

/// Bytes of a closed-loop client and its pending operation (estimate).
const CLIENT_BYTES: f64 = 256.0;

pub(super) fn read_drive(
    reader: &Reader<'_>,
    fields: &Fields,
    time: &TimeSpec,
    kind: WriteKind,
) -> Option<Drive> {
    let finite = reader.has("last") || reader.has("records");
    let beat = reader.has("each") && reader.has("every") && !finite;
    let import = finite || (reader.has("each") && !beat);
    check_loops(reader, beat)?;
    let needs = [
        ("arrivals", "rate", reader.has("rate")),
        ("profile", "rate", reader.has("rate")),
        ("think", "clients", reader.has("clients")),
        ("buffer", "clients", reader.has("clients")),
        ("phase", "each` and `every", beat),
        ("jitter", "each` and `every", beat),
        ("order", "records` or `last", import),
        ("every", "each", reader.has("each")),
    ];
    if !refuse_settings_of_other_loops(reader, &needs) {
        for key in ["rate", "clients", "each", "last", "records"] {
            reader.entry(key);
        }
        return None;
    }
    if beat {
        return read_beat(reader, fields).map(Drive::Beat);
    }
    let import = if import {
        Some(read_import(reader, fields))
    } else {
        None
    };
    for key in ["each", "every", "last", "records", "order"] {
        reader.entry(key);
    }
    if reader.has("rate") {
        let open = read_open(reader, time, "writes");
        let import = import.map_or(Some(None), |import| import.map(Some))?;
        return open.map(|(rate, arrivals, profile)| Drive::Open {
            rate,
            arrivals,
            profile,
            import,
        });
    }
    let closed = read_clients(reader);
    let buffer = read_buffer(reader, kind);
    if let (Some((clients, _)), Some(Some(buffer))) = (&closed, buffer) {
        check_buffer_memory(reader, *clients, buffer);
    }
    let import = import.map_or(Some(None), |import| import.map(Some))?;
    let (clients, think) = closed?;
    Some(Drive::Closed {
        clients,
        think,
        buffer: buffer?,
        import,
    })
}

/// What makes a read happen; the inner `None`: nothing, it is only planned.
pub(super) fn read_read_drive(reader: &Reader<'_>, time: &TimeSpec) -> Option<Option<ReadDrive>> {
    let (rate, clients) = (reader.has("rate"), reader.has("clients"));
    if rate && clients {
        let message = format!("{} has two loops: `rate` and `clients`", reader.name());
        let diagnostic = Diagnostic::error(message)
            .label("expected `rate`, `clients`, or neither: then the read is planned, not issued");
        reader.complain_of_key("clients", diagnostic);
        for key in ["rate", "clients", "arrivals", "profile", "think"] {
            reader.entry(key);
        }
        return None;
    }
    let needs = [
        ("arrivals", "rate", rate),
        ("profile", "rate", rate),
        ("think", "clients", clients),
    ];
    let sound = refuse_settings_of_other_loops(reader, &needs);
    let drive = if rate {
        read_open(reader, time, "reads").map(|(rate, arrivals, profile)| ReadDrive::Open {
            rate,
            arrivals,
            profile,
        })
    } else if clients {
        read_clients(reader).map(|(clients, think)| ReadDrive::Closed { clients, think })
    } else {
        reader.entry("rate");
        reader.entry("clients");
        return sound.then_some(None);
    };
    sound.then_some(Some(drive?))
}

/// Complains about settings of another loop: (setting, what it needs, whether that is there).
fn refuse_settings_of_other_loops<'a>(
    reader: &Reader<'a>,
    needs: &[(&'a str, &str, bool)],
) -> bool {
    let mut sound = true;
    for &(key, needed, there) in needs {
        if !there && reader.entry(key).is_some() {
            let diagnostic = Diagnostic::error(format!("`{key}` has no meaning here"))
                .label(format!("needs `{needed}` in {}", reader.name()));
            reader.complain_of_key(key, diagnostic);
            sound = false;
        }
    }
    sound
}

/// Exactly one of `rate`, `clients`, and `each` with `every`.
fn check_loops(reader: &Reader<'_>, beat: bool) -> Option<()> {
    let mut loops: Vec<&str> = ["rate", "clients"]
        .into_iter()
        .filter(|key| reader.has(key))
        .collect();
    if beat {
        loops.push("every");
    }
    match loops[..] {
        [_] => Some(()),
        [] => {
            ask_all(reader);
            if ["rate", "clients", "every"]
                .iter()
                .any(|key| reader.misspelt(key))
            {
                return None;
            }
            let message = format!("{} says nowhere when to write", reader.name());
            let diagnostic = Diagnostic::error(message).label("expected `rate`, `clients`, or `each` with `every`").help(
                "`rate = \"10k/s\"` is an open loop, `clients = 100` a closed one, `each = [\"sensor\"]` with `every = \"10s\"` a beat",
            );
            reader.complain_of_table(diagnostic);
            None
        }
        _ => {
            let message = format!(
                "{} has two loops: `{}`",
                reader.name(),
                loops.join("` and `")
            );
            let diagnostic = Diagnostic::error(message)
                .label("expected exactly one of `rate`, `clients`, `each` with `every`");
            reader.complain_of_key(loops[1], diagnostic);
            ask_all(reader);
            None
        }
    }
}

/// All settings of all loops are known here, whichever of them is meant.
fn ask_all(reader: &Reader<'_>) {
    for key in [
        "rate", "clients", "arrivals", "profile", "think", "buffer", "each", "every", "phase",
        "jitter", "last", "records", "order",
    ] {
        reader.entry(key);
    }
}

/// `rate`, `arrivals` and `profile`. `does` is the verb of what happens.
fn read_open(
    reader: &Reader<'_>,
    time: &TimeSpec,
    does: &str,
) -> Option<(PerSecond, Arrivals, Vec<ProfilePoint>)> {
    let rate = reader.given::<PerSecond>("rate");
    if rate == Some(PerSecond(0.0)) {
        reader.refuse(
            "rate",
            format!("a rate of zero {does} nothing"),
            "must be greater than 0",
        );
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
        let path = format!("{}.profile[{number}]", reader.path);
        let point = reader.table_of("profile", item, &item.place, path, &PROFILE_POINT);
        if point.table.is_none() {
            sound = false;
            continue;
        }
        let at: Option<SimDuration> = point.given("at");
        let times: Option<f64> = point.given("times");
        let at_place = point.place_of_value("at");
        point.finish();
        let Some((at, times)) = at.zip(times) else {
            sound = false;
            continue;
        };
        if let Some(last) = points.last().filter(|last| last.at > at) {
            let label = format!(
                "earlier than the point before it, {}",
                Nanos(last.at.as_nanos())
            );
            reader
                .sink
                .error(&at_place, "the points of a profile are not in order", label);
            return None;
        }
        // In order: those of one time stand together.
        let latest = points.iter().rev().take(2);
        if latest.filter(|point| point.at == at).count() == 2 {
            reader.sink.error(
                &at_place,
                "three points at the same time",
                "two make a step, a third says nothing",
            );
            return None;
        }
        if at > time.duration {
            let message = format!(
                "the profile's point at {} lies behind the end of the run",
                Nanos(at.as_nanos())
            );
            let label = format!("the run takes {}", Nanos(time.duration.as_nanos()));
            reader
                .sink
                .add(&at_place, Diagnostic::warning(message).label(label));
        }
        points.push(ProfilePoint { at, times });
    }
    if !sound {
        return None;
    }
    if points.is_empty() || points.iter().all(|point| point.times == 0.0) {
        let label =
            "expected points such as `{ at = \"60s\", times = 3.0 }`, not all of them 0 times";
        reader.refuse("profile", format!("the profile never {does}"), label);
        return None;
    }
    Some(points)
}

/// `clients` and `think`.
fn read_clients(reader: &Reader<'_>) -> Option<(u32, Think)> {
    let clients = reader.given::<i64>("clients");
    if let Some(clients) = clients.filter(|&clients| clients as f64 * CLIENT_BYTES > MEMORY) {
        let need = ByteSize::approximate(clients as f64 * CLIENT_BYTES);
        let message = format!(
            "{} clients need about {need} of memory",
            grouped(clients.into())
        );
        let label = format!("keyheat takes up to {}", ByteSize::approximate(MEMORY));
        reader.refuse("clients", message, label);
        reader.entry("think");
        return None;
    }
    let think = read_think(reader);
    Some((clients? as u32, think?))
}

/// `buffer`; the inner `None`: none.
fn read_buffer(reader: &Reader<'_>, kind: WriteKind) -> Option<Option<ByteSize>> {
    let buffer = reader.given::<ByteSize>("buffer");
    if buffer == Some(ByteSize(0)) {
        reader.refuse(
            "buffer",
            "a buffer of zero bytes",
            "leave it out to write row by row",
        );
        return None;
    }
    if buffer.is_some() && kind == WriteKind::Increment {
        reader.refuse_key(
            "buffer",
            "increments are not buffered",
            "HBase sends each as its own call",
        );
    }
    (buffer.is_some() || !reader.has("buffer")).then_some(buffer)
}

/// A row takes about as much here as in the client's own buffer.
fn check_buffer_memory(reader: &Reader<'_>, clients: u32, buffer: ByteSize) {
    let bytes = f64::from(clients) * buffer.0 as f64;
    if bytes > MEMORY {
        let need = ByteSize::approximate(bytes);
        let limit = ByteSize::approximate(MEMORY);
        reader.refuse(
            "buffer",
            format!("{} clients buffer up to {need}", grouped(clients.into())),
            format!("keyheat takes up to {limit}; HBase's own default is 2 MiB a client"),
        );
    }
}

/// `think = "10ms"`, or `{ exponential = "10ms" }`, or `{ constant = "10ms" }`.
fn read_think(reader: &Reader<'_>) -> Option<Think> {
    let is_table = reader
        .table
        .and_then(|table| table.get("think"))
        .is_some_and(|entry| matches!(entry.node.value, Value::Table(_)));
    if !is_table {
        let time = match reader.entry("think") {
            Some(entry) => reader.unit_node::<Nanos>("think", &entry.node)?,
            None => {
                reader.note_default("think", "\"0s\"");
                Nanos(0)
            }
        };
        return Some(Think::Constant(SimDuration::from_nanos(time.0)));
    }
    let (node, path) = (reader.entry("think")?, reader.path_of("think"));
    let think = reader.table_of("think", &node.node, &node.place, path, &THINK_TIME);
    let exponential: Option<SimDuration> = think.given("exponential");
    let constant: Option<SimDuration> = think.given("constant");
    if think.has("exponential") == think.has("constant") {
        let label = "expected `{ exponential = \"10ms\" }` or `{ constant = \"10ms\" }`";
        think.refuse_table("a think time has one law", label);
        think.finish();
        return None;
    }
    think.finish();
    exponential
        .map(Think::Exponential)
        .or(constant.map(Think::Constant))
}

fn read_beat(reader: &Reader<'_>, fields: &Fields) -> Option<Beat> {
    let each = read_each(reader, fields);
    let every = reader.positive_duration("every");
    let phase = reader.value("phase");
    let jitter: SimDuration = reader.value("jitter");
    let (each, every) = each.zip(every)?;
    if jitter > every {
        let label = format!("at most `every`, {}", Nanos(every.as_nanos()));
        let message = format!("`jitter` is {}", Nanos(jitter.as_nanos()));
        reader.refuse("jitter", message, label);
    }
    Some(Beat {
        each,
        every,
        phase,
        jitter,
    })
}
