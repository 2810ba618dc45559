//! What a reader who knows the beginning of a text, such as its first two letters, knows of a key: how far a segment is known that is made of the text. Must
//! not know requests.

use super::code::{Code, Op};
use super::formats::{Encoding, Transform};
use super::knowledge::{Knowledge, Needs};
use super::plan::{Derivation, KeyPlan};
use super::segment::Segment;
use crate::record::DerivedId;
use std::cmp::Reverse;
use std::{iter, ptr, slice};

/// The bytes that are reversed, or those that are not.
fn unturned(code: &Code) -> (&Code, bool) {
    match code.op {
        Op::Map(Transform::ReverseBytes | Transform::ReverseChars) => (&code.operands[0], true),
        _ => (code, false),
    }
}

/// What some code is the beginning of or, `true`, the end, and of how many characters; most is all of itself.
fn beginning(code: &Code) -> (&Code, bool, usize) {
    let Op::Map(Transform::Substr {
        position, count, ..
    }) = code.op
    else {
        let (of, is_turned) = unturned(code);
        return (of, is_turned, usize::MAX);
    };
    let (of, is_turned) = unturned(&code.operands[0]);
    let from_end = usize::try_from(position.unsigned_abs()).unwrap_or(usize::MAX);
    match position {
        0 | 1 => (of, is_turned, count),
        ..0 if from_end <= count => (of, !is_turned, from_end),
        _ => (code, false, usize::MAX),
    }
}

/// Both make the same of every record.
fn are_same(a: &Code, b: &Code) -> bool {
    let op = match (&a.op, &b.op) {
        (Op::Field(a, _), Op::Field(b, _)) | (Op::Slot(a), Op::Slot(b)) => a == b,
        (Op::Literal(a), Op::Literal(b)) => a == b,
        (Op::Map(a), Op::Map(b)) => a == b,
        (Op::Encode(Encoding::Decimal), Op::Encode(Encoding::Decimal))
        | (Op::Concat, Op::Concat)
        | (Op::Morton, Op::Morton) => true,
        (
            Op::Cell { limit, bits },
            Op::Cell {
                limit: of,
                bits: most,
            },
        ) => limit == of && bits == most,
        _ => false,
    };
    let mut operands = a.operands.iter().zip(&b.operands);
    op && a.operands.len() == b.operands.len() && operands.all(|(a, b)| are_same(a, b))
}

/// What a reader knows of a text: it is a derived field of that name, or a part of one.
#[derive(Clone, Copy)]
struct KnownText<'a> {
    name: &'a str,
    code: &'a Code,
}

impl<'a> KnownText<'a> {
    /// The parts of a field whose places in it are known.
    fn of(field: &'a Derivation) -> impl Iterator<Item = Self> {
        let parts = match (&field.code.op, &field.code.operands[..]) {
            (Op::Concat, [first @ .., _]) if first.iter().all(|it| it.shape.fixed().is_some()) => {
                &field.code.operands[..]
            }
            _ => slice::from_ref(&field.code),
        };
        let name = field.name();
        parts.iter().map(move |code| Self { name, code })
    }
}

/// How many characters of what some code is the beginning of are known to one who knows another one. Letters in another case, and what fills a text up to a width,
/// follow from those that are known.
fn known_characters(code: &Code, known: &Code) -> Option<usize> {
    let [(own, is_end, _), (other, of_end, count)] = [code, known].map(beginning);
    let mut texts = iter::successors(Some(own), |of| match of.op {
        Op::Map(Transform::PadRight { .. }) if is_end => None,
        Op::Map(Transform::PadRight { .. } | Transform::Lower | Transform::Upper) => {
            of.operands.first()
        }
        _ => None,
    });
    (is_end == of_end && texts.any(|own| are_same(own, other))).then_some(count)
}

/// The code is made of nothing but what is known.
fn is_told(code: &Code, known: &Knowledge, fields: &[KnownText<'_>]) -> bool {
    let (.., most) = beginning(code);
    let mut counts = fields
        .iter()
        .filter_map(|it| known_characters(code, it.code));
    let mut operands = code.operands.iter();
    code.facts.needs.met(known)
        || counts.any(|count| count >= most)
        || !code.operands.is_empty() && operands.all(|it| is_told(it, known, fields))
}

/// The segment for one who knows so much more of it: in two parts, the first of which is known, or all of it.
fn cut(segment: &Segment, known: &Knowledge, fields: &[KnownText<'_>]) -> Option<Vec<Segment>> {
    let told = |mut code: Code, field: Option<&KnownText<'_>>| {
        code.facts.needs = Needs::NOTHING;
        let derived = field.map(|it| it.name.to_owned());
        let derived = derived.or(segment.derived.clone());
        Segment {
            derived,
            code,
            ..segment.clone()
        }
    };
    let code = &segment.code;
    let (of, _, most) = beginning(code);
    let counts = fields.iter().filter_map(|field| {
        let count = known_characters(code, field.code)?;
        (count <= most).then_some((field, count))
    });
    let longest = counts.max_by_key(|(_, count)| *count);
    if is_told(code, known, fields) {
        let own = longest.filter(|(_, count)| *count == most);
        return Some(vec![told(code.clone(), own.map(|(field, _)| field))]);
    }
    let whole = match code.op {
        Op::Map(Transform::Substr {
            position: 0 | 1, ..
        }) => &code.operands[0],
        _ => code,
    };
    let (of_whole, _, all) = beginning(whole);
    match longest {
        Some((field, count)) if ptr::eq(of_whole, of) && all == usize::MAX => {
            let [head, mut rest] = [(1, count), (count as i64 + 1, most - count)]
                .map(|(position, count)| whole.clone().cut(position, count));
            // Beside the beginning it tells what both do.
            (rest.facts.told, rest.facts.are_told) = (code.facts.told.clone(), code.facts.are_told);
            let rest = Segment {
                derived: None,
                is_rest: true,
                code: rest,
                ..segment.clone()
            };
            Some(vec![told(head, Some(field)), rest])
        }
        _ => None,
    }
}

impl KeyPlan {
    /// Does a known derived field follow from another one that is known: of the same text, a longer beginning?
    pub fn is_shorter(&self, field: DerivedId, known: &Knowledge) -> bool {
        let length = |of: DerivedId| {
            let (own, other) = (self.derivation(field)?, self.derivation(of)?);
            Some((known_characters(&own.code, &other.code)?, Reverse(of)))
        };
        let others = known.derived().iter().filter_map(|it| length(*it));
        length(field).is_some_and(|own| others.max() > Some(own))
    }

    /// The same key, cut where the knowledge of one ends who knows derived fields that are beginnings of texts; `None` where that cuts nothing.
    pub fn cut_where_known(&self, known: &Knowledge) -> Option<Self> {
        let is_beginning = |it: &&Derivation| {
            let last = KnownText::of(it).last();
            let is_part =
                last.is_some_and(|it| matches!(it.code.op, Op::Map(Transform::Substr { .. })));
            let mut fields = it.fields().iter();
            is_part && it.follows().is_none() && !fields.all(|field| known.knows(*field))
        };
        let fields = known.derived().iter().filter_map(|it| self.derivation(*it));
        let fields = fields.filter(is_beginning).flat_map(KnownText::of);
        let fields: Vec<_> = fields.collect();
        let segments = (0..).zip(self.segments());
        let mut is_cut = false;
        let segments = segments.flat_map(|(at, segment)| {
            let unknown = (!self.is_known(at, known)).then_some(segment);
            let parts = unknown.and_then(|it| cut(it, known, &fields));
            is_cut |= parts.is_some();
            parts.unwrap_or_else(|| vec![segment.clone()])
        });
        let segments = segments.collect();
        is_cut.then(|| self.with_segments(segments))
    }
}

#[cfg(test)]
#[path = "known_beginnings_tests.rs"]
mod tests;
