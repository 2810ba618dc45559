//! Keys that a scenario's fields, reads and own keys suggest, as text in the key language. Must not judge them, nor check them: they are
//! read like strategies of the file.

use super::key_order::{Unit, concatenated, fields_of, in_words, units};
use crate::key::{Knowledge, Randomness};
use crate::record::{FieldId, KnownField};
use crate::scenario::{Presplit, Strategy};
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
    /// Keys of further copies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
}

impl SuggestedKey {
    fn new(name: String, key: String, presplit: String) -> Self {
        Self {
            name,
            key,
            presplit,
            copies: Vec::new(),
        }
    }

    /// What its strategy says besides the key, as TOML, a setting each.
    pub fn settings(&self) -> Vec<String> {
        let mut settings = vec![format!("presplit = {}", self.presplit)];
        if !self.copies.is_empty() {
            let copies: Vec<String> = self.copies.iter().map(|it| in_quotes(it)).collect();
            settings.push(format!("copies = [{}]", copies.join(", ")));
        }
        settings
    }
}

/// A key as TOML. Quotes and backslashes are escaped as in JSON; other controls can't stand in a key.
pub(super) fn in_quotes(key: &str) -> String {
    serde_json::Value::from(key).to_string()
}

/// The pre-split of equal parts of the rows that exist, or else of the run's.
pub(super) fn sampled(regions: u32) -> String {
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
    let Some(model) = own.iter().find(plain).or(own.first()) else {
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
    for key in keys.into_iter().flatten() {
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
        let with = read
            .with
            .iter()
            .map(|(field, _)| KnownField::Stored(*field));
        for field in read.equal.iter().copied().chain(with) {
            known.learn(field);
        }
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
        chosen(true, false)
            .chain(chosen(true, true))
            .chain(chosen(false, true))
            .chain(chosen(false, false))
            .collect()
    }

    /// The entity first, and then the newest rows first if a reader wants them.
    fn ordered(&self) -> Vec<SuggestedKey> {
        let mut reads = self.model.setup.workload.reads.iter();
        let wants_newest = reads.any(|read| read.newest.is_some() || read.page.is_some());
        let presplit = sampled(self.regions);
        let mut keys = Vec::new();
        for known in self.known_together() {
            let entity: Vec<&Unit> = known.iter().copied().filter(|it| !it.is_time).collect();
            if entity.is_empty() {
                continue;
            }
            let name = in_words(&entity);
            let order = self.reordered(&known);
            let key = concatenated(order.iter().copied());
            keys.push(SuggestedKey::new(
                format!("{name}-first"),
                key,
                presplit.clone(),
            ));
            let newest_first = order.iter().map(|unit| match unit.is_time {
                true => unit.reversed(),
                false => Some((*unit).clone()),
            });
            let newest_first: Option<Vec<Unit>> = newest_first.collect();
            if let Some(order) = newest_first.filter(|_| wants_newest) {
                let name = format!("{name}-newest-first");
                keys.push(SuggestedKey::new(
                    name,
                    concatenated(&order),
                    presplit.clone(),
                ));
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
            let (hash, algorithm) = match order.iter().all(|unit| unit.is_text) {
                true => (
                    format!("left(md5({hashed}), {})", 2 * HASH_BYTES),
                    "hex-string",
                ),
                false => (
                    format!("left(md5_bytes({hashed}), {HASH_BYTES})"),
                    "uniform",
                ),
            };
            SuggestedKey::new(
                format!("hashed-{}", in_words(known)),
                format!("{hash} || {}", concatenated(order)),
                split_by(algorithm, self.regions),
            )
        });
        keys.collect()
    }

    /// What a reader knows in front, then the field of which it wants a range or the newest rows; behind computed buckets where it knows nothing.
    fn ranged(&self) -> Vec<SuggestedKey> {
        let ranged = |read: &Read| {
            let range = read.range.iter().map(|range| range.field);
            let newest = read.newest.iter().map(|newest| newest.field);
            let page = read.page.iter().map(|page| page.field);
            let wanted: Vec<KnownField> = range.chain(newest).chain(page).collect();
            let (first, rest) = self.known_by(read);
            let is_wanted = |unit: &&Unit| unit.tells(&wanted, self.model);
            let (second, rest): (Vec<&Unit>, Vec<&Unit>) = rest.into_iter().partition(is_wanted);
            if second.is_empty() {
                return None;
            }
            let name = in_words(&[first.clone(), second.clone()].concat());
            let is_led = !first.is_empty();
            let key = concatenated([first, second, rest].concat());
            if is_led {
                let name = format!("{name}-first");
                return Some(SuggestedKey::new(name, key, sampled(self.regions)));
            }
            let buckets = self.servers;
            let presplit = self.presplit_of_buckets(buckets)?;
            let key = format!("{} || {key}", self.salt(buckets));
            Some(SuggestedKey::new(
                format!("salted-{buckets}-{name}"),
                key,
                presplit,
            ))
        };
        let reads = self.model.setup.workload.reads.iter();
        reads.filter_map(ranged).collect()
    }

    /// Buckets that are computed from the identity.
    fn salt(&self, buckets: u32) -> String {
        format!("salt({buckets}, {})", concatenated(self.identity()))
    }

    /// Buckets in front of the key as it stands: computed, so that readers who know the entity know its bucket, and drawn.
    fn salted(&self) -> Vec<SuggestedKey> {
        let key = concatenated(self.units);
        let mut keys = Vec::new();
        for buckets in [self.servers, self.servers.saturating_mul(2)] {
            if let Some(presplit) = self.presplit_of_buckets(buckets) {
                let random = format!("be1(random({buckets}))");
                keys.extend([("salted", self.salt(buckets)), ("random", random)].map(
                    |(name, front)| {
                        let name = format!("{name}-{buckets}");
                        SuggestedKey::new(name, format!("{front} || {key}"), presplit.clone())
                    },
                ));
            }
        }
        keys
    }

    /// A table that has rows is cut at their quantiles, like those of the file. In one without rows nothing but the bucket is known of a key: a
    /// region each, if the file's strategies have so many. `None` for a number of buckets that is no salt.
    fn presplit_of_buckets(&self, buckets: u32) -> Option<String> {
        let setup = &self.model.setup;
        let is_empty = setup.workload.existing_rows(&setup.schema) == 0;
        let as_buckets = buckets == self.regions || (is_empty && buckets < self.regions);
        (2..=MOST_BUCKETS)
            .contains(&buckets)
            .then(|| match as_buckets {
                true => "{ algorithm = \"buckets\" }".to_owned(),
                false => sampled(self.regions),
            })
    }

    /// The file's keys in as many regions as the others, where they have fewer than there are servers.
    fn presplit(&self) -> Vec<SuggestedKey> {
        let is_few = |own: &Strategy| presplit_regions(own) < self.servers && own.copies.is_empty();
        let few = self.own.iter().filter(|own| is_few(own));
        few.map(|own| {
            let name = format!("{}-presplit", own.name);
            SuggestedKey::new(
                name,
                own.key.text().trim().to_owned(),
                sampled(self.regions),
            )
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
                .is_none_or(|values| values > u64::from(MOST_BUCKETS))
    })
}

fn holds(units: &[&Unit], unit: &Unit) -> bool {
    units.iter().any(|other| other.segment == unit.segment)
}

fn same(units: &[&Unit], others: &[&Unit]) -> bool {
    units.len() == others.len() && units.iter().all(|unit| holds(others, unit))
}
