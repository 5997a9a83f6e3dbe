//! What became of the lessons that a run was shown, read off what the run did.
//!
//! Only what the trace shows is taken for told: the very trouble came again, or what the lesson is
//! about was done and it did not. A lesson that nothing in the run bears on is neither praised nor
//! blamed. How much any of this counts is [`judge`](super::judge)'s business.

use std::collections::BTreeMap;

use super::{Aftermath, Fate};
use crate::{
    event::ToolCall,
    id::{LessonId, RecallId},
    lesson::{FailureKey, Lesson},
    limits,
    recall::{Considered, Moment, Prompt, Recall, Treatment},
    text::CleanText,
    trace::{
        Trace, What,
        call::{self, Call},
        failure::Failure,
    },
};

/// Code spans of a lesson's text that calls are compared with.
const SPANS: usize = 8;
/// Shortest span that says which call is meant, in bytes.
const SPAN_BYTES: usize = 4;

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
        let from = place(trace, &calls, found.recall, lesson);
        Some(Aftermath {
            recall: found.id,
            lesson: id,
            was_held: found.considered.treatment == Treatment::HeldBack,
            chance: f64::from(found.considered.chance),
            weight: weight(found.recall, found.considered),
            failure: lesson.failure.clone(),
            fate: fate(&calls, from, lesson),
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
    args: &'a str,
    label: String,
    call: Call,
    failure: Option<FailureKey>,
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
        let failure = Failure::of(tool_call).map(|failure| failure.key);
        Self {
            at,
            args: tool_call.args.as_str(),
            label: call.label(),
            call,
            failure,
        }
    }

    /// Returns whether a lesson is about this call: it names the command or the tool.
    ///
    /// The call that a lesson is called for by is made whatever the lesson says. So where no trouble
    /// can tell by staying away, and the text names other calls, those are what doing it means.
    fn is_meant_by(&self, lesson: &Lesson, spans: &[&str]) -> bool {
        let signature = lesson.content.signature.as_str();
        let mut telling = spans.iter().filter(|span| !signature.contains(**span));
        if lesson.failure.is_none() && telling.clone().next().is_some() {
            return telling.any(|span| self.args.contains(span));
        }
        let names = |name: &str| {
            name == self.label || (self.call.line().is_none() && name == self.call.tool)
        };
        let signature = lesson.content.signature.as_str().trim_start_matches('/');
        let is_signed = signature
            .strip_prefix(self.label.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
        is_signed
            || lesson.content.tools.iter().any(|it| names(it.as_str()))
            || spans.iter().any(|span| self.args.contains(span))
    }
}

/// Returns the step from which on a recall could have an effect.
///
/// A trace has no times. A prompt is known again by its digest; at a failure, and where somebody
/// asked, the first failure of the lesson's own kind comes before it; else it is the whole run.
fn place(trace: &Trace, calls: &[Seen<'_>], recall: &Recall, lesson: &Lesson) -> u32 {
    let place = match recall.moment {
        Moment::Turn => trace.steps().iter().find_map(|step| match &step.what {
            What::Said { text, .. } => {
                (Prompt::of(text.as_str()) == recall.prompt).then_some(step.at)
            }
            What::Call(_) => None,
        }),
        Moment::Failure | Moment::Asked => calls
            .iter()
            .find(|seen| seen.failure.is_some() && seen.failure == lesson.failure)
            .map(|seen| seen.at + 1),
        Moment::Call => None,
    };
    place.unwrap_or(0)
}

fn fate(calls: &[Seen<'_>], from: u32, lesson: &Lesson) -> Fate {
    let spans = spans(lesson.content.text.as_str());
    let mut later = calls.iter().filter(|seen| seen.at >= from);
    let came_again = |seen: &Seen<'_>| seen.failure.is_some() && seen.failure == lesson.failure;
    let was_done = |seen: &Seen<'_>| {
        (seen.failure.is_none() || lesson.failure.is_none()) && seen.is_meant_by(lesson, &spans)
    };
    let can_be_told =
        lesson.failure.is_some() || !spans.is_empty() || !lesson.content.tools.is_empty();
    if later.clone().any(came_again) {
        Fate::Contradicted
    } else if later.any(was_done) {
        Fate::Followed
    } else if can_be_told && !calls.is_empty() {
        Fate::Unused
    } else {
        Fate::Untold
    }
}

/// Returns the beginnings of a text's code spans, up to where something was left out.
fn spans(text: &str) -> Vec<&str> {
    let spans = text.split('`').skip(1).step_by(2);
    let starts = spans.filter_map(|span| span.split('…').next());
    starts
        .map(str::trim)
        .filter(|span| span.len() >= SPAN_BYTES)
        .take(SPANS)
        .collect()
}
