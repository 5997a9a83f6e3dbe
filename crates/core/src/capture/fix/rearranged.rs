//! Compares a failed command with one that worked and has nothing new: the same words in another order, or fewer flags.
//!
//! Whether it was the remedy is not known here: two runs that did the same tell.

use std::iter;

use super::rules::options::is_idle;
use crate::{Difference, ShellCommand, capture::show::render_word};

/// Returns the option that stands nearer to the program in the working one of two commands with the same words.
pub(super) fn find_moved_option(
    failed: &ShellCommand,
    worked: &ShellCommand,
) -> Option<Difference> {
    let (own, other) = (failed.texts(), worked.texts());
    let mut places = 1..own.len().min(other.len());
    let to = places.find(|at| own[*at] != other[*at])?;
    let option = other[to];
    let from = to + own[to..].iter().position(|text| *text == option)?;
    // It may have a value.
    let is_move = |words: &usize| {
        let mut moved = own.clone();
        moved[to..from + words].rotate_right(*words);
        moved == other
    };
    let longest = 2.min(own.len() - from);
    (1..=longest)
        .find(is_move)
        .filter(|_| option.starts_with('-'))?;
    let verbs = worked.words[1..to].iter().map(render_word);
    let behind: Option<Vec<String>> = iter::once(Some(worked.program().to_owned()))
        .chain(verbs)
        .collect();
    Some(Difference::Order {
        behind: behind?.join(" "),
        option: option.split('=').next().unwrap_or(option).to_owned(),
    })
}

/// Lists the flags that only the failed one of two commands with the same operands has, of letters each by itself.
pub(super) fn list_left_out(failed: &ShellCommand, worked: &ShellCommand) -> Vec<Difference> {
    let (own, other) = (list_flags(failed), list_flags(worked));
    let is_less = other.iter().all(|flag| own.contains(flag)) && own.len() <= other.len() + 2;
    let is_same = failed.texts()[0] == worked.texts()[0];
    let gone = own
        .iter()
        .filter(|flag| !other.contains(flag) && !is_idle(flag));
    let gone = gone.filter(|_| is_less && is_same && failed.operands() == worked.operands());
    let without = |flag: &String| Difference::Options {
        command: failed.program().to_owned(),
        removed: vec![flag.clone()],
        added: Vec::new(),
    };
    gone.map(without).collect()
}

/// Returns the flags of a command, of letters each by itself: `-i` and `-t` of `-it`.
pub(super) fn list_flags(command: &ShellCommand) -> Vec<String> {
    let is_letters =
        |flag: &str| flag.len() <= 4 && flag[1..].bytes().all(|byte| byte.is_ascii_lowercase());
    let flags = command.flags().into_iter();
    let each = flags.flat_map(|flag| match flag {
        flag if is_letters(flag) => {
            let letters = flag[1..].chars();
            letters.map(|letter| format!("-{letter}")).collect()
        }
        flag => vec![flag.to_owned()],
    });
    each.collect()
}
