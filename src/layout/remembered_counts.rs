//! Numbers of rows that have been asked for: ways to serve a read under one key ask for the same ones, and so do keys that tell the same. Must not
//! know reads.

use crate::query::RowCounts;
use crate::random::mix;
use crate::time::SimTime;
use crate::workload::{Condition, Population, RowEquality};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Answers by a hash of their questions, with all that those say, in numbers.
pub(super) type Answers = Mutex<BTreeMap<u64, (Box<[i64]>, f64)>>;

/// The counts of a population, with the answers that it has given.
#[derive(Debug)]
pub(super) struct RememberedCounts<'a> {
    pub population: &'a Population,
    pub answers: &'a Answers,
}

impl RowCounts for RememberedCounts<'_> {
    fn distinct(
        &self,
        condition: Condition<'_>,
        equality: RowEquality<'_>,
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        let (equal, between) = (condition.equal, condition.between);
        let mut question: SmallVec<[i64; 64]> = SmallVec::new();
        // With the length of each part, so that no two questions read alike.
        let lens = [equality.told.len(), equal.len(), between.len()];
        question.extend(lens.map(|len| len as i64));
        question.extend([at.as_nanos() as i64, equality.draws.to_bits() as i64]);
        question.extend(equality.told.iter().map(|field| i64::from(field.0)));
        for (field, slot) in equal {
            question.extend([i64::from(field.0), *slot]);
        }
        for (field, low, high) in between.iter().chain(&equality.step) {
            question.extend([i64::from(field.0), *low, *high]);
        }
        question.extend_from_slice(target);
        let place = question
            .iter()
            .fold(0, |hash, part| mix(hash ^ *part as u64));
        let answers = || self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((asked, answer)) = answers().get(&place)
            && asked[..] == question[..]
        {
            return *answer;
        }
        let answer = self.population.distinct(condition, equality, target, at);
        answers().insert(place, (question[..].into(), answer));
        answer
    }
}
