//! What every chart is written with.

pub use super::ChartKind;
pub use super::drawing::{Cells, Chart, Drawing, Reading};
pub use super::panels::{
    Axis, Grid, MARGIN, OVERLAP_NOTE, Plot, Points, TimeUnit, WIDTH, legend_key, panel_title,
    place, quoted, spread, striped, tick_ms, turns,
};
pub use super::picture::{
    AXIS, Area, EMPTY, GREY, GRID, HEAT_STEPS, HeatColours, INK, LOAD_STEPS, Label, MUTED, PAPER,
    Paint, Point, Raster, Sheet, balanced, bold, fitted, ink, load_colour, muted, width, wrapped,
};
pub use super::wording::{
    ALIKE_WITHIN, Entry, alike, extremes, hottest_servers, in_words, name, quoted_name, range,
};
pub use crate::experiment::{Results, StrategyResult};
pub use crate::metrics::{MetricId, MetricPath, Part};
pub(in crate::report) use crate::report::metric;
pub use crate::report::number::NumberFormat::{Compact, Millis, Percent, Ratio};
pub use crate::report::number::{self, NumberFormat, UNDEFINED};
