//! What SQL, Java and scripts call what a key expression says in its own way.

/// Such names, and what to write instead.
#[rustfmt::skip]
const OTHER_NAMES: [(&str, &str); 12] = [
    ("cityhash hash hash_code hashcode siphash xxhash xxhash64", "`be1(bucket(n, x))` writes one of n buckets, `md5_bytes(x)` and `be4(murmur3(x))` write hashes"),
    ("concat concat_ws join", "`||` joins the parts of a key, `delim('#', a, b)` with a text between them"),
    ("bytes int integer long tobytes to_bytes", "`be4(i)` and `be8(i)` write an int as Bytes.toBytes(int) and Bytes.toBytes(long) do, `text(i)` its digits; a text is its bytes"),
    ("cast char str string to_string tostring", "`text(i)` writes the digits of an int, `lpad(i, n)` so many of them"),
    ("pad zero_pad zfill", "`lpad(x, n)` pads on the left with zeros"),
    ("date_trunc day floor hour minute time_bucket truncate", "`trunc(ts, '1h')` rounds down to a step: '10m', '1h', '1d' or a number"),
    ("date date_format format format_date strftime to_date", "`to_char(ts, 'yyyyMMdd')` writes date and time by a pattern of Java's letters"),
    ("inverse_ts invert max_minus reverse_timestamp reverse_ts", "`rev_ts(ts)` puts the newest first, `desc(b)` any bytes in descending order"),
    ("current_timestamp epoch now time unix_timestamp", "a timestamp's value is the number of its units: `be8(ts)` writes it"),
    ("prefix first", "`left(s, n)` are the first n characters"),
    ("rand_int randint random_int", "`random(n)` draws 0 to n - 1 for each write"),
    ("guid new_uuid random_uuid", "`uuid4()` and `uuid7(ts)` draw one for each write; a field of the type `uuid` is the same in every key"),
];

/// What to write instead of a function of this name.
pub(super) fn instead_of(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let meant = OTHER_NAMES
        .iter()
        .find(|(names, _)| names.split(' ').any(|known| known == name));
    meant.map(|&(_, instead)| instead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::check::functions::find;

    #[test]
    fn other_names_are_no_functions_and_lead_to_functions() {
        for (names, instead) in OTHER_NAMES {
            for name in names.split(' ') {
                assert!(find(name).is_none(), "{name}");
                assert_eq!(instead_of(&name.to_uppercase()), Some(instead));
            }
            let quoted = instead.split('`').skip(1).step_by(2);
            let mut calls = quoted.filter_map(|code| code.split_once('('));
            assert!(calls.clone().count() > 0, "{instead}");
            assert!(calls.all(|(name, _)| find(name).is_some()), "{instead}");
        }
        assert_eq!(instead_of("md5"), None);
    }
}
