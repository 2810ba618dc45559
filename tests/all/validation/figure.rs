//! One number that the simulator has to reach. Must not know where it comes from.

/// What was expected, what came out, and how far apart they may be.
#[derive(Debug, Clone)]
pub struct Figure {
    pub what: String,
    pub expected: f64,
    pub measured: f64,
    /// The greatest difference that chance explains, or that the source's own precision leaves open.
    pub allowed: f64,
}

impl Figure {
    /// `allowed` as a share of what is expected.
    pub fn within(what: String, measured: f64, expected: f64, share: f64) -> Self {
        Self {
            what,
            expected,
            measured,
            allowed: share * expected,
        }
    }

    pub fn holds(&self) -> bool {
        (self.measured - self.expected).abs() <= self.allowed
    }
}

/// Fails with all figures that are too far from what is expected.
pub fn hold(figures: &[Figure]) {
    let wrong: Vec<&Figure> = figures.iter().filter(|figure| !figure.holds()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
