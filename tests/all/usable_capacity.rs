//! What a key lets servers take, of designs whose placement is known.

use crate::verdicts::{mean, near, run, strategy, word};
use keyheat::layout::{Layout, Replicate};
use keyheat::random::{DrawKey, Seed, Stream};
use keyheat::scenario::Scenario;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

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

/// A server has 930 calls in its 30 handlers and three queues of 300. Of n numbers of a turn it does C n / R at a rate of R and holds the others, so that R = C / (1 - 930 / n): 1.912 C of the 1,950 of a
/// region where regions i and i + 8 are on one server, which seven others part, and 1.313 C of the 3,900 of two that follow one another. Turns are counted in a second, ten of the 10.2 that there are at 19,960 rows a
/// second: as if they had 1,996 numbers.
#[test]
fn turns_at_a_sequence_are_the_shorter_the_more_is_written() {
    let pairs: Vec<String> = (0..16).map(|region| (region / 2).to_string()).collect();
    let results = run(
        "numbers",
        &format!(
            "replicates = 1\n[time]\nduration = \"6s\"\nwarmup = \"2s\"\n[field]\nid = {{ type = \"sequence\" }}\n[write.w]\nrate = \"30k/s\"\n\
             [table]\npresplit = {{ algorithm = \"buckets\" }}\n\
             [strategy.apart]\nkey = \"be1(pmod(id / 1950, 16)) || be8(id)\"\nplacement = \"in-order\"\n\
             [strategy.pairs]\nkey = \"be1(pmod(id / 1950, 16)) || be8(id)\"\nplacement = [{}]\n",
            pairs.join(", ")
        ),
    );
    for (name, numbers) in [("apart", 1_996.0), ("pairs", 3_992.0)] {
        let turns = strategy(&results, name);
        let usable =
            mean(turns, "usable_capacity_per_sec") / mean(turns, "server_capacity_per_sec");
        near(usable, 1.0 / (1.0 - 930.0 / numbers), 0.005);
        assert_eq!(word(turns, "hotspot"), "moving");
    }
}

/// All rows of a moment go to one of 16 servers, at few rows a second as at many: a turn of 6 s / 64 lasts 94 ms, in which a server does C x 0.094 s = 624 rows and holds 110 more in its 10 handlers and
/// its queue, so that it takes 1.18 C at most, and less where two regions that follow one another are on one server. Under a profile turns are a third as long from 4 s on, 0.21 s of 16 regions with 625
/// rows each, and hold 110 of 1,390 more, however the intervals of 0.4 s show two of them as if they shared the load.
#[test]
fn servers_take_turns_at_few_rows_a_second_and_under_a_profile_as_at_many() {
    let usable = |name: &str, servers: u32, regions: u32, load: &str| {
        let results = run(
            name,
            &format!(
                "replicates = 2\n[time]\nduration = \"6s\"\nwarmup = \"2s\"\n[cluster]\nservers = {servers}\nhandlers = 10\n\
                 [field]\nid = {{ type = \"int\", count = 5000 }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
                 [write.w]\n{load}\n[table]\npresplit = {{ algorithm = \"sampled\", regions = {regions} }}\n\
                 [strategy.time]\nkey = \"be8(ts) || be4(id)\"\n"
            ),
        );
        let found = strategy(&results, "time");
        assert_eq!(word(found, "hotspot"), "moving", "{name}");
        mean(found, "usable_capacity_per_sec") / mean(found, "server_capacity_per_sec")
    };
    for (name, rate) in [("seldom", "1k/s"), ("often", "6k/s")] {
        let found = usable(name, 16, 64, &format!("rate = \"{rate}\""));
        assert!((1.0..1.18).contains(&found), "{name}: {found}");
    }
    let profile =
        "rate = \"1k/s\"\nprofile = [{ at = \"4s\", times = 1.0 }, { at = \"4s\", times = 3.0 }]";
    let found = usable("rising", 4, 16, profile);
    assert!((1.0..1.08).contains(&found), "{found}");
}

/// 400k rows at 20,000 a second go to 13 regions, for 1.54 s each: of ten intervals of a second six hold the turns of two servers, and their median shows less than one server that is written at a time. What is done then is
/// one server's all the same.
#[test]
fn turns_that_last_little_longer_than_an_interval_are_one_servers_at_a_time() {
    let results = run(
        "little-longer",
        "replicates = 2\n[time]\nduration = \"30s\"\nwarmup = \"0s\"\nsample = \"1s\"\n[cluster]\nservers = 4\n[field]\nid = { type = \"int\", count = 400_000 }\n\
         [table]\nsplit_policy = \"disabled\"\n[write.w]\nclients = 400\nrecords = 400_000\norder = { by = \"id\" }\n\
         [strategy.sorted]\nkey = \"be4(id)\"\npresplit = { algorithm = \"sampled\", regions = 13 }\n",
    );
    let sorted = strategy(&results, "sorted");
    let usable = mean(sorted, "usable_capacity_per_sec") / mean(sorted, "server_capacity_per_sec");
    near(usable, 1.0, 0.01);
}

/// 1,500 rows of 10,000 B a second fill a log of 10 MiB/s, and 6,000 of 50 B on other servers take hardly any of theirs. A row of 10,000 B takes 10,000 + 20 + 1 + 17 + 1 B of the log: it is full at 1,044.5 of them a second, and so
/// at 5 x as many of both. What is done of those that are held up varies by a group of calls in 8 s.
#[test]
fn a_log_is_full_at_the_rate_at_which_the_writes_that_fill_it_are_held_up() {
    let results = run(
        "large",
        "replicates = 2\n[time]\nduration = \"10s\"\nwarmup = \"2s\"\n[cluster]\nservers = 4\n[field]\nkind = { type = \"int\", count = 2 }\nid = { type = \"int\", count = 1_000_000 }\n\
         [write.small]\nrate = \"6k/s\"\nwith = { kind = 0 }\ncells = { v = { size = \"50B\" } }\n[write.large]\nrate = \"1500/s\"\nwith = { kind = 1 }\ncells = { v = { size = \"10000B\" } }\n\
         [table]\nsplit_policy = \"disabled\"\npresplit = ['\\x00\\x80', '\\x01', '\\x02']\n[strategy.k]\nkey = \"be1(kind) || md5_bytes(be4(id))\"\n",
    );
    let found = strategy(&results, "k");
    near(mean(found, "usable_capacity_per_sec") / 5_222.0, 1.0, 0.02);
}

/// What `customers` do in a closed network of stations that are visited at random and take a second each: a call holds its handler while it waits for its row. Only the `locked` part of
/// the calls goes to stations, the others take a second wherever they are.
fn closed_network(customers: usize, stations: usize, locked: f64) -> f64 {
    let mut draw = DrawKey::new(Seed(1), 0, Stream::Sample, 1).at(0);
    let mut queues = vec![VecDeque::new(); stations];
    let mut next =
        |queues: &mut Vec<VecDeque<usize>>, customer, starts: &mut BinaryHeap<_>, now| {
            if draw.unit() >= locked {
                starts.push(Reverse((now + SECOND, stations + customer)));
                return;
            }
            let station = draw.below(stations as u64) as usize;
            queues[station].push_back(customer);
            if queues[station].len() == 1 {
                starts.push(Reverse((now + SECOND, station)));
            }
        };
    const SECOND: u64 = 1_000_000;
    let (mut ends, mut done) = (BinaryHeap::new(), 0);
    for customer in 0..customers {
        let start = customer as u64 * SECOND / customers as u64;
        next(&mut queues, customer, &mut ends, start);
    }
    const LENGTH: u64 = 20_000;
    while let Some(Reverse((now, station))) = ends.pop() {
        if now > LENGTH * SECOND {
            break;
        }
        done += 1;
        let customer = match queues.get_mut(station) {
            Some(queue) => {
                let customer = queue.pop_front().expect("it was served");
                if !queue.is_empty() {
                    ends.push(Reverse((now + SECOND, station)));
                }
                customer
            }
            None => station - stations,
        };
        next(&mut queues, customer, &mut ends, now);
    }
    f64::from(done) / LENGTH as f64
}

/// One counter in 64 rows, of which each of n servers has 64 / n: an increment holds its row for 20.3 ms, and its handler for longer, as it waits for the row. A server does what so many handlers do in a closed network of
/// these rows: 474 a second of 16 handlers and as many rows, 602 of 30, 268 of 10 and eight rows. In turn no row is waited for, and all that is done is 16 / 20.3 ms a server.
#[test]
fn handlers_that_wait_for_the_few_rows_of_their_server_do_nothing_else() {
    for (servers, handlers) in [(4, 16), (4, 30), (8, 10)] {
        let text = format!(
            "replicates = 4\n[time]\nduration = \"10s\"\nwarmup = \"2s\"\n[cluster]\nservers = {servers}\nhandlers = {handlers}\n[cluster.service]\ndistribution = \"constant\"\n\
             [cluster.wal]\nsync = \"20ms\"\n[field]\npost = {{ type = \"int\", count = 1 }}\n[write.like]\nrate = \"1500/s\"\nkind = \"increment\"\n\
             [table]\npresplit = {{ algorithm = \"buckets\" }}\n\
             [strategy.random]\nkey = \"be1(random(64)) || be4(post)\"\n[strategy.turns]\nkey = \"be1(round_robin(64)) || be4(post)\"\n"
        );
        let results = run("sharded", &text);
        let of_server = closed_network(handlers, 64 / servers, 1.0) / 0.0203;
        let random = strategy(&results, "random");
        near(
            mean(random, "server_capacity_per_sec") / of_server,
            1.0,
            0.02,
        );
        let usable = mean(random, "usable_capacity_per_sec");
        near(usable / of_server / servers as f64, 1.0, 0.03);
        if handlers == 16 {
            let turns = mean(strategy(&results, "turns"), "server_capacity_per_sec");
            near(turns / (16.0 / 0.0203), 1.0, 0.02);
        }
    }
}

/// Two writes increment the same 64 rows, 16 on each of four servers: they wait for each other's rows as one does, and 16 handlers do 474 a second. Where one of them puts, which waits for no row, half of the calls
/// do, and a server does 675 a second of both in equal parts. Without waiting it would be 16 / 20.3 ms = 788.
#[test]
fn writes_of_the_same_rows_wait_for_each_other_and_those_beside_them_for_their_handlers() {
    for (kind, locked) in [("increment", 1.0), ("put", 0.5)] {
        let text = format!(
            "replicates = 4\n[time]\nduration = \"10s\"\nwarmup = \"2s\"\n[cluster]\nservers = 4\nhandlers = 16\n[cluster.service]\ndistribution = \"constant\"\n\
             [cluster.wal]\nsync = \"20ms\"\n[field]\npost = {{ type = \"int\", count = 1 }}\n[write.like]\nrate = \"800/s\"\nkind = \"increment\"\n\
             [write.other]\nrate = \"800/s\"\nkind = \"{kind}\"\n[table]\npresplit = {{ algorithm = \"buckets\" }}\n\
             [strategy.random]\nkey = \"be1(random(64)) || be4(post)\"\n"
        );
        let results = run(kind, &text);
        let of_server = closed_network(16, 16, locked) / 0.0203;
        let random = strategy(&results, "random");
        let capacity = mean(random, "server_capacity_per_sec");
        near(capacity / of_server, 1.0, 0.02);
        let usable = mean(random, "usable_capacity_per_sec");
        near(usable / of_server / 4.0, 1.0, 0.03);
    }
}

/// Each of 64 equal rows has 1 / 64 of the increments, whether 2,000 of them are counted, 31 a row, of which chance gives one 45 % more (2.4 standard deviations of 5.6), or 80,000. A mean of
/// as many counts is known to 1 / sqrt(2,000) = 2 %, and those of all rows are, of each 64th.
#[test]
fn the_hottest_of_equal_rows_does_not_depend_on_how_many_operations_are_counted() {
    for rate in ["500/s", "20k/s"] {
        let text = format!(
            "[time]\nduration = \"4s\"\n[field]\npost = {{ type = \"int\", count = 1 }}\n[write.like]\nrate = \"{rate}\"\nkind = \"increment\"\n\
             [strategy.few]\nkey = \"be1(random(64)) || be4(post)\"\npresplit = {{ algorithm = \"buckets\" }}\n"
        );
        let scenario = Scenario::parse(&text, "equal").unwrap_or_else(|error| panic!("{error}"));
        let few = &scenario.strategies[0];
        let layout = Layout::of(few, &Replicate::new(&few.setup, scenario.seed, 0));
        near(64.0 * layout.locked_row.share, 1.0, 0.03);
    }
}

/// Flushes of 12 MB a second a server hold up writes of 1 KB, of which stores also compact what they have. Two regions buffer twice as much on the way as one: so a table of six regions on three servers, and what the
/// run takes of it at 0.9 of its usable capacity, and does not take at 1.2, tells of servers of two regions.
#[test]
fn a_server_that_waits_for_flushes_is_measured_with_as_many_regions_as_it_has() {
    let at = |rate: f64| {
        let text = format!(
            "replicates = 1\n[time]\nduration = \"60s\"\nwarmup = \"10s\"\n[cluster]\nservers = 3\ndisk_bandwidth = \"12MB/s\"\nheap = \"2GB\"\n\
             [field]\nk = {{ type = \"int\", count = 100_000 }}\nid = {{ type = \"sequence\" }}\n[write.w]\nrate = \"{rate:.0}/s\"\n\
             [table]\nvalue = \"1KB\"\nmemstore_flush_size = \"16MB\"\nmin_compaction_size = \"16MB\"\nblocking_store_files = 8\nsplit_policy = \"disabled\"\n\
             compaction_bandwidth = {{ low = \"8MB/s\", high = \"10MB/s\" }}\n\
             [strategy.even]\nkey = \"be1(pmod(k, 6)) || be4(k) || be8(id)\"\npresplit = {{ algorithm = \"buckets\" }}\n"
        );
        let results = run("slow-disks", &text);
        let even = strategy(&results, "even");
        ["usable_capacity_per_sec", "write_throughput_per_sec"].map(|metric| mean(even, metric))
    };
    let [usable, _] = at(3_000.0);
    let [_, below] = at(0.9 * usable);
    near(below / (0.9 * usable), 1.0, 0.02);
    let [_, above] = at(1.2 * usable);
    assert!(above < 1.12 * usable, "{above} of {usable}");
}

/// Of a beat that comes at one instant a server holds 930 calls, and so many of those that come again: each has 12 attempts in 60 s (after pauses of 0.1, 0.2, 0.3, 0.5, 1, 2, 4 s, and four of 10), so that 11,160 are done of each beat, 1,116 a
/// second of beats every 10 s, and four times as many where four servers share them. At 0.98 of that hardly a call is given up, at 1.34 of it many are.
#[test]
fn servers_hold_no_more_of_a_beat_than_comes_again_before_its_deadline() {
    let failed = |meters: u32| {
        let text = format!(
            "replicates = 1\n[time]\nduration = \"180s\"\nwarmup = \"20s\"\n[cluster]\nservers = 4\n[field]\nmeter = {{ type = \"int\", count = {meters} }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
             [write.beat]\neach = \"meter\"\nevery = \"10s\"\nphase = \"aligned\"\njitter = \"0s\"\n[table]\nsplit_policy = \"disabled\"\n\
             [strategy.one]\nkey = \"be8(ts) || be4(meter)\"\n[strategy.four]\nkey = \"be1(pmod(meter, 4)) || be8(ts)\"\npresplit = {{ algorithm = \"buckets\" }}\n"
        );
        let results = run("beats", &text);
        let of = |name: &str, metric: &str| mean(strategy(&results, name), metric);
        near(of("one", "usable_capacity_per_sec"), 1_116.0, 1.0);
        near(of("four", "usable_capacity_per_sec"), 4.0 * 1_116.0, 1.0);
        of("one", "write_failed_fraction")
    };
    assert!(failed(10_900) < 0.001);
    assert!(failed(15_000) > 0.02);
}
