//! keyheat answers one question before it is expensive to answer: **which row key runs hot, and
//! what does the cure cost?**
//!
//! A designer writes a workload and her candidate row keys in one TOML file; keyheat replays the
//! same logical operations under each candidate on a simulated cluster of HBase region servers.
//!
//! # The house
//! Rooms are the modules below; imports point only downwards, and rooms of one floor don't know
//! each other. `tests/all/architecture.rs` enforces it. The rooms up to F6 are a library of their own,
//! `keyheat-core`, whose root is `core.rs`: a change in those above it compiles them alone.
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
//!     learn        what a file of rows says: kinds and laws of its columns, a scenario
//!     observed     what a real cluster says of its regions and of a replay
//! F1  record       fields, distributions, generator
//!     data         rows that exist: files of people's own, one row at a time
//!     keyspace     row keys, \xHH notation, ranges, the router
//!     storage      cell sizes
//! F0  time, random, prefetch, units, statistics, event_queue
//! ```
//!
//! # Chapters
//! - **F0, without a domain**: [`time`], [`random`], [`prefetch`], [`units`], [`statistics`], [`event_queue`].
//! - **F1, what a table is made of**: [`record`] draws values, [`data`] reads them, [`keyspace`] orders row keys, [`storage`] weighs cells.
//! - **F2, independent of each other**: [`key`] turns a record into a row key, [`workload`] says which records and when;
//!   what was [`observed`] of a real table; and a scenario to [`learn`] from rows.
//! - **F3, HBase**: [`policy`] decides, [`query`] plans reads, [`cluster`] holds servers.
//! - **F4, both ends**: [`client`] sends, [`metrics`] measures.
//! - **F5, one run**: [`scenario`] reads a file, [`engine`] simulates.
//! - **F6, before any run**: [`layout`] predicts.
//! - **F7, many runs**: [`experiment`] runs, summarises and compares.
//! - **F8, F9, for people**: [`report`] draws, [`cli`] listens.
//!
//! What all of it assumes, and what it leaves out, stands in [`model`].
//!
//! # From a file to a number
//! ```
//! use keyheat::experiment::{Experiment, Metric};
//! use keyheat::scenario::Scenario;
//!
//! let scenario = Scenario::parse(
//!     r#"
//!     question = "Does a salt spread a key that grows with time?"
//!     time = { duration = "200ms", warmup = "100ms", sample = "50ms" }
//!     [field]
//!     ts = { type = "timestamp", unit = "ms" }
//!     [write.points]
//!     rate = "10k/s"
//!     [strategy.rising]
//!     key = "be8(ts)"
//!     presplit = { algorithm = "uniform", regions = 8 }
//!     [strategy.salted]
//!     key = "be1(random(8)) || be8(ts)"
//!     presplit = { algorithm = "buckets" }
//!     "#,
//!     "salt",
//! )?;
//! let results = Experiment::new(&scenario).threads(1).run(|_| {});
//! let share = |strategy: usize| match &results.strategies[strategy].metrics["server_max_share"] {
//!     Metric::Number(measure) => measure.mean,
//!     _ => None,
//! };
//! assert_eq!(share(0), Some(1.0));
//! assert!(share(1) < Some(0.2));
//! # Ok::<(), keyheat::scenario::LoadError>(())
//! ```
//!
//! # One key
//! ```
//! use keyheat::key::evaluate;
//! use keyheat::record::FieldValue;
//! use keyheat::random::Seed;
//!
//! let fields = [("host".to_owned(), FieldValue::Text("web7".into()))];
//! let key = evaluate("host || x'00' || be4(7)", &fields, Seed(0)).expect("compiles").key;
//! assert_eq!(key.to_string(), r"web7\x00\x00\x00\x00\x07");
//! ```
#![deny(unsafe_code)]

pub use keyheat_core::{
    client, cluster, data, engine, event_queue, key, keyspace, layout, learn, metrics, observed,
    policy, prefetch, query, random, record, scenario, settings, statistics, storage, text, time,
    units, workload,
};

pub mod experiment;

pub mod report;

pub mod cli;

#[doc = include_str!("model.md")]
pub mod model {}
