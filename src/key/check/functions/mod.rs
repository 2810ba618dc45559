//! The functions of the language: their names, arguments and builders.

mod call;
mod numbers;
mod strings;
mod times;

pub use call::{Argument, Call, Function};
pub use times::joined_dates;

use crate::key::code::Op;
use crate::key::formats::DigestForm::{Hex, Raw};
use crate::key::formats::{Digest, Encoding, IntHash, Transform};
use crate::text::{all, nearest, ranked};
use Argument::{Literal, Optional, Unordered, Value, Wide};
use call::Build;

/// A function by a call of it.
const fn f(
    usage: &'static str,
    summary: &'static str,
    arguments: &'static [Argument],
    build: Build,
) -> Function {
    let mut end = 0;
    while usage.as_bytes()[end] != b'(' {
        end += 1;
    }
    Function {
        name: usage.split_at(end).0,
        usage,
        summary,
        arguments,
        build: Some(build),
    }
}

/// All functions, by family.
#[rustfmt::skip]
pub const FUNCTIONS: &[Function] = &[
    f("be1(i)", "1 byte", &[Value], |c| numbers::big_endian(c, 1)),
    f("be2(i)", "2 bytes, big-endian", &[Value], |c| numbers::big_endian(c, 2)),
    f("be3(i)", "3 bytes, big-endian", &[Value], |c| numbers::big_endian(c, 3)),
    f("be4(i)", "4 bytes, big-endian: Bytes.toBytes(int)", &[Value], |c| numbers::big_endian(c, 4)),
    f("be5(i)", "5 bytes, big-endian", &[Value], |c| numbers::big_endian(c, 5)),
    f("be6(i)", "6 bytes, big-endian", &[Value], |c| numbers::big_endian(c, 6)),
    f("be7(i)", "7 bytes, big-endian", &[Value], |c| numbers::big_endian(c, 7)),
    f("be8(i)", "8 bytes, big-endian: Bytes.toBytes(long); takes literals up to 2^64 - 1", &[Wide], |c| numbers::big_endian(c, 8)),
    f("sbe1(i)", "be1 with the sign bit flipped: negative numbers first", &[Value], |c| numbers::ordered(c, 1)),
    f("sbe2(i)", "be2 with the sign bit flipped", &[Value], |c| numbers::ordered(c, 2)),
    f("sbe4(i)", "be4 with the sign bit flipped: Phoenix INTEGER", &[Value], |c| numbers::ordered(c, 4)),
    f("sbe8(i)", "be8 with the sign bit flipped: Phoenix BIGINT", &[Value], |c| numbers::ordered(c, 8)),
    f("ordered8(i)", "HBase OrderedBytes of a long: 0x2c and sbe8", &[Value], numbers::hbase_ordered),
    f("f4(d)", "4 bytes IEEE 754; negative numbers sort wrongly", &[Value], |c| numbers::double(c, Encoding::Float)),
    f("f8(d)", "8 bytes IEEE 754; negative numbers sort wrongly", &[Value], |c| numbers::double(c, Encoding::Double)),
    f("of4(d)", "4 bytes IEEE 754 that keep order", &[Value], |c| numbers::double(c, Encoding::OrderedFloat)),
    f("of8(d)", "8 bytes IEEE 754 that keep order", &[Value], |c| numbers::double(c, Encoding::OrderedDouble)),
    f("text(i)", "decimal text, unpadded", &[Value], numbers::decimal_text),
    f("lpad(x, n, c)", "padded on the left to n characters with c ('0')", &[Unordered, Value, Optional], numbers::pad_left),
    f("rpad(x, n, c)", "padded on the right to n characters with c (' ')", &[Value, Value, Optional], numbers::pad_right),
    f("hex(b)", "lower-case hexadecimal text", &[Value], strings::hex),
    f("unhex(h)", "the bytes of hexadecimal text, two digits each", &[Value], strings::unhex),
    f("left(s, n)", "the first n characters (bytes of bytes)", &[Value, Value], strings::left),
    f("right(s, n)", "the last n characters (bytes of bytes)", &[Value, Value], strings::right),
    f("substr(s, p, n)", "n characters from position p, which counts from 1; 0 is 1; negative from the end", &[Value, Value, Optional], strings::substr),
    f("upper(s)", "ASCII letters in upper case", &[Value], |c| strings::case(c, Transform::Upper, |byte| byte.to_ascii_uppercase())),
    f("lower(s)", "ASCII letters in lower case", &[Value], |c| strings::case(c, Transform::Lower, |byte| byte.to_ascii_lowercase())),
    f("reverse(s)", "characters in reverse order (bytes of bytes)", &[Value], |c| strings::reverse(c, false)),
    f("reverse_bytes(b)", "bytes in reverse order", &[Value], |c| strings::reverse(c, true)),
    f("reverse_domain(s)", "labels between dots in reverse order", &[Value], strings::reverse_domain),
    f("nth('abcd', i)", "the i-th character, from 0", &[Value, Value], numbers::nth),
    Function { build: None, ..f("delim('#', a, b)", "a || '#' || b", &[Value, Value], |_| None) },
    f("desc(b)", "every byte ^ 0xFF: descending order", &[Value], strings::desc),
    f("md5(x)", "32 lower-case hexadecimal characters", &[Unordered], |c| strings::digest(c, Digest::Md5, Hex)),
    f("md5_bytes(x)", "16 bytes", &[Unordered], |c| strings::digest(c, Digest::Md5, Raw)),
    f("sha1(x)", "40 lower-case hexadecimal characters", &[Unordered], |c| strings::digest(c, Digest::Sha1, Hex)),
    f("sha1_bytes(x)", "20 bytes", &[Unordered], |c| strings::digest(c, Digest::Sha1, Raw)),
    f("sha256(x)", "64 lower-case hexadecimal characters", &[Unordered], |c| strings::digest(c, Digest::Sha256, Hex)),
    f("sha256_bytes(x)", "32 bytes", &[Unordered], |c| strings::digest(c, Digest::Sha256, Raw)),
    f("sha512(x)", "128 lower-case hexadecimal characters", &[Unordered], |c| strings::digest(c, Digest::Sha512, Hex)),
    f("sha512_bytes(x)", "64 bytes", &[Unordered], |c| strings::digest(c, Digest::Sha512, Raw)),
    f("murmur3(x, seed)", "MurmurHash3_x86_32, from 0 to 2^32 - 1", &[Unordered, Optional], strings::murmur3),
    f("murmur3_128(x)", "first 64 bits of MurmurHash3_x64_128, signed", &[Unordered], |c| strings::number(c, IntHash::Murmur3Wide)),
    f("crc32(x)", "from 0 to 2^32 - 1", &[Unordered], |c| strings::number(c, IntHash::Crc32)),
    f("fnv1_32(x)", "from 0 to 2^32 - 1", &[Unordered], |c| strings::number(c, IntHash::Fnv1)),
    f("fnv1a_32(x)", "from 0 to 2^32 - 1", &[Unordered], |c| strings::number(c, IntHash::Fnv1a)),
    f("fnv1a_64(x)", "64 bits, signed", &[Unordered], |c| strings::number(c, IntHash::Fnv1aWide)),
    f("java_hash(x)", "String.hashCode of text, Arrays.hashCode of bytes; 32 bits, signed", &[Unordered], strings::java),
    f("pmod(a, n)", "remainder from 0 to n - 1", &[Value, Value], numbers::pmod),
    f("abs(i)", "absolute value of 64 bits", &[Value], numbers::abs),
    f("abs32(i)", "Java's Math.abs(int): keeps -2147483648", &[Value], numbers::abs32),
    f("bit_reverse(i)", "63 bits reversed, as Spanner's sequences", &[Value], numbers::bit_reverse),
    f("bit_reverse64(i)", "64 bits reversed", &[Value], numbers::bit_reverse64),
    f("salt(n, x)", "1 byte |java_hash(bytes of x) % n|, as Phoenix and OpenTSDB; computed from x, so a Get stays a Get", &[Value, Unordered], |c| strings::salt(c, 1)),
    f("salt2(n, x)", "2 bytes |java_hash(bytes of x) % n|; computed from x", &[Value, Unordered], |c| strings::salt(c, 2)),
    f("bucket(n, x)", "pmod(murmur3(x), n): the good default; computed from x", &[Value, Unordered], strings::bucket),
    f("random(n)", "0 to n - 1, drawn for each write; readers can't know it", &[Value], |c| numbers::drawn(c, |c, values| Op::Random { values, skip: c.take_draws(1) })),
    f("round_robin(n)", "0 to n - 1 in turn; readers can't know it", &[Value], |c| numbers::drawn(c, |_, values| Op::RoundRobin { values })),
    f("trunc(ts, '1h')", "rounded down to a step: '10m', '1h', '1d' or a number", &[Value, Value], times::trunc),
    f("to_char(ts, 'yyyyMMdd')", "UTC date and time by a pattern of Java's letters", &[Value, Literal], times::to_char),
    f("rev_ts(ts)", "9223372036854775807 - ts", &[Value], times::rev_ts),
    f("uuid4()", "16 random bytes", &[], times::uuid4),
    f("uuid7(ts)", "16 bytes: milliseconds, then random", &[Value], times::uuid7),
    f("ulid(ts)", "26 characters: milliseconds, then random", &[Value], times::ulid),
    f("ksuid(ts)", "20 bytes: seconds since 2014, then random", &[Value], times::ksuid),
    f("snowflake(ts, dc, worker, seq)", "milliseconds since 2010 << 22 | dc << 17 | worker << 12 | seq", &[Value, Value, Value, Value], times::snowflake),
    f("z2(lon, lat)", "8-byte Morton code, 31 bits each", &[Value, Value], |c| times::morton(c, 31)),
    f("z3(lon, lat, t)", "8-byte Morton code, 21 bits each", &[Value, Value, Value], |c| times::morton(c, 21)),
];

/// The function of that name, whatever its case.
pub fn find(name: &str) -> Option<&'static Function> {
    let mut functions = FUNCTIONS.iter();
    functions.find(|function| function.name.eq_ignore_ascii_case(name))
}

/// What SQL, Java and scripts call what a key expression says in its own way, and what to write instead.
#[rustfmt::skip]
const OTHER_NAMES: [(&str, &str); 13] = [
    ("cityhash hash hash_code hashcode siphash xxhash xxhash64", "`be1(bucket(n, x))` writes one of n buckets, `md5_bytes(x)` and `be4(murmur3(x))` write hashes"),
    ("hash_prefix md5_prefix prefix_hash sha1_prefix", "`left(md5(x), n)` are the first n hex digits of a hash, `left(md5_bytes(x), n)` its first n bytes"),
    ("concat concat_ws join", "`||` joins the parts of a key, `delim('#', a, b)` with a text between them"),
    ("bytes int integer long tobytes to_bytes", "`be4(i)` and `be8(i)` write an int as Bytes.toBytes(int) and Bytes.toBytes(long) do, `text(i)` its digits; a text is its bytes"),
    ("cast char str string to_string tostring", "`text(i)` writes the digits of an int, `lpad(i, n)` so many of them"),
    ("pad zero_pad zfill", "`lpad(x, n)` pads on the left with zeros"),
    ("date_trunc day floor hour minute time_bucket truncate", "`trunc(ts, '1h')` rounds down to a step: '10m', '1h', '1d' or a number"),
    ("date date_format format format_date strftime to_date", "`to_char(ts, 'yyyyMMdd')` writes date and time by a pattern of Java's letters"),
    ("inverse_ts invert max_minus reverse_timestamp reverse_ts", "`rev_ts(ts)` puts the newest first, `desc(b)` any bytes in descending order"),
    ("current_timestamp epoch now time unix_timestamp", "a timestamp's value is the number of its units: `be8(ts)` writes it"),
    ("prefix first", "`left(s, n)` are the first n characters"),
    ("rand_int randint random_int", "`random(n)` draws 0 to n - 1 for each write"),
    ("guid new_uuid random_uuid", "`uuid4()` and `uuid7(ts)` draw one for each write; a field of the type `uuid` is the same in every key"),
];

/// What to write instead of a function that there is not.
pub fn instead(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let mut others = OTHER_NAMES.iter();
    if let Some((_, instead)) = others.find(|(names, _)| names.split(' ').any(|of| of == lower)) {
        return (*instead).to_owned();
    }
    let names = FUNCTIONS.iter().map(|function| function.name);
    match nearest(name, names).and_then(find) {
        Some(near) => format!("did you mean `{}`?", near.usage),
        None => {
            let names = FUNCTIONS.iter().map(|function| function.name);
            let nearest = ranked(name, names).into_iter().take(3);
            let nearest: Vec<&str> = nearest.map(|(name, _)| name).collect();
            let near = match nearest[..] {
                [] => String::new(),
                _ => format!("the nearest are {}; ", all(&nearest)),
            };
            format!("{near}`keyheat key --help` lists the functions")
        }
    }
}

#[cfg(test)]
#[path = "functions_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "claims_tests.rs"]
mod claims_tests;
