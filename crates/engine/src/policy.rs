//! Every tunable of the loop, with its default stated once.

use hardwon_core::{
    capture::CapturePolicy,
    distil::InquiryTriggers,
    guard::GuardPolicy,
    lesson::TargetKind,
    limits,
    preamble::{PreambleBudget, PreambleFormat},
    queue::JobMethod,
    rank,
};
use jiff::SignedDuration;

/// How an engine behaves.
#[derive(Debug, Clone)]
pub struct Policy {
    /// What is worth a lesson.
    pub capture: CapturePolicy,
    /// What is let in.
    pub guard: GuardPolicy,
    /// Learned lessons kept active in one scope.
    pub capacity: usize,
    /// How sure a recall must be.
    pub rank: rank::RankPolicy,
    /// Lessons that one recall shows.
    pub max_shown: usize,
    /// The form of a preamble.
    pub format: PreambleFormat,
    /// How large a preamble may be.
    pub budget: PreambleBudget,
    /// Which runs a model is asked about; none if it is not asked.
    pub inquiries: Option<InquiryPolicy>,
    /// Whether a lesson may be held back by chance, so that what showing it changes can be told.
    pub holdout: bool,
    /// At which moment of a session a lesson is shown that several would show.
    pub show_at: ShowAt,
    /// Whether the prompts and calls that recalls are made for are kept for some days, without
    /// secrets, for their own agent and the owner to read.
    pub keep_prompts: bool,
    /// The operator, the role and the skills of the agent that asks, unless it tells others: lessons
    /// that name such are for it.
    pub default_identities: Vec<(TargetKind, String)>,
}

/// At which moment of a session a lesson is shown that several would show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShowAt {
    /// The first that finds it: the session's start, a prompt, a call that it names.
    #[default]
    FirstMatch,
    /// The call or the failure that it names; only what names none comes up before.
    NamedAction,
}

/// Which runs a model is asked about, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InquiryPolicy {
    /// For which causes.
    pub triggers: InquiryTriggers,
    /// How.
    pub method: JobMethod,
    /// How long a run must have been left alone before, so that one that goes on is asked about
    /// once.
    pub quiet_period: SignedDuration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            capture: CapturePolicy::default(),
            guard: GuardPolicy::default(),
            capacity: limits::CAPACITY_DEFAULT,
            rank: rank::RankPolicy::default(),
            max_shown: limits::SHOWN_DEFAULT,
            format: PreambleFormat::default(),
            budget: PreambleBudget::default(),
            inquiries: None,
            holdout: true,
            show_at: ShowAt::default(),
            keep_prompts: false,
            default_identities: Vec::new(),
        }
    }
}
