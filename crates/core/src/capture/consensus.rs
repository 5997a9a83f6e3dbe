//! Tests whether enough runs agree on the fix for a failure.
//!
//! One run shows only what it did next. A fix is accepted when at least two runs that had a failure went on with the
//! same step, and did so far more often than runs do after other failures: what follows every failure (`git status`,
//! reading a file) fixes none. The test is a binomial one; the probability under chance is the share of runs in which
//! this step followed any failure at all.

mod forms;

use self::forms::{
    canonical_program, canonical_step, drop_amount, drop_options, find_fronts, find_initials,
    find_settings, find_value, has_telling_value, names_folder, names_script, plain_words,
    split_value,
};
use super::fix::{CHANGE_KINDS, is_path};
use crate::{
    Difference, FailureKey, Fix,
    shell::{self, is_listed},
    trace::failure,
    trigger::name_option,
};

/// How many runs must at least agree.
const AGREEING_RUNS_MIN: usize = 2;
/// The highest probability that chance alone gives this agreement.
const CHANCE_MAX: f64 = 0.1;

/// The keys under which runs are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsensusKeys {
    /// Runs that went on from this failure with this fix.
    pub pair: FailureKey,
    /// Those of them that edited nothing between.
    pub alone: FailureKey,
    /// Runs that went on from this failure in any way.
    pub failure: FailureKey,
    /// Runs that went on from any failure with this fix.
    pub remedy: FailureKey,
    /// Runs that went on from any failure in any way.
    pub any: FailureKey,
}

impl ConsensusKeys {
    /// Returns the keys under which a possible fix of a failure is counted.
    pub fn from_fix(candidate: &Fix) -> Self {
        Self::of_group(
            &candidate.failure.key,
            &format!("{:?}", candidate.difference),
        )
    }

    /// Returns the keys under which the same step is counted past failures with other errors: of the same program, of any
    /// program with the same error, or of any at all, where the step is one that nobody takes by chance.
    pub fn of_step(candidate: &Fix) -> Vec<Self> {
        let failure = &candidate.failure;
        let program = |command: &str| {
            let program = canonical_program(command);
            failure::hash_key_parts(&["program", &program])
        };
        // What the program says, whichever it is.
        let message = failure.gist.strip_prefix(failure.program());
        let message = message.unwrap_or(&failure.gist);
        let error = (!message.is_empty()).then(|| failure::hash_key_parts(&["error", message]));
        // Whatever an error quotes, it asks for the same option.
        let plain = plain_words(message);
        let plain_error = (!plain.is_empty()).then(|| failure::hash_key_parts(&["error", &plain]));
        let groups: Vec<(FailureKey, String)> = match &candidate.difference {
            Difference::Options {
                command,
                removed,
                added,
            } if !command.contains(' ') => {
                let is_the_work = failure.family.is_the_work();
                let groups = OptionGroups {
                    name: canonical_program(command),
                    program: program(command),
                    error: plain_error,
                };
                groups.of_options(removed, added, is_the_work)
            }
            Difference::Env { command, variables } => {
                let mut sorted = variables.clone();
                sorted.sort();
                let step = sorted.join(" ");
                let groups = OptionGroups {
                    name: String::new(),
                    program: program(command),
                    error: plain_error,
                };
                let by_value = groups.of_value(variables);
                let values = variables
                    .iter()
                    .filter_map(|variable| variable.split_once('='));
                let passed = find_passed_options(values.map(|(_, value)| value));
                let settings = find_settings(&step).into_iter();
                let own = groups.program.clone();
                let settings = settings.map(|step| (own.clone(), step));
                let amount = groups.error.clone().zip(drop_amount(&step));
                let groups = [(groups.program, step.clone()), (any(&step), step)];
                let groups = groups.into_iter().chain(settings).chain(amount);
                groups.chain(by_value).chain(passed).collect()
            }
            Difference::First { command, first } => {
                let step = canonical_step(first);
                // Run with other options it is the same step.
                let bare = drop_options(&step);
                let bare = (bare != step).then_some((bare, false));
                let steps = [Some((step, true)), bare].into_iter().flatten();
                let of_step = |(step, is_whole): (String, bool)| {
                    let is_own = shell::has_own_words(&step) || is_whole && names_script(&step);
                    let everywhere = is_own.then(|| any(&step));
                    // After an error that says nothing anybody may run it.
                    let may_be_own = is_whole && error.is_some() || everywhere.is_some();
                    let own = may_be_own.then(|| program(command));
                    let groups = [own, error.clone(), everywhere].into_iter().flatten();
                    groups.map(move |group| (group, step.clone()))
                };
                // What a folder of programs is entered for is to run them.
                let activated = canonical_step(first);
                let activated = activated.strip_prefix("source ").map(str::trim_start);
                let activated = activated.and_then(|path| path.strip_suffix("/activate"));
                let activated = activated.map(|folder| (any(folder), folder.to_owned()));
                steps.flat_map(of_step).chain(activated).collect()
            }
            Difference::Order { option, .. } => vec![(any(option), format!("{option} earlier"))],
            Difference::Folder { command, folder } => {
                let folder = folder.to_lowercase();
                let groups = OptionGroups {
                    name: String::new(),
                    program: program(command),
                    error: plain_error,
                };
                // To be told a folder is to be run in it.
                let by_value = groups.of_value(&[format!("in {folder}")]);
                let groups = [groups.program, any(&folder)].into_iter();
                let groups = groups.map(|group| (group, folder.clone()));
                groups.chain(by_value).collect()
            }
            Difference::Runner { from, to } => {
                let to = &to.trim_start_matches("./").replace(" ./", " ");
                let fronts = find_fronts(from, to).into_iter();
                let fronts = fronts.map(|front| (any(&front), front));
                // Another program is the same remedy with whatever verb.
                let first = to.split(' ').next().filter(|_| from.contains(' '));
                let step = first.map_or_else(|| drop_options(to), str::to_owned);
                let passed = find_passed_options(to.split(' '));
                fronts
                    .chain([(program(from), step)])
                    .chain(passed)
                    .collect()
            }
            _ => Vec::new(),
        };
        let keys = groups.iter();
        keys.map(|(group, step)| Self::of_group(group, step))
            .collect()
    }

    fn of_group(group: &FailureKey, step: &str) -> Self {
        Self {
            pair: failure::hash_key_parts(&["then", group.as_str(), step]),
            alone: failure::hash_key_parts(&["alone", group.as_str(), step]),
            failure: met_key(group),
            remedy: failure::hash_key_parts(&["followed", step]),
            any: failure::hash_key_parts(&["met", "any"]),
        }
    }
}

/// The failures past which an option or a variable that was given counts, beside those past any failure at all.
struct OptionGroups {
    /// The program that is given them.
    name: String,
    /// Those of the same program.
    program: FailureKey,
    /// Those with the same error, if it says anything.
    error: Option<FailureKey>,
}

impl OptionGroups {
    /// Returns where options that were put in the place of others count, each with the step that it is there.
    fn of_options(
        &self,
        removed: &[String],
        added: &[String],
        is_the_work: bool,
    ) -> Vec<(FailureKey, String)> {
        if added.is_empty() {
            let step = format!("without {}", removed.join(" "));
            let groups = [Some(self.program.clone()), self.error.clone()];
            return Vec::from_iter(
                groups
                    .into_iter()
                    .flatten()
                    .map(|group| (group, step.clone())),
            );
        }
        // Of a message only the mark that it begins with is told, by whichever option.
        let added_text = added.join(" ");
        let message = added_text
            .split_once('\'')
            .filter(|_| added_text.contains('…'));
        if let Some((_, message)) = message {
            let parts = message.split_inclusive(|c: char| !c.is_alphabetic());
            let parts = parts.map(|part| {
                let letters = part.trim_end_matches(|c: char| !c.is_alphabetic());
                match is_listed(CHANGE_KINDS, letters) && !letters.is_empty() {
                    true => format!("…{}", &part[letters.len()..]),
                    false => part.to_owned(),
                }
            });
            let form = parts.collect::<String>();
            return Vec::from_iter(self.error.clone().map(|error| (error, form)));
        }
        let added = &Vec::from_iter(added.iter().map(|option| split_value(option)));
        if added.iter().any(|option| option.ends_with(" …")) {
            let groups = [
                (!is_the_work).then(|| self.program.clone()),
                self.error.clone(),
            ];
            let groups = groups.into_iter().flatten();
            return Vec::from_iter(groups.map(|group| (group, added.join(" "))));
        }
        let named = added.iter().map(|option| match option.split_once(' ') {
            Some((name, value)) => format!("{} {value}", name_option(&self.name, name)),
            None => name_option(&self.name, option),
        });
        let mut named = Vec::from_iter(named);
        named.sort();
        let step = named.join(" ");
        // To be told a folder is to be run in it.
        if let [option] = added.as_slice()
            && let Some((name, folder)) = option.split_once(' ')
            && names_folder(name)
        {
            return vec![(self.program.clone(), folder.to_owned())];
        }
        let by_value = self.of_value(added);
        // A file may be the task's own: past the same error alone it counts.
        if added.iter().any(|word| is_path(word)) {
            return by_value;
        }
        let has_value = step.contains([' ', '=']);
        let own = (has_value || !is_the_work).then(|| self.program.clone());
        let mut forms = find_settings(&added.join(" "));
        forms.extend(find_initials(added));
        let forms = own.iter().flat_map(|own| {
            let forms = forms.iter();
            forms.map(|form| (own.clone(), form.clone()))
        });
        let forms = Vec::from_iter(forms);
        let is_telling = has_telling_value(&step);
        let everywhere = is_telling.then(|| any(&step));
        // Whatever the option is called, the value takes the place of the other.
        let pair = find_value(removed).zip(find_value(added));
        let pair = pair.filter(|_| is_telling).map(|(from, to)| {
            let step = format!("{from} {to}");
            (any(&step), step)
        });
        let groups = [own, self.error.clone(), everywhere].into_iter().flatten();
        let groups = groups.map(|group| (group, step.clone()));
        groups.chain(pair).chain(by_value).chain(forms).collect()
    }

    /// Returns where the value of a single option or variable counts, by whatever name it is given. A path may be the task's
    /// own: past the same error alone it counts.
    fn of_value(&self, options: &[String]) -> Vec<(FailureKey, String)> {
        let Some(value) = find_value(options).filter(|value| has_telling_value(value)) else {
            return Vec::new();
        };
        let own = (!is_path(value)).then(|| self.program.clone());
        let mut value = value.to_lowercase().replace("$home/", "~/");
        // From wherever it is said, a place of the project is the same.
        while let Some(rest) = value.strip_prefix("./").or(value.strip_prefix("../")) {
            value = rest.to_owned();
        }
        let step = format!("= {value}");
        let groups = [own, self.error.clone()].into_iter().flatten();
        groups.map(|group| (group, step.clone())).collect()
    }
}

/// Returns the group of all failures past which a step was taken.
fn any(step: &str) -> FailureKey {
    failure::hash_key_parts(&["step", step])
}

/// Returns the long options that a program is given, by whatever way: `NODE_OPTIONS=--wide npx oak`, `node --wide bin/oak.js`.
fn find_passed_options<'w>(words: impl Iterator<Item = &'w str>) -> Vec<(FailureKey, String)> {
    const NAME_BYTES: usize = 8;
    let options = words.filter(|word| word.starts_with("--") && word.len() >= NAME_BYTES);
    let options = options.map(|word| drop_amount(word).unwrap_or_else(|| word.to_owned()));
    options.map(|word| (any(&word), word)).collect()
}

/// Returns the key under which the runs are counted that went on from a failure.
pub(super) fn met_key(failure: &FailureKey) -> FailureKey {
    failure::hash_key_parts(&["met", failure.as_str()])
}

/// How many runs took which step after which failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agreement {
    /// Runs that went on from the failure with the fix.
    pub pair: usize,
    /// Runs that went on from the failure in any way.
    pub failure: usize,
    /// Runs that went on from any failure with the fix.
    pub remedy: usize,
    /// Runs that went on from any failure in any way.
    pub any: usize,
}

impl Agreement {
    /// Returns whether enough runs agree for a lesson.
    pub fn is_enough(self) -> bool {
        let Self {
            pair,
            failure,
            remedy,
            any,
        } = self;
        let elsewhere = any.saturating_sub(failure);
        let by_chance = remedy.saturating_sub(pair);
        let chance = (by_chance as f64 + 0.5) / (elsewhere as f64 + 2.0);
        let is_common = 2 * pair >= failure;
        pair >= AGREEING_RUNS_MIN
            && is_common
            && binomial_tail(failure.max(pair), pair, chance) <= CHANCE_MAX
    }
}

/// Returns the probability of at least `hits` successes in `tries` trials of probability `chance`.
fn binomial_tail(tries: usize, hits: usize, chance: f64) -> f64 {
    if chance >= 1.0 {
        return 1.0;
    }
    let chance = chance.max(0.0);
    let mut term = (1.0 - chance).powi(i32::try_from(tries).unwrap_or(i32::MAX));
    let mut below = 0.0;
    for hit in 0..hits {
        below += term;
        let (hit, tries) = (hit as f64, tries as f64);
        term *= (tries - hit) / (hit + 1.0) * chance / (1.0 - chance);
    }
    (1.0 - below).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_agree_or_it_may_be_chance() {
        for (pair, failure, remedy, any, expected) in [
            // One run is no agreement, however many others had the failure.
            (1, 1, 1, 40, false),
            // Two of two, and no other run did it: enough once a few runs had other failures.
            (2, 2, 2, 2, true),
            (2, 2, 2, 10, true),
            (2, 3, 2, 20, true),
            // The step follows every other failure too.
            (2, 2, 12, 20, false),
            (5, 5, 18, 20, false),
            // Most runs with the failure did something else.
            (2, 9, 2, 40, false),
            (31, 43, 31, 64, true),
        ] {
            let agreement = Agreement {
                pair,
                failure,
                remedy,
                any,
            };
            assert_eq!(agreement.is_enough(), expected, "{agreement:?}");
        }
    }

    #[test]
    fn chances_add_up() {
        assert!((binomial_tail(3, 0, 0.3) - 1.0).abs() < 1e-9);
        assert!((binomial_tail(2, 2, 0.5) - 0.25).abs() < 1e-9);
        assert!((binomial_tail(4, 1, 0.5) - 0.9375).abs() < 1e-9);
        assert!(binomial_tail(5, 3, 1.0) <= 1.0);
    }
}
