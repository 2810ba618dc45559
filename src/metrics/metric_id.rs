//! The table of metrics: what results may hold and expectations may name. A new metric is a row here and the line that computes it. Must not
//! compute any.

use std::cmp::Ordering;
use std::fmt::Write;

/// What a metric's numbers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A plain ratio or number.
    Number,
    /// Servers, or so many times a server's mean: from one up to their number.
    Servers,
    /// A share of a whole, in [0, 1].
    Fraction,
    /// Rows or reads a second.
    PerSecond,
    /// Milliseconds.
    Millis,
    /// Bytes.
    Bytes,
    /// A count of things.
    Count,
    /// No number: a word.
    Word,
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// It depends.
    Neither,
}

/// Where a metric comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Every run measures it.
    Run,
    /// No single run measures it: it belongs to the layout, or is made from several runs.
    Experiment,
    /// Only a single read has it, as `read.<name>.` and the metric's name.
    OneRead,
}

/// The operations that a metric of a family counts: most that are known of writes are known of reads as well, and some of neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Writes.
    Write,
    /// Reads.
    Read,
    /// Puts and Gets of neighbours.
    Neighbour,
}

impl Side {
    /// All of them, in the order of a family's members.
    pub const ALL: [Self; 3] = [Self::Write, Self::Read, Self::Neighbour];

    /// What the paths of a single operation begin with, and the names of most metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Read => "read",
            Self::Neighbour => "neighbour",
        }
    }

    /// The same of several.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Write => "writes",
            Self::Read => "reads",
            Self::Neighbour => "neighbours",
        }
    }
}

/// What holds of a metric, whichever operations it counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Definition {
    /// The same of writes, of reads and of neighbours, as far as there are such; a metric of nothing in particular alone.
    pub family: &'static [MetricId],
    /// What its numbers count.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// Where it comes from.
    pub source: Source,
    /// In one sentence.
    pub meaning: &'static str,
}

impl Definition {
    /// The range that the quantity can have.
    pub fn range(&self) -> (f64, f64) {
        match self.unit {
            Unit::Fraction => (0.0, 1.0),
            Unit::Servers => (1.0, f64::INFINITY),
            _ => (0.0, f64::INFINITY),
        }
    }

    /// The range in a cluster of so many servers.
    pub fn range_with(&self, servers: u32) -> (f64, f64) {
        match self.unit {
            Unit::Servers => (1.0, f64::from(servers.max(1))),
            _ => self.range(),
        }
    }
}

/// Makes the identities, their names and their definitions of rows `[Of "of_writes", ReadOf "of_reads", ...] Unit Better;`, each under the lines
/// that say what it means.
macro_rules! metrics {
    ($($source:ident { $($(#[doc = $meaning:literal])+ [$($id:ident $name:literal),+] $unit:ident $better:ident;)+ })+) => {
        /// A metric. Its name stands in results, expectations and tables only; what it means, its definition says.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum MetricId { $($($(#[doc = concat!("`", $name, "`")] $id,)+)+)+ }

        impl MetricId {
            /// All of them, families together, in the order in which a table would show them.
            pub const ALL: &'static [Self] = &[$($($(Self::$id,)+)+)+];

            /// Its name in `results.json`; the first word of its path.
            pub const fn name(self) -> &'static str {
                match self { $($($(Self::$id => $name,)+)+)+ }
            }

            /// What is known of it.
            pub fn definition(self) -> &'static Definition {
                match self { $($(
                    $(Self::$id)|+ => &Definition {
                        family: &[$(Self::$id),+],
                        unit: Unit::$unit,
                        better: Better::$better,
                        source: Source::$source,
                        meaning: concat!($($meaning),+),
                    },
                )+)+ }
            }
        }
    };
}

metrics! {
    Experiment {
        /// Class of hotspot: none, row, presplit-mismatch, placement, moving or static; of reads also lookback (the newest rows are read, and they
        /// are neighbours).
        [Hotspot "hotspot", ReadHotspot "read_hotspot"] Word Neither;
        /// Class of hotspot of what servers are asked for in all, in handler time: that of the writes or of the reads, whichever make the hottest
        /// server hot.
        [DemandHotspot "demand_hotspot"] Word Neither;
    }
    Run {
        /// Handler time that the hottest server is asked for over the mean, writes and reads together, median over intervals.
        [DemandPeakToMean "demand_peak_to_mean"] Servers Lower;
        /// Demand of the hottest server over the mean, median over intervals.
        [ServerPeakToMean "server_peak_to_mean", ReadServerPeakToMean "read_server_peak_to_mean"] Servers Lower;
        /// The same, 95th percentile over intervals.
        [ServerPeakToMeanP95 "server_peak_to_mean_p95", ReadServerPeakToMeanP95 "read_server_peak_to_mean_p95"] Servers Lower;
        /// The same of the whole window's demand: a moving hotspot averages out.
        [ServerPeakToMeanOverall "server_peak_to_mean_overall", ReadServerPeakToMeanOverall "read_server_peak_to_mean_overall"] Servers Lower;
        /// What chance makes of a perfect spread of as much demand an interval (balls in bins).
        [ServerPeakToMeanEven "server_peak_to_mean_even", ReadServerPeakToMeanEven "read_server_peak_to_mean_even"] Servers Neither;
        /// Share of the demand on the hottest server, median over intervals.
        [ServerMaxShare "server_max_share", ReadServerMaxShare "read_server_max_share"] Fraction Lower;
        /// The same, 95th percentile over intervals.
        [ServerMaxShareP95 "server_max_share_p95", ReadServerMaxShareP95 "read_server_max_share_p95"] Fraction Lower;
        /// The same of the whole window's demand.
        [ServerMaxShareOverall "server_max_share_overall", ReadServerMaxShareOverall "read_server_max_share_overall"] Fraction Lower;
        /// 1 / sum of squared shares of the demand: servers that take part, median over intervals.
        [EffectiveServers "effective_servers", ReadEffectiveServers "read_effective_servers"] Servers Higher;
        /// The same, 95th percentile over intervals.
        [EffectiveServersP95 "effective_servers_p95", ReadEffectiveServersP95 "read_effective_servers_p95"] Servers Higher;
        /// The same of the whole window's demand.
        [EffectiveServersOverall "effective_servers_overall", ReadEffectiveServersOverall "read_effective_servers_overall"] Servers Higher;
        /// Intervals that the skew metrics rest on.
        [IntervalsMeasured "intervals_measured", ReadIntervalsMeasured "read_intervals_measured"] Count Neither;
        /// Intervals with too few operations for a statement about skew (10 a server).
        [IntervalsSkipped "intervals_skipped", ReadIntervalsSkipped "read_intervals_skipped"] Count Neither;
        /// Share of the demand on the hottest region, median over intervals.
        [RegionMaxShare "region_max_share", ReadRegionMaxShare "read_region_max_share"] Fraction Lower;
        /// The same of the whole window's demand.
        [RegionMaxShareOverall "region_max_share_overall", ReadRegionMaxShareOverall "read_region_max_share_overall"] Fraction Lower;
        /// Region_max_share with daughters counted as their parent: of the key ranges that were regions at the start.
        [KeyRangeMaxShare "key_range_max_share", ReadKeyRangeMaxShare "read_key_range_max_share"] Fraction Lower;
        /// The same of the whole window's demand; half of the median or less where the hot range moves.
        [KeyRangeMaxShareOverall "key_range_max_share_overall", ReadKeyRangeMaxShareOverall "read_key_range_max_share_overall"] Fraction Lower;
        /// Gini coefficient of the regions' demand, x n / (n - 1), median over intervals.
        [RegionGini "region_gini", ReadRegionGini "read_region_gini"] Fraction Lower;
        /// The same of the whole window's demand.
        [RegionGiniOverall "region_gini_overall", ReadRegionGiniOverall "read_region_gini_overall"] Fraction Lower;
        /// Regions at the start.
        [RegionsStart "regions_start"] Count Neither;
        /// Regions at the end.
        [RegionsEnd "regions_end"] Count Neither;
        /// Regions that were split.
        [Splits "splits"] Count Neither;
        /// Pairs of regions that were merged.
        [Merges "merges"] Count Neither;
        /// Regions that the balancer moved, those of HBase's own tables left out.
        [Moves "moves"] Count Neither;
        /// Memstores that were written to store files.
        [Flushes "flushes"] Count Neither;
        /// Times that store files were rewritten into one.
        [Compactions "compactions"] Count Neither;
        /// Bytes that compactions wrote, those after splits included.
        [BytesRewritten "bytes_rewritten"] Bytes Lower;
        /// Bytes that flushes and compactions wrote, over those of flushes alone; the write-ahead log apart.
        [WriteAmplification "write_amplification"] Number Lower;
        /// From the start of the run until server_peak_to_mean stays below 1.5 in every interval; undefined when it does not.
        [TimeToRelief "time_to_relief_ms"] Millis Lower;
        /// Times that the balancer looked at the cluster.
        [BalancerRuns "balancer_runs"] Count Neither;
        /// Times that it found cause to look for moves.
        [BalancerStarts "balancer_starts"] Count Neither;
        /// Greatest weighted mean cost that the stochastic balancer found; it starts from 0.025 on, or by region counts.
        [BalancerCost "balancer_cost"] Number Neither;
        /// Rows refused because a memstore was too full (RegionTooBusy), of the rows refused by regions or written.
        [RegionTooBusyFraction "region_too_busy_fraction"] Fraction Lower;
        /// Rows refused because a region was offline or elsewhere (NotServingRegion), of the rows refused by regions or written.
        [NotServingFraction "not_serving_fraction"] Fraction Lower;
        /// Regions that no row of the run fell into.
        [EmptyRegionFraction "empty_region_fraction"] Fraction Lower;
    }
    Experiment {
        /// Servers x share of the hottest row (of reads: among the Gets and regions that scans open): a peak-to-mean that no split can beat.
        [KeyFloor "key_floor", ReadKeyFloor "read_key_floor"] Servers Lower;
    }
    Run {
        /// Servers x share of the hottest region: a peak-to-mean that no placement of whole regions can beat.
        [PlacementFloor "placement_floor", ReadPlacementFloor "read_placement_floor"] Servers Lower;
        /// What server_peak_to_mean would be over 200 dealings of the window's regions (of each table as many to every server, give or take one;
        /// daughters by themselves; a dealing is kept for all intervals): their mean.
        [PlacementPeakMean "placement_peak_mean", ReadPlacementPeakMean "read_placement_peak_mean"] Servers Neither;
        /// The same: 5 % of the dealings are at most as uneven.
        [PlacementPeakLow "placement_peak_low", ReadPlacementPeakLow "read_placement_peak_low"] Servers Neither;
        /// The same: 5 % of the dealings are at least as uneven.
        [PlacementPeakHigh "placement_peak_high", ReadPlacementPeakHigh "read_placement_peak_high"] Servers Neither;
        /// The best server_peak_to_mean found of any placement of the window's regions, counts aside: longest first, or one of the 200 dealings.
        [PlacementPeakBest "placement_peak_best", ReadPlacementPeakBest "read_placement_peak_best"] Servers Lower;
        /// Operations that clients intended, per second of the window.
        [WriteOffered "write_offered_per_sec", ReadOffered "read_offered_per_sec", NeighbourOffered "neighbour_offered_per_sec"] PerSecond Neither;
        /// Operations completed, per second of the window.
        [WriteThroughput "write_throughput_per_sec", ReadThroughput "read_throughput_per_sec", NeighbourThroughput "neighbour_throughput_per_sec"] PerSecond Higher;
        /// Operations completed within the deadline, per second of the window.
        [WriteGoodput "write_goodput_per_sec", ReadGoodput "read_goodput_per_sec", NeighbourGoodput "neighbour_goodput_per_sec"] PerSecond Higher;
        /// Of the operations intended in the window: completed within the deadline.
        [WriteGoodputFraction "write_goodput_fraction", ReadGoodputFraction "read_goodput_fraction", NeighbourGoodputFraction "neighbour_goodput_fraction"] Fraction Higher;
        /// Of the operations intended in the window: given up.
        [WriteFailedFraction "write_failed_fraction", ReadFailedFraction "read_failed_fraction", NeighbourFailedFraction "neighbour_failed_fraction"] Fraction Lower;
        /// Of the operations intended in the window: in flight at the end.
        [WriteUnfinishedFraction "write_unfinished_fraction", ReadUnfinishedFraction "read_unfinished_fraction", NeighbourUnfinishedFraction "neighbour_unfinished_fraction"] Fraction Lower;
        /// From the intended start to the reply (of a read: to that of its slowest part), retries included, of the operations intended in the
        /// window.
        [WriteResponse "write_response_ms", ReadResponse "read_response_ms", NeighbourResponse "neighbour_response_ms"] Millis Lower;
        /// Calls that a server refused, of those that arrived in the window.
        [RefusedCallsFraction "refused_calls_fraction"] Fraction Lower;
    }
    Experiment {
        /// From the start to the last completion of the finite imports, when all of them came to their end.
        [Makespan "makespan_ms"] Millis Lower;
    }
    Run {
        /// Intervals in which some server was asked for more than it can do: handlers > 95 % busy, or refusing.
        [HotTimeFraction "hot_time_fraction"] Fraction Lower;
        /// Hot intervals in which the cluster's mean utilisation was below 0.85: skew, not too much load.
        [SkewedTimeFraction "skewed_time_fraction"] Fraction Lower;
        /// Busy handlers of the busiest server.
        [UtilisationMax "utilisation_max"] Fraction Lower;
        /// Busy handlers of all servers.
        [UtilisationMean "utilisation_mean"] Fraction Neither;
        /// From the end of the warm-up until response times (in closed loops throughput too) had settled, by MSER-5; 0 when they had before,
        /// undefined when operations pile up.
        [Unsettled "unsettled_ms"] Millis Lower;
        /// Share of the replicates in which operations piled up or more than 1 % were given up (open loop), or a server was more than 95 % busy
        /// (closed loop).
        [Saturated "saturated"] Fraction Lower;
    }
    Experiment {
        /// Rows a second of these writes on one saturated server with one region.
        [ServerCapacity "server_capacity_per_sec"] PerSecond Higher;
        /// Servers x server_capacity_per_sec / server_peak_to_mean.
        [UsableCapacity "usable_capacity_per_sec"] PerSecond Higher;
        /// Highest rate of the varied load at which every limit of `[knee]` holds; undefined when even the lowest breaks one in some replicate.
        [Knee "knee_per_sec"] PerSecond Higher;
        /// Knee_per_sec of a write over server_capacity_per_sec: how many servers' worth of writes the strategy takes.
        [KneeInServers "knee_in_servers"] Number Higher;
        /// Mean length of a row key, over the table's rows.
        [KeyBytes "key_bytes"] Bytes Lower;
        /// Mean size of a cell (KeyValue): 20 bytes, row key, family, qualifier, value.
        [CellBytes "cell_bytes"] Bytes Lower;
        /// Mean size of a row: all its cells, in every copy of the table.
        [RowBytes "row_bytes"] Bytes Lower;
        /// Existing rows and those that the run adds, each key once.
        [TableRows "table_rows"] Count Neither;
        /// Existing rows and those that the run adds on disk: store files with index and Bloom filter, in the table's block encoding, uncompressed,
        /// one replica, all copies.
        [TableBytes "table_bytes"] Bytes Lower;
        /// Block indexes of those store files: what a server keeps in memory to find a block.
        [BlockIndexBytes "block_index_bytes"] Bytes Lower;
    }
    OneRead {
        /// How the key serves the read: get, multi-get, scan, fan-out-scan, bucket-scan or table-scan.
        [Path "path"] Word Neither;
        /// Calls of a read by its plan, attempts again apart; mean of all that were sent, of the forecast's sample when the read is not issued.
        [CallsPlanned "calls_planned"] Number Lower;
        /// Regions that a read asks, each once; mean likewise.
        [Regions "regions"] Number Lower;
        /// Rows that servers have to read for a read by its plan; mean likewise.
        [RowsPlanned "rows_planned"] Number Lower;
        /// Rows that the reader is to get; mean likewise.
        [RowsReturned "rows_returned"] Number Neither;
        /// Calls of a read as measured, attempts again apart; mean of the completed ones alone, of the forecast when the read is not issued.
        [Calls "calls"] Number Lower;
        /// Rows that servers read for a read as measured; mean of the completed ones alone, of the forecast when the read is not issued.
        [RowsRead "rows_read"] Number Lower;
    }
}

/// What each read costs: means a read. The first four by its plan, over all that were sent; the last two as measured, over those that were
/// completed.
pub const READ_COSTS: [MetricId; 6] = [
    MetricId::CallsPlanned,
    MetricId::Regions,
    MetricId::RowsPlanned,
    MetricId::RowsReturned,
    MetricId::Calls,
    MetricId::RowsRead,
];

impl MetricId {
    /// The metric of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|id| id.name() == name)
    }

    /// The same of other operations. Of a family without such there is none: this metric.
    pub fn of(self, side: Side) -> Self {
        let family = self.definition().family;
        family.get(side as usize).copied().unwrap_or(self)
    }

    /// Whether single writes, reads and neighbours have it as well.
    pub fn is_of_each(self) -> bool {
        self.definition().family.len() == Side::ALL.len()
    }

    /// Whether it is a family of numbers: mean, percentiles and maximum.
    pub fn is_response(self) -> bool {
        self.of(Side::Write) == Self::WriteResponse
    }

    /// Which operations it counts; `None` of a metric without a family.
    pub fn side(self) -> Option<Side> {
        let family = self.definition().family;
        let mut members = Side::ALL.into_iter().zip(family);
        let own = members.find(|(_, member)| **member == self);
        own.map(|(side, _)| side).filter(|_| family.len() > 1)
    }

    /// Its name behind that of a single operation: `response_ms` of `write.ingest.response_ms`.
    pub fn own_name(self) -> &'static str {
        match self.is_of_each() {
            true => self.name().split_once('_').map_or("", |(_, own)| own),
            false => self.name(),
        }
    }
}

/// By name, as results list them.
impl Ord for MetricId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for MetricId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A member of a family of response times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The mean.
    Mean,
    /// The median.
    P50,
    /// The 90th percentile.
    P90,
    /// The 99th percentile.
    P99,
    /// The 99.9th percentile.
    P999,
    /// The greatest.
    Max,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Mean,
        Self::P50,
        Self::P90,
        Self::P99,
        Self::P999,
        Self::Max,
    ];

    /// Its name in `results.json`; the last word of its path.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P99 => "p99",
            Self::P999 => "p999",
            Self::Max => "max",
        }
    }

    /// The quantile that it is.
    pub fn quantile(self) -> Option<f64> {
        match self {
            Self::Mean | Self::Max => None,
            Self::P50 => Some(0.5),
            Self::P90 => Some(0.9),
            Self::P99 => Some(0.99),
            Self::P999 => Some(0.999),
        }
    }
}

/// The reference of all metrics, in Markdown.
pub fn reference() -> String {
    let mut text = "Demand is counted in rows that are written. Of reads (`read_`) it is a Get, or a region that a scan opens.\n\n".to_owned();
    text += "| metric | unit | better | meaning |\n|---|---|---|---|\n";
    for id in MetricId::ALL {
        let Definition {
            family,
            unit,
            better,
            source,
            meaning,
        } = id.definition();
        let meaning = meaning.trim_start();
        if family[0] != *id {
            continue;
        }
        let names = family.iter().map(|id| match source {
            Source::OneRead => format!("`read.x.{}`", id.name()),
            _ if id.is_response() => format!("`{}.p99`", id.name()),
            _ => format!("`{}`", id.name()),
        });
        let names: Vec<String> = names.collect();
        let unit = match unit {
            Unit::Number => "number",
            Unit::Servers => "1 to the servers",
            Unit::Fraction => "0 to 1",
            Unit::PerSecond => "a second",
            Unit::Millis => "ms",
            Unit::Bytes => "bytes",
            Unit::Count => "count",
            Unit::Word => "word",
        };
        let better = match better {
            Better::Higher => "more",
            Better::Lower => "less",
            Better::Neither => "",
        };
        let names = names.join(", ");
        writeln!(text, "| {names} | {unit} | {better} | {meaning} |")
            .expect("writing to a string can't fail");
    }
    let [write, read, neighbour] = Side::ALL.map(Side::name);
    let parts = Part::ALL.map(Part::name).join("`, `");
    write!(text, "\nWhat begins with `{write}_`, `{read}_` or `{neighbour}_` and has three names is known of each operation too: `{write}.ingest.response_ms.p99`. Response times are a family: `{parts}`.\n")
        .expect("writing to a string can't fail");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_starts_at_one_ends_at_the_number_of_servers() {
        let range = |id: MetricId, servers| id.definition().range_with(servers);
        assert_eq!(range(MetricId::ServerPeakToMean, 8), (1.0, 8.0));
        assert_eq!(range(MetricId::ServerPeakToMean, 0), (1.0, 1.0));
        assert_eq!(range(MetricId::ServerMaxShare, 8), (0.0, 1.0));
        assert_eq!(range(MetricId::Splits, 8), (0.0, f64::INFINITY));
    }

    #[test]
    fn names_are_distinct_and_follow_from_those_of_writes() {
        for (index, id) in MetricId::ALL.iter().copied().enumerate() {
            let others = &MetricId::ALL[..index];
            assert!(others.iter().all(|other| other.name() != id.name()));
            assert_eq!(MetricId::named(id.name()), Some(id));
            let Some(side) = id.side() else {
                assert_eq!((id.of(Side::Read), id.own_name()), (id, id.name()));
                continue;
            };
            let of_writes = id.of(Side::Write).name();
            let plain = of_writes.strip_prefix("write_").unwrap_or(of_writes);
            let expected = match (side, id.is_of_each()) {
                (Side::Write, false) => plain.to_owned(),
                _ => format!("{}_{plain}", side.name()),
            };
            assert_eq!(id.name(), expected);
            assert_eq!(id.of(side), id);
            assert!(!id.is_of_each() || id.own_name() == plain);
        }
    }

    #[test]
    fn the_reference_names_every_metric_once() {
        let reference = reference();
        for id in MetricId::ALL {
            let begin = match id.definition().source {
                Source::OneRead => "`read.x.",
                _ => "`",
            };
            let rows = reference.lines().filter(|line| line.starts_with("| `"));
            let end = if id.is_response() { ".p99`" } else { "`" };
            let name = format!("{begin}{}{end}", id.name());
            assert_eq!(rows.filter(|row| row.contains(&name)).count(), 1, "{name}");
        }
    }
}
