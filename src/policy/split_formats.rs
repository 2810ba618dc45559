//! Split points as each store takes them. Must not know where they come from.

use super::split_points::create_command;
use crate::keyspace::{RowKey, escape};
use crate::text::hex;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// A way to write split points: statements and files.
pub struct SplitFormat {
    /// As users call it.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Before the first point, between two, and behind the last, with `{t}` for the table.
    around: [&'static str; 3],
    point: fn(&[u8]) -> Option<String>,
}

/// All formats. Syntax and limits of the other stores are those of their documentation.
pub const SPLIT_FORMATS: [SplitFormat; 8] = [
    SplitFormat {
        name: "escaped",
        about: r"One a line in HBase's `\xHH` notation",
        around: ["", "\n", "\n"],
        point: |key| Some(escape(key)),
    },
    SplitFormat {
        name: "hex",
        about: "One a line in lower-case hex",
        around: ["", "\n", "\n"],
        point: |key| Some(hex(key)),
    },
    // `create_command` writes the whole.
    SplitFormat {
        name: "hbase-shell",
        about: "A `create` command that the HBase shell takes as it is",
        around: [""; 3],
        point: |_| None,
    },
    // Accumulo shell, `addsplits`: a file of newline-separated rows; `-b64` decodes those of a file.
    SplitFormat {
        name: "accumulo",
        about: "A file for the Accumulo shell, `addsplits -t TABLE -b64 -sf FILE`; a tablet ends with its split point, where a region begins with it",
        around: ["", "\n", "\n"],
        point: |key| Some(STANDARD.encode(key)),
    },
    // cbt CLI reference, `createtable`: `splits=` with commas between; it knows no escapes, and a shell reads it.
    SplitFormat {
        name: "cbt",
        about: "A `cbt createtable` command for Cloud Bigtable; keys of text alone",
        around: ["cbt createtable {t} \"families=d\" \"splits=", ",", "\"\n"],
        point: |key| text(key).filter(|it| !it.contains([',', '"', '$', '`', '!'])),
    },
    // Spanner, "Create and manage split points": a line a point, strings in single quotes, commas in them escaped; no form is given for BYTES.
    SplitFormat {
        name: "spanner",
        about: "A file for `gcloud spanner databases splits add DATABASE --instance=INSTANCE --splits-file=FILE`, which takes 100 lines; keys of one STRING column",
        around: ["TABLE {t} ('", "')\nTABLE {t} ('", "')\n"],
        point: |key| {
            text(key)
                .filter(|it| !it.contains('\''))
                .map(|it| it.replace(',', "\\,"))
        },
    },
    // TiDB, "Split Region": `BY (value), (value)`; MySQL's hexadecimal literals are binary strings.
    SplitFormat {
        name: "tidb",
        about: "A `SPLIT TABLE` statement for TiDB; a clustered primary key of type VARBINARY",
        around: ["SPLIT TABLE `{t}` BY (x'", "'), (x'", "');\n"],
        point: |key| Some(hex(key)),
    },
    // CockroachDB, "ALTER TABLE ... SPLIT AT": a selection query whose rows are the points; `'\xHH'` is BYTES.
    SplitFormat {
        name: "cockroachdb",
        about: "An `ALTER TABLE ... SPLIT AT` statement for CockroachDB; a primary key of type BYTES",
        around: [
            "ALTER TABLE \"{t}\" SPLIT AT VALUES ('\\x",
            "'), ('\\x",
            "');\n",
        ],
        point: |key| Some(hex(key)),
    },
];

/// Keys of printable ASCII without a backslash.
fn text(key: &[u8]) -> Option<String> {
    let is_text = key
        .iter()
        .all(|byte| matches!(byte, b' '..=b'~') && *byte != b'\\');
    is_text.then(|| key.iter().copied().map(char::from).collect())
}

impl SplitFormat {
    /// Writes the points of a table, whose name should be one that needs no quotes.
    ///
    /// # Errors
    /// The first point that can't be written so.
    pub fn write<'a>(&self, table: &str, points: &'a [RowKey]) -> Result<String, &'a RowKey> {
        if self.name == "hbase-shell" {
            return Ok(create_command(table, &[("d", vec![])], &[], points));
        }
        let [start, between, end] = self.around.map(|it| it.replace("{t}", table));
        let mut written = String::new();
        for (at, point) in points.iter().enumerate() {
            written += if at == 0 { &start } else { &between };
            written += &(self.point)(point.as_bytes()).ok_or(point)?;
        }
        if !points.is_empty() {
            written += &end;
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_store_gets_its_own_syntax() {
        let points = [b"a,b".to_vec(), b"it".to_vec()].map(RowKey);
        let binary = [RowKey(vec![0x10, 0x00])];
        let format = |name| SPLIT_FORMATS.iter().find(|it| it.name == name).unwrap();
        let write = |name, points| SplitFormat::write(format(name), "t", points);
        assert_eq!(write("escaped", &points).unwrap(), "a,b\nit\n");
        assert_eq!(write("hex", &points).unwrap(), "612c62\n6974\n");
        assert_eq!(write("accumulo", &points).unwrap(), "YSxi\naXQ=\n");
        assert_eq!(
            write("spanner", &points).unwrap(),
            "TABLE t ('a\\,b')\nTABLE t ('it')\n"
        );
        assert_eq!(
            write("tidb", &points).unwrap(),
            "SPLIT TABLE `t` BY (x'612c62'), (x'6974');\n"
        );
        assert_eq!(
            write("cockroachdb", &binary).unwrap(),
            "ALTER TABLE \"t\" SPLIT AT VALUES ('\\x1000');\n"
        );
        assert_eq!(
            write("cbt", &points[1..]).unwrap(),
            "cbt createtable t \"families=d\" \"splits=it\"\n"
        );
        // What a store or its shell would read as something else is not written.
        assert_eq!(write("cbt", &points), Err(&points[0]));
        assert_eq!(write("cbt", &binary), Err(&binary[0]));
        assert_eq!(write("spanner", &binary), Err(&binary[0]));
        assert_eq!(write("tidb", &[]).unwrap(), "");
        assert_eq!(write("hbase-shell", &[]).unwrap(), "create 't', 'd'");
    }
}
