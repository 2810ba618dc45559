//! `Bytes.toStringBinary` and `Bytes.toBytesBinary` as HBase's own code ran them, from `tests/data/hbase_bytes_string.json`.

use keyheat::keyspace::{escape, unescape};
use serde_json::Value;

/// Number of bytes written and texts read, all of them as HBase does.
pub fn notations() -> usize {
    let vectors: Value =
        serde_json::from_str(include_str!("../../data/hbase_bytes_string.json")).unwrap();
    let single = vectors["toStringBinary_single"].as_array().unwrap();
    assert_eq!(single.len(), 256);
    for (byte, expected) in (0..=255u8).zip(single) {
        assert_eq!(escape(&[byte]), expected.as_str().unwrap());
    }
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(escape(&all), vectors["all_256"].as_str().unwrap());
    assert_eq!(unescape(&escape(&all)).unwrap(), all);

    let read = vectors["toBytesBinary"].as_array().unwrap();
    for case in read {
        let found = unescape(case["in"].as_str().unwrap());
        match case["out_hex"].as_str() {
            Some(expected) => {
                let hex: String = found
                    .unwrap()
                    .iter()
                    .map(|byte| format!("{byte:02x}"))
                    .collect();
                assert_eq!(hex, expected, "{case}");
            }
            // StringIndexOutOfBoundsException: the position names the backslash.
            None => {
                let position = found.unwrap_err().position;
                assert!(
                    case["in"].as_str().unwrap()[position..].starts_with("\\x"),
                    "{case}"
                );
            }
        }
    }
    single.len() + read.len()
}

#[test]
fn every_byte_is_written_and_every_odd_text_read_as_hbase_does() {
    assert_eq!(notations(), 256 + 25);
}
