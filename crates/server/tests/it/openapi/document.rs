//! Makes the description of the API (OpenAPI 3.1) of the rows of its verbs and the doc comments over their handlers.

use std::{fs, path::Path};

use hardwon_server::list_verb_forms;
use utoipa::openapi::{
    Components, ComponentsBuilder, Info, License, ObjectBuilder, OpenApi, OpenApiBuilder, RefOr,
    Required, Type,
    path::{HttpMethod, Operation, ParameterBuilder, ParameterIn},
    security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme},
};

use super::conventions;

/// Returns the description of the API as JSON, made of the verbs, in the form that is committed.
pub(super) fn describe_api() -> String {
    let mut document = base_document();
    for (tag, form) in list_verb_forms() {
        let method = match form.method.as_str() {
            "GET" => HttpMethod::Get,
            "POST" => HttpMethod::Post,
            "PATCH" => HttpMethod::Patch,
            "DELETE" => HttpMethod::Delete,
            other => panic!("{other}"),
        };
        let mut operation = form.operation;
        operation.tags = Some(vec![tag.to_owned()]);
        if operation.operation_id.is_none() {
            (operation.summary, operation.description) = read_doc(form.handler);
            operation.operation_id = form.handler.rsplit("::").next().map(str::to_owned);
        }
        if form.is_repeatable {
            describe_repeats(&mut operation);
        }
        let paths = &mut document.paths;
        paths.add_path_operation(form.path, vec![method], operation);
        let components = document.components.get_or_insert_default();
        components.schemas.extend(form.schemas);
    }
    conventions::apply(&mut document);
    document.to_pretty_json().unwrap() + "\n"
}

/// Reads what the doc comment of a handler says: its first paragraph, and the others if there are any.
fn read_doc(handler: &str) -> (Option<String>, Option<String>) {
    let (module, name) = handler.rsplit_once("::").unwrap();
    let (_, module) = module.split_once("::").unwrap();
    let path = format!("src/{}.rs", module.replace("::", "/"));
    let source = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let is_head = |line: &&str| line.contains(&format!("fn {name}("));
    let before = source
        .lines()
        .rev()
        .skip_while(|line| !is_head(line))
        .skip(1);
    let mut doc: Vec<&str> = before.map_while(|line| line.strip_prefix("///")).collect();
    doc.reverse();
    let doc: Vec<&str> = doc
        .iter()
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    let doc = doc.join("\n");
    match doc.split_once("\n\n") {
        Some((summary, more)) => (Some(summary.to_owned()), Some(more.to_owned())),
        None => (Some(doc), None),
    }
}

/// Returns the document without routes: what the API is, and how to get in.
fn base_document() -> OpenApi {
    let mut license = License::new("MIT OR Apache-2.0");
    license.identifier = Some("MIT OR Apache-2.0".to_owned());
    let mut info = Info::new("hardwon", env!("CARGO_PKG_VERSION"));
    info.description = Some("A memory for what AI agents learned the hard way.".to_owned());
    info.license = Some(license);
    OpenApiBuilder::new()
        .info(info)
        .components(Some(security_components()))
        .security(Some(
            ["key", "key_header"].map(|scheme| SecurityRequirement::new(scheme, [""; 0])),
        ))
        .build()
}

fn security_components() -> Components {
    let mut bearer = Http::new(HttpAuthScheme::Bearer);
    bearer.description = Some("An API key: `hardwon key add` makes one.".to_owned());
    let header =
        ApiKeyValue::with_description("X-API-Key", "The same, for clients that send no bearer.");
    ComponentsBuilder::new()
        .security_scheme("key", SecurityScheme::Http(bearer))
        .security_scheme("key_header", SecurityScheme::ApiKey(ApiKey::Header(header)))
        .build()
}

/// Adds what callers may send to repeat a request.
fn describe_repeats(operation: &mut Operation) {
    let help = "A name for this request, 1 to 255 characters: sent again with it within a day, it is not carried out \
                again and gets the same answer, with the header `Idempotency-Replayed: true`.";
    let parameter = ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(help))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .build();
    operation
        .parameters
        .get_or_insert_default()
        .push(RefOr::T(parameter));
    for (status, description) in [
        (
            "409",
            "A request with this `Idempotency-Key` is under way, or its answer is not there",
        ),
        ("422", "The `Idempotency-Key` was used for another request"),
    ] {
        let response = conventions::answer_problem(description);
        let responses = &mut operation.responses.responses;
        responses
            .entry(status.to_owned())
            .or_insert_with(|| response.into());
    }
}
