//! Changing a scenario's document before it is read: `--set`, `--sweep`, `[quick]`, `override`.

use super::document::{self, Path, dotted};
use super::draft::{MIRRORS, SCENARIO};
use super::names::nearest;
use super::prelude::*;
use crate::settings::{self, Profile, Shape};
use crate::text::either;

/// Whether the children of a table are names that the file itself chooses.
fn is_named(key: &str) -> bool {
    let shape = SCENARIO.get(key).map(|setting| setting.kind.shape);
    matches!(shape, Some(Shape::Names(..)))
}

/// Takes the settings of the old word out of a table that gets another one.
fn forget_settings(path: &str, table: &mut TomlTable, key: &str, new: &Value) {
    let Some(Shape::Table(declared)) = SCENARIO.get(path).map(|setting| setting.kind.shape) else {
        return;
    };
    let (Some(choice), Value::Text(new)) = (declared.get(key), new) else {
        return;
    };
    let old = table.get(key).and_then(|entry| entry.node.text());
    let is_word = matches!(choice.kind.shape, Shape::Word(_));
    let default = || <&Profile>::default().default_of(path, choice);
    if is_word && old.or_else(default) != Some(new) {
        let of = |entry: &Entry| declared.get(&entry.key)?.kind.of;
        let belongs = |entry: &Entry| of(entry).is_some_and(|(choice, _)| choice == key);
        table.entries.retain(|entry| !belongs(entry));
    }
}

/// Applies one `PATH=VALUE`. The value is TOML, or a bare word: `write.ingest.rate=80k/s`. Returns the path.
///
/// # Errors
/// When there is no `=`, the path is malformed or leads through something that is no table, or names a write, field, strategy ...
/// that the file does not have; or the value starts like TOML and isn't.
pub(super) fn apply(document: &mut TomlTable, setting: &str) -> Result<String, Diagnostic> {
    let option = format!("--set {setting}");
    let place = SourcePlace::Setting(option.as_str().into());
    let (keys, text) = split(&option, setting, &place, "VALUE")?;
    let node = value_of(&option, text, &place)?;
    put(document, &keys, node).map_err(|complaint| complaint.beside(&option))?;
    Ok(dotted(&keys))
}

/// Applies one `PATH=V1,V2,...` to `[sweep]`; commas inside quotes, lists and tables separate nothing.
///
/// # Errors
/// As [`apply`].
pub(super) fn apply_sweep(document: &mut TomlTable, setting: &str) -> Result<(), Diagnostic> {
    let option = format!("--sweep {setting}");
    let place = SourcePlace::Setting(option.as_str().into());
    let (mut keys, text) = split(&option, setting, &place, "V1,V2,...")?;
    let values = items(text)
        .into_iter()
        .map(|item| value_of(&option, item.trim(), &place))
        .collect::<Result<_, _>>()?;
    keys.insert(0, ("sweep".to_owned(), place.clone()));
    let value = Value::Array(values);
    put(document, &keys, Node { value, place }).map_err(|complaint| complaint.beside(&option))
}

/// A setting that was given a value is swept no longer: its list becomes that value.
pub(super) fn fix_swept(document: &mut TomlTable, path: &str) {
    let keys: Vec<&str> = path.split('.').map(str::trim).collect();
    let Some(value) = find(document, &keys).cloned() else {
        return;
    };
    let swept: Vec<&str> = std::iter::once("sweep").chain(keys).collect();
    if let Some(list) = find(document, &swept)
        && let Value::Array(values) = &mut list.value
    {
        *values = vec![value];
    }
}

fn find<'a>(mut table: &'a mut TomlTable, keys: &[&str]) -> Option<&'a mut Node> {
    let (last, above) = keys.split_last()?;
    for key in above {
        table = match table.value_mut(key)? {
            Value::Table(inner) => inner,
            _ => return None,
        };
    }
    Some(&mut table.get_mut(last)?.node)
}

fn split<'a>(
    option: &str,
    setting: &'a str,
    place: &SourcePlace,
    value: &str,
) -> Result<(Path, &'a str), Diagnostic> {
    let wrong = |message: &str, help: String| Diagnostic::error(message).help(help).beside(option);
    let name = option.split(' ').next().unwrap_or_default();
    let Some((path, text)) = setting.split_once('=') else {
        let example = match name {
            "--sweep" => "--sweep cluster.servers=4,8,16",
            _ => "--set cluster.servers=16",
        };
        let help = format!("write `{name} PATH={value}`, as in `{example}`");
        return Err(wrong("no `=`", help));
    };
    let keys: Vec<&str> = path.split('.').map(str::trim).collect();
    if keys.iter().any(|key| key.is_empty()) {
        let help = "paths look like `write.ingest.rate`".to_owned();
        return Err(wrong("the path has an empty part", help));
    }
    let keys = keys.iter().map(|key| ((*key).to_owned(), place.clone()));
    Ok((keys.collect(), text.trim()))
}

/// A value as TOML writes it, or a bare word.
fn value_of(option: &str, text: &str, place: &SourcePlace) -> Result<Node, Diagnostic> {
    let wrong = |message: String| Err(Diagnostic::error(message).beside(option));
    match document::parse_value(text, place) {
        Some(node) => Ok(node),
        None if text.is_empty() => wrong("a value is missing".to_owned()),
        None if text.starts_with(['"', '\'', '[', '{']) => {
            wrong(format!("`{text}` is not valid TOML"))
        }
        None => Ok(Node {
            value: Value::Text(text.to_owned()),
            place: place.clone(),
        }),
    }
}

/// What stands between the commas that no quote or bracket encloses.
fn items(text: &str) -> Vec<&str> {
    let (mut items, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_u32, None);
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some('"'), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(open), close) if open == close && !escaped => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                items.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        escaped = false;
    }
    items.push(&text[start..]);
    items
}

/// Sets what stands at a path.
///
/// # Errors
/// When the path leads through something that is no table, or names a write, field, strategy ... that the document does not have. The
/// complaint has no place.
pub(super) fn put(
    document: &mut TomlTable,
    keys: &[(String, SourcePlace)],
    node: Node,
) -> Result<(), Diagnostic> {
    let mut table = document;
    for (depth, (key, place)) in keys.iter().enumerate() {
        if depth == 1 && is_named(&keys[0].0) && table.get(key).is_none() {
            return Err(no_such_name(&keys[0].0, key, Some(table)));
        }
        if depth + 1 == keys.len() {
            forget_settings(&dotted(&keys[..depth]), table, key, &node.value);
            table.set(key, place.clone(), node);
            return Ok(());
        }
        if table.get(key).is_none() {
            table.set(key, place.clone(), Node::empty_table(place.clone()));
        }
        match table.value_mut(key) {
            Some(Value::Table(inner)) => table = inner,
            Some(other) => {
                let (path, kind) = (dotted(&keys[..=depth]), other.kind());
                return Err(Diagnostic::error(format!("`{path}` is {kind}, no table")));
            }
            None => return Ok(()),
        }
    }
    Ok(())
}

/// A complaint about a name that the table `kind` does not have.
fn no_such_name(kind: &str, name: &str, table: Option<&TomlTable>) -> Diagnostic {
    let known = table.map_or(&[][..], |table| &table.entries);
    let help = suggest(name, known.iter().map(|entry| entry.key.as_str()));
    Diagnostic::error(format!("there is no {kind} `{name}`")).hint(help)
}

/// A complaint about what `table`, in the shape of the file, has at its top and no file can have; `None` of what a file can have.
fn unknown(key: &str, table: &str, document: &TomlTable) -> Option<Diagnostic> {
    if SCENARIO.get(key).is_some() || MIRRORS.contains(&key) {
        return None;
    }
    let diagnostic = Diagnostic::error(format!("unknown key `{key}` in {table}"));
    let help = meant(key, document).or_else(|| suggest(key, SCENARIO.all().map(|it| it.key)));
    Some(diagnostic.label("unknown key").hint(help))
}

/// ``did you mean `time.duration`?``: the settings that go by a name, or the nearest to it, the first of each table.
fn meant(name: &str, document: &TomlTable) -> Option<String> {
    let settings = |table: &'static settings::Table, path: String| {
        let setting = move |it: &settings::Setting| (it.key, format!("{path}.{}", it.key));
        table.all().map(setting).collect::<Vec<_>>()
    };
    let of_table = |setting: &'static settings::Setting| match setting.kind.shape {
        Shape::Table(table) => settings(table, setting.key.to_owned()),
        // Of the first that the file names.
        Shape::Names(..) => {
            let named = document.table(setting.key);
            let first = named.and_then(|named| named.entries.first());
            let path = first.map(|first| format!("{}.{}", setting.key, first.key));
            let table = setting.kind.inner.first();
            let both = path.zip(table);
            both.map_or(Vec::new(), |(path, table)| settings(table, path))
        }
        _ => Vec::new(),
    };
    let tables = SCENARIO.all().map(|it| (it.key, it.key.to_owned()));
    let all: Vec<(&str, String)> = tables.chain(SCENARIO.all().flat_map(of_table)).collect();
    let near = nearest(name, all.iter().map(|(key, _)| *key))?;
    let paths = all.iter().filter(|(key, _)| *key == near);
    let mut paths: Vec<&str> = paths.map(|(_, path)| path.as_str()).collect();
    // A table of the file is meant before what is called so in others.
    paths.truncate(if paths[0] == near { 1 } else { paths.len() });
    Some(format!("did you mean {}?", either(&paths)))
}

/// Lays `overlay`, which messages call `table`, over `base`: tables are merged, all else is replaced; so are whole choices (`distribution`, each law of `pick`, a
/// `presplit` with another algorithm, a `range` with a field, the `value` of a family, each of `cells`); a word that is replaced takes its settings with it. Tables that no file has, and names that `base` does not have, are returned as complaints.
pub(super) fn merge(
    base: &mut TomlTable,
    overlay: &TomlTable,
    table: &str,
) -> Vec<(SourcePlace, Diagnostic)> {
    let mut complaints = Vec::new();
    for entry in &overlay.entries {
        if let Some(diagnostic) = unknown(&entry.key, table, base) {
            complaints.push((entry.place.clone(), diagnostic));
            continue;
        }
        let names = entry.node.table().filter(|_| is_named(&entry.key));
        let known = base.table(&entry.key);
        for name in names.map_or(&[][..], |names| &names.entries) {
            if known.is_none_or(|known| known.get(&name.key).is_none()) {
                let diagnostic = no_such_name(&entry.key, &name.key, known);
                let diagnostic = diagnostic.label("overrides change what is there");
                complaints.push((name.place.clone(), diagnostic));
            }
        }
        merge_entry(base, entry);
    }
    complaints
}

fn merge_entry(base: &mut TomlTable, overlay: &Entry) {
    let over = overlay.node.table();
    let says = |key: &str| over.is_some_and(|over| over.get(key).is_some());
    let whole = match overlay.key.as_str() {
        "distribution" => true,
        "presplit" => says("algorithm"),
        "range" => says("field"),
        "value" => says("size") || says("expr"),
        _ => false,
    };
    let (Some(Value::Table(inner)), Some(over), false) =
        (base.value_mut(&overlay.key), over, whole)
    else {
        base.set(&overlay.key, overlay.place.clone(), overlay.node.clone());
        return;
    };
    for entry in &over.entries {
        forget_settings(&overlay.key, inner, &entry.key, &entry.node.value);
    }
    for entry in &over.entries {
        match overlay.key.as_str() {
            "pick" | "cells" => inner.set(&entry.key, entry.place.clone(), entry.node.clone()),
            _ => merge_entry(inner, entry),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::document::parse;

    fn base() -> TomlTable {
        parse("[cluster]\nservers = 8\n[write.ingest]\nrate = '1/s'\n[field]\nx = { type = 'int', count = 3 }\n").table
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
            parse("[table]\nvalue = '1B'\npresplit = { algorithm = 'sampled', regions = 4 }").table;
        let overlay = parse("table.presplit.regions = 9\nwrite.x.rate = '1/s'").table;
        let complaints = merge(&mut table, &overlay, "`[quick]`");
        assert_eq!(complaints.len(), 1);
        let presplit = table.table("table").unwrap().table("presplit").unwrap();
        assert_eq!(
            presplit.get("regions").unwrap().node.value,
            Value::Integer(9)
        );
        assert_eq!(presplit.entries.len(), 2);
        merge(
            &mut table,
            &parse("table.presplit = { algorithm = 'none' }").table,
            "`[quick]`",
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
        let keys = |table: &TomlTable, path: &str| -> Vec<String> {
            let table = table.table(path).unwrap();
            table
                .entries
                .iter()
                .map(|entry| entry.key.clone())
                .collect()
        };
        let mut table = parse(file).table;
        apply(&mut table, "table.split_policy=stepping").unwrap();
        assert_eq!(keys(&table, "table"), ["split_policy", "value"]);
        // The file does not name its balancer: it is the default.
        apply(&mut table, "balancer.policy=stochastic").unwrap();
        assert_eq!(
            keys(&table, "balancer"),
            ["write_request_cost", "period", "policy"]
        );
        merge(
            &mut table,
            &parse("balancer.policy = 'load'").table,
            "`[quick]`",
        );
        assert_eq!(keys(&table, "balancer"), ["period", "policy"]);
        let mut table = parse(file).table;
        merge(
            &mut table,
            &parse("table = { split_policy = 'key-prefix', prefix_length = 5 }").table,
            "`[quick]`",
        );
        assert_eq!(
            keys(&table, "table"),
            ["split_policy", "prefix_length", "value"]
        );
    }
}
