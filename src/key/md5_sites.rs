//! Finds the MD5s of a plan, so that they can be made side by side before the keys. Must not know keys.

use super::code::{BytesCode, Coordinate, DoubleCode, IntCode, IntOp};
use super::columns::Chunk;
use super::execute::Input;
use super::md5_lanes::{self, LANES};

/// Operands of the MD5s of some code, in the order of their numbers: inner ones first.
pub(super) fn operands<'a>(codes: impl Iterator<Item = &'a BytesCode>) -> Vec<BytesCode> {
    let mut sites = Vec::new();
    for code in codes {
        collect(code, &mut sites);
    }
    sites.sort_by_key(|(site, _)| *site);
    debug_assert!(sites.iter().map(|(site, _)| *site).eq(0..sites.len()));
    sites.into_iter().map(|(_, of)| of.clone()).collect()
}

impl BytesCode {
    /// Digests of this operand, MD5 number `site` of `sites`, for every row; `digests` holds those of earlier sites.
    pub fn digests_by_row(
        &self,
        chunk: &Chunk<'_>,
        sites: usize,
        site: usize,
        digests: &mut [[u8; 16]],
    ) {
        let mut messages = Vec::new();
        let mut ends = [0usize; LANES];
        for first in (0..chunk.len()).step_by(LANES) {
            let count = LANES.min(chunk.len() - first);
            messages.clear();
            for (lane, end) in ends[..count].iter_mut().enumerate() {
                let row = first + lane;
                let known = &digests[row * sites..row * sites + site];
                self.run(
                    &Input {
                        row: chunk.row(row),
                        digests: known,
                    },
                    &mut messages,
                );
                *end = messages.len();
            }
            md5_lanes::digests(&messages, &ends[..count], |lane, digest| {
                digests[(first + lane) * sites + site] = digest
            });
        }
    }
}

/// MD5s and what they are made of.
fn collect<'a>(code: &'a BytesCode, sites: &mut Vec<(usize, &'a BytesCode)>) {
    match code {
        BytesCode::Md5 { site, of, .. } => {
            collect(of, sites);
            sites.push((*site, of));
        }
        BytesCode::Map(_, of) => collect(of, sites),
        BytesCode::Concat(parts) => parts.iter().for_each(|part| collect(part, sites)),
        BytesCode::Int(_, value) => collect_int(value, sites),
        BytesCode::Uuid7 { millis: time, .. }
        | BytesCode::Ulid { millis: time, .. }
        | BytesCode::Ksuid { seconds: time, .. } => {
            collect_int(time, sites);
        }
        BytesCode::Double(_, value) => collect_double(value, sites),
        BytesCode::Morton(coordinates) => {
            for coordinate in coordinates {
                match coordinate {
                    Coordinate::Cell(value) => collect_int(value, sites),
                    Coordinate::Degrees { value, .. } => collect_double(value, sites),
                }
            }
        }
        BytesCode::Literal(_) | BytesCode::Field(..) | BytesCode::Uuid4 { .. } => {}
    }
}

fn collect_double<'a>(code: &'a DoubleCode, sites: &mut Vec<(usize, &'a BytesCode)>) {
    if let DoubleCode::Int(value) = code {
        collect_int(value, sites);
    }
}

fn collect_int<'a>(code: &'a IntCode, sites: &mut Vec<(usize, &'a BytesCode)>) {
    match &code.op {
        IntOp::Const(_) | IntOp::Slot(_) | IntOp::Random { .. } | IntOp::RoundRobin { .. } => {}
        IntOp::Add(a, b)
        | IntOp::Subtract(a, b)
        | IntOp::Multiply(a, b)
        | IntOp::Divide(a, b)
        | IntOp::Remainder(a, b)
        | IntOp::Pmod(a, b) => {
            collect_int(a, sites);
            collect_int(b, sites);
        }
        IntOp::Floor(a, _)
        | IntOp::Abs(a)
        | IntOp::Abs32(a)
        | IntOp::BitReverse63(a)
        | IntOp::BitReverse64(a) => collect_int(a, sites),
        IntOp::Hash(_, of) | IntOp::Salt { of, .. } => collect(of, sites),
        IntOp::Snowflake {
            millis,
            datacenter,
            worker,
            sequence,
        } => {
            for part in [millis, datacenter, worker, sequence] {
                collect_int(part, sites);
            }
        }
    }
}
