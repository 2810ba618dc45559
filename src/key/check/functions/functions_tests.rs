//! Functions of values given by hand: what they write, what they refuse, and what they warn of.

use super::{OTHER_NAMES, find, instead};
use crate::key::evaluate::Evaluated;
use crate::key::{KeyError, evaluate, parse_given};
use crate::random::Seed;
use std::collections::BTreeSet;

/// `given` holds values such as `a=1 b:ms=2`.
fn evaluated(expression: &str, given: &str, seed: u64) -> Result<Evaluated, Vec<KeyError>> {
    let given = given.split_whitespace().map(parse_given);
    let given: Vec<_> = given.collect::<Result<_, _>>().unwrap();
    evaluate(expression, &given, Seed(seed))
}

fn written(expression: &str, given: &str) -> Vec<u8> {
    match evaluated(expression, given, 1) {
        Ok(found) => found.key.as_bytes().to_vec(),
        Err(errors) => panic!("{expression} with {given}: {errors:?}"),
    }
}

fn text(expression: &str, given: &str) -> String {
    String::from_utf8(written(expression, given)).unwrap()
}

fn number(expression: &str, given: &str) -> i64 {
    i64::from_be_bytes(
        written(&format!("be8({expression})"), given)
            .try_into()
            .unwrap(),
    )
}

/// The place and the error that is found there.
fn refused(expression: &str, given: &str) -> (String, KeyError) {
    match evaluated(expression, given, 1) {
        Ok(found) => panic!(
            "{expression} with {given}: {}",
            found.key.as_bytes().escape_ascii()
        ),
        Err(mut errors) => {
            assert_eq!(errors.len(), 1, "{expression} with {given}: {errors:?}");
            let error = errors.remove(0);
            (expression[error.span.clone()].to_owned(), error)
        }
    }
}

fn noted(expression: &str, given: &str) -> Vec<String> {
    let notes = evaluated(expression, given, 1).unwrap().notes;
    notes.into_iter().map(|note| note.text.message).collect()
}

#[test]
fn big_endian_numbers_fill_their_bytes_with_and_without_sign() {
    let least_and_greatest = [
        (1, -128, 255),
        (2, -32_768, 65_535),
        (3, -8_388_608, 16_777_215),
        (7, -36_028_797_018_963_968, 72_057_594_037_927_935),
        (8, i64::MIN, i64::MAX),
    ];
    for (width, least, greatest) in least_and_greatest {
        let be = |value: i64| written(&format!("be{width}(v)"), &format!("v={value}"));
        let whole = |value: i64| value.to_be_bytes()[8 - width..].to_vec();
        assert_eq!((be(least), be(greatest)), (whole(least), whole(greatest)));
    }
}

#[test]
fn a_number_that_does_not_fit_is_told_the_least_width_that_holds_it() {
    let cases = [
        (1, -129_i64, 2),
        (1, 256, 2),
        (1, 65_535, 2),
        (1, 65_536, 3),
        (1, -32_768, 2),
        (1, -32_769, 3),
        (2, 65_536, 3),
        (2, 16_777_215, 3),
        (2, 16_777_216, 4),
        (4, 72_057_594_037_927_935, 7),
        (4, 72_057_594_037_927_936, 8),
        (7, -36_028_797_018_963_969, 8),
    ];
    for (width, value, enough) in cases {
        let (place, error) = refused(&format!("be{width}(v)"), &format!("v={value}"));
        let modulus = 1_i64 << (8 * width);
        let help = format!(
            "use `be{enough}(v)`; `pmod(v, {modulus})` fits, but loses the order and merges values {modulus} apart"
        );
        assert_eq!(
            (place.as_str(), error.help),
            ("v", Some(help)),
            "{width}: {value}"
        );
    }
    let (_, error) = refused("be3(v)", "v=-8388609");
    assert_eq!(
        error.message,
        "`v` takes -8388609, but `be3` holds -8388608 to 16777215"
    );
}

/// Each with a value on the edge and one beside it.
#[test]
fn values_on_the_edge_are_taken_and_those_beside_it_refused_at_their_place() {
    // The epochs of KSUID (2014-05-13, 32 bits of seconds) and of Twitter's snowflake (2010-11-04, 41 bits of milliseconds); 48
    // bits of milliseconds in RFC 9562; years 0000 and 9999.
    let cases = [
        ("be1(pmod(7, v))", "v", "v=1", "v=0"),
        ("nth('abc', v)", "v", "v=2", "v=3"),
        ("ksuid(ts)", "ts", "ts:s=1400000000", "ts:s=1399999999"),
        ("ksuid(ts)", "ts", "ts:s=5694967295", "ts:s=5694967296"),
        ("uuid7(ts)", "ts", "ts:ms=0", "ts:ms=-1"),
        ("uuid7(ts)", "ts", "ts:us=0", "ts:us=-1"),
        (
            "uuid7(ts + 281474976710655)",
            "ts + 281474976710655",
            "ts:ms=0",
            "ts:ms=1",
        ),
        (
            "ulid(ts + 281474976710655)",
            "ts + 281474976710655",
            "ts:ms=0",
            "ts:ms=1",
        ),
        (
            "be8(snowflake(ts, 31, 31, 4095))",
            "ts",
            "ts:ms=1288834974657",
            "ts:ms=1288834974656",
        ),
        (
            "be8(snowflake(ts, 31, 31, 4095))",
            "ts",
            "ts:ms=3487858230208",
            "ts:ms=3487858230209",
        ),
        (
            "be8(snowflake(ts, v, 1, 2))",
            "v",
            "v=31 ts:s=1767225600",
            "v=32 ts:s=1767225600",
        ),
        (
            "be8(snowflake(ts, 1, v, 2))",
            "v",
            "v=31 ts:s=1767225600",
            "v=32 ts:s=1767225600",
        ),
        (
            "be8(snowflake(ts, 1, 2, v))",
            "v",
            "v=4095 ts:s=1767225600",
            "v=4096 ts:s=1767225600",
        ),
        ("z2(v, 0)", "v", "v=2147483647", "v=2147483648"),
        ("z3(0, 0, v)", "v", "v=2097151", "v=2097152"),
        (
            "to_char(ts - 62167219200, 'yyyy')",
            "ts - 62167219200",
            "ts:s=0",
            "ts:s=-1",
        ),
        (
            "to_char(ts + 253402300799, 'yyyy')",
            "ts + 253402300799",
            "ts:s=0",
            "ts:s=1",
        ),
    ];
    for (expression, place, edge, beside) in cases {
        assert!(!written(expression, edge).is_empty());
        assert_eq!(refused(expression, beside).0, place, "{expression}");
    }
    // 2^61 seconds are 0 milliseconds in 64 bits: refused for what they are.
    let (_, error) = refused("uuid7(ts + 2305843009213693952)", "ts:s=1767225600");
    assert_eq!(
        error.label,
        "takes -9223372036854775808..=9223372036854775807"
    );
}

#[test]
fn arguments_of_a_wrong_type_are_told_the_right_one() {
    let cases = [
        ("upper(v)", "v=x'61'", "`v` is bytes, expected text"),
        ("lower(v)", "v=x'61'", "`v` is bytes, expected text"),
        (
            "reverse_domain(v)",
            "v=x'61'",
            "`v` is bytes, expected text",
        ),
        ("z2(v, 1)", "v=a", "`v` is text, expected double or int"),
        ("z2(1, v)", "v=a", "`v` is text, expected double or int"),
        ("z3(1, 2, v)", "v=a", "`v` is text, expected int"),
        ("z3(1, 2, v)", "v:double=3", "`v` is double, expected int"),
    ];
    for (expression, given, message) in cases {
        let (place, error) = refused(expression, given);
        assert_eq!((place.as_str(), error.message.as_str()), ("v", message));
    }
}

#[test]
fn padding_is_one_ascii_character() {
    assert_eq!(text("lpad(v, 5)", "v=42"), "00042");
    assert_eq!(text("lpad(v, 5, x'7f')", "v=42"), "\x7f\x7f\x7f42");
    assert_eq!(text("rpad(v, 4)", "v=7"), "7   ");
    assert_eq!(text("rpad(v, 5, '.')", "v=-42"), "-42..");
    // Characters are counted, not bytes.
    assert_eq!(text("lpad(v, 4)", "v=añ"), "00añ");
    assert_eq!(text("rpad(v, 4, '.')", "v=añ"), "añ..");
    for pad in ["x'80'", "'é'", "''", "'ab'"] {
        let (place, error) = refused(&format!("lpad(v, 5, {pad})"), "v=42");
        assert_eq!(place, pad);
        assert_eq!(error.message, "`lpad` pads with one ASCII character");
    }
}

#[test]
fn a_sign_inside_zeros_is_warned_of_where_order_matters() {
    let warns = |expression: &str, value: i64| {
        let notes = noted(expression, &format!("v={value}"));
        notes
            .iter()
            .any(|note| note.contains("keep their sign inside the padding"))
    };
    for (expression, value, expected) in [
        ("lpad(v, 5)", -3, true),
        ("lpad(v, 5)", 0, false),
        ("lpad(v, 5)", 3, false),
        ("lpad(v, 5, ' ')", -3, false),
        ("lpad(v, 5, ' ')", 3, false),
        ("md5(lpad(v, 5))", -3, false),
    ] {
        assert_eq!(warns(expression, value), expected, "{expression}: {value}");
    }
}

#[test]
fn only_the_least_integer_keeps_its_sign() {
    let least = "`abs` of the least integer stays negative, as in Java";
    assert!(noted("be8(abs(v))", "v=-9223372036854775807").is_empty());
    assert_eq!(noted("be8(abs(v))", "v=-9223372036854775808")[0], least);
    assert_eq!(number("abs(v)", "v=-9223372036854775807"), i64::MAX);
    assert_eq!(number("abs(v)", "v=-9223372036854775808"), i64::MIN);
    assert_eq!(number("abs32(v)", "v=-2147483647"), 2_147_483_647);
    assert_eq!(number("abs32(v)", "v=-2147483648"), -2_147_483_648);
}

#[test]
fn negative_remainders_are_warned_of_and_other_negative_numbers_are_not() {
    let warned = |number: &str, given: &str| !noted(&format!("sbe1({number})"), given).is_empty();
    assert!(warned("v % 7", "v=-9"));
    for (number, given) in [("v % 7", "v=9"), ("v % 7", "v=0"), ("v - 7", "v=3")] {
        assert!(!warned(number, given), "{number} of {given}");
    }
}

#[test]
fn every_draw_of_a_key_is_its_own_but_those_of_one_identifier() {
    let at = "t:ms=2026-01-01T00:00:00Z";
    let repeated = written("be8(bucket(64, uuid7(t))) || uuid7( t )", at);
    let id = repeated[8..].iter().map(|byte| format!("{byte:02x}"));
    let id = format!("x'{}'", id.collect::<String>());
    assert_eq!(
        repeated[..8],
        written(&format!("be8(bucket(64, {id}))"), "")
    );
    let key = "be8(random(9223372036854775807)) || uuid4() || uuid7(t) || be8(random(9223372036854775807))";
    let key = written(key, at);
    // Version and variant are not drawn.
    let drawn = |word: &[u8]| u64::from_be_bytes(word.try_into().unwrap()) & 0x3fff_ffff_ffff_0fff;
    let words: BTreeSet<u64> = key.chunks(8).map(drawn).collect();
    assert_eq!((key.len(), words.len()), (48, 6));
}

#[test]
fn random_differs_by_seed_and_round_robin_does_not() {
    let values = |expression: &str| -> BTreeSet<Vec<u8>> {
        let key = |seed| evaluated(expression, "", seed).unwrap().key;
        (0..32).map(|seed| key(seed).as_bytes().to_vec()).collect()
    };
    assert!(values("be4(random(1000000))").len() > 16);
    assert_eq!(
        values("be4(round_robin(1000000))"),
        BTreeSet::from([vec![0; 4]])
    );
}

#[test]
fn eight_bytes_hold_what_java_writes_of_a_long_without_a_sign() {
    let greatest = "18446744073709551615";
    // `Long.toUnsignedString(-1L)`, and the least that no field holds.
    for (value, bytes) in [
        (greatest, [0xff; 8]),
        ("9223372036854775808", [0x80, 0, 0, 0, 0, 0, 0, 0]),
    ] {
        assert_eq!(written(&format!("be8({value})"), ""), bytes, "{value}");
        assert_eq!(written("be8(v)", &format!("v={value}")), bytes, "{value}");
    }
    // Whatever else takes an integer computes with a sign.
    for key in ["be7(v)", "sbe8(v)", "be8(v / 2)", "text(v)", "'a' || v"] {
        let errors = evaluated(key, &format!("v={greatest}"), 1).unwrap_err();
        assert!(
            errors[0]
                .message
                .contains("does not fit 64 bits with a sign"),
            "{key}: {errors:?}"
        );
    }
}

#[test]
fn digests_have_their_published_values() {
    // RFC 1321 and FIPS 180: "abc".
    let (md5, sha1) = (
        "900150983cd24fb0d6963f7d28e17f72",
        "a9993e364706816aba3e25717850c26c9cd0d89d",
    );
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let sha512 = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                  2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
    let digests = [
        ("md5", md5),
        ("sha1", sha1),
        ("sha256", sha256),
        ("sha512", sha512),
    ];
    for (function, digest) in digests {
        assert_eq!(text(&format!("{function}('abc')"), ""), digest);
        assert_eq!(text(&format!("hex({function}_bytes('abc'))"), ""), digest);
    }
}

#[test]
fn buckets_that_share_factors_with_steps_of_time_are_warned_of() {
    for (salt, uneven) in [
        ("salt(10, be8(ts))", true),
        ("salt(20, be8(ts))", true),
        ("salt2(30, be8(ts))", true),
        ("salt(16, be8(ts))", false),
        ("salt(31, be8(ts))", false),
        ("salt(20, v)", false),
    ] {
        let notes = noted(salt, "v=web1 ts:s=1767225612");
        assert_eq!(
            notes.iter().any(|note| note.contains("uneven")),
            uneven,
            "{salt}"
        );
    }
}

#[test]
fn text_is_taken_by_characters_and_bytes_are_taken_by_bytes() {
    // ñ is c3 b1 in UTF-8.
    let of_text = [
        ("nth('añb', 1)", "ñ"),
        ("nth('a', 0)", "a"),
        ("left('añb', 2)", "añ"),
        ("right('añb', 2)", "ñb"),
        ("reverse('añb')", "bña"),
        ("reverse('abc')", "cba"),
        ("upper('añB1')", "AñB1"),
        ("lower('AÑb1')", "aÑb1"),
        ("reverse_domain('b.añ.es')", "es.añ.b"),
    ];
    for (expression, expected) in of_text {
        assert_eq!(text(expression, ""), expected, "{expression}");
    }
    // Six characters in seven bytes.
    let given = "s:text=müller";
    assert_eq!(text("lpad(s, 6)", given), "müller");
    assert_eq!(text("rpad(reverse(upper(s)), 7, '.')", given), "RELLüM.");
    assert_eq!(text("lpad(s || 'ä', 7)", given), "müllerä");
    for part in [
        "substr(s, 2, 2)",
        "left(substr(s, 2), 2)",
        "lpad(substr(s, 2, 2), 2)",
    ] {
        assert_eq!(text(part, given), "ül", "{part}");
    }
    let (place, error) = refused("lpad(s, 5)", given);
    assert_eq!((&place[..], &error.label[..]), ("s", "longer than 5"));
    assert!(
        error.message.contains("up to 6 characters"),
        "{}",
        error.message
    );
    let of_bytes: [(&str, &[u8]); 5] = [
        ("nth(x'61c3b1', 2)", &[0xb1]),
        ("left(x'61c3b162', 2)", &[0x61, 0xc3]),
        ("right(x'61c3b162', 2)", &[0xb1, 0x62]),
        ("reverse(x'61c3b1')", &[0xb1, 0xc3, 0x61]),
        ("desc(x'61c3b1')", &[0x9e, 0x3c, 0x4e]),
    ];
    for (expression, expected) in of_bytes {
        assert_eq!(written(expression, ""), expected, "{expression}");
    }
}

#[test]
fn instants_are_rounded_down_to_steps_of_any_unit() {
    let second = 1_000_000_000;
    let steps = [
        ("7ns", 7),
        ("3us", 3_000),
        ("11ms", 11_000_000),
        ("13s", 13 * second),
        ("17m", 17 * 60 * second),
        ("5h", 5 * 3_600 * second),
        ("3d", 3 * 86_400 * second),
        ("2w", 14 * 86_400 * second),
    ];
    // Before 1970 as well.
    for at in [1_767_225_612_345_678_901, -1_234_567_890_123_456_789_i64] {
        for (step, nanos) in steps {
            let found = number(&format!("trunc(ts, '{step}')"), &format!("ts:ns={at}"));
            assert_eq!(found, at - at.rem_euclid(nanos), "{step}");
        }
    }
    for (instant, truncated) in [
        ("trunc(ts, '2000us')", 1_767_225_612_344),
        ("trunc(ts + 6, '10ms')", 1_767_225_612_350),
        ("trunc(6 + ts, '10ms')", 1_767_225_612_350),
        ("trunc(ts - 6, '10ms')", 1_767_225_612_330),
    ] {
        assert_eq!(
            number(instant, "ts:ms=1767225612345"),
            truncated,
            "{instant}"
        );
    }
    for (step, reason) in [
        ("0s", "is no multiple of the timestamp's unit, ms"),
        ("5us", "is no multiple of the timestamp's unit, ms"),
        ("1500us", "is no multiple of the timestamp's unit, ms"),
        ("5", "is not a step of time"),
        ("m", "is not a step of time"),
        ("5 m", "is not a step of time"),
        ("9223372036854775807w", "is too long"),
    ] {
        let (place, error) = refused(&format!("be8(trunc(ts, '{step}'))"), "ts:ms=1767225612345");
        assert_eq!(place, format!("'{step}'"));
        assert_eq!(error.message, format!("`'{step}'` {reason}"));
    }
}

#[test]
fn identifiers_take_instants_of_any_unit() {
    for (given, millis) in [
        ("ts:s=1767225612", 1_767_225_612_000_i64),
        ("ts:ms=1767225612345", 1_767_225_612_345),
        ("ts:us=1767225612345678", 1_767_225_612_345),
        ("ts:ns=1767225612345678901", 1_767_225_612_345),
    ] {
        // 48 bits of milliseconds, by RFC 9562.
        assert_eq!(written("uuid7(ts)", given)[..6], millis.to_be_bytes()[2..]);
        assert_eq!(
            number("snowflake(ts, 3, 5, 77)", given),
            (millis - 1_288_834_974_657) << 22 | 3 << 17 | 5 << 12 | 77
        );
        // 32 bits of seconds since 2014-05-13.
        assert_eq!(
            written("ksuid(ts)", given)[..4],
            367_225_612_u32.to_be_bytes()
        );
    }
}

#[test]
fn other_names_are_no_functions_and_lead_to_functions() {
    for (names, meant) in OTHER_NAMES {
        for name in names.split(' ') {
            assert!(find(name).is_none(), "{name}");
            assert_eq!(instead(&name.to_uppercase()), meant);
        }
        let quoted = meant.split('`').skip(1).step_by(2);
        let mut calls = quoted.filter_map(|code| code.split_once('('));
        assert!(calls.clone().count() > 0, "{meant}");
        assert!(calls.all(|(name, _)| find(name).is_some()), "{meant}");
    }
    assert_eq!(instead("md5"), "did you mean `md5(x)`?");
}
