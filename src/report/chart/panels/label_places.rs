//! Where labels stand without covering marks or each other.

use crate::report::chart::picture::{Area, Point};

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
pub struct LabelPlace {
    /// What it covers.
    pub area: Area,
    /// Where the line to its mark meets it; `None` beside the mark, where no line is needed.
    pub leader: Option<Point>,
}

impl LabelPlace {
    fn of(mark: Point, area: Area) -> Self {
        let end = area.nearest(mark);
        let leader = (apart(end, mark) > LEADER_FROM).then_some(end);
        Self { area, leader }
    }

    /// Whether the line from `mark` crosses some area.
    fn crosses(&self, mark: Point, area: &Area) -> bool {
        self.leader.is_some_and(|end| {
            let (across, along) = (end.0 - mark.0, end.1 - mark.1);
            let steps = (across.hypot(along) / LEADER_STEP).ceil();
            (0..=steps as u32).any(|step| {
                let part = f64::from(step) / steps;
                let at = (mark.0 + across * part, mark.1 + along * part);
                area.overlaps(&Area::around(at, 0.5))
            })
        })
    }
}

fn apart(one: Point, other: Point) -> f64 {
    (one.0 - other.0).hypot(one.1 - other.1)
}

/// Least distance of two labels in one line.
const BETWEEN: f64 = 8.0;

/// A place for each label: beside its mark where there is room, else the nearest free one. Labels are placed in order; `lines` are
/// avoided while that is possible, and so are lines from labels to marks through others. All marks lie in `bounds`, and so do all
/// labels; one that finds no place at all is `None`.
pub fn place(
    marks: &[Point],
    sizes: &[(f64, f64)],
    lines: &[Area],
    bounds: Area,
) -> Vec<Option<LabelPlace>> {
    let disc = |mark: &Point| Area::around(*mark, MARK_RADIUS);
    let discs: Vec<Area> = marks.iter().map(disc).collect();
    // A disc beside that of the mark itself: marks may lie on each other.
    let beside_it = |mark: &Point, other: &Area| !other.overlaps(&disc(mark));
    let mut placed: Vec<Option<LabelPlace>> = Vec::new();
    for (mark, size) in marks.iter().zip(sizes) {
        let others = || {
            let pairs = marks.iter().zip(&placed);
            pairs.filter_map(|(mark, place)| Some((*mark, place.as_ref()?)))
        };
        let is_free = |area: &Area| {
            // Side by side, two labels would read as one.
            let wide = area.grown(BETWEEN, 0.0);
            bounds.holds(area)
                && !discs.iter().any(|disc| disc.overlaps(area))
                && !others().any(|(_, other)| other.area.overlaps(&wide))
        };
        let is_clear = |area: &Area| {
            let place = LabelPlace::of(*mark, *area);
            let covered = |disc: &&Area| beside_it(mark, disc) && place.crosses(*mark, disc);
            !discs.iter().any(|disc| covered(&disc))
                && !others()
                    .any(|(of, other)| place.crosses(*mark, &other.area) || other.crosses(of, area))
        };
        let is_off_lines = |area: &Area| !lines.iter().any(|line| line.overlaps(area));
        let candidates = beside(*mark, *size).chain(nearest(*mark, *size, bounds));
        let free: Vec<Area> = candidates.filter(is_free).collect();
        let off_lines = || free.iter().filter(|area| is_off_lines(area));
        let place = off_lines()
            .find(|area| is_clear(area))
            .or_else(|| off_lines().next());
        let place = place.or(free.first());
        placed.push(place.map(|area| LabelPlace::of(*mark, *area)));
    }
    placed
}

/// Places around a mark, the best first: right, left, above, below, then the corners, farther and farther away.
fn beside((x, y): Point, (width, height): (f64, f64)) -> impl Iterator<Item = Area> {
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
        .map(|(left, top)| Area::new(left, top, width, height))
    })
}

/// Places everywhere in `bounds`, the nearest to the mark first; of equally near ones the highest, and the leftmost of these.
fn nearest(mark: Point, (width, height): (f64, f64), bounds: Area) -> Vec<Area> {
    let steps =
        |length: f64| (0..=(length.max(0.0) / STEP) as usize).map(|step| step as f64 * STEP);
    let rows = steps(bounds.height - height);
    let all = rows.flat_map(|dy| steps(bounds.width - width).map(move |dx| (dx, dy)));
    let areas = all.map(|(dx, dy)| Area::new(bounds.left + dx, bounds.top + dy, width, height));
    let mut areas: Vec<Area> = areas.collect();
    let away = |area: &Area| apart(area.nearest(mark), mark);
    areas.sort_by(|one, other| away(one).total_cmp(&away(other)));
    areas
}

/// Moves label positions apart to at least `gap`, in order, as little as pushing down and then up between `top` and
/// `bottom` does. `wanted` is ascending.
pub fn spread(wanted: &[f64], gap: f64, top: f64, bottom: f64) -> Vec<f64> {
    let mut places: Vec<f64> = wanted.to_vec();
    let mut least = top;
    for place in &mut places {
        *place = place.max(least);
        least = *place + gap;
    }
    let mut most = bottom;
    for place in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - gap;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_move_apart_and_stay_on_the_sheet() {
        let spread = |wanted: &[f64]| spread(wanted, 20.0, 0.0, 100.0);
        assert_eq!(spread(&[10.0, 12.0, 50.0]), [10.0, 30.0, 50.0]);
        assert_eq!(spread(&[80.0, 90.0, 95.0]), [60.0, 80.0, 100.0]);
        assert_eq!(spread(&[-5.0]), [0.0]);
    }

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
        let marks: Vec<Point> = (0..14)
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
