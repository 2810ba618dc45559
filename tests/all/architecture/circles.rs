//! Files of one room that import each other in a circle: none of them can be understood alone. Must not know the rules about floors.

use super::source::Source;
use std::collections::{BTreeMap, BTreeSet};

/// The module of a file: the names of its folders, and its own.
type Module = Vec<String>;

/// Every file's module, and what the names that a `mod.rs` hands on stand for.
struct House {
    modules: BTreeMap<Module, String>,
    handed_on: BTreeMap<(Module, String), Module>,
}

/// A path in the code of a file, as it is written, and whether it is handed on by `pub use`.
struct Path {
    names: Vec<String>,
    handed_on: bool,
}

/// The files of each circle, or of circles that are tied together, room by room.
pub fn circles(sources: &[Source]) -> Vec<Vec<String>> {
    let fixtures = |source: &&Source| source.path.ends_with("fixture.rs");
    let files: Vec<&Source> = sources
        .iter()
        .filter(|source| !source.is_test_only() && !fixtures(source))
        .collect();
    let mut house = House {
        modules: files
            .iter()
            .map(|source| (module(source), source.path.clone()))
            .collect(),
        handed_on: BTreeMap::new(),
    };
    let read: Vec<(Module, Vec<Path>)> = files
        .iter()
        .map(|source| (module(source), paths(&source.shipped)))
        .collect();
    for (module, paths) in &read {
        for path in paths.iter().filter(|path| path.handed_on) {
            let (Some(from), Some(name)) = (house.resolved(module, &path.names), path.names.last())
            else {
                continue;
            };
            house.handed_on.insert((module.clone(), name.clone()), from);
        }
    }
    let mut imports: BTreeMap<&Module, BTreeSet<Module>> = BTreeMap::new();
    for (module, paths) in &read {
        let found = paths
            .iter()
            .filter(|path| !path.handed_on)
            .filter_map(|path| house.resolved(module, &path.names))
            .filter(|used| used[0] == module[0] && used != module);
        imports.insert(module, found.collect());
    }
    // Who imports nobody that is left, or is imported by nobody that is left, is in no circle.
    loop {
        let left: BTreeSet<Module> = imports.keys().map(|&module| module.clone()).collect();
        let used: BTreeSet<Module> = imports.values().flatten().cloned().collect();
        imports.retain(|module, uses| {
            uses.retain(|used| left.contains(used));
            !uses.is_empty() && used.contains(*module)
        });
        if imports.len() == left.len() {
            break;
        }
    }
    let mut rooms: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for module in imports.into_keys() {
        let files = rooms.entry(&module[0]).or_default();
        files.push(house.modules[module].clone());
    }
    rooms.into_values().collect()
}

fn module(source: &Source) -> Module {
    let path = source.path.strip_suffix(".rs").unwrap_or(&source.path);
    let names = path.split('/').filter(|name| *name != "mod");
    names.map(str::to_owned).collect()
}

impl House {
    /// The module in which a path of `module`'s code ends; `None` for what is not of this house.
    fn resolved(&self, module: &Module, names: &[String]) -> Option<Module> {
        let mut at = module.clone();
        let mut names = names.iter().peekable();
        match names.peek().map(|name| name.as_str()) {
            Some("crate") => at.clear(),
            Some("super" | "self") => {}
            Some(first) => {
                let inner: Module = module.iter().cloned().chain([first.to_owned()]).collect();
                self.modules.contains_key(&inner).then_some(())?;
            }
            None => return None,
        }
        for name in names {
            match name.as_str() {
                "crate" | "self" => continue,
                "super" => {
                    at.pop();
                    continue;
                }
                _ => {}
            }
            let inner: Module = at.iter().cloned().chain([name.clone()]).collect();
            if self.modules.contains_key(&inner) {
                at = inner;
            } else if let Some(from) = self.handed_on.get(&(at.clone(), name.clone())) {
                return Some(from.clone());
            } else {
                break;
            }
        }
        self.modules.contains_key(&at).then_some(at)
    }
}

/// All paths of two names or more, those of `use` trees in full.
fn paths(code: &str) -> Vec<Path> {
    let tokens = tokens(code);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at] == "use" {
            let handed_on = at > 0 && matches!(tokens[at - 1], "pub" | ")");
            let mut names = Vec::new();
            at = tree(&tokens, at + 1, &mut names, handed_on, &mut found);
            continue;
        }
        let mut end = at + 1;
        let mut names = vec![tokens[at].to_owned()];
        while is_name(tokens[at]) && tokens.get(end) == Some(&"::") {
            match tokens.get(end + 1) {
                Some(next) if is_name(next) => names.push((*next).to_owned()),
                _ => break,
            }
            end += 2;
        }
        if names.len() > 1 {
            found.push(Path {
                names,
                handed_on: false,
            });
        }
        at = end;
    }
    found
}

/// Reads a `use` tree from `at`; where it ends.
fn tree(
    tokens: &[&str],
    mut at: usize,
    before: &mut Vec<String>,
    handed_on: bool,
    found: &mut Vec<Path>,
) -> usize {
    let depth = before.len();
    let mut push = |names: &Vec<String>| {
        if names.len() > depth {
            let names = names.clone();
            found.push(Path { names, handed_on });
        }
    };
    while at < tokens.len() {
        match tokens[at] {
            "{" => {
                at += 1;
                loop {
                    at = tree(tokens, at, before, handed_on, found);
                    match tokens.get(at) {
                        Some(&",") => at += 1,
                        _ => break,
                    }
                }
                before.truncate(depth);
                return at + 1;
            }
            "," | "}" | ";" => break,
            // The other name of what is handed on is a name of it as well.
            "as" => {}
            name if is_name(name) => before.push(name.to_owned()),
            _ => {}
        }
        at += 1;
    }
    push(before);
    before.truncate(depth);
    at
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Names, `::`, and every other sign for itself.
fn tokens(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let len = if first.is_alphanumeric() || first == '_' {
            let ends = |c: char| !c.is_alphanumeric() && c != '_';
            rest.find(ends).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        found.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    found
}
