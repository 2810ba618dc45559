//! Words that users write, or read, for the variants of an enum.

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

/// An enum that [`words!`] declares: each variant stands for a word.
pub trait Words: Sized {
    /// The words.
    const WORDS: &'static [&'static str];

    /// What each of them means, as the documentation says it.
    const ABOUT: &'static [&'static str];

    /// The variant of that word.
    fn named(word: &str) -> Option<Self>;
}

/// An enum whose variants users write or read as words, each declared once with its word: `words! { pub enum Arrivals { Poisson = "poisson", } }`. Gives
/// `ALL` of them with their `WORDS`, the `name` of one, and, where the enum is told what it is (`enum Theme: "theme"`), `FromStr`.
#[macro_export]
macro_rules! words {
    ($(#[$about:meta])* $vis:vis enum $type:ident $(: $what:literal)? {
        $($(#[$($of_one:tt)*])* $variant:ident = $word:literal,)+
    }) => {
        $(#[$about])*
        $vis enum $type { $($(#[$($of_one)*])* $variant,)+ }

        impl $type {
            /// As users write them.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// In the same order.
            pub const ALL: [Self; Self::WORDS.len()] = [$(Self::$variant),+];

            /// As users write it.
            pub const fn name(self) -> &'static str {
                Self::WORDS[self as usize]
            }
        }

        impl $crate::text::Words for $type {
            const WORDS: &'static [&'static str] = Self::WORDS;
            const ABOUT: &'static [&'static str] = &[$($crate::words!(@about $([$($of_one)*])*)),+];

            fn named(word: &str) -> Option<Self> {
                let at = Self::WORDS.iter().position(|it| *it == word)?;
                Some(Self::ALL[at])
            }
        }

        $(impl std::str::FromStr for $type {
            type Err = $crate::text::UnknownWord;

            fn from_str(word: &str) -> Result<Self, $crate::text::UnknownWord> {
                let named = <Self as $crate::text::Words>::named(word);
                named.ok_or_else(|| $crate::text::UnknownWord {
                    word: word.to_owned(),
                    what: $what,
                    expected: Self::WORDS,
                })
            }
        })?
    };
    (@about $([doc = $doc:literal])* $([default])?) => { concat!($($doc),*) };
}

pub use words;
