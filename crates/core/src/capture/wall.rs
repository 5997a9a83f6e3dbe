//! Finds errors that a run met without a rule that knows their remedy, with what got past them or was tried in vain.
//!
//! One run's way past an error may be its task's own, so options are named without their values, and nothing here is a
//! lesson before [several](Wall) sessions met the same error at the same program. Errors that differ with each task (the
//! work itself, a guessed path, a network that was away) are none.

use super::{Skip, call_names, fix, parsed_run::ParsedRun, show};
use crate::{
    CallFailure, FailureKey,
    trace::{failure, family::FailureFamily},
};
use crate::{Difference, Fix};

/// Most commands that are named as tried in vain.
const TRIED: usize = 3;

/// An error that stood in the way of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Wall {
    /// The error, at any command of the program.
    pub failure: CallFailure,
    /// What got past it in this run, if anything did.
    pub way_past: Option<Fix>,
    /// The commands that failed so, as readers may see them; none if the program worked in the end.
    pub tried: Vec<String>,
    /// How often it failed so in this run; at least 1.
    pub failures: u32,
    /// Names that the lesson is about: the command, the tool.
    pub names: Vec<String>,
    /// The key of the first failed call's own failure.
    pub met: FailureKey,
    /// The indexes of the failed calls.
    pub(super) calls: Vec<usize>,
}

/// Finds the errors for which no rule found the remedy; `candidates` are what may have helped.
pub(super) fn find_walls(
    reading: &ParsedRun<'_>,
    open: &[(usize, Skip)],
    candidates: &[Fix],
) -> Vec<Wall> {
    let mut walls: Vec<Wall> = Vec::new();
    let met = open.iter().filter(|(_, reason)| may_be_wall(*reason));
    for (index, _) in met {
        let Some(wall) = read_wall(reading, *index, candidates) else {
            continue;
        };
        let mut known = walls.iter_mut();
        match known.find(|known| known.failure.key == wall.failure.key) {
            Some(known) => known.extend(wall),
            None => walls.push(wall),
        }
    }
    walls
}

fn may_be_wall(reason: Skip) -> bool {
    matches!(reason, Skip::Unsolved | Skip::OtherCause | Skip::Flaky)
}

/// Returns the wall that a failed call met.
fn read_wall(reading: &ParsedRun<'_>, index: usize, candidates: &[Fix]) -> Option<Wall> {
    let run_call = &reading.calls[index];
    let own = run_call.failure.as_ref();
    let own = own.filter(|failure| is_lasting(failure.family))?;
    let culprit = own.culprit.or_else(|| run_call.call.main_command())?;
    let command = run_call.call.line()?.commands.get(culprit)?;
    let failure = own.at_any_command(own.program())?;
    let is_way =
        |fix: &&Fix| fix.calls.contains(&index) && !fix.failure.gist.is_empty() && !fix.after_act;
    let way_past = candidates.iter().filter(is_way).find_map(|fix| {
        Some(Fix {
            failure: failure.clone(),
            difference: fix.difference.without_values()?,
            ..fix.clone()
        })
    });
    // What a check prints of the work is not in its way.
    let is_work = own.family == FailureFamily::Other && fix::is_check(&own.label);
    let is_over = is_work || reading.worked_after(&own.label, index);
    let tried = if way_past.is_some() || is_over {
        Vec::new()
    } else {
        vec![show::render_bare(command)]
    };
    Some(Wall {
        names: call_names(&run_call.call, own),
        met: own.key.clone(),
        failure,
        way_past,
        tried,
        failures: 1,
        calls: vec![index],
    })
}

/// Returns whether an error of this kind can be the same in many sessions whatever their task is.
fn is_lasting(family: FailureFamily) -> bool {
    matches!(
        family,
        FailureFamily::ModuleMissing
            | FailureFamily::ScriptMissing
            | FailureFamily::OptionUnknown
            | FailureFamily::Usage
            | FailureFamily::NotInProject
            | FailureFamily::Auth
            | FailureFamily::Permission
            | FailureFamily::Service
            | FailureFamily::Rule
            | FailureFamily::Other
    )
}

impl Wall {
    /// Returns whether the run got past it, or may have.
    pub fn is_passed(&self) -> bool {
        self.tried.is_empty()
    }

    /// Returns the keys under which the runs are stored that got past an error, and those that did not.
    pub fn outcome_keys(error: &FailureKey) -> [FailureKey; 2] {
        ["passed", "stopped"].map(|end| failure::hash_key_parts(&["wall", end, error.as_str()]))
    }

    /// Adds another meeting with the same error.
    fn extend(&mut self, other: Self) {
        self.failures += other.failures;
        self.calls.extend(other.calls);
        self.way_past = other.way_past.or_else(|| self.way_past.take());
        self.tried.extend(other.tried);
        self.tried.sort();
        self.tried.dedup();
        self.tried.truncate(TRIED);
        if self.way_past.is_some() {
            self.tried.clear();
        }
    }
}

impl Difference {
    /// Returns the difference as another task could have it, if the same command then worked.
    fn without_values(&self) -> Option<Self> {
        let names = |options: &[String]| -> Vec<String> {
            let words = options.iter().flat_map(|option| option.split(' '));
            let names = words.filter(|word| word.starts_with('-'));
            let names = names.map(|word| word.split('=').next().unwrap_or(word));
            names.map(str::to_owned).collect()
        };
        match self {
            Self::Options {
                command,
                removed,
                added,
            } if removed.is_empty() => {
                Some(names(added))
                    .filter(|added| !added.is_empty())
                    .map(|added| Self::Options {
                        command: command.clone(),
                        removed: Vec::new(),
                        added,
                    })
            }
            // Files that it was given are its task's own.
            Self::First { first, .. } if first.split(' ').skip(1).any(fix::is_path) => None,
            Self::Env { .. } | Self::Folder { .. } | Self::First { .. } | Self::Runner { .. } => {
                Some(self.clone())
            }
            _ => None,
        }
    }
}
