//! The forms in which a step is the same, however two sessions typed it: options, variables, commands, what runs them.
//!
//! They are made for keys alone; what a lesson shows is what was typed. Which failures they count for is not known here.

use crate::{
    ShellCommand,
    capture::show,
    shell::{self, is_listed},
    trigger::{name_command, name_option, peel_runners},
};

/// Returns whether an option names the folder to run in.
pub(super) fn names_folder(option: &str) -> bool {
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
pub(super) fn canonical_step(first: &str) -> String {
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
    // A variable may stand behind the command as well: `rails db:migrate RAILS_ENV=test`.
    let (behind, operands): (Vec<String>, Vec<String>) = operands
        .into_iter()
        .partition(|word| word.contains('=') && word.starts_with(|c: char| c.is_ascii_uppercase()));
    let variables = step.env.iter();
    let variables = variables.map(|(name, value)| format!("{name}={value}"));
    let variables = variables.chain(behind);
    let verb = match (name.program.as_str(), name.verb.trim_start_matches(':')) {
        // Both bring what the project is made with.
        ("npm", "ci") | ("yarn" | "bundle", "") => "install",
        (_, verb) => verb,
    };
    let words = variables.chain([name.program.clone(), verb.to_owned()]);
    words
        .chain(operands)
        .chain(options)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns whether a command runs a script of the project by a name of several words: `npm run db:seed`.
pub(super) fn names_script(step: &str) -> bool {
    let runs = step.split(' ').next();
    let last = step.split(' ').next_back().unwrap_or_default();
    runs.is_some_and(|runs| is_listed("npm pnpm yarn bun make just task rake composer mix", runs))
        && last.contains([':', '-', '_'])
}

/// Returns the program of a command, without what only runs it.
pub(super) fn canonical_program(command: &str) -> String {
    peel(command).map_or(String::new(), |command| name_command(&command).0.program)
}

/// Returns the words of a command that are no options.
pub(super) fn drop_options(command: &str) -> String {
    let words = command.split(' ').filter(|word| !word.starts_with('-'));
    words.collect::<Vec<_>>().join(" ")
}

/// Returns what was put before a program, also with it, or the folder that it was called from; what it is does not depend on
/// its options (`docker compose exec -T web`).
pub(super) fn find_fronts(from: &str, to: &str) -> Vec<String> {
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
    // In a service that runs or in one of its own.
    let fronts = fronts.iter().map(|front| drop_options(front));
    let fronts = fronts.map(|front| front.replace("compose run ", "compose exec "));
    // Of an interpreter the folder that it is in.
    let (runner, _) = front.split_once(' ').unwrap_or((front, ""));
    let runner = runner.rsplit_once('/').filter(|_| is_it);
    let runner = runner.map(|(folder, _)| folder.to_owned());
    fronts
        .chain(runner)
        .filter(|front| !front.is_empty())
        .collect()
}

/// Returns an option with its value as a word of its own: `--set x` for `--set=x`, `-p 80` for `-p80`, `--no-x` for `--x=false`.
pub(super) fn split_value(option: &str) -> String {
    let letter = option
        .strip_prefix('-')
        .and_then(|rest| rest.char_indices().nth(1));
    let option = match letter.filter(|(_, next)| next.is_ascii_digit() || matches!(next, '/' | '.'))
    {
        Some((at, _)) => format!("{} {}", &option[..=at], &option[at + 1..]),
        None => option
            .replacen('=', " ", 1)
            .replace(['\'', '"'], "")
            .replace(" ./", " "),
    };
    match option.split_once(' ') {
        // Where one is, it need not be said, nor that a switch is on.
        Some((name, "." | "true" | "always")) if name.starts_with('-') => name.to_owned(),
        Some((name, "false" | "never")) if name.starts_with("--") => {
            name.replacen("--", "--no-", 1)
        }
        Some((name, value)) => format!("{name} {}", value.to_lowercase()),
        None => option,
    }
}

/// Returns a setting without the amount that it is given, which each task chooses: `NODE_OPTIONS=--max-old-space-size`.
pub(super) fn drop_amount(setting: &str) -> Option<String> {
    let (name, amount) = setting.rsplit_once('=')?;
    show::is_amount(name, amount).then(|| name.to_owned())
}

/// Returns a setting by each end of its name, one of which a key, a variable and an option may share: `editor true` of
/// `core.editor=true` and `GIT_EDITOR=true`, `legacypeerdeps` of `--legacy-peer-deps` and `npm_config_legacy_peer_deps=true`.
pub(super) fn find_settings(setting: &str) -> Vec<String> {
    const LETTERS: usize = 4;
    let (name, value) = setting.rsplit_once([' ', '=']).unwrap_or((setting, ""));
    let name = name.rsplit(' ').next().unwrap_or(name).to_lowercase();
    let value = if is_listed("true 1 yes", value) {
        ""
    } else {
        value
    };
    let is_option = name.starts_with('-');
    let letters = |end: &str| end.replace(|c: char| !c.is_alphanumeric(), "");
    let starts = name.match_indices(['.', '_']).map(|(at, _)| at + 1);
    let ends = starts.filter(|_| !is_option).map(|at| &name[at..]);
    let ends = std::iter::once(name.as_str()).chain(ends).map(letters);
    let ends = ends.filter(|end| end.len() >= LETTERS);
    ends.map(|end| format!("{end} {value}")).collect()
}

/// Returns a single option by the initials of its name, as its short form may have them: `am` of `--also-make` and `-am`.
pub(super) fn find_initials(options: &[String]) -> Option<String> {
    const LETTERS: usize = 3;
    let [option] = options else { return None };
    let (name, value) = option.split_once(' ').unwrap_or((option, ""));
    let letters = match name.strip_prefix("--") {
        Some(long) => long
            .split('-')
            .filter_map(|part| part.chars().next())
            .collect(),
        None => name.strip_prefix('-')?.to_owned(),
    };
    (letters.len() <= LETTERS).then(|| format!("{} {value}", letters.to_lowercase()))
}

/// Returns the value of a single option.
pub(super) fn find_value(options: &[String]) -> Option<&str> {
    let [option] = options else { return None };
    let value = option.split_once([' ', '=']).map(|(_, value)| value);
    value.or(option.strip_prefix('+'))
}

/// Returns whether options have a value that another task would hardly need: a name, and no number.
pub(super) fn has_telling_value(step: &str) -> bool {
    let values = step.split([' ', '=']).filter(|word| !word.starts_with('-'));
    let is_word = |value: &str| value.len() > 1 && value.chars().all(char::is_alphabetic);
    let mut values = values.filter(|value| value.len() >= 4 || is_word(value));
    values.any(|value| value.contains(|c: char| c.is_alphabetic() || c == '.'))
}

/// Returns the first words of an error outside quotes.
pub(super) fn plain_words(message: &str) -> String {
    const WORDS: usize = 8;
    let outside = message.split(['"', '\'', '`']).step_by(2);
    let words = outside.flat_map(str::split_whitespace);
    let words = words.filter(|word| word.contains(char::is_alphabetic));
    words.take(WORDS).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
