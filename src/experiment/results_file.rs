//! `results.json`: written in a stable order, read back exactly. Must not know what the numbers mean.

use super::Results;
use crate::metrics::OperationNames;
use crate::scenario::{is_file_stem, is_name};
use serde::Serialize;
use serde::de::Error;
use serde_json::ser::{Formatter, PrettyFormatter};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Why results could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file can't be read.
    #[error("can't read `{}`", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It is no results file.
    #[error("`{}` is not a results file of keyheat", path.display())]
    Parse {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// It comes from another version.
    #[error("`{}` has schema version {found}, expected {}", path.display(), Results::SCHEMA_VERSION)]
    Version {
        /// Which file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
}

#[derive(serde::Deserialize)]
struct VersionOnly {
    schema_version: u32,
}

impl Results {
    /// Version of the format of `results.json`.
    pub const SCHEMA_VERSION: u32 = 1;

    /// The text of `results.json`: objects over several lines, lists of numbers on one; floats in their shortest form that reads
    /// back exactly; a final line end.
    pub fn to_json(&self) -> String {
        let mut bytes = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Layout::default());
        self.serialize(&mut serializer)
            .expect("results hold only what JSON can hold, and memory takes it");
        bytes.push(b'\n');
        String::from_utf8(bytes).expect("JSON is UTF-8")
    }

    /// Writes `results.json` to `path`.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        std::fs::write(path, self.to_json())
    }

    /// Reads what [`Results::save`] wrote.
    ///
    /// # Errors
    /// When the file can't be read, is no results file, or comes from another version of the format.
    ///
    /// ```
    /// use keyheat::experiment::{Experiment, Results};
    /// use keyheat::report::{Format, Report, Style};
    /// use keyheat::scenario::Scenario;
    ///
    /// let scenario = Scenario::parse(
    ///     r#"
    ///     time = { duration = "200ms", warmup = "100ms", sample = "50ms" }
    ///     [field]
    ///     ts = { type = "timestamp", unit = "ms" }
    ///     [write.points]
    ///     rate = "10k/s"
    ///     [strategy.rising]
    ///     key = "be8(ts)"
    ///     "#,
    ///     "rising",
    /// )?;
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("results.json");
    /// Experiment::new(&scenario).run(|_| {}).save(&path)?;
    ///
    /// // Every view is made from the results alone, now or later.
    /// let results = Results::load(&path)?;
    /// let style = Style { width: 100, ascii: false, colour: false };
    /// let table = Report::new(&results).render(Format::Table, style);
    /// assert!(table.contains("hottest"), "{table}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let text = read(path).map_err(|source| LoadError::Read {
            path: path.into(),
            source,
        })?;
        let parse = |source| LoadError::Parse {
            path: path.into(),
            source,
        };
        let version: VersionOnly = serde_json::from_str(&text).map_err(parse)?;
        if version.schema_version != Self::SCHEMA_VERSION {
            return Err(LoadError::Version {
                path: path.into(),
                found: version.schema_version,
            });
        }
        let results: Self = serde_json::from_str(&text).map_err(parse)?;
        match results.fault() {
            Some(fault) => Err(parse(serde_json::Error::custom(fault))),
            None => Ok(results),
        }
    }

    /// What no scenario can give: names that would be paths, where files are named after them, and more servers than there are.
    fn fault(&self) -> Option<String> {
        let scenario = &self.scenario.name;
        if !is_file_stem(scenario) {
            return Some(format!("the scenario's name `{scenario}` is no file name"));
        }
        for strategy in &self.strategies {
            let (name, servers) = (&strategy.name[..], strategy.servers);
            let OperationNames(operations) = strategy.names();
            let mut names = std::iter::once(name).chain(operations.into_iter().flatten());
            if let Some(name) = names.find(|name| !is_name(name)) {
                return Some(format!(
                    "`{name}` is no name, expected small letters, digits and `-`"
                ));
            }
            if servers > MOST_SERVERS {
                return Some(format!(
                    "`{name}` has {servers} servers, expected up to {MOST_SERVERS}"
                ));
            }
        }
        None
    }
}

/// More than a scenario can have; views take memory for each.
const MOST_SERVERS: u32 = 1_000_000;

/// Bytes that are read of what is no regular file, and may have no end.
const ENDLESS: u64 = 256 << 20;

fn read(path: &Path) -> io::Result<String> {
    let file = File::open(path)?;
    let limit = match file.metadata()?.is_file() {
        true => u64::MAX,
        false => ENDLESS,
    };
    let mut text = String::new();
    file.take(limit).read_to_string(&mut text)?;
    Ok(text)
}

/// Objects as [`PrettyFormatter`] lays them out; the members of a list stay on one line unless they are objects.
#[derive(Default)]
struct Layout {
    objects: PrettyFormatter<'static>,
}

impl Formatter for Layout {
    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if first {
            Ok(())
        } else {
            writer.write_all(b",")
        }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.objects.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.objects.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.objects.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.objects.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.objects.end_object_value(writer)
    }
}
