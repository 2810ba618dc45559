//! How many open regions each server has, of each table and of all. Must not know which.

use super::regions::Regions;

/// Counts that follow every opening and closing.
#[derive(Debug)]
pub(super) struct RegionCounts {
    tables: usize,
    /// By server, then by table.
    of_table: Vec<u32>,
    /// By server.
    of_all: Vec<u32>,
}

impl RegionCounts {
    /// The regions that are open at the start. O(regions + servers x tables).
    pub fn new(regions: &Regions, servers: u32, tables: usize) -> Self {
        let mut counts = Self {
            tables,
            of_table: vec![0; servers as usize * tables],
            of_all: vec![0; servers as usize],
        };
        for region in 0..regions.len() {
            let state = regions.get(region);
            if state.serving != super::calls::NONE {
                counts.opened(state.serving, state.table);
            }
        }
        counts
    }

    /// A region opened.
    pub fn opened(&mut self, server: u32, table: u32) {
        self.of_table[server as usize * self.tables + table as usize] += 1;
        self.of_all[server as usize] += 1;
    }

    /// An open region was closed.
    pub fn closed(&mut self, server: u32, table: u32) {
        self.of_table[server as usize * self.tables + table as usize] -= 1;
        self.of_all[server as usize] -= 1;
    }

    /// Servers joined.
    pub fn joined(&mut self, count: u32) {
        let servers = self.of_all.len() + count as usize;
        self.of_all.resize(servers, 0);
        self.of_table.resize(servers * self.tables, 0);
    }

    /// Open regions of a table on a server.
    pub fn of_table(&self, server: u32, table: u32) -> u32 {
        self.of_table[server as usize * self.tables + table as usize]
    }

    /// Open regions on a server.
    pub fn of_all(&self, server: u32) -> u32 {
        self.of_all[server as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_follow_openings_and_closings_by_table_and_server() {
        let mut regions = Regions::default();
        for (table, server) in [(0, 1), (0, 1), (2, 1), (2, 0)] {
            regions.add_open(table, server);
        }
        let mut counts = RegionCounts::new(&regions, 2, 3);
        assert_eq!((counts.of_all(0), counts.of_all(1)), (1, 3));
        assert_eq!((counts.of_table(1, 0), counts.of_table(1, 1)), (2, 0));
        counts.joined(2);
        counts.closed(1, 2);
        counts.opened(3, 2);
        assert_eq!((counts.of_table(3, 2), counts.of_table(1, 2)), (1, 0));
        assert_eq!([1, 2, 3].map(|server| counts.of_all(server)), [2, 0, 1]);
    }
}
