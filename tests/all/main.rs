//! Every test of the whole program, in one crate, which is linked once. A module tests one thing; the last ones are what they share.
//! `cargo test --release --test all golden_runs` runs the tests of one module.

mod advice_oracle;
mod architecture;
mod asked_values;
mod block_encodings;
mod bloom_filters;
mod calibrate;
mod cli;
mod comparisons;
mod conservation;
mod dependencies;
mod determinism;
mod diagnostics;
mod endless_runs;
mod exam;
mod export;
mod file_rows;
mod followed_advice;
mod fuzz_seeds;
#[cfg(feature = "png")]
mod gallery;
mod golden_runs;
mod hostile_files;
#[cfg(target_os = "linux")]
mod hostile_input;
mod json_forms;
mod key_files;
mod key_language;
mod key_properties;
mod knee;
mod known_beginnings;
mod known_runs;
mod learn;
mod learnt_order;
mod learnt_values;
mod limits;
mod metamorphic;
mod moments;
mod neighbours;
mod never_finished;
mod numbers_of_both_signs;
mod page;
mod passing_hotspots;
mod pictures_and_tables;
mod placement;
mod planner_cells;
mod planner_pages;
mod planner_queries;
mod planner_soundness;
mod random_scenarios;
mod ranges_of_time;
mod real_hbase;
mod region_stores;
mod rows_of_a_hash;
mod rows_written_again;
mod run_command;
#[cfg(unix)]
mod saved_runs;
mod scenario_commands;
mod scenario_reads;
mod scenarios;
mod schema;
mod servers_in_turn;
mod stale_locations;
mod starting_regions;
mod store_files;
mod sweeps;
mod templates;
mod todays_regions;
mod usable_capacity;
mod usable_logs;
mod validation;
mod verdicts;
#[cfg(unix)]
mod watch;
mod wide_rows;

// What they share.
mod binary;
mod brute_force;
mod configs;
mod draft7;
mod folder_files;
mod ran;
mod schema_parts;
mod toml_files;
mod vector_cases;
mod workplace;
