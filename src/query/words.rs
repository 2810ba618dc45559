//! An access path in words. Must not know how it was found.

use super::access_path::AccessPath;
use super::access_plan::{AccessPlan, OverRead};
use super::dimension::Dimension;

/// Fewer copies of a row are not told: rows that happen to agree in a millisecond give as many.
const LEAST_COPIES: f64 = 1.05;

impl AccessPlan {
    /// In words: "16 scans, one a bucket; 10 rows wanted, 160 read".
    pub fn words(&self) -> String {
        self.words_with("")
    }

    /// The same with something to say behind the kind of requests, such as ", each of one region".
    pub fn words_with(&self, of_regions: &str) -> String {
        let expected = self.expected();
        let mut words = self.kind_in_words();
        words.push_str(of_regions);
        words.push_str(&format!(
            "; {} wanted, {} read",
            rows(expected.rows_returned),
            count(expected.rows_read)
        ));
        if expected.copies > LEAST_COPIES {
            words.push_str(&format!(
                "; each row in {} copies, as it was written again under other salts",
                count(expected.copies)
            ));
        }
        for over_read in self.over_reads() {
            words.push_str("; ");
            words.push_str(&over_read.to_string());
        }
        words
    }

    /// The kind of requests and what there is one of each for: "16 scans, one a bucket".
    fn kind_in_words(&self) -> String {
        let requests = self.expected().requests;
        let one = requests < 1.5;
        let number = count(requests);
        let reversed = if self.reversed() { "reversed " } else { "" };
        let mut words = match self.path() {
            AccessPath::Get => "1 get".to_owned(),
            AccessPath::MultiGet => format!("{number} gets"),
            AccessPath::Scan => format!("1 {reversed}scan"),
            AccessPath::FanOutScan if one => format!("1 {reversed}scan"),
            AccessPath::FanOutScan => format!("{number} {reversed}scans"),
            AccessPath::BucketScan => "1 scan of a whole bucket".to_owned(),
            AccessPath::TableScan => "1 scan of the whole table".to_owned(),
        };
        if one || self.path() == AccessPath::TableScan {
            return words;
        }
        let mut each: Vec<String> = Vec::new();
        for dimension in &self.dimensions {
            let of = match dimension {
                Dimension::Bytes { .. } | Dimension::Draw { .. } => "a bucket".to_owned(),
                Dimension::Steps { field, .. } => {
                    format!("for each step of `{}`", self.name(*field))
                }
                Dimension::List { field, .. }
                | Dimension::Values { field }
                | Dimension::Field { field, .. } => format!("for each `{}`", self.name(*field)),
            };
            if !each.contains(&of) {
                each.push(of);
            }
        }
        if !each.is_empty() {
            words.push_str(&format!(", one {}", each.join(" and ")));
        }
        words
    }
}

impl std::fmt::Display for OverRead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Filter(field) => write!(f, "filters by `{field}`"),
            Self::Steps(field) => write!(f, "reads whole steps of `{field}`"),
            Self::LongerValues(segment) => write!(f, "reads longer values of `{segment}` as well"),
            Self::SharedHash(segment) => write!(f, "reads what shares `{segment}`"),
            Self::Sorted(field) => write!(f, "sorts by `{field}`"),
        }
    }
}

fn rows(number: f64) -> String {
    let text = count(number);
    if text == "1" {
        "1 row".to_owned()
    } else {
        format!("{text} rows")
    }
}

/// Whole above ten, one decimal below.
fn count(number: f64) -> String {
    if number >= 10.0 || (number - number.round()).abs() < 0.05 {
        format!("{:.0}", number.round())
    } else {
        format!("{number:.1}")
    }
}
