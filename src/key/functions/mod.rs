//! The functions of the language: names, argument checks, meanings. Must not know parsing or writing.

mod arithmetic;
mod encode;
mod hash;
mod identifiers;
mod nth;
mod other_names;
mod text;
mod time;

use super::bytes::{Bytes, decimal};
use super::checker::Checker;
use super::code::{IntCode, IntOp};
use super::interval::Interval;
use super::names::nearest;
use super::syntax::{Expr, ExprKind};
use super::typed::{Code, Facts, Typed};
use std::ops::Range;

pub(super) use encode::decimal_shape;

/// A function, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    /// Its name; calls ignore case.
    pub name: &'static str,
    /// A call.
    pub usage: &'static str,
    /// What it gives.
    pub summary: &'static str,
    /// Least and greatest number of arguments.
    arity: (usize, usize),
}

const fn f(
    name: &'static str,
    usage: &'static str,
    summary: &'static str,
    least: usize,
    most: usize,
) -> Function {
    Function {
        name,
        usage,
        summary,
        arity: (least, most),
    }
}

/// All functions, by family.
#[rustfmt::skip]
pub const FUNCTIONS: &[Function] = &[
    f("be1", "be1(i)", "1 byte", 1, 1),
    f("be2", "be2(i)", "2 bytes, big-endian", 1, 1),
    f("be3", "be3(i)", "3 bytes, big-endian", 1, 1),
    f("be4", "be4(i)", "4 bytes, big-endian: Bytes.toBytes(int)", 1, 1),
    f("be5", "be5(i)", "5 bytes, big-endian", 1, 1),
    f("be6", "be6(i)", "6 bytes, big-endian", 1, 1),
    f("be7", "be7(i)", "7 bytes, big-endian", 1, 1),
    f("be8", "be8(i)", "8 bytes, big-endian: Bytes.toBytes(long); takes literals up to 2^64 - 1", 1, 1),
    f("sbe1", "sbe1(i)", "be1 with the sign bit flipped: negative numbers first", 1, 1),
    f("sbe2", "sbe2(i)", "be2 with the sign bit flipped", 1, 1),
    f("sbe4", "sbe4(i)", "be4 with the sign bit flipped: Phoenix INTEGER", 1, 1),
    f("sbe8", "sbe8(i)", "be8 with the sign bit flipped: Phoenix BIGINT", 1, 1),
    f("ordered8", "ordered8(i)", "HBase OrderedBytes of a long: 0x2c and sbe8", 1, 1),
    f("f4", "f4(d)", "4 bytes IEEE 754; negative numbers sort wrongly", 1, 1),
    f("f8", "f8(d)", "8 bytes IEEE 754; negative numbers sort wrongly", 1, 1),
    f("of4", "of4(d)", "4 bytes IEEE 754 that keep order", 1, 1),
    f("of8", "of8(d)", "8 bytes IEEE 754 that keep order", 1, 1),
    f("text", "text(i)", "decimal text, unpadded", 1, 1),
    f("lpad", "lpad(x, n, c)", "padded on the left to n characters with c ('0')", 2, 3),
    f("rpad", "rpad(x, n, c)", "padded on the right to n characters with c (' ')", 2, 3),
    f("hex", "hex(b)", "lower-case hexadecimal text", 1, 1),
    f("left", "left(s, n)", "the first n characters (bytes of bytes)", 2, 2),
    f("right", "right(s, n)", "the last n characters (bytes of bytes)", 2, 2),
    f("substr", "substr(s, p, n)", "n characters from position p, which counts from 1; 0 is 1; negative from the end", 2, 3),
    f("upper", "upper(s)", "ASCII letters in upper case", 1, 1),
    f("lower", "lower(s)", "ASCII letters in lower case", 1, 1),
    f("reverse", "reverse(s)", "characters in reverse order (bytes of bytes)", 1, 1),
    f("reverse_bytes", "reverse_bytes(b)", "bytes in reverse order", 1, 1),
    f("reverse_domain", "reverse_domain(s)", "labels between dots in reverse order", 1, 1),
    f("nth", "nth('abcd', i)", "the i-th character, from 0", 2, 2),
    f("delim", "delim('#', a, b)", "a || '#' || b", 2, 255),
    f("desc", "desc(b)", "every byte ^ 0xFF: descending order", 1, 1),
    f("md5", "md5(x)", "32 lower-case hexadecimal characters", 1, 1),
    f("md5_bytes", "md5_bytes(x)", "16 bytes", 1, 1),
    f("sha1", "sha1(x)", "40 lower-case hexadecimal characters", 1, 1),
    f("sha1_bytes", "sha1_bytes(x)", "20 bytes", 1, 1),
    f("sha256", "sha256(x)", "64 lower-case hexadecimal characters", 1, 1),
    f("sha256_bytes", "sha256_bytes(x)", "32 bytes", 1, 1),
    f("sha512", "sha512(x)", "128 lower-case hexadecimal characters", 1, 1),
    f("sha512_bytes", "sha512_bytes(x)", "64 bytes", 1, 1),
    f("murmur3", "murmur3(x, seed)", "MurmurHash3_x86_32, from 0 to 2^32 - 1", 1, 2),
    f("murmur3_128", "murmur3_128(x)", "first 64 bits of MurmurHash3_x64_128, signed", 1, 1),
    f("crc32", "crc32(x)", "from 0 to 2^32 - 1", 1, 1),
    f("fnv1_32", "fnv1_32(x)", "from 0 to 2^32 - 1", 1, 1),
    f("fnv1a_32", "fnv1a_32(x)", "from 0 to 2^32 - 1", 1, 1),
    f("fnv1a_64", "fnv1a_64(x)", "64 bits, signed", 1, 1),
    f("java_hash", "java_hash(x)", "String.hashCode of text, Arrays.hashCode of bytes; 32 bits, signed", 1, 1),
    f("pmod", "pmod(a, n)", "remainder from 0 to n - 1", 2, 2),
    f("abs", "abs(i)", "absolute value of 64 bits", 1, 1),
    f("abs32", "abs32(i)", "Java's Math.abs(int): keeps -2147483648", 1, 1),
    f("bit_reverse", "bit_reverse(i)", "63 bits reversed, as Spanner's sequences", 1, 1),
    f("bit_reverse64", "bit_reverse64(i)", "64 bits reversed", 1, 1),
    f("salt", "salt(n, x)", "1 byte |java_hash(x) % n|, as Phoenix and OpenTSDB; computed from x, so a Get stays a Get", 2, 2),
    f("salt2", "salt2(n, x)", "2 bytes |java_hash(x) % n|; computed from x", 2, 2),
    f("bucket", "bucket(n, x)", "pmod(murmur3(x), n): the good default; computed from x", 2, 2),
    f("random", "random(n)", "0 to n - 1, drawn for each write; readers can't know it", 1, 1),
    f("round_robin", "round_robin(n)", "0 to n - 1 in turn; readers can't know it", 1, 1),
    f("trunc", "trunc(ts, '1h')", "rounded down to a step: '10m', '1h', '1d' or a number", 2, 2),
    f("to_char", "to_char(ts, 'yyyyMMdd')", "UTC date and time by a pattern of Java's letters", 2, 2),
    f("rev_ts", "rev_ts(ts)", "9223372036854775807 - ts", 1, 1),
    f("uuid4", "uuid4()", "16 random bytes", 0, 0),
    f("uuid7", "uuid7(ts)", "16 bytes: milliseconds, then random", 1, 1),
    f("ulid", "ulid(ts)", "26 characters: milliseconds, then random", 1, 1),
    f("ksuid", "ksuid(ts)", "20 bytes: seconds since 2014, then random", 1, 1),
    f("snowflake", "snowflake(ts, dc, worker, seq)", "milliseconds since 2010 << 22 | dc << 17 | worker << 12 | seq", 4, 4),
    f("z2", "z2(lon, lat)", "8-byte Morton code, 31 bits each", 2, 2),
    f("z3", "z3(lon, lat, t)", "8-byte Morton code, 21 bits each", 3, 3),
];

/// The function of that name, whatever its case.
pub(super) fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS
        .iter()
        .find(|function| function.name.eq_ignore_ascii_case(name))
}

/// One call being checked.
pub(super) struct Call<'a> {
    pub function: &'static Function,
    pub arguments: &'a [Expr],
    pub span: Range<usize>,
}

/// Checks a call.
pub(super) fn call(
    checker: &mut Checker<'_>,
    name: &str,
    name_span: &Range<usize>,
    arguments: &[Expr],
    expr: &Expr,
) -> Option<Typed> {
    let Some(function) = find(name) else {
        let near = || nearest(name, FUNCTIONS.iter().map(|function| function.name));
        let help = match other_names::instead_of(name) {
            Some(instead) => instead.to_owned(),
            None => match near().and_then(find) {
                Some(near) => format!("did you mean `{}`?", near.usage),
                None => "`keyheat key --help` lists the functions".to_owned(),
            },
        };
        // Mistakes inside the arguments are told as well.
        for argument in arguments {
            checker.check(argument);
        }
        return checker.error(
            name_span,
            format!("unknown function `{name}`"),
            "no such function",
            Some(&help),
        );
    };
    let (least, most) = function.arity;
    if arguments.len() < least || arguments.len() > most {
        let expected = if least == most {
            least.to_string()
        } else {
            format!("{least} to {most}")
        };
        let message = format!(
            "`{}` takes {expected} argument{}, found {}",
            function.name,
            if most == 1 { "" } else { "s" },
            arguments.len()
        );
        return checker.error(
            &expr.span,
            message,
            "wrong number of arguments",
            Some(&format!("`{}`: {}", function.usage, function.summary)),
        );
    }
    let call = Call {
        function,
        arguments,
        span: expr.span.clone(),
    };
    match function.name {
        "be1" | "be2" | "be3" | "be4" | "be5" | "be6" | "be7" | "be8" => {
            encode::big_endian(checker, &call)
        }
        "sbe1" | "sbe2" | "sbe4" | "sbe8" => encode::ordered(checker, &call),
        "ordered8" => encode::hbase_ordered(checker, &call),
        "f4" | "f8" | "of4" | "of8" => encode::double(checker, &call),
        "text" => encode::decimal_text(checker, &call),
        "lpad" => encode::pad_left(checker, &call),
        "rpad" => encode::pad_right(checker, &call),
        "nth" => nth::nth(checker, &call),
        "hex" | "upper" | "lower" | "reverse" | "reverse_bytes" | "reverse_domain" | "desc" => {
            text::map(checker, &call)
        }
        "left" | "right" => text::end(checker, &call),
        "substr" => text::substr(checker, &call),
        "md5" | "md5_bytes" | "sha1" | "sha1_bytes" | "sha256" | "sha256_bytes" | "sha512"
        | "sha512_bytes" => hash::digest(checker, &call),
        "murmur3" | "murmur3_128" | "crc32" | "fnv1_32" | "fnv1a_32" | "fnv1a_64" | "java_hash" => {
            hash::number(checker, &call)
        }
        "salt" | "salt2" => hash::salt(checker, &call),
        "bucket" => hash::bucket(checker, &call),
        "pmod" => arithmetic::pmod(checker, &call),
        "abs" | "abs32" | "bit_reverse" | "bit_reverse64" => arithmetic::unary(checker, &call),
        "random" | "round_robin" => arithmetic::unknown_to_readers(checker, &call),
        "trunc" => time::trunc(checker, &call),
        "to_char" => time::to_char(checker, &call),
        "rev_ts" => time::rev_ts(checker, &call),
        "uuid4" => identifiers::uuid4(checker),
        "uuid7" | "ulid" | "ksuid" => identifiers::time_led(checker, &call),
        "snowflake" => identifiers::snowflake(checker, &call),
        "z2" | "z3" => identifiers::morton(checker, &call),
        _ => None,
    }
}

impl Call<'_> {
    /// The argument as an integer.
    fn int(&self, checker: &mut Checker<'_>, at: usize) -> Option<(IntCode, Facts)> {
        let argument = &self.arguments[at];
        let typed = checker.check(argument)?;
        match typed.code {
            Code::Int(code) => Some((code, typed.facts)),
            _ => {
                let help = format!("`{}`: {}", self.function.usage, self.function.summary);
                checker.wrong_type(&argument.span, typed.value_type(), "int", Some(&help))
            }
        }
    }

    /// The argument as text or bytes.
    fn bytes(&self, checker: &mut Checker<'_>, at: usize) -> Option<Bytes> {
        let argument = &self.arguments[at];
        let typed = checker.check(argument)?;
        let value_type = typed.value_type();
        if let Some(bytes) = Bytes::from_typed(typed) {
            return Some(bytes);
        }
        let written = checker.written(&argument.span);
        let help = format!("make text of it first: `text({written})` or `lpad({written}, n)`");
        checker.wrong_type(&argument.span, value_type, "text or bytes", Some(&help))
    }

    /// The argument as text or bytes; integers as their decimal text.
    fn hashable(&self, checker: &mut Checker<'_>, at: usize) -> Option<Bytes> {
        checker.hashing += 1;
        let typed = checker.check(&self.arguments[at]);
        checker.hashing -= 1;
        let typed = typed?;
        let value_type = typed.value_type();
        match decimal(typed) {
            Some(bytes) => Some(bytes),
            None => checker.wrong_type(
                &self.arguments[at].span,
                value_type,
                "int, text or bytes",
                Some("encode doubles first: `f8(x)`"),
            ),
        }
    }

    /// The argument as an integer that is the same in every record.
    fn constant(&self, checker: &mut Checker<'_>, at: usize) -> Option<i64> {
        let (code, _) = self.int(checker, at)?;
        match code.op {
            IntOp::Const(value) => Some(value),
            _ => {
                let help = format!("`{}`: {}", self.function.usage, self.function.summary);
                let written = checker.written(&self.arguments[at].span);
                checker.error(
                    &self.arguments[at].span,
                    format!("`{written}` is not a constant"),
                    "expected a number or a parameter",
                    Some(&help),
                )
            }
        }
    }

    /// The argument as a constant within a range.
    fn constant_within(
        &self,
        checker: &mut Checker<'_>,
        at: usize,
        low: i64,
        high: i64,
        what: &str,
    ) -> Option<i64> {
        let value = self.constant(checker, at)?;
        if (low..=high).contains(&value) {
            return Some(value);
        }
        let message = format!(
            "{what} of `{}` is {value}, expected {low} to {high}",
            self.function.name
        );
        checker.error(
            &self.arguments[at].span,
            message,
            "out of range",
            Some(&format!(
                "`{}`: {}",
                self.function.usage, self.function.summary
            )),
        )
    }

    /// The argument as a literal text.
    fn literal_text<'b>(
        &'b self,
        checker: &mut Checker<'_>,
        at: usize,
        what: &str,
    ) -> Option<&'b str> {
        match &self.arguments[at].kind {
            ExprKind::Text(text) => Some(text),
            _ => {
                let message = format!("{what} of `{}` is not a literal text", self.function.name);
                checker.error(
                    &self.arguments[at].span,
                    message,
                    "expected 'text' in quotes",
                    Some(&format!(
                        "`{}`: {}",
                        self.function.usage, self.function.summary
                    )),
                )
            }
        }
    }

    /// Refuses an integer argument that leaves a range.
    fn require(
        &self,
        checker: &mut Checker<'_>,
        at: usize,
        found: Interval,
        low: i64,
        high: i64,
        help: &str,
    ) -> Option<()> {
        if found.within(low, high) {
            return Some(());
        }
        let written = checker.written(&self.arguments[at].span);
        let message = format!(
            "`{written}` takes {found}, but `{}` holds {low} to {high} there",
            self.function.name
        );
        checker.error(
            &self.arguments[at].span,
            message,
            &format!("takes {found}"),
            Some(help),
        )
    }
}

#[cfg(test)]
#[path = "functions_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "claims_tests.rs"]
mod claims_tests;
