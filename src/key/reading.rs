//! What a reader can make of each segment of a key: is it known, does it follow a field, which values can it take. Must not know
//! what a read costs.

use super::code::{
    BytesCode, Coordinate, DigestForm, DoubleCode, IntCode, IntEncoding, IntOp, Transform,
};
use super::derivation::Derivation;
use super::execute::Input;
use super::grain::{self, Grain, View};
use super::interval::Interval;
use super::knowledge::Knowledge;
use super::node::Node;
use super::plan::{KeyPlan, Row};
use super::reach;
use super::trend::{self, Trend};
use super::typed::Spread;
use crate::record::{DerivedId, FieldId};

/// A segment whose draw has been given a value.
#[derive(Debug, Clone)]
pub struct DrawnSegment(BytesCode);

impl DrawnSegment {
    /// Appends its bytes.
    pub fn write(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        self.0.run(
            &Input {
                row: *row,
                digests: &[],
            },
            out,
        );
    }
}

/// A digest of so many bytes tells apart whatever it is made of.
const TELLING_DIGEST: usize = 8;

impl KeyPlan {
    /// Is the segment known to a reader who knows these fields?
    pub fn is_known(&self, segment: usize, known: &Knowledge) -> bool {
        let facts = &self.segments()[segment].facts;
        facts.spread != Spread::Random && facts.needs.met(known)
    }

    /// Appends the segment's bytes of a row.
    #[inline]
    pub fn write_segment(&self, segment: usize, row: &Row<'_>, out: &mut Vec<u8>) {
        let input = Input {
            row: *row,
            digests: &[],
        };
        self.segments()[segment].code.run(&input, out);
    }

    /// How the segment follows a field while its other fields stay. It has one length then.
    pub fn trend(&self, segment: usize, field: FieldId) -> Option<Trend> {
        let segment = &self.segments()[segment];
        trend::of_bytes(&segment.code, field, self.schema())
    }

    /// For an identifier that leads with time (`uuid7`): so many leading bytes are known to a reader who knows its fields.
    pub fn known_lead(&self, segment: usize, known: &Knowledge) -> Option<usize> {
        let segment = &self.segments()[segment];
        // 48 bits of milliseconds; ten characters of five bits; 32 bits of seconds.
        let length = match segment.code {
            BytesCode::Uuid7 { .. } => 6,
            BytesCode::Ulid { .. } => 10,
            BytesCode::Ksuid { .. } => 4,
            _ => return None,
        };
        segment.facts.needs.met(known).then_some(length)
    }

    /// Fields that the segment tells: different values of one give different bytes, whatever the others are.
    pub fn told_fields(&self, segment: usize) -> Vec<FieldId> {
        let mut fields = Vec::new();
        told(&self.segments()[segment].code, &mut fields);
        fields.sort_unstable();
        fields.dedup();
        fields
    }

    /// Fields that these segments tell: each those of its own, and both together a number whose quotient and remainder they are
    /// (`n / 2` and `n % 2`).
    pub fn told_together(&self, segments: impl Iterator<Item = usize> + Clone) -> Vec<FieldId> {
        let mut fields: Vec<FieldId> = segments
            .clone()
            .flat_map(|segment| self.told_fields(segment))
            .collect();
        let (mut quotients, mut remainders) = (Vec::new(), Vec::new());
        for segment in segments {
            let code = &self.segments()[segment].code;
            find_parts(code, &mut quotients, &mut remainders);
        }
        for (field, step) in quotients {
            // So many values in a row leave different remainders.
            if remainders
                .iter()
                .any(|(other, modulus)| *other == field && *modulus >= step)
            {
                fields.push(field);
            }
        }
        fields.sort_unstable();
        fields.dedup();
        fields
    }

    /// All bytes that the segment can be (and perhaps more), ascending, when it is made of hashes, remainders, draws and constants and they
    /// are not too many.
    pub fn segment_values(&self, segment: usize) -> Option<Vec<Vec<u8>>> {
        let mut values = reach::bytes_values(&self.segments()[segment].code)?;
        values.sort_unstable();
        values.dedup();
        Some(values)
    }

    /// The segment for each value of its draw, when all else in it is known, it has one draw, and that at most `most` values.
    pub fn drawn(&self, segment: usize, known: &Knowledge, most: u64) -> Option<Vec<DrawnSegment>> {
        let segment = &self.segments()[segment];
        if segment.facts.spread != Spread::Random || !segment.facts.needs.met(known) {
            return None;
        }
        let mut draws = Vec::new();
        find_draws(Node::Bytes(&segment.code), &mut draws);
        let [Some(values)] = draws[..] else {
            return None;
        };
        (values <= most).then(|| {
            let given = |value| {
                let mut code = segment.code.clone();
                give_draw(&mut code, value);
                DrawnSegment(code)
            };
            (0..values as i64).map(given).collect()
        })
    }

    /// Where the coarse uses of a number field in these segments change; `None` when there are none.
    pub fn grain(&self, segments: std::ops::Range<usize>, field: FieldId) -> Option<Grain> {
        let mut views = Vec::new();
        for segment in &self.segments()[segments] {
            grain::views(Node::Bytes(&segment.code), field, self.schema(), &mut views);
        }
        (!views.is_empty()).then(|| Grain::new(field, views))
    }

    /// Does the segment use the field in coarse steps only?
    pub fn is_coarse(&self, segment: usize, field: FieldId) -> bool {
        let code = &self.segments()[segment].code;
        grain::views(Node::Bytes(code), field, self.schema(), &mut Vec::new())
    }

    /// The steps of one segment that follows the field.
    pub fn segment_grain(&self, segment: usize, field: FieldId) -> Option<Grain> {
        let view = match &self.segments()[segment].code {
            BytesCode::Uuid7 { millis: time, .. }
            | BytesCode::Ulid { millis: time, .. }
            | BytesCode::Ksuid { seconds: time, .. } => View::Int((**time).clone()),
            code => View::Bytes(code.clone()),
        };
        view.node()
            .is_of(field)
            .then(|| Grain::new(field, vec![view]))
    }

    /// A derived field of the scenario; `None` if its expression can't be compiled.
    pub fn derivation(&self, field: DerivedId) -> Option<&Derivation> {
        self.derivations.get(usize::from(field.0))?.as_ref()
    }
}

fn told(code: &BytesCode, fields: &mut Vec<FieldId>) {
    match code {
        BytesCode::Field(slot, _) => fields.push(FieldId(*slot as u16)),
        BytesCode::Int(encoding, value) => {
            if !matches!(encoding, IntEncoding::Calendar(..)) {
                told_int(value, fields);
            }
        }
        BytesCode::Double(_, value) => {
            if let DoubleCode::Slot(slot) = **value {
                fields.push(FieldId(slot as u16));
            }
        }
        BytesCode::Map(transform, of) => match transform {
            Transform::ReverseBytes
            | Transform::ReverseChars
            | Transform::ReverseDomain
            | Transform::Invert
            | Transform::Hex
            | Transform::PadLeft { .. }
            | Transform::PadRight { .. }
            | Transform::Sha1(_)
            | Transform::Sha256(_)
            | Transform::Sha512(_) => told(of, fields),
            // Hexadecimal digits keep apart.
            Transform::Upper if matches!(**of, BytesCode::Md5 { .. }) => told(of, fields),
            _ => {}
        },
        BytesCode::Md5 { form, keep, of, .. } => {
            let bytes = match form {
                DigestForm::Raw => *keep,
                DigestForm::Hex => keep / 2,
            };
            if bytes >= TELLING_DIGEST {
                told(of, fields);
            }
        }
        // Where one part ends is not known unless it has one width; ambiguities inside hashes are not worth a distinction.
        BytesCode::Concat(parts) => parts.iter().for_each(|part| told(part, fields)),
        BytesCode::Morton(coordinates) => {
            for coordinate in coordinates {
                if let Coordinate::Cell(value) = coordinate {
                    told_int(value, fields);
                }
            }
        }
        BytesCode::Literal(_)
        | BytesCode::Uuid4 { .. }
        | BytesCode::Uuid7 { .. }
        | BytesCode::Ulid { .. }
        | BytesCode::Ksuid { .. } => {}
    }
}

fn told_int(code: &IntCode, fields: &mut Vec<FieldId>) {
    if let IntOp::Add(a, b) = &code.op
        && let Some((large, small)) = digits(a, b).or_else(|| digits(b, a))
    {
        told_int(large, fields);
        told_int(small, fields);
        return;
    }
    let mut slots = Vec::new();
    Node::Int(code).slots(&mut slots);
    let [field] = slots[..] else {
        return;
    };
    if trend::of_int(code, field).is_some_and(|trend| trend.exact) {
        fields.push(field);
    } else if let IntOp::BitReverse63(of) | IntOp::BitReverse64(of) = &code.op {
        told_int(of, fields);
    }
}

/// Quotients and remainders of not negative fields by constants, where the bytes tell them.
fn find_parts(
    code: &BytesCode,
    quotients: &mut Vec<(FieldId, i64)>,
    remainders: &mut Vec<(FieldId, i64)>,
) {
    let mut add = |a: &IntCode, b: &IntCode, parts: bool| {
        if let (IntOp::Slot(slot), Some(by)) = (&a.op, b.range.single())
            && a.range.low >= 0
            && by > 0
        {
            let part = (FieldId(*slot as u16), by);
            if parts {
                quotients.push(part);
            } else {
                remainders.push(part);
            }
        }
    };
    match code {
        BytesCode::Int(encoding, value) if !matches!(encoding, IntEncoding::Calendar(..)) => {
            match &value.op {
                IntOp::Divide(a, b) => add(a, b, true),
                IntOp::Remainder(a, b) | IntOp::Pmod(a, b) => add(a, b, false),
                _ => {}
            }
        }
        BytesCode::Concat(parts) => {
            for part in parts {
                find_parts(part, quotients, remainders);
            }
        }
        _ => {}
    }
}

/// Two digits of a number, `x * base + y` with fewer values of y in a row than the base: x and y.
fn digits<'a>(a: &'a IntCode, b: &'a IntCode) -> Option<(&'a IntCode, &'a IntCode)> {
    let IntOp::Multiply(x, base) = &a.op else {
        return None;
    };
    let (x, base) = match (x.range.single(), base.range.single()) {
        (_, Some(base)) => (x, base),
        (Some(x), _) => (base, x),
        _ => return None,
    };
    let width = b.range.high.checked_sub(b.range.low)?;
    (a.range != Interval::ALL && width < base).then_some((x, b))
}

/// How many values each draw of the code has.
fn find_draws(node: Node<'_>, draws: &mut Vec<Option<u64>>) {
    match node {
        Node::Int(IntCode {
            op: IntOp::Random { values, .. } | IntOp::RoundRobin { values },
            ..
        }) => draws.push(Some(*values)),
        Node::Bytes(
            BytesCode::Uuid4 { .. }
            | BytesCode::Uuid7 { .. }
            | BytesCode::Ulid { .. }
            | BytesCode::Ksuid { .. },
        ) => draws.push(None),
        _ => node.operands(&mut |operand| find_draws(operand, draws)),
    }
}

/// Makes a constant of the only draw.
fn give_draw(code: &mut BytesCode, value: i64) {
    code.each_int(&mut |code| {
        if let IntOp::Random { .. } | IntOp::RoundRobin { .. } = code.op {
            code.op = IntOp::Const(value);
        }
    });
}

#[cfg(test)]
#[path = "reading_tests.rs"]
mod tests;
