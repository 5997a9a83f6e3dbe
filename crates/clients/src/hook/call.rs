//! A tool call in a payload, and the session event it becomes.

use std::borrow::Cow;

use hardwon_core::{RawText, ToolCall, limits, outside};
use hardwon_engine::SessionEventKind;
use serde::Deserialize;

use crate::transcript::{ReportedOutcome, live, text::prefix_within, tool};

/// A call of a tool.
pub(crate) struct PayloadCall<'a> {
    /// The client's id of the call, if it has one.
    pub(crate) id: Option<&'a str>,
    /// The tool's name, as the agent calls it.
    pub(crate) tool: &'a str,
    /// Its arguments as JSON.
    pub(crate) args: &'a str,
    /// Whether the client says that the tool belongs to another machine or program.
    pub(crate) is_remote: bool,
}

/// The keys under which clients put a sub-agent's task.
#[derive(Deserialize)]
struct TaskArgs<'a> {
    #[serde(borrow, default)]
    prompt: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    message: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    task: Option<Cow<'a, str>>,
}

impl<'a> PayloadCall<'a> {
    /// Makes a call on this machine.
    pub(crate) fn new(id: Option<&'a str>, tool: &'a str, args: &'a str) -> Self {
        Self {
            id,
            tool,
            args,
            is_remote: false,
        }
    }

    /// Makes the event before the call; `None` for our own tools.
    pub(crate) fn calling_event(&self) -> Option<SessionEventKind> {
        let (call, tool, args) = self.event_parts()?;
        Some(SessionEventKind::BeforeCall {
            call_id: call,
            tool,
            args: args.into(),
            delegates: self.delegated_task(),
        })
    }

    /// Returns the task that the call gives to a sub-agent, if it starts one.
    fn delegated_task(&self) -> Option<RawText> {
        let is_starter = outside::is_delegating_call(self.tool, self.args);
        let task_args: TaskArgs<'_> = serde_json::from_str(self.args)
            .ok()
            .filter(|_| is_starter)?;
        let task = task_args.prompt.or(task_args.message).or(task_args.task)?;
        Some(live::bound_text(&task))
    }

    /// Makes the event after the call; `None` for our own tools, and if it never ran.
    pub(crate) fn called_event(&self, outcome: ReportedOutcome<'_>) -> Option<SessionEventKind> {
        let (call, tool, args) = self.event_parts()?;
        let is_outside = self.is_remote || tool::is_outside_tool(self.tool, &args, true);
        let output = outcome.printed().map(|text| text.into_owned().into());
        let tool_call = ToolCall {
            turn: 0,
            tool,
            outside: is_outside.then(|| SessionEventKind::outside_words(output.as_ref())),
            status: outcome.status(self.tool, &args)?,
            args: args.into(),
        };
        Some(SessionEventKind::AfterCall {
            call_id: call,
            tool_call,
            output,
            written: outside::writes_files(self.tool, self.args)
                .then(|| RawText::from(prefix_within(self.args, limits::OUTSIDE_TEXT_BYTES))),
        })
    }

    fn event_parts(&self) -> Option<(Option<String>, RawText, String)> {
        if self.tool.trim().is_empty() || is_own_tool(self.tool) {
            return None;
        }
        let id = self.id.filter(|id| !id.is_empty());
        Some((
            id.map(|id| live::bound_name(id).to_owned()),
            live::bound_name(self.tool).into(),
            tool::args_from_json(self.tool, self.args),
        ))
    }
}

/// Returns whether a tool is one of our own server's, in the spelling of any client.
///
/// `mcp__lessons__search`, `mcp__plugin_hardwon_lessons__search`, `mcp_lessons_search`, `lessons_search`,
/// `lessons-search`, `MCP:lessons:search`.
pub(crate) fn is_own_tool(tool: &str) -> bool {
    const SERVER: &str = "lessons";
    const TOOLS: [&str; 6] = ["search", "get", "record", "feedback", "list", "forget"];
    const BETWEEN: [char; 5] = ['_', '-', ':', '/', '.'];
    let name = tool.trim().to_ascii_lowercase();
    let of = |tool: &&str| name.strip_suffix(*tool);
    let is_server = |before: &str| {
        let server = before.trim_end_matches(BETWEEN);
        let server_name = server.strip_prefix("mcp").unwrap_or(server);
        let inner = server_name.trim_start_matches(BETWEEN);
        let in_plugin = inner.starts_with("plugin") && inner.ends_with("_lessons");
        server.len() < before.len() && (inner == SERVER || in_plugin)
    };
    TOOLS.iter().filter_map(of).any(is_server)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_tools_are_known_in_every_spelling() {
        for (tool, expected) in [
            ("mcp__lessons__search", true),
            ("mcp__plugin_hardwon_lessons__record", true),
            ("mcp_lessons_feedback", true),
            ("lessons_get", true),
            ("lessons-list", true),
            ("lessons__forget", true),
            ("MCP:lessons:search", true),
            ("mcp__github__search", false),
            ("mcp__my_lessons__search", false),
            ("lessonssearch", false),
            ("lessons_export", false),
            ("search", false),
            ("Bash", false),
            ("", false),
        ] {
            assert_eq!(is_own_tool(tool), expected, "{tool}");
        }
    }
}
