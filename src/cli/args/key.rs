//! The arguments of `keyheat key`. Must not know the key language beyond its list of functions.

use crate::key::FUNCTIONS;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Every function of the key language, with what it is.
fn functions() -> String {
    let widest = FUNCTIONS.iter().map(|f| f.usage.len()).max().unwrap_or(0);
    let mut text = "Functions (i: int, x: text or bytes, ts: timestamp):\n".to_owned();
    for function in FUNCTIONS {
        let (usage, summary) = (function.usage, function.summary);
        text.push_str(&format!("  {usage:<widest$}  {summary}\n"));
    }
    text
}

#[derive(Debug, Args)]
#[command(after_long_help = functions())]
pub struct KeyArguments {
    /// The key expression: `salt(16, host) || host || x'00' || be8(ts)`
    #[arg(value_name = "EXPR")]
    pub expression: String,
    /// Field values: an integer without leading zeros is an int, `x'0AFF'` bytes, anything else text;
    /// `F:text=007` and `F:ms=2026-01-01T00:00:00Z` force a type
    #[arg(value_name = "F=V")]
    pub fields: Vec<String>,
    /// Take the fields of this scenario
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// For random functions
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// How the key is written
    #[arg(long, value_name = "FORMAT", default_value = "escaped")]
    pub format: KeyFormat,
}

/// How a key is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KeyFormat {
    /// HBase's `\xHH` notation
    Escaped,
    /// Lower-case hex
    Hex,
    /// `{"hex","escaped","bytes"}`
    Json,
}
