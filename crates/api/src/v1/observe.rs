//! What a live run reports, and what it is told while it goes on.

use hardwon_core::Requester;
use hardwon_engine::Nudge;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What happened in a run since the last report.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ObserveBody {
    /// The run, by a name of the runtime's own: the same in each report of it.
    pub session: String,
    /// The agent whose run it is; if absent the key's, else the server's default.
    pub agent_id: Option<String>,
    /// The project that it works in; without it, what is learned applies everywhere.
    pub project: Option<String>,
    /// The program that reports, such as `my-runtime`.
    pub client: Option<String>,
    /// Whom the agent works for; lessons meant for them are shown. Like `role` and `skills` it is said in each report.
    pub operator: Option<String>,
    /// The agent's role; lessons meant for it are shown.
    pub role: Option<String>,
    /// The agent's skills; lessons meant for one of them are shown.
    #[serde(default)]
    pub skills: Vec<String>,
    /// What happened, in order: objects as in the lines of a plain trace (`docs/trace.md`), at most 256.
    #[schema(value_type = Vec<Object>, max_items = 256)]
    pub events: Vec<serde_json::Value>,
}

impl ObserveBody {
    /// Returns what is known of the agent.
    pub fn requester(&self) -> Requester {
        let [operator, role] = [&self.operator, &self.role].map(|name| name.as_deref());
        let skills = self.skills.iter().map(String::as_str);
        Requester::from_names(operator.unwrap_or(""), role.unwrap_or(""), skills)
    }
}

/// What a run is told.
#[derive(Debug, Serialize, ToSchema)]
pub struct ObserveReply<'a> {
    /// The hints, in order; usually none.
    pub nudges: Vec<NudgeDto<'a>>,
}

/// A hint for a live run, told apart by `kind`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum NudgeDto<'a> {
    /// The run goes round in a circle.
    #[schema(title = "LoopNudge")]
    Loop {
        /// The calls that failed again, unchanged.
        calls: &'a [String],
        /// What to tell the agent.
        text: &'a str,
    },
    /// A lesson is about what just happened.
    #[schema(title = "LessonNudge")]
    Lesson {
        /// Its number.
        id: i64,
        /// What to tell the agent.
        text: &'a str,
    },
    /// The run ended, and lessons were learned from it.
    #[schema(title = "LearnedNudge")]
    Learned {
        /// Their numbers.
        ids: Vec<i64>,
    },
}

impl<'a> From<&'a Nudge> for NudgeDto<'a> {
    fn from(nudge: &'a Nudge) -> Self {
        match nudge {
            Nudge::Loop { call, text } => Self::Loop {
                calls: std::slice::from_ref(call),
                text,
            },
            Nudge::Lesson { id, text } => Self::Lesson { id: id.0, text },
            Nudge::Learned(learned) => Self::Learned {
                ids: learned
                    .note_outcomes
                    .iter()
                    .filter_map(|note_outcome| note_outcome.id())
                    .map(|id| id.0)
                    .collect(),
            },
        }
    }
}
