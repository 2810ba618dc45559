//! `[time]`, and dates in general.

use super::prelude::*;
use crate::settings::{json, time};
use crate::text::grouped;
use crate::time::{EpochNanos, SimDuration};
use toml::value::Datetime;

/// Longest run (estimate: beyond it nobody waits for the result).
const LONGEST: SimDuration = SimDuration::from_secs(31 * 86_400);

/// Most sample intervals of a run; each keeps counters of every server.
const MOST_INTERVALS: u64 = 1_000_000;
/// Queues of a cluster in balance settle within seconds: a fifth of the run by default, and at most so long (estimate).
const LONGEST_WARM_UP: SimDuration = SimDuration::from_secs(10);
/// Intervals of a long window by default: longer than a second each beyond a day (estimate).
const DEFAULT_INTERVALS: u64 = 100_000;

crate::settings! {
    /// How long is simulated, and from which date.
    pub(super) static TIME("time", "") {
        /// The date at which the run starts, without quotes; UTC when it names no offset.
        start = json(r#""type": "string""#).or("2026-01-01T00:00:00Z"),
        /// Simulated, warm-up included.
        duration = time().or("20s").within(
            "", "31d", "`time.duration` is {}", "must be longer than zero, and at most 31d",
        ).zero(false),
        /// Not measured. Default: a fifth of the duration, 10 s at most.
        warmup = time(),
        /// Interval of the series and of the skew metrics. Default: a tenth of the window, 1 s at most.
        sample = time(),
    }
}

/// Reads `[time]`.
pub(super) fn read_time(time: Reader<'_>) -> TimeSpec {
    let start = read_start(&time);
    let duration: SimDuration = time.value("duration");
    let default = SimDuration::from_nanos(duration.as_nanos() / 5).min(LONGEST_WARM_UP);
    let warmup: SimDuration = time.value_or("warmup", &default.to_string());
    let sound = duration > SimDuration::ZERO && duration <= LONGEST && warmup < duration;
    if warmup >= duration && duration > SimDuration::ZERO {
        let message = format!("the warm-up, {warmup}, is as long as the run");
        let label = format!("must be shorter than `duration`, {duration}");
        time.refuse("warmup", message, label);
    }
    let window =
        SimDuration::from_nanos(duration.as_nanos().saturating_sub(warmup.as_nanos()).max(1));
    // Ten intervals or more, of a second at most unless there would be too many.
    let nanos = (window.as_nanos() / 10).clamp(1, 1_000_000_000);
    let default = SimDuration::from_nanos(nanos.max(window.as_nanos() / DEFAULT_INTERVALS));
    let sample: SimDuration = time.value_or("sample", &default.to_string());
    if sample == SimDuration::ZERO || (sample > window && sound) {
        let message = format!("`time.sample` is {sample}");
        let fit = format!(", and fit into the window of {window}");
        let fit = if sound { fit.as_str() } else { "" };
        let label = format!("must be longer than zero{fit}");
        time.refuse("sample", message, label);
    } else if sound && duration.as_nanos() / sample.as_nanos() > MOST_INTERVALS {
        let intervals = grouped((duration.as_nanos() / sample.as_nanos()).into());
        let label = format!("at most {}", grouped(MOST_INTERVALS.into()));
        time.refuse("sample", format!("{intervals} sample intervals"), label);
    }
    time.finish();
    TimeSpec {
        start,
        duration,
        warmup,
        sample,
    }
}

fn read_start(time: &Reader<'_>) -> EpochNanos {
    let default = || EpochNanos(1_767_225_600_000_000_000);
    let Some(entry) = time.entry("start") else {
        time.note_default("start", "2026-01-01T00:00:00Z");
        return default();
    };
    let found = match &entry.node.value {
        Value::Datetime(datetime) => instant(time.sink, datetime, &entry.node.place),
        _ => {
            let expected = "a date such as `2026-01-01T00:00:00Z`, without quotes";
            time.wrong_type("start", &entry.node, expected)
        }
    };
    found.unwrap_or_else(default)
}

/// The instant of a TOML date: UTC when it names no offset, midnight when it names no time.
pub(super) fn instant(
    sink: &Diagnostics,
    datetime: &Datetime,
    place: &SourcePlace,
) -> Option<EpochNanos> {
    let Some(date) = datetime.date else {
        let label = "expected a date such as `2026-01-01T00:00:00Z`";
        sink.error(place, format!("`{datetime}` has no date"), label);
        return None;
    };
    let text = match (datetime.time, datetime.offset) {
        (Some(time), Some(offset)) => format!("{date}T{time}{offset}"),
        (Some(time), None) => format!("{date}T{time}Z"),
        (None, _) => format!("{date}T00:00:00Z"),
    };
    let parsed = text.parse::<jiff::Timestamp>().ok();
    let nanos = parsed.and_then(|instant| i64::try_from(instant.as_nanosecond()).ok());
    // A century on each side keeps sums with any duration inside 64-bit nanoseconds.
    let limit = i64::MAX - 2 * SimDuration::LONGEST_WRITTEN.as_nanos() as i64;
    let nanos = nanos.filter(|nanos| nanos.abs() < limit);
    if nanos.is_none() {
        let label = "expected a date from 1878 to 2061";
        sink.error(place, format!("`{datetime}` is out of range"), label);
    }
    nanos.map(EpochNanos)
}

#[cfg(test)]
mod tests {
    use crate::scenario::Scenario;
    use crate::time::SimDuration;

    fn sample(time: &str) -> SimDuration {
        let text = format!(
            "[time]\n{time}\n[field]\nid = {{ type = \"int\", count = 9 }}\n[write.w]\nrate = \"1/s\"\n\
             [strategy.a]\nkey = \"be4(id)\"\n"
        );
        let scenario = Scenario::parse(&text, "time").unwrap_or_else(|error| panic!("{error}"));
        scenario.time.sample
    }

    #[test]
    fn the_default_interval_suits_runs_of_any_length() {
        assert_eq!(
            sample("duration = \"2s\"\nwarmup = \"0s\""),
            SimDuration::from_millis(200)
        );
        assert_eq!(sample("duration = \"1h\""), SimDuration::from_secs(1));
        // 31 days without the warm-up of 10 s.
        assert_eq!(
            sample("duration = \"31d\""),
            SimDuration::from_nanos((31 * 86_400 - 10) * 10_000)
        );
    }
}
