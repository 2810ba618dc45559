//! Keys that a scenario's fields, reads and own keys suggest, as text in the key language. Must not judge them, nor check them: they are
//! read like strategies of the file.

use super::key_order::{Unit, concatenated, fields_of, in_words, units};
use crate::key::{Knowledge, Spread};
use crate::record::{FieldId, KnownField};
use crate::scenario::Strategy;
use serde::Serialize;

/// Regions of a server where the number is free: what the balancer can deal out evenly.
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
    /// The pre-split that fits it, as TOML.
    pub presplit: String,
}

/// The keys that strategies over the same fields and reads suggest: reordered, hashed, salted. Empty when their key can't be taken to pieces
/// that hold all its fields.
pub(super) fn suggested_keys(own: &[&Strategy]) -> Vec<SuggestedKey> {
    let plain = |strategy: &&&Strategy| {
        let segments = strategy.key.segments().iter();
        segments.clone().all(|it| it.spread() == Spread::Plain)
    };
    let Some(model) = own.iter().find(plain).or(own.first()) else {
        return Vec::new();
    };
    let units = units(model);
    if units.is_empty() || fields_of(&units) != model.key.fields() {
        return Vec::new();
    }
    let sources = Sources {
        model,
        own,
        units: &units,
    };
    let mut keys = sources.ordered();
    keys.extend(sources.hashed());
    keys.extend(sources.salted());
    let mut distinct: Vec<SuggestedKey> = Vec::new();
    for key in keys {
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
}

impl Sources<'_> {
    fn regions(&self) -> u32 {
        REGIONS_A_SERVER * self.model.setup.cluster.servers
    }

    /// Units that are no time, in the key's order; all of a key that is nothing but time.
    fn identity(&self) -> Vec<&Unit> {
        let timeless: Vec<&Unit> = self.units.iter().filter(|unit| !unit.is_time).collect();
        match timeless.is_empty() {
            true => self.units.iter().collect(),
            false => timeless,
        }
    }

    /// Sets of units that readers know together: what all know, then what each knows. The identity when nothing is read, or no reader knows
    /// anything of it.
    fn known_together(&self) -> Vec<Vec<&Unit>> {
        let reads = &self.model.setup.workload.reads;
        let of_reads = reads.iter().map(|read| {
            let mut known = Knowledge::default();
            let with = read.with.iter().map(|(field, _)| field);
            let with = with.map(|&field| KnownField::Stored(field));
            for field in read.equal.iter().copied().chain(with) {
                known.learn(field);
            }
            let units = self.units.iter();
            let is_known = |unit: &&Unit| self.model.key.is_known(unit.segment, &known);
            units.filter(is_known).collect::<Vec<&Unit>>()
        });
        let of_reads: Vec<Vec<&Unit>> = of_reads.collect();
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
        let reads = &self.model.setup.workload.reads;
        let mut reads = reads.iter();
        let wants_newest = reads.any(|read| read.newest.is_some() || read.page.is_some());
        let presplit = format!(
            "{{ algorithm = \"sampled\", regions = {} }}",
            self.regions()
        );
        let mut keys = Vec::new();
        for known in self.known_together() {
            let entity: Vec<&Unit> = known.iter().copied().filter(|it| !it.is_time).collect();
            if entity.is_empty() {
                continue;
            }
            let name = in_words(&entity);
            let order = self.reordered(&known);
            keys.push(SuggestedKey {
                name: format!("{name}-first"),
                key: concatenated(order.iter().copied()),
                presplit: presplit.clone(),
            });
            let reversed: Option<Vec<Unit>> = order
                .iter()
                .map(|unit| match unit.is_time {
                    true => unit.reversed(),
                    false => Some((*unit).clone()),
                })
                .collect();
            if let Some(reversed) = reversed.filter(|_| wants_newest) {
                keys.push(SuggestedKey {
                    name: format!("{name}-newest-first"),
                    key: concatenated(reversed.iter()),
                    presplit: presplit.clone(),
                });
            }
        }
        keys
    }

    /// A hash of what readers know together in front of the entity-first key; not of what a key of the file hashes already.
    fn hashed(&self) -> Vec<SuggestedKey> {
        let mut keys = Vec::new();
        for known in self.known_together() {
            let fields = fields_of(known.iter().copied());
            if self.own.iter().any(|own| leads_with_hash(own, &fields)) {
                continue;
            }
            let order = self.reordered(&known);
            let hashed = concatenated(known.iter().copied());
            let is_text = order.iter().all(|unit| unit.is_text);
            let (hash, algorithm) = match is_text {
                true => (
                    format!("left(md5({hashed}), {})", 2 * HASH_BYTES),
                    "hex-string",
                ),
                false => (
                    format!("left(md5_bytes({hashed}), {HASH_BYTES})"),
                    "uniform",
                ),
            };
            keys.push(SuggestedKey {
                name: format!("hashed-{}", in_words(&known)),
                key: format!("{hash} || {}", concatenated(order.iter().copied())),
                presplit: format!(
                    "{{ algorithm = \"{algorithm}\", regions = {} }}",
                    self.regions()
                ),
            });
        }
        keys
    }

    /// Buckets in front of the key as it stands: computed, so that readers who know the entity know its bucket, and drawn.
    fn salted(&self) -> Vec<SuggestedKey> {
        let servers = self.model.setup.cluster.servers;
        let identity = concatenated(self.identity().iter().copied());
        let key = concatenated(self.units);
        let mut keys = Vec::new();
        for buckets in [servers, servers.saturating_mul(2)] {
            if !(2..=MOST_BUCKETS).contains(&buckets) {
                continue;
            }
            let fronts = [
                ("salted", format!("salt({buckets}, {identity})")),
                ("random", format!("be1(random({buckets}))")),
            ];
            keys.extend(fronts.map(|(name, front)| SuggestedKey {
                name: format!("{name}-{buckets}"),
                key: format!("{front} || {key}"),
                presplit: "{ algorithm = \"buckets\" }".to_owned(),
            }));
        }
        keys
    }
}

/// Its first segment is a hash of exactly these fields, and of more values than a salt.
fn leads_with_hash(strategy: &Strategy, fields: &[FieldId]) -> bool {
    let mut segments = strategy.key.segments().iter();
    segments.next().is_some_and(|first| {
        let few = |values: u64| values <= u64::from(MOST_BUCKETS);
        first.spread() == Spread::Hashed
            && first.fields() == fields
            && !first.cardinality().is_some_and(few)
    })
}

fn holds(units: &[&Unit], unit: &Unit) -> bool {
    units.iter().any(|other| other.segment == unit.segment)
}

fn same(units: &[&Unit], others: &[&Unit]) -> bool {
    units.len() == others.len() && units.iter().all(|unit| holds(others, unit))
}
