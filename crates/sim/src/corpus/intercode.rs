//! InterCode results: for each task the actions and the observations as two lists, and for each action whether the
//! environment could run it.

use serde_json::Value;

use super::chat::Chat;

/// Reads one task, or all tasks of an object or a list; `None` if there is none.
pub(super) fn read_tasks(value: &Value) -> Option<Vec<Chat>> {
    let tasks: Vec<&Value> = match value {
        one if is_task(one) => vec![one],
        Value::Object(map) => map.values().collect(),
        Value::Array(list) => list.iter().collect(),
        _ => Vec::new(),
    };
    let chats: Vec<Chat> = tasks.into_iter().filter_map(read_task).collect();
    (!chats.is_empty()).then_some(chats)
}

fn is_task(value: &Value) -> bool {
    value.pointer("/turn_history/actions").is_some()
}

fn read_task(task: &Value) -> Option<Chat> {
    let turns = &task["turn_history"];
    let actions = turns["actions"].as_array()?;
    let environment = task["environment"].as_str().unwrap_or_default();
    let tool = match environment.strip_prefix("ic_").unwrap_or(environment) {
        "" | "ctf" => "bash",
        name => name,
    };
    let mut chat = Chat::default();
    chat.add_task(task["query"].as_str().unwrap_or_default());
    for (at, action) in actions.iter().enumerate() {
        let can_run = turns["valid_action"][at].as_bool();
        let args = action.as_str().unwrap_or_default();
        let result = &turns["observations"][at];
        chat.add_call(tool, args, result, can_run.map(|can_run| !can_run));
    }
    if let Some(reward) = task["summary"]["max_reward"].as_f64() {
        chat.set_end(reward >= 1.0);
    }
    Some(chat)
}
