//! Compares a failed command with one that worked, word by word, whatever failure it was.
//!
//! What stands in only one of the two is the change: options, words that set something, what was put before the program or
//! took its place. Whether it was the remedy is not known here: two runs that made the same change tell. Only what was added
//! is judged, because only that is advised.

use super::{
    alike,
    rules::{self, options::is_idle},
};
use crate::{
    Difference, ShellCommand, ShellWord,
    capture::show,
    safety,
    shell::{self, base_name, is_listed},
    trace::{
        call,
        family::{self, FailureFamily},
    },
    trigger::peel_runners,
};

/// Most words that may be put before a command.
const ADDED_WORDS: usize = 6;
/// Most options that may be added to a command.
const ADDED_OPTIONS: usize = 6;
/// Most words that may be left out of it: an option and its value.
const REMOVED_WORDS: usize = 2;
/// Longest name of a task that took over, in bytes.
const TASK_BYTES: usize = 40;
/// Options whose value is what the task wants to be run.
const STATEMENTS: &str = "-c -e -Q --command --execute --eval --query --sql";
/// Programs that only look, or run anything that they are given.
const WRAPPING: &str = "sudo time timeout nice nohup watch xargs echo printf man which type command ls cat head tail grep rg";

/// Finds what a working command has that the failed one had not: the whole first, then each of its options.
pub(super) fn find_changes(
    failed: &ShellCommand,
    worked: &ShellCommand,
    error: &str,
) -> Vec<Difference> {
    let command = failed.program().to_owned();
    let worked = &split_letters(failed, worked);
    let with_options = |removed: Option<String>, added: String| Difference::Options {
        command: command.clone(),
        removed: removed.into_iter().collect(),
        added: vec![added],
    };
    if let Some((from, to)) = find_changed_value(failed, worked, error) {
        return vec![with_options(Some(from), to)];
    }
    if let Some(ChangedOptions { removed, added }) = find_other_options(failed, worked) {
        // Two tasks give two files of theirs beside an option that they share.
        let has_path = added.iter().any(|word| is_path(word));
        let is_one = added.len() == 1;
        let whole = (!has_path).then(|| added.join(" "));
        // What stands before the verb is the program's own, and two tasks may give it two values.
        let begins = |own: &String| {
            let own = format!("{own} ");
            added.iter().any(|option| option.starts_with(&own))
        };
        let own = worked.words.get(1).map(|word| word.text.clone());
        let own = own.filter(begins);
        let files = Vec::from_iter(added.iter().filter_map(|option| without_folder(option)));
        let options = added.into_iter().chain(own).chain(files);
        // What ends the options, or stands for what is piped, says nothing alone, nor does the only one that took another's place.
        let is_all = removed.is_some() && is_one;
        let options = options.filter(|option| !is_all && !is_listed("-- -", option));
        let steps = whole
            .into_iter()
            .map(|added| with_options(removed.clone(), added));
        let each = options.map(|added| with_options(None, added));
        let mut steps: Vec<Difference> = steps.chain(each).collect();
        steps.dedup();
        return steps;
    }
    let is_same = failed.words[0].text == worked.words[0].text;
    let module = without_module_runner(failed).filter(|_| !is_same);
    let runner = find_interpreter(failed, worked)
        .or_else(|| find_front(failed, worked))
        .or_else(|| find_front(&module?, worked))
        .or_else(|| find_other_program(failed, worked));
    // The same script by another path is called from another folder.
    let is_moved = |to: &str| {
        failed.words[0].text.contains('/') && to.strip_prefix("./") == Some(failed.program())
    };
    let runner = runner.filter(|(_, to)| !is_moved(to));
    let task = find_task(failed, worked).map(|command| Difference::Instead { command });
    let runner = runner.map(|(from, to)| Difference::Runner { from, to });
    task.into_iter().chain(runner).collect()
}

/// Returns an option with a file or folder by its name alone, which two tasks may have in two places: `-f …/Dockerfile`.
fn without_folder(option: &str) -> Option<String> {
    let (name, value) = option.split_once([' ', '='])?;
    let is_place = value.contains('/') && !value.starts_with('…')
        || ["dir", "file", "path", "config"]
            .iter()
            .any(|end| name.ends_with(end));
    let begin = &option[..=name.len()];
    is_place.then(|| format!("{begin}…/{}", base_name(value)))
}

/// Returns the working command with the letters apart that only it has among those of an option: `-lv` for `-v` is `-l -v`.
fn split_letters(failed: &ShellCommand, worked: &ShellCommand) -> ShellCommand {
    const LETTERS: usize = 3;
    let letters = |word: &ShellWord| {
        let letters = word.text.strip_prefix('-')?;
        let is_it = (1..=LETTERS).contains(&letters.len())
            && letters.chars().all(|c| c.is_ascii_alphabetic())
            && !(letters.char_indices()).any(|(at, c)| letters[..at].contains(c));
        is_it.then(|| letters.to_owned())
    };
    let old_words = words_not_in(worked, failed);
    let split = |word: &ShellWord| {
        let all = letters(word)?;
        let own = old_words.iter().filter_map(|(_, own)| letters(own));
        let mut own = own.filter(|own| own.chars().all(|c| all.contains(c)));
        let own = own.find(|own| own.len() < all.len())?;
        let texts = [all.replace(|c| own.contains(c), ""), own];
        Some(texts.map(|letters| ShellWord {
            raw: format!("-{letters}"),
            text: format!("-{letters}"),
        }))
    };
    let words = worked.words.iter();
    let words = words.map(|word| split(word).map_or(vec![word.clone()], Vec::from));
    ShellCommand {
        words: words.flatten().collect(),
        ..worked.clone()
    }
}

/// Returns whether a word is a file or folder of the project.
pub(in crate::capture) fn is_path(text: &str) -> bool {
    let has_ending = text.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && ending.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let is_part = |c: char| c.is_alphanumeric() || "./_-".contains(c);
    (has_ending || text.contains('/')) && text.chars().all(is_part) && !text.starts_with(['-', '/'])
}

/// Returns the mark that a message begins with, as another message may have it: `fix: …`, `YARD-N …`.
fn shorten_message(message: &str) -> Option<String> {
    const MARK_CHARS: usize = 20;
    let (first, _) = message.split_once(' ')?;
    let is_mark = first.chars().count() <= MARK_CHARS
        && first.contains(|c: char| !c.is_alphabetic() && !"'’-,.".contains(c));
    let letters = first.chars();
    let letters = letters.map(|c| if c.is_ascii_digit() { 'N' } else { c });
    let mut mark: Vec<char> = letters.collect();
    mark.dedup_by(|a, b| *a == 'N' && a == b);
    is_mark.then(|| format!("{} …", mark.into_iter().collect::<String>()))
}

/// Returns how scripts of a folder were called, if the failed one was then given to what runs it: `bash scripts/…`.
fn find_interpreter(failed: &ShellCommand, worked: &ShellCommand) -> Option<(String, String)> {
    let typed = failed.words[0].text.as_str();
    let is_relative = !typed.starts_with(['/', '~', '$']);
    let (folder, _) = typed.rsplit_once('/').filter(|_| is_relative)?;
    let script = worked.words.get(1)?.text.as_str();
    let plain = |path: &str| path.trim_start_matches("./").to_owned();
    let is_same =
        plain(script) == plain(typed) && worked.texts().get(2..) == failed.texts().get(1..);
    let is_script = is_same && shell::is_known_program(worked.program());
    let to = format!("{} {}/…", worked.program(), plain(folder));
    is_script.then(|| (format!("{folder}/…"), to))
}

/// Returns the task of the project's runner that does what the failed command is for: `just test` for `cargo test`.
fn find_task(failed: &ShellCommand, worked: &ShellCommand) -> Option<String> {
    const RUNNERS: &str = "make just task npm pnpm yarn bun rake mage invoke inv tox nox mise gradlew mvnw composer mix";
    let (own, other) = (failed.label(), worked.label());
    let purpose = |label: &str| alike::find_purpose(label.rsplit(' ').next().unwrap_or_default());
    let is_task = is_listed(RUNNERS, worked.program()) && purpose(&own).is_some();
    let does_same = is_task && purpose(&own) == purpose(&other);
    let is_other = failed.program() != worked.program() && other.len() <= TASK_BYTES;
    (is_other && does_same).then_some(other)
}

/// The words that only one of two commands has.
struct ChangedOptions {
    removed: Option<String>,
    /// Each option with its value.
    added: Vec<String>,
}

/// Finds the options that were left out and those that were added, with their values. Other words may be each task's own.
fn find_other_options(failed: &ShellCommand, worked: &ShellCommand) -> Option<ChangedOptions> {
    if failed.words[0].text != worked.words[0].text {
        return None;
    }
    let new_words = words_not_in(failed, worked);
    // What forces its way past an error credits no option beside it; `-f` may name a file.
    let forces = |(_, word): &(usize, &ShellWord)| {
        word.text.starts_with("--") && safety::forces_something(&word.text)
    };
    if new_words.iter().any(forces) {
        return None;
    }
    let old_words = words_not_in(worked, failed);
    let is_option = |(_, word): &(usize, &ShellWord)| word.text.starts_with('-');
    let is_shown = |(_, word): &(usize, &ShellWord)| render_word(word).is_some();
    let is_left_out = old_words.len() <= REMOVED_WORDS
        && old_words.first().is_some_and(is_option)
        && old_words.iter().all(is_shown);
    // Letters beside other words that changed may be how this task wants it printed: `psql -At`.
    let is_alone = old_words.is_empty() || is_left_out;
    let is_word = |words: &Vec<&ShellWord>| words.len() > 1 || !is_letters(words[0]);
    // Of a word that stands twice (`psql -U shop shop`) either may be the new one, of which one is a value.
    let ways = [first_words_not_in, words_not_in];
    let ways = ways.map(|way| group_new_options(failed, worked, way(failed, worked)));
    let count_words = |groups: &Vec<Vec<_>>| groups.iter().map(Vec::len).sum::<usize>();
    let groups = ways.into_iter().max_by_key(count_words)?.into_iter();
    let groups = groups.filter(|words| is_alone || is_word(words));
    let groups = groups.filter(|words| may_be_added(failed, words));
    let added = Vec::from_iter(groups.filter_map(|words| render_option(&words)));
    let removed = is_left_out.then(|| join_words(old_words.iter().map(|(_, word)| *word)));
    (1..=ADDED_OPTIONS)
        .contains(&added.len())
        .then_some(ChangedOptions { removed, added })
}

/// Groups new words into options, but those behind another subcommand, which are that one's.
fn group_new_options<'w>(
    failed: &ShellCommand,
    worked: &'w ShellCommand,
    mut new_words: Vec<(usize, &'w ShellWord)>,
) -> Vec<Vec<&'w ShellWord>> {
    let verb = worked.subcommand_indexes().first().copied();
    let verbs = failed.subcommand_indexes();
    let mut verbs = verbs.iter().map(|at| failed.words[*at].text.as_str());
    let is_same = verbs.all(|verb| worked.texts().contains(&verb));
    new_words.retain(|(at, _)| is_same || verb.is_some_and(|verb| *at < verb));
    group_options(worked, &new_words)
}

/// Returns whether a word is options of one letter, without a value.
fn is_letters(word: &ShellWord) -> bool {
    const LETTERS: usize = 2;
    let letters = word.text.strip_prefix('-');
    letters.is_some_and(|letters| letters.len() <= LETTERS && !letters.starts_with('-'))
}

/// Groups added words into options with their values, settings and paths; what else is given is the task's own.
fn group_options<'w>(
    worked: &'w ShellCommand,
    new_words: &[(usize, &'w ShellWord)],
) -> Vec<Vec<&'w ShellWord>> {
    let is_option = |word: &ShellWord| word.text.starts_with('-');
    let is_shell = rules::is_script_runner(worked.program());
    let is_letter = |word: &ShellWord| is_listed("-s -x", &word.text) && !is_shell;
    let mut groups: Vec<Vec<&ShellWord>> = Vec::new();
    let mut last = 0;
    for (place, (at, word)) in new_words.iter().enumerate() {
        let sets = word.text.starts_with('+') || shell::parse_assignment(&word.text).is_some();
        // A program put before the whole command is no option of it.
        let Some(before) = at.checked_sub(1).map(|before| &worked.words[before]) else {
            continue;
        };
        let is_value = is_option(before) && *at > 1 && !is_option(word) && !sets;
        let has_value = new_words
            .get(place + 1)
            .is_some_and(|(next, value)| *next == at + 1 && !is_option(value));
        // `git commit -s` signs off, `shellcheck -x` follows, and `psql -h db` names a host.
        let counts = is_option(word) && (!is_idle(&word.text) || is_letter(word) || has_value);
        match groups.last_mut() {
            Some(group) if is_value && last + 1 == *at => group.push(word),
            _ if is_value => groups.push(vec![before, word]),
            _ if sets || counts || is_path(&word.text) => groups.push(vec![word]),
            _ => continue,
        }
        last = *at;
    }
    groups
}

/// Renders an option with its value, if both may be shown and it does more than change what is printed.
fn render_option(words: &[&ShellWord]) -> Option<String> {
    let words: Option<Vec<String>> = words.iter().map(|word| render_word(word)).collect();
    Some(words?.join(" ")).filter(|option| !only_reports(option))
}

/// Returns whether an option says of itself that it changes what is printed.
fn only_reports(option: &str) -> bool {
    const REPORTING: &str =
        "verbose quiet debug trace log loglevel verbosity progress color colors backtrace";
    let lower = option.to_lowercase();
    let mut parts = lower.split(|c: char| !c.is_alphanumeric());
    parts.any(|part| is_listed(REPORTING, part))
}

/// Returns whether nothing in the added words may not be advised with the command.
fn may_be_added(failed: &ShellCommand, new_words: &[&ShellWord]) -> bool {
    let label = failed.subcommand_indexes();
    let label = label.iter().map(|at| &failed.words[*at]);
    let words = std::iter::once(&failed.words[0]).chain(label);
    let added = new_words.iter().copied();
    safety::may_be_advised(&ShellCommand {
        words: words.chain(added).cloned().collect(),
        env: Vec::new(),
        ..failed.clone()
    })
}

/// Returns a word as a lesson may show it: as it is, or a place outside the project that is the same for everybody.
pub(super) fn render_word(word: &ShellWord) -> Option<String> {
    let plain = show::is_plain_word(word).then(|| word.raw.clone());
    let begin = word.text.find('=').map_or(0, |at| at + 1);
    let (name, value) = word.text.split_at(begin);
    plain.or_else(|| Some(format!("{name}{}", show::render_place(value)?)))
}

/// Returns the words of a command that another one has not, or not as often, each with its index.
fn words_not_in<'w>(
    other: &ShellCommand,
    command: &'w ShellCommand,
) -> Vec<(usize, &'w ShellWord)> {
    select_new(other, command.words.iter().enumerate())
}

/// Returns the same, but of a word that stands more often the first ones.
fn first_words_not_in<'w>(
    other: &ShellCommand,
    command: &'w ShellCommand,
) -> Vec<(usize, &'w ShellWord)> {
    let mut words = select_new(other, command.words.iter().enumerate().rev());
    words.reverse();
    words
}

fn select_new<'w>(
    other: &ShellCommand,
    words: impl Iterator<Item = (usize, &'w ShellWord)>,
) -> Vec<(usize, &'w ShellWord)> {
    let mut known = other.texts();
    let mut is_new = |word: &ShellWord| {
        let at = known.iter().position(|text| *text == word.text);
        at.map(|at| known.swap_remove(at)).is_none()
    };
    words.filter(|(_, word)| is_new(word)).collect()
}

/// Returns the word that alone was changed, as it was and as it worked: the value of an option, or a name that the error
/// names.
fn find_changed_value(
    failed: &ShellCommand,
    worked: &ShellCommand,
    error: &str,
) -> Option<(String, String)> {
    let (old_words, new_words) = (words_not_in(worked, failed), words_not_in(failed, worked));
    let ([(at, own)], [(to_at, other)]) = (old_words.as_slice(), new_words.as_slice()) else {
        return None;
    };
    let word_before = |command: &ShellCommand, at: usize| {
        let before = at.checked_sub(1)?;
        Some(command.words[before].text.clone())
    };
    let before = word_before(failed, *at);
    // Elsewhere in the line it may be another thing, but for the value of an option.
    let is_moved = at != to_at
        && (before != word_before(worked, *to_at)
            || !before
                .as_ref()
                .is_some_and(|before| before.starts_with('-')));
    if is_moved || failed.program() != worked.program() {
        return None;
    }
    let is_plain = show::is_plain_word(own) && show::is_plain_word(other);
    let option = |word: &ShellWord| {
        let (name, _) = word.text.split_once('=')?;
        name.starts_with('-').then(|| name.to_owned())
    };
    let is_advised = may_be_added(failed, &[other]);
    // Another verb does something else, but where the error objects to the first.
    let is_verb = *at == 1 || failed.subcommand_indexes().contains(at);
    let is_pattern = |word: &ShellWord| word.text.starts_with('-') || word.text.contains('*');
    let is_objected = || {
        let found = family::classify_error(error);
        let is_rule = matches!(found.family, FailureFamily::Rule | FailureFamily::Usage);
        found.subject == Some(own.text.as_str()) || is_rule && call::has_word(error, &own.text)
    };
    let is_word = !is_pattern(own) && !is_pattern(other) && (!is_verb || is_objected());
    // A typing error teaches nothing, but for one that the error corrects.
    let is_slip = alike::is_typo(&own.text, &other.text) && !call::has_word(error, &other.text);
    match (option(own), before.as_deref()) {
        _ if !is_advised => None,
        // What only got a mark at its end may be another value in another task: `-v …:Z`.
        (None, Some(name))
            if name.starts_with('-')
                && let Some(mark) = find_mark(&own.text, &other.text) =>
        {
            Some((format!("{name} …"), format!("{name} …{mark}")))
        }
        _ if !is_plain => None,
        (Some(name), _) if option(other) == Some(name.clone()) => {
            Some((own.text.clone(), other.text.clone()))
        }
        // A statement is one task's own.
        (None, Some(name)) if is_listed(STATEMENTS, name) => None,
        // So is a message, but for the mark that it begins with.
        (None, Some(name))
            if name.starts_with('-')
                && own.text.contains(' ')
                && shorten_message(&own.text).is_none()
                && let Some(marked) = shorten_message(&other.text) =>
        {
            Some((format!("{name} '…'"), format!("{name} '{marked}'")))
        }
        (None, Some(name)) if name.starts_with('-') && !other.text.starts_with('-') => Some((
            format!("{name} {}", own.raw),
            format!("{name} {}", other.raw),
        )),
        (None, Some(_)) if is_word && !is_slip => Some((own.raw.clone(), other.raw.clone())),
        _ => None,
    }
}

/// Returns what was added to a value, if it is a word of its own, no part of a path and too short for a secret.
fn find_mark<'v>(own: &str, other: &'v str) -> Option<&'v str> {
    const MARK_BYTES: usize = 4;
    let mark = other.strip_prefix(own)?;
    let is_word = (2..=MARK_BYTES).contains(&mark.len()) && !mark.contains(['/', '.', ' ']);
    (is_word && !mark.starts_with(|c: char| c.is_alphanumeric() || "-_".contains(c)))
        .then_some(mark)
}

/// Returns the failed program and what ran it, or what it was given: `docker compose exec app php` for `php`, `npx tsx` for
/// `node`, `.venv/bin/pip` for `pip`.
fn find_front(failed: &ShellCommand, worked: &ShellCommand) -> Option<(String, String)> {
    let (own, all) = (failed.texts(), worked.texts());
    let is_name = |at: usize| base_name(all[at]) == failed.program();
    let is_runner = peel_runners(worked).program() == failed.program();
    let goes_on = |at: usize| own.len() == 1 || all.get(at + 1) == own.get(1) || is_runner;
    let begins = |at: &usize| is_name(*at) && goes_on(*at);
    let front_length = (1..all.len().min(ADDED_WORDS + 1)).find(begins);
    let same_end = (own.len() > 1 && all.ends_with(&own[1..])).then(|| all.len() - (own.len() - 1));
    let is_other =
        all[0] != own[0] && (all[0].contains('/') || worked.program() != failed.program());
    let end = match (front_length, same_end) {
        (Some(at), _) => at + 1,
        (None, Some(at)) if at > 0 && is_other => at,
        _ => return None,
    };
    let front = &worked.words[..end];
    let (last, before) = front.split_last()?;
    let is_shown = before.iter().all(show::is_plain_word);
    let place = render_word(last).or_else(|| Some(format!("…/{}", base_name(&last.text))))?;
    let words = before.iter().map(|word| word.raw.clone()).chain([place]);
    let from = match front_length {
        Some(_) => own[0].trim_start_matches("./"),
        None => failed.program(),
    };
    let may_be_advised = safety::may_be_advised(&ShellCommand {
        words: front.to_vec(),
        ..worked.clone()
    });
    (is_shown && may_be_advised && end <= ADDED_WORDS + 1 && !is_listed(WRAPPING, worked.program()))
        .then(|| (from.to_owned(), words.collect::<Vec<_>>().join(" ")))
}

/// Returns the command of another program that was given the same operands: `bun add x` for `npm install x`.
fn find_other_program(failed: &ShellCommand, worked: &ShellCommand) -> Option<(String, String)> {
    let own = find_operands(failed, true);
    let other = Some(find_operands(worked, false)).filter(|words| !words.is_empty());
    let other = other.unwrap_or_else(|| find_operands(worked, true));
    // With the blank before it.
    let verb = |command: &ShellCommand| {
        let label = command.label();
        label.find(' ').map(|at| label[at..].to_owned())
    };
    let has_same_operands =
        other.iter().all(|word| own.contains(word)) && other.len() * 2 >= own.len();
    let (name, other_name) = (failed.program(), worked.program());
    let is_form = || name.ends_with(other_name) || other_name.ends_with(name);
    let is_same_work = has_same_operands && (!other.is_empty() || own.is_empty() && is_form());
    let to = verb(worked).unwrap_or_default();
    let to = format!("{}{to}", render_word(&worked.words[0])?);
    let is_own_word = failed.texts().contains(&worked.words[0].text.as_str());
    (failed.program() != worked.program()
        && !is_own_word
        && is_same_work
        && verb(failed).is_some() == verb(worked).is_some()
        && !is_listed(WRAPPING, worked.program())
        && safety::may_be_advised(worked))
    .then(|| (failed.label(), to))
}

/// Returns the module as a program where Python ran it: `python3 -m pip` is `pip`.
fn without_module_runner(command: &ShellCommand) -> Option<ShellCommand> {
    let is_module = shell::is_python(command.program()) && command.texts().get(1) == Some(&"-m");
    let words = command.words.get(2..)?.to_vec();
    (is_module && !words.is_empty()).then(|| ShellCommand {
        words,
        ..command.clone()
    })
}

/// Returns the words of a command that are no options and not its name, with or without the values of its options.
pub(super) fn find_operands(command: &ShellCommand, with_values: bool) -> Vec<&str> {
    let label = command.subcommand_indexes();
    let is_operand = |at: &usize| {
        let is_value = command.words[at - 1].text.starts_with('-');
        let is_option = command.words[*at].text.starts_with('-');
        !label.contains(at) && !is_option && (with_values || !is_value)
    };
    let places = (1..command.words.len()).filter(is_operand);
    places.map(|at| command.words[at].text.as_str()).collect()
}

fn join_words<'w>(words: impl Iterator<Item = &'w ShellWord>) -> String {
    let raw: Vec<&str> = words.map(|word| word.raw.as_str()).collect();
    raw.join(" ")
}
