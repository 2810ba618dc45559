//! What a scenario lets happen to its cluster and what the run is too short or the table too small for. Must not know keys.

use super::Layout;
use crate::cluster::{
    ClusterEvent, CrashTarget, TableSpec, TimedEvent, server_capacity_per_second,
};
use crate::policy::balance::{Balancer, StochasticBalancer};
use crate::policy::{MAX_FILE_SIZE_JITTER, SplitPolicy, SplitSizes};
use crate::scenario::{Diagnostic, Severity, Strategy, TimeSpec};
use crate::storage::RowSize;
use crate::time::SimTime;
use crate::units::{ByteSize, Nanos};

/// Lints of the balancer, the splits and the events of a strategy.
pub fn change_lints(strategy: &Strategy, layout: &Layout, time: &TimeSpec) -> Vec<Diagnostic> {
    let mut lints = Vec::new();
    match balancer_never_runs(strategy, time) {
        None => lints.extend(balancer_sees_no_load(strategy)),
        never => lints.extend(never),
    }
    let unsplit = no_region_splits(strategy, layout, time);
    if unsplit.is_none() {
        lints.extend(splits_cure_nothing(strategy));
        lints.extend(discharger_limits_splits(strategy, layout, time));
    }
    lints.extend(unsplit);
    let mut events = Vec::new();
    for event in strategy.setup.changes.events.iter() {
        events.extend(event_without_effect(strategy, layout, event));
    }
    events.dedup();
    lints.extend(events);
    lints
}

fn lint(severity: Severity, message: String, help: &str) -> Diagnostic {
    Diagnostic {
        severity,
        message,
        span: None,
        label: String::new(),
        help: Some(help.to_owned()),
    }
}

fn text(time: SimTime) -> String {
    Nanos(time.as_nanos()).to_string()
}

/// A warning when the file names a balancer of its own, a note for HBase's default.
fn balancer_never_runs(strategy: &Strategy, time: &TimeSpec) -> Option<Diagnostic> {
    let policies = &strategy.setup.changes.policies;
    if policies.balancer == Balancer::None || policies.balancer_period < time.duration {
        return None;
    }
    let default = Balancer::Stochastic(StochasticBalancer::default());
    let severity = if policies.balancer == default {
        Severity::Note
    } else {
        Severity::Warning
    };
    Some(lint(
        severity,
        format!(
            "the balancer never runs: first after {}, in a run of {}",
            Nanos(policies.balancer_period.as_nanos()),
            Nanos(time.duration.as_nanos())
        ),
        "shorten `balancer.period`, lengthen `time.duration`, or say `balancer.policy = \"none\"`",
    ))
}

/// Loads that come more rarely than the balancer runs: it weighs region counts and store files alone.
fn balancer_sees_no_load(strategy: &Strategy) -> Option<Diagnostic> {
    let policies = &strategy.setup.changes.policies;
    let (period, samples) = (policies.balancer_period, policies.balancer_samples);
    let asks = matches!(policies.balancer, Balancer::Stochastic(_));
    (asks && period < samples).then(|| {
        lint(
            Severity::Warning,
            format!(
                "the balancer runs before it sees any load: every {}, when loads reach it every {}",
                Nanos(period.as_nanos()),
                Nanos(samples.as_nanos())
            ),
            "shorten `balancer.samples` as much as `balancer.period`: HBase's are 60s and 300s",
        )
    })
}

/// What grows stays above the middle of every region that splits.
fn splits_cure_nothing(strategy: &Strategy) -> Option<Diagnostic> {
    let policies = &strategy.setup.changes.policies;
    (strategy.follows_time() && policies.split_policy != SplitPolicy::Disabled).then(|| {
        lint(
            Severity::Note,
            format!(
                "strategy `{}`: splits won't cool it: each leaves all new rows to the upper daughter, on the same server",
                strategy.name
            ),
            "a key that grows needs something before it that spreads, not more regions behind it",
        )
    })
}

/// Existing rows may have brought a region near its threshold: then nothing is said.
fn no_region_splits(strategy: &Strategy, layout: &Layout, time: &TimeSpec) -> Option<Diagnostic> {
    let setup = &strategy.setup;
    let policy = &setup.changes.policies.split_policy;
    if layout.existing_rows > 0
        || setup.workload.writes.is_empty()
        || matches!(policy, SplitPolicy::BusyRegion(_))
    {
        return None;
    }
    let sizes = SplitSizes {
        max_file_bytes: setup.table.max_file_size.0,
        flush_bytes: setup.table.memstore_flush_size.0,
    };
    // The server with fewest regions of the table has the lowest threshold, but never none of them.
    let fewest = (layout.regions.len() as u32 / setup.cluster.servers).max(1);
    let least = policy.threshold(sizes, fewest, -0.5)?;
    let row = row_size(&setup.table).cells(layout.key_bytes.round() as u64) as f64;
    let seconds = time.duration.as_secs_f64();
    let offered = setup
        .workload
        .offered_per_sec(&setup.schema)
        .map_or(f64::INFINITY, |rate| rate * seconds * row);
    // A region's rows go through one server's log.
    let logged = setup
        .cluster
        .wal
        .as_ref()
        .map_or(f64::INFINITY, |wal| wal.bandwidth.0 * seconds);
    let most = offered.min(logged);
    (most < least as f64).then(|| {
        let jitter = match policy {
            SplitPolicy::Stepping if fewest == 1 => String::new(),
            _ => format!(", {} % either way", 50.0 * MAX_FILE_SIZE_JITTER),
        };
        lint(
            Severity::Note,
            format!(
                "no region can split in this run: the fullest gets at most {}, a split needs {}{jitter}",
                ByteSize::approximate(most),
                ByteSize::approximate(policy.threshold(sizes, fewest, 0.0).unwrap_or(least) as f64),
            ),
            "to see splits, lower `table.memstore_flush_size` and `table.max_file_size`, or lengthen the run",
        )
    })
}

/// Each tick of the discharger lets every region split once more, as does the start: r regions become r x 2^(1 + ticks) at the most. What is
/// written may ask for more: a region for each `max_file_size`. Existing rows ask for none, as they lie in regions that have split.
fn discharger_limits_splits(
    strategy: &Strategy,
    layout: &Layout,
    time: &TimeSpec,
) -> Option<Diagnostic> {
    let setup = &strategy.setup;
    let (cluster, table) = (&setup.cluster, &setup.table);
    if setup.workload.writes.is_empty() {
        return None;
    }
    let sizes = SplitSizes {
        max_file_bytes: table.max_file_size.0,
        flush_bytes: table.memstore_flush_size.0,
    };
    // On a server with many regions of the table.
    let size = setup
        .changes
        .policies
        .split_policy
        .threshold(sizes, u32::MAX, 0.0)?;
    let regions = layout.regions.len() as f64;
    let seconds = time.duration.as_secs_f64();
    let ticks = ((seconds / table.discharger_period.as_secs_f64()).ceil() - 1.0).max(0.0);
    let most = regions * (1.0 + ticks).exp2();
    // Few regions use few servers before they split.
    let servers = regions.min(f64::from(cluster.servers));
    let capacity = servers * server_capacity_per_second(cluster, table);
    let rate = setup
        .workload
        .offered_per_sec(&setup.schema)
        .map_or(capacity, |offered| offered.min(capacity));
    let row = row_size(table).cells(layout.key_bytes.round() as u64) as f64;
    let asked = (rate * seconds * row / size as f64).floor();
    (most < asked).then(|| {
        lint(
            Severity::Warning,
            format!(
                "a daughter can't split before the discharger's next tick, every {}: of {} there are at most {most} at the end of this run, and what is written asks for {asked}",
                Nanos(table.discharger_period.as_nanos()),
                in_words(layout.regions.len()),
            ),
            "so does HBase; where sizes are scaled, scale `table.discharger_period` (HBase: 120 s for 10 GB) and `table.min_compaction_size` as well",
        )
    })
}

fn row_size(table: &TableSpec) -> RowSize {
    RowSize::new(
        table.family.len() as u64,
        table.qualifiers.iter().map(String::as_str),
        table.value.0,
    )
}

fn in_words(regions: usize) -> String {
    match regions {
        1 => "1 region".to_owned(),
        regions => format!("{regions} regions"),
    }
}

fn event_without_effect(
    strategy: &Strategy,
    layout: &Layout,
    TimedEvent { at, event }: &TimedEvent,
) -> Option<Diagnostic> {
    let setup = &strategy.setup;
    let servers = setup.cluster.servers;
    let named = match event {
        ClusterEvent::Crash(CrashTarget::Server(server)) => *server,
        ClusterEvent::Slow { server, .. } => *server,
        ClusterEvent::Split(_) if setup.changes.policies.split_policy == SplitPolicy::Disabled => {
            return Some(lint(
                Severity::Warning,
                format!(
                    "strategy `{}`: the split at {} won't happen: its split policy is `disabled`",
                    strategy.name,
                    text(*at)
                ),
                "HBase refuses an operator's splits under it, too; name another `split_policy`",
            ));
        }
        _ => return None,
    };
    let help = "`crash = \"hottest\"` finds the server that matters";
    if named >= servers {
        return Some(lint(
            Severity::Warning,
            format!(
                "the event at {} hits server {named}, which has joined without any region",
                text(*at)
            ),
            "it has some only if a balancer has run in between",
        ));
    }
    let copies = layout.copies.iter().map(|copy| copy.split_points.len() + 1);
    let regions = layout.regions.len() + copies.sum::<usize>();
    let neighbours = setup.changes.neighbours.iter();
    let others: usize = neighbours.map(|neighbour| neighbour.regions as usize).sum();
    (regions + others < servers as usize).then(|| {
        lint(
            Severity::Warning,
            format!(
                "strategy `{}`: server {named} may hold nothing at {}: {} on {servers} servers, and which of them has one is drawn for each replicate",
                strategy.name,
                text(*at),
                in_words(regions)
            ),
            help,
        )
    })
}
