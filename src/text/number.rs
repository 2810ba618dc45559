//! Numbers as people read them: the one way for sentences, tables and pictures. Must not know what is counted.
//!
//! Measured ones have three significant digits, zeros kept, so that the digits say how well a number is known: `80.0k`, `3.00 ms`. Those that were
//! set have no trailing zeros: `12 s`. Units stand behind a space.

use std::fmt::Display;

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
        m if m >= 0.0095 => format!("{ratio:.3}"),
        _ => format!("1/{}", compact(1.0 / ratio)),
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

/// A fraction as percent in a sentence: `98.4 %`. Never rounded to 0 or 100 % when it is neither.
pub fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if fraction < 1.0 && percent > 99.9 {
        "over 99.9 %".to_owned()
    } else if fraction > 0.0 && percent < 0.1 {
        "under 0.1 %".to_owned()
    } else {
        format!("{} %", digits(percent, 3))
    }
}

/// A fraction as percent in a table, nothing rounded to a bound that it does not reach: `25 %`, `99.97 %`, `< 0.01 %`.
pub fn share(fraction: f64) -> String {
    if fraction < 0.0 {
        return format!("−{}", share(-fraction));
    }
    let value = fraction * 100.0;
    let digits = match value.abs() {
        0.0 => "0".to_owned(),
        100.0 => "100".to_owned(),
        m if m < 0.005 => return "< 0.01 %".to_owned(),
        m if m < 0.9995 => format!("{value:.2}"),
        m if m < 9.995 => format!("{value:.1}"),
        m if m < 99.0 => format!("{value:.0}"),
        // The nearer to all, the more the missing part matters: two digits of it, and never 100 for less than all.
        m if m < 100.0 => {
            let places = [1, 2, 3]
                .into_iter()
                .find(|places| format!("{m:.places$}") != format!("{:.places$}", 100.0));
            match places {
                Some(places) => format!("{value:.places$}"),
                None if 100.0 - m < 1e-9 => "100".to_owned(),
                None => "99.999".to_owned(),
            }
        }
        _ => format!("{value:.0}"),
    };
    format!("{digits} %")
}

/// A fraction as percent with so many decimals: `12.5 %`.
pub fn percent_to(fraction: f64, places: usize) -> String {
    format!("{:.places$} %", fraction * 100.0)
}

/// A length of time in seconds as a number of the unit that fits.
pub fn in_unit(seconds: f64) -> (f64, &'static str) {
    match seconds {
        s if s < 1.0 => (s * 1e3, "ms"),
        s if s < 180.0 => (s, "s"),
        s if s < 3.0 * 3600.0 => (s / 60.0, "min"),
        s if s < 3.0 * 86_400.0 => (s / 3600.0, "h"),
        s => (s / 86_400.0, "d"),
    }
}

/// A length of time that was set, in seconds, without trailing zeros: `250 ms`, `20 s`, `1.5 h`.
pub fn length(seconds: f64) -> String {
    let (value, unit) = in_unit(seconds);
    let digits = match value < 1.0 {
        true => digits(value, 3),
        false => trimmed(value, 2),
    };
    format!("{digits} {unit}")
}

/// `1 replicate`, `5 replicates`, `1,000 copies`: a count as it is to be read, and what is counted.
pub fn counted(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    match noun.strip_suffix('y') {
        _ if count == "1" => format!("1 {noun}"),
        Some(stem) if !noun.ends_with("ey") => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}s"),
    }
}

/// The verb of so many: `["is", "are"]`.
pub fn verb(count: usize, [of_one, of_many]: [&str; 2]) -> &str {
    if count == 1 { of_one } else { of_many }
}

/// A whole number with commas between its thousands: `1,000,000`.
pub fn grouped(number: i128) -> String {
    grouped_by(number, ',')
}

/// The same with another sign between them.
pub fn grouped_by(number: i128, sign: char) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::from(if number < 0 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(sign);
        }
        text.push(digit);
    }
    text
}

/// Bytes, in powers of 1024 as HBase's users mean them: `42 B`, `42.5 B`, `1.20 KB`, `16.3 GB`.
pub fn bytes(value: f64) -> String {
    const UNITS: [&str; 6] = ["B", "KB", "MB", "GB", "TB", "PB"];
    let (mut scaled, mut unit) = (value, 0);
    while scaled.abs() >= 999.5 && unit + 1 < UNITS.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    let digits = match unit {
        0 if scaled.fract() == 0.0 => format!("{scaled}"),
        0 => trimmed(scaled, 1),
        _ => significant(scaled),
    };
    format!("{digits} {}", UNITS[unit])
}

/// `value` with at most `places` decimals and no trailing zeros: axis ticks, coordinates. Never `-0`.
pub fn trimmed(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    let text = match places > 0 {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    match text == "-0" {
        true => "0".to_owned(),
        false => text.to_owned(),
    }
}

/// Five significant digits without trailing zeros, for values beside bounds: `0.99871`, `80003`.
pub fn exact(value: f64) -> String {
    digits(value, 5)
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
    match places {
        0 => text,
        _ => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
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

    #[test]
    fn numbers_read_well_in_sentences() {
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
            [0.000_42, 12.0, 18.24, 240.0, 5_400.0, 1e6].map(length),
            ["0.42 ms", "12 s", "18.24 s", "4 min", "90 min", "11.57 d"]
        );
        assert_eq!(
            [0.998_712_3, 80_003.2, 1e-9, -2.5].map(exact),
            ["0.99871", "80003", "1.00e-9", "-2.5"]
        );
    }

    #[test]
    fn thousands_are_grouped_from_the_right() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(-999), "-999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(-100_000), "-100,000");
        assert_eq!(grouped_by(1_600_000, ' '), "1 600 000");
    }
}
