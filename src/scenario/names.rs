//! The names of writes, strategies and their kin.

use super::diagnostic::Diagnostic;
use super::diagnostics::Diagnostics;
use super::document::SourcePlace;
use std::ffi::OsStr;
use std::path::Path;

/// Longest name: it becomes part of file names and table rows.
const LONGEST: usize = 64;

fn plain(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit()
}

/// Whether a strategy, a write or one of their kin may have this name: `[a-z0-9][a-z0-9-]*`, 64 characters at most.
pub fn is_name(name: &str) -> bool {
    name.starts_with(plain) && name.chars().all(|c| plain(c) || c == '-') && name.len() <= LONGEST
}

/// Whether a scenario may have this name: a file or folder of this name lies in the folder that is meant, nowhere else.
pub fn is_file_stem(name: &str) -> bool {
    Path::new(name).file_name() == Some(OsStr::new(name)) && !name.contains('\0')
}

/// Complains when `name` is none of [`is_name`].
pub(super) fn check(sink: &Diagnostics, what: &str, name: &str, place: &SourcePlace) {
    if is_name(name) {
        return;
    }
    let small = name.to_lowercase();
    let mapped = small.chars().map(|c| if plain(c) { c } else { '-' });
    let mapped: String = mapped.take(LONGEST).collect();
    let mapped = mapped.trim_matches('-');
    let example =
        (!mapped.is_empty() && name.is_ascii()).then(|| format!("for example `{mapped}`"));
    let label = format!("expected small letters, digits and `-`, {LONGEST} at most");
    let diagnostic = Diagnostic::error(format!("`{name}` is no name of a {what}"));
    sink.add(place, diagnostic.label(label).hint(example));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_scenario_is_no_path() {
        for name in ["five-keys", "a.b", "my scenario (2)", "..."] {
            assert!(is_file_stem(name), "{name}");
        }
        for path in [
            "", ".", "..", "a/b", "/a", "a/", "a/.", "../a", "a/../b", "a\0",
        ] {
            assert!(!is_file_stem(path), "{path}");
        }
    }

    #[test]
    fn the_name_of_a_strategy_is_small_letters_digits_and_hyphens() {
        for name in ["a", "0", "salted-16"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "-a", "A", "a/b", "..", "a b", "é", &"a".repeat(65)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
