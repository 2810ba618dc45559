//! One store file of a region. Must not know how it is written, nor what else the region holds.

use super::{EarlyCells, Keeping, RowSample};

/// A store file: what a compaction, a split and a reader see of it. Times are nanoseconds since the start of the run, negative before it.
#[derive(Debug, Clone, Default)]
pub struct RegionFile {
    /// Of its cells, as they lie on disk; of a reference, of the part that it refers to.
    pub bytes: u64,
    /// Rows likewise, as often as they were written.
    pub rows: u64,
    /// It refers to a file of a region that was split or merged.
    pub is_reference: bool,
    /// Which rows; `None` where keys are not kept.
    pub sample: Option<RowSample>,
    /// When its oldest and its newest cell were written.
    pub oldest_ns: i64,
    pub newest_ns: i64,
    /// Those of its bytes that were written before the run: of their cells no history is known. They are taken to have been written evenly from
    /// the oldest on to `early_newest_ns`.
    pub early_bytes: u64,
    pub early_newest_ns: i64,
    /// Those of one cell of them, all of its versions.
    pub early_cell_bytes: f64,
    /// Variance of its other bytes, in bytes squared: 0 where they are counted.
    pub variance: f64,
    /// When its store is due for a major compaction while it is the oldest file.
    pub major_due_ns: i64,
}

/// How the cells of a family become bytes of files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FileRules {
    /// Bytes on disk per byte of KeyValues: by block encoding and compression.
    pub disk_ratio: f64,
    /// Share of the cells that the run writes that had been written before it, and that had been with as many versions as are kept.
    pub written_before: f64,
    pub full_before: f64,
}

impl Default for FileRules {
    /// KeyValues as they are, which nobody wrote before.
    fn default() -> Self {
        Self {
            disk_ratio: 1.0,
            written_before: 0.0,
            full_before: 0.0,
        }
    }
}

impl RegionFile {
    /// What compacting `files`, oldest first, into one gives, before anything is left out. `None` without files.
    pub fn merged(files: impl IntoIterator<Item = Self>, keeping: &Keeping) -> Option<Self> {
        files.into_iter().reduce(|mut merged, file| {
            if file.early_bytes > 0 {
                merged.early_newest_ns = match merged.early_bytes {
                    0 => file.early_newest_ns,
                    _ => merged.early_newest_ns.max(file.early_newest_ns),
                };
            }
            merged.early_cell_bytes = merged.early_cell_bytes.max(file.early_cell_bytes);
            merged.early_bytes += file.early_bytes;
            merged.bytes += file.bytes;
            merged.variance += file.variance;
            merged.rows += file.rows;
            merged.is_reference = false;
            merged.oldest_ns = merged.oldest_ns.min(file.oldest_ns);
            merged.newest_ns = merged.newest_ns.max(file.newest_ns);
            merged.sample = match (merged.sample.take(), file.sample) {
                (Some(mut sample), Some(other)) => {
                    sample.merge(other, keeping.deletes_rows);
                    Some(sample)
                }
                _ => None,
            };
            merged
        })
    }

    /// It is written by a flush or a compaction, which leaves out what is expired, deleted or superseded where cells are followed, as
    /// [`RowSample::keep`] estimates it; rows in proportion.
    pub fn keep(&mut self, keeping: &Keeping, rules: &FileRules) {
        self.major_due_ns = keeping.major_due_ns;
        let Some(sample) = self.sample.as_mut().filter(|_| keeping.follows) else {
            return;
        };
        let oldest_ns = keeping.oldest_ns();
        let before = self.bytes.max(1) as f64;
        let ratio = rules.disk_ratio;
        let written = (self.bytes - self.early_bytes) as f64 / ratio;
        let known = (written, self.variance / (ratio * ratio));
        let early = EarlyCells {
            there: rules.written_before,
            full: rules.full_before,
            cell_bytes: self.early_cell_bytes / ratio,
        };
        let kept = sample.keep(keeping, known, (self.early_bytes > 0).then_some(early));
        let span = (self.early_newest_ns - self.oldest_ns).max(1) as f64;
        let alive = self.early_newest_ns.saturating_sub(oldest_ns) as f64 / span;
        let early = self.early_bytes as f64 * alive.clamp(0.0, 1.0);
        let hidden = kept.superseding * ratio;
        self.early_bytes = (early - hidden).max(0.0).round() as u64;
        self.bytes = self.early_bytes + (kept.bytes * ratio).round() as u64;
        self.variance = kept.variance * ratio * ratio;
        self.rows = (self.rows as f64 * (self.bytes as f64 / before)).round() as u64;
        self.oldest_ns = self.oldest_ns.max(oldest_ns);
    }

    /// References to the part below `row` and to the rest: bytes as the sampled rows are divided, in halves where rows are unknown. A part
    /// without bytes is not referred to.
    pub fn divided(self, row: &[u8]) -> (Option<Self>, Option<Self>) {
        let sample = self.sample.as_ref();
        let share = sample.map_or(0.5, |sample| sample.share_below(row));
        let below = |all: u64| ((all as f64 * share).round() as u64).min(all);
        let (bytes, rows, early) = (below(self.bytes), below(self.rows), below(self.early_bytes));
        let (lower, upper) = self.sample.map(|sample| sample.divide(row)).unzip();
        let whole = Self {
            sample: None,
            ..self
        };
        let part = |bytes, rows, early_bytes, sample| {
            (bytes > 0).then_some(Self {
                bytes,
                rows,
                early_bytes,
                is_reference: true,
                sample,
                ..whole
            })
        };
        (
            part(bytes, rows, early, lower),
            part(
                self.bytes - bytes,
                self.rows - rows,
                self.early_bytes - early,
                upper,
            ),
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
            ..RegionFile::default()
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

        let merged = RegionFile::merged([upper, lower], &Keeping::default()).unwrap();
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
        assert!(
            lower.sample.is_none()
                && RegionFile::merged([lower, upper], &Keeping::default()).is_some()
        );
    }
}
