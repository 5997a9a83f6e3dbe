//! Every tunable of the loop, with its default stated once.

use std::collections::BTreeSet;

use hardwon_core::{
    CapturePolicy, GuardPolicy, InquiryTriggers, JobMethod, LessonId, PreambleBudget,
    PreambleFormat, TargetKind, limits, rank,
};
use jiff::SignedDuration;

/// How an engine behaves.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The rules for what is worth a lesson.
    pub capture: CapturePolicy,
    /// The rules for which drafts the guard admits.
    pub guard: GuardPolicy,
    /// Most learned lessons that stay active in one scope.
    pub capacity: usize,
    /// How relevant a lesson must be to be shown.
    pub rank: rank::RankPolicy,
    /// Most lessons that one recall shows.
    pub max_shown: usize,
    /// The form of a preamble.
    pub format: PreambleFormat,
    /// The maximum size of a preamble.
    pub budget: PreambleBudget,
    /// Which runs a model is asked about; `None` to ask none.
    pub inquiries: Option<InquiryPolicy>,
    /// Whether lessons may be left out at random, so that the effect of showing them can be measured.
    pub holdout: bool,
    /// The moment at which a lesson is shown that several moments would show.
    pub show_at: ShowAt,
    /// How many lessons a session begins with.
    pub start: StartLessons,
    /// What a person's warning does before a call that it names.
    pub before_call: BeforeCall,
    /// Whether the prompts and calls of recalls are kept for some days, without secrets, for their own agent and the
    /// owner to read.
    pub keep_prompts: bool,
    /// The lessons that the agent reads in the project's files, so that it is shown them at their failure only.
    pub placed: BTreeSet<LessonId>,
    /// The operator, the role and the skills of an agent that does not name its own: lessons targeted at these are for
    /// it.
    pub default_identities: Vec<(TargetKind, String)>,
}

hardwon_core::named_enum! {
    /// The moment at which a lesson is shown that several moments would show.
    #[derive(Default)]
    ShowAt {
        /// The first moment that finds it: the session's start, a prompt, a call that it names.
        #[default]
        FirstMatch = "first",
        /// The call or the failure that it names; only a lesson that names none is shown before.
        NamedAction = "action",
    }
}

hardwon_core::named_enum! {
    /// How many lessons a session begins with.
    #[derive(Default)]
    StartLessons {
        /// None.
        Off = "off",
        /// The bank while it fits a few lines; else what has no other moment, and what has proven itself.
        #[default]
        Few = "few",
        /// As many as fit.
        All = "all",
    }
}

hardwon_core::named_enum! {
    /// What a person's warning does before a call that it names, unless it says so itself.
    #[derive(Default)]
    BeforeCall {
        /// It is told, which reaches the agent with the call's result.
        #[default]
        Tell = "tell",
        /// It holds the first such call in a context; made again, the call goes through.
        Hold = "hold",
    }
}

/// Which runs a model is asked about, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InquiryPolicy {
    /// The causes for which a model is asked.
    pub triggers: InquiryTriggers,
    /// The method of asking.
    pub method: JobMethod,
    /// How long a run must have been quiet before, so that one that goes on is asked about once.
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
            start: StartLessons::default(),
            before_call: BeforeCall::default(),
            keep_prompts: false,
            placed: BTreeSet::new(),
            default_identities: Vec::new(),
        }
    }
}
