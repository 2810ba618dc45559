//! What logs let a key take where rows are of unlike sizes, and what an import beside other writes counts for: by arithmetic on the bytes of rows.

use crate::verdicts::{mean, near, run, strategy, word};

/// Two writes of cells of so many bytes, by their rates, into a table with these settings and keys.
fn two_sizes(cluster: &str, writes: [(&str, &str); 2], rest: &str) -> String {
    let [(small, first), (big, second)] = writes;
    format!(
        "replicates = 2\n[time]\nduration = \"6s\"\nwarmup = \"1s\"\n[cluster]\nservers = 4\n{cluster}\
         [field]\nuser = {{ type = \"int\", count = 256 }}\nhot = {{ type = \"int\", count = 256, distribution = {{ top = [0.4] }} }}\n\
         ts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
         [write.small]\nrate = \"{first}\"\ncells = {{ v = \"{small}\" }}\n[write.big]\nrate = \"{second}\"\ncells = {{ v = \"{big}\" }}\n\
         [table]\nsplit_policy = \"disabled\"\n{rest}"
    )
}

#[test]
fn a_moving_hotspot_fills_one_log_at_a_time() {
    let rest = "presplit = { algorithm = \"sampled\", regions = 4 }\n\
                [strategy.time]\nkey = \"be8(ts) || be4(user)\"\n[strategy.user]\nkey = \"be4(user) || be8(ts)\"\n";
    let text = two_sizes("", [("100B", "300/s"), ("20KB", "100/s")], rest);
    let results = run("moving", &text);
    let [time, user] = ["time", "user"].map(|name| strategy(&results, name));
    assert_eq!(word(time, "hotspot"), "moving");
    // 10 MiB/s of (3 x 100 + 20,480) / 4 bytes and some 30 of each row's key and structure, on one server and on four. A server has 125 documents, a root of them more or less (9 %), and the
    // greatest of four is 1.03 of that above the mean, with a standard deviation of 0.7 of it: 9 and 6 %, the mean of two replicates 4.5 %; three times that.
    let of_a_log = 10_485_760.0 / (5_195.0 + 32.0);
    let usable = |of| mean(of, "usable_capacity_per_sec") / of_a_log;
    near(usable(time), 1.0 / 1.09, 0.13);
    near(usable(user), 4.0 / 1.09, 4.0 * 0.13);
}

#[test]
fn what_neighbours_write_does_not_grow_with_the_table_s_own_rate() {
    let cluster = "[neighbour.nb]\nregions = 8\nwrite_rate = \"8k/s\"\n";
    let rest = "presplit = { algorithm = \"uniform\", regions = 4 }\n[strategy.user]\nkey = \"be1(user) || be8(ts)\"\n";
    // Handlers of 20,000 rows a second have a tenth of their time for neighbours; logs have 10 MiB/s less 2,000 rows of 131 bytes for rows of 612.
    let usable = ["500/s", "8k/s"].map(|rate| {
        let text = two_sizes(cluster, [("100B", rate), ("1KB", rate)], rest);
        mean(
            strategy(&run("beside", &text), "user"),
            "usable_capacity_per_sec",
        )
    });
    let of_logs = 4.0 * (10_485_760.0 - 2_000.0 * 131.0) / 612.0;
    // The fullest log has some percent more than the mean at the lower rate.
    for usable in usable {
        near(usable / of_logs, 1.0, 0.1);
    }
}

#[test]
fn what_others_complete_beside_a_full_log_is_no_capacity() {
    let rest = "presplit = { algorithm = \"uniform\", regions = 4 }\n[strategy.hot]\nkey = \"be1(hot) || be8(ts)\"\n";
    // The hot server has 0.4 + 0.6 / 4 of the rows, each of 4.12 KB in the mean and some bytes more.
    let of_hot = 10_485_760.0 / 4_130.0 / 0.55;
    for (first, second) in [("500/s", "1500/s"), ("4k/s", "12k/s")] {
        let text = two_sizes("", [("1KB", first), ("5KB", second)], rest);
        let results = run("overload", &text);
        let hot = strategy(&results, "hot");
        assert_eq!(word(hot, "hotspot"), "static");
        near(mean(hot, "usable_capacity_per_sec") / of_hot, 1.0, 0.05);
    }
}

#[test]
fn an_import_that_is_done_counts_with_the_rate_at_which_it_was_done() {
    let text = "replicates = 1\n[time]\nduration = \"12s\"\nwarmup = \"1s\"\n[cluster]\nservers = 4\n\
         [field]\nuser = { type = \"int\", count = 10_000 }\nts = { type = \"timestamp\", unit = \"s\" }\n\
         [write.fill]\nrecords = 60_000\nlast = \"10d\"\nclients = 400\n[write.live]\nrate = \"500/s\"\n\
         [table]\npresplit = { algorithm = \"sampled\", regions = 12 }\n\
         [strategy.time]\nkey = \"be4(ts) || be4(user)\"\n[strategy.user]\nkey = \"be4(user) || be4(ts)\"\n";
    let results = run("backfill", text);
    let [time, user] = ["time", "user"].map(|name| {
        let of = strategy(&results, name);
        // 500 a second for 11 s are known to a root of 5,500 in 11 s.
        let of_import = 60_000.0 / (mean(of, "makespan_ms") / 1e3);
        let all = mean(of, "write_throughput_per_sec");
        near(all - of_import, 500.0, 3.0 * 5_500f64.sqrt() / 11.0);
        all
    });
    assert!(user > 3.0 * time, "{user} and {time}");
}
