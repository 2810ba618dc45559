//! Knees of small experiments, and what several bisections say together.

use super::knee_result::{KneeFinding, KneeOutcome, KneeProbe, KneeReplicate, KneeResult};
use super::runs::StrategyRuns;
use super::{Experiment, Measure, Metric, Results};
use crate::metrics::OperationNames;
use crate::scenario::Scenario;

/// One handler that takes exactly 10 ms a row, without a network or a write-ahead log; arrivals are even, so that nothing ever waits below
/// 100/s, and everything does above.
fn text(knee: &str) -> String {
    format!(
        "replicates = 2\n[time]\nduration = \"30s\"\nwarmup = \"10s\"\n\
         [field]\nid = {{ type = \"int\", count = 9 }}\n[write.w]\nrate = \"5/s\"\narrivals = \"constant\"\n\
         [cluster]\nservers = 1\nhandlers = 1\ncall_queues = 1\nnetwork = \"0us\"\n\
         service = {{ distribution = \"constant\", put = \"10ms\" }}\nwal = {{ mode = \"off\" }}\n\
         [strategy.a]\nkey = \"be4(id)\"\n[knee]\nvary = \"write.w.rate\"\n{knee}"
    )
}

fn results(knee: &str) -> Results {
    let scenario = Scenario::parse(&text(knee), "small").unwrap_or_else(|error| panic!("{error}"));
    Experiment::new(&scenario).run(|_| {})
}

fn number(results: &Results, metric: &str) -> Measure {
    match &results.strategies[0].metrics[metric] {
        Metric::Number(measure) => *measure,
        other => panic!("{other:?}"),
    }
}

fn knee(results: &Results) -> &KneeResult {
    results.strategies[0].knee.as_ref().expect("a knee")
}

#[test]
fn a_server_without_chance_has_its_knee_where_it_is_full() {
    let results = results(
        "limit = [{ metric = \"write_response_ms.p99\", below = 15 }, { metric = \"write_failed_fraction\", below = 0.5 }]\n",
    );
    let found = knee(&results);
    assert_eq!(found.outcome, KneeOutcome::Found);
    assert_eq!(found.binding, ["write_response_ms.p99"]);
    for replicate in &found.replicates {
        let (held, broken) = (
            replicate.held_per_sec.unwrap(),
            replicate.broken_per_sec.unwrap(),
        );
        assert!((broken / held / 1.01 - 1.0).abs() < 1e-9);
        // At most as full as can be, and less than a step beyond; a queue of 5 ms builds up within 20 s of 0.03 % too much.
        assert!(held < 100.1 && broken > 100.0, "{held}, {broken}");
        assert!(replicate.probes.len() <= 12, "{}", replicate.probes.len());
    }
    let per_sec = number(&results, "knee_per_sec");
    assert_eq!(per_sec.n, 2);
    assert!((98.5..101.5).contains(&per_sec.mean.unwrap()));
    // Arrivals of the capacity run are those of a closed loop: exactly 100/s but for the ends of its window.
    let servers = number(&results, "knee_in_servers").mean.unwrap();
    assert!((0.98..1.02).contains(&servers), "{servers}");
    let values = &results.strategies[0].values["knee_per_sec"];
    assert_eq!(values[0], found.replicates[0].per_sec());
    assert!(
        found.sentence.contains("; beyond it p99 exceeds 15 ms")
            && found.sentence.contains("1.0 servers' worth"),
        "{}",
        found.sentence
    );
}

#[test]
fn limits_that_nothing_breaks_leave_a_lower_bound_and_those_that_everything_breaks_nothing() {
    let at_least = results(
        "to = \"40/s\"\nprecision = 0.1\nlimit = [{ metric = \"write_response_ms.p99\", below = 15 }]\n\
         [[expect]]\nstrategy = \"a\"\nmetric = \"knee_per_sec\"\nabove = 1\n\
         [[expect]]\nstrategy = \"a\"\nmetric = \"knee_per_sec\"\nbelow = 1e9\n",
    );
    assert_eq!(knee(&at_least).outcome, KneeOutcome::AtLeast);
    let bound = number(&at_least, "knee_per_sec");
    assert!(bound.censored && bound.high.is_none(), "{bound:?}");
    assert!((36.0..=40.0 + 1e-6).contains(&bound.mean.unwrap()));
    // A lower bound proves what lies below it, and nothing of what lies above.
    let held: Vec<bool> = at_least.expectations.iter().map(|it| it.holds).collect();
    assert_eq!(held, [true, false]);

    let none = results("limit = [{ metric = \"write_response_ms.p99\", below = 5 }]\n");
    assert_eq!(knee(&none).outcome, KneeOutcome::Below);
    assert_eq!(number(&none, "knee_per_sec"), Measure::UNDEFINED);
    assert_eq!(number(&none, "knee_in_servers"), Measure::UNDEFINED);
    let sentence = &knee(&none).sentence;
    assert!(
        sentence.starts_with("sustains no load within the limits"),
        "{sentence}"
    );
}

#[test]
fn what_is_undefined_or_unfinished_holds_no_limit() {
    // Nothing is ever read: there is no such response time.
    let undefined = results("limit = [{ metric = \"read_response_ms.p99\", below = 5 }]\n");
    assert_eq!(knee(&undefined).outcome, KneeOutcome::Below);
    let finding = &knee(&undefined).replicates[0].probes[0].findings[0];
    assert_eq!((finding.value, finding.holds), (None, false));
    // At several times what the server can do more than half is unfinished: each value is a lower bound.
    let overloaded = results(
        "from = \"300/s\"\nto = \"600/s\"\nlimit = [{ metric = \"write_response_ms.p50\", below = 1000000 }]\n",
    );
    let probes = &knee(&overloaded).replicates[0].probes;
    assert!(probes.iter().all(|probe| probe.findings[0].censored));
    assert_eq!(knee(&overloaded).outcome, KneeOutcome::Below);
}

#[test]
fn one_replicate_without_a_knee_leaves_none_and_one_without_an_end_a_lower_bound() {
    let text = text(
        "limit = [{ metric = \"write_response_ms.p99\", below = 15 }, { metric = \"splits\", below = 4 }]\n",
    );
    let scenario = Scenario::parse(&text, "small").unwrap_or_else(|error| panic!("{error}"));
    let asked = scenario.strategies[0].setup.knee.as_ref().unwrap();
    let ended = |held: Option<f64>, broken: Option<f64>, limit: usize| KneeReplicate {
        held_per_sec: held,
        broken_per_sec: broken,
        probes: vec![KneeProbe {
            per_sec: broken.or(held).unwrap(),
            findings: (0..2)
                .map(|at| KneeFinding {
                    value: Some(1.0),
                    censored: false,
                    holds: broken.is_none() || at != limit,
                })
                .collect(),
        }],
    };
    let of = |knees: &[KneeReplicate]| {
        let names = OperationNames::default();
        let mut runs = StrategyRuns::new(knees.len(), &names, 1);
        runs.knees = knees.iter().cloned().map(Some).collect();
        runs.knee_result(asked)
    };
    let found = of(&[
        ended(Some(90.0), Some(92.0), 1),
        ended(Some(91.0), Some(93.0), 0),
        ended(Some(90.0), Some(92.0), 1),
    ]);
    // The first limit broke in one replicate of three.
    assert_eq!(
        (found.outcome, &found.binding[..]),
        (KneeOutcome::Found, &["splits".to_owned()][..])
    );
    let open = of(&[ended(Some(90.0), Some(92.0), 0), ended(Some(99.0), None, 0)]);
    assert_eq!(open.outcome, KneeOutcome::AtLeast);
    assert_eq!(open.binding, ["write_response_ms.p99"]);
    let none = of(&[ended(None, Some(2.0), 0), ended(Some(99.0), None, 0)]);
    assert_eq!(none.outcome, KneeOutcome::Below);
}

#[test]
fn progress_counts_a_bisection_as_so_many_runs() {
    let text = text("limit = [{ metric = \"write_response_ms.p99\", below = 15 }]\n");
    let scenario = Scenario::parse(&text, "small").unwrap_or_else(|error| panic!("{error}"));
    let experiment = Experiment::new(&scenario).threads(1);
    let told = std::sync::Mutex::new(Vec::new());
    experiment.run(|progress| told.lock().unwrap().push(progress.done));
    let told = told.into_inner().unwrap();
    assert!(told.windows(2).all(|pair| pair[0] <= pair[1]));
    // Two replicates, a bisection of each, and the capacity.
    assert_eq!(experiment.runs(), 2 * (1 + 8) + 1);
    assert_eq!(told.last(), Some(&experiment.runs()));
}
