//! The store files that are there before the run.

use super::region_store::Store;
use crate::cluster::{Memstore, RegionFile, RowSample, Sampling};
use crate::engine::config::ExistingRows;
use crate::engine::simulation::Simulation;
use crate::keyspace::RowKey;
use crate::time::SimTime;

impl Simulation<'_> {
    /// The existing rows are there, one store file a region; regions that are due to compact or split at the start do so.
    pub fn load_stores(&mut self) {
        self.stores.reach_regions(self.tables.regions.len());
        for region in 0..self.tables.regions.len() {
            let server = self.tables.regions.get(region).serving;
            self.stores.memstores[region as usize] = Memstore::untouched(server + 1);
            self.stores.set_memstore_limit(region);
        }
        let existing = self.config.changes.existing.clone();
        let mut loaded = Vec::new();
        for (table, rows) in (0..).zip(existing.iter()) {
            let regions = self.tables.in_key_order(table);
            let ends: Vec<RowKey> = regions
                .iter()
                .map(|&region| self.tables.range(region).1)
                .collect();
            for (region, file) in regions.into_iter().zip(files(rows, &ends)) {
                if let Some((file, keys)) = file {
                    self.load(region, file, keys);
                    loaded.push(region);
                }
            }
        }
        for region in loaded {
            self.split_or_compact(region);
        }
    }

    /// A region holds a file from the start; `keys` of its rows are a sample, of which each row is one with a probability of `share`.
    fn load(&mut self, region: u32, mut file: RegionFile, Keys { keys, share }: Keys<'_>) {
        let sampling = self.stores.sampling(region);
        file.sample = sampling.map(|Sampling { capacity, .. }| {
            let mut sample = RowSample::new(Sampling { capacity, share });
            for key in keys {
                // The tickets of the sampled rows are the least of all.
                let ticket = (self.stores.ticket() as f64 * share) as u64;
                sample.offer(ticket, key);
            }
            sample
        });
        let mut store = Store::new(sampling, SimTime::ZERO);
        store.data.add_file(file);
        self.stores.put(region, store);
        self.stores.set_memstore_limit(region);
        if let Some(server) = self.stores.server_of(region) {
            self.stores.server_mut(server).regions.push(region);
            self.stores.files_changed(server, 0, 1, &mut self.clock);
        }
    }
}

/// Sampled keys of a file.
struct Keys<'a> {
    keys: Vec<&'a [u8]>,
    /// Sampled rows per row.
    share: f64,
}

/// The file of each region of a table, by their end keys, in proportion to the sampled keys that lie in it; none where no key lies.
fn files<'a>(
    rows: &'a ExistingRows,
    ends: &'a [RowKey],
) -> impl Iterator<Item = Option<(RegionFile, Keys<'a>)>> {
    let sampled = rows.sample.len();
    let share = (sampled as f64 / rows.rows.max(1) as f64).clamp(f64::MIN_POSITIVE, 1.0);
    // Of the first `keys` keys: whole numbers that add up to the table's.
    let until = move |all: u64, keys: usize| {
        (u128::from(all) * keys as u128 / sampled.max(1) as u128) as u64
    };
    let mut start = 0;
    ends.iter().map(move |end| {
        let mut stop = start;
        while stop < sampled && (end.0.is_empty() || rows.sample.get(stop) < end.as_bytes()) {
            stop += 1;
        }
        let range = start..stop;
        start = stop;
        let of = |all| until(all, range.end) - until(all, range.start);
        let file = RegionFile {
            bytes: of(rows.bytes),
            rows: of(rows.rows),
            is_reference: false,
            sample: None,
        };
        let keys = range.clone().map(|at| rows.sample.get(at)).collect();
        (file.bytes > 0).then_some((file, Keys { keys, share }))
    })
}
