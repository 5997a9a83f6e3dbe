//! What the hooks of another machine did with their copy of the lessons, on its way to the server.
//!
//! The same types are written there and read here, so that neither side can know members that the other does not.

use hardwon_engine::KeptWrit;
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
    Recall {
        /// The recall, in the form in which hooks keep it.
        line: String,
    },
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
