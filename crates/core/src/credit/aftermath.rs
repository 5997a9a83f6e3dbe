//! What became of the lessons that a run was shown, read off what the run did.
//!
//! Only what the trace shows is taken for told: what the lesson says was done, and its trouble came
//! all the same or did not. A lesson that was not followed, or that nothing in the run bears on, is
//! neither praised nor blamed. What a lesson says to do is read by [`advice`](super::advice), and how
//! much any of this counts is [`judge`](super::judge)'s business.

use std::collections::BTreeMap;

use super::{Aftermath, Fate, Timing, advice::Advice};
use crate::{
    event::{CallStatus, ToolCall},
    id::{LessonId, RecallId},
    lesson::{FailureKey, Lesson},
    limits,
    recall::{Considered, Moment, Prompt, Recall, Treatment},
    text::CleanText,
    trace::{
        Trace, What,
        call::{self, Call},
        failure::Failure,
        shell::{Join, Line},
    },
};

/// Returns what became of each lesson that the recalls of a run showed or held back, one for each
/// lesson, in the order of their numbers.
///
/// `lessons` are those that the recalls name; what is not among them is passed over. Of several
/// recalls of one lesson the first that showed it counts.
#[must_use]
pub fn aftermath(
    trace: &Trace,
    recalls: &[(RecallId, Recall)],
    lessons: &[Lesson],
) -> Vec<Aftermath> {
    let first = first_of_each(recalls);
    if first.is_empty() {
        return Vec::new();
    }
    let calls = Seen::all(trace);
    let told = |(id, found): (LessonId, Found<'_>)| {
        let lesson = lessons.iter().find(|lesson| lesson.id == id)?;
        let later = |found: &Found<'_>| {
            let from = place(trace, &calls, found.recall, lesson);
            Later {
                calls: calls.iter().filter(|seen| seen.at >= from).collect(),
                lesson,
                advice: Advice::read_from(&lesson.content),
            }
        };
        let came = |found: &Found<'_>| later(found).trouble_came().filter(|_| !calls.is_empty());
        let timed = first_timed(recalls, id);
        let timing = timed.map(|it| it.timing(came(&it)));
        let later = later(&found);
        Some(Aftermath {
            recall: found.id,
            lesson: id,
            was_held: found.considered.treatment != Treatment::Shown,
            chance: found.chance_held(),
            weight: weight(found.recall, found.considered),
            moment: found.recall.moment,
            failure: lesson.failure.clone(),
            trouble_came: came(&found),
            timing,
            fate: later.fate(!calls.is_empty()),
        })
    };
    first
        .into_iter()
        .filter_map(told)
        .take(limits::JUDGED)
        .collect()
}

/// The recall of a lesson that counts.
#[derive(Clone, Copy)]
struct Found<'a> {
    id: RecallId,
    recall: &'a Recall,
    considered: &'a Considered,
}

impl Found<'_> {
    /// How likely the lesson was to be held back rather than shown; 0 where it was left to a later
    /// moment, for only runs without its trouble stay without it then.
    fn chance_held(&self) -> f64 {
        match self.considered.treatment {
            Treatment::LeftForLater => 0.0,
            _ => self.considered.chance_held(),
        }
    }

    fn timing(&self, trouble_came: Option<bool>) -> Timing {
        Timing {
            moment: self.recall.moment,
            was_left: self.considered.treatment == Treatment::LeftForLater,
            chance: self.considered.chance_later(),
            trouble_came,
        }
    }
}

/// Returns the recall in which chance decided whether a lesson was shown or left to a later moment. Each
/// lesson is drawn for once in a session.
fn first_timed(recalls: &[(RecallId, Recall)], lesson: LessonId) -> Option<Found<'_>> {
    let is_it = |it: &&Considered| {
        let is_one = matches!(it.treatment, Treatment::Shown | Treatment::LeftForLater);
        it.lesson == lesson && is_one && it.later > 0.0
    };
    recalls.iter().find_map(|(id, recall)| {
        let considered = recall.considered.iter().find(is_it)?;
        let id = *id;
        Some(Found {
            id,
            recall,
            considered,
        })
    })
}

fn first_of_each(recalls: &[(RecallId, Recall)]) -> BTreeMap<LessonId, Found<'_>> {
    let mut first: BTreeMap<LessonId, Found<'_>> = BTreeMap::new();
    for (id, recall) in recalls {
        for considered in &recall.considered {
            if matches!(considered.treatment, Treatment::PassedOver { .. }) {
                continue;
            }
            let found = Found {
                id: *id,
                recall,
                considered,
            };
            let order = |it: &Found<'_>| (it.considered.treatment != Treatment::Shown, it.id);
            let is_first = |there: &Found<'_>| order(&found) < order(there);
            if first.get(&considered.lesson).is_none_or(is_first) {
                first.insert(considered.lesson, found);
            }
        }
    }
    first
}

/// How much of a lesson fitted, against the best of its recall.
fn weight(recall: &Recall, considered: &Considered) -> f64 {
    let is_meant = |it: &&Considered| !matches!(it.treatment, Treatment::PassedOver { .. });
    let scores = recall.considered.iter().filter(is_meant);
    let best = scores.map(|it| it.score).fold(0.0, f32::max);
    match best > 0.0 {
        true => f64::from(considered.score / best).clamp(0.0, 1.0),
        false => 1.0,
    }
}

/// One call of the run, as a lesson is compared with it.
struct Seen<'a> {
    at: u32,
    tool_call: &'a ToolCall<CleanText>,
    label: String,
    call: Call,
    failures: Vec<Failure>,
}

impl<'a> Seen<'a> {
    fn all(trace: &'a Trace) -> Vec<Self> {
        let call = |step: &'a crate::trace::Step| match &step.what {
            What::Call(call) => Some(Self::of(step.at, call)),
            What::Said { .. } => None,
        };
        trace.steps().iter().filter_map(call).collect()
    }

    fn of(at: u32, tool_call: &'a ToolCall<CleanText>) -> Self {
        let call = call::read(tool_call);
        Self {
            at,
            tool_call,
            label: call.label(),
            failures: Failure::all(&call, &tool_call.status),
            call,
        }
    }

    /// Returns whether this trouble came in it.
    fn met(&self, trouble: &FailureKey) -> bool {
        self.failures.iter().any(|failure| failure.key == *trouble)
    }

    /// Returns whether it failed, in whatever way.
    fn has_failed(&self) -> bool {
        !self.failures.is_empty()
    }

    /// Returns the error of a step of its command line, as far as it can be told that this one failed.
    fn error_of(&self, line: &Line, step: usize) -> Option<&str> {
        let failure = self.failures.first()?;
        let is_it = failure.culprit == Some(step) || line.commands.len() == 1;
        match &self.tool_call.status {
            CallStatus::Error(error) if is_it => Some(error.as_str()),
            CallStatus::Partly(failed) => {
                let found = failed.iter().find(|it| it.step == step);
                found.map(|it| it.error.as_str())
            }
            CallStatus::Error(_) | CallStatus::Ok => None,
        }
    }

    /// Returns whether a step of its command line ran and worked, as far as that can be told.
    fn has_worked(&self, line: &Line, step: usize) -> bool {
        match &self.tool_call.status {
            _ if line.branches => false,
            CallStatus::Ok => line.commands[step].join != Join::Or,
            CallStatus::Partly(failed) => {
                let may_have_run = matches!(line.commands[step].join, Join::Then | Join::Pipe);
                let is_whole = failed.iter().all(|it| it.step > step);
                (may_have_run || is_whole) && failed.iter().all(|it| it.step != step)
            }
            CallStatus::Error(_) => {
                let culprit = self.failures.first().and_then(|failure| failure.culprit);
                culprit.is_some_and(|culprit| had_to_work(line, step, culprit))
            }
        }
    }

    /// Returns whether a lesson is called for by this call: its signature or its tools name the
    /// command or the tool.
    fn calls_for(&self, lesson: &Lesson) -> bool {
        let names = |name: &str| {
            name == self.label || (self.call.line().is_none() && name == self.call.tool)
        };
        let signature = lesson.content.signature.as_str().trim_start_matches('/');
        let is_signed = signature
            .strip_prefix(self.label.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
        is_signed || lesson.content.tools.iter().any(|it| names(it.as_str()))
    }

    /// Returns whether a step of it does what a lesson says and is so.
    fn has_step(&self, advice: &Advice, is_so: impl Fn(&Line, usize) -> bool) -> bool {
        self.call.line().is_some_and(|line| {
            let mut steps = line.commands.iter().enumerate();
            steps.any(|(at, step)| advice.is_followed_by(step) && is_so(line, at))
        })
    }

    /// Returns whether it did what a lesson says, whatever came of it.
    fn tries(&self, advice: &Advice) -> bool {
        self.has_step(advice, |_, _| true)
    }

    /// Returns whether it did what a lesson says, and that worked.
    fn follows(&self, advice: &Advice) -> bool {
        self.has_step(advice, |line, step| self.has_worked(line, step))
    }

    /// Returns whether it did what a lesson says, and the lesson's own trouble came after that in the
    /// same line: the trouble's name tells which step it came at, if the error does not.
    fn follows_before(&self, advice: &Advice, trouble: &FailureKey) -> bool {
        let main = self.call.main().filter(|_| self.met(trouble));
        self.has_step(advice, |line, step| {
            main.is_some_and(|main| had_to_work(line, step, main))
        })
    }

    /// Returns whether it did what a lesson says, and that met the lesson's own trouble.
    fn follows_in_vain(&self, advice: &Advice, lesson: &Lesson, trouble: &FailureKey) -> bool {
        let signature = lesson.content.signature.as_str();
        let label = signature.split(" (").next().unwrap_or(signature);
        let is_it =
            |error: &str| self.met(trouble) || Failure::key_at_label(label, error) == *trouble;
        self.has_step(advice, |line, step| {
            self.error_of(line, step).is_some_and(is_it)
        })
    }
}

/// Returns whether one step of a line stands before another, which ran only because it worked.
fn had_to_work(line: &Line, step: usize, before: usize) -> bool {
    let next = line.commands.get(step + 1).map(|next| next.join);
    step < before && next == Some(Join::And)
}

/// Returns the step from which on a recall could have an effect.
///
/// A trace has no times. A prompt and a call are known again by their digest; at a failure, and where
/// somebody asked, the first failure of the lesson's own kind comes before it; else it is the whole
/// run.
fn place(trace: &Trace, calls: &[Seen<'_>], recall: &Recall, lesson: &Lesson) -> u32 {
    let is_it = |text: &str| Prompt::of(text) == recall.prompt;
    let of_its_kind = || {
        let trouble = lesson.failure.as_ref()?;
        calls.iter().find(|seen| seen.met(trouble))
    };
    let place = match recall.moment {
        Moment::Turn => trace.steps().iter().find_map(|step| match &step.what {
            What::Said { text, .. } => is_it(text.as_str()).then_some(step.at),
            What::Call(_) => None,
        }),
        Moment::Call => {
            let mut same = calls.iter().filter(|seen| is_it(&seen.call.text()));
            same.next().map(|seen| seen.at)
        }
        Moment::Failure => {
            let failed =
                |seen: &&Seen<'_>| seen.has_failed() && is_it(seen.tool_call.args.as_str());
            let found = calls.iter().find(failed).or_else(of_its_kind);
            found.map(|seen| seen.at + 1)
        }
        Moment::Asked => of_its_kind().map(|seen| seen.at + 1),
        Moment::Start => None,
    };
    place.unwrap_or(0)
}

/// What a run did once it had been shown a lesson.
struct Later<'a> {
    calls: Vec<&'a Seen<'a>>,
    lesson: &'a Lesson,
    advice: Advice,
}

impl Later<'_> {
    /// Returns whether the trouble came that the lesson is about; none if it is about none.
    fn trouble_came(&self) -> Option<bool> {
        let trouble = self.lesson.failure.as_ref()?;
        Some(self.calls.iter().any(|seen| seen.met(trouble)))
    }

    /// Returns what became of the lesson. `can_tell` is whether the run called anything at all.
    fn fate(&self, can_tell: bool) -> Fate {
        let mut calls = self.calls.iter();
        if self.was_in_vain() {
            Fate::Contradicted
        } else if calls.any(|seen| seen.follows(&self.advice)) {
            Fate::Followed
        } else if self.advice.is_empty() {
            let names_something =
                self.lesson.failure.is_some() || !self.lesson.content.tools.is_empty();
            match can_tell && names_something && !self.was_called_for() {
                true => Fate::Unused,
                false => Fate::Untold,
            }
        } else if !can_tell || self.calls.iter().any(|seen| seen.tries(&self.advice)) {
            Fate::Untold
        } else if self.was_called_for() {
            Fate::Ignored
        } else {
            Fate::Unused
        }
    }

    /// Returns whether the lesson was followed and its trouble came all the same: in the very call
    /// that followed it, or in a later one that it was to make work.
    fn was_in_vain(&self) -> bool {
        let Some(trouble) = &self.lesson.failure else {
            return false;
        };
        let mut was_followed = false;
        let is_answered_for = self.advice.answers_for_what_comes_later();
        self.calls.iter().any(|seen| {
            was_followed |=
                seen.follows(&self.advice) || seen.follows_before(&self.advice, trouble);
            (was_followed && is_answered_for && seen.met(trouble))
                || seen.follows_in_vain(&self.advice, self.lesson, trouble)
        })
    }

    /// Returns whether there was an occasion to follow it: its trouble, or a call that it is about.
    fn was_called_for(&self) -> bool {
        let calls_for = |seen: &&Seen<'_>| {
            let trouble = self.lesson.failure.as_ref();
            seen.calls_for(self.lesson) || trouble.is_some_and(|trouble| seen.met(trouble))
        };
        self.calls.iter().any(calls_for)
    }
}
