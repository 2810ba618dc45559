//! Rows of what is JSON: HBase's JMX pages, PD, Cloud Bigtable, CockroachDB and the Key Visualizer. Must not know what members mean.

use super::file::{ObservedError, ObservedFile};
use super::format::{Format, Part, Row};
use crate::text::counted;
use serde_json::Value;
use std::collections::BTreeMap;

fn parsed(file: &ObservedFile, format: &Format) -> Result<Value, ObservedError> {
    serde_json::from_str(&file.text).map_err(|error| {
        let found = format!("{} is damaged or cut off: {error}", format.name);
        file.error(error.line(), found, format.help)
    })
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Every object, however deep, that has the format's first member. Hot regions of PD that lists them twice are those of leaders: writes stand in
/// each of their replicas as well.
pub(super) fn objects(file: &ObservedFile, format: &Format) -> Result<Vec<Row>, ObservedError> {
    let all = parsed(file, format)?;
    let mut rows = Vec::new();
    collect(all.get("as_leader").unwrap_or(&all), format, &mut rows);
    Ok(rows)
}

/// Nesting is bounded by serde_json's limit.
fn collect(value: &Value, format: &Format, rows: &mut Vec<Row>) {
    if value.pointer(format.columns[0].0).is_some() {
        let columns = format.columns.iter();
        let parts = columns.filter_map(|(at, part)| Some((*part, text(value.pointer(at)?)?)));
        let parts = parts.collect();
        rows.push(Row { line: None, parts });
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, format, rows)),
        Value::Object(members) => members.values().for_each(|it| collect(it, format, rows)),
        _ => {}
    }
}

/// The page of a region server: `Namespace_N_table_T_region_R_metric_M`. It has no keys, and the server no name: the file's stands for it, without
/// what is behind its first dot (`rs1` for `rs1.0.json` and `rs1.1.json`).
pub(super) fn beans(file: &ObservedFile, format: &Format) -> Result<Vec<Row>, ObservedError> {
    let page = parsed(file, format)?;
    let beans = page["beans"].as_array().into_iter().flatten();
    let members = beans.filter_map(Value::as_object).flatten();
    let mut regions: BTreeMap<[&str; 3], Vec<(Part, String)>> = BTreeMap::new();
    for (name, value) in members {
        let named = named(name).and_then(|(region, metric)| Some((region, format.part(metric)?)));
        if let (Some((region, part)), Some(count)) = (named, text(value)) {
            regions.entry(region).or_default().push((part, count));
        }
    }
    if regions.is_empty() {
        let found = format!("{} without a bean `sub=Regions`", format.name);
        return Err(file.error(None, found, format.help));
    }
    let server = file.name.rsplit(['/', '\\']).next().unwrap_or_default();
    let server = server.split('.').next().unwrap_or_default();
    let row = |([space, table, region], mut parts): ([&str; 3], Vec<(Part, String)>)| {
        let names = [space, table, region, server].map(str::to_owned);
        let of = [Part::Namespace, Part::Table, Part::Id, Part::Server];
        parts.extend(of.into_iter().zip(names));
        Row { line: None, parts }
    };
    Ok(regions.into_iter().map(row).collect())
}

/// Namespace, table and region, and the metric. A table's name may itself hold `_region_`.
fn named(name: &str) -> Option<([&str; 3], &str)> {
    let (region, metric) = name.strip_prefix("Namespace_")?.rsplit_once("_metric_")?;
    let (table, region) = region.rsplit_once("_region_")?;
    let (space, table) = table.split_once("_table_")?;
    // Stores have metrics of their own.
    (!region.contains('_')).then_some(([space, table, region], metric))
}

/// The last column of time of a heat map; its keys are the bounds of bands.
pub(super) fn heat_map(file: &ObservedFile, format: &Format) -> Result<Vec<Row>, ObservedError> {
    let map = parsed(file, format)?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let keys = list(&map["keyAxis"]).into_iter();
    let keys: Vec<String> = keys
        .map(|it| text(&it["key"]).unwrap_or_default())
        .collect();
    let bands = keys.windows(2).map(|keys| {
        let (start, end) = (keys[0].clone(), keys[1].clone());
        let parts = vec![(Part::Start, start), (Part::End, end)];
        Row { line: None, parts }
    });
    let mut rows: Vec<Row> = bands.collect();
    for (name, part) in format.columns {
        let times = list(&map["data"][name]);
        let times: Vec<Vec<Value>> = times.iter().map(list).collect();
        if let Some(odd) = times.iter().find(|cells| cells.len() != rows.len()) {
            let (cells, bands) = (odd.len(), rows.len());
            let found = format!(
                "a row of `{name}` has {}, and the keys have {}",
                counted(cells, "cell"),
                counted(bands, "band")
            );
            return Err(file.error(None, found, format.help));
        }
        for (row, amount) in rows.iter_mut().zip(times.last().into_iter().flatten()) {
            row.parts.extend(text(amount).map(|amount| (*part, amount)));
        }
    }
    Ok(rows)
}
