//! Keys of values given by hand: how values are read, random parts, Morton codes.

use super::{evaluate, parse_given};
use crate::random::Seed;
use crate::record::{FieldValue, TimeUnit};

fn parsed(argument: &str) -> FieldValue {
    let (name, given) = parse_given(argument).unwrap();
    assert_eq!(name, "a");
    given
}

fn written(expression: &str, given: &[&str], seed: u64) -> Vec<u8> {
    let given: Vec<_> = given.iter().map(|it| parse_given(it).unwrap()).collect();
    let evaluated = evaluate(expression, &given, Seed(seed)).unwrap();
    evaluated.key.as_bytes().to_vec()
}

#[test]
fn a_value_without_a_type_is_what_it_looks_like() {
    assert_eq!(parsed("a=-7"), FieldValue::Int(-7));
    let beyond = FieldValue::Unsigned(1 << 63);
    assert_eq!(parsed("a=9223372036854775808"), beyond);
    assert_eq!(parsed("a:int=9223372036854775808"), beyond);
    for text in [
        "007",
        "+7",
        "-0",
        "18446744073709551616",
        "",
        "x'0'",
        "x'0g'",
        "x'aé1'",
    ] {
        assert_eq!(parsed(&format!("a={text}")), FieldValue::Text(text.into()));
    }
    assert_eq!(parsed("a=b=c"), FieldValue::Text("b=c".into()));
    assert_eq!(parsed("a=x'00fF10'"), FieldValue::Bytes(vec![0, 255, 16]));
    assert_eq!(parsed("a=x''"), FieldValue::Bytes(Vec::new()));
}

#[test]
fn a_type_forces_how_a_value_is_read() {
    assert_eq!(parsed("a:int=007"), FieldValue::Int(7));
    assert_eq!(parsed("a:text=7"), FieldValue::Text("7".into()));
    assert_eq!(parsed("a:bytes=00ff"), FieldValue::Bytes(vec![0, 255]));
    assert_eq!(parsed("a:bytes=x'0a'"), FieldValue::Bytes(vec![10]));
    assert_eq!(parsed("a:double=-0.5"), FieldValue::Double(-0.5));
    assert_eq!(parsed("a:ms=77"), FieldValue::Time(77, TimeUnit::Millis));
    // Before 1970 a part of a second belongs to the second that began before it.
    let moments = [
        ("s", TimeUnit::Seconds, 1_767_225_612, -2),
        ("ms", TimeUnit::Millis, 1_767_225_612_345, -1_750),
        ("us", TimeUnit::Micros, 1_767_225_612_345_678, -1_750_000),
        (
            "ns",
            TimeUnit::Nanos,
            1_767_225_612_345_678_901,
            -1_750_000_000,
        ),
    ];
    for (name, unit, later, earlier) in moments {
        let later_text = format!("a:{name}=2026-01-01T00:00:12.345678901Z");
        assert_eq!(parsed(&later_text), FieldValue::Time(later, unit));
        let earlier_text = format!("a:{name}=1969-12-31T23:59:58.25Z");
        assert_eq!(parsed(&earlier_text), FieldValue::Time(earlier, unit));
    }
}

#[test]
fn what_is_no_name_or_no_value_is_said() {
    let wrong = [
        ("a", "`a` is not of the form name=value"),
        (
            "1a=1",
            "`1a` is not a name: letters, digits and `_`, not a digit first",
        ),
        (
            "a-b=1",
            "`a-b` is not a name: letters, digits and `_`, not a digit first",
        ),
        (
            "=1",
            "`` is not a name: letters, digits and `_`, not a digit first",
        ),
        ("a:int=1.5", "`1.5` is not an integer of 64 bits"),
        ("a:bytes=0", "`0` is not hexadecimal"),
        ("a:double=inf", "`inf` is not a finite number"),
        ("a:double=NaN", "`NaN` is not a finite number"),
        ("a:double=1,5", "`1,5` is not a finite number"),
        (
            "a:s=soon",
            "`soon` is neither an integer nor a date and time such as 2026-01-01T00:00:00Z",
        ),
        (
            "a:ns=2300-01-01T00:00:00Z",
            "`2300-01-01T00:00:00Z` is out of range",
        ),
        (
            "a:float=1",
            "`float` is not a type: expected int, text, bytes, double, s, ms, us or ns",
        ),
    ];
    for (argument, expected) in wrong {
        assert_eq!(parse_given(argument).unwrap_err(), expected);
    }
    for argument in ["_a=1", "a_1=1", "A9=1"] {
        assert_eq!(parse_given(argument).unwrap().1, FieldValue::Int(1));
    }
}

#[test]
fn bytes_of_any_length_are_written_whole() {
    let long = |length: usize| FieldValue::Bytes((0..length).map(|at| (at % 251) as u8).collect());
    for length in [1, 300, 65_535, 65_536, 70_000] {
        let given = [("b".to_owned(), long(length))];
        let found = evaluate("left(b, 1) || right(b, 2)", &given, Seed(0)).unwrap();
        let last = |back: usize| ((length - back) % 251) as u8;
        let expected = match length {
            1 => vec![0, 0],
            _ => vec![0, last(2), last(1)],
        };
        assert_eq!(found.key.as_bytes(), expected, "{length}");
    }
    assert_eq!(written("'<' || b || '>'", &["b=x''"], 0), b"<>");
    // A segment is called by the name that was given.
    let named = |key: &str, length: usize| {
        let given = [("b".to_owned(), long(length))];
        evaluate(key, &given, Seed(0)).unwrap().segments[0].clone()
    };
    assert_eq!(named("b", 3).expression, "b");
    for length in [3, 65_535] {
        assert!(
            named("md5(b)", length)
                .meaning
                .starts_with("hash of b x'000102")
        );
    }
}

#[test]
fn a_timestamp_beyond_the_calendar_is_told_where_it_stands() {
    let given = [(
        "ts".to_owned(),
        FieldValue::Time(i64::MAX, TimeUnit::Seconds),
    )];
    let errors = evaluate("'k' || be8(ts)", &given, Seed(0)).unwrap_err();
    assert_eq!(errors[0].span, 11..13);
    assert!(errors[0].message.contains("of `ts` lies outside"));
}

/// The bits that some and that all of many seeds set. A bit that is drawn is the same for all 64 of them once in 2^63.
fn bits(expression: &str, given: &[&str], bytes: fn(Vec<u8>) -> u128) -> (u128, u128) {
    (0..64)
        .map(|seed| bytes(written(expression, given, seed)))
        .fold((0, u128::MAX), |(some, all), it| (some | it, all & it))
}

fn big_endian(bytes: Vec<u8>) -> u128 {
    assert!(bytes.len() <= 16);
    bytes
        .iter()
        .fold(0, |number, &byte| number << 8 | u128::from(byte))
}

#[test]
fn identifiers_are_fixed_bits_and_drawn_ones() {
    // RFC 9562: four bits of version, two of variant, a UUIDv7 with 48 bits of milliseconds before them.
    let (version, variant) = (0xf << 76, 0x3 << 62);
    let (some, all) = bits("uuid4()", &[], big_endian);
    assert_eq!(some, !version & !variant | 0x4 << 76 | 0x2 << 62);
    assert_eq!(all, 0x4 << 76 | 0x2 << 62);
    let millis = 0x019f_0123_4567_u128;
    let ts = format!("ts:ms={millis}");
    let (some, all) = bits("uuid7(ts)", &[&ts], big_endian);
    let fixed = millis << 80 | 0x7 << 76 | 0x2 << 62;
    assert_eq!(all, fixed);
    assert_eq!(
        some,
        fixed | u128::from(u16::MAX >> 4) << 64 | u128::MAX >> 66
    );
    // Of a ULID, 26 characters of Crockford's base 32, all behind the milliseconds is drawn.
    let base_32 = |bytes: Vec<u8>| {
        assert_eq!(bytes.len(), 26);
        let digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
        let digit = |byte: &u8| digits.find(char::from(*byte)).unwrap() as u128;
        bytes
            .iter()
            .fold(0, |number, byte| number << 5 | digit(byte))
    };
    let (some, all) = bits("ulid(ts)", &[&ts], base_32);
    assert_eq!((some, all), (millis << 80 | u128::MAX >> 48, millis << 80));
    // Of a KSUID all 16 bytes behind its four of seconds since 1.4e9.
    let drawn = |bytes: Vec<u8>| {
        assert_eq!(bytes[..4], [0x12, 0x34, 0x56, 0x78]);
        big_endian(bytes[4..].to_vec())
    };
    let ts = format!("ts:s={}", 1_400_000_000 + 0x1234_5678);
    assert_eq!(bits("ksuid(ts)", &[&ts], drawn), (u128::MAX, 0));
}

#[test]
fn a_snowflake_has_time_datacenter_worker_and_sequence_side_by_side() {
    let ts = format!("ts:ms={}", 1_288_834_974_657_i64 + 0x1_2345_6789);
    let key = written("be8(snowflake(ts, 19, 7, 2748))", &[&ts], 0);
    assert_eq!(
        big_endian(key),
        0x1_2345_6789 << 22 | 19 << 17 | 7 << 12 | 2748
    );
}

#[test]
fn morton_codes_interleave_the_axes_from_the_lowest_bit_on() {
    let code = |expression: &str, given: &[&str]| big_endian(written(expression, given, 0));
    // 5 = 0b101 and 1 at even and odd places: 0b010011.
    assert_eq!(code("z2(a, b)", &["a=5", "b=1"]), 0b01_0011);
    assert_eq!(code("z3(a, b, c)", &["a=1", "b=2", "c=5"]), 0b100_010_101);
    // 90 degrees east are three quarters of all longitudes, the equator half of all latitudes.
    let place = ["lon:double=90", "lat:double=0"];
    assert_eq!(code("z2(lon, lat)", &place), 0b11_0100 << 56);
    // The same in 21 bits: 0b110.. and 0b100.. at places 60 and 57 of the first, 61 of the second; and the time at the third.
    assert_eq!(
        code("z3(lon, lat, t)", &[place[0], place[1], "t=1"]),
        1 << 60 | 1 << 57 | 1 << 61 | 1 << 2
    );
    // The last cell ends with the greatest value.
    let corner = |lon: &str, lat: &str| {
        code(
            "z2(lon, lat)",
            &[&format!("lon:double={lon}"), &format!("lat:double={lat}")],
        )
    };
    assert_eq!(corner("-180", "-90"), 0);
    assert_eq!(corner("180", "90"), (1 << 62) - 1);
    assert_eq!(corner("-180", "90"), 0x2aaa_aaaa_aaaa_aaaa);
    assert_eq!(corner("180", "-90"), 0x1555_5555_5555_5555);
}

#[test]
fn constants_are_computed_as_values_are() {
    let byte = |expression: &str| written(expression, &[], 0);
    assert_eq!(byte("be1(2 + 3)"), [5]);
    assert_eq!(byte("be1(7 - 3)"), [4]);
    assert_eq!(byte("be1(7 * 3)"), [21]);
    assert_eq!(byte("be1(19 / 4)"), [4]);
    assert_eq!(byte("be1(19 % 4)"), [3]);
    assert_eq!(byte("text((0 - 19) / 4)"), b"-4");
    // Text and bytes joined are bytes: the second one is the first half of a letter.
    assert_eq!(byte("left('añ' || x'41', 2)"), b"a\xC3");
    assert_eq!(byte("left('añ' || 'b', 2)"), "añ".as_bytes());
}

#[test]
fn hashes_have_their_published_values() {
    // The check value of CRC-32, and the test vectors of FNV's and MurmurHash3's authors.
    let hash = |expression: &str| big_endian(written(expression, &[], 0));
    let fox = "The quick brown fox jumps over the lazy dog";
    assert_eq!(hash("be4(crc32('123456789'))"), 0xcbf4_3926);
    assert_eq!(hash("be4(fnv1_32('foobar'))"), 0x31f0_b262);
    assert_eq!(hash("be4(fnv1a_32('foobar'))"), 0xbf9c_f968);
    assert_eq!(hash("be8(fnv1a_64('foobar'))"), 0x8594_4171_f739_67e8);
    assert_eq!(hash(&format!("be4(murmur3('{fox}'))")), 0x2e4f_f723);
    assert_eq!(
        hash(&format!("be8(murmur3_128('{fox}'))")),
        0xe34b_bc7b_bc07_1b6c
    );
}
