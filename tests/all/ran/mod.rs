//! Scenario files that were run. Several tests ask different questions of the same run, which is made once for all of them.

use keyheat::experiment::{Experiment, Results};
use keyheat::scenario::{Options, Scenario};
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// A scenario that was run.
pub struct Ran {
    pub file: PathBuf,
    pub scenario: Scenario,
    pub results: Results,
}

impl Ran {
    pub fn of(file: &Path, options: &Options) -> Self {
        let scenario = Scenario::load_with(file, options).unwrap_or_else(|error| panic!("{error}"));
        let results = Experiment::new(&scenario).run(|_| {});
        Self {
            file: file.to_owned(),
            scenario,
            results,
        }
    }
}

/// The run of `scenarios/{name}.toml` as it is shipped.
pub fn shipped(name: &str) -> &'static Ran {
    static ALL: Mutex<BTreeMap<String, &OnceLock<Ran>>> = Mutex::new(BTreeMap::new());
    let mut all = ALL.lock().expect("nothing panics that holds it");
    // Made without the lock: other tests may ask for other scenarios meanwhile.
    let once: &OnceLock<Ran> = all
        .entry(name.to_owned())
        .or_insert_with(|| Box::leak(Box::default()));
    drop(all);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenarios/{name}.toml"));
    once.get_or_init(|| Ran::of(&file, &Options::default()))
}

/// Fails with all expectations that do not hold.
#[track_caller]
pub fn assert_expectations(all: impl IntoIterator<Item = impl Borrow<Ran>>) {
    let mut broken = Vec::new();
    for ran in all {
        let Ran { file, results, .. } = ran.borrow();
        for result in results.expectations.iter().filter(|result| !result.holds) {
            broken.push(format!("{}: {}: {result}", file.display(), result.strategy));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
