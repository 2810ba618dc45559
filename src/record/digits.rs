//! Whole numbers in decimal. Must not know what they number.

/// Appends decimal digits, zero-padded to `width`.
pub(super) fn write_digits(number: u64, width: usize, out: &mut Vec<u8>) {
    let digits = number.checked_ilog10().map_or(1, |log| log as usize + 1);
    let start = out.len();
    out.resize(start + digits.max(width), b'0');
    let mut rest = number;
    for place in out[start..].iter_mut().rev().take(digits) {
        *place = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
}

/// The same with a sign where it is negative.
pub(super) fn write_signed(number: i64, out: &mut Vec<u8>) {
    if number < 0 {
        out.push(b'-');
    }
    write_digits(number.unsigned_abs(), 1, out);
}
