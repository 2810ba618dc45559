//! From a place in the meaning of a TOML string to the place in the file: so that a caret stands under a sub-expression.

use std::ops::Range;
use toml::de::DeValue;

/// A longer string is marked as a whole: what its escapes mean is found by trying.
const LONGEST: usize = 10_000;

/// The bytes of the file that `inner`, a byte range of the decoded `value`, was written with. `raw` is the range of the whole string,
/// quotes included. The whole string when it can't be told.
pub(super) fn locate(
    text: &str,
    raw: &Range<usize>,
    value: &str,
    inner: &Range<usize>,
) -> Range<usize> {
    let written = text.get(raw.clone()).filter(|it| it.len() <= LONGEST);
    let at = |position: usize| Some(raw.start + offset(written?, value.get(..position)?)?);
    let is_it = at(value.len()) == Some(raw.end - quotes(written.unwrap_or_default()).len());
    let (start, end) = (inner.start, inner.end.min(value.len()));
    match at(start).zip(at(end)) {
        Some((start, end)) if is_it => start..end.max(start),
        _ => raw.clone(),
    }
}

/// The quotes that a string begins with.
fn quotes(written: &str) -> &str {
    let of_lines = ["\"\"\"", "'''"];
    let found = of_lines.into_iter().find(|it| written.starts_with(it));
    found.unwrap_or(written.get(..1).unwrap_or_default())
}

/// Where a string would be cut to mean no more than its first part, behind the breaks that mean nothing.
fn offset(written: &str, part: &str) -> Option<usize> {
    let quotes = quotes(written);
    let ends = quotes.len()..=written.len().checked_sub(quotes.len())?;
    let mut ends = ends.rev().filter(|end| written.is_char_boundary(*end));
    ends.find(|end| {
        let cut = format!("{}{quotes}", &written[..*end]);
        let meaning = DeValue::parse(&cut);
        meaning.is_ok_and(|it| matches!(it.get_ref(), DeValue::String(it) if *it == *part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(text: &'a str, value: &str, inner: &str) -> &'a str {
        let raw = 4..text.len();
        let start = value.find(inner).unwrap();
        &text[locate(text, &raw, value, &(start..start + inner.len()))]
    }

    #[test]
    fn places_are_found_behind_quotes_and_escapes() {
        assert_eq!(found("k = \"be8(tz) || x\"", "be8(tz) || x", "tz"), "tz");
        assert_eq!(found("k = 'be8(tz)'", "be8(tz)", "tz"), "tz");
        assert_eq!(found(r#"k = "'\t' || tz""#, "'\t' || tz", "tz"), "tz");
        assert_eq!(
            found(r#"k = "'\u00e9' || tz""#, "'\u{e9}' || tz", "tz"),
            "tz"
        );
        assert_eq!(
            found("k = '''\nbe8(tz)\n || x'''", "be8(tz)\n || x", "tz"),
            "tz"
        );
        assert_eq!(
            found("k = \"\"\"be8(\\\n   tz)\"\"\"", "be8(tz)", "tz"),
            "tz"
        );
        // Two quotes inside of three.
        assert_eq!(found("k = '''x'' || tz'''", "x'' || tz", "tz"), "tz");
    }

    #[test]
    fn what_can_not_be_told_is_the_whole_string() {
        let text = "k = \"abc\"";
        assert_eq!(locate(text, &(4..9), "other", &(0..1)), 4..9);
        assert_eq!(locate(text, &(4..9), "abc", &(3..3)), 8..8);
        assert_eq!(locate(text, &(4..9), "abc", &(2..99)), 7..8);
    }
}
