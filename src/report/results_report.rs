//! The report of an experiment: renders every view of its results and writes them to a folder. Must not know how results
//! were made, nor whether the folder may be replaced.

#[cfg(feature = "png")]
use super::chart::PngError;
use super::chart::{self, Chart, ChartKind, Viewport};
use super::terminal::Style;
use super::{HeatColours, Theme, csv_files, page, summary};
use crate::experiment::Results;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::iter;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

crate::text::words! {
    /// What is printed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Format: "format" {
        /// For eyes
        #[default]
        Table = "table",
        /// For a pull request
        Markdown = "markdown",
        /// A number a row
        Csv = "csv",
        /// Everything
        Json = "json",
    }
}

crate::text::words! {
    /// A kind of picture file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ImageKind {
        /// Sharp at any size
        Svg = "svg",
        /// For slides and mail
        Png = "png",
    }
}

/// Those that this build can make: PNGs need the feature `png`.
const IMAGES: &[ImageKind] = match cfg!(feature = "png") {
    true => &ImageKind::ALL,
    false => &[ImageKind::Svg],
};

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The folder or a file in it.
    #[error("`{}` could not be written", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A picture.
    #[cfg(feature = "png")]
    #[error("the chart could not be drawn: {0}")]
    Picture(#[from] PngError),
}

/// The views of one experiment's results.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// What was found.
    pub results: &'a Results,
    /// Whether charts are drawn.
    pub charts: bool,
    /// Kinds of picture files.
    pub images: &'a [ImageKind],
    /// The theme of everything; without, pictures are light, and the page is as its reader's system is.
    pub theme: Option<Theme>,
    /// The colours of heat.
    pub colours: HeatColours,
    /// Threads that draw pictures, >= 1.
    pub threads: usize,
}

impl<'a> Report<'a> {
    /// The report of `results`, charts included.
    pub fn new(results: &'a Results) -> Self {
        Self {
            results,
            charts: true,
            images: IMAGES,
            theme: None,
            colours: HeatColours::default(),
            threads: thread::available_parallelism().map_or(1, NonZero::get),
        }
    }

    /// What is printed on standard output, ending in a newline. `style` matters to [`Format::Table`] alone.
    pub fn render(&self, format: Format, style: Style) -> String {
        match format {
            Format::Table => summary::for_terminal(self.results).terminal(style),
            Format::Markdown => summary::for_markdown(self.results, &[]).markdown(),
            Format::Csv => csv_files::to_text(|to| csv_files::summary(self.results, to)),
            Format::Json => self.results.to_json(),
        }
    }

    /// Writes `results.json` first, then `summary.csv`, `series/*.csv`, `charts/*`, `report.html` and `summary.md` into `folder`,
    /// which is created when it is missing. Series are those of a sweep's first point. The same results give the same bytes.
    ///
    /// # Errors
    /// When a file can't be written or a chart can't be drawn; what was written before stays.
    pub fn write(&self, folder: &Path) -> Result<(), ReportError> {
        let results = self.results;
        write_bytes(folder, "results.json", results.to_json().as_bytes())?;
        write_file(folder, "summary.csv", |to| csv_files::summary(results, to))?;
        self.write_series(&folder.join("series"))?;
        let charts = self.write_pictures(folder)?;
        let text = summary::for_markdown(results, &charts).markdown();
        write_bytes(folder, "summary.md", text.as_bytes())
    }

    /// Whether [`Report::write`] writes a file of this path in its folder, of these results or of others.
    pub fn is_own_file(path: &Path) -> bool {
        let [stem, ending] = [path.file_stem(), path.extension()]
            .map(|part| part.and_then(OsStr::to_str).unwrap_or_default());
        let is_key_map = stem.starts_with("key-map-");
        match path.parent().and_then(Path::to_str) {
            Some("") => matches!(
                (stem, ending),
                ("results", "json") | ("summary", "csv" | "md") | ("report", "html")
            ),
            Some("series") => {
                ending == "csv" && (is_key_map || matches!(stem, "servers" | "regions" | "events"))
            }
            Some("charts") => {
                ImageKind::WORDS.contains(&ending)
                    && (is_key_map || ChartKind::WORDS.contains(&stem))
            }
            _ => false,
        }
    }

    /// Writes `charts/*` and `report.html` into `folder`, which is created when it is missing, and leaves all else in it. Charts are those
    /// of a sweep's first point, but for the one of more and more servers.
    /// Returns the charts as drawn, on white.
    ///
    /// # Errors
    /// As [`Report::write`].
    pub fn write_pictures(&self, folder: &Path) -> Result<Vec<Chart>, ReportError> {
        let (mut charts, mut narrow) = (Vec::new(), Vec::new());
        if self.charts {
            let of = |viewport| chart::charts(self.results, self.colours, viewport);
            (charts, narrow) = (of(Viewport::Wide), of(Viewport::Narrow));
        }
        let to = folder.join("charts");
        // The page, and each chart.
        let parts: Vec<Option<&Chart>> = iter::once(None).chain(charts.iter().map(Some)).collect();
        let write = |part: &Option<&Chart>| match part {
            Some(chart) => self.write_chart(chart, &to),
            None => {
                let page = page::page(self.results, &charts, &narrow, self.theme);
                write_bytes(folder, "report.html", page.as_bytes())
            }
        };
        let pool = ThreadPoolBuilder::new()
            .num_threads(self.threads.min(parts.len()))
            .build();
        let pool = pool.expect("the system gives threads");
        // All are written, and the first that fails is told, however they are dealt to threads.
        let written: Vec<Result<(), ReportError>> =
            pool.install(|| parts.par_iter().with_max_len(1).map(write).collect());
        written.into_iter().collect::<Result<(), _>>()?;
        Ok(charts)
    }

    /// Writes pictures of where the load of a table lies that was observed, and leaves all else in the folder, which is created when it is missing.
    ///
    /// # Errors
    /// As [`Report::write`].
    pub fn write_load_pictures(&self, folder: &Path) -> Result<(), ReportError> {
        let charts = chart::charts_of_load(self.results, self.colours);
        let mut charts = charts.iter();
        charts.try_for_each(|chart| self.write_chart(chart, folder))
    }

    fn write_chart(&self, chart: &Chart, folder: &Path) -> Result<(), ReportError> {
        let theme = self.theme.unwrap_or_default();
        let (name, picture) = (&chart.name, &chart.picture);
        if self.images.contains(&ImageKind::Svg) {
            let svg = picture.svg_file(theme);
            write_bytes(folder, &format!("{name}.svg"), svg.as_bytes())?;
        }
        #[cfg(feature = "png")]
        if self.images.contains(&ImageKind::Png) {
            write_bytes(folder, &format!("{name}.png"), &picture.png(theme)?)?;
        }
        Ok(())
    }

    fn write_series(&self, folder: &Path) -> Result<(), ReportError> {
        let first = self.results.first_point();
        let results = first.as_ref();
        let mut with_series = csv_files::with_series(results).peekable();
        if with_series.peek().is_none() {
            return Ok(());
        }
        write_file(folder, "servers.csv", |to| csv_files::servers(results, to))?;
        write_file(folder, "regions.csv", |to| csv_files::regions(results, to))?;
        if csv_files::with_series(results).any(|(_, series)| !series.events.is_empty()) {
            write_file(folder, "events.csv", |to| csv_files::events(results, to))?;
        }
        for (strategy, series) in with_series {
            let name = format!("key-map-{}.csv", strategy.name);
            write_file(folder, &name, |to| csv_files::key_map(strategy, series, to))?;
        }
        Ok(())
    }
}

fn write_bytes(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), ReportError> {
    write_file(folder, name, |to| to.write_all(bytes))
}

/// Fills one file, which takes the place of an older one only when it is whole; its folder is created when it is missing.
fn write_file<E: Into<io::Error>>(
    folder: &Path,
    name: &str,
    fill: impl FnOnce(&mut BufWriter<&mut File>) -> Result<(), E>,
) -> Result<(), ReportError> {
    let failed = |path: PathBuf| move |source| ReportError::Io { path, source };
    fs::create_dir_all(folder).map_err(failed(folder.to_owned()))?;
    let path = folder.join(name);
    let write = || {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any new file: tempfile's own default would keep the group out.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut aside = builder.tempfile_in(folder)?;
        let mut to = BufWriter::new(aside.as_file_mut());
        fill(&mut to).map_err(Into::into)?;
        to.flush()?;
        drop(to);
        aside.persist(&path)?;
        Ok(())
    };
    write().map_err(failed(path.clone()))
}
