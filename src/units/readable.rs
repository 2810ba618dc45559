//! Measured numbers as people read them: the one way for sentences, tables and pictures. Must not know what is counted.
//!
//! Three significant digits, zeros kept, so that the digits say how well a number is known: `80.0k`, `3.00 ms`.

/// A count or a rate, with `k`, `M`, `G`, `T` for powers of 1000: `7`, `0.25`, `812`, `19.9k`. Whole numbers below 1000 stand as they are.
pub fn compact(value: f64) -> String {
    let (scaled, suffix) = scaled(value.abs());
    let sign = if value < 0.0 { "−" } else { "" };
    if suffix.is_empty() && scaled.fract() == 0.0 {
        return format!("{sign}{scaled}");
    }
    format!("{sign}{}{suffix}", significant(scaled))
}

/// The greatest power of 1000 below `magnitude`, after rounding to three digits, and its suffix.
pub fn scaled(magnitude: f64) -> (f64, &'static str) {
    match magnitude {
        m if m < 999.5 => (m, ""),
        m if m < 999.5e3 => (m / 1e3, "k"),
        m if m < 999.5e6 => (m / 1e6, "M"),
        m if m < 999.5e9 => (m / 1e9, "G"),
        m => (m / 1e12, "T"),
    }
}

/// Milliseconds in the unit that fits: `3.00 ms`, `18.2 s`, `5.00 min`.
pub fn millis(ms: f64) -> String {
    let (scaled, unit) = match ms.abs() {
        m if m < 999.5 => (ms, "ms"),
        m if m < 180e3 => (ms / 1e3, "s"),
        m if m < 3.0 * 3600e3 => (ms / 60e3, "min"),
        _ => (ms / 3600e3, "h"),
    };
    format!("{} {unit}", significant(scaled))
}

/// How many times: `7.8×`; below twice with two decimals, because there they matter: `1.05×`.
pub fn times(ratio: f64) -> String {
    let digits = match ratio.abs() {
        m if m >= 9_999.5 => compact(ratio),
        m if m >= 99.95 => format!("{ratio:.0}"),
        m if m >= 1.9995 => format!("{ratio:.1}"),
        m if m >= 0.0995 || m == 0.0 => format!("{ratio:.2}"),
        _ => format!("{ratio:.3}"),
    };
    format!("{digits}×")
}

/// Three significant digits, never in scientific notation; whole numbers keep all their digits.
pub fn significant(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        m if m >= 99.95 => format!("{value:.0}"),
        m if m >= 9.995 => format!("{value:.1}"),
        m if m >= 0.09995 => format!("{value:.2}"),
        m if m >= 0.00095 => format!("{value:.4}"),
        _ => format!("{value:.6}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_say_how_well_a_number_is_known() {
        assert_eq!(
            [0.0, 7.0, 7.25, 812.4, 999.6, 19_870.0, 80_000.0, 2.5e9].map(compact),
            ["0", "7", "7.25", "812", "1.00k", "19.9k", "80.0k", "2.50G"]
        );
        assert_eq!(
            [0.42, 3.0, 18_240.0, 240_000.0, 36e6].map(millis),
            ["0.42 ms", "3.00 ms", "18.2 s", "4.00 min", "10.0 h"]
        );
        assert_eq!(
            [7.97, 1.0, 1.9996, 128.2, 0.0125].map(times),
            ["8.0×", "1.00×", "2.0×", "128×", "0.013×"]
        );
        assert_eq!(compact(-1_500.0), "−1.50k");
    }
}
