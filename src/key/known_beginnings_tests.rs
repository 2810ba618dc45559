//! How far segments are known to one who knows the beginning of a text, and that a cut key writes the same bytes.

use super::*;
use crate::key::{Row, week_fixture};
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{DerivedId, FieldKind, KnownField, TextValues};

const DERIVED: [(&str, &str); 5] = [
    ("two", "left(name, 2)"),
    ("three", "substr(name, 1, 3)"),
    ("end", "right(name, 2)"),
    ("marked", "left('é-' || name, 4)"),
    ("plain", "left('e-' || name, 4)"),
];

/// The segments of a key for one who knows a derived field: `+` for each that is known, `-` for each that is not, and all that it writes.
fn cut_key(key: &str, known: u16) -> String {
    let texts = ["abcde", "fghij"].map(str::to_owned);
    let name = FieldKind::Text(TextValues::Listed(texts.into()));
    let more = FieldKind::Text(TextValues::Listed(["ähnlich".to_owned()].into()));
    let fields = [("name", name), ("other", more)];
    let plan = week_fixture::compile(key, fields, &DERIVED).unwrap();
    let mut knowledge = Knowledge::default();
    knowledge.learn(KnownField::Derived(DerivedId(known)));
    let cut = plan.cut_where_known(&knowledge);
    let cut = cut.unwrap_or_else(|| plan.clone());
    let row = Row {
        record: &[1, 0],
        index: 0,
        draws: DrawKey::new(Seed(1), 0, Stream::Keys, 0).at(0),
    };
    let (mut whole, mut bytes, mut found) = (Vec::new(), Vec::new(), String::new());
    plan.write(&row, &mut whole);
    for at in 0..cut.segments().len() {
        let start = bytes.len();
        cut.write_segment(at, &row, &mut bytes);
        found.push(if cut.is_known(at, &knowledge) {
            '+'
        } else {
            '-'
        });
        found.push_str(&String::from_utf8_lossy(&bytes[start..]));
    }
    assert_eq!(whole, bytes, "{key}");
    found
}

#[test]
fn a_segment_is_known_as_far_as_the_beginning_of_its_text_is() {
    for (key, known, expected) in [
        ("name", 0, "+fg-hij"),
        ("name", 1, "+fgh-ij"),
        ("left(name, 4) || '/' || name", 0, "+fg-hi+/+fg-hij"),
        ("left(name, 2) || name", 1, "+fg+fgh-ij"),
        ("reverse(name)", 2, "+ji-hgf"),
        ("left(reverse(name), 4)", 2, "+ji-hg"),
        ("right(name, 1) || name", 2, "+j-fghij"),
        ("upper(left(name, 1)) || name", 0, "+F+fg-hij"),
        ("lower(name)", 0, "+fg-hij"),
        ("rpad(upper(name), 7)", 0, "+FG-HIJ  "),
        ("left(md5(two), 1) || name", 1, "+3+fgh-ij"),
        ("'e-' || name", 4, "+e-+fg-hij"),
        // A constant of other characters is not cut off, and what is made of the text otherwise is not known.
        ("'é-' || name", 3, "+é--fghij"),
        ("upper(name)", 0, "+FG-HIJ"),
        ("substr(name, 2)", 0, "-ghij"),
        ("right(name, 3)", 2, "-hij"),
        ("reverse(name)", 0, "-jihgf"),
        ("other || name", 0, "-ähnlich+fg-hij"),
    ] {
        assert_eq!(cut_key(key, known), expected, "{key}");
    }
}
