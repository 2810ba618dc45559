//! Where the values of a swept setting lie on the horizontal axis.

use crate::experiment::{SweptList, value_text};
use crate::report::chart::prelude::*;
use serde_json::Value;

/// Values this many times the least one are spread over the axis by their logarithms.
const WIDE_RANGE: f64 = 4.0;
/// Labels of ticks nearer than this would touch.
const TICK_ROOM: f64 = 26.0;

/// The places of the swept values on the horizontal axis.
pub struct SweepPlaces<'a> {
    list: &'a SweptList,
    /// Of each value of the list; ascending values lie from left to right.
    at: Vec<f64>,
}

impl<'a> SweepPlaces<'a> {
    /// Of the setting's values.
    pub fn of(list: &'a SweptList) -> Self {
        let numbers: Option<Vec<f64>> = list.values.iter().map(Value::as_f64).collect();
        let at = match numbers {
            // Words, and numbers with units, stand in the order of the file.
            None => (0..list.values.len()).map(|place| place as f64).collect(),
            Some(numbers) => {
                let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
                let most = numbers.iter().copied().fold(0.0, f64::max);
                match least > 0.0 && most / least >= WIDE_RANGE {
                    true => numbers.iter().map(|number| number.log2()).collect(),
                    false => numbers,
                }
            }
        };
        Self { list, at }
    }

    /// The place of one of its values.
    pub fn of_value(&self, value: Option<&Value>) -> Option<f64> {
        let place = self.list.values.iter().position(|it| Some(it) == value)?;
        Some(self.at[place])
    }

    /// The setting.
    pub fn list(&self) -> &'a SweptList {
        self.list
    }

    /// Every place with its value as written, from left to right.
    pub fn ascending(&self) -> Vec<(f64, String)> {
        let texts = self.list.values.iter().map(value_text);
        let mut places: Vec<(f64, String)> = self.at.iter().copied().zip(texts).collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        places
    }

    /// With some room on either side, and labels where there is room for them.
    pub fn axis(&self, wide: f64) -> Axis {
        let low = self.at.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.at.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let margin = if high > low { (high - low) * 0.06 } else { 1.0 };
        let range = (low - margin)..(high + margin);
        let pixels = wide / (range.end - range.start);
        let mut ticks = self.ascending();
        let mut last = f64::NEG_INFINITY;
        ticks.retain(|(at, text)| {
            let room = TICK_ROOM.max(width(text, 10.5, false) + 6.0);
            let fits = (at - last) * pixels >= room;
            if fits {
                last = *at;
            }
            fits
        });
        Axis::new(range, ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn places(values: Value) -> Vec<(f64, String)> {
        let values = serde_json::from_value(values).expect("a list");
        let list = SweptList {
            path: "parameter.buckets".to_owned(),
            values,
        };
        SweepPlaces::of(&list).ascending()
    }

    #[test]
    fn numbers_ascend_by_their_logarithms_when_they_are_far_apart() {
        let place = |at: f64, text: &str| (at, text.to_owned());
        assert_eq!(
            places(json!([16, 2, 4])),
            [place(1.0, "2"), place(2.0, "4"), place(4.0, "16")]
        );
        assert_eq!(places(json!([7, 5])), [place(5.0, "5"), place(7.0, "7")]);
        assert_eq!(places(json!([0, 9])), [place(0.0, "0"), place(9.0, "9")]);
    }

    #[test]
    fn words_stand_in_the_order_of_the_file() {
        let place = |at: f64, text: &str| (at, text.to_owned());
        assert_eq!(
            places(json!(["40k/s", "5k/s"])),
            [place(0.0, "40k/s"), place(1.0, "5k/s")]
        );
    }
}
