//! `--format json`: one object with a version, all of whose members the reference names; and what `check` says to editors.

use crate::binary::{command, stdout_of};
use crate::workplace::{TINY, Workplace};
use serde_json::Value;

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn every_form_has_a_version_and_its_members_stand_in_the_reference() {
    let keys: String = (0..200)
        .map(|at| format!("user{:03}\n", at * 7 % 200))
        .collect();
    let place = Workplace::new()
        .with("tiny.toml", TINY)
        .with("keys.txt", &keys);
    place.keyheat("run tiny.toml --no-charts").code(0);
    let reference = stdout_of(&place.keyheat("help json").success());
    // Members by the command that the row names, or the last one that a row above named.
    let described = |command: &str| {
        let mut of = "";
        let mut members = String::new();
        for row in reference.lines().filter(|row| row.starts_with('|')) {
            let cells: Vec<&str> = row.split(" | ").collect();
            let named = cells[0].trim_matches(['|', ' ', '`']);
            of = if named.is_empty() { of } else { named };
            if of == command {
                members += cells[1];
            }
        }
        members
    };
    for (name, asked) in [
        ("results.json", "run tiny.toml --force --no-charts"),
        ("check", "check tiny.toml"),
        ("explain", "explain tiny.toml --region 1"),
        ("presets", "presets"),
        ("size", "size tiny.toml"),
        ("splits", "splits sampled --from keys.txt --regions 4"),
        ("inspect", "inspect keys.txt"),
        ("advise", "advise tiny.toml --own"),
        ("compare", "compare output/tiny output/tiny"),
    ] {
        let printed = stdout_of(&place.keyheat(&format!("{asked} --format json")).success());
        let found = parsed(&printed);
        assert_eq!(found["schema_version"], 1, "{name}");
        let described = described(name);
        for member in found.as_object().unwrap().keys() {
            let is_told = member == "schema_version" || described.contains(&format!("`{member}`"));
            assert!(
                is_told,
                "`keyheat help json` does not tell of `{member}` of {name}"
            );
        }
    }
}

#[test]
fn a_check_for_editors_has_lines_and_columns_and_the_exit_code_of_any_check() {
    let mistaken = TINY.replace("servers = 2", "serverss = 2");
    let place = Workplace::new()
        .with("good.toml", TINY)
        .with("bad.toml", &mistaken);
    let found = parsed(&stdout_of(
        &place
            .keyheat("check good.toml bad.toml --format json")
            .code(2),
    ));
    assert_eq!(
        (&found["is_usable"], &found["forecast"]),
        (&false.into(), &Value::Null)
    );
    assert_eq!(
        found["scenarios"][0]["strategies"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let line = 1 + mistaken
        .lines()
        .position(|it| it == "serverss = 2")
        .unwrap();
    let diagnostic = &found["scenarios"][1]["diagnostics"][0];
    assert_eq!(
        (&diagnostic["line"], &diagnostic["column"]),
        (&line.into(), &1.into())
    );
    assert_eq!(diagnostic["severity"], "error");
    assert!(
        diagnostic["help"].as_str().unwrap().contains("`servers`"),
        "{diagnostic}"
    );
    let piped = command(place.path())
        .args(["check", "-", "--format", "json"])
        .stdin(TINY);
    let found = parsed(&stdout_of(&piped.assert().success()));
    assert_eq!(found["scenarios"][0]["file"], "stdin");
    // Two strategies, two replicates each, and a saturating run of each.
    assert_eq!(found["forecast"]["runs"], 6);
    assert!(found["forecast"]["memory_bytes"].as_f64().unwrap() > 1e6);
}

#[test]
fn an_explanation_for_programs_says_of_all_regions_what_the_text_says() {
    let place = Workplace::new().with("tiny.toml", TINY);
    let found = parsed(&stdout_of(
        &place.keyheat("explain tiny.toml --format json").success(),
    ));
    let plain = &found["strategies"][0];
    let regions = plain["regions"].as_array().unwrap();
    let shares: f64 = regions
        .iter()
        .map(|it| it["write_share"].as_f64().unwrap())
        .sum();
    assert_eq!((regions.len(), &regions[1]["start_hex"]), (2, &"01".into()));
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
    let sample = &plain["samples"][0];
    let hex = sample["key_hex"].as_str().unwrap();
    let end = sample["segments"].as_array().unwrap().last().unwrap()["bytes"]["end"].as_u64();
    assert_eq!(end, Some(hex.len() as u64 / 2));
}
