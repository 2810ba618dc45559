//! Files of row keys as users have them: what is read of each, what is refused with its line, and what `splits sampled` and `inspect` say.

use crate::binary::{command, folder_with, stderr_of, stdout_of};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// What the tool gives and says for a file under `tests/data/keys`, and how it ends.
fn keyheat(arguments: &[&str], file: &str) -> (i32, String, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/keys");
    let found = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let file = found
        .into_iter()
        .find(|it| name(it).starts_with(file))
        .unwrap();
    let run = command(&folder).args(arguments).arg(file).assert();
    let code = run.get_output().status.code().unwrap();
    (code, stdout_of(&run), stderr_of(&run))
}

const SPLITS: [&str; 5] = ["splits", "sampled", "--regions", "3", "--from"];

#[test]
fn what_is_no_key_or_no_weight_is_refused_with_its_line_and_leaves_no_split_points() {
    for (file, line, named) in [
        ("32", 3, r"`\x0G` is no byte"),
        ("33", 4, r"`\x` at byte 1 is not followed by two characters"),
        (
            "34",
            3,
            r"`\xff` is no byte: HBase takes upper-case digits only",
        ),
        ("35", 2, "`61016` is no row key in hex"),
        ("36", 2, "`YQ!j` is no row key in base64"),
        ("37", 3, "`-11` in column 2 is no weight"),
        ("38", 3, "`18446744073709551616` in column 2 is no weight"),
        ("39", 3, "there is no column 2"),
    ] {
        let (code, given, told) = keyheat(&SPLITS, file);
        assert_eq!((code, &given[..]), (2, ""), "{file}");
        let place = format!(", line {line}: {named}");
        assert!(told.contains(&place), "{file}: {told}");
    }
}

#[test]
fn a_key_that_comes_again_is_warned_of_and_its_weights_are_added() {
    let (code, given, told) = keyheat(&["inspect", "--format", "json"], "40");
    assert!(
        code == 0 && told.contains("40-keys-twice.txt`, line 5: the key stands above already"),
        "{told}"
    );
    let json: Value = serde_json::from_str(&given).unwrap();
    // 5 + 7 + 11 + 2 + 6.
    assert_eq!(
        (json["weight"].as_u64(), json["distinct"].as_u64()),
        (Some(31), Some(4))
    );
    let (_, given, told) = keyheat(&SPLITS, "40");
    // In the order of keys 11, 7, 11 and 2: a third is 10.3, two thirds 20.7, next to 11 and 18.
    assert_eq!(given, "a\\x01\nb\n");
    assert!(
        told.contains(r"2 rows weigh more than a region should, `a\x00b` 35 % of all"),
        "{told}"
    );
}

#[test]
fn the_same_keys_are_read_from_every_notation() {
    let json = |file, regions| {
        let (code, given, told) = keyheat(
            &[
                "splits",
                "sampled",
                "--format",
                "json",
                "--regions",
                regions,
                "--from",
            ],
            file,
        );
        assert_eq!(code, 0, "{told}");
        serde_json::from_str::<Value>(&given).unwrap()
    };
    let escaped = json("counted.txt", "4");
    // The sum of the file's second column. The first key ends in a blank.
    let lines = fs::read_to_string("tests/data/keys/counted.txt").unwrap();
    let weights: Vec<u64> = lines
        .lines()
        .map(|it| it.rsplit_once('\t').unwrap().1.parse().unwrap())
        .collect();
    assert_eq!(escaped["weight"].as_u64(), Some(weights.iter().sum()));
    assert_eq!(json("counted.hex", "4"), escaped);
    assert_eq!(json("counted.b64", "4"), escaped);
    // A row for each of twelve cells; the line behind them is none.
    assert_eq!(json("hfile.txt", "2")["keys"], 12);
    let (_, given, _) = keyheat(&["inspect", "--format", "json"], "hfile.txt");
    assert_eq!(
        serde_json::from_str::<Value>(&given).unwrap()["lengths"],
        serde_json::json!([13, 13])
    );
}

#[test]
fn keys_come_from_standard_input_packed_or_not_and_text_is_not_guessed_to_be_hex() {
    let from = |arguments: &[&str], input: &[u8]| {
        let run = command(Path::new("."))
            .args(arguments)
            .stdin(input)
            .assert();
        (
            run.get_output().status.code().unwrap(),
            stdout_of(&run),
            stderr_of(&run),
        )
    };
    let lines = "00aa\n11bb\n22cc\n33dd\n";
    let split = ["splits", "sampled", "--regions", "2", "--from", "-"];
    let (code, given, told) = from(&split, lines.as_bytes());
    assert!(
        code == 0 && told.contains("though they look like hex: `--keys-as hex`"),
        "{told}"
    );
    assert_eq!(given, "2\n");
    let (_, given, told) = from(
        &[&split[..], &["--keys-as", "hex"]].concat(),
        lines.as_bytes(),
    );
    assert_eq!(given, "\\x12\n");
    assert!(!told.contains("warning"), "{told}");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, lines.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    assert_eq!(from(&split, &packed).1, "2\n");
    let (code, given, told) = from(&split, &packed[..packed.len() - 6]);
    assert_eq!((code, &given[..]), (2, ""));
    assert!(told.contains("gzip"), "{told}");
    assert!(from(&split, b"").2.contains("it is empty"));
    // The key is not ASCII; a line of half a key; no key at all; too long a one.
    for (input, named) in [
        ("a\n\u{e9}\n".as_bytes(), "line 2: `\u{e9}` is not ASCII"),
        (
            b"a\nb\x01\n",
            "line 2: byte 2 of the key is a control character",
        ),
        (b"a\t1\nb\t2\n\t3\n", "line 3: an empty key"),
        (
            b"a\t18446744073709551615\nb\t2\n",
            "line 2: the weights add up to 2^64",
        ),
        (b"a\t0\nb\t0\n", "it has no key with a weight above 0"),
        (&vec![b'k'; 40_000], "line 1: the key has 40000 bytes"),
    ] {
        let (code, given, told) = from(&split, input);
        assert!(
            code == 2 && given.is_empty() && told.contains(named),
            "{named}: {told}"
        );
    }
}

#[test]
fn keys_of_any_bytes_stand_behind_their_lengths() {
    let read = |input: &[u8]| {
        let arguments = ["splits", "sampled", "--regions", "2", "--from", "-"];
        let run = command(Path::new(".")).args(arguments);
        let run = run.args(["--keys-as", "binary"]).stdin(input).assert();
        let code = run.get_output().status.code().unwrap();
        (code, stdout_of(&run), stderr_of(&run))
    };
    let block = |key: &[u8]| [&(key.len() as u32).to_be_bytes()[..], key].concat();
    // A line feed, a zero and what is no UTF-8 are bytes as any others.
    let keys = [&b"\n\x00"[..], b"\x80\xFF\x01", b"\x80\xFF\x03", b"\xFF"];
    let input: Vec<u8> = keys.into_iter().flat_map(block).collect();
    let (code, given, told) = read(&input);
    assert_eq!((code, &given[..]), (0, "\\x80\\xFF\\x02\n"), "{told}");
    for (input, named) in [
        (&input[..input.len() - 1], "block 4 is cut off"),
        (&input[..7], "block 2 is cut off"),
        (b"text\n", "block 1 says that it has 1952807028 bytes"),
        (&block(b""), "block 1: an empty key"),
        (b"", "no key with a weight above 0"),
    ] {
        let (code, given, told) = read(input);
        assert_eq!((code, &given[..]), (2, ""), "{named}");
        assert!(told.contains(named), "{named}: {told}");
    }
}

#[test]
fn what_a_sample_is_too_small_for_or_seems_to_be_is_said() {
    let told = |lines: &str| {
        let folder = folder_with("keys.txt", lines);
        let split = ["splits", "sampled", "--from", "keys.txt", "--regions", "4"];
        stderr_of(&command(folder.path()).args(split).assert().success())
    };
    let same = told(&"a\n".repeat(100));
    assert!(
        same.contains("1 different key: 1 region where 4 were asked for"),
        "{same}"
    );
    let comma: String = (0..100).map(|n| format!("k{n},{n}\n")).collect();
    assert!(told(&comma).contains("commas and numbers are read as parts"));
    // Decimal numbers are hex digits, too.
    let numbers: String = (0..100).map(|n| format!("{n:04}\n")).collect();
    assert!(!told(&numbers).contains("warning"));
}

#[test]
fn a_table_is_cut_into_as_many_regions_as_its_bytes_fill() {
    let lines: String = (0..1_000)
        .map(|n| format!("k{n:03}\t{}\n", 100 + n % 3 * 100))
        .collect();
    let folder = folder_with("keys.txt", &lines);
    let regions = |arguments: &[&str]| {
        let all = [
            &[
                "splits", "sampled", "--from", "keys.txt", "--format", "json",
            ],
            arguments,
        ]
        .concat();
        let run = command(folder.path()).args(all).assert().success();
        let json: Value = serde_json::from_str(&stdout_of(&run)).unwrap();
        (json["regions"].as_u64().unwrap(), stderr_of(&run))
    };
    // 1,000 rows of 200 bytes in regions of 16 KB: 12.2. Half of a table of 2,000: 24.4. By the column's bytes, 100 to 300 each: 199,900 / 16,384 = 12.2.
    assert_eq!(
        regions(&["--region-size", "16KB", "--row-bytes", "200"]).0,
        13
    );
    assert_eq!(
        regions(&[
            "--region-size",
            "16KB",
            "--row-bytes",
            "200",
            "--rows",
            "2000"
        ])
        .0,
        25
    );
    assert_eq!(regions(&["--region-size", "16KB"]).0, 13);
    let (one, told) = regions(&["--region-size", "10GB", "--row-bytes", "200"]);
    assert!(one == 1 && told.contains("fit into one region"), "{told}");
}

#[test]
fn a_sample_of_16_000_keys_says_how_even_sixteen_regions_will_be() {
    // Keys that a permutation of 0 .. 16,000 shuffles.
    let lines: String = (0..16_000u64)
        .map(|n| format!("{:05}\n", n * 7_919 % 16_000))
        .collect();
    let folder = folder_with("keys.txt", &lines);
    let split = ["splits", "sampled", "--from", "keys.txt", "--regions", "16"];
    let run = command(folder.path()).args(split).assert().success();
    // Regions of 1,000 draws: the greatest of 16 normals z lies 1.766 standard deviations of 0.0316 above the mean on average, and the skew of a Gamma law
    // adds (E z^2 - 1) / 3,000 = 0.0008: 1.0566. 1.05 takes (0.0566 / 0.05)^2 = 1.28 times as many.
    let told = stderr_of(&run);
    assert!(
        told.contains("16,000 keys: the greatest of 16 regions will take 1.06 [1.03, 1."),
        "{told}"
    );
    assert!(
        told.contains("a sample 1.28× as large, about 20.5k keys"),
        "{told}"
    );
    let points = stdout_of(&run);
    assert!(
        points.starts_with("01\n02\n03\n") && points.lines().count() == 15,
        "{points}"
    );
}

#[test]
fn only_sampled_split_points_come_from_keys() {
    for (arguments, told) in [
        (
            &["splits", "uniform", "--regions", "4", "--from", "x"][..],
            "`--from` belongs to `sampled`",
        ),
        (
            &["splits", "uniform", "--region-size", "1GB"],
            "`--region-size` belongs to `sampled`",
        ),
        (&["splits", "sampled", "--regions", "4"], "--from <FILE>"),
        (&["splits", "uniform"], "--regions <N>"),
        (
            &["splits", "uniform", "--regions", "4", "--table", "a b"],
            "expected letters",
        ),
        (
            &["splits", "uniform", "--regions", "4", "--format", "cbt"],
            "can't be written as cbt",
        ),
    ] {
        let run = command(Path::new(".")).args(arguments).assert().code(2);
        assert!(
            stderr_of(&run).contains(told),
            "{told}: {}",
            stderr_of(&run)
        );
    }
}

#[test]
fn an_inspection_shows_each_byte_and_what_fits() {
    // `salt-time`: eight salts, evenly; then the time in ms, rising.
    let line = |n: u64| format!("{:02x}{:016x}\n", n % 8, 1_772_532_000_000 + n * 977);
    let folder = folder_with("keys.hex", &(0..800).map(line).collect::<String>());
    let inspect = ["inspect", "keys.hex", "--regions", "8"];
    let run = command(folder.path()).args(inspect).assert().success();
    // Blanks before units don't break.
    let table = stdout_of(&run).replace('\u{a0}', " ");
    for told in [
        "800 keys; 800 different",
        "9 bytes of binary.",
        "A time stands in them: ms as be8 from byte 1 on, 2026-03-03 to 2026-03-03.",
        "Salted: 8 values, evenly spread, in 1 leading byte before bytes that are not.",
        "   0  100 %       8        3.0  ██████ ",
        "buckets                8      0            1.00×",
        "`buckets` fits: its greatest region is 1.00× the mean",
    ] {
        assert!(table.contains(told), "{told} in {table}");
    }
    let time_first: String = (0..800).map(|n| line(n)[2..].to_owned()).collect();
    let folder = folder_with("keys.hex", &time_first);
    let table = stdout_of(&command(folder.path()).args(inspect).assert().success());
    assert!(
        table.contains("No split points will do: the keys follow time"),
        "{table}"
    );
}
