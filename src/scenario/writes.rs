//! `[write.x]`: what is written.

use super::diagnostic::Diagnostic;
use super::diagnostics::MEMORY;
use super::fields::{Fields, find, given};
use super::imports::{MOST_RECORDS, SORTED};
use super::load_models::read_drive;
use super::model::TimeSpec;
use super::reader::Reader;
use crate::record::FieldId;
use crate::settings::{integer, json, rate, size, time, word};
use crate::text::grouped;
use crate::units::{ByteSize, PerSecond};
use crate::workload::{Arrivals, Drive, Import, ImportRows, Phase, Write, WriteKind};

crate::settings! {
    /// Exactly one of `rate` (open loop), `clients` (closed loop), and `each` with `every` (a beat). With `last`, `records` or `each` alone it
    /// is a finite import.
    pub(super) static WRITE("write", r#""anyOf": [{ "required": ["rate"] }, { "required": ["clients"] }, { "required": ["each", "every"] }]"#)
        with super::load_models::LOOPS {
        /// An increment holds its row over the WAL sync.
        kind = word(WriteKind::WORDS).or("put"),
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
        /// Of a beat: spread over `every`, or all at once.
        phase = word(Phase::WORDS).or("spread"),
        /// Of a beat, at most `every`.
        jitter = time().or("0s"),
        /// An import of the records of so long a time.
        last = time(),
        /// An import of so many records.
        records = integer(1, MOST_RECORDS),
        /// Of an import.
        order = json(r#""anyOf": [{ "enum": ["time", "shuffled"] }, "@sorted"]"#).with(&[&SORTED]).or("time"),
    }
}

/// Most writes of a scenario.
const MOST: usize = 256;

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
    for (name, reader) in scenario.named("write", "write", MOST, &WRITE) {
        let kind = reader.value("kind");
        let with = read_with(&reader, fields);
        let drive = read_drive(&reader, fields, time, kind);
        if let Some(drive) = &drive {
            check_fixed(&reader, fields, each_of(drive), &with);
            check_order(&reader, fields, drive.import(), &with);
        }
        reader.finish();
        let drive = drive.unwrap_or(Drive::Open {
            rate: PerSecond(0.0),
            arrivals: Arrivals::Poisson,
            profile: Vec::new(),
            import: None,
        });
        let name = name.to_owned();
        writes.push(Write {
            name,
            kind,
            drive,
            with,
        });
    }
    writes
}

/// The fields that a write or its import combines.
fn each_of(drive: &Drive) -> &[FieldId] {
    match (drive, drive.import().map(|import| &import.rows)) {
        (Drive::Beat(beat), _) => &beat.each,
        (_, Some(ImportRows::Each { each, .. })) => each,
        _ => &[],
    }
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
