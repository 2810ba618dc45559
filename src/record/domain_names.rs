//! Made-up domain names. Must not know how often each comes.

use super::{ByteSet, ByteShape};
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
            out.extend_from_slice(rest.to_string().as_bytes());
        }
        out.push(b'.');
        out.extend_from_slice(ending.as_bytes());
    }

    /// The ordinal of a name, if it is one of the names but for zeros before its number.
    pub(super) fn ordinal(&self, name: &str) -> Option<u64> {
        let named = |host: &&&str| !host.is_empty() && name.starts_with(**host);
        let host = HOSTS.iter().find(named).unwrap_or(&"");
        let (label, ending) = name[host.len()..].split_once('.')?;
        let (first, second) = label.split_once('-')?;
        let letters = second.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: u64 = match &second[letters.len()..] {
            "" => 0,
            digits => digits.parse().ok()?,
        };
        let parts = [
            (&ENDINGS[..], ending),
            (&SECOND, letters),
            (&FIRST, first),
            (&HOSTS, host),
        ];
        let code = parts.iter().try_fold(number, |code, (words, word)| {
            let at = words.iter().position(|known| known == word)?;
            code.checked_mul(words.len() as u64)?.checked_add(at as u64)
        })?;
        (code < self.order.size()).then(|| self.order.position(code))
    }

    /// What `count` names may be: letters at the start, a name's characters behind it.
    pub(super) fn shape(count: u64) -> ByteShape {
        let ends = |words: &[&str]| {
            let lengths = || words.iter().map(|word| word.len());
            (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0))
        };
        let greatest = count.max(PLAIN).div_ceil(PLAIN) - 1;
        let number = greatest.checked_ilog10().map_or(0, |log| log as usize + 1);
        // A hyphen and a point, and the number.
        let (mut least, mut most) = (2, 2 + number);
        for (low, high) in [&HOSTS[..], &FIRST, &SECOND, &ENDINGS].map(ends) {
            (least, most) = (least + low, most + high);
        }
        let letters = ByteSet::range(b'a', b'z');
        let further = letters.union(ByteSet::of(b"-.0123456789"));
        ByteShape::from_sets(least, most, vec![letters], further)
    }
}
