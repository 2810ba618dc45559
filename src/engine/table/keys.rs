//! The row keys of what is in flight, kept as long as a split could ask for them.

use crate::engine::numbers::NONE;

/// Keys in slots of equal length, one a row in flight.
#[derive(Debug, Default)]
pub struct Keys {
    /// Bytes of a slot: its length in two bytes, then the longest key. 0: keys are not kept.
    stride: usize,
    bytes: Vec<u8>,
    free: Vec<u32>,
}

impl Keys {
    /// Keeps keys of at most `longest` bytes.
    pub fn of(longest: usize) -> Self {
        Self {
            stride: longest + 2,
            ..Self::default()
        }
    }

    /// Whether keys are kept at all: regions can be split or merged.
    #[inline]
    pub fn kept(&self) -> bool {
        self.stride > 0
    }

    /// Keeps a key, of a longer one its first bytes; 0 when keys are not kept.
    #[inline]
    pub fn insert(&mut self, key: &[u8]) -> u32 {
        if self.kept() { self.keep(key) } else { 0 }
    }

    fn keep(&mut self, key: &[u8]) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            let slot = (self.bytes.len() / self.stride) as u32;
            self.bytes.resize(self.bytes.len() + self.stride, 0);
            slot
        });
        let key = &key[..key.len().min(self.stride - 2)];
        let start = slot as usize * self.stride;
        self.bytes[start..start + 2].copy_from_slice(&(key.len() as u16).to_le_bytes());
        self.bytes[start + 2..start + 2 + key.len()].copy_from_slice(key);
        slot
    }

    /// How many are kept.
    #[cfg(test)]
    pub fn in_use(&self) -> u32 {
        let slots = self.bytes.len().checked_div(self.stride).unwrap_or(0);
        (slots - self.free.len()) as u32
    }

    /// A key that is kept.
    #[inline]
    pub fn get(&self, slot: u32) -> &[u8] {
        let start = slot as usize * self.stride;
        let length = u16::from_le_bytes([self.bytes[start], self.bytes[start + 1]]);
        &self.bytes[start + 2..start + 2 + usize::from(length)]
    }

    /// Forgets a key; [`NONE`] is none.
    #[inline]
    pub fn remove(&mut self, slot: u32) {
        if self.stride > 0 && slot != NONE {
            self.free.push(slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_any_length_up_to_the_longest_are_kept_and_slots_used_again() {
        let mut keys = Keys::of(3);
        let (empty, long) = (keys.insert(b""), keys.insert(b"abc"));
        assert_eq!((keys.get(empty), keys.get(long)), (&b""[..], &b"abc"[..]));
        keys.remove(long);
        assert_eq!(keys.insert(b"z"), long);
        assert_eq!(keys.get(long), b"z");
        let cut = keys.insert(b"longer");
        assert_eq!(keys.get(cut), b"lon");
        assert!(!Keys::default().kept());
    }
}
