//! Random valid scenarios of every kind of setting, run and held against what must be true of any run.
//!
//! 300 of them by default; `KEYHEAT_RANDOM=2000` tries as many as it says.

use keyheat::experiment::{Experiment, Results, Shard, StrategyResult};
use keyheat::metrics::{MetricId, OperationRun, RunResult};
use keyheat::report::{Format, Report, Style};
use keyheat::scenario::Scenario;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Draws words and numbers of a scenario.
struct Draw(Xoshiro256PlusPlus);

impl Draw {
    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.0.random_range(0..words.len())]
    }

    fn within(&mut self, least: u64, most: u64) -> u64 {
        self.0.random_range(least..=most)
    }

    /// True once in `times`.
    fn one_in(&mut self, times: u64) -> bool {
        self.within(1, times) == 1
    }
}

const KEYS: [&str; 16] = [
    "be8(ts) || be4(id)",
    "be4(id) || be8(ts)",
    "be4(id)",
    "md5_bytes(id)",
    "substr(md5(id), 0, 4) || text(id)",
    "be1(random(7)) || be8(ts) || be4(id)",
    "be1(round_robin(5)) || be4(id) || be8(ts)",
    "be1(bucket(6, id)) || be8(ts) || be4(id)",
    "be4(tenant) || be8(rev_ts(ts)) || be4(id)",
    "left(md5(tenant), 3) || be4(tenant) || be4(id)",
    "be8(rev_ts(ts)) || be4(tenant)",
    "reverse(lpad(id, 6)) || to_char(ts, 'yyyyMMddHHmm')",
    "be8(trunc(ts, '1h')) || be4(tenant) || be4(id)",
    "kind || '#' || text(id)",
    "kind || text(tenant)",
    "uuid7(ts)",
];

const PRESPLITS: [&str; 7] = [
    "{ algorithm = \"none\" }",
    "{ algorithm = \"hex-string\", regions = 8 }",
    "{ algorithm = \"decimal-string\", regions = 5 }",
    "{ algorithm = \"uniform\", regions = 9 }",
    "{ algorithm = \"sampled\", regions = 7 }",
    "['\\x01', '\\x02\\x00', 'a', 'm']",
    "{ algorithm = \"buckets\" }",
];

const LAWS: [&str; 6] = [
    "\"uniform\"",
    "{ zipf = 0.9 }",
    "{ zipf = 1.3, ranked = true }",
    "{ hotspot = { keys = 0.1, load = 0.8 } }",
    "{ top = [0.5, 0.2] }",
    "{ normal = { mean = 40.0, sd = 10.0 } }",
];

/// A scenario that may be refused: a read may not fit its fields, a presplit not its key.
fn scenario(draw: &mut Draw) -> String {
    let mut text = String::new();
    let long = draw.one_in(6);
    let millis = if long { 4_000 } else { draw.within(60, 300) };
    let warmup = millis / draw.within(3, 20);
    let replicates = draw.within(1, 2);
    let servers = draw.within(1, 6);
    let mut line = |line: String| writeln!(text, "{line}").unwrap();
    line(format!(
        "seed = {}\nreplicates = {replicates}\n[time]\nduration = \"{millis}ms\"\nwarmup = \"{warmup}ms\"\nsample = \"{}ms\"",
        draw.within(0, 1_000_000),
        (millis - warmup) / draw.within(2, 12),
    ));
    line(format!(
        "[cluster]\nservers = {servers}\nhandlers = {}\nnetwork = \"{}us\"\ndisk_bandwidth = \"{}MB/s\"\nsplit_offline = \"{}ms\"",
        draw.within(1, 12),
        draw.of(&["0", "1", "50", "250", "2000"]),
        draw.within(1, 200),
        draw.within(0, 50),
    ));
    if draw.one_in(2) {
        line(format!(
            "call_queues = 1\ncall_queue_length = {}",
            draw.of(&["1", "5", "\"unlimited\""])
        ));
    }
    line(format!(
        "failure_detection = \"{}ms\"\n[cluster.service]\nput = \"{}us\"\nget = \"{}us\"\nscan_row = \"{}us\"\ncache_hit = {}",
        draw.within(1, 100),
        draw.within(10, 900),
        draw.within(10, 900),
        draw.of(&["0", "0.5", "3"]),
        draw.of(&["1.0", "0.5", "0.0"]),
    ));
    match draw.within(0, 2) {
        0 => line("distribution = \"constant\"".to_owned()),
        1 => line("distribution = \"lognormal\"\ncv = 1.5".to_owned()),
        _ => {}
    }
    line("[cluster.wal]".to_owned());
    match draw.within(0, 3) {
        0 => line("mode = \"off\"".to_owned()),
        1 => line("sync = \"0.2ms\"\nsyncs = \"single\"\nbandwidth = \"1MB/s\"".to_owned()),
        _ => line(format!("sync = \"{}us\"", draw.within(0, 3_000))),
    }
    line(format!(
        "[client]\nretries = {}\npause = \"{}ms\"\nmax_in_flight = {}\ndeadline = \"{}ms\"\nprocesses = {}",
        draw.within(0, 4),
        draw.of(&["0", "1", "20"]),
        draw.of(&["1", "20", "100_000"]),
        draw.within(1, 200),
        draw.within(1, 4),
    ));
    let late = draw.of(&["", ", late = { fraction = 0.3, up_to = \"10m\" }"]);
    line(format!(
        "[field]\nid = {{ type = \"int\", count = {}, distribution = {} }}\ntenant = {{ type = \"int\", count = 50, distribution = {} }}\nkind = {{ type = \"text\", values = [\"a\", \"bb\", \"c\"], of = \"tenant\" }}\nts = {{ type = \"timestamp\", unit = \"{}\"{late} }}",
        draw.of(&["1", "100", "5000"]),
        draw.of(&LAWS),
        draw.of(&LAWS),
        draw.of(&["ms", "s"]),
    ));
    let writes = draw.within(0, 3);
    for write in 0..writes {
        line(format!("[write.w{write}]"));
        let rate = if long {
            draw.within(1, 300)
        } else {
            draw.within(100, 20_000)
        };
        match draw.within(0, 3) {
            0 => line(format!(
                "clients = {}\nthink = \"{}us\"",
                draw.within(1, 30),
                draw.of(&["200", "3000"])
            )),
            1 => line(format!(
                "each = [\"tenant\"]\nevery = \"{}ms\"",
                draw.within(20, 500)
            )),
            2 => line(format!(
                "rate = \"{rate}/s\"\nprofile = [{{ at = \"0s\", times = 1.0 }}, {{ at = \"40ms\", times = 3.0 }}, {{ at = \"50ms\", times = 0.0 }}]"
            )),
            _ => line(format!(
                "rate = \"{rate}/s\"\narrivals = \"{}\"",
                draw.of(&["poisson", "constant"])
            )),
        }
        if draw.one_in(4) {
            line("kind = \"increment\"".to_owned());
        }
        if draw.one_in(4) {
            line("with = { tenant = 3 }".to_owned());
        }
        if draw.one_in(2) {
            line(format!(
                "[existing.w{write}]\nrecords = {}\nlast = \"{}\"",
                draw.of(&["5", "4000", "90_000_000"]),
                draw.of(&["1h", "20d"])
            ));
        }
    }
    if writes == 0 {
        line(format!(
            "[existing.rows]\nrecords = {}\nlast = \"2d\"",
            draw.of(&["1", "3000", "7_000_000"])
        ));
    }
    for read in 0..draw.within(u64::from(writes == 0), 2) {
        line(format!("[read.r{read}]"));
        line(
            draw.of(&[
                "equal = [\"id\"]",
                "equal = [\"id\", \"ts\"]",
                "equal = [\"tenant\"]\nnewest = { field = \"ts\", rows = 3 }",
                "newest = { field = \"ts\", rows = 7 }",
                "range = { field = \"ts\", last = \"1m\" }",
                "equal = [\"tenant\"]\nrange = { field = \"ts\", last = \"1h\", ago = \"2h\" }",
                "in = { id = 5 }",
                "equal = [\"tenant\"]\npage = { field = \"ts\", size = 4, number = 3, via = \"offset\" }",
                "equal = [\"kind\"]",
                "equal = [\"tenant\", \"id\"]\npick = { id = { zipf = 1.1 } }",
            ])
            .to_owned(),
        );
        match draw.within(0, 2) {
            0 => line(format!(
                "rate = \"{}/s\"",
                if long { 5 } else { draw.within(10, 3_000) }
            )),
            1 => line(format!("clients = {}", draw.within(1, 5))),
            _ => {}
        }
    }
    line(format!(
        "[table]\nvalue = \"{}\"",
        draw.of(&["1B", "100B", "20KB"])
    ));
    if long || draw.one_in(3) {
        line(format!(
            "split_policy = \"{}\"\nmax_file_size = \"1MB\"\nmemstore_flush_size = \"200KB\"\ndischarger_period = \"1s\"\nblocking_store_files = {}",
            draw.of(&["stepping", "constant-size", "increasing", "disabled"]),
            draw.within(1, 6),
        ));
    }
    line(format!(
        "placement = \"{}\"",
        draw.of(&["dealt", "in-order", "grown"])
    ));
    line(format!(
        "[balancer]\npolicy = \"{}\"\nperiod = \"1s\"\nsamples = \"1s\"",
        draw.of(&["none", "simple", "stochastic", "load"])
    ));
    if draw.one_in(3) {
        line(format!(
            "[neighbour.other]\nregions = 5\nwrite_rate = \"{}/s\"\nread_rate = \"20/s\"\nhottest = 0.4",
            draw.within(0, 500)
        ));
    }
    let events = [
        "crash = \"hottest\"",
        "slow = { server = 0, times = 6.0, for = \"30ms\" }",
        "add_servers = 2",
        "split = ['b']",
    ];
    if draw.one_in(3) {
        line(format!(
            "[[event]]\nat = \"{}ms\"\n{}",
            draw.within(0, 50),
            draw.of(&events)
        ));
    }
    for strategy in 0..draw.within(1, 3) {
        line(format!(
            "[strategy.s{strategy}]\nkey = \"{}\"\npresplit = {}",
            draw.of(&KEYS),
            draw.of(&PRESPLITS)
        ));
        if draw.one_in(6) {
            line(format!("copies = [\"{}\"]", draw.of(&KEYS)));
        }
    }
    text
}

/// What is true of every run, whatever it simulates; the first thing that isn't.
fn breach(results: &Results) -> Option<String> {
    results.strategies.iter().find_map(|strategy| {
        let name = &strategy.name;
        uncounted(strategy)
            .or_else(|| out_of_bounds(strategy))
            .or_else(|| unordered(strategy))
            .map(|breach| format!("{name}: {breach}"))
    })
}

/// Offered = completed + failed + in flight, of every kind of operation.
fn uncounted(strategy: &StrategyResult) -> Option<String> {
    let writes = strategy.writes.iter().map(|it| (&it.name, it.counts));
    let reads = strategy.reads.iter().map(|it| (&it.name, it.counts));
    let neighbours = strategy.neighbours.iter().map(|it| (&it.name, it.counts));
    let all = [(&strategy.name, strategy.counts)];
    let mut counts = all.into_iter().chain(writes).chain(reads).chain(neighbours);
    counts
        .find(|(_, it)| it.offered != it.completed + it.failed + it.in_flight)
        .map(|(name, counts)| format!("{name} does not add up: {counts:?}"))
}

/// Every value of every metric, in every replicate, lies within its definition's range.
fn out_of_bounds(strategy: &StrategyResult) -> Option<String> {
    strategy.values.iter().find_map(|(path, values)| {
        let Some(definition) = strategy.definition(path) else {
            return Some(format!("{path} is in no catalogue"));
        };
        let (least, most) = definition.range_with(strategy.servers + 2);
        // Ratios are rounded; the events add at most two servers.
        let slack = 1e-9 * most.abs().clamp(1.0, 1e12);
        let outside =
            |value: &f64| !value.is_finite() || *value < least - slack || *value > most + slack;
        let wrong = values.iter().flatten().find(|value| outside(value));
        wrong.map(|value| format!("{path} is {value}, outside of [{least}, {most}]"))
    })
}

/// p50 <= p90 <= p99 <= p999 <= max, in every replicate.
fn unordered(strategy: &StrategyResult) -> Option<String> {
    let families = strategy
        .values
        .keys()
        .filter_map(|path| path.strip_suffix(".p50"));
    families.into_iter().find_map(|family| {
        let parts: Vec<&Vec<Option<f64>>> = ["p50", "p90", "p99", "p999", "max"]
            .iter()
            .filter_map(|part| strategy.values.get(&format!("{family}.{part}")))
            .collect();
        let pairs = parts
            .windows(2)
            .flat_map(|pair| pair[0].iter().zip(pair[1]));
        // Three digits are kept.
        let mut wrong = pairs
            .filter_map(|(low, high)| low.zip(*high))
            .filter(|(low, high)| *low > high * 1.002);
        wrong
            .next()
            .map(|(low, high)| format!("{family}: a lower quantile is {low}, a higher one {high}"))
    })
}

/// Events that one attempt of a call can take: its way there, its service, the sync of its log, the way back, and the pause before the next.
const EVENTS_OF_AN_ATTEMPT: f64 = 5.0;

/// More events than the run's operations can need; `None` when there are no more.
///
/// Each operation is intended or thought of once, and takes a call a table (a read, those that it is planned to take), each of which is tried at most
/// once more than the setting of retries. Besides them, disks end flushes and compactions (each change of a disk's jobs is an event, at the beginning
/// and the end of each), regions open, split, move and look after their memstores, and the master works once a second.
fn too_many_events(scenario: &Scenario, run: &RunResult) -> Option<String> {
    let setups = scenario.strategies.iter().map(|strategy| &strategy.setup);
    let retries = setups.clone().map(|setup| setup.client.retries).max();
    let servers = setups.map(|setup| setup.cluster.servers + 2).max();
    let (retries, servers) = (retries.unwrap_or(0), servers.unwrap_or(0));
    let copies = scenario.strategies.iter().map(|it| it.copies.len()).max();
    let tables = 1.0 + copies.unwrap_or(0) as f64;
    let metric = |id: MetricId| run.metrics.get(id).unwrap_or(0.0);
    let regions =
        metric(MetricId::RegionsEnd) + 2.0 * (metric(MetricId::Splits) + metric(MetricId::Merges));
    let of_calls = |calls: f64| 1.0 + calls * EVENTS_OF_AN_ATTEMPT * (f64::from(retries) + 1.0);
    let writes = run.writes.counts.offered as f64 * of_calls(tables);
    let neighbours = run.neighbours.each.iter().map(|it| it.counts.offered);
    let neighbours = neighbours.sum::<u64>() as f64 * of_calls(1.0);
    let of_read = |read: &OperationRun| {
        let planned = read.metrics.get(MetricId::CallsPlanned);
        // The mean is that of the reads of the window, of which there may be few; and each region may divide while it is read.
        let calls = 4.0 * planned.unwrap_or(0.0) + 4.0 * regions + 50.0;
        read.counts.offered as f64 * of_calls(calls)
    };
    let reads: f64 = run.reads.each.iter().map(of_read).sum();
    let seconds = scenario.time.duration.as_secs_f64();
    let jobs = metric(MetricId::Flushes) + metric(MetricId::Compactions) + metric(MetricId::Splits);
    let others = 4.0 * jobs
        + 10.0 * (regions + metric(MetricId::Moves))
        + 10.0 * (seconds + 1.0) * f64::from(servers);
    let most = writes + neighbours + reads + others;
    (run.events as f64 > most).then(|| {
        format!(
            "{} events where {writes:.0} of writes, {reads:.0} of reads, {neighbours:.0} of neighbours and {others:.0} others are enough",
            run.events
        )
    })
}

#[test]
fn what_must_be_true_of_any_run_is_true_of_random_valid_scenarios() {
    let wanted: u64 = std::env::var("KEYHEAT_RANDOM").map_or(300, |count| {
        count.parse().expect("KEYHEAT_RANDOM is a number")
    });
    let style = Style {
        width: 100,
        ascii: false,
        colour: false,
    };
    let (mut scenarios, mut tried) = (Vec::new(), 0);
    while (scenarios.len() as u64) < wanted {
        let mut draw = Draw(Xoshiro256PlusPlus::seed_from_u64(tried));
        tried += 1;
        assert!(
            tried < 20 * wanted + 200,
            "only {} of {tried} are valid",
            scenarios.len()
        );
        let text = scenario(&mut draw);
        if let Ok(scenario) = Scenario::parse(&text, "random") {
            scenarios.push((tried, text, scenario));
        }
    }
    let try_one = |nth: usize, (tried, text, scenario): &(u64, String, Scenario)| {
        let runs = Experiment::new(scenario).threads(1).start();
        let runs = runs.expect("the system gives a thread");
        let wasteful = Mutex::new(None);
        runs.run(
            Shard::ALL,
            &AtomicBool::new(false),
            |_| {},
            |run| {
                let breach = run.result().and_then(|it| too_many_events(scenario, it));
                let mut first = wasteful.lock().unwrap();
                let named = breach.map(|breach| format!("{}: {breach}", runs.name(run.job)));
                *first = first.take().or(named);
            },
        );
        let wasteful = wasteful.into_inner().unwrap();
        let results = runs.results().expect("every run was made");
        if let Some(breach) = wasteful.or_else(|| breach(&results)) {
            panic!("number {tried}: {breach}\n{text}");
        }
        for format in [Format::Table, Format::Markdown, Format::Csv] {
            let shown = Report::new(&results).render(format, style);
            assert!(
                !shown.contains("NaN") && !shown.contains(" inf"),
                "number {tried}: {shown}"
            );
        }
        if (nth + 1).is_multiple_of(20) {
            let again = Experiment::new(scenario).threads(3).run(|_| {});
            assert_eq!(results, again, "number {tried}\n{text}");
        }
    };
    // Threads of their own: a job of rayon that waits for others takes up one of its own kind meanwhile, and two thousand of these would lie on one stack.
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, |it| it.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let nth = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(drawn) = scenarios.get(nth)
                {
                    try_one(nth, drawn);
                }
            });
        }
    });
}
