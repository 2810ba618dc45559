//! `keyheat export`: the operations that it writes are those of a run.

use crate::binary::{stderr_of, stdout_of};
use crate::workplace::Workplace;
use keyheat::experiment::{Experiment, Metric};
use keyheat::scenario::Scenario;
use serde_json::Value;
use std::collections::BTreeMap;

/// Two open loops, a read and some rows that exist, in one replicate without a warm-up.
const SCENARIO: &str = r#"
replicates = 1
[time]
duration = "2s"
warmup = "0s"
sample = "500ms"
[field]
sensor = { type = "int", count = 40, distribution = { zipf = 1.1 } }
ts = { type = "timestamp", unit = "ms" }
[write.points]
rate = "300/s"
[write.more]
rate = "50/s"
[existing.points]
records = 500
last = "1h"
[read.newest]
equal = ["sensor"]
newest = { field = "ts", rows = 3 }
rate = "20/s"
[table]
presplit = { algorithm = "uniform", regions = 8 }
split_policy = "disabled"
[strategy.hashed]
key = "md5_bytes(sensor) || be8(ts)"
[strategy.copied]
key = "be4(sensor) || be8(ts)"
copies = ["be8(ts) || be4(sensor)"]
value = "7B"
override.write.more.rate = "60/s"
"#;

fn lines(place: &Workplace, options: &str) -> Vec<Value> {
    let exported = place.keyheat(&format!("export s.toml --strategy {options}"));
    let lines = stdout_of(&exported.success());
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

#[test]
fn the_exported_operations_are_those_that_a_run_offers() {
    let place = Workplace::new().with("s.toml", SCENARIO);
    let exported = lines(&place, "hashed");
    let (head, operations) = exported.split_first().expect("a head");
    let points: Vec<&str> = head["tables"][0]["splits_hex"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_str().unwrap())
        .collect();
    let mut regions: BTreeMap<usize, u64> = BTreeMap::new();
    let (mut writes, mut reads, mut last) = (0, 0, 0.0);
    for operation in operations {
        let at = operation["at_s"].as_f64().unwrap();
        assert!((last..2.0).contains(&at), "{operation}");
        last = at;
        if let Some(key) = operation["key"].as_str() {
            writes += 1;
            // Hex digits sort as the bytes do.
            *regions
                .entry(points.partition_point(|point| *point <= key))
                .or_default() += 1;
        } else {
            assert_eq!(
                operation["scans"].as_array().unwrap().len(),
                1,
                "{operation}"
            );
            reads += 1;
        }
    }
    let scenario = Scenario::parse(SCENARIO, "s").unwrap_or_else(|error| panic!("{error}"));
    let results = Experiment::new(&scenario).run(|_| {});
    let result = &results.strategies[0];
    assert_eq!(result.counts.offered, writes);
    assert_eq!(result.reads[0].counts.offered, reads);
    let Metric::Number(share) = &result.metrics["region_max_share_overall"] else {
        panic!("a number");
    };
    let most = *regions.values().max().unwrap() as f64;
    assert!((share.mean.unwrap() - most / writes as f64).abs() < 1e-9);
}

#[test]
fn gets_of_rows_that_are_written_by_chance_ask_for_rows_that_are_there() {
    // 300 + 50 writes a second at instants of Poisson's law, and Gets by all that their keys are made of.
    let scenario = SCENARIO.replace(
        "equal = [\"sensor\"]\nnewest = { field = \"ts\", rows = 3 }",
        "equal = [\"sensor\", \"ts\"]",
    );
    let place = Workplace::new().with("s.toml", &scenario);
    let exported = lines(&place, "hashed --existing 500");
    let (mut there, mut gets) = (std::collections::BTreeSet::new(), 0);
    for line in &exported[1..] {
        if let Some(key) = line["key"].as_str() {
            there.insert(key);
        }
        for key in line["gets"].as_array().into_iter().flatten() {
            assert!(there.contains(key.as_str().unwrap()), "{line}");
            gets += 1;
        }
    }
    assert!(gets > 20, "{gets}");
}

#[test]
fn the_first_line_has_the_strategys_own_settings() {
    let place = Workplace::new().with("s.toml", SCENARIO);
    let exported = lines(&place, "copied --operations 5 --existing 3");
    let settings = &exported[0]["settings"];
    assert_eq!(settings["table"]["value"], "7B");
    assert_eq!(settings["write"]["more"]["rate"], "60/s");
    assert_eq!(settings["cluster"]["handlers"], 30);
    assert!(settings.get("strategy").is_none());
    assert_eq!(exported[0]["tables"].as_array().unwrap().len(), 2);
    let existing = exported
        .iter()
        .filter(|line| line.get("written_ms").is_some());
    assert_eq!(existing.count(), 3);
    assert_eq!(exported.len(), 1 + 3 + 5);
    let rows = exported.iter().filter(|line| line.get("key").is_some());
    assert!(
        rows.clone()
            .all(|row| row["copies"].as_array().unwrap().len() == 1)
    );
}

#[test]
fn rows_of_csv_are_what_is_put_got_and_scanned() {
    let place = Workplace::new().with("s.toml", SCENARIO);
    let csv = "export s.toml --strategy copied --to csv --operations 50 --existing 2";
    let text = stdout_of(&place.keyheat(csv).success());
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("at_s,operation,name,client,table,key,stop,bytes")
    );
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert!(rows.iter().all(|row| row.len() == 8), "{text}");
    // A row of the table and one of its copy each.
    assert_eq!(rows.iter().filter(|row| row[1] == "existing").count(), 4);
    assert!(
        rows.iter()
            .any(|row| row[1] == "put" && row[2] == "more" && row[4] == "1")
    );
}

#[test]
fn clients_of_a_closed_loop_take_turns() {
    let text = SCENARIO
        .replace("rate = \"50/s\"", "clients = 3")
        .replace("override", "# override");
    let place = Workplace::new().with("s.toml", &text);
    let exported = lines(&place, "hashed --operations 400");
    let closed = exported.iter().filter(|line| line["write"] == "more");
    let clients: Vec<u64> = closed
        .map(|line| line["client"].as_u64().unwrap())
        .collect();
    assert!(clients.len() > 9);
    assert!((0..clients.len()).all(|at| clients[at] == at as u64 % 3));
}

#[test]
fn which_strategy_has_to_be_said() {
    let place = Workplace::new().with("s.toml", SCENARIO);
    let said = stderr_of(&place.keyheat("export s.toml").code(2));
    assert!(
        said.contains("which strategy?") && said.contains("hashed, copied"),
        "{said}"
    );
    let said = stderr_of(&place.keyheat("export s.toml --strategy hashes").code(2));
    assert!(said.contains("did you mean `hashed`?"), "{said}");
}

/// The lines behind the program of the script, and the settings in the last.
fn script(place: &Workplace, options: &str) -> (Vec<String>, Value) {
    let exported = place.keyheat(&format!(
        "export s.toml --to hbase-shell --strategy {options}"
    ));
    let text = stdout_of(&exported.success());
    let (program, data) = text
        .split_once("\n__END__\n")
        .expect("data behind the program");
    assert!(program.starts_with("# keyheat replay"), "{program}");
    let mut lines: Vec<String> = data.lines().map(str::to_owned).collect();
    let settings = serde_json::from_str(&lines.pop().expect("settings")).expect("JSON");
    (lines, settings)
}

#[test]
fn the_shell_gets_the_same_operations_and_all_that_it_has_to_know() {
    let place = Workplace::new().with("s.toml", SCENARIO);
    let (lines, settings) = script(&place, "copied --existing 3");
    let same = lines_of_keys(&self::lines(&place, "copied --existing 3"));
    assert_eq!(lines, same);
    assert_eq!(settings["tables"][0]["name"], "keyheat_s_copied");
    assert_eq!(settings["tables"][1]["name"], "keyheat_s_copied_copy1");
    assert_eq!(
        settings["tables"][0]["splits_hex"]
            .as_array()
            .unwrap()
            .len(),
        7
    );
    assert_eq!(settings["families"][0]["name"], "d");
    assert_eq!(settings["writes"][1]["family"], "d");
    let cells = serde_json::json!([{ "qualifier_hex": "76", "bytes": 7 }]);
    assert_eq!(settings["writes"][1]["cells"], cells);
    assert_eq!(
        (&settings["warmup_s"], &settings["duration_s"]),
        (&0.0.into(), &2.0.into())
    );
    assert_eq!(settings["reads"][0]["limit"], 3);
    assert_eq!(settings["writes"][0]["kind"], "put");
    let policy = settings["attributes"]["SPLIT_POLICY"].as_str().unwrap();
    assert!(policy.ends_with(".DisabledRegionSplitPolicy"), "{policy}");
}

/// What `--to jsonl` says, as the script has it.
fn lines_of_keys(exported: &[Value]) -> Vec<String> {
    let keys = |line: &Value| {
        let copies = line["copies"].as_array().into_iter().flatten();
        let keys = std::iter::once(&line["key"]).chain(copies);
        let keys: Vec<&str> = keys.map(|key| key.as_str().unwrap()).collect();
        keys.join(" ")
    };
    let line = |line: &Value| match (&line["at_s"], &line["write"]) {
        (Value::Null, _) => format!("e 0 {}", keys(line)),
        (at, Value::String(write)) => {
            let number = ["points", "more"]
                .iter()
                .position(|it| it == write)
                .unwrap();
            format!("w {number} {at} {}", keys(line))
        }
        (at, _) => {
            let scan = &line["scans"][0];
            let direction = if scan["reversed"] == true { '-' } else { '+' };
            let [start, stop] = ["start", "stop"].map(|end| scan[end].as_str().unwrap());
            format!("r 0 {at} {} {start}:{stop}:{direction}", line["table"])
        }
    };
    exported[1..].iter().map(line).collect()
}

/// Families and cells of their own: a value that follows the record, several cells a write, and a delete.
const CELLS: &str = r#"
replicates = 1
[time]
duration = "2s"
warmup = "0s"
sample = "500ms"
[field]
n = { type = "sequence", first = 7 }
[family.m]
value = { expr = "be4(n)" }
versions = 3
ttl = "1d"
[family.e]
value = "10B"
block_encoding = "fast-diff"
[write.points]
rate = "100/s"
[write.events]
rate = "100/s"
family = "e"
[write.gone]
rate = "10/s"
kind = "delete"
[existing.points]
records = 5
last = "1h"
[strategy.named]
key = "be8(n)"
override.write.points.cells = { temp = "4B", echo = { expr = "be4(n)" } }
[strategy.qualified]
key = "be4(n / 10)"
qualifier = "be2(n % 10)"
"#;

#[test]
fn the_shell_writes_the_cells_of_the_scenario() {
    let place = Workplace::new().with("s.toml", CELLS);
    let (lines, settings) = script(&place, "named --existing 5");
    let attributes = &settings["families"][0]["attributes"];
    assert_eq!(
        (&attributes["VERSIONS"], &attributes["TTL"]),
        (&"3".into(), &"86400".into())
    );
    assert_eq!(
        settings["families"][1]["attributes"]["DATA_BLOCK_ENCODING"],
        "FAST_DIFF"
    );
    let cell =
        |name: &str, bytes: Value| serde_json::json!({ "qualifier_hex": name, "bytes": bytes });
    assert_eq!(
        settings["writes"][0]["cells"],
        serde_json::json!([cell("74656d70", 4.into()), cell("6563686f", Value::Null)])
    );
    assert_eq!(settings["writes"][1]["family"], "e");
    assert_eq!(settings["writes"][1]["cells"][0]["bytes"], 10);
    assert_eq!(settings["writes"][2]["kind"], "delete");
    assert_eq!(settings["writes"][2]["cells"][0]["qualifier_hex"], "");
    let mut counts = [0; 3];
    for line in &lines {
        let words: Vec<&str> = line.split(' ').collect();
        let (write, rest) = match words[0] {
            "e" => (words[1], &words[2..]),
            _ => (words[1], &words[3..]),
        };
        let write: usize = write.parse().unwrap();
        counts[write] += 1;
        // The value is the end of its key; other writes have nothing of their own.
        let own = match write {
            0 => vec![format!("={}", &rest[0][8..])],
            _ => Vec::new(),
        };
        assert_eq!(rest[1..], own, "{line}");
    }
    assert!(counts.iter().all(|count| *count > 5), "{counts:?}");
}

#[test]
fn the_shell_gets_the_qualifier_of_each_operation() {
    let place = Workplace::new().with("s.toml", CELLS);
    let (lines, settings) = script(&place, "qualified --existing 5");
    let open = serde_json::json!([{ "qualifier_hex": null, "bytes": null }]);
    assert_eq!(settings["writes"][0]["cells"], open);
    for line in lines.iter().filter(|line| line.starts_with("w 0")) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |hex: &str| u64::from_str_radix(hex, 16).unwrap();
        let (tens, ones, n) = (
            number(words[3]),
            number(&words[4][1..]),
            number(&words[5][1..]),
        );
        assert_eq!(10 * tens + ones, n, "{line}");
    }
    // Events have a value of ten bytes, deletes none: a qualifier each.
    let rest = lines
        .iter()
        .filter(|line| line.starts_with("w 1") || line.starts_with("w 2"));
    assert!(rest.clone().count() > 10);
    assert!(rest.into_iter().all(|line| line.split(' ').count() == 5));
}

#[test]
fn a_replay_ends_with_its_operations_or_after_its_limit() {
    let place = Workplace::new().with("s.toml", SCENARIO);
    // The settings alone, which the harness for HBase asks for.
    assert_eq!(lines(&place, "hashed --operations 0").len(), 1);
    let (lines, settings) = script(&place, "hashed --operations 100");
    let last: f64 = lines[99].split(' ').nth(2).unwrap().parse().unwrap();
    assert_eq!((lines.len(), &settings["duration_s"]), (100, &last.into()));
    let (lines, settings) = script(&place, "hashed --limit 500ms --table mine");
    assert_eq!(settings["duration_s"], 0.5);
    assert_eq!(settings["tables"][0]["name"], "mine");
    // 370 operations a second for half a second: 185 with a standard deviation of 14.
    assert!((115..255).contains(&lines.len()), "{}", lines.len());
    let said = place.keyheat("export s.toml --to hbase-shell --strategy hashed --table a|b");
    let said = stderr_of(&said.code(2));
    assert!(said.contains("`a|b` is no name of a table"), "{said}");
    let none = "export s.toml --strategy hashed --operations 0";
    let said = stderr_of(&place.keyheat(&format!("{none} --to hbase-shell")).code(2));
    assert!(
        said.contains("`--operations 0` leaves nothing to replay"),
        "{said}"
    );
}

#[test]
fn sql_creates_the_tables_and_has_the_times_as_comments() {
    let place = Workplace::new().with("s.toml", SCENARIO);
    let sql = |more: &str| {
        let command =
            format!("export s.toml --to sql --strategy copied --operations 60 --existing 1 {more}");
        stdout_of(&place.keyheat(&command).success())
    };
    let text = sql("");
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("CREATE TABLE \"keyheat_s_copied\" (key BYTEA PRIMARY KEY, value BYTEA NOT NULL);")
    );
    assert!(
        lines
            .next()
            .unwrap()
            .starts_with("-- ALTER TABLE \"keyheat_s_copied\" SPLIT AT VALUES ('\\x2"),
        "{text}"
    );
    assert!(
        text.contains("ON CONFLICT (key) DO UPDATE SET value = excluded.value; -- exists\n"),
        "{text}"
    );
    assert!(text.contains("repeat('x', 7)::BYTEA"), "{text}");
    let statements = text
        .lines()
        .filter(|line| line.starts_with("INSERT"))
        .count();
    let exported = self::lines(&place, "copied --operations 60");
    let writes = exported
        .iter()
        .filter(|line| line.get("write").is_some())
        .count();
    // A row of the table and one of the copy each, that which exists, too.
    assert_eq!(statements, 2 * (writes + 1), "{text}");
    let last = text.lines().last().unwrap();
    assert!(
        last.contains("excluded.value; -- at 0.") && last.ends_with(" s"),
        "{last}"
    );
    assert!(sql("--dialect cockroach").contains("\nALTER TABLE \"keyheat_s_copied\" SPLIT AT"));
}

#[test]
fn each_write_is_told_by_its_kind_and_its_own_cells() {
    let scenario = "[time]\nduration = \"2s\"\n[field]\nid = { type = \"int\", count = 1_000 }\n[family.a]\nvalue = \"20B\"\n[family.data]\nvalue = \"1000B\"\n\
                    [write.big]\nrate = \"20/s\"\nfamily = \"data\"\n[write.small]\nrate = \"20/s\"\nfamily = \"a\"\ncells = { v = \"8B\" }\n\
                    [write.count]\nrate = \"20/s\"\nkind = \"increment\"\nfamily = \"a\"\n[write.gone]\nrate = \"20/s\"\nkind = \"delete\"\nfamily = \"a\"\n\
                    [strategy.id]\nkey = \"be4(id)\"\n";
    let place = Workplace::new().with("s.toml", scenario);
    let exported =
        |options: &str| stdout_of(&place.keyheat(&format!("export s.toml {options}")).success());
    // 20 bytes, a key of 4, the family's name, the qualifier of one byte (a delete marks the whole family), and the value.
    let expected = [
        ("big", "put", 20 + 4 + 4 + 1 + 1_000),
        ("small", "put", 20 + 4 + 1 + 1 + 8),
        ("count", "increment", 20 + 4 + 1 + 1 + 8),
        ("gone", "delete", 20 + 4 + 1),
    ];
    let csv = exported("--strategy id --to csv");
    let json = exported("--strategy id");
    for (name, kind, bytes) in expected {
        let mut rows = csv
            .lines()
            .filter(|line| line.contains(&format!(",{name},")));
        let row: Vec<&str> = rows.next().expect("it writes").split(',').collect();
        assert_eq!(
            (row[1], row[7]),
            (kind, bytes.to_string().as_str()),
            "{name}"
        );
        let mut lines = json
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let line = lines.find(|line| line["write"] == name).expect("it writes");
        assert_eq!(line["bytes"], bytes);
        assert_eq!(line["kind"].as_str().unwrap_or("put"), kind);
    }
    let sql = exported("--strategy id --to sql");
    assert!(sql.contains("repeat('x', 1000)") && sql.contains("repeat('x', 8)"));
    assert!(
        sql.contains("DELETE FROM \"keyheat_s_id\" WHERE key = '\\x0000"),
        "{sql}"
    );
    // A qualifier of one byte and a value of 20 behind a key of two.
    let cells = "[field]\nid = { type = \"int\", count = 1_000 }\n[family.a]\nvalue = \"20B\"\n[write.w]\nrate = \"20/s\"\n\
                 [strategy.cells]\nkey = \"be2(id / 8)\"\nqualifier = \"be1(id % 8)\"\n";
    let place = Workplace::new().with("s.toml", cells);
    let csv = stdout_of(&place.keyheat("export s.toml --to csv").success());
    let row = csv.lines().nth(1).expect("it writes");
    assert!(row.ends_with(&format!(",{}", 20 + 2 + 1 + 1 + 20)), "{row}");
    let refused = stderr_of(&place.keyheat("export s.toml --to sql").code(2));
    assert!(refused.contains("a row of SQL has one value"), "{refused}");
}
