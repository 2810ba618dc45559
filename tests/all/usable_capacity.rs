//! What a key lets servers take, of designs whose placement is known.

use crate::verdicts::{mean, near, run, strategy};

/// 100 writes a server in each of 20 intervals: chance puts 10 % more than the mean on the fullest of four. Of 16 alike regions a server takes a fourth, of five one takes two, 1.6 times the mean. An interval's
/// peak varies by 0.05, the median of 20 by 0.014: where chance is 0.10, the squares leave sqrt(0.114^2 - 0.10^2) = 0.055 of that, or nothing half of the time, and the mean of eight replicates 0.02;
/// of 0.6 they leave as much as there is, 0.014 / 1.6 in a replicate.
#[test]
fn what_can_be_used_of_a_table_that_is_written_seldom_is_not_less_by_chance() {
    let results = run(
        "seldom",
        "replicates = 8\n[time]\nduration = \"22s\"\nwarmup = \"2s\"\nsample = \"1s\"\n[cluster]\nservers = 4\n[balancer]\npolicy = \"none\"\n\
         [field]\nid = { type = \"int\", count = 1_000_000 }\n[table]\nsplit_policy = \"disabled\"\n[write.w]\nrate = \"400/s\"\n\
         [strategy.even]\nkey = \"md5_bytes(id)\"\npresplit = { algorithm = \"uniform\", regions = 16 }\n\
         [strategy.five]\nkey = \"salt(5, be4(id)) || be4(id)\"\npresplit = { algorithm = \"buckets\" }\n",
    );
    for (name, servers, tolerance) in [("even", 4.0, 0.1), ("five", 2.5, 0.05)] {
        let found = strategy(&results, name);
        let usable =
            mean(found, "usable_capacity_per_sec") / mean(found, "server_capacity_per_sec");
        near(usable, servers, tolerance);
    }
}
