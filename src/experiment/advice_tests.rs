//! Advice, read: class, cause, a cure to paste in, and the bounds.

use super::advice::Advice;
use super::verdict::Verdict;
use super::verdict_tests::even;
use crate::metrics::Hotspot;

fn advice(hotspot: Hotspot, entity: Option<&str>, change: impl FnOnce(&mut Verdict)) -> String {
    let mut verdict = even();
    verdict.hotspot = Some(hotspot);
    (verdict.placement_floor, verdict.key_floor) = (7.9, 1.0);
    change(&mut verdict);
    Advice {
        verdict: &verdict,
        lead: "be8(ts)".to_owned(),
        entity: entity.map(str::to_owned),
    }
    .to_string()
}

#[test]
fn a_key_that_leads_with_time_gets_a_salt_over_what_follows() {
    let advice = advice(Hotspot::Moving, Some("be4(sensor)"), |v| {
        v.leads_with_time = true;
        v.servers = 7;
    });
    assert_eq!(
        advice,
        "Moving hotspot: the first segment, `be8(ts)`, follows time, so that all rows of a moment lie side by side. Put `salt(14, \
         be4(sensor))` in front, with `presplit = { algorithm = \"buckets\" }`, or lead with `be4(sensor)`. No balancer gets the \
         hottest server below 7.9× the mean (`placement_floor`), no split below 1.0× (`key_floor`)."
    );
}

#[test]
fn a_hot_row_is_counted_in_several_rows() {
    let advice = advice(Hotspot::Row, Some("be4(page)"), |v| {
        (v.hottest_row_share, v.key_floor) = (0.4, 3.2);
        v.placement_floor = 3.4;
    });
    assert_eq!(
        advice,
        "Row hotspot: one row takes 40 % of the writes, and a row is never split. No key over the same fields helps: count in 4 rows, \
         with `be1(random(4))` in the key, and let readers add them up. No balancer gets the hottest server below 3.4× the mean \
         (`placement_floor`), no split below 3.2× (`key_floor`)."
    );
}

#[test]
fn what_is_even_needs_no_cure() {
    assert_eq!(advice(Hotspot::None, None, |_| {}), "Nothing to cure.");
}
