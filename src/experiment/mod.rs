//! Strategies x replicates -> runs (rayon) -> [`Results`]: summaries, paired comparisons, expectations, verdicts.
//!
//! Must not know files' places, terminals or pictures.

mod advice;
#[cfg(test)]
mod advice_tests;
mod comparable;
mod comparisons;
mod course;
mod dealings;
mod expectation_result;
mod expectations;
#[allow(clippy::module_inception)] // the file is named after its one type, as everywhere
mod experiment;
mod experiment_runs;
#[cfg(test)]
mod experiment_tests;
mod finished_run;
mod forecast;
mod held_back;
mod history;
mod hotspots;
mod key_order;
mod key_parts;
mod knee_result;
mod knee_run;
mod knee_search;
mod knee_summary;
#[cfg(test)]
mod knee_tests;
mod knee_words;
mod matrix;
mod measures;
mod paired_verdict;
mod point_words;
mod ranked_strategy;
mod ranking;
mod read_price;
mod recommendation;
mod recommendation_limits;
mod recommendation_reads;
#[cfg(test)]
mod recommendation_tests;
mod recommendation_words;
mod response_curve;
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
mod strategy_measures;
mod strategy_summary;
mod suggested_copies;
mod suggested_keys;
mod suggestions;
#[cfg(test)]
mod suggestions_tests;
mod sweep_finding;
mod sweep_points;
mod verdict;
#[cfg(test)]
mod verdict_tests;
mod warnings;

pub use expectation_result::{
    ExpectationResult, ExpectedBound, ExpectedValue, FoundValue, Standing,
};
pub use experiment::Experiment;
pub use experiment_runs::{ExperimentRuns, NoThreads, Progress};
pub use finished_run::{AddError, FinishedRun};
pub use forecast::{FirstLayouts, Forecast};
pub use knee_result::{KneeFinding, KneeLimit, KneeOutcome, KneeProbe, KneeReplicate, KneeResult};
pub use measures::{Measure, Metric};
pub use paired_verdict::PairedVerdict;
pub use point_words::{at_point, point_label, value_text};
pub use ranked_strategy::{Loss, RankedStrategy};
pub use recommendation::{ComparableStrategies, Recommendations};
pub use results::{
    Comparison, Curve, KeyMapBucket, OperationResult, ReadResult, Results, ScenarioInfo,
    StrategyResult, SweptList,
};
pub use results_comparison::{
    ChangeVerdict, ComparedResults, MetricChange, ParameterChange, ResultsComparison, Rewrite,
    StrategyChange, UnknownStrategy,
};
pub use results_file::LoadError;
pub use run_file::{RunFile, RunFileError, RunFileHeader, SavedRuns};
pub use shard::{Shard, ShardError};
pub use suggested_keys::SuggestedKey;
pub use suggestions::{SuggestedKeys, Suggestions};
pub use sweep_finding::{SweepDip, SweepFinding, SweepPrice};
