//! The tools: each verb that every door has, and how a call goes through it.
//!
//! What went wrong is told as a result, with what to do about it, because an error of the protocol is
//! seldom shown to the model.

use std::sync::Arc;

use hardwon_api::v1::verbs::{self, Members, Verb, VerbDoor, VerbEffect};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Tool, ToolAnnotations};
use serde_json::Value;

use crate::{CallContext, McpError, Result, context::at_desk, lesson_view};

/// What a tool answers: a value, and pointers to what would be too long.
#[derive(Debug)]
pub(crate) struct ToolReply {
    value: Value,
    links: Vec<ContentBlock>,
}

/// A verb as a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolRow {
    name: &'static str,
    define: fn() -> Tool,
    pub(crate) run: fn(&dyn CallContext, Members) -> Result<ToolReply>,
}

struct ToolTable(Vec<ToolRow>);

impl VerbDoor for ToolTable {
    fn admit<V: Verb>(&mut self) {
        self.0.push(ToolRow {
            name: V::NAME,
            define: define_tool::<V>,
            run: run_tool::<V>,
        });
    }
}

fn list_rows() -> Vec<ToolRow> {
    let mut table = ToolTable(Vec::new());
    verbs::admit_all(&mut table);
    table.0
}

/// Describes every tool.
pub(crate) fn list_tools() -> Vec<Tool> {
    list_rows().iter().map(|row| (row.define)()).collect()
}

/// Finds a tool by its name.
pub(crate) fn find_tool(name: &str) -> Option<ToolRow> {
    list_rows().into_iter().find(|row| row.name == name)
}

/// Makes the result of a call: the value as it is, and once more as text for clients that know no
/// values.
pub(crate) fn to_result(answer: Result<ToolReply>, may_link: bool) -> CallToolResult {
    match answer {
        Ok(reply) => {
            let mut result = CallToolResult::structured(reply.value);
            if may_link {
                result.content.extend(reply.links);
            }
            result
        }
        Err(failure) => CallToolResult::error(vec![ContentBlock::text(lesson_view::render_error(
            &failure,
        ))]),
    }
}

fn define_tool<V: Verb>() -> Tool {
    let reads = !V::EFFECT.is_change();
    let annotations = ToolAnnotations::new()
        .read_only(reads)
        .destructive(V::EFFECT == VerbEffect::Removes)
        .idempotent(reads)
        .open_world(false);
    let tool = Tool::new(V::NAME, V::DESCRIPTION, verbs::request_schema::<V>())
        .with_title(V::TITLE)
        .with_raw_output_schema(Arc::new(verbs::reply_schema::<V>()))
        .with_annotations(annotations);
    if V::IS_ALWAYS_SHOWN {
        let mut meta = MetaObject::new();
        meta.0
            .insert("anthropic/alwaysLoad".to_owned(), Value::Bool(true));
        return tool.with_meta(meta);
    }
    tool
}

fn run_tool<V: Verb>(context: &dyn CallContext, arguments: Members) -> Result<ToolReply> {
    let request: V = verbs::parse_request(arguments.clone()).map_err(|error| {
        let (name, error) = (V::NAME, hardwon_redact::quote_error(&error));
        McpError::refused(format!("invalid arguments for {name}: {error}"))
            .with_hint("correct the arguments and call it again")
    })?;
    if V::EFFECT.is_change()
        && let Some(answer) = context.forward_call(V::NAME, &arguments)
    {
        let links = Vec::new();
        return answer.map(|value| ToolReply { value, links });
    }
    request.check()?;
    let content = request.content();
    let reply = at_desk(context, V::EFFECT, content.as_ref(), |call| {
        request.run(call)
    })?;
    let links = V::cut_lessons(&reply).into_iter();
    Ok(ToolReply {
        links: links.map(lesson_view::lesson_link).collect(),
        value: serde_json::to_value(&reply)
            .map_err(|error| McpError::fault(format!("writing JSON: {error}")))?,
    })
}
