//! Response times as they are written to files: the histograms' bars, exactly. Must not know where files are.

use super::Response;
use hdrhistogram::Histogram;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A histogram's bars, `[step, count, step, count, ...]`: each step leads from the last bar's highest value to the next one's.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Bars(Vec<u64>);

#[derive(Serialize, Deserialize)]
struct SavedResponse {
    completed: Bars,
    unfinished: Bars,
    failed: Bars,
    sum_nanos: u128,
}

/// Why bars are no histogram.
#[derive(Debug, thiserror::Error)]
enum BarsError {
    #[error("a bar without a count")]
    Odd,
    #[error("bars that do not ascend")]
    Order,
    #[error("more than 2^64 operations")]
    TooMany,
}

impl From<&Histogram<u64>> for Bars {
    fn from(histogram: &Histogram<u64>) -> Self {
        let mut bars = Vec::with_capacity(2 * histogram.distinct_values().min(4096));
        let mut last = 0;
        for bar in histogram.iter_recorded() {
            let value = bar.value_iterated_to();
            bars.extend([value - last, bar.count_at_value()]);
            last = value;
        }
        Self(bars)
    }
}

impl Bars {
    /// (highest value, count), ascending.
    fn values(&self) -> Result<Vec<(u64, u64)>, BarsError> {
        let (pairs, rest) = self.0.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(BarsError::Odd);
        }
        let (mut value, mut total) = (0u64, 0u64);
        let mut values = Vec::with_capacity(pairs.len());
        for (index, &[step, count]) in pairs.iter().enumerate() {
            value = value.checked_add(step).ok_or(BarsError::Order)?;
            if index > 0 && step == 0 {
                return Err(BarsError::Order);
            }
            total = total.checked_add(count).ok_or(BarsError::TooMany)?;
            values.push((value, count));
        }
        Ok(values)
    }
}

impl Serialize for Response {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let saved = SavedResponse {
            completed: (&self.completed).into(),
            unfinished: (&self.unfinished).into(),
            failed: (&self.failed).into(),
            sum_nanos: self.sum_nanos,
        };
        saved.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Response {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = SavedResponse::deserialize(deserializer)?;
        let completed = saved.completed.values().map_err(D::Error::custom)?;
        let unfinished = saved.unfinished.values().map_err(D::Error::custom)?;
        let failed = saved.failed.values().map_err(D::Error::custom)?;
        let longest = completed.last().map_or(0, |&(value, _)| value);
        let mut response = Self::new(longest);
        let fill = |histogram: &mut Histogram<u64>, bars: &[(u64, u64)]| {
            bars.iter()
                .try_for_each(|&(value, count)| histogram.record_n(value, count))
        };
        fill(&mut response.completed, &completed).map_err(D::Error::custom)?;
        fill(&mut response.unfinished, &unfinished).map_err(D::Error::custom)?;
        fill(&mut response.failed, &failed).map_err(D::Error::custom)?;
        response.sum_nanos = saved.sum_nanos;
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bars(response: &Response) -> [Vec<u64>; 3] {
        [
            Bars::from(&response.completed).0,
            Bars::from(&response.unfinished).0,
            Bars::from(&response.failed).0,
        ]
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
            prop_assert_eq!(bars(&read), bars(&response));
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
