//! `keyheat report`: charts and page of results that are there already. Must not simulate.

use super::args::ReportArguments;
use super::console::Console;
use crate::experiment::Results;
use crate::report::number::counted;
use crate::report::{ImageKind, Report};
use crate::text::joined;
use anyhow::{Context, Result, anyhow, bail};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

pub fn run(arguments: &ReportArguments, console: &Console) -> Result<()> {
    let mut results = load(&arguments.results)?;
    if !arguments.point.is_empty() {
        let missing = match &joined(results.sweep.iter().map(ToString::to_string), " and ")[..] {
            "" => "these results are of no sweep: `--point` has nothing to choose from".to_owned(),
            swept => format!("no point of the sweep has these values\nit swept {swept}"),
        };
        results = results
            .with_point_first(&arguments.point)
            .context(missing)?;
    }
    let file = results_file(&arguments.results);
    let beside = file.parent().unwrap_or(Path::new(""));
    let folder = match &arguments.out {
        Some(folder) => folder,
        None if beside.as_os_str().is_empty() => Path::new("."),
        None => beside,
    };
    let mut report = Report::new(&results);
    (report.theme, report.colours) = (arguments.theme, arguments.palette);
    if !arguments.images.is_empty() {
        report.images = &arguments.images;
    }
    if report.images.contains(&ImageKind::Png) && !cfg!(feature = "png") {
        bail!(
            "this keyheat was built without PNG\nbuild it with the feature `png`, or take `--images svg`"
        );
    }
    let charts = report.write_pictures(folder)?;
    let (charts, folder) = (counted(charts.len(), "chart"), folder.display());
    console.say(&format!(
        "{charts} and `report.html`; {folder}{MAIN_SEPARATOR}"
    ));
    Ok(())
}

/// The folder of a run stands for its results.
fn results_file(path: &Path) -> PathBuf {
    match path.is_dir() {
        true => path.join("results.json"),
        false => path.to_owned(),
    }
}

/// Results of this version's format.
pub(super) fn load(path: &Path) -> Result<Results> {
    let loaded = Results::load(&results_file(path)).map_err(anyhow::Error::from);
    loaded.map_err(|error| {
        anyhow!("{error:#}\nname a folder that `keyheat run` wrote, or its `results.json`")
    })
}
