//! The page that a visitor asked for before they had to log in, to lead them there afterwards.
//!
//! It comes back through the browser, so anybody may have written it: it leads to a page of this server, or nowhere.

use axum::http::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};

/// What the value of a name in a query has as %XX.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Writes text as the value of a name in a query.
pub(super) fn escape_value(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, ESCAPED)
}

/// Longest path that is remembered, in bytes.
const MOST_BYTES: usize = 512;

/// The path and query of a page of this server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NextPath(String);

impl NextPath {
    /// Parses what a browser sent; anything but a path of this server is the first view.
    pub(super) fn parse(text: &str) -> Self {
        let mut chars = text.chars();
        let begins_well = chars.next() == Some('/') && !matches!(chars.next(), Some('/' | '\\'));
        let is_plain = text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        let leads_away = ["/login", "/logout"]
            .iter()
            .any(|mark| text.starts_with(mark));
        if begins_well && is_plain && !leads_away && text.len() <= MOST_BYTES {
            Self(text.to_owned())
        } else {
            Self("/".to_owned())
        }
    }

    /// Returns the page that a request asks for.
    pub(super) fn of_request(uri: &Uri) -> Self {
        Self::parse(
            uri.path_and_query()
                .map_or("/", |path_and_query| path_and_query.as_str()),
        )
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the path of the form to log in that leads there.
    pub(super) fn login_path(&self) -> String {
        match &*self.0 {
            "/" => "/login".to_owned(),
            path => format!("/login?next={}", escape_value(path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_this_server_are_led_to() {
        let check = |text: &str, expected: &str| {
            assert_eq!(NextPath::parse(text).as_str(), expected, "{text}");
        };
        check("/lessons/7?done=approved", "/lessons/7?done=approved");
        check("/review", "/review");
        for elsewhere in [
            "",
            "review",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "/a\\b",
            "/a\r\nX: 1",
            "/a b",
            "/login",
            "/login?next=/login",
            "/logout",
            "/ä",
            &format!("/{}", "a".repeat(512)),
        ] {
            check(elsewhere, "/");
        }
    }

    #[test]
    fn a_path_is_quoted_in_another() {
        let path = |text: &str| NextPath::parse(text).login_path();
        assert_eq!(path("/"), "/login");
        assert_eq!(path("/lessons?q=a&b"), "/login?next=/lessons%3Fq%3Da%26b");
    }
}
