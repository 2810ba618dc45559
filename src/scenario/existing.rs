//! `[existing.x]`: the rows written before the run.

use super::diagnostic::Diagnostic;
use super::fields::Fields;
use super::imports::{Combinations, MOST_RECORDS, read_rows};
use super::nearest::slip;
use super::reader::Reader;
use super::writes::read_with;
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
    let drive = write.map(|write| &write.drive);
    // The rate of an open loop without an end.
    let rate = match drive {
        // Of a write that could not be read nothing is known.
        Some(Drive::Open { rate, .. }) if rate.0 == 0.0 => return None,
        Some(Drive::Open { rate, import, .. }) if import.is_none() => Some(rate.0),
        _ => None,
    };
    if reader.has("records") || reader.has("each") {
        let mut rows = read_rows(reader, fields, None)?;
        if let ImportRows::Drawn { records, last } = &mut rows
            && let Some(rate) = rate.filter(|_| *last == SimDuration::ZERO)
        {
            // As long as the write needed for so many. Times stay within a century.
            let nanos = *records as f64 / rate * 1e9;
            *last = SimDuration::from_nanos((nanos as u64).clamp(1, Nanos::MAX.0));
        }
        return Some(rows);
    }
    if let Some(rate) = rate {
        reader.meaningless("every", "needs `each`");
        if !reader.has("last") {
            reader.missing("last", "\"7d\"");
        }
        let last = reader.positive_duration("last")?;
        let records = (rate * last.as_secs_f64()).round();
        if records < 1.0 {
            let message = format!("a rate of {rate}/s leaves no row");
            reader.refuse("last", message, "expected a longer time");
            return None;
        }
        // Rates and times are bounded so that this is below 2^63; operations are numbered with 56 bits.
        let records = (records as u64).min(MOST_RECORDS as u64);
        return Some(ImportRows::Drawn { records, last });
    }
    if let Some(drive) = drive {
        return read_rows(reader, fields, combinations(drive));
    }
    let message = format!("there is no write `{name}` to take the rows from");
    let names = writes.iter().map(|write| write.name.as_str());
    let diagnostic = Diagnostic::error(message).label("expected `records = N`, or `each`");
    reader.complain_of_table(diagnostic.hint(slip(name, names)));
    None
}

/// The combinations that a write goes through, and how often.
fn combinations(drive: &Drive) -> Option<Combinations> {
    match (drive, drive.import().map(|import| &import.rows)) {
        (Drive::Beat(beat), _) => Some((beat.each.clone(), Some(beat.every))),
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
