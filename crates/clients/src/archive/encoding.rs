//! Files in UTF-16, as PowerShell writes what a client prints: read as UTF-8.
//!
//! Only a mark of byte order tells for certain. A file that looks like UTF-16 without one is refused, because guessing
//! would make nonsense of other files.

use std::{borrow::Cow, io};

/// The order of the two bytes of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Utf16Order {
    Little,
    Big,
}

impl Utf16Order {
    /// Detects UTF-16 by its mark; `None` for any other file.
    ///
    /// # Errors
    ///
    /// `InvalidData` for a file that is UTF-16 by its looks and has no mark.
    pub(super) fn detect(head: &[u8]) -> io::Result<Option<Self>> {
        match head {
            [0xff, 0xfe, ..] => Ok(Some(Self::Little)),
            [0xfe, 0xff, ..] => Ok(Some(Self::Big)),
            [b'{' | b'[', 0, _, 0, ..] | [0, b'{' | b'[', 0, _, ..] => {
                let message = "it is UTF-16 without a mark of byte order; convert it to UTF-8";
                Err(io::Error::new(io::ErrorKind::InvalidData, message))
            }
            _ => Ok(None),
        }
    }

    fn join(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        }
    }

    /// Decodes units; what is no character becomes `\u{fffd}`. The mark is left out.
    pub(super) fn decode(self, bytes: &[u8]) -> String {
        let (pairs, _) = bytes.as_chunks::<2>();
        let units = pairs.iter().map(|pair| self.join(*pair));
        char::decode_utf16(units.filter(|unit| *unit != 0xfeff))
            .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    }
}

/// Returns the beginning of a file as UTF-8.
pub(super) fn to_utf8(head: &[u8]) -> Cow<'_, [u8]> {
    match Utf16Order::detect(head) {
        Ok(Some(order)) => Cow::Owned(order.decode(head).into_bytes()),
        _ => Cow::Borrowed(head),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf16_with_a_mark_is_read() {
        let text = format!("{{\"a\":\"é🦀{}\"}}\n", "🦀x".repeat(30_000));
        let units: Vec<u16> = "\u{feff}"
            .encode_utf16()
            .chain(text.encode_utf16())
            .collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        for bytes in [little, big] {
            let order = Utf16Order::detect(&bytes).unwrap().unwrap();
            assert_eq!(order.decode(&bytes), text);
            assert_eq!(&to_utf8(&bytes)[..], text.as_bytes());
        }
    }

    #[test]
    fn other_files_are_left_alone_and_utf16_without_a_mark_is_named() {
        for plain in [&b"{\"a\":1}"[..], b"", b"\0\0\0\0", b"[1]"] {
            assert_eq!(Utf16Order::detect(plain).unwrap(), None);
        }
        for unmarked in [&b"{\0\"\0"[..], b"\0{\0\"", b"[\0\r\0\n\0"] {
            let error = Utf16Order::detect(unmarked).unwrap_err();
            assert!(error.to_string().contains("UTF-16"), "{error}");
        }
    }
}
