//! A file that agents read, and the block in it.
//!
//! The file is a person's. Nothing outside of the block changes, and of a file in which it is not clear what the block
//! is, nothing at all: markers that are alone, double, reversed or miswritten, in a code fence or in a comment, and the
//! marks of a merge that is not done.

use std::ops::Range;

use hardwon_core::{LessonId, text::quoted::parse_fence};

use super::block::{BlockMarker, PROJECT_HEADING, ProjectBlock, hash_body, parse_marker};

/// The mark that some editors begin a file with.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Why it is not clear what the block of a file is; with the line, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BlockFault {
    /// The file is in the middle of a merge.
    #[error("line {0}: the mark of a merge that is not done")]
    MergeMark(usize),
    /// A line is meant as a marker and is not written as one.
    #[error("line {0}: a marker of hardwon that is not as it was written")]
    Malformed(usize),
    /// A block begins and does not end.
    #[error("line {0}: a marker that begins a block which does not end")]
    NoEnd(usize),
    /// A block ends that did not begin.
    #[error("line {0}: a marker that ends a block which did not begin")]
    NoBegin(usize),
    /// There are two blocks, or one begins in another.
    #[error("line {0}: a second block")]
    Doubled(usize),
    /// A marker stands in a code fence.
    #[error("line {0}: a marker in a code fence")]
    InFence(usize),
    /// A marker stands in a comment.
    #[error("line {0}: a marker in a comment")]
    InComment(usize),
    /// A code fence or a comment is open to the end of the file, so that nothing can be added there.
    #[error("line {0}: a code fence or a comment that does not end")]
    OpenAtEnd(usize),
}

/// A block that is in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundBlock {
    /// From the beginning of its first line to the end of its last one, without the line break.
    range: Range<usize>,
    hash: String,
    is_as_written: bool,
}

impl FoundBlock {
    /// Returns the digest that its marker holds.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Returns whether its words are those that its digest was made of.
    pub fn is_as_written(&self) -> bool {
        self.is_as_written
    }
}

/// A file that agents read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentsFile<'a> {
    text: &'a str,
    block: Option<FoundBlock>,
    /// The end of the line of the heading, if there is one.
    heading: Option<usize>,
    /// The line of what is open at the end.
    open_at_end: Option<usize>,
}

impl<'a> AgentsFile<'a> {
    /// Finds the block in a file.
    ///
    /// # Errors
    ///
    /// If it is not clear what the block is.
    pub fn parse(text: &'a str) -> Result<Self, BlockFault> {
        let mut scan = DocumentScan::default();
        for (number, range) in split_lines(text) {
            scan.read_line(text, number, range)?;
        }
        if let Some((number, ..)) = scan.begun {
            return Err(BlockFault::NoEnd(number));
        }
        Ok(Self {
            text,
            block: scan.block,
            heading: scan.heading,
            open_at_end: scan.nesting.line(),
        })
    }

    /// Returns the block.
    pub fn block(&self) -> Option<&FoundBlock> {
        self.block.as_ref()
    }

    /// Returns whether the block has a line of a lesson.
    pub fn has_line_of(&self, lesson: LessonId) -> bool {
        let text = self
            .block
            .as_ref()
            .map(|block| &self.text[block.range.clone()]);
        let end = format!("({lesson})");
        let mut lines = text.unwrap_or_default().lines();
        lines.any(|line| line.trim_end().ends_with(&end))
    }

    /// Returns the file with this block, or without one. A block that says the same already stays as it is.
    ///
    /// # Errors
    ///
    /// If there is no block yet, and its place would be in a code fence or in a comment.
    pub fn with_block(&self, block: Option<&ProjectBlock>) -> Result<String, BlockFault> {
        match (&self.block, block) {
            (None, None) => Ok(self.text.to_owned()),
            (Some(found), Some(block)) if found.is_as_written && found.hash == block.hash() => {
                Ok(self.text.to_owned())
            }
            (Some(found), Some(block)) => {
                let text = block.render(self.line_break());
                Ok(self.replace(found.range.clone(), &text))
            }
            (Some(found), None) => {
                let after = self.text[found.range.end..].bytes();
                let breaks = after.take_while(|after| matches!(after, b'\r')).count();
                let has_break = self.text[found.range.end + breaks..].starts_with('\n');
                let end = found.range.end + if has_break { breaks + 1 } else { 0 };
                Ok(self.replace(found.range.start..end, ""))
            }
            (None, Some(block)) => self.insert(block),
        }
    }

    fn replace(&self, range: Range<usize>, with: &str) -> String {
        let mut text = self.text.to_owned();
        text.replace_range(range, with);
        text
    }

    fn insert(&self, block: &ProjectBlock) -> Result<String, BlockFault> {
        let eol = self.line_break();
        let block_text = block.render(eol);
        let Some(at) = self.heading else {
            return self.append(&format!("{PROJECT_HEADING}{eol}{eol}{block_text}"));
        };
        let rest = &self.text[at..];
        let is_blank = |text: &str| {
            text.lines()
                .next()
                .is_none_or(|line| line.trim().is_empty())
        };
        let before = if self.text[..at].ends_with('\n') {
            eol.to_owned()
        } else {
            format!("{eol}{eol}")
        };
        let after = if is_blank(rest) { "" } else { eol };
        Ok(self.replace(at..at, &format!("{before}{block_text}{eol}{after}")))
    }

    fn append(&self, what: &str) -> Result<String, BlockFault> {
        if let Some(line) = self.open_at_end {
            return Err(BlockFault::OpenAtEnd(line));
        }
        let eol = self.line_break();
        let words = self.text.trim_start_matches(BYTE_ORDER_MARK);
        let gap = match words {
            "" => String::new(),
            text if text.ends_with("\n\n") || text.ends_with("\n\r\n") => String::new(),
            text if text.ends_with('\n') => eol.to_owned(),
            _ => format!("{eol}{eol}"),
        };
        Ok(format!("{}{gap}{what}{eol}", self.text))
    }

    /// Returns the line break of the file: that of its first line.
    fn line_break(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }
}

/// Splits a text into lines with their numbers, without line breaks and without the mark at its beginning.
fn split_lines(text: &str) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut at = 0;
    text.split_inclusive('\n')
        .enumerate()
        .map(move |(index, line)| {
            let start = at;
            at += line.len();
            let mark = if index == 0 && line.starts_with(BYTE_ORDER_MARK) {
                BYTE_ORDER_MARK.len_utf8()
            } else {
                0
            };
            let words = line.trim_end_matches('\n').trim_end_matches('\r');
            (index + 1, start + mark..start + words.len().max(mark))
        })
}

/// What a line stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Nesting {
    /// In nothing.
    #[default]
    Plain,
    /// In a code fence of so many of a character, since a line.
    Fence(char, usize, usize),
    /// In a comment, since a line.
    Comment(usize),
}

impl Nesting {
    fn line(self) -> Option<usize> {
        match self {
            Self::Plain => None,
            Self::Fence(_, _, line) | Self::Comment(line) => Some(line),
        }
    }

    /// Returns what the line after this one stands in.
    fn after(self, line: &str, number: usize) -> Self {
        let words = line.trim_start_matches(' ');
        match self {
            Self::Comment(_) if line.contains("-->") => Self::Plain,
            Self::Comment(_) => self,
            Self::Fence(mark, least, _) => match parse_fence(line) {
                Some((other, count, true)) if other == mark && count >= least => Self::Plain,
                _ => self,
            },
            Self::Plain if words.starts_with("<!--") => {
                let is_closed = words["<!--".len()..].contains("-->");
                if is_closed {
                    self
                } else {
                    Self::Comment(number)
                }
            }
            // Also one in a list.
            Self::Plain => {
                parse_fence(words).map_or(self, |(mark, count, _)| Self::Fence(mark, count, number))
            }
        }
    }
}

/// Reads a file line by line.
#[derive(Debug, Default)]
struct DocumentScan<'a> {
    nesting: Nesting,
    /// The line, the beginning and the digest of a block that has begun.
    begun: Option<(usize, usize, &'a str)>,
    body: Vec<&'a str>,
    block: Option<FoundBlock>,
    heading: Option<usize>,
}

impl<'a> DocumentScan<'a> {
    fn read_line(
        &mut self,
        text: &'a str,
        number: usize,
        range: Range<usize>,
    ) -> Result<(), BlockFault> {
        let line = &text[range.clone()];
        if is_merge_mark(line) {
            return Err(BlockFault::MergeMark(number));
        }
        let Some(marker) = parse_marker(line) else {
            self.read_words(text, line, &range);
            self.nesting = self.nesting.after(line, number);
            return Ok(());
        };
        match self.nesting {
            Nesting::Plain => self.read_marker(marker, number, range),
            Nesting::Fence(..) => Err(BlockFault::InFence(number)),
            Nesting::Comment(_) => Err(BlockFault::InComment(number)),
        }
    }

    fn read_words(&mut self, text: &str, line: &'a str, range: &Range<usize>) {
        if self.begun.is_some() {
            self.body.push(line);
        } else if self.heading.is_none() && self.nesting == Nesting::Plain && is_heading(line) {
            let rest = &text[range.end..];
            self.heading = Some(range.end + rest.find('\n').map_or(rest.len(), |at| at + 1));
        }
    }

    fn read_marker(
        &mut self,
        marker: BlockMarker<'a>,
        number: usize,
        range: Range<usize>,
    ) -> Result<(), BlockFault> {
        match (marker, self.begun) {
            (BlockMarker::Malformed, _) => Err(BlockFault::Malformed(number)),
            (BlockMarker::Begin(_), Some(_)) => Err(BlockFault::Doubled(number)),
            (BlockMarker::Begin(_), None) if self.block.is_some() => {
                Err(BlockFault::Doubled(number))
            }
            (BlockMarker::Begin(hash), None) => {
                self.begun = Some((number, range.start, hash));
                Ok(())
            }
            (BlockMarker::End, None) => Err(BlockFault::NoBegin(number)),
            (BlockMarker::End, Some((_, start, hash))) => {
                self.begun = None;
                self.block = Some(FoundBlock {
                    range: start..range.end,
                    hash: hash.to_owned(),
                    is_as_written: hash_body(self.body.drain(..)) == hash,
                });
                Ok(())
            }
        }
    }
}

fn is_heading(line: &str) -> bool {
    let name = line.trim_end().trim_end_matches('#').trim_end();
    name.eq_ignore_ascii_case(PROJECT_HEADING)
}

fn is_merge_mark(line: &str) -> bool {
    ["<<<<<<<", ">>>>>>>", "|||||||"].iter().any(|mark| {
        line.strip_prefix(mark)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}
