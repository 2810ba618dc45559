//! `keyheat schema`: the JSON Schema of scenario files. Must not know what stands in it.

use super::console::Console;
use super::outcome::Outcome;
use crate::scenario::json_schema;
use anyhow::Result;

pub fn run(console: &Console) -> Result<Outcome> {
    console.data(&json_schema())?;
    Ok(Outcome::Fine)
}
