//! The verbs that every door has, each written once.
//!
//! A verb is a type: its fields are what is sent, their comments what a model, a person and a program read about them. What it
//! is called, where it is and what it does stands beside them, in one file; the table is [`admit_all`]. A door takes them up in
//! its own way ([`VerbDoor`]): as tools, as rows of the REST API, as commands. Who asks, threads and rights are the door's.

pub mod feedback;
pub mod forget;
pub mod get;
pub mod list;
pub mod record;
pub mod search;

use hardwon_core::{
    BadComment, ClientName, Lesson, LessonContent, PreambleFormat, RawText, Requester, guard,
};
use hardwon_engine::{Desk, Error, RecallOutcome, RecallRequest, embed};
use hardwon_store::Moment;
use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// What is sent by name.
pub type Members = Map<String, Value>;

/// A verb: what is sent, and what it does with that.
pub trait Verb: Clone + DeserializeOwned + JsonSchema + ToSchema + Send + 'static {
    /// What it answers.
    type Reply: Serialize + JsonSchema + ToSchema;

    /// Its name, as a tool and as a command.
    const NAME: &'static str;
    /// What it does, in three words; without the article it names the operation of the REST API.
    const TITLE: &'static str;
    /// When to use it, for a model.
    const DESCRIPTION: &'static str;
    /// What else a program or a person should know.
    const DETAILS: &'static str = "";
    /// What it may do to lessons.
    const EFFECT: VerbEffect;
    /// Whether a client that shows tools only on demand should show it always.
    const IS_ALWAYS_SHOWN: bool = false;
    /// Where it is POSTed, if it is a verb of the REST API: `POST /v1/…`, with `{id}` for the lesson's number.
    const ROUTE: Option<&'static str> = None;
    /// Whether it is a command: `hardwon lesson NAME`.
    const IS_COMMAND: bool = false;

    /// Checks what was sent, before anything is opened.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    fn check(&self) -> Result<(), VerbError> {
        Ok(())
    }

    /// Does it.
    ///
    /// # Errors
    ///
    /// Why it was not done.
    fn run(self, call: &VerbCall<'_>) -> Result<Self::Reply, VerbError>;

    /// Returns the lesson that it says, if it says one: perhaps in words that a session has read from outside.
    fn content(&self) -> Option<LessonContent<RawText>> {
        None
    }

    /// Returns the lessons that an answer tells only the beginning of.
    fn cut_lessons(_: &Self::Reply) -> Vec<&Lesson> {
        Vec::new()
    }
}

/// What a verb may do to lessons. None reaches beyond the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerbEffect {
    /// It recalls some, and waits for no write.
    Recalls,
    /// It only looks.
    Reads,
    /// It adds something.
    Adds,
    /// It takes something out of use.
    Removes,
}

impl VerbEffect {
    /// Returns whether lessons may be others afterwards.
    pub fn is_change(self) -> bool {
        matches!(self, Self::Adds | Self::Removes)
    }
}

/// A door: it takes each verb up in its own way.
pub trait VerbDoor {
    /// Takes a verb up.
    fn admit<V: Verb>(&mut self);
}

/// Shows a door every verb, in the order in which clients list tools: what is used most first.
pub fn admit_all(door: &mut impl VerbDoor) {
    door.admit::<search::SearchRequest>();
    door.admit::<get::GetRequest>();
    door.admit::<record::RecordRequest>();
    door.admit::<feedback::FeedbackRequest>();
    door.admit::<list::ListRequest>();
    door.admit::<forget::ForgetRequest>();
}

/// One call, at the desk of whoever makes it.
pub struct VerbCall<'c> {
    /// The desk.
    pub desk: Desk<'c>,
    /// The name of the program that calls, if it has one.
    pub client: Option<&'c ClientName>,
    /// Takes what went wrong without spoiling the call.
    pub report: &'c dyn Fn(VerbError),
}

impl VerbCall<'_> {
    /// Recalls what fits a text, for an agent of these names, in this form of preamble or the policy's.
    ///
    /// That it cannot be noted what was shown is no reason to show nothing.
    ///
    /// # Errors
    ///
    /// If the lessons cannot be read.
    pub fn recall(
        &self,
        query: String,
        requester: Requester,
        limit: Option<usize>,
        format: Option<PreambleFormat>,
    ) -> Result<RecallOutcome, Error> {
        let scope = self.desk.principal().scope.clone();
        let request = RecallRequest {
            requester,
            limit,
            format,
            client: self.client.cloned(),
            moment: Moment::Requested,
            ..RecallRequest::new(scope, RawText::from(query))
        };
        let recall = self.desk.explain_recall(&request)?;
        if let Some(trouble) = &recall.embedding_error {
            (self.report)(VerbError::Refused {
                field: "query",
                message: embed::explain_fallback(trouble),
                hint: None,
            });
        }
        if let Err(error) = self.desk.record_recall(&request, &recall) {
            (self.report)(error.into());
        }
        Ok(recall)
    }
}

/// Why a verb was not carried out.
#[derive(Debug)]
pub enum VerbError {
    /// What was sent cannot be met as it is.
    Refused {
        /// The member that is wrong.
        field: &'static str,
        /// Why.
        message: String,
        /// What to do instead.
        hint: Option<&'static str>,
    },
    /// The desk did not do it.
    Desk(Error),
}

impl VerbError {
    fn refuse(field: &'static str, message: impl Into<String>, hint: &'static str) -> Self {
        Self::Refused {
            field,
            message: message.into(),
            hint: Some(hint),
        }
    }
}

impl From<Error> for VerbError {
    fn from(error: Error) -> Self {
        Self::Desk(error)
    }
}

/// Checks that a remark may be kept; `words` is what to call it.
fn check_comment(field: &'static str, words: &str, remark: &str) -> Result<(), VerbError> {
    guard::check_comment(remark).map_err(|bad| {
        let hint = match bad {
            BadComment::TooLong { .. } => "say it in a sentence",
            BadComment::Suspicious(_) => "say what happened, in plain words",
        };
        VerbError::refuse(field, format!("{words} {bad}"), hint)
    })
}

/// Returns the schema of what is sent.
pub fn request_schema<V: Verb>() -> Members {
    build_schema::<V>(SchemaSettings::draft2020_12())
}

/// Returns the schema of what is answered.
pub fn reply_schema<V: Verb>() -> Members {
    build_schema::<V::Reply>(SchemaSettings::draft2020_12().for_serialize())
}

/// Makes a schema of a type, with nothing in it that a model has no use for: a client may put all of
/// it into every prompt, and some know no `uint32`.
fn build_schema<T: JsonSchema>(settings: SchemaSettings) -> Members {
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
        _ => Members::new(),
    }
}

/// Reads a request. A text is read as what the member is, where that is no text: small models put numbers in quotes and
/// lists into one text, and what is typed is text.
///
/// # Errors
///
/// What is wrong with it; the words may quote what was sent.
pub fn parse_request<V: Verb>(mut members: Members) -> serde_json::Result<V> {
    let schema = request_schema::<V>();
    for (name, value) in &mut members {
        let Value::String(text) = &*value else {
            continue;
        };
        let property = schema.get("properties").and_then(|all| all.get(name));
        let type_name = property.and_then(|property| property.get("type"));
        if let Some(fitting) = type_name.and_then(|type_name| fit_text(type_name, text)) {
            *value = fitting;
        }
    }
    serde_json::from_value(Value::Object(members))
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
    fn a_text_is_read_as_what_the_member_is() {
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
