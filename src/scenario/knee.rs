//! `[knee]`: which load is varied, between what, and which limits it must keep.

use super::metric_names;
use super::model::{Knee, Limit, LimitBound, VariedLoad};
use super::prelude::*;
use crate::metrics::{MetricPath, OperationNames, Source};
use crate::settings::{any_number, json, number, rate, text};
use crate::time::{SimDuration, SimTime};
use crate::units::PerSecond;
use crate::workload::{LoadModel, ReadLoadModel};

crate::settings! {
    /// Searches the highest load that each strategy sustains within limits.
    pub(super) static KNEE("knee", r#""required": ["vary", "limit"]"#) {
        /// The rate that is varied: `write.ingest.rate`.
        vary = text(r#""pattern": "^(write|read)\\.[a-z0-9][a-z0-9-]*\\.rate$""#),
        /// What must hold at a load that is sustained.
        limit = json(r#""type": "array", "minItems": 1, "maxItems": 64, "items": "@limit""#).with(&[&LIMIT]),
        /// The least load that is tried.
        from = rate(),
        /// The greatest load that is tried.
        to = rate(),
        /// Where the search ends: the relative distance of a load that holds and one that does not.
        precision = number("in 0.001 ..= 0.5", 0.001, 0.5, (true, true)).or("0.01"),
    }

    /// A metric, and the bounds within which a load is sustained.
    pub(super) static LIMIT("limit", r#""anyOf": [{ "required": ["above"] }, { "required": ["below"] }]"#) {
        /// The metric that has to stay within this limit.
        metric = json("@metric").needs("\"write_response_ms.p99\""),
        /// It stays above this number.
        above = any_number(),
        /// It stays below this number.
        below = any_number(),
    }
}

const BOUNDS: [&str; 2] = ["above", "below"];

/// Mean response time over the strictest limit on a response time, when a load is near its knee (estimate: in short runs, whose queues only
/// begin to grow, p99 is about twice the mean).
const MEAN_AT_THE_LIMIT: f64 = 0.5;
/// Mean response time near a knee without a limit on response times (estimate: a few times that of an idle server).
const MEAN_WITHOUT_LIMIT_MS: f64 = 10.0;

/// Operations that the lowest load leaves in the window by default: ten of them lie beyond the 99th percentile.
const FEWEST: f64 = 1_000.0;
/// The lowest load by default is at most this part of the highest.
const LEAST_SPAN: f64 = 0.01;
/// Operations of one run at the highest load by default, at most (estimate: beyond it nobody waits for the result).
const MOST_OPERATIONS: f64 = 1e8;

/// Most limits (estimate).
const MOST_LIMITS: usize = 64;

/// Reads `[knee]`; `setup` is all that the scenario says otherwise.
pub(super) fn read_knee(scenario: &Reader<'_>, time: &TimeSpec, setup: &Setup) -> Option<Knee> {
    scenario.inside("knee", |knee| {
        let load = read_vary(knee, setup);
        let limits = read_limits(knee, setup);
        if let Some(limits) = &limits {
            warn_of_the_end(knee, time, limits);
        }
        let precision = knee.value("precision");
        let (from, to) = read_span(knee, time, setup, load)?;
        Some(Knee {
            vary: knee.text("vary")?.to_owned(),
            load: load?,
            limits: limits?,
            from,
            to,
            precision,
        })
    })
}

/// Whose rate `vary` names.
fn read_vary(knee: &Reader<'_>, setup: &Setup) -> Option<VariedLoad> {
    const OPEN: &str = "expected an open loop, one with a `rate`";
    let (writes, reads) = (&setup.workload.writes, &setup.workload.reads);
    let first = writes.first().map(|write| format!("write.{}", write.name));
    let first = first.or_else(|| reads.first().map(|read| format!("read.{}", read.name)));
    let first = first.unwrap_or_else(|| "write.ingest".to_owned());
    knee.missing("vary", &format!("\"{first}.rate\""));
    let path = knee.text("vary")?;
    let parts: Vec<&str> = path.split('.').collect();
    let [kind @ ("write" | "read"), name, "rate"] = parts[..] else {
        let label = "expected the rate of an open loop, as in `write.ingest.rate`";
        knee.refuse("vary", format!("`{path}` is no load"), label);
        return None;
    };
    let names: Vec<&str> = match kind {
        "write" => writes.iter().map(|write| write.name.as_str()).collect(),
        _ => reads.iter().map(|read| read.name.as_str()).collect(),
    };
    let Some(at) = names.iter().position(|known| *known == name) else {
        let diagnostic = Diagnostic::error(format!("there is no {kind} `{name}`"));
        let diagnostic = diagnostic.label("its rate can't be varied");
        knee.complain("vary", diagnostic.hint(suggest(name, names)));
        return None;
    };
    let mut help = None;
    let (is, label) = match kind {
        "read" => match &reads[at].load {
            Some(ReadLoadModel::Open { .. }) => return Some(VariedLoad::Read(at)),
            Some(ReadLoadModel::Closed { .. }) => ("a closed loop", OPEN),
            None => {
                help = Some(format!("give `[read.{name}]` a `rate`"));
                ("planned, not issued", OPEN)
            }
        },
        _ => match &writes[at].load {
            LoadModel::Open { import: None, .. } => return Some(VariedLoad::Write(at)),
            LoadModel::Open { .. } => {
                let label = "a load that lasts is varied, not one that ends with its last row";
                ("a finite import", label)
            }
            LoadModel::Closed { .. } => ("a closed loop", OPEN),
            LoadModel::Periodic(_) => ("a beat", OPEN),
        },
    };
    let diagnostic = Diagnostic::error(format!("`{kind}.{name}` is {is}")).label(label);
    knee.complain("vary", diagnostic.hint(help));
    None
}

/// `from` and `to`. `load` is `None` when it could not be read.
fn read_span(
    knee: &Reader<'_>,
    time: &TimeSpec,
    setup: &Setup,
    load: Option<VariedLoad>,
) -> Option<(PerSecond, PerSecond)> {
    let given = |key: &'static str| {
        let rate = knee.given::<PerSecond>(key);
        if rate == Some(PerSecond(0.0)) {
            let message = format!("`knee.{key}` is zero");
            knee.refuse(key, message, "must be greater than 0");
        }
        rate.filter(|rate| rate.0 > 0.0)
    };
    let (from, to) = (given("from"), given("to"));
    if (knee.has("from") && from.is_none()) || (knee.has("to") && to.is_none()) {
        return None;
    }
    let load = load?;
    let default =
        |key: &'static str, rate: PerSecond| knee.value_or::<PerSecond>(key, &rate.to_string());
    let to = to.unwrap_or_else(|| {
        let least = 2.0 * from.map_or(0.0, |from| from.0);
        default("to", PerSecond(load.default_to(setup).0.max(least)))
    });
    let window_s = time.duration.as_secs_f64() - time.warmup.as_secs_f64();
    let from = from.unwrap_or_else(|| default("from", default_from(window_s.max(1e-9), to)));
    if from.0 * 2.0 > to.0 {
        let key = if knee.has("from") { "from" } else { "to" };
        let message = format!("the search goes from {from} to {to}");
        let label = "`to` must be at least twice `from`";
        knee.refuse(key, message, label)?;
    }
    Some((from, to))
}

/// Operations that wait at the end of the window are not done: in a short one these alone break a limit on the part that is.
fn warn_of_the_end(knee: &Reader<'_>, time: &TimeSpec, limits: &[Limit]) {
    let window_s = time.duration.as_secs_f64() - time.warmup.as_secs_f64();
    let responses = limits.iter().filter_map(|limit| match limit.bound {
        LimitBound::Below(most) if limit.metric.contains("response_ms.") => Some(most),
        _ => None,
    });
    let response_ms = responses.fold(f64::INFINITY, f64::min);
    let mean_ms = match response_ms.is_finite() {
        true => MEAN_AT_THE_LIMIT * response_ms,
        false => MEAN_WITHOUT_LIMIT_MS,
    };
    for limit in limits {
        let spare = match limit.bound {
            LimitBound::Above(least) if limit.metric.ends_with("goodput_fraction") => 1.0 - least,
            LimitBound::Below(most) if limit.metric.ends_with("unfinished_fraction") => most,
            _ => continue,
        };
        if spare <= 0.0 || spare * window_s * 1e3 >= mean_ms {
            continue;
        }
        let least_s = (time.warmup.as_secs_f64() + mean_ms / 1e3 / spare).ceil();
        let metric = &limit.metric;
        let message = format!("the end of the window alone may break the limit on `{metric}`");
        let label = "what waits at the end is not done";
        let help =
            format!("make `time.duration` at least `\"{least_s}s\"`, or the limit less strict");
        let diagnostic = Diagnostic::warning(message).label(label).help(help);
        knee.complain("limit", diagnostic);
    }
}

fn read_limits(knee: &Reader<'_>, setup: &Setup) -> Option<Vec<Limit>> {
    const EXAMPLE: &str = "[{ metric = \"write_response_ms.p99\", below = 50 }]";
    knee.missing("limit", EXAMPLE);
    let items = knee.list("limit")?;
    if items.is_empty() || items.len() > MOST_LIMITS {
        let message = format!("{} limits", items.len());
        let label = match items.len() {
            0 => format!("expected at least one, as in `{EXAMPLE}`"),
            _ => format!("at most {MOST_LIMITS}"),
        };
        knee.refuse("limit", message, label)?;
    }
    let read = |(number, item)| {
        let limit = knee.item("limit", number, item, &LIMIT);
        limit.read_with(|limit| read_limit(limit, setup))
    };
    // All of them are looked at before any is given up.
    let limits: Vec<Option<Limit>> = items.iter().enumerate().map(read).collect();
    limits.into_iter().collect()
}

fn read_limit(limit: &Reader<'_>, setup: &Setup) -> Option<Limit> {
    let names = setup.operation_names();
    let metric = read_metric(limit, &names);
    let bound = read_bound(limit);
    let ((path, metric), bound) = metric.zip(bound)?;
    check_reach(limit, path, metric.definition().range(), bound);
    let metric = path.to_owned();
    Some(Limit { metric, bound })
}

fn read_metric<'a>(
    limit: &Reader<'a>,
    names: &OperationNames<'_>,
) -> Option<(&'a str, MetricPath)> {
    limit.require("metric");
    let (path, metric) = metric_names::read(limit, names)?;
    let diagnostic = if metric.words().is_some() {
        Diagnostic::error(format!("`{path}` is a word")).label("only numbers have limits")
    } else if metric.definition().source == Source::Experiment {
        let examples =
            "`write_response_ms.p99`, `write_goodput_fraction` and `utilisation_max` are some";
        Diagnostic::error(format!("`{path}` is not measured in a run"))
            .label("expected a number that follows from the load")
            .help(examples)
    } else {
        return Some((path, metric));
    };
    limit.complain("metric", diagnostic);
    None
}

fn read_bound(limit: &Reader<'_>) -> Option<LimitBound> {
    let (above, below): (Option<f64>, Option<f64>) = (limit.given("above"), limit.given("below"));
    limit.one_of(BOUNDS, "a limit without a bound", "a limit with two bounds")?;
    let above = above.map(LimitBound::Above);
    above.or(below.map(LimitBound::Below))
}

/// A limit beyond what the metric can be is always broken, or never.
fn check_reach(limit: &Reader<'_>, metric: &str, (low, high): (f64, f64), bound: LimitBound) {
    let (key, value, never, always) = match bound {
        LimitBound::Above(least) => ("above", least, least >= high, least < low),
        LimitBound::Below(most) => ("below", most, most <= low, most > high),
    };
    if !never && !always {
        return;
    }
    let adverb = if never { "never" } else { "always" };
    let message = format!("`{metric}` is {adverb} {key} {value}");
    let label = match (low, high) {
        (low, high) if high.is_finite() => format!("it lies in {low} ..= {high}"),
        (low, _) => format!("it is {low} or more"),
    };
    limit.refuse(key, message, label);
}

impl VariedLoad {
    /// Highest load by default: twice what all handlers could do at most if nothing else held them up, or as many operations as fit into
    /// a run of 100 million.
    fn default_to(self, setup: &Setup) -> PerSecond {
        let cluster = &setup.cluster;
        let service = &cluster.service;
        let shortest = match self {
            Self::Write(_) => {
                let sync = cluster.wal.as_ref().map(|wal| wal.sync);
                service.put + sync.unwrap_or(SimDuration::ZERO)
            }
            Self::Read(_) => service.get.min(service.scan),
        };
        let handlers = f64::from(setup.servers_by(SimTime::MAX)) * f64::from(cluster.handlers);
        let most = MOST_OPERATIONS / setup.workload.duration.as_secs_f64();
        let at_most = 2.0 * handlers / shortest.as_secs_f64();
        rounded(at_most.min(most).min(PerSecond::MAX.0))
    }
}

/// Lowest load by default: 1,000 operations in a window of so many seconds, or a hundredth of the highest load when that is less.
fn default_from(window_s: f64, to: PerSecond) -> PerSecond {
    rounded((FEWEST / window_s).min(LEAST_SPAN * to.0))
}

/// To three significant digits: nobody needs more, and `check --show` prints it.
fn rounded(rate: f64) -> PerSecond {
    PerSecond(format!("{rate:.2e}").parse().unwrap_or(rate))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{LimitBound, Scenario};

    fn knee(more: &str) -> Knee {
        let text = format!(
            "[time]\nduration = \"10s\"\nwarmup = \"2s\"\n[field]\nid = {{ type = \"int\", count = 9 }}\n\
             [write.other]\nrate = \"7/s\"\n[write.w]\nrate = \"500/s\"\n[read.r]\nequal = [\"id\"]\nrate = \"3/s\"\n\
             [cluster]\nservers = 3\nhandlers = 5\ncall_queues = 1\n[strategy.a]\nkey = \"be4(id)\"\n\
             [knee]\nlimit = [{{ metric = \"write_response_ms.p99\", below = 50 }}]\n{more}\n"
        );
        let scenario = Scenario::parse(&text, "knee").unwrap_or_else(|error| panic!("{error}"));
        scenario.strategies[0]
            .setup
            .knee
            .clone()
            .expect("a `[knee]`")
    }

    #[test]
    fn loads_that_are_not_said_follow_from_handlers_and_window() {
        let found = knee("vary = \"write.w.rate\"");
        assert_eq!(found.load, VariedLoad::Write(1));
        // Fifteen handlers, each held for 0.3 ms of service and 1.2 ms of sync: 10,000/s, twice.
        assert_eq!(found.to, PerSecond(20_000.0));
        // 1,000 operations in 8 s.
        assert_eq!(found.from, PerSecond(125.0));
        assert_eq!(found.precision, 0.01);
        // Fifteen handlers, each held for 1.2 ms by a Get: 12,500/s, twice.
        let found = knee("vary = \"read.r.rate\"");
        assert_eq!(
            (found.load, found.to),
            (VariedLoad::Read(0), PerSecond(25_000.0))
        );
        // A hundredth of the highest is less than 125/s.
        let found = knee("vary = \"write.w.rate\"\nto = \"4k/s\"");
        assert_eq!(
            (found.from, found.to),
            (PerSecond(40.0), PerSecond(4_000.0))
        );
        let found = knee("vary = \"write.w.rate\"\nfrom = \"80k/s\"");
        assert_eq!(
            (found.from, found.to),
            (PerSecond(80_000.0), PerSecond(160_000.0))
        );
    }

    #[test]
    fn a_value_at_its_limit_breaks_it() {
        assert!(LimitBound::Below(50.0).holds(49.9) && !LimitBound::Below(50.0).holds(50.0));
        assert!(LimitBound::Above(0.999).holds(0.9991) && !LimitBound::Above(0.999).holds(0.999));
    }

    #[test]
    fn a_window_whose_end_breaks_a_limit_is_warned_of() {
        let warnings = |duration: &str| {
            let text = format!(
                "[time]\nduration = \"{duration}\"\nwarmup = \"2s\"\n[field]\nid = {{ type = \"int\", count = 9 }}\n\
                 [write.w]\nrate = \"5/s\"\n[strategy.a]\nkey = \"be4(id)\"\n[knee]\nvary = \"write.w.rate\"\n\
                 limit = [{{ metric = \"write_response_ms.p99\", below = 50 }}, {{ metric = \"write_goodput_fraction\", above = 0.999 }}]\n"
            );
            let scenario = Scenario::parse(&text, "knee").unwrap_or_else(|error| panic!("{error}"));
            let warnings = scenario.warnings.iter();
            let texts = warnings.map(|warning| format!("{} {:?}", warning.message, warning.help));
            texts
                .filter(|text| text.contains("end of the window"))
                .collect::<Vec<_>>()
        };
        // A thousandth of the window is 24.9 ms, half of the limit on p99 25 ms.
        let [warning] = &warnings("26900ms")[..] else {
            panic!("one warning")
        };
        assert!(warning.contains("at least `\\\"27s\\\"`"), "{warning}");
        assert!(warnings("27s").is_empty());
    }

    #[test]
    fn a_sweep_over_the_load_that_is_varied_is_warned_of() {
        let warned = |path: &str| {
            let text = format!(
                "[field]\nid = {{ type = \"int\", count = 9 }}\n[write.w]\nrate = \"5/s\"\n[write.v]\nrate = \"5/s\"\n\
                 [strategy.a]\nkey = \"be4(id)\"\n[sweep]\n{path} = [\"7/s\", \"9/s\", \"11/s\"]\n\
                 [knee]\nvary = \"write.w.rate\"\nlimit = [{{ metric = \"write_response_ms.p99\", below = 50 }}]\n"
            );
            let scenario = Scenario::parse(&text, "knee").unwrap_or_else(|error| panic!("{error}"));
            let warnings = scenario.warnings.iter();
            let swept = warnings.filter(|it| it.message.contains("is swept"));
            swept
                .map(|it| it.help.clone().unwrap_or_default())
                .collect::<Vec<_>>()
        };
        let [help] = &warned("write.w.rate")[..] else {
            panic!("one warning")
        };
        assert!(help.contains("3 times"), "{help}");
        assert!(warned("write.v.rate").is_empty());
    }

    #[test]
    fn limits_may_be_tables_of_their_own() {
        let text = "[field]\nid = { type = \"int\", count = 9 }\n[write.w]\nrate = \"5/s\"\n\
            [strategy.a]\nkey = \"be4(id)\"\n[knee]\nvary = \"write.w.rate\"\n\
            [[knee.limit]]\nmetric = \"write.w.response_ms.p90\"\nbelow = 70\n\
            [[knee.limit]]\nmetric = \"write_goodput_fraction\"\nabove = 0.5\n";
        let scenario = Scenario::parse(text, "knee").unwrap_or_else(|error| panic!("{error}"));
        let knee = scenario.strategies[0].setup.knee.as_ref().unwrap();
        assert_eq!(knee.limits[0].metric, "write.w.response_ms.p90");
        assert_eq!(knee.limits[0].bound, LimitBound::Below(70.0));
        assert_eq!(knee.limits[1].bound, LimitBound::Above(0.5));
    }
}
