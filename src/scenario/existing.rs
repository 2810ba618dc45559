//! `[existing.x]`: the rows written before the run.

use super::diagnostic::Diagnostic;
use super::fields::Fields;
use super::imports::{MOST_RECORDS, read_rows};
use super::nearest::suggest;
use super::reader::Reader;
use super::writes::read_with;
use crate::record::FieldId;
use crate::settings::{integer, json, time};
use crate::time::SimDuration;
use crate::units::Nanos;
use crate::workload::{Drive, Existing, ExistingRows, ImportRows, Write, WriteId};

crate::settings! {
    pub(super) static EXISTING("existing", "") {
        /// The records of so long a time before the run.
        last = time(),
        /// So many records.
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
    let mut found = Vec::new();
    for (name, reader) in
        scenario.named("existing", "table of existing rows", usize::MAX, &EXISTING)
    {
        let at = writes.iter().position(|write| write.name == name);
        let write = at.map(|at| &writes[at]);
        let own_with = reader.has("with");
        let mut with = read_with(&reader, fields);
        if !own_with && let Some(write) = write {
            with.clone_from(&write.with);
        }
        let rows = read_existing_rows(&reader, fields, write, writes);
        reader.finish();
        if let Some(rows) = rows {
            let write = at.map(|at| WriteId(at as u8));
            found.push(Existing {
                name: name.to_owned(),
                write,
                rows,
                with,
            });
        }
    }
    found
}

fn read_existing_rows(
    reader: &Reader<'_>,
    fields: &Fields,
    write: Option<&Write>,
    writes: &[Write],
) -> Option<ExistingRows> {
    if let Some(Drive::Open { rate, .. }) = write.map(|write| &write.drive)
        && rate.0 == 0.0
    {
        // Of a write that could not be read nothing is known.
        for key in ["records", "each", "every", "last"] {
            reader.entry(key);
        }
        return None;
    }
    if reader.has("records") || reader.has("each") {
        let mut rows = read_rows(reader, fields, None)?;
        if let ImportRows::Drawn { records, last } = &mut rows
            && let Some(Drive::Open {
                rate, import: None, ..
            }) = write.map(|write| &write.drive)
            && *last == SimDuration::ZERO
        {
            // As long as the write needed for so many. Times stay within a century.
            let nanos = *records as f64 / rate.0 * 1e9;
            *last = SimDuration::from_nanos((nanos as u64).clamp(1, Nanos::MAX.0));
        }
        return Some(rows);
    }
    match write.map(|write| &write.drive) {
        Some(Drive::Open {
            rate, import: None, ..
        }) => {
            let rate = rate.0;
            if reader.entry("every").is_some() {
                reader.refuse_key("every", "`every` has no meaning here", "needs `each`");
            }
            for key in ["records", "each"] {
                reader.entry(key);
            }
            if !reader.has("last") {
                reader.missing("last", "\"7d\"");
                return None;
            }
            let last = reader.positive_duration("last")?;
            let records = (rate * last.as_secs_f64()).round();
            if records < 1.0 {
                let message = format!("a rate of {rate}/s leaves no row");
                reader.refuse("last", message, "expected a longer time");
                return None;
            }
            // Rates and times are bounded so that this is below 2^63; operations are numbered with 56 bits.
            Some(ImportRows::Drawn {
                records: (records as u64).min((1 << 56) - 1),
                last,
            })
        }
        Some(drive) => match inherited(drive) {
            Some((each, every)) => read_rows(reader, fields, Some((each, every))),
            None => read_rows(reader, fields, None),
        },
        None => {
            let name = reader.path.rsplit('.').next().unwrap_or_default();
            let mut diagnostic =
                Diagnostic::error(format!("there is no write `{name}` to take the rows from"))
                    .label("expected `records = N`, or `each`");
            diagnostic.help = suggest(name, writes.iter().map(|write| write.name.as_str()))
                .filter(|help| help.starts_with("did"));
            reader.complain_of_table(diagnostic);
            for key in ["last", "every", "records", "each"] {
                reader.entry(key);
            }
            None
        }
    }
}

fn inherited(drive: &Drive) -> Option<(Vec<FieldId>, Option<SimDuration>)> {
    match drive {
        Drive::Beat(beat) => Some((beat.each.clone(), Some(beat.every))),
        Drive::Open {
            import: Some(import),
            ..
        }
        | Drive::Closed {
            import: Some(import),
            ..
        } => match &import.rows {
            ImportRows::Each { each, every, .. } => Some((each.clone(), *every)),
            ImportRows::Drawn { .. } => None,
        },
        Drive::Open { .. } | Drive::Closed { .. } => None,
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
