//! Words that stand for the variants of an enum.

/// The words for all variants of an enum, in its order: `choice!(Arrivals { Poisson = "poisson", Constant = "constant" });`. Gives `ALL` of them
/// with their `WORDS`, the `name` of one, and reads a setting as the variant.
macro_rules! choice {
    ($type:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        impl $type {
            /// As scenarios write them.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// In the same order.
            pub const ALL: [Self; Self::WORDS.len()] = [$(Self::$variant),*];

            /// As scenarios write it.
            pub const fn name(self) -> &'static str {
                Self::WORDS[self as usize]
            }
        }
        impl $crate::settings::FromValue for $type {
            fn from_value(value: $crate::settings::Value) -> Self {
                match value {
                    $crate::settings::Value::Word(at) => Self::ALL[at],
                    other => panic!("{other:?} is no word"),
                }
            }
        }
    };
}

pub(crate) use choice;
