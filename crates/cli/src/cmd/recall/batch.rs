//! `hardwon recall --batch`: one question a line, one answer a line.
//!
//! It is for programs that make their own of the lessons, so nothing counts as shown, and more may
//! be asked for than a preamble holds.

use hardwon_core::{limits, rank::RankedLesson};
use hardwon_engine::{Ask, Engine};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::reference;
use crate::{
    config::Settings,
    error::{Failure, Kind},
    input, open, output,
};

/// One question.
#[derive(Debug, Deserialize)]
struct Question {
    id: Value,
    prompt: String,
    k: Option<usize>,
}

/// The answer to it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    id: &'a Value,
    lessons: Vec<Hit<'a>>,
}

/// A lesson in an answer.
#[derive(Debug, Serialize)]
struct Hit<'a> {
    id: i64,
    #[serde(rename = "ref")]
    reference: Option<&'a str>,
    score: f32,
}

impl<'a> From<&'a RankedLesson> for Hit<'a> {
    fn from(ranked: &'a RankedLesson) -> Self {
        Self {
            id: ranked.lesson.id.0,
            reference: reference(&ranked.lesson),
            score: ranked.explanation.score,
        }
    }
}

/// Every question is answered: where the store cannot be read, with no lessons.
pub(super) fn run(settings: Result<Settings, Failure>) -> Result<(), Failure> {
    let opened = settings.and_then(|settings| Ok((open::reader(&settings)?, settings)));
    let opened = match opened {
        Err(failure) if failure.kind == Kind::Fault => {
            output::note(&failure.to_string());
            None
        }
        opened => Some(opened?),
    };
    input::json_lines(r#"{"id","prompt","k"}"#, |question: Question| {
        let ranked = match &opened {
            Some((engine, settings)) => hits(engine, settings, &question),
            None => Vec::new(),
        };
        output::json(&Answer {
            id: &question.id,
            lessons: ranked.iter().map(Hit::from).collect(),
        })
    })
}

fn hits(engine: &Engine, settings: &Settings, question: &Question) -> Vec<RankedLesson> {
    let ask = Ask {
        limit: question.k.map(|k| k.min(limits::CANDIDATES)),
        ..Ask::new(settings.scope.clone(), question.prompt.as_str())
    };
    match engine.acting_as(settings.person()).rank(&ask) {
        Ok(ranking) => ranking.shown,
        Err(error) => {
            output::note(&Failure::from(error).to_string());
            Vec::new()
        }
    }
}
