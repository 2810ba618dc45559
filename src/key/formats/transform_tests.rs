//! Transforms of text whose characters take one or two bytes, behind other bytes that stay.

use super::*;

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
        (Transform::SubstrChars(1, 3), "grö"),
        (Transform::SubstrChars(1, 6), text),
        (Transform::SubstrBytes(1, 4), "grö"),
        (Transform::SubstrChars(-4, 4), "öße@"),
        (Transform::SubstrBytes(-4, 4), "ße@"),
        (Transform::SubstrChars(3, 2), "öß"),
        (Transform::SubstrChars(-3, 2), "ße"),
        (Transform::SubstrBytes(5, 3), "ße"),
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
