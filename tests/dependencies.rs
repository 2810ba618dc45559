//! Every crate that the binary is built from may be given away with it, and compiles with the Rust version that `Cargo.toml` states.

use serde_json::Value;
use std::process::Command;

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
