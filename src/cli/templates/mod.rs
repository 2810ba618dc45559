//! Scenarios to start from: each asks one design question, runs as it is, and teaches a part of the format. Must not know who
//! asks for one.

/// A scenario to start from.
#[derive(Debug, Clone, Copy)]
pub struct Template {
    /// What `--template` calls it.
    pub name: &'static str,
    /// The design question and what it teaches, in one line.
    pub about: &'static str,
    /// The file, comments and all.
    pub text: &'static str,
}

/// All of them; the first is the default.
pub const TEMPLATES: &[Template] = &[
    Template {
        name: "iot",
        about: "sensor readings, newest values of a sensor: every part that a first scenario needs",
        text: include_str!("iot.toml"),
    },
    Template {
        name: "opentsdb",
        about: "monitoring points by metric, hour and tags: derived fields, a salt, a golden key",
        text: include_str!("opentsdb.toml"),
    },
    Template {
        name: "messages",
        about: "numbered messages under text keys: sequences, dates as text, pre-splits of hex digits",
        text: include_str!("messages.toml"),
    },
    Template {
        name: "ad-report",
        about: "daily totals and details of companies: two kinds of rows, late data, what to hash",
        text: include_str!("ad-report.toml"),
    },
    Template {
        name: "orders",
        about: "auto-increment ids and an index on time, as in TiKV or CockroachDB: parameters, copies",
        text: include_str!("orders.toml"),
    },
    Template {
        name: "clickstream",
        about: "clicks of sessions, twice as many within a second: profiles of the rate",
        text: include_str!("clickstream.toml"),
    },
    Template {
        name: "crawl",
        about: "web pages under reversed domains, site by site: imports, closed loops, overrides",
        text: include_str!("crawl.toml"),
    },
    Template {
        name: "ticks",
        about: "trades of symbols at the opening: given shares of the greatest, reads with a law of their own",
        text: include_str!("ticks.toml"),
    },
    Template {
        name: "tenants",
        about: "one large customer among 500, its backfill, and another table beside: fixed fields, neighbours",
        text: include_str!("tenants.toml"),
    },
];
