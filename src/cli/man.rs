//! `keyheat man`: the manual as man pages, made of the command line's own help. Must not say anything that `--help` does not.

use super::args::Arguments;
use super::console::Console;
use crate::text::shell_path;
use anyhow::{Context, Result};
use clap::CommandFactory;
use std::fs;
use std::path::Path;

pub fn run(folder: Option<&Path>, console: &Console) -> Result<()> {
    let command = Arguments::command();
    let Some(folder) = folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        return console.data(&String::from_utf8_lossy(&page));
    };
    let shown = folder.display();
    fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command, folder))
        .with_context(|| format!("can't write man pages to `{shown}`"))?;
    let page = shell_path(folder.join("keyheat.1"));
    console.say(&format!(
        "{shown} has a page for keyheat and for each command\nnext: man -l {page}"
    ));
    Ok(())
}
