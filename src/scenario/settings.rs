//! Changing a scenario's document before it is read: `--set`, `[quick]`, `override`. Must not know what a setting means.

use super::Diagnostic;
use super::document::{Entry, Node, Place, Table, Value, parse_value};
use super::nearest::suggest;
use super::{balancers, split_policies};

/// Tables whose children are names that the file itself chooses.
const NAMED: [&str; 7] = [
    "parameter",
    "field",
    "write",
    "existing",
    "read",
    "strategy",
    "neighbour",
];

/// Words whose settings are keys beside them: the path of the table, the word's key, the default, the settings.
const CHOICES: [(&str, &str, &str, &[&str]); 2] = [
    (
        "table",
        "split_policy",
        split_policies::DEFAULT,
        &split_policies::SETTINGS,
    ),
    (
        "balancer",
        "policy",
        balancers::DEFAULT,
        &balancers::SETTINGS,
    ),
];

/// Takes the settings of the old word out of a table that gets another one.
fn forget_settings(path: &str, table: &mut Table, key: &str, new: &Value) {
    let choice = CHOICES
        .iter()
        .find(|(table, word, ..)| *table == path && *word == key);
    let (Some((_, _, default, settings)), Value::Text(new)) = (choice, new) else {
        return;
    };
    let old = match table.get(key).map(|entry| &entry.node.value) {
        Some(Value::Text(old)) => old,
        _ => *default,
    };
    if old != new {
        table
            .entries
            .retain(|entry| !settings.contains(&entry.key.as_str()));
    }
}

/// Applies one `PATH=VALUE`. The value is TOML, or a bare word: `write.ingest.rate=80k/s`.
///
/// # Errors
/// When there is no `=`, the path is malformed or leads through something that is no table, or names a write, field, strategy ...
/// that the file does not have; or the value starts like TOML and isn't.
pub(super) fn apply(document: &mut Table, setting: &str) -> Result<(), Diagnostic> {
    let wrong = |message: String| Diagnostic::error(format!("`--set {setting}`: {message}"));
    let place = Place::Setting(setting.into());
    let (path, text) = setting.split_once('=').ok_or_else(|| {
        wrong("no `=`".to_owned())
            .help("write `--set PATH=VALUE`, as in `--set cluster.servers=16`")
    })?;
    let text = text.trim();
    let node = match parse_value(text, &place) {
        Some(node) => node,
        None if text.is_empty() => return Err(wrong("no value behind `=`".to_owned())),
        None if text.starts_with(['"', '\'', '[', '{']) => {
            return Err(wrong(format!("`{text}` is not valid TOML")));
        }
        None => Node {
            value: Value::Text(text.to_owned()),
            place: place.clone(),
        },
    };
    let keys: Vec<&str> = path.split('.').map(str::trim).collect();
    if keys.iter().any(|key| key.is_empty()) {
        return Err(wrong("the path has an empty part".to_owned())
            .help("paths look like `write.ingest.rate`"));
    }
    let mut table = document;
    for (depth, key) in keys.iter().enumerate() {
        let named = depth == 1 && NAMED.contains(&keys[0]);
        if named && table.get(key).is_none() {
            let mut diagnostic = wrong(format!("there is no {} `{key}`", keys[0]));
            diagnostic.help = suggest(key, table.entries.iter().map(|entry| entry.key.as_str()));
            return Err(diagnostic);
        }
        if depth + 1 == keys.len() {
            forget_settings(&keys[..depth].join("."), table, key, &node.value);
            table.set(key, place, node);
            return Ok(());
        }
        if table.get(key).is_none() {
            let empty = Node {
                value: Value::Table(Table::default()),
                place: place.clone(),
            };
            table.set(key, place.clone(), empty);
        }
        match table.get_mut(key).map(|entry| &mut entry.node.value) {
            Some(Value::Table(inner)) => table = inner,
            Some(other) => {
                return Err(wrong(format!(
                    "`{}` is {}, no table",
                    keys[..=depth].join("."),
                    other.kind()
                )));
            }
            None => return Ok(()),
        }
    }
    Ok(())
}

/// Lays `overlay` over `base`: tables are merged, all else is replaced; so are whole choices (`distribution`, each law of `pick`, a
/// `presplit` with another algorithm, a `range` with a field); a word that is replaced takes its settings with it. Names that `base` does not have are returned as complaints.
pub(super) fn merge(base: &mut Table, overlay: &Table) -> Vec<(Place, Diagnostic)> {
    let mut complaints = Vec::new();
    for entry in &overlay.entries {
        if NAMED.contains(&entry.key.as_str())
            && let Value::Table(names) = &entry.node.value
        {
            let known = base.table(&entry.key);
            for name in &names.entries {
                if known.is_none_or(|known| known.get(&name.key).is_none()) {
                    let mut diagnostic =
                        Diagnostic::error(format!("there is no {} `{}`", entry.key, name.key))
                            .label("overrides change what is there");
                    let known = known.map_or(&[][..], |known| &known.entries);
                    diagnostic.help =
                        suggest(&name.key, known.iter().map(|entry| entry.key.as_str()));
                    complaints.push((name.place.clone(), diagnostic));
                }
            }
        }
        merge_entry(base, entry);
    }
    complaints
}

fn merge_entry(base: &mut Table, overlay: &Entry) {
    let whole = match overlay.key.as_str() {
        "distribution" => true,
        "presplit" => {
            matches!(&overlay.node.value, Value::Table(table) if table.get("algorithm").is_some())
        }
        "range" => {
            matches!(&overlay.node.value, Value::Table(table) if table.get("field").is_some())
        }
        _ => false,
    };
    match (
        base.get_mut(&overlay.key)
            .map(|entry| &mut entry.node.value),
        &overlay.node.value,
    ) {
        (Some(Value::Table(inner)), Value::Table(over)) if !whole => {
            for entry in &over.entries {
                forget_settings(&overlay.key, inner, &entry.key, &entry.node.value);
            }
            for entry in &over.entries {
                if overlay.key == "pick" {
                    inner.set(&entry.key, entry.place.clone(), entry.node.clone());
                } else {
                    merge_entry(inner, entry);
                }
            }
        }
        _ => base.set(&overlay.key, overlay.place.clone(), overlay.node.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::document::parse;

    fn base() -> Table {
        parse("[cluster]\nservers = 8\n[write.ingest]\nrate = '1/s'\n[field]\nx = { type = 'int', count = 3 }\n").0
    }

    #[test]
    fn values_are_toml_or_bare_words() {
        let mut table = base();
        for setting in [
            "cluster.servers=16",
            "write.ingest.rate = 80k/s",
            "cluster.wal.mode=off",
            "field.x.count=9",
        ] {
            apply(&mut table, setting).unwrap();
        }
        let cluster = table.table("cluster").unwrap();
        assert_eq!(
            cluster.get("servers").unwrap().node.value,
            Value::Integer(16)
        );
        assert_eq!(
            cluster
                .table("wal")
                .unwrap()
                .get("mode")
                .unwrap()
                .node
                .value,
            Value::Text("off".into())
        );
        let ingest = table.table("write").unwrap().table("ingest").unwrap();
        assert_eq!(
            ingest.get("rate").unwrap().node.value,
            Value::Text("80k/s".into())
        );
    }

    #[test]
    fn names_that_the_file_lacks_are_refused() {
        let error = apply(&mut base(), "write.ingst.rate=5/s").unwrap_err();
        assert_eq!(
            error.message,
            "`--set write.ingst.rate=5/s`: there is no write `ingst`"
        );
        assert_eq!(error.help.as_deref(), Some("did you mean `ingest`?"));
        assert!(apply(&mut base(), "cluster.servers").is_err());
        assert!(apply(&mut base(), "cluster..servers=1").is_err());
        assert!(apply(&mut base(), "cluster.servers.x=1").is_err());
        assert!(apply(&mut base(), "cluster.servers=[1").is_err());
        assert!(apply(&mut base(), "cluster.servers=").is_err());
    }

    #[test]
    fn merging_keeps_what_the_overlay_does_not_say() {
        let mut table =
            parse("[table]\nvalue = '1B'\npresplit = { algorithm = 'sampled', regions = 4 }").0;
        let overlay = parse("table.presplit.regions = 9\nwrite.x.rate = '1/s'").0;
        let complaints = merge(&mut table, &overlay);
        assert_eq!(complaints.len(), 1);
        let presplit = table.table("table").unwrap().table("presplit").unwrap();
        assert_eq!(
            presplit.get("regions").unwrap().node.value,
            Value::Integer(9)
        );
        assert_eq!(presplit.entries.len(), 2);
        merge(
            &mut table,
            &parse("table.presplit = { algorithm = 'none' }").0,
        );
        assert_eq!(
            table
                .table("table")
                .unwrap()
                .table("presplit")
                .unwrap()
                .entries
                .len(),
            1
        );
    }
    #[test]
    fn another_word_takes_the_settings_of_the_old_one_with_it() {
        let file = "[table]\nsplit_policy = 'key-prefix'\nprefix_length = 4\nvalue = '7B'\n[balancer]\nwrite_request_cost = 9\nperiod = '3s'\n";
        let keys = |table: &Table, path: &str| -> Vec<String> {
            let table = table.table(path).unwrap();
            table
                .entries
                .iter()
                .map(|entry| entry.key.clone())
                .collect()
        };
        let mut table = parse(file).0;
        apply(&mut table, "table.split_policy=stepping").unwrap();
        assert_eq!(keys(&table, "table"), ["split_policy", "value"]);
        // The file does not name its balancer: it is the default.
        apply(&mut table, "balancer.policy=stochastic").unwrap();
        assert_eq!(
            keys(&table, "balancer"),
            ["write_request_cost", "period", "policy"]
        );
        merge(&mut table, &parse("balancer.policy = 'load'").0);
        assert_eq!(keys(&table, "balancer"), ["period", "policy"]);
        let mut table = parse(file).0;
        merge(
            &mut table,
            &parse("table = { split_policy = 'key-prefix', prefix_length = 5 }").0,
        );
        assert_eq!(
            keys(&table, "table"),
            ["split_policy", "prefix_length", "value"]
        );
    }
}
