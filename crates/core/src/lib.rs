//! What a lesson is, and all that a recall or a learning decides, as pure functions.
//!
//! This crate is pure: it reads no clock, no file, no environment and no randomness. It gets what it needs as
//! arguments, and returns its decisions as values; the store and the engine carry them out. The modules of verbs are
//! declared in the order in which data passes through them.
//!
//! ```text
//! RawEvent --redact--> CleanEvent --trace--> Trace --capture--> Episode? --distil--> Draft
//!    Draft --guard---> AdmittedLesson | Rejection   AdmittedLesson --change--> Vec<Change>  (write side)
//!   prompt --tokens--> QueryTerms --bm25--> candidates --rank--> Ranking --preamble--> Preamble
//!   Recall, Trace --credit--> Judgement --> Vec<Change>                       (and the outcomes)
//! ```

// Each uses only those before it; ARCHITECTURE.md draws it.
mod named_enum;
pub mod text;
pub mod limits;
pub mod digest;
pub mod glob;

// Modules of verbs, in the order in which data passes through them.
pub mod id;
pub mod scope;
pub mod evidence;

pub mod lesson;
pub mod recall;

pub mod tokens;
pub mod vector;
pub mod bm25;

pub mod shell;
pub(crate) mod safety;
pub mod outside;
pub mod advice;

pub mod event;
pub mod trace;
pub mod trigger;

pub mod guard;
pub mod change;

pub mod rank;
pub mod preamble;
pub mod writ;

pub mod capture;
pub mod distil;
pub mod queue;
pub mod named_things;

pub mod credit;

// The types that other crates take; a function is taken with the module that says what it works upon.
pub use bm25::{CorpusStats, Scorer};
pub use capture::{
    CaptureMode, CapturePolicy, CapturedEpisodes, Difference, Episode, EpisodeKind, EpisodeWeight,
    Fix, Skip,
    consensus::{Agreement, ConsensusKeys},
    question::TurnQuestion,
};
pub use change::{
    Actor, Change, ChangeBatch, CurationError, DecisionContext, DecisionOutcome, EvictionCandidate,
    LessonDecision, Meaning, MeaningKey,
};
pub use credit::{
    BaselineKey, CreditPriors, Judgement, LessonJudgement, LessonOutcome, LessonPrior,
    ObservedOutcome, OccasionRecord,
};
pub use distil::{
    InquiryFailure, InquiryOrigin, InquiryTriggers, ModelPrompt, excerpt::Excerpt,
    judge::LessonOpinion,
};
pub use event::{
    CallStatus, CleanEvent, FailedStep, MessageRole, RawEvent, RunEvent, RunStatus, Signal,
    ToolCall,
};
pub use evidence::{Evidence, EvidenceKind};
pub use guard::{
    BadComment, Category, EntryState, GuardPolicy, GuardVerdict, InspectionVerdict, Memo,
    Rejection, Rejections, SuspicionLevel,
};
pub use id::{
    AgentId, ClientName, InvalidName, KeyName, LessonId, ProjectId, RecallId, RunId, TenantId,
};
pub use lesson::{
    AdmittedLesson, Arm, Cause, Draft, EffectEstimate, FailureKey, GaussianMessage, Lesson,
    LessonContent, LessonCounts, LessonTarget, RecordDelta, Retirement, RunOutcome, Slug, Status,
    StatusName, TargetKind, Trial, TrialVerdict, TriggerEdit, Trust, TrustClass,
};
pub use named_things::{LookupFinding, NamedThing};
pub use outside::{BranchArrival, FollowedCall, Lineage, OutsideWords, ResultOrigin};
pub use preamble::{Omission, Preamble, PreambleBudget, PreambleFormat};
pub use queue::{Inquiry, Job, JobFailure, JobId, JobMethod, JobState, JobTask, ModelCost};
pub use rank::{
    ExcludedLesson, ExclusionReason, Explanation, RankPolicy, RankedLesson, Ranking, Requester,
    SearchHit, SearchResults, Silence, SilenceReason, SimilarityScore, TermScore,
};
pub use recall::{ConsideredLesson, Moment, PromptDigest, Recall, Treatment};
pub use scope::Scope;
pub use shell::{Join, ShellCommand, ShellLine};
pub use text::{CleanText, RawText};
pub use tokens::{DocTerms, QueryTerms, TermLookup, TypedWord};
pub use trace::{
    StepKind, Trace, TraceStep,
    call::{CallArgs, ParsedCall},
    effect::CallEffect,
    failure::CallFailure,
    family::FailureFamily,
};
pub use trigger::{CallActs, CallKeys, Occasion, Sign, Stance, Triggers};
pub use vector::{InvalidVector, Vector};
pub use writ::{QueueOrder, SpottedWrit, Writ, WritError};

// Those that only this crate takes.
pub(crate) use guard::Reason;
pub(crate) use lesson::Posterior;
pub(crate) use shell::ShellWord;
pub(crate) use trace::{AgentTurn, RunEnd};
