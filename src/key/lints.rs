//! Lints about neighbouring segments. Those about one sub-expression are made where it is checked.

use super::byte_set::ByteSet;
use super::plan::{KeyError, KeyNote};
use super::segment::Segment;

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
        let expression = segment.expression();
        let literal = next.is_literal() && next.len_range().0 > 0;
        let note = |message: String, help: String| KeyNote {
            is_warning: true,
            text: KeyError {
                derived: segment.derived().map(str::to_owned),
                span: segment.span(),
                message,
                label: format!("{min} to {max} bytes wide"),
                help: Some(help),
            },
        };
        if literal {
            // A number or a hash cannot contain a letter; a text can contain anything its values do.
            notes.push(note(
                format!(
                    "`{expression}` may contain the delimiter {} that follows it",
                    next.expression()
                ),
                "two records may get one key; use a delimiter that no value contains, such as x'00'".to_owned(),
            ));
            continue;
        }
        let rest = segments[index + 1..]
            .iter()
            .fold(ByteSet::NONE, |all, segment| all.union(segment.all_bytes()));
        let message = if segment.all_bytes().meets(rest) {
            format!(
                "nothing separates `{expression}` from `{}`: different records can get one key ('10' || '120' is '101' || '20')",
                next.expression()
            )
        } else {
            format!(
                "nothing separates `{expression}` from `{}`: a prefix scan reads longer values as well",
                next.expression()
            )
        };
        let zero = if segment.is_text() {
            "x'00'"
        } else {
            "a fixed width"
        };
        notes.push(note(
            message,
            format!("put a delimiter between them ({zero}, '#'), or give it a fixed width: `lpad(x, {max})`"),
        ));
    }
    notes
}
