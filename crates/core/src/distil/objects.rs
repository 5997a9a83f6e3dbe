//! Shared by the questions that a model answers in JSON: the objects in a reply, and a lesson in one of them.
//!
//! A model may write anything around an object, and an answer may end in the middle of one. What an object means is for
//! whoever asked.

use serde::Deserialize;

use super::reply::ModelLesson;

/// A lesson before validation.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct RawLesson {
    title: serde_json::Value,
    situation: serde_json::Value,
    mistake: serde_json::Value,
    correction: serde_json::Value,
    tags: serde_json::Value,
}

impl RawLesson {
    /// Returns the lesson, if it has both required parts and does not repeat the form.
    pub fn into_model_lesson(self) -> Option<ModelLesson> {
        let text = |value: serde_json::Value| match value {
            serde_json::Value::String(text) => text.trim().to_owned(),
            _ => String::new(),
        };
        let tags = match self.tags {
            serde_json::Value::Array(tags) => tags.into_iter().map(text).collect(),
            other => text(other).split(',').map(str::to_owned).collect(),
        };
        let lesson = ModelLesson {
            title: text(self.title),
            situation: text(self.situation),
            mistake: text(self.mistake),
            correction: text(self.correction),
            tags,
        };
        if lesson.situation.is_empty() || lesson.correction.is_empty() {
            return None;
        }
        let is_form = |text: &str| text.chars().all(|c| c == '…' || c == '.');
        if is_form(&lesson.situation) || is_form(&lesson.correction) {
            return None;
        }
        Some(lesson)
    }
}

/// Returns the outermost whole JSON objects of a text, unparsed, within so many attempts. Of an object that was cut off
/// the whole ones inside of it are found.
pub fn find_objects(text: &str, attempts: usize) -> impl Iterator<Item = &str> {
    let mut at = 0;
    let mut tries = attempts;
    std::iter::from_fn(move || {
        while tries > 0 {
            let start = at + text[at..].find('{')?;
            tries -= 1;
            match find_object_end(&text[start..]) {
                Some(end) => {
                    at = start + end;
                    return Some(&text[start..at]);
                }
                // A brace in prose: the object may be inside of it.
                None => at = start + 1,
            }
        }
        None
    })
}

/// Returns the end of the object at the beginning of a text.
fn find_object_end(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}
