//! `keyheat explain`: what is known of each strategy before any simulation, as text. Must not compute it.

use super::Outcome;
use super::args::ExplainArguments;
use super::console::Console;
use super::{lints, loading};
use crate::layout::{
    Explanation, ReadForecast, RegionCauses, RegionForecast, Replicate, SampleKey,
};
use crate::scenario::{Presplit, Scenario, Strategy};
use crate::text::percent_to;
use anyhow::{Result, bail};
use std::fmt::Write;
use std::sync::Arc;

/// Sample keys of each strategy.
const SAMPLES: usize = 3;

/// Beyond so many regions only the busiest are listed.
const LISTED_REGIONS: usize = 40;

/// Characters of a full bar.
const BAR: f64 = 24.0;

pub fn run(arguments: &ExplainArguments, console: &Console) -> Result<Outcome> {
    let Some(scenario) = loading::load(&arguments.scenario, &arguments.changes, console)? else {
        return Ok(Outcome::Refused);
    };
    loading::tell_first_point(&scenario, console);
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let explain = |(strategy, first): (&Strategy, &Arc<Replicate>)| {
        Explanation::of(strategy, first, SAMPLES, arguments.region)
    };
    let strategies = scenario.strategies.iter().zip(&firsts);
    let explanations: Vec<Explanation> = strategies.map(explain).collect();
    let layouts = explanations.iter().map(|explanation| &explanation.layout);
    lints::tell_of(&scenario, lints::all(&scenario, layouts), console);
    let mut text = String::new();
    if !scenario.question.is_empty() {
        let _ = writeln!(text, "{}\n", scenario.question);
    }
    for (i, (strategy, explanation)) in scenario.strategies.iter().zip(&explanations).enumerate() {
        if i > 0 {
            text.push('\n');
        }
        describe(&mut text, strategy, explanation);
        match (arguments.region, &explanation.region) {
            (Some(_), Some(causes)) => describe_causes(&mut text, causes),
            (Some(region), None) => bail!(
                "`{}` has no region {region}: its {} regions are counted from 0",
                strategy.name,
                explanation.layout.regions.len()
            ),
            (None, _) => describe_regions(&mut text, &explanation.layout.regions),
        }
        describe_reads(&mut text, &explanation.layout.reads);
    }
    console.text(&text)?;
    console.say(&last_line(&scenario));
    Ok(Outcome::Fine)
}

fn describe(text: &mut String, strategy: &Strategy, explanation: &Explanation) {
    let layout = &explanation.layout;
    let source = match &strategy.presplit {
        Presplit::Sampled { .. } if layout.existing_rows == 0 => "quantiles of the run's own keys",
        Presplit::Sampled { .. } => "quantiles of the existing rows",
        Presplit::Fixed { .. } => "split points known beforehand",
    };
    let _ = writeln!(text, "{}: {}", explanation.strategy, explanation.key);
    let _ = writeln!(
        text,
        "  {} on {}, {source}; keys of {:.1} bytes",
        counted(layout.regions.len(), "region"),
        counted(strategy.setup.cluster.servers as usize, "server"),
        layout.key_bytes
    );
    for entity in layout.entities.iter().take(3) {
        let _ = writeln!(
            text,
            "  {} {} has {} of the writes",
            entity.field,
            entity.value,
            percent_to(entity.share, 1)
        );
    }
    for sample in &explanation.samples {
        describe_key(text, sample);
    }
}

/// A key and its segments, one below the other.
fn describe_key(text: &mut String, sample: &SampleKey) {
    let record: Vec<String> = sample
        .record
        .iter()
        .map(|(field, value)| format!("{field} {value}"))
        .collect();
    let _ = writeln!(text, "\n  {}: {}", sample.write, record.join(", "));
    let _ = writeln!(text, "    {}", sample.key);
    let bytes = |range: &std::ops::Range<usize>| {
        crate::keyspace::escape(sample.key.as_bytes().get(range.clone()).unwrap_or_default())
    };
    let width = sample
        .segments
        .iter()
        .map(|segment| bytes(&segment.bytes).chars().count())
        .max()
        .unwrap_or(0);
    let expression_width = sample
        .segments
        .iter()
        .map(|segment| segment.expression.chars().count())
        .max()
        .unwrap_or(0);
    for segment in &sample.segments {
        let _ = writeln!(
            text,
            "    {:<width$}  {:<expression_width$}  {}",
            bytes(&segment.bytes),
            segment.expression,
            segment.meaning
        );
    }
}

fn describe_regions(text: &mut String, regions: &[RegionForecast]) {
    let mut listed: Vec<usize> = (0..regions.len()).collect();
    if regions.len() > LISTED_REGIONS {
        // Stable: regions of equal shares stay in key order.
        listed.sort_by(|&a, &b| regions[b].write_share.total_cmp(&regions[a].write_share));
        listed.truncate(LISTED_REGIONS);
        let _ = writeln!(
            text,
            "\n  the {LISTED_REGIONS} busiest of {} regions, by predicted share of the writes",
            regions.len()
        );
    } else {
        let _ = writeln!(
            text,
            "\n  regions in key order, with their predicted share of the writes"
        );
    }
    let greatest = regions
        .iter()
        .map(|region| region.write_share)
        .fold(0.0, f64::max);
    let start = |region: &RegionForecast| shortened(&region.start.to_string());
    let width = listed
        .iter()
        .map(|&i| start(&regions[i]).chars().count())
        .max()
        .unwrap_or(0);
    for &i in &listed {
        let region = &regions[i];
        let bar = if greatest > 0.0 {
            (region.write_share / greatest * BAR).round() as usize
        } else {
            0
        };
        let note = if region.unreachable {
            "no key can reach it"
        } else {
            ""
        };
        let line = format!(
            "  {i:>5}  {:<width$}  {:>7}  {}{note}",
            start(region),
            percent_to(region.write_share, 1),
            "#".repeat(bar)
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn describe_reads(text: &mut String, reads: &[ReadForecast]) {
    if reads.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n  reads");
    let name = reads.iter().map(|read| read.name.len()).max().unwrap_or(0);
    let path = |read: &ReadForecast| read.planned.plan.path().name();
    let path_width = reads.iter().map(|read| path(read).len()).max().unwrap_or(0);
    for read in reads {
        let _ = writeln!(
            text,
            "    {:<name$}  {:<path_width$}  {}",
            read.name,
            path(read),
            read.words
        );
    }
}

fn describe_causes(text: &mut String, causes: &RegionCauses) {
    let end = causes.range.end.to_string();
    let end = if end.is_empty() {
        "the end".to_owned()
    } else {
        format!("`{end}`")
    };
    let _ = writeln!(
        text,
        "\n  region {}, from `{}` to {end}: {} of the writes{}",
        causes.region,
        causes.range.start,
        percent_to(causes.write_share, 1),
        if causes.unreachable {
            "; no key can reach it"
        } else {
            ""
        }
    );
    if !causes.prefixes.is_empty() {
        let _ = writeln!(text, "    by the start of the key:");
    }
    for prefix in &causes.prefixes {
        let _ = writeln!(
            text,
            "    {:>7}  {}  {}",
            percent_to(prefix.share, 1),
            prefix.prefix,
            prefix.meaning.join(", ")
        );
    }
    if !causes.entities.is_empty() {
        let _ = writeln!(text, "    by the values of skewed fields:");
    }
    for entity in &causes.entities {
        let _ = writeln!(
            text,
            "    {:>7}  {} {}",
            percent_to(entity.share, 1),
            entity.field,
            entity.value
        );
    }
}

fn last_line(scenario: &Scenario) -> String {
    format!(
        "{}; nothing was simulated",
        counted_strategies(scenario.strategies.len())
    )
}

/// `1 strategy`, `5 strategies`.
pub fn counted_strategies(count: usize) -> String {
    if count == 1 {
        "1 strategy".to_owned()
    } else {
        format!("{count} strategies")
    }
}

/// `1 region`, `32 regions`.
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A long start key's first characters.
fn shortened(key: &str) -> String {
    const LONGEST: usize = 48;
    if key.chars().count() <= LONGEST {
        return key.to_owned();
    }
    key.chars().take(LONGEST - 3).chain("...".chars()).collect()
}
