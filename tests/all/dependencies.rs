//! Every crate that the binary is built from is used, may be given away with it, and compiles with the Rust version that `Cargo.toml`
//! states.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Licences that ask for no more than a notice; `MPL-2.0` covers changes to the crate's own files.
const ALLOWED: [&str; 12] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Zlib",
];

/// Packages of the lock file for this machine, dependencies of tests included.
fn packages() -> Vec<Value> {
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args(arguments)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    };
    let version = run("rustc", &["-vV"]);
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    let metadata = run(
        env!("CARGO"),
        &[
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--offline",
            "--filter-platform",
            host,
        ],
    );
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let used: Vec<&Value> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| &node["id"])
        .collect();
    let all = metadata["packages"].as_array().unwrap().iter();
    all.filter(|package| used.contains(&&package["id"]))
        .cloned()
        .collect()
}

/// Whether an SPDX expression leaves a choice of allowed licences: `AND` binds more tightly than `OR`.
fn is_allowed(expression: &str) -> bool {
    let plain = expression.replace('/', " OR ");
    if let Some((before, inner, after)) = innermost(&plain) {
        let word = if is_allowed(inner) { "MIT" } else { "refused" };
        return is_allowed(&format!("{before}{word}{after}"));
    }
    plain.split(" OR ").any(|part| {
        part.split(" AND ").all(|licence| {
            let name = licence.split(" WITH ").next().unwrap_or_default().trim();
            ALLOWED.contains(&name)
        })
    })
}

/// The text before, in and after a pair of parentheses without others in it.
fn innermost(text: &str) -> Option<(&str, &str, &str)> {
    let close = text.find(')')?;
    let open = text[..close].rfind('(')?;
    Some((&text[..open], &text[open + 1..close], &text[close + 1..]))
}

#[test]
fn every_dependency_has_a_licence_that_may_be_given_on() {
    let refused: Vec<String> = packages()
        .iter()
        .filter(|package| !is_allowed(package["license"].as_str().unwrap_or("none")))
        .map(|package| {
            format!(
                "{} {}: {}",
                package["name"], package["version"], package["license"]
            )
        })
        .collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn licences_are_read_as_spdx_means_them() {
    for good in [
        "MIT OR GPL-3.0",
        "MIT/Apache-2.0",
        "(MIT OR GPL-3.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(is_allowed(good), "{good}");
    }
    for bad in [
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(GPL-3.0 OR LGPL-3.0) AND MIT",
        "none",
        "",
    ] {
        assert!(!is_allowed(bad), "{bad}");
    }
}

/// That our own code does, clippy says (`incompatible_msrv`).
#[test]
fn no_dependency_asks_for_a_newer_rust_than_we_do() {
    let number = |version: &str| -> Vec<u32> {
        version
            .split('.')
            .map(|part| part.parse().unwrap())
            .chain([0, 0])
            .take(3)
            .collect()
    };
    let ours = number(env!("CARGO_PKG_RUST_VERSION"));
    let newer: Vec<String> = packages()
        .iter()
        .filter(|package| {
            package["rust_version"]
                .as_str()
                .is_some_and(|version| number(version) > ours)
        })
        .map(|package| {
            format!(
                "{} {} needs {}",
                package["name"], package["version"], package["rust_version"]
            )
        })
        .collect();
    assert!(newer.is_empty(), "{}", newer.join("\n"));
}

/// The names of the crates in the tables of `manifest` that end with `kind`, those of single systems included.
fn crates(manifest: &toml::Table, kind: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (key, value) in manifest {
        let Some(table) = value.as_table() else {
            continue;
        };
        match key == kind {
            true => found.extend(table.keys().cloned()),
            false if key == "target" => {
                let systems = table.values().filter_map(toml::Value::as_table);
                found.extend(systems.flat_map(|system| crates(system, kind)));
            }
            false => {}
        }
    }
    found
}

/// What code calls the library of a package: `md5` is that of `md-5`.
fn library(package: &str) -> String {
    static KNOWN: LazyLock<Vec<Value>> = LazyLock::new(packages);
    let own = KNOWN.iter().find(|known| known["name"] == package);
    let targets = own.and_then(|own| own["targets"].as_array());
    let library = targets.and_then(|targets| {
        let kinds = ["lib", "rlib", "proc-macro"];
        let is_library = |target: &&Value| kinds.iter().any(|kind| target["kind"][0] == *kind);
        targets.iter().find(is_library)
    });
    let name = library.and_then(|target| target["name"].as_str());
    name.unwrap_or(package).replace('-', "_")
}

/// Whether Rust code names the library in a path, or links it (`use name as _`). Comments name nothing, and neither do tests where `tests` says so.
fn uses(code: &str, name: &str, tests: bool) -> bool {
    let path = format!("{name}::");
    let linked = format!("use {name} as _;");
    let own = match code.find("#[cfg(test)]\nmod tests {") {
        Some(at) if !tests => &code[..at],
        _ => code,
    };
    own.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .any(|line| {
            let mut paths = line.match_indices(&path);
            line.trim() == linked
                || paths.any(|(at, _)| {
                    let before = line[..at].chars().next_back();
                    !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
                })
        })
}

/// Crates of `manifest` that no code uses: dependencies of the program in `src`, those of tests anywhere.
fn unused(manifest: &str, src: &[String], others: &[String]) -> Vec<String> {
    let manifest: toml::Table = toml::from_str(manifest).unwrap();
    let program = crates(&manifest, "dependencies");
    let tests = crates(&manifest, "dev-dependencies");
    let in_src = |name: &String| {
        let library = library(name);
        src.iter().any(|code| uses(code, &library, false))
    };
    let anywhere = |name: &String| {
        let library = library(name);
        src.iter()
            .chain(others)
            .any(|code| uses(code, &library, true))
    };
    let program = program.into_iter().filter(|name| !in_src(name));
    let tests = tests.into_iter().filter(|name| !anywhere(name));
    program.chain(tests).collect()
}

#[test]
fn every_dependency_is_used() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let code = |folder: &str, tests: bool| -> Vec<String> {
        let files = rust_files(&root.join(folder)).into_iter();
        let own = |file: &PathBuf| tests || !file.to_string_lossy().ends_with("tests.rs");
        files
            .filter(own)
            .map(|file| fs::read_to_string(file).unwrap())
            .collect()
    };
    // The rooms of a library are those that its root declares.
    let rooms = |library: &str, tests: bool| -> Vec<String> {
        let library = read(library);
        let names = library
            .lines()
            .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
        let rooms = names.flat_map(|name| match root.join("src").join(name).is_dir() {
            true => code(&format!("src/{name}"), tests),
            false => vec![read(&format!("src/{name}.rs"))],
        });
        rooms.chain([library.clone()]).collect()
    };
    let core = rooms("src/core.rs", false);
    assert!(core.len() > 100, "{} files of the core", core.len());
    let mut others = rooms("src/core.rs", true);
    others.extend(code("tests/all/draft7", true));
    let manifest = read("src/core/Cargo.toml");
    assert_eq!(unused(&manifest, &core, &others), Vec::<String>::new());
    let src = rooms("src/lib.rs", false);
    let mut others = rooms("src/lib.rs", true);
    others.extend(code("tests", true));
    others.extend(code("benches", true));
    let manifest = read("Cargo.toml");
    assert_eq!(unused(&manifest, &src, &others), Vec::<String>::new());
    // One that nothing uses is found out, and so is one that only tests do.
    let more = manifest.replace(
        "[dependencies]\n",
        "[dependencies]\nmd-6 = \"1\"\ncriterion = \"1\"\n",
    );
    let manifest = more.replacen("criterion = { ", "left-pad = { ", 1);
    assert_eq!(
        unused(&manifest, &src, &others),
        ["criterion", "md-6", "left-pad"].map(str::to_owned)
    );
}

#[test]
fn a_crate_is_used_where_a_path_begins_with_its_name() {
    for (code, used) in [
        ("use md5::Digest;", true),
        ("let x = md5::compute(a);", true),
        ("// use md5::Digest;", false),
        ("use my_md5::Digest;", false),
        ("let md5 = 1;", false),
        ("#[cfg(test)]\nmod tests {\nuse md5::Digest;\n}", false),
    ] {
        assert_eq!(uses(code, "md5", false), used, "{code}");
    }
    assert_eq!(library("md-5"), "md5");
    assert_eq!(library("plotters-backend"), "plotters_backend");
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}
