//! What keys tell of a time in steps and periods, against the keys themselves.

use super::*;
use crate::key::{Environment, Row};
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{Field, TimeUnit};
use crate::time::EpochNanos;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// 2026-01-01, a Thursday.
const START: i64 = 1_767_225_600;
const DAYS: i64 = 8;
const TS: FieldId = FieldId(0);

fn schema(unit: TimeUnit) -> Schema {
    let late = None;
    Schema {
        fields: vec![Field::new("ts", FieldKind::Timestamp { unit, late })],
        time_range: (
            EpochNanos(START * 1_000_000_000),
            EpochNanos((START + DAYS * 86_400) * 1_000_000_000),
        ),
        sequence_span: 0,
    }
}

fn compiled(key: &str, schema: &Schema) -> KeyPlan {
    let environment = Environment {
        schema,
        derived: &[],
        parameters: &BTreeMap::new(),
    };
    KeyPlan::compile(key, &environment).unwrap_or_else(|errors| panic!("{key}: {errors:?}"))
}

/// Segments that follow a time in steps.
fn coarse() -> impl Strategy<Value = String> {
    let step = || prop::sample::select(vec![60, 90, 600, 3_600, 5_400, 7_200, 86_400]);
    let shift = prop::sample::select(vec![0, 30, 1_800]);
    prop_oneof![
        step().prop_map(|step| format!("be8(trunc(ts, {step}))")),
        step().prop_map(|step| format!("be4(ts - ts % {step})")),
        (step(), shift).prop_map(|(step, shift)| format!("be4((ts + {shift}) / {step})")),
        step().prop_map(|step| format!("desc(be4(ts / 10 / {}))", step / 10)),
        Just("to_char(ts, 'yyyyMMdd')".to_owned()),
        Just("to_char(ts, 'yyyyDDDHH')".to_owned()),
    ]
}

/// Segments whose values come again.
fn periodic() -> impl Strategy<Value = String> {
    let period = || prop::sample::select(vec![60, 600, 3_600, 5_400, 86_400]);
    let step = || prop::sample::select(vec![1, 7, 30, 60, 600]);
    let shift = prop::sample::select(vec![0, 30, 1_800]);
    let pattern =
        prop::sample::select(vec!["HH", "mm", "mmss", "HHmm", "ss", "hha", "EEE", "ddHH"]);
    prop_oneof![
        period().prop_map(|period| format!("be4((ts % {period}) * 16 + 7)")),
        (period(), step()).prop_map(|(period, step)| format!("be4(ts % {period} / {step})")),
        (period(), step()).prop_map(|(period, step)| {
            format!("be4(ts / {step} % {})", (period / step).max(1))
        }),
        (period(), shift, step()).prop_map(|(period, shift, step)| {
            format!("lpad(pmod(ts - {shift}, {period}) / {step}, 6)")
        }),
        pattern.prop_map(|pattern| format!("to_char(ts, '{pattern}')")),
    ]
}

/// The key of a time, and what the identity says of it.
fn of(
    value: i64,
    key: &KeyPlan,
    identity: &RowIdentity,
    cache: &mut StepCache,
) -> (Vec<u8>, (Option<i64>, RowStep)) {
    let mut record = [value];
    let mut bytes = Vec::new();
    let draws = DrawKey::new(Seed(0), 0, Stream::Keys, 0).at(0);
    let row = Row {
        record: &record.clone(),
        index: 0,
        draws,
    };
    key.write(&row, &mut bytes);
    let told = identity.whole.contains(&TS).then_some(value);
    (bytes, (told, identity.step(&mut record, cache)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn times_with_one_key_are_told_alike_and_those_that_are_told_alike_have_one_key(
        mut segments in prop::collection::vec(coarse(), 0..3),
        others in prop::collection::vec(periodic(), 1..3),
        turn in any::<prop::sample::Index>(),
    ) {
        segments.extend(others);
        let turn = turn.index(segments.len());
        segments.rotate_left(turn);
        let text = segments.join(" || ");
        let schema = schema(TimeUnit::Seconds);
        let key = compiled(&text, &schema);
        let identity = RowIdentity::of(&key, &schema);
        // Every second of an hour and a half from before noon on, and every 397th of all days.
        let near = (START + 41_000)..(START + 46_400);
        let far = (START..START + DAYS * 86_400).step_by(397);
        let mut cache = StepCache::default();
        let (mut keys, mut pairs) = (BTreeSet::new(), BTreeMap::new());
        for value in near.chain(far) {
            let (key, told) = of(value, &key, &identity, &mut cache);
            let [_, step] = told.1.0.map(|step| step.map(|(_, low, high)| (low, high)));
            let told = (told.0, step);
            let before = pairs.insert(key.clone(), told);
            prop_assert!(before.is_none_or(|before| before == told), "{text}: {before:?} and {told:?} have one key");
            keys.insert((told, key));
        }
        if identity.made.is_empty() {
            let told: BTreeSet<_> = keys.iter().map(|(told, _)| *told).collect();
            prop_assert_eq!(told.len(), pairs.len(), "{} keys are {} things: {}", pairs.len(), told.len(), text);
        }
    }
}

/// Whether a time is told exactly; else the length of the step around 12:34:56, if hashes tell nothing more.
fn told(text: &str, unit: TimeUnit) -> (bool, Option<i64>) {
    let schema = schema(unit);
    let key = compiled(text, &schema);
    let identity = RowIdentity::of(&key, &schema);
    let noon = (START + 45_296) * (1_000_000_000 / unit.nanos());
    let step = identity.step(&mut [noon], &mut StepCache::default());
    let length = step.0[1].map(|(_, low, high)| high - low);
    (
        identity.whole == [TS],
        length.filter(|_| identity.made.is_empty()),
    )
}

#[test]
fn opentsdb_tells_a_second_by_an_hour_and_an_offset() {
    let seconds = |text: &str| told(text, TimeUnit::Seconds);
    let millis = |text: &str| told(text, TimeUnit::Millis);
    let (exact, unknown) = ((true, None), (false, None));
    assert_eq!(
        seconds("be4(trunc(ts, '1h')) || be2((ts % 3600) * 16)"),
        exact
    );
    assert_eq!(
        seconds("be4(ts - ts % 3600) || be2((ts % 3600) * 16 + 7)"),
        exact
    );
    assert_eq!(
        millis("be8(trunc(ts, '1h')) || be4((ts % 3600000) * 2)"),
        exact
    );
    // 2-byte qualifiers of seconds where times are in milliseconds.
    let coarse = "be8(trunc(ts, '1h')) || be2((ts % 3600000) / 1000 * 16)";
    assert_eq!(millis(coarse), (false, Some(1_000)));
    assert_eq!(
        millis("be4(ts / 3600000) || be2(ts / 1000 % 3600)"),
        (false, Some(1_000))
    );
    assert_eq!(seconds("to_char(ts, 'yyyyMMdd') || be4(ts % 86400)"), exact);
    assert_eq!(
        seconds("to_char(ts, 'yyyyMMddHH') || be4(ts % 3600)"),
        exact
    );
    assert_eq!(seconds("to_char(ts, 'yyyyMM') || be4(ts % 3600)"), unknown);
    let day = "to_char(ts, 'yyyyMMdd')";
    assert_eq!(seconds(&format!("{day} || to_char(ts, 'HHmmss')")), exact);
    let of_day = format!("{day} || to_char(ts, 'HH:mm:ss.SSS')");
    assert_eq!(millis(&of_day), exact);
    assert_eq!(
        millis("be8(trunc(ts, '1h')) || to_char(ts, 'mmss')"),
        (false, Some(1_000))
    );
    // Of a day minutes alone tell no hour.
    assert_eq!(seconds(&format!("{day} || to_char(ts, 'mmss')")), unknown);
    assert_eq!(
        millis("to_char(ts, 'yyyyMMddHHmmss')"),
        (false, Some(1_000))
    );
    // In a shorter period than a step of the key the values come again.
    assert_eq!(seconds("be4(trunc(ts, '1h')) || be2(ts % 1800)"), unknown);
    // Steps of seven seconds end with each hour; in hours and a half they do not.
    let seven = "be2(ts % 3600 / 7)";
    assert_eq!(
        seconds(&format!("be4(trunc(ts, '1h')) || {seven}")),
        (false, Some(7))
    );
    assert_eq!(
        seconds(&format!("be4(trunc(ts, '1h') / 2) || {seven}")),
        (false, Some(7))
    );
    assert_eq!(seconds(&format!("be4(ts / 5400) || {seven}")), unknown);
    // Hours that begin half a minute later end within a minute of their first one's name.
    assert_eq!(
        seconds("be4((ts + 30) / 3600) || be2(ts % 3600 / 60)"),
        unknown
    );
    assert_eq!(
        seconds("be4((ts + 60) / 3600) || be2(ts % 3600 / 60)"),
        (false, Some(60))
    );
}
