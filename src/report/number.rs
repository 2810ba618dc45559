//! How numbers are written: the one formatter of every view, so that a table and a chart never disagree.
//!
//! Must not know which metric a number is. Undefined is `–`; a lower bound is `> x`; units stand after a no-break
//! space, so that no renderer tears them off; nothing is rounded to a bound that it does not reach (99.997 % is not 100 %).

use crate::experiment::Measure;
use crate::text;

pub use crate::text::{counted, trimmed, verb};

/// What an undefined number looks like.
pub const UNDEFINED: &str = "–";

/// No-break space: between groups of digits, and between a number and its unit.
const NBSP: char = '\u{a0}';

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberFormat {
    /// A count or a rate in at most three significant digits: `812`, `19.9k`, `1.2M`.
    Compact,
    /// Milliseconds, in the unit that fits: `0.42 ms`, `18.2 s`, `5.0 min`.
    Millis,
    /// A fraction, as percent: `0.25` is `25 %`.
    Percent,
    /// How many times: `7.8×`.
    Ratio,
    /// Bytes, in powers of 1024 as HBase's users mean them: `42 B`, `42.5 B`, `1.20 KB`, `16.3 GB`.
    Bytes,
    /// Three significant digits and no unit: `0.998`.
    Plain,
}

impl NumberFormat {
    /// `value` in this format; [`UNDEFINED`] when it is not finite.
    pub fn text(self, value: f64) -> String {
        if !value.is_finite() {
            return UNDEFINED.to_owned();
        }
        match self {
            Self::Compact => text::compact(value),
            Self::Millis => unbroken(&text::millis(value)),
            Self::Percent => unbroken(&text::share(value)),
            Self::Ratio => text::times(value),
            Self::Bytes => unbroken(&text::bytes(value)),
            Self::Plain => text::significant(value),
        }
    }

    /// The number that tables show of `measure`: the merged percentile where there is one, else the mean; `> x` when
    /// it is a lower bound, `< x` when it is an upper one.
    pub fn measure(self, measure: &Measure) -> String {
        match measure.merged.or(measure.mean) {
            Some(value) if measure.upper_bound && !measure.censored => {
                format!("<{NBSP}{}", self.text(value))
            }
            value => self.bound(value, measure.censored),
        }
    }

    /// `value`, which may be a lower bound: `> x`.
    pub fn bound(self, value: Option<f64>, is_bound: bool) -> String {
        let text = self.optional(value);
        match is_bound && value.is_some() {
            true => format!(">{NBSP}{text}"),
            false => text,
        }
    }

    /// `value`; [`UNDEFINED`] without one.
    pub fn optional(self, value: Option<f64>) -> String {
        value.map_or(UNDEFINED.to_owned(), |value| self.text(value))
    }

    /// As [`NumberFormat::measure`], followed by the 95 % interval when there is one: `1.94× [1.91×, 1.98×]`.
    pub fn interval(self, measure: &Measure) -> String {
        let number = self.measure(measure);
        match self.ends(measure) {
            Some(ends) => format!("{number} {ends}"),
            None => number,
        }
    }

    /// The 95 % interval alone, when there is one: `[1.91×, 1.98×]`.
    pub fn ends(self, measure: &Measure) -> Option<String> {
        let (low, high) = measure.low.zip(measure.high)?;
        Some(format!("[{}, {}]", self.text(low), self.text(high)))
    }
}

/// A whole number with its digits in groups of three: `1 600 000`.
pub fn grouped(value: u64) -> String {
    text::grouped_by(value.into(), NBSP)
}

/// The spaces of a number with its unit don't let a line break.
fn unbroken(text: &str) -> String {
    text.replace(' ', &NBSP.to_string())
}

/// `part of whole`, for numbers with a bound: `7.3 of 8`.
pub fn of(part: f64, whole: u32) -> String {
    match part.is_finite() {
        true => format!("{part:.1} of {whole}"),
        false => UNDEFINED.to_owned(),
    }
}

/// A length of simulated time on an axis or in a sentence, without trailing zeros: `20 s`, `1.5 h`.
pub fn length(seconds: f64) -> String {
    unbroken(&text::length(seconds))
}

/// A tick of a compact axis: `0`, `0.0025`, `2.5k`, `40k`.
pub fn tick(value: f64) -> String {
    let (scaled, suffix) = text::scaled(value.abs());
    let sign = if value < 0.0 { "−" } else { "" };
    let zeros = Some(-scaled.log10().floor()).filter(|zeros| (0.0..=9.0).contains(zeros));
    let places = 3 + zeros.unwrap_or_default() as usize;
    format!("{sign}{}{suffix}", trimmed(scaled, places))
}

/// The same text for a terminal without Unicode.
pub fn ascii(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            NBSP | '\u{202f}' | '\u{2009}' => plain.push(' '),
            '×' => plain.push('x'),
            '÷' => plain.push('/'),
            '–' | '—' | '−' | '─' | '·' => plain.push('-'),
            '…' => plain.push_str("..."),
            '≥' => plain.push_str(">="),
            '≤' => plain.push_str("<="),
            '±' => plain.push_str("+-"),
            '→' => plain.push_str("->"),
            '✓' => plain.push_str("ok"),
            '✗' => plain.push_str("FAIL"),
            '‘' | '’' => plain.push('\''),
            '“' | '”' => plain.push('"'),
            letter if letter.is_ascii() => plain.push(letter),
            _ => plain.push('?'),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: NumberFormat, cases: &[(f64, &str)]) {
        for (value, expected) in cases {
            assert_eq!(
                kind.text(*value).replace(NBSP, " "),
                *expected,
                "{kind:?} of {value}"
            );
        }
    }

    #[test]
    fn counts_and_rates_keep_three_digits() {
        let cases = [
            (0.0, "0"),
            (7.0, "7"),
            (812.0, "812"),
            (812.4, "812"),
            (999.4, "999"),
            (999.6, "1.00k"),
            (1_000.0, "1.00k"),
            (19_947.3, "19.9k"),
            (80_000.0, "80.0k"),
            (999_600.0, "1.00M"),
            (1_600_000.0, "1.60M"),
            (2.5e9, "2.50G"),
            (0.25, "0.25"),
            (-1_500.0, "−1.50k"),
            (f64::NAN, "–"),
            (f64::INFINITY, "–"),
        ];
        check(NumberFormat::Compact, &cases);
    }

    #[test]
    fn durations_take_the_unit_that_fits() {
        let cases = [
            (0.0, "0 ms"),
            (0.0417, "0.0417 ms"),
            (0.42, "0.42 ms"),
            (1.313, "1.31 ms"),
            (12.34, "12.3 ms"),
            (412.6, "413 ms"),
            (999.7, "1.00 s"),
            (18_240.0, "18.2 s"),
            (179_000.0, "179 s"),
            (300_000.0, "5.00 min"),
            (36_000_000.0, "10.0 h"),
        ];
        check(NumberFormat::Millis, &cases);
    }

    #[test]
    fn percentages_never_claim_nothing_or_everything_falsely() {
        let cases = [
            (0.0, "0 %"),
            (0.000_01, "< 0.01 %"),
            (0.001_2, "0.12 %"),
            (0.034, "3.4 %"),
            (0.254, "25 %"),
            (0.986, "99 %"),
            (0.996, "99.6 %"),
            (0.999_7, "99.97 %"),
            (0.999_97, "99.997 %"),
            (0.999_999_7, "99.999 %"),
            (0.999_999_999_999_9, "100 %"),
            (1.0, "100 %"),
            (2.5, "250 %"),
            (-1.0, "−100 %"),
            (-0.034, "−3.4 %"),
        ];
        check(NumberFormat::Percent, &cases);
    }

    #[test]
    fn ratios_keep_what_distinguishes_them() {
        check(
            NumberFormat::Ratio,
            &[
                (1.024, "1.02×"),
                (7.84, "7.8×"),
                (1.9996, "2.0×"),
                (812.3, "812×"),
                (0.25, "0.25×"),
                (0.0125, "0.013×"),
                (9.5e-8, "1/10.5M×"),
                (0.0, "0.00×"),
            ],
        );
        check(
            NumberFormat::Plain,
            &[
                (0.9979, "1.00"),
                (0.085, "0.0850"),
                (12.34, "12.3"),
                (0.0, "0"),
            ],
        );
    }

    #[test]
    fn bytes_are_counted_in_powers_of_1024() {
        let cases = [
            (0.0, "0 B"),
            (42.0, "42 B"),
            (41.96, "42 B"),
            (42.25, "42.2 B"),
            (999.0, "999 B"),
            (1_000.0, "0.98 KB"),
            (1_229.0, "1.20 KB"),
            (17_500_000_000.0, "16.3 GB"),
            (1_099_511_627_776.0, "1.00 TB"),
        ];
        check(NumberFormat::Bytes, &cases);
    }

    #[test]
    fn a_censored_percentile_is_a_lower_bound_and_the_merged_value_leads() {
        let measure = Measure {
            mean: Some(17_900.0),
            merged: Some(18_240.0),
            low: Some(17_000.0),
            high: Some(18_800.0),
            n: 5,
            censored: true,
            upper_bound: false,
        };
        assert_eq!(
            NumberFormat::Millis.measure(&measure),
            "> 18.2 s".replace(' ', "\u{a0}")
        );
        let plain = Measure {
            merged: None,
            censored: false,
            ..measure
        };
        assert_eq!(
            NumberFormat::Millis.interval(&plain).replace(NBSP, " "),
            "17.9 s [17.0 s, 18.8 s]"
        );
        let undefined = Measure::UNDEFINED;
        assert_eq!(NumberFormat::Percent.interval(&undefined), "–");
    }

    #[test]
    fn whole_numbers_are_grouped_and_lengths_have_no_trailing_zeros() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_600_000).replace(NBSP, " "), "1 600 000");
        assert_eq!(length(20.0).replace(NBSP, " "), "20 s");
        assert_eq!(length(0.25).replace(NBSP, " "), "250 ms");
        assert_eq!(length(5_400.0).replace(NBSP, " "), "90 min");
        assert_eq!(of(7.26, 8), "7.3 of 8");
        assert_eq!(tick(2_500.0), "2.5k");
        assert_eq!(tick(0.0), "0");
        assert_eq!(tick(0.0025), "0.0025");
        assert_eq!(tick(0.75), "0.75");
        assert_eq!(trimmed(-0.001, 2), "0");
    }

    #[test]
    fn ascii_leaves_nothing_that_a_plain_terminal_cannot_show() {
        assert_eq!(
            ascii("✗ 7.8× – 25\u{a0}% ÷ … é"),
            "FAIL 7.8x - 25 % / ... ?"
        );
    }
}
