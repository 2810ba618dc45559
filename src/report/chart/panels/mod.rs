//! What charts are made of: a headed sheet, panels in a grid with axes that plotters draws, legends, places for labels, and the numbers
//! that can be read off.
//!
//! Must not know results.

mod axis;
mod data;
mod grid;
mod heading;
mod label_places;
mod overlap;
mod plot;

pub use axis::{Axis, TimeUnit, tick_ms};
pub use data::{Cells, ChartData, DataPoint, DataSeries, Values};
pub use grid::Grid;
pub use heading::{MARGIN, WIDTH, add_line, legend_key, quoted, sheet};
pub use label_places::{LabelPlace, place, spread};
pub use overlap::{OVERLAP_NOTE, Points, pieces, turns};
pub use plot::Plot;
