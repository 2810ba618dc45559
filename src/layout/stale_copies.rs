//! Rows that are written again under a salt that is drawn for each write: their old versions stay where the earlier salts put them. Must not
//! know regions.

use super::Replicate;
use super::key_lints::LintedKey;
use super::row_growth::some_record;
use crate::key::{KeyPlan, StepCache};
use crate::query::RowIdentity;
use crate::scenario::{Diagnostic, Setup};
use crate::time::SimTime;
use crate::workload::Condition;

/// Fewer copies of a row are not told: one row in a hundred that agrees with another by chance is no design of writing rows again.
const LEAST_COPIES: f64 = 1.01;

/// A warning when rows are written again under a random salt.
pub(super) fn lint(linted: LintedKey<'_>, replicate: &Replicate) -> Option<Diagnostic> {
    let copies = copies(linted.key, &linted.strategy.setup, replicate);
    let message = format!(
        "rows that are written again leave stale copies under other salts: {copies:.1} of each row on average when the run ends"
    );
    let help = "compute the salt from what names the row, as `bucket(16, ...)` does: a write then replaces the old version; else readers have to ask every salt and keep the newest";
    let label = "a salt is drawn for each write";
    (copies >= LEAST_COPIES).then(|| linted.warning(message, label, help))
}

/// Expected number of copies of a row when the run ends, at least 1: of m writes of one row under k salts k (1 - (1 - 1/k)^m).
fn copies(key: &KeyPlan, setup: &Setup, replicate: &Replicate) -> f64 {
    let identity = RowIdentity::of(key, &setup.schema);
    if !identity.leaves_copies() {
        return 1.0;
    }
    let mut record = some_record(setup, replicate);
    let step = identity.step(&mut record, &mut StepCache::default());
    let rows = replicate.population.as_ref();
    let end = SimTime::ZERO + setup.workload.duration;
    let all = Condition::default();
    let current = identity.current_rows(rows, all, step, &record, end);
    if current <= 0.0 {
        return 1.0;
    }
    (identity.rows(rows, all, step, &record, end) / current).max(1.0)
}
