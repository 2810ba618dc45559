//! Reading a document, at each point of its sweep: strategies, expectations, and which point a complaint belongs to.

use super::diagnostic::Diagnostic;
use super::diagnostics::Diagnostics;
use super::document::{Node, TomlTable};
use super::draft::{Draft, SCENARIO, read_draft};
use super::expectations::{Context, read_expectations};
use super::lints;
use super::model::{Expectation, Strategy, SweepPoint};
use super::names::suggest;
use super::reader::Reader;
use super::strategies::{check_derived, read_strategies};
use super::sweeps::Sweep;
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

/// What was read.
pub(super) struct AllPoints {
    /// All that is the same at every point.
    pub(super) draft: Draft,
    /// Of the first point.
    pub(super) strategies: Vec<Strategy>,
    /// All points; empty without a sweep.
    pub(super) points: Vec<SweepPoint>,
    /// In file order, each point by point.
    pub(super) expectations: Vec<Expectation>,
    /// Defaults of the first point.
    pub(super) defaults: Vec<(String, Node)>,
}

/// One point.
struct Read {
    draft: Draft,
    strategies: Vec<Strategy>,
    /// With their places in the file.
    expectations: Vec<(usize, Expectation)>,
}

/// Reads the document at every point. Complaints go to `sink`, once each; one that some points are free of says where it holds.
pub(super) fn read_points(sink: &Diagnostics, source: Source<'_>) -> AllPoints {
    let sweep = source.sweep;
    let mut complaints = Complaints::default();
    let (first, defaults) = complaints.of_point(sink, source, 0);
    let mut points = Vec::new();
    let mut expectations = first.expectations;
    if sweep.len() > 0 {
        points.push(SweepPoint {
            values: sweep.values(0),
            strategies: first.strategies.clone(),
        });
    }
    while (1..sweep.len()).contains(&points.len()) && complaints.wrong < MOST_WRONG {
        let (mut point, _) = complaints.of_point(sink, source, points.len());
        // Lists of values may be long, and most sweeps leave them alone.
        for (strategy, first) in point.strategies.iter_mut().zip(&first.strategies) {
            if strategy.setup == first.setup {
                strategy.setup = Arc::clone(&first.setup);
            }
        }
        expectations.extend(point.expectations);
        points.push(SweepPoint {
            values: sweep.values(points.len()),
            strategies: point.strategies,
        });
    }
    let read = points.len().max(1);
    for (mut diagnostic, at) in complaints.all {
        if let Some(told) = sweep.what_tells(&at, read) {
            diagnostic.message = format!("{}, {told}", diagnostic.message);
        }
        sink.push(diagnostic);
    }
    sweep.check_runs(sink, first.strategies.len(), first.draft.replicates);
    let strategy = first.strategies.first();
    if let Some(knee) = strategy.and_then(|it| it.setup.knee.as_ref()) {
        sweep.check_knee(sink, &knee.vary);
    }
    // Stable: an expectation's points stay in their order.
    expectations.sort_by_key(|(at, _)| *at);
    let expectations = expectations.into_iter().map(|(_, expectation)| expectation);
    AllPoints {
        draft: first.draft,
        strategies: first.strategies,
        points,
        expectations: expectations.collect(),
        defaults,
    }
}

/// Complaints, each with the points that it holds at.
#[derive(Default)]
struct Complaints {
    all: Vec<(Diagnostic, Vec<usize>)>,
    /// Points with errors.
    wrong: usize,
}

impl Complaints {
    /// A point and its defaults; what is wrong with it is added.
    fn of_point(
        &mut self,
        sink: &Diagnostics,
        source: Source<'_>,
        point: usize,
    ) -> (Read, Vec<(String, Node)>) {
        let own = sink.apart();
        let read = read_point(sink, &own, source, point);
        let (diagnostics, defaults) = own.into_parts();
        self.wrong += usize::from(diagnostics.iter().any(Diagnostic::is_error));
        // One point says nothing twice.
        let others = self.all.len();
        for diagnostic in diagnostics {
            let mut earlier = self.all[..others].iter_mut();
            match earlier.find(|(other, _)| *other == diagnostic) {
                Some((_, at)) => at.push(point),
                None => self.all.push((diagnostic, vec![point])),
            }
        }
        (read, defaults)
    }
}

/// Reads one point; `sink` has the complaints about the document as a whole, `own` gets those of the point.
fn read_point(sink: &Diagnostics, own: &Diagnostics, source: Source<'_>, point: usize) -> Read {
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
    let strategies: Vec<Strategy> = strategies.collect();
    if sink.errors() + own.errors() == 0 {
        lints::lint(own, &strategies, expectations.iter().map(|(_, it)| it));
        lints::lint_reads(own, &document, &strategies);
    }
    Read {
        draft,
        strategies,
        expectations,
    }
}

/// The index that each strategy gets among the selected ones.
fn select<'a>(
    sink: &Diagnostics,
    names: impl Iterator<Item = &'a str>,
    only: &[String],
) -> Vec<Option<usize>> {
    let names: Vec<&str> = names.collect();
    for wanted in only
        .iter()
        .filter(|wanted| !names.contains(&wanted.as_str()))
    {
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
