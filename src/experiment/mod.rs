//! Strategies x replicates -> runs (rayon) -> [`Results`]: summaries, paired comparisons, expectations, verdicts.
//!
//! Must not know files' places, terminals or pictures.

mod advice;
#[cfg(test)]
mod advice_tests;
mod comparisons;
mod expectation_result;
mod expectations;
mod experiment_runs;
#[cfg(test)]
mod experiment_tests;
mod forecast;
mod hotspots;
mod knee;
mod knee_result;
#[cfg(test)]
mod knee_tests;
mod matrix;
mod measures;
mod point_words;
mod ranking;
mod read_price;
mod recommendation;
#[cfg(test)]
mod recommendation_tests;
mod results;
mod results_comparison;
#[cfg(test)]
mod results_comparison_tests;
mod results_file;
#[cfg(test)]
mod results_tests;
mod run_file;
#[cfg(test)]
mod run_file_tests;
mod runs;
mod shard;
mod strategy_summary;
mod suggested_keys;
mod suggestions;
#[cfg(test)]
mod suggestions_tests;
mod sweep_finding;
mod verdict;
#[cfg(test)]
mod verdict_tests;
mod warnings;

pub use crate::scenario::{Limit as KneeLimit, LimitBound};
pub use expectation_result::{ExpectationResult, ExpectedBound, FoundValue, Standing};
pub use experiment_runs::{Experiment, ExperimentRuns, FinishedRun};
pub use forecast::{FirstLayouts, Forecast};
pub use knee_result::{KneeFinding, KneeOutcome, KneeProbe, KneeReplicate, KneeResult};
pub use measures::{Measure, Metric};
pub use point_words::{at_point, point_label, value_text};
pub use recommendation::{ComparableStrategies, RankedStrategy, Recommendations};
pub use results::{
    Comparison, Curve, KeyMapBucket, OperationResult, ReadResult, Results, ScenarioInfo,
    StrategyResult, SweptList,
};
pub use results_comparison::{
    ChangeVerdict, ComparedResults, MetricChange, ParameterChange, ResultsComparison, Rewrite,
    StrategyChange,
};
pub use results_file::LoadError;
pub use run_file::{RunFile, RunFileError, RunFileHeader, SavedRuns};
pub use shard::Shard;
pub use suggested_keys::SuggestedKey;
pub use suggestions::{SuggestedKeys, Suggestions};
pub use sweep_finding::SweepFinding;
