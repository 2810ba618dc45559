//! `output/VALIDATION.md`, from what the oracles of this folder found. Must not check anything itself.

use super::access_paths::{ACCESS_PATHS, AccessPaths};
use super::figure::Figure;
use super::published::PUBLISHED;
use super::{
    balancer_cost_vectors, bytes_string_vectors, key_vectors, living_cluster, separator_vectors,
    split_policy_vectors, split_vectors, theory,
};
use crate::brute_force::Compared;
use crate::real_hbase;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Validation

What keyheat is checked against, and what came out. A command wrote this file, and a test fails when a run would write another one:

```console
$ SNAPSHOTS=overwrite cargo test --release --test all validation
```

Simulated numbers are the same on every machine and for any number of threads.

";

const ACCESS_PATHS_HEAD: &str = "
## Access paths

What the read planner asks for, against tables of 500 rows that are held in memory: random keys and reads, every row of the table looked at. Cases are
drawn from a fixed seed here, and anew in every run of `tests/all/planner_soundness.rs` and `tests/all/planner_pages.rs`. All of them have to agree. *Orders* are
reads whose rows come in an order, *counts* are numbers of rows that no chance decides, equal to a millionth of a row.

| what | cases | rows compared | of them wanted | orders | counts |
|---|--:|--:|--:|--:|--:|
";

const THEORY: &str = "
## Queueing theory

One server without network and write-ahead log against closed forms, times in mean service times. *Allowed* is four standard errors of the mean over the
replicates, and 0.1 % for the histogram's digits where it is a percentile; of a single run, 2 to 3 % as derived beside the test. The group commit is compared with the
rates that HBase's book gives, to which the default write-ahead log is set: within 25 %.

| figure | expected | measured | allowed |
|---|--:|--:|--:|
";

const LIVING_CLUSTER: &str = "
## The living cluster

What follows by hand from HBase's rules for splits and for the stochastic balancer. A region is split at the middle of its largest file, which a sample of the
file finds: *allowed* is four standard errors over 24 seeds, and 1 % for rows that are under way as a memstore is frozen. The balancer's costs come from
[balancer-counts](../scenarios/balancer-counts.toml): 15 / 602 is below 0.025, from which on
it starts, and 20 / 602 is above. The reads of hbase:meta lie on one server: they cost 5 where nobody else reads.

| figure | expected | measured | allowed |
|---|--:|--:|--:|
";

const PUBLISHED_HEAD: &str = "
## Published figures

The scenarios of `scenarios/published`, run as they are shipped. Each file says what its source leaves out and what does not match. *Measured* is the mean
over replicates with its 95 % interval; the whole interval has to satisfy the bound.

";

fn vectors(text: &mut String) {
    text.push_str(
        "## HBase and other systems\n\nCases that the named code computed, compiled and run, or that are published. Every case must be equal, \
         refusals and their messages included.\n\n| what | source | cases | equal |\n|---|---|--:|--:|\n",
    );
    let rows = [
        (
            "split points, six ways to compute them",
            "`RegionSplitter`, `Bytes.split`, `Admin.createTable`",
            split_vectors::pre_splits(),
        ),
        (
            "sizes at which a region splits",
            "`ConstantSize-`, `IncreasingToUpperBound-`, `SteppingSplitPolicy`",
            split_policy_vectors::thresholds(),
        ),
        (
            "skews that the balancer weighs, with their bounds",
            "`DoubleArrayCost`",
            balancer_cost_vectors::skews(),
        ),
        (
            "separators of the block index",
            "`HFileWriterImpl.getMidpoint`",
            separator_vectors::separators(),
        ),
        (
            "rows in `\\xHH` notation, written and read",
            "`Bytes.toStringBinary`, `Bytes.toBytesBinary`",
            bytes_string_vectors::notations(),
        ),
        (
            "row keys",
            "OpenTSDB, Phoenix, Hive, Spanner, GeoMesa and others",
            key_vectors::keys(),
        ),
    ];
    for (what, source, cases) in rows {
        // The comparison panics at the first difference: whoever comes here found all equal.
        writeln!(text, "| {what} | {source} | {cases} | {cases} |").unwrap();
    }
}

fn access_paths(text: &mut String) {
    // As above: the comparison stops at the first difference.
    for AccessPaths {
        what,
        cases,
        compared,
    } in ACCESS_PATHS.iter()
    {
        let Compared {
            rows,
            wanted,
            orders,
            counts,
        } = compared;
        writeln!(
            text,
            "| {what} | {cases} | {rows} | {wanted} | {orders} | {counts} |"
        )
        .unwrap();
    }
}

fn figures(text: &mut String, figures: &[Figure]) {
    for Figure {
        what,
        expected,
        measured,
        allowed,
    } in figures
    {
        let digits = if *expected >= 1_000.0 { 0 } else { 4 };
        writeln!(
            text,
            "| {what} | {expected:.digits$} | {measured:.digits$} | ± {allowed:.digits$} |"
        )
        .unwrap();
    }
}

fn published(text: &mut String) {
    for (source, ran) in PUBLISHED.iter() {
        let name = &ran.scenario.name;
        writeln!(
            text,
            "### [{name}](../scenarios/published/{name}.toml)\n\nSource: {source}\n"
        )
        .unwrap();
        text.push_str("| strategy | found and expected | because |\n|---|---|---|\n");
        for result in &ran.results.expectations {
            let because = result.because.as_deref().unwrap_or("");
            writeln!(text, "| {} | {result} | {because} |", result.strategy).unwrap();
        }
        text.push('\n');
    }
}

fn document() -> String {
    let mut text = HEAD.to_owned();
    vectors(&mut text);
    text.push_str(ACCESS_PATHS_HEAD);
    access_paths(&mut text);
    text.push_str(THEORY);
    for oracle in [
        &theory::M_M_1,
        &theory::M_D_1,
        &theory::M_M_30,
        &theory::REPAIRMAN,
        &theory::FAN_OUT,
        &theory::MULTI_GET,
        &theory::HOT_SERVER,
        &theory::BUCKETS,
        &theory::GROUP_COMMIT,
        &theory::LOG_SYNCS,
    ] {
        figures(&mut text, oracle);
    }
    text.push_str(LIVING_CLUSTER);
    for oracle in [
        &living_cluster::SPLITS,
        &living_cluster::MEASURED_SPLITS,
        &living_cluster::BALANCER_COST,
        &living_cluster::MORE_SERVERS,
    ] {
        figures(&mut text, oracle);
    }
    text.push_str(&real_hbase::chapter());
    text.push_str(PUBLISHED_HEAD);
    published(&mut text);
    text.trim_end().to_owned() + "\n"
}

#[test]
fn the_committed_document_is_what_a_run_gives() {
    if theory::full() {
        println!("{}", document());
        return;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("output/VALIDATION.md");
    snapbox::assert_data_eq!(document(), snapbox::Data::read_from(&file, None).raw());
}
