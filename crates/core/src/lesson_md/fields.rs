//! What a file says: its fields, one by one, so that two of them can be compared.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{VENDOR, write::format_reference};
use crate::{
    digest,
    evidence::Evidence,
    lesson::{FailureKey, LessonContent, RunOutcome, Slug},
    text::{CleanText, RawText},
};

/// Text whose words can be looked at, checked or not.
pub trait ReadableText {
    /// Returns the words.
    fn as_text(&self) -> &str;
}

impl ReadableText for RawText {
    fn as_text(&self) -> &str {
        self.expose()
    }
}

impl ReadableText for CleanText {
    fn as_text(&self) -> &str {
        self.as_str()
    }
}

/// How a lesson fared, by its file. Whoever wrote the file may have made that up, so it is kept and
/// never counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClaimedCounts {
    /// How often it is said to have worked.
    pub success: u64,
    /// How often it is said to have been contradicted.
    pub failure: u64,
}

/// What a file says. `T` is [`RawText`] if it was read, and [`CleanText`] if it is to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonFields<T = CleanText> {
    /// The file's name.
    pub slug: Slug,
    /// The words, without the vendor that is ours in `metadata`. The situation is the trigger's
    /// description unless that only repeats the signature or the title.
    pub content: LessonContent<T>,
    /// How the runs behind it ended.
    pub outcome: RunOutcome,
    /// Why to believe it.
    pub evidence: Vec<Evidence<T>>,
    /// The author's own belief, 0 to 1.
    pub confidence: f64,
    /// How it fared, as the file says.
    pub claims: ClaimedCounts,
    /// The failure it is about.
    pub failure: Option<FailureKey>,
    /// The lessons that it replaces.
    pub supersedes: Vec<Slug>,
    /// When it stops being true.
    pub expires_at: Option<Timestamp>,
}

/// A part of a file that changes by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LessonField {
    /// `slug`.
    Slug,
    /// `title`, and the first heading.
    Title,
    /// `trigger.description`, and the section *When this applies*.
    Description,
    /// `trigger.tags`.
    Tags,
    /// `trigger.targets`.
    Targets,
    /// `outcome`.
    Outcome,
    /// `evidence`.
    Evidence,
    /// `confidence`.
    Confidence,
    /// `success_count` and `failure_count`.
    Claims,
    /// `supersedes`.
    Supersedes,
    /// `expires_at`.
    ExpiresAt,
    /// `metadata`.
    Metadata,
    /// The section *What to do (or avoid)*.
    Text,
    /// The section *Counter-example*.
    Mistake,
}

impl LessonField {
    /// All of them, in the order of a file.
    pub const ALL: [Self; 14] = [
        Self::Slug,
        Self::Title,
        Self::Description,
        Self::Tags,
        Self::Targets,
        Self::Outcome,
        Self::Evidence,
        Self::Confidence,
        Self::Claims,
        Self::Supersedes,
        Self::ExpiresAt,
        Self::Metadata,
        Self::Text,
        Self::Mistake,
    ];

    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Slug => "slug",
            Self::Title => "title",
            Self::Description => "trigger.description",
            Self::Tags => "trigger.tags",
            Self::Targets => "trigger.targets",
            Self::Outcome => "outcome",
            Self::Evidence => "evidence",
            Self::Confidence => "confidence",
            Self::Claims => "success_count, failure_count",
            Self::Supersedes => "supersedes",
            Self::ExpiresAt => "expires_at",
            Self::Metadata => "metadata",
            Self::Text => "What to do",
            Self::Mistake => "Counter-example",
        }
    }

    /// Whether two sides that differ only in this say the same. What was counted and what speaks
    /// for a lesson grow by themselves and differ from one machine to the next.
    #[must_use]
    pub fn is_growing(self) -> bool {
        matches!(self, Self::Evidence | Self::Claims)
    }
}

impl<T: ReadableText> LessonFields<T> {
    /// Returns the trigger's description: the situation, else the signature, else the title.
    #[must_use]
    pub fn description(&self) -> &str {
        let content = &self.content;
        let signature = Some(content.signature.as_text()).filter(|it| !it.is_empty());
        let situation = content.situation.as_ref().map(T::as_text);
        situation.or(signature).unwrap_or(content.title.as_text())
    }

    /// Returns the tags that the specification knows, and those of other alphabets and marks.
    pub(super) fn split_tags(&self) -> (Vec<&str>, Vec<&str>) {
        let tags = self.content.tags.iter().map(T::as_text);
        tags.partition(|tag| is_tag(tag))
    }

    /// Returns `metadata`, with our own fields under our own name.
    pub(super) fn metadata(&self) -> BTreeMap<String, Json> {
        let read = |text: &T| {
            serde_json::from_str(text.as_text()).unwrap_or_else(|_| Json::from(text.as_text()))
        };
        let vendors = self.content.metadata.iter();
        let mut all: BTreeMap<String, Json> = vendors
            .map(|(name, value)| (name.clone(), read(value)))
            .collect();
        let own = self.own_metadata();
        if !own.is_empty() {
            all.insert(VENDOR.to_owned(), Json::Object(own));
        }
        all
    }

    fn own_metadata(&self) -> serde_json::Map<String, Json> {
        let content = &self.content;
        let (_, tags) = self.split_tags();
        let tools: Vec<&str> = content.tools.iter().map(T::as_text).collect();
        let failure = self.failure.as_ref().map_or("", FailureKey::as_str);
        let reference = content.reference.as_ref().map_or("", T::as_text);
        let mut own = serde_json::Map::new();
        for (name, text) in [
            ("failure", failure),
            ("ref", reference),
            ("signature", content.signature.as_text()),
        ] {
            if !text.is_empty() {
                own.insert(name.to_owned(), text.into());
            }
        }
        for (name, list) in [("tags", tags), ("tools", tools)] {
            if !list.is_empty() {
                own.insert(name.to_owned(), list.into());
            }
        }
        own
    }

    /// Returns a field's value in a form in which equal values are equal texts.
    fn field_value(&self, field: LessonField) -> String {
        let content = &self.content;
        let value = match field {
            LessonField::Slug => json!(self.slug.as_str()),
            LessonField::Title => json!(content.title.as_text()),
            LessonField::Description => json!(self.description()),
            LessonField::Tags => json!(self.split_tags().0),
            LessonField::Targets => {
                let targets = content.targets.iter();
                targets
                    .map(|it| json!([it.kind.name(), it.glob.as_text()]))
                    .collect()
            }
            LessonField::Outcome => json!(self.outcome.name()),
            LessonField::Evidence => {
                let note =
                    |it: &Evidence<T>| it.note.as_ref().map(|note| note.as_text().to_owned());
                let all = self.evidence.iter();
                let reference =
                    |it: &Evidence<T>| format_reference(it.kind, it.reference.as_text());
                all.map(|it| json!([it.kind.name(), reference(it), note(it)]))
                    .collect()
            }
            LessonField::Confidence => json!(self.confidence),
            LessonField::Claims => json!([self.claims.success, self.claims.failure]),
            LessonField::Supersedes => {
                let mut slugs: Vec<&str> = self.supersedes.iter().map(Slug::as_str).collect();
                slugs.sort_unstable();
                json!(slugs)
            }
            LessonField::ExpiresAt => json!(self.expires_at.map(Timestamp::as_millisecond)),
            LessonField::Metadata => json!(self.metadata()),
            LessonField::Text => json!(content.text.as_text()),
            LessonField::Mistake => json!(content.mistake.as_ref().map(T::as_text)),
        };
        value.to_string()
    }

    /// Returns a short name for a field's value; equal values have equal ones.
    #[must_use]
    pub fn field_digest(&self, field: LessonField) -> String {
        digest::to_hex(&digest::hash_parts([self.field_value(field).as_bytes()])[..6])
    }

    /// Returns a name for all that it says: but for its slug, which is the file's name, and for
    /// what [grows](LessonField::is_growing) by itself.
    #[must_use]
    pub fn content_digest(&self) -> String {
        let kept = LessonField::ALL.into_iter();
        let values: Vec<String> = kept
            .filter(|field| !field.is_growing() && *field != LessonField::Slug)
            .map(|field| self.field_value(field))
            .collect();
        digest::to_hex(&digest::hash_parts(values.iter().map(String::as_bytes))[..16])
    }
}

/// Returns whether a tag is one by the specification: `^[a-z][a-z0-9-]*$`.
pub(super) fn is_tag(tag: &str) -> bool {
    tag.starts_with(|c: char| c.is_ascii_lowercase())
        && tag
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}
