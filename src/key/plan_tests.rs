//! What a plan says of itself, what it warns of, and what does not compile.

use super::*;
use crate::key::Randomness;
use crate::keyspace::KeyBatch;
use crate::random::{DrawKey, Seed, Stream};
use crate::record::TextValues;
use crate::time::EpochNanos;

/// Integers of different ranges; texts of one and two characters, of which one begins with the other or neither does, and of 64 `a` with a `z` behind them or not.
fn schema() -> Schema {
    let int = |first, count| FieldKind::Int { first, count };
    let texts = |texts: [String; 2]| FieldKind::Text(TextValues::Listed(texts.into()));
    let many = "a".repeat(64);
    let fields = [
        ("n", int(0, 1_000)),
        ("id", int(0, 100_000)),
        ("negative", int(-5, 10)),
        ("word", int(0, 1 << 32)),
        ("wider", int(0, (1 << 32) + 1)),
        ("host", texts(["b".to_owned(), "bc".to_owned()])),
        ("code", texts(["a".to_owned(), "bc".to_owned()])),
        ("long", texts([many.clone(), many + "z"])),
    ];
    Schema {
        fields: fields.map(|(name, kind)| Field::new(name, kind)).into(),
        time_range: (EpochNanos(0), EpochNanos(0)),
        sequence_span: 0,
    }
}

/// With parameters `a` = 3, `b` = 5 and `c` = 7.
fn compile_with(key: &str, derived: &[(&str, &str)]) -> Result<KeyPlan, Vec<KeyError>> {
    let schema = schema();
    let owned = |&(name, text): &(&str, &str)| (name.to_owned(), text.to_owned());
    let derived: Vec<_> = derived.iter().map(owned).collect();
    let parameters = [("a", 3), ("b", 5), ("c", 7)];
    let parameters = parameters
        .map(|(name, value)| (name.to_owned(), value))
        .into();
    let environment = Environment {
        schema: &schema,
        derived: &derived,
        parameters: &parameters,
    };
    KeyPlan::compile(key, &environment)
}

fn plan(key: &str) -> KeyPlan {
    compile_with(key, &[]).unwrap_or_else(|errors| panic!("{key}: {errors:?}"))
}

/// The only error.
fn error(key: &str, derived: &[(&str, &str)]) -> KeyError {
    let mut errors = compile_with(key, derived).unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.remove(0)
}

/// The first note of a key whose message contains `part`.
fn note(key: &str, part: &str) -> KeyNote {
    let plan = plan(key);
    let found = plan
        .notes
        .iter()
        .find(|note| note.text.message.contains(part));
    found
        .unwrap_or_else(|| panic!("{key}: {:?}", plan.notes))
        .clone()
}

#[test]
fn keys_in_other_words_are_the_same_by_bytes_or_by_order() {
    let same = |one: &str, other: &str| {
        let (one, other) = (plan(one), plan(other));
        (one.has_bytes_of(&other), one.has_order_of(&other))
    };
    let reversed = "be8(rev_ts(n))";
    assert_eq!(
        same(reversed, "be8( (9223372036854775807 - n) )"),
        (true, true)
    );
    assert_eq!(same(reversed, "desc(be8(n))"), (false, true));
    assert_eq!(same(reversed, "be8(n)"), (false, false));
    assert_eq!(same("be8(n)", "be8(n) || 'x'"), (false, false));
    assert_eq!(
        same("be1(random(4)) || be8(n)", "be1(random(8)) || be8(n)"),
        (false, false)
    );
}

#[test]
fn the_parameters_of_a_plan_are_those_that_it_uses() {
    let plan = compile_with("be8(n + a) || d", &[("d", "be8(n * b)")]).unwrap();
    let expected = [("a".to_owned(), 3), ("b".to_owned(), 5)];
    assert_eq!(plan.parameters, expected.into());
}

#[test]
fn segments_know_their_text_their_values_and_how_they_spread() {
    let first = |key: &str| {
        let segment = plan(key).segments()[0].clone();
        (
            segment.is_text(),
            segment.cardinality(),
            segment.randomness(),
        )
    };
    assert_eq!(first("be4(n)"), (false, Some(1_000), Randomness::Plain));
    assert_eq!(first("host"), (true, Some(2), Randomness::Plain));
    assert_eq!(
        first("left(md5(id), 2)"),
        (true, Some(256), Randomness::Hashed)
    );
    // Text and bytes together are bytes.
    assert!(first("left(host || 'x', 2)").0 && !first("left(host || x'ff', 2)").0);
    assert!(!first("left(x'ff' || host, 2)").0);
    // What is drawn stays drawn.
    assert_eq!(first("be8(n + random(9))").2, Randomness::Random);
    assert_eq!(first("md5_bytes(uuid4())").2, Randomness::Random);
}

#[test]
fn a_segment_ends_where_its_width_or_a_delimiter_that_it_lacks_says() {
    let mixed = plan("text(n) || '#' || be4(n) || host || 'b' || host || '' || text(id) || host");
    let found: Vec<bool> = (0..mixed.segments().len())
        .map(|at| mixed.is_delimited(at))
        .collect();
    assert_eq!(
        found,
        [true, true, true, false, true, false, true, false, true]
    );
    // No code begins with another one, and a part of one may.
    let codes = plan("code || host || left(code, 1) || code || id");
    let found: Vec<bool> = (0..4).map(|at| codes.is_delimited(at)).collect();
    assert_eq!(found, [true, false, true, true]);
    let codes = plan("code || be8(id)");
    let is_warned = |note: &KeyNote| note.text.message.starts_with("nothing separates");
    assert!(!codes.notes.iter().any(is_warned), "{:?}", codes.notes);
    // A text of more than 64 characters may have any behind them.
    assert!(!plan("long || 'z'").is_delimited(0));
}

#[test]
fn what_may_run_together_is_warned_of_by_what_it_costs() {
    let scan = "a prefix scan reads longer values as well";
    let clash = "different records can get one key ('10' || '120' is '101' || '20')";
    for (key, next, cost) in [
        ("text(n) || host", "host", scan),
        ("text(n) || '' || host", "''", scan),
        ("text(n) || host || text(id)", "host", clash),
        ("text(n) || text(id)", "text(id)", clash),
        ("host || be8(id)", "be8(id)", scan),
        ("host || be8(id) || text(n)", "be8(id)", clash),
    ] {
        let first = key.split(" || ").next().unwrap();
        let expected = format!("nothing separates `{first}` from `{next}`: {cost}");
        let note = note(key, &format!("nothing separates `{first}`"));
        assert_eq!(
            (note.text.message, note.is_warning),
            (expected, true),
            "{key}"
        );
    }
    let expected = "`host` may contain the delimiter 'b' that follows it";
    assert_eq!(note("host || 'b'", "delimiter").text.message, expected);
    let help = |key| note(key, "nothing separates").text.help.unwrap();
    assert!(help("text(n) || host").contains("(x'00', '#')"));
    assert!(help("reverse_bytes(text(n)) || host").contains("(a fixed width, '#')"));
}

#[test]
fn an_integer_between_joins_is_offered_the_bytes_that_hold_it() {
    for (field, width) in [("n", 4), ("word", 4), ("wider", 8), ("negative", 8)] {
        let note = note(field, "becomes decimal text");
        let help = format!("say which bytes you mean: `be{width}({field})` or `text({field})`");
        assert_eq!(note.text.help, Some(help));
    }
}

#[test]
fn numbers_that_do_not_sort_matter_less_behind_more_than_65536_hashes() {
    let is_warning = |key| note(key, "unpadded numbers").is_warning;
    assert!(is_warning("left(md5_bytes(id), 2) || text(n)"));
    assert!(!is_warning("left(md5_bytes(id), 3) || text(n)"));
}

#[test]
fn delimiters_stand_between_parts_and_fields_come_before_derived_ones() {
    let plan = plan("delim('#', host, text(n), be4(id))");
    let written: Vec<_> = plan
        .segments()
        .iter()
        .map(|segment| segment.expression.as_str())
        .collect();
    assert_eq!(written, ["host", "'#'", "text(n)", "'#'", "be4(id)"]);
    let plan = compile_with("host", &[("host", "'x'")]).unwrap();
    assert_eq!(plan.segments()[0].constant(), None);
}

#[test]
fn a_row_key_has_at_most_32767_bytes() {
    assert_eq!(plan("lpad(n, 32767)").len_range(), (32_767, 32_767));
    let message = "key of up to 32768 bytes; a row key has at most 32767";
    let longer = error("be1(a) || lpad(n, 32767)", &[]);
    let found = (&longer.message[..], &longer.label[..], longer.span);
    assert_eq!(found, (message, "up to 32767 bytes here", 10..24));
    let derived = error("be1(a) || d", &[("d", "lpad(n, 32767)")]);
    let found = (&derived.message[..], &derived.label[..], derived.span);
    assert_eq!(found, (message, "too long", 0..11));
}

#[test]
fn a_mistake_in_a_derived_field_is_told_there() {
    let error = error("be4(id) || d", &[("d", "be1(a")]);
    assert_eq!(error.message, "unclosed `(`");
    assert_eq!((error.derived.as_deref(), error.span), (Some("d"), 3..4));
}

#[test]
fn derived_fields_nest_to_64_levels() {
    // The call, each name and each sign is a level: 1 + 1 + 40 + 1 + signs + 1.
    let compiled = |signs: usize| {
        let inner = format!("{}n", "-".repeat(signs));
        let outer = format!("{}inner", "-".repeat(40));
        compile_with("be8(outer)", &[("outer", &outer), ("inner", &inner)])
    };
    assert!(compiled(20).is_ok());
    let errors = compiled(21).unwrap_err();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].message, "expression nested deeper than 64");
}

#[test]
fn a_key_has_at_most_10000_parts_and_one_message_says_so() {
    // The whole and each literal is a part.
    let key = |empty: usize| format!("'x'{}", " || ''".repeat(empty));
    assert!(compile_with(&key(9_998), &[]).is_ok());
    for more in [9_999, 10_007] {
        let message = error(&key(more), &[]).message;
        assert_eq!(
            message,
            "key of more than 10000 parts, derived fields expanded"
        );
    }
}

#[test]
fn where_there_are_no_names_a_text_was_meant() {
    let schema = Schema {
        fields: Vec::new(),
        ..schema()
    };
    let parameters = BTreeMap::new();
    let environment = Environment {
        schema: &schema,
        derived: &[],
        parameters: &parameters,
    };
    let errors = KeyPlan::compile("web", &environment).unwrap_err();
    let help = "there are no fields; texts are quoted: 'text'";
    assert_eq!(errors[0].help.as_deref(), Some(help));
    let help = error("web", &[]).help.unwrap();
    assert_eq!(
        help,
        "known: n, id, negative, word, wider, host, code, long, a, b, c"
    );
}

#[test]
fn leading_buckets_are_all_values_of_what_is_made_of_draws_hashes_and_constants() {
    let buckets = |key: &str| plan(&format!("{key} || be4(id)")).leading_buckets();
    let numbers: [(&str, &[u8]); 7] = [
        ("be1(random(3) + 5)", &[5, 6, 7]),
        ("be1(9 - random(3))", &[7, 8, 9]),
        ("be1(random(3) * 100)", &[0, 100, 200]),
        ("be1(random(20) / 6)", &[0, 1, 2, 3]),
        ("be1(round_robin(2) + 3 * random(2))", &[0, 1, 3, 4]),
        ("be1(abs(negative % 3))", &[0, 1, 2]),
        // One bucket is one as well.
        ("salt(1, id)", &[0]),
    ];
    for (key, expected) in numbers {
        let expected = expected.iter().map(|&byte| vec![byte]).collect();
        assert_eq!(buckets(key), Some(expected), "{key}");
    }
    let both = [b"k0a00".to_vec(), b"k0a01".to_vec()];
    assert_eq!(
        buckets("'k' || hex(x'0a' || be1(random(2)))"),
        Some(both.into())
    );
    assert_eq!(
        buckets("'k' || be1(random(1))"),
        Some(vec![b"k\0".to_vec()])
    );
    assert_eq!(
        buckets("salt2(65536, id)").map(|all| all.len()),
        Some(65_536)
    );
    assert_eq!(buckets("be3(pmod(id, 65537))"), None);
    assert_eq!(buckets("be1(n / 4)"), None);
}

/// Many rows at once get the keys that each gets alone.
fn assert_batches_agree(key: &str) {
    let plan = plan(key);
    // Over more than one chunk, and with digits everywhere.
    let row = |n: i64| {
        [
            997 - 7 * n,
            99_998 - 421 * n,
            n % 10 - 5,
            (1 << 31) + n,
            n,
            n % 2,
            0,
        ]
    };
    let rows: Vec<[i64; 7]> = (0..100).map(row).collect();
    let operations: Vec<u64> = (0..100).collect();
    let draws = DrawKey::new(Seed(1), 0, Stream::Keys, 0);
    let mut keys = KeyBatch::default();
    plan.write_batch(&rows.concat(), &operations, &operations, draws, &mut keys);
    assert_eq!(keys.len(), 100);
    for (found, (record, index)) in keys.iter().zip(rows.iter().zip(operations)) {
        let mut expected = Vec::new();
        let draws = draws.at(index);
        plan.write(
            &Row {
                record,
                index,
                draws,
            },
            &mut expected,
        );
        assert_eq!(found, expected, "row {index} of {key}");
    }
}

#[test]
fn many_rows_at_once_have_the_digests_of_digests_that_each_has_alone() {
    assert_batches_agree("md5_bytes(md5(n)) || md5(host || md5(id)) || host");
}

#[test]
fn keys_of_fixed_width_are_the_same_column_by_column() {
    for key in [
        "lpad(n, 3) || lpad(id, 5) || lpad(n, 4, 'x') || reverse(lpad(n, 3)) || reverse(lpad(id, 5))",
        "desc(be4(id)) || reverse_bytes(be3(id)) || upper(md5(be4(id))) || left(md5(be2(n)), 7)",
        "md5_bytes(be4(id) || 'k' || be2(n)) || left(md5_bytes(lpad(n, 3) || lpad(id, 5)), 11)",
        "salt(7, be4(id) || be2(n)) || salt2(300, lpad(id, 5)) || be1(bucket(16, be4(id)))",
        "be4(murmur3(be4(id) || be2(n))) || sbe8(fnv1a_64(lpad(n, 3))) || be4(crc32('k' || be4(id)))",
        "hex(be3(id)) || sha1_bytes(be4(id)) || sha256(be2(n)) || right(hex(be4(id)), 3)",
        "sbe1(negative) || be8(id * 1000 - n) || be2(id / 7) || be1(id % 7) || be1(pmod(negative, 3))",
        "lpad(negative, 3) || lpad(negative, 4, ' ') || reverse(lpad(negative, 3)) || ordered8(id) || lower(lpad(n, 4))",
        "be1(random(9)) || be2(random(300)) || be1(round_robin(7)) || be4(trunc(id, 7) + n) || be1(5 + 2 - 4)",
        // Longer than what is hashed in one block.
        "md5_bytes(lpad(n, 60)) || be4(crc32(lpad(id, 70))) || salt(7, lpad(n, 70))",
    ] {
        assert_batches_agree(key);
    }
}

#[test]
fn a_join_that_is_reversed_is_its_parts_reversed_from_the_last_one_on() {
    for (reversed, parts) in [
        (
            "reverse('x' || host || '#' || text(n))",
            "reverse(text(n)) || '#' || reverse(host) || 'x'",
        ),
        ("reverse(mail)", "reverse(text(id)) || '@' || reverse(host)"),
        // Characters of text, and bytes of bytes.
        ("reverse('ñ' || host)", "reverse(host) || 'ñ'"),
        (
            "reverse_bytes('ñ' || be3(id))",
            "reverse_bytes(be3(id)) || x'b1c3'",
        ),
    ] {
        let compiled = |key| compile_with(key, &[("mail", "host || '@' || text(id)")]).unwrap();
        let (reversed, parts) = (compiled(reversed), compiled(parts));
        let told = |plan: &KeyPlan| -> Vec<(bool, Vec<FieldId>, Option<Vec<u8>>)> {
            let ends = |at| plan.is_delimited(at);
            let segments = plan.segments().iter().enumerate();
            let told = segments.map(|(at, it)| (ends(at), it.fields().to_vec(), it.constant()));
            told.collect()
        };
        assert_eq!(told(&reversed), told(&parts), "{}", reversed.text());
        let record = [17, 4_321, 0, 0, 0, 1, 0];
        let written = |plan: &KeyPlan| {
            let (mut key, draws) = (Vec::new(), DrawKey::new(Seed(1), 0, Stream::Keys, 0).at(0));
            plan.write(
                &Row {
                    record: &record,
                    index: 0,
                    draws,
                },
                &mut key,
            );
            key
        };
        assert_eq!(written(&reversed), written(&parts), "{}", reversed.text());
    }
}

#[test]
fn parts_of_a_reversed_join_are_named_by_what_each_of_them_reverses() {
    let plan = plan("reverse(host || 'ab' || text(n))");
    let names = plan.segments().iter().map(|it| it.expression.as_str());
    let names: Vec<&str> = names.collect();
    assert_eq!(
        names,
        ["reverse(host || 'ab' || text(n))", "'ba'", "reverse(host)"]
    );
}
