//! The table of metrics. Must not hold logic.

use super::{Better, Definition, Unit};
use Better::{Higher, Lower, Neither};
use Unit::{Bytes, Count, Fraction, Millis, Number, PerSecond, Word};

const SHARE: (f64, f64) = (0.0, 1.0);
const ANY: (f64, f64) = (0.0, f64::INFINITY);
/// Up to the number of servers: `Definition::range_with`.
const FROM_ONE: (f64, f64) = (1.0, f64::INFINITY);

macro_rules! metrics {
    ($($name:literal, $unit:expr, $better:expr, $range:expr, $meaning:literal;)*) => {
        &[$(Definition {
            name: $name,
            unit: $unit,
            better: $better,
            range: $range,
            meaning: $meaning,
        }),*]
    };
}

/// In the order in which a table would show them.
pub(super) const DEFINITIONS: &[Definition] = metrics! {
    "hotspot", Word, Neither, ANY, "class of hotspot of the writes: none, row, presplit-mismatch, placement, moving or static";
    "read_hotspot", Word, Neither, ANY, "class of hotspot of the reads: the same, or lookback (the newest rows are read, and they are neighbours)";
    "demand_hotspot", Word, Neither, ANY, "class of hotspot of what servers are asked for in all, in handler time: that of the writes or of the reads, whichever make the hottest server hot";
    "demand_peak_to_mean", Number, Lower, FROM_ONE, "handler time that the hottest server is asked for over the mean, writes and reads together, median over intervals";
    "server_peak_to_mean", Number, Lower, FROM_ONE, "demand of the hottest server over the mean, median over intervals";
    "server_peak_to_mean_p95", Number, Lower, FROM_ONE, "the same, 95th percentile over intervals";
    "server_peak_to_mean_overall", Number, Lower, FROM_ONE, "the same of the whole window's demand: a moving hotspot averages out";
    "server_peak_to_mean_even", Number, Neither, FROM_ONE, "what chance makes of a perfect spread of as many rows an interval (balls in bins)";
    "server_max_share", Fraction, Lower, SHARE, "share of the demand on the hottest server, median over intervals";
    "server_max_share_p95", Fraction, Lower, SHARE, "the same, 95th percentile over intervals";
    "server_max_share_overall", Fraction, Lower, SHARE, "the same of the whole window's demand";
    "effective_servers", Number, Higher, FROM_ONE, "1 / sum of squared shares: servers that take part, median over intervals";
    "effective_servers_p95", Number, Higher, FROM_ONE, "the same, 95th percentile over intervals";
    "effective_servers_overall", Number, Higher, FROM_ONE, "the same of the whole window's demand";
    "intervals_measured", Count, Neither, ANY, "intervals that the skew metrics rest on";
    "intervals_skipped", Count, Neither, ANY, "intervals with too few operations for a statement about skew (10 a server)";
    "region_max_share", Fraction, Lower, SHARE, "share of the demand on the hottest region, median over intervals";
    "region_max_share_overall", Fraction, Lower, SHARE, "the same of the whole window's demand";
    "key_range_max_share", Fraction, Lower, SHARE, "region_max_share with daughters counted as their parent: of the key ranges that were regions at the start";
    "key_range_max_share_overall", Fraction, Lower, SHARE, "the same of the whole window's demand; half of the median or less where the hot range moves";
    "region_gini", Fraction, Lower, SHARE, "Gini coefficient of the regions' demand, x n / (n - 1), median over intervals";
    "region_gini_overall", Fraction, Lower, SHARE, "the same of the whole window's demand";
    "regions_start", Count, Neither, ANY, "regions at the start";
    "regions_end", Count, Neither, ANY, "regions at the end";
    "splits", Count, Neither, ANY, "regions that were split";
    "merges", Count, Neither, ANY, "pairs of regions that were merged";
    "moves", Count, Neither, ANY, "regions that the balancer moved, those of HBase's own tables left out";
    "flushes", Count, Neither, ANY, "memstores that were written to store files";
    "compactions", Count, Neither, ANY, "times that store files were rewritten into one";
    "bytes_rewritten", Bytes, Lower, ANY, "bytes that compactions wrote, those after splits included";
    "write_amplification", Number, Lower, ANY, "bytes that flushes and compactions wrote, over those of flushes alone; the write-ahead log apart";
    "time_to_relief_ms", Millis, Lower, ANY, "from the start of the run until server_peak_to_mean stays below 1.5 in every interval; undefined when it does not";
    "balancer_runs", Count, Neither, ANY, "times that the balancer looked at the cluster";
    "balancer_starts", Count, Neither, ANY, "times that it found cause to look for moves";
    "balancer_cost", Number, Neither, ANY, "greatest weighted mean cost that the stochastic balancer found; it starts from 0.025 on, or by region counts";
    "region_too_busy_fraction", Fraction, Lower, SHARE, "rows refused because a memstore was too full (RegionTooBusy), of the rows refused by regions or written";
    "not_serving_fraction", Fraction, Lower, SHARE, "rows refused because a region was offline or elsewhere (NotServingRegion), of the rows refused by regions or written";
    "empty_region_fraction", Fraction, Lower, SHARE, "regions that no row of the run fell into";
    "key_floor", Number, Lower, FROM_ONE, "servers x share of the hottest row: a peak-to-mean that no split can beat";
    "read_key_floor", Number, Lower, FROM_ONE, "servers x share of the hottest row among the Gets and regions that scans open: a read_server_peak_to_mean that no split can beat";
    "placement_floor", Number, Lower, FROM_ONE, "servers x share of the hottest region: a peak-to-mean that no placement of whole regions can beat";
    "placement_peak_mean", Number, Neither, FROM_ONE, "what server_peak_to_mean would be over 200 dealings of the window's regions (of each table as many to every server, give or take one; daughters by themselves; a dealing is kept for all intervals): their mean";
    "placement_peak_low", Number, Neither, FROM_ONE, "the same: 5 % of the dealings are at most as uneven";
    "placement_peak_high", Number, Neither, FROM_ONE, "the same: 5 % of the dealings are at least as uneven";
    "placement_peak_best", Number, Lower, FROM_ONE, "the best server_peak_to_mean found of any placement of the window's regions, counts aside: longest first, or one of the 200 dealings";
    "write_offered_per_sec", PerSecond, Neither, ANY, "operations that clients intended, per second of the window";
    "write_throughput_per_sec", PerSecond, Higher, ANY, "operations completed, per second of the window";
    "write_goodput_per_sec", PerSecond, Higher, ANY, "operations completed within the deadline, per second of the window";
    "write_goodput_fraction", Fraction, Higher, SHARE, "of the operations intended in the window: completed within the deadline";
    "write_failed_fraction", Fraction, Lower, SHARE, "of the operations intended in the window: given up";
    "write_unfinished_fraction", Fraction, Lower, SHARE, "of the operations intended in the window: in flight at the end";
    "write_response_ms", Millis, Lower, ANY, "from the intended start to the reply, retries included, of the operations intended in the window";
    "read_server_peak_to_mean", Number, Lower, FROM_ONE, "read demand (a Get, or a region that a scan opens) of the hottest server over the mean, median over intervals";
    "read_server_peak_to_mean_p95", Number, Lower, FROM_ONE, "the same, 95th percentile over intervals";
    "read_server_peak_to_mean_overall", Number, Lower, FROM_ONE, "the same of the whole window's read demand";
    "read_server_peak_to_mean_even", Number, Neither, FROM_ONE, "what chance makes of a perfect spread of as much read demand an interval (balls in bins)";
    "read_server_max_share", Fraction, Lower, SHARE, "share of the read demand on the server that reads heat most, median over intervals";
    "read_server_max_share_p95", Fraction, Lower, SHARE, "the same, 95th percentile over intervals";
    "read_server_max_share_overall", Fraction, Lower, SHARE, "the same of the whole window's read demand";
    "read_effective_servers", Number, Higher, FROM_ONE, "1 / sum of squared shares of read demand: servers that serve reads, median over intervals";
    "read_effective_servers_p95", Number, Higher, FROM_ONE, "the same, 95th percentile over intervals";
    "read_effective_servers_overall", Number, Higher, FROM_ONE, "the same of the whole window's read demand";
    "read_intervals_measured", Count, Neither, ANY, "intervals that the skew metrics of reads rest on";
    "read_intervals_skipped", Count, Neither, ANY, "intervals with too little read demand for a statement about its skew (10 a server)";
    "read_region_max_share", Fraction, Lower, SHARE, "share of the read demand on the region that reads heat most, median over intervals";
    "read_region_max_share_overall", Fraction, Lower, SHARE, "the same of the whole window's read demand";
    "read_key_range_max_share", Fraction, Lower, SHARE, "read_region_max_share with daughters counted as their parent";
    "read_key_range_max_share_overall", Fraction, Lower, SHARE, "the same of the whole window's read demand";
    "read_region_gini", Fraction, Lower, SHARE, "Gini coefficient of the regions' read demand, x n / (n - 1), median over intervals";
    "read_region_gini_overall", Fraction, Lower, SHARE, "the same of the whole window's read demand";
    "read_placement_floor", Number, Lower, FROM_ONE, "servers x share of the region that reads heat most: a read_server_peak_to_mean that no placement of whole regions can beat";
    "read_placement_peak_mean", Number, Neither, FROM_ONE, "what read_server_peak_to_mean would be over 200 dealings of the window's regions, as placement_peak_mean: their mean";
    "read_placement_peak_low", Number, Neither, FROM_ONE, "the same: 5 % of the dealings are at most as uneven";
    "read_placement_peak_high", Number, Neither, FROM_ONE, "the same: 5 % of the dealings are at least as uneven";
    "read_placement_peak_best", Number, Lower, FROM_ONE, "the best read_server_peak_to_mean found of any placement of the window's regions, counts aside";
    "read_offered_per_sec", PerSecond, Neither, ANY, "reads that clients intended, per second of the window";
    "read_throughput_per_sec", PerSecond, Higher, ANY, "reads completed, per second of the window";
    "read_goodput_per_sec", PerSecond, Higher, ANY, "reads completed within the deadline, per second of the window";
    "read_goodput_fraction", Fraction, Higher, SHARE, "of the reads intended in the window: completed within the deadline";
    "read_failed_fraction", Fraction, Lower, SHARE, "of the reads intended in the window: given up";
    "read_unfinished_fraction", Fraction, Lower, SHARE, "of the reads intended in the window: in flight at the end";
    "read_response_ms", Millis, Lower, ANY, "from the intended start of a read to the reply of its slowest part, retries included, of the reads intended in the window";
    "neighbour_offered_per_sec", PerSecond, Neither, ANY, "puts and Gets that clients of neighbours intended, per second of the window";
    "neighbour_throughput_per_sec", PerSecond, Higher, ANY, "operations of neighbours completed, per second of the window";
    "neighbour_goodput_per_sec", PerSecond, Higher, ANY, "operations of neighbours completed within the deadline, per second of the window";
    "neighbour_goodput_fraction", Fraction, Higher, SHARE, "of the operations of neighbours intended in the window: completed within the deadline";
    "neighbour_failed_fraction", Fraction, Lower, SHARE, "of the operations of neighbours intended in the window: given up";
    "neighbour_unfinished_fraction", Fraction, Lower, SHARE, "of the operations of neighbours intended in the window: in flight at the end";
    "neighbour_response_ms", Millis, Lower, ANY, "from the intended start of a neighbour's operation to the reply, retries included, of those intended in the window";
    "refused_calls_fraction", Fraction, Lower, SHARE, "calls that a server refused, of those that arrived in the window";
    "makespan_ms", Millis, Lower, ANY, "from the start to the last completion of the finite imports, when all of them came to their end";
    "hot_time_fraction", Fraction, Lower, SHARE, "intervals in which some server was asked for more than it can do: handlers > 95 % busy, or refusing";
    "skewed_time_fraction", Fraction, Lower, SHARE, "hot intervals in which the cluster's mean utilisation was below 0.85: skew, not too much load";
    "utilisation_max", Fraction, Lower, SHARE, "busy handlers of the busiest server";
    "utilisation_mean", Fraction, Neither, SHARE, "busy handlers of all servers";
    "unsettled_ms", Millis, Lower, ANY, "from the end of the warm-up until response times (in closed loops throughput too) had settled, by MSER-5; 0 when they had before, undefined when operations pile up";
    "saturated", Fraction, Lower, SHARE, "share of the replicates in which operations piled up or more than 1 % were given up (open loop), or a server was more than 95 % busy (closed loop)";
    "server_capacity_per_sec", PerSecond, Higher, ANY, "rows a second of these writes on one saturated server with one region";
    "usable_capacity_per_sec", PerSecond, Higher, ANY, "servers x server_capacity_per_sec / server_peak_to_mean";
    "knee_per_sec", PerSecond, Higher, ANY, "highest rate of the varied load at which every limit of `[knee]` holds; undefined when even the lowest breaks one in some replicate";
    "knee_in_servers", Number, Higher, ANY, "knee_per_sec of a write over server_capacity_per_sec: how many servers' worth of writes the strategy takes";
    "key_bytes", Bytes, Lower, ANY, "mean length of a row key, over the table's rows";
    "cell_bytes", Bytes, Lower, ANY, "mean size of a cell (KeyValue): 20 bytes, row key, family, qualifier, value";
    "row_bytes", Bytes, Lower, ANY, "mean size of a row: all its cells, in every copy of the table";
    "table_rows", Count, Neither, ANY, "existing rows and those that the run adds, each key once";
    "table_bytes", Bytes, Lower, ANY, "existing rows and those that the run adds on disk: store files with index and Bloom filter, in the table's block encoding, uncompressed, one replica, all copies";
    "block_index_bytes", Bytes, Lower, ANY, "block indexes of those store files: what a server keeps in memory to find a block";
};

/// What only a single read has, as `read.<name>.`.
pub(super) const OF_ONE_READ: &[Definition] = metrics! {
    "path", Word, Neither, ANY, "how the key serves the read: get, multi-get, scan, fan-out-scan, bucket-scan or table-scan";
    "calls_planned", Number, Lower, ANY, "calls of a read by its plan, attempts again apart; mean of all that were sent, of the forecast's sample when the read is not issued";
    "regions", Number, Lower, ANY, "regions that a read asks, each once; mean likewise";
    "rows_planned", Number, Lower, ANY, "rows that servers have to read for a read by its plan; mean likewise";
    "rows_returned", Number, Neither, ANY, "rows that the reader is to get; mean likewise";
    "calls", Number, Lower, ANY, "calls of a read as measured, attempts again apart; mean of the completed ones alone, of the forecast when the read is not issued";
    "rows_read", Number, Lower, ANY, "rows that servers read for a read as measured; mean of the completed ones alone, of the forecast when the read is not issued";
};
