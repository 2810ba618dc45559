//! Numbers of different rows where told fields follow from the same others, against rows that are really there.

use super::materialised_table_fixture::*;
use super::*;
use crate::record::{DistributionShape, FieldId, FieldKind};

/// So many rows over 40 s before the run, each of any campaign.
fn rows_of_campaigns(records: u64) -> Workload {
    let mut workload = drawn_table();
    workload.writes.clear();
    workload.existing[0].rows = ImportRows::Drawn {
        records,
        last: secs(40),
    };
    workload
}

fn told(told: &[FieldId]) -> RowEquality<'_> {
    RowEquality {
        told,
        ..RowEquality::default()
    }
}

#[test]
fn fields_of_the_same_one_have_no_more_combinations_than_it_has_values() {
    let table = materialised(&rows_of_campaigns(120_000), &schema(None), at(0));
    // A company is in one region: 300 rows, for 2,100 of independent fields.
    for fields in [[REGION, COMPANY], [COMPANY, REGION]] {
        let all = table.population.distinct(
            Condition::default(),
            told(&fields),
            &table.rows[0],
            table.at,
        );
        assert!((all - 300.0).abs() < 1e-6, "{all}");
    }
    // A campaign has one company and one cost, of 1,500,000 pairs.
    let keys: [&[FieldId]; 4] = [
        &[COMPANY, COST],
        &[COST, REGION],
        &[COST, KIND, COMPANY],
        &[REGION, COST, COMPANY],
    ];
    for fields in keys {
        let all = |_: &[i64]| (vec![], vec![]);
        table.compare_distinct(20, told(fields), all).agree();
        for known in [CAMPAIGN, COMPANY, REGION] {
            let equal = |target: &[i64]| (vec![of(target, known)], vec![]);
            table.compare_distinct(300, told(fields), equal).agree();
        }
    }
}

#[test]
fn a_known_value_leaves_one_of_each_field_that_follows_from_it() {
    let table = materialised(&rows_of_campaigns(120_000), &schema(None), at(0));
    let campaign = |target: &[i64]| (vec![of(target, CAMPAIGN)], vec![]);
    for fields in [&[COMPANY][..], &[COST], &[KIND, REGION, COST]] {
        let sums = table.compare_distinct(300, told(fields), campaign);
        sums.agree();
    }
}

#[test]
fn of_many_things_each_is_a_combination_of_its_own() {
    // Half a million campaigns: 300 companies and 5,000 costs make 1,500,000 pairs. Two writes of each reach 432,332, which fall on 375,642 pairs.
    let mut schema = schema(None);
    let campaign = &mut schema.fields[usize::from(CAMPAIGN.0)];
    campaign.kind = FieldKind::Int {
        first: 1_000,
        count: 500_000,
    };
    for field in [CAMPAIGN, COMPANY, COST] {
        schema.fields[usize::from(field.0)].law.shape = DistributionShape::Uniform;
    }
    let table = materialised(&rows_of_campaigns(1_000_000), &schema, at(0));
    let all = |_: &[i64]| (vec![], vec![]);
    let key = told(&[COMPANY, COST]);
    table.compare_distinct(2, key, all).agree();
    let company = |target: &[i64]| (vec![of(target, COMPANY)], vec![]);
    table.compare_distinct(100, key, company).agree();
}

#[test]
fn all_parts_of_a_table_by_what_a_told_field_decides_have_all_of_its_rows() {
    // 18,000 rows of a campaign and a kind, written 120,000 times: a company's have been written as often as its own campaigns are, not as often as any.
    let mut schema = schema(None);
    schema.fields[usize::from(CAMPAIGN.0)].law.shape = DistributionShape::Zipf { exponent: 0.9 };
    let table = materialised(&rows_of_campaigns(120_000), &schema, at(0));
    let key = told(&[CAMPAIGN, KIND]);
    let row = |row: &Vec<i64>| (row[usize::from(CAMPAIGN.0)], row[usize::from(KIND.0)]);
    let there: std::collections::BTreeSet<_> = table.rows.iter().map(row).collect();
    let rows_of = |company| {
        let equal = [(COMPANY, company)];
        let condition = Condition::of(&equal, &[]);
        table
            .population
            .distinct(condition, key, &table.rows[0], table.at)
    };
    let rows: f64 = (50..350).map(rows_of).sum();
    // Each of the rows is there or not: the root of their number is more than a standard error.
    let (there, allowed) = (there.len() as f64, 4.0 * (there.len() as f64).sqrt());
    assert!((rows - there).abs() < allowed, "{rows}, {there} are there");
}
