//! Every way by which a payload can come in.

mod capture;
mod file;
mod merge;
mod model;
mod note;

use hardwon_core::{capture::CaptureMode, guard::Entry, scope::Scope};
use hardwon_engine::Policy;

use super::{payload::Payload, room::Room, seen::Sight};

/// One way in.
pub(super) struct Door {
    pub(super) name: &'static str,
    /// Whether a person's own word is behind it, who may give orders.
    pub(super) is_person: bool,
    pub(super) policy: fn() -> Policy,
    pub(super) enter: fn(&Room, &Scope, &Payload) -> anyhow::Result<Entered>,
}

/// What happened at the door.
#[derive(Default)]
pub(super) struct Entered {
    /// It was turned away.
    pub(super) refused: bool,
    /// What was said to somebody at the door.
    pub(super) sight: Sight,
}

/// All of them.
pub(super) fn all() -> Vec<Door> {
    let mut doors = capture::doors();
    doors.extend(note::doors());
    doors.extend(model::doors());
    doors.extend(file::doors());
    doors.extend(merge::doors());
    doors
}

/// The door by which honest lessons come in.
pub(super) fn honest() -> Door {
    note::honest()
}

fn door(name: &'static str, enter: fn(&Room, &Scope, &Payload) -> anyhow::Result<Entered>) -> Door {
    Door {
        name,
        is_person: false,
        policy: Policy::default,
        enter,
    }
}

/// Every run leaves its outcome.
fn every_run() -> Policy {
    let mut policy = Policy::default();
    policy.capture.mode = CaptureMode::EveryRun;
    policy
}

/// Files are trusted.
fn trusting() -> Policy {
    let mut policy = Policy::default();
    policy.guard.imported = Entry::Active;
    policy
}
