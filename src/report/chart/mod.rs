//! Charts: panels and marks over a display list, which is written as SVG and as PNG; plotters draws axes and marks. The finding is the
//! title, the method the subtitle; lines are labelled directly; the same colour is the same strategy everywhere.
//!
//! 1 key map with the server strip (one a strategy) · 2 load per server over time · 3 Lorenz curve · 4 response time by
//! percentile · 5 concentration on regions · 6 what more servers give · 7 what spreading the writes costs the reads ·
//! 8 what a sweep gives along its values · 9 what each strategy sustains. Must not know how results were made.

#[allow(clippy::module_inception)]
mod chart;
mod charts;
mod concentration;
mod demand;
mod key_map;
mod knee;
mod lorenz;
mod panels;
mod picture;
mod prelude;
mod response;
mod scaling;
mod server_load;
mod square;
mod sweep;
mod trade_off;
mod wording;

#[cfg(test)]
mod chart_tests;
#[cfg(test)]
mod knee_tests;
#[cfg(test)]
mod sweep_tests;

pub use chart::{Chart, ChartKind};
pub use charts::charts;
pub(super) use charts::{headline, strategy_colour};
pub use panels::{Cells, ChartData, DataPoint, DataSeries, Values};
#[cfg(feature = "png")]
pub use picture::PngError;
pub use picture::{Area, HeatColours, Picture, Theme};
pub(super) use picture::{base64, escaped, faces as font_faces};
