//! One of several characters, by number.

use super::super::byte_set::ByteSet;
use super::super::bytes::Bytes;
use super::super::checker::Checker;
use super::super::code::{BytesCode, IntEncoding};
use super::super::shape::Shape;
use super::super::typed::Typed;
use super::Call;
use super::encode::{encoded, kept};

/// `nth`.
pub(super) fn nth(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let typed = checker.check(&call.arguments[0]);
    let index = call.int(checker, 1);
    let (typed, (index, facts)) = (typed?, index?);
    let Some(Bytes {
        is_text,
        code: BytesCode::Literal(bytes),
        ..
    }) = Bytes::from_typed(typed)
    else {
        return checker.error(
            &call.arguments[0].span,
            "the first argument of `nth` is not a literal",
            "expected 'text' or x'bytes'",
            Some("for example `nth('abcd', random(4))`"),
        );
    };
    let choices: Vec<Box<[u8]>> = match std::str::from_utf8(&bytes) {
        Ok(text) if is_text => text
            .chars()
            .map(|c| c.to_string().into_bytes().into())
            .collect(),
        _ => bytes.iter().map(|&byte| [byte].into()).collect(),
    };
    let last = choices.len() as i64 - 1;
    if last < 0 || !index.range.within(0, last) {
        let written = checker.written(&call.arguments[1].span);
        let message = format!(
            "`{written}` takes {}, but there are {} characters, from 0 to {last}",
            index.range,
            choices.len()
        );
        let help = format!("for example `pmod({written}, {})`", choices.len());
        return checker.error(
            &call.arguments[1].span,
            message,
            &format!("takes {}", index.range),
            Some(&help),
        );
    }
    let chosen = &choices[index.range.low as usize..=index.range.high as usize];
    let min = chosen.iter().map(|c| c.len()).min().unwrap_or(0);
    let max = chosen.iter().map(|c| c.len()).max().unwrap_or(0);
    let sets = (0..max)
        .map(|at| {
            ByteSet::of(
                &chosen
                    .iter()
                    .filter_map(|c| c.get(at).copied())
                    .collect::<Vec<_>>(),
            )
        })
        .collect();
    let ascending = chosen.is_sorted();
    let shape = Shape::from_sets(min, max, sets, ByteSet::NONE);
    Some(encoded(
        IntEncoding::Nth(choices),
        index,
        is_text,
        shape,
        kept(facts, ascending),
    ))
}
