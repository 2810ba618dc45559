//! One finished chart.

use super::panels::ChartData;
use super::picture::{Picture, Sheet};

/// What a chart shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChartKind {
    /// The key space over time, one a strategy.
    KeyMap,
    /// The load of each server over time.
    ServerLoad,
    /// How even the load of the servers is.
    Lorenz,
    /// Response times by percentile.
    ResponseTime,
    /// How few regions take the load.
    Concentration,
    /// What more servers give.
    Scaling,
    /// What spreading the writes costs the reads.
    TradeOff,
    /// What each strategy sustains.
    Knee,
    /// What a setting gives along its values.
    Sweep,
}

impl ChartKind {
    /// As files are called.
    fn name(self) -> &'static str {
        match self {
            Self::KeyMap => "key-map",
            Self::ServerLoad => "server-load",
            Self::Lorenz => "lorenz",
            Self::ResponseTime => "response-time",
            Self::Concentration => "concentration",
            Self::Scaling => "scaling",
            Self::TradeOff => "trade-off",
            Self::Knee => "knee",
            Self::Sweep => "sweep",
        }
    }
}

/// A finished chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub kind: ChartKind,
    /// File stem: `key-map-salted`, `server-load`.
    pub name: String,
    /// The finding.
    pub title: String,
    /// The picture, 980 pixels wide.
    pub picture: Picture,
    /// The numbers behind it, plot by plot.
    pub data: Vec<ChartData>,
}

impl Chart {
    /// What was drawn on `sheet`, with the numbers behind it.
    pub(super) fn new(kind: ChartKind, title: String, sheet: &Sheet, data: Vec<ChartData>) -> Self {
        Self {
            kind,
            name: kind.name().to_owned(),
            title,
            picture: sheet.finish(),
            data,
        }
    }

    /// The chart of one strategy among several of its kind.
    pub(super) fn of_strategy(self, strategy: &str) -> Self {
        let name = format!("{}-{strategy}", self.name);
        Self { name, ..self }
    }
}
