//! What is measured: the catalogue of metrics, the recorder that the engine reports to, series, histograms,
//! skew and the class of hotspot.
//!
//! Must not schedule nor know keys; it sees times, writes, regions and servers by number.

mod catalogue;
mod definitions;
mod hotspot;
mod intervals;
mod recorder;
#[cfg(test)]
mod recorder_tests;
mod region_demand;
mod response;
mod run_result;
mod series;
mod summary;
mod table;

pub use catalogue::{
    Better, Definition, MetricPath, PER_WRITE, RESPONSE, RESPONSE_PARTS, Unit, UnknownMetric,
    all_paths, definition, definitions, lookup,
};
pub use hotspot::{
    CHANCE_SDS, Hotspot, HotspotEvidence, MOVING_RATIO, NO_HOTSPOT_BELOW, ROW_SHARE_OF_PEAK,
};
pub use recorder::{ReadWork, Recorder, RecorderConfig};
pub use response::{CombinedResponse, Nanos, Response};
pub use run_result::{Counts, ReadRun, RunResult, Scalars, Series};
pub use summary::OPERATIONS_PER_SERVER;
