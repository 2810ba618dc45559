//! What a recommended strategy must keep at the file's load: the limits of its `[knee]`, or else that it completes what is offered and that
//! little fails. Must not rank.

use super::read_price::{NEARLY_ALL, is_piling_up};
use super::{KneeLimit, Measure, StrategyResult, knee_words};
use crate::metrics::{MetricId, MetricPath, Part, Side};
use crate::scenario::{Knee, Limit};
use crate::text;

/// A greater part of failed operations breaks the limit (estimate: what an operator notices).
const MOST_FAILED: f64 = 0.001;

/// The limits in words.
pub(super) fn words(knee: Option<&Knee>) -> Vec<String> {
    match knee {
        Some(knee) => {
            let limits = knee.limits.iter();
            limits.map(|limit| KneeLimit::from(limit).kept()).collect()
        }
        None => vec![
            format!(
                "at least {} of the offered operations completed",
                text::percent(NEARLY_ALL)
            ),
            "more than half of each kind of operation ended".to_owned(),
            format!("at most {} failed", text::percent(MOST_FAILED)),
        ],
    }
}

/// Those that `result` breaks, each with what was found.
pub(super) fn broken(knee: Option<&Knee>, result: &StrategyResult, replicates: u32) -> Vec<String> {
    match knee {
        Some(knee) => {
            let limits = knee.limits.iter();
            limits
                .filter_map(|limit| broken_limit(limit, result))
                .collect()
        }
        None => piling_up_or_failing(result, replicates),
    }
}

/// As in the search for the knee, what is undefined keeps no limit.
fn broken_limit(limit: &Limit, result: &StrategyResult) -> Option<String> {
    let measure = result.measure(&limit.metric).copied();
    let measure = measure.unwrap_or(Measure::UNDEFINED);
    let value = measure.merged.or(measure.mean);
    if value.is_some_and(|value| limit.bound.is_kept(value, measure.censored)) {
        return None;
    }
    let found = knee_words::found(&limit.metric, value, measure.censored);
    Some(format!(
        "{found} instead of {}",
        KneeLimit::from(limit).kept()
    ))
}

fn piling_up_or_failing(result: &StrategyResult, replicates: u32) -> Vec<String> {
    let of_writes = ("writes".to_owned(), None, result.counts);
    let reads = result.reads.iter().enumerate();
    let of_reads = reads.map(|(at, read)| (format!("read `{}`", read.name), Some(at), read.counts));
    let mut broken = Vec::new();
    for (name, read, counts) in std::iter::once(of_writes).chain(of_reads) {
        let number = |path: MetricPath| match read {
            None => result.number(path),
            Some(at) => result.number(MetricPath {
                metric: path.metric.of(Side::Read),
                ..path.of_one(Side::Read, at)
            }),
        };
        let value = |id: MetricId| number(id.whole())?.mean;
        let offered = value(MetricId::WriteOffered);
        if let Some((done, offered)) = value(MetricId::WriteThroughput).zip(offered)
            && is_piling_up(done, offered, &counts, replicates)
        {
            let (done, offered) = (text::compact(done), text::compact(offered));
            broken.push(format!("{name}: {done} of {offered} a second completed"));
        }
        if let Some(median) = number(MetricId::WriteResponse.at(Part::P50))
            && median.censored
        {
            broken.push(format!("{name}: half of them did not end"));
        }
        if let Some(failed) =
            value(MetricId::WriteFailedFraction).filter(|failed| *failed > MOST_FAILED)
        {
            broken.push(format!("{name}: {} failed", text::percent(failed)));
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::super::{Experiment, Recommendations};
    use crate::scenario::Scenario;

    /// Two servers of one handler that takes exactly 10 ms a row: 130/s are too much for one, and two thirds of what both can do.
    fn text(knee: &str) -> String {
        format!(
            "replicates = 2\n[time]\nduration = \"6s\"\nwarmup = \"1s\"\n\
             [field]\nid = {{ type = \"int\", count = 4096 }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
             [write.w]\nrate = \"130/s\"\narrivals = \"constant\"\n[table]\nsplit_policy = \"disabled\"\n\
             [cluster]\nservers = 2\nhandlers = 1\ncall_queues = 1\nnetwork = \"0us\"\n\
             service = {{ distribution = \"constant\", put = \"10ms\" }}\nwal = {{ mode = \"off\" }}\n\
             [strategy.rising]\nkey = \"be8(ts) || be4(id)\"\n\
             [strategy.spread]\nkey = \"md5_bytes(be4(id)) || be8(ts)\"\npresplit = {{ algorithm = \"uniform\", regions = 2 }}\n{knee}"
        )
    }

    #[test]
    fn the_limits_of_a_knee_are_those_of_the_recommendation_and_its_load_what_a_strategy_takes() {
        let knee = "[knee]\nvary = \"write.w.rate\"\nprecision = 0.05\n\
            limit = [{ metric = \"write_response_ms.p99\", below = 400 }, { metric = \"write_goodput_fraction\", above = 0.5 }]\n";
        let advise = |knee: &str| {
            let scenario =
                Scenario::parse(&text(knee), "two").unwrap_or_else(|error| panic!("{error}"));
            let results = Experiment::new(&scenario).run(|_| {});
            Recommendations::of(&scenario, &results)
        };
        let found = advise(knee);
        assert_eq!(found.limits, ["p99 below 400 ms", "goodput above 50 %"]);
        let [spread, rising] = &found.groups[0].strategies[..] else {
            panic!("{found:?}")
        };
        assert_eq!((&spread.name[..], &rising.name[..]), ("spread", "rising"));
        assert!(spread.broken_limits.is_empty(), "{spread:?}");
        // Of 130/s one server completes 100/s: goodput stays above one half.
        assert_eq!(rising.broken_limits.len(), 1, "{rising:?}");
        let broken = &rising.broken_limits[0];
        assert!(
            broken.starts_with("p99 over ") && broken.ends_with(" instead of p99 below 400 ms"),
            "{broken}"
        );
        // One server is full at 100/s; what p99 then lets pass in five seconds is less than a tenth.
        let knee = rising.knee_per_sec.expect("a knee");
        assert!((95.0..112.0).contains(&knee), "{knee}");
        assert!(spread.knee_per_sec > Some(1.6 * knee), "{spread:?}");

        let found = advise("");
        assert_eq!(
            found.limits,
            [
                "at least 99 % of the offered operations completed",
                "more than half of each kind of operation ended",
                "at most 0.1 % failed"
            ]
        );
        assert!(found.groups[0].strategies[1].broken_limits[0].contains("a second completed"));
        assert_eq!(found.groups[0].strategies[1].knee_per_sec, None);
    }
}
