//! Lines that lie on each other, drawn as one in turns: each shows for a stretch, so that none hides the others. Lines rise from
//! left to right.

use crate::report::chart::picture::Point;

/// Lines that are nowhere further apart than this, in pixels, can't be told apart.
const APART: f64 = 2.0;

/// How far each line shows, in pixels of way right plus way up.
const STRETCH: f64 = 12.0;

/// What a chart with such lines says.
pub const OVERLAP_NOTE: &str = "Striped: strategies that lie on each other.";

/// Points in pixels, from left to right.
pub type Points = Vec<Point>;

/// A line's place among those that it lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Its number among them.
    pub number: usize,
    /// How many they are; 1 for a line by itself.
    pub of: usize,
    /// The line that all of them are drawn along, so that stretches meet: one of them.
    pub along: usize,
}

impl Turn {
    /// Half of each stretch: dashes for the turns of dashed lines.
    pub fn dashed(self) -> Self {
        Self {
            number: 2 * self.number,
            of: 2 * self.of,
            ..self
        }
    }
}

/// The turn of each line.
pub fn turns(lines: &[Points]) -> Vec<Turn> {
    // The lines that lie on the same one, by that one.
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let is_same = |group: &&mut Vec<usize>| together(&lines[group[0]], line);
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    let mut turns = Vec::new();
    for group in groups {
        let (of, along) = (group.len(), group[0]);
        let turn = |(number, &at)| (at, Turn { number, of, along });
        turns.extend(group.iter().enumerate().map(turn));
    }
    turns.sort_by_key(|(at, _)| *at);
    turns.into_iter().map(|(_, turn)| turn).collect()
}

/// Nowhere apart where both are, which is nearly everywhere.
fn together(a: &[(f64, f64)], b: &[(f64, f64)]) -> bool {
    let (Some(a_ends), Some(b_ends)) = (ends(a), ends(b)) else {
        return false;
    };
    let (from, to) = (a_ends.0.max(b_ends.0), a_ends.1.min(b_ends.1));
    let longest = (a_ends.1 - a_ends.0).max(b_ends.1 - b_ends.0);
    let near = |points: &[(f64, f64)], other: &[(f64, f64)]| {
        let mut both = points.iter().filter(|(x, _)| (from..=to).contains(x));
        both.all(|&(x, y)| (height(other, x) - y).abs() <= APART)
    };
    to - from >= 0.9 * longest && near(a, b) && near(b, a)
}

fn ends(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    Some((points.first()?.0, points.last()?.0))
}

/// The height of a line at `x`, which lies between its ends.
pub fn height(points: &[(f64, f64)], x: f64) -> f64 {
    let next = points.partition_point(|point| point.0 < x);
    let (right, left) = (points[next.min(points.len() - 1)], points[next.max(1) - 1]);
    if right.0 <= left.0 {
        return right.1;
    }
    left.1 + (right.1 - left.1) * (x - left.0) / (right.0 - left.0)
}

/// The pieces of a line that it shows in its turn: all of it, when it is by itself.
pub fn pieces(points: &[(f64, f64)], turn: Turn) -> Vec<Points> {
    if turn.of == 1 {
        return vec![points.to_vec()];
    }
    let mine = |stretch: f64| stretch.rem_euclid(turn.of as f64) as usize == turn.number;
    let mut pieces: Vec<Points> = Vec::new();
    let mut open = false;
    for pair in points.windows(2) {
        let (start, end) = (way(pair[0]), way(pair[1]));
        let point = |way: f64| {
            let part = (way - start) / (end - start);
            let ((x, y), (right, up)) = (pair[0], pair[1]);
            (x + (right - x) * part, y + (up - y) * part)
        };
        let mut at = start;
        while at < end {
            let border = at.floor() + 1.0;
            if mine(at.floor()) {
                if !open {
                    pieces.push(vec![point(at)]);
                }
                if let Some(piece) = pieces.last_mut() {
                    piece.push(point(border.min(end)));
                }
            }
            // A stretch may go on behind a bend.
            open = mine(at.floor()) && border > end;
            at = border.min(end);
        }
    }
    pieces
}

/// Stretches up to a point of a rising line: the same for all lines of a group, but for the pixels that they are apart.
fn way(point: (f64, f64)) -> f64 {
    (point.0 - point.1) / STRETCH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_on_each_other_take_turns_and_others_do_not() {
        let low = vec![(0.0, 100.0), (50.0, 60.0), (100.0, 0.0)];
        let same: Points = low.iter().map(|(x, y)| (*x, y - 1.0)).collect();
        let apart = vec![(0.0, 100.0), (50.0, 90.0), (100.0, 0.0)];
        let short = vec![(0.0, 100.0), (50.0, 60.0)];
        let found = turns(&[low, same, apart, short]);
        let turn = |number, of, along| Turn { number, of, along };
        assert_eq!(
            found,
            [turn(0, 2, 0), turn(1, 2, 0), turn(0, 1, 2), turn(0, 1, 3)]
        );
    }

    #[test]
    fn the_turns_of_a_group_make_up_the_whole_line() {
        let line = vec![(0.0, 100.0), (31.0, 77.0), (40.0, 20.0), (90.0, 20.0)];
        let length = |points: &[(f64, f64)]| {
            let pieces = points.windows(2);
            let lengths = pieces.map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1));
            lengths.sum::<f64>()
        };
        let turn = |number, of| Turn {
            number,
            of,
            along: 0,
        };
        let shown: f64 = (0..3)
            .flat_map(|number| pieces(&line, turn(number, 3)))
            .map(|piece| length(&piece))
            .sum();
        assert!((shown - length(&line)).abs() < 1e-9, "{shown}");
        let first = pieces(&line, turn(0, 3));
        assert!(first.len() > 1 && length(&first[0]) < length(&line) / 2.0);
        // 14 stretches in turns of shown and hidden: half of the way, one stretch more or less, and slopes of which a stretch shows
        // 0.7 to 1 of its way.
        let dashes: f64 = (0..3)
            .flat_map(|number| pieces(&line, turn(number, 3).dashed()))
            .map(|piece| length(&piece))
            .sum();
        assert!((0.35..0.65).contains(&(dashes / length(&line))), "{dashes}");
        assert_eq!(pieces(&line, turn(0, 1)), [line]);
    }
}
