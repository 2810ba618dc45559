//! How the tool talks: colours, and how much it says. Must not know what is said.

use clap::{Args, ValueEnum};

/// How the tool talks.
#[derive(Debug, Clone, Args)]
pub struct TalkArguments {
    /// When to colour
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Talk"
    )]
    pub color: Color,
    /// Only errors
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "verbose",
        help_heading = "Talk"
    )]
    pub quiet: bool,
    /// Notes as well as warnings
    #[arg(short, long, global = true, help_heading = "Talk")]
    pub verbose: bool,
}

/// When to colour; `NO_COLOR` and `CLICOLOR_FORCE` are heeded by `auto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}
