//! What the plan of one read asks a table for, key by key.

use super::table::{Table, compiled, key_draws, schema};
use crate::schema_parts::START;
use keyheat::key::{KeyPlan, Row};
use keyheat::query::{AccessPlan, Costs, OverRead, PlanContext, Requests, TableKeys, plan};
use keyheat::workload::{Read, ReadTarget};

/// A plan, what it asks for, and the keys of all rows.
pub struct Requested {
    pub plan: AccessPlan,
    pub requests: Requests,
    pub keys: Vec<Vec<u8>>,
}

impl Requested {
    /// What `read` asks for of its `target`, of the rows of `table` under the key `text`.
    pub fn new(text: &str, read: &Read, table: &Table, target: ReadTarget<'_>) -> Self {
        Self::of_cells(text, "", read, table, target)
    }

    /// The same where cells of a row have a `qualifier`.
    pub fn of_cells(
        text: &str,
        qualifier: &str,
        read: &Read,
        table: &Table,
        target: ReadTarget<'_>,
    ) -> Self {
        let key = compiled(text);
        // Costs in no proportion, so that many kinds of paths win.
        let costs = Costs {
            get: 2.0,
            absent: 0.0,
            scan: 3.0,
            row: 1.0,
            cell: 0.1,
            seek: 2e-5,
        };
        let context = PlanContext {
            schema: &schema(),
            start: START,
            population: table,
            sample: &[target],
            costs,
        };
        let stored = match qualifier {
            "" => TableKeys::from(&key),
            qualifier => TableKeys {
                cell_key: compiled(&format!("({text}) || ({qualifier})")),
                ..TableKeys::from(&key)
            },
        };
        let plan = plan(&stored, read, &context);
        let mut requests = Requests::default();
        plan.requests(&target, table, &mut requests);
        Self {
            plan,
            requests,
            keys: keys(&key, table),
        }
    }

    /// Whether the plan declares such an over-read.
    pub fn declares(&self, such: impl Fn(&OverRead) -> bool) -> bool {
        self.plan.over_reads.iter().any(such)
    }

    /// Whether all rows are read and sorted.
    pub fn is_sorted(&self) -> bool {
        self.declares(|over_read| matches!(over_read, OverRead::Sorted(_)))
    }

    /// Whether the range is covered in whole steps.
    pub fn has_steps(&self) -> bool {
        self.declares(|over_read| matches!(over_read, OverRead::Steps(_)))
    }

    /// How often a row is asked for.
    pub fn times(&self, row: usize) -> usize {
        let key = self.keys[row].as_slice();
        let gets = self.requests.gets.iter().filter(|get| *get == key).count();
        let scans = (0..self.requests.scans.len()).filter(|scan| self.in_scan(*scan, row));
        gets + scans.count()
    }

    /// Number of rows that are asked for once.
    pub fn rows_asked_for(&self) -> usize {
        let rows = 0..self.keys.len();
        rows.filter(|row| self.times(*row) == 1).count()
    }

    pub fn in_scan(&self, scan: usize, row: usize) -> bool {
        let key = self.keys[row].as_slice();
        let start = self.requests.starts.get(scan);
        let stop = self.requests.stops.get(scan);
        key >= start && (stop.is_empty() || key < stop)
    }
}

/// The table's keys, as they were written.
pub fn keys(key: &KeyPlan, table: &Table) -> Vec<Vec<u8>> {
    let write = |(at, record): (usize, &[i64; 6])| {
        let mut bytes = Vec::new();
        let row = Row {
            record,
            index: at as u64,
            draws: key_draws(at as u64),
        };
        key.write(&row, &mut bytes);
        bytes
    };
    table.records.iter().enumerate().map(write).collect()
}
