//! Files that something is wrong with: each is refused or warned of as a user would expect, which `expected.json` says of each.

use super::TableLoads;
use super::observed_tests::samples;
use serde_json::Value;

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_line_and_what_it_is_about() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/malformed/expected.json"
    );
    let expected: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut wrong = Vec::new();
    // Those before are files of rows.
    let variants = expected["variants"].as_object().unwrap().iter();
    let variants = variants.filter(|(name, _)| name.as_str() > "41");
    assert_eq!(variants.clone().count(), 20);
    for (name, variant) in variants {
        let names: Vec<&str> = variant["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it.as_str().unwrap())
            .collect();
        let files = samples("malformed", names.iter().copied());
        let found = TableLoads::read(&files, None, Some(60.0));
        let (kind, said) = match &found {
            Err(error) => ("error", error.to_string()),
            Ok(found) if !found.warnings.is_empty() || !found.faults.is_empty() => (
                "warning",
                [&found.warnings[..], &found.faults].concat().join("\n"),
            ),
            Ok(_) => ("ok", String::new()),
        };
        println!("{name}: {kind}: {said}");
        let line = variant["line"].as_u64();
        let line = line.is_none_or(|line| {
            let places = names
                .iter()
                .map(|name| format!("`malformed/{name}`, line {line}:"));
            places.into_iter().any(|place| said.contains(&place))
        });
        let named = variant["message_should_name"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let named = named.iter().all(|it| said.contains(it.as_str().unwrap()));
        if !variant["expect"].as_str().unwrap().contains(kind) || !named || !line {
            wrong.push(format!("{name} expects {variant}"));
        }
        // No rate of these small clusters is beyond 1,000 requests a second, whatever happened.
        let loads = found
            .iter()
            .flat_map(|it| &it.regions)
            .filter_map(|it| it.load);
        assert!(
            loads.clone().all(|it| (0.0..60_000.0).contains(&it.all)),
            "{name}"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
