//! What the exported script of a replay writes. Must not know whether it is of the scenario at hand.

use super::file::{ObservedError, ObservedFile};
use crate::keyspace::RowKey;
use crate::text::unhex;
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;

const AGAIN: &str = "run the script again: `hbase shell -n FILE > measured.txt`";

/// Version of the format.
const SCHEMA_VERSION: u32 = 1;

/// The result of a replay on a real store: `keyheat help measured` says what its parts are.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[allow(missing_docs)]
pub struct MeasuredReplay {
    pub scenario: MeasuredScenario,
    pub strategy: String,
    pub servers: u32,
    pub from_s: f64,
    pub to_s: f64,
    pub operations: MeasuredOperations,
    pub cut_short: Option<String>,
    pub late_ms: Option<MeasuredTimes>,
    pub writes: MeasuredSide,
    pub reads: MeasuredSide,
    pub regions: Vec<MeasuredRegion>,
}

/// For provenance, as in `results.json`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[allow(missing_docs)]
pub struct MeasuredScenario {
    pub name: String,
    pub sha256: String,
    pub overrides: Vec<String>,
}

/// Operations of the whole replay: which the script had, and which it sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[allow(missing_docs)]
pub struct MeasuredOperations {
    pub asked: u64,
    pub sent: u64,
}

/// Operations whose intended start lies in the window.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[allow(missing_docs)]
pub struct MeasuredSide {
    pub offered: u64,
    pub failed: u64,
    pub throughput_per_sec: f64,
    pub response_ms: Option<MeasuredTimes>,
}

/// Mean and percentiles in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[allow(missing_docs)]
pub struct MeasuredTimes {
    pub mean: f64,
    pub p10: f64,
    pub p50: f64,
    pub p75: f64,
    pub p90: f64,
    pub p99: f64,
}

/// A region, and the rows that were read and written of it in the window.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[allow(missing_docs)]
pub struct MeasuredRegion {
    #[serde(rename = "start_hex", deserialize_with = "key")]
    pub start: RowKey,
    pub server: String,
    pub reads: u64,
    pub writes: u64,
    /// It was opened here meanwhile: its counters began again.
    pub moved: bool,
}

fn key<'de, D: Deserializer<'de>>(from: D) -> Result<RowKey, D::Error> {
    let key = unhex(&String::deserialize(from)?).map(RowKey);
    key.ok_or_else(|| D::Error::custom("a key that is not in hex"))
}

impl MeasuredTimes {
    /// Of a quantile that it has, in milliseconds.
    pub fn quantile(&self, q: f64) -> f64 {
        let all = [
            (0.1, self.p10),
            (0.5, self.p50),
            (0.75, self.p75),
            (0.9, self.p90),
        ];
        let found = all.iter().find(|(of, _)| *of == q);
        found.map_or(self.p99, |(_, ms)| *ms)
    }
}

impl MeasuredReplay {
    /// Reads the result, wherever it stands among what the shell says.
    ///
    /// # Errors
    /// When there is none, when it is damaged or of another version, and when its clock jumped.
    pub fn read(file: &ObservedFile) -> Result<Self, ObservedError> {
        let text = &file.text;
        let start = text.find("{\"schema_version\"").or_else(|| text.find('{'));
        let Some(start) = start else {
            let found = match text.trim().is_empty() {
                true => "the file is empty",
                false => "no JSON object stands in it",
            };
            let found = format!("{found}, and the result of a replay was expected");
            return Err(file.error(1, found, AGAIN));
        };
        let (before, json) = text.split_at(start);
        let first = 1 + before.matches('\n').count();
        let error = |line: usize, found: String, help| {
            file.error(first + line.saturating_sub(1), found, help)
        };
        let broken = |fault: serde_json::Error| {
            let found = format!("no result of a replay: {fault}");
            error(fault.line(), found, AGAIN)
        };
        // What follows is the shell's.
        let mut values = serde_json::Deserializer::from_str(json).into_iter();
        let value = values.next().expect("it begins with a brace");
        let value: Value = value.map_err(broken)?;
        let version = &value["schema_version"];
        if version.is_null() {
            let found = "JSON without `schema_version`, and the result of a replay was expected";
            return Err(error(1, found.to_owned(), AGAIN));
        }
        if *version != SCHEMA_VERSION {
            let found = format!("schema version {version}, expected {SCHEMA_VERSION}");
            let help = "export and measure with this version of keyheat";
            return Err(error(1, found, help));
        }
        let mut replay: Self = serde_json::from_value(value).map_err(broken)?;
        replay.regions.sort_by(|a, b| a.start.cmp(&b.start));
        let times = [
            replay.writes.response_ms,
            replay.reads.response_ms,
            replay.late_ms,
        ];
        for MeasuredTimes { p10, p50, p99, .. } in times.into_iter().flatten() {
            if !(p10 >= 0.0 && p50 >= p10 && p99 >= p50) {
                let found = format!("p10 {p10} ms, p50 {p50} ms, p99 {p99} ms: the clock jumped");
                let help =
                    "measure again on a machine whose clock nobody sets, and which does not sleep";
                return Err(error(1, found, help));
            }
        }
        let (from, to) = (replay.from_s, replay.to_s);
        if !(from >= 0.0 && to > from) {
            let found = format!("from {from} s to {to} s: nothing was measured");
            let help = "export more `--operations`: the replay ended within its warm-up";
            return Err(error(1, found, help));
        }
        Ok(replay)
    }

    /// By their paths in results.
    pub fn quantities(&self) -> Vec<(String, f64)> {
        let mut all = Vec::new();
        for (name, side) in [("write", &self.writes), ("read", &self.reads)] {
            if side.offered > 0 {
                let failed = side.failed as f64 / side.offered as f64;
                let throughput = format!("{name}_throughput_per_sec");
                all.push((throughput, side.throughput_per_sec));
                all.push((format!("{name}_failed_fraction"), failed));
            }
            if let Some(it) = side.response_ms {
                let parts = [
                    ("mean", it.mean),
                    ("p50", it.p50),
                    ("p90", it.p90),
                    ("p99", it.p99),
                ];
                all.extend(parts.map(|(part, ms)| (format!("{name}_response_ms.{part}"), ms)));
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: &str = r#"{"mean":20.0,"p10":2.0,"p25":6.0,"p50":14.0,"p75":28.0,"p90":45.0,"p99":90.0,"p999":99.0,"max":99.0}"#;

    /// The result of a replay.
    fn replay() -> String {
        format!(
            r#"{{"schema_version":1,"tool":"keyheat 0.1.0","scenario":{{"name":"s","sha256":"00","overrides":[]}},"strategy":"a","hbase":"2.6.1","table":"t","table_created":true,"servers":2,"from_s":2.0,"to_s":12.0,"operations":{{"asked":80,"sent":80}},"cut_short":null,"late_ms":null,"writes":{{"offered":80,"failed":0,"unfinished":0,"throughput_per_sec":8.0,"response_ms":{TIMES}}},"reads":{{"offered":0,"failed":0,"unfinished":0,"throughput_per_sec":0.0,"response_ms":null}},"regions":[{{"start_hex":"80","server":"b","reads":5,"writes":40,"moved":false}},{{"start_hex":"","server":"a","reads":0,"writes":40,"moved":false}}]}}"#
        )
    }

    fn read(name: &str, text: &str) -> Result<MeasuredReplay, ObservedError> {
        let (name, text) = (name.to_owned(), text.to_owned());
        MeasuredReplay::read(&ObservedFile { name, text })
    }

    #[test]
    fn a_replay_is_found_among_what_the_shell_says() {
        let text = format!("hbase:001:0> load it\n{}\nhbase:002:0> \n", replay());
        let found = read("m.txt", &text).unwrap();
        assert_eq!(found.regions[1].start, RowKey(vec![0x80]));
        let quantities = found.quantities();
        assert_eq!(quantities[0], ("write_throughput_per_sec".to_owned(), 8.0));
        assert!(quantities.contains(&("write_response_ms.p90".to_owned(), 45.0)));
        assert_eq!(quantities.len(), 6);
    }

    #[test]
    fn what_is_no_measurement_is_told_with_its_line_and_the_next_step() {
        let replay = replay();
        #[track_caller]
        fn told(text: &str, start: &str, help: &str) {
            let error = read("a", text).unwrap_err().to_string();
            let (message, next) = error.split_once('\n').expect("a next step");
            assert!(message.starts_with(start) && next.contains(help), "{error}");
        }
        let again = "run the script again";
        told(
            " \n",
            "`a`, line 1: the file is empty, and the result",
            again,
        );
        told(
            "hello",
            "`a`, line 1: no JSON object stands in it, and",
            again,
        );
        told("\n{\"a\": 1}", "`a`, line 2: JSON without", again);
        told("[a]\n{b}", "`a`, line 2: no result of a replay: key", again);
        let torn = format!("hbase:001:0> load it\n{}", &replay[..replay.len() / 2]);
        told(
            &torn,
            "`a`, line 2: no result of a replay: EOF",
            "run the script again",
        );
        let with = |from: &str, to: &str| {
            let changed = replay.replace(from, to);
            assert_ne!(changed, replay);
            changed
        };
        let newer = with("\"schema_version\":1", "\"schema_version\":2");
        told(
            &newer,
            "`a`, line 1: schema version 2, expected 1",
            "this version",
        );
        let jumped = with("\"p10\":2.0", "\"p10\":-310.5");
        let clock = "`a`, line 1: p10 -310.5 ms, p50 14 ms, p99 90 ms: the clock jumped";
        told(&jumped, clock, "measure again");
        let early = with("\"to_s\":12.0", "\"to_s\":2.0");
        told(
            &early,
            "`a`, line 1: from 2 s to 2 s: nothing",
            "--operations",
        );
        let odd = with("\"start_hex\":\"80\"", "\"start_hex\":\"8\"");
        told(
            &odd,
            "`a`, line 1: no result of a replay: a key",
            "run the script again",
        );
    }
}
