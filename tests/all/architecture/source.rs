//! Rust source as the architecture test sees it: words and rooms, without comments, literals and test code.
//!
//! Must not know the rules. A small lexer is enough, as the formatter keeps the sources regular.

use std::fs;
use std::path::{Path, PathBuf};

/// One file, with its comments and literals blanked out.
pub struct Source {
    /// Relative to `src/`, or to another folder that was read, with forward slashes.
    pub path: String,
    pub text: String,
    /// The text with comments, strings and chars replaced by spaces: same lines.
    pub code: String,
    /// The code without what is compiled for tests only.
    pub shipped: String,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Self {
        let code = blank_literals(text);
        let shipped = blank_tests(&code);
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            code,
            shipped,
        }
    }

    /// The room: the first folder, or the file's own name.
    pub fn room(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// Declared as `#[cfg(test)] mod name;` by convention.
    pub fn is_test_only(&self) -> bool {
        self.path.ends_with("tests.rs")
    }
}

/// Every `.rs` file below a folder of the project, by path in it.
pub fn read_sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    files
        .iter()
        .map(|file| {
            let path = file
                .strip_prefix(&root)
                .expect("collected below it")
                .to_string_lossy()
                .replace('\\', "/");
            Source::new(
                &path,
                &fs::read_to_string(file).expect("a readable source file"),
            )
        })
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Rooms named by `crate::room` or `crate::{room::.., room}`, with their offsets.
pub fn rooms_used(code: &str) -> Vec<(usize, &str)> {
    let mut used = Vec::new();
    for (start, prefix) in code.match_indices("crate::") {
        if code[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let at = start + prefix.len();
        if !code[at..].starts_with('{') {
            used.extend(
                words(&code[at..])
                    .next()
                    .map(|(offset, word)| (at + offset, word)),
            );
            continue;
        }
        let (mut depth, mut expects_room) = (0, false);
        let mut skip_to = at;
        for (offset, c) in code[at..].char_indices() {
            match c {
                _ if at + offset < skip_to => {}
                '{' => {
                    depth += 1;
                    expects_room = depth == 1;
                }
                '}' if depth == 1 => break,
                '}' => depth -= 1,
                ',' => expects_room = depth == 1,
                c if expects_room && (c.is_alphabetic() || c == '_') => {
                    let word = words(&code[at + offset..])
                        .next()
                        .map_or("", |(_, word)| word);
                    used.push((at + offset, word));
                    skip_to = at + offset + word.len();
                    expects_room = false;
                }
                _ => {}
            }
        }
    }
    used
}

/// Identifiers and their offsets.
pub fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + code[at..].find(is_word)?;
        let end = code[start..]
            .find(|c| !is_word(c))
            .map_or(code.len(), |length| start + length);
        at = end;
        Some((start, &code[start..end]))
    })
}

/// Replaces comments, strings and chars by spaces, byte for byte; line breaks stay.
fn blank_literals(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text.as_bytes()[at..];
        let after_word = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
        let length = if rest.starts_with(b"//") {
            rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len())
        } else if rest.starts_with(b"/*") {
            block_comment_length(rest)
        } else if rest[0] == b'"' {
            string_length(rest)
        } else if rest[0] == b'r' && !after_word {
            raw_string_length(rest)
        } else if rest[0] == b'\'' {
            char_length(rest)
        } else {
            0
        };
        for byte in &mut out[at..at + length] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at += length.max(1);
    }
    String::from_utf8(out).expect("literals are blanked whole")
}

fn block_comment_length(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

fn string_length(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Length of `r"..."` or `r#"..."#`; 0 when `rest` is no raw string.
fn raw_string_length(rest: &[u8]) -> usize {
    let hashes = rest[1..].iter().take_while(|&&b| b == b'#').count();
    if rest.get(1 + hashes) != Some(&b'"') {
        return 0;
    }
    let end = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
    let body = &rest[hashes + 2..];
    body.windows(end.len())
        .position(|window| window == end)
        .map_or(rest.len(), |at| hashes + 2 + at + end.len())
}

/// Length of `'x'`, `'\n'` or `'\u{1F}'`; 0 for a lifetime.
fn char_length(rest: &[u8]) -> usize {
    if rest.get(1) == Some(&b'\\') {
        return rest
            .iter()
            .skip(3)
            .position(|&b| b == b'\'')
            .map_or(0, |at| at + 4);
    }
    let width = match rest.get(1) {
        Some(b) if *b >= 0xF0 => 4,
        Some(b) if *b >= 0xE0 => 3,
        Some(b) if *b >= 0xC0 => 2,
        _ => 1,
    };
    if rest.get(1 + width) == Some(&b'\'') {
        width + 2
    } else {
        0
    }
}

/// Replaces items behind `#[cfg(test)]` by spaces; line breaks stay.
fn blank_tests(code: &str) -> String {
    let mut out = code.as_bytes().to_vec();
    for (start, attribute) in code.match_indices("#[cfg(test)]") {
        let from = start + attribute.len();
        let mut depth = 0;
        let end = code[from..]
            .char_indices()
            .find_map(|(offset, c)| {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                (depth == 0 && matches!(c, '}' | ';')).then_some(from + offset + 1)
            })
            .unwrap_or(code.len());
        for byte in &mut out[start..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    String::from_utf8(out).expect("items are blanked whole")
}
