//! What holds for every route is said here once: the form of errors, the answers that any request may get, and what a
//! member or parameter of a certain name may hold, wherever it stands.
//!
//! What a single verb says is in its row and over its handler, and is not repeated here.

use hardwon_core::{Cause, limits};
use hardwon_server::Role;
use hardwon_store::StatusName;
use utoipa::{
    Number,
    openapi::{
        ContentBuilder, KnownFormat, OpenApi, Ref, RefOr, Response, ResponseBuilder, Schema,
        SchemaFormat, Server, Type,
        path::{Operation, Parameter, ParameterIn},
        schema::{AdditionalProperties, ArrayItems, Object, SchemaType},
    },
};

const JSON: &str = "application/json";
const PROBLEM_JSON: &str = "application/problem+json";
/// Bodies that are bytes.
const BYTES: &str = "application/octet-stream";

/// The published route whose answer to what is no number is a line of text; to anything else it is as everywhere.
const ONE_LESSON: &str = "/v1/lessons/{id}";

/// The routes that name a lesson by its number.
const OF_A_LESSON: [&str; 3] = [ONE_LESSON, "/v1/effects/{id}", "/v1/reviews/{id}"];
/// The answers that these may get. With a body, it may be that which is wrong.
const NO_LESSON: [(&str, &str); 2] = [
    ("404", "No such lesson, or not one that the key may see"),
    ("400", "This is no number of a lesson"),
];

/// Answers that any request may get; a route says where it means something else by one.
const ANY_REQUEST: [(&str, &str); 4] = [
    ("401", "No valid key"),
    ("403", "The key does not allow it"),
    (
        "429",
        "The key sends too many requests; `Retry-After` says when to go on",
    ),
    ("503", "Too much at once; send it again after `Retry-After`"),
];
/// Answers that a request with a body may get.
const WITH_BODY: [(&str, &str); 2] = [
    ("400", "The body is not as it should be"),
    ("413", "The body is too large"),
];
/// The answer that a request with a query, and no body, may get.
const WITH_QUERY: (&str, &str) = ("400", "A parameter is not as it should be");

/// Members that hold the name of something: not blank, and without control characters.
const NAMES: [&str; 8] = [
    "agent_id", "project", "run", "client", "session", "tenant", "agents", "projects",
];
const NAME_PATTERN: &str = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$";
const TRACE_EVENT: &str = "TraceEvent";
/// The types of events in a plain trace.
const EVENT_TYPES: [&str; 6] = ["run", "calling", "tool", "message", "signal", "end"];
const DELIVERY_ITEM: &str = "DeliveryItem";
/// What a delivery may hold.
const DELIVERY_KINDS: [&str; 4] = ["recall", "writ", "outside", "trace"];
/// The cursor of a list that is in the order of numbers.
const NUMBER_PATTERN: &str = "^[1-9][0-9]{0,17}$";
const PLAN_ID_PATTERN: &str = "^[0-9a-f]{12}$";
const KEY_ID_PATTERN: &str = "^[0-9A-Za-z]{10}$";

/// Adds to a description what all routes have in common.
pub(super) fn apply(document: &mut OpenApi) {
    document.servers = Some(vec![Server::new("/")]);
    for (path, item) in &mut document.paths.paths {
        let methods = [
            &mut item.get,
            &mut item.post,
            &mut item.put,
            &mut item.patch,
            &mut item.delete,
        ];
        for operation in methods.into_iter().flatten() {
            describe_answers(path, operation);
            describe_bytes(operation);
            for parameter in operation.parameters.iter_mut().flatten() {
                if let RefOr::T(parameter) = parameter {
                    describe_parameter(path, parameter);
                }
            }
        }
    }
    let Some(components) = &mut document.components else {
        return;
    };
    components
        .schemas
        .insert(TRACE_EVENT.to_owned(), RefOr::T(trace_event()));
    components
        .schemas
        .insert(DELIVERY_ITEM.to_owned(), RefOr::T(delivery_item()));
    for (name, schema) in &mut components.schemas {
        let is_sent = ["Body", "Patch", "Proposal"]
            .iter()
            .any(|mark| name.ends_with(mark));
        if let (true, RefOr::T(Schema::Object(object))) = (is_sent, schema) {
            describe_members(object);
        }
    }
}

fn describe_answers(path: &str, operation: &mut Operation) {
    let is_query = |parameter: &RefOr<Parameter>| match parameter {
        RefOr::T(parameter) => parameter.parameter_in == ParameterIn::Query,
        RefOr::Ref(_) => false,
    };
    let mut parameters = operation.parameters.iter().flatten();
    let mut common = ANY_REQUEST.to_vec();
    if OF_A_LESSON.iter().any(|prefix| path.starts_with(prefix)) {
        let count = 1 + usize::from(operation.request_body.is_none());
        common.extend(&NO_LESSON[..count]);
    }
    if operation.request_body.is_some() {
        common.extend(WITH_BODY);
    } else if parameters.any(is_query) {
        common.push(WITH_QUERY);
    }
    let answers = &mut operation.responses.responses;
    for (status, description) in common {
        let answer = || answer_problem(description).into();
        answers.entry(status.to_owned()).or_insert_with(answer);
    }
    for answer in answers.values_mut() {
        if let RefOr::T(answer) = answer {
            name_problem(answer);
        }
    }
}

/// Describes an answer that says what is wrong.
pub(super) fn answer_problem(description: &str) -> Response {
    let problem = Ref::from_schema_name("ProblemDto");
    let content = ContentBuilder::new().schema(Some(problem)).build();
    let response = ResponseBuilder::new().description(description);
    response.content(JSON, content).build()
}

/// Errors are of the media type of RFC 9457.
fn name_problem(answer: &mut Response) {
    let is_problem = |schema: &Option<RefOr<Schema>>| match schema {
        Some(RefOr::Ref(Ref { ref_location, .. })) => ref_location.ends_with("/ProblemDto"),
        _ => false,
    };
    let content = answer.content.get(JSON);
    if matches!(content, Some(RefOr::T(content)) if is_problem(&content.schema))
        && let Some(content) = answer.content.shift_remove(JSON)
    {
        answer.content.insert(PROBLEM_JSON.to_owned(), content);
    }
}

fn describe_bytes(operation: &mut Operation) {
    let mut contents = Vec::new();
    if let Some(RefOr::T(body)) = &mut operation.request_body {
        contents.extend(body.content.iter_mut());
    }
    for answer in operation.responses.responses.values_mut() {
        if let RefOr::T(answer) = answer {
            contents.extend(answer.content.iter_mut());
        }
    }
    for (media_type, content) in contents {
        if let (true, RefOr::T(content)) = (media_type == BYTES, content) {
            let mut bytes = Object::with_type(Type::String);
            bytes.format = Some(SchemaFormat::KnownFormat(KnownFormat::Binary));
            content.schema = Some(RefOr::T(Schema::Object(bytes)));
        }
    }
}

fn describe_parameter(path: &str, parameter: &mut Parameter) {
    if OF_A_LESSON.iter().any(|prefix| path.starts_with(prefix)) && parameter.name == "id" {
        parameter.description = Some("The lesson's number".to_owned());
    }
    if parameter.parameter_in == ParameterIn::Header && path == "/v1/replica" {
        let or_none = SchemaType::from_iter([Type::String, Type::Null]);
        parameter.schema = Some(RefOr::T(Schema::Object(Object::with_type(or_none))));
    }
    let Some(RefOr::T(Schema::Object(object))) = &mut parameter.schema else {
        return;
    };
    match (parameter.name.as_str(), &parameter.parameter_in) {
        ("limit", _) => {
            bound_integer(object, 1);
            object.format = None;
        }
        ("lesson", _) => bound_integer(object, 1),
        ("after", _) => bound_integer(object, 0),
        ("id", ParameterIn::Path) if path.starts_with("/v1/keys") => {}
        ("id", ParameterIn::Path) if path.starts_with("/v1/sweeps") => {
            object.pattern = Some(PLAN_ID_PATTERN.to_owned());
        }
        ("id", ParameterIn::Path) => bound_integer(object, 1),
        ("name", ParameterIn::Path) => describe_name(object),
        ("status", _) => object.enum_values = Some(names(StatusName::ALL.map(StatusName::name))),
        ("cause", _) => object.enum_values = Some(names(Cause::ALL.map(Cause::name))),
        ("cursor", _) if path == "/v1/tenants" => describe_name(object),
        ("cursor", _) if path == "/v1/keys" => object.pattern = Some(KEY_ID_PATTERN.to_owned()),
        ("cursor", _) => object.pattern = Some(NUMBER_PATTERN.to_owned()),
        (name, _) if NAMES.contains(&name) => describe_name(object),
        _ => {}
    }
}

/// Describes a number of 64 bits from `least` on.
fn bound_integer(object: &mut Object, least: isize) {
    object.schema_type = SchemaType::Type(Type::Integer);
    object.format = Some(SchemaFormat::KnownFormat(KnownFormat::Int64));
    object.minimum = Some(Number::Int(least));
}

fn describe_members(sent: &mut Object) {
    for (name, schema) in &mut sent.properties {
        match (name.as_str(), schema) {
            ("role", RefOr::T(Schema::Object(object))) if is_required(&sent.required, name) => {
                object.enum_values = Some(names(Role::ALL.map(Role::name)));
            }
            ("name", RefOr::T(Schema::Object(object))) => describe_name(object),
            ("keep_seconds" | "expires_in_seconds", RefOr::T(Schema::Object(object))) => {
                object.format = None;
                object.maximum = usize::try_from(u32::MAX).ok().map(Number::UInt);
            }
            ("events", RefOr::T(Schema::Array(array))) => {
                let event = Ref::from_schema_name(TRACE_EVENT);
                array.items = ArrayItems::RefOrSchema(Box::new(RefOr::Ref(event)));
            }
            ("items", RefOr::T(Schema::Array(array))) => {
                let item = Ref::from_schema_name(DELIVERY_ITEM);
                array.items = ArrayItems::RefOrSchema(Box::new(RefOr::Ref(item)));
            }
            ("note", RefOr::T(Schema::Object(object))) => {
                object.max_length = Some(limits::VERDICT_NOTE_CHARS);
            }
            (name, RefOr::T(Schema::Object(object))) if NAMES.contains(&name) => {
                describe_name(object);
            }
            (name, RefOr::T(Schema::Array(array))) if NAMES.contains(&name) => {
                if let ArrayItems::RefOrSchema(items) = &mut array.items
                    && let RefOr::T(Schema::Object(object)) = &mut **items
                {
                    describe_name(object);
                }
            }
            _ => {}
        }
    }
}

/// Describes an event by its type; `docs/trace.schema.json` says what else each type has.
fn trace_event() -> Schema {
    let description = "A line of a plain trace (`docs/trace.md`).";
    Schema::Object(describe_tagged(description, "type", EVENT_TYPES))
}

/// Describes a thing that hooks kept by its kind; what else each kind has is between hooks and servers of one version.
fn delivery_item() -> Schema {
    let description = "One thing, with an `id` of its own: sent again, it counts once. It belongs to `run`. What else \
                       there is depends on its kind, and is in the form in which hooks keep it.";
    let mut item = describe_tagged(description, "kind", DELIVERY_KINDS);
    for member in ["id", "run"] {
        let mut name = Object::with_type(Type::String);
        describe_name(&mut name);
        item.properties
            .insert(member.to_owned(), RefOr::T(Schema::Object(name)));
        item.required.push(member.to_owned());
    }
    Schema::Object(item)
}

/// Describes an object of which one member says what others it has.
fn describe_tagged<const N: usize>(
    description: &str,
    tag: &str,
    kinds: [&'static str; N],
) -> Object {
    let mut kind = Object::with_type(Type::String);
    kind.enum_values = Some(names(kinds));
    let mut object = Object::with_type(Type::Object);
    object.description = Some(description.to_owned());
    object
        .properties
        .insert(tag.to_owned(), RefOr::T(Schema::Object(kind)));
    object.required = vec![tag.to_owned()];
    object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(true)));
    object
}

fn is_required(required: &[String], member: &str) -> bool {
    required.iter().any(|other| other == member)
}

fn describe_name(object: &mut Object) {
    object.min_length = Some(1);
    object.max_length = Some(limits::NAME_CHARS);
    object.pattern = Some(NAME_PATTERN.to_owned());
}

fn names<const N: usize>(all: [&'static str; N]) -> Vec<serde_json::Value> {
    all.map(serde_json::Value::from).to_vec()
}
