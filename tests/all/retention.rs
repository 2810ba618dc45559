//! What a store keeps and shows, against an independent model of it, over random writes, deletes, flushes and compactions.

use crate::brute_force::store::{Model, Written, sorted};
use keyheat::storage::{
    Bloom, Cell, CellType, FileFormat, Purpose, Retention, StoreFile, StoreFileSize, Value,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Milliseconds.
const START: u64 = 1_000;

#[derive(Debug, Clone)]
enum Step {
    Write {
        row: u8,
        qualifier: &'static str,
        kind: CellType,
        /// Its timestamp lies so far back.
        ago: u64,
        value: u8,
    },
    Wait(u64),
    Flush,
    /// Of these files, as shares of their number; sequence numbers of a share of all writes are settled.
    Compact(f64, f64, f64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let kind = prop_oneof![
        6 => Just(CellType::Put),
        1 => Just(CellType::Delete),
        1 => Just(CellType::DeleteColumn),
        1 => Just(CellType::DeleteFamily),
    ];
    let qualifier = proptest::sample::select(vec!["", "a", "b"]);
    let write = (0u8..2, qualifier, kind, 0u64..6, any::<u8>()).prop_map(
        |(row, qualifier, kind, ago, value)| Step::Write {
            row,
            qualifier,
            kind,
            ago,
            value,
        },
    );
    let step = prop_oneof![
        12 => write,
        2 => (0u64..5).prop_map(Step::Wait),
        2 => Just(Step::Flush),
        2 => (0.0..1.0, 0.0..=1.0, 0.0..=1.0).prop_map(|(from, to, settled)| Step::Compact(from, to, settled)),
    ];
    proptest::collection::vec(step, 1..60)
}

fn cells(written: &[Written]) -> impl Iterator<Item = Cell<'_>> {
    written.iter().map(|cell| Cell {
        row: &cell.row,
        qualifier: &cell.qualifier,
        timestamp: cell.time,
        kind: cell.kind,
        value: Value::Bytes(&cell.value),
        mvcc: cell.mvcc,
    })
}

fn owned(cell: &Cell<'_>) -> Written {
    let mut value = Vec::new();
    cell.value.write(&mut value);
    Written {
        row: cell.row.to_vec(),
        qualifier: cell.qualifier.to_vec(),
        time: cell.timestamp,
        kind: cell.kind,
        value,
        mvcc: cell.mvcc,
    }
}

/// The store itself: files and memstore, each in order.
struct Store {
    retention: Retention,
    memstore: Vec<Written>,
    files: Vec<Vec<Written>>,
}

impl Store {
    fn kept(&self, purpose: Purpose, now: u64, written: Vec<Written>) -> Vec<Written> {
        let merged = sorted(written);
        let kept = self.retention.kept(purpose, now, cells(&merged));
        kept.map(|cell| owned(&cell)).collect()
    }

    fn visible(&self, versions: u32, now: u64) -> Vec<Written> {
        let all = [self.files.concat(), self.memstore.clone()].concat();
        self.kept(Purpose::Scan { versions }, now, all)
    }

    fn compact(&mut self, from: usize, to: usize, settled: u64, now: u64) {
        let purpose = if to - from == self.files.len() {
            Purpose::Major { settled }
        } else {
            Purpose::Minor
        };
        let file = self.kept(purpose, now, self.files[from..to].concat());
        self.files.splice(from..to, [file]);
    }
}

/// Checks that a file's bytes are those of its cells, in one block.
fn check_bytes(file: &[Written]) -> StoreFileSize {
    let format = FileFormat {
        bloom: Bloom::None,
        ..FileFormat::of("d")
    };
    let size = StoreFile::of(format, cells(file));
    let own: u64 = file.iter().map(Written::bytes).sum();
    // A header of 33 bytes, a checksum of 4.
    let expected = if file.is_empty() { 0 } else { 33 + own + 4 };
    assert_eq!((size.cells, size.data_bytes), (file.len() as u64, expected));
    size
}

/// Number of compactions and of cells seen.
fn compare(versions: u32, ttl: Option<u64>, steps: &[Step]) -> (usize, usize) {
    let mut model = Model {
        versions: versions as usize,
        ttl,
        now: START,
        ..Model::default()
    };
    let mut store = Store {
        retention: Retention { versions, ttl },
        memstore: Vec::new(),
        files: Vec::new(),
    };
    let (mut writes, mut compactions, mut seen) = (0, 0, 0);
    for step in steps {
        match *step {
            Step::Write {
                row,
                qualifier,
                kind,
                ago,
                value,
            } => {
                writes += 1;
                let is_family = kind == CellType::DeleteFamily;
                let cell = Written {
                    row: vec![row],
                    qualifier: if is_family { "" } else { qualifier }.into(),
                    time: model.now - ago,
                    kind,
                    value: if kind == CellType::Put {
                        vec![value]
                    } else {
                        Vec::new()
                    },
                    // Numbers of one to three bytes.
                    mvcc: writes * 40,
                };
                model.memstore.push(cell.clone());
                store.memstore.push(cell);
            }
            Step::Wait(millis) => model.now += millis,
            Step::Flush => {
                model.flush();
                let cells = std::mem::take(&mut store.memstore);
                let file = store.kept(Purpose::Minor, model.now, cells);
                store.files.push(file);
            }
            Step::Compact(from, to, settled) => {
                let files = model.files.len();
                let from = (from * files as f64) as usize;
                let to = from + (to * (files - from) as f64).ceil() as usize;
                if to > from {
                    let settled = (settled * (writes * 40) as f64) as u64;
                    model.compact(from, to, settled);
                    store.compact(from, to, settled, model.now);
                    compactions += 1;
                }
            }
        }
        assert_eq!(store.files, model.files, "files after {step:?}");
        store.files.iter().for_each(|file| {
            check_bytes(file);
        });
        for asked in 1..=3 {
            let visible = store.visible(asked, model.now);
            assert_eq!(
                visible,
                model.visible(asked as usize),
                "{asked} versions after {step:?}"
            );
            seen += visible.len();
        }
    }
    (compactions, seen)
}

#[test]
fn a_store_shows_and_keeps_what_the_model_does() {
    let cases = (1u32..4, proptest::option::of(1u64..20), steps());
    let mut runner = TestRunner::deterministic();
    let (mut compactions, mut seen) = (0, 0);
    for _ in 0..1_000 {
        let case = cases.new_tree(&mut runner).expect("no case is filtered");
        let (versions, ttl, steps): (u32, Option<u64>, Vec<Step>) = case.current();
        let found = std::panic::catch_unwind(|| compare(versions, ttl, &steps));
        let found = found.unwrap_or_else(|_| panic!("{versions} versions, ttl {ttl:?}: {steps:?}"));
        compactions += found.0;
        seen += found.1;
    }
    assert!(
        compactions > 2_500 && seen > 100_000,
        "{compactions}, {seen}"
    );
}
