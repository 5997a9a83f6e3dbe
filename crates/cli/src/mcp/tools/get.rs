//! `get`: one lesson whole.

use hardwon_core::id::LessonId;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

use super::{Call, Effect, Reply};
use crate::{
    error::Failure,
    mcp::{
        Caller,
        caller::{readable, refuse},
        told::Whole,
    },
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Get {
    /// The lesson's number, such as 14.
    id: i64,
}

impl Call for Get {
    type Answer = Whole;

    const NAME: &'static str = "get";
    const TITLE: &'static str = "Read a lesson";
    const DESCRIPTION: &'static str = "Read one lesson whole, by its number. Call it when `search` \
        showed only the beginning, or when somebody names a lesson such as #14.";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, caller: &Caller) -> Result<Reply<Whole>, Failure> {
        let engine = caller.reader()?;
        let desk = engine.acting_as(caller.agent_whose_word(false));
        let lesson = desk.lesson(LessonId(self.id)).and_then(readable);
        let lesson = lesson.map_err(refuse)?;
        Ok(Whole::from(&lesson).into())
    }
}
