//! Many keys in one buffer, so that writing a key allocates nothing. Must not know what the keys mean.

use std::ops::Range;

/// Keys one after another in one reused buffer.
#[derive(Debug, Clone)]
pub struct KeyBatch {
    bytes: Vec<u8>,
    /// Start of each key, and the end of the last.
    offsets: Vec<u32>,
}

impl Default for KeyBatch {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            offsets: vec![0],
        }
    }
}

impl KeyBatch {
    /// These keys, which hold less than 4 GiB together (the budgets of split points and of samples are far below), and no room for more.
    pub fn of(keys: &[&[u8]]) -> Self {
        let mut offsets = Vec::with_capacity(keys.len() + 1);
        offsets.push(0);
        offsets.extend(keys.iter().scan(0, |end, key| {
            *end += key.len() as u32;
            Some(*end)
        }));
        let bytes = keys.concat();
        debug_assert!(u32::try_from(bytes.len()).is_ok());
        Self { bytes, offsets }
    }

    /// Forgets the keys, keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.offsets.truncate(1);
    }

    /// Appends one key.
    pub fn push(&mut self, key: &[u8]) {
        self.push_with(|out| out.extend_from_slice(key));
    }

    /// Of sorted keys, the number of those below `key`. O(log keys).
    pub fn below(&self, key: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.get(middle) < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Appends one key: `write` appends its bytes to the buffer and touches nothing before them.
    pub fn push_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.offsets.push(self.bytes.len() as u32);
    }

    /// Appends `count` keys of `width` > 0 bytes: `write` gets all their bytes, zeros so far, one key after another.
    pub fn push_fixed(&mut self, count: usize, width: usize, write: impl FnOnce(&mut [u8])) {
        let start = self.bytes.len();
        self.bytes.resize(start + count * width, 0);
        write(&mut self.bytes[start..]);
        let ends = (1..=count).map(|key| (start + key * width) as u32);
        self.offsets.extend(ends);
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// No keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The `index`-th key.
    pub fn get(&self, index: usize) -> &[u8] {
        &self.bytes[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// Mean length of a key in bytes; 0 without any.
    pub fn mean_bytes(&self) -> f64 {
        let bytes = self.offsets[self.len()] - self.offsets[0];
        bytes as f64 / self.len().max(1) as f64
    }

    /// The keys in the order in which they were pushed.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> + Clone {
        self.range(0..self.len())
    }

    /// Some of the keys in the order in which they were pushed.
    pub(super) fn range(&self, keys: Range<usize>) -> impl ExactSizeIterator<Item = &[u8]> + Clone {
        self.offsets[keys.start..=keys.end]
            .windows(2)
            .map(|ends| &self.bytes[ends[0] as usize..ends[1] as usize])
    }
}
