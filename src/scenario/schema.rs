//! The JSON Schema of scenario files, with which editors complete and check them.
//!
//! It is made of the declared settings; what mirrors the file is made from that.

use super::draft::{ALL_OF_TABLE, SCENARIO};
use super::expectations::EXPECT;
use super::strategies::{STRATEGY, overridable};
use crate::metrics::{OperationNames, all_paths};
use crate::settings::{Domain, Profile, Setting, Shape, Table};
use crate::units::UnitKind;
use serde_json::{Map, Value, json};

/// How a place mirrors the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mirror {
    /// Some of its settings, as in `[quick]`, `override` and `at`: nothing is required.
    Part,
    /// A list where the file has a value, as in `[sweep]`.
    Lists,
}

impl Mirror {
    /// What the mirror image of a definition is called.
    fn name(self, definition: &str) -> String {
        match self {
            Self::Part => format!("part-of-{definition}"),
            Self::Lists => format!("lists-of-{definition}"),
        }
    }
}

/// The JSON Schema (draft 7) of scenario files, indented.
pub fn json_schema() -> String {
    let mut text = serde_json::to_string_pretty(&whole()).expect("JSON values can be written");
    text.push('\n');
    text
}

/// What is no table: names, numbers with units, and the values of fields.
const BASICS: &str = r##"{
    "name": { "description": "Small letters, digits and `-`.", "type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,63}$" },
    "identifier": { "description": "A letter, then letters, digits and `_`.", "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]{0,63}$" },
    "family-name": { "description": "Letters, digits, `_` and `-`.", "type": "string", "pattern": "^[A-Za-z0-9_-]{1,127}$" },
    "value": { "description": "The value of a field: a number, a text or a date.", "type": ["integer", "number", "string"] },
    "row": { "description": "A row key in HBase's notation, in single quotes: printable ASCII stands for itself, any other byte is `\\xHH`.", "type": "string" },
    "fields": { "type": "array", "items": "@identifier" },
    "oneOrMoreFields": { "anyOf": ["@identifier", "@fields"] },
    "values": { "type": "object", "propertyNames": "@identifier", "additionalProperties": "@value" },
    "distribution": {
        "description": "How often each value comes: `\"uniform\"`, or a law. Ranks are dealt to values by chance, once a replicate.",
        "anyOf": [{ "enum": ["uniform"] }, "@law"]
    },
    "presplit": { "anyOf": [{ "type": "array", "items": "@row" }, "@computed-presplit"] }
}"##;

const BYTES: &str = "(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)";

/// What a number with a unit is called, its unit, and examples.
fn unit(kind: UnitKind) -> (&'static str, String, Value) {
    match kind {
        UnitKind::Duration => {
            let examples = json!(["20s", "0.3ms", "30d"]);
            ("duration", "(us|ms|s|m|h|d)".to_owned(), examples)
        }
        UnitKind::ByteSize => ("size", BYTES.to_owned(), json!(["100B", "64KB", "10GB"])),
        UnitKind::Bandwidth => ("bandwidth", format!("{BYTES}/s"), json!(["10MB/s"])),
        UnitKind::Rate => {
            let unit = r"[kM]?\s*/(s|min)".to_owned();
            ("rate", unit, json!(["40k/s", "20/min"]))
        }
    }
}

/// Numbers from here on are limits beyond any use: they are not named.
const BEYOND_USE: f64 = 1e12;

/// The tables as a schema, what mirrors the file apart.
fn file() -> Value {
    let mut definitions = written(BASICS);
    let kinds = [
        UnitKind::Duration,
        UnitKind::ByteSize,
        UnitKind::Bandwidth,
        UnitKind::Rate,
    ];
    for (name, unit, examples) in kinds.map(unit) {
        let pattern = format!(r"^\s*[0-9][0-9_]*(\.[0-9_]*[0-9])?\s*{unit}\s*$");
        definitions[name] = json!({ "type": "string", "pattern": pattern, "examples": examples });
    }
    definitions["metric"] = metric();
    for table in [&SCENARIO, &STRATEGY, &EXPECT] {
        define(table, &mut definitions);
    }
    let properties = &mut definitions["strategy"]["properties"];
    for setting in ALL_OF_TABLE.all() {
        properties[setting.key] = setting_schema(&ALL_OF_TABLE, setting);
    }
    let mut schema = table_schema(&SCENARIO);
    schema["$schema"] = "http://json-schema.org/draft-07/schema#".into();
    schema["title"] = "keyheat scenario".into();
    schema["definitions"] = definitions;
    schema
}

/// Describes a table that has a name of its own, and all that stand in it.
fn define(table: &Table, definitions: &mut Value) {
    if !table.name.is_empty() {
        definitions[table.name] = table_schema(table);
    }
    for setting in table.all() {
        let own = match setting.kind.shape {
            Shape::Table(own) => Some(own),
            _ => None,
        };
        for inner in setting.kind.inner.iter().copied().chain(own) {
            define(inner, definitions);
        }
    }
}

/// A declared schema: JSON, or the name of a definition.
fn written(schema: &str) -> Value {
    match schema.strip_prefix('@') {
        Some(name) => reference(name),
        None => referring(serde_json::from_str(schema).expect("the declared schema is JSON")),
    }
}

/// An object of these members, without braces.
fn members(rules: &str) -> Value {
    written(&format!("{{{rules}}}"))
}

/// `"@x"` as a reference to the definition `x`.
fn referring(value: Value) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix('@') {
            Some(name) => reference(name),
            None => Value::String(text),
        },
        Value::Array(items) => items.into_iter().map(referring).collect(),
        Value::Object(members) => {
            let referring = |(key, value)| (key, referring(value));
            members.into_iter().map(referring).collect()
        }
        other => other,
    }
}

fn reference(definition: &str) -> Value {
    json!({ "$ref": format!("#/definitions/{definition}") })
}

/// Adds the members of an object; a reference beside others is wrapped, as draft 7 looks at nothing beside one.
fn add(schema: &mut Value, members: Value) {
    match members.get("$ref") {
        Some(_) => schema["allOf"] = json!([members]),
        None => {
            for (key, value) in members.as_object().into_iter().flatten() {
                schema[key] = value.clone();
            }
        }
    }
}

fn table_schema(table: &Table) -> Value {
    let mut schema = json!({ "type": "object", "additionalProperties": false, "properties": {} });
    let about = table.about();
    if !about.is_empty() {
        schema["description"] = about.into();
    }
    let mut required = Vec::new();
    for setting in table.all() {
        schema["properties"][setting.key] = setting_schema(table, setting);
        if setting.kind.example.is_some() && setting.kind.of.is_none() {
            required.push(setting.key);
        }
    }
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    add(&mut schema, members(table.rules));
    schema
}

/// The schema of a setting that stands in `table`.
fn setting_schema(table: &Table, setting: &Setting) -> Value {
    let members = match setting.kind.shape {
        Shape::Integer(least, greatest) => ranged("integer", least, greatest, (true, true)),
        Shape::Number(Domain {
            least,
            greatest,
            closed,
            ..
        }) => ranged("number", least, greatest, closed),
        Shape::Unit(kind) => reference(unit(kind).0),
        Shape::Word(words) => json!({ "enum": words }),
        Shape::Boolean => json!({ "type": "boolean" }),
        Shape::Text(rules) => {
            let mut schema = members(rules);
            schema["type"] = "string".into();
            schema
        }
        Shape::Texts => {
            json!({ "type": "array", "minItems": 1, "uniqueItems": true, "items": { "type": "string" } })
        }
        Shape::Table(table) if table.name.is_empty() => table_schema(table),
        Shape::Table(table) => reference(table.name),
        Shape::Names(keys, of, rules) => {
            let mut schema = members(rules);
            schema["type"] = "object".into();
            schema["propertyNames"] = reference(&keys[1..]);
            schema["additionalProperties"] = written(of);
            schema
        }
        Shape::Json(schema) if schema.starts_with('@') => written(schema),
        Shape::Json(rules) => members(rules),
    };
    let default = <&Profile>::default().default_of(table.path, setting);
    let about = setting.about();
    if about.is_empty() && default.is_none() {
        return members;
    }
    let mut schema = json!({});
    add(&mut schema, members);
    if !about.is_empty() {
        schema["description"] = about.into();
    }
    if let Some(default) = default {
        let text = matches!(setting.kind.shape, Shape::Text(_));
        let value = serde_json::from_str(default).ok().filter(|_| !text);
        schema["default"] = value.unwrap_or_else(|| default.into());
    }
    schema
}

/// A number between two ends, as far as they are of use.
fn ranged<T: Into<Value> + Copy>(kind: &str, least: T, greatest: T, closed: (bool, bool)) -> Value {
    let mut schema = json!({ "type": kind });
    let ends = [
        (least.into(), closed.0, "minimum", "exclusiveMinimum"),
        (greatest.into(), closed.1, "maximum", "exclusiveMaximum"),
    ];
    for (end, closed, within, beyond) in ends {
        if end.as_f64().is_some_and(|end| end.abs() < BEYOND_USE) {
            schema[if closed { within } else { beyond }] = end;
        }
    }
    schema
}

fn whole() -> Value {
    let mut schema = file();
    let overridden = |key: &str| overridable().any(|known| known == key);
    let swept = |key: &str| overridden(key) || key == "strategy";
    let mut images = Images {
        definitions: &schema["definitions"],
        made: Map::new(),
    };
    let file = &schema["properties"];
    let override_ = images.table(file, Mirror::Part, "Whatever else differs.", overridden);
    let quick = "What `--quick` changes.";
    let quick = images.table(file, Mirror::Part, quick, |key| key != "knee");
    let point = images.table(file, Mirror::Part, "A point of the sweep.", swept);
    let lists = "The file's shape with a list where it has a value; lists multiply.";
    let sweep = images.table(file, Mirror::Lists, lists, swept);
    let override_lists = images.table(file, Mirror::Lists, lists, overridden);
    for (name, image) in images.made {
        schema["definitions"][name] = image;
    }
    let overrides = [
        ("strategy".to_owned(), &override_),
        (Mirror::Part.name("strategy"), &override_),
        (Mirror::Lists.name("strategy"), &override_lists),
    ];
    for (strategy, image) in overrides {
        schema["definitions"][strategy]["properties"]["override"] = image.clone();
    }
    schema["definitions"]["point"] = point;
    schema["properties"]["quick"] = quick;
    schema["properties"]["sweep"] = sweep;
    schema
}

/// The metrics of any scenario by name; those of its own operations by their form.
fn metric() -> Value {
    let names = all_paths(&OperationNames::default());
    json!({
        "description": "A metric of the catalogue, or of one operation: `read.newest.response_ms.p99`.",
        "anyOf": [
            { "enum": names },
            { "type": "string", "pattern": "^(write|read|neighbour)\\.[a-z0-9][a-z0-9-]*\\.[a-z0-9_.]+$" },
        ],
    })
}

/// Mirror images of definitions, each made once.
struct Images<'a> {
    definitions: &'a Value,
    made: Map<String, Value>,
}

impl<'a> Images<'a> {
    /// A table with the images of those properties of the file that `takes`.
    fn table(
        &mut self,
        file: &Value,
        mirror: Mirror,
        description: &str,
        takes: impl Fn(&str) -> bool,
    ) -> Value {
        let taken = entries(file).filter(|(key, _)| takes(key));
        let images = taken.map(|(key, property)| (key.clone(), self.image(property, mirror)));
        let properties: Map<String, Value> = images.collect();
        json!({
            "description": description,
            "type": "object",
            "additionalProperties": false,
            "properties": properties,
        })
    }

    fn image(&mut self, schema: &Value, mirror: Mirror) -> Value {
        if !self.is_table(schema) {
            return leaf(schema, mirror);
        }
        if let Some(name) = referred(schema) {
            let definitions = self.definitions;
            let image = mirror.name(name);
            if !self.made.contains_key(&image) {
                // Before the image is known, so that a definition may hold itself.
                self.made.insert(image.clone(), Value::Null);
                let made = self.image(&definitions[name], mirror);
                self.made.insert(image.clone(), made);
            }
            return json!({ "$ref": format!("#/definitions/{image}") });
        }
        let mut image = schema.clone();
        let branches = schema["anyOf"].as_array();
        if let Some(branches) = branches.filter(|_| schema["type"].is_null()) {
            let all = mirror == Mirror::Part;
            let list = (!all).then(|| leaf(schema, mirror));
            let mirrored = branches.iter().filter(|it| all || self.is_table(it));
            let mirrored: Vec<&Value> = mirrored.collect();
            let images = mirrored.into_iter().map(|it| self.image(it, mirror));
            image["anyOf"] = list.into_iter().chain(images).collect();
            without(&mut image, &["default"]);
            return image;
        }
        let needs = ["required", "anyOf", "default", "minProperties"];
        without(&mut image, &needs);
        for (key, property) in entries(&schema["properties"]) {
            image["properties"][key] = self.image(property, mirror);
        }
        if schema["additionalProperties"].is_object() {
            image["additionalProperties"] = self.image(&schema["additionalProperties"], mirror);
        }
        image
    }

    /// Whether it is, or may be, a table.
    fn is_table(&self, schema: &Value) -> bool {
        let mut branches = schema["anyOf"].as_array().into_iter().flatten();
        let definition = referred(schema).map(|name| &self.definitions[name]);
        schema["type"] == "object"
            || definition.is_some_and(|definition| self.is_table(definition))
            || branches.any(|branch| self.is_table(branch))
    }
}

/// The image of what is no table.
fn leaf(schema: &Value, mirror: Mirror) -> Value {
    let mut item = schema.clone();
    without(&mut item, &["default"]);
    match mirror {
        Mirror::Part => item,
        Mirror::Lists => {
            json!({ "type": "array", "minItems": 1, "uniqueItems": true, "items": item })
        }
    }
}

/// The definition that a schema stands for.
fn referred(schema: &Value) -> Option<&str> {
    let whole = schema["$ref"].as_str();
    // With a description of its own.
    let wrapped = schema.pointer("/allOf/0/$ref").and_then(Value::as_str);
    whole.or(wrapped)?.strip_prefix("#/definitions/")
}

fn entries(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flatten()
}

fn without(schema: &mut Value, keys: &[&str]) {
    if let Some(schema) = schema.as_object_mut() {
        schema.retain(|key, _| !keys.contains(&key.as_str()));
    }
}
