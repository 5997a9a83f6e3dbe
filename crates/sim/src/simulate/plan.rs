//! What is going to happen: steps drawn from a seed, before anything is played.
//!
//! A step holds no more than numbers, so a plan can lose any of its steps and still be played,
//! which is how a failure is cut down to the few steps that matter.

use fastrand::Rng;

/// One thing that happens at one place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlanStep {
    /// Where: an index into [`super::agent::PLACES`].
    pub(super) place: usize,
    /// Which of the processes that share the file does it.
    pub(super) process: usize,
    /// How much time passed before it, in milliseconds. Now and then a clock is set back.
    pub(super) pause: i64,
    /// What is done.
    pub(super) act: PlanAction,
    /// What the words of the step are drawn from.
    pub(super) words: u64,
    /// What goes wrong in the middle of it.
    pub(super) fault: Option<PlannedFault>,
}

/// What is done. `pick` chooses among the lessons of the place's tenant.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PlanAction {
    /// Somebody writes lessons down, in one go.
    Note { by_person: bool, count: usize },
    /// Somebody types `/lesson …` lines.
    Writ { pick: usize },
    /// An agent works, and its transcript grows by this share, in percent, of what it has to say.
    Work { share: usize },
    /// The transcript grows by this share and is learned from.
    Learn { share: usize },
    /// An agent's run is watched from its beginning to its end.
    Watch,
    /// An agent asks before it begins.
    Recall { shown: usize },
    /// Somebody says whether a lesson helped.
    Report { pick: usize, helped: bool },
    /// A person gives a lesson other words.
    Revise { pick: usize },
    /// A person lets a lesson in.
    Approve { pick: usize },
    /// A person takes a lesson out of use.
    Archive { pick: usize },
    /// A person erases a lesson.
    Delete { pick: usize },
    /// What was only noted is counted.
    DrainSpool,
    /// The processes end and start again.
    Restart,
    /// The processes are killed and others start on what they left.
    Kill,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlannedFault {
    /// At which write of the step, from 0.
    pub(super) write_index: usize,
    /// How.
    pub(super) kind: FaultKind,
    /// Whether the process is gone from then on.
    pub(super) kills_process: bool,
}

/// How a write goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultKind {
    /// It is not even begun: the store is busy, full or away.
    BeforeWrite,
    /// It is called off when all is done but the commit.
    BeforeCommit,
    /// It is done, and whoever waits for the answer does not get it.
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
