//! `hardwon recall --batch`: one question a line, one answer a line.
//!
//! It is for programs that make their own of the lessons, so nothing counts as shown, and more may
//! be asked for than a preamble holds.

use hardwon_api::v1::recall::batch::{BatchHit, BatchReply, BatchRequest};
use hardwon_core::{RankedLesson, limits};
use hardwon_engine::{Engine, RecallRequest};

use crate::{CliError, ExitReason, Result, Settings, input, open, output};

/// Every question is answered: where the store cannot be read, with no lessons.
pub(super) fn run(settings: Result<Settings>) -> Result<()> {
    let setup = settings.and_then(|settings| Ok((open::open_reader(&settings)?, settings)));
    let setup = match setup {
        Err(failure) if failure.reason == ExitReason::Internal => {
            output::print_note(&failure.to_string());
            None
        }
        setup => Some(setup?),
    };
    input::for_each_json_line(BatchRequest::SHAPE, |question: BatchRequest| {
        let ranking = match &setup {
            Some((engine, settings)) => rank_lessons(engine, settings, &question),
            None => Vec::new(),
        };
        output::print_json(&BatchReply {
            id: &question.id,
            lessons: ranking.iter().map(BatchHit::from).collect(),
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
