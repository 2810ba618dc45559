//! Rows that reads want where later writes have other values: of fields that the key tells a part of, and of time.

use super::counted_rows_tests::{assert_near, forecasts};

/// So many things with ten writes of each: of the lesser number all values are gone through, of the greater one groups are alike.
const THINGS: [u32; 2] = [20_000, 200_000];

#[test]
fn a_remainder_of_what_follows_from_a_step_leaves_the_newest_writes_of_a_field_their_share() {
    for vehicles in THINGS {
        let records = vehicles * 10;
        let [[all, page]] = forecasts::<2>(&format!(
            "[time]\nduration = \"2s\"\nwarmup = \"1s\"\n\
             [field]\nvehicle = {{ type = \"int\", count = {vehicles} }}\n\
             fleet = {{ type = \"int\", count = 100, of = \"vehicle\" }}\nkind = {{ type = \"int\", count = 3 }}\n\
             [write.pos]\nrate = \"1/s\"\n[existing.pos]\nrecords = {records}\n\
             [read.fleet]\nequal = [\"fleet\"]\n\
             [read.page]\nequal = [\"fleet\"]\npage = {{ field = \"vehicle\", size = 20 }}\n\
             [strategy.s]\nkey = \"be1(pmod(fleet, 2)) || be1(kind) || be4(vehicle / 10)\"\n",
        ))[..] else {
            panic!("one strategy");
        };
        // Of two remainders, three kinds and all tens each has a row, but for one in 700 whose ten vehicles have no write there. The newest write of each is of one of
        // the 50 fleets of its remainder. The reader's own fleet may have one vehicle in 200 more than others.
        let rows = f64::from(vehicles) / 10.0 * 6.0;
        let wanted = rows / 2.0 / 50.0;
        assert_near(all[0], wanted, 0.012 * wanted);
        assert_near(page[0], 20.0, 0.01);
    }
}

#[test]
fn a_remainder_that_leaves_nothing_open_is_as_good_as_its_field() {
    for customers in THINGS {
        let records = customers * 10;
        let found = forecasts::<1>(&format!(
            "[time]\nduration = \"2s\"\nwarmup = \"1s\"\n\
             [field]\ncustomer = {{ type = \"int\", count = {customers} }}\n\
             country = {{ type = \"int\", count = 4, of = \"customer\" }}\n\
             [write.add]\nrate = \"1/s\"\n[existing.add]\nrecords = {records}\n[read.country]\nequal = [\"country\"]\n\
             [strategy.whole]\nkey = \"be1(country) || be4(customer / 10)\"\n\
             [strategy.remainder]\nkey = \"be1(pmod(country, 4)) || be4(customer / 10)\"\n",
        ));
        // Every row of the country is read, and wanted, whichever way it is written.
        let whole = found[0][0][1];
        for [[wanted, read]] in found {
            assert_near(wanted, whole, 0.01 * whole);
            assert_near(read, whole, 0.01 * whole);
        }
    }
}

#[test]
fn of_a_time_that_is_over_those_rows_are_wanted_that_have_not_been_written_since() {
    // 10,000 devices with a write each ten seconds on average: e^(-ago / 10 s) have none since, and all had one before, or 1 - e^-1 in ten seconds.
    let text = |versions: u32| {
        format!(
            "[time]\nduration = \"2s\"\nwarmup = \"1s\"\n\
             [field]\ndevice = {{ type = \"int\", count = 10_000 }}\nuser = {{ type = \"int\", count = 10 }}\n\
             ts = {{ type = \"timestamp\", unit = \"ms\" }}\n[family.d]\nversions = {versions}\n\
             [write.ping]\nrate = \"1k/s\"\n[existing.ping]\nlast = \"1d\"\n\
             [read.stale]\nrange = {{ field = \"ts\", last = \"23h\", ago = \"1h\" }}\n\
             [read.before]\nrange = {{ field = \"ts\", last = \"1h\", ago = \"10s\" }}\n\
             [read.then]\nrange = {{ field = \"ts\", last = \"10s\", ago = \"10s\" }}\n\
             [read.now]\nrange = {{ field = \"ts\", last = \"10s\" }}\n\
             [read.user]\nequal = [\"user\"]\nrange = {{ field = \"ts\", last = \"1h\", ago = \"10s\" }}\n\
             [strategy.s]\nkey = \"be4(device)\"\n"
        )
    };
    let left = (-1.0f64).exp();
    let of_one = [0.0, left, left * (1.0 - left), 1.0 - left, left / 10.0];
    // With two versions one write since leaves one of before.
    let of_two = [0.0, 2.0 * left, 2.0 * left * (1.0 - left), 1.0 - left];
    let one = forecasts::<5>(&text(1))[0];
    let two = forecasts::<5>(&text(2))[0];
    for (found, expected) in one.iter().zip(of_one).chain(two.iter().zip(of_two)) {
        assert_near(found[0], 10_000.0 * expected, 20.0);
        assert_near(found[1], 10_000.0, 1.0);
    }
}

#[test]
fn a_field_of_two_others_leaves_its_part_of_their_combinations() {
    let of = |parents: &str, name: &str| {
        format!("{name} = {{ type = \"int\", count = 4, of = {parents} }}\n")
    };
    let found = forecasts::<3>(&format!(
        "[time]\nduration = \"2s\"\nwarmup = \"1s\"\n\
         [field]\nuser = {{ type = \"int\", count = 60 }}\nchannel = {{ type = \"int\", count = 3 }}\n{}{}\
         ts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
         [write.w]\nrate = \"400/s\"\n[existing.w]\nlast = \"100s\"\n\
         [read.shard]\nequal = [\"shard\"]\n[read.pool]\nequal = [\"pool\"]\n\
         [read.both]\nequal = [\"user\", \"channel\"]\n\
         [strategy.whole]\nkey = \"be4(user) || be4(channel) || be8(trunc(ts, '5s'))\"\n\
         [strategy.coarse]\nkey = \"be4(channel) || be4(shard) || be4(ts / 5000)\"\n\
         [strategy.pooled]\nkey = \"be4(channel) || be4(pool) || be4(ts / 5000)\"\n\
         [strategy.sharded]\nkey = \"be4(shard) || be4(ts / 5000)\"\n",
        of("[\"user\", \"channel\"]", "shard"),
        of("\"user\"", "pool")
    ));
    let [whole, coarse, pooled, sharded] = &found[..] else {
        panic!("four strategies");
    };
    // Each of 180 pairs of user and channel has one of four shards: a reader's own has a quarter of all rows, and one pair in 180 more as it is that of some row. By
    // chance a shard has 45 pairs +- 5.8, and as readers ask for those of rows, the mean is higher by the square of 0.13.
    for read in [whole[0], whole[1]] {
        assert_near(read[0], read[1] / 4.0, 0.1 * read[1] / 4.0);
    }
    // The rows of a channel are those of its four shards, and the newest write of each is of one of the 15 users there. Of each shard n users want an n-th of its rows: over all
    // users that makes 4 / 60 of a shard's rows, however they are dealt out.
    for of in [coarse, pooled] {
        assert_near(of[2][0], of[2][1] / 60.0, 0.05 * of[2][1] / 60.0);
    }
    // A shard has 45 pairs of both.
    assert_near(
        sharded[2][0],
        sharded[2][1] / 180.0,
        0.05 * sharded[2][1] / 180.0,
    );
}

#[test]
fn of_a_step_in_which_a_range_ends_those_rows_are_wanted_that_have_not_been_written_since() {
    // 1,000 devices with a write each ten seconds on average and a row for each minute of theirs. It is half past, so that a range ends and begins twenty seconds past.
    let found = forecasts::<2>(
        "[time]\nstart = 2026-01-01T00:00:30Z\nduration = \"100ms\"\nwarmup = \"0s\"\nsample = \"50ms\"\n\
         [field]\ndevice = { type = \"int\", count = 1_000 }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
         [write.ping]\nrate = \"100/s\"\n[existing.ping]\nlast = \"1h\"\n\
         [read.minute]\nrange = { field = \"ts\", last = \"1m\", ago = \"10s\" }\n\
         [read.whole]\nrange = { field = \"ts\", last = \"1m\", ago = \"30s\" }\n\
         [strategy.s]\nkey = \"be8(trunc(ts, '1m')) || be4(device)\"\n",
    );
    // The last minute's rows are there as they were; of this one's those that had a write in its first 20 seconds, and none in the next ten.
    let before = 1.0 - (-4.0f64).exp();
    let now = (1.0 - (-2.0f64).exp()) * (-1.0f64).exp();
    assert_near(found[0][0][0], 1_000.0 * (before + now), 15.0);
    // All of a minute that is over.
    assert_near(found[0][1][0], 1_000.0 * (1.0 - (-6.0f64).exp()), 15.0);
}

#[test]
fn of_a_chain_of_parents_a_row_of_the_last_has_the_newest_write_of_any_of_its_own() {
    // Ten rows of each city, of which each has been written thousands of times.
    let found = forecasts::<3>(
        "[time]\nduration = \"2s\"\nwarmup = \"1s\"\n\
         [field]\ndevice = { type = \"int\", count = 100 }\nfleet = { type = \"int\", count = 10, of = \"device\" }\n\
         city = { type = \"int\", count = 3, of = \"fleet\" }\npart = { type = \"int\", count = 10 }\n\
         [write.w]\nrate = \"1k/s\"\n[existing.w]\nlast = \"1m\"\n\
         [read.device]\nequal = [\"device\"]\n[read.fleet]\nequal = [\"fleet\"]\n[read.city]\nequal = [\"city\"]\n\
         [strategy.s]\nkey = \"be1(city) || be1(part)\"\n",
    );
    let [device, fleet, city] = found[0];
    // A city of n of the hundred devices is asked for by n of a hundred, and each of its devices wrote last to one in n of its rows: of three cities 0.3 rows for each device,
    // and 3 for each fleet if all had ten devices. They have 10 +- 3, so that the mean over ten fleets strays by a tenth.
    assert_near(city[0], 10.0, 1e-3);
    assert_near(device[0], 0.3, 0.03);
    assert_near(fleet[0], 3.0, 0.6);
}
