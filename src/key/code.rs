//! Compiled sub-expressions and what is known of their values, worked out once, bottom up, when code is made. Must not hold anything
//! that could fail, nor know how it was written.

use super::digit::{Digit, Line};
use super::formats::{Digest, DigestForm, Encoding, IntHash, Transform};
use super::knowledge::{Knowledge, Needs};
use super::operator::Operator;
use crate::record::{ByteShape, Interval};
use crate::record::{FieldDomain, FieldId, FieldText, TimeUnit, ValueType};
use std::sync::Arc;

/// A digest of so many bytes tells apart whatever it is made of.
const INJECTIVE_DIGEST: usize = 8;

/// So does a hash with so many times as many values as it can be made of: of all of them one in twice as many meets another one.
const ROOM: u64 = 1_000;

/// A sub-expression: an operation, its operands, and what is known of its values.
#[derive(Debug, Clone)]
pub struct Code {
    pub op: Op,
    pub operands: Vec<Code>,
    pub value_type: ValueType,
    /// The values of an integer; of anything else it says nothing.
    pub range: Interval,
    /// What texts or bytes can be; of numbers it says nothing.
    pub shape: ByteShape,
    /// The bytes that it always writes for rows within the fields' domains. Of a field's text not even a fixed length is relied on.
    pub width: Option<usize>,
    pub facts: Facts,
}

/// How a value comes about: an integer, the bits of a double, or bytes. Arithmetic wraps.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    Const(i64),
    /// The record's slot.
    Slot(usize),
    /// Two operands; a divisor is never 0, a modulus is positive.
    Binary(Operator),
    /// Rounded down to a multiple of a positive step.
    Floor(i64),
    Abs,
    /// Java's `Math.abs(int)`.
    Abs32,
    /// The 63 low bits reversed.
    BitReverse63,
    BitReverse64,
    /// The bits of the double of an integer.
    ToDouble,
    /// The cell of a double within +- `limit`, which is cut into 2^bits cells.
    Cell {
        limit: f64,
        bits: u32,
    },
    /// A hash of bytes; whether they are text matters to Java's alone.
    Hash(IntHash),
    /// `|java_hash(bytes of x) % buckets|`
    Salt(i64),
    /// A draw below `values`; `skip` draws of the operation belong to others.
    Random {
        values: u64,
        skip: u32,
    },
    /// The operation's index within its write, modulo `values`.
    RoundRobin {
        values: u64,
    },
    /// Milliseconds, datacenter, worker and sequence.
    Snowflake,
    /// Constant bytes; texts are their UTF-8.
    Literal(Box<[u8]>),
    /// A field's text, from the record's slot.
    Field(usize, Arc<FieldText>),
    Encode(Encoding),
    Map(Transform),
    /// The first `keep` bytes of a digest's form.
    Digest {
        digest: Digest,
        form: DigestForm,
        keep: usize,
    },
    Concat,
    /// An identifier made for each write; `skip` draws of the operation belong to others.
    Identifier {
        kind: Identifier,
        skip: u32,
    },
    /// The Morton code of two or three cells.
    Morton,
}

/// An identifier made for each write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identifier {
    Uuid4,
    /// It leads with milliseconds.
    Uuid7,
    /// It leads with milliseconds.
    Ulid,
    /// It leads with seconds since [`Identifier::KSUID_EPOCH`].
    Ksuid,
}

impl Identifier {
    /// KSUID's epoch in seconds.
    pub const KSUID_EPOCH: i64 = 1_400_000_000;

    /// Twitter's snowflake epoch in milliseconds.
    pub const SNOWFLAKE_EPOCH: i64 = 1_288_834_974_657;

    /// The leading bytes that are its time.
    pub fn lead(self) -> usize {
        match self {
            Self::Uuid4 => 0,
            // 48 bits of milliseconds.
            Self::Uuid7 => 6,
            // Ten characters of five bits.
            Self::Ulid => 10,
            Self::Ksuid => 4,
        }
    }
}

/// How bytes follow a field while all else stays, compared as row keys are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trend {
    /// They grow with the field; otherwise they shrink.
    pub rising: bool,
    /// Different values of the field give different bytes.
    pub exact: bool,
}

impl Trend {
    /// That of the field itself.
    pub(super) const SAME: Self = Self {
        rising: true,
        exact: true,
    };

    pub(super) fn flip(self) -> Self {
        let rising = !self.rising;
        Self { rising, ..self }
    }

    /// That of something made of it, which may tell values apart no more.
    pub(super) fn kept(self, keeps: bool) -> Self {
        let exact = self.exact && keeps;
        Self { exact, ..self }
    }

    /// The trend of two things that both follow the field and stand one after another: the first decides.
    pub(super) fn then(self, next: Self) -> Option<Self> {
        let exact = self.exact || next.exact;
        (self.rising == next.rising).then_some(Self { exact, ..self })
    }
}

/// Whether values grow with the operations' time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    None,
    Rising,
    Falling,
}

impl Order {
    /// The other way round.
    fn flip(self) -> Self {
        match self {
            Self::None => Self::None,
            Self::Rising => Self::Falling,
            Self::Falling => Self::Rising,
        }
    }

    /// The order that is left after a change which keeps it or not.
    pub fn kept(self, keeps: bool) -> Self {
        if keeps { self } else { Self::None }
    }
}

/// How values spread over their range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Randomness {
    /// They spread as their fields' values do.
    Plain,
    /// A hash of fields: the same record, the same value.
    Hashed,
    /// Drawn or counted for each write: readers can't know it.
    Random,
}

/// What is drawn or counted for each write on the way to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawn {
    Nothing,
    /// One number below this.
    Once(u64),
    /// More than one number, or an identifier.
    More,
}

/// What is known of values, in whatever record, besides their type, range and shape.
#[derive(Debug, Clone)]
pub struct Facts {
    /// What they are made of, ascending.
    pub fields: Vec<FieldId>,
    /// How they follow each of these; `None`: in no order, or not known.
    pub trends: Vec<Option<Trend>>,
    /// Digits of fields of which different values give different ones, whatever the others are; ascending.
    pub told: Vec<Digit>,
    /// They are made of those digits and nothing else.
    pub are_told: bool,
    /// Set when an integer is a multiple of a digit, give or take a constant.
    pub line: Option<Line>,
    /// Whether they follow the operations' time. Which way they do matters to integers only, which are added up: `desc(x)` leaves it.
    pub order: Order,
    /// At most so many different values.
    pub cardinality: Option<u64>,
    /// Of something hashed: how many values there could be if enough others were hashed. `None` where that is more than a number holds.
    pub hash_space: Option<u64>,
    /// Set while an integer counts time. Of texts and bytes it means nothing: only the integer that they were made of had one.
    pub unit: Option<TimeUnit>,
    pub randomness: Randomness,
    pub drawn: Drawn,
    /// What a reader must know to know them, unless they are drawn.
    pub needs: Needs,
}

impl Facts {
    /// What is known of something made of all these, whatever it is: order, unit, trends and what tells fields apart are not.
    pub fn of_all<'a>(operands: impl Iterator<Item = &'a Code>) -> Self {
        let mut all = Self {
            fields: Vec::new(),
            trends: Vec::new(),
            told: Vec::new(),
            are_told: true,
            line: None,
            order: Order::None,
            cardinality: Some(1),
            hash_space: Some(1),
            unit: None,
            randomness: Randomness::Plain,
            drawn: Drawn::Nothing,
            needs: Needs::NOTHING,
        };
        for Code { facts: other, .. } in operands {
            all.fields = union(&all.fields, &other.fields);
            let product =
                |a: Option<u64>, b| a.zip(b).and_then(|(a, b): (_, u64)| a.checked_mul(b));
            all.cardinality = product(all.cardinality, other.cardinality);
            all.hash_space = product(all.hash_space, other.space());
            all.randomness = all.randomness.max(other.randomness);
            all.drawn = match (all.drawn, other.drawn) {
                (Drawn::Nothing, drawn) | (drawn, Drawn::Nothing) => drawn,
                _ => Drawn::More,
            };
            all.needs = all.needs.and(&other.needs);
        }
        all
    }

    /// What is known of a field's own values, before their range.
    pub fn of_field(field: FieldId, trend: Option<Trend>) -> Self {
        Self {
            fields: vec![field],
            trends: vec![trend],
            told: vec![Digit::whole(field)],
            needs: Needs::field(field),
            ..Self::of_all(std::iter::empty())
        }
    }

    /// Notes that there are at most `count` values.
    fn limit(&mut self, count: Option<u64>) {
        for most in [&mut self.cardinality, &mut self.hash_space] {
            *most = most.zip(count).map(|(a, b)| a.min(b)).or(*most).or(count);
        }
    }

    /// Among how many values these lie: as many as there are, or of something hashed those that there could be.
    ///
    /// Two different values have the same hash once in so many, however few values are hashed.
    pub fn space(&self) -> Option<u64> {
        match self.randomness {
            Randomness::Hashed => self.hash_space,
            Randomness::Plain | Randomness::Random => self.cardinality,
        }
    }

    fn draw(&mut self, drawn: Drawn) {
        self.randomness = Randomness::Random;
        self.drawn = drawn;
        self.cardinality = None;
    }

    /// How values follow the field.
    pub fn trend(&self, field: FieldId) -> Option<Trend> {
        let at = self.fields.binary_search(&field).ok()?;
        self.trends[at]
    }

    /// Are they made of the field?
    pub fn mention(&self, field: FieldId) -> bool {
        self.fields.binary_search(&field).is_ok()
    }

    /// Are they made of this field and nothing else?
    pub fn are_of(&self, field: FieldId) -> bool {
        self.fields == [field] && self.drawn == Drawn::Nothing
    }
}

/// All fields of both, ascending.
fn union(a: &[FieldId], b: &[FieldId]) -> Vec<FieldId> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

impl Code {
    /// Are its values known to whoever knows those of other codes?
    pub(super) fn follows_from(&self, others: &[&Self]) -> bool {
        // Bytes of an integer tell it, but for parts of a date.
        let tells = |of: &Self| {
            let is_whole = matches!(&of.op, Op::Encode(encoding) if encoding.is_whole());
            is_whole && of.operands[0].is_same(self)
        };
        let is_told = |of: &&Self| of.is_same(self) || tells(of);
        let Facts { fields, drawn, .. } = &self.facts;
        *drawn == Drawn::Nothing
            && (fields.is_empty()
                || others.iter().any(is_told)
                || !self.operands.is_empty()
                    && self.operands.iter().all(|of| of.follows_from(others)))
    }

    /// Of the same rows they are always the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let mut operands = self.operands.iter().zip(&other.operands);
        let are_as_many = self.operands.len() == other.operands.len();
        self.op == other.op && are_as_many && operands.all(|(a, b)| a.is_same(b))
    }

    /// The integers of an operation.
    pub fn int(op: Op, operands: Vec<Self>, range: Interval) -> Self {
        Self::new(op, operands, ValueType::Int, range, ByteShape::literal(b""))
    }

    /// The integers of an operation on this.
    pub fn apply_int(self, op: Op, range: Interval) -> Self {
        Self::int(op, vec![self], range)
    }

    /// An integer constant.
    pub fn constant(value: i64) -> Self {
        Self::int(Op::Const(value), Vec::new(), Interval::one(value))
    }

    /// An integer as a double.
    pub fn into_double(self) -> Self {
        let (operands, none) = (vec![self], ByteShape::literal(b""));
        Self::new(
            Op::ToDouble,
            operands,
            ValueType::Double,
            Interval::ALL,
            none,
        )
    }

    /// What an operator makes of two integers.
    pub fn binary(operator: Operator, a: Self, b: Self) -> Self {
        if let Some((a, b)) = a.as_constant().zip(b.as_constant()) {
            return Self::constant(operator.of(a, b));
        }
        let range = operator.range(a.range, b.range);
        Self::int(Op::Binary(operator), vec![a, b], range)
    }

    /// The text or bytes of an operation.
    pub fn bytes(op: Op, operands: Vec<Self>, value_type: ValueType, shape: ByteShape) -> Self {
        Self::new(op, operands, value_type, Interval::ALL, shape)
    }

    /// The text or bytes of an operation on this.
    pub fn apply_bytes(self, op: Op, value_type: ValueType, shape: ByteShape) -> Self {
        Self::bytes(op, vec![self], value_type, shape)
    }

    /// A field's values, of which these facts are known.
    pub fn field(op: Op, domain: FieldDomain, facts: Facts) -> Self {
        let mut code = Self {
            op,
            operands: Vec::new(),
            value_type: domain.value_type,
            range: domain.range,
            shape: domain.shape,
            width: None,
            facts,
        };
        code.facts.limit(code.value_count());
        let own = code.facts.fields.first().copied().map(Line::of);
        code.facts.line = own.filter(|_| code.value_type == ValueType::Int);
        code
    }

    fn new(
        op: Op,
        operands: Vec<Self>,
        value_type: ValueType,
        range: Interval,
        shape: ByteShape,
    ) -> Self {
        let mut facts = Facts::of_all(operands.iter());
        match op {
            Op::Random { values, .. } | Op::RoundRobin { values } => {
                facts.draw(Drawn::Once(values))
            }
            Op::Identifier { .. } => facts.draw(Drawn::More),
            Op::Hash(_) | Op::Salt(_) | Op::Digest { .. } => {
                facts.randomness = facts.randomness.max(Randomness::Hashed);
                facts.hash_space = None;
            }
            _ => {}
        }
        let has_width = |operand: &Self| operand.is_number() || operand.width.is_some();
        let relied_on = matches!(op, Op::Digest { .. }) || operands.iter().all(has_width);
        let mut code = Self {
            op,
            operands,
            value_type,
            range,
            width: shape.fixed().filter(|_| relied_on),
            shape,
            facts,
        };
        code.facts.limit(code.value_count());
        code.facts.line = code.line();
        let follow = code.facts.fields.iter();
        code.facts.trends = follow.map(|field| code.trend(*field)).collect();
        (code.facts.told, code.facts.are_told) = code.told();
        (code.facts.order, code.facts.unit) = code.order_and_unit();
        code
    }

    /// An integer or a double.
    pub fn is_number(&self) -> bool {
        matches!(self.value_type, ValueType::Int | ValueType::Double)
    }

    pub fn is_text(&self) -> bool {
        self.value_type == ValueType::Text
    }

    /// The value of an integer that was written as a constant.
    pub fn as_constant(&self) -> Option<i64> {
        match self.op {
            Op::Const(value) => Some(value),
            _ => None,
        }
    }

    /// The bytes that were written as a literal.
    pub fn as_literal(&self) -> Option<&[u8]> {
        match &self.op {
            Op::Literal(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// At most so many values, by range or shape; `None` beyond 2^64.
    fn value_count(&self) -> Option<u64> {
        match self.op {
            Op::Floor(step) => u64::try_from((self.range.count() - 1) / step as u128 + 1).ok(),
            _ if self.is_number() => u64::try_from(self.range.count()).ok(),
            _ => self.shape.count(),
        }
    }

    /// How its values follow a field that they are made of; bytes have one length then for all values of the field.
    fn trend(&self, field: FieldId) -> Option<Trend> {
        if self.value_type == ValueType::Int && self.range == Interval::ALL {
            // It may have wrapped.
            return None;
        }
        let trend = |at: usize| self.operands[at].facts.trend(field);
        match &self.op {
            Op::Binary(operator) => {
                let by_operator = self.binary_trend(*operator, field);
                let line = self.facts.line.filter(|line| line.digit.field == field);
                let line = line.filter(|line| !line.digit.is_periodic());
                let by_line = line.map(|line| Trend {
                    rising: line.is_rising(),
                    exact: line.digit.is_whole(),
                });
                by_operator.or(by_line)
            }
            Op::Floor(step) => trend(0).map(|trend| trend.kept(*step == 1)),
            Op::Snowflake => {
                let mut rest = self.operands[1..].iter();
                let alone = !rest.any(|part| part.facts.mention(field));
                trend(0).filter(|_| alone)
            }
            Op::Encode(encoding) if encoding.keeps_order(self.operands[0].range) => {
                trend(0).map(|trend| trend.kept(encoding.is_exact()))
            }
            // Whole numbers of up to 53 bits are exact.
            Op::ToDouble => {
                trend(0).map(|trend| trend.kept(self.operands[0].range.within(-(1 << 53), 1 << 53)))
            }
            Op::Encode(encoding @ (Encoding::OrderedDouble | Encoding::Double)) => {
                let number = &self.operands[0];
                let is_ordered =
                    *encoding == Encoding::OrderedDouble || number.operands.first()?.range.low >= 0;
                trend(0).filter(|_| matches!(number.op, Op::ToDouble) && is_ordered)
            }
            Op::Map(Transform::Invert) => trend(0).map(Trend::flip),
            Op::Map(case @ (Transform::Upper | Transform::Lower)) => {
                let in_order = case.keeps_order(self.operands[0].shape.all());
                trend(0).filter(|_| in_order)
            }
            Op::Map(Transform::Hex | Transform::PadLeft { .. } | Transform::PadRight { .. }) => {
                trend(0)
            }
            Op::Map(Transform::Substr {
                position: 0 | 1, ..
            }) => trend(0).map(|trend| trend.kept(false)),
            Op::Concat => {
                let parts = self.operands.iter().map(|part| &part.facts);
                let mut trends = parts.filter(|facts| facts.mention(field));
                let first = trends.next()?.trend(field)?;
                trends.try_fold(first, |before, facts| match before.exact {
                    // What follows decides nothing any more.
                    true => Some(before),
                    false => before.then(facts.trend(field)?),
                })
            }
            Op::Identifier { .. } => trend(0),
            _ => None,
        }
    }

    fn binary_trend(&self, operator: Operator, field: FieldId) -> Option<Trend> {
        let [x, y] = [0, 1].map(|at| &self.operands[at]);
        let [in_x, in_y] = [x, y].map(|side| side.facts.mention(field));
        let (a, b) = (x.facts.trend(field), y.facts.trend(field));
        let sum = |b: Option<Trend>| match (in_x, in_y) {
            (true, false) => a,
            (false, true) => b,
            _ => a?.then(b?),
        };
        match operator {
            Operator::Add => sum(b),
            Operator::Subtract => sum(b.map(Trend::flip)),
            Operator::Multiply if in_x && in_y => None,
            Operator::Multiply => {
                let (varies, factor) = if in_x { (a, y.range) } else { (b, x.range) };
                match factor {
                    Interval { low: 1.., .. } => varies,
                    Interval { high: ..0, .. } => varies.map(Trend::flip),
                    _ => None,
                }
            }
            Operator::Divide if in_y || y.range.low <= 0 => None,
            Operator::Divide => a.map(|trend| trend.kept(y.range.single() == Some(1))),
            // A remainder that changes nothing.
            Operator::Remainder | Operator::Pmod => {
                let modulus = y.range.single();
                modulus
                    .filter(|n| x.range.within(0, n.saturating_sub(1)))
                    .and(a)
            }
        }
    }

    /// An integer of one field as a multiple of a digit.
    fn line(&self) -> Option<Line> {
        if self.value_type != ValueType::Int || self.range == Interval::ALL {
            return None;
        }
        use Operator::{Add, Divide, Multiply, Pmod, Remainder, Subtract};
        let known = |at: usize| {
            let of: Option<&Self> = self.operands.get(at);
            of.map_or((None, None), |of| (of.facts.line, of.range.single()))
        };
        // A quotient by a constant is rounded down, and a remainder not negative.
        let is_floor = self.operands.first().is_some_and(|x| x.range.low >= 0);
        match (&self.op, known(0), known(1)) {
            (Op::Floor(step), (Some(x), _), _) => x.quotient(*step)?.times(*step),
            (Op::Binary(Add), (Some(x), _), (None, Some(c))) => x.plus(c),
            (Op::Binary(Add), (None, Some(c)), (Some(x), _)) => x.plus(c),
            (Op::Binary(Subtract), (Some(x), _), (None, Some(c))) => x.plus(c.checked_neg()?),
            (Op::Binary(Subtract), (None, Some(c)), (Some(x), _)) => x.times(-1)?.plus(c),
            (Op::Binary(Subtract), (Some(x), _), (Some(remainder), _)) => x.minus(remainder),
            (Op::Binary(Multiply), (Some(x), _), (None, Some(c))) => x.times(c),
            (Op::Binary(Multiply), (None, Some(c)), (Some(x), _)) => x.times(c),
            (Op::Binary(Divide), (Some(x), _), (_, Some(c @ 1..))) if is_floor => x.quotient(c),
            (Op::Binary(Remainder), (Some(x), _), (_, Some(c @ 1..))) if is_floor => x.remainder(c),
            (Op::Binary(Pmod), (Some(x), _), (_, Some(c))) => x.remainder(c),
            _ => None,
        }
    }

    /// Digits of fields of which different values give different ones, and whether nothing else is in them.
    fn told(&self) -> (Vec<Digit>, bool) {
        let mut operands: Vec<&Self> = self.operands.iter().collect();
        let tells = match &self.op {
            Op::Encode(Encoding::Calendar(pattern, unit)) => {
                let line = self.operands[0].facts.line.zip(pattern.step());
                let units = |nanos: i64| (nanos / unit.nanos()).max(1);
                let digit = |(line, (step, period)): (Line, (i64, Option<i64>))| {
                    let steps = line.quotient(units(step))?;
                    match period {
                        Some(period) => steps.remainder((units(period) / units(step)).max(1)),
                        None => Some(steps),
                    }
                };
                let digits = line.and_then(digit).map(|line| line.digit);
                return (digits.into_iter().collect(), digits.is_some());
            }
            Op::Encode(_) => true,
            Op::Map(case @ (Transform::Upper | Transform::Lower)) => {
                case.keeps_order(self.operands[0].shape.all())
            }
            Op::Map(Transform::Substr {
                position, count, ..
            }) => {
                let digits = self.operands[0].cut_digits(*position, *count);
                let digits = digits.map(|line| line.digit);
                return (digits.into_iter().collect(), digits.is_some());
            }
            Op::Map(Transform::Unhex) | Op::Identifier { .. } => false,
            Op::Hash(_) | Op::Digest { .. } if self.has_room() => true,
            Op::Digest { form, keep, .. } => match form {
                DigestForm::Raw => *keep >= INJECTIVE_DIGEST,
                DigestForm::Hex => keep / 2 >= INJECTIVE_DIGEST,
            },
            // Where one part ends is not known unless it has one width; ambiguities inside hashes are not worth a distinction.
            _ if !self.is_number() => true,
            Op::BitReverse63 | Op::BitReverse64 => self.facts.fields.len() == 1,
            // Each part has bits of its own.
            Op::Snowflake => true,
            op => {
                let facts = &self.facts;
                match (&facts.line, &facts.fields[..], &facts.trends[..]) {
                    (Some(line), ..) => return (vec![line.digit], true),
                    // Of one field that it follows exactly, and nothing drawn besides.
                    (None, [field], [Some(trend)]) if trend.exact && facts.are_of(*field) => {
                        return (vec![Digit::whole(*field)], true);
                    }
                    _ => {}
                }
                let sum = matches!(op, Op::Binary(Operator::Add));
                let digits = sum.then(|| self.two_digits()).flatten();
                operands = digits.map_or(operands, |(high, low)| vec![high, low]);
                digits.is_some() || self.without_constant().is_some()
            }
        };
        let are_told = tells && operands.iter().all(|of| of.facts.are_told);
        operands.retain(|_| tells);
        let told = operands.iter().flat_map(|of| of.facts.told.iter().copied());
        let mut told: Vec<Digit> = told.collect();
        told.sort_unstable();
        told.dedup();
        (told, self.facts.fields.is_empty() || are_told)
    }

    /// Of the decimal text of a number a part that does not begin with it: digits of the number. `None` where it is not known which ones these are.
    fn cut_digits(&self, position: i64, count: usize) -> Option<Line> {
        let (text, from_end) = match (&self.op, position) {
            // What is reversed begins with the end.
            (Op::Map(Transform::ReverseBytes), 0 | 1) => (&self.operands[0], Some(count)),
            (_, ..0) => (self, usize::try_from(position.unsigned_abs()).ok()),
            _ => {
                let skipped = usize::try_from(position.max(1) - 1).ok()?;
                let length = self.shape.fixed();
                (self, length.and_then(|it| it.checked_sub(skipped)))
            }
        };
        let Op::Encode(Encoding::Decimal | Encoding::Padded { pad: b'0', .. }) = text.op else {
            return None;
        };
        // The last digit is always there, others where the text has one length.
        let from_end = from_end.filter(|from_end| match text.shape.fixed() {
            Some(length) => *from_end < length,
            None => *from_end == 1,
        })?;
        let (number, kept) = (&text.operands[0], count.min(from_end));
        let power = |digits: usize| 10i64.checked_pow(u32::try_from(digits).ok()?);
        let line = number.facts.line.filter(|_| number.range.low >= 0)?;
        line.quotient(power(from_end - kept)?)?
            .remainder(power(kept)?)
    }

    /// Adds what hashes with few values in it are made of.
    pub(super) fn push_hashed(&self, digits: &mut Vec<Digit>) {
        let is_hash = matches!(self.op, Op::Hash(_) | Op::Salt(_) | Op::Digest { .. });
        for operand in &self.operands {
            match is_hash {
                true => digits.extend(&operand.facts.told),
                false => operand.push_hashed(digits),
            }
        }
    }

    /// Do hardly any two values have the same hash?
    fn has_room(&self) -> bool {
        let most = self.operands[0].facts.cardinality;
        let least = most.and_then(|most| most.checked_mul(ROOM));
        least.is_some_and(|least| self.facts.space().is_none_or(|space| space >= least))
    }

    /// Does a reader who knows this know it?
    pub fn is_known(&self, known: &Knowledge) -> bool {
        self.facts.randomness != Randomness::Random && self.facts.needs.met(known)
    }

    /// What decides on its order before all else: the time of a snowflake, x of a sum `x * base + y`, give or take constants; of bytes, that of the
    /// number which they write in order. `None` where there is no such part.
    pub fn high_digit(&self) -> Option<&Self> {
        let of_operand = |at: usize| self.operands[at].high_digit();
        let constant = |at: usize| self.operands[at].range.single().is_some();
        match &self.op {
            Op::Encode(encoding) if encoding.keeps_order(self.operands[0].range) => of_operand(0),
            Op::Map(Transform::Invert) => of_operand(0),
            Op::Snowflake => Some(&self.operands[0]),
            _ if self.range == Interval::ALL => None,
            Op::Binary(Operator::Subtract) if constant(0) => of_operand(1),
            Op::Binary(Operator::Add) if constant(0) => of_operand(1),
            Op::Binary(Operator::Add | Operator::Subtract) if constant(1) => of_operand(0),
            Op::Binary(Operator::Add) => self.two_digits().map(|(high, _)| high),
            _ => None,
        }
    }

    /// What a sum or a difference has besides a constant.
    pub fn without_constant(&self) -> Option<&Self> {
        let sum = matches!(self.op, Op::Binary(Operator::Add | Operator::Subtract));
        let operands = self.operands.iter().filter(|_| sum);
        let mut others = operands.filter(|of| of.range.single().is_none());
        let (only, None) = (others.next()?, others.next()) else {
            return None;
        };
        Some(only)
    }

    /// The two digits of a sum `x * base + y` with fewer values of y in a row than the base: x and y.
    pub fn two_digits(&self) -> Option<(&Self, &Self)> {
        let [a, b] = [0, 1].map(|at| &self.operands[at]);
        [(a, b), (b, a)].into_iter().find_map(|(product, y)| {
            let product = product.without_constant().unwrap_or(product);
            let (Op::Binary(Operator::Multiply), [c, d]) = (&product.op, &product.operands[..])
            else {
                return None;
            };
            let (x, base) = match d.range.single() {
                Some(base) => (c, base),
                None => (d, c.range.single()?),
            };
            let width = y.range.high.checked_sub(y.range.low)?;
            let is_digit = y.range.single().is_none() && width < base;
            (product.range != Interval::ALL && is_digit).then_some((x, y))
        })
    }

    /// Whether it follows time, and the unit of what is still an instant.
    fn order_and_unit(&self) -> (Order, Option<TimeUnit>) {
        let Some(first) = self.operands.first() else {
            return (Order::None, None);
        };
        let order = first.facts.order;
        let order = match &self.op {
            Op::Binary(operator) => {
                let (order, unit) = self.binary_order(*operator);
                return (order.kept(self.range != Interval::ALL), unit);
            }
            Op::Floor(_) => return (order.kept(self.range != Interval::ALL), first.facts.unit),
            Op::ToDouble | Op::Snowflake | Op::Identifier { .. } => order,
            Op::Encode(encoding) => order.kept(encoding.follows(first.range)),
            Op::Map(transform) => order.kept(match transform {
                Transform::Substr { position, .. } => {
                    matches!(position, 0 | 1) || self.shape == first.shape
                }
                Transform::PadLeft { .. } => false,
                transform => !transform.turns(),
            }),
            Op::Concat => {
                let mut parts = self.operands.iter();
                let leads = parts.find(|part| part.shape.single().is_none());
                leads
                    .or(self.operands.last())
                    .map_or(order, |part| part.facts.order)
            }
            _ => Order::None,
        };
        (order, None)
    }

    /// Order and unit survive where one side decides.
    fn binary_order(&self, operator: Operator) -> (Order, Option<TimeUnit>) {
        let [x, y] = [0, 1].map(|at| &self.operands[at]);
        let (a, b) = (&x.facts, &y.facts);
        let sign = y.range.single().map_or(0, i64::signum);
        let a_constant = x.range.single().is_some();
        // An instant plus something that does not follow time, a constant or a number, is mostly time while that is small beside it. Of
        // values given by hand each has a range of one.
        let (a_values, b_values) = (x.range.count(), y.range.count());
        match operator {
            Operator::Add | Operator::Subtract
                if b.order == Order::None && b_values <= a_values =>
            {
                (a.order, a.unit)
            }
            Operator::Add if a.order == Order::None && a_values <= b_values => (b.order, b.unit),
            Operator::Add if a.order == b.order => (a.order, a.unit.xor(b.unit)),
            Operator::Subtract if a_constant => (b.order.flip(), None),
            Operator::Multiply | Operator::Divide if sign > 0 => (a.order, None),
            Operator::Multiply | Operator::Divide if sign < 0 => (a.order.flip(), None),
            Operator::Multiply if a_constant && x.range.low > 0 => (b.order, None),
            Operator::Remainder | Operator::Pmod if x.range == self.range => (a.order, a.unit),
            _ => (Order::None, None),
        }
    }
}

#[cfg(test)]
#[path = "code_tests.rs"]
mod tests;
