//! Text that comes from users, made safe to look at.

use std::borrow::Cow;

/// Whether a character would be obeyed by a terminal, or change how the text around it runs, instead of being seen: control characters but line ends and
/// tabulators, marks of direction, and characters without width (Unicode's default ignorable ones and the separators of lines and paragraphs).
pub fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' => {
            true
        }
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' => true,
        '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        c => c.is_control(),
    }
}

/// The text with every hidden character as Rust writes it: `\r`, `\u{1b}`, `\u{202e}`. O(length).
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_hidden(c) {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown_escaped() {
        let text = "a\u{1b}[31mb\u{9b}1m\u{7}\r\u{7f}\u{202e}c\u{200b}\u{2066}\u{feff}";
        let expected = r"a\u{1b}[31mb\u{9b}1m\u{7}\r\u{7f}\u{202e}c\u{200b}\u{2066}\u{feff}";
        assert_eq!(visible(text), expected);
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        let text = "é 中 \u{1f600} – ‘x’\n\ty \u{5d0}";
        assert!(matches!(visible(text), Cow::Borrowed(same) if same == text));
    }
}
