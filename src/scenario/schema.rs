//! The JSON Schema of scenario files, with which editors complete and check them. Must not know how a setting is read: tests compare
//! it with what the reader asks for.
//!
//! `schema.json` describes the file. What follows from it is made here: metrics, the table settings of a strategy, and the places
//! that mirror the file.

use super::strategies::{OVERRIDABLE, TABLE_KEYS};
use crate::metrics::{OperationNames, all_paths};
use serde_json::{Map, Value, json};

/// The part that is written by hand.
const FILE: &str = include_str!("schema.json");

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

fn whole() -> Value {
    let mut schema: Value = serde_json::from_str(FILE).expect("the embedded schema is JSON");
    schema["definitions"]["metric"] = metric();
    let table = schema["definitions"]["table"]["properties"].clone();
    let strategy = &mut schema["definitions"]["strategy"]["properties"];
    for key in TABLE_KEYS {
        strategy[key] = table[key].clone();
    }
    let overridden = |key: &str| OVERRIDABLE.contains(&key);
    let swept = |key: &str| overridden(key) || key == "strategy";
    let mut images = Images::new(&schema);
    let file = &schema["properties"];
    let override_ = images.table(file, Mirror::Part, "Whatever else differs.", overridden);
    let quick = images.table(file, Mirror::Part, "What `--quick` changes.", |key| {
        key != "knee"
    });
    let point = images.table(file, Mirror::Part, "A point of the sweep.", swept);
    let lists = "The file's shape with a list where it has a value; lists multiply.";
    let sweep = images.table(file, Mirror::Lists, lists, swept);
    let override_lists = images.table(file, Mirror::Lists, lists, overridden);
    let made = images.made;
    for (name, image) in made {
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
    let names: Vec<String> = all_paths(&OperationNames::default()).collect();
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
    fn new(schema: &'a Value) -> Self {
        Self {
            definitions: &schema["definitions"],
            made: Map::new(),
        }
    }

    /// A table with the images of those properties of the file that `takes`.
    fn table(
        &mut self,
        file: &Value,
        mirror: Mirror,
        description: &str,
        takes: impl Fn(&str) -> bool,
    ) -> Value {
        let mut properties = Map::new();
        for (key, property) in members(file).filter(|(key, _)| takes(key)) {
            properties.insert(key.clone(), self.image(property, mirror));
        }
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
        let branches = schema["anyOf"]
            .as_array()
            .filter(|_| schema["type"].is_null());
        if let Some(branches) = branches {
            let mut images = Vec::new();
            if mirror == Mirror::Lists {
                images.push(leaf(schema, mirror));
            }
            for branch in branches {
                if mirror == Mirror::Part || self.is_table(branch) {
                    images.push(self.image(branch, mirror));
                }
            }
            image["anyOf"] = images.into();
            without(&mut image, &["default"]);
            return image;
        }
        let needs = ["required", "anyOf", "default", "minProperties"];
        without(&mut image, &needs);
        for (key, property) in members(&schema["properties"]) {
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

fn members(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flatten()
}

fn without(schema: &mut Value, keys: &[&str]) {
    if let Some(schema) = schema.as_object_mut() {
        schema.retain(|key, _| !keys.contains(&key.as_str()));
    }
}
