//! The names of writes, strategies and their kin; and the known name that a misspelt or a foreign one probably means.

use super::diagnostic::Diagnostic;
use super::diagnostics::Diagnostics;
use super::document::SourcePlace;
use crate::text;
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

/// The format's words, and what else designers call what they mean. Small letters, `-` between words.
const SYNONYMS: [(&str, &str); 40] = [
    ("above", "at-least greater-than gt min minimum"),
    ("add_servers", "join scale scale-out"),
    ("because", "reason why"),
    ("below", "at-most less-than lt max maximum"),
    ("block_encoding", "data-block-encoding encoding"),
    ("buffer", "batch batch-size"),
    ("clients", "concurrency connections threads users workers"),
    ("count", "cardinality distinct number size unique"),
    ("crash", "fail failure kill"),
    ("deadline", "timeout"),
    (
        "distribution",
        "dist hotspot law normal popularity skew top weights zipf",
    ),
    ("double", "decimal float real"),
    ("duration", "length runtime seconds"),
    ("equal", "eq filter given known knows where"),
    ("existing", "history preload"),
    ("handlers", "threads workers"),
    ("int", "bigint integer long number short"),
    ("key", "expr expression row-key rowkey"),
    ("max_file_size", "region-size split-size"),
    ("memstore_flush_size", "flush-size"),
    ("neighbour", "neighbor tenant"),
    ("network", "latency round-trip rtt"),
    ("newest", "latest limit top"),
    ("off", "disabled false no none skip skip-wal"),
    ("on", "enabled fsync-wal sync-wal true yes"),
    (
        "presplit",
        "regions shards split-keys split-points splits tablets",
    ),
    ("question", "description name title"),
    ("range", "between scan"),
    ("rate", "ops qps throughput tps"),
    ("read", "query"),
    ("records", "rows"),
    ("replicates", "iterations repetitions runs trials"),
    ("sample", "interval resolution"),
    ("sequence", "auto-increment autoincrement counter serial"),
    ("servers", "hosts instances machines nodes region-servers"),
    ("text", "char str string varchar"),
    ("timestamp", "date datetime instant time"),
    ("title", "description label name"),
    ("value", "bytes row-size size value-size"),
    ("write", "insert put workload"),
];

/// The one of `known` that `name`, in small letters with `-` between words, is another word for.
pub fn synonym<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known.into_iter().find(|known| {
        let others = SYNONYMS.iter().find(|(word, _)| word == known);
        others.is_some_and(|(_, others)| others.split(' ').any(|other| other == name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::json_schema;

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
        assert_eq!(nearest("none", ["on", "off"]), Some("off"));
        assert_eq!(nearest("SKIP_WAL", ["on", "off"]), Some("off"));
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

    #[test]
    fn a_word_means_what_is_known_where_it_stands() {
        let cluster = ["servers", "handlers", "heap"];
        assert_eq!(synonym("nodes", cluster), Some("servers"));
        assert_eq!(synonym("threads", cluster), Some("handlers"));
        assert_eq!(synonym("threads", ["rate", "clients"]), Some("clients"));
        assert_eq!(synonym("bananas", cluster), None);
    }

    #[test]
    fn every_word_is_the_formats_and_has_other_ones_as_they_are_looked_up() {
        for (word, others) in SYNONYMS {
            assert!(json_schema().contains(&format!("\"{word}\"")), "{word}");
            for other in others.split(' ') {
                let folded = other.to_lowercase().replace('_', "-");
                assert!(other == folded && other != word, "{other}");
            }
        }
    }
}
