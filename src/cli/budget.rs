//! What a command will take, told before it begins, and refused where it is too much. Must not know how it is foreseen.

use super::args::LimitArguments;
use super::console::Console;
use crate::experiment::{FirstLayouts, Forecast, Shard};
use crate::layout::Layout;
use crate::report::number::{NumberFormat, length};
use crate::scenario::Scenario;
use crate::text::{counted, in_unit};
use anyhow::{Result, bail};
use serde_json::{Value, json};
use std::fs;
use std::time::Instant;

/// What the scenarios of a command take: they are run one after the other.
#[derive(Debug)]
pub struct Budget<'a> {
    limits: &'a LimitArguments,
    forecasts: Vec<(&'a str, Forecast)>,
    /// The part of the runs that is made here.
    part: f64,
}

impl<'a> Budget<'a> {
    /// Of a command that makes all runs, or those of a shard.
    pub fn new(limits: &'a LimitArguments, shard: Option<Shard>) -> Self {
        Self {
            limits,
            forecasts: Vec::new(),
            part: shard.map_or(1.0, |shard| 1.0 / f64::from(shard.of())),
        }
    }

    /// Adds a scenario that is run on so many threads at most, and hands over the layouts that the forecast rests on.
    pub fn add(&mut self, scenario: &'a Scenario, threads: usize) -> Vec<Layout> {
        let start = Instant::now();
        let clock = || start.elapsed().as_nanos() as f64;
        let first = FirstLayouts::of(scenario, clock);
        let forecast = Forecast::of(scenario, &first, threads, clock);
        let forecast = forecast.beside(greatest_memory().unwrap_or(0) as f64);
        self.forecasts.push((&scenario.path, forecast));
        first.layouts
    }

    /// What all take, for programs: an estimate, within a factor of two on a machine of our kind.
    pub fn forecast(&self) -> Value {
        let all = self.forecasts.iter().map(|(_, forecast)| forecast);
        let seconds: f64 = all.clone().map(Forecast::secs).sum();
        let bytes = all.clone().map(Forecast::bytes).fold(0.0, f64::max);
        let runs: u64 = all.map(|it| it.runs).sum();
        json!({ "seconds": seconds * self.part, "memory_bytes": bytes, "runs": runs })
    }

    /// Tells memory and time of all, and fails when they are more than is allowed.
    pub fn settle(self, console: &Console) -> Result<()> {
        let Self {
            limits,
            forecasts,
            part,
        } = self;
        let bytes = |(_, forecast): &&(&str, Forecast)| forecast.bytes();
        let secs = |(_, forecast): &&(&str, Forecast)| forecast.secs() * part;
        let largest = forecasts.iter();
        let largest = largest.max_by(|a, b| bytes(a).total_cmp(&bytes(b)));
        let Some(largest) = largest else {
            return Ok(());
        };
        let longest = forecasts.iter().max_by(|a, b| secs(a).total_cmp(&secs(b)));
        let (path, longest) = longest.unwrap_or(largest);
        let all_secs: f64 = forecasts.iter().map(|one| secs(&one)).sum();
        let memory = NumberFormat::Bytes.text(largest.1.bytes());
        let time = rough_length(all_secs);
        let runs: u64 = forecasts.iter().map(|(_, forecast)| forecast.runs).sum();
        let threads = largest.1.threads;
        console.say(&format!(
            "about {time} and {memory} of memory: {}, {threads} at a time",
            counted(runs, "run")
        ));
        let most = limits.max_memory.map(|size| size.0);
        let most = most.or_else(available_memory);
        if let Some(most) = most.filter(|&most| largest.1.bytes() > most as f64) {
            bail!(
                "`{}` takes about {memory} of memory, more than the {} of `--max-memory`\n{}",
                largest.0,
                NumberFormat::Bytes.text(most as f64),
                largest.1.less_memory(most as f64)
            );
        }
        let most = limits.max_time.as_secs_f64();
        if all_secs > most {
            let help = longest.less_time(most * longest.secs() / all_secs);
            let most = length(most);
            bail!("about {time} is more than the {most} of `--max-time`\n`{path}`: {help}");
        }
        Ok(())
    }
}

/// Two or three digits: a forecast is known no better.
fn rough_length(secs: f64) -> String {
    match in_unit(secs) {
        _ if secs < 1.0 => "a second".to_owned(),
        (value, unit) if value < 9.95 => format!("{value:.1} {unit}"),
        (value, unit) => format!("{value:.0} {unit}"),
    }
}

/// Bytes of memory that programs may still take, without pushing others out; `None` where the system does not say (elsewhere than on Linux).
pub fn available_memory() -> Option<u64> {
    let said = fs::read_to_string("/proc/meminfo").ok()?;
    let machine = bytes_of(&said, "MemAvailable:")?;
    // A container may have less than its machine.
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let most = number("/sys/fs/cgroup/memory.max");
    let taken = number("/sys/fs/cgroup/memory.current").unwrap_or(0);
    let container = most.map(|most| most.saturating_sub(taken));
    Some(container.map_or(machine, |container| container.min(machine)))
}

/// The most memory that this process has had so far; `None` elsewhere than on Linux.
fn greatest_memory() -> Option<u64> {
    bytes_of(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// `MemAvailable:   12345 kB`.
fn bytes_of(said: &str, name: &str) -> Option<u64> {
    let mut lines = said.lines();
    let value = lines.find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::{bytes_of, rough_length};

    #[test]
    fn a_forecast_is_told_in_few_digits() {
        assert_eq!(rough_length(0.2), "a second");
        assert_eq!(rough_length(7.44), "7.4 s");
        assert_eq!(rough_length(123.4), "123 s");
        assert_eq!(rough_length(1e6), "12 d");
    }

    #[test]
    fn available_memory_is_what_linux_says() {
        let said = "MemTotal:       16265700 kB\nMemFree: 1 kB\nMemAvailable:   11000000 kB\n";
        assert_eq!(bytes_of(said, "MemAvailable:"), Some(11_000_000 * 1024));
        assert_eq!(bytes_of("MemTotal: 3 kB\n", "MemAvailable:"), None);
    }
}
