//! What a live run is told while it goes on.

use hardwon_engine::Nudge;
use serde::Serialize;

/// A hint for a live run, told apart by `kind`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum NudgeDto<'a> {
    /// The run goes round in a circle.
    Loop {
        /// The calls that failed again, unchanged.
        calls: &'a [String],
        /// What to tell the agent.
        text: &'a str,
    },
    /// A lesson is about what just happened.
    Lesson {
        /// Its number.
        id: i64,
        /// What to tell the agent.
        text: &'a str,
    },
    /// The run ended, and lessons were learned from it.
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
                    .filter_map(|it| it.id())
                    .map(|id| id.0)
                    .collect(),
            },
        }
    }
}
