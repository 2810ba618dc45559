//! Sentences in which backticks stand round what is literal: a name, a key. Must not know who shows them, nor how.

/// `sentence` without its backticks, and what stood between two of them as `shown` writes it.
pub fn literals(sentence: &str, shown: impl Fn(&str) -> String) -> String {
    let pieces: Vec<&str> = sentence.split('`').collect();
    // A name or a key may hold a backtick itself: then nobody knows which ones belong together.
    if pieces.len().is_multiple_of(2) {
        return sentence.to_owned();
    }
    let mut text = String::with_capacity(sentence.len());
    for (place, piece) in pieces.into_iter().enumerate() {
        match place % 2 {
            0 => text.push_str(piece),
            _ => text.push_str(&shown(piece)),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::literals;

    #[test]
    fn what_stands_between_two_backticks_is_shown_without_them() {
        let shown = |sentence| literals(sentence, |literal| format!("<{literal}>"));
        assert_eq!(shown("`a` costs 3, a `scan` 1"), "<a> costs 3, a <scan> 1");
        assert_eq!(shown("nothing ``, a `b c`"), "nothing <>, a <b c>");
        assert_eq!(shown("plain"), "plain");
    }

    #[test]
    fn a_sentence_with_a_backtick_too_many_stays_as_it_is() {
        let text = literals("the row `x`` is hot", |_| {
            unreachable!("no piece is literal")
        });
        assert_eq!(text, "the row `x`` is hot");
    }
}
