//! What `[knee]` asks: the highest load that keeps within limits.

use crate::units::PerSecond;

/// The search for a knee: the highest rate of one open loop at which every limit holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Knee {
    /// The setting that is varied, as written: `write.ingest.rate`.
    pub vary: String,
    /// Whose rate that is.
    pub load: VariedLoad,
    /// What must hold; not empty.
    pub limits: Vec<Limit>,
    /// Lowest load that is tried, > 0.
    pub from: PerSecond,
    /// Highest load that is tried, at least twice `from`.
    pub to: PerSecond,
    /// Relative distance of two neighbouring loads, in 0.001 ..= 0.5.
    pub precision: f64,
}

/// The operations whose rate is varied; a `profile` goes with its rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariedLoad {
    /// An open-loop write without end, by its place among the writes.
    Write(usize),
    /// An open-loop read, by its place among the reads.
    Read(usize),
}

/// A bound that the metric of a run keeps within.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// Dotted path of a number that a single run measures.
    pub metric: String,
    /// What it must satisfy.
    pub bound: LimitBound,
}

/// One side of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LimitBound {
    /// Greater than.
    Above(f64),
    /// Less than.
    Below(f64),
}

impl LimitBound {
    /// Whether a value satisfies it.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::Above(least) => value > least,
            Self::Below(most) => value < most,
        }
    }

    /// Whether a value proves that it holds: a lower bound proves no limit from above.
    pub fn is_kept(self, value: f64, lower_bound: bool) -> bool {
        self.holds(value) && !(lower_bound && matches!(self, Self::Below(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    fn knee(more: &str) -> Knee {
        let text = format!(
            "[time]\nduration = \"10s\"\nwarmup = \"2s\"\n[field]\nid = {{ type = \"int\", count = 9 }}\n\
             [write.other]\nrate = \"7/s\"\n[write.w]\nrate = \"500/s\"\n[read.r]\nequal = [\"id\"]\nrate = \"3/s\"\n\
             [cluster]\nservers = 3\nhandlers = 5\ncall_queues = 1\n[strategy.a]\nkey = \"be4(id)\"\n\
             [knee]\nlimit = [{{ metric = \"write_response_ms.p99\", below = 50 }}]\n{more}\n"
        );
        let scenario = Scenario::parse(&text, "knee").unwrap_or_else(|error| panic!("{error}"));
        scenario.strategies[0]
            .setup
            .knee
            .clone()
            .expect("a `[knee]`")
    }

    #[test]
    fn loads_that_are_not_said_follow_from_handlers_and_window() {
        let found = knee("vary = \"write.w.rate\"");
        assert_eq!(found.load, VariedLoad::Write(1));
        // Fifteen handlers, each held for 0.3 ms of service and 1.2 ms of sync: 10,000/s, twice.
        assert_eq!(found.to, PerSecond(20_000.0));
        // 1,000 operations in 8 s.
        assert_eq!(found.from, PerSecond(125.0));
        assert_eq!(found.precision, 0.01);
        // Fifteen handlers, each held for 1.2 ms by a Get: 12,500/s, twice.
        let found = knee("vary = \"read.r.rate\"");
        assert_eq!(
            (found.load, found.to),
            (VariedLoad::Read(0), PerSecond(25_000.0))
        );
        // A hundredth of the highest is less than 125/s.
        let found = knee("vary = \"write.w.rate\"\nto = \"4k/s\"");
        assert_eq!(
            (found.from, found.to),
            (PerSecond(40.0), PerSecond(4_000.0))
        );
        let found = knee("vary = \"write.w.rate\"\nfrom = \"80k/s\"");
        assert_eq!(
            (found.from, found.to),
            (PerSecond(80_000.0), PerSecond(160_000.0))
        );
    }

    #[test]
    fn a_value_at_its_limit_breaks_it() {
        assert!(LimitBound::Below(50.0).holds(49.9) && !LimitBound::Below(50.0).holds(50.0));
        assert!(LimitBound::Above(0.999).holds(0.9991) && !LimitBound::Above(0.999).holds(0.999));
    }
}
