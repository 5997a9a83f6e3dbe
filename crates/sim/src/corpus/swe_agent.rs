//! SWE-agent: `.traj` files, one document of steps, messages and the exit status. No field says whether a step failed.

use serde_json::Value;

use super::chat::Chat;

/// The agent's own commands. Everything else is a command line.
#[rustfmt::skip]
const COMMANDS: &[&str] = &[
    "open", "goto", "scroll_up", "scroll_down", "create", "edit", "insert", "find_file", "search_dir", "search_file", "submit",
    "str_replace_editor", "undo_edit", "filemap",
];
/// What stands around the issue in the prompts that the agent's templates make.
const FRAMES: &[(&str, &str)] = &[
    ("\nISSUE:\n", "\nINSTRUCTIONS:"),
    ("<pr_description>", "</pr_description>"),
];

/// Reads a trajectory; `None` if it is none.
pub(super) fn read_trajectory(value: &Value) -> Option<Chat> {
    let steps = value["trajectory"].as_array()?;
    let first = steps.first()?;
    if !first["action"].is_string() || first.get("observation").is_none() {
        return None;
    }
    let mut chat = Chat::default();
    chat.add_task(&find_task(&value["history"]));
    for step in steps {
        let action = step["action"].as_str().unwrap_or_default().trim();
        if action.is_empty() {
            continue;
        }
        chat.add_thought(step["thought"].as_str().unwrap_or_default());
        let word = action.split_whitespace().next().unwrap_or_default();
        let tool = if COMMANDS.contains(&word) {
            word
        } else {
            "bash"
        };
        chat.add_call(tool, action, &step["observation"], None);
    }
    if let Some(status) = value["info"]["exit_status"].as_str() {
        chat.set_end(status == "submitted");
    }
    Some(chat)
}

/// Finds the issue in the first message of a user that is no demonstration.
fn find_task(history: &Value) -> String {
    let mut messages = history.as_array().into_iter().flatten();
    let task = messages.find(|message| message["role"] == "user" && message["is_demo"] != true);
    let content = task.map_or(&Value::Null, |message| &message["content"]);
    let prompt = content.as_str().or_else(|| content[0]["text"].as_str());
    let prompt = prompt.unwrap_or_default();
    let mut issues = FRAMES.iter().filter_map(|(begin, end)| {
        let (_, inner) = prompt.split_once(begin)?;
        Some(inner.split_once(end)?.0.trim())
    });
    issues.next().unwrap_or(prompt).to_owned()
}
