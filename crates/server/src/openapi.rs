//! The description of the API (OpenAPI 3.1), made of the routes themselves.
//!
//! It is served at `/v1/openapi.json` and committed as `openapi.json`; a test holds that both are the same.

use utoipa::openapi::{
    Components, ComponentsBuilder, Info, License, OpenApi, OpenApiBuilder,
    security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme},
};

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
        .security(Some([SecurityRequirement::new("key", [""; 0])]))
        .build()
}

fn security_components() -> Components {
    let mut bearer = Http::new(HttpAuthScheme::Bearer);
    bearer.description = Some("An API key: `hardwon key add` makes one.".to_owned());
    ComponentsBuilder::new()
        .security_scheme("key", SecurityScheme::Http(bearer))
        .build()
}
