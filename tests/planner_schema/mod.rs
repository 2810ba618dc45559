//! Fields of the keys that planner tests look at.

use keyheat::record::{Field, FieldKind, Law, LawShape, Schema, TextValues, TimeUnit};
use keyheat::time::EpochNanos;
use keyheat::workload::Read;

/// 2026-01-01T00:00:00Z
pub const START: EpochNanos = EpochNanos(1_767_225_600_000_000_000);

/// A field with uniform values.
pub fn field(name: &str, kind: FieldKind) -> Field {
    Field {
        name: name.to_owned(),
        kind,
        law: Law {
            shape: LawShape::Uniform,
            top: Vec::new(),
            ranked: false,
        },
        of: Vec::new(),
        literals: Vec::new(),
    }
}

/// A read that knows nothing.
pub fn read() -> Read {
    Read {
        name: "tried".to_owned(),
        equal: Vec::new(),
        within: Vec::new(),
        range: None,
        newest: None,
        page: None,
        with: Vec::new(),
        pick: Vec::new(),
        drive: None,
    }
}

/// Texts of different lengths.
fn listed(prefix: &str, count: u32) -> FieldKind {
    let values = (0..count).map(|at| format!("{prefix}{at}")).collect();
    FieldKind::Text(TextValues::Listed(values))
}

fn generated(count: u64, length: u16) -> FieldKind {
    FieldKind::Text(TextValues::Generated {
        count,
        length,
        alphabet: "abcdefghijklmnopqrstuvwxyz".to_owned(),
    })
}

/// The fields, over 90 days before the start.
pub fn fields() -> Schema {
    let int = |first: i64, count: u64| FieldKind::Int { first, count };
    let time = |unit| FieldKind::Timestamp { unit, late: None };
    let fields = vec![
        field("company_id", listed("c", 20_000)),
        field(
            "stat_date",
            FieldKind::Digits {
                width: 8,
                first: 20_251_201,
                count: 31,
            },
        ),
        field("campaign_id", listed("k", 5_000)),
        field("id", int(0, 100_000_000)),
        field("ts", time(TimeUnit::Millis)),
        field("sec", time(TimeUnit::Seconds)),
        field("host", listed("h", 10_000)),
        field("event", listed("e", 20)),
        field("metric", int(0, 2_000)),
        field("tags", listed("t", 10_000)),
        field("user_id", int(0, 5_000_000)),
        field("msg_id", int(1_000_000, 9_000_000)),
        field("sensor", generated(10_000, 8)),
        field("type", int(0, 100)),
        field("date8", int(20_251_201, 31)),
        field("uid", int(0, 1_000_000)),
        field("domain", FieldKind::Domain { count: 50_000 }),
        field("path", listed("p", 2_000)),
        field("caller", generated(1_000_000, 11)),
        field("symbol", listed("s", 5_000)),
        field(
            "region",
            FieldKind::Text(TextValues::Listed(
                ["eu", "us", "ap", "af", "sa"].map(str::to_owned).to_vec(),
            )),
        ),
        field("app", listed("a", 300)),
        field("svc", int(0, 40)),
        field("span", int(0, 1_000_000_000)),
        field(
            "lon",
            FieldKind::Double {
                min: -180.0,
                max: 180.0,
            },
        ),
        field(
            "lat",
            FieldKind::Double {
                min: -90.0,
                max: 90.0,
            },
        ),
        field("order_id", listed("o", 60_000)),
        field("item_id", listed("i", 40_000)),
        field("fid", listed("f", 30_000)),
    ];
    const DAYS: i64 = 86_400_000_000_000;
    Schema {
        fields,
        time_range: (EpochNanos(START.0 - 90 * DAYS), EpochNanos(START.0)),
        sequence_span: 0,
    }
}
