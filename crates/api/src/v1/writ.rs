//! A `/lesson` line and what was answered to it.

use hardwon_core::{Writ, WritError};
use hardwon_engine::WritOutcome;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A text that may have `/lesson` lines.
#[derive(Debug, Deserialize, ToSchema)]
pub struct WritBody {
    /// The text.
    pub text: String,
    /// The agent that wrote it; if absent the key's, else the server's default.
    pub agent_id: Option<String>,
    /// The project that it works in; a lesson written without one applies everywhere.
    pub project: Option<String>,
}

/// What came of the lines of a text.
#[derive(Debug, Serialize, ToSchema)]
pub struct WritsReply<'a> {
    /// One for each line, in order; of more than 16 the first ones.
    pub writs: Vec<WritDto<'a>>,
}

/// A line as it was understood, and the reply.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct WritDto<'a> {
    /// What it asks for, such as `create`; null if it was not understood.
    pub verb: Option<&'static str>,
    /// The signature of the lesson that it writes down; null if it writes none.
    pub signature: Option<&'a str>,
    /// The text of the lesson that it writes down; null if it writes none.
    pub text: Option<&'a str>,
    /// What it searches for; null if it searches for nothing.
    pub query: Option<&'a str>,
    /// The number of the lesson that it is about, or that was recorded; null if there is none.
    pub id: Option<i64>,
    /// Whether it was understood and, unless that was all that was wanted, carried out.
    pub ok: bool,
    /// The reply, as an agent gets it.
    pub reply: String,
}

impl<'a> WritDto<'a> {
    /// Says how a line was understood; there is a reply only if it was not.
    pub fn from_parsed(writ: &'a Result<Writ, WritError>) -> Self {
        match writ {
            Ok(writ) => Self::from_writ(writ),
            Err(error) => Self {
                reply: error.to_string(),
                ..Self::default()
            },
        }
    }

    fn from_writ(writ: &'a Writ) -> Self {
        let mut answer = Self {
            verb: Some(writ.verb()),
            ok: true,
            ..Self::default()
        };
        match writ {
            Writ::Create { signature, text } => {
                answer.signature = Some(signature.expose());
                answer.text = Some(text.expose());
            }
            Writ::Reflect { text } => answer.text = Some(text.expose()),
            Writ::Search { query } => answer.query = Some(query.expose()),
            Writ::Show(id) | Writ::Delete(id) | Writ::Helped(id) | Writ::Wrong(id) => {
                answer.id = Some(id.0);
            }
            Writ::List | Writ::Queue(_) => {}
        }
        answer
    }

    /// Adds what came of carrying it out.
    #[must_use]
    pub fn with_outcome(self, done: WritOutcome) -> Self {
        Self {
            ok: done.is_done,
            id: done.id.map(|id| id.0).or(self.id),
            reply: done.reply,
            ..self
        }
    }
}
