//! The commands beside `run` that take scenarios or what runs have left, as their users meet them.

use crate::binary::{stderr_of, stdout_of};
use crate::folder_files::files_below;
use crate::workplace::{TINY, Workplace, assert_tells};
use std::fs;

#[test]
fn the_folder_of_a_run_stands_for_its_results() {
    let place = Workplace::new().with("tiny.toml", TINY);
    place.keyheat("run tiny.toml --no-charts").success();
    let by_file = place.keyheat("compare output/tiny/results.json output/tiny/results.json");
    let by_folder = place.keyheat("compare output/tiny output/tiny/").success();
    assert_eq!(stdout_of(&by_folder), stdout_of(&by_file.success()));
    place.keyheat("report output/tiny --images svg").success();
    let files = files_below(&place.path().join("output/tiny"));
    assert!(files.contains_key("report.html"), "{:?}", files.keys());
    let nothing = stderr_of(&place.keyheat("compare output output/tiny").code(2));
    assert!(nothing.contains("`output/results.json`"), "{nothing}");
}

#[test]
fn check_simulates_nothing_and_shows_every_default() {
    let place = Workplace::new().with("tiny.toml", TINY);
    place.keyheat("check tiny.toml").success().stdout_eq("");
    assert!(!place.path().join("output").exists());
    let shown = stdout_of(&place.keyheat("check --show tiny.toml").success());
    assert!(shown.contains("handlers = 30"), "{shown}");
    let place = place.with("shown.toml", &shown);
    assert_eq!(
        stdout_of(&place.keyheat("check --show shown.toml").success()),
        shown,
        "what is shown is the same scenario"
    );
}

#[test]
fn a_clean_file_among_many_is_one_line() {
    let place = Workplace::new()
        .with("a.toml", TINY)
        .with("b.toml", &TINY.replace("presplit = ['\\x01']", ""));
    let talk = stderr_of(&place.keyheat("check a.toml b.toml").success().stdout_eq(""));
    let lines: Vec<&str> = talk.lines().collect();
    let [a, b, all, cost] = lines[..] else {
        panic!("four lines were expected:\n{talk}");
    };
    assert_tells(cost, &["of memory: 12 runs"]);
    assert!(
        a.starts_with("a.toml: ") && b.starts_with("b.toml: "),
        "{talk}"
    );
    assert_tells(all, &["2 scenarios, 4 strategies: no errors", "--verbose"]);
    // All of it is shown for one file, or on demand.
    let one = stderr_of(&place.keyheat("check b.toml").success());
    assert_tells(&one, &["warning: ", "note: ", "b.toml:"]);
    let all = stderr_of(&place.keyheat("-v check a.toml b.toml").success());
    assert_tells(&all, &["warning: ", "note: ", "--> a.toml:", "--> b.toml:"]);
}

/// A table that is hashed, and an index of it by time.
const INDEXED: &str = r#"
[time]
duration = "1s"
[field]
user = { type = "int", count = 1_000_000 }
seen = { type = "timestamp", unit = "ms" }
[write.touch]
rate = "3k/s"
[existing.touch]
last = "1m"
[table]
split_policy = "disabled"
[strategy.rising]
key = "md5_bytes(user)"
presplit = { algorithm = "sampled", regions = 32 }
copies = ["be8(seen) || be4(user)"]
[strategy.falling]
key = "md5_bytes(user)"
presplit = { algorithm = "uniform", regions = 16 }
copies = [{ key = "be8(rev_ts(seen)) || be4(user)", presplit = { algorithm = "sampled", regions = 16 } }]
[strategy.sharded]
key = "md5_bytes(user)"
presplit = { algorithm = "uniform", regions = 16 }
copies = [{ key = "be1(bucket(16, user)) || be8(seen) || be4(user)", presplit = { algorithm = "buckets" } }]
[strategy.listed]
key = "md5_bytes(user)"
presplit = ['\x20', '\x40', '\x60', '\x80', '\xA0', '\xC0', '\xE0']
copies = ["be4(user)"]
"#;

#[test]
fn the_keys_of_copies_have_the_lints_of_a_tables_key() {
    let place = Workplace::new().with("indexed.toml", INDEXED);
    let talk = stderr_of(&place.keyheat("check indexed.toml").success());
    let leads =
        "the key leads with a time or a sequence: at any moment all writes go to one region";
    for strategy in ["rising", "falling"] {
        assert_tells(&talk, &[&format!("strategy `{strategy}`, copy 1: {leads}")]);
    }
    assert_eq!(talk.matches(leads).count(), 2, "{talk}");
    // 183,000 touches meet 1,000,000 x (1 - exp(-0.183)) = 167,200 users, and copies by time keep them all: 1.09 for each.
    let stale = "strategy `sharded`, copy 1: the copy has 1.1 rows for each row of the table";
    assert_tells(&talk, &[stale]);
    assert_eq!(talk.matches("`sharded`").count(), 1, "{talk}");
    // The caret is below the copy's own key.
    let copy = talk
        .find("copies = [\"be8(seen)")
        .expect("the line is shown");
    assert!(
        talk[copy..]
            .lines()
            .nth(1)
            .unwrap()
            .contains("grows from row to row"),
        "{talk}"
    );
    // Points that are listed are those of the table's key.
    let single = "strategy `listed`, copy 1: the table has a single region";
    assert_tells(&talk, &[single]);
}

#[test]
fn a_dash_is_standard_input() {
    let place = Workplace::new();
    let piped = |arguments: &str, text: &str| {
        crate::binary::command(place.path())
            .args(arguments.split(' '))
            .stdin(text.to_owned())
            .assert()
    };
    let run = piped("run - --no-charts", TINY).success();
    assert_tells(&stderr_of(&run), &["output/stdin/report.html"]);
    piped("check -", TINY).success();
    piped("explain -", TINY).success();
    let key = piped("key --scenario - be4(user) user=7", TINY).success();
    assert_eq!(stdout_of(&key), "\\x00\\x00\\x00\\x07\n");
    let wrong = piped("check -", &TINY.replace("be4(user)", "be4(usr)")).code(2);
    assert_tells(&stderr_of(&wrong), &["--> stdin:", "did you mean `user`?"]);
    let empty = piped("check -", "").code(2);
    assert_tells(&stderr_of(&empty), &["`stdin` is empty"]);
    let watched = piped("watch -", TINY).code(2);
    assert_tells(
        &stderr_of(&watched),
        &["standard input is never saved again"],
    );
    // A file of that name has a path.
    fs::write(place.path().join("-"), TINY).unwrap();
    place.keyheat("check ./-").success();
}

#[test]
fn check_reports_every_error_of_every_file() {
    let place = Workplace::new()
        .with("a.toml", &TINY.replace("duration", "duratoin"))
        .with("b.toml", &TINY.replace("2k/s", "2k"));
    let check = place.keyheat("check a.toml b.toml").code(2).stdout_eq("");
    let talk = stderr_of(&check);
    assert!(
        talk.contains("a.toml:") && talk.contains("b.toml:"),
        "{talk}"
    );
    let missing = place.keyheat("check missing.toml").code(2).stdout_eq("");
    assert!(
        stderr_of(&missing).contains("missing.toml"),
        "{}",
        stderr_of(&missing)
    );
}

#[test]
fn size_weighs_tables_of_any_number_of_rows_without_simulating() {
    let place = Workplace::new().with("tiny.toml", TINY);
    let table = stdout_of(&place.keyheat("size tiny.toml").success());
    assert_tells(
        &table,
        &[
            "plain",
            "salted",
            "fast-diff",
            "block index",
            "writes a flush",
            "be8(ts) 8",
        ],
    );
    let csv = stdout_of(&place.keyheat("size tiny.toml --format csv").success());
    assert!(
        csv.starts_with("strategy,measure,value\nplain,key_bytes,"),
        "{csv}"
    );
    let markdown = stdout_of(&place.keyheat("size tiny.toml --format markdown").success());
    assert!(markdown.contains("| block index | "), "{markdown}");
    let json = stdout_of(
        &place
            .keyheat("size tiny.toml --only plain --format json")
            .success(),
    );
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let table = &json["strategies"][0]["tables"][0];
    assert_eq!(json["strategies"][0]["strategy"], "plain");
    assert_eq!(table["encoded"][3]["encoding"], "fast-diff");
    assert!(table["key_bytes"]["mean"].as_f64().unwrap() >= 8.0);
}

#[test]
fn explain_shows_keys_by_segment_and_the_predicted_regions() {
    let place = Workplace::new().with("tiny.toml", TINY);
    let explained = stdout_of(&place.keyheat("explain tiny.toml").success());
    assert_tells(&explained, &["plain", "salted", "be8(ts)", "\\x01"]);
    place.keyheat("explain tiny.toml --region 1").success();
    place
        .keyheat("explain tiny.toml --region 2")
        .code(2)
        .stdout_eq("");
}

#[test]
fn explain_shows_a_qualifier_as_it_is_written() {
    let qualified = TINY.replace(
        "[strategy.plain]\n",
        "[strategy.plain]\nqualifier = \"be2(user % 7)\"\n",
    );
    let place = Workplace::new().with("tiny.toml", &qualified);
    let explained = stdout_of(&place.keyheat("explain tiny.toml").success());
    assert_tells(&explained, &["  be2(user % 7)  "]);
}

#[test]
fn a_table_that_is_only_read_has_the_keys_of_its_rows_and_no_shares_of_writes() {
    let only_read = "[field]\nsku = { type = \"int\", count = 1_000 }\n[existing.items]\neach = [\"sku\"]\n\
        [read.get]\nequal = [\"sku\"]\nrate = \"1k/s\"\n[strategy.sku]\nkey = \"be4(sku) || 'de'\"\n";
    let place = Workplace::new().with("read.toml", only_read);
    let explained = stdout_of(&place.keyheat("explain read.toml").success());
    assert!(explained.contains("keys of 6.0 bytes"), "{explained}");
    assert!(!explained.contains("share of the writes"), "{explained}");
}

#[test]
fn results_that_were_cut_off_or_are_none_stop_a_comparison() {
    let place = Workplace::new().with("tiny.toml", TINY);
    place.keyheat("run tiny.toml --no-charts").success();
    let whole = fs::read_to_string(place.path().join("output/tiny/results.json")).unwrap();
    let half = whole[..whole.len() / 2].rfind('\n').unwrap();
    let place = place
        .with("cut.json", &whole[..half])
        .with("none.json", "{}")
        .with(
            "new.json",
            &whole.replacen("\"schema_version\": 1", "\"schema_version\": 2", 1),
        );
    for (file, told) in [
        (
            "cut.json",
            "`cut.json` is not a results file of keyheat: EOF while parsing",
        ),
        (
            "none.json",
            "`none.json` is not a results file of keyheat: missing field `schema_version`",
        ),
        ("new.json", "`new.json` has schema version 2, expected 1"),
        ("gone.json", "can't read `gone.json`"),
    ] {
        let compare = format!("compare output/tiny/results.json {file}");
        let talk = stderr_of(&place.keyheat(&compare).code(2));
        assert!(talk.contains(told), "{file}: {talk}");
    }
}

#[test]
fn a_key_with_another_parameter_is_to_be_rewritten() {
    let text = TINY.replace("random(2)", "random(buckets)") + "\n[parameter]\nbuckets = 2\n";
    let place = Workplace::new().with("tiny.toml", &text);
    place.keyheat("run tiny.toml --no-charts").success();
    place
        .keyheat("run tiny.toml --no-charts --out wider --set parameter.buckets=4")
        .success();
    let compare = "compare output/tiny/results.json wider/tiny/results.json --format markdown";
    let told = stdout_of(&place.keyheat(compare).success());
    assert!(
        told.contains(
            "The key changed (\\`buckets\\` 2 → 4), and a row key can't be changed in place"
        ),
        "{told}"
    );
    assert_eq!(told.matches("The key changed").count(), 1, "{told}");
}

#[test]
fn split_points_between_made_up_values_are_said_to_be_so() {
    let advised = |field: &str, key: &str| {
        let text = TINY
            .replace("[field]", &format!("[field]\n{field}"))
            .replace("be8(ts) || be4(user)", key)
            .replace(
                "presplit = ['\\x01']",
                "presplit = { algorithm = \"sampled\", regions = 4 }",
            );
        let place = Workplace::new().with("t.toml", &text);
        let advise = "advise t.toml --own --only plain --replicates 1 --create t.rb";
        let told = stdout_of(&place.keyheat(advise).success());
        let script = fs::read_to_string(place.path().join("t.rb")).unwrap();
        let words: Vec<&str> = told.split_whitespace().collect();
        (words.join(" "), script)
    };
    let host = "host = { type = \"text\", count = 500, length = 8, alphabet = \"abcdefgh.-\" }";
    let hot = "host = { type = \"int\", count = 500, distribution = { zipf = 1.0 } }";
    for (field, key) in [
        (&host.replace('-', "-0"), "host || be8(ts)"),
        (&hot.to_owned(), "be4(host) || be8(ts)"),
        (
            &hot.to_owned(),
            "salt(2, be4(host)) || be4(host) || be8(ts)",
        ),
    ] {
        let (told, script) = advised(field, key);
        for text in [told, script] {
            assert!(
                text.contains(
                    "The split points lie between values of `host` that are made up here"
                ) && text.contains("keyheat splits sampled --from KEYS"),
                "{key}: {text}"
            );
        }
    }
    let hex =
        "host = { type = \"text\", count = 500, length = 8, alphabet = \"0123456789abcdef\" }";
    for (field, key) in [
        (hex, "host || be8(ts)"),
        (
            "host = { type = \"int\", count = 500 }",
            "be4(host) || be8(ts)",
        ),
        ("host = { type = \"digits\", width = 6 }", "host || be8(ts)"),
        (hot, "left(md5_bytes(be4(host)), 4) || be4(host) || be8(ts)"),
        (hot, "be8(ts) || be4(host)"),
    ] {
        let (told, script) = advised(field, key);
        assert!(
            !told.contains("made up") && !script.contains("made up"),
            "{key}: {told}"
        );
    }
}

#[test]
fn the_command_that_creates_the_recommended_table_is_written_where_no_file_is() {
    // The rows of an hour bring the table over its threshold hundreds of times more: the command makes the table that was asked for.
    let existing = "[existing.events]\nlast = \"1h\"\n[table]\nmax_file_size = \"2MB\"";
    let text = TINY.replace("[table]", existing).replace(
        "presplit = ['\\x01']",
        "presplit = { algorithm = \"uniform\", regions = 160 }",
    );
    let place = Workplace::new().with("tiny.toml", &text);
    let advise = "advise tiny.toml --own --replicates 1 --create tiny.rb";
    let told = stdout_of(&place.keyheat(advise).success());
    let shown = told
        .lines()
        .find(|line| line.starts_with("  create 'tiny'"));
    assert!(
        shown.is_some_and(|line| line.contains("', ..., '")),
        "{told}"
    );
    let words: Vec<&str> = told.split_whitespace().collect();
    assert!(
        words
            .join(" ")
            .contains("`keyheat advise --create FILE` writes the whole command"),
        "{told}"
    );
    let script = fs::read_to_string(place.path().join("tiny.rb")).unwrap();
    assert!(
        script.starts_with("# plain: be8(ts) || be4(user)\n"),
        "{script}"
    );
    // Between the names of table and family, and between 159 split points.
    let separators = script.lines().nth(1).unwrap().matches("', '").count();
    assert_eq!(separators, 1 + 158, "{script}");
    let talk = stderr_of(&place.keyheat(advise).code(2).stdout_eq(""));
    assert!(talk.contains("`tiny.rb` exists already"), "{talk}");
}
