//! What a read is multiplied by: one request, or more, for each combination. Must not know what the requests ask for.

use crate::key::{DrawnSegment, FieldSteps};
use crate::record::FieldId;

/// One factor.
#[derive(Debug, Clone)]
pub(super) enum Dimension {
    /// Each value of the read's list.
    List { list: usize, field: FieldId },
    /// Each value of a field's range.
    Values { field: FieldId },
    /// Each step of a field's range.
    Steps { field: FieldId, grain: FieldSteps },
    /// Each value of a field that the reader does not know.
    Field { field: FieldId, slots: Vec<i64> },
    /// Each value of a segment.
    Bytes {
        segment: usize,
        values: Vec<Vec<u8>>,
    },
    /// Each value of the draw in a segment.
    Draw {
        segment: usize,
        values: Vec<DrawnSegment>,
    },
}

/// How many values these give to a segment, if one does.
pub(super) fn values_given(dimensions: &[Dimension], segment: usize) -> Option<usize> {
    let mut given = dimensions.iter().filter_map(Dimension::segment);
    given.find(|(at, _)| *at == segment).map(|(_, count)| count)
}

impl Dimension {
    /// It gives values to a field.
    pub fn binds(&self, of: FieldId) -> bool {
        match self {
            Self::List { field, .. }
            | Self::Values { field }
            | Self::Steps { field, .. }
            | Self::Field { field, .. } => *field == of,
            Self::Bytes { .. } | Self::Draw { .. } => false,
        }
    }

    /// The segment that it gives values to, and how many.
    pub fn segment(&self) -> Option<(usize, usize)> {
        match self {
            Self::Bytes { segment, values } => Some((*segment, values.len())),
            Self::Draw { segment, values } => Some((*segment, values.len())),
            _ => None,
        }
    }
}
