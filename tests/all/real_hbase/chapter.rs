//! The chapter of `output/VALIDATION.md` on a real HBase. Must not compare anything itself.

use super::{Compared, compared, measured};
use crate::real_hbase::tolerances::TOLERANCES;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "
## Against a real HBase

Mini clusters of HBase 2.6.1 on loopback, with real calls, regions, splits and log syncs, against the same scenarios in keyheat:
[`tests/hbase`](../tests/hbase/README.md) says how, and `tests/hbase/measured.jsonl` keeps every value. A server's capacity is its handlers over the time for
which a coprocessor holds them. A measurement is one run: a prediction may also be off by three standard deviations of a run, as the replicates of the simulation
scatter. *Not* measured, and not claimed: the limits of processors, caches, networks and disks, files in HDFS, garbage collection.

![Predicted against measured: the dots lie along the diagonal](../tests/hbase/measured.svg)

";

/// The chapter, as Markdown.
pub fn chapter() -> String {
    let all = compared(&measured());
    let mut text = HEAD.to_owned();
    text.push_str("| what, and how far off it may be | quantities | agree | of these by three standard deviations | known to differ | because |\n\
         |---|--:|--:|--:|--:|---|\n",
    );
    for tolerance in &TOLERANCES {
        let of_kind: Vec<&Compared> = all
            .iter()
            .filter(|it| it.tolerance.kind == tolerance.kind)
            .collect();
        let agree = of_kind.iter().filter(|it| it.agrees).count();
        let by_chance = agree - of_kind.iter().filter(|it| it.is_close()).count();
        let differ = of_kind.iter().filter(|it| it.differs.is_some()).count();
        let (words, because) = (tolerance.words, tolerance.because);
        let count = of_kind.len();
        writeln!(
            text,
            "| {words} | {count} | {agree} | {by_chance} | {differ} | {because} |"
        )
        .unwrap();
    }
    text.push_str("\n| quantity | predicted | measured |\n|---|--:|--:|\n");
    for it in &all {
        // Lists of split points and of regions are equal or fail the test.
        if it.tolerance.kind != "exact" && it.predicted.is_number() {
            writeln!(text, "| {} | {} | {} |", it.id, it.predicted, it.measured).unwrap();
        }
    }
    let differing = all.iter().filter_map(|it| Some((it, it.differs.as_ref()?)));
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (it, reason) in differing {
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, ids)) => ids.push(&it.id),
            None => reasons.push((reason, vec![&it.id])),
        }
    }
    if !reasons.is_empty() {
        text.push_str("\nKnown to differ, and a test fails when one of them begins to agree:\n\n");
        for (reason, ids) in reasons {
            writeln!(text, "- {reason}: {}", ids.join(", ")).unwrap();
        }
    }
    text.push_str(EARLIER);
    text
}

/// What earlier models had otherwise, and what HBase did.
const EARLIER: &str = "
Where earlier models were wrong, and HBase showed it:

- One sync of the log at a time: 1,500 puts a second of 60 clients, where HBase did 2,833. Syncs are pipelined (`log/*`).
- Daughters that split as soon as their references were compacted: they wait for the discharger, two minutes by default. 23 splits in 75 s were one (`growth/*`).
- Compactions whose least size follows the flush size of the table: it is 128 MB, whatever that is (`growth/*` says 1 MB
  for its small regions).
- New tables dealt in the order of their keys: 40 of 40 tables had even counts, and none of more regions than servers was in order
  (`dealing/*`).
- A balancer that never starts under a hotspot of writes alone: it starts, since all reads of `hbase:meta` are on one server, and cures nothing
  (`hot-region/*`).
- Tails of refused calls: half a second, where the last of a thousand puts took 49 and 69 s. Who has a place in a full queue keeps it, but for the time between two of
  its puts: 1 ms with HBase's client, where the scenario had 0.2 ms. And clients wait for twenty minutes, not for one. Now 53 and 73 s are predicted of 60 and of 90
  clients, and 65 and 64 s measured (`refused/*`).
- Neighbours on servers of their own after a table has grown: daughters open where their parent was, and few are moved (`balanced/*`).
- Rows that were only flushed: their sequence numbers are stored until compactions find them old. And a client's Put of a key of 12 bytes and a value of 100: it
  takes 448 bytes of the heap, not 420 (`tests/data/hfiles.json`: what HBase's own classes write and count).
";

#[test]
fn the_document_has_the_chapter() {
    if std::env::var_os("KEYHEAT_MEASURED").is_some() {
        return;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("output/VALIDATION.md");
    let document = std::fs::read_to_string(file).expect("it is committed");
    let chapter = chapter();
    assert!(
        document.contains(&chapter),
        "not what stands there:\n{chapter}"
    );
}

#[test]
fn the_readme_says_how_many_quantities_agree() {
    if std::env::var_os("KEYHEAT_MEASURED").is_some() {
        return;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(file).expect("it is committed");
    let words: Vec<&str> = readme.split_whitespace().collect();
    let lines = measured();
    let scenarios: BTreeSet<_> = lines
        .iter()
        .filter_map(|it| it.scenario_sha256.as_deref())
        .collect();
    let all = compared(&lines);
    let agree = all.iter().filter(|it| it.agrees).count();
    let close = all.iter().filter(|it| it.is_close()).count();
    let told = format!("Of {} quantities {agree} agree, {close} of them", all.len());
    let asked = format!("predicted {} scenarios", scenarios.len());
    for told in [told, asked] {
        assert!(words.join(" ").contains(&told), "expected: {told}");
    }
}
