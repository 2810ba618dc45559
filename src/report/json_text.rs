//! What commands print for programs: an object behind the version of its form. Must not know what it says.

use serde::Serialize;

/// Of every object but `results.json`, which has its own. It rises when a member goes or means something else; new members leave it as it is.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Versioned<'a, T> {
    schema_version: u32,
    #[serde(flatten)]
    data: &'a T,
}

/// A struct or a map as indented JSON, `schema_version` in front, ending in a newline.
pub fn json_text(data: &impl Serialize) -> String {
    let schema_version = SCHEMA_VERSION;
    let versioned = Versioned {
        schema_version,
        data,
    };
    let text = serde_json::to_string_pretty(&versioned);
    text.expect("what commands print is an object with texts as its keys") + "\n"
}
