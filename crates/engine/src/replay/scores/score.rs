//! Scores one recorded session while it is replayed.
//!
//! The caller records what was shown and which calls were made, in order; the result states for each failure whether
//! it is a recurrence and which lessons in sight would have covered it, and for each showing whether it was of use.

use std::collections::BTreeMap;

use super::{
    ReplayMoment,
    fix_search::{RecordedFix, WordSet, collect_words},
};
use crate::{FixSearch, FixSearchStep};
use hardwon_core::{
    CallFailure, CleanText, FailureKey, LessonContent, LessonId, ParsedCall, ToolCall, limits,
    trace::call,
};

/// What one showing of a lesson was worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ShowingWorth {
    /// It was in sight of a failure that it would have covered.
    Covered,
    /// It was in sight of the failure that it is about, but the recording shows no fix of that: its effect is
    /// unknown.
    Unclear,
    /// It was in sight of the failure that it is about, and that was fixed in another way.
    FixedOtherwise,
    /// It was about no failure of the session.
    Unneeded,
}

/// One showing of a lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Showing {
    /// The lesson that was shown.
    pub lesson: LessonId,
    /// The moment at which it was shown.
    pub at: ReplayMoment,
    /// The worth of the showing.
    pub worth: ShowingWorth,
}

/// One failure of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScoredFailure {
    /// The failure.
    pub failure: CallFailure,
    /// Its class: the family, or that it was the work itself.
    pub class: super::FailureClass,
    /// How the run fixed it, if it did.
    pub fix: Option<RecordedFix>,
    /// The moments at which lessons were shown that would have covered it.
    pub covered_at: Vec<ReplayMoment>,
    /// The indexes of the showings in sight that are about it.
    relevant_showings: Vec<usize>,
}

/// A session that is being replayed.
#[derive(Debug, Default)]
pub struct ReplaySession {
    turn: u32,
    calls: u32,
    shown: Vec<ShownLesson>,
    failures: Vec<ScoredFailure>,
    searches: Vec<(usize, FixSearch)>,
    /// The calls at which each failure occurred so far.
    calls_by_failure: BTreeMap<FailureKey, Vec<u32>>,
}

#[derive(Debug)]
struct ShownLesson {
    showing: Showing,
    turn: u32,
    /// How many calls had been made before.
    calls: u32,
    words: WordSet,
}

impl ReplaySession {
    /// Records that a prompt begins a turn.
    pub fn begin_turn(&mut self) {
        self.turn += 1;
    }

    /// Records that a lesson was shown; for one before a call or at its failure, before the call itself.
    pub fn record_showing(&mut self, lesson: LessonId, content: &LessonContent, at: ReplayMoment) {
        let worth = ShowingWorth::Unneeded;
        self.shown.push(ShownLesson {
            showing: Showing { lesson, at, worth },
            turn: self.turn,
            calls: self.calls,
            words: content_words(content),
        });
    }

    /// Records a call. `tied` are the lessons with the key of its failure.
    pub fn record_call(&mut self, made: &ToolCall<CleanText>, tied: &[LessonId]) {
        let call = call::parse_call(made);
        let failure = CallFailure::from_call(made);
        self.advance_searches(&call, failure.is_none());
        if let Some(failure) = failure
            && self.failures.len() < limits::REPLAYED_FAILURES
        {
            self.record_failure(&call, failure, tied);
        }
        self.calls += 1;
    }

    fn advance_searches(&mut self, call: &ParsedCall, worked: bool) {
        let failures = &mut self.failures;
        self.searches
            .retain_mut(|(index, search)| match search.advance(call, worked) {
                FixSearchStep::Fixed(way_out) => {
                    failures[*index].fix = Some(way_out);
                    false
                }
                FixSearchStep::GaveUp => false,
                FixSearchStep::Continue => true,
            });
    }

    fn record_failure(&mut self, call: &ParsedCall, failure: CallFailure, tied: &[LessonId]) {
        let at = self.calls;
        let same = self
            .calls_by_failure
            .entry(failure.key.clone())
            .or_default();
        let in_sight = |shown: &ShownLesson| match shown.showing.at {
            ReplayMoment::Start => true,
            ReplayMoment::Prompt => shown.turn == self.turn,
            ReplayMoment::Call => shown.calls == at,
            ReplayMoment::Failure | ReplayMoment::Once => {
                shown.calls == at || same.contains(&shown.calls)
            }
        };
        let is_about = |shown: &ShownLesson| {
            tied.contains(&shown.showing.lesson) || names_failure(&failure, &shown.words)
        };
        let about = self.shown.iter().enumerate();
        let about = about.filter(|(_, shown)| in_sight(shown) && is_about(shown));
        let about = about.map(|(index, _)| index).collect();
        same.push(at);
        let search = FixSearch::from_failed_call(call, failure.culprit);
        self.searches.push((self.failures.len(), search));
        self.failures.push(ScoredFailure {
            class: super::FailureClass::classify(&failure, call),
            failure,
            fix: None,
            covered_at: Vec::new(),
            relevant_showings: about,
        });
    }

    /// Returns the scored failures, in order, and the showings.
    pub fn finish(mut self) -> (Vec<ScoredFailure>, Vec<Showing>) {
        for failure in &mut self.failures {
            score_failure(failure, &mut self.shown);
        }
        let showings = self.shown.into_iter().map(|shown| shown.showing);
        (self.failures, showings.collect())
    }
}

/// Scores a failure, and what the lessons about it were worth to it.
fn score_failure(failure: &mut ScoredFailure, all_shown: &mut [ShownLesson]) {
    for index in &failure.relevant_showings {
        let ShownLesson { showing, words, .. } = &mut all_shown[*index];
        let worth = match &failure.fix {
            None => ShowingWorth::Unclear,
            Some(fix) if fix.is_named_in(words) => ShowingWorth::Covered,
            Some(_) => ShowingWorth::FixedOtherwise,
        };
        // The highest worth for any failure counts.
        showing.worth = showing.worth.min(worth);
        if worth == ShowingWorth::Covered && !failure.covered_at.contains(&showing.at) {
            failure.covered_at.push(showing.at);
        }
    }
}

/// Returns whether words name what failed: the command or the tool, or two words of the error.
fn names_failure(failure: &CallFailure, words: &WordSet) -> bool {
    let label = collect_words(&failure.label);
    let names_it = !label.is_empty() && label.is_subset(words);
    let telling = |word: &&String| word.len() > 3 && word.chars().all(char::is_alphabetic);
    let gist = collect_words(&failure.gist);
    let of_error = gist.iter().filter(telling);
    names_it || of_error.filter(|word| words.contains(*word)).count() >= 2
}

fn content_words(content: &LessonContent) -> WordSet {
    let fields = [&content.signature, &content.title, &content.text];
    fields
        .iter()
        .flat_map(|field| collect_words(field.as_str()))
        .collect()
}
