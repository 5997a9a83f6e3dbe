//! `hardwon recall --batch`: one question a line, one answer a line.
//!
//! It is for programs that make their own of the lessons, so nothing counts as shown, and more may
//! be asked for than a preamble holds.

use hardwon_core::{limits, rank::RankedLesson};
use hardwon_engine::{Engine, RecallRequest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::lesson_reference;
use crate::{
    config::Settings,
    error::{CliError, ExitReason},
    input, open, output,
};

/// One question.
#[derive(Debug, Deserialize)]
struct BatchRequest {
    id: Value,
    prompt: String,
    k: Option<usize>,
}

/// The answer to it.
#[derive(Debug, Serialize)]
struct BatchReply<'a> {
    id: &'a Value,
    lessons: Vec<BatchHit<'a>>,
}

/// A lesson in an answer.
#[derive(Debug, Serialize)]
struct BatchHit<'a> {
    id: i64,
    #[serde(rename = "ref")]
    reference: Option<&'a str>,
    score: f32,
}

impl<'a> From<&'a RankedLesson> for BatchHit<'a> {
    fn from(ranked: &'a RankedLesson) -> Self {
        Self {
            id: ranked.lesson.id.0,
            reference: lesson_reference(&ranked.lesson),
            score: ranked.explanation.score,
        }
    }
}

/// Every question is answered: where the store cannot be read, with no lessons.
pub(super) fn run(settings: Result<Settings, CliError>) -> Result<(), CliError> {
    let opened = settings.and_then(|settings| Ok((open::open_reader(&settings)?, settings)));
    let opened = match opened {
        Err(failure) if failure.reason == ExitReason::Internal => {
            output::print_note(&failure.to_string());
            None
        }
        opened => Some(opened?),
    };
    input::for_each_json_line(r#"{"id","prompt","k"}"#, |question: BatchRequest| {
        let ranked = match &opened {
            Some((engine, settings)) => rank_lessons(engine, settings, &question),
            None => Vec::new(),
        };
        output::print_json(&BatchReply {
            id: &question.id,
            lessons: ranked.iter().map(BatchHit::from).collect(),
        })
    })
}

fn rank_lessons(
    engine: &Engine,
    settings: &Settings,
    question: &BatchRequest,
) -> Vec<RankedLesson> {
    let ask = RecallRequest {
        limit: question.k.map(|k| k.min(limits::CANDIDATES)),
        ..RecallRequest::new(settings.scope.clone(), question.prompt.as_str())
    };
    match engine.acting_as(settings.person()).rank_lessons(&ask) {
        Ok(ranking) => ranking.shown,
        Err(error) => {
            output::print_note(&CliError::from(error).to_string());
            Vec::new()
        }
    }
}
