//! A warning for each key that overwrites rows which another key of the file keeps. Must not count them.

use super::kept_rows::KeptRows;
use super::suggestions::groups;
use crate::scenario::{Diagnostic, Scenario, Strategy};
use crate::text::compact;

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
    warnings
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
}
