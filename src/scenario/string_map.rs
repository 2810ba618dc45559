//! From a place in the meaning of a TOML string to the place in the file: so that a caret stands under a sub-expression.

use std::ops::Range;

/// The bytes of the file that `inner`, a byte range of the decoded `value`, was written with. `raw` is the range of the whole string,
/// quotes included. The whole string when it can't be told.
pub(super) fn locate(
    text: &str,
    raw: &Range<usize>,
    value: &str,
    inner: &Range<usize>,
) -> Range<usize> {
    let found = text.get(raw.clone()).and_then(offsets);
    let Some((_, offsets)) = found.filter(|(decoded, _)| decoded == value) else {
        return raw.clone();
    };
    let at = |position: usize| raw.start + offsets[position.min(offsets.len() - 1)];
    // An end stands behind the last byte of the range, not before the next one: escapes and breaks may lie between.
    at(inner.start)..at(inner.end).max(at(inner.start))
}

/// What a raw string means, and the raw offset of each byte of it (and of its end).
fn offsets(raw: &str) -> Option<(String, Vec<usize>)> {
    let (quote, literal) = match raw.as_bytes() {
        [b'"', b'"', b'"', ..] => ("\"\"\"", false),
        [b'\'', b'\'', b'\'', ..] => ("'''", true),
        [b'"', ..] => ("\"", false),
        [b'\'', ..] => ("'", true),
        _ => return None,
    };
    let end = raw.len().checked_sub(quote.len())?;
    if end < quote.len() || !raw.ends_with(quote) {
        return None;
    }
    let mut at = quote.len();
    if quote.len() == 3 {
        // A newline right behind the opening quotes is not part of the string.
        let breaks = ["\r\n", "\n"];
        let first = breaks.into_iter().find(|it| raw[at..].starts_with(it));
        at += first.map_or(0, str::len);
    }
    let mut decoded = String::new();
    let mut offsets = Vec::new();
    while at < end {
        let c = raw[at..].chars().next()?;
        let (meaning, length) = match c {
            '\\' if !literal => escape(&raw[at..end])?,
            c => (Some(c), c.len_utf8()),
        };
        if let Some(meaning) = meaning {
            decoded.push(meaning);
            offsets.extend(std::iter::repeat_n(at, meaning.len_utf8()));
        }
        at += length;
    }
    offsets.push(end);
    Some((decoded, offsets))
}

/// The character that an escape stands for (none for a line's continuation), and its length.
fn escape(raw: &str) -> Option<(Option<char>, usize)> {
    let kind = raw[1..].chars().next()?;
    let hexadecimal = |digits: usize| {
        let code = u32::from_str_radix(raw.get(2..2 + digits)?, 16).ok()?;
        Some((Some(char::from_u32(code)?), 2 + digits))
    };
    let simple = |c: char| Some((Some(c), 2));
    match kind {
        'b' => simple('\u{8}'),
        't' => simple('\t'),
        'n' => simple('\n'),
        'f' => simple('\u{c}'),
        'r' => simple('\r'),
        'e' => simple('\u{1b}'),
        '"' | '\\' => simple(kind),
        'x' => hexadecimal(2),
        'u' => hexadecimal(4),
        'U' => hexadecimal(8),
        c if c.is_whitespace() => Some((None, 1 + raw[1..].len() - raw[1..].trim_start().len())),
        _ => None,
    }
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
