//! Where the regions of a table open, and what the server with most of its rows has of it, as foreseen. Must not know runs.

use crate::engine::BusiestServer;
use crate::layout::{Layout, RegionForecast};
use crate::random::{Seed, Stream, stream};
use crate::scenario::Strategy;
use std::sync::Arc;

/// The servers that the regions of a table (0 the strategy's own, c its copy c - 1) open on in a replicate, in key order.
pub(super) fn opening_servers(
    strategy: &Strategy,
    layout: &Layout,
    table: usize,
    (seed, replicate): (Seed, u32),
) -> Vec<u32> {
    let setup = &strategy.setup;
    let existing = layout.run.existing.get(table);
    let number = table as u32;
    setup.table.placement.of_table(number).opening_servers(
        layout.points(table).count() as u32 + 1,
        existing.map_or(&[][..], |rows| &rows.split_off),
        setup.cluster.servers,
        &mut stream(seed, replicate, Stream::Placement, number),
    )
}

/// What the server that gets most of the writes of the strategy's own table has of it in replicate 0; `None` where one server has it all, or nothing is
/// written.
pub(super) fn busiest_server(
    strategy: &Strategy,
    layout: &Layout,
    seed: Seed,
) -> Option<BusiestServer> {
    let servers = opening_servers(strategy, layout, 0, (seed, 0));
    let shares: Vec<f64> = layout.regions.iter().map(share).collect();
    let mut loads = vec![0.0; strategy.setup.cluster.servers.max(1) as usize];
    for (server, share) in servers.iter().zip(&shares) {
        loads[*server as usize] += share;
    }
    // Of equals, the first.
    let (busiest, load) = (0u32..)
        .zip(loads)
        .reduce(|most, it| if it.1 > most.1 { it } else { most })?;
    let regions: Vec<bool> = servers.iter().map(|server| *server == busiest).collect();
    let own = regions.iter().zip(&shares).filter(|(is_own, _)| **is_own);
    let parts: Vec<f64> = own
        .map(|(_, share)| share / load)
        .filter(|part| *part > 0.0)
        .collect();
    let points = &layout.run.split_points;
    (regions.contains(&false) && !parts.is_empty()).then(|| BusiestServer {
        regions: Arc::new(regions),
        cuts: Arc::new(cuts(&shares, &parts).map(|at| points[at].clone()).collect()),
        greatest: parts.into_iter().fold(0.0, f64::max),
    })
}

fn share(region: &RegionForecast) -> f64 {
    region.write_share
}

/// The places of those points between regions of these shares at which all rows are cut into parts of about these sizes, of which there are no more.
fn cuts(shares: &[f64], parts: &[f64]) -> impl Iterator<Item = usize> {
    let all: f64 = shares.iter().sum();
    let below = shares.iter().scan(0.0, move |below, share| {
        *below += share / all;
        Some(*below)
    });
    let below: Vec<f64> = below.collect();
    let (mut wanted, mut next) = (0.0, 0);
    let later = (0..parts.len() - 1).rev();
    later.zip(parts).map(move |(later, part)| {
        wanted += part;
        // Each part behind it needs a point as well.
        let last = below.len() - 2 - later;
        let distance = |at: usize| (below[at] - wanted).abs();
        let nearest = (next..=last).reduce(|best, at| {
            if distance(at) <= distance(best) {
                at
            } else {
                best
            }
        });
        let nearest = nearest.unwrap_or(last);
        next = nearest + 1;
        nearest
    })
}

#[cfg(test)]
mod tests {
    use super::cuts;

    #[test]
    fn all_rows_are_cut_into_as_many_parts_as_the_server_has_regions_about_as_large() {
        let found = |shares: &[f64], parts: &[f64]| cuts(shares, parts).collect::<Vec<_>>();
        // Points stand behind regions 0 to 4: two alike are behind the third.
        assert_eq!(found(&[1.0; 6], &[0.5, 0.5]), [2]);
        assert_eq!(found(&[1.0; 6], &[1.0]), [] as [usize; 0]);
        assert_eq!(found(&[1.0; 9], &[0.2, 0.6, 0.2]), [1, 6]);
        // One region has it all, and each part behind it still has a point.
        assert_eq!(found(&[10.0, 0.1, 0.1, 0.1], &[0.3, 0.3, 0.4]), [0, 1]);
        assert_eq!(found(&[0.1, 0.1, 10.0], &[0.9, 0.05, 0.05]), [0, 1]);
        // Regions that nothing is written to lie between.
        assert_eq!(found(&[0.5, 0.0, 0.0, 0.5], &[0.5, 0.5]), [2]);
    }
}
