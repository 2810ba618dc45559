//! What a scenario's results recommend, for a terminal, a pull request or a program. Must not judge.

use super::document::{Block, Column, Document, Table};
use super::number::{self, NumberFormat, UNDEFINED};
use crate::experiment::{
    ComparableStrategies, RankedStrategy, Recommendations, SuggestedKey, SuggestedKeys, in_words,
};
use crate::text::{all, joined, listed};
use NumberFormat::{Bytes, Compact, Ratio};

const COLUMNS: [Column; 9] = [
    Column::words(["", "strategy"], 0),
    Column::words(["", "key of"], 3),
    Column::words(["", "loses in"], 0),
    Column::words(["", "limits"], 0),
    Column::numbers(["cost", "of reads"], 0),
    Column::numbers(["usable", "capacity/s"], 0),
    Column::numbers(["bytes", "a write"], 2),
    Column::words(["Pareto", "front"], 3),
    Column::words(["", "hotspot"], 1),
];

/// A longer `create` command is not shown whole: bytes.
const LONGEST_SHOWN: usize = 2_000;

/// Split points at the start of such a command that are shown.
const POINTS_SHOWN: usize = 2;

/// Why there are several decisions.
pub(super) const SEVERAL_GROUPS: &str = "Keys are compared where they store the same rows under the same load on the same cluster: each group has a decision of its own.";

/// Recommendations for a terminal, or a pull request.
pub fn recommendation_document(found: &Recommendations) -> Document {
    let mut parts = vec![vec![Block::Title(title(found).to_owned())]];
    let several = found.groups.len() > 1;
    parts.extend(several.then(|| vec![Block::text(SEVERAL_GROUPS.to_owned())]));
    for group in &found.groups {
        let own = group.strategies.iter().filter(|it| !it.suggested);
        let among = || vec![Block::Heading(format!("Among {}", names(own)))];
        parts.extend(several.then(among));
        parts.push(vec![Block::Table(table(group))]);
        let (create, rest) = shown(&group.create, LONGEST_SHOWN);
        let reasons = [Block::Text(sentences(group)), Block::Command(create)];
        parts.push(reasons.into_iter().chain(rest.map(Block::Hint)).collect());
    }
    parts.push(vec![Block::Note(footnote(found))]);
    Document(parts)
}

/// The `create` command of each recommended table, for the HBase shell.
pub fn create_commands(found: &Recommendations) -> String {
    let groups = found.groups.iter();
    let best = groups.filter_map(|group| Some((group.strategies.first()?, group)));
    let commands = best.map(|(best, group)| {
        let key = joined(best.key.split_whitespace(), " ");
        let warning = group.create_warning.iter();
        let warning: String = warning.map(|it| format!("# {it}\n")).collect();
        format!("# {}: {key}\n{warning}{}\n", best.name, group.create)
    });
    commands.collect::<Vec<_>>().join("\n")
}

fn title(found: &Recommendations) -> &str {
    match found.question.is_empty() {
        true => &found.scenario,
        false => &found.question,
    }
}

fn footnote(found: &Recommendations) -> String {
    let replicates = number::counted(found.replicates, "replicate");
    format!(
        "{} Each group is ranked among the keys over the same fields: by the rows that they keep, by limits ({}), then by what reads come to cost when rows are kept 10 times as long (where growth makes it twice as \
         much), what they cost, old versions under random salts, {} and bytes, where only differences of more than 5 % that the replicates show count. Another load, cluster or set of reads than the file's \
         may turn it round. {}, seed {}, {replicates} of {}.",
        tried(found.suggestions.as_ref()),
        found.limits.join("; "),
        match found.groups.iter().any(has_knees) {
            true => "knee",
            false => "usable capacity",
        },
        found.tool,
        found.seed,
        number::length(found.duration_s)
    )
}

fn table(group: &ComparableStrategies) -> Table {
    let mut columns = COLUMNS;
    if has_knees(group) {
        columns[5] = Column::named("knee/s", true);
    }
    let rows = group.strategies.iter().enumerate();
    let rows = rows.map(|(at, strategy)| {
        let standing = match &strategy.loses_in {
            Some(loss) => loss.respect.as_str(),
            None if group.tied > 1 && at < group.tied => "tied",
            None => "",
        };
        row(strategy, standing, has_knees(group))
    });
    Table::new(columns, rows)
}

/// Which keys were tried besides the file's, and which of them were left out.
fn tried(suggestions: Option<&SuggestedKeys>) -> String {
    let names = |keys: &[SuggestedKey]| all(keys.iter().map(|key| &key.name));
    let Some(keys) = suggestions else {
        return "Only the file's own strategies are ranked.".to_owned();
    };
    let mut sentences = Vec::new();
    if !keys.simulated.is_empty() {
        let simulated = names(&keys.simulated);
        sentences.push(format!("Keys of keyheat's own: {simulated}."));
    }
    if !keys.left_out.is_empty() {
        let left_out = names(&keys.left_out);
        sentences.push(format!(
            "Not simulated, because their predicted regions and reads are no better: {left_out}."
        ));
    }
    match sentences.is_empty() {
        true => "The file's keys suggest no other.".to_owned(),
        false => sentences.join(" "),
    }
}

/// The file has a `[knee]`, and some strategy sustains something.
fn has_knees(group: &ComparableStrategies) -> bool {
    let mut strategies = group.strategies.iter();
    strategies.any(|strategy| strategy.knee_per_sec.is_some())
}

fn row(strategy: &RankedStrategy, standing: &str, has_knees: bool) -> Vec<String> {
    let source = ["file", "keyheat"][usize::from(strategy.suggested)];
    let on_front = if strategy.on_front { "yes" } else { "no" };
    let sustained = match has_knees {
        true => strategy.knee_per_sec,
        false => strategy.usable_capacity_per_sec,
    };
    vec![
        strategy.name.clone(),
        source.to_owned(),
        standing.to_owned(),
        match strategy.broken_limits.len() {
            0 if !strategy.open_limits.is_empty() => "open".to_owned(),
            0 => "kept".to_owned(),
            n => format!("{n} broken"),
        },
        Ratio.optional(strategy.read_cost),
        Compact.optional(sustained),
        Bytes.optional(strategy.write_bytes),
        on_front.to_owned(),
        strategy.hotspot.clone().unwrap_or(UNDEFINED.to_owned()),
    ]
}

/// The recommendation, what it rests on, and which limits are broken.
fn sentences(group: &ComparableStrategies) -> Vec<String> {
    let mut sentences = vec![headline(group)];
    sentences.extend(group.reasons.iter().cloned());
    // Of tied ones nothing that counts is different.
    let next = group.comparisons.first().filter(|_| group.tied == 1);
    sentences.extend(next.map(|next| {
        let words = in_words(&group.comparisons.iter().collect::<Vec<_>>());
        format!("Over the next, `{}`: {words}.", next.baseline)
    }));
    let broken = group.strategies.iter();
    let broken = broken.filter(|it| !it.broken_limits.is_empty());
    sentences.extend(broken.map(|it| {
        let limits = it.broken_limits.join("; ");
        format!("`{}` breaks limits: {limits}.", it.name)
    }));
    // Whether a key keeps the limits is not open where it breaks one.
    let open = group.strategies.iter();
    let open = open.filter(|it| it.broken_limits.is_empty() && !it.open_limits.is_empty());
    sentences.extend(open.map(|it| {
        let limits = it.open_limits.join("; ");
        format!(
            "Whether `{}` keeps the limits is open: {limits}, which the replicates don't show.",
            it.name
        )
    }));
    sentences
}

/// Which key to take; of tied ones none.
pub(super) fn headline(group: &ComparableStrategies) -> String {
    let keys = match group.fields.is_empty() {
        true => "these keys".to_owned(),
        false => format!("the keys over {}", listed(&group.fields)),
    };
    let Some(best) = group.strategies.first() else {
        return format!("There is none of {keys}.");
    };
    let none = format!(
        "None of {keys} keeps the limits: a better one, or more servers, are still to be found."
    );
    if group.tied > 1 {
        let names = names(group.tied_and_others().0);
        let mut all = group.strategies.iter();
        let tied = match all.all(|it| !it.broken_limits.is_empty()) {
            true => format!("{none} Tied among them"),
            false => format!("Tied among {keys}"),
        };
        return format!("{tied}: {names}; none of them is shown to be better than the others.");
    }
    let (name, key) = (&best.name, best.key.trim());
    // One command for the table, and one for each copy.
    let copies = match group.create.lines().count() {
        0 | 1 => String::new(),
        2 => " and a copy".to_owned(),
        tables => format!(" and {} copies", tables - 1),
    };
    match best.broken_limits.is_empty() {
        true => format!("Recommended among {keys}: `{name}`, with key `{key}`{copies}."),
        false => format!("{none} The best of them is `{name}`, with key `{key}`{copies}."),
    }
}

/// `a`, `b` and `c`.
pub(super) fn names<'a>(strategies: impl IntoIterator<Item = &'a RankedStrategy>) -> String {
    all(strategies.into_iter().map(|it| &it.name))
}

/// `create` commands as people are shown them, each whole up to so many bytes, and how they get the rest of it.
pub(super) fn shown(create: &str, longest: usize) -> (String, Option<String>) {
    let mut most_points = 0;
    let commands = create.lines().map(|command| {
        let (start, points) = command.split_once("SPLITS => [").unwrap_or((command, ""));
        let points: Vec<&str> = points.split("', '").collect();
        let count = points.len();
        if command.len() <= longest || count <= POINTS_SHOWN {
            return command.to_owned();
        }
        most_points = most_points.max(count);
        let first = points[..POINTS_SHOWN].join("', '");
        format!("{start}SPLITS => [{first}', ..., '{}", points[count - 1])
    });
    let shown = commands.collect::<Vec<_>>().join("\n");
    let rest = (most_points > 0).then(|| {
        format!(
            "with {} split points: `keyheat advise --create FILE` writes the whole command, for `hbase shell FILE`",
            number::grouped(most_points as u64)
        )
    });
    (shown, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Of two tied keys over `id`, each with the limits that it breaks.
    fn told(broken: [&[&str]; 2], open: &[&str]) -> Vec<String> {
        let ranked = broken.map(|broken| {
            json!({ "name": "a", "key": "k", "suggested": false, "hotspot": null, "broken_limits": broken, "open_limits": open,
                "growing_reads": [], "read_cost": null, "usable_capacity_per_sec": null, "write_bytes": null,
                "on_front": true, "loses_in": null })
        });
        let group = json!({ "fields": ["id"], "strategies": ranked, "tied": 2, "reasons": [], "comparisons": [], "create": "" });
        sentences(&serde_json::from_value(group).expect("a group"))
    }

    #[test]
    fn a_key_that_breaks_a_limit_has_nothing_open() {
        let open = |broken| {
            let told = told(broken, &["reads"]);
            told.iter().filter(|it| it.starts_with("Whether")).count()
        };
        assert_eq!(open([&[], &[]]), 2);
        assert_eq!(open([&["writes"], &[]]), 1);
        assert_eq!(open([&["writes"], &["writes"]]), 0);
    }

    #[test]
    fn tied_keys_none_of_which_keeps_the_limits_are_said_to_be_that() {
        let none = "None of the keys over id keeps the limits";
        let headline = |broken| told(broken, &[])[0].clone();
        assert!(headline([&["writes"], &["writes"]]).starts_with(none));
        assert!(headline([&["writes"], &[]]).starts_with("Tied among the keys over id: `a`"));
    }

    #[test]
    fn a_long_command_shows_its_first_and_last_points_and_how_to_get_the_others() {
        let create = |points: usize, width: usize| {
            let points: Vec<String> = (1..=points).map(|at| format!("{at:0width$}")).collect();
            format!("create 't', 'd', SPLITS => ['{}']", points.join("', '"))
        };
        let (long, short) = (create(12_345, 6), create(31, 6));
        let (told, rest) = shown(&long, LONGEST_SHOWN);
        assert_eq!(
            told,
            "create 't', 'd', SPLITS => ['000001', '000002', ..., '012345']"
        );
        let count = number::grouped(12_345);
        assert!(
            rest.unwrap()
                .starts_with(&format!("with {count} split points: "))
        );
        for whole in [short, create(2, 1_500), "create 't', 'd'".to_owned()] {
            assert_eq!(shown(&whole, LONGEST_SHOWN), (whole, None));
        }
    }
}
