//! Every shipped scenario is a question, an argument and expectations. Its expectations hold, and they would not hold of another strategy.

use crate::ran::{Ran, assert_expectations, shipped};
use crate::toml_files::toml_files;
use keyheat::experiment::{Metric, StrategyResult};
use keyheat::report::{Format, Report, Style};
use keyheat::scenario::{Bound, Expected, ExpectedValue, Options, Scenario};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The shipped files, in order of their names.
fn files() -> Vec<PathBuf> {
    let files = toml_files("scenarios");
    assert!(files.len() >= 8, "only {} scenarios", files.len());
    files
}

/// Those and the published ones, whose expectations `tests/all/validation` runs.
fn all_files() -> Vec<PathBuf> {
    let mut files = files();
    files.extend(toml_files("scenarios/published"));
    files
}

fn options(file: &Path) -> Options {
    // The flagship's bounds hold at its own shorter length as well.
    Options {
        quick: file.ends_with("five-keys.toml"),
        ..Options::default()
    }
}

fn load(file: &Path) -> Scenario {
    Scenario::load_with(file, &options(file)).unwrap_or_else(|error| panic!("{error}"))
}

/// All shipped files, each run once for all tests.
fn ran() -> impl Iterator<Item = &'static Ran> {
    static QUICK: OnceLock<Ran> = OnceLock::new();
    files().into_iter().map(|file| {
        let options = options(&file);
        match options.quick {
            true => QUICK.get_or_init(|| Ran::of(&file, &options)),
            false => shipped(&file.file_stem().unwrap().to_string_lossy()),
        }
    })
}

#[test]
fn every_expectation_of_every_scenario_holds() {
    // Of the flagship, which the gallery shows, at its full length too.
    assert_expectations(ran().chain([shipped("five-keys")]));
}

/// An expectation that another strategy's block also satisfies proves nothing. Strategies meet the same operations and do not know each
/// other, so that a file in which one strategy has the block of another gives that other's results under the first one's name: nothing has
/// to be run again.
#[test]
fn no_strategy_can_take_the_place_of_another_unnoticed() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/equivalent_strategies.txt");
    let list = fs::read_to_string(list).unwrap();
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let mut excused: BTreeSet<(String, String, String)> = lines
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let (pair, reason) = line.split_once(": ").expect("a pair, a colon, the reason");
            assert!(reason.split_whitespace().count() >= 4, "no reason: {line}");
            let words: Vec<&str> = pair.split_whitespace().collect();
            let [scenario, strategy, other] = words[..] else {
                panic!("expected `scenario strategy other: reason`: {line}");
            };
            (scenario.to_owned(), strategy.to_owned(), other.to_owned())
        })
        .collect();
    let mut unnoticed = Vec::new();
    for ran in ran() {
        let name = ran.file.file_stem().unwrap().to_string_lossy().into_owned();
        let count = ran.scenario.strategies.len();
        for (strategy, other) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))) {
            if strategy == other || is_noticed(ran, strategy, other) {
                continue;
            }
            let names = [strategy, other].map(|at| ran.scenario.strategies[at].name.clone());
            let [strategy, other] = names;
            let pair = (name.clone(), strategy, other);
            if !excused.remove(&pair) {
                let (scenario, strategy, other) = pair;
                unnoticed.push(format!(
                    "{scenario}: `{strategy}` can have the block of `{other}`"
                ));
            }
        }
    }
    assert!(unnoticed.is_empty(), "{}", unnoticed.join("\n"));
    assert!(excused.is_empty(), "noticed after all: {excused:?}");
}

/// Some expectation's mean lies on the wrong side of its bound when `strategy` has the block of `other`.
fn is_noticed(ran: &Ran, strategy: usize, other: usize) -> bool {
    let count = ran.scenario.strategies.len();
    let result = |point: usize, wanted: usize| {
        let block = if wanted == strategy { other } else { wanted };
        &ran.results.strategies[point * count + block]
    };
    let expectations = &ran.scenario.expectations;
    expectations.iter().any(|it| match &it.expected {
        Expected::Key(_) => it.strategy == strategy && has_other_keys(ran, strategy, other),
        Expected::Metric {
            metric,
            bound,
            ratio_to,
        } => match ratio_to {
            None => {
                it.strategy == strategy && is_wrong(result(it.point, it.strategy), metric, bound)
            }
            Some(base) => {
                let found = result(it.point, it.strategy);
                [it.strategy, base.strategy].contains(&strategy)
                    && ratio(found, result(base.point, base.strategy), metric)
                        .is_some_and(|ratio| is_on_the_wrong_side(ratio, bound))
            }
        },
    })
}

/// Whether a golden key of the strategy differs when its expression is the other's.
fn has_other_keys(ran: &Ran, strategy: usize, other: usize) -> bool {
    let [strategy, other] = [strategy, other].map(|at| &ran.scenario.strategies[at]);
    let key = other.key.text().replace('\\', "\\\\").replace('"', "\\\"");
    let sets = vec![format!("strategy.{}.key=\"{key}\"", strategy.name)];
    let options = Options {
        sets,
        ..options(&ran.file)
    };
    let swapped = Scenario::load_with(&ran.file, &options);
    swapped.is_err()
        || swapped.is_ok_and(|scenario| {
            let mut expectations = scenario.expectations.iter();
            expectations
                .any(|it| matches!(&it.expected, Expected::Key(key) if key.found != key.expected))
        })
}

fn is_wrong(result: &StrategyResult, metric: &str, bound: &Bound) -> bool {
    if let Bound::Is(ExpectedValue::Text(expected)) = bound {
        return word(result, metric).is_some_and(|word| word != *expected);
    }
    let Some(measure) = result.measure(metric) else {
        return false;
    };
    match (measure.mean, measure.censored, bound) {
        (Some(least), true, Bound::Below(most) | Bound::Between(_, most)) => least >= *most,
        (Some(mean), false, bound) => is_on_the_wrong_side(mean, bound),
        _ => false,
    }
}

fn word(result: &StrategyResult, metric: &str) -> Option<String> {
    if let Some(name) = metric
        .strip_prefix("read.")
        .and_then(|rest| rest.strip_suffix(".path"))
    {
        let read = result.reads.iter().find(|read| read.name == name)?;
        return read.path.clone();
    }
    match result.metrics.get(metric)? {
        Metric::Word(word) => Some(word.clone()),
        _ => None,
    }
}

fn ratio(result: &StrategyResult, base: &StrategyResult, metric: &str) -> Option<f64> {
    let [one, other] = [result, base].map(|result| result.measure(metric));
    let (one, other) = (one?, other?);
    let is_known = !one.censored && !other.censored;
    Some(one.mean? / other.mean?).filter(|_| is_known)
}

fn is_on_the_wrong_side(mean: f64, bound: &Bound) -> bool {
    match *bound {
        Bound::Above(least) => mean <= least,
        Bound::Below(most) => mean >= most,
        Bound::Between(least, most) => !(least..=most).contains(&mean),
        Bound::Is(ExpectedValue::Number(number)) => {
            (mean - number).abs() > 1e-9 * number.abs().max(1.0)
        }
        Bound::Is(ExpectedValue::Text(_)) => false,
    }
}

#[test]
fn every_scenario_asks_a_question_and_argues_for_each_expectation() {
    for file in all_files() {
        let scenario = load(&file);
        let name = file.display();
        assert!(
            scenario.question.ends_with('?'),
            "{name}: {}",
            scenario.question
        );
        assert!(scenario.strategies.len() >= 2, "{name} compares nothing");
        let metrics =
            scenario
                .expectations
                .iter()
                .filter_map(|expectation| match &expectation.expected {
                    Expected::Metric { metric, .. } => Some((metric, &expectation.because)),
                    Expected::Key(_) => None,
                });
        let mut count = 0;
        for (metric, because) in metrics {
            count += 1;
            // `is = "moving"` names a class; what makes it one is argued for beside it.
            assert!(
                because.is_some() || metric == "hotspot",
                "{name}: `{metric}` has no `because`"
            );
        }
        assert!(count > 0, "{name} expects nothing");
    }
}

#[test]
fn every_scenario_stands_in_the_index() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let index = fs::read_to_string(folder.join("README.md")).unwrap();
    for file in all_files() {
        let name = file.strip_prefix(&folder).unwrap().to_string_lossy();
        assert!(
            index.contains(&format!("({name})")),
            "scenarios/README.md does not mention {name}"
        );
    }
}

/// What a run says of its strategies, without the marks of Markdown.
fn said(ran: &Ran) -> String {
    let report = Report {
        charts: false,
        ..Report::new(&ran.results)
    };
    let style = Style {
        width: 100,
        ascii: false,
        colour: false,
    };
    let text = report.render(Format::Markdown, style);
    text.replace(['\\', '`'], "")
}

#[test]
fn every_sentence_that_the_guide_quotes_is_one_of_a_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let guide = fs::read_to_string(folder.join("README.md")).unwrap();
    let mut quotes = 0;
    let mut wrong = Vec::new();
    for ran in ran() {
        let name = ran.file.file_stem().unwrap().to_string_lossy();
        let row = format!("| [{name}]({name}.toml) |");
        for row in guide.lines().filter(|line| line.starts_with(&row)) {
            let said = said(ran);
            for quote in row
                .split("*\"")
                .skip(1)
                .filter_map(|it| it.split_once("\"*"))
            {
                quotes += 1;
                if !said.contains(&quote.0.replace('`', "")) {
                    wrong.push(format!("{name} does not say: {}", quote.0));
                }
            }
        }
    }
    assert!(quotes > 30, "only {quotes} quotes were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_readme_is_short_and_its_links_lead_somewhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (file, most) in [("README.md", 1_500), ("scenarios/README.md", usize::MAX)] {
        let file = folder.join(file);
        let text = fs::read_to_string(&file).unwrap();
        let prose: Vec<&str> = text.split("```").step_by(2).collect();
        let words = prose.iter().flat_map(|it| it.split_whitespace()).count();
        assert!(words <= most, "{} has {words} words", file.display());
        for target in prose.iter().flat_map(|it| it.split("](").skip(1)) {
            let target = target.split(')').next().unwrap();
            if target.starts_with("http") {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = match path {
                "" => file.clone(),
                path => file.parent().unwrap().join(path),
            };
            assert!(path.exists(), "{} leads to {target}", file.display());
            if !anchor.is_empty() {
                let text = fs::read_to_string(&path).unwrap();
                let heading = |line: &str| {
                    let letters = line.trim_start_matches('#').trim().to_lowercase();
                    let letters = letters.replace(' ', "-").replace(',', "");
                    line.starts_with('#') && letters == anchor
                };
                assert!(
                    text.lines().any(heading),
                    "{} leads to {target}",
                    file.display()
                );
            }
        }
    }
}
