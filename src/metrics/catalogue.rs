//! The table of metrics: what results may hold and expectations may name. A new metric is a row here: the identities that writes, reads and
//! neighbours give it, its name without theirs, what its numbers count, which way is better, and, where it follows from one finished run, how.

/// Hands all rows to the macro `$then`.
#[rustfmt::skip]
macro_rules! catalogue { ($then:ident) => { $then! {
    Experiment {
        /// Class of hotspot: none, row, presplit-mismatch, placement, moving or static; of reads also lookback (the newest rows are read, and they
        /// are neighbours).
        [Hotspot, ReadHotspot] "hotspot" Word Neither;
        /// Class of hotspot of what servers are asked for in all, in handler time: that of the writes or of the reads, whichever make the hottest
        /// server hot.
        [DemandHotspot] "demand_hotspot" Word Neither;
    }
    Run {
        /// Handler time that the hottest server is asked for over the mean, writes and reads together, weighted median over intervals. A scan counts by the rows that it reads
        /// in each region.
        [DemandPeakToMean] "demand_peak_to_mean" Servers Lower, |run| run.demand_peak();
    }
    Skew {
        /// Demand of the hottest server over the mean, weighted median over intervals.
        [ServerPeakToMean, ReadServerPeakToMean] "server_peak_to_mean" Servers Lower, |demand| weighted_median(&demand.peaks);
        /// The same, 95th percentile over intervals.
        [ServerPeakToMeanP95, ReadServerPeakToMeanP95] "server_peak_to_mean_p95" Servers Lower, |demand| weighted_quantile(&demand.peaks, 0.95);
        /// The same in intervals in which the hottest server is full or refuses and is asked for 1.5 times the mean or more (and more than chance makes), weighted median over these.
        [HotspotPeakToMean, ReadHotspotPeakToMean] "hotspot_peak_to_mean" Servers Lower, |demand| weighted_median(&demand.hot_peaks);
        /// Share of such intervals.
        [HotspotTimeFraction, ReadHotspotTimeFraction] "hotspot_time_fraction" Fraction Lower, |demand| demand.hot_time();
        /// The same of the whole window's demand: a moving hotspot averages out.
        [ServerPeakToMeanOverall, ReadServerPeakToMeanOverall] "server_peak_to_mean_overall" Servers Lower, |demand| Some(demand.share_overall? * demand.servers);
        /// What chance makes of a perfect spread of as much demand an interval (balls in bins).
        [ServerPeakToMeanEven, ReadServerPeakToMeanEven] "server_peak_to_mean_even" Servers Neither, |demand| Some(demand.even?.mean);
        /// Share of the demand on the hottest server, weighted median over intervals.
        [ServerMaxShare, ReadServerMaxShare] "server_max_share" Fraction Lower, |demand| weighted_median(&demand.shares);
        /// The same, 95th percentile over intervals.
        [ServerMaxShareP95, ReadServerMaxShareP95] "server_max_share_p95" Fraction Lower, |demand| weighted_quantile(&demand.shares, 0.95);
        /// The same of the whole window's demand.
        [ServerMaxShareOverall, ReadServerMaxShareOverall] "server_max_share_overall" Fraction Lower, |demand| demand.share_overall;
        /// 1 / sum of squared shares of the demand: servers that take part, weighted median over intervals.
        [EffectiveServers, ReadEffectiveServers] "effective_servers" Servers Higher, |demand| weighted_median(&demand.effective);
        /// The same, 95th percentile over intervals.
        [EffectiveServersP95, ReadEffectiveServersP95] "effective_servers_p95" Servers Higher, |demand| weighted_quantile(&demand.effective, 0.95);
        /// The same of the whole window's demand.
        [EffectiveServersOverall, ReadEffectiveServersOverall] "effective_servers_overall" Servers Higher, |demand| demand.effective_overall;
        /// Intervals that the skew metrics rest on.
        [IntervalsMeasured, ReadIntervalsMeasured] "intervals_measured" Count Neither, |demand| Some(demand.peaks.len() as f64);
        /// Intervals with too few operations for a statement about skew (10 a server).
        [IntervalsSkipped, ReadIntervalsSkipped] "intervals_skipped" Count Neither, |demand| Some(demand.skipped as f64);
        /// Share of the demand on the hottest region, weighted median over intervals.
        [RegionMaxShare, ReadRegionMaxShare] "region_max_share" Fraction Lower, |demand| weighted_median(&demand.region_shares);
        /// The same of the whole window's demand.
        [RegionMaxShareOverall, ReadRegionMaxShareOverall] "region_max_share_overall" Fraction Lower, |demand| demand.region_share_overall;
        /// Share of the demand on the hottest key range, weighted median over intervals: daughters count as the region of the start that they are parts of.
        [KeyRangeMaxShare, ReadKeyRangeMaxShare] "key_range_max_share" Fraction Lower, |demand| weighted_median(&demand.range_shares);
        /// The same of the whole window's demand; half of the median or less where the hot range moves.
        [KeyRangeMaxShareOverall, ReadKeyRangeMaxShareOverall] "key_range_max_share_overall" Fraction Lower, |demand| demand.range_share_overall;
        /// Gini coefficient of the regions' demand, x n / (n - 1), weighted median over intervals.
        [RegionGini, ReadRegionGini] "region_gini" Fraction Lower, |demand| weighted_median(&demand.ginis);
        /// The same of the whole window's demand.
        [RegionGiniOverall, ReadRegionGiniOverall] "region_gini_overall" Fraction Lower, |demand| demand.gini_overall;
    }
    Run {
        /// Regions at the start.
        [RegionsStart] "regions_start" Count Neither, |run| Some(f64::from(run.events().regions_at_start));
        /// Regions at the end.
        [RegionsEnd] "regions_end" Count Neither, |run| Some(run.events().regions_at_end() as f64);
        /// Regions that were split.
        [Splits] "splits" Count Neither, |run| run.count(EventKind::Split);
        /// Pairs of regions that were merged.
        [Merges] "merges" Count Neither, |run| run.count(EventKind::Merge);
        /// Regions that the balancer moved, those of HBase's own tables left out.
        [Moves] "moves" Count Neither, |run| run.count(EventKind::Move);
        /// Memstores that were written to store files.
        [Flushes] "flushes" Count Neither, |run| run.count(EventKind::Flush);
        /// Times that store files were rewritten into one.
        [Compactions] "compactions" Count Neither, |run| run.count(EventKind::Compaction);
        /// Bytes that compactions wrote, those after splits included.
        [BytesRewritten] "bytes_rewritten" Bytes Lower, |run| Some(run.events().rewritten_bytes as f64);
        /// Bytes that flushes and compactions wrote, over those of flushes alone; the write-ahead log apart.
        [WriteAmplification] "write_amplification" Number Lower, |run| run.events().write_amplification();
        /// From the start of the run until server_peak_to_mean stays below 1.5 in every interval; undefined when it does not.
        [TimeToRelief] "time_to_relief_ms" Millis Lower, |run| run.relief_ms();
        /// Times that the balancer looked at the cluster.
        [BalancerRuns] "balancer_runs" Count Neither, |run| run.count(EventKind::Balancer);
        /// Times that it found cause to look for moves.
        [BalancerStarts] "balancer_starts" Count Neither, |run| Some(run.events().balancer_starts as f64);
        /// Greatest weighted mean cost that the stochastic balancer found; it starts from 0.025 on, or by region counts.
        [BalancerCost] "balancer_cost" Number Neither, |run| run.events().greatest_cost;
        /// Rows refused because a memstore was too full (RegionTooBusy), of the rows refused by regions or written.
        [RegionTooBusyFraction] "region_too_busy_fraction" Fraction Lower, |run| run.refused_rows(RefusalReason::RegionTooBusy);
        /// Rows refused because a region was offline or elsewhere (NotServingRegion), of the rows refused by regions or written.
        [NotServingFraction] "not_serving_fraction" Fraction Lower, |run| run.refused_rows(RefusalReason::NotServingRegion);
        /// Regions that no row of the run fell into.
        [EmptyRegionFraction] "empty_region_fraction" Fraction Lower, |run| run.empty_regions();
    }
    Experiment {
        /// Servers x share of the hottest row (of reads: among the Gets and regions that scans open): a peak-to-mean that no split can beat.
        [KeyFloor, ReadKeyFloor] "key_floor" Servers Lower;
    }
    Skew {
        /// Servers x share of the hottest region, weighted median over intervals: a peak-to-mean that no placement of whole regions can beat.
        [PlacementFloor, ReadPlacementFloor] "placement_floor" Servers Lower, |demand| Some(demand.dealt.as_ref()?.floor);
        /// What server_peak_to_mean would be over 200 dealings of the window's regions (of each table as many to every server, give or take one;
        /// of a split one daughter stays, the other goes where fewest are; a dealing is kept for all intervals): their mean.
        [PlacementPeakMean, ReadPlacementPeakMean] "placement_peak_mean" Servers Neither, |demand| Some(demand.dealt.as_ref()?.mean);
        /// The same: 5 % of the dealings are at most as uneven.
        [PlacementPeakLow, ReadPlacementPeakLow] "placement_peak_low" Servers Neither, |demand| Some(demand.dealt.as_ref()?.low);
        /// The same: 5 % of the dealings are at least as uneven.
        [PlacementPeakHigh, ReadPlacementPeakHigh] "placement_peak_high" Servers Neither, |demand| Some(demand.dealt.as_ref()?.high);
        /// The best server_peak_to_mean found of any placement of the window's regions, counts aside: longest first, or one of the 200 dealings.
        [PlacementPeakBest, ReadPlacementPeakBest] "placement_peak_best" Servers Lower, |demand| Some(demand.dealt.as_ref()?.best);
    }
    Rate {
        /// Operations that clients intended, per second of the window; of an import that came to its end, from its start to it, as of the two below: beside others it counts with that rate.
        [WriteOffered, ReadOffered, NeighbourOffered] "offered_per_sec" PerSecond Neither, |all| all.per_second(Paced::Offered);
        /// Operations completed, per second of the window.
        [WriteThroughput, ReadThroughput, NeighbourThroughput] "throughput_per_sec" PerSecond Higher, |all| all.per_second(Paced::Completed);
        /// Operations completed within the deadline, per second of the window.
        [WriteGoodput, ReadGoodput, NeighbourGoodput] "goodput_per_sec" PerSecond Higher, |all| all.per_second(Paced::Good);
        /// Of the operations intended in the window: completed within the deadline.
        [WriteGoodputFraction, ReadGoodputFraction, NeighbourGoodputFraction] "goodput_fraction" Fraction Higher, |all| all.tally.fraction(all.tally.good);
        /// Of the operations intended in the window: given up.
        [WriteFailedFraction, ReadFailedFraction, NeighbourFailedFraction] "failed_fraction" Fraction Lower, |all| all.tally.fraction(all.tally.cohort.failed);
        /// Of the operations intended in the window: in flight at the end.
        [WriteUnfinishedFraction, ReadUnfinishedFraction, NeighbourUnfinishedFraction] "unfinished_fraction" Fraction Lower, |all| all.tally.fraction(all.tally.cohort.in_flight);
        /// From the intended start to the reply (of a read: to that of its slowest part), retries included, of the operations intended in the
        /// window.
        [WriteResponse, ReadResponse, NeighbourResponse] "response_ms" Millis Lower;
    }
    Run {
        /// Calls that a server refused, of those that arrived in the window.
        [RefusedCallsFraction] "refused_calls_fraction" Fraction Lower, |run| run.refused_calls();
    }
    Experiment {
        /// From the start to the last completion of the finite imports, when all of them came to their end.
        [Makespan] "makespan_ms" Millis Lower;
    }
    Run {
        /// Intervals in which some server was asked for more than it can do: handlers > 95 % busy, or refusing.
        [HotTimeFraction] "hot_time_fraction" Fraction Lower, |run| run.hot_time(f64::INFINITY);
        /// Hot intervals in which the cluster's mean utilisation was below 0.85: skew, not too much load.
        [SkewedTimeFraction] "skewed_time_fraction" Fraction Lower, |run| run.hot_time(CLUSTER_BUSY);
        /// Busy handlers of the busiest server.
        [UtilisationMax] "utilisation_max" Fraction Lower, |run| run.busiest();
        /// Busy handlers of all servers.
        [UtilisationMean] "utilisation_mean" Fraction Neither, |run| run.mean_utilisation();
        /// Part of the time that the write-ahead log of the busiest server takes for the bytes that are appended to it.
        [LogUtilisationMax] "log_utilisation_max" Fraction Lower, |run| run.log_utilisation();
        /// From the end of the warm-up until response times (in closed loops throughput too) had settled, by MSER-5; 0 when they had before,
        /// undefined when operations pile up.
        [Unsettled] "unsettled_ms" Millis Lower, |run| run.unsettled_ms();
        /// Share of the replicates in which operations piled up or more than 1 % were given up (open loop), or a server was more than 95 % busy
        /// (closed loop).
        [Saturated] "saturated" Fraction Lower, |run| Some(f64::from(u8::from(run.saturated?)));
    }
    Experiment {
        /// Rows a second of these writes on one saturated server with one region; a write has one in the table and in each copy. Where all are increments, which
        /// wait for each other's rows, those that the busiest server has in replicate 0; where memstores fill, in as many regions as it has.
        [ServerCapacity] "server_capacity_per_sec" PerSecond Higher;
        /// Servers x server_capacity_per_sec / server_peak_to_mean, less what chance adds to it (server_peak_to_mean_even) / rows of a write; where servers take turns
        /// within an interval what one at a time takes, and its queues hold until its turn is over; hotspot_peak_to_mean where a hotspot passes. At most what the
        /// lock of the hottest row lets through of increments and appends, what fills the log of the busiest server, and of beats that come
        /// all at once what servers hold of them. Of the time of its handlers a server has left what reads and neighbours don't ask for in replicate 0.
        [UsableCapacity] "usable_capacity_per_sec" PerSecond Higher;
        /// Highest rate of the varied load at which every limit of `[knee]` holds; undefined when even the lowest breaks one in some replicate.
        [Knee] "knee_per_sec" PerSecond Higher;
        /// Knee_per_sec of a write over server_capacity_per_sec, times the rows of a write: how many servers' worth of writes the strategy takes.
        [KneeInServers] "knee_in_servers" Number Higher;
        /// Mean length of a row key, over the table's rows.
        [KeyBytes] "key_bytes" Bytes Lower;
        /// Mean size of a cell (KeyValue): 20 bytes, row key, family, qualifier, value.
        [CellBytes] "cell_bytes" Bytes Lower;
        /// Mean size of a row: all its cells, in every copy of the table.
        [RowBytes] "row_bytes" Bytes Lower;
        /// Mean size of the cells that a write writes, in every copy of the table: a row, unless a qualifier tells cells apart that are written one by
        /// one, or several versions of a cell are kept.
        [WriteBytes] "write_bytes" Bytes Lower;
        /// Existing rows and those that the run adds, each key once.
        [TableRows] "table_rows" Count Neither;
        /// Cells of these rows, versions that are kept included, in the table itself.
        [TableCells] "table_cells" Count Neither;
        /// Existing rows and those that the run adds on disk: store files with index and Bloom filter, encoded and compressed as each
        /// family says, one replica, all copies.
        [TableBytes] "table_bytes" Bytes Lower;
        /// Block indexes of those store files: what a server keeps in memory to find a block.
        [BlockIndexBytes] "block_index_bytes" Bytes Lower;
        /// Regions at the start all of whose rows have expired (`ttl`), of all regions; they stay, without rows. Undefined without a `ttl`.
        [ExpiredRegionFraction] "expired_region_fraction" Fraction Lower;
    }
    OneRead {
        /// How the key serves the read: get, multi-get, scan, fan-out-scan, bucket-scan or table-scan.
        [Path] "path" Word Neither;
        /// Calls of a read by its plan, attempts again apart; mean of all that were sent, of the forecast's sample when the read is not issued.
        [CallsPlanned] "calls_planned" Number Lower, |read| read.per_sent(read.calls_planned);
        /// Regions that a read asks, each once; mean likewise.
        [Regions] "regions" Number Lower, |read| read.per_sent(read.regions);
        /// Rows that servers have to read for a read by its plan; mean likewise.
        [RowsPlanned] "rows_planned" Number Lower, |read| read.per_sent(read.rows_planned);
        /// Rows that the reader is to get; mean likewise.
        [RowsReturned] "rows_returned" Number Neither, |read| read.per_sent(read.rows_returned);
        /// Calls of a read as measured, attempts again apart; mean of the completed ones alone, of the forecast when the read is not issued.
        [Calls] "calls" Number Lower, |read| read.per_completed(read.calls);
        /// Rows that servers read for a read as measured; mean of the completed ones alone, of the forecast when the read is not issued.
        [RowsRead] "rows_read" Number Lower, |read| read.per_completed(read.rows_read);
        /// Cells that the reader is to get, like `rows_returned`; as many as rows where each has one, which results then leave out.
        [CellsReturned] "cells_returned" Number Neither, |read| read.per_sent(read.cells_returned);
        /// Cells that servers have to read for a read by its plan, like `rows_planned`: those of its rows whose qualifiers it asks for; left out
        /// likewise.
        [CellsPlanned] "cells_planned" Number Lower, |read| read.per_sent(read.cells_planned);
        /// Cells that servers read for a read, like `rows_read`: those of its rows whose qualifiers it asks for; left out likewise.
        [CellsRead] "cells_read" Number Lower, |read| read.per_completed(read.cells_read);
        /// Bytes of those cells as KeyValues; left out likewise, unless an expectation asks for it.
        [BytesRead] "bytes_read" Bytes Lower, |read| read.per_completed(read.bytes_read);
    }
} } }

pub(super) use catalogue;
