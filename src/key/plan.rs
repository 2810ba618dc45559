//! The compiled plan. Must not hold anything that could fail.

use super::batch;
use super::checker::Checker;
use super::code::BytesCode;
use super::derivation::Derivation;
use super::execute::Input;
use super::lints;
use super::md5_sites;
use super::parser::parse;
use super::segment::Segment;
use super::shape::Shape;
use super::{describe, reach};
use crate::keyspace::{KeyBatch, RowKey};
use crate::random::{DrawKey, Draws};
use crate::record::{Field, FieldId, FieldKind, Schema};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// What an expression may refer to.
#[derive(Debug, Clone, Copy)]
pub struct Environment<'a> {
    /// Stored fields.
    pub schema: &'a Schema,
    /// Derived (`expr`) fields by name, in file order: they expand in place.
    pub derived: &'a [(String, String)],
    /// `[parameter]`s.
    pub parameters: &'a BTreeMap<String, i64>,
}

/// Why an expression can't be compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyError {
    /// Name of the derived field whose text `span` points into; `None`: the key's own text.
    pub derived: Option<String>,
    /// Byte range of the guilty sub-expression.
    pub span: Range<usize>,
    /// What was found; lower case, no final stop.
    pub message: String,
    /// Short text at the caret: what was expected.
    pub label: String,
    /// The next step.
    pub help: Option<String>,
}

/// A lint of an expression that compiles (the language's own; those that need split points or a workload live in `layout`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyNote {
    /// The key probably does not do what its author means; otherwise it is merely good to know.
    pub is_warning: bool,
    /// What it says, and where.
    pub text: KeyError,
}

/// What one key is written from.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The record's slots.
    pub record: &'a [i64],
    /// Index of the operation within its write: what `round_robin` counts.
    pub index: u64,
    /// The operation's own draws for `random(n)`, `uuid4()`, ...
    pub draws: Draws,
}

/// One segment of a written key, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentText {
    /// The segment's expression as written.
    pub expression: String,
    /// Its place in the key.
    pub bytes: Range<usize>,
    /// What it says: the fields it is made of with their values (`ts 2026-01-01T00:00:12Z`, `sensor 7`), or the bucket number.
    pub meaning: String,
}

/// A compiled row key. Immutable; writing cannot fail nor allocate (but to grow the buffer).
///
/// ```
/// use keyheat::key::{Environment, KeyPlan, Row};
/// use keyheat::keyspace::escape;
/// use keyheat::random::{DrawKey, Seed, Stream};
/// use keyheat::record::{Field, FieldKind, Schema, TextValues};
/// use keyheat::time::EpochNanos;
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
    parameters: BTreeMap<String, i64>,
    notes: Vec<KeyNote>,
    segments: Vec<Segment>,
    shape: Shape,
    /// What the MD5s in the segments are made of.
    md5_operands: Vec<BytesCode>,
    /// Values of the leading bucket, ascending.
    buckets: Option<Vec<Vec<u8>>>,
    /// The scenario's derived fields, in file order.
    pub(super) derivations: Vec<Option<Derivation>>,
    /// The fields that the key uses, at their places; the others are blank.
    schema: Arc<Schema>,
}

impl KeyPlan {
    /// Compiles an expression; *all* errors at once.
    pub fn compile(text: &str, environment: &Environment<'_>) -> Result<Self, Vec<KeyError>> {
        Self::compile_despite(text, environment, &[])
    }

    /// [`KeyPlan::compile`] beside names that could not be read: an expression that uses one of them has no plan, and only those of
    /// its errors are returned (perhaps none) that don't hang on their meaning.
    pub fn compile_despite(
        text: &str,
        environment: &Environment<'_>,
        unreadable: &[String],
    ) -> Result<Self, Vec<KeyError>> {
        let (tree, errors) = parse(text);
        let Some(tree) = tree else { return Err(errors) };
        let mut checker = Checker::new(text, *environment);
        checker.unreadable = unreadable;
        checker.errors = errors;
        let mut segments = Vec::new();
        // Without parts there is an error already, or an unreadable name.
        let Some(parts) = checker.parts(&tree) else {
            return Err(checker.errors);
        };
        for mut part in parts {
            let span = part.span.clone();
            if checker.join_operand(&mut part, &span).is_some() {
                segments.extend(Segment::new(part));
            }
        }
        let shape = segments
            .iter()
            .fold(Shape::literal(b""), |before, segment: &Segment| {
                before.then(&segment.shape)
            });
        if checker.errors.is_empty() {
            check_length(&mut checker, &segments, &shape, text);
        }
        if !checker.errors.is_empty() {
            return Err(checker.errors);
        }
        let mut notes = std::mem::take(&mut checker.notes);
        notes.extend(lints::of_segments(&segments));
        let used: Vec<FieldId> = segments.iter().flat_map(Segment::fields).copied().collect();
        Ok(Self {
            text: text.to_owned(),
            parameters: checker.parameters,
            notes,
            md5_operands: md5_sites::operands(segments.iter().map(|segment| &segment.code)),
            buckets: reach::leading_buckets(&segments),
            schema: Arc::new(used_fields(environment.schema, &used)),
            derivations: environment
                .derived
                .iter()
                .map(|(name, text)| Derivation::compile(name, text, environment))
                .collect(),
            segments,
            shape,
        })
    }

    /// The expression as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The parameters that the expression uses, derived fields expanded: with its text they tell one key from another.
    pub fn parameters(&self) -> &BTreeMap<String, i64> {
        &self.parameters
    }

    /// Lints of the language.
    pub fn notes(&self) -> &[KeyNote] {
        &self.notes
    }

    /// The segments that the key is made of, in order, derived fields expanded.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Is the segment followed by a literal that cannot occur in it, so that its end is known?
    pub fn is_delimited(&self, index: usize) -> bool {
        lints::is_delimited(&self.segments, index)
    }

    /// Appends the row key of `row` to `out`.
    #[inline]
    pub fn write(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        self.write_with(row, &[], out);
    }

    /// [`KeyPlan::write`] with MD5s made beforehand.
    #[inline]
    pub(super) fn write_with(&self, row: &Row<'_>, digests: &[[u8; 16]], out: &mut Vec<u8>) {
        let input = Input { row: *row, digests };
        for segment in &self.segments {
            segment.code.run(&input, out);
        }
    }

    /// Appends one key an operation to `keys`: `records` holds `indices.len()` records one after another; the draws of
    /// operation `operations[i]` come from `draws.at(operations[i])`, `indices[i]` is its index within its write. The same keys as
    /// [`KeyPlan::write`], faster (lanes of MD5).
    pub fn write_batch(
        &self,
        records: &[i64],
        operations: &[u64],
        indices: &[u64],
        draws: DrawKey,
        keys: &mut KeyBatch,
    ) {
        batch::write(self, records, operations, indices, draws, keys);
    }

    /// What its MD5s are made of.
    pub(super) fn md5_operands(&self) -> &[BytesCode] {
        &self.md5_operands
    }

    /// The schema of the fields it uses.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The key of `row`, cut into named segments.
    pub fn describe(&self, row: &Row<'_>) -> (RowKey, Vec<SegmentText>) {
        describe::describe(self, row)
    }

    /// Shortest and longest key in bytes.
    pub fn len_range(&self) -> (usize, usize) {
        (self.shape.min, self.shape.max)
    }

    /// Fields that the key uses, ascending.
    pub fn fields(&self) -> Vec<FieldId> {
        let mut fields: Vec<FieldId> = self
            .segments
            .iter()
            .flat_map(|segment| segment.fields())
            .copied()
            .collect();
        fields.sort_unstable();
        fields.dedup();
        fields
    }

    /// Number of values of the leading bucket (`be1(random(16))`, `salt(20, x)`, `nth('abcd', ...)`, a leading short hex hash ...), with
    /// the bytes of each in order: what `presplit = buckets` cuts at. `None` when the key doesn't lead with a bucket of at most
    /// 65,536 values.
    pub fn leading_buckets(&self) -> Option<Vec<Vec<u8>>> {
        self.buckets.clone()
    }

    /// The key's first segment grows with the operations' time (after constant segments): a moving hotspot.
    pub fn leads_with_time(&self) -> bool {
        let first = self
            .segments
            .iter()
            .find(|segment| segment.constant().is_none());
        first.is_some_and(Segment::follows_time)
    }

    /// False when it is *proved*, from the byte sets of the segments, that no key lies in `[start, end)`; an empty `end` is the
    /// end of the key space.
    pub fn may_reach(&self, start: &[u8], end: &[u8]) -> bool {
        reach::may_reach(
            &self.segments,
            &self.shape,
            self.buckets.as_deref(),
            start,
            end,
        )
    }
}

/// HBase refuses empty rows and rows beyond [`RowKey::MAX_LEN`].
fn check_length(checker: &mut Checker<'_>, segments: &[Segment], shape: &Shape, text: &str) {
    let whole = 0..text.len();
    if shape.max > RowKey::MAX_LEN {
        let longest = segments.iter().max_by_key(|segment| segment.len_range().1);
        let (span, label) = match longest {
            Some(segment) if segment.derived().is_none() => (
                segment.span(),
                format!("up to {} bytes here", segment.len_range().1),
            ),
            _ => (whole, "too long".to_owned()),
        };
        let message = format!(
            "key of up to {} bytes; a row key has at most {}",
            shape.max,
            RowKey::MAX_LEN
        );
        checker.error::<()>(
            &span,
            message,
            &label,
            Some("hash or cut long values: `left(s, n)`, `md5_bytes(s)`"),
        );
    } else if shape.min == 0 {
        checker.error::<()>(
            &whole,
            "the key can be empty, which HBase refuses",
            "may be empty",
            Some("add a segment that is never empty, for example a prefix"),
        );
    }
}

/// The schema with only the fields of `used` filled in, so that a plan does not keep long lists of values that it never
/// writes.
fn used_fields(schema: &Schema, used: &[FieldId]) -> Schema {
    let blank = |name: &String| Field::new(name, FieldKind::Int { first: 0, count: 1 });
    let fields = schema.fields.iter().enumerate();
    let fields = fields
        .map(|(at, field)| {
            if used.contains(&FieldId(at as u16)) {
                field.clone()
            } else {
                blank(&field.name)
            }
        })
        .collect();
    Schema {
        fields,
        time_range: schema.time_range,
        sequence_span: schema.sequence_span,
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
