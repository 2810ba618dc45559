//! Closed forms of queueing theory, in units of the mean service time. They know nothing of the simulator.

/// A queue's response time: mean, and the value that 1 % of the customers exceed.
#[derive(Debug, Clone, Copy)]
pub struct Expected {
    pub mean: f64,
    pub p99: f64,
}

/// Erlang's C: the probability that a customer of M/M/c has to wait, at a load of `a` Erlangs.
pub fn erlang_c(servers: u32, a: f64) -> f64 {
    // Erlang's B by its recursion.
    let b = (1..=servers).fold(1.0, |b, n| a * b / (f64::from(n) + a * b));
    let rho = a / f64::from(servers);
    b / (1.0 - rho + rho * b)
}

/// M/M/c at utilisation `rho`.
pub fn m_m_c(servers: u32, rho: f64) -> Expected {
    let c = f64::from(servers);
    let a = rho * c;
    let waits = erlang_c(servers, a);
    // P(T > t) for T = W + S: S is exponential with mean 1, W is 0 or exponential with rate c - a.
    let exceeds = |t: f64| {
        let rate = c - a - 1.0;
        let among = if rate.abs() < 1e-9 {
            t
        } else {
            (1.0 - (-rate * t).exp()) / rate
        };
        (-t).exp() * (1.0 + waits * among)
    };
    Expected {
        mean: 1.0 + waits / (c - a),
        p99: solve(|t| exceeds(t) - 0.01),
    }
}

/// M/D/1 at utilisation `rho`: the mean by Pollaczek and Khinchine, the distribution by Franx (2001), "A simple solution for
/// the M/D/c waiting time distribution", whose terms are all positive.
pub fn m_d_1(rho: f64) -> Expected {
    const STATES: usize = 2_000;
    // Arrivals during one service, and the probabilities of at least so many.
    let mut arrivals = vec![(-rho).exp()];
    for n in 1..=STATES {
        arrivals.push(arrivals[n - 1] * rho / n as f64);
    }
    let at_least: Vec<f64> = (0..=STATES).map(|n| arrivals[n..].iter().sum()).collect();
    // Customers in the system: as often up as down across each level.
    let mut present = vec![1.0 - rho];
    for n in 1..STATES {
        let up: f64 = present[0] * at_least[n]
            + (1..n)
                .map(|m| present[m] * at_least[n - m + 1])
                .sum::<f64>();
        present.push(up / arrivals[0]);
    }
    // Q(m) = P(at most m wait).
    let mut waiting = Vec::with_capacity(STATES);
    let mut sum = present[0];
    for p in &present[1..] {
        sum += p;
        waiting.push(sum);
    }
    let waits_at_most = |t: f64| {
        let k = t.floor() as usize + 1;
        let rest = rho * (k as f64 - t);
        let mut term = (-rest).exp();
        (0..k).fold(0.0, |sum, j| {
            let part = term * waiting[k - 1 - j];
            term *= rest / (j + 1) as f64;
            sum + part
        })
    };
    let wait = if waits_at_most(0.0) >= 0.99 {
        0.0
    } else {
        solve(|t| 0.99 - waits_at_most(t))
    };
    Expected {
        mean: 1.0 + rho / (2.0 * (1.0 - rho)),
        p99: 1.0 + wait,
    }
}

/// The machine-repairman model: throughput, per mean service time, of `clients` that think exponentially with mean `think`
/// in front of `servers`.
pub fn machine_repairman(clients: u32, servers: u32, think: f64) -> f64 {
    let (mut weight, mut total, mut flow) = (1.0, 0.0, 0.0);
    for n in 0..=clients {
        let busy = f64::from(n.min(servers));
        total += weight;
        flow += weight * busy;
        weight *= f64::from(clients - n) / think / f64::from((n + 1).min(servers));
    }
    flow / total
}

/// The `q`-quantile of the greatest of `groups` sums of `each` exponential numbers of mean 1 (Erlang's law each).
pub fn slowest_gamma(groups: u32, each: u32, q: f64) -> f64 {
    let at_most = |t: f64| {
        // P(sum > t): fewer than `each` events of a Poisson process before t.
        let (mut term, mut exceeds) = ((-t).exp(), 0.0);
        for events in 0..each {
            exceeds += term;
            term *= t / f64::from(events + 1);
        }
        (1.0 - exceeds).powi(groups as i32)
    };
    solve(|t| q - at_most(t))
}

/// The zero of a function that falls from positive to negative.
fn solve(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while f(high) > 0.0 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 {
            low = middle
        } else {
            high = middle
        }
    }
    high
}

#[test]
fn the_closed_forms_agree_with_textbook_values() {
    // M/M/1: exponential with mean 1 / (1 - rho).
    let m_m_1 = m_m_c(1, 0.8);
    assert!(
        (m_m_1.mean - 5.0).abs() < 1e-9 && (m_m_1.p99 - 5.0 * 100f64.ln()).abs() < 1e-6,
        "{m_m_1:?}"
    );
    // Erlang's tables: C(10, 8) = 0.4092.
    assert!((erlang_c(10, 8.0) - 0.4092).abs() < 5e-5);
    // M/D/1 at 0.5: the wait's mean is 0.5; P(W = 0) = 0.5; P(W <= 1) = 0.5 e^0.5 = 0.8244.
    assert!((m_d_1(0.5).mean - 1.5).abs() < 1e-12);
    // At high load the wait's tail falls by e^-theta with theta = e^{rho(...)}: 0.95 gives theta = 0.1035 (root of
    // 0.95 (e^theta - 1) = theta), so that p99 lies near 1 + ln(100 x prefactor) / theta.
    let theta: f64 = 0.103_4;
    let near = 1.0 + 100f64.ln() / theta;
    assert!(
        (m_d_1(0.95).p99 / near - 1.0).abs() < 0.03,
        "{} {near}",
        m_d_1(0.95).p99
    );
    // One sum of one: -ln(1 - q). The median of a sum of two: (1 + t) e^-t = 1/2 at t = 1.6783.
    assert!((slowest_gamma(1, 1, 0.99) - 100f64.ln()).abs() < 1e-9);
    assert!((slowest_gamma(1, 2, 0.5) - 1.678_35).abs() < 1e-5);
    // One client never waits.
    assert!((machine_repairman(1, 3, 4.0) - 1.0 / 5.0).abs() < 1e-12);
}
