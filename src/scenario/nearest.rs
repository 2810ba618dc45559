//! The known name that a misspelt or a foreign one probably means.

use super::synonyms::synonym;
use crate::text;

/// Names that are listed when none is near.
const LISTED: usize = 5;

/// The one of `known` that `name` is another word for, or the nearest to it, if one is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody means a known name by a very long one.
    if name.len() > 64 {
        return None;
    }
    let known: Vec<&str> = known.into_iter().collect();
    let meant = synonym(&folded(name), known.iter().copied());
    meant.or_else(|| text::nearest(name, known))
}

/// ``did you mean `x`?``, or the known names (the five nearest of many).
pub fn suggest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    slip(name, known.iter().copied()).or_else(|| match known.len() {
        0 => None,
        1..=LISTED => Some(format!("expected {}", text::either(&known))),
        _ if name.len() > 64 => None,
        _ => {
            let ranked = text::ranked(name, known).into_iter();
            let nearest: Vec<&str> = ranked.take(LISTED).map(|(other, _)| other).collect();
            Some(format!("the nearest are {}", text::all(&nearest)))
        }
    })
}

/// ``did you mean `x`?``, when one is near.
pub fn slip<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near = nearest(name, known)?;
    Some(format!("did you mean `{near}`?"))
}

/// In small letters, `-` between words.
fn folded(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 7] = [
        "servers",
        "handlers",
        "call_queues",
        "call_queue_length",
        "network",
        "heap",
        "service",
    ];

    #[test]
    fn a_slip_finds_the_name_that_was_meant() {
        assert_eq!(nearest("serverss", KEYS), Some("servers"));
        assert_eq!(nearest("sevrers", KEYS), Some("servers"));
        assert_eq!(nearest("call-queues", KEYS), Some("call_queues"));
        assert_eq!(nearest("Handlers", KEYS), Some("handlers"));
        assert_eq!(nearest("call_queue_len", KEYS), Some("call_queue_length"));
    }

    #[test]
    fn a_word_of_other_tools_finds_the_formats_own() {
        assert_eq!(nearest("Region_Servers", KEYS), Some("servers"));
        assert_eq!(
            suggest("nodes", KEYS),
            Some("did you mean `servers`?".into())
        );
    }

    #[test]
    fn a_strange_name_is_not_forced_onto_a_known_one() {
        assert_eq!(nearest("bananas", KEYS), None);
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest(&"s".repeat(100_000), KEYS), None);
        assert_eq!(suggest("q", ["a", "b"]), Some("expected `a` or `b`".into()));
        assert!(suggest("bananas", KEYS).unwrap().matches('`').count() == 10);
    }
}
