//! What is measured: the catalogue of metrics, the recorder that the engine reports to, series, histograms,
//! skew and the class of hotspot.
//!
//! Must not schedule nor know keys; it sees times, writes, regions and servers by number, and the rows at which regions are split.

mod catalogue;
mod dealings;
mod demand;
mod events;
#[cfg(test)]
mod fixture;
mod hotspot;
mod long_reads;
mod metric_id;
#[cfg(test)]
mod read_tests;
mod recorder;
#[cfg(test)]
mod recorder_tests;
mod region_demand;
mod response;
mod run_result;
mod summary;
#[cfg(test)]
mod summary_tests;
mod table;
mod warm_up;

pub use demand::{HottestServer, OPERATIONS_PER_SERVER};
pub use events::{EventKind, RefusalReason, SeriesEvent};
pub use hotspot::{
    Demanded, FULL_ROW, Hotspot, HotspotEvidence, NO_HOTSPOT_BELOW, OF_READS, PASSING, Peak,
};
pub use metric_id::{
    Better, Definition, MetricId, MetricPath, OperationNames, Part, Side, Source, Subject, Unit,
    UnknownMetric, all_paths, lookup, reference,
};
pub use recorder::{PlannedWork, ReadWork, Recorded, Recorder, RecorderConfig};
pub use response::{CombinedResponse, Counts, Nanos, Response};
pub use run_result::{OperationRun, RunResult, Scalars, Series, SideRun};
pub use summary::{BUSY, CLUSTER_BUSY};
