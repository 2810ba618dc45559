//! HBase's `HexStringSplit` and `DecimalStringSplit` (class `RegionSplitter.NumberStringSplit`), digit for digit. Must not
//! know what the keys mean.

use super::{SplitError, check_memory};
use crate::keyspace::RowKey;
use num_bigint::BigInt;

/// Cuts a range of numbers, written as text, into equal parts; what doesn't divide goes to the last region. Both ends are included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberStringSplit {
    radix: u32,
    first: Number,
    last: Number,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Number {
    text: String,
    value: BigInt,
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
        let number = |text: &str| -> Result<Number, SplitError> {
            let value = parse(text, radix)?;
            Ok(Number {
                text: text.to_owned(),
                value,
            })
        };
        Ok(Self {
            radix,
            first: number(first)?,
            last: number(last)?,
        })
    }

    /// The `regions - 1` points: `first + i * floor((last - first + 1) / regions)`.
    /// ```
    /// use keyheat::policy::NumberStringSplit;
    /// let points = NumberStringSplit::hexadecimal(None, None)?.split(10)?;
    /// assert_eq!(points[0].to_string(), "19999999");
    /// assert_eq!(points[8].to_string(), "e6666661");
    /// # Ok::<(), keyheat::policy::SplitError>(())
    /// ```
    ///
    /// # Errors
    /// HBase's, in its order: the range, the granularity, the number of regions; and too many regions for memory.
    pub fn split(&self, regions: i64) -> Result<Vec<RowKey>, SplitError> {
        if self.last.value <= self.first.value {
            return Err(SplitError::LastNotAboveFirst {
                first: self.first.text.clone(),
                last: self.last.text.clone(),
            });
        }
        let range: BigInt = &self.last.value - &self.first.value + 1;
        if range < BigInt::from(regions) {
            return Err(SplitError::TooFine {
                regions,
                range: range.to_string(),
            });
        }
        if regions < 1 {
            return Err(SplitError::NegativeArraySize(regions - 1));
        }
        check_memory(regions as u64, self.last.text.len() as u64)?;
        let size = range / regions;
        Ok((1..regions)
            .map(|i| self.write(&(&self.first.value + &size * i)))
            .collect())
    }

    /// The two-key form: the middle of two rows, `floor((start + end) / 2)`. An empty start is 0.
    ///
    /// # Errors
    /// An end that is empty or zero; rows that are no numbers.
    pub fn split_between(&self, start: &str, end: &str) -> Result<RowKey, SplitError> {
        let number = |text: &str| {
            if text.is_empty() {
                Ok(BigInt::ZERO)
            } else {
                parse(text, self.radix)
            }
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
        RowKey(format!("{digits:0>width$}", width = self.last.text.len()).into_bytes())
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
            let suffix = if radix == 10 {
                String::new()
            } else {
                format!(" under radix {radix}")
            };
            return refuse(&format!("For input string: \"{group}\"{suffix}"));
        }
    }
    let magnitude =
        BigInt::parse_bytes(digits.as_bytes(), radix).expect("all digits have been checked");
    Ok(if text.starts_with('-') {
        -magnitude
    } else {
        magnitude
    })
}

#[cfg(test)]
mod tests {
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
