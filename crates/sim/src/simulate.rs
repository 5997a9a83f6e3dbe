//! A seeded simulation: agents at several places, faults, and a model of what must be true.
//!
//! [`plan`] draws the steps from the seed, [`world`] plays them on the memory store and on a SQLite file at once,
//! [`model`] knows what must be there, [`check`] compares. [`agent`] generates the texts, [`faults`] makes writes fail.
//! The same seed plays the same, and when something fails the plan is reduced until every step left is needed.

mod agent;
mod answers;
mod bounds;
mod check;
mod faults;
pub(crate) mod isolation;
mod model;
mod plan;
mod world;

use std::{
    io::Write as _,
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
};

use anyhow::anyhow;
use serde::Serialize;

use self::{agent::PLACES, plan::PlanStep, world::SimWorld};

/// Plays agents, faults and time from a seed, and checks what must hold.
#[derive(Debug, clap::Args)]
pub(crate) struct SimulateArgs {
    /// What all is drawn from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many steps.
    #[arg(long, default_value_t = 2000)]
    steps: usize,
    /// How many seeds, one after the other.
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// How many steps pass between two looks at everything.
    #[arg(long, default_value_t = 20)]
    every: usize,
}

/// Most plays to shrink a failing plan.
const SHRINK_RUNS: usize = 200;

pub(crate) fn run(args: &SimulateArgs) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    for seed in args.seed..args.seed + args.seeds {
        let plan = plan::draw_plan(seed, args.steps, PLACES.len());
        match play_plan(seed, &plan, args.every) {
            Ok(played) => writeln!(out, "{}", serde_json::to_string(&played)?)?,
            Err(failure) => {
                writeln!(
                    out,
                    "seed {seed} fails at step {}: {:#}",
                    failure.step, failure.why
                )?;
                let (rest, failure) = shrink_plan(seed, plan, failure);
                writeln!(
                    out,
                    "{} steps are enough to see: {:#}",
                    rest.len(),
                    failure.why
                )?;
                for step in rest {
                    writeln!(out, "  {step:?}")?;
                }
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The figures of a plan that passed.
#[derive(Debug, Default, Serialize)]
struct SimulationSummary {
    seed: u64,
    steps: usize,
    /// Lessons at the end, in any state.
    lessons: u64,
    /// Lessons that rules drafted from a run.
    learned: u64,
    /// Lessons that left because their scope was full.
    left: u64,
    /// Lessons that a person erased.
    erased: usize,
    /// How often any of them was shown.
    shown: u64,
    /// Entries of all journals.
    entries: u64,
    /// Writes that failed as planned.
    faults: u64,
}

/// The failed check, and the step after which it failed.
#[derive(Debug)]
struct SimulationFailure {
    step: usize,
    why: anyhow::Error,
}

/// Plays a plan, and checks everything after each `every` steps and at the end.
fn play_plan(
    seed: u64,
    plan: &[PlanStep],
    every: usize,
) -> Result<SimulationSummary, SimulationFailure> {
    let failed = |step| move |why| SimulationFailure { step, why };
    let mut world = SimWorld::new(seed).map_err(failed(0))?;
    for (number, step) in plan.iter().enumerate() {
        let is_due = (number + 1) % every.max(1) == 0 || number + 1 == plan.len();
        let played = catch_unwind(AssertUnwindSafe(|| {
            world.play_step(step)?;
            check::check_answers(&world)?;
            if is_due {
                check::check_everything(&mut world)?;
            }
            Ok(())
        }));
        let panicked = |_| Err(anyhow!("it panicked; what it said is above"));
        played.unwrap_or_else(panicked).map_err(failed(number))?;
    }
    let played = check::summarise_world(&world).map_err(failed(plan.len()))?;
    Ok(SimulationSummary {
        seed,
        steps: plan.len(),
        ..played
    })
}

/// Removes all steps that are not needed for a plan to fail, larger parts first. The last steps are checked one by one,
/// so that the failure shows where it happens.
fn shrink_plan(
    seed: u64,
    mut plan: Vec<PlanStep>,
    mut failure: SimulationFailure,
) -> (Vec<PlanStep>, SimulationFailure) {
    plan.truncate(failure.step + 1);
    let mut size = plan.len() / 2;
    let mut left = SHRINK_RUNS;
    while size > 0 && left > 0 {
        let mut at = 0;
        while at < plan.len() && left > 0 {
            let mut smaller = plan.clone();
            smaller.drain(at..(at + size).min(plan.len()));
            left -= 1;
            match play_plan(seed, &smaller, 1) {
                Err(found) if !smaller.is_empty() => {
                    smaller.truncate(found.step + 1);
                    (plan, failure) = (smaller, found);
                }
                _ => at += size,
            }
        }
        size /= 2;
    }
    (plan, failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_hold_holds() {
        for seed in 1..=2 {
            let plan = plan::draw_plan(seed, 250, PLACES.len());
            match play_plan(seed, &plan, 25) {
                Ok(played) => {
                    // The test would be void if nothing happened.
                    let happened = [played.learned, played.left, played.shown, played.faults];
                    assert!(!happened.contains(&0) && played.erased > 0, "{played:?}");
                }
                Err(SimulationFailure { step, why }) => panic!("seed {seed}, step {step}: {why:#}"),
            }
        }
    }

    #[test]
    fn the_same_seed_plays_the_same() {
        let plan = |seed| plan::draw_plan(seed, 50, PLACES.len());
        assert_eq!(plan(7), plan(7));
        assert_ne!(plan(7), plan(8));
    }
}
