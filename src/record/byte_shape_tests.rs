//! Shapes against all strings of them.

use super::*;
use std::collections::BTreeSet;

type Strings = BTreeSet<Vec<u8>>;

/// All strings of a short shape.
fn strings(shape: &ByteShape) -> Strings {
    let mut found = Strings::new();
    let mut last = vec![Vec::new()];
    for length in 0..=shape.max {
        if length >= shape.min {
            found.extend(last.iter().cloned());
        }
        let longer = |text: &Vec<u8>| -> Vec<Vec<u8>> {
            let bytes = shape.at(length).iter();
            bytes.map(|byte| [&text[..], &[byte]].concat()).collect()
        };
        last = last.iter().flat_map(longer).collect();
    }
    found
}

/// Every length and, at each position, every byte that occurs in `all`, and none else.
fn assert_tight(shape: &ByteShape, all: &Strings) {
    let lengths = || all.iter().map(Vec::len);
    assert_eq!(Some(shape.min), lengths().min(), "{shape:?}");
    assert_eq!(Some(shape.max), lengths().max(), "{shape:?}");
    for position in 0..=shape.max {
        let bytes: Vec<u8> = all
            .iter()
            .filter_map(|it| it.get(position).copied())
            .collect();
        assert_eq!(
            shape.at(position),
            ByteSet::of(&bytes),
            "{shape:?} at {position}"
        );
    }
    let bytes: Vec<u8> = all.iter().flatten().copied().collect();
    assert_eq!(shape.all(), ByteSet::of(&bytes), "{shape:?}");
}

fn shapes() -> Vec<ByteShape> {
    let set = ByteSet::of;
    vec![
        ByteShape::literal(b""),
        ByteShape::literal(b"cab"),
        ByteShape::uniform(0, 2, set(b"ac")),
        ByteShape::uniform(3, 3, set(b"bd")),
        ByteShape::uniform(1, 3, set(b"b")),
        ByteShape::from_sets(1, 3, vec![set(b"b"), set(b"ad")], set(b"bc")),
        ByteShape::from_sets(2, 2, vec![set(b"ab"), set(b"c"), set(b"d")], set(b"a")),
    ]
}

#[test]
fn characters_are_counted_where_they_are_known() {
    let word = |text: &str| ByteShape::literal(text.as_bytes());
    let longer = word("müller").or(&word("jones7")).then(&word("€€"));
    assert_eq!((longer.min, longer.max, longer.chars), (12, 13, (8, 8)));
    // Of one byte each, or of four.
    assert_eq!(ByteShape::uniform(5, 9, ByteSet::ALL).chars, (2, 9));
    assert_eq!(ByteShape::uniform(5, 9, ByteSet::one(b'a')).chars, (5, 9));
}

fn texts(all: &Strings, change: impl Fn(&[u8]) -> Vec<u8>) -> Strings {
    all.iter().map(|text| change(text)).collect()
}

#[test]
fn parts_and_reverses_are_those_of_every_string() {
    for shape in shapes() {
        let all = strings(&shape);
        assert_tight(&shape, &all);
        assert_eq!(shape.count(), Some(all.len() as u64), "{shape:?}");
        let only = all.first().filter(|_| all.len() == 1).cloned();
        assert_eq!(shape.single(), only, "{shape:?}");
        assert_eq!(shape.fixed().is_some(), shape.min == shape.max);
        for count in 0..5 {
            let left = texts(&all, |text| text[..text.len().min(count)].to_vec());
            assert_tight(&shape.left(count), &left);
            let from = texts(&all, |text| text[text.len().min(count)..].to_vec());
            assert_tight(&shape.from(count), &from);
            let right = texts(&all, |text| {
                text[text.len().saturating_sub(count)..].to_vec()
            });
            let reversed = texts(&all, |text| text.iter().rev().copied().collect());
            if shape.fixed().is_some() {
                assert_tight(&shape.right(count), &right);
                assert_tight(&shape.reversed(), &reversed);
            } else {
                assert!(strings(&shape.right(count)).is_superset(&right));
                assert!(strings(&shape.reversed()).is_superset(&reversed));
            }
        }
        let upper = texts(&all, |text| text.to_ascii_uppercase());
        assert_tight(&shape.map(|byte| byte.to_ascii_uppercase()), &upper);
    }
}

#[test]
fn what_follows_may_start_wherever_the_first_ends() {
    for first in shapes() {
        for next in shapes() {
            let mut all = Strings::new();
            for head in strings(&first) {
                all.extend(strings(&next).iter().map(|tail| [&head[..], tail].concat()));
            }
            assert_tight(&first.then(&next), &all);
        }
    }
}

#[test]
fn the_least_string_from_a_start_on_is_found() {
    let starts = strings(&ByteShape::uniform(0, 4, ByteSet::range(b'`', b'd')));
    for shape in shapes() {
        let all = strings(&shape);
        for start in &starts {
            let least = all.range(start.clone()..).next().cloned();
            let found = shape.least_from(start).map(Iterator::collect);
            assert_eq!(found, least, "{shape:?} from {start:?}");
            for end in &starts {
                let reached = least.as_ref().is_some_and(|it| end.is_empty() || it < end);
                assert_eq!(shape.reaches(start, end), reached);
            }
        }
    }
}

#[test]
fn strings_between_two_share_their_lead() {
    let digits = ByteSet::range(b'0', b'9');
    let shape = ByteShape::between(b"1299", b"1503", digits);
    let between: Strings = (1_299..=1_503)
        .map(|n: u32| n.to_string().into_bytes())
        .collect();
    assert_tight(&shape, &between);
    assert_eq!(shape.at(1), ByteSet::range(b'2', b'5'));
    let only = ByteShape::between(b"77", b"77", digits);
    assert_eq!(only.single(), Some(b"77".to_vec()));
}

#[test]
fn far_positions_share_one_set() {
    let mut text = vec![b'a'; POSITIONS];
    text.extend(b"xyz");
    let shape = ByteShape::literal(&text);
    assert_eq!((shape.min, shape.max, shape.single()), (67, 67, None));
    let far = ByteSet::of(b"xyz");
    let at = [0, POSITIONS - 1, POSITIONS, 66, 67].map(|position| shape.at(position));
    let near = ByteSet::one(b'a');
    assert_eq!(at, [near, near, far, far, ByteSet::NONE]);
    assert_eq!(shape.all(), ByteSet::of(b"axyz"));
    assert_eq!(shape.left(POSITIONS).single(), Some(vec![b'a'; POSITIONS]));
    assert_eq!(shape.left(POSITIONS).all(), near);
    assert_eq!(shape.from(2).at(POSITIONS - 3), near);
    assert_eq!(shape.from(2).at(POSITIONS - 2), far);
    assert!(shape.is_ascii() && !ByteShape::uniform(0, 1, ByteSet::one(128)).is_ascii());
    let from = |far: &[u8]| {
        let start = [&text[..POSITIONS], far].concat();
        let least = shape.least_from(&start);
        least.map(Iterator::collect::<Vec<u8>>)
    };
    assert!(from(b"b").is_some_and(|least| least.starts_with(&text[..=POSITIONS])));
    assert_eq!(from(b"yy1").unwrap()[POSITIONS..], *b"yyx");
    assert_eq!(from(b"{"), None);
    // 2^63 and fewer can be counted, 2^64 not.
    assert_eq!(
        ByteShape::uniform(63, 63, ByteSet::of(b"ab")).count(),
        Some(1 << 63)
    );
    assert_eq!(ByteShape::uniform(64, 64, ByteSet::of(b"ab")).count(), None);
}
