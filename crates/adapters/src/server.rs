//! A hardwon server, as one of its clients: requests with a key, whose answers are handed on as text.
//!
//! The key goes only to the address that it was made for, over HTTPS, to this machine, or where its owner said that it
//! may travel in the open; it is in no error. What is asked and answered is the caller's business.

use std::{
    io::{self, Read as _, Write},
    time::Duration,
};

use serde_json::Value;
use ureq::{
    Agent, Body,
    http::Response,
    tls::{PemItem, RootCerts, TlsConfig, parse_pem},
};

use crate::{
    http::{begin_config, describe_answer, describe_trouble, read_retry_after},
    service::{ServiceKey, SettingNames, is_this_machine},
};

/// Longest answer: a page of lessons is much shorter.
const ANSWER_BYTES: u64 = 32 * 1024 * 1024;
/// Longest file: one that is cut off there is refused by whoever reads it.
const FILE_BYTES: u64 = 256 * 1024 * 1024;
/// Longest retry delay that is accepted.
const MAX_AFTER: Duration = Duration::from_secs(600);
const NAMES: SettingNames = SettingNames {
    url: "server",
    key_variable: "server_key_file",
};

/// The address of a server, to which a key may be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerAddress(String);

/// Why an address is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// It is none.
    #[error("this is no address of the form https://…")]
    Form,
    /// It has a user or a password in it.
    #[error("an address has no user and no password in it; a key is all that the server asks for")]
    Password,
    /// The key would travel unencrypted.
    #[error("over http:// the key would travel in the open")]
    InTheOpen,
}

impl ServerAddress {
    /// Parses an address. `http://` is for this machine only, unless `allows_plain`.
    pub fn parse(url: &str, allows_plain: bool) -> Result<Self, BadAddress> {
        let url = url.trim().trim_end_matches('/');
        let (scheme, rest) = url.split_once("://").ok_or(BadAddress::Form)?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(BadAddress::Password);
        }
        if authority.is_empty() || rest.contains(['?', '#']) || rest.contains(char::is_whitespace) {
            return Err(BadAddress::Form);
        }
        match scheme {
            "https" => Ok(Self(url.to_owned())),
            "http" if allows_plain || is_this_machine(authority) => Ok(Self(url.to_owned())),
            "http" => Err(BadAddress::InTheOpen),
            _ => Err(BadAddress::Form),
        }
    }

    /// Returns the address as text, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a server returns: a value, or why there is none.
pub(crate) type Result<T, E = ServerTrouble> = std::result::Result<T, E>;

/// Why a request was not answered. None of the texts holds a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerTrouble {
    /// It cannot be reached, or broke off; it may answer later.
    #[error("{0}")]
    Unreachable(String),
    /// It is overloaded, or the key asked too often.
    #[error("{what}")]
    Busy {
        /// What it said.
        what: String,
        /// When to ask again, if it said so.
        after: Option<Duration>,
    },
    /// It does not know the key, or does not accept it any more.
    #[error("{0}")]
    KeyRefused(String),
    /// The key does not allow this.
    #[error("{0}")]
    Denied(String),
    /// It does not take this in, also not later.
    #[error("{0}")]
    Refused(String),
}

/// A file that is to vouch for a server holds no certificate in PEM form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no certificate in PEM form in it")]
pub struct NoRoots;

/// A client of one server with one key.
pub struct ServerClient {
    agent: Agent,
    address: ServerAddress,
    key: ServiceKey,
}

impl ServerClient {
    /// Makes a client that shows this key. Nothing is sent.
    pub fn new(address: ServerAddress, key: String) -> Self {
        Self::with_roots(address, key, RootCerts::WebPki)
    }

    /// Makes a client that trusts the certificates in these bytes, which are PEM, and no others.
    ///
    /// # Errors
    ///
    /// If there is none in them.
    pub fn trusting(address: ServerAddress, key: String, roots: &[u8]) -> Result<Self, NoRoots> {
        let items = parse_pem(roots).filter_map(|pem| match pem {
            Ok(PemItem::Certificate(certificate)) => Some(Ok(certificate)),
            Ok(_) => None,
            Err(_) => Some(Err(NoRoots)),
        });
        let roots = items.collect::<Result<Vec<_>, _>>()?;
        if roots.is_empty() {
            Err(NoRoots)
        } else {
            Ok(Self::with_roots(address, key, RootCerts::from(roots)))
        }
    }

    fn with_roots(address: ServerAddress, key: String, roots: RootCerts) -> Self {
        let tls = TlsConfig::builder().root_certs(roots).build();
        let config = begin_config(address.as_str()).tls_config(tls);
        Self {
            agent: config.build().new_agent(),
            address,
            key: ServiceKey(key),
        }
    }

    /// Fetches a file, unless it is still what was called `known`. Returns what it is called now; `None` if it is still that.
    pub fn fetch(
        &self,
        path: &str,
        query: &[(&str, &str)],
        known: Option<&str>,
        timeout: Duration,
        into: &mut impl Write,
    ) -> Result<Option<String>> {
        let mut call = self
            .agent
            .get(format!("{}{path}", self.address.0))
            .config()
            .timeout_global(Some(timeout))
            .build()
            .query_pairs(query.iter().copied())
            .header("authorization", format!("Bearer {}", self.key.0));
        if let Some(tag) = known {
            call = call.header("if-none-match", format!("\"{tag}\""));
        }
        let mut answer = match call.call() {
            Ok(answer) if answer.status() == 304 => return Ok(None),
            Ok(answer) if answer.status() == 200 => answer,
            other => {
                let answer = self.read_answer(other);
                return answer.and_then(|_| Err(strange_answer()));
            }
        };
        let tag = answer.headers().get("etag");
        let tag = tag.and_then(|tag| tag.to_str().ok()?.rsplit('"').nth(1));
        let tag = tag.map(str::to_owned).ok_or_else(strange_answer)?;
        let mut file = answer.body_mut().as_reader().take(FILE_BYTES);
        io::copy(&mut file, into).map_err(|_| broken_answer())?;
        Ok(Some(tag))
    }

    /// Sends something once, also if it is sent again under the same name, and returns the answer.
    pub fn post(&self, path: &str, name: &str, body: &str, timeout: Duration) -> Result<String> {
        self.post_with(path, &[("idempotency-key", name)], body, timeout)
    }

    /// Sends JSON with headers, and returns the answer.
    pub fn post_with(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
        timeout: Duration,
    ) -> Result<String> {
        let mut call = self
            .agent
            .post(format!("{}{path}", self.address.0))
            .config()
            .timeout_global(Some(timeout))
            .build()
            .header("authorization", format!("Bearer {}", self.key.0))
            .header("content-type", "application/json");
        for (name, value) in headers {
            // A name may be of any script: it travels as it is.
            call = call.header(*name, value.as_bytes());
        }
        self.read_answer(call.send(body.as_bytes()))
    }

    fn read_answer(&self, answer: Result<Response<Body>, ureq::Error>) -> Result<String> {
        let unreachable = |error: &ureq::Error| {
            ServerTrouble::Unreachable(describe_trouble(error, NAMES).to_string())
        };
        let mut answer = answer.map_err(|error| unreachable(&error))?;
        let after = read_retry_after(&answer, MAX_AFTER);
        let mut text = String::new();
        let mut reader = answer.body_mut().as_reader().take(ANSWER_BYTES);
        let read = reader.read_to_string(&mut text);
        read.map_err(|_| broken_answer())?;
        let status = answer.status().as_u16();
        match status {
            200..=299 => Ok(text),
            _ => Err(self.describe_refusal(status, after, &text)),
        }
    }

    fn describe_refusal(&self, status: u16, after: Option<Duration>, text: &str) -> ServerTrouble {
        let body: Value = serde_json::from_str(text).unwrap_or_default();
        let message = body["error"].as_str().unwrap_or_default();
        let message = describe_answer("the server", status, message, Some(&self.key));
        match status {
            401 => ServerTrouble::KeyRefused(message),
            403 => ServerTrouble::Denied(message),
            // A proxy, or a server of another version: it may be put right.
            300..=399 | 404 | 405 => ServerTrouble::Unreachable(message),
            408 | 429 | 500.. => ServerTrouble::Busy {
                what: message,
                after,
            },
            _ => ServerTrouble::Refused(message),
        }
    }
}

fn broken_answer() -> ServerTrouble {
    ServerTrouble::Unreachable("the answer broke off".to_owned())
}

fn strange_answer() -> ServerTrouble {
    ServerTrouble::Unreachable("its answer is not that of a hardwon server".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_goes_to_safe_addresses_only() {
        for (url, allows_plain, expected) in [
            ("https://fleet.example/", false, Ok("https://fleet.example")),
            (
                "https://fleet.example/hw",
                false,
                Ok("https://fleet.example/hw"),
            ),
            ("http://127.0.0.1:7433", false, Ok("http://127.0.0.1:7433")),
            ("http://[::1]:7433", false, Ok("http://[::1]:7433")),
            ("http://fleet.lan:7433", true, Ok("http://fleet.lan:7433")),
            ("http://fleet.lan:7433", false, Err(BadAddress::InTheOpen)),
            (
                "http://localhost.evil.example",
                false,
                Err(BadAddress::InTheOpen),
            ),
            (
                "https://me:secret@fleet.example",
                true,
                Err(BadAddress::Password),
            ),
            ("https://fleet.example?x=1", true, Err(BadAddress::Form)),
            ("fleet.example", true, Err(BadAddress::Form)),
            ("file:///etc/passwd", true, Err(BadAddress::Form)),
            ("https://", true, Err(BadAddress::Form)),
        ] {
            let parsed = ServerAddress::parse(url, allows_plain);
            assert_eq!(
                parsed.as_ref().map(ServerAddress::as_str).map_err(|it| *it),
                expected,
                "{url}"
            );
        }
    }
}
