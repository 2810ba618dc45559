//! Knees against closed forms, across keys, and on any number of threads.

use keyheat::experiment::{Experiment, KneeOutcome, Metric, Results, StrategyResult};
use keyheat::scenario::Scenario;

fn run(text: &str, threads: usize) -> Results {
    let scenario = Scenario::parse(text, "knee").unwrap_or_else(|error| panic!("{error}"));
    Experiment::new(&scenario).threads(threads).run(|_| {})
}

fn knees(strategy: &StrategyResult) -> Vec<f64> {
    let knee = strategy.knee.as_ref().expect("a knee");
    assert_eq!(knee.outcome, KneeOutcome::Found, "{}", knee.sentence);
    let replicates = knee.replicates.iter();
    replicates.map(|one| one.per_sec().unwrap()).collect()
}

/// Mean and its standard error.
fn estimate(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}

const PRECISION: f64 = 0.01;

/// `servers` of one handler each, of 1 ms exponential service, with one queue and nothing else.
fn single_handlers(servers: u32, strategies: &str) -> String {
    format!(
        "seed = 5\nreplicates = 8\n[time]\nduration = \"26s\"\nwarmup = \"1s\"\n\
         [field]\nid = {{ type = \"int\", count = 65_536 }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
         [cluster]\nservers = {servers}\nhandlers = 1\ncall_queues = 1\ncall_queue_length = 1_000_000\nnetwork = \"0us\"\n\
         service = {{ put = \"1ms\" }}\nwal = {{ mode = \"off\" }}\n\
         [write.w]\nrate = \"100/s\"\n[table]\nsplit_policy = \"disabled\"\n{strategies}\
         [knee]\nvary = \"write.w.rate\"\nprecision = {PRECISION}\nlimit = [{{ metric = \"write_response_ms.p99\", below = 15 }}]\n"
    )
}

#[test]
fn the_knee_of_a_single_handler_is_that_of_m_m_1() {
    let results = run(&single_handlers(1, "[strategy.a]\nkey = \"be4(id)\"\n"), 2);
    let strategy = &results.strategies[0];
    let (mean, error) = estimate(&knees(strategy));
    // A response time of M/M/1 is exponential of rate mu - lambda: its p99 is 15 ms at lambda = mu + ln(0.01) / 15 ms.
    let expected = 1_000.0 + 0.01f64.ln() / 0.015;
    // The rounding to the grid is at most half a step, and evened out by the replicates' own grids. The quantile of a finite run bends the knee
    // by ln(100) / p99 times its squared relative error: 307/s * (5 %)^2 is below 1/s.
    let tolerance = 4.0 * error + 1.0;
    assert!(
        (mean - expected).abs() < tolerance,
        "{mean} +- {error}, theory {expected}"
    );
    // What the tolerance lets pass is small.
    assert!(error < 0.01 * expected, "{error}");
    let Metric::Number(measure) = &strategy.metrics["knee_in_servers"] else {
        panic!("a number")
    };
    // The capacity is that of a closed loop of 20,000 exponential services: 0.7 %, four times.
    let servers = measure.mean.unwrap();
    assert!((servers / (mean / 1_000.0) - 1.0).abs() < 0.03, "{servers}");
}

#[test]
fn a_key_that_follows_time_has_an_eighth_of_the_knee_of_a_hashed_one() {
    let strategies = "[strategy.time]\nkey = \"be8(ts) || be4(id)\"\n\
        [strategy.hashed]\nkey = \"md5_bytes(be4(id))\"\npresplit = { algorithm = \"uniform\", regions = 8 }\n";
    let results = run(&single_handlers(8, strategies), 2);
    let [time, hashed] = [0, 1].map(|at| knees(&results.strategies[at]));
    let logs: Vec<f64> = hashed
        .iter()
        .zip(&time)
        .map(|(a, b)| (a / b).ln())
        .collect();
    let (mean, error) = estimate(&logs);
    // Poisson arrivals thinned to an eighth are Poisson arrivals. Of 65,536 ids an eighth plus or minus 1 % hash to each server; the greatest of
    // eight has 1.4 standard deviations more, 0.4 % of 4 * 0.4 % in a run, and p99 leaves a fifth of that spare capacity: 1 % either way.
    assert!(
        (mean - 8f64.ln()).abs() < 4.0 * error + PRECISION,
        "{} [-+ {error}]",
        mean.exp()
    );
    // Every run of both is on the same grid of its replicate.
    for (time, hashed) in time.iter().zip(&hashed) {
        let steps = (hashed / time).ln() / (1.0 + PRECISION).ln();
        assert!((steps - steps.round()).abs() < 1e-6, "{steps}");
    }
}

#[test]
fn threads_do_not_show_in_a_knee() {
    let text = "replicates = 3\n[time]\nduration = \"600ms\"\nwarmup = \"100ms\"\n\
        [field]\nid = { type = \"int\", count = 900 }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
        [write.w]\nrate = \"3k/s\"\n[write.other]\nclients = 2\nthink = \"1ms\"\n\
        [read.r]\nequal = [\"id\"]\nnewest = { field = \"ts\", rows = 3 }\nrate = \"200/s\"\n\
        [cluster]\nservers = 3\nhandlers = 4\ncall_queues = 1\n\
        [table]\npresplit = { algorithm = \"sampled\", regions = 6 }\n\
        [strategy.a]\nkey = \"be4(id) || be8(rev_ts(ts))\"\n\
        [strategy.b]\nkey = \"be8(ts) || be4(id)\"\ncopies = [\"be4(id) || be8(rev_ts(ts))\"]\n\
        [knee]\nprecision = 0.05\nlimit = [{ metric = \"write.w.response_ms.p90\", below = 12 }, { metric = \"read.r.goodput_fraction\", above = 0.99 }]\n";
    for vary in ["write.w.rate", "read.r.rate"] {
        let text = format!("{text}vary = \"{vary}\"\n");
        let json = |threads| serde_json::to_string(&run(&text, threads)).unwrap();
        let one = json(1);
        assert!(one == json(2), "{vary}");
        assert!(one.contains("\"knee\":{"));
    }
}

/// An append writes all that its row holds. Of r a second over 6 s each of 100 rows gets 0.06 r of 20 B, of which an append finds half: it takes 44 + 10 (0.06 r + 1) B of the log, whose 10 MiB a second are
/// full at the root of 0.6 r^2 + 54 r = 10,485,760, 4,136. The grid has steps of 1 %, calls that share a sync leave the log idle for a moment, and 1 % may fail: within 5 %.
#[test]
fn values_that_are_appended_to_are_as_large_as_the_load_that_is_tried_makes_them() {
    for rate in [200, 2_000] {
        let results = run(
            &format!(
                "seed = 5\nreplicates = 2\n[time]\nduration = \"6s\"\nwarmup = \"1s\"\n[cluster]\nservers = 1\n\
                 [field]\nid = {{ type = \"int\", count = 100 }}\n[table]\nvalue = \"20B\"\nsplit_policy = \"disabled\"\n\
                 [write.w]\nrate = \"{rate}/s\"\nkind = \"append\"\n[strategy.a]\nkey = \"be4(id)\"\n\
                 [knee]\nvary = \"write.w.rate\"\nlimit = [{{ metric = \"write_goodput_fraction\", above = 0.99 }}]\n"
            ),
            2,
        );
        for knee in knees(&results.strategies[0]) {
            assert!((knee / 4_136.0 - 1.0).abs() < 0.05, "at {rate}/s: {knee}");
        }
    }
}
