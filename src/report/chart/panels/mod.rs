//! What charts are made of: a headed sheet, panels in a grid with axes that plotters draws, legends and places for labels.
//!
//! Must not know results.

mod axis;
mod label_places;
mod overlap;
mod panel;
mod viewport;

pub use axis::{Axis, TimeUnit, extent, tick_ms};
pub use label_places::{place, spread};
pub use overlap::{OVERLAP_NOTE, Points, height, turns};
pub use panel::{Grid, Plot, add_line, legend_key, panel_title, quoted, sheet, striped};
pub use viewport::Viewport;
