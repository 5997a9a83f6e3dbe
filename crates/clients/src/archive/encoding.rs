//! Files in UTF-16, as PowerShell writes what a client prints: read as UTF-8.
//!
//! Only a mark of byte order tells for certain. A file that looks like UTF-16 without one is refused, because guessing
//! would make nonsense of other files.

use std::{
    borrow::Cow,
    io::{self, BufRead, Read},
};

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
    fn decode(self, bytes: &[u8]) -> String {
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

/// A reader that gives a UTF-16 source as UTF-8, or another source as it is.
pub(super) struct Utf8Reader<R> {
    source: R,
    order: Option<Utf16Order>,
    /// What is decoded, and how much of it was given.
    text: Vec<u8>,
    given: usize,
}

impl<R: BufRead> Utf8Reader<R> {
    pub(super) fn new(source: R, order: Option<Utf16Order>) -> Self {
        Self {
            source,
            order,
            text: Vec::new(),
            given: 0,
        }
    }

    /// Decodes the next units; nothing at the end of the source.
    fn decode_more(&mut self, order: Utf16Order) -> io::Result<()> {
        const BYTES: u64 = 64 * 1024;
        let mut units = Vec::new();
        self.source.by_ref().take(BYTES).read_to_end(&mut units)?;
        // A pair of halves must not be torn.
        let is_half = |units: &[u8]| {
            let last = units.last_chunk::<2>().map(|pair| order.join(*pair));
            matches!(last, Some(0xd800..=0xdbff))
        };
        if is_half(&units) {
            self.source.by_ref().take(2).read_to_end(&mut units)?;
        }
        self.text = order.decode(&units).into_bytes();
        self.given = 0;
        Ok(())
    }
}

impl<R: BufRead> BufRead for Utf8Reader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let Some(order) = self.order else {
            return self.source.fill_buf();
        };
        if self.given == self.text.len() {
            self.decode_more(order)?;
        }
        Ok(&self.text[self.given..])
    }

    fn consume(&mut self, count: usize) {
        match self.order {
            Some(_) => self.given += count,
            None => self.source.consume(count),
        }
    }
}

impl<R: BufRead> Read for Utf8Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
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
            let order = Utf16Order::detect(&bytes).unwrap();
            let mut read = String::new();
            Utf8Reader::new(&bytes[..], order)
                .read_to_string(&mut read)
                .unwrap();
            assert_eq!(read, text);
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
