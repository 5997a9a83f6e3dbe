//! Texts in and out of filters: what `redact` and the guard make of them.

use hardwon_core::{InspectionVerdict, Rejection, guard, limits};
use hardwon_redact::redact;
use serde::{Deserialize, Serialize};

/// A text with the caller's name for it. Keys that are not known are passed over.
#[derive(Debug, Serialize, Deserialize)]
pub struct TextSample {
    /// The caller's name for it, any JSON value, given back as it came.
    pub id: serde_json::Value,
    /// The text.
    pub text: String,
}

impl TextSample {
    /// What a line that holds one looks like.
    pub const SHAPE: &str = r#"{"id","text"}"#;

    /// Returns the sample with the secrets of its text replaced.
    #[must_use]
    pub fn redacted(self) -> Self {
        Self {
            text: redact(&self.text).into_owned(),
            ..self
        }
    }
}

/// What the guard makes of a text.
#[derive(Debug, Serialize)]
pub struct CheckReply {
    /// The caller's name for the text.
    pub id: serde_json::Value,
    /// `clean`, `pending` (a person would be asked) or `rejected`.
    pub verdict: &'static str,
    /// What speaks against it, the heaviest first; may be there also where it is `clean`.
    pub reasons: Vec<String>,
}

impl CheckReply {
    /// Has the guard look at a text. One that is too long for a draft is turned away as a draft would
    /// be: unread.
    pub fn from_sample(sample: TextSample) -> Self {
        let chars = sample.text.chars().count();
        if chars > limits::DRAFT_CHARS {
            let too_long = Rejection::TooLong {
                field: "draft",
                chars,
                limit: limits::DRAFT_CHARS,
            };
            return Self {
                id: sample.id,
                verdict: InspectionVerdict::Rejected.name(),
                reasons: vec![too_long.to_string()],
            };
        }
        let reasons = guard::inspect_text(&sample.text);
        Self {
            id: sample.id,
            verdict: InspectionVerdict::from_reasons(&reasons).name(),
            reasons: reasons.iter().map(ToString::to_string).collect(),
        }
    }
}
