//! Keys that spread by a hash of few values: where those fall is chance, and one draw shows one case of many. Must not simulate.

use super::RegionForecast;
use super::key_lints::LintedKey;
use super::key_sample::KeySample;
use crate::key::Randomness;
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{FieldId, FieldKind, TextValues};
use crate::scenario::Diagnostic;
use crate::statistics::PlacementPeaks;
use crate::text;
use std::collections::BTreeMap;

/// Up to so many values a server are few: 32 equal ones on each spread by 1 / sqrt(32) = 18 % of the mean.
const FEW_PER_SERVER: usize = 32;

/// Deals that the distribution is made of: the 90 % quantile is then known to 1 % of the deals (one standard error:
/// sqrt(0.9 x 0.1 / 1,000)).
const DEALS: usize = 1_000;

/// A mean peak beyond this multiple of what no deal beats is chance that matters (estimate).
const MATTERS: f64 = 1.25;

/// Placements are a matter of the key, not of a run's seed.
const SEED: Seed = Seed(0);

/// A warning when the first segment that varies is a hash of few values. None when the values are listed: those hash to where the run
/// shows them.
pub(super) fn lint(
    linted: LintedKey<'_>,
    sample: &KeySample,
    regions: &[RegionForecast],
    opening_servers: &[u32],
) -> Option<Diagnostic> {
    let LintedKey { strategy, key, .. } = linted;
    let segments = key.segments();
    let lead = segments.iter().find(|it| it.constant().is_none())?;
    let schema = &strategy.setup.schema;
    let is_listed = |field: &FieldId| {
        let kind = &schema.field(*field).kind;
        matches!(kind, FieldKind::Text(TextValues::Listed(_)))
    };
    let fields = lead.fields();
    if lead.randomness() != Randomness::Hashed || fields.iter().all(is_listed) {
        return None;
    }
    let servers = strategy.setup.cluster.servers as usize;
    let weights = weights(sample, fields, FEW_PER_SERVER * servers)?;
    let reachable = regions.iter().filter(|it| !it.unreachable).count();
    let buckets = key.leading_buckets();
    let places = buckets.map_or(reachable, |buckets| buckets.len().min(reachable));
    let peaks = peaks(&weights, places, servers)?;
    // Fewer places than servers leave some idle, whatever falls where.
    let floor = peaks.floor.max(servers as f64 / places.min(servers) as f64);
    if peaks.mean <= MATTERS * floor {
        return None;
    }
    let names = fields
        .iter()
        .map(|&field| format!("`{}`", schema.field(field).name));
    let (values, names) = (weights.len(), names.collect::<Vec<_>>().join(", "));
    let here = drawn(regions, opening_servers, servers);
    let [mean, worst, here] = [peaks.mean, peaks.p90, here].map(text::times);
    let message = format!(
        "a hash deals {values} values of {names} to {places} regions: over many deals the hottest of {servers} servers gets {mean} \
         the mean, in one of ten {worst} or more; here {here}"
    );
    let help =
        "hash more of the record, so that more values are dealt, or plan for the worst of ten";
    Some(linted.warning(message, "this hash", help))
}

/// Shares of the combinations of these fields' values, in the sample; `None` when there are more than `most`, or one alone.
fn weights(sample: &KeySample, fields: &[FieldId], most: usize) -> Option<Vec<f64>> {
    let mut counts: BTreeMap<Vec<i64>, u32> = BTreeMap::new();
    for at in 0..sample.len() {
        let record = sample.record(at);
        let values = fields.iter().map(|field| record[usize::from(field.0)]);
        *counts.entry(values.collect()).or_default() += 1;
        if counts.len() > most {
            return None;
        }
    }
    (counts.len() > 1).then(|| counts.into_values().map(f64::from).collect())
}

/// What dealing the values to `places` regions, and those in turn to the servers, gives over many deals.
fn peaks(weights: &[f64], places: usize, servers: usize) -> Option<PlacementPeaks> {
    if places == 0 {
        return None;
    }
    let mut draws = DrawKey::new(SEED, 0, Stream::Sample, 0).at(0);
    let server = || draws.below(places as u64) as usize % servers;
    PlacementPeaks::of(weights, servers, DEALS, server)
}

/// The peak of the regions where they open.
fn drawn(regions: &[RegionForecast], opening_servers: &[u32], servers: usize) -> f64 {
    let mut loads = vec![0.0; servers];
    for (region, &server) in regions.iter().zip(opening_servers) {
        loads[server as usize] += region.write_share;
    }
    loads.into_iter().fold(0.0, f64::max) * servers as f64
}

#[cfg(test)]
mod tests {
    use crate::layout::{Layout, Replicate};
    use crate::scenario::Scenario;

    /// The lint of one strategy over metrics, on eight servers.
    fn told(metrics: &str, key: &str) -> Option<String> {
        let text = format!(
            "replicates = 2\n[time]\nduration = \"2s\"\nwarmup = \"500ms\"\n[cluster]\nservers = 8\n\
             [field]\nmetric = {metrics}\nhost = {{ type = \"int\", count = 1_000 }}\n\
             ts = {{ type = \"timestamp\", unit = \"ms\" }}\n[write.w]\nrate = \"5k/s\"\n\
             [strategy.a]\nkey = \"{key}\"\npresplit = {{ algorithm = \"buckets\" }}\n"
        );
        let scenario = Scenario::parse(&text, "few").unwrap_or_else(|error| panic!("{error}"));
        let strategy = &scenario.strategies[0];
        let layout = Layout::of(strategy, &Replicate::new(&strategy.setup, scenario.seed, 0));
        let mut lints = layout.lints.into_iter().map(|lint| lint.message);
        lints.find(|message| message.contains("a hash deals"))
    }

    #[test]
    fn a_bucket_of_few_values_is_a_draw_and_one_of_many_is_not() {
        let five = "{ type = \"int\", count = 5 }";
        let bucket = "be1(bucket(16, be4(metric))) || be8(ts) || be4(metric) || be4(host)";
        let message = told(five, bucket).expect("five values on eight servers");
        assert!(
            message.contains("a hash deals 5 values of `metric` to 16 regions"),
            "{message}"
        );
        // Five on eight servers, all 8^5 deals counted: all apart in 21 %, two at most together in 67 %, three in 12 %; each is 1.6
        // times the mean. So the mean peak is 3.09, and the p90 that of three, 4.8. Tolerances: four standard errors of 1,000 deals
        // (sd 0.95), and 2 % for the sampled shares of the values.
        let number = |before: &str| -> f64 {
            let rest = message.split_once(before).expect("the number is told").1;
            rest.split_once('×')
                .expect("times")
                .0
                .parse()
                .expect("a number")
        };
        assert!((number("servers gets ") - 3.09).abs() < 0.19, "{message}");
        assert!((number("one of ten ") - 4.8).abs() < 0.15, "{message}");
        let many = "{ type = \"int\", count = 5_000 }";
        assert_eq!(told(many, bucket), None);
        let salt =
            "be1(bucket(16, be4(metric) || be4(host))) || be8(ts) || be4(metric) || be4(host)";
        assert_eq!(told(five, salt), None);
        assert_eq!(
            told(
                five,
                "be1(random(16)) || be8(ts) || be4(metric) || be4(host)"
            ),
            None
        );
    }

    #[test]
    fn listed_values_fall_where_the_run_shows_them() {
        let listed =
            "{ type = \"text\", values = [\"cpu\", \"disk\", \"load\", \"net\", \"swap\"] }";
        let key = "be1(bucket(16, metric)) || be8(ts) || metric || be4(host)";
        assert_eq!(told(listed, key), None);
    }

    #[test]
    fn one_dominant_value_is_another_matter() {
        let dominant = "{ type = \"int\", count = 9, distribution = { top = [0.9] } }";
        let key = "be1(bucket(16, be4(metric))) || be8(ts) || be4(metric) || be4(host)";
        assert_eq!(told(dominant, key), None);
    }
}
