//! Compares a failed command with one that worked, word by word, whatever failure it was.
//!
//! What stands in only one of the two is the change: options, words that set something, or [what runs it](super::runner).
//! Whether it was the remedy is not known here: two runs that made the same change tell. Only what was added
//! is judged, because only that is advised.

use super::{
    alike, rearranged,
    rules::{self, options::is_idle},
    runner,
};
use crate::{
    Difference, ShellCommand, ShellWord,
    capture::show::{self, render_word},
    safety,
    shell::{base_name, is_listed},
    trace::{
        call,
        family::{self, FailureFamily},
    },
};

/// Most options that may be added to a command.
const ADDED_OPTIONS: usize = 6;
/// Most words that may be left out of it: an option and its value.
const REMOVED_WORDS: usize = 2;

/// Options whose value is what the task wants to be run.
const STATEMENTS: &str = "-c -e -Q --command --execute --eval --query --sql";

/// Finds what a working command has that the failed one had not: the whole first, then each of its options.
pub(super) fn find_changes(
    failed: &ShellCommand,
    worked: &ShellCommand,
    error: &str,
) -> Vec<Difference> {
    let command = failed.program().to_owned();
    if let Some((from, to)) = find_changed_value(failed, worked, error) {
        let items = find_new_items(&from, &to).into_iter();
        // Another task marks its messages with another word.
        let form = find_mark_form(&to);
        let all = std::iter::once(to).chain(items).chain(form);
        let with_option = |added| Difference::Options {
            command: command.clone(),
            removed: vec![from.clone()],
            added: vec![added],
        };
        return all.map(with_option).collect();
    }
    let mut changes = rearranged::list_left_out(failed, worked);
    changes.extend(rearranged::find_moved_option(failed, worked));
    if !changes.is_empty() {
        return changes;
    }
    match find_other_options(failed, worked) {
        Some(changed) => list_options(failed, worked, changed),
        None => runner::find_other_runner(failed, worked),
    }
}

/// Lists what was added: all of it, then each option, as two tasks may have given it, last without its value.
fn list_options(
    failed: &ShellCommand,
    worked: &ShellCommand,
    ChangedOptions { removed, added }: ChangedOptions,
) -> Vec<Difference> {
    let with_options = |removed: Option<String>, added: String| Difference::Options {
        command: failed.program().to_owned(),
        removed: removed.into_iter().collect(),
        added: vec![added],
    };
    // Two tasks give two files of theirs beside an option that they share.
    let has_path = added.iter().any(|word| is_path(word));
    let is_one = added.len() == 1;
    let whole = (!has_path).then(|| added.join(" "));
    let files = Vec::from_iter(added.iter().filter_map(|option| without_folder(option)));
    let names = added.iter();
    let names = names.filter_map(|option| without_value(failed, worked, option));
    let others = Vec::from_iter(files.into_iter().chain(names));
    // What ends the options, or stands for what is piped, says nothing alone, nor does the only one that took another's place.
    let is_all = removed.is_some() && is_one;
    let options = added
        .into_iter()
        .filter(|option| !is_all && !is_listed("-- -", option));
    let steps = whole
        .into_iter()
        .map(|added| with_options(removed.clone(), added));
    let each = options.chain(others).map(|added| with_options(None, added));
    let mut steps: Vec<Difference> = steps.chain(each).collect();
    steps.dedup();
    steps
}

/// Returns a new option without its value, if two tasks may well give it two: an amount (`--memory-limit=…`), or what stands
/// before all else and so is the program's own (`psql -h …`).
fn without_value(failed: &ShellCommand, worked: &ShellCommand, option: &str) -> Option<String> {
    let is_setting = option.contains('=');
    let (name, value) = option.rsplit_once(if is_setting { '=' } else { ' ' })?;
    let own = name.rsplit(' ').next().filter(|_| name.starts_with('-'))?;
    let is_it = |text: &str| text.split('=').next() == Some(own);
    let is_first = worked.words[1].text == name && !is_path(value);
    let may_differ = is_first || show::is_amount(name, value);
    (may_differ && !failed.has_arg(is_it) && !is_listed(STATEMENTS, name))
        .then(|| format!("{}…", &option[..=name.len()]))
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

/// The words by which messages of commits name their kind, in whatever project.
pub(in crate::capture) const CHANGE_KINDS: &str =
    "feat fix chore docs test refactor build ci perf style revert";

/// Returns an option with a message whose mark has blanks for its words: `-m '…: …'` for `-m 'docks: …'`.
fn find_mark_form(option: &str) -> Option<String> {
    let (name, mark) = option.split_once(" '")?;
    let mark = mark.strip_suffix(" …'")?;
    let parts = mark.split_inclusive(|c: char| !c.is_alphabetic());
    let form = parts.map(|part| {
        let letters = part.trim_end_matches(|c: char| !c.is_alphabetic());
        let is_kept = letters.is_empty() || letters == "N" || is_listed(CHANGE_KINDS, letters);
        let blank = if is_kept { letters } else { "…" };
        format!("{blank}{}", &part[letters.len()..])
    });
    let form = form.collect::<String>();
    (form != mark).then(|| format!("{name} '{form} …'"))
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
    let mut old_words = words_not_in(worked, failed);
    // What only talks took no place.
    old_words.retain(|(_, word)| !is_idle(&word.text));
    let is_option = |(_, word): &(usize, &ShellWord)| word.text.starts_with('-');
    let is_shown = |(_, word): &(usize, &ShellWord)| render_word(word).is_some();
    let is_left_out = old_words.len() <= REMOVED_WORDS
        && old_words.first().is_some_and(is_option)
        && old_words.iter().all(is_shown);
    // Of a word that stands twice (`psql -U shop shop`) either may be the new one, of which one is a value.
    let ways = [first_words_not_in, words_not_in];
    let ways = ways.map(|way| group_new_options(failed, worked, way(failed, worked)));
    let count_words = |groups: &Vec<Vec<_>>| groups.iter().map(Vec::len).sum::<usize>();
    let groups = ways.into_iter().max_by_key(count_words)?.into_iter();
    let groups = groups.filter(|words| may_be_added(failed, words));
    let added = Vec::from_iter(groups.filter_map(|words| render_option(&words)));
    let removed = is_left_out.then(|| join_words(old_words.iter().map(|(_, word)| *word)));
    (1..=ADDED_OPTIONS)
        .contains(&added.len())
        .then_some(ChangedOptions { removed, added })
}

/// Groups new words into options. Behind another subcommand they are that one's, but for those with a value.
fn group_new_options<'w>(
    failed: &ShellCommand,
    worked: &'w ShellCommand,
    new_words: Vec<(usize, &'w ShellWord)>,
) -> Vec<Vec<&'w ShellWord>> {
    let verbs = failed.subcommand_indexes();
    let mut verbs = verbs.iter().map(|at| failed.words[*at].text.as_str());
    let is_same = verbs.all(|verb| worked.texts().contains(&verb));
    let mut groups = group_options(worked, &new_words);
    let has_name = |words: &[&ShellWord]| {
        let value = words.get(1).map_or("", |value| &value.text);
        words[0].text.starts_with("--") && value.contains(char::is_alphabetic)
    };
    groups.retain(|words| is_same || has_name(words));
    groups
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
    for (at, word) in new_words {
        let sets = word.text.starts_with('+') || sets_name(&word.text);
        // A program put before the whole command is no option of it.
        let Some(before) = at.checked_sub(1).map(|before| &worked.words[before]) else {
            continue;
        };
        let is_open =
            is_option(before) && !before.text.contains('=') && !before.text.starts_with("--no-");
        // Behind a letter a setting is its value: `-c core.pager=cat`.
        let is_set = !before.text.starts_with("--") && is_option(before);
        let is_value = is_open && *at > 1 && !is_option(word) && (!sets || is_set);
        // `git commit -s` signs off, `shellcheck -x` follows.
        let counts = is_option(word) && (!is_idle(&word.text) || is_letter(word));
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

/// Returns whether a word gives a name a value: `PORT=80`, `data.workers=0`.
fn sets_name(text: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_.".contains(c))
    };
    text.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// Renders an option with its value, if both may be shown and it does more than change what is printed.
fn render_option(words: &[&ShellWord]) -> Option<String> {
    let words: Option<Vec<String>> = words.iter().map(|word| render_word(word)).collect();
    Some(words?.join(" ")).filter(|option| !only_reports(option))
}

/// Returns whether an option says of itself that it changes what is printed, or how much. Its value may be anything's name:
/// `-C Debug`.
fn only_reports(option: &str) -> bool {
    const REPORTING: &str =
        "verbose quiet debug trace log loglevel verbosity progress color colors backtrace json";
    const LISTING: &str = "--state --limit --sort --fields --columns --page --jq";
    let lower = option.to_lowercase();
    let (name, value) = lower.rsplit_once([' ', '=']).unwrap_or((&lower, ""));
    let mut parts = name.split(|c: char| !c.is_alphanumeric());
    is_listed(LISTING, name) || value == "json" || parts.any(|part| is_listed(REPORTING, part))
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
    let ([(at, own)], [(_, other)]) = (old_words.as_slice(), new_words.as_slice()) else {
        return None;
    };
    let before = at.checked_sub(1);
    let before = before.map(|before| failed.words[before].text.clone());
    if failed.program() != worked.program() {
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

/// Returns the settings that are new in the list that an option is given: `-to …name=oak…` of `-to 'os=elm,name=oak'`.
fn find_new_items(own: &str, other: &str) -> Vec<String> {
    let items = |option: &str| {
        let (name, list) = option.split_once(' ').unwrap_or_default();
        let list = list.trim_matches(['\'', '"']).split(',');
        let items = list.filter(|item| item.contains('='));
        let items = items.map(|item| format!("{name} …{item}…"));
        items.collect::<Vec<String>>()
    };
    let mut new = items(other);
    new.retain(|item| !items(own).contains(item));
    new
}

/// Returns what was added to a value, if it is a word of its own, no part of a path and too short for a secret.
fn find_mark<'v>(own: &str, other: &'v str) -> Option<&'v str> {
    const MARK_BYTES: usize = 4;
    let mark = other.strip_prefix(own)?;
    let is_word = (2..=MARK_BYTES).contains(&mark.len()) && !mark.contains(['/', '.', ' ']);
    (is_word && !mark.starts_with(|c: char| c.is_alphanumeric() || "-_".contains(c)))
        .then_some(mark)
}

fn join_words<'w>(words: impl Iterator<Item = &'w ShellWord>) -> String {
    let raw: Vec<&str> = words.map(|word| word.raw.as_str()).collect();
    raw.join(" ")
}
