//! What each region of a table was asked for, from one file of gauges or between two snapshots of counters, joined with what other files say of
//! it. Must not know how files are written, nor judge.

use super::file::{ObservedError, ObservedFile};
use super::format::{Format, Numbers};
use super::region_list::{Region, read};
use crate::keyspace::RowKey;
use crate::text::{all, listed};
use std::collections::{BTreeMap, BTreeSet};

/// A table as it is today.
#[derive(Debug, Clone)]
pub struct TableLoads {
    /// Its name; empty where no file says it.
    pub table: String,
    /// Whose numbers the loads are; without loads, whose regions.
    pub format: &'static Format,
    /// In the order of their keys, where keys are known.
    pub regions: Vec<Region>,
    /// The time that loads are of; `None` without loads, or where nobody says how far apart two snapshots are.
    pub seconds: Option<f64>,
    /// What happened between the files, or is missing from them.
    pub warnings: Vec<String>,
    /// Where regions leave gaps, or overlap.
    pub faults: Vec<String>,
}

/// All regions of a snapshot, by what tells them apart.
type Snapshot = BTreeMap<String, Region>;

/// What all files of a format say of a table.
struct Source {
    format: &'static Format,
    /// In the order in which they were taken.
    snapshots: Vec<Snapshot>,
}

impl TableLoads {
    /// Reads all files: snapshots of counters in the order in which they were taken, `seconds` apart; anywhere beside them what tells keys and
    /// servers. `table` has to be said where there are several.
    ///
    /// # Errors
    /// When a file is something else, or damaged; when it is not clear which table is meant; when snapshots are in the wrong order, or nothing
    /// happened between them.
    pub fn read(
        files: &[ObservedFile],
        table: Option<&str>,
        seconds: Option<f64>,
    ) -> Result<Self, ObservedError> {
        if seconds == Some(0.0) {
            let help = "say how far apart they were taken, as in `--over 60s`";
            return Err(files[0].error(None, "no time between the snapshots", help));
        }
        let lists = files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let all = lists.iter().flat_map(|(_, regions)| regions);
        let table = choose(&files[0], all.map(|it| &it.table[..]).collect(), table)?;
        let mut sources: Vec<Source> = Vec::new();
        for (format, mut regions) in lists {
            regions.retain(|it| it.table.is_empty() || it.table == table);
            let known = sources
                .iter()
                .position(|it| std::ptr::eq(it.format, format));
            let mut source = match known {
                Some(at) => sources.swap_remove(at),
                None => Source {
                    format,
                    snapshots: Vec::new(),
                },
            };
            source.add(regions);
            sources.push(source);
        }
        sources.sort_by_key(Source::worth);
        let Some(mut source) = sources.pop() else {
            return Err(files[0].error(None, "no regions", "name a file that lists some"));
        };
        let others = sources.iter().flat_map(|it| it.snapshots.iter().rev());
        others.for_each(|other| source.snapshots.iter_mut().for_each(|it| fill(it, other)));
        let (has_load, format) = (source.has_load(), source.format);
        let mut snapshots = source.snapshots.into_iter().map(tiled);
        let before = snapshots.next().unwrap_or_default();
        let after = snapshots.next_back().unwrap_or_else(|| before.clone());
        let mut found = Self {
            table,
            format,
            seconds: match format.numbers {
                Numbers::Gauges(seconds) => Some(seconds),
                _ => seconds.filter(|_| has_load),
            },
            warnings: Vec::new(),
            faults: Vec::new(),
            regions: after,
        };
        if !format.is_partial {
            found.faults = faults(&found.regions);
        }
        if !has_load {
            found.regions.iter_mut().for_each(|it| it.load = None);
            return Ok(found);
        }
        for region in found.regions.iter().filter(|it| it.load.is_none()) {
            let (place, name) = (&region.place, region.named());
            let warning = format!("{place}: {name} has no load: is it in transition?");
            found.warnings.push(warning);
        }
        if format.numbers == Numbers::Counters {
            found.subtract(&files[0], &before)?;
        }
        let mut loads = found.regions.iter().filter_map(|it| it.load);
        if loads.all(|load| load.all == 0.0) {
            let found = "no requests between the snapshots: was nothing asked for, or is it the same one twice?";
            let help = "take snapshots while the table is in use, the earlier first";
            return Err(files[0].error(None, found, help));
        }
        Ok(found)
    }

    /// The first key of every region, in order.
    ///
    /// # Errors
    /// When some are not known or not listed, leave gaps, or overlap.
    pub fn starts(&self) -> Result<Vec<RowKey>, String> {
        let starts = self.regions.iter().map(|it| it.start.clone());
        let starts: Option<Vec<RowKey>> = starts.collect();
        let starts = starts.filter(|_| !self.format.is_partial);
        match (starts, self.faults.first()) {
            (_, Some(fault)) => Err(fault.clone()),
            (Some(starts), _) => Ok(starts),
            _ => Err(format!(
                "{} does not say where all regions begin",
                self.format.name
            )),
        }
    }

    /// Leaves of the counters what they have grown since an earlier snapshot.
    fn subtract(&mut self, file: &ObservedFile, before: &[Region]) -> Result<(), ObservedError> {
        let known: BTreeMap<&str, &Region> = before.iter().map(|it| (&it.id[..], it)).collect();
        let after = self.regions.clone();
        let ids: BTreeSet<&str> = after.iter().map(|it| &it.id[..]).collect();
        let is_gone = |it: &&Region| !ids.contains(&it.id[..]);
        let is_new = |it: &&Region| !known.contains_key(&it.id[..]);
        let gone: Vec<&Region> = before.iter().filter(is_gone).collect();
        let new: Vec<&Region> = after.iter().filter(is_new).collect();
        let (mut forward, mut backward) = (0, 0);
        let mut anew: BTreeMap<String, Vec<&Region>> = BTreeMap::new();
        for (found, region) in self.regions.iter_mut().zip(&after) {
            let old = known.get(&region.id[..]).copied();
            let loads = old.and_then(|old| old.load).zip(region.load);
            let grew = loads.is_some_and(|(old, new)| new.all >= old.all);
            if let Some((old, new)) = loads.filter(|_| grew) {
                // If it was opened anew all the same, this is the least that it can have been asked for.
                found.load = Some(new.since(old));
            }
            let why = match old {
                None => origin(region, &gone, &new),
                Some(old) if old.server == region.server => {
                    forward += usize::from(loads.is_some_and(|(old, new)| new.all > old.all));
                    backward += usize::from(loads.is_some() && !grew);
                    if grew || loads.is_none() {
                        continue;
                    }
                    "was opened anew".to_owned()
                }
                Some(old) => moved(old, region, before),
            };
            found.at_least = true;
            anew.entry(why).or_default().push(region);
        }
        if backward > forward {
            let found = "counters go backwards: the snapshots are in the wrong order, or all servers were restarted between them";
            let help = "give the earlier one first; after a restart take both anew";
            return Err(file.error(None, found, help));
        }
        for (why, regions) in anew {
            let names = names(&regions);
            let place = &regions[0].place;
            self.warnings.push(format!(
                "{place}: {names} {why}: counters began again, so that loads are lower bounds"
            ));
        }
        Ok(())
    }
}

fn names(regions: &[&Region]) -> String {
    listed(regions.iter().map(|it| it.named()))
}

/// Where a region comes from that an earlier snapshot does not have.
fn origin(region: &Region, gone: &[&Region], new: &[&Region]) -> String {
    let parents = gone.iter().filter(|it| it.overlaps(region)).copied();
    let parents: Vec<&Region> = parents.collect();
    let is_sister = |it: &&&Region| parents.iter().any(|parent| parent.overlaps(it));
    let sisters = new.iter().filter(is_sister).count();
    match (parents.len(), sisters) {
        (0, _) => "was not in the first snapshot".to_owned(),
        (1, 1) => format!("was {} before", names(&parents)),
        (1, _) => format!("came from {}, which was split", names(&parents)),
        _ => format!("came from {}, which were merged", names(&parents)),
    }
}

/// How a region came to another server.
fn moved(old: &Region, new: &Region, before: &[Region]) -> String {
    let [from, to] = [old, new].map(|it| it.server.as_deref().unwrap_or("an unknown server"));
    // `localhost,16020,1771754400729` has a start code behind host and port.
    let host = |server: &str| Some(server.rsplit_once(',')?.0.to_owned());
    if let Some(host) = host(to).filter(|it| host(from).as_ref() == Some(it)) {
        return format!("lost their counts when {host} was restarted");
    }
    match before.iter().any(|it| it.server == new.server) {
        true => format!("moved from {from} to {to}"),
        false => format!("moved from {from} to {to}, which the first snapshot does not know"),
    }
}

impl Source {
    fn has_load(&self) -> bool {
        match self.format.numbers {
            Numbers::Counters => self.snapshots.len() > 1,
            Numbers::Gauges(_) => true,
            Numbers::Nothing => false,
        }
    }

    /// Loads rather than none, of all regions rather than of the hot ones, reads and writes apart rather than their sum, keys rather than none.
    fn worth(&self) -> [bool; 4] {
        let has =
            |of: fn(&Region) -> bool| self.snapshots.iter().flat_map(BTreeMap::values).any(of);
        let apart = has(|it| it.load.is_some_and(|load| load.apart.is_some()));
        let (load, keys) = (self.has_load(), has(|it| it.start.is_some()));
        [load, !self.format.is_partial, apart, keys]
    }

    /// Adds what a file lists to the first snapshot that does not have most of it: each server may have a file of its own.
    fn add(&mut self, regions: Vec<Region>) {
        let is_new = |snapshot: &Snapshot| {
            let known = regions.iter().filter(|it| snapshot.contains_key(&it.id));
            2 * known.count() <= regions.len()
        };
        let regions_by_id = regions.iter().map(|it| (it.id.clone(), it.clone()));
        let regions_by_id: Snapshot = regions_by_id.collect();
        match self.snapshots.iter_mut().find(|it| is_new(it)) {
            Some(snapshot) => snapshot.extend(regions_by_id),
            None => self.snapshots.push(regions_by_id),
        }
    }
}

/// The table that is meant.
fn choose(
    file: &ObservedFile,
    names: BTreeSet<&str>,
    table: Option<&str>,
) -> Result<String, ObservedError> {
    let is_users = |name: &&&str| !name.is_empty() && !name.starts_with("hbase:");
    let users: Vec<&str> = names.iter().filter(is_users).copied().collect();
    match (&users[..], table) {
        (_, Some(table)) if users.is_empty() || names.contains(table) => Ok(table.to_owned()),
        ([], None) => Ok(String::new()),
        ([only], None) => Ok((*only).to_owned()),
        _ => {
            let help = format!("say which with `--table`: there are {}", all(users));
            let found = table.map_or("several tables".to_owned(), |it| format!("no table `{it}`"));
            Err(file.error(None, found, &help))
        }
    }
}

/// Adds what another snapshot says of the same regions.
fn fill(snapshot: &mut Snapshot, other: &Snapshot) {
    for region in snapshot.values_mut() {
        let Some(other) = other.get(&region.id) else {
            continue;
        };
        if region.start.is_none() {
            // Without keys there are no names of servers either but those of files, or short ones.
            region.server = other.server.clone().or(region.server.take());
        }
        region.start = region.start.take().or(other.start.clone());
        region.end = region.end.take().or(other.end.clone());
        region.bytes = region.bytes.or(other.bytes);
    }
}

/// In the order of their keys, each with its end.
fn tiled(snapshot: Snapshot) -> Vec<Region> {
    let mut regions: Vec<Region> = snapshot.into_values().collect();
    regions.sort_by(|a, b| (&a.start, &a.end).cmp(&(&b.start, &b.end)));
    let mut next = Some(RowKey::default());
    for region in regions.iter_mut().rev() {
        // The shell's tables lose blanks at a key's ends, which a region's name keeps.
        let blanks = |end: &RowKey| {
            next.as_ref()
                .is_some_and(|it| it.0.trim_ascii() == end.0.trim_ascii())
        };
        if region.start.is_some() && region.end.as_ref().is_none_or(blanks) {
            region.end.clone_from(&next);
        }
        next.clone_from(&region.start);
    }
    regions
}

/// Where regions in the order of their keys leave gaps, or overlap.
fn faults(regions: &[Region]) -> Vec<String> {
    let mut faults = Vec::new();
    let outside = Region {
        end: Some(RowKey::default()),
        ..Region::default()
    };
    let mut before = &outside;
    for region in regions.iter().chain([&outside]) {
        let start = region.start.clone().unwrap_or_default();
        let end = before.end.clone().unwrap_or_default();
        let is_edge = std::ptr::eq(before, &outside) || std::ptr::eq(region, &outside);
        if region.start.is_none() && !std::ptr::eq(region, &outside) {
            return Vec::new();
        } else if start != end && (is_edge || !end.0.is_empty() && start > end) {
            faults.push(format!(
                "no region has the keys from `{end}` to `{start}`: nothing is said of them"
            ));
        } else if start != end || end.0.is_empty() && !is_edge {
            let (place, names) = (&region.place, names(&[before, region]));
            faults.push(format!(
                "{place}: {names} overlap: what both count may be counted twice"
            ));
        }
        before = region;
    }
    faults
}
