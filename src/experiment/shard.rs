//! A part of an experiment's runs, for one of several machines. Must not know what a run is.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Shards of an experiment, at most.
const MOST: u32 = 100_000;

/// A part of an experiment's runs: one of `of` about equal ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    number: u32,
    of: u32,
}

/// A text that names no shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected `K/N`, shard K of N, 1 <= K <= N <= {MOST}")]
pub struct ShardError;

impl Shard {
    /// All runs.
    pub const ALL: Self = Self { number: 1, of: 1 };

    /// Shard `number` of `of`, counted from 1.
    ///
    /// # Errors
    /// When there is no such shard, or there are more than 100,000.
    pub fn new(number: u32, of: u32) -> Result<Self, ShardError> {
        if (1..=of).contains(&number) && of <= MOST {
            Ok(Self { number, of })
        } else {
            Err(ShardError)
        }
    }

    /// From 1.
    pub fn number(self) -> u32 {
        self.number
    }

    /// How many there are.
    pub fn of(self) -> u32 {
        self.of
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (number, of) = text.split_once('/').ok_or(ShardError)?;
        let parse = |text: &str| text.parse().map_err(|_| ShardError);
        Self::new(parse(number)?, parse(of)?)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Self, ShardError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_one_of_those_there_are() {
        let shard: Shard = "2/5".parse().unwrap();
        assert_eq!((shard.number(), shard.of()), (2, 5));
        assert_eq!(shard.to_string(), "2/5");
        for bad in [
            "",
            "2",
            "0/5",
            "6/5",
            "-1/5",
            "2/",
            "/5",
            "2/5/1",
            "a/b",
            "1/100001",
            "1/99999999999",
        ] {
            assert_eq!(bad.parse::<Shard>(), Err(ShardError), "{bad}");
        }
    }
}
