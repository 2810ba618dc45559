//! The cases of `data/keys.json` in the key language.

use keyheat::record::FieldValue;
use keyheat::record::TimeUnit;
use serde_json::Value;

/// What a case is in the key language: expression, values, expected key.
pub type Written = (String, Vec<(&'static str, FieldValue)>, Vec<u8>);

fn bytes(value: &Value) -> Vec<u8> {
    let digits = value.as_str().expect("hex");
    (0..digits.len() / 2)
        .map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).expect("hex"))
        .collect()
}

fn text(value: &Value) -> Vec<u8> {
    match value {
        Value::String(text) => text.clone().into_bytes(),
        other => other.to_string().into_bytes(),
    }
}

fn string(value: &Value) -> FieldValue {
    FieldValue::Text(value.as_str().expect("text").to_owned())
}

fn int(value: &Value) -> FieldValue {
    FieldValue::Int(number(value))
}

pub fn number(value: &Value) -> i64 {
    value
        .as_i64()
        .unwrap_or_else(|| value.as_str().expect("number").parse().expect("integer"))
}

/// The ways to write a case; empty when the language can't.
pub fn written(case: &Value) -> Vec<Written> {
    let (input, expect) = (&case["in"], &case["expect"]);
    let mut all: Vec<Written> = Vec::new();
    let mut add = |expression: &str, given: &[(&'static str, FieldValue)], key: Vec<u8>| {
        all.push((expression.to_owned(), given.to_vec(), key));
    };
    match case["fn"].as_str().expect("fn") {
        "opentsdb_salt" => {
            // salt byte, metric, 4 bytes of time, tags: the salt covers all but the time.
            let row = bytes(&input["row_key_with_empty_salt"]);
            let (width, metric) = (
                number(&input["salt_width"]) as usize,
                number(&input["metric_width"]) as usize,
            );
            let buckets = number(&input["buckets"]);
            if !(1..=2).contains(&width)
                || !(1..=256).contains(&buckets)
                || row[width..].len() < metric + 4
            {
                return all;
            }
            if row[width..width + metric].iter().all(|&byte| byte == 0) {
                return all; // Global annotations are never salted: a special case of OpenTSDB's code.
            }
            let time = width + metric;
            let given = [
                ("metric", FieldValue::Bytes(row[width..time].to_vec())),
                ("base", FieldValue::Bytes(row[time..time + 4].to_vec())),
                ("tags", FieldValue::Bytes(row[time + 4..].to_vec())),
            ];
            let salt = if width == 1 { "salt" } else { "salt2" };
            let expression = format!("{salt}({buckets}, metric || tags) || metric || base || tags");
            add(&expression, &given, bytes(&expect["salted_row_key"]));
        }
        "phoenix_salt" => {
            let given = [("k", FieldValue::Bytes(bytes(&input["key_after_salt_byte"])))];
            add(
                &format!("salt({}, k)", input["buckets"]),
                &given,
                vec![number(&expect["salt"]) as u8],
            );
            add("text(java_hash(k))", &given, text(&expect["hash_i32"]));
        }
        "hbasewd_one_byte_hash" => {
            let given = [("k", FieldValue::Bytes(bytes(&input["key"])))];
            let n = &input["buckets"];
            add(
                &format!("be1(abs32(java_hash(k)) % {n}) || k"),
                &given,
                bytes(&expect["distributed_key"]),
            );
        }
        "pinpoint_range_hash" => {
            let given = [("id", FieldValue::Bytes(bytes(&input["trace_id"])))];
            add(
                "be1(pmod(java_hash(id), 256))",
                &given,
                vec![number(&expect["salt"]) as u8],
            );
        }
        "pinpoint_tracev2" => {
            let given = [
                ("agent", string(&input["agent_id"])),
                ("start", int(&input["agent_start"])),
                ("sequence", int(&input["sequence"])),
            ];
            let key = "be1(pmod(java_hash(be8(sequence)), 256)) || rpad(agent, 24, x'00') || be8(start) || be8(sequence)";
            add(key, &given, bytes(&expect["row_key"]));
        }
        "java_string_hash" => {
            let given = [("s", string(&input["s"]))];
            add("text(java_hash(s))", &given, text(&expect["hash_i32"]));
            add(
                "text(java_hash(s) % 10)",
                &given,
                text(&expect["java_rem_10"]),
            );
            add(
                "text(pmod(java_hash(s), 10))",
                &given,
                text(&expect["floor_mod_10"]),
            );
            add(
                "text(abs32(java_hash(s)) % 10)",
                &given,
                text(&expect["abs_rem_10"]),
            );
        }
        "java_arrays_hash" => {
            let given = [("b", FieldValue::Bytes(bytes(&input["bytes"])))];
            add("text(java_hash(b))", &given, text(&expect["hash_i32"]));
            add("text(java_hash(b) % 16)", &given, text(&expect["rem_16"]));
            add(
                "text(pmod(java_hash(b), 16))",
                &given,
                text(&expect["floor_mod_16"]),
            );
        }
        "murmur3_32" => {
            let given = [("s", string(&input["utf8"]))];
            add(
                &format!("be4(murmur3(s, {}))", input["seed"]),
                &given,
                bytes(&expect["hash_hex"]),
            );
        }
        "encode_i64" => {
            let value = number(&input["v"]);
            let given = [("v", FieldValue::Int(value))];
            add("be8(v)", &given, bytes(&expect["hbase_Bytes_toBytes"]));
            add(
                "ordered8(v)",
                &given,
                bytes(&expect["hbase_OrderedBytes_asc"]),
            );
            add(
                "desc(ordered8(v))",
                &given,
                bytes(&expect["hbase_OrderedBytes_desc"]),
            );
            add("sbe8(v)", &given, bytes(&expect["phoenix_BIGINT_asc"]));
            add(
                "desc(sbe8(v))",
                &given,
                bytes(&expect["phoenix_BIGINT_desc"]),
            );
            add(
                "reverse_bytes(be8(v))",
                &given,
                bytes(&expect["reversed_bytes"]),
            );
            if value >= 0 {
                add(
                    "be8(LONG_MAX - v)",
                    &given,
                    bytes(&expect["long_max_minus_v"]),
                );
            }
        }
        "encode_i32" => {
            let given = [("v", int(&input["v"]))];
            add("be4(v)", &given, bytes(&expect["hbase_Bytes_toBytes"]));
            add(
                "x'2b' || sbe4(v)",
                &given,
                bytes(&expect["hbase_OrderedBytes_asc"]),
            );
            add("sbe4(v)", &given, bytes(&expect["phoenix_INTEGER_asc"]));
        }
        name @ ("encode_f32" | "encode_f64") => {
            let given = [(
                "d",
                FieldValue::Double(input["v"].as_str().expect("text").parse().expect("double")),
            )];
            let (plain, ordered) = if name == "encode_f32" {
                ("f4(d)", "x'30' || of4(d)")
            } else {
                ("f8(d)", "x'31' || of8(d)")
            };
            add(plain, &given, bytes(&expect["hbase_Bytes_toBytes"]));
            add(ordered, &given, bytes(&expect["hbase_OrderedBytes_asc"]));
        }
        "reverse_date8" => {
            let given = [("d", int(&input["yyyymmdd"]))];
            add("text(99999999 - d)", &given, text(&expect["value"]));
        }
        "reverse_ts" => {
            let given = [(
                "ts",
                FieldValue::Time(number(&input["ts_ms"]), TimeUnit::Millis),
            )];
            add("text(rev_ts(ts))", &given, text(&expect["value"]));
            add("be8(rev_ts(ts))", &given, bytes(&expect["be8_hex"]));
            add("lpad(rev_ts(ts), 19)", &given, text(&expect["decimal19"]));
        }
        "reverse_chars" => add(
            "reverse(s)",
            &[("s", string(&input["s"]))],
            text(&expect["s"]),
        ),
        "reverse_domain" => add(
            "reverse_domain(s)",
            &[("s", string(&input["s"]))],
            text(&expect["s"]),
        ),
        "bit_reverse_positive" => {
            let given = [("v", int(&input["v"]))];
            add("text(bit_reverse(v))", &given, text(&expect["value"]));
            add("be8(bit_reverse(v))", &given, bytes(&expect["be8_hex"]));
            let full: u64 = expect["full64"]
                .as_str()
                .expect("text")
                .parse()
                .expect("u64");
            add("be8(bit_reverse64(v))", &given, full.to_be_bytes().to_vec());
        }
        "tidb_auto_random" => {
            let given = [
                ("shard", int(&input["shard"])),
                ("increment", int(&input["increment"])),
            ];
            // The sign bit and 5 shard bits leave 58.
            add(
                "text(shard * 288230376151711744 + increment)",
                &given,
                text(&expect["id"]),
            );
        }
        "janusgraph_vertex_key" => {
            let given = [
                ("count", int(&input["count"])),
                ("partition", int(&input["partition"])),
            ];
            add(
                "be8(partition * 576460752303423488 + count * 8)",
                &given,
                bytes(&expect["row_key"]),
            );
        }
        "ycsb_key" => {
            let given = [("n", int(&input["keynum"]))];
            let key = text(&expect["key"]);
            if input["insertorder"] == "hashed" {
                add(
                    "'user' || text(abs(fnv1a_64(reverse_bytes(be8(n)))))",
                    &given,
                    key,
                );
            } else {
                add(
                    &format!("'user' || lpad(n, {})", input["zeropadding"]),
                    &given,
                    key,
                );
            }
        }
        "md5_hex_upper" => add(
            "upper(md5(s))",
            &[("s", string(&input["s"]))],
            text(&expect["true_md5_upper"]),
        ),
        "substr(md5(itemId),0,5)||itemId" => {
            let given = [("itemId", string(&input["itemId"]))];
            add(
                "substr(md5(itemId),0,5)||itemId",
                &given,
                text(&expect["row_key"]),
            );
            add("substr(md5(itemId),0,5)", &given, text(&expect["prefix5"]));
        }
        "substr(md5(company_id||stat_date),0,5)||company_id||stat_date||campaign_id" => {
            let given =
                ["company_id", "stat_date", "campaign_id"].map(|name| (name, string(&input[name])));
            let pipes = case["fn"].as_str().expect("fn");
            add(pipes, &given, text(&expect["row_key"]));
            add(&pipes.replace("||", "+"), &given, text(&expect["row_key"]));
            add("md5(company_id||stat_date)", &given, text(&expect["md5"]));
        }
        "md5_raw16" => add(
            "md5_bytes(s)",
            &[("s", string(&input["s"]))],
            bytes(&expect["hex"]),
        ),
        "concat_collision" => {
            for (row, key) in [("a", "a_key"), ("b", "b_key")] {
                let given =
                    ["company_id", "stat_date"].map(|name| (name, string(&input[row][name])));
                let key = text(&expect[key]);
                add(
                    "substr(md5(company_id||stat_date),0,5)||company_id||stat_date",
                    &given,
                    key,
                );
            }
        }
        "kylin_shard" => {
            let given = [("body", FieldValue::Bytes(bytes(&input["body_hex"])))];
            add(
                "text(murmur3_128(body))",
                &given,
                text(&expect["murmur3_128_as_long"]),
            );
            let shard = format!("text(pmod(murmur3_128(body), {}))", input["total_shards"]);
            add(&shard, &given, text(&expect["shard"]));
        }
        "fnv32" => {
            let given = [("s", string(&input["utf8"]))];
            add("be4(fnv1_32(s))", &given, bytes(&expect["fnv1_32"]));
            add("be4(fnv1a_32(s))", &given, bytes(&expect["fnv1a_32"]));
            add(
                "text(pmod(fnv1_32(s), 16))",
                &given,
                text(&expect["fnv1_mod_16"]),
            );
        }
        "ulid_time_part" => {
            let given = [(
                "ts",
                FieldValue::Time(number(&input["ms"]), TimeUnit::Millis),
            )];
            add("left(ulid(ts), 10)", &given, text(&expect["chars"]));
            add("right(be8(ts), 6)", &given, bytes(&expect["first6_bytes"]));
        }
        "snowflake" => {
            let given = [
                (
                    "ts",
                    FieldValue::Time(number(&input["ms"]), TimeUnit::Millis),
                ),
                ("dc", int(&input["datacenter"])),
                ("w", int(&input["worker"])),
                ("seq", int(&input["seq"])),
            ];
            add(
                "text(snowflake(ts, dc, w, seq))",
                &given,
                text(&expect["id"]),
            );
        }
        "ksuid_prefix" => {
            let given = [(
                "ts",
                FieldValue::Time(number(&input["unix_s"]), TimeUnit::Seconds),
            )];
            add("left(ksuid(ts), 4)", &given, bytes(&expect["first4_bytes"]));
        }
        "uuidv7_prefix" => {
            let given = [(
                "ts",
                FieldValue::Time(number(&input["unix_ts_ms"]), TimeUnit::Millis),
            )];
            add("left(uuid7(ts), 6)", &given, bytes(&expect["first6_bytes"]));
        }
        "opentsdb_base_and_qualifier" => {
            let given = [(
                "ts",
                FieldValue::Time(number(&input["ts_s"]), TimeUnit::Seconds),
            )];
            add("be4(trunc(ts, '1h'))", &given, bytes(&expect["base_hex"]));
            // 12 bits of offset, 4 of flags: a qualifier, not a key, but expressible all the same.
            let flags = &input["flags"];
            add(
                &format!("be2((ts - trunc(ts, 3600)) * 16 + {flags})"),
                &given,
                bytes(&expect["qualifier_hex"]),
            );
        }
        "substr_dialects" => {
            let given = [("s", string(&input["s"]))];
            let [position, count] = [&input["args"][0], &input["args"][1]];
            let expression = format!("substr(s, {position}, {count})");
            add(&expression, &given, text(&expect["hive_substr"]));
            add(&expression, &given, text(&expect["phoenix_SUBSTR"]));
        }
        "bucket_plus_ts" => {
            let given = [("ts", int(&input["ts"])), ("n", int(&input["buckets"]))];
            add("text(pmod(ts, n) + ts)", &given, text(&expect["added"]));
            add(
                "text(pmod(ts, n)) || text(ts)",
                &given,
                text(&expect["concatenated"]),
            );
        }
        _ => {}
    }
    all
}

/// Cases that no key expression can state: split points (`hbase_splits` has them), tables of counts over many rows,
/// a URL parser, a product over characters, and a prefix scan.
pub const NOT_KEYS: &[&str] = &[
    "uniform_split",
    "hex_string_split",
    "phoenix_salt_splits",
    "bytes_split",
    "note",
    "poly31_salt_balance",
    "region_counts",
    "java_mod_trap_region_share",
    "dynamodb_product_mod_200",
    "dynamodb_calculated_suffix",
    "nutch_reverse_url",
    "prefix_overmatch_variable",
];

pub fn cases() -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("../../data/keys.json")).expect("JSON");
    file["cases"].as_array().expect("array").clone()
}
