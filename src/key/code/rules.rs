//! What is known of a value, from its operation and what is known of its operands: worked out once, when code is made.

use super::facts::{Drawn, Facts, Randomness, Trend, union};
use super::tree::{BytesCode, BytesOp, IntCode, IntOp};
use crate::key::formats::{Digest, DigestForm, Transform};
use crate::key::values::{ByteShape, Interval, Operator};
use crate::record::FieldId;

/// A digest of so many bytes tells apart whatever it is made of.
const INJECTIVE_DIGEST: usize = 8;

impl IntCode {
    /// An operation on integers, or on none.
    pub fn new(op: IntOp, ints: Vec<Self>, range: Interval) -> Self {
        Self::of(op, ints, Vec::new(), range)
    }

    /// A hash of bytes.
    pub fn hash(op: IntOp, bytes: BytesCode, range: Interval) -> Self {
        Self::of(op, Vec::new(), vec![bytes], range)
    }

    /// A constant.
    pub fn constant(value: i64) -> Self {
        Self::new(IntOp::Const(value), Vec::new(), Interval::one(value))
    }

    /// The value of a record's slot.
    pub fn slot(slot: usize, range: Interval, mut facts: Facts) -> Self {
        facts.limit(range.count());
        Self {
            op: IntOp::Slot(slot),
            ints: Vec::new(),
            bytes: Vec::new(),
            range,
            facts,
        }
    }

    fn of(op: IntOp, ints: Vec<Self>, bytes: Vec<BytesCode>, range: Interval) -> Self {
        let operands = ints.iter().map(|int| &int.facts);
        let mut facts = Facts::of_all(operands.chain(bytes.iter().map(|bytes| &bytes.facts)));
        match op {
            IntOp::Random { values, .. } | IntOp::RoundRobin { values } => {
                draw(&mut facts, Drawn::Once(values));
            }
            IntOp::Hash(_) | IntOp::Salt(_) => {
                facts.randomness = facts.randomness.max(Randomness::Hashed);
            }
            _ => {}
        }
        facts.limit(range.count());
        let follow = facts.fields.iter();
        facts.trends = follow
            .map(|field| int_trend(op, &ints, range, *field))
            .collect();
        facts.injective = int_injective(op, &ints, &facts);
        Self {
            op,
            ints,
            bytes,
            range,
            facts,
        }
    }
}

impl BytesCode {
    /// Constant bytes.
    pub fn literal(bytes: &[u8]) -> Self {
        let op = BytesOp::Literal(bytes.into());
        Self::of(op, Vec::new(), Vec::new(), &ByteShape::literal(bytes))
    }

    /// Bytes of integers, or of none.
    pub fn new(op: BytesOp, ints: Vec<IntCode>, shape: &ByteShape) -> Self {
        Self::of(op, ints, Vec::new(), shape)
    }

    /// Bytes of other bytes.
    pub fn of_bytes(op: BytesOp, bytes: Vec<Self>, shape: &ByteShape) -> Self {
        Self::of(op, Vec::new(), bytes, shape)
    }

    /// The text or bytes of a field.
    pub fn field(op: BytesOp, shape: &ByteShape, mut facts: Facts) -> Self {
        facts.limit(shape.count().map_or(u128::MAX, u128::from));
        Self {
            facts,
            ..Self::of(op, Vec::new(), Vec::new(), shape)
        }
    }

    fn of(op: BytesOp, ints: Vec<IntCode>, bytes: Vec<Self>, shape: &ByteShape) -> Self {
        let operands = ints.iter().map(|int| &int.facts);
        let mut facts = Facts::of_all(operands.chain(bytes.iter().map(|bytes| &bytes.facts)));
        let relied_on = match op {
            BytesOp::Field(..) => false,
            BytesOp::Digest { .. } => true,
            _ => bytes.iter().all(|bytes| bytes.width.is_some()),
        };
        match op {
            BytesOp::Identifier { .. } => draw(&mut facts, Drawn::More),
            BytesOp::Digest { .. } => facts.randomness = facts.randomness.max(Randomness::Hashed),
            _ => {}
        }
        facts.limit(shape.count().map_or(u128::MAX, u128::from));
        let follow = facts.fields.iter();
        facts.trends = follow
            .map(|field| bytes_trend(&op, &ints, &bytes, *field))
            .collect();
        facts.injective = bytes_injective(&op, &ints, &bytes);
        Self {
            op,
            ints,
            bytes,
            width: shape.fixed().filter(|_| relied_on),
            facts,
        }
    }
}

fn draw(facts: &mut Facts, drawn: Drawn) {
    facts.randomness = Randomness::Random;
    facts.drawn = drawn;
    facts.cardinality = None;
}

/// How an integer follows a field that it is made of.
fn int_trend(op: IntOp, ints: &[IntCode], range: Interval, field: FieldId) -> Option<Trend> {
    if range == Interval::ALL {
        // It may have wrapped.
        return None;
    }
    let trend = |at: usize| ints[at].facts.trend(field);
    match op {
        IntOp::Binary(operator) => {
            let [x, y] = [0, 1].map(|at| ints[at].facts.mention(field));
            let [a, b] = [0, 1].map(|at| ints[at].range);
            match operator {
                Operator::Add => sum(x, y, trend(0), trend(1)),
                Operator::Subtract => sum(x, y, trend(0), trend(1).map(Trend::flip)),
                Operator::Multiply if x && y => None,
                Operator::Multiply => {
                    let (varies, factor) = if x { (trend(0), b) } else { (trend(1), a) };
                    match factor {
                        Interval { low: 1.., .. } => varies,
                        Interval { high: ..0, .. } => varies.map(Trend::flip),
                        _ => None,
                    }
                }
                Operator::Divide if y || b.low <= 0 => None,
                Operator::Divide if b.single() == Some(1) => trend(0),
                Operator::Divide => trend(0).map(Trend::coarse),
                // A remainder that changes nothing.
                Operator::Remainder | Operator::Pmod => b
                    .single()
                    .filter(|n| a.within(0, n.saturating_sub(1)))
                    .and(trend(0)),
            }
        }
        IntOp::Floor(1) => trend(0),
        IntOp::Floor(_) => trend(0).map(Trend::coarse),
        IntOp::Snowflake if !ints[1..].iter().any(|part| part.facts.mention(field)) => trend(0),
        _ => None,
    }
}

/// How a sum follows a field that one of its sides, or both, are made of.
fn sum(in_a: bool, in_b: bool, a: Option<Trend>, b: Option<Trend>) -> Option<Trend> {
    match (in_a, in_b) {
        (true, false) => a,
        (false, true) => b,
        _ => a?.then(b?),
    }
}

fn int_injective(op: IntOp, ints: &[IntCode], facts: &Facts) -> Vec<FieldId> {
    if let (IntOp::Binary(Operator::Add), [a, b]) = (op, ints)
        && let Some((high, low)) = digits(a, b).or_else(|| digits(b, a))
    {
        return union(&high.facts.injective, &low.facts.injective);
    }
    let ([_], [trend]) = (&facts.fields[..], &facts.trends[..]) else {
        return Vec::new();
    };
    match op {
        _ if trend.is_some_and(|trend| trend.exact) => facts.fields.clone(),
        IntOp::BitReverse63 | IntOp::BitReverse64 => ints[0].facts.injective.clone(),
        _ => Vec::new(),
    }
}

/// The two digits of a number, `x * base + y` with fewer values of y in a row than the base: x and y.
fn digits<'a>(product: &'a IntCode, y: &'a IntCode) -> Option<(&'a IntCode, &'a IntCode)> {
    let (IntOp::Binary(Operator::Multiply), [a, b]) = (product.op, &product.ints[..]) else {
        return None;
    };
    let (x, base) = match (a.range.single(), b.range.single()) {
        (_, Some(base)) => (a, base),
        (Some(base), None) => (b, base),
        (None, None) => return None,
    };
    let width = y.range.high.checked_sub(y.range.low)?;
    (product.range != Interval::ALL && width < base).then_some((x, y))
}

/// How bytes follow a field that they are made of. They have one length then for all its values.
fn bytes_trend(
    op: &BytesOp,
    ints: &[IntCode],
    bytes: &[BytesCode],
    field: FieldId,
) -> Option<Trend> {
    match op {
        BytesOp::Encode(encoding) => {
            let trend = ints[0].facts.trend(field)?;
            let kept = if encoding.is_exact() {
                trend
            } else {
                trend.coarse()
            };
            encoding.keeps_order(ints[0].range).then_some(kept)
        }
        BytesOp::Map(transform) => {
            let trend = bytes[0].facts.trend(field)?;
            match transform {
                Transform::Invert => Some(trend.flip()),
                Transform::Hex | Transform::PadLeft { .. } | Transform::PadRight { .. } => {
                    Some(trend)
                }
                Transform::Substr {
                    position: 0 | 1, ..
                } => Some(trend.coarse()),
                _ => None,
            }
        }
        BytesOp::Concat => {
            let mut trend: Option<Trend> = None;
            for part in bytes.iter().filter(|part| part.facts.mention(field)) {
                let next = part.facts.trend(field);
                trend = match trend {
                    None => Some(next?),
                    // What follows decides nothing any more.
                    Some(before) if before.exact => break,
                    Some(before) => Some(before.then(next?)?),
                };
            }
            trend
        }
        BytesOp::Identifier { .. } => ints[0].facts.trend(field),
        _ => None,
    }
}

fn bytes_injective(op: &BytesOp, ints: &[IntCode], bytes: &[BytesCode]) -> Vec<FieldId> {
    let injective = match op {
        BytesOp::Encode(encoding) => encoding.is_exact(),
        BytesOp::Map(Transform::Upper) => {
            // Hexadecimal digits stay apart.
            let md5 = |of: &BytesCode| {
                matches!(
                    of.op,
                    BytesOp::Digest {
                        digest: Digest::Md5,
                        ..
                    }
                )
            };
            bytes.iter().all(md5)
        }
        BytesOp::Map(Transform::Substr { .. } | Transform::Lower) => false,
        BytesOp::Digest { form, keep, .. } => match form {
            DigestForm::Raw => *keep >= INJECTIVE_DIGEST,
            DigestForm::Hex => keep / 2 >= INJECTIVE_DIGEST,
        },
        BytesOp::Identifier { .. } => false,
        // Where one part ends is not known unless it has one width; ambiguities inside hashes are not worth a distinction.
        _ => true,
    };
    let operands = ints.iter().map(|int| &int.facts);
    let operands = operands.chain(bytes.iter().map(|bytes| &bytes.facts));
    let told = operands.filter(|_| injective);
    told.fold(Vec::new(), |all, facts| union(&all, &facts.injective))
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
