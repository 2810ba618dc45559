//! How numbers and names are written, and text that comes from users, made safe to look at. Must not know what a number counts, nor where a text
//! is shown.

mod digits;
mod hex;
mod hidden;
mod names;
mod number;
mod shell;
mod words;

pub use digits::{digit_pair, digits, digits_reversed, push_decimal};
pub use hex::{hex, unhex};
pub use hidden::{is_hidden, visible};
pub use names::{all, article, capital, either, joined, listed, nearest, ranked};
pub use number::{
    bytes, compact, counted, exact, grouped, grouped_by, in_unit, length, millis, percent,
    percent_to, scaled, share, significant, times, trimmed, verb,
};
pub use shell::shell_path;
pub use words::{UnknownWord, Words, words};
