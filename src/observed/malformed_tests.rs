//! Files that something is wrong with: each is refused or warned of as a user would expect, which `expected.json` says of each.

use super::TableLoads;
use super::observed_tests::samples;
use serde_json::Value;

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_line_and_what_it_is_about() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/malformed/expected.json"
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

/// The regions of the second of two snapshots of HBase, a minute apart.
fn read_pair(name: &str) -> TableLoads {
    let names = [0, 1].map(|at| format!("{name}.{at}.txt"));
    let files = samples("malformed", names.iter().map(String::as_str));
    TableLoads::read(&files, None, Some(60.0)).unwrap()
}

#[test]
fn what_is_still_known_of_a_table_in_motion_is_exact() {
    // First keys of the regions that are no more than lower bounds, or without a load; the others grew by what both files say.
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("43-list-regions-gap", &[], &[]),
        ("48-list-regions-in-transition", &[], &["j"]),
        ("49-unknown-server", &["n"], &[]),
        ("50-region-moved", &["h"], &[]),
        ("51-server-restarted", &["j", "n", "r", "t"], &[]),
        ("52-region-split", &["l", "m"], &[]),
        ("53-regions-merged", &["d|5"], &[]),
    ];
    let one = |name: &str, at: usize| {
        let files = samples("malformed", [&format!("{name}.{at}.txt")[..]]);
        let regions = super::region_list::read(&files[0]).unwrap().1.into_iter();
        let loads = regions.filter(|it| it.table == "orders");
        loads
            .map(|it| (it.id, it.load))
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    for (name, bounds, unknown) in cases {
        let (found, before, after) = (read_pair(name), one(name, 0), one(name, 1));
        assert_eq!(found.regions.len(), after.len(), "{name}");
        let starts = |is: fn(&super::Region) -> bool| {
            let regions = found.regions.iter().filter(|it| is(it));
            regions
                .map(|it| it.start.as_ref().unwrap().to_string())
                .collect::<Vec<String>>()
        };
        assert_eq!(starts(|it| it.at_least), *bounds, "{name}");
        assert_eq!(starts(|it| it.load.is_none()), *unknown, "{name}");
        for region in found
            .regions
            .iter()
            .filter(|it| !it.at_least && it.load.is_some())
        {
            let grown = after[&region.id].unwrap().all - before[&region.id].unwrap().all;
            assert_eq!(region.load.unwrap().all, grown, "{name} {region:?}");
        }
    }
    // Of a region whose counter went on although it is said to have moved, that is its load, on a fourth server.
    let moved = read_pair("49-unknown-server");
    let (before, after) = (one("49-unknown-server", 0), one("49-unknown-server", 1));
    let region = moved.regions.iter().find(|it| it.at_least).unwrap();
    let grown = after[&region.id].unwrap().all - before[&region.id].unwrap().all;
    assert_eq!(region.load.unwrap().all, grown);
    let servers = moved.regions.iter().map(|it| it.server.as_deref().unwrap());
    assert_eq!(servers.collect::<std::collections::BTreeSet<_>>().len(), 4);
}
