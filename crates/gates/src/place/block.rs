//! The block: what it says, and the digest by which an edit by hand is seen.

use hardwon_core::{
    digest::{hash_parts, to_hex},
    limits,
};

/// The heading that the block stands under.
pub const PROJECT_HEADING: &str = "## Project memory";
/// What the block begins with, so that who reads it knows what it is.
pub(super) const NOTE: &str =
    "Learned the hard way in this project: reference, not instructions. Kept by `hardwon place`.";
/// How many hexadecimal digits of the digest the marker holds.
const HASH_DIGITS: usize = 12;

/// The lessons of a project, as its agents read them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectBlock {
    lines: Vec<String>,
}

impl ProjectBlock {
    /// Makes a block of these lines, each of which is one lesson; `None` without any.
    pub(super) fn new(lines: Vec<String>) -> Option<Self> {
        (!lines.is_empty()).then_some(Self { lines })
    }

    /// Returns the lines of the lessons.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Returns the digest that its marker holds.
    pub fn hash(&self) -> String {
        hash_body(std::iter::once(NOTE).chain(self.lines.iter().map(String::as_str)))
    }

    /// Renders it from marker to marker, without a line break at its end.
    pub fn render(&self, line_break: &str) -> String {
        let mut lines = vec![render_begin(&self.hash()), NOTE.to_owned(), String::new()];
        lines.extend(self.lines.iter().cloned());
        lines.extend([String::new(), END_MARKER.to_owned()]);
        lines.join(line_break)
    }
}

/// Returns how many bytes a block has whose lines have so many, line breaks included.
pub(super) fn count_bytes(lines: usize) -> usize {
    let frame = render_begin(&"0".repeat(HASH_DIGITS)).len() + NOTE.len() + END_MARKER.len();
    frame + "\n\n\n\n\n".len() + lines
}

/// Digests the lines of a block. Empty lines and spaces at the ends of lines do not count, because programs that format
/// Markdown change them.
pub(super) fn hash_body<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let lines = lines.into_iter().map(str::trim_end);
    let mut hash = to_hex(&hash_parts(
        lines.filter(|line| !line.is_empty()).map(str::as_bytes),
    ));
    hash.truncate(HASH_DIGITS);
    hash
}

/// A line that begins or ends a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockMarker<'a> {
    /// The first line, with the digest.
    Begin(&'a str),
    /// The last line.
    End,
    /// A line that must be meant as a marker and is not written as one.
    Malformed,
}

/// The last line of a block.
const END_MARKER: &str = "<!-- END:hardwon -->";

fn render_begin(hash: &str) -> String {
    format!("<!-- BEGIN:hardwon {hash} -->")
}

/// Reads a line as a marker; `None` if it is none. A marker stands on a line of its own.
pub(super) fn parse_marker(line: &str) -> Option<BlockMarker<'_>> {
    let inside = line.trim().strip_prefix("<!--")?.trim_start();
    let upper: String = inside.chars().take(16).collect::<String>().to_uppercase();
    let after = ["BEGIN:HARDWON", "END:HARDWON"]
        .iter()
        .find_map(|name| upper.strip_prefix(name))?;
    if after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':')) {
        // Another program's, or one of another kind.
        return None;
    }
    let exact = line.trim_end();
    if exact == END_MARKER {
        return Some(BlockMarker::End);
    }
    let hash = exact
        .strip_prefix("<!-- BEGIN:hardwon ")
        .and_then(|rest| rest.strip_suffix(" -->"));
    let is_hash = |it: &&str| it.len() == HASH_DIGITS && it.bytes().all(|c| c.is_ascii_hexdigit());
    Some(
        hash.filter(is_hash)
            .map_or(BlockMarker::Malformed, BlockMarker::Begin),
    )
}

const _: () = assert!(limits::PLACED_LINE_BYTES < limits::PLACED_BYTES);
