//! A call of a run, prepared for comparison with lessons: what it does, and which of its steps certainly worked or failed.
//!
//! A step after `||`, in a branch, or after one that failed may not have run. What a call means for a lesson that was shown
//! before it is for [`aftermath`](super::aftermath).

use crate::{
    CallFailure, CallStatus, CleanText, FailureKey, Join, LessonContent, Occasion, ParsedCall,
    ShellLine, ToolCall, Trace, Triggers,
    shell::is_listed,
    trace::{
        call,
        family::{self, FailureFamily},
    },
    trigger::CallActs,
};

/// One call of the run, prepared for comparison with lessons.
pub(super) struct ObservedCall<'a> {
    pub(super) at: u32,
    pub(super) tool_call: &'a ToolCall<CleanText>,
    pub(super) call: ParsedCall,
    acts: CallActs,
    failures: Vec<CallFailure>,
}

impl<'a> ObservedCall<'a> {
    pub(super) fn all_in_trace(trace: &'a Trace) -> Vec<Self> {
        let steps = trace.steps().iter();
        let calls = steps.filter_map(|step| Some(Self::from_call(step.position, step.call()?)));
        calls.collect()
    }

    pub(super) fn from_call(at: u32, tool_call: &'a ToolCall<CleanText>) -> Self {
        let call = call::parse_call(tool_call);
        Self {
            at,
            tool_call,
            acts: CallActs::from_call(&call),
            failures: CallFailure::all_from_call(&call, &tool_call.status),
            call,
        }
    }

    /// Returns whether the call failed with this failure.
    pub(super) fn has_failed_with(&self, trouble: &FailureKey) -> bool {
        let is_it = |key: &FailureKey| key == trouble;
        let mut failures = self.failures.iter();
        failures.any(|failure| is_it(&failure.key) || failure.error_key.as_ref().is_some_and(is_it))
    }

    /// Returns whether the call changes a file.
    pub(super) fn changes_files(&self) -> bool {
        self.acts.changed_files().next().is_some()
    }

    /// Returns whether the call failed in any way.
    pub(super) fn has_failed(&self) -> bool {
        !self.failures.is_empty()
    }

    /// Returns whether another call has a failure of this one's.
    pub(super) fn shares_failure(&self, other: &Self) -> bool {
        let mut failures = self.failures.iter();
        failures.any(|failure| other.has_failed_with(&failure.key))
    }

    /// Returns whether a person or a policy did not let the call run.
    pub(super) fn was_refused(&self) -> bool {
        let mut errors = self.tool_call.status.errors();
        errors.any(|error| family::classify_error(error.as_str()).family == FailureFamily::Denied)
    }

    /// Returns whether a command that a lesson is about failed before it came to the work itself.
    pub(super) fn has_failed_at_own(&self, triggers: &Triggers) -> bool {
        let errors = self.tool_call.status.errors();
        let mut pairs = self.failures.iter().zip(errors);
        pairs.any(|(failure, error)| {
            let family = family::classify_error(error.as_str()).family;
            !family.is_the_work() && triggers.are_of_failed(&self.call, failure)
        })
    }

    /// Returns the error of a step of the command line, if it is certain that this step failed.
    pub(super) fn step_error(&self, line: &ShellLine, step: usize) -> Option<&str> {
        let failure = self.failures.first()?;
        let is_it = failure.culprit == Some(step) || line.commands.len() == 1;
        match &self.tool_call.status {
            CallStatus::Error(error) if is_it => Some(error.as_str()),
            CallStatus::PartlyFailed(failed) => {
                let step_failure = failed.iter().find(|failure| failure.step == step);
                step_failure.map(|step_failure| step_failure.error.as_str())
            }
            CallStatus::Error(_) | CallStatus::Doubtful(_) | CallStatus::Ok => None,
        }
    }

    /// Returns whether a step of the command line certainly ran and worked.
    pub(super) fn has_step_worked(&self, line: &ShellLine, step: usize) -> bool {
        match &self.tool_call.status {
            _ if line.branches => false,
            CallStatus::Doubtful(doubt) => {
                step != doubt.step && line.commands[step].join != Join::Or
            }
            CallStatus::Ok => line.commands[step].join != Join::Or,
            CallStatus::PartlyFailed(failed) => {
                let may_have_run = matches!(line.commands[step].join, Join::Then | Join::Pipe);
                let is_whole = failed.iter().all(|failure| failure.step > step);
                (may_have_run || is_whole) && failed.iter().all(|failure| failure.step != step)
            }
            CallStatus::Error(_) => {
                let culprit = self.failures.first().and_then(|failure| failure.culprit);
                culprit.is_some_and(|culprit| had_to_work(line, step, culprit))
            }
        }
    }

    /// Returns the programs that certainly ran and worked, as [`list_worked_programs`] does.
    pub(super) fn worked_programs(&self) -> Vec<&str> {
        if self.has_failed() {
            return Vec::new();
        }
        list_worked_programs(&self.call)
    }

    /// Returns what the call is to a lesson.
    pub(super) fn occasion_of(&self, triggers: &Triggers) -> Occasion {
        triggers.occasion(&self.acts, &self.call, false)
    }

    /// Returns whether the call failed as a signature tells it.
    pub(super) fn has_failed_as_told(&self, triggers: &Triggers, content: &LessonContent) -> bool {
        let errors = self.tool_call.status.errors();
        let mut pairs = self.failures.iter().zip(errors);
        pairs.any(|(failure, error)| {
            triggers.tell_failure(content, &self.call, failure, error.as_str())
        })
    }

    /// Returns whether a step of the call follows the advice and satisfies a condition.
    pub(super) fn has_advised_step(
        &self,
        triggers: &Triggers,
        is_so: impl Fn(&ShellLine, usize) -> bool,
    ) -> bool {
        self.call.line().is_some_and(|line| {
            let mut steps = line.commands.iter().enumerate();
            steps.any(|(at, step)| triggers.are_followed_by(step) && is_so(line, at))
        })
    }

    /// Returns whether the call followed the advice as far as can be told: no step that did failed before it came to its work.
    pub(super) fn may_have_followed(&self, triggers: &Triggers) -> bool {
        let is_work = |error: &str| family::classify_error(error).family.is_the_work();
        self.has_tried(triggers) && !self.has_failed_at_advice(triggers, |error| !is_work(error))
    }

    /// Returns whether the call does what is advised, whatever the result.
    pub(super) fn has_tried(&self, triggers: &Triggers) -> bool {
        triggers.are_followed_by_call(&self.acts, &self.call)
            || self.has_advised_step(triggers, |_, _| true)
    }

    /// Returns whether the call followed the advice, and that worked.
    pub(super) fn has_followed(&self, triggers: &Triggers) -> bool {
        let is_other = triggers.are_followed_by_call(&self.acts, &self.call);
        (is_other && !self.tool_call.status.has_failure())
            || self.has_advised_step(triggers, |line, step| self.has_step_worked(line, step))
    }

    /// Returns whether the call followed the advice, and then failed later in the same line: if the error does not say at
    /// which step, the name of the failure does.
    pub(super) fn has_followed_before_failure(&self, triggers: &Triggers) -> bool {
        let main = self.call.main_command();
        self.has_advised_step(triggers, |line, step| {
            main.is_some_and(|main| had_to_work(line, step, main))
        })
    }

    /// Returns whether a step that follows the advice certainly ran, and worked or came as far as its own work.
    pub(super) fn has_run_advice(&self, triggers: &Triggers) -> bool {
        let is_work = |error: &str| family::classify_error(error).family.is_the_work();
        self.has_followed(triggers) || self.has_failed_at_advice(triggers, is_work)
    }

    /// Returns whether a step followed the advice and failed with an error that satisfies a condition.
    pub(super) fn has_failed_at_advice(
        &self,
        triggers: &Triggers,
        is_it: impl Fn(&str) -> bool,
    ) -> bool {
        self.has_advised_step(triggers, |line, step| {
            self.step_error(line, step).is_some_and(&is_it)
        })
    }
}

/// Returns the programs of a call that worked which certainly ran in a shell as it is, called by their names alone.
pub(super) fn list_worked_programs(call: &ParsedCall) -> Vec<&str> {
    let Some(line) = call.line().filter(|line| !sets_path(line)) else {
        return Vec::new();
    };
    let steps = line.commands.iter().enumerate();
    let certain =
        steps.filter(|(at, step)| tells_status_of(line, *at) && step.job_variable.is_none());
    certain
        .map(|(_, step)| step.words[0].text.as_str())
        .collect()
}

/// Returns whether a line changes where its programs are found.
fn sets_path(line: &ShellLine) -> bool {
    line.commands.iter().any(|command| {
        let is_set = |text: &str| text.starts_with("PATH=");
        command.env.iter().any(|(name, _)| name == "PATH")
            || is_listed("source . eval", command.program())
            || command.program() == "export" && command.texts().into_iter().any(is_set)
    })
}

/// Returns whether a line that worked says so of this step: all after it ran because it had worked.
fn tells_status_of(line: &ShellLine, step: usize) -> bool {
    let mut rest = line.commands[step + 1..].iter();
    !line.branches
        && line.commands[step].join != Join::Or
        && !line.commands[step].is_substitution
        && rest.all(|command| command.join == Join::And)
}

/// Returns whether one step of a line precedes another that ran only because it worked.
fn had_to_work(line: &ShellLine, step: usize, before: usize) -> bool {
    let next = line.commands.get(step + 1).map(|next| next.join);
    step < before && next == Some(Join::And)
}
