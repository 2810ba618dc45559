//! What a scenario lets happen to its cluster and what the run is too short or the table too small for. Must not know keys.

use super::Layout;
use crate::cluster::{
    ClusterEvent, CrashTarget, TableSpec, TimedEvent, server_capacity_per_second,
};
use crate::policy::balance::{Balancer, StochasticBalancer};
use crate::policy::{MAX_FILE_SIZE_JITTER, SplitPolicy, SplitSizes};
use crate::scenario::{Diagnostic, Strategy, TimeSpec};
use crate::storage::RowSize;
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
    let events = strategy.setup.changes.events.iter();
    let events = events.filter_map(|event| event_without_effect(strategy, layout, event));
    let mut events: Vec<Diagnostic> = events.collect();
    events.dedup();
    lints.extend(events);
    lints
}

fn text(nanos: u64) -> String {
    Nanos(nanos).to_string()
}

/// A warning when the file names a balancer of its own, a note for HBase's default.
fn balancer_never_runs(strategy: &Strategy, time: &TimeSpec) -> Option<Diagnostic> {
    let policies = &strategy.setup.changes.policies;
    if policies.balancer == Balancer::None || policies.balancer_period < time.duration {
        return None;
    }
    let [period, run] = [policies.balancer_period, time.duration].map(|time| text(time.as_nanos()));
    let message = format!("the balancer never runs: first after {period}, in a run of {run}");
    let default = Balancer::Stochastic(StochasticBalancer::default());
    let lint = match policies.balancer == default {
        true => Diagnostic::note(message),
        false => Diagnostic::warning(message),
    };
    let help =
        "shorten `balancer.period`, lengthen `time.duration`, or say `balancer.policy = \"none\"`";
    Some(lint.help(help))
}

/// Loads that come more rarely than the balancer runs: it weighs region counts and store files alone.
fn balancer_sees_no_load(strategy: &Strategy) -> Option<Diagnostic> {
    let policies = &strategy.setup.changes.policies;
    let (period, samples) = (policies.balancer_period, policies.balancer_samples);
    if period >= samples || !matches!(policies.balancer, Balancer::Stochastic(_)) {
        return None;
    }
    let [period, samples] = [period, samples].map(|time| text(time.as_nanos()));
    let message = format!(
        "the balancer runs before it sees any load: every {period}, when loads reach it every {samples}"
    );
    let help = "shorten `balancer.samples` as much as `balancer.period`: HBase's are 60s and 300s";
    Some(Diagnostic::warning(message).help(help))
}

/// What grows stays above the middle of every region that splits.
fn splits_cure_nothing(strategy: &Strategy) -> Option<Diagnostic> {
    let policies = &strategy.setup.changes.policies;
    if !strategy.follows_time() || policies.split_policy == SplitPolicy::Disabled {
        return None;
    }
    let message = format!(
        "strategy `{}`: splits won't cool it: each leaves all new rows to the upper daughter, on the same server",
        strategy.name
    );
    let help =
        "a key that grows needs something before it that spreads, not more regions behind it";
    Some(Diagnostic::note(message).help(help))
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
    let sizes = sizes(&setup.table);
    // The server with fewest regions of the table has the lowest threshold, but never none of them.
    let fewest = (layout.regions.len() as u32 / setup.cluster.servers).max(1);
    let least = policy.threshold(sizes, fewest, -0.5)?;
    let row = row_size(&setup.table).cells(layout.key_bytes.round() as u64) as f64;
    let seconds = time.duration.as_secs_f64();
    let offered = setup.workload.offered_per_sec(&setup.schema);
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
        "no region can split in this run: the fullest gets at most {most}, a split needs {needed}{jitter}"
    );
    let help = "to see splits, lower `table.memstore_flush_size` and `table.max_file_size`, or lengthen the run";
    Some(Diagnostic::note(message).help(help))
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
    // On a server with many regions of the table.
    let policy = &setup.changes.policies.split_policy;
    let size = policy.threshold(sizes(table), u32::MAX, 0.0)?;
    let regions = layout.regions.len() as f64;
    let seconds = time.duration.as_secs_f64();
    let ticks = ((seconds / table.discharger_period.as_secs_f64()).ceil() - 1.0).max(0.0);
    let most = regions * (1.0 + ticks).exp2();
    // Few regions use few servers before they split.
    let servers = regions.min(f64::from(cluster.servers));
    let capacity = servers * server_capacity_per_second(cluster, table);
    let offered = setup.workload.offered_per_sec(&setup.schema);
    let rate = offered.map_or(capacity, |offered| offered.min(capacity));
    let row = row_size(table).cells(layout.key_bytes.round() as u64) as f64;
    let asked = (rate * seconds * row / size as f64).floor();
    if most >= asked {
        return None;
    }
    let (period, regions) = (
        text(table.discharger_period.as_nanos()),
        in_words(layout.regions.len()),
    );
    let message = format!(
        "a daughter can't split before the discharger's next tick, every {period}: of {regions} there are at most {most} at the end of this run, and what is written asks for {asked}"
    );
    let help = "so does HBase; where sizes are scaled, scale `table.discharger_period` (HBase: 120 s for 10 GB) and `table.min_compaction_size` as well";
    Some(Diagnostic::warning(message).help(help))
}

fn sizes(table: &TableSpec) -> SplitSizes {
    SplitSizes {
        max_file_bytes: table.max_file_size.0,
        flush_bytes: table.memstore_flush_size.0,
    }
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
    let (setup, name) = (&strategy.setup, &strategy.name);
    let (servers, at) = (setup.cluster.servers, text(at.as_nanos()));
    let named = match event {
        ClusterEvent::Crash(CrashTarget::Server(server)) => *server,
        ClusterEvent::Slow { server, .. } => *server,
        ClusterEvent::Split(_) if setup.changes.policies.split_policy == SplitPolicy::Disabled => {
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
        let message =
            format!("the event at {at} hits server {named}, which has joined without any region");
        let help = "it has some only if a balancer has run in between";
        return Some(Diagnostic::warning(message).help(help));
    }
    let copies = layout.copies.iter().map(|copy| copy.split_points.len() + 1);
    let regions = layout.regions.len() + copies.sum::<usize>();
    let neighbours = setup.changes.neighbours.iter();
    let others: usize = neighbours.map(|neighbour| neighbour.regions as usize).sum();
    if regions + others >= servers as usize {
        return None;
    }
    let regions = in_words(regions);
    let message = format!(
        "strategy `{name}`: server {named} may hold nothing at {at}: {regions} on {servers} servers, and which of them has one is drawn for each replicate"
    );
    let help = "`crash = \"hottest\"` finds the server that matters";
    Some(Diagnostic::warning(message).help(help))
}
