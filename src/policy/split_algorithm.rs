//! The names under which pre-splits are asked for, and the one way from a name to split points. Must not know scenario files.

use super::bytes_split::verified;
use super::{NumberStringSplit, SplitError, UniformSplit, create_table_points};
use crate::keyspace::{RowKey, unescape};
use std::fmt;
use thiserror::Error;

/// How a table is pre-split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitAlgorithm {
    /// One region.
    None,
    /// HBase's HexStringSplit.
    HexString,
    /// HBase's DecimalStringSplit.
    DecimalString,
    /// HBase's UniformSplit.
    Uniform,
    /// `Admin.createTable(descriptor, first, last, regions)`, that is `Bytes.split`.
    Bytes,
    /// One region for each value of a row key's leading bucket.
    Buckets,
    /// Equal quantiles of rows.
    Sampled,
}
crate::settings::choice!(SplitAlgorithm { None = "none", HexString = "hex-string", DecimalString = "decimal-string", Uniform = "uniform", Bytes = "bytes", Buckets = "buckets", Sampled = "sampled" });

/// No algorithm of that name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown split algorithm `{name}`")]
pub struct UnknownAlgorithm {
    /// What was found.
    pub name: String,
    /// The most similar name, when it is similar at all.
    pub nearest: Option<&'static str>,
}

impl SplitAlgorithm {
    /// All, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::HexString,
        Self::DecimalString,
        Self::Uniform,
        Self::Bytes,
        Self::Buckets,
        Self::Sampled,
    ];

    /// Its name in scenarios and on the command line.
    pub const fn name(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// The algorithm of that name. HBase's class names (`HexStringSplit`) are suggested away, not taken.
    ///
    /// # Errors
    /// The name is unknown; the nearest one is offered.
    pub fn parse(name: &str) -> Result<Self, UnknownAlgorithm> {
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.name() == name)
            .ok_or_else(|| {
                let asked = name.to_ascii_lowercase();
                let asked = asked.strip_suffix("split").unwrap_or(&asked);
                let similarity = |algorithm: &Self| strsim::jaro_winkler(algorithm.name(), asked);
                let nearest = Self::ALL
                    .into_iter()
                    .max_by(|a, b| similarity(a).total_cmp(&similarity(b)))
                    // Jaro-Winkler's usual threshold for "probably meant".
                    .filter(|algorithm| similarity(algorithm) >= 0.7)
                    .map(Self::name);
                UnknownAlgorithm {
                    name: name.to_owned(),
                    nearest,
                }
            })
    }

    /// The split points of those algorithms that need no row key: sorted, distinct, not empty. `first` and `last` are digits for
    /// `hex-string` and `decimal-string`, rows in `\xHH` notation for `uniform` and `bytes`.
    ///
    /// # Errors
    /// HBase's refusal, a range that `bytes` lacks, keys that `buckets` and `sampled` lack, or too many regions for memory.
    ///
    /// ```
    /// use keyheat::policy::SplitAlgorithm;
    ///
    /// let points = SplitAlgorithm::parse("hex-string")?.split_points(4, None, None)?;
    /// assert_eq!(points[1].to_string(), "80000000");
    ///
    /// // The HBase reference guide's trap: between '0' and 'f' lie bytes that no hex digit is.
    /// let (first, last) = ("0000000000000000", "ffffffffffffffff");
    /// let points = SplitAlgorithm::parse("bytes")?.split_points(10, Some(first), Some(last))?;
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
            Self::Uniform => UniformSplit::new(first, last)?.split(regions)?,
            Self::Bytes => {
                let (Some(first), Some(last)) = (first, last) else {
                    return Err(SplitError::RangeMissing {
                        algorithm: self.name(),
                    });
                };
                create_table_points(&unescape(first)?, &unescape(last)?, regions)?
            }
            Self::Buckets => {
                return Err(SplitError::NeedsKeys {
                    algorithm: self.name(),
                    what: "a row key that leads with a bucket",
                });
            }
            Self::Sampled => {
                return Err(SplitError::NeedsKeys {
                    algorithm: self.name(),
                    what: "rows to sample: a scenario",
                });
            }
        };
        verified(points)
    }
}

impl fmt::Display for SplitAlgorithm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// One region for each bucket: the bytes of every bucket but the least, sorted, equal ones once. An empty bucket adds no point.
pub fn bucket_points(buckets: &[Vec<u8>]) -> Vec<RowKey> {
    let mut points: Vec<RowKey> = buckets
        .iter()
        .map(|bucket| RowKey(bucket.clone()))
        .collect();
    points.sort();
    points.dedup();
    points.into_iter().skip(1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back_and_a_mistaken_one_gets_the_nearest() {
        for algorithm in SplitAlgorithm::ALL {
            assert_eq!(SplitAlgorithm::parse(algorithm.name()), Ok(algorithm));
            assert_eq!(algorithm.to_string(), algorithm.name());
        }
        let nearest = |name| SplitAlgorithm::parse(name).unwrap_err().nearest;
        assert_eq!(nearest("HexStringSplit"), Some("hex-string"));
        assert_eq!(nearest("UniformSplit"), Some("uniform"));
        assert_eq!(nearest("bucket"), Some("buckets"));
        assert_eq!(nearest("quantile"), None);
    }

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
