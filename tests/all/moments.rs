//! Small designs of which verdicts turn on what happens at a moment, or happened before the window.

use crate::verdicts::{mean, near, run, says, strategy, word};

#[test]
fn servers_do_not_take_turns_at_numbers_that_never_pass_a_split_point() {
    // All numbers of the run lie behind the last of the 100,000 that exist, in one region of sixteen.
    let results = run(
        "numbers",
        r#"
        time = { duration = "3s", warmup = "1s" }
        cluster = { servers = 4 }
        [field]
        id = { type = "sequence" }
        [write.w]
        rate = "30k/s"
        [existing.w]
        records = 100_000
        [table]
        presplit = { algorithm = "sampled", regions = 16 }
        [strategy.serial]
        key = "be8(id)"
        "#,
    );
    let serial = strategy(&results, "serial");
    says(
        serial,
        &[
            "Moving hotspot",
            "one of 4 servers takes 100 % of the writes",
        ],
    );
    assert!(!serial.verdict.contains("turns"), "{}", serial.verdict);
}

#[test]
fn a_sequence_that_passes_regions_in_milliseconds_is_even_whatever_existed_before() {
    // At 30,000/s a region of 200 numbers is passed in 6.7 ms, which is no hotspot; that all rows of before lie in the first region changes nothing.
    let point = |at: u64| {
        let number = 100_000 + 200 * at;
        let bytes = number.to_be_bytes().map(|byte| format!("\\x{byte:02X}"));
        format!("'{}'", bytes.concat())
    };
    let points: Vec<String> = (0..750).map(point).collect();
    let text = format!(
        "time = {{ duration = \"3s\", warmup = \"1s\" }}\ncluster = {{ servers = 4 }}\n[field]\nid = {{ type = \"sequence\" }}\n\
         [write.w]\nrate = \"30k/s\"\n[existing.w]\nrecords = 100_000\n[table]\nsplit_policy = \"disabled\"\npresplit = [{}]\n\
         [strategy.serial]\nkey = \"be8(id)\"\n",
        points.join(", ")
    );
    let results = run("passed", &text);
    assert_eq!(word(strategy(&results, "serial"), "hotspot"), "none");
}

#[test]
fn rows_that_numbers_or_times_deal_out_are_as_many_as_they_are_at_a_moment() {
    // A room with half of the writes has five rows, with a tenth of the writes each, whatever deals them out: on four servers 0.4 of the mean. Of five even buckets one server has two: 1.6.
    for bucket in ["id % 5", "bucket(5, be8(id))", "pmod(ts, 5)", "random(5)"] {
        let text = format!(
            "replicates = 2\ntime = {{ duration = \"3s\", warmup = \"1s\" }}\ncluster = {{ servers = 4 }}\n\
             [field]\nroom = {{ type = \"int\", count = 1000, distribution = {{ top = [0.5] }} }}\nts = {{ type = \"timestamp\" }}\nid = {{ type = \"sequence\" }}\n\
             [write.w]\nrate = \"20k/s\"\n[table]\nsplit_policy = \"disabled\"\n\
             [strategy.dealt]\nkey = \"be1({bucket}) || be4(room)\"\npresplit = {{ algorithm = \"buckets\" }}\n"
        );
        let results = run("dealt", &text);
        let dealt = strategy(&results, "dealt");
        near(mean(dealt, "key_floor"), 1.0, 1e-9);
        assert_eq!(
            word(dealt, "hotspot"),
            "static",
            "{bucket}: {}",
            dealt.verdict
        );
    }
    // A row of a second of its own is all that is written then.
    let text = "time = { duration = \"5s\", warmup = \"1s\" }\ncluster = { servers = 4 }\n[field]\nts = { type = \"timestamp\" }\n\
                [write.w]\nrate = \"20k/s\"\n[strategy.second]\nkey = \"be8(trunc(ts, '1s'))\"\n";
    let results = run("second", text);
    near(mean(strategy(&results, "second"), "key_floor"), 4.0, 1e-9);
}

#[test]
fn reads_that_keep_one_server_busy_all_the_time_do_not_pass_as_they_open_empty_regions() {
    // Scores below a million begin with a zero byte: one of sixteen regions of UniformSplit has all rows and writes. A scan opens the fifteen empty ones as well, but reads 300,000 rows, for 300 ms,
    // in that one.
    let results = run(
        "scores",
        r#"
        replicates = 2
        time = { duration = "3s", warmup = "1s" }
        cluster = { servers = 4 }
        [field]
        player = { type = "int", count = 50 }
        score = { type = "int", count = 1_000_000 }
        [write.w]
        rate = "10k/s"
        [existing.w]
        records = 300_000
        [read.of-player]
        equal = ["player"]
        rate = "100/s"
        [strategy.score]
        key = "be4(score) || be4(player)"
        presplit = { algorithm = "uniform", regions = 16 }
        "#,
    );
    let score = strategy(&results, "score");
    says(score, &["Presplit mismatch: ", "takes 100 % of the writes"]);
    assert!(!score.verdict.contains("passes"), "{}", score.verdict);
}

#[test]
fn what_piled_up_before_the_window_is_no_throughput_of_an_open_loop() {
    // One server does 100/s. Of 150/s in the warm-up fifty a second pile up, and are done beside the 60/s of the window: 100 of 60 a second.
    let results = run(
        "backlog",
        r#"
        replicates = 2
        time = { duration = "7s", warmup = "3s" }
        cluster = { servers = 2, handlers = 1, call_queues = 1, network = "0us", service = { distribution = "constant", put = "10ms" }, wal = { mode = "off" } }
        [field]
        id = { type = "int", count = 65_536 }
        [write.w]
        rate = "60/s"
        arrivals = "constant"
        profile = [{ at = "0s", times = 2.5 }, { at = "3s", times = 2.5 }, { at = "3s", times = 1.0 }]
        [table]
        split_policy = "disabled"
        [strategy.even]
        key = "be2(id)"
        presplit = { algorithm = "uniform", regions = 2 }
        [strategy.one]
        key = "be2(id)"
        "#,
    );
    let one = strategy(&results, "one");
    assert!(mean(one, "write_throughput_per_sec") > 70.0);
    let compared = results.comparisons.iter();
    let mut throughput = compared.filter(|it| it.metric == "write_throughput_per_sec");
    let ratio = throughput.next().expect("it is compared").ratio.mean;
    // An operation of 240 more or less at either end of the window.
    near(ratio.expect("both wrote"), 1.0, 2.0 / 240.0);
}
