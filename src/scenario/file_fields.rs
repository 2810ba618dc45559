//! Fields of rows that exist, and the rows that are replayed. Must not know how a file is read.

use super::data::{DATA, Request, Wanted};
use super::prelude::*;
use crate::data::ValueKind;
use crate::record::{Field, FieldColumn, FieldId, FieldKind, Schema, TimeUnit};
use std::sync::Arc;

/// The rows of a file.
#[derive(Debug, Clone)]
pub(super) struct DataFile {
    pub(super) name: String,
    /// The field that holds the number of a record's row: all fields from the file are `of` it.
    pub(super) row: FieldId,
    /// The times that a replay goes by, in nanoseconds since 1970, by their column; none of a file that could not be read.
    pub(super) clocks: Vec<(String, Arc<FieldColumn>)>,
}

/// A field from a file: which field, which file, which column, and where that is said.
pub(super) struct FromFile<'a> {
    pub(super) field: FieldId,
    from: &'a str,
    wanted: Wanted,
    reader: Reader<'a>,
}

/// What such a field may say.
pub(super) const FILE_SETTINGS: [&str; 5] = ["type", "unit", "from", "column", "unique"];

/// The types of columns.
const COLUMN_KINDS: [(&str, ValueKind); 5] = [
    ("int", ValueKind::Int),
    ("text", ValueKind::Text),
    ("uuid", ValueKind::Uuid),
    ("double", ValueKind::Decimal),
    ("timestamp", ValueKind::Time),
];

impl<'a> FromFile<'a> {
    /// Reads `{ from = "orders", column = "customer_id", type = "int" }`, the field of this name.
    pub(super) fn read(reader: Reader<'a>, field: FieldId, name: &str) -> Option<Self> {
        let words = COLUMN_KINDS.map(|(word, _)| word);
        reader.missing("type", "\"int\"");
        let entry = reader.entry("type")?;
        let (_, kind) = COLUMN_KINDS[reader.word_node("type", &entry.node, &words)?];
        if kind != ValueKind::Time {
            reader.meaningless("unit", "needs `type = \"timestamp\"`");
        }
        let wanted = Wanted {
            column: reader.text("column").unwrap_or(name).to_owned(),
            kind,
            unit: match kind {
                ValueKind::Time => reader.value("unit"),
                _ => TimeUnit::Nanos,
            },
            unique: reader.given("unique").unwrap_or(false),
        };
        let from = reader.text("from");
        reader.finish();
        Some(Self {
            field,
            from: from?,
            wanted,
            reader,
        })
    }
}

/// Most files of rows.
const MOST_FILES: usize = 64;

/// Reads the files that fields come from, and fills in the fields; those whose file can't be read stay without a column.
pub(super) fn read_files(
    scenario: &Reader<'_>,
    schema: &mut Schema,
    from_files: &[FromFile<'_>],
) -> Vec<DataFile> {
    let replays = replays(scenario);
    let files = scenario.named("data", "data", MOST_FILES, &DATA);
    for FromFile { from, reader, .. } in from_files {
        if files.iter().all(|(name, _)| name != from) {
            let diagnostic = Diagnostic::error(format!("unknown data `{from}`"));
            let names = files.iter().map(|(name, _)| *name);
            let diagnostic = diagnostic.label("no such `[data.x]`");
            reader.complain("from", diagnostic.hint(suggest(from, names)));
        }
    }
    let read = |(name, reader): (&str, Reader<'_>)| {
        let own: Vec<_> = from_files.iter().filter(|it| it.from == name).collect();
        let clocks = || replays.iter().filter(|(data, _)| *data == name);
        let clock = |(_, column): &(&str, &str)| Wanted {
            column: (*column).to_owned(),
            kind: ValueKind::Time,
            unit: TimeUnit::Nanos,
            unique: false,
        };
        let columns = own.iter().map(|it| it.wanted.clone());
        let request = reader.given::<String>("file").map(|file| Request {
            path: reader.sink.origin.folder.join(&file),
            file,
            most: reader.value::<u64>("rows") as usize,
            malformed: reader.value("malformed"),
            columns: columns.chain(clocks().map(clock)).collect(),
            clock: clocks().next().map(|(_, column)| (*column).to_owned()),
        });
        reader.finish();
        let mut file = DataFile {
            name: name.to_owned(),
            row: FieldId(schema.fields.len() as u16),
            clocks: Vec::new(),
        };
        match request.map(|request| reader.sink.rows_of(request)) {
            Some(Ok(loaded)) => {
                let mut columns = loaded.columns.into_iter();
                for (from_file, (kind, column)) in own.iter().zip(&mut columns) {
                    let field = &mut schema.fields[usize::from(from_file.field.0)];
                    (field.kind, field.column) = (kind, Some(column));
                    field.of = vec![file.row];
                }
                let names = clocks().map(|(_, column)| (*column).to_owned());
                file.clocks = names.zip(columns.map(|(_, column)| column)).collect();
                for warning in loaded.warnings {
                    reader.complain("file", warning);
                }
                let (first, count) = (0, loaded.rows);
                let row = Field::new(format!("row of {name}"), FieldKind::Int { first, count });
                schema.fields.push(row);
            }
            Some(Err(error)) => {
                reader.complain("file", error);
            }
            None => {}
        }
        file
    };
    files.into_iter().map(read).collect()
}

/// The `replay` and `time` of each write that has both.
fn replays<'a>(scenario: &Reader<'a>) -> Vec<(&'a str, &'a str)> {
    let writes = scenario.node("write").and_then(Node::table);
    let writes = writes.map_or(&[][..], |writes| &writes.entries);
    let replay = |entry: &'a Entry| {
        let write = entry.node.table()?;
        let text = |key| write.get(key)?.node.text();
        text("replay").zip(text("time"))
    };
    writes.iter().filter_map(replay).collect()
}
