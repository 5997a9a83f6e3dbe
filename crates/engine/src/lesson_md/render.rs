//! A file made of what a lesson says: written from nothing, or changed where the lesson changed and
//! nowhere else.
//!
//! A change is laid over the front matter that is there, and the entries that differ are replaced
//! where they stand. The result is read again: if it does not say then what it should, because the
//! file is written in a way that cannot be changed in place, the front matter is written anew, with
//! the fields that nobody knows.

use std::ops::Range;

use serde_json::{Map, Value as Json};

use super::{
    VENDOR,
    body::escape_section,
    emit::{self, FRONT_MATTER, Order},
    fields::{MISTAKE, OWN_FIELDS, ReadableText, TEXT},
    parts::{LessonFileParts, SectionKind},
    yaml::{YamlEntry, YamlNode},
};
use crate::{LessonFields, LessonFile};

/// Writes a whole file.
pub(super) fn render_file<T: ReadableText>(said: &LessonFields<T>) -> String {
    let front = format_front_matter(&said.front_matter());
    let title = said.content.title.as_text();
    let mut out = format!("---\n{front}---\n\n# {title}\n");
    for kind in SectionKind::ALL {
        if let Some(text) = render_section(said, kind) {
            out.push_str(&format!("\n## {}\n\n{text}\n", kind.heading()));
        }
    }
    out
}

/// Writes a front matter, without the lines that part it off.
pub(super) fn format_front_matter(front: &Json) -> String {
    emit::format_fields(as_map(front), FRONT_MATTER, 0)
}

fn as_map(front: &Json) -> &Map<String, Json> {
    front.as_object().expect("a front matter is a map")
}

/// Returns what stands in a section, ready to be put there.
fn render_section<T: ReadableText>(said: &LessonFields<T>, kind: SectionKind) -> Option<String> {
    let text = match kind {
        SectionKind::When => Some(said.description()),
        SectionKind::What => Some(said.content.text.as_text()),
        SectionKind::Mistake => said.content.mistake.as_ref().map(T::as_text),
    };
    text.map(|text| escape_section(text.trim()))
}

/// Returns the file with these fields as they are said now.
pub(super) fn edit_file(file: &LessonFile, said: &LessonFields, changed: &[&str]) -> String {
    let parts = &file.parts;
    let mut front = parts.front.to_json();
    lay_over(&mut front, said.front_matter(), changed);
    let parts_to_replace = Vec::new();
    let mut patch = FilePatch {
        parts,
        replaced: parts_to_replace,
    };
    patch.replace_sections(file, said, changed);
    let in_body = patch.replaced.clone();
    patch.replace_map(&parts.front, as_map(&front), FRONT_MATTER);
    let new_text = patch.apply();
    if LessonFileParts::parse(&new_text).is_ok_and(|other| other.front.to_json() == front) {
        return new_text;
    }
    patch.replaced = in_body;
    patch.replace(parts.front_at.clone(), &format_front_matter(&front));
    patch.apply()
}

/// Puts the fields of these names over those that are there. Of our own metadata, what we do not
/// write stays.
fn lay_over(there: &mut Json, mut said: Json, names: &[&str]) {
    let own = there["metadata"][VENDOR].as_object().into_iter().flatten();
    for (name, value) in own.filter(|(name, _)| !OWN_FIELDS.contains(&name.as_str())) {
        said["metadata"][VENDOR][name] = value.clone();
    }
    let in_front = names.iter().filter(|name| ![TEXT, MISTAKE].contains(name));
    for path in in_front.flat_map(|name| name.split(", ")) {
        let (map, said, name) = match path.split_once('.') {
            Some((outer, name)) => (&mut there[outer], &said[outer], name),
            None => (&mut *there, &said, path),
        };
        let Some(map) = map.as_object_mut() else {
            continue;
        };
        match said.get(name) {
            Some(value) => map.insert(name.to_owned(), value.clone()),
            None => map.remove(name),
        };
    }
}

/// What is to be replaced in a file.
struct FilePatch<'a> {
    parts: &'a LessonFileParts,
    replaced: Vec<(Range<usize>, String)>,
}

impl FilePatch<'_> {
    /// Returns the file with everything replaced.
    fn apply(&self) -> String {
        let mut parts: Vec<_> = self.replaced.iter().collect();
        parts.sort_by_key(|(at, _)| (at.start, at.end));
        let source = self.parts.text();
        let mut out = String::with_capacity(source.len());
        let mut from = 0;
        for (at, text) in parts {
            // Parts overlap only in YAML that is read again and found to be wrong.
            if at.start >= from {
                out.push_str(&source[from..at.start]);
                out.push_str(text);
                from = at.end;
            }
        }
        out + &source[from..]
    }

    /// Replaces a part, with line breaks as the file has them.
    fn replace(&mut self, at: Range<usize>, text: &str) {
        let first = self.parts.text().split_inclusive('\n').next();
        let text = if first.is_some_and(|line| line.ends_with("\r\n")) {
            text.replace('\n', "\r\n")
        } else {
            text.to_owned()
        };
        self.replaced.push((at, text));
    }

    /// Makes a map that is written in lines say this. One in brackets is left as it is.
    fn replace_map(&mut self, node: &YamlNode, wanted: &Map<String, Json>, order: Order) {
        let first = node.entries().first().filter(|_| node.in_lines);
        let Some(first) = first else { return };
        let start = self.entry_range(first).start;
        let indent = start - self.line_start(start);
        let mut missing = wanted.clone();
        for entry in node.entries() {
            let (name, value) = (entry.key.as_str(), &entry.value);
            let at = self.entry_range(entry);
            match missing.remove(name) {
                Some(wanted) if wanted == value.to_json() => {}
                Some(Json::Object(wanted)) if value.in_lines && !value.entries().is_empty() => {
                    self.replace_map(value, &wanted, emit::order_within(order, name));
                }
                Some(wanted) => self.replace(at, &emit::format_field(name, &wanted, order, indent)),
                None => self.replace(self.line_start(at.start)..self.line_end(at.end), ""),
            }
        }
        let end = self.line_end(self.parts.front_at.start + node.at.end);
        self.replace(end..end, &emit::format_fields(&missing, order, indent));
    }

    /// Returns where an entry stands: from its name to the end of its value.
    fn entry_range(&self, entry: &YamlEntry) -> Range<usize> {
        let front = &self.parts.text()[self.parts.front_at.clone()];
        let colon = front[entry.key_at.end..].find(':').unwrap_or(0);
        let end = entry.value.at.end.max(entry.key_at.end + colon + 1);
        let start = entry.key_at.start;
        let start_at = self.parts.front_at.start + start;
        start_at..start_at + front[start..end].trim_end().len()
    }

    fn line_start(&self, at: usize) -> usize {
        self.parts.text()[..at]
            .rfind('\n')
            .map_or(0, |text| text + 1)
    }

    /// Returns the end of a line. The last line break before a place belongs to the line it ends.
    fn line_end(&self, at: usize) -> usize {
        let (before, behind) = self.parts.text().split_at(at);
        let rest = behind.find('\n').map_or(behind.len(), |behind| behind + 1);
        if before.ends_with('\n') {
            at
        } else {
            at + rest
        }
    }

    fn replace_sections(&mut self, file: &LessonFile, said: &LessonFields, changed: &[&str]) {
        let parts = self.parts;
        let is_changed = |name: &str| changed.contains(&name);
        if is_changed("title")
            && let Some(first) = parts.sections.iter().find(|section| section.level == 1)
            && first.heading == file.fields().content.title.expose()
        {
            self.replace(first.heading_at.clone(), said.content.title.as_str());
        }
        if is_changed("trigger.description")
            && let Some(when) = parts.find_section(SectionKind::When)
            && parts.unescape_range(when.text_at.clone()) == file.fields().description()
        {
            self.replace_section(Some(when.text_at.clone()), said, SectionKind::When);
        }
        let advice = parts.advice_range();
        // Where there was no advice but the title, it must not change with the title.
        let is_title = advice.as_ref().is_none_or(Range::is_empty);
        if is_changed(TEXT) || (is_title && is_changed("title")) {
            self.replace_section(advice, said, SectionKind::What);
        }
        if is_changed(MISTAKE) {
            let mistake = parts.find_section(SectionKind::Mistake);
            let at = mistake.map(|mistake| mistake.text_at.clone());
            self.replace_section(at, said, SectionKind::Mistake);
        }
    }

    /// Replaces what stands in a section, or adds the section at the end.
    fn replace_section(
        &mut self,
        at: Option<Range<usize>>,
        said: &LessonFields,
        kind: SectionKind,
    ) {
        let text = render_section(said, kind).unwrap_or_default();
        let end = self.parts.text().len();
        match at {
            Some(at) if at.is_empty() => self.replace(at, &format!("\n{text}\n")),
            Some(at) => self.replace(at, &text),
            None if text.is_empty() => {}
            None => {
                let has_end = self.parts.text().ends_with('\n');
                let gap = if has_end { "" } else { "\n" };
                let section = format!("{gap}\n## {}\n\n{text}\n", kind.heading());
                self.replace(end..end, &section);
            }
        }
    }
}
