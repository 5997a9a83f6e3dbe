//! Many recalls, one a line. Nothing counts as shown, and more lessons may be asked for than a preamble
//! holds.

use hardwon_core::RankedLesson;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::v1::lesson::author_reference;

/// One question. Keys that are not known are passed over.
#[derive(Debug, Deserialize)]
pub struct BatchRequest {
    /// The caller's name for it, any JSON value, given back as it came.
    pub id: Value,
    /// The task.
    pub prompt: String,
    /// How many lessons at most; as many as a preamble has if it is absent or null.
    pub k: Option<usize>,
}

impl BatchRequest {
    /// What a line that holds one looks like.
    pub const SHAPE: &str = r#"{"id","prompt","k"}"#;
}

/// The answer to a [`BatchRequest`].
#[derive(Debug, Serialize)]
pub struct BatchReply<'a> {
    /// The caller's name for the question.
    pub id: &'a Value,
    /// The lessons that fit, the best first; empty also where the store cannot be read.
    pub lessons: Vec<BatchHit<'a>>,
}

/// A lesson in a [`BatchReply`].
#[derive(Debug, Serialize)]
pub struct BatchHit<'a> {
    /// Its number.
    pub id: i64,
    /// The name that its author gave it; null if they gave none.
    #[serde(rename = "ref")]
    pub reference: Option<&'a str>,
    /// What it is ranked by.
    pub score: f32,
}

impl<'a> From<&'a RankedLesson> for BatchHit<'a> {
    fn from(ranked: &'a RankedLesson) -> Self {
        Self {
            id: ranked.lesson.id.0,
            reference: author_reference(&ranked.lesson),
            score: ranked.explanation.score,
        }
    }
}
