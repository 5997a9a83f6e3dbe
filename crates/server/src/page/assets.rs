//! The files beside the pages: one style, one script, one icon. They are in the binary.
//!
//! Their names hold a hash of what they are, so that a browser keeps them for ever and never has an old one.

use std::sync::LazyLock;

use axum::{
    Router,
    extract::Path,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::get,
};
use hardwon_core::digest;

use crate::state::SharedState;

/// Bytes of the hash in a name.
const HASH_BYTES: usize = 6;

struct Asset {
    path: String,
    media_type: &'static str,
    bytes: &'static [u8],
}

impl Asset {
    fn new(name: &str, ending: &str, media_type: &'static str, bytes: &'static [u8]) -> Self {
        let hash = digest::hash_parts([bytes]);
        let hash = digest::to_hex(&hash[..HASH_BYTES]);
        Self {
            path: format!("/assets/{name}-{hash}.{ending}"),
            media_type,
            bytes,
        }
    }
}

static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let bytes = include_bytes!("../../assets/page.css");
    Asset::new("page", "css", "text/css; charset=utf-8", bytes)
});

static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let bytes = include_bytes!("../../assets/page.js");
    Asset::new("page", "js", "text/javascript; charset=utf-8", bytes)
});

static ICON: LazyLock<Asset> = LazyLock::new(|| {
    let bytes = include_bytes!("../../assets/icon.svg");
    Asset::new("icon", "svg", "image/svg+xml", bytes)
});

pub(super) fn style_path() -> &'static str {
    &STYLE.path
}

pub(super) fn script_path() -> &'static str {
    &SCRIPT.path
}

pub(super) fn icon_path() -> &'static str {
    &ICON.path
}

pub(super) fn routes() -> Router<SharedState> {
    Router::new().route("/assets/{name}", get(send_asset))
}

async fn send_asset(Path(name): Path<String>) -> Response {
    let all = [&STYLE, &SCRIPT, &ICON];
    let own_asset = all
        .into_iter()
        .find(|entry| entry.path.rsplit('/').next() == Some(&name));
    let Some(asset) = own_asset else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, asset.media_type),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    (headers, asset.bytes).into_response()
}
