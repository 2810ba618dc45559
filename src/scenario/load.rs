//! From a file, or a text, to a [`Scenario`] or all its complaints.

use super::document;
use super::draft::read_draft;
use super::model::{Options, Scenario};
use super::points::{Source, read_points};
use super::prelude::*;
use super::regions::resolve_regions;
use super::settings::{apply, apply_sweep, fix_swept, merge};
use super::strategies::OVERRIDE;
use super::sweeps::Sweep;
use super::{render, show, source, strategies};
use crate::random::Seed;
use crate::text::hex;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

/// Why a scenario can't be used: everything that is wrong with it, and what is merely odd.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadError {
    /// The file's path, or the name of the text.
    pub path: String,
    /// The file's text; empty when it could not be read.
    pub text: String,
    /// At least one error; in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

impl LoadError {
    fn unread(path: &str, why: Diagnostic) -> Self {
        Self {
            path: path.to_owned(),
            text: String::new(),
            diagnostics: vec![why],
        }
    }

    /// All complaints, as `keyheat check` prints them.
    pub fn render(&self, colour: bool) -> String {
        render::render(&self.diagnostics, &self.text, &self.path, colour)
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.render(false).trim_end())
    }
}

impl std::error::Error for LoadError {}

/// What a scenario has beside the settings of one strategy.
const NOT_OF_ONE: [&str; 4] = ["strategy", "expect", "sweep", "quick"];

/// What messages call the changes of a quick run.
const QUICK: &str = "`[quick]`";

/// Replicates of a quick run.
const QUICK_REPLICATES: u32 = 2;

impl Scenario {
    /// Reads a file.
    ///
    /// # Errors
    /// All complaints at once.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        Self::load_with(path, &Options::default())
    }

    /// Reads a file, with changes.
    ///
    /// # Errors
    /// All complaints at once.
    pub fn load_with(path: &Path, options: &Options) -> Result<Self, LoadError> {
        let shown = path.display().to_string();
        let text = source::read(path).map_err(|why| LoadError::unread(&shown, why))?;
        let name = path.file_stem().unwrap_or(OsStr::new("scenario"));
        let name = name.to_string_lossy();
        let folder = path.parent().unwrap_or(Path::new(""));
        build(&name, &shown, text, folder, options)
    }

    /// Reads all that `input` holds, to its end, as a file of that name. Files of values are looked for in the current folder.
    ///
    /// # Errors
    /// All complaints at once; what can't be read, or can't be a scenario, is refused as of a file.
    pub fn read_from(
        input: impl std::io::Read,
        name: &str,
        options: &Options,
    ) -> Result<Self, LoadError> {
        let text = source::read_from(input, name);
        let text = text.map_err(|why| LoadError::unread(name, why))?;
        build(name, name, text, Path::new(""), options)
    }

    /// Reads a text; `name` stands for the file's stem. Files of values are looked for in the current folder.
    ///
    /// # Errors
    /// All complaints at once.
    ///
    /// ```
    /// use keyheat_core::scenario::{Scenario, render};
    ///
    /// let text = r#"
    /// [field]
    /// ts = { type = "timestamp", unit = "ms" }
    /// [write.points]
    /// rate = "10k/s"
    /// [strategy.rising]
    /// key = "be8(ts)"
    /// "#;
    /// let scenario = Scenario::parse(text, "rising")?;
    /// assert_eq!(scenario.strategies[0].name, "rising");
    /// // As `--set cluster.servers=16` does.
    /// let larger = scenario.with("cluster.servers", "16")?;
    /// assert_eq!(larger.strategies[0].setup.cluster.servers, 16);
    ///
    /// let broken = text.replace("10k/s", "10 apples").replace("be8(ts)", "be8(tss)");
    /// let error = Scenario::parse(&broken, "rising").expect_err("two mistakes");
    /// assert_eq!(error.diagnostics.len(), 2);
    /// assert!(error.to_string().contains("did you mean `ts`?"));
    /// # Ok::<(), keyheat_core::scenario::LoadError>(())
    /// ```
    pub fn parse(text: &str, name: &str) -> Result<Self, LoadError> {
        Self::parse_with(text, name, &Options::default())
    }

    /// Reads a text, with changes.
    ///
    /// # Errors
    /// All complaints at once.
    pub fn parse_with(text: &str, name: &str, options: &Options) -> Result<Self, LoadError> {
        Self::parse_in(text, name, &format!("{name}.toml"), Path::new(""), options)
    }

    /// Reads a text again that was read as `path` before. Files of values are looked for in `folder`.
    ///
    /// # Errors
    /// All complaints at once.
    pub fn parse_in(
        text: &str,
        name: &str,
        path: &str,
        folder: &Path,
        options: &Options,
    ) -> Result<Self, LoadError> {
        build(name, path, text.to_owned(), folder, options)
    }

    /// SHA-256, lower-case hex, of all that was read: the settings, and the values of its fields wherever they stand.
    pub fn fingerprint(&self) -> String {
        let mut digest = Sha256::new();
        digest.update(&self.effective);
        let mut before = None;
        let points = 0..self.point_count();
        for strategy in points.flat_map(|point| self.strategies_at(point)) {
            // Those of strategies and points are alike, and may hold a million rows.
            let schema = Some(&strategy.setup.schema);
            if before != schema {
                digest.update(format!("{schema:?}"));
                before = schema;
            }
        }
        hex(&digest.finalize())
    }

    /// The same scenario with one more setting, as `--set path=value` gives it.
    ///
    /// # Errors
    /// All complaints at once.
    pub fn with(&self, path: &str, value: &str) -> Result<Self, LoadError> {
        self.with_all([(path, value)])
    }

    /// The same with several more, all at once.
    ///
    /// # Errors
    /// All complaints at once.
    pub fn with_all(
        &self,
        settings: impl IntoIterator<Item = (impl fmt::Display, impl fmt::Display)>,
    ) -> Result<Self, LoadError> {
        let mut options = self.options.clone();
        let settings = settings.into_iter();
        options
            .sets
            .extend(settings.map(|(path, value)| format!("{path}={value}")));
        Self::parse_in(&self.text, &self.name, &self.path, &self.folder, &options)
    }

    /// The scenario with all defaults filled in, as TOML that reads as the same scenario. `[quick]`, `--set` and their kin have
    /// been applied; strategies that were not selected are left out.
    pub fn show(&self) -> &str {
        &self.effective
    }

    /// The settings of one strategy, its own in place of the file's and all defaults filled in, as JSON: values are as TOML has them.
    pub fn settings_of(&self, strategy: &str) -> serde_json::Value {
        let mut document = document::parse(&self.effective).table;
        let of_strategy = document.named("strategy", strategy);
        let of_strategy = of_strategy.and_then(|entry| entry.node.table()).cloned();
        document
            .entries
            .retain(|entry| !NOT_OF_ONE.contains(&entry.key.as_str()));
        if let Some(own) = of_strategy.as_ref().and_then(strategies::changes) {
            // Whoever reads a strategy has found nothing wrong with them.
            merge(&mut document, &own, OVERRIDE);
        }
        Value::Table(document).json()
    }

    /// The warnings and notes, as `keyheat check` prints them.
    pub fn render_warnings(&self, colour: bool) -> String {
        render::render(&self.warnings, &self.text, &self.path, colour)
    }
}

fn build(
    name: &str,
    path: &str,
    text: String,
    folder: &Path,
    options: &Options,
) -> Result<Scenario, LoadError> {
    let refused = |text: &str, diagnostics| LoadError {
        path: path.to_owned(),
        text: text.to_owned(),
        diagnostics,
    };
    let parsed = document::parse(&text);
    if parsed.is_broken {
        let mut diagnostics = parsed.diagnostics;
        diagnostics.sort_by_key(|it| it.span.as_ref().map(|span| (span.start, span.end)));
        return Err(refused(&text, diagnostics));
    }
    let sink = Diagnostics::of(&text, folder);
    let mut document = parsed.table;
    // A place that could not be read is told of once: whatever else is odd about it follows from that.
    let places = parsed.diagnostics.iter();
    let mut unreadable: BTreeMap<(usize, usize), bool> = places
        .filter_map(|it| it.span.as_ref())
        .map(|span| ((span.start, span.end), false))
        .collect();
    for diagnostic in parsed.diagnostics {
        sink.push(diagnostic);
    }
    let quick = document.table("quick").cloned();
    if let Some(quick) = quick.as_ref().filter(|_| !options.quick) {
        check_quick(&sink, &document, quick);
    }
    // Its complaints come with the sweep that is run.
    let file_sweep = Sweep::read(&Diagnostics::default(), &document);
    let overrides = apply_options(&sink, &mut document, quick.as_ref(), options);
    resolve_regions(&sink, &mut document);
    let sweep = Sweep::read(&sink, &document);
    let source = Source {
        document: &document,
        sweep: &sweep,
        file_sweep: &file_sweep,
        only: &options.only,
    };
    let (first, points) = read_points(&sink, source);
    let (draft, expectations) = (first.draft, first.expectations.into_iter());
    let (mut diagnostics, _) = sink.into_parts();
    diagnostics.retain(|diagnostic| {
        let span = diagnostic.span.as_ref();
        let told = span.and_then(|span| unreadable.get_mut(&(span.start, span.end)));
        told.is_none_or(|told| !std::mem::replace(told, true))
    });
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(refused(&text, diagnostics));
    }
    drop_unselected(&mut document, &options.only);
    Ok(Scenario {
        name: name.to_owned(),
        path: path.to_owned(),
        folder: folder.to_owned(),
        sha256: hex(&Sha256::digest(&text)),
        overrides,
        options: options.clone(),
        question: draft.question,
        seed: Seed(draft.seed),
        replicates: draft.replicates,
        time: draft.time,
        parameters: draft.fields.parameters,
        strategies: first.strategies,
        sweep: sweep.settings(),
        points,
        expectations: expectations.map(|(_, expectation)| expectation).collect(),
        warnings: diagnostics,
        effective: show::show(&document, &first.defaults),
        text,
    })
}

/// `[quick]` is checked even when it is not asked for.
fn check_quick(sink: &Diagnostics, document: &TomlTable, quick: &TomlTable) {
    let mut document = document.clone();
    for (place, diagnostic) in merge(&mut document, quick, QUICK) {
        sink.add(&place, diagnostic);
    }
    let own = sink.apart();
    read_draft(&own, &document);
    sink.append(own);
}

/// Applies all changes; returns those that results must tell, as `--set` would write them where it can.
fn apply_options(
    sink: &Diagnostics,
    document: &mut TomlTable,
    quick: Option<&TomlTable>,
    options: &Options,
) -> Vec<String> {
    let mut sets = Vec::new();
    let mut told = Vec::new();
    if options.quick {
        let says = quick.is_some_and(|quick| quick.get("replicates").is_some());
        if let Some(quick) = quick {
            for (place, diagnostic) in merge(document, quick, QUICK) {
                sink.add(&place, diagnostic);
            }
            told = show::settings(quick);
        }
        if !says {
            sets.push(format!("replicates={QUICK_REPLICATES}"));
        }
    }
    let replicates = options.replicates.map(|n| format!("replicates={n}"));
    let seed = options.seed.map(|seed| format!("seed={seed}"));
    let own = options.sets.iter().cloned().chain(replicates).chain(seed);
    let own: Vec<String> = own.collect();
    sets.extend_from_slice(&own);
    for set in &sets {
        match apply(document, set) {
            Ok(path) => fix_swept(document, &path),
            Err(diagnostic) => {
                sink.push(diagnostic);
            }
        }
    }
    for sweep in &options.sweeps {
        if let Err(diagnostic) = apply_sweep(document, sweep) {
            sink.push(diagnostic);
        }
    }
    let of_table = |entry: &Entry| entry.key == "quick" && entry.node.table().is_some();
    document.entries.retain(|entry| !of_table(entry));
    told.extend(own);
    told.extend(options.sweeps.iter().map(|sweep| format!("sweep {sweep}")));
    if !options.only.is_empty() {
        told.push(format!("only {}", options.only.join(",")));
    }
    told
}

/// Takes out the strategies that were not selected, and what is expected of them.
fn drop_unselected(document: &mut TomlTable, only: &[String]) {
    if only.is_empty() {
        return;
    }
    let wanted = |name: &str| only.iter().any(|wanted| wanted == name);
    if let Some(Value::Table(table)) = document.value_mut("strategy") {
        table.entries.retain(|entry| wanted(&entry.key));
    }
    if let Some(Value::Array(items)) = document.value_mut("expect") {
        let names = |item: &Node, key: &str| {
            let name = item.table().and_then(|table| table.get(key)?.node.text());
            name.is_none_or(|name| name == "*" || wanted(name))
        };
        items.retain(|item| names(item, "strategy") && names(item, "ratio_to"));
    }
}
