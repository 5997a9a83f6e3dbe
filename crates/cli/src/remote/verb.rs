//! Has the server that keeps the lessons carry out a verb, at its path of the REST API, with the rights of the key.
//!
//! The texts are without secrets before they leave.

use std::time::Duration;

use hardwon_adapters::{ServerClient, ServerTrouble};
use hardwon_api::v1::verbs::Members;
use serde_json::Value;

use super::{follow, send};
use crate::{CliError, RemotePlace, Result};

/// How long the server may take.
const LIMIT: Duration = Duration::from_secs(20);
/// Most rounds of telling what was read from outside.
const TELLING_ROUNDS: usize = 8;

/// Carries a verb out at the server, for the agent and the project of a place, and returns what was answered.
pub fn forward(place: &RemotePlace, route: &str, mut members: Members) -> Result<Value> {
    let number = members.remove("id").unwrap_or_default();
    let number = number.as_str().unwrap_or_default();
    let path = route.trim_start_matches("POST ");
    let path = path.replace("{id}", number.trim_start_matches('#'));
    let mut body = redact_texts(Value::Object(members));
    body["agent_id"] = place.agent.as_ref().map(|agent| agent.as_str()).into();
    body["project"] = place.scope.project_name().into();
    let client = place.connect()?;
    tell_outside(place, &client).map_err(|trouble| describe_trouble(&trouble))?;
    let body = body.to_string();
    let answer = client.post_with(&path, &[], &body, LIMIT);
    let answer = answer.map_err(|trouble| describe_trouble(&trouble))?;
    // What was written is in the copy some seconds later.
    drop(follow::keep_following(place));
    serde_json::from_str(&answer)
        .map_err(|_| CliError::internal("the server's answer is not that of a hardwon server"))
}

/// Tells the server what was read from outside, if it waits to be told: that goes first.
pub fn tell_outside(place: &RemotePlace, client: &ServerClient) -> Result<(), ServerTrouble> {
    for _ in 0..TELLING_ROUNDS {
        if !place.spool().has_outside() {
            return Ok(());
        }
        send::send_next(place, client)?;
    }
    Ok(())
}

/// Takes secrets out of all texts of a value; the names of members are the verb's own.
pub fn redact_texts(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(hardwon_redact::redact(&text).into_owned()),
        Value::Array(list) => list.into_iter().map(redact_texts).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (name, redact_texts(value)))
            .collect(),
        other => other,
    }
}

/// Says why the server did not do it.
pub fn describe_trouble(trouble: &ServerTrouble) -> CliError {
    let message = format!("the server that keeps the lessons: {trouble}");
    match trouble {
        ServerTrouble::Unreachable(_) | ServerTrouble::Busy { .. } => {
            CliError::internal(message).with_hint("look whether it was done before you try again")
        }
        ServerTrouble::Denied(_) | ServerTrouble::KeyRefused(_) | ServerTrouble::Refused(_) => {
            CliError::bad_input(message)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_secret_leaves() {
        let sent = json!({"text": "with token=hunter2hunter2hunter2x9", "tags": ["password=hunter2"], "id": 3});
        let sent = redact_texts(sent).to_string();
        assert!(
            !sent.contains("hunter2") && sent.contains(r#""id":3"#),
            "{sent}"
        );
    }
}
