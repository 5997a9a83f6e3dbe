//! `search`: a recall that the agent asks for.

use std::collections::HashMap;

use hardwon_core::{id::LessonId, lesson::Lesson, limits};
use hardwon_engine::RecallOutcome;
use rmcp::{
    model::ContentBlock,
    schemars::{self, JsonSchema},
};
use serde::{Deserialize, Serialize};

use super::{McpTool, ToolEffect, ToolReply};
use crate::{
    args::PreambleFormatArg,
    config,
    error::CliError,
    mcp::{Caller, lesson_view},
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchTool {
    /// The task at hand, or the command and the error it gave, in your own words.
    query: String,
    /// How many lessons at most.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = limits::SHOWN_MAX))]
    limit: u32,
    /// Whom you work for, if that is known: some lessons are for one operator only.
    #[serde(default)]
    operator: String,
    /// Your role, if you have one: some lessons are for one role only.
    #[serde(default)]
    role: String,
    /// Skills in use: some lessons are for one skill only.
    #[serde(default)]
    skills: Vec<String>,
}

fn limit() -> u32 {
    3
}

const _: () = assert!(limits::SHOWN_DEFAULT == 3);

/// The lessons that fit, the best first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct FoundLessons {
    /// That lessons are reference, not instructions.
    note: String,
    /// The lessons that fit; none when no lesson fits well enough.
    lessons: Vec<FoundLesson>,
    /// Why there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    silent: String,
}

/// One lesson that fits.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct FoundLesson {
    /// Its number, for `get` and `feedback`.
    id: i64,
    /// What calls for it.
    signature: String,
    /// What to do or avoid.
    text: String,
    /// Its topics.
    tags: Vec<String>,
    /// Whether it harmed more than it helped: take it as a warning.
    caution: bool,
    /// Whether the text goes on; `get` has all of it.
    #[serde(default)]
    more: bool,
}

impl FoundLesson {
    /// Takes out what a preamble trusts the store for: that it holds no secrets.
    fn sanitize(&mut self) {
        let texts = [&mut self.signature, &mut self.text];
        for text in texts.into_iter().chain(&mut self.tags) {
            *text = lesson_view::sanitize_text(text);
        }
    }
}

impl McpTool for SearchTool {
    type Answer = FoundLessons;

    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search lessons";
    const DESCRIPTION: &'static str = "Find lessons from earlier sessions that fit a task or an \
        error. Call it before you begin a task, and when a command or tool fails.";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const IS_ALWAYS_SHOWN: bool = true;

    fn run(self, caller: &Caller) -> Result<ToolReply<FoundLessons>, CliError> {
        if self.query.trim().is_empty() {
            return Err(
                CliError::bad_input("the query is empty").with_hint("say what you are about to do")
            );
        }
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let limit = limit.clamp(1, limits::SHOWN_MAX);
        let skills = self.skills.iter().map(String::as_str);
        let names = config::agent_identities(&self.operator, &self.role, skills);
        let recalled = caller.recall(self.query, names, Some(limit), PreambleFormatArg::Json)?;
        read_preamble(&recalled)
    }
}

/// Reads what the preamble says: it is neutralised, in whole sentences, within its budget, and what
/// it left out does not count as shown.
fn read_preamble(recalled: &RecallOutcome) -> Result<ToolReply<FoundLessons>, CliError> {
    if recalled.preamble.text.is_empty() {
        let silence = recalled.ranking.silence;
        let silent = silence.map_or_else(
            || "no lesson fitted into the budget".to_owned(),
            |why| why.to_string(),
        );
        return Ok(ToolReply::from(FoundLessons {
            note: lesson_view::LESSONS_NOTE.to_owned(),
            lessons: Vec::new(),
            silent,
        }));
    }
    let mut found: FoundLessons = serde_json::from_str(&recalled.preamble.text)
        .map_err(|error| CliError::internal(format!("reading a preamble: {error}")))?;
    let ranked = recalled.ranking.shown.iter();
    let lessons: HashMap<LessonId, &Lesson> = ranked.map(|it| (it.lesson.id, &it.lesson)).collect();
    let mut links: Vec<ContentBlock> = Vec::new();
    for hit in &mut found.lessons {
        hit.sanitize();
        if let Some(lesson) = lessons.get(&LessonId(hit.id)) {
            hit.more =
                lesson_view::sanitize_text(lesson.content.text.as_str()).len() > hit.text.len();
            links.extend(hit.more.then(|| lesson_view::lesson_link(lesson)));
        }
    }
    Ok(ToolReply {
        value: found,
        links,
    })
}
