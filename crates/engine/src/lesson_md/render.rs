//! A file made of what a lesson says: written from nothing, or changed where the lesson changed and
//! nowhere else.
//!
//! A change is laid over the front matter that is there, which is written anew if it differs then, with the fields
//! that nobody knows. Of the body only the sections that changed are replaced.

use std::ops::Range;

use serde_json::{Map, Value as Json};

use super::{
    VENDOR,
    body::escape_section,
    emit::{self, FRONT_MATTER},
    fields::{MISTAKE, OWN_FIELDS, ReadableText, TEXT},
    parts::{LessonFileParts, SectionKind},
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
    let mut patch = FilePatch {
        parts,
        replaced: Vec::new(),
    };
    if front != parts.front.to_json() {
        patch.replace(parts.front_at.clone(), &format_front_matter(&front));
    }
    patch.replace_sections(file, said, changed);
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
            out.push_str(&source[from..at.start]);
            out.push_str(text);
            from = at.end;
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
