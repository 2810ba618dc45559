//! Loads that can't be what the author means, seen before any simulation. Must not know keys.

use crate::cluster::{ServiceLaw, server_capacity_per_second};
use crate::metrics::OPERATIONS_PER_SERVER;
use crate::scenario::{Diagnostic, Strategy, TimeSpec};
use statrs::distribution::{ContinuousCDF, Normal};

/// Below so many operations in the measurement window nothing can be said.
const FEWEST_OPERATIONS: f64 = 100.0;

/// Offered load beyond this multiple of the rough capacity is hardly meant.
const MOST_LOAD: f64 = 100.0;

/// Offered load below this fraction of it shows nothing.
const LEAST_LOAD: f64 = 0.001;

/// A run that shows all but this part of the mean square of its service times shows how long operations wait (estimate).
const MOST_UNSEEN: f64 = 0.2;

/// Lints of the load that a strategy's writes are for its cluster, and of service times that so many operations can't show. A closed loop offers
/// what the cluster takes, so only open loops and beats are judged for their rate.
pub fn load_lints(strategy: &Strategy, time: &TimeSpec) -> Vec<Diagnostic> {
    let setup = &strategy.setup;
    let servers = f64::from(setup.cluster.servers);
    let capacity = servers * server_capacity_per_second(&setup.cluster, &setup.table);
    let window = time.duration.as_secs_f64() - time.warmup.as_secs_f64();
    let offered = match setup.workload.writes.is_empty() {
        true => None,
        false => setup.workload.offered_per_sec(&setup.schema),
    };
    let draws = window * offered.map_or(capacity, |rate| rate.min(capacity));
    let mut lints = Vec::from_iter(tail_lint(setup.cluster.service.distribution, draws));
    let Some(rate) = offered else {
        return lints;
    };
    let in_interval = rate * time.sample.as_secs_f64();
    let needed = OPERATIONS_PER_SERVER as f64 * servers;
    let mut lint =
        |message: String, help: &str| lints.push(Diagnostic::warning(message).help(help));
    if rate * window < FEWEST_OPERATIONS {
        let operations = rate * window;
        let message = format!(
            "about {operations:.0} operations in the measurement window: too few to say anything"
        );
        lint(message, "raise the rate or `time.duration`");
    } else if in_interval < needed {
        let message = format!(
            "about {in_interval:.0} operations an interval on {servers} servers: the skew metrics skip intervals with fewer than {needed:.0}"
        );
        lint(message, "lengthen `time.sample` or raise the rate");
    }
    if rate > MOST_LOAD * capacity {
        let message = format!(
            "{rate:.0} operations a second are over 100 times what {servers} servers can do (about {capacity:.0})"
        );
        lint(message, "check the unit of the rate, and `cluster.servers`");
    } else if rate < LEAST_LOAD * capacity {
        let message = format!(
            "{rate:.0} operations a second are under 0.1 % of what {servers} servers can do (about {capacity:.0}): nothing will be hot"
        );
        lint(message, "check the unit of the rate");
    }
    lints
}

/// Lognormal service times whose rare long ones a run of `draws` hardly meets.
///
/// How long operations wait follows the mean square of the service times (Pollaczek and Khinchine). Of X = exp(mu + sigma Z) the part of the mean
/// square that lies beyond x is Phi(2 sigma - z) with z = (ln x - mu) / sigma, because X² weighs the normal density so that its mean is 2 sigma. The
/// longest of N draws is about the x with N P(X > x) = 1, that is z = Phi^-1(1 - 1/N): what lies beyond is not met, and missing from what is
/// measured, in most runs. At `cv` = 100 and 25,000 draws that is 98 %.
fn tail_lint(law: ServiceLaw, draws: f64) -> Option<Diagnostic> {
    let ServiceLaw::Lognormal { cv } = law else {
        return None;
    };
    let normal = Normal::standard();
    let longest = normal.inverse_cdf(1.0 - 1.0 / draws.max(2.0));
    let sigma = |cv: f64| libm::sqrt(libm::log1p(cv * cv));
    let unseen = normal.cdf(2.0 * sigma(cv) - longest);
    if unseen <= MOST_UNSEEN {
        return None;
    }
    // The sigma at which exactly so much is unseen.
    let most = ((longest + normal.inverse_cdf(MOST_UNSEEN)) / 2.0).max(0.0);
    let most = libm::sqrt(libm::expm1(most * most));
    let percent = 100.0 * unseen;
    let message = format!(
        "service times with `cv` = {cv} have a tail that a run can't show: {percent:.0} % of their mean square, which waiting follows, lies beyond the longest of about {draws:.0} draws, so that waiting comes out too short"
    );
    Some(Diagnostic::warning(message).help(format!(
        "take a `cluster.service.cv` of at most {most:.1}, which so many draws can show, or more draws by a longer `time.duration`"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{ClusterSpec, TableSpec};

    #[test]
    fn a_tail_that_a_run_cannot_show_is_told() {
        let lint = |cv: f64, draws: f64| tail_lint(ServiceLaw::Lognormal { cv }, draws);
        let told = lint(100.0, 25_000.0).unwrap();
        // sigma² = ln 10,001 = 9.2104; Phi^-1(1 - 1 / 25,000) = 3.9444: Phi(2 x 3.0349 - 3.9444) = Phi(2.1253) = 0.983.
        assert!(
            told.message.contains(": 98 % of their mean square"),
            "{}",
            told.message
        );
        // (3.9444 - 0.8416) / 2 = 1.5514, and sqrt(exp(1.5514²) - 1) = 3.18.
        assert!(told.help.unwrap().contains("at most 3.2,"));
        assert!(lint(3.1, 25_000.0).is_none() && lint(3.3, 25_000.0).is_some());
        assert!(lint(1.0, 1_000.0).is_none());
        assert!(tail_lint(ServiceLaw::Exponential, 100.0).is_none());
    }

    #[test]
    fn the_unseen_part_is_what_draws_miss() {
        use crate::cluster::{ServiceSpec, ServiceTimes};
        use crate::random::{DrawKey, Seed, Stream};
        use crate::time::SimDuration;
        // 40 runs of 2,000 draws at cv = 10: sigma² = ln 101 = 4.6151, Phi^-1(1 - 1 / 2,000) = 3.2905, unseen Phi(2 x 2.1483 - 3.2905) = 0.843.
        let times = ServiceTimes::new(&ServiceSpec {
            put: SimDuration::from_secs(1),
            distribution: ServiceLaw::Lognormal { cv: 10.0 },
            ..ClusterSpec::default().service
        });
        let mean_squares = (0..40u32).map(|run| {
            let key = DrawKey::new(Seed(3), run, Stream::Sample, 0);
            let squares = (0..2_000).map(|at| {
                let took = times.write(1, key.at(at)).as_secs_f64();
                took * took
            });
            squares.sum::<f64>() / 2_000.0
        });
        let mut mean_squares: Vec<f64> = mean_squares.collect();
        mean_squares.sort_by(f64::total_cmp);
        // The mean square is 1 + cv². The typical run sees what is not beyond its longest draw, 16 % of it; that its longest draw varies
        // from run to run moves the median within a factor of two of that.
        let seen = mean_squares[20] / 101.0;
        assert!((0.08..0.32).contains(&seen), "{seen}");
    }

    #[test]
    fn the_default_server_writes_about_twenty_thousand_rows_a_second() {
        let capacity = server_capacity_per_second(&ClusterSpec::default(), &TableSpec::default());
        // 30 handlers, each held for 0.3 ms and 1.2 ms.
        assert!((capacity - 20_000.0).abs() < 1.0, "{capacity}");
    }
}
