//! Words that users write for the variants of an enum.

use super::either;

/// A word that names no variant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is no {what}; expected {}", either(expected))]
pub struct UnknownWord {
    /// As given.
    pub word: String,
    /// What it was to name.
    pub what: &'static str,
    /// The words that name one.
    pub expected: &'static [&'static str],
}

/// The words for all variants of an enum, the default first: `words!(Theme "theme" { Light = "light", Dark = "dark" });`. Gives `ALL`, `name`
/// and `FromStr`.
macro_rules! words {
    ($type:ident $what:literal { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $type {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// As users write it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::text::UnknownWord;

            fn from_str(word: &str) -> Result<Self, $crate::text::UnknownWord> {
                let all = Self::ALL.iter().copied();
                let mut named = all.filter(|it| it.name() == word);
                named.next().ok_or_else(|| $crate::text::UnknownWord {
                    word: word.to_owned(),
                    what: $what,
                    expected: &[$($word),+],
                })
            }
        }
    };
}

pub(crate) use words;
