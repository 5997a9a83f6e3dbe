//! Tests whether enough runs agree on the fix for a failure.
//!
//! One run shows only what it did next. A fix is accepted when at least two runs that had a failure went on with the
//! same step, and did so far more often than runs do after other failures: what follows every failure (`git status`,
//! reading a file) fixes none. The test is a binomial one; the probability under chance is the share of runs in which
//! this step followed any failure at all.

use super::fix::is_path;
use crate::{Difference, Fix};
use crate::{
    FailureKey, ShellCommand,
    shell::{self, is_listed},
    trace::failure,
    trigger::{name_command, name_option, peel_runners},
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
                    error,
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
                    error,
                };
                let by_value = groups.of_value(variables);
                let groups = [(groups.program, step.clone()), (any(&step), step)];
                groups.into_iter().chain(by_value).collect()
            }
            Difference::First { command, first } => {
                let step = canonical_step(first);
                // Run with other options it is the same step.
                let bare = drop_options(&step);
                let bare = (bare != step && shell::has_own_words(&bare)).then_some(bare);
                let steps = [Some(step), bare].into_iter().flatten();
                let of_step = |step: String| {
                    let is_own = shell::has_own_words(&step) || names_script(&step);
                    let everywhere = is_own.then(|| any(&step));
                    // After an error that says nothing anybody may run it.
                    let own = (error.is_some() || everywhere.is_some()).then(|| program(command));
                    let groups = [own, error.clone(), everywhere].into_iter().flatten();
                    groups.map(move |group| (group, step.clone()))
                };
                steps.flat_map(of_step).collect()
            }
            Difference::Folder { command, folder } => {
                let groups = [program(command), any(folder)].into_iter();
                groups.map(|group| (group, folder.clone())).collect()
            }
            Difference::Runner { from, to } => {
                let to = &to.trim_start_matches("./").replace(" ./", " ");
                let fronts = find_fronts(from, to).into_iter();
                let fronts = fronts.map(|front| (any(&front), front));
                // Another program is the same remedy with whatever verb.
                let first = to.split(' ').next().filter(|_| from.contains(' '));
                let step = first.map_or_else(|| drop_options(to), str::to_owned);
                fronts.chain([(program(from), step)]).collect()
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
        if let Some(form) = find_message_form(&added.join(" ")) {
            return Vec::from_iter(self.error.clone().map(|error| (error, form)));
        }
        let added = &Vec::from_iter(added.iter().map(|option| split_value(option)));
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
        groups.chain(pair).chain(by_value).collect()
    }

    /// Returns where the value of a single option or variable counts, by whatever name it is given. A path may be the task's
    /// own: past the same error alone it counts.
    fn of_value(&self, options: &[String]) -> Vec<(FailureKey, String)> {
        let Some(value) = find_value(options).filter(|value| has_telling_value(value)) else {
            return Vec::new();
        };
        let own = (!is_path(value)).then(|| self.program.clone());
        let value = value.trim_start_matches("./").replace("$HOME/", "~/");
        let step = format!("= {value}");
        let groups = [own, self.error.clone()].into_iter().flatten();
        groups.map(|group| (group, step.clone())).collect()
    }
}

/// Returns the group of all failures past which a step was taken.
fn any(step: &str) -> FailureKey {
    failure::hash_key_parts(&["step", step])
}

/// Returns whether an option names the folder to run in.
fn names_folder(option: &str) -> bool {
    is_listed(
        "-C --cwd --dir --directory --prefix -chdir --project-directory",
        option,
    )
}

/// Returns the command of a text, without what only runs it.
fn peel(text: &str) -> Option<ShellCommand> {
    let line = shell::parse_line(&text.replace(" ./", " "));
    line.commands.first().map(peel_runners)
}

/// Returns a step by the names that stand for its words, without what only runs it.
fn canonical_step(first: &str) -> String {
    let Some(mut step) = peel(first) else {
        return first.to_owned();
    };
    if is_listed("install rsync", step.program()) {
        let is_path = |text: &str| text.contains(['/', '.']) && !text.starts_with('-');
        let mut words = step.words.split_off(1);
        words.retain(|word| is_path(&word.text));
        step.words.append(&mut words);
        step.words[0].text = "cp".to_owned();
    }
    let (name, places) = name_command(&step);
    let texts = step.texts();
    let is_here = |at: usize| texts.get(at + 1) == Some(&".") && texts[at].starts_with('-');
    let names_place = |at: usize| names_folder(texts[at]) || is_here(at);
    let is_folder = |at: usize| names_place(at) || at > 1 && names_place(at - 1);
    let rest = texts.iter().enumerate().skip(1);
    let rest = rest.filter(|(at, text)| !places.contains(at) && **text != "…" && !is_folder(*at));
    // The root of a Gradle build need not be said.
    let rest = rest.map(|(_, text)| text.trim_start_matches(':'));
    let rest = rest.map(|text| name_option(&name.program, text));
    let (options, operands): (Vec<String>, Vec<String>) =
        rest.partition(|word| word.starts_with('-'));
    let variables = step.env.iter();
    let variables = variables.map(|(name, value)| format!("{name}={value}"));
    let verb = name.verb.trim_start_matches(':').to_owned();
    let words = variables.chain([name.program, verb]);
    words
        .chain(operands)
        .chain(options)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns whether a command runs a script of the project by a name of several words: `npm run db:seed`.
fn names_script(step: &str) -> bool {
    let runs = step.split(' ').next();
    let last = step.split(' ').next_back().unwrap_or_default();
    runs.is_some_and(|runs| is_listed("npm pnpm yarn bun make just task rake composer mix", runs))
        && last.contains([':', '-', '_'])
}

/// Returns the program of a command, without what only runs it.
fn canonical_program(command: &str) -> String {
    peel(command).map_or(String::new(), |command| name_command(&command).0.program)
}

/// Returns the words of a command that are no options.
fn drop_options(command: &str) -> String {
    let words = command.split(' ').filter(|word| !word.starts_with('-'));
    words.collect::<Vec<_>>().join(" ")
}

/// Returns what was put before a program, also with it, or the folder that it was called from; what it is does not depend on
/// its options (`docker compose exec -T web`).
fn find_fronts(from: &str, to: &str) -> Vec<String> {
    let (front, last) = to.rsplit_once(' ').unwrap_or(("", to));
    let is_it = shell::base_name(last) == shell::base_name(from)
        || shell::is_python(last) && shell::is_python(from);
    let folder = last.rsplit_once('/').map_or("", |(folder, _)| folder);
    let fronts: &[&str] = match (is_it, front) {
        (true, "") => &[folder],
        (true, _) => &[front, to],
        (false, "") if folder.is_empty() => &[],
        (false, _) => &[&canonical_step(to)],
    };
    let fronts = fronts.iter().map(|front| drop_options(front));
    fronts.filter(|front| !front.is_empty()).collect()
}

/// Returns the form of a message, the same for any words and numbers: `a: …` of `fix: …`.
fn find_message_form(step: &str) -> Option<String> {
    let (_, message) = step.split_once('\'').filter(|_| step.contains('…'))?;
    let letters = message.chars();
    let letters = letters.map(|c| if c.is_lowercase() { 'a' } else { c });
    let mut form: Vec<char> = letters.collect();
    form.dedup();
    Some(form.into_iter().collect())
}

/// Returns an option with its value as a word of its own: `--set x` for `--set=x`, `-p 80` for `-p80`.
fn split_value(option: &str) -> String {
    let letter = option
        .strip_prefix('-')
        .and_then(|rest| rest.char_indices().nth(1));
    match letter.filter(|(_, next)| next.is_ascii_digit() || matches!(next, '/' | '.')) {
        Some((at, _)) => format!("{} {}", &option[..=at], &option[at + 1..]),
        // Where one is, it need not be said.
        None => {
            let option = option.replacen('=', " ", 1).replace(['\'', '"'], "");
            let option = option.replace(" ./", " ");
            option
                .strip_suffix(" .")
                .map_or(option.clone(), str::to_owned)
        }
    }
}

/// Returns the value of a single option.
fn find_value(options: &[String]) -> Option<&str> {
    let [option] = options else { return None };
    option.split_once([' ', '=']).map(|(_, value)| value)
}

/// Returns whether options have a value that another task would hardly need: a name, and no number.
fn has_telling_value(step: &str) -> bool {
    let values = step.split([' ', '=']).filter(|word| !word.starts_with('-'));
    let is_word = |value: &str| value.len() > 1 && value.chars().all(char::is_alphabetic);
    let mut values = values.filter(|value| value.len() >= 4 || is_word(value));
    values.any(|value| value.contains(|c: char| c.is_alphabetic() || c == '.'))
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
    fn what_stands_before_a_program_is_known_without_its_options() {
        for (from, to, expected) in [
            ("npm", "xvfb-run npm", &["xvfb-run", "xvfb-run npm"][..]),
            ("npm", "xvfb-run -a npm", &["xvfb-run", "xvfb-run npm"]),
            (
                "rake",
                "podman exec -it shop rake",
                &["podman exec shop", "podman exec shop rake"],
            ),
            ("mypy", ".venv/bin/mypy", &[".venv/bin"]),
            ("python", "pixi run", &["pixi run"]),
            (
                "python3",
                "pixi run python",
                &["pixi run", "pixi run python"],
            ),
            ("npm", "pnpm", &[]),
        ] {
            assert_eq!(find_fronts(from, to), expected, "{to}");
        }
    }

    #[test]
    fn an_option_and_its_value_are_known_however_they_are_joined() {
        for (option, expected) in [
            ("--set=x", "--set x"),
            ("-p5433", "-p 5433"),
            ("-h10.0.0.1", "-h 10.0.0.1"),
            ("-pl core", "-pl core"),
            ("-xvf", "-xvf"),
        ] {
            assert_eq!(split_value(option), expected);
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
