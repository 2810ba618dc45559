//! Bytes as hexadecimal digits. Must not know what they are.

/// Lower-case digits, two a byte.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| char::from(DIGITS[usize::from(half)]);
    let pairs = bytes
        .iter()
        .map(|byte| [digit(byte >> 4), digit(byte & 15)]);
    pairs.flatten().collect()
}

/// The bytes of an even number of digits, in small letters or capitals; `None` of anything else.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.chars().map(|digit| Some(digit.to_digit(16)? as u8));
    let digits: Vec<u8> = digits.collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2);
    (pairs.remainder().is_empty()).then(|| pairs.map(|pair| 16 * pair[0] + pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_come_back_from_their_digits(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let digits = hex(&bytes);
            prop_assert_eq!(digits.len(), 2 * bytes.len());
            prop_assert_eq!(unhex(&digits.to_uppercase()), Some(bytes));
        }
    }

    #[test]
    fn what_is_no_pair_of_digits_is_no_byte() {
        assert_eq!(hex(&[0, 0x0a, 0xff]), "000aff");
        for text in ["a", "abc", "0g", "é0", "+1", " 1"] {
            assert_eq!(unhex(text), None, "{text}");
        }
    }
}
