//! Removes what only wraps a command: assignments, `sudo`, `timeout 10`, the keywords of a block.
//!
//! Scripts within a command (`bash -c`) are handled in another module.

use super::base_name;
use crate::{Join, ShellCommand, ShellWord};

const OPENERS: [&str; 7] = ["do", "then", "else", "elif", "if", "!", "time"];

pub(super) fn peel_wrappers(command: &mut ShellCommand) {
    loop {
        let Some(first) = command.words.first() else {
            return;
        };
        let name = base_name(&first.text).to_owned();
        if let Some((variable, value)) = parse_assignment(&first.text) {
            command.env.push((variable.to_owned(), value.to_owned()));
            command.words.remove(0);
        } else if OPENERS.contains(&name.as_str()) {
            command.is_condition |= matches!(name.as_str(), "if" | "elif");
            if matches!(name.as_str(), "else" | "elif") {
                command.join = Join::Or;
            }
            command.words.remove(0);
        } else if first.raw.starts_with('$')
            && command.words.get(1).is_some_and(|word| word.raw == "=")
        {
            // `$x = tool` of PowerShell.
            command.words.drain(..2);
        } else if name == "sudo" && command.words.len() > 1 {
            // As another user it has that one's rights, and not those of root.
            let texts = command.texts();
            command.sudo = texts[1] != "-u" || texts.get(2) == Some(&"root");
            drop_wrapper(&mut command.words, &["-u", "-g", "-h", "-p"], 0);
        } else if name == "timeout" && command.words.len() > 2 {
            drop_wrapper(&mut command.words, &["-k", "-s"], 1);
        } else if name == "nice" && command.words.len() > 1 {
            drop_wrapper(&mut command.words, &["-n"], 0);
        } else if matches!(
            name.as_str(),
            "env" | "nohup" | "exec" | "stdbuf" | "setsid"
        ) && command.words.len() > 1
        {
            drop_wrapper(&mut command.words, &["-u"], 0);
        } else if name == "command"
            && command
                .words
                .get(1)
                .is_some_and(|word| !word.text.starts_with('-'))
        {
            command.words.remove(0);
        } else {
            return;
        }
    }
}

/// Removes a wrapper, its options and `operands` operands from the front.
fn drop_wrapper(words: &mut Vec<ShellWord>, valued: &[&str], operands: usize) {
    let mut end = 1;
    while let Some(word) = words.get(end) {
        if valued.contains(&word.text.as_str()) {
            end += 2;
        } else if word.text.starts_with('-') {
            end += 1;
        } else {
            break;
        }
    }
    end = (end + operands).min(words.len());
    words.drain(..end);
}

/// Reads a word that sets a variable, `TZ=UTC`, as its name and value.
pub(crate) fn parse_assignment(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let all = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (starts && all).then_some((name, value))
}
