//! The JSON Schema knows every key that the reader asks for and no other, with its default, and takes the values that the reader
//! takes.

use super::asked_fixture::{Asked, during};
use super::{Options, Scenario, json_schema};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

#[path = "../../tests/all/draft7/mod.rs"]
mod draft7;

/// Keys that are asked for only to be refused with advice.
const REFUSED: [&str; 14] = [
    "table.copies",
    "strategy.*.balancer",
    "strategy.*.client",
    "strategy.*.data",
    "strategy.*.cluster",
    "strategy.*.event",
    "strategy.*.existing",
    "strategy.*.field",
    "strategy.*.neighbour",
    "strategy.*.parameter",
    "strategy.*.read",
    "strategy.*.table",
    "strategy.*.write",
    "strategy.*.profile",
];

/// Defaults that follow from other settings, or from the kind of a field.
const COMPUTED: [&str; 8] = [
    "time.warmup",
    "time.sample",
    "cluster.call_queues",
    "cluster.call_queue_length",
    "field.*.count",
    "field.*.length",
    "knee.from",
    "knee.to",
];

/// Where the reader is stricter than a schema can say: bounds that follow from other settings or from the kind of a field, and
/// numbers that keep the rest of the arithmetic sound.
const STRICTER: [&str; 17] = [
    "cluster.call_queues",
    "cluster.call_queue_length",
    "cluster.servers",
    "event.add_servers",
    "expect.is",
    "existing.*.records",
    "field.*.count",
    "field.*.first",
    "field.*.length",
    "field.*.distribution.weights",
    "read.*.clients",
    "read.*.pick.*.weights",
    "read.*.range.span",
    "seed",
    "table.presplit.regions",
    "write.*.clients",
    "write.*.records",
];

/// What no file of this repository uses.
const RARE: &str = r#"
[field]
id = { type = "int", count = 9 }
ts = { type = "timestamp" }
[write.w]
clients = 2
think = { constant = "1ms" }
[write.import]
clients = 2
records = 20
[cluster.service]
distribution = "lognormal"
[table]
split_policy = "busy-region"
normalization = true
[read.r]
equal = "id"
clients = 2
think = { exponential = "1ms" }
pick.id = { hotspot = { keys = 0.2, load = 0.8 } }
[read.s]
equal = "id"
pick.id = { normal = { mean = 5, sd = 2 } }
[strategy.a]
key = "be4(id)"
[strategy.b]
key = "be8(id)"
[[expect]]
strategy = "a"
metric = "splits"
below = 2
ratio_to = { strategy = "b" }
"#;

fn scenarios() -> Vec<PathBuf> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut files = Vec::new();
    for folder in ["scenarios", "src/cli/templates", "tests/invalid"] {
        let entries = fs::read_dir(root.join(folder)).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.retain(|file| file.extension().is_some_and(|end| end == "toml"));
    files.sort();
    files
}

/// What the reader asks for in all files of this repository, sound and unsound.
fn asked() -> Asked {
    during(|| {
        for file in scenarios() {
            // Each mistake is one of a file that asks for something.
            let _ = Scenario::load_with(&file, &Options::default());
        }
        Scenario::parse(RARE, "rare").unwrap();
    })
}

/// The schema, walked along paths of the file.
struct Walk {
    schema: Value,
}

impl Walk {
    fn new() -> Self {
        let schema = serde_json::from_str(&json_schema()).unwrap();
        Self { schema }
    }

    /// What may stand at a dotted path: the path with `*` for names, and the schemas.
    fn at(&self, path: &str) -> BTreeMap<String, Vec<Value>> {
        let path = path.replace('[', ".[");
        let steps: Vec<&str> = path.split('.').collect();
        let mut found = BTreeMap::new();
        self.walk(&self.schema, &steps, String::new(), &mut found);
        found
    }

    fn walk(
        &self,
        at: &Value,
        steps: &[&str],
        seen: String,
        found: &mut BTreeMap<String, Vec<Value>>,
    ) {
        let Some((&step, rest)) = steps.split_first() else {
            found.entry(seen).or_default().push(at.clone());
            return;
        };
        for target in self.targets(at) {
            if let Some(items) = target.get("items") {
                let rest = if step.starts_with('[') { rest } else { steps };
                self.walk(items, rest, seen.clone(), found);
                continue;
            }
            let deeper = |name: &str| match seen.is_empty() {
                true => name.to_owned(),
                false => format!("{seen}.{name}"),
            };
            if let Some(property) = target["properties"].get(step) {
                self.walk(property, rest, deeper(step), found);
            } else if target["additionalProperties"].is_object() {
                self.walk(&target["additionalProperties"], rest, deeper("*"), found);
            }
        }
    }

    /// The schemas that one stands for: what it refers to, and the branches of a choice.
    fn targets<'a>(&'a self, at: &'a Value) -> Vec<&'a Value> {
        if let Some(definition) = self.referred(at) {
            return self.targets(definition);
        }
        let branches = at["anyOf"].as_array().filter(|_| at["type"].is_null());
        match branches {
            Some(branches) => branches.iter().flat_map(|it| self.targets(it)).collect(),
            None => vec![at],
        }
    }

    /// A schema's own default, or that of what it refers to.
    fn default_of<'a>(&'a self, at: &'a Value) -> Option<&'a Value> {
        let own = at.get("default");
        own.or_else(|| self.default_of(self.referred(at)?))
    }

    fn referred(&self, at: &Value) -> Option<&Value> {
        let whole = at["$ref"].as_str();
        let path = whole.or(at.pointer("/allOf/0/$ref").and_then(Value::as_str))?;
        Some(self.schema.pointer(path.strip_prefix('#')?).unwrap())
    }

    /// All paths of the file, with `*` for names; not those that mirror the file.
    fn paths(&self) -> BTreeSet<String> {
        let mut paths = BTreeSet::new();
        for (key, property) in self.schema["properties"].as_object().unwrap() {
            if !["quick", "sweep"].contains(&key.as_str()) {
                self.collect(property, key, &mut paths);
            }
        }
        paths
    }

    fn collect(&self, at: &Value, path: &str, paths: &mut BTreeSet<String>) {
        if !path.ends_with('*') {
            paths.insert(path.to_owned());
        }
        // Their insides mirror the file.
        if path.ends_with(".override") || path.ends_with(".at") && path.starts_with("expect") {
            return;
        }
        for target in self.targets(at) {
            if let Some(items) = target.get("items") {
                self.collect(items, path, paths);
            }
            for (key, property) in target["properties"].as_object().into_iter().flatten() {
                self.collect(property, &format!("{path}.{key}"), paths);
            }
            if target["additionalProperties"].is_object() {
                self.collect(&target["additionalProperties"], &format!("{path}.*"), paths);
            }
        }
    }

    /// Whether one of `schemas` takes `value`, or a list of it.
    fn takes(&self, schemas: &[Value], value: &Value) -> bool {
        let targets = schemas.iter().flat_map(|it| self.targets(it));
        let items: Vec<&Value> = targets.filter_map(|it| it.get("items")).collect();
        let any = json!({ "anyOf": [{ "anyOf": schemas }, { "anyOf": items }] });
        draft7::complaints(&self.schema, &any, value).is_empty()
    }
}

#[test]
fn the_schema_knows_every_key_that_the_reader_asks_for() {
    let walk = Walk::new();
    let mut unknown = BTreeSet::new();
    for key in asked().keys {
        if walk.at(&key).is_empty() {
            // A strategy of any name.
            let mut steps: Vec<&str> = key.split('.').collect();
            if steps[0] == "strategy" && steps.len() > 1 {
                steps[1] = "*";
            }
            let key = steps.join(".");
            if !REFUSED.contains(&key.as_str()) {
                unknown.insert(key);
            }
        }
    }
    assert!(unknown.is_empty(), "not in the schema: {unknown:#?}");
}

#[test]
fn a_strategy_may_set_all_that_a_table_may() {
    let definitions = Walk::new().schema["definitions"].clone();
    let table = definitions["table"]["properties"].as_object().unwrap();
    assert!(table.len() > 20, "only {} settings", table.len());
    for (key, setting) in table {
        assert_eq!(
            definitions["strategy"]["properties"][key], *setting,
            "{key}"
        );
    }
}

#[test]
fn the_reader_asks_for_every_key_of_the_schema() {
    let walk = Walk::new();
    let asked = asked();
    let values = asked.values.iter().map(|(path, ..)| path);
    let known: BTreeSet<String> = asked
        .keys
        .iter()
        .chain(values)
        .flat_map(|path| walk.at(path).into_keys())
        .collect();
    let paths = walk.paths();
    let stray: Vec<&String> = paths
        .difference(&known)
        // A strategy's own settings of the table are read as the table's.
        .filter(|path| !known.contains(&path.replace("strategy.*.", "table.")))
        .collect();
    assert!(
        stray.is_empty(),
        "in the schema, but nobody reads it: {stray:#?}"
    );
    assert!(known.len() > 150, "only {} paths", known.len());
}

#[test]
fn defaults_of_the_schema_are_those_of_the_reader() {
    let walk = Walk::new();
    let mut noted: BTreeMap<String, Value> = BTreeMap::new();
    for (path, value) in asked().defaults {
        for (path, schemas) in walk.at(&path) {
            if COMPUTED.contains(&path.as_str()) {
                continue;
            }
            let default = schemas.iter().find_map(|it| walk.default_of(it));
            let same = default.is_some_and(|default| match (default.as_f64(), value.as_f64()) {
                (Some(default), Some(value)) => default == value,
                _ => *default == value,
            });
            assert!(
                same,
                "`{path}` is {value} by default, in the schema {default:?}"
            );
            noted.insert(path, value.clone());
        }
    }
    let stray: Vec<String> = walk
        .paths()
        .into_iter()
        .filter(|path| !noted.contains_key(&path.replace("strategy.*.", "table.")))
        .filter(|path| {
            walk.at(path)
                .values()
                .flatten()
                .any(|it| walk.default_of(it).is_some())
        })
        .collect();
    assert!(
        stray.is_empty(),
        "defaults that the reader does not have: {stray:?}"
    );
}

#[test]
fn the_schema_takes_the_values_that_the_reader_takes() {
    let walk = Walk::new();
    let mut tried: BTreeMap<String, Vec<(Value, bool)>> = BTreeMap::new();
    let mut schemas: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (path, value, taken) in asked().values {
        for (path, found) in walk.at(&path) {
            let values = tried.entry(path.clone()).or_default();
            match values.iter_mut().find(|(known, _)| *known == value) {
                // A key that is read in two ways takes what either of them takes.
                Some((_, known)) => *known |= taken,
                None => values.push((value.clone(), taken)),
            }
            schemas.entry(path).or_insert(found);
        }
    }
    let mut wrong = Vec::new();
    for (path, values) in &tried {
        for (value, taken) in values {
            let takes = walk.takes(&schemas[path], value);
            let stricter = takes && !taken && STRICTER.contains(&path.as_str());
            if takes != *taken && !stricter {
                wrong.push(format!("{path} = {value}: reader {taken}, schema {takes}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
