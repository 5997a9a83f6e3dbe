//! Recalls of the past: what was shown or held back, when, why, and what followed.

use hardwon_engine::{RecallStory, StoryLesson};
use hardwon_store::Treatment;
use serde::Serialize;
use utoipa::ToSchema;

/// What every telling of a recall begins with.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecallHeadDto<'a> {
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
    /// Why nothing was shown; null if something was.
    pub silent: Option<&'a str>,
}

impl<'a> RecallHeadDto<'a> {
    fn from_story(story: &'a RecallStory, asked: Option<&'a str>) -> Self {
        let recall = &story.recall;
        Self {
            recall: story.id.0,
            at: recall.at.to_string(),
            client: recall.client.as_ref().map(|client| client.as_str()),
            moment: recall.moment.name(),
            agent: recall.scope.agent.as_str(),
            project: recall.scope.display_project(),
            run: recall.run.as_ref().map(|run| run.as_str()),
            asked,
            silent: recall.silence.as_ref().map(|silence| silence.as_str()),
        }
    }
}

/// A recall with the lessons that it showed or held back.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecallDto<'a> {
    /// The recall; its keys stand beside the others.
    #[serde(flatten)]
    pub head: RecallHeadDto<'a>,
    /// The lessons that were shown.
    pub shown: Vec<LogLessonDto<'a>>,
    /// The lessons that would have been shown and were left out by chance, to compare with.
    pub held_back: Vec<LogLessonDto<'a>>,
}

impl<'a> RecallDto<'a> {
    /// Builds it from the story of a recall; `asked` is its query text as it is to be written.
    pub fn from_story(story: &'a RecallStory, asked: Option<&'a str>) -> Self {
        let is_meant =
            |it: &&StoryLesson| !matches!(it.considered.treatment, Treatment::Excluded { .. });
        let lessons_that = |are_withheld| {
            let lessons = story.lessons.iter().filter(is_meant);
            let lessons = lessons.filter(move |lesson| lesson.is_withheld() == are_withheld);
            lessons.map(LogLessonDto::from).collect()
        };
        Self {
            head: RecallHeadDto::from_story(story, asked),
            shown: lessons_that(false),
            held_back: lessons_that(true),
        }
    }
}

/// A page of recalls, the newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecallPageReply<'a> {
    /// The recalls.
    pub recalls: Vec<RecallDto<'a>>,
    /// How many among them showed nothing and are left out.
    pub silent: u64,
    /// What to give as `cursor` for the next page; absent on the last one. A page may hold fewer recalls than were asked
    /// for, or none, and still have a next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A lesson that a recall found.
#[derive(Debug, Serialize, ToSchema)]
pub struct LogLessonDto<'a> {
    /// Its number.
    pub id: i64,
    /// Its first line as it is now; null if the lesson is no longer there.
    pub title: Option<&'a str>,
    /// What it was ranked by.
    pub score: f32,
    /// Why it was shown, held back or passed over, in a sentence.
    pub why: &'a str,
    /// What became of its occasion: `followed`, `avoided`, `repeated`, `in_vain` or `not_needed`. Null if it was
    /// passed over, and until the run is judged.
    pub fate: Option<&'static str>,
    /// Whether it went well; null while that is not known.
    pub good: Option<bool>,
}

impl<'a> From<&'a StoryLesson> for LogLessonDto<'a> {
    fn from(found: &'a StoryLesson) -> Self {
        let lesson = found.lesson.as_ref();
        let outcome = found.outcome.as_ref();
        Self {
            id: found.considered.lesson.0,
            title: lesson.map(|lesson| lesson.content.title.as_str()),
            score: found.considered.score,
            why: &found.why,
            fate: outcome.map(|part| part.outcome.name()),
            good: outcome.and_then(|part| part.went_well),
        }
    }
}

/// A recall with everything that it found.
#[derive(Debug, Serialize, ToSchema)]
pub struct WhyDto<'a> {
    /// The recall; its keys stand beside the others.
    #[serde(flatten)]
    pub head: RecallHeadDto<'a>,
    /// The length of the prompt in characters.
    pub prompt_chars: u32,
    /// The candidates, the best first.
    pub considered: Vec<ConsideredDto<'a>>,
}

impl<'a> WhyDto<'a> {
    /// Builds it from the story of a recall; `asked` is its query text as it is to be written.
    pub fn from_story(story: &'a RecallStory, asked: Option<&'a str>) -> Self {
        let consider = |found: &'a StoryLesson| ConsideredDto {
            lesson: LogLessonDto::from(found),
            shown: found.considered.treatment == Treatment::Shown,
        };
        Self {
            head: RecallHeadDto::from_story(story, asked),
            prompt_chars: story.recall.prompt.chars,
            considered: story.lessons.iter().map(consider).collect(),
        }
    }
}

/// A lesson that a recall found, and whether it was shown.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConsideredDto<'a> {
    /// The lesson; its keys stand beside the other.
    #[serde(flatten)]
    pub lesson: LogLessonDto<'a>,
    /// Whether it was shown.
    pub shown: bool,
}

/// A `/lesson` or `/reflect` line that a hook did not carry out, or not yet.
#[derive(Debug, Serialize)]
pub struct UndoneWritDto<'a> {
    /// The line, as its answer names it.
    pub writ: &'a str,
    /// Why it was not carried out.
    pub why: &'a str,
    /// When it was written.
    pub at: String,
    /// The client in which it was written.
    pub client: &'a str,
    /// The agent whose lessons are meant.
    pub agent: &'a str,
    /// The project, as people know it; null outside of any.
    pub project: Option<&'a str>,
    /// The run.
    pub run: &'a str,
}

/// A question that an agent was asked at the end of a turn.
#[derive(Debug, Serialize, ToSchema)]
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
