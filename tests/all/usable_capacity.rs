//! What a key lets servers take, of designs whose placement is known.

use crate::verdicts::{mean, near, run, strategy, word};

/// 100 writes a server in each of 20 intervals: chance puts 10 % more than the mean on the fullest of four. Of 16 alike regions a server takes a fourth, of five one takes two, 1.6 times the mean. An interval's
/// peak varies by 0.05, the median of 20 by 0.014: where chance is 0.10, the squares leave sqrt(0.114^2 - 0.10^2) = 0.055 of that, or nothing half of the time, and the mean of eight replicates 0.02;
/// of 0.6 they leave as much as there is, 0.014 / 1.6 in a replicate.
#[test]
fn what_can_be_used_of_a_table_that_is_written_seldom_is_not_less_by_chance() {
    let results = run(
        "seldom",
        "replicates = 8\n[time]\nduration = \"22s\"\nwarmup = \"2s\"\nsample = \"1s\"\n[cluster]\nservers = 4\n[balancer]\npolicy = \"none\"\n\
         [field]\nid = { type = \"int\", count = 1_000_000 }\n[table]\nsplit_policy = \"disabled\"\n[write.w]\nrate = \"400/s\"\n\
         [strategy.even]\nkey = \"md5_bytes(id)\"\npresplit = { algorithm = \"uniform\", regions = 16 }\n\
         [strategy.five]\nkey = \"salt(5, be4(id)) || be4(id)\"\npresplit = { algorithm = \"buckets\" }\n",
    );
    for (name, servers, tolerance) in [("even", 4.0, 0.1), ("five", 2.5, 0.05)] {
        let found = strategy(&results, name);
        let usable =
            mean(found, "usable_capacity_per_sec") / mean(found, "server_capacity_per_sec");
        near(usable, servers, tolerance);
    }
}

/// Of 2,500 increments a second 1,000 are of page 7: at any moment 40 % fall on one row, whether the key begins another one every 2 s or none. A lock is held for 1.5 ms, so that a row takes 667 a second, of all 1,667. A third of the
/// places in three queues of 300 for calls of such rows, 0.4 x 900 / 3 = 120, may be taken when the next row comes: of steps of T s 667 + 120 / T are done, 679 (of all 1,697), 727 (1,817), 907 (2,267). In steps of
/// 0.1 s 1,867 are more than there come. A counter that goes on by 1,000 a second makes a step of 2 s of 2,000. Shares and holds follow from the numbers, times of steps from pairs of all writes, to a write in 200.
#[test]
fn a_row_that_time_puts_another_one_in_place_of_is_locked_as_often_as_one_that_stays() {
    let steps = [
        ("whole", "", 1_667.0, "row"),
        ("minute", " || be4(ts / 60000)", 1_667.0, "row"),
        ("ten", " || be4(ts / 10000)", 1_697.0, "row"),
        ("two", " || be4(ts / 2000)", 1_817.0, "row"),
        ("number", " || be4(number / 2000)", 1_817.0, "row"),
        ("half", " || be6(ts / 500)", 2_267.0, "row"),
        // Here what a server does at most counts: more than is asked of it.
        ("tenth", " || be6(ts / 100)", 3_500.0, "none"),
    ];
    let mut text = "replicates = 1\n[time]\nduration = \"20s\"\nwarmup = \"0s\"\n[cluster]\nservers = 1\n[field]\npage = { type = \"int\", count = 10_000 }\n\
         number = { type = \"sequence\" }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
         [write.hot]\nkind = \"increment\"\nrate = \"1000/s\"\nwith = { page = 7 }\n[write.others]\nkind = \"increment\"\nrate = \"1500/s\"\n"
        .to_owned();
    for (name, step, ..) in steps {
        text += &format!("[strategy.{name}]\nkey = \"be2(page){step}\"\n");
    }
    let results = run("steps", &text);
    for (name, _, usable, class) in steps {
        let found = strategy(&results, name);
        let told = mean(found, "usable_capacity_per_sec");
        let is_told = match name {
            "tenth" => told > usable,
            _ => (told / usable - 1.0).abs() < 0.005,
        };
        assert!(is_told, "{name}: {told}");
        assert_eq!(word(found, "hotspot"), class, "{name}");
    }
}

/// 40k puts a second of a neighbour hold 40,000 x 1.5 ms / (4 x 30) = 0.5 of the handlers, 10k Gets 10,000 x 1.2 ms / 120 = 0.1: 0.4 of what servers can write are left, 1.6 servers' worth under a
/// hash, and 0.4 under a key whose writes are all on one server. Of Gets of rows that it alone has 10,000 x 1.2 ms / 30 = 0.4 are asked of that one, and 0.1 are left. Chance deals 10,000 puts and 2,500 Gets
/// a server and second to 1.5 %, and what is fullest of four is 1.5 standard deviations above.
#[test]
fn servers_have_no_room_for_writes_in_the_time_that_reads_and_neighbours_take() {
    let results = run(
        "beside",
        "replicates = 2\n[time]\nduration = \"6s\"\nwarmup = \"1s\"\nsample = \"1s\"\n[cluster]\nservers = 4\n[balancer]\npolicy = \"none\"\n\
         [field]\nid = { type = \"int\", count = 1_000_000 }\n[table]\nsplit_policy = \"disabled\"\n[write.w]\nrate = \"4k/s\"\n[existing.w]\nrecords = 100_000\n\
         [read.one]\nequal = [\"id\"]\nrate = \"10k/s\"\n[neighbour.n]\nregions = 4\nwrite_rate = \"40k/s\"\n\
         [strategy.even]\nkey = \"md5_bytes(id)\"\npresplit = { algorithm = \"uniform\", regions = 16 }\n\
         [strategy.one]\nkey = \"be4(id)\"\npresplit = { algorithm = \"none\" }\n",
    );
    for (name, servers) in [("even", 1.6), ("one", 0.1)] {
        let found = strategy(&results, name);
        let usable =
            mean(found, "usable_capacity_per_sec") / mean(found, "server_capacity_per_sec");
        near(usable / servers, 1.0, 0.05);
    }
}

/// 400k rows in key order go to 64 regions one after another, 6,250 rows or 0.31 s of one server each, so that an interval of a second shows three servers at work. What is done at a time is one server's,
/// as the time of the import shows: hashed, four take a fourth of it.
#[test]
fn an_import_that_is_sorted_as_the_key_is_takes_one_server_at_a_time_however_long_intervals_are() {
    let results = run(
        "sorted",
        "replicates = 2\n[time]\nduration = \"30s\"\nwarmup = \"0s\"\nsample = \"1s\"\n[cluster]\nservers = 4\n[field]\nid = { type = \"int\", count = 400_000 }\n\
         [table]\nsplit_policy = \"disabled\"\n[write.w]\nclients = 400\nrecords = 400_000\norder = { by = \"id\" }\n\
         [strategy.sorted]\nkey = \"be4(id)\"\npresplit = { algorithm = \"sampled\", regions = 64 }\n\
         [strategy.hashed]\nkey = \"md5_bytes(be4(id))\"\npresplit = { algorithm = \"uniform\", regions = 64 }\n",
    );
    let [sorted, hashed] = ["sorted", "hashed"].map(|name| strategy(&results, name));
    let usable = |found| mean(found, "usable_capacity_per_sec");
    near(
        usable(sorted) / mean(sorted, "server_capacity_per_sec"),
        1.0,
        0.01,
    );
    near(usable(hashed) / usable(sorted), 4.0, 0.1);
    near(
        mean(sorted, "makespan_ms") / mean(hashed, "makespan_ms"),
        4.0,
        0.3,
    );
    assert_eq!(word(sorted, "hotspot"), "moving");
}

/// A server has 930 calls in its 30 handlers and three queues of 300. Two regions that it has may follow one another, 3,900 numbers: of these it does C 3,900 / R at a rate of R and holds the others, so that
/// R = C / (1 - 930 / 3,900) = 1.313 C. Turns are counted in a second, ten of the 10.2 that there are at 19,960 rows a second: 0.8 % less.
#[test]
fn turns_at_a_sequence_are_the_shorter_the_more_is_written() {
    let results = run(
        "numbers",
        "replicates = 1\n[time]\nduration = \"6s\"\nwarmup = \"2s\"\n[field]\nid = { type = \"sequence\" }\n[write.w]\nrate = \"30k/s\"\n\
         [table]\nplacement = \"in-order\"\npresplit = { algorithm = \"buckets\" }\n[strategy.turns]\nkey = \"be1(pmod(id / 1950, 16)) || be8(id)\"\n",
    );
    let turns = strategy(&results, "turns");
    let usable = mean(turns, "usable_capacity_per_sec") / mean(turns, "server_capacity_per_sec");
    near(usable, 1.0 / (1.0 - 930.0 / 3_900.0), 0.01);
    assert_eq!(word(turns, "hotspot"), "moving");
}
