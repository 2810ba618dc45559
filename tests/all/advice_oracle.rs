//! Advice against full simulations: over random small designs, no key that was simulated is better than the recommended one in something that a
//! designer pays for and worse in nothing. The judge reads the raw values of each replicate in the results, and knows nothing of how advice ranks.
//!
//! `cargo test` tries [`SHARE`] designs; `KEYHEAT_ADVICE=full` tries 200, `KEYHEAT_ADVICE=52,64` those two.
//!
//! # False alarms
//! 200 designs with some eight keys and as many measures each are about 10,000 comparisons: of 95 % intervals, 250 would accuse a better key by
//! chance. So that an accusation means something,
//! - a difference counts where it is more than [`TELLS`] in *every* replicate: of two keys that are equal but for noise that happens with probability 2^-4 at
//!   most, and most of the measures have no noise (planned rows and calls, bytes, the throughput of a key that completes what is offered);
//! - whoever is accused is tried again, with another seed and [`RETRIAL`] replicates, where the same difference has to show again in each of them: 2^-12 at most,
//!   for noise that is symmetrical. Together 2^-16: of the 2,000 comparisons or so that have noise, 0.03 false alarms are expected.

use keyheat::experiment::{Experiment, Recommendations, Results, StrategyResult, Suggestions};
use keyheat::scenario::Scenario;
use std::cell::LazyCell;
use std::fmt::Write;

/// Designs that `cargo test` tries, and that the full test does.
const SHARE: u64 = 40;
const ALL: u64 = 200;

/// A difference of more than this part is one: half of what advice itself calls as good.
const TELLS: f64 = 0.02;

/// Replicates of the first trial, and of the second.
const TRIAL: u32 = 4;
const RETRIAL: u32 = 12;

/// A generator of its own (SplitMix64), so that designs depend on nothing that is tested.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % sides
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.roll(all.len() as u64) as usize]
    }

    /// So many different ones, in their order.
    fn some<'a>(&mut self, all: &[&'a str], count: usize) -> Vec<&'a str> {
        let mut left: Vec<&str> = all.to_vec();
        while left.len() > count {
            let at = self.roll(left.len() as u64) as usize;
            left.remove(at);
        }
        left
    }
}

/// A design: 2 to 4 fields, 1 or 2 writes, 1 to 3 reads, 2 to 5 keys, 4 to 8 small servers, a table with rows. `longer` times as many exist.
fn design(number: u64, longer: u64, seed: u64, replicates: u32) -> String {
    let mut dice = Dice(number.wrapping_mul(7_919).wrapping_add(18));
    let servers = 4 + dice.roll(5);
    let (has_kind, has_zone) = (dice.roll(2) == 1, dice.roll(3) == 0);
    let law = dice.of(&[
        "",
        ", distribution = { zipf = 0.9 }",
        ", distribution = { zipf = 1.0, top = [0.3] }",
    ]);
    let ids = [40, 400, 4_000][dice.roll(3) as usize];
    let mut text = format!(
        "seed = {seed}\nreplicates = {replicates}\n\
         [time]\nduration = \"400ms\"\nwarmup = \"100ms\"\nsample = \"100ms\"\n\
         [cluster]\nservers = {servers}\nhandlers = 4\ncall_queues = 1\n\
         [field]\nid = {{ type = \"int\", count = {ids}{law} }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n"
    );
    // A key holds every field: keys are comparable where they store the same rows.
    let mut rest = String::new();
    if has_kind {
        text.push_str("kind = { type = \"int\", count = 12 }\n");
        rest.push_str(" || be1(kind)");
    }
    if has_zone {
        text.push_str("zone = { type = \"text\", values = [\"eu\", \"us\"], of = \"id\" }\n");
        rest.push_str(" || zone");
    }
    let (records, seconds) = (
        [5_000, 20_000, 60_000][dice.roll(3) as usize],
        [60, 3_600][dice.roll(2) as usize],
    );
    for write in ["one", "two"].iter().take(1 + dice.roll(2) as usize) {
        let rate = 1_500 + 500 * dice.roll(8);
        let (records, seconds) = (records * longer, seconds * longer);
        write!(text, "[write.{write}]\nrate = \"{rate}/s\"\n[existing.{write}]\nrecords = {records}\nlast = \"{seconds}s\"\n").unwrap();
    }
    let (window, ago) = (dice.of(&["1s", "5s"]), dice.of(&["", ", ago = \"20s\""]));
    let of_window = format!("range = {{ field = \"ts\", last = \"{window}\"{ago} }}");
    let with_id = format!("equal = [\"id\"]\n{of_window}");
    let with_kind = format!("equal = [\"kind\"]\n{of_window}");
    let mut reads = vec![
        "equal = [\"id\"]\nnewest = { field = \"ts\", rows = 10 }",
        &with_id,
        &of_window,
        "equal = [\"id\"]",
        "equal = [\"id\", \"ts\"]",
    ];
    if has_kind {
        reads.push(&with_kind);
        reads.push("equal = [\"id\", \"ts\", \"kind\"]");
    }
    let wanted = 1 + dice.roll(3) as usize;
    for (at, read) in dice.some(&reads, wanted).into_iter().enumerate() {
        writeln!(text, "[read.r{at}]\n{read}").unwrap();
        if dice.roll(2) == 1 {
            writeln!(text, "rate = \"{}/s\"", 50 + 50 * dice.roll(4)).unwrap();
        }
    }
    let regions = servers * (1 + dice.roll(3));
    write!(text, "[table]\nsplit_policy = \"disabled\"\npresplit = {{ algorithm = \"sampled\", regions = {regions} }}\n").unwrap();
    let keys = [
        "be8(ts) || be4(id)".to_owned(),
        "be4(id) || be8(ts)".to_owned(),
        "be4(id) || be8(rev_ts(ts))".to_owned(),
        format!("salt({servers}, be4(id)) || be8(ts) || be4(id)"),
        format!("salt({servers}, be8(ts)) || be4(id) || be8(ts)"),
        format!("be1(random({servers})) || be8(ts) || be4(id)"),
        "left(md5_bytes(be4(id)), 4) || be4(id) || be8(ts)".to_owned(),
        "left(md5_bytes(be4(id) || be8(ts)), 4) || be4(id) || be8(ts)".to_owned(),
        "be4(id) || left(md5_bytes(be8(ts)), 2) || be8(ts)".to_owned(),
        "be6(trunc(ts, '1m')) || be4(id) || be8(ts)".to_owned(),
    ];
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let wanted = 2 + dice.roll(4) as usize;
    for (at, key) in dice.some(&keys, wanted).into_iter().enumerate() {
        writeln!(text, "[strategy.k{at}]\nkey = \"{key}{rest}\"").unwrap();
    }
    text
}

/// What a designer pays for or wants: a name, whether more is better, and the value in each replicate.
fn measures(result: &StrategyResult) -> Vec<(String, bool, Vec<f64>)> {
    let mut found = Vec::new();
    let mut add = |name: String, more: bool| {
        let Some(values) = result.values.get(&name) else {
            return;
        };
        // What is known from the layout alone stands in the first replicate.
        let known: Vec<f64> = values.iter().flatten().copied().collect();
        let all = match known.len() == values.len() {
            true => known,
            false if known.len() == 1 => vec![known[0]; values.len()],
            false => return,
        };
        found.push((name, more, all));
    };
    add("write_throughput_per_sec".to_owned(), true);
    add("usable_capacity_per_sec".to_owned(), true);
    add("write_bytes".to_owned(), false);
    for read in &result.reads {
        add(format!("read.{}.throughput_per_sec", read.name), true);
        add(format!("read.{}.rows_planned", read.name), false);
        add(format!("read.{}.calls_planned", read.name), false);
    }
    found
}

/// In what `other` is better than `own` in every replicate, if it is worse in nothing on average.
fn beaten_in(own: &StrategyResult, other: &StrategyResult) -> Vec<String> {
    let mut better = Vec::new();
    let others = measures(other);
    for (name, more, own) in measures(own) {
        let Some((_, _, other)) = others.iter().find(|(of, ..)| *of == name) else {
            return Vec::new();
        };
        let gains: Vec<f64> = own
            .iter()
            .zip(other)
            .map(|(own, other)| match more {
                true => (other + 1e-9) / (own + 1e-9),
                false => (own + 1e-9) / (other + 1e-9),
            })
            .collect();
        let mean = gains.iter().map(|gain| gain.ln()).sum::<f64>() / gains.len() as f64;
        if mean < -TELLS {
            return Vec::new();
        }
        if gains.iter().all(|gain| *gain > 1.0 + TELLS) {
            better.push(name);
        }
    }
    better
}

fn parsed(text: &str) -> Scenario {
    Scenario::parse(text, "design").unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn result<'a>(results: &'a Results, name: &str) -> &'a StrategyResult {
    let mut strategies = results.strategies.iter();
    strategies.find(|it| it.name == name).unwrap()
}

/// The design's strategies with those of keyheat's own, of other rows or replicates.
fn again(number: u64, with: &str, longer: u64, replicates: u32) -> Results {
    let text = design(number, longer, 1_000 + number, replicates) + with;
    Experiment::new(&parsed(&text)).run(|_| {})
}

/// What is wrong with the advice on a design.
fn objections(number: u64) -> Vec<String> {
    let text = design(number, 1, number, TRIAL);
    let suggestions = Suggestions::of(&parsed(&text));
    let results = Experiment::new(&suggestions.scenario).run(|_| {});
    let advice = Recommendations::with_suggestions(&suggestions, &results);
    let own_keys = suggestions.scenario.text[text.len()..].to_owned();
    let retrial = LazyCell::new(|| again(number, &own_keys, 1, RETRIAL));
    // Fewer rows today may be more when the table has grown.
    let grown = LazyCell::new(|| again(number, &own_keys, 10, TRIAL));
    let mut objections = Vec::new();
    for group in &advice.groups {
        let best = &group.strategies[0].name;
        for other in &group.strategies[1..] {
            let accused = beaten_in(result(&results, best), result(&results, &other.name));
            if accused.is_empty() {
                continue;
            }
            let (own, better) = (result(&retrial, best), result(&retrial, &other.name));
            let mut confirmed = beaten_in(own, better);
            confirmed.retain(|name| accused.contains(name));
            if confirmed.is_empty() {
                continue;
            }
            if beaten_in(result(&grown, best), result(&grown, &other.name)).is_empty() {
                continue;
            }
            objections.push(format!(
                "design {number}: `{}` is better than `{best}` in {confirmed:?} and worse in nothing\n{text}{own_keys}",
                other.name
            ));
        }
    }
    objections
}

#[test]
fn no_key_is_better_than_the_recommended_one_in_something_and_worse_in_nothing() {
    let designs: Vec<u64> = match std::env::var("KEYHEAT_ADVICE") {
        Err(_) => (0..SHARE).collect(),
        Ok(all) if all == "full" => (0..ALL).collect(),
        Ok(some) => {
            let number = |it: &str| it.trim().parse().expect("a design's number");
            some.split(',').map(number).collect()
        }
    };
    let objections: Vec<String> = designs.into_iter().flat_map(objections).collect();
    assert!(objections.is_empty(), "{}", objections.join("\n\n"));
}
