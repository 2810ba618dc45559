//! Numbers inside sentences. Must not know which metric a number is.

/// At most three significant digits, `k` and `M` for thousands and millions: `812`, `19.9k`, `80k`.
pub(super) fn compact(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude >= 999_500.0 {
        format!("{}M", significant(value / 1e6))
    } else if magnitude >= 999.5 {
        format!("{}k", significant(value / 1e3))
    } else {
        significant(value)
    }
}

/// A fraction as percent: `98.4 %`. Never rounded to 0 or 100 % when it is neither.
pub(super) fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if fraction < 1.0 && percent > 99.9 {
        "over 99.9 %".to_owned()
    } else if fraction > 0.0 && percent < 0.1 {
        "under 0.1 %".to_owned()
    } else {
        format!("{} %", significant(percent))
    }
}

/// Milliseconds in the unit that fits: `3.42 ms`, `18.2 s`.
pub(super) fn millis(ms: f64) -> String {
    match ms {
        ms if ms < 999.5 => format!("{} ms", significant(ms)),
        ms if ms < 180e3 => format!("{} s", significant(ms / 1e3)),
        ms if ms < 10_800e3 => format!("{} min", significant(ms / 60e3)),
        ms => format!("{} h", significant(ms / 3_600e3)),
    }
}

/// How many times: `7.8×`.
pub(super) fn times(ratio: f64) -> String {
    if ratio.abs() >= 99.5 {
        format!("{ratio:.0}×")
    } else {
        format!("{ratio:.1}×")
    }
}

/// Five significant digits without trailing zeros, for values beside bounds: `0.99871`, `80003`.
pub(super) fn exact(value: f64) -> String {
    digits(value, 5)
}

fn significant(value: f64) -> String {
    digits(value, 3)
}

/// `count` significant digits, no trailing zeros, whole numbers in full, never in scientific notation but for the tiniest.
fn digits(value: f64, count: i32) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let magnitude = libm::floor(libm::log10(value.abs())) as i32;
    if magnitude < -6 {
        return format!("{value:.2e}");
    }
    let places = (count - 1 - magnitude).max(0) as usize;
    let text = format!("{value:.places$}");
    if places == 0 {
        text
    } else {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well_in_sentences() {
        assert_eq!(
            [0.0, 7.25, 812.4, 999.6, 19_870.0, 80_000.0, 1_234_567.0].map(compact),
            ["0", "7.25", "812", "1k", "19.9k", "80k", "1.23M"]
        );
        assert_eq!(
            [0.0, 0.0004, 0.125, 0.984, 0.99951, 1.0].map(percent),
            [
                "0 %",
                "under 0.1 %",
                "12.5 %",
                "98.4 %",
                "over 99.9 %",
                "100 %"
            ]
        );
        assert_eq!(
            [0.42, 3.4219, 18_240.0, 240_000.0].map(millis),
            ["0.42 ms", "3.42 ms", "18.2 s", "4 min"]
        );
        assert_eq!([7.97, 1.0, 128.2].map(times), ["8.0×", "1.0×", "128×"]);
        assert_eq!(
            [0.998_712_3, 80_003.2, 1e-9, -2.5].map(exact),
            ["0.99871", "80003", "1.00e-9", "-2.5"]
        );
    }
}
