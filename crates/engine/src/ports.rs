//! The engine's interfaces to the outside: the time, a log in place of lessons. Everything else comes as an argument.

use hardwon_core::{AdmittedLesson, LookupFinding, NamedThing, ProjectId};
use jiff::Timestamp;

/// A source of the current time.
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock that stands still: for tests, demos and simulations.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// A project's repository, in which what lessons name can be looked up.
pub trait RepositoryLookup {
    /// Returns the project that it is of; lessons of others are not looked up in it.
    fn project(&self) -> &ProjectId;

    /// Looks for something that a lesson names. What cannot be looked for is unknown, not gone.
    fn look_up(&self, thing: &NamedThing) -> LookupFinding;
}

/// A log of what runs teach, for whoever wants to look before anything is kept: writes down a lesson that is not kept. What
/// cannot be written is lost.
pub type LessonLog = Box<dyn Fn(&AdmittedLesson) + Send + Sync>;
