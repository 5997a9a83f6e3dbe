//! The plan: steps drawn from a seed, before anything is played.
//!
//! A step holds only numbers, so a plan can lose any of its steps and still be played, which is how a failure is
//! reduced to the few steps that matter.

use fastrand::Rng;

/// One action at one place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlanStep {
    /// The place: an index into [`super::agent::PLACES`].
    pub(super) place: usize,
    /// The index of the process that acts.
    pub(super) process: usize,
    /// The time since the step before, in milliseconds. Now and then a clock is set back.
    pub(super) pause: i64,
    /// The action.
    pub(super) act: PlanAction,
    /// The seed of the step's texts.
    pub(super) words: u64,
    /// The fault during the step, if there is one.
    pub(super) fault: Option<PlannedFault>,
}

/// An action. `pick` chooses among the lessons of the place's tenant.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PlanAction {
    /// A person or an agent notes lessons, in one go.
    Note { by_person: bool, count: usize },
    /// A person types `/lesson …` lines.
    Writ { pick: usize },
    /// An agent works, and its transcript grows by this share, in percent, of its lines.
    Work { share: usize },
    /// The transcript grows by this share and is learned from.
    Learn { share: usize },
    /// An agent's run is observed from its beginning to its end.
    Watch,
    /// An agent recalls before it begins.
    Recall { shown: usize },
    /// A report says whether a lesson helped.
    Report { pick: usize, helped: bool },
    /// A person revises a lesson.
    Revise { pick: usize },
    /// A person approves a lesson.
    Approve { pick: usize },
    /// A person archives a lesson.
    Archive { pick: usize },
    /// A person erases a lesson.
    Delete { pick: usize },
    /// Spooled recalls are counted.
    DrainSpool,
    /// The processes end and start again.
    Restart,
    /// The processes are killed and others start on what they left.
    Kill,
}

/// A planned fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlannedFault {
    /// The index of the failing write in the step, from 0.
    pub(super) write_index: usize,
    /// The kind of fault.
    pub(super) kind: FaultKind,
    /// Whether the process dies of it.
    pub(super) kills_process: bool,
}

/// How a write fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultKind {
    /// It is not even begun: the store is busy, full or unavailable.
    BeforeWrite,
    /// It is aborted when all is done but the commit.
    BeforeCommit,
    /// It is done, and the answer is lost.
    AfterWrite,
}

/// Draws a plan.
pub(super) fn draw_plan(seed: u64, steps: usize, places: usize) -> Vec<PlanStep> {
    let mut random = Rng::with_seed(seed);
    (0..steps).map(|_| draw_step(&mut random, places)).collect()
}

fn draw_step(random: &mut Rng, places: usize) -> PlanStep {
    PlanStep {
        place: random.usize(..places),
        process: random.usize(..super::bounds::PROCESSES),
        pause: match random.u8(..100) {
            0 => -3_600_000,
            1..4 => random.i64(1..30) * 86_400_000,
            _ => random.i64(1..60_000),
        },
        act: draw_action(random),
        words: random.u64(..),
        fault: (random.u8(..100) < 20).then(|| draw_fault(random)),
    }
}

fn draw_action(random: &mut Rng) -> PlanAction {
    let pick = random.usize(..);
    let share = random.usize(20..=100);
    match random.u8(..100) {
        0..12 => PlanAction::Note {
            by_person: random.bool(),
            count: random.usize(1..=3),
        },
        12..20 => PlanAction::Writ { pick },
        20..34 => PlanAction::Work { share },
        34..46 => PlanAction::Learn { share },
        46..54 => PlanAction::Watch,
        54..70 => PlanAction::Recall {
            shown: random.usize(1..=4),
        },
        70..78 => PlanAction::Report {
            pick,
            helped: random.bool(),
        },
        78..83 => PlanAction::Revise { pick },
        83..88 => PlanAction::Approve { pick },
        88..90 => PlanAction::Archive { pick },
        90..94 => PlanAction::Delete { pick },
        94..96 => PlanAction::DrainSpool,
        96..98 => PlanAction::Restart,
        _ => PlanAction::Kill,
    }
}

fn draw_fault(random: &mut Rng) -> PlannedFault {
    let kinds = [
        FaultKind::BeforeWrite,
        FaultKind::BeforeCommit,
        FaultKind::AfterWrite,
    ];
    PlannedFault {
        write_index: random.usize(..3),
        kind: kinds[random.usize(..kinds.len())],
        kills_process: random.bool(),
    }
}
