//! Exponential numbers by the ziggurat. Must not know what they are used for.

use std::sync::LazyLock;

/// Layers of the ziggurat.
const LAYERS: usize = 256;

/// Right edge of the lowest box, and the area of each layer, for 256 layers of exp(-x) (Marsaglia and Tsang 2000, "The ziggurat
/// method for generating random variables").
const EDGE: f64 = 7.697_117_470_131_05;
const AREA: f64 = 0.003_949_659_822_581_557;

/// Right edges of the layers from the widest, and the density there.
#[derive(Debug)]
struct Layers {
    edge: [f64; LAYERS + 1],
    density: [f64; LAYERS + 1],
}

static ZIGGURAT: LazyLock<Layers> = LazyLock::new(|| {
    let mut edge = [0.0; LAYERS + 1];
    // The lowest layer is as wide as its area asks for, the part beyond the edge standing for the tail.
    edge[0] = AREA / libm::exp(-EDGE);
    edge[1] = EDGE;
    for layer in 2..LAYERS {
        edge[layer] = -libm::log(AREA / edge[layer - 1] + libm::exp(-edge[layer - 1]));
    }
    Layers {
        edge,
        density: edge.map(|x| libm::exp(-x)),
    }
});

/// An exponential number of mean 1 from as many 64-bit words as it takes: one, in 98.9 % of the cases.
#[inline(always)]
pub(super) fn exponential(mut bits: impl FnMut() -> u64) -> f64 {
    let layers = &*ZIGGURAT;
    let word = bits();
    let layer = (word & 0xFF) as usize;
    let x = unit(word) * layers.edge[layer];
    match x < layers.edge[layer + 1] {
        true => x,
        false => beside_the_box(layers, layer, x, &mut bits),
    }
}

/// The same, when the first word led to a point of a layer that may lie above the density.
#[cold]
#[inline(never)]
fn beside_the_box(
    layers: &Layers,
    mut layer: usize,
    mut x: f64,
    bits: &mut dyn FnMut() -> u64,
) -> f64 {
    loop {
        if layer == 0 {
            // Without memory: beyond the edge it starts anew.
            return EDGE - libm::log(1.0 - unit(bits()));
        }
        let (low, high) = (layers.density[layer], layers.density[layer + 1]);
        if low + (high - low) * unit(bits()) < libm::exp(-x) {
            return x;
        }
        let word = bits();
        layer = (word & 0xFF) as usize;
        x = unit(word) * layers.edge[layer];
        if x < layers.edge[layer + 1] {
            return x;
        }
    }
}

/// Uniform in [0, 1) from the upper 53 bits.
fn unit(word: u64) -> f64 {
    (word >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{DrawKey, Seed, Stream};
    use statrs::distribution::{ChiSquared, ContinuousCDF};

    #[test]
    fn numbers_are_exponential_from_the_peak_to_the_tail() {
        let n = 2_000_000u32;
        let key = DrawKey::new(Seed(3), 0, Stream::Service, 0);
        // Cells of width 1/16 up to 9, which lies beyond the lowest box, and the rest.
        let mut counts = [0u32; 145];
        let mut sum = 0.0;
        for i in 0..n {
            let mut draws = key.at(u64::from(i));
            let x = exponential(|| draws.bits());
            sum += x;
            counts[((x * 16.0) as usize).min(144)] += 1;
        }
        let mut statistic = 0.0;
        for (cell, seen) in counts.iter().enumerate() {
            let from = libm::exp(-(cell as f64) / 16.0);
            let to = if cell == 144 {
                0.0
            } else {
                libm::exp(-(cell as f64 + 1.0) / 16.0)
            };
            let expected = (from - to) * f64::from(n);
            assert!(expected > 10.0);
            statistic += (f64::from(*seen) - expected).powi(2) / expected;
        }
        // One right sampler in a million fails; the seed is fixed.
        let critical = ChiSquared::new(144.0)
            .expect("positive")
            .inverse_cdf(1.0 - 1e-6);
        assert!(statistic < critical, "{statistic} >= {critical}");
        // Standard deviation of the mean: 1 / sqrt(2,000,000) = 0.00071; four of them.
        assert!((sum / f64::from(n) - 1.0).abs() < 4.0 * 0.000_71);
    }

    #[test]
    fn the_layers_have_equal_areas_and_end_at_the_peak() {
        let layers = &*ZIGGURAT;
        for layer in 1..LAYERS {
            let area = layers.edge[layer] * (layers.density[layer + 1] - layers.density[layer]);
            assert!((area / AREA - 1.0).abs() < 1e-9, "layer {layer}: {area}");
        }
    }
}
