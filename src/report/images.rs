//! Which picture files a report writes. Must not draw.

/// Kinds of picture files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Images {
    /// Sharp at any size.
    pub svg: bool,
    /// For slides and mail; needs the feature `png`.
    pub png: bool,
}

impl Default for Images {
    fn default() -> Self {
        Self {
            svg: true,
            png: cfg!(feature = "png"),
        }
    }
}
