//! The chapter of `output/VALIDATION.md` on a real HBase. Must not compare anything itself.

use super::{Compared, compared, measured};
use crate::real_hbase::tolerances::TOLERANCES;
use std::fmt::Write;

const HEAD: &str = "
## Against a real HBase

Mini clusters of HBase 2.6.1 on loopback, with real calls, regions, splits and log syncs, against the same scenarios in keyheat:
[`tests/hbase`](../tests/hbase/README.md) says how, and `tests/hbase/measured.jsonl` keeps every value. A server's capacity is its handlers over the time for
which a coprocessor holds them. *Not* measured, and not claimed: the limits of processors, caches, networks and disks, files in HDFS, garbage collection.

";

/// The chapter, as Markdown.
pub fn chapter() -> String {
    let all = compared(&measured());
    let mut text = HEAD.to_owned();
    text.push_str("| what, and how far off it may be | quantities | agree | known to differ | because |\n|---|--:|--:|--:|---|\n");
    for tolerance in &TOLERANCES {
        let of_kind: Vec<&Compared> = all
            .iter()
            .filter(|it| it.tolerance.kind == tolerance.kind)
            .collect();
        let agree = of_kind.iter().filter(|it| it.agrees).count();
        let differ = of_kind.iter().filter(|it| it.differs.is_some()).count();
        let (words, because) = (tolerance.words, tolerance.because);
        let count = of_kind.len();
        writeln!(
            text,
            "| {words} | {count} | {agree} | {differ} | {because} |"
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
    text
}

#[test]
fn the_chapter_has_a_line_for_every_kind() {
    let text = chapter();
    assert!(TOLERANCES.iter().all(|kind| text.contains(kind.words)));
}
