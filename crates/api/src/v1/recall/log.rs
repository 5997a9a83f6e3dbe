//! Recalls of the past: what was shown or held back, when, why, and what followed.

use hardwon_core::credit::LessonJudgement;
use hardwon_store::{ConsideredLesson, Recall, RecallId, Treatment};
use serde::Serialize;

/// A recall with the lessons that it showed or held back.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RecallDto<'a> {
    /// Its number.
    pub recall: i64,
    /// When it was made.
    pub at: String,
    /// The client that asked; null if it was asked by hand.
    pub client: Option<&'a str>,
    /// When in a run: `start`, `turn`, `call`, `failure` or `asked`.
    pub moment: &'static str,
    /// The agent that it was for.
    pub agent: &'a str,
    /// The project, as people know it; null outside of any.
    pub project: Option<&'a str>,
    /// The run; null outside of any.
    pub run: Option<&'a str>,
    /// The prompt or the call; null if it is not kept or may not be read.
    pub asked: Option<&'a str>,
    /// The lessons that were shown.
    pub shown: Vec<LogLessonDto<'a>>,
    /// The lessons that would have been shown and were left out by chance, to compare with.
    pub held_back: Vec<LogLessonDto<'a>>,
    /// Why nothing was shown; null if something was.
    pub silent: Option<&'a str>,
}

impl<'a> RecallDto<'a> {
    /// Builds it from a recall, what it was asked for, and what it showed and held back.
    #[must_use]
    pub fn from_recall(
        id: RecallId,
        recall: &'a Recall,
        asked: Option<&'a str>,
        shown: Vec<LogLessonDto<'a>>,
        held_back: Vec<LogLessonDto<'a>>,
    ) -> Self {
        Self {
            recall: id.0,
            at: recall.at.to_string(),
            client: recall.client.as_ref().map(|it| it.as_str()),
            moment: recall.moment.name(),
            agent: recall.scope.agent.as_str(),
            project: recall.scope.project.as_ref().map(|it| it.display_name()),
            run: recall.run.as_ref().map(|it| it.as_str()),
            asked,
            shown,
            held_back,
            silent: recall.silence.as_ref().map(|it| it.as_str()),
        }
    }
}

/// A lesson that was shown or held back.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LogLessonDto<'a> {
    /// Its number.
    pub id: i64,
    /// Its first line as it is now; null if the lesson is no longer there.
    pub title: Option<&'a str>,
    /// What it was ranked by.
    pub score: f32,
    /// Why, and what followed; its keys stand beside the others.
    #[serde(flatten)]
    pub aftermath: AftermathDto<'a>,
}

/// A recall with everything that it found.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WhyDto<'a> {
    /// Its number.
    pub recall: i64,
    /// When it was made.
    pub at: String,
    /// When in a run: `start`, `turn`, `call`, `failure` or `asked`.
    pub moment: &'static str,
    /// The run; null outside of any.
    pub run: Option<&'a str>,
    /// The client that asked; null if it was asked by hand.
    pub client: Option<&'a str>,
    /// The project, as people know it; null outside of any.
    pub project: Option<&'a str>,
    /// The length of the prompt in characters.
    pub prompt_chars: u32,
    /// The prompt or the call; null if it is not kept or may not be read.
    pub asked: Option<&'a str>,
    /// Why nothing was shown; null if something was.
    pub silent: Option<&'a str>,
    /// The candidates, the best first.
    pub considered: Vec<ConsideredDto<'a>>,
}

impl<'a> WhyDto<'a> {
    /// Builds it from a recall, what it was asked for, and what became of its candidates.
    #[must_use]
    pub fn from_recall(
        id: RecallId,
        recall: &'a Recall,
        asked: Option<&'a str>,
        considered: Vec<ConsideredDto<'a>>,
    ) -> Self {
        Self {
            recall: id.0,
            at: recall.at.to_string(),
            moment: recall.moment.name(),
            run: recall.run.as_ref().map(|it| it.as_str()),
            client: recall.client.as_ref().map(|it| it.as_str()),
            project: recall.scope.project.as_ref().map(|it| it.display_name()),
            prompt_chars: recall.prompt.chars,
            asked,
            silent: recall.silence.as_ref().map(|it| it.as_str()),
            considered,
        }
    }
}

/// A lesson that a recall found.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ConsideredDto<'a> {
    /// Its number.
    pub id: i64,
    /// What it was ranked by.
    pub score: f32,
    /// Whether it was shown.
    pub shown: bool,
    /// Why or why not, and what followed; its keys stand beside the others.
    #[serde(flatten)]
    pub aftermath: AftermathDto<'a>,
}

impl<'a> ConsideredDto<'a> {
    /// Builds it from a candidate and what is known of it.
    #[must_use]
    pub fn from_considered(considered: &ConsideredLesson, aftermath: AftermathDto<'a>) -> Self {
        Self {
            id: considered.lesson.0,
            score: considered.score,
            shown: considered.treatment == Treatment::Shown,
            aftermath,
        }
    }
}

/// Why a lesson was shown or not, and what followed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AftermathDto<'a> {
    /// Why it was shown, held back or passed over, in a sentence.
    pub why: &'a str,
    /// What became of its advice: `followed`, `contradicted`, `ignored`, `unused` or `untold`. Null if it was
    /// passed over, and until the run is judged.
    pub fate: Option<&'static str>,
    /// Whether it went well; null while that is not known.
    pub good: Option<bool>,
}

impl<'a> AftermathDto<'a> {
    /// Builds it from a reason and the judgement of the run, if there is one.
    #[must_use]
    pub fn from_judgement(why: &'a str, judged: Option<&LessonJudgement>) -> Self {
        Self {
            why,
            fate: judged.map(|part| part.outcome.name()),
            good: judged.and_then(|part| part.went_well),
        }
    }
}

/// A question that an agent was asked at the end of a turn.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QuestionDto<'a> {
    /// What the turn had met.
    pub question: &'a str,
    /// When it was asked.
    pub at: String,
    /// The client whose agent was asked.
    pub client: &'a str,
    /// The agent whose lessons are meant.
    pub agent: &'a str,
    /// The project, as people know it; null outside of any.
    pub project: Option<&'a str>,
    /// The run.
    pub run: &'a str,
    /// The numbers of the lessons that it was answered with; null while there is no answer.
    pub lessons: Option<&'a [i64]>,
}
