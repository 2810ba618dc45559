//! Writes as SQL for stores that speak PostgreSQL's protocol. Must not know where operations come from.

use crate::cli::args::SqlDialect;
use crate::keyspace::RowKey;
use crate::scenario::Strategy;
use crate::text::hex;
use serde_json::Value;

/// The tables of an export with their split points, which only CockroachDB takes in this form: elsewhere they are comments.
pub fn tables(head: &Value, name: &str, dialect: SqlDialect) -> String {
    let comment = match dialect {
        SqlDialect::Cockroach => "",
        SqlDialect::Postgres => "-- ",
    };
    let mut text = String::new();
    for (at, table) in head["tables"].as_array().into_iter().flatten().enumerate() {
        let name = Strategy::table_name(name, at);
        text +=
            &format!("CREATE TABLE \"{name}\" (key BYTEA PRIMARY KEY, value BYTEA NOT NULL);\n");
        for point in table["splits_hex"].as_array().into_iter().flatten() {
            let point = point.as_str().unwrap_or_default();
            text += &format!("{comment}ALTER TABLE \"{name}\" SPLIT AT VALUES ('\\x{point}');\n");
        }
    }
    text
}

/// A row that is written, with its time as a comment; one that is there already gets a new value.
pub fn insert(name: &str, keys: &[RowKey], bytes: u64, when: &str) -> String {
    let insert = |(at, key): (usize, &RowKey)| {
        let (name, key) = (Strategy::table_name(name, at), hex(key.as_bytes()));
        format!(
            "INSERT INTO \"{name}\" (key, value) VALUES ('\\x{key}', repeat('x', {bytes})::BYTEA) \
             ON CONFLICT (key) DO UPDATE SET value = excluded.value; -- {when}\n"
        )
    };
    keys.iter().enumerate().map(insert).collect()
}

/// A row that is deleted.
pub fn delete(name: &str, keys: &[RowKey], when: &str) -> String {
    let delete = |(at, key): (usize, &RowKey)| {
        let (name, key) = (Strategy::table_name(name, at), hex(key.as_bytes()));
        format!("DELETE FROM \"{name}\" WHERE key = '\\x{key}'; -- {when}\n")
    };
    keys.iter().enumerate().map(delete).collect()
}
