//! Split points as a command that the HBase shell takes as it is. Must not know where they come from.

use crate::keyspace::{RowKey, escape};

/// `create 'table', 'family', SPLITS => ['\x10\x00', ...]`. In Ruby's single quotes every backslash of the `\xHH` notation stands
/// for itself, and the shell turns it into bytes; a single quote is written `\x27`.
/// ```
/// use keyheat::{keyspace::RowKey, policy::create_command};
/// let points = [vec![0x10, 0x00], b"it's\\".to_vec()].map(RowKey);
/// assert_eq!(create_command("t", "d", &points), r"create 't', 'd', SPLITS => ['\x10\x00', 'it\x27s\x5C']");
/// assert_eq!(create_command("t", "d", &[]), "create 't', 'd'");
/// ```
pub fn create_command(table: &str, family: &str, split_points: &[RowKey]) -> String {
    let mut text = format!("create {}, {}", ruby(table), ruby(family));
    for (i, point) in split_points.iter().enumerate() {
        text.push_str(if i == 0 { ", SPLITS => ['" } else { ", '" });
        text.push_str(&escape(point.as_bytes()).replace('\'', "\\x27"));
        text.push('\'');
    }
    if !split_points.is_empty() {
        text.push(']');
    }
    text
}

/// A single-quoted Ruby string.
fn ruby(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
