//! The report of an experiment: renders every view of its results and writes them to a folder. Must not know how results
//! were made, nor whether the folder may be replaced.

#[cfg(feature = "png")]
use super::chart::PngError;
use super::chart::{self, Chart};
use super::terminal::Style;
use super::{HeatColours, Theme, csv_files, page, summary};
use crate::experiment::Results;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// For people at a terminal.
    #[default]
    Table,
    /// As `summary.md`, without charts.
    Markdown,
    /// As `summary.csv`.
    Csv,
    /// As `results.json`.
    Json,
}

crate::text::words!(Format "format" { Table = "table", Markdown = "markdown", Csv = "csv", Json = "json" });

/// Kinds of picture files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Images {
    /// Sharp at any size.
    pub svg: bool,
    /// For slides and mail; needs the feature `png`.
    pub png: bool,
}

impl Default for Images {
    fn default() -> Self {
        Self {
            svg: true,
            png: cfg!(feature = "png"),
        }
    }
}

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The folder or a file in it.
    #[error("`{}` could not be written", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A picture.
    #[cfg(feature = "png")]
    #[error("the chart could not be drawn: {0}")]
    Picture(#[from] PngError),
}

/// The views of one experiment's results.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    results: &'a Results,
    charts: bool,
    images: Images,
    theme: Option<Theme>,
    colours: HeatColours,
}

impl<'a> Report<'a> {
    /// The report of `results`, charts included.
    pub fn new(results: &'a Results) -> Self {
        Self {
            results,
            charts: true,
            images: Images::default(),
            theme: None,
            colours: HeatColours::default(),
        }
    }

    /// With or without charts.
    pub fn with_charts(mut self, charts: bool) -> Self {
        self.charts = charts;
        self
    }

    /// With these kinds of picture files.
    pub fn with_images(self, images: Images) -> Self {
        Self { images, ..self }
    }

    /// All in this theme; without, pictures are light, and the page is as its reader's system is.
    pub fn with_theme(self, theme: Theme) -> Self {
        Self {
            theme: Some(theme),
            ..self
        }
    }

    /// With heat in these colours.
    pub fn with_colours(self, colours: HeatColours) -> Self {
        Self { colours, ..self }
    }

    /// What is printed on standard output, ending in a newline. `style` matters to [`Format::Table`] alone.
    pub fn render(&self, format: Format, style: Style) -> String {
        let mut bytes = Vec::new();
        match format {
            Format::Table => return summary::for_terminal(self.results).terminal(style),
            Format::Markdown => return summary::for_markdown(self.results, &[]).markdown(),
            Format::Csv => {
                csv_files::summary(self.results, &mut bytes).expect("memory takes any CSV")
            }
            Format::Json => return self.results.to_json(),
        }
        String::from_utf8(bytes).expect("numbers, names and escaped keys are text")
    }

    /// Writes `results.json` first, then `summary.csv`, `series/*.csv`, `charts/*`, `report.html` and `summary.md` into `folder`,
    /// which is created when it is missing. Series are those of a sweep's first point. The same results give the same bytes.
    ///
    /// # Errors
    /// When a file can't be written or a chart can't be drawn; what was written before stays.
    pub fn write(&self, folder: &Path) -> Result<(), ReportError> {
        let results = self.results;
        create_folder(folder)?;
        let text = results.to_json();
        file(&folder.join("results.json"), |to| {
            to.write_all(text.as_bytes())
        })?;
        file(&folder.join("summary.csv"), |to| {
            csv_files::summary(results, to)
        })?;
        self.write_series(&folder.join("series"))?;
        let charts = self.write_pictures(folder)?;
        let text = summary::for_markdown(results, &charts).markdown();
        file(&folder.join("summary.md"), |to| {
            to.write_all(text.as_bytes())
        })
    }

    /// Writes `charts/*` and `report.html` into `folder`, which is created when it is missing, and leaves all else in it. Charts are those
    /// of a sweep's first point, but for the one of more and more servers.
    /// Returns the charts as drawn, on white.
    ///
    /// # Errors
    /// As [`Report::write`].
    pub fn write_pictures(&self, folder: &Path) -> Result<Vec<Chart>, ReportError> {
        create_folder(folder)?;
        let mut charts = Vec::new();
        if self.charts {
            charts = chart::charts(self.results, self.colours);
        }
        self.write_charts(&charts, &folder.join("charts"))?;
        let page = page::page(self.results, &charts, self.theme);
        file(&folder.join("report.html"), |to| {
            to.write_all(page.as_bytes())
        })?;
        Ok(charts)
    }

    fn write_charts(&self, charts: &[Chart], folder: &Path) -> Result<(), ReportError> {
        if charts.is_empty() {
            return Ok(());
        }
        create_folder(folder)?;
        let theme = self.theme.unwrap_or_default();
        for chart in charts {
            if self.images.svg {
                let svg = chart.picture.svg_file(theme);
                let path = folder.join(format!("{}.svg", chart.name));
                file(&path, |to| to.write_all(svg.as_bytes()))?;
            }
            #[cfg(feature = "png")]
            if self.images.png {
                let png = chart.picture.png(theme)?;
                let path = folder.join(format!("{}.png", chart.name));
                file(&path, |to| to.write_all(&png))?;
            }
        }
        Ok(())
    }

    fn write_series(&self, folder: &Path) -> Result<(), ReportError> {
        let first = self.results.first_point();
        let results = first.as_ref();
        if csv_files::with_series(results).next().is_none() {
            return Ok(());
        }
        create_folder(folder)?;
        file(&folder.join("servers.csv"), |to| {
            csv_files::servers(results, to)
        })?;
        file(&folder.join("regions.csv"), |to| {
            csv_files::regions(results, to)
        })?;
        if csv_files::with_series(results).any(|(_, series)| !series.events.is_empty()) {
            file(&folder.join("events.csv"), |to| {
                csv_files::events(results, to)
            })?;
        }
        for (strategy, series) in csv_files::with_series(results) {
            let path = folder.join(format!("key-map-{}.csv", strategy.name));
            file(&path, |to| csv_files::key_map(strategy, series, to))?;
        }
        Ok(())
    }
}

fn create_folder(path: &Path) -> Result<(), ReportError> {
    fs::create_dir_all(path).map_err(|source| ReportError::Io {
        path: path.to_owned(),
        source,
    })
}

/// Fills one file, which takes the place of an older one only when it is whole.
fn file<E: Into<std::io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut File>) -> Result<(), E>,
) -> Result<(), ReportError> {
    let write = || {
        let folder = path.parent().unwrap_or(Path::new("."));
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
        aside.persist(path)?;
        Ok(())
    };
    write().map_err(|source| ReportError::Io {
        path: path.to_owned(),
        source,
    })
}
