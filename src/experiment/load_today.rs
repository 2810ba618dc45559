//! How the load of a table that exists lies on its regions and servers, and what other dealings of the same regions would make of it. Must not know how it
//! was observed, nor how it is shown.

use super::measures::{Measure, Metric};
use super::results::{KeyMapBucket, Results, StrategyResult};
use crate::keyspace::RowKey;
use crate::metrics::{Demanded, Hotspot, HotspotEvidence, MetricId, Peak, Series};
use crate::observed::TableLoads;
use crate::random::{DrawKey, Permutation, Seed, Stream};
use crate::statistics::{DealtPeaks, IntervalWeights};
use std::collections::BTreeMap;

/// Dealings that peaks are taken of, as after a run.
const DEALINGS: usize = 200;

/// Where the load of a table lies.
#[derive(Debug, Clone)]
pub struct LoadToday {
    /// Of all regions, as the table's files count it; 0 where they don't.
    pub total: f64,
    /// Places of regions in key order, with their loads, the hottest first.
    pub hottest: Vec<(usize, f64)>,
    /// Servers with their regions and loads, the busiest first.
    pub servers: Vec<(String, usize, f64)>,
    /// The busiest server's load over the mean; none where not all regions are known with their servers.
    pub peak: Option<f64>,
    /// The same under other dealings of the regions.
    pub dealings: Option<DealtPeaks>,
    /// What kind of hotspot it is. `static` stands for what one interval of time can't tell apart: row, moving and static ones.
    pub hotspot: Option<Hotspot>,
}

impl LoadToday {
    /// Weighs a table. O(regions x dealings).
    pub fn of(table: &TableLoads) -> Self {
        let regions = &table.regions;
        let load = |at: &usize| regions[*at].load.map(|load| load.all);
        let known = (0..regions.len()).filter_map(|at| Some((at, load(&at)?)));
        let mut hottest: Vec<(usize, f64)> = known.collect();
        hottest.sort_by(|a, b| b.1.total_cmp(&a.1));
        let total: f64 = hottest.iter().map(|it| it.1).sum();
        let mut by_server: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
        for (at, region) in regions.iter().enumerate() {
            let server = region.server.as_deref().unwrap_or_default();
            let held = by_server.entry(server).or_default();
            *held = (held.0 + 1, held.1 + load(&at).unwrap_or(0.0));
        }
        let is_known = !by_server.contains_key("") && !table.format.is_partial && total > 0.0;
        by_server.remove("");
        let servers = by_server.into_iter();
        let servers = servers.map(|(name, (regions, load))| (name.to_owned(), regions, load));
        let mut servers: Vec<(String, usize, f64)> = servers.collect();
        servers.sort_by(|a, b| b.2.total_cmp(&a.2));
        let mut found = Self {
            total,
            hottest,
            servers,
            peak: None,
            dealings: None,
            hotspot: None,
        };
        if is_known && found.servers.len() > 1 {
            found.judge(regions.len() as u64);
        }
        found
    }

    fn judge(&mut self, regions: u64) {
        let servers = self.servers.len();
        let weights = self.hottest.iter().filter(|it| it.1 > 0.0);
        let interval = IntervalWeights {
            total: self.total,
            things: weights.map(|it| (it.0 as u32, it.1)).collect(),
            bins: servers,
            all_bins: servers,
        };
        let asked = interval.things.len() as u64;
        self.dealings = DealtPeaks::of(&[interval], DEALINGS, |number, region, servers| {
            let key = DrawKey::new(Seed(0), number as u32, Stream::Placement, 0);
            let place = Permutation::new(regions, key).at(region.into());
            (place % servers as u64) as usize
        });
        let share = self.servers[0].2 / self.total;
        let value = share * servers as f64;
        self.peak = Some(value);
        self.hotspot = Hotspot::classify(&HotspotEvidence {
            demanded: Demanded::ByWrites,
            peak: Some(Peak { value, even: None }),
            server_share: Some(share),
            row_is_full: false,
            key_floor: 1.0,
            reachable_regions: asked,
            servers: servers as u32,
            leads_with_time: false,
            takes_turns: false,
            best_dealing: self.dealings.map(|it| it.best),
            range_share: None,
        });
    }

    /// Names of servers in the order in which they are numbered from 0.
    pub fn server_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.servers.iter().map(|it| &it.0[..]).collect();
        names.sort_unstable();
        names
    }

    /// The load as results of one interval, under a key that nobody knows, for charts; `labels` are what a key says. `None` unless all regions are known
    /// with their keys and servers, and for how long they were looked at.
    pub fn results(
        &self,
        table: &TableLoads,
        labels: impl Fn(&RowKey) -> Vec<String>,
    ) -> Option<Results> {
        let (peak, seconds, starts) = (self.peak?, table.seconds?, table.starts().ok()?);
        let names = self.server_names();
        let mut of_servers = vec![0; names.len()];
        let (mut region_demand, mut region_server) = (Vec::new(), Vec::new());
        for region in &table.regions {
            let count = region.load.map_or(0, |load| load.all.round() as u64);
            let server = names.binary_search(&region.server.as_deref()?).ok()?;
            of_servers[server] += count;
            region_demand.push(count);
            region_server.push(server as u32);
        }
        let mut held = 0.0;
        let top = |(rank, (_, load)): (u64, &(usize, f64))| {
            held += load;
            (rank, held / self.total)
        };
        let series = Series {
            interval_ms: seconds * 1e3,
            server_demand: vec![of_servers],
            key_demand: vec![region_demand.clone()],
            region_demand,
            region_server,
            top_regions: (1..).zip(&self.hottest).map(top).collect(),
            ..Series::default()
        };
        let bucket = |start: &RowKey| KeyMapBucket::of(start, labels(start));
        let number = |id: MetricId, value: f64| {
            let mean = Some(value);
            let measure = Measure {
                mean,
                ..Measure::default()
            };
            (id.name().to_owned(), Metric::Number(measure))
        };
        let mut metrics = BTreeMap::from([
            number(MetricId::ServerPeakToMean, peak),
            number(MetricId::ServerMaxShare, self.servers[0].2 / self.total),
        ]);
        let known = self.hotspot.filter(|it| *it != Hotspot::Static);
        let word = known.map(|it| Metric::Word(it.name().to_owned()));
        metrics.extend(word.map(|word| (MetricId::Hotspot.name().to_owned(), word)));
        let strategy = StrategyResult {
            name: "today".to_owned(),
            servers: names.len() as u32,
            metrics,
            series: Some(series),
            key_map: starts.iter().map(bucket).collect(),
            region_starts: starts.iter().map(ToString::to_string).collect(),
            ..StrategyResult::default()
        };
        Some(Results {
            duration_s: seconds,
            strategies: vec![strategy],
            ..Results::default()
        })
    }

    /// What no dealing of whole regions beats: the hottest one alone on a server, over the mean.
    pub fn placement_floor(&self) -> f64 {
        let hottest = self.hottest.first().map_or(0.0, |it| it.1 / self.total);
        f64::max(1.0, hottest * self.servers.len() as f64)
    }
}
