//! Complaints as text, in cargo's look.

use super::diagnostic::{Diagnostic, Severity};
use crate::text::{counted, visible};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::fmt::Write;
use std::ops::Range;

/// Complaints that are printed in full; beyond them only their number is said.
const SHOWN: usize = 100;

/// Bytes of a line that are shown on each side of the caret (estimate: two terminal lines).
const MARGIN: usize = 120;

/// Renders `diagnostics` about `text`, the content of `path`, each with file, line, column, source line, caret and help, and a
/// count at the end (`2 errors, 1 warning`). No diagnostics make an empty text. O(length of the text + complaints x
/// line length).
pub fn render(diagnostics: &[Diagnostic], text: &str, path: &str, colour: bool) -> String {
    let path = &*visible(path);
    let renderer = match colour {
        true => Renderer::styled(),
        false => Renderer::plain(),
    };
    let lines = Lines::of(text);
    let mut out = String::new();
    for diagnostic in diagnostics.iter().take(SHOWN) {
        out.push_str(&render_one(&renderer, diagnostic, &lines, path));
        out.push_str("\n\n");
    }
    if diagnostics.len() > SHOWN {
        let _ = writeln!(out, "... and {} more\n", diagnostics.len() - SHOWN);
    }
    let count = count(diagnostics);
    if !count.is_empty() {
        let _ = writeln!(out, "{path}: {count}");
    }
    out
}

/// Line and column of a byte of `text`, from 1; columns are characters. O(length up to there).
pub fn place(text: &str, byte: usize) -> (usize, usize) {
    let before = &text[..Lines::of(text).boundary(byte)];
    let line = before.rsplit('\n').next().unwrap_or_default();
    let lines = before.matches('\n').count();
    (lines + 1, line.chars().count() + 1)
}

/// `2 errors, 1 warning, 1 note`; empty without complaints.
pub fn count(diagnostics: &[Diagnostic]) -> String {
    let counts = Severity::ALL.into_iter().filter_map(|severity| {
        let alike = diagnostics.iter().filter(|it| it.severity == severity);
        let alike = alike.count();
        (alike > 0).then(|| counted(alike, severity.name()))
    });
    counts.collect::<Vec<_>>().join(", ")
}

fn render_one(
    renderer: &Renderer,
    diagnostic: &Diagnostic,
    lines: &Lines<'_>,
    path: &str,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = level
        .primary_title(visible(&diagnostic.message))
        .elements(Vec::<annotate_snippets::Message<'_>>::new());
    match &diagnostic.span {
        Some(span) => {
            let window = lines.window(span).visible();
            let mut annotation = AnnotationKind::Primary.span(window.span.clone());
            if !diagnostic.label.is_empty() {
                annotation = annotation.label(visible(&diagnostic.label));
            }
            // A window that starts in the middle of a line has no true column for the renderer: say it in the path.
            let path = match window.column {
                None => path.to_owned(),
                Some(column) => format!("{path} (column {column})"),
            };
            group = group.element(
                Snippet::source(window.text)
                    .path(path)
                    .line_start(window.line)
                    .fold(true)
                    .annotation(annotation),
            );
        }
        None => {
            group = group.element(annotate_snippets::Origin::path(path));
            if !diagnostic.label.is_empty() {
                group = group.element(Level::NOTE.message(visible(&diagnostic.label)));
            }
        }
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(visible(help)));
    }
    renderer.render(&[group])
}

/// Where the lines of a text begin.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

/// The part of a text that a complaint shows.
struct Window {
    text: String,
    line: usize,
    span: Range<usize>,
    /// Set when the window starts inside a line: the true column of the span.
    column: Option<usize>,
}

impl Window {
    /// The same, with nothing in it that a terminal would obey.
    fn visible(self) -> Self {
        let shown = |to: usize| visible(&self.text[..to]).len();
        Self {
            span: shown(self.span.start)..shown(self.span.end),
            text: visible(&self.text).into_owned(),
            ..self
        }
    }
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let behind = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(behind).collect();
        Self { text, starts }
    }

    /// The lines that `span` touches, or what stands around it in a very long line.
    fn window(&self, span: &Range<usize>) -> Window {
        let start = self.boundary(span.start.min(self.text.len()));
        let end = self.boundary(span.end.clamp(start, self.text.len()));
        let line = self.starts.partition_point(|&at| at <= start) - 1;
        let last = self.starts.partition_point(|&at| at < end.max(start + 1)) - 1;
        let from = self.starts[line];
        let next = self.starts.get(last + 1);
        let to = next.map_or(self.text.len(), |&next| next - 1).max(end);
        if to - from <= 4 * MARGIN {
            return Window {
                text: self.text[from..to].to_owned(),
                line: line + 1,
                span: start - from..end - from,
                column: None,
            };
        }
        // Cut a long line around its caret.
        let end = self.boundary(end.min(start + MARGIN));
        let rest = self.text[start..].find('\n');
        let line_end = rest.map_or(self.text.len(), |at| start + at);
        let end = end.min(line_end).max(start);
        let cut_from = self.boundary(start.saturating_sub(MARGIN).max(from));
        let cut_to = self.boundary((end + MARGIN).min(line_end));
        let lead = if cut_from > from { "..." } else { "" };
        let tail = if cut_to < line_end { "..." } else { "" };
        Window {
            text: format!("{lead}{}{tail}", &self.text[cut_from..cut_to]),
            line: line + 1,
            span: start - cut_from + lead.len()..end - cut_from + lead.len(),
            column: (cut_from > from).then(|| self.text[from..start].chars().count() + 1),
        }
    }

    /// The nearest character boundary at or before `at`.
    fn boundary(&self, at: usize) -> usize {
        let mut before = (0..=at.min(self.text.len())).rev();
        before
            .find(|&at| self.text.is_char_boundary(at))
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::is_hidden;
    use proptest::prelude::*;

    #[test]
    fn looks_like_cargo_and_ends_with_a_count() {
        let text = "[cluster]\nserverss = 8\n";
        let found = Diagnostic::error("unknown key `serverss` in `[cluster]`")
            .at(10..18)
            .label("unknown key")
            .help("did you mean `servers`?");
        let expected = "\
error: unknown key `serverss` in `[cluster]`
 --> a.toml:2:1
  |
2 | serverss = 8
  | ^^^^^^^^ unknown key
  |
  = help: did you mean `servers`?

error: no such file
--> a.toml

a.toml: 2 errors
";
        assert_eq!(
            render(
                &[found, Diagnostic::error("no such file")],
                text,
                "a.toml",
                false
            ),
            expected
        );
        assert_eq!(render(&[], text, "a.toml", false), "");
    }

    #[test]
    fn very_long_lines_are_cut_around_the_caret() {
        let text = format!("key = \"{}\"", "(".repeat(100_000));
        let shown = render(
            &[Diagnostic::error("too deep").at(50_000..50_001)],
            &text,
            "a.toml",
            false,
        );
        assert!(shown.len() < 1_000, "{}", shown.len());
        assert!(shown.contains("column 50001"), "{shown}");
    }

    #[test]
    fn control_characters_never_reach_the_terminal() {
        let text = "x = \u{1b}[31m\u{9b}1m\u{202e}y\u{200b}\r\n";
        let found = Diagnostic::error("found `\u{1b}[31m`")
            .label("\u{9b}")
            .help("\u{202e}");
        let shown = render(&[found.at(16..17)], text, "\u{1b}.toml", false);
        assert!(!shown.contains(is_hidden), "{shown:?}");
        // The caret stands under the `y`, behind what is written longer.
        let mut lines = shown.lines().skip_while(|line| !line.contains("x = "));
        let (line, caret) = (lines.next().unwrap(), lines.next().unwrap());
        assert_eq!(line.find('y'), caret.find('^'), "{shown}");
    }

    proptest! {
        #[test]
        fn any_span_of_any_text_renders(text in "[ -~\u{e9}\u{4e2d}\n\t\r]{0,40}", start in 0usize..50, length in 0usize..50) {
            render(&[Diagnostic::warning("x").at(start..start + length).label("y")], &text, "a.toml", true);
        }
    }
}
