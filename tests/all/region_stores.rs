//! What a region's store keeps of cells that are written again, deleted or expire, against an independent model of every cell.

use crate::brute_force::store::{Model, Written};
use keyheat::cluster::{
    CellHistory, FileRules, Keeping, Memstore, RegionFile, RegionStore, RowSample, Sampling,
};
use keyheat::storage::{CellType, Retention};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;

/// Keys of four bytes, family `d`, qualifier `v`, ten bytes of value: 20 + 4 + 1 + 1 + 10.
const PUT: u32 = 36;
/// The marker of a column, and that of a family, which has no qualifier.
const COLUMN: u32 = 26;
const FAMILY: u32 = 25;

const NANOS_PER_MS: i64 = 1_000_000;

/// Well-mixed bits of a key (SplitMix64's finaliser).
fn hash(key: u32) -> u64 {
    let mut bits = u64::from(key)
        .wrapping_add(1)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ bits >> 31
}

/// A store whose samples hold so many cells, and how it keeps them.
struct Store {
    store: RegionStore,
    memstore: Memstore,
    keeping: Keeping,
}

impl Store {
    fn new(capacity: usize, versions: u32, ttl: Option<u64>, deletes_rows: bool) -> Self {
        let share = 1.0;
        let keeping = Keeping {
            follows: true,
            retention: Retention { versions, ttl },
            deletes_rows,
            ..Keeping::default()
        };
        Self {
            store: RegionStore::new(Some(Sampling { capacity, share }), FileRules::default()),
            memstore: Memstore::default(),
            keeping,
        }
    }

    fn write(&mut self, key: u32, bytes: u32, happens: impl FnOnce(&mut CellHistory, i64)) {
        self.memstore.take(bytes + 72, bytes);
        let (now, rows) = (self.keeping.now_ns, self.memstore.rows);
        let key = (hash(key), &key.to_be_bytes()[..]);
        self.store
            .follow((rows, now), key, |cell| happens(cell, now));
    }

    fn put(&mut self, key: u32) {
        let replaces = self.keeping.replaces;
        self.write(key, PUT, |cell, now| cell.put(now, PUT, replaces));
    }

    fn delete(&mut self, key: u32) {
        let whole = self.keeping.deletes_rows;
        let bytes = if whole { FAMILY } else { COLUMN };
        self.write(key, bytes, |cell, now| cell.delete(now, bytes, whole));
    }

    fn flush(&mut self) {
        self.store.freeze(&mut self.memstore, &self.keeping);
        self.store.written(&mut self.memstore);
    }

    fn compact(&mut self, from: usize, to: usize) {
        let is_major = to - from == self.store.files().len();
        let keeping = Keeping {
            is_major,
            ..self.keeping
        };
        self.store.compacted(from..to, &keeping);
    }

    fn bytes(&self) -> Vec<u64> {
        self.store.files().iter().map(|file| file.bytes).collect()
    }
}

fn written(key: u32, time: u64, kind: CellType) -> Written {
    Written {
        row: key.to_be_bytes().to_vec(),
        qualifier: match kind {
            CellType::DeleteFamily => Vec::new(),
            _ => b"v".to_vec(),
        },
        time,
        kind,
        value: match kind {
            CellType::Put => vec![7; 10],
            _ => Vec::new(),
        },
        mvcc: time,
    }
}

fn kv_bytes(cells: &[Written]) -> u64 {
    let bytes = cells.iter().map(|cell| match cell.kind {
        CellType::Put => PUT,
        CellType::DeleteFamily => FAMILY,
        _ => COLUMN,
    });
    bytes.map(u64::from).sum()
}

/// Random writes, deletes, flushes and compactions: after each of these, `check` sees the store's files and the model's, and how many compactions came before.
fn replay(
    seed: u64,
    keys: u32,
    (versions, ttl): (u32, Option<u64>),
    (deletes, deletes_rows, adds): (bool, bool, bool),
    mut check: impl FnMut(&[u64], &[Vec<Written>]),
) -> usize {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut store = Store::new(64, versions, ttl, deletes_rows);
    store.keeping.replaces = adds;
    let mut model = Model {
        versions: versions as usize,
        ttl,
        ..Model::default()
    };
    let mut compactions = 0;
    for _ in 0..160 {
        model.now += 1;
        store.keeping.now_ns = model.now as i64 * NANOS_PER_MS;
        let key = random.random_range(0..keys);
        match random.random_range(0..20) {
            0..2 if !model.memstore.is_empty() => {
                model.flush();
                store.flush();
            }
            2..4 if !model.files.is_empty() => {
                let from = random.random_range(0..model.files.len());
                let to = random.random_range(from..model.files.len()) + 1;
                model.compact(from, to, 0);
                store.compact(from, to);
                compactions += 1;
            }
            4 => model.now += random.random_range(0..20),
            5..8 if deletes => {
                let kind = match deletes_rows {
                    true => CellType::DeleteFamily,
                    false => CellType::DeleteColumn,
                };
                model.memstore.push(written(key, model.now, kind));
                store.delete(key);
            }
            _ => {
                let put = written(key, model.now, CellType::Put);
                if adds {
                    // The sum takes the place of all but the last one before it, which a scanner may be reading (`MutableSegment.upsert`).
                    let is_sum = |it: &Written| it.kind == put.kind && it.row == put.row;
                    let last = model.memstore.iter().rfind(|it| is_sum(it)).cloned();
                    let keeps = |it: &Written| !is_sum(it) || Some(it) == last.as_ref();
                    model.memstore.retain(keeps);
                }
                model.memstore.push(put);
                store.put(key);
            }
        }
        check(&store.bytes(), &model.files);
    }
    compactions
}

#[test]
fn versions_deletes_and_increments_leave_the_bytes_that_the_model_does() {
    let mut compactions = 0;
    for seed in 0..400 {
        let (keys, versions) = (1 + seed as u32 % 12, 1 + seed as u32 / 12 % 3);
        let adds = versions == 1 && seed % 3 > 0;
        let deletes = (seed % 5 > 0, seed % 2 > 0, adds);
        compactions += replay(seed, keys, (versions, None), deletes, |found, expected| {
            let expected: Vec<u64> = expected.iter().map(|file| kv_bytes(file)).collect();
            assert_eq!(found, expected, "seed {seed}");
        });
    }
    assert!(compactions > 3_000, "{compactions}");
}

#[test]
fn what_expires_goes_when_the_model_says() {
    for seed in 0..200 {
        let (keys, ttl) = (1 + seed as u32 % 12, 5 + seed % 60);
        replay(
            seed,
            keys,
            (1, Some(ttl)),
            (false, false, false),
            |found, expected| {
                let expected: Vec<u64> = expected.iter().map(|file| kv_bytes(file)).collect();
                assert_eq!(found, expected, "seed {seed}");
            },
        );
    }
}

#[test]
fn with_versions_deletes_and_a_time_to_live_together_a_cell_is_off_by_its_older_versions_and_markers()
 {
    let (mut off, mut all) = (0.0, 0.0);
    for seed in 0..300 {
        let (keys, versions) = (1 + seed as u32 % 12, 1 + seed as u32 / 12 % 3);
        let deletes = (seed % 3 > 0, seed % 2 > 0, false);
        let ttl = 20 + seed % 80;
        replay(
            seed,
            keys,
            (versions, Some(ttl)),
            deletes,
            |found, expected| {
                for (&found, expected) in found.iter().zip(expected) {
                    off += kv_bytes(expected).abs_diff(found) as f64;
                    all += kv_bytes(expected) as f64;
                }
            },
        );
    }
    // Of some cells one of three versions, or one of several markers, expires a little early or late.
    assert!(off < 0.03 * all, "{}", off / all);
}

/// A thousand cells of 100 bytes exist, in pairs of two versions. 300 of them are deleted and 100 written again, all of which exist.
#[test]
fn what_a_run_deletes_of_older_cells_goes_with_the_next_major_compaction() {
    let mut store = Store::new(4_096, 2, None, true);
    let rules = FileRules {
        written_before: 1.0,
        full_before: 1.0,
        ..FileRules::default()
    };
    let sampling = Sampling {
        capacity: 4_096,
        share: 1.0,
    };
    store.store = RegionStore::new(Some(sampling), rules);
    store.store.add_file(RegionFile {
        bytes: 200_000,
        rows: 1_000,
        sample: Some(RowSample::new(sampling)),
        early_bytes: 200_000,
        early_cell_bytes: 200.0,
        ..RegionFile::default()
    });
    store.keeping.now_ns = NANOS_PER_MS;
    (0..300).for_each(|key| store.delete(key));
    (300..400).for_each(|key| store.put(key));
    store.flush();
    let written = u64::from(300 * FAMILY + 100 * PUT);
    assert_eq!(store.bytes(), [200_000, written]);
    store.compact(0, 2);
    // Of what is deleted both versions go, of what is written again as many bytes as the new version has.
    assert_eq!(store.bytes(), [200_000 - 300 * 200]);
}

#[test]
fn cells_that_are_all_different_lose_no_byte_however_few_are_sampled() {
    let mut store = Store::new(16, 1, Some(1_000_000), false);
    for key in 0..30_000u32 {
        store.keeping.now_ns += 1;
        store.put(key);
        if key % 1_000 == 999 {
            store.flush();
        }
        if key % 7_000 == 6_999 {
            let files = store.bytes().len();
            store.compact(files / 2, files);
            assert_eq!(store.bytes().iter().sum::<u64>(), 36 * (u64::from(key) + 1));
        }
    }
}

/// Errors of the bytes of a store's only file after compactions, as shares: keys of a law in which a few are very frequent.
fn errors(capacity: usize, versions: u32, runs: u64) -> Vec<f64> {
    let run = |seed| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut store = Store::new(capacity, versions, None, false);
        let (mut file, mut memstore) = (BTreeMap::new(), BTreeMap::<u32, u32>::new());
        for write in 1..=18_000 {
            store.keeping.now_ns += 1;
            // Zipf's law with exponent 1 on 4,000 keys, about.
            let key = (4_000f64.powf(random.random::<f64>())) as u32;
            // Other keys in each run, for other tickets.
            store.put(key + 10_000 * seed as u32);
            *memstore.entry(key).or_default() += 1;
            if write % 1_500 == 0 {
                store.flush();
                for (key, count) in std::mem::take(&mut memstore) {
                    let kept: &mut u32 = file.entry(key).or_default();
                    *kept = (*kept + count.min(versions)).min(versions);
                }
            }
            if write % 4_500 == 0 {
                let files = store.bytes().len();
                store.compact(0, files);
            }
        }
        let expected = f64::from(PUT) * f64::from(file.values().sum::<u32>());
        store.bytes()[0] as f64 / expected - 1.0
    };
    (0..runs).map(run).collect()
}

#[test]
fn of_cells_written_again_the_estimate_is_as_far_off_as_it_says_and_to_no_side() {
    for (capacity, versions) in [(64, 1), (256, 1), (256, 3)] {
        let found = errors(capacity, versions, 40);
        let runs = found.len() as f64;
        let mean = found.iter().sum::<f64>() / runs;
        let sd = (found.iter().map(|error| error * error).sum::<f64>() / runs).sqrt();
        let most = 1.0 / (capacity as f64).sqrt();
        // A standard deviation of 40 is known to a ninth of it: 1 / sqrt(80).
        assert!(sd < 1.25 * most, "{capacity}, {versions}: {sd} {most}");
        assert!(
            mean.abs() < 4.0 * sd / runs.sqrt(),
            "{capacity}: {mean} {sd}"
        );
    }
}

#[test]
fn a_file_is_removed_whole_once_its_newest_cell_has_expired_unless_it_is_the_newest() {
    let mut store = Store::new(64, 1, Some(10), false);
    for key in 0..3 {
        store.keeping.now_ns += 4 * NANOS_PER_MS;
        store.put(key);
        store.flush();
    }
    // Written at 4, 8 and 12 ms.
    let mut removed_at = |ms: i64| {
        store.keeping.now_ns = ms * NANOS_PER_MS;
        store.store.remove_expired(store.keeping.oldest_ns())
    };
    assert_eq!([14, 15, 100].map(&mut removed_at), [0, 1, 1]);
    assert_eq!(store.bytes(), [36]);
}
