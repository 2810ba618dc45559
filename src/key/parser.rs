//! Tokens become a tree, by recursive descent. Must not know types or what names mean.
//!
//! ```text
//! key     := sum ('||' sum)*
//! sum     := product (('+' | '-') product)*
//! product := unary (('*' | '/' | '%') unary)*
//! unary   := '-' unary | primary
//! primary := integer | 'text' | x'hex' | name | name '(' [key (',' key)*] ')' | '(' key ')'
//! ```

use super::lexer::{Token, tokens};
use super::plan::KeyError;
use super::syntax::{Expr, ExprKind, MAX_DEPTH, Operator};
use std::ops::Range;

/// The longest text of one expression, in bytes: beyond it, a file was pasted by mistake.
const MAX_TEXT: usize = 1 << 20;

/// Segments with syntax errors that one key may have: the text is something else beyond.
const MOST_ERRORS: usize = 10;

/// The tree of `text`, and all that is wrong with its characters, or the first thing wrong with the grammar of each segment: such a
/// segment is [`ExprKind::Unreadable`], the others can still be checked. `None` when there is nothing to check. Neither time nor stack can
/// run away: nesting ends at [`MAX_DEPTH`].
pub(super) fn parse(text: &str) -> (Option<Expr>, Vec<KeyError>) {
    if text.len() > MAX_TEXT {
        let error = KeyError {
            derived: None,
            span: 0..0,
            message: format!("expression of {} bytes", text.len()),
            label: "longer than 1,048,576 bytes".to_owned(),
            help: None,
        };
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
    Expr {
        kind: ExprKind::Concat(parts),
        span,
    }
}

type Parsed = Result<Expr, Box<KeyError>>;

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

    fn fail<T>(
        &self,
        span: Range<usize>,
        message: String,
        label: &str,
        help: Option<&str>,
    ) -> Result<T, Box<KeyError>> {
        Err(Box::new(KeyError {
            derived: None,
            span,
            message,
            label: label.to_owned(),
            help: help.map(str::to_owned),
        }))
    }

    fn whole(&mut self, errors: &mut Vec<KeyError>) -> Option<Expr> {
        if *self.peek() == Token::End {
            errors.push(KeyError {
                derived: None,
                span: self.span(),
                message: "empty expression".to_owned(),
                label: "expected a field, a function or a literal".to_owned(),
                help: Some("for example: be8(ts) || host".to_owned()),
            });
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
            Token::Sign(')') => self.fail(
                self.span(),
                "unexpected `)`".to_owned(),
                "closes no parenthesis",
                None,
            ),
            Token::Sign(',') => self.fail(
                self.span(),
                "unexpected `,`".to_owned(),
                "commas stand between the arguments of a function only",
                Some("join segments by `||`"),
            ),
            other => self.fail(
                self.span(),
                format!("expected an operator, found {}", other.show()),
                "expected `||` or an arithmetic operator before this",
                Some("join segments by `||`"),
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
            self.too_deep(span)
        } else {
            Ok(())
        }
    }

    fn too_deep<T>(&self, span: Range<usize>) -> Result<T, Box<KeyError>> {
        self.fail(
            span,
            format!("expression nested deeper than {MAX_DEPTH}"),
            "too deep here",
            Some("name a part of it as a derived field, or leave out parentheses"),
        )
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
        loop {
            let found = operators
                .iter()
                .copied()
                .find(|op| *self.peek() == Token::Sign(op.sign()));
            let Some(operator) = found else {
                return Ok(left);
            };
            let place = self.span();
            self.at += 1;
            length += 1;
            // Each operator of a chain is one level of the tree.
            if self.depth + length > MAX_DEPTH {
                return self.too_deep(place);
            }
            let right = operand(self)?;
            let span = left.span.start..right.span.end;
            left = Expr {
                kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)),
                span,
            };
        }
    }

    fn sum(&mut self) -> Parsed {
        self.chain(&[Operator::Add, Operator::Subtract], Self::product)
    }

    fn product(&mut self) -> Parsed {
        self.chain(
            &[Operator::Multiply, Operator::Divide, Operator::Remainder],
            Self::unary,
        )
    }

    fn unary(&mut self) -> Parsed {
        let start = self.span();
        if !self.accept('-') {
            return self.primary();
        }
        if let Token::Int(value) = *self.peek() {
            let (_, place) = self.take();
            if value > 1 << 63 {
                return self.fail(
                    start.start..place.end,
                    format!("`-{value}` does not fit 64 bits"),
                    "less than -9223372036854775808",
                    None,
                );
            }
            return Ok(Expr {
                kind: ExprKind::Int((value as i64).wrapping_neg()),
                span: start.start..place.end,
            });
        }
        self.deeper(start.clone())?;
        let operand = self.unary()?;
        self.depth -= 1;
        let span = start.start..operand.span.end;
        Ok(Expr {
            kind: ExprKind::Negative(Box::new(operand)),
            span,
        })
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
                let label = "expected a field, a function or a literal";
                return self.fail(
                    span,
                    format!("expected an operand, found {}", other.show()),
                    label,
                    None,
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
            return self.fail(
                open.clone(),
                "unclosed `(`".to_owned(),
                "its `)` is missing",
                None,
            );
        }
        let message = format!("expected `)`, found {}", self.peek().show());
        self.fail(self.span(), message, "expected an operator or `)`", None)
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
        Ok(Expr {
            kind: ExprKind::Call {
                name,
                name_span,
                arguments,
            },
            span,
        })
    }
}

#[cfg(test)]
#[path = "parser_tests.rs"]
mod tests;
