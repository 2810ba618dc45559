//! What reads cost a table that has kept its rows ten times as long: reads whose rows grow with retention get worse for years after the
//! key was chosen. Must not lay regions out.

use super::Replicate;
use super::family_size::kept_longer;
use super::key_sample::KeyedTable;
use super::read_forecast::{ReadTargets, cheapest, costs, keys};
use crate::query::{Expected, PlanContext};
use crate::random::Seed;
use crate::record::{Field, FieldKind};
use crate::scenario::{Setup, Strategy};
use crate::time::SimDuration;
use crate::workload::{Existing, ImportRows, LoadModel, Workload, WriteId};

/// A table with the rows that the file gives it, and with ten times as many, written at the same pace.
#[derive(Debug, Clone)]
pub struct Retention {
    now: Kept,
    later: Kept,
}

/// How a read grows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReadGrowth {
    /// How many times as many cells servers read for it when rows have been kept ten times as long.
    pub times: f64,
    /// The same of those that its reader does not get.
    pub needless_times: f64,
    /// Seconds that it takes a server then, and how many more than now of what its reader does not get.
    pub later_seconds: f64,
    pub more_seconds: f64,
}

impl ReadGrowth {
    /// From this factor on a read grows with retention: half-way, on a logarithmic scale, between rows that stay and rows that follow the table.
    const GROWS: f64 = 3.2;

    /// Its rows grow with retention.
    pub fn grows(&self) -> bool {
        self.times >= Self::GROWS
    }

    /// So do those that its reader does not get.
    pub fn grows_needlessly(&self) -> bool {
        self.grows() && self.needless_times >= Self::GROWS
    }
}

/// Rows that are kept for some time.
#[derive(Debug, Clone)]
struct Kept {
    workload: Workload,
    replicate: Replicate,
    /// So much older are the oldest than those of the file.
    older: SimDuration,
    /// So many more are there than in the file.
    more: u64,
}

impl Retention {
    /// So many times as long are rows kept.
    pub const TIMES: u64 = 10;

    /// A way for years is that for so many times as many rows (estimate: an hour's history in the file is kept for a month), if it costs at most so many
    /// times as much for those that there are.
    const FOR_YEARS: f64 = 1_000.0;
    const LITTLE_MORE: f64 = 4.0;

    /// Of strategies over one workload. A write without existing rows gets those of one run before it.
    pub fn of(setup: &Setup, seed: Seed) -> Self {
        let mut now = setup.workload.clone();
        if now.existing.is_empty() {
            now.existing = histories(setup);
        }
        let existing = now.existing_rows(&setup.schema) as f64;
        let written = now.estimated_writes(&setup.schema);
        // The run's own rows are in both tables, half of them when a reader asks on average: as many more exist that there are ten times as many in all.
        let times = Self::TIMES as f64;
        let longer = times + (times - 1.0) * 0.5 * written / existing.max(1.0);
        let mut later = now.clone();
        for existing in &mut later.existing {
            existing.rows = kept_longer(&existing.rows, longer);
        }
        // What expires is kept no longer. Rows that are numbered keep their numbers: of these none is left out.
        let is_counted = |field: &Field| matches!(field.kind, FieldKind::Sequence { .. });
        if !setup.schema.fields.iter().any(is_counted) {
            later.kept_for = setup.table.row_ttl();
        }
        let oldest = |workload: &Workload| {
            let rows = workload.existing.iter().map(|it| it.rows.last());
            rows.max().unwrap_or_default()
        };
        let own = oldest(&setup.workload).as_nanos();
        let rows = setup.workload.existing_rows(&setup.schema);
        let with_rows = |workload: Workload| {
            let older = oldest(&workload).as_nanos().saturating_sub(own);
            let setup = Setup {
                workload: workload.clone(),
                ..setup.clone()
            };
            Kept {
                workload,
                replicate: Replicate::new(&setup, seed, 0),
                older: SimDuration::from_nanos(older),
                more: setup.workload.existing_rows(&setup.schema) - rows,
            }
        };
        Self {
            now: with_rows(now),
            later: with_rows(later),
        }
    }

    /// How each read of a strategy grows.
    pub fn growth(&self, strategy: &Strategy) -> Vec<ReadGrowth> {
        let [now, later] = [&self.now, &self.later].map(|kept| {
            // A reader goes through all times that there are.
            let mut setup = Setup::clone(&strategy.setup);
            let (oldest, end) = setup.schema.time_range;
            setup.schema.time_range = (oldest.before(kept.older), end);
            setup.schema.sequence_span = setup.schema.sequence_span.saturating_add(kept.more);
            (ReadTargets::new(&kept.workload, &kept.replicate), setup)
        });
        let reads = self.later.workload.reads.iter().enumerate();
        let growth = reads.map(|(read, asked)| {
            let row = costs(&later.1).row;
            let targets = ReadTargets::compared(later.0.combinations(read, &later.1));
            // Read in the way that suits the larger table: a whole table that is still small is no way for years. So are all rows of one thing that are
            // still few, where there is a way for far more of them that costs little more now.
            let plan = (later.0).with(read, targets, &later.1, |context| {
                let plans = [1.0, Self::FOR_YEARS].map(|times| {
                    let tables = KeyedTable::all(strategy, &self.later.replicate);
                    let tables = tables.map(|table| (keys(&table, asked), row * times));
                    let plan = cheapest(tables, (asked, &self.later.workload), context).1;
                    (plan.expected_of(context).seconds, plan)
                });
                let [(least, cheapest), (seconds, lasting)] = plans;
                match seconds <= Self::LITTLE_MORE * least {
                    true => lasting,
                    false => cheapest,
                }
            });
            // The same readers ask both tables: of others chance would have it whether they ask for what is frequent.
            now.0.with(read, targets, &now.1, |context| {
                let later = PlanContext {
                    schema: &later.1.schema,
                    population: &later.0.counter,
                    ..*context
                };
                let [later, now] = [&later, context].map(|of| plan.expected_of(of));
                // A Get that finds nothing reads a row like one that finds it.
                let cells = |of: Expected| of.cells_read.max(1.0);
                let needless = |of: Expected| 1.0 + (of.cells_read - of.cells_returned).max(0.0);
                let seconds = |of: Expected| (of.seconds - of.rows_returned * row).max(0.0);
                ReadGrowth {
                    times: cells(later) / cells(now),
                    needless_times: needless(later) / needless(now),
                    later_seconds: later.seconds,
                    more_seconds: (seconds(later) - seconds(now)).max(0.0),
                }
            })
        });
        growth.collect()
    }
}

/// What the writes of one run would have left before it.
fn histories(setup: &Setup) -> Vec<Existing> {
    let workload = &setup.workload;
    let writes = workload.writes.iter().enumerate();
    let existing = writes.map(|(at, write)| Existing {
        name: write.name.clone(),
        write: Some(WriteId(at as u8)),
        rows: match (write.load.import(), &write.load) {
            (Some(import), _) => import.rows.clone(),
            (None, LoadModel::Periodic(periodic)) => ImportRows::Each {
                each: periodic.each.clone(),
                every: Some(periodic.every),
                last: workload.duration,
            },
            (None, _) => ImportRows::Drawn {
                records: workload.estimated_operations(write, &setup.schema).ceil() as u64,
                last: workload.duration,
            },
        },
        with: write.with.clone(),
    });
    existing.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    /// Of a file with this table of existing rows, the growth of each read under each key.
    fn growths(existing: &str) -> Vec<Vec<ReadGrowth>> {
        growths_of("count = 50", existing, 1)
    }

    fn growths_of(ids: &str, existing: &str, seed: u64) -> Vec<Vec<ReadGrowth>> {
        let text = format!(
            "seed = {seed}\n[time]\nduration = \"2s\"\nwarmup = \"1s\"\n\
             [field]\nid = {{ type = \"int\", {ids} }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
             [write.w]\nrate = \"1k/s\"\n{existing}\n\
             [read.recent]\nequal = [\"id\"]\nrange = {{ field = \"ts\", last = \"1s\" }}\n\
             [read.all]\nequal = [\"id\"]\n\
             [strategy.id-time]\nkey = \"be4(id) || be8(ts)\"\n\
             [strategy.id-only-hash]\nkey = \"be4(id) || left(md5_bytes(ts), 4) || be8(ts)\"\n\
             [strategy.copy]\nkey = \"be4(id) || left(md5_bytes(ts), 4) || be8(ts)\"\ncopies = [\"be4(id) || be8(ts)\"]\n\
             [strategy.random]\nkey = \"be1(random(12)) || be4(id) || be8(ts)\"\n"
        );
        let scenario = Scenario::parse(&text, "kept").unwrap_or_else(|error| panic!("{error}"));
        let strategies = &scenario.strategies;
        let retention = Retention::of(&strategies[0].setup, scenario.seed);
        strategies.iter().map(|it| retention.growth(it)).collect()
    }

    #[test]
    fn what_expires_grows_no_further_than_it_is_kept() {
        // A history of any length leaves the ten minutes that are kept, beside what the run has written by then: a second of 601 is 0.2 % of either. Sampled readers
        // of 50 sensors find alike rows, to 1 / sqrt(12,000 rows of one) = 0.9 %.
        let found = growths("[existing.w]\nlast = \"10m\"\n[family.d]\nttl = \"10m\"");
        for growth in found.iter().flatten() {
            assert!((0.98..1.02).contains(&growth.times), "{found:?}");
        }
    }

    #[test]
    fn a_copy_takes_no_way_from_a_read() {
        // A document has 10 rows, of which two are wanted: one scan of the copy now, and two Gets of the table when there are many.
        let text = |copies: &str| {
            format!(
                "[field]\nterm = {{ type = \"int\", count = 20_000 }}\ndoc = {{ type = \"int\", count = 40_000 }}\n\
                 [write.w]\nrate = \"1k/s\"\n[existing.w]\nrecords = 400_000\n[read.two]\nequal = [\"doc\"]\nin = {{ term = 2 }}\n\
                 [strategy.one]\nkey = \"be4(term) || be4(doc)\"\n{copies}"
            )
        };
        for copies in ["", "copies = [\"be4(doc) || be4(term)\"]\n"] {
            let scenario = Scenario::parse(&text(copies), "copies");
            let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
            let strategy = &scenario.strategies[0];
            let growth = Retention::of(&strategy.setup, scenario.seed).growth(strategy);
            assert!(
                (0.9..1.1).contains(&growth[0].times),
                "{copies}: {growth:?}"
            );
        }
    }

    #[test]
    fn the_same_readers_ask_both_tables() {
        // All rows of an id are ten times as many, whoever asks: the run's own, of which a reader finds half, are 1,000 of 86M.
        let zipf = "count = 200_000, distribution = { zipf = 0.6 }";
        for seed in 1..4 {
            let growth = growths_of(zipf, "[existing.w]\nlast = \"1d\"", seed)[1][1].times;
            assert!((9.9..10.1).contains(&growth), "{growth}");
        }
    }

    #[test]
    fn rows_of_a_window_of_time_grow_only_where_the_key_does_not_order_them_by_time() {
        // With or without rows before the run, with few or many of them: the table is ten times as large later.
        for existing in [
            "",
            "[existing.w]\nlast = \"1s\"",
            "[existing.w]\nlast = \"10m\"",
        ] {
            let found = growths(existing);
            for (key, growth) in found.iter().enumerate() {
                let [recent, all] = [growth[0], growth[1]];
                // All of a sensor are ten times as many (the read is in the middle of the run, which differs in half of its rows:
                // with 2,000 of them over 1,000 existing ones, from 2,000 to 29,000 rows).
                assert!((8.0..16.0).contains(&all.times), "{existing}: {found:?}");
                // Its reader gets all that is read.
                assert!(
                    all.grows() && !all.grows_needlessly(),
                    "{existing}: {found:?}"
                );
                let grows = key == 1;
                let found_to = [recent.grows(), recent.grows_needlessly()];
                assert_eq!(found_to, [grows; 2], "{existing}: {found:?}");
                if !grows {
                    assert!((0.8..1.3).contains(&recent.times), "{existing}: {found:?}");
                }
            }
        }
    }
}
