//! What a scenario asks of its cluster, lets happen to it, and is too short or too small for, seen before any simulation. Must not know keys.

use super::{Layout, Replicate};
use crate::cluster::{
    ClusterEvent, CrashTarget, Placement, ServiceLaw, TimedEvent, server_capacity_per_second,
};
use crate::engine::split_sizes;
use crate::metrics::OPERATIONS_PER_SERVER;
use crate::policy::balance::{Balancer, StochasticBalancer};
use crate::policy::{MAX_FILE_SIZE_JITTER, RegionPolicies, SplitPolicy};
use crate::record::{FieldId, FieldKind};
use crate::scenario::{Diagnostic, Presplit, Scenario, Setup, Strategy, TimeSpec, misfit};
use crate::text::{counted, grouped};
use crate::time::SimDuration;
use crate::units::ByteSize;
use crate::workload::{LoadModel, Phase, Write};
use statrs::distribution::{ContinuousCDF, Normal};

/// Below so many operations in the measurement window nothing can be said.
const FEWEST_OPERATIONS: f64 = 100.0;

/// Offered load beyond this multiple of the rough capacity is hardly meant.
const MOST_LOAD: f64 = 100.0;

/// Offered load below this fraction of it shows nothing.
const LEAST_LOAD: f64 = 0.001;

/// A run that shows all but this part of the mean square of its service times shows how long operations wait (estimate).
const MOST_UNSEEN: f64 = 0.2;

/// Lints of the load that a strategy's operations are for its cluster, and of service times that so many operations can't show. A closed loop offers
/// what the cluster takes, so only open loops and beats are judged for their rate.
pub fn load_lints(strategy: &Strategy, time: &TimeSpec) -> Vec<Diagnostic> {
    let setup = &strategy.setup;
    let servers = f64::from(setup.cluster.servers);
    let rows = servers * server_capacity_per_second(&setup.cluster, &setup.table);
    let capacity = rows / strategy.rows_per_write();
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
    // Waiting readers ask for as much as the cluster gives.
    let reads = setup
        .workload
        .reads
        .iter()
        .filter_map(|it| it.load.as_ref());
    let reads: Option<f64> = reads
        .map(|load| load.rate_in(0, 1, setup.workload.duration))
        .sum();
    let of_all = reads.map_or(f64::INFINITY, |reads| rate + reads);
    if of_all * window < FEWEST_OPERATIONS {
        let operations = of_all * window;
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
    } else if of_all < LEAST_LOAD * capacity && !setup.workload.writes.iter().any(beats_at_once) {
        let message = format!(
            "{of_all:.0} operations a second are under 0.1 % of what {servers} servers can do (about {capacity:.0}): nothing will be hot"
        );
        lint(message, "check the unit of the rate");
    }
    lints.extend(beat_lints(strategy, capacity));
    lints
}

/// Beats of more calls at once than all servers can hold. Those that come within its jitter are done meanwhile, `capacity` a second.
fn beat_lints(strategy: &Strategy, capacity: f64) -> impl Iterator<Item = Diagnostic> {
    let (workload, cluster) = (&strategy.setup.workload, &strategy.setup.cluster);
    let queued = u64::from(cluster.call_queues) * u64::from(cluster.call_queue_length);
    let held = u64::from(cluster.servers) * (u64::from(cluster.handlers) + queued);
    workload.writes.iter().filter_map(move |write| {
        let LoadModel::Periodic(beat) = &write.load else {
            return None;
        };
        let periods = workload.duration.as_secs_f64() / beat.every.as_secs_f64();
        let writes = workload.estimated_operations(write, &strategy.setup.schema) / periods;
        let calls = writes * strategy.rows_per_write();
        let most = held as f64 + capacity * strategy.rows_per_write() * beat.jitter.as_secs_f64();
        let message = format!(
            "a beat of `[write.{}]` is {} at once, and {} servers hold {}: the others are refused and come again, so that servers fail at less than what they do of writes that are spread in time",
            write.name,
            counted(grouped(calls.round() as i128), "call"),
            cluster.servers,
            counted(grouped(i128::from(held)), "call")
        );
        let help = "spread the writes in time (`jitter`, `phase`), or lengthen the queues (`cluster.call_queue_length`)";
        let is_met = beats_at_once(write) && calls > most;
        is_met.then(|| Diagnostic::warning(message).help(help))
    })
}

/// All that it writes in a period comes at the period's start.
fn beats_at_once(write: &Write) -> bool {
    matches!(&write.load, LoadModel::Periodic(beat) if beat.phase == Phase::Aligned)
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

/// Lints of the balancer, the splits and the events of a strategy.
pub fn change_lints(strategy: &Strategy, layout: &Layout, time: &TimeSpec) -> Vec<Diagnostic> {
    let changes = Changes {
        strategy,
        layout,
        duration: time.duration,
        setup: &strategy.setup,
        policies: &strategy.setup.changes.policies,
    };
    let never = changes.balancer_never_runs();
    let blind = || changes.balancer_sees_no_load();
    let mut lints = Vec::from_iter(never.or_else(blind));
    lints.extend(expired_rows(&strategy.setup));
    match changes.no_region_splits() {
        Some(unsplit) => lints.push(unsplit),
        None => {
            lints.extend(changes.splits_cure_nothing());
            lints.extend(changes.discharger_limits_splits());
        }
    }
    let events = strategy.setup.changes.events.iter();
    let events = events.filter_map(|event| changes.event_without_effect(event));
    let mut events: Vec<Diagnostic> = events.collect();
    events.dedup();
    lints.extend(events);
    lints.extend(changes.crashes_go_unnoticed());
    lints.extend(changes.pages_that_are_none());
    lints
}

/// Reads of a table whose existing rows have expired in part: they count those as well.
fn expired_rows(setup: &Setup) -> Option<Diagnostic> {
    if setup.workload.reads.is_empty() {
        return None;
    }
    let ttl = setup.table.row_ttl()?;
    let existing = setup.workload.existing.iter().map(|it| it.rows.last());
    let counted = setup.workload.kept_for.is_none();
    let oldest = existing.max().filter(|oldest| *oldest > ttl && counted)?;
    let message = format!(
        "reads count rows that have expired: rows exist from {oldest} before the run on, and a `ttl` of {ttl} leaves the newest"
    );
    let help = format!(
        "say `last = \"{ttl}\"` in `[existing]` to see what reads find; what stays on disk until a compaction is missing then"
    );
    Some(Diagnostic::warning(message).help(help))
}

/// What becomes of a strategy's cluster in a run.
struct Changes<'a> {
    strategy: &'a Strategy,
    layout: &'a Layout,
    duration: SimDuration,
    setup: &'a Setup,
    policies: &'a RegionPolicies,
}

impl Changes<'_> {
    /// A warning when the file names a balancer of its own, a note for the default.
    fn balancer_never_runs(&self) -> Option<Diagnostic> {
        let policies = self.policies;
        if policies.balancer == Balancer::None || policies.balancer_period < self.duration {
            return None;
        }
        let (period, run) = (policies.balancer_period, self.duration);
        let message = format!("the balancer never runs: first after {period}, in a run of {run}");
        let default = Balancer::Stochastic(StochasticBalancer::default());
        let lint = match policies.balancer == default {
            true => Diagnostic::note(message),
            false => Diagnostic::warning(message),
        };
        let help = "shorten `balancer.period`, lengthen `time.duration`, or say `balancer.policy = \"none\"`";
        Some(lint.help(help))
    }

    /// Loads that come more rarely than the balancer runs: it weighs region counts and store files alone.
    fn balancer_sees_no_load(&self) -> Option<Diagnostic> {
        let period = self.policies.balancer_period;
        let samples = self.policies.balancer_samples;
        if period >= samples || !matches!(self.policies.balancer, Balancer::Stochastic(_)) {
            return None;
        }
        let message = format!(
            "the balancer runs before it sees any load: every {period}, when loads reach it every {samples}"
        );
        let help =
            "shorten `balancer.samples` as much as `balancer.period`: HBase's are 60s and 300s";
        Some(Diagnostic::warning(message).help(help))
    }

    /// The master notices a crash only when the run is over.
    fn crashes_go_unnoticed(&self) -> Option<Diagnostic> {
        let detection = self.setup.cluster.failure_detection;
        let run = self.duration;
        let is_crash = |it: &&TimedEvent| matches!(it.event, ClusterEvent::Crash(_));
        let mut crashes = self.setup.changes.events.iter().filter(is_crash);
        let at = |it: &TimedEvent| SimDuration::from_nanos(it.at.as_nanos());
        let first = crashes.find(|it| at(it) < run && at(it) + detection >= run)?;
        let message = format!(
            "the crash at {} is noticed after {detection}, when the run of {run} is over: until then calls to its regions fail or wait",
            at(first)
        );
        let help = "lengthen `time.duration`, or shorten `cluster.failure_detection`, to see the regions open elsewhere";
        Some(Diagnostic::warning(message).help(help))
    }

    /// Pages behind the last one, of all that is looked at.
    fn pages_that_are_none(&self) -> impl Iterator<Item = Diagnostic> {
        let reads = self.setup.workload.reads.iter().zip(&self.layout.reads);
        reads.filter_map(|(read, forecast)| {
            let page = read.page.as_ref()?;
            let expected = &forecast.planned.plan.expected;
            let is_none = page.number > 1 && expected.rows_returned <= 0.0;
            is_none.then(|| {
                let pages = (expected.rows_found / f64::from(page.size)).ceil().max(1.0);
                let pages = match pages as u64 {
                    1 => "is one page".to_owned(),
                    pages => format!("are {pages} pages"),
                };
                let (name, number, size) = (&read.name, page.number, page.size);
                let message = format!(
                    "read `{name}` asks for page {number}, and gets no rows: there {pages} of {}, on average",
                    counted(size, "row")
                );
                let help = "it reads all that lies before the page; ask for one that there is";
                Diagnostic::warning(message).help(help)
            })
        })
    }

    /// What grows stays above the middle of every region that splits.
    fn splits_cure_nothing(&self) -> Option<Diagnostic> {
        let splits = self.policies.split_policy != SplitPolicy::Disabled;
        let message = format!(
            "strategy `{}`: splits won't cool it: each leaves all new rows to one daughter, on the same server",
            self.strategy.name
        );
        let help =
            "a key that grows needs something before it that spreads, not more regions behind it";
        // Within a step they do.
        let (strategy, key) = (self.strategy, &self.strategy.key);
        // Most rows of times that are late lie before the new ones.
        let schema = &self.setup.schema;
        let is_late = |field: &FieldId| match schema.field(*field).kind {
            FieldKind::Timestamp { late, .. } => late.is_some_and(|late| late.fraction > 0.5),
            _ => false,
        };
        let grows = splits
            && strategy.follows_time()
            && strategy.step_of_the_run(key).is_none()
            && !key.fields().iter().any(is_late);
        grows.then(|| Diagnostic::note(message).help(help))
    }

    /// Rows a second that are written without end, if they are, and bytes of each.
    fn offered(&self) -> (Option<f64>, f64) {
        let row = self.setup.table.row_size();
        let row = row.cells(self.layout.key_bytes.round() as u64) as f64;
        (self.setup.workload.offered_per_sec(&self.setup.schema), row)
    }

    /// Existing rows may have brought a region near its threshold: then nothing is said.
    fn no_region_splits(&self) -> Option<Diagnostic> {
        let (setup, policy) = (self.setup, &self.policies.split_policy);
        if self.layout.existing_rows > 0
            || setup.workload.writes.is_empty()
            || matches!(policy, SplitPolicy::BusyRegion(_))
        {
            return None;
        }
        let sizes = split_sizes(&setup.table);
        // The server with fewest regions of the table has the lowest threshold, but never none of them.
        let fewest = (self.layout.regions.len() as u32 / setup.cluster.servers).max(1);
        let least = policy.threshold(sizes, fewest, -0.5)?;
        let seconds = self.duration.as_secs_f64();
        let (offered, row) = self.offered();
        let offered = offered.map_or(f64::INFINITY, |rate| rate * seconds * row);
        // A region's rows go through one server's log.
        let wal = setup.cluster.wal.as_ref();
        let logged = wal.map_or(f64::INFINITY, |wal| wal.bandwidth.0 * seconds);
        let most = offered.min(logged);
        if most >= least as f64 {
            return None;
        }
        let jitter = match policy {
            SplitPolicy::Stepping if fewest == 1 => String::new(),
            _ => format!(", {} % either way", 50.0 * MAX_FILE_SIZE_JITTER),
        };
        let needed = policy.threshold(sizes, fewest, 0.0).unwrap_or(least) as f64;
        let [most, needed] = [most, needed].map(ByteSize::approximate);
        let message = format!(
            "no region grows enough to split in this run: the fullest gets at most {most}, a split needs {needed}{jitter}"
        );
        let help = "to see splits, lower `table.memstore_flush_size` and `table.max_file_size`, or lengthen the run";
        Some(Diagnostic::note(message).help(help))
    }

    /// Each tick of the discharger lets every region split once more, as does the start: r regions become r x 2^(1 + ticks) at the most. What is
    /// written may ask for more: a region for each `max_file_size`. Existing rows ask for none, as they lie in regions that have split.
    fn discharger_limits_splits(&self) -> Option<Diagnostic> {
        let (cluster, table) = (&self.setup.cluster, &self.setup.table);
        if self.setup.workload.writes.is_empty() {
            return None;
        }
        // On a server with many regions of the table.
        let policy = &self.policies.split_policy;
        let size = policy.threshold(split_sizes(table), u32::MAX, 0.0)?;
        let regions = self.layout.regions.len();
        let seconds = self.duration.as_secs_f64();
        let ticks = ((seconds / table.discharger_period.as_secs_f64()).ceil() - 1.0).max(0.0);
        let most = regions as f64 * (1.0 + ticks).exp2();
        // Few regions use few servers before they split.
        let servers = (regions as f64).min(f64::from(cluster.servers));
        let rows = servers * server_capacity_per_second(cluster, table);
        let capacity = rows / self.strategy.rows_per_write();
        let (offered, row) = self.offered();
        let rate = offered.map_or(capacity, |offered| offered.min(capacity));
        let asked = (rate * seconds * row / size as f64).floor();
        if most >= asked {
            return None;
        }
        let (period, regions) = (table.discharger_period, counted(regions, "region"));
        let message = format!(
            "a daughter can't split before the discharger's next tick, every {period}: of {regions} there are at most {most} at the end of this run, and what is written asks for {asked}"
        );
        let help = "so does HBase; where sizes are scaled, scale `table.discharger_period` (HBase: 120 s for 10 GB) and `table.min_compaction_size` as well";
        Some(Diagnostic::warning(message).help(help))
    }

    fn event_without_effect(&self, TimedEvent { at, event }: &TimedEvent) -> Option<Diagnostic> {
        let (servers, name) = (self.setup.cluster.servers, &self.strategy.name);
        let at = SimDuration::from_nanos(at.as_nanos());
        let named = match event {
            ClusterEvent::Crash(CrashTarget::Server(server)) => *server,
            ClusterEvent::Slow { server, .. } => *server,
            ClusterEvent::Split(_) if self.policies.split_policy == SplitPolicy::Disabled => {
                let message = format!(
                    "strategy `{name}`: the split at {at} won't happen: its split policy is `disabled`"
                );
                let help =
                    "HBase refuses an operator's splits under it, too; name another `split_policy`";
                return Some(Diagnostic::warning(message).help(help));
            }
            _ => return None,
        };
        if named >= servers {
            let message = format!(
                "the event at {at} hits server {named}, which has joined without any region"
            );
            let help = "it has some only if a balancer has run in between";
            return Some(Diagnostic::warning(message).help(help));
        }
        let copies = self.layout.run.copies.iter();
        let copies: usize = copies.map(|copy| copy.split_points.len() + 1).sum();
        let regions = self.layout.regions.len() + copies;
        let neighbours = self.setup.changes.neighbours.iter();
        let others: usize = neighbours.map(|neighbour| neighbour.regions as usize).sum();
        if regions + others >= servers as usize {
            return None;
        }
        let regions = counted(regions, "region");
        let message = format!(
            "strategy `{name}`: server {named} may hold nothing at {at}: {regions} on {servers} servers, and which of them has one is drawn for each replicate"
        );
        let help = "`crash = \"hottest\"` finds the server that matters";
        Some(Diagnostic::warning(message).help(help))
    }
}

/// What is wrong with the lists of servers of the scenario's strategies, at all points: where only rows tell how many regions there are, as
/// reading the file has looked at the others. Counted on the first replicate: another one may have a region more or less, and then goes on
/// from the list's start.
pub fn misplaced_regions(scenario: &Scenario) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    let points = (0..scenario.point_count()).flat_map(|point| scenario.strategies_at(point));
    for strategy in points {
        let setup = &strategy.setup;
        let of_rows = matches!(strategy.presplit, Presplit::Sampled { .. })
            || setup.workload.existing_rows(&setup.schema) > 0;
        if !of_rows || !matches!(setup.table.placement, Placement::Listed(_)) {
            continue;
        }
        let replicate = Replicate::new(setup, scenario.seed, 0);
        let regions = Layout::regions_of(strategy, &replicate, Layout::SAMPLE).len();
        if let Some(fault) = misfit(&setup.table.placement, regions) {
            let fault = Diagnostic {
                message: format!("strategy `{}`: {}", strategy.name, fault.message),
                ..fault.at(strategy.key_span.clone())
            };
            if !faults.contains(&fault) {
                faults.push(fault);
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{ClusterSpec, TableSpec};
    use crate::random::Seed;
    use crate::time::SimTime;
    use crate::workload::Population;

    #[test]
    fn reads_find_no_expired_rows_and_are_warned_of_where_they_do() {
        let rows = |last: &str, sequence: &str| {
            let text = format!(
                "[field]\nid = {{ type = \"int\", count = 10 }}\nts = {{ type = \"timestamp\", unit = \"s\" }}\n{sequence}\
                 [existing.rows]\neach = [\"id\"]\nevery = \"1h\"\nlast = \"{last}\"\n[write.rows]\nrate = \"1/s\"\n\
                 [read.one]\nequal = [\"id\"]\n[family.d]\nttl = \"24h\"\n[strategy.rows]\nkey = \"be4(id) || be4(ts)\"\n"
            );
            let scenario =
                Scenario::parse(&text, "reads").unwrap_or_else(|error| panic!("{error}"));
            let setup = &scenario.strategies[0].setup;
            let replicate = Replicate::new(setup, Seed(1), 0);
            let of = |population: &Population| population.rows(SimTime::ZERO).round();
            let counted = [of(&replicate.population), of(&replicate.stored)];
            (counted, expired_rows(setup))
        };
        assert_eq!(rows("24h", ""), ([240.0, 240.0], None));
        assert_eq!(rows("48h", ""), ([240.0, 480.0], None));
        // Numbered rows keep their numbers, and are all counted.
        let (all, told) = rows("48h", "n = { type = \"sequence\" }\n");
        assert_eq!(all, [480.0; 2]);
        let message = told.unwrap().message;
        let said = "from 2d before the run on, and a `ttl` of 1d";
        assert!(message.contains(said), "{message}");
    }

    #[test]
    fn a_beat_of_all_at_once_is_not_called_idle() {
        let told = |phase: &str| {
            let text = format!(
                "time = {{ duration = \"60s\" }}\ncluster = {{ servers = 16 }}\n[field]\nmeter = {{ type = \"int\", count = 90_000 }}\n\
                 ts = {{ type = \"timestamp\" }}\n[write.w]\neach = [\"meter\"]\nevery = \"15m\"\nphase = \"{phase}\"\n\
                 [strategy.a]\nkey = \"be4(meter) || be8(ts)\"\n"
            );
            let scenario = Scenario::parse(&text, "beat").unwrap_or_else(|error| panic!("{error}"));
            let lints = load_lints(&scenario.strategies[0], &scenario.time);
            lints
                .iter()
                .any(|it| it.message.contains("nothing will be hot"))
        };
        // 100 a second on average are 0.03 % of what 16 servers of 20,000 do; all 90,000 at once fill them for a third of a second.
        assert!(told("spread"));
        assert!(!told("aligned"));
    }

    #[test]
    fn a_beat_of_more_calls_than_servers_hold_is_told() {
        // Four servers hold 4 x (30 + 900) = 3,720 calls, and do 80,000 a second: 2,000 more in 25 ms.
        let told = |meters: u32, jitter: &str| {
            let text = format!(
                "time = {{ duration = \"60s\" }}\ncluster = {{ servers = 4, call_queue_length = 300, call_queues = 3 }}\n[field]\nmeter = {{ type = \"int\", count = {meters} }}\n\
                 ts = {{ type = \"timestamp\" }}\n[write.w]\neach = [\"meter\"]\nevery = \"10s\"\nphase = \"aligned\"\njitter = \"{jitter}\"\n\
                 [strategy.a]\nkey = \"be4(meter) || be8(ts)\"\n"
            );
            let scenario = Scenario::parse(&text, "beat").unwrap_or_else(|error| panic!("{error}"));
            let lints = load_lints(&scenario.strategies[0], &scenario.time);
            let messages = lints.into_iter().map(|it| it.message);
            let mut told = messages.filter(|it| it.contains("a beat of `[write.w]` is"));
            told.next()
        };
        assert!(told(3_700, "0s").is_none() && told(5_600, "25ms").is_none());
        let message = told(20_000, "25ms").expect("five times as many come");
        assert!(
            message.contains("20,000 calls at once, and 4 servers hold 3,720 calls"),
            "{message}"
        );
        assert!(told(3_800, "0s").is_some());
    }

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
