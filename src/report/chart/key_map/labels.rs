//! What the keys say, at the left of the key map: a box for each run of buckets with the same prefix where runs are
//! tall enough, else labels at intervals like those of an axis. At most two levels.

use super::frame::Frame;
use crate::experiment::KeyMapBucket;
use crate::report::chart::prelude::*;

const SIZE: f64 = 10.0;
/// Least height in pixels of a box that text fits in.
const LEAST_BOX: f64 = 12.0;
/// Distance in pixels of labels that stand alone.
const APART: f64 = 36.0;
/// Least height of boxes whose inside is labelled, too: two labels.
const LEAST_INSIDE: f64 = 2.0 * APART;
/// Behind these a label can be cut, so that what stays can be read.
const SEPARATORS: [char; 8] = [' ', ':', '-', '/', '.', ',', '_', '|'];

/// Consecutive buckets with the same label.
#[derive(Debug, Clone, PartialEq)]
struct Run {
    from: usize,
    to: usize,
    text: String,
}

impl Run {
    /// Of the bucket at `at` alone.
    fn new(at: usize, text: String) -> Self {
        let (from, to) = (at, at + 1);
        Self { from, to, text }
    }
}

#[derive(Debug)]
struct Column {
    runs: Vec<Run>,
    boxes: bool,
    width: f64,
    /// What its labels leave out, when they begin with an ellipsis.
    shared: Option<String>,
}

/// The labels of a key map, column by column, outermost first.
#[derive(Debug)]
pub struct KeyLabels(Vec<Column>);

impl KeyLabels {
    /// The labels of `buckets`; `edges` are the pixels from the top of the sheet to where each starts, upwards, and to where the last one ends.
    pub fn of(buckets: &[KeyMapBucket], edges: &[f64], viewport: Viewport) -> Self {
        // Levels, and the widest column of labels.
        let (most, widest) = viewport.pick((2, 112.0), (1, 84.0));
        let height = edges[0] - edges[buckets.len()];
        let depths = buckets.iter().map(|bucket| bucket.labels.len());
        let depth = depths.max().unwrap_or(0);
        let mut levels: Vec<Vec<Run>> = (0..depth).map(|level| runs(buckets, level)).collect();
        // What is the same everywhere tells nothing, unless it is all there is.
        if levels.iter().any(|runs| runs.len() > 1) {
            levels.retain(|runs| runs.len() > 1);
        }
        // Where the outermost level already differs in nearly each bucket, deeper ones are noise.
        let is_fine = |runs: &Vec<Run>| runs.len() as f64 * APART > 2.0 * height;
        let fine = levels.iter().position(is_fine);
        levels.truncate(fine.map_or(most, |level| (level + 1).min(most)));
        levels.retain(|runs| runs.iter().any(|run| !run.text.is_empty()));
        if levels.is_empty() {
            let starts = buckets.iter().enumerate();
            let starts = starts.map(|(at, bucket)| Run::new(at, bucket.start.clone()));
            levels = vec![starts.collect()];
        }
        // What is inside of boxes that are too small for labels of their own would seem to belong to others.
        let boxes = levels[0].iter().filter(|run| !run.text.is_empty());
        if boxes.count() as f64 * LEAST_INSIDE > height {
            levels.truncate(1);
        }
        let starts: Vec<usize> = levels[0].iter().map(|run| run.from).collect();
        let columns = levels.into_iter().enumerate().map(|(level, runs)| {
            let outer = if level > 0 { &starts[..] } else { &[] };
            Column::of(runs, outer, edges, widest)
        });
        let columns = columns.filter(|it| it.runs.iter().any(|run| !run.text.is_empty()));
        Self(columns.collect())
    }

    /// What the ellipses at the start of labels stand for, outermost first.
    pub fn left_out(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|column| column.shared.as_deref())
    }

    /// Pixels that all columns take.
    pub fn width(&self) -> f64 {
        let widths = self.0.iter().map(|column| column.width + 4.0);
        widths.sum::<f64>().max(4.0)
    }

    /// The labels, left of `frame`.
    pub fn draw(&self, sheet: &Sheet, frame: &Frame) {
        let mut right = frame.area.left - 4.0;
        for column in self.0.iter().rev() {
            column.draw(sheet, frame, right);
            right -= column.width + 4.0;
        }
    }
}

impl Column {
    /// Of runs inside of boxes that start at `outer` buckets.
    fn of(runs: Vec<Run>, outer: &[usize], edges: &[f64], widest: f64) -> Self {
        let height = |run: &Run| edges[run.from] - edges[run.to];
        // The first bucket begins with the key space, and may say nothing.
        let heights = runs.iter().filter(|run| !run.text.is_empty()).map(height);
        let total: f64 = heights.clone().sum();
        let tall: f64 = heights.filter(|height| *height >= LEAST_BOX).sum();
        let boxes = tall >= 0.6 * total;
        let mut runs = match boxes {
            true => runs,
            false => apart(runs, outer, edges),
        };
        // The runs that are too thin for a label must not decide what the others have in common.
        let labelled = |run: &Run| !boxes || height(run) >= LEAST_BOX;
        // A label alone can't be shortened by what it shares with others.
        let shown = runs
            .iter()
            .filter(|run| labelled(run) && !run.text.is_empty());
        let widest = match shown.count() {
            1 => 1.4 * widest,
            _ => widest,
        };
        let shared = shorten(&mut runs, widest, labelled);
        tell_apart(&mut runs, widest, labelled);
        let shown = runs.iter().filter(|run| labelled(run));
        let widths = shown.map(|run| width(&whole_parts(&run.text, widest), SIZE, false));
        let width = widths.fold(0.0, f64::max).min(widest) + 8.0;
        Self {
            runs,
            boxes,
            width,
            shared,
        }
    }

    fn draw(&self, sheet: &Sheet, frame: &Frame, right: f64) {
        let label = muted(SIZE).middle();
        // A box without a word would only raise a question.
        let shown = |run: &&Run| !(self.boxes && run.text.is_empty());
        for run in self.runs.iter().filter(shown) {
            let (top, bottom) = (frame.y(run.to as f64), frame.y(run.from as f64));
            let text = whole_parts(&run.text, self.width - 6.0);
            if self.boxes {
                let height = bottom - top - 1.0;
                let area = Area::new(right - self.width, top + 0.5, self.width, height);
                sheet.rect(area, EMPTY);
                if bottom - top >= LEAST_BOX {
                    let at = (right - self.width / 2.0, (top + bottom) / 2.0);
                    sheet.text(&text, at, label.centre());
                }
            } else {
                sheet.line(&[(right, bottom), (right + 4.0, bottom)], 1.0, AXIS);
                sheet.text(&text, (right - 3.0, bottom), label.right());
            }
        }
    }
}

/// A label, without the last of its parts when there is no room for all of it.
fn whole_parts(text: &str, room: f64) -> String {
    let fits = |text: &str| width(text, SIZE, false) <= room;
    if fits(text) {
        return text.to_owned();
    }
    let ends = text.rmatch_indices(", ").map(|(end, _)| end);
    let mut shorter = ends.map(|end| format!("{}, …", &text[..end]));
    shorter
        .find(|text| fits(text))
        .unwrap_or_else(|| fitted(text, room, SIZE, false))
}

/// Runs of buckets whose labels agree down to `level`.
fn runs(buckets: &[KeyMapBucket], level: usize) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (index, bucket) in buckets.iter().enumerate() {
        let down_to = |index: usize| buckets[index].labels.iter().take(level + 1);
        let same = index > 0 && down_to(index - 1).eq(down_to(index));
        match runs.last_mut() {
            Some(run) if same => run.to = index + 1,
            _ => {
                let text = bucket.labels.get(level).cloned();
                runs.push(Run::new(index, text.unwrap_or_default()));
            }
        }
    }
    runs
}

/// Those runs whose starts are far enough apart to stand beside each other, the first of each box among them.
fn apart(runs: Vec<Run>, outer: &[usize], edges: &[f64]) -> Vec<Run> {
    let mut kept: Vec<Run> = Vec::new();
    for run in runs.into_iter().filter(|run| !run.text.is_empty()) {
        let away = |other: usize| (edges[run.from] - edges[other]).abs();
        let first = outer.contains(&run.from);
        let near = kept.last().is_some_and(|last| away(last.from) < LEAST_BOX);
        let next = outer.iter().find(|start| **start > run.from);
        let far = kept.last().is_none_or(|last| away(last.from) >= APART);
        let clear = next.is_none_or(|next| away(*next) >= APART / 2.0);
        if (first && !near) || (far && clear) {
            kept.push(run);
        }
    }
    kept
}

/// Leaves out what all labels begin with, when they are too long to be shown whole; returns it.
fn shorten(runs: &mut [Run], widest: f64, labelled: impl Fn(&Run) -> bool) -> Option<String> {
    let runs: Vec<&mut Run> = runs
        .iter_mut()
        .filter(|run| labelled(run) && !run.text.is_empty())
        .collect();
    let fits = |run: &&mut Run| width(&run.text, SIZE, false) <= widest;
    if runs.iter().all(fits) {
        return None;
    }
    let first = runs.first().map(|run| run.text.clone())?;
    let common = runs.iter().map(|run| {
        let pairs = first.bytes().zip(run.text.bytes());
        pairs.take_while(|(a, b)| a == b).count()
    });
    let common = common.min().unwrap_or(0);
    // Cut after a separator or before an escape, so that what stays can be read.
    let shared = (0..=common).rev().find_map(|end| first.get(..end));
    let shared = shared.unwrap_or_default();
    let separator = shared.rfind(SEPARATORS);
    let after = separator.map_or(0, |at| at + 1);
    let before = shared.rfind('\\').unwrap_or(0);
    let cut = after.max(before);
    if cut <= 2 || runs.len() <= 1 {
        return None;
    }
    for run in runs {
        run.text = format!("…{}", &run.text[cut..]);
    }
    Some(first[..cut].trim_end().to_owned())
}

/// Of labels too long to be shown whole, leaves out what a neighbour begins with too, so that what is shown differs; of equals only the first stays.
fn tell_apart(runs: &mut [Run], widest: f64, labelled: impl Fn(&Run) -> bool) {
    let whole: Vec<String> = runs.iter().map(|run| run.text.clone()).collect();
    let shown = (0..runs.len()).filter(|&at| labelled(&runs[at]) && !whole[at].is_empty());
    let shown: Vec<usize> = shown.collect();
    let mut last = String::new();
    for (place, &at) in shown.iter().enumerate() {
        let beside = match place {
            0 => shown.get(1),
            _ => shown.get(place - 1),
        };
        let mut text = whole_parts(&whole[at], widest);
        if let Some(&beside) = beside.filter(|_| text != whole[at]) {
            let pairs = whole[at].char_indices().zip(whole[beside].chars());
            let differing = pairs
                .skip_while(|((_, a), b)| a == b)
                .map(|((end, _), _)| end);
            let same = &whole[at][..differing.clone().next().unwrap_or(whole[beside].len())];
            let cut = same.rfind(SEPARATORS).map_or(0, |end| end + 1);
            if cut > 0 {
                text = whole_parts(&format!("…{}", &whole[at][cut..]), widest);
            }
        }
        runs[at].text = match text == last {
            true => String::new(),
            false => text.clone(),
        };
        last = text;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edges of so many buckets of one height.
    fn even(buckets: usize, height: f64) -> Vec<f64> {
        (0..=buckets).rev().map(|at| at as f64 * height).collect()
    }

    #[test]
    fn labels_too_long_for_their_column_show_where_they_differ() {
        let label = |at: usize| {
            format!(
                "{} 2026-01-01T00:00:{at:02}.000Z of one and the same host",
                ["cpu", "disk"][at % 2]
            )
        };
        let buckets: Vec<_> = (0..20).map(|at| bucket(&[&label(at)])).collect();
        let labels = KeyLabels::of(&buckets, &even(20, 20.0), Viewport::Wide);
        let texts: Vec<String> = labels.0[0]
            .runs
            .iter()
            .map(|run| whole_parts(&run.text, 112.0))
            .collect();
        for pair in texts.windows(2) {
            assert!(pair[0] != pair[1], "{texts:?}");
        }
        let same: Vec<_> = (0..20)
            .map(|at| bucket(&[&format!("host a, 2026-01-01T00:0{}:07.123456789Z", at / 2)]))
            .collect();
        let labels = KeyLabels::of(&same, &even(20, 20.0), Viewport::Wide);
        let texts: Vec<&str> = labels.0[0].runs.iter().map(|run| &run.text[..]).collect();
        assert_eq!(texts.len(), 10);
        assert!(texts.windows(2).all(|pair| pair[0] != pair[1]), "{texts:?}");
    }

    #[test]
    fn keys_crowded_at_the_end_of_the_table_are_labelled_where_they_begin() {
        // A key that begins with the time: all that was written before is one bucket, which says nothing.
        let seconds = |at| format!("ts 2026-01-01T00:00:{at:02}Z");
        let written = (0..13).map(|at| bucket(&[&seconds(at)]));
        let buckets: Vec<_> = [bucket(&[])].into_iter().chain(written).collect();
        let edges: Vec<_> = [400.0].into_iter().chain(even(13, 1.0)).collect();
        let labels = KeyLabels::of(&buckets, &edges, Viewport::Wide);
        let texts: Vec<&str> = labels.0[0].runs.iter().map(|run| &run.text[..]).collect();
        assert_eq!(texts, [seconds(0)]);
        assert!(!labels.0[0].boxes && labels.0[0].width >= width(texts[0], SIZE, false));
    }

    fn bucket(labels: &[&str]) -> KeyMapBucket {
        KeyMapBucket {
            start: String::new(),
            hex: String::new(),
            labels: labels.iter().map(|l| (*l).to_owned()).collect(),
        }
    }

    #[test]
    fn tall_runs_become_boxes_and_constant_levels_are_left_out() {
        let buckets: Vec<_> = (0..100)
            .map(|i| bucket(&["m", ["salt 0", "salt 1"][i / 50], &format!("t{i}")]))
            .collect();
        let labels = KeyLabels::of(&buckets, &even(buckets.len(), 4.0), Viewport::Wide);
        assert_eq!(labels.0.len(), 2);
        assert!(labels.0[0].boxes);
        assert_eq!(
            labels.0[0].runs[1],
            Run {
                from: 50,
                to: 100,
                text: "salt 1".to_owned()
            }
        );
        assert!(
            !labels.0[1].boxes,
            "a label for each bucket becomes an axis"
        );
        assert_eq!(labels.0[1].runs[1].from, 9);
    }

    #[test]
    fn long_labels_lose_what_they_have_in_common() {
        let name = |i: usize| format!("2026-01-01 00:00:{i:02}.000 and something long");
        let nothing = Run {
            from: 9,
            to: 10,
            text: String::new(),
        };
        let mut runs: Vec<_> = (10..13)
            .map(|i| Run {
                from: i,
                to: i + 1,
                text: name(i),
            })
            .collect();
        runs.insert(0, nothing);
        let shared = shorten(&mut runs, 112.0, |_| true);
        assert_eq!(runs[2].text, "…11.000 and something long");
        assert_eq!(shared.as_deref(), Some("2026-01-01 00:00:"));
    }

    #[test]
    fn boxes_without_room_have_no_labels_inside_and_others_start_with_one() {
        let buckets = |per_box: usize| -> Vec<_> {
            let label = |i| {
                bucket(&[
                    &format!("salt {}", i / per_box),
                    &format!("t{}", i % per_box),
                ])
            };
            (0..100).map(label).collect()
        };
        assert_eq!(
            KeyLabels::of(&buckets(10), &even(100, 4.0), Viewport::Wide)
                .0
                .len(),
            1
        );
        let labels = KeyLabels::of(&buckets(25), &even(100, 4.0), Viewport::Wide);
        let inside = labels.0[1].runs.iter();
        let starts: Vec<usize> = inside.map(|run| run.from).collect();
        assert_eq!(starts, [0, 9, 18, 25, 34, 43, 50, 59, 68, 75, 84, 93]);
    }

    #[test]
    fn a_label_of_many_parts_loses_whole_ones() {
        assert_eq!(whole_parts("item 7, day 3", 200.0), "item 7, day 3");
        assert_eq!(
            whole_parts("item 7, company 00000132, ts 2026", 175.0),
            "item 7, company 00000132, …"
        );
        assert!(whole_parts("item 00000000007", 50.0).ends_with("0…"));
    }

    #[test]
    fn keys_without_labels_show_their_bytes() {
        let buckets: Vec<_> = (0..64)
            .map(|i| KeyMapBucket {
                start: format!("\\x00\\x{i:02X}"),
                hex: String::new(),
                labels: vec![],
            })
            .collect();
        let labels = KeyLabels::of(&buckets, &even(buckets.len(), 6.25), Viewport::Wide);
        assert_eq!(labels.0[0].runs[1].text, "\\x00\\x06");
    }
}
