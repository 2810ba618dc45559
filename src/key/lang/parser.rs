//! Tokens become a tree, by recursive descent.
//!
//! ```text
//! key     := sum ('||' sum)*
//! sum     := product (('+' | '-') product)*
//! product := unary (('*' | '/' | '%') unary)*
//! unary   := '-' unary | primary
//! primary := integer | 'text' | x'hex' | name | name '(' [key (',' key)*] ')' | '(' key ')'
//! ```

use super::error::{Help, KeyError, NO_HELP};
use super::lexer::{Token, tokens};
use super::syntax::{Expr, ExprKind, MAX_DEPTH};
use crate::key::values::Operator;
use std::ops::Range;

/// The longest text of one expression, in bytes: beyond it, a file was pasted by mistake.
const MAX_TEXT: usize = 1 << 20;

/// Segments with syntax errors that one key may have: the text is something else beyond.
const MOST_ERRORS: usize = 10;

/// The tree of `text`, and all that is wrong with its characters, or the first thing wrong with the grammar of each segment: such a
/// segment is [`ExprKind::Unreadable`], the others can still be checked. `None` when there is nothing to check. Neither time nor stack can
/// run away: nesting ends at [`MAX_DEPTH`].
pub fn parse(text: &str) -> (Option<Expr>, Vec<KeyError>) {
    if text.len() > MAX_TEXT {
        let message = format!("expression of {} bytes", text.len());
        let error = KeyError::new(0..0, message, "longer than 1,048,576 bytes", NO_HELP);
        return (None, vec![error]);
    }
    let (tokens, errors) = tokens(text);
    // A bad character usually breaks the grammar as well: one message is enough.
    if !errors.is_empty() {
        return (None, errors);
    }
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
    };
    let mut errors = Vec::new();
    let tree = parser.whole(&mut errors);
    (tree, errors)
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

type Parsed = Result<Expr, Box<KeyError>>;

fn fail<T>(
    span: Range<usize>,
    message: impl Into<String>,
    label: &str,
    help: impl Into<Help>,
) -> Result<T, Box<KeyError>> {
    Err(Box::new(KeyError::new(span, message, label, help)))
}

fn too_deep<T>(span: Range<usize>) -> Result<T, Box<KeyError>> {
    fail(
        span,
        format!("expression nested deeper than {MAX_DEPTH}"),
        "too deep here",
        "name a part of it as a derived field, or leave out parentheses",
    )
}

struct Parser {
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Range<usize> {
        self.tokens[self.at].1.clone()
    }

    /// Behind the end there is nothing to peek at: whoever takes that has met a mistake, after which another segment is looked for.
    fn take(&mut self) -> (Token, Range<usize>) {
        let token = self.tokens[self.at].clone();
        self.at += 1;
        token
    }

    fn accept(&mut self, sign: char) -> bool {
        let found = *self.peek() == Token::Sign(sign);
        if found {
            self.at += 1;
        }
        found
    }

    fn whole(&mut self, errors: &mut Vec<KeyError>) -> Option<Expr> {
        if *self.peek() == Token::End {
            errors.push(KeyError::new(
                self.span(),
                "empty expression",
                "expected a field, a function or a literal",
                "for example: be8(ts) || host",
            ));
            return None;
        }
        let mut segments = Vec::new();
        loop {
            let first = self.at;
            self.depth = 1;
            let segment = self.sum().and_then(|segment| self.end_segment(segment));
            segments.push(segment.unwrap_or_else(|error| {
                errors.push(*error);
                self.skip_segment(first)
            }));
            if *self.peek() == Token::End || errors.len() == MOST_ERRORS {
                return Some(joined(segments));
            }
            self.at += 1;
        }
    }

    /// A segment ends where the next one or nothing follows.
    fn end_segment(&self, segment: Expr) -> Parsed {
        match self.peek() {
            Token::End | Token::Pipes => Ok(segment),
            Token::Sign(')') => fail(
                self.span(),
                "unexpected `)`",
                "closes no parenthesis",
                NO_HELP,
            ),
            Token::Sign(',') => fail(
                self.span(),
                "unexpected `,`",
                "commas stand between the arguments of a function only",
                "join segments by `||`",
            ),
            other => fail(
                self.span(),
                format!("expected an operator, found {}", other.show()),
                "expected `||` or an arithmetic operator before this",
                "join segments by `||`",
            ),
        }
    }

    /// Goes on behind a mistake, at the next `||` that stands in no parenthesis opened since token `first`.
    fn skip_segment(&mut self, first: usize) -> Expr {
        let mut open = 0usize;
        let end = self
            .tokens
            .iter()
            .enumerate()
            .skip(first)
            .find(|(at, (token, _))| {
                match token {
                    Token::Sign('(') => open += 1,
                    Token::Sign(')') => open = open.saturating_sub(1),
                    _ => {}
                }
                *token == Token::Pipes && open == 0 && *at >= self.at
            });
        self.at = end.map_or(self.tokens.len() - 1, |(at, _)| at);
        Expr {
            kind: ExprKind::Unreadable,
            span: self.tokens[first].1.start..self.tokens[self.at].1.start,
        }
    }

    fn deeper(&mut self, span: Range<usize>) -> Result<(), Box<KeyError>> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return too_deep(span);
        }
        Ok(())
    }

    fn key(&mut self) -> Parsed {
        self.deeper(self.span())?;
        let mut parts = vec![self.sum()?];
        while *self.peek() == Token::Pipes {
            self.at += 1;
            parts.push(self.sum()?);
        }
        self.depth -= 1;
        Ok(joined(parts))
    }

    fn chain(&mut self, operators: &[Operator], operand: fn(&mut Self) -> Parsed) -> Parsed {
        let mut left = operand(self)?;
        let mut length = 0;
        while let Token::Sign(sign) = *self.peek()
            && let Some(operator) = operators.iter().find(|known| known.sign().contains(sign))
        {
            let place = self.span();
            self.at += 1;
            length += 1;
            // Each operator of a chain is one level of the tree.
            if self.depth + length > MAX_DEPTH {
                return too_deep(place);
            }
            let right = operand(self)?;
            let span = left.span.start..right.span.end;
            let kind = ExprKind::Binary(*operator, Box::new([left, right]));
            left = Expr { kind, span };
        }
        Ok(left)
    }

    fn sum(&mut self) -> Parsed {
        self.chain(&[Operator::Add, Operator::Subtract], Self::product)
    }

    fn product(&mut self) -> Parsed {
        let operators = [Operator::Multiply, Operator::Divide, Operator::Remainder];
        self.chain(&operators, Self::unary)
    }

    fn unary(&mut self) -> Parsed {
        let start = self.span();
        if !self.accept('-') {
            return self.primary();
        }
        if let Token::Int(value) = *self.peek() {
            let (_, place) = self.take();
            if value > 1 << 63 {
                return fail(
                    start.start..place.end,
                    format!("`-{value}` does not fit 64 bits"),
                    "less than -9223372036854775808",
                    NO_HELP,
                );
            }
            let kind = ExprKind::Int((value as i64).wrapping_neg());
            let span = start.start..place.end;
            return Ok(Expr { kind, span });
        }
        self.deeper(start.clone())?;
        let operand = self.unary()?;
        self.depth -= 1;
        let span = start.start..operand.span.end;
        let kind = ExprKind::Negative(Box::new(operand));
        Ok(Expr { kind, span })
    }

    fn primary(&mut self) -> Parsed {
        let (token, span) = self.take();
        let kind = match token {
            Token::Int(value) => match i64::try_from(value) {
                Ok(value) => ExprKind::Int(value),
                Err(_) => ExprKind::Unsigned(value),
            },
            Token::Text(text) => ExprKind::Text(text),
            Token::Bytes(bytes) => ExprKind::Bytes(bytes),
            Token::Name(name) if *self.peek() == Token::Sign('(') => return self.call(name, span),
            Token::Name(name) => ExprKind::Name(name),
            Token::Sign('(') => {
                let mut inner = self.key()?;
                self.close(&span)?;
                // The parentheses belong to the place that a message points at.
                inner.span = span.start..self.tokens[self.at - 1].1.end;
                return Ok(inner);
            }
            other => {
                let message = format!("expected an operand, found {}", other.show());
                return fail(
                    span,
                    message,
                    "expected a field, a function or a literal",
                    NO_HELP,
                );
            }
        };
        Ok(Expr { kind, span })
    }

    fn close(&mut self, open: &Range<usize>) -> Result<(), Box<KeyError>> {
        if self.accept(')') {
            return Ok(());
        }
        if *self.peek() == Token::End {
            return fail(open.clone(), "unclosed `(`", "its `)` is missing", NO_HELP);
        }
        let message = format!("expected `)`, found {}", self.peek().show());
        fail(self.span(), message, "expected an operator or `)`", NO_HELP)
    }

    fn call(&mut self, name: String, name_span: Range<usize>) -> Parsed {
        let (_, open) = self.take();
        let mut arguments = Vec::new();
        if !self.accept(')') {
            loop {
                arguments.push(self.key()?);
                if !self.accept(',') {
                    break;
                }
            }
            self.close(&open)?;
        }
        let span = name_span.start..self.tokens[self.at - 1].1.end;
        let kind = ExprKind::Call {
            name,
            name_span,
            arguments,
        };
        Ok(Expr { kind, span })
    }
}

#[cfg(test)]
#[path = "parser_tests.rs"]
mod tests;
