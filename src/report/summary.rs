//! What results say, as documents: the summary for a terminal and for a pull request, and the page before and after its charts. Must not know
//! how they are written.

use super::chart::Chart;
use super::document::{Block, Column, Document, Item, Look, Table, Term};
use super::number::{self, NumberFormat, UNDEFINED};
use super::{decision, events, metric, sweep_views, tables};
use crate::experiment::{ExpectationResult, KneeOutcome, KneeResult, Results, StrategyResult};
use std::collections::BTreeMap;

/// What stands above paired verdicts.
const PAIRED: &str = "Replicate by replicate, which meet the same operations: mean changes with their 95 % intervals";

/// A part of a document.
type Section = Vec<Block>;

/// The summary for a terminal: tables, verdicts, expectations.
pub fn for_terminal(results: &Results) -> Document {
    let first = results.first_point();
    let question = &results.scenario.question;
    let title = (!question.is_empty()).then(|| Block::Title(question.clone()));
    let is_judged = |it: &StrategyResult| !it.verdict.is_empty();
    let point = sweep_views::first_point(results);
    let point = point.filter(|_| first.strategies.iter().any(is_judged));
    let point = point.map(|point| Block::text(format!("At {point}:")));
    let paired = first.paired_verdicts();
    let against = paired.first();
    let against = against.map(|it| Block::text(format!("against {}", it.baseline)));
    let in_short = paired.iter().map(|it| (it.strategy, &it.in_short));
    let caption = knee_caption(results).map(Block::text);
    let table = |table: Option<_>| table.map(Block::Table).into_iter();
    Document(vec![
        title.into_iter().collect(),
        vec![Block::Table(tables::scorecard(results))],
        table(tables::knees(results))
            .chain(caption)
            .chain([no_knees(results)])
            .collect(),
        table(tables::reads(results)).collect(),
        table(tables::neighbours(results)).collect(),
        vec![Block::list(sweep_views::sentences(results))],
        point.into_iter().chain([verdicts(&first)]).collect(),
        against.into_iter().chain([terms(in_short)]).collect(),
        vec![expectations(results)],
        vec![provenance(results)],
    ])
}

/// The summary for a pull request or a wiki; `charts` are linked. In the order of the page: what to take, how the keys compare, each key, and what
/// it all rests on.
pub fn for_markdown(results: &Results, charts: &[Chart]) -> Document {
    let first = results.first_point();
    let scenario = &results.scenario;
    let title = match scenario.question.is_empty() {
        true => &scenario.name,
        false => &scenario.question,
    };
    let point = sweep_views::first_point(results);
    let at = point.map_or_else(String::new, |point| format!(" at {point}"));
    let sentences = Block::list(sweep_views::sentences(results));
    let intervals = (results.replicates > 1).then(|| Block::Table(tables::intervals(results)));
    let over = format!(
        "95 % intervals over {}",
        number::counted(results.replicates, "replicate")
    );
    let comparisons = Block::Table(tables::comparisons(results, "ratio [95 % interval]"));
    let file = |chart: &Chart| format!("charts/{}.svg", chart.name);
    let pictures = charts.iter().map(|it| (it.title.clone(), file(it)));
    let pictures = Block::Pictures(pictures.collect());
    let take = decision::headline(results)
        .unwrap_or_default()
        .replace('`', "");
    let scorecard = Block::Table(tables::scorecard(results));
    Document(vec![
        vec![Block::Title(title.clone())],
        headed(&take, decision::blocks(results)),
        headed("The keys compared", [scorecard]),
        headed("What the sweep shows", [sentences]),
        knees(results),
        reads(results, &first),
        neighbours(results),
        against(&first, |paired| Block::text(format!("{paired}:"))),
        headed(&format!("Each key{at}"), [verdicts(&first)]),
        headed(&format!("Charts{at}"), [pictures]),
        headed("Expectations", [expectations(results)]),
        headed(&over, intervals),
        headed("Paired comparisons", [comparisons]),
        warnings(results),
        vec![provenance(results)],
    ])
}

/// The page's comparison of the keys: what is true of all points of a sweep, and all of its first point.
pub fn comparison(results: &Results, first: &Results) -> Document {
    let scorecard = Block::Table(tables::scorecard(first));
    Document(vec![
        sweep(results),
        headed("The keys compared", [scorecard]),
        against(first, |paired| Block::Note(format!("{paired}."))),
        knees(results),
        reads(first, first),
        neighbours(first),
    ])
}

/// The page's part about one key: what it is, what became of it, and what to do about it.
pub fn one_key(index: usize, strategy: &StrategyResult) -> Document {
    Document(vec![vec![Block::Terms(vec![verdict(index, strategy)])]])
}

/// The end of the page: whether it all is as expected, what happened, every number, and what is odd.
pub fn basis(results: &Results, first: &Results) -> Document {
    let (holding, broken, known) = ExpectationResult::tally(&results.expectations);
    let all = results.expectations.len();
    let tally = match (broken, known) {
        (0, 0) => format!("all {all} hold"),
        (0, known) => format!("{holding} hold, {known} known to fail"),
        (broken, 0) => format!("{broken} of {all} broken"),
        (broken, known) => format!("{broken} of {all} broken, {known} known to fail"),
    };
    let comparisons = Block::Table(tables::comparisons(first, "ratio [95\u{a0}% interval]"));
    let heading = "Paired comparisons with the first strategy";
    let comparisons = Block::Folded(heading.to_owned(), vec![comparisons]);
    let comparisons = Some(comparisons).filter(|_| !first.comparisons.is_empty());
    let metrics = vec![Block::Table(all_metrics(first))];
    let metrics = Block::Folded("All metrics".to_owned(), metrics);
    Document(vec![
        headed(&format!("Expectations: {tally}"), [expectations(results)]),
        headed("What happened to the cluster", events::lists(first)),
        headed("Numbers", comparisons.into_iter().chain([metrics])),
        warnings(results),
    ])
}

/// A heading with `blocks`; nothing where they are empty.
fn headed(heading: &str, blocks: impl IntoIterator<Item = Block>) -> Section {
    let mut section: Vec<Block> = blocks.into_iter().collect();
    if !section.iter().all(Block::is_empty) {
        section.insert(0, Block::Heading(heading.to_owned()));
    }
    section
}

/// What a sweep shows, every point of it, and which of them the rest of the page is about.
fn sweep(results: &Results) -> Section {
    let Some(first) = sweep_views::first_point(results) else {
        return Vec::new();
    };
    let sentences = sweep_views::sentences(results).into_iter().map(Block::text);
    let mut section = vec![Block::Heading("The sweep".to_owned())];
    section.extend(sentences);
    let mut scorecard = tables::scorecard(results);
    scorecard.look = Look::Plain;
    section.push(Block::Table(scorecard));
    section.extend(tables::reads(results).map(Block::Table));
    section.push(Block::Heading(format!("The point that follows: {first}")));
    section.push(Block::text(
        "Comparison, charts and numbers that follow are of this point, but for the expectations, which are of all.",
    ));
    section
}

/// What became of each strategy, with its key.
fn verdicts(first: &Results) -> Block {
    let strategies = first.strategies.iter().enumerate();
    Block::Terms(strategies.map(|(at, it)| verdict(at, it)).collect())
}

/// What became of the strategy at `index` of the file.
fn verdict(index: usize, strategy: &StrategyResult) -> Term {
    let (name, verdict) = (&strategy.name, strategy.verdict.trim());
    let rest = verdict.strip_prefix(name.as_str());
    let rest = rest.and_then(|rest| rest.strip_prefix(": "));
    let title = Some(&strategy.title).filter(|title| !title.is_empty() && *title != name);
    Term {
        strategy: Some(index),
        name: name.clone(),
        of: title.map_or_else(String::new, |title| format!(" ({title})")),
        key: strategy.expanded_key().to_owned(),
        said: [rest.unwrap_or(verdict).to_owned(), strategy.advice.clone()]
            .into_iter()
            .chain(strategy.further_keys.iter().cloned())
            .collect(),
        aside: match strategy.entities.is_empty() {
            true => String::new(),
            false => format!("Hottest values: {}.", strategy.entities.join(", ")),
        },
    }
}

fn terms<'a>(said: impl Iterator<Item = (&'a str, &'a String)>) -> Block {
    let term = |(name, said): (&str, &String)| Term {
        name: name.to_owned(),
        said: vec![said.clone()],
        ..Term::default()
    };
    Block::Terms(said.map(term).collect())
}

/// Each strategy against the first; `paired` says how they were compared.
fn against(first: &Results, paired: fn(&str) -> Block) -> Section {
    let verdicts = first.paired_verdicts();
    let Some(of) = verdicts.first() else {
        return Vec::new();
    };
    let in_full = verdicts.iter().map(|it| (it.strategy, &it.in_full));
    let heading = format!("Against {}", of.baseline);
    headed(&heading, [paired(PAIRED), terms(in_full)])
}

/// The highest load that each strategy keeps within the limits.
fn knees(results: &Results) -> Section {
    let Some((table, caption)) = tables::knees(results).zip(knee_caption(results)) else {
        return Vec::new();
    };
    let item = |(strategy, knee): (&StrategyResult, &KneeResult)| Item {
        name: strategy.label(),
        text: format!(" {}.", knee.sentence),
        ..Item::default()
    };
    let found = Block::List(tables::knees_found(results).map(item).collect());
    let blocks = [Block::Table(table), Block::text(caption), found];
    headed("What each strategy sustains", blocks)
}

/// Why strategies have no knee.
fn no_knees(results: &Results) -> Block {
    let none = tables::knees_found(results).filter(|(_, it)| it.outcome == KneeOutcome::Below);
    Block::list(none.map(|(strategy, knee)| format!("{} {}.", strategy.label(), knee.sentence)))
}

/// What a knee is in `results`; `None` when none was looked for.
fn knee_caption(results: &Results) -> Option<String> {
    let (_, knee) = tables::knees_found(results).next()?;
    Some(format!("knee: {}", knee.caption()))
}

/// The access path of each read under each strategy, and its price; of `first`, the paths in words.
fn reads(results: &Results, first: &Results) -> Section {
    let Some(prices) = tables::reads(results) else {
        return Vec::new();
    };
    let names = tables::read_names(first);
    let planned = names.flat_map(|name| tables::priced(first, name));
    let planned = planned.filter(|(_, read)| !read.words.is_empty());
    let terms = planned.map(|(strategy, read)| Term {
        name: read.name.clone(),
        of: format!(" of {}", strategy.name),
        said: vec![read.words.clone()],
        ..Term::default()
    });
    let words = vec![Block::Terms(terms.collect())];
    let words = Block::Folded("Access paths in words".to_owned(), words);
    headed("What reads pay", [Block::Table(prices), words])
}

/// What other tables on the same servers feel.
fn neighbours(results: &Results) -> Section {
    let table = tables::neighbours(results).map(Block::Table);
    headed("What the neighbours feel", table)
}

/// What was argued, and whether it holds.
fn expectations(results: &Results) -> Block {
    let item = |expectation: &ExpectationResult| Item {
        standing: Some(expectation.standing()),
        name: expectation.strategy.clone(),
        text: format!(": {expectation}"),
        because: expectation.because.clone(),
    };
    Block::List(results.expectations.iter().map(item).collect())
}

/// Lints and what the runs showed to be odd.
fn warnings(results: &Results) -> Section {
    let line = |warning: &String| warning.split_whitespace().collect::<Vec<_>>().join(" ");
    headed("Warnings", [Block::list(results.warnings.iter().map(line))])
}

/// A row a metric, a column a strategy.
fn all_metrics(results: &Results) -> Table {
    // Every strategy has nearly the same metrics: in the order of the first that has one.
    let mut paths: Vec<String> = Vec::new();
    let mut cells: Vec<BTreeMap<String, String>> = Vec::new();
    for strategy in &results.strategies {
        let mut column = BTreeMap::new();
        for (path, measure) in strategy.measures() {
            let kind = metric::kind(strategy, &path);
            column.insert(path.clone(), kind.interval(measure));
            if !cells.iter().any(|seen| seen.contains_key(&path)) {
                paths.push(path);
            }
        }
        cells.push(column);
    }
    let row = |path: String| {
        let cell = |column: &BTreeMap<_, String>| column.get(&path).cloned();
        let cells = cells
            .iter()
            .map(|it| cell(it).unwrap_or(UNDEFINED.to_owned()));
        std::iter::once(path.clone()).chain(cells).collect()
    };
    let names = results.strategies.iter();
    let names = names.map(|it| Column::named(it.name.clone(), true));
    let columns = [Column::named("metric", false)].into_iter().chain(names);
    Table::new(columns, paths.into_iter().map(row)).with_look(Look::Literal)
}

/// Where the numbers come from: enough to make them again.
fn provenance(results: &Results) -> Block {
    let sha = &results.scenario.sha256;
    let sha = sha.get(..12).unwrap_or(sha);
    let length = number::length(results.duration_s);
    let mut parts = vec![
        results.tool.clone(),
        format!("{}, sha256 {sha}", results.scenario.name),
        format!("seed {}", results.seed),
        format!(
            "{} of {length}",
            number::counted(results.replicates, "replicate")
        ),
    ];
    if results.warmup_s > 0.0 {
        parts.push(format!("warm-up {}", number::length(results.warmup_s)));
    }
    if !results.sweep.is_empty() {
        let paths: Vec<&str> = results.sweep.iter().map(|it| it.path.as_str()).collect();
        let paths = paths.join(" × ");
        parts.push(format!(
            "{} of {paths}",
            number::counted(results.point_count(), "point")
        ));
    }
    if !results.scenario.overrides.is_empty() {
        parts.push(format!("set {}", results.scenario.overrides.join(", ")));
    }
    parts.extend(longest_runs(results).map(|longest| format!("longest runs {longest}")));
    Block::Note(parts.join(" · "))
}

/// Which strategy's runs take longest, by the events that were simulated: they bound what more threads can gain.
pub fn longest_runs(results: &Results) -> Option<String> {
    let strategies = &results.strategies;
    let all: u64 = strategies.iter().map(|it| it.events).sum();
    let longest = strategies.iter().rev().max_by_key(|it| it.events)?;
    let told = strategies.len() > 1 && longest.events > 0;
    let share = NumberFormat::Percent.text(longest.events as f64 / all as f64);
    let events = NumberFormat::Compact.text(all as f64);
    told.then(|| format!("{}, {share} of {events} events", longest.name))
}
