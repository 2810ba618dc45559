//! Where labels of scattered marks stand without covering marks or each other. Must not know what they say.

use super::picture::Area;

/// Space around a mark that no label may take.
const MARK_RADIUS: f64 = 7.0;
/// Distances at which a label is tried beside its mark.
const DISTANCES: [f64; 4] = [9.0, 18.0, 30.0, 44.0];
/// Labels farther than this from the mark's centre have a line to it.
const LEADER_FROM: f64 = 14.0;
/// Distance at which such lines are looked at.
const LEADER_STEP: f64 = 2.0;
/// Step of the search over everything, when no place beside the mark is free.
const STEP: f64 = 6.0;

/// A label's place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// What it covers.
    pub area: Area,
    /// Where the line to its mark meets it; `None` beside the mark, where no line is needed.
    pub leader: Option<(f64, f64)>,
}

impl Place {
    fn of(mark: (f64, f64), area: Area) -> Self {
        let end = area.nearest(mark);
        let far = (end.0 - mark.0).hypot(end.1 - mark.1) > LEADER_FROM;
        Self {
            area,
            leader: far.then_some(end),
        }
    }

    /// Whether the line from `mark` crosses some area.
    fn crosses(&self, mark: (f64, f64), area: &Area) -> bool {
        self.leader.is_some_and(|end| {
            let steps = ((end.0 - mark.0).hypot(end.1 - mark.1) / LEADER_STEP).ceil();
            (0..=steps as u32).any(|step| {
                let part = f64::from(step) / steps;
                let at = (
                    mark.0 + (end.0 - mark.0) * part,
                    mark.1 + (end.1 - mark.1) * part,
                );
                area.overlaps(&Area::around(at, 0.5))
            })
        })
    }
}

/// Least distance of two labels in one line.
const BETWEEN: f64 = 8.0;

/// A place for each label: beside its mark where there is room, else the nearest free one. Labels are placed in order; `lines` are
/// avoided while that is possible, and so are lines from labels to marks through others. All marks lie in `bounds`, and so do all
/// labels; one that finds no place at all is `None`.
pub fn place(
    marks: &[(f64, f64)],
    sizes: &[(f64, f64)],
    lines: &[Area],
    bounds: Area,
) -> Vec<Option<Place>> {
    let discs: Vec<Area> = marks
        .iter()
        .map(|mark| Area::around(*mark, MARK_RADIUS))
        .collect();
    // A disc apart from the mark itself: marks may lie on each other.
    let apart = |mark: &(f64, f64), disc: &Area| !disc.overlaps(&Area::around(*mark, MARK_RADIUS));
    let mut placed: Vec<Option<Place>> = Vec::new();
    for (mark, size) in marks.iter().zip(sizes) {
        let others = || {
            let pairs = marks.iter().zip(&placed);
            pairs.filter_map(|(mark, place)| Some((*mark, place.as_ref()?)))
        };
        let is_free = |area: &Area| {
            // Side by side, two labels would read as one.
            let wide = Area {
                left: area.left - BETWEEN,
                width: area.width + 2.0 * BETWEEN,
                ..*area
            };
            bounds.holds(area)
                && !discs.iter().any(|disc| disc.overlaps(area))
                && !others().any(|(_, other)| other.area.overlaps(&wide))
        };
        let is_clear = |area: &Area| {
            let place = Place::of(*mark, *area);
            let covered = |disc: &&Area| apart(mark, disc) && place.crosses(*mark, disc);
            !discs.iter().any(|disc| covered(&disc))
                && !others()
                    .any(|(of, other)| place.crosses(*mark, &other.area) || other.crosses(of, area))
        };
        let is_off_lines = |area: &Area| !lines.iter().any(|line| line.overlaps(area));
        let find = |is_good: &dyn Fn(&Area) -> bool| {
            beside(*mark, *size)
                .find(is_good)
                .or_else(|| nearest_free(*mark, *size, bounds, is_good))
        };
        let place = find(&|area| is_free(area) && is_off_lines(area) && is_clear(area))
            .or_else(|| find(&|area| is_free(area) && is_off_lines(area)))
            .or_else(|| find(&is_free));
        placed.push(place.map(|area| Place::of(*mark, area)));
    }
    placed
}

/// Places around a mark, the best first: right, left, above, below, then the corners, farther and farther away.
fn beside((x, y): (f64, f64), (width, height): (f64, f64)) -> impl Iterator<Item = Area> {
    DISTANCES.into_iter().flat_map(move |away| {
        let (middle_x, middle_y) = (x - width / 2.0, y - height / 2.0);
        let (right, left) = (x + away, x - away - width);
        let (above, below) = (y - away - height, y + away);
        [
            (right, middle_y),
            (left, middle_y),
            (middle_x, above),
            (middle_x, below),
            (right, above + 4.0),
            (right, below - 4.0),
            (left, above + 4.0),
            (left, below - 4.0),
        ]
        .map(|(left, top)| Area {
            left,
            top,
            width,
            height,
        })
    })
}

fn nearest_free(
    (x, y): (f64, f64),
    (width, height): (f64, f64),
    bounds: Area,
    is_free: impl Fn(&Area) -> bool,
) -> Option<Area> {
    let steps =
        |length: f64| (0..=(length.max(0.0) / STEP) as usize).map(|step| step as f64 * STEP);
    let mut best: Option<(f64, Area)> = None;
    for dy in steps(bounds.height - height) {
        for dx in steps(bounds.width - width) {
            let area = Area {
                left: bounds.left + dx,
                top: bounds.top + dy,
                width,
                height,
            };
            let (nx, ny) = area.nearest((x, y));
            let distance = (nx - x).hypot(ny - y);
            if best.is_none_or(|(least, _)| distance < least) && is_free(&area) {
                best = Some((distance, area));
            }
        }
    }
    best.map(|(_, area)| area)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Area = Area {
        left: 50.0,
        top: 20.0,
        width: 360.0,
        height: 240.0,
    };

    #[test]
    fn a_label_alone_stands_right_of_its_mark_and_left_at_the_edge() {
        let size = [(80.0, 14.0), (80.0, 14.0)];
        let places = place(&[(100.0, 100.0), (400.0, 200.0)], &size, &[], BOUNDS);
        assert_eq!(places[0].unwrap().area.left, 109.0);
        assert_eq!(places[0].unwrap().leader, None);
        assert_eq!(places[1].unwrap().area.left, 400.0 - 9.0 - 80.0);
    }

    #[test]
    fn labels_of_crowded_marks_cover_neither_marks_nor_each_other() {
        // All in a corner, four of them on one spot.
        let marks: Vec<(f64, f64)> = (0..14)
            .map(|i| {
                (
                    60.0 + f64::from(i / 4) * 5.0,
                    245.0 - f64::from(i % 3) * 6.0,
                )
            })
            .collect();
        let sizes = vec![(95.0, 13.0); marks.len()];
        let line = Area {
            left: 50.0,
            top: 150.0,
            width: 300.0,
            height: 1.0,
        };
        let places: Vec<Area> = place(&marks, &sizes, &[line], BOUNDS)
            .into_iter()
            .map(|place| place.expect("there is room for all").area)
            .collect();
        for (index, area) in places.iter().enumerate() {
            assert!(BOUNDS.holds(area) && !area.overlaps(&line), "{area:?}");
            assert!(
                marks
                    .iter()
                    .all(|mark| !area.overlaps(&Area::around(*mark, 7.0)))
            );
            assert!(places[..index].iter().all(|other| !other.overlaps(area)));
        }
    }

    #[test]
    fn what_has_no_room_has_no_place() {
        assert_eq!(
            place(&[(60.0, 30.0)], &[(400.0, 14.0)], &[], BOUNDS),
            [None]
        );
    }
}
