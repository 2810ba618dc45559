//! Which key to take, why, what it costs and what may go wrong, as documents open with it. Must not judge: the results do.

use super::document::{Block, Term};
use super::number::NumberFormat;
use super::recommendation_report::{SEVERAL_GROUPS, names, shown};
use crate::experiment::{
    ComparableStrategies, ONE_CANT_SHOW, RankedStrategy, Results, StrategyResult, at_point,
};
use crate::text::{capital, joined};
use NumberFormat::{Bytes, Compact, Ratio};

/// Sentences of a verdict or of reasons that are shown: the rest stands with the key.
const FEW: usize = 2;
/// Warnings about a key that are shown likewise.
const WARNINGS: usize = 2;
/// A longer `create` command is not shown whole: bytes.
const LONGEST_COMMAND: usize = 160;
/// More groups than these get a sentence each.
const GROUPS_IN_FULL: usize = 2;
/// Why there is none.
const NO_GROUP: &str = "No two of these keys store the same rows under the same load on the same cluster: each is measured, and none is recommended over another.";

/// What to take, in one sentence; `None` where no two strategies store the same rows.
pub fn headline(results: &Results) -> Option<String> {
    let mut groups = groups(results).peekable();
    groups.peek()?;
    let each = groups.map(|group| {
        let (tied, broken) = (group.tied, best(group)?.broken_limits.len());
        let named = names(group.tied_and_others().0);
        let unshown = group.reasons.iter().any(|it| it.contains(ONE_CANT_SHOW));
        Some(match (tied, broken) {
            (1, 0) => format!("Take {named}"),
            (1, _) => format!("No key keeps the limits, {named} comes nearest"),
            _ if unshown => format!("One replicate does not tell {named} apart"),
            (_, 0) => format!("{named} are tied"),
            _ => format!("No key keeps the limits, {named} come nearest"),
        })
    });
    let each: Vec<String> = each.collect::<Option<_>>()?;
    match each.len() <= GROUPS_IN_FULL {
        true => Some(
            each.join("; ")
                .replace("; Take", "; take")
                .replace("; No", "; no"),
        ),
        false => Some(format!(
            "{} of {} groups of keys that store different rows",
            each[0],
            each.len()
        )),
    }
}

/// Why nothing is decided where there is more than one strategy.
pub fn nothing_to_decide(results: &Results) -> Option<Block> {
    let alone = results.recommended.len() > 1 && groups(results).next().is_none();
    alone.then(|| Block::text(NO_GROUP.to_owned()))
}

/// The name of the strategy that is recommended first.
pub fn first_name(results: &Results) -> Option<&str> {
    Some(&best(groups(results).next()?)?.name)
}

/// Those among which something is to be decided.
fn groups(results: &Results) -> impl Iterator<Item = &ComparableStrategies> {
    let groups = results.recommended.iter();
    groups.filter(|group| group.strategies.len() > 1)
}

fn best(group: &ComparableStrategies) -> Option<&RankedStrategy> {
    group.strategies.first()
}

/// The decision, group by group.
pub fn blocks(results: &Results) -> Vec<Block> {
    let count = groups(results).count();
    let why = (count > 1).then(|| Block::text(SEVERAL_GROUPS.to_owned()));
    let each = groups(results).enumerate().flat_map(|(at, group)| {
        let point = shared_point(results, group);
        let short = |text: &str| text.replace(&point, "");
        let among = || format!("Among {}{point}", short(&names(&group.strategies)));
        let heading = (count > 1 || !point.is_empty()).then(|| Block::Heading(among()));
        match at > 0 && count > GROUPS_IN_FULL {
            true => vec![Block::text(super::recommendation_report::headline(group))],
            false => {
                let blocks = of_group(results, group, short);
                heading.into_iter().chain(blocks).collect()
            }
        }
    });
    why.into_iter().chain(each).collect()
}

/// The point of a sweep at which all keys of a group were run: the heading says it, and no sentence needs to again.
fn shared_point(results: &Results, group: &ComparableStrategies) -> String {
    let point = |own| find(results, own).map_or(String::new(), |(_, it)| at_point(&it.sweep));
    let is_shared = |first: &String| group.strategies.iter().all(|own| point(own) == *first);
    let first = best(group).map(point);
    first.filter(is_shared).unwrap_or_default()
}

fn of_group(
    results: &Results,
    group: &ComparableStrategies,
    short: impl Fn(&str) -> String,
) -> Vec<Block> {
    let (tied, others) = group.tied_and_others();
    let Some(first) = tied.first() else {
        return Vec::new();
    };
    let several = tied.len() > 1;
    let mut why: Vec<String> = group.reasons.iter().take(FEW).cloned().collect();
    if let Some((_, result)) = find(results, first).filter(|_| !several) {
        let verdict = result.verdict.trim_end_matches('.').split("; ");
        why.push(verdict.take(FEW).collect::<Vec<_>>().join("; ") + ".");
    }
    let warnings = if several { 0 } else { WARNINGS };
    let risks = once(tied, |own| risks(results, own, warnings)).into_iter();
    let turn = "Another load, cluster or set of reads than the file's may turn it round.";
    let risks = risks.chain([turn.to_owned()]).collect();
    let next = others.first().map(runner_up);
    let none = || "none: nothing is shown to tell them apart.".to_owned();
    let said = |name: &str, said: Vec<String>| Term {
        name: name.to_owned(),
        said,
        ..Term::default()
    };
    let terms = keys(results, tied).into_iter().chain([
        said(["Why", "Between them"][usize::from(several)], why),
        said("What it costs", once(tied, |own| vec![costs(own, group)])),
        said("What may go wrong", risks),
        said("Runner-up", vec![next.unwrap_or_else(none)]),
    ]);
    let (create, rest) = shown(&group.create, LONGEST_COMMAND);
    let table = format!("To create the table of `{}`:", first.name);
    let terms = terms.map(|it| Term {
        name: short(&it.name),
        said: it.said.iter().map(|it| short(it)).collect(),
        ..it
    });
    let command = [
        Block::Terms(terms.collect()),
        Block::text(short(&table)),
        Block::Command(create),
    ];
    command.into_iter().chain(rest.map(Block::Hint)).collect()
}

/// What is said of tied strategies, each sentence once, with those whom it is about unless it holds of all.
fn once(tied: &[RankedStrategy], say: impl Fn(&RankedStrategy) -> Vec<String>) -> Vec<String> {
    let mut said: Vec<(String, Vec<&RankedStrategy>)> = Vec::new();
    for own in tied {
        for sentence in say(own) {
            match said.iter_mut().find(|(it, _)| *it == sentence) {
                Some((_, of)) => of.push(own),
                None => said.push((sentence, vec![own])),
            }
        }
    }
    let whom = |(sentence, of): (String, Vec<&RankedStrategy>)| match of.len() == tied.len() {
        true => sentence,
        false => format!("{}: {sentence}", names(of)),
    };
    said.into_iter().map(whom).collect()
}

/// Each key once, with the names of those that have it.
fn keys(results: &Results, tied: &[RankedStrategy]) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for own in tied {
        let term = key(results, own);
        let what = (&term.key, &term.said, &term.of);
        let is_same = |it: &&mut Term| (&it.key, &it.said, &it.of) == what;
        match terms.iter_mut().find(is_same) {
            Some(same) => {
                same.strategy = None;
                same.name = format!("{}, {}", same.name, term.name);
            }
            None => terms.push(term),
        }
    }
    terms
}

fn find<'a>(results: &'a Results, own: &RankedStrategy) -> Option<(usize, &'a StrategyResult)> {
    let mut numbered = results.strategies.iter().enumerate();
    numbered.find(|(_, result)| result.label() == own.name)
}

/// A key with its expression, in words.
fn key(results: &Results, own: &RankedStrategy) -> Term {
    let found = find(results, own);
    let (words, further) = found.map_or(("", &[][..]), |(_, result)| {
        (result.key_words.trim(), &result.further_keys[..])
    });
    let words = (!words.is_empty()).then(|| format!("Rows lie by {words}."));
    let of = own.suggested.then_some(", a key of keyheat's own");
    Term {
        strategy: found.map(|(at, _)| at).filter(|_| results.sweep.is_empty()),
        name: own.name.clone(),
        of: of.unwrap_or_default().to_owned(),
        key: own.key.clone(),
        said: words.into_iter().chain(further.iter().cloned()).collect(),
        ..Term::default()
    }
}

/// What readers, disks and servers pay.
fn costs(own: &RankedStrategy, group: &ComparableStrategies) -> String {
    let bytes = group.strategies.iter().filter_map(|it| it.write_bytes);
    let least = bytes.fold(f64::INFINITY, f64::min);
    let reads = own.read_cost.map(|cost| match Ratio.text(cost).as_str() {
        "1.00×" => "the cheapest reads".to_owned(),
        cost => format!("{cost} the reads of the cheapest key"),
    });
    let rows = own.write_bytes.map(|bytes| match bytes <= least {
        true => format!("{} a write, the least", Bytes.text(bytes)),
        false => format!(
            "{} a write, the least is {}",
            Bytes.text(bytes),
            Bytes.text(least)
        ),
    });
    let rates = [own.knee_per_sec, own.usable_capacity_per_sec];
    let load = match rates.map(|rate| rate.map(|it| Compact.text(it))) {
        [Some(knee), _] => Some(format!("it sustains {knee}/s within the limits")),
        [_, Some(most)] => Some(format!("its hottest server is full at {most}/s")),
        _ => None,
    };
    match &joined([reads, rows, load].into_iter().flatten(), "; ")[..] {
        "" => "Not known.".to_owned(),
        parts => capital(parts) + ".",
    }
}

/// Limits that it breaks, reads that grow, the hotspot that it has, and up to so many warnings.
fn risks(results: &Results, own: &RankedStrategy, most_warnings: usize) -> Vec<String> {
    let mut risks = Vec::new();
    if !own.broken_limits.is_empty() {
        let broken_limits = own.broken_limits.join("; ");
        risks.push(format!("It breaks limits: {broken_limits}."));
    } else if !own.open_limits.is_empty() {
        let open = own.open_limits.join("; ");
        risks.push(format!(
            "It may break limits, which the replicates don't show: {open}."
        ));
    }
    if !own.growing_reads.is_empty() {
        let growing_reads = own.growing_reads.join("; ");
        risks.push(format!("When rows are kept longer, {growing_reads}."));
    }
    if let Some((_, result)) = find(results, own) {
        // What to do about it stands with the key.
        let cause = result.advice.split_inclusive(". ").next();
        let cause = cause.unwrap_or_default();
        risks.extend(result.is_hot().then(|| cause.trim().to_owned()));
    }
    let about = format!("`{}`", own.name);
    let subject = format!("strategy {about}: ");
    let warnings = results.warnings.iter().filter(|it| it.contains(&about));
    let told = warnings.map(|it| it.strip_prefix(&subject).unwrap_or(it));
    risks.extend(told.take(most_warnings).map(|it| capital(it) + "."));
    risks
}

/// Who comes next, and what it loses in.
fn runner_up(next: &RankedStrategy) -> String {
    let (name, key) = (&next.name, &next.key);
    let loses = next.loses_in.as_ref().map(|loss| {
        let times = match loss.times.mean {
            Some(_) => format!(" ({})", Ratio.interval(&loss.times)),
            None => String::new(),
        };
        format!(", which loses in {}{times} to `{}`", loss.respect, loss.to)
    });
    format!("`{name}`, with key `{key}`{}.", loses.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::headline;
    use crate::report::sample_fixture as sample;
    use serde_json::json;

    #[test]
    fn the_headline_says_what_is_known_and_no_more() {
        let told = |tied: usize, broken: &[&str], reason: &str| {
            let ranked = ["a", "b", "c"].map(|name| {
                json!({ "name": name, "key": "k", "suggested": false, "hotspot": null, "broken_limits": broken,
                    "growing_reads": [], "read_cost": null, "usable_capacity_per_sec": null, "write_bytes": null,
                    "on_front": true, "loses_in": null })
            });
            let group = json!({ "fields": [], "strategies": ranked, "tied": tied, "reasons": [reason],
                "comparisons": [], "create": "" });
            let mut results = sample::five_keys();
            results.recommended = vec![serde_json::from_value(group).expect("a group")];
            headline(&results)
        };
        assert_eq!(told(1, &[], "").as_deref(), Some("Take `a`"));
        assert_eq!(told(2, &[], "").as_deref(), Some("`a` and `b` are tied"));
        assert_eq!(
            told(1, &["writes"], "").as_deref(),
            Some("No key keeps the limits, `a` comes nearest")
        );
        assert_eq!(
            told(2, &["writes"], "").as_deref(),
            Some("No key keeps the limits, `a` and `b` come nearest")
        );
        assert_eq!(
            told(2, &[], "they differ, which one replicate can't show").as_deref(),
            Some("One replicate does not tell `a` and `b` apart")
        );
    }
}
