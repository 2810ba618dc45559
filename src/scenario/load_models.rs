//! What makes a write happen: `rate`, `clients`, or `each` with `every`; and a read: `rate` or `clients`.

use super::diagnostic::Diagnostic;
use super::diagnostics::MEMORY;
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
    let (rate, clients) = (reader.has("rate"), reader.has("clients"));
    let needs = [
        ("arrivals", "rate", rate),
        ("profile", "rate", rate),
        ("think", "clients", clients),
        ("buffer", "clients", clients),
        ("phase", "each` and `every", beat),
        ("jitter", "each` and `every", beat),
        ("order", "records` or `last", import),
        ("every", "each", reader.has("each")),
    ];
    if !refuse_settings_of_other_loops(reader, &needs) {
        return None;
    }
    if beat {
        return read_beat(reader, fields).map(Drive::Beat);
    }
    let found = import.then(|| read_import(reader, fields));
    let unread = matches!(found, Some(None));
    let import = found.flatten();
    let drive = match rate {
        true => {
            let open = read_open(reader, time, "writes");
            open.map(|(rate, arrivals, profile)| Drive::Open {
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
            both.map(|((clients, think), buffer)| Drive::Closed {
                clients,
                think,
                buffer,
                import,
            })
        }
    };
    drive.filter(|_| !unread)
}

/// What makes a read happen; `None`: nothing, it is only planned.
pub(super) fn read_read_drive(reader: &Reader<'_>, time: &TimeSpec) -> Option<ReadDrive> {
    let (rate, clients) = (reader.has("rate"), reader.has("clients"));
    if rate && clients {
        let message = format!("{} has two loops: `rate` and `clients`", reader.name());
        let label = "expected `rate`, `clients`, or neither: then the read is planned, not issued";
        reader.refuse_key("clients", message, label);
        return None;
    }
    let needs = [
        ("arrivals", "rate", rate),
        ("profile", "rate", rate),
        ("think", "clients", clients),
    ];
    refuse_settings_of_other_loops(reader, &needs);
    if clients {
        let (clients, think) = read_clients(reader)?;
        return Some(ReadDrive::Closed { clients, think });
    }
    if !rate {
        return None;
    }
    let (rate, arrivals, profile) = read_open(reader, time, "reads")?;
    Some(ReadDrive::Open {
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
    let strays = needs
        .iter()
        .filter(|(key, _, there)| !there && reader.has(key));
    let strays: Vec<_> = strays.collect();
    for (key, needed, _) in &strays {
        reader.meaningless(key, &format!("needs `{needed}` in {}", reader.name()));
    }
    strays.is_empty()
}

/// Exactly one of `rate`, `clients`, and `each` with `every`.
fn check_loops(reader: &Reader<'_>, beat: bool) -> Option<()> {
    let loops = ["rate", "clients", "every"];
    let there = |key: &&str| reader.has(key) && (*key != "every" || beat);
    let given: Vec<&str> = loops.into_iter().filter(there).collect();
    match given[..] {
        [_] => return Some(()),
        [] if loops.iter().any(|key| reader.misspelt(key)) => {}
        [] => {
            let message = format!("{} says nowhere when to write", reader.name());
            let diagnostic = Diagnostic::error(message).label("expected `rate`, `clients`, or `each` with `every`").help(
                "`rate = \"10k/s\"` is an open loop, `clients = 100` a closed one, `each = [\"sensor\"]` with `every = \"10s\"` a beat",
            );
            reader.complain_of_table(diagnostic);
        }
        [_, second, ..] => {
            let message = format!(
                "{} has two loops: `{}`",
                reader.name(),
                given.join("` and `")
            );
            let label = "expected exactly one of `rate`, `clients`, `each` with `every`";
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
                let last = Nanos(last.at.as_nanos());
                let label = format!("earlier than the point before it, {last}");
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
        point.refuse("at", message, label);
        return None;
    }
    if !sound {
        return None;
    }
    if points.iter().all(|point| point.times == 0.0) {
        let label =
            "expected points such as `{ at = \"60s\", times = 3.0 }`, not all of them 0 times";
        reader.refuse("profile", format!("the profile never {does}"), label);
        return None;
    }
    Some(points)
}

fn warn_of_late_point(point: &Reader<'_>, at: SimDuration, end: SimDuration) {
    let [at, end] = [at, end].map(|time| Nanos(time.as_nanos()));
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
        reader.refuse("buffer", "a buffer of zero bytes", label);
        return None;
    }
    if kind == WriteKind::Increment {
        let label = "HBase sends each as its own call";
        reader.refuse_key("buffer", "increments are not buffered", label);
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
        let time: Nanos = reader.unit_node("think", &entry.node)?;
        return Some(Think::Constant(SimDuration::from_nanos(time.0)));
    }
    reader.table_at(entry, &THINK_TIME).read_with(|think| {
        let exponential: Option<SimDuration> = think.given("exponential");
        let constant: Option<SimDuration> = think.given("constant");
        if think.has("exponential") == think.has("constant") {
            let label = "expected `{ exponential = \"10ms\" }` or `{ constant = \"10ms\" }`";
            think.refuse_table("a think time has one law", label);
            return None;
        }
        let exponential = exponential.map(Think::Exponential);
        exponential.or(constant.map(Think::Constant))
    })
}

fn read_beat(reader: &Reader<'_>, fields: &Fields) -> Option<Beat> {
    let each = read_each(reader, fields);
    let every = reader.positive_duration("every");
    let phase = reader.value("phase");
    let jitter: SimDuration = reader.value("jitter");
    let (each, every) = each.zip(every)?;
    if jitter > every {
        let [jitter, every] = [jitter, every].map(|time| Nanos(time.as_nanos()));
        let message = format!("`jitter` is {jitter}");
        reader.refuse("jitter", message, format!("at most `every`, {every}"));
    }
    Some(Beat {
        each,
        every,
        phase,
        jitter,
    })
}
