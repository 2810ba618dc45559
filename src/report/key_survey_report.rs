//! What row keys look like, for people. Must not look at keys.

use super::document::{Block, Column, Document, Table};
use super::number::{self, NumberFormat, counted};
use crate::keyspace::escape;
use crate::observed::{KeyByte, KeySurvey, Padding, Salt, TimeInKeys};
use crate::policy::SplitFit;
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
        let weight = match self.keys == self.weight {
            true => String::new(),
            false => format!(", weighing {}", number::grouped(self.weight)),
        };
        let keys = number::grouped(self.keys);
        let part = if self.is_exact {
            ""
        } else {
            ", those that memory held"
        };
        let title = format!(
            "{keys} keys{weight}; {} different{part}",
            number::grouped(survey.distinct as u64)
        );
        let fit_columns = ["split algorithm", "regions", "empty", "greatest / mean"];
        let fit_columns = fit_columns.map(|name| Column::named(name, name != "split algorithm"));
        let fit = |it: &SplitFit| {
            vec![
                it.algorithm.to_owned(),
                it.regions.to_string(),
                it.empty.to_string(),
                Ratio.text(it.peak),
            ]
        };
        let byte_columns = [
            "byte",
            "keys",
            "values",
            "bits of 8",
            "",
            "most frequent",
            "share",
        ];
        let byte_columns =
            byte_columns.map(|name| Column::named(name, !["", "most frequent"].contains(&name)));
        let bytes = survey.bytes.iter().take(BYTES_SHOWN).enumerate();
        let mut told = vec![Block::Table(Table::new(byte_columns, bytes.map(byte)))];
        let hidden = survey.lengths[1].saturating_sub(BYTES_SHOWN);
        if hidden > 0 {
            told.push(Block::Note(format!(
                "{} more are not shown.",
                counted(hidden, "byte")
            )));
        }
        told.push(Block::Note("Bits are the entropy of a byte by itself: 8 are spread over all values, 0 is one value alone.".to_owned()));
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
        if let Some(TimeInKeys {
            form,
            at,
            leads,
            days: [first, last],
        }) = &survey.time
        {
            let role = if *leads {
                "A time leads"
            } else {
                "A time stands in them"
            };
            all.push(format!(
                "{role}: {form} from byte {at} on, {first} to {last}."
            ));
        }
        if let Some(Salt { bytes, values }) = &survey.salt {
            all.push(format!(
                "Salted: {values} values, evenly spread, in {} before bytes that are not.",
                counted(*bytes, "leading byte")
            ));
        }
        if survey.leads_with_hash {
            all.push("They lead with what is spread as a hash is.".to_owned());
        }
        if let Some(Padding { side, byte, bytes }) = &survey.padding {
            all.push(format!(
                "Padded on the {side} with `{}`: {} of nearly all keys.",
                escape(&[*byte]),
                counted(*bytes, "byte")
            ));
        }
        all.extend(survey.rising.map(|rising| match rising {
            _ if survey.is_sorted() => "The file is in key order, as a scan gives any keys: it tells nothing of the order in which they were written.".to_owned(),
            _ => format!("{} of neighbours in the file rise (half would by chance).", Percent.text(rising)),
        }));
        all
    }

    /// Which algorithm to take.
    fn advice(&self) -> String {
        let Some((own, others)) = self.fits.split_last() else {
            return String::new();
        };
        let fitting = others
            .iter()
            .find(|it| it.empty == 0 && it.peak <= FITTING * own.peak);
        let advice = match fitting {
            Some(fit) => format!(
                "`{}` fits: its greatest region is {} the mean.",
                fit.algorithm,
                Ratio.text(fit.peak)
            ),
            None => "`sampled` fits: `keyheat splits sampled --from FILE --regions N`.".to_owned(),
        };
        match self.survey.is_time_led() {
            true => "No split points will do: the keys follow time, and what is written next lies in the last region, or in the first. \
                     Lead with something else: `keyheat presets`."
                .to_owned(),
            false => advice,
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
