//! Strategies x replicates -> runs (rayon) -> [`Results`]: summaries, paired comparisons, expectations, verdicts.
//!
//! Must not know files' places, terminals or pictures.

mod advice;
#[cfg(test)]
mod advice_tests;
mod buckets;
mod busiest_server;
mod calibration;
#[cfg(test)]
mod calibration_tests;
mod cluster_history;
mod comparisons;
mod expectation_result;
mod expectations;
mod experiment_runs;
#[cfg(test)]
mod experiment_tests;
mod forecast;
mod growing_reads;
mod hotspots;
mod kept_rows;
mod key_words;
mod knee;
mod knee_result;
#[cfg(test)]
mod knee_tests;
mod load_today;
mod lossy_keys;
mod made_up_points;
mod measures;
mod point_words;
mod ranked_strategies;
mod ranking;
mod read_price;
mod recommendation;
#[cfg(test)]
mod recommendation_tests;
mod results;
#[cfg(test)]
mod results_comparison_tests;
#[cfg(test)]
mod results_tests;
mod run_file;
#[cfg(test)]
mod run_file_tests;
mod runs;
mod strategy_summary;
mod suggested_keys;
mod suggestions;
#[cfg(test)]
mod suggestions_tests;
mod sweep_finding;
mod time_fit;
mod usable_capacity;
mod verdict;
#[cfg(test)]
mod verdict_tests;
mod waiting_writers;

pub use crate::layout::KEY_MAP_ROWS;
pub use crate::scenario::{
    Bound as ExpectedBound, Limit as KneeLimit, LimitBound, SweptSetting as SweptList, value_text,
};
pub use calibration::{
    CalibratedQuantity, Calibration, CalibrationError, FittedTime, ObservedShare,
};
pub use comparisons::{
    COMPARED_OF_READS, ChangeVerdict, ComparedResults, MetricChange, ParameterChange,
    ResultsComparison, Rewrite, StrategyChange, in_words,
};
pub use expectation_result::{ExpectationResult, ExpectationStatus, FoundValue};
pub use experiment_runs::{Experiment, ExperimentRuns, FinishedRun, Shard};
pub use forecast::{FirstLayouts, Forecast};
pub use knee_result::{KneeFinding, KneeOutcome, KneeProbe, KneeReplicate, KneeResult, kept};
pub use load_today::LoadToday;
pub use lossy_keys::lossy_keys;
pub use measures::{Comparison, Measure, Metric};
pub use point_words::{at_point, point_label};
pub use ranked_strategies::{ComparableStrategies, Loss, RankedStrategy};
pub use recommendation::{ONE_CANT_SHOW, Recommendations};
pub use results::{
    CellsRead, Curve, KeyMapBucket, LoadError, MappedCopy, OperationResult, ReadResult, Results,
    ScenarioInfo, StrategyResult,
};
pub use run_file::{RunFile, RunFileError, RunFileHeader, SavedRuns};
pub use suggested_keys::SuggestedKey;
pub use suggestions::{SuggestedKeys, Suggestions};
pub use sweep_finding::{READ_PRICES, SweepFinding};
