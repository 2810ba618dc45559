//! Keys that a scenario's fields, reads and own keys suggest, as text in the key language: a key is taken to pieces, what only spreads it is left out, and
//! the pieces are put together in another order. Must not judge them, nor check them: they are read like strategies of the file.

use crate::key::{Knowledge, Randomness, Segment};
use crate::policy::SplitAlgorithm;
use crate::record::{FieldId, KnownField};
use crate::scenario::{Presplit, Setup, Strategy};
use crate::workload::Read;
use serde::Serialize;

/// Regions of a server where the file's strategies have fewer regions than servers: what the balancer can deal out evenly.
const REGIONS_A_SERVER: u32 = 4;
/// A salt of one byte has at most so many values.
const MOST_BUCKETS: u32 = 256;
/// Bytes of a hash in front, twice as many as hexadecimal digits: far more values than a table has regions (estimate).
const HASH_BYTES: u32 = 4;

/// A key that keyheat suggests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SuggestedKey {
    /// What advice calls it.
    pub name: String,
    /// The key expression.
    pub key: String,
    /// The pre-split that fits it, as TOML: into as many regions as the file's strategies have.
    pub presplit: String,
    /// What names the cell of a write within its row; none where a row is written whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qualifier: Option<String>,
    /// Further copies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<SuggestedCopy>,
}

/// A copy of a suggested key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SuggestedCopy {
    /// The key expression.
    pub key: String,
    /// The pre-split that fits it, as TOML.
    pub presplit: String,
}

impl SuggestedKey {
    fn new(name: String, key: String, presplit: String) -> Self {
        Self {
            name,
            key,
            presplit,
            qualifier: None,
            copies: Vec::new(),
        }
    }

    /// What its strategy says besides the key, as TOML, a setting each.
    pub fn settings(&self) -> Vec<String> {
        let mut settings = vec![format!("presplit = {}", self.presplit)];
        let qualifier = self.qualifier.iter();
        settings.extend(qualifier.map(|it| format!("qualifier = {}", in_quotes(it))));
        if !self.copies.is_empty() {
            let copy = |SuggestedCopy { key, presplit }: &SuggestedCopy| {
                format!("{{ key = {}, presplit = {presplit} }}", in_quotes(key))
            };
            let copies: Vec<String> = self.copies.iter().map(copy).collect();
            settings.push(format!("copies = [{}]", copies.join(", ")));
        }
        settings
    }
}

/// A key as TOML. Quotes and backslashes are escaped as in JSON; other controls can't stand in a key.
pub(super) fn in_quotes(key: &str) -> String {
    serde_json::Value::from(key).to_string()
}

/// The pre-split that the file gives a strategy's table, for a copy by the same key: of its own where it fits the form of the key, else at the quantiles of
/// so many regions.
pub(super) fn presplit_as(strategy: &Strategy, regions: u32) -> String {
    match &strategy.presplit {
        Presplit::Fixed {
            algorithm: Some(SplitAlgorithm::Buckets),
            ..
        } => BY_BUCKETS.to_owned(),
        _ => sampled(regions),
    }
}

/// A region for each bucket.
const BY_BUCKETS: &str = "{ algorithm = \"buckets\" }";

/// The pre-split of equal parts of the rows that exist, or else of the run's.
fn sampled(regions: u32) -> String {
    split_by("sampled", regions)
}

fn split_by(algorithm: &str, regions: u32) -> String {
    format!("{{ algorithm = \"{algorithm}\", regions = {regions} }}")
}

/// Regions of suggested keys: as many as the file's strategies have, so that no key is better for its pre-split alone; a free number where all of these
/// have fewer regions than there are servers.
pub(super) fn regions(own: &[&Strategy]) -> u32 {
    let most = own.iter().map(|it| presplit_regions(it)).max().unwrap_or(1);
    let servers = own.first().map_or(1, |it| it.setup.cluster.servers);
    match most < servers {
        true => REGIONS_A_SERVER * servers,
        false => most,
    }
}

/// The qualifier of the first strategy that says one: under a key without it, cells would replace each other.
pub(super) fn qualifier_of(own: &[&Strategy]) -> Option<String> {
    let qualifier = own.iter().find_map(|it| it.qualifier.as_ref());
    qualifier.map(|it| it.text().trim().to_owned())
}

/// Regions of a strategy's pre-split.
pub(super) fn presplit_regions(strategy: &Strategy) -> u32 {
    match &strategy.presplit {
        Presplit::Sampled { regions } => *regions,
        Presplit::Fixed { points, .. } => points.len() as u32 + 1,
    }
}

/// The keys that strategies over the same fields and reads suggest: reordered, hashed, salted. Empty when their key can't be taken to pieces
/// that hold all its fields.
pub(super) fn suggested_keys(own: &[&Strategy]) -> Vec<SuggestedKey> {
    let plain = |strategy: &&&Strategy| {
        let mut segments = strategy.key.segments().iter();
        segments.all(|it| it.randomness() == Randomness::Plain)
    };
    // Of keys that hold as many of the fields that readers ask by, the first.
    let asked = |strategy: &&&Strategy| {
        let asked = asked_by(strategy);
        let fields = strategy.key.fields();
        fields.iter().filter(|field| asked.contains(field)).count()
    };
    let models = own.iter().rev().filter(plain);
    let Some(model) = models.max_by_key(asked).or(own.first()) else {
        return Vec::new();
    };
    let units = units(model);
    if units.is_empty() || fields_of(&units) != model.key.fields() {
        return Vec::new();
    }
    let servers = model.setup.cluster.servers;
    let regions = regions(own);
    let sources = Sources {
        model,
        own,
        units: &units,
        servers,
        regions,
    };
    let keys = [
        sources.ordered(),
        sources.ranged(),
        sources.hashed(),
        sources.salted(),
        sources.presplit(),
    ];
    let mut distinct: Vec<SuggestedKey> = Vec::new();
    let qualifier = qualifier_of(own);
    for mut key in keys.into_iter().flatten() {
        key.qualifier.clone_from(&qualifier);
        if distinct.iter().all(|other| other.key != key.key) {
            distinct.push(key);
        }
    }
    distinct
}

struct Sources<'a> {
    model: &'a Strategy,
    own: &'a [&'a Strategy],
    /// What the model's key is made of, without what only spreads it.
    units: &'a [Unit],
    servers: u32,
    regions: u32,
}

/// Stored fields that readers know, or by whose values they bound or order rows.
fn asked_by(strategy: &Strategy) -> Vec<FieldId> {
    let stored = |field: KnownField| match field {
        KnownField::Stored(field) => vec![field],
        KnownField::Derived(derived) => {
            let derivation = strategy.key.derivation(derived);
            derivation.map_or(Vec::new(), |it| it.fields().to_vec())
        }
    };
    let reads = strategy.setup.workload.reads.iter();
    let asked = reads.flat_map(|read| {
        let within = read.within.iter();
        let within = within.map(|list| KnownField::Stored(list.field));
        read.known().chain(within).chain(read.ordered())
    });
    asked.flat_map(stored).collect()
}

impl Sources<'_> {
    /// Units that are no time, in the key's order; all of a key that is nothing but time.
    fn identity(&self) -> Vec<&Unit> {
        let timeless: Vec<&Unit> = self.units.iter().filter(|unit| !unit.is_time).collect();
        match timeless.is_empty() {
            true => self.units.iter().collect(),
            false => timeless,
        }
    }

    /// The units that a reader knows, and the others.
    fn known_by(&self, read: &Read) -> (Vec<&Unit>, Vec<&Unit>) {
        let mut known = Knowledge::default();
        read.known().for_each(|field| known.learn(field));
        self.model.key.learn_told(&mut known);
        let units = self.units.iter();
        units.partition(|unit| self.model.key.is_known(unit.segment, &known))
    }

    /// Sets of units that readers know together: what all know, then what each knows. The identity when nothing is read, or no reader knows
    /// anything of it.
    fn known_together(&self) -> Vec<Vec<&Unit>> {
        let reads = self.model.setup.workload.reads.iter();
        let of_reads: Vec<Vec<&Unit>> = reads.map(|read| self.known_by(read).0).collect();
        let by_all = |unit: &&Unit| of_reads.iter().all(|known| holds(known, unit));
        let common = self.units.iter().filter(by_all).collect();
        let mut sets: Vec<Vec<&Unit>> = Vec::new();
        for set in std::iter::once(common).chain(of_reads.iter().cloned()) {
            // What is known of nothing but time gathers the rows of a moment.
            let useful = set.iter().any(|unit| !unit.is_time) && !of_reads.is_empty();
            if useful && sets.iter().all(|other| !same(other, &set)) {
                sets.push(set);
            }
        }
        match sets.is_empty() {
            true => vec![self.identity()],
            false => sets,
        }
    }

    /// `known` in front, time behind what it holds of an entity, then the rest.
    fn reordered<'a>(&'a self, known: &[&'a Unit]) -> Vec<&'a Unit> {
        let chosen = |is_known: bool, is_time: bool| {
            let units = self.units.iter();
            units.filter(move |unit| holds(known, unit) == is_known && unit.is_time == is_time)
        };
        let order = [(true, false), (true, true), (false, true), (false, false)];
        let units = order.map(|(known, time)| chosen(known, time));
        units.into_iter().flatten().collect()
    }

    /// A key whose split points are quantiles of its sample.
    fn sampled(&self, name: String, key: String) -> SuggestedKey {
        SuggestedKey::new(name, key, sampled(self.regions))
    }

    /// The entity first, and then the newest rows first if a reader wants them.
    fn ordered(&self) -> Vec<SuggestedKey> {
        let mut reads = self.model.setup.workload.reads.iter();
        let wants_newest = reads.any(|read| read.newest.is_some() || read.page.is_some());
        let mut keys = Vec::new();
        for known in self.known_together() {
            let entity: Vec<&Unit> = known.iter().copied().filter(|it| !it.is_time).collect();
            if entity.is_empty() {
                continue;
            }
            let name = in_words(&entity);
            let order = self.reordered(&known);
            let key = concatenated(order.iter().copied());
            keys.push(self.sampled(format!("{name}-first"), key));
            let newest_first = order.iter().map(|unit| match unit.is_time {
                true => unit.reversed(),
                false => Some((*unit).clone()),
            });
            let newest_first: Option<Vec<Unit>> = newest_first.collect();
            if let Some(order) = newest_first.filter(|_| wants_newest) {
                let key = concatenated(&order);
                keys.push(self.sampled(format!("{name}-newest-first"), key));
            }
        }
        keys
    }

    /// A hash of what readers know together in front of the entity-first key; not of what a key of the file hashes already.
    fn hashed(&self) -> Vec<SuggestedKey> {
        let mut sets = self.known_together();
        sets.retain(|known| {
            let fields = fields_of(known.iter().copied());
            !self.own.iter().any(|own| leads_with_hash(own, &fields))
        });
        let keys = sets.iter().map(|known| {
            let order = self.reordered(known);
            let hashed = concatenated(known.iter().copied());
            let (md5, length, algorithm) = match order.iter().all(|unit| unit.is_text) {
                true => ("md5", 2 * HASH_BYTES, "hex-string"),
                false => ("md5_bytes", HASH_BYTES, "uniform"),
            };
            SuggestedKey::new(
                format!("hashed-{}", in_words(known)),
                format!("left({md5}({hashed}), {length}) || {}", concatenated(order)),
                split_by(algorithm, self.regions),
            )
        });
        keys.collect()
    }

    /// What a reader knows in front, then the field of which it wants a range or the newest rows; behind computed buckets where it knows nothing.
    fn ranged(&self) -> Vec<SuggestedKey> {
        let ranged = |read: &Read| {
            let wanted: Vec<KnownField> = read.ordered().collect();
            let (first, rest) = self.known_by(read);
            let is_wanted = |unit: &&Unit| unit.tells(&wanted, self.model);
            let (second, rest): (Vec<&Unit>, Vec<&Unit>) = rest.into_iter().partition(is_wanted);
            if second.is_empty() {
                return None;
            }
            let name = in_words(&[first.clone(), second.clone()].concat());
            let is_led = !first.is_empty();
            let units = [first, second, rest].concat();
            let key = concatenated(units.iter().copied());
            if is_led {
                let name = format!("{name}-first");
                return Some(self.sampled(name, key));
            }
            let buckets = self.servers;
            let presplit = self.presplit_of_buckets(buckets, &units)?;
            let key = format!("{} || {key}", self.salt(buckets));
            let name = format!("salted-{buckets}-{name}");
            Some(SuggestedKey::new(name, key, presplit))
        };
        let reads = self.model.setup.workload.reads.iter();
        reads.filter_map(ranged).collect()
    }

    /// Buckets that are computed from the identity.
    fn salt(&self, buckets: u32) -> String {
        format!("salt({buckets}, {})", concatenated(self.identity()))
    }

    /// Buckets in front of the key as it stands: computed, so that readers who know the entity know its bucket, or those who know all that the key tells; and
    /// drawn.
    fn salted(&self) -> Vec<SuggestedKey> {
        let key = concatenated(self.units);
        let behind: Vec<&Unit> = self.units.iter().collect();
        let mut keys = Vec::new();
        for buckets in [self.servers, self.servers.saturating_mul(2)] {
            if let Some(presplit) = self.presplit_of_buckets(buckets, &behind) {
                let fronts = [
                    ("salted", self.salt(buckets)),
                    ("row-salted", format!("salt({buckets}, {key})")),
                    ("random", format!("be1(random({buckets}))")),
                ];
                keys.extend(fronts.map(|(name, front)| {
                    let name = format!("{name}-{buckets}");
                    SuggestedKey::new(name, format!("{front} || {key}"), presplit.clone())
                }));
            }
        }
        keys
    }

    /// A table that has rows is cut at their quantiles, like those of the file. In one without rows nothing but the bucket is known of a key: a
    /// region each, if the file's strategies have so many; and where time comes right `behind` the bucket, or behind one part that may have a hot value, new rows of
    /// each go to one region, so that more regions would have nothing to do. `None` for a number of buckets that is no salt.
    fn presplit_of_buckets(&self, buckets: u32, behind: &[&Unit]) -> Option<String> {
        let setup = &self.model.setup;
        let is_empty = setup.workload.existing_rows(&setup.schema) == 0;
        let in_time = behind.iter().take(2).any(|unit| unit.is_time) && buckets >= self.servers;
        let as_buckets = in_time || is_empty || buckets >= self.regions;
        (2..=MOST_BUCKETS)
            .contains(&buckets)
            .then(|| match as_buckets {
                true => BY_BUCKETS.to_owned(),
                false => sampled(self.regions),
            })
    }

    /// The file's keys in as many regions as the others, where they have fewer than there are servers.
    fn presplit(&self) -> Vec<SuggestedKey> {
        let is_few = |own: &Strategy| presplit_regions(own) < self.servers && own.copies.is_empty();
        let few = self.own.iter().filter(|own| is_few(own));
        few.map(|own| {
            let key = own.key.text().trim().to_owned();
            self.sampled(format!("{}-presplit", own.name), key)
        })
        .collect()
    }
}

/// Its first segment is a hash of exactly these fields, and of more values than a salt.
fn leads_with_hash(strategy: &Strategy, fields: &[FieldId]) -> bool {
    let mut segments = strategy.key.segments().iter();
    segments.next().is_some_and(|first| {
        first.randomness() == Randomness::Hashed
            && first.fields() == fields
            && first
                .cardinality()
                .is_none_or(|it| it > u64::from(MOST_BUCKETS))
    })
}

fn holds(units: &[&Unit], unit: &Unit) -> bool {
    units.iter().any(|other| other.segment == unit.segment)
}

fn same(units: &[&Unit], others: &[&Unit]) -> bool {
    units.len() == others.len() && units.iter().all(|unit| holds(others, unit))
}

/// Letters of the part of a name that tells fields.
const LONGEST_NAME: usize = 40;

/// A segment of a key with the constants behind it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unit {
    /// Index of its segment in the key.
    pub(super) segment: usize,
    /// Follows time, or holds a part of a field that does.
    pub(super) is_time: bool,
    /// Text, and so are the constants.
    pub(super) is_text: bool,
    fields: Vec<FieldId>,
    /// As an operand of `||`.
    expression: String,
    /// Of the constants behind it.
    delimiters: Vec<String>,
    has_one_length: bool,
    /// What it is called: its fields.
    name: String,
}

impl Unit {
    /// It holds one of these fields, of a strategy's key.
    pub(super) fn tells(&self, fields: &[KnownField], strategy: &Strategy) -> bool {
        let key = &strategy.key;
        fields.iter().any(|field| {
            let mut known = Knowledge::default();
            known.learn(*field);
            key.is_known(self.segment, &known)
        })
    }

    /// With the greatest value first; `None` when it is text, or in that order already.
    pub(super) fn reversed(&self) -> Option<Self> {
        let is_done = ["rev_ts", "desc", "LONG_MAX"];
        let is_done = is_done.iter().any(|it| self.expression.contains(it));
        if self.is_text || is_done || !self.has_one_length {
            return None;
        }
        let field = self.expression.strip_prefix("be8(");
        let field = field.and_then(|rest| rest.strip_suffix(')'));
        let expression = match field.filter(|field| is_name(field)) {
            // As HBase's book has it.
            Some(field) => format!("be8(rev_ts({field}))"),
            None => format!("desc({})", self.expression),
        };
        Some(Self {
            expression,
            ..self.clone()
        })
    }
}

/// The units of a strategy's key, in its order: leading buckets and hashes of what comes later are left out, and constants before all. The second of a
/// minute is such a bucket of a time.
pub(super) fn units(strategy: &Strategy) -> Vec<Unit> {
    let (segments, schema) = (strategy.key.segments(), &strategy.setup.schema);
    let only_spreads = |at: usize| {
        let own = &segments[at];
        let is_told = |field: &FieldId| {
            let mut later = segments[at + 1..].iter();
            later.any(|it| it.randomness() == Randomness::Plain && it.fields().contains(field))
        };
        let is_time = |field: &FieldId| schema.domain(*field).follows_time;
        let cycles = || !own.follows_time() && own.fields().iter().all(is_time);
        let spreads = own.randomness() != Randomness::Plain || cycles();
        spreads && own.fields().iter().all(is_told)
    };
    let is_front = |at: &usize| is_delimiter(&segments[*at]) || only_spreads(*at);
    let rest = (0..segments.len()).skip_while(is_front);
    let times = segments.iter().filter(|segment| segment.follows_time());
    let times: Vec<FieldId> = times.flat_map(|it| it.fields()).copied().collect();
    let mut units: Vec<Unit> = Vec::new();
    for at in rest.filter(|at| prefixed(segments, *at, &strategy.setup).is_none()) {
        let segment = &segments[at];
        let before = at.checked_sub(1);
        let prefixed = before.and_then(|before| prefixed(segments, before, &strategy.setup));
        let expression = prefixed.unwrap_or_else(|| operand(segment, &strategy.setup));
        match units.last_mut() {
            Some(before) if is_delimiter(segment) => {
                before.is_text &= segment.is_text();
                before.delimiters.push(expression);
            }
            _ => units.push(Unit {
                segment: at,
                is_time: segment.fields().iter().any(|field| times.contains(field)),
                is_text: segment.is_text(),
                fields: segment.fields().to_vec(),
                name: name(segment, &expression, &strategy.setup),
                expression,
                delimiters: Vec::new(),
                has_one_length: segment.len_range().0 == segment.len_range().1,
            }),
        }
    }
    units
}

/// The same in every row of every run, not only because a field has one value in this one.
fn is_delimiter(segment: &Segment) -> bool {
    segment.fields().is_empty() && segment.randomness() == Randomness::Plain
}

/// The derived field that is this constant and the segment behind it, and nothing else: `'c' || number`.
fn prefixed(segments: &[Segment], at: usize, setup: &Setup) -> Option<String> {
    let behind = segments
        .get(at + 1)
        .filter(|_| is_delimiter(&segments[at]))?;
    let [constant, field] = [&segments[at], behind].map(|it| it.expression.trim());
    let text = format!("{constant} || {field}");
    let mut derived = setup.derived.iter();
    let is_it = |(name, its): &&(String, String)| {
        behind.derived.as_ref() == Some(name) && its.trim() == text
    };
    derived.find(is_it).map(|(name, _)| name.clone())
}

/// Fields of all units, ascending.
pub(super) fn fields_of<'a>(units: impl IntoIterator<Item = &'a Unit>) -> Vec<FieldId> {
    let fields = units.into_iter().flat_map(|unit| &unit.fields).copied();
    let mut fields: Vec<FieldId> = fields.collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}

/// The units one after another, each with its end known.
pub(super) fn concatenated<'a>(units: impl IntoIterator<Item = &'a Unit>) -> String {
    let units: Vec<&Unit> = units.into_iter().collect();
    let mut operands: Vec<&str> = Vec::new();
    for (at, unit) in units.iter().enumerate() {
        operands.push(&unit.expression);
        if at + 1 == units.len() {
            break;
        }
        operands.extend(unit.delimiters.iter().map(String::as_str));
        if unit.delimiters.is_empty() && !unit.has_one_length {
            operands.push("x'00'");
        }
    }
    operands.join(" || ")
}

/// `company-day`, for the name of a strategy.
pub(super) fn in_words(units: &[&Unit]) -> String {
    let names: Vec<&str> = units.iter().map(|unit| unit.name.as_str()).collect();
    let plain = |c: char| match c.to_ascii_lowercase() {
        c if c.is_ascii_alphanumeric() => c,
        _ => '-',
    };
    let name: String = names.join("-").chars().map(plain).collect();
    let name: String = name.trim_matches('-').chars().take(LONGEST_NAME).collect();
    match name.is_empty() {
        true => "key".to_owned(),
        false => name,
    }
}

/// As an operand of `||`: a derived field by its name, which readers may know, sums in parentheses.
fn operand(segment: &Segment, setup: &Setup) -> String {
    let expression = &segment.expression;
    let is_whole = |(name, text): &&(String, String)| {
        segment.derived.as_deref() == Some(name) && text.trim() == expression.trim()
    };
    if let Some((name, _)) = setup.derived.iter().find(is_whole) {
        return name.clone();
    }
    match has_operator(expression) {
        true => format!("({expression})"),
        false => expression.to_owned(),
    }
}

fn name(segment: &Segment, expression: &str, setup: &Setup) -> String {
    if is_name(expression) {
        return expression.to_owned();
    }
    let name = |&field: &FieldId| setup.schema.field(field).name.as_str();
    let names: Vec<&str> = segment.fields().iter().map(name).collect();
    names.join("-")
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !text.is_empty() && text.chars().all(is_part)
}

/// An operator outside of parentheses and quotes.
fn has_operator(expression: &str) -> bool {
    let (mut depth, mut quoted) = (0usize, false);
    for c in expression.chars() {
        match c {
            '\'' => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '+' | '-' | '*' | '/' | '%' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}
