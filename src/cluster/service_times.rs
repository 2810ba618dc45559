//! How long a handler works on a call, the wait for the write-ahead log apart. Must not know which call it is.

use super::{ServiceLaw, ServiceSpec};
use crate::random::Draws;
use crate::time::SimDuration;

/// What it takes a server to find the next row behind cells that are not asked for: a search among the first keys of blocks, and through half of a block
/// of 64 KB, in each of a few store files (estimate).
pub const ROW_SEEK: SimDuration = SimDuration::from_nanos(20_000);

/// Service times: X * base + (rows - 1) * per-row time, X of mean 1; reads add a time for each further cell of a row, and those that memory
/// doesn't serve a read from disk.
#[derive(Debug, Clone, Copy)]
pub struct ServiceTimes {
    put_nanos: f64,
    write_row_nanos: u64,
    get_nanos: f64,
    scan_nanos: f64,
    scan_row_nanos: u64,
    scan_cell_nanos: f64,
    cache_miss: f64,
    disk_nanos: u64,
    law: Law,
}

#[derive(Debug, Clone, Copy)]
enum Law {
    Constant,
    Exponential,
    /// exp(mu + sigma Z) with a standard normal Z.
    Lognormal {
        mu: f64,
        sigma: f64,
    },
}

impl ServiceTimes {
    /// The law of a server's service times.
    pub fn new(spec: &ServiceSpec) -> Self {
        let law = match spec.distribution {
            ServiceLaw::Constant => Law::Constant,
            ServiceLaw::Exponential => Law::Exponential,
            ServiceLaw::Lognormal { cv } => {
                // Mean exp(mu + sigma²/2) = 1 and cv² = exp(sigma²) - 1.
                let variance = libm::log1p(cv * cv);
                Law::Lognormal {
                    mu: -variance / 2.0,
                    sigma: libm::sqrt(variance),
                }
            }
        };
        Self {
            put_nanos: spec.put.as_nanos() as f64,
            write_row_nanos: spec.write_row.as_nanos(),
            get_nanos: spec.get.as_nanos() as f64,
            scan_nanos: spec.scan.as_nanos() as f64,
            scan_row_nanos: spec.scan_row.as_nanos(),
            scan_cell_nanos: spec.scan_cell.as_nanos() as f64,
            cache_miss: 1.0 - spec.cache_hit,
            disk_nanos: spec.disk_read.as_nanos(),
            law,
        }
    }

    /// The service time of a write of `rows` >= 1 rows; X is the first of `draws`.
    pub fn write(&self, rows: u32, mut draws: Draws) -> SimDuration {
        let base = self.base(self.put_nanos, &mut draws);
        SimDuration::from_nanos(base + u64::from(rows - 1) * self.write_row_nanos)
    }

    /// The service time of a call of `gets` Gets, worked through in turn, each with an X of its own. Of them a share of `passed`, in [0, 1],
    /// pass the Bloom filters, which lie in memory: the others never go to disk. A share of `found` find a row, and read so many `cells` of it. O(gets).
    #[inline(always)]
    pub fn gets(
        &self,
        gets: u32,
        (passed, found): (f64, f64),
        cells: f64,
        mut draws: Draws,
    ) -> SimDuration {
        let disk = self.cache_miss * passed;
        let nanos: u64 = (0..gets)
            .map(|_| self.base(self.get_nanos, &mut draws) + self.disk(disk, &mut draws))
            .sum();
        let further = self.further_cells(f64::from(gets) * found, cells);
        SimDuration::from_nanos(nanos.saturating_add(further))
    }

    /// The service time of a scanner's call that reads `rows` rows, which may be none, and of each so many `cells`, and passes so many. At most one read from
    /// disk a call: the blocks of a batch lie one after another (estimate), but for those that it seeks.
    pub fn scan(&self, rows: u64, cells: [f64; 2], mut draws: Draws) -> SimDuration {
        let base = self.base(self.scan_nanos, &mut draws);
        let further = rows.saturating_sub(1).saturating_mul(self.scan_row_nanos);
        let further = further.saturating_add(self.cells_of_scan(rows as f64, cells));
        let disk = self.disk(self.cache_miss, &mut draws);
        SimDuration::from_nanos((base + disk).saturating_add(further))
    }

    /// The mean of so many calls of [`ServiceTimes::scan`], which read so many rows together.
    pub fn expected_scan(&self, calls: u64, rows: u64, cells: [f64; 2]) -> SimDuration {
        let each = self.scan_nanos + self.cache_miss * self.disk_nanos as f64;
        let further = rows
            .saturating_sub(calls)
            .saturating_mul(self.scan_row_nanos);
        let further = further.saturating_add(self.cells_of_scan(rows as f64, cells));
        SimDuration::from_nanos(((calls as f64 * each) as i64 as u64).saturating_add(further))
    }

    /// All cells of so many rows but the first of each.
    fn further_cells(&self, rows: f64, cells: f64) -> u64 {
        ((cells - 1.0).max(0.0) * rows * self.scan_cell_nanos) as i64 as u64
    }

    /// The cells of so many rows of a scan, and the seeks past those of them that it passes.
    fn cells_of_scan(&self, rows: f64, [read, passed]: [f64; 2]) -> u64 {
        let seek = ROW_SEEK.as_nanos() as f64 + self.cache_miss * self.disk_nanos as f64;
        let seeks = rows * (passed * self.scan_cell_nanos).min(seek);
        self.further_cells(rows, read)
            .saturating_add(seeks as i64 as u64)
    }

    /// X * `nanos`.
    #[inline]
    fn base(&self, nanos: f64, draws: &mut Draws) -> u64 {
        let factor = match self.law {
            Law::Constant => 1.0,
            Law::Exponential => draws.exponential(),
            Law::Lognormal { mu, sigma } => lognormal(mu, sigma, draws),
        };
        // By way of i64, for which processors have an instruction.
        (nanos * factor + 0.5) as i64 as u64
    }

    /// A read from disk with that probability.
    fn disk(&self, probability: f64, draws: &mut Draws) -> u64 {
        match probability > 0.0 && draws.unit() < probability {
            true => self.disk_nanos,
            false => 0,
        }
    }
}

/// Apart, so that the usual law's few instructions stand where they are needed.
#[inline(never)]
fn lognormal(mu: f64, sigma: f64, draws: &mut Draws) -> f64 {
    libm::exp(mu + sigma * draws.standard_normal())
}

#[cfg(test)]
mod tests {
    use super::super::ClusterSpec;
    use super::*;
    use crate::random::{DrawKey, Seed, Stream};

    #[test]
    fn lognormal_times_are_those_of_rand_distr() {
        use rand_distr::{Distribution, LogNormal};
        for cv in [0.5, 1.0, 3.0] {
            let spec = ServiceSpec {
                distribution: ServiceLaw::Lognormal { cv },
                put: SimDuration::from_secs(1),
                ..ClusterSpec::default().service
            };
            let ours = ServiceTimes::new(&spec);
            let theirs = LogNormal::from_mean_cv(1.0, cv).unwrap();
            crate::random::law_fixture::assert_same_law(
                |draws| ours.write(1, *draws).as_secs_f64(),
                |other| theirs.sample(other),
            );
        }
    }

    fn moments(distribution: ServiceLaw) -> (f64, f64) {
        let spec = ServiceSpec {
            distribution,
            put: SimDuration::from_nanos(1_000_000),
            write_row: SimDuration::from_nanos(5_000),
            ..ClusterSpec::default().service
        };
        let times = ServiceTimes::new(&spec);
        let key = DrawKey::new(Seed(3), 0, Stream::Service, 0);
        let n = 200_000;
        let (mut sum, mut squares) = (0.0, 0.0);
        for index in 0..n {
            let x = times.write(1, key.at(index)).as_nanos() as f64 / 1e6;
            sum += x;
            squares += x * x;
        }
        let mean = sum / n as f64;
        (mean, (squares / n as f64 - mean * mean).sqrt())
    }

    #[test]
    fn the_factor_has_mean_one_and_the_coefficient_of_variation_that_was_asked_for() {
        // Four standard errors of the mean of 200,000 draws: 4 cv / sqrt(n). That of the standard deviation is
        // cv sqrt((kurtosis - 1) / 4n): kurtosis 9 for the exponential, 8.9 for the lognormal of cv 0.5.
        let sqrt_n = 200_000f64.sqrt();
        for (law, cv) in [
            (ServiceLaw::Exponential, 1.0),
            (ServiceLaw::Lognormal { cv: 0.5 }, 0.5),
        ] {
            let (mean, sd) = moments(law);
            assert!(
                (mean - 1.0).abs() < 4.0 * cv / sqrt_n,
                "{law:?}: mean {mean}"
            );
            assert!(
                (sd - cv).abs() < 4.0 * cv * 2f64.sqrt() / sqrt_n,
                "{law:?}: standard deviation {sd}"
            );
        }
        assert_eq!(moments(ServiceLaw::Constant), (1.0, 0.0));
    }

    #[test]
    fn each_row_but_the_first_adds_the_same_time() {
        let spec = ServiceSpec {
            distribution: ServiceLaw::Exponential,
            put: SimDuration::from_nanos(300_000),
            write_row: SimDuration::from_nanos(5_000),
            ..ClusterSpec::default().service
        };
        let times = ServiceTimes::new(&spec);
        let draws = DrawKey::new(Seed(1), 0, Stream::Service, 0).at(9);
        let more = times.write(41, draws).as_nanos() - times.write(1, draws).as_nanos();
        assert_eq!(more, 40 * 5_000);
    }

    /// 1 ms for X = 1, 7 µs a further row, 30 ms from disk.
    fn constant(cache_hit: f64) -> ServiceTimes {
        ServiceTimes::new(&ServiceSpec {
            distribution: ServiceLaw::Constant,
            get: SimDuration::from_nanos(1_000_000),
            scan: SimDuration::from_nanos(2_000_000),
            scan_row: SimDuration::from_nanos(7_000),
            scan_cell: SimDuration::from_nanos(100),
            cache_hit,
            disk_read: SimDuration::from_nanos(30_000_000),
            ..ClusterSpec::default().service
        })
    }

    #[test]
    fn a_multi_get_works_through_its_gets_and_a_scan_reads_further_rows_for_less() {
        let draws = DrawKey::new(Seed(1), 0, Stream::Service, 0).at(9);
        let warm = constant(1.0);
        let gets = |times: &ServiceTimes, shares| times.gets(5, shares, 1.0, draws).as_nanos();
        assert_eq!(gets(&warm, (1.0, 1.0)), 5_000_000);
        assert_eq!(
            warm.scan(41, [1.0, 0.0], draws).as_nanos(),
            2_000_000 + 40 * 7_000
        );
        assert_eq!(
            warm.scan(1, [1.0, 0.0], draws),
            warm.scan(0, [1.0, 0.0], draws)
        );
        assert_eq!(warm.scan(0, [1.0, 0.0], draws).as_nanos(), 2_000_000);
        let cold = constant(0.0);
        assert_eq!(gets(&cold, (1.0, 1.0)), 5 * 31_000_000);
        assert_eq!(gets(&cold, (0.0, 0.0)), 5_000_000);
        // A filter lets pass what it does not know.
        assert_eq!(gets(&cold, (1.0, 0.0)), 5 * 31_000_000);
        assert_eq!(
            cold.scan(3, [1.0, 0.0], draws).as_nanos(),
            32_000_000 + 2 * 7_000
        );
    }

    #[test]
    fn further_cells_of_a_row_are_read_one_by_one_and_the_first_comes_with_it() {
        let draws = DrawKey::new(Seed(1), 0, Stream::Service, 0).at(9);
        let warm = constant(1.0);
        // Five Gets, four of which find a row of 601 cells; three rows of 11.
        let gets = warm.gets(5, (0.8, 0.8), 601.0, draws).as_nanos();
        assert_eq!(gets, 5_000_000 + 4 * 600 * 100);
        let scan = warm.scan(3, [11.0, 0.0], draws).as_nanos();
        assert_eq!(scan, 2_000_000 + 2 * 7_000 + 3 * 10 * 100);
        // Of one qualifier half of the rows have none.
        assert_eq!(
            warm.scan(3, [0.5, 0.0], draws),
            warm.scan(3, [1.0, 0.0], draws)
        );
        // What is passed takes a search, from disk where that is slow, but no longer than reading it.
        let passing = |times: &ServiceTimes, passed: f64| {
            let [with, without] = [passed, 0.0].map(|it| times.scan(3, [11.0, it], draws));
            with.as_nanos() - without.as_nanos()
        };
        assert_eq!(passing(&warm, 50.0), 3 * 50 * 100);
        assert_eq!(passing(&warm, 1e6), 3 * 20_000);
        assert_eq!(passing(&constant(0.0), 1e6), 3 * 30_020_000);
    }

    #[test]
    fn each_get_that_passes_the_filters_misses_the_cache_by_itself_and_others_never_do() {
        let times = constant(0.75);
        let key = DrawKey::new(Seed(5), 0, Stream::Service, 0);
        let n = 20_000;
        let disks = |found: f64| {
            let total: u64 = (0..n)
                .map(|index| times.gets(8, (found, found), 1.0, key.at(index)).as_nanos())
                .sum();
            (total as f64 / 1e6 / n as f64 - 8.0) / 30.0
        };
        // 8 Gets miss by a quarter: 2, with a standard error of sqrt(8 * 0.25 * 0.75 / 20,000) = 0.0087; four of them.
        assert!((disks(1.0) - 2.0).abs() < 4.0 * 0.0087, "{}", disks(1.0));
        // One of eight passes: 8 * 0.03125, and sqrt(8 * 0.03125 * 0.96875 / 20,000) = 0.0035.
        assert!(
            (disks(0.125) - 0.25).abs() < 4.0 * 0.0035,
            "{}",
            disks(0.125)
        );
        assert_eq!(disks(0.0), 0.0);
    }
}
