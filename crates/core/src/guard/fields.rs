//! Cleans a draft's fields one by one, and collects what is wrong with them.
//!
//! This is the only place of the guard that creates [`CleanText`]. It knows limits, and does not judge content.

use std::collections::BTreeMap;

use hardwon_redact::{MARK_START, clean_derived, redact, strip_own_blocks};

use super::{
    Rejection,
    neutralise::{break_suspicious_markers, join_lines},
    sentences::first_sentence,
};
use crate::{CleanText, Evidence, LessonContent, LessonTarget, RawText, digest, limits};

/// Removes secrets, our own preambles and the markers that advice has no reason to contain.
fn scrub_text(raw: &str) -> String {
    let text = strip_own_blocks(raw);
    let text = redact(&text);
    break_suspicious_markers(text.trim()).trim().to_owned()
}

/// Derives a title from a text without one: its first sentence, cut to the limit of titles.
pub(super) fn title_from_text(text: &CleanText) -> CleanText {
    clean_derived(&shorten_at_word(
        first_sentence(text.as_str()),
        limits::TITLE_CHARS,
    ))
}

/// Cuts a text at a space, and marks the cut.
fn shorten_at_word(text: &str, chars: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(chars - 1) else {
        return text.to_owned();
    };
    if text[end..].chars().count() <= 1 {
        return text.to_owned();
    }
    let head = &text[..end];
    let whole = text[end..].starts_with(char::is_whitespace);
    let blank = head.rfind(char::is_whitespace).filter(|_| !whole);
    let head = blank.map_or(head, |at| &head[..at]);
    format!("{}…", head.trim_end())
}

/// Cleans a draft's fields, and collects the reasons for rejecting it.
pub(super) struct DraftDesk {
    /// Whether short fields over their limit are cut rather than rejected.
    pub(super) cuts_long_fields: bool,
    /// The reasons for rejection so far.
    pub(super) rejections: Vec<Rejection>,
}

impl DraftDesk {
    /// Cleans every field of a lesson's content.
    pub(super) fn clean_content(&mut self, raw: LessonContent<RawText>) -> LessonContent {
        let tags = raw
            .tags
            .iter()
            .map(|tag| normalise_tag(&scrub_text(tag.expose())))
            .collect();
        let tools = raw
            .tools
            .iter()
            .map(|tool| scrub_line(tool.expose()))
            .collect();
        let targets = raw.targets.iter().map(|target| LessonTarget {
            kind: target.kind,
            glob: self.clean_line("target", target.glob.expose(), limits::TAG_CHARS),
        });
        let mut targets: Vec<LessonTarget> =
            targets.filter(|target| !target.glob.is_blank()).collect();
        self.limit_count("targets", &mut targets, limits::TOOLS);
        LessonContent {
            title: self.clean_line("title", raw.title.expose(), limits::TITLE_CHARS),
            signature: self.clean_line(
                "signature",
                raw.signature.expose(),
                limits::SIGNATURE_CHARS,
            ),
            text: self.clean_text(raw.text.expose()),
            situation: self.clean_optional("situation", raw.situation),
            mistake: self.clean_optional("mistake", raw.mistake),
            tags: self.clean_names("tags", tags, limits::TAGS),
            targets,
            tools: self.clean_names("tools", tools, limits::TOOLS),
            reference: raw
                .reference
                .map(|reference| self.clean_reference(reference.expose()))
                .filter(|entry| !entry.is_blank()),
            metadata: self.clean_metadata(raw.metadata),
        }
    }

    fn clean_text(&mut self, raw: &str) -> CleanText {
        let text = scrub_text(raw);
        self.check_length("text", text.chars().count(), limits::TEXT_CHARS);
        clean_derived(&text)
    }

    fn clean_line(&mut self, field: &'static str, raw: &str, limit: usize) -> CleanText {
        let text = scrub_line(raw);
        self.fit_to_limit(field, &text, limit)
    }

    /// Cleans the name that a caller has for a lesson. Anything that looks like a secret is removed, and a few digits
    /// of its digest distinguish names that are the same without it.
    fn clean_reference(&mut self, raw: &str) -> CleanText {
        let mut text = scrub_line(raw);
        if text.contains(MARK_START) && !raw.contains(MARK_START) {
            let digest = digest::to_hex(&digest::hash_parts([raw.as_bytes()]));
            text = format!("{text}-{}", &digest[..6]);
        }
        self.fit_to_limit("ref", &text, limits::REFERENCE_CHARS)
    }

    fn clean_optional(&mut self, field: &'static str, raw: Option<RawText>) -> Option<CleanText> {
        let text = scrub_text(raw?.expose());
        (!text.is_empty()).then(|| self.fit_to_limit(field, &text, limits::SITUATION_CHARS))
    }

    /// Applies the limit of a short field, by cutting or rejecting it.
    fn fit_to_limit(&mut self, field: &'static str, text: &str, limit: usize) -> CleanText {
        if self.cuts_long_fields {
            return clean_derived(&shorten_at_word(text, limit));
        }
        self.check_length(field, text.chars().count(), limit);
        clean_derived(text)
    }

    fn check_length(&mut self, field: &'static str, chars: usize, limit: usize) {
        if chars > limit {
            self.rejections.push(Rejection::TooLong {
                field,
                chars,
                limit,
            });
        }
    }

    fn limit_count<T>(&mut self, field: &'static str, list: &mut Vec<T>, limit: usize) {
        if !self.cuts_long_fields {
            self.check_count(field, list.len(), limit);
        }
        list.truncate(limit);
    }

    fn check_count(&mut self, field: &'static str, count: usize, limit: usize) {
        if count > limit {
            self.rejections.push(Rejection::TooMany {
                field,
                count,
                limit,
            });
        }
    }

    /// Removes repeated names, keeping the first of each in their order.
    fn clean_names(
        &mut self,
        field: &'static str,
        raw: Vec<String>,
        limit: usize,
    ) -> Vec<CleanText> {
        let mut names: Vec<CleanText> = Vec::new();
        for name in raw.iter().filter(|name| !name.is_empty()) {
            let name = self.fit_to_limit(field, name, limits::TAG_CHARS);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        self.limit_count(field, &mut names, limit);
        names
    }

    /// Keeps the first piece of evidence and the newest ones.
    pub(super) fn clean_evidence(&mut self, raw: Vec<Evidence<RawText>>) -> Vec<Evidence> {
        let references = raw.iter().map(|raw| Evidence {
            kind: raw.kind,
            reference: self.clean_line(
                "evidence reference",
                raw.reference.expose(),
                limits::EVIDENCE_REF_CHARS,
            ),
            note: raw
                .note
                .as_ref()
                .map(|note| {
                    self.clean_line("evidence note", note.expose(), limits::EVIDENCE_NOTE_CHARS)
                })
                .filter(|note| !note.is_blank()),
        });
        let mut all: Vec<Evidence> = references
            .filter(|reference| !reference.reference.is_blank())
            .collect();
        if all.is_empty() {
            self.rejections.push(Rejection::NoEvidence);
        }
        let over = all.len().saturating_sub(limits::EVIDENCE_ENTRIES);
        all.drain(1.min(all.len())..(1 + over).min(all.len()));
        all
    }

    fn clean_metadata(&mut self, raw: BTreeMap<String, RawText>) -> BTreeMap<String, CleanText> {
        let chars = raw
            .values()
            .map(|value| value.expose().chars().count())
            .sum();
        self.check_count("vendors in metadata", raw.len(), limits::METADATA_ENTRIES);
        self.check_length("metadata", chars, limits::METADATA_CHARS);
        raw.into_iter()
            .map(|(vendor, value)| {
                let vendor = self.clean_line("vendor in metadata", &vendor, limits::NAME_CHARS);
                (vendor.as_str().to_owned(), clean_json(value.expose()))
            })
            .collect()
    }

    /// Collects what a lesson lacks as a whole.
    pub(super) fn check_completeness(&mut self, content: &LessonContent, confidence: f64) {
        if content.text.is_blank() {
            self.rejections.push(Rejection::NoText);
        } else if content.signature.is_blank()
            && content.tags.is_empty()
            && !has_search_word(&content.text)
        {
            self.rejections.push(Rejection::Overbroad);
        }
        if !(0.0..=1.0).contains(&confidence) {
            self.rejections
                .push(Rejection::InvalidConfidence(confidence));
        }
    }
}

/// Scrubs a field that is one line by nature.
fn scrub_line(raw: &str) -> String {
    join_lines(&scrub_text(raw)).into_owned()
}

/// Scrubs every text inside a JSON value, so that the result is JSON as well.
fn clean_json(raw: &str) -> CleanText {
    let value =
        serde_json::from_str(raw).unwrap_or_else(|_| serde_json::Value::String(raw.to_owned()));
    clean_derived(&scrub_json(value).to_string())
}

fn scrub_json(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::String(text) => Value::String(scrub_text(&text)),
        Value::Array(list) => list.into_iter().map(scrub_json).collect(),
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| (scrub_text(&key), scrub_json(value)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// Normalises a tag to `^[a-z][a-z0-9-]*$` where its script allows it.
///
/// Letters of other scripts stay, and so do the marks of names such as `c++`, `c#` and `node.js`: tags serve matching
/// first, and an export that needs plain ASCII can drop them.
pub fn normalise_tag(text: &str) -> String {
    let mut tag = String::with_capacity(text.len());
    for ch in text.chars().flat_map(char::to_lowercase) {
        if ch.is_alphanumeric() || matches!(ch, '+' | '#' | '.') {
            tag.push(ch);
        } else if !tag.ends_with('-') {
            tag.push('-');
        }
    }
    tag.trim_start_matches(['#', '-', '.', '+'])
        .trim_end_matches(['-', '.'])
        .to_owned()
}

/// Returns whether the text contains a word to search for.
fn has_search_word(text: &CleanText) -> bool {
    let words = text.as_str().split(|ch: char| !ch.is_alphanumeric());
    words.into_iter().any(|word| {
        let letters = word.chars().filter(|ch| ch.is_alphabetic()).count();
        letters >= 3 || letters > 0 && !word.is_ascii()
    })
}
