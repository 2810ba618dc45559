//! How unevenly numbers are spread over servers, as HBase scales it (`DoubleArrayCost`). Must not know what is spread.

/// Numbers of n servers with their skew: 0 as even as whole numbers can be, 1 all on one server. One change is evaluated in O(1).
#[derive(Debug, Clone, PartialEq)]
pub struct ArraySkew {
    values: Vec<f64>,
    mean: f64,
    /// Sum of the squared distances from the mean.
    squares: f64,
    /// Least distance of the numbers from their mean that whole numbers of this sum can have.
    pub min_skew: f64,
    /// The greatest, which all on one server have.
    pub max_skew: f64,
    /// The skew, 0 to 1. For one server with share p and the rest even, (n p - 1) / (n - 1) for large totals.
    pub cost: f64,
}

impl ArraySkew {
    /// Of numbers >= 0.
    pub fn new(values: Vec<f64>) -> Self {
        let n = values.len().max(1) as f64;
        let total: f64 = values.iter().sum();
        let mean = total / n;
        let rest = total - mean;
        let mut skew = Self {
            values,
            mean,
            squares: 0.0,
            min_skew: min_skew(total, n),
            max_skew: (rest * rest + (n - 1.0) * mean * mean).sqrt(),
            cost: 0.0,
        };
        skew.measure();
        skew
    }

    /// The number of one server.
    pub fn value(&self, server: u32) -> f64 {
        self.values[server as usize]
    }

    /// The skew if `amount` went from one server to another, to within rounding of [`ArraySkew::set`]; exactly the present skew when
    /// nothing goes.
    pub(super) fn cost_if(&self, from: u32, to: u32, amount: f64) -> f64 {
        if amount == 0.0 || from == to {
            return self.cost;
        }
        let (a, b) = (self.value(from) - self.mean, self.value(to) - self.mean);
        let (after_a, after_b) = (a - amount, b + amount);
        let squares = self.squares - a * a - b * b + after_a * after_a + after_b * after_b;
        scale(self.min_skew, self.max_skew, squares.max(0.0).sqrt())
    }

    /// Replaces the numbers of some servers by others of the same sum and measures anew, in O(n). Mean and bounds stay: HBase sums again,
    /// and where the sum is a whole number the last bits of another order of adding can make the least skew jump.
    pub fn set(&mut self, values: impl IntoIterator<Item = (u32, f64)>) {
        for (server, value) in values {
            self.values[server as usize] = value;
        }
        self.measure();
    }

    fn measure(&mut self) {
        let distances = self.values.iter().map(|value| self.mean - value);
        self.squares = distances.map(|distance| distance * distance).sum();
        self.cost = scale(self.min_skew, self.max_skew, self.squares.sqrt());
    }
}

fn min_skew(total: f64, n: f64) -> f64 {
    let mean = total / n;
    let squares = if n > total {
        (n - total) * mean * mean + (1.0 - mean) * (1.0 - mean) * total
    } else {
        // Some have one more than the others; HBase cuts their number to an int.
        let high = (total - mean.floor() * n).trunc();
        let low = (n - high).trunc();
        let (above, below) = (mean.ceil() - mean, mean - mean.floor());
        high * above * above + low * below * below
    };
    squares.sqrt()
}

/// Where a value lies between two bounds, 0 to 1; differences of one unit in the last place don't count (`CostFunction.scale`).
/// 0 when the bounds or the value are upside down.
pub(super) fn scale(min: f64, max: f64, value: f64) -> f64 {
    let last_place = max.next_up() - max;
    if max - min <= last_place || value - min <= last_place {
        return 0.0;
    }
    ((value - min) / (max - min)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_hot_server_costs_what_its_share_says() {
        // n = 8, p = 0.3: (2.4 - 1) / 7 = 0.2.
        let mut values = vec![100_000.0; 8];
        values[5] = 300_000.0;
        assert!((ArraySkew::new(values).cost - 0.2).abs() < 1e-12);
        assert_eq!(ArraySkew::new(Vec::new()).cost, 0.0);
    }

    #[test]
    fn least_and_greatest_skew_are_hbases() {
        // Mean 2.75: three servers with 3 and one with 2, or one with all 11.
        let skew = ArraySkew::new(vec![5.0, 3.0, 3.0, 0.0]);
        let (least, greatest) = (3.0 * 0.0625 + 0.5625, 68.0625 + 3.0 * 7.5625);
        assert_eq!(
            (skew.min_skew, skew.max_skew),
            (f64::sqrt(least), f64::sqrt(greatest))
        );
        // The squares are 17 and 121 times the least ones.
        assert!((skew.cost - (17.0f64.sqrt() - 1.0) / 10.0).abs() < 1e-12);
        // Less than one for each server, as loads can be; mean 3/8: 2.5 servers with nothing, 1.5 with 1.
        let few = ArraySkew::new(vec![0.75, 0.5, 0.25, 0.0]).min_skew;
        assert_eq!(few, (2.5f64 * 0.140625 + 1.5 * 0.390625).sqrt());
    }

    #[test]
    fn nothing_changes_when_nothing_goes_or_it_goes_nowhere() {
        let skew = ArraySkew::new(vec![0.3, 7.1, 2.7]);
        assert_eq!(skew.cost_if(1, 2, 0.0), skew.cost);
        assert_eq!(skew.cost_if(1, 1, 2.5), skew.cost);
        assert!(skew.cost_if(1, 2, 2.0) < skew.cost);
    }

    #[test]
    fn a_value_is_scaled_between_bounds_but_for_a_unit_in_their_last_place() {
        // That of 10.
        let unit = 0.5f64.powi(49);
        for (min, max, value, expected) in [
            (2.0, 10.0, 5.0, 0.375),
            (2.0, 10.0, 10.0, 1.0),
            (2.0, 10.0, 11.0, 1.0),
            (2.0, 10.0, 2.0, 0.0),
            (2.0, 10.0, 1.0, 0.0),
            (2.0, 10.0, 2.0 + unit, 0.0),
            (2.0, 10.0, 2.0 + 2.0 * unit, unit / 4.0),
            (10.0 - unit, 10.0, 12.0, 0.0),
            (10.0 - 2.0 * unit, 10.0, 12.0, 1.0),
            (10.0, 2.0, 12.0, 0.0),
            (10.0, 2.0, 1.0, 0.0),
        ] {
            assert_eq!(scale(min, max, value), expected, "{min} {max} {value}");
        }
    }

    proptest! {
        #[test]
        fn a_change_evaluated_is_the_change_made(
            values in proptest::collection::vec(0u32..1_000, 2..12),
            from in 0usize..12,
            to in 0usize..12,
            eighths in 0u32..=8,
        ) {
            let (from, to) = (from % values.len(), to % values.len());
            prop_assume!(from != to);
            let mut skew = ArraySkew::new(values.iter().map(|&value| f64::from(value)).collect());
            prop_assert!((0.0..=1.0).contains(&skew.cost));
            let amount = skew.value(from as u32) * f64::from(eighths) / 8.0;
            let (from, to) = (from as u32, to as u32);
            let expected = skew.cost_if(from, to, amount);
            let changed = [(from, skew.value(from) - amount), (to, skew.value(to) + amount)];
            skew.set(changed);
            // Squares of up to 1e7 cancel to within 1e-8 and a root is taken of them; the greatest skew is at least 1/2.
            prop_assert!((skew.cost - expected).abs() < 1e-3);
        }
    }
}
