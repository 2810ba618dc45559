//! Keys that a scenario's fields, reads and own keys suggest, as text in the key language. Must not judge them, nor check them: they are
//! read like strategies of the file.

use super::key_order::{Unit, concatenated, fields_of, in_words, units};
use crate::key::{Knowledge, Randomness};
use crate::record::{FieldId, KnownField};
use crate::scenario::{Presplit, Strategy};
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
    format!("{{ algorithm = \"sampled\", regions = {regions} }}")
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
        let segments = strategy.key.segments().iter();
        segments
            .clone()
            .all(|it| it.randomness() == Randomness::Plain)
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
    keys.extend(sources.ranged());
    keys.extend(sources.hashed());
    keys.extend(sources.salted());
    keys.extend(sources.presplit());
    let mut distinct: Vec<SuggestedKey> = Vec::new();
    for key in keys {
        let is_same = |other: &SuggestedKey| other.key == key.key;
        if !distinct.iter().any(is_same) {
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
        regions(self.own)
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
        let presplit = sampled(self.regions());
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
                copies: Vec::new(),
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
                    copies: Vec::new(),
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
                copies: Vec::new(),
            });
        }
        keys
    }

    /// What a reader knows in front, then the field of which it wants a range or the newest rows; behind computed buckets where it knows nothing.
    fn ranged(&self) -> Vec<SuggestedKey> {
        let identity = concatenated(self.identity().iter().copied());
        let mut keys = Vec::new();
        for read in &self.model.setup.workload.reads {
            let range = read.range.iter().map(|range| range.field);
            let newest = read.newest.iter().map(|newest| newest.field);
            let page = read.page.iter().map(|page| page.field);
            let mut known = Knowledge::default();
            let with = read
                .with
                .iter()
                .map(|(field, _)| KnownField::Stored(*field));
            for field in read.equal.iter().copied().chain(with) {
                known.learn(field);
            }
            let is_known = |unit: &&Unit| self.model.key.is_known(unit.segment, &known);
            let wanted: Vec<KnownField> = range.chain(newest).chain(page).collect();
            let (first, rest): (Vec<&Unit>, Vec<&Unit>) = self.units.iter().partition(is_known);
            let (second, rest): (Vec<&Unit>, Vec<&Unit>) = rest
                .into_iter()
                .partition(|unit| unit.tells(&wanted, self.model));
            if second.is_empty() {
                continue;
            }
            let name = in_words(&[first.clone(), second.clone()].concat());
            let order = [first.clone(), second, rest].concat();
            let key = concatenated(order);
            if !first.is_empty() {
                keys.push(SuggestedKey {
                    name: format!("{name}-first"),
                    key,
                    presplit: sampled(self.regions()),
                    copies: Vec::new(),
                });
                continue;
            }
            let buckets = self.model.setup.cluster.servers;
            if let Some(presplit) = self.presplit_of_buckets(buckets) {
                keys.push(SuggestedKey {
                    name: format!("salted-{buckets}-{name}"),
                    key: format!("salt({buckets}, {identity}) || {key}"),
                    presplit,
                    copies: Vec::new(),
                });
            }
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
            let Some(presplit) = self.presplit_of_buckets(buckets) else {
                continue;
            };
            let fronts = [
                ("salted", format!("salt({buckets}, {identity})")),
                ("random", format!("be1(random({buckets}))")),
            ];
            keys.extend(fronts.map(|(name, front)| SuggestedKey {
                name: format!("{name}-{buckets}"),
                key: format!("{front} || {key}"),
                presplit: presplit.clone(),
                copies: Vec::new(),
            }));
        }
        keys
    }

    /// A table that has rows is cut at their quantiles, like those of the file. In one without rows nothing but the bucket is known of a key: a
    /// region each, if the file's strategies have so many. `None` for a number of buckets that is no salt.
    fn presplit_of_buckets(&self, buckets: u32) -> Option<String> {
        let setup = &self.model.setup;
        let regions = self.regions();
        if !(2..=MOST_BUCKETS).contains(&buckets) {
            return None;
        }
        let has_rows = setup.workload.existing_rows(&setup.schema) > 0;
        Some(
            match buckets == regions || (!has_rows && buckets < regions) {
                true => "{ algorithm = \"buckets\" }".to_owned(),
                false => sampled(regions),
            },
        )
    }

    /// The file's keys in as many regions as the others, where they have fewer than there are servers.
    fn presplit(&self) -> Vec<SuggestedKey> {
        let servers = self.model.setup.cluster.servers;
        let few = self
            .own
            .iter()
            .filter(|own| presplit_regions(own) < servers && own.copies.is_empty());
        few.map(|own| SuggestedKey {
            name: format!("{}-presplit", own.name),
            key: own.key.text().trim().to_owned(),
            presplit: sampled(self.regions()),
            copies: Vec::new(),
        })
        .collect()
    }
}

/// Its first segment is a hash of exactly these fields, and of more values than a salt.
fn leads_with_hash(strategy: &Strategy, fields: &[FieldId]) -> bool {
    let mut segments = strategy.key.segments().iter();
    segments.next().is_some_and(|first| {
        let few = |values: u64| values <= u64::from(MOST_BUCKETS);
        first.randomness() == Randomness::Hashed
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
