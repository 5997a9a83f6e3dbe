//! Searches a file of any size and any bytes, piece by piece.
//!
//! Pieces overlap, so that nothing is halved between two of them. UTF-16 is read as such; bytes that are no text are
//! passed over without moving what is behind them. Of a binary file the readable parts are searched, for what its own
//! form shows to be a secret, for home folders and for names.

use super::{
    LeakScan, LeakScanner, PathClass,
    scan::{NO_TEXT, TextPart},
};

/// How much of a file is searched at once, in bytes.
const PIECE_BYTES: usize = 1 << 20;
/// How much of the next piece is read along, in bytes: the longest find.
const AHEAD_BYTES: usize = 64 << 10;
/// How much of the previous piece is read again, in bytes: what tells that a value is a secret.
const BEHIND_BYTES: usize = 8 << 10;
/// How much of a file shows whether it is binary, in bytes, as `git` has it.
const HEAD_BYTES: usize = 8000;
/// The most findings of one file. More only say the same again.
const FINDINGS_MAX: usize = 1000;

/// How the bytes of a file are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileEncoding {
    Utf8,
    Utf16 { is_big_endian: bool },
    Binary,
}

/// The search of one file, which is fed its bytes in order.
#[derive(Debug)]
pub struct FileScan<'s> {
    scanner: &'s LeakScanner,
    class: PathClass,
    encoding: Option<FileEncoding>,
    /// Bytes that are not decoded yet.
    pending: Vec<u8>,
    /// UTF-8, but for a character that the next bytes complete.
    buffer: Vec<u8>,
    /// Where in the buffer begins what was not reported yet.
    counted_from: usize,
    lines_before: usize,
    columns_before: usize,
    scan: LeakScan,
}

impl<'s> FileScan<'s> {
    /// Begins with the file at this path.
    pub fn new(scanner: &'s LeakScanner, path: &str) -> Self {
        Self {
            scanner,
            class: PathClass::of_path(path),
            encoding: None,
            pending: Vec::new(),
            buffer: Vec::new(),
            counted_from: 0,
            lines_before: 0,
            columns_before: 0,
            scan: LeakScan::default(),
        }
    }

    /// Takes the next bytes of the file.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        if self.encoding.is_none() && self.pending.len() < HEAD_BYTES {
            return;
        }
        self.decode_pending();
        while self.buffer.len() >= PIECE_BYTES + AHEAD_BYTES {
            self.scan_piece();
        }
    }

    /// Ends the file, and returns what was found in it.
    pub fn finish(mut self) -> LeakScan {
        self.decode_pending();
        let end = self.buffer.len();
        self.report(end, usize::MAX);
        self.scan.is_binary = self.encoding == Some(FileEncoding::Binary);
        let findings = &mut self.scan.findings;
        findings.sort_by_key(|finding| (finding.line, finding.column, finding.rule_name));
        findings.dedup();
        self.scan.is_cut = findings.len() > FINDINGS_MAX;
        findings.truncate(FINDINGS_MAX);
        self.scan
    }

    fn decode_pending(&mut self) {
        let encoding = *self
            .encoding
            .get_or_insert_with(|| detect_encoding(&self.pending));
        match encoding {
            FileEncoding::Utf8 => self.buffer.append(&mut self.pending),
            FileEncoding::Binary => {
                let bytes = self.pending.drain(..);
                self.buffer.extend(bytes.map(keep_readable));
            }
            FileEncoding::Utf16 { is_big_endian } => {
                let units = self.pending.chunks_exact(2).map(|pair| {
                    if is_big_endian {
                        u16::from_be_bytes([pair[0], pair[1]])
                    } else {
                        u16::from_le_bytes([pair[0], pair[1]])
                    }
                });
                let text: String = char::decode_utf16(units)
                    .map(|c| c.unwrap_or('?'))
                    .collect();
                self.buffer.extend_from_slice(text.as_bytes());
                let odd = self.pending.len() % 2;
                self.pending.drain(..self.pending.len() - odd);
            }
        }
    }

    /// Searches the buffer, and keeps of it what the next piece needs.
    fn scan_piece(&mut self) {
        let end = self.buffer.len() - AHEAD_BYTES;
        let cut = match find_last_break(&self.buffer[self.counted_from..end]) {
            Some(at) => self.counted_from + at + 1,
            None => char_start(&self.buffer, end),
        };
        // A character that is not complete yet stays for the next piece.
        let whole = char_start(&self.buffer, self.buffer.len() - 3);
        self.report(whole, cut);
        let behind = cut.saturating_sub(BEHIND_BYTES);
        let keep_from = match find_last_break(&self.buffer[..behind]) {
            Some(at) if behind - at < BEHIND_BYTES => at + 1,
            _ => char_start(&self.buffer, behind),
        };
        let front = &self.buffer[..keep_from];
        self.lines_before += front.iter().filter(|byte| **byte == b'\n').count();
        let line = find_last_break(front).map_or(0, |at| at + 1);
        let columns = String::from_utf8_lossy(&front[line..]).chars().count();
        self.columns_before = if line == 0 { self.columns_before } else { 0 } + columns;
        self.buffer.drain(..keep_from);
        self.counted_from = cut - keep_from;
    }

    /// Reports what begins before `cut`, reading the buffer up to `end`.
    fn report(&mut self, end: usize, cut: usize) {
        replace_invalid(&mut self.buffer[..end]);
        let Ok(text) = std::str::from_utf8(&self.buffer[..end]) else {
            return;
        };
        let part = TextPart {
            counted: self.counted_from..cut,
            lines_before: self.lines_before,
            columns_before: self.columns_before,
            is_binary: self.encoding == Some(FileEncoding::Binary),
        };
        if self.scan.findings.len() <= 2 * FINDINGS_MAX {
            self.scanner
                .scan_part(self.class, text, &part, &mut self.scan);
        }
    }
}

fn detect_encoding(head: &[u8]) -> FileEncoding {
    match head {
        [0xff, 0xfe, ..] => FileEncoding::Utf16 {
            is_big_endian: false,
        },
        [0xfe, 0xff, ..] => FileEncoding::Utf16 {
            is_big_endian: true,
        },
        _ if head.iter().take(HEAD_BYTES).any(|byte| *byte == 0) => FileEncoding::Binary,
        _ => FileEncoding::Utf8,
    }
}

fn keep_readable(byte: u8) -> u8 {
    match byte {
        b'\n' | b'\t' | b' '..=b'~' => byte,
        _ => b' ',
    }
}

fn find_last_break(bytes: &[u8]) -> Option<usize> {
    bytes.iter().rposition(|byte| *byte == b'\n')
}

/// Returns the start of the character that `at` is in.
fn char_start(bytes: &[u8], at: usize) -> usize {
    let is_inside = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let starts = (at.saturating_sub(3)..=at).rev();
    starts.into_iter().find(|at| !is_inside(*at)).unwrap_or(at)
}

/// Replaces every byte that is no text, without moving what follows.
fn replace_invalid(bytes: &mut [u8]) {
    let mut from = 0;
    while let Err(error) = std::str::from_utf8(&bytes[from..]) {
        let start = from + error.valid_up_to();
        let length = error.error_len().unwrap_or(bytes.len() - start);
        bytes[start..start + length].fill(NO_TEXT);
        from = start + length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::{PrivateName, PrivateNames};

    fn scanner() -> LeakScanner {
        let names = ["Bluebird"]
            .iter()
            .filter_map(|name| PrivateName::from_setting(name));
        LeakScanner {
            names: PrivateNames::new(names),
            is_strict: false,
            ignores_comments: false,
        }
    }

    /// Returns line and column of every finding, whatever the size of the pieces that are fed.
    fn places(bytes: &[u8]) -> Vec<(usize, usize)> {
        let scanner = scanner();
        let scan_by = |size: usize| {
            let mut scan = FileScan::new(&scanner, "a.txt");
            bytes.chunks(size).for_each(|chunk| scan.feed(chunk));
            let found = scan.finish().findings;
            found
                .iter()
                .map(|it| (it.line, it.column))
                .collect::<Vec<_>>()
        };
        let whole = scan_by(bytes.len().max(1));
        assert_eq!(scan_by(4099), whole);
        whole
    }

    #[test]
    fn whatever_the_encoding() {
        let text = "é one\ntwo Bluebird\n";
        let utf16 = |convert: fn(u16) -> [u8; 2]| {
            let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
            units.flat_map(convert).collect::<Vec<u8>>()
        };
        assert_eq!(places(text.as_bytes()), [(2, 5)]);
        assert_eq!(places(&utf16(u16::to_le_bytes)), [(2, 5)]);
        assert_eq!(places(&utf16(u16::to_be_bytes)), [(2, 5)]);
        assert_eq!(places(b"\xff\xff one\ntwo Bluebird"), [(2, 5)]);
        assert_eq!(places(b"\x7fELF\0\x01\nxx \0Bluebird\0"), [(2, 5)]);
        assert_eq!(places(b""), []);
    }

    #[test]
    fn a_large_file_is_searched_to_its_end() {
        let mut text = "line of some length, é\n".repeat(60_000);
        text += "the Bluebird\n";
        assert_eq!(places(text.as_bytes()), [(60_001, 5)]);
        let mut line = "é-".repeat(500_000);
        line += " Bluebird";
        assert_eq!(places(line.as_bytes()), [(1, 1_000_002)]);
    }

    #[test]
    fn nothing_is_halved_and_nothing_counts_twice() {
        for shift in [0, 15, 19, 20, 21, 30] {
            let pad = PIECE_BYTES - 20 + shift;
            let text = format!("{}\nBluebird {}", "x".repeat(pad), "y ".repeat(40_000));
            assert_eq!(places(text.as_bytes()), [(2, 1)], "{shift}");
        }
    }
}
