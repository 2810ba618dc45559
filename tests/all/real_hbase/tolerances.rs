//! How far a prediction may be from what was measured, by the kind of quantity. Must not know any quantity.
//!
//! A measurement is one run, or a few. In a closed loop at capacity the queue wanders from server to server, and hardly does so once in half a
//! minute: with the same mean the median of one run is off by a fifth, its p99 by a quarter. What four handlers of a slow server do in half a
//! minute is off by a thirtieth. So a prediction may also be off by three standard deviations of a run.

use serde_json::Value;

/// What is allowed of one kind: the greater of a part of what is predicted, a difference, and three standard deviations: those of
/// repeated measurements, and those of a run as the replicates of the simulation scatter.
#[derive(Debug)]
pub struct Tolerance {
    /// As measurements name it.
    pub kind: &'static str,
    /// Of what is predicted.
    pub relative: f64,
    pub absolute: f64,
    /// As the document names the kind, and what is allowed.
    pub words: &'static str,
    pub because: &'static str,
}

pub const TOLERANCES: [Tolerance; 11] = [
    Tolerance {
        kind: "exact",
        relative: 0.0,
        absolute: 0.0,
        words: "split points, calls, rows, bytes of a cell: equal",
        because: "chance has no part in them",
    },
    Tolerance {
        kind: "file-size",
        relative: 0.01,
        absolute: 0.0,
        words: "sizes of files: 1 %",
        because: "the bytes of headers, of the file's metadata and of the last block",
    },
    Tolerance {
        kind: "throughput",
        relative: 0.06,
        absolute: 0.0,
        words: "a throughput: 6 %",
        because: "a held handler does HBase's own work besides, and is woken up late: the capacity is known to a few percent",
    },
    Tolerance {
        kind: "share",
        relative: 0.0,
        absolute: 0.01,
        words: "a share of the load: one point",
        because: "a share of a third of 10,000 operations has a standard error of half a point",
    },
    Tolerance {
        kind: "failed",
        relative: 0.0,
        absolute: 0.03,
        words: "a failed or refused fraction: three points",
        because: "where two thirds fail, 4 % more capacity are 1.4 points, and failures come in bursts",
    },
    Tolerance {
        kind: "mean",
        relative: 0.15,
        absolute: 0.0,
        words: "a mean or median response time, and what is waiting: 15 %",
        because: "at two thirds of the capacity a capacity that is 5 % off makes 10 % of the waiting",
    },
    Tolerance {
        kind: "p90",
        relative: 0.20,
        absolute: 0.0,
        words: "a p90: 20 %",
        because: "the same, where waiting is most of it",
    },
    Tolerance {
        kind: "p99",
        relative: 0.25,
        absolute: 0.0,
        words: "a p99: 25 %",
        because: "the same, and it rests on a hundredth of the operations",
    },
    Tolerance {
        kind: "p999",
        relative: 0.25,
        absolute: 0.0,
        words: "a p999: 25 %",
        because: "two runs of a queue that refuses calls took 48.7 and 68.8 s: one standard deviation is 24 % of their mean; replicates scatter by 9 and 14 %",
    },
    Tolerance {
        kind: "flush",
        relative: 0.01,
        absolute: 0.0,
        words: "numbers and sizes of flushes, and the time between them: 1 %",
        because: "rows that come between a flush's request and its snapshot are written, too: 25 ms were seen, and a flush gathers for at least 2.7 s",
    },
    Tolerance {
        kind: "splits",
        relative: 0.15,
        absolute: 0.0,
        words: "times and numbers of splits, numbers of moves: 15 %",
        because: "before a daughter splits it is compacted, at the machine's speed: 0.4 s of the 2.9 s between two splits were seen, 14 %",
    },
];

/// That of a kind.
pub fn tolerance(kind: &str) -> &'static Tolerance {
    let found = TOLERANCES.iter().find(|tolerance| tolerance.kind == kind);
    found.unwrap_or_else(|| panic!("no kind of quantity is called `{kind}`"))
}

impl Tolerance {
    /// Whether a prediction holds; `deviation` is what chance makes of a measurement.
    pub fn allows(&self, predicted: &Value, measured: &Value, deviation: f64) -> bool {
        let (Some(predicted), Some(measured)) = (predicted.as_f64(), measured.as_f64()) else {
            return predicted == measured;
        };
        let allowed = (self.relative * predicted.abs()).max(self.absolute);
        (measured - predicted).abs() <= allowed.max(3.0 * deviation)
    }

    /// Whether neither chance nor the machine's speed has a part in it.
    pub fn is_deterministic(&self) -> bool {
        matches!(self.kind, "exact" | "file-size")
    }
}

/// To six digits, as measurements are written: a number that is equal on every machine.
pub fn rounded(number: f64) -> Value {
    let text = format!("{number:.5e}");
    let rounded: f64 = text.parse().expect("it was written as a number");
    match rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        true => Value::from(rounded as i64),
        false => Value::from(rounded),
    }
}
