//! The tools: one table, and how a call goes through it.
//!
//! A tool is a type: its fields are the arguments, their comments what a model reads about them. What
//! went wrong is told as a result, with what to do about it, because an error of the protocol is
//! seldom shown to the model.

mod feedback;
mod forget;
mod get;
mod list;
mod record;
mod search;

use std::{fmt::Debug, sync::Arc};

use hardwon_api::v1::{
    lesson::{
        agent::{ForgetRequest, GetRequest, ListRequest},
        new::RecordRequest,
    },
    outcome::FeedbackRequest,
    recall::search::SearchRequest,
};
use rmcp::{
    model::{CallToolResult, ContentBlock, JsonObject, MetaObject, Tool, ToolAnnotations},
    schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{McpError, caller::McpCaller, lesson_view};

/// A tool: its arguments, and what it does with them.
trait McpTool: DeserializeOwned + JsonSchema + 'static {
    /// What it answers.
    type Answer: Serialize + JsonSchema + 'static;

    const NAME: &'static str;
    const TITLE: &'static str;
    /// When to use it, for a model.
    const DESCRIPTION: &'static str;
    const EFFECT: ToolEffect;
    /// Whether a client that shows tools only on demand should show it always.
    const IS_ALWAYS_SHOWN: bool = false;

    fn run(self, caller: McpCaller<'_>) -> Result<ToolReply<Self::Answer>, McpError>;
}

/// What a tool may do to lessons. None of them reaches beyond the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ToolEffect {
    /// It only looks.
    Reads,
    /// It adds something.
    Adds,
    /// It takes something out of use.
    Removes,
}

/// What a tool answers: a value, and pointers to what would be too long.
#[derive(Debug)]
pub(crate) struct ToolReply<T> {
    value: T,
    links: Vec<ContentBlock>,
}

impl<T> From<T> for ToolReply<T> {
    fn from(value: T) -> Self {
        Self {
            value,
            links: Vec::new(),
        }
    }
}

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolRow {
    name: &'static str,
    define: fn() -> Tool,
    run: fn(McpCaller<'_>, JsonObject) -> Result<ToolReply<Value>, McpError>,
}

/// The tools in the order in which clients list them, what is used most first.
const TOOL_TABLE: [ToolRow; 6] = [
    ToolRow::for_tool::<SearchRequest>(),
    ToolRow::for_tool::<GetRequest>(),
    ToolRow::for_tool::<RecordRequest>(),
    ToolRow::for_tool::<FeedbackRequest>(),
    ToolRow::for_tool::<ListRequest>(),
    ToolRow::for_tool::<ForgetRequest>(),
];

impl ToolRow {
    const fn for_tool<C: McpTool>() -> Self {
        Self {
            name: C::NAME,
            define: define_tool::<C>,
            run: run_tool::<C>,
        }
    }

    /// Carries out one call.
    pub(crate) fn run(
        self,
        caller: McpCaller<'_>,
        arguments: JsonObject,
    ) -> Result<ToolReply<Value>, McpError> {
        (self.run)(caller, arguments)
    }
}

/// Describes every tool.
pub(crate) fn list_tools() -> Vec<Tool> {
    TOOL_TABLE.iter().map(|row| (row.define)()).collect()
}

/// Finds a tool by its name.
pub(crate) fn find_tool(name: &str) -> Option<ToolRow> {
    TOOL_TABLE.into_iter().find(|row| row.name == name)
}

/// Makes the result of a call: the value as it is, and once more as text for clients that know no
/// values.
pub(crate) fn to_result(
    answer: Result<ToolReply<Value>, McpError>,
    may_link: bool,
) -> CallToolResult {
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

fn define_tool<C: McpTool>() -> Tool {
    let reads = C::EFFECT == ToolEffect::Reads;
    let annotations = ToolAnnotations::new()
        .read_only(reads)
        .destructive(C::EFFECT == ToolEffect::Removes)
        .idempotent(reads)
        .open_world(false);
    let settings = SchemaSettings::draft2020_12();
    let output = build_schema::<C::Answer>(settings.clone().for_serialize());
    let tool = Tool::new(C::NAME, C::DESCRIPTION, build_schema::<C>(settings))
        .with_title(C::TITLE)
        .with_raw_output_schema(Arc::new(output))
        .with_annotations(annotations);
    if C::IS_ALWAYS_SHOWN {
        let mut meta = MetaObject::new();
        meta.0
            .insert("anthropic/alwaysLoad".to_owned(), Value::Bool(true));
        return tool.with_meta(meta);
    }
    tool
}

/// Makes a schema of a type, with nothing in it that a model has no use for: a client may put all of
/// it into every prompt, and some know no `uint32`.
fn build_schema<T: JsonSchema>(settings: SchemaSettings) -> JsonObject {
    let plain = |schema: &mut Schema| {
        schema.remove("format");
    };
    let settings = settings
        .with(|settings| settings.meta_schema = None)
        .with_transform(RecursiveTransform(plain));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.remove("description");
    match schema.to_value() {
        Value::Object(schema) => schema,
        // A type that takes anything or nothing; no struct does.
        _ => JsonObject::new(),
    }
}

fn run_tool<C: McpTool>(
    caller: McpCaller<'_>,
    arguments: JsonObject,
) -> Result<ToolReply<Value>, McpError> {
    let arguments = fit_arguments(
        &build_schema::<C>(SchemaSettings::draft2020_12()),
        arguments,
    );
    let copy = (C::EFFECT != ToolEffect::Reads).then(|| arguments.clone());
    let call: C = serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        McpError::refused(format!(
            "invalid arguments for {}: {}",
            C::NAME,
            hardwon_redact::quote_error(&error)
        ))
        .with_hint("correct the arguments and call it again")
    })?;
    if let Some(answer) = copy.and_then(|copy| caller.forward_call(C::NAME, &copy)) {
        return answer.map(ToolReply::from);
    }
    let reply = call.run(caller)?;
    let value = serde_json::to_value(reply.value)
        .map_err(|error| McpError::fault(format!("writing JSON: {error}")))?;
    Ok(ToolReply {
        value,
        links: reply.links,
    })
}

/// Reads each text where the tool takes something else: small models put numbers in quotes, and lists into one text.
fn fit_arguments(schema: &JsonObject, mut arguments: JsonObject) -> JsonObject {
    for (name, value) in &mut arguments {
        let Value::String(text) = &*value else {
            continue;
        };
        let property = schema.get("properties").and_then(|all| all.get(name));
        let type_name = property.and_then(|property| property.get("type"));
        if let Some(fitting) = type_name.and_then(|type_name| fit_text(type_name, text)) {
            *value = fitting;
        }
    }
    arguments
}

/// Returns a text as the type that is taken; `None` if a text is taken, or it is none of that type.
fn fit_text(taken: &Value, text: &str) -> Option<Value> {
    let is_taken = |name: &str| match taken {
        Value::String(only) => only == name,
        Value::Array(several) => several.iter().any(|several| several == name),
        _ => false,
    };
    if is_taken("string") {
        return None;
    }
    // A lesson is shown as `#14`.
    let text = text.trim().trim_start_matches('#');
    if is_taken("array") {
        let parts = text.split(',').map(str::trim);
        let items = || {
            parts
                .filter(|part| !part.is_empty())
                .map(Value::from)
                .collect()
        };
        return Some(serde_json::from_str(text).unwrap_or_else(|_| Value::Array(items())));
    }
    let number: Value = serde_json::from_str(text).ok()?;
    let is_number = number.is_number() && (is_taken("integer") || is_taken("number"));
    let is_truth = number.is_boolean() && is_taken("boolean");
    (is_number || is_truth).then_some(number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_read_as_what_the_tool_takes() {
        for (taken, text, expected) in [
            (json!("integer"), "3", Some(json!(3))),
            (json!(["integer", "null"]), " 3 ", Some(json!(3))),
            (json!("integer"), "#14", Some(json!(14))),
            (json!("integer"), "three", None),
            (json!("integer"), "true", None),
            (json!("boolean"), "true", Some(json!(true))),
            (json!("string"), "3", None),
            (json!(["array", "null"]), "a, b,", Some(json!(["a", "b"]))),
            (json!("array"), r#"["a"]"#, Some(json!(["a"]))),
        ] {
            assert_eq!(fit_text(&taken, text), expected, "{taken} {text}");
        }
    }
}
