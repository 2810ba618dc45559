//! Traps of a row key together with its split points and its rows, seen before any simulation. Must not know loads or times.
//!
//! What an expression alone shows, the scenario has said where it was read.

use super::key_sample::KeySample;
use super::laid_table::LaidTable;
use super::recurrence::{MOST_SALTS, recurrence};
use super::row_growth::{RowGrowth, rows_made};
use super::{Layout, RegionForecast};
use crate::key::{Environment, KeyPlan, Randomness, Segment};
use crate::keyspace::RowKey;
use crate::metrics::NO_HOTSPOT_BELOW;
use crate::policy::balance::Balancer;
use crate::policy::{SplitAlgorithm, SplitPolicy};
use crate::query::RowIdentity;
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{FieldId, FieldKind, TextValues};
use crate::scenario::{Diagnostic, Presplit, Severity};
use crate::statistics::PlacementPeaks;
use crate::storage::CELL_STRUCTURE;
use crate::text;
use crate::text::{counted, percent_to, verb};
use crate::time::{SimDuration, SimTime};
use crate::units::ByteSize;
use crate::workload::{Choice, Write};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The values of a sample are known where no more of its rows have one that came once: as many of all rows have values that it does not show (Good, 1953; the bound is an
/// estimate).
const MOST_UNSEEN: f64 = 0.1;

/// Up to so many values a server are few: 32 equal ones on each spread by 1 / sqrt(32) = 18 % of the mean.
const FEW_PER_SERVER: usize = 32;

/// Deals that the distribution is made of: the 90 % quantile is then known to 1 % of the deals (one standard error:
/// sqrt(0.9 x 0.1 / 1,000)).
const DEALS: usize = 1_000;

/// A mean peak beyond this multiple of what no deal beats is chance that matters (estimate).
const MATTERS: f64 = 1.25;

/// Placements are a matter of the key, not of a run's seed.
const SEED: Seed = Seed(0);

/// A row that outgrows a region later than in ten years is left to others: seconds.
const LONGEST_LOOK: f64 = 10.0 * 365.25 * 86_400.0;

/// What is said of keys that follow time.
const GATHERS: &str =
    "the key leads with a time or a sequence: at any moment all writes go to one region";

/// Writes one after another that show where those of a moment go: a share of them is exact to 1.6 % (one standard error, 0.5 / sqrt(1,024)).
const MOMENT: usize = 1_024;

/// Fewer copies of a row are not told: one row in a hundred that agrees with another by chance is no design of writing rows again.
const LEAST_COPIES: f64 = 1.01;

impl LaidTable<'_> {
    /// All lints of the table's key, its split points and its rows.
    pub fn lints(&self) -> Vec<Diagnostic> {
        let lints = [
            self.leads_with_time(),
            self.unreachable_regions(),
            self.fewer_regions_than_servers(),
            self.buckets_share_regions(),
            self.points_unknown_beforehand(),
            self.step_outlasts_the_run(),
            self.fewer_quantiles_than_regions(),
            self.splits_before_the_run(),
            self.few_values(),
            self.time_comes_again(),
            self.stale_copies(),
            self.stale_entries(),
            self.expired_regions(),
            self.row_outgrows_a_region(),
        ];
        lints.into_iter().flatten().collect()
    }

    /// A warning that points at the key.
    fn warning(&self, message: impl AsRef<str>, label: &str, help: &str) -> Diagnostic {
        let (name, message) = (&self.table.strategy.name, message.as_ref());
        let copy = match self.table.number {
            0 => String::new(),
            copy => format!(", copy {copy}"),
        };
        Diagnostic::warning(format!("strategy `{name}`{copy}: {message}"))
            .at(self.table.key_span.clone())
            .label(label)
            .help(help)
    }

    fn leads_with_time(&self) -> Option<Diagnostic> {
        let help = "lead with a field of many values, or with `be1(bucket(16, ...))`, and put this behind it";
        let (strategy, key) = (self.table.strategy, self.table.key);
        let points = || self.points.iter().map(RowKey::as_bytes);
        if !strategy.gathers_a_moment_under(key, points()) {
            return None;
        }
        let step = strategy.step_of_the_run(key);
        let is_cut = step.is_some_and(|step| {
            let mut points = points();
            points.any(|point| point.len() > step.len() && point.starts_with(&step))
        });
        let share = self.share_of_a_moment();
        if share < 1.0 && share * (self.servers() as f64) < NO_HOTSPOT_BELOW {
            return None;
        }
        let gathers = match share {
            0.995.. => GATHERS.to_owned(),
            share => GATHERS.replace(
                "all writes go",
                &format!("{} of the writes go", percent_to(share, 0)),
            ),
        };
        let (message, label) = match key.leads_with_time() {
            // Told of split points that all lie in it.
            true if is_cut && key.step_around(points()).is_some() => return None,
            true if is_cut => (
                "the key leads with a step of time: when the next one begins, all writes go to one region until it has been split".to_owned(),
                "this run ends before it changes",
            ),
            true => (gathers, "grows from row to row"),
            false => (
                gathers,
                "time or a sequence and nothing else: the rows of a moment lie together",
            ),
        };
        Some(self.warning(message, label, help))
    }

    /// Of the writes of a moment, which share goes to the region that gets most: of times that are late less than all.
    fn share_of_a_moment(&self) -> f64 {
        let schema = &self.table.setup().schema;
        let is_late = |field: &FieldId| match schema.field(*field).kind {
            FieldKind::Timestamp { late, .. } => late.is_some_and(|late| late.fraction > 0.0),
            _ => false,
        };
        if !self.table.key.fields().iter().any(is_late) {
            return 1.0;
        }
        let moment = self.table.run(MOMENT, Choice::Together);
        let mut writes: BTreeMap<u32, u32> = BTreeMap::new();
        for at in 0..moment.len() {
            *writes
                .entry(self.region_of(moment.keys.get(at)))
                .or_default() += 1;
        }
        let most = writes.into_values().max().unwrap_or_default();
        f64::from(most) / moment.len().max(1) as f64
    }

    fn servers(&self) -> usize {
        self.table.setup().cluster.servers as usize
    }

    fn unreachable(&self) -> usize {
        let unreachable = |region: &&RegionForecast| region.unreachable;
        self.regions().iter().filter(unreachable).count()
    }

    /// What so many servers do that hold no region of the table that keys fall into.
    fn idle(&self, servers: usize) -> &'static str {
        match self.table.strategy.copies.is_empty() {
            true => verb(servers, ["stays idle", "stay idle"]),
            false => verb(servers, ["gets no row of it", "get no row of it"]),
        }
    }

    fn unreachable_regions(&self) -> Option<Diagnostic> {
        let (unreachable, all, servers) =
            (self.unreachable(), self.regions().len(), self.servers());
        if unreachable == 0 {
            return None;
        }
        let algorithm = match self.table.presplit {
            Presplit::Fixed { algorithm, .. } => *algorithm,
            Presplit::Sampled { .. } => None,
        };
        let help = match algorithm {
            Some(SplitAlgorithm::HexString) => {
                "hex-string cuts at lower-case hex digits (`A` sorts below `a`): write the key in them, for raw bytes use `uniform`, else `sampled`"
            }
            Some(SplitAlgorithm::DecimalString) => {
                "decimal-string cuts at decimal digits: use it for keys that lead with them, else `sampled`"
            }
            Some(SplitAlgorithm::Uniform) => {
                "uniform cuts at raw bytes: for keys that lead with hex digits use `hex-string`, with decimal digits `decimal-string`, else `sampled`"
            }
            Some(SplitAlgorithm::Bytes) => {
                "the range between first and last is cut as if all byte values occurred in it: for hex digits use `hex-string`, else `sampled`"
            }
            _ => "move the split points to where the keys are, or use `sampled`",
        };
        let idle = match servers.saturating_sub(all - unreachable) {
            0 => String::new(),
            idle => format!(
                ", so at least {idle} of {servers} servers {}",
                self.idle(idle)
            ),
        };
        let message = format!("{unreachable} of {all} regions can never receive a key{idle}");
        Some(self.warning(message, "no key of this form lies in them", help))
    }

    /// Unless some regions are unreachable: then that is said instead.
    fn fewer_regions_than_servers(&self) -> Option<Diagnostic> {
        let (regions, servers) = (self.regions().len(), self.servers());
        if self.unreachable() > 0 || regions >= servers {
            return None;
        }
        let has = some_regions(regions, "only ");
        // The table may split, and a balancer may move the parts: daughters alone stay where their parent was.
        let (setup, policies) = (self.table.setup(), &self.table.setup().changes.policies);
        let spreads_by_itself = policies.split_policy != SplitPolicy::Disabled
            && policies.balancer != Balancer::None
            && policies.balancer_period < setup.workload.duration;
        let idle = servers - regions;
        let stay = match spreads_by_itself {
            true => verb(idle, ["is idle at first", "are idle at first"]),
            false => self.idle(idle),
        };
        let message = format!("the table has {has}: {idle} of {servers} servers {stay}");
        let help = "pre-split the table into at least as many regions as there are servers";
        Some(self.warning(message, "these keys", help))
    }

    fn buckets_share_regions(&self) -> Option<Diagnostic> {
        // Sorted and distinct.
        let buckets = self.table.key.leading_buckets()?;
        // Digits of a hash, which spread wherever they are cut.
        if buckets.len() > MOST_SALTS {
            return None;
        }
        let region_of = |bucket: &Vec<u8>| self.points.partition_point(|point| point.0 <= *bucket);
        let starts: Vec<usize> = buckets.iter().map(region_of).collect();
        let in_one = || starts.chunk_by(|a, b| a == b).map(<[usize]>::len);
        let fullest = in_one().max().unwrap_or(0);
        let (regions, buckets) = (self.regions().len(), buckets.len());
        // The digits of a hash, cut evenly, are no salts in want of a region each; quantiles of rows share the load evenly wherever they cut.
        let even = 16 * fullest * regions <= 17 * buckets;
        let sampled = matches!(self.table.presplit, Presplit::Sampled { .. });
        if regions > 1 && (even || sampled) {
            return None;
        }
        let crowded: usize = in_one().filter(|buckets| *buckets > 1).sum();
        let (message, help) = match regions {
            _ if buckets > regions => (
                format!("{buckets} buckets share {}", some_regions(regions, "")),
                "`presplit = { algorithm = \"buckets\" }` gives each bucket its region",
            ),
            _ if crowded == 0 => return None,
            _ => (
                format!(
                    "the regions are not cut at the bucket bytes: {crowded} of {buckets} buckets begin in a region with another"
                ),
                "`presplit = { algorithm = \"buckets\" }` cuts at them",
            ),
        };
        Some(self.warning(message, "leads with the bucket", help))
    }

    fn points_unknown_beforehand(&self) -> Option<Diagnostic> {
        // The rows of an import exist before it starts: whoever brings them can sample them.
        let mut writes = self.table.setup().workload.writes.iter();
        let known = self.existing.is_some() || writes.all(|write| write.load.import().is_some());
        let message =
            "the split points are sampled from the run's own keys, which nobody knows beforehand";
        let help = "describe rows that exist before the run with `[existing.x]`, or use an algorithm that needs none";
        let sampled = matches!(self.table.presplit, Presplit::Sampled { .. });
        (sampled && !known).then(|| self.warning(message, "these keys", help))
    }

    fn step_outlasts_the_run(&self) -> Option<Diagnostic> {
        let points = self.points.iter().map(RowKey::as_bytes);
        let step = self.table.key.step_around(points)?;
        let message = format!(
            "when `{step}` next changes, all writes go to one region, behind the last split point"
        );
        let help = "lead with a field of many values, or split the table at the next step's keys each time before it begins";
        Some(self.warning(message, "this run ends before it changes", help))
    }

    fn fewer_quantiles_than_regions(&self) -> Option<Diagnostic> {
        let found = self.presplit;
        let &Presplit::Sampled { regions } = self.table.presplit else {
            return None;
        };
        if found >= regions as usize {
            return None;
        }
        let (rows, mut keys) = match &self.existing {
            Some(existing) => ("existing rows", existing.sample.iter().collect()),
            None => ("keys of the run", self.run.sorted()),
        };
        keys.dedup();
        let cause = match keys.len() < regions as usize {
            true => "too few distinct keys",
            false => "one key has more of them than a region is to have",
        };
        let message = format!(
            "the {rows} give {}, not {regions}: {cause}",
            counted(found, "region")
        );
        let help = "ask for fewer regions, or make the key longer";
        Some(self.warning(message, "these keys", help))
    }

    /// Rows that existed before have made more regions of the pre-split.
    fn splits_before_the_run(&self) -> Option<Diagnostic> {
        let existing = self.existing.as_ref()?;
        let (before, now) = (self.presplit, self.regions().len());
        if now <= before {
            return None;
        }
        let size = ByteSize::approximate(existing.bytes as f64);
        // A table that was created with one region was meant to grow.
        let (regions, severity) = match before {
            1 => ("region", Severity::Note),
            _ => ("regions", Severity::Warning),
        };
        let message = format!(
            "{size} of existing rows have split the table from {before} {regions} into {now} before the run"
        );
        let help = "`split_policy = \"disabled\"` keeps the pre-split, and so do larger regions: `max_file_size`";
        Some(Diagnostic {
            severity,
            ..self.warning(message, "these keys", help)
        })
    }

    /// Keys that spread by a hash of few values: where those fall is chance, and one draw shows one case of many. A warning when the first
    /// segment that varies is such a hash; none when the values are listed: those hash to where the run shows them.
    fn few_values(&self) -> Option<Diagnostic> {
        let (key, schema, regions) = (self.table.key, &self.table.setup().schema, self.regions());
        let lead = key.segments().iter().find(|it| it.constant().is_none())?;
        let is_listed = |field: &FieldId| {
            let kind = &schema.field(*field).kind;
            matches!(kind, FieldKind::Text(TextValues::Listed(_)))
        };
        let fields = lead.fields();
        if lead.randomness() != Randomness::Hashed || fields.iter().all(is_listed) {
            return None;
        }
        let servers = self.servers();
        // Rows that are there tell of values that a run which writes few does not show.
        let existing = self.existing.iter().filter(|_| self.run.len() > 0);
        let existing = existing.map(|_| self.table.existing(Layout::SAMPLE, Choice::Spread));
        let samples = std::iter::once(Arc::clone(&self.run)).chain(existing);
        let weights = weights(samples, fields, FEW_PER_SERVER * servers)?;
        let reachable = regions.len() - self.unreachable();
        let buckets = key.leading_buckets();
        let places = buckets.map_or(reachable, |buckets| buckets.len().min(reachable));
        if places == 0 {
            return None;
        }
        // What dealing the values to the regions, and those in turn to the servers, gives over many deals.
        let mut draws = DrawKey::new(SEED, 0, Stream::Sample, 0).at(0);
        let server = || draws.below(places as u64) as usize % servers;
        let peaks = PlacementPeaks::of(&weights, servers, DEALS, server)?;
        // Fewer places than servers leave some idle, whatever falls where.
        let floor = peaks.floor.max(servers as f64 / places.min(servers) as f64);
        if peaks.mean <= MATTERS * floor {
            return None;
        }
        // The regions where they open.
        let mut loads = vec![0.0; servers];
        for (region, server) in regions.iter().zip(self.opening_servers()) {
            loads[server as usize] += region.write_share;
        }
        let here = loads.into_iter().fold(0.0, f64::max) * servers as f64;
        let name = |&field: &FieldId| format!("`{}`", schema.field(field).name);
        let names: Vec<String> = fields.iter().map(name).collect();
        let (values, names) = (weights.len(), names.join(", "));
        let [mean, worst, here] = [peaks.mean, peaks.p90, here].map(text::times);
        let message = format!(
            "a hash deals {values} values of {names} to {places} regions: over many deals the hottest of {servers} servers gets {mean} \
             the mean, in one of ten {worst} or more; here {here}"
        );
        let help =
            "hash more of the record, so that more values are dealt, or plan for the worst of ten";
        Some(self.warning(message, "this hash", help))
    }

    /// Of a time the key tells parts alone that come again, such as the minutes of a day: rows of another day overwrite those of this one.
    fn time_comes_again(&self) -> Option<Diagnostic> {
        let setup = self.table.setup();
        let (field, length) = recurrence(self.table.cell_key, setup)?;
        let message = format!(
            "what the key tells of `{}` comes again every {length}: rows of before are overwritten then",
            setup.schema.field(field).name
        );
        let help = "write the date as well; or give the family a `ttl` of no more than that, if the table is to hold the last of them only";
        Some(self.warning(message, "a part of the time alone", help))
    }

    /// Rows that are written again under a salt that is drawn for each write, or made of its time: their old versions, or parts of what was added to them, stay where the earlier salts put them.
    fn stale_copies(&self) -> Option<Diagnostic> {
        let copies = self.copies_of_a_row();
        let writes = &self.table.setup().workload.writes;
        let adds = |write: &Write| write.kind.reads_first();
        let (what, help) = if !writes.is_empty() && writes.iter().all(adds) {
            (
                "what is added to a row lies under several salts: under",
                "a reader has to ask every salt and put together what it finds; else compute the salt from what names the row, as `bucket(16, ...)` does",
            )
        } else {
            (
                "rows that are written again leave stale copies under other salts: each row lies under",
                "compute the salt from what names the row, as `bucket(16, ...)` does: a write then replaces the old version; else readers have to ask every salt and keep the newest",
            )
        };
        let message = format!("{what} {copies:.1} of them on average when the run ends");
        let label = "each write has a salt of its own";
        (copies >= LEAST_COPIES).then(|| self.warning(message, label, help))
    }

    /// Rows of a copy that its table has no longer: a row that is written again with other values of what the copy's key tells leaves the old one behind.
    fn stale_entries(&self) -> Option<Diagnostic> {
        let (table, setup) = (&self.table, self.table.setup());
        let rows = |key| rows_made(key, setup, table.replicate)[1].max(1.0);
        if table.number == 0 {
            return None;
        }
        let entries = rows(table.cell_key) / rows(&table.strategy.cell_key);
        let message = format!(
            "the copy has {entries:.1} rows for each row of the table when the run ends: who reads it meets old ones"
        );
        let label =
            "a row that is written again with other values of these leaves its old one here";
        let help = "leave what changes out of the copy's key, or delete the old row with each write; a copy that is to keep all that was written needs no cure";
        (entries >= LEAST_COPIES).then(|| self.warning(message, label, help))
    }

    /// Regions whose rows are all older than the time to live; they stay until somebody merges them.
    fn expired_regions(&self) -> Option<Diagnostic> {
        let (rows, are) = match self.expired {
            0 => return None,
            1 => (some_regions(1, ""), "is"),
            many => (some_regions(many, ""), "are"),
        };
        let message = format!("{rows} {are} empty: their rows are older than `ttl`");
        let help = "HBase keeps them until they are merged: `normalization = true`, or a key whose time stands behind what names a thing; a salt does not help";
        Some(self.warning(message, "the oldest keys lie together", help))
    }

    /// When the busiest row, whose cells the qualifier tells apart, is larger than a region may be: no split cuts a row.
    fn row_outgrows_a_region(&self) -> Option<Diagnostic> {
        let (table, setup) = (&self.table, self.table.setup());
        let qualifier = table.strategy.qualifier.as_ref()?;
        let is_counted = |field: &FieldId| setup.schema.field(*field).kind.moves();
        let grows =
            !table.key.fields().iter().any(is_counted) && qualifier.fields().iter().any(is_counted);
        let share = self.run.hottest_row_share();
        // Fewer writes of a row in the sample are chance.
        if !grows || share * (self.run.len() as f64) < 16.0 {
            return None;
        }
        let cells = RowGrowth::of(table.cell_key, setup, table.replicate);
        let now = cells.rows(0.0);
        let added = cells.rows(setup.workload.estimated_writes(&setup.schema)) - now;
        let written = setup.written.first()?;
        let family = &setup.table.families[written.family];
        let (shortest, longest) = table.cell_key.len_range();
        let cell = (CELL_STRUCTURE + family.name.len() as u64 + written.cells[0].value.bytes())
            as f64
            + (shortest + longest) as f64 / 2.0;
        let rate = share * added / setup.workload.duration.as_secs_f64() * cell;
        let most = setup.table.max_file_size;
        let seconds = (most.0 as f64 - share * now * cell) / rate;
        let ttl = family.spec.ttl;
        let ttl = ttl.map_or(f64::INFINITY, SimDuration::as_secs_f64);
        if seconds > LONGEST_LOOK.min(ttl) {
            return None;
        }
        let start = setup.workload.start;
        let time = start.at(SimTime::ZERO + SimDuration::from_secs(seconds.max(0.0) as u64));
        let date = jiff::Timestamp::from_nanosecond(i128::from(time.0)).ok()?;
        let message = format!(
            "the busiest row, with {} of all cells, is larger than a region of {most} from {} on",
            text::percent_to(share, 1),
            date.strftime("%Y-%m-%d"),
        );
        let help = "let the key tell a part of the time, as `be4(trunc(ts, '1d'))` does, or give the family a `ttl`";
        Some(self.warning(message, "no split cuts a row", help))
    }

    /// Expected number of copies of a row when the run ends, at least 1: of m writes of one row under k salts k (1 - (1 - 1/k)^m).
    fn copies_of_a_row(&self) -> f64 {
        let (key, setup) = (self.table.key, self.table.setup());
        let made = |key: &KeyPlan| rows_made(key, setup, self.table.replicate);
        let is_drawn = RowIdentity::of(key, &setup.schema).leaves_copies();
        let [_, mut current, all] = made(key);
        if !is_drawn {
            match self.without_salts_of_time() {
                Some(rest) => current = made(&rest)[2],
                None => return 1.0,
            }
        }
        match current > 0.0 {
            true => (all / current).max(1.0),
            false => 1.0,
        }
    }

    /// The key without salts of a time, or a sequence, that the rest of it does not tell: each write of a row has another one, as if it were drawn.
    fn without_salts_of_time(&self) -> Option<KeyPlan> {
        let (key, setup) = (self.table.key, self.table.setup());
        let segments = key.segments();
        let is_salt = |segment: &Segment| {
            let moves_alone = |field: &FieldId| {
                let mut using = segments.iter().filter(|it| it.fields().contains(field));
                let is_alone = using.next().is_some() && using.next().is_none();
                is_alone && setup.schema.field(*field).kind.moves()
            };
            segment.randomness() == Randomness::Hashed
                && segment.space() <= MOST_SALTS as f64
                && segment.fields().iter().all(moves_alone)
        };
        let rest = segments.iter().filter(|it| !is_salt(it));
        let rest: Vec<&str> = rest.map(|it| it.expression.as_str()).collect();
        if rest.len() == segments.len() {
            return None;
        }
        let environment = Environment {
            schema: &setup.schema,
            derived: &setup.derived,
            parameters: &key.parameters,
        };
        let rest = KeyPlan::compile(&rest.join(" || "), &environment).ok()?;
        Some(rest).filter(|rest| !rest.fields().is_empty())
    }
}

/// `a single region`, or how many there are.
fn some_regions(regions: usize, before: &str) -> String {
    match regions {
        1 => "a single region".to_owned(),
        _ => format!("{before}{}", counted(regions, "region")),
    }
}

/// Shares of the combinations of these fields' values, in the first of the samples that shows them; `None` when there are more than `most`, or one alone, or too many of them came
/// once in each.
fn weights(
    samples: impl Iterator<Item = Arc<KeySample>>,
    fields: &[FieldId],
    most: usize,
) -> Option<Vec<f64>> {
    for sample in samples {
        let mut counts: BTreeMap<Vec<i64>, u32> = BTreeMap::new();
        for at in 0..sample.len() {
            let record = sample.record(at);
            let values = fields.iter().map(|field| record[usize::from(field.0)]);
            *counts.entry(values.collect()).or_default() += 1;
            if counts.len() > most {
                return None;
            }
        }
        let once = counts.values().filter(|count| **count == 1).count() as f64;
        if !counts.is_empty() && once <= MOST_UNSEEN * sample.len() as f64 {
            let weights = counts.into_values().map(f64::from).collect::<Vec<_>>();
            return Some(weights).filter(|it| it.len() > 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::layout::{Layout, Replicate};
    use crate::scenario::Scenario;

    /// The lint of one strategy over metrics, on eight servers.
    fn told(metrics: &str, key: &str) -> Option<String> {
        let text = format!(
            "replicates = 2\n[time]\nduration = \"2s\"\nwarmup = \"500ms\"\n[cluster]\nservers = 8\n\
             [field]\nmetric = {metrics}\nhost = {{ type = \"int\", count = 1_000 }}\n\
             ts = {{ type = \"timestamp\", unit = \"ms\" }}\n[write.w]\nrate = \"5k/s\"\n\
             [strategy.a]\nkey = \"{key}\"\npresplit = {{ algorithm = \"buckets\" }}\n"
        );
        let scenario = Scenario::parse(&text, "few").unwrap_or_else(|error| panic!("{error}"));
        let strategy = &scenario.strategies[0];
        let layout = Layout::of(strategy, &Replicate::new(&strategy.setup, scenario.seed, 0));
        let mut lints = layout.lints.into_iter().map(|lint| lint.message);
        lints.find(|message| message.contains("a hash deals"))
    }

    #[test]
    fn a_bucket_of_few_values_is_a_draw_and_one_of_many_is_not() {
        let five = "{ type = \"int\", count = 5 }";
        let bucket = "be1(bucket(16, be4(metric))) || be8(ts) || be4(metric) || be4(host)";
        let message = told(five, bucket).expect("five values on eight servers");
        assert!(
            message.contains("a hash deals 5 values of `metric` to 16 regions"),
            "{message}"
        );
        // Five on eight servers, all 8^5 deals counted: all apart in 21 %, two at most together in 67 %, three in 12 %; each is 1.6
        // times the mean. So the mean peak is 3.09, and the p90 that of three, 4.8. Tolerances: four standard errors of 1,000 deals
        // (sd 0.95), and 2 % for the sampled shares of the values.
        let number = |before: &str| -> f64 {
            let rest = message.split_once(before).expect("the number is told").1;
            rest.split_once('×')
                .expect("times")
                .0
                .parse()
                .expect("a number")
        };
        assert!((number("servers gets ") - 3.09).abs() < 0.19, "{message}");
        assert!((number("one of ten ") - 4.8).abs() < 0.15, "{message}");
        let many = "{ type = \"int\", count = 5_000 }";
        assert_eq!(told(many, bucket), None);
        let salt =
            "be1(bucket(16, be4(metric) || be4(host))) || be8(ts) || be4(metric) || be4(host)";
        assert_eq!(told(five, salt), None);
        assert_eq!(
            told(
                five,
                "be1(random(16)) || be8(ts) || be4(metric) || be4(host)"
            ),
            None
        );
    }

    #[test]
    fn values_are_those_of_the_table_and_not_of_the_few_rows_that_a_run_writes() {
        let lint = |rate: &str, count: u32, existing: &str| {
            let text = format!(
                "[time]\nduration = \"10s\"\nwarmup = \"2s\"\n[cluster]\nservers = 4\n[field]\nuser = {{ type = \"int\", count = {count} }}\nid = {{ type = \"sequence\" }}\n\
                 [write.w]\nrate = \"{rate}/s\"\n{existing}[strategy.a]\nkey = \"be1(bucket(16, be4(user))) || be8(id)\"\npresplit = {{ algorithm = \"buckets\" }}\n"
            );
            let scenario = Scenario::parse(&text, "few").unwrap_or_else(|error| panic!("{error}"));
            let strategy = &scenario.strategies[0];
            let layout = Layout::of(strategy, &Replicate::new(&strategy.setup, scenario.seed, 0));
            let mut lints = layout.lints.into_iter().map(|lint| lint.message);
            lints.find(|message| message.contains("a hash deals"))
        };
        // Thirty writes of 100,000 users show thirty of them, of six users all: each comes five times.
        let existing = "[existing.w]\nrecords = 100_000\n";
        assert_eq!(lint("3", 100_000, existing), None);
        assert_eq!(lint("3", 100_000, ""), None);
        for existing in [existing, ""] {
            let told = lint("3", 6, existing).expect("six values on four servers");
            assert!(told.contains("a hash deals 6 values"), "{told}");
        }
    }

    #[test]
    fn a_copy_that_keeps_old_rows_is_told_and_one_that_does_not_is_not() {
        // 100 orders are written 10,000 times with one of four statuses, each order 100 times: no status of an order is missed, 400 rows for 100.
        let text = r#"
replicates = 2
time = { duration = "2s", warmup = "500ms" }
[field]
ord = { type = "int", count = 100 }
cust = { type = "int", count = 10, of = "ord" }
status = { type = "text", values = ["open", "paid", "sent", "done"] }
[write.w]
rate = "100/s"
[existing.w]
records = 10_000
[strategy.a]
key = "be4(ord)"
copies = ["status || '|' || be4(ord)", "be4(cust) || be4(ord)", "be1(random(4)) || be4(ord)"]
"#;
        let scenario = Scenario::parse(text, "stale").unwrap_or_else(|error| panic!("{error}"));
        let strategy = &scenario.strategies[0];
        let layout = Layout::of(strategy, &Replicate::new(&strategy.setup, scenario.seed, 0));
        let lints = layout.lints.iter().map(|lint| lint.message.as_str());
        let told: Vec<&str> = lints.filter(|it| it.contains("for each row")).collect();
        assert_eq!(
            told,
            [
                "strategy `a`, copy 1: the copy has 4.0 rows for each row of the table when the run ends: who reads it meets old ones"
            ]
        );
    }

    #[test]
    fn listed_values_fall_where_the_run_shows_them() {
        let listed =
            "{ type = \"text\", values = [\"cpu\", \"disk\", \"load\", \"net\", \"swap\"] }";
        let key = "be1(bucket(16, metric)) || be8(ts) || metric || be4(host)";
        assert_eq!(told(listed, key), None);
    }

    #[test]
    fn one_dominant_value_is_another_matter() {
        let dominant = "{ type = \"int\", count = 9, distribution = { top = [0.9] } }";
        let key = "be1(bucket(16, be4(metric))) || be8(ts) || be4(metric) || be4(host)";
        assert_eq!(told(dominant, key), None);
    }
}
