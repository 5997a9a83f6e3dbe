//! A run as a chat of the form that model APIs have.

use serde_json::{Value, json};

/// A run: what was asked, what the agent said and called, and how it ended.
#[derive(Debug, Default)]
pub(super) struct Chat {
    messages: Vec<Value>,
    reward: Option<f64>,
    calls: usize,
}

impl Chat {
    pub(super) fn add_task(&mut self, text: &str) {
        self.messages.push(json!({"role": "user", "content": text}));
    }

    pub(super) fn add_thought(&mut self, text: &str) {
        let message = json!({"role": "assistant", "content": text});
        self.messages.push(message);
    }

    /// Adds a call with its result; `has_failed` is what the benchmark says of it, if it does.
    pub(super) fn add_call(
        &mut self,
        tool: &str,
        args: &str,
        result: &Value,
        has_failed: Option<bool>,
    ) {
        self.calls += 1;
        let id = format!("call-{}", self.calls);
        let function = json!({"name": tool, "arguments": args});
        let call = json!({"id": id, "function": function});
        let block = json!({
            "type": "tool_result",
            "tool_use_id": id,
            "content": result,
            "is_error": has_failed,
        });
        self.messages.extend([
            json!({"role": "assistant", "content": "", "tool_calls": [call]}),
            json!({"role": "user", "content": [block]}),
        ]);
    }

    pub(super) fn set_end(&mut self, has_succeeded: bool) {
        self.reward = Some(f64::from(u8::from(has_succeeded)));
    }

    /// Renders the chat on one line.
    pub(super) fn render(&self) -> String {
        let mut chat = json!({"messages": self.messages});
        if let Some(reward) = self.reward {
            chat["reward"] = json!(reward);
        }
        format!("{chat}\n")
    }
}
