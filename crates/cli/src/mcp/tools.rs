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

use rmcp::{
    model::{CallToolResult, ContentBlock, JsonObject, MetaObject, Tool, ToolAnnotations},
    schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{Caller, told};
use crate::{error::Failure, input};

/// A tool: its arguments, and what it does with them.
trait Call: DeserializeOwned + JsonSchema + 'static {
    /// What it answers.
    type Answer: Serialize + JsonSchema + 'static;

    const NAME: &'static str;
    const TITLE: &'static str;
    /// When to use it, for a model.
    const DESCRIPTION: &'static str;
    const EFFECT: Effect;
    /// Whether a client that shows tools only on demand should show it always.
    const IS_ALWAYS_SHOWN: bool = false;

    fn run(self, caller: &Caller) -> Result<Reply<Self::Answer>, Failure>;
}

/// What a tool may do to lessons. None of them reaches beyond the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// It only looks.
    Reads,
    /// It adds something.
    Adds,
    /// It takes something out of use.
    Removes,
}

/// What a tool answers: a value, and pointers to what would be too long.
#[derive(Debug)]
pub(super) struct Reply<T> {
    value: T,
    links: Vec<ContentBlock>,
}

impl<T> From<T> for Reply<T> {
    fn from(value: T) -> Self {
        Self {
            value,
            links: Vec::new(),
        }
    }
}

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    name: &'static str,
    define: fn() -> Tool,
    run: fn(&Caller, JsonObject) -> Result<Reply<Value>, Failure>,
}

/// The tools in the order in which clients list them, what is used most first.
const TABLE: [Row; 6] = [
    Row::of::<search::Search>(),
    Row::of::<get::Get>(),
    Row::of::<record::Record>(),
    Row::of::<feedback::Feedback>(),
    Row::of::<list::List>(),
    Row::of::<forget::Forget>(),
];

impl Row {
    const fn of<C: Call>() -> Self {
        Self {
            name: C::NAME,
            define: define::<C>,
            run: run::<C>,
        }
    }

    /// Carries out one call.
    pub(super) fn run(
        self,
        caller: &Caller,
        arguments: JsonObject,
    ) -> Result<Reply<Value>, Failure> {
        (self.run)(caller, arguments)
    }
}

/// Describes every tool.
pub(super) fn all() -> Vec<Tool> {
    TABLE.iter().map(|row| (row.define)()).collect()
}

/// Finds a tool by its name.
pub(super) fn find(name: &str) -> Option<Row> {
    TABLE.into_iter().find(|row| row.name == name)
}

/// Makes the result of a call: the value as it is, and once more as text for clients that know no
/// values.
pub(super) fn result(answer: Result<Reply<Value>, Failure>, may_link: bool) -> CallToolResult {
    match answer {
        Ok(reply) => {
            let mut result = CallToolResult::structured(reply.value);
            if may_link {
                result.content.extend(reply.links);
            }
            result
        }
        Err(failure) => CallToolResult::error(vec![ContentBlock::text(told::trouble(&failure))]),
    }
}

fn define<C: Call>() -> Tool {
    let reads = C::EFFECT == Effect::Reads;
    let annotations = ToolAnnotations::new()
        .read_only(reads)
        .destructive(C::EFFECT == Effect::Removes)
        .idempotent(reads)
        .open_world(false);
    let settings = SchemaSettings::draft2020_12();
    let output = schema::<C::Answer>(settings.clone().for_serialize());
    let tool = Tool::new(C::NAME, C::DESCRIPTION, schema::<C>(settings))
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
fn schema<T: JsonSchema>(settings: SchemaSettings) -> JsonObject {
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

fn run<C: Call>(caller: &Caller, arguments: JsonObject) -> Result<Reply<Value>, Failure> {
    let call: C = serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        Failure::input(format!(
            "invalid arguments for {}: {}",
            C::NAME,
            input::quotable(&error)
        ))
        .hint("correct the arguments and call it again")
    })?;
    let reply = call.run(caller)?;
    let value = serde_json::to_value(reply.value)
        .map_err(|error| Failure::fault(format!("writing JSON: {error}")))?;
    Ok(Reply {
        value,
        links: reply.links,
    })
}
