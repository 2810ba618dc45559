//! A store of one family as HBase's documents tell it, and not as a scanner walks it: every cell is judged by looking at all others. Slow, and short
//! enough to be believed.

use keyheat::storage::CellType;

/// Bytes of the family's name.
const FAMILY: u64 = 1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub row: Vec<u8>,
    pub qualifier: Vec<u8>,
    pub time: u64,
    pub kind: CellType,
    pub value: Vec<u8>,
    /// Which write it was; 0 once nobody needs to know.
    pub mvcc: u64,
}

impl Written {
    /// In a store file without encoding: two lengths of 4, row with a length of 2, family with a length of 1, qualifier, time, type, value, mvcc.
    pub fn bytes(&self) -> u64 {
        let texts = [&self.row, &self.qualifier, &self.value];
        let own: usize = texts.iter().map(|text| text.len()).sum();
        // Bytes of a long that takes one while it is small, else a byte for its length and those that it needs.
        let mvcc = if self.mvcc < 128 {
            1
        } else {
            1 + (1..9).find(|&n| self.mvcc >> (8 * n) == 0).unwrap_or(8)
        };
        20 + FAMILY + own as u64 + mvcc
    }

    fn shares_column(&self, other: &Self) -> bool {
        (&self.row, &self.qualifier) == (&other.row, &other.qualifier)
    }

    fn is_put(&self) -> bool {
        self.kind == CellType::Put
    }

    /// Whether a delete of a family or column says that this put is gone.
    fn is_swept_by(&self, delete: &Self) -> bool {
        let reaches = match delete.kind {
            CellType::DeleteFamily => self.row == delete.row,
            CellType::DeleteColumn => self.shares_column(delete),
            CellType::Delete | CellType::Put => false,
        };
        reaches && self.time <= delete.time
    }

    /// Whether a delete says that this very version is.
    fn is_struck_by(&self, delete: &Self) -> bool {
        delete.kind == CellType::Delete && self.shares_column(delete) && self.time == delete.time
    }

    /// Newer ones first; of one time the wider delete first, puts last; then the later write.
    fn rank(&self) -> (u64, CellType, u64) {
        (self.time, self.kind, self.mvcc)
    }
}

/// Files, oldest first, and what was not flushed.
#[derive(Debug, Default)]
pub struct Model {
    pub versions: usize,
    pub ttl: Option<u64>,
    pub now: u64,
    pub memstore: Vec<Written>,
    pub files: Vec<Vec<Written>>,
}

impl Model {
    fn is_fresh(&self, cell: &Written) -> bool {
        self.ttl.is_none_or(|ttl| cell.time + ttl >= self.now)
    }

    /// Puts of one column that were written before this one in the order of the store and count as versions.
    fn newer<'a>(&self, put: &'a Written, cells: &'a [Written]) -> usize {
        let mut times: Vec<u64> = cells
            .iter()
            .filter(|cell| cell.is_put() && cell.shares_column(put) && cell.time > put.time)
            .filter(|cell| {
                !cells
                    .iter()
                    .any(|it| cell.is_swept_by(it) || cell.is_struck_by(it))
            })
            .map(|cell| cell.time)
            .collect();
        times.sort_unstable();
        times.dedup();
        times.len()
    }

    fn is_overwritten(put: &Written, cells: &[Written]) -> bool {
        let mut puts = cells
            .iter()
            .filter(|cell| cell.is_put() && cell.shares_column(put));
        puts.any(|cell| cell.time == put.time && cell.mvcc > put.mvcc)
    }

    /// What is written of these cells: deletes as well unless `all` files are compacted.
    fn rewritten(&self, mut cells: Vec<Written>, all: bool) -> Vec<Written> {
        cells.retain(|cell| self.is_fresh(cell));
        // A column ends with the first put that a sweeping delete or the number of versions makes superfluous; that without a name never does.
        let ends = |put: &Written| {
            let swept = cells.iter().any(|it| put.is_swept_by(it));
            let struck = cells.iter().any(|it| put.is_struck_by(it));
            let counts = !struck && !Self::is_overwritten(put, &cells);
            put.is_put() && (swept || (counts && self.newer(put, &cells) >= self.versions))
        };
        let is_behind_the_end = |cell: &Written| {
            if cell.qualifier.is_empty() {
                return ends(cell);
            }
            let mut column = cells.iter().filter(|it| it.shares_column(cell) && ends(it));
            column.any(|end| end.rank() >= cell.rank())
        };
        let stays = |cell: &&Written| {
            let put = cell.is_put();
            let struck = cells.iter().any(|it| cell.is_struck_by(it));
            let gone = put && (struck || Self::is_overwritten(cell, &cells));
            !gone && !is_behind_the_end(cell) && (put || !all)
        };
        sorted(cells.iter().filter(stays).cloned().collect())
    }

    pub fn flush(&mut self) {
        let cells = std::mem::take(&mut self.memstore);
        let file = self.rewritten(cells, false);
        self.files.push(file);
    }

    /// Joins files `from..to`; sequence numbers up to `settled` are forgotten if they are all there are.
    pub fn compact(&mut self, from: usize, to: usize, settled: u64) {
        let all = to - from == self.files.len();
        let cells = self.files[from..to].concat();
        let mut file = self.rewritten(cells, all);
        for cell in file.iter_mut().filter(|cell| all && cell.mvcc <= settled) {
            cell.mvcc = 0;
        }
        self.files.splice(from..to, [file]);
    }
}

/// By row and qualifier, then by rank.
fn sorted(mut cells: Vec<Written>) -> Vec<Written> {
    cells.sort_by(|a, b| {
        let columns = (&a.row, &a.qualifier).cmp(&(&b.row, &b.qualifier));
        columns.then(b.rank().cmp(&a.rank()))
    });
    cells
}
