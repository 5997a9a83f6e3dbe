//! A recall that a program asks for, and the answer in the published shape of a lesson.

use hardwon_core::Requester;
use hardwon_engine::RecallOutcome;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::v1::lesson::published::PublishedLesson;

/// Asks for the lessons that fit a task. Members that are not known are passed over.
#[derive(Debug, Deserialize, ToSchema)]
pub struct RecallBody {
    /// The prompt, task or error, as the agent gets it.
    pub prompt: String,
    /// The agent that asks; if absent the key's, else the server's default.
    pub agent_id: Option<String>,
    /// The project that it works in; without it, only lessons that apply everywhere are found.
    pub project: Option<String>,
    /// The run that asks. How it ends is then credited to the lessons shown.
    pub run: Option<String>,
    /// The program that asks, such as `my-runtime`; if absent, it is called `rest`.
    pub client: Option<String>,
    /// Most lessons to show, 1 to 7.
    #[schema(minimum = 1, maximum = 7)]
    pub limit: Option<u8>,
    /// Whom the agent works for; adds the lessons meant for them.
    pub operator: Option<String>,
    /// The agent's role; adds the lessons meant for it.
    pub role: Option<String>,
    /// The agent's skills; adds the lessons meant for them.
    #[serde(default)]
    pub skills: Vec<String>,
    /// The tools that the agent has; lessons about them come first.
    #[serde(default)]
    pub tools: Vec<String>,
}

impl RecallBody {
    /// Returns what is known of the asking agent.
    pub fn requester(&self) -> Requester {
        let [operator, role] = [&self.operator, &self.role].map(|name| name.as_deref());
        let skills = self.skills.iter().map(String::as_str);
        Requester {
            tools: self.tools.clone(),
            ..Requester::from_names(operator.unwrap_or(""), role.unwrap_or(""), skills)
        }
    }
}

/// What fits a task.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecallReply<'a> {
    /// The lessons that are in the preamble, the best first.
    pub lessons: Vec<RecalledLesson<'a>>,
    /// The text to put before the agent's turn; empty if nothing fits.
    pub preamble: &'a str,
    /// Why nothing is shown; null if something is.
    pub silent: Option<String>,
}

/// A lesson that fits, with how well.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecalledLesson<'a> {
    /// Its score; higher is better, and only scores of one recall compare.
    pub score: f32,
    /// The lesson.
    pub lesson: PublishedLesson<'a>,
}

impl<'a> From<&'a RecallOutcome> for RecallReply<'a> {
    fn from(recalled: &'a RecallOutcome) -> Self {
        let shown_ids = &recalled.preamble.shown;
        let lessons = recalled.ranking.shown.iter();
        let lessons = lessons.filter(|lesson| shown_ids.contains(&lesson.lesson.id));
        Self {
            lessons: lessons
                .map(|lesson| RecalledLesson {
                    score: lesson.explanation.score,
                    lesson: PublishedLesson::from(&lesson.lesson),
                })
                .collect(),
            preamble: &recalled.preamble.text,
            silent: recalled.ranking.silence.map(|why| why.to_string()),
        }
    }
}
