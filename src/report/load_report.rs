//! Where the load of a table that exists lies, for people. Must not judge.

use super::document::{Block, Column, Document, Table};
use super::number::{NumberFormat, counted, length};
use crate::experiment::{LoadToday, Results};
use crate::key::FixedSegment;
use crate::keyspace::RowKey;
use crate::metrics::Hotspot;
use crate::observed::{Numbers, Region, TableLoads};
use NumberFormat::{Compact, Percent, Ratio};

/// Regions and servers that are shown of more.
const SHOWN: usize = 8;

/// The view of a table's load.
#[derive(Debug, Clone, Copy)]
pub struct LoadReport<'a> {
    /// What was observed.
    pub table: &'a TableLoads,
    /// What follows from it.
    pub load: &'a LoadToday,
    /// Into what its keys are parsed.
    pub segments: &'a [FixedSegment],
}

impl LoadReport<'_> {
    /// For a terminal or a pull request.
    pub fn document(&self) -> Document {
        let (table, load) = (self.table, self.load);
        let mut title = vec![counted(table.regions.len(), "region")];
        if !load.servers.is_empty() {
            title.push(format!("on {}", counted(load.servers.len(), "server")));
        }
        let apart = self.apart();
        if let Some(seconds) = table.seconds.filter(|_| !table.format.is_partial) {
            let rate = |amount: f64| Compact.text(amount / seconds);
            let (total, unit) = (rate(load.total), &table.format.unit);
            title.push(format!("with {total} {unit} a second"));
            let parts = apart.map(|(reads, writes)| (rate(reads), rate(writes)));
            title.extend(parts.map(|(reads, writes)| format!("({reads} read, {writes} written)")));
        }
        let name = match &table.table[..] {
            "" => "The table".to_owned(),
            name => format!("`{name}`"),
        };
        let title = Block::Title(format!("{name}: {}", title.join(" ")));
        let mut parts = vec![vec![title]];
        if load.total > 0.0 {
            parts.push(vec![Block::Table(self.regions())]);
        }
        if !load.servers.is_empty() {
            parts.push(vec![Block::Table(self.servers())]);
        }
        parts.push(vec![Block::Text(self.sentences())]);
        Document(parts)
    }

    /// What charts are drawn from; `None` unless all regions are known with their keys, servers and loads, and the time that loads are of.
    pub fn results(&self) -> Option<Results> {
        let labels = |key: &RowKey| {
            let values = self.segments.iter();
            let values = values.map_while(|it| Some(format!("{} {}", it.name, it.value(key)?)));
            values.collect()
        };
        self.load.results(self.table, labels)
    }

    /// All reads and writes, where they are told apart.
    fn apart(&self) -> Option<(f64, f64)> {
        let parts = self.table.regions.iter().filter_map(|it| it.load?.apart);
        parts.reduce(|all, part| (all.0 + part.0, all.1 + part.1))
    }

    fn regions(&self) -> Table {
        let mut columns = vec![
            Column::numbers(["", "region"], 0),
            Column::words(["", "from"], 0),
            Column::words(["", "to"], 3),
            Column::words(["", "server"], 2),
            Column::numbers(["", "share"], 0),
            Column::numbers(["times", "an even share"], 1),
        ];
        let apart = self.apart();
        if apart.is_some() {
            columns.extend(["of reads", "of writes"].map(|name| Column::numbers(["", name], 1)));
        }
        if !self.segments.is_empty() {
            columns.push(Column::words(["", "its keys"], 0));
        }
        let all = self.table.regions.len() as f64;
        let row = |(at, load): &(usize, f64)| {
            let region = &self.table.regions[*at];
            let key = |key: &Option<_>| key.as_ref().map_or(region.id.clone(), ToString::to_string);
            let share = load / self.load.total;
            let bound = if region.at_least { "≥\u{a0}" } else { "" };
            let mut row = vec![
                (at + 1).to_string(),
                key(&region.start),
                key(&region.end),
                region.server.clone().unwrap_or_default(),
                format!("{bound}{}", Percent.text(share)),
                Ratio.text(share * all),
            ];
            row.extend(apart.iter().flat_map(|all| {
                let part = region.load.and_then(|it| it.apart).unwrap_or_default();
                [part.0 / all.0, part.1 / all.1].map(|share| Percent.text(share))
            }));
            row.extend((!self.segments.is_empty()).then(|| self.keys(region)));
            row
        };
        Table::new(columns, self.load.hottest.iter().take(SHOWN).map(row))
    }

    /// What all keys of a region say, and up to where the next field goes.
    fn keys(&self, region: &Region) -> String {
        let (Some(start), Some(end)) = (&region.start, &region.end) else {
            return String::new();
        };
        let mut told = Vec::new();
        for segment in self.segments {
            let (name, from) = (&segment.name, segment.value(start));
            if segment.is_shared(start, end) {
                told.push(format!("{name} {}", from.unwrap_or_default()));
                continue;
            }
            let to = segment.value(end).map(|to| format!(" to {to}"));
            let from = from.map(|from| format!("{name} from {from}"));
            told.extend(from.map(|from| from + &to.unwrap_or_default()));
            break;
        }
        told.join(", ")
    }

    fn servers(&self) -> Table {
        let mut columns = vec![
            Column::named("", false),
            Column::named("server", false),
            Column::named("regions", true),
        ];
        let has_load = self.load.total > 0.0;
        if has_load {
            columns.extend(["share", "× the mean"].map(|name| Column::named(name, true)));
        }
        let (all, names) = (self.load.servers.len() as f64, self.load.server_names());
        let row = |(name, regions, load): &(String, usize, f64)| {
            let share = load / self.load.total;
            let number = names.binary_search(&&name[..]).unwrap_or_default();
            let mut row = vec![format!("rs{number}"), name.clone(), regions.to_string()];
            if has_load {
                row.extend([Percent.text(share), Ratio.text(share * all)]);
            }
            row
        };
        Table::new(columns, self.load.servers.iter().take(SHOWN).map(row))
    }

    fn sentences(&self) -> Vec<String> {
        let (table, load) = (self.table, self.load);
        let Some((hottest, most)) = load.hottest.first().filter(|_| load.total > 0.0) else {
            return vec![match table.format.numbers {
                Numbers::Counters => "One snapshot of counters, which began when each region was opened, tells no load: give a second one, taken a minute later.".to_owned(),
                _ => format!("{} tells no load: boundaries only.", crate::text::capital(table.format.name)),
            }];
        };
        let mut all = Vec::new();
        let share = Percent.text(most / load.total);
        let mut held = 0.0;
        let half = load.hottest.iter().take_while(|it| {
            let goes_on = held < load.total / 2.0;
            held += it.1;
            goes_on
        });
        let half = counted(half.count(), "region");
        all.push(format!(
            "Region {} of {} takes {share} of the load; half of it lies in {half}.",
            hottest + 1,
            table.regions.len()
        ));
        if table.format.is_partial {
            all.push("Only hot regions are listed: shares are of those, and what servers have besides is not known.".to_owned());
        }
        match table.seconds {
            None => all.push("How much that is a second follows from the time between the snapshots: `--over 60s`.".to_owned()),
            Some(seconds) if table.format.numbers == Numbers::Counters => all.push(format!("Counted over {}.", length(seconds))),
            Some(_) => {}
        }
        if let (Some(peak), Some(dealt)) = (load.peak, load.dealings) {
            let [low, high, best] = [dealt.low, dealt.high, dealt.best].map(|it| Ratio.text(it));
            all.push(format!(
                "The busiest server has {} the mean. Dealt at random, nine of ten times, the same regions have {low} to {high}; the best dealing that is found, {best}.",
                Ratio.text(peak)
            ));
            let floor = Ratio.text(load.placement_floor());
            all.extend(load.hotspot.map(|hotspot| match hotspot {
                Hotspot::None => "No hotspot: the servers share the load.".to_owned(),
                Hotspot::PresplitMismatch => "Fewer regions are asked for than there are servers: other split points, or another key, have to spread them (presplit-mismatch).".to_owned(),
                Hotspot::Placement => format!(
                    "Moving regions cures it down to {floor} at best (placement): the balancer counts regions, not what they are asked for."
                ),
                _ => format!(
                    "No placement cures it: one region alone has {floor} the mean. If a split does depends on its keys: a hot row can't be split, and behind a key that \
                     rises with time the next region gets hot. One interval does not tell them apart: look again an hour later whether the same region is hot."
                ),
            }));
        }
        all
    }
}
