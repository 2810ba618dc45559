//! `[sweep]`: lists of values in the shape of the file, and the points that they multiply to.

use super::document::{Path, dotted};
use super::model::{SweepValue, SweptSetting};
use super::prelude::*;
use super::settings::put;

/// Most points of a sweep (estimate: more than anybody looks at).
const MOST_POINTS: usize = 1_024;

/// Most runs of a sweep (estimate: some hours).
const MOST_RUNS: usize = 10_000;

/// What all points and strategies share, or what makes them comparable.
pub(super) const SHARED: [&str; 9] = [
    "question",
    "seed",
    "replicates",
    "time",
    "regions",
    "expect",
    "quick",
    "sweep",
    "knee",
];

/// One setting with its values.
#[derive(Debug, Clone)]
struct List {
    keys: Path,
    values: Vec<Node>,
}

impl List {
    /// What it sweeps, as in `--set`.
    fn path(&self) -> String {
        dotted(&self.keys)
    }
}

/// All lists of a document. Points count through them as a milometer does: the last list fastest.
#[derive(Debug, Clone, Default)]
pub(super) struct Sweep {
    lists: Vec<List>,
    place: Option<SourcePlace>,
}

/// The part of a sweep that an `at` names: the place of each value in its list; `None` for one that the file lists and the command
/// line does not.
pub(super) type At = Vec<(usize, Option<usize>)>;

impl Sweep {
    /// The lists of `[sweep]`; none when it is absent or too long.
    pub(super) fn read(sink: &Diagnostics, document: &TomlTable) -> Self {
        let Some(entry) = document.get("sweep") else {
            return Self::default();
        };
        let mut sweep = Self {
            lists: Vec::new(),
            place: Some(entry.place.clone()),
        };
        let Value::Table(table) = &entry.node.value else {
            let message = format!("`sweep` is {}", entry.node.value.kind());
            sink.error(&entry.place, message, "expected `[sweep]`");
            return Self::default();
        };
        if table.entries.is_empty() {
            let diagnostic = Diagnostic::error("a sweep without a list")
                .label("expected lists of values")
                .help("add, for example, `cluster.servers = [4, 8, 16]`");
            sink.add(&entry.place, diagnostic);
        }
        sweep.collect(sink, table);
        let lengths: Vec<usize> = sweep.lists.iter().map(|list| list.values.len()).collect();
        let mut lists = lengths.iter();
        let points = lists.try_fold(1_usize, |points, list| points.checked_mul(*list));
        if points.is_none_or(|points| points > MOST_POINTS) {
            let points = points.map_or("too many".to_owned(), |points| points.to_string());
            let lengths: Vec<String> = lengths.iter().map(usize::to_string).collect();
            let diagnostic = Diagnostic::error(format!("the sweep has {points} points"))
                .label(format!("lists multiply: {}", lengths.join(" × ")))
                .help(format!("at most {MOST_POINTS}: shorten a list"));
            sink.add(&entry.place, diagnostic);
            return Self::default();
        }
        sweep
    }

    fn collect(&mut self, sink: &Diagnostics, table: &TomlTable) {
        for (keys, entry) in table.leaves(&|path| SHARED.contains(&path)) {
            let path = dotted(&keys);
            if SHARED.contains(&keys[0].0.as_str()) {
                let label = "the same at every point: what makes points comparable";
                sink.error(&entry.place, format!("`{path}` can't be swept"), label);
                continue;
            }
            let place = &entry.node.place;
            match &entry.node.value {
                Value::Array(values) if values.is_empty() => {
                    let label = "expected at least one value";
                    sink.error(place, format!("`sweep.{path}` is empty"), label);
                }
                Value::Array(values) => {
                    // A longer list is refused as a whole.
                    for (at, value) in values.iter().enumerate().take(MOST_POINTS) {
                        if position(&values[..at], value).is_some() {
                            let twice = format!("`{}` is listed twice", bare(&value.value));
                            sink.error(&value.place, twice, "each value is one point");
                        }
                    }
                    let values = values.clone();
                    self.lists.push(List { keys, values });
                }
                other => {
                    let message = format!("`sweep.{path}` is {}", other.kind());
                    let diagnostic = Diagnostic::error(message)
                        .label("expected a list of values")
                        .help(format!("write `{path} = [{}, ...]`", bare(other)));
                    sink.add(place, diagnostic);
                }
            }
        }
    }

    /// Number of points; 0 without a sweep.
    pub(super) fn len(&self) -> usize {
        match self.lists.is_empty() {
            true => 0,
            false => self.lists.iter().map(|list| list.values.len()).product(),
        }
    }

    /// The place in each list of the values of a point.
    fn places(&self, mut point: usize) -> Vec<usize> {
        let mut places = vec![0; self.lists.len()];
        for (place, list) in places.iter_mut().zip(&self.lists).rev() {
            *place = point % list.values.len();
            point /= list.values.len();
        }
        places
    }

    fn nodes(&self, point: usize) -> impl Iterator<Item = (&List, &Node)> {
        let lists = self.lists.iter().zip(self.places(point));
        lists.map(|(list, at)| (list, &list.values[at]))
    }

    /// Sets the values of a point.
    pub(super) fn apply(&self, sink: &Diagnostics, document: &mut TomlTable, point: usize) {
        for (list, value) in self.nodes(point) {
            if let Err(diagnostic) = put(document, &list.keys, value.clone()) {
                let place = list.keys.last().map_or(&value.place, |(_, place)| place);
                sink.add(place, diagnostic.label("no such name in the file"));
            }
        }
    }

    /// The values of a point, in the order of the lists.
    pub(super) fn values(&self, point: usize) -> Vec<SweepValue> {
        let value = |(list, node): (&List, &Node)| SweepValue {
            path: list.path(),
            value: node.value.json(),
        };
        self.nodes(point).map(value).collect()
    }

    /// The lists.
    pub(super) fn settings(&self) -> Vec<SweptSetting> {
        let setting = |list: &List| SweptSetting {
            path: list.path(),
            values: list.values.iter().map(|node| node.value.json()).collect(),
        };
        self.lists.iter().map(setting).collect()
    }

    /// The list of a path, and where it stands.
    fn list(&self, path: &str) -> Option<(&List, &SourcePlace)> {
        let list = self.lists.iter().find(|list| list.path() == path)?;
        Some((list, &list.keys.last()?.1))
    }

    /// Warns of parameters that no expression uses, of those that are swept at their lists.
    pub(super) fn check_parameters(&self, sink: &Diagnostics, document: &TomlTable) {
        let parameters = document.table("parameter");
        for entry in parameters.map_or(&[][..], |table| &table.entries) {
            let (name, place) = (&entry.key, &entry.place);
            if sink.is_used(name) {
                continue;
            }
            let (place, label, instead) = match self.list(&format!("parameter.{name}")) {
                Some((_, place)) => (place, "all its points are the same", "sweep something else"),
                None => (place, "changes nothing", "leave it out"),
            };
            let message = format!("no expression uses the parameter `{name}`");
            let help = format!("use it in a key or a field, or {instead}");
            sink.add(place, Diagnostic::warning(message).label(label).help(help));
        }
    }

    /// Warns when `vary`, the load that `[knee]` varies itself, is swept.
    pub(super) fn check_knee(&self, sink: &Diagnostics, vary: &str) {
        let Some((list, place)) = self.list(vary) else {
            return;
        };
        let times = list.values.len();
        let help = format!(
            "sweep something else, or leave `[knee]` out: the same knee is looked for {times} times"
        );
        let diagnostic = Diagnostic::warning(format!("`{vary}` is swept, and varied by `[knee]`"));
        let label = "its values do not matter to the search";
        sink.add(place, diagnostic.label(label).help(help));
    }

    /// Complains when there are more runs than anybody waits for.
    pub(super) fn check_runs(&self, sink: &Diagnostics, strategies: usize, replicates: u32) {
        let points = self.len();
        let runs = points * strategies * replicates as usize;
        if let Some(place) = self.place.as_ref().filter(|_| runs > MOST_RUNS) {
            let factors =
                format!("{points} points × {strategies} strategies × {replicates} replicates");
            let help = format!("at most {MOST_RUNS}: shorten a list, or lower `replicates`");
            let diagnostic = Diagnostic::error(format!("the sweep has {runs} runs"));
            sink.add(place, diagnostic.label(factors).help(help));
        }
    }

    /// What tells these points from all others, as ``with `parameter.buckets = 300` ``; `None` when nothing does.
    pub(super) fn what_tells(&self, points: &[usize], of: usize) -> Option<String> {
        let (&first, others) = points.split_first()?;
        if points.len() >= of {
            return None;
        }
        let first = self.places(first);
        let lists = self.lists.iter();
        let mut common: Vec<bool> = lists.map(|list| list.values.len() > 1).collect();
        for &other in others {
            for ((common, a), b) in common.iter_mut().zip(&first).zip(self.places(other)) {
                *common &= *a == b;
            }
        }
        let all = !common.contains(&true);
        let shown = self.lists.iter().zip(&first).zip(&common);
        let shown = shown.filter(|(_, common)| all || **common);
        let setting = |((list, at), _): ((&List, &usize), &bool)| {
            format!("`{} = {}`", list.path(), bare(&list.values[*at].value))
        };
        let settings = shown.map(setting).collect::<Vec<_>>().join(", ");
        Some(match all {
            true => format!("at {} of {of} points, first with {settings}", points.len()),
            false => format!("with {settings}"),
        })
    }

    /// Reads an `at`: settings that are swept, with a value of their list each. `file` is the sweep as the file alone has it.
    pub(super) fn read_at(&self, sink: &Diagnostics, node: &Node, file: &Self) -> Option<At> {
        const EXPECTED: &str = "expected swept settings, as in `{ cluster.servers = 8 }`";
        let Some(table) = node.table() else {
            let message = format!("`at` is {}", node.value.kind());
            sink.error(&node.place, message, EXPECTED);
            return None;
        };
        if self.lists.is_empty() && file.lists.is_empty() {
            let diagnostic = Diagnostic::error("`at` picks a point of a sweep, and there is none")
                .label("nothing to pick from")
                .help("add a `[sweep]`, or leave `at` out");
            sink.add(&node.place, diagnostic)?;
        }
        if table.entries.is_empty() {
            sink.error(&node.place, "`at` names no point", EXPECTED)?;
        }
        let of = |sweep: &Self, path: &str| sweep.lists.iter().position(|it| it.path() == path);
        let is_swept = |path: &str| of(self, path).or(of(file, path)).is_some();
        let (mut at, mut sound) = (At::new(), true);
        for (keys, entry) in table.leaves(&is_swept) {
            let path = dotted(&keys);
            let value = &entry.node.value;
            let own = of(self, &path);
            let values = own.map(|at| &self.lists[at].values);
            let file_values = of(file, &path).map(|at| &file.lists[at].values);
            let among = |values: Option<&Vec<Node>>| position(values?, &entry.node);
            let place = among(values);
            let (where_, message, swept): (_, _, Vec<String>) = match values.or(file_values) {
                None => {
                    let lists = self.lists.iter().map(|list| format!("`{}`", list.path()));
                    (
                        &entry.place,
                        format!("`{path}` is not swept"),
                        lists.collect(),
                    )
                }
                Some(swept) if place.or(among(file_values)).is_none() => {
                    let message = format!("no point has `{path} = {}`", bare(value));
                    let swept = swept.iter().map(|node| bare(&node.value));
                    (&entry.node.place, message, swept.collect())
                }
                Some(_) => {
                    at.extend(own.map(|own| (own, place)));
                    continue;
                }
            };
            let diagnostic = Diagnostic::error(message).label("names no point");
            let help = format!("swept: {}", swept.join(", "));
            sink.add(where_, diagnostic.help(help));
            sound = false;
        }
        sound.then_some(at)
    }

    /// Whether a point is one of those that `at` names.
    pub(super) fn matches(&self, point: usize, at: &At) -> bool {
        let places = self.places(point);
        at.iter().all(|&(list, value)| value == Some(places[list]))
    }

    /// The point that differs from `point` in what `at` names; `None` when the command line left its value out.
    pub(super) fn moved(&self, point: usize, at: &At) -> Option<usize> {
        let mut places = self.places(point);
        for &(list, value) in at {
            places[list] = value?;
        }
        let lists = self.lists.iter().zip(places);
        Some(lists.fold(0, |point, (list, at)| point * list.values.len() + at))
    }
}

fn position(values: &[Node], value: &Node) -> Option<usize> {
    let wanted = value.value.json();
    values.iter().position(|one| one.value.json() == wanted)
}

fn bare(value: &Value) -> String {
    super::show::value(value)
}
