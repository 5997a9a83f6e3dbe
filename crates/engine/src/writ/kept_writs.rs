//! Writs that could not be stored in time, until they are.
//!
//! Another process may hold the database for longer than a hook may take, and a hook may be ended at any moment. So a
//! writ is kept among the due sessions, without its secrets, before anything else is tried, and the next process that
//! learns runs it, unless it was run: each has a name, under which it is stored that it was. Queries are not kept, since
//! nobody would read the answer.

use hardwon_core::{
    CleanText, FailureKey, LessonId, RawText, RunId, Trust, TrustClass, Writ, limits,
};
use hardwon_store::{IdempotencyKey, RequestConflict, RequestMark};
use serde::{Deserialize, Serialize};

use super::WritContext;
use crate::{Desk, Error, NotedFailure, ParsedWrit, Principal, Result, WritOutcome};

/// Who makes the requests that kept writs are.
const CALLER: &str = "kept writ";

/// A writ to run as soon as the database is free.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptWrit {
    order: KeptOrder,
    /// Whether its author had read content from outside.
    #[serde(default)]
    tainted: bool,
    /// Whether its author is a person who typed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    typed: bool,
    /// The key of the failure that it is about, and its description in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    met: Option<(String, String)>,
    /// The agent's task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    /// What tells it from all others of its run; empty if it came from an earlier version.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
}

/// The kinds of kept writs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum KeptOrder {
    Create { signature: String, text: String },
    Reflect { text: String },
    Delete(i64),
    Helped(i64),
    Wrong(i64),
}

impl KeptOrder {
    fn from_writ(writ: &Writ) -> Option<Self> {
        Some(match writ {
            Writ::Create { signature, text } => Self::Create {
                signature: clean_text(signature),
                text: clean_text(text),
            },
            Writ::Reflect { text } => Self::Reflect {
                text: clean_text(text),
            },
            Writ::Delete(id) => Self::Delete(id.0),
            Writ::Helped(id) => Self::Helped(id.0),
            Writ::Wrong(id) => Self::Wrong(id.0),
            Writ::List | Writ::Search { .. } | Writ::Show(_) | Writ::Queue(_) => return None,
        })
    }

    fn to_writ(&self) -> Writ {
        match self {
            Self::Create { signature, text } => Writ::Create {
                signature: RawText::from(signature.as_str()),
                text: RawText::from(text.as_str()),
            },
            Self::Reflect { text } => Writ::Reflect {
                text: RawText::from(text.as_str()),
            },
            Self::Delete(id) => Writ::Delete(LessonId(*id)),
            Self::Helped(id) => Writ::Helped(LessonId(*id)),
            Self::Wrong(id) => Writ::Wrong(LessonId(*id)),
        }
    }
}

fn clean_text(text: &RawText) -> String {
    hardwon_redact::clean_to_bytes(text, limits::WRIT_BYTES)
        .as_str()
        .to_owned()
}

impl KeptWrit {
    /// Makes a kept writ, if the writ would change a lesson.
    pub(crate) fn from_writ(
        writ: &Writ,
        author: Trust,
        behind: &WritContext<'_>,
        name: String,
    ) -> Option<Self> {
        let failure = behind.failure.as_ref();
        Some(Self {
            order: KeptOrder::from_writ(writ)?,
            tainted: author.tainted,
            typed: author.class == TrustClass::Person,
            met: failure.map(|failure| {
                (
                    failure.failure.as_str().to_owned(),
                    clean_text(&failure.description),
                )
            }),
            task: behind.task.map(|task| task.as_str().to_owned()),
            name,
        })
    }

    /// Returns the mark that is stored with what it does; `None` if it has no name.
    pub(crate) fn request_mark(&self, run: &RunId) -> Option<RequestMark> {
        let name = IdempotencyKey::parse(&self.name).ok()?;
        let run = run.as_str();
        Some(RequestMark::new(
            &format!("{CALLER}\n{run}"),
            &name,
            [run.as_bytes()],
        ))
    }
}

impl KeptWrit {
    /// Returns whether it is about a failure that its author was asked about.
    pub fn answers_question(&self) -> bool {
        self.met.is_some()
    }

    /// Returns whether its author had read content from outside.
    pub(crate) fn is_tainted(&self) -> bool {
        self.tainted
    }

    /// Returns the same with the words that no other check cleans cleaned again: it came from another machine.
    pub(crate) fn cleaned(&self) -> Self {
        let task = self.task.as_deref().map(RawText::from);
        let is_key = |(key, _): &&(String, String)| {
            key.len() <= limits::FAILURE_KEY_CHARS
                && key.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        Self {
            task: task
                .map(|task| hardwon_redact::clean_to_chars(&task, limits::TASK_CHARS).to_string()),
            met: self.met.as_ref().filter(is_key).cloned(),
            ..self.clone()
        }
    }
}

impl Desk<'_> {
    /// Runs a kept writ that was written in a run; `None` if it was run before.
    pub fn run_kept_writ(&self, run: &RunId, kept: &KeptWrit) -> Result<Option<WritOutcome>> {
        let class = if kept.typed {
            TrustClass::Person
        } else {
            TrustClass::Agent
        };
        let trust = Trust::new(class, kept.tainted);
        let author = Principal::writer_in_session(self.principal.scope.clone(), trust);
        let desk = self.hand_over(author).for_kept_writ(run, Some(kept));
        match desk.carry_out_kept_writ(run, kept) {
            Err(Error::Repeated(RequestConflict::NoAnswer)) => Ok(None),
            done => done.map(Some),
        }
    }

    /// Returns the desk that runs a writ once, if it is one that is kept.
    pub(crate) fn for_kept_writ(self, run: &RunId, kept: Option<&KeptWrit>) -> Self {
        match kept.and_then(|kept| kept.request_mark(run)) {
            Some(mark) => self.for_request(&mark),
            None => self,
        }
    }

    /// Runs a kept writ with the rights of this desk.
    pub(crate) fn carry_out_kept_writ(&self, run: &RunId, kept: &KeptWrit) -> Result<WritOutcome> {
        let failure = kept.met.as_ref().map(|(failure, what)| NotedFailure {
            failure: FailureKey::new(failure.clone()),
            description: RawText::from(what.as_str()),
        });
        let task = kept.task.clone().map(CleanText::from_stored);
        let behind = WritContext {
            run,
            failure,
            task: task.as_ref(),
            is_below_words: false,
        };
        let writ: ParsedWrit = Ok(kept.order.to_writ());
        self.run_session_writ(&writ, Some(behind))
    }
}
