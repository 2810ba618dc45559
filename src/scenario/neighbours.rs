//! `[neighbour.x]`: other tables on the same servers.

use super::diagnostic::Diagnostic;
use super::reader::Reader;
use crate::cluster::Neighbour;
use crate::settings::{integer, number, rate};
use crate::units::PerSecond;

/// Most neighbours of a table (estimate).
const MOST: usize = 64;

crate::settings! {
    pub(super) static NEIGHBOUR("neighbour", r#""anyOf": [{ "required": ["write_rate"] }, { "required": ["read_rate"] }]"#) {
        /// At most as many as a table's (estimate).
        regions = integer(1, 1_000_000).or("32"),
        /// Puts on this table.
        write_rate = rate(),
        /// Gets on this table.
        read_rate = rate(),
        /// Share of its load on its hottest region. Default: an even share.
        hottest = number("a share, greater than 0 and at most 1", 0.0, 1.0, (false, true)),
    }
}

/// Reads all `[neighbour.x]`.
pub(super) fn read_neighbours(scenario: &Reader<'_>) -> Vec<Neighbour> {
    let readers = scenario.named("neighbour", "neighbour", MOST, &NEIGHBOUR);
    let read = |(name, reader): (&str, Reader<'_>)| {
        let neighbour = read_one(&reader, name);
        reader.finish();
        neighbour
    };
    readers.into_iter().map(read).collect()
}

fn read_one(reader: &Reader<'_>, name: &str) -> Neighbour {
    let regions: u32 = reader.value("regions");
    let [write_rate, read_rate] = ["write_rate", "read_rate"].map(|key| {
        let rate: Option<PerSecond> = reader.given(key);
        rate.map_or(0.0, |rate| rate.0)
    });
    let has_rate = reader.has("write_rate") || reader.has("read_rate");
    if !has_rate && !reader.misspelt("read_rate") && !reader.misspelt("write_rate") {
        let diagnostic = Diagnostic::error(format!("`[neighbour.{name}]` has no load"))
            .label("expected a `write_rate`, a `read_rate`, or both")
            .help("add `write_rate = \"2k/s\"`");
        reader.complain_of_table(diagnostic);
    }
    let hottest: Option<f64> = reader.given("hottest");
    if let Some(share) = hottest
        && share < 1.0 / f64::from(regions)
    {
        reader.refuse(
            "hottest",
            format!("the hottest of {regions} regions takes {share} of the load"),
            format!("must be at least 1/{regions}: an even share"),
        );
    }
    Neighbour {
        name: name.to_owned(),
        regions,
        write_rate,
        read_rate,
        hottest,
    }
}
