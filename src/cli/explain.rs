//! `keyheat explain`: what is known of each strategy before any simulation, as text. Must not compute it.

use super::args::{DataFormat, ExplainArguments};
use super::console::Console;
use super::{lints, loading};
use crate::keyspace::escape;
use crate::layout::{Explanation, Layout, ReadForecast, RegionCauses, Replicate, SampleKey};
use crate::report::number::counted;
use crate::report::{Block, Document, aligned, json_text};
use crate::scenario::{Presplit, Strategy};
use crate::text::{hex, joined, percent_to};
use anyhow::{Result, bail};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Sample keys of each strategy.
const SAMPLES: usize = 3;

/// Beyond so many regions only the busiest are listed.
const LISTED_REGIONS: usize = 40;

/// Characters of a full bar.
const BAR: f64 = 24.0;

pub fn run(arguments: &ExplainArguments, console: &Console) -> Result<()> {
    let scenario = loading::load(&arguments.input, console)?;
    loading::tell_first_point(&scenario, console);
    let explanations = Replicate::firsts(&scenario.strategies, scenario.seed, |strategy, first| {
        Explanation::of(strategy, first, SAMPLES, arguments.region)
    });
    let layouts = explanations.iter().map(|explanation| &explanation.layout);
    lints::tell_of(&scenario, lints::all(&scenario, layouts), console);
    for (strategy, explanation) in scenario.strategies.iter().zip(&explanations) {
        if let (Some(region), None) = (arguments.region, &explanation.region) {
            let (name, regions) = (&strategy.name, explanation.layout.regions.len());
            bail!(
                "`{name}` has no region {region}: it has {}, counted from 0",
                counted(regions, "region")
            );
        }
    }
    if arguments.format == DataFormat::Json {
        let strategies = scenario.strategies.iter().zip(&explanations);
        let strategies: Vec<Value> = strategies.map(|(it, found)| json(it, found)).collect();
        let (name, seed) = (&scenario.name, scenario.seed.0);
        let found = json!({ "scenario": name, "seed": seed, "strategies": strategies });
        return console.data(&json_text(&found));
    }
    let mut parts: Vec<Vec<Block>> = Vec::new();
    if !scenario.question.is_empty() {
        parts.push(vec![Block::Title(scenario.question.clone())]);
    }
    for (strategy, explanation) in scenario.strategies.iter().zip(&explanations) {
        parts.push(vec![Block::Lines(facts(strategy, &explanation.layout))]);
        parts.extend(explanation.samples.iter().map(key));
        let layout = &explanation.layout;
        let causes = explanation.region.as_ref();
        parts.push(causes.map_or_else(|| regions_by_share(layout), causes_of));
        parts.push(reads(&explanation.layout.reads));
    }
    console.document(&Document(parts))?;
    let strategies = counted(scenario.strategies.len(), "strategy");
    console.say(&format!("{strategies}; nothing was simulated"));
    // As in `check`.
    std::mem::forget((scenario, explanations));
    Ok(())
}

/// A strategy for programs: all that the text says, of all regions.
fn json(strategy: &Strategy, explanation: &Explanation) -> Value {
    let layout = &explanation.layout;
    let region = |at: usize| {
        let (start, it) = (hex(layout.region_start(0, at)), &layout.regions[at]);
        json!({ "start_hex": start, "write_share": it.write_share, "unreachable": it.unreachable })
    };
    let regions: Vec<Value> = (0..layout.regions.len()).map(region).collect();
    let sample = |it: &SampleKey| {
        let record = it.record.iter().map(|(field, value)| (field, value));
        let record: BTreeMap<&String, &String> = record.collect();
        json!({
            "write": it.write, "record": record, "key_hex": hex(it.key.as_bytes()), "qualifier_hex": hex(&it.qualifier),
            "segments": it.segments,
        })
    };
    let samples: Vec<Value> = explanation.samples.iter().map(sample).collect();
    let read = |it: &ReadForecast| {
        json!({
            "name": it.name, "path": it.planned.plan.path.name(), "words": it.words, "calls_planned": it.calls_planned.mean, "regions": it.regions,
            "rows_planned": it.rows_planned.mean, "rows_returned": it.rows_returned,
        })
    };
    let reads: Vec<Value> = layout.reads.iter().map(read).collect();
    let copies = strategy.copies.iter().zip(&layout.copies).map(|(copy, forecast)| {
        json!({ "key": copy.key.text(), "regions": forecast.regions.len(), "hottest_share": forecast.hottest_share() })
    });
    let causes = explanation.region.as_ref().map(|it| {
        let prefixes = it.prefixes.iter().map(|prefix| {
            json!({ "prefix_hex": hex(prefix.prefix.as_bytes()), "meaning": prefix.meaning, "share": prefix.share })
        });
        json!({ "region": it.region, "prefixes": prefixes.collect::<Vec<_>>(), "values": it.entities })
    });
    json!({
        "strategy": strategy.name, "key": strategy.key.text(), "qualifier": strategy.qualifier.as_ref().map(|it| it.text()),
        "servers": strategy.setup.cluster.servers, "key_bytes": layout.key_bytes, "existing_rows": layout.existing_rows,
        "sampled_operations": layout.sampled_operations, "hottest_values": layout.entities, "samples": samples, "regions": regions,
        "copies": copies.collect::<Vec<_>>(), "reads": reads, "causes": causes,
    })
}

/// What a strategy is, and which values are hottest.
fn facts(strategy: &Strategy, layout: &Layout) -> Vec<String> {
    let source = match &strategy.presplit {
        Presplit::Sampled { .. } if layout.existing_rows == 0 => "quantiles of the run's own keys",
        Presplit::Sampled { .. } => "quantiles of the existing rows",
        Presplit::Fixed { .. } => "split points known beforehand",
    };
    let regions = counted(layout.regions.len(), "region");
    let servers = counted(strategy.setup.cluster.servers, "server");
    let bytes = layout.key_bytes;
    let mut facts = vec![
        format!("{}: {}", strategy.name, strategy.key.text()),
        format!("  {regions} on {servers}, {source}; keys of {bytes:.1} bytes"),
    ];
    let qualifier = strategy.qualifier.iter();
    facts.extend(qualifier.map(|plan| format!("  each write is a cell: {}", plan.text())));
    let copies = strategy.copies.iter().zip(&layout.copies).zip(1..);
    facts.extend(copies.map(|((copy, forecast), number)| {
        let regions = counted(forecast.regions.len(), "region");
        let (key, share) = (copy.key.text(), percent_to(forecast.hottest_share(), 1));
        format!("  copy {number}: {key}; {regions}, the busiest gets {share} of its rows")
    }));
    let hottest = layout.entities.iter().take(3).map(|entity| {
        let share = percent_to(entity.share, 1);
        let (field, value) = (&entity.field, &entity.value);
        format!("  {field} {value} has {share} of the writes")
    });
    facts.extend(hottest);
    facts
}

/// A key and its segments, one below the other.
fn key(sample: &SampleKey) -> Vec<Block> {
    let values = sample.record.iter();
    let values = values.map(|(field, value)| format!("{field} {value}"));
    let bytes = [sample.key.as_bytes(), &sample.qualifier].concat();
    let segments = sample.segments.iter().map(|segment| {
        let bytes = bytes.get(segment.bytes.clone()).unwrap_or_default();
        let (expression, meaning) = (segment.expression.clone(), segment.meaning.clone());
        vec![escape(bytes), expression, meaning]
    });
    let record = format!("  {}: {}", sample.write, joined(values, ", "));
    let mut lines = vec![record, format!("    {}", sample.key)];
    if !sample.qualifier.is_empty() {
        let qualifier = escape(&sample.qualifier);
        lines.push(format!("    qualifier {qualifier}"));
    }
    vec![Block::Lines(lines), aligned(segments, 4)]
}

fn regions_by_share(layout: &Layout) -> Vec<Block> {
    let regions = &layout.regions;
    let mut listed: Vec<usize> = (0..regions.len()).collect();
    let mut heading = "  regions in key order, with their predicted share of the writes".to_owned();
    if regions.len() > LISTED_REGIONS {
        let share = |at: usize| regions[at].write_share;
        // Regions of equal shares stay in key order.
        let by_share = |a: &usize, b: &usize| share(*b).total_cmp(&share(*a)).then(a.cmp(b));
        listed.select_nth_unstable_by(LISTED_REGIONS, by_share);
        listed.truncate(LISTED_REGIONS);
        listed.sort_unstable_by(by_share);
        let all = regions.len();
        heading = format!(
            "  the {LISTED_REGIONS} busiest of {all} regions, by predicted share of the writes"
        );
    }
    let shares = regions.iter().map(|region| region.write_share);
    let greatest = shares.fold(0.0, f64::max);
    let row = |at: &usize| {
        let region = &regions[*at];
        let bar = match greatest > 0.0 {
            true => (region.write_share / greatest * BAR).round() as usize,
            false => 0,
        };
        let note = region.unreachable.then_some("no key can reach it");
        let note = note.unwrap_or_default();
        let share = percent_to(region.write_share, 1);
        vec![
            format!("{at:>5}"),
            shortened(&escape(layout.region_start(0, *at))),
            format!("{share:>7}"),
            format!("{}{note}", "#".repeat(bar)),
        ]
    };
    match greatest > 0.0 {
        true => vec![
            Block::Lines(vec![heading]),
            aligned(listed.iter().map(row), 2),
        ],
        // Nothing is written.
        false => Vec::new(),
    }
}

fn reads(reads: &[ReadForecast]) -> Vec<Block> {
    if reads.is_empty() {
        return Vec::new();
    }
    let row = |read: &ReadForecast| {
        let path = read.planned.plan.path.name();
        vec![read.name.clone(), path.to_owned(), read.words.clone()]
    };
    let heading = Block::Lines(vec!["  reads".to_owned()]);
    vec![heading, aligned(reads.iter().map(row), 4)]
}

/// Where the writes of one region come from.
fn causes_of(causes: &RegionCauses) -> Vec<Block> {
    let end = match causes.range.end.to_string().as_str() {
        "" => "the end".to_owned(),
        end => format!("`{end}`"),
    };
    let unreachable = causes.unreachable.then_some("; no key can reach it");
    let unreachable = unreachable.unwrap_or_default();
    let share = |share| format!("    {:>7}", percent_to(share, 1));
    let mut lines = vec![format!(
        "  region {}, from `{}` to {end}: {} of the writes{unreachable}",
        causes.region,
        causes.range.start,
        percent_to(causes.write_share, 1),
    )];
    if !causes.prefixes.is_empty() {
        lines.push("    by the start of the key:".to_owned());
    }
    lines.extend(causes.prefixes.iter().map(|prefix| {
        let meaning = prefix.meaning.join(", ");
        format!("{}  {}  {meaning}", share(prefix.share), prefix.prefix)
    }));
    if !causes.entities.is_empty() {
        lines.push("    by the values of skewed fields:".to_owned());
    }
    let entities = causes.entities.iter();
    lines.extend(entities.map(|it| format!("{}  {} {}", share(it.share), it.field, it.value)));
    vec![Block::Lines(lines)]
}

/// A long start key's first characters.
fn shortened(key: &str) -> String {
    const LONGEST: usize = 48;
    if key.chars().count() <= LONGEST {
        return key.to_owned();
    }
    key.chars().take(LONGEST - 3).chain("...".chars()).collect()
}
