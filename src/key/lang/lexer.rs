//! Cuts an expression into tokens with their places.

use super::error::{Help, KeyError, NO_HELP};
use crate::text::unhex;
use std::ops::Range;

/// A token's kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// Digits, `_` between them allowed. A value of 2^63 is only good after a minus sign.
    Int(u64),
    /// `'...'` with `''` for a quote.
    Text(String),
    /// `x'...'`, hexadecimal.
    Bytes(Vec<u8>),
    /// A field, derived field, parameter or function.
    Name(String),
    /// `||`
    Pipes,
    /// One of `+ - * / % ( ) ,`
    Sign(char),
    /// The end of the text.
    End,
}

impl Token {
    /// What messages call it.
    pub fn show(&self) -> String {
        match self {
            Self::Int(value) => format!("`{value}`"),
            Self::Text(text) => format!("`'{}'`", text.replace('\'', "''")),
            Self::Bytes(_) => "a bytes literal".to_owned(),
            Self::Name(name) => format!("`{name}`"),
            Self::Pipes => "`||`".to_owned(),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::End => "the end".to_owned(),
        }
    }
}

/// Tokens of `text`, ending with [`Token::End`], and everything that is none. O(text).
pub fn tokens(text: &str) -> (Vec<(Token, Range<usize>)>, Vec<KeyError>) {
    let mut lexer = Lexer {
        text,
        at: 0,
        tokens: Vec::new(),
        errors: Vec::new(),
    };
    while lexer.next() {}
    lexer.tokens.push((Token::End, text.len()..text.len()));
    (lexer.tokens, lexer.errors)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<(Token, Range<usize>)>,
    errors: Vec<KeyError>,
}

impl Lexer<'_> {
    fn next(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let rest_trimmed = rest.trim_start();
        self.at += rest.len() - rest_trimmed.len();
        let start = self.at;
        let Some(first) = rest_trimmed.chars().next() else {
            return false;
        };
        let second = rest_trimmed[first.len_utf8()..].chars().next();
        match first {
            '0'..='9' => self.int(),
            '\'' => {
                if let Some(text) = self.quoted() {
                    self.push(start, Token::Text(text));
                }
            }
            'x' | 'X' if second == Some('\'') => {
                self.at += 1;
                if let Some(digits) = self.quoted() {
                    self.bytes(start, &digits);
                }
            }
            'A'..='Z' | 'a'..='z' | '_' => {
                let length = rest_trimmed
                    .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                    .unwrap_or(rest_trimmed.len());
                self.at += length;
                self.push(start, Token::Name(rest_trimmed[..length].to_owned()));
            }
            '|' if second == Some('|') => {
                self.at += 2;
                self.push(start, Token::Pipes);
            }
            '+' | '-' | '*' | '/' | '%' | '(' | ')' | ',' => {
                self.at += 1;
                self.push(start, Token::Sign(first));
            }
            other => {
                self.at += other.len_utf8();
                let help = match other {
                    '"' => "texts are written in single quotes: 'text'".into(),
                    '|' => "segments are joined by `||`".into(),
                    '$' | '{' | '}' | '@' | ':' => "fields are written by their bare names".into(),
                    _ => NO_HELP,
                };
                self.error(
                    start,
                    format!("unexpected character `{other}`"),
                    "not part of an expression",
                    help,
                );
            }
        }
        true
    }

    fn push(&mut self, start: usize, token: Token) {
        self.tokens.push((token, start..self.at));
    }

    fn error(
        &mut self,
        start: usize,
        message: impl Into<String>,
        label: &str,
        help: impl Into<Help>,
    ) {
        // A run of bad characters is one mistake.
        if let Some(last) = self.errors.last_mut()
            && last.span.end == start
            && last.label == label
        {
            last.span.end = self.at;
            return;
        }
        let error = KeyError::new(start..self.at, message, label, help);
        self.errors.push(error);
    }

    fn int(&mut self) {
        let start = self.at;
        let rest = &self.text[start..];
        let length = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))
            .unwrap_or(rest.len());
        let word = &rest[..length];
        self.at += length;
        let bad = word.find(|c: char| !(c.is_ascii_digit() || c == '_'));
        let (message, label, help) = match bad {
            Some(bad) if word[bad..].starts_with('.') => (
                format!("`{word}` is not an integer"),
                "expected an integer",
                "only integers can be written in an expression",
            ),
            Some(_) => (
                format!("`{word}` is neither a number nor a name"),
                "expected an integer",
                "names start with a letter; texts are quoted: 'text'",
            ),
            None => match word.replace('_', "").parse() {
                Ok(value) => return self.push(start, Token::Int(value)),
                Err(_) => (
                    format!("`{word}` does not fit 64 bits"),
                    "greater than 18446744073709551615",
                    "write long numbers as text: '...'",
                ),
            },
        };
        self.error(start, message, label, help);
        self.push(start, Token::Int(1));
    }

    /// The text between quotes, the first of which stands at `self.at`.
    fn quoted(&mut self) -> Option<String> {
        let start = self.at;
        let mut text = String::new();
        let mut rest = &self.text[start + 1..];
        while let Some(quote) = rest.find('\'') {
            text.push_str(&rest[..quote]);
            rest = &rest[quote + 1..];
            if let Some(more) = rest.strip_prefix('\'') {
                text.push('\'');
                rest = more;
            } else {
                self.at = self.text.len() - rest.len();
                return Some(text);
            }
        }
        self.at = self.text.len();
        self.error(
            start,
            "unterminated text",
            "the closing `'` is missing",
            "a quote inside a text is written twice: 'it''s'",
        );
        self.push(start, Token::Text(String::new()));
        None
    }

    fn bytes(&mut self, start: usize, digits: &str) {
        let bytes = unhex(digits);
        if bytes.is_none() && digits.chars().all(|c| c.is_ascii_hexdigit()) {
            let message = "bytes literal with an odd number of digits";
            self.error(
                start,
                message,
                "expected two hexadecimal digits a byte",
                NO_HELP,
            );
        } else if bytes.is_none() {
            self.error(
                start,
                "bytes literal with other characters than hexadecimal digits",
                "expected digits 0-9, a-f",
                "bytes are written like x'00ff', texts like 'text'",
            );
        }
        self.push(start, Token::Bytes(bytes.unwrap_or_default()));
    }
}
