//! `search`: a recall that the agent asks for.

use std::collections::HashMap;

use hardwon_core::{Lesson, LessonId, PreambleFormat, Requester, limits};
use hardwon_engine::RecallOutcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Verb, VerbCall, VerbEffect, VerbError};
use crate::v1::lesson::agent::{LESSONS_NOTE, sanitize_text};

/// Asks for the lessons that fit a task or an error.
#[derive(Debug, Clone, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// The task at hand, or the command and the error it gave, in your own words.
    pub query: String,
    /// How many lessons at most.
    #[serde(default = "default_search_limit")]
    #[schemars(range(min = 1, max = limits::SHOWN_MAX))]
    pub limit: u32,
    /// Whom you work for, if that is known: some lessons are for one operator only.
    #[serde(default)]
    pub operator: String,
    /// Your role, if you have one: some lessons are for one role only.
    #[serde(default)]
    pub role: String,
    /// Skills in use: some lessons are for one skill only.
    #[serde(default)]
    pub skills: Vec<String>,
}

fn default_search_limit() -> u32 {
    3
}

const _: () = assert!(limits::SHOWN_DEFAULT == 3);

/// The lessons that fit, the best first.
#[derive(Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FoundLessons {
    /// That lessons are reference, not instructions.
    pub note: String,
    /// The lessons that fit; none when no lesson fits well enough.
    pub lessons: Vec<FoundLesson>,
    /// Why there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub silent: String,
}

/// One lesson that fits.
#[derive(Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[schemars(inline)]
pub struct FoundLesson {
    /// Its number, for `get` and `feedback`.
    pub id: i64,
    /// What calls for it.
    pub signature: String,
    /// What to do or avoid.
    pub text: String,
    /// When it holds, where the text does not say so.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub situation: String,
    /// What went wrong, where the text does not say so.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub mistake: String,
    /// Its topics.
    pub tags: Vec<String>,
    /// Whether it harmed more than it helped: take it as a warning.
    pub caution: bool,
    /// Whether the text goes on; `get` has all of it.
    #[serde(default)]
    pub more: bool,
    /// All of it, if it goes on.
    #[serde(skip)]
    pub whole: Option<Lesson>,
}

impl FoundLessons {
    /// Reads what a preamble in the JSON form says: it is neutralised, in whole sentences, within its
    /// budget, and what it left out does not count as shown.
    ///
    /// # Errors
    ///
    /// Fails if the preamble is in another form.
    pub fn from_recalled(recalled: &RecallOutcome) -> serde_json::Result<Self> {
        if recalled.preamble.text.is_empty() {
            let silence = recalled.ranking.silence.map(|why| why.to_string());
            let unfit = || "no lesson fitted into the budget".to_owned();
            return Ok(Self {
                note: LESSONS_NOTE.to_owned(),
                lessons: Vec::new(),
                silent: silence.unwrap_or_else(unfit),
            });
        }
        let mut answer: Self = serde_json::from_str(&recalled.preamble.text)?;
        let lessons = recalled.ranking.shown.iter();
        let lessons: HashMap<LessonId, &Lesson> = lessons
            .map(|lesson| (lesson.lesson.id, &lesson.lesson))
            .collect();
        for hit in &mut answer.lessons {
            hit.clean();
            let lesson = lessons.get(&LessonId(hit.id)).filter(|lesson| {
                sanitize_text(lesson.content.text.as_str()).len() > hit.text.len()
            });
            hit.whole = lesson.map(|lesson| Lesson::clone(lesson));
            hit.more = hit.whole.is_some();
        }
        Ok(answer)
    }
}

impl FoundLesson {
    /// Takes out what a preamble trusts the store for: that it holds no secrets.
    fn clean(&mut self) {
        let texts = [
            &mut self.signature,
            &mut self.text,
            &mut self.situation,
            &mut self.mistake,
        ];
        for text in texts.into_iter().chain(&mut self.tags) {
            *text = sanitize_text(text);
        }
    }
}

impl Verb for SearchRequest {
    type Reply = FoundLessons;

    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search lessons";
    const DESCRIPTION: &'static str = "Find lessons from earlier sessions that fit a task or an \
        error. Call it before you begin a task, and when a command or tool fails.";
    const EFFECT: VerbEffect = VerbEffect::Recalls;
    const IS_ALWAYS_SHOWN: bool = true;

    fn check(&self) -> Result<(), VerbError> {
        if self.query.trim().is_empty() {
            let hint = "say what you are about to do";
            return Err(VerbError::refuse("query", "the query is empty", hint));
        }
        Ok(())
    }

    fn run(self, call: &VerbCall<'_>) -> Result<FoundLessons, VerbError> {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let limit = limit.clamp(1, limits::SHOWN_MAX);
        let skills = self.skills.iter().map(String::as_str);
        let requester = Requester::from_names(&self.operator, &self.role, skills);
        let format = Some(PreambleFormat::Json);
        let recall = call.recall(self.query, requester, Some(limit), format)?;
        Ok(FoundLessons::from_recalled(&recall).expect("it is in the form that was asked for"))
    }

    fn cut_lessons(found: &FoundLessons) -> Vec<&Lesson> {
        let hits = found.lessons.iter();
        hits.filter_map(|hit| hit.whole.as_ref()).collect()
    }
}
