//! What the hooks of another machine did with their copy of the lessons, on its way to the server.
//!
//! The same types are written there and read here, so that neither side can know members that the other does not.

use hardwon_core::{
    id::{ClientName, InvalidName, LessonId, RunId},
    recall::{ConsideredLesson, Moment, PromptDigest, Recall, Treatment},
    scope::Scope,
    text::CleanText,
};
use hardwon_engine::KeptWrit;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Things that were kept until they could be sent.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DeliveryBody {
    /// The agent that they are about; if absent the key's, else the server's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The project that it worked in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The things, in the order in which they happened; at most 256.
    #[schema(value_type = Vec<Object>)]
    pub items: Vec<DeliveryItem>,
}

/// One thing, with a name of its own: sent again, it counts once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeliveryItem {
    /// Its name: 1 to 64 visible ASCII characters, never given twice.
    pub id: String,
    /// The run that it belongs to.
    pub run: String,
    /// What it is.
    #[serde(flatten)]
    pub what: DeliveryKind,
}

/// What was kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum DeliveryKind {
    /// Lessons were recalled.
    Recall(RecallReport),
    /// A `/lesson` line was written.
    Writ {
        /// The line, in the form in which hooks keep it.
        writ: KeptWrit,
    },
    /// The run read content from outside: what its agent records from now on may be that content's word.
    Outside {
        /// The fingerprints of all words from outside that it has read so far, in the form in which hooks keep them.
        words: Vec<u32>,
    },
    /// A turn or a session ended.
    Trace {
        /// What happened in the run so far, in the form in which hooks keep it, without secrets and outputs.
        trace: String,
    },
}

/// A recall that was made elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecallReport {
    /// The client that asked; absent if it was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// When, in milliseconds since 1970: the recalls of a run are told apart by it.
    pub at_ms: i64,
    /// When in the run: `start`, `turn`, `call`, `failure` or `asked`.
    pub moment: String,
    /// The first eight bytes of the SHA-256 of the prompt, in hexadecimal digits.
    pub prompt_hash: String,
    /// The length of the prompt in characters.
    pub prompt_chars: u32,
    /// The beginning of the prompt without its secrets; absent where it is not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// The lessons that were found, the best first.
    pub considered: Vec<ConsideredReport>,
    /// Why nothing was shown; absent if something was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silent: Option<String>,
}

/// A lesson that such a recall found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConsideredReport {
    /// Its number.
    pub lesson: i64,
    /// What it was ranked by.
    pub score: f32,
    /// `shown`, `held_out`, `deferred` or `excluded`.
    pub treatment: String,
    /// Why it was excluded; absent if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The probability of holding it back.
    pub holdout_chance: f32,
    /// The probability of leaving it to a later moment.
    pub deferral_chance: f32,
}

/// What became of a delivery.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct DeliveryReply {
    /// Things that counted.
    pub counted: u64,
    /// Things that had counted before.
    pub known: u64,
    /// Things that cannot be taken in, also not later.
    pub refused: Vec<RefusedItem>,
}

/// A thing that cannot be taken in.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct RefusedItem {
    /// Its name.
    pub id: String,
    /// Why.
    pub why: String,
}

/// Why a recall from elsewhere cannot be one.
#[derive(Debug, thiserror::Error)]
pub enum UnusableRecall {
    /// A name in it is none.
    #[error("{0}")]
    Name(#[from] InvalidName),
    /// A member has another value than it may have.
    #[error("its {0} cannot be")]
    Member(&'static str),
}

impl RecallReport {
    /// Makes the report of a recall.
    pub fn from_recall(recall: &Recall) -> Self {
        Self {
            client: recall.client.as_ref().map(ToString::to_string),
            at_ms: recall.at.as_millisecond(),
            moment: recall.moment.name().to_owned(),
            prompt_hash: format!("{:016x}", u64::from_be_bytes(recall.prompt.hash)),
            prompt_chars: recall.prompt.chars,
            asked: recall.query_text.as_ref().map(ToString::to_string),
            considered: recall.considered.iter().map(Into::into).collect(),
            silent: recall.silence.as_ref().map(ToString::to_string),
        }
    }

    /// Reads the report as a recall of a run in a scope.
    ///
    /// # Errors
    ///
    /// Which member has a value that cannot be.
    pub fn into_recall(self, scope: Scope, run: RunId) -> Result<Recall, UnusableRecall> {
        let bad = UnusableRecall::Member;
        let hash = u64::from_str_radix(&self.prompt_hash, 16).map_err(|_| bad("prompt_hash"))?;
        let candidates = self.considered.into_iter();
        Ok(Recall {
            scope,
            run: Some(run),
            client: self.client.as_deref().map(ClientName::parse).transpose()?,
            at: Timestamp::from_millisecond(self.at_ms).map_err(|_| bad("at_ms"))?,
            moment: Moment::from_name(&self.moment).ok_or(bad("moment"))?,
            prompt: PromptDigest {
                hash: hash.to_be_bytes(),
                chars: self.prompt_chars,
            },
            query_text: self.asked.map(CleanText::from_stored),
            considered: candidates
                .map(ConsideredReport::into_considered)
                .collect::<Result<_, _>>()?,
            silence: self.silent.map(CleanText::from_stored),
        })
    }
}

impl From<&ConsideredLesson> for ConsideredReport {
    fn from(found: &ConsideredLesson) -> Self {
        let (treatment, why) = match &found.treatment {
            Treatment::Shown => ("shown", None),
            Treatment::HeldOut => ("held_out", None),
            Treatment::Deferred => ("deferred", None),
            Treatment::Excluded { why } => ("excluded", Some(why.to_string())),
        };
        Self {
            lesson: found.lesson.0,
            score: found.score,
            treatment: treatment.to_owned(),
            why,
            holdout_chance: found.holdout_chance,
            deferral_chance: found.deferral_chance,
        }
    }
}

impl ConsideredReport {
    fn into_considered(self) -> Result<ConsideredLesson, UnusableRecall> {
        let treatment = match (&*self.treatment, self.why) {
            ("shown", _) => Treatment::Shown,
            ("held_out", _) => Treatment::HeldOut,
            ("deferred", _) => Treatment::Deferred,
            ("excluded", why) => Treatment::Excluded {
                why: CleanText::from_stored(why.unwrap_or_default()),
            },
            _ => return Err(UnusableRecall::Member("treatment")),
        };
        Ok(ConsideredLesson {
            lesson: LessonId(self.lesson),
            score: self.score,
            treatment,
            holdout_chance: self.holdout_chance,
            deferral_chance: self.deferral_chance,
        })
    }
}
