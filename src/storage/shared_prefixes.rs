//! How many leading bytes the neighbours of a sorted table share, from a sample of its keys. Must not know what the keys mean.
//!
//! The sample is drawn without replacement, each row equally likely. Neighbours in a sample of n keys share less than neighbours in the whole table of N. But how much *all* of them share is a matter
//! of counting: among sorted, distinct keys the pairs of neighbours that share at least L bytes are as many as the keys of at
//! least L bytes less the different prefixes of L bytes; so the mean shared length is the sum over L of (R - D(L)) / R, for R rows
//! and D(L) different prefixes. What remains is to know how many prefixes there are in the table:
//!
//! - n draws of C equally likely values meet d = C (1 - e^(-n / C)) different ones. C is solved for from the sample's d, once at
//!   least 16 draws met a value again (25 % or better: one standard error of a Poisson count of 16); it can tell C up to
//!   n^2 / 32, some 500 million for 131,072 keys.
//! - Beyond that, one byte more can't make more prefixes than there are different bytes at its place: C(L) <= C(L - 1) x bytes
//!   seen there; nor can there be more than the fields allow, which the caller knows. These bounds are then taken for C.
//! - But when so many values would have been met again and were not, they are no draws: each row has its own, as the beats of a
//!   sensor have.
//!
//! A wrong C only matters where N is near it (for N far above, D = C is small beside R; far below, D = R), and one byte later C is up
//! to 256 times greater: so an error by a factor f costs about log256(f) bytes, 0.04 for 25 %.

use super::separator::common_prefix;

/// Draws that must have met a value again before their number says how many values there are.
const COLLISIONS: f64 = 16.0;

/// Pairs of neighbours that the share of equally long ones is counted on.
const PAIRS: u64 = 32;

/// Prefix counts of a sample, for tables of any size.
#[derive(Debug, Clone)]
pub struct SharedPrefixes {
    /// Number of sampled writes.
    pub sampled: f64,
    /// Of L = 1, 2, ... bytes.
    levels: Vec<Level>,
    /// Different keys: drawn, found, values.
    keys: Prefixes,
    /// Share of neighbours of equal lengths.
    equal_lengths: f64,
}

/// Prefixes of one length.
#[derive(Debug, Clone, Copy)]
struct Prefixes {
    /// Sampled keys that have one.
    drawn: f64,
    /// Different ones among them.
    found: f64,
    /// Different ones that there can be; may be infinite.
    values: f64,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    prefixes: Prefixes,
    /// Different keys that are so long.
    keys: f64,
    /// Of the neighbours that share so many bytes: the share of equally long ones.
    equal_lengths: f64,
    /// The sample itself says how many prefixes there are.
    measured: bool,
}

impl SharedPrefixes {
    /// From `keys`, sorted, with their repetitions. `most(L)` bounds the number of
    /// different prefixes of L bytes (infinity when nothing is known). O(bytes of all keys that the key before has not).
    pub fn of(keys: &[&[u8]], most: impl Fn(usize) -> f64) -> Self {
        let longest = keys.iter().map(|key| key.len()).max().unwrap_or(0);
        let mut counts = vec![Counts::default(); longest + 1];
        let mut before: Option<&[u8]> = None;
        for key in keys {
            let repeated = before == Some(*key);
            let shared = before.map_or(0, |before| common_prefix(before, key));
            // Prefixes of all lengths up to the key's are drawn, and those that are longer than what is shared are found; summed up below.
            counts[key.len()].drawn += 1;
            counts[key.len()].keys += u64::from(!repeated);
            counts[shared].known += 1;
            for (at, byte) in key.iter().enumerate().skip(shared) {
                counts[at + 1].bytes[usize::from(byte / 64)] |= 1 << (byte % 64);
            }
            if let Some(before) = before.filter(|_| !repeated) {
                // Neighbours that share exactly so much; summed up below.
                counts[shared].pairs += 1;
                counts[shared].equal_pairs += u64::from(before.len() == key.len());
            }
            before = Some(key);
        }
        for at in (1..=longest).rev() {
            counts[at - 1].pairs += counts[at].pairs;
            counts[at - 1].equal_pairs += counts[at].equal_pairs;
            counts[at - 1].drawn += counts[at].drawn;
            counts[at - 1].keys += counts[at].keys;
            counts[at - 1].known += counts[at].known;
        }
        Self::from_counts(keys, &counts, most)
    }

    fn from_counts(keys: &[&[u8]], counts: &[Counts], most: impl Fn(usize) -> f64) -> Self {
        let longest = counts.len() - 1;
        let share = |count: &Counts, otherwise: f64| match count.pairs >= PAIRS {
            true => count.equal_pairs as f64 / count.pairs as f64,
            false => otherwise,
        };
        let mut levels = Vec::with_capacity(longest);
        let (mut values, mut equal) = (1.0f64, share(&counts[0], 1.0));
        for (length, count) in counts.iter().enumerate().skip(1) {
            let bytes: u32 = count.bytes.iter().map(|bits| bits.count_ones()).sum();
            let mut prefixes = Prefixes {
                drawn: count.drawn as f64,
                found: (count.drawn - count.known) as f64,
                values: 0.0,
            };
            values = prefixes.values_within((values * f64::from(bytes)).min(most(length)));
            prefixes.values = values;
            equal = share(count, equal);
            levels.push(Level {
                prefixes,
                keys: count.keys as f64,
                equal_lengths: equal,
                measured: prefixes.fit().is_finite(),
            });
        }
        let distinct = keys.chunk_by(|a, b| a == b).count() as f64;
        let mut all = Prefixes {
            drawn: keys.len() as f64,
            found: distinct,
            values: 0.0,
        };
        // Keys of one length are their own longest prefixes.
        let fixed = keys.iter().all(|key| key.len() == longest);
        let bound = if fixed { values } else { most(longest) };
        all.values = all.values_within(bound);
        Self {
            sampled: keys.len() as f64,
            equal_lengths: share(&counts[0], 1.0),
            levels,
            keys: all,
        }
    }

    /// Different keys among so many writes, if all are equally likely.
    pub fn rows(&self, operations: f64) -> f64 {
        self.at(self.keys, operations)
    }

    /// Mean number of leading bytes that a row shares with the one before, in a table of `rows` rows from so many writes:
    /// [`SharedPrefixes::rows`], or what the caller knows better.
    pub fn shared_bytes(&self, operations: f64, rows: f64) -> f64 {
        self.shared_within(usize::MAX, operations, rows)
    }

    /// The same of so many leading bytes at most.
    pub fn shared_within(&self, bytes: usize, operations: f64, rows: f64) -> f64 {
        let levels = self.levels.iter().take(bytes);
        // Rust's sum of nothing is -0.0.
        levels.fold(0.0, |sum, level| {
            sum + self.fraction(level, operations, rows)
        })
    }

    /// The same where it helps an encoder: rows of another length count as sharing nothing, but the two bytes of the length itself
    /// are compared as well (its high byte alone, when lengths differ).
    pub fn encodable_bytes(&self, operations: f64, rows: f64) -> f64 {
        let levels = self.levels.iter();
        let shared = levels.map(|it| it.equal_lengths * self.fraction(it, operations, rows));
        1.0 + self.equal_lengths + shared.sum::<f64>()
    }

    /// Share of the rows that share at least `bytes` leading bytes with the one before.
    pub fn fraction_sharing(&self, bytes: usize, operations: f64, rows: f64) -> f64 {
        match bytes.checked_sub(1) {
            None => 1.0,
            Some(at) => self
                .levels
                .get(at)
                .map_or(0.0, |level| self.fraction(level, operations, rows)),
        }
    }

    fn fraction(&self, level: &Level, operations: f64, rows: f64) -> f64 {
        let mut different = self.at(level.prefixes, operations);
        if !level.measured {
            // Prefixes nearly as many as keys err as these do.
            different *= rows / self.rows(operations).max(1.0);
        }
        let long = rows * level.keys / self.keys.found.max(1.0);
        ((long - different) / rows.max(1.0)).max(0.0)
    }

    /// Different values among so many writes; for as many as were sampled, those counted.
    fn at(&self, prefixes: Prefixes, operations: f64) -> f64 {
        if prefixes.drawn == 0.0 {
            return 0.0;
        }
        let times = operations / self.sampled;
        if !prefixes.values.is_finite() {
            return prefixes.found * times;
        }
        let met = |drawn: f64| -libm::expm1(-drawn / prefixes.values);
        prefixes.found * met(prefixes.drawn * times) / met(prefixes.drawn)
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    drawn: u64,
    keys: u64,
    /// Keys that share so many bytes with the one before.
    known: u64,
    pairs: u64,
    equal_pairs: u64,
    bytes: [u64; 4],
}

/// How many equally likely values leave `found` different ones in `drawn` draws; infinite when fewer than 16 were met again.
/// 60 steps of bisection.
fn equally_likely_values(drawn: f64, found: f64) -> f64 {
    if drawn - found < COLLISIONS {
        return f64::INFINITY;
    }
    let wanted = found / drawn;
    // found / drawn = (1 - e^-x) / x with x = drawn / values: falls from 1 to 0.
    let (mut low, mut high) = (0.0, 2.0 / wanted);
    for _ in 0..60 {
        let x = (low + high) / 2.0;
        if -libm::expm1(-x) / x > wanted {
            low = x;
        } else {
            high = x;
        }
    }
    drawn / high
}

impl Prefixes {
    fn fit(&self) -> f64 {
        equally_likely_values(self.drawn, self.found)
    }

    /// How many values there are, if there are at most `bound`; infinite when every row has its own.
    fn values_within(&self, bound: f64) -> f64 {
        let fitted = self.fit();
        // Half as many as expected are met with a probability below 0.001.
        let expected = self.drawn * self.drawn / (2.0 * bound);
        if !fitted.is_finite() && expected > 2.0 * COLLISIONS {
            return f64::INFINITY;
        }
        fitted.min(bound).max(self.found)
    }
}

#[cfg(test)]
#[path = "shared_prefixes_tests.rs"]
mod tests;
