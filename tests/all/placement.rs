//! How uneven the servers get by where regions lie: dealings that the tool computes against dealings made here, and runs against arithmetic.

use crate::verdicts::{mean, near, strategy};
use keyheat::experiment::{Experiment, Metric, Results};
use keyheat::scenario::Scenario;

/// Salted keys that rise within their salt, in a table that `records` rows have made grow; 8,000 writes in each of two intervals.
fn salted(buckets: u32, servers: u32, records: u64, settings: &str) -> Results {
    let existing = match records {
        0 => String::new(),
        records => format!("[existing.w]\nrecords = {records}\n"),
    };
    run(&format!(
        "replicates = 2\n[time]\nduration = \"2200ms\"\nwarmup = \"200ms\"\nsample = \"1s\"\n\
         [cluster]\nservers = {servers}\n[field]\nid = {{ type = \"sequence\" }}\n\
         ts = {{ type = \"timestamp\", unit = \"ms\" }}\n[write.w]\nrate = \"8k/s\"\n{existing}\
         [table]\npresplit = {{ algorithm = \"buckets\" }}\n{settings}\n\
         [strategy.salted]\nkey = \"be1(round_robin({buckets})) || be8(ts) || be8(id)\"\n"
    ))
}

fn run(text: &str) -> Results {
    let scenario = Scenario::parse(text, "placement").unwrap_or_else(|error| panic!("{error}"));
    Experiment::new(&scenario).run(|_| {})
}

#[track_caller]
fn metric(results: &Results, name: &str) -> f64 {
    match &results.strategies[0].metrics[name] {
        Metric::Number(measure) => measure.mean.expect("defined"),
        other => panic!("{name} is {other:?}"),
    }
}

/// Mean and standard deviation of the peak when `busy` equally loaded regions of `regions` are dealt to `servers`, each of which gets as many
/// regions, give or take one: shuffled here, 20,000 times.
fn dealt(busy: usize, regions: usize, servers: usize) -> (f64, f64) {
    const DEALS: usize = 20_000;
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % n
    };
    let mut slots: Vec<usize> = (0..regions).map(|region| region % servers).collect();
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..DEALS {
        let mut counts = vec![0; servers];
        for at in 0..busy {
            let other = at + below(regions - at);
            slots.swap(at, other);
            counts[slots[at]] += 1;
        }
        let most = counts.into_iter().max().unwrap_or(0);
        let peak = (most * servers) as f64 / busy as f64;
        sum += peak;
        squares += peak * peak;
    }
    let mean = sum / DEALS as f64;
    (mean, (squares / DEALS as f64 - mean * mean).sqrt())
}

/// The mean peak over dealings is that of dealings made here, and lies where it must; the peak of a run lies among them.
#[track_caller]
fn agrees(results: &Results, busy: usize, servers: usize, (least, most): (f64, f64)) {
    let regions = metric(results, "regions_start") as usize;
    let (mean, deviation) = dealt(busy, regions, servers);
    let found = metric(results, "placement_peak_mean");
    // Four standard errors of 200 dealings; buckets in turn make regions' loads equal to a thousandth.
    let tolerance = 4.0 * deviation / 200_f64.sqrt() + 0.01;
    assert!(
        (found - mean).abs() < tolerance,
        "{found}, dealt here {mean} of {regions} regions"
    );
    assert!((least..=most).contains(&found), "{found}");
    let [low, high] = ["low", "high"].map(|end| metric(results, &format!("placement_peak_{end}")));
    assert!(low <= found && found <= high, "{low} {found} {high}");
    // As many busy regions as servers, or a multiple: some placement is even.
    assert_eq!(busy % servers, 0);
    let best = metric(results, "placement_peak_best");
    assert!((1.0..1.01).contains(&best), "{best}");
}

#[test]
fn sixteen_grown_salts_on_eight_servers_share_one_of_them_by_chance() {
    let results = salted(16, 8, 6_912_000_000, "");
    assert!(metric(&results, "regions_start") >= 64.0);
    agrees(&results, 16, 8, (1.9, 2.2));
    // The expected maximum of a run is one dealing: never below 1, nor all of them on one server.
    let peak = metric(&results, "server_peak_to_mean");
    assert!((1.4..4.1).contains(&peak), "{peak}");
}

#[test]
fn twelve_grown_buckets_on_twelve_servers_are_more_uneven_and_two_regions_a_bucket_less() {
    let many = salted(12, 12, 6_912_000_000, "");
    assert!(metric(&many, "regions_start") >= 48.0);
    agrees(&many, 12, 12, (2.4, 3.0));
    // Two regions a bucket make two a server, so no server has three growing ends; none has two with a probability below 10^-5.
    let two = salted(12, 12, 864_000_000, "");
    assert_eq!(metric(&two, "regions_start"), 24.0);
    agrees(&two, 12, 12, (1.99, 2.01));
}

#[test]
fn in_order_a_multiple_of_the_servers_puts_all_growing_ends_on_one() {
    let results = salted(16, 8, 6_912_000_000, "placement = \"in-order\"");
    let peak = metric(&results, "server_peak_to_mean");
    assert!((7.99..=8.0).contains(&peak), "{peak}");
    // What other placements would give doesn't depend on this one.
    agrees(&results, 16, 8, (1.9, 2.2));
}

#[test]
fn a_list_is_what_a_run_meets() {
    // Buckets 0 and 1 on server 0, 2 on 1, 3 on 2: half of the load on one of three servers.
    let results = salted(4, 3, 0, "placement = [0, 0, 1, 2]");
    let peak = metric(&results, "server_peak_to_mean");
    assert!((peak - 1.5).abs() < 0.01, "{peak}");
    let halves = salted(4, 3, 0, "placement = [0, 0, 1, 1]");
    let share = metric(&halves, "server_max_share");
    assert!((share - 0.5).abs() < 0.01, "{share}");
}

#[test]
fn a_fresh_pre_split_of_equal_buckets_has_the_same_peak_under_any_even_placement() {
    for (buckets, servers) in [(16, 8), (20, 8), (5, 8), (9, 4)] {
        let fullest = f64::from(buckets_on_fullest(buckets, servers));
        let expected = f64::from(servers) * fullest / f64::from(buckets);
        for placement in ["dealt", "in-order", "grown"] {
            let setting = format!("placement = \"{placement}\"");
            let results = salted(buckets, servers, 0, &setting);
            for name in [
                "server_peak_to_mean",
                "placement_peak_mean",
                "placement_peak_low",
                "placement_peak_high",
                "placement_peak_best",
            ] {
                let found = metric(&results, name);
                assert!(
                    (found - expected).abs() < 0.01,
                    "{buckets} on {servers}, {placement}: {name} is {found}"
                );
            }
        }
    }
}

fn buckets_on_fullest(buckets: u32, servers: u32) -> u32 {
    buckets.div_ceil(servers)
}

#[test]
fn a_rising_key_is_on_one_server_under_every_dealing() {
    let results = run(
        "replicates = 2\n[time]\nduration = \"2200ms\"\nwarmup = \"200ms\"\nsample = \"500ms\"\n\
         [field]\nts = { type = \"timestamp\", unit = \"ms\" }\nid = { type = \"sequence\" }\n[write.w]\nrate = \"4k/s\"\n\
         [existing.w]\nrecords = 2_000_000_000\n[strategy.rising]\nkey = \"be8(ts) || be8(id)\"\n",
    );
    assert!(metric(&results, "regions_start") > 8.0);
    for name in [
        "placement_peak_low",
        "placement_peak_mean",
        "placement_peak_best",
    ] {
        assert_eq!(metric(&results, name), 8.0, "{name}");
    }
}

#[test]
fn reads_have_dealings_of_their_own() {
    // Gets of mostly one of four values, each in a region of its own, of 16; writes go to all alike.
    let points: Vec<String> = (1..16).map(|id| format!("'\\x{id:02X}'")).collect();
    let points = points.join(", ");
    let results = run(&format!(
        "replicates = 2\n[time]\nduration = \"2200ms\"\nwarmup = \"200ms\"\nsample = \"1s\"\n[cluster]\nservers = 8\n\
         [field]\nid = {{ type = \"int\", count = 16 }}\n[write.w]\nrate = \"4k/s\"\n[existing.w]\nrecords = 1_000\n\
         [read.few]\nequal = [\"id\"]\nrate = \"4k/s\"\npick = {{ id = {{ hotspot = {{ keys = 0.25, load = 0.99 }} }} }}\n\
         [table]\npresplit = [{points}]\n[strategy.a]\nkey = \"be1(id)\"\n",
    ));
    let (mean, deviation) = dealt(4, 16, 8);
    let found = metric(&results, "read_placement_peak_mean");
    // Four standard errors of 200 dealings; the other values have one in a hundred, and chance makes 3 % of 1,000 Gets of a value.
    let tolerance = 4.0 * deviation / 200_f64.sqrt() + 0.03 * mean;
    assert!((found - mean).abs() < tolerance, "{found} and {mean}");
    let best = metric(&results, "read_placement_peak_best");
    assert!((1.95..2.2).contains(&best), "{best}");
    let written = metric(&results, "placement_peak_mean");
    assert!((1.0..1.15).contains(&written), "{written}");
}

/// All writes go to one region, of four servers for five seconds and of eight for five more: 4 and 8 times the mean whatever is moved, and 6 is the median. By the eight of the middle of the window it
/// would be 8, more than what the best placement has.
#[test]
fn what_no_placement_beats_counts_the_servers_of_each_interval() {
    let results = run(
        "replicates = 2\n[time]\nduration = \"12s\"\nwarmup = \"2s\"\nsample = \"1s\"\n[cluster]\nservers = 4\n[balancer]\npolicy = \"none\"\n\
         [field]\nid = { type = \"int\", count = 1_000 }\n[table]\nsplit_policy = \"disabled\"\n[write.w]\nrate = \"2k/s\"\n\
         [[event]]\nat = \"7s\"\nadd_servers = 4\n[strategy.one]\nkey = \"be4(id)\"\n",
    );
    let one = strategy(&results, "one");
    for metric in [
        "server_peak_to_mean",
        "placement_peak_best",
        "placement_floor",
    ] {
        // Five intervals at 4 and five at 8, of about 2,000 writes each. Where half of 20,000 lies is known to their root / 2 = 71 writes, 0.14 of what 2,000 of them step over; in the mean
        // of two replicates to 0.1, and three times that.
        near(mean(one, metric), 6.0, 0.3);
    }
}
