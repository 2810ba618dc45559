//! How fast and how long a drafted run is. Must not know what it writes.

use crate::statistics::Interval;

/// Operations of a run, and the least rate of them, a second: shares are then told from chance, and a run takes a second or so.
const OPERATIONS: f64 = 50_000.0;
const LEAST_RATE: f64 = 1_000.0;

/// Shortest and longest run, in seconds.
const LENGTHS: (f64, f64) = (2.2, 20.0);

/// Samples of a run: twenty behind those of the warm-up.
const SAMPLES: f64 = 22.0;

/// A run of rows that come so often a second.
pub struct RunLength {
    /// Of the file, and of the run, in rows a second.
    pub found: f64,
    pub rate: f64,
    /// Seconds of a sample, in tenths: all of them fill the run.
    pub sample: f64,
}

impl RunLength {
    /// Of the rate of a file's rows, if it has one.
    pub fn of(rate: Option<Interval>) -> Self {
        let found = rate.map_or(LEAST_RATE, |it| it.value);
        let rate = found.max(LEAST_RATE);
        let seconds = (OPERATIONS / rate).clamp(LENGTHS.0, LENGTHS.1);
        let sample = (seconds / SAMPLES * 10.0).round() / 10.0;
        Self {
            found,
            rate,
            sample,
        }
    }

    pub fn seconds(&self) -> f64 {
        SAMPLES * self.sample
    }

    /// The unit of times, in nanoseconds, that are in this one in the file: of whole seconds too few are left for the rows of a run that is faster.
    pub fn unit(&self, of_file: i64) -> i64 {
        match self.rate > self.found {
            true => of_file.min(1_000_000),
            false => of_file,
        }
    }

    /// Rows that are written at most: twice as many and a thousand, whatever chance does, and one in a hundred more for a rate that is rounded.
    pub fn most_rows(&self) -> f64 {
        2.02 * self.rate * self.seconds() + 1_000.0
    }
}
