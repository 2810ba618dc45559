//! Whether servers' region counts alone ask for a balancer. Must not know loads.

use super::BalanceReason;

/// Regions of each server.
pub(super) fn region_counts(servers: impl Iterator<Item = u32>, of: u32) -> Vec<u32> {
    let mut counts = vec![0; of as usize];
    for server in servers {
        counts[server as usize] += 1;
    }
    counts
}

/// What asks for a balancer, if anything does.
pub(super) fn uneven_counts(counts: &[u32], slop: f32) -> Option<BalanceReason> {
    match has_idle_server(counts) {
        true => Some(BalanceReason::IdleServer),
        false => has_sloppy_server(counts, slop).then_some(BalanceReason::RegionCounts),
    }
}

/// One server has no region while another has several (`BaseLoadBalancer.idleRegionServerExist`).
fn has_idle_server(counts: &[u32]) -> bool {
    counts.contains(&0) && counts.iter().any(|&count| count > 1)
}

/// A count lies outside `floor(mean (1 - slop)) ..= ceil(mean (1 + slop))` (`BaseLoadBalancer.sloppyRegionServerExist`).
fn has_sloppy_server(counts: &[u32], slop: f32) -> bool {
    let regions: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let mean = regions as f32 / counts.len() as f32;
    let floor = (mean * (1.0 - slop)).floor() as u32;
    let ceiling = (mean * (1.0 + slop)).ceil() as u32;
    counts.iter().any(|&count| count < floor || count > ceiling)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_within_a_fifth_of_the_mean_are_even_enough() {
        // Mean 10: 8 to 12.
        assert!(!has_sloppy_server(&[8, 12, 10], 0.2));
        assert!(has_sloppy_server(&[7, 12, 11], 0.2));
        assert!(has_sloppy_server(&[13, 9, 8], 0.2));
        // Mean 1.5: 1 to 2.
        assert!(!has_sloppy_server(&[1, 2], 0.2));
    }

    #[test]
    fn an_idle_server_matters_beside_one_with_two_regions() {
        assert!(has_idle_server(&[0, 1, 2]));
        assert!(!has_idle_server(&[0, 1, 1]));
        assert!(!has_idle_server(&[1, 2]));
        assert_eq!(region_counts([2, 0, 2].into_iter(), 4), [1, 0, 2, 0]);
    }
}
