//! Split points that somebody listed, that cut given rows, and as the HBase shell takes them. Must not know where they come from.

use crate::keyspace::{RowKey, escape};
use thiserror::Error;

/// One fault of a listed split point.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("split point {} {fault}", index + 1)]
pub struct SplitPointError {
    /// Which point is wrong, from 0.
    pub index: usize,
    fault: String,
}

/// All faults of listed split points, by index, at most one a point: HBase refuses an empty split key, as the first region starts there
/// already, and no row key can be too long. O(n log n).
pub fn check_split_points(points: &[RowKey]) -> Vec<SplitPointError> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|&index| (&points[index], index));
    let mut first_of: Vec<usize> = (0..points.len()).collect();
    for pair in order.windows(2) {
        if points[pair[0]] == points[pair[1]] {
            first_of[pair[1]] = first_of[pair[0]];
        }
    }
    let most = RowKey::MAX_LEN;
    let fault = |(index, point): (usize, &RowKey)| {
        let fault = match point.0.len() {
            0 => "is empty".to_owned(),
            length if length > most => format!("has {length} bytes, a row key at most {most}"),
            _ if first_of[index] != index => format!("repeats number {}", first_of[index] + 1),
            _ if index > 0 && *point < points[index - 1] => {
                "is less than the one before it".to_owned()
            }
            _ => return None,
        };
        Some(SplitPointError { index, fault })
    };
    points.iter().enumerate().filter_map(fault).collect()
}

/// At most `regions - 1` points that cut sorted `keys` (repetitions count) into parts of equal size: point i is the key of rank
/// i / regions. A key that would be a point twice is one once, and the least key is none (nothing would lie below it): where few
/// keys hold much of the load, fewer points come back than were asked for.
pub fn quantile_points(keys: &[&[u8]], regions: u32) -> Vec<RowKey> {
    let ranks = quantile_ranks(keys, regions).into_iter();
    ranks.map(|rank| RowKey::from(keys[rank])).collect()
}

/// The same, as positions in `keys`.
pub fn quantile_ranks(keys: &[&[u8]], regions: u32) -> Vec<usize> {
    debug_assert!(keys.is_sorted());
    let mut ranks: Vec<usize> = Vec::new();
    if keys.is_empty() {
        return ranks;
    }
    for i in 1..u64::from(regions) {
        let rank = (u128::from(i) * keys.len() as u128 / u128::from(regions)) as usize;
        if keys[rank] > keys[ranks.last().copied().unwrap_or(0)] {
            ranks.push(rank);
        }
    }
    ranks
}

/// `create 'table', 'family', SPLITS => ['\x10\x00', ...]`. In Ruby's single quotes every backslash of the `\xHH` notation stands
/// for itself, and the shell turns it into bytes; a single quote is written `\x27`.
/// ```
/// use keyheat_core::{keyspace::RowKey, policy::create_command};
/// let points = [vec![0x10, 0x00], b"it's\\".to_vec()].map(RowKey);
/// let d = [("d", vec![])];
/// assert_eq!(create_command("t", &d, &[], &points), r"create 't', 'd', SPLITS => ['\x10\x00', 'it\x27s\x5C']");
/// assert_eq!(create_command("t", &d, &[], &[]), "create 't', 'd'");
/// let days = [("d", vec![("TTL", "86400".to_owned())])];
/// let large = [("MAX_FILESIZE", "20000000000".to_owned())];
/// assert_eq!(create_command("t", &days, &large, &[]), "create 't', {NAME => 'd', TTL => '86400'}, MAX_FILESIZE => '20000000000'");
/// ```
pub fn create_command(
    table: &str,
    families: &[(&str, Vec<(&str, String)>)],
    attributes: &[(&str, String)],
    split_points: &[RowKey],
) -> String {
    let families = families.iter().map(|(name, attributes)| {
        let attributes = attributes
            .iter()
            .map(|(name, value)| format!(", {name} => {}", ruby(value)));
        match attributes.collect::<String>().as_str() {
            "" => format!(", {}", ruby(name)),
            attributes => format!(", {{NAME => {}{attributes}}}", ruby(name)),
        }
    });
    let mut command = format!("create {}{}", ruby(table), families.collect::<String>());
    for (name, value) in attributes {
        // What only its policy knows is the table's metadata.
        command += &match name.contains('.') {
            true => format!(", METADATA => {{{} => {}}}", ruby(name), ruby(value)),
            false => format!(", {name} => {}", ruby(value)),
        };
    }
    for (at, point) in split_points.iter().enumerate() {
        let before = if at == 0 { ", SPLITS => ['" } else { "', '" };
        let point = escape(point.as_bytes());
        let parts = point.split('\'').enumerate();
        command += before;
        command.extend(parts.flat_map(|(at, part)| [if at > 0 { "\\x27" } else { "" }, part]));
    }
    if !split_points.is_empty() {
        command += "']";
    }
    command
}

/// A single-quoted Ruby string.
fn ruby(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

#[cfg(test)]
mod check_tests {
    use super::*;

    #[test]
    fn every_fault_is_named_once_with_its_place() {
        let faults = |points: Vec<Vec<u8>>| {
            let points: Vec<RowKey> = points.into_iter().map(RowKey).collect();
            let found = check_split_points(&points).into_iter();
            found
                .map(|error| (error.index, error.to_string()))
                .collect::<Vec<_>>()
        };
        let listed = ["m", "", "c", "m", "z", "c"].map(|text| text.as_bytes().to_vec());
        assert_eq!(
            faults(listed.to_vec()),
            [
                (1, "split point 2 is empty".to_owned()),
                (3, "split point 4 repeats number 1".to_owned()),
                (5, "split point 6 repeats number 3".to_owned()),
            ]
        );
        assert_eq!(
            faults(vec![vec![b'b'], vec![b'a'], vec![b'x'; 40_000]]),
            [
                (1, "split point 2 is less than the one before it".to_owned()),
                (
                    2,
                    "split point 3 has 40000 bytes, a row key at most 32767".to_owned()
                ),
            ]
        );
        assert_eq!(check_split_points(&[]), []);
        // `HConstants.MAX_ROW_LENGTH` is Short.MAX_VALUE.
        assert_eq!(faults(vec![vec![b'x'; 32_767]]), []);
        let longer = "split point 1 has 32768 bytes, a row key at most 32767".to_owned();
        assert_eq!(faults(vec![vec![b'x'; 32_768]]), [(0, longer)]);
    }
}

#[cfg(test)]
mod quantile_tests {
    use super::*;
    use proptest::prelude::*;

    fn slices(keys: &[Vec<u8>]) -> Vec<&[u8]> {
        keys.iter().map(Vec::as_slice).collect()
    }

    #[test]
    fn distinct_keys_are_cut_into_parts_that_differ_by_at_most_one() {
        let keys: Vec<Vec<u8>> = (0..103u8).map(|i| vec![i]).collect();
        let points = quantile_points(&slices(&keys), 7);
        assert_eq!(points.len(), 6);
        let mut counts = [0u32; 7];
        for key in &keys {
            counts[points
                .iter()
                .filter(|point| point.as_bytes() <= key.as_slice())
                .count()] += 1;
        }
        assert!(
            counts.iter().all(|&count| count == 14 || count == 15),
            "{counts:?}"
        );
    }

    #[test]
    fn a_hot_row_takes_up_several_quantiles_and_leaves_fewer_points() {
        let mut keys = vec![b"m".to_vec(); 80];
        keys.extend((0..20u8).map(|i| vec![b'n', i]));
        keys.sort();
        let points = quantile_points(&slices(&keys), 10);
        assert_eq!(
            points.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [r"n\x00", r"n\x0A"]
        );
        assert!(quantile_points(&[], 5).is_empty());
        assert!(quantile_points(&slices(&keys), 1).is_empty());
    }

    proptest! {
        #[test]
        fn points_are_sorted_distinct_not_empty_and_above_the_least_key(
            mut keys in proptest::collection::vec(proptest::collection::vec(0u8..3, 0..3), 0..40),
            regions in 0u32..12,
        ) {
            keys.sort();
            let points = quantile_points(&slices(&keys), regions);
            prop_assert!(points.len() < regions.max(1) as usize);
            prop_assert!(points.is_sorted_by(|a, b| a < b));
            prop_assert!(points.iter().all(|point| !point.0.is_empty() && point.0 > keys[0] && keys.contains(&point.0)));
        }
    }
}
