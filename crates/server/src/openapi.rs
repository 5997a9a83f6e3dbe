//! What the description of the API (OpenAPI 3.1) has round its routes, and how a description says where to serve.
//!
//! The description is made of the handlers, by a test, and committed as `openapi.json`, which is what is served.

pub(crate) mod conventions;

use axum::{http::Method, routing::MethodFilter};
use utoipa::{
    Path,
    openapi::{
        Components, ComponentsBuilder, Info, License, ObjectBuilder, OpenApi, OpenApiBuilder,
        RefOr, Required, Type,
        path::{HttpMethod, Operation, ParameterBuilder, ParameterIn},
        security::{
            ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme,
        },
    },
};

/// Returns the methods that a handler is described for.
pub(crate) fn find_method<P: Path>() -> MethodFilter {
    let filters = P::methods().into_iter().map(|method| match method {
        HttpMethod::Get => MethodFilter::GET,
        HttpMethod::Post => MethodFilter::POST,
        HttpMethod::Put => MethodFilter::PUT,
        HttpMethod::Delete => MethodFilter::DELETE,
        HttpMethod::Options => MethodFilter::OPTIONS,
        HttpMethod::Head => MethodFilter::HEAD,
        HttpMethod::Patch => MethodFilter::PATCH,
        HttpMethod::Trace => MethodFilter::TRACE,
    });
    filters
        .reduce(MethodFilter::or)
        .expect("a description has a method")
}

/// Returns the document without routes: what the API is, and how to get in.
pub(crate) fn base_document() -> OpenApi {
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

/// Adds to the description what callers may send to repeat a request: which routes take it, `takes_key` says.
pub(crate) fn add_repeats(
    mut document: OpenApi,
    takes_key: impl Fn(&Method, &str) -> bool,
) -> OpenApi {
    for (path, item) in &mut document.paths.paths {
        if let Some(operation) = item
            .post
            .as_mut()
            .filter(|_| takes_key(&Method::POST, path))
        {
            describe_repeats(operation);
        }
    }
    document
}

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
