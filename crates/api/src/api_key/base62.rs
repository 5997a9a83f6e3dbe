//! Numbers written in letters and digits, so that a double click selects a key and no address has to escape it.

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Writes the last `count` digits of a number that is given as bytes, the most significant first.
pub(super) fn write_digits(number: &[u8], count: usize) -> String {
    let mut rest = number.to_vec();
    let mut digits: Vec<char> = (0..count)
        .map(|_| char::from(DIGITS[usize::from(take_digit(&mut rest))]))
        .collect();
    digits.reverse();
    digits.into_iter().collect()
}

/// Divides the number by 62 and returns the remainder.
fn take_digit(number: &mut [u8]) -> u8 {
    number.iter_mut().fold(0, |carry: u8, byte| {
        let part = u16::from(carry) << 8 | u16::from(*byte);
        *byte = u8::try_from(part / 62).expect("the carry is below 62");
        u8::try_from(part % 62).expect("a remainder is below 62")
    })
}

/// Returns whether a text consists of exactly so many digits.
pub(super) fn is_number(text: &str, count: usize) -> bool {
    text.len() == count && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_padded_and_cut_at_the_left() {
        for (number, count, expected) in [
            (&[0][..], 3, "000"),
            (&[61], 2, "0z"),
            (&[62], 2, "10"),
            (&[0xff, 0xff, 0xff, 0xff], 6, "4gfFC3"),
            (&[0xff, 0xff, 0xff, 0xff], 2, "C3"),
        ] {
            assert_eq!(write_digits(number, count), expected, "{number:?}");
        }
    }
}
