//! `[neighbour.x]`: other tables on the same servers. Must not know what their load does.

use super::Diagnostic;
use super::clock::value_place;
use super::reader::Reader;
use crate::cluster::Neighbour;
use crate::units::PerSecond;

/// Most neighbours of a table (estimate).
const MOST: usize = 64;

/// Most regions of a neighbour: as many as a table's (estimate).
const MOST_REGIONS: i64 = 1_000_000;

/// Reads all `[neighbour.x]`.
pub(super) fn read_neighbours(scenario: &Reader<'_>) -> Vec<Neighbour> {
    let table = scenario.table("neighbour");
    let entries = table.entries();
    if let Some(beyond) = entries.get(MOST) {
        table.sink.error(
            &beyond.place,
            format!("{} neighbours", entries.len()),
            format!("at most {MOST}"),
        );
    }
    let mut neighbours = Vec::new();
    for entry in entries.iter().take(MOST) {
        super::names::check(table.sink, "neighbour", &entry.key, &entry.place);
        let path = format!("neighbour.{}", entry.key);
        let reader = table.table_of(&entry.key, &entry.node, &entry.place, path);
        if reader.table.is_some() {
            neighbours.push(read_one(&reader, &entry.key));
            reader.finish();
        }
    }
    neighbours
}

fn read_one(reader: &Reader<'_>, name: &str) -> Neighbour {
    let regions = reader.integer_or("regions", 1, MOST_REGIONS, 32) as u32;
    let [write_rate, read_rate] = ["write_rate", "read_rate"].map(|key| {
        let rate = reader.unit::<PerSecond>(key);
        rate.map_or(0.0, |rate| rate.0)
    });
    let has_rate = reader.has("write_rate") || reader.has("read_rate");
    if !has_rate && !reader.misspelt("read_rate") && !reader.misspelt("write_rate") {
        let diagnostic = Diagnostic::error(format!("`[neighbour.{name}]` has no load"))
            .label("expected a `write_rate`, a `read_rate`, or both")
            .help("add `write_rate = \"2k/s\"`");
        reader.sink.add(&reader.place, diagnostic);
    }
    let hottest = reader.number(
        "hottest",
        "a share, greater than 0 and at most 1",
        |share| share > 0.0 && share <= 1.0,
    );
    if let Some(share) = hottest
        && share < 1.0 / f64::from(regions)
    {
        reader.sink.error(
            &value_place(reader, "hottest"),
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
