//! How long a handler works on a call, the wait for the write-ahead log apart. Must not know which call it is.

use super::{ServiceLaw, ServiceSpec};
use crate::random::Draws;
use crate::time::SimDuration;

/// Service times: X * base + (rows - 1) * per-row time, X of mean 1.
#[derive(Debug, Clone, Copy)]
pub struct ServiceTimes {
    base_nanos: f64,
    row_nanos: u64,
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
        let law = match spec.law {
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
            base_nanos: spec.put.as_nanos() as f64,
            row_nanos: spec.write_row.as_nanos(),
            law,
        }
    }

    /// The service time of a write of `rows` >= 1 rows; X is the first of `draws`.
    #[inline]
    pub fn write(&self, rows: u32, mut draws: Draws) -> SimDuration {
        let factor = match self.law {
            Law::Constant => 1.0,
            Law::Exponential => draws.exponential(),
            Law::Lognormal { mu, sigma } => libm::exp(mu + sigma * standard_normal(&mut draws)),
        };
        let base = (self.base_nanos * factor + 0.5) as u64;
        SimDuration::from_nanos(base + u64::from(rows - 1) * self.row_nanos)
    }
}

/// Box and Muller (1958): one of the two normals, from two uniforms.
fn standard_normal(draws: &mut Draws) -> f64 {
    let radius = libm::sqrt(2.0 * draws.exponential());
    radius * libm::cos(std::f64::consts::TAU * draws.unit())
}

#[cfg(test)]
mod tests {
    use super::super::ClusterSpec;
    use super::*;
    use crate::random::{DrawKey, Seed, Stream};

    fn moments(law: ServiceLaw) -> (f64, f64) {
        let spec = ServiceSpec {
            law,
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
            law: ServiceLaw::Exponential,
            put: SimDuration::from_nanos(300_000),
            write_row: SimDuration::from_nanos(5_000),
            ..ClusterSpec::default().service
        };
        let times = ServiceTimes::new(&spec);
        let draws = DrawKey::new(Seed(1), 0, Stream::Service, 0).at(9);
        let more = times.write(41, draws).as_nanos() - times.write(1, draws).as_nanos();
        assert_eq!(more, 40 * 5_000);
    }
}
