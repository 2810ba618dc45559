//! What the keys say, at the left of the key map: a box for each run of buckets with the same prefix where runs are
//! tall enough, else labels at intervals like those of an axis. At most two levels. Must not know demand.

use super::canvas::{Canvas, Label};
use super::font;
use super::key_map::Frame;
use super::palette;
use crate::experiment::KeyMapBucket;

const SIZE: f64 = 10.0;
/// Least height in pixels of a box that text fits in.
const LEAST_BOX: f64 = 12.0;
/// Distance in pixels of labels that stand alone.
const APART: f64 = 36.0;
/// Widest column of labels.
const WIDEST: f64 = 96.0;
const LEVELS: usize = 2;

/// Consecutive buckets with the same label.
#[derive(Debug, Clone, PartialEq)]
struct Run {
    from: usize,
    to: usize,
    text: String,
}

#[derive(Debug)]
struct Column {
    runs: Vec<Run>,
    boxes: bool,
    width: f64,
    /// What its labels leave out, when they begin with an ellipsis.
    shared: Option<String>,
}

/// The labels of a key map.
#[derive(Debug)]
pub struct KeyLabels {
    columns: Vec<Column>,
}

impl KeyLabels {
    /// The labels of `buckets`, each `bucket_height` pixels tall.
    pub fn of(buckets: &[KeyMapBucket], bucket_height: f64) -> Self {
        let depth = buckets
            .iter()
            .map(|bucket| bucket.labels.len())
            .max()
            .unwrap_or(0);
        let mut levels: Vec<Vec<Run>> = (0..depth).map(|level| runs(buckets, level)).collect();
        // What is the same everywhere tells nothing, unless it is all there is.
        if levels.iter().any(|runs| runs.len() > 1) {
            levels.retain(|runs| runs.len() > 1);
        }
        // Where the outermost level already differs in nearly each bucket, deeper ones are noise.
        let fine = levels.iter().position(|runs| {
            (runs.len() as f64) * APART > 2.0 * bucket_height * buckets.len() as f64
        });
        levels.truncate(fine.map_or(LEVELS, |level| (level + 1).min(LEVELS)));
        levels.retain(|runs| runs.iter().any(|run| !run.text.is_empty()));
        if levels.is_empty() {
            levels = vec![
                buckets
                    .iter()
                    .enumerate()
                    .map(|(i, b)| Run {
                        from: i,
                        to: i + 1,
                        text: b.start.clone(),
                    })
                    .collect(),
            ];
        }
        let columns = levels
            .into_iter()
            .map(|runs| Column::of(runs, bucket_height))
            .filter(|column| column.runs.iter().any(|run| !run.text.is_empty()));
        Self {
            columns: columns.collect(),
        }
    }

    /// What the ellipses at the start of labels stand for, outermost first.
    pub fn left_out(&self) -> impl Iterator<Item = &str> {
        self.columns
            .iter()
            .filter_map(|column| column.shared.as_deref())
    }

    /// Pixels that all columns take.
    pub fn width(&self) -> f64 {
        self.columns
            .iter()
            .map(|column| column.width + 4.0)
            .sum::<f64>()
            .max(4.0)
    }

    /// The labels, left of `frame`.
    pub fn draw(&self, canvas: &Canvas, frame: &Frame) {
        let mut right = frame.left - 4.0;
        for column in self.columns.iter().rev() {
            column.draw(canvas, frame, right);
            right -= column.width + 4.0;
        }
    }
}

impl Column {
    fn of(runs: Vec<Run>, bucket_height: f64) -> Self {
        let height = |run: &Run| (run.to - run.from) as f64 * bucket_height;
        let total: f64 = runs.iter().map(height).sum();
        let tall: f64 = runs
            .iter()
            .map(height)
            .filter(|height| *height >= LEAST_BOX)
            .sum();
        let boxes = tall >= 0.6 * total;
        let mut runs = if boxes {
            runs
        } else {
            apart(runs, bucket_height)
        };
        // The runs that are too thin for a label must not decide what the others have in common.
        let labelled = |run: &Run| !boxes || height(run) >= LEAST_BOX;
        let shared = shorten(&mut runs, labelled);
        let widest = runs
            .iter()
            .filter(|run| !boxes || height(run) >= LEAST_BOX)
            .map(|run| font::width(&run.text, SIZE, false));
        let width = widest.fold(0.0, f64::max).min(WIDEST) + 8.0;
        Self {
            runs,
            boxes,
            width,
            shared,
        }
    }

    fn draw(&self, canvas: &Canvas, frame: &Frame, right: f64) {
        let room = self.width - 6.0;
        for run in &self.runs {
            let (top, bottom) = (frame.y(run.to as f64), frame.y(run.from as f64));
            let text = font::fitted(&run.text, room, SIZE, false);
            if self.boxes {
                canvas.rect(
                    (right - self.width, top + 0.5),
                    (self.width, bottom - top - 1.0),
                    palette::EMPTY,
                );
                if bottom - top >= LEAST_BOX {
                    let at = (right - self.width / 2.0, (top + bottom) / 2.0);
                    canvas.text(&text, at, Label::new(SIZE).muted().centre().middle());
                }
            } else {
                canvas.line(
                    &[(right, bottom), (right + 4.0, bottom)],
                    1.0,
                    palette::AXIS,
                );
                canvas.text(
                    &text,
                    (right - 3.0, bottom),
                    Label::new(SIZE).muted().right().middle(),
                );
            }
        }
    }
}

/// Runs of buckets whose labels agree down to `level`.
fn runs(buckets: &[KeyMapBucket], level: usize) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (index, bucket) in buckets.iter().enumerate() {
        let same = index > 0
            && buckets[index - 1]
                .labels
                .iter()
                .take(level + 1)
                .eq(bucket.labels.iter().take(level + 1));
        match runs.last_mut() {
            Some(run) if same => run.to = index + 1,
            _ => runs.push(Run {
                from: index,
                to: index + 1,
                text: bucket.labels.get(level).cloned().unwrap_or_default(),
            }),
        }
    }
    runs
}

/// Those runs whose starts are far enough apart to stand beside each other.
fn apart(runs: Vec<Run>, bucket_height: f64) -> Vec<Run> {
    let mut kept: Vec<Run> = Vec::new();
    for run in runs.into_iter().filter(|run| !run.text.is_empty()) {
        if kept
            .last()
            .is_none_or(|last| (run.from - last.from) as f64 * bucket_height >= APART)
        {
            kept.push(run);
        }
    }
    kept
}

/// Leaves out what all labels begin with, when they are too long to be shown whole; returns it.
fn shorten(runs: &mut [Run], labelled: impl Fn(&Run) -> bool) -> Option<String> {
    let runs: Vec<&mut Run> = runs.iter_mut().filter(|run| labelled(run)).collect();
    if runs
        .iter()
        .all(|run| font::width(&run.text, SIZE, false) <= WIDEST)
    {
        return None;
    }
    let first = runs.first().map(|run| run.text.clone())?;
    let common = runs.iter().fold(first.len(), |common, run| {
        first
            .bytes()
            .zip(run.text.bytes())
            .take(common)
            .take_while(|(a, b)| a == b)
            .count()
    });
    // Cut after a separator or before an escape, so that what stays can be read.
    let shared = (0..=common)
        .rev()
        .find_map(|end| first.get(..end))
        .unwrap_or_default();
    let after = shared
        .rfind([' ', ':', '-', '/', '.', ',', '_', '|'])
        .map_or(0, |at| at + 1);
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

#[cfg(test)]
mod tests {
    use super::*;

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
        let labels = KeyLabels::of(&buckets, 4.0);
        assert_eq!(labels.columns.len(), 2);
        assert!(labels.columns[0].boxes);
        assert_eq!(
            labels.columns[0].runs[1],
            Run {
                from: 50,
                to: 100,
                text: "salt 1".to_owned()
            }
        );
        assert!(
            !labels.columns[1].boxes,
            "a label for each bucket becomes an axis"
        );
        assert_eq!(labels.columns[1].runs[1].from, 9);
    }

    #[test]
    fn long_labels_lose_what_they_have_in_common() {
        let name = |i: usize| format!("2026-01-01 00:00:{i:02}.000 and something long");
        let mut runs: Vec<_> = (10..13)
            .map(|i| Run {
                from: i,
                to: i + 1,
                text: name(i),
            })
            .collect();
        let shared = shorten(&mut runs, |_| true);
        assert_eq!(runs[1].text, "…11.000 and something long");
        assert_eq!(shared.as_deref(), Some("2026-01-01 00:00:"));
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
        let labels = KeyLabels::of(&buckets, 6.25);
        assert_eq!(labels.columns[0].runs[1].text, "\\x00\\x06");
    }
}
