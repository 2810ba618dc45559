//! What row keys look like, for people. Must not look at keys.

use super::document::{Block, Column, Document, Table};
use super::number::{self, NumberFormat, counted};
use crate::keyspace::escape;
use crate::observed::{KeyByte, KeySurvey, Padding, Salt};
use crate::policy::{SplitAlgorithm, SplitFit};
use NumberFormat::{Percent, Ratio};
use serde::Serialize;

/// Bytes that are shown.
const BYTES_SHOWN: usize = 40;

/// Characters of a bar of 8 bits.
const BAR: f64 = 16.0;

/// An algorithm fits whose greatest region is at most so much greater than that of the keys' own quantiles.
const FITTING: f64 = 1.25;

/// The view of a survey.
#[derive(Debug, Serialize)]
pub struct KeySurveyReport {
    /// Lines of the file.
    pub keys: u64,
    /// Their weights.
    pub weight: u64,
    /// Whether all of them were looked at, or those that memory held.
    pub is_exact: bool,
    /// What they look like.
    #[serde(flatten)]
    pub survey: KeySurvey,
    /// What each split algorithm makes of them, their own quantiles last.
    pub fits: Vec<SplitFit>,
}

impl KeySurveyReport {
    /// For a terminal or a pull request.
    pub fn document(&self) -> Document {
        let Self { survey, fits, .. } = self;
        let weight = Some(self.weight).filter(|weight| *weight != self.keys);
        let weight = weight.map(|it| format!(", weighing {}", number::grouped(it)));
        let weight = weight.unwrap_or_default();
        let keys = number::grouped(self.keys);
        let noun = if self.keys == 1 { "key" } else { "keys" };
        let part = (!self.is_exact).then_some(", those that memory held");
        let part = part.unwrap_or_default();
        let distinct = number::grouped(survey.distinct as u64);
        let title = format!("{keys} {noun}{weight}; {distinct} different{part}");
        let numbers = |name| Column::named(name, true);
        let words = |name| Column::named(name, false);
        let fit_columns = [
            words("split algorithm"),
            numbers("regions"),
            numbers("empty"),
            numbers("greatest / mean"),
        ];
        let fit = |it: &SplitFit| {
            let (regions, empty) = (it.regions.to_string(), it.empty.to_string());
            vec![it.algorithm.to_owned(), regions, empty, Ratio.text(it.peak)]
        };
        let byte_columns = ["byte", "keys", "values", "bits of 8"].map(numbers);
        let last_columns = [words(""), words("most frequent"), numbers("share")];
        let bytes = survey.bytes.iter().take(BYTES_SHOWN).enumerate();
        let byte_columns = byte_columns.into_iter().chain(last_columns);
        let mut told = vec![Block::Table(Table::new(byte_columns, bytes.map(byte)))];
        let hidden = survey.lengths[1].saturating_sub(BYTES_SHOWN);
        let rest = counted(hidden, "byte");
        let rest = (hidden > 0).then(|| format!(" {rest} more are not shown."));
        let rest = rest.unwrap_or_default();
        told.push(Block::Note(format!("Bits are the entropy of a byte by itself: 8 are spread over all values, 0 is one value alone.{rest}")));
        Document(vec![
            vec![Block::Title(title), Block::list(self.sentences())],
            told,
            vec![
                Block::Table(Table::new(fit_columns, fits.iter().map(fit))),
                Block::text(self.advice()),
            ],
        ])
    }

    /// What the keys are, a sentence each.
    fn sentences(&self) -> Vec<String> {
        let survey = &self.survey;
        let [shortest, longest] = survey.lengths;
        let length = match shortest == longest {
            true => counted(longest, "byte"),
            false => format!("{shortest} to {longest} bytes"),
        };
        let mut all = vec![format!("{length} of {}.", survey.alphabet)];
        all.extend(survey.time.as_ref().map(|time| {
            let role = if time.leads {
                "leads"
            } else {
                "stands in them"
            };
            let (form, at, [first, last]) = (time.form, time.at, &time.days);
            format!("A time {role}: {form} from byte {at} on, {first} to {last}.")
        }));
        all.extend(survey.salt.as_ref().map(|Salt { bytes, values }| {
            let bytes = counted(*bytes, "leading byte");
            format!("Salted: {values} values, evenly spread, in {bytes} before bytes that are not.")
        }));
        let hash = survey.leads_with_hash;
        all.extend(hash.then(|| "They lead with what is spread as a hash is.".to_owned()));
        all.extend(
            survey
                .padding
                .as_ref()
                .map(|Padding { side, byte, bytes }| {
                    let (byte, bytes) = (escape(&[*byte]), counted(*bytes, "byte"));
                    format!("Padded on the {side} with `{byte}`: {bytes} of nearly all keys.")
                }),
        );
        all.extend(survey.rising.map(|rising| match rising {
            _ if survey.is_sorted() => "The file is in key order, as a scan gives any keys: it tells nothing of the order in which they were written.".to_owned(),
            _ => {
                let [above, below] = [rising, survey.falling.unwrap_or_default()].map(|it| Percent.text(it));
                let order = survey.order.map(|it| format!(" Their order correlates by {it:.2} with that of the file."));
                let order = order.unwrap_or_default();
                format!("{above} of them lie above all before them in the file, {below} below (in any order, few).{order}")
            }
        }));
        all
    }

    /// Which algorithm to take.
    fn advice(&self) -> String {
        if self.survey.is_time_led() {
            return "No split points will do: the keys follow time, and what is written next lies in the last region, or in the first. \
                    Lead with something else: `keyheat presets`."
                .to_owned();
        }
        let least = self.fits.last().map_or(1.0, |own| own.peak);
        let fits = |it: &&SplitFit| it.empty == 0 && it.peak <= FITTING * least;
        match self.fits.iter().find(fits) {
            Some(fit) if fit.algorithm != SplitAlgorithm::Sampled.name() => {
                let peak = Ratio.text(fit.peak);
                let algorithm = &fit.algorithm;
                format!("`{algorithm}` fits: its greatest region is {peak} the mean.")
            }
            _ => "`sampled` fits: `keyheat splits sampled --from FILE --regions N`.".to_owned(),
        }
    }
}

fn byte((at, byte): (usize, &KeyByte)) -> Vec<String> {
    let bar = "█".repeat((byte.bits / 8.0 * BAR).round() as usize);
    vec![
        at.to_string(),
        Percent.text(byte.share),
        byte.values.to_string(),
        format!("{:.1}", byte.bits),
        bar,
        escape(&[byte.top]),
        Percent.text(byte.top_share),
    ]
}
