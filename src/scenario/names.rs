//! The names of writes, strategies and their kin. Must not know what is named.

use super::Diagnostic;
use super::document::Place;
use super::sink::Sink;

/// Longest name: it becomes part of file names and table rows.
const LONGEST: usize = 64;

/// Complains when `name` does not match `[a-z0-9][a-z0-9-]*`.
pub(super) fn check(sink: &Sink, what: &str, name: &str, place: &Place) {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let sound = name.starts_with(plain)
        && name.chars().all(|c| plain(c) || c == '-')
        && name.len() <= LONGEST;
    if sound {
        return;
    }
    let mut diagnostic = Diagnostic::error(format!("`{name}` is no name of a {what}")).label(
        format!("expected small letters, digits and `-`, {LONGEST} at most"),
    );
    let mapped: String = name
        .to_lowercase()
        .chars()
        .map(|c| if plain(c) { c } else { '-' })
        .take(LONGEST)
        .collect();
    let mapped = mapped.trim_matches('-');
    if !mapped.is_empty() && name.is_ascii() {
        diagnostic = diagnostic.help(format!("for example `{mapped}`"));
    }
    sink.add(place, diagnostic);
}
