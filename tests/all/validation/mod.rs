//! Everything that keyheat is checked against from outside: HBase's own code, brute force, queueing theory, the rules of splits and of the balancer,
//! published figures. `output/VALIDATION.md` lists what was expected and what came out;
//! `SNAPSHOTS=overwrite cargo test --release --test all validation` writes it.
//!
//! Runs of a few seconds. `KEYHEAT_THEORY=full` asks queueing theory for 20 replicates of two million operations after a warm-up of 50,000 service
//! times; the document then is another one, and is not compared.

mod access_paths;
mod balancer_cost_vectors;
mod bytes_string_vectors;
mod closed_forms;
mod document;
mod figure;
mod key_vectors;
mod living_cluster;
mod published;
mod separator_vectors;
mod split_policy_vectors;
mod split_vectors;
mod theory;
