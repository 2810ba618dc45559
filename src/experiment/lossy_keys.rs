//! A warning for each key that overwrites rows which another key of the file keeps, or as hashes of different things meet. Must not count them.

use super::kept_rows::{KeptRows, met_by_hashes};
use super::suggestions::groups;
use crate::scenario::{Diagnostic, Scenario, Strategy};
use crate::text::{compact, listed};

/// Keys of a scenario that lose rows which another one of the same fields keeps, at the first point of a sweep.
pub fn lossy_keys(scenario: &Scenario) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    let groups = groups(&scenario.strategies).into_iter();
    for group in groups.filter(|group| group.len() > 1) {
        let members = group.iter().map(|&at| &scenario.strategies[at]);
        let members: Vec<&Strategy> = members.collect();
        // Of rows that expire those that are overwritten may be gone by then.
        if members
            .iter()
            .any(|it| it.setup.workload.kept_for.is_some())
        {
            continue;
        }
        let kept = KeptRows::of(&members, scenario.seed);
        let mut families = members.iter().flat_map(|it| &it.setup.table.families);
        let rows = match families.any(|it| it.spec.versions > 1) {
            true => "versions of rows",
            false => "rows",
        };
        let all = || kept.iter().zip(&members);
        let most = all().rev().max_by(|a, b| a.0.rows.total_cmp(&b.0.rows));
        let (most, other) = most.expect("a group has members");
        for (own, strategy) in all().filter(|(own, _)| own.is_fewer) {
            let [kept, all, on_one] = [own.rows, most.rows, most.rows / own.rows].map(compact);
            let message = format!(
                "strategy `{}`: the key keeps {kept} of the {all} {rows} that `{}` keeps: {on_one} of them fall on one, which is overwritten",
                strategy.name, other.name
            );
            warnings.push(
                Diagnostic::warning(message)
                    .at(strategy.key_span.clone())
                    .label("tells fewer rows apart")
                    .help("tell them apart in the key, or by a `qualifier`"),
            );
        }
    }
    for strategy in &scenario.strategies {
        let span = &strategy.key_span;
        let is_known = warnings.iter().any(|it| it.span.as_ref() == Some(span));
        if !is_known && strategy.setup.workload.kept_for.is_none() {
            warnings.extend(collisions(strategy, scenario));
        }
    }
    warnings
}

/// Different things whose hashes are the same overwrite each other.
fn collisions(strategy: &Strategy, scenario: &Scenario) -> Option<Diagnostic> {
    let (fields, [left, all]) = met_by_hashes(strategy, scenario.seed)?;
    let quoted: Vec<String> = fields.iter().map(|name| format!("`{name}`")).collect();
    let of = listed(&quoted);
    let [left, all] = [left, all].map(compact);
    let message = format!(
        "strategy `{}`: different values of {of} have the same hash: {left} rows are left of {all}, as they overwrite each other",
        strategy.name
    );
    let warning = Diagnostic::warning(message).at(strategy.key_span.clone());
    let help = format!("write {of} behind the hash, or more bytes of it");
    Some(warning.label("tells fewer rows apart").help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_overwrites_what_another_one_keeps_is_warned_of() {
        // A device has 8 readings a second, at random: of 86,404 seconds 1 - exp(-8) have one, 432M of 5,000 devices, and of as many thousandths
        // 1 - exp(-0.008), 3.44G: 7.97 times as many.
        let text = r#"
time = { duration = "4s" }
[field]
device = { type = "int", count = 5_000 }
ts = { type = "timestamp", unit = "ms" }
[write.ingest]
rate = "40k/s"
[existing.ingest]
last = "1d"
[strategy.exact]
key = "be4(device) || be8(ts)"
[strategy.second]
key = "be4(device) || be4(ts / 1000)"
[strategy.salted]
key = "salt(16, be4(device)) || be4(device) || be8(ts)"
"#;
        let scenario = Scenario::parse(text, "readings").unwrap_or_else(|it| panic!("{it}"));
        let found = lossy_keys(&scenario);
        let [warning] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(
            warning.message,
            "strategy `second`: the key keeps 432M of the 3.44G rows that `exact` keeps: 7.97 of them fall on one, which is overwritten"
        );
        assert_eq!(warning.span, Some(scenario.strategies[1].key_span.clone()));
    }

    #[test]
    fn things_whose_hashes_meet_are_warned_of() {
        let text = |kind: &str, key: &str| {
            format!(
                "time = {{ duration = \"3s\" }}\n[field]\nid = {{ type = \"uuid\" }}\nuser = {{ type = \"int\", count = 100_000 }}\n\
                 ts = {{ type = \"timestamp\", unit = \"ms\" }}\n[write.w]\nkind = \"{kind}\"\nrate = \"5k/s\"\n[existing.w]\nlast = \"60s\"\n[strategy.s]\nkey = \"{key}\"\n"
            )
        };
        let found = |kind: &str, key: &str| {
            let scenario = Scenario::parse(&text(kind, key), "hashes");
            let found = lossy_keys(&scenario.unwrap_or_else(|it| panic!("{it}")));
            found.into_iter().map(|it| it.message).collect::<Vec<_>>()
        };
        // 315,000 identifiers fall on 65,536 (1 - e^-4.81) = 65,002 hashes; of 100,000 users 1 - e^-3.15 have written.
        assert_eq!(
            found("put", "left(md5(id), 4)"),
            [
                "strategy `s`: different values of `id` have the same hash: 65.0k rows are left of 315k, as they overwrite each other"
            ]
        );
        let of_users = found("put", "left(md5(text(user)), 4)");
        assert!(
            of_users[0].contains("rows are left of 95.7k"),
            "{of_users:?}"
        );
        for key in [
            "left(md5(id), 8)",
            "be1(bucket(8, user)) || be4(user)",
            "be1(bucket(8, ts)) || be4(user)",
        ] {
            assert_eq!(found("put", key), [""; 0], "{key}");
        }
        assert_eq!(found("increment", "left(md5(text(user)), 4)"), [""; 0]);
    }

    #[test]
    fn only_what_replaces_a_row_is_lost_where_writes_fall_on_one() {
        // Of 40,000 puts a second 5,000 devices have 8 each, in 4 s 20,000 rows of a second, (1 - exp(-8)) of which are there, or 20,000,000 of a thousandth, of
        // which 1 - exp(-0.008) are. What is incremented adds up, of however many rows.
        let text = |write: &str| {
            format!(
                "time = {{ duration = \"4s\" }}\n[field]\ndevice = {{ type = \"int\", count = 5_000 }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
                 [write.add]\nkind = \"increment\"\nrate = \"1k/s\"\n[existing.add]\nlast = \"1d\"\n{write}\
                 [strategy.exact]\nkey = \"be4(device) || be8(ts)\"\n[strategy.second]\nkey = \"be4(device) || be4(ts / 1000)\"\n"
            )
        };
        let found = |write: &str| {
            let scenario = Scenario::parse(&text(write), "counters");
            lossy_keys(&scenario.unwrap_or_else(|it| panic!("{it}")))
        };
        assert_eq!(found(""), []);
        let lost = found("[write.note]\nrate = \"40k/s\"\n");
        let told = "the key keeps 20.0k of the 159k rows that `exact` keeps: 7.97 of them fall on one, which is overwritten";
        assert!(lost[0].message.contains(told), "{lost:?}");
    }
}
