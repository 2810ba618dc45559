//! From the text of an expression to its tree, and how mistakes are told. Must not know types, nor what a name means.

use super::operator::Operator;
use crate::text::unhex;
use std::collections::BTreeMap;
use std::ops::Range;

/// How deep expressions may nest, derived fields expanded.
pub(super) const MAX_DEPTH: usize = 64;

/// The longest text of one expression, in bytes: beyond it, a file was pasted by mistake.
const MAX_TEXT: usize = 1 << 20;

/// Segments with syntax errors that one key may have: the text is something else beyond.
const MOST_ERRORS: usize = 10;

/// The least integer, without its sign.
const LEAST: u64 = 1 << 63;

/// Why an expression can't be compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyError {
    /// Name of the derived field whose text `span` points into; `None`: the key's own text.
    pub derived: Option<String>,
    /// Byte range of the guilty sub-expression.
    pub span: Range<usize>,
    /// What was found; lower case, no final stop.
    pub message: String,
    /// Short text at the caret: what was expected.
    pub label: String,
    /// The next step.
    pub help: Option<String>,
}

impl KeyError {
    /// A mistake in the text that `span` points into; without help where the message says it all.
    pub(super) fn new(
        span: &Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            derived: None,
            span: span.clone(),
            message: message.into(),
            label: label.into(),
            help: Some(help.into()).filter(|help| !help.is_empty()),
        }
    }
}

/// A lint of an expression that compiles (the language's own; those that need split points or a workload live in `layout`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyNote {
    /// The key probably does not do what its author means; otherwise it is merely good to know.
    pub is_warning: bool,
    /// What it says, and where.
    pub text: KeyError,
}

/// A sub-expression and its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expr {
    pub kind: ExprKind,
    pub span: Range<usize>,
}

/// What a sub-expression is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ExprKind {
    /// A segment with a syntax error, which has been reported.
    Unreadable,
    Int(i64),
    /// An integer above `i64::MAX`: fields and arithmetic have a sign, so only `be8` takes it.
    Unsigned(u64),
    /// `'...'` with `''` for a quote.
    Text(String),
    /// `x'...'`, hexadecimal.
    Bytes(Vec<u8>),
    /// A field, derived field or parameter.
    Name(String),
    /// `-x`
    Negative(Box<Expr>),
    /// `x + y`, ...
    Binary(Operator, Box<[Expr; 2]>),
    /// `a || b || c`, at least two operands.
    Concat(Vec<Expr>),
    /// `name(...)`; `name_span` is the place of the name alone.
    Call {
        name: String,
        name_span: Range<usize>,
        arguments: Vec<Expr>,
    },
}

impl Expr {
    /// The expressions that it is made of.
    fn operands(&self) -> &[Self] {
        match &self.kind {
            ExprKind::Negative(operand) => std::slice::from_ref(operand),
            ExprKind::Binary(_, sides) => &sides[..],
            ExprKind::Concat(operands) => operands,
            ExprKind::Call { arguments, .. } => arguments,
            _ => &[],
        }
    }
}

/// Parts of each derived field, given by name and expression, with all derived fields inside it expanded: literals, names, operators and functions.
/// A field that uses itself counts once there. O(length of all expressions).
pub fn expanded_sizes(derived: &[(String, String)]) -> Vec<u64> {
    let texts = derived.iter().map(|(name, text)| (&name[..], &text[..]));
    let texts: BTreeMap<&str, &str> = texts.collect();
    let mut sizes = BTreeMap::new();
    let mut size = |(name, _): &(String, String)| size(name, &texts, &mut sizes);
    derived.iter().map(&mut size).collect()
}

/// The size of what a name stands for: 0 for anything but a derived field.
fn size(name: &str, texts: &BTreeMap<&str, &str>, sizes: &mut BTreeMap<String, u64>) -> u64 {
    let Some(text) = texts.get(name) else {
        return 0;
    };
    if let Some(size) = sizes.get(name) {
        return *size;
    }
    // What a circle comes back to counts once; it has a complaint of its own.
    sizes.insert(name.to_owned(), 1);
    let size = parse(text).0.map_or(1, |tree| parts(&tree, texts, sizes));
    sizes.insert(name.to_owned(), size);
    size
}

fn parts(expr: &Expr, texts: &BTreeMap<&str, &str>, sizes: &mut BTreeMap<String, u64>) -> u64 {
    let named = match &expr.kind {
        ExprKind::Name(name) => size(name, texts, sizes),
        _ => 0,
    };
    let operands = expr.operands().iter();
    operands.fold(1u64.saturating_add(named), |all, operand| {
        all.saturating_add(parts(operand, texts, sizes))
    })
}

/// Longer keys than this are not written out: nobody reads them.
const LONGEST_EXPANDED: usize = 2_000;

/// `text` with the expressions of derived fields, given by name and expression, in the place of their names; in parentheses where an operator stands
/// beside them. `None` where that is longer than people read. O(length of what is written).
pub(super) fn expanded(text: &str, derived: &[(String, String)]) -> Option<String> {
    let (tokens, _) = tokens(text);
    let (mut written, mut end) = (String::new(), 0);
    for (at, (token, span)) in tokens.iter().enumerate() {
        let is = |place: usize, signs: &[&str]| matches!(tokens.get(place), Some((Token::Sign(sign), _)) if signs.contains(sign));
        let Token::Operand(ExprKind::Name(name)) = token else {
            continue;
        };
        let stands_for = derived.iter().find(|(known, _)| known == name);
        let Some((_, inner)) = stands_for.filter(|_| !is(at + 1, &["("])) else {
            continue;
        };
        let inner = expanded(inner.trim(), derived)?;
        let binds = |place| is(place, &["+", "-", "*", "/", "%"]);
        let [open, close] = match binds(at + 1) || at > 0 && binds(at - 1) {
            true => ["(", ")"],
            false => ["", ""],
        };
        written += &[&text[end..span.start], open, &inner, close].concat();
        end = span.end;
        if written.len() > LONGEST_EXPANDED {
            return None;
        }
    }
    Some(written + &text[end..])
}

/// A token.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    /// A literal or a name.
    Operand(ExprKind),
    /// One of [`SIGNS`].
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// Message, label and help.
type Mistake = (String, &'static str, &'static str);

/// Everything that is neither a literal nor a name.
const SIGNS: [&str; 9] = ["||", "+", "-", "*", "/", "%", "(", ")", ","];

/// Operators, and how strongly they bind.
const OPERATORS: [(Operator, u8); 5] = [
    (Operator::Add, 1),
    (Operator::Subtract, 1),
    (Operator::Multiply, 2),
    (Operator::Divide, 2),
    (Operator::Remainder, 2),
];

/// Tokens of `text` with their places, ending with [`Token::End`], and everything that is none. O(text).
fn tokens(text: &str) -> (Vec<(Token, Range<usize>)>, Vec<KeyError>) {
    let (mut tokens, mut errors) = (Vec::new(), Vec::<KeyError>::new());
    let mut end = 0;
    loop {
        let rest = text[end..].trim_start();
        let start = text.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            break;
        };
        let (length, token) = token(rest, first);
        end = start + length;
        match token {
            Ok(token) => tokens.push((token, start..end)),
            Err((message, label, help)) => match errors.last_mut() {
                // A run of bad characters is one mistake.
                Some(last) if last.span.end == start && last.label == label => last.span.end = end,
                _ => errors.push(KeyError::new(&(start..end), message, label, help)),
            },
        }
    }
    tokens.push((Token::End, text.len()..text.len()));
    (tokens, errors)
}

/// What a text that begins with `first` begins with, and its length; or message, label and help about it.
fn token(text: &str, first: char) -> (usize, Result<Token, Mistake>) {
    let beyond = |inside: fn(char) -> bool| text.find(|c| !inside(c)).unwrap_or(text.len());
    let quote = match first {
        '\'' => Some(0),
        'x' | 'X' if text[1..].starts_with('\'') => Some(1),
        _ => None,
    };
    if let Some(prefix) = quote {
        let Some((length, said)) = quoted(&text[prefix..]) else {
            let help = "a quote inside a text is written twice: 'it''s'";
            let error = (
                "unterminated text".to_owned(),
                "the closing `'` is missing",
                help,
            );
            return (text.len(), Err(error));
        };
        let literal = match prefix {
            0 => Ok(Token::Operand(ExprKind::Text(said))),
            _ => bytes(&said),
        };
        return (prefix + length, literal);
    }
    if first.is_ascii_digit() {
        let length = beyond(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        return (length, integer(&text[..length]));
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let length = beyond(|c| c.is_ascii_alphanumeric() || c == '_');
        let name = text[..length].to_owned();
        return (length, Ok(Token::Operand(ExprKind::Name(name))));
    }
    if let Some(sign) = SIGNS.iter().find(|sign| text.starts_with(**sign)) {
        return (sign.len(), Ok(Token::Sign(sign)));
    }
    let help = match first {
        '"' => "texts are written in single quotes: 'text'",
        '|' => "segments are joined by `||`",
        '$' | '{' | '}' | '@' | ':' => "fields are written by their bare names",
        '.' => "names have no dots; Java's `Long.MAX_VALUE` is `LONG_MAX`",
        _ => "",
    };
    let message = format!("unexpected character `{first}`");
    (
        first.len_utf8(),
        Err((message, "not part of an expression", help)),
    )
}

/// The length of a text between quotes, with them, and what it says; `None` where the end is missing.
fn quoted(text: &str) -> Option<(usize, String)> {
    let (mut said, mut rest) = (String::new(), &text[1..]);
    loop {
        let (part, behind) = rest.split_once('\'')?;
        said.push_str(part);
        let Some(more) = behind.strip_prefix('\'') else {
            return Some((text.len() - behind.len(), said));
        };
        said.push('\'');
        rest = more;
    }
}

fn bytes(digits: &str) -> Result<Token, Mistake> {
    let bytes = unhex(digits).map(|bytes| Token::Operand(ExprKind::Bytes(bytes)));
    bytes.ok_or_else(|| match digits.chars().all(|c| c.is_ascii_hexdigit()) {
        true => (
            "bytes literal with an odd number of digits".to_owned(),
            "expected two hexadecimal digits a byte",
            "",
        ),
        false => (
            "bytes literal with other characters than hexadecimal digits".to_owned(),
            "expected digits 0-9, a-f",
            "bytes are written like x'00ff', texts like 'text'",
        ),
    })
}

/// Digits, `_` between them allowed.
fn integer(word: &str) -> Result<Token, Mistake> {
    match word.find(|c: char| !(c.is_ascii_digit() || c == '_')) {
        Some(bad) if word[bad..].starts_with('.') => Err((
            format!("`{word}` is not an integer"),
            "expected an integer",
            "only integers can be written in an expression",
        )),
        Some(_) => Err((
            format!("`{word}` is neither a number nor a name"),
            "expected an integer",
            "names start with a letter; texts are quoted: 'text'",
        )),
        None => match word.replace('_', "").parse::<u64>() {
            Ok(value) => Ok(Token::Operand(match i64::try_from(value) {
                Ok(value) => ExprKind::Int(value),
                Err(_) => ExprKind::Unsigned(value),
            })),
            Err(_) => Err((
                format!("`{word}` does not fit 64 bits"),
                "greater than 18446744073709551615",
                "write long numbers as text: '...'",
            )),
        },
    }
}

/// The tree of `text`, and all that is wrong with its characters, or the first thing wrong with the grammar of each segment: such a
/// segment is [`ExprKind::Unreadable`], the others can still be checked. `None` when there is nothing to check. Neither time nor stack can
/// run away: nesting ends at [`MAX_DEPTH`].
///
/// ```text
/// key     := sum ('||' sum)*
/// sum     := operand (operator operand)*, by the strengths of OPERATORS
/// operand := '-' operand | integer | 'text' | x'hex' | name | name '(' [key (',' key)*] ')' | '(' key ')'
/// ```
pub(super) fn parse(text: &str) -> (Option<Expr>, Vec<KeyError>) {
    if text.len() > MAX_TEXT {
        let message = format!("expression of {} bytes", text.len());
        let error = KeyError::new(&(0..0), message, "longer than 1,048,576 bytes", "");
        return (None, vec![error]);
    }
    let (tokens, mut errors) = tokens(text);
    // A bad character usually breaks the grammar as well: one message is enough.
    if !errors.is_empty() {
        return (None, errors);
    }
    if tokens.len() == 1 {
        let expected = "expected a field, a function or a literal";
        let help = "for example: be8(ts) || host";
        let error = KeyError::new(&tokens[0].1, "empty expression", expected, help);
        return (None, vec![error]);
    }
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        depth: 0,
    };
    let mut segments = Vec::new();
    loop {
        let first = parser.at;
        parser.depth = 1;
        let segment = parser
            .sum(0)
            .and_then(|segment| parser.end_segment(segment));
        segments.push(segment.unwrap_or_else(|error| {
            errors.push(*error);
            parser.skip_segment(first)
        }));
        if !parser.accept("||") || errors.len() == MOST_ERRORS {
            return (Some(joined(segments)), errors);
        }
    }
}

/// What is joined by `||`; a single part is itself. There is at least one.
fn joined(mut parts: Vec<Expr>) -> Expr {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let span = parts[0].span.start..parts[parts.len() - 1].span.end;
    let kind = ExprKind::Concat(parts);
    Expr { kind, span }
}

type Parsed<T = Expr> = Result<T, Box<KeyError>>;

fn fail<T>(span: Range<usize>, message: impl Into<String>, label: &str, help: &str) -> Parsed<T> {
    Err(Box::new(KeyError::new(&span, message, label, help)))
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Range<usize> {
        self.tokens[self.at].1.clone()
    }

    /// What messages call the next token.
    fn found(&self) -> String {
        match self.peek() {
            Token::End => "the end".to_owned(),
            _ => format!("`{}`", &self.text[self.span()]),
        }
    }

    fn accept(&mut self, sign: &'static str) -> bool {
        let found = *self.peek() == Token::Sign(sign);
        self.at += usize::from(found);
        found
    }

    /// A segment ends where the next one or nothing follows.
    fn end_segment(&self, segment: Expr) -> Parsed {
        let (message, label, help) = match self.peek() {
            Token::End | Token::Sign("||") => return Ok(segment),
            Token::Sign(")") => ("unexpected `)`".to_owned(), "closes no parenthesis", ""),
            Token::Sign(",") => (
                "unexpected `,`".to_owned(),
                "commas stand between the arguments of a function only",
                "join segments by `||`",
            ),
            _ => (
                format!("expected an operator, found {}", self.found()),
                "expected `||` or an arithmetic operator before this",
                "join segments by `||`",
            ),
        };
        fail(self.span(), message, label, help)
    }

    /// Goes on behind a mistake, at the next `||` that stands in no parenthesis opened since token `first`.
    fn skip_segment(&mut self, first: usize) -> Expr {
        let mut open = 0usize;
        let mistake = self.at;
        self.at = first;
        while *self.peek() != Token::End {
            match self.peek() {
                Token::Sign("(") => open += 1,
                Token::Sign(")") => open = open.saturating_sub(1),
                Token::Sign("||") if open == 0 && self.at >= mistake => break,
                _ => {}
            }
            self.at += 1;
        }
        Expr {
            kind: ExprKind::Unreadable,
            span: self.tokens[first].1.start..self.span().start,
        }
    }

    /// Refuses to nest so many levels deeper than now.
    fn require_depth(&self, levels: usize, span: &Range<usize>) -> Parsed<()> {
        if self.depth + levels <= MAX_DEPTH {
            return Ok(());
        }
        let message = format!("expression nested deeper than {MAX_DEPTH}");
        let help = "name a part of it as a derived field, or leave out parentheses";
        fail(span.clone(), message, "too deep here", help)
    }

    fn deeper(&mut self, span: &Range<usize>, inside: fn(&mut Self) -> Parsed) -> Parsed {
        self.require_depth(1, span)?;
        self.depth += 1;
        let inside = inside(self)?;
        self.depth -= 1;
        Ok(inside)
    }

    fn key(&mut self) -> Parsed {
        self.deeper(&self.span(), |parser| {
            let mut parts = vec![parser.sum(0)?];
            while parser.accept("||") {
                parts.push(parser.sum(0)?);
            }
            Ok(joined(parts))
        })
    }

    /// Operands and operators that bind more strongly than `than`.
    fn sum(&mut self, than: u8) -> Parsed {
        let mut left = self.operand()?;
        let mut length = 0;
        while let Token::Sign(sign) = *self.peek()
            && let Some((operator, strength)) = OPERATORS.iter().find(|(of, _)| of.sign() == sign)
            && *strength > than
        {
            // Each operator of a chain is one level of the tree.
            length += 1;
            self.require_depth(length, &self.span())?;
            self.at += 1;
            let right = self.sum(*strength)?;
            let span = left.span.start..right.span.end;
            let kind = ExprKind::Binary(*operator, Box::new([left, right]));
            left = Expr { kind, span };
        }
        Ok(left)
    }

    fn operand(&mut self) -> Parsed {
        let (token, span) = self.tokens[self.at].clone();
        match token {
            Token::Sign("-") => {
                self.at += 1;
                self.negative(span)
            }
            Token::Sign("(") => {
                self.at += 1;
                let inner = self.key()?;
                // The parentheses belong to the place that a message points at.
                let span = self.close(span)?;
                Ok(Expr { span, ..inner })
            }
            Token::Operand(kind) => {
                self.at += 1;
                match kind {
                    ExprKind::Name(name) if *self.peek() == Token::Sign("(") => {
                        self.call(name, span)
                    }
                    kind => Ok(Expr { kind, span }),
                }
            }
            _ => {
                let message = format!("expected an operand, found {}", self.found());
                let label = "expected a field, a function or a literal";
                let help = "";
                fail(span, message, label, help)
            }
        }
    }

    /// What stands behind a minus sign.
    fn negative(&mut self, sign: Range<usize>) -> Parsed {
        let span = sign.start..self.span().end;
        let kind = match *self.peek() {
            Token::Operand(ExprKind::Int(value)) => ExprKind::Int(-value),
            Token::Operand(ExprKind::Unsigned(LEAST)) => ExprKind::Int(i64::MIN),
            Token::Operand(ExprKind::Unsigned(value)) => {
                let message = format!("`-{value}` does not fit 64 bits");
                return fail(span, message, "less than -9223372036854775808", "");
            }
            _ => {
                let operand = self.deeper(&sign, Self::operand)?;
                let span = sign.start..operand.span.end;
                let kind = ExprKind::Negative(Box::new(operand));
                return Ok(Expr { kind, span });
            }
        };
        self.at += 1;
        Ok(Expr { kind, span })
    }

    /// Takes the `)` that closes what was opened at `open`; the place of both and all between.
    fn close(&mut self, open: Range<usize>) -> Parsed<Range<usize>> {
        let end = self.span().end;
        if self.accept(")") {
            return Ok(open.start..end);
        }
        if *self.peek() == Token::End {
            return fail(open, "unclosed `(`", "its `)` is missing", "");
        }
        let message = format!("expected `)`, found {}", self.found());
        fail(self.span(), message, "expected an operator or `)`", "")
    }

    fn call(&mut self, name: String, name_span: Range<usize>) -> Parsed {
        let open = self.span();
        self.at += 1;
        let mut arguments = Vec::new();
        if *self.peek() != Token::Sign(")") {
            arguments.push(self.key()?);
            while self.accept(",") {
                arguments.push(self.key()?);
            }
        }
        let span = name_span.start..self.close(open)?.end;
        let kind = ExprKind::Call {
            name,
            name_span,
            arguments,
        };
        Ok(Expr { kind, span })
    }
}

#[cfg(test)]
#[path = "lang_tests.rs"]
mod tests;
