//! Decimal digits of numbers, two at a time, into places for them.

const PAIRS: [u8; 200] = {
    let mut pairs = [0u8; 200];
    let mut at = 0;
    while at < 100 {
        pairs[2 * at] = b'0' + (at / 10) as u8;
        pairs[2 * at + 1] = b'0' + (at % 10) as u8;
        at += 1;
    }
    pairs
};

/// The two digits of a number below 100.
pub fn digit_pair(number: u8) -> [u8; 2] {
    let at = 2 * usize::from(number);
    [PAIRS[at], PAIRS[at + 1]]
}

/// Appends the decimal text of `value`, after as many `pad`s as make it `width` bytes long.
pub fn push_decimal(value: i64, width: usize, pad: u8, out: &mut Vec<u8>) {
    const MOST: usize = 20;
    let mut digits = [pad; MOST];
    let start = decimal(value, &mut digits);
    if width > MOST {
        out.resize(out.len() + width - MOST, pad);
    }
    out.extend_from_slice(&digits[start.min(MOST.saturating_sub(width))..]);
}

/// Writes the decimal text of `value` to the end of `digits`; the place where it starts.
fn decimal(value: i64, digits: &mut [u8; 20]) -> usize {
    let mut rest = value.unsigned_abs();
    let mut at = 20;
    while rest >= 100 {
        at -= 2;
        digits[at..at + 2].copy_from_slice(&digit_pair((rest % 100) as u8));
        rest /= 100;
    }
    if rest >= 10 {
        at -= 2;
        digits[at..at + 2].copy_from_slice(&digit_pair(rest as u8));
    } else {
        at -= 1;
        digits[at] = b'0' + rest as u8;
    }
    if value < 0 {
        at -= 1;
        digits[at] = b'-';
    }
    at
}

/// Decimal digits, right-aligned after `pad`s.
pub fn digits(value: u64, pad: u8, place: &mut [u8]) {
    let mut rest = value;
    // Most parts of dates and times.
    if let (b'0', [tens, ones]) = (pad, &mut *place) {
        [*tens, *ones] = digit_pair((rest % 100) as u8);
        return;
    }
    let mut pairs = place.rchunks_exact_mut(2);
    for pair in &mut pairs {
        pair.copy_from_slice(&digit_pair((rest % 100) as u8));
        rest /= 100;
    }
    if let [digit] = pairs.into_remainder() {
        *digit = b'0' + (rest % 10) as u8;
    }
    if pad != b'0' {
        let zeros = place.iter().take_while(|digit| **digit == b'0').count();
        let zeros = zeros.min(place.len().saturating_sub(1));
        place[..zeros].fill(pad);
    }
}

/// Decimal digits from the last to the first, left-aligned before zeros.
pub fn digits_reversed(value: u64, place: &mut [u8]) {
    let mut rest = value;
    let mut pairs = place.chunks_exact_mut(2);
    for pair in &mut pairs {
        let [tens, ones] = digit_pair((rest % 100) as u8);
        pair.copy_from_slice(&[ones, tens]);
        rest /= 100;
    }
    if let [digit] = pairs.into_remainder() {
        *digit = b'0' + (rest % 10) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(width: usize, write: impl FnOnce(&mut [u8])) -> String {
        let mut place = vec![b'?'; width];
        write(&mut place);
        String::from_utf8(place).unwrap()
    }

    #[test]
    fn every_form_writes_the_digits_of_its_number() {
        let numbers = [0, 7, 10, 99, 100, 4_096, 123_456_789, u64::MAX];
        for number in numbers {
            let text = number.to_string();
            let backwards: String = text.chars().rev().collect();
            for width in text.len()..=21 {
                assert_eq!(
                    written(width, |place| digits(number, b'0', place)),
                    format!("{number:0width$}")
                );
                assert_eq!(
                    written(width, |place| digits_reversed(number, place)),
                    format!("{backwards:0<width$}")
                );
                assert_eq!(
                    written(width, |place| digits(number, b' ', place)),
                    format!("{number:width$}")
                );
            }
        }
        for number in [0, 9, 10, 99, 100, -1, -640, i64::MAX, i64::MIN] {
            let mut place = [0; 20];
            let start = decimal(number, &mut place);
            assert_eq!(place[start..], *number.to_string().as_bytes());
        }
    }
}
