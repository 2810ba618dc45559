//! What every chart is written with.

pub use super::ChartKind;
pub use super::drawing::{Cells, Chart, Drawing, Legend, Reading};
pub use super::panels::*;
pub use super::picture::*;
pub use super::wording::*;
pub use crate::experiment::{Results, StrategyResult};
pub use crate::metrics::{MetricId, MetricPath, Part};
pub(in crate::report) use crate::report::metric;
pub use crate::report::number::NumberFormat::{Compact, Millis, Percent, Ratio};
pub use crate::report::number::{self, NumberFormat, UNDEFINED};
