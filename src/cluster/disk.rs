//! One server's disk: flushes and compactions share its bandwidth. Must not know regions, nor schedule anything.

use crate::time::{SimDuration, SimTime};
use crate::units::Bandwidth;

/// A byte a second for a nanosecond: what work is counted in, so that it stays a whole number.
const WORK_PER_BYTE: u128 = 1_000_000_000;

/// The jobs that write to one server's disk, and how far each is.
///
/// They share `bandwidth` equally. Compactions together write no more than their limit, shared equally among them; what they leave goes to
/// the flushes (water-filling; `PressureAwareThroughputController` divides the limit in the same way). Rates are whole bytes a second,
/// times whole nanoseconds: a job ends at the first nanosecond by which all of it is written, exactly.
///
/// What is asked for by [`Disk::next_end`] may be overtaken by jobs that come, go or get slower. Ask again after every change; an end that
/// was announced before does no harm, as [`Disk::ended`] finds nothing then.
/// ```
/// use keyheat_core::cluster::{Disk, DiskJob};
/// use keyheat_core::time::SimTime;
/// use keyheat_core::units::Bandwidth;
///
/// let mut disk = Disk::new(Bandwidth(100.0));
/// disk.add(SimTime::ZERO, DiskJob::Flush(7), 50);
/// assert_eq!(disk.next_end(), Some(SimTime::from_nanos(500_000_000)));
/// ```
#[derive(Debug, Clone)]
pub struct Disk {
    /// Bytes a second, >= 1.
    bandwidth: u64,
    /// Of all compactions together.
    limit: Option<u64>,
    /// In the order in which they came; a server has a handful.
    jobs: Vec<Work>,
    /// Until when their work is accounted for.
    at: SimTime,
}

/// Something that writes store files of the region of this number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskJob {
    /// A memstore is written.
    Flush(u32),
    /// Files of the store of this family are rewritten into one.
    Compaction(u32, u8),
}

#[derive(Debug, Clone, Copy)]
struct Work {
    job: DiskJob,
    left: u128,
}

impl Disk {
    /// An idle disk.
    pub fn new(bandwidth: Bandwidth) -> Self {
        Self {
            bandwidth: whole(bandwidth),
            limit: None,
            jobs: Vec::new(),
            at: SimTime::ZERO,
        }
    }

    /// A job starts to write so many bytes.
    pub fn add(&mut self, now: SimTime, job: DiskJob, bytes: u64) {
        self.advance(now);
        let left = u128::from(bytes) * WORK_PER_BYTE;
        self.jobs.push(Work { job, left });
    }

    /// A job ends without effect; nothing happens when there is none.
    pub fn cancel(&mut self, now: SimTime, job: DiskJob) {
        self.advance(now);
        self.jobs.retain(|work| work.job != job);
    }

    /// All jobs end without effect.
    pub fn cancel_all(&mut self, now: SimTime) {
        self.advance(now);
        self.jobs.clear();
    }

    /// From now on the compactions together write at most so much a second; `None` is no limit.
    pub fn limit_compactions(&mut self, now: SimTime, limit: Option<Bandwidth>) {
        self.advance(now);
        self.limit = limit.map(whole);
    }

    /// When the next job ends if nothing changes until then; `None` without jobs. O(jobs).
    pub fn next_end(&self) -> Option<SimTime> {
        let rates = self.rates();
        let ends = self.jobs.iter().map(|work| {
            let nanos = work.left.div_ceil(work.rate(rates));
            let nanos = u64::try_from(nanos).unwrap_or(u64::MAX);
            self.at + SimDuration::from_nanos(nanos)
        });
        ends.min()
    }

    /// A job that has written everything by now, the one that came first; to be asked until there is none.
    pub fn ended(&mut self, now: SimTime) -> Option<DiskJob> {
        self.advance(now);
        let place = self.jobs.iter().position(|work| work.left == 0)?;
        Some(self.jobs.remove(place).job)
    }

    /// Everything that is written until `now` is accounted for.
    fn advance(&mut self, now: SimTime) {
        let nanos = u128::from(now.since(self.at).as_nanos());
        self.at = now;
        if nanos == 0 || self.jobs.is_empty() {
            return;
        }
        let rates = self.rates();
        for work in &mut self.jobs {
            work.left = work.left.saturating_sub(work.rate(rates) * nanos);
        }
    }

    /// Bytes a second of each flush, and of each compaction; at least 1, so that every job ends.
    fn rates(&self) -> [u64; 2] {
        let jobs = self.jobs.len() as u64;
        let compactions = self.jobs.iter().filter(|work| work.is_compaction());
        let compactions = compactions.count() as u64;
        let limit = self.limit.unwrap_or(u64::MAX) / compactions.max(1);
        let compaction = limit.min(self.bandwidth / jobs.max(1));
        let flushes = (jobs - compactions).max(1);
        let flush = (self.bandwidth - compaction * compactions) / flushes;
        [flush.max(1), compaction.max(1)]
    }
}

impl Work {
    fn is_compaction(&self) -> bool {
        matches!(self.job, DiskJob::Compaction(..))
    }

    fn rate(&self, rates: [u64; 2]) -> u128 {
        u128::from(rates[usize::from(self.is_compaction())])
    }
}

fn whole(bandwidth: Bandwidth) -> u64 {
    (bandwidth.0 as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(nanos: u64) -> SimTime {
        SimTime::from_nanos(nanos)
    }

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn flushes_take_what_limited_compactions_leave() {
        let mut disk = Disk::new(Bandwidth(120.0));
        disk.limit_compactions(at(0), Some(Bandwidth(30.0)));
        disk.add(at(0), DiskJob::Compaction(1, 0), 600);
        disk.add(at(0), DiskJob::Compaction(2, 0), 30);
        disk.add(at(0), DiskJob::Flush(3), 180);
        // 15 + 15 + 90.
        assert_eq!(disk.next_end(), Some(at(2 * SECOND)));
        assert_eq!(disk.ended(at(2 * SECOND)), Some(DiskJob::Compaction(2, 0)));
        assert_eq!(disk.ended(at(2 * SECOND)), Some(DiskJob::Flush(3)));
        assert_eq!(disk.ended(at(2 * SECOND)), None);
        // 570 are left at 30 a second; without limit at 120.
        assert_eq!(disk.next_end(), Some(at(21 * SECOND)));
        disk.limit_compactions(at(3 * SECOND), None);
        assert_eq!(disk.next_end(), Some(at(7 * SECOND + SECOND / 2)));
        // Before its end nothing has ended.
        assert_eq!(disk.ended(at(7 * SECOND)), None);
    }

    #[test]
    fn a_cancelled_job_leaves_its_share_to_the_others() {
        let mut disk = Disk::new(Bandwidth(10.0));
        disk.add(at(0), DiskJob::Flush(1), 100);
        disk.add(at(0), DiskJob::Compaction(1, 0), 100);
        disk.cancel(at(4 * SECOND), DiskJob::Flush(1));
        assert_eq!(disk.next_end(), Some(at(12 * SECOND)));
        disk.cancel_all(at(5 * SECOND));
        assert_eq!(disk.next_end(), None);
    }

    /// What happens to a disk in a test. Bytes in units of [`UNIT`].
    #[derive(Debug, Clone)]
    enum Change {
        Flush(u64),
        Compaction(u64),
        Limit(Option<u64>),
        Cancel(usize),
    }

    /// Bandwidths are multiples of it, so that up to 12 jobs have whole rates.
    const UNIT: u64 = 27_720;

    fn change() -> impl Strategy<Value = Change> {
        prop_oneof![
            (1u64..40).prop_map(Change::Flush),
            (1u64..40).prop_map(Change::Compaction),
            proptest::option::of(1u64..9).prop_map(Change::Limit),
            (0usize..12).prop_map(Change::Cancel),
        ]
    }

    /// Jobs as a disk of real numbers sees them.
    #[derive(Debug, Default)]
    struct Plain {
        bandwidth: f64,
        limit: Option<f64>,
        jobs: Vec<(DiskJob, f64)>,
        now: f64,
        ends: Vec<(DiskJob, f64)>,
    }

    impl Plain {
        fn caps(&self) -> Vec<f64> {
            let compacts = |job: &DiskJob| matches!(job, DiskJob::Compaction(..));
            let compactions = self.jobs.iter().filter(|(job, _)| compacts(job)).count();
            let cap = self.limit.unwrap_or(f64::INFINITY) / compactions as f64;
            let jobs = self.jobs.iter();
            jobs.map(|(job, _)| if compacts(job) { cap } else { f64::INFINITY })
                .collect()
        }

        /// The water level by bisection: jobs get the level, or their cap where that is less, and use the bandwidth up.
        fn rates(&self) -> Vec<f64> {
            let caps = self.caps();
            let at = |level: f64| caps.iter().map(move |cap| cap.min(level));
            let (mut low, mut high) = (0.0, self.bandwidth);
            for _ in 0..60 {
                let middle = (low + high) / 2.0;
                match at(middle).sum::<f64>() < self.bandwidth {
                    true => low = middle,
                    false => high = middle,
                }
            }
            at(high).collect()
        }

        fn run(&mut self, until: f64) {
            while self.now < until && !self.jobs.is_empty() {
                let rates = self.rates();
                let ends = self
                    .jobs
                    .iter()
                    .zip(&rates)
                    .map(|((_, left), rate)| left / rate);
                let step = ends.fold(until - self.now, f64::min);
                self.now += step;
                for ((_, left), rate) in self.jobs.iter_mut().zip(&rates) {
                    *left -= step * rate;
                }
                let now = self.now;
                let ended = self.jobs.extract_if(.., |(_, left)| *left < 1e-3);
                self.ends.extend(ended.map(|(job, _)| (job, now)));
            }
            self.now = until;
        }
    }

    proptest! {
        #[test]
        fn jobs_end_when_water_filling_with_real_numbers_says_so(
            bandwidth in 1u64..9,
            changes in proptest::collection::vec((0u64..3_000, change()), 1..12),
        ) {
            let bandwidth = (bandwidth * UNIT) as f64;
            let mut disk = Disk::new(Bandwidth(bandwidth));
            let mut plain = Plain { bandwidth, ..Plain::default() };
            let mut found: Vec<(DiskJob, f64)> = Vec::new();
            let mut end_until = |disk: &mut Disk, until: SimTime| {
                while let Some(end) = disk.next_end() && end <= until {
                    while let Some(job) = disk.ended(end) {
                        found.push((job, end.as_secs_f64()));
                    }
                }
            };
            let (mut now, mut jobs) = (at(0), Vec::new());
            for (number, (wait, change)) in changes.into_iter().enumerate() {
                // A prime number of microseconds keeps changes away from ends.
                now = now + SimDuration::from_nanos(wait * 1_009_007);
                end_until(&mut disk, now);
                plain.run(now.as_secs_f64());
                let mut add = |job, bytes: u64| {
                    disk.add(now, job, bytes * UNIT);
                    plain.jobs.push((job, (bytes * UNIT) as f64));
                    jobs.push(job);
                };
                match change {
                    Change::Flush(bytes) => add(DiskJob::Flush(number as u32), bytes),
                    Change::Compaction(bytes) => add(DiskJob::Compaction(number as u32, 0), bytes),
                    Change::Limit(limit) => {
                        let limit = limit.map(|limit| (limit * UNIT) as f64);
                        disk.limit_compactions(now, limit.map(Bandwidth));
                        plain.limit = limit;
                    }
                    Change::Cancel(job) => if let Some(&job) = jobs.get(job) {
                        disk.cancel(now, job);
                        plain.jobs.retain(|(other, _)| *other != job);
                    }
                }
            }
            end_until(&mut disk, SimTime::MAX);
            plain.run(f64::MAX);
            prop_assert_eq!(found.len(), plain.ends.len());
            for (job, end) in plain.ends {
                let (_, at) = found.iter().find(|(other, _)| *other == job).copied().unwrap();
                // The real numbers are exact to far below a microsecond here; each change of rate rounds to a nanosecond.
                prop_assert!((at - end).abs() < 1e-6, "{job:?}: {at} {end}");
            }
        }
    }
}
