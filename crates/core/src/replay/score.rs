//! Scores one recorded session while it is played.
//!
//! Whoever plays tells what was shown and which calls were made, in order; in the end each failure
//! knows whether it had happened before and which lessons in sight would have met it, and each showing
//! whether it was of use.

use std::collections::BTreeMap;

use super::{
    SeenAt,
    way_out::{Found, Search, WayOut, Words, words_of},
};
use crate::{
    event::ToolCall,
    id::LessonId,
    lesson::{Content, FailureKey},
    limits,
    text::CleanText,
    trace::{
        call::{self, Call},
        failure::Failure,
    },
};

/// What a showing of a lesson was worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Worth {
    /// It was in sight of a failure that it would have met.
    Met,
    /// It is about a failure in whose sight it was, which nothing in the recording got over: nobody
    /// can tell what it would have done.
    Untold,
    /// It is about a failure in whose sight it was, and something else got the run over that.
    AnotherWay,
    /// It was about nothing that went wrong.
    ForNothing,
}

/// One showing of a lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Showing {
    /// Which lesson.
    pub lesson: LessonId,
    /// When.
    pub at: SeenAt,
    /// What it was worth.
    pub worth: Worth,
}

/// One failure of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scored {
    /// Which failure.
    pub failure: Failure,
    /// Its class: the family, or that it was the work itself.
    pub class: super::Class,
    /// Whether the run got over it.
    pub has_way_out: bool,
    /// At which moments lessons were in sight that would have met it.
    pub met_at: Vec<SeenAt>,
}

/// A session that is being played.
#[derive(Debug, Default)]
pub struct Session {
    turn: u32,
    calls: u32,
    shown: Vec<Shown>,
    failed: Vec<Failed>,
    searches: Vec<(usize, Search)>,
    /// The calls at which each failure happened so far.
    same: BTreeMap<FailureKey, Vec<u32>>,
}

#[derive(Debug)]
struct Shown {
    lesson: LessonId,
    at: SeenAt,
    turn: u32,
    /// How many calls had been made.
    calls: u32,
    words: Words,
    worth: Worth,
}

#[derive(Debug)]
struct Failed {
    failure: Failure,
    class: super::Class,
    way_out: Option<WayOut>,
    /// The showings in sight that are about it.
    about: Vec<usize>,
}

impl Session {
    /// Notes that a prompt begins a turn.
    pub fn prompt(&mut self) {
        self.turn += 1;
    }

    /// Notes that a lesson was shown; before a call and at its failure, ahead of the call itself.
    pub fn show(&mut self, lesson: LessonId, content: &Content, at: SeenAt) {
        self.shown.push(Shown {
            lesson,
            at,
            turn: self.turn,
            calls: self.calls,
            words: content_words(content),
            worth: Worth::ForNothing,
        });
    }

    /// Notes a call. `tied` are the lessons that are tied to its failure, by the failure's key.
    pub fn call(&mut self, made: &ToolCall<CleanText>, tied: &[LessonId]) {
        let call = call::read(made);
        let failure = Failure::of(made);
        self.search(&call, failure.is_none());
        if let Some(failure) = failure
            && self.failed.len() < limits::REPLAYED_FAILURES
        {
            self.fail(&call, failure, tied);
        }
        self.calls += 1;
    }

    fn search(&mut self, call: &Call, worked: bool) {
        let failed = &mut self.failed;
        self.searches
            .retain_mut(|(index, search)| match search.take(call, worked) {
                Found::Out(way_out) => {
                    failed[*index].way_out = Some(way_out);
                    false
                }
                Found::Nothing => false,
                Found::NotYet => true,
            });
    }

    fn fail(&mut self, call: &Call, failure: Failure, tied: &[LessonId]) {
        let at = self.calls;
        let same = self.same.entry(failure.key.clone()).or_default();
        let in_sight = |shown: &Shown| match shown.at {
            SeenAt::Start => true,
            SeenAt::Prompt => shown.turn == self.turn,
            SeenAt::Call => shown.calls == at,
            SeenAt::Failure => shown.calls == at || same.contains(&shown.calls),
        };
        let is_about =
            |shown: &Shown| tied.contains(&shown.lesson) || is_about(&failure, &shown.words);
        let about = self.shown.iter().enumerate();
        let about = about.filter(|(_, shown)| in_sight(shown) && is_about(shown));
        let about = about.map(|(index, _)| index).collect();
        same.push(at);
        let search = Search::begin(call, failure.culprit);
        self.searches.push((self.failed.len(), search));
        self.failed.push(Failed {
            class: super::Class::of(&failure, call),
            failure,
            way_out: None,
            about,
        });
    }

    /// Says in the end what became of the failures, in order, and of the showings.
    #[must_use]
    pub fn finish(mut self) -> (Vec<Scored>, Vec<Showing>) {
        let failed = std::mem::take(&mut self.failed);
        let scored = failed.into_iter().map(|it| self.judge(it)).collect();
        let showings = self.shown.into_iter().map(|it| Showing {
            lesson: it.lesson,
            at: it.at,
            worth: it.worth,
        });
        (scored, showings.collect())
    }

    /// Judges a failure, and what the lessons about it were worth to it.
    fn judge(&mut self, failed: Failed) -> Scored {
        let mut met_at = Vec::new();
        for index in failed.about {
            let shown = &mut self.shown[index];
            let worth = match &failed.way_out {
                None => Worth::Untold,
                Some(way_out) if way_out.is_said_in(&shown.words) => Worth::Met,
                Some(_) => Worth::AnotherWay,
            };
            // What is worth most to any failure counts.
            shown.worth = shown.worth.min(worth);
            if worth == Worth::Met && !met_at.contains(&shown.at) {
                met_at.push(shown.at);
            }
        }
        Scored {
            failure: failed.failure,
            class: failed.class,
            has_way_out: failed.way_out.is_some(),
            met_at,
        }
    }
}

/// Returns whether words name what failed: the command or the tool, or two words of the error.
fn is_about(failure: &Failure, words: &Words) -> bool {
    let label = words_of(&failure.label);
    let names_it = !label.is_empty() && label.is_subset(words);
    let telling = |word: &&String| word.len() > 3 && word.chars().all(char::is_alphabetic);
    let gist = words_of(&failure.gist);
    let of_error = gist.iter().filter(telling);
    names_it || of_error.filter(|word| words.contains(*word)).count() >= 2
}

fn content_words(content: &Content) -> Words {
    let fields = [&content.signature, &content.title, &content.text];
    fields.iter().flat_map(|it| words_of(it.as_str())).collect()
}
