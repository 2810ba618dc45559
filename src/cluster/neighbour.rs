//! Who else uses the servers. Must not know how its load is simulated.

/// Another table on the same servers: open-loop puts and Gets of single rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// Its name in the scenario.
    pub name: String,
    /// Its regions, dealt to the servers; >= 1.
    pub regions: u32,
    /// Puts a second, over all its regions.
    pub write_rate: f64,
    /// Gets a second, over all its regions.
    pub read_rate: f64,
    /// Share of its load on its hottest region; `None` spreads it evenly.
    pub hottest: Option<f64>,
}
