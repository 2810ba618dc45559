//! The compiled plan, and what is known of a derived field by itself, outside of any key.

use super::check::{Checker, Environment, joined_dates};
use super::code::{Code, Facts, Op, Randomness};
use super::coincidence::Coincidences;
use super::digit::told_fields;
use super::field_steps::{FieldSteps, coarse_uses, no_draws};
use super::finite_values;
use super::formats::DateSteps;
use super::lang::{KeyError, KeyNote, expanded, parse};
use super::run::{Row, Rows};
use super::segment::{self, Segment};
use super::time_parts::TimeParts;
use crate::keyspace::RowKey;
use crate::record::{
    ByteShape, DerivedId, Field, FieldId, FieldKind, Schema, ValueGroups, ValueType,
};
use crate::time::EpochNanos;
use std::collections::BTreeMap;
use std::slice;
use std::sync::{Arc, OnceLock};

/// What the bytes of an expression become, which says how many there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A row key, or a row key with a qualifier behind it: 1 to [`RowKey::MAX_LEN`] bytes.
    RowKey,
    /// The qualifier of a cell: as long as a row key, or empty.
    Qualifier,
    /// The value of a cell: at most 10 MB with all that stands around it (HBase default, `hbase.client.keyvalue.maxsize`).
    Value,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::RowKey => "key",
            Self::Qualifier => "qualifier",
            Self::Value => "value",
        }
    }

    fn most_bytes(self) -> usize {
        match self {
            Self::RowKey | Self::Qualifier => RowKey::MAX_LEN,
            Self::Value => 10 << 20,
        }
    }
}

/// How timestamps and sequences move on as rows are written.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// The time of the first row.
    pub start: EpochNanos,
    /// Seconds by which the times of rows move on each second: 1, but for imports of what has been.
    pub speed: f64,
    /// Rows by which sequences count on each second, where one write has them all and its rate is known.
    pub rows_per_sec: Option<f64>,
    /// What sequences have counted before: the rows that the write continues.
    pub counted: u64,
    /// Rows that clients of closed loops wait for at once, while one server takes them all; 0 without such clients.
    pub in_flight: f64,
}

impl Pace {
    /// The same, so many seconds later.
    pub fn later(self, secs: f64) -> Self {
        let rows = self.rows_per_sec.unwrap_or(0.0) * secs;
        Self {
            start: EpochNanos(self.start.0 + (self.speed * secs * 1e9) as i64),
            counted: self.counted.saturating_add(rows as u64),
            ..self
        }
    }
}

/// Rows that go to one server for so many seconds, at so many a second of which so many are in flight, make it hot: for 20 ms, 30 rows, and twice what is in flight.
pub fn is_turn(secs: f64, rows_per_sec: f64, in_flight: f64) -> bool {
    secs >= MOMENT && rows_per_sec * secs >= TURN.max(TURN_OF_FLIGHTS * in_flight)
}

/// Seconds for which a server has to take all rows to be hot (estimate: eight that are half busy offer one four times what it can do, which
/// fills the queue of its 30 handlers, 300 calls for every ten, in 15 ms).
const MOMENT: f64 = 0.02;

/// Rows that a server has to take one after another for that (estimate: of fewer, handlers take all at once).
const TURN: f64 = 30.0;

/// Times as many as are in flight: with fewer, two servers are busy for more than half of the time, one with those of the turn before.
const TURN_OF_FLIGHTS: f64 = 2.0;

/// A compiled row key. Immutable; writing cannot fail nor allocate (but to grow the buffer).
///
/// ```
/// use keyheat_core::key::{Environment, KeyPlan, Row};
/// use keyheat_core::keyspace::escape;
/// use keyheat_core::random::{DrawKey, Seed, Stream};
/// use keyheat_core::record::{Field, FieldKind, Schema, TextValues};
/// use keyheat_core::time::EpochNanos;
/// use std::collections::BTreeMap;
///
/// let hosts = TextValues::Listed(["web7".into(), "db3".into()].into());
/// let schema = Schema {
///     fields: vec![
///         Field::new("host", FieldKind::Text(hosts)),
///         Field::new("id", FieldKind::Int { first: 0, count: 1_000 }),
///     ],
///     time_range: (EpochNanos(0), EpochNanos(0)),
///     sequence_span: 0,
/// };
/// let parameters = BTreeMap::from([("buckets".to_owned(), 16)]);
/// let environment = Environment { schema: &schema, derived: &[], parameters: &parameters };
///
/// let plan = KeyPlan::compile("salt(buckets, host) || host || x'00' || be4(id)", &environment).expect("it compiles");
/// assert_eq!(plan.len_range(), (9, 10));
/// assert_eq!(plan.leading_buckets().map(|buckets| buckets.len()), Some(16));
///
/// let mut key = Vec::new();
/// let draws = DrawKey::new(Seed(1), 0, Stream::Keys, 0).at(0);
/// plan.write(&Row { record: &[0, 258], index: 0, draws }, &mut key); // text is the number of its value
/// assert_eq!(escape(&key), r"\x04web7\x00\x00\x00\x01\x02");
///
/// // What could fail while running does not compile.
/// let errors = KeyPlan::compile("be1(id) || hots", &environment).expect_err("999 is no byte, and no field is called `hots`");
/// assert_eq!(errors.len(), 2);
/// ```
#[derive(Debug, Clone)]
pub struct KeyPlan {
    text: String,
    /// The expression with those of derived fields in the place of their names, unless it is too long to be read.
    pub expanded: String,
    /// The parameters that the expression uses, derived fields expanded: with its text they tell one key from another.
    pub parameters: BTreeMap<String, i64>,
    /// Lints of the language.
    pub notes: Vec<KeyNote>,
    segments: Vec<Segment>,
    shape: ByteShape,
    /// Values of the leading bucket, ascending.
    buckets: Option<Vec<Vec<u8>>>,
    /// One for each of a few buckets, once they are asked for.
    shapes_apart: OnceLock<Vec<ByteShape>>,
    /// Of fields that it tells in part, once they are asked for.
    pub(super) groups: OnceLock<Vec<Arc<ValueGroups>>>,
    pub(super) parts: OnceLock<Option<TimeParts>>,
    /// The scenario's derived fields, in file order.
    pub(super) derivations: Vec<Option<Derivation>>,
    /// The fields that the key uses, at their places; the others are blank.
    schema: Arc<Schema>,
}

/// Of one schema: the same expression with the same parameters writes the same bytes.
impl PartialEq for KeyPlan {
    fn eq(&self, other: &Self) -> bool {
        (&self.text, &self.parameters) == (&other.text, &other.parameters)
    }
}

impl KeyPlan {
    /// Compiles an expression; *all* errors at once.
    pub fn compile(text: &str, environment: &Environment<'_>) -> Result<Self, Vec<KeyError>> {
        Self::compile_despite(Role::RowKey, text, environment, &[])
    }

    /// [`KeyPlan::compile`] of what may be no key, beside names that could not be read: an expression that uses one of them has no plan, and only those of
    /// its errors are returned (perhaps none) that don't hang on their meaning.
    pub fn compile_despite(
        role: Role,
        text: &str,
        environment: &Environment<'_>,
        unreadable: &[String],
    ) -> Result<Self, Vec<KeyError>> {
        let (checker, segments, shape) = Self::checked(role, text, environment, unreadable)?;
        let mut notes = checker.complaints.notes;
        notes.extend(segment::lints(&segments));
        let derived = environment.derived.iter();
        let derived = derived.map(|(name, text)| Derivation::compile(name, text, environment));
        Ok(Self {
            text: text.to_owned(),
            expanded: expanded(text, environment.derived).unwrap_or(text.to_owned()),
            parameters: checker.parameters,
            notes,
            buckets: finite_values::leading_buckets(&segments),
            shapes_apart: OnceLock::new(),
            groups: OnceLock::new(),
            parts: OnceLock::new(),
            schema: Arc::new(used_fields(environment.schema, &fields(&segments))),
            derivations: derived.collect(),
            segments,
            shape,
        })
    }

    /// The parameters that a key uses, or what is wrong with it: that is known before it is compiled.
    pub fn check(
        role: Role,
        text: &str,
        environment: &Environment<'_>,
        unreadable: &[String],
    ) -> Result<BTreeMap<String, i64>, Vec<KeyError>> {
        let checked = Self::checked(role, text, environment, unreadable);
        checked.map(|(checker, ..)| checker.parameters)
    }

    fn checked<'a>(
        role: Role,
        text: &'a str,
        environment: &Environment<'a>,
        unreadable: &'a [String],
    ) -> Result<(Checker<'a>, Vec<Segment>, ByteShape), Vec<KeyError>> {
        let (tree, errors) = parse(text);
        let Some(tree) = tree else { return Err(errors) };
        let mut checker = Checker::new(text, *environment, unreadable);
        checker.complaints.errors = errors;
        // Without parts there is an error already, or an unreadable name.
        let Some(parts) = checker.parts(&tree) else {
            return Err(checker.complaints.errors);
        };
        let mut segments = Vec::new();
        for part in parts {
            let span = part.span.clone();
            segments.extend(checker.joinable(part, &span));
        }
        let segments = joined_dates(segments);
        let shape = Segment::joined_shape(&segments);
        let errors = &mut checker.complaints.errors;
        if errors.is_empty() {
            errors.extend(wrong_length(role, &segments, &shape, text));
        }
        match std::mem::take(errors) {
            errors if errors.is_empty() => Ok((checker, segments, shape)),
            errors => Err(errors),
        }
    }

    /// The expression as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The segments that the key is made of, in order, derived fields expanded.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// How often two rows that are alike in `given` segments are alike in these; in which fields of each they may differ, those that are `stepped`, and
    /// those in which they don't.
    pub fn coincidences(
        &self,
        (segments, given): (&[usize], &[usize]),
        (stepped, equal): (&[FieldId], &[FieldId]),
        free: impl Fn(usize, &FieldId) -> bool,
    ) -> Coincidences {
        let made = segments.iter().map(|at| {
            let code = &self.segments[*at].code;
            let fields = code.facts.fields.iter().copied();
            (code, fields.filter(|field| free(*at, field)).collect())
        });
        let given = given.iter().map(|at| &self.segments[*at].code);
        let (made, given) = (made.collect::<Vec<_>>(), given.collect::<Vec<_>>());
        Coincidences::of((&made, &given), (stepped, equal), &self.schema)
    }

    /// The same of derived fields, which it need not use, of fields of this schema.
    pub fn coincidences_of_derived(
        &self,
        (derived, given): (&[DerivedId], &[DerivedId]),
        (stepped, equal): (&[FieldId], &[FieldId]),
        schema: &Schema,
        free: impl Fn(&FieldId) -> bool,
    ) -> Coincidences {
        let derived = derived.iter().filter_map(|it| self.derivation(*it));
        let parts = derived.flat_map(|it| match it.code.op {
            Op::Concat => &it.code.operands[..],
            _ => slice::from_ref(&it.code),
        });
        let made = parts.map(|code| {
            let fields = code.facts.fields.iter().copied();
            (code, fields.filter(&free).collect())
        });
        let given = given.iter().filter_map(|it| self.derivation(*it));
        let given: Vec<&Code> = given.map(|it| &it.code).collect();
        let made: Vec<_> = made.collect();
        Coincidences::of((&made, &given), (stepped, equal), schema)
    }

    /// Is the segment followed by a literal that cannot occur in it, so that its end is known?
    pub fn is_delimited(&self, index: usize) -> bool {
        segment::is_delimited(&self.segments, index)
    }

    /// Appends the row key of `row` to `out`.
    pub fn write(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let row = Rows::one(row);
        for segment in &self.segments {
            segment.code.write(&row, out);
        }
    }

    /// The same key in other segments.
    pub(super) fn with_segments(&self, segments: Vec<Segment>) -> Self {
        Self {
            segments,
            groups: OnceLock::new(),
            parts: OnceLock::new(),
            ..self.clone()
        }
    }

    /// The schema of the fields it uses.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Shortest and longest key in bytes.
    pub fn len_range(&self) -> (usize, usize) {
        (self.shape.min, self.shape.max)
    }

    /// Fields that the key uses, ascending.
    pub fn fields(&self) -> Vec<FieldId> {
        fields(&self.segments)
    }

    /// Number of values of the leading bucket (`be1(random(16))`, `salt(20, x)`, `nth('abcd', ...)`, a leading short hex hash ...), with
    /// the bytes of each in order: what `presplit = buckets` cuts at. `None` when the key doesn't lead with a bucket of at most
    /// 65,536 values.
    pub fn leading_buckets(&self) -> Option<Vec<Vec<u8>>> {
        self.buckets.clone()
    }

    /// The key's first segment grows with the operations' time (after constant segments): a moving hotspot.
    pub fn leads_with_time(&self) -> bool {
        let mut varying = self.segments.iter().filter(|it| it.constant().is_none());
        varying.next().is_some_and(Segment::follows_time)
    }

    /// All rows of a moment go to one region of those that these points cut: the key leads with time, or with a step or a cycle of it that is
    /// hashed or comes again, and stays in a region for 20 ms or more.
    pub fn gathers_a_moment<'a>(&self, pace: Pace, points: impl Iterator<Item = &'a [u8]>) -> bool {
        self.leads_with_time() || self.stay(pace, points) > 0.0
    }

    /// For how many seconds all rows go to one region of those that these points cut before they go to another, over a second at this pace;
    /// infinite where they go to no other. Zero where that is less than 20 ms, 30 rows, or twice what is in flight, and unless the first segment that is not constant is made of
    /// timestamps, which most rows don't come late for, and sequences whose pace is known, and nothing else.
    pub fn stay<'a>(&self, pace: Pace, points: impl Iterator<Item = &'a [u8]>) -> f64 {
        let points: Vec<&[u8]> = points.collect();
        let region = |lead: &[u8]| points.partition_point(|point| *point <= lead);
        // What rows of one lead are cut by begins with it, and is longer.
        let is_cut = |lead: &[u8]| {
            let next = points.get(region(lead));
            next.is_some_and(|point| point.starts_with(lead))
        };
        let leads = self.leads(pace);
        let count = |changes: &dyn Fn(&[u8], &[u8]) -> bool| {
            let pairs = leads.windows(2);
            pairs.filter(|pair| changes(&pair[0], &pair[1])).count()
        };
        // A cycle turns back once a round, a hash at every other step, wherever regions are cut.
        let turned = count(&|a, b| a < b).min(count(&|a, b| a > b));
        let left = count(&|a, b| is_cut(a) || region(a) != region(b));
        let stay = 1.0 / turned.max(left) as f64;
        let rows_per_sec = pace.rows_per_sec.unwrap_or(f64::INFINITY);
        match leads.is_empty() || !is_turn(stay, rows_per_sec, pace.in_flight) {
            true => 0.0,
            false => stay,
        }
    }

    /// The regions of those that these points cut to which rows go one after another, over a second at this pace.
    pub fn visited<'a>(&self, pace: Pace, points: impl Iterator<Item = &'a [u8]>) -> Vec<usize> {
        let points: Vec<&[u8]> = points.collect();
        let region = |lead: &Vec<u8>| points.partition_point(|point| *point <= &lead[..]);
        let mut visited: Vec<usize> = self.leads(pace).iter().map(region).collect();
        visited.dedup();
        visited
    }

    /// What all keys begin with in a second at this pace, as far as a moment decides on it: a step of time that outlasts it.
    pub fn lasting_lead(&self, pace: Pace) -> Option<Vec<u8>> {
        let mut leads = self.leads(pace);
        leads.dedup();
        leads.pop().filter(|_| leads.is_empty())
    }

    /// What keys begin with in each 2 ms of a second at this pace: as many segments as a moment decides on, constants and those made of timestamps and sequences
    /// alone. None where the first that is not constant is none of these.
    fn leads(&self, pace: Pace) -> Vec<Vec<u8>> {
        let moves = |field: &FieldId| match self.schema.field(*field).kind {
            FieldKind::Timestamp { late, .. } => late.is_none_or(|it| it.fraction <= 0.5),
            FieldKind::Sequence { .. } => pace.rows_per_sec.is_some(),
            _ => false,
        };
        // A step that holds all times of the table is a constant in it, and moves all the same.
        let stands = |it: &&Segment| it.constant().is_some() && !it.fields().iter().any(moves);
        let lead = self.segments.iter().take_while(stands).count();
        let is_decided = |segment: &&Segment| {
            let (fields, is_drawn) = (segment.fields(), segment.randomness() == Randomness::Random);
            segment.constant().is_some()
                || !(fields.is_empty() || is_drawn) && fields.iter().all(moves)
        };
        let decided = self.segments.iter().take_while(is_decided).count();
        if decided <= lead {
            return Vec::new();
        }
        let decided = &self.segments[..decided];
        let fields = fields(decided);
        let mut record = vec![0; self.schema.fields.len()];
        let bytes_after = |step: i64| {
            // Anywhere in them: steps of one length would miss a cycle that divides it.
            let passed = (step * 2_000_000 + step * 1_235_813 % 2_000_000) as f64;
            for field in &fields {
                record[usize::from(field.0)] = match self.schema.field(*field).kind {
                    FieldKind::Timestamp { unit, .. } => {
                        unit.floor(EpochNanos(pace.start.0 + (pace.speed * passed) as i64))
                    }
                    ref kind => {
                        let counted = (pace.rows_per_sec.unwrap_or(0.0) * passed / 1e9) as u64;
                        let counted = pace.counted.saturating_add(counted);
                        kind.first_slot().saturating_add_unsigned(counted)
                    }
                };
            }
            let (mut bytes, row) = (Vec::new(), Row::new(&record, 0, no_draws()));
            for segment in 0..decided.len() {
                self.write_segment(segment, &row, &mut bytes);
            }
            bytes
        };
        (0..=500).map(bytes_after).collect()
    }

    /// The step of time (`to_char(ts, 'yyyyMM')`) that the key leads with, that outlasts the run, and in which all split points lie: when the next
    /// one begins, all its rows go into one region. Its expression; `None` without such a step, and without split points.
    pub fn step_around<'a>(&self, mut points: impl Iterator<Item = &'a [u8]>) -> Option<&str> {
        let mut start = Vec::new();
        for segment in &self.segments {
            start.extend(segment.constant()?);
            let mut fields = segment.fields().iter();
            if fields.any(|field| self.schema.domain(*field).follows_time) {
                let first = points.next()?;
                let all = first.starts_with(&start) && points.all(|it| it.starts_with(&start));
                return all.then_some(&segment.expression);
            }
        }
        None
    }

    /// False when it is *proved*, from the byte sets of the segments, that no key lies in `[start, end)`; an empty `end` is the
    /// end of the key space.
    pub fn may_reach(&self, start: &[u8], end: &[u8]) -> bool {
        let reaches = |shape: &ByteShape| shape.reaches(start, end);
        reaches(&self.shape) && {
            let buckets = self.buckets.as_deref();
            let apart = || finite_values::shapes_apart(&self.segments, buckets, &self.schema);
            let apart = self.shapes_apart.get_or_init(apart);
            apart.is_empty() || apart.iter().any(reaches)
        }
    }
}

/// What is known of a derived field.
#[derive(Debug, Clone)]
pub struct Derivation {
    name: String,
    /// It is one segment, not several joined.
    whole: bool,
    fields: Vec<FieldId>,
    pub(super) code: Code,
    /// Number fields that it uses in steps only.
    pub coarse: Vec<FieldSteps>,
    /// Fields whose values its value tells: none of a hash, which nobody turns back.
    pub told: Vec<FieldId>,
    /// Set when it follows its only field.
    steps: Option<(FieldSteps, bool)>,
}

impl Derivation {
    /// `None` for an expression that can't be compiled.
    pub(super) fn compile(name: &str, text: &str, environment: &Environment<'_>) -> Option<Self> {
        let (tree, errors) = parse(text);
        let tree = tree.filter(|_| errors.is_empty())?;
        let mut checker = Checker::new(text, *environment, &[]);
        let parts = checker.parts(&tree)?;
        let wrong = |part: &Segment| part.code.value_type == ValueType::Double;
        if !checker.complaints.errors.is_empty() || parts.iter().any(wrong) {
            return None;
        }
        let facts = Facts::of_all(parts.iter().map(|part| &part.code));
        let whole = parts.len() == 1;
        let parts = parts.into_iter().map(|part| part.code);
        let code = Code::joined(parts.collect()).in_order();
        let told = match facts.randomness {
            Randomness::Plain => told_fields(code.facts.told.iter().copied()),
            Randomness::Hashed | Randomness::Random => Vec::new(),
        };
        let steps = match facts.fields[..] {
            [field] => code
                .facts
                .trend(field)
                .map(|trend| (FieldSteps::new(field, vec![code.clone()]), trend.rising)),
            _ => None,
        };
        let in_steps = |field: &FieldId| {
            let mut uses = Vec::new();
            let is_coarse = coarse_uses(&code, *field, (&[], false, DateSteps::Days), &mut uses);
            (is_coarse && !uses.is_empty()).then(|| FieldSteps::new(*field, uses))
        };
        let coarse = facts.fields.iter().filter_map(in_steps).collect();
        Some(Self {
            name: name.to_owned(),
            whole,
            code,
            fields: facts.fields,
            coarse,
            told,
            steps,
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Is the segment this field, and nothing else?
    pub fn is(&self, segment: &Segment) -> bool {
        let is_named = segment.derived.as_ref() == Some(&self.name);
        let is_it = is_named && segment.fields() == self.fields;
        self.whole && (is_it || segment.code.is_same(&self.code))
    }

    /// Stored fields that it is made of, ascending.
    pub fn fields(&self) -> &[FieldId] {
        &self.fields
    }

    /// Where its value changes, and whether it grows with the field, when it follows its only field.
    pub fn follows(&self) -> Option<(&FieldSteps, bool)> {
        self.steps.as_ref().map(|(steps, rising)| (steps, *rising))
    }
}

/// Fields that the segments use, ascending.
fn fields(segments: &[Segment]) -> Vec<FieldId> {
    let fields = segments.iter().flat_map(Segment::fields).copied();
    finite_values::distinct(fields.collect())
}

/// HBase refuses empty rows and rows beyond [`RowKey::MAX_LEN`].
fn wrong_length(
    role: Role,
    segments: &[Segment],
    shape: &ByteShape,
    text: &str,
) -> Option<KeyError> {
    let (whole, most) = (0..text.len(), role.most_bytes());
    if shape.max > most {
        let longest = segments.iter().max_by_key(|segment| segment.len_range().1);
        let (span, label) = match longest {
            Some(segment) if segment.derived.is_none() => {
                let longest = segment.len_range().1;
                (segment.span.clone(), format!("up to {longest} bytes here"))
            }
            _ => (whole, "too long".to_owned()),
        };
        let name = match role {
            Role::RowKey => "row key",
            other => other.name(),
        };
        let message = format!(
            "{} of up to {} bytes; a {name} has at most {most}",
            role.name(),
            shape.max
        );
        let help = "hash or cut long values: `left(s, n)`, `md5_bytes(s)`";
        return Some(KeyError::new(&span, message, label, help));
    }
    (role == Role::RowKey && shape.min == 0).then(|| {
        let message = "the key can be empty, which HBase refuses";
        let label = "may be empty";
        let help = "add a segment that is never empty, for example a prefix";
        KeyError::new(&whole, message, label, help)
    })
}

/// The schema with only the fields of `used` filled in, so that a plan does not keep long lists of values that it never
/// writes.
fn used_fields(schema: &Schema, used: &[FieldId]) -> Schema {
    let blank = |name: &String| Field::new(name, FieldKind::Int { first: 0, count: 1 });
    let fields = (0..).zip(&schema.fields).map(|(at, field)| {
        let is_used = used.contains(&FieldId(at));
        match is_used {
            true => field.clone(),
            false => blank(&field.name),
        }
    });
    Schema {
        fields: fields.collect(),
        ..*schema
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
