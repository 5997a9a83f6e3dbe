//! Cuts a transcript into records: the lines of a JSON-lines file, or the parts of one JSON document, without ever
//! holding more than one record.
//!
//! A document is cut by counting brackets and watching strings, not by parsing: an element that is broken costs only
//! itself, a document that breaks off gives all that came before, and nesting costs a counter instead of a stack. The
//! format knows what a record means.

use std::io::{self, BufRead, Read as _};

use hardwon_core::limits;

/// One piece of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TranscriptRecord<'a> {
    /// One value: a line, an element of the document's array, a member of its object, or an
    /// element of a member that is an array.
    Value {
        /// The member's name; empty for a line and for an element of a top-level array.
        key: &'a str,
        /// The value's bytes in the file.
        json: &'a [u8],
    },
    /// A value that was skipped: longer than [`limits::RECORD_BYTES`], or cut off.
    Broken,
    /// The document ended; another may follow.
    End,
}

/// A source of a document's records, one after the other.
pub(crate) trait RecordSource {
    /// Returns the next record; `None` at the end of the source.
    fn next_record(&mut self) -> io::Result<Option<TranscriptRecord<'_>>>;

    /// Returns how many bytes were read.
    fn bytes(&self) -> u64;
}

/// A line of a file, as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RawLine<'a> {
    /// A line with its line break taken off.
    Whole(&'a [u8]),
    /// The rest of the file after its last line break.
    Open(&'a [u8]),
    /// A line longer than [`limits::RECORD_BYTES`].
    Long,
}

/// Reads the next line into `buffer` and returns it with its length in the file.
pub(crate) fn read_line<'b>(
    source: &mut impl BufRead,
    buffer: &'b mut Vec<u8>,
) -> io::Result<Option<(RawLine<'b>, u64)>> {
    const LONGEST: u64 = limits::RECORD_BYTES as u64;
    buffer.clear();
    let mut bytes = to_u64(source.take(LONGEST + 1).read_until(b'\n', buffer)?);
    if bytes == 0 {
        return Ok(None);
    }
    if buffer.last() == Some(&b'\n') {
        buffer.pop();
        return Ok(Some((RawLine::Whole(buffer), bytes)));
    }
    if bytes > LONGEST {
        bytes += to_u64(source.skip_until(b'\n')?);
        return Ok(Some((RawLine::Long, bytes)));
    }
    Ok(Some((RawLine::Open(buffer), bytes)))
}

fn to_u64(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// The result of taking a value out of the document.
enum TakenValue {
    Whole,
    Long,
    CutOff,
}

/// Cuts a document, or several that follow each other, into records.
pub(crate) struct DocumentCutter<S> {
    source: S,
    /// How many bytes were read.
    pub(crate) bytes: u64,
    position: DocumentPosition,
    /// The name of the member whose value is taken.
    key: String,
    /// The value being taken; kept between values for its allocation.
    value: Vec<u8>,
}

/// Where in a document the next record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DocumentPosition {
    Outside,
    /// In the document's array.
    Elements,
    /// In the document's object.
    Members,
    /// In a member of it that is an array.
    MemberElements,
}

impl<S: BufRead> RecordSource for DocumentCutter<S> {
    fn next_record(&mut self) -> io::Result<Option<TranscriptRecord<'_>>> {
        while let Some(byte) = self.next_significant()? {
            match (self.position, byte) {
                (DocumentPosition::Outside, b'[') => {
                    self.enter_position(DocumentPosition::Elements, String::new());
                }
                (DocumentPosition::Outside, b'{') => {
                    self.enter_position(DocumentPosition::Members, String::new());
                }
                (DocumentPosition::Elements, b']') | (DocumentPosition::Members, b'}') => {
                    self.enter_position(DocumentPosition::Outside, String::new());
                    return Ok(Some(TranscriptRecord::End));
                }
                (DocumentPosition::MemberElements, b']') => {
                    self.enter_position(DocumentPosition::Members, String::new());
                }
                (DocumentPosition::Outside, _)
                | (
                    DocumentPosition::Elements | DocumentPosition::MemberElements,
                    b',' | b'}' | b':',
                ) => self.consume(1),
                (DocumentPosition::Elements | DocumentPosition::MemberElements, _) => {
                    return self.read_value().map(Some);
                }
                (DocumentPosition::Members, b'"') => match self.read_member()? {
                    Member::Array(key) => {
                        self.enter_position(DocumentPosition::MemberElements, key);
                    }
                    Member::Value(key) => {
                        self.key = key;
                        return self.read_value().map(Some);
                    }
                    Member::Broken => return Ok(Some(TranscriptRecord::Broken)),
                },
                (DocumentPosition::Members, _) => self.consume(1),
            }
        }
        let is_cut_off = self.position != DocumentPosition::Outside;
        self.position = DocumentPosition::Outside;
        Ok(is_cut_off.then_some(TranscriptRecord::End))
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl<S: BufRead> DocumentCutter<S> {
    pub(crate) fn new(source: S) -> Self {
        Self {
            source,
            bytes: 0,
            position: DocumentPosition::Outside,
            key: String::new(),
            value: Vec::new(),
        }
    }

    /// Moves over a bracket to another position.
    fn enter_position(&mut self, place: DocumentPosition, key: String) {
        self.consume(1);
        (self.position, self.key) = (place, key);
    }

    /// Reads the name of a member, and what kind of value follows.
    fn read_member(&mut self) -> io::Result<Member> {
        let TakenValue::Whole = self.take_value()? else {
            return Ok(Member::Broken);
        };
        let key = serde_json::from_slice(&self.value).unwrap_or_default();
        if self.next_significant()? != Some(b':') {
            return Ok(Member::Broken);
        }
        self.consume(1);
        Ok(match self.next_significant()? {
            Some(b'[') => Member::Array(key),
            Some(b'}' | b',') | None => Member::Broken,
            Some(_) => Member::Value(key),
        })
    }

    fn read_value(&mut self) -> io::Result<TranscriptRecord<'_>> {
        Ok(match self.take_value()? {
            TakenValue::Whole => TranscriptRecord::Value {
                key: &self.key,
                json: &self.value,
            },
            TakenValue::Long | TakenValue::CutOff => TranscriptRecord::Broken,
        })
    }

    /// Returns the next byte that is not blank, without consuming it.
    fn next_significant(&mut self) -> io::Result<Option<u8>> {
        loop {
            let chunk = self.source.fill_buf()?;
            if chunk.is_empty() {
                return Ok(None);
            }
            let is_mark = |byte: &u8| !byte.is_ascii_whitespace();
            let blanks = chunk.iter().position(is_mark).unwrap_or(chunk.len());
            let byte = chunk.get(blanks).copied();
            self.consume(blanks);
            if byte.is_some() {
                return Ok(byte);
            }
        }
    }

    fn consume(&mut self, bytes: usize) {
        self.source.consume(bytes);
        self.bytes += to_u64(bytes);
    }

    /// Reads the value that begins here into `self.value`.
    fn take_value(&mut self) -> io::Result<TakenValue> {
        self.value.clear();
        let mut scan = ValueScan::default();
        let mut long = false;
        loop {
            let chunk = self.source.fill_buf()?;
            if chunk.is_empty() {
                let is_whole = !long && scan.scalar;
                return Ok(if is_whole {
                    TakenValue::Whole
                } else {
                    TakenValue::CutOff
                });
            }
            let (taken, done) = scan.advance(chunk);
            long |= self.value.len() + taken > limits::RECORD_BYTES;
            if long {
                self.value = Vec::new();
            } else {
                self.value.extend_from_slice(&chunk[..taken]);
            }
            self.consume(taken);
            if done {
                return Ok(if long {
                    TakenValue::Long
                } else {
                    TakenValue::Whole
                });
            }
        }
    }
}

/// The kind of value after the name of a member.
enum Member {
    Array(String),
    Value(String),
    Broken,
}

/// The state of the scan through a value.
#[derive(Default)]
struct ValueScan {
    depth: u64,
    in_string: bool,
    escaped: bool,
    /// The first byte was seen, and belongs to a number or a word.
    scalar: bool,
    begun: bool,
}

impl ValueScan {
    /// Scans a chunk; returns how many of its bytes belong to the value and whether it ended.
    fn advance(&mut self, chunk: &[u8]) -> (usize, bool) {
        let mut at = 0;
        while let Some(&byte) = chunk.get(at) {
            if self.in_string {
                let (next, closed) = self.scan_string(chunk, at);
                at = next;
                if closed && self.depth == 0 {
                    return (at, true);
                }
                continue;
            }
            if self.scalar && (byte.is_ascii_whitespace() || b",]}:\"[{".contains(&byte)) {
                return (at, true);
            }
            at += 1;
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return (at, true);
                    }
                }
                _ if !self.begun => self.scalar = true,
                _ => {}
            }
            self.begun = true;
        }
        (at, false)
    }

    /// Continues in a string; returns where it stopped and whether the string ended there.
    fn scan_string(&mut self, chunk: &[u8], mut at: usize) -> (usize, bool) {
        if self.escaped && at < chunk.len() {
            self.escaped = false;
            at += 1;
        }
        while let Some(step) = chunk[at..].iter().position(|&b| b == b'"' || b == b'\\') {
            at += step + 1;
            if chunk[at - 1] == b'"' {
                self.in_string = false;
                return (at, true);
            }
            if at == chunk.len() {
                self.escaped = true;
                return (at, false);
            }
            at += 1;
        }
        (chunk.len(), false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Renders records as `key=json`, `!` for a broken one and `.` for an end.
    fn cut(document: &str, chunk: usize) -> String {
        let mut parts = Vec::new();
        let source = io::BufReader::with_capacity(chunk, document.as_bytes());
        let mut cutter = DocumentCutter::new(source);
        while let Some(record) = cutter.next_record().unwrap() {
            parts.push(match record {
                TranscriptRecord::Value { key, json } => {
                    format!("{key}={}", String::from_utf8_lossy(json))
                }
                TranscriptRecord::Broken => "!".to_owned(),
                TranscriptRecord::End => ".".to_owned(),
            });
        }
        assert_eq!(cutter.bytes, document.len() as u64);
        parts.join(" ")
    }

    #[test]
    fn a_document_is_cut_at_its_elements_and_members() {
        for (document, expected) in [
            ("[]", "."),
            ("[1,2]", "=1 =2 ."),
            (
                r#"[ {"a":[1,{"b":"]"}]} , "x\"]" ,null]"#,
                r#"={"a":[1,{"b":"]"}]} ="x\"]" =null ."#,
            ),
            (
                r#"{"a":1,"m":[{"x":1},{"y":"}"}],"o":{"k":[1]}}"#,
                r#"a=1 m={"x":1} m={"y":"}"} o={"k":[1]} ."#,
            ),
            ("{\"a\":1}\n{\"a\":2}\n", "a=1 . a=2 ."),
            (r#"{"\u0061\\":true}"#, r"a\=true ."),
            (r#"[{"a":1},{"a":"#, r#"={"a":1} ! ."#),
            (r#"{"m":[1,2"#, "m=1 m=2 ."),
            (r#"{"m":"#, "! ."),
            (r#"{"m""#, "! ."),
            ("[1 2,,3]]", "=1 =2 =3 ."),
            ("garbage", ""),
        ] {
            for chunk in [1, 2, 3, 7, 4096] {
                assert_eq!(cut(document, chunk), expected, "{document} by {chunk}");
            }
        }
    }

    #[test]
    fn a_long_line_is_passed_over_without_being_held() {
        let mut file = b"short\n".to_vec();
        file.resize(limits::RECORD_BYTES + 100, b'x');
        file.extend_from_slice(b"\nnext\nrest");
        let mut source = io::BufReader::new(&file[..]);
        let mut buffer = Vec::new();
        let mut seen = Vec::new();
        while let Some((line, bytes)) = read_line(&mut source, &mut buffer).unwrap() {
            seen.push(match line {
                RawLine::Whole(line) => format!("{} {bytes}", String::from_utf8_lossy(line)),
                RawLine::Open(line) => format!("{}… {bytes}", String::from_utf8_lossy(line)),
                RawLine::Long => "long".to_owned(),
            });
        }
        assert_eq!(seen, ["short 6", "long", "next 5", "rest… 4"]);
        assert!(buffer.capacity() <= 2 * limits::RECORD_BYTES);
    }

    #[test]
    fn a_long_element_is_passed_over_without_being_held() {
        let document = format!(r#"["{}",1]"#, "x".repeat(limits::RECORD_BYTES));
        assert_eq!(cut(&document, 4096), "! =1 .");
    }

    #[test]
    fn deep_nesting_costs_nothing() {
        let document = "[".repeat(100_000);
        assert_eq!(cut(&document, 4096), "! .");
    }
}
