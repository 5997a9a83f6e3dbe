//! What a server is told about an identity provider. Where it is told from is the caller's business.

use std::fmt;

use axum::http::Uri;
use hardwon_core::api_key::ClaimRules;

/// Longest address, in bytes.
const URL_BYTES: usize = 1024;

/// Why an address cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUrl {
    /// It is none, or has parts that it must not have.
    #[error(
        "this is no address such as https://id.example.com, without a query or a name before an @"
    )]
    Form,
    /// What is sent there could be read on the way.
    #[error("an address has to begin with https://; with http:// only if it is on this machine")]
    Plain,
    /// It leads into a server and not to all of it.
    #[error("the address of a server has no path behind the host")]
    Path,
}

/// An address over HTTPS, or on this machine. No `/` is at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceUrl {
    text: String,
    authority: String,
}

impl ServiceUrl {
    /// Parses an address, which is compared as it is written.
    pub fn parse(text: &str) -> Result<Self, InvalidUrl> {
        let uri: Uri = text.parse().map_err(|_| InvalidUrl::Form)?;
        let authority = uri.authority().ok_or(InvalidUrl::Form)?;
        let is_clean = text.bytes().all(|it| it.is_ascii_graphic());
        if !is_clean || text.len() > URL_BYTES || text.contains(['@', '?', '#', '\\', '"']) {
            return Err(InvalidUrl::Form);
        }
        let is_local = matches!(authority.host(), "localhost" | "127.0.0.1" | "[::1]");
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if is_local => {}
            Some("http") => return Err(InvalidUrl::Plain),
            _ => return Err(InvalidUrl::Form),
        }
        Ok(Self {
            authority: authority.as_str().to_owned(),
            text: text.to_owned(),
        })
    }

    /// Parses the address of a whole server.
    pub fn parse_server(text: &str) -> Result<Self, InvalidUrl> {
        let url = Self::parse(text.strip_suffix('/').unwrap_or(text))?;
        match url.text.ends_with(&format!("//{}", url.authority)) {
            true => Ok(url),
            false => Err(InvalidUrl::Path),
        }
    }

    /// Returns the address as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns its host, with the port if it names one.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Returns the address of a path below it.
    pub(crate) fn join(&self, path: &str) -> String {
        format!("{}{path}", self.text.trim_end_matches('/'))
    }
}

/// As what the server is known to its provider, so that people can log in to the page there.
#[derive(Clone)]
pub struct OidcClient {
    /// The name that the provider gave it.
    pub id: String,
    /// The secret that goes with it, unless it was made as one without.
    pub secret: Option<String>,
}

impl fmt::Debug for OidcClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OidcClient({})", self.id)
    }
}

/// An identity provider, and what its tokens are worth.
#[derive(Debug, Clone)]
pub struct OidcConfig {
    /// The provider, as its tokens name it.
    pub issuer: ServiceUrl,
    /// The server itself, as browsers and MCP clients write it.
    pub public_url: ServiceUrl,
    /// Whom tokens have to be made for; without any, this server by its address.
    pub audiences: Vec<String>,
    /// As what people log in to the page; `None` for a server that takes tokens only.
    pub client: Option<OidcClient>,
    /// What is given to whom.
    pub rules: ClaimRules,
    /// The claim that says what somebody is called in the list of keys and in its log; without it, that is a digest.
    pub name_claim: Option<String>,
    /// What is asked for at a login, besides `openid`.
    pub login_scopes: Vec<String>,
    /// What MCP clients are told to ask for.
    pub token_scopes: Vec<String>,
    /// The certificates that vouch for the provider, in PEM form; `None` for those of the web.
    pub roots: Option<Vec<u8>>,
}

impl OidcConfig {
    /// Returns the address of MCP, by which clients ask the provider for tokens.
    pub(super) fn mcp_url(&self) -> String {
        self.public_url.join("/mcp")
    }

    /// Returns where the provider sends browsers back to.
    pub(crate) fn callback_url(&self) -> String {
        self.public_url.join("/login/callback")
    }

    /// Returns whom tokens have to be made for.
    pub(super) fn audiences(&self) -> Vec<String> {
        match self.audiences.is_empty() {
            false => self.audiences.clone(),
            // Clients that read the address as a URL write it with a `/`.
            true => vec![
                self.mcp_url(),
                self.public_url.join(""),
                self.public_url.join("/"),
            ],
        }
    }

    /// Checks what parts say about each other. A token that tells who logged in must not do as one that lets in.
    pub(super) fn check(&self) -> Result<(), String> {
        let client = self.client.as_ref().map_or("", |it| &it.id);
        if self.audiences().iter().any(|it| it == client) {
            return Err(format!(
                "the audience of tokens is the client id {client}: every token of a login would do as one for the API"
            ));
        }
        let is_scope = |it: &String| {
            it.bytes()
                .all(|it| it.is_ascii_graphic() && !b"\"\\".contains(&it))
        };
        match self
            .login_scopes
            .iter()
            .chain(&self.token_scopes)
            .all(is_scope)
        {
            true => Ok(()),
            false => Err("a scope is a word of visible ASCII characters".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_safe_on_its_way() {
        let check = |text: &str, expected: Result<&str, InvalidUrl>| {
            let parsed = ServiceUrl::parse(text).map(|it| it.authority);
            assert_eq!(parsed, expected.map(str::to_owned), "{text}");
        };
        check("https://id.example.com", Ok("id.example.com"));
        check(
            "https://id.example.com:8443/realms/acme/",
            Ok("id.example.com:8443"),
        );
        check("http://127.0.0.1:9000", Ok("127.0.0.1:9000"));
        check("http://localhost/a", Ok("localhost"));
        check("http://[::1]:1", Ok("[::1]:1"));
        check("http://id.example.com", Err(InvalidUrl::Plain));
        check("http://127.0.0.1.example.com", Err(InvalidUrl::Plain));
        for wrong in [
            "",
            "id.example.com",
            "/realms",
            "ftp://id.example.com",
            "https://",
            "https://ada:secret@id.example.com",
            "https://id.example.com/?a=b",
            "https://id.example.com/#a",
            "https://id.example.com/a b",
            "https://id.example.com/\"",
        ] {
            check(wrong, Err(InvalidUrl::Form));
        }
    }

    #[test]
    fn the_address_of_a_server_has_no_path() {
        let check = |text: &str, expected: Result<&str, InvalidUrl>| {
            let parsed = ServiceUrl::parse_server(text).map(|it| it.text);
            assert_eq!(parsed, expected.map(str::to_owned), "{text}");
        };
        check("https://lessons.example", Ok("https://lessons.example"));
        check("https://lessons.example/", Ok("https://lessons.example"));
        check("http://localhost:7433", Ok("http://localhost:7433"));
        check("https://lessons.example/a", Err(InvalidUrl::Path));
        check("https://lessons.example//", Err(InvalidUrl::Path));
        check("http://lessons.example", Err(InvalidUrl::Plain));
    }

    #[test]
    fn no_secret_is_shown() {
        let secret = Some("letmein".to_owned());
        let client = OidcClient {
            id: "page".to_owned(),
            secret,
        };
        assert_eq!(format!("{client:?}"), "OidcClient(page)");
    }
}
