//! The JSON Schema, as an editor uses it: shipped scenarios and templates are valid, mistakes are not.

use crate::toml_files::toml_files;
use keyheat::scenario::{Scenario, json_schema};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

fn schema() -> Value {
    serde_json::from_str(&json_schema()).unwrap()
}

/// A TOML value as editors see it: dates are texts.
fn json(value: toml::Value) -> Value {
    match value {
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(json).collect(),
        toml::Value::Table(table) => {
            let entries = table.into_iter();
            entries.map(|(key, value)| (key, json(value))).collect()
        }
        plain => serde_json::to_value(plain).unwrap(),
    }
}

fn parsed(text: &str) -> Value {
    json(toml::Value::Table(text.parse().unwrap()))
}

fn complaints(schema: &Value, text: &str) -> Vec<String> {
    crate::draft7::complaints(schema, schema, &parsed(text))
}

fn shipped() -> Vec<PathBuf> {
    let mut files = toml_files("scenarios");
    files.extend(toml_files("src/cli/templates"));
    files
}

#[test]
fn every_scenario_and_template_is_valid() {
    let schema = schema();
    for file in shipped() {
        let found = complaints(&schema, &fs::read_to_string(&file).unwrap());
        assert!(found.is_empty(), "{}: {found:#?}", file.display());
    }
}

#[test]
fn every_scenario_is_valid_with_its_defaults_filled_in() {
    let schema = schema();
    for file in shipped() {
        let scenario = Scenario::load(&file).unwrap();
        let found = complaints(&schema, scenario.show());
        assert!(found.is_empty(), "{}: {found:#?}", file.display());
    }
}

#[test]
fn mistakes_that_need_no_thought_are_found_in_the_editor() {
    let schema = schema();
    for name in [
        "01-unknown-keys",
        "02-unknown-tables",
        "08-missing-units",
        "09-wrong-units",
        "10-negative-numbers",
        "14-no-strategy",
        "15-no-write",
        "16-no-field",
        "31-bad-names",
        "47-wrong-types",
        "76-unknown-keys-in-reads",
        "79-wrong-types-in-reads",
    ] {
        let file = format!("{}/tests/invalid/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(&file).unwrap();
        assert!(!complaints(&schema, &text).is_empty(), "{name} passes");
    }
}

const SOUND: &str = r#"
[field]
id = { type = "int", count = 9, distribution = { zipf = 0.9 } }
[write.w]
rate = "1/s"
[strategy.a]
key = "be4(id)"
block_encoding = "diff"
override.write.w.rate = "2/s"
"#;

#[test]
fn places_that_mirror_the_file_need_no_whole_settings() {
    let schema = schema();
    let sound = [
        "[strategy.b]\nkey = 'be4(id)'\nplacement = 'grown'\n[table]\nplacement = [0]\n[sweep]\ntable.placement = ['dealt', [1]]",
        "[quick]\nreplicates = 1\n[quick.time]\nduration = '1s'\n[quick.table.presplit]\nregions = 4",
        "[sweep]\ncluster.servers = [4, 8]\nwrite.w.rate = ['1/s', '2/s']",
        "[sweep]\nfield.id.distribution = ['uniform', { zipf = 1.0 }]\nstrategy.a.presplit.regions = [4, 8]",
        "[sweep]\nfield.id.distribution.zipf = [0.5, 0.9]\nstrategy.a.override.write.w.rate = ['1/s']",
        "[[expect]]\nstrategy = '*'\nmetric = 'write.w.response_ms.p99'\nbelow = 5\nat = { cluster.servers = 8 }",
        "[[expect]]\nstrategy = 'a'\nmetric = 'splits'\nis = 0\nratio_to = { at = { cluster.servers = 8 } }",
    ];
    for added in sound {
        let found = complaints(&schema, &format!("{SOUND}{added}"));
        assert!(found.is_empty(), "{added}: {found:#?}");
    }
    let unsound = [
        "[table]\nplacement = 'random'",
        "[table]\nplacement = []",
        "[quick]\nreplicate = 1",
        "[quick.cluster]\nservers = 'many'",
        "[sweep]\ncluster.servers = 4",
        "[sweep]\ncluster.server = [4]",
        "[sweep]\ncluster.servers = []",
        "[sweep]\nwrite.w.rate = [1, 2]",
        "[sweep]\nseed = [1, 2]",
        "[strategy.b]\nkey = 'be4(id)'\noverride.time.duration = '1s'",
        "[strategy.b]\nkey = 'be4(id)'\nvalues = '1B'",
        "[[expect]]\nstrategy = '*'\nmetric = 'sever_max_share'\nbelow = 5",
    ];
    for added in unsound {
        let found = complaints(&schema, &format!("{SOUND}{added}"));
        assert!(!found.is_empty(), "{added} passes");
    }
}
