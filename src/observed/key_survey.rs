//! What row keys look like: alphabet, lengths, padding, salts, times, and how much each byte tells. Must not know where they come from, nor how a table of
//! them should be split.

use crate::statistics::{EvenSample, rank_correlation};
use serde::Serialize;
use std::collections::BTreeMap;

/// Bytes from the left that are looked at each.
const BYTES: usize = 64;

/// Bytes from the left that a time may begin at.
const TIMES: usize = 24;

/// Shares at least as great as this are "nearly all": one odd key in a hundred changes no verdict.
const NEARLY_ALL: f64 = 0.99;

/// Values that come close to this share of the most that they could tell are evenly spread. Of 16 values with 20 keys each, chance alone leaves 0.99 of it.
const EVEN: f64 = 0.95;

/// Random bytes, or their lower half, take such a part of all their values, from ten keys on. A time does where it lasts as long and doesn't run over the end
/// of its last bytes: once in twenty times, if all orders of magnitude are as likely.
const RANDOM: f64 = 0.4;

/// Keys a value from which a spread can be told.
const KEYS_A_VALUE: u64 = 20;

/// Keys above all those before them in the file, or below, from which new keys go to one end of the table. By chance the n-th is with a probability of 1 / n:
/// 4 of 30 are expected, and 15 in one case of a hundred million. Rises among neighbours would tell of devices that report in turn as well.
const LEADING: f64 = 0.5;

/// Keys whose ranks correlate so much with the file rise or fall with it from one block of them to the next, whatever is random in the order of each (estimate).
const ORDERED: f64 = 0.9;

/// Neighbours without which an order says nothing.
const LEAST_ORDER: u64 = 30;

/// How keys follow one another in a file.
#[derive(Debug, Clone, Default)]
pub struct FileOrder {
    last: Vec<u8>,
    least: Vec<u8>,
    greatest: Vec<u8>,
    /// Keys that differ from the one before, and those that lie above or below all before.
    changes: u64,
    above: u64,
    below: u64,
    /// The beginnings of some, evenly over the file.
    sample: EvenSample<Box<[u8]>>,
}

impl FileOrder {
    /// The next key of the file.
    pub fn see(&mut self, key: &[u8]) {
        if *self.last == *key {
            return;
        }
        self.sample.see(|| key[..key.len().min(BYTES)].into());
        let is_first = self.last.is_empty();
        let is_above = *self.greatest < *key;
        let is_below = is_first || *self.least > *key;
        for (is_new, count, place) in [
            (true, &mut self.changes, &mut self.last),
            (is_above, &mut self.above, &mut self.greatest),
            (is_below, &mut self.below, &mut self.least),
        ] {
            if is_new {
                *count += u64::from(!is_first);
                place.clear();
                place.extend_from_slice(key);
            }
        }
    }
}

/// What weighted keys look like. Shares are of their weight.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KeySurvey {
    /// Distinct keys.
    pub distinct: usize,
    /// Bytes of the shortest and the longest key.
    pub lengths: [usize; 2],
    /// The smallest alphabet that has all bytes of them.
    pub alphabet: &'static str,
    /// The part of the keys that lies above all before them in the file; `None` where there are too few.
    pub rising: Option<f64>,
    /// The part that lies below all before them.
    pub falling: Option<f64>,
    /// How well they rise with the file, whatever neighbours do: the correlation of ranks, from -1 to 1.
    pub order: Option<f64>,
    /// The time that they hold.
    pub time: Option<TimeInKeys>,
    /// Bytes that fill them up.
    pub padding: Option<Padding>,
    /// The salt that leads them.
    pub salt: Option<Salt>,
    /// Whether the first two bytes are spread over their alphabet as those of a hash are.
    pub leads_with_hash: bool,
    /// Byte by byte from the left, at most 64.
    pub bytes: Vec<KeyByte>,
}

/// A time that stands in nearly all keys.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimeInKeys {
    /// Its form.
    pub form: &'static str,
    /// Its first byte, from 0.
    pub at: usize,
    /// Whether no byte before it differs from key to key.
    pub leads: bool,
    /// Days of the earliest and the latest, `2026-01-01`.
    pub days: [String; 2],
}

/// Bytes that fill keys up to their length.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Padding {
    /// `left` or `right`.
    pub side: &'static str,
    /// The byte.
    pub byte: u8,
    /// How many of them nearly all keys have.
    pub bytes: usize,
}

/// Few values, evenly spread, before bytes that are not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Salt {
    /// Its bytes.
    pub bytes: usize,
    /// Its values.
    pub values: usize,
}

/// What keys hold at one place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KeyByte {
    /// Share of the keys that are as long.
    pub share: f64,
    /// Values that occur.
    pub values: usize,
    /// Shannon's entropy of the byte by itself, in bits: 0 ..= 8.
    pub bits: f64,
    /// The most frequent value.
    pub top: u8,
    /// Its share.
    pub top_share: f64,
}

/// A name, the values of a byte in a place that is evenly spread, and what belongs to it.
type Alphabet = (&'static str, u32, fn(u8) -> bool);

/// From small to great.
const ALPHABETS: [Alphabet; 7] = [
    ("decimal digits", 10, |byte| byte.is_ascii_digit()),
    ("lower-case hex", 16, |it| b"0123456789abcdef".contains(&it)),
    ("upper-case hex", 16, |it| b"0123456789ABCDEF".contains(&it)),
    ("letters and digits", 62, |it| it.is_ascii_alphanumeric()),
    ("base64", 64, |byte| {
        byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte)
    }),
    ("printable text", 95, |byte| matches!(byte, 0x20..=0x7E)),
    ("binary", 256, |_| true),
];

/// A form of times: its name, its bytes, and the seconds since 1970 that they stand for.
type TimeForm = (&'static str, usize, fn(&[u8]) -> Option<f64>);

/// Those that say more come first: digits of a date are those of a number as well.
const TIME_FORMS: [TimeForm; 9] = [
    ("ms as be8", 8, |bytes| Some(big_endian(bytes) / 1e3)),
    ("Long.MAX_VALUE - ms as be8", 8, |bytes| {
        Some((i64::MAX as f64 - big_endian(bytes)) / 1e3)
    }),
    ("ISO date", 10, |bytes| {
        let dashes = bytes[4] == b'-' && bytes[7] == b'-';
        let digits = [&bytes[..4], &bytes[5..7], &bytes[8..]].concat();
        dashes.then(|| civil(&digits)).flatten()
    }),
    ("yyyyMMdd", 8, civil),
    ("ms in 13 digits", 13, |bytes| {
        decimal(bytes).map(|ms| ms / 1e3)
    }),
    ("Long.MAX_VALUE - ms in 19 digits", 19, |bytes| {
        decimal(bytes).map(|ms| (i64::MAX as f64 - ms) / 1e3)
    }),
    ("s in 10 digits", 10, decimal),
    // As UUIDs of version 7 begin.
    ("ms as be6", 6, |bytes| Some(big_endian(bytes) / 1e3)),
    // Text has such numbers as well.
    ("s as be4", 4, |bytes| {
        (!bytes.iter().all(u8::is_ascii_graphic)).then(|| big_endian(bytes))
    }),
];

/// Times that are believed: 2010 to 2035, in seconds; a bar before a number would be 2036. Of random bytes 18 % are such a be4, and none of the longer forms.
const BELIEVED: std::ops::Range<f64> = 1_262_304_000.0..2_051_222_400.0;

fn big_endian(bytes: &[u8]) -> f64 {
    let digits = bytes.iter().map(|byte| f64::from(*byte));
    digits.fold(0.0, |number, digit| number * 256.0 + digit)
}

fn decimal(bytes: &[u8]) -> Option<f64> {
    let mut digits = bytes.iter().map(|byte| char::from(*byte).to_digit(10));
    digits.try_fold(0.0, |number, digit| Some(number * 10.0 + f64::from(digit?)))
}

/// Seconds of a day in eight digits.
fn civil(digits: &[u8]) -> Option<f64> {
    decimal(digits)?;
    let text = std::str::from_utf8(digits).ok()?;
    let date = jiff::civil::Date::strptime("%Y%m%d", text).ok()?;
    let zoned = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(zoned.timestamp().as_second() as f64)
}

impl KeySurvey {
    /// Looks at sorted, distinct keys with their weights, and the order in which their file has them; `None` without any. O(bytes).
    pub fn of(keys: &[(&[u8], u64)], order: &FileOrder) -> Option<Self> {
        let lengths = keys.iter().map(|(key, _)| key.len());
        let lengths = [lengths.clone().min()?, lengths.max()?];
        let total: u64 = keys.iter().map(|(_, weight)| weight).sum();
        let has_all =
            |has: fn(u8) -> bool| keys.iter().all(|(key, _)| key.iter().copied().all(has));
        let (alphabet, size, _) = ALPHABETS.into_iter().find(|(.., has)| has_all(*has))?;
        let counts = counts(keys);
        let bytes: Vec<KeyByte> = counts.iter().map(|it| KeyByte::of(it, total)).collect();
        // A place tells as much as an alphabet can.
        let most = f64::from(size.min(u32::try_from(keys.len()).unwrap_or(size)));
        let is_even = |byte: &KeyByte| byte.values > 1 && byte.bits >= EVEN * libm::log2(most);
        let enough = keys.len() as u64 >= KEYS_A_VALUE;
        let leads_with_hash = enough && bytes.len() > 1 && bytes[..2].iter().all(is_even);
        let part = |of: u64| {
            let told = order.changes >= LEAST_ORDER;
            told.then(|| of as f64 / order.changes as f64)
        };
        let (rising, falling) = (part(order.above), part(order.below));
        let places = order.sample.kept().enumerate();
        let places: Vec<(usize, &Box<[u8]>)> = places.collect();
        let correlation = (order.changes >= LEAST_ORDER).then(|| rank_correlation(&places));
        let is_little = |part: Option<f64>| part.is_some_and(|part| part < LEADING);
        let time = time(keys, &bytes, total, is_little(rising) && is_little(falling));
        Some(Self {
            distinct: keys.len(),
            lengths,
            alphabet,
            rising,
            falling,
            order: correlation,
            padding: padding(&bytes, lengths).filter(|_| time.as_ref().is_none_or(|it| it.at > 0)),
            salt: salt(keys, &bytes, total).filter(|_| !leads_with_hash),
            time,
            leads_with_hash,
            bytes,
        })
    }

    /// Whether the keys of the file stand in its order. Of keys in their own order that says nothing: a scan gives any keys so.
    pub fn is_sorted(&self) -> bool {
        [self.rising, self.falling].contains(&Some(1.0))
    }

    /// Whether new keys lie above all others, or below: a time leads, or most of a file that is not just sorted do.
    pub fn is_time_led(&self) -> bool {
        let leads = |part: Option<f64>| part.is_some_and(|part| part >= LEADING);
        let is_ordered = self.order.is_some_and(|it| it.abs() >= ORDERED);
        let follows =
            !self.is_sorted() && (leads(self.rising) || leads(self.falling) || is_ordered);
        follows || self.time.as_ref().is_some_and(|time| time.leads)
    }
}

/// Weight by byte value, at each place.
fn counts(keys: &[(&[u8], u64)]) -> Vec<[u64; 256]> {
    let mut counts: Vec<[u64; 256]> = Vec::new();
    for (key, weight) in keys {
        let shown = key.len().min(BYTES);
        if counts.len() < shown {
            counts.resize(shown, [0; 256]);
        }
        for (place, byte) in counts.iter_mut().zip(*key) {
            place[usize::from(*byte)] += weight;
        }
    }
    counts
}

impl KeyByte {
    fn of(counts: &[u64; 256], total: u64) -> Self {
        let here: u64 = counts.iter().sum();
        let (top, most) = (0..=255u8)
            .zip(counts)
            .max_by_key(|(byte, count)| (**count, 255 - byte))
            .unwrap_or((0, &0));
        Self {
            share: here as f64 / total.max(1) as f64,
            values: counts.iter().filter(|count| **count > 0).count(),
            bits: entropy(counts.iter().copied()),
            top,
            top_share: *most as f64 / here.max(1) as f64,
        }
    }
}

/// Shannon's entropy of what is spread so, in bits.
fn entropy(weights: impl Iterator<Item = u64> + Clone) -> f64 {
    let total = weights.clone().sum::<u64>() as f64;
    let shares = weights.filter(|it| *it > 0).map(|it| it as f64 / total);
    // Not -0 of a single value.
    shares.fold(0.0, |bits, share| bits - share * libm::log2(share))
}

/// The first form of a time that all keys have. Seconds are numbers such as others: where they lead keys `in_no_order`, they are none.
fn time(
    keys: &[(&[u8], u64)],
    bytes: &[KeyByte],
    total: u64,
    in_no_order: bool,
) -> Option<TimeInKeys> {
    let at_all = (0..TIMES).flat_map(|at| TIME_FORMS.map(|form| (at, form)));
    at_all.into_iter().find_map(|(at, (form, width, read))| {
        let (mut found, mut missing) = (Vec::new(), 0);
        for (key, weight) in keys {
            let seconds = key.get(at..at + width).and_then(read);
            let seconds = seconds.filter(|it| BELIEVED.contains(it));
            match seconds {
                Some(seconds) => found.push(seconds),
                None => missing += weight,
            }
            // Most forms are out after a few keys.
            if missing as f64 > (1.0 - NEARLY_ALL) * total as f64 {
                return None;
            }
        }
        found.sort_unstable_by(f64::total_cmp);
        let (first, last) = (found.first()?, found.last()?);
        // A constant says no time but in the form of a date; nor do four bytes that take most of the values that their beginning leaves: those of a time lie together.
        let alike = bytes[at..at + width]
            .iter()
            .take_while(|byte| byte.values == 1);
        let left = width - alike.count();
        let most = libm::exp2(8.0 * left as f64);
        let is_date = ["ISO date", "yyyyMMdd"].contains(&form);
        let leads = bytes[..at].iter().all(|byte| byte.values == 1);
        // The end of a text and the beginning of a number differ in front only.
        let stands = bytes[at + width - 1].values == 1;
        let is_no_be4 = width == 4 && (stands || last - first >= RANDOM * most);
        if !is_date && (left == 0 || is_no_be4) || leads && in_no_order && form.starts_with("s ") {
            return None;
        }
        let day = |seconds: &f64| {
            let instant = jiff::Timestamp::from_second(*seconds as i64).ok()?;
            Some(instant.strftime("%Y-%m-%d").to_string())
        };
        Some(TimeInKeys {
            form,
            at,
            leads,
            days: [day(first)?, day(last)?],
        })
    })
}

/// Places at an end that nearly all keys fill with the same byte. Only keys of one length are filled up.
fn padding(bytes: &[KeyByte], [shortest, longest]: [usize; 2]) -> Option<Padding> {
    let run = |side, end: &mut dyn Iterator<Item = &KeyByte>| {
        let mut end = end.peekable();
        let byte = end.peek()?.top;
        let fills = |it: &&KeyByte| it.top == byte && it.top_share >= NEARLY_ALL;
        let bytes = end.take_while(fills).count();
        let is_filler = [b'0', b' ', 0].contains(&byte) && bytes > 0;
        is_filler.then_some(Padding { side, byte, bytes })
    };
    let is_whole = shortest == longest && longest == bytes.len();
    let right = || run("right", &mut bytes.iter().rev());
    run("left", &mut bytes.iter())
        .or_else(right)
        .filter(|_| is_whole)
}

fn salt(keys: &[(&[u8], u64)], bytes: &[KeyByte], total: u64) -> Option<Salt> {
    (1..=2).find_map(|width| {
        let next = bytes.get(width)?;
        let mut values: BTreeMap<&[u8], u64> = BTreeMap::new();
        for (key, weight) in keys {
            *values.entry(&key[..width.min(key.len())]).or_default() += weight;
        }
        let is_few =
            (2..=256).contains(&values.len()) && total >= KEYS_A_VALUE * values.len() as u64;
        // Two bytes are digits of one number: another salt than one byte whose values are evenly spread.
        let is_number = width == 1 || values.keys().all(|it| it.iter().all(u8::is_ascii_digit));
        let evenness = entropy(values.values().copied()) / libm::log2(values.len() as f64);
        // Of an evenly spread number the next digit is even as well.
        let ends = next.values == 1 || next.bits < EVEN * libm::log2(next.values as f64);
        (is_few && is_number && evenness >= EVEN && ends).then_some(Salt {
            bytes: width,
            values: values.len(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{DrawKey, Draws, Seed, Stream};
    use crate::text::hex;

    /// 2026-03-03T10:00:00Z.
    const START_MS: u64 = 1_772_532_000_000;

    /// The survey of 2,000 keys in the order in which they are made.
    fn survey(key: impl Fn(u64, &mut Draws) -> Vec<u8>) -> KeySurvey {
        let draws = DrawKey::new(Seed(5), 0, Stream::Keys, 0);
        let (mut keys, mut order) = (BTreeMap::new(), FileOrder::default());
        for at in 0..2_000 {
            let key = key(at, &mut draws.at(at));
            order.see(&key);
            *keys.entry(key).or_insert(0) += 1;
        }
        let keys: Vec<(&[u8], u64)> = keys
            .iter()
            .map(|(key, weight)| (&key[..], *weight))
            .collect();
        KeySurvey::of(&keys, &order).unwrap()
    }

    fn random(draw: &mut Draws) -> [u8; 8] {
        draw.bits().to_be_bytes()
    }

    #[test]
    fn each_form_of_a_time_is_told_with_its_place_and_its_days() {
        type Write = fn(u64, &mut Draws) -> Vec<u8>;
        let forms: [(&str, usize, bool, Write); 10] = [
            ("ms as be8", 0, true, |ms, draw| {
                [&ms.to_be_bytes()[..], &random(draw)].concat()
            }),
            ("Long.MAX_VALUE - ms as be8", 2, false, |ms, draw| {
                [&random(draw)[..2], &(i64::MAX as u64 - ms).to_be_bytes()].concat()
            }),
            ("ISO date", 4, true, |ms, _| {
                format!("evt|{}T{ms}", day(ms, "%Y-%m-%d")).into()
            }),
            ("yyyyMMdd", 0, true, |ms, _| {
                format!("{}{:07}", day(ms, "%Y%m%d"), ms / 1_000 % 1_000_000).into()
            }),
            ("ms in 13 digits", 0, true, |ms, draw| {
                format!("{ms}-{}", draw.below(90)).into()
            }),
            ("Long.MAX_VALUE - ms in 19 digits", 5, false, |ms, draw| {
                format!("{:04}-{}", draw.below(10_000), i64::MAX as u64 - ms).into()
            }),
            ("s in 10 digits", 0, true, |ms, _| {
                (ms / 1_000).to_string().into()
            }),
            ("s as be4", 0, true, |ms, draw| {
                [&(ms as u32 / 1_000).to_be_bytes()[..], &random(draw)].concat()
            }),
            ("ms as be6", 0, true, |ms, draw| {
                [&ms.to_be_bytes()[2..], &random(draw)].concat()
            }),
            ("s as be4", 3, false, |ms, draw| {
                [
                    &[0, 0, draw.below(9) as u8][..],
                    &((ms / 1_000) as u32).to_be_bytes(),
                    &[0],
                ]
                .concat()
            }),
        ];
        for (form, at, leads, write) in forms {
            // Half an hour apart each: 41.7 days, of which the last is 2026-04-14.
            let is_seconds = form == "s as be4" && at == 0;
            let found = survey(|n, draw| match is_seconds {
                true => [
                    &((START_MS / 1_000 + n * 1_800) as u32).to_be_bytes()[..],
                    &random(draw),
                ]
                .concat(),
                false => write(START_MS + n * 1_800_000, draw),
            });
            let time = found.time.clone().unwrap_or_else(|| panic!("{form}"));
            assert_eq!((time.form, time.at, time.leads), (form, at, leads));
            assert_eq!(time.days, ["2026-03-03", "2026-04-14"], "{form}");
            assert!(found.is_time_led() || !leads, "{form}");
        }
    }

    fn day(ms: u64, pattern: &str) -> String {
        let instant = jiff::Timestamp::from_millisecond(ms as i64).unwrap();
        instant.strftime(pattern).to_string()
    }

    #[test]
    fn what_is_no_time_is_not_taken_for_one() {
        type Write = fn(u64, &mut Draws) -> Vec<u8>;
        let keys: [(&str, Write); 7] = [
            ("random bytes", |_, draw| random(draw).into()),
            ("a hash in hex", |_, draw| hex(&random(draw)).into()),
            // Letters would be a be4 of 2021 to 2034.
            ("text", |_, draw| {
                format!("customer{:05}", draw.below(20_000)).into()
            }),
            ("a number", |_, draw| {
                format!("{:010}", draw.below(2_000_000)).into()
            }),
            // `t\x80\x00\x00` would be 2031-12-09, and `j_r` with a random byte 2026-07-21.
            ("a record of TiDB", |_, draw| {
                [b"t\x80\0\0\0\0\0\0j_r", &random(draw)[..]].concat()
            }),
            // Its row ids have a bit in front that is set, and five that are drawn.
            ("a record of TiDB that is spread", |n, draw| {
                let spread = 0x80 | (draw.below(32) as u8) << 2;
                [
                    b"t\x80\0\0\0\0\0\0j_r",
                    &[spread, 0, 0][..],
                    &(n as u32).to_be_bytes(),
                ]
                .concat()
            }),
            // `em\0` with a random byte would be 2023-12-03, `m\0` with two 2027-12-12.
            ("a name before a hash", |_, draw| {
                [b"item\0", &random(draw)[..4]].concat()
            }),
        ];
        for (name, write) in keys {
            let found = survey(write);
            assert_eq!(found.time, None, "{name}");
            assert!(!found.is_time_led(), "{name}");
            assert_eq!(found.salt, None, "{name}");
        }
    }

    #[test]
    fn the_end_of_a_text_and_the_beginning_of_a_number_are_no_time() {
        // `v09\x7F` would be 2032, and `web0` with a zero byte 2023.
        let device = |draw: &mut Draws| format!("dev{:02}", draw.below(10)).into_bytes();
        let ms = |n: u64| START_MS + n * 250;
        let seconds = |n: u64| (ms(n) / 1_000) as u32;
        let time = |found: &KeySurvey| found.time.as_ref().map(|it| (it.form, it.at));
        let reversed = survey(|n, draw| {
            let reversed = i64::MAX as u64 - ms(n);
            [device(draw), reversed.to_be_bytes().into()].concat()
        });
        assert_eq!(time(&reversed), Some(("Long.MAX_VALUE - ms as be8", 5)));
        let shorter = survey(|n, draw| {
            let web = format!("web{}", draw.below(10)).into_bytes();
            [web, ms(n).to_be_bytes().into()].concat()
        });
        assert_eq!(time(&shorter), Some(("ms as be8", 4)));
        let newest = survey(|n, draw| [device(draw), (!seconds(n)).to_be_bytes().into()].concat());
        assert_eq!(time(&newest), None);
        // Ids that look like seconds of 2020 to 2023, in any order; `r` and an id below 2,000 would be 2030.
        let phones = survey(|_, draw| format!("16{:08}", draw.below(100_000_000)).into());
        let ids =
            survey(|_, draw| [&b"user"[..], &(draw.below(2_000) as u32).to_be_bytes()].concat());
        assert_eq!((time(&phones), time(&ids)), (None, None));
        let bar = survey(|n, draw| [&device(draw)[..], b"|", &seconds(n).to_be_bytes()].concat());
        assert_eq!(time(&bar), Some(("s as be4", 6)));
        for found in [reversed, shorter, newest, phones, ids, bar] {
            assert!(!found.is_time_led());
        }
    }

    #[test]
    fn keys_that_rise_with_their_file_follow_time_unless_it_is_just_sorted() {
        // Ids of a sequence, one in twenty late.
        let late = survey(|n, draw| {
            format!(
                "{:08}",
                10_000 + n - if draw.below(20) == 0 { 50.min(n) } else { 0 }
            )
            .into()
        });
        assert!(
            late.rising > Some(0.9) && late.is_time_led(),
            "{:?}",
            late.rising
        );
        let newest_first = survey(|n, draw| format!("{:08}", 9_000 - n + draw.below(3)).into());
        assert!(newest_first.falling > Some(0.3) && newest_first.rising < Some(0.01));
        // Twenty a second of which the rest is random: few lie above all before them, and yet each second above the last.
        let blocks = survey(|n, draw| format!("u{:04}{:06}", n / 20, draw.below(1_000_000)).into());
        assert!(
            blocks.rising < Some(LEADING) && blocks.order > Some(0.99) && blocks.is_time_led(),
            "{:?}",
            blocks.order
        );
        let sorted = survey(|n, _| format!("{:08}", 10_000 + n).into());
        assert!(sorted.is_sorted() && !sorted.is_time_led());
        let shuffled = survey(|_, draw| format!("{:08}", draw.below(5_000)).into());
        // The n-th of 2,000 is the greatest so far with a probability of 1 / n: 8 in all, and more than 30 in no seed.
        assert!(shuffled.rising < Some(0.015) && !shuffled.is_time_led());
        // 499 of 500 neighbours rise where devices report in turn, and none but those of the first round is above all.
        let in_turn = survey(|n, _| format!("host{:03}-{}", n % 500, START_MS + n).into());
        assert!(!in_turn.is_time_led(), "{:?}", in_turn.rising);
    }

    #[test]
    fn a_salt_is_told_from_a_hash_and_from_what_is_not_even() {
        let salt = |found: KeySurvey| found.salt.map(|it| (it.bytes, it.values));
        let time = |n: u64| (START_MS + n).to_be_bytes();
        let binary = survey(|n, draw| [&[draw.below(8) as u8][..], &time(n)].concat());
        assert!(!binary.time.as_ref().unwrap().leads);
        assert_eq!(salt(binary), Some((1, 8)));
        let text = survey(|n, draw| format!("{:02}-user{:05}", draw.below(12), n % 700).into());
        assert_eq!(salt(text), Some((2, 12)));
        let hash = survey(|_, draw| hex(&random(draw)).into());
        assert!(hash.leads_with_hash && hash.alphabet == "lower-case hex");
        assert_eq!(salt(hash), None);
        let number = survey(|_, draw| format!("{:05}", draw.below(60_000)).into());
        assert_eq!(salt(number), None);
        let uneven = survey(|_, draw| {
            format!(
                "{}-user",
                ["de", "us", "us", "us", "us", "us", "us", "fr"][draw.below(8) as usize]
            )
            .into()
        });
        assert_eq!(salt(uneven), None);
    }

    #[test]
    fn padding_alphabets_and_entropies_are_those_of_the_keys() {
        let padded = survey(|_, draw| format!("{:012}", draw.below(1_000)).into());
        assert_eq!(
            padded.padding,
            Some(Padding {
                side: "left",
                byte: b'0',
                bytes: 9
            })
        );
        assert_eq!(
            (padded.alphabet, padded.lengths),
            ("decimal digits", [12, 12])
        );
        let right =
            survey(|n, _| format!("{:<10}", ["ann", "bob", "carolin"][n as usize % 3]).into());
        assert_eq!(
            right.padding,
            Some(Padding {
                side: "right",
                byte: b' ',
                bytes: 3
            })
        );
        let open = survey(|n, _| vec![b'x'; 1 + n as usize % 70]);
        assert_eq!(
            (open.padding, open.lengths, open.bytes.len()),
            (None, [1, 70], 64)
        );
        let entropies = survey(|n, _| vec![b'c', (n % 4) as u8, if n % 8 == 0 { 1 } else { 2 }]);
        let bits: Vec<f64> = entropies.bytes.iter().map(|it| it.bits).collect();
        // One in eight: 1/8 * 3 + 7/8 * log2(8/7).
        let uneven = 0.375 + 0.875 * (8.0f64 / 7.0).log2();
        assert_eq!(bits[..2], [0.0, 2.0]);
        assert!((bits[2] - uneven).abs() < 1e-12, "{bits:?}");
        assert_eq!(
            (entropies.bytes[2].top, entropies.bytes[2].top_share),
            (2, 0.875)
        );
    }
}
