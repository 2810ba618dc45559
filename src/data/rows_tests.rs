//! Files as people have them, good and damaged.

use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{Cursor, Write};
use std::path::PathBuf;

const KINDS: [(&str, ValueKind); 5] = [
    ("order_id", ValueKind::Uuid),
    ("customer_id", ValueKind::Text),
    ("country", ValueKind::Text),
    ("created_at", ValueKind::Time),
    ("amount", ValueKind::Decimal),
];

fn malformed(name: &str) -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/malformed"
    ))
    .join(name)
}

/// The good rows of orders, all complaints in their order, and all warnings.
fn read_all(
    opened: Result<Rows, DataError>,
) -> (Vec<Vec<String>>, Vec<DataError>, Vec<DataWarning>) {
    let mut rows = match opened {
        Ok(rows) => rows,
        Err(error) => return (Vec::new(), vec![error], Vec::new()),
    };
    let at = |name: &str| rows.columns().iter().position(|it| it == name);
    let mut parsers = KINDS.map(|(name, kind)| (at(name).unwrap(), ValueParser::new(kind)));
    let (mut good, mut errors, mut record) = (Vec::new(), Vec::new(), Record::default());
    loop {
        match rows.next(&mut record) {
            Ok(false) => break,
            Err(error) if !error.is_of_row => {
                errors.push(error);
                break;
            }
            Err(error) => {
                errors.push(error);
                continue;
            }
            Ok(true) => {}
        }
        let mut row = Vec::new();
        for (column, parser) in &mut parsers {
            let Some(text) = record.get(*column) else {
                errors.push(rows.error(&record, *column, "missing"));
                continue;
            };
            match parser.parse(text) {
                Ok(value) => {
                    if matches!(value, Value::Time(_, false)) {
                        rows.warn(Oddity::NoTimeZone, &record, *column);
                    }
                    row.push(text.to_owned());
                }
                Err(found) => errors.push(rows.error(&record, *column, found)),
            }
        }
        if row.len() == KINDS.len() {
            good.push(row);
        }
    }
    let warnings = rows.warnings().to_vec();
    (good, errors, warnings)
}

fn of_text(text: &str) -> (Vec<Vec<String>>, Vec<DataError>, Vec<DataWarning>) {
    read_all(Rows::read(Cursor::new(text.to_owned()), "orders.csv"))
}

#[test]
fn malformed_files_end_as_people_expect() {
    let expected = std::fs::read(malformed("expected.json")).unwrap();
    let expected: serde_json::Value = serde_json::from_slice(&expected).unwrap();
    let mut checked = 0;
    for (name, case) in expected["variants"].as_object().unwrap() {
        let file = malformed(case["files"][0].as_str().unwrap());
        if name[..2].parse::<u8>().unwrap() > 31 || !file.exists() {
            continue;
        }
        checked += 1;
        let (good, errors, warnings) = read_all(Rows::open(&file));
        let firsts = warnings.iter().map(|warning| &warning.first);
        let said: Vec<&DataError> = errors.iter().chain(firsts).collect();
        let shown: Vec<String> = said.iter().map(ToString::to_string).collect();
        let found = shown.join("\n");
        match case["expect"].as_str().unwrap() {
            "ok" => assert!(said.is_empty() && good.len() == 30, "{name}: {found}"),
            "error" => assert!(!errors.is_empty(), "{name}: {found}"),
            "warning" => assert!(errors.is_empty() && !said.is_empty(), "{name}: {found}"),
            _ => assert!(!said.is_empty(), "{name}"),
        }
        if let Some(line) = case["line"].as_u64() {
            let there = said.iter().any(|error| error.line == Some(line));
            assert!(there, "{name}: line {line} in:\n{found}");
        }
        for word in case["message_should_name"].as_array().into_iter().flatten() {
            let word = word.as_str().unwrap();
            assert!(found.contains(word), "{name}: `{word}` in:\n{found}");
        }
        // A row is either good or complained of; at most two lie on each other where bytes are missing.
        let whole = errors.iter().all(|error| error.is_of_row);
        let files_of_30 = whole && !matches!(&name[..2], "01" | "02" | "19");
        assert!(
            !files_of_30 || good.len() + errors.len() >= 30,
            "{name}: {found}"
        );
        assert!(found.len() < 30 * 300, "{name} says too much:\n{found}");
    }
    assert_eq!(checked, 30);
}

#[test]
fn values_keep_their_commas_quotes_and_line_ends() {
    let (good, ..) = read_all(Rows::open(&malformed("11-quoted-comma-and-newline.csv")));
    assert_eq!(good[4][2], "de, or\nmaybe \"at\"");
    let (good, _, warnings) = read_all(Rows::open(&malformed("12-stray-quote.csv")));
    assert_eq!((good[4][2].as_str(), good.len()), ("d\"e", 30));
    assert_eq!(warnings[0].oddity, Oddity::StrayQuote);
    let (good, ..) = read_all(Rows::open(&malformed("07-mixed-line-ends.csv")));
    assert!(good.iter().flatten().all(|value| !value.contains('\r')));
    let (good, ..) = read_all(Rows::open(&malformed("16-semicolons.csv")));
    assert_eq!((good.len(), good[0].len()), (30, 5));
}

const HEADER: &str = "order_id,customer_id,country,created_at,amount\n";
const ROW: &str = "279ae5a6-150e-11f1-9c5e-0242ac120002,c00003,fr,2026-03-01T01:29:56Z,170.95";

#[test]
fn packed_rows_and_other_forms_are_the_same_rows() {
    let text = format!("{HEADER}{ROW}\n{ROW}");
    let plain = of_text(&text);
    assert_eq!((plain.0.len(), plain.1.len(), plain.2.len()), (2, 0, 0));
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(&text.as_bytes()[..90]).unwrap();
    let mut members = gz.finish().unwrap();
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(&text.as_bytes()[90..]).unwrap();
    members.extend(gz.finish().unwrap());
    let zst = zstd::encode_all(text.as_bytes(), 1).unwrap();
    let tabs = text.replace(',', "\t").into_bytes();
    let json = format!(
        "{{\"order_id\":\"{}\",\"customer_id\":\"c00003\",\"country\":\"fr\",\"created_at\":\"2026-03-01T01:29:56Z\",\"amount\":170.95}}\n",
        &ROW[..36]
    );
    for bytes in [members, zst, tabs, json.repeat(2).into_bytes()] {
        let other = read_all(Rows::read(Cursor::new(bytes), "orders"));
        assert_eq!((&other.0, other.1.len(), other.2.len()), (&plain.0, 0, 0));
    }
}

#[test]
fn long_values_are_named_and_never_printed() {
    let long = ROW.replace(",fr,", &format!(",{},", "A".repeat(70_000)));
    let (good, errors, warnings) = of_text(&format!("{HEADER}{ROW}\n{long}\n{ROW}\n"));
    assert_eq!((good.len(), errors.len()), (3, 0));
    let shown = warnings[0].to_string();
    assert!(
        shown.contains("line 3, column `country`") && shown.len() < 200,
        "{shown}"
    );
    let bad = of_text(&format!(
        "{HEADER}{}\n",
        ROW.replace("170.95", &"9x".repeat(9_000))
    ))
    .1;
    assert!(bad[0].to_string().len() < 300);
}

#[test]
fn a_quote_that_swallows_a_row_is_a_complaint() {
    let swallowed = ROW.replace(",fr,", ",\"fr,");
    let text = format!(
        "{HEADER}{swallowed}\n{}\n{ROW}\n",
        ROW.replace(",fr,", ",\"fr\",")
    );
    let (good, errors, _) = of_text(&text);
    assert_eq!((good.len(), errors.len(), errors[0].line), (1, 1, Some(2)));
    assert!(errors[0].is_of_row && errors[0].found.contains("line 3"));
}

#[test]
fn text_behind_a_closing_quote_is_told_and_takes_no_rows_along() {
    let read = |text: &str| {
        let mut rows = Rows::read(Cursor::new(text.to_owned()), "x.csv").unwrap();
        let (mut record, mut found) = (Record::default(), Vec::new());
        let error = loop {
            match rows.next(&mut record) {
                Ok(true) => found.push(record.get(0).unwrap().to_owned()),
                Ok(false) => break None,
                Err(error) => break Some(error.to_string()),
            }
        };
        let odd = rows
            .warnings()
            .iter()
            .map(|it| it.oddity)
            .collect::<Vec<_>>();
        (found, odd, error)
    };
    let (found, odd, error) = read("name,k\n\"Best\" hotel,1\n\"a\"\"b\",2\nsay \"hi\",3\n");
    assert_eq!(
        (found, odd),
        (
            ["Best hotel", "a\"b", "say \"hi\""]
                .map(str::to_owned)
                .into(),
            vec![Oddity::TextBehindQuote]
        )
    );
    assert_eq!(error, None);
    // The second quote would close what the first one opened, two rows above.
    let (found, _, error) = read("name,k\nz,0\n\"Best hotel,1\ny,2\n\"Best hotel,3\nx,4\n");
    assert_eq!(found, ["z"]);
    assert!(
        error
            .unwrap()
            .starts_with("`x.csv`, line 3: the quotes of the row don't pair up to line 5\n")
    );
}

#[test]
fn what_is_no_table_is_refused_with_advice() {
    for (bytes, word) in [(&b"a,b\n"[..], "no rows"), (b"\n\n  \n", "empty")] {
        let error = match Rows::read(Cursor::new(bytes), "x") {
            Ok(mut rows) => rows.next(&mut Record::default()).unwrap_err(),
            Err(error) => error,
        };
        assert!(error.to_string().contains(word), "{error}");
    }
    let error = Rows::open(&malformed("")).err().unwrap();
    assert!(error.found.contains("folder"), "{error}");
    let error = Rows::open(&malformed("none.csv")).err().unwrap();
    assert!(error.found.contains("no such file"), "{error}");
}

#[test]
fn json_columns_are_those_of_the_first_rows() {
    let text = "{\"b\":1}\n\n{\"a\":null,\"b\":[2]}\n{\"a\":\"\\u00e9\"}\n3\n";
    let mut rows = Rows::read(Cursor::new(text), "x.jsonl").unwrap();
    assert_eq!(rows.columns(), ["b", "a"]);
    let mut record = Record::default();
    let mut found = Vec::new();
    for _ in 0..3 {
        assert!(rows.next(&mut record).unwrap());
        found.push((
            record.line,
            record.get(0).map(str::to_owned),
            record.get(1).map(str::to_owned),
        ));
    }
    let text = |it: &str| Some(it.to_owned());
    let expected = [
        (1, text("1"), None),
        (3, text("[2]"), None),
        (4, None, text("é")),
    ];
    assert_eq!(found, expected);
    assert_eq!(rows.warnings()[0].oddity, Oddity::OtherType);
    let error = rows.next(&mut record).unwrap_err();
    assert!(error.is_of_row && error.line == Some(5), "{error}");
    assert!(!rows.next(&mut record).unwrap());
}

#[test]
fn json_rows_behind_those_that_columns_are_taken_from_are_read() {
    let lines: String = (1..=250).map(|at| format!("{{\"a\":{at}}}\n")).collect();
    let mut rows = Rows::read(Cursor::new(lines), "x.jsonl").unwrap();
    let mut record = Record::default();
    for at in 1..=250 {
        assert!(rows.next(&mut record).unwrap());
        assert_eq!(record.get(0), Some(at.to_string().as_str()));
    }
    assert!(!rows.next(&mut record).unwrap());
}

#[test]
fn kinds_are_the_narrowest() {
    for (text, kind) in [
        ("0", ValueKind::Int),
        ("-17", ValueKind::Int),
        ("007", ValueKind::Text),
        ("9223372036854775808", ValueKind::Text),
        ("0.5", ValueKind::Decimal),
        ("12e4", ValueKind::Text),
        ("1,234.56", ValueKind::Text),
        ("FALSE", ValueKind::Bool),
        ("279ae5a6-150e-11f1-9c5e-0242ac120002", ValueKind::Uuid),
        ("2026-03-01", ValueKind::Time),
        ("2026-03-01 01:29:56.123 UTC", ValueKind::Time),
        ("2026-02-30T25:61:00Z", ValueKind::Text),
        ("de", ValueKind::Text),
        ("", ValueKind::Text),
    ] {
        assert_eq!(ValueKind::of(text), kind, "{text}");
    }
}

#[test]
fn times_have_the_form_of_the_first() {
    // 2026-03-01T01:29:56Z: 20,513 days and 5,396 s since 1970.
    let at = 20_513 * 86_400 + 5_396;
    for (text, nanos, zoned) in [
        ("2026-03-01T01:29:56Z", at * 1_000_000_000, true),
        ("2026-03-01T03:29:56+02:00", at * 1_000_000_000, true),
        ("2026-03-01 01:29:56 UTC", at * 1_000_000_000, true),
        (
            "2026-03-01 01:29:56.5",
            at * 1_000_000_000 + 500_000_000,
            false,
        ),
        ("1772328596", at * 1_000_000_000, true),
        ("1772328596123", at * 1_000_000_000 + 123_000_000, true),
        ("1772328596123456", at * 1_000_000_000 + 123_456_000, true),
        ("1772328596.062", at * 1_000_000_000 + 62_000_000, true),
        ("1772328596123.25", at * 1_000_000_000 + 123_250_000, true),
    ] {
        let value = ValueParser::new(ValueKind::Time).parse(text);
        assert_eq!(
            value,
            Ok(Value::Time(crate::time::EpochNanos(nanos), zoned)),
            "{text}"
        );
    }
    let mut parser = ValueParser::new(ValueKind::Time);
    assert!(parser.parse("1772328596123").is_ok());
    let error = parser.parse("2026-03-01T01:29:56Z").unwrap_err();
    assert!(
        error.contains("ISO 8601") && error.contains("ms since 1970"),
        "{error}"
    );
    assert!(parser.parse("1772328596123456").is_err());
}

/// Rows of a file beside the tests, each column as text; in Parquet 16 bytes, 32-bit numbers, missing countries, INT96 and decimals, packed by zstd.
#[cfg(feature = "parquet")]
fn cells(name: &str) -> Vec<Vec<String>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/rows");
    let mut rows = Rows::open(&PathBuf::from(folder).join(name)).unwrap();
    assert_eq!(rows.columns(), KINDS.map(|(name, _)| name));
    let (mut found, mut record) = (Vec::new(), Record::default());
    while rows.next(&mut record).unwrap() {
        let cell = |at| record.get(at).unwrap_or_default().to_owned();
        found.push((0..5).map(cell).collect());
    }
    assert_eq!((rows.part_read(), record.line), (Some(1.0), 500));
    found
}

#[cfg(feature = "parquet")]
#[test]
fn rows_of_parquet_are_those_of_the_csv_that_it_was_made_of() {
    let csv = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/rows/orders.csv.gz"
    );
    let csv = flate2::read::GzDecoder::new(std::fs::File::open(csv).unwrap());
    let csv = std::io::read_to_string(csv).unwrap();
    let found = cells("orders.parquet");
    for (at, (line, found)) in csv.lines().skip(1).zip(&found).enumerate() {
        let mut expected: Vec<String> = line.split(',').map(str::to_owned).collect();
        // What the Parquet file was made with.
        expected[1] = expected[1][1..].parse::<u32>().unwrap().to_string();
        if at % 50 == 0 {
            expected[2].clear();
        }
        expected[4] = format!("{:.2}", expected[4].parse::<f64>().unwrap());
        assert_eq!(*found, expected, "row {}", at + 1);
    }
    assert_eq!(found.len(), 500);
}

#[test]
fn parquet_is_read_or_the_build_that_reads_it_is_named() {
    let opened = |name: &str| Rows::open(&malformed(name)).map(|_| ()).unwrap_err();
    let error = opened("31-parquet-cut.parquet").found;
    if cfg!(feature = "parquet") {
        assert!(error.contains("the Parquet file can't be read"), "{error}");
    } else {
        assert!(error.contains("--features parquet"), "{error}");
    }
}
