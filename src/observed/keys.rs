//! How stores write the keys of their regions' bounds. Must not know in which format.

use super::key_file::KeyNotation;
use crate::keyspace::RowKey;
use crate::text::unhex;

/// HBase's `\xHH`.
pub(super) fn escaped(text: &str) -> Result<RowKey, String> {
    RowKey::parse(text).map_err(|error| error.to_string())
}

/// `\xHH` where it can be that, else the text itself: how Cloud Bigtable writes binary keys is not documented.
pub(super) fn text_or_escaped(text: &str) -> Result<RowKey, String> {
    Ok(RowKey::parse(text).unwrap_or_else(|_| text.as_bytes().into()))
}

/// Hexadecimal digits.
pub(super) fn digits(text: &str) -> Result<RowKey, String> {
    let key = unhex(text).map(RowKey);
    key.ok_or_else(|| "not an even number of hexadecimal digits".to_owned())
}

/// Accumulo's `getsplits`: as HBase, but a backslash is two.
pub(super) fn after_inclusive(text: &str) -> Result<RowKey, String> {
    let key = escaped(&text.replace(r"\\", r"\x5C"))?;
    Ok(behind(key.as_bytes()))
}

/// The same with `-b64`.
pub(super) fn base64_inclusive(text: &str) -> Result<RowKey, String> {
    Ok(behind(&KeyNotation::Base64.read(text)?))
}

/// Accumulo's `listtablets`: bytes as they stand, and words for no bound.
pub(super) fn text_inclusive(text: &str) -> Result<RowKey, String> {
    let is_bound = !["-INF", "+INF"].contains(&text);
    Ok(behind(if is_bound { text.as_bytes() } else { b"" }))
}

/// The end of a tablet belongs to it, so that the next one begins a zero byte later.
fn behind(end: &[u8]) -> RowKey {
    let zero: &[u8] = if end.is_empty() { &[] } else { &[0] };
    RowKey([end, zero].concat())
}

/// CockroachDB's raw keys: table and index as ascending integers, and behind them the primary key. One that is a single `BYTES` or `STRING` is
/// decoded (0x12, 00 as 00 FF, the end 00 01); others stay as they are stored. A bound of the whole table is no bound.
pub(super) fn cockroach(text: &str) -> Result<RowKey, String> {
    let key = digits(text.strip_prefix(r"\x").unwrap_or(text))?;
    // EncodeUvarintAscending of pkg/util/encoding: up to 109 one byte from 0x88, else 0xF5 + length, and the bytes.
    let behind_integer = |bytes: &'_ [u8]| match bytes.first() {
        Some(0xF6..=0xFD) => usize::from(bytes[0] - 0xF5) + 1,
        _ => 1,
    };
    let skip = |bytes: &[u8]| bytes.get(behind_integer(bytes)..).map(<[u8]>::to_vec);
    let row = skip(key.as_bytes()).and_then(|index| skip(&index));
    let row = row.unwrap_or_default();
    let coded = row.strip_prefix(&[0x12]);
    let Some(coded) = coded.and_then(|it| it.strip_suffix(&[0, 1])) else {
        return Ok(RowKey(row));
    };
    let mut plain = Vec::with_capacity(coded.len());
    let mut bytes = coded.iter();
    while let Some(&byte) = bytes.next() {
        plain.push(byte);
        if byte == 0 && bytes.next() != Some(&0xFF) {
            // Several columns.
            return Ok(RowKey(row));
        }
    }
    Ok(RowKey(plain))
}

/// `t_106_r_HEX` of TiDB: a memcomparable string as its bytes, an integer handle as eight bytes. The bounds of the whole table are none.
pub(super) fn tidb(text: &str) -> Result<RowKey, String> {
    if let Some((_, handle)) = text.split_once("_r_") {
        if let Ok(handle) = handle.parse::<u64>() {
            return Ok(RowKey(handle.to_be_bytes().to_vec()));
        }
        let coded = digits(handle)?.0;
        return memcomparable(&coded).ok_or_else(|| "no key of a single string".to_owned());
    }
    match text.contains("_i_") {
        true => Err(
            "a region of an index: list those of `PARTITION` or of the table's rows alone"
                .to_owned(),
        ),
        false => Ok(RowKey::default()),
    }
}

/// The flag 01, then groups of eight bytes, each followed by 0xFF less the number of bytes that fill it up (pkg/util/codec/bytes.go).
fn memcomparable(coded: &[u8]) -> Option<RowKey> {
    let groups = coded.strip_prefix(&[1])?.chunks(9);
    let mut plain = Vec::new();
    for group in groups {
        let (marker, bytes) = group.split_last().filter(|(_, bytes)| bytes.len() == 8)?;
        plain.extend_from_slice(bytes.get(..8usize.checked_sub(usize::from(0xFF - marker))?)?);
    }
    Some(RowKey(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_each_store_are_those_that_its_users_wrote() {
        let text = |key: &str| Ok(RowKey(key.as_bytes().to_vec()));
        assert_eq!(
            cockroach(r"\xf2891261747c6330343235300001"),
            text("at|c04250")
        );
        assert_eq!(cockroach(r"\xf2891200ff00ff010001"), text("\0\0\u{1}"));
        // Table 200 takes two bytes; an integer stays as it is stored.
        assert_eq!(cockroach(r"\xf6c88988"), Ok(RowKey(vec![0x88])));
        assert_eq!(cockroach(r"\xf2"), text(""));
        assert_eq!(
            tidb("t_106_r_0161747c6330343235ff3000000000000000f8"),
            text("at|c04250")
        );
        assert_eq!(tidb("t_106_"), text(""));
        assert_eq!(
            tidb("t_106_r_258"),
            Ok(RowKey(vec![0, 0, 0, 0, 0, 0, 1, 2]))
        );
        assert!(tidb("t_106_i_1_00").is_err());
        assert_eq!(after_inclusive(r"fr\\00815"), text("fr\\00815\0"));
        assert!(digits("616").is_err());
        assert_eq!(text_or_escaped("Åre"), text("Åre"));
    }
}
