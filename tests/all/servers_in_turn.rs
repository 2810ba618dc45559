//! Keys whose servers take turns at the writes: cycles of time within an interval, and what only looks like one.

use crate::verdicts::{mean, near, run, says, strategy, word};
use keyheat::experiment::{Results, StrategyResult};

/// Rows a second that a strategy may take beyond those of one server.
fn usable_beyond_a_server(of: &StrategyResult) -> f64 {
    mean(of, "usable_capacity_per_sec") - mean(of, "server_capacity_per_sec")
}

/// A key whose first two bytes are the millisecond of the second, on eight servers with a region each, and a hashed one.
fn cycles(sample: &str, rate: &str, late: &str) -> Results {
    run(
        "cycles",
        &format!(
            "replicates = 2\n[time]\nduration = \"5s\"\nwarmup = \"1s\"\nsample = \"{sample}\"\n[cluster]\nservers = 8\n\
             [field]\nid = {{ type = \"int\", count = 1_000_000 }}\nts = {{ type = \"timestamp\", unit = \"ms\"{late} }}\n\
             [write.w]\nrate = \"{rate}\"\n[strategy.milli]\nkey = \"be2(ts % 1000) || be8(ts) || be4(id)\"\n\
             presplit = ['\\x00\\x7D', '\\x00\\xFA', '\\x01\\x77', '\\x01\\xF4', '\\x02\\x71', '\\x02\\xEE', '\\x03\\x6B']\n\
             [strategy.hashed]\nkey = \"md5_bytes(be8(ts) || be4(id)) || be8(ts) || be4(id)\"\n\
             presplit = {{ algorithm = \"uniform\", regions = 8 }}\n"
        ),
    )
}

#[test]
fn a_key_that_cycles_through_the_servers_is_moving_however_long_an_interval_is() {
    // Each server has all rows for an eighth of each second: an interval of a second sees an eighth on each, one of 100 ms nearly all on one.
    for (sample, rate) in [("1s", "32k/s"), ("1s", "3.2k/s"), ("100ms", "16k/s")] {
        let results = cycles(sample, rate, "");
        let [milli, hashed] = ["milli", "hashed"].map(|name| strategy(&results, name));
        assert_eq!(word(milli, "hotspot"), "moving", "{sample} {rate}");
        assert_eq!(word(hashed, "hotspot"), "none", "{sample} {rate}");
        assert!(
            results
                .warnings
                .iter()
                .any(|it| it.contains("`milli`: the key leads with a time"))
        );
        if sample == "1s" {
            assert!(mean(milli, "server_peak_to_mean") < 1.2);
            says(
                milli,
                &[
                    "servers take turns within an interval of 1 s, so one of 8 servers takes all of the writes at a time",
                ],
            );
            // One server at a time, which holds 930 calls: those of its 125 ms are 7,440 a second more than it does. A second shows seven ends of
            // turns, which makes them 143 ms: 6,510.
            near(usable_beyond_a_server(milli), 6_975.0, 466.0);
        }
    }
    // Rows that come up to a second late are those of all milliseconds, whenever they come.
    let late = ", late = { fraction = 1.0, up_to = \"1s\" }";
    let results = cycles("1s", "32k/s", late);
    assert_eq!(word(strategy(&results, "milli"), "hotspot"), "none");
}

#[test]
fn a_cycle_of_microseconds_is_no_hotspot() {
    // Whatever arrives at random has any remainder of its microseconds, and of two milliseconds one region each.
    let results = run(
        "cycles",
        "replicates = 2\n[time]\nduration = \"2s\"\nwarmup = \"1s\"\nsample = \"500ms\"\n[cluster]\nservers = 4\n[field]\n\
         id = { type = \"int\", count = 100_000 }\nts = { type = \"timestamp\", unit = \"us\" }\n[write.rows]\nrate = \"10k/s\"\n\
         [strategy.us16]\nkey = \"be1(ts % 16) || be8(ts) || be4(id)\"\npresplit = { algorithm = \"buckets\" }\n\
         [strategy.ms2]\nkey = \"be1(ts / 1000 % 2) || be8(ts) || be4(id)\"\npresplit = { algorithm = \"buckets\" }\n",
    );
    assert_eq!(word(strategy(&results, "us16"), "hotspot"), "none");
    let two = word(strategy(&results, "ms2"), "hotspot");
    assert_eq!(two, "presplit-mismatch", "two regions of four servers");
}

#[test]
fn a_burst_that_all_servers_share_is_no_hotspot() {
    // 4,000 meters at once every second: a thousand to each server, which holds 930 and refuses the rest, for a twentieth of the time.
    let results = run(
        "beat",
        "replicates = 2\n[time]\nduration = \"6s\"\nwarmup = \"1500ms\"\nsample = \"1s\"\n[cluster]\nservers = 4\n[field]\n\
         meter = { type = \"int\", count = 4_000 }\nts = { type = \"timestamp\", unit = \"s\" }\n[write.beat]\neach = [\"meter\"]\n\
         every = \"1s\"\nphase = \"aligned\"\n[strategy.meter]\nkey = \"be4(meter) || be8(ts)\"\n\
         presplit = ['\\x00\\x00\\x03\\xE8', '\\x00\\x00\\x07\\xD0', '\\x00\\x00\\x0B\\xB8']\n",
    );
    let meter = strategy(&results, "meter");
    assert!(mean(meter, "refused_calls_fraction") > 0.0);
    assert!(mean(meter, "skewed_time_fraction") > 0.5);
    assert_eq!(word(meter, "hotspot"), "none");
}

/// 10,000 rows a second in blocks of 1,250: each of four servers has all of them for 125 ms, whether blocks are made of time or of a sequence. Of blocks of 25 each server has
/// one every 10 ms: its handlers spread them.
#[test]
fn servers_take_turns_at_blocks_of_a_sequence_as_they_do_at_those_of_time() {
    let results = run(
        "blocks",
        "replicates = 1\n[time]\nduration = \"6s\"\nwarmup = \"1s\"\n[cluster]\nservers = 4\n\
         [field]\nts = { type = \"timestamp\", unit = \"ms\" }\nseq = { type = \"sequence\" }\n[write.w]\nrate = \"10k/s\"\narrivals = \"constant\"\n\
         [strategy.long]\nkey = \"be1(seq / 1250 % 4) || be8(seq)\"\npresplit = { algorithm = \"buckets\" }\n\
         [strategy.time]\nkey = \"be1(ts / 125 % 4) || be8(seq)\"\npresplit = { algorithm = \"buckets\" }\n\
         [strategy.short]\nkey = \"be1(seq / 25 % 4) || be8(seq)\"\npresplit = { algorithm = \"buckets\" }\n\
         [strategy.single]\nkey = \"be1(seq % 4) || be8(seq)\"\npresplit = { algorithm = \"buckets\" }\n",
    );
    let expected = [
        ("long", "moving"),
        ("time", "moving"),
        ("short", "none"),
        ("single", "none"),
    ];
    for (name, class) in expected {
        let strategy = strategy(&results, name);
        assert_eq!(word(strategy, "hotspot"), class, "{name}");
        let warning = format!("`{name}`: the key leads with a time");
        let warned = results.warnings.iter().any(|it| it.contains(&warning));
        assert_eq!(warned, class == "moving", "{name}");
    }
    // Of a turn of 125 ms queues carry 7,440 rows a second more than a server does, as long as it lasts that long (or 143 ms, which a second shows). A turn of 1,250 rows (1,248, as a
    // second of 19,963 rows shows sixteen ends) is the shorter the more rows come: 930 wait until the others have their turns, and a server does 320 of them in its own, 3.91 times as
    // many as it does otherwise. (At 50,000 a second no call is refused, at 70,000, 0.9 of that, one in a hundred.)
    let [long, time] = ["long", "time"].map(|name| strategy(&results, name));
    near(usable_beyond_a_server(time), 6_975.0, 466.0);
    let times = mean(long, "usable_capacity_per_sec") / mean(long, "server_capacity_per_sec");
    near(times, 1.0 / (1.0 - 930.0 / 1_250.0), 0.03);
}

/// 16,000 rows a second, each of 16 buckets has those of 300 ms, and an interval of a second those of three or four: there, another dealing of the regions to
/// four servers would be even, and no dealing lets two buckets be written at once.
#[test]
fn no_dealing_cures_turns_that_an_interval_shows_in_part() {
    let results = run(
        "turns",
        "replicates = 1\n[time]\nduration = \"12s\"\nwarmup = \"2s\"\n[cluster]\nservers = 4\n[balancer]\npolicy = \"none\"\n[table]\nplacement = \"in-order\"\n\
         [field]\nts = { type = \"timestamp\", unit = \"ms\" }\ndev = { type = \"int\", count = 10_000 }\n[write.w]\nrate = \"16k/s\"\n\
         [strategy.turns]\nkey = \"be1(ts / 300 % 16) || be4(dev) || be8(ts)\"\npresplit = { algorithm = \"buckets\" }\n",
    );
    let turns = strategy(&results, "turns");
    assert!(mean(turns, "placement_peak_best") < 1.5);
    assert_eq!(word(turns, "hotspot"), "moving");
    // No two turns of 300 ms follow one another on a server, in which 930 more calls can wait: 3,100 a second. Of 333 ms, as a second shows: 2,790.
    near(usable_beyond_a_server(turns), 2_945.0, 160.0);
    says(
        turns,
        &[
            "so one of 4 servers takes all of the writes at a time; all 16",
            "or lead with `be4(dev)`",
            "No balancer gets the hottest server below 4.0×",
        ],
    );
}

/// A sequence is one counter of all clients: the 200 rows in flight follow one another. Of a turn's 1,250 rows at most 200 are written beside those of the turn before,
/// so that 1,250 rows take a server the time of 1,050 at least. In blocks of 25 they lie on all servers.
#[test]
fn clients_of_a_closed_loop_share_one_sequence() {
    let results = run(
        "counter",
        "replicates = 1\n[time]\nduration = \"3s\"\nwarmup = \"1s\"\n[cluster]\nservers = 4\ncall_queue_length = \"unlimited\"\n\
         [balancer]\npolicy = \"none\"\n[field]\nseq = { type = \"sequence\" }\n[write.w]\nclients = 200\n\
         [strategy.long]\nkey = \"be1(seq / 1250 % 4) || be8(seq)\"\npresplit = { algorithm = \"buckets\" }\n\
         [strategy.short]\nkey = \"be1(seq / 25 % 4) || be8(seq)\"\npresplit = { algorithm = \"buckets\" }\n",
    );
    let [long, short] = ["long", "short"].map(|name| strategy(&results, name));
    let server = mean(long, "server_capacity_per_sec");
    let servers = |of| mean(of, "write_throughput_per_sec") / server;
    // A server's capacity is that of handlers that are never idle; starting a sync takes a little of it, a hundredth here.
    assert!(
        (0.98..1250.0 / 1050.0).contains(&servers(long)),
        "{}",
        servers(long)
    );
    near(mean(long, "usable_capacity_per_sec"), server, 1.0);
    assert_eq!(word(long, "hotspot"), "moving");
    assert!(servers(short) > 3.0, "{}", servers(short));
    assert_eq!(word(short, "hotspot"), "none");
}

/// Of ten regions one is written for 300 ms, and then the next: 9,000 of the 6,000 that a server does then, so that some servers are full for a while where their regions come one after another. One
/// server at a time is what can be used all the same, and what waits: 930 calls in two turns of 300 to 333 ms, 1,550 to 1,395 a second.
#[test]
fn turns_that_fill_a_server_now_and_then_are_turns() {
    let text = "replicates = 1\n[time]\nduration = \"22s\"\nwarmup = \"2s\"\nsample = \"2s\"\n[cluster]\nservers = 4\n[field]\n\
                id = { type = \"int\", count = 1_000_000 }\nts = { type = \"timestamp\", unit = \"ms\" }\n[write.rows]\nrate = \"30k/s\"\n\
                [table]\nsplit_policy = \"disabled\"\nplacement = [0, 0, 1, 1, 2, 2, 3, 3, 0, 1]\n[strategy.a]\nkey = \"right(text(ts / 300), 1) || be8(ts) || be4(id)\"\n\
                presplit = ['1', '2', '3', '4', '5', '6', '7', '8', '9']\n";
    let results = run("text", text);
    let a = strategy(&results, "a");
    says(a, &["servers take turns within an interval of 2 s"]);
    assert!(mean(a, "hotspot_time_fraction") >= 0.05);
    near(usable_beyond_a_server(a), 1_472.0, 80.0);
}

/// The same turns beside a copy that spreads, once of the table and once of the copy: at a time one of four servers has a row of each write and a fourth of the other rows, 1.25 of 2, which is 62.5 %,
/// 2.5 times the mean. So that server takes a write for each 1.25 of its rows, and 930 calls wait in a turn of 300 to 333 ms: 3,100 to 2,790 rows a second.
#[test]
fn servers_take_turns_at_a_table_beside_a_copy_and_at_a_copy() {
    let (turns, even) = (
        "key = \"be1(ts / 300 % 16) || be4(dev) || be8(ts)\", presplit = { algorithm = \"buckets\" }",
        "key = \"md5_bytes(be4(dev) || be8(ts)) || be4(dev) || be8(ts)\", presplit = { algorithm = \"uniform\", regions = 16 }",
    );
    let strategy_of = |name: &str, own: &str, copy: &str| {
        let own = own.replace(", presplit", "\npresplit");
        format!("[strategy.{name}]\n{own}\ncopies = [{{ {copy} }}]\n")
    };
    let text = "replicates = 1\n[time]\nduration = \"12s\"\nwarmup = \"2s\"\n[cluster]\nservers = 4\n[balancer]\npolicy = \"none\"\n[table]\nplacement = \"in-order\"\n\
         [field]\nts = { type = \"timestamp\", unit = \"ms\" }\ndev = { type = \"int\", count = 10_000 }\n[write.w]\nrate = \"12k/s\"\n"
        .to_owned()
        + &strategy_of("table", turns, even)
        + &strategy_of("copy", even, turns);
    let results = run("copies", &text);
    for (name, class) in [
        ("table", "Moving hotspot:"),
        ("copy", "Moving hotspot of copy 1:"),
    ] {
        let found = strategy(&results, name);
        says(
            found,
            &[
                &format!("{class} the key follows time and servers take turns"),
                "so one of 4 servers takes 62.5 % of the writes at a time; all 12",
                "; no placement of whole regions gets the hottest server below 2.5× the mean.",
                "No balancer gets the hottest server below 2.5×",
            ],
        );
        let rows = mean(found, "usable_capacity_per_sec") * 1.25;
        near(
            rows - mean(found, "server_capacity_per_sec"),
            2_945.0,
            160.0,
        );
    }
}

/// 160,000 rows of an hour, by rate or by clients: at 16,000 to 20,000 a second an hour is imported in 8 to 10 s, the 90 s of a turn in 200 to 250 ms, and the 3.6 s of another in 10 ms at most, too
/// few to fill a server. In another order there are no turns.
#[test]
fn servers_take_turns_at_an_import_in_the_order_of_time() {
    for load in ["rate = \"16k/s\"", "clients = 100"] {
        let key = |secs: &str| {
            format!(
                "key = \"be1(ts / {secs} % 16) || be4(dev) || be8(ts)\"\npresplit = {{ algorithm = \"buckets\" }}\n"
            )
        };
        let text = format!(
            "replicates = 1\n[time]\nduration = \"20s\"\nwarmup = \"1s\"\nsample = \"2s\"\n[cluster]\nservers = 4\n[balancer]\npolicy = \"none\"\n\
             [field]\nts = {{ type = \"timestamp\", unit = \"ms\" }}\ndev = {{ type = \"int\", count = 10_000 }}\n[write.load]\n{load}\nrecords = 160_000\nlast = \"1h\"\n\
             [strategy.turns]\n{0}[strategy.quick]\n{1}[strategy.shuffled]\n{0}override.write.load.order = \"shuffled\"\n",
            key("90000"),
            key("3600"),
        );
        let results = run("imports", &text);
        let [turns, quick, shuffled] =
            ["turns", "quick", "shuffled"].map(|name| strategy(&results, name));
        says(
            turns,
            &[
                "servers take turns within an interval of 2 s, so one of 4 servers takes all of the writes at a time; done after",
            ],
        );
        let usable = |of| mean(of, "usable_capacity_per_sec") / mean(of, "server_capacity_per_sec");
        near(usable(turns), 1.0, 1e-9);
        for even in [quick, shuffled] {
            assert_eq!(word(even, "hotspot"), "none", "{load}: {}", even.verdict);
            assert!(usable(even) > 2.0, "{load}: {}", usable(even));
        }
    }
}
