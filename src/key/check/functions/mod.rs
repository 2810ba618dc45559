//! The functions of the language: their names, arguments and builders.

mod arithmetic;
mod call;
mod encode;
mod hash;
mod identifiers;
mod other_names;
mod text;
mod time;

pub use call::{Argument, Call, Function};

use super::complaints::nearest;
use crate::key::formats::DigestForm::{Hex, Raw};
use crate::key::formats::{Digest, Encoding, IntHash, Transform};
use Argument::{Hashed, Literal, Optional, Value, Wide};
use call::Build;

const fn f(
    name: &'static str,
    usage: &'static str,
    summary: &'static str,
    arguments: &'static [Argument],
    build: Build,
) -> Function {
    Function {
        name,
        usage,
        summary,
        arguments,
        build: Some(build),
    }
}

/// All functions, by family.
#[rustfmt::skip]
pub const FUNCTIONS: &[Function] = &[
    f("be1", "be1(i)", "1 byte", &[Value], |c| encode::big_endian(c, 1)),
    f("be2", "be2(i)", "2 bytes, big-endian", &[Value], |c| encode::big_endian(c, 2)),
    f("be3", "be3(i)", "3 bytes, big-endian", &[Value], |c| encode::big_endian(c, 3)),
    f("be4", "be4(i)", "4 bytes, big-endian: Bytes.toBytes(int)", &[Value], |c| encode::big_endian(c, 4)),
    f("be5", "be5(i)", "5 bytes, big-endian", &[Value], |c| encode::big_endian(c, 5)),
    f("be6", "be6(i)", "6 bytes, big-endian", &[Value], |c| encode::big_endian(c, 6)),
    f("be7", "be7(i)", "7 bytes, big-endian", &[Value], |c| encode::big_endian(c, 7)),
    f("be8", "be8(i)", "8 bytes, big-endian: Bytes.toBytes(long); takes literals up to 2^64 - 1", &[Wide], |c| encode::big_endian(c, 8)),
    f("sbe1", "sbe1(i)", "be1 with the sign bit flipped: negative numbers first", &[Value], |c| encode::ordered(c, 1)),
    f("sbe2", "sbe2(i)", "be2 with the sign bit flipped", &[Value], |c| encode::ordered(c, 2)),
    f("sbe4", "sbe4(i)", "be4 with the sign bit flipped: Phoenix INTEGER", &[Value], |c| encode::ordered(c, 4)),
    f("sbe8", "sbe8(i)", "be8 with the sign bit flipped: Phoenix BIGINT", &[Value], |c| encode::ordered(c, 8)),
    f("ordered8", "ordered8(i)", "HBase OrderedBytes of a long: 0x2c and sbe8", &[Value], encode::hbase_ordered),
    f("f4", "f4(d)", "4 bytes IEEE 754; negative numbers sort wrongly", &[Value], |c| encode::double(c, Encoding::Float)),
    f("f8", "f8(d)", "8 bytes IEEE 754; negative numbers sort wrongly", &[Value], |c| encode::double(c, Encoding::Double)),
    f("of4", "of4(d)", "4 bytes IEEE 754 that keep order", &[Value], |c| encode::double(c, Encoding::OrderedFloat)),
    f("of8", "of8(d)", "8 bytes IEEE 754 that keep order", &[Value], |c| encode::double(c, Encoding::OrderedDouble)),
    f("text", "text(i)", "decimal text, unpadded", &[Value], encode::decimal_text),
    f("lpad", "lpad(x, n, c)", "padded on the left to n characters with c ('0')", &[Value, Value, Optional], encode::pad_left),
    f("rpad", "rpad(x, n, c)", "padded on the right to n characters with c (' ')", &[Value, Value, Optional], encode::pad_right),
    f("hex", "hex(b)", "lower-case hexadecimal text", &[Value], text::hex),
    f("left", "left(s, n)", "the first n characters (bytes of bytes)", &[Value, Value], text::left),
    f("right", "right(s, n)", "the last n characters (bytes of bytes)", &[Value, Value], text::right),
    f("substr", "substr(s, p, n)", "n characters from position p, which counts from 1; 0 is 1; negative from the end", &[Value, Value, Optional], text::substr),
    f("upper", "upper(s)", "ASCII letters in upper case", &[Value], |c| text::case(c, Transform::Upper, |byte| byte.to_ascii_uppercase())),
    f("lower", "lower(s)", "ASCII letters in lower case", &[Value], |c| text::case(c, Transform::Lower, |byte| byte.to_ascii_lowercase())),
    f("reverse", "reverse(s)", "characters in reverse order (bytes of bytes)", &[Value], text::reverse),
    f("reverse_bytes", "reverse_bytes(b)", "bytes in reverse order", &[Value], text::reverse_bytes),
    f("reverse_domain", "reverse_domain(s)", "labels between dots in reverse order", &[Value], text::reverse_domain),
    f("nth", "nth('abcd', i)", "the i-th character, from 0", &[Value, Value], encode::nth),
    Function { build: None, ..f("delim", "delim('#', a, b)", "a || '#' || b", &[Value, Value], |_| None) },
    f("desc", "desc(b)", "every byte ^ 0xFF: descending order", &[Value], text::desc),
    f("md5", "md5(x)", "32 lower-case hexadecimal characters", &[Hashed], |c| hash::digest(c, Digest::Md5, Hex)),
    f("md5_bytes", "md5_bytes(x)", "16 bytes", &[Hashed], |c| hash::digest(c, Digest::Md5, Raw)),
    f("sha1", "sha1(x)", "40 lower-case hexadecimal characters", &[Hashed], |c| hash::digest(c, Digest::Sha1, Hex)),
    f("sha1_bytes", "sha1_bytes(x)", "20 bytes", &[Hashed], |c| hash::digest(c, Digest::Sha1, Raw)),
    f("sha256", "sha256(x)", "64 lower-case hexadecimal characters", &[Hashed], |c| hash::digest(c, Digest::Sha256, Hex)),
    f("sha256_bytes", "sha256_bytes(x)", "32 bytes", &[Hashed], |c| hash::digest(c, Digest::Sha256, Raw)),
    f("sha512", "sha512(x)", "128 lower-case hexadecimal characters", &[Hashed], |c| hash::digest(c, Digest::Sha512, Hex)),
    f("sha512_bytes", "sha512_bytes(x)", "64 bytes", &[Hashed], |c| hash::digest(c, Digest::Sha512, Raw)),
    f("murmur3", "murmur3(x, seed)", "MurmurHash3_x86_32, from 0 to 2^32 - 1", &[Hashed, Optional], hash::murmur3),
    f("murmur3_128", "murmur3_128(x)", "first 64 bits of MurmurHash3_x64_128, signed", &[Hashed], |c| hash::number(c, IntHash::Murmur3Wide)),
    f("crc32", "crc32(x)", "from 0 to 2^32 - 1", &[Hashed], |c| hash::number(c, IntHash::Crc32)),
    f("fnv1_32", "fnv1_32(x)", "from 0 to 2^32 - 1", &[Hashed], |c| hash::number(c, IntHash::Fnv1)),
    f("fnv1a_32", "fnv1a_32(x)", "from 0 to 2^32 - 1", &[Hashed], |c| hash::number(c, IntHash::Fnv1a)),
    f("fnv1a_64", "fnv1a_64(x)", "64 bits, signed", &[Hashed], |c| hash::number(c, IntHash::Fnv1aWide)),
    f("java_hash", "java_hash(x)", "String.hashCode of text, Arrays.hashCode of bytes; 32 bits, signed", &[Hashed], hash::java),
    f("pmod", "pmod(a, n)", "remainder from 0 to n - 1", &[Value, Value], arithmetic::pmod),
    f("abs", "abs(i)", "absolute value of 64 bits", &[Value], arithmetic::abs),
    f("abs32", "abs32(i)", "Java's Math.abs(int): keeps -2147483648", &[Value], arithmetic::abs32),
    f("bit_reverse", "bit_reverse(i)", "63 bits reversed, as Spanner's sequences", &[Value], arithmetic::bit_reverse),
    f("bit_reverse64", "bit_reverse64(i)", "64 bits reversed", &[Value], arithmetic::bit_reverse64),
    f("salt", "salt(n, x)", "1 byte |java_hash(x) % n|, as Phoenix and OpenTSDB; computed from x, so a Get stays a Get", &[Value, Hashed], |c| hash::salt(c, 1)),
    f("salt2", "salt2(n, x)", "2 bytes |java_hash(x) % n|; computed from x", &[Value, Hashed], |c| hash::salt(c, 2)),
    f("bucket", "bucket(n, x)", "pmod(murmur3(x), n): the good default; computed from x", &[Value, Hashed], hash::bucket),
    f("random", "random(n)", "0 to n - 1, drawn for each write; readers can't know it", &[Value], arithmetic::random),
    f("round_robin", "round_robin(n)", "0 to n - 1 in turn; readers can't know it", &[Value], arithmetic::round_robin),
    f("trunc", "trunc(ts, '1h')", "rounded down to a step: '10m', '1h', '1d' or a number", &[Value, Value], time::trunc),
    f("to_char", "to_char(ts, 'yyyyMMdd')", "UTC date and time by a pattern of Java's letters", &[Value, Literal], time::to_char),
    f("rev_ts", "rev_ts(ts)", "9223372036854775807 - ts", &[Value], time::rev_ts),
    f("uuid4", "uuid4()", "16 random bytes", &[], identifiers::uuid4),
    f("uuid7", "uuid7(ts)", "16 bytes: milliseconds, then random", &[Value], identifiers::uuid7),
    f("ulid", "ulid(ts)", "26 characters: milliseconds, then random", &[Value], identifiers::ulid),
    f("ksuid", "ksuid(ts)", "20 bytes: seconds since 2014, then random", &[Value], identifiers::ksuid),
    f("snowflake", "snowflake(ts, dc, worker, seq)", "milliseconds since 2010 << 22 | dc << 17 | worker << 12 | seq", &[Value, Value, Value, Value], identifiers::snowflake),
    f("z2", "z2(lon, lat)", "8-byte Morton code, 31 bits each", &[Value, Value], |c| identifiers::morton(c, 31)),
    f("z3", "z3(lon, lat, t)", "8-byte Morton code, 21 bits each", &[Value, Value, Value], |c| identifiers::morton(c, 21)),
];

/// The function of that name, whatever its case.
pub fn find(name: &str) -> Option<&'static Function> {
    let mut functions = FUNCTIONS.iter();
    functions.find(|function| function.name.eq_ignore_ascii_case(name))
}

/// What to write instead of a function that there is not.
pub fn instead(name: &str) -> String {
    if let Some(instead) = other_names::instead_of(name) {
        return instead.to_owned();
    }
    let names = FUNCTIONS.iter().map(|function| function.name);
    match nearest(name, names).and_then(find) {
        Some(near) => format!("did you mean `{}`?", near.usage),
        None => "`keyheat key --help` lists the functions".to_owned(),
    }
}

#[cfg(test)]
#[path = "functions_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "claims_tests.rs"]
mod claims_tests;
