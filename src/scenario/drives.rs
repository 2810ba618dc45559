//! What makes a write happen: `rate`, `clients`, or `each` with `every`. Must not know which records are written.

use super::Diagnostic;
use super::clock::value_place;
use super::document::Value;
use super::fields::Fields;
use super::imports::{read_each, read_import};
use super::model::TimeSpec;
use super::reader::Reader;
use crate::units::{ByteSize, Nanos, PerSecond, grouped};
use crate::workload::{Arrivals, Beat, Drive, Phase, ProfilePoint, Think, WriteKind};

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
    let mut sound = true;
    for (key, needed, there) in needs {
        if !there && reader.entry(key).is_some() {
            let diagnostic = Diagnostic::error(format!("`{key}` has no meaning here"))
                .label(format!("needs `{needed}` in {}", reader.name()));
            reader.sink.add(&reader.place_of(key), diagnostic);
            sound = false;
        }
    }
    if !sound {
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
    let drive = if reader.has("rate") {
        read_open(reader, time)
    } else {
        read_closed(reader, kind)
    };
    let import = match import {
        Some(import) => Some(import?),
        None => None,
    };
    Some(match drive? {
        Drive::Open {
            rate,
            arrivals,
            profile,
            ..
        } => Drive::Open {
            rate,
            arrivals,
            profile,
            import,
        },
        Drive::Closed {
            clients,
            think,
            buffer,
            ..
        } => Drive::Closed {
            clients,
            think,
            buffer,
            import,
        },
        beat => beat,
    })
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
            reader.sink.add(&reader.place, diagnostic);
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
            reader.sink.add(&reader.place_of(loops[1]), diagnostic);
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

fn read_open(reader: &Reader<'_>, time: &TimeSpec) -> Option<Drive> {
    let rate = reader.unit::<PerSecond>("rate");
    if rate == Some(PerSecond(0.0)) {
        reader.sink.error(
            &value_place(reader, "rate"),
            "a rate of zero writes nothing",
            "must be greater than 0",
        );
    }
    let laws = [
        ("poisson", Arrivals::Poisson),
        ("constant", Arrivals::Constant),
    ];
    let arrivals = reader.word_or("arrivals", &laws, "poisson");
    let profile = read_profile(reader, time);
    Some(Drive::Open {
        rate: rate?,
        arrivals,
        profile: profile?,
        import: None,
    })
}

fn read_profile(reader: &Reader<'_>, time: &TimeSpec) -> Option<Vec<ProfilePoint>> {
    let Some(items) = reader.list("profile") else {
        return (!reader.has("profile")).then(Vec::new);
    };
    let mut points: Vec<ProfilePoint> = Vec::new();
    let mut sound = true;
    for (number, item) in items.iter().enumerate() {
        let path = format!("{}.profile[{number}]", reader.path);
        let point = reader.table_of("profile", item, &item.place, path);
        if point.table.is_none() {
            sound = false;
            continue;
        }
        for (key, example) in [("at", "\"60s\""), ("times", "3.0")] {
            if !point.has(key) {
                point.missing(key, example);
            }
        }
        let at = point.duration("at");
        let times = point.number("times", "in 0 ..= 1,000,000", |times| {
            (0.0..=1e6).contains(&times)
        });
        let at_place = value_place(&point, "at");
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
        if points.iter().filter(|point| point.at == at).count() == 2 {
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
        reader.sink.error(
            &value_place(reader, "profile"),
            "the profile never writes",
            label,
        );
        return None;
    }
    Some(points)
}

fn read_closed(reader: &Reader<'_>, kind: WriteKind) -> Option<Drive> {
    let clients = reader.integer("clients", 1, i64::MAX);
    if let Some(clients) = clients.filter(|&clients| clients as f64 * CLIENT_BYTES > MEMORY) {
        let need = ByteSize::approximate(clients as f64 * CLIENT_BYTES);
        let message = format!(
            "{} clients need about {need} of memory",
            grouped(clients.into())
        );
        let label = format!("keyheat takes up to {}", ByteSize::approximate(MEMORY));
        reader
            .sink
            .error(&value_place(reader, "clients"), message, label);
        reader.entry("think");
        reader.entry("buffer");
        return None;
    }
    let think = read_think(reader);
    let buffer = reader.unit::<ByteSize>("buffer");
    if buffer == Some(ByteSize(0)) {
        reader.sink.error(
            &value_place(reader, "buffer"),
            "a buffer of zero bytes",
            "leave it out to write row by row",
        );
        return None;
    }
    if buffer.is_some() && kind == WriteKind::Increment {
        reader.sink.error(
            &reader.place_of("buffer"),
            "increments are not buffered",
            "HBase sends each as its own call",
        );
    }
    if buffer.is_none() && reader.has("buffer") {
        return None;
    }
    Some(Drive::Closed {
        clients: clients? as u32,
        think: think?,
        buffer,
        import: None,
    })
}

/// `think = "10ms"`, or `{ exponential = "10ms" }`, or `{ constant = "10ms" }`.
fn read_think(reader: &Reader<'_>) -> Option<Think> {
    let is_table = reader
        .table
        .and_then(|table| table.get("think"))
        .is_some_and(|entry| matches!(entry.node.value, Value::Table(_)));
    if !is_table {
        return match reader.has("think") {
            true => reader.duration("think").map(Think::Constant),
            false => Some(Think::Constant(reader.duration_or("think", "0s"))),
        };
    }
    let think = reader.table("think");
    let exponential = think.duration("exponential");
    let constant = think.duration("constant");
    if think.has("exponential") == think.has("constant") {
        let label = "expected `{ exponential = \"10ms\" }` or `{ constant = \"10ms\" }`";
        think
            .sink
            .error(&think.place, "a think time has one law", label);
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
    let phases = [("spread", Phase::Spread), ("aligned", Phase::Aligned)];
    let phase = reader.word_or("phase", &phases, "spread");
    let jitter = reader.duration_or("jitter", "0s");
    let (each, every) = each.zip(every)?;
    if jitter > every {
        let label = format!("at most `every`, {}", Nanos(every.as_nanos()));
        let message = format!("`jitter` is {}", Nanos(jitter.as_nanos()));
        reader
            .sink
            .error(&value_place(reader, "jitter"), message, label);
    }
    Some(Beat {
        each,
        every,
        phase,
        jitter,
    })
}
