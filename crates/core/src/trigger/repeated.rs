//! Tells whether a lesson says no more than the message of the failure at which it would be shown.
//!
//! "Read the file first" at "File has not been read yet. Read it first" tells nobody anything. What the lesson names and
//! the call had not must all stand in the message; a lesson that names nothing new is compared by the words of what it
//! says to do, and what it says of a part of the call must be named in the message too. Which of several things that the
//! message lets choose between is news. Before the call, where there is no message yet, the same lesson is worth its place.

use crate::{lesson::LessonContent, shell::is_listed, trace::call::ParsedCall};

/// Words that say nothing about what to do, or only not to do what failed.
const EMPTY: &str = "a an the it its this that these those is are was be and or of to in on at for by with so as then first \
    before again later instead not no do does use leave out rest works worked other another command program tool way here one \
    once them else install call";

/// Returns whether a lesson only repeats what a failed call printed.
pub fn only_repeats(content: &LessonContent, call: &ParsedCall, error: &str) -> bool {
    let text = content.text.as_str();
    let told = split_words(error);
    let head = content.signature.as_str().split(" (").next();
    let head = split_words(head.unwrap_or_default());
    let mut called = split_words(&call.args_text());
    called.extend(split_words(&call.tool));
    called.extend(head.iter().cloned());
    let spans = text.split('`').skip(1).step_by(2);
    let named: Vec<String> = spans.flat_map(split_words).collect();
    let is_told = |word: &String| head.contains(word) || told.contains(word);
    let mut new_words = named.iter().filter(|word| !called.contains(word));
    if new_words.clone().next().is_some() {
        return new_words.all(|word| told.contains(word))
            && !list_choices(error).any(|choices| chooses(&named, &choices));
    }
    let is_said = |word: &String| {
        is_listed(EMPTY, word)
            || called.contains(word)
            || told.iter().any(|said| is_form_of(said, word))
    };
    !told.is_empty()
        && named.iter().all(is_told)
        && split_words(text.split_once(". ").map_or(text, |(_, advice)| advice))
            .iter()
            .all(is_said)
}

/// Returns whether some of these words and not all are named.
fn chooses(named: &[String], choices: &[String]) -> bool {
    let mut choices = choices.iter().map(|choice| named.contains(choice));
    let first = choices.next();
    choices.any(|is_named| Some(is_named) != first)
}

/// Returns what each part of a message lets choose between: `a, b or c` in `give --to (a, b or c)`.
fn list_choices(error: &str) -> impl Iterator<Item = Vec<String>> {
    let parts = error.split(['(', ')', '[', ']', '{', '}', '<', '>', ':', ';', '\n']);
    parts.filter_map(|part| {
        let part = part.replace(" or ", ",");
        let items = part.split([',', '|']).map(split_words);
        let items: Vec<Vec<String>> = items.filter(|item| !item.is_empty()).collect();
        let (first, others) = items.split_first()?;
        let is_list = others.iter().any(|item| item.len() == 1);
        is_list.then(|| {
            let others = others.iter().filter_map(|item| item.first());
            first.last().into_iter().chain(others).cloned().collect()
        })
    })
}

/// Returns the words of a text in lower case, those of commands and options whole.
fn split_words(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || "-_./@:+".contains(c);
    let words = text.split(|c: char| !is_part(c));
    let words = words.map(|word| word.trim_end_matches(['.', ':', '-']));
    words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Returns whether two words are forms of one: `write` and `writing`.
fn is_form_of(one: &str, other: &str) -> bool {
    const STEM: usize = 4;
    let shared = one
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let longer = one.chars().count().max(other.chars().count());
    one == other || shared >= STEM && longer - shared <= 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        event::{CallStatus, ToolCall},
        text::CleanText,
        trace::call::parse_call,
    };

    #[test]
    fn what_the_message_says_itself_is_no_news() {
        let clean = |text: &str| CleanText::from_stored(text.to_owned());
        for (signature, text, args, error, expected) in [
            (
                "edit (File has not been read yet)",
                "`edit` refuses a file that was not read in this session. Read the file first, then edit or write it.",
                "{\"file_path\":\"a\"}",
                "File has not been read yet. Read it first before writing to it.",
                true,
            ),
            (
                "read (file is too large)",
                "`read` refuses a file that is too large to read whole. Pass `offset` and `limit` to read a part, or search in it.",
                "{\"file_path\":\"a\"}",
                "File content exceeds maximum allowed tokens. Please use offset and limit parameters to read specific portions",
                true,
            ),
            (
                "kiln (no glaze given)",
                "`kiln` without `--glaze` fails with *no glaze given, use --glaze to name one*. Add `--glaze`; with it the same command worked.",
                "kiln fire a",
                "kiln: no glaze given, use --glaze to name one",
                true,
            ),
            (
                "cat (unknown option -A)",
                "`cat` does not know `-A` here. Leave `-A` out, or use another command.",
                "cat -A a",
                "error: unexpected argument '-A' found",
                true,
            ),
            // The message does not name the option as it was typed.
            (
                "cat (unknown option -A)",
                "`cat` does not know `-A` here. Leave `-A` out, or use another command.",
                "grep x a | cat -A",
                "cat: illegal option -- A",
                false,
            ),
            // The message does not say where to look, which value it takes, or which program knows it.
            (
                "edit (String to replace not found in file)",
                "`edit` did not find its text in the file. Read those lines again and copy them exactly, white space included.",
                "{\"old_string\":\"a\"}",
                "String to replace not found in file.",
                false,
            ),
            (
                "kiln (no glaze given)",
                "`kiln` without `--glaze blue` fails with *no glaze given, use --glaze*. Add `--glaze blue`; with it the same command worked.",
                "kiln fire a",
                "kiln: no glaze given, use --glaze to name one",
                false,
            ),
            // Of several things it does not say which one works, unless the lesson names them all.
            (
                "bin/deploy (--region is required)",
                "`bin/deploy` without `--region eu-west-1` fails with *--region is required*. Add `--region eu-west-1`.",
                "bin/deploy staging",
                "deploy: --region is required (eu-west-1 or us-east-1)",
                false,
            ),
            (
                "kiln (invalid value for --glaze)",
                "`kiln` without `--glaze blue` fails. Add `--glaze blue`; with it the same command worked.",
                "kiln fire a",
                "error: --glaze is needed, choose from 'red', 'blue', 'green'",
                false,
            ),
            (
                "kiln (invalid value for --glaze)",
                "`kiln` needs a glaze. Add `--glaze` with one of `red`, `blue`.",
                "kiln fire a",
                "error: --glaze is needed [red|blue]",
                true,
            ),
            (
                "rtk (unrecognized subcommand 'bun')",
                "`rtk` before `bun` fails with *unrecognized subcommand 'bun'*. Run `bun` without it.",
                "rtk bun run test",
                "error: unrecognized subcommand 'bun'",
                false,
            ),
        ] {
            let content = LessonContent::new(clean(signature), clean(text));
            let tool = if args.starts_with('{') {
                "Edit"
            } else {
                "Bash"
            };
            let call = parse_call(&ToolCall {
                turn: 0,
                tool: clean(tool),
                args: clean(args),
                status: CallStatus::Ok,
                outside: None,
            });
            assert_eq!(only_repeats(&content, &call, error), expected, "{text}");
        }
    }
}
