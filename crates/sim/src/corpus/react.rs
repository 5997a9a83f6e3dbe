//! ReAct traces as text: `Thought`, `Action` and `Observation` lines, numbered or not.
//!
//! An action is `Tool[argument]`, or a name with an `Action Input` line. Each `Question` begins a run. `Finish` is no call
//! but the end, and its observation may say whether the answer was right.

use super::chat::Chat;

const LABELS: &[&str] = &[
    "Question",
    "Thought",
    "Action Input",
    "Action",
    "Observation",
    "Final Answer",
];

/// Returns whether a text is such a trace: it has thoughts, actions and observations.
pub(super) fn is_trace(text: &str) -> bool {
    let has = |name: &str| {
        let mut lines = text.lines().filter_map(split_label);
        lines.any(|(label, _)| label == name)
    };
    ["Thought", "Action", "Observation"].into_iter().all(has)
}

/// Reads the runs of a trace.
pub(super) fn read_trace(text: &str) -> Vec<Chat> {
    let mut chats = Vec::new();
    let mut action: Option<(String, String)> = None;
    for (label, words) in split_parts(text) {
        if label == "Question" {
            let mut chat = Chat::default();
            chat.add_task(words.lines().next().unwrap_or_default());
            chats.push(chat);
            action = None;
        }
        let Some(chat) = chats.last_mut() else {
            continue;
        };
        match label {
            "Thought" => chat.add_thought(&words),
            "Action" => action = Some(parse_action(words.trim())),
            "Action Input" => {
                if let Some((_, args)) = &mut action {
                    words.trim().clone_into(args);
                }
            }
            "Observation" => read_observation(chat, action.take(), &words),
            "Final Answer" => chat.set_end(true),
            _ => {}
        }
    }
    chats
}

/// Splits a line such as `Action 3: words` into its label and text.
fn split_label(line: &str) -> Option<(&'static str, &str)> {
    let (before, words) = line.split_once(':')?;
    let name = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let label = LABELS.iter().find(|label| **label == name)?;
    Some((label, words.trim()))
}

/// Splits a trace into labels with their texts; a line between two trials ends a text.
fn split_parts(text: &str) -> Vec<(&'static str, String)> {
    let mut parts: Vec<(&'static str, String)> = Vec::new();
    for line in text.lines() {
        if let Some((label, words)) = split_label(line) {
            parts.push((label, words.to_owned()));
        } else if line.starts_with("===") || line.starts_with("---") {
            parts.push(("", String::new()));
        } else if let Some((_, words)) = parts.last_mut() {
            words.push('\n');
            words.push_str(line);
        }
    }
    parts
}

/// Parses `Tool[argument]`, or a bare name.
fn parse_action(text: &str) -> (String, String) {
    let (name, args) = text.split_once('[').unwrap_or((text, ""));
    let args = args.trim_end();
    let args = args.strip_suffix(']').unwrap_or(args);
    let name = name.lines().next().unwrap_or_default().trim();
    (name.to_owned(), args.to_owned())
}

fn read_observation(chat: &mut Chat, action: Option<(String, String)>, text: &str) {
    let Some((name, args)) = action.filter(|(name, _)| !name.is_empty()) else {
        return;
    };
    if !name.eq_ignore_ascii_case("finish") {
        return chat.add_call(&name, &args, &text.into(), None);
    }
    let verdict = text.trim().to_ascii_lowercase();
    let begins = |starts: &[&str]| starts.iter().any(|start| verdict.starts_with(start));
    if begins(&["answer is incorrect", "incorrect", "wrong"]) {
        chat.set_end(false);
    } else if begins(&["answer is correct", "correct", "episode finished"]) {
        chat.set_end(true);
    }
}
