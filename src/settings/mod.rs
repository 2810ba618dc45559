//! Tables of settings: each setting is declared once, with its name, meaning, range and default. The struct that holds it, its default,
//! its reader, its entry in the JSON Schema and the paths by which options change it follow from that.
//!
//! Must not know how a file is written, nor where a value stands in it.
//!
//! ```
//! use keyheat_core::settings::{FromSource, integer, time};
//! use keyheat_core::time::SimDuration;
//!
//! keyheat_core::settings! {
//!     /// What a client does about a failure.
//!     pub struct Retries: RETRIES("retries", "") {
//!         /// Attempts after the first.
//!         retries: u32 = integer(0, 1_000).or("15"),
//!         /// The first back-off.
//!         pause: SimDuration = time().or("100ms"),
//!     }
//! }
//! assert_eq!(Retries::default().retries, 15);
//! assert_eq!(RETRIES.get("pause").unwrap().about(), "The first back-off.");
//! ```

mod declaration;
mod defaults;
mod kind;
mod profiles;
mod source;

pub use defaults::Defaults;
pub use kind::{
    Domain, Kind, Limit, Setting, Shape, Table, any_number, bandwidth, boolean, integer, json,
    list_of_texts, names, number, rate, size, table, text, time, word,
};
pub use profiles::{PROFILE_NAMES, Profile};
pub use source::{FromSource, FromValue, Source, given, read};
