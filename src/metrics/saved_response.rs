//! Histograms of response times as they are written to files: their bars, exactly. Must not know where files are.

use hdrhistogram::Histogram;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A histogram's bars, `[step, count, step, count, ...]`: each step leads from the last bar's highest value to the next one's.
fn bars(histogram: &Histogram<u64>) -> Vec<u64> {
    let mut bars = Vec::with_capacity(2 * histogram.distinct_values().min(4096));
    let mut last = 0;
    for bar in histogram.iter_recorded() {
        let value = bar.value_iterated_to();
        bars.extend([value - last, bar.count_at_value()]);
        last = value;
    }
    bars
}

/// Writes the bars.
pub(super) fn serialize<S: Serializer>(
    histogram: &Histogram<u64>,
    to: S,
) -> Result<S::Ok, S::Error> {
    bars(histogram).serialize(to)
}

/// Reads a histogram from its bars.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Histogram<u64>, D::Error> {
    let bars = Vec::<u64>::deserialize(from)?;
    let mut histogram = Histogram::new(3).expect("3 digits are allowed");
    let (mut last, mut total) = (None, 0u64);
    for bar in bars.chunks(2) {
        let &[step, count] = bar else {
            return Err(D::Error::custom("a bar without a count"));
        };
        let value = last.unwrap_or(0u64).checked_add(step);
        let value = value.filter(|value| last.is_none_or(|last| *value > last));
        let value = value.ok_or_else(|| D::Error::custom("bars that do not ascend"))?;
        let all = total.checked_add(count);
        total = all.ok_or_else(|| D::Error::custom("more than 2^64 operations"))?;
        histogram.record_n(value, count).map_err(D::Error::custom)?;
        last = Some(value);
    }
    Ok(histogram)
}

#[cfg(test)]
mod tests {
    use super::super::Response;
    use proptest::prelude::*;

    fn all_bars(response: &Response) -> [Vec<u64>; 3] {
        [&response.completed, &response.unfinished, &response.failed].map(super::bars)
    }

    fn again(response: &Response) -> Response {
        let text = serde_json::to_string(response).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    proptest! {
        #[test]
        fn response_times_are_read_as_they_were_written(
            completed in prop::collection::vec((0u32..62, any::<u64>()), 0..200),
            unfinished in prop::collection::vec((0u32..62, any::<u64>()), 0..50),
            failed in prop::collection::vec((0u32..62, any::<u64>()), 0..50),
            room in 0u64..1 << 40,
        ) {
            let value = |&(bits, of): &(u32, u64)| of & ((1 << bits) - 1);
            let mut response = Response::new(room);
            completed.iter().for_each(|of| response.record(value(of)));
            unfinished.iter().for_each(|of| response.record_unfinished(value(of)));
            failed.iter().for_each(|of| response.record_failed(value(of)));
            let read = again(&response);
            prop_assert_eq!(all_bars(&read), all_bars(&response));
            prop_assert_eq!(read.sum_nanos, response.sum_nanos);
            let (read, written) = (read.combined(), response.combined());
            prop_assert_eq!(read.mean(), written.mean());
            prop_assert_eq!(read.max(), written.max());
            for q in [0.001, 0.5, 0.9, 0.99, 0.999] {
                prop_assert_eq!(read.quantile(q), written.quantile(q));
            }
        }
    }

    #[test]
    fn what_was_read_goes_on_counting_and_merging() {
        let mut first = Response::new(5_000);
        (0..40).for_each(|_| first.record(3_000));
        let mut second = again(&first);
        second.record(77_000_000);
        second.add(&first);
        assert_eq!(second.count(), 81);
        assert_eq!(
            second.combined().mean().unwrap().value,
            (80 * 3_000 + 77_000_000) as f64 / 81.0
        );
    }

    #[test]
    fn bars_that_are_no_histogram_are_refused() {
        for (bars, reason) in [
            ("[3]", "a bar without a count"),
            ("[3, 1, 0, 2]", "bars that do not ascend"),
            ("[3, 1, 18446744073709551615, 2]", "bars that do not ascend"),
            (
                "[3, 1, 9, 18446744073709551615]",
                "more than 2^64 operations",
            ),
        ] {
            let text = format!(
                r#"{{"completed": {bars}, "unfinished": [], "failed": [], "sum_nanos": 3}}"#
            );
            let error = serde_json::from_str::<Response>(&text).unwrap_err();
            assert!(error.to_string().contains(reason), "{bars}: {error}");
        }
    }
}
