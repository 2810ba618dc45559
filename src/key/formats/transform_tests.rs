//! Transforms of text whose characters take one or two bytes, behind other bytes that stay.

use super::*;

fn substr(position: i64, count: usize, by_char: bool) -> Transform {
    Transform::Substr {
        position,
        count,
        by_char,
    }
}

fn applied(transform: Transform, text: &str) -> String {
    let mut out = format!("ab{text}").into_bytes();
    transform.apply(&mut out, 2);
    let whole = String::from_utf8(out).unwrap();
    whole.strip_prefix("ab").unwrap().to_owned()
}

#[test]
fn texts_are_cut_turned_and_padded_by_characters() {
    let text = "größe@";
    let (left, right) = (b'.', b'*');
    for (transform, expected) in [
        (substr(1, 3, true), "grö"),
        (substr(1, 6, true), text),
        (substr(1, 4, false), "grö"),
        (substr(-4, 4, true), "öße@"),
        (substr(-4, 4, false), "ße@"),
        (substr(3, 2, true), "öß"),
        (substr(-3, 2, true), "ße"),
        (substr(5, 3, false), "ße"),
        (Transform::ReverseChars, "@eßörg"),
        (
            Transform::PadLeft {
                width: 8,
                pad: left,
            },
            "..größe@",
        ),
        (
            Transform::PadRight {
                width: 9,
                pad: right,
            },
            "größe@***",
        ),
    ] {
        assert_eq!(applied(transform, text), expected);
    }
    assert_eq!(
        applied(Transform::ReverseDomain, "www.größe.de"),
        "de.größe.www"
    );
}
