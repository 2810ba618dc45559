//! Words that stand for the variants of an enum.

/// The words for variants of an enum: `choice!(Arrivals { Poisson = "poisson", Constant = "constant" });`. Gives `WORDS`, in this order, and
/// reads a setting as the variant.
macro_rules! choice {
    ($type:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        impl $type {
            /// As scenarios write them.
            pub const WORDS: &'static [&'static str] = &[$($word),*];
        }
        impl $crate::settings::FromValue for $type {
            fn from_value(value: $crate::settings::Value) -> Self {
                match value {
                    $crate::settings::Value::Word(at) => [$(Self::$variant),*][at],
                    other => panic!("{other:?} is no word"),
                }
            }
        }
    };
}

pub(crate) use choice;
