//! One store file of a region. Must not know how it is written, nor what else the region holds.

use super::RowSample;

/// A store file: what a compaction, a split and a reader see of it.
#[derive(Debug, Clone)]
pub struct RegionFile {
    /// Of its cells; of a reference, of the part that it refers to.
    pub bytes: u64,
    /// Rows likewise, as often as they were written.
    pub rows: u64,
    /// It refers to a file of a region that was split or merged.
    pub is_reference: bool,
    /// Which rows; `None` where keys are not kept.
    pub sample: Option<RowSample>,
}

impl RegionFile {
    /// What compacting `files` into one gives. `None` without files.
    pub fn merged(files: impl IntoIterator<Item = Self>) -> Option<Self> {
        files.into_iter().reduce(|mut merged, file| {
            merged.bytes += file.bytes;
            merged.rows += file.rows;
            merged.is_reference = false;
            merged.sample = match (merged.sample.take(), file.sample) {
                (Some(mut sample), Some(other)) => {
                    sample.merge(other);
                    Some(sample)
                }
                _ => None,
            };
            merged
        })
    }

    /// References to the part below `row` and to the rest: bytes as the sampled rows are divided, in halves where rows are unknown. A part
    /// without bytes is not referred to.
    pub fn divided(self, row: &[u8]) -> (Option<Self>, Option<Self>) {
        let sample = self.sample.as_ref();
        let share = sample.map_or(0.5, |sample| sample.share_below(row));
        let below = |all: u64| ((all as f64 * share).round() as u64).min(all);
        let (bytes, rows) = (below(self.bytes), below(self.rows));
        let (lower, upper) = self.sample.map(|sample| sample.divide(row)).unzip();
        let part = |bytes, rows, sample| {
            (bytes > 0).then_some(Self {
                bytes,
                rows,
                is_reference: true,
                sample,
            })
        };
        (
            part(bytes, rows, lower),
            part(self.bytes - bytes, self.rows - rows, upper),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sampling;
    use super::*;
    use crate::random::mix;

    fn file(keys: std::ops::Range<u32>, row_bytes: u64) -> RegionFile {
        let mut sample = RowSample::new(Sampling {
            capacity: 1_000,
            share: 1.0,
        });
        for key in keys.clone() {
            sample.offer(mix(u64::from(key)), &key.to_be_bytes());
        }
        RegionFile {
            bytes: keys.len() as u64 * row_bytes,
            rows: keys.len() as u64,
            is_reference: false,
            sample: Some(sample),
        }
    }

    #[test]
    fn bytes_and_rows_are_divided_as_keys_are_and_none_are_lost() {
        let (lower, upper) = file(10..40, 101).divided(&17u32.to_be_bytes());
        let (lower, upper) = (lower.unwrap(), upper.unwrap());
        assert_eq!((lower.bytes, lower.rows), (7 * 101, 7));
        assert_eq!((upper.bytes, upper.rows), (23 * 101, 23));
        assert!(lower.is_reference && upper.is_reference);
        assert!(file(10..40, 101).divided(&10u32.to_be_bytes()).0.is_none());
        assert!(file(10..40, 101).divided(&40u32.to_be_bytes()).1.is_none());

        let merged = RegionFile::merged([upper, lower]).unwrap();
        assert_eq!((merged.bytes, merged.rows), (30 * 101, 30));
        assert!(!merged.is_reference);
        assert_eq!(merged.sample.unwrap().sorted().len(), 30);
    }

    #[test]
    fn a_file_of_unknown_rows_is_halved() {
        let unknown = RegionFile {
            sample: None,
            ..file(0..7, 3)
        };
        let (lower, upper) = unknown.divided(b"x");
        let (lower, upper) = (lower.unwrap(), upper.unwrap());
        assert_eq!((lower.bytes, upper.bytes), (11, 10));
        assert_eq!(lower.rows + upper.rows, 7);
        assert!(lower.sample.is_none() && RegionFile::merged([lower, upper]).is_some());
    }
}
