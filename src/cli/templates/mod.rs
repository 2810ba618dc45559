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

/// Each from the file that has its name.
macro_rules! templates {
    ($($name:literal: $about:literal,)+) => {
        &[$(Template {
            name: $name,
            about: $about,
            text: include_str!(concat!($name, ".toml")),
        }),+]
    };
}

/// All of them; the first is the default.
pub const TEMPLATES: &[Template] = templates! {
    "iot": "sensor readings, newest values of a sensor: every part that a first scenario needs",
    "opentsdb": "monitoring points by metric, hour and tags: derived fields, a salt, a golden key",
    "messages": "numbered messages under text keys: sequences, dates as text, pre-splits of hex digits",
    "ad-report": "daily totals and details of companies: two kinds of rows, late data, what to hash",
    "orders": "auto-increment ids and an index on time, as in TiKV or CockroachDB: parameters, copies",
    "clickstream": "clicks of sessions, twice as many within a second: profiles of the rate",
    "crawl": "web pages under reversed domains, site by site: imports, closed loops, overrides",
    "ticks": "trades of symbols at the opening: given shares of the greatest, reads with a law of their own",
    "tenants": "one large customer among 500, its backfill, and another table beside: fixed fields, neighbours",
};
