//! `keyheat completions`: a script that teaches a shell the command line. Must not know the commands.

use super::args::Arguments;
use super::console::Console;
use super::outcome::Outcome;
use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

pub fn run(shell: Shell, console: &Console) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "keyheat", &mut script);
    console.data(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Fine)
}
