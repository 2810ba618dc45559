//! Named, portable random numbers: one stream per purpose and replicate, and draws that belong to
//! an operation rather than to the order in which anything is worked.
//!
//! Must not know what is drawn. Two kinds:
//! - [`stream`]: a sequential `Xoshiro256PlusPlus`, seeded by ChaCha8 from (seed, replicate, stream, lane).
//! - [`DrawKey::at`]: a short SplitMix64 sequence addressed by an index (an operation, an attempt), keyed by
//!   ChaCha8 in the same way. Reading it costs no state, so neither batching nor the order of service
//!   can change a result.
//!
//! Laws are our own, and tests compare them with those of `rand_distr` (`law_fixture`). The generator does not use these (times measured on one core,
//! ours first):
//! - normal and lognormal: 39 and 4 ns, 56 and 28 ns. They take `exp` and `ln` from the platform beside their ziggurat, whose last digits differ from
//!   system to system; results must be the same bytes everywhere, so that only `libm` will do.
//! - Zipf: 46 to 95 and 73 to 404 ns, with the platform's `powf`; and no first rank to begin at, as a law with `top` shares needs.
//! - exponential: 2.5 and 6.2 ns, with the platform's `ln` and `exp`.
//! - alias table: 4 and 31 ns. It takes two draws or more a number, ours one of 64 bits.

mod exponential;
#[cfg(test)]
pub mod law_fixture;
mod permutation;

pub use permutation::{Permutation, shuffled};

use rand::rngs::{ChaCha8Rng, Xoshiro256PlusPlus};
use rand::{Rng, SeedableRng, TryRng};
use std::convert::Infallible;

/// The user's seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u64);

/// What random numbers are for. Adding a draw to one stream moves nothing in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Stream {
    /// Which value of a field has which rank.
    Ranks = 1,
    /// Values drawn once for each value of other fields (`of`).
    Dependent = 2,
    /// Inter-arrival times.
    Arrivals = 3,
    /// Field values of an operation.
    Records = 4,
    /// Field values of the rows written before the run.
    Existing = 5,
    /// Phase and jitter of beats.
    Beats = 6,
    /// Order of a shuffled import.
    Shuffle = 7,
    /// `random(n)`, `uuid4()` and their kin in a row key.
    Keys = 8,
    /// Think times of clients.
    Think = 9,
    /// Service time of a call, by (operation, attempt).
    Service = 10,
    /// Jitter of a retry's pause, by (operation, attempt).
    BackOff = 11,
    /// Which call queue a call joins, by (operation, attempt).
    CallQueue = 12,
    /// Where regions open, by table.
    Placement = 13,
    /// Which operations a sample looks at.
    Sample = 14,
    /// Bytes of generated texts; the same in every replicate.
    Texts = 15,
    /// What a read asks for.
    Reads = 16,
    /// Whole numbers of rows that a scan meets, by operation.
    ScannedRows = 17,
    /// Jitter of a region's largest file size, by opening.
    SplitJitter = 18,
    /// Steps of the balancer, by its run.
    Balancer = 19,
    /// Which keys of a store file its sample holds, in the order in which rows are written.
    FileSample = 20,
    /// Arrivals and regions of neighbours, a lane each.
    Neighbours = 21,
    /// How long the flush of an old memstore is delayed, by region and memstore.
    FlushDelay = 22,
    /// When stores are due for their major compactions, file by file.
    MajorCompaction = 23,
    /// Where in its expected gap an operation lies whose time follows from its number alone.
    Gaps = 24,
}

fn chacha(seed: Seed, replicate: u32, stream: Stream, lane: u32) -> ChaCha8Rng {
    let mut bytes = [0u8; 32];
    bytes[..8].copy_from_slice(&seed.0.to_le_bytes());
    bytes[8..12].copy_from_slice(&replicate.to_le_bytes());
    bytes[12..16].copy_from_slice(&(stream as u32).to_le_bytes());
    bytes[16..20].copy_from_slice(&lane.to_le_bytes());
    ChaCha8Rng::from_seed(bytes)
}

/// The sequential generator of one purpose; `lane` tells apart several users of it (a write, a field).
pub fn stream(seed: Seed, replicate: u32, stream: Stream, lane: u32) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::from_rng(&mut chacha(seed, replicate, stream, lane))
}

/// The next exponential number with mean 1 of a sequential generator.
pub fn exponential(generator: &mut impl Rng) -> f64 {
    exponential::exponential(|| generator.next_u64())
}

/// A family of indexed draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawKey(u64);

impl DrawKey {
    /// The family of one purpose; `lane` tells apart several users of it.
    pub fn new(seed: Seed, replicate: u32, stream: Stream, lane: u32) -> Self {
        Self(chacha(seed, replicate, stream, lane).next_u64())
    }

    /// The draws that belong to `index`. O(1), no state.
    pub fn at(self, index: u64) -> Draws {
        Draws {
            state: mix(self.0 ^ mix(index.wrapping_mul(GAMMA).wrapping_add(self.0))),
        }
    }
}

/// 2^64 / golden ratio: SplitMix64's increment (Steele, Lea, Flood 2014).
pub const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// SplitMix64's finaliser: a bijection of 64 bits that spreads every input bit over all output bits.
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// 64 well-mixed bits of a name (FNV-1a, then [`mix`]), so that what belongs to a name keeps its random numbers when
/// others are added before it.
pub fn hash_name(name: &str) -> u64 {
    mix(name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    }))
}

/// The `lane` of [`stream`] and [`DrawKey::new`] that belongs to a name.
pub fn lane_of(name: &str) -> u32 {
    (hash_name(name) >> 32) as u32
}

/// A short sequence of draws (SplitMix64).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draws {
    state: u64,
}

impl Draws {
    /// A sequence of its own for one of several users of these draws, told apart by well-mixed `salt`s ([`hash_name`]):
    /// how much one user draws moves nothing in another's.
    pub fn salted(self, salt: u64) -> Self {
        Self {
            state: self.state.wrapping_add(salt),
        }
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        mix(self.state)
    }

    /// Uniform in [0, 1), 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in 0..n (n > 0), by multiply-shift: the bias is below n / 2^64.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// Exponential with mean 1, by the ziggurat.
    pub fn exponential(&mut self) -> f64 {
        exponential::exponential(|| self.bits())
    }

    /// Standard normal (Box and Muller 1958): one of the two normals, from two uniforms.
    pub fn standard_normal(&mut self) -> f64 {
        let radius = libm::sqrt(2.0 * self.exponential());
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }
}

impl TryRng for Draws {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.bits() >> 32) as u32)
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.bits())
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            let word = self.bits().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}
