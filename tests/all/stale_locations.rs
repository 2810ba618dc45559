//! Where clients believe regions to be: after a move an operation may fail, but those that follow look the region up.

use crate::verdicts::{run, strategy};

#[test]
fn operations_without_retries_find_a_region_that_moved_once_one_of_them_was_refused() {
    // At 2 s the balancer moves regions to the two servers that joined, for half a second each. Of 50 reads a second those fail that come meanwhile, 25 a region, and one for each of ten clients
    // and each region: of two regions 70 at most, and 3 moves leave no more than 105.
    for read in ["equal = [\"e\"]", "equal = [\"q\"]"] {
        let results = run(
            "moved",
            &format!(
                r#"
                replicates = 1
                seed = 20
                time = {{ duration = "8s", warmup = "1s" }}
                cluster = {{ servers = 4 }}
                client = {{ retries = 0 }}
                balancer = {{ policy = "simple", period = "1s" }}
                [field]
                e = {{ type = "int", count = 5000 }}
                q = {{ type = "sequence" }}
                [write.w]
                rate = "10/s"
                [existing.w]
                records = 1000
                [read.r]
                {read}
                rate = "50/s"
                [[event]]
                at = "1s"
                add_servers = 2
                [table]
                placement = "in-order"
                presplit = {{ algorithm = "uniform", regions = 7 }}
                [strategy.d]
                key = "be8(q)"
                "#
            ),
        );
        let counts = strategy(&results, "d").reads[0].counts;
        assert!(counts.failed <= 105, "{read}: {counts:?}");
        assert!(counts.completed >= 200, "{read}: {counts:?}");
    }
}
