//! Pictures: a display list of shapes and text, filled by charts and by plotters, and written as SVG or as PNG.
//!
//! Must not know results.

mod backend;
mod colours;
mod fonts;
#[cfg(feature = "png")]
mod png;
mod raster;
mod sheet;
mod svg;

pub use backend::{UNITS_PER_PX, units};
pub use colours::{
    AXIS, COLD, EMPTY, GREY, GRID, HEAT_STEPS, HeatColours, INK, LOAD_STEPS, MUTED, PAPER, Paint,
    Theme, hex, load_colour, strategy,
};
pub use fonts::{FAMILY, SIZE_OF_EM, balanced, faces, fitted, width, wrapped};
#[cfg(feature = "png")]
pub use png::PngError;
pub use raster::{Raster, base64};
pub use sheet::{Area, Label, Picture, Point, Sheet, bold, ink, muted};
pub use svg::escaped;
