//! Expressions up to their bounds, how far one mistake reaches, and how large derived fields get.

use super::*;

fn messages(text: &str) -> Vec<String> {
    let (_, errors) = parse(text);
    errors.into_iter().map(|error| error.message).collect()
}

#[test]
fn nesting_ends_at_64_levels_of_parentheses_signs_or_operators() {
    let nested = [
        |levels: usize| format!("{}n{}", "(".repeat(levels), ")".repeat(levels)),
        |levels| format!("{}n", "-".repeat(levels)),
        |levels| format!("n{}", " + n".repeat(levels)),
        |levels| format!("(n{})", " * n".repeat(levels - 1)),
    ];
    for text in nested {
        // The operand itself is a level.
        assert!(messages(&text(63)).is_empty(), "{}", text(63));
        assert_eq!(messages(&text(64)), ["expression nested deeper than 64"]);
    }
}

#[test]
fn what_stands_side_by_side_is_not_nested() {
    let arguments = ", (n), -n, -(-n)".repeat(70);
    assert!(messages(&format!("delim('#'{arguments})")).is_empty());
    let parts = " || (n || -n)".repeat(70);
    assert!(messages(&format!("(n{parts})")).is_empty());
}

#[test]
fn a_mebibyte_is_the_longest_text() {
    let longest = format!("n{}", " ".repeat((1 << 20) - 1));
    assert!(messages(&longest).is_empty());
    let longer = longest + " ";
    assert_eq!(messages(&longer), ["expression of 1048577 bytes"]);
}

#[test]
fn a_mistake_spoils_its_segment_with_the_joins_in_its_parentheses() {
    let (tree, errors) = parse("be8(n n || m) || ) || z");
    let places: Vec<_> = errors.into_iter().map(|error| error.span).collect();
    assert_eq!(places, [6..7, 17..18]);
    let Some(ExprKind::Concat(parts)) = tree.map(|tree| tree.kind) else {
        panic!("three segments");
    };
    let [
        ExprKind::Unreadable,
        ExprKind::Unreadable,
        ExprKind::Name(name),
    ] = [0, 1, 2].map(|at| parts[at].kind.clone())
    else {
        panic!("found {parts:?}");
    };
    assert_eq!((name.as_str(), parts.len()), ("z", 3));
}

#[test]
fn integers_reach_from_the_least_to_the_greatest_of_64_bits() {
    for (text, expected) in [
        ("9223372036854775807", i64::MAX),
        ("-9223372036854775808", i64::MIN),
    ] {
        let (tree, errors) = parse(text);
        assert!(errors.is_empty(), "{text}");
        let kind = tree.unwrap().kind;
        assert!(
            matches!(kind, ExprKind::Int(found) if found == expected),
            "{text}"
        );
    }
    // Above them only literals, which have no sign.
    for number in [1 << 63, u64::MAX] {
        let (tree, errors) = parse(&number.to_string());
        assert!(errors.is_empty(), "{number}");
        assert_eq!(tree.unwrap().kind, ExprKind::Unsigned(number));
    }
    for number in ["-9223372036854775809", "18446744073709551616"] {
        let expected = format!("`{number}` does not fit 64 bits");
        assert_eq!(messages(number), [expected]);
    }
}

#[test]
fn characters_of_other_languages_are_met_with_what_this_one_writes() {
    for (character, expected) in [
        ("\"", Some("texts are written in single quotes: 'text'")),
        ("|", Some("segments are joined by `||`")),
        ("$", Some("fields are written by their bare names")),
        ("{", Some("fields are written by their bare names")),
        ("@", Some("fields are written by their bare names")),
        (
            ".",
            Some("names have no dots; Java's `Long.MAX_VALUE` is `LONG_MAX`"),
        ),
        ("?", None),
    ] {
        let (_, errors) = parse(character);
        assert_eq!(
            errors[0].message,
            format!("unexpected character `{character}`")
        );
        assert_eq!(errors[0].help.as_deref(), expected, "{character}");
    }
}

fn sizes(fields: &[(&str, &str)]) -> Vec<u64> {
    let fields = fields
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    expanded_sizes(&fields.collect::<Vec<_>>())
}

#[test]
fn a_name_counts_as_what_it_stands_for() {
    // `id` 1; `a + a` 3 with each `a` 1 + 1; a call, its two arguments, and the parts of one of them.
    let fields = [
        ("a", "id"),
        ("b", "a + a"),
        ("c", "lpad(b, 3)"),
        ("d", "'x' || -a"),
    ];
    assert_eq!(sizes(&fields), [1, 5, 8, 5]);
}

#[test]
fn doubling_saturates_and_circles_end() {
    let mut fields = vec![("f0".to_owned(), "id".to_owned())];
    for at in 1..900 {
        fields.push((format!("f{at}"), format!("f{0} + f{0}", at - 1)));
    }
    fields.reverse();
    assert_eq!(expanded_sizes(&fields)[0], u64::MAX);
    assert_eq!(sizes(&[("a", "b"), ("b", "a")]), [3, 2]);
}

#[test]
fn a_key_is_written_out_with_what_its_names_stand_for() {
    let derived = [
        ("row", "be8(ts) || series"),
        ("series", "be4(host)"),
        ("sum", "a + b"),
    ];
    let derived = derived.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let expanded = |text| super::expanded(text, &derived).unwrap();
    assert_eq!(expanded("row"), "be8(ts) || be4(host)");
    assert_eq!(
        expanded("md5(row) || 'row' || sum"),
        "md5(be8(ts) || be4(host)) || 'row' || a + b"
    );
    assert_eq!(expanded("be4(2 * sum)"), "be4(2 * (a + b))");
    let doubled: Vec<_> = (0..40)
        .map(|at| (format!("f{at}"), format!("f{0} || f{0}", at + 1)))
        .collect();
    assert_eq!(super::expanded("f0", &doubled), None);
}
