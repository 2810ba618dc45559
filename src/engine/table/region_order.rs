//! The regions of one table in key order, each with its place.

use crate::engine::numbers::NONE;

/// Which region has which place, while regions divide and merge. Nothing is kept until they do.
#[derive(Debug, Clone)]
pub struct RegionOrder {
    /// Number of the first region at the start; the others followed in key order.
    first: u32,
    count: u32,
    /// Changes so far: places of an earlier version may be those of other regions.
    version: u32,
    /// By place; empty before the first change.
    regions: Vec<u32>,
    /// By number beyond `first`; [`NONE`] for regions that are no more, or of other tables.
    places: Vec<u32>,
}

impl RegionOrder {
    /// `count` regions, numbered from `first` on.
    pub fn new(first: u32, count: u32) -> Self {
        Self {
            first,
            count,
            version: 0,
            regions: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Number of regions, >= 1.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Changes so far.
    #[inline]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The region at a place below [`RegionOrder::count`].
    #[inline]
    pub fn region(&self, place: u32) -> u32 {
        match self.version {
            0 => self.first + place,
            _ => self.regions[place as usize],
        }
    }

    /// The place of a region of the table; [`NONE`] once it has been split or merged.
    #[inline]
    pub fn place(&self, region: u32) -> u32 {
        match self.version {
            0 => region - self.first,
            _ => self.places[(region - self.first) as usize],
        }
    }

    /// Neighbours in key order are no more, and their heirs take their places: the daughters of one, or what two have become. Returns the place of the
    /// first. O(regions): an eighth of a millisecond for 100,000.
    pub fn replace(&mut self, gone: &[u32], heirs: &[u32]) -> u32 {
        if self.version == 0 {
            self.regions.extend(self.first..self.first + self.count);
            self.places.extend(0..self.count);
        }
        self.version += 1;
        let place = self.place(gone[0]);
        for &region in gone {
            self.places[(region - self.first) as usize] = NONE;
        }
        let places = place as usize..place as usize + gone.len();
        self.regions.splice(places, heirs.iter().copied());
        let newest = heirs.iter().map(|&heir| (heir - self.first) as usize + 1);
        let numbers = newest.fold(self.places.len(), usize::max);
        self.places.resize(numbers, NONE);
        for (place, &region) in (place..).zip(&self.regions[place as usize..]) {
            self.places[(region - self.first) as usize] = place;
        }
        self.count = self.regions.len() as u32;
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_are_those_of_a_list_that_is_changed_alike(
            first in 0u32..5,
            count in 1u32..6,
            steps in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>(), 0u32..3), 0..40),
        ) {
            let mut order = RegionOrder::new(first, count);
            let mut list: Vec<u32> = (first..first + count).collect();
            let mut next = first + count;
            for (divides, which, skipped) in steps {
                // Other tables take numbers, too.
                next += skipped;
                let before = order.version();
                if divides {
                    let at = which.index(list.len());
                    let place = order.replace(&[list[at]], &[next, next + 1]);
                    prop_assert_eq!(order.place(list[at]), NONE);
                    list.splice(at..=at, [next, next + 1]);
                    prop_assert_eq!(place as usize, at);
                    next += 2;
                } else if list.len() > 1 {
                    let at = which.index(list.len() - 1);
                    order.replace(&list[at..=at + 1], &[next]);
                    prop_assert_eq!(order.place(list[at + 1]), NONE);
                    list.splice(at..=at + 1, [next]);
                    next += 1;
                } else {
                    continue;
                }
                prop_assert_eq!(order.version(), before + 1);
                prop_assert_eq!(order.count() as usize, list.len());
                for (place, &region) in (0..).zip(&list) {
                    prop_assert_eq!((order.region(place), order.place(region)), (region, place));
                }
            }
        }
    }
}
