//! Measures what lessons would have been worth to recorded sessions.
//!
//! Sessions are played again in order of time, each with what the ones before it taught. A *failure* is
//! what capture calls one; it is a *repeat* if another session of the project had it earlier. A lesson
//! *meets* a failure if it is about it (it is tied to its key, or names the command, or holds two
//! words of the error), is in sight of it, and says what got the run over it ([`way_out`]). In sight is
//! what was shown before that very call, at that failure or an earlier one of its kind, in the prompt
//! of that turn, or at the session's start; a failure that only the start meets is counted apart. What
//! was shown is worth what it was worth to the failure that it served best; see [`Worth`].
//!
//! The agent of a recording did not read the lessons: nothing here says what it would have done with
//! them. Who plays the sessions, and where the lessons come from, is not decided here.

mod score;
pub mod way_out;

use std::collections::BTreeMap;

pub use self::score::{Scored, Session, Showing, Worth};
use crate::{
    capture::is_guess,
    id::{LessonId, ProjectId},
    lesson::FailureKey,
    trace::{
        call::Call,
        effect::{self, Effect},
        failure::Failure,
        family::Family,
        shell::is_listed,
    },
};

/// When a lesson is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SeenAt {
    /// At the session's start.
    Start,
    /// With a prompt.
    Prompt,
    /// Before a call.
    Call,
    /// At a failure.
    Failure,
}

impl SeenAt {
    /// All of them, in the order of a session.
    pub const ALL: [Self; 4] = [Self::Start, Self::Prompt, Self::Call, Self::Failure];

    /// Returns the name used in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Prompt => "prompt",
            Self::Call => "call",
            Self::Failure => "failure",
        }
    }
}

/// What class of failure one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class {
    /// Whether a lesson could have spared it: it is not the work itself, a guess at a path, passing
    /// trouble, somebody's refusal or a failure without a word.
    pub can_be_spared: bool,
    /// What it is called.
    pub name: &'static str,
}

/// Programs that do what the project says: where they fail without a reason that is known, it was
/// the work that failed.
const WORKERS: &str = "cargo go npm npx pnpm yarn bun bunx make just task mise turbo nx pytest jest vitest mocha tsc eslint \
    biome prettier golangci-lint gofmt mvn gradle gradlew dotnet python python3 node deno tsx ts-node ruby rake bundle swift";

impl Class {
    /// Returns the class of a call's failure.
    #[must_use]
    pub fn of(failure: &Failure, call: &Call) -> Self {
        let is_workers = || {
            let program = failure.label.split(' ').next().unwrap_or_default();
            call.line().is_some() && (is_listed(WORKERS, program) || program.starts_with("./"))
        };
        let is_guess = || {
            let line = call.line();
            effect::of(call) == Effect::Reads || line.is_some_and(|it| is_guess(it, failure))
        };
        let (can_be_spared, name) = match failure.family {
            Family::TestFailed | Family::CodeFailed => (false, "the work itself"),
            Family::Other if is_workers() => (false, "the work itself"),
            Family::FileMissing if is_guess() => (false, "guessed path"),
            Family::NoMatch => (false, "nothing found"),
            Family::Silent => (false, "no message"),
            Family::Transient | Family::Offline => (false, "passing trouble"),
            Family::Interrupted | Family::Denied => (false, "refused"),
            family => (true, family.name()),
        };
        Self {
            can_be_spared,
            name,
        }
    }
}

/// Counts of one class of failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClassCounts {
    /// All of them.
    pub failures: u64,
    /// Those that another session had earlier.
    pub repeats: u64,
    /// Repeats that the run got over.
    pub got_over: u64,
    /// Repeats that a lesson met, not counting what was seen at the start only.
    pub met: u64,
    /// Repeats that only a lesson seen at the start met.
    pub met_at_start: u64,
}

/// Counts of one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MomentCounts {
    /// Lessons shown.
    pub shown: u64,
    /// Those that met a failure.
    pub met: u64,
    /// Those about a failure that something else got over.
    pub another_way: u64,
    /// Those about a failure that nothing got over.
    pub untold: u64,
    /// Those about nothing that went wrong.
    pub for_nothing: u64,
    /// Repeats that could be spared and that a lesson seen at this moment met.
    pub repeats_met: u64,
}

/// Counts of one lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LessonCounts {
    /// How often it was shown.
    pub shown: u64,
    /// How many of these showings met a failure.
    pub met: u64,
    /// How many were for nothing.
    pub for_nothing: u64,
}

/// A failure that came again in other sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recurring {
    /// The failure, as people read it.
    pub pattern: String,
    /// Its class.
    pub class: Class,
    /// How many sessions had it.
    pub sessions: u64,
    /// How often it came again.
    pub repeats: u64,
    /// How often a lesson met it then.
    pub met: u64,
    first: String,
    last: String,
}

/// What all sessions played so far come to.
#[derive(Debug, Default)]
pub struct Totals {
    /// By class.
    pub classes: BTreeMap<Class, ClassCounts>,
    /// By moment.
    pub moments: BTreeMap<SeenAt, MomentCounts>,
    /// By lesson.
    pub lessons: BTreeMap<LessonId, LessonCounts>,
    known: BTreeMap<(Option<ProjectId>, FailureKey), Recurring>,
}

impl Totals {
    /// Adds a session that was played. `name` is the session's, which its sub-agents share.
    pub fn add(&mut self, project: Option<&ProjectId>, name: &str, played: Session) {
        let (failures, showings) = played.finish();
        for failure in &failures {
            self.add_failure(project, name, failure);
        }
        for showing in &showings {
            self.add_showing(showing);
        }
    }

    fn add_failure(&mut self, project: Option<&ProjectId>, name: &str, scored: &Scored) {
        let key = (project.cloned(), scored.failure.key.clone());
        let known = self.known.entry(key).or_insert_with(|| Recurring {
            pattern: scored.failure.pattern(),
            class: scored.class,
            sessions: 0,
            repeats: 0,
            met: 0,
            first: name.to_owned(),
            last: String::new(),
        });
        let is_repeat = known.sessions > 1 || known.first != name;
        if known.last != name {
            known.sessions += 1;
            name.clone_into(&mut known.last);
        }
        let is_met = scored.met_at.iter().any(|at| *at != SeenAt::Start);
        let class = self.classes.entry(scored.class).or_default();
        class.failures += 1;
        if !is_repeat {
            return;
        }
        known.repeats += 1;
        known.met += u64::from(is_met);
        class.repeats += 1;
        class.got_over += u64::from(scored.has_way_out);
        class.met += u64::from(is_met);
        class.met_at_start += u64::from(!is_met && !scored.met_at.is_empty());
        if scored.class.can_be_spared {
            for at in &scored.met_at {
                self.moments.entry(*at).or_default().repeats_met += 1;
            }
        }
    }

    fn add_showing(&mut self, showing: &Showing) {
        let moment = self.moments.entry(showing.at).or_default();
        let lesson = self.lessons.entry(showing.lesson).or_default();
        moment.shown += 1;
        lesson.shown += 1;
        match showing.worth {
            Worth::Met => {
                moment.met += 1;
                lesson.met += 1;
            }
            Worth::AnotherWay => moment.another_way += 1,
            Worth::Untold => moment.untold += 1,
            Worth::ForNothing => {
                moment.for_nothing += 1;
                lesson.for_nothing += 1;
            }
        }
    }

    /// Returns the counts of all failures that a lesson could have spared.
    #[must_use]
    pub fn sparable(&self) -> ClassCounts {
        let mut sum = ClassCounts::default();
        let counts = self.classes.iter().filter(|(class, _)| class.can_be_spared);
        for (_, it) in counts {
            sum.failures += it.failures;
            sum.repeats += it.repeats;
            sum.got_over += it.got_over;
            sum.met += it.met;
            sum.met_at_start += it.met_at_start;
        }
        sum
    }

    /// Returns the counts of all moments but the session's start.
    #[must_use]
    pub fn after_start(&self) -> MomentCounts {
        let mut sum = MomentCounts::default();
        let moments = self.moments.iter().filter(|(at, _)| **at != SeenAt::Start);
        for (_, it) in moments {
            sum.shown += it.shown;
            sum.met += it.met;
            sum.another_way += it.another_way;
            sum.untold += it.untold;
            sum.for_nothing += it.for_nothing;
            sum.repeats_met += it.repeats_met;
        }
        sum
    }

    /// Returns the failures that came again, those first that were met by nothing most often.
    #[must_use]
    pub fn recurring(&self) -> Vec<&Recurring> {
        let again = self.known.values();
        let again = again.filter(|it| it.repeats > 0 && it.class.can_be_spared);
        let mut again: Vec<&Recurring> = again.collect();
        again.sort_by_key(|it| (it.met.abs_diff(it.repeats), it.repeats));
        again.reverse();
        again
    }
}

impl MomentCounts {
    /// Returns the share of showings that met a failure, among those of which that can be told.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        let told = self.met + self.another_way + self.for_nothing;
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more digits")]
        (told > 0).then(|| self.met as f64 / told as f64)
    }
}

#[cfg(test)]
mod tests;
