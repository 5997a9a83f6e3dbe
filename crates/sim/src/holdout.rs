//! Checks whether leaving lessons out at random reveals their effect: many runs of a lesson whose true effect is known,
//! through the real engine and store.
//!
//! A run is one lesson, recalled for one task after another. Each task goes well with a probability that depends on
//! nothing but whether the lesson was shown; the engine decides whether it is, and learns how each task ended. The
//! figures are how often the interval that `hardwon effect` would show excludes zero, and how often it contains the
//! true effect.

use hardwon_core::{EffectEstimate, LessonId, RunId, Scope, Status};
use hardwon_engine::{Engine, FixedClock, Lesson, LessonContent, Note, Policy, RecallRequest};
use hardwon_store_suite::MemoryStore;
use jiff::Timestamp;
use serde_json::json;

use crate::desk::person_desk;
use crate::engine::outcome_trace;

/// Recalls before the first that may leave the lesson out.
const WARM_UP_RECALLS: u64 = 5;

/// Counts how often the measured effect of a lesson is told from none.
#[derive(Debug, clap::Args)]
pub(crate) struct HoldoutArgs {
    /// How many runs of each kind.
    #[arg(long, default_value_t = 200)]
    runs: u64,
    /// Recalls of a run that may be held back.
    #[arg(long, default_value_t = 400)]
    recalls: u64,
    /// What showing the lesson changes, in points.
    #[arg(long, default_value_t = 20.0)]
    effect: f64,
    /// How often a task goes well without the lesson, in points; several may be given.
    #[arg(long, value_delimiter = ',', default_values_t = [30.0, 50.0, 70.0])]
    base: Vec<f64>,
    /// The first run's seed; the others follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[expect(clippy::print_stdout, reason = "the figures are this command's output")]
pub(crate) fn run(args: &HoldoutArgs) -> anyhow::Result<()> {
    for &base in &args.base {
        for effect in [args.effect, 0.0] {
            let world = HoldoutWorld {
                base: base / 100.0,
                effect: effect / 100.0,
                recalls: args.recalls,
            };
            let mut sum = HoldoutTotals::default();
            for seed in args.seed..args.seed + args.runs {
                sum.add(&world, &world.play_run(seed)?);
            }
            println!("{}", sum.to_json(&world));
        }
    }
    Ok(())
}

/// A lesson's true effect, and how many tasks come.
struct HoldoutWorld {
    base: f64,
    effect: f64,
    recalls: u64,
}

impl HoldoutWorld {
    /// Plays one run and returns the lesson afterwards.
    fn play_run(&self, seed: u64) -> anyhow::Result<Lesson> {
        let mut random = fastrand::Rng::with_seed(seed);
        let clock = FixedClock(Timestamp::UNIX_EPOCH);
        let engine = Engine::new(
            Box::new(MemoryStore::new()),
            Policy::default(),
            Box::new(clock),
        );
        let scope = Scope::default();
        let words = "Use tar to pack a release, since zip is not on the runner.";
        let note = Note::new(LessonContent::new("zip not found", words));
        let desk = person_desk(&engine, &scope);
        desk.note(note)?;
        for task in 0..WARM_UP_RECALLS + self.recalls {
            let run = RunId::parse(&format!("{seed}-{task}"))?;
            let ask = RecallRequest {
                run: Some(run.clone()),
                ..RecallRequest::new(scope.clone(), "zip is not found on the runner")
            };
            let is_shown = !desk.recall(&ask)?.preamble.shown.is_empty();
            let chance = self.base + if is_shown { self.effect } else { 0.0 };
            desk.learn_from_run(&outcome_trace(run, &scope, random.f64() < chance))?;
        }
        Ok(desk.lesson(LessonId(1))?)
    }
}

/// The figures of runs.
#[derive(Default)]
struct HoldoutTotals {
    runs: f64,
    excludes_zero: f64,
    covers_effect: f64,
    difference: f64,
    held_out: f64,
    quarantined: u32,
}

impl HoldoutTotals {
    fn add(&mut self, world: &HoldoutWorld, lesson: &Lesson) {
        let nothing = EffectEstimate {
            difference: 0.0,
            low: -1.0,
            high: 1.0,
        };
        let effect = lesson.counts.trial.estimate_effect().unwrap_or(nothing);
        let one = |is: bool| f64::from(u8::from(is));
        let shown = u32::try_from(lesson.counts.shown.saturating_sub(WARM_UP_RECALLS)).unwrap_or(0);
        self.runs += 1.0;
        self.excludes_zero += one(effect.excludes_zero());
        self.covers_effect += one((effect.low..=effect.high).contains(&world.effect));
        self.difference += effect.difference;
        self.quarantined += u32::from(lesson.status != Status::Active);
        if lesson.status == Status::Active {
            self.held_out += 1.0 - f64::from(shown) / world.recalls as f64;
        }
    }

    fn to_json(&self, world: &HoldoutWorld) -> serde_json::Value {
        let share = |of: f64| (of / self.runs * 1000.0).round() / 1000.0;
        let active = self.runs - f64::from(self.quarantined);
        json!({
            "base": world.base, "effect": world.effect, "runs": self.runs, "recalls": world.recalls,
            "excludes_zero": share(self.excludes_zero), "interval_holds_effect": share(self.covers_effect),
            "mean_difference": share(self.difference), "quarantined": self.quarantined,
            "held_back": (self.held_out / active.max(1.0) * 1000.0).round() / 1000.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few runs, with an effect that cannot be missed.
    #[test]
    fn a_large_effect_is_found_and_its_sign_is_right() {
        for (base, effect) in [(0.2, 0.7), (0.9, -0.4)] {
            let world = HoldoutWorld {
                base,
                effect,
                recalls: 150,
            };
            let lesson = world.play_run(1).unwrap();
            let found = lesson
                .counts
                .trial
                .estimate_effect()
                .expect("some were held back");
            assert!(
                found.excludes_zero() && found.difference * effect > 0.0,
                "{found:?}"
            );
        }
    }
}
