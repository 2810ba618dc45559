//! The pre-splits that HBase computes, digit for digit, and the one way from an algorithm's name to split points. Must not know scenario
//! files, nor what the keys mean.

use crate::keyspace::{RowKey, UnescapeError, escape, unescape};
use crate::text::grouped;
use num_bigint::{BigInt, BigUint, Sign};
use thiserror::Error;

crate::text::words! {
    /// How a table is pre-split.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SplitAlgorithm {
        /// One region
        None = "none",
        /// HexStringSplit: for keys that start with lower-case hex digits
        HexString = "hex-string",
        /// DecimalStringSplit: for keys that start with decimal digits
        DecimalString = "decimal-string",
        /// UniformSplit: for keys that start with evenly spread bytes
        Uniform = "uniform",
        /// `Admin.createTable(table, first, last, regions)`, which uses `Bytes.split`
        Bytes = "bytes",
        /// One region for each value of a row key's leading bucket
        Buckets = "buckets",
        /// Equal parts of the keys that `--from` lists
        Sampled = "sampled",
    }
}

impl SplitAlgorithm {
    /// The split points of those algorithms that need no row key: sorted, distinct, not empty. `first` and `last` are digits for
    /// `hex-string` and `decimal-string`, rows in `\xHH` notation for `uniform` and `bytes`.
    ///
    /// # Errors
    /// HBase's refusal, a range that `bytes` lacks, keys that `buckets` and `sampled` lack, or too many regions for memory.
    ///
    /// ```
    /// use keyheat_core::policy::SplitAlgorithm;
    ///
    /// let points = SplitAlgorithm::HexString.split_points(4, None, None)?;
    /// assert_eq!(points[1].to_string(), "80000000");
    ///
    /// // The HBase reference guide's trap: between '0' and 'f' lie bytes that no hex digit is.
    /// let (first, last) = ("0000000000000000", "ffffffffffffffff");
    /// let points = SplitAlgorithm::Bytes.split_points(10, Some(first), Some(last))?;
    /// assert_eq!(points[3].to_string(), r"D\x84\x84\x84\x84\x84\x84\x84\x84\x84\x84\x84\x84\x84\x84\x82");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn split_points(
        self,
        regions: i64,
        first: Option<&str>,
        last: Option<&str>,
    ) -> Result<Vec<RowKey>, SplitError> {
        let points = match self {
            Self::None => Vec::new(),
            Self::HexString => NumberStringSplit::hexadecimal(first, last)?.split(regions)?,
            Self::DecimalString => NumberStringSplit::decimal(first, last)?.split(regions)?,
            Self::Uniform => uniform_points(first, last, regions)?,
            Self::Bytes => {
                let ends = first.zip(last);
                let (first, last) = ends.ok_or_else(|| self.needs("`first` and `last`"))?;
                create_table_points(&unescape(first)?, &unescape(last)?, regions)?
            }
            Self::Buckets => return Err(self.needs("a row key that leads with a bucket")),
            Self::Sampled => return Err(self.needs("rows to sample: a scenario")),
        };
        verified(points)
    }

    fn needs(self, what: &'static str) -> SplitError {
        let algorithm = self.name();
        SplitError::Needs { algorithm, what }
    }
}

/// One region for each bucket: the bytes of every bucket but the least, sorted, equal ones once. An empty bucket adds no point.
pub fn bucket_points(buckets: &[Vec<u8>]) -> Vec<RowKey> {
    let mut points: Vec<RowKey> = buckets.iter().cloned().map(RowKey).collect();
    points.sort();
    points.dedup();
    points.into_iter().skip(1).collect()
}

/// Cuts a range of numbers, written as text, into equal parts; what doesn't divide goes to the last region. Both ends are included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberStringSplit {
    radix: u32,
    /// Both ends, as they are written.
    texts: [String; 2],
    first: BigInt,
    last: BigInt,
}

impl NumberStringSplit {
    /// `HexStringSplit`, `00000000` to `FFFFFFFF` where not given. It reads any case and writes lower-case digits.
    ///
    /// # Errors
    /// [`SplitError::NotANumber`].
    pub fn hexadecimal(first: Option<&str>, last: Option<&str>) -> Result<Self, SplitError> {
        Self::new(16, first.unwrap_or("00000000"), last.unwrap_or("FFFFFFFF"))
    }

    /// `DecimalStringSplit`, `00000000` to `99999999` where not given.
    ///
    /// # Errors
    /// [`SplitError::NotANumber`].
    pub fn decimal(first: Option<&str>, last: Option<&str>) -> Result<Self, SplitError> {
        Self::new(10, first.unwrap_or("00000000"), last.unwrap_or("99999999"))
    }

    fn new(radix: u32, first: &str, last: &str) -> Result<Self, SplitError> {
        Ok(Self {
            radix,
            texts: [first, last].map(str::to_owned),
            first: parse(first, radix)?,
            last: parse(last, radix)?,
        })
    }

    /// The `regions - 1` points: `first + i * floor((last - first + 1) / regions)`.
    /// ```
    /// use keyheat_core::policy::NumberStringSplit;
    /// let points = NumberStringSplit::hexadecimal(None, None)?.split(10)?;
    /// assert_eq!(points[0].to_string(), "19999999");
    /// assert_eq!(points[8].to_string(), "e6666661");
    /// # Ok::<(), keyheat_core::policy::SplitError>(())
    /// ```
    ///
    /// # Errors
    /// HBase's, in its order: the range, the granularity, the number of regions; and too many regions for memory.
    pub fn split(&self, regions: i64) -> Result<Vec<RowKey>, SplitError> {
        let [first, last] = self.texts.clone();
        if self.last <= self.first {
            return Err(SplitError::LastNotAboveFirst { first, last });
        }
        let range: BigInt = &self.last - &self.first + 1;
        if range < BigInt::from(regions) {
            let range = range.to_string();
            return Err(SplitError::TooFine { regions, range });
        }
        if regions < 1 {
            return Err(SplitError::NegativeArraySize(regions - 1));
        }
        check_memory(regions as u64, last.len() as u64)?;
        let size = range / regions;
        if self.first.sign() == Sign::Minus {
            let point = |i| self.write(&(&self.first + &size * i));
            return Ok((1..regions).map(point).collect());
        }
        // No point is above the last row, so that its width holds them all.
        let digits = |number: &BigInt| {
            let digits = number.magnitude().to_radix_be(self.radix);
            widened(&digits, self.texts[1].len())
        };
        let (mut point, size) = (digits(&self.first), digits(&size));
        let digit = |digit: &u8| b"0123456789abcdef"[usize::from(*digit)];
        let points = (1..regions).map(|_| {
            add(&mut point, &size, self.radix);
            RowKey(point.iter().map(digit).collect())
        });
        Ok(points.collect())
    }

    /// The two-key form: the middle of two rows, `floor((start + end) / 2)`. An empty start is 0.
    ///
    /// # Errors
    /// An end that is empty or zero; rows that are no numbers.
    pub fn split_between(&self, start: &str, end: &str) -> Result<RowKey, SplitError> {
        let number = |text: &str| match text {
            "" => Ok(BigInt::ZERO),
            text => parse(text, self.radix),
        };
        let (start, end) = (number(start)?, number(end)?);
        if end == BigInt::ZERO {
            return Err(SplitError::ZeroEnd);
        }
        Ok(self.write(&((start + end) / 2)))
    }

    /// Lower-case digits, padded with `0` to the length of the last row's text (not of the first's).
    fn write(&self, value: &BigInt) -> RowKey {
        let digits = value.to_str_radix(self.radix);
        RowKey(format!("{digits:0>width$}", width = self.texts[1].len()).into_bytes())
    }
}

/// `new BigInteger(text, radix)` of Java 17, its messages included: it reads groups of as many digits as fit an `int`, and
/// complains about the group.
fn parse(text: &str, radix: u32) -> Result<BigInt, SplitError> {
    let refuse = |message: &str| Err(SplitError::NotANumber(message.to_owned()));
    let misplaced = |sign| text.rfind(sign).is_some_and(|at| at > 0);
    if misplaced('-') || misplaced('+') {
        return refuse("Illegal embedded sign character");
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() {
        return refuse("Zero length BigInteger");
    }
    let group_length = if radix == 16 { 7 } else { 9 };
    let significant: Vec<char> = digits.trim_start_matches('0').chars().collect();
    for group in significant.rchunks(group_length).rev() {
        if group.iter().any(|digit| !digit.is_digit(radix)) {
            let group: String = group.iter().collect();
            let suffix = match radix {
                10 => String::new(),
                _ => format!(" under radix {radix}"),
            };
            return refuse(&format!("For input string: \"{group}\"{suffix}"));
        }
    }
    let magnitude =
        BigInt::parse_bytes(digits.as_bytes(), radix).expect("all digits have been checked");
    Ok(match text.starts_with('-') {
        true => -magnitude,
        false => magnitude,
    })
}

/// `Bytes.split(a, b, inclusive, num)`: a, `num` points between, b: `a + i * floor(diff / (num + 1))` with diff = b - a (+ 1 when
/// inclusive), at the longer one's width, the shorter padded with zeros on the right. When diff < num + 1, both ends get one more zero
/// byte, as often as needed, and are returned so.
///
/// # Errors
/// HBase's, in its order: a negative array (num < -2), `b <= a`, `num cannot be <= 0`; and too many points for memory.
/// ```
/// use keyheat_core::policy::split_bytes;
/// let rows = split_bytes(b"a", b"c", false, 1)?;
/// assert_eq!(rows.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a", "b", "c"]);
/// # Ok::<(), keyheat_core::policy::SplitError>(())
/// ```
pub fn split_bytes(
    a: &[u8],
    b: &[u8],
    inclusive: bool,
    num: i64,
) -> Result<Vec<RowKey>, SplitError> {
    if num < -2 {
        return Err(SplitError::NegativeArraySize(num + 2));
    }
    let mut width = a.len().max(b.len());
    let padded = |row: &[u8], width: usize| {
        let mut row = row.to_vec();
        row.resize(width, 0);
        row
    };
    if padded(a, width) >= padded(b, width) {
        return Err(SplitError::NotAscending);
    }
    if num <= 0 {
        return Err(SplitError::NoPoints);
    }
    check_memory(num as u64 + 1, width as u64)?;
    let parts = BigUint::from(num as u64 + 1);
    let mut start = BigUint::from_bytes_be(&padded(a, width));
    let mut distance = BigUint::from_bytes_be(&padded(b, width)) - &start;
    let (mut first, mut last) = (a.to_vec(), b.to_vec());
    while &distance + u32::from(inclusive) < parts {
        width += 1;
        start <<= 8;
        distance <<= 8;
        (first, last) = (padded(a, width), padded(b, width));
    }
    let step = (&distance + u32::from(inclusive)) / parts;
    let [mut row, step] = [start, step].map(|number| widened(&number.to_bytes_be(), width));
    let mut rows = Vec::with_capacity(num as usize + 2);
    rows.push(RowKey(first));
    for _ in 0..num {
        add(&mut row, &step, 256);
        rows.push(RowKey(row.clone()));
    }
    rows.push(RowKey(last));
    Ok(rows)
}

/// The digits of a number, most significant first, with zeros before them.
fn widened(digits: &[u8], width: usize) -> Vec<u8> {
    let mut wide = vec![0; width.saturating_sub(digits.len())];
    wide.extend_from_slice(digits);
    wide
}

/// Adds a number of as many digits, whose sum has no more.
fn add(number: &mut [u8], other: &[u8], radix: u32) {
    let mut carry = 0;
    for (digit, other) in number.iter_mut().zip(other).rev() {
        let sum = u32::from(*digit) + u32::from(*other) + carry;
        carry = u32::from(sum >= radix);
        *digit = (sum - carry * radix) as u8;
    }
}

/// HBase's `UniformSplit`: the `regions - 1` points that cut raw bytes evenly, between rows in `\xHH` notation; the empty row and eight bytes
/// 0xFF where not given.
///
/// # Errors
/// [`SplitError::Notation`], an empty or upside-down range, and those of [`split_bytes`].
pub fn uniform_points(
    first: Option<&str>,
    last: Option<&str>,
    regions: i64,
) -> Result<Vec<RowKey>, SplitError> {
    let first = first.map_or(Ok(Vec::new()), unescape)?;
    let last = last.map_or(Ok(vec![0xFF; 8]), unescape)?;
    if last <= first {
        let (first, last) = (escape(&first), escape(&last));
        return Err(SplitError::LastNotAboveFirst { first, last });
    }
    let mut rows = split_bytes(&first, &last, true, regions.saturating_sub(1))?;
    rows.pop();
    rows.remove(0);
    Ok(rows)
}

/// `Admin.createTable(descriptor, start, end, regions)`: the first region ends at `start`, the last begins at `end`.
/// ```
/// // The HBase book's example: hex text, cut as if all byte values occurred in it.
/// let points = keyheat_core::policy::create_table_points(&[b'0'; 16], &[b'f'; 16], 10)?;
/// let leads: Vec<u8> = points.iter().map(|point| point.as_bytes()[0]).collect();
/// assert_eq!(leads, [48, 54, 61, 68, 75, 82, 88, 95, 102]);
/// # Ok::<(), keyheat_core::policy::SplitError>(())
/// ```
///
/// # Errors
/// HBase's, in its order: fewer than three regions, `start` not below `end`, those of [`split_bytes`], an empty or repeated point.
pub fn create_table_points(
    start: &[u8],
    end: &[u8],
    regions: i64,
) -> Result<Vec<RowKey>, SplitError> {
    if regions < 3 {
        return Err(SplitError::FewerThanThree);
    }
    if start >= end {
        return Err(SplitError::StartNotBelowEnd);
    }
    let points = match regions {
        3 => vec![RowKey::from(start), RowKey::from(end)],
        _ => split_bytes(start, end, false, regions - 3)?,
    };
    verified(points)
}

/// What `Admin.createTable` does to any split keys: it sorts them and refuses empty and repeated ones.
fn verified(mut points: Vec<RowKey>) -> Result<Vec<RowKey>, SplitError> {
    if points.is_sorted_by(|a, b| a < b) && points.first().is_none_or(|point| !point.0.is_empty()) {
        return Ok(points);
    }
    points.sort();
    if points.first().is_some_and(|point| point.0.is_empty()) {
        return Err(SplitError::EmptyPoint);
    }
    match points.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(SplitError::DuplicatePoint(pair[0].to_string())),
        None => Ok(points),
    }
}

/// Bytes that keyheat holds for a region besides its start key: the start key's `Vec` (24), and in the router its offset (4), its
/// squeezed value (8) and its two slots (8).
const BYTES_PER_REGION: u64 = 24 + 4 + 8 + 8;

/// An allocator gives no less than this, and multiples of it (glibc, 64 bits).
const ALLOCATION: u64 = 16;

/// What the split points of one strategy may cost (estimate: a small machine holds several strategies at once). About 15 million
/// regions with 8-byte keys, a thousand times what HBase masters are run with.
const LIMIT: u64 = 1 << 30;

/// Refuses more regions than fit into memory, before anything is allocated.
///
/// # Errors
/// [`SplitError::TooMuchMemory`].
/// ```
/// let error = keyheat_core::policy::check_memory(1_000_000_000, 8).unwrap_err();
/// assert_eq!(error.to_string(), "1,000,000,000 regions need about 63 GiB of memory; keyheat takes up to 1 GiB");
/// ```
pub fn check_memory(regions: u64, key_bytes: u64) -> Result<(), SplitError> {
    // A start key stands once in the list of split points and once in the router.
    let allocated = key_bytes.div_ceil(ALLOCATION).saturating_mul(ALLOCATION);
    let region = allocated
        .saturating_add(key_bytes)
        .saturating_add(BYTES_PER_REGION);
    let bytes = regions.saturating_mul(region);
    let limit = LIMIT;
    let error = SplitError::TooMuchMemory {
        regions,
        bytes,
        limit,
    };
    (bytes <= limit).then_some(()).ok_or(error)
}

/// A refusal. Those that HBase makes itself show its message, and name the Java exception.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SplitError {
    /// `RegionSplitter`: the range is empty or upside down.
    #[error("last row ({last}) is configured less than first row ({first})")]
    LastNotAboveFirst {
        /// As configured, or in `\xHH` notation.
        first: String,
        /// As configured, or in `\xHH` notation.
        last: String,
    },
    /// `NumberStringSplit`: fewer numbers than regions.
    #[error("split granularity ({regions}) is greater than the range ({range})")]
    TooFine {
        /// Asked for.
        regions: i64,
        /// Numbers in the range, both ends included.
        range: String,
    },
    /// `java.math.BigInteger` can't read a row.
    #[error("{0}")]
    NotANumber(String),
    /// An array of negative length; HBase's command line refuses fewer than 2 regions before it comes to this.
    #[error("{0}")]
    NegativeArraySize(i64),
    /// `Bytes.split`: no point asked for.
    #[error("num cannot be <= 0")]
    NoPoints,
    /// `Bytes.split`: equal, or upside down, once padded to one length with zeros.
    #[error("b <= a")]
    NotAscending,
    /// `Admin.createTable` with a range.
    #[error("Must create at least three regions")]
    FewerThanThree,
    /// `Admin.createTable` with a range.
    #[error("Start key must be smaller than end key")]
    StartNotBelowEnd,
    /// `Admin.createTable`.
    #[error("Empty split key must not be passed in the split keys.")]
    EmptyPoint,
    /// `Admin.createTable`.
    #[error("All split keys must be unique, found duplicate: {0}, {0}")]
    DuplicatePoint(String),
    /// `NumberStringSplit.split(start, end)`: an empty or zero end. HBase gives no message.
    #[error("the end of the range is empty or zero")]
    ZeroEnd,
    /// `Bytes.toBytesBinary`.
    #[error(transparent)]
    Notation(#[from] UnescapeError),
    /// The algorithm computes nothing without it: a range, a row key, or keys.
    #[error("`{algorithm}` needs {what}")]
    Needs {
        /// Its name.
        algorithm: &'static str,
        /// What it needs.
        what: &'static str,
    },
    /// Refused before anything is allocated.
    #[error("{} regions need about {} of memory; keyheat takes up to {}", grouped(i128::from(*.regions)), gibibytes(*.bytes), gibibytes(*.limit))]
    TooMuchMemory {
        /// Asked for.
        regions: u64,
        /// What they would need.
        bytes: u64,
        /// What keyheat gives them.
        limit: u64,
    },
}

impl SplitError {
    /// Simple name of the exception that HBase throws; `None` where the refusal is keyheat's own.
    pub fn java_class(&self) -> Option<&'static str> {
        match self {
            Self::LastNotAboveFirst { .. }
            | Self::NoPoints
            | Self::NotAscending
            | Self::FewerThanThree
            | Self::StartNotBelowEnd
            | Self::EmptyPoint
            | Self::DuplicatePoint(_)
            | Self::ZeroEnd => Some("IllegalArgumentException"),
            Self::TooFine { .. } => Some("IllegalStateException"),
            Self::NotANumber(_) => Some("NumberFormatException"),
            Self::NegativeArraySize(_) => Some("NegativeArraySizeException"),
            Self::Notation(_) => Some("StringIndexOutOfBoundsException"),
            Self::Needs { .. } | Self::TooMuchMemory { .. } => None,
        }
    }
}

/// `63 GiB`, whole unless below 10.
fn gibibytes(bytes: u64) -> String {
    let amount = bytes as f64 / (1u64 << 30) as f64;
    let decimals = usize::from(amount < 10.0 && amount.fract() != 0.0);
    format!("{amount:.decimals$} GiB")
}

#[cfg(test)]
mod algorithm_tests {
    use super::*;

    #[test]
    fn sixteen_one_byte_buckets_make_fifteen_points() {
        let buckets: Vec<Vec<u8>> = (0..16).map(|bucket| vec![bucket]).collect();
        let points = bucket_points(&buckets);
        assert_eq!(points.len(), 15);
        assert_eq!(
            (points[0].to_string(), points[14].to_string()),
            (r"\x01".into(), r"\x0F".into())
        );
        assert!(bucket_points(&[vec![7]]).is_empty());
    }

    #[test]
    fn rows_that_no_table_can_be_split_at_are_refused() {
        let split = |algorithm: SplitAlgorithm, regions, first, last| {
            algorithm.split_points(regions, first, last).unwrap_err()
        };
        let error = split(SplitAlgorithm::Bytes, 9, None, Some("z"));
        assert_eq!(error.to_string(), "`bytes` needs `first` and `last`");
        assert_eq!(
            split(SplitAlgorithm::Uniform, 9, Some(r"\x0"), None).java_class(),
            Some("StringIndexOutOfBoundsException")
        );
        assert_eq!(
            split(SplitAlgorithm::Buckets, 9, None, None).java_class(),
            None
        );
    }
}

#[cfg(test)]
mod number_tests {
    use super::*;

    #[test]
    fn numbers_are_refused_with_javas_words() {
        let message = |text, radix| parse(text, radix).unwrap_err().to_string();
        assert_eq!(message("", 16), "Zero length BigInteger");
        assert_eq!(message("-", 16), "Zero length BigInteger");
        assert_eq!(message("1-2", 16), "Illegal embedded sign character");
        assert_eq!(message("+-2", 10), "Illegal embedded sign character");
        assert_eq!(message("12x4", 10), "For input string: \"12x4\"");
        // 9 hex digits are a group of 2 and a group of 7.
        assert_eq!(
            message("1234z6789", 16),
            "For input string: \"34z6789\" under radix 16"
        );
        assert_eq!(parse("-0fF", 16).unwrap(), BigInt::from(-255));
    }

    #[test]
    fn the_middle_of_an_empty_end_is_refused() {
        let hexadecimal = NumberStringSplit::hexadecimal(None, None).unwrap();
        let error = hexadecimal.split_between("10", "").unwrap_err();
        assert_eq!(error.java_class(), Some("IllegalArgumentException"));
        assert_eq!(
            hexadecimal.split_between("", "FF").unwrap().to_string(),
            "0000007f"
        );
    }

    #[test]
    fn a_billion_regions_are_refused_before_anything_is_computed() {
        let error = NumberStringSplit::hexadecimal(None, None)
            .unwrap()
            .split(1_000_000_000)
            .unwrap_err();
        assert!(
            matches!(
                error,
                SplitError::TooMuchMemory {
                    regions: 1_000_000_000,
                    ..
                }
            ),
            "{error}"
        );
    }

    #[test]
    fn a_range_is_cut_from_its_first_number_into_as_many_regions_as_it_has_numbers_at_most() {
        let points = |first, last, regions| {
            let split = NumberStringSplit::decimal(Some(first), Some(last)).unwrap();
            split
                .split(regions)
                .map(|points| points.iter().map(ToString::to_string).collect::<Vec<_>>())
                .map_err(|error| error.to_string())
        };
        // 900 numbers, 300 a region.
        assert_eq!(
            points("100", "999", 3),
            Ok(vec!["400".into(), "700".into()])
        );
        let each: Vec<String> = (11..=14).map(|number| number.to_string()).collect();
        assert_eq!(points("10", "14", 5), Ok(each));
        assert_eq!(
            points("10", "14", 6),
            Err("split granularity (6) is greater than the range (5)".into())
        );
    }
}

#[cfg(test)]
mod bytes_tests {
    use super::*;

    #[test]
    fn refusals_come_in_the_order_of_hbases_code() {
        // `new byte[num + 2][]` comes first, and takes an array of length 0.
        for (a, b, num, expected) in [
            (b"c", b"a", -3, SplitError::NegativeArraySize(-1)),
            (b"c", b"a", -2, SplitError::NotAscending),
            (b"a", b"c", -2, SplitError::NoPoints),
        ] {
            assert_eq!(split_bytes(a, b, false, num), Err(expected));
        }
    }

    #[test]
    fn as_many_points_as_memory_does_not_hold_are_refused_by_the_regions_that_they_make() {
        let error = split_bytes(b"a", b"c", false, 999_999_999).unwrap_err();
        assert!(
            error.to_string().starts_with("1,000,000,000 regions"),
            "{error}"
        );
    }
}

#[cfg(test)]
mod memory_tests {
    use super::*;

    #[test]
    fn a_whole_gibibyte_is_given_and_no_region_more() {
        // A key of 4 bytes: 4 in the router, 16 allocated, 44 beside it. 2^24 times 64 bytes.
        assert_eq!(check_memory(1 << 24, 4), Ok(()));
        assert_eq!(
            check_memory((1 << 24) + 1, 4),
            Err(SplitError::TooMuchMemory {
                regions: 16_777_217,
                bytes: 1_073_741_888,
                limit: 1_073_741_824,
            })
        );
    }
}

#[cfg(test)]
mod error_tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands_and_memory_has_a_digit_after_the_point_below_ten() {
        let quarter = 1 << 28;
        for (regions, quarters, expected) in [
            (37, 3, "37 regions need about 0.8 GiB"),
            (500, 6, "500 regions need about 1.5 GiB"),
            (4_500, 8, "4,500 regions need about 2 GiB"),
            (123_456, 42, "123,456 regions need about 10 GiB"),
            (7_123_456, 45, "7,123,456 regions need about 11 GiB"),
        ] {
            let error = SplitError::TooMuchMemory {
                regions,
                bytes: quarters * quarter,
                limit: 14 * quarter,
            };
            assert_eq!(
                error.to_string(),
                format!("{expected} of memory; keyheat takes up to 3.5 GiB")
            );
        }
    }
}
