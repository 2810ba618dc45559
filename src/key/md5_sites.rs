//! Finds the MD5s of a plan, so that they can be made side by side before the keys. Must not know keys.

use super::code::BytesCode;
use super::columns::Chunk;
use super::execute::Input;
use super::md5_lanes::{self, LANES};
use super::node::Node;

/// Operands of the MD5s of some code, in the order of their numbers: inner ones first.
pub(super) fn operands<'a>(codes: impl Iterator<Item = &'a BytesCode>) -> Vec<BytesCode> {
    let mut sites = Vec::new();
    for code in codes {
        collect(Node::Bytes(code), &mut sites);
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
fn collect<'a>(node: Node<'a>, sites: &mut Vec<(usize, &'a BytesCode)>) {
    node.operands(&mut |operand| collect(operand, sites));
    if let Node::Bytes(BytesCode::Md5 { site, of, .. }) = node {
        sites.push((*site, of));
    }
}
