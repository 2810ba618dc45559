//! Reading a document, at each point of its sweep: strategies, expectations, and which point a complaint belongs to.

use super::draft::{Draft, SCENARIO, read_draft};
use super::expectations::{Context, read_expectations};
use super::lints;
use super::model::{Expectation, SweepPoint};
use super::pace::set_pace;
use super::prelude::*;
use super::strategies::{check_derived, read_strategies};
use super::sweeps::Sweep;
use crate::random::Seed;
use std::sync::Arc;

/// After so many points with errors the others are not read: they would say the same.
const MOST_WRONG: usize = 8;

/// What is read.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    /// The whole file, all changes applied.
    pub(super) document: &'a TomlTable,
    /// Its sweep.
    pub(super) sweep: &'a Sweep,
    /// The sweep as the file alone has it.
    pub(super) file_sweep: &'a Sweep,
    /// Names of the strategies to keep; all when empty.
    pub(super) only: &'a [String],
}

/// What was read at one point.
pub(super) struct Point {
    /// All but strategies and expectations.
    pub(super) draft: Draft,
    pub(super) strategies: Vec<Strategy>,
    /// With their places in the file.
    pub(super) expectations: Vec<(usize, Expectation)>,
    /// Path and value.
    pub(super) defaults: Vec<(String, Node)>,
}

/// Reads the document at every point: the first one, with the expectations of all in file order, and all points, none without a sweep.
/// Complaints go to `sink`, once each; one that some points are free of says where it holds.
pub(super) fn read_points(sink: &Diagnostics, source: Source<'_>) -> (Point, Vec<SweepPoint>) {
    let sweep = source.sweep;
    // Each complaint with the points that it holds at.
    let mut complaints: Vec<(Diagnostic, Vec<usize>)> = Vec::new();
    let mut wrong = 0;
    let mut read_at = |at: usize| {
        let own = sink.apart();
        let mut point = read_point(sink, &own, source, at);
        let (diagnostics, defaults) = own.into_parts();
        point.defaults = defaults;
        wrong += usize::from(diagnostics.iter().any(Diagnostic::is_error));
        // One point says nothing twice.
        let others = complaints.len();
        for diagnostic in diagnostics {
            let mut earlier = complaints[..others].iter_mut();
            match earlier.find(|(other, _)| *other == diagnostic) {
                Some((_, points)) => points.push(at),
                None => complaints.push((diagnostic, vec![at])),
            }
        }
        (point, wrong < MOST_WRONG)
    };
    let (mut first, mut goes_on) = read_at(0);
    let mut points: Vec<SweepPoint> = Vec::new();
    if sweep.len() > 0 {
        let (values, strategies) = (sweep.values(0), first.strategies.clone());
        points.push(SweepPoint { values, strategies });
    }
    while goes_on && (1..sweep.len()).contains(&points.len()) {
        let (mut point, others) = read_at(points.len());
        goes_on = others;
        // Lists of values may be long, and most sweeps leave them alone.
        for (strategy, first) in point.strategies.iter_mut().zip(&first.strategies) {
            if strategy.setup == first.setup {
                strategy.setup = Arc::clone(&first.setup);
            }
        }
        first.expectations.extend(point.expectations);
        let (values, strategies) = (sweep.values(points.len()), point.strategies);
        points.push(SweepPoint { values, strategies });
    }
    for (mut diagnostic, at) in complaints {
        if let Some(told) = sweep.what_tells(&at, points.len().max(1)) {
            diagnostic.message = format!("{}, {told}", diagnostic.message);
        }
        sink.push(diagnostic);
    }
    sweep.check_runs(sink, first.strategies.len(), first.draft.replicates);
    if sink.errors() == 0 {
        sweep.check_parameters(sink, source.document);
    }
    let strategy = first.strategies.first();
    if let Some(knee) = strategy.and_then(|it| it.setup.knee.as_ref()) {
        sweep.check_knee(sink, &knee.vary);
    }
    // Stable: an expectation's points stay in their order.
    first.expectations.sort_by_key(|(at, _)| *at);
    (first, points)
}

/// Reads one point; `sink` has the complaints about the document as a whole, `own` gets those of the point.
fn read_point(sink: &Diagnostics, own: &Diagnostics, source: Source<'_>, point: usize) -> Point {
    let mut document = source.document.clone();
    if source.sweep.len() > 0 {
        source.sweep.apply(own, &mut document, point);
    }
    let draft = read_draft(own, &document);
    let scenario = Reader::whole(own, &document, &SCENARIO);
    let strategies = read_strategies(&scenario, &document, &draft);
    check_derived(own, &draft);
    let names = strategies.iter().map(|(name, _)| name.as_str());
    let selected = select(own, names, source.only);
    let context = Context {
        strategies: &strategies,
        selected: &selected,
        base: &draft,
        sweep: source.sweep,
        file: source.file_sweep,
        point,
    };
    let expectations = read_expectations(&scenario, context);
    let strategies = strategies.into_iter().zip(&selected);
    let strategies = strategies.filter(|(_, selected)| selected.is_some());
    let strategies = strategies.filter_map(|((_, read), _)| Some(read?.strategy));
    let mut strategies: Vec<Strategy> = strategies.collect();
    if sink.errors() + own.errors() == 0 {
        let seed = Seed(draft.seed);
        strategies.iter_mut().for_each(|it| set_pace(it, seed));
        lints::lint_fields(own, &document, &strategies);
        lints::lint_strategies(own, &strategies);
        lints::lint_expectations(own, &document, &strategies, &expectations);
        lints::lint_reads(own, &document, &strategies);
        lints::lint_existing(own, &document, &strategies);
    }
    Point {
        draft,
        strategies,
        expectations,
        defaults: Vec::new(),
    }
}

/// The index that each strategy gets among the selected ones.
fn select<'a>(
    sink: &Diagnostics,
    names: impl Iterator<Item = &'a str>,
    only: &[String],
) -> Vec<Option<usize>> {
    let names: Vec<&str> = names.collect();
    let is_unknown = |wanted: &&String| !names.contains(&wanted.as_str());
    for wanted in only.iter().filter(is_unknown) {
        let diagnostic = Diagnostic::error(format!("`--only {wanted}`: no such strategy"));
        sink.push(diagnostic.hint(suggest(wanted, names.iter().copied())));
    }
    let mut places = 0..;
    let select = |name: &&str| match only.is_empty() || only.iter().any(|wanted| wanted == name) {
        true => places.next(),
        false => None,
    };
    names.iter().map(select).collect()
}
