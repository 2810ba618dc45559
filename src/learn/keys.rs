//! Candidate keys that suit the columns of a file: the designs that people use and recommend. Must not judge them: runs do.

use super::fields::{LearntField, Role};

/// Buckets of a salt: two a server of the default cluster.
const BUCKETS: u32 = 16;

/// Candidates of a scenario.
const MOST: usize = 6;

/// Columns that name what rows are about: two are a series' name and its place; more are rarely in a key (estimate).
const MOST_ENTITIES: usize = 2;

/// A candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidateKey {
    /// Name of the strategy.
    pub name: &'static str,
    /// What it is good and bad for.
    pub why: &'static str,
    /// The expression.
    pub key: String,
}

/// A part of a key: its expression, and whether its end is known.
type Part = (String, bool);

/// What a row's time, identity and entities are; entities with the fewest values first, as their rows are neighbours in most designs.
#[derive(Debug, Default)]
pub struct KeyParts {
    time: Option<Part>,
    reversed_time: Option<Part>,
    entities: Vec<Part>,
    identity: Vec<Part>,
    /// The identity counts up.
    counter: Option<String>,
}

impl KeyParts {
    /// Of a file's fields.
    pub fn of(fields: &[LearntField]) -> Self {
        let of_role = |role: Role| fields.iter().filter(move |it| it.role == role);
        let name = |field: &LearntField| {
            field
                .lines
                .last()
                .map(|it| it.0.clone())
                .unwrap_or_default()
        };
        let mut entities: Vec<&LearntField> = of_role(Role::Entity).collect();
        entities.sort_by(|a, b| b.distinct.total_cmp(&a.distinct));
        let identity = of_role(Role::Identity).next();
        // A row's identity names it: then the finest entity will do.
        entities.truncate(if identity.is_some() { 1 } else { MOST_ENTITIES });
        entities.reverse();
        let time = of_role(Role::Time).next();
        let counter =
            identity.filter(|it| it.lines.iter().any(|line| line.1.contains("\"sequence\"")));
        Self {
            time: time.map(|it| it.part.clone()),
            reversed_time: time.map(|it| (format!("be8(rev_ts({}))", name(it)), true)),
            entities: entities.iter().map(|it| it.part.clone()).collect(),
            identity: identity.iter().map(|it| it.part.clone()).collect(),
            counter: counter.map(name),
        }
    }

    /// Four to six candidates where the columns allow, the usual one first.
    pub fn candidates(&self) -> Vec<CandidateKey> {
        let time: Vec<Part> = self.time.iter().cloned().collect();
        let newest: Vec<Part> = self.reversed_time.iter().cloned().collect();
        let (entities, identity) = (&self.entities, &self.identity);
        let usual = match (time.is_empty(), identity.is_empty()) {
            (false, _) => [&time[..], entities, identity].concat(),
            (_, false) => identity.clone(),
            _ => entities.clone(),
        };
        let by_entity = [entities, &time[..], identity].concat();
        // What a reader of one entity, or of one row, knows.
        let known = [entities, identity, &time]
            .into_iter()
            .find(|it| !it.is_empty());
        let known = known.map_or_else(String::new, |it| joined(it));
        let behind = if entities.is_empty() {
            &usual
        } else {
            &by_entity
        };
        let (has_time, has_entity) = (!time.is_empty(), !entities.is_empty());
        let counter = self.counter.as_deref();
        let usual = joined(&usual);
        let designs = [
            (
                has_time,
                "time-first",
                "the time in front, as it is usually done: a time range is one scan, and all writes go to the newest region",
                usual.clone(),
            ),
            (
                !has_time && !identity.is_empty(),
                "by-id",
                "the identity as it is: a row is one Get",
                usual.clone(),
            ),
            (
                has_entity,
                "entity-first",
                "what rows are about in front: its rows are one scan; all rows of a time are a table scan",
                joined(&by_entity),
            ),
            (
                true,
                "salted",
                "a bucket computed from the whole key: a Get stays a Get, a range is 16 scans",
                format!("salt({BUCKETS}, {usual}) || {usual}"),
            ),
            (
                true,
                "hashed",
                "a hash of what readers know in front: even but for what is hot itself; no ranges over it",
                format!("left(md5_bytes({known}), 4) || {}", joined(behind)),
            ),
            (
                counter.is_some(),
                "bit-reversed",
                "the counter's bits reversed: even, a row is one Get, no ranges",
                format!("be8(bit_reverse({}))", counter.unwrap_or_default()),
            ),
            (
                has_entity && has_time,
                "newest-first",
                "as entity-first, the newest rows in front: they are one short scan",
                joined(&[entities, &newest[..], identity].concat()),
            ),
            (
                true,
                "random",
                "a bucket drawn by chance: even whatever is hot, but a Get is 16 Gets, and a row written again is another row",
                format!("be1(random({BUCKETS})) || {usual}"),
            ),
        ];
        let fitting = designs.into_iter().filter(|it| it.0);
        let mut found: Vec<CandidateKey> = Vec::new();
        for (_, name, why, key) in fitting {
            if found.iter().all(|it| it.key != key) && found.len() < MOST {
                found.push(CandidateKey { name, why, key });
            }
        }
        found
    }
}

/// One behind the other; a zero byte ends what has many lengths.
fn joined(parts: &[Part]) -> String {
    let mut operands = Vec::new();
    for (at, (expression, is_fixed)) in parts.iter().enumerate() {
        operands.push(expression.as_str());
        if !is_fixed && at + 1 < parts.len() {
            operands.push("x'00'");
        }
    }
    operands.join(" || ")
}
