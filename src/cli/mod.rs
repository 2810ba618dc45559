//! The command line: arguments to commands, exit codes, progress and warnings on stderr.
//!
//! Must not compute anything that a library user would miss. One file a command; each takes its arguments and the
//! `console`, and says how it ended.

mod advise;
mod args;
mod budget;
mod calibrate;
mod check;
mod compare;
mod console;
mod explain;
mod export;
mod help;
mod inspect;
mod key;
mod key_list;
mod learn;
mod lints;
mod loading;
mod man;
mod merge;
mod new;
mod output_folder;
mod presets;
mod report;
mod run;
mod saved_runs;
mod settings_reference;
mod size;
mod splits;
mod templates;
mod watch;

use crate::scenario::json_schema;
use crate::text::shell_path;
use anyhow::Result;
use args::{Arguments, Command};
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser};
use console::{Console, Outcome};
use std::path::Path;
use std::process::ExitCode;

/// Runs the command that the process's arguments name.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(usage) => {
            let usage = with_tips(usage);
            // `--help | head` closes the stream: no error.
            let _ = usage.print();
            return ExitCode::from(u8::try_from(usage.exit_code()).unwrap_or(2));
        }
    };
    let console = Console::new(&arguments.talk);
    let outcome = run(arguments.command, &console).unwrap_or_else(|error| {
        console.error(&error);
        Outcome::Refused
    });
    ExitCode::from(outcome as u8)
}

fn run(command: Command, console: &Console) -> Result<Outcome> {
    match command {
        Command::New(arguments) => new::run(&arguments, console),
        Command::Watch(arguments) => watch::run(&arguments, console),
        Command::Schema => console.data(&json_schema()),
        Command::Key(arguments) => key::run(&arguments, console),
        Command::Splits(arguments) => splits::run(&arguments, console),
        Command::Inspect(arguments) => inspect::run(&arguments, console),
        Command::Presets { format } => presets::run(format, console),
        Command::Completions { shell } => console.data(&completions(shell)),
        Command::Man { folder } => man::run(folder.as_deref(), console),
        Command::Help { topic } => help::run(topic.as_deref(), console),
        Command::Explain(arguments) => explain::run(&arguments, console),
        Command::Export(arguments) => export::run(&arguments, console),
        Command::Learn(arguments) => learn::run(&arguments, console),
        Command::Calibrate(arguments) => calibrate::run(&arguments, console),
        Command::Size(arguments) => size::run(&arguments, console),
        Command::Check(arguments) => return check::run(&arguments, console),
        Command::Run(arguments) => return run::run(&arguments, console),
        Command::Merge(arguments) => return merge::run(&arguments, console),
        Command::Advise(arguments) => advise::run(&arguments, console),
        Command::Report(arguments) => report::run(&arguments, console),
        Command::Compare(arguments) => compare::run(&arguments, console),
    }?;
    Ok(Outcome::Fine)
}

/// A script that teaches a shell the command line.
fn completions(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "keyheat", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// An unknown command is told which there are; a scenario without a command, what to do with it.
fn with_tips(mut usage: clap::Error) -> clap::Error {
    let unknown = match usage.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(unknown)) => unknown.clone(),
        _ => return usage,
    };
    if usage.get(ContextKind::SuggestedSubcommand).is_some() {
        return usage;
    }
    let end = Path::new(&unknown).extension();
    let tip = if end.is_some_and(|end| end == "toml") {
        format!(
            "to simulate a scenario: 'keyheat run {}'",
            shell_path(&unknown)
        )
    } else {
        let commands = Arguments::command();
        let names = commands.get_subcommands().map(clap::Command::get_name);
        let names: Vec<&str> = names.collect();
        format!("the commands are {}", names.join(", "))
    };
    let tips = ContextValue::StyledStrs(vec![tip.into()]);
    usage.insert(ContextKind::Suggested, tips);
    usage
}
