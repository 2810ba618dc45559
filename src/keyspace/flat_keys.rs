//! Many sorted keys in one allocation. Must not know what they bound.

/// Keys one after another: 4 bytes a key besides the keys themselves.
#[derive(Debug, Clone)]
pub(super) struct FlatKeys {
    bytes: Vec<u8>,
    /// Start of each key, and the end of the last.
    offsets: Vec<u32>,
}

impl FlatKeys {
    /// Copies the keys, which hold less than 4 GiB together (the budget of split points is far below).
    pub fn new(keys: &[&[u8]]) -> Self {
        let mut bytes = Vec::with_capacity(keys.iter().map(|key| key.len()).sum());
        let mut offsets = Vec::with_capacity(keys.len() + 1);
        offsets.push(0);
        for key in keys {
            bytes.extend_from_slice(key);
            offsets.push(bytes.len() as u32);
        }
        debug_assert!(u32::try_from(bytes.len()).is_ok());
        Self { bytes, offsets }
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The `index`-th key.
    #[inline]
    pub fn get(&self, index: usize) -> &[u8] {
        &self.bytes[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// Bytes that it holds.
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + self.offsets.capacity() * size_of::<u32>()
    }
}
