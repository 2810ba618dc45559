//! What the reads of a scenario file mean: each clause, its defaults, and what is odd about it.

use keyheat::experiment::Experiment;
use keyheat::layout::{Layout, Replicate};
use keyheat::record::{DerivedId, Distribution, DistributionShape, FieldId, KnownField};
use keyheat::scenario::{Presplit, Scenario, Severity};
use keyheat::time::SimDuration;
use keyheat::units::PerSecond;
use keyheat::workload::{
    Arrivals, Newest, Page, PageVia, PickDistribution, ProfilePoint, RangeExtent, Read,
    ReadLoadModel, ReadRange, Think, Within, WithinValues, Workload,
};

const SENSOR: FieldId = FieldId(0);
const ID: FieldId = FieldId(1);
const TS: FieldId = FieldId(2);
const COST: FieldId = FieldId(3);

fn parse(rest: &str) -> Scenario {
    let text = format!(
        "[field]\nsensor = {{ type = \"int\", count = 10_000, first = 5 }}\nid = {{ type = \"sequence\" }}\n\
         ts = {{ type = \"timestamp\", unit = \"ms\" }}\ncost = {{ type = \"int\", count = 900, of = \"sensor\" }}\n\
         day = {{ expr = \"to_char(ts, 'yyyyMMdd')\" }}\nhour = {{ expr = \"ts / 3600000\" }}\n{rest}"
    );
    Scenario::parse(&text, "reads").unwrap_or_else(|error| panic!("{error}"))
}

const REST: &str = "[existing.rows]\nrecords = 1_000\nlast = \"7d\"\n[strategy.a]\nkey = \"be4(sensor) || be8(ts)\"\n";

fn workload(scenario: &Scenario) -> &Workload {
    &scenario.strategies[0].setup.workload
}

fn read(clauses: &str) -> Read {
    let scenario = parse(&format!("[read.tried]\n{clauses}\n{REST}"));
    let read = workload(&scenario).reads[0].clone();
    assert_eq!(read.name, "tried");
    read
}

#[test]
fn what_the_reader_knows_is_read_by_name() {
    let found = read("equal = [\"day\", \"sensor\"]\nwith = { cost = 17 }");
    let day = KnownField::Derived(DerivedId(0));
    assert_eq!(found.equal, [day, KnownField::Stored(SENSOR)]);
    assert_eq!(found.with, [(COST, 17)]);
    assert_eq!(found.load, None);
    assert_eq!(
        read("equal = \"hour\"").equal,
        [KnownField::Derived(DerivedId(1))]
    );
    let lists = read("equal = [\"sensor\"]\nin = { id = 30, cost = \"all\" }").within;
    let within = |field, values| Within { field, values };
    assert_eq!(
        lists,
        [
            within(ID, WithinValues::Count(30)),
            within(COST, WithinValues::All)
        ]
    );
}

#[test]
fn ranges_go_back_in_time_or_over_values() {
    let range = |text: &str| read(&format!("equal = [\"sensor\"]\nrange = {text}")).range;
    let expected = |field, extent| Some(ReadRange { field, extent });
    let last = |last, ago| RangeExtent::Last {
        last: SimDuration::from_secs(last),
        ago: SimDuration::from_secs(ago),
    };
    let stored = KnownField::Stored(TS);
    assert_eq!(
        range("{ field = \"ts\", last = \"5m\" }"),
        expected(stored, last(300, 0))
    );
    assert_eq!(
        range("{ field = \"ts\", last = \"5m\", ago = \"1h\" }"),
        expected(stored, last(300, 3_600))
    );
    for (name, at) in [("day", 0), ("hour", 1)] {
        let field = KnownField::Derived(DerivedId(at));
        let text = format!("{{ field = \"{name}\", last = \"2h\" }}");
        assert_eq!(range(&text), expected(field, last(7_200, 0)));
    }
    let span = expected(KnownField::Stored(ID), RangeExtent::Span(100));
    assert_eq!(range("{ field = \"id\", span = 100 }"), span);
}

#[test]
fn orders_have_defaults() {
    let newest = |rows| {
        Some(Newest {
            field: KnownField::Stored(TS),
            rows,
        })
    };
    assert_eq!(read("newest = { field = \"ts\" }").newest, newest(1));
    assert_eq!(
        read("newest = { field = \"ts\", rows = 10 }").newest,
        newest(10)
    );
    let page = |size, number, via| {
        let field = KnownField::Stored(COST);
        Some(Page {
            field,
            size,
            number,
            via,
        })
    };
    let found = |text: &str| read(&format!("page = {{ field = \"cost\"{text} }}")).page;
    assert_eq!(found(""), page(20, 1, PageVia::Cursor));
    assert_eq!(
        found(", size = 25, number = 50, via = \"offset\""),
        page(25, 50, PageVia::Offset)
    );
    assert_eq!(
        found(", via = \"index\"").map(|page| page.via),
        Some(PageVia::Index)
    );
}

#[test]
fn picks_replace_laws() {
    let found = read(
        "equal = [\"sensor\"]\npick = { sensor = { zipf = 0.99 }, id = { latest = 1.1 }, ts = { last = \"1d\" } }",
    );
    let zipf = Distribution {
        shape: DistributionShape::Zipf { exponent: 0.99 },
        top: Vec::new(),
        ranked: false,
    };
    assert_eq!(
        found.pick,
        [
            (SENSOR, PickDistribution::Distribution(zipf)),
            (ID, PickDistribution::Latest { exponent: 1.1 }),
            (TS, PickDistribution::Last(SimDuration::from_secs(86_400))),
        ]
    );
}

#[test]
fn a_read_is_an_open_loop_a_closed_one_or_only_planned() {
    let found = |text: &str| read(&format!("equal = [\"sensor\"]\n{text}")).load;
    let point = ProfilePoint {
        at: SimDuration::from_secs(3),
        times: 2.5,
    };
    assert_eq!(
        found("rate = \"50/s\"\narrivals = \"constant\"\nprofile = [{ at = \"3s\", times = 2.5 }]"),
        Some(ReadLoadModel::Open {
            rate: PerSecond(50.0),
            arrivals: Arrivals::Constant,
            profile: vec![point],
        })
    );
    let exponential = Think::Exponential(SimDuration::from_millis(7));
    assert_eq!(
        found("clients = 9\nthink = { exponential = \"7ms\" }"),
        Some(ReadLoadModel::Closed {
            clients: 9,
            think: exponential
        })
    );
    assert_eq!(found(""), None);
}

#[test]
fn times_that_are_picked_lie_in_the_bounds_of_the_keys() {
    let scenario = parse(&format!(
        "[read.old]\nequal = [\"ts\"]\npick = {{ ts = {{ last = \"40d\" }} }}\n{REST}"
    ));
    let schema = &scenario.strategies[0].setup.schema;
    let days = (scenario.time.start.0 - schema.time_range.0.0) / (86_400 * 1_000_000_000);
    assert_eq!(days, 40);
}

/// Regions that each copy of the only strategy begins with; 0 where they are quantiles of its own rows.
fn regions_of_copies(strategy: &str) -> Vec<usize> {
    let scenario = parse(&format!(
        "[write.w]\nrate = \"9/s\"\n[strategy.a]\nkey = \"be1(random(16)) || be8(ts)\"\n{strategy}"
    ));
    let copies = scenario.strategies[0].copies.iter();
    copies
        .map(|copy| match &copy.presplit {
            Presplit::Fixed { points, .. } => points.len() + 1,
            Presplit::Sampled { .. } => 0,
        })
        .collect()
}

#[test]
fn a_copy_takes_over_how_its_strategy_is_pre_split_but_no_points_of_another_key() {
    let copies = "copies = [\"be1(bucket(4, sensor)) || be8(ts)\", \"be8(ts) || be4(sensor)\"]";
    for (presplit, expected) in [
        ("{ algorithm = \"buckets\" }", [4, 1]),
        ("{ algorithm = \"sampled\", regions = 8 }", [0, 0]),
        ("{ algorithm = \"uniform\", regions = 8 }", [8, 8]),
        ("['\\x01', '\\x02']", [1, 1]),
    ] {
        let strategy = format!("presplit = {presplit}\n{copies}");
        assert_eq!(regions_of_copies(&strategy), expected, "{presplit}");
    }
    let own = "presplit = ['\\x01']\ncopies = [{ key = \"be8(ts)\", presplit = ['a', 'b'] }, { key = \"be1(bucket(4, ts))\", \
               presplit = { algorithm = \"buckets\" } }, { key = \"be4(sensor)\" }]";
    assert_eq!(regions_of_copies(own), [3, 4, 1]);
}

#[test]
fn copies_are_pre_split_like_their_strategy_each_for_its_own_key() {
    let scenario = parse(
        "[write.w]\nrate = \"9/s\"\n[strategy.a]\nkey = \"be1(random(16)) || be8(ts)\"\npresplit = { algorithm = \"buckets\" }\n\
         copies = [\"be1(bucket(4, sensor)) || be4(sensor)\", \"salt(8, be4(cost)) || be4(cost)\"]\n",
    );
    let strategy = &scenario.strategies[0];
    let regions = |presplit: &Presplit| match presplit {
        Presplit::Fixed { points, .. } => points.len() + 1,
        Presplit::Sampled { .. } => 0,
    };
    let of_copies: Vec<usize> = strategy
        .copies
        .iter()
        .map(|copy| regions(&copy.presplit))
        .collect();
    assert_eq!((regions(&strategy.presplit), of_copies), (16, vec![4, 8]));
    assert_eq!(
        strategy.copies[1].key.text(),
        "salt(8, be4(cost)) || be4(cost)"
    );
}

#[test]
fn a_strategy_may_read_in_another_way() {
    let scenario = parse(&format!(
        "[read.r]\nequal = [\"sensor\"]\nrange = {{ field = \"ts\", last = \"5m\" }}\n\
         pick = {{ sensor = {{ zipf = 0.99 }}, id = {{ latest = 1.5 }} }}\n{REST}\
         override.read.r.range = {{ field = \"id\", span = 3 }}\noverride.read.r.pick.sensor = {{ hotspot = {{ keys = 0.2, load = 0.8 }} }}\n"
    ));
    let read = &workload(&scenario).reads[0];
    let extent = read.range.as_ref().map(|range| range.extent);
    assert_eq!(extent, Some(RangeExtent::Span(3)));
    let hotspot = DistributionShape::Hotspot {
        keys: 0.2,
        load: 0.8,
    };
    assert!(
        matches!(&read.pick[..], [(SENSOR, PickDistribution::Distribution(law)), (ID, _)] if law.shape == hotspot)
    );
}

/// Requests and rows of the newest ten jobs of a queue, whatever their priority, under a key that tells it before the jobs.
fn newest_jobs(priorities: &str) -> [f64; 2] {
    let text = format!(
        "[field]\nqueue = {{ type = \"int\", count = 20 }}\nprio = {{ type = \"int\", count = 5 }}\njob = {{ type = \"sequence\" }}\n\
         ts = {{ type = \"timestamp\", unit = \"ms\" }}\n[write.jobs]\nrate = \"1k/s\"\n[existing.jobs]\nrecords = 200_000\nlast = \"1h\"\n\
         [read.newest]\nequal = [\"queue\"]\nin = {{ prio = {priorities} }}\nnewest = {{ field = \"ts\", rows = 10 }}\n\
         [strategy.a]\nkey = \"be1(queue) || be1(prio) || be8(job)\"\n"
    );
    let scenario = Scenario::parse(&text, "jobs").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let layout = Layout::of(&scenario.strategies[0], &firsts[0]);
    let expected = layout.reads[0].planned.plan.expected;
    [expected.requests, expected.rows_read.round()]
}

#[test]
fn all_values_of_a_field_are_asked_for_like_as_many_named_ones() {
    // Ten of each of five priorities, by five scans; one scan of the queue would read its 10,000 rows and more, which take twice as long as five calls.
    assert_eq!(newest_jobs("5"), [5.0, 50.0]);
    assert_eq!(newest_jobs("\"all\""), [5.0, 50.0]);
}

#[test]
fn the_newest_rows_of_a_kind_lie_among_the_others_of_the_newest_part() {
    // Ten times as many metrics as events come, and the table keeps them for a minute, events for two hours.
    let text = "[time]\nduration = \"10s\"\n[field]\nten = { type = \"int\", count = 4 }\ncls = { type = \"text\", values = [\"m\", \"e\"] }\n\
         ts = { type = \"timestamp\", unit = \"ms\" }\nid = { type = \"uuid\" }\n[write.metric]\nrate = \"1k/s\"\nwith = { cls = \"m\" }\n\
         [write.event]\nrate = \"100/s\"\nwith = { cls = \"e\" }\n[existing.metric]\nlast = \"1m\"\n[existing.event]\nlast = \"2h\"\n\
         [read.events]\nequal = [\"ten\"]\nnewest = { field = \"ts\", rows = 10 }\nwith = { cls = \"e\" }\n\
         [read.metrics]\nequal = [\"ten\"]\nnewest = { field = \"ts\", rows = 10 }\nwith = { cls = \"m\" }\n\
         [table]\nsplit_policy = \"disabled\"\n[strategy.a]\nkey = \"be2(ten) || be8(ts) || cls || id\"\n";
    let scenario = Scenario::parse(text, "kinds").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let layout = Layout::of(&scenario.strategies[0], &firsts[0]);
    // 100 metrics beside ten events, and one event beside ten metrics: within the 2 % that estimates keep to.
    for (read, rows) in layout.reads.iter().zip([110.0, 11.0]) {
        let found = read.planned.plan.expected.rows_read;
        assert!((found / rows - 1.0).abs() < 0.02, "{found}, not {rows}");
    }
}

fn warnings(reads: &str, rest: &str) -> Vec<(Severity, String)> {
    let scenario = parse(&format!("{reads}\n{rest}"));
    let warnings = scenario.warnings.into_iter();
    warnings
        .map(|warning| (warning.severity, warning.message))
        .collect()
}

#[test]
fn odd_reads_are_told() {
    assert_eq!(
        warnings("[read.r]\nrate = \"5/s\"", REST),
        [(Severity::Warning, "`[read.r]` knows nothing".to_owned())]
    );
    assert_eq!(
        warnings("[read.r]\nequal = [\"sensor\"]", REST),
        [(
            Severity::Note,
            "no read is issued: each is planned and costed".to_owned()
        )]
    );
    let write = "[write.w]\nrate = \"9/s\"\n[strategy.a]\nkey = \"be4(sensor) || be8(ts)\"\n";
    assert_eq!(
        warnings("[read.r]\nequal = [\"sensor\"]\nrate = \"5/s\"", write),
        [(
            Severity::Note,
            "the table is empty when the run starts".to_owned()
        )]
    );
    let newest = "[read.r]\nequal = [\"sensor\"]\nnewest = { field = \"ts\" }\nrate = \"5/s\"";
    let keys = "[write.rows]\nrate = \"9/s\"\n[existing.rows]\nlast = \"7d\"\n[strategy.hashed]\nkey = \"md5(ts)\"\n\
                [strategy.by-time]\nkey = \"be8(ts)\"\n[strategy.by-day]\nkey = \"day || be4(sensor) || be8(ts)\"\n[strategy.by-sensor]\nkey = \"be4(sensor) || be8(ts)\"\n";
    assert_eq!(
        warnings(newest, keys),
        [(
            Severity::Warning,
            "`[read.r]` reads where the writes go under `by-time`".to_owned()
        )]
    );
    let older = "[read.r]\nequal = [\"sensor\"]\nrange = { field = \"ts\", last = \"5m\", ago = \"1h\" }\nrate = \"5/s\"";
    assert_eq!(warnings(older, keys), []);
}

#[test]
fn a_fixed_text_that_is_nearly_one_of_the_values_is_told() {
    let told = |status: &str| {
        let text = format!(
            "[field]\nid = {{ type = \"int\", count = 9 }}\nst = {{ type = \"text\", values = [\"new\", \"paid\", \"eu-west-1\"] }}\n\
             [write.w]\nrate = \"9/s\"\nwith = {{ st = \"{status}\" }}\n[strategy.a]\nkey = \"st || x'00' || be4(id)\"\n"
        );
        let scenario = Scenario::parse(&text, "with").unwrap_or_else(|error| panic!("{error}"));
        let messages = scenario.warnings.into_iter().map(|it| it.message);
        messages.collect::<Vec<_>>()
    };
    assert_eq!(told("payed"), ["`payed` is none of the values of `st`"]);
    // Values of one's own, and one of the list's kind.
    for own in ["paid", "", "x", "cancelled", "eu-west-3"] {
        assert_eq!(told(own), [] as [&str; 0], "{own}");
    }
}

#[test]
fn rows_of_one_instant_are_told_where_a_key_tells_time() {
    let read = "[read.r]\nequal = [\"sensor\"]\nrate = \"5/s\"";
    let keys = "[strategy.a]\nkey = \"be4(sensor) || be8(ts)\"\n[strategy.b]\nkey = \"be8(ts)\"\n";
    let told = |existing: &str, keys: &str| warnings(read, &format!("{existing}\n{keys}"));
    let once = [(
        Severity::Warning,
        "all rows of `[existing.rows]` carry the time at which the run starts".to_owned(),
    )];
    assert_eq!(told("[existing.rows]\nrecords = 1_000", keys), once);
    assert_eq!(told("[existing.rows]\neach = \"sensor\"", keys), once);
    let spread = "[existing.rows]\nrecords = 1_000\nlast = \"7d\"";
    assert_eq!(told(spread, keys), []);
    let timeless = "[strategy.a]\nkey = \"be4(sensor)\"\n";
    assert_eq!(told("[existing.rows]\nrecords = 1_000", timeless), []);
}

#[test]
fn each_region_of_a_scan_takes_as_many_calls_as_its_own_rows() {
    // The numbers are those of the first four of sixteen regions, which have no others.
    let text = "[time]\nduration = \"5s\"\nwarmup = \"0s\"\n[field]\n\
                n = { type = \"int\", count = 1_073_741_824 }\n\
                car = { type = \"int\", count = 5_000 }\nts = { type = \"timestamp\" }\n\
                [existing.rows]\nrecords = 130_000\nlast = \"1h\"\n\
                [read.all]\nequal = \"car\"\nrate = \"20/s\"\n\
                [strategy.s]\nkey = \"be4(n) || be8(ts)\"\n\
                presplit = { algorithm = \"uniform\", regions = 16 }";
    let mut scenario = Scenario::parse(text, "uneven").unwrap_or_else(|error| panic!("{error}"));
    scenario.replicates = 1;
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let forecast = &Layout::of(&scenario.strategies[0], &firsts[0]).reads[0];
    let batch = f64::from(2 << 20) / forecast.planned.cell_bytes;
    let of_region = 130_000.0 / 4.0 / batch;
    let calls = 12.0 + 4.0 * of_region.ceil();
    assert!(calls >= 20.0, "{calls}");
    assert!((0.05..0.95).contains(&of_region.fract()), "{of_region}");
    let results = Experiment::new(&scenario).run(|_| {});
    let read = &results.strategies[0].reads[0];
    for found in [
        Some(forecast.calls_planned.mean),
        read.calls_planned.mean,
        read.calls.mean,
    ] {
        assert!(
            found.is_some_and(|it| (it - calls).abs() < 0.01),
            "{found:?}, {calls}"
        );
    }
}
