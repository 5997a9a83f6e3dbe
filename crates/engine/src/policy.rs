//! Every tunable of the loop, with its default stated once.

use hardwon_core::{
    capture::CapturePolicy,
    guard::GuardPolicy,
    limits,
    preamble::{Budget, Form},
    rank,
};

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
    pub rank: rank::Policy,
    /// Lessons that one recall shows.
    pub shown: usize,
    /// The form of a preamble.
    pub form: Form,
    /// How large a preamble may be.
    pub budget: Budget,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            capture: CapturePolicy::default(),
            guard: GuardPolicy::default(),
            capacity: limits::CAPACITY_DEFAULT,
            rank: rank::Policy::default(),
            shown: limits::SHOWN_DEFAULT,
            form: Form::default(),
            budget: Budget::default(),
        }
    }
}
