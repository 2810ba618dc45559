//! Made-up domain names. Must not know how often each comes.

use crate::random::{DrawKey, Permutation};

/// Host labels in front of the name; the empty one is the bare domain.
const HOSTS: [&str; 4] = ["www.", "", "shop.", "blog."];

/// Last labels, of different lengths.
const ENDINGS: [&str; 12] = [
    "com", "org", "net", "de", "info", "fr", "co.uk", "kr", "io", "jp", "eu", "nl",
];

/// First and second half of a name. Letters only, so that the hyphen and the digits after them can be told apart.
const FIRST: [&str; 32] = [
    "alpine", "amber", "autumn", "blue", "brave", "bright", "calm", "city", "clever", "coast",
    "cosy", "daily", "early", "east", "fair", "fast", "first", "free", "fresh", "golden", "grand",
    "green", "happy", "home", "little", "modern", "north", "open", "prime", "quiet", "silver",
    "sunny",
];
const SECOND: [&str; 32] = [
    "arts", "auto", "bakery", "bank", "books", "bridge", "cafe", "camera", "clinic", "design",
    "farm", "film", "garden", "health", "hotel", "house", "kitchen", "law", "market", "media",
    "museum", "music", "news", "paper", "press", "radio", "school", "sports", "studio", "tea",
    "travel", "weather",
];

/// Names without a number.
const PLAIN: u64 = (HOSTS.len() * ENDINGS.len() * FIRST.len() * SECOND.len()) as u64;

/// `count` distinct names such as `www.green-books.de`, `cosy-radio.info` or, when there are more than 49,152 of them,
/// `shop.north-tea12.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DomainNames {
    order: Permutation,
}

impl DomainNames {
    /// The names that belong to `key`.
    pub(super) fn new(count: u64, key: DrawKey) -> Self {
        Self {
            order: Permutation::new(count.max(PLAIN), key),
        }
    }

    /// Appends the name of an ordinal < count.
    pub(super) fn write(&self, ordinal: u64, out: &mut Vec<u8>) {
        let mut rest = self.order.at(ordinal % self.order.size());
        let mut pick = |words: &[&'static str]| {
            let word = words[(rest % words.len() as u64) as usize];
            rest /= words.len() as u64;
            word
        };
        let (host, first, second, ending) =
            (pick(&HOSTS), pick(&FIRST), pick(&SECOND), pick(&ENDINGS));
        for part in [host, first, "-", second] {
            out.extend_from_slice(part.as_bytes());
        }
        if rest > 0 {
            super::digits::write_digits(rest, 1, out);
        }
        out.push(b'.');
        out.extend_from_slice(ending.as_bytes());
    }

    /// The ordinal of a name, if it is one of the names.
    pub(super) fn ordinal(&self, name: &str) -> Option<u64> {
        let (host, rest) = HOSTS
            .iter()
            .enumerate()
            .filter(|(_, host)| !host.is_empty())
            .find_map(|(at, host)| name.strip_prefix(host).map(|rest| (at, rest)))
            .unwrap_or((1, name));
        let (label, ending) = rest.split_once('.')?;
        let (first, second) = label.split_once('-')?;
        let letters = second.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: u64 = match &second[letters.len()..] {
            "" => 0,
            digits if digits.starts_with('0') => return None,
            digits => digits.parse().ok()?,
        };
        let at = |words: &[&str], word: &str| {
            words
                .iter()
                .position(|known| *known == word)
                .map(|at| at as u64)
        };
        let mut code = number
            .checked_mul(ENDINGS.len() as u64)?
            .checked_add(at(&ENDINGS, ending)?)?;
        for (words, word) in [(&SECOND[..], letters), (&FIRST[..], first)] {
            code = code
                .checked_mul(words.len() as u64)?
                .checked_add(at(words, word)?)?;
        }
        code = code
            .checked_mul(HOSTS.len() as u64)?
            .checked_add(host as u64)?;
        (code < self.order.size()).then(|| self.order.position(code))
    }

    /// Shortest and longest name in bytes that `count` names may hold.
    pub(super) fn len_range(count: u64) -> (usize, usize) {
        let ends = |words: &[&str]| {
            words.iter().fold((usize::MAX, 0), |(least, most), word| {
                (word.len().min(least), word.len().max(most))
            })
        };
        let number = match count.max(PLAIN).div_ceil(PLAIN) - 1 {
            0 => 0,
            greatest => greatest.ilog10() as usize + 1,
        };
        [
            ends(&HOSTS),
            ends(&FIRST),
            ends(&SECOND),
            ends(&ENDINGS),
            (2, 2 + number),
        ]
        .iter()
        .fold((0, 0), |(least, most), (low, high)| {
            (least + low, most + high)
        })
    }

    /// Bytes that can stand at a position: letters at the start, a name's characters after it.
    pub(super) fn bytes_at(position: usize) -> [u64; 4] {
        let allowed = |byte: u8| {
            byte.is_ascii_lowercase()
                || (position > 0 && (byte.is_ascii_digit() || b"-.".contains(&byte)))
        };
        let mut set = [0u64; 4];
        for byte in (0..=255).filter(|byte| allowed(*byte)) {
            set[usize::from(byte / 64)] |= 1 << (byte % 64);
        }
        set
    }
}
