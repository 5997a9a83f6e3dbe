//! Which lines a diff shows, so that a place that somebody names can be held against it.

use std::{collections::BTreeMap, fmt, ops::Range};

use hardwon_core::{RawText, limits};
use hardwon_redact::clean_to_chars;

/// A place: a file, and a line or some lines in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffAnchor {
    /// The path from the root.
    pub path: String,
    /// The lines, from 1, without the last one's successor; none for a change without lines, as of a binary file.
    pub lines: Range<usize>,
}

impl DiffAnchor {
    /// Parses `path:line`, `path:first-last`, or a path alone.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_matches('`');
        let (path, lines) = match text.rsplit_once(':') {
            Some((path, lines)) => (path, read_anchor_lines(lines)?),
            None => (text, 0..0),
        };
        let path = path.strip_prefix("./").unwrap_or(path);
        (!path.is_empty()).then(|| Self {
            path: path.to_owned(),
            lines,
        })
    }

    fn meets(&self, lines: &Range<usize>) -> bool {
        lines.start < self.lines.end && self.lines.start < lines.end
    }
}

/// Reads `12`, `L12` or `12-20`.
fn read_anchor_lines(lines: &str) -> Option<Range<usize>> {
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let number = |text: &str| text.trim_start_matches('L').parse::<usize>().ok();
    let (first, last) = (number(first)?, number(last)?);
    (first >= 1 && first <= last).then(|| first..last.saturating_add(1))
}

impl fmt::Display for DiffAnchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = clean_to_chars(&RawText::new(&*self.path), limits::NAME_CHARS);
        match (self.lines.start, self.lines.end.saturating_sub(1)) {
            (0, _) => write!(f, "{path}"),
            (first, last) if first == last => write!(f, "{path}:{first}"),
            (first, last) => write!(f, "{path}:{first}-{last}"),
        }
    }
}

/// The lines that a diff shows, before and after.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiffPlaces {
    files: BTreeMap<String, FilePlaces>,
}

/// What a diff shows of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct FilePlaces {
    /// The lines of each hunk before and after.
    hunks: Vec<[Range<usize>; 2]>,
    /// Whether who may run it changed.
    is_mode_changed: bool,
}

impl FilePlaces {
    /// Returns whether there is a change that no line shows: of the mode, of a binary or an empty file.
    fn has_lineless_change(&self) -> bool {
        self.hunks.is_empty() || self.is_mode_changed
    }

    /// Names its changes, each as an anchor would.
    fn list_changes(&self, path: &str) -> Vec<DiffAnchor> {
        let anchor = |lines: Range<usize>| DiffAnchor {
            path: path.to_owned(),
            lines,
        };
        let hunks = self.hunks.iter();
        let hunks = hunks.map(|[before, after]| {
            if after.is_empty() {
                before.clone()
            } else {
                after.clone()
            }
        });
        let whole = self.has_lineless_change().then_some(0..0);
        hunks.chain(whole).map(anchor).collect()
    }

    /// Names the changes that none of these anchors in it does.
    ///
    /// An anchor is about the lines as they are afterwards; only where it meets none of those, about those before.
    fn list_unnamed(&self, path: &str, anchors: &[DiffAnchor]) -> Vec<DiffAnchor> {
        let mut is_named = vec![false; self.hunks.len()];
        for anchor in anchors {
            let side = [1, 0].into_iter().find(|side| {
                let mut hunks = self.hunks.iter();
                hunks.any(|hunk| anchor.meets(&hunk[*side]))
            });
            let Some(side) = side else { continue };
            for (hunk, is_named) in self.hunks.iter().zip(&mut is_named) {
                *is_named |= anchor.meets(&hunk[side]);
            }
        }
        let is_whole_named = anchors.iter().any(|anchor| anchor.lines.is_empty());
        let changes = self.list_changes(path).into_iter();
        let marks = is_named.into_iter().chain([is_whole_named]);
        let missing = changes.zip(marks).filter(|(_, is_named)| !is_named);
        missing.map(|(change, _)| change).collect()
    }
}

impl DiffPlaces {
    /// Reads a patch in git's form, with the prefixes `a/` and `b/`.
    pub fn from_patch(patch: &str) -> Self {
        let mut places = Self::default();
        let mut names: [Option<String>; 2] = [None, None];
        let mut header = None;
        // How many lines of the hunk are still to come, before and after.
        let mut left = [0_usize; 2];
        for line in patch.lines() {
            if left != [0, 0] {
                left = count_down(left, line);
            } else if let Some(text) = line.strip_prefix("diff --git ") {
                names = [None, None];
                header = read_header(text);
                if let Some(name) = &header {
                    places.file(name);
                }
            } else if line.starts_with("new mode ") {
                if let Some(name) = &header {
                    places.file(name).is_mode_changed = true;
                }
            } else if let Some(name) = line.strip_prefix("--- ") {
                names[0] = read_name(name, "a/");
            } else if let Some(name) = line.strip_prefix("+++ ") {
                names[1] = read_name(name, "b/");
            } else if let Some(hunk) = line.strip_prefix("@@ -").and_then(read_hunk) {
                left = [hunk[0].len(), hunk[1].len()];
                // Nothing is renamed in it: the names are one, or one is missing.
                if let Some(name) = names[1].as_ref().or(names[0].as_ref()) {
                    places.file(name).hunks.push(hunk);
                }
            }
        }
        places
    }

    /// Adds the lines of another diff.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for (path, places) in other.files {
            let file = self.file(&path);
            file.hunks.extend(places.hunks);
            file.is_mode_changed |= places.is_mode_changed;
        }
        self
    }

    /// Returns the files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Returns whether the diff shows one of the lines of this place, or of a whole file, a change that has no lines.
    pub fn shows(&self, anchor: &DiffAnchor) -> bool {
        self.files.get(&anchor.path).is_some_and(|file| {
            let mut lines = file.hunks.iter().flatten();
            if anchor.lines.is_empty() {
                file.has_lineless_change()
            } else {
                lines.any(|lines| anchor.meets(lines))
            }
        })
    }

    /// Names the changes of a file; all of it, where the diff shows nothing of it.
    pub(super) fn list_changes(&self, path: &str) -> Vec<DiffAnchor> {
        let file = self.files.get(path).cloned().unwrap_or_default();
        file.list_changes(path)
    }

    /// Names the changes of a file that none of these anchors does.
    pub(super) fn list_unnamed(&self, path: &str, anchors: &[DiffAnchor]) -> Vec<DiffAnchor> {
        let own = anchors.iter().filter(|anchor| anchor.path == path);
        let own: Vec<DiffAnchor> = own.cloned().collect();
        let file = self.files.get(path).cloned().unwrap_or_default();
        file.list_unnamed(path, &own)
    }

    fn file(&mut self, path: &str) -> &mut FilePlaces {
        self.files.entry(path.to_owned()).or_default()
    }
}

/// Counts a line of a hunk off those that are still to come.
fn count_down(left: [usize; 2], line: &str) -> [usize; 2] {
    let (before, after) = match line.as_bytes().first() {
        Some(b'-') => (1, 0),
        Some(b'+') => (0, 1),
        // "No newline at end of file"
        Some(b'\\') => (0, 0),
        _ => (1, 1),
    };
    [
        left[0].saturating_sub(before),
        left[1].saturating_sub(after),
    ]
}

/// Reads the name in `a/name b/name`.
fn read_header(header: &str) -> Option<String> {
    let halves = header.len() / 2;
    let (old, new) = (header.get(..halves), header.get(halves + 1..));
    let name = new.and_then(|new| read_name(new, "b/"));
    name.filter(|name| old.and_then(|old| read_name(old, "a/")).as_ref() == Some(name))
}

/// Reads the name behind `---` or `+++`; `None` for a file that is not there.
fn read_name(text: &str, prefix: &str) -> Option<String> {
    let text = text.trim_end_matches('\t');
    let inside_quotes = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    let name = match inside_quotes {
        Some(inside_quotes) => inside_quotes.replace("\\\"", "\"").replace("\\\\", "\\"),
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
