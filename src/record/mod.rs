//! Records: what a logical row is made of before any key is built from it.
//!
//! Answers: which fields there are, what values they take, and which values operation `k` carries.
//! Must not know keys, regions or time's passing (the caller says when).
//!
//! # Slots
//! A record is a slice of `i64` slots, one a field of the [`Schema`], so that generating and passing
//! records costs no allocation:
//! - `int`, `sequence`, `timestamp`: the number itself (a timestamp counts its unit since the epoch)
//! - `digits`: the number whose zero-padded decimal text is the value
//! - `text`, `domain`, `uuid`, `bytes`: the ordinal of the value; [`Schema::write_text`] renders it
//! - `double`: the bits of the `f64`
//! - any of them: a slot in `i64::MIN ..= i64::MIN + 65535` is a *literal*, a value from outside the domain
//!   (`with = { campaign_id = "" }`): [`Field::literals`]`[slot - i64::MIN]`, raw bytes. Ints never use literals.

mod alias_table;
mod byte_set;
mod byte_shape;
mod domain_names;
mod field_column;
mod field_domain;
mod field_mask;
mod field_text;
mod field_value;
mod generator;
#[cfg(test)]
mod generator_tests;
mod interval;
mod normal;
mod sampler;
#[cfg(test)]
mod sampler_tests;
mod schema;
#[cfg(test)]
mod text_tests;
mod time_unit;
mod value_groups;
mod value_shares;
#[cfg(test)]
mod value_shares_tests;
mod zipf;

pub use byte_set::ByteSet;
pub use byte_shape::{ByteShape, POSITIONS};
pub use field_column::FieldColumn;
pub use field_domain::{FieldDomain, ValueType};
pub use field_mask::FieldMask;
pub use field_text::FieldText;
pub use field_value::{FieldValue, FieldValueError};
pub use generator::{OperationRun, RecordGenerator, ValueRule};
pub use interval::Interval;
pub use sampler::{ValueSampler, zipf_rank};
pub use schema::{
    DerivedId, Distribution, DistributionShape, Field, FieldId, FieldKind, KnownField, Late,
    Schema, TextValues,
};
pub use time_unit::TimeUnit;
pub use value_groups::ValueGroups;
pub use value_shares::{ShareClass, ValueShares, share_classes};
