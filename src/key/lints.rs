//! Lints about neighbouring segments. Those about one sub-expression are made where it is checked.

use super::lang::{KeyError, KeyNote};
use super::segment::Segment;
use super::values::ByteSet;

/// Is the end of the segment known: fixed width, the last one, or followed by a literal that cannot occur in it?
pub(super) fn is_delimited(segments: &[Segment], index: usize) -> bool {
    let (min, max) = segments[index].len_range();
    if min == max {
        return true;
    }
    match segments.get(index + 1) {
        None => true,
        Some(next) => {
            let first = next.bytes_at(0);
            next.is_literal() && next.len_range().0 > 0 && !segments[index].all_bytes().meets(first)
        }
    }
}

/// Variable width followed by something else without a delimiter.
pub(super) fn of_segments(segments: &[Segment]) -> Vec<KeyNote> {
    let mut notes = Vec::new();
    for (index, segment) in segments.iter().enumerate() {
        if is_delimited(segments, index) {
            continue;
        }
        let (min, max) = segment.len_range();
        let next = &segments[index + 1];
        let (expression, behind) = (segment.expression(), next.expression());
        let rest = segments[index + 1..].iter().map(Segment::all_bytes);
        let meets = segment
            .all_bytes()
            .meets(rest.fold(ByteSet::NONE, ByteSet::union));
        let (message, help) = if next.is_literal() && next.len_range().0 > 0 {
            // A number or a hash cannot contain a letter; a text can contain anything its values do.
            (
                format!("`{expression}` may contain the delimiter {behind} that follows it"),
                "two records may get one key; use a delimiter that no value contains, such as x'00'".to_owned(),
            )
        } else {
            let danger = match meets {
                true => "different records can get one key ('10' || '120' is '101' || '20')",
                false => "a prefix scan reads longer values as well",
            };
            let zero = if segment.is_text() {
                "x'00'"
            } else {
                "a fixed width"
            };
            (
                format!("nothing separates `{expression}` from `{behind}`: {danger}"),
                format!(
                    "put a delimiter between them ({zero}, '#'), or give it a fixed width: `lpad(x, {max})`"
                ),
            )
        };
        let label = format!("{min} to {max} bytes wide");
        let text = KeyError::new(segment.span(), message, label, help);
        let derived = segment.derived().map(str::to_owned);
        notes.push(KeyNote {
            is_warning: true,
            text: KeyError { derived, ..text },
        });
    }
    notes
}
