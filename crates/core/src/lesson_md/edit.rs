//! A file changed where a lesson changed, and nowhere else.
//!
//! Each changed field is replaced where it stands. The result is read again: if a field does not
//! say then what it should, because the file is written in a way that cannot be changed in place,
//! the front matter is written anew, with the fields that nobody knows.

use std::{collections::BTreeSet, ops::Range};

use serde_json::Value as Json;

use super::{
    LessonFields, LessonFile, VENDOR, emit,
    fields::LessonField,
    file::{SectionKind, unescape_range},
    write,
    yaml::{YamlEntry, YamlNode, YamlValue},
};
use crate::text::CleanText;

/// Returns the file with these fields as they are said now.
pub(super) fn edit_file(file: &LessonFile, said: &LessonFields, changed: &[LessonField]) -> String {
    let source = file.source().expose();
    let mut front = FilePatch::new(file);
    for field in changed {
        front.replace_field(said, *field);
    }
    let mut body = FilePatch::new(file);
    body.replace_sections(said, changed);
    let whole = front
        .replaced
        .iter()
        .chain(&body.replaced)
        .cloned()
        .collect();
    let edited = apply_replacements(source, whole);
    if has_expected_fields(&edited, file, said, changed) {
        return edited;
    }
    let parts = file.parts();
    let anew = body.with_line_breaks(&write::render_front_matter(said, Some(&parts.front)));
    body.replaced.push((parts.front_at.clone(), anew));
    apply_replacements(source, body.replaced)
}

/// Returns whether a file says what it should: what changed as it is now, the rest as before.
fn has_expected_fields(
    edited: &str,
    before: &LessonFile,
    said: &LessonFields,
    changed: &[LessonField],
) -> bool {
    let Some(read) = LessonFile::parse(None, edited).file else {
        return false;
    };
    LessonField::ALL.into_iter().all(|field| {
        let expected = if changed.contains(&field) {
            said.field_digest(field)
        } else {
            before.fields().field_digest(field)
        };
        read.fields().field_digest(field) == expected
    })
}

fn apply_replacements(source: &str, mut replaced: Vec<(Range<usize>, String)>) -> String {
    replaced.sort_by_key(|(at, _)| (at.start, at.end));
    let mut out = String::with_capacity(source.len());
    let mut from = 0;
    for (at, text) in replaced {
        // What overlaps was replaced with what stands around it.
        if at.start >= from {
            out.push_str(&source[from..at.start]);
            out.push_str(&text);
            from = at.end;
        }
    }
    out.push_str(&source[from..]);
    out
}

/// What is to be replaced in a source.
struct FilePatch<'a> {
    file: &'a LessonFile,
    source: &'a str,
    start: usize,
    replaced: Vec<(Range<usize>, String)>,
}

impl<'a> FilePatch<'a> {
    fn new(file: &'a LessonFile) -> Self {
        Self {
            file,
            source: file.source().expose(),
            start: file.parts().front_at.start,
            replaced: Vec::new(),
        }
    }

    /// Writes line breaks as the source does.
    fn with_line_breaks(&self, text: &str) -> String {
        let first = self.source.split_inclusive('\n').next().unwrap_or_default();
        if first.ends_with("\r\n") {
            text.replace('\n', "\r\n")
        } else {
            text.to_owned()
        }
    }

    fn replace_range(&mut self, at: Range<usize>, text: &str) {
        let text = self.with_line_breaks(text);
        self.replaced.push((at, text));
    }

    fn replace_field(&mut self, said: &LessonFields, field: LessonField) {
        let front = &self.file.parts().front;
        let in_trigger = matches!(
            field,
            LessonField::Description | LessonField::Tags | LessonField::Targets
        );
        if field == LessonField::Metadata {
            return self.replace_metadata(front, said);
        }
        let parent = if in_trigger {
            front.get(&["trigger"])
        } else {
            Some(front)
        };
        let Some(parent) = parent else { return };
        for (name, value) in write::field_values(said, field, self.entry_indent(parent)) {
            self.replace_entry(parent, name, value.as_deref());
        }
    }

    /// Sets the vendors whose fields differ; of our own, what we do not know stays.
    fn replace_metadata(&mut self, front: &YamlNode, said: &LessonFields) {
        let mut wanted = said.metadata();
        let Some(parent) = front.get(&["metadata"]) else {
            for (name, value) in write::field_values(said, LessonField::Metadata, 0) {
                self.replace_entry(front, name, value.as_deref());
            }
            return;
        };
        let there = parent.to_json();
        if let Some(ours) = merge_own_metadata(wanted.remove(VENDOR), &there[VENDOR]) {
            wanted.insert(VENDOR.to_owned(), ours);
        }
        if wanted.is_empty() {
            return self.replace_entry(front, "metadata", None);
        }
        let names: BTreeSet<&String> = wanted
            .keys()
            .chain(there.as_object().into_iter().flat_map(|it| it.keys()))
            .collect();
        for name in names {
            let value = wanted.get(name);
            if value != there.get(name) {
                let indent = self.entry_indent(parent);
                let text = value.map(|value| emit::format_value(value, indent + 2));
                self.replace_entry(parent, name, text.as_deref());
            }
        }
    }

    /// Sets, adds or takes out an entry of a map that is written in lines. One in brackets is left
    /// to be written anew.
    fn replace_entry(&mut self, parent: &YamlNode, name: &str, value: Option<&str>) {
        if !parent.in_lines {
            return;
        }
        match (parent.find_entry(name), value) {
            (Some(entry), Some(value)) => {
                let at = self.entry_range(entry);
                self.replace_range(at, &format!("{}:{value}", emit::format_scalar(name)));
            }
            (Some(entry), None) => {
                let at = self.entry_range(entry);
                self.replace_range(self.line_start(at.start)..self.line_end(at.end), "");
            }
            (None, Some(value)) => {
                let indent = self.entry_indent(parent);
                let at = self.line_end(self.start + parent.content_end());
                let line = format!("{:indent$}{}:{value}\n", "", emit::format_scalar(name));
                let at = if self.source[..at].ends_with('\n') {
                    at
                } else {
                    return;
                };
                self.replace_range(at..at, &line);
            }
            (None, None) => {}
        }
    }

    /// Returns where an entry stands: from its name to the end of its value.
    fn entry_range(&self, entry: &YamlEntry) -> Range<usize> {
        let start = self.start + entry.key_at.start;
        let colon = self.source[self.start + entry.key_at.end..]
            .find(':')
            .unwrap_or(0);
        let least = self.start + entry.key_at.end + colon + 1;
        let end = (self.start + entry.value.content_end()).max(least);
        start..start + self.source[start..end].trim_end().len()
    }

    /// Returns the column in which the entries of a map begin.
    fn entry_indent(&self, parent: &YamlNode) -> usize {
        let first = match &parent.value {
            YamlValue::Map(entries) => entries.first(),
            YamlValue::Scalar(_) | YamlValue::List(_) => None,
        };
        first.map_or(0, |entry| {
            let at = self.start + entry.key_at.start;
            at - self.line_start(at)
        })
    }

    fn line_start(&self, at: usize) -> usize {
        self.source[..at].rfind('\n').map_or(0, |it| it + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        // The last line break before a place belongs to the line that it ends.
        if self.source[..at].ends_with('\n') {
            return at;
        }
        self.source[at..]
            .find('\n')
            .map_or(self.source.len(), |it| at + it + 1)
    }

    fn replace_sections(&mut self, said: &LessonFields, changed: &[LessonField]) {
        let parts = self.file.parts();
        let before = self.file.fields();
        if changed.contains(&LessonField::Title)
            && let Some(first) = parts.sections.iter().find(|it| it.level == 1)
            && first.heading == before.content.title.expose()
        {
            self.replace_range(first.heading_at.clone(), said.content.title.as_str());
        }
        if changed.contains(&LessonField::Description)
            && let Some(when) = parts.find_section(SectionKind::When)
            && unescape_range(self.source, when.text_at.clone()) == before.description()
        {
            self.replace_section(Some(when.text_at.clone()), SectionKind::When, said);
        }
        let advice = parts.advice_range(self.source);
        // Where there was no advice but the title, it must not change with the title.
        let is_derived =
            advice.as_ref().is_none_or(Range::is_empty) && changed.contains(&LessonField::Title);
        if changed.contains(&LessonField::Text) || is_derived {
            self.replace_section(advice, SectionKind::What, said);
        }
        if changed.contains(&LessonField::Mistake) {
            let at = parts
                .find_section(SectionKind::Mistake)
                .map(|it| it.text_at.clone());
            self.replace_section(at, SectionKind::Mistake, said);
        }
    }

    /// Replaces what stands in a section, or adds the section at the end.
    fn replace_section(
        &mut self,
        at: Option<Range<usize>>,
        part: SectionKind,
        said: &LessonFields<CleanText>,
    ) {
        let text = write::render_section(said, part).unwrap_or_default();
        match at {
            Some(at) if at.is_empty() => self.replace_range(at, &format!("\n{text}\n")),
            Some(at) => self.replace_range(at, &text),
            None if text.is_empty() => {}
            None => {
                let end = self.source.len();
                let gap = if self.source.ends_with('\n') {
                    ""
                } else {
                    "\n"
                };
                self.replace_range(
                    end..end,
                    &format!("{gap}\n## {}\n\n{text}\n", part.heading()),
                );
            }
        }
    }
}

/// Puts our own fields in the place of those that are there, and keeps what we do not write.
fn merge_own_metadata(ours: Option<Json>, there: &Json) -> Option<Json> {
    let mut all = there.as_object().cloned().unwrap_or_default();
    for name in ["failure", "ref", "signature", "tags", "tools"] {
        all.remove(name);
    }
    if let Some(Json::Object(ours)) = ours {
        all.extend(ours);
    }
    (!all.is_empty()).then_some(Json::Object(all))
}
