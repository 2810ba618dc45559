//! The bytes of an integer or a double.

use super::calendar::{Pattern, year};
use crate::record::{ByteSet, ByteShape, Interval, TimeUnit};
use crate::text::push_decimal;

/// How 64 bits, an integer that fits or the bits of a double, are written as bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum Encoding {
    /// The low bytes, big-endian.
    BigEndian(u8),
    /// The same, sign bit flipped.
    Ordered(u8),
    /// HBase's `OrderedBytes` with its header byte.
    HBaseOrdered,
    /// A double as 4 bytes of IEEE 754.
    Float,
    /// A double as its 8 bytes.
    Double,
    /// [`Encoding::Float`], changed so that the bytes keep the order of the numbers.
    OrderedFloat,
    /// [`Encoding::Double`], changed so that the bytes keep the order of the numbers.
    OrderedDouble,
    /// Decimal text.
    Decimal,
    /// Decimal text, padded on the left.
    Padded { width: usize, pad: u8 },
    /// One of these texts, by index.
    Nth(Vec<Box<[u8]>>),
    /// A timestamp's date and time in UTC.
    Calendar(Pattern, TimeUnit),
}

impl Encoding {
    /// Two integers, or two doubles, are never written alike.
    pub fn is_whole(&self) -> bool {
        !matches!(
            self,
            Self::Float | Self::OrderedFloat | Self::Nth(_) | Self::Calendar(..)
        )
    }

    /// Appends the bytes of `value`.
    pub fn write(&self, value: i64, out: &mut Vec<u8>) {
        let double = f64::from_bits(value as u64);
        match self {
            Self::BigEndian(8) | Self::Double => out.extend_from_slice(&value.to_be_bytes()),
            Self::BigEndian(4) => out.extend_from_slice(&(value as u32).to_be_bytes()),
            Self::BigEndian(1) => out.push(value as u8),
            Self::BigEndian(width) => {
                out.extend_from_slice(&value.to_be_bytes()[8 - usize::from(*width)..]);
            }
            Self::Ordered(width) => {
                let flipped = value ^ 1i64 << (8 * u32::from(*width) - 1);
                out.extend_from_slice(&flipped.to_be_bytes()[8 - usize::from(*width)..]);
            }
            Self::HBaseOrdered => {
                // OrderedBytes.FIXED_INT64 ascending.
                out.push(0x2c);
                out.extend_from_slice(&(value ^ i64::MIN).to_be_bytes());
            }
            Self::Float => out.extend_from_slice(&(double as f32).to_be_bytes()),
            // Negative numbers are inverted whole, others get the sign bit.
            Self::OrderedFloat => {
                let bits = (double as f32).to_bits();
                let turned = (bits as i32 >> 31) as u32 | 1 << 31;
                out.extend_from_slice(&(bits ^ turned).to_be_bytes());
            }
            Self::OrderedDouble => {
                let turned = value >> 63 | i64::MIN;
                out.extend_from_slice(&(value ^ turned).to_be_bytes());
            }
            Self::Decimal => push_decimal(value, 0, b'0', out),
            Self::Padded { width, pad } => push_decimal(value, *width, *pad, out),
            Self::Nth(choices) => {
                let choice = choices.get(value as usize);
                out.extend_from_slice(choice.map_or(&[], |choice| choice));
            }
            Self::Calendar(pattern, unit) => pattern.write(value, *unit, out),
        }
    }

    /// The bytes of `value`.
    pub fn bytes(&self, value: i64) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write(value, &mut bytes);
        bytes
    }

    /// What the bytes of the values in `range` can be, where order is kept and there is one length.
    pub fn between(&self, range: Interval, alphabet: ByteSet) -> ByteShape {
        ByteShape::between(&self.bytes(range.low), &self.bytes(range.high), alphabet)
    }

    /// Do greater values in `range` give greater bytes, all of one length?
    pub fn keeps_order(&self, range: Interval) -> bool {
        match self {
            Self::BigEndian(_) => range.low >= 0 || range.high < 0,
            Self::Ordered(_) | Self::HBaseOrdered => true,
            Self::Decimal => range.low >= 0 && ByteShape::decimal(range).fixed().is_some(),
            Self::Padded { pad, .. } => range.low >= 0 && *pad <= b'0',
            Self::Nth(choices) => choices
                .windows(2)
                .all(|pair| pair[0] < pair[1] && pair[0].len() == pair[1].len()),
            Self::Calendar(pattern, unit) => {
                pattern.keeps_order_within(year(range.low, *unit)..=year(range.high, *unit))
            }
            Self::Float | Self::Double | Self::OrderedFloat | Self::OrderedDouble => false,
        }
    }

    /// Do the bytes move with the values in `range`, as their order among keys shows?
    pub fn follows(&self, range: Interval) -> bool {
        match self {
            Self::Float | Self::Double | Self::OrderedFloat | Self::OrderedDouble => true,
            Self::Nth(choices) => choices[range.low as usize..=range.high as usize].is_sorted(),
            Self::Calendar(pattern, _) => pattern.keeps_order() || pattern.leads_with_year(),
            _ => self.keeps_order(range),
        }
    }

    /// Do different values give different bytes? A date and time may leave out what tells them apart.
    pub fn is_exact(&self) -> bool {
        !matches!(self, Self::Calendar(..))
    }
}
