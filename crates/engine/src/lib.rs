//! The lesson loop, as a library to embed.
//!
//! An [`Engine`] ties a store, a [`Policy`] and a clock together. Whoever acts gets a [`Desk`] of it, which has the
//! verbs that every door uses: to learn from a run that ended ([`learn_from_run`](Desk::learn_from_run)) and to follow
//! one that goes on ([`follow_run`](Desk::follow_run)), to [`recall`](Desk::recall) the lessons that fit a prompt, to
//! [`note`](Desk::note) a lesson that a person or an agent wrote down and to give feedback on one
//! ([`report_opinion`](Desk::report_opinion)), to audit the journal ([`audit_journal`](Desk::audit_journal)), and to
//! export, import and sync lessons as files ([`files`]). Each is a short straight line through `core`'s decisions;
//! none decides by itself. The transcripts of real agents come in through the traits of [`transcript`]. Nothing here
//! talks to a terminal or reads settings.
//!
//! ```
//! use hardwon_engine::{Engine, LessonContent, Note, Principal, RecallRequest, Scope, SystemClock};
//!
//! let store = hardwon_store::SqliteStore::in_memory()?;
//! let engine = Engine::new(Box::new(store), Default::default(), Box::new(SystemClock));
//! let scope = Scope::default();
//! let content = LessonContent::new("npm test", "Run `npm run test:unit`; there is no test script.");
//! let desk = engine.acting_as(Principal::person(scope.clone()));
//! desk.note(Note::new(content))?;
//!
//! let recalled = desk.recall(&RecallRequest::new(scope, "why does npm test fail?"))?;
//! assert!(recalled.preamble.text.contains("npm run test:unit"));
//! # Ok::<(), hardwon_engine::Error>(())
//! ```

pub mod access;
pub mod attend;
pub mod embed;
pub mod files;
pub mod model;
pub mod lesson_md;
pub mod loops;
pub mod place;
pub mod plan;
pub mod replay;
pub mod sessions;
pub mod sweep;
pub mod transcript;

mod ask;
mod audit;
mod related;
mod retro;
mod credit;
mod curate;
mod delivery;
mod desk;
mod effects;
mod error;
mod feedback;
mod holdout;
mod learn;
mod library;
mod live;
mod note;
mod occasions;
mod once;
mod paging;
mod policy;
mod ports;
mod praise;
mod queue;
mod recall;
mod recall_story;
mod replica;
mod review;
mod search_order;
mod semantic;
mod tenant;
mod voices;
mod writ;

pub use hardwon_core::{Actor, Lesson, LessonContent, Scope, Trust, TrustClass, event, id};
pub use hardwon_store::{self as store, private_file, regular_file};

pub use access::{AccessError, Principal, Rights, Visibility};
pub(crate) use ask::PromptAnswer;
pub use attend::{
    AgentSession, AttendOutcome, HookReply, ReplyChannel, SessionEvent, SessionEventKind,
    UndoneWrit,
};
pub use audit::AuditReport;
pub use credit::{CreditOutcome, RunEndOutcome};
pub use curate::{LessonEdit, Opinion};
pub use delivery::KnownRecalls;
pub use desk::Desk;
pub use effects::{
    CreditSummary, EffectsReport, EvidenceRuns, LessonLife, LessonStanding, LifeEvent,
    OccasionComparison, OccasionCount, OccasionTally, OutcomeCounts, WeekCount, Worth, pluralize,
};
pub use embed::{EmbeddedTexts, Embedder, SemanticRecall};
pub use error::{Error, Result};
pub use feedback::{Verdict, VerdictOutcome};
pub use files::{
    ExportReport, FileImport, ImportReport, SkippedFile, SyncAction, SyncReport, SyncStep,
};
pub use holdout::HoldoutDraw;
pub use learn::LearnOutcome;
pub(crate) use learn::RunProposal;
pub use lesson_md::{FileFinding, FindingCode, Severity};
pub(crate) use lesson_md::{LessonFields, LessonFile, ParsedLessonFile};
pub use library::{FileRead, TranscriptLibrary, WatchedSession, read_runs};
pub use live::{LiveEvent, LiveRun, Nudge, RunReport};
pub use model::{Model, ModelAnswer, ModelError, ModelRequest, ModelUse};
pub use note::{Note, NoteOutcome, NotedFailure};
pub use occasions::LessonsAtCall;
pub use plan::{PlanBasis, PlanId};
pub use policy::{BeforeCall, InquiryPolicy, Policy, ShowAt, StartLessons};
pub use ports::{Clock, FixedClock, LessonLog, RepositoryLookup, SystemClock};
pub use praise::PraiseRefusal;
pub use queue::{DrainOptions, DrainReport, DrainStop, JobSelection};
pub use recall::{RecallCandidate, RecallOutcome, RecallRequest};
pub use recall_story::{
    LIKE_TASK, RecallSelection, RecallStory, SelectedRecalls, StoryLesson, describe_fit,
};
pub use related::{LineageLink, Relation};
pub(crate) use replay::scores::fix_search::{FixSearch, FixSearchStep};
pub use replay::{
    Replay, ReplayReport,
    scores::{ClassCounts, FailureClass, LessonScores, MomentCounts, RecurringFailure},
};
pub use replica::PackedReplica;
pub use semantic::{EmbedOptions, EmbedReport, EmbedStop};
pub(crate) use sessions::LearningLock;
pub use sessions::{
    DueSession, FileSessions, OpenMemory, ReportedRun, SessionClaim, SessionKey, SessionTree,
    Sessions, StoredSessions,
};
pub use sweep::{
    AppliedSweep, ModelPart, PlannedSweep, SweepError, SweepGate, SweepItem, SweepLease,
    SweepModel, SweepPlan, SweepPolicy, SweepRecord, SweepRequest, UndoneSweep,
};
pub use transcript::{
    ReadSummary, RunInfo, TranscriptCursor, TranscriptEvent, TranscriptEvents, TranscriptFile,
};
pub(crate) use writ::ParsedWrit;
pub use writ::{KeptWrit, WritOutcome};

use std::sync::Arc;

use hardwon_core::Status;
use hardwon_store::Store;

/// The lesson loop over one store.
pub struct Engine {
    store: Box<dyn Store>,
    policy: Arc<Policy>,
    clock: Box<dyn Clock>,
    semantic: Option<embed::SemanticRecall>,
    lesson_log: Option<LessonLog>,
}

impl Engine {
    /// Makes an engine with one policy for all tenants.
    pub fn new(store: Box<dyn Store>, policy: Policy, clock: Box<dyn Clock>) -> Self {
        Self {
            store,
            policy: Arc::new(policy),
            clock,
            semantic: None,
            lesson_log: None,
        }
    }

    /// Adds recall by meaning.
    #[must_use]
    pub fn with_semantic(self, semantic: embed::SemanticRecall) -> Self {
        Self {
            semantic: Some(semantic),
            ..self
        }
    }

    /// Has what runs teach written to a log, and not kept; what somebody writes down is kept all the same.
    #[must_use]
    pub fn with_lesson_log(self, log: LessonLog) -> Self {
        Self {
            lesson_log: Some(log),
            ..self
        }
    }
}

/// Returns why a lesson is in its state; `None` for an active one.
pub fn status_reason(status: &Status) -> Option<String> {
    match status {
        Status::Active => None,
        Status::Pending { why } | Status::Quarantined { why } | Status::Archived { why, .. } => {
            Some(why.to_string())
        }
        Status::Superseded { by } => Some(format!("superseded by {by}")),
    }
}
