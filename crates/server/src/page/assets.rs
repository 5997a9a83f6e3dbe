//! The files beside the pages: one style, one script, one icon. They are in the binary.
//!
//! Their names hold a hash of what they are, so that a browser keeps them for ever and never has an old one.

use std::sync::LazyLock;

use axum::{
    extract::Path,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use hardwon_core::digest;

/// Bytes of the hash in a name.
const HASH_BYTES: usize = 6;

struct Asset {
    path: String,
    media_type: &'static str,
    bytes: &'static [u8],
}

/// The style, the script and the icon.
static ASSETS: LazyLock<[Asset; 3]> = LazyLock::new(|| {
    let asset = |name: &str, ending: &str, media_type, bytes: &'static [u8]| {
        let hash = digest::to_hex(&digest::hash_parts([bytes])[..HASH_BYTES]);
        Asset {
            path: format!("/assets/{name}-{hash}.{ending}"),
            media_type,
            bytes,
        }
    };
    let [style, script] = ["text/css; charset=utf-8", "text/javascript; charset=utf-8"];
    [
        asset(
            "page",
            "css",
            style,
            include_bytes!("../../assets/page.css"),
        ),
        asset("page", "js", script, include_bytes!("../../assets/page.js")),
        asset(
            "icon",
            "svg",
            "image/svg+xml",
            include_bytes!("../../assets/icon.svg"),
        ),
    ]
});

pub(super) fn style_path() -> &'static str {
    &ASSETS[0].path
}

pub(super) fn script_path() -> &'static str {
    &ASSETS[1].path
}

pub(super) fn icon_path() -> &'static str {
    &ASSETS[2].path
}

pub(super) async fn send_asset(Path(name): Path<String>) -> Response {
    let is_asked = |asset: &&Asset| asset.path.rsplit('/').next() == Some(&name);
    let Some(asset) = ASSETS.iter().find(is_asked) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, asset.media_type),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    (headers, asset.bytes).into_response()
}
