//! The two streams: data on stdout, talk on stderr; and how a command ends. Must not know what is said.

use super::args::TalkArguments;
use crate::report::{self, Document, Format, json_text};
use crate::text::{is_hidden, visible};
use anstyle::{AnsiColor, Style};
use anyhow::{Context, Result};
use clap::ColorChoice;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HELP: Style = AnsiColor::Cyan.on_default().bold();

/// How a command ended, if nothing stopped it: its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// All is well.
    Fine = 0,
    /// An expectation or a limit was broken, and said so.
    Broken = 1,
    /// The work could not be done, and the user has been told why.
    Refused = 2,
    /// Ctrl-C, and the user has been told what was saved: 128 and the signal's number, as shells have it.
    Interrupted = 130,
}

impl Outcome {
    /// With so many expectations broken.
    pub fn of_broken(count: usize) -> Self {
        match count {
            0 => Self::Fine,
            _ => Self::Broken,
        }
    }
}

/// What stopped the work was told with all that is wrong: there is no more to say.
#[derive(Debug, thiserror::Error)]
#[error("the work could not be done")]
pub struct Told;

/// Where a command's data and talk go.
#[derive(Debug, Clone, Copy)]
pub struct Console {
    quiet: bool,
    /// Whether notes are wanted.
    pub verbose: bool,
}

impl Console {
    /// Sets the choice of colours for the whole process; `NO_COLOR` and `CLICOLOR_FORCE` are heeded by `auto`.
    pub fn new(talk: &TalkArguments) -> Self {
        match talk.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        }
        .write_global();
        Self {
            quiet: talk.quiet,
            verbose: talk.verbose,
        }
    }

    /// Writes data to stdout, ending it with a line break. A reader that went away (`keyheat ... | head`) is no error.
    pub fn data(&self, text: &str) -> Result<()> {
        let shown = match io::stdout().is_terminal() {
            true => visible_but_colours(text),
            false => Cow::Borrowed(text),
        };
        let text = &*shown;
        // What has no escape has no colours to be taken out, which takes longer than writing gigabytes does.
        let written = match text.contains('\x1b') {
            true => write_data(anstream::stdout().lock(), text),
            false => write_data(io::stdout().lock(), text),
        };
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written.context("can't write to standard output"),
        }
    }

    /// Writes a document for people to stdout.
    pub fn document(&self, document: &Document) -> Result<()> {
        self.data(&document.terminal(self.table_style()))
    }

    /// Writes what was found to stdout: `document` for people, `data` for programs.
    pub fn advice(&self, format: Format, document: &Document, data: &impl Serialize) -> Result<()> {
        match format {
            Format::Markdown => self.data(&document.markdown()),
            Format::Json => self.data(&json_text(data)),
            // Arguments can't ask for CSV: advice has no numbers a row.
            Format::Table | Format::Csv => self.document(document),
        }
    }

    /// Says something on stderr, unless `--quiet`.
    pub fn say(&self, text: &str) {
        self.say_styled(&visible(text));
    }

    /// Says something that was made for a terminal and may have colours, unless `--quiet`.
    pub fn say_styled(&self, text: &str) {
        if !self.quiet {
            talk(text);
        }
    }

    /// A warning, unless `--quiet`.
    pub fn warn(&self, text: &str) {
        let text = visible(text);
        self.say_styled(&format!("{WARNING}warning{WARNING:#}: {text}"));
    }

    /// An expectation that does not hold.
    pub fn broken(&self, text: &str) {
        let text = visible(text);
        talk(&format!("{ERROR}broken{ERROR:#}: {text}"));
    }

    /// Whether somebody may still read what goes to stdout: false when it is a pipe whose reader has gone away.
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    pub fn data_has_reader(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdout = io::stdout();
        let mut ends = [PollFd::new(&stdout, PollFlags::empty())];
        // Of a pipe these are set, asked for or not, when nobody can read from it any more.
        let gone = PollFlags::ERR | PollFlags::HUP;
        poll(&mut ends, Some(&Timespec::default())).is_err() || !ends[0].revents().intersects(gone)
    }

    /// Whether somebody may still read what goes to stdout: where the system can't be asked, the next write tells.
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    pub fn data_has_reader(&self) -> bool {
        true
    }

    /// Whether what goes to stdout is read where it is written: what it says needs no telling on stderr.
    pub fn data_is_seen(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Something that must be heard.
    pub fn insist(&self, text: &str) {
        talk(&visible(text));
    }

    /// Something that must be heard, made for a terminal: it may have colours.
    pub fn insist_styled(&self, text: &str) {
        talk(text);
    }

    /// What stopped the work, with its causes; what follows a line break in the message is help.
    pub fn error(&self, error: &anyhow::Error) {
        if error.is::<Told>() {
            return;
        }
        let text = format!("{error:#}");
        let text = visible(&text);
        let (message, help) = text.split_once('\n').unwrap_or((&text, ""));
        talk(&format!("{ERROR}error{ERROR:#}: {message}"));
        if !help.is_empty() {
            talk(&format!("{HELP}help{HELP:#}: {help}"));
        }
    }

    /// How tables suit stdout: its width (`COLUMNS` wins), and whether its locale has more than ASCII. Colours are taken out again where they
    /// are not wanted.
    pub fn table_style(&self) -> report::Style {
        let fallback = report::Style::default();
        report::Style {
            width: std::env::var("COLUMNS")
                .ok()
                .and_then(|columns| columns.parse().ok())
                .filter(|columns| *columns > 0)
                .or_else(|| terminal_size::terminal_size().map(|(width, _)| width.0.into()))
                .unwrap_or(fallback.width),
            ascii: is_ascii_locale(),
            colour: true,
        }
    }

    /// A progress bar of so many runs, silent where nobody could see it.
    pub fn progress(&self, name: &str, runs: u64) -> ProgressBar {
        self.bar(
            name,
            runs,
            "{prefix} {wide_bar} {pos}/{len} runs, {eta} left",
        )
    }

    /// A progress bar of a thousand steps for a file that is read; of what has no known end the steps are thousands of rows.
    pub fn reading(&self, name: &str, has_end: bool) -> ProgressBar {
        let template = match has_end {
            true => "{prefix} {wide_bar} {percent} %, {eta} left",
            false => "{prefix}: {human_pos} thousand rows in {elapsed}",
        };
        self.bar(name, 1_000, template)
    }

    fn bar(&self, name: &str, steps: u64, template: &str) -> ProgressBar {
        let target = match self.quiet {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        };
        let bar = ProgressBar::with_draw_target(Some(steps), target);
        let style = ProgressStyle::with_template(template).expect("a valid template");
        bar.set_style(style.progress_chars("=> "));
        bar.set_prefix(name.to_owned());
        bar
    }
}

/// The text with colours and nothing else that a terminal would obey.
fn visible_but_colours(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut pieces = text.split('\u{1b}');
    let mut shown = visible(pieces.next().unwrap_or_default()).into_owned();
    for piece in pieces {
        let numbers = |c: char| c.is_ascii_digit() || c == ';';
        let colour = piece
            .strip_prefix('[')
            .map(|it| it.trim_start_matches(numbers));
        let escape = match colour.is_some_and(|rest| rest.starts_with('m')) {
            true => "\u{1b}",
            false => r"\u{1b}",
        };
        shown.push_str(escape);
        shown.push_str(&visible(piece));
    }
    Cow::Owned(shown)
}

/// Whether the locale says that it has no UTF-8; no locale says nothing.
fn is_ascii_locale() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty());
    let plain = locale.map(|locale| locale.to_ascii_lowercase().replace('-', ""));
    plain.is_some_and(|locale| !locale.contains("utf8"))
}

fn write_data(mut stdout: impl Write, text: &str) -> io::Result<()> {
    stdout.write_all(text.as_bytes())?;
    if !text.is_empty() && !text.ends_with('\n') {
        stdout.write_all(b"\n")?;
    }
    stdout.flush()
}

fn talk(text: &str) {
    // A closed stderr leaves nobody to tell.
    let _ = writeln!(anstream::stderr().lock(), "{}", text.trim_end_matches('\n'));
}

#[cfg(test)]
mod tests {
    use super::visible_but_colours;

    #[test]
    fn a_terminal_gets_colours_and_obeys_nothing_else() {
        let text = "\u{1b}[1;31mred\u{1b}[0m \u{1b}]0;title\u{7} \u{1b}[2J\u{202e}";
        let shown = "\u{1b}[1;31mred\u{1b}[0m \\u{1b}]0;title\\u{7} \\u{1b}[2J\\u{202e}";
        assert_eq!(visible_but_colours(text), shown);
        assert_eq!(visible_but_colours("plain\n"), "plain\n");
    }
}
