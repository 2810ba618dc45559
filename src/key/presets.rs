//! Row-key designs that people use, good and bad, ready to paste. Each names its own fields.

use serde::Serialize;

/// A known design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// The row key, over fields with names that say what they are: `ts` (a timestamp in ms), `ts_s` (in s), `host`, `user` (texts), `id`
    /// (a sequence), ...
    pub key: &'static str,
    /// What its strategy says besides, in TOML: a qualifier where a row has several cells, what is written.
    pub besides: &'static [&'static str],
    /// What it cures; empty when nothing.
    pub cures: &'static str,
    /// What reads pay for it.
    pub reads: &'static str,
    /// Looks like a cure and is none.
    pub trap: bool,
    /// Who uses or recommends it.
    pub source: &'static str,
}

/// Name, summary, key, what it cures, what reads pay, and who uses it.
type Row = [&'static str; 6];

const fn good([name, summary, key, cures, reads, source]: Row) -> Preset {
    Preset {
        name,
        summary,
        key,
        besides: &[],
        cures,
        reads,
        trap: false,
        source,
    }
}

/// A row of several cells.
const fn wide(row: Row, besides: &'static [&'static str]) -> Preset {
    Preset {
        besides,
        ..good(row)
    }
}

const fn trap(row: Row) -> Preset {
    let trap = true;
    Preset { trap, ..good(row) }
}

/// All presets: designs first, traps after them.
pub fn presets() -> &'static [Preset] {
    PRESETS
}

#[rustfmt::skip]
const PRESETS: &[Preset] = &[
    good(["time-first", "monotonic time, then the host", "be8(ts) || host", "", "a time range is one scan", "the baseline to compare with"]),
    good(["entity-first", "host, then time: field promotion", "host || x'00' || be8(ts)", "the moving tail, while there are many hosts and none is hot", "one host is one scan; all hosts over a time is a table scan", "Bigtable schema design"]),
    good(["entity-newest-first", "host, then reversed time", "host || x'00' || be8(rev_ts(ts))", "the moving tail, while there are many hosts and none is hot", "newest rows of a host are one forward scan", "HBase book, reverse timestamp"]),
    good(["random-salt", "a random bucket in front", "be1(random(16)) || be8(ts) || host", "any hot spot, up to 16 servers", "a Get is 16 Gets, a range 16 scans", "HBase book, salting"]),
    good(["round-robin-salt", "buckets in turn", "be1(round_robin(16)) || be8(ts) || host", "any hot spot, up to 16 servers", "a Get is 16 Gets, a range 16 scans", "HBaseWD RowKeyDistributorByOneBytePrefix"]),
    good(["salt", "a bucket computed from the whole key", "salt(16, host || be8(ts)) || host || x'00' || be8(ts)", "any hot spot but one hot row", "a Get stays a Get, a range is 16 scans", "HBaseWD, Phoenix SALT_BUCKETS"]),
    good(["entity-salt", "a bucket computed from the host", "salt(16, host) || host || x'00' || be8(ts)", "neighbouring hosts; not one hot host", "one host stays one scan", "OpenTSDB's rule, for texts"]),
    wide(["opentsdb", "metric, hour, tags; a cell for each second", "be3(metric) || be4(trunc(ts_s, '1h')) || tags", "the moving tail, while metrics spread", "a metric over a time is one scan", "OpenTSDB"],
        &[r#"qualifier = "be2(ts_s % 3600 * 16)""#]),
    wide(["opentsdb-append", "an hour's points appended to one cell", "be3(metric) || be4(trunc(ts_s, '1h')) || tags", "what each cell takes beside its value; costs a read and a lock of the row at each point", "a metric over a time is one scan", "OpenTSDB tsd.storage.enable_appends"],
        &[r#"qualifier = "x'050000'""#, r#"override.write.points.kind = "append""#]),
    wide(["opentsdb-compact", "an hour's points rewritten as one cell: 3,600 qualifiers, 3,600 values of four bytes and one more", "be3(metric) || be4(trunc(ts_s, '1h')) || tags", "what each cell takes beside its value; costs writing, reading and deleting the cells before", "a metric over a time is one scan", "OpenTSDB tsd.storage.enable_compaction"],
        &[r#"qualifier = "rpad('q', 7200, 'q')""#, r#"override.write.points.every = "1h""#, r#"override.family.t.value.size = "14401B""#]),
    wide(["opentsdb-salted", "salted by the series", "salt(20, be3(metric) || tags) || be3(metric) || be4(trunc(ts_s, '1h')) || tags", "one hot metric of many series; not one hot series", "20 scans, always", "OpenTSDB tsd.storage.salt"],
        &[r#"qualifier = "be2(ts_s % 3600 * 16)""#]),
    good(["time-modulo", "the time's remainder in front", "be1(pmod(ts, 100)) || be8(ts) || host || x'00' || event", "the moving tail, while timestamps differ in their last digits", "a time range is 100 scans", "HBase book, log data case"]),
    good(["hash", "MD5 of the whole identity, then the identity", "md5_bytes(host || be8(ts)) || host || be8(ts)", "any hot spot but one hot row", "a Get stays a Get, every range is a table scan", "HBase book, hashing"]),
    good(["log-hash", "hashes of fixed width, then time", "md5_bytes(host) || md5_bytes(event) || be8(ts)", "uneven prefixes and long names; not one hot host", "host and event are one scan", "HBase book, log data case"]),
    good(["md5-prefix", "five digits of the MD5 of company and day", "substr(md5(company_id || stat_date), 0, 5) || company_id || '#' || stat_date || '#' || campaign_id", "a hot company: its days scatter", "company and day are one scan; a week is seven; a company alone is a table scan", "ad report of a Chinese advertising platform"]),
    good(["md5-id", "five digits of the MD5 of the id, then the id", "left(md5(item_id), 5) || item_id", "ids in order", "a Get stays a Get, ranges are table scans", "dimension tables joined by Flink"]),
    good(["messages", "upper-case MD5 of the id, day, id", "upper(md5(id)) || ':' || to_char(ts, 'yyMMdd') || ':' || text(id)", "ids in order", "a Get needs id and day; a day is a table scan", "a Korean messenger"]),
    good(["reversed-id", "the id's digits reversed", "reverse(lpad(id, 19))", "ids in order", "a Get stays a Get, ranges are table scans", "HBase book, reversing the key"]),
    good(["user-hash-reversed", "four digits of the MD5 of the user, then the user reversed", "left(md5(user), 4) || reverse(user)", "users in order and hot prefixes", "a Get or a prefix scan for each user", "Alipay"]),
    good(["bit-reverse", "the id's bits reversed", "be8(bit_reverse(id))", "ids in order", "a Get stays a Get, ranges are table scans", "Spanner bit-reversed sequences"]),
    good(["auto-random", "five random bits in front of the id", "be1(random(32)) || be8(id)", "ids in order, up to 32 servers", "a Get with the whole key stays a Get, a range is 32 scans", "TiDB AUTO_RANDOM"]),
    good(["hash-sharded", "a bucket from FNV of MD5, and an INT8 of 6 bytes as CockroachDB writes it", "be1(136 + pmod(fnv1_32(md5(x'fb' || be6(ts))), 16)) || x'fb' || be6(ts)", "the moving tail, up to 16 servers", "equality stays a Get, a range is 16 scans", "CockroachDB hash-sharded indexes since PR 109374"]),
    good(["geo-z2", "shards, then the Morton code", "be1(pmod(murmur3(fid), 4)) || z2(lon, lat) || fid", "crowded places, up to 4 servers", "a box is many ranges, times 4", "GeoMesa Z2"]),
    good(["geo-z3", "shards, week, Morton code", "be1(pmod(murmur3(fid), 4)) || be2(ts / 604800000) || z2(lon, lat) || fid", "crowded places and weeks, up to 4 servers", "a box over weeks is many ranges, times 4", "GeoMesa Z3"]),
    good(["trace-index", "a bucket of 8 neighbours chosen by the application", "be1(pmod(murmur3(host) + random(8), 256)) || be4(murmur3(host)) || be8(rev_ts(ts)) || be8(span)", "one very hot application, over 8 servers", "8 scans an application, not 256", "Pinpoint RangeDoubleHash"]),
    good(["trace", "a bucket from the sequence number", "be1(pmod(java_hash(be8(id)), 256)) || rpad(host, 24, x'00') || be8(ts) || be8(id)", "consecutive traces of one agent", "a Get stays a Get", "Pinpoint TraceV2"]),
    good(["kylin", "a shard from the dimensions", "be2(pmod(murmur3_128(tags), 16)) || be8(id) || tags", "one cuboid in one region", "a scan for each of 16 shards", "Kylin 2 and 3"]),
    good(["crawl", "host names reversed, then the path", "reverse_domain(domain) || '/' || path", "", "a site is one scan; big sites run hot", "Nutch, Google's WebTable"]),
    good(["calls", "the phone number reversed, then reversed time", "reverse(caller) || be8(rev_ts(ts))", "hot number prefixes", "calls of one number are one scan, newest first", "call data records"]),
    good(["tenant-bucket", "a few buckets within the tenant", "be4(tenant) || be1(bucket(8, id)) || be8(rev_ts(ts)) || be8(id)", "one hot tenant, over 8 regions", "newest of a tenant are 8 scans", "Bigtable key salting"]),
    good(["ticks", "symbol, then day", "symbol || '#' || to_char(ts, 'yyyyMMdd')", "the moving tail, while no symbol is hot", "a symbol's days are one scan", "Bigtable time series"]),
    good(["uuid4", "random", "uuid4()", "every hot spot", "no ranges, no order, no locality", "RFC 9562"]),
    trap(["reversed-time", "reversed time first", "be8(rev_ts(ts)) || host", "nothing: the hot region is the first one instead of the last", "newest rows of all hosts are one scan", "several blogs recommend it"]),
    trap(["uuid7", "time-ordered identifiers", "uuid7(ts)", "nothing here: they spread B-trees' pages, not key ranges", "a time range is one scan", "RFC 9562"]),
    trap(["ulid", "time-ordered identifiers as text", "ulid(ts)", "nothing here: time leads", "a time range is one scan", "ulid specification"]),
    trap(["ksuid", "time-ordered identifiers", "ksuid(ts)", "nothing here: time leads", "a time range is one scan", "Segment"]),
    trap(["snowflake", "time, machine, sequence", "be8(snowflake(ts, 1, 1, pmod(id, 4096)))", "nothing here: time leads", "a time range is one scan", "Twitter"]),
    trap(["added-bucket", "the bucket is added to the time, not put in front", "text(pmod(ts, 5) + ts)", "nothing: keys stay within 4 ms of their time", "a time range is one scan", "a blog on salting"]),
    trap(["java-modulo", "Java's `%` of a signed hash", "text(java_hash(user) % 10) || '~' || user", "half of it: negative buckets all land before '0'", "10 scans are not enough: there are 19 prefixes", "a calendar service"]),
    trap(["abs-before-modulo", "Java's absolute value before the modulo", "be1(abs32(java_hash(host)) % 10) || host", "the hot spot, but loses rows: -2147483648 stays negative", "no scan asks for the negative prefix", "HBaseWD OneByteSimpleHash"]),
    trap(["entity-hash", "a hash of the host alone", "left(md5(host), 4) || host || x'00' || be8(ts)", "neighbouring hosts; a hot host stays in one region", "one host is one scan", "Pinpoint issue 3885"]),
    trap(["fixed-prefix", "a constant in front", "'event' || be8(ts) || host", "nothing: all keys share the prefix", "a time range is one scan", "hgraphdb issue 50"]),
    trap(["dated-shard", "the day, then a shard", "to_char(ts, 'yyyyMMdd') || '.' || text(pmod(murmur3(host), 200) + 1) || '#' || host", "little in a range store: the shards of today are neighbours", "a day is one scan", "DynamoDB write sharding"]),
    trap(["undelimited", "texts of any width side by side", "substr(md5(user), 0, 5) || user || text(id)", "ids in order, but different records share a key", "a prefix reads other users' rows", "ad reports"]),
];
