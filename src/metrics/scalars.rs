//! Numbers by metric, as runs leave them: in files by name, bit by bit. Must not know where files are.

use super::MetricId;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::ops::Index;

/// What was measured of a run, or of one of its operations.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scalars(BTreeMap<MetricId, Option<f64>>);

impl Scalars {
    /// The value of a metric; `None` when it is undefined, or was not measured.
    pub fn get(&self, id: MetricId) -> Option<f64> {
        self.0.get(&id).copied().flatten()
    }

    /// Whether a metric was measured, defined or not.
    pub fn has(&self, id: MetricId) -> bool {
        self.0.contains_key(&id)
    }

    /// A metric was measured; `None` is undefined.
    pub fn set(&mut self, id: MetricId, value: Option<f64>) {
        self.0.insert(id, value);
    }

    /// What was measured, by name.
    pub fn ids(&self) -> impl Iterator<Item = MetricId> + '_ {
        self.0.keys().copied()
    }
}

impl IntoIterator for Scalars {
    type Item = (MetricId, Option<f64>);
    type IntoIter = std::collections::btree_map::IntoIter<MetricId, Option<f64>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Of a metric that was measured.
impl Index<MetricId> for Scalars {
    type Output = Option<f64>;

    fn index(&self, id: MetricId) -> &Option<f64> {
        &self.0[&id]
    }
}

impl Extend<(MetricId, Option<f64>)> for Scalars {
    fn extend<I: IntoIterator<Item = (MetricId, Option<f64>)>>(&mut self, values: I) {
        self.0.extend(values);
    }
}

impl FromIterator<(MetricId, Option<f64>)> for Scalars {
    fn from_iter<I: IntoIterator<Item = (MetricId, Option<f64>)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl Serialize for Scalars {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        // JSON has no word for infinity: a metric that is not defined is `None`.
        let odd = |value: Option<f64>| value.is_some_and(|value| !value.is_finite());
        match self.0.iter().find(|(_, value)| odd(**value)) {
            Some((id, _)) => Err(S::Error::custom(format_args!(
                "`{}` is no finite number",
                id.name()
            ))),
            None => to.collect_map(self.0.iter().map(|(id, value)| (id.name(), value))),
        }
    }
}

impl<'de> Deserialize<'de> for Scalars {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let named = BTreeMap::<String, Option<f64>>::deserialize(from)?.into_iter();
        let known = named.map(|(name, value)| match MetricId::named(&name) {
            Some(id) => Ok((id, value)),
            None => Err(D::Error::custom(format_args!(
                "no metric is called `{name}`"
            ))),
        });
        known.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn scalars_are_read_bit_by_bit(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let written = Scalars::from_iter([(MetricId::Makespan, Some(value)), (MetricId::Splits, None)]);
            let all = vec![written, Scalars::default()];
            let read: Vec<Scalars> = serde_json::from_str(&serde_json::to_string(&all).unwrap()).unwrap();
            prop_assert_eq!(read[0][MetricId::Makespan].unwrap().to_bits(), bits);
            prop_assert_eq!(read[0][MetricId::Splits], None);
            prop_assert!(read[0].has(MetricId::Splits) && !read[1].has(MetricId::Splits));
        }
    }

    #[test]
    fn what_can_not_be_kept_is_refused() {
        let odd = Scalars::from_iter([(MetricId::Makespan, Some(f64::NAN))]);
        let error = serde_json::to_string(&odd).unwrap_err();
        assert_eq!(error.to_string(), "`makespan_ms` is no finite number");
        let error = serde_json::from_str::<Scalars>(r#"{"makespn_ms": 3}"#);
        let error = error.err().unwrap().to_string();
        assert!(
            error.contains("no metric is called `makespn_ms`"),
            "{error}"
        );
    }
}
