//! The settings of scenario files in words: what the JSON Schema says of each, and whose default it has. Must not say what the tables do not.

use crate::scenario::json_schema;
use crate::settings::Profile;
use crate::text::joined;
use serde_json::Value;

/// What is said of one setting, by its path or its name.
pub fn setting(name: &str) -> Option<String> {
    let schema = schema();
    let keys: Vec<&str> = name.split('.').collect();
    let place = keys
        .iter()
        .try_fold(&schema, |node, key| step(&schema, node, key));
    if let Some(setting) = place {
        let it = resolved(&schema, setting);
        let tables = [it, &it["additionalProperties"], &it["items"]];
        let text = tables.map(|it| described(&schema, name, resolved(&schema, it)));
        let text = text.concat();
        let (table, key) = name.rsplit_once('.').unwrap_or(("scenario", name));
        let line = || format!("[{table}]\n{}\n", line(&schema, table, key, setting));
        return Some(if text.is_empty() { line() } else { text });
    }
    let settings = settings();
    let (table, key) = name.rsplit_once('.').unwrap_or(("", name));
    let sections = settings.split("\n\n").filter_map(|section| {
        let (heading, lines) = section.trim_start().split_once('\n')?;
        let is_wanted = table.is_empty() || heading.starts_with(&format!("[{table}]"));
        let mut lines = lines.lines().filter(|_| is_wanted);
        let line = lines.find(|line| line.split_whitespace().next() == Some(key))?;
        Some(format!("{heading}\n{line}\n"))
    });
    let found: String = sections.collect();
    (!found.is_empty()).then_some(found)
}

/// The paths of all settings, names of their own left out: `write.rate`.
pub fn paths() -> Vec<String> {
    let settings = settings();
    let mut paths = Vec::new();
    let mut table = "";
    for line in settings.lines() {
        match (line.split_whitespace().next(), line.strip_prefix('[')) {
            (_, Some(heading)) => table = heading.split(']').next().unwrap_or_default(),
            (Some(key), None) if table == "scenario" => paths.push(key.to_owned()),
            (Some(key), None) if !table.is_empty() => paths.push(format!("{table}.{key}")),
            _ => {}
        }
    }
    paths
}

fn schema() -> Value {
    serde_json::from_str(&json_schema()).expect("a schema is JSON")
}

/// All settings by the tables of the JSON Schema, those apart that mirror others.
pub fn settings() -> String {
    let schema = schema();
    let mut text = format!("{SETTINGS}\n\n") + &described(&schema, "scenario", &schema);
    for (name, table) in schema["definitions"].as_object().into_iter().flatten() {
        if !MIRRORS.iter().any(|it| name.starts_with(it)) {
            text += &described(&schema, name, table);
        }
    }
    text
}

/// What the names of definitions begin with that mirror others.
const MIRRORS: [&str; 2] = ["part-of-", "lists-of-"];

/// What stands above the settings.
const SETTINGS: &str = "\
Each setting with its default, what it may be, whose default it is, and what it means. `keyheat help model`
tells what keyheat's own defaults rest on; `keyheat check --show FILE` shows a scenario with all of them.";

/// A table's settings, and those of the tables that stand in it; nothing of what is no table.
fn described(schema: &Value, path: &str, table: &Value) -> String {
    let Some(settings) = table["properties"].as_object() else {
        return String::new();
    };
    let mut text = format!("[{path}] {}\n", about_of(schema, table));
    let mut inner = String::new();
    for (key, setting) in settings {
        text += &line(schema, path, key, setting);
        text += "\n";
        inner += &described(schema, &format!("{path}.{key}"), setting);
    }
    format!("{text}\n{inner}")
}

fn line(schema: &Value, path: &str, key: &str, setting: &Value) -> String {
    // A strategy takes over the settings of the table.
    let is_hbase = [path, "table"].iter().any(|path| {
        let profile = <&Profile>::default();
        profile.own_default(&format!("{path}.{key}")).is_some()
    });
    let (default, whose) = match &setting["default"] {
        Value::Null => (String::new(), ""),
        default if is_hbase => (format!(" = {default}"), "HBase's default"),
        default => (format!(" = {default}"), "keyheat's default"),
    };
    let (kind, about) = (kind(schema, setting), about_of(schema, setting));
    let parts = [&kind, whose, &about].into_iter();
    let parts = joined(parts.filter(|it| !it.is_empty()), " · ");
    format!("  {key}{default}  {parts}")
}

/// The definition that a part of the schema refers to.
fn definition(node: &Value) -> Option<&str> {
    let reference = node.get("$ref").or_else(|| node.pointer("/allOf/0/$ref"));
    reference?.as_str()?.strip_prefix("#/definitions/")
}

/// The part itself, or the definition that it refers to.
fn resolved<'a>(schema: &'a Value, node: &'a Value) -> &'a Value {
    definition(node).map_or(node, |name| &schema["definitions"][name])
}

fn about_of(schema: &Value, node: &Value) -> String {
    let own = node["description"].as_str();
    let about = own.or_else(|| resolved(schema, node)["description"].as_str());
    match (about, node.get("items")) {
        (None, Some(items)) => about_of(schema, items),
        (about, _) => about.unwrap_or_default().to_owned(),
    }
}

/// What stands under a key: where any name may stand, under that name, or the key of whatever has one.
fn step<'a>(schema: &'a Value, node: &'a Value, key: &str) -> Option<&'a Value> {
    let node = resolved(schema, node);
    let named = Some(&node["additionalProperties"]).filter(|it| it.is_object());
    let choices = node["anyOf"].as_array().into_iter().flatten();
    let mut inner = choices.chain(node.get("items")).chain(named);
    let own = node["properties"].get(key);
    own.or_else(|| inner.find_map(|it| step(schema, it, key)))
        .or(named)
}

/// What a setting may be.
fn kind(schema: &Value, node: &Value) -> String {
    if let Some(name) = definition(node) {
        let it = resolved(schema, node);
        let of_all = |name, mirror: &&str| str::trim_start_matches(name, *mirror);
        return match (it["examples"][0].as_str(), it.get("properties")) {
            (Some(example), _) => format!("{name}, as {example}"),
            (None, Some(_)) => format!("[{}]", MIRRORS.iter().fold(name, of_all)),
            _ if it.get("anyOf").is_some() || it.get("items").is_some() => kind(schema, it),
            _ => name.to_owned(),
        };
    }
    // Which of its keys go together is no type.
    if node.get("properties").is_some() {
        return "table".to_owned();
    }
    let mut lists = ["enum", "anyOf", "type"].into_iter();
    if let Some(choices) = lists.find_map(|name| node[name].as_array()) {
        let choice = |it: &Value| it.as_str().map_or_else(|| kind(schema, it), str::to_owned);
        return choices.iter().map(choice).collect::<Vec<_>>().join(" or ");
    }
    if let Some(items) = node.get("items") {
        return format!("list of {}", kind(schema, items));
    }
    let named = &node["additionalProperties"];
    if named.is_object() {
        return format!("of any name: {}", kind(schema, named));
    }
    let bounds = [
        ("from", "minimum"),
        ("above", "exclusiveMinimum"),
        ("to", "maximum"),
        ("below", "exclusiveMaximum"),
    ];
    let bounds = bounds.map(|(word, name)| node.get(name).map(|it| format!(" {word} {it}")));
    let bounds: String = bounds.into_iter().flatten().collect();
    match node["type"].as_str() {
        Some("object") => "table".to_owned(),
        Some("string") => "text".to_owned(),
        simple => simple.unwrap_or_default().to_owned() + &bounds,
    }
}
