//! `keyheat learn`: a scenario from what exists. Must not know what the files say: each kind of file has its own reader.

mod data;
mod regions;
mod todays_scenario;

pub use regions::read_all;

use super::args::LearnArguments;
use super::console::Console;
use super::new::{check_new, write_new};
use crate::text::shell_path;
use anyhow::{Result, bail};

pub fn run(arguments: &LearnArguments, console: &Console) -> Result<()> {
    for new in arguments.out.iter().chain(&arguments.charts) {
        check_new(new)?;
    }
    if arguments.files.iter().any(|file| regions::is_list(file)) {
        return regions::run(arguments, console);
    }
    let (charts, over) = (arguments.charts.is_some(), arguments.over.is_some());
    if charts || over || arguments.key.is_some() || arguments.table.is_some() {
        bail!(
            "`--charts`, `--over`, `--key` and `--table` are for lists of regions, and there is none that is known\nleave them out, or name such a list"
        );
    }
    let [file] = &arguments.files[..] else {
        bail!(
            "a scenario is learnt from one file of rows\nname one file; put rows of several into one"
        );
    };
    let scenario = data::scenario(file, console)?;
    let Some(out) = &arguments.out else {
        return console.data(&scenario);
    };
    write_new(out, &scenario)?;
    let (out, shown) = (out.display(), shell_path(out));
    console.say(&format!(
        "{out} has fields, laws and candidate keys; answer the questions at its end\nnext: keyheat advise {shown} --out output\n      keyheat run {shown}"
    ));
    Ok(())
}
