//! Pictures: a display list of shapes and text, filled by charts and by plotters, and written as SVG or as PNG.
//!
//! Must not know results.

mod area;
mod backend;
mod fonts;
mod heat_colours;
mod label;
mod palette;
#[cfg(feature = "png")]
mod png;
mod raster;
mod shape;
mod sheet;
mod svg;
mod theme;

pub use area::{Area, Point};
pub use backend::{UNITS_PER_PX, units};
pub use fonts::{FAMILY, SIZE_OF_EM, balanced, faces, fitted, width, wrapped};
pub use heat_colours::HeatColours;
pub use label::{Label, bold, ink, muted};
pub use palette::{
    AXIS, EMPTY, GREY, GRID, HEAT_STEPS, INK, LOAD_STEPS, MUTED, PAPER, Paint, hex, load_colour,
    strategy, text,
};
#[cfg(feature = "png")]
pub use png::PngError;
pub use raster::{Raster, base64};
pub use shape::Picture;
pub use sheet::Sheet;
pub use svg::escaped;
pub use theme::Theme;
