//! Names inside messages: the known one that a misspelt one probably means, lists, articles. Must not know what the names are for.

/// The name that is `name` misspelt, if one is near: at most a third of its letters differ (swapped neighbours count as one), or Jaro-Winkler's
/// similarity exceeds 0.85. `-` and `_` count as the same letter, capitals as small ones.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut ranked = ranked(name, known).into_iter();
    ranked.find(|&(_, near)| near).map(|(other, _)| other)
}

/// All known names, the nearest first, and whether each is near enough to be meant. None of a very long name: nobody means a known one by it,
/// and distances are quadratic.
pub fn ranked<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<(&'a str, bool)> {
    if name.len() > 64 {
        return Vec::new();
    }
    let folded = |name: &str| name.to_lowercase().replace('_', "-");
    let name = folded(name);
    let mut ranked: Vec<(f64, usize, &str)> = known
        .into_iter()
        .map(|other| {
            let folded = folded(other);
            let distance = strsim::osa_distance(&name, &folded);
            (strsim::jaro_winkler(&name, &folded), distance, other)
        })
        .collect();
    ranked.sort_by(|a, b| {
        (a.1, -a.0)
            .partial_cmp(&(b.1, -b.0))
            .expect("similarities are numbers")
    });
    let near = |similarity: f64, distance: usize, other: &str| {
        let longest = other.chars().count().max(name.chars().count());
        let most = longest.div_ceil(3).min(longest.saturating_sub(1));
        distance <= most.max(usize::from(longest > 1)) && distance < longest || similarity > 0.85
    };
    ranked
        .into_iter()
        .map(|(similarity, distance, other)| (other, near(similarity, distance, other)))
        .collect()
}

/// `a`, `b` or `c`, in backticks.
pub fn either(names: &[&str]) -> String {
    list(names, "or")
}

/// `a`, `b` and `c`, in backticks.
pub fn all(names: impl IntoIterator<Item: AsRef<str>>) -> String {
    list(names, "and")
}

fn list(names: impl IntoIterator<Item: AsRef<str>>, word: &str) -> String {
    let names = names.into_iter();
    ended(names.map(|name| format!("`{}`", name.as_ref())), word)
}

/// `a`, `a and b`, `a, b and c`, as they are.
pub fn listed(pieces: impl IntoIterator<Item: AsRef<str>>) -> String {
    ended(pieces, "and")
}

fn ended(pieces: impl IntoIterator<Item: AsRef<str>>, word: &str) -> String {
    match &owned(pieces)[..] {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} {word} {last}", most.join(", ")),
    }
}

/// One piece after another, with a separator between them.
pub fn joined(pieces: impl IntoIterator<Item: AsRef<str>>, separator: &str) -> String {
    owned(pieces).join(separator)
}

fn owned(pieces: impl IntoIterator<Item: AsRef<str>>) -> Vec<String> {
    let pieces = pieces.into_iter();
    pieces.map(|piece| piece.as_ref().to_owned()).collect()
}

/// With a capital letter in front.
pub fn capital(clause: &str) -> String {
    let mut chars = clause.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

/// A name in backticks behind its article, by its sound: ``a `get` ``, ``an `hour` ``, ``a `user` ``.
pub fn article(name: &str) -> String {
    let word = name.chars().take_while(char::is_ascii_alphanumeric);
    let word: String = word.collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_follow_the_sound_of_a_name() {
        let names = [
            "hour", "item", "user-day", "one", "unread", "host", "s", "1h", "8-salts", "event",
        ];
        assert_eq!(
            names.map(|name| article(name).replace('`', "")),
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
}
