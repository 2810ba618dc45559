//! What the format knows and this version does not simulate: refused by name, so that no setting is silently without effect.
//! Must not know anything else about the settings.

use super::Diagnostic;
use super::reader::Reader;

const HELP: &str = "this version simulates writes and reads on static regions: no splits, moves, events or neighbours";

/// Asks for `key` and refuses it when it is there.
pub(super) fn refuse<'a>(reader: &Reader<'a>, key: &'a str) {
    if reader.entry(key).is_some() {
        refuse_value(reader, key);
    }
}

/// Refuses what stands under `key`.
pub(super) fn refuse_value(reader: &Reader<'_>, key: &str) {
    let message = format!("`{}` is not simulated yet", reader.path_of(key));
    let diagnostic = Diagnostic::error(message)
        .label("would have no effect")
        .help(HELP);
    reader.sink.add(&reader.place_of(key), diagnostic);
}

/// Refuses whole tables of the file.
pub(super) fn refuse_tables(scenario: &Reader<'_>) {
    for key in ["event", "neighbour", "sweep", "knee"] {
        refuse(scenario, key);
    }
}

/// `[balancer]`: only `none`.
pub(super) fn read_balancer(balancer: Reader<'_>) {
    let words = [
        ("none", true),
        ("simple", false),
        ("stochastic", false),
        ("load", false),
    ];
    if !balancer.word_or("policy", &words, "none") {
        refuse_word(&balancer, "policy", "none");
    }
    refuse(&balancer, "period");
    balancer.finish();
}

/// `split_policy`: only `disabled`.
pub(super) fn read_split_policy(table: &Reader<'_>) {
    let words = [
        ("disabled", true),
        ("stepping", false),
        ("constant-size", false),
        ("increasing", false),
        ("key-prefix", false),
        ("delimited-key-prefix", false),
        ("busy-region", false),
    ];
    if !table.word_or("split_policy", &words, "disabled") {
        refuse_word(table, "split_policy", "disabled");
    }
}

fn refuse_word(reader: &Reader<'_>, key: &str, only: &str) {
    let place = super::clock::value_place(reader, key);
    let message = format!("this `{}` is not simulated yet", reader.path_of(key));
    reader.sink.add(
        &place,
        Diagnostic::error(message)
            .label(format!("expected `{only}`"))
            .help(HELP),
    );
}
