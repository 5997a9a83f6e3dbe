//! Finds commands that delete data which nothing brings back, or the traces of what was done.
//!
//! Whatever the program, its words name an act and its object: `delete-db-snapshot`, `DROP SCHEMA`, `sinks delete`. A
//! file within the project is its own affair.

use super::{Deed, named_lines::NamedLine, tables::TABLES};
use crate::{
    ShellCommand, ShellLine, safety, safety::Setting, shell::is_listed, tokens::split_name_words,
};

pub(super) const DELETES: Deed = Deed::grave("would delete data that nothing brings back");
const HIDES: Deed = Deed::grave("would remove the traces of what was done");

pub(super) fn judge_line(line: &ShellLine, _: &NamedLine<'_>) -> Option<Deed> {
    line.commands.iter().find_map(judge_command)
}

fn judge_command(command: &ShellCommand) -> Option<Deed> {
    // To these every word is a text or a file.
    const READERS: &str = "echo printf cat grep rg ag sed awk git gh";
    if safety::find_settings(command).any(keeps_no_history) {
        return Some(HIDES);
    }
    if is_listed("rm shred truncate unlink", command.program()) {
        return find_removed_file(command);
    }
    if is_listed(READERS, command.program()) {
        return None;
    }
    let texts = command.texts().into_iter();
    let words = texts.flat_map(str::split_whitespace).map(|word| {
        let name = Some(word).filter(|word| is_verb_or_name(word));
        name.map(split_name_words).unwrap_or_default()
    });
    let words: Vec<Vec<String>> = words.collect();
    (0..words.len()).find_map(|at| judge_verb(&words, at))
}

fn is_verb_or_name(word: &str) -> bool {
    !word.contains(['/', '.', '=']) || word.contains('(')
}

/// Returns the deed of a verb that ends something, by the object in its own name, in the word before it, or in the one
/// behind it: `delete-trail`, `volume rm`, `DROP SCHEMA`.
fn judge_verb(words: &[Vec<String>], at: usize) -> Option<Deed> {
    let verb = &words[at];
    let is_one_of = |list: &str| verb.iter().any(|part| TABLES.lists(list, part));
    // A short one is told a name: `compose rm db`.
    let takes_kind = verb.iter().any(|part| part.len() > 2);
    let near = &words[at.saturating_sub(1)..words.len().min(at + 1 + usize::from(takes_kind))];
    let names = |list: &str| near.iter().flatten().any(|part| TABLES.lists(list, part));
    let ends = is_one_of("ends");
    if ends && (names("data") || ends_all_rows(&words[at..])) {
        return Some(DELETES);
    }
    ((ends || is_one_of("pauses")) && names("traces")).then_some(HIDES)
}

/// Returns whether words of SQL delete without saying which.
fn ends_all_rows(words: &[Vec<String>]) -> bool {
    let mut parts = words.iter().flatten();
    let starts = parts.next().is_some_and(|word| word == "delete")
        && parts.next().is_some_and(|word| word == "from");
    // `WHERE 1=1` is all of them.
    starts && (parts.all(|word| word != "where") || parts.next().is_none())
}

/// Returns the deed of removing files outside the project by what their paths name.
fn find_removed_file(command: &ShellCommand) -> Option<Deed> {
    let is_outside = |path: &&str| path.starts_with(['/', '~', '$']);
    let paths = command.arg_texts().filter(is_outside);
    let parts: Vec<String> = paths.flat_map(split_name_words).collect();
    let names = |list: &str| parts.iter().any(|part| TABLES.lists(list, part));
    if names("traces") {
        return Some(HIDES);
    }
    names("data").then_some(DELETES)
}

/// Returns whether a setting has a shell forget what was typed.
fn keeps_no_history(setting: Setting<'_>) -> bool {
    is_listed("HISTFILE HISTSIZE HISTFILESIZE", setting.name)
        && is_listed("/dev/null 0 ''", setting.value.unwrap_or("''"))
}
