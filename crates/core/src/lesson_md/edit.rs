//! A file changed where a lesson changed, and nowhere else.
//!
//! Each changed field is replaced where it stands. The result is read again: if a field does not
//! say then what it should, because the file is written in a way that cannot be changed in place,
//! the front matter is written anew, with the fields that nobody knows.

use std::{collections::BTreeSet, ops::Range};

use serde_json::Value as Json;

use super::{
    LessonFile, Said, VENDOR, emit,
    file::{Part, meant},
    said::Field,
    write,
    yaml::{Entry, Node, Value},
};
use crate::text::CleanText;

/// Returns the file with these fields as they are said now.
pub(super) fn edit(file: &LessonFile, said: &Said, changed: &[Field]) -> String {
    let source = file.source().expose();
    let mut front = Patch::of(file);
    for field in changed {
        front.field(said, *field);
    }
    let mut body = Patch::of(file);
    body.sections(said, changed);
    let whole = front
        .replaced
        .iter()
        .chain(&body.replaced)
        .cloned()
        .collect();
    let edited = applied(source, whole);
    if says(&edited, file, said, changed) {
        return edited;
    }
    let parts = file.parts();
    let anew = body.broken(&write::front(said, Some(&parts.front)));
    body.replaced.push((parts.front_at.clone(), anew));
    applied(source, body.replaced)
}

/// Returns whether a file says what it should: what changed as it is now, the rest as before.
fn says(edited: &str, before: &LessonFile, said: &Said, changed: &[Field]) -> bool {
    let Some(read) = LessonFile::read(None, edited).file else {
        return false;
    };
    Field::ALL.into_iter().all(|field| {
        let expected = if changed.contains(&field) {
            said.print(field)
        } else {
            before.said().print(field)
        };
        read.said().print(field) == expected
    })
}

fn applied(source: &str, mut replaced: Vec<(Range<usize>, String)>) -> String {
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
struct Patch<'a> {
    file: &'a LessonFile,
    source: &'a str,
    start: usize,
    replaced: Vec<(Range<usize>, String)>,
}

impl<'a> Patch<'a> {
    fn of(file: &'a LessonFile) -> Self {
        Self {
            file,
            source: file.source().expose(),
            start: file.parts().front_at.start,
            replaced: Vec::new(),
        }
    }

    /// Writes line breaks as the source does.
    fn broken(&self, text: &str) -> String {
        let first = self.source.split_inclusive('\n').next().unwrap_or_default();
        if first.ends_with("\r\n") {
            text.replace('\n', "\r\n")
        } else {
            text.to_owned()
        }
    }

    fn put(&mut self, at: Range<usize>, text: &str) {
        let text = self.broken(text);
        self.replaced.push((at, text));
    }

    fn field(&mut self, said: &Said, field: Field) {
        let front = &self.file.parts().front;
        let in_trigger = matches!(field, Field::Description | Field::Tags | Field::Targets);
        if field == Field::Metadata {
            return self.metadata(front, said);
        }
        let parent = if in_trigger {
            front.get(&["trigger"])
        } else {
            Some(front)
        };
        let Some(parent) = parent else { return };
        for (name, value) in write::values(said, field, self.indent(parent)) {
            self.entry(parent, name, value.as_deref());
        }
    }

    /// Sets the vendors whose fields differ; of our own, what we do not know stays.
    fn metadata(&mut self, front: &Node, said: &Said) {
        let mut wanted = said.metadata();
        let Some(parent) = front.get(&["metadata"]) else {
            for (name, value) in write::values(said, Field::Metadata, 0) {
                self.entry(front, name, value.as_deref());
            }
            return;
        };
        let there = parent.json();
        if let Some(ours) = merged(wanted.remove(VENDOR), &there[VENDOR]) {
            wanted.insert(VENDOR.to_owned(), ours);
        }
        if wanted.is_empty() {
            return self.entry(front, "metadata", None);
        }
        let names: BTreeSet<&String> = wanted
            .keys()
            .chain(there.as_object().into_iter().flat_map(|it| it.keys()))
            .collect();
        for name in names {
            let value = wanted.get(name);
            if value != there.get(name) {
                let indent = self.indent(parent);
                let text = value.map(|value| emit::field(value, indent + 2));
                self.entry(parent, name, text.as_deref());
            }
        }
    }

    /// Sets, adds or takes out an entry of a map that is written in lines. One in brackets is left
    /// to be written anew.
    fn entry(&mut self, parent: &Node, name: &str, value: Option<&str>) {
        if !parent.in_lines {
            return;
        }
        match (parent.entry(name), value) {
            (Some(entry), Some(value)) => {
                let at = self.entry_at(entry);
                self.put(at, &format!("{}:{value}", emit::scalar(name)));
            }
            (Some(entry), None) => {
                let at = self.entry_at(entry);
                self.put(self.line_start(at.start)..self.line_end(at.end), "");
            }
            (None, Some(value)) => {
                let indent = self.indent(parent);
                let at = self.line_end(self.start + parent.end());
                let line = format!("{:indent$}{}:{value}\n", "", emit::scalar(name));
                let at = if self.source[..at].ends_with('\n') {
                    at
                } else {
                    return;
                };
                self.put(at..at, &line);
            }
            (None, None) => {}
        }
    }

    /// Returns where an entry stands: from its name to the end of its value.
    fn entry_at(&self, entry: &Entry) -> Range<usize> {
        let start = self.start + entry.key_at.start;
        let colon = self.source[self.start + entry.key_at.end..]
            .find(':')
            .unwrap_or(0);
        let least = self.start + entry.key_at.end + colon + 1;
        let end = (self.start + entry.value.end()).max(least);
        start..start + self.source[start..end].trim_end().len()
    }

    /// Returns the column in which the entries of a map begin.
    fn indent(&self, parent: &Node) -> usize {
        let first = match &parent.value {
            Value::Map(entries) => entries.first(),
            Value::Scalar(_) | Value::List(_) => None,
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

    fn sections(&mut self, said: &Said, changed: &[Field]) {
        let parts = self.file.parts();
        let before = self.file.said();
        if changed.contains(&Field::Title)
            && let Some(first) = parts.sections.iter().find(|it| it.level == 1)
            && first.heading == before.content.title.expose()
        {
            self.put(first.heading_at.clone(), said.content.title.as_str());
        }
        if changed.contains(&Field::Description)
            && let Some(when) = parts.section(Part::When)
            && meant(self.source, when.text_at.clone()) == before.description()
        {
            self.section(Some(when.text_at.clone()), Part::When, said);
        }
        let advice = parts.advice_at(self.source);
        // Where there was no advice but the title, it must not change with the title.
        let is_derived =
            advice.as_ref().is_none_or(Range::is_empty) && changed.contains(&Field::Title);
        if changed.contains(&Field::Text) || is_derived {
            self.section(advice, Part::What, said);
        }
        if changed.contains(&Field::Mistake) {
            let at = parts.section(Part::Mistake).map(|it| it.text_at.clone());
            self.section(at, Part::Mistake, said);
        }
    }

    /// Replaces what stands in a section, or adds the section at the end.
    fn section(&mut self, at: Option<Range<usize>>, part: Part, said: &Said<CleanText>) {
        let text = write::section(said, part).unwrap_or_default();
        match at {
            Some(at) if at.is_empty() => self.put(at, &format!("\n{text}\n")),
            Some(at) => self.put(at, &text),
            None if text.is_empty() => {}
            None => {
                let end = self.source.len();
                let gap = if self.source.ends_with('\n') {
                    ""
                } else {
                    "\n"
                };
                self.put(
                    end..end,
                    &format!("{gap}\n## {}\n\n{text}\n", part.heading()),
                );
            }
        }
    }
}

/// Puts our own fields in the place of those that are there, and keeps what we do not write.
fn merged(ours: Option<Json>, there: &Json) -> Option<Json> {
    let mut all = there.as_object().cloned().unwrap_or_default();
    for name in ["failure", "ref", "signature", "tags", "tools"] {
        all.remove(name);
    }
    if let Some(Json::Object(ours)) = ours {
        all.extend(ours);
    }
    (!all.is_empty()).then_some(Json::Object(all))
}
