//! How a key serves a read. Must not know regions or servers.

use super::access_path::AccessPath;
use super::candidates::{Candidate, Stop};
use super::costs::Expected;
use super::dimension::{Dimension, values_given};
use super::evidence::Evidence;
use super::longer_values::{LongerValues, ValueBeginnings};
use super::question::Question;
use super::row_identity::RowIdentity;
use crate::key::{FieldSteps, KeyPlan};
use crate::record::FieldId;
use std::sync::Arc;

/// The cheapest way in which one key serves one read.
#[derive(Debug, Clone)]
pub struct AccessPlan {
    pub(super) key: Arc<KeyPlan>,
    pub(super) question: Arc<Question>,
    pub(super) dimensions: Vec<Dimension>,
    pub(super) stop: Stop,
    pub(super) evidence: Evidence,
    pub(super) longer: Option<LongerValues>,
    pub(super) ordered: Option<Ordered>,
    pub(super) identity: Arc<RowIdentity>,
    /// Several combinations may ask for the same.
    pub(super) may_repeat: bool,
    pub(super) path: AccessPath,
    pub(super) over_reads: Vec<OverRead>,
    pub(super) expected: Expected,
    /// Names of fields, for words.
    pub(super) names: Arc<[String]>,
}

/// The rows of one request lie in the order that the reader wants.
#[derive(Debug, Clone)]
pub(super) struct Ordered {
    /// From the end.
    pub reversed: bool,
    /// They lie in steps: within one, in any order.
    pub steps: Option<OrderSteps>,
}

/// The steps in which rows are in order.
#[derive(Debug, Clone)]
pub(super) struct OrderSteps {
    /// Says how many rows lie in one, in any order.
    pub evidence: Evidence,
    /// So many leading segments tell one step from another.
    pub segments: usize,
}

/// Why requests read rows that the reader does not want.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OverRead {
    /// The part of the key that is used says nothing of this field, which the reader knows.
    Filter(String),
    /// The range of this field is covered in whole steps.
    Steps(String),
    /// This segment has no fixed width and nothing delimits it: longer values start alike.
    LongerValues(String),
    /// Other values have the same short hash, in this segment.
    SharedHash(String),
    /// Rows are not in the order that is wanted: all are read and sorted.
    Sorted(String),
}

impl AccessPlan {
    pub(super) fn new(
        key: &Arc<KeyPlan>,
        candidate: Candidate,
        question: &Arc<Question>,
        names: &Arc<[String]>,
        identity: &Arc<RowIdentity>,
        beginnings: &[Option<Arc<ValueBeginnings>>],
    ) -> Self {
        let evidence = Evidence::new(key, &candidate, question);
        let segments = candidate.stop.segments(key.segments().len());
        let ambiguous = (0..segments).any(|segment| !key.is_delimited(segment));
        // Ranges that overlap are read as one, in no order of their rows.
        let may_overlap = ambiguous && !candidate.dimensions.is_empty();
        let ordered = ordered(key, &candidate, question, &evidence).filter(|_| !may_overlap);
        let bound = |dimension: &Dimension| match dimension {
            Dimension::List { field, .. }
            | Dimension::Values { field }
            | Dimension::Field { field, .. } => !evidence.told.contains(field),
            Dimension::Steps { .. } => true,
            Dimension::Bytes { .. } | Dimension::Draw { .. } => false,
        };
        let may_repeat = may_overlap || candidate.dimensions.iter().any(bound);
        let mut plan = Self {
            key: key.clone(),
            question: question.clone(),
            path: path(key, &candidate, ordered.is_some()),
            longer: LongerValues::new(key, &candidate, &evidence, beginnings),
            dimensions: finest_steps(key, candidate.dimensions, segments),
            stop: candidate.stop,
            evidence,
            ordered,
            identity: identity.clone(),
            may_repeat,
            over_reads: Vec::new(),
            expected: Expected::default(),
            names: names.clone(),
        };
        plan.over_reads = plan.find_over_reads(segments);
        plan
    }

    /// Its kind.
    pub fn path(&self) -> AccessPath {
        self.path
    }

    /// Its scans run from the end of their ranges.
    pub fn reversed(&self) -> bool {
        self.ordered
            .as_ref()
            .is_some_and(|ordered| ordered.reversed)
            && !matches!(self.path, AccessPath::Get | AccessPath::MultiGet)
    }

    /// What it reads besides what is wanted; nothing else is read but rows that are wanted.
    pub fn over_reads(&self) -> &[OverRead] {
        &self.over_reads
    }

    /// Means over the sample of targets.
    pub fn expected(&self) -> Expected {
        self.expected
    }

    /// The same with means over a larger sample.
    pub fn expecting(self, expected: Expected) -> Self {
        Self { expected, ..self }
    }

    /// What is asked, and which rows are the same: what counting rows takes.
    pub(super) fn of_rows(&self) -> (&Question, &RowIdentity) {
        (&self.question, &self.identity)
    }

    pub(super) fn name(&self, field: FieldId) -> &str {
        &self.names[usize::from(field.0)]
    }
}

/// The dimensions, those in steps in the steps of everything that is used.
fn finest_steps(key: &KeyPlan, mut dimensions: Vec<Dimension>, segments: usize) -> Vec<Dimension> {
    let plain = |segment: &usize| values_given(&dimensions, *segment).is_none();
    let plain: Vec<usize> = (0..segments).filter(plain).collect();
    for dimension in &mut dimensions {
        if let Dimension::Steps { field, grain } = dimension {
            let used = plain.iter();
            let grains = used.filter_map(|at| key.field_steps(*at..at + 1, *field));
            if let Some(finest) = grains.reduce(FieldSteps::and) {
                *grain = finest;
            }
        }
    }
    dimensions
}

/// Does the rest of the key put rows in the order that is wanted?
fn ordered(
    key: &KeyPlan,
    candidate: &Candidate,
    question: &Question,
    evidence: &Evidence,
) -> Option<Ordered> {
    let order = question.order?;
    let segments = match candidate.stop {
        Stop::Key | Stop::Lead { .. } => return None,
        Stop::Prefix { segments } | Stop::Range { segments, .. } => segments,
    };
    let known = candidate.known.with(order.field);
    let mut direction: Option<bool> = None;
    let mut in_order = segments;
    for segment in segments..key.segments().len() {
        if key.segments()[segment].constant().is_some() {
            continue;
        }
        let Some(trend) = key.trend(segment, order.field) else {
            break;
        };
        let leads = key.known_lead(segment, &known).is_some();
        if !(leads || key.is_known(segment, &known))
            || direction.is_some_and(|rising| rising != trend.rising)
        {
            break;
        }
        direction = Some(trend.rising);
        in_order = segment + 1;
        let by_derived = order.derived.is_some_and(|derived| {
            let mut known = crate::key::Knowledge::default();
            known.learn(crate::record::KnownField::Derived(derived));
            key.is_known(segment, &known)
        });
        if trend.exact || by_derived {
            return Some(Ordered {
                reversed: trend.rising != order.falling,
                steps: None,
            });
        }
        if segment + 1 == key.segments().len() {
            break;
        }
    }
    let rising = direction?;
    let grain = key.field_steps(segments..in_order, order.field);
    Some(Ordered {
        reversed: rising != order.falling,
        steps: grain.map(|grain| OrderSteps {
            evidence: evidence.of_a_step(order.field, grain),
            segments: in_order,
        }),
    })
}

/// A hash or draw of no more values says which bucket, not which entity.
const BUCKET_VALUES: u64 = 256;

fn path(key: &KeyPlan, candidate: &Candidate, ordered: bool) -> AccessPath {
    let one = candidate.requests <= 1.0;
    if candidate.stop == Stop::Key {
        return if one {
            AccessPath::Get
        } else {
            AccessPath::MultiGet
        };
    }
    let segments = candidate.stop.segments(key.segments().len());
    let by_unknown = |field: &FieldId| {
        candidate.dimensions.iter().any(|dimension| {
            matches!(dimension, Dimension::Field { field: bound, .. } if bound == field)
        })
    };
    let (mut telling, mut bucket) = (
        matches!(candidate.stop, Stop::Lead { .. } | Stop::Range { .. }),
        false,
    );
    let given = |segment: &usize| values_given(&candidate.dimensions, *segment).is_some();
    for at in (0..segments).filter(|segment| !given(segment)) {
        let segment = &key.segments()[at];
        if segment.constant().is_some() || segment.fields().iter().all(by_unknown) {
            continue;
        }
        let few = segment
            .cardinality()
            .is_some_and(|count| count <= BUCKET_VALUES);
        if few && segment.randomness() != crate::key::Randomness::Plain {
            bucket = true;
        } else {
            telling = true;
        }
    }
    match (telling, bucket, one) {
        (true, _, true) => AccessPath::Scan,
        (true, _, false) | (_, true, false) => AccessPath::FanOutScan,
        (false, true, true) => AccessPath::BucketScan,
        (false, false, false) if ordered => AccessPath::FanOutScan,
        (false, false, true) if ordered => AccessPath::Scan,
        (false, false, _) => AccessPath::TableScan,
    }
}
