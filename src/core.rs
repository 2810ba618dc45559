//! What a scenario says and what one simulated run of it gives: the rooms from [`time`] to [`layout`]. They are a library of their own so that a
//! change in what compares, reports and draws compiles only that. `keyheat` hands all of them on, and describes the house.
#![deny(unsafe_code)]

pub mod event_queue;
pub mod prefetch;
pub mod random;
pub mod settings;
pub mod statistics;
pub mod text;
pub mod time;
pub mod units;

pub mod data;
pub mod keyspace;
pub mod record;
pub mod storage;

pub mod key;
pub mod learn;
pub mod observed;
pub mod workload;

pub mod cluster;
pub mod policy;
pub mod query;

pub mod client;
pub mod metrics;

pub mod engine;
pub mod scenario;

pub mod layout;
