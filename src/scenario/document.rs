//! A TOML file as a tree that keeps its order and every place. Must not know what the keys mean.

use super::Diagnostic;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml::value::Datetime;

/// Where something stands: in the file, or in an option of the command line.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// Bytes of the scenario's text.
    File(Range<usize>),
    /// The option as it was written: `--set cluster.servers=16`.
    Setting(std::sync::Arc<str>),
}

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What stands there.
    pub value: Value,
    /// Where.
    pub place: Place,
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
    Table(Table),
}

/// A table, in file order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// Its entries.
    pub entries: Vec<Entry>,
}

/// One key of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub place: Place,
    /// Its value.
    pub node: Node,
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
}

impl Table {
    /// The entry of that key.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The entry of that key.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.key == key)
    }

    /// The table under that key, if it is one.
    pub fn table(&self, key: &str) -> Option<&Table> {
        match &self.get(key)?.node.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// Sets `key`, in its old position when there was one.
    pub fn set(&mut self, key: &str, place: Place, node: Node) {
        match self.get_mut(key) {
            Some(entry) => {
                entry.node = node;
                entry.place = place;
            }
            None => self.entries.push(Entry {
                key: key.to_owned(),
                place,
                node,
            }),
        }
    }
}

/// Syntax errors that are told apart: what has more of them is no scenario (estimate).
const MOST_SYNTAX_ERRORS: usize = 1_000;

/// A file as a tree, and what is wrong with it as TOML.
#[derive(Debug)]
pub struct Parsed {
    /// What could be read.
    pub table: Table,
    /// The first thousand complaints.
    pub diagnostics: Vec<Diagnostic>,
    /// The tree lacks what a syntax error made unreadable: what is missing or odd in it may follow from that alone.
    pub is_broken: bool,
}

/// Parses a whole file.
pub fn parse(text: &str) -> Parsed {
    let (document, errors) = DeTable::parse_recoverable(text);
    let is_broken = errors.iter().any(|error| !is_duplicate(error));
    let mut broken_values = Vec::new();
    if is_broken {
        let mut starts: Vec<usize> = errors.iter().map(start_of).collect();
        starts.sort_unstable();
        for value in document.get_ref().values() {
            find_broken_values(value, text, &starts, &mut broken_values);
        }
        broken_values.sort_by_key(|value| value.start);
    }
    let value_around = |start: usize| {
        let at = broken_values.partition_point(|value| value.start <= start);
        at.checked_sub(1)
            .filter(|&at| start <= broken_values[at].end)
    };
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    let mut told = vec![false; broken_values.len()];
    let mut diagnostics: Vec<Diagnostic> = errors
        .iter()
        .filter(|error| match value_around(start_of(error)) {
            Some(value) => !std::mem::replace(&mut told[value], true),
            None => true,
        })
        .take(MOST_SYNTAX_ERRORS)
        .map(|error| {
            let diagnostic = syntax_error(error, text);
            let error = start_of(error);
            let opened = value_around(error).map(|value| broken_values[value].start);
            match opened.filter(|open| text[*open..error].contains('\n')) {
                Some(open) => diagnostic.help(format!(
                    "the `{}` on line {} is still open here",
                    &text[open..=open],
                    line_of(open)
                )),
                None => diagnostic,
            }
        })
        .collect();
    drop_repeated(&mut diagnostics, text);
    let table = table(
        document.get_ref(),
        &|span| Place::File(span),
        &mut diagnostics,
    );
    Parsed {
        table,
        diagnostics,
        is_broken,
    }
}

/// A key or table that stands there twice: the tree has one of them, and lacks nothing.
fn is_duplicate(error: &toml::de::Error) -> bool {
    error.message() == "duplicate key"
}

fn start_of(error: &toml::de::Error) -> usize {
    error.span().map_or(0, |span| span.start)
}

/// The end of the brackets that open at `start`, strings and comments left out; that of the text where they are not closed.
fn end_of_brackets(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let find = |from: usize, what: &str| text.get(from..).and_then(|rest| rest.find(what));
    let (mut open, mut at) = (Vec::new(), start);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'#' => at += find(at, "\n").unwrap_or(bytes.len() - at),
            b'"' | b'\'' => {
                let quote = if byte == b'"' { "\"" } else { "'" };
                let long = quote.repeat(3);
                let is_long = text[at - 1..].starts_with(&long);
                let (quote, within) = match is_long {
                    true => (long.as_str(), bytes.len()),
                    false => (quote, at + find(at, "\n").unwrap_or(bytes.len() - at)),
                };
                at = at - 1 + quote.len();
                while at < within && !text.as_bytes()[at..].starts_with(quote.as_bytes()) {
                    let is_escape = byte == b'"' && bytes[at] == b'\\';
                    at += 1 + usize::from(is_escape);
                }
                at = (at + quote.len()).min(bytes.len());
            }
            b'{' | b'[' => open.push(byte + 2),
            b'}' | b']' if open.last() == Some(&byte) => {
                open.pop();
                if open.is_empty() {
                    return at;
                }
            }
            _ => {}
        }
    }
    bytes.len()
}

/// The outermost lists and inline tables of several lines with a syntax error in them; `errors` are sorted places. One that is not closed takes all that follows
/// for its items: only the first error in it is the user's.
fn find_broken_values(
    value: &Spanned<DeValue<'_>>,
    text: &str,
    errors: &[usize],
    found: &mut Vec<Range<usize>>,
) {
    let start = value.span().start;
    if text[start..].starts_with(['{', '[']) {
        // Where it is not closed, the parser's own end is wherever it gave up.
        let end = end_of_brackets(text, start);
        let next = errors.partition_point(|at| *at < start);
        let is_broken = errors.get(next).is_some_and(|at| *at <= end);
        if is_broken && text[start..end].contains('\n') {
            found.push(start..end);
            return;
        }
    }
    match value.get_ref() {
        DeValue::Array(items) => {
            for item in items.iter() {
                find_broken_values(item, text, errors, found);
            }
        }
        DeValue::Table(items) => {
            for item in items.values() {
                find_broken_values(item, text, errors, found);
            }
        }
        _ => {}
    }
}

/// Parses one value in TOML syntax, as a setting gives it.
pub fn parse_value(text: &str, place: &Place) -> Option<Node> {
    let parsed = DeValue::parse(text).ok()?;
    let mut diagnostics = Vec::new();
    let node = node(&parsed, &|_| place.clone(), &mut diagnostics);
    diagnostics.is_empty().then_some(node)
}

/// The keys of a table that stands there twice are twice there, too: one complaint says it.
fn drop_repeated(diagnostics: &mut Vec<Diagnostic>, text: &str) {
    let header = |at: usize| {
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        text[start..].starts_with('[')
    };
    let twice = |diagnostic: &Diagnostic| diagnostic.message.ends_with("is set twice");
    let spans: Vec<Range<usize>> = diagnostics
        .iter()
        .filter(|diagnostic| twice(diagnostic))
        .filter_map(|diagnostic| diagnostic.span.clone())
        .filter(|span| header(span.start))
        .map(|span| {
            span.end
                ..text[span.end..]
                    .find("\n[")
                    .map_or(text.len(), |next| span.end + next)
        })
        .collect();
    diagnostics.retain(|diagnostic| {
        let inside = |at: usize| spans.iter().any(|table| table.contains(&at));
        !twice(diagnostic)
            || diagnostic
                .span
                .as_ref()
                .is_none_or(|span| !inside(span.start))
    });
}

fn syntax_error(error: &toml::de::Error, text: &str) -> Diagnostic {
    let (message, expected) = match error.message().split_once(", expected ") {
        Some((message, expected)) => (message, format!("expected {expected}")),
        None => (error.message(), String::new()),
    };
    let span = error.span().unwrap_or(0..0);
    let found = text.get(span.clone()).unwrap_or_default().trim();
    match message {
        "duplicate key" => {
            let diagnostic =
                Diagnostic::error(format!("`{found}` is set twice")).label("set here once more");
            match first_line_of(text, &span) {
                Some(line) => diagnostic.help(format!(
                    "a first one stands on line {line}; names and keys are unique"
                )),
                None => diagnostic.help("names and keys are unique: keep one of them"),
            }
        }
        "string values must be quoted" => Diagnostic::error("this is no TOML value")
            .label("expected a number, a date, a list, or a text in quotes"),
        _ => Diagnostic::error(message).label(expected),
    }
    .at(span)
}

/// The line of an earlier table header or key that equals the one at `span`, for a duplicate's help.
fn first_line_of(text: &str, span: &Range<usize>) -> Option<usize> {
    let line_start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let line = text[line_start..].lines().next()?.trim();
    let is_header = line.starts_with('[');
    let key = |line: &str| line.split('=').next().unwrap_or_default().trim().to_owned();
    let mut first = None;
    for (number, earlier) in text[..line_start].lines().enumerate() {
        let earlier = earlier.trim();
        if is_header {
            let header = |line: &str| line.split('#').next().unwrap_or_default().trim().to_owned();
            if header(earlier) == header(line) {
                return Some(number + 1);
            }
        } else if earlier.starts_with('[') {
            first = None;
        } else if key(earlier) == key(line) {
            first = first.or(Some(number + 1));
        }
    }
    first
}

fn table(
    from: &DeTable<'_>,
    place: &dyn Fn(Range<usize>) -> Place,
    diagnostics: &mut Vec<Diagnostic>,
) -> Table {
    let mut entries: Vec<_> = from.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let entries = entries
        .into_iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            place: place(key.span()),
            node: node(value, place, diagnostics),
        })
        .collect();
    Table { entries }
}

fn node(
    from: &Spanned<DeValue<'_>>,
    place: &dyn Fn(Range<usize>) -> Place,
    diagnostics: &mut Vec<Diagnostic>,
) -> Node {
    let at = place(from.span());
    let mut too_large = |text: &str| {
        diagnostics.push(
            Diagnostic::error(format!("`{text}` is too large for any number here")).at(from.span()),
        );
        Value::Integer(0)
    };
    let value = match from.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(integer) => {
            match i128::from_str_radix(integer.as_str(), integer.radix()) {
                Ok(value) => Value::Integer(value),
                Err(_) => too_large(integer.as_str()),
            }
        }
        DeValue::Float(float) => match float.as_str().parse() {
            Ok(value) => Value::Float(value),
            Err(_) => too_large(float.as_str()),
        },
        DeValue::Boolean(value) => Value::Boolean(*value),
        DeValue::Datetime(value) => Value::Datetime(*value),
        DeValue::Array(items) => Value::Array(
            items
                .iter()
                .map(|item| node(item, place, diagnostics))
                .collect(),
        ),
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
        assert_eq!(table.entries[1].node.place, Place::File(10..13));
        assert_eq!(
            table.table("c").unwrap().table("d").unwrap().entries[0].place,
            Place::File(24..25)
        );
    }

    #[test]
    fn all_syntax_errors_are_found_at_once() {
        let found = parse("a = \nb = 1 1\n[c\nd = 2\nb = 3\n");
        assert!(found.is_broken);
        assert!(found.diagnostics.len() >= 3, "{:?}", found.diagnostics);
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
