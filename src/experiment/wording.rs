//! Numbers inside sentences. Must not know which metric a number is.

pub(super) use crate::units::{compact, millis, times};

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

/// A name in backticks behind its article, by its sound: ``a `get` ``, ``an `hour` ``, ``a `user` ``.
pub fn with_article(name: &str) -> String {
    let word: String = name
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect();
    let sounds = |starts: &[&str]| starts.iter().any(|start| word.starts_with(start));
    let vowel = match word.as_bytes() {
        // A letter or a number that is read as it is written: an `x`, an `8`.
        [letter] => b"aefhilmnorsx8".contains(letter),
        _ if sounds(&["hour", "heir", "honest", "honour"]) => true,
        _ if sounds(&["eu", "one", "once", "uni", "use", "usa", "uri", "url"]) => false,
        _ => sounds(&["a", "e", "i", "o", "u", "8", "11", "18"]),
    };
    format!("{} `{name}`", if vowel { "an" } else { "a" })
}

/// A length of time that was set, in milliseconds, without trailing zeros: `12 s`, `4 min`.
pub(super) fn length(ms: f64) -> String {
    match ms {
        ms if ms < 999.5 => format!("{} ms", significant(ms)),
        ms if ms < 180e3 => format!("{} s", significant(ms / 1e3)),
        ms if ms < 10_800e3 => format!("{} min", significant(ms / 60e3)),
        ms => format!("{} h", significant(ms / 3_600e3)),
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
    fn articles_follow_the_sound_of_a_name() {
        let names = [
            "hour", "item", "user-day", "one", "unread", "host", "s", "1h", "8-salts", "event",
        ];
        assert_eq!(
            names.map(|name| with_article(name).replace('`', "")),
            [
                "an hour",
                "an item",
                "a user-day",
                "a one",
                "an unread",
                "a host",
                "an s",
                "a 1h",
                "an 8-salts",
                "an event"
            ]
        );
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
            [0.42, 12_000.0, 18_240.0, 240_000.0].map(length),
            ["0.42 ms", "12 s", "18.2 s", "4 min"]
        );
        assert_eq!(
            [0.998_712_3, 80_003.2, 1e-9, -2.5].map(exact),
            ["0.99871", "80003", "1.00e-9", "-2.5"]
        );
    }
}
