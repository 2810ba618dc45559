//! Scalar metrics as they are written to files: by name, bit by bit. Must not know where files are.

use super::{Scalars, definition};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(transparent)]
struct Named(BTreeMap<String, Option<f64>>);

impl Named {
    fn scalars<E: Error>(self) -> Result<Scalars, E> {
        self.0
            .into_iter()
            .map(|(name, value)| match definition(&name) {
                Some(definition) => Ok((definition.name, value)),
                None => Err(E::custom(format_args!("no metric is called `{name}`"))),
            })
            .collect()
    }
}

/// JSON has no word for infinity: a metric that is not defined is `None`.
fn check<E: serde::ser::Error>(scalars: &Scalars) -> Result<(), E> {
    let odd = |value: &&Option<f64>| value.is_some_and(|value| !value.is_finite());
    match scalars.iter().find(|(_, value)| odd(value)) {
        Some((name, _)) => Err(E::custom(format_args!("`{name}` is no finite number"))),
        None => Ok(()),
    }
}

/// For `#[serde(with)]` on [`Scalars`].
pub(super) mod one {
    use super::*;

    pub fn serialize<S: Serializer>(scalars: &Scalars, to: S) -> Result<S::Ok, S::Error> {
        check(scalars)?;
        scalars.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Scalars, D::Error> {
        Named::deserialize(from)?.scalars()
    }
}

/// For `#[serde(with)]` on a list of [`Scalars`].
pub(super) mod several {
    use super::*;

    pub fn serialize<S: Serializer>(all: &[Scalars], to: S) -> Result<S::Ok, S::Error> {
        all.iter().try_for_each(check)?;
        all.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Scalars>, D::Error> {
        let all = Vec::<Named>::deserialize(from)?;
        all.into_iter().map(Named::scalars).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Serialize, Deserialize)]
    struct Two {
        #[serde(with = "one")]
        one: Scalars,
        #[serde(with = "several")]
        several: Vec<Scalars>,
    }

    proptest! {
        #[test]
        fn scalars_are_read_bit_by_bit(bits in any::<u64>(), other in any::<f64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite() && other.is_finite());
            let two = Two {
                one: [("makespan_ms", Some(value)), ("splits", None)].into(),
                several: vec![[("calls", Some(other))].into(), Scalars::new()],
            };
            let read: Two = serde_json::from_str(&serde_json::to_string(&two).unwrap()).unwrap();
            prop_assert_eq!(read.one["makespan_ms"].unwrap().to_bits(), bits);
            prop_assert_eq!(read.one["splits"], None);
            prop_assert_eq!(read.several[0]["calls"].unwrap().to_bits(), other.to_bits());
            prop_assert!(read.several[1].is_empty());
        }
    }

    #[test]
    fn what_can_not_be_kept_is_refused() {
        let two = Two {
            one: [("makespan_ms", Some(f64::NAN))].into(),
            several: vec![],
        };
        let error = serde_json::to_string(&two).unwrap_err();
        assert_eq!(error.to_string(), "`makespan_ms` is no finite number");
        let error = serde_json::from_str::<Two>(r#"{"one": {"makespn_ms": 3}, "several": []}"#);
        let error = error.err().unwrap().to_string();
        assert!(
            error.contains("no metric is called `makespn_ms`"),
            "{error}"
        );
    }
}
