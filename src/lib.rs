//! keyheat answers one question before it is expensive to answer: **which row key runs hot, and
//! what does the cure cost?**
//!
//! A designer writes a workload and her candidate row keys in one TOML file; keyheat replays the
//! same logical operations under each candidate on a simulated cluster of HBase region servers.
//!
//! # The house
//! Rooms are the modules below; imports point only downwards, and rooms of one floor don't know
//! each other. `tests/architecture.rs` enforces it.
//!
//! ```text
//! F9  cli          arguments -> commands; exit codes; progress and warnings on stderr
//! F8  report       tables, Markdown, CSV, charts: sees only experiment's results
//! F7  experiment   strategies x replicates -> runs (rayon) -> results, comparisons, verdicts
//! F6  layout       one strategy made concrete, nothing simulated: split points, shares, lints
//! F5  engine       SimConfig -> RunResult; the only room that schedules
//!     scenario     TOML -> all diagnostics, or a Scenario that cannot be wrong
//! F4  client       write buffer, location cache, retries
//!     metrics      catalogue of metrics, recorder, series, histograms, skew, class of hotspot
//! F3  policy       pure deciders: pre-split, split, merge, flush, compaction, balance
//!     query        known fields -> access path and cost
//!     cluster      servers, call queues, WAL
//! F2  key          expression -> typed -> compiled KeyPlan; segments, functions, presets
//!     workload     which operations, when, on which records; knows no key
//! F1  record       fields, distributions, generator
//!     keyspace     row keys, \xHH notation, ranges, the router
//!     storage      cell sizes
//! F0  time, random, units, statistics, event_queue
//! ```
#![deny(unsafe_code)]

pub mod event_queue;
pub mod random;
pub mod statistics;
pub mod time;
pub mod units;

pub mod keyspace;
pub mod record;
pub mod storage;

pub mod key;
pub mod workload;

pub mod cluster;
pub mod policy;
pub mod query;

pub mod client;
pub mod metrics;

pub mod engine;
pub mod scenario;

pub mod layout;

pub mod experiment;

pub mod report;

pub mod cli;
