//! What came of one run of an experiment, ready to be kept for later. Must not know where it is kept.

use super::KneeReplicate;
use super::matrix::JobKind;
use crate::metrics::RunResult;
use serde::{Deserialize, Serialize};

/// What came of one run, or of one bisection for a knee; written and read without loss.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FinishedRun {
    /// Its place in the experiment's order.
    pub(super) job: usize,
    pub(super) outcome: Outcome,
}

/// What came of it, by its kind.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    /// A replicate's.
    Run(Box<RunResult>),
    /// Rows a second of a saturating run.
    Capacity(Option<f64>),
    /// A bisection for the knee.
    Knee(Option<KneeReplicate>),
}

impl Outcome {
    pub(super) fn is_of(&self, kind: JobKind) -> bool {
        matches!(
            (self, kind),
            (Self::Run(_), JobKind::Replicate)
                | (Self::Capacity(_), JobKind::Capacity)
                | (Self::Knee(_), JobKind::Knee)
        )
    }
}

impl FinishedRun {
    /// Its number in the experiment: [`ExperimentRuns::name`](super::ExperimentRuns::name) says what it is.
    pub fn number(&self) -> usize {
        self.job
    }

    /// What it found, if it is a replicate's.
    pub fn result(&self) -> Option<&RunResult> {
        match &self.outcome {
            Outcome::Run(result) => Some(result),
            Outcome::Capacity(_) | Outcome::Knee(_) => None,
        }
    }
}

/// Why a run can't be taken into an experiment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddError {
    /// Its number is too high.
    #[error("the experiment has no run {0}")]
    Unknown(usize),
    /// The experiment's run of that number is of another kind.
    #[error("{0} can't be what was saved for it")]
    Unlike(String),
    /// It is there already.
    #[error("{0} is there twice")]
    Twice(String),
}
