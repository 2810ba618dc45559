//! `keyheat calibrate`: what it says of a measurement, and of what is none of this scenario.

use crate::binary::{stderr_of, stdout_of};
use crate::workplace::{TINY, Workplace, assert_tells};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn sha256() -> String {
    let digest = Sha256::digest(TINY.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A replay of the salted key: 3.5 ms of a put, evenly spread.
fn replay() -> Value {
    // Quantiles of 2.2 ms and an exponential time of 3.5 ms; the scenario's network takes 0.5 ms, so that 1.7 ms are the log's.
    let at = |q: f64| 2.2 - 3.5 * (1.0 - q).ln();
    let times = json!({
        "mean": 5.7, "p10": at(0.1), "p25": at(0.25), "p50": at(0.5), "p75": at(0.75), "p90": at(0.9), "p99": at(0.99), "p999": at(0.999), "max": 40.0,
    });
    let none = json!({ "offered": 0, "failed": 0, "unfinished": 0, "throughput_per_sec": 0.0, "response_ms": null });
    json!({
        "schema_version": 1, "tool": "keyheat 0.1.0", "scenario": { "name": "s", "sha256": sha256(), "overrides": [] }, "strategy": "salted",
        "hbase": "2.6.1", "table": "keyheat_s_salted", "table_created": true, "servers": 2, "from_s": 0.2, "to_s": 1.0,
        "operations": { "asked": 2000, "sent": 2000 }, "cut_short": null, "late_ms": { "mean": 0.1, "p10": 0.0, "p25": 0.0, "p50": 0.1, "p75": 0.1, "p90": 0.2, "p99": 0.3 },
        "writes": { "offered": 1600, "failed": 0, "unfinished": 0, "throughput_per_sec": 1990.0, "response_ms": times }, "reads": none,
        "regions": [
            { "start_hex": "", "server": "rs1,16020,1", "reads": 0, "writes": 803, "moved": false },
            { "start_hex": "01", "server": "rs2,16020,1", "reads": 0, "writes": 797, "moved": false },
        ],
    })
}

fn place(replay: &Value) -> Workplace {
    // `s` because the file's text is part of the measurement, and JSON sorts names: the version stands where it stands.
    let text = replay.to_string();
    Workplace::new().with("s.toml", TINY).with("m.txt", &text)
}

#[test]
fn a_measurement_stands_beside_its_prediction_and_gives_settings() {
    let place = place(&replay());
    let said = stdout_of(
        &place
            .keyheat("calibrate s.toml --measured m.txt --out service.toml")
            .success(),
    );
    assert_tells(
        &said,
        &[
            "`salted` of `s`, predicted and measured",
            "write_response_ms.p50",
            "rs1,16020,1",
            "[cluster.service]",
            "put = \"3.",
        ],
    );
    let settings = std::fs::read_to_string(place.path().join("service.toml")).unwrap();
    let put: f64 = settings
        .split("put = \"")
        .nth(1)
        .unwrap()
        .split("ms")
        .next()
        .unwrap()
        .parse()
        .unwrap();
    // The quantiles are exact, those of 16 runs of 1,600 operations vary by 1.14 / sqrt(16 x 1,600) = 0.7 %; and so do three of these.
    assert!((put / 3.5 - 1.0).abs() < 0.03, "{settings}");
    let again = stderr_of(
        &place
            .keyheat("calibrate s.toml --measured m.txt --out service.toml")
            .code(2),
    );
    assert_tells(&again, &["`service.toml` exists already"]);
    let json = stdout_of(
        &place
            .keyheat("calibrate s.toml --measured m.txt --format json")
            .success(),
    );
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["times"][0]["path"], "cluster.service.put");
    assert_eq!(json["quantities"][0]["measured"], 1990.0);
}

#[test]
fn what_is_measured_of_something_else_is_refused_with_the_next_step() {
    let refused = |change: &dyn Fn(&mut Value), options: &str| {
        let mut replay = replay();
        change(&mut replay);
        let place = place(&replay);
        let command = format!("calibrate s.toml --measured m.txt {options}");
        stderr_of(&place.keyheat(&command).code(2))
    };
    let golden = [
        refused(
            &|it| it["scenario"] = json!({ "name": "other", "sha256": "00", "overrides": [] }),
            "",
        ),
        refused(&|it| it["scenario"]["sha256"] = "00".into(), ""),
        refused(&|_| (), "--strategy plain"),
        refused(
            &|it| {
                it["scenario"]["overrides"] =
                    json!(["write.events.rate=1k/s", "cluster.handlers=3"])
            },
            "",
        ),
        refused(&|it| it["servers"] = 5.into(), ""),
        refused(&|it| it["writes"]["response_ms"]["p10"] = (-3.5).into(), ""),
        refused(
            &|it| {
                it["cut_short"] = "interrupted".into();
                it["operations"]["sent"] = 12.into();
                it["writes"]["response_ms"] = Value::Null
            },
            "",
        ),
        refused(&|it| _ = it.as_object_mut().unwrap().remove("writes"), ""),
        stderr_of(
            &place(&replay())
                .keyheat("calibrate s.toml --measured nowhere.txt")
                .code(2),
        ),
    ];
    snapbox::assert_data_eq!(golden.concat(), snapbox::file!["calibrate.stderr"].raw());
}

#[test]
fn a_run_cut_short_is_compared_as_far_as_it_came_and_said_to_be() {
    let mut replay = replay();
    replay["cut_short"] = "interrupted".into();
    replay["operations"]["sent"] = 1800.into();
    let said = stdout_of(
        &place(&replay)
            .keyheat("calibrate s.toml --measured m.txt")
            .success(),
    );
    assert_tells(
        &said,
        &["The replay was cut short (interrupted): 1800 of 2000 operations were sent"],
    );
}

#[test]
fn reads_and_servers_that_the_scenario_does_not_have_are_told_and_writes_compared_with_writes() {
    // In a minute 100 writes a second to either region of the salted key, and 50 reads to one of them, all on one server.
    let list = |reads: u32, writes: u32| {
        format!(
            "start_key,end_key,server,reads,writes\n,\\x01,rs1,{reads},{writes}\n\\x01,,rs1,0,{writes}\n"
        )
    };
    let place = Workplace::new()
        .with("s.toml", TINY)
        .with("a.csv", &list(7, 9))
        .with("b.csv", &list(3_007, 6_009));
    let said = stdout_of(
        &place
            .keyheat("calibrate s.toml --strategy salted --measured a.csv b.csv --over 60s")
            .success(),
    );
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_tells(
        &said,
        &[
            "writes_per_sec",
            "\\x01 rs1 50 % 50 %",
            "The cluster has 50.0 reads a second, and the scenario none",
            "The regions lie on 1 server, and 2 are simulated",
            "Shares are of the writes;",
        ],
    );
}
