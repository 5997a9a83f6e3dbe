//! The verbs that other doors have too ([`hardwon_api::v1::verbs`]): each that has a path becomes a row as those written here.
//!
//! A body holds what the verb takes but for the number in the path, and may name the agent and the project beside. Members that
//! are not known are passed over.

use axum::extract::{FromRequest, FromRequestParts as _};
use hardwon_api::v1::verbs::{self, Members, Verb, VerbCall, VerbDoor, VerbError};
use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{Content, Ref, RefOr, ResponseBuilder, Schema, schema::Object},
};

use super::{
    prelude::*,
    verb::{Input, JSON, VerbForm},
};
use crate::{SharedState, door::find_desk, log::log_line};

pub(super) fn verbs() -> Vec<VerbRow> {
    let mut rows = VerbRows(Vec::new());
    verbs::admit_all(&mut rows);
    rows.0
}

struct VerbRows(Vec<VerbRow>);

impl VerbDoor for VerbRows {
    fn admit<V: Verb>(&mut self) {
        let Some(route) = V::ROUTE else { return };
        let (kind, right) = if V::EFFECT.is_change() {
            (Write, Capability::Learn)
        } else {
            (Read, Capability::Recall)
        };
        let row = verb(route, kind, answer::<V>).needs(right);
        self.0.push(row.describe(describe::<V>));
    }
}

/// Names the operation after what it does: `judge_lesson` judges a lesson.
fn describe<V: Verb>(form: &mut VerbForm) {
    let operation = &mut form.operation;
    operation.summary = Some(format!("{}.", V::TITLE));
    operation.description = Some(V::DETAILS.to_owned()).filter(|text| !text.is_empty());
    operation.operation_id = Some(
        V::TITLE
            .to_lowercase()
            .replace(" a ", "_")
            .replace(' ', "_"),
    );
    let reply = ResponseBuilder::new().content(JSON, form.add_json::<V::Reply>());
    form.add_answer(200, reply, &read_object::<V::Reply>().0);
}

/// Returns what the comment on a type says, in a sentence, and its members.
fn read_object<T: PartialSchema>() -> (String, Object) {
    let RefOr::T(Schema::Object(object)) = T::schema() else {
        return Default::default();
    };
    let doc = object.description.clone().unwrap_or_default();
    (doc.trim_end_matches('.').to_owned(), object)
}

/// Whose lessons a request is about.
#[derive(Debug, Deserialize, ToSchema)]
struct RequestNames {
    /// The agent whose word it is; if absent the key's, else the server's default.
    agent_id: Option<String>,
    /// The project that it works in.
    project: Option<String>,
}

/// What is sent for a verb.
struct VerbInput<V> {
    request: V,
    names: RequestNames,
    /// The lesson that the path names, if it names one.
    lesson: Option<LessonId>,
}

impl<V: Verb> FromRequest<SharedState> for VerbInput<V> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &SharedState) -> Result<Self> {
        let (mut parts, body) = request.into_parts();
        let has_number = V::ROUTE.is_some_and(|route| route.contains("{id}"));
        let lesson = if has_number {
            Some(LessonNumber::from_request_parts(&mut parts, state).await?.0)
        } else {
            None
        };
        let request = Request::from_parts(parts, body);
        let JsonBody(mut members) = JsonBody::<Members>::from_request(request, state).await?;
        let names = serde_json::from_value(members.clone().into()).map_err(refuse_body)?;
        let schema = Value::Object(verbs::request_schema::<V>());
        members.retain(|name, value| schema["properties"].get(name).is_some() && !value.is_null());
        if let Some(LessonId(id)) = lesson {
            members.insert("id".to_owned(), id.into());
        }
        let request = verbs::parse_request(members).map_err(refuse_body)?;
        Ok(Self {
            request,
            names,
            lesson,
        })
    }
}

/// The words may quote the caller's own, and go back to the caller only.
fn refuse_body(error: serde_json::Error) -> ApiError {
    ApiError::bad_request(format!("invalid body: {error}"))
}

impl<V: Verb> Input for VerbInput<V> {
    fn describe(form: &mut VerbForm) {
        let (doc, mut body) = read_object::<V>();
        body.properties.remove("id");
        body.required.retain(|name| name != "id");
        body.properties
            .extend(read_object::<RequestNames>().1.properties);
        body.additional_properties = None;
        let name = V::name().replace("Request", "Body");
        let content = Content::new(Some(Ref::from_schema_name(&name)));
        form.schemas.push((name, RefOr::T(body.into())));
        V::schemas(&mut form.schemas);
        form.add_body(JSON, content, Some(doc));
    }
}

/// Does it at the first of the caller's desks for which the lesson is there.
fn answer<V: Verb>(door: &Door, input: VerbInput<V>) -> Result<Response> {
    let names = input.names;
    let mut scope = parse_asked_scope(names.agent_id, names.project)?;
    if let (Some(id), true) = (input.lesson, scope == AskedScope::default()) {
        scope = door.scope_of_lesson(id)?;
    }
    input.request.check()?;
    let desks = if V::EFFECT.is_change() {
        door.write_desks(&scope)?
    } else {
        door.read_desks(&scope)?
    };
    let report = |error: VerbError| log_line(&format!("{}: {error:?}", V::NAME));
    let (_, reply) = find_desk(desks, |desk| {
        let call = VerbCall {
            desk: desk.clone(),
            client: None,
            report: &report,
        };
        Ok(input.request.clone().run(&call)?)
    })?;
    json(&reply)
}

impl From<VerbError> for ApiError {
    fn from(error: VerbError) -> Self {
        match error {
            VerbError::Desk(error) => error.into(),
            VerbError::Refused { field, message, .. } => {
                Self::bad_request(message).with_field(field)
            }
        }
    }
}
