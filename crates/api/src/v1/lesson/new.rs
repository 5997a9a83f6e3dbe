//! Lessons that somebody sends to have them recorded, and what became of them.

use hardwon_core::{LessonContent, RawText};
use serde::{Deserialize, Serialize};

/// A lesson from a program, one a line. Keys that are not known are passed over.
#[derive(Debug, Deserialize)]
pub struct AddRequest {
    /// The caller's own name for it, given back with the answer.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// What calls for it; may be absent.
    pub signature: Option<String>,
    /// What to do or avoid.
    pub text: String,
    /// Its topics; may be absent.
    pub tags: Option<Vec<String>>,
}

impl AddRequest {
    /// What a line that holds one looks like.
    pub const SHAPE: &str = r#"{"ref","signature","text","tags"}"#;
}

impl From<AddRequest> for LessonContent<RawText> {
    fn from(new: AddRequest) -> Self {
        let tags = new.tags.unwrap_or_default();
        Self {
            tags: tags.into_iter().map(RawText::from).collect(),
            reference: new.reference.map(RawText::from),
            ..Self::new(new.signature.unwrap_or_default(), new.text)
        }
    }
}

/// The name of a lesson of which the rest cannot be read.
#[derive(Debug, Deserialize)]
pub struct AddReference {
    /// As in [`AddRequest::reference`].
    #[serde(rename = "ref")]
    pub reference: Option<String>,
}

/// What became of a [`AddRequest`].
#[derive(Debug, Serialize)]
pub struct AddReply<'a> {
    /// The number of the lesson that now says it; null if it was refused.
    pub id: Option<i64>,
    /// The caller's own name for it; null if it had none.
    #[serde(rename = "ref")]
    pub reference: Option<&'a str>,
    /// Why it was refused; absent if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
}
