//! An order of a read's targets of which every k-th one stands for all: like ones lie together. Must not know what targets cost.

use std::cmp::Reverse;

/// Targets of one value that are told apart from the others: from so many on, every k-th of all meets each of them.
const STRATUM: usize = 64;

/// The numbers of targets, `0..slots.len() / width`, with those together whose slots are the same: for each value of the first slot that many have, from
/// the more frequent values to the rarer ones (in powers of two: values that are equally likely stay in their order), its targets by the next
/// slot, and so on; then all others. Those of one group come by number. O(n log n) for each slot.
pub(super) fn arranged(slots: &[i64], width: usize) -> Vec<u32> {
    let targets = slots.len() / width.max(1);
    let mut numbers: Vec<u32> = (0..targets as u32).collect();
    arrange(&mut numbers, slots, width, 0);
    numbers
}

fn arrange(numbers: &mut [u32], slots: &[i64], width: usize, at: usize) {
    if at == width || numbers.len() < STRATUM {
        return numbers.sort_unstable();
    }
    let slot = |number: &u32| slots[*number as usize * width + at];
    numbers.sort_unstable_by_key(slot);
    let groups = numbers.chunk_by(|a, b| slot(a) == slot(b));
    let ranked = groups.flat_map(|group| {
        let frequent = group.len() >= STRATUM;
        let rank = match frequent {
            true => (Reverse(group.len().ilog2()), slot(&group[0])),
            false => (Reverse(0), 0),
        };
        group.iter().map(move |number| (rank, *number))
    });
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_unstable();
    for (place, (_, number)) in numbers.iter_mut().zip(&ranked) {
        *place = *number;
    }
    let mut rest = numbers;
    for group in ranked.chunk_by(|a, b| a.0 == b.0) {
        let (own, others) = rest.split_at_mut(group.len());
        if group[0].0.0 != Reverse(0) {
            arrange(own, slots, width, at + 1);
        }
        rest = others;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_values_come_first_each_with_its_targets_together_and_rare_ones_in_the_order_of_time()
     {
        // Value 7 has 600 targets of 1,000, value 3 has 300, and 100 have values of their own.
        let value = |n: i64| match n % 10 {
            0..6 => 7,
            6..9 => 3,
            _ => 1_000 - n,
        };
        let slots: Vec<i64> = (0..1_000).flat_map(|n| [value(n), n % 2]).collect();
        let found = arranged(&slots, 2);
        let values: Vec<(i64, i64)> = found
            .iter()
            .map(|n| (value(i64::from(*n)), i64::from(*n) % 2))
            .collect();
        assert!(values[..300].iter().all(|pair| *pair == (7, 0)));
        assert!(values[300..600].iter().all(|pair| *pair == (7, 1)));
        assert!(values[600..900].iter().all(|(value, _)| *value == 3));
        let rare: Vec<u32> = (0..100).map(|n| 10 * n + 9).collect();
        assert_eq!(found[900..], rare);
        assert!(found[..300].is_sorted() && found[300..600].is_sorted());
    }

    #[test]
    fn equally_likely_values_stay_in_their_order() {
        // 65 to 127 targets each: one power of two.
        let slots: Vec<i64> = (0..20)
            .flat_map(|value| std::iter::repeat_n(value, 65 + 3 * value as usize))
            .collect();
        let found = arranged(&slots, 1);
        assert!(found.is_sorted());
        assert_eq!(arranged(&[], 0), Vec::<u32>::new());
    }
}
