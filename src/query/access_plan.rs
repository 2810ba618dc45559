//! How a key serves a read, what that over-reads and costs, in words, and which way is the cheapest. Must not know regions or servers.

use super::candidates::{Candidate, Dimension, FieldValues, Stop, candidates};
use super::evidence::{Evidence, LongerValues, ValueBeginnings};
use super::question::{Question, TableKeys, decided_by};
use super::requests::Requests;
use crate::key::{FieldSteps, KeyPlan, Knowledge, Randomness, Segment};
use crate::keyspace::KeyBatch;
use crate::record::{DerivedId, FieldId, KnownField, Schema};
use crate::text::{counted, grouped, words};
use crate::time::EpochNanos;
use crate::workload::{Population, Read, ReadTarget, RowCounts};
use std::sync::Arc;

words! {
    /// Ways to serve a read, cheapest first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum AccessPath {
        /// One row by its key.
        Get = "get",
        /// Several rows by their keys.
        MultiGet = "multi-get",
        /// One range of keys.
        Scan = "scan",
        /// Several ranges of keys.
        FanOutScan = "fan-out-scan",
        /// One whole bucket.
        BucketScan = "bucket-scan",
        /// Everything.
        TableScan = "table-scan",
    }
}

/// What requests cost, for comparing ways to serve a read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// A Get, in seconds.
    pub get: f64,
    /// What a Get of a row that is not there takes less: Bloom filters keep it from the disk.
    pub absent: f64,
    /// Opening a scan, in seconds.
    pub scan: f64,
    /// Each row that a scan reads, in seconds.
    pub row: f64,
    /// Each further cell of a row that is read, in seconds.
    pub cell: f64,
    /// Finding the next row behind cells that are not read, in seconds: at most what these would take.
    pub seek: f64,
}

/// Means over the sample of targets.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Expected {
    /// Cost in seconds, of all requests one after another.
    pub seconds: f64,
    /// Those of them in which scans seek past cells of rows.
    pub seconds_of_seeks: f64,
    /// Gets and scans.
    pub requests: f64,
    /// Rows that are read.
    pub rows_read: f64,
    /// Rows among which a page lies, of reads that ask for some by their order.
    pub rows_found: f64,
    /// Rows that the reader gets.
    pub rows_returned: f64,
    /// Cells that are read.
    pub cells_read: f64,
    /// Cells that the reader gets.
    pub cells_returned: f64,
    /// Copies of each wanted row under different random salts, the newest of which it gets; at least 1.
    pub copies: f64,
}

impl Expected {
    /// Adds what one read asks for.
    pub fn add(&mut self, requests: &Requests, costs: Costs) {
        let scanned: f64 = requests.scans.iter().map(|scan| scan.rows_read).sum();
        let further = requests.rows_read() * (requests.row_cells - 1.0).max(0.0);
        let gets = requests.gets.len() as f64;
        let seeks = scanned * (requests.row_cells_passed * costs.cell).min(costs.seek);
        self.seconds += gets * costs.get - (gets - requests.gets_found).max(0.0) * costs.absent
            + requests.scans.len() as f64 * costs.scan
            + scanned * costs.row
            + further * costs.cell
            + seeks;
        self.seconds_of_seeks += seeks;
        self.requests += requests.len() as f64;
        self.rows_read += requests.rows_read();
        self.rows_found += requests.rows_found;
        self.rows_returned += requests.rows_returned;
        self.cells_read += requests.cells_read();
        self.cells_returned += requests.cells_returned;
        self.copies += requests.copies;
    }

    /// Of a sum over so many reads, the mean.
    pub fn of_one(self, reads: usize) -> Self {
        let reads = reads.max(1) as f64;
        Self {
            seconds: self.seconds / reads,
            seconds_of_seeks: self.seconds_of_seeks / reads,
            requests: self.requests / reads,
            rows_read: self.rows_read / reads,
            rows_found: self.rows_found / reads,
            rows_returned: self.rows_returned / reads,
            cells_read: self.cells_read / reads,
            cells_returned: self.cells_returned / reads,
            copies: self.copies / reads,
        }
    }
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

/// The cheapest way in which one key serves one read.
#[derive(Debug, Clone)]
pub struct AccessPlan {
    pub(super) question: Arc<Question>,
    pub(super) way: Candidate,
    pub(super) evidence: Evidence,
    /// What is known of the cells that it reads of its rows; `None` without a qualifier.
    pub(super) cells: Option<Evidence>,
    /// A row's cells lie in the order that the reader wants.
    pub(super) cells_in_order: bool,
    pub(super) longer: Option<LongerValues>,
    pub(super) ordered: Option<Ordered>,
    /// Its scans filter for what rows have otherwise at some times than at others.
    pub(super) is_mixed: bool,
    /// Several combinations may ask for the same.
    pub(super) may_repeat: bool,
    /// It asks for the target's own row by its key, which no other is; that row is there.
    pub own_row: bool,
    /// Its Gets differ in the values of fields only, and their keys are written in columns.
    pub(super) gets_together: bool,
    /// One scan finds just the rows that are wanted, all of them.
    pub(super) is_exact_scan: bool,
    /// What it knows tells the qualifiers of the cells that it reads: it can name their columns.
    pub names_cells: bool,
    /// Its kind.
    pub path: AccessPath,
    /// What it reads besides what is wanted; nothing else is read but rows that are wanted.
    pub over_reads: Vec<OverRead>,
    /// Means over the sample of targets.
    pub expected: Expected,
}

/// The rows of one request lie in the order that the reader wants.
#[derive(Debug, Clone)]
pub(super) struct Ordered {
    /// From the end.
    pub reversed: bool,
    /// So many leading segments tell one place in the order from another.
    pub segments: usize,
    /// The steps of the field in which rows lie in one place, in any order; `None` where the place is the order itself.
    pub step: Option<FieldSteps>,
}

impl AccessPlan {
    fn new(
        question: &Arc<Question>,
        way: Candidate,
        beginnings: &[Option<Arc<ValueBeginnings>>],
    ) -> Self {
        let key = &question.key;
        let evidence = Evidence::new(question, &way);
        let cell_key = question.cell_key.as_ref();
        let cells = cell_key.map(|key| Evidence::of_cells(question, key, &way));
        let in_order = |key: &Arc<KeyPlan>| Evidence::has_cells_in_order(question, key, &way);
        let cells_in_order = cell_key.is_some_and(in_order);
        let names_cells = cell_key.is_some_and(|cells| {
            let mut qualifier = key.segments().len()..cells.segments().len();
            qualifier.all(|at| way.knows(cells, at))
        });
        let mut used = 0..way.segments(key);
        let ambiguous = used.any(|segment| !key.is_delimited(segment));
        // Ranges that overlap are read as one, in no order of their rows.
        let may_overlap = ambiguous && !way.dimensions.is_empty();
        let ordered = ordered(question, &way).filter(|_| !may_overlap);
        let bound = |dimension: &Dimension| match dimension {
            Dimension::Field(_, FieldValues::Steps(_)) => true,
            Dimension::Field(field, _) => {
                !evidence.told.contains(field) || evidence.shared.contains(field)
            }
            // Several draws may make the same of what is known.
            Dimension::Segment(at, _) => !way.hides(*at),
        };
        let is_exact_scan = matches!(way.stop, Stop::Prefix { .. })
            && way.dimensions.is_empty()
            && cell_key.is_none()
            && question.wants_what_it_knows()
            && question.picked.is_empty()
            && question.fixed.is_empty()
            && evidence.is_only_of(question.known.stored());
        let of_field = |dimension: &Dimension| matches!(dimension, Dimension::Field(..));
        let mut plan = Self {
            is_exact_scan,
            gets_together: way.stop == Stop::Key
                && !way.dimensions.is_empty()
                && way.dimensions.iter().all(of_field)
                && key.goes_by_columns(),
            path: path(key, &way, ordered.is_some()),
            own_row: way.stop == Stop::Key && way.dimensions.is_empty() && question.is_one_row(),
            longer: LongerValues::new(key, &way, &evidence, beginnings),
            may_repeat: may_overlap || way.dimensions.iter().any(bound),
            question: question.clone(),
            way,
            evidence,
            cells,
            cells_in_order,
            names_cells,
            ordered,
            is_mixed: false,
            over_reads: Vec::new(),
            expected: Expected::default(),
        };
        plan.over_reads = plan.find_over_reads();
        plan
    }

    /// All rows that it reads have the target's value of the field.
    pub fn keeps_to(&self, field: FieldId) -> bool {
        let (question, evidence) = (&self.question, &self.evidence);
        let is_told = evidence.told.contains(&field) && !evidence.shared.contains(&field);
        let is_of_target = question.known.knows(field) && !question.lists.contains(&field);
        is_of_target && (is_told || self.own_row)
    }

    /// Its scans run from the end of their ranges.
    pub fn reversed(&self) -> bool {
        let scans = !matches!(self.path, AccessPath::Get | AccessPath::MultiGet);
        scans
            && self
                .ordered
                .as_ref()
                .is_some_and(|ordered| ordered.reversed)
    }

    /// Appends the beginnings of the keys of targets, whose records lie one after another, to `keys` ([`AccessPlan::requests_from`]): for many targets faster
    /// than one by one. None where each has several.
    pub fn write_beginnings(&self, records: &[i64], operations: &[u64], keys: &mut KeyBatch) {
        let key = &self.question.key;
        if self.way.dimensions.is_empty() && self.question.by_index.is_none() {
            key.write_beginnings(self.way.segments(key), records, operations, keys);
        }
    }

    /// Asks for what rows with the values that are known of a target are counted by: when many are counted next, they wait for memory together.
    pub fn prefetch(&self, record: &[i64], population: &Population) {
        for field in self.question.known.stored() {
            population.prefetch(*field, &record[usize::from(field.0)..][..1]);
        }
    }

    /// What it costs in another context, such as that of a table with other rows: means over the targets there.
    pub fn expected_of<R: RowCounts>(&self, context: &PlanContext<'_, R>) -> Expected {
        let (mut sum, mut requests) = (Expected::default(), Requests::default());
        for target in context.sample {
            self.requests(target, context.population, &mut requests);
            sum.add(&requests, context.costs);
        }
        sum.of_one(context.sample.len())
    }

    /// The same with means over a larger sample.
    pub fn expecting(self, expected: Expected) -> Self {
        Self { expected, ..self }
    }

    fn find_over_reads(&self) -> Vec<OverRead> {
        let (question, key) = (&*self.question, &self.question.key);
        let mut found = Vec::new();
        let mut add = |over_read: OverRead| {
            if !found.contains(&over_read) {
                found.push(over_read);
            }
        };
        // What its qualifier tells of a cell is told as well.
        let evidence = self.cells.as_ref().unwrap_or(&self.evidence);
        let told = |field| evidence.told.contains(&field);
        // What the reader knows and the used part of the key does not tell.
        for &field in question.known.stored() {
            if !told(field) {
                add(self.untold(field));
            }
        }
        for &field in &question.lists {
            let is_list = |values: &FieldValues| matches!(values, FieldValues::List(_));
            if !(self.way.binds(field, is_list) && told(field)) {
                add(OverRead::Filter(question.name(field)));
            }
        }
        for band in &question.bands {
            let field = band.field;
            if band.derived.is_some_and(|it| self.tells_derived(it)) {
                continue;
            }
            let is_range = |values: &FieldValues| matches!(values, FieldValues::Range);
            let by_values = self.way.binds(field, is_range);
            match &evidence.range {
                _ if by_values && told(field) => {}
                Some((range, None)) if *range == field => {
                    let Stop::Range {
                        segments, bound, ..
                    } = self.way.stop
                    else {
                        continue;
                    };
                    if key.is_mixed(segments..bound.end, field, &evidence.told) {
                        add(OverRead::Filter(question.name(field)));
                    }
                }
                Some((range, Some(_))) if *range == field => {
                    add(OverRead::Steps(question.name(field)));
                }
                _ => add(self.untold(field)),
            }
        }
        for derived in &question.derived {
            if !self.tells_derived(*derived)
                && let Some(derivation) = key.derivation(*derived)
            {
                add(OverRead::Filter(derivation.name().to_owned()));
            }
        }
        for (at, segment) in self.used().iter().enumerate() {
            if !key.is_delimited(at) {
                add(OverRead::LongerValues(segment.expression.clone()));
            }
        }
        if let Some(order) = question.order
            && self.way.stop != Stop::Key
        {
            let name = question.name(order.field);
            match &self.ordered {
                None => add(OverRead::Sorted(name)),
                Some(ordered) if ordered.step.is_some() => add(OverRead::Steps(name)),
                Some(_) => {}
            }
        }
        found
    }

    /// Fields by which it filters the rows that it reads.
    pub(super) fn filters(&self) -> Vec<FieldId> {
        let question = &*self.question;
        let fields = question.known.stored().iter();
        let fields = fields.chain(&question.lists).chain(&question.made_of.0);
        let untold = fields.filter(|field| !self.evidence.told.contains(field));
        untold.copied().collect()
    }

    /// The segments that are used as a whole.
    fn used(&self) -> &[Segment] {
        let key = &self.question.key;
        &key.segments()[..self.way.segments(key)]
    }

    /// Is the derived field itself among the segments that are used, those that bound a range included?
    fn tells_derived(&self, derived: DerivedId) -> bool {
        let key = &self.question.key;
        let used = match self.way.stop {
            Stop::Range { bound, .. } => bound.end,
            _ => self.used().len(),
        };
        let own = |segment: &usize| self.way.values_given(*segment).is_none();
        // Of other values of its fields it asks for others.
        let is_tried = |field: &FieldId| {
            self.way.binds(*field, |values| match values {
                FieldValues::List(_) => true,
                FieldValues::Range => false,
                _ => !self.question.has_band(*field),
            })
        };
        key.derivation(derived).is_some_and(|derivation| {
            let mut own = (0..used).filter(own);
            let mut fields = derivation.fields().iter();
            !fields.any(is_tried) && own.any(|segment| derivation.is(&key.segments()[segment]))
        })
    }

    /// What is read for want of knowing a field for certain: whole steps of it, other values of the same hash, or anything.
    fn untold(&self, field: FieldId) -> OverRead {
        let steps = self.evidence.steps.iter();
        let mut steps = steps.chain(&self.evidence.hashed_steps);
        if steps.any(|(step, _)| *step == field) {
            return OverRead::Steps(self.question.name(field));
        }
        let hashes = |of: &&Segment| of.fields().contains(&field);
        let hashed = self.used().iter().filter(hashes);
        let longest = hashed.max_by_key(|segment| segment.cardinality().unwrap_or(u64::MAX));
        match longest.filter(|_| self.evidence.hashed.contains(&field)) {
            Some(segment) => OverRead::SharedHash(segment.expression.clone()),
            None => OverRead::Filter(self.question.name(field)),
        }
    }

    /// In words: "16 scans, one a bucket; 10 rows wanted, 160 read", with something to say behind the kind of requests, such as ", each of one region".
    pub fn words(&self, of_regions: &str) -> String {
        let expected = self.expected;
        let rows = counted(count(expected.rows_returned), "row");
        let mut words = vec![
            format!("{}{of_regions}", self.kind_in_words()),
            format!("{rows} wanted, {} read", count(expected.rows_read)),
        ];
        if expected.cells_read > LEAST_CELLS * expected.rows_read {
            let [wanted, read] = [expected.cells_returned, expected.cells_read].map(count);
            words.push(format!("{} wanted, {read} read", counted(wanted, "cell")));
        }
        if expected.copies > LEAST_COPIES {
            words.push(format!(
                "each row in {} copies, as it was written again under other salts",
                count(expected.copies)
            ));
        }
        words.extend(self.over_reads.iter().map(OverRead::to_string));
        words.join("; ")
    }

    /// The kind of requests and what there is one of each for: "16 scans, one a bucket".
    fn kind_in_words(&self) -> String {
        let requests = self.expected.requests;
        let one = requests < 1.5;
        let number = count(requests);
        let reversed = if self.reversed() { "reversed " } else { "" };
        let words = match self.path {
            AccessPath::Get => "1 get".to_owned(),
            AccessPath::MultiGet => format!("{number} gets"),
            AccessPath::Scan => format!("1 {reversed}scan"),
            AccessPath::FanOutScan if one => format!("1 {reversed}scan"),
            AccessPath::FanOutScan => format!("{number} {reversed}scans"),
            AccessPath::BucketScan => "1 scan of a whole bucket".to_owned(),
            AccessPath::TableScan => "1 scan of the whole table".to_owned(),
        };
        let mut each: Vec<String> = Vec::new();
        for dimension in &self.way.dimensions {
            let of = match dimension {
                Dimension::Segment(..) => "a bucket".to_owned(),
                Dimension::Field(field, values) => {
                    let of = match values {
                        FieldValues::Steps(_) => "step of ",
                        FieldValues::Classes(_) => "value that the key makes of ",
                        _ => "",
                    };
                    format!("for each {of}`{}`", self.question.name(*field))
                }
            };
            if !each.contains(&of) {
                each.push(of);
            }
        }
        if one || self.path == AccessPath::TableScan || each.is_empty() {
            return words;
        }
        format!("{words}, one {}", each.join(" and "))
    }
}

/// Fewer cells a row are not told: rows are meant then.
const LEAST_CELLS: f64 = 1.05;

/// Fewer copies of a row are not told: rows that happen to agree in a millisecond give as many.
const LEAST_COPIES: f64 = 1.05;

impl std::fmt::Display for OverRead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Filter(field) => write!(f, "filters by `{field}`"),
            Self::Steps(field) => write!(f, "reads whole steps of `{field}`"),
            Self::LongerValues(segment) => write!(f, "reads longer values of `{segment}` as well"),
            Self::SharedHash(segment) => write!(f, "reads what shares `{segment}`"),
            Self::Sorted(field) => write!(f, "sorts by `{field}`"),
        }
    }
}

/// Whole above ten, one decimal below.
fn count(number: f64) -> String {
    if number >= 10.0 || (number - number.round()).abs() < 0.05 {
        grouped(number.round() as i128)
    } else {
        format!("{number:.1}")
    }
}

/// Does the rest of the key put rows in the order that is wanted?
fn ordered(question: &Question, way: &Candidate) -> Option<Ordered> {
    let (order, key) = (question.order?, &question.key);
    if matches!(way.stop, Stop::Key | Stop::Lead { .. }) {
        return None;
    }
    let (first, all) = (way.segments(key), key.segments().len());
    // Of a field that it multiplies by and does not tell the rows of all values lie in each scan.
    let (mut known, mut fixed) = (question.known.with(order.field), Knowledge::default());
    let mut told = key.told_fields(0..first);
    told.extend(way.high_fields(key));
    told.retain(|field| way.is_whole(*field));
    // What they decide need not be known: all rows of a scan have it in common.
    told.extend(decided_by(&told, &question.dependents));
    for field in told {
        known.learn(KnownField::Stored(field));
        fixed.learn(KnownField::Stored(field));
    }
    let following = match way.stop {
        // It gives the draw of the segment that follows the field, or asks for runs of it.
        Stop::Range { field, bound, .. }
            if field == order.field
                && (way.values_given(first).is_some()
                    || key.following_in_runs(first, field, &known).is_some()) =>
        {
            bound
        }
        _ => key.following(first, order.field, &known, &fixed)?,
    };
    let (used, trend) = (first..following.end, following.trend);
    let by_derived = order.derived.is_some_and(|derived| {
        let mut known = Knowledge::default();
        known.learn(KnownField::Derived(derived));
        let varies = |at: &usize| key.segments()[*at].constant().is_none();
        used.filter(varies).any(|at| key.is_known(at, &known))
    });
    let exact = trend.exact || by_derived;
    let joint = match exact {
        true => None,
        false => Some(key.joint_steps(0..following.end, order.field)?),
    };
    Some(Ordered {
        reversed: trend.rising != order.falling,
        segments: if joint.is_some() { following.end } else { all },
        step: joint.map(|joint| joint.told.unwrap_or(joint.steps)),
    })
}

/// A hash or draw of no more values says which bucket, not which entity.
const BUCKET_VALUES: u64 = 256;

fn path(key: &KeyPlan, way: &Candidate, ordered: bool) -> AccessPath {
    let one = way.requests <= 1.0;
    if way.stop == Stop::Key {
        return match one {
            true => AccessPath::Get,
            false => AccessPath::MultiGet,
        };
    }
    let unknown =
        |field: &FieldId| way.binds(*field, |values| matches!(values, FieldValues::All(_)));
    let mut telling = !matches!(way.stop, Stop::Prefix { .. });
    let mut bucket = false;
    for at in (0..way.segments(key)).filter(|at| !way.hides(*at)) {
        let segment = &key.segments()[at];
        if segment.constant().is_some() || segment.fields().iter().all(unknown) {
            continue;
        }
        let few = segment
            .cardinality()
            .is_some_and(|count| count <= BUCKET_VALUES);
        let is_bucket = few && segment.randomness() != Randomness::Plain;
        bucket |= is_bucket;
        telling |= !is_bucket;
    }
    match (telling, bucket, one) {
        (true, _, true) => AccessPath::Scan,
        (false, true, true) if ordered => AccessPath::Scan,
        (true, _, false) | (_, true, false) => AccessPath::FanOutScan,
        (false, true, true) => AccessPath::BucketScan,
        (false, false, false) if ordered => AccessPath::FanOutScan,
        (false, false, true) if ordered => AccessPath::Scan,
        (false, false, _) => AccessPath::TableScan,
    }
}

/// Of so many requests for steps of a field it is looked at how many are left when those of keys side by side are one; of more there is a way by buckets.
const FEW_STEPS: f64 = 64.0;

/// What a plan is made for.
#[derive(Debug)]
pub struct PlanContext<'a, R = Population> {
    /// Stored fields.
    pub schema: &'a Schema,
    /// The instant at which the run starts.
    pub start: EpochNanos,
    /// The table's rows.
    pub population: &'a R,
    /// Targets that costs are averaged over.
    pub sample: &'a [ReadTarget<'a>],
    /// What requests cost.
    pub costs: Costs,
}

/// Plans a read: the way with the least mean cost over the sample; of equal ones the first of [`AccessPath`]'s order.
pub fn plan<R: RowCounts>(
    stored: &TableKeys,
    read: &Read,
    context: &PlanContext<'_, R>,
) -> AccessPlan {
    let schema = context.schema;
    let whole = Question::new(stored, read, schema, context.start, |field| {
        context.population.follow(field)
    });
    let cut = whole.cut();
    let mut best: Option<(f64, AccessPlan)> = None;
    for question in [Some(whole), cut].into_iter().flatten() {
        plan_with(&Arc::new(question), context, &mut best);
    }
    let (_, plan) = best.expect("reading the whole table is always a way");
    plan
}

/// Tries all ways in which the question's key serves it.
fn plan_with<R: RowCounts>(
    question: &Arc<Question>,
    context: &PlanContext<'_, R>,
    best: &mut Option<(f64, AccessPlan)>,
) {
    let (schema, key) = (context.schema, &question.key);
    let mut ways = candidates(schema, question, context.sample);
    if let Some(named) = question.by_index {
        // The index names whole keys.
        ways.truncate(1);
        for way in &mut ways {
            way.stop = Stop::Key;
            way.dimensions.clear();
            way.requests = f64::from(named);
        }
    }
    ways.sort_by(|a, b| a.requests.total_cmp(&b.requests));
    let beginnings = (0..key.segments().len()).map(|segment| {
        let open = !key.is_delimited(segment);
        let beginnings = open.then(|| ValueBeginnings::of(key, segment, schema));
        beginnings.flatten().map(Arc::new)
    });
    let beginnings: Vec<_> = beginnings.collect();
    let mut requests = Requests::default();
    for way in ways {
        // Opening its requests alone costs more; ranges in a few steps may be one.
        let is_range = matches!(way.stop, Stop::Range { .. });
        let may_be_one = is_range && way.is_in_steps() && way.requests <= FEW_STEPS;
        let opened = if may_be_one { 1.0 } else { way.requests };
        let least = opened * (context.costs.get - context.costs.absent).min(context.costs.scan);
        if best.as_ref().is_some_and(|(cost, _)| least > *cost) {
            continue;
        }
        let mut plan = AccessPlan::new(question, way, &beginnings);
        plan.is_mixed = plan.ordered.is_some() && context.population.differ_in(&plan.filters());
        let most = best.as_ref().map_or(f64::INFINITY, |(cost, _)| *cost);
        let cost = cost(&mut plan, context, most, &mut requests);
        let better = best.as_ref().is_none_or(|(least, before)| {
            let by_cost = cost.total_cmp(least);
            by_cost.then(plan.path.cmp(&before.path)).is_lt()
        });
        if better {
            *best = Some((cost, plan));
        }
    }
}

/// Mean cost of one read in seconds; sets what is expected of it. Infinite, and nothing is set, when it is more than `most`.
fn cost<R: RowCounts>(
    plan: &mut AccessPlan,
    context: &PlanContext<'_, R>,
    most: f64,
    requests: &mut Requests,
) -> f64 {
    let mut sum = Expected::default();
    for target in context.sample {
        plan.requests(target, context.population, requests);
        sum.add(requests, context.costs);
        if sum.seconds > most * context.sample.len() as f64 {
            return f64::INFINITY;
        }
    }
    plan.expected = sum.of_one(context.sample.len());
    plan.expected.seconds
}
