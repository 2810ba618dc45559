//! A TOML file as a tree that keeps its order and every place.

use super::diagnostic::Diagnostic;
use std::borrow::Cow;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml::value::Datetime;

/// Where something stands: in the file, or in an option of the command line.
#[derive(Debug, Clone, PartialEq)]
pub enum SourcePlace {
    /// Bytes of the scenario's text.
    File(Range<usize>),
    /// The option as it was written: `--set cluster.servers=16`.
    Setting(std::sync::Arc<str>),
}

impl SourcePlace {
    /// The bytes of the scenario's text; none for an option.
    pub fn span(&self) -> Range<usize> {
        match self {
            Self::File(span) => span.clone(),
            Self::Setting(_) => 0..0,
        }
    }
}

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What stands there.
    pub value: Value,
    /// Where.
    pub place: SourcePlace,
}

/// A TOML value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Its meaning, escapes resolved.
    Text(String),
    /// Any that TOML can write in 128 bits.
    Integer(i128),
    /// May be NaN or infinite.
    Float(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A date, a time, or both.
    Datetime(Datetime),
    /// A list.
    Array(Vec<Node>),
    /// A table.
    Table(TomlTable),
}

/// A table, in file order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TomlTable {
    /// Its entries.
    pub entries: Vec<Entry>,
}

/// One key of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub place: SourcePlace,
    /// Its value.
    pub node: Node,
}

impl Node {
    /// A table of nothing.
    pub fn empty_table(place: SourcePlace) -> Self {
        let value = Value::Table(TomlTable::default());
        Self { value, place }
    }

    /// The text that stands there, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The table that stands there, if it is one.
    pub fn table(&self) -> Option<&TomlTable> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }
}

impl Value {
    /// What it is called in messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a decimal number",
            Self::Boolean(_) => "a boolean",
            Self::Datetime(_) => "a date",
            Self::Array(_) => "a list",
            Self::Table(_) => "a table",
        }
    }

    /// As JSON has it; dates, and numbers that JSON can't hold, as texts.
    pub fn json(&self) -> serde_json::Value {
        match self {
            Self::Text(text) => text.clone().into(),
            Self::Integer(integer) => match i64::try_from(*integer) {
                Ok(integer) => integer.into(),
                Err(_) => integer.to_string().into(),
            },
            Self::Float(float) => match serde_json::Number::from_f64(*float) {
                Some(number) => serde_json::Value::Number(number),
                None => float.to_string().into(),
            },
            Self::Boolean(value) => (*value).into(),
            Self::Datetime(datetime) => datetime.to_string().into(),
            Self::Array(items) => items.iter().map(|item| item.value.json()).collect(),
            Self::Table(table) => {
                let entries = table.entries.iter();
                let entries = entries.map(|entry| (entry.key.clone(), entry.node.value.json()));
                entries.collect()
            }
        }
    }
}

impl TomlTable {
    /// The entry of that key.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The entry of that key.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.key == key)
    }

    /// The value of that key.
    pub fn value_mut(&mut self, key: &str) -> Option<&mut Value> {
        Some(&mut self.get_mut(key)?.node.value)
    }

    /// The table under that key, if it is one.
    pub fn table(&self, key: &str) -> Option<&TomlTable> {
        self.get(key)?.node.table()
    }

    /// What stands under `[kind.name]`.
    pub fn named(&self, kind: &str, name: &str) -> Option<&Entry> {
        self.table(kind)?.get(name)
    }

    /// Sets `key`, in its old position when there was one.
    pub fn set(&mut self, key: &str, place: SourcePlace, node: Node) {
        match self.get_mut(key) {
            Some(entry) => {
                entry.node = node;
                entry.place = place;
            }
            None => {
                let key = key.to_owned();
                self.entries.push(Entry { key, place, node });
            }
        }
    }

    /// All entries that are no tables, or at whose dotted path `ends`, with the paths to them.
    pub fn leaves(&self, ends: &dyn Fn(&str) -> bool) -> Vec<(Path, &Entry)> {
        let mut leaves = Vec::new();
        self.collect_leaves(&[], ends, &mut leaves);
        leaves
    }

    fn collect_leaves<'a>(
        &'a self,
        above: &[(String, SourcePlace)],
        ends: &dyn Fn(&str) -> bool,
        leaves: &mut Vec<(Path, &'a Entry)>,
    ) {
        for entry in &self.entries {
            let mut keys = above.to_vec();
            keys.push((entry.key.clone(), entry.place.clone()));
            match entry.node.table().filter(|_| !ends(&dotted(&keys))) {
                Some(inner) => inner.collect_leaves(&keys, ends, leaves),
                None => leaves.push((keys, entry)),
            }
        }
    }
}

/// Keys of a path, each with its place.
pub type Path = Vec<(String, SourcePlace)>;

/// The dotted path of keys.
pub fn dotted(keys: &[(String, SourcePlace)]) -> String {
    let keys: Vec<&str> = keys.iter().map(|(key, _)| key.as_str()).collect();
    keys.join(".")
}

/// Syntax errors that are told apart: what has more of them is no scenario (estimate).
const MOST_SYNTAX_ERRORS: usize = 1_000;

/// A file as a tree, and what is wrong with it as TOML.
#[derive(Debug)]
pub struct Parsed {
    /// What could be read.
    pub table: TomlTable,
    /// The first thousand complaints.
    pub diagnostics: Vec<Diagnostic>,
    /// The tree lacks what a syntax error made unreadable: what is missing or odd in it may follow from that alone.
    pub is_broken: bool,
}

/// Statements without an end whose errors are told (estimate): each takes reading all that follows.
const MOST_UNCLOSED: usize = 16;

/// Parses a whole file.
pub fn parse(text: &str) -> Parsed {
    let parsed = DeTable::parse_recoverable(text);
    let is_broken = parsed.1.iter().any(|error| !is_duplicate(error));
    let broken = match is_broken {
        true => broken_statements(text),
        false => Vec::new(),
    };
    let mut sound = Cow::Borrowed(text);
    for (statement, _) in &broken {
        let blank = text[statement.clone()].bytes().skip(1);
        let blank = blank.map(|byte| if byte == b'\n' { '\n' } else { ' ' });
        let comment: String = std::iter::once('#').chain(blank).collect();
        sound.to_mut().replace_range(statement.clone(), &comment);
    }
    let (document, errors) = match broken.is_empty() {
        true => parsed,
        false => DeTable::parse_recoverable(&sound),
    };
    let others = without_followers(errors, text, &sound).into_iter();
    let others = others.take(MOST_SYNTAX_ERRORS - broken.len());
    let mut diagnostics: Vec<Diagnostic> = broken.into_iter().map(|(_, it)| it).collect();
    diagnostics.extend(others.map(|error| syntax_error(&error, text, 0)));
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.as_ref().map(|span| span.start));
    let table = table(document.get_ref(), &SourcePlace::File, &mut diagnostics);
    Parsed {
        table,
        diagnostics,
        is_broken,
    }
}

/// The errors without those that follow from others: where `closed` has no header that nobody closes in `text`, keys seem to be in the table before
/// it; and the keys of a table that stands there twice are twice there, too.
fn without_followers(
    mut errors: Vec<toml::de::Error>,
    text: &str,
    closed: &str,
) -> Vec<toml::de::Error> {
    let headers: Vec<usize> = text.match_indices("\n[").map(|(at, _)| at + 1).collect();
    errors.retain(|error| {
        let before = headers.partition_point(|header| *header <= start_of(error));
        let header = before.checked_sub(1).map_or(0, |last| headers[last]);
        let is_unclosed = text[header..].starts_with('[') && closed[header..].starts_with('#');
        !(is_unclosed && is_duplicate(error))
    });
    let headers = errors.iter().filter(|error| is_duplicate(error));
    let headers = headers.filter_map(toml::de::Error::span);
    let headers = headers.filter(|span| text[line_start(text, span.start)..].starts_with('['));
    let tables = headers.map(|span| {
        let next = text[span.end..].find("\n[");
        span.end..next.map_or(text.len(), |next| span.end + next)
    });
    let tables: Vec<Range<usize>> = tables.collect();
    let inside = |at: usize| tables.iter().any(|table| table.contains(&at));
    errors.retain(|error| !(is_duplicate(error) && inside(start_of(error))));
    errors
}

/// The statements that are no TOML, each with the first of its errors.
fn broken_statements(text: &str) -> Vec<(Range<usize>, Diagnostic)> {
    let (mut statements, mut unclosed, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        let end = match unclosed < MOST_UNCLOSED {
            true => end_of_statement(text, at),
            false => Ok(line_end),
        };
        unclosed += usize::from(end.is_err());
        let end = end.map_or_else(|_| next_statement(text, at), |end| text.len().min(end + 1));
        statements.push(at..end);
        at = end;
    }
    let mut broken = Vec::new();
    find_broken(text, &statements, &mut broken);
    broken
}

/// Adds those of `statements`, which follow each other, that are broken, by halves: most files have few.
fn find_broken(
    text: &str,
    statements: &[Range<usize>],
    broken: &mut Vec<(Range<usize>, Diagnostic)>,
) {
    let first_error = |range: Range<usize>| {
        let (_, errors) = DeTable::parse_recoverable(&text[range]);
        let errors = errors.into_iter().filter(|error| !is_duplicate(error));
        errors.min_by_key(start_of)
    };
    let (Some(first), Some(last)) = (statements.first(), statements.last()) else {
        return;
    };
    let found = first_error(first.start..last.end);
    let Some(error) = found.filter(|_| broken.len() < MOST_SYNTAX_ERRORS) else {
        return;
    };
    if statements.len() > 1 {
        let (before, behind) = statements.split_at(statements.len() / 2);
        find_broken(text, before, broken);
        find_broken(text, behind, broken);
        return;
    }
    // What is not closed takes in all that follows, up to what can't be inside.
    let start = first.start;
    let unclosed = end_of_statement(&text[..first.end], start).is_err();
    let beyond = match unclosed {
        true => first_error(start..text.len()),
        false => None,
    };
    let error = beyond.unwrap_or(error);
    let complaint = syntax_error(&error, text, start);
    let at = start + start_of(&error);
    let complaint = match end_of_statement(&text[..at], start) {
        Err(open) if text[open..at].contains('\n') => complaint.help(format!(
            "the `{}` on line {} is still open here",
            &text[open..=open],
            text[..open].matches('\n').count() + 1
        )),
        _ => complaint,
    };
    broken.push((first.clone(), complaint));
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The end of the line that ends the statement at `start`; or where the bracket or the quotes stand that nobody closes.
fn end_of_statement(text: &str, start: usize) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    let line_end = |at: usize| text[at..].find('\n').map_or(bytes.len(), |end| at + end);
    let (mut open, mut at) = (Vec::new(), start);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' if open.is_empty() => break,
            b'#' => {
                at = line_end(at);
                continue;
            }
            b'"' | b'\'' => {
                let is_long = bytes[at..].starts_with(&[byte; 3]);
                let (length, limit) = match is_long {
                    true => (3, bytes.len()),
                    false => (1, line_end(at)),
                };
                let mut end = at + length;
                while end < limit && !bytes[end..].starts_with(&[byte; 3][..length]) {
                    end += 1 + usize::from(byte == b'"' && bytes[end] == b'\\');
                }
                if is_long && end >= limit {
                    return Err(at);
                }
                at = if end < limit { end + length } else { limit };
                continue;
            }
            b'{' | b'[' => open.push(at),
            b'}' | b']' if open.last().is_some_and(|&it| bytes[it] + 2 == byte) => {
                open.pop();
            }
            _ => {}
        }
        at += 1;
    }
    open.first().map_or(Ok(at), |first| Err(*first))
}

/// Where the next statement begins whatever is open at `at`: the next table header, or a key at the beginning of its line.
fn next_statement(text: &str, mut at: usize) -> usize {
    while let Some(newline) = text[at..].find('\n') {
        at += newline + 1;
        let line = text[at..].lines().next().unwrap_or_default();
        if is_header(line) || is_assignment(line) {
            return at;
        }
    }
    text.len()
}

/// `[name]` or `[[name]]` from the beginning of the line on, perhaps without its end.
fn is_header(line: &str) -> bool {
    let name = line.trim_start_matches('[');
    let rest = behind_name(name).trim_end();
    (1..=2).contains(&(line.len() - name.len()))
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && (rest.is_empty() || rest.starts_with(']'))
}

/// `name = ...` from the beginning of the line on.
fn is_assignment(line: &str) -> bool {
    line.starts_with(|first: char| first.is_ascii_alphabetic())
        && behind_name(line).trim_start().starts_with('=')
}

fn behind_name(text: &str) -> &str {
    let of_name = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.');
    text.trim_start_matches(of_name)
}

/// A key or table that stands there twice: the tree has one of them, and lacks nothing.
fn is_duplicate(error: &toml::de::Error) -> bool {
    error.message() == "duplicate key"
}

fn start_of(error: &toml::de::Error) -> usize {
    error.span().map_or(0, |span| span.start)
}

/// Parses one value in TOML syntax, as a setting gives it.
pub fn parse_value(text: &str, place: &SourcePlace) -> Option<Node> {
    let parsed = DeValue::parse(text).ok()?;
    let mut diagnostics = Vec::new();
    let node = node(&parsed, &|_| place.clone(), &mut diagnostics);
    diagnostics.is_empty().then_some(node)
}

/// A complaint about what was read from `offset` on.
fn syntax_error(error: &toml::de::Error, text: &str, offset: usize) -> Diagnostic {
    let (message, expected) = match error.message().split_once(", expected ") {
        Some((message, expected)) => (message, format!("expected {expected}")),
        None => (error.message(), String::new()),
    };
    let span = error.span().unwrap_or(0..0);
    let span = offset + span.start..offset + span.end;
    let found = text.get(span.clone()).unwrap_or_default().trim();
    let diagnostic = match message {
        "duplicate key" => {
            let first = first_line_of(text, &span);
            let help = first.map_or(
                "names and keys are unique: keep one of them".to_owned(),
                |line| format!("a first one stands on line {line}; names and keys are unique"),
            );
            let diagnostic = Diagnostic::error(format!("`{found}` is set twice"));
            diagnostic.label("set here once more").help(help)
        }
        "string values must be quoted" => Diagnostic::error("this is no TOML value")
            .label("expected a number, a date, a list, or a text in quotes"),
        _ => Diagnostic::error(message).label(expected),
    };
    diagnostic.at(span)
}

/// The line of an earlier table header or key that equals the one at `span`, for a duplicate's help.
fn first_line_of(text: &str, span: &Range<usize>) -> Option<usize> {
    let start = line_start(text, span.start);
    let line = text[start..].lines().next()?;
    let before =
        |line: &str, end: char| line.split(end).next().unwrap_or_default().trim().to_owned();
    let mut earlier = text[..start].lines().map(str::trim).zip(1..);
    if line.trim().starts_with('[') {
        let header = before(line, '#');
        return earlier
            .find(|(line, _)| before(line, '#') == header)
            .map(|(_, at)| at);
    }
    let mut first = None;
    for (earlier, at) in earlier {
        if earlier.starts_with('[') {
            first = None;
        } else if before(earlier, '=') == before(line, '=') {
            first = first.or(Some(at));
        }
    }
    first
}

fn table(
    from: &DeTable<'_>,
    place: &dyn Fn(Range<usize>) -> SourcePlace,
    diagnostics: &mut Vec<Diagnostic>,
) -> TomlTable {
    let mut entries: Vec<_> = from.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let entries = entries.into_iter().map(|(key, value)| Entry {
        key: key.get_ref().to_string(),
        place: place(key.span()),
        node: node(value, place, diagnostics),
    });
    TomlTable {
        entries: entries.collect(),
    }
}

fn node(
    from: &Spanned<DeValue<'_>>,
    place: &dyn Fn(Range<usize>) -> SourcePlace,
    diagnostics: &mut Vec<Diagnostic>,
) -> Node {
    let at = place(from.span());
    let mut too_large = |text: &str| {
        let message = format!("`{text}` is too large for any number here");
        diagnostics.push(Diagnostic::error(message).at(from.span()));
        Value::Integer(0)
    };
    let value = match from.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(integer) => {
            let value = i128::from_str_radix(integer.as_str(), integer.radix());
            value.map_or_else(|_| too_large(integer.as_str()), Value::Integer)
        }
        DeValue::Float(float) => {
            let value = float.as_str().parse();
            value.map_or_else(|_| too_large(float.as_str()), Value::Float)
        }
        DeValue::Boolean(value) => Value::Boolean(*value),
        DeValue::Datetime(value) => Value::Datetime(*value),
        DeValue::Array(items) => {
            let items = items.iter().map(|item| node(item, place, diagnostics));
            Value::Array(items.collect())
        }
        DeValue::Table(items) => Value::Table(table(items, place, diagnostics)),
    };
    Node { value, place: at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_place() {
        let Parsed {
            table, diagnostics, ..
        } = parse("b = 1\na = \"x\"\n[z]\n[c.d]\ne = 1.5\n");
        assert!(diagnostics.is_empty());
        let keys: Vec<&str> = table
            .entries
            .iter()
            .map(|entry| entry.key.as_str())
            .collect();
        assert_eq!(keys, ["b", "a", "z", "c"]);
        assert_eq!(table.entries[1].node.place, SourcePlace::File(10..13));
        assert_eq!(
            table.table("c").unwrap().table("d").unwrap().entries[0].place,
            SourcePlace::File(24..25)
        );
    }

    #[test]
    fn all_syntax_errors_are_found_at_once() {
        let found = parse("a = \nb = 1 1\n[c\nd = 2\nb = 3\n");
        assert!(found.is_broken);
        // `b` is that of `c`.
        assert_eq!(found.diagnostics.len(), 3, "{:?}", found.diagnostics);
        assert!(found.table.get("b").is_some());
    }

    #[test]
    fn a_bracket_that_is_not_closed_is_one_error_however_much_it_takes_in() {
        let rest = "[write.put]\nrate = '1k/s'\n[read.one]\nrate = '1/s'\nequal = ['n']\n";
        for open in [
            "{ count = 1",
            "{ count = 1,",
            "['a', 'b'",
            "['a', { b = 1 ]",
        ] {
            let text = format!("[field]\nn = {open}\nm = {{ count = 2 }}\n{rest}");
            let found = parse(&text);
            assert!(found.is_broken);
            let [error] = &found.diagnostics[..] else {
                panic!("{open}: {:#?}", found.diagnostics);
            };
            // On its own line, or where the next thing stands that can't be inside.
            let at = error.span.as_ref().map_or(0, |span| span.start);
            let help = error.help.as_deref().unwrap_or_default();
            assert!(
                text[..at].matches('\n').count() == 1 || help.contains("on line 2 is still open"),
                "{open}: {error:?}"
            );
        }
        // What stands behind it has its own errors.
        let text =
            "[field]\nn = { count = 1\nm = 2 3\n[a\nb = ['x',\n  'y'\n[c]\nd = 4 5 6\ne = 'f\n";
        let found = parse(text).diagnostics;
        let starts = found.iter().flat_map(|error| &error.span);
        let lines: Vec<usize> = starts
            .map(|span| text[..span.start].matches('\n').count() + 1)
            .collect();
        assert_eq!(lines, [3, 3, 4, 7, 8, 9], "{found:#?}");
        // Errors before and behind a closed list are told with the first one in it.
        let found = parse("a = \nb = [1,\n2 3,\n4 5,\n]\nc = 1 1\n");
        assert_eq!(found.diagnostics.len(), 3, "{:#?}", found.diagnostics);
    }

    #[test]
    fn duplicates_name_their_first_line() {
        let found = parse("[strategy.a]\nkey = 'x'\n\n[strategy.a]\nkey = 'y'\n");
        assert!(!found.is_broken);
        let errors = found.diagnostics;
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!(errors[0].message, "`a` is set twice");
        assert!(
            errors[0].help.as_ref().unwrap().contains("line 1;"),
            "{errors:?}"
        );
    }
}
