//! Every way by which a payload can come in.

mod capture;
mod file;
mod merge;
mod model;
mod note;

use hardwon_core::{capture::CaptureMode, guard::EntryState, scope::Scope};
use hardwon_engine::Policy;

use super::{careless_reader::Exposure, payload::PoisonPayload, room::PoisonRoom};

/// One way in.
pub(super) struct Door {
    pub(super) name: &'static str,
    /// Whether a person's own word is behind it, who may give orders.
    pub(super) is_person: bool,
    pub(super) policy: fn() -> Policy,
    pub(super) enter: fn(&PoisonRoom, &Scope, &PoisonPayload) -> anyhow::Result<DoorResult>,
}

/// What happened at the door.
#[derive(Default)]
pub(super) struct DoorResult {
    /// It was turned away.
    pub(super) refused: bool,
    /// What was said to somebody at the door.
    pub(super) exposure: Exposure,
}

/// All of them.
pub(super) fn all_doors() -> Vec<Door> {
    let mut doors = capture::doors();
    doors.extend(note::doors());
    doors.extend(model::doors());
    doors.extend(file::doors());
    doors.extend(merge::doors());
    doors
}

/// The door by which honest lessons come in.
pub(super) fn honest_door() -> Door {
    note::honest_door()
}

fn new_door(
    name: &'static str,
    enter: fn(&PoisonRoom, &Scope, &PoisonPayload) -> anyhow::Result<DoorResult>,
) -> Door {
    Door {
        name,
        is_person: false,
        policy: Policy::default,
        enter,
    }
}

/// Every run leaves its outcome.
fn every_run_policy() -> Policy {
    let mut policy = Policy::default();
    policy.capture.mode = CaptureMode::EveryRun;
    policy
}

/// Files are trusted.
fn trusting_policy() -> Policy {
    let mut policy = Policy::default();
    policy.guard.imported = EntryState::Active;
    policy
}
