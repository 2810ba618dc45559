//! Reading a document, at each point of its sweep: strategies, expectations, and which point a complaint belongs to.

use super::diagnostic::Diagnostic;
use super::diagnostics::Diagnostics;
use super::document::{Node, SourcePlace, TomlTable};
use super::draft::{Draft, SCENARIO, read_draft};
use super::expectations::{Points, read_expectations};
use super::model::{Expectation, Strategy, SweepPoint};
use super::nearest::suggest;
use super::reader::Reader;
use super::strategies::{Context, check_derived, read_strategies};
use super::sweeps::Sweep;
use super::{lints, read_lints};
use std::path::Path;
use std::sync::Arc;

/// After so many points with errors the others are not read: they would say the same.
const MOST_WRONG: usize = 8;

/// What is read.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) folder: &'a Path,
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
    let mut complaints: Vec<(Diagnostic, Vec<usize>)> = Vec::new();
    let own = Diagnostics::default();
    let first = read_point(sink, &own, source, 0);
    let (diagnostics, defaults) = own.into_parts();
    let mut wrong = usize::from(diagnostics.iter().any(Diagnostic::is_error));
    collect(&mut complaints, diagnostics, 0);
    let mut points = Vec::new();
    let mut expectations = first.expectations;
    if sweep.len() > 0 {
        points.push(SweepPoint {
            values: sweep.values(0),
            strategies: first.strategies.clone(),
        });
    }
    let mut read = 1;
    while read < sweep.len() && wrong < MOST_WRONG {
        let own = Diagnostics::default();
        let mut point = read_point(sink, &own, source, read);
        let diagnostics = own.into_parts().0;
        wrong += usize::from(diagnostics.iter().any(Diagnostic::is_error));
        collect(&mut complaints, diagnostics, read);
        // Lists of values may be long, and most sweeps leave them alone.
        for (strategy, first) in point.strategies.iter_mut().zip(&first.strategies) {
            if strategy.setup == first.setup {
                strategy.setup = Arc::clone(&first.setup);
            }
        }
        points.push(SweepPoint {
            values: sweep.values(read),
            strategies: point.strategies,
        });
        expectations.extend(point.expectations);
        read += 1;
    }
    for (diagnostic, at) in complaints {
        sink.push(match sweep.what_tells(&at, read) {
            Some(told) => Diagnostic {
                message: format!("{}, {told}", diagnostic.message),
                ..diagnostic
            },
            None => diagnostic,
        });
    }
    sweep.check_runs(sink, first.strategies.len(), first.draft.replicates);
    let knee = first
        .strategies
        .first()
        .and_then(|it| it.setup.knee.as_ref());
    if let Some(knee) = knee {
        sweep.check_knee(sink, &knee.vary);
    }
    // Stable: an expectation's points stay in their order.
    expectations.sort_by_key(|(at, _)| *at);
    AllPoints {
        draft: first.draft,
        strategies: first.strategies,
        points,
        expectations: expectations
            .into_iter()
            .map(|(_, expectation)| expectation)
            .collect(),
        defaults,
    }
}

fn collect(
    complaints: &mut Vec<(Diagnostic, Vec<usize>)>,
    diagnostics: Vec<Diagnostic>,
    point: usize,
) {
    // One point says nothing twice.
    if complaints.is_empty() {
        complaints.extend(diagnostics.into_iter().map(|found| (found, vec![point])));
        return;
    }
    for diagnostic in diagnostics {
        match complaints
            .iter_mut()
            .find(|(other, _)| *other == diagnostic)
        {
            Some((_, at)) => at.push(point),
            None => complaints.push((diagnostic, vec![point])),
        }
    }
}

/// Reads one point; `sink` has the complaints about the document as a whole, `own` gets those of the point.
fn read_point(sink: &Diagnostics, own: &Diagnostics, source: Source<'_>, point: usize) -> Read {
    let Source { text, folder, .. } = source;
    let mut document = source.document.clone();
    if source.sweep.len() > 0 {
        source.sweep.apply(own, &mut document, point);
    }
    let draft = read_draft(own, &document, text, folder);
    let scenario = Reader::new(own, Some(&document), SourcePlace::File(0..0), "", &SCENARIO);
    let context = Context {
        text,
        folder,
        document: &document,
        base: &draft,
    };
    let strategies = read_strategies(&scenario, context);
    check_derived(own, &draft, text);
    let names = strategies.iter().map(|(name, _)| name.as_str());
    let selected = select(own, names, source.only);
    let points = Points {
        sweep: source.sweep,
        file: source.file_sweep,
        point,
    };
    let expectations = read_expectations(&scenario, &strategies, &selected, &draft, text, points);
    let strategies: Vec<Strategy> = strategies
        .into_iter()
        .zip(&selected)
        .filter(|(_, selected)| selected.is_some())
        .filter_map(|((_, read), _)| Some(read?.strategy))
        .collect();
    if sink.errors() + own.errors() == 0 {
        lints::lint(own, &strategies, expectations.iter().map(|(_, it)| it));
        read_lints::lint(own, &document, &strategies);
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
    for wanted in only {
        if !names.contains(&wanted.as_str()) {
            let mut diagnostic = Diagnostic::error(format!("`--only {wanted}`: no such strategy"));
            diagnostic.help = suggest(wanted, names.iter().copied());
            sink.push(diagnostic);
        }
    }
    let mut next = 0;
    let select = |name: &&str| {
        (only.is_empty() || only.iter().any(|wanted| wanted == name)).then(|| {
            next += 1;
            next - 1
        })
    };
    names.iter().map(select).collect()
}
