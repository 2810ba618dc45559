//! Everything of a scenario but its strategies and expectations, read from one document: the file itself, or the file under a
//! strategy's overrides. Must not know why the document looks as it does.

use super::Diagnostic;
use super::balancers::read_balancer;
use super::bounds::set_bounds;
use super::clock::{read_time, value_place};
use super::derived_uses::check_uses;
use super::document::{Place, Table};
use super::events::read_events;
use super::existing::read_existing;
use super::fields::{Fields, read_fields};
use super::hardware::{read_client, read_cluster, read_table};
use super::knees::read_knee;
use super::model::{Changes, Setup, TimeSpec};
use super::neighbours::read_neighbours;
use super::normalizers::read_normalizer;
use super::presplits::{Request, read_presplit};
use super::reader::Reader;
use super::reads::read_reads;
use super::sink::Sink;
use super::split_policies::read_split_policy;
use super::writes::read_writes;
use crate::cluster::{idle_put, server_buffered_capacity_per_second, server_capacity_per_second};
use crate::policy::RegionPolicies;
use crate::workload::{ClosedLoopLimits, Drive, Workload, Write};
use std::path::Path;
use std::sync::Arc;

/// One document, read.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) question: String,
    pub(super) seed: u64,
    pub(super) replicates: u32,
    pub(super) time: TimeSpec,
    pub(super) fields: Fields,
    pub(super) setup: Setup,
    pub(super) presplit: Request,
    /// Where `placement` of the table is said.
    pub(super) placement: Place,
}

/// Reads a document; every mistake goes to `sink`.
pub(super) fn read_draft(sink: &Sink, document: &Table, text: &str, folder: &Path) -> Draft {
    let scenario = Reader::new(sink, Some(document), Place::File(0..0), "");
    let question = scenario.text_or("question", "");
    // TOML's integers have 64 bits and a sign; all of them are seeds.
    let seed = scenario.integer_or("seed", 0, i64::MAX, 1) as u64;
    let replicates = scenario.integer_or("replicates", 1, 10_000, 5) as u32;
    let time = read_time(scenario.table("time"));
    let mut fields = read_fields(&scenario, folder);
    let writes = read_writes(&scenario, &mut fields, &time);
    let existing = read_existing(&scenario, &mut fields, &writes);
    let (reads, uses) = read_reads(&scenario, &mut fields, &time, writes.len());
    if !reads.is_empty() && !scenario.has("write") && !scenario.has("existing") {
        let diagnostic = Diagnostic::error("the scenario has reads, but no row")
            .label("expected a `[write.x]` or an `[existing.x]`")
            .help("add, for example, `[existing.rows]` with `records = 1_000_000`");
        sink.add(&scenario.place_of("read"), diagnostic);
    }
    let cluster = read_cluster(scenario.table("cluster"));
    let table = scenario.table("table");
    let spec = read_table(&table, cluster.servers);
    let placement = value_place(&table, "placement");
    let presplit = read_presplit(&table, text);
    let split_policy = read_split_policy(&table);
    let normalizer = read_normalizer(&table);
    table.finish();
    let client = read_client(scenario.table("client"));
    let balancing = read_balancer(scenario.table("balancer"));
    let events = read_events(&scenario, &time, &cluster, text);
    let neighbours = read_neighbours(&scenario);
    for key in ["strategy", "expect", "quick", "sweep"] {
        scenario.entry(key);
    }
    let mut setup = Setup {
        schema: fields.schema.clone(),
        derived: fields.derived.clone(),
        workload: Workload {
            start: time.start,
            duration: time.duration,
            writes,
            existing,
            reads,
            closed_loops: ClosedLoopLimits::default(),
        },
        cluster,
        table: spec,
        client,
        changes: Changes {
            policies: RegionPolicies {
                split_policy,
                normalizer,
                balancer: balancing.balancer,
                balancer_period: balancing.period,
                balancer_samples: balancing.samples,
                meta_reads: balancing.meta_reads,
            },
            events: Arc::new(events),
            neighbours: Arc::new(neighbours),
        },
        knee: None,
    };
    setup.workload.closed_loops = closed_loop_limits(&setup);
    setup.knee = read_knee(&scenario, &time, &setup);
    scenario.finish();
    set_bounds(&mut setup);
    check_uses(sink, &uses, &fields, &setup.schema);
    Draft {
        question,
        seed,
        replicates,
        time,
        fields,
        setup,
        presplit,
        placement,
    }
}

/// What closed loops can do on this cluster. Without any the default stays: strategies on clusters of other sizes then still share one workload.
fn closed_loop_limits(setup: &Setup) -> ClosedLoopLimits {
    let is_closed = |write: &Write| matches!(write.drive, Drive::Closed { .. });
    if !setup.workload.writes.iter().any(is_closed) {
        return ClosedLoopLimits::default();
    }
    let (cluster, table) = (&setup.cluster, &setup.table);
    let servers = f64::from(cluster.servers);
    ClosedLoopLimits {
        idle_response: idle_put(cluster),
        rows_per_sec: servers * server_capacity_per_second(cluster, table),
        buffered_rows_per_sec: servers * server_buffered_capacity_per_second(cluster, table),
    }
}
