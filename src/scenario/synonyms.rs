//! What other tools call what the format has a word for.

/// The format's words, and what else designers call what they mean. Small letters, `-` between words.
const SYNONYMS: [(&str, &[&str]); 37] = [
    (
        "above",
        &["at-least", "greater-than", "gt", "min", "minimum"],
    ),
    ("add_servers", &["join", "scale", "scale-out"]),
    ("because", &["reason", "why"]),
    ("below", &["at-most", "less-than", "lt", "max", "maximum"]),
    (
        "block_encoding",
        &["compression", "data-block-encoding", "encoding"],
    ),
    ("buffer", &["batch", "batch-size"]),
    (
        "clients",
        &["concurrency", "connections", "threads", "users", "workers"],
    ),
    (
        "count",
        &["cardinality", "distinct", "number", "size", "unique"],
    ),
    ("crash", &["fail", "failure", "kill"]),
    ("deadline", &["timeout"]),
    ("distribution", &["dist", "law", "popularity", "skew"]),
    ("double", &["decimal", "float", "real"]),
    ("duration", &["length", "runtime", "seconds"]),
    ("equal", &["eq", "filter", "where"]),
    ("existing", &["history", "preload"]),
    ("handlers", &["threads", "workers"]),
    ("int", &["bigint", "integer", "long", "number", "short"]),
    ("key", &["expr", "expression", "row-key", "rowkey"]),
    ("max_file_size", &["region-size", "split-size"]),
    ("memstore_flush_size", &["flush-size"]),
    ("neighbour", &["neighbor", "tenant"]),
    ("network", &["latency", "round-trip", "rtt"]),
    ("newest", &["latest", "limit", "top"]),
    (
        "presplit",
        &[
            "regions",
            "shards",
            "split-keys",
            "split-points",
            "splits",
            "tablets",
        ],
    ),
    ("question", &["description", "name", "title"]),
    ("range", &["between", "scan"]),
    ("rate", &["ops", "qps", "throughput", "tps"]),
    ("read", &["query"]),
    (
        "replicates",
        &["iterations", "repetitions", "runs", "trials"],
    ),
    ("sample", &["interval", "resolution"]),
    (
        "sequence",
        &["auto-increment", "autoincrement", "counter", "serial"],
    ),
    (
        "servers",
        &["hosts", "instances", "machines", "nodes", "region-servers"],
    ),
    ("text", &["char", "str", "string", "varchar"]),
    ("timestamp", &["date", "datetime", "instant", "time"]),
    ("title", &["description", "label", "name"]),
    ("value", &["bytes", "row-size", "size", "value-size"]),
    ("write", &["insert", "put", "workload"]),
];

/// The one of `known` that `name`, in small letters with `-` between words, is another word for.
pub fn synonym<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known.into_iter().find(|known| {
        let others = SYNONYMS.iter().find(|(word, _)| word == known);
        others.is_some_and(|(_, others)| others.contains(&name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::json_schema;

    #[test]
    fn a_word_means_what_is_known_where_it_stands() {
        let cluster = ["servers", "handlers", "heap"];
        assert_eq!(synonym("nodes", cluster), Some("servers"));
        assert_eq!(synonym("threads", cluster), Some("handlers"));
        assert_eq!(synonym("threads", ["rate", "clients"]), Some("clients"));
        assert_eq!(synonym("bananas", cluster), None);
    }

    #[test]
    fn every_word_is_the_formats_and_has_other_ones_as_they_are_looked_up() {
        for (word, others) in SYNONYMS {
            assert!(json_schema().contains(&format!("\"{word}\"")), "{word}");
            for other in others {
                let folded = other.to_lowercase().replace('_', "-");
                assert!(*other == folded && *other != word, "{other}");
            }
        }
    }
}
