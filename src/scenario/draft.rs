//! Everything of a scenario but its strategies and expectations, read from one document: the file itself, or the file under a
//! strategy's overrides.

use super::bounds::{least_row_bytes, set_bounds};
use super::cells::{are_declared, read_cells};
use super::clock::{TIME, read_time};
use super::cluster::{EVENT, NEIGHBOUR, read_cluster, read_events, read_neighbours, read_table};
use super::data::DATA;
use super::fields::{FIELD, Fields, read_fields};
use super::generators::Generators;
use super::knee::{KNEE, read_knee};
use super::model::Changes;
use super::prelude::*;
use super::presplits::{Request, read_presplit};
use super::reads::{READ, check_uses, read_reads};
use super::regions::REGIONS;
use super::writes::{EXISTING, WRITE, read_existing, read_writes};
use crate::client::{CLIENT, ClientSpec};
use crate::cluster::{
    CLUSTER, FAMILY, idle_put, server_buffered_capacity_per_second, server_capacity_per_second,
};
use crate::key::Environment;
use crate::policy::{BALANCER, RegionPolicies};
use crate::record::{Field, FieldKind};
use crate::settings::{FromSource, PROFILE_NAMES, integer, json, names, table, text, word};
use crate::storage::CELL_STRUCTURE;
use crate::time::SimDuration;
use crate::workload::{ClosedLoopLimits, Existing, LoadModel, Workload, Write};
use std::sync::Arc;

crate::settings! {
    /// A question about row keys: what is written and read, the candidate keys, and what is expected of them.
    pub(super) static SCENARIO("", r#""required": ["field", "strategy"], "anyOf": [{ "required": ["write"] }, { "required": ["read"] }]"#) {
        /// What the scenario asks. It heads every result.
        question = text("").or(""),
        /// The store whose defaults hold where the file says nothing.
        profile = word(PROFILE_NAMES).or(PROFILE_NAMES[0]),
        /// All randomness comes from it: the same file and seed give the same results.
        ///
        /// TOML's integers have 64 bits and a sign; all of them are seeds.
        seed = integer(0, i64::MAX).or("1"),
        /// Independent runs of each strategy, paired across strategies.
        replicates = integer(1, 10_000).or("5"),
        time = table(&TIME),
        /// Names that every expression of the file may use, and a sweep may vary.
        parameter = names("@identifier", r#"{ "type": "integer" }"#, ""),
        /// What a record is made of.
        field = names("@identifier", "@field", r#""minProperties": 1"#).with(&[&FIELD]),
        /// Rows that exist, in files of people's own.
        data = names("@name", "@data", "").with(&[&DATA]),
        /// What is written, and when.
        write = names("@name", "@write", "").with(&[&WRITE]),
        /// Column families of the table; without any there is the one that `[table]` describes.
        family = names("@family-name", "@family", r#""maxProperties": 16"#).with(&[&FAMILY]),
        /// Records written before the run; what one does not say comes from the write of its name.
        existing = names("@name", "@existing", "").with(&[&EXISTING]),
        /// What readers know and want; how it is read follows from each key.
        read = names("@name", "@read", "").with(&[&READ]),
        cluster = table(&CLUSTER),
        table = table(&ALL_OF_TABLE),
        regions = table(&REGIONS),
        client = table(&CLIENT),
        balancer = table(&BALANCER),
        /// What happens to the cluster, and when.
        event = json(r#""type": "array", "maxItems": 10000, "items": "@event""#).with(&[&EVENT]),
        /// Other tables on the same servers.
        neighbour = names("@name", "@neighbour", r#""maxProperties": 64"#).with(&[&NEIGHBOUR]),
        /// The candidates: a row key each, and whatever else one changes.
        strategy = names("@name", "@strategy", r#""minProperties": 1, "maxProperties": 256"#),
        /// What must hold; a broken one makes `keyheat run` exit with 1.
        expect = json(r#""type": "array", "items": "@expect""#),
        knee = table(&KNEE),
    }

    /// The table; a strategy may set any of it for itself.
    pub(super) static ALL_OF_TABLE("table", "")
        with crate::cluster::TABLE
        with super::presplits::PRESPLITTING
        with crate::policy::SPLITTING
        with crate::policy::BUSY
        with crate::policy::NORMALIZING {}
}

/// Tables of a file in the shape of the file itself.
pub(super) const MIRRORS: [&str; 2] = ["quick", "sweep"];

/// One document, read.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) question: String,
    pub(super) seed: u64,
    pub(super) replicates: u32,
    pub(super) time: TimeSpec,
    pub(super) fields: Fields,
    pub(super) setup: Arc<Setup>,
    pub(super) presplit: Request,
    /// Where `placement` of the table is said.
    pub(super) placement: SourcePlace,
    /// Writes that name their cells.
    pub(super) named_cells: Vec<String>,
}

impl Draft {
    /// What its expressions may name.
    pub(super) fn environment(&self) -> Environment<'_> {
        self.fields.environment(&self.setup.schema)
    }
}

/// Reads a document; every mistake goes to `sink`.
pub(super) fn read_draft(sink: &Diagnostics, document: &TomlTable) -> Draft {
    let scenario = Reader::whole(sink, document, &SCENARIO);
    sink.set_profile(scenario.value("profile"));
    let (question, seed) = (scenario.value("question"), scenario.value("seed"));
    let replicates = scenario.value("replicates");
    let time = read_time(scenario.table("time"));
    let mut fields = read_fields(&scenario);
    let writes = read_writes(&scenario, &mut fields, &time);
    let existing = read_existing(&scenario, &mut fields, &writes);
    let reads = read_reads(&scenario, &mut fields, &time, writes.len());
    if !reads.is_empty() && !scenario.has("write") && !scenario.has("existing") {
        let diagnostic = Diagnostic::error("the scenario has reads, but no row")
            .label("expected a `[write.x]` or an `[existing.x]`")
            .help("add, for example, `[existing.rows]` with `records = 1_000_000`");
        scenario.complain_of_key("read", diagnostic);
    }
    let cluster = read_cluster(scenario.table("cluster"));
    let table = scenario.table("table");
    let spec = read_table(&table, cluster.servers);
    let placement = table.place_of_value("placement");
    let presplit = read_presplit(&table);
    let balancer = scenario.table("balancer");
    let policies = RegionPolicies::read(&table, &balancer);
    table.finish();
    balancer.finish();
    let client = ClientSpec::read(&scenario, "client");
    let events = read_events(&scenario, &time, &cluster);
    let neighbours = read_neighbours(&scenario);
    for mirror in MIRRORS {
        scenario.entry(mirror);
    }
    // Of cells that are known only when their expressions are, a KeyValue has this much at least.
    let least_row = match are_declared(&scenario, &writes) {
        true => CELL_STRUCTURE as f64,
        false => least_row_bytes(&spec),
    };
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
            kept_for: None,
        },
        cluster,
        table: spec,
        written: Vec::new(),
        client,
        changes: Changes {
            policies,
            events: Arc::new(events),
            neighbours: Arc::new(neighbours),
        },
        knee: None,
        generators: Generators::default(),
    };
    setup.knee = read_knee(&scenario, &time, &setup);
    set_bounds(&mut setup, least_row);
    let named_cells = read_cells(&scenario, &time, &fields, &mut setup);
    setup.workload.closed_loops = closed_loop_limits(&setup);
    setup.workload.kept_for = kept_for(&setup);
    scenario.finish();
    check_uses(sink, &fields, &setup.schema);
    Draft {
        question,
        seed,
        replicates,
        time,
        fields,
        setup: Arc::new(setup),
        presplit,
        placement,
        named_cells,
    }
}

/// How long the rows of the table live, where reads would find older ones. Rows that are numbered keep their numbers: of these none is left out.
fn kept_for(setup: &Setup) -> Option<SimDuration> {
    let is_counted = |field: &Field| matches!(field.kind, FieldKind::Sequence { .. });
    let workload = &setup.workload;
    let is_exempt = workload.reads.is_empty() || setup.schema.fields.iter().any(is_counted);
    let ttl = setup.table.row_ttl()?;
    let reaches = |it: &Existing| it.rows.last() > ttl;
    (!is_exempt && workload.existing.iter().any(reaches)).then_some(ttl)
}

/// What closed loops can do on this cluster. Without any the default stays: strategies on clusters of other sizes then still share one workload.
fn closed_loop_limits(setup: &Setup) -> ClosedLoopLimits {
    let is_closed = |write: &Write| matches!(write.load, LoadModel::Closed { .. });
    if !setup.workload.writes.iter().any(is_closed) {
        return ClosedLoopLimits::default();
    }
    let (cluster, table) = (&setup.cluster, &setup.table);
    let servers = f64::from(cluster.servers);
    ClosedLoopLimits {
        idle_response: idle_put(cluster),
        rows_per_sec: servers * server_capacity_per_second(cluster, table),
        buffered_rows_per_sec: servers * server_buffered_capacity_per_second(cluster, table),
        part: 1.0,
    }
}

#[cfg(test)]
mod tests {
    use crate::cluster::{ClusterSpec, LogSyncs};
    use crate::policy::balance::Balancer;
    use crate::policy::{RegionPolicies, SplitPolicy};
    use crate::scenario::diagnostics::Diagnostics;
    use crate::scenario::document::TomlTable;
    use crate::scenario::draft::SCENARIO;
    use crate::scenario::reader::Reader;
    use crate::settings::{FromSource, Profile, Shape};

    static OTHER: Profile = Profile {
        name: "other",
        defaults: &[
            ("table.split_policy", "constant-size"),
            ("balancer.policy", "load"),
            ("cluster.call_queues", "1"),
            ("cluster.wal.syncs", "single"),
            ("cluster.handlers", "64"),
        ],
    };

    #[test]
    fn a_profile_says_what_every_setting_and_decider_is_where_a_scenario_says_nothing() {
        let (sink, document) = (Diagnostics::default(), TomlTable::default());
        sink.set_profile(&OTHER);
        let scenario = Reader::whole(&sink, &document, &SCENARIO);
        let cluster = ClusterSpec::read_all(&scenario.table("cluster"));
        assert_eq!(
            (cluster.handlers, cluster.call_queues, cluster.servers),
            (64, 1, 8)
        );
        assert_eq!(cluster.wal.map(|wal| wal.syncs), Some(LogSyncs::Single));
        let policies = RegionPolicies::read(&scenario.table("table"), &scenario.table("balancer"));
        assert_eq!(policies.split_policy, SplitPolicy::ConstantSize);
        assert!(matches!(policies.balancer, Balancer::Load(_)));
    }

    #[test]
    fn a_profile_says_nothing_but_settings() {
        for (path, _) in <&Profile>::default().defaults {
            let mut table = &SCENARIO;
            for key in path.split('.') {
                let setting = table.get(key).unwrap_or_else(|| panic!("{path}"));
                if let Shape::Table(inner) = setting.kind.shape {
                    table = inner;
                }
            }
        }
    }
}
