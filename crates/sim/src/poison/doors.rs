//! Every way in for a payload.

mod capture;
mod file;
mod merge;
mod model;
mod note;

use hardwon_core::{CaptureMode, EntryState, Scope};
use hardwon_engine::Policy;

use super::{careless_reader::Exposure, payload::PoisonPayload, room::PoisonRoom};

/// One way in.
pub(super) struct Door {
    pub(super) name: &'static str,
    /// Whether the text is a person's own, who may give orders.
    pub(super) is_person: bool,
    pub(super) policy: fn() -> Policy,
    pub(super) enter: fn(&PoisonRoom, &Scope, &PoisonPayload) -> anyhow::Result<DoorResult>,
}

/// The result at a door.
#[derive(Default)]
pub(super) struct DoorResult {
    /// Whether it was rejected.
    pub(super) refused: bool,
    /// How the payload appeared in the reply.
    pub(super) exposure: Exposure,
}

/// Returns all doors.
pub(super) fn all_doors() -> Vec<Door> {
    let mut doors = capture::doors();
    doors.extend(note::doors());
    doors.extend(model::doors());
    doors.extend(file::doors());
    doors.extend(merge::doors());
    doors
}

/// Returns the door for honest lessons.
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

/// Returns a policy under which every run leaves its outcome.
fn every_run_policy() -> Policy {
    let mut policy = Policy::default();
    policy.capture.mode = CaptureMode::EveryRun;
    policy
}

/// Returns a policy that trusts files.
fn trusting_policy() -> Policy {
    let mut policy = Policy::default();
    policy.guard.imported = EntryState::Active;
    policy
}
