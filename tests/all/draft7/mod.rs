//! JSON Schema, draft 7, as far as the schema of scenarios goes; a keyword beyond that panics instead of being passed over. The
//! published validators bring forty crates along.

use regex::Regex;
use serde_json::{Map, Value};

/// Keywords that say something to people only.
const PROSE: [&str; 6] = [
    "$schema",
    "title",
    "description",
    "default",
    "examples",
    "definitions",
];

/// What is wrong with `instance`, a line each: a JSON pointer and the schema that it breaks. `root` holds the definitions.
pub fn complaints(root: &Value, schema: &Value, instance: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = Check {
        root,
        found: &mut found,
    };
    check.value(schema, instance, "");
    found
}

struct Check<'a> {
    root: &'a Value,
    found: &'a mut Vec<String>,
}

impl Check<'_> {
    fn value(&mut self, schema: &Value, instance: &Value, at: &str) {
        let keywords = schema.as_object().expect("a schema is an object");
        if let Some(target) = keywords.get("$ref") {
            assert_eq!(keywords.len(), 1, "draft 7 ignores what stands beside $ref");
            let pointer = target.as_str().and_then(|path| path.strip_prefix('#'));
            let target = pointer.and_then(|pointer| self.root.pointer(pointer));
            return self.value(target.expect("a known definition"), instance, at);
        }
        for (keyword, limit) in keywords {
            if !PROSE.contains(&keyword.as_str()) && !self.holds(keywords, keyword, instance, at) {
                let line = format!("{at}: {instance} breaks {keyword}: {limit}");
                self.found.push(line);
            }
        }
    }

    /// Whether a keyword's own demand is met; what lies deeper complains for itself.
    fn holds(
        &mut self,
        keywords: &Map<String, Value>,
        keyword: &str,
        instance: &Value,
        at: &str,
    ) -> bool {
        let limit = &keywords[keyword];
        let number = instance.as_f64();
        let text = instance.as_str();
        let items = instance.as_array();
        let entries = instance.as_object();
        let bound = || limit.as_f64().expect("a number");
        let most = || usize::try_from(limit.as_u64().expect("a count")).expect("a small one");
        let letters = |text: &str| text.chars().count();
        match keyword {
            "type" => match limit {
                Value::Array(types) => types.iter().any(|name| is_of(instance, name)),
                name => is_of(instance, name),
            },
            "enum" => list(limit).contains(instance),
            "anyOf" => list(limit).iter().any(|it| self.takes(it, instance)),
            "allOf" => {
                for schema in list(limit) {
                    self.value(schema, instance, at);
                }
                true
            }
            "minimum" => number.is_none_or(|it| it >= bound()),
            "maximum" => number.is_none_or(|it| it <= bound()),
            "exclusiveMinimum" => number.is_none_or(|it| it > bound()),
            "exclusiveMaximum" => number.is_none_or(|it| it < bound()),
            "minLength" => text.is_none_or(|it| letters(it) >= most()),
            "maxLength" => text.is_none_or(|it| letters(it) <= most()),
            "pattern" => {
                let pattern = Regex::new(limit.as_str().expect("a pattern")).expect("a sound one");
                text.is_none_or(|it| pattern.is_match(it))
            }
            "minItems" => items.is_none_or(|it| it.len() >= most()),
            "maxItems" => items.is_none_or(|it| it.len() <= most()),
            "uniqueItems" => items.is_none_or(|it| {
                let mut pairs = it.iter().enumerate();
                *limit == false || pairs.all(|(place, item)| !it[..place].contains(item))
            }),
            "items" => {
                for (place, item) in items.into_iter().flatten().enumerate() {
                    self.value(limit, item, &format!("{at}/{place}"));
                }
                true
            }
            "minProperties" => entries.is_none_or(|it| it.len() >= most()),
            "maxProperties" => entries.is_none_or(|it| it.len() <= most()),
            "required" => entries.is_none_or(|it| {
                let mut keys = list(limit).iter();
                keys.all(|key| it.contains_key(key.as_str().expect("a key")))
            }),
            "propertyNames" => {
                for name in entries.into_iter().flat_map(Map::keys) {
                    self.value(limit, &name.as_str().into(), &format!("{at}/{name}"));
                }
                true
            }
            "properties" => {
                let known = limit.as_object().expect("schemas by key");
                for (key, value) in entries.into_iter().flatten() {
                    if let Some(schema) = known.get(key) {
                        self.value(schema, value, &format!("{at}/{key}"));
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = keywords.get("properties");
                let known = |key: &str| known.is_some_and(|known| known.get(key).is_some());
                let mut others = entries.into_iter().flatten().filter(|(key, _)| !known(key));
                if *limit == false {
                    return others.next().is_none();
                }
                for (key, value) in others {
                    self.value(limit, value, &format!("{at}/{key}"));
                }
                true
            }
            other => panic!("`{other}` is no keyword that this validator knows"),
        }
    }

    fn takes(&self, schema: &Value, instance: &Value) -> bool {
        complaints(self.root, schema, instance).is_empty()
    }
}

fn list(limit: &Value) -> &[Value] {
    limit.as_array().expect("a list")
}

fn is_of(instance: &Value, name: &Value) -> bool {
    match name.as_str().expect("the name of a type") {
        "object" => instance.is_object(),
        "array" => instance.is_array(),
        "string" => instance.is_string(),
        "boolean" => instance.is_boolean(),
        "number" => instance.is_number(),
        // 5.0 is an integer as well.
        "integer" => instance.as_f64().is_some_and(|it| it.fract() == 0.0),
        other => panic!("no type is called `{other}`"),
    }
}
