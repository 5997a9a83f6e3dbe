//! What a file says: its fields, one by one, so that two of them can be compared.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{VENDOR, write::reference};
use crate::{
    digest,
    evidence::Evidence,
    lesson::{Content, FailureKey, Outcome, Slug},
    text::{CleanText, RawText},
};

/// Text whose words can be looked at, checked or not.
pub trait Words {
    /// Returns the words.
    fn words(&self) -> &str;
}

impl Words for RawText {
    fn words(&self) -> &str {
        self.expose()
    }
}

impl Words for CleanText {
    fn words(&self) -> &str {
        self.as_str()
    }
}

/// How a lesson fared, by its file. Whoever wrote the file may have made that up, so it is kept and
/// never counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Claims {
    /// How often it is said to have worked.
    pub success: u64,
    /// How often it is said to have been contradicted.
    pub failure: u64,
}

/// What a file says. `T` is [`RawText`] if it was read, and [`CleanText`] if it is to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Said<T = CleanText> {
    /// The file's name.
    pub slug: Slug,
    /// The words, without the vendor that is ours in `metadata`. The situation is the trigger's
    /// description unless that only repeats the signature or the title.
    pub content: Content<T>,
    /// How the runs behind it ended.
    pub outcome: Outcome,
    /// Why to believe it.
    pub evidence: Vec<Evidence<T>>,
    /// The author's own belief, 0 to 1.
    pub confidence: f64,
    /// How it fared, as the file says.
    pub claims: Claims,
    /// The failure it is about.
    pub failure: Option<FailureKey>,
    /// The lessons that it replaces.
    pub supersedes: Vec<Slug>,
    /// When it stops being true.
    pub expires_at: Option<Timestamp>,
}

/// A part of a file that changes by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
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

impl Field {
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
    pub fn grows(self) -> bool {
        matches!(self, Self::Evidence | Self::Claims)
    }
}

impl<T: Words> Said<T> {
    /// Returns the trigger's description: the situation, else the signature, else the title.
    #[must_use]
    pub fn description(&self) -> &str {
        let content = &self.content;
        let signature = Some(content.signature.words()).filter(|it| !it.is_empty());
        let situation = content.situation.as_ref().map(T::words);
        situation.or(signature).unwrap_or(content.title.words())
    }

    /// Returns the tags that the specification knows, and those of other alphabets and marks.
    pub(super) fn tags(&self) -> (Vec<&str>, Vec<&str>) {
        let tags = self.content.tags.iter().map(T::words);
        tags.partition(|tag| is_tag(tag))
    }

    /// Returns `metadata`, with our own fields under our own name.
    pub(super) fn metadata(&self) -> BTreeMap<String, Json> {
        let read = |text: &T| {
            serde_json::from_str(text.words()).unwrap_or_else(|_| Json::from(text.words()))
        };
        let vendors = self.content.metadata.iter();
        let mut all: BTreeMap<String, Json> = vendors
            .map(|(name, value)| (name.clone(), read(value)))
            .collect();
        let own = self.own();
        if !own.is_empty() {
            all.insert(VENDOR.to_owned(), Json::Object(own));
        }
        all
    }

    fn own(&self) -> serde_json::Map<String, Json> {
        let content = &self.content;
        let (_, tags) = self.tags();
        let tools: Vec<&str> = content.tools.iter().map(T::words).collect();
        let failure = self.failure.as_ref().map_or("", FailureKey::as_str);
        let reference = content.reference.as_ref().map_or("", T::words);
        let mut own = serde_json::Map::new();
        for (name, text) in [
            ("failure", failure),
            ("ref", reference),
            ("signature", content.signature.words()),
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
    fn value(&self, field: Field) -> String {
        let content = &self.content;
        let value = match field {
            Field::Slug => json!(self.slug.as_str()),
            Field::Title => json!(content.title.words()),
            Field::Description => json!(self.description()),
            Field::Tags => json!(self.tags().0),
            Field::Targets => {
                let targets = content.targets.iter();
                targets
                    .map(|it| json!([it.kind.name(), it.glob.words()]))
                    .collect()
            }
            Field::Outcome => json!(self.outcome.name()),
            Field::Evidence => {
                let note = |it: &Evidence<T>| it.note.as_ref().map(|note| note.words().to_owned());
                let all = self.evidence.iter();
                let reference = |it: &Evidence<T>| reference(it.kind, it.reference.words());
                all.map(|it| json!([it.kind.name(), reference(it), note(it)]))
                    .collect()
            }
            Field::Confidence => json!(self.confidence),
            Field::Claims => json!([self.claims.success, self.claims.failure]),
            Field::Supersedes => {
                let mut slugs: Vec<&str> = self.supersedes.iter().map(Slug::as_str).collect();
                slugs.sort_unstable();
                json!(slugs)
            }
            Field::ExpiresAt => json!(self.expires_at.map(Timestamp::as_millisecond)),
            Field::Metadata => json!(self.metadata()),
            Field::Text => json!(content.text.words()),
            Field::Mistake => json!(content.mistake.as_ref().map(T::words)),
        };
        value.to_string()
    }

    /// Returns a short name for a field's value; equal values have equal ones.
    #[must_use]
    pub fn print(&self, field: Field) -> String {
        digest::hex(&digest::of([self.value(field).as_bytes()])[..6])
    }

    /// Returns a name for all that it says: but for its slug, which is the file's name, and for
    /// what [grows](Field::grows) by itself.
    #[must_use]
    pub fn prints(&self) -> String {
        let kept = Field::ALL.into_iter();
        let values: Vec<String> = kept
            .filter(|field| !field.grows() && *field != Field::Slug)
            .map(|field| self.value(field))
            .collect();
        digest::hex(&digest::of(values.iter().map(String::as_bytes))[..16])
    }
}

/// Returns whether a tag is one by the specification: `^[a-z][a-z0-9-]*$`.
pub(super) fn is_tag(tag: &str) -> bool {
    tag.starts_with(|c: char| c.is_ascii_lowercase())
        && tag
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}
