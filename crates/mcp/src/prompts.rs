//! The prompts, which clients offer as commands: `reflect` and `preflight`.
//!
//! No line of them begins with `/lesson`: what a client puts into a conversation may be read for
//! writs, and an example would be carried out.

use hardwon_api::v1::verbs::VerbEffect;
use hardwon_core::Requester;
use hardwon_redact::redact;
use rmcp::{
    ErrorData,
    model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role},
};
use serde_json::Value;

use crate::{CallContext, Result, context::at_desk, lesson_view::unknown_name};

const REFLECT_TEXT: &str = "Look back over this session and record what was learned the hard way.

Take only what cost more than one try and will come up again: a command that fails here and the one \
that works, a wrong belief about this code, a correction by the user. What went well at once is no \
lesson, and neither is what only this task needed.

For each, call the tool `record` with
- signature: the command or the words of the error that should call it up again,
- text: what to do or avoid, in one to three imperative sentences,
- situation and mistake, where they add something.
Without that tool, write a line of its own for each: `/lesson`, a blank, the signature, a colon, a \
blank, the text.

Call `search` before, and record nothing that is there already; of a lesson that helped or was wrong, \
say `feedback`. Write no secrets, no names of people and no paths of this machine. If there was \
nothing to learn, say so and record nothing.";

/// A prompt that was asked for.
#[derive(Debug)]
pub(crate) enum PromptRequest {
    /// Look back.
    Reflect {
        /// What to look at, if that was said.
        focus: Option<String>,
    },
    /// Look ahead.
    Preflight {
        /// What is to be done.
        task: String,
    },
}

/// Describes the prompts.
pub(crate) fn list_prompts() -> Vec<Prompt> {
    let argument = |name: &str, description: &str, is_required| {
        let argument = PromptArgument::new(name);
        vec![
            argument
                .with_description(description)
                .with_required(is_required),
        ]
    };
    vec![
        Prompt::new(
            "reflect",
            Some("Distil this session into lessons."),
            Some(argument("focus", "What to look at in particular.", false)),
        )
        .with_title("Reflect on this session"),
        Prompt::new(
            "preflight",
            Some("Bring up the known pitfalls of a task before it is begun."),
            Some(argument("task", "What you are about to do.", true)),
        )
        .with_title("Known pitfalls of a task"),
    ]
}

impl PromptRequest {
    /// Reads which prompt is asked for, or says that it cannot be.
    pub(crate) fn parse(name: &str, arguments: &JsonObject) -> Result<Self, ErrorData> {
        match name {
            "reflect" => Ok(Self::Reflect {
                focus: text_argument(arguments, "focus")?,
            }),
            "preflight" => {
                let task = text_argument(arguments, "task")?;
                let missing =
                    || ErrorData::invalid_params("preflight needs the argument task", None);
                Ok(Self::Preflight {
                    task: task.ok_or_else(missing)?,
                })
            }
            other => Err(unknown_name("prompt", other)),
        }
    }

    /// Words the prompt.
    pub(crate) fn render(self, context: &dyn CallContext) -> Result<GetPromptResult> {
        let text = match self {
            Self::Reflect { focus: None } => REFLECT_TEXT.to_owned(),
            Self::Reflect { focus: Some(focus) } => {
                format!("{REFLECT_TEXT}\n\nLook at this in particular: {focus}")
            }
            Self::Preflight { task } => render_preflight(context, task)?,
        };
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]))
    }
}

fn render_preflight(context: &dyn CallContext, task: String) -> Result<String> {
    let query = task.clone();
    let recall = at_desk(context, VerbEffect::Recalls, None, |call| {
        call.recall(query, Requester::default(), None, None)
    })?;
    // A preamble trusts the store for holding no secrets.
    let preamble = redact(&recall.preamble.text);
    let lessons = match preamble.trim_end() {
        "" => "No lesson is known that fits this task.",
        known => known,
    };
    Ok(format!(
        "{lessons}\n\nTask: {task}\n\nBefore you begin, say in a line for each lesson above whether it \
         applies here and what you will do about it. Then begin."
    ))
}

/// Takes an argument that is a text; one that is blank was not given.
fn text_argument(arguments: &JsonObject, name: &str) -> Result<Option<String>, ErrorData> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.trim().is_empty())),
        Some(_) => Err(ErrorData::invalid_params(
            format!("the argument {name} must be a text"),
            None,
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_holds_no_writ() {
        assert!(hardwon_core::writ::parse(REFLECT_TEXT).is_empty());
    }
}
