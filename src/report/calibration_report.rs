//! A measurement beside its prediction, for people. Must not judge.

use super::document::{Block, Column, Document, Table};
use super::number::{self, NumberFormat};
use crate::experiment::{CalibratedQuantity, Calibration, ObservedShare};
use NumberFormat::{Compact, Millis, Percent, Ratio};

/// Regions that are shown of a greater table: those that differ most.
const REGIONS_SHOWN: usize = 12;

/// A calibration for a terminal or a pull request.
pub fn calibration_document(found: &Calibration) -> Document {
    let title = format!(
        "`{}` of `{}`, predicted and measured",
        found.strategy, found.scenario
    );
    let off = |it: &ObservedShare| (it.measured - it.predicted.unwrap_or(0.0)).abs();
    let mut regions: Vec<_> = found.regions.iter().enumerate().collect();
    regions.sort_by(|(_, a), (_, b)| off(b).total_cmp(&off(a)));
    regions.truncate(REGIONS_SHOWN);
    regions.sort_by_key(|(at, _)| *at);
    let regions = regions.into_iter().map(|(_, it)| it);
    let servers = found.servers.iter();
    let mut parts = vec![
        vec![
            Block::Title(title),
            Block::Table(quantities(&found.quantities)),
        ],
        vec![Block::Table(shares(["server", "regions"], servers))],
        vec![Block::Table(shares(["region from", "server"], regions))],
    ];
    if !found.times.is_empty() {
        let settings = found.settings();
        let lines = settings.lines().map(|line| format!("  {line}")).collect();
        let heading = "Times that fit:".to_owned();
        parts.push(vec![Block::Heading(heading), Block::Lines(lines)]);
    }
    for (heading, sentences) in [
        ("What the measurement does not tell:", &found.untold),
        ("What no service time explains:", &found.unexplained),
    ] {
        if !sentences.is_empty() {
            let list = Block::list(sentences.iter().cloned());
            parts.push(vec![Block::Heading(heading.to_owned()), list]);
        }
    }
    let all = number::grouped(found.regions.len() as u64);
    let fitted = match found.quantities.iter().any(|it| it.fitted.is_some()) {
        true => " fitted: with the times that fit, and the regions where they lay;",
        false => "",
    };
    let is_of = |side: &str| {
        found
            .quantities
            .iter()
            .any(|it| it.path == format!("{side}_per_sec"))
    };
    let requests = match found.are_writes_alone {
        true => "writes, as a cluster counts each row of a scan",
        false if is_of("writes") => "writes",
        false if is_of("reads") => "reads",
        false => "requests",
    };
    let runs = number::counted(found.replicates, "run");
    parts.push(vec![Block::Note(format!(
        "Predicted: the scenario as it is;{fitted} of {runs}. \
         Shares are of the {requests}; of the {all} regions at most the {REGIONS_SHOWN} that differ most are shown."
    ))]);
    Document(parts)
}

fn quantities(all: &[CalibratedQuantity]) -> Table {
    let names = [
        "",
        "predicted",
        "measured",
        "÷ predicted",
        "fitted",
        "÷ fitted",
    ];
    let shown = match all.iter().any(|it| it.fitted.is_some()) {
        true => 6,
        false => 4,
    };
    let columns = names.map(|name| Column::named(name, !name.is_empty()));
    let row = |it: &CalibratedQuantity| {
        let format = match &it.path {
            path if path.contains("response_ms") => Millis,
            path if path.contains("fraction") => Percent,
            _ => Compact,
        };
        let ratio = |base: Option<f64>| {
            let base = base.filter(|base| *base > 0.0);
            Ratio.optional(base.map(|base| it.measured / base))
        };
        let cells = [
            it.path.clone(),
            format.optional(it.predicted),
            format.text(it.measured),
            ratio(it.predicted),
            format.optional(it.fitted),
            ratio(it.fitted),
        ];
        cells.into_iter().take(shown).collect::<Vec<String>>()
    };
    Table::new(columns.into_iter().take(shown), all.iter().map(row))
}

fn shares<'a>(
    [name, place]: [&'static str; 2],
    all: impl Iterator<Item = &'a ObservedShare>,
) -> Table {
    let columns = [
        (name, false),
        (place, false),
        ("measured", true),
        ("predicted", true),
        ("measured/s", true),
        ("predicted/s", true),
    ];
    let all: Vec<&ObservedShare> = all.collect();
    let has_rates = all.iter().any(|it| it.measured_per_sec.is_some());
    let shown = columns.len() - if has_rates { 0 } else { 2 };
    let columns = columns.map(|(name, right)| Column::named(name, right));
    let rows = all.iter().map(|it| {
        let shares = [Some(it.measured), it.predicted].map(|share| Percent.optional(share));
        let rates = [it.measured_per_sec, it.predicted_per_sec].map(|rate| Compact.optional(rate));
        let mut row = vec![it.name.clone(), it.place.clone()];
        row.extend(shares.into_iter().chain(rates).take(shown - 2));
        row
    });
    Table::new(columns.into_iter().take(shown), rows)
}
