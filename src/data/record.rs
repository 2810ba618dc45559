//! One row of a file. Must not know where it comes from.

/// One row, used again for the next.
#[derive(Debug, Default)]
pub struct Record {
    /// The line of the file that the row begins with, from 1.
    pub line: u64,
    /// The values one behind the other, and where each ends.
    pub(super) text: String,
    pub(super) ends: Vec<usize>,
}

impl Record {
    /// The value of a column, by its place in the header; `None` where it is missing: empty, `\N` or JSON's `null`.
    pub fn get(&self, column: usize) -> Option<&str> {
        let from = match column {
            0 => 0,
            _ => self.ends[column - 1],
        };
        let text = &self.text[from..self.ends[column]];
        (!matches!(text, "" | r"\N")).then_some(text)
    }
}
