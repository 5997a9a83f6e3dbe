//! Which lines a diff shows, so that a place that somebody names can be held against it.

use std::{collections::BTreeMap, fmt, ops::Range};

use crate::{limits, redact::clean_to_chars, text::RawText};

/// A place: a file, and a line or some lines in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffAnchor {
    /// The path from the root.
    pub path: String,
    /// The lines, from 1, without the last one's successor.
    pub lines: Range<usize>,
}

impl DiffAnchor {
    /// Parses `path:line` or `path:first-last`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (path, lines) = text.trim().trim_matches('`').rsplit_once(':')?;
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let number = |text: &str| text.trim_start_matches('L').parse::<usize>().ok();
        let (first, last) = (number(first)?, number(last)?);
        let path = path.strip_prefix("./").unwrap_or(path);
        let is_one = first >= 1 && first <= last && !path.is_empty();
        is_one.then(|| Self {
            path: path.to_owned(),
            lines: first..last.saturating_add(1),
        })
    }
}

impl fmt::Display for DiffAnchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = clean_to_chars(&RawText::new(&*self.path), limits::NAME_CHARS);
        match (self.lines.start, self.lines.end - 1) {
            (first, last) if first == last => write!(f, "{path}:{first}"),
            (first, last) => write!(f, "{path}:{first}-{last}"),
        }
    }
}

/// The lines that a diff shows, before and after.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiffPlaces {
    files: BTreeMap<String, Vec<Range<usize>>>,
}

impl DiffPlaces {
    /// Reads a patch in git's form, with the prefixes `a/` and `b/`.
    #[must_use]
    pub fn from_patch(patch: &str) -> Self {
        let mut places = Self::default();
        let mut names: [Option<String>; 2] = [None, None];
        // How many lines of the hunk are still to come, before and after.
        let mut left = [0_usize; 2];
        for line in patch.lines() {
            if left != [0, 0] {
                let (before, after) = match line.as_bytes().first() {
                    Some(b'-') => (1, 0),
                    Some(b'+') => (0, 1),
                    // "No newline at end of file"
                    Some(b'\\') => (0, 0),
                    _ => (1, 1),
                };
                left = [
                    left[0].saturating_sub(before),
                    left[1].saturating_sub(after),
                ];
                continue;
            }
            if let Some(header) = line.strip_prefix("diff --git ") {
                names = [None, None];
                places.add_header(header);
            } else if let Some(name) = line.strip_prefix("--- ") {
                names[0] = read_name(name, "a/");
            } else if let Some(name) = line.strip_prefix("+++ ") {
                names[1] = read_name(name, "b/");
            } else if let Some(hunk) = line.strip_prefix("@@ -").and_then(read_hunk) {
                left = [hunk[0].len(), hunk[1].len()];
                for (name, lines) in names.iter().zip(hunk) {
                    places.add(name.as_deref(), lines);
                }
            }
        }
        places
    }

    /// Adds the lines of another diff.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for (path, lines) in other.files {
            self.files.entry(path).or_default().extend(lines);
        }
        self
    }

    /// Returns the files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Returns whether the diff shows one of the lines of this place.
    #[must_use]
    pub fn shows(&self, anchor: &DiffAnchor) -> bool {
        let shown = self.files.get(&anchor.path);
        let meets =
            |lines: &Range<usize>| lines.start < anchor.lines.end && anchor.lines.start < lines.end;
        shown.is_some_and(|shown| shown.iter().any(meets))
    }

    /// Adds a file of which no lines may follow: a binary one, or one whose mode changed.
    fn add_header(&mut self, header: &str) {
        let halves = header.len() / 2;
        let (old, new) = (header.get(..halves), header.get(halves + 1..));
        let name = new.and_then(|new| read_name(new, "b/"));
        if name.is_some() && name == old.and_then(|old| read_name(old, "a/")) {
            self.add(name.as_deref(), 0..0);
        }
    }

    fn add(&mut self, name: Option<&str>, lines: Range<usize>) {
        if let Some(name) = name {
            self.files.entry(name.to_owned()).or_default().push(lines);
        }
    }
}

/// Reads the name behind `---` or `+++`; `None` for a file that is not there.
fn read_name(text: &str, prefix: &str) -> Option<String> {
    let text = text.trim_end_matches('\t');
    let quoted = text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let name = match quoted {
        Some(quoted) => quoted.replace("\\\"", "\"").replace("\\\\", "\\"),
        None => text.to_owned(),
    };
    name.strip_prefix(prefix).map(str::to_owned)
}

/// Reads `old,count +new,count @@…`.
fn read_hunk(text: &str) -> Option<[Range<usize>; 2]> {
    let (sides, _) = text.split_once(" @@")?;
    let (old, new) = sides.split_once(" +")?;
    Some([read_lines(old)?, read_lines(new)?])
}

fn read_lines(side: &str) -> Option<Range<usize>> {
    let (first, count) = side.split_once(',').unwrap_or((side, "1"));
    let first = first.parse::<usize>().ok()?;
    Some(first..first.checked_add(count.parse().ok()?)?)
}
