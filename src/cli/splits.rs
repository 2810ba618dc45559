//! `keyheat splits`: split points exactly as HBase computes them, or from a sample of keys. Must not know how.

use super::args::SplitsArguments;
use super::console::Console;
use super::key_list::{self, KeyList};
use crate::keyspace::RowKey;
use crate::policy::{SPLIT_FORMATS, SampledSplit, SplitAlgorithm, SplitError, sampled_points};
use crate::report::json_text;
use crate::report::number::counted;
use crate::statistics::{PredictedPeak, predicted_peak, sample_size_for};
use crate::text::{compact, grouped, hex, share, times, verb};
use anyhow::{Result, anyhow, bail};
use serde::Serialize;
use std::path::Path;

/// The greatest region over the mean that a sample is called large enough for.
const GOOD_PEAK: f64 = 1.05;

/// More regions than any table has.
const MOST_REGIONS: i64 = 100_000;

/// `--format json`.
#[derive(Serialize)]
struct SplitsJson<'a> {
    algorithm: &'a str,
    regions: i64,
    splits_hex: &'a [RowKey],
    #[serde(flatten)]
    sample: Option<Sample>,
}

/// What a sample tells of the regions that it was cut into.
#[derive(Serialize)]
struct Sample {
    keys: u64,
    weight: u64,
    /// The greatest region over the mean one.
    predicted_peak: PredictedPeak,
    /// How many times as large a sample would bring it to 1.05 on average; none where a row is too heavy.
    growth_for_peak_of_1_05: Option<f64>,
    /// What the shares of all split points are at most off by, in 95 of 100 cases.
    rank_error_share: f64,
    /// Rows that weigh more than a region should, in hex, and their shares.
    indivisible: Vec<(String, f64)>,
}

pub fn run(arguments: &SplitsArguments, console: &Console) -> Result<()> {
    let algorithm = arguments.algorithm;
    let (points, sample) = match (&arguments.from, algorithm) {
        (Some(file), SplitAlgorithm::Sampled) => {
            let (points, sample) = sampled(file, arguments, console)?;
            (points, Some(sample))
        }
        (Some(_), _) => bail!(
            "`{}` computes split points from no keys\n`--from` belongs to `sampled`",
            algorithm.name()
        ),
        (None, _) => {
            let regions = arguments.regions.ok_or_else(|| {
                anyhow!("`--region-size` belongs to `sampled`\nsay how many with `--regions`")
            })?;
            let (first, last) = (arguments.first.as_deref(), arguments.last.as_deref());
            let is_bytes = matches!(algorithm, SplitAlgorithm::Uniform | SplitAlgorithm::Bytes);
            for (option, row) in [("--first", first), ("--last", last)] {
                let read = row
                    .filter(|_| is_bytes)
                    .map_or(Ok(()), |it| RowKey::parse(it).map(drop));
                read.map_err(|why| anyhow!("`{option}`: {why}\nwrite bytes as `\\x0C`"))?;
            }
            let points = algorithm.split_points(regions, first, last);
            (points.map_err(|error| explain(error, regions))?, None)
        }
    };
    let Some(format) = SPLIT_FORMATS.iter().find(|it| it.name == arguments.format) else {
        return console.data(&json_text(&SplitsJson {
            algorithm: algorithm.name(),
            regions: points.len() as i64 + 1,
            splits_hex: &points,
            sample,
        }));
    };
    let text = format.write(&arguments.table, &points).map_err(|point| {
        anyhow!("the split point `{point}` can't be written as {}\n`--format escaped` or `hex` writes any", format.name)
    })?;
    console.data(&text)
}

/// Split points from a file of keys, and what is to be said of them.
fn sampled(
    file: &Path,
    arguments: &SplitsArguments,
    console: &Console,
) -> Result<(Vec<RowKey>, Sample)> {
    let list = key_list::read(file, &arguments.keys, console)?;
    let regions = regions(arguments, &list)?;
    let keys = list.sketch.weights();
    let split = sampled_points(&keys, regions);
    // Weights that are bytes are no draws: as many of equal weight would tell as much (Kish, "Survey Sampling", 1965, 11.7).
    let weight = list.weight as f64;
    let draws = match arguments.region_size.is_some() && arguments.row_bytes.is_none() {
        true => weight * weight / list.squares,
        false => weight,
    };
    let a_draw = draws / weight;
    let counts: Vec<f64> = split.weights.iter().map(|it| *it as f64 * a_draw).collect();
    let peak = predicted_peak(&counts, list.sketch.rank_sd() * a_draw);
    let made = counts.len();
    let row = |(row, its): &(RowKey, u64)| (hex(row.as_bytes()), *its as f64 / weight);
    let is_divisible = split.indivisible.is_empty();
    let sample = Sample {
        keys: list.keys,
        weight: list.weight,
        predicted_peak: peak.ok_or_else(|| anyhow!("`{}`: no keys", file.display()))?,
        growth_for_peak_of_1_05: is_divisible
            .then(|| sample_size_for(made as u32, GOOD_PEAK) / draws),
        rank_error_share: list.sketch.rank_error(made) / weight,
        indivisible: split.indivisible.iter().map(row).collect(),
    };
    tell(&sample, &split, keys.len(), regions, console);
    Ok((split.points, sample))
}

/// As many regions as were asked for, or as the table fills.
fn regions(arguments: &SplitsArguments, list: &KeyList) -> Result<u32> {
    let Some(size) = arguments.region_size else {
        let asked = arguments.regions.unwrap_or_default();
        let most = grouped(MOST_REGIONS.into());
        return match asked {
            2..=MOST_REGIONS => Ok(asked as u32),
            _ => bail!(
                "{} can't be made of keys\nask for 2 to {most}",
                counted(asked, "region")
            ),
        };
    };
    let bytes = match arguments.row_bytes {
        Some(bytes) => list.keys as f64 * bytes as f64,
        None if list.has_weights => list.weight as f64,
        None => bail!(
            "the keys have no weights, so their bytes are not known\nsay `--row-bytes 200`, or `--weight COLUMN` of a column of bytes"
        ),
    };
    let keys = list.keys as f64;
    let times = arguments.rows.map_or(1.0, |rows| rows as f64 / keys);
    let regions = (bytes * times / size.0 as f64).ceil();
    Ok(regions.clamp(1.0, MOST_REGIONS as f64) as u32)
}

fn tell(sample: &Sample, split: &SampledSplit, different: usize, asked: u32, console: &Console) {
    let made = split.weights.len();
    let keys = counted(grouped(sample.keys.into()), "key");
    let regions = counted(made, "region");
    let instead = match made < asked as usize {
        true => format!(": {regions} where {asked} were asked for"),
        false => String::new(),
    };
    if different < asked as usize {
        console.warn(&format!(
            "{}{instead}\ntake a larger sample",
            counted(different, "different key")
        ));
    } else if let Some((row, part)) = split.indivisible.first().zip(sample.indivisible.first()) {
        let heavy = sample.indivisible.len();
        let weigh = verb(heavy, ["weighs", "weigh"]);
        let heavy = counted(heavy, "row");
        let (row, part) = (&row.0, share(part.1));
        console.warn(&format!("no split divides a row, and {heavy} {weigh} more than a region should, `{row}` {part} of all{instead}"));
    }
    if asked == 1 {
        console.say(&format!(
            "{keys} fit into one region: there is nothing to split"
        ));
    }
    if made == 1 {
        return;
    }
    let PredictedPeak { mean, low, high } = sample.predicted_peak;
    let part = share(mean / made as f64);
    let draw = match sample.keys == sample.weight {
        true => "the keys are",
        false => "their weights count",
    };
    console.say(&format!(
        "{keys}: the greatest of {made} regions will take {mean:.2} [{low:.2}, {high:.2}] x the mean, {part} of the load, if {draw} a random sample of it"
    ));
    if let Some(growth) = sample.growth_for_peak_of_1_05.filter(|it| *it > 1.0) {
        let (growth, keys) = (times(growth), compact((sample.keys as f64 * growth).ceil()));
        console.say(&format!("a sample {growth} as large, about {keys} keys, would bring it to {GOOD_PEAK} x the mean"));
    }
    if sample.rank_error_share > 0.0 {
        let error = share(sample.rank_error_share * made as f64);
        console.say(&format!("more keys than memory holds: each end of a region is known to {error} of its size, or better"));
    }
}

/// Says who refuses: HBase itself, with its exception, or keyheat.
fn explain(error: SplitError, regions: i64) -> anyhow::Error {
    let help = match regions {
        ..=1 => "\none region has no split points: ask for 2 regions or more",
        _ => "",
    };
    match error.java_class() {
        Some(class) => anyhow!("HBase refuses: {class}: {error}{help}"),
        None => anyhow!("{error}{help}"),
    }
}
