//! Lists of servers that don't fit the regions which a table starts with. Must not know how regions are placed.

use super::{Layout, Replicate};
use crate::cluster::Placement;
use crate::scenario::{Diagnostic, Presplit, Scenario, Strategy, misfit};

/// What is wrong with the lists of servers of the scenario's strategies, at all points: where only rows tell how many regions there are, as
/// reading the file has looked at the others. Counted on the first replicate: another one may have a region more or less, and then goes on
/// from the list's start.
pub fn misplaced_regions(scenario: &Scenario) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    for point in 0..scenario.point_count() {
        let strategies = scenario.strategies_at(point).iter();
        for strategy in strategies.filter(|strategy| is_listed_of_rows(strategy)) {
            let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
            let regions = Layout::regions_of(strategy, &replicate, Layout::SAMPLE).len();
            if let Some(fault) = misfit(&strategy.setup.table.placement, regions) {
                let fault = Diagnostic {
                    message: format!("strategy `{}`: {}", strategy.name, fault.message),
                    ..fault.at(strategy.key_span.clone())
                };
                if !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
        }
    }
    faults
}

fn is_listed_of_rows(strategy: &Strategy) -> bool {
    let setup = &strategy.setup;
    let of_rows = matches!(strategy.presplit, Presplit::Sampled { .. })
        || setup.workload.existing_rows(&setup.schema) > 0;
    of_rows && matches!(setup.table.placement, Placement::Listed(_))
}
