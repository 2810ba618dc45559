//! Row keys that other systems write (`data/keys.json`: their own code, compiled, or published values) against the key language.

use crate::vector_cases::{NOT_KEYS, cases, number, written};
use keyheat::key::evaluate;
use keyheat::random::Seed;
use keyheat::record::FieldValue;

/// Number of keys, all of them equal.
pub fn keys() -> usize {
    let mut failures = Vec::new();
    let mut checked = 0;
    for case in cases() {
        let ways = written(&case);
        let name = case["fn"].as_str().expect("fn");
        if ways.is_empty() && !NOT_KEYS.contains(&name) && name != "opentsdb_salt" {
            failures.push(format!("case {}: {name} is not covered", case["id"]));
        }
        for (expression, given, expected) in ways {
            checked += 1;
            let given: Vec<(String, FieldValue)> = given
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect();
            match evaluate(&expression, &given, Seed(1)) {
                Ok(found) if found.key.as_bytes() == expected => {}
                Ok(found) => failures.push(format!(
                    "case {}: {expression} with {given:?}: {:02x?}, expected {expected:02x?}",
                    case["id"],
                    found.key.as_bytes()
                )),
                Err(errors) => failures.push(format!(
                    "case {}: {expression} with {given:?}: {errors:?}",
                    case["id"]
                )),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    checked
}

#[test]
fn keys_equal_those_of_the_systems_that_the_functions_are_named_after() {
    // 168 cases, of which those of the functions above make no key; most say more than one thing.
    assert!(keys() > 200);
}

#[test]
fn shares_of_the_polynomial_salt_are_those_that_were_measured() {
    for case in cases()
        .iter()
        .filter(|case| case["fn"] == "poly31_salt_balance")
    {
        let (input, expect) = (&case["in"], &case["expect"]);
        let (rows, buckets) = (number(&input["rows"]), number(&input["buckets"]));
        let key = match input["key_shape"].as_str().expect("text") {
            "be8 ms, 1/s" => "be8(1700000000000 + n * 1000)",
            "be8 ms, 1/min" => "be8(1700000000000 + n * 60000)",
            "be8 seq 0.." => "be8(n)",
            "be8 seq + type byte 01" => "be8(n) || x'01'",
            other => panic!("unknown key shape {other}"),
        };
        let mut counts = vec![0i64; buckets as usize];
        for n in 0..rows {
            let given = [("n".to_owned(), FieldValue::Int(n))];
            let key = evaluate(&format!("salt({buckets}, {key})"), &given, Seed(1))
                .expect("compiles")
                .key;
            counts[usize::from(key.as_bytes()[0])] += 1;
        }
        let empty = counts.iter().filter(|&&count| count == 0).count() as i64;
        assert_eq!(empty, number(&expect["empty_buckets"]), "{input}");
        let peak =
            counts.iter().max().copied().unwrap_or(0) as f64 / (rows as f64 / buckets as f64);
        // The file keeps three decimals; the start of its timestamps may differ, which moves single rows.
        let expected = expect["max_over_mean"].as_f64().expect("number");
        assert!(
            (peak - expected).abs() < 0.05 * expected,
            "{input}: {peak}, expected {expected}"
        );
    }
}
