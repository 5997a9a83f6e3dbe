//! The lesson loop, to be embedded.
//!
//! An [`Engine`] ties a store, a [`Policy`] and a clock together. Whoever acts gets a [`Desk`] of it,
//! and with that the verbs that every door uses: [`learn`](Desk::learn) from what a run did,
//! [`follow_run`](Desk::follow_run) one while it goes on, [`recall`](Desk::recall) what fits a prompt,
//! [`note`](Desk::note) what somebody wrote down, [`report`](Desk::report) how it fared,
//! [`audit`](Desk::audit) the store, and [`export`](Desk::export), [`import`](Desk::import) and
//! [`sync`](Desk::sync) of lessons as files. Each is a short straight line through `core`'s decisions;
//! none decides by itself. What real agents wrote comes in by the traits of [`transcript`]. Nothing here
//! talks to a terminal or reads settings.
//!
//! ```
//! use hardwon_engine::{Ask, LessonContent, Engine, Note, Principal, Scope, SystemClock};
//!
//! let store = hardwon_store::Memory::new();
//! let engine = Engine::new(Box::new(store), Default::default(), Box::new(SystemClock));
//! let scope = Scope::default();
//! let content = LessonContent::new("npm test", "Run `npm run test:unit`; there is no test script.");
//! let desk = engine.acting_as(Principal::person(scope.clone()));
//! desk.note(Note::new(content))?;
//!
//! let recalled = desk.recall(&Ask::new(scope, "why does npm test fail?"))?;
//! assert!(recalled.preamble.text.contains("npm run test:unit"));
//! # Ok::<(), hardwon_engine::Error>(())
//! ```

pub mod attend;
pub mod embed;
pub mod files;
pub mod model;
pub mod private;
pub mod regular;
pub mod replay;
pub mod sessions;
pub mod transcript;

mod audit;
mod beside;
mod compare;
mod credit;
mod curate;
mod desk;
mod effects;
mod error;
mod holdout;
mod learn;
mod library;
mod live;
mod note;
mod policy;
mod ports;
mod queue;
mod recall;
mod semantic;
mod writ;

pub use hardwon_core::{
    access::{AccessError, Principal, Rights, Visibility},
    change::Actor,
    event, id,
    lesson::{Lesson, LessonContent, Trust, TrustClass},
    scope::Scope,
};
pub use hardwon_store as store;

pub use audit::Audit;
pub use beside::Relation;
pub use compare::{Compared, Figures, Near as ComparedNear};
pub use credit::Credited;
pub use curate::{Edit, Opinion};
pub use desk::Desk;
pub use effects::{Effects, Standing};
pub use error::{Error, Result};
pub use holdout::Lots;
pub use learn::Learned;
pub use library::{FileRead, Library};
pub use live::{LiveRun, Nudge};
pub use note::{Met, Note, Noted};
pub use policy::{Asking, Policy, ShowAt};
pub use ports::{Clock, FixedClock, SystemClock};
pub use queue::{Drain, Drained, Jobs, Stop};
pub use recall::{Ask, Recalled};
pub use semantic::{Fill, FillStop, Filled};
pub use writ::WritDone;

use hardwon_core::lesson::Status;
use hardwon_store::Store;

/// The lesson loop over one store.
pub struct Engine {
    store: Box<dyn Store>,
    policy: Policy,
    clock: Box<dyn Clock>,
    semantic: Option<embed::Semantic>,
}

impl Engine {
    /// Puts an engine together.
    #[must_use]
    pub fn new(store: Box<dyn Store>, policy: Policy, clock: Box<dyn Clock>) -> Self {
        Self {
            store,
            policy,
            clock,
            semantic: None,
        }
    }

    /// Lets an embedding have its say in recalls.
    #[must_use]
    pub fn with_semantic(self, semantic: embed::Semantic) -> Self {
        Self {
            semantic: Some(semantic),
            ..self
        }
    }

    /// Returns the policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }
}

/// Says why a lesson is in a state other than active.
#[must_use]
pub fn why(status: &Status) -> Option<String> {
    match status {
        Status::Active => None,
        Status::Pending { why } | Status::Quarantined { why } | Status::Archived { why } => {
            Some(why.to_string())
        }
        Status::Superseded { by } => Some(format!("superseded by {by}")),
    }
}
