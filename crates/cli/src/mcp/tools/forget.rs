//! `forget`: a lesson leaves the active set; nothing is erased.

use hardwon_core::{id::LessonId, limits};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::{Call, Effect, Reply};
use crate::{
    error::Failure,
    mcp::{Caller, caller::refuse, told, tools::feedback::checked},
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Forget {
    /// The lesson's number, such as 14.
    id: i64,
    /// Why, for the record.
    #[schemars(length(min = 1, max = limits::VERDICT_NOTE_CHARS))]
    why: String,
}

/// What is known of the lesson now.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Gone {
    /// The lesson's number.
    id: i64,
    /// Its state.
    status: &'static str,
    /// Why it is not active.
    why: String,
}

impl Call for Forget {
    type Answer = Gone;

    const NAME: &'static str = "forget";
    const TITLE: &'static str = "Archive a lesson";
    const DESCRIPTION: &'static str = "Take a lesson out of use for good. It is archived, not \
        erased. Call it only when the user asks for it; of a lesson that is out of date, say \
        `feedback` with the verdict stale.";
    const EFFECT: Effect = Effect::Removes;

    fn run(self, caller: &Caller) -> Result<Reply<Gone>, Failure> {
        if self.why.trim().is_empty() {
            return Err(Failure::input("why is empty").hint("say why, for the record"));
        }
        let why = checked("why", &self.why)?;
        let engine = caller.writer()?;
        let desk = engine.acting_as(caller.agent());
        let gone = desk.forget(LessonId(self.id), &why.into());
        let lesson = gone.map_err(refuse)?;
        Ok(Reply::from(Gone {
            id: lesson.id.0,
            status: lesson.status.name(),
            why: told::why(&lesson),
        }))
    }
}
